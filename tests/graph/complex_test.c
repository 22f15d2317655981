/* Complex scalars: what their operations mean at the edges, and what the builder says of operations that they do not have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "graph/ir/ir.h"
#include "graph/lang/node.h"
#include "operators/table.h"

static uint64_t bits64(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof x);
    return isnan(x) ? UINT64_C(0x7ff8000000000000) : bits;
}

static uint32_t bits32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof x);
    return isnan(x) ? UINT32_C(0x7fc00000) : bits;
}

static wadi_scalar c128(double re, double im) {
    return (wadi_scalar){WADI_C128, bits64(re), bits64(im)};
}

static wadi_scalar c64(float re, float im) {
    return (wadi_scalar){WADI_C64, bits32(re), bits32(im)};
}

static wadi_scalar f64(double x) {
    return (wadi_scalar){WADI_F64, bits64(x)};
}

static wadi_scalar eval(wadi_sop op, wadi_scalar a, wadi_scalar b) {
    const wadi_scalar args[2] = {a, b};
    const wadi_type types[2] = {a.type, b.type};
    wadi_scalar out = {WADI_BOOL, 99};
    wadi_type result;
    assert_true(wadi_sop_type(op, types, &result));
    assert_true(wadi_scalar_eval(op, result, args, &out));
    assert_int_equal(out.type, result);
    assert_true(wadi_scalar_is_sound(out));
    return out;
}

static void check(wadi_sop op, wadi_scalar a, wadi_scalar b, wadi_scalar want) {
    const wadi_scalar got = eval(op, a, b);
    if (!wadi_scalar_same(got, want))
        fail_msg("%s: %llx %llx, expected %llx %llx", wadi_sop_get(op)->name,
                 (unsigned long long)got.bits, (unsigned long long)got.im,
                 (unsigned long long)want.bits, (unsigned long long)want.im);
}

static wadi_scalar convert(wadi_type to, wadi_scalar a) {
    wadi_scalar out = {WADI_BOOL, 99};
    assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, to, &a, &out));
    assert_int_equal(out.type, to);
    assert_true(wadi_scalar_is_sound(out));
    return out;
}

/* ---- meaning ---- */

static void products_are_plain(void **state) {
    (void)state;
    check(WADI_SOP_MUL, c128(1, 2), c128(3, -1), c128(5, 5));
    check(WADI_SOP_MUL, c64(0, 1), c64(0, 1), c64(-1, 0));
    /* Annex G would give an infinity */
    check(WADI_SOP_MUL, c128(HUGE_VAL, HUGE_VAL), c128(1, 0), c128((double)NAN, (double)NAN));
    /* each product is rounded: fused, the imaginary part would not be 0 */
    const float e = 1 + 0x1p-12f;
    check(WADI_SOP_MUL, c64(e, e), c64(e, -e), c64(2 * (e * e), 0));
}

static void quotients_are_scaled(void **state) {
    (void)state;
    check(WADI_SOP_FDIV, c128(4, 3), c128(2, -1), c128(1, 2));
    check(WADI_SOP_FDIV, c128(4, 3), c128(1, 2), c128(2, -1));
    check(WADI_SOP_FDIV, c128(1e300, 1e300), c128(1e300, 1e300), c128(1, 0));
    check(WADI_SOP_FDIV, c64(0x1p-100f, 0), c64(0, 0x1p-100f), c64(0, -1));
    check(WADI_SOP_FDIV, c64(1, 0), c64(0, 0), c64(NAN, NAN));
}

static void parts_are_taken_and_joined(void **state) {
    (void)state;
    const wadi_scalar z = c128(-3, 4);
    check(WADI_SOP_REAL, z, z, f64(-3));
    check(WADI_SOP_IMAG, z, z, f64(4));
    check(WADI_SOP_ABS, z, z, f64(5));
    check(WADI_SOP_ARG, c128(-1, 0), z, f64(acos(-1)));
    check(WADI_SOP_CONJ, z, z, c128(-3, -4));
    check(WADI_SOP_NEG, c128(0, 1), z, c128(-0.0, -1));
    check(WADI_SOP_JOIN, f64(-3), f64(4), z);
    const wadi_scalar one = {WADI_F32, bits32(1)}, small = {WADI_F32, bits32(0.25f)};
    check(WADI_SOP_JOIN, one, small, c64(1, 0.25f));
}

