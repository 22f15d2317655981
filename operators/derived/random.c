/* Random numbers by Philox4x32-10, uniform and in ranges (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3;
 * SC 2011). The key is the seed, and the counter the index; low words come first. */
#include "graph/lang/node.h"

enum { WORDS = 4, ROUNDS = 10 };

static const uint32_t multiplier[2] = {0xD2511F53, 0xCD9E8D57};
static const uint32_t weyl[2] = {0x9E3779B9, 0xBB67AE85};

static wadi_exp low_word(wadi_exp x) {
    return wadi_convert(WADI_U32, x);
}

static wadi_exp high_word(wadi_exp x) {
    return wadi_convert(WADI_U32, wadi_shr(x, wadi_i32(32)));
}

static wadi_exp wide(wadi_exp word) {
    return wadi_convert(WADI_U64, word);
}

/* low + 2^32 high. */
static wadi_exp joined(wadi_exp low, wadi_exp high) {
    return wadi_or(wide(low), wadi_shl(wide(high), wadi_i32(32)));
}

static void one_round(wadi_exp x[WORDS], const wadi_exp key[2]) {
    const wadi_exp p0 = wadi_mul(wide(x[0]), wadi_u64(multiplier[0]));
    const wadi_exp p1 = wadi_mul(wide(x[2]), wadi_u64(multiplier[1]));
    x[0] = wadi_xor(wadi_xor(high_word(p1), x[1]), key[0]);
    x[2] = wadi_xor(wadi_xor(high_word(p0), x[3]), key[1]);
    x[1] = low_word(p1);
    x[3] = low_word(p0);
}

/* An integer as u64; no expression after a mistake. */
static wadi_exp number(const char *what, const char *role, wadi_exp e) {
    const wadi_exp n = wadi_exp_to_i64(what, role, e);
    return n.node ? wadi_convert(WADI_U64, n) : WADI_NO_EXP;
}

/* The four words at counter (x0, x1, x2, x3), in its place; false after a mistake. */
static bool turn(const char *what, wadi_exp seed, wadi_exp x[WORDS]) {
    const wadi_exp s = number(what, "argument 1", seed);
    if (!s.node) return false;
    wadi_exp key[2] = {low_word(s), high_word(s)};
    for (int r = 0; r < ROUNDS; r++) {
        one_round(x, key);
        for (int k = 0; k < 2; k++) key[k] = wadi_add(key[k], wadi_u32(weyl[k]));
    }
    return true;
}

/* The block of four words; false after a mistake. */
static bool block(const char *what, wadi_exp seed, wadi_exp index, wadi_exp x[WORDS]) {
    const wadi_exp i = number(what, "argument 2", index);
    if (!i.node) return false;
    x[0] = low_word(i);
    x[1] = high_word(i);
    x[2] = x[3] = wadi_u32(0);
    return turn(what, seed, x);
}

wadi_exp wadi_random_words(wadi_exp seed, wadi_exp index, wadi_exp above) {
    static const char *const names[WORDS] = {"w0", "w1", "w2", "w3"};
    const wadi_exp i = number("random_words", "argument 2", index);
    const wadi_exp a = number("random_words", "argument 3", above);
    if (!i.node || !a.node) return WADI_NO_EXP;
    wadi_exp x[WORDS] = {low_word(i), high_word(i), low_word(a), high_word(a)};
    return turn("random_words", seed, x) ? wadi_rec(WORDS, names, x) : WADI_NO_EXP;
}

wadi_exp wadi_random_u32(wadi_exp seed, wadi_exp index) {
    wadi_exp x[WORDS];
    return block("random_u32", seed, index, x) ? x[0] : WADI_NO_EXP;
}

static wadi_exp bits64(const char *what, wadi_exp seed, wadi_exp index) {
    wadi_exp x[WORDS];
    return block(what, seed, index, x) ? joined(x[0], x[1]) : WADI_NO_EXP;
}

wadi_exp wadi_random_u64(wadi_exp seed, wadi_exp index) {
    return bits64("random_u64", seed, index);
}

/* The highest bits of the word, as many as the type holds exactly. */
wadi_exp wadi_random_f32(wadi_exp seed, wadi_exp index) {
    wadi_exp x[WORDS];
    if (!block("random_f32", seed, index, x)) return WADI_NO_EXP;
    return wadi_mul(wadi_convert(WADI_F32, wadi_shr(x[0], wadi_i32(8))), wadi_f32(0x1p-24f));
}

