/* Memory of the interpreter, the parser, the analyses and the printer: nothing is kept afterwards, and what a round of a loop or an
 * element of a stream has allocated is freed before the next. */
#include <stdio.h>
#include <sys/resource.h>

#include "base/error.h"
#include "graph/analysis/depend.h"
#include "tests/graph/module_copy.h"
#include "tests/kept_memory.h"
#include "tests/operators/cases.h"
#include "tests/operators/support.h"

/* ---- nothing is kept ---- */

static void look_at(const wadi_module *m) {
    wadi_shapes *s = NULL;
    wadi_deps *d = NULL;
    wadi_error err = {0};
    wadi_text text;
    wadi_module *copy = module_copy(m);
    assert_non_null(copy);
    assert_int_equal(wadi_ir_verify(copy, &err), WADI_OK);
    wadi_text_init(&text);
    wadi_ir_print(copy, &text);
    wadi_module_destroy(copy);
    wadi_text_fini(&text);
    if (wadi_shapes_analyse(m, &s, &err) == WADI_OK)
        assert_int_equal(wadi_depend_analyse(m, s, &d, &err), WADI_OK);
    wadi_deps_destroy(d);
    wadi_shapes_destroy(s);
}

static void read_and_run(const char *program, void *env) {
    wadi_interp_results *r = NULL;
    wadi_module *m = NULL;
    wadi_error err = {0};
    (void)env;
    if (wadi_ir_parse(program, "t", wadi_operators(), &m, &err) != WADI_OK) return;
    look_at(m);
    if (wadi_interp_run(m, NULL, &r, &err) == WADI_OK) wadi_interp_results_destroy(r);
    wadi_module_destroy(m);
}

/* A file holds many programs that are much alike, so that few turns are enough for the heap to have its habits. Where they are not, the
 * next round shows it: memory that is kept grows in every round (kept_memory.h). */
static void expect_nothing_kept(const char *file) {
    enum { FIRST = 8, THEN = 4, ROUNDS = 6 };
    for (int i = 0; i < FIRST; i++) each_case(file, read_and_run, NULL);
    size_t before = memory_in_use(), more = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < THEN; i++) each_case(file, read_and_run, NULL);
        const size_t after = memory_in_use();
        if (after <= before) return;
        more = after - before;
        before = after;
    }
    fail_msg("%zu bytes more are in use after %s", more, file);
}

/* Programs with mistakes of all kinds, programs that run, and programs that fault. */
static void programs_that_are_over_keep_nothing(void **state) {
    static const char *const files[] = {
        "facts_arrays",       "facts_bodies",       "facts_sequences", "mistakes_arrays",
        "mistakes_functions", "mistakes_sequences", "mistakes_text",   "prints_bindings",
        "prints_functions",   "prints_places",      "runs_control",    "runs_places",
        "runs_reductions",    "runs_sequences",
    };
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "operators/cases/%s", files[i]);
        expect_nothing_kept(name);
    }
}

/* The same of arrays and streams that are bound: to good ones, to some that do not fit, and to a source that fails. */
static wadi_status three(void *env, int64_t index, wadi_array *out, bool *out_end,
                         wadi_error *err) {
    static int64_t values[8];
    *out_end = index == 3;
    *out = host_i64(1, I64S(index), values);
    return *(const int64_t *)env == index ? wadi_fail(err, WADI_IO, "no more") : WADI_OK;
}

