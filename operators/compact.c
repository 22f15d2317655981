/* compact: the elements of a vector that a predicate keeps, in order.
 *
 * The number of kept elements is an argument, so the extent of the result is known before its elements, in every schedule. The
 * builder computes it by a fold of the same predicate, which fuses with what makes the vector. A wrong count is a fault. The
 * predicate may read further vectors: filter_by keeps elements by flags. */
#include "operators/zip.h"

static int fun_params(const wadi_module *m, const wadi_bind *b, int fun, wadi_type *types) {
    WADI_UNUSED(fun);
    return wadi_zip_params(m, b, 1, 0, types);
}

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    static const wadi_type keep = WADI_BOOL;
    WADI_TRY(wadi_rule_counts(m, b, 2, 1 + WADI_ZIP_ARRAYS, err));
    WADI_TRY(wadi_rule_scalars(m, b, 0, 1, WADI_I64, err));
    WADI_TRY(wadi_rule_rank(m, b, 1, 1, err));
    WADI_TRY(wadi_zip_type(m, b, 1, err));
    WADI_TRY(wadi_rule_fun(m, b, 0, err));
    WADI_TRY(wadi_rule_fun_gives(b, 0, 1, &keep, err));
    return wadi_rule_result(m, b, 1, &wadi_rule_arg(m, b, 1)->elem, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    wadi_zip_extents(cx, b, 1);
    wadi_rule_shape_args(cx, b, 0, 1);
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *a = cx->array(cx, b->args[1]);
    const int64_t n = wadi_eval_i64(cx, b->args[0]);
    wadi_iarray *out;
    WADI_TRY(wadi_zip_check(cx, b, 1));
    WADI_TRY(cx->result(cx, b->results[0], 1, &n, &out));
    int64_t kept = 0;
    for (int64_t i = 0; i < a->size; i++) {
        uint64_t x[WADI_MAX_PARAM_CELLS], keep;
        wadi_eval_here(cx, 1, &i);
        wadi_zip_put(cx, b, 1, &i, x);
        WADI_TRY(cx->apply(cx, b, b->funs[0], x, &keep));
        if (keep && kept < n) wadi_eval_put(a, x, out->cell + kept * out->cells);
        kept += keep != 0;
    }
    cx->index_rank = -1;
    if (kept == n) return WADI_OK;
    return wadi_eval_differ(cx, b, "the count and the elements kept", -1, n, kept);
}

const wadi_op wadi_op_compact = {
    .name = "compact",
    .form = "compact n v more.. (x, y..) { keep }",
    .types = "i64, a[m], b[m].., (a, b.. -> bool) -> a[n]",
    .about = "the n elements of the vector v that the function keeps, by it and further vectors; "
             "another n is a fault",
    .kind = WADI_OP_CONSUMER,
    .skeleton = WADI_SKEL_COMPACT,
    .reads = "se",
    .nfuns = 1,
    .fun_params = fun_params,
    .type = type,
    .shape = shape,
    .eval = eval,
};

/* ---- builders ---- */

static wadi_acc compacted(wadi_fn_n_env keep, void *env, wadi_acc count, int n,
                          const wadi_acc *arrays) {
    const wadi_array_type *t[WADI_ZIP_ARRAYS] = {NULL};
    wadi_exp x[WADI_ZIP_ARRAYS];
    wadi_draft d = wadi_draft_begin("filter");
    (void)wadi_draft_array(&d, count);
    if (!wadi_zip_draft(&d, 1, n, arrays, t)) return WADI_NO_ACC;
    wadi_draft_fun(&d);
    for (int i = 0; i < n; i++) x[i] = wadi_draft_param(&d, &t[i]->elem);
    const wadi_elem flag = wadi_elem_scalar(WADI_BOOL);
    wadi_draft_gives_elem(&d, WADI_ASK_EXP(keep, env, n, x), &flag);
    return wadi_draft_acc(&d, &wadi_op_compact, 1, &t[0]->elem);
}

typedef struct counting {
    wadi_fn_n_env keep;
    void *env;
} counting;

static wadi_exp one_if_kept(void *env, int n, const wadi_exp *x) {
    const counting *c = env;
    return wadi_convert(WADI_I64, WADI_ASK_EXP(c->keep, c->env, n, x));
}

/* The same for one array, as a function for map. */
static wadi_exp one_if_kept1(void *env, wadi_exp x) {
    return one_if_kept(env, 1, &x);
}

wadi_acc wadi_filter_by_env(wadi_fn_n_env keep, void *env, int n, const wadi_acc *arrays) {
    counting c = {keep, env};
    wadi_acc flat[WADI_ZIP_ARRAYS] = {{0}};
    wadi_draft d = wadi_draft_begin("filter");
    if (n < 1 || n > WADI_ZIP_ARRAYS)
        wadi_draft_fail(&d, WADI_UNSUPPORTED, "%d arrays, expected 1 to %d", n, WADI_ZIP_ARRAYS);
    wadi_draft_given(&d, arrays, "arrays");
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    const wadi_array_type *t = wadi_acc_type(arrays[0]);
    const wadi_acc ones = n == 1 ? wadi_map_env(one_if_kept1, &c, arrays[0])
                                 : wadi_zip_with_n_env(one_if_kept, &c, n, arrays);
    const wadi_acc counts = wadi_sum(ones);
    for (int i = 0; i < n; i++) flat[i] = t && t->rank == 1 ? arrays[i] : wadi_flatten(arrays[i]);
    const wadi_acc total = t && t->rank == 1 ? counts : wadi_sum(wadi_flatten(counts));
    return wadi_tuple2(compacted(keep, env, total, n, flat), counts);
}

/* Calls a predicate of one element where one of several elements is expected. */
typedef struct one {
    wadi_fn1_env f;
    void *env;
} one;

static wadi_exp call_one(void *env, int n, const wadi_exp *x) {
    const one *p = env;
    WADI_UNUSED(n);
    return WADI_ASK_EXP(p->f, p->env, x[0]);
}

wadi_acc wadi_filter_env(wadi_fn1_env p, void *env, wadi_acc a) {
    one q = {p, env};
    return wadi_filter_by_env(call_one, &q, 1, &a);
}

wadi_acc wadi_filter(wadi_fn1 p, wadi_acc a) {
    return wadi_filter_env(wadi_call1, &p, a);
}

static wadi_exp second(void *env, int n, const wadi_exp *x) {
    WADI_UNUSED(env);
    WADI_UNUSED(n);
    return x[1];
}

wadi_acc wadi_compact(wadi_acc flags, wadi_acc a) {
    const wadi_acc arrays[] = {a, flags};
    return wadi_filter_by_env(second, NULL, 2, arrays);
}
