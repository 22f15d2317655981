/* Schedule flat of a fold of what a filter keeps and does not store (kernel/masked.c): blocks of kept elements are units.
 *
 * Where a block begins among the elements that are filtered follows from how many of them each block keeps: a table that is summed along the
 * row, as for a filter that is stored (compact.c).
 *
 * Lanes of a group place kept elements all at once and do not follow each other, so there the filtered vector is stored and folded. */
#include "base/error.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/flat/flat.h"
#include "codegen/kernel/masked.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/row.h"
#include "codegen/kernel/segment.h"

enum { BLOCK = WADI_FOLD_BLOCK };

static wadi_val folded_by(const wadi_bind *fold) {
    return fold->args[fold->nargs - 1];
}

static const wadi_bind *filter_of(const wadi_flat *c, const wadi_bind *fold) {
    return wadi_lower_masked_by(c->y, c->known, folded_by(fold));
}

/* ---- blocks of kept elements ---- */

typedef struct seeking {
    wadi_lv sums; /* pointer to the table */
    wadi_lv first;
} seeking;

static wadi_lv reaches(wadi_lower *l, void *env, wadi_lv j) {
    const seeking *s = env;
    return bin(l, WADI_SOP_GT, wadi_lb_load(&l->b, s->sums, j, NULL), s->first);
}

/* The sum in front of block j of what is filtered. */
static wadi_lv sum_before(wadi_lower *l, const seeking *s, wadi_lv j) {
    wadi_lb *b = &l->b;
    const wadi_lv var = wadi_lb_var(b, WADI_I64, false, num(l, 0), "before");
    wadi_lb_if(b, bin(l, WADI_SOP_GT, j, num(l, 0)));
    wadi_lb_set(b, var, wadi_lb_load(b, s->sums, bin(l, WADI_SOP_SUB, j, num(l, 1)), NULL));
    wadi_lb_end(b);
    return wadi_lb_get(b, var);
}

static wadi_lv pieces(wadi_lower *l, const wadi_bind *fold, const wadi_lv *extent) {
    WADI_UNUSED(l);
    WADI_UNUSED(fold);
    return extent[0];
}

static void block_unit(wadi_lower *l, const wadi_unit *u) {
    wadi_lv sums[WADI_MAX_FIELDS], x[WADI_MAX_FIELDS];
    const wadi_lv blk = wadi_flat_piece(l, u);
    const wadi_bind *filter = wadi_lower_masked_by(l->y, l->of.known, folded_by(u->bind));
    wadi_flat_table(l, u, sums);
    seeking s = {sums[0], bin(l, WADI_SOP_MUL, blk, num(l, BLOCK))};
    const wadi_lv n = wadi_lower_extent(l, filter->args[1], 0);
    const wadi_lv j = wadi_lower_search(l, wadi_flat_pieces_but_last(l, n, BLOCK), reaches, &s);
    const wadi_lv before = sum_before(l, &s, j);
    wadi_lower_fold_masked_block(l, u->bind, filter, bin(l, WADI_SOP_MUL, j, num(l, BLOCK)), before,
                                 blk, x);
    for (int f = 0; f < wadi_type_of(l, u->bind->results[0])->elem.fields; f++)
        wadi_lb_store(&l->b, u->pointer[f], blk, x[f]);
}

static wadi_status block_steps(wadi_flat *c, const wadi_bind *fold, const wadi_bind *filter,
                               int *out_slot) {
    static const wadi_cut cut = {
        .extents = wadi_flat_fold_extents, .pieces = pieces, .unit = block_unit, .each = 1};
    int sums = -1;
    WADI_TRY(wadi_flat_kept_sums(c, filter, NULL, &sums));
    WADI_TRY(wadi_flat_fold_table(c, fold, out_slot));
    return wadi_flat_cut(c, fold, *out_slot, &cut, "parts", sums, true);
}

wadi_status wadi_flat_masked(wadi_flat *c, const wadi_bind *fold, int *out_slot) {
    const wadi_bind *filter = filter_of(c, fold);
    if (!filter) return WADI_OK;
    return c->y->grouped ? wadi_flat_store(c, filter) : block_steps(c, fold, filter, out_slot);
}
