/* Scalar operations in C: plain operators where C means the same, else the functions of codegen/rt/scalar.h
 * and, for complex numbers, codegen/rt/complex.h. */
#include "codegen/emit/c_like/scalar.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "codegen/emit/c_like/names.h"

const char *wadi_c_type(wadi_type t) {
    static const char *const names[WADI_TYPE_COUNT] = {
        "bool",     "int8_t",   "int16_t", "int32_t", "int64_t",     "uint8_t",     "uint16_t",
        "uint32_t", "uint64_t", "float",   "double",  "wadi_cfloat", "wadi_cdouble"};
    return t < WADI_TYPE_COUNT ? names[t] : "int64_t";
}

/* ---- constants ---- */

/* NaN and infinity: builtins in C; by their bits in device C, where no word for them is common to all. */
static void special_constant(wadi_text *out, wadi_c_for c, wadi_type t, double x) {
    const char *suffix = t == WADI_F32 ? "f" : "";
    if (c == WADI_C_DEVICE) {
        const bool negative = !isnan(x) && x < 0;
        if (t == WADI_F32)
            wadi_text_addf(out, "wadi_f32_bits_u32(0x%sf%s00000u)", negative ? "f" : "7",
                           isnan(x) ? "c" : "8");
        else
            wadi_text_addf(out, "wadi_f64_bits_u64(0x%sff%s000000000000u)", negative ? "f" : "7",
                           isnan(x) ? "8" : "0");
    } else if (isnan(x)) {
        wadi_text_addf(out, "__builtin_nan%s(\"\")", suffix);
    } else {
        wadi_text_addf(out, "%s__builtin_inf%s()%s", x < 0 ? "(-" : "", suffix, x < 0 ? ")" : "");
    }
}

static void float_constant(wadi_text *out, wadi_c_for c, wadi_type t, double x) {
    const char *suffix = t == WADI_F32 ? "f" : "";
    const bool negative = signbit(x);
    if (!isfinite(x)) {
        special_constant(out, c, t, x);
    } else if (fabs(x) < 1e6 && x * 16 == floor(x * 16)) {
        wadi_text_addf(out, "%s%.*f%s%s", negative ? "(" : "", x == floor(x) ? 1 : 4, x, suffix,
                       negative ? ")" : "");
    } else {
        wadi_text_addf(out, "%s%a%s%s", negative ? "(" : "", x, suffix, negative ? ")" : "");
    }
}

/* Device C needs no suffix for 64 bits: a number has the first type that it fits. (OpenCL C has no long long.) */
static void int_constant(wadi_text *out, wadi_c_for c, wadi_scalar value) {
    const char *wide = c == WADI_C_DEVICE ? "" : "ll";
    if (!wadi_type_is_signed(value.type)) {
        wadi_text_addf(out, "%" PRIu64 "%s%s", value.bits, value.bits > INT32_MAX ? "u" : "",
                       value.bits > UINT32_MAX ? wide : "");
        return;
    }
    const int64_t v = (int64_t)value.bits;
    if (v == INT64_MIN)
        wadi_text_add(out, c == WADI_C_DEVICE ? "(-9223372036854775807 - 1)" : "INT64_MIN");
    else if (v == INT32_MIN && value.type == WADI_I32) /* -2147483648 is a long */
        wadi_text_add(out, c == WADI_C_DEVICE ? "(-2147483647 - 1)" : "INT32_MIN");
    else
        wadi_text_addf(out, "%s%" PRId64 "%s%s", v < 0 ? "(" : "", v,
                       v > INT32_MAX || v < -INT32_MAX ? wide : "", v < 0 ? ")" : "");
}

static bool is_int_constant(const wadi_lfun *f, wadi_lv v) {
    const wadi_linst *i = f->inst[wadi_c_strip(f, v)];
    return i->kind == WADI_L_CONST && wadi_type_is_int(i->type);
}

void wadi_c_say_type(wadi_text *out, const wadi_lfun *f, wadi_lv x, wadi_lv y) {
    if (is_int_constant(f, x) && is_int_constant(f, y))
        wadi_text_addf(out, "(%s)", wadi_c_type(f->inst[x]->type));
}

