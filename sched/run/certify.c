/* Digests of what a run reads and delivers. */
#include "sched/run/certify.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/outfile.h"
#include "sched/run/digester.h"
#include "sched/run/certify_of.h"
#include "sched/run/certify_workers.h"

enum { SHARE = 16 /* of the memory, for elements that wait for their digest */ };

struct wadi_certifier {
    wadi_outfile *file;    /* NULL: none is written */
    wadi_certificate like; /* to be verified */
    bool verifies;
    wadi_text head; /* what the run is of */
    wadi_certified_workers workers;
    wadi_tally *blocks; /* [bindings] */
    wadi_digester
        *digester; /* makes the digests of sources; NULL where they are compared at once */
    size_t n;
};

/* ---- opening ---- */

static wadi_status take_cuts(const wadi_run *x, wadi_certifier *c, wadi_error *err) {
    for (size_t i = 0; i < c->n; i++) {
        const wadi_binding *b = &x->bindings.at[i];
        const char *what = b->sink != NULL ? "sink" : "source";
        int at = 0;
        const char *words = wadi_certificate_find(&c->like, what, b->name, &at);
        if (words == NULL)
            return wadi_fail(err, WADI_INVALID, "verify: %s is of a run without the %s \"%s\"",
                             c->like.path, what, b->name);
        WADI_TRY(wadi_certificate_take_blocks(&c->like, at, words, &c->blocks[i].like, err));
    }
    return WADI_OK;
}

/* A run that is compared has digests as the other one. */
static int version_of(const wadi_certifier *c) {
    return c->verifies ? c->like.version : WADI_CERTIFICATE_VERSION;
}

static wadi_status read_like(const wadi_run *x, wadi_certifier *c, wadi_error *err) {
    if (x->options.verify == NULL) return WADI_OK;
    WADI_TRY(wadi_certificate_read(x->options.verify, &c->like, err));
    c->verifies = true;
    return WADI_OK;
}

static wadi_status compare(const wadi_run *x, wadi_certifier *c, wadi_error *err) {
    if (!c->verifies) return WADI_OK;
    WADI_TRY(wadi_certify_compare(wadi_text_str(&c->head), &c->like, err));
    return take_cuts(x, c, err);
}

wadi_status wadi_certify_open(wadi_run *x, wadi_error *err) {
    const wadi_run_options *o = &x->options;
    if (o->certificate == NULL && o->verify == NULL) return WADI_OK;
    wadi_certifier *c = calloc(1, sizeof *c);
    if (c == NULL) return wadi_fail(err, WADI_MEMORY, "run: out of memory");
    x->certifier = c;
    c->n = x->bindings.n;
    c->blocks = calloc(c->n + 1, sizeof *c->blocks);
    if (c->blocks == NULL) return wadi_fail(err, WADI_MEMORY, "run: out of memory");
    WADI_TRY(read_like(x, c, err));
    for (size_t i = 0; i < c->n; i++) {
        c->blocks[i].one_lane = version_of(c) == 1;
        c->blocks[i].unordered = x->bindings.at[i].unordered != NULL;
    }
    WADI_TRY(wadi_certify_describe(x, c->verifies ? &c->like : NULL, &c->head, err));
    WADI_TRY(compare(x, c, err));
    if (!c->verifies) WADI_TRY(wadi_digester_create(o->memory / SHARE, &c->digester, err));
    return o->certificate != NULL ? wadi_outfile_open(o->certificate, NULL, &c->file, err)
                                  : WADI_OK;
}

/* ---- elements ---- */

static wadi_tally *blocks_of(const wadi_run *x, const wadi_binding *b) {
    return &x->certifier->blocks[b - x->bindings.at];
}

/* Block number `at` is not that of the certificate. */
static wadi_status fail_block(const wadi_run *x, const wadi_binding *b, size_t at,
                              wadi_error *err) {
    const wadi_tally_list *done = &blocks_of(x, b)->done;
    int64_t first = 0;
    if (b->unordered != NULL)
        return wadi_fail(err, WADI_INVALID, "verify: sink \"%s\": its elements are not those of %s",
                         b->name, x->certifier->like.path);
    for (size_t i = 0; i < at; i++) first += done->at[i].elements;
    return wadi_fail(err, WADI_INVALID,
                     "verify: %s \"%s\": elements %lld to %lld are not those of %s",
                     b->sink != NULL ? "sink" : "source", b->name, (long long)first,
                     (long long)(first + done->at[at].elements - 1), x->certifier->like.path);
}

/* Whether blocks from number `from` on are those of the certificate. A sink has no more of them. Of a source, more may be read than is needed, and
 * how much more depends on how the stream is cut. */
