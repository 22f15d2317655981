/* Runs that make a certificate: what they wait for digests is no computing, and a chunk that stays in memory for its digest is counted. The clock is the test's. */
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/thread.h"
#include "sched/cpu/code.h"
#include "sched/run.h"
#include "sched/run/digester.h"
#include "sched/run/state.h"
#include "sched/stream.h"
#include "sched/view.h"
#include "tests/sched/hand_plan.h"
#include "wadi/profile.h"

static const int64_t SECOND_NS = INT64_C(1000000000);

static atomic_llong now_ns;

static int64_t now(void) {
    return atomic_load(&now_ns);
}

/* ---- what the policy is told ---- */

static wadi_policy_ops listening;
static int64_t told_ns; /* of all chunks */

static void observe(wadi_policy *self, const wadi_policy_sample *sample) {
    (void)self;
    told_ns += sample->elapsed_ns;
}

/* From now on, instead of the run's own policy, which always chooses the same size. */
static void listen_to_policy(wadi_run *run) {
    wadi_mutex_lock(&run->lock);
    listening = *run->policy->ops;
    listening.observe = observe;
    run->policy->ops = &listening;
    told_ns = 0;
    wadi_mutex_unlock(&run->lock);
}

/* ---- a source of elements i32[VALUES] in memory, a body that makes nothing of them, and a sink that takes all ---- */

enum { VALUES = 16, CHUNK = 10000 };

static int32_t values[CHUNK * VALUES];

typedef struct rows {
    wadi_source base;
    wadi_run *run;
    int64_t most; /* elements that were asked for at once, once it was known how large they are */
    atomic_bool enough; /* no more come */
} rows;

static void rows_destroy(wadi_source *self) {
    (void)self;
}

/* All elements lie at the same place: making their digests is all the work there is. */
static wadi_status rows_next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    rows *r = (rows *)self;
    const int64_t n = wadi_builder_fit(b, k < self->at_hand ? k : self->at_hand);
    void *column[WADI_MAX_FIELDS] = {values};
    (void)err;
    if (k < CHUNK && k > r->most) r->most = k;
    if (n == 0 || atomic_load(&r->enough)) return WADI_OK;
    if (r->run != NULL) listen_to_policy(r->run);
    r->run = NULL;
    wadi_builder_borrow(b, n, column);
    self->at_hand -= n;
    return WADI_OK;
}

static int empty_shape(wadi_work *w, int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; s++) w->slot[1].shape[s] = 0;
    return 0;
}

static int nothing(wadi_work *w, int64_t begin, int64_t end) {
    (void)w;
    (void)begin;
    (void)end;
    return 0;
}

static wadi_status load(void *self, const wadi_plan *plan, int body, wadi_version_key version,
                        wadi_plan_code *out, wadi_error *err) {
    hand_program *h = self;
    const wadi_loader hand = hand_loader(h);
    assert_int_equal(hand.load(self, plan, body, version, out, err), WADI_OK);
    h->kernels[body][version.schedule][0] = wadi_cpu_code(empty_shape);
    h->kernels[body][version.schedule][2] = wadi_cpu_code(nothing);
    return WADI_OK;
}

static void all_destroy(wadi_sink *self) {
    (void)self;
}

static wadi_status all_put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    (void)self;
    (void)c;
    (void)err;
    return WADI_OK;
}

typedef struct fixture {
    hand_program h;
    rows in;
    wadi_sink out;
    wadi_run *run;
    wadi_thread thread;
    atomic_bool over;
} fixture;

static void go(void *env) {
    fixture *f = env;
    assert_int_equal(wadi_run_go(f->run, NULL), WADI_OK);
    atomic_store(&f->over, true);
}

static fixture *make(int64_t n, wadi_run_options o) {
    static const wadi_source_ops source_ops = {rows_destroy, rows_next, NULL};
    static const wadi_sink_ops sink_ops = {all_destroy, all_put, NULL, NULL};
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    hand_doubling(&f->h, WADI_END_SINK);
    const wadi_loader loader = {.load = load, .self = &f->h};
    o.threads = 1;
    o.schedule = WADI_SCHEDULE_FORCE_FLAT;
    o.forget = true;
    o.watchdog_s = 1e9;
    f->in.base = (wadi_source){.ops = &source_ops, .kind = "rows", .wake_fd = -1, .parts = 1};
    f->in.base.at_hand = n;
    f->in.base.part[0] =
        (wadi_part){.rank = 1, .shape = {VALUES}, .fields = 1, .type = {WADI_I32}, .fixed = true};
    f->out = (wadi_sink){.ops = &sink_ops, .kind = "all", .wake_fd = -1};
    assert_int_equal(wadi_run_create_for(&f->h.plan, &loader, &o, &f->run, NULL), WADI_OK);
    f->in.run = f->run;
    assert_int_equal(wadi_run_source(f->run, "in", &f->in.base, NULL), WADI_OK);
    assert_int_equal(wadi_run_sink(f->run, "out", &f->out, NULL), WADI_OK);
    return f;
}

