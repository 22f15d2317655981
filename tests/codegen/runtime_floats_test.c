/* Operations on floats, as kernels and as the interpreter compute them: exact operations at the ends of their types, elementary
 * functions against those of long double. */
#include "tests/codegen/runtime_text.h"

/* A number wins over NaN, and -0 is less than 0. */
static double lesser(double a, double b) {
    if (isnan(a)) return b;
    if (isnan(b)) return a;
    if (a == 0 && b == 0) return signbit(a) ? a : b;
    return a < b ? a : b;
}

static double rounded(wadi_sop op, double x) {
    if (!(fabs(x) < 4503599627370496.0)) return x;
    const int64_t whole = (int64_t)x;
    const double part = x - (double)whole;
    double to = (double)whole;
    if (op == WADI_SOP_FLOOR && part < 0) to -= 1;
    if (op == WADI_SOP_CEIL && part > 0) to += 1;
    if (op == WADI_SOP_ROUND && part >= 0.5) to += 1;
    if (op == WADI_SOP_ROUND && part <= -0.5) to -= 1;
    return to == 0 && signbit(x) ? -0.0 : to;
}

static bool float_meaning(wadi_sop op, wadi_type t, double a, double b, double *out) {
    switch (op) {
    case WADI_SOP_NEG:
        *out = isnan(a) ? a : signbit(a) ? fabs(a) : -fabs(a);
        return true;
    case WADI_SOP_ABS:
        *out = signbit(a) ? -a : a;
        return true;
    case WADI_SOP_SIGNUM:
        *out = a > 0 ? 1 : a < 0 ? -1 : a;
        return true;
    case WADI_SOP_MIN:
        *out = lesser(a, b);
        return true;
    case WADI_SOP_MAX:
        *out = -lesser(-a, -b);
        return true;
    case WADI_SOP_FLOOR:
    case WADI_SOP_CEIL:
    case WADI_SOP_ROUND:
    case WADI_SOP_TRUNC:
        *out = rounded(op, a);
        return true;
    case WADI_SOP_COPYSIGN:
        *out = !isnan(b) && signbit(b) ? -fabs(a) : fabs(a);
        return true;
    case WADI_SOP_ADD: /* twice as wide, then rounded, is right for f32 */
        *out = a + b;
        return true;
    case WADI_SOP_SUB:
        *out = a - b;
        return true;
    case WADI_SOP_MUL:
        *out = a * b;
        return true;
    case WADI_SOP_FDIV:
        *out = a / b;
        return true;
    case WADI_SOP_SQRT:
        *out = t == WADI_F32 ? (double)(float)sqrt(a) : sqrt(a);
        return true;
    default:
        return false;
    }
}

static int truth_of(wadi_sop op, double a, double b) {
    switch (op) {
    case WADI_SOP_EQ:
        return a == b;
    case WADI_SOP_NE:
        return !(a == b);
    case WADI_SOP_LT:
        return a < b;
    case WADI_SOP_LE:
        return a < b || a == b;
    case WADI_SOP_GT:
        return b < a;
    case WADI_SOP_GE:
        return b < a || a == b;
    case WADI_SOP_ISNAN:
        return !(a == a);
    case WADI_SOP_ISINF:
        return a == (double)INFINITY || a == -(double)INFINITY;
    default:
        return -1;
    }
}

#define FLOAT_FUNCTIONS(N, T)                                           \
    static bool run_##N(wadi_sop op, double x, double y, double *out) { \
        const T a = (T)x, b = (T)y;                                     \
        switch (op) {                                                   \
        case WADI_SOP_MIN:                                              \
            return *out = (double)wadi_min_##N(a, b), true;             \
        case WADI_SOP_MAX:                                              \
            return *out = (double)wadi_max_##N(a, b), true;             \
        case WADI_SOP_SIGNUM:                                           \
            return *out = (double)wadi_signum_##N(a), true;             \
        case WADI_SOP_ABS:                                              \
            return *out = (double)wadi_abs_##N(a), true;                \
        case WADI_SOP_SQRT:                                             \
            return *out = (double)wadi_sqrt_##N(a), true;               \
        case WADI_SOP_FLOOR:                                            \
            return *out = (double)wadi_floor_##N(a), true;              \
        case WADI_SOP_CEIL:                                             \
            return *out = (double)wadi_ceil_##N(a), true;               \
        case WADI_SOP_ROUND:                                            \
            return *out = (double)wadi_round_##N(a), true;              \
        case WADI_SOP_TRUNC:                                            \
            return *out = (double)wadi_trunc_##N(a), true;              \
        case WADI_SOP_COPYSIGN:                                         \
            return *out = (double)wadi_copysign_##N(a, b), true;        \
        case WADI_SOP_ISNAN:                                            \
            return *out = wadi_isnan_##N(a), true;                      \
        case WADI_SOP_ISINF:                                            \
            return *out = wadi_isinf_##N(a), true;                      \
        default:                                                        \
            return false;                                               \
        }                                                               \
    }