static void equality_is_of_both_parts(void **state) {
    (void)state;
    const wadi_scalar yes = {WADI_BOOL, 1}, no = {WADI_BOOL, 0};
    check(WADI_SOP_EQ, c64(1, 2), c64(1, 2), yes);
    check(WADI_SOP_EQ, c64(1, 2), c64(1, 3), no);
    check(WADI_SOP_EQ, c64(0, -0.0f), c64(-0.0f, 0), yes);
    check(WADI_SOP_NE, c64(NAN, 0), c64(NAN, 0), yes);
    check(WADI_SOP_ISNAN, c64(0, NAN), c64(0, 0), yes);
    check(WADI_SOP_ISINF, c64(0, -INFINITY), c64(0, 0), yes);
    check(WADI_SOP_ISINF, c64(NAN, 0), c64(0, 0), no);
}

static void roots_lie_to_the_right(void **state) {
    (void)state;
    check(WADI_SOP_SQRT, c128(-4, 0), c128(0, 0), c128(0, 2));
    check(WADI_SOP_SQRT, c128(-4, -0.0), c128(0, 0), c128(0, -2));
    check(WADI_SOP_EXP, c128(0, 0), c128(0, 0), c128(1, 0));
    check(WADI_SOP_LOG, c128(1, 0), c128(0, 0), c128(0, 0));
}

static void the_sign_of_a_nan_decides_nothing(void **state) {
    (void)state;
    const uint64_t sign = UINT64_C(1) << 63;
    const wadi_scalar plus = c128(-HUGE_VAL, (double)NAN);
    const wadi_scalar minus = {WADI_C128, plus.bits, plus.im | sign};
    assert_true(wadi_scalar_same(eval(WADI_SOP_EXP, plus, plus), eval(WADI_SOP_EXP, minus, minus)));
    const wadi_scalar nan = {WADI_F64, bits64((double)NAN) | sign};
    check(WADI_SOP_COPYSIGN, f64(-2), nan, f64(2));
}

static void conversions_go_part_by_part(void **state) {
    (void)state;
    assert_true(wadi_scalar_same(convert(WADI_C128, c64(0.5f, -2)), c128(0.5, -2)));
    assert_true(wadi_scalar_same(convert(WADI_C64, c128(1e300, 0.1)), c64(INFINITY, 0.1f)));
    assert_true(
        wadi_scalar_same(convert(WADI_C64, (wadi_scalar){WADI_I8, UINT64_MAX}), c64(-1, 0)));
    assert_true(wadi_scalar_same(convert(WADI_C128, (wadi_scalar){WADI_BOOL, 1}), c128(1, 0)));
    assert_true(wadi_scalar_same(convert(WADI_F64, c64(0.5f, 7)), f64(0.5)));
    assert_int_equal(convert(WADI_U8, c128(300.7, 7)).bits, 255);
    assert_int_equal(convert(WADI_I32, c128((double)NAN, 7)).bits, 0);
    assert_int_equal(convert(WADI_BOOL, c128(0, 1e-300)).bits, 1);
    assert_int_equal(convert(WADI_BOOL, c64(0, -0.0f)).bits, 0);
    assert_int_equal(convert(WADI_BOOL, c64(0, NAN)).bits, 1);
}

static void a_column_holds_the_real_part_first(void **state) {
    (void)state;
    const double pair[2] = {1.5, -2.5};
    double back[2] = {0, 0};
    const wadi_scalar v = wadi_scalar_load(WADI_C128, pair);
    assert_true(wadi_scalar_same(v, c128(1.5, -2.5)));
    wadi_scalar_store(v, back);
    assert_memory_equal(pair, back, sizeof pair);
    assert_int_equal(wadi_type_size(WADI_C128), 16);
    assert_int_equal(wadi_type_size(WADI_C64), 8);
    const wadi_elem e = {.fields = 3, .type = {WADI_I8, WADI_C64, WADI_C128}};
    assert_int_equal(wadi_elem_cells(&e), 5);
}

/* ---- types ---- */