static wadi_run_stats end(fixture *f) {
    wadi_run_stats stats;
    wadi_run_stats_get(f->run, &stats);
    wadi_run_destroy(f->run);
    free(f);
    return stats;
}

static char certificate[64];

static int set_up(void **state) {
    (void)state;
    (void)snprintf(certificate, sizeof certificate, "certified-%lld.told", (long long)getpid());
    atomic_store(&now_ns, SECOND_NS);
    wadi_clock_set(now);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    wadi_clock_set(NULL);
    return unlink(certificate);
}

/* ---- waiting ---- */

static bool waits_for_digests(fixture *f) {
    wadi_view v;
    bool waits = false;
    assert_int_equal(wadi_view_take(f->run, &v, NULL), WADI_OK);
    for (int i = 0; i < v.nwaits; i++)
        waits = waits || strcmp(v.waits[i].what, "digests of what was read") == 0;
    wadi_view_fini(&v);
    return waits;
}

/* Of the compute thread, in waiting for what is read. */
static double read_s(wadi_run *run) {
    const wadi_profile_row *row = NULL;
    double seconds = 0;
    int n = 0;
    assert_int_equal(wadi_run_profile(run, &row, &n, NULL), WADI_OK);
    for (int i = 0; i < n; i++)
        if (row[i].kind == WADI_PROFILE_SOURCE) seconds += row[i].seconds;
    return seconds;
}

void __real_wadi_digester_await_room(wadi_digester *b, int64_t bytes);
void __wrap_wadi_digester_await_room(wadi_digester *b, int64_t bytes);

static atomic_int waits;

/* The linker puts it in the place of that function, as tests/CMakeLists.txt has it: each wait takes a second, and nothing else takes time. */
void __wrap_wadi_digester_await_room(wadi_digester *b, int64_t bytes) {
    atomic_fetch_add(&now_ns, SECOND_NS);
    atomic_fetch_add(&waits, 1);
    __real_wadi_digester_await_room(b, bytes);
}

static void waiting_for_digests_is_not_computing(void **state) {
    (void)state;
    enum { WAITS = 20 };
    const wadi_run_options o = {
        .memory = 1 << 20, .chunk = CHUNK, .certificate = certificate, .profile = true};
    fixture *f = make(100000000, o);
    bool seen = false;
    atomic_store(&waits, 0);
    assert_int_equal(wadi_thread_start(&f->thread, go, f, NULL), WADI_OK);
    while ((!seen || atomic_load(&waits) < WAITS) && !atomic_load(&f->over)) {
        seen = seen || waits_for_digests(f);
        (void)sched_yield();
    }
    atomic_store(&f->in.enough, true);
    wadi_thread_join(&f->thread);
    const double waited_s = read_s(f->run);
    const wadi_run_stats stats = end(f);
    assert_true(seen);
    assert_in_range(atomic_load(&waits), WAITS, INT_MAX);
    assert_true(fabs(waited_s - atomic_load(&waits)) < .001);
    assert_true(stats.compute_s < .001);
    assert_int_equal(told_ns, 0);
}

/* ---- memory ---- */

/* Elements of a chunk that the memory has room for. */
static int64_t most_elements(const char *name) {
    const wadi_run_options o = {.memory = 1 << 20, .chunk = CHUNK, .certificate = name};
    fixture *f = make(100000, o);
    go(f);
    const int64_t most = f->in.most;
    (void)end(f);
    return most;
}

static void a_chunk_that_waits_for_its_digest_is_in_flight(void **state) {
    (void)state;
    const int64_t four = most_elements(NULL), five = most_elements(certificate);
    assert_true(four > 100);
    const int64_t part = four * 4 / 5;
    assert_in_range(five, part * 99 / 100, part * 101 / 100); /* blocks have rounded sizes */
}

int main(void) {
#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(waiting_for_digests_is_not_computing),
        CASE(a_chunk_that_waits_for_its_digest_is_in_flight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
