/* The watchdog, on a clock that the test sets: what is reported, when, and how often. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/keep.h"
#include "base/log.h"
#include "base/task.h"
#include "base/thread.h"

static atomic_llong now_ns;

static int64_t now(void) {
    return atomic_load(&now_ns);
}

static const int64_t second = 1000000000, patience = 10000000000;

/* ---- what is logged ---- */

typedef struct heard {
    wadi_mutex lock;
    wadi_condition said;
    int times;
    char line[1024], about[80];
} heard;

static heard ear;

static void hear(void *env, wadi_log_level level, const char *line) {
    (void)env;
    (void)level;
    wadi_mutex_lock(&ear.lock);
    ear.times++;
    (void)snprintf(ear.line, sizeof ear.line, "%s", line);
    const wadi_log_place about = wadi_log_about_now();
    (void)snprintf(ear.about, sizeof ear.about, "%s, %s", about.run, about.stage);
    wadi_condition_signal(&ear.said);
    wadi_mutex_unlock(&ear.lock);
}

static void wait_for_line(int times) {
    wadi_mutex_lock(&ear.lock);
    while (ear.times < times) wadi_condition_wait(&ear.said, &ear.lock);
    wadi_mutex_unlock(&ear.lock);
}

static int times(void) {
    wadi_mutex_lock(&ear.lock);
    const int n = ear.times;
    wadi_mutex_unlock(&ear.lock);
    return n;
}

/* The watchdog looks many times. */
static void let_it_look(void) {
    (void)nanosleep(&(struct timespec){0, 30000 * 1000L}, NULL);
}

static int setup(void **state) {
    (void)state;
    memset(&ear, 0, sizeof ear);
    atomic_store(&now_ns, 0);
    wadi_clock_set(now);
    wadi_log_set(hear, NULL);
    return wadi_mutex_init(&ear.lock, NULL) != WADI_OK ||
           wadi_condition_init(&ear.said, NULL) != WADI_OK;
}

static int teardown(void **state) {
    (void)state;
    wadi_log_set(NULL, NULL);
    wadi_clock_set(NULL);
    wadi_condition_fini(&ear.said);
    wadi_mutex_fini(&ear.lock);
    return 0;
}

static wadi_waits *watchdog(void) {
    wadi_waits *w = NULL;
    assert_int_equal(wadi_waits_create(patience, &w, NULL), WADI_OK);
    return w;
}

/* ---- tests ---- */

static void it_names_who_waits_for_what(void **state) {
    (void)state;
    wadi_waits *w = watchdog();
    assert_null(wadi_waits_name(w));
    wadi_waits_set_name(w, "a run");
    assert_string_equal(wadi_waits_name(w), "a run");
    const int done = wadi_wait_begin(w, (wadi_wait){"source", "room for chunk", 3, NULL, false});
    const int sink = wadi_wait_begin(w, (wadi_wait){"sink", "chunk", 7, "compute", false});
    const int busy = wadi_wait_begin(w, (wadi_wait){"compute", "elements from", 0, "flat", true});
    wadi_wait_end(w, done);
    atomic_store(&now_ns, patience - 1);
    let_it_look();
    assert_int_equal(times(), 0);
    atomic_store(&now_ns, patience + second / 2);
    wait_for_line(1);
    assert_non_null(strstr(ear.line, "no progress for 10.5 s"));
    assert_non_null(strstr(ear.line, "sink waits 10.5 s for chunk 7 (compute)"));
    assert_non_null(strstr(ear.line, "compute works 10.5 s on elements from 0 (flat)"));
    assert_null(strstr(ear.line, "source"));
    assert_string_equal(ear.about, "a run, watchdog");
    wadi_wait_end(w, sink);
    wadi_wait_end(w, busy);
    wadi_waits_destroy(w);
}

static void it_tells_once_per_standstill(void **state) {
    (void)state;
    wadi_waits *w = watchdog();
    atomic_store(&now_ns, patience);
    wait_for_line(1);
    atomic_store(&now_ns, 5 * patience);
    let_it_look();
    assert_int_equal(times(), 1);
    wadi_wait_end(w, wadi_wait_begin(w, (wadi_wait){"sink", "chunk", 8, NULL, false}));
    atomic_store(&now_ns, 6 * patience);
    wait_for_line(2);
    wadi_waits_destroy(w);
}

static void what_begins_and_ends_is_progress(void **state) {
    (void)state;
    wadi_waits *w = watchdog();
    for (int i = 1; i <= 5; i++) {
        atomic_store(&now_ns, i * 9 * second);
        wadi_wait_end(w, wadi_wait_begin(w, (wadi_wait){"sink", "chunk", i, NULL, false}));
        let_it_look();
    }
    assert_int_equal(times(), 0);
    wadi_waits_destroy(w);
}

static void who_may_wait_for_ever_warns_nobody(void **state) {
    (void)state;
    wadi_waits *w = watchdog();
    const int ticket =
        wadi_wait_begin_idle(w, (wadi_wait){"source", "words", -1, "long ones", false});
    atomic_store(&now_ns, 100 * patience);
    let_it_look();
    assert_int_equal(times(), 0);
    wadi_wait_end(w, ticket);
    atomic_store(&now_ns, 102 * patience);
    wait_for_line(1);
    wadi_waits_destroy(w);
}

static void a_task_waits_under_its_name(void **state) {
    (void)state;
    wadi_waits *w = watchdog();
    const wadi_task before = wadi_task_begin((wadi_task){.name = "reader", .waits = w});
    const int ticket = wadi_task_wait("bytes", -1, "words.txt");
    atomic_store(&now_ns, patience);
    wait_for_line(1);
    assert_non_null(strstr(ear.line, "reader waits 10.0 s for bytes (words.txt)"));
    wadi_task_go_on(ticket);
    wadi_task_end(before);
    wadi_waits_destroy(w);
}

/* Between two runs nobody is warned, and the next one has a patience of its own. */
static void a_kept_watchdog_begins_anew(void **state) {
    (void)state;
    wadi_waits *w = NULL;
    wadi_keep_hold();
    wadi_waits_destroy(watchdog());
    atomic_store(&now_ns, 9 * patience);
    let_it_look();
    assert_int_equal(times(), 0);
    for (int turn = 1; turn <= 3; turn++) {
        const int64_t start = atomic_load(&now_ns) + patience;
        atomic_store(&now_ns, start);
        assert_int_equal(wadi_waits_create(turn * 2 * second, &w, NULL), WADI_OK);
        atomic_store(&now_ns, start + turn * 2 * second - 1);
        let_it_look();
        assert_int_equal(times(), turn - 1);
        atomic_store(&now_ns, start + turn * 2 * second);
        wait_for_line(turn);
        char want[64];
        (void)snprintf(want, sizeof want, "no progress for %d.0 s: nobody waits, a stage is busy",
                       2 * turn);
        assert_string_equal(ear.line, want);
        wadi_waits_destroy(w);
    }
    wadi_keep_drop();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_names_who_waits_for_what, setup, teardown),
        cmocka_unit_test_setup_teardown(it_tells_once_per_standstill, setup, teardown),
        cmocka_unit_test_setup_teardown(what_begins_and_ends_is_progress, setup, teardown),
        cmocka_unit_test_setup_teardown(who_may_wait_for_ever_warns_nobody, setup, teardown),
        cmocka_unit_test_setup_teardown(a_task_waits_under_its_name, setup, teardown),
        cmocka_unit_test_setup_teardown(a_kept_watchdog_begins_anew, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
