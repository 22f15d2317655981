/* The table of scalar operations, and their typing rule: one per class (graph/ir/scalar.def). */
#include "graph/ir/ir.h"

static const wadi_sop_info table[WADI_SOP_COUNT] = {
#define WADI_SOP(NAME, text, arity, cls, flags, about) \
    {text, arity, WADI_CLASS_##cls, flags, about},
#include "graph/ir/scalar.def"
#undef WADI_SOP
    [WADI_SOP_CONST] = {"const", 0, WADI_CLASS_NONE, 0},
    [WADI_SOP_CONVERT] = {"convert", 1, WADI_CLASS_NONE, 0},
    [WADI_SOP_BITCAST] = {"bitcast", 1, WADI_CLASS_NONE, 0},
    [WADI_SOP_INDEX] = {"index", -1, WADI_CLASS_NONE, WADI_SOP_FAULTS},
    [WADI_SOP_INDEX_LINEAR] = {"index_linear", 1, WADI_CLASS_NONE, WADI_SOP_FAULTS},
    [WADI_SOP_THE] = {"the", 0, WADI_CLASS_NONE, 0},
    [WADI_SOP_EXTENT] = {"extent", 0, WADI_CLASS_NONE, 0},
    [WADI_SOP_COND] = {"if", 1, WADI_CLASS_NONE, 0},
    [WADI_SOP_WHILE] = {"while", -1, WADI_CLASS_NONE, 0},
    [WADI_SOP_ITERATE] = {"iterate", -1, WADI_CLASS_NONE, 0},
};

const char *wadi_sop_class_text(wadi_sop_class cls) {
    static const char *const text[] = {
        [WADI_CLASS_NUMBER] = "numbers of one type; the same",
        [WADI_CLASS_ARITH] = "real numbers of one type; the same",
        [WADI_CLASS_MODULUS] = "a number; the same, of a complex one the type of its parts",
        [WADI_CLASS_INT] = "integers of one type; the same",
        [WADI_CLASS_BITS] = "integers of one type, or bools; the same",
        [WADI_CLASS_FLOAT] = "floats of one type; the same",
        [WADI_CLASS_ANALYTIC] = "floats or complex numbers of one type; the same",
        [WADI_CLASS_EQUAL] = "two scalars of one type; bool",
        [WADI_CLASS_ORDER] = "two scalars of one type, not complex; bool",
        [WADI_CLASS_LOGIC] = "bools; bool",
        [WADI_CLASS_SHIFT] = "an integer and a distance, i32; as the integer",
        [WADI_CLASS_COUNT] = "an integer; i32",
        [WADI_CLASS_TEST] = "a float or complex number; bool",
        [WADI_CLASS_JOIN] = "two floats of one type; the complex number they are the parts of",
        [WADI_CLASS_PART] = "a complex number; the type of its parts",
        [WADI_CLASS_COMPLEX] = "a complex number; the same",
        [WADI_CLASS_NONE] = "",
    };
    return text[cls];
}

const wadi_sop_info *wadi_sop_get(wadi_sop op) {
    return &table[op];
}

bool wadi_sop_is_costly(wadi_sop op, wadi_type t) {
    if (op >= WADI_SOP_PRIM_COUNT) return false;
    const wadi_sop_class cls = table[op].cls;
    return cls == WADI_CLASS_FLOAT || cls == WADI_CLASS_ANALYTIC || op == WADI_SOP_ARG ||
           (op == WADI_SOP_ABS && wadi_type_is_complex(t));
}

/* Whether a class takes arguments of type `t` (SHIFT: its first one). */
static bool takes(wadi_sop_class cls, wadi_type t) {
    switch (cls) {
    case WADI_CLASS_NUMBER:
    case WADI_CLASS_MODULUS:
        return t != WADI_BOOL;
    case WADI_CLASS_ARITH:
        return wadi_type_is_int(t) || wadi_type_is_float(t);
    case WADI_CLASS_INT:
    case WADI_CLASS_SHIFT:
    case WADI_CLASS_COUNT:
        return wadi_type_is_int(t);
    case WADI_CLASS_BITS:
        return wadi_type_is_int(t) || t == WADI_BOOL;
    case WADI_CLASS_FLOAT:
    case WADI_CLASS_JOIN:
        return wadi_type_is_float(t);
    case WADI_CLASS_ANALYTIC:
    case WADI_CLASS_TEST:
        return wadi_type_is_float(t) || wadi_type_is_complex(t);
    case WADI_CLASS_PART:
    case WADI_CLASS_COMPLEX:
        return wadi_type_is_complex(t);
    case WADI_CLASS_EQUAL:
        return true;
    case WADI_CLASS_ORDER:
        return !wadi_type_is_complex(t);
    case WADI_CLASS_LOGIC:
        return t == WADI_BOOL;
    case WADI_CLASS_NONE:
        break;
    }
    return false;
}

static wadi_type result_of(wadi_sop_class cls, wadi_type arg) {
    switch (cls) {
    case WADI_CLASS_EQUAL:
    case WADI_CLASS_ORDER:
    case WADI_CLASS_TEST:
        return WADI_BOOL;
    case WADI_CLASS_COUNT:
        return WADI_I32;
    case WADI_CLASS_JOIN:
        return arg == WADI_F32 ? WADI_C64 : WADI_C128;
    case WADI_CLASS_MODULUS:
    case WADI_CLASS_PART:
        return wadi_type_part(arg);
    default:
        return arg;
    }
}

bool wadi_sop_type(wadi_sop op, const wadi_type *args, wadi_type *out) {
    if ((int)op < 0 || op >= WADI_SOP_PRIM_COUNT) return false;
    const wadi_sop_info *info = &table[op];
    if (!takes(info->cls, args[0])) return false;
    for (int i = 1; i < info->arity; i++) {
        const wadi_type want = info->cls == WADI_CLASS_SHIFT ? WADI_I32 : args[0];
        if (args[i] != want) return false;
    }
    *out = result_of(info->cls, args[0]);
    return true;
}

bool wadi_bitcast_fits(wadi_type to, wadi_type from) {
    const bool real = !wadi_type_is_complex(to) && !wadi_type_is_complex(from);
    return real && to != WADI_BOOL && from != WADI_BOOL &&
           wadi_type_size(to) == wadi_type_size(from);
}
