/* The statistics of a run, against what its source, body and sink have counted. Only these advance the clock, so each number has one
 * right value. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "sched/cpu/code.h"
#include "sched/run.h"
#include "sched/stream.h"
#include "tests/sched/hand_plan.h"
#include "tests/sched/paper_rule.h"

enum { N = 100 };

/* ---- a clock, and those who let it go on ---- */

static atomic_llong now_ns;

static int64_t now(void) {
    return atomic_load(&now_ns);
}

static void spend(int64_t ns) {
    atomic_fetch_add(&now_ns, ns);
}

/* What each takes, so little that the stream stays young: a chunk of the source, one of the body, one of the sink, its end. */
typedef struct costs {
    int64_t source, body, sink, finish;
    int64_t each;        /* the body, for an element */
    int64_t source_each; /* the source */
} costs;

static costs cost;

/* The source is at work on its second chunk just as long as the sink is on the first. */
static bool meeting;
static atomic_bool sink_is_there, source_was_there;

static wadi_kernel real_body;

static int slow_body(wadi_work *w, int64_t begin, int64_t end) {
    if (begin == 0) spend(cost.body + w->count * cost.each);
    return real_body(w, begin, end);
}

static wadi_status load_slow(void *self, const wadi_plan *plan, int body, wadi_version_key version,
                             wadi_plan_code *out, wadi_error *err) {
    hand_program *h = self;
    const wadi_status status = hand_loader(h).load(h, plan, body, version, out, err);
    const wadi_code slow = wadi_cpu_code(slow_body);
    wadi_code *kernel = &h->kernels[body][version.schedule][0];
    if (body == 0 && version.schedule == WADI_SCHEDULE_INSIDE && kernel->handle != slow.handle) {
        real_body = wadi_cpu_kernel(*kernel);
        *kernel = slow;
    }
    return status;
}

/* ---- the ends ---- */

/* Element i is i32[i % 7]. */
typedef struct ramp {
    wadi_source base;
    int64_t index, n, calls;
} ramp;

static void ramp_destroy(wadi_source *self) {
    (void)self;
}

static wadi_status ramp_next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    ramp *r = (ramp *)self;
    r->calls++;
    if (meeting && r->calls == 2) {
        while (!atomic_load(&sink_is_there)) (void)sched_yield();
        spend(1000);
        atomic_store(&source_was_there, true);
    }
    spend(cost.source);
    for (; b->count < k && r->index < r->n; r->index++) {
        const int64_t shape = r->index % 7;
        wadi_array a;
        assert_int_equal(wadi_builder_array(b, 0, &shape, &a, err), WADI_OK);
        if (shape > 0) memset(a.column[0], 0, (size_t)shape * 4);
        assert_int_equal(wadi_builder_next(b, err), WADI_OK);
        self->at_hand -= self->at_hand > 0;
    }
    spend(b->count * cost.source_each);
    return WADI_OK;
}

static ramp make_ramp(int64_t n, bool in_memory) {
    static const wadi_source_ops ops = {ramp_destroy, ramp_next, NULL};
    ramp r = {.n = n};
    r.base = (wadi_source){.ops = &ops, .wake_fd = -1, .at_hand = in_memory ? n : 0, .parts = 1};
    r.base.part[0] = wadi_part_irregular(WADI_I32, 1);
    return r;
}

typedef struct count {
    wadi_sink base;
    int64_t chunks, elements;
    int64_t size[N + 1]; /* of each chunk */
} count;

static void count_destroy(wadi_sink *self) {
    (void)self;
}

static wadi_status count_put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    count *s = (count *)self;
    (void)err;
    atomic_store(&sink_is_there, true);
    while (meeting && !atomic_load(&source_was_there)) (void)sched_yield();
    spend(cost.sink);
    assert_true(s->chunks <= N);
    s->size[s->chunks++] = c->count;
    s->elements += c->count;
    return WADI_OK;
}

