/* Derived functions that texts write by name: their values against ones computed by hand or by plain loops, rows, ragged rows of streams,
 * records and keys that read other arrays; that they are the program which the C function builds; mistakes with their places. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "graph/lang/node.h"
#include "tests/operators/support.h"

static wadi_interp_results *r;
static wadi_module *m;

static void read_and_run(const char *text) {
    wadi_error err = {0};
    wadi_status st = wadi_ir_parse(text, "t.wadi", wadi_operators(), &m, &err);
    if (st == WADI_OK) st = wadi_interp_run(m, &(wadi_interp_io){0}, &r, &err);
    if (st != WADI_OK) fail_msg("%s", err.msg);
}

static void done(void) {
    wadi_interp_results_destroy(r);
    wadi_module_destroy(m);
    r = NULL;
    m = NULL;
}

static void expect(const char *output, int64_t n, const int64_t *values) {
    const wadi_array *a = wadi_interp_output_get(r, output);
    if (!a) fail_msg("no output %s", output);
    int64_t size = 1;
    for (int d = 0; d < a->rank; d++) size *= a->shape[d];
    assert_int_equal(size, n);
    expect_array_ints(a, 0, n, values);
}

#define EXPECT(name, ...) \
    expect(name, (int64_t)(sizeof I64S(__VA_ARGS__) / sizeof(int64_t)), I64S(__VA_ARGS__))

static void orders_of_rows_and_of_vectors(void **state) {
    (void)state;
    read_and_run("program orders\n"
                 "xs = use : i64[5] [3, 1, 4, 1, 5]\n"
                 "m = use : i64[2, 4] [3, 4, 1, 2, 9, 8, 7, 6]\n"
                 "none = use : i64[2, 0] []\n"
                 "a = sort xs\n"
                 "b = sort m\n"
                 "c = argsort xs\n"
                 "d = sort_by_key m (x) { neg x }\n"
                 "e = sort_by down=1 m (x) { rem x 2 } (x) { x }\n"
                 "f = argsort_by down=0,1 xs (x) { rem x 2 } (x) { x }\n"
                 "g = sort none\n"
                 "h, i = largest m 2\n"
                 "two = unit { 2i32 }\n"
                 "j, k = smallest xs two\n"
                 "output a; output b; output c; output d; output e; output f; output g\n"
                 "output h; output i; output j; output k\n");
    EXPECT("a", 1, 1, 3, 4, 5);
    EXPECT("b", 1, 2, 3, 4, 6, 7, 8, 9);
    EXPECT("c", 1, 3, 0, 2, 4);
    EXPECT("d", 4, 3, 2, 1, 9, 8, 7, 6);
    EXPECT("e", 1, 3, 2, 4, 7, 9, 6, 8);
    EXPECT("f", 2, 4, 0, 1, 3);
    expect("g", 0, NULL);
    EXPECT("h", 4, 3, 9, 8);
    EXPECT("i", 1, 0, 0, 1);
    EXPECT("j", 1, 1);
    EXPECT("k", 1, 3);
    done();
}

static void runs_and_searches(void **state) {
    (void)state;
    read_and_run("program runs\n"
                 "m = use : f64[2, 4] [1, 1, 2, 2, 3, 3, 3, 1]\n"
                 "v = use : f64[4] [1, 1, 4, nan]\n"
                 "a, b, c = unique m\n"
                 "d = group_ids m\n"
                 "e = map a (x) { convert i64 x }\n"
                 "f = lower_bound v m\n"
                 "g = upper_bound v 1.0\n"
                 "rows = sort m\n"
                 "h = upper_bound rows m\n"
                 "output b; output c; output d; output e; output f; output g; output h\n");
    EXPECT("e", 1, 2, 3, 1);
    EXPECT("b", 2, 2, 3, 1);
    EXPECT("c", 2, 2);
    EXPECT("d", 0, 0, 1, 1, 0, 0, 0, 1);
    EXPECT("f", 0, 0, 2, 2, 2, 2, 2, 0);
    EXPECT("g", 2);
    EXPECT("h", 2, 2, 4, 4, 4, 4, 4, 1);
    done();
}

/* Keys read other arrays, and elements are records; the array has the name of a function. */
static void keys_of_records(void **state) {
    (void)state;
    read_and_run("program keys\n"
                 "sort = use : {id: i64, w: i64}[3] [0, 1, 2] [5, 5, 4]\n"
                 "rank = use : i64[3] [9, 7, 8]\n"
                 "a = sort_by_key sort (id, w) { rank ! id }\n"
                 "b = sort_by down=1,1 sort (id, w) { w } (id, w) { id }\n"
                 "c = map a (id, w) { id }\n"
                 "d = map b (id, w) { id }\n"
                 "output c; output d\n");
    EXPECT("c", 1, 2, 0);
    EXPECT("d", 1, 0, 2);
    done();
}

