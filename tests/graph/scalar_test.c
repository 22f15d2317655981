/* What scalar operations mean, at the edges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "graph/ir/ir.h"

static wadi_scalar scalar(wadi_type t, int64_t v) {
    return (wadi_scalar){t, wadi_scalar_wrap(t, (uint64_t)v)};
}

static wadi_scalar f32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (wadi_scalar){WADI_F32, bits};
}

static wadi_scalar f64(double x) {
    wadi_scalar v = {WADI_F64, 0};
    memcpy(&v.bits, &x, sizeof x);
    return v;
}

static wadi_scalar eval(wadi_sop op, wadi_scalar a, wadi_scalar b) {
    const wadi_scalar args[3] = {a, b, b};
    const wadi_type types[3] = {a.type, b.type, b.type};
    wadi_scalar out = {WADI_BOOL, 99};
    wadi_type result;
    assert_true(wadi_sop_type(op, types, &result));
    assert_true(wadi_scalar_eval(op, result, args, &out));
    assert_int_equal(out.type, result);
    assert_int_equal(out.bits, wadi_scalar_wrap(out.type, out.bits));
    return out;
}

static wadi_scalar convert(wadi_type to, wadi_scalar a) {
    wadi_scalar out = {WADI_BOOL, 99};
    assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, to, &a, &out));
    assert_int_equal(out.type, to);
    return out;
}

static void check(wadi_sop op, wadi_type t, int64_t a, int64_t b, int64_t want) {
    const wadi_sop_class cls = wadi_sop_get(op)->cls;
    const wadi_type second = cls == WADI_CLASS_SHIFT ? WADI_I32 : t;
    const wadi_scalar got = eval(op, scalar(t, a), scalar(second, b));
    assert_int_equal(got.bits, scalar(got.type, want).bits);
}

static void integers_wrap(void **state) {
    (void)state;
    check(WADI_SOP_ADD, WADI_I8, 127, 1, -128);
    check(WADI_SOP_ADD, WADI_U8, 255, 1, 0);
    check(WADI_SOP_SUB, WADI_U32, 0, 1, UINT32_MAX);
    check(WADI_SOP_MUL, WADI_I32, INT32_MAX, 2, -2);
    check(WADI_SOP_MUL, WADI_I64, INT64_MAX, INT64_MAX, 1);
    check(WADI_SOP_NEG, WADI_I64, INT64_MIN, 0, INT64_MIN);
    check(WADI_SOP_NEG, WADI_U16, 1, 0, 65535);
    check(WADI_SOP_ABS, WADI_I32, INT32_MIN, 0, INT32_MIN);
    check(WADI_SOP_ABS, WADI_U8, 200, 0, 200);
    check(WADI_SOP_SIGNUM, WADI_I16, -7, 0, -1);
    check(WADI_SOP_SIGNUM, WADI_U64, -7, 0, 1);
}

static void quotients_truncate_and_divisions_floor(void **state) {
    (void)state;
    static const int64_t cases[][6] = {/* a, b, quot, rem, div, mod */
                                       {7, 2, 3, 1, 3, 1},     {-7, 2, -3, -1, -4, 1},
                                       {7, -2, -3, 1, -4, -1}, {-7, -2, 3, -1, 3, -1},
                                       {6, -3, -2, 0, -2, 0},  {0, -5, 0, 0, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int t = WADI_I8; t <= WADI_I64; t++) {
            check(WADI_SOP_QUOT, (wadi_type)t, cases[i][0], cases[i][1], cases[i][2]);
            check(WADI_SOP_REM, (wadi_type)t, cases[i][0], cases[i][1], cases[i][3]);
            check(WADI_SOP_DIV, (wadi_type)t, cases[i][0], cases[i][1], cases[i][4]);
            check(WADI_SOP_MOD, (wadi_type)t, cases[i][0], cases[i][1], cases[i][5]);
        }
    check(WADI_SOP_DIV, WADI_U8, 255, 16, 15);
    check(WADI_SOP_MOD, WADI_U64, -1, 10, 5);
}

