/* Rules shared by the operators over segments. */
#include "base/words.h"
#include "operators/segments.h"

wadi_status wadi_segments_type(const wadi_module *m, const wadi_bind *b, int i, wadi_error *err) {
    WADI_TRY(wadi_rule_rank(m, b, i, 1, err));
    const wadi_elem *e = &wadi_rule_arg(m, b, i)->elem;
    if (e->fields == 1 && wadi_type_is_int(e->type[0])) return WADI_OK;
    return wadi_fail_at(err, b->loc, WADI_TYPE, "%s: the offsets are not integers", b->op->name);
}

wadi_ext wadi_segments_extent(wadi_shape_cx *cx, const wadi_bind *b, int i) {
    return wadi_ext_sub(cx->extents, cx->get(cx, b->args[i], 0, 0), wadi_ext_const(cx->extents, 1));
}

wadi_status wadi_segments_get(wadi_eval_cx *cx, const wadi_bind *b, int i, int64_t j,
                              int64_t extent, int64_t *out_from, int64_t *out_to) {
    const wadi_iarray *offsets = cx->array(cx, b->args[i]);
    const int64_t from = (int64_t)offsets->cell[j], to = (int64_t)offsets->cell[j + 1];
    if (from < 0 || to < from || to > extent)
        return wadi_eval_fault(cx, b, b->loc, WADI_SAID_SEGMENT, (long long)j, (long long)from,
                               (long long)to, (long long)extent);
    *out_from = from;
    *out_to = to;
    return WADI_OK;
}

static wadi_exp as_i64(wadi_exp x) {
    return wadi_convert(WADI_I64, x);
}

wadi_acc wadi_segments_offsets(const char *what, wadi_acc lengths) {
    wadi_draft d = wadi_draft_begin(what);
    const wadi_array_type *t = wadi_draft_array(&d, lengths);
    wadi_expect_rank(&d, t, 1);
    wadi_expect_int(&d, t);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    return wadi_scanl(wadi_add, wadi_i64(0), wadi_map(as_i64, lengths));
}

const wadi_array_type *wadi_segments_draft(wadi_draft *d, wadi_acc offsets, wadi_acc a) {
    const wadi_array_type *at = wadi_draft_array(d, offsets);
    wadi_expect_rank(d, at, 1);
    wadi_expect_int(d, at);
    const wadi_array_type *t = wadi_draft_array(d, a);
    wadi_expect_rank_from(d, t, 1);
    return t;
}
