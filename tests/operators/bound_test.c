/* Arrays that are bound to a program's inputs and streams but do not fit their declarations. */
#include <stdio.h>
#include <string.h>

#include "tests/operators/support.h"

static wadi_module *read_program(const char *text) {
    wadi_module *m = NULL;
    wadi_error err = {0};
    if (wadi_ir_parse(text, "t", wadi_operators(), &m, &err) != WADI_OK) fail_msg("%s", err.msg);
    return m;
}

/* Runs and frees the program; the run must end like this. */
static void ends(wadi_module *m, const wadi_interp_io *io, wadi_status want, const char *message) {
    wadi_interp_results *r = NULL;
    wadi_error err = {0};
    const wadi_status st = wadi_interp_run(m, io, &r, &err);
    if (st != want || (st != WADI_OK && strcmp(err.msg, message) != 0))
        fail_msg("%s: \"%s\", expected \"%s\"", wadi_status_name(st), st == WADI_OK ? "" : err.msg,
                 message);
    wadi_interp_results_destroy(r);
    wadi_module_destroy(m);
}

static int64_t some[64];
static float floats_too[64];

static wadi_array ints_of(int rank, int64_t a, int64_t b) {
    return host_i64(rank, (const int64_t[]){a, b}, some);
}

/* Two inputs, `a` and `b`, bound to arrays. */
static void inputs_end(const char *types, wadi_array a, wadi_array b, wadi_status want,
                       const char *message) {
    const wadi_interp_input in[] = {{"other", b}, {"a", a}, {"b", b}};
    const wadi_interp_io io = {.inputs = in, .ninputs = 3};
    ends(read_program(types), &io, want, message);
}

static void inputs_that_do_not_fit(void **state) {
    (void)state;
    const wadi_array v3 = ints_of(1, 3, 0), v4 = ints_of(1, 4, 0), m34 = ints_of(2, 3, 4);
    const wadi_array f3 = host_f32(1, (const int64_t[]){3}, floats_too);
    wadi_array two = v3, below = v3;
    two.fields = 2;
    two.type[1] = WADI_F32;
    two.column[1] = floats_too;
    below.shape[0] = -1;
    inputs_end("program p\ninput a : i64[n]\ninput b : i64[n]\noutput a\n", v3, v3, WADI_OK, "");
    inputs_end("program p\ninput a : i64[n]\ninput b : i64[n]\noutput a\n", v3, v4, WADI_SHAPE,
               "input 'b': extent 0 is 4, but n is 3 already");
    inputs_end("program p\ninput a : i64[n]\ninput b : i64[k, n]\noutput a\n", v3, m34, WADI_SHAPE,
               "input 'b': extent 1 is 4, but n is 3 already");
    inputs_end("program p\ninput a : i64[n]\ninput b : i64[n, k]\noutput a\n", v3, m34, WADI_OK,
               "");
    inputs_end("program p\ninput a : i64[3]\ninput b : i64[?, 5]\noutput a\n", v3, m34, WADI_SHAPE,
               "input 'b': extent 1 is 4, expected 5");
    inputs_end("program p\ninput a : i64[4]\ninput b : i64[?]\noutput a\n", v3, v3, WADI_SHAPE,
               "input 'a': extent 0 is 3, expected 4");
    inputs_end("program p\ninput a : i64\ninput b : i64[?]\noutput a\n", v3, v3, WADI_SHAPE,
               "input 'a': rank 1, expected 0");
    inputs_end("program p\ninput a : i64[?]\ninput b : i64[?]\noutput a\n", m34, v3, WADI_SHAPE,
               "input 'a': rank 2, expected 1");
    inputs_end("program p\ninput a : i64[?]\ninput b : f32[?]\noutput a\n", v3, v3, WADI_TYPE,
               "input 'b': field 0 is i64, expected f32");
    inputs_end("program p\ninput a : {x: i64, y: i64}[?]\ninput b : i64[?]\noutput a\n", two, v3,
               WADI_TYPE, "input 'a': field 1 is f32, expected i64");
    inputs_end("program p\ninput a : {x: i64, y: f32}[?]\ninput b : i64[?]\noutput a\n", two, v3,
               WADI_OK, "");
    inputs_end("program p\ninput a : i64[?]\ninput b : i64[?]\noutput a\n", two, v3, WADI_TYPE,
               "input 'a': 2 fields, expected 1");
    inputs_end("program p\ninput a : {x: f32, y: f32}[?]\ninput b : i64[?]\noutput a\n", f3, v3,
               WADI_TYPE, "input 'a': 1 fields, expected 2");
    inputs_end("program p\ninput a : i64[?]\ninput b : i64[?]\noutput a\n", below, v3, WADI_SHAPE,
               "input 'a': impossible extents");
    inputs_end("program p\ninput a : i64[?]\ninput c : i64[?]\noutput a\n", v3, v3, WADI_INVALID,
               "input: nothing is bound to 'c'");
    inputs_end("program p\nx = acond true {\n    c = input \"c\" : i64[?]\n    yield c\n} else {\n"
               "    d = input \"a\" : i64[?]\n    yield d\n}\noutput x\n",
               v3, v3, WADI_INVALID, "input: nothing is bound to 'c'");
}

