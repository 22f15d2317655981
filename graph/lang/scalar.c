/* Scalar expressions without control: literals, the primitives of scalar.def, conversions.
 *
 * wadi_sop_type is the typing rule of a primitive. The words here that say what a class accepts are for messages alone. Nothing
 * is folded except conversions of literals: the passes of codegen simplify. */
#include "graph/lang/grow.h"

#include <string.h>

static wadi_exp literal_node(wadi_scalar v) {
    const wadi_array_type *t = wadi_lang_program("literal") ? wadi_scalar_type(v.type) : NULL;
    if (!t) return WADI_NO_EXP;
    return wadi_exp_of(wadi_node_append("literal", (wadi_node){.kind = WADI_NODE_SCALAR,
                                                               .stratum = WADI_STRATUM_SCALAR,
                                                               .sop = WADI_SOP_CONST,
                                                               .ntypes = 1,
                                                               .type = t,
                                                               .imm = v}));
}

/* Whether `e` is a literal; *out is its value. */
static bool get_literal(wadi_exp e, wadi_scalar *out) {
    const wadi_node *n = wadi_exp_get("literal", 0, e);
    if (!n || n->kind != WADI_NODE_SCALAR || n->sop != WADI_SOP_CONST) return false;
    *out = n->imm;
    return true;
}

wadi_exp wadi_node_scalar(const char *what, wadi_sop op, wadi_type result, int n,
                          const wadi_exp *args) {
    wadi_node_id ids[4] = {0};
    for (int i = 0; i < n; i++) ids[i] = wadi_exp_node(what, i + 1, args[i]);
    wadi_node_id *own = wadi_lang_ids(n, ids);
    const wadi_array_type *t = wadi_scalar_type(result);
    if (!own || !t) return WADI_NO_EXP;
    return wadi_exp_of(wadi_node_append(what, (wadi_node){.kind = WADI_NODE_SCALAR,
                                                          .stratum = WADI_STRATUM_SCALAR,
                                                          .sop = op,
                                                          .nargs = n,
                                                          .args = own,
                                                          .ntypes = 1,
                                                          .type = t}));
}

/* ---- literals ---- */

static wadi_exp literal_bits(wadi_type t, uint64_t bits) {
    return literal_node((wadi_scalar){t, bits});
}

wadi_exp wadi_bool(bool v) {
    return literal_bits(WADI_BOOL, v);
}

/* Signed values are sign-extended, as wadi_scalar says. */
#define INTEGER(name, ctype, TYPE, wide)                     \
    wadi_exp wadi_##name(ctype v) {                          \
        return literal_bits(WADI_##TYPE, (uint64_t)(wide)v); \
    }
INTEGER(i8, int8_t, I8, int64_t)
INTEGER(i16, int16_t, I16, int64_t)
INTEGER(i32, int32_t, I32, int64_t)
INTEGER(i64, int64_t, I64, int64_t)
INTEGER(u8, uint8_t, U8, uint64_t)
INTEGER(u16, uint16_t, U16, uint64_t)
INTEGER(u32, uint32_t, U32, uint64_t)
INTEGER(u64, uint64_t, U64, uint64_t)
#undef INTEGER

wadi_exp wadi_f32(float v) {
    uint32_t bits = 0;
    memcpy(&bits, &v, sizeof bits);
    return literal_bits(WADI_F32, bits);
}