static void run_bound(const char *declared, int64_t fails_at) {
    static int64_t values[8];
    const wadi_interp_input in[] = {{"a", host_i64(1, I64S(5), values)},
                                    {"b", host_i64(2, I64S(2, 4), values)}};
    const wadi_interp_source from[] = {{.name = "s", .pull = three, .env = &fails_at},
                                       {.name = "t", .pull = three, .env = &fails_at}};
    const wadi_interp_io io = {.inputs = in, .ninputs = 2, .sources = from, .nsources = 2};
    wadi_interp_results *r = NULL;
    wadi_module *m = NULL;
    wadi_error err = {0};
    char text[512];
    (void)snprintf(text, sizeof text,
                   "program p\n%sx = map_seq s t (y, z) {\n    yield y, z\n}\nstream_out \"o\" "
                   "x\noutput a\noutput b\n",
                   declared);
    if (wadi_ir_parse(text, "t", wadi_operators(), &m, &err) != WADI_OK)
        fail_msg("%s\n%s", err.msg, text);
    if (wadi_interp_run(m, &io, &r, &err) == WADI_OK) wadi_interp_results_destroy(r);
    wadi_module_destroy(m);
}

static void bind_and_run(void *env) {
    static const char *const declared[] = {
        "input a : i64[n]\ninput b : i64[2, k]\ns = stream_in \"s\" : seq(i64[?])\nt = stream_in "
        "\"t\" : seq(i64[?])\n",
        "input a : i64[n]\ninput b : i64[2, n]\ns = stream_in \"s\" : seq(i64[?])\nt = stream_in "
        "\"t\" : seq(i64[?])\n",
        "input a : i64[5]\ninput b : i64[?, ?]\ns = stream_in \"s\" : seq(i64[?])\nt = stream_in "
        "\"t\" : seq(i64[0])\n",
        "input a : i64[5]\ninput b : i64[?, ?]\ns = stream_in \"s\" : seq(i64[?])\nt = stream_in "
        "\"t\" : seq(f32[?])\n",
    };
    (void)env;
    for (size_t i = 0; i < sizeof declared / sizeof *declared; i++)
        for (int64_t fails_at = 1; fails_at < 5; fails_at++) run_bound(declared[i], fails_at);
}

static void what_was_bound_is_given_back(void **state) {
    (void)state;
    assert_keeps_nothing(bind_and_run, NULL);
}

/* ---- memory does not grow with rounds and elements ---- */

/* Of a state or an element: 4000 records of 16 numbers. */
#define LARGE (4000 * 16 * 8)
#define RECORD                                                                                   \
    "{ a: 1.0, b: 1.0, c: 1.0, d: 1.0, e: 1.0, f: 1.0, g: 1.0, h: 1.0, i: 1.0, j: 1.0, k: 1.0, " \
    "l: "                                                                                        \
    "1.0, m: 1.0, n: 1.0, o: 1.0, p: 1.0 }"
/* `s`: n large arrays; `t`: n numbers made from large arrays; `big`: one large array. */
#define PROLOGUE                          \
    "program p\n"                         \
    "n = unit { %lld }\n"                 \
    "record = unit " RECORD "\n"          \
    "big = replicate new=1 record 4000\n" \
    "s = produce n (i) {\n"               \
    "    x = reverse dim=0 big\n"         \
    "    yield x\n"                       \
    "}\n"                                 \
    "t = map_seq s (x) {\n"               \
    "    y = unit { extent x 0 }\n"       \
    "    yield y\n"                       \
    "}\n"
/* The numbers of stream u are all the program gives. */
#define NUMBERS_OF(stream)           \
    "u = map_seq " stream " (x) {\n" \
    "    y = unit { extent x 0 }\n"  \
    "    yield y\n"                  \
    "}\n"                            \
    "out = elements u\n"             \
    "output out\n"

enum { FEW = 3, MANY = 60 };

static int64_t resident_bytes(void) {
    struct rusage used = {0};
    (void)getrusage(RUSAGE_SELF, &used);
    return (int64_t)used.ru_maxrss * 1024;
}

static void run_text(const char *program, int64_t n) {
    char text[4096];
    wadi_interp_results *r = NULL;
    wadi_module *m = NULL;
    wadi_error err = {0};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    (void)snprintf(text, sizeof text, program, (long long)n);
#pragma GCC diagnostic pop
    if (wadi_ir_parse(text, "t", wadi_operators(), &m, &err) != WADI_OK ||
        wadi_interp_run(m, NULL, &r, &err) != WADI_OK)
        fail_msg("%s\n%s", err.msg, text);
    wadi_interp_results_destroy(r);
    wadi_module_destroy(m);
}