static wadi_status count_finish(wadi_sink *self, wadi_error *err) {
    (void)self;
    (void)err;
    spend(cost.finish);
    return WADI_OK;
}

static count make_count(bool keeps) {
    static const wadi_sink_ops ops = {count_destroy, count_put, count_finish, NULL};
    return (count){.base = {.ops = &ops, .wake_fd = -1, .keeps = keeps}};
}

/* ---- runs ---- */

/* Of the elements [first, first + n): values of four bytes, an extent each, and where each begins. */
static int64_t bytes_of(int64_t first, int64_t n) {
    int64_t bytes = 8 * (2 * n + 1);
    for (int64_t i = first; i < first + n; i++) bytes += 4 * (i % 7);
    return bytes;
}

typedef struct run {
    hand_program h;
    ramp in;
    count out;
    wadi_run_stats stats, before;
    int64_t took_ns; /* by the clock */
} run;

static const char *policy; /* NULL: as the chunk says */

static void go(run *r, wadi_end_kind end, bool in_memory, bool keeps, int64_t chunk, int threads) {
    hand_doubling(&r->h, end);
    const wadi_loader loader = {.load = load_slow, .self = &r->h};
    const wadi_run_options o = {.chunk = chunk,
                                .policy = policy,
                                .threads = threads,
                                .schedule = WADI_SCHEDULE_FORCE_INSIDE,
                                .forget = true};
    wadi_run *x = NULL;
    r->in = make_ramp(N, in_memory);
    r->out = make_count(keeps);
    atomic_store(&now_ns, 1000);
    wadi_clock_set(now);
    assert_int_equal(wadi_run_create_for(&r->h.plan, &loader, &o, &x, NULL), WADI_OK);
    assert_int_equal(wadi_run_source(x, "in", &r->in.base, NULL), WADI_OK);
    if (end == WADI_END_SINK)
        assert_int_equal(wadi_run_sink(x, "out", &r->out.base, NULL), WADI_OK);
    wadi_run_stats_get(x, &r->before);
    spend(12345); /* before it begins */
    const int64_t begin = now();
    assert_int_equal(wadi_run_go(x, NULL), WADI_OK);
    r->took_ns = now() - begin;
    spend(12345); /* after it has ended */
    wadi_run_stats_get(x, &r->stats);
    wadi_run_destroy(x);
    wadi_clock_set(NULL);
}

/* Rows of three i64, counted and written where they belong: nothing comes in. */
static void what_is_written_in_its_place_is_counted(void **state) {
    (void)state;
    for (int64_t chunk = 1; chunk <= N; chunk += 33) {
        hand_program h;
        hand_counting(&h);
        const wadi_loader loader = hand_loader(&h);
        const wadi_run_options o = {.chunk = chunk};
        int64_t n = N;
        const wadi_array number = {.fields = 1, .type = {WADI_I64}, .column = {&n}};
        wadi_run_stats stats;
        wadi_run *x = NULL;
        assert_int_equal(wadi_run_create_for(&h.plan, &loader, &o, &x, NULL), WADI_OK);
        assert_int_equal(wadi_run_input(x, "n", &number, NULL), WADI_OK);
        assert_int_equal(wadi_run_go(x, NULL), WADI_OK);
        wadi_run_stats_get(x, &stats);
        wadi_run_destroy(x);
        assert_int_equal(stats.elements, N);
        assert_int_equal(stats.chunks, (N + chunk - 1) / chunk);
        assert_int_equal(stats.bytes_in, 0);
        assert_int_equal(stats.bytes_out, N * 3 * 8);
    }
}

static void assert_seconds(double s, int64_t ns) {
    if (s * 1e9 < (double)ns - 0.5 || s * 1e9 > (double)ns + 0.5)
        fail_msg("%.1f ns, not %lld", s * 1e9, (long long)ns);
}

