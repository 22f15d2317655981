/* What scalar operations mean. Every kernel must give the same bits.
 *
 * Integers are computed as 64-bit unsigned numbers and cut back to their width, so that everything wraps and nothing is
 * undefined in C. f32 is computed in float, never in double. A NaN result is always the one quiet NaN without payload,
 * because processors differ in the sign and payload of a NaN; only bitcast keeps them. Elementary functions are those of
 * graph/elementary. */
#include "graph/ir/ir.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "graph/elementary/compute.h"
#include "graph/ir/complex_eval.h"

/* ---- bits in and out ---- */

/* Bits of a number of type `t`, or of a part of a complex one. */
static int width_of(wadi_type t) {
    return 8 * wadi_type_size(wadi_type_part(t));
}

uint64_t wadi_scalar_wrap(wadi_type t, uint64_t bits) {
    const int width = t == WADI_BOOL ? 1 : width_of(t);
    if (width == 64) return bits;
    const uint64_t mask = (UINT64_C(1) << width) - 1;
    const bool negative =
        wadi_type_is_int(t) && wadi_type_is_signed(t) && (bits >> (width - 1) & 1);
    return negative ? bits | ~mask : bits & mask;
}

bool wadi_scalar_is_sound(wadi_scalar v) {
    if ((unsigned)v.type >= WADI_TYPE_COUNT || v.bits != wadi_scalar_wrap(v.type, v.bits))
        return false;
    return wadi_type_is_complex(v.type) ? v.im == wadi_scalar_wrap(v.type, v.im) : v.im == 0;
}

bool wadi_scalar_same(wadi_scalar a, wadi_scalar b) {
    return a.type == b.type && a.bits == b.bits && a.im == b.im;
}

/* Memory holds the low bytes of the number. This works for either order of bytes. */
wadi_scalar wadi_scalar_load(wadi_type t, const void *at) {
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t bits = 0;
    if (wadi_type_is_complex(t)) {
        const wadi_type part = wadi_type_part(t);
        const wadi_scalar im = wadi_scalar_load(part, (const char *)at + wadi_type_size(part));
        return (wadi_scalar){t, wadi_scalar_load(part, at).bits, im.bits};
    }
    switch (wadi_type_size(t)) {
    case 1:
        memcpy(&u8, at, sizeof u8);
        bits = u8;
        break;
    case 2:
        memcpy(&u16, at, sizeof u16);
        bits = u16;
        break;
    case 4:
        memcpy(&u32, at, sizeof u32);
        bits = u32;
        break;
    default:
        memcpy(&bits, at, sizeof bits);
        break;
    }
    return (wadi_scalar){t, t == WADI_BOOL ? bits != 0 : wadi_scalar_wrap(t, bits)};
}

void wadi_scalar_store(wadi_scalar v, void *at) {
    const uint8_t u8 = (uint8_t)v.bits;
    const uint16_t u16 = (uint16_t)v.bits;
    const uint32_t u32 = (uint32_t)v.bits;
    if (wadi_type_is_complex(v.type)) {
        const wadi_type part = wadi_type_part(v.type);
        wadi_scalar_store((wadi_scalar){part, v.bits}, at);
        wadi_scalar_store((wadi_scalar){part, v.im}, (char *)at + wadi_type_size(part));
        return;
    }
    switch (wadi_type_size(v.type)) {
    case 1:
        memcpy(at, &u8, sizeof u8);
        break;
    case 2:
        memcpy(at, &u16, sizeof u16);
        break;
    case 4:
        memcpy(at, &u32, sizeof u32);
        break;
    default:
        memcpy(at, &v.bits, sizeof v.bits);
        break;
    }
}

static float f32_of(uint64_t bits) {
    const uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, sizeof x);
    return x;
}

static double f64_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t bits_of_f32(float x) {
    uint32_t low;
    memcpy(&low, &x, sizeof low);
    return isnan(x) ? UINT32_C(0x7fc00000) : low;
}

static uint64_t bits_of_f64(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return isnan(x) ? UINT64_C(0x7ff8000000000000) : bits;
}

/* The two's complement number that `bits` stands for; written without an implementation-defined conversion. */
static int64_t signed_of(uint64_t bits) {
    return bits <= INT64_MAX ? (int64_t)bits : -(int64_t)~bits - 1;
}

/* ---- integers ---- */

/* Quotient rounded towards zero and remainder, by magnitudes, so that the least number divided by -1 wraps. */
static void divide(wadi_type t, uint64_t a, uint64_t b, uint64_t *out_quot, uint64_t *out_rem) {
    const bool neg_a = wadi_type_is_signed(t) && signed_of(a) < 0;
    const bool neg_b = wadi_type_is_signed(t) && signed_of(b) < 0;
    const uint64_t ma = neg_a ? 0 - a : a;
    const uint64_t mb = neg_b ? 0 - b : b;
    *out_quot = neg_a != neg_b ? 0 - ma / mb : ma / mb;
    *out_rem = neg_a ? 0 - ma % mb : ma % mb;
}