static void complex_constant(wadi_text *out, wadi_c_for c, wadi_scalar value) {
    const wadi_type part = wadi_type_part(value.type);
    wadi_text_addf(out, "wadi_complex_%s(", wadi_type_name(part));
    wadi_c_constant(out, c, (wadi_scalar){part, value.bits});
    wadi_text_add(out, ", ");
    wadi_c_constant(out, c, (wadi_scalar){part, value.im});
    wadi_text_add(out, ")");
}

void wadi_c_constant(wadi_text *out, wadi_c_for c, wadi_scalar value) {
    if (wadi_type_is_complex(value.type)) {
        complex_constant(out, c, value);
        return;
    }
    if (value.type == WADI_F32) {
        const uint32_t low = (uint32_t)value.bits;
        float x;
        memcpy(&x, &low, sizeof x);
        float_constant(out, c, WADI_F32, (double)x);
    } else if (value.type == WADI_F64) {
        double x;
        memcpy(&x, &value.bits, sizeof x);
        float_constant(out, c, WADI_F64, x);
    } else if (value.type == WADI_BOOL) {
        wadi_text_add(out, value.bits ? "true" : "false");
    } else {
        int_constant(out, c, value);
    }
}

/* ---- operations ---- */

typedef struct op_writer {
    wadi_text *out;
    wadi_c_for c;
    const wadi_lfun *f;
    const wadi_linst *i;
    wadi_c_write operand, plain;
    void *env;
} op_writer;

static wadi_type arg_type(const op_writer *p, int a) {
    return p->f->inst[p->i->args[a]]->type;
}

static const char *operator_of(wadi_sop op, wadi_type t) {
    switch (op) {
    case WADI_SOP_ADD:
        return "+";
    case WADI_SOP_SUB:
        return "-";
    case WADI_SOP_MUL:
        return "*";
    case WADI_SOP_FDIV:
        return "/";
    case WADI_SOP_AND:
    case WADI_SOP_LAND:
        return "&";
    case WADI_SOP_OR:
    case WADI_SOP_LOR:
        return "|";
    case WADI_SOP_XOR:
        return "^";
    case WADI_SOP_EQ:
        return "==";
    case WADI_SOP_NE:
        return "!=";
    case WADI_SOP_LT:
        return "<";
    case WADI_SOP_LE:
        return "<=";
    case WADI_SOP_GT:
        return ">";
    case WADI_SOP_GE:
        return ">=";
    default:
        WADI_UNUSED(t);
        return NULL;
    }
}

/* Whether the result must be converted back to a narrow integer type: C computes these as int. */
static bool must_cut(wadi_sop op, wadi_type t) {
    const bool narrow = t == WADI_I8 || t == WADI_I16 || t == WADI_U8 || t == WADI_U16;
    return narrow && op != WADI_SOP_AND && op != WADI_SOP_OR && op != WADI_SOP_XOR;
}

static void infix(const op_writer *p, const char *op) {
    const bool cut = p->i->type != WADI_BOOL && must_cut(p->i->op, p->i->type);
    if (cut) wadi_text_addf(p->out, "(%s)(", wadi_c_type(p->i->type));
    wadi_c_say_type(p->out, p->f, p->i->args[0], p->i->args[1]);
    p->operand(p->env, p->i->args[0]);
    wadi_text_addf(p->out, " %s ", op);
    p->operand(p->env, p->i->args[1]);
    if (cut) wadi_text_add(p->out, ")");
}

static void prefix(const op_writer *p, const char *op) {
    wadi_text_addf(p->out, "(%s)%s", wadi_c_type(p->i->type), op);
    p->operand(p->env, p->i->args[0]);
}

static void call(const op_writer *p, const char *name, const char *suffix) {
    wadi_text_addf(p->out, "wadi_%s_%s(", name, suffix);
    for (int a = 0; a < p->i->nargs; a++) {
        if (a > 0) wadi_text_add(p->out, ", ");
        p->plain(p->env, p->i->args[a]);
    }
    wadi_text_add(p->out, ")");
}

