/* scanl1_seg, scanl_seg: prefix scans of segments of the innermost dimension, each by the law of operators/reduce_tree.h.
 *
 * The results of a segment stand where its elements stand. scanl_seg begins each segment with z. With whole=1 it has one result
 * more per segment, so segment j stands j places further on. With whole=0 the last result of each segment, the total, is left
 * out. Places that belong to no segment are zero. A segment that does not lie in the array is a fault. */
#include "operators/segments.h"

/* Arguments: [z,] offsets, a. */
static bool is_whole(const wadi_bind *b) {
    return b->nattrs > 0 && b->attrs[0] == 1;
}

static wadi_status type_of(wadi_module *m, wadi_bind *b, int offsets, wadi_error *err) {
    WADI_TRY(wadi_segments_type(m, b, offsets, err));
    WADI_TRY(wadi_rule_combining(m, b, err));
    const wadi_array_type *a = wadi_rule_arg(m, b, offsets + 1);
    return wadi_rule_result(m, b, a->rank, &a->elem, err);
}

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 3, 3, err));
    WADI_TRY(wadi_rule_attrs(b, 1, 0, 2, err));
    WADI_TRY(wadi_rule_rank(m, b, 0, 0, err));
    WADI_TRY(wadi_rule_same_elem(m, b, 0, 2, err));
    return type_of(m, b, 1, err);
}

static wadi_status type1(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 2, 2, err));
    return type_of(m, b, 0, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    const wadi_val a = b->args[b->nargs - 1];
    const int rank = wadi_rule_rank_of(cx->module, a);
    wadi_rule_shape_like(cx, b, a, rank);
    if (!is_whole(b)) return;
    cx->set(cx, b->results[0], 0, rank - 1,
            wadi_ext_add(cx->extents, cx->get(cx, a, 0, rank - 1),
                         wadi_segments_extent(cx, b, b->nargs - 2)));
}

/* Writes the results of the segment `x` of n elements to `out`. */
static wadi_status segment(wadi_eval_cx *cx, const wadi_bind *b, const uint64_t *x, int64_t n,
                           uint64_t *out) {
    const wadi_iarray *a = cx->array(cx, b->args[b->nargs - 1]);
    if (b->nargs == 2) return wadi_eval_scan_row(cx, b, b->funs[0], a->cells, x, n, out);
    if (!is_whole(b) && n == 0) return WADI_OK;
    const wadi_iarray *z = cx->array(cx, b->args[0]);
    if (!is_whole(b)) n--;
    out = wadi_eval_put(z, z->cell, out);
    WADI_TRY(wadi_eval_scan_row(cx, b, b->funs[0], a->cells, x, n, out));
    for (int64_t i = 0; i < n; i++) {
        uint64_t *to = out + i * a->cells;
        WADI_TRY(wadi_eval_combine(cx, b, b->funs[0], a->cells, z->cell, to, to));
    }
    return WADI_OK;
}

static wadi_status row(wadi_eval_cx *cx, const wadi_bind *b, const uint64_t *x, int64_t length,
                       uint64_t *out) {
    const wadi_iarray *a = cx->array(cx, b->args[b->nargs - 1]);
    const int64_t n = cx->array(cx, b->args[b->nargs - 2])->shape[0] - 1;
    for (int64_t j = 0; j < n; j++) {
        int64_t from, to;
        WADI_TRY(wadi_segments_get(cx, b, b->nargs - 2, j, length, &from, &to));
        const int64_t at = is_whole(b) ? from + j : from;
        WADI_TRY(segment(cx, b, x + from * a->cells, to - from, out + at * a->cells));
    }
    return WADI_OK;
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *a = cx->array(cx, b->args[b->nargs - 1]);
    const wadi_rows rows = wadi_eval_rows(a);
    const int64_t n = cx->array(cx, b->args[b->nargs - 2])->shape[0] - 1;
    int64_t extents[WADI_MAX_RANK], ix[WADI_MAX_RANK] = {0};
    for (int d = 0; d < a->rank; d++) extents[d] = a->shape[d];
    if (is_whole(b)) extents[rows.rank] += n;
    const int64_t length = extents[rows.rank];
    wadi_iarray *out;
    WADI_TRY(cx->result(cx, b->results[0], a->rank, extents, &out));
    if (n < 0) return wadi_eval_fault(cx, b, b->loc, "the offsets are empty");
    for (int64_t r = 0; r < rows.count; r++) {
        wadi_eval_here(cx, rows.rank, ix);
        WADI_TRY(row(cx, b, a->cell + r * rows.length * a->cells, rows.length,
                     out->cell + r * length * a->cells));
        wadi_eval_next(rows.rank, a->shape, ix);
    }
    cx->index_rank = -1;
    return WADI_OK;
}

