/* The functions that kernels get (codegen/rt), as C, against what scalar operations mean and against the interpreter's evaluation: every
 * operation on every type over numbers at the ends. The meanings are computed here in wider numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>

#include "graph/ir/ir.h"
#include "sched/kernel.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wtype-limits"
#include "codegen/rt/work.h"
/* A header's order, not ours: what functions begin with stands in work.h. */
#include "codegen/rt/scalar.h"

#include "codegen/rt/complex.h"

/* ---- integers ---- */

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

static wide value_of(wadi_type t, uint64_t bits) {
    return wadi_type_is_signed(t) ? (wide)(int64_t)bits : (wide)bits;
}

static int width_of(wadi_type t) {
    return 8 * wadi_type_size(t);
}

/* The low bits, extended as a scalar of the type is. */
static uint64_t cut(wadi_type t, wide v) {
    const int width = width_of(t);
    const uwide mask = ((uwide)1 << width) - 1;
    const uwide low = (uwide)v & mask;
    const bool negative = wadi_type_is_signed(t) && (low >> (width - 1)) != 0;
    return (uint64_t)(negative ? low | ~mask : low);
}

static wide floor_div(wide a, wide b) {
    const wide q = a / b;
    return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

static int bit(uint64_t bits, int k) {
    return (int)(bits >> k & 1);
}

static uint64_t rotated(wadi_type t, uint64_t bits, int64_t left) {
    const int width = width_of(t);
    uint64_t out = 0;
    for (int k = 0; k < width; k++) {
        const int64_t from = ((k - left) % width + width) % width;
        out |= (uint64_t)bit(bits, (int)from) << k;
    }
    return cut(t, (wide)out);
}

static int counted(wadi_sop op, wadi_type t, uint64_t bits) {
    int n = 0, leading = 0, trailing = 0;
    const int width = width_of(t);
    for (int k = 0; k < width; k++) n += bit(bits, k);
    while (leading < width && !bit(bits, width - 1 - leading)) leading++;
    while (trailing < width && !bit(bits, trailing)) trailing++;
    return op == WADI_SOP_POPCOUNT ? n : op == WADI_SOP_CLZ ? leading : trailing;
}

static uint64_t shifted(wadi_sop op, wadi_type t, wide a, int64_t d) {
    const bool inside = d >= 0 && d < width_of(t);
    if (op == WADI_SOP_SHL) return inside ? cut(t, (wide)((uwide)a << d)) : 0;
    if (!inside) return cut(t, a < 0 ? -1 : 0);
    return cut(t, floor_div(a, (wide)1 << d));
}

/* What the operation gives; b is not 0 where it divides. */
static uint64_t meaning(wadi_sop op, wadi_type t, uint64_t x, uint64_t y) {
    const wide a = value_of(t, x), b = value_of(t, y);
    const int64_t d = (int64_t)y;
    switch (op) {
    case WADI_SOP_ADD:
        return cut(t, a + b);
    case WADI_SOP_SUB:
        return cut(t, a - b);
    case WADI_SOP_MUL:
        return cut(t, (wide)((uwide)a * (uwide)b));
    case WADI_SOP_NEG:
        return cut(t, -a);
    case WADI_SOP_ABS:
        return cut(t, a < 0 ? -a : a);
    case WADI_SOP_SIGNUM:
        return cut(t, (a > 0) - (a < 0));
    case WADI_SOP_MIN:
        return cut(t, a < b ? a : b);
    case WADI_SOP_MAX:
        return cut(t, a > b ? a : b);
    case WADI_SOP_QUOT:
        return cut(t, a / b);
    case WADI_SOP_REM:
        return cut(t, a % b);
    case WADI_SOP_DIV:
        return cut(t, floor_div(a, b));
    case WADI_SOP_MOD:
        return cut(t, a - floor_div(a, b) * b);
    case WADI_SOP_AND:
        return cut(t, a & b);
    case WADI_SOP_OR:
        return cut(t, a | b);
    case WADI_SOP_XOR:
        return cut(t, a ^ b);
    case WADI_SOP_NOT:
        return cut(t, -a - 1);
    case WADI_SOP_SHL:
    case WADI_SOP_SHR:
        return shifted(op, t, a, d);
    case WADI_SOP_ROTL:
        return rotated(t, x, d);
    case WADI_SOP_ROTR:
        return rotated(t, x, -d);
    case WADI_SOP_POPCOUNT:
    case WADI_SOP_CLZ:
    case WADI_SOP_CTZ:
        return (uint64_t)counted(op, t, x);
    case WADI_SOP_EQ:
        return a == b;
    case WADI_SOP_NE:
        return a != b;
    case WADI_SOP_LT:
        return a < b;
    case WADI_SOP_LE:
        return a <= b;
    case WADI_SOP_GT:
        return a > b;
    case WADI_SOP_GE:
        return a >= b;
    default:
        fail_msg("there is no meaning of %s here", wadi_sop_get(op)->name);
        return 0;
    }
}

/* The kernel's function; false where C's own operator serves. */
#define INT_FUNCTIONS(N, T)                                                   \
    static bool run_##N(wadi_sop op, uint64_t x, uint64_t y, uint64_t *out) { \
        const T a = (T)x, b = (T)y;                                           \
        const int32_t d = (int32_t)y;                                         \
        switch (op) {                                                         \
        case WADI_SOP_MIN:                                                    \
            return *out = (uint64_t)wadi_min_##N(a, b), true;                 \
        case WADI_SOP_MAX:                                                    \
            return *out = (uint64_t)wadi_max_##N(a, b), true;                 \
        case WADI_SOP_SIGNUM:                                                 \
            return *out = (uint64_t)wadi_signum_##N(a), true;                 \
        case WADI_SOP_ABS:                                                    \
            return *out = (uint64_t)wadi_abs_##N(a), true;                    \
        case WADI_SOP_QUOT:                                                   \
            return *out = (uint64_t)wadi_quot_##N(a, b), true;                \
        case WADI_SOP_REM:                                                    \
            return *out = (uint64_t)wadi_rem_##N(a, b), true;                 \
        case WADI_SOP_DIV:                                                    \
            return *out = (uint64_t)wadi_div_##N(a, b), true;                 \
        case WADI_SOP_MOD:                                                    \
            return *out = (uint64_t)wadi_mod_##N(a, b), true;                 \
        case WADI_SOP_SHL:                                                    \
            return *out = (uint64_t)wadi_shl_##N(a, d), true;                 \
        case WADI_SOP_SHR:                                                    \
            return *out = (uint64_t)wadi_shr_##N(a, d), true;                 \
        case WADI_SOP_ROTL:                                                   \
            return *out = (uint64_t)wadi_rotl_##N(a, d), true;                \
        case WADI_SOP_ROTR:                                                   \
            return *out = (uint64_t)wadi_rotr_##N(a, d), true;                \
        case WADI_SOP_POPCOUNT:                                               \
            return *out = (uint64_t)wadi_popcount_##N(a), true;               \
        case WADI_SOP_CLZ:                                                    \
            return *out = (uint64_t)wadi_clz_##N(a), true;                    \
        case WADI_SOP_CTZ:                                                    \
            return *out = (uint64_t)wadi_ctz_##N(a), true;                    \
        default:                                                              \
            return false;                                                     \
        }                                                                     \
    }