wadi_exp wadi_random_f64(wadi_exp seed, wadi_exp index) {
    const wadi_exp bits = bits64("random_f64", seed, index);
    return wadi_mul(wadi_convert(WADI_F64, wadi_shr(bits, wadi_i32(11))), wadi_f64(0x1p-53));
}

/* ---- ranges ---- */

/* The product of two u64: its high half, and *out_low its low half. */
static wadi_exp product(wadi_exp a, wadi_exp b, wadi_exp *out_low) {
    const wadi_exp a0 = wide(low_word(a)), a1 = wide(high_word(a));
    const wadi_exp b0 = wide(low_word(b)), b1 = wide(high_word(b));
    const wadi_exp low = wadi_mul(a0, b0);
    const wadi_exp middle = wadi_add(wadi_mul(a1, b0), wide(high_word(low))); /* fits */
    const wadi_exp other = wadi_add(wadi_mul(a0, b1), wide(low_word(middle)));
    *out_low = wadi_mul(a, b);
    return wadi_add(wadi_mul(a1, b1), wadi_add(wide(high_word(middle)), wide(high_word(other))));
}

/* The 128 bits of the block, as a fraction of 1, times n (u64, not 0), rounded down: the high half of the highest 64 bits times n, and
 * what the lowest 64 bits carry into it. */
static wadi_exp scaled(const wadi_exp x[WORDS], wadi_exp n) {
    wadi_exp low, unused;
    const wadi_exp high = product(joined(x[0], x[1]), n, &low);
    const wadi_exp sum = wadi_add(low, product(joined(x[2], x[3]), n, &unused));
    return wadi_add(high, wadi_convert(WADI_U64, wadi_lt(sum, low)));
}

/* The type of an argument, which must be an integer; -1 after a mistake. */
static int integer_type(const char *what, const char *role, wadi_exp e) {
    if (!wadi_exp_to_i64(what, role, e).node) return -1;
    return (int)wadi_exp_elem(e)->type[0];
}

wadi_exp wadi_random_below(wadi_exp seed, wadi_exp index, wadi_exp n) {
    wadi_exp x[WORDS];
    const int t = integer_type("random_below", "argument 3", n);
    if (t < 0 || !block("random_below", seed, index, x)) return WADI_NO_EXP;
    const wadi_exp positive = wadi_max(n, wadi_literal((wadi_type)t, 0));
    return wadi_convert((wadi_type)t, scaled(x, wadi_convert(WADI_U64, positive)));
}

wadi_exp wadi_random_between(wadi_exp seed, wadi_exp index, wadi_exp low, wadi_exp high) {
    wadi_exp x[WORDS];
    const int t = integer_type("random_between", "argument 3", low);
    const int other = integer_type("random_between", "argument 4", high);
    if (t < 0 || other < 0 || !block("random_between", seed, index, x)) return WADI_NO_EXP;
    if (t != other)
        return wadi_exp_of(
            wadi_lang_fail(WADI_TYPE, "random_between: argument 4 is %s, expected %s as argument 3",
                           wadi_type_name((wadi_type)other), wadi_type_name((wadi_type)t)));
    const wadi_exp first = wadi_convert(WADI_U64, low);
    const wadi_exp above = wadi_sub(wadi_convert(WADI_U64, wadi_max(low, high)), first);
    const wadi_exp all =
        wadi_eq(above, wadi_not(wadi_u64(0))); /* every u64: their number is 2^64 */
    const wadi_exp some = scaled(x, wadi_add(above, wadi_u64(1)));
    const wadi_exp offset = wadi_cond(all, joined(x[0], x[1]), some);
    return wadi_convert((wadi_type)t, wadi_add(first, offset));
}

/* ---- arrays ---- */

typedef struct drawing {
    wadi_fn2_env draw;
    void *env;
    wadi_ix shape;
    wadi_exp seed;
} drawing;

static wadi_exp drawn(void *env, wadi_ix ix) {
    const drawing *d = env;
    return WADI_ASK_EXP(d->draw, d->env, d->seed, wadi_to_index(d->shape, ix));
}

wadi_acc wadi_random_array_env(wadi_fn2_env draw, void *env, wadi_ix shape, wadi_exp seed) {
    const char *outer = wadi_lang_call("random_array");
    drawing d = {draw, env, shape, seed};
    return wadi_acc_called(outer, wadi_generate_env(shape, drawn, &d));
}

wadi_acc wadi_random_array(wadi_fn2 draw, wadi_ix shape, wadi_exp seed) {
    return wadi_random_array_env(wadi_call2, &draw, shape, seed);
}