static wadi_status check_blocks(const wadi_run *x, const wadi_binding *b, size_t from,
                                wadi_error *err) {
    const wadi_tally *is = blocks_of(x, b);
    for (size_t i = from; i < is->done.n; i++) {
        const wadi_tally_block *told = i < is->like.n ? &is->like.at[i] : NULL,
                               *now = &is->done.at[i];
        if (told == NULL && b->sink == NULL) return WADI_OK;
        if (told == NULL || told->elements != now->elements ||
            memcmp(told->digest, now->digest, sizeof now->digest) != 0)
            return fail_block(x, b, i, err);
    }
    return WADI_OK;
}

/* The next elements of a source or a sink, at once. */
static wadi_status add(wadi_run *x, const wadi_binding *b, const wadi_chunk *c, wadi_error *err) {
    wadi_tally *t = blocks_of(x, b);
    const size_t before = t->done.n;
    WADI_TRY(wadi_tally_add(t, c, err));
    return x->certifier->verifies && !t->unordered ? check_blocks(x, b, before, err) : WADI_OK;
}

/* Waiting for the other thread is no computing, and no time of the chunk's. */
static void await_room(wadi_stream *s, const wadi_chunk *part) {
    wadi_digester *d = s->x->certifier->digester;
    const int64_t bytes = wadi_chunk_bytes(part);
    if (wadi_digester_has_room(d, bytes)) return;
    const int64_t begin_ns = wadi_clock_ns();
    wadi_meter_idle(&s->x->meter, WADI_STAGE_COMPUTE);
    wadi_account *before = wadi_profile_charge(WADI_PROFILE_SOURCE);
    wadi_digester_await_room(d, bytes);
    wadi_profile_back(before);
    wadi_meter_busy(&s->x->meter, WADI_STAGE_COMPUTE);
    s->held_ns += wadi_clock_ns() - begin_ns;
}

/* The next elements of a source, by the thread beside. */
static wadi_status add_later(wadi_stream *s, const wadi_binding *b, wadi_chunk *c,
                             wadi_error *err) {
    await_room(s, c);
    return wadi_digester_add(s->x->certifier->digester, blocks_of(s->x, b), c, err);
}

wadi_status wadi_certify_read(wadi_stream *s, const wadi_plan_stage *stage, wadi_chunk *c,
                              wadi_error *err) {
    int at = 0;
    for (int i = 0; i < stage->nsources; i++) {
        const wadi_plan_source *p = &stage->sources[i];
        int from[WADI_MAX_PARTS];
        wadi_chunk *part = NULL;
        for (int k = 0; k < p->nslots && k < WADI_MAX_PARTS; k++) from[k] = at + k;
        at += p->nslots;
        if (p->counter) continue;
        WADI_TRY(wadi_chunk_select(c, p->nslots, from, &part, err));
        const wadi_binding *b = wadi_run_find(s->x, p->name, false);
        const wadi_status status =
            wadi_certify_keeps(s->x) ? add_later(s, b, part, err) : add(s->x, b, part, err);
        wadi_chunk_release(part);
        WADI_TRY(status);
    }
    return WADI_OK;
}

bool wadi_certify_keeps(const wadi_run *x) {
    return x->certifier != NULL && x->certifier->digester != NULL;
}

wadi_status wadi_certify_delivered(wadi_run *x, const wadi_binding *sink, const wadi_chunk *c,
                                   wadi_error *err) {
    return add(x, sink, c, err);
}

bool wadi_certify_tells(const wadi_run *x) {
    return x->certifier != NULL && x->certifier->file != NULL;
}

wadi_status wadi_certify_worker(const wadi_stream *s, const wadi_kind *kind, int stage,
                                int64_t elements, wadi_error *err) {
    const wadi_certified_share share = {wadi_run_phase_of(s), stage, elements};
    return wadi_certified_workers_add(&s->x->certifier->workers, kind, share, err);
}

/* Until all that was read has its digest. */
static wadi_status settle(wadi_certifier *c, wadi_error *err) {
    return c->digester != NULL ? wadi_digester_settle(c->digester, err) : WADI_OK;
}

void wadi_certify_settle(wadi_run *x) {
    if (x->certifier != NULL) (void)settle(x->certifier, NULL);
}

void wadi_certify_again(wadi_run *x) {
    if (x->certifier == NULL) return;
    for (size_t i = 0; i < x->certifier->n; i++)
        if (x->bindings.at[i].sink == NULL) wadi_tally_again(&x->certifier->blocks[i]);
    if (x->certifier->digester != NULL) wadi_digester_again(x->certifier->digester);
}

/* ---- the end ---- */