static void assert_near(double x, double y) {
    if (!(x > y - 1e-9 && x < y + 1e-9)) fail_msg("%.12f is not %.12f", x, y);
}

/* Elements, chunks and bytes of every kind of end, wherever the elements come from. */
static void what_passes_is_counted(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 7, 30, 99, 100, 101};
    static const wadi_end_kind ends[] = {WADI_END_SINK, WADI_END_SINK, WADI_END_ELEMENTS,
                                         WADI_END_FOLD};
    for (int i = 0; i < 6 * 4 * 2 * 2; i++) {
        static run r;
        /* with half a millisecond a chunk the stream is no longer young when it ends: a thread takes over what has waited */
        cost = (costs){.source = i / 48 == 0 ? 0 : 500000};
        const int64_t chunk = sizes[i % 6];
        const int end = i / 6 % 4;
        int64_t chunks = 0, bytes = 0;
        for (int64_t first = 0; first < N; first += chunk, chunks++)
            bytes += bytes_of(first, N - first < chunk ? N - first : chunk);
        go(&r, ends[end], i / 24 % 2 == 1, end == 1, chunk, 1 + i % 2);
        assert_int_equal(r.stats.elements, N);
        assert_int_equal(r.stats.chunks, chunks);
        assert_int_equal(r.stats.bytes_in, bytes);
        assert_int_equal(r.stats.bytes_out, end == 3 ? 0 : bytes);
        assert_int_equal(r.stats.threads, 1 + i % 2);
        assert_string_equal(r.stats.schedule, "inside");
        /* a chunk goes in and another comes out */
        assert_true(r.stats.memory_peak > bytes / chunks);
        assert_in_range(r.stats.chunk_elements, 1, chunk);
        if (end < 2) assert_int_equal(r.out.elements, N);
        if (end < 2) assert_int_equal(r.out.chunks, chunks);
        assert_int_equal(
            r.before.elements + r.before.chunks + r.before.bytes_in + r.before.bytes_out, 0);
        assert_null(r.before.schedule);
    }
}

/* Nothing waits for anything: the source lies in memory, the sink keeps what it gets, and one thread does it all in turn. */
static void one_thread_spends_its_time_once(void **state) {
    (void)state;
    static run r;
    cost = (costs){.source = 5000, .body = 3000, .sink = 2000, .finish = 700};
    go(&r, WADI_END_SINK, true, true, 10, 1);
    assert_int_equal(r.stats.chunks, 10);
    assert_int_equal(r.took_ns, r.in.calls * 5000 + 10 * (3000 + 2000) + 700);
    assert_seconds(r.stats.elapsed_s, r.took_ns);
    assert_seconds(r.stats.source_s, 0); /* nobody waits for a source */
    assert_seconds(r.stats.compute_s, 10 * 3000);
    assert_seconds(r.stats.sink_s, 10 * 2000 + 700);
    assert_near(r.stats.overlap, 0);
    assert_near(r.stats.stages_busy, (10 * 5000 + 700) / (double)r.took_ns);
    assert_near(r.stats.utilisation, 10 * 3000 / (double)r.took_ns);
    assert_seconds(r.before.elapsed_s, 0);
    assert_seconds(r.before.compute_s, 0);
    assert_near(r.before.utilisation, 0);
}

/* Two workers: one takes the time, the other is busy with nothing, or is not. */
static void no_worker_is_busy_longer_than_the_run(void **state) {
    (void)state;
    static run r;
    cost = (costs){.body = 3000};
    go(&r, WADI_END_SINK, true, true, N, 2);
    assert_seconds(r.stats.elapsed_s, 3000);
    assert_true(r.stats.utilisation > 0.5 - 1e-9 && r.stats.utilisation < 1 + 1e-9);
    assert_near(r.stats.stages_busy, 1);
}

