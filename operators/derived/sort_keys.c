/* Keys as unsigned numbers of the same order, so that one sort by bits serves all types. */
#include "operators/derived/sort_keys.h"

wadi_type wadi_sort_unsigned(wadi_type t) {
    switch (wadi_type_size(t)) {
    case 1:
        return WADI_U8;
    case 2:
        return WADI_U16;
    case 4:
        return WADI_U32;
    default:
        return WADI_U64;
    }
}

/* An integer of type `t` whose highest bit alone is set. */
static wadi_exp sign_bit(wadi_type t) {
    const wadi_exp one = wadi_literal(t, 1);
    return wadi_shl(one, wadi_i32(8 * wadi_type_size(t) - 1));
}

/* Bits in the order of the IEEE 754 numbers: all bits of a negative number are inverted, and the sign of any other. -0 first becomes
 * +0, so that the two are equal. */
static wadi_exp float_bits(wadi_exp key, wadi_type t, bool down) {
    const wadi_type u = wadi_sort_unsigned(t);
    const wadi_exp bits = wadi_bitcast(u, wadi_add(key, wadi_literal(t, 0)));
    const wadi_exp sign = sign_bit(u), all = wadi_not(wadi_literal(u, 0));
    const wadi_exp negative = wadi_ne(wadi_and(bits, sign), wadi_literal(u, 0));
    const wadi_exp turned = wadi_xor(bits, wadi_cond(negative, all, sign));
    return wadi_cond(wadi_isnan(key), all, down ? wadi_not(turned) : turned);
}

wadi_exp wadi_sort_bits(wadi_exp key, wadi_type t, bool down) {
    const wadi_type u = wadi_sort_unsigned(t);
    if (wadi_type_is_float(t)) return float_bits(key, t, down);
    const wadi_exp up = t == WADI_BOOL            ? wadi_convert(u, key)
                        : !wadi_type_is_signed(t) ? key
                                                  : wadi_xor(wadi_bitcast(u, key), sign_bit(u));
    return down ? wadi_not(up) : up;
}

wadi_exp wadi_sort_before(wadi_exp x, wadi_exp y) {
    const wadi_elem *e = wadi_exp_elem(x);
    if (!e) return WADI_NO_EXP;
    const wadi_type t = e->type[0];
    if (t == WADI_BOOL) return wadi_land(wadi_lnot(x), y);
    if (!wadi_type_is_float(t)) return wadi_lt(x, y);
    return wadi_lor(wadi_lt(x, y), wadi_land(wadi_isnan(y), wadi_lnot(wadi_isnan(x))));
}

static wadi_exp same_scalars(wadi_exp x, wadi_exp y, wadi_type t) {
    const wadi_exp equal = wadi_eq(x, y);
    if (!wadi_type_is_float(t) && !wadi_type_is_complex(t)) return equal;
    return wadi_lor(equal, wadi_land(wadi_isnan(x), wadi_isnan(y)));
}

wadi_exp wadi_sort_same(wadi_exp x, wadi_exp y) {
    const wadi_elem *found = wadi_exp_elem(x);
    if (!found) return WADI_NO_EXP;
    const wadi_elem e = *found;
    if (!e.name[0]) return same_scalars(x, y, e.type[0]);
    wadi_exp all = wadi_bool(true);
    for (int f = 0; f < e.fields; f++) {
        const wadi_exp xf = wadi_get(x, e.name[f]), yf = wadi_get(y, e.name[f]);
        all = wadi_land(all, same_scalars(xf, yf, e.type[f]));
    }
    return all;
}