static void digest_result(const wadi_run *x, int i, uint8_t out[WADI_TALLY_DIGEST]) {
    const wadi_array a = wadi_slots_array(&x->slots, x->plan->outputs[i].slot);
    wadi_tally_array(&a, version_of(x->certifier) == 1, out);
}

static int64_t count_like(const wadi_tally *t) {
    int64_t n = 0;
    for (size_t i = 0; i < t->like.n; i++) n += t->like.at[i].elements;
    return n;
}

/* How many a sink got, before they are compared. */
static wadi_status check_count(const wadi_run *x, const wadi_binding *b, wadi_error *err) {
    const wadi_tally *is = blocks_of(x, b);
    const int64_t want = count_like(is);
    if (b->sink == NULL || is->all_elements == want) return WADI_OK;
    return wadi_fail(err, WADI_INVALID, "verify: sink \"%s\" gets %lld elements, and in %s %lld",
                     b->name, (long long)is->all_elements, x->certifier->like.path,
                     (long long)want);
}

static wadi_status verify_streams(wadi_run *x, wadi_error *err) {
    const wadi_certifier *c = x->certifier;
    for (size_t i = 0; i < c->n; i++) {
        const wadi_binding *b = &x->bindings.at[i];
        WADI_TRY(check_count(x, b, err));
        if (b->sink == NULL) continue;
        const size_t before =
            c->blocks[i].unordered ? 0 : c->blocks[i].done.n; /* those were compared as they came */
        WADI_TRY(wadi_tally_cut(&c->blocks[i], err));
        WADI_TRY(check_blocks(x, b, before, err));
    }
    return WADI_OK;
}

/* Other versions of wadi make other kernels with the same bits, so these are told, and are no failure. */
static void compare_kernels(const wadi_run *x) {
    const wadi_certificate *like = &x->certifier->like;
    const char *who = "the run";
    for (int i = 0; i < like->n; i++) {
        const char *line = like->line[i];
        wadi_text made = {0};
        if (strncmp(line, "worker ", 7) == 0) who = "a worker";
        if (x->loader.kernel != NULL && strncmp(line, "kernel ", 7) == 0 &&
            x->loader.kernel(x->loader.self, line, &made) &&
            strcmp(wadi_text_str(&made), line) != 0)
            wadi_logf(WADI_LOG_WARNING,
                      "verify: %s had other kernels than this wadi makes: %.*s (%s)", who,
                      (int)(strrchr(line, ' ') - line - 7), line + 7, like->path);
        wadi_text_fini(&made);
    }
}

static wadi_status verify(wadi_run *x, wadi_error *err) {
    const wadi_certifier *c = x->certifier;
    compare_kernels(x);
    WADI_TRY(verify_streams(x, err));
    for (int i = 0; i < x->plan->noutputs; i++) {
        const char *name = x->plan->outputs[i].name;
        uint8_t digest[WADI_TALLY_DIGEST];
        char digits[2 * WADI_TALLY_DIGEST + 1];
        int at = 0;
        digest_result(x, i, digest);
        wadi_hex(digest, sizeof digest, digits);
        const char *told = wadi_certificate_find(&c->like, "result", name, &at);
        if (told == NULL || strcmp(told, digits) != 0)
            return wadi_fail(err, WADI_INVALID, "verify: result \"%s\" is not that of %s", name,
                             c->like.path);
    }
    return WADI_OK;
}

static void put_notes(const wadi_run *x, wadi_text *out) {
    const char *const *note = x->options.certificate_notes;
    for (; note != NULL && *note != NULL; note++) {
        wadi_text_add(out, "note ");
        wadi_certificate_name(out, *note);
        wadi_text_add(out, "\n");
    }
}

static wadi_status put_streams(const wadi_run *x, wadi_text *out, wadi_error *err) {
    for (size_t i = 0; i < x->certifier->n; i++) {
        const wadi_binding *b = &x->bindings.at[i];
        wadi_tally *blocks = &x->certifier->blocks[i];
        WADI_TRY(wadi_tally_cut(blocks, err));
        wadi_text_add(out, b->sink != NULL ? "sink " : "source ");
        wadi_certificate_name(out, b->name);
        wadi_text_addf(out, " %lld ", (long long)blocks->all_elements);
        wadi_certificate_name(out, b->sink != NULL ? b->sink->kind : b->source->kind);
        wadi_text_add(out, b->unordered != NULL ? " unordered\n" : "\n");
        wadi_certificate_blocks(out, &blocks->done);
    }
    return WADI_OK;
}

