/* Threads and the worker pool: every iteration runs exactly once, however the loop is cut, and several threads may run loops. */
#include "base/keep.h"
#include "base/pool.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"

enum { MOST = 1000, THREADS = 4, MANY_THREADS = 64 };

typedef struct tally {
    int seen[MOST]; /* plain: the thread sanitizer watches that no two workers share an iteration */
    atomic_int inside[MANY_THREADS];
    atomic_bool clash;
    atomic_bool wrong_range;
    int64_t n, grain;
} tally;

static void count(void *env, int worker, int64_t begin, int64_t end) {
    tally *t = env;
    if (atomic_fetch_add(&t->inside[worker], 1) != 0) atomic_store(&t->clash, true);
    if (begin < 0 || end > t->n || end - begin > t->grain || begin >= end) {
        atomic_store(&t->wrong_range, true);
    }
    for (int64_t i = begin; i < end; i++) t->seen[i]++;
    atomic_fetch_sub(&t->inside[worker], 1);
}

static void run_and_check(wadi_pool *p, int64_t n, int64_t grain) {
    tally t = {.n = n, .grain = grain < 1 ? 1 : grain};
    wadi_pool_for(p, n, grain, count, &t);
    for (int64_t i = 0; i < MOST; i++) assert_int_equal(t.seen[i], i < n ? 1 : 0);
    assert_false(atomic_load(&t.clash));
    assert_false(atomic_load(&t.wrong_range));
}

static void every_iteration_runs_once(void **state) {
    WADI_UNUSED(state);
    static const int64_t sizes[] = {0, 1, 2, 3, 7, 64, 65, 997, 1000};
    static const int64_t grains[] = {0, 1, 2, 63, 64, 1000, INT64_MAX};
    for (int threads = 1; threads <= THREADS; threads++) {
        wadi_pool *p = NULL;
        assert_int_equal(wadi_pool_create(threads, &p, NULL), WADI_OK);
        assert_int_equal(wadi_pool_threads(p), threads);
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            for (size_t g = 0; g < sizeof grains / sizeof grains[0]; g++) {
                run_and_check(p, sizes[i], grains[g]);
            }
        }
        wadi_pool_destroy(p);
    }
}

typedef struct meeting {
    wadi_mutex lock;
    wadi_condition more;
    int come, wanted;
    bool seen[THREADS];
} meeting;

/* Each iteration waits for the others, so each needs a thread of its own; a cap against hangs alone. */
static void meet(void *env, int worker, int64_t begin, int64_t end) {
    static const int64_t cap = INT64_C(60000000000);
    meeting *m = env;
    WADI_UNUSED(begin), WADI_UNUSED(end);
    wadi_mutex_lock(&m->lock);
    m->seen[worker] = true;
    m->come++;
    wadi_condition_broadcast(&m->more);
    const int64_t until = wadi_clock_ns() + cap;
    while (m->come < m->wanted && wadi_clock_ns() < until)
        (void)wadi_condition_wait_for(&m->more, &m->lock, cap);
    wadi_mutex_unlock(&m->lock);
}

static void every_thread_takes_part(void **state) {
    WADI_UNUSED(state);
    for (int threads = 1; threads <= THREADS; threads++) {
        meeting m = {.wanted = threads};
        wadi_pool *p = NULL;
        assert_int_equal(wadi_mutex_init(&m.lock, NULL), WADI_OK);
        assert_int_equal(wadi_condition_init(&m.more, NULL), WADI_OK);
        assert_int_equal(wadi_pool_create(threads, &p, NULL), WADI_OK);
        wadi_pool_for(p, threads, 1, meet, &m);
        for (int i = 0; i < THREADS; i++) assert_int_equal(m.seen[i], i < threads);
        wadi_pool_destroy(p);
        wadi_condition_fini(&m.more);
        wadi_mutex_fini(&m.lock);
    }
}

typedef struct firsts {
    meeting both; /* the first ranges of both threads wait for each other */
    int64_t first[2];
    atomic_int runs[2];
} firsts;

static void note_first(void *env, int worker, int64_t begin, int64_t end) {
    firsts *f = env;
    if (atomic_fetch_add(&f->runs[worker], 1) > 0) return;
    f->first[worker] = begin;
    meet(&f->both, worker, begin, end);
}

