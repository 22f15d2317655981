/* Folds and collectors that are saved between two chunks and loaded elsewhere go on with the same bits. Bytes that are no saved state
 * are refused. changes_test.c tests how changes are saved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "sched/builder.h"
#include "sched/change/change.h"
#include "sched/run/state.h"
#include "tests/sched/hand_plan.h"

/* ---- folds: i64 state, state * 3 + extent of the element ---- */

static hand_program hand;

static wadi_run *begin(void) {
    const wadi_loader loader = hand_loader(&hand);
    const wadi_run_options options = {.threads = 1};
    wadi_run *x = NULL;
    wadi_error err = {.status = WADI_OK};
    if (wadi_run_create_for(&hand.plan, &loader, &options, &x, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(wadi_slots_bind_array(&x->slots, hand.end[0].fold.init[0], &hand.init, NULL),
                     WADI_OK);
    assert_int_equal(wadi_fold_begin(&x->crew, &hand.end[0].fold, NULL), WADI_OK);
    return x;
}

/* Elements [first, first + count) are i32[i % 5]. */
static void feed(wadi_run *x, int64_t first, int64_t count) {
    const wadi_part part = wadi_part_irregular(WADI_I32, 1);
    wadi_builder b;
    wadi_chunk *c = NULL;
    int64_t done = 0;
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(wadi_builder_init(&b, x->buffers, 1, &part, INT64_MAX, NULL), WADI_OK);
    for (int64_t i = 0; i < count; i++) {
        const int64_t n = (first + i) % 5;
        wadi_array a;
        assert_int_equal(wadi_builder_array(&b, 0, &n, &a, NULL), WADI_OK);
        for (int64_t k = 0; k < n; k++) ((int32_t *)a.column[0])[k] = 7;
        assert_int_equal(wadi_builder_next(&b, NULL), WADI_OK);
    }
    assert_int_equal(wadi_chunk_create(x->buffers, 1, &c, NULL), WADI_OK);
    c->first = first;
    c->count = count;
    wadi_builder_finish(&b, c, 0, count);
    wadi_builder_fini(&b);
    if (wadi_fold_elements(&x->crew, &hand.end[0].fold, c, NULL, NULL, &done, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(done, count);
    wadi_chunk_release(c);
}

static int64_t state_of(const wadi_run *x) {
    return wadi_slots_number(&x->slots, hand.end[0].fold.state_in[0]);
}

/* Forty elements in chunks of 1, 2, .., saved and loaded behind the chunk number `at` of them. */
static int64_t folded(int at) {
    wadi_run *x = begin();
    int64_t first = 0;
    for (int k = 0; first < 40; k++) {
        const int64_t n = k + 1 < 40 - first ? k + 1 : 40 - first;
        feed(x, first, n);
        first += n;
        if (k != at) continue;
        wadi_text kept;
        wadi_error err = {.status = WADI_OK};
        wadi_text_init(&kept);
        assert_int_equal(wadi_fold_save(&x->crew, &hand.end[0].fold, &kept, NULL), WADI_OK);
        wadi_run_destroy(x);
        x = begin();
        wadi_state_reader r = {kept.at, kept.n};
        if (wadi_fold_load(&x->crew, &hand.end[0].fold, &r, &err) != WADI_OK)
            fail_msg("%s", err.msg);
        assert_int_equal(r.left, 0);
        wadi_text_fini(&kept);
    }
    const int64_t state = state_of(x);
    wadi_run_destroy(x);
    return state;
}

static void a_fold_goes_on_where_it_was_saved(void **unused) {
    (void)unused;
    hand_doubling(&hand, WADI_END_FOLD);
    uint64_t want = 1;
    for (uint64_t i = 0; i < 40; i++) want = want * 3 + i % 5;
    assert_true(folded(-1) == (int64_t)want);
    for (int at = 0; at < 9; at++) assert_true(folded(at) == (int64_t)want);
}

/* ---- arrays of several types, one that changes in place ---- */

typedef struct arrays {
    wadi_plan plan;
    wadi_plan_slot slot[4];
    wadi_plan_fold fold;
    wadi_run run; /* its slots and buffers alone */
} arrays;

static const int ins[] = {2, 3}, outs[] = {2, 1}, inits[] = {0, 1};

static void open_arrays(arrays *a) {
    *a = (arrays){.fold = {.nstate = 2, .init = inits, .state_in = ins, .state_out = outs}};
    for (int i = 0; i < 4; i++)
        a->slot[i] = i % 2 == 0 ? (wadi_plan_slot){.name = "table",
                                                   .rank = 2,
                                                   .fields = 2,
                                                   .type = {WADI_F64, WADI_U8}}
                                : (wadi_plan_slot){.rank = 0, .fields = 1, .type = {WADI_C64}};
    a->plan = (wadi_plan){.nslots = 4, .slots = a->slot};
    a->run.plan = &a->plan;
    a->run.crew.slots = &a->run.slots;
    assert_int_equal(wadi_buffers_create(NULL, 1 << 20, &a->run.buffers, NULL), WADI_OK);
    assert_int_equal(wadi_slots_init(&a->run.slots, &a->plan, a->run.buffers, NULL, NULL), WADI_OK);
}

static void begin_arrays(arrays *a, double *numbers, uint8_t *bytes, float *complex, int64_t rows) {
    const wadi_array table = {.rank = 2,
                              .fields = 2,
                              .shape = {rows, 2},
                              .type = {WADI_F64, WADI_U8},
                              .column = {numbers, bytes}};
    const wadi_array one = {.fields = 1, .type = {WADI_C64}, .column = {complex}};
    assert_int_equal(wadi_slots_bind_array(&a->run.slots, 0, &table, NULL), WADI_OK);
    assert_int_equal(wadi_slots_bind_array(&a->run.slots, 1, &one, NULL), WADI_OK);
    assert_int_equal(wadi_fold_begin(&a->run.crew, &a->fold, NULL), WADI_OK);
}

static void close_arrays(arrays *a) {
    wadi_slots_fini(&a->run.slots);
    assert_int_equal(wadi_buffers_used(a->run.buffers), 0);
    wadi_buffers_release(a->run.buffers);
}

static double numbers[] = {0.1, -0.0, 3, 4, 5, 6}, zeros[2];
static uint8_t bytes_of[] = {1, 2, 3, 4, 5, 255}, no_bytes[2];
static float number[] = {1.5f, -2}, no_number[2];

static void all_arrays_of_a_state_come_back(void **unused) {
    (void)unused;
    for (int64_t rows = 0; rows <= 3; rows++) {
        arrays a, b;
        wadi_text kept;
        wadi_text_init(&kept);
        open_arrays(&a);
        open_arrays(&b);
        begin_arrays(&a, numbers, bytes_of, number, rows);
        begin_arrays(&b, zeros, no_bytes, no_number, 1);
        assert_int_equal(wadi_fold_save(&a.run.crew, &a.fold, &kept, NULL), WADI_OK);
        wadi_state_reader r = {kept.at, kept.n};
        wadi_error err = {.status = WADI_OK};
        if (wadi_fold_load(&b.run.crew, &b.fold, &r, &err) != WADI_OK) fail_msg("%s", err.msg);
        const wadi_array table = wadi_slots_array(&b.run.slots, 2);
        const wadi_array one = wadi_slots_array(&b.run.slots, 3);
        assert_int_equal(table.shape[0], rows);
        assert_int_equal(table.shape[1], 2);
        if (rows > 0) assert_memory_equal(table.column[0], numbers, (size_t)rows * 16);
        if (rows > 0) assert_memory_equal(table.column[1], bytes_of, (size_t)rows * 2);
        assert_memory_equal(one.column[0], number, sizeof number);
        assert_true(zeros[0] == 0); /* what the fold began with is not written on */
        wadi_text_fini(&kept);
        close_arrays(&a);
        close_arrays(&b);
    }
}

static void a_state_of_other_arrays_is_refused(void **unused) {
    (void)unused;
    arrays a, b;
    wadi_text kept;
    wadi_text_init(&kept);
    open_arrays(&a);
    begin_arrays(&a, numbers, bytes_of, number, 3);
    assert_int_equal(wadi_fold_save(&a.run.crew, &a.fold, &kept, NULL), WADI_OK);
    for (int other = 0; other < 4; other++) {
        wadi_error err = {.status = WADI_OK};
        open_arrays(&b);
        begin_arrays(&b, numbers, bytes_of, number, 3);
        if (other == 0) b.slot[2].type[1] = WADI_I8;
        if (other == 1) b.slot[2].rank = 1;
        if (other == 2) b.slot[3].fields = 2;
        if (other == 3) b.fold.nstate = 1;
        wadi_state_reader r = {kept.at, kept.n};
        assert_int_equal(wadi_fold_load(&b.run.crew, &b.fold, &r, &err), WADI_INVALID);
        assert_non_null(strstr(err.msg, "saved state: "));
        b.slot[3].fields = 1;
        close_arrays(&b);
    }
    wadi_text_fini(&kept);
    close_arrays(&a);
}

/* ---- collectors: element i is f64, u8[2, m], where m is 3 for tabulate and i % 4 for the others ---- */

typedef struct gathered {
    wadi_plan plan;
    wadi_plan_slot slot[3];
    wadi_plan_place place;
    wadi_plan_stage stage;
    wadi_plan_end end;
    wadi_run run; /* its slots and buffers alone */
} gathered;

static const wadi_end_kind collecting[] = {WADI_END_ELEMENTS, WADI_END_TABULATE,
                                           WADI_END_TABULATE_MIN, WADI_END_FROM_SEQ};

static void open_gathered(gathered *g, wadi_end_kind kind) {
    static const int results[] = {0}, from[] = {0}, into[] = {2, 1}, both[] = {1, 2};
    const bool apart = kind == WADI_END_ELEMENTS || kind == WADI_END_FROM_SEQ;
    *g = (gathered){.stage = {.results = results, .nresults = 1},
                    .end = {.kind = kind, .nfrom = 1, .from = from, .into = into}};
    if (kind == WADI_END_FROM_SEQ) g->end.into = both;
    g->slot[0] = (wadi_plan_slot){.rank = 2, .fields = 2, .type = {WADI_F64, WADI_U8}};
    g->slot[1] = (wadi_plan_slot){.rank = 2, .fields = 1, .type = {WADI_I64}};
    g->slot[2] = (wadi_plan_slot){.rank = apart ? 1 : 3, .fields = 2, .type = {WADI_F64, WADI_U8}};
    g->plan = (wadi_plan){.nslots = 3, .slots = g->slot, .nplaces = 1, .places = &g->place};
    g->run.plan = &g->plan;
    assert_int_equal(wadi_buffers_create(NULL, 1 << 20, &g->run.buffers, NULL), WADI_OK);
    assert_int_equal(wadi_slots_init(&g->run.slots, &g->plan, g->run.buffers, NULL, NULL), WADI_OK);
}

static void close_gathered(gathered *g) {
    wadi_slots_fini(&g->run.slots);
    assert_int_equal(wadi_buffers_used(g->run.buffers), 0);
    wadi_buffers_release(g->run.buffers);
}

static wadi_sink *collector_of(gathered *g) {
    wadi_sink *sink = NULL;
    assert_int_equal(wadi_collect_create(&g->run, &g->stage, &g->end, &sink, NULL), WADI_OK);
    return sink;
}

static void collect_some(gathered *g, wadi_sink *sink, int64_t first, int64_t count) {
    const wadi_part part = {.rank = 2, .fields = 2, .type = {WADI_F64, WADI_U8}};
    wadi_builder b;
    wadi_chunk *c = NULL;
    assert_int_equal(wadi_builder_init(&b, g->run.buffers, 1, &part, INT64_MAX, NULL), WADI_OK);
    for (int64_t i = first; i < first + count; i++) {
        const int64_t shape[2] = {2, g->end.kind == WADI_END_TABULATE ? 3 : i % 4};
        wadi_array a;
        assert_int_equal(wadi_builder_array(&b, 0, shape, &a, NULL), WADI_OK);
        for (int64_t k = 0; k < 2 * shape[1]; k++) {
            ((double *)a.column[0])[k] = 0.1 * (double)i + (double)k;
            ((uint8_t *)a.column[1])[k] = (uint8_t)(16 * i + k);
        }
        assert_int_equal(wadi_builder_next(&b, NULL), WADI_OK);
    }
    assert_int_equal(wadi_chunk_create(g->run.buffers, 1, &c, NULL), WADI_OK);
    c->first = first;
    c->count = count;
    wadi_builder_finish(&b, c, 0, count);
    wadi_builder_fini(&b);
    assert_int_equal(sink->ops->put(sink, c, NULL), WADI_OK);
    wadi_chunk_release(c);
}

static wadi_status load_collected(gathered *g, const char *at, size_t n, wadi_sink **out) {
    wadi_error err = {.msg = ""};
    wadi_state_reader r = {at, n};
    *out = collector_of(g);
    const wadi_status status = wadi_collect_load(*out, &r, &err);
    assert_true((status == WADI_OK) == (err.msg[0] == '\0'));
    assert_true(status != WADI_OK || r.left == 0);
    return status;
}

/* Twelve elements in chunks of three, saved and loaded behind `at` chunks; the results stay in g. */
static void gather(gathered *g, wadi_end_kind kind, int at) {
    open_gathered(g, kind);
    wadi_sink *sink = collector_of(g);
    for (int k = 0; k <= 4; k++) {
        if (k == at) {
            wadi_text kept;
            wadi_text_init(&kept);
            assert_int_equal(wadi_collect_save(sink, &kept, NULL), WADI_OK);
            wadi_sink_destroy(sink);
            assert_int_equal(load_collected(g, kept.at, kept.n, &sink), WADI_OK);
            wadi_text_fini(&kept);
        }
        if (k < 4) collect_some(g, sink, 3 * k, 3);
    }
    assert_int_equal(wadi_collect_store(sink, &g->run, NULL), WADI_OK);
    wadi_sink_destroy(sink);
}

static void assert_same_slot(const gathered *a, const gathered *b, int slot) {
    const wadi_array x = wadi_slots_array(&a->run.slots, slot);
    const wadi_array y = wadi_slots_array(&b->run.slots, slot);
    const int64_t values = wadi_shape_values(x.rank, x.shape);
    for (int d = 0; d < x.rank; d++) assert_int_equal(x.shape[d], y.shape[d]);
    for (int f = 0; f < x.fields && values > 0; f++)
        assert_memory_equal(x.column[f], y.column[f], (size_t)(values * wadi_type_size(x.type[f])));
}

static void a_collector_goes_on_where_it_was_saved(void **unused) {
    (void)unused;
    for (int k = 0; k < 4; k++)
        for (int at = 0; at <= 4; at++) {
            gathered whole, cut;
            gather(&whole, collecting[k], -1);
            gather(&cut, collecting[k], at);
            assert_same_slot(&whole, &cut, 2);
            if (collecting[k] == WADI_END_FROM_SEQ) assert_same_slot(&whole, &cut, 1);
            close_gathered(&whole);
            close_gathered(&cut);
        }
}

/* The numbers before the chunks have no checksum: with any of them wrong the collector is refused, or collects on within its memory. */
static void what_no_collector_has_saved_is_refused(void **unused) {
    (void)unused;
    for (int k = 0; k < 4; k++) {
        gathered g;
        wadi_text kept;
        wadi_text_init(&kept);
        open_gathered(&g, collecting[k]);
        wadi_sink *sink = collector_of(&g);
        collect_some(&g, sink, 1, 5);
        assert_int_equal(wadi_collect_save(sink, &kept, NULL), WADI_OK);
        wadi_sink_destroy(sink);
        g.end.kind = collecting[(k + 1) % 4];
        assert_int_equal(load_collected(&g, kept.at, kept.n, &sink), WADI_INVALID);
        wadi_sink_destroy(sink);
        g.end.kind = collecting[k];
        g.slot[2].type[1] = WADI_I8;
        assert_int_equal(load_collected(&g, kept.at, kept.n, &sink), WADI_INVALID);
        wadi_sink_destroy(sink);
        g.slot[2].type[1] = WADI_U8;
        for (size_t n = 0; n < kept.n; n++) { /* in memory of its own: nothing stands behind it */
            char *part = malloc(n + 1);
            memcpy(part, kept.at, n);
            assert_int_not_equal(load_collected(&g, n > 0 ? part : NULL, n, &sink), WADI_OK);
            wadi_sink_destroy(sink);
            free(part);
        }
        for (size_t i = 0; i < 8 * kept.n; i++) {
            kept.at[i / 8] ^= (char)(1 << (i % 8));
            if (load_collected(&g, kept.at, kept.n, &sink) == WADI_OK) {
                const bool fits = collecting[k] != WADI_END_TABULATE;
                if (fits) collect_some(&g, sink, 6, 2);
                assert_int_equal(wadi_collect_store(sink, &g.run, NULL), WADI_OK);
            }
            wadi_sink_destroy(sink);
            kept.at[i / 8] ^= (char)(1 << (i % 8));
        }
        wadi_text_fini(&kept);
        close_gathered(&g);
    }
}

/* ---- bytes that are no saved state ---- */

static wadi_change *windows_of(wadi_buffers *buffers, wadi_change_kind kind, int64_t size) {
    const wadi_change_options o = {
        .kind = kind, .inputs = 1, .size = size, .hop = 2, .buffers = buffers};
    wadi_change *c = NULL;
    assert_int_equal(wadi_change_create(&o, &c, NULL), WADI_OK);
    return c;
}

/* Eleven numbers through the change. */
static void put_numbers(wadi_buffers *buffers, wadi_change *c) {
    wadi_chunk *chunk = NULL;
    assert_int_equal(wadi_chunk_create(buffers, 1, &chunk, NULL), WADI_OK);
    double *column = wadi_chunk_alloc(chunk, 11 * (int64_t)sizeof *column);
    for (int i = 0; i < 11; i++) column[i] = i;
    chunk->count = 11;
    chunk->component[0] = (wadi_chunk_component){.layout = WADI_LAYOUT_REGULAR,
                                                 .fields = 1,
                                                 .type = {WADI_F64},
                                                 .values = 11,
                                                 .column = {column}};
    assert_int_equal(wadi_change_put(c, 0, chunk, NULL), WADI_OK);
    wadi_chunk_release(chunk);
}

/* What it makes of what comes next: anything, but no harm. */
static void go_on(wadi_buffers *buffers, wadi_change *c) {
    wadi_chunk *out = NULL;
    put_numbers(buffers, c);
    assert_int_not_equal(wadi_change_end(c, 0, NULL), WADI_INVALID);
    while (wadi_change_next(c, INT64_MAX, &out, NULL) == WADI_OK && out != NULL)
        wadi_chunk_release(out);
}

static wadi_status load_bytes(wadi_buffers *buffers, wadi_change_kind kind, int64_t size,
                              const char *at, size_t n) {
    wadi_change *c = windows_of(buffers, kind, size);
    wadi_error err = {.msg = ""};
    wadi_state_reader r = {at, n};
    const wadi_status status = wadi_change_load(c, &r, &err);
    assert_true((status == WADI_OK) == (err.msg[0] == '\0'));
    if (status == WADI_OK) go_on(buffers, c);
    wadi_change_destroy(c);
    return status;
}

/* One element, an array of n zeros. */
static void put_array(wadi_buffers *buffers, wadi_text *out, int64_t n) {
    wadi_chunk *chunk = NULL;
    assert_int_equal(wadi_chunk_create(buffers, 1, &chunk, NULL), WADI_OK);
    double *column = wadi_chunk_alloc(chunk, n * (int64_t)sizeof *column);
    memset(column, 0, (size_t)n * sizeof *column);
    chunk->count = 1;
    chunk->component[0] = (wadi_chunk_component){.layout = WADI_LAYOUT_REGULAR,
                                                 .rank = 1,
                                                 .shape = {n},
                                                 .fields = 1,
                                                 .type = {WADI_F64},
                                                 .values = n,
                                                 .column = {column}};
    assert_int_equal(wadi_state_put_chunk(out, chunk, NULL), WADI_OK);
    wadi_chunk_release(chunk);
}

/* Sound chunks, which have not waited for one batch. */
static void a_batch_of_several_shapes_is_refused(void **unused) {
    (void)unused;
    for (int64_t n = 4; n <= 5; n++) {
        static const int64_t words[] = {1, 4, 0, 2, 0, 0, 0, 0, 0, 2};
        wadi_buffers *b = NULL;
        wadi_text kept;
        wadi_text_init(&kept);
        assert_int_equal(wadi_buffers_create(NULL, 1 << 20, &b, NULL), WADI_OK);
        wadi_state_put_text(&kept, "batch");
        for (int i = 0; i < 10; i++) wadi_state_put(&kept, words[i]);
        put_array(b, &kept, 5);
        put_array(b, &kept, n);
        wadi_change *c = windows_of(b, WADI_CHANGE_BATCH, 4);
        wadi_state_reader r = {kept.at, kept.n};
        assert_int_equal(wadi_change_load(c, &r, NULL), n == 5 ? WADI_OK : WADI_INVALID);
        if (n == 5) assert_int_equal(wadi_change_end(c, 0, NULL), WADI_OK);
        wadi_change_destroy(c);
        wadi_text_fini(&kept);
        wadi_buffers_release(b);
    }
}

static void other_bytes_are_refused(void **unused) {
    (void)unused;
    static const wadi_change_kind kinds[] = {WADI_CHANGE_WINDOWS, WADI_CHANGE_BATCH,
                                             WADI_CHANGE_TAKE,    WADI_CHANGE_DROP,
                                             WADI_CHANGE_PICK,    WADI_CHANGE_ZIP};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    for (int k = 0; k < KINDS; k++) {
        wadi_buffers *b = NULL;
        wadi_text kept;
        wadi_text_init(&kept);
        assert_int_equal(wadi_buffers_create(NULL, 1 << 20, &b, NULL), WADI_OK);
        wadi_change *c = windows_of(b, kinds[k], 4);
        put_numbers(b, c);
        assert_int_equal(wadi_change_save(c, &kept, NULL), WADI_OK);
        wadi_change_destroy(c);
        assert_int_equal(load_bytes(b, kinds[k], 4, kept.at, kept.n), WADI_OK);
        assert_int_equal(load_bytes(b, kinds[k], 5, kept.at, kept.n), WADI_INVALID);
        assert_int_equal(load_bytes(b, kinds[(k + 1) % KINDS], 4, kept.at, kept.n), WADI_INVALID);
        for (size_t n = 0; n < kept.n; n++) { /* in memory of its own: nothing stands behind it */
            char *part = malloc(n + 1);
            memcpy(part, kept.at, n);
            assert_int_not_equal(load_bytes(b, kinds[k], 4, n > 0 ? part : NULL, n), WADI_OK);
            free(part);
        }
        for (size_t i = 0; i < kept.n; i++) { /* any bit of it; some numbers may be others */
            kept.at[i] ^= (char)(1 << (i % 8));
            (void)!load_bytes(b, kinds[k], 4, kept.at, kept.n);
            kept.at[i] ^= (char)(1 << (i % 8));
        }
        for (size_t i = 0; i + 8 <= kept.n; i++) { /* the largest number instead of any */
            char was[8];
            memcpy(was, kept.at + i, 8);
            memcpy(kept.at + i, "\377\377\377\377\377\377\377\177", 8);
            (void)!load_bytes(b, kinds[k], 4, kept.at, kept.n);
            memcpy(kept.at + i, was, 8);
        }
        wadi_text_fini(&kept);
        assert_int_equal(wadi_buffers_used(b), 0);
        wadi_buffers_release(b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fold_goes_on_where_it_was_saved),
        cmocka_unit_test(all_arrays_of_a_state_come_back),
        cmocka_unit_test(a_state_of_other_arrays_is_refused),
        cmocka_unit_test(a_collector_goes_on_where_it_was_saved),
        cmocka_unit_test(what_no_collector_has_saved_is_refused),
        cmocka_unit_test(other_bytes_are_refused),
        cmocka_unit_test(a_batch_of_several_shapes_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
