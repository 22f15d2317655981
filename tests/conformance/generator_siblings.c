/* Several consumers of one array: folds of it and of maps of it, scans and maps, which the pass siblings may join. */
#include "tests/conformance/maker.h"

static wadi_acc mapped(maker *m, const item *it, wadi_type to) {
    m->given[0] = it->type;
    m->want = to;
    return wadi_map_env(gen_fn1, m, it->a);
}

static wadi_acc folded(maker *m, const item *it, wadi_type t) {
    const wadi_acc a = gen_below(&m->r, 2) && t == it->type ? it->a : mapped(m, it, t);
    return wadi_fold(gen_associative(m, t), gen_literal(m, t), a);
}

/* Another consumer, for the steps that follow. */
static void keep_other(maker *m, const item *it) {
    const wadi_type t = gen_type(&m->r);
    switch (gen_below(&m->r, 3)) {
    case 0:
        gen_keep(m, wadi_scanl1(gen_associative(m, it->type), it->a), it->rank, it->type,
                 it->shape);
        break;
    case 1:
        gen_keep(m, mapped(m, it, t), it->rank, t, it->shape);
        break;
    default:
        gen_keep(m, folded(m, it, t), it->rank - 1, t, gen_fresh_class(m));
        break;
    }
}

void gen_siblings_step(maker *m) {
    const item it = gen_pick_ranked(m, 1, 3);
    const wadi_type first = it.type, second = gen_type(&m->r);
    const int others = gen_below(&m->r, 4);
    const wadi_acc a = folded(m, &it, first), b = folded(m, &it, second);
    for (int k = 0; k < others; k++) keep_other(m, &it);
    m->given[0] = first;
    m->given[1] = second;
    m->want = gen_type(&m->r);
    gen_keep(m, wadi_zip_with_env(gen_fn2, m, a, b), it.rank - 1, m->want, gen_fresh_class(m));
}