/* Rows of many lengths: those of a stream, in its stages. */
static void ragged_rows(void **state) {
    (void)state;
    read_and_run("program ragged\n"
                 "rows = produce 5 (i) {\n"
                 "    row = generate i (j) { rem (mul (add j 1) 7) 5 }\n"
                 "    yield row\n"
                 "}\n"
                 "out = map_seq rows (row) {\n"
                 "    s = sort row\n"
                 "    at = argsort row\n"
                 "    v, p = largest row 2\n"
                 "    u, l, c = unique s\n"
                 "    yield s, at, v, u\n"
                 "}\n"
                 "s, at, v, u = elements out\n"
                 "output s; output at; output v; output u\n");
    int64_t sorted[10], places[10], n = 0;
    for (int64_t i = 0; i < 5; i++)
        for (int64_t j = 0; j < i; j++, n++) { /* insertion, stable */
            int64_t k = n;
            for (; k > n - j && sorted[k - 1] > (j + 1) * 7 % 5; k--) {
                sorted[k] = sorted[k - 1];
                places[k] = places[k - 1];
            }
            sorted[k] = (j + 1) * 7 % 5;
            places[k] = j;
        }
    expect("s", n, sorted);
    expect("at", n, places);
    EXPECT("v", 2, 4, 2, 4, 2, 4, 3);
    EXPECT("u", 2, 2, 4, 1, 2, 4, 1, 2, 3, 4);
    done();
}

static void products(void **state) {
    (void)state;
    read_and_run("program products\n"
                 "a = use : i64[2, 3] [1, 2, 3, 4, 5, 6]\n"
                 "b = use : i64[3, 2] [1, 0, 0, 1, 1, 1]\n"
                 "c = matmul a b\n"
                 "output c\n");
    EXPECT("c", 4, 5, 10, 11);
    done();
}

/* The first block of Philox4x32-10 is one of the known answers of its authors (Random123, kat_vectors). */
static void random_numbers(void **state) {
    (void)state;
    read_and_run(
        "program random\n"
        "w = unit { random_words 0 0 0 }\n"
        "random_u32 = use : i64[1] [42]\n"
        "words = generate 1 (i) {\n"
        "    a, b, c, d = random_words 0u8 i 0i32\n"
        "    xor (xor a b) (xor c d)\n"
        "}\n"
        "dice = generate 600 (i) { random_between 1 i 1u8 6u8 }\n"
        "low = fold1 dice (x, y) { min x y }\n"
        "high = fold1 dice (x, y) { max x y }\n"
        "below = generate 9 (i) { random_below i 3 1 }\n"
        "same = unit { if eq (random_u32 7 9) (convert u32 (random_u64 7 9)) { 1 } else { 0 } }\n"
        "xs = generate 4000 (i) { random_normal_f64 3 i }\n"
        "s = fold 0.0 xs (x, y) { add x y }\n"
        "mean = unit { lt (abs (fdiv (the s) 4000.0)) 0.06 }\n"
        "half = generate 4000 (i) { if lt (random_f32 5 i) 0.5f32 { 1 } else { 0 } }\n"
        "halves = fold 0 half (x, y) { add x y }\n"
        "fair = unit { land (gt (the halves) 1850) (lt (the halves) 2150) }\n"
        "near = unit { eq (random_normal_f32 3 1) (convert f32 (random_normal_f64 3 1)) }\n"
        "shadow = unit { random_f64 = 2; add random_f64 3 }\n"
        "alone = unit { random_u32 = 2; random_u32 }\n"
        "own = unit {\n"
        "    x = 7; t0 = 5\n"
        "    z = random_u64 1 2\n"
        "    add x (add t0 (convert i64 (sub z z)))\n"
        "}\n"
        "output words; output low; output high; output below; output same\n"
        "output mean; output fair; output near; output shadow\n"
        "output alone; output own\n");
    EXPECT("words", 0x6627e8d5 ^ 0xe169c58d ^ 0xbc57ac4c ^ 0x9b00dbd8);
    EXPECT("low", 1);
    EXPECT("high", 6);
    EXPECT("below", 0, 0, 0, 0, 0, 0, 0, 0, 0);
    EXPECT("same", 1);
    EXPECT("mean", 1);
    EXPECT("fair", 1);
    EXPECT("near", 1);
    EXPECT("shadow", 5);
    EXPECT("alone", 2);
    EXPECT("own", 12);
    done();
}