FLOAT_FUNCTIONS(f32, float)
FLOAT_FUNCTIONS(f64, double)

static void check_float(wadi_sop op, wadi_type t, double x, double y) {
    const wadi_scalar args[3] = {{t, bits_of(t, x)}, {t, bits_of(t, y)}, {t, 0}};
    const double a = float_of(t, args[0].bits), b = float_of(t, args[1].bits);
    const int truth = truth_of(op, a, b);
    const wadi_type types[3] = {t, t, t};
    double want = 0, ran = 0;
    wadi_scalar got = {WADI_I8, 9};
    wadi_type result;
    if (truth < 0 && !float_meaning(op, t, a, b, &want)) return;
    assert_true(wadi_sop_type(op, types, &result));
    assert_true(wadi_scalar_eval(op, result, args, &got));
    const bool runs = t == WADI_F32 ? run_f32(op, a, b, &ran) : run_f64(op, a, b, &ran);
    if (truth >= 0 ? got.bits != (uint64_t)truth : !same_float(t, got.bits, bits_of(t, want)))
        fail_msg("%s %s %a %a: %llx", wadi_sop_get(op)->name, wadi_type_name(t), a, b,
                 (unsigned long long)got.bits);
    if (runs && (truth >= 0 ? ran != truth : !same_float(t, bits_of(t, ran), bits_of(t, want))))
        fail_msg("in kernels %s %s %a %a: %a, expected %a", wadi_sop_get(op)->name,
                 wadi_type_name(t), a, b, ran, truth >= 0 ? truth : want);
}

static void floats_at_their_ends(void **state) {
    (void)state;
    for (wadi_type t = WADI_F32; t <= WADI_F64; t++)
        for (int op = 0; op < WADI_SOP_PRIM_COUNT; op++)
            for (int i = 0; i < REALS && takes((wadi_sop)op, t); i++)
                for (int j = 0; j < REALS; j++) check_float((wadi_sop)op, t, reals[i], reals[j]);
}

/* A limit is a constant of which the plain comparison is right: see scalar.h. */
static void limits_are_least_and_greatest(void **state) {
    (void)state;
    for (int i = 0; i < REALS; i++)
        for (int j = 0; j < REALS; j++) {
            const double a = reals[i], limit = reals[j];
            if (isnan(limit)) continue;
            const bool low = !(limit == 0 && !signbit(limit)),
                       high = !(limit == 0 && signbit(limit));
            if (low)
                assert_true(same_float(WADI_F64, bits_of(WADI_F64, wadi_min_limit_f64(a, limit)),
                                       bits_of(WADI_F64, lesser(a, limit))));
            if (high)
                assert_true(same_float(WADI_F64, bits_of(WADI_F64, wadi_max_limit_f64(a, limit)),
                                       bits_of(WADI_F64, -lesser(-a, -limit))));
            if (low && limit == (double)(float)limit)
                assert_true(same_float(
                    WADI_F32, bits_of(WADI_F32, (double)wadi_min_limit_f32((float)a, (float)limit)),
                    bits_of(WADI_F32, lesser((double)(float)a, limit))));
            if (high && limit == (double)(float)limit)
                assert_true(same_float(
                    WADI_F32, bits_of(WADI_F32, (double)wadi_max_limit_f32((float)a, (float)limit)),
                    bits_of(WADI_F32, -lesser(-(double)(float)a, -limit))));
        }
}

typedef struct elementary {
    wadi_sop op;
    long double (*exact)(long double);
    float (*single)(float);
    double (*twice)(double);
} elementary;

static float call_f32(float (*f)(float), float x) {
    return f(x);
}

#define ELEMENTARY(NAME, name) \
    { WADI_SOP_##NAME, name##l, kernel_##name##_f32, kernel_##name##_f64 }
#define KERNEL(name)                              \
    static float kernel_##name##_f32(float x) {   \
        return wadi_##name##_f32(x);              \
    }                                             \
    static double kernel_##name##_f64(double x) { \
        return wadi_##name##_f64(x);              \
    }
KERNEL(cbrt)
KERNEL(exp)
KERNEL(exp2)
KERNEL(expm1)
KERNEL(log)
KERNEL(log2)
KERNEL(log10)
KERNEL(log1p)
KERNEL(sin)
KERNEL(cos)
KERNEL(tan)
KERNEL(asin)
KERNEL(acos)
KERNEL(atan)
KERNEL(sinh)
KERNEL(cosh)
KERNEL(tanh)
KERNEL(asinh)
KERNEL(acosh)
KERNEL(atanh)
KERNEL(erf)
KERNEL(erfc)
KERNEL(lgamma)
KERNEL(tgamma)