/* Whether the result can be too large for the operator of device C, where integers with a sign must not overflow. C computes narrow
 * types as int: of these, only products of u16 can. */
static bool may_overflow(const op_writer *p) {
    switch (p->i->op) {
    case WADI_SOP_MUL:
        if (p->i->type == WADI_U16) return true;
        break;
    case WADI_SOP_ADD:
    case WADI_SOP_SUB:
    case WADI_SOP_NEG:
        break;
    default:
        return false;
    }
    return p->i->type == WADI_I32 || (p->i->type == WADI_I64 && !p->i->exact);
}

/* Whether C's own shift will do: the distance is a constant less than the width. */
static bool plain_shift(const op_writer *p) {
    const wadi_linst *distance = p->f->inst[p->i->args[1]];
    const int width = 8 * wadi_type_size(p->i->type);
    if (distance->kind != WADI_L_CONST || (int64_t)distance->imm.bits < 0 ||
        (int64_t)distance->imm.bits >= width)
        return false;
    if (p->i->op == WADI_SOP_SHL) {
        const bool is_signed = wadi_type_is_signed(p->i->type);
        wadi_text_addf(p->out, "(%s)((%s%s)", wadi_c_type(p->i->type), is_signed ? "u" : "",
                       wadi_c_type(p->i->type));
        p->operand(p->env, p->i->args[0]);
        wadi_text_addf(p->out, " << %d)", (int)distance->imm.bits);
    } else {
        wadi_c_say_type(p->out, p->f, p->i->args[0], p->i->args[0]);
        p->operand(p->env, p->i->args[0]);
        wadi_text_addf(p->out, " >> %d", (int)distance->imm.bits);
    }
    return true;
}

/* Whether C's own division will do: the divisor is a constant other than 0 and -1. */
static bool plain_division(const op_writer *p) {
    const wadi_linst *d = p->f->inst[p->i->args[1]];
    if (d->kind != WADI_L_CONST || d->imm.bits == 0 ||
        (wadi_type_is_signed(d->type) && (int64_t)d->imm.bits < 0))
        return false;
    const bool floors = p->i->op == WADI_SOP_DIV || p->i->op == WADI_SOP_MOD;
    if (floors && wadi_type_is_signed(d->type) && !p->i->truncates) return false;
    infix(p, p->i->op == WADI_SOP_QUOT || p->i->op == WADI_SOP_DIV ? "/" : "%");
    return true;
}

/* Minimum or maximum with a constant for which the plain comparison is right: see codegen/rt/scalar.h. */
static bool limited(const op_writer *p) {
    for (int side = 0; side < 2; side++) {
        const wadi_linst *c = p->f->inst[p->i->args[side]];
        if (c->kind != WADI_L_CONST || !wadi_type_is_float(c->type)) continue;
        const uint64_t minus_zero = UINT64_C(1) << (8 * wadi_type_size(c->type) - 1);
        const uint64_t infinity =
            c->type == WADI_F32 ? UINT64_C(0x7f800000) : UINT64_C(0x7ff0000000000000);
        const bool is_nan = (c->imm.bits & ~minus_zero) > infinity;
        if (is_nan || c->imm.bits == (p->i->op == WADI_SOP_MIN ? 0 : minus_zero)) continue;
        wadi_text_addf(p->out, "wadi_%s_limit_%s(", wadi_sop_get(p->i->op)->name,
                       wadi_type_name(c->type));
        p->plain(p->env, p->i->args[1 - side]);
        wadi_text_add(p->out, ", ");
        p->plain(p->env, p->i->args[side]);
        wadi_text_add(p->out, ")");
        return true;
    }
    return false;
}

/* wadi_<to>_of_<from>( */
static void call_conversion(const op_writer *p, wadi_type to, wadi_type from) {
    wadi_text_addf(p->out, "wadi_%s_of_%s(", wadi_type_name(to), wadi_type_name(from));
}

