/* Streams on the device cuda, over the double of its driver: copies both ways, kernels and the host work on different chunks at the same time,
 * whatever the order in which the device does what nobody orders; and a device that is smaller than the stream. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/error.h"
#include "tests/devices/doubles.h"
#include "wadi/wadi.h"

enum { EACH = 128 /* numbers of an element */, CONSTANTS = 50000 };

static const char text[] = "program streams\n"
                           "input c : f64[m]\n"
                           "stream_in s : seq(f64[128])\n"
                           "t = map_seq s (x) {\n"
                           "  y = map x (e) { add (mul e 2.0) (c ! 5) }\n"
                           "  yield y, x\n"
                           "}\n"
                           "stream_out \"out\" t\n";

static wadi_exe *compile(void) {
    wadi_error err = {.status = WADI_OK};
    wadi_exe *exe = NULL;
    if (wadi_compile_text(text, "streams_test", NULL, &exe, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    return exe;
}

/* A run: a stream of n elements that are read, or lie in memory. */
typedef struct stream {
    int64_t n, chunk;
    bool in_memory;
    int wanted;     /* the sink dallies until so many streams of the device have had work at once */
    int64_t wrong;  /* out: numbers */
    int64_t taken;  /* elements */
    int64_t chunks; /* that were computed */
    int64_t chunk_at_end;
} stream;

static double number(int64_t element, int64_t i) {
    return (double)(element * 1000 + i);
}

static wadi_status pull(void *env, int64_t index, wadi_yield *yield, wadi_error *err) {
    const stream *s = env;
    wadi_array a;
    if (index == s->n) return WADI_OK;
    WADI_TRY(wadi_yield_array(yield, 0, NULL, &a, err));
    for (int64_t i = 0; i < EACH; i++) ((double *)a.column[0])[i] = number(index, i);
    return WADI_OK;
}

static void dally(void) {
    const struct timespec nap = {.tv_nsec = 20000000};
    (void)nanosleep(&nap, NULL);
}

static wadi_status push(void *env, int64_t index, int parts, const wadi_array *element,
                        wadi_error *err) {
    stream *s = env;
    WADI_UNUSED(err);
    assert_int_equal(parts, 2);
    if (doubles_at_once() < s->wanted && index % s->chunk == 0) dally();
    for (int64_t i = 0; i < EACH; i++) {
        const double x = number(index, i);
        s->wrong += ((const double *)element[0].column[0])[i] != x * 2 + 5;
        s->wrong += ((const double *)element[1].column[0])[i] != x;
    }
    s->taken++;
    return WADI_OK;
}

static wadi_source *make_source(stream *s, double *all) {
    const wadi_part part = wadi_part_fixed(WADI_F64, 1, (const int64_t[]){EACH});
    const wadi_array a = {
        .rank = 2, .fields = 1, .type = {WADI_F64}, .shape = {s->n, EACH}, .column = {all}};
    wadi_source *source = NULL;
    if (!s->in_memory) {
        assert_int_equal(wadi_source_callback(1, &part, pull, s, &source, NULL), WADI_OK);
        return source;
    }
    for (int64_t i = 0; i < s->n * EACH; i++) all[i] = number(i / EACH, i % EACH);
    assert_int_equal(wadi_source_memory(&a, &source, NULL), WADI_OK);
    return source;
}

static wadi_status give_constants(wadi_run *run, wadi_error *err) {
    static double constants[CONSTANTS];
    const wadi_array c = {
        .rank = 1, .fields = 1, .type = {WADI_F64}, .shape = {CONSTANTS}, .column = {constants}};
    for (int i = 0; i < CONSTANTS; i++) constants[i] = i;
    return wadi_run_input(run, "c", &c, err);
}

/* While the double does what `words` say. */
static wadi_status go(stream *s, const char *words, wadi_error *err) {
    const wadi_run_options options = {
        .threads = 1, .chunk = s->chunk, .policy = "fixed", .device = "cuda", .forget = true};
    wadi_run *run = NULL;
    wadi_sink *sink = NULL;
    wadi_run_stats stats;
    wadi_exe *exe = compile();
    doubles_set(words);
    s->wrong = s->taken = 0;
    double *all = malloc((size_t)(s->n * EACH) * sizeof *all);
    assert_non_null(all);
    wadi_source *source = make_source(s, all);
    assert_int_equal(wadi_sink_callback(push, s, &sink, NULL), WADI_OK);
    wadi_status status = wadi_run_create(exe, &options, &run, err);
    if (status == WADI_OK) status = give_constants(run, err);
    if (status == WADI_OK) status = wadi_run_source(run, "s", source, err);
    if (status == WADI_OK) status = wadi_run_sink(run, "out", sink, err);
    if (status == WADI_OK) status = wadi_run_go(run, err);
    if (run != NULL) {
        wadi_run_stats_get(run, &stats);
        s->chunks = stats.chunks;
        s->chunk_at_end = stats.chunk_elements;
    }
    wadi_run_destroy(run);
    wadi_source_destroy(source);
    wadi_sink_destroy(sink);
    wadi_exe_destroy(exe);
    free(all);
    assert_int_equal(doubles_held(), 0);
    assert_int_equal(s->wrong, 0);
    return status;
}

static void go_well(stream *s, const char *words) {
    wadi_error err = {.status = WADI_OK};
    if (go(s, words, &err) != WADI_OK) fail_msg("%s: %s", words, err.msg);
    assert_int_equal(s->taken, s->n);
}

/* ---- chunks under way ---- */

/* One that is sent, one at work, one that is fetched. */
static void three_chunks_are_under_way_at_once(void **state) {
    (void)state;
    stream s = {.n = 400, .chunk = 8, .wanted = 3};
    go_well(&s, "");
    assert_true(doubles_at_once() >= 3);
    assert_int_equal(s.chunks, 50);
}

static void whatever_comes_early_the_results_are_right(void **state) {
    (void)state;
    for (int early = 1; early <= 3; early++) {
        char words[40];
        stream s = {.n = 200, .chunk = 8};
        (void)snprintf(words, sizeof words, "early=%d", early);
        go_well(&s, words);
    }
}

static void without_pinned_memory_the_results_are_right(void **state) {
    (void)state;
    stream s = {.n = 200, .chunk = 8};
    go_well(&s, "pinned=0");
    go_well(&s, "pinned=1100000"); /* for the first ring, and a little for chunks */
}

static void what_does_not_depend_on_the_stream_is_sent_once(void **state) {
    (void)state;
    const long long constants = CONSTANTS * (long long)sizeof(double);
    stream few = {.n = 16, .chunk = 8}, many = {.n = 400, .chunk = 8};
    go_well(&few, "");
    const long long first = doubles_sent();
    go_well(&many, "");
    assert_true(first > constants);
    assert_true(doubles_sent() - first <
                (many.n - few.n) * EACH * (long long)sizeof(double) + constants / 2);
}

/* The kernels that tell shapes and count units look at shapes alone, and chunks are alike. So a chunk takes one kernel, and two waits: for it, and for what it
 * has computed. */
static void nobody_waits_for_what_is_known(void **state) {
    (void)state;
    stream s = {.n = 400, .chunk = 8};
    go_well(&s, "");
    assert_int_equal(s.chunks, 50);
    assert_true(doubles_calls("cuLaunchKernel") < 2 * s.chunks);
    assert_true(doubles_calls("cuStreamSynchronize") < 3 * s.chunks);
}

/* ---- memory ---- */

/* A stream of 4 MiB on a device of 2 MiB, in chunks of 1 MiB at first, of which there would be several on it. */
static void a_chunk_shrinks_until_the_device_has_room(void **state) {
    (void)state;
    for (int in_memory = 0; in_memory < 2; in_memory++) {
        stream s = {.n = 4096, .chunk = 1024, .in_memory = in_memory == 1};
        go_well(&s, "memory=2097152");
        assert_true(s.chunk_at_end < s.chunk);
        assert_true(s.chunks > 4);
        go_well(&s, "");
        assert_int_equal(s.chunk_at_end, s.chunk);
    }
}

/* ---- a device that is lost ---- */

static void a_device_that_is_lost_is_called_that(void **state) {
    (void)state;
    stream s = {.n = 200, .chunk = 8};
    go_well(&s, "");
    const long calls = doubles_calls(NULL);
    int told = 0;
    for (long at = calls / 4; at < calls; at += calls / 9) {
        char words[40];
        wadi_error err = {.status = WADI_OK};
        (void)snprintf(words, sizeof words, "lost=%ld", at);
        const wadi_status status = go(&s, words, &err);
        if (status == WADI_OK) continue;
        told++;
        assert_int_equal(status, WADI_DEVICE);
        assert_non_null(strstr(err.msg, "cuda:0: the device is lost: "));
    }
    assert_true(told > 3);
}

int main(void) {
    if (!doubles_use()) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_chunks_are_under_way_at_once),
        cmocka_unit_test(whatever_comes_early_the_results_are_right),
        cmocka_unit_test(without_pinned_memory_the_results_are_right),
        cmocka_unit_test(what_does_not_depend_on_the_stream_is_sent_once),
        cmocka_unit_test(nobody_waits_for_what_is_known),
        cmocka_unit_test(a_chunk_shrinks_until_the_device_has_room),
        cmocka_unit_test(a_device_that_is_lost_is_called_that),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
