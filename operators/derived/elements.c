/* Array functions of the language that are built from operators. */
#include "graph/lang/node.h"

/* ---- arrays from numbers ---- */

static wadi_exp constant(void *env, wadi_ix ix) {
    (void)ix;
    return *(const wadi_exp *)env;
}

wadi_acc wadi_fill(wadi_ix shape, wadi_exp v) {
    return wadi_generate_env(shape, constant, &v);
}

static wadi_exp converted(void *env, wadi_ix ix) {
    return wadi_convert(*(const wadi_type *)env, ix.at[0]);
}

wadi_acc wadi_iota(wadi_type t, wadi_exp n) {
    return wadi_generate_env(wadi_ix1(n), converted, &t);
}

typedef struct line {
    wadi_exp first, step;
    wadi_type type;
} line;

static wadi_exp point(void *env, wadi_ix ix) {
    const line *l = env;
    return wadi_add(l->first, wadi_mul(wadi_convert(l->type, ix.at[0]), l->step));
}

wadi_acc wadi_enum_from_step(wadi_exp n, wadi_exp first, wadi_exp step) {
    const wadi_elem *e = wadi_exp_elem(first);
    if (!e) return WADI_NO_ACC;
    line l = {first, step, e->type[0]};
    return wadi_generate_env(wadi_ix1(n), point, &l);
}

/* ---- shapes ---- */

wadi_acc wadi_flatten(wadi_acc a) {
    return wadi_reshape(wadi_ix1(wadi_size(a)), a);
}

/* ---- reductions ---- */

wadi_acc wadi_fold_all(wadi_fn2 f, wadi_exp z, wadi_acc a) {
    return wadi_fold(f, z, wadi_flatten(a));
}

/* The number `v` as an element of `a`, the argument of `what`. If the elements are records or bools, the function that combines them makes
 * the mistake known. */
static wadi_exp number(const char *what, wadi_acc a, double v) {
    const wadi_array_type *t = wadi_acc_given(what, 1, a);
    return t ? wadi_literal(t->elem.type[0], v) : WADI_NO_EXP;
}

wadi_acc wadi_sum(wadi_acc a) {
    return wadi_fold(wadi_add, number("sum", a, 0), a);
}

wadi_acc wadi_product(wadi_acc a) {
    return wadi_fold(wadi_mul, number("product", a, 1), a);
}

wadi_acc wadi_minimum(wadi_acc a) {
    return wadi_fold1(wadi_min, a);
}

wadi_acc wadi_maximum(wadi_acc a) {
    return wadi_fold1(wadi_max, a);
}

wadi_acc wadi_all_of(wadi_acc a) {
    return wadi_fold(wadi_land, wadi_bool(true), a);
}

wadi_acc wadi_any_of(wadi_acc a) {
    return wadi_fold(wadi_lor, wadi_bool(false), a);
}

/* ---- where the least or greatest is ---- */

static wadi_exp with_index(wadi_ix ix, wadi_exp x) {
    return wadi_rec2("value", x, "index", ix.at[ix.rank - 1]);
}

/* Whether y is preferred to x: it is better, or as good and further left. A number is better than NaN. */
static wadi_exp before(wadi_fn2 better, wadi_exp y, wadi_exp x) {
    const wadi_exp vx = wadi_get(x, "value"), vy = wadi_get(y, "value");
    const wadi_exp left = wadi_lt(wadi_get(y, "index"), wadi_get(x, "index"));
    const wadi_exp wins = wadi_lor(better(vy, vx), wadi_land(wadi_eq(vy, vx), left));
    const wadi_elem *e = wadi_exp_elem(vx);
    if (!e || !wadi_type_is_float(e->type[0])) return wins;
    const wadi_exp x_is_nan = wadi_isnan(vx), y_is_nan = wadi_isnan(vy);
    return wadi_lor(wins, wadi_land(x_is_nan, wadi_lor(wadi_lnot(y_is_nan), left)));
}

static wadi_exp choose(void *env, wadi_exp x, wadi_exp y) {
    return wadi_cond(before(*(const wadi_fn2 *)env, y, x), y, x);
}

static wadi_exp index_of(wadi_exp x) {
    return wadi_get(x, "index");
}

static wadi_acc arg_best(const char *what, wadi_fn2 better, wadi_acc a) {
    wadi_draft d = wadi_draft_begin(what);
    const wadi_array_type *t = wadi_draft_array(&d, a);
    wadi_expect_rank_from(&d, t, 1);
    wadi_expect_plain(&d, t);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    return wadi_map(index_of, wadi_fold1_env(choose, &better, wadi_imap(with_index, a)));
}

wadi_acc wadi_argmin(wadi_acc a) {
    return arg_best("argmin", wadi_lt, a);
}

wadi_acc wadi_argmax(wadi_acc a) {
    return arg_best("argmax", wadi_gt, a);
}