static void the_least_number_divided_by_minus_one_wraps(void **state) {
    (void)state;
    check(WADI_SOP_QUOT, WADI_I8, -128, -1, -128);
    check(WADI_SOP_DIV, WADI_I32, INT32_MIN, -1, INT32_MIN);
    check(WADI_SOP_QUOT, WADI_I64, INT64_MIN, -1, INT64_MIN);
    check(WADI_SOP_REM, WADI_I64, INT64_MIN, -1, 0);
    check(WADI_SOP_MOD, WADI_I64, INT64_MIN, -1, 0);
}

static void integer_division_by_zero_is_a_fault(void **state) {
    (void)state;
    const wadi_sop ops[] = {WADI_SOP_QUOT, WADI_SOP_REM, WADI_SOP_DIV, WADI_SOP_MOD};
    for (int k = 0; k < 4; k++)
        for (int t = WADI_I8; t <= WADI_U64; t++) {
            const wadi_scalar args[2] = {scalar((wadi_type)t, 1), scalar((wadi_type)t, 0)};
            wadi_scalar out;
            assert_false(wadi_scalar_eval(ops[k], (wadi_type)t, args, &out));
            assert_true(wadi_sop_get(ops[k])->flags & WADI_SOP_FAULTS);
        }
}

static void shifts_beyond_the_width_give_zero_or_the_sign(void **state) {
    (void)state;
    check(WADI_SOP_SHL, WADI_I32, 1, 31, INT32_MIN);
    check(WADI_SOP_SHL, WADI_I32, 1, 32, 0);
    check(WADI_SOP_SHL, WADI_U64, 1, 63, INT64_MIN);
    check(WADI_SOP_SHL, WADI_U8, 3, -1, 0);
    check(WADI_SOP_SHR, WADI_I8, -128, 7, -1);
    check(WADI_SOP_SHR, WADI_I8, -128, 8, -1);
    check(WADI_SOP_SHR, WADI_I8, -1, -5, -1);
    check(WADI_SOP_SHR, WADI_I64, 5, 64, 0);
    check(WADI_SOP_SHR, WADI_U8, 128, 7, 1);
    check(WADI_SOP_SHR, WADI_U32, -1, 1 << 30, 0);
    check(WADI_SOP_SHR, WADI_I32, -5, 1, -3);
}

static void rotations_go_round_the_width(void **state) {
    (void)state;
    check(WADI_SOP_ROTL, WADI_U8, 0x81, 1, 0x03);
    check(WADI_SOP_ROTR, WADI_U8, 0x81, 1, 0xc0);
    check(WADI_SOP_ROTL, WADI_U8, 0x81, 9, 0x03);
    check(WADI_SOP_ROTL, WADI_U32, 5, -1, (int64_t)0x80000002);
    check(WADI_SOP_ROTL, WADI_I64, INT64_MIN, 1, 1);
    check(WADI_SOP_ROTR, WADI_I8, 1, 1, -128);
    check(WADI_SOP_ROTR, WADI_U64, 7, 64, 7);
}

static void bits_are_counted_within_the_width(void **state) {
    (void)state;
    check(WADI_SOP_POPCOUNT, WADI_I8, -1, 0, 8);
    check(WADI_SOP_POPCOUNT, WADI_U64, -1, 0, 64);
    check(WADI_SOP_CLZ, WADI_I16, 0, 0, 16);
    check(WADI_SOP_CLZ, WADI_I16, 1, 0, 15);
    check(WADI_SOP_CLZ, WADI_I16, -1, 0, 0);
    check(WADI_SOP_CTZ, WADI_U32, 0, 0, 32);
    check(WADI_SOP_CTZ, WADI_U32, 8, 0, 3);
}

