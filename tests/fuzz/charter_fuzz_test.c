/* Fuzzing of what home and workers send each other: no bytes crash whoever reads a charter, an item, an answer or a report, and what is read fits the plan.
 *
 * Input: a byte that says which, then the bytes. With -DWADI_LIBFUZZER and -fsanitize=fuzzer this is a libFuzzer target. Otherwise it is a
 * test: a fixed number of mutations of sound ones (WADI_FUZZ_RUNS changes how many), always the same ones, of charters mostly with their
 * checksum put right, and so of reports. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "exe/exe.h"
#include "sched/certificate/certificate.h"
#include "sched/run/certify_workers.h"
#include "sched/run/charter.h"
#include "sched/run/report.h"
#include "wadi/wadi.h"

enum { MOST_BYTES = 1 << 14, CHARTER = 0, ITEM = 1, ANSWER = 2, TOLD = 3, KINDS = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const char text[] = "program fuzzed\n"
                           "input k : f64[?]\ninput rows : i32[?, 2]\nstream_in s : seq(f64[?])\n"
                           "j = map k (x) { mul x 2.0 }\n"
                           "t = map_seq s (a) {\n"
                           "    b = zip_with a j (x, y) { add x y }\n"
                           "    n = unit { extent rows 0 }\n"
                           "    yield b, n\n}\n"
                           "stream_out \"t\" t\n";

static void demand(bool holds, const char *what) {
    if (holds) return;
    (void)fprintf(stderr, "%s\n", what);
    abort();
}

/* ---- the plan ---- */

static wadi_exe *exe;
static const wadi_plan_stage *stage;
static const wadi_stretch_list stretches = {.n = 1, .at = {{.n = 1}}};
static wadi_travel travel; /* what comes back: all but what the text has */
static int phase;

enum { ELEMENTS = 3 };

static void find_stage(void) {
    if (stage != NULL) return;
    demand(wadi_compile_text(text, "fuzzed", NULL, &exe, NULL) == WADI_OK, "the program");
    while (!exe->plan->phases[phase].is_stream) phase++;
    const wadi_plan_stream *s = &exe->plan->phases[phase].stream;
    demand(s->nstages == 1 && s->stages[0].nresults <= WADI_MAX_PARTS, "one stage");
    stage = &s->stages[0];
    for (int i = 0; i < stage->nresults; i++) {
        if (exe->plan->slots[stage->results[i]].kind == WADI_SLOT_ONCE) continue;
        travel.at[travel.n] = i;
        travel.slot[travel.n++] = stage->results[i];
    }
}

/* ---- reading ---- */

/* Reads every value: a sanitizer sees whatever points outside. */
static void touch(const wadi_array *a) {
    unsigned sum = 0;
    const int64_t values = wadi_shape_values(a->rank, a->shape);
    demand(values >= 0, "a shape that there is not was let through");
    for (int f = 0; f < a->fields && a->column[f] != NULL; f++)
        for (int64_t k = 0; k < values * wadi_type_size(a->type[f]); k++)
            sum += ((const uint8_t *)a->column[f])[k];
    demand(sum < UINT32_MAX, "the sum is what it is");
}

static void read_charter(const uint8_t *data, size_t n, wadi_buffers *buffers) {
    wadi_charter c;
    wadi_slots slots;
    wadi_chunk *held = NULL;
    wadi_error err = {.status = WADI_OK};
    if (wadi_charter_read(data, (int64_t)n, &c, &err) != WADI_OK) {
        demand(err.msg[0] != '\0', "refused without a word");
        return;
    }
    demand(c.phase >= 0 && c.stretches.n >= 0 && c.stretches.n <= WADI_STRETCHES, "a number");
    for (int i = 0; i < c.stretches.n; i++)
        if (wadi_stretch_is_one(exe->plan, &exe->plan->phases[phase].stream, &c.stretches.at[i]))
            demand(c.stretches.at[i].n == 1 && c.stretches.at[i].stage[0] == 0, "another stage");
    demand(wadi_slots_init(&slots, exe->plan, buffers, NULL, NULL) == WADI_OK, "slots");
    if (wadi_charter_values(&c, exe->plan, &slots, buffers, &held, &err) == WADI_OK) {
        for (int i = 0; i < exe->plan->nslots; i++) {
            if (exe->plan->slots[i].kind != WADI_SLOT_ONCE || wadi_slots_is_empty(&slots, i))
                continue;
            const wadi_array a = wadi_slots_array(&slots, i);
            touch(&a);
        }
    } else {
        demand(err.msg[0] != '\0', "refused without a word");
    }
    wadi_slots_fini(&slots);
    wadi_chunk_release(held);
}