/* Both types, also far arguments: the bits of sin and cos alone. */
static void sines_and_cosines(void **state) {
    (void)state;
    read_and_run("program waves\n"
                 "xs = use : f64[5] [0, 1, -2.5, 1e6, 1e300]\n"
                 "a = map xs (x) {\n"
                 "    s, c = sincos x\n"
                 "    convert i64 (land (eq s (sin x)) (eq c (cos x)))\n"
                 "}\n"
                 "b = map xs (x) {\n"
                 "    y = convert f32 (min x 1e9)\n"
                 "    s, c = sincos y\n"
                 "    convert i64 (land (eq s (sin y)) (eq c (cos y)))\n"
                 "}\n"
                 "output a; output b\n");
    EXPECT("a", 1, 1, 1, 1, 1);
    EXPECT("b", 1, 1, 1, 1, 1);
    done();
}

/* Calls that differ in one thing: the types, the names of fields, a literal, an attribute. Each has its own program. */
static void calls_that_differ_in_one_thing(void **state) {
    (void)state;
    read_and_run("program differ\n"
                 "xs = use : i64[3] [3, 1, 2]\n"
                 "ys = use : u8[3] [3, 1, 255]\n"
                 "m = use : i64[2, 2] [4, 3, 2, 1]\n"
                 "p = use : {a: i64, b: i64}[3] [1, 1, 2] [5, 5, 6]\n"
                 "q = use : {b: i64, a: i64}[3] [1, 1, 2] [5, 5, 6]\n"
                 "a = sort xs\n"
                 "b = sort ys\n"
                 "c = sort m\n"
                 "u, l, n = unique p : {a: i64, b: i64}[?], i64[?], i64\n"
                 "v, k, o = unique q : {b: i64, a: i64}[?], i64[?], i64\n"
                 "w, x, y = unique p\n"
                 "d, i = largest xs 1\n"
                 "e, j = largest xs 2\n"
                 "f = sort_by down=0 xs (x) { x }\n"
                 "g = sort_by down=1 xs (x) { x }\n"
                 "h = sort_by xs (x) { x }\n"
                 "r = unit { convert i64 (random_below 1 2 200u8) }\n"
                 "s = unit { random_below 1 2 100000000000 }\n"
                 "t = unit { convert i64 (random_below 1 2 200u8) }\n"
                 "z = unit { eq (the r) (the t) }\n"
                 "big = unit { gt (the s) 255 }\n"
                 "output a; output b; output c; output l; output k; output x; output d; output e\n"
                 "output f; output g; output h; output z; output big\n");
    EXPECT("a", 1, 2, 3);
    EXPECT("b", 1, 3, 255);
    EXPECT("c", 3, 4, 1, 2);
    EXPECT("l", 2, 1);
    EXPECT("k", 2, 1);
    EXPECT("x", 2, 1);
    EXPECT("d", 3);
    EXPECT("e", 3, 2);
    EXPECT("f", 1, 2, 3);
    EXPECT("g", 3, 2, 1);
    EXPECT("h", 1, 2, 3);
    EXPECT("z", 1);
    EXPECT("big", 1);
    done();
}

/* ---- the same program as in C ---- */

static wadi_acc argument(void) {
    return wadi_input("xs", WADI_F32, 2, NULL);
}