static void bit_operations_and_logic(void **state) {
    (void)state;
    check(WADI_SOP_NOT, WADI_BOOL, 0, 0, 1);
    check(WADI_SOP_NOT, WADI_U8, 1, 0, 254);
    check(WADI_SOP_XOR, WADI_BOOL, 1, 1, 0);
    check(WADI_SOP_LAND, WADI_BOOL, 1, 0, 0);
    check(WADI_SOP_LNOT, WADI_BOOL, 1, 0, 0);
    check(WADI_SOP_LT, WADI_U8, 200, 100, 0);
    check(WADI_SOP_LT, WADI_I8, -56, 100, 1);
    check(WADI_SOP_GE, WADI_BOOL, 1, 0, 1);
    check(WADI_SOP_MAX, WADI_U64, -1, 1, -1);
    check(WADI_SOP_MIN, WADI_I64, -1, 1, -1);
}

static void a_number_wins_over_nan(void **state) {
    (void)state;
    assert_int_equal(eval(WADI_SOP_MIN, f32(NAN), f32(2)).bits, f32(2).bits);
    assert_int_equal(eval(WADI_SOP_MAX, f64(2), f64((double)NAN)).bits, f64(2).bits);
    assert_int_equal(eval(WADI_SOP_MIN, f32(0.0f), f32(-0.0f)).bits, f32(-0.0f).bits);
    assert_int_equal(eval(WADI_SOP_MIN, f32(-0.0f), f32(0.0f)).bits, f32(-0.0f).bits);
    assert_int_equal(eval(WADI_SOP_MAX, f64(-0.0), f64(0.0)).bits, f64(0.0).bits);
    assert_int_equal(eval(WADI_SOP_MAX, f64(0.0), f64(-0.0)).bits, f64(0.0).bits);
    /* whatever a NaN's sign and payload were */
    const wadi_scalar odd = {WADI_F32, 0xffc12345};
    assert_int_equal(eval(WADI_SOP_MIN, odd, odd).bits, 0x7fc00000);
    assert_int_equal(eval(WADI_SOP_NEG, odd, odd).bits, 0x7fc00000);
}

static void floats_of_32_bits_are_computed_in_32_bits(void **state) {
    (void)state;
    assert_int_equal(eval(WADI_SOP_ADD, f32(16777216.0f), f32(1.0f)).bits, f32(16777216.0f).bits);
    assert_int_equal(eval(WADI_SOP_MUL, f32(1e-30f), f32(1e-30f)).bits, f32(0.0f).bits);
    assert_int_equal(eval(WADI_SOP_FDIV, f32(1.0f), f32(0.0f)).bits, 0x7f800000);
    assert_int_equal(eval(WADI_SOP_ROUND, f64(-2.5), f64(0)).bits, f64(-3).bits);
    assert_int_equal(eval(WADI_SOP_SIGNUM, f64(-0.0), f64(0)).bits, f64(-0.0).bits);
    assert_int_equal(eval(WADI_SOP_ISNAN, f32(NAN), f32(0)).bits, 1);
    assert_int_equal(eval(WADI_SOP_EQ, f64((double)NAN), f64((double)NAN)).bits, 0);
    assert_int_equal(eval(WADI_SOP_NE, f64((double)NAN), f64((double)NAN)).bits, 1);
}

static void floats_to_integers_saturate(void **state) {
    (void)state;
    assert_int_equal(convert(WADI_U8, f32(300)).bits, 255);
    assert_int_equal(convert(WADI_U8, f32(-1)).bits, 0);
    assert_int_equal(convert(WADI_U8, f32(-0.5f)).bits, 0);
    assert_int_equal(convert(WADI_I8, f64(-128.9)).bits, scalar(WADI_I8, -128).bits);
    assert_int_equal(convert(WADI_I8, f64(-1e30)).bits, scalar(WADI_I8, -128).bits);
    assert_int_equal(convert(WADI_I64, f64(9223372036854775808.0)).bits, INT64_MAX);
    assert_int_equal(convert(WADI_I64, f64(-9223372036854775808.0)).bits, (uint64_t)INT64_MIN);
    assert_int_equal(convert(WADI_I64, f32(-INFINITY)).bits, (uint64_t)INT64_MIN);
    assert_true(convert(WADI_U64, f64(18446744073709551616.0)).bits == UINT64_MAX);
    assert_true(convert(WADI_U64, f64(18446744073709549568.0)).bits == UINT64_MAX - 2047);
    for (int t = WADI_I8; t <= WADI_U64; t++)
        assert_int_equal(convert((wadi_type)t, f32(NAN)).bits, 0);
    assert_int_equal(convert(WADI_BOOL, f32(0.25f)).bits, 1);
}

