/* Parts of dimensions, and zips of arrays with different extents, built from take and drop. */
#include "graph/lang/node.h"

/* ---- parts ---- */

static int innermost(wadi_acc a) {
    const wadi_array_type *t = wadi_acc_type(a);
    return t && t->rank > 0 ? t->rank - 1 : 0;
}

wadi_acc wadi_init_on(int dim, wadi_acc a) {
    return wadi_take_on(dim, wadi_sub(wadi_extent(a, dim), wadi_i64(1)), a);
}

wadi_acc wadi_init(wadi_acc a) {
    return wadi_init_on(innermost(a), a);
}

wadi_acc wadi_tail_on(int dim, wadi_acc a) {
    return wadi_drop_on(dim, wadi_i64(1), a);
}

wadi_acc wadi_tail(wadi_acc a) {
    return wadi_tail_on(innermost(a), a);
}

wadi_acc wadi_slit_on(int dim, wadi_exp from, wadi_exp n, wadi_acc a) {
    return wadi_take_on(dim, n, wadi_drop_on(dim, from, a));
}

wadi_acc wadi_slit(wadi_exp from, wadi_exp n, wadi_acc a) {
    return wadi_slit_on(innermost(a), from, n, a);
}

/* ---- intersections ---- */

/* The part of `a` that lies within the extents of `other`. */
static wadi_acc within(wadi_acc a, wadi_acc other) {
    const wadi_array_type *t = wadi_acc_type(a), *u = wadi_acc_type(other);
    for (int d = 0; t && u && d < t->rank && d < u->rank; d++)
        a = wadi_take_on(d, wadi_min(wadi_extent(a, d), wadi_extent(other, d)), a);
    return a;
}

wadi_acc wadi_zip_with_min_env(wadi_fn2_env f, void *env, wadi_acc a, wadi_acc b) {
    return wadi_zip_with_env(f, env, within(a, b), within(b, a));
}

wadi_acc wadi_zip_with_min(wadi_fn2 f, wadi_acc a, wadi_acc b) {
    return wadi_zip_with_min_env(wadi_call2, &f, a, b);
}
