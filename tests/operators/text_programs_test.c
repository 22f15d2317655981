/* The interpreter on programs given as text: with every way a binding can be written, and with
 * marks, which mean nothing. */
#include <string.h>

#include "base/text.h"
#include "tests/operators/support.h"

static wadi_interp_results *r;
static wadi_module *m;

static void read_and_run(const char *text, const wadi_interp_io *io) {
    wadi_error err = {0};
    wadi_status st = wadi_ir_parse(text, "t.ir", wadi_operators(), &m, &err);
    if (st == WADI_OK) st = wadi_ir_verify(m, &err);
    if (st == WADI_OK) st = wadi_interp_run(m, io, &r, &err);
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
    assert_non_null(a);
    expect_array_ints(a, 0, n, values);
}

static void producers(void **state) {
    (void)state;
    int32_t a[] = {1, 2, 3, 4, 5, 6};
    const wadi_interp_input in = {"a", host_i32(2, I64S(2, 3), a)};
    /* transposed [[1 4][2 5][3 6]], reversed [[3 6][2 5][1 4]], without row 0 [[2 5][1 4]] */
    read_and_run("program producers\n"
                 "input a : i32[n, m]\n"
                 "t = transpose perm=1,0 a\n"
                 "r = reverse dim=0 t\n"
                 "delayed d = drop dim=0 r 1\n"
                 "k = take dim=1 d 3\n"
                 "s = slice dropped=1,0 k 1\n"
                 "w = reshape s 2 1\n"
                 "b = backpermute w 2 2 (i, j) { rem (add i j) 2, 0 }\n"
                 "i = imap b (i, j, x) { add x (convert i32 (mul i 10)) }\n"
                 "f = scanl 0i32 i (a, x) { add a x }\n"
                 "output k\noutput s\noutput i\noutput f\noutput 3 as three\n",
                 &(wadi_interp_io){.inputs = &in, .ninputs = 1});
    expect("k", 4, I64S(2, 5, 1, 4));
    expect("s", 2, I64S(1, 4));
    expect("i", 4, I64S(1, 4, 14, 11));
    expect("f", 6, I64S(0, 1, 5, 0, 14, 25));
    expect("three", 1, I64S(3));
    done();
}

/* What is printed reads back and prints the same. */
static void expect_same_text_again(void) {
    wadi_text once, twice;
    wadi_module *again = NULL;
    wadi_error err = {0};
    wadi_text_init(&once);
    wadi_text_init(&twice);
    wadi_ir_print(m, &once);
    if (wadi_ir_parse(wadi_text_str(&once), NULL, wadi_operators(), &again, &err))
        fail_msg("%s", err.msg);
    wadi_ir_print(again, &twice);
    assert_string_equal(wadi_text_str(&once), wadi_text_str(&twice));
    wadi_text_fini(&once);
    wadi_text_fini(&twice);
    wadi_module_destroy(again);
}

/* Every operator that takes counts or offsets. */
static void ragged(void **state) {
    (void)state;
    int64_t xs[] = {5, 2, 8, 1, 9};
    const wadi_interp_input in = {"xs", host_i64(1, I64S(5), xs)};
    read_and_run("program ragged\n"
                 "input xs : i64[n]\n"
                 "ones = map xs (x) { convert i64 (gt x 4) }\n"
                 "count = fold 0 ones (a, b) { add a b }\n"
                 "kept = compact count xs ones (x, one) { eq one 1 }\n"
                 "parted = partition count xs (x) { gt x 4 }\n"
                 "sizes = map xs (x) { rem x 3 }\n"
                 "offsets = scanl 0 sizes (a, b) { add a b }\n"
                 "total = unit { offsets ! (extent xs 0) }\n"
                 "e = expand total offsets xs (x, j) { add (mul x 10) j }\n"
                 "sums = fold_seg 100 offsets e (a, x) { add a x }\n"
                 "s = scanl_seg whole=1 0 offsets e (a, x) { add a x }\n"
                 "s1 = scanl1_seg offsets e (a, x) { add a x }\n"
                 "c = concat dim=0 kept parted xs\n"
                 "five = replicate new=1 0 5\n"
                 "h = permute five ones sizes (new, old) { add new old } (i, k) { true, k }\n"
                 "output kept\noutput parted\noutput e\noutput sums\noutput s\noutput s1\n"
                 "output c\noutput h\n",
                 &(wadi_interp_io){.inputs = &in, .ninputs = 1});
    expect("kept", 3, I64S(5, 8, 9));
    expect("parted", 5, I64S(5, 8, 9, 2, 1));
    expect("e", 7, I64S(50, 51, 20, 21, 80, 81, 10));
    expect("sums", 5, I64S(201, 141, 261, 110, 100));
    expect("s", 12, I64S(0, 50, 101, 0, 20, 41, 0, 80, 161, 0, 10, 0));
    expect("h", 5, I64S(1, 0, 2, 0, 0));
    expect_same_text_again();
    done();
}