static uint64_t f64_bits(double v) {
    uint64_t bits = 0;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

wadi_exp wadi_f64(double v) {
    return literal_bits(WADI_F64, f64_bits(v));
}

wadi_exp wadi_c64(float re, float im) {
    uint32_t bits[2];
    memcpy(&bits[0], &re, sizeof re);
    memcpy(&bits[1], &im, sizeof im);
    return literal_node((wadi_scalar){WADI_C64, bits[0], bits[1]});
}

wadi_exp wadi_c128(double re, double im) {
    return literal_node((wadi_scalar){WADI_C128, f64_bits(re), f64_bits(im)});
}

wadi_exp wadi_literal(wadi_type t, double v) {
    if ((unsigned)t >= WADI_TYPE_COUNT)
        return wadi_exp_of(wadi_lang_fail(WADI_TYPE, "literal: there is no type %d", (int)t));
    const wadi_scalar arg = {WADI_F64, f64_bits(v)};
    wadi_scalar value = arg;
    if (t != WADI_F64) (void)wadi_scalar_eval(WADI_SOP_CONVERT, t, &arg, &value);
    return literal_node(value);
}

/* ---- conversions ---- */

wadi_exp wadi_convert(wadi_type t, wadi_exp a) {
    wadi_type from;
    if (!wadi_exp_plain("convert", 1, a, &from)) return WADI_NO_EXP;
    if ((unsigned)t >= WADI_TYPE_COUNT)
        return wadi_exp_of(wadi_lang_fail(WADI_TYPE, "convert: there is no type %d", (int)t));
    if (from == t) return a;
    wadi_scalar value;
    if (get_literal(a, &value) && wadi_scalar_eval(WADI_SOP_CONVERT, t, &value, &value))
        return literal_node(value);
    return wadi_node_scalar("convert", WADI_SOP_CONVERT, t, 1, &a);
}

wadi_exp wadi_bitcast(wadi_type t, wadi_exp a) {
    wadi_type from;
    if (!wadi_exp_plain("bitcast", 1, a, &from)) return WADI_NO_EXP;
    if ((unsigned)t >= WADI_TYPE_COUNT)
        return wadi_exp_of(wadi_lang_fail(WADI_TYPE, "bitcast: there is no type %d", (int)t));
    if (from == t) return a;
    if (!wadi_bitcast_fits(t, from))
        return wadi_exp_of(wadi_lang_fail(
            WADI_TYPE, "bitcast: argument 1 is %s, expected a real number of the size of %s",
            wadi_type_name(from), wadi_type_name(t)));
    return wadi_node_scalar("bitcast", WADI_SOP_BITCAST, t, 1, &a);
}

wadi_exp wadi_exp_to_i64(const char *what, const char *role, wadi_exp e) {
    const wadi_node *n = wadi_exp_get(what, 0, e);
    const wadi_elem *t = n && n->stratum == WADI_STRATUM_SCALAR ? &n->type->elem : NULL;
    if (!t) return wadi_exp_of(wadi_lang_fail(WADI_INVALID, "%s: %s is missing", what, role));
    if (t->fields != 1 || t->name[0] || !wadi_type_is_int(t->type[0]))
        return wadi_exp_of(wadi_lang_fail(WADI_TYPE, "%s: %s is %s, expected an integer", what,
                                          role, wadi_elem_text(t)));
    return wadi_convert(WADI_I64, e);
}

/* ---- primitives ---- */

static const char *class_takes(wadi_sop_class cls) {
    switch (cls) {
    case WADI_CLASS_NUMBER:
    case WADI_CLASS_MODULUS:
        return "a number";
    case WADI_CLASS_ARITH:
        return "a real number";
    case WADI_CLASS_INT:
    case WADI_CLASS_SHIFT:
    case WADI_CLASS_COUNT:
        return "an integer";
    case WADI_CLASS_BITS:
        return "an integer or bool";
    case WADI_CLASS_FLOAT:
    case WADI_CLASS_JOIN:
        return "a float";
    case WADI_CLASS_ANALYTIC:
    case WADI_CLASS_TEST:
        return "a float or complex number";
    case WADI_CLASS_PART:
    case WADI_CLASS_COMPLEX:
        return "a complex number";
    case WADI_CLASS_ORDER:
        return "a scalar with an order (complex numbers have none)";
    case WADI_CLASS_LOGIC:
        return "bool";
    case WADI_CLASS_EQUAL:
    case WADI_CLASS_NONE:
        break;
    }
    return "a plain scalar";
}

/* Says which argument of a primitive does not fit: the first that differs from argument 1, or argument 1. */
static wadi_exp misfit(wadi_sop op, int n, const wadi_type *types) {
    const wadi_sop_info *info = wadi_sop_get(op);
    for (int i = 1; i < n; i++)
        if (types[i] != types[0] && info->cls != WADI_CLASS_SHIFT)
            return wadi_exp_of(wadi_lang_fail(
                WADI_TYPE, "%s: argument %d is %s, expected %s as argument 1", info->name, i + 1,
                wadi_type_name(types[i]), wadi_type_name(types[0])));
    return wadi_exp_of(wadi_lang_fail(WADI_TYPE, "%s: argument 1 is %s, expected %s", info->name,
                                      wadi_type_name(types[0]), class_takes(info->cls)));
}

static wadi_exp prim(wadi_sop op, int n, const wadi_exp *args) {
    const char *what = wadi_sop_get(op)->name;
    wadi_type types[3];
    wadi_type result;
    for (int i = 0; i < n; i++)
        if (!wadi_exp_plain(what, i + 1, args[i], &types[i])) return WADI_NO_EXP;
    if (!wadi_sop_type(op, types, &result)) return misfit(op, n, types);
    return wadi_node_scalar(what, op, result, n, args);
}

/* A distance of any integer type as i32. A rotation counts modulo the width, which divides 2^32, so the distance may wrap.
 * A shift's distance is first clamped to -1..64: a distance outside of that range shifts like the nearer end. */
static wadi_exp distance(const char *what, wadi_exp d, bool wraps) {
    wadi_type t;
    if (!wadi_exp_plain(what, 2, d, &t)) return WADI_NO_EXP;
    if (!wadi_type_is_int(t))
        return wadi_exp_of(wadi_lang_fail(WADI_TYPE, "%s: argument 2 is %s, expected an integer",
                                          what, wadi_type_name(t)));
    wadi_scalar value;
    if (!wraps && (t == WADI_I64 || t == WADI_U32 || t == WADI_U64)) {
        if (get_literal(d, &value)) {
            const bool negative = t == WADI_I64 && (int64_t)value.bits < 0;
            return wadi_i32(negative ? -1 : value.bits > 64 ? 64 : (int32_t)value.bits);
        }
        d = wadi_min(d, literal_bits(t, 64));
        if (t == WADI_I64) d = wadi_max(d, wadi_i64(-1));
    }
    return wadi_convert(WADI_I32, d);
}

static wadi_exp shift(wadi_sop op, wadi_exp a, wadi_exp d) {
    const bool wraps = op == WADI_SOP_ROTL || op == WADI_SOP_ROTR;
    const wadi_exp args[2] = {a, distance(wadi_sop_get(op)->name, d, wraps)};
    return prim(op, 2, args);
}

wadi_exp wadi_div(wadi_exp a, wadi_exp b) {
    const wadi_elem *t = wadi_exp_elem(a);
    const bool rounds = t && wadi_type_rounds(t->type[0]);
    const wadi_exp args[2] = {a, b};
    return prim(rounds ? WADI_SOP_FDIV : WADI_SOP_DIV, 2, args);
}

#define PRIM1(name, NAME)                    \
    wadi_exp wadi_##name(wadi_exp a) {       \
        return prim(WADI_SOP_##NAME, 1, &a); \
    }
#define PRIM2(name, NAME)                          \
    wadi_exp wadi_##name(wadi_exp a, wadi_exp b) { \
        const wadi_exp args[2] = {a, b};           \
        return prim(WADI_SOP_##NAME, 2, args);     \
    }
#define SHIFT(name, NAME)                          \
    wadi_exp wadi_##name(wadi_exp a, wadi_exp d) { \
        return shift(WADI_SOP_##NAME, a, d);       \
    }
PRIM2(add, ADD)
PRIM2(sub, SUB)
PRIM2(mul, MUL)
PRIM1(neg, NEG)
PRIM1(abs, ABS)
PRIM1(signum, SIGNUM)
PRIM2(min, MIN)
PRIM2(max, MAX)
PRIM2(quot, QUOT)
PRIM2(rem, REM)
PRIM2(mod, MOD)
PRIM2(and, AND)
PRIM2(or, OR)
PRIM2(xor, XOR)
PRIM1(not, NOT)
SHIFT(shl, SHL)
SHIFT(shr, SHR)
SHIFT(rotl, ROTL)
SHIFT(rotr, ROTR)
PRIM1(popcount, POPCOUNT)
PRIM1(clz, CLZ)
PRIM1(ctz, CTZ)
PRIM2(eq, EQ)
PRIM2(ne, NE)
PRIM2(lt, LT)
PRIM2(le, LE)
PRIM2(gt, GT)
PRIM2(ge, GE)
PRIM2(land, LAND)
PRIM2(lor, LOR)
PRIM1(lnot, LNOT)
PRIM1(sqrt, SQRT)
PRIM1(cbrt, CBRT)
PRIM1(exp_, EXP)
PRIM1(exp2, EXP2)
PRIM1(expm1, EXPM1)
PRIM1(log, LOG)
PRIM1(log2, LOG2)
PRIM1(log10, LOG10)
PRIM1(log1p, LOG1P)
PRIM1(sin, SIN)
PRIM1(cos, COS)
PRIM1(tan, TAN)
PRIM1(asin, ASIN)
PRIM1(acos, ACOS)
PRIM1(atan, ATAN)
PRIM2(atan2, ATAN2)
PRIM1(sinh, SINH)
PRIM1(cosh, COSH)
PRIM1(tanh, TANH)
PRIM1(asinh, ASINH)
PRIM1(acosh, ACOSH)
PRIM1(atanh, ATANH)
PRIM2(pow, POW)
PRIM2(hypot, HYPOT)
PRIM1(erf, ERF)
PRIM1(erfc, ERFC)
PRIM1(lgamma, LGAMMA)
PRIM1(tgamma, TGAMMA)
PRIM1(floor, FLOOR)
PRIM1(ceil, CEIL)
PRIM1(round, ROUND)
PRIM1(trunc, TRUNC)
PRIM2(copysign, COPYSIGN)
PRIM1(isnan, ISNAN)
PRIM1(isinf, ISINF)
PRIM2(complex, JOIN)
PRIM1(real, REAL)
PRIM1(imag, IMAG)
PRIM1(arg, ARG)
PRIM1(conj, CONJ)
#undef PRIM1
#undef PRIM2
#undef SHIFT

wadi_exp wadi_fma(wadi_exp a, wadi_exp b, wadi_exp c) {
    const wadi_exp args[3] = {a, b, c};
    return prim(WADI_SOP_FMA, 3, args);
}
