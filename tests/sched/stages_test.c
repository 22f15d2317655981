/* Stages working together: chunks under way, zipped sources, and a standstill, which the message explains. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/log.h"
#include "base/thread.h"
#include "sched/run.h"
#include "sched/stream.h"
#include "tests/sched/stepped_clock.h"

/* ---- a plan without kernels: components of up to two sources go to a sink ---- */

typedef struct passing {
    wadi_plan plan;
    wadi_plan_slot slot[2];
    wadi_plan_source source[2];
    wadi_plan_stage stage;
    wadi_plan_end end;
    wadi_plan_phase phase;
} passing;

static const int slots[] = {0, 1};

static wadi_status load_nothing(void *self, const wadi_plan *plan, int body,
                                wadi_version_key version, wadi_plan_code *out, wadi_error *err) {
    (void)self;
    (void)plan;
    (void)body;
    (void)version;
    (void)out;
    (void)err;
    return WADI_INTERNAL;
}

static const wadi_loader no_loader = {.load = load_nothing};

static void make_passing(passing *p, int sources) {
    memset(p, 0, sizeof *p);
    for (int i = 0; i < sources; i++) {
        p->slot[i] = (wadi_plan_slot){
            .name = "x", .kind = WADI_SLOT_IRREGULAR, .rank = 0, .fields = 1, .type = {WADI_I64}};
        p->source[i] =
            (wadi_plan_source){.name = i == 0 ? "a" : "b", .nslots = 1, .slots = &slots[i]};
    }
    p->phase.is_stream = true;
    p->stage = (wadi_plan_stage){.change = WADI_CHANGE_READ,
                                 .nsources = sources,
                                 .sources = p->source,
                                 .nparts = sources,
                                 .parts = slots,
                                 .size = -1,
                                 .first = -1,
                                 .hop = -1,
                                 .body = -1,
                                 .nresults = sources,
                                 .results = slots};
    p->end = (wadi_plan_end){.kind = WADI_END_SINK, .nfrom = sources, .from = slots, .name = "out"};
    p->phase.stream =
        (wadi_plan_stream){.nstages = 1, .stages = &p->stage, .nends = 1, .ends = &p->end};
    p->plan =
        (wadi_plan){.name = "p", .nslots = 2, .slots = p->slot, .nphases = 1, .phases = &p->phase};
}

/* ---- a source that counts, and may wait for permission at one element ---- */

typedef struct counting {
    wadi_source base;
    int64_t next, n, step;
    int64_t hold_at; /* waits for `go` there; -1: nowhere */
    atomic_llong made;
    wadi_mutex lock;
    wadi_condition changed;
    bool go;
} counting;

static void counting_destroy(wadi_source *self) {
    (void)self;
}

static void counting_wait(counting *c) {
    wadi_mutex_lock(&c->lock);
    while (!c->go) wadi_condition_wait(&c->changed, &c->lock);
    wadi_mutex_unlock(&c->lock);
}

static wadi_status counting_next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    counting *c = (counting *)self;
    for (; b->count < k && c->next < c->n; c->next++) {
        wadi_array a;
        if (c->next == c->hold_at) {
            counting_wait(c);
        }
        assert_int_equal(wadi_builder_array(b, 0, NULL, &a, err), WADI_OK);
        *(int64_t *)a.column[0] = c->next * c->step;
        assert_int_equal(wadi_builder_next(b, err), WADI_OK);
        atomic_fetch_add(&c->made, 1);
    }
    return WADI_OK;
}

static void counting_init(counting *c, int64_t n, int64_t step) {
    static const wadi_source_ops ops = {counting_destroy, counting_next};
    memset(c, 0, sizeof *c);
    c->base.ops = &ops;
    c->base.parts = 1;
    c->base.part[0] = wadi_part_irregular(WADI_I64, 0);
    c->n = n;
    c->step = step;
    c->hold_at = -1;
    assert_int_equal(wadi_mutex_init(&c->lock, NULL), WADI_OK);
    assert_int_equal(wadi_condition_init(&c->changed, NULL), WADI_OK);
}

static void counting_fini(counting *c) {
    wadi_condition_fini(&c->changed);
    wadi_mutex_fini(&c->lock);
}

static void counting_go(counting *c) {
    wadi_mutex_lock(&c->lock);
    c->go = true;
    wadi_condition_signal(&c->changed);
    wadi_mutex_unlock(&c->lock);
}

/* ---- a sink that checks, and may wait until the source is ahead ---- */

typedef struct checking {
    wadi_sink base;
    int64_t seen;
    counting *
        ahead_of; /* with chunks of one element: waits until it has made `ahead` more than were seen */
    int64_t ahead;
    counting *held_by; /* waits for its `go` at element 20 */
} checking;

static void checking_destroy(wadi_sink *self) {
    (void)self;
}

static wadi_status checking_put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    checking *s = (checking *)self;
    (void)err;
    if (s->held_by != NULL && c->first == 20) counting_wait(s->held_by);
    for (int64_t i = 0; i < c->count; i++, s->seen++) {
        for (int k = 0; k < c->components; k++) {
            const wadi_array a = wadi_chunk_array(c, k, i);
            assert_int_equal(*(int64_t *)a.column[0], s->seen * (k == 0 ? 1 : 100));
        }
    }
    while (s->ahead_of != NULL && s->seen + s->ahead < s->ahead_of->n &&
           atomic_load(&s->ahead_of->made) < s->seen + s->ahead) {
    }
    return WADI_OK;
}

static void checking_init(checking *s) {
    static const wadi_sink_ops ops = {checking_destroy, checking_put, NULL, NULL};
    memset(s, 0, sizeof *s);
    s->base.ops = &ops;
}