static uint64_t int_division(wadi_sop op, wadi_type t, uint64_t a, uint64_t b) {
    uint64_t quot, rem;
    divide(t, a, b, &quot, &rem);
    /* flooring differs from truncation when the remainder is not zero and its sign is not the divisor's */
    const bool adjust =
        wadi_type_is_signed(t) && rem != 0 && (signed_of(rem) < 0) != (signed_of(b) < 0);
    switch (op) {
    case WADI_SOP_QUOT:
        return quot;
    case WADI_SOP_REM:
        return rem;
    case WADI_SOP_DIV:
        return adjust ? quot - 1 : quot;
    default:
        return adjust ? rem + b : rem;
    }
}

static uint64_t shift(wadi_sop op, wadi_type t, uint64_t a, int64_t distance) {
    const int64_t width = width_of(t);
    const bool negative = wadi_type_is_signed(t) && signed_of(a) < 0;
    const bool out = distance < 0 || distance >= width;
    if (op == WADI_SOP_SHL) return out ? 0 : a << distance;
    if (out) return negative ? UINT64_MAX : 0;
    return negative ? ~(~a >> distance) : a >> distance;
}

static uint64_t rotate(wadi_sop op, wadi_type t, uint64_t a, int64_t distance) {
    const int width = width_of(t);
    const uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    const uint64_t left =
        (uint64_t)(op == WADI_SOP_ROTL ? distance : -distance) & (uint64_t)(width - 1);
    a &= mask;
    return left == 0 ? a : a << left | a >> ((uint64_t)width - left);
}

static uint64_t count_bits(wadi_sop op, wadi_type t, uint64_t a) {
    const int width = width_of(t);
    uint64_t n = 0;
    for (int i = 0; i < width; i++) {
        const bool set = a >> (op == WADI_SOP_CLZ ? width - 1 - i : i) & 1;
        if (op == WADI_SOP_POPCOUNT)
            n += set;
        else if (set)
            break;
        else
            n++;
    }
    return n;
}

static bool int_less(wadi_type t, uint64_t a, uint64_t b) {
    return wadi_type_is_signed(t) ? signed_of(a) < signed_of(b) : a < b;
}

static uint64_t int_signum(wadi_type t, uint64_t a) {
    if (wadi_type_is_signed(t) && signed_of(a) < 0) return UINT64_MAX;
    return a != 0;
}

/* Operations on integers and bool; the caller cuts the result to its type. */
static bool eval_int(wadi_sop op, wadi_type t, const wadi_scalar *x, uint64_t *out) {
    const uint64_t a = x[0].bits;
    const uint64_t b = wadi_sop_get(op)->arity > 1 ? x[1].bits : 0;
    switch (op) {
    case WADI_SOP_ADD:
        *out = a + b;
        break;
    case WADI_SOP_SUB:
        *out = a - b;
        break;
    case WADI_SOP_MUL:
        *out = a * b;
        break;
    case WADI_SOP_NEG:
        *out = 0 - a;
        break;
    case WADI_SOP_ABS:
        *out = int_less(t, a, 0) ? 0 - a : a;
        break;
    case WADI_SOP_SIGNUM:
        *out = int_signum(t, a);
        break;
    case WADI_SOP_MIN:
        *out = int_less(t, b, a) ? b : a;
        break;
    case WADI_SOP_MAX:
        *out = int_less(t, a, b) ? b : a;
        break;
    case WADI_SOP_QUOT:
    case WADI_SOP_REM:
    case WADI_SOP_DIV:
    case WADI_SOP_MOD:
        if (b == 0) return false;
        *out = int_division(op, t, a, b);
        break;
    case WADI_SOP_AND:
    case WADI_SOP_LAND:
        *out = a & b;
        break;
    case WADI_SOP_OR:
    case WADI_SOP_LOR:
        *out = a | b;
        break;
    case WADI_SOP_XOR:
        *out = a ^ b;
        break;
    case WADI_SOP_NOT:
    case WADI_SOP_LNOT:
        *out = ~a;
        break;
    case WADI_SOP_SHL:
    case WADI_SOP_SHR:
        *out = shift(op, t, a, signed_of(b));
        break;
    case WADI_SOP_ROTL:
    case WADI_SOP_ROTR:
        *out = rotate(op, t, a, signed_of(b));
        break;
    case WADI_SOP_POPCOUNT:
    case WADI_SOP_CLZ:
    case WADI_SOP_CTZ:
        *out = count_bits(op, t, a);
        break;
    case WADI_SOP_EQ:
        *out = a == b;
        break;
    case WADI_SOP_NE:
        *out = a != b;
        break;
    case WADI_SOP_LT:
        *out = int_less(t, a, b);
        break;
    case WADI_SOP_LE:
        *out = !int_less(t, b, a);
        break;
    case WADI_SOP_GT:
        *out = int_less(t, b, a);
        break;
    case WADI_SOP_GE:
        *out = !int_less(t, a, b);
        break;
    default:
        return false;
    }
    return true;
}