static void what_is_used_is_given_back_before_the_next(void **state) {
    static const char *const programs[] = {
        /* rounds of a loop */
        PROLOGUE "zero = unit { 0 }\n"
                 "k, x = awhile zero big (i, a) {\n"
                 "    more = unit { lt (the i) (the n) }\n"
                 "    yield more\n"
                 "} do (i, a) {\n"
                 "    b = reverse dim=0 a\n"
                 "    j = unit { add (the i) 1 }\n"
                 "    yield j, b\n"
                 "}\n"
                 "output k\n",
        /* steps of a fold, which makes more than its state */
        PROLOGUE "out = fold_seq s big (a, x) {\n"
                 "    b = reverse dim=0 x\n"
                 "    yield b\n"
                 "}\n"
                 "l = unit { extent out 0 }\n"
                 "output l\n",
        /* elements that are dropped, filtered out, cut up into none or into many */
        PROLOGUE "d = drop_seq s n\n" NUMBERS_OF("d"),
        PROLOGUE "d = filter_seq s (x) {\n"
                 "    yield false\n"
                 "}\n" NUMBERS_OF("d"),
        PROLOGUE "d = expand_seq s (x) {\n"
                 "    y = take dim=0 x 0\n"
                 "    yield y\n"
                 "}\n"
                 "out = elements d\n"
                 "l = unit { extent out 0 }\n"
                 "output l\n",
        PROLOGUE "d = expand_seq s (x) {\n"
                 "    y = reshape x 2 2000\n"
                 "    yield y\n"
                 "}\n" NUMBERS_OF("d"),
        /* windows, batches and states */
        PROLOGUE "d = windows last=0 s 4000 4000\n" NUMBERS_OF("d"),
        PROLOGUE "d = windows last=1 s 10 1000000\n" NUMBERS_OF("d"),
        PROLOGUE "d = batch s 2\n" NUMBERS_OF("d"),
        PROLOGUE "d = batch t n\n" NUMBERS_OF("d"),
        PROLOGUE "d = scan_seq s big (a, x) {\n"
                 "    b = reverse dim=0 a\n"
                 "    yield b\n"
                 "}\n" NUMBERS_OF("d"),
        /* what ends a stream: of small elements that were large ones */
        PROLOGUE "out = tabulate t\noutput out\n",
        PROLOGUE "a, b = from_seq t\noutput a\noutput b\n",
        PROLOGUE "stream_out \"t\" t\n",
        PROLOGUE "zero = unit { 0 }\n"
                 "out = fold_batch t zero (sum, shapes, values) {\n"
                 "    l = fold 0 values (x, y) { add x y }\n"
                 "    r = unit { add (the sum) (the l) }\n"
                 "    yield r\n"
                 "}\n"
                 "output out\n",
        /* a large state of small chunks */
        PROLOGUE "few = produce n (i) {\n"
                 "    yield i\n"
                 "}\n"
                 "a = fold_batch few big (state, shapes, values) {\n"
                 "    b = reverse dim=0 state\n"
                 "    c = reverse dim=0 b\n"
                 "    yield c\n"
                 "}\n"
                 "l = unit { extent a 0 }\n"
                 "output l\n",
    };
    const char *sanitizer = getenv("WADI_SANITIZE");
    (void)state;
    if (sanitizer && sanitizer[0]) skip(); /* they keep what is given back for a while */
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        run_text(programs[i], FEW);
        const int64_t before = resident_bytes();
        run_text(programs[i], MANY);
        const int64_t grown = resident_bytes() - before;
        if (grown > MANY / 4 * LARGE)
            fail_msg("%lld bytes more for %d elements:\n%s", (long long)grown, MANY, programs[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_that_are_over_keep_nothing),
        cmocka_unit_test(what_was_bound_is_given_back),
        cmocka_unit_test(what_is_used_is_given_back_before_the_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