INT_FUNCTIONS(i8, int8_t)
INT_FUNCTIONS(i16, int16_t)
INT_FUNCTIONS(i32, int32_t)
INT_FUNCTIONS(i64, int64_t)
INT_FUNCTIONS(u8, uint8_t)
INT_FUNCTIONS(u16, uint16_t)
INT_FUNCTIONS(u32, uint32_t)
INT_FUNCTIONS(u64, uint64_t)

static bool run_int(wadi_type t, wadi_sop op, uint64_t x, uint64_t y, uint64_t *out) {
    static bool (*const by_type[])(wadi_sop, uint64_t, uint64_t, uint64_t *) = {
        [WADI_I8] = run_i8, [WADI_I16] = run_i16, [WADI_I32] = run_i32, [WADI_I64] = run_i64,
        [WADI_U8] = run_u8, [WADI_U16] = run_u16, [WADI_U32] = run_u32, [WADI_U64] = run_u64};
    return by_type[t](op, x, y, out);
}

static void check_int(wadi_sop op, wadi_type t, uint64_t x, uint64_t y) {
    const bool distance = wadi_sop_get(op)->cls == WADI_CLASS_SHIFT;
    const bool divides =
        op == WADI_SOP_QUOT || op == WADI_SOP_REM || op == WADI_SOP_DIV || op == WADI_SOP_MOD;
    const wadi_scalar args[2] = {{t, x}, {distance ? WADI_I32 : t, y}};
    const wadi_type types[2] = {t, args[1].type};
    wadi_scalar got = {WADI_BOOL, 9};
    wadi_type result;
    uint64_t ran = 0;
    assert_true(wadi_sop_type(op, types, &result));
    const bool fine = wadi_scalar_eval(op, result, args, &got);
    if (divides && y == 0) {
        assert_false(fine);
        assert_true(run_int(t, op, x, y, &ran));
        if (op == WADI_SOP_QUOT || op == WADI_SOP_DIV) assert_int_equal(ran, 0);
        return;
    }
    const uint64_t want = meaning(op, t, x, y);
    assert_true(fine);
    if (got.bits != want || got.type != result || got.im != 0)
        fail_msg("%s %s %llx %llx: %llx, expected %llx", wadi_sop_get(op)->name, wadi_type_name(t),
                 (unsigned long long)x, (unsigned long long)y, (unsigned long long)got.bits,
                 (unsigned long long)want);
    if (run_int(t, op, x, y, &ran) && ran != want)
        fail_msg("in kernels %s %s %llx %llx: %llx, expected %llx", wadi_sop_get(op)->name,
                 wadi_type_name(t), (unsigned long long)x, (unsigned long long)y,
                 (unsigned long long)ran, (unsigned long long)want);
}