static const elementary functions[] = {
    ELEMENTARY(CBRT, cbrt),   ELEMENTARY(EXP, exp),       ELEMENTARY(EXP2, exp2),
    ELEMENTARY(EXPM1, expm1), ELEMENTARY(LOG, log),       ELEMENTARY(LOG2, log2),
    ELEMENTARY(LOG10, log10), ELEMENTARY(LOG1P, log1p),   ELEMENTARY(SIN, sin),
    ELEMENTARY(COS, cos),     ELEMENTARY(TAN, tan),       ELEMENTARY(ASIN, asin),
    ELEMENTARY(ACOS, acos),   ELEMENTARY(ATAN, atan),     ELEMENTARY(SINH, sinh),
    ELEMENTARY(COSH, cosh),   ELEMENTARY(TANH, tanh),     ELEMENTARY(ASINH, asinh),
    ELEMENTARY(ACOSH, acosh), ELEMENTARY(ATANH, atanh),   ELEMENTARY(ERF, erf),
    ELEMENTARY(ERFC, erfc),   ELEMENTARY(LGAMMA, lgamma), ELEMENTARY(TGAMMA, tgamma)};

static void assert_near(const char *name, double got, long double want, double within) {
    if (isnan(got) && isnan(want)) return;
    if (isinf(got) && (long double)got == want) return;
    if (!(fabsl((long double)got - want) <= (long double)within * (1 + fabsl(want))))
        fail_msg("%s: %a, expected %La", name, got, want);
}

/* The library's own accuracy is not judged, but that it is the right function. */
static void elementary_functions_are_those_of_their_names(void **state) {
    (void)state;
    static const double at[] = {0.125, 0.75, 1.25, 2, -0.5, -1.75, 9};
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
            const elementary *e = &functions[k];
            const char *name = wadi_sop_get(e->op)->name;
            const wadi_scalar f = {WADI_F32, bits_of(WADI_F32, at[i])},
                              d = {WADI_F64, bits_of(WADI_F64, at[i])};
            wadi_scalar got;
            assert_true(wadi_scalar_eval(e->op, WADI_F32, &f, &got));
            assert_near(name, float_of(WADI_F32, got.bits), e->exact((long double)at[i]), 1e-5);
            assert_true(same_float(WADI_F32, got.bits,
                                   bits_of(WADI_F32, (double)call_f32(e->single, (float)at[i]))));
            assert_true(wadi_scalar_eval(e->op, WADI_F64, &d, &got));
            assert_near(name, float_of(WADI_F64, got.bits), e->exact((long double)at[i]), 1e-13);
            assert_true(same_float(WADI_F64, got.bits, bits_of(WADI_F64, e->twice(at[i]))));
        }
}

static void functions_of_two_and_three_numbers(void **state) {
    (void)state;
    static const double at[] = {0.125, -0.75, 1.25, 3, -2};
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 5; j++) {
            const double a = at[i], b = at[j], c = at[(i + j) % 5] * 0x1p-40;
            const wadi_scalar f[3] = {{WADI_F32, bits_of(WADI_F32, a)},
                                      {WADI_F32, bits_of(WADI_F32, b)},
                                      {WADI_F32, bits_of(WADI_F32, c)}};
            const wadi_scalar d[3] = {{WADI_F64, bits_of(WADI_F64, a)},
                                      {WADI_F64, bits_of(WADI_F64, b)},
                                      {WADI_F64, bits_of(WADI_F64, c)}};
            const struct {
                wadi_sop op;
                long double want;
                float single;
                double twice;
            } rows[] = {
                {WADI_SOP_ATAN2, atan2l((long double)a, (long double)b),
                 wadi_atan2_f32((float)a, (float)b), wadi_atan2_f64(a, b)},
                {WADI_SOP_POW, powl((long double)a, (long double)b),
                 wadi_pow_f32((float)a, (float)b), wadi_pow_f64(a, b)},
                {WADI_SOP_HYPOT,
                 sqrtl((long double)a * (long double)a + (long double)b * (long double)b),
                 wadi_hypot_f32((float)a, (float)b), wadi_hypot_f64(a, b)},
                {WADI_SOP_FMA, (long double)a * (long double)b + (long double)c,
                 wadi_fma_f32((float)a, (float)b, (float)c), wadi_fma_f64(a, b, c)},
            };
            for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
                const char *name = wadi_sop_get(rows[k].op)->name;
                wadi_scalar got;
                assert_true(wadi_scalar_eval(rows[k].op, WADI_F32, f, &got));
                assert_near(name, float_of(WADI_F32, got.bits), rows[k].want, 1e-6);
                assert_true(
                    same_float(WADI_F32, got.bits, bits_of(WADI_F32, (double)rows[k].single)));
                assert_true(wadi_scalar_eval(rows[k].op, WADI_F64, d, &got));
                assert_near(name, float_of(WADI_F64, got.bits), rows[k].want, 1e-14);
                assert_true(same_float(WADI_F64, got.bits, bits_of(WADI_F64, rows[k].twice)));
            }
        }
    /* rounded once */
    const double x = 1 + 0x1p-30;
    const wadi_scalar args[3] = {{WADI_F64, bits_of(WADI_F64, x)},
                                 {WADI_F64, bits_of(WADI_F64, x)},
                                 {WADI_F64, bits_of(WADI_F64, -1 - 0x1p-29)}};
    wadi_scalar got;
    assert_true(wadi_scalar_eval(WADI_SOP_FMA, WADI_F64, args, &got));
    assert_true(float_of(WADI_F64, got.bits) == 0x1p-60);
    assert_true(wadi_fma_f64(x, x, -1 - 0x1p-29) == 0x1p-60);
}

