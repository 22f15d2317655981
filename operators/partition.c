/* partition: the elements of every row (the innermost dimension), first those that a predicate keeps, then the others, both in
 * order. The result has the shape of the array.
 *
 * The number that each row keeps is an argument, so one pass places the elements. The builder computes it by a fold of the
 * same predicate. A wrong count is a fault. The predicate may read further arrays. */
#include "operators/zip.h"

static int fun_params(const wadi_module *m, const wadi_bind *b, int fun, wadi_type *types) {
    WADI_UNUSED(fun);
    return wadi_zip_params(m, b, 1, 0, types);
}

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    static const wadi_type keep = WADI_BOOL;
    WADI_TRY(wadi_rule_counts(m, b, 2, 1 + WADI_ZIP_ARRAYS, err));
    const wadi_array_type *counts = wadi_rule_arg(m, b, 0), *a = wadi_rule_arg(m, b, 1);
    WADI_TRY(wadi_rule_rank(m, b, 1, counts->rank + 1, err));
    if (counts->elem.fields != 1 || counts->elem.type[0] != WADI_I64)
        return wadi_fail_at(err, b->loc, WADI_TYPE, "partition: the counts are not i64");
    WADI_TRY(wadi_zip_type(m, b, 1, err));
    WADI_TRY(wadi_rule_fun(m, b, 0, err));
    WADI_TRY(wadi_rule_fun_gives(b, 0, 1, &keep, err));
    return wadi_rule_result(m, b, a->rank, &a->elem, err);
}

static const char counts_and_array[] = "extents of the counts and of the array";

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    const int rank = wadi_rule_rank_of(cx->module, b->args[1]);
    wadi_zip_extents(cx, b, 1);
    for (int d = 0; d + 1 < rank; d++)
        cx->require_equal(cx, b, cx->get(cx, b->args[0], 0, d), cx->get(cx, b->args[1], 0, d),
                          counts_and_array, d);
    wadi_rule_shape_like(cx, b, b->args[1], rank);
}

static wadi_status check(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *counts = cx->array(cx, b->args[0]), *a = cx->array(cx, b->args[1]);
    for (int d = 0; d < counts->rank; d++)
        if (counts->shape[d] != a->shape[d])
            return wadi_eval_differ(cx, b, counts_and_array, d, counts->shape[d], a->shape[d]);
    return wadi_zip_check(cx, b, 1);
}

/* Places row `r`, whose outer index is in `ix`. */
static wadi_status place_row(wadi_eval_cx *cx, const wadi_bind *b, int64_t r, int64_t length,
                             int64_t *ix, wadi_iarray *out) {
    const wadi_iarray *counts = cx->array(cx, b->args[0]), *a = cx->array(cx, b->args[1]);
    const int64_t count = (int64_t)counts->cell[r];
    int64_t kept = 0, other = wadi_eval_clamp(count, length);
    for (int64_t i = 0; i < length; i++) {
        uint64_t x[WADI_MAX_PARAM_CELLS], keep;
        ix[a->rank - 1] = i;
        wadi_eval_here(cx, a->rank, ix);
        wadi_zip_put(cx, b, 1, ix, x);
        WADI_TRY(cx->apply(cx, b, b->funs[0], x, &keep));
        const int64_t to = keep ? kept++ : other++;
        if (to < length) wadi_eval_put(a, x, out->cell + (r * length + to) * out->cells);
    }
    cx->index_rank = -1;
    if (kept == count) return WADI_OK;
    return wadi_eval_differ(cx, b, "the count and the elements kept", -1, count, kept);
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *a = cx->array(cx, b->args[1]);
    const wadi_rows rows = wadi_eval_rows(a);
    int64_t ix[WADI_MAX_RANK] = {0};
    wadi_iarray *out;
    WADI_TRY(check(cx, b));
    WADI_TRY(cx->result(cx, b->results[0], a->rank, a->shape, &out));
    for (int64_t r = 0; r < rows.count; r++) {
        WADI_TRY(place_row(cx, b, r, rows.length, ix, out));
        wadi_eval_next(rows.rank, a->shape, ix);
    }
    return WADI_OK;
}

const wadi_op wadi_op_partition = {
    .name = "partition",
    .form = "partition counts a more.. (x, y..) { keep }",
    .types = "i64[..], a[.., n], b[.., n].., (a, b.. -> bool) -> a[.., n]",
    .about =
        "every row with the elements kept in front; counts per row that are others are a fault",
    .kind = WADI_OP_CONSUMER,
    .skeleton = WADI_SKEL_PARTITION,
    .reads = "e",
    .nfuns = 1,
    .fun_params = fun_params,
    .type = type,
    .shape = shape,
    .eval = eval,
};

/* ---- builders ---- */

typedef struct counting {
    wadi_fn1_env keep;
    void *env;
} counting;

static wadi_exp one_if_kept(void *env, wadi_exp x) {
    const counting *c = env;
    return wadi_convert(WADI_I64, WADI_ASK_EXP(c->keep, c->env, x));
}

wadi_acc wadi_partition_env(wadi_fn1_env p, void *env, wadi_acc a) {
    counting c = {p, env};
    const wadi_acc counts = wadi_sum(wadi_map_env(one_if_kept, &c, a));
    wadi_draft d = wadi_draft_begin("partition");
    (void)wadi_draft_array(&d, counts);
    const wadi_array_type *t = wadi_draft_array(&d, a);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    const wadi_elem flag = wadi_elem_scalar(WADI_BOOL);
    wadi_draft_fun(&d);
    wadi_draft_gives_elem(&d, WADI_ASK_EXP(p, env, wadi_draft_param(&d, &t->elem)), &flag);
    return wadi_tuple2(wadi_draft_acc(&d, &wadi_op_partition, t->rank, &t->elem), counts);
}

wadi_acc wadi_partition(wadi_fn1 p, wadi_acc a) {
    return wadi_partition_env(wadi_call1, &p, a);
}