static void operations_without_a_complex_meaning_are_refused(void **state) {
    (void)state;
    static const wadi_sop none[] = {
        WADI_SOP_LT,   WADI_SOP_LE,     WADI_SOP_GT,       WADI_SOP_GE,  WADI_SOP_MIN, WADI_SOP_MAX,
        WADI_SOP_AND,  WADI_SOP_SIGNUM, WADI_SOP_FMA,      WADI_SOP_MOD, WADI_SOP_DIV, WADI_SOP_SHL,
        WADI_SOP_CBRT, WADI_SOP_FLOOR,  WADI_SOP_COPYSIGN, WADI_SOP_LOR, WADI_SOP_JOIN};
    const wadi_type types[3] = {WADI_C64, WADI_C64, WADI_C64};
    const wadi_type mixed[2] = {WADI_C64, WADI_F32}, reals[2] = {WADI_F32, WADI_F64};
    wadi_type out;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_false(wadi_sop_type(none[i], types, &out));
    assert_false(wadi_sop_type(WADI_SOP_MUL, mixed, &out));
    assert_false(wadi_sop_type(WADI_SOP_JOIN, reals, &out));
    assert_false(wadi_sop_type(WADI_SOP_REAL, reals, &out));
    assert_false(wadi_bitcast_fits(WADI_C64, WADI_F64));
    assert_false(wadi_bitcast_fits(WADI_U64, WADI_C64));
    assert_true(wadi_sop_type(WADI_SOP_ABS, types, &out));
    assert_int_equal(out, WADI_F32);
}

static wadi_exp smaller(wadi_exp z) {
    return wadi_lt(z, z);
}

static wadi_exp least(wadi_exp z) {
    return wadi_min(z, z);
}

static wadi_exp as_bits(wadi_exp z) {
    return wadi_bitcast(WADI_U64, z);
}

static wadi_exp mixed_product(wadi_exp z) {
    return wadi_mul(z, wadi_f32(2));
}

static wadi_exp real_of_real(wadi_exp z) {
    return wadi_real(wadi_abs(z));
}

static void mistakes_say_what_complex_numbers_lack(void **state) {
    (void)state;
    static const struct {
        wadi_fn1 f;
        const char *message;
    } cases[] = {
        {smaller,
         "lt: argument 1 is c64, expected a scalar with an order (complex numbers have none)"},
        {least, "min: argument 1 is c64, expected a real number"},
        {as_bits, "bitcast: argument 1 is c64, expected a real number of the size of u64"},
        {mixed_product, "mul: argument 2 is f32, expected c64 as argument 1"},
        {real_of_real, "real: argument 1 is f32, expected a complex number"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wadi_program *p = wadi_program_create("t");
        wadi_error err = {.status = WADI_OK};
        wadi_output("y", wadi_map(cases[i].f, wadi_input("z", WADI_C64, 1, NULL)));
        assert_int_equal(wadi_program_check(p, &err), WADI_TYPE);
        if (!strstr(err.msg, cases[i].message)) fail_msg("%s", err.msg);
        wadi_program_destroy(p);
    }
}

/* ---- constants ---- */

static void constants_differ_by_their_imaginary_parts(void **state) {
    (void)state;
    wadi_module *m = wadi_module_create("m");
    const wadi_val a = wadi_const_val(m, c64(1, 2)), b = wadi_const_val(m, c64(1, 3));
    assert_int_not_equal(a, b);
    assert_int_equal(wadi_const_val(m, c64(1, 2)), a);
    const wadi_val real = wadi_const_val(m, (wadi_scalar){WADI_F32, 0, 7});
    assert_int_equal(m->values[real].imm.im, 0);
    wadi_module_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_plain),
        cmocka_unit_test(quotients_are_scaled),
        cmocka_unit_test(parts_are_taken_and_joined),
        cmocka_unit_test(equality_is_of_both_parts),
        cmocka_unit_test(roots_lie_to_the_right),
        cmocka_unit_test(the_sign_of_a_nan_decides_nothing),
        cmocka_unit_test(conversions_go_part_by_part),
        cmocka_unit_test(a_column_holds_the_real_part_first),
        cmocka_unit_test(operations_without_a_complex_meaning_are_refused),
        cmocka_unit_test(mistakes_say_what_complex_numbers_lack),
        cmocka_unit_test(constants_differ_by_their_imaginary_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
