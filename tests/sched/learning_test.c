/* When a run reads a learned chunk size, and when it saves one. It does neither if a size is given or the options forbid it. It saves
 * only after a run of at least 0.2 s on the first device that ended well. Within a process the next run goes on where the last one has
 * left off, however short it was. */
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
#include "base/file.h"
#include "base/keep.h"
#include "sched/run.h"
#include "sched/stream.h"
#include "tests/sched/hand_plan.h"

enum { N = 300, PLANTED = 64 };

static char directory[] = "/tmp/wadi_learning_XXXXXX";

/* ---- a clock that goes only where the source says so ---- */

static atomic_llong now_ns;

static int64_t now(void) {
    return atomic_load(&now_ns);
}

/* Its first chunk takes all the time there is. */
typedef struct source {
    wadi_source base;
    int64_t given, first, takes_ns;
    bool fails;
} source;

static void destroy(wadi_source *self) {
    (void)self;
}

static wadi_status next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    source *s = (source *)self;
    if (s->first == 0) {
        s->first = k;
        atomic_fetch_add(&now_ns, s->takes_ns);
    }
    if (s->fails && s->given == N) {
        *err = (wadi_error){.status = WADI_IO, .msg = "the tape is torn"};
        return WADI_IO;
    }
    for (; b->count < k && s->given < N; s->given++) {
        const int64_t shape = 1;
        wadi_array a;
        assert_int_equal(wadi_builder_array(b, 0, &shape, &a, err), WADI_OK);
        *(int32_t *)a.column[0] = 1;
        assert_int_equal(wadi_builder_next(b, err), WADI_OK);
    }
    return WADI_OK;
}

/* ---- runs ---- */

static const char *path(const char *policy) {
    static char all[128];
    (void)snprintf(all, sizeof all, "%s/07000000000000000000000000000000-0-%s.size", directory,
                   policy);
    return all;
}

static const char planted[] = "# x\nprobe 64\n";

typedef struct row {
    int64_t chunk;
    const char *policy, *device;
    bool forget, off, plant, fails;
    int64_t takes_ns;
    int64_t first; /* the size of the first chunk */
    bool leaves;   /* a file of its own */
} row;

static const row rows[] = {
    {.takes_ns = 200000000, .first = 1, .leaves = true},
    {.takes_ns = 199999999, .first = 1},
    {.takes_ns = 200000000, .first = PLANTED, .plant = true, .leaves = true},
    {.takes_ns = 1000, .first = PLANTED, .plant = true},
    {.takes_ns = 300000000, .first = 1, .plant = true, .forget = true},
    {.takes_ns = 300000000, .first = 1, .plant = true, .off = true},
    {.takes_ns = 300000000, .first = 1, .plant = true, .device = "null"},
    {.takes_ns = 300000000, .first = 1, .device = "null"},
    {.takes_ns = 300000000, .first = 8, .plant = true, .chunk = 8},
    {.takes_ns = 300000000, .first = 8, .plant = true, .chunk = 8, .policy = "probe"},
    {.takes_ns = 300000000, .first = 1, .plant = true, .policy = "paper", .leaves = true},
    {.takes_ns = 300000000, .first = PLANTED, .plant = true, .fails = true},
};

/* How large the first chunk was. */
static int64_t run(const row *r) {
    static const wadi_source_ops ops = {destroy, next};
    source in = {.base = {.ops = &ops, .parts = 1}, .takes_ns = r->takes_ns, .fails = r->fails};
    const wadi_run_options options = {.threads = 1,
                                      .chunk = r->chunk,
                                      .policy = r->policy,
                                      .device = r->device,
                                      .forget = r->forget};
    hand_program h;
    wadi_run *x = NULL;
    in.base.part[0] = wadi_part_irregular(WADI_I32, 1);
    hand_doubling(&h, WADI_END_ELEMENTS);
    h.plan.program[0] = 7;
    const wadi_loader loader = hand_loader(&h);
    assert_int_equal(wadi_run_create_for(&h.plan, &loader, &options, &x, NULL), WADI_OK);
    assert_int_equal(wadi_run_source(x, "in", &in.base, NULL), WADI_OK);
    assert_int_equal(wadi_run_go(x, NULL), r->fails ? WADI_IO : WADI_OK);
    wadi_run_destroy(x);
    return in.first;
}

static void sizes_are_read_and_kept_when_they_should_be(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const row *r = &rows[i];
        const char *policy = r->policy != NULL ? r->policy : r->chunk > 0 ? "fixed" : "probe";
        const bool same = r->plant && strcmp(policy, "probe") == 0;
        char *text = NULL;
        size_t n = 0;
        assert_int_equal(setenv("WADI_LEARN", r->off ? "off" : "on", 1), 0);
        if (r->plant)
            assert_int_equal(wadi_file_write(path("probe"), planted, strlen(planted), 0600, NULL),
                             WADI_OK);
        atomic_store(&now_ns, 1000000000);
        assert_int_equal(run(r), r->first);
        const wadi_status there = wadi_file_read(path(policy), &text, &n, NULL);
        if ((there == WADI_OK) != (r->leaves || same)) fail_msg("row %d", (int)i);
        if (same && !r->leaves) assert_string_equal(text, planted);
        if (r->leaves)
            assert_non_null(strstr(text, "# elements per chunk: program hand, stream 0"));
        free(text);
        (void)unlink(path(policy));
        (void)unlink(path("probe"));
    }
}

static void the_next_run_goes_on_where_the_last_one_has_left_off(void **state) {
    (void)state;
    static const row plain = {.takes_ns = 1000}, forgetful = {.forget = true}, fixed = {.chunk = 8},
                     other = {.policy = "paper"}, away = {.device = "null"};
    assert_int_equal(setenv("WADI_LEARN", "on", 1), 0);
    wadi_keep_hold();
    assert_int_equal(run(&plain), 1);
    const int64_t second = run(&plain);
    assert_true(second > 1);
    assert_int_equal(run(&forgetful), 1);
    assert_int_equal(run(&fixed), 8);
    assert_int_equal(run(&other), 1);
    assert_int_equal(run(&away), 1);
    assert_true(run(&plain) >= second);
    assert_int_equal(setenv("WADI_LEARN", "off", 1), 0);
    assert_int_equal(run(&plain), 1);
    assert_int_equal(setenv("WADI_LEARN", "on", 1), 0);
    wadi_keep_drop();
    assert_int_equal(run(&plain), 1);
}

static int set_up(void **state) {
    (void)state;
    wadi_clock_set(now);
    return mkdtemp(directory) != NULL && setenv("WADI_CACHE_DIR", directory, 1) == 0 ? 0 : 1;
}

static int tear_down(void **state) {
    (void)state;
    wadi_clock_set(NULL);
    return rmdir(directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_read_and_kept_when_they_should_be),
        cmocka_unit_test(the_next_run_goes_on_where_the_last_one_has_left_off),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