/* ---- floats: the same text for both widths ---- */

/* IEEE 754 minimumNumber and maximumNumber: a number wins over NaN, and -0 is less than +0. */
#define DEFINE_FLOAT(F, T, S)                                                                  \
    static T F##_min(T a, T b) {                                                               \
        if (isnan(a)) return b;                                                                \
        if (isnan(b)) return a;                                                                \
        return a < b || (a == b && signbit(a)) ? a : b;                                        \
    }                                                                                          \
    static T F##_max(T a, T b) {                                                               \
        if (isnan(a)) return b;                                                                \
        if (isnan(b)) return a;                                                                \
        return a > b || (a == b && !signbit(a)) ? a : b;                                       \
    }                                                                                          \
    /* of zero: that zero; of NaN: NaN */                                                      \
    static T F##_signum(T a) {                                                                 \
        return a > 0 ? (T)1 : a < 0 ? (T)-1 : a;                                               \
    }                                                                                          \
    static bool F##_compare(wadi_sop op, T a, T b, bool *out) {                                \
        switch (op) {                                                                          \
        case WADI_SOP_EQ:                                                                      \
            *out = a == b;                                                                     \
            break;                                                                             \
        case WADI_SOP_NE:                                                                      \
            *out = a != b;                                                                     \
            break;                                                                             \
        case WADI_SOP_LT:                                                                      \
            *out = a < b;                                                                      \
            break;                                                                             \
        case WADI_SOP_LE:                                                                      \
            *out = a <= b;                                                                     \
            break;                                                                             \
        case WADI_SOP_GT:                                                                      \
            *out = a > b;                                                                      \
            break;                                                                             \
        case WADI_SOP_GE:                                                                      \
            *out = a >= b;                                                                     \
            break;                                                                             \
        case WADI_SOP_ISNAN:                                                                   \
            *out = isnan(a);                                                                   \
            break;                                                                             \
        case WADI_SOP_ISINF:                                                                   \
            *out = isinf(a);                                                                   \
            break;                                                                             \
        default:                                                                               \
            return false;                                                                      \
        }                                                                                      \
        return true;                                                                           \
    }                                                                                          \
    static bool F##_compute(wadi_sop op, T a, T b, T c, T *out) {                              \
        switch (op) {                                                                          \
        case WADI_SOP_ADD:                                                                     \
            *out = a + b;                                                                      \
            break;                                                                             \
        case WADI_SOP_SUB:                                                                     \
            *out = a - b;                                                                      \
            break;                                                                             \
        case WADI_SOP_MUL:                                                                     \
            *out = a * b;                                                                      \
            break;                                                                             \
        case WADI_SOP_FDIV:                                                                    \
            *out = a / b;                                                                      \
            break;                                                                             \
        case WADI_SOP_NEG:                                                                     \
            *out = -a;                                                                         \
            break;                                                                             \
        case WADI_SOP_ABS:                                                                     \
            *out = fabs##S(a);                                                                 \
            break;                                                                             \
        case WADI_SOP_SIGNUM:                                                                  \
            *out = F##_signum(a);                                                              \
            break;                                                                             \
        case WADI_SOP_MIN:                                                                     \
            *out = F##_min(a, b);                                                              \
            break;                                                                             \
        case WADI_SOP_MAX:                                                                     \
            *out = F##_max(a, b);                                                              \
            break;                                                                             \
        case WADI_SOP_SQRT:                                                                    \
            *out = sqrt##S(a);                                                                 \
            break;                                                                             \
        case WADI_SOP_FLOOR:                                                                   \
            *out = floor##S(a);                                                                \
            break;                                                                             \
        case WADI_SOP_CEIL:                                                                    \
            *out = ceil##S(a);                                                                 \
            break;                                                                             \
        case WADI_SOP_ROUND:                                                                   \
            *out = round##S(a);                                                                \
            break;                                                                             \
        case WADI_SOP_TRUNC:                                                                   \
            *out = trunc##S(a);                                                                \
            break;                                                                             \
        case WADI_SOP_FMA:                                                                     \
            *out = fma##S(a, b, c);                                                            \
            break;                                                                             \
        case WADI_SOP_COPYSIGN:                                                                \
            *out = copysign##S(a, isnan(b) ? (T)0 : b);                                        \
            break;                                                                             \
        default:                                                                               \
            return wadi_elementary_##F(op, a, b, out);                                         \
        }                                                                                      \
        return true;                                                                           \
    }                                                                                          \
    static bool eval_##F(wadi_sop op, wadi_type result, const wadi_scalar *x, uint64_t *out) { \
        const int n = wadi_sop_get(op)->arity;                                                 \
        const T a = F##_of(x[0].bits);                                                         \
        const T b = n > 1 ? F##_of(x[1].bits) : 0;                                             \
        const T c = n > 2 ? F##_of(x[2].bits) : 0;                                             \
        if (result == WADI_BOOL) {                                                             \
            bool truth = false;                                                                \
            const bool known = F##_compare(op, a, b, &truth);                                  \
            *out = truth;                                                                      \
            return known;                                                                      \
        }                                                                                      \
        T value = 0;                                                                           \
        const bool known = F##_compute(op, a, b, c, &value);                                   \
        *out = bits_of_##F(value);                                                             \
        return known;                                                                          \
    }

