/* fold_seg, fold1_seg: reduce each segment of the innermost dimension, by the law of operators/reduce_tree.h. A segment that
 * leaves the array is a fault. fold_seg uses z once per segment, so an empty segment gives z. fold1_seg has no z, and an empty
 * segment is a fault. */
#include "base/words.h"
#include "operators/segments.h"

/* Arguments: [z,] offsets, a. */
static wadi_status type_of(wadi_module *m, wadi_bind *b, int offsets, wadi_error *err) {
    WADI_TRY(wadi_segments_type(m, b, offsets, err));
    WADI_TRY(wadi_rule_combining(m, b, err));
    const wadi_array_type *a = wadi_rule_arg(m, b, offsets + 1);
    return wadi_rule_result(m, b, a->rank, &a->elem, err);
}

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 3, 3, err));
    WADI_TRY(wadi_rule_rank(m, b, 0, 0, err));
    WADI_TRY(wadi_rule_same_elem(m, b, 0, 2, err));
    return type_of(m, b, 1, err);
}

static wadi_status type1(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 2, 2, err));
    return type_of(m, b, 0, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    const int offsets = b->nargs - 2, rank = wadi_rule_rank_of(cx->module, b->args[offsets + 1]);
    wadi_rule_shape_like(cx, b, b->args[offsets + 1], rank - 1);
    cx->set(cx, b->results[0], 0, rank - 1, wadi_segments_extent(cx, b, offsets));
}

/* One segment of a row of `length` elements. */
static wadi_status segment(wadi_eval_cx *cx, const wadi_bind *b, int64_t j, const uint64_t *row,
                           int64_t length, uint64_t *to) {
    const int offsets = b->nargs - 2;
    const wadi_iarray *a = cx->array(cx, b->args[offsets + 1]);
    const wadi_iarray *z = offsets > 0 ? cx->array(cx, b->args[0]) : NULL;
    uint64_t total[WADI_MAX_ELEM_CELLS];
    int64_t from, end;
    WADI_TRY(wadi_segments_get(cx, b, offsets, j, length, &from, &end));
    if (from == end && !z) return wadi_eval_fault(cx, b, b->loc, WADI_SAID_NO_SEGMENT);
    if (from == end) {
        wadi_eval_put(z, z->cell, to);
        return WADI_OK;
    }
    WADI_TRY(wadi_eval_fold_row(cx, b, b->funs[0], a->cells, row + from * a->cells, end - from,
                                z ? total : to));
    return z ? wadi_eval_combine(cx, b, b->funs[0], a->cells, z->cell, total, to) : WADI_OK;
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const int offsets = b->nargs - 2;
    const wadi_iarray *a = cx->array(cx, b->args[offsets + 1]);
    const wadi_rows rows = wadi_eval_rows(a);
    const int64_t n = cx->array(cx, b->args[offsets])->shape[0] - 1;
    int64_t extents[WADI_MAX_RANK], ix[WADI_MAX_RANK] = {0};
    for (int d = 0; d < rows.rank; d++) extents[d] = a->shape[d];
    extents[rows.rank] = n;
    wadi_iarray *out;
    WADI_TRY(cx->result(cx, b->results[0], a->rank, extents, &out));
    for (int64_t i = 0; i < out->size; i++) {
        const uint64_t *row = a->cell + i / n * rows.length * a->cells;
        wadi_eval_here(cx, a->rank, ix);
        WADI_TRY(segment(cx, b, i % n, row, rows.length, out->cell + i * a->cells));
        wadi_eval_next(a->rank, extents, ix);
    }
    cx->index_rank = -1;
    return WADI_OK;
}

const wadi_op wadi_op_fold_seg = {
    .name = "fold_seg",
    .form = "fold_seg z offsets a (x, y) { .. }",
    .types = "a, integer[m + 1], a[.., n], (a, a -> a) -> a[.., m]",
    .about = "reduces the segments offsets[j]..offsets[j+1] of the innermost dimension; an empty "
             "one gives z",
    .kind = WADI_OP_CONSUMER,
    .skeleton = WADI_SKEL_FOLD_SEG,
    .reads = "swe",
    .nfuns = 1,
    .fun_params = wadi_rule_combining_params,
    .type = type,
    .shape = shape,
    .eval = eval,
};

const wadi_op wadi_op_fold1_seg = {
    .name = "fold1_seg",
    .form = "fold1_seg offsets a (x, y) { .. }",
    .types = "integer[m + 1], a[.., n], (a, a -> a) -> a[.., m]",
    .about = "reduces each segment without z; an empty segment is a fault",
    .kind = WADI_OP_CONSUMER,
    .skeleton = WADI_SKEL_FOLD_SEG,
    .reads = "we",
    .nfuns = 1,
    .fun_params = wadi_rule_combining_params,
    .type = type1,
    .shape = shape,
    .eval = eval,
};

/* ---- builders ---- */

wadi_acc wadi_fold_offsets_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc offsets,
                               wadi_acc a) {
    wadi_draft d = wadi_draft_begin("fold_seg");
    const wadi_elem *start = wadi_draft_scalar(&d, z);
    const wadi_array_type *t = wadi_segments_draft(&d, offsets, a);
    wadi_expect_elem(&d, t, start);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    return wadi_combined_end(&d, &wadi_op_fold_seg, f, env, t, t->rank);
}

wadi_acc wadi_fold_offsets(wadi_fn2 f, wadi_exp z, wadi_acc offsets, wadi_acc a) {
    return wadi_fold_offsets_env(wadi_call2, &f, z, offsets, a);
}

wadi_acc wadi_fold1_offsets_env(wadi_fn2_env f, void *env, wadi_acc offsets, wadi_acc a) {
    wadi_draft d = wadi_draft_begin("fold1_seg");
    const wadi_array_type *t = wadi_segments_draft(&d, offsets, a);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    return wadi_combined_end(&d, &wadi_op_fold1_seg, f, env, t, t->rank);
}

wadi_acc wadi_fold1_offsets(wadi_fn2 f, wadi_acc offsets, wadi_acc a) {
    return wadi_fold1_offsets_env(wadi_call2, &f, offsets, a);
}

wadi_acc wadi_fold_seg_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc lengths, wadi_acc a) {
    return wadi_fold_offsets_env(f, env, z, wadi_segments_offsets("fold_seg", lengths), a);
}

wadi_acc wadi_fold_seg(wadi_fn2 f, wadi_exp z, wadi_acc lengths, wadi_acc a) {
    return wadi_fold_seg_env(wadi_call2, &f, z, lengths, a);
}

wadi_acc wadi_fold1_seg_env(wadi_fn2_env f, void *env, wadi_acc lengths, wadi_acc a) {
    return wadi_fold1_offsets_env(f, env, wadi_segments_offsets("fold1_seg", lengths), a);
}

wadi_acc wadi_fold1_seg(wadi_fn2 f, wadi_acc lengths, wadi_acc a) {
    return wadi_fold1_seg_env(wadi_call2, &f, lengths, a);
}
