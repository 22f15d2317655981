/* Random uses of random numbers: seeds and indices from anywhere, arrays of them, ranges. */
#include "tests/conformance/maker.h"

typedef struct drawing {
    int choice;
    int64_t constant;
    wadi_type type; /* of ranges */
} drawing;

static wadi_exp one_word(wadi_exp seed, wadi_exp index) {
    const wadi_exp w = wadi_random_words(seed, index, seed);
    return wadi_add(wadi_get(w, "w2"), wadi_get(w, "w3"));
}

static wadi_exp draw(void *env, wadi_exp seed, wadi_exp index) {
    static const wadi_fn2 plain[] = {
        wadi_random_u32,        wadi_random_u64,        wadi_random_f32, wadi_random_f64,
        wadi_random_normal_f32, wadi_random_normal_f64, one_word};
    const drawing *d = env;
    const wadi_exp n = wadi_literal(d->type, (double)d->constant);
    if (d->choice < 7) return plain[d->choice](seed, index);
    if (d->choice == 7) return wadi_random_below(seed, index, n);
    return wadi_random_between(seed, index, wadi_convert(d->type, index), n);
}

static wadi_exp at_element(void *env, wadi_ix ix, wadi_exp x) {
    return draw(env, wadi_convert(WADI_I32, x), ix.rank > 0 ? ix.at[ix.rank - 1] : wadi_i64(1));
}

void gen_random_step(maker *m) {
    static const wadi_type ints[] = {WADI_I8,  WADI_U8,  WADI_I16, WADI_U16,
                                     WADI_I32, WADI_U32, WADI_I64, WADI_U64};
    static const wadi_type given[] = {WADI_U32, WADI_U64, WADI_F32, WADI_F64,
                                      WADI_F32, WADI_F64, WADI_U32};
    const item it = gen_pick(m);
    drawing d = {.choice = gen_below(&m->r, 9)};
    d.type = ints[gen_below(&m->r, 8)];
    d.constant = gen_below(&m->r, 120) - 10;
    const wadi_type type = d.choice < 7 ? given[d.choice] : d.type;
    wadi_ix shape = {.rank = it.rank};
    for (int k = 0; k < it.rank; k++) shape.at[k] = wadi_extent(it.a, k);
    const wadi_exp seed = wadi_u64(gen_next(&m->r));
    gen_keep(m,
             gen_below(&m->r, 2) ? wadi_random_array_env(draw, &d, shape, seed)
                                 : wadi_imap_env(at_element, &d, it.a),
             it.rank, type, it.shape);
}
