/* zip_with: a function applied to the elements of two to four arrays at the same index. The
 * extents must agree. */
#include "operators/rules.h"

#include "graph/lang/node.h"

enum { MAX_ARRAYS = 4 };

static int fun_params(const wadi_module *m, const wadi_bind *b, int fun, wadi_type *types) {
    WADI_UNUSED(fun);
    int n = 0;
    for (int i = 0; i < b->nargs; i++) n = wadi_rule_add_elem(types, n, wadi_rule_arg(m, b, i));
    return n;
}

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 2, MAX_ARRAYS, err));
    const int rank = wadi_rule_rank_of(m, b->args[0]);
    for (int i = 1; i < b->nargs; i++) WADI_TRY(wadi_rule_rank(m, b, i, rank, err));
    WADI_TRY(wadi_rule_fun(m, b, 0, err));
    wadi_elem e;
    WADI_TRY(wadi_rule_fun_elem(m, b, 0, &e, err));
    return wadi_rule_result(m, b, rank, &e, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    static const char *const what[MAX_ARRAYS] = {"", "zip_with: extents of arguments 1 and 2",
                                                 "zip_with: extents of arguments 1 and 3",
                                                 "zip_with: extents of arguments 1 and 4"};
    const int rank = wadi_rule_rank_of(cx->module, b->args[0]);
    for (int d = 0; d < rank; d++)
        for (int i = 1; i < b->nargs; i++)
            cx->require_equal(cx, b, cx->get(cx, b->args[0], 0, d), cx->get(cx, b->args[i], 0, d),
                              what[i]);
    wadi_rule_shape_like(cx, b, b->args[0], rank);
}

static void at(wadi_at *cx, const wadi_bind *b, const wadi_sx *ix, wadi_sx *out) {
    wadi_sx x[WADI_MAX_PARAMS];
    int n = 0;
    for (int i = 0; i < b->nargs; i++) {
        cx->ops->read(cx, b->args[i], ix, x + n);
        n += cx->module->values[b->args[i]].type.array->elem.fields;
    }
    cx->ops->apply(cx, b->funs[0], x, out);
}

static wadi_status elem(wadi_eval_cx *cx, const wadi_bind *b, const int64_t *ix, uint64_t *out) {
    uint64_t x[WADI_MAX_PARAMS], *end = x;
    for (int i = 0; i < b->nargs; i++) {
        const wadi_iarray *a = cx->array(cx, b->args[i]);
        end = wadi_eval_put(a, wadi_eval_get(a, ix), end);
    }
    return cx->apply(cx, b, b->funs[0], x, out);
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *a = cx->array(cx, b->args[0]);
    for (int i = 1; i < b->nargs; i++) {
        const wadi_iarray *other = cx->array(cx, b->args[i]);
        for (int d = 0; d < a->rank; d++)
            if (a->shape[d] != other->shape[d])
                return wadi_eval_fault(
                    cx, b, b->loc,
                    "extents of arguments 1 and %d differ in dimension %d: %lld and %lld", i + 1, d,
                    (long long)a->shape[d], (long long)other->shape[d]);
    }
    return wadi_eval_each(cx, b, a->rank, a->shape, elem);
}

const wadi_op wadi_op_zip_with = {
    .name = "zip_with",
    .kind = WADI_OP_PRODUCER,
    .skeleton = WADI_SKEL_GENERATE,
    .reads = "e",
    .nfuns = 1,
    .one_to_one = true,
    .fun_params = fun_params,
    .type = type,
    .shape = shape,
    .at = at,
    .eval = eval,
};

/* Drafts the arrays and one parameter for each; false after a mistake. */
static bool begin(wadi_draft *d, int n, const wadi_acc *arrays, wadi_exp *out_params,
                  int *out_rank) {
    *d = wadi_draft_begin("zip_with");
    const wadi_array_type *t[MAX_ARRAYS] = {NULL};
    for (int i = 0; i < n; i++) {
        t[i] = wadi_draft_array(d, arrays[i]);
        if (i > 0 && t[0]) wadi_expect_rank(d, t[i], t[0]->rank);
    }
    if (wadi_draft_failed(d)) return false;
    wadi_draft_fun(d);
    for (int i = 0; i < n; i++) out_params[i] = wadi_draft_param(d, &t[i]->elem);
    *out_rank = t[0]->rank;
    return true;
}

static wadi_acc end(wadi_draft *d, int rank, wadi_exp result) {
    const wadi_elem *e = wadi_draft_gives(d, result);
    return wadi_draft_acc(d, &wadi_op_zip_with, rank, e);
}

wadi_acc wadi_zip_with_env(wadi_fn2_env f, void *env, wadi_acc a, wadi_acc b) {
    wadi_draft d;
    wadi_exp x[2];
    int rank;
    if (!begin(&d, 2, (const wadi_acc[]){a, b}, x, &rank)) return WADI_NO_ACC;
    return end(&d, rank, f(env, x[0], x[1]));
}

wadi_acc wadi_zip_with3_env(wadi_fn3_env f, void *env, wadi_acc a, wadi_acc b, wadi_acc c) {
    wadi_draft d;
    wadi_exp x[3];
    int rank;
    if (!begin(&d, 3, (const wadi_acc[]){a, b, c}, x, &rank)) return WADI_NO_ACC;
    return end(&d, rank, f(env, x[0], x[1], x[2]));
}

wadi_acc wadi_zip_with4_env(wadi_fn4_env f, void *env, wadi_acc a, wadi_acc b, wadi_acc c,
                            wadi_acc e) {
    wadi_draft d;
    wadi_exp x[4];
    int rank;
    if (!begin(&d, 4, (const wadi_acc[]){a, b, c, e}, x, &rank)) return WADI_NO_ACC;
    return end(&d, rank, f(env, x[0], x[1], x[2], x[3]));
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
