/* Arrays that no memory is large enough for: the message names the operator the user wrote, the bytes wanted, and the place, in
 * every schedule and on every device of this process, and the status is WADI_MEMORY. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "wadi/wadi.h"

static const wadi_run_options ways[] = {
    {.threads = 2, .schedule = WADI_SCHEDULE_AUTO},
    {.threads = 2, .schedule = WADI_SCHEDULE_FORCE_INSIDE},
    {.threads = 2, .schedule = WADI_SCHEDULE_FORCE_FLAT},
    {.threads = 2, .schedule = WADI_SCHEDULE_AUTO, .device = "null"},
    {.threads = 2, .schedule = WADI_SCHEDULE_FORCE_INSIDE, .device = "null"},
    {.threads = 2, .schedule = WADI_SCHEDULE_FORCE_FLAT, .device = "null"}};

static wadi_exe *compiled(const char *text) {
    wadi_exe *exe = NULL;
    wadi_error err;
    if (wadi_compile_text(text, "p.wadi", NULL, &exe, &err) != WADI_OK) fail_msg("%s", err.msg);
    return exe;
}

static int64_t bytes_in(const char *message) {
    static const char words[] = "no memory for ";
    const char *at = strstr(message, words);
    return at ? strtoll(at + sizeof words - 1, NULL, 10) : 0;
}

static void assert_told(const wadi_error *err, const char *op, const char *place) {
    if (strncmp(err->msg, op, strlen(op)) != 0 || strstr(err->msg, place) == NULL ||
        bytes_in(err->msg) < INT64_C(1000000000))
        fail_msg("\"%s\" does not say that %s wanted memory at %s", err->msg, op, place);
    assert_int_equal(err->status, WADI_MEMORY);
}

static void an_array_of_the_main_block(void **state) {
    (void)state;
    wadi_exe *exe = compiled("program p\n"
                             "input n : i64\n"
                             "big = generate n 1000 (i, j) { add j (mul i (the n)) }\n"
                             "s = scanl1 big (a, b) { add a b }\n"
                             "output s\n");
    int64_t n = INT64_C(10000000000000);
    const wadi_array count = {.fields = 1, .type = {WADI_I64}, .column = {&n}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        wadi_run *run = NULL;
        wadi_error err = {.status = WADI_OK};
        assert_int_equal(wadi_run_create(exe, &ways[i], &run, &err), WADI_OK);
        assert_int_equal(wadi_run_input(run, "n", &count, &err), WADI_OK);
        assert_int_equal(wadi_run_go(run, &err), WADI_MEMORY);
        assert_told(&err, "scanl1: ", "at p.wadi:4");
        wadi_run_destroy(run);
    }
    wadi_exe_destroy(exe);
}

/* Runs it over the elements of a stream. */
static wadi_status go(const wadi_exe *exe, const wadi_run_options *way, const wadi_array *xs,
                      wadi_error *err) {
    wadi_run *run = NULL;
    wadi_source *source = NULL;
    wadi_sink *sink = NULL;
    assert_int_equal(wadi_run_create(exe, way, &run, err), WADI_OK);
    assert_int_equal(wadi_source_memory(xs, &source, err), WADI_OK);
    assert_int_equal(wadi_sink_memory(&sink, err), WADI_OK);
    assert_int_equal(wadi_run_source(run, "xs", source, err), WADI_OK);
    assert_int_equal(wadi_run_sink(run, "ys", sink, err), WADI_OK);
    const wadi_status status = wadi_run_go(run, err);
    wadi_run_destroy(run);
    wadi_source_destroy(source);
    wadi_sink_destroy(sink);
    return status;
}

/* The elements before it have been delivered. */
static void an_array_within_an_element(void **state) {
    (void)state;
    wadi_exe *exe = compiled("program p\n"
                             "stream_in xs : seq(i64)\n"
                             "ys = map_seq xs (x) {\n"
                             "  n = unit { mul (the x) 10000000000 }\n"
                             "  big = generate n 1000 (i, j) { add (add i j) (the x) }\n"
                             "  s = scanl1 big (a, b) { add a b }\n"
                             "  z = unit { 0 }\n"
                             "  l = fold z s (a, b) { max a b }\n"
                             "  m = fold1 s (a, b) { min a (mul b 3) }\n"
                             "  both = zip_with l m (a, b) { add a b }\n"
                             "  yield both\n"
                             "}\n"
                             "stream_out \"ys\" ys\n");
    int64_t xs[] = {1000, 2000, 5000};
    const wadi_array rows = {
        .rank = 1, .fields = 1, .type = {WADI_I64}, .shape = {3}, .column = {xs}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        wadi_error err = {.status = WADI_OK};
        assert_int_equal(go(exe, &ways[i], &rows, &err), WADI_MEMORY);
        assert_told(&err, "scanl1: ", "element 0, at p.wadi:6");
    }
    wadi_exe_destroy(exe);
}

/* Only the beginning of the large array is needed, so it is not stored. But indices in it, or what is made of its extent, would wrap around, and what is read
 * there would lie outside of c. */
static const struct {
    const char *body, *told;
    int64_t x; /* k */
} not_stored[] = {
    {"g = generate k (i) { c ! (add (add (the k) (the k)) i) }\n"
     "t = take dim=0 g 2\n",
     "generate: no memory: more bytes than can be counted, element 0, at p.wadi:5", INT64_MAX - 49},
    {"g = generate k (i) { c ! (add (the k) i) }\n"
     "t = fold1 g (a, b) { add a b }\n",
     "generate: no memory: more bytes than can be counted, element 0, at p.wadi:5",
     INT64_MAX / 2 + 2},
    {"g = generate k (i) { c ! (mul (the k) 1048576) }\n"
     "t = take dim=0 g 2\n",
     "generate: no memory for 140737488355328 bytes, element 0, at p.wadi:5", INT64_C(1) << 44},
    {"e = take dim=0 c 0\n"
     "g = reshape e k k\n"
     "t = slice dropped=1,1 g 1 0\n",
     "reshape: no memory: more bytes than can be counted, element 0, at p.wadi:6",
     INT64_C(1) << 32},
    {"f = generate k (i) { i }\n"
     "g = reshape c 6074353639229 5838871502974\n"
     "t = slice dropped=1,1 g 1 0\n",
     "reshape: no memory: more bytes than can be counted, at p.wadi:6", 1},
    {"f = generate k k (i, j) { add i j }\n"
     "t = compute f\n",
     "compute: no memory: more bytes than can be counted, element 0, at p.wadi:6",
     INT64_C(1) << 40},
};

static void large_arrays_that_are_not_stored(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof not_stored / sizeof *not_stored; k++) {
        char text[600];
        (void)snprintf(text, sizeof text,
                       "program p\nc = generate 6 (i) { add i 10 }\n"
                       "stream_in xs : seq(i64)\nys = map_seq xs (k) {\n%syield t\n}\n"
                       "stream_out \"ys\" ys\n",
                       not_stored[k].body);
        wadi_exe *exe = compiled(text);
        const wadi_array rows = {.rank = 1,
                                 .fields = 1,
                                 .type = {WADI_I64},
                                 .shape = {1},
                                 .column = {(void *)&not_stored[k].x}};
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            wadi_error err = {.status = WADI_OK};
            assert_int_equal(go(exe, &ways[i], &rows, &err), WADI_MEMORY);
            assert_string_equal(err.msg, not_stored[k].told);
        }
        wadi_exe_destroy(exe);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_array_of_the_main_block),
                                       cmocka_unit_test(an_array_within_an_element),
                                       cmocka_unit_test(large_arrays_that_are_not_stored)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