/* A stream of pairs, bound to the arrays given. */
static void stream_ends(const char *text, int64_t n, const wadi_array *elements, wadi_status want,
                        const char *message) {
    const wadi_array v3 = ints_of(1, 3, 0);
    const wadi_interp_input in[] = {{"a", v3}};
    const wadi_interp_source from[] = {{.name = "none"},
                                       {.name = "s", .n = n, .elements = elements}};
    const wadi_interp_io io = {.inputs = in, .ninputs = 1, .sources = from, .nsources = 2};
    ends(read_program(text), &io, want, message);
}

static void streams_that_do_not_fit(void **state) {
    (void)state;
    const wadi_array v3 = ints_of(1, 3, 0), v4 = ints_of(1, 4, 0), m34 = ints_of(2, 3, 4);
    const wadi_array good[] = {v3, v4, v3, v4}, later[] = {v3, v4, v4, v4},
                     rank[] = {v3, m34, v3, v4};
    stream_ends("program p\nstream_in s : seq(i64[3], i64[n])\nstream_out \"o\" s\n", 2, good,
                WADI_OK, "");
    stream_ends("program p\nstream_in s : seq(i64[3], i64[n])\nstream_out \"o\" s\n", 2, later,
                WADI_SHAPE, "stream 's': extent 0 is 4, expected 3");
    stream_ends("program p\nstream_in s : seq(i64[n], i64[k])\nstream_out \"o\" s\n", 2, later,
                WADI_SHAPE, "stream 's': extent 0 is 4, but n is 3 already");
    stream_ends(
        "program p\ninput a : i64[n]\nstream_in s : seq(i64[?], i64[n])\nstream_out \"o\" s\n", 2,
        good, WADI_SHAPE, "stream 's': extent 0 is 4, but n is 3 already");
    stream_ends("program p\nstream_in s : seq(i64[?], i64[?])\nstream_out \"o\" s\n", 2, rank,
                WADI_SHAPE, "stream 's': rank 2, expected 1");
    stream_ends("program p\nstream_in s : seq(i64[?], f32[?])\nstream_out \"o\" s\n", 2, good,
                WADI_TYPE, "stream 's': field 0 is i64, expected f32");
    stream_ends("program p\nstream_in t : seq(i64[?], i64[?])\nstream_out \"o\" t\n", 2, good,
                WADI_INVALID, "stream_in: nothing is bound to 't'");
    stream_ends(
        "program p\nstream_in s : seq(i64[3], i64[n])\nt = take_seq s 1\nstream_out \"o\" t\n", 2,
        later, WADI_OK, "");
}

/* What gives its elements when asked. */
typedef struct asked {
    int64_t n, calls, last;
    wadi_status fails_at_end;
} asked;

static wadi_status pull(void *env, int64_t index, wadi_array *out, bool *out_end, wadi_error *err) {
    asked *a = env;
    (void)err;
    a->calls++;
    a->last = index;
    if (index == a->n && a->fails_at_end != WADI_OK) return a->fails_at_end;
    *out_end = index == a->n;
    out[0] = ints_of(1, index, 0);
    return WADI_OK;
}

static void elements_are_asked_for_once(void **state) {
    (void)state;
    asked a = {.n = 3};
    const wadi_interp_source from[] = {{.name = "s", .pull = pull, .env = &a}};
    const wadi_interp_io io = {.sources = from, .nsources = 1};
    wadi_interp_results *r = NULL;
    wadi_error err = {0};
    wadi_module *m = read_program("program p\nstream_in s : seq(i64[?])\nstream_out \"o\" s\n"
                                  "stream_out \"q\" s\nx, y = from_seq s\noutput x\n");
    assert_int_equal(wadi_interp_run(m, &io, &r, &err), WADI_OK);
    assert_int_equal(a.calls, 4);
    assert_int_equal(a.last, 3);
    assert_int_equal(wadi_interp_sink_get(r, "q")->n, 3);
    assert_int_equal(wadi_interp_sink_get(r, "q")->elements[2].shape[0], 2);
    assert_null(wadi_interp_sink_get(r, "x"));
    assert_null(wadi_interp_output_get(r, "o"));
    expect_array_ints(wadi_interp_output_get(r, "x"), 0, 3, I64S(0, 1, 2));
    wadi_interp_results_destroy(r);
    wadi_module_destroy(m);
    a = (asked){.n = 3};
    ends(read_program(
             "program p\nstream_in s : seq(i64[?])\nt = take_seq s 2\nstream_out \"o\" t\n"),
         &io, WADI_OK, "");
    assert_int_equal(a.calls, 2);
    a = (asked){.n = 1, .fails_at_end = WADI_IO};
    ends(read_program("program p\nstream_in s : seq(i64[?])\nstream_out \"o\" s\n"), &io, WADI_IO,
         "");
}

