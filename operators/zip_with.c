/* zip_with: a function applied to the elements of two to nine arrays at the same index. The
 * extents must agree. */
#include "operators/zip.h"

static int fun_params(const wadi_module *m, const wadi_bind *b, int fun, wadi_type *types) {
    WADI_UNUSED(fun);
    return wadi_zip_params(m, b, 0, 0, types);
}

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    return wadi_zip_applied_type(m, b, 2, err);
}

static void at(wadi_at *cx, const wadi_bind *b, const wadi_sx *ix, wadi_sx *out) {
    wadi_sx x[WADI_MAX_PARAMS];
    wadi_zip_at(cx, b, 0, ix, x);
    cx->ops->apply(cx, b->funs[0], x, out);
}

static wadi_status elem(wadi_eval_cx *cx, const wadi_bind *b, const int64_t *ix, uint64_t *out) {
    uint64_t x[WADI_MAX_PARAM_CELLS];
    wadi_zip_put(cx, b, 0, ix, x);
    return cx->apply(cx, b, b->funs[0], x, out);
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    return wadi_zip_applied_eval(cx, b, elem);
}

const wadi_op wadi_op_zip_with = {
    .name = "zip_with",
    .form = "zip_with a b.. (x, y..) { .. }",
    .types = "a[..], b[..].., (a, b.. -> c) -> c[..]",
    .about = "elements from the elements of 2 to 9 arrays; if extents differ, a fault",
    .kind = WADI_OP_PRODUCER,
    .skeleton = WADI_SKEL_GENERATE,
    .reads = "e",
    .nfuns = 1,
    .one_to_one = true,
    .faultless = true,
    .fun_params = fun_params,
    .type = type,
    .shape = wadi_zip_applied_shape,
    .at = at,
    .eval = eval,
};

/* Appends the arrays and opens a function with one parameter for each; false after a mistake. */
static bool begin(wadi_draft *d, int n, const wadi_acc *arrays, wadi_exp *out_params,
                  int *out_rank) {
    const wadi_array_type *t[WADI_ZIP_ARRAYS] = {NULL};
    *d = wadi_draft_begin("zip_with");
    if (!wadi_zip_draft(d, 2, n, arrays, t)) return false;
    wadi_draft_fun(d);
    for (int i = 0; i < n; i++) out_params[i] = wadi_draft_param(d, &t[i]->elem);
    *out_rank = t[0]->rank;
    return true;
}

static wadi_acc end(wadi_draft *d, int rank, wadi_exp result) {
    const wadi_elem *e = wadi_draft_gives(d, result);
    return wadi_draft_acc(d, &wadi_op_zip_with, rank, e);
}

wadi_acc wadi_zip_with_n_env(wadi_fn_n_env f, void *env, int n, const wadi_acc *arrays) {
    wadi_draft d;
    wadi_exp x[WADI_ZIP_ARRAYS];
    int rank;
    if (!begin(&d, n, arrays, x, &rank)) return WADI_NO_ACC;
    return end(&d, rank, WADI_ASK_EXP(f, env, n, x));
}

static wadi_exp call_n(void *env, int n, const wadi_exp *x) {
    return WADI_ASK_EXP(*(wadi_fn_n *)env, n, x);
}

wadi_acc wadi_zip_with_n(wadi_fn_n f, int n, const wadi_acc *arrays) {
    return wadi_zip_with_n_env(call_n, &f, n, arrays);
}

wadi_acc wadi_zip_with_env(wadi_fn2_env f, void *env, wadi_acc a, wadi_acc b) {
    wadi_draft d;
    wadi_exp x[2];
    int rank;
    if (!begin(&d, 2, (const wadi_acc[]){a, b}, x, &rank)) return WADI_NO_ACC;
    return end(&d, rank, WADI_ASK_EXP(f, env, x[0], x[1]));
}

wadi_acc wadi_zip_with3_env(wadi_fn3_env f, void *env, wadi_acc a, wadi_acc b, wadi_acc c) {
    wadi_draft d;
    wadi_exp x[3];
    int rank;
    if (!begin(&d, 3, (const wadi_acc[]){a, b, c}, x, &rank)) return WADI_NO_ACC;
    return end(&d, rank, WADI_ASK_EXP(f, env, x[0], x[1], x[2]));
}

wadi_acc wadi_zip_with4_env(wadi_fn4_env f, void *env, wadi_acc a, wadi_acc b, wadi_acc c,
                            wadi_acc e) {
    wadi_draft d;
    wadi_exp x[4];
    int rank;
    if (!begin(&d, 4, (const wadi_acc[]){a, b, c, e}, x, &rank)) return WADI_NO_ACC;
    return end(&d, rank, WADI_ASK_EXP(f, env, x[0], x[1], x[2], x[3]));
}

wadi_acc wadi_zip_with(wadi_fn2 f, wadi_acc a, wadi_acc b) {
    return wadi_zip_with_env(wadi_call2, &f, a, b);
}

wadi_acc wadi_zip_with3(wadi_fn3 f, wadi_acc a, wadi_acc b, wadi_acc c) {
    return wadi_zip_with3_env(wadi_call3, &f, a, b, c);
}

wadi_acc wadi_zip_with4(wadi_fn4 f, wadi_acc a, wadi_acc b, wadi_acc c, wadi_acc d) {
    return wadi_zip_with4_env(wadi_call4, &f, a, b, c, d);
}
