/* Random operations that fault in some elements of a stream, for example if an array has a certain size, an odd size, or size 0. */
#include "tests/conformance/maker.h"

typedef struct peril {
    maker *m;
    wadi_exp n; /* of an array, less a number it may have */
    item from;
} peril;

static wadi_exp size_of_one(maker *m) {
    static const int values[] = {0, 2, 3, 5, 7, 8, 9, 16, 17, 33};
    const wadi_exp n = wadi_size(gen_pick(m).a);
    return wadi_sub(n, wadi_i64(values[gen_below(&m->r, 10)]));
}

static wadi_exp divided(void *env, wadi_exp x) {
    const peril *p = env;
    return wadi_add(wadi_convert(WADI_I64, x), wadi_quot(wadi_i64(1000), p->n));
}

static wadi_exp divided_at(void *env, wadi_ix ix) {
    const peril *p = env;
    return wadi_mod(wadi_i64(1000), wadi_sub(p->n, ix.at[0]));
}

static wadi_exp looked_up(void *env, wadi_exp x) {
    const peril *p = env;
    const wadi_exp at = wadi_quot(p->n, wadi_i64(8));
    return wadi_add(wadi_convert(WADI_I64, x),
                    wadi_convert(WADI_I64, wadi_index1(p->m->table, at)));
}

static wadi_exp neighbour(void *env, wadi_ix ix) {
    const peril *p = env;
    const wadi_exp at = wadi_add(ix.at[0], wadi_max(p->n, wadi_i64(0)));
    return wadi_index1(p->from.a, wadi_min(at, wadi_i64(60)));
}

static wadi_ix shifted(void *env, wadi_ix ix) {
    const peril *p = env;
    return wadi_ix1(wadi_add(ix.at[0], wadi_min(p->n, wadi_i64(0))));
}

static wadi_exp size_by_n(void *env, wadi_exp x) {
    const peril *p = env;
    (void)x;
    return wadi_min(p->n, wadi_i64(2));
}

static wadi_exp only_first(wadi_exp x, wadi_exp k) {
    return wadi_cond(wadi_ge(k, wadi_i64(0)), x, x);
}

static wadi_exp only_first_env(void *env, wadi_exp x, wadi_exp k) {
    (void)env;
    return only_first(x, k);
}

static wadi_exp length_by_n(void *env, wadi_ix ix) {
    const peril *p = env;
    return wadi_add(wadi_min(p->n, wadi_i64(2)), ix.at[0]);
}

static wadi_exp added(wadi_exp a, wadi_exp b) {
    return wadi_cond(wadi_eq(a, a), a, b);
}

/* Numbers. */
static void do_number(maker *m, peril *p) {
    const item it = gen_pick(m);
    const bool first = gen_below(&m->r, 2);
    const item other = gen_pick_ranked(m, 1, 1);
    switch (gen_below(&m->r, 3)) {
    case 0:
        gen_keep(m, wadi_map_env(first ? divided : looked_up, p, it.a), it.rank, WADI_I64,
                 it.shape);
        return;
    case 1:
        gen_keep(m, wadi_generate_env(wadi_ix1(wadi_i64(1 + first * 8)), divided_at, p), 1,
                 WADI_I64, gen_fresh_class(m));
        return;
    default:
        p->from = other;
        gen_keep(m, wadi_generate_env(wadi_ix1(wadi_extent(other.a, 0)), neighbour, p), 1,
                 other.type, other.shape);
    }
}

/* Shapes and segments of a vector. */
static void do_shape(maker *m, peril *p) {
    const item it = gen_pick_ranked(m, 1, 1);
    const wadi_exp n = wadi_extent(it.a, 0), half = wadi_quot(n, wadi_i64(2));
    const wadi_exp z = gen_literal(m, it.type);
    const int fresh = gen_fresh_class(m);
    wadi_acc a, b;
    switch (gen_below(&m->r, 8)) {
    case 0:
        a = wadi_reshape(wadi_ix2(half, wadi_i64(2)), it.a);
        gen_keep(m, a, 2, it.type, fresh);
        return;
    case 1:
        b = wadi_take(wadi_i64(16), it.a);
        a = wadi_zip_with(added, wadi_take(wadi_i64(17), it.a), b);
        break;
    case 2:
        a = wadi_fold1(added, it.a);
        gen_keep(m, a, 0, it.type, fresh);
        return;
    case 3:
        a = wadi_assert_shape(wadi_ix1(wadi_min(n, wadi_i64(40))), it.a);
        break;
    case 4:
        a = wadi_backpermute_env(wadi_ix1(n), shifted, p, it.a);
        break;
    case 5:
        a = wadi_expand_env(size_by_n, only_first_env, p, wadi_take(wadi_i64(40), it.a));
        break;
    case 6:
        b = wadi_generate_env(wadi_ix1(wadi_i64(3)), length_by_n, p);
        a = wadi_fold_seg(added, z, b, it.a);
        break;
    default:
        b = wadi_generate_env(wadi_ix1(wadi_i64(2)), length_by_n, p);
        a = wadi_scanl_seg(added, z, b, it.a);
    }
    gen_keep(m, a, 1, it.type, fresh);
}

void gen_peril_step(maker *m) {
    peril p = {.m = m, .n = size_of_one(m)};
    if (gen_below(&m->r, 2))
        do_number(m, &p);
    else
        do_shape(m, &p);
}
