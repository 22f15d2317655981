/* Scans from the right, scans without their first or last element, and scans that give the total separately. Each is a scanl or
 * scanl1, or a part of its result. A scan from the right reverses the array before the scan and the result after it. */
#include "graph/lang/node.h"

typedef struct flipped {
    wadi_fn2_env f;
    void *env;
} flipped;

static wadi_exp call_flipped(void *env, wadi_exp a, wadi_exp b) {
    const flipped *g = env;
    return WADI_ASK_EXP(g->f, g->env, b, a);
}

static wadi_exp last(wadi_acc a) {
    return wadi_sub(wadi_extent(a, wadi_acc_type(a)->rank - 1), wadi_i64(1));
}

/* Element `at` of every row. */
static wadi_acc column(wadi_exp at, wadi_acc a) {
    wadi_spec spec[2] = {wadi_any(), wadi_fix(at)};
    return wadi_slice(2, spec, a);
}

/* ---- from the right ---- */

wadi_acc wadi_scanr_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc a) {
    flipped g = {f, env};
    return wadi_reverse(wadi_scanl_env(call_flipped, &g, z, wadi_reverse(a)));
}

wadi_acc wadi_scanr(wadi_fn2 f, wadi_exp z, wadi_acc a) {
    return wadi_scanr_env(wadi_call2, &f, z, a);
}

wadi_acc wadi_scanr1_env(wadi_fn2_env f, void *env, wadi_acc a) {
    flipped g = {f, env};
    return wadi_reverse(wadi_scanl1_env(call_flipped, &g, wadi_reverse(a)));
}

wadi_acc wadi_scanr1(wadi_fn2 f, wadi_acc a) {
    return wadi_scanr1_env(wadi_call2, &f, a);
}

/* ---- with the total as a separate result ---- */

wadi_acc wadi_scanl_total_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc a) {
    const wadi_acc s = wadi_scanl_env(f, env, z, a);
    if (!wadi_acc_type(s)) return WADI_NO_ACC;
    return wadi_tuple2(wadi_init(s), column(last(s), s));
}

wadi_acc wadi_scanl_total(wadi_fn2 f, wadi_exp z, wadi_acc a) {
    return wadi_scanl_total_env(wadi_call2, &f, z, a);
}

wadi_acc wadi_scanr_total_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc a) {
    const wadi_acc s = wadi_scanr_env(f, env, z, a);
    if (!wadi_acc_type(s)) return WADI_NO_ACC;
    return wadi_tuple2(wadi_tail(s), column(wadi_i64(0), s));
}

wadi_acc wadi_scanr_total(wadi_fn2 f, wadi_exp z, wadi_acc a) {
    return wadi_scanr_total_env(wadi_call2, &f, z, a);
}

/* ---- as long as the array ---- */

wadi_acc wadi_prescanl_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc a) {
    return wadi_init(wadi_scanl_env(f, env, z, a));
}

wadi_acc wadi_prescanl(wadi_fn2 f, wadi_exp z, wadi_acc a) {
    return wadi_prescanl_env(wadi_call2, &f, z, a);
}

wadi_acc wadi_postscanl_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc a) {
    return wadi_tail(wadi_scanl_env(f, env, z, a));
}

wadi_acc wadi_postscanl(wadi_fn2 f, wadi_exp z, wadi_acc a) {
    return wadi_postscanl_env(wadi_call2, &f, z, a);
}

wadi_acc wadi_prescanr_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc a) {
    return wadi_tail(wadi_scanr_env(f, env, z, a));
}

wadi_acc wadi_prescanr(wadi_fn2 f, wadi_exp z, wadi_acc a) {
    return wadi_prescanr_env(wadi_call2, &f, z, a);
}

wadi_acc wadi_postscanr_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc a) {
    return wadi_init(wadi_scanr_env(f, env, z, a));
}

wadi_acc wadi_postscanr(wadi_fn2 f, wadi_exp z, wadi_acc a) {
    return wadi_postscanr_env(wadi_call2, &f, z, a);
}
