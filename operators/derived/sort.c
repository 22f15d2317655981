/* sort and sort_by_key: one stable partition per bit of the key, from the lowest bit to the highest (LSD radix sort; Knuth,
 * The Art of Computer Programming 3, 5.2.5).
 *
 * Keys are converted to unsigned numbers of the same order. Every row (the innermost dimension) is sorted on its own, and a
 * pass reads and writes it in order. So this works for any number and length of rows, in every schedule. The cost does not
 * depend on the data: one pass per bit of the key's type. */
#include "graph/lang/node.h"

/* The unsigned type as wide as `t`. */
static wadi_type unsigned_of(wadi_type t) {
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

/* Bits of an integer of type `t` whose highest bit alone is set. */
static wadi_exp sign_bit(wadi_type t) {
    const wadi_exp one = wadi_literal(t, 1);
    return wadi_shl(one, wadi_i32(8 * wadi_type_size(t) - 1));
}

/* Bits in the order of the IEEE 754 numbers: all bits of a negative number are inverted, and the sign of any other. -0 first becomes
 * +0, so that the two are equal. NaN comes after all numbers. */
static wadi_exp float_bits(wadi_exp key, wadi_type t, wadi_type u) {
    const wadi_exp bits = wadi_bitcast(u, wadi_add(key, wadi_literal(t, 0)));
    const wadi_exp sign = sign_bit(u), all = wadi_not(wadi_literal(u, 0));
    const wadi_exp negative = wadi_ne(wadi_and(bits, sign), wadi_literal(u, 0));
    const wadi_exp turned = wadi_xor(bits, wadi_cond(negative, all, sign));
    return wadi_cond(wadi_isnan(key), all, turned);
}

/* The key as an unsigned number with the same order. */
static wadi_exp ordered(wadi_exp key, wadi_type t) {
    const wadi_type u = unsigned_of(t);
    if (t == WADI_BOOL) return wadi_convert(u, key);
    if (wadi_type_is_float(t)) return float_bits(key, t, u);
    if (!wadi_type_is_signed(t)) return key;
    return wadi_xor(wadi_bitcast(u, key), sign_bit(u));
}

typedef struct sorting {
    wadi_fn1_env key;
    void *env;
    wadi_acc bit; /* rank 0: the bit of this pass */
    wadi_type type;
} sorting;

static wadi_exp bit_is_clear(void *env, wadi_exp x) {
    const sorting *s = env;
    const wadi_exp bits = ordered(WADI_ASK_EXP(s->key, s->env, x), s->type);
    const wadi_type u = unsigned_of(s->type);
    const wadi_exp low = wadi_and(wadi_shr(bits, wadi_the(s->bit)), wadi_literal(u, 1));
    return wadi_eq(low, wadi_literal(u, 0));
}

static wadi_acc bits_left(void *env, wadi_acc state) {
    const sorting *s = env;
    const int bits = s->type == WADI_BOOL ? 1 : 8 * wadi_type_size(s->type);
    return wadi_unit(wadi_lt(wadi_the(wadi_tuple_get(state, 1)), wadi_i32(bits)));
}

static wadi_acc pass(void *env, wadi_acc state) {
    sorting s = *(const sorting *)env;
    s.bit = wadi_tuple_get(state, 1);
    const wadi_acc parted = wadi_partition_env(bit_is_clear, &s, wadi_tuple_get(state, 0));
    return wadi_tuple2(wadi_tuple_get(parted, 0),
                       wadi_unit(wadi_add(wadi_the(s.bit), wadi_i32(1))));
}

/* The type of the key, found by a map whose result is not used; -1 after a mistake. */
static int type_of_key(wadi_fn1_env key, void *env, wadi_acc a) {
    wadi_draft d = wadi_draft_begin("sort");
    const wadi_array_type *t = wadi_draft_array(&d, wadi_map_env(key, env, a));
    wadi_expect_rank_from(&d, t, 1);
    wadi_expect_plain(&d, t);
    if (wadi_draft_failed(&d)) return -1;
    if (wadi_type_is_complex(t->elem.type[0]))
        wadi_draft_fail(&d, WADI_TYPE, "the key is %s, which has no order",
                        wadi_type_name(t->elem.type[0]));
    return wadi_draft_failed(&d) ? -1 : (int)t->elem.type[0];
}

wadi_acc wadi_sort_by_key_env(wadi_fn1_env key, void *env, wadi_acc a) {
    const int type = type_of_key(key, env, a);
    if (type < 0) return WADI_NO_ACC;
    sorting s = {.key = key, .env = env, .type = (wadi_type)type};
    const wadi_acc start = wadi_tuple2(a, wadi_unit(wadi_i32(0)));
    return wadi_tuple_get(wadi_awhile_env(bits_left, pass, &s, start), 0);
}

wadi_acc wadi_sort_by_key(wadi_fn1 key, wadi_acc a) {
    return wadi_sort_by_key_env(wadi_call1, &key, a);
}

static wadi_exp itself(wadi_exp x) {
    return x;
}

wadi_acc wadi_sort(wadi_acc a) {
    return wadi_sort_by_key(itself, a);
}