/* Counts and offsets that do not say how the elements lie. */
static void what_does_not_fit_is_a_fault(void **state) {
    (void)state;
    static const struct {
        const char *line, *message;
    } cases[] = {
        {"x = compact 2 v (x) { gt x 4 }", "the count and the elements kept: 2 and 3 differ"},
        {"x = compact 4 v (x) { gt x 4 }", "the count and the elements kept: 4 and 3 differ"},
        {"x = compact -1 v (x) { gt x 4 }", "-1"},
        {"x = compact 3 v o (x, y) { gt x 4 }", "differ"},
        {"x = expand 7 o w (x, j) { x }", "the last offset and the total: 6 and 7 differ"},
        {"x = expand 5 o w (x, j) { x }", "the last offset and the total: 6 and 5 differ"},
        {"x = expand 0 o w (x, j) { x }", "the last offset and the total: 6 and 0 differ"},
        {"x = expand 6 o v (x, j) { x }", "segments and elements: 3 and 5 differ"},
        {"x = expand 6 n w (x, j) { x }", "the first offset and zero: 1 and 0 differ"},
        {"x = expand 6 f w (x, j) { x }", "segment 1, 4 to 2"},
        {"x = partition 2 v (x) { gt x 4 }", "2 and 3 differ"},
        {"x = partition c m (x) { gt x 4 }", "extents of the counts and of the array"},
        {"x = reshape v 2 3", "sizes before and after: 5 and 6 differ"},
        {"x = concat dim=0 m t", "extents beside the dimension"},
        {"x = zip_with v w (x, y) { x }", "5 and 3 differ"},
        {"x = fold_seg 0 n w (a, x) { add a x }", "segment"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wadi_text text;
        wadi_error err = {0};
        wadi_text_init(&text);
        wadi_text_addf(
            &text,
            "program p\nv = use : i64[5] [5, 2, 8, 1, 9]\nw = use : i64[3] [7, 8, 9]\n"
            "o = use : i64[4] [0, 2, 2, 6]\nn = use : i64[4] [1, 2, 2, 6]\n"
            "f = use : i64[4] [0, 4, 2, 6]\nc = use : i64[3] [1, 1, 1]\n"
            "m = use : i64[2, 2] [1, 5, 2, 6]\nt = use : i64[1, 3] [1, 2, 3]\n%s\noutput x\n",
            cases[i].line);
        if (wadi_ir_parse(wadi_text_str(&text), "t.ir", wadi_operators(), &m, &err) != WADI_OK)
            fail_msg("%s: %s", cases[i].line, err.msg);
        if (wadi_interp_run(m, NULL, &r, &err) != WADI_FAULT || !strstr(err.msg, cases[i].message))
            fail_msg("%s: %s", cases[i].line, err.msg);
        wadi_module_destroy(m);
        wadi_text_fini(&text);
    }
}

static void control_in_scalars(void **state) {
    (void)state;
    int64_t xs[] = {0, 2, 5};
    const wadi_interp_input in = {"xs", host_i64(1, I64S(3), xs)};
    read_and_run("program control\n"
                 "input xs : i64[n]\n"
                 "a = map xs (x) {\n"
                 "    r, s = while (s, k) { lt (mul s s) x } do { add s 1, sub k 1 } from 0, x\n"
                 "    if gt r 2 { add r s } else { if eq r 0 { 7 } else { neg s } }\n"
                 "}\n"
                 "b = map xs (x) { iterate x (i, s) { add s (mul i i) } from 0 }\n"
                 "output a\noutput b\n",
                 &(wadi_interp_io){.inputs = &in, .ninputs = 1});
    expect("a", 3, I64S(7, 0, 5));
    expect("b", 3, I64S(0, 1, 30));
    done();
}

static void arrays_chosen_and_repeated(void **state) {
    (void)state;
    read_and_run("program chosen\n"
                 "xs = use : i64[3] [4, 5, 6]\n"
                 "n = unit { extent xs 0 }\n"
                 "p = unit { lt (the n) 3 }\n"
                 "a, b = acond p {\n"
                 "    ys = map xs (x) { neg x }\n"
                 "    yield ys, xs\n"
                 "} else {\n"
                 "    zs = map xs (x) { mul x x }\n"
                 "    yield xs, zs\n"
                 "}\n"
                 "w, k = awhile xs 0 (s, k) {\n"
                 "    c = unit { lt (the k) 5 }\n"
                 "    yield c\n"
                 "} do (s2, k2) {\n"
                 "    s3 = map s2 (x) { mul x 2 }\n"
                 "    k3 = unit { add (the k2) 1 }\n"
                 "    yield s3, k3\n"
                 "}\n"
                 "output a\noutput b\noutput w\noutput k\n",
                 NULL);
    expect("a", 3, I64S(4, 5, 6));
    expect("b", 3, I64S(16, 25, 36));
    expect("w", 3, I64S(128, 160, 192));
    expect("k", 1, I64S(5));
    done();
}

static void streams(void **state) {
    (void)state;
    read_and_run("program streams\n"
                 "s = produce 3 (i) {\n"
                 "    xs = generate 2 (j) { mul j (the i) }\n"
                 "    yield xs, i\n"
                 "}\n"
                 "t = map_seq s s (regular a, b, c, d) {\n"
                 "    regular delayed f = map a (x) { add x 0 }\n"
                 "    regular e = zip_with f c (x, y) { add x y }\n"
                 "    yield e\n"
                 "}\n"
                 "z = generate 2 (i) { 100 }\n"
                 "sum = fold_seq t z (acc, x) {\n"
                 "    next = zip_with acc x (p, q) { add p q }\n"
                 "    yield next\n"
                 "}\n"
                 "grid = tabulate t\n"
                 "all, index = elements s\n"
                 "stream_out \"out\" t\n"
                 "output sum\noutput grid\noutput all\noutput index\n",
                 NULL);
    expect("sum", 2, I64S(100, 106));
    expect("grid", 6, I64S(0, 0, 0, 2, 0, 4));
    expect("all", 6, I64S(0, 0, 0, 1, 0, 2));
    expect("index", 3, I64S(0, 1, 2));
    assert_int_equal(wadi_interp_sink_get(r, "out")->n, 3);
    done();
}

static void records(void **state) {
    (void)state;
    read_and_run("program records\n"
                 "zs = use : {re: i32, im: i32}[2] [1, 2] [3, 4]\n"
                 "ws = map zs (x, y) { re: sub (mul x x) (mul y y), im: mul 2i32 (mul x y) }\n"
                 "sum = fold1 ws (a, b, c, d) { re: add a c, im: add b d }\n"
                 "output sum\n",
                 NULL);
    const wadi_array *sum = wadi_interp_output_get(r, "sum");
    expect_array_ints(sum, 0, 1, I64S(-20));
    expect_array_ints(sum, 1, 1, I64S(22));
    done();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(producers),
        cmocka_unit_test(ragged),
        cmocka_unit_test(what_does_not_fit_is_a_fault),
        cmocka_unit_test(control_in_scalars),
        cmocka_unit_test(arrays_chosen_and_repeated),
        cmocka_unit_test(streams),
        cmocka_unit_test(records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