/* A source, a body and a sink in threads of their own, of whom one takes time. */
static void each_stage_has_a_time_of_its_own(void **state) {
    (void)state;
    static run r;
    cost = (costs){.source = 5000};
    go(&r, WADI_END_SINK, false, false, 10, 1);
    assert_int_equal(r.in.calls, 11);
    assert_seconds(r.stats.source_s, 11 * 5000);
    cost = (costs){.sink = 2000, .finish = 700};
    go(&r, WADI_END_SINK, false, false, 10, 1);
    assert_seconds(r.stats.sink_s, 10 * 2000 + 700);
    cost = (costs){.body = 3000};
    go(&r, WADI_END_SINK, false, false, 10, 1);
    assert_seconds(r.stats.compute_s, 10 * 3000);
    assert_near(r.stats.utilisation, 1);
    cost = (costs){.source = 500, .body = 300, .sink = 200, .finish = 70};
    go(&r, WADI_END_SINK, false, false, 1, 2);
    const double all = r.stats.source_s + r.stats.compute_s + r.stats.sink_s;
    assert_near(r.stats.stages_busy, all / r.stats.elapsed_s);
    assert_true(r.stats.overlap >= 0 && r.stats.overlap <= 1);
    assert_seconds(r.stats.elapsed_s, r.took_ns);
}

/* All the time there is passes while two stages are at work, and the third is not. */
static void what_two_stages_work_at_once_is_told(void **state) {
    (void)state;
    static run r;
    cost = (costs){0};
    meeting = true;
    atomic_store(&sink_is_there, false);
    atomic_store(&source_was_there, false);
    go(&r, WADI_END_SINK, false, false, 10, 1);
    meeting = false;
    assert_int_equal(r.took_ns, 1000);
    assert_near(r.stats.overlap, 1);
    assert_near(r.stats.stages_busy, 2);
    assert_seconds(r.stats.source_s, 1000);
    assert_seconds(r.stats.sink_s, 1000);
    assert_seconds(r.stats.compute_s, 0);
}

/* What the policy hears of each chunk decides the next one: the source's, the body's and the sink's time as they were, the body's and
 * the sink's as work. Of the first chunk nothing is known, since its kernels were made on the way. */
static void the_policy_hears_what_each_chunk_took(void **state) {
    (void)state;
    static const costs all[] = {{.source = 100, .body = 1000, .sink = 100},
                                {.source = 500, .each = 100, .sink = 1500},
                                {.source = 4000, .body = 100, .each = 50, .sink = 700},
                                {.body = 10, .each = 1000},
                                {.source = 300, .body = 900, .each = 300},
                                {.source_each = 1000, .each = 1000}};
    policy = "paper";
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        for (int64_t start = 0; start < 5; start += 2) {
            static run r;
            paper_rule rule = {.size = start > 0 ? (double)start : 1};
            cost = all[i];
            go(&r, WADI_END_SINK, true, true, start, 1);
            int64_t first = 0;
            for (int64_t c = 0; c < r.out.chunks; c++) {
                const int64_t n = (int64_t)rule.size < N - first ? (int64_t)rule.size : N - first;
                assert_int_equal(r.out.size[c], n);
                const int64_t work = cost.body + n * cost.each + cost.sink;
                const wadi_policy_sample s = {
                    .busy_ns = work,
                    .elapsed_ns = c == 0 ? 0 : work + cost.source + n * cost.source_each,
                    .elements = n};
                paper_rule_follow(&rule, &s);
                first += n;
            }
            assert_int_equal(first, N);
        }
    }
    policy = NULL;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_passes_is_counted),
        cmocka_unit_test(what_is_written_in_its_place_is_counted),
        cmocka_unit_test(one_thread_spends_its_time_once),
        cmocka_unit_test(no_worker_is_busy_longer_than_the_run),
        cmocka_unit_test(each_stage_has_a_time_of_its_own),
        cmocka_unit_test(what_two_stages_work_at_once_is_told),
        cmocka_unit_test(the_policy_hears_what_each_chunk_took),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
