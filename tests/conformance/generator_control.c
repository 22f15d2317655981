/* Random branches, loops and sequences within an element, whose regions hold random operations of their own. */
#include <string.h>

#include "tests/conformance/maker.h"

/* A region's arrays are not seen outside of it. */
typedef struct scope {
    int n, classes, depth;
    item pool[GEN_POOL];
} scope;

static void enter(maker *m, scope *s) {
    s->n = m->n;
    s->depth = m->depth++;
    memcpy(s->pool, m->pool, sizeof s->pool);
}

static void leave(maker *m, const scope *s) {
    m->n = s->n;
    m->depth = s->depth;
    memcpy(m->pool, s->pool, sizeof m->pool);
}

static wadi_exp to_i64(wadi_exp x) {
    return wadi_convert(WADI_I64, x);
}

/* Something computed in a few steps, as a vector of numbers; `from`: what it may start with, or NULL. */
static wadi_acc computed(maker *m, const item *from) {
    for (int tries = 0; tries < 8; tries++) {
        scope s;
        enter(m, &s);
        if (from) gen_keep(m, from->a, from->rank, from->type, from->shape);
        const int steps = 1 + gen_below(&m->r, 3);
        for (int i = 0; i < steps; i++) gen_step(m);
        const item it = m->pool[m->n - 1];
        leave(m, &s);
        if (!gen_is_complex(it.type)) return wadi_map(to_i64, wadi_flatten(it.a));
    }
    return wadi_iota(WADI_I64, wadi_i64(3));
}

static wadi_exp chance(maker *m) {
    return wadi_gt(wadi_mod(wadi_size(gen_pick(m).a), wadi_i64(3)),
                   wadi_i64(gen_below(&m->r, 3) - 1));
}

static void do_branches(maker *m) {
    const wadi_exp p = chance(m);
    const wadi_acc yes = computed(m, NULL), no = computed(m, NULL);
    gen_keep(m, wadi_acond(p, yes, no), 1, WADI_I64, gen_fresh_class(m));
}

static wadi_acc some_left(void *env, wadi_acc state) {
    (void)env;
    return wadi_unit(wadi_gt(wadi_the(wadi_tuple_get(state, 2)), wadi_i64(0)));
}

/* Long vectors would grow without end. The parts may change places. */
static wadi_acc next_round(void *env, wadi_acc state) {
    maker *m = env;
    const int first = gen_below(&m->r, 2);
    const item it = {wadi_tuple_get(state, first), 1, WADI_I64, gen_fresh_class(m)};
    const wadi_acc next = wadi_take(wadi_i64(40), computed(m, &it));
    const wadi_exp left = wadi_the(wadi_tuple_get(state, 2));
    const wadi_acc all[] = {next, wadi_tuple_get(state, gen_below(&m->r, 2)),
                            wadi_unit(wadi_sub(left, wadi_i64(1)))};
    return wadi_tuple(3, all);
}

static void do_rounds(maker *m) {
    const wadi_acc turns = wadi_unit(wadi_mod(wadi_size(gen_pick(m).a), wadi_i64(4)));
    const wadi_acc start[] = {computed(m, NULL), wadi_iota(WADI_I64, gen_small_extent(m)), turns};
    const wadi_acc end = wadi_awhile_env(some_left, next_round, m, wadi_tuple(3, start));
    for (int k = 0; k < 2; k++)
        gen_keep(m, wadi_tuple_get(end, k), 1, WADI_I64, gen_fresh_class(m));
}

/* ---- sequences within an element ---- */

static wadi_acc piece(void *env, wadi_acc a) {
    maker *m = env;
    const item it = {a, 1, WADI_I64, gen_fresh_class(m)};
    return computed(m, &it);
}

static wadi_acc not_short(wadi_acc a) {
    return wadi_unit(wadi_gt(wadi_extent(a, 0), wadi_i64(1)));
}

static wadi_acc longer(wadi_acc state, wadi_acc a) {
    return wadi_acond(wadi_gt(wadi_extent(a, 0), wadi_extent(state, 0)), a, state);
}

static wadi_acc same(wadi_acc a) {
    return a;
}

static void do_pieces(maker *m) {
    const wadi_acc v = wadi_take(wadi_i64(60), computed(m, NULL));
    wadi_seq s = wadi_subarrays(wadi_ix1(wadi_i64(1 + gen_below(&m->r, 9))), v);
    s = wadi_map_seq_env(piece, m, s);
    if (gen_below(&m->r, 3) == 0) s = wadi_filter_seq(not_short, s);
    if (gen_below(&m->r, 3) == 0) s = wadi_scan_seq(longer, wadi_iota(WADI_I64, wadi_i64(2)), s);
    if (gen_below(&m->r, 3) == 0) s = wadi_take_seq(gen_small_extent(m), s);
    if (gen_below(&m->r, 4) == 0) s = wadi_expand_seq(same, s);
    const int choice = gen_below(&m->r, 3);
    const wadi_acc all = choice == 0   ? wadi_consume(wadi_elements(s))
                         : choice == 1 ? wadi_flatten(wadi_consume(wadi_tabulate_min(s)))
                                       : wadi_tuple_get(wadi_consume(wadi_from_seq(s)), 1);
    gen_keep(m, all, 1, WADI_I64, gen_fresh_class(m));
}

/* Two vectors of a state that keep their shape: each is computed from the other, or from both, and from the element's size. */
static wadi_acc crossed(void *env, wadi_acc state, wadi_acc a) {
    maker *m = env;
    const wadi_acc x = wadi_tuple_get(state, 0), y = wadi_tuple_get(state, 1);
    m->constant = gen_below(&m->r, 9);
    m->given[0] = m->given[1] = m->want = WADI_I64;
    const wadi_acc sum = wadi_zip_with_env(gen_fn2, m, x, y), old = wadi_map_env(gen_fn1, m, x);
    const wadi_acc n = wadi_unit(wadi_size(a));
    const wadi_acc more = wadi_zip_with(wadi_add, y, wadi_fill(wadi_shape_of(y), wadi_the(n)));
    return gen_below(&m->r, 2) ? wadi_tuple2(more, gen_below(&m->r, 2) ? sum : old)
                               : wadi_tuple2(sum, gen_below(&m->r, 2) ? more : x);
}

static void do_longest(maker *m) {
    const wadi_acc v = wadi_take(wadi_i64(60), computed(m, NULL));
    wadi_seq s = wadi_subarrays(wadi_ix1(wadi_i64(1 + gen_below(&m->r, 9))), v);
    s = wadi_map_seq_env(piece, m, s);
    if (gen_below(&m->r, 2)) {
        const wadi_exp n = gen_small_extent(m);
        const wadi_acc z = wadi_tuple2(wadi_iota(WADI_I64, n), wadi_fill(wadi_ix1(n), wadi_i64(5)));
        const wadi_acc end = wadi_consume(wadi_fold_seq_env(crossed, m, z, s));
        const int shape = gen_fresh_class(m);
        for (int k = 0; k < 2; k++) gen_keep(m, wadi_tuple_get(end, k), 1, WADI_I64, shape);
        return;
    }
    const wadi_acc z = wadi_iota(WADI_I64, wadi_i64(gen_below(&m->r, 3)));
    gen_keep(m, wadi_consume(wadi_fold_seq(longer, z, s)), 1, WADI_I64, gen_fresh_class(m));
}

bool gen_control_step(maker *m) {
    static void (*const steps[])(maker *) = {do_branches, do_rounds, do_pieces, do_longest};
    if (m->depth >= m->deepest) return false;
    steps[gen_below(&m->r, 4)](m);
    return true;
}