/* So neighbouring ranges are one thread's, and the same one's in the next loop. */
static void each_thread_begins_with_its_own_share(void **state) {
    WADI_UNUSED(state);
    wadi_pool *p = NULL;
    assert_int_equal(wadi_pool_create(2, &p, NULL), WADI_OK);
    for (int loop = 0; loop < 20; loop++) {
        firsts f = {.both = {.wanted = 2}};
        assert_int_equal(wadi_mutex_init(&f.both.lock, NULL), WADI_OK);
        assert_int_equal(wadi_condition_init(&f.both.more, NULL), WADI_OK);
        wadi_pool_for(p, 75, 10, note_first, &f);
        assert_int_equal(f.first[0], 0);
        assert_int_equal(f.first[1], 40);
        assert_int_equal(atomic_load(&f.runs[0]) + atomic_load(&f.runs[1]), 8);
        wadi_mutex_fini(&f.both.lock);
        wadi_condition_fini(&f.both.more);
    }
    wadi_pool_destroy(p);
}

static void many_short_loops_end(void **state) {
    WADI_UNUSED(state);
    wadi_pool *p = NULL;
    assert_int_equal(wadi_pool_create(THREADS, &p, NULL), WADI_OK);
    for (int i = 0; i < 2000; i++) run_and_check(p, 1 + i % 9, 1);
    wadi_pool_destroy(p);
}

/* Loops of fewer ranges than threads, of as many, and of more follow each other. */
static void many_threads_share_few_ranges(void **state) {
    WADI_UNUSED(state);
    wadi_pool *p = NULL;
    assert_int_equal(wadi_pool_create(MANY_THREADS, &p, NULL), WADI_OK);
    for (int i = 0; i < 150; i++) {
        const int64_t ranges = i % 3 == 0 ? 1 + i % 7 : MANY_THREADS - 2 + i % 5;
        run_and_check(p, 3 * ranges - i % 3, 3);
    }
    wadi_pool_destroy(p);
}

static void loop_often(void *env) {
    for (int i = 0; i < 200; i++) run_and_check(env, 50, 3);
}

static void loops_of_several_threads_take_turns(void **state) {
    WADI_UNUSED(state);
    wadi_pool *p = NULL;
    assert_int_equal(wadi_pool_create(THREADS, &p, NULL), WADI_OK);
    wadi_thread callers[3];
    for (int i = 0; i < 3; i++) {
        assert_int_equal(wadi_thread_start(&callers[i], loop_often, p, NULL), WADI_OK);
    }
    for (int i = 0; i < 3; i++) wadi_thread_join(&callers[i]);
    wadi_pool_destroy(p);
}

static void spin(void *env, int worker, int64_t begin, int64_t end) {
    WADI_UNUSED(env), WADI_UNUSED(worker), WADI_UNUSED(begin), WADI_UNUSED(end);
    const int64_t start = wadi_clock_ns();
    while (wadi_clock_ns() == start) {
    }
}

static void busy_time_only_grows(void **state) {
    WADI_UNUSED(state);
    wadi_pool *p = NULL;
    assert_int_equal(wadi_pool_create(2, &p, NULL), WADI_OK);
    assert_int_equal(wadi_pool_busy_ns(p), 0);
    wadi_pool_for(p, 10, 1, spin, NULL);
    const int64_t first = wadi_pool_busy_ns(p);
    assert_true(first > 0);
    wadi_pool_for(p, 10, 1, spin, NULL);
    assert_true(wadi_pool_busy_ns(p) > first);
    wadi_pool_destroy(p);
}

/* A pool that was kept is as new for whoever gets it next. */
static void a_kept_pool_begins_anew(void **state) {
    WADI_UNUSED(state);
    wadi_keep_hold();
    for (int turn = 0; turn < 3; turn++) {
        for (int threads = 1; threads <= 3; threads++) {
            wadi_pool *p = NULL;
            assert_int_equal(wadi_pool_create(threads, &p, NULL), WADI_OK);
            assert_int_equal(wadi_pool_threads(p), threads);
            assert_int_equal(wadi_pool_busy_ns(p), 0);
            wadi_pool_for(p, 10, 1, spin, NULL);
            assert_true(wadi_pool_busy_ns(p) > 0);
            wadi_pool_destroy(p);
        }
    }
    wadi_keep_drop();
}

