/* imap: a function of the index and of the elements of one or more arrays there. */
#include "operators/zip.h"

static int fun_params(const wadi_module *m, const wadi_bind *b, int fun, wadi_type *types) {
    WADI_UNUSED(fun);
    const wadi_array_type *a = wadi_rule_arg(m, b, 0);
    return a ? wadi_zip_params(m, b, 0, wadi_rule_add_index(types, 0, a->rank), types) : -1;
}

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    return wadi_zip_applied_type(m, b, 1, err);
}

static void at(wadi_at *cx, const wadi_bind *b, const wadi_sx *ix, wadi_sx *out) {
    wadi_sx args[WADI_MAX_PARAMS];
    const int rank = wadi_rule_rank_of(cx->module, b->args[0]);
    for (int d = 0; d < rank; d++) args[d] = ix[d];
    wadi_zip_at(cx, b, 0, ix, args + rank);
    cx->ops->apply(cx, b->funs[0], args, out);
}

static wadi_status elem(wadi_eval_cx *cx, const wadi_bind *b, const int64_t *ix, uint64_t *out) {
    const wadi_iarray *a = cx->array(cx, b->args[0]);
    uint64_t args[WADI_MAX_PARAM_CELLS];
    for (int d = 0; d < a->rank; d++) args[d] = (uint64_t)ix[d];
    wadi_zip_put(cx, b, 0, ix, args + a->rank);
    return cx->apply(cx, b, b->funs[0], args, out);
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    return wadi_zip_applied_eval(cx, b, elem);
}

/* imap (\ix x -> x) a = a */
static bool same(const wadi_module *m, const wadi_bind *b, bool same_shape) {
    WADI_UNUSED(same_shape);
    return wadi_fun_is_identity(b->funs[0], wadi_rule_rank_of(m, b->args[0])) &&
           wadi_law_same_elem(m, b->results[0], b->args[0]);
}

const wadi_op wadi_op_imap = {
    .name = "imap",
    .form = "imap a b.. (i.., x, y..) { .. }",
    .types = "a[..], b[..].., (i64.., a, b.. -> c) -> c[..]",
    .about = "elements from indices and the elements of 1 to 9 arrays of one shape",
    .kind = WADI_OP_PRODUCER,
    .skeleton = WADI_SKEL_GENERATE,
    .reads = "e",
    .nfuns = 1,
    .one_to_one = true,
    .faultless = true,
    .fun_params = fun_params,
    .type = type,
    .shape = wadi_zip_applied_shape,
    .same = same,
    .at = at,
    .eval = eval,
};

wadi_acc wadi_imap_env(wadi_imap_fn_env f, void *env, wadi_acc a) {
    wadi_draft d = wadi_draft_begin("imap");
    const wadi_array_type *t = wadi_draft_array(&d, a);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    wadi_draft_fun(&d);
    const wadi_ix ix = wadi_draft_param_ix(&d, t->rank);
    const wadi_exp x = wadi_draft_param(&d, &t->elem);
    const wadi_elem *e = wadi_draft_gives(&d, WADI_ASK_EXP(f, env, ix, x));
    return wadi_draft_acc(&d, &wadi_op_imap, t->rank, e);
}

wadi_acc wadi_imap(wadi_imap_fn f, wadi_acc a) {
    return wadi_imap_env(wadi_call_imap, &f, a);
}

wadi_acc wadi_izip_with_n_env(wadi_izip_n_fn_env f, void *env, int n, const wadi_acc *arrays) {
    const wadi_array_type *t[WADI_ZIP_ARRAYS] = {NULL};
    wadi_exp x[WADI_ZIP_ARRAYS];
    wadi_draft d = wadi_draft_begin("izip_with");
    if (!wadi_zip_draft(&d, 1, n, arrays, t)) return WADI_NO_ACC;
    const int rank = t[0]->rank;
    wadi_draft_fun(&d);
    const wadi_ix ix = wadi_draft_param_ix(&d, rank);
    for (int i = 0; i < n; i++) x[i] = wadi_draft_param(&d, &t[i]->elem);
    const wadi_elem *e = wadi_draft_gives(&d, WADI_ASK_EXP(f, env, ix, n, x));
    return wadi_draft_acc(&d, &wadi_op_imap, rank, e);
}

/* Calls a function of two elements where one of n elements is expected. */
typedef struct two {
    wadi_izip_fn_env f;
    void *env;
} two;

static wadi_exp call_two(void *env, wadi_ix ix, int n, const wadi_exp *x) {
    const two *t = env;
    WADI_UNUSED(n);
    return WADI_ASK_EXP(t->f, t->env, ix, x[0], x[1]);
}

wadi_acc wadi_izip_with_env(wadi_izip_fn_env f, void *env, wadi_acc a, wadi_acc b) {
    two t = {f, env};
    return wadi_izip_with_n_env(call_two, &t, 2, (const wadi_acc[]){a, b});
}

static wadi_exp call_izip(void *env, wadi_ix ix, wadi_exp x, wadi_exp y) {
    return WADI_ASK_EXP(*(wadi_izip_fn *)env, ix, x, y);
}

wadi_acc wadi_izip_with(wadi_izip_fn f, wadi_acc a, wadi_acc b) {
    return wadi_izip_with_env(call_izip, &f, a, b);
}