static const uint64_t ends[] = {0,
                                1,
                                2,
                                3,
                                5,
                                7,
                                8,
                                100,
                                0x7e,
                                0x7f,
                                0x80,
                                0x81,
                                0xff,
                                0x7fff,
                                0x8000,
                                0xffff,
                                0x10000,
                                0x7fffffff,
                                0x80000000,
                                0x80000001,
                                0xffffffff,
                                UINT64_C(0x100000000),
                                UINT64_C(0x0123456789abcdef),
                                INT64_MAX,
                                UINT64_C(0x8000000000000000),
                                UINT64_C(0x8000000000000001),
                                UINT64_MAX - 6,
                                UINT64_MAX - 1,
                                UINT64_MAX};
enum { ENDS = sizeof ends / sizeof *ends };

static const int32_t distances[] = {0,  1,  3,  7,  8,   9,  15, 16, 17,  31,        32,
                                    33, 63, 64, 65, 200, -1, -7, -8, -64, INT32_MAX, INT32_MIN};
enum { DISTANCES = sizeof distances / sizeof *distances };

static bool takes(wadi_sop op, wadi_type t) {
    const bool distance = wadi_sop_get(op)->cls == WADI_CLASS_SHIFT;
    const wadi_type types[3] = {t, distance ? WADI_I32 : t, t};
    wadi_type result;
    return wadi_sop_type(op, types, &result);
}

static void integers_of_every_width(void **state) {
    (void)state;
    for (wadi_type t = WADI_I8; t <= WADI_U64; t++)
        for (int k = 0; k < WADI_SOP_PRIM_COUNT; k++) {
            const wadi_sop op = (wadi_sop)k;
            const bool distance = wadi_sop_get(op)->cls == WADI_CLASS_SHIFT;
            if (!takes(op, t)) continue;
            for (int i = 0; i < ENDS; i++)
                for (int j = 0; j < (distance ? DISTANCES : ENDS); j++)
                    check_int(op, t, wadi_scalar_wrap(t, ends[i]),
                              distance ? (uint64_t)(int64_t)distances[j]
                                       : wadi_scalar_wrap(t, ends[j]));
        }
}

