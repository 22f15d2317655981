/* Versions that may be faster are compiled while a stream runs. The stream does not wait for them, and a short stream never uses
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
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

#include "base/error.h"
#include "wadi/wadi.h"
#include "tests/api/counted.h"

enum { ROW = 200000 };

/* ---- a stream of rows, summed ---- */

typedef struct stream {
    double row[ROW];
    int64_t lasts_ns;      /* the source ends after so much processor time; 0: never */
    atomic_llong until_ns; /* when that is; 0: no element was delivered yet */
    int64_t begun_with; /* elements delivered when the second compiler had begun; -1: it has not */
    int64_t after;      /* of those after it as many are enough; 0: all are wanted */
    int64_t delivered;
    bool forks; /* once the second compiler has begun */
} stream;

static int64_t worked_ns(void) {
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static wadi_status pull(void *env, int64_t index, wadi_yield *yield, wadi_error *err) {
    stream *s = env;
    wadi_array a;
    (void)index;
    const int64_t until = atomic_load(&s->until_ns);
    if (until > 0 && worked_ns() > until) return WADI_OK;
    const int64_t shape[1] = {ROW};
    WADI_TRY(wadi_yield_array(yield, 0, shape, &a, err));
    memcpy(a.column[0], s->row, sizeof s->row);
    return WADI_OK;
}

static void fork_once(void) {
    int status = -1;
    const pid_t child = fork();
    if (child == 0) _exit(0);
    if (waitpid(child, &status, 0) != child || status != 0) abort();
}

static wadi_status push(void *env, int64_t index, int parts, const wadi_array *element,
                        wadi_error *err) {
    stream *s = env;
    (void)parts;
    (void)element;
    s->delivered = index + 1;
    if (index == 0 && s->lasts_ns > 0) atomic_store(&s->until_ns, worked_ns() + s->lasts_ns);
    if (s->begun_with < 0 && counted_compilations() > 1) {
        s->begun_with = s->delivered;
        if (s->forks) fork_once();
    }
    if (s->after > 0 && s->begun_with >= 0 && s->delivered >= s->begun_with + s->after)
        return wadi_fail(err, WADI_INVALID, "enough");
    return WADI_OK;
}

static wadi_exp heavy(wadi_exp x) {
    return wadi_sin(wadi_mul(x, x));
}

static wadi_acc body(wadi_acc row) {
    return wadi_sum(wadi_map(heavy, row));
}

static wadi_status run(stream *s) {
    wadi_error err = {0};
    wadi_exe *exe = NULL;
    wadi_run *r = NULL;
    wadi_source *source = NULL;
    wadi_sink *sink = NULL;
    const wadi_part part = wadi_part_irregular(WADI_F64, 1);
    const wadi_run_options options = {.threads = 2, .chunk = 8};
    wadi_program *p = wadi_program_create("beside");
    const wadi_component rows = {wadi_scalar_elem(WADI_F64), 1, NULL};
    wadi_stream_out(wadi_map_seq(body, wadi_stream_in("in", 1, &rows)), "out");
    if (wadi_compile(p, NULL, &exe, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_program_destroy(p);
    s->begun_with = -1;
    for (int i = 0; i < ROW; i++) s->row[i] = i;
    assert_int_equal(wadi_source_callback(1, &part, pull, s, &source, NULL), WADI_OK);
    assert_int_equal(wadi_sink_callback(push, s, &sink, NULL), WADI_OK);
    assert_int_equal(wadi_run_create(exe, &options, &r, NULL), WADI_OK);
    assert_int_equal(wadi_run_source(r, "in", source, NULL), WADI_OK);
    assert_int_equal(wadi_run_sink(r, "out", sink, NULL), WADI_OK);
    const wadi_status status = wadi_run_go(r, &err);
    wadi_run_destroy(r);
    wadi_source_destroy(source);
    wadi_sink_destroy(sink);
    wadi_exe_destroy(exe);
    return status;
}

/* ---- tests ---- */

/* The second compiler never ends. Elements are delivered all the same, and nothing waits for it in the end. */
static void a_stream_goes_on_while_another_version_is_made(void **state) {
    static stream s = {.after = 100};
    (void)state;
    counted_compiler("true", "exec sleep 1000");
    assert_int_equal(run(&s), WADI_INVALID);
    assert_true(s.delivered >= s.begun_with + s.after);
}

/* The second compiler never ends, and a fork does not wait for it. */
static void a_fork_ends_a_compiler_that_nobody_needs(void **state) {
    static stream s = {.after = 100, .forks = true};
    const char *sanitizer = getenv("WADI_SANITIZE");
    (void)state;
    if (sanitizer != NULL && strstr(sanitizer, "thread") != NULL) skip();
    counted_compiler("true", "exec sleep 1000");
    assert_int_equal(run(&s), WADI_INVALID);
    assert_true(s.delivered >= s.begun_with + s.after);
}

/* What is left cannot pay for a compiler of three seconds. */
static void a_short_stream_makes_one_version(void **state) {
    static stream s = {.lasts_ns = 700000000};
    (void)state;
    counted_compiler("sleep 3", "sleep 3");
    assert_int_equal(run(&s), WADI_OK);
    assert_true(s.delivered > 0);
    assert_int_equal(counted_compilations(), 1);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, counted_set_up, counted_tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(a_stream_goes_on_while_another_version_is_made),
        CASE(a_fork_ends_a_compiler_that_nobody_needs),
        CASE(a_short_stream_makes_one_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