/* What reads a source at once names the element that faults: the third of four, where the extent is 2, or 4 instead of 3. */
static void faults_name_the_element_of_a_source(void **state) {
    (void)state;
    static const char *const body[] = {
        "d = filter_seq s (x) {\n    p = unit { eq 1 (quot 1 (sub (extent x 0) 2)) }\n    yield "
        "p\n}\n",
        "d = map_seq s (x) {\n    p = unit { quot 1 (sub (extent x 0) 2) }\n    yield p\n}\n",
        "d = expand_seq s (x) {\n    p = unit { quot 1 (sub (extent x 0) 2) }\n    yield x\n}\n",
        "d = scan_seq s 0 (y, x) {\n    p = unit { quot 1 (sub (extent x 0) 2) }\n    yield p\n}\n",
        "z = fold_seq s 0 (y, x) {\n    p = unit { quot 1 (sub (extent x 0) 2) }\n    yield "
        "p\n}\nd = take_seq s 1\n",
        "e = drop_seq s 1\nd = filter_seq e (x) {\n    p = unit { eq 1 (quot 1 (sub (extent x 0) "
        "3)) }\n    yield p\n}\n",
    };
    asked a = {.n = 4};
    const wadi_interp_source from[] = {{.name = "s", .pull = pull, .env = &a}};
    const wadi_interp_io io = {.sources = from, .nsources = 1};
    for (size_t i = 0; i < sizeof body / sizeof *body; i++) {
        char text[512];
        wadi_interp_results *r = NULL;
        wadi_error err = {0};
        (void)snprintf(text, sizeof text,
                       "program p\nstream_in s : seq(i64[?])\n%sstream_out \"o\" d\n", body[i]);
        wadi_module *m = read_program(text);
        assert_int_equal(wadi_interp_run(m, &io, &r, &err), WADI_FAULT);
        if (!strstr(err.msg, "quot: division of 1 by zero, element 2, at "))
            fail_msg("%s\n%s", err.msg, text);
        wadi_module_destroy(m);
    }
}

static void shapes_that_differ_name_the_element_of_a_source(void **state) {
    (void)state;
    const wadi_array v3 = ints_of(1, 3, 0), v4 = ints_of(1, 4, 0);
    const wadi_array later[] = {v3, v3, v3, v3, v3, v4}, both[] = {v3, v3, v3, v3, v4, v4};
    stream_ends("program p\nstream_in s : seq(i64[?], i64[?])\nw = windows last=0 s 2 "
                "2\nstream_out \"o\" w\n",
                3, later, WADI_FAULT,
                "windows: samples of components 1 and 0: 4 and 3 differ, element 2, at t:3");
    stream_ends("program p\nstream_in s : seq(i64[?], i64[?])\nw = batch s 4\nstream_out \"o\" w\n",
                3, later, WADI_FAULT,
                "batch: extent 0 of component 1 and that of the first array: 4 and 3 differ, "
                "element 2, at t:3");
    stream_ends("program p\nstream_in s : seq(i64[?], i64[?])\nw = batch s 2\nstream_out \"o\" w\n",
                3, both, WADI_OK, "");
    stream_ends("program p\nstream_in s : seq(i64[?], i64[?])\nw, x = tabulate s\noutput w\n", 3,
                both, WADI_FAULT,
                "tabulate: extent 0 of component 0 and that of the first array: 4 and 3 differ, "
                "element 2, at t:3");
    stream_ends("program p\nstream_in s : seq(i64[?], i64[?])\nw = expand_seq s (x, y) {\n    "
                "yield x, y\n}\n"
                "stream_out \"o\" w\n",
                3, later, WADI_FAULT,
                "expand_seq: extent 0 of components 1 and 0: 4 and 3 differ, element 2, at t:3");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_that_do_not_fit),
        cmocka_unit_test(streams_that_do_not_fit),
        cmocka_unit_test(elements_are_asked_for_once),
        cmocka_unit_test(faults_name_the_element_of_a_source),
        cmocka_unit_test(shapes_that_differ_name_the_element_of_a_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