static void convert_complex(const op_writer *p, wadi_type to, wadi_type from) {
    const wadi_type part = wadi_type_part(from);
    const bool saturates = !wadi_type_rounds(to);
    if (to == WADI_BOOL) {
        call(p, "nonzero", wadi_type_name(from));
    } else if (wadi_type_is_complex(to)) {
        call_conversion(p, to, from);
        p->plain(p->env, p->i->args[0]);
        wadi_text_add(p->out, ")");
    } else {
        if (saturates)
            call_conversion(p, to, part);
        else
            wadi_text_addf(p->out, "(%s)", wadi_c_type(to));
        call(p, "real", wadi_type_name(from));
        if (saturates) wadi_text_add(p->out, ")");
    }
}

static void convert_to_complex(const op_writer *p, wadi_type to) {
    const wadi_type part = wadi_type_part(to);
    wadi_text_addf(p->out, "wadi_complex_%s((%s)", wadi_type_name(part), wadi_c_type(part));
    p->operand(p->env, p->i->args[0]);
    wadi_text_add(p->out, ", 0)");
}

static void conversion(const op_writer *p) {
    const wadi_type from = arg_type(p, 0), to = p->i->type;
    if (wadi_type_is_complex(from)) {
        convert_complex(p, to, from);
    } else if (wadi_type_is_complex(to)) {
        convert_to_complex(p, to);
    } else if (to == WADI_BOOL) {
        p->operand(p->env, p->i->args[0]);
        wadi_text_add(p->out, " != 0");
    } else if (wadi_type_is_float(from) && !wadi_type_is_float(to)) {
        call_conversion(p, to, from);
        p->plain(p->env, p->i->args[0]);
        wadi_text_add(p->out, ")");
    } else {
        prefix(p, "");
    }
}

static void bitcast(const op_writer *p) {
    const wadi_type from = arg_type(p, 0), to = p->i->type;
    if (wadi_type_is_float(from) == wadi_type_is_float(to)) {
        prefix(p, "");
        return;
    }
    char name[16];
    (void)strcpy(name, wadi_type_name(to));
    (void)strcat(name, "_bits");
    call(p, name, wadi_type_name(from));
}

bool wadi_c_has_near(const wadi_linst *i) {
    return i->kind == WADI_L_PRIM && wadi_type_is_float(i->type) &&
           (i->op == WADI_SOP_SIN || i->op == WADI_SOP_COS || i->op == WADI_SOP_TAN);
}

void wadi_c_prim(wadi_text *out, wadi_c_for c, const wadi_lfun *f, const wadi_linst *i,
                 wadi_c_write operand, wadi_c_write plain, void *env) {
    const op_writer p = {out, c, f, i, operand, plain, env};
    const bool is_complex = wadi_type_is_complex(arg_type(&p, 0));
    const char *op = is_complex ? NULL : operator_of(i->op, i->type);
    if (is_complex && i->op != WADI_SOP_CONVERT) {
        call(&p, wadi_sop_get(i->op)->name, wadi_type_name(arg_type(&p, 0)));
        return;
    }
    if (c == WADI_C_DEVICE && may_overflow(&p)) {
        call(&p, wadi_sop_get(i->op)->name, wadi_type_name(i->type));
        return;
    }
    if (op) {
        infix(&p, op);
        return;
    }
    switch (i->op) {
    case WADI_SOP_CONVERT:
        conversion(&p);
        return;
    case WADI_SOP_BITCAST:
        bitcast(&p);
        return;
    case WADI_SOP_NEG:
        prefix(&p, "-");
        return;
    case WADI_SOP_LNOT:
        prefix(&p, "!");
        return;
    case WADI_SOP_NOT:
        prefix(&p, i->type == WADI_BOOL ? "!" : "~");
        return;
    case WADI_SOP_SHL:
    case WADI_SOP_SHR:
        if (plain_shift(&p)) return;
        break;
    case WADI_SOP_QUOT:
    case WADI_SOP_REM:
    case WADI_SOP_DIV:
    case WADI_SOP_MOD:
        if (plain_division(&p)) return;
        break;
    case WADI_SOP_MIN:
    case WADI_SOP_MAX:
        if (limited(&p)) return;
        break;
    default:
        break;
    }
    call(&p, wadi_sop_get(i->op)->name, wadi_type_name(arg_type(&p, 0)));
}