static wadi_status write(wadi_run *x, wadi_error *err) {
    wadi_certifier *c = x->certifier;
    wadi_text t = {0};
    wadi_certificate_begin(&t, version_of(c));
    wadi_text_add(&t, "version " WADI_VERSION "\n");
    wadi_text_add_n(&t, c->head.at, c->head.n);
    wadi_text_add(&t, "device ");
    wadi_certificate_name(&t, x->chosen.name);
    wadi_text_add(&t, "\n");
    put_notes(x, &t);
    if (x->loader.kernels != NULL) x->loader.kernels(x->loader.self, &t);
    wadi_certified_workers_put(&c->workers, &t);
    if (c->workers.lacks)
        wadi_logf(WADI_LOG_WARNING,
                  "the certificate %s lacks kernels of workers: they told of more than there is "
                  "room for",
                  x->options.certificate);
    wadi_status status = put_streams(x, &t, err);
    for (int i = 0; i < x->plan->noutputs; i++) {
        uint8_t digest[WADI_TALLY_DIGEST];
        digest_result(x, i, digest);
        wadi_certificate_fact(&t, "result", x->plan->outputs[i].name, digest);
    }
    if (status == WADI_OK) status = wadi_certificate_end(&t, err);
    if (status == WADI_OK) status = wadi_outfile_write(c->file, t.at, t.n, err);
    wadi_text_fini(&t);
    return status == WADI_OK ? wadi_outfile_flush(c->file, err) : status;
}

wadi_status wadi_certify_release(wadi_run *x, wadi_error *err) {
    wadi_certifier *c = x->certifier;
    if (c == NULL || c->file == NULL) return WADI_OK;
    return wadi_outfile_finish(&c->file, x->options.state != NULL, err);
}

wadi_status wadi_certify_close(wadi_run *x, wadi_error *err) {
    wadi_certifier *c = x->certifier;
    if (c == NULL) return WADI_OK;
    WADI_TRY(settle(c, err));
    if (c->verifies) WADI_TRY(verify(x, err));
    return c->file != NULL ? write(x, err) : WADI_OK;
}

void wadi_certify_destroy(wadi_run *x) {
    wadi_certifier *c = x->certifier;
    if (c == NULL) return;
    wadi_outfile_give_up(&c->file);
    wadi_digester_destroy(c->digester);
    for (size_t i = 0; c->blocks != NULL && i < c->n; i++) wadi_tally_fini(&c->blocks[i]);
    free(c->blocks);
    wadi_certificate_fini(&c->like);
    wadi_certified_workers_fini(&c->workers);
    wadi_text_fini(&c->head);
    free(c);
    x->certifier = NULL;
}

/* ---- saving ---- */

wadi_status wadi_certify_save(wadi_run *x, wadi_text *out, wadi_error *err) {
    wadi_certifier *c = x->certifier;
    if (c == NULL) return WADI_OK;
    WADI_TRY(settle(c, err));
    for (size_t i = 0; i < c->n; i++) {
        wadi_tally *b = &c->blocks[i];
        WADI_TRY(wadi_tally_cut(b, err));
        wadi_state_put(out, b->all_elements);
        wadi_state_put(out, b->all_bytes);
        wadi_state_put(out, (int64_t)b->done.n);
        wadi_text_add_n(out, (const char *)b->done.at, b->done.n * sizeof *b->done.at);
    }
    wadi_certified_workers_save(&c->workers, out);
    return WADI_OK;
}

wadi_status wadi_certify_load(const wadi_stream *s, wadi_state_reader *from, wadi_error *err) {
    wadi_certifier *c = s->x->certifier;
    for (size_t i = 0; c != NULL && i < c->n; i++) {
        wadi_tally *b = &c->blocks[i];
        const bool is_new =
            b->all_elements == 0; /* else a stream before the saved one has had it */
        int64_t elements = 0, bytes = 0, blocks = 0;
        WADI_TRY(wadi_state_take_count(from, WADI_STATE_ELEMENTS, &elements, err));
        WADI_TRY(wadi_state_take_count(from, INT64_MAX, &bytes, err));
        WADI_TRY(
            wadi_state_take_count(from, (int64_t)(from->left / sizeof *b->done.at), &blocks, err));
        for (int64_t k = 0; k < blocks; k++) {
            wadi_tally_block block;
            memcpy(&block, from->at, sizeof block);
            from->at += sizeof block;
            from->left -= sizeof block;
            if (is_new && !wadi_vec_push(&b->done, block))
                return wadi_fail(err, WADI_MEMORY, "certificate: out of memory");
        }
        if (!is_new) continue;
        b->all_elements = elements;
        b->all_bytes = bytes;
    }
    return c != NULL ? wadi_certified_workers_load(&c->workers, wadi_run_phase_of(s), from, err)
                     : WADI_OK;
}