/* All numbers of a byte with all others. */
static void bytes_through_and_through(void **state) {
    (void)state;
    static const wadi_sop ops[] = {WADI_SOP_QUOT, WADI_SOP_REM, WADI_SOP_DIV,
                                   WADI_SOP_MOD,  WADI_SOP_MIN, WADI_SOP_MUL};
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        for (int a = 0; a < 256; a++)
            for (int b = 0; b < 256; b++) {
                check_int(ops[k], WADI_I8, cut(WADI_I8, a), cut(WADI_I8, b));
                check_int(ops[k], WADI_U8, (uint64_t)a, (uint64_t)b);
            }
}

static void bools(void **state) {
    (void)state;
    for (uint64_t a = 0; a < 2; a++)
        for (uint64_t b = 0; b < 2; b++) {
            const wadi_scalar args[2] = {{WADI_BOOL, a}, {WADI_BOOL, b}};
            const struct {
                wadi_sop op;
                bool want;
            } rows[] = {{WADI_SOP_AND, a && b}, {WADI_SOP_OR, a || b},   {WADI_SOP_XOR, a != b},
                        {WADI_SOP_NOT, !a},     {WADI_SOP_LAND, a && b}, {WADI_SOP_LOR, a || b},
                        {WADI_SOP_LNOT, !a},    {WADI_SOP_EQ, a == b},   {WADI_SOP_NE, a != b},
                        {WADI_SOP_LT, !a && b}, {WADI_SOP_LE, !a || b},  {WADI_SOP_GT, a && !b},
                        {WADI_SOP_GE, a || !b}};
            for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
                wadi_scalar got = {WADI_I8, 9};
                assert_true(wadi_scalar_eval(rows[k].op, WADI_BOOL, args, &got));
                if (got.bits != rows[k].want)
                    fail_msg("%s %d %d", wadi_sop_get(rows[k].op)->name, (int)a, (int)b);
            }
        }
}

/* ---- floats ---- */

static uint64_t bits_of(wadi_type t, double x) {
    const float f = (float)x;
    uint32_t low;
    uint64_t bits;
    memcpy(&low, &f, sizeof low);
    memcpy(&bits, &x, sizeof bits);
    return t == WADI_F32 ? low : bits;
}

static double float_of(wadi_type t, uint64_t bits) {
    const uint32_t low = (uint32_t)bits;
    float f;
    double x;
    memcpy(&f, &low, sizeof f);
    memcpy(&x, &bits, sizeof x);
    return t == WADI_F32 ? (double)f : x;
}

/* NaNs are one value; zeros are two. */
static bool same_float(wadi_type t, uint64_t x, uint64_t y) {
    return x == y || (isnan(float_of(t, x)) && isnan(float_of(t, y)));
}

static const double reals[] = {0.0,
                               -0.0,
                               1,
                               -1,
                               0.5,
                               -0.5,
                               1.5,
                               -1.5,
                               2.5,
                               -2.5,
                               0.49999999999999994,
                               3,
                               7,
                               -7,
                               100.25,
                               8388607.5,
                               8388608,
                               1e10,
                               -1e10,
                               4503599627370495.5,
                               4503599627370497,
                               1e300,
                               -1e300,
                               1e-310,
                               FLT_MIN,
                               FLT_MAX,
                               DBL_MAX,
                               (double)INFINITY,
                               -(double)INFINITY,
                               (double)NAN};
enum { REALS = sizeof reals / sizeof *reals };

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
                    WADI_F32, bits_of(WADI_F32, wadi_min_limit_f32((float)a, (float)limit)),
                    bits_of(WADI_F32, lesser((double)(float)a, limit))));
            if (high && limit == (double)(float)limit)
                assert_true(same_float(
                    WADI_F32, bits_of(WADI_F32, wadi_max_limit_f32((float)a, (float)limit)),
                    bits_of(WADI_F32, -lesser(-(double)(float)a, -limit))));
        }
}

typedef struct elementary {
    wadi_sop op;
    long double (*exact)(long double);
    float (*single)(float);
    double (*twice)(double);
    float complex_too; /* 1: there is one of complex numbers */
} elementary;

static float call_f32(float (*f)(float), float x) {
    return f(x);
}

