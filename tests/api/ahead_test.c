/* Kernels compiled ahead of their first use: how many compilers run, which call reports a failure, and that nothing is left when
 * the program is destroyed early. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/thread.h"
#include "wadi/wadi.h"
#include "tests/api/counted.h"

enum { N = 40, KERNELS = 3 }; /* of the program below: an array, a stream's body, an array */

/* ---- a program ---- */

static wadi_exp twice(wadi_exp x) {
    return wadi_add(x, x);
}

static wadi_acc prefix(void *env, wadi_exp i) {
    return wadi_sum(wadi_gather(wadi_iota(WADI_I64, i), *(const wadi_acc *)env));
}

/* The sum of 2 (0 + .. + i - 1) for i below n. */
static wadi_exe *compile(void) {
    wadi_error err = {0};
    wadi_exe *exe = NULL;
    wadi_program *p = wadi_program_create("ahead");
    const wadi_acc table = wadi_input("table", WADI_I64, 1, NULL);
    wadi_acc doubled = wadi_compute(wadi_map(twice, table));
    const wadi_seq s = wadi_produce_env(wadi_extent(table, 0), prefix, &doubled);
    wadi_output("r", wadi_sum(wadi_consume(wadi_elements(s))));
    if (wadi_compile(p, NULL, &exe, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_program_destroy(p);
    return exe;
}

static wadi_status go(const wadi_exe *exe) {
    int64_t table[N], want = 0;
    for (int64_t i = 0; i < N; i++) {
        table[i] = i;
        want += i * (i - 1);
    }
    const wadi_array in = {1, 1, {WADI_I64}, {N}, {table}};
    wadi_run *run = NULL;
    wadi_array r;
    wadi_status status = wadi_run_create(exe, NULL, &run, NULL);
    if (status == WADI_OK) status = wadi_run_input(run, "table", &in, NULL);
    if (status == WADI_OK) status = wadi_run_go(run, NULL);
    if (status == WADI_OK) status = wadi_run_result(run, "r", &r, NULL);
    if (status == WADI_OK && *(const int64_t *)r.column[0] != want) status = WADI_INTERNAL;
    wadi_run_destroy(run);
    return status;
}

/* ---- tests ---- */

static void a_run_makes_each_kernel_once(void **state) {
    (void)state;
    wadi_exe *exe = compile();
    for (int i = 0; i < 3; i++) assert_int_equal(go(exe), WADI_OK);
    assert_int_equal(counted_compilations(), KERNELS);
    wadi_exe_destroy(exe);
}

static void warming_makes_what_a_run_wants(void **state) {
    (void)state;
    wadi_exe *exe = compile();
    for (int i = 0; i < 3; i++) wadi_exe_warm(exe, NULL);
    assert_int_equal(go(exe), WADI_OK);
    wadi_exe_warm(exe, NULL);
    wadi_exe_destroy(exe);
    assert_int_equal(counted_compilations(), KERNELS);
}

static void run_twice(void *env) {
    for (int i = 0; i < 2; i++)
        if (go(env) != WADI_OK) abort();
}

static void runs_at_once_share_what_is_made(void **state) {
    (void)state;
    wadi_exe *exe = compile();
    wadi_thread other[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(wadi_thread_start(&other[i], run_twice, exe, NULL), WADI_OK);
    for (int i = 0; i < 4; i++) wadi_thread_join(&other[i]);
    assert_int_equal(counted_compilations(), KERNELS);
    wadi_exe_destroy(exe);
}

static wadi_exe *compile_stages(void) {
    static const char text[] = "program stages\ncount = unit { 5 }\n"
                               "rows = produce count (i) {\n"
                               "    n = unit { add (the i) 1 }\n"
                               "    row = generate n (k) { convert f64 k }\n"
                               "    sums = scanl1 row (a, b) { add a b }\n"
                               "    yield sums\n}\n"
                               "kept = filter_seq rows (row) {\n"
                               "    sum = fold 0.0 row (a, b) { add a b }\n"
                               "    p = unit { gt (the sum) 1.0 }\n"
                               "    yield p\n}\n"
                               "sums = map_seq kept (row) {\n"
                               "    most = scanl1 row (a, b) { max a b }\n"
                               "    sum = fold 0.0 most (a, b) { add a b }\n"
                               "    yield sum\n}\n"
                               "r = elements sums\noutput r\n";
    wadi_exe *exe = NULL;
    wadi_error err = {0};
    if (wadi_compile_text(text, "p", NULL, &exe, &err) != WADI_OK) fail_msg("%s", err.msg);
    return exe;
}

static void go_through_stages(const wadi_exe *exe) {
    static const double want[] = {4, 10, 20}; /* sums of the first triangular numbers */
    wadi_error err = {0};
    wadi_run *run = NULL;
    wadi_array r;
    assert_int_equal(wadi_run_create(exe, NULL, &run, NULL), WADI_OK);
    if (wadi_run_go(run, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(wadi_run_result(run, "r", &r, NULL), WADI_OK);
    assert_int_equal(r.shape[0], sizeof want / sizeof *want);
    assert_memory_equal(r.column[0], want, sizeof want);
    wadi_run_destroy(run);
}

/* The size of what comes to the second stage is not known before the first has run. The compiler of the first does not end before that of the
 * second has begun. */
static void stages_are_compiled_side_by_side(void **state) {
    (void)state;
    if (wadi_thread_processors() < 2) return;
    counted_compiler("tries=1200\n"
                     "while [ $(wc -l <\"${0%/*}/count\") -lt 2 ]; do\n"
                     "  tries=$((tries - 1)); [ $tries -gt 0 ] || exit 1; sleep 0.1\n"
                     "done",
                     "true");
    wadi_exe *exe = compile_stages();
    go_through_stages(exe);
    wadi_exe_destroy(exe);
    assert_int_equal(counted_compilations(), 2);
    exe = compile_stages();
    go_through_stages(exe);
    wadi_exe_destroy(exe);
    assert_int_equal(counted_compilations(), 2); /* all of it was kept */
}

/* A compiler that never ends does not keep the executable. */
static void nobody_has_to_wait_for_what_is_warmed(void **state) {
    (void)state;
    counted_compiler("exec sleep 1000", "exec sleep 1000");
    for (int i = 0; i < 4; i++) {
        wadi_exe *exe = compile();
        wadi_exe_warm(exe, NULL);
        for (int k = 0; i % 2 && k < 1000 && counted_compilations() <= i / 2; k++)
            (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        wadi_exe_destroy(exe);
    }
    assert_true(counted_compilations() <= 4 * KERNELS);
}

static void the_run_tells_what_went_wrong(void **state) {
    (void)state;
    wadi_exe *exe = compile();
    assert_int_equal(setenv("WADI_CC", "no-such-compiler", 1), 0);
    wadi_exe_warm(exe, NULL);
    assert_int_equal(go(exe), WADI_COMPILE);
    counted_compiler("true", "true");
    assert_int_equal(go(exe), WADI_OK);
    wadi_exe_destroy(exe);
}

/* The first compiler makes what says that it is the module wanted, and has no kernel; it is kept. A run may have met it already. */
static void an_entry_without_its_kernel_is_made_anew(void **state) {
    (void)state;
    counted_compiler("for word; do\n"
                     "  case $word in *.c) source=$word;; esac\n"
                     "  [ \"$before\" = -o ] && object=$word; before=$word\n"
                     "done\n"
                     "tail -n 1 \"$source\" | cc -shared -fPIC -x c -o \"$object\" -; exit",
                     "true");
    wadi_exe *exe = compile();
    (void)go(exe);
    wadi_exe_destroy(exe);
    int made[2];
    for (int i = 0; i < 2; i++) {
        exe = compile();
        assert_int_equal(go(exe), WADI_OK);
        wadi_exe_destroy(exe);
        made[i] = counted_compilations();
    }
    assert_int_equal(made[0], made[1]);
}

static void a_forked_child_makes_its_own(void **state) {
    (void)state;
    const char *sanitizer = getenv("WADI_SANITIZE");
    if (sanitizer != NULL && strstr(sanitizer, "thread") != NULL) skip();
    for (int i = 0; i < 3; i++) {
        wadi_exe *exe = compile();
        int status = -1;
        wadi_exe_warm(exe, NULL);
        const pid_t child = fork();
        if (child == 0) {
            (void)alarm(600);
            _exit(go(exe) == WADI_OK ? 0 : 1);
        }
        assert_int_equal(go(exe), WADI_OK);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        wadi_exe_destroy(exe);
        (void)counted_tear_down(NULL);
        (void)counted_set_up(NULL);
    }
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, counted_set_up, counted_tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(a_run_makes_each_kernel_once),    CASE(warming_makes_what_a_run_wants),
        CASE(runs_at_once_share_what_is_made), CASE(nobody_has_to_wait_for_what_is_warmed),
        CASE(the_run_tells_what_went_wrong),   CASE(an_entry_without_its_kernel_is_made_anew),
        CASE(a_forked_child_makes_its_own),    CASE(stages_are_compiled_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
