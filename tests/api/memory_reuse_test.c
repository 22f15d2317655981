/* Memory of whole arrays is given back when nobody reads them any more: the peak of a run, against what `wadi explain` says and against the
 * arrays that must be there at a time. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wadi/wadi.h"

/* Blocks of the pool are powers of two, or half as much again; so is an array here, with the few elements that scans add. */
enum { N = (1 << 18) - 100, ARRAY = 8 * N };

#define BEGIN "program p\ninput xs : f64[n]\n"
#define SCAN(to, from) #to " = scanl 0.0 " #from " (x, y) { max x y }\n"
#define SUM(from) "result = fold 0.0 " #from " (x, y) { add x y }\noutput result\n"
#define CHAIN   \
    SCAN(a, xs) \
    SCAN(b, a)  \
    SCAN(c, b) SCAN(d, c) SCAN(e, d) SCAN(f, e) SCAN(g, f) SCAN(h, g) SCAN(i, h) SCAN(j, i)

static double xs[N];

typedef struct ran {
    wadi_exe *exe;
    wadi_run *run;
    wadi_source *source;
    double result;
    int64_t peak;
    char *told;
} ran;

/* Rows where the text has an array of rank 2; one element of a stream. */
enum { ROWS = 4, COLUMNS = N / ROWS };

static void bind(ran *r, const char *text, bool streams) {
    const bool table = strstr(text, "[h, w]") != NULL;
    wadi_array a = {.rank = streams || table ? 2 : 1, .fields = 1, .type = {WADI_F64}};
    a.shape[0] = table ? ROWS : streams ? 1 : N;
    a.shape[1] = table ? COLUMNS : N;
    a.column[0] = xs;
    for (int i = 0; i < N; i++) xs[i] = (i * 7919) % 1000;
    if (!streams) assert_int_equal(wadi_run_input(r->run, "xs", &a, NULL), WADI_OK);
    if (!streams) return;
    assert_int_equal(wadi_source_memory(&a, &r->source, NULL), WADI_OK);
    assert_int_equal(wadi_run_source(r->run, "s", r->source, NULL), WADI_OK);
}