const wadi_op wadi_op_scanl_seg = {
    .name = "scanl_seg",
    .form = "scanl_seg whole=1 z offsets a (x, y) { .. }",
    .types = "a, integer[m + 1], a[.., n], (a, a -> a) -> a[.., n + m whole]",
    .about = "scans each segment from z on; whole=1: one element more per segment, 0: without the "
             "total; zero where no segment is",
    .kind = WADI_OP_CONSUMER,
    .skeleton = WADI_SKEL_SCAN_SEG,
    .reads = "swe",
    .attrs = "whole",
    .nfuns = 1,
    .fun_params = wadi_rule_combining_params,
    .type = type,
    .shape = shape,
    .eval = eval,
};

const wadi_op wadi_op_scanl1_seg = {
    .name = "scanl1_seg",
    .form = "scanl1_seg offsets a (x, y) { .. }",
    .types = "integer[m + 1], a[.., n], (a, a -> a) -> a[.., n]",
    .about = "scans each segment without z; zero outside all segments",
    .kind = WADI_OP_CONSUMER,
    .skeleton = WADI_SKEL_SCAN_SEG,
    .reads = "we",
    .nfuns = 1,
    .fun_params = wadi_rule_combining_params,
    .type = type1,
    .shape = shape,
    .eval = eval,
};

/* ---- builders ---- */

static wadi_acc from_start(bool whole, wadi_fn2_env f, void *env, wadi_exp z, wadi_acc offsets,
                           wadi_acc a) {
    wadi_draft d = wadi_draft_begin("scanl_seg");
    const wadi_elem *start = wadi_draft_scalar(&d, z);
    const wadi_array_type *t = wadi_segments_draft(&d, offsets, a);
    wadi_expect_elem(&d, t, start);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    wadi_draft_attr(&d, whole);
    return wadi_combined_end(&d, &wadi_op_scanl_seg, f, env, t, t->rank);
}

wadi_acc wadi_scanl_offsets_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc offsets,
                                wadi_acc a) {
    return from_start(true, f, env, z, offsets, a);
}

wadi_acc wadi_prescanl_offsets_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc offsets,
                                   wadi_acc a) {
    return from_start(false, f, env, z, offsets, a);
}

wadi_acc wadi_scanl1_offsets_env(wadi_fn2_env f, void *env, wadi_acc offsets, wadi_acc a) {
    wadi_draft d = wadi_draft_begin("scanl1_seg");
    const wadi_array_type *t = wadi_segments_draft(&d, offsets, a);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    return wadi_combined_end(&d, &wadi_op_scanl1_seg, f, env, t, t->rank);
}

wadi_acc wadi_scanl_offsets(wadi_fn2 f, wadi_exp z, wadi_acc offsets, wadi_acc a) {
    return wadi_scanl_offsets_env(wadi_call2, &f, z, offsets, a);
}

wadi_acc wadi_prescanl_offsets(wadi_fn2 f, wadi_exp z, wadi_acc offsets, wadi_acc a) {
    return wadi_prescanl_offsets_env(wadi_call2, &f, z, offsets, a);
}

wadi_acc wadi_scanl1_offsets(wadi_fn2 f, wadi_acc offsets, wadi_acc a) {
    return wadi_scanl1_offsets_env(wadi_call2, &f, offsets, a);
}
