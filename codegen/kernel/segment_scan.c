/* Scans of segments. Each segment is a part of a row and scanned on its own; the places of the row outside all segments are
 * zero. */
#include <string.h>

#include "codegen/kernel/arith.h"
#include "codegen/kernel/lanes.h"
#include "codegen/kernel/nest.h"
#include "codegen/kernel/split.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/scan.h"
#include "codegen/kernel/segment.h"

/* Whether a segment has one result more than elements. */
static bool is_whole(const wadi_bind *bind) {
    return bind->nargs == 3 && bind->attrs[0] == 1;
}

/* ---- places outside all segments ---- */

static void zeros(wadi_lower *l, const wadi_scan_part *p, wadi_lv from, wadi_lv below) {
    wadi_lb *b = &l->b;
    const wadi_array_type *t = wadi_type_of(l, p->bind->results[0]);
    wadi_lv ix[WADI_MAX_RANK];
    if (t->rank > 1) memcpy(ix, p->ix, (size_t)(t->rank - 1) * sizeof *ix);
    wadi_lanes open;
    ix[t->rank - 1] = wadi_lanes_each(l, from, below, "i", &open);
    const wadi_lv at = wadi_lower_linear(l, t->rank, p->extent, ix);
    for (int f = 0; f < t->elem.fields; f++)
        wadi_lb_store(b, p->pointer[f], at,
                      wadi_lb_const(b, (wadi_scalar){.type = t->elem.type[f]}));
    wadi_lower_mark_innermost(l);
    wadi_lanes_end(l, &open);
}

/* Segments follow one another without gaps, so the places outside are before the first and after the last. */
void wadi_lower_scan_outside(wadi_lower *l, const wadi_scan_part *row) {
    wadi_lb *b = &l->b;
    const wadi_bind *bind = row->bind;
    const int offsets = bind->nargs - 2;
    if (l->status || b->failed) return;
    const wadi_lv zero = num(l, 0), n = wadi_lower_segments(l, bind, offsets);
    wadi_lb_if(b, bin(l, WADI_SOP_LT, n, zero));
    wadi_lower_fault(l, WADI_FAULT_EMPTY,
                     wadi_layout_place(l->y, bind->op->name, "the offsets are empty", bind->loc), n,
                     n);
    wadi_lb_end(b);
    const wadi_lv extent = row->extent[wadi_type_of(l, bind->results[0])->rank - 1];
    const wadi_lv first = wadi_lower_offset(l, bind, offsets, zero);
    wadi_lv end = wadi_lower_offset(l, bind, offsets, wadi_lb_fact(b, n, zero, WADI_LV_NONE));
    if (is_whole(bind)) end = bin(l, WADI_SOP_ADD, end, n);
    zeros(l, row, zero, bin(l, WADI_SOP_MIN, first, extent));
    zeros(l, row, wadi_lb_name(b, bin(l, WADI_SOP_MAX, end, zero), "end"), extent);
}

/* ---- segments ---- */

static void scan_segment(wadi_lower *l, const wadi_scan_part *row, wadi_lv j, wadi_lv limit) {
    wadi_lb *b = &l->b;
    const wadi_bind *bind = row->bind;
    const wadi_val a = bind->args[bind->nargs - 1];
    const wadi_lv length = wadi_lower_extent(l, a, wadi_type_of(l, a)->rank - 1);
    wadi_scan_part p = *row;
    p.has_z = bind->nargs == 3;
    wadi_lower_segment(l, bind, bind->nargs - 2, j, length, &p.from, &p.n);
    p.to = is_whole(bind) ? bin(l, WADI_SOP_ADD, p.from, j) : p.from;
    const bool all = !p.has_z || is_whole(bind); /* else z first, without the last */
    if (!all) wadi_lb_if(b, bin(l, WADI_SOP_GT, p.n, num(l, 0)));
    if (!all) p.n = bin(l, WADI_SOP_SUB, p.n, num(l, 1));
    if (limit != WADI_LV_NONE)
        p.n = wadi_lb_select(b, WADI_I64, bin(l, WADI_SOP_GT, p.n, limit), num(l, WADI_SCAN_BLOCK),
                             p.n);
    wadi_lower_scan_part(l, &p);
    if (!all) wadi_lb_end(b);
}

void wadi_lower_scan_segments(wadi_lower *l, const wadi_scan_part *row, wadi_lv from, wadi_lv below,
                              wadi_lv limit) {
    if (l->status || l->b.failed) return;
    wadi_lanes open;
    scan_segment(l, row, wadi_lanes_each(l, from, below, "j", &open), limit);
    wadi_lanes_end(l, &open);
}

/* ---- blocks of long segments ---- */

wadi_lv wadi_lower_scan_segment_block(wadi_lower *l, const wadi_bind *bind, wadi_lv g,
                                      wadi_lv limit, wadi_scan_stretch *out) {
    wadi_lb *b = &l->b;
    wadi_segment_block at;
    wadi_lower_segment_block(l, bind, g, &at);
    *out =
        (wadi_scan_stretch){.from = at.from, .to = at.from, .n = at.n, .has_z = bind->nargs == 3};
    if (is_whole(bind)) out->to = bin(l, WADI_SOP_ADD, at.from, at.j);
    if (out->has_z && !is_whole(bind)) out->n = bin(l, WADI_SOP_SUB, at.n, num(l, 1));
    const wadi_lv one = num(l, 1), size = num(l, WADI_SCAN_BLOCK);
    out->entry = bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_QUOT, at.from, size), one);
    out->entries = bin(l, WADI_SOP_QUOT, bin(l, WADI_SOP_SUB, out->n, one), size);
    const wadi_lv is_long = bin(l, WADI_SOP_GT, out->n, limit);
    wadi_lb_if(b, bin(l, WADI_SOP_LAND, is_long, bin(l, WADI_SOP_LT, at.first, out->n)));
    return at.blk;
}