#define ELEMENTARY(NAME, name) \
    { WADI_SOP_##NAME, name##l, kernel_##name##_f32, kernel_##name##_f64, 0 }
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

static const elementary functions[] = {
    ELEMENTARY(CBRT, cbrt),   ELEMENTARY(EXP, exp),     ELEMENTARY(EXP2, exp2),
    ELEMENTARY(EXPM1, expm1), ELEMENTARY(LOG, log),     ELEMENTARY(LOG2, log2),
    ELEMENTARY(LOG10, log10), ELEMENTARY(LOG1P, log1p), ELEMENTARY(SIN, sin),
    ELEMENTARY(COS, cos),     ELEMENTARY(TAN, tan),     ELEMENTARY(ASIN, asin),
    ELEMENTARY(ACOS, acos),   ELEMENTARY(ATAN, atan),   ELEMENTARY(SINH, sinh),
    ELEMENTARY(COSH, cosh),   ELEMENTARY(TANH, tanh),   ELEMENTARY(ASINH, asinh),
    ELEMENTARY(ACOSH, acosh), ELEMENTARY(ATANH, atanh), ELEMENTARY(ERF, erf),
    ELEMENTARY(ERFC, erfc)};

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
                {WADI_SOP_HYPOT, sqrtl((long double)a * a + (long double)b * b),
                 wadi_hypot_f32((float)a, (float)b), wadi_hypot_f64(a, b)},
                {WADI_SOP_FMA, (long double)a * b + c, wadi_fma_f32((float)a, (float)b, (float)c),
                 wadi_fma_f64(a, b, c)},
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

/* ---- conversions ---- */

static wide clamped(wadi_type to, double x) {
    const wide most = wadi_type_is_signed(to) ? ((wide)1 << (width_of(to) - 1)) - 1
                                              : ((wide)1 << width_of(to)) - 1;
    const wide least = wadi_type_is_signed(to) ? -most - 1 : 0;
    if (isnan(x)) return 0;
    if (x >= 1e30) return most;
    if (x <= -1e30) return least;
    const wide whole = (wide)x;
    return whole > most ? most : whole < least ? least : whole;
}

#define TO_INT(N, T)                                                    \
    static uint64_t to_##N(wadi_type from, double x) {                  \
        return from == WADI_F32 ? (uint64_t)wadi_##N##_of_f32((float)x) \
                                : (uint64_t)wadi_##N##_of_f64(x);       \
    }
TO_INT(i8, int8_t)
TO_INT(i16, int16_t)
TO_INT(i32, int32_t)
TO_INT(i64, int64_t)
TO_INT(u8, uint8_t)
TO_INT(u16, uint16_t)
TO_INT(u32, uint32_t)
TO_INT(u64, uint64_t)

static void floats_become_integers(void **state) {
    (void)state;
    static uint64_t (*const to[])(wadi_type, double) = {
        [WADI_I8] = to_i8, [WADI_I16] = to_i16, [WADI_I32] = to_i32, [WADI_I64] = to_i64,
        [WADI_U8] = to_u8, [WADI_U16] = to_u16, [WADI_U32] = to_u32, [WADI_U64] = to_u64};
    for (wadi_type from = WADI_F32; from <= WADI_F64; from++)
        for (wadi_type t = WADI_I8; t <= WADI_U64; t++)
            for (int k = -66; k < 4 * 66 + REALS; k++) {
                /* around each power of two */
                const double power = ldexp(k < 0 ? -1 : 1, abs(k) / 4), off = ((k & 3) - 1) * 0.75;
                double x = k < 4 * 66 ? power + off : reals[k - 4 * 66];
                x = float_of(from, bits_of(from, x));
                const wadi_scalar arg = {from, bits_of(from, x)};
                wadi_scalar got;
                assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, t, &arg, &got));
                const uint64_t want = cut(t, clamped(t, x));
                if (got.bits != want || to[t](from, x) != want)
                    fail_msg("%s of %s %a: %llx and %llx, expected %llx", wadi_type_name(t),
                             wadi_type_name(from), x, (unsigned long long)got.bits,
                             (unsigned long long)to[t](from, x), (unsigned long long)want);
            }
}