static void touch_chunk(const wadi_chunk *c, int nslots, const int *slots) {
    demand(c->components == nslots, "too many components");
    for (int i = 0; i < c->components; i++)
        for (int64_t s = 0; s < c->count; s++) {
            const wadi_array a = wadi_chunk_array(c, i, s);
            demand(a.rank == exe->plan->slots[slots[i]].rank, "another rank");
            touch(&a);
        }
}

static wadi_status take_item(const uint8_t *data, size_t n, wadi_buffers *buffers,
                             wadi_chunk **out) {
    wadi_state_reader rest;
    wadi_known known = {.n = 0};
    int which = -1;
    WADI_TRY(wadi_item_head(data, (int64_t)n, 1, &which, &known, &rest, NULL));
    demand(which == 0 && known.n >= 0 && known.n <= WADI_KNOWN, "another stretch");
    return wadi_item_read(rest, exe->plan, stage->nparts, stage->parts, buffers, out, NULL);
}

static void read_item(const uint8_t *data, size_t n, wadi_buffers *buffers) {
    wadi_chunk *c = NULL;
    if (take_item(data, n, buffers, &c) != WADI_OK) return;
    touch_chunk(c, stage->nparts, stage->parts);
    wadi_chunk_release(c);
}

static wadi_status take_answer(const uint8_t *data, size_t n, wadi_buffers *buffers,
                               wadi_answer *out) {
    return wadi_answer_read((wadi_state_reader){(const char *)data, n}, exe->plan, &travel, 1,
                            ELEMENTS, buffers, out, NULL);
}

static void read_answer(const uint8_t *data, size_t n, wadi_buffers *buffers) {
    wadi_answer a;
    if (take_answer(data, n, buffers, &a) == WADI_OK) {
        demand(a.count == ELEMENTS && a.bytes >= 0 && a.out != NULL, "another answer");
        demand(a.out->count == ELEMENTS, "another number of elements");
        touch_chunk(a.out, travel.n, travel.slot);
    }
    wadi_answer_fini(&a, 1);
}

/* ---- reports ---- */

static void demand_lines(const char *at) {
    for (size_t n; *at != '\0'; at += n + 1) {
        n = strcspn(at, "\n");
        demand(at[n] == '\n', "a line without an end");
        demand(strncmp(at, "worker ", 7) == 0 || wadi_certificate_is_kernel(at, n), "a line");
    }
}

/* What is told goes into a certificate, and into a saved state and back. */
static void certify(const wadi_kind *kind) {
    static wadi_certified_workers w, again;
    const wadi_certified_share share = {phase, 0, ELEMENTS};
    wadi_text lines = {0}, saved = {0}, same = {0};
    memset(&w, 0, sizeof w);
    memset(&again, 0, sizeof again);
    for (int i = 0; i < 2; i++)
        demand(wadi_certified_workers_add(&w, kind, share, NULL) == WADI_OK, "counted");
    wadi_certified_workers_put(&w, &lines);
    wadi_certified_workers_save(&w, &saved);
    wadi_state_reader back = {saved.at, saved.n};
    demand(wadi_certified_workers_load(&again, phase, &back, NULL) == WADI_OK && back.left == 0,
           "what was saved is read");
    wadi_certified_workers_put(&again, &same);
    demand(strcmp(wadi_text_str(&lines), wadi_text_str(&same)) == 0, "what was saved is another");
    demand_lines(wadi_text_str(&lines));
    wadi_text_fini(&lines);
    wadi_text_fini(&saved);
    wadi_text_fini(&same);
    wadi_certified_workers_fini(&w);
    wadi_certified_workers_fini(&again);
}

static long reports; /* that were taken */

static wadi_status take_told(const uint8_t *data, size_t n) {
    wadi_state_reader from = {(const char *)data, n};
    wadi_kinds kinds = {.bytes = 0};
    wadi_report r;
    wadi_error err = {.status = WADI_OK};
    const wadi_status status = wadi_report_take(&from, WADI_REPORTS_KINDS, &kinds, &r, &err);
    demand(strlen(r.worker) < sizeof r.worker, "a name without an end");
    if (status == WADI_OK) {
        reports++;
        demand(r.ns >= 0 && r.kind != NULL && kinds.told.n == 1, "a report");
        certify(r.kind);
    } else {
        demand(err.msg[0] != '\0', "refused without a word");
    }
    wadi_kinds_fini(&kinds);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    wadi_buffers *buffers = NULL;
    if (n == 0 || wadi_buffers_create(NULL, 1 << 20, &buffers, NULL) != WADI_OK) return 0;
    find_stage();
    if (data[0] % KINDS == CHARTER)
        read_charter(data + 1, n - 1, buffers);
    else if (data[0] % KINDS == ITEM)
        read_item(data + 1, n - 1, buffers);
    else if (data[0] % KINDS == ANSWER)
        read_answer(data + 1, n - 1, buffers);
    else
        (void)take_told(data + 1, n - 1);
    demand(wadi_buffers_used(buffers) == 0, "memory is left over");
    wadi_buffers_release(buffers);
    return 0;
}