/* Near forms note each argument that is not near, and none of the smaller half; of near ones that are not noted they are the functions. */
static void check_noted_f64(double x) {
    static double (*const near[])(double, uint64_t *) = {wadi_sin_near_f64, wadi_cos_near_f64,
                                                         wadi_tan_near_f64};
    static double (*const whole[])(double) = {wadi_sin_f64, wadi_cos_f64, wadi_tan_f64};
    for (int k = 0; k < 3; k++) {
        uint64_t beyond = 5;
        const double y = near[k](x, &beyond);
        const bool noted = beyond >> 26 != 0;
        if (noted != !(fabs(x) < WADI_FAR_f64) && (fabs(x) < WADI_FAR_f64 / 2 || !noted))
            fail_msg("f64, function %d: %a is %s", k, x, noted ? "noted" : "not noted");
        if (!noted) assert_true(wadi_bits_of_f64(y) == wadi_bits_of_f64(whole[k](x)));
        assert_true((beyond & 5) == 5);
    }
}

static void check_noted_f32(float x) {
    static float (*const near[])(float, uint32_t *) = {wadi_sin_near_f32, wadi_cos_near_f32,
                                                       wadi_tan_near_f32};
    static float (*const whole[])(float) = {wadi_sin_f32, wadi_cos_f32, wadi_tan_f32};
    for (int k = 0; k < 3; k++) {
        uint32_t beyond = 5;
        const float y = near[k](x, &beyond);
        const bool noted = beyond >> 17 != 0;
        if (noted != !(fabsf(x) < WADI_FAR_f32) && (fabsf(x) < WADI_FAR_f32 / 2 || !noted))
            fail_msg("f32, function %d: %a is %s", k, (double)x, noted ? "noted" : "not noted");
        if (!noted) assert_true(wadi_bits_of_f32(y) == wadi_bits_of_f32(whole[k](x)));
        assert_true((beyond & 5) == 5);
    }
}

static void far_arguments_are_noted(void **state) {
    (void)state;
    for (uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += 5003) {
        check_noted_f32(wadi_of_bits_f32((uint32_t)bits));
        check_noted_f64(wadi_of_bits_f64(bits << 32 | bits));
    }
    /* the borders of what is near, and of what is noted, of both signs */
    for (int k = -2000; k <= 2000; k++)
        for (int sign = 0; sign < 2; sign++) {
            const double half = 0x1.921fb54442d18p+25;
            const float half32 = 0x1.921fb6p+16f;
            const uint64_t s = (uint64_t)sign << 63;
            check_noted_f64(wadi_of_bits_f64((wadi_bits_of_f64(0x1p26) + (uint64_t)k) | s));
            check_noted_f64(wadi_of_bits_f64((wadi_bits_of_f64(half) + (uint64_t)k) | s));
            check_noted_f32(
                wadi_of_bits_f32((wadi_bits_of_f32(0x1p17f) + (uint32_t)k) | (uint32_t)(s >> 32)));
            check_noted_f32(
                wadi_of_bits_f32((wadi_bits_of_f32(half32) + (uint32_t)k) | (uint32_t)(s >> 32)));
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_at_their_ends),
        cmocka_unit_test(limits_are_least_and_greatest),
        cmocka_unit_test(elementary_functions_are_those_of_their_names),
        cmocka_unit_test(functions_of_two_and_three_numbers),
        cmocka_unit_test(far_arguments_are_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
