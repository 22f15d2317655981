/* What operators that read several arrays at one index share: zip_with, imap, compact, partition. The arrays have one
 * rank, and their extents agree: proved, or checked when the program runs. */
#include "operators/zip.h"

/* ---- types and shapes ---- */

int wadi_zip_params(const wadi_module *m, const wadi_bind *b, int from, int n, wadi_type *types) {
    for (int i = from; i < b->nargs; i++) n = wadi_rule_add_elem(types, n, wadi_rule_arg(m, b, i));
    return n;
}

wadi_status wadi_zip_type(const wadi_module *m, const wadi_bind *b, int from, wadi_error *err) {
    const int rank = wadi_rule_rank_of(m, b->args[from]);
    for (int i = from + 1; i < b->nargs; i++) WADI_TRY(wadi_rule_rank(m, b, i, rank, err));
    return WADI_OK;
}

/* Messages outlive the module, so they are constants. */
static const char *message(int first, int other) {
    static const char *const what[2][WADI_ZIP_ARRAYS] = {
        {"", "extents of arguments 1 and 2", "extents of arguments 1 and 3",
         "extents of arguments 1 and 4", "extents of arguments 1 and 5",
         "extents of arguments 1 and 6", "extents of arguments 1 and 7",
         "extents of arguments 1 and 8", "extents of arguments 1 and 9"},
        {"", "extents of arguments 2 and 3", "extents of arguments 2 and 4",
         "extents of arguments 2 and 5", "extents of arguments 2 and 6",
         "extents of arguments 2 and 7", "extents of arguments 2 and 8",
         "extents of arguments 2 and 9", "extents of arguments 2 and 10"}};
    return what[first == 0 ? 0 : 1][other - first];
}

void wadi_zip_extents(wadi_shape_cx *cx, const wadi_bind *b, int from) {
    const int rank = wadi_rule_rank_of(cx->module, b->args[from]);
    for (int d = 0; d < rank; d++)
        for (int i = from + 1; i < b->nargs; i++)
            cx->require_equal(cx, b, cx->get(cx, b->args[from], 0, d),
                              cx->get(cx, b->args[i], 0, d), message(from, i), d);
}

wadi_status wadi_zip_applied_type(wadi_module *m, wadi_bind *b, int least, wadi_error *err) {
    wadi_elem e;
    WADI_TRY(wadi_rule_counts(m, b, least, WADI_ZIP_ARRAYS, err));
    WADI_TRY(wadi_zip_type(m, b, 0, err));
    WADI_TRY(wadi_rule_fun(m, b, 0, err));
    WADI_TRY(wadi_rule_fun_elem(m, b, 0, &e, err));
    return wadi_rule_result(m, b, wadi_rule_rank_of(m, b->args[0]), &e, err);
}

void wadi_zip_applied_shape(wadi_shape_cx *cx, const wadi_bind *b) {
    wadi_zip_extents(cx, b, 0);
    wadi_rule_shape_like(cx, b, b->args[0], wadi_rule_rank_of(cx->module, b->args[0]));
}

/* ---- elements ---- */

void wadi_zip_at(wadi_at *cx, const wadi_bind *b, int from, const wadi_sx *ix, wadi_sx *out) {
    for (int i = from; i < b->nargs; i++) {
        cx->ops->read(cx, b->args[i], ix, out);
        out += cx->module->values[b->args[i]].type.array->elem.fields;
    }
}

uint64_t *wadi_zip_put(wadi_eval_cx *cx, const wadi_bind *b, int from, const int64_t *ix,
                       uint64_t *to) {
    for (int i = from; i < b->nargs; i++) {
        const wadi_iarray *a = cx->array(cx, b->args[i]);
        to = wadi_eval_put(a, wadi_eval_get(a, ix), to);
    }
    return to;
}

wadi_status wadi_zip_check(wadi_eval_cx *cx, const wadi_bind *b, int from) {
    const wadi_iarray *a = cx->array(cx, b->args[from]);
    for (int i = from + 1; i < b->nargs; i++) {
        const wadi_iarray *other = cx->array(cx, b->args[i]);
        for (int d = 0; d < a->rank; d++)
            if (a->shape[d] != other->shape[d])
                return wadi_eval_differ(cx, b, message(from, i), d, a->shape[d], other->shape[d]);
    }
    return WADI_OK;
}

wadi_status wadi_zip_applied_eval(wadi_eval_cx *cx, const wadi_bind *b, wadi_eval_elem elem) {
    const wadi_iarray *a = cx->array(cx, b->args[0]);
    WADI_TRY(wadi_zip_check(cx, b, 0));
    return wadi_eval_each(cx, b, a->rank, a->shape, elem);
}

/* ---- builders ---- */

bool wadi_zip_draft(wadi_draft *d, int least, int n, const wadi_acc *arrays,
                    const wadi_array_type **out) {
    if (n < least || n > WADI_ZIP_ARRAYS)
        wadi_draft_fail(d, WADI_UNSUPPORTED, "%d arrays, expected %d to %d", n, least,
                        WADI_ZIP_ARRAYS);
    wadi_draft_given(d, arrays, "arrays");
    for (int i = 0; i < n && !wadi_draft_failed(d); i++) {
        out[i] = wadi_draft_array(d, arrays[i]);
        if (i > 0 && out[0]) wadi_expect_rank(d, out[i], out[0]->rank);
    }
    return !wadi_draft_failed(d);
}