DEFINE_FLOAT(f32, float, f)
DEFINE_FLOAT(f64, double, )

/* ---- conversions ---- */

/* Every f32 is an f64, so one function serves both. Values beyond the limits saturate; the limits are powers of two, so they are
 * exact. */
static uint64_t int_of_float(wadi_type t, double x) {
    const int magnitude = width_of(t) - (wadi_type_is_signed(t) ? 1 : 0);
    const double limit = ldexp(1.0, magnitude);
    if (isnan(x)) return 0;
    if (x >= limit) return magnitude == 64 ? UINT64_MAX : (UINT64_C(1) << magnitude) - 1;
    if (!wadi_type_is_signed(t)) return x <= -1.0 ? 0 : (uint64_t)x;
    if (x < -limit) return 0 - (UINT64_C(1) << magnitude);
    return (uint64_t)(int64_t)x;
}

static uint64_t float_of_int(wadi_type to, wadi_scalar x) {
    const bool is_signed = wadi_type_is_signed(x.type);
    /* directly to the result's width: by way of f64, an f32 would be rounded twice */
    if (to == WADI_F32) return bits_of_f32(is_signed ? (float)signed_of(x.bits) : (float)x.bits);
    return bits_of_f64(is_signed ? (double)signed_of(x.bits) : (double)x.bits);
}

/* Between real types. */
static uint64_t convert_real(wadi_type to, wadi_type from, uint64_t bits) {
    if (!wadi_type_is_float(from)) {
        if (wadi_type_is_float(to)) return float_of_int(to, (wadi_scalar){from, bits});
        return to == WADI_BOOL ? bits != 0 : wadi_scalar_wrap(to, bits);
    }
    if (to == from) return bits;
    if (to == WADI_F32) return bits_of_f32((float)f64_of(bits));
    const double value = from == WADI_F32 ? (double)f32_of(bits) : f64_of(bits);
    if (to == WADI_F64) return bits_of_f64(value);
    return to == WADI_BOOL ? value != 0 : wadi_scalar_wrap(to, int_of_float(to, value));
}

/* Converts part by part. A real number has the imaginary part 0. As a bool, a complex number is true if one of its parts is not 0. */
static wadi_scalar convert(wadi_type to, wadi_scalar x) {
    const wadi_type from = wadi_type_part(x.type), part = wadi_type_part(to);
    wadi_scalar out = {to, convert_real(part, from, x.bits)};
    if (wadi_type_is_complex(to)) out.im = convert_real(part, from, x.im);
    if (to == WADI_BOOL && wadi_type_is_complex(x.type)) out.bits |= convert_real(to, from, x.im);
    if (!wadi_type_is_complex(x.type)) out.im = 0;
    return out;
}

bool wadi_scalar_eval(wadi_sop op, wadi_type result, const wadi_scalar *args, wadi_scalar *out) {
    const wadi_type t = args[0].type;
    wadi_scalar value = {result, 0};
    bool fine = true;
    if (op == WADI_SOP_CONVERT)
        value = convert(result, args[0]);
    else if (op == WADI_SOP_BITCAST)
        value.bits = args[0].bits;
    else if (op == WADI_SOP_JOIN)
        value.bits = args[0].bits, value.im = args[1].bits;
    else if (wadi_type_is_complex(t))
        fine = wadi_complex_eval(op, result, args, &value);
    else if (t == WADI_F32)
        fine = eval_f32(op, result, args, &value.bits);
    else if (t == WADI_F64)
        fine = eval_f64(op, result, args, &value.bits);
    else
        fine = eval_int(op, t, args, &value.bits);
    value.bits = wadi_scalar_wrap(result, value.bits);
    if (fine) *out = value;
    return fine;
}