#ifndef WADI_LIBFUZZER

static uint64_t rng_state = 1;

static size_t below(size_t n) {
    rng_state = rng_state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)((rng_state >> 33) % n);
}

static wadi_status put_program(void *self, wadi_text *out, wadi_error *err) {
    (void)self;
    (void)err;
    wadi_text_add(out, text);
    return WADI_OK;
}

static size_t take_text(wadi_text *t, uint8_t kind, uint8_t *out) {
    const size_t n = t->n;
    demand(!t->failed && n < MOST_BYTES, "too long");
    out[0] = kind;
    memcpy(out + 1, t->at, n);
    wadi_text_fini(t);
    return n + 1;
}

static size_t make_charter(uint8_t *out) {
    static double k[5] = {1, 2, 3, 4, 5};
    static int32_t pairs[6] = {1, 2, 3, 4, 5, 6};
    const wadi_loader loader = {.charter = put_program};
    const wadi_array of_k = {
        .rank = 1, .fields = 1, .shape = {5}, .type = {WADI_F64}, .column = {k}};
    const wadi_array of_pairs = {
        .rank = 2, .fields = 1, .shape = {3, 2}, .type = {WADI_I32}, .column = {pairs}};
    wadi_buffers *buffers = NULL;
    wadi_slots slots;
    wadi_text t = {0};
    demand(wadi_buffers_create(NULL, 0, &buffers, NULL) == WADI_OK, "buffers");
    demand(wadi_slots_init(&slots, exe->plan, buffers, NULL, NULL) == WADI_OK, "slots");
    for (int i = 0; i < exe->plan->ninputs; i++) {
        const int slot = exe->plan->inputs[i].slot;
        const bool wide = exe->plan->slots[slot].rank == 2;
        demand(wadi_slots_bind_array(&slots, slot, wide ? &of_pairs : &of_k, NULL) == WADI_OK,
               "bind");
        for (int f = 0; wide && f < WADI_MAX_FIELDS; f++)
            slots.slot[slot].col[f] = NULL; /* only its shape is left */
    }
    demand(wadi_charter_write(exe->plan, &loader, phase, &stretches, WADI_REPORTS_KINDS, &slots,
                              buffers, &t, NULL) == WADI_OK,
           "charter");
    wadi_slots_fini(&slots);
    wadi_buffers_release(buffers);
    return take_text(&t, CHARTER, out);
}

/* Elements of 0, 1, 2 values; an answer has a number for each as well. */
static size_t make_item(uint8_t kind, uint8_t *out) {
    const int n = kind == ANSWER ? travel.n : stage->nparts;
    const int *slots = kind == ANSWER ? travel.slot : stage->parts;
    wadi_buffers *buffers = NULL;
    wadi_chunk *c = NULL;
    wadi_text t = {0};
    demand(wadi_buffers_create(NULL, 0, &buffers, NULL) == WADI_OK, "buffers");
    demand(wadi_chunk_create(buffers, n, &c, NULL) == WADI_OK, "chunk");
    c->count = ELEMENTS;
    for (int i = 0; i < n; i++) {
        const wadi_plan_slot *p = &exe->plan->slots[slots[i]];
        wadi_chunk_component *to = &c->component[i];
        to->layout = p->kind == WADI_SLOT_IRREGULAR ? WADI_LAYOUT_IRREGULAR : WADI_LAYOUT_REGULAR;
        to->rank = p->rank;
        to->fields = p->fields;
        to->type[0] = p->type[0];
        to->values = ELEMENTS;
        to->column[0] = wadi_chunk_alloc(c, ELEMENTS * wadi_type_size(p->type[0]));
        memset(to->column[0], i, (size_t)(ELEMENTS * wadi_type_size(p->type[0])));
        if (to->layout == WADI_LAYOUT_REGULAR) continue;
        to->shapes = wadi_chunk_alloc(c, ELEMENTS * 8);
        to->offsets = wadi_chunk_alloc(c, (ELEMENTS + 1) * 8);
        for (int64_t s = 0; s <= ELEMENTS; s++) {
            to->offsets[s] = s * (s - 1) / 2;
            if (s < ELEMENTS) to->shapes[s] = s;
        }
    }
    const wadi_answer a = {ELEMENTS, 100, c};
    const wadi_known known = {.n = 2, .digest = {7, 8}};
    const wadi_status status = kind == ANSWER ? wadi_answer_write(&a, 1, &t, NULL)
                                              : wadi_item_write(0, &known, NULL, c, &t, NULL);
    demand(status == WADI_OK, "item");
    wadi_chunk_release(c);
    wadi_buffers_release(buffers);
    return take_text(&t, kind, out);
}