static void other_conversions_keep_what_fits(void **state) {
    (void)state;
    assert_int_equal(convert(WADI_I8, scalar(WADI_I64, 0x1ff)).bits, scalar(WADI_I8, -1).bits);
    assert_int_equal(convert(WADI_U32, scalar(WADI_I8, -1)).bits, UINT32_MAX);
    assert_int_equal(convert(WADI_BOOL, scalar(WADI_I32, 256)).bits, 1);
    /* rounded once, not through f64: 2^62 + 2^38 + 1 lies above the middle of two floats */
    assert_int_equal(convert(WADI_F32, scalar(WADI_I64, 4611686293305294849)).bits,
                     f32(4611686568183201792.0f).bits);
    assert_int_equal(convert(WADI_F64, scalar(WADI_U64, -1)).bits,
                     f64(18446744073709551616.0).bits);
    assert_int_equal(convert(WADI_F32, f64(1e300)).bits, 0x7f800000);
    assert_int_equal(convert(WADI_F64, f32(0.5f)).bits, f64(0.5).bits);
}

static void bits_are_cast_as_they_are(void **state) {
    (void)state;
    wadi_scalar out;
    const wadi_scalar nan = {WADI_U32, 0xffc12345};
    assert_true(wadi_scalar_eval(WADI_SOP_BITCAST, WADI_F32, &nan, &out));
    assert_int_equal(out.bits, 0xffc12345);
    assert_true(wadi_scalar_eval(WADI_SOP_BITCAST, WADI_I32, &out, &out));
    assert_int_equal(out.bits, scalar(WADI_I32, (int32_t)0xffc12345).bits);
}

static void classes_say_which_types_fit(void **state) {
    (void)state;
    const wadi_type bools[3] = {WADI_BOOL, WADI_BOOL, WADI_BOOL};
    const wadi_type mixed[3] = {WADI_I32, WADI_I64, WADI_I64};
    const wadi_type shifted[3] = {WADI_U8, WADI_I32, WADI_I32};
    wadi_type out;
    assert_false(wadi_sop_type(WADI_SOP_ADD, bools, &out));
    assert_false(wadi_sop_type(WADI_SOP_ADD, mixed, &out));
    assert_false(wadi_sop_type(WADI_SOP_SHL, mixed, &out));
    assert_true(wadi_sop_type(WADI_SOP_SHL, shifted, &out));
    assert_int_equal(out, WADI_U8);
    assert_false(wadi_sop_type(WADI_SOP_SQRT, mixed, &out));
    assert_true(wadi_sop_type(WADI_SOP_POPCOUNT, mixed, &out));
    assert_int_equal(out, WADI_I32);
    assert_true(wadi_sop_type(WADI_SOP_EQ, bools, &out));
    assert_false(wadi_sop_type(WADI_SOP_CONST, bools, &out));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_wrap),
        cmocka_unit_test(quotients_truncate_and_divisions_floor),
        cmocka_unit_test(the_least_number_divided_by_minus_one_wraps),
        cmocka_unit_test(integer_division_by_zero_is_a_fault),
        cmocka_unit_test(shifts_beyond_the_width_give_zero_or_the_sign),
        cmocka_unit_test(rotations_go_round_the_width),
        cmocka_unit_test(bits_are_counted_within_the_width),
        cmocka_unit_test(bit_operations_and_logic),
        cmocka_unit_test(a_number_wins_over_nan),
        cmocka_unit_test(floats_of_32_bits_are_computed_in_32_bits),
        cmocka_unit_test(floats_to_integers_saturate),
        cmocka_unit_test(other_conversions_keep_what_fits),
        cmocka_unit_test(bits_are_cast_as_they_are),
        cmocka_unit_test(classes_say_which_types_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
