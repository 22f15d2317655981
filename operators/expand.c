/* expand: replaces each element of a vector by as many elements as it asks for.
 *
 * The arguments are the number of elements in all, the offset of the first element of each, and the vector. So extents are
 * known before elements: the builder makes the offsets by a scan of the sizes, and the number is the last offset. Offsets must
 * begin with 0, end with that number and never fall, else it is a fault. Then every position of the result belongs to exactly
 * one element. */
#include "operators/segments.h"

static int fun_params(const wadi_module *m, const wadi_bind *b, int fun, wadi_type *types) {
    WADI_UNUSED(fun);
    return wadi_rule_add_index(types, wadi_rule_add_elem(types, 0, wadi_rule_arg(m, b, 2)), 1);
}

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 3, 3, err));
    WADI_TRY(wadi_rule_scalars(m, b, 0, 1, WADI_I64, err));
    WADI_TRY(wadi_segments_type(m, b, 1, err));
    WADI_TRY(wadi_rule_rank(m, b, 2, 1, err));
    WADI_TRY(wadi_rule_fun(m, b, 0, err));
    wadi_elem e;
    WADI_TRY(wadi_rule_fun_elem(m, b, 0, &e, err));
    return wadi_rule_result(m, b, 1, &e, err);
}

static const char segments_and_elements[] = "segments and elements";

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    cx->require_equal(cx, b, wadi_segments_extent(cx, b, 1), cx->get(cx, b->args[2], 0, 0),
                      segments_and_elements, -1);
    wadi_rule_shape_args(cx, b, 0, 1);
}

static wadi_status check(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *offsets = cx->array(cx, b->args[1]), *a = cx->array(cx, b->args[2]);
    const int64_t total = wadi_eval_i64(cx, b->args[0]), n = a->shape[0];
    if (offsets->shape[0] != n + 1)
        return wadi_eval_differ(cx, b, segments_and_elements, -1, offsets->shape[0] - 1, n);
    if (offsets->cell[0] != 0)
        return wadi_eval_differ(cx, b, "the first offset and zero", -1, (int64_t)offsets->cell[0],
                                0);
    if ((int64_t)offsets->cell[n] != total)
        return wadi_eval_differ(cx, b, "the last offset and the total", -1,
                                (int64_t)offsets->cell[n], total);
    return WADI_OK;
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *a = cx->array(cx, b->args[2]);
    const int64_t total = wadi_eval_i64(cx, b->args[0]);
    wadi_iarray *out;
    WADI_TRY(check(cx, b));
    WADI_TRY(cx->result(cx, b->results[0], 1, &total, &out));
    for (int64_t i = 0; i < a->size; i++) {
        int64_t from, to;
        wadi_eval_here(cx, 1, &i);
        WADI_TRY(wadi_segments_get(cx, b, 1, i, total, &from, &to));
        for (int64_t j = 0; j < to - from; j++) {
            uint64_t x[WADI_MAX_PARAM_CELLS];
            *wadi_eval_put(a, wadi_eval_get(a, &i), x) = (uint64_t)j;
            WADI_TRY(cx->apply(cx, b, b->funs[0], x, out->cell + (from + j) * out->cells));
        }
    }
    cx->index_rank = -1;
    return WADI_OK;
}

const wadi_op wadi_op_expand = {
    .name = "expand",
    .form = "expand n offsets v (x, j) { .. }",
    .types = "i64, integer[m + 1], a[m], (a, i64 -> b) -> b[n]",
    .about = "element x of v yields f(x, 0), f(x, 1), .. up to its count by the offsets, n in all",
    .kind = WADI_OP_CONSUMER,
    .skeleton = WADI_SKEL_EXPAND,
    .reads = "swe",
    .nfuns = 1,
    .fun_params = fun_params,
    .type = type,
    .shape = shape,
    .eval = eval,
};

/* ---- builders ---- */

wadi_acc wadi_expand_offsets_env(wadi_fn2_env f, void *env, wadi_acc offsets, wadi_acc a) {
    wadi_draft d = wadi_draft_begin("expand");
    const wadi_array_type *at = wadi_acc_given("expand", 1, offsets);
    if (wadi_draft_failed(&d) || !at) return WADI_NO_ACC;
    if (at->rank == 1)
        wadi_draft_int(&d, wadi_index1(offsets, wadi_sub(wadi_extent(offsets, 0), wadi_i64(1))));
    else
        wadi_draft_fail(&d, WADI_SHAPE, "the offsets are %s, expected rank 1",
                        wadi_array_type_text(at));
    const wadi_array_type *t = wadi_segments_draft(&d, offsets, a);
    wadi_expect_rank(&d, t, 1);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    wadi_draft_fun(&d);
    const wadi_exp x = wadi_draft_param(&d, &t->elem), j = wadi_draft_param_of(&d, WADI_I64);
    const wadi_elem *e = wadi_draft_gives(&d, WADI_ASK_EXP(f, env, x, j));
    return wadi_draft_acc(&d, &wadi_op_expand, 1, e);
}

wadi_acc wadi_expand_offsets(wadi_fn2 f, wadi_acc offsets, wadi_acc a) {
    return wadi_expand_offsets_env(wadi_call2, &f, offsets, a);
}

wadi_acc wadi_expand_env(wadi_fn1_env size, wadi_fn2_env f, void *env, wadi_acc a) {
    const wadi_acc sizes = wadi_map_env(size, env, a);
    return wadi_expand_offsets_env(f, env, wadi_segments_offsets("expand", sizes), a);
}

/* The two functions share one environment. */
typedef struct two {
    wadi_fn1 size;
    wadi_fn2 f;
} two;

static wadi_exp call_size(void *env, wadi_exp x) {
    return WADI_ASK_EXP(((const two *)env)->size, x);
}

static wadi_exp call_f(void *env, wadi_exp x, wadi_exp j) {
    return WADI_ASK_EXP(((const two *)env)->f, x, j);
}

wadi_acc wadi_expand(wadi_fn1 size, wadi_fn2 f, wadi_acc a) {
    two fs = {size, f};
    return wadi_expand_env(call_size, call_f, &fs, a);
}