static ran run(const char *text, const wadi_run_options *options, bool streams) {
    ran r = {NULL};
    wadi_error err = {.status = WADI_OK};
    wadi_run_stats s;
    wadi_array result;
    const char *extents = strstr(text, "m]")   ? "m=7,n=262044"
                          : strstr(text, "w]") ? "h=4,w=65511"
                          : strstr(text, "n]") ? "n=262044"
                                               : NULL;
    const wadi_compile_options compile = {.explain = true, .extents = extents};
    if (wadi_compile_text(text, "p", &compile, &r.exe, &err) != WADI_OK) fail_msg("%s", err.msg);
    if (wadi_run_create(r.exe, options, &r.run, &err) != WADI_OK) fail_msg("%s", err.msg);
    bind(&r, text, streams);
    if (wadi_run_go(r.run, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(wadi_run_result(r.run, "result", &result, NULL), WADI_OK);
    r.result = *(double *)result.column[0];
    assert_int_equal(wadi_explain(r.exe, &r.told, NULL), WADI_OK);
    wadi_run_stats_get(r.run, &s);
    r.peak = s.memory_peak;
    return r;
}

static ran run_arrays(const char *text) {
    return run(text, &(wadi_run_options){.threads = 2}, false);
}

static void end(ran *r) {
    wadi_run_destroy(r->run);
    wadi_exe_destroy(r->exe);
    wadi_source_destroy(r->source);
    free(r->told);
}

/* What explain says of the bytes at a time. */
static int64_t told(const ran *r) {
    static const char words[] = "memory, at most: ";
    const char *at = strstr(r->told, words);
    assert_non_null(at);
    char *behind = NULL;
    const int64_t bytes = strtoll(at + strlen(words), &behind, 10);
    assert_memory_equal(behind, " bytes at a time", 16);
    return bytes;
}

/* Descriptors and parts of sums are small. */
static void is_about(int64_t is, int64_t arrays) {
    if (is < arrays * ARRAY || is >= arrays * ARRAY + ARRAY / 4)
        fail_msg("%" PRId64 " bytes, expected %" PRId64 " arrays of %d", is, arrays, ARRAY);
}

/* Ten scans and a sum. The greatest number is at most 999, and the last scan has it in all places but a few. */
static void two_of_a_chain_are_there_at_a_time(void **state) {
    (void)state;
    ran r = run_arrays(BEGIN CHAIN SUM(j));
    is_about(r.peak, 2);
    is_about(told(&r), 2);
    const double sum = r.result;
    assert_true(sum > 990.0 * N && sum <= 999.0 * (N + 10));
    end(&r);
    r = run(BEGIN CHAIN SUM(j), &(wadi_run_options){.device = "null"}, false);
    assert_true(r.result == sum);
    end(&r);
    r = run(BEGIN CHAIN SUM(j), &(wadi_run_options){.schedule = WADI_SCHEDULE_FORCE_INSIDE}, false);
    assert_true(r.result == sum);
    end(&r);
}

#define STENCIL(to, from) \
#to " = stencil dims=2 edge=1 near=3,-1,0,0,0,1,0 " #from " (x, y, z) { max x (max y z) }\n"

/* Six stencils, which could run in strips if rows were shorter, and a sum. */
static void two_of_stencils_are_there_at_a_time(void **state) {
    static const char text[] =
        "program p\ninput xs : f64[h, w]\n" STENCIL(a, xs) STENCIL(b, a) STENCIL(c, b) STENCIL(d, c)
            STENCIL(e, d) STENCIL(f, e) "s = fold 0.0 f (x, y) { add x y }\n" SUM(s);
    (void)state;
    ran r = run_arrays(text);
    is_about(r.peak, 2);
    is_about(told(&r), 2);
    const double sum = r.result;
    end(&r);
    r = run(text, &(wadi_run_options){.schedule = WADI_SCHEDULE_FORCE_INSIDE}, false);
    assert_true(r.result == sum);
    end(&r);
}

#define SCAN1(to, from) #to " = scanl1 " #from " (x, y) { max x y }\n"

/* Scans and maps that each replace what they read: one array, besides what the caller has given, which stays as it is. */
static void one_of_a_chain_in_place_is_there(void **state) {
    static const char text[] = BEGIN SCAN1(a, xs) SCAN1(b, a) "c = map b (x) { add x 1.0 }\n" SCAN1(
        d,
        c) "e = map d (x) { mul x 2.0 }\n" SCAN1(f,
                                                 e) "z = unit { 0 }\n"
                                                    "g = generate z (k) { f ! k }\nresult = fold "
                                                    "0.0 g (x, y) { add x y }\noutput result\n"
                                                    "h = zip_with f f (x, y) { add x y }\noutput "
                                                    "h\n";
    static const wadi_run_options options[] = {{.threads = 2},
                                               {.threads = 1},
                                               {.device = "null"},
                                               {.schedule = WADI_SCHEDULE_FORCE_INSIDE},
                                               {.schedule = WADI_SCHEDULE_FORCE_GROUP}};
    (void)state;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        wadi_array h;
        ran r = run(text, &options[i], false);
        if (i < 2) is_about(r.peak, 1);
        is_about(told(&r), 1);
        assert_int_equal(wadi_run_result(r.run, "h", &h, NULL), WADI_OK);
        const double *is = h.column[0];
        double most = 0;
        for (int k = 0; k < N; k++) {
            assert_true(xs[k] == (double)((k * 7919) % 1000));
            if (xs[k] > most) most = xs[k];
            if (is[k] != 4 * (most + 1)) fail_msg("%zu: element %d is %f", i, k, is[k]);
        }
        end(&r);
    }
}

/* a is a result, c is read once more at the end. */
static void what_is_read_later_stays(void **state) {
    (void)state;
    ran r = run_arrays(BEGIN CHAIN
                       "five = unit { 5 }\nboth = generate five (k) { add (j ! k) (c ! k) }\n"
                       "output a\noutput both\n" SUM(j));
    is_about(r.peak, 4);
    is_about(told(&r), 4);
    wadi_array a;
    assert_int_equal(wadi_run_result(r.run, "a", &a, NULL), WADI_OK);
    assert_true(((double *)a.column[0])[0] == 0 && ((double *)a.column[0])[1] == xs[0]);
    assert_true(((double *)a.column[0])[N] == 999);
    end(&r);
}

/* A stream reads c; what comes behind the stream reads b, through something that is not stored. */
static void what_other_phases_read_stays(void **state) {
    (void)state;
    ran r = run_arrays(BEGIN CHAIN "twice = map b (x) { mul x 2.0 }\nm = unit { 3 }\n"
                                   "s = produce m (k) {\n"
                                   "    w = unit { c ! (add (the k) 3) }\n    yield w\n}\n"
                                   "late = fold_seq s 0.0 (z, w) {\n"
                                   "    v = unit { add (the z) (the w) }\n    yield v\n}\n"
                                   "more = map twice (x) { add x (the late) }\n"
                                   "most = fold 0.0 more (x, y) { max x y }\n"
                                   "output most\n" SUM(j));
    is_about(r.peak, 4);
    is_about(told(&r), 4);
    wadi_array most;
    assert_int_equal(wadi_run_result(r.run, "most", &most, NULL), WADI_OK);
    /* xs begins with 0, 919, so c begins with 0, 0, 0, 0, 919, 919; the greatest of b is 999 */
    assert_true(*(double *)most.column[0] == 2 * 919 + 2 * 999);
    end(&r);
}

/* Values of a chunk, where its elements are large. */
static void two_of_an_element_are_there_at_a_time(void **state) {
    (void)state;
    const wadi_run_options options = {
        .threads = 2, .schedule = WADI_SCHEDULE_FORCE_FLAT, .stages = WADI_STAGES_JOINED};
    ran r = run("program p\nstream_in s : seq(f64[?])\nt = map_seq s (xs) {\n" CHAIN
                "sum = fold 0.0 j (x, y) { add x y }\nyield sum\n}\n"
                "result = fold_seq t 0.0 (z, w) {\nv = unit { add (the z) (the w) }\nyield v\n}\n"
                "output result\n",
                &options, true);
    is_about(r.peak, 2);
    assert_true(r.result > 990.0 * N);
    end(&r);
}

/* Any of five sums may be the largest: what bounds them all is told. */
static void many_sums_are_bounded_by_all(void **state) {
#define ONE(k)                                      \
    "input x" #k " : f64[n" #k "]\n"                \
    "a" #k " = scanl1 x" #k " (x, y) { max x y }\n" \
    "s" #k " = fold 0.0 a" #k " (x, y) { add x y }\noutput s" #k "\n"
    (void)state;
    static const char text[] = "program p\n" ONE(0) ONE(1) ONE(2) ONE(3) ONE(4);
    static const wadi_compile_options o = {.explain = true,
                                           .extents = "n0=1,n1=1,n2=1,n3=1,n4=1000"};
    static const char *const wanted[] = {" bytes at a time, as any pass may need most; ", "8*n4"};
    wadi_error err = {.status = WADI_OK};
    wadi_exe *exe = NULL;
    char *told = NULL;
    const wadi_compile_options formulas = {.explain = true};
    if (wadi_compile_text(text, "p", &formulas, &exe, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(wadi_explain(exe, &told, NULL), WADI_OK);
    for (int i = 0; i < 2; i++)
        if (strstr(strstr(told, "memory, at most: "), wanted[i]) == NULL) fail_msg("%s", told);
    free(told);
    wadi_exe_destroy(exe);
    if (wadi_compile_text(text, "p", &o, &exe, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(wadi_explain(exe, &told, NULL), WADI_OK);
    const int64_t most = strtoll(strstr(told, "memory, at most: ") + 17, NULL, 10);
    assert_in_range(most, 8 * 1000, 8 * 1100);
    free(told);
    wadi_exe_destroy(exe);
#undef ONE
}

static void extents_are_numbers(void **state) {
    static const char *const wrong[] = {
        "n", "n=", "=3", "n=3,", "n=-1", ",n=3", "n=x", "n=3;m=4", "n=1234567890123456"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        wadi_error err = {.status = WADI_OK};
        wadi_exe *exe = NULL;
        const wadi_compile_options o = {.explain = true, .extents = wrong[i]};
        if (wadi_compile_text(BEGIN SUM(xs), "p", &o, &exe, &err) != WADI_INVALID)
            fail_msg("%s is taken", wrong[i]);
        assert_non_null(strstr(err.msg, "NAME=NUMBER"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_of_a_chain_are_there_at_a_time),
                                       cmocka_unit_test(two_of_stencils_are_there_at_a_time),
                                       cmocka_unit_test(one_of_a_chain_in_place_is_there),
                                       cmocka_unit_test(what_is_read_later_stays),
                                       cmocka_unit_test(what_other_phases_read_stays),
                                       cmocka_unit_test(two_of_an_element_are_there_at_a_time),
                                       cmocka_unit_test(many_sums_are_bounded_by_all),
                                       cmocka_unit_test(extents_are_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