static wadi_status run(passing *p, counting *a, counting *b, checking *out,
                       const wadi_run_options *options, wadi_error *err) {
    wadi_run *x = NULL;
    assert_int_equal(wadi_run_create_for(&p->plan, &no_loader, options, &x, err), WADI_OK);
    assert_int_equal(wadi_run_source(x, "a", &a->base, err), WADI_OK);
    if (b != NULL) assert_int_equal(wadi_run_source(x, "b", &b->base, err), WADI_OK);
    assert_int_equal(wadi_run_sink(x, "out", &out->base, err), WADI_OK);
    const wadi_status status = wadi_run_go(x, err);
    wadi_run_destroy(x);
    return status;
}

/* The sink does not return from chunk i before the source has made chunks i + 1, i + 2 and i + 3. */
static void three_chunks_are_under_way_behind_the_one_being_written(void **state) {
    (void)state;
    passing p;
    counting a;
    checking out;
    wadi_error err = {0};
    make_passing(&p, 1);
    counting_init(&a, 100, 1);
    checking_init(&out);
    out.ahead_of = &a;
    out.ahead = 3;
    const wadi_run_options options = {.chunk = 1, .threads = 1};
    assert_int_equal(run(&p, &a, NULL, &out, &options, &err), WADI_OK);
    assert_int_equal(out.seen, 100);
    counting_fini(&a);
}

static void the_shorter_of_two_sources_ends_the_stream(void **state) {
    (void)state;
    for (int64_t chunk = 1; chunk < 50; chunk += 6) {
        for (int longer = 0; longer < 2; longer++) {
            passing p;
            counting a, b;
            checking out;
            wadi_error err = {0};
            make_passing(&p, 2);
            counting_init(&a, longer == 0 ? 90 : 77, 1);
            counting_init(&b, longer == 1 ? 90 : 77, 100);
            checking_init(&out);
            const wadi_run_options options = {.chunk = chunk, .threads = 1};
            assert_int_equal(run(&p, &a, &b, &out, &options, &err), WADI_OK);
            assert_int_equal(out.seen, 77);
            counting_fini(&a);
            counting_fini(&b);
        }
    }
}

typedef struct heard {
    counting *source;
    bool sink; /* it is the sink that hangs */
    char line[1024];
} heard;

static void hear(void *env, wadi_log_level level, const char *line) {
    heard *h = env;
    (void)level;
    /* a slow machine may stand still earlier */
    if (h->sink && strstr(line, "on elements from 20 (out)") == NULL) return;
    if (!h->sink && !(strstr(line, "for chunk 2 (compute)") && strstr(line, "compute waits") &&
                      strstr(line, "source waits")))
        return;
    (void)snprintf(h->line, sizeof h->line, "%s", line);
    counting_go(h->source);
}

static void a_standstill_names_who_waits_for_what(void **state) {
    (void)state;
    passing p;
    counting a;
    checking out;
    wadi_error err = {0};
    heard h = {.source = &a};
    make_passing(&p, 1);
    counting_init(&a, 40, 1);
    checking_init(&out);
    a.hold_at = 20;
    wadi_log_set(hear, &h);
    const wadi_run_options options = {.chunk = 10, .threads = 1, .watchdog_s = 0.05};
    assert_int_equal(run(&p, &a, NULL, &out, &options, &err), WADI_OK);
    wadi_log_set(NULL, NULL);
    assert_int_equal(out.seen, 40);
    assert_non_null(strstr(h.line, "for chunk 2 (source)"));
    assert_non_null(strstr(h.line, "sink waits"));
    assert_non_null(strstr(h.line, "for chunk 2 (compute)"));
    assert_non_null(strstr(h.line, "for elements from 20 (a)"));
    counting_fini(&a);
}

/* ---- the default period, on a clock that goes a second at a time ---- */

static void nothing_moves_for_the_default_period(void **state) {
    (void)state;
    passing p;
    counting a;
    checking out;
    wadi_error err = {0};
    heard h = {.source = &a};
    make_passing(&p, 1);
    counting_init(&a, 40, 1);
    checking_init(&out);
    a.hold_at = 20;
    wadi_log_set(hear, &h);
    stepped_clock_start();
    const wadi_run_options options = {.chunk = 10, .threads = 1};
    assert_int_equal(run(&p, &a, NULL, &out, &options, &err), WADI_OK);
    stepped_clock_end();
    wadi_log_set(NULL, NULL);
    assert_int_equal(out.seen, 40);
    double seconds = 0;
    assert_int_equal(sscanf(h.line, "no progress for %lf s", &seconds), 1);
    assert_true(seconds >= 10);
    counting_fini(&a);
}

/* A sink that does not return is named like a source. */
static void a_sink_that_hangs_is_named(void **state) {
    (void)state;
    passing p;
    counting a;
    checking out;
    wadi_error err = {0};
    heard h = {.source = &a, .sink = true};
    make_passing(&p, 1);
    counting_init(&a, 40, 1);
    checking_init(&out);
    out.held_by = &a;
    wadi_log_set(hear, &h);
    stepped_clock_start();
    const wadi_run_options options = {.chunk = 10, .threads = 1};
    assert_int_equal(run(&p, &a, NULL, &out, &options, &err), WADI_OK);
    stepped_clock_end();
    wadi_log_set(NULL, NULL);
    assert_int_equal(out.seen, 40);
    assert_non_null(strstr(h.line, "sink works"));
    assert_non_null(strstr(h.line, "on elements from 20 (out)"));
    counting_fini(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_chunks_are_under_way_behind_the_one_being_written),
        cmocka_unit_test(the_shorter_of_two_sources_ends_the_stream),
        cmocka_unit_test(a_standstill_names_who_waits_for_what),
        cmocka_unit_test(nothing_moves_for_the_default_period),
        cmocka_unit_test(a_sink_that_hangs_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