static void senseless_thread_counts_are_refused(void **state) {
    WADI_UNUSED(state);
    wadi_pool *p = NULL;
    wadi_error err = {0};
    assert_int_equal(wadi_pool_create(-1, &p, &err), WADI_INVALID);
    assert_int_equal(wadi_pool_create(4097, &p, &err), WADI_INVALID);
    assert_string_equal(err.msg, "threads: 4097, expected 0 to 4096");
    assert_null(p);
    assert_int_equal(wadi_pool_create(0, &p, NULL), WADI_OK);
    assert_int_equal(wadi_pool_threads(p), wadi_thread_processors());
    wadi_pool_destroy(p);
    wadi_pool_destroy(NULL);
}

static void timed_wait_ends_without_a_signal(void **state) {
    WADI_UNUSED(state);
    wadi_mutex m;
    wadi_condition c;
    assert_int_equal(wadi_mutex_init(&m, NULL), WADI_OK);
    assert_int_equal(wadi_condition_init(&c, NULL), WADI_OK);
    wadi_mutex_lock(&m);
    const int64_t start = wadi_clock_ns();
    while (wadi_condition_wait_for(&c, &m, 1000000)) {
    }
    assert_true(wadi_clock_ns() - start >= 1000000);
    wadi_mutex_unlock(&m);
    wadi_condition_fini(&c);
    wadi_mutex_fini(&m);
}

/* ---- threads ---- */

typedef struct flag {
    wadi_mutex lock;
    wadi_condition raised;
    bool is;
} flag;

static void raise_it(void *env) {
    flag *f = env;
    wadi_mutex_lock(&f->lock);
    f->is = true;
    wadi_condition_signal(&f->raised);
    wadi_mutex_unlock(&f->lock);
}

static void a_wait_of_any_length_ends_with_a_signal(void **state) {
    WADI_UNUSED(state);
    static const int64_t lengths[] = {INT64_MAX, INT64_MAX / 2, INT64_C(60000000000)};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        flag f = {.is = false};
        wadi_thread t;
        assert_int_equal(wadi_mutex_init(&f.lock, NULL), WADI_OK);
        assert_int_equal(wadi_condition_init(&f.raised, NULL), WADI_OK);
        wadi_mutex_lock(&f.lock);
        assert_false(wadi_mutex_try(&f.lock));
        assert_int_equal(wadi_thread_start(&t, raise_it, &f, NULL), WADI_OK);
        while (!f.is) assert_true(wadi_condition_wait_for(&f.raised, &f.lock, lengths[i]));
        wadi_mutex_unlock(&f.lock);
        assert_true(wadi_mutex_try(&f.lock));
        wadi_mutex_unlock(&f.lock);
        wadi_thread_join(&t);
        wadi_condition_fini(&f.raised);
        wadi_mutex_fini(&f.lock);
    }
}

static void get_mask(void *env) {
    (void)pthread_sigmask(SIG_SETMASK, NULL, env);
}

/* They are for the host's threads; a fault is told where it stands. */
static void threads_take_no_signals_but_faults(void **state) {
    WADI_UNUSED(state);
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT},
                     others[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGCHLD, SIGALRM, SIGPIPE};
    sigset_t own, of_thread, before;
    wadi_thread t;
    (void)pthread_sigmask(SIG_SETMASK, NULL, &before);
    assert_int_equal(wadi_thread_start(&t, get_mask, &of_thread, NULL), WADI_OK);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &own);
    wadi_thread_join(&t);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        assert_int_equal(sigismember(&of_thread, faults[i]), 0);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_int_equal(sigismember(&of_thread, others[i]), 1);
        assert_int_equal(sigismember(&own, others[i]), sigismember(&before, others[i]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_iteration_runs_once),
        cmocka_unit_test(every_thread_takes_part),
        cmocka_unit_test(each_thread_begins_with_its_own_share),
        cmocka_unit_test(many_short_loops_end),
        cmocka_unit_test(many_threads_share_few_ranges),
        cmocka_unit_test(loops_of_several_threads_take_turns),
        cmocka_unit_test(busy_time_only_grows),
        cmocka_unit_test(a_kept_pool_begins_anew),
        cmocka_unit_test(senseless_thread_counts_are_refused),
        cmocka_unit_test(timed_wait_ends_without_a_signal),
        cmocka_unit_test(a_wait_of_any_length_ends_with_a_signal),
        cmocka_unit_test(threads_take_no_signals_but_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