static wadi_exp negative(wadi_exp x) {
    return wadi_neg(x);
}

static wadi_acc sort_in_c(void) {
    return wadi_sort(argument());
}

static wadi_acc key_in_c(void) {
    return wadi_sort_by_key(negative, argument());
}

static wadi_acc orders_in_c(void) {
    return wadi_argsort_by(1, (const wadi_order[]){wadi_descending(negative)}, argument());
}

static wadi_acc bound_in_c(void) {
    const wadi_acc xs = argument();
    return wadi_lower_bound(xs, xs);
}

static wadi_acc product_in_c(void) {
    const wadi_acc xs = argument();
    return wadi_matmul(xs, xs);
}

static wadi_acc ids_in_c(void) {
    return wadi_group_ids(argument());
}

static wadi_acc above_in_c(void) {
    const wadi_acc xs = argument();
    return wadi_upper_bound(xs, xs);
}

static wadi_acc largest_in_c(void) {
    return wadi_tuple_get(wadi_largest(wadi_i64(2), argument()), 0);
}

static char *printed(const wadi_module *of) {
    wadi_text t;
    wadi_text_init(&t);
    wadi_ir_print(of, &t);
    return wadi_text_take(&t);
}

/* The text with values numbered in its order instead of their names. */
static char *text_of(const wadi_module *of) {
    char *named = printed(of);
    wadi_module *copy = NULL;
    wadi_error err = {0};
    if (wadi_ir_parse(named, NULL, wadi_operators(), &copy, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    for (uint32_t v = 0; v < copy->nvalues; v++) copy->values[v].name = NULL;
    char *numbered = printed(copy);
    free(named);
    wadi_module_destroy(copy);
    return numbered;
}

static void the_program_is_that_of_c(void **state) {
    (void)state;
    static const struct {
        const char *text;
        wadi_acc (*build)(void);
    } pairs[] = {
        {"y = sort xs", sort_in_c},
        {"y = sort_by_key xs (x) { neg x }", key_in_c},
        {"y = argsort_by down=1 xs (x) { neg x }", orders_in_c},
        {"y = lower_bound xs xs", bound_in_c},
        {"y = matmul xs xs", product_in_c},
        {"y = group_ids xs", ids_in_c},
        {"y = upper_bound xs xs", above_in_c},
        {"y, p = largest xs 2", largest_in_c},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char text[200];
        wadi_error err = {0};
        wadi_module *read = NULL, *built = NULL;
        snprintf(text, sizeof text, "program p\ninput xs : f32[?, ?]\n%s\noutput y\n",
                 pairs[i].text);
        if (wadi_ir_parse(text, NULL, wadi_operators(), &read, &err) != WADI_OK)
            fail_msg("%s", err.msg);
        wadi_program *p = wadi_program_create("p");
        wadi_output("y", pairs[i].build());
        if (wadi_program_lower(p, wadi_operators(), &built, &err) != WADI_OK)
            fail_msg("%s", err.msg);
        char *of_text = text_of(read), *of_c = text_of(built);
        assert_string_equal(of_text, of_c);
        free(of_text);
        free(of_c);
        wadi_program_destroy(p);
        wadi_module_destroy(built);
        wadi_module_destroy(read);
    }
}

/* Reading and printing end in one text, and the program that is current stays current. */
static void a_printed_text_is_read_again(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("current");
    wadi_module *first = NULL, *again = NULL;
    wadi_error err = {0};
    wadi_text once, twice;
    wadi_text_init(&once);
    wadi_text_init(&twice);
    const char *text =
        "program p\ninput xs : f64[n]\nsort = sort xs : f64[n]\na, b = largest xs 2\n"
        "y = map sort (x) { add x (random_normal_f64 1 2) }\n"
        "output sort\noutput a\noutput b\noutput y\n";
    if (wadi_ir_parse(text, "t.wadi", wadi_operators(), &first, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    assert_ptr_equal(wadi_program_current(), p);
    wadi_ir_print(first, &once);
    if (wadi_ir_parse(wadi_text_str(&once), NULL, wadi_operators(), &again, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    wadi_ir_print(again, &twice);
    assert_string_equal(wadi_text_str(&once), wadi_text_str(&twice));
    wadi_text_fini(&once);
    wadi_text_fini(&twice);
    wadi_module_destroy(first);
    wadi_module_destroy(again);
    wadi_program_destroy(p);
}

/* A mistake that was made while no program was current is the next program's. No text has made it, and none takes it away. */
static void an_earlier_mistake_stays_with_programs(void **state) {
    (void)state;
    wadi_error err = {0};
    wadi_program_use(NULL);
    (void)wadi_neg(wadi_i64(1));
    const char *text = "program p\ninput xs : f64[n]\ny = sort xs\n"
                       "z = unit { random_f64 1 2 }\noutput y; output z\n";
    if (wadi_ir_parse(text, "t.wadi", wadi_operators(), &m, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    assert_null(wadi_program_current());
    done();
    wadi_program *p = wadi_program_create("p");
    assert_int_equal(wadi_program_check(p, &err), WADI_INVALID);
    if (!strstr(err.msg, "no program is current")) fail_msg("%s", err.msg);
    assert_int_equal(wadi_program_check(p, &err), WADI_OK);
    wadi_program_destroy(p);
}

/* ---- mistakes ---- */

static void mistakes_name_the_place(void **state) {
    (void)state;
    static const struct {
        const char *line, *message;
    } mistakes[] = {
        {"y = sort xs xs",
         "line 6, column 5: sort: 2 arguments, expected 1 (it is written sort a)"},
        {"y = sort s", "line 6, column 5: sort: argument 1 is a sequence, expected an array (it is "
                       "written sort a)"},
        {"y = sort k", "line 6, column 5: sort: argument 1 is i64, expected rank 1 or more"},
        {"y = argsort zs", "line 6, column 5: argsort: the key is c64, which has no order"},
        {"y = sort ys", "line 6, column 10: expected the name of a value in scope, found 'ys'"},
        {"y, z = sort xs",
         "line 6, column 8: sort gives 1 result: expected 1 name before '=', not 2"},
        {"y = unique xs",
         "line 6, column 5: unique gives 3 results: expected 3 names before '=', not 1"},
        {"y = sort xs : i64[n]",
         "line 6, column 15: result 1 of sort is f64[?], not this, found 'i64'"},
        {"y = sort_by_key xs", "line 6, column 19: sort_by_key: expected function 1 of 1 (it is "
                               "written sort_by_key a (x) "
                               "{ key }), found the end of the line"},
        {"y = sort_by_key xs (x) { }",
         "line 6, column 5: sort_by_key: function 1 gives 0 values, expected 1..16"},
        {"y = sort_by_key xs (x) { x, x }", "line 6, column 5: sort_by_key: argument 1 is {"},
        {"y = sort_by_key xs (x, z) { x }",
         "line 6, column 24: expected 1 parameter (f64), found 'z'"},
        {"y = sort_by_key xs (x) { x } (x) { x }",
         "line 6, column 5: sort_by_key: more than 1 key (it is written sort_by_key a"},
        {"y = sort_by down=2 xs (x) { x }",
         "line 6, column 5: sort_by: down is 2, expected 0 or 1"},
        {"y = sort_by down=0,1 xs (x) { x }", "line 6, column 5: sort_by: 2 directions for 1 key"},
        {"y = sort_by up=1 xs (x) { x }",
         "line 6, column 13: expected the attribute 'down' of sort_by, found 'up'"},
        {"y, z = largest xs 1.5", "line 6, column 8: largest: k is f64, expected an integer"},
        {"y, z = largest xs xs",
         "line 6, column 8: largest: argument 2 is f64[n], expected rank 0"},
        {"y = lower_bound xs 1",
         "line 6, column 5: lower_bound: argument 2 is i64, expected elements f64"},
        {"y = matmul xs xs",
         "line 6, column 5: matmul: argument 1 is f64[?], expected rank 2 or more"},
        {"y = unit { random_f64 1.0 2 }",
         "line 6, column 12: random_f64: argument 1 is f64, expected an integer"},
        {"y = unit { random_between 1 2 3 4u8 }",
         "line 6, column 12: random_between: argument 4 is u8, expected i64 as argument 3"},
        {"y = unit { add (random_words 1 2 3) 1 }",
         "line 6, column 17: expected one scalar, not 4, found 'random_words'"},
        {"y = unit { sincos 1 }", "line 6, column 12: sincos: argument 1 is i64, expected a float"},
        {"y = unit { random_f64 1 }",
         "line 6, column 25: expected argument 2 of 2 of random_f64, found '}'"},
        {"y = unit { add random_f64 1.0 }",
         "line 6, column 16: expected a scalar that is in scope (as an argument it stands in "
         "parentheses: (random_f64 seed index)), found 'random_f64'"},
        {"y = unit { add sort 1.0 }",
         "line 6, column 16: expected a scalar that is in scope (it takes arrays, in a line of its "
         "own: y = sort a), found 'sort'"},
        {"y = unit { z = random_u64 1 2 @ \"g\":7; z }",
         "line 6, column 31: expected the end of the line, found '@'"},
        {"y = unit { s, c = sincos 1.0 @ \"g\":7; s }",
         "line 6, column 30: expected the end of the line, found '@'"},
        {"y = unit { t = add 1 2; z = t @ \"g\":7; z }",
         "line 6, column 31: expected the end of the line, found '@'"},
        {"y = sort xs @ \"g\":7", "line 6, column 13: expected the end of the line, found '@'"},
        {"y = unit { z = sincos 1.0; z }",
         "line 6, column 12: the expression gives 2 results: expected 2 names before '=', not 1"},
        {"input \"a b\" : f64[n]",
         "line 6, column 1: input gives 1 result: expected 1 name and '=' before it (it is written "
         "x = input \"name\" : TYPE)"},
        {"sort xs", "line 6, column 1: sort gives 1 result: expected 1 name and '=' before it"},
        {"y = sort_by xs (x) { x } (x) { x } (x) { x } (x) { x } (x) { x } (x) { x } (x) { x } "
         "(x) { x } (x) { x } (x) { x } (x) { x } (x) { x } (x) { x } (x) { x } (x) { x } "
         "(x) { x } (x) { x }",
         "line 6, column 5: sort_by: more than 16 keys (it is written sort_by down=0.. a"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        char text[400];
        wadi_module *none = NULL;
        wadi_error err = {0};
        snprintf(text, sizeof text,
                 "program p\ninput xs : f64[n]\ninput zs : c64[n]\ninput k : i64\n"
                 "stream_in s : seq(f64)\n%s\n",
                 mistakes[i].line);
        if (wadi_ir_parse(text, "f.wadi", wadi_operators(), &none, &err) == WADI_OK)
            fail_msg("%s", mistakes[i].line);
        if (strncmp(err.msg, mistakes[i].message, strlen(mistakes[i].message)) != 0)
            fail_msg("%s: \"%s\", not \"%s\"", mistakes[i].line, err.msg, mistakes[i].message);
        assert_string_equal(err.at.file, "f.wadi");
        assert_int_equal(err.at.line, 6);
    }
}

/* A fault inside names the function, its line, and not the operators that it is made of. */
static void a_fault_names_the_function(void **state) {
    (void)state;
    wadi_error err = {0};
    if (wadi_ir_parse("program p\na = use : i64[1, 2] [1, 2]\n\ny = matmul a a\noutput y\n",
                      "f.wadi", wadi_operators(), &m, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(wadi_interp_run(m, &(wadi_interp_io){0}, &r, &err), WADI_FAULT);
    assert_int_equal(err.at.line, 4);
    assert_string_equal(err.at.call, "matmul");
    done();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_of_rows_and_of_vectors),
        cmocka_unit_test(runs_and_searches),
        cmocka_unit_test(keys_of_records),
        cmocka_unit_test(ragged_rows),
        cmocka_unit_test(products),
        cmocka_unit_test(random_numbers),
        cmocka_unit_test(sines_and_cosines),
        cmocka_unit_test(calls_that_differ_in_one_thing),
        cmocka_unit_test(the_program_is_that_of_c),
        cmocka_unit_test(a_printed_text_is_read_again),
        cmocka_unit_test(an_earlier_mistake_stays_with_programs),
        cmocka_unit_test(mistakes_name_the_place),
        cmocka_unit_test(a_fault_names_the_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