static void put_lines(void *self, wadi_text *out) {
    (void)self;
    wadi_text_add(out, "kernel a inside c native 01\nkernel b inside c native 02\nnone\n");
}

static size_t make_told(uint8_t *out) {
    wadi_run *x = NULL;
    wadi_text t = {0};
    wadi_reporter r;
    demand(wadi_run_create(exe, NULL, &x, NULL) == WADI_OK, "a run");
    x->loader = (wadi_loader){.kernels = put_lines};
    wadi_reporter_begin(x, WADI_REPORTS_KINDS, &r);
    wadi_reporter_put(&r, x, 5, &t);
    wadi_reporter_fini(&r);
    wadi_run_destroy(x);
    return take_text(&t, TOLD, out);
}

static void put_at(uint8_t *at, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> (8 * i));
}

/* Puts right the digest of the kind, its length and that of the report, and the check. */
static void mend_report(uint8_t *m, size_t n) {
    const size_t name = m[9], kind = 1 + 8 + 8 + name + 8 + 16, end = n - 8;
    if (kind < end && below(4) != 0) {
        put_at(m + kind - 16, wadi_hash_bytes(m + kind, end - kind) >> 2, 8);
        put_at(m + kind - 8, end - kind, 8);
    }
    put_at(m + 1, end - 9, 8);
    put_at(m + end, wadi_crc32c(0, m + 9, end - 9), 8);
}

static size_t mutate(uint8_t *m, size_t n) {
    static const uint64_t bold[] = {0,
                                    1,
                                    2,
                                    5,
                                    UINT64_MAX,
                                    UINT64_C(1) << 31,
                                    UINT64_C(1) << 32,
                                    (uint64_t)INT64_MAX,
                                    UINT64_C(1) << 61,
                                    UINT64_C(1) << 63};
    for (size_t i = 1 + below(3); i > 0 && n > 24; i--) {
        /* numbers stand behind the text, mostly at its distance from the end */
        const size_t words = (n - 9) / 8, last = words < 30 ? words : 30;
        const size_t at = below(3) == 0 ? 1 + below(n - 9) : n - 8 * (1 + below(last));
        switch (below(4)) {
        case 0:
            m[at] ^= (uint8_t)(1u << below(8));
            break;
        case 1:
        case 2:
            put_at(m + at, bold[below(sizeof bold / sizeof *bold)], 8);
            break;
        default:
            if (below(6) == 0) n = at + 1;
            break;
        }
    }
    if (m[0] == CHARTER && n > 9 && below(8) != 0)
        put_at(m + n - 8, wadi_crc32c(0, m + 1, n - 9), 8);
    if (m[0] == TOLD && n > 17 && below(8) != 0) mend_report(m, n);
    return n;
}

int main(void) {
    const char *asked = getenv("WADI_FUZZ_RUNS");
    const long runs = asked != NULL ? strtol(asked, NULL, 10) : 30000;
    static uint8_t sound[MOST_BYTES], mutant[MOST_BYTES];
    find_stage();
    for (uint8_t kind = CHARTER; kind < KINDS; kind++) {
        const size_t n = kind == CHARTER ? make_charter(sound)
                         : kind == TOLD  ? make_told(sound)
                                         : make_item(kind, sound);
        wadi_buffers *buffers = NULL;
        wadi_chunk *c = NULL;
        wadi_charter charter;
        demand(wadi_buffers_create(NULL, 0, &buffers, NULL) == WADI_OK, "buffers");
        wadi_answer answer = {.out = NULL};
        /* the sound one is one */
        const wadi_status status =
            kind == CHARTER ? wadi_charter_read(sound + 1, (int64_t)n - 1, &charter, NULL)
            : kind == ITEM  ? take_item(sound + 1, n - 1, buffers, &c)
            : kind == TOLD  ? take_told(sound + 1, n - 1)
                            : take_answer(sound + 1, n - 1, buffers, &answer);
        demand(status == WADI_OK, "read");
        wadi_answer_fini(&answer, 1);
        wadi_chunk_release(c);
        wadi_buffers_release(buffers);
        (void)LLVMFuzzerTestOneInput(sound, n);
        for (long i = 0; i < runs / KINDS; i++) {
            memcpy(mutant, sound, n);
            (void)LLVMFuzzerTestOneInput(mutant, mutate(mutant, n));
        }
    }
    demand(reports > runs / KINDS / 20, "hardly any mutant is a report");
    wadi_exe_destroy(exe);
    return 0;
}

#endif