static void integers_become_each_other_and_floats(void **state) {
    (void)state;
    for (wadi_type from = WADI_BOOL; from <= WADI_U64; from++)
        for (int i = 0; i < ENDS; i++) {
            const wadi_scalar arg = {from, wadi_scalar_wrap(from, ends[i])};
            const wide v = from == WADI_BOOL ? (wide)(ends[i] & 1) : value_of(from, arg.bits);
            wadi_scalar got;
            for (wadi_type t = WADI_I8; t <= WADI_U64; t++) {
                assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, t, &arg, &got));
                assert_int_equal(got.bits, cut(t, v));
            }
            assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, WADI_BOOL, &arg, &got));
            assert_int_equal(got.bits, v != 0);
            /* once rounded: a wide integer has more digits than either */
            assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, WADI_F32, &arg, &got));
            assert_true(float_of(WADI_F32, got.bits) == (double)(float)v);
            assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, WADI_F64, &arg, &got));
            assert_true(float_of(WADI_F64, got.bits) == (double)v);
            assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, WADI_C64, &arg, &got));
            assert_true(got.bits == bits_of(WADI_F32, (double)(float)v) && got.im == 0);
        }
    const wadi_scalar odd = {WADI_I64, (UINT64_C(1) << 54) + (UINT64_C(1) << 30) + 1};
    wadi_scalar got;
    assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, WADI_F32, &odd, &got));
    assert_true(float_of(WADI_F32, got.bits) == 0x1p54 + 0x1p31);
}

static void floats_become_bools_and_each_other(void **state) {
    (void)state;
    for (int i = 0; i < REALS; i++) {
        const double x = reals[i];
        const wadi_scalar wide_one = {WADI_F64, bits_of(WADI_F64, x)};
        const wadi_scalar narrow = {WADI_F32, bits_of(WADI_F32, x)};
        wadi_scalar got;
        assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, WADI_BOOL, &wide_one, &got));
        assert_int_equal(got.bits, isnan(x) || x > 0 || x < 0);
        assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, WADI_F32, &wide_one, &got));
        assert_true(same_float(WADI_F32, got.bits, narrow.bits));
        assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, WADI_F64, &narrow, &got));
        assert_true(same_float(WADI_F64, got.bits, bits_of(WADI_F64, (double)(float)x)));
        assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, WADI_C128, &narrow, &got));
        assert_true(same_float(WADI_F64, got.bits, bits_of(WADI_F64, (double)(float)x)) &&
                    got.im == 0);
    }
}

static void bits_pass_between_types(void **state) {
    (void)state;
    for (int i = 0; i < ENDS; i++) {
        const uint32_t low = (uint32_t)ends[i];
        float f;
        double d;
        memcpy(&f, &low, sizeof f);
        memcpy(&d, &ends[i], sizeof d);
        const float from_u = wadi_f32_bits_u32(low), from_i = wadi_f32_bits_i32((int32_t)low);
        const double wide_u = wadi_f64_bits_u64(ends[i]),
                     wide_i = wadi_f64_bits_i64((int64_t)ends[i]);
        assert_memory_equal(&from_u, &f, sizeof f);
        assert_memory_equal(&from_i, &f, sizeof f);
        assert_memory_equal(&wide_u, &d, sizeof d);
        assert_memory_equal(&wide_i, &d, sizeof d);
        assert_int_equal(wadi_u32_bits_f32(f), low);
        assert_int_equal(wadi_i32_bits_f32(f), (int32_t)low);
        assert_int_equal(wadi_u64_bits_f64(d), ends[i]);
        assert_int_equal(wadi_i64_bits_f64(d), (int64_t)ends[i]);
    }
}

#pragma GCC diagnostic pop

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_of_every_width),
        cmocka_unit_test(bytes_through_and_through),
        cmocka_unit_test(bools),
        cmocka_unit_test(floats_at_their_ends),
        cmocka_unit_test(limits_are_least_and_greatest),
        cmocka_unit_test(elementary_functions_are_those_of_their_names),
        cmocka_unit_test(functions_of_two_and_three_numbers),
        cmocka_unit_test(floats_become_integers),
        cmocka_unit_test(integers_become_each_other_and_floats),
        cmocka_unit_test(floats_become_bools_and_each_other),
        cmocka_unit_test(bits_pass_between_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
