/* Segments of the innermost dimension: finding and checking them, and reducing each. Scans are in segment_scan.c. */
#include "codegen/kernel/segment.h"

#include <string.h>

#include "base/words.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/check.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/row.h"

/* ---- where a segment is ---- */

wadi_lv wadi_lower_offset(wadi_lower *l, const wadi_bind *bind, int arg, wadi_lv j) {
    wadi_lv at = j, x[WADI_MAX_FIELDS] = {0};
    wadi_lower_read(l, bind->args[arg], &at, x);
    return wadi_lb_prim(&l->b, WADI_SOP_CONVERT, WADI_I64, 1, x);
}

wadi_lv wadi_lower_segments(wadi_lower *l, const wadi_bind *bind, int arg) {
    return bin(l, WADI_SOP_SUB, wadi_lower_extent(l, bind->args[arg], 0), num(l, 1));
}

/* x > y as unsigned numbers: a negative x is greater than every y */
static wadi_lv beyond(wadi_lower *l, wadi_lv x, wadi_lv y) {
    const wadi_lv ux = wadi_lb_prim(&l->b, WADI_SOP_BITCAST, WADI_U64, 1, &x);
    const wadi_lv uy = wadi_lb_prim(&l->b, WADI_SOP_BITCAST, WADI_U64, 1, &y);
    return bin(l, WADI_SOP_GT, ux, uy);
}

void wadi_lower_segment(wadi_lower *l, const wadi_bind *bind, int arg, wadi_lv j, wadi_lv extent,
                        wadi_lv *out_from, wadi_lv *out_n) {
    wadi_lb *b = &l->b;
    const wadi_lv from = wadi_lower_offset(l, bind, arg, j);
    const wadi_lv to = wadi_lower_offset(l, bind, arg, bin(l, WADI_SOP_ADD, j, num(l, 1)));
    if (!l->y->unchecked && !wadi_lower_not_harmless(l)) {
        /* 0 <= from <= to <= extent */
        const wadi_lv turned = beyond(l, from, to);
        wadi_lb_if(b, bin(l, WADI_SOP_LOR, turned, beyond(l, to, extent)));
        wadi_lower_fault_of(l, WADI_FAULT_SEGMENT,
                            wadi_layout_place(l->y, bind->op->name, "", bind->loc),
                            (const wadi_lv[]){j, from, to, extent});
        wadi_lb_end(b);
    }
    *out_from = wadi_lb_name(b, wadi_lb_fact(b, from, num(l, 0), extent), "from");
    *out_n =
        wadi_lb_name(b, wadi_lb_fact(b, bin(l, WADI_SOP_SUB, to, from), num(l, 0), extent), "n");
}

wadi_lv wadi_lower_segment_fits(wadi_lower *l, const wadi_bind *bind, int arg, wadi_lv j,
                                wadi_lv extent, wadi_lv *out_from, wadi_lv *out_n) {
    const wadi_lv from = wadi_lower_offset(l, bind, arg, j);
    const wadi_lv to = wadi_lower_offset(l, bind, arg, bin(l, WADI_SOP_ADD, j, num(l, 1)));
    const wadi_lv outside = bin(l, WADI_SOP_LOR, beyond(l, from, to), beyond(l, to, extent));
    *out_from = from;
    *out_n = bin(l, WADI_SOP_SUB, to, from);
    return wadi_lb_prim(&l->b, WADI_SOP_LNOT, WADI_BOOL, 1, &outside);
}

/* A number of [0, n] in mind: the variables low <= it <= high. */
static wadi_lv halve(wadi_lower *l, wadi_lv n, wadi_lv low, wadi_lv high, wadi_search_test holds,
                     void *env) {
    wadi_lb *b = &l->b;
    wadi_lb_repeat(b);
    const wadi_lv from = wadi_lb_get(b, low), to = wadi_lb_get(b, high);
    wadi_lb_leave_unless(b, bin(l, WADI_SOP_LT, from, to));
    const wadi_lv half = bin(l, WADI_SOP_QUOT, bin(l, WADI_SOP_SUB, to, from), num(l, 2));
    const wadi_lv at = bin(l, WADI_SOP_ADD, from, half);
    const wadi_lv middle = wadi_lb_fact(b, at, num(l, 0), bin(l, WADI_SOP_SUB, n, num(l, 1)));
    const wadi_lv yes = holds(l, env, middle);
    wadi_lb_set(b, high, wadi_lb_select(b, WADI_I64, yes, middle, to));
    wadi_lb_set(b, low,
                wadi_lb_select(b, WADI_I64, yes, from, bin(l, WADI_SOP_ADD, middle, num(l, 1))));
    wadi_lb_end(b);
    return wadi_lb_fact(b, wadi_lb_get(b, low), num(l, 0), n);
}

wadi_lv wadi_lower_search(wadi_lower *l, wadi_lv n, wadi_search_test holds, void *env) {
    const wadi_lv low = wadi_lb_var(&l->b, WADI_I64, false, num(l, 0), "low");
    const wadi_lv high = wadi_lb_var(&l->b, WADI_I64, false, n, "high");
    return halve(l, n, low, high, holds, env);
}

static wadi_lv as_f64(wadi_lower *l, wadi_lv x) {
    return wadi_lb_prim(&l->b, WADI_SOP_CONVERT, WADI_F64, 1, &x);
}

/* place * n / end, between 0 and n. In floats, since the product may be too large for an integer. */
static wadi_lv guess(wadi_lower *l, wadi_lv n, wadi_lv place, wadi_lv end) {
    const wadi_lv whole = as_f64(l, bin(l, WADI_SOP_MAX, end, num(l, 1)));
    const wadi_lv each = bin(l, WADI_SOP_FDIV, as_f64(l, n), whole);
    const wadi_lv at = bin(l, WADI_SOP_MUL, as_f64(l, place), each);
    const wadi_lv rounded = wadi_lb_prim(&l->b, WADI_SOP_CONVERT, WADI_I64, 1, &at);
    return bin(l, WADI_SOP_MAX, num(l, 0), bin(l, WADI_SOP_MIN, rounded, n));
}

static wadi_lv below(wadi_lower *l, wadi_lv x, wadi_lv n) {
    return wadi_lb_fact(&l->b, x, num(l, 0), bin(l, WADI_SOP_SUB, n, num(l, 1)));
}

/* Doubles the variable, and returns what it was. */
static wadi_lv stride(wadi_lower *l, wadi_lv width) {
    const wadi_lv old = wadi_lb_get(&l->b, width);
    wadi_lb_set(&l->b, width, bin(l, WADI_SOP_ADD, old, old));
    return old;
}

wadi_lv wadi_lower_search_near(wadi_lower *l, wadi_lv n, wadi_lv place, wadi_lv end,
                               wadi_search_test holds, void *env) {
    wadi_lb *b = &l->b;
    const wadi_lv at = wadi_lb_name(b, guess(l, n, place, end), "guess");
    const wadi_lv low = wadi_lb_var(b, WADI_I64, false, at, "low");
    const wadi_lv high = wadi_lb_var(b, WADI_I64, false, at, "high");
    const wadi_lv width = wadi_lb_var(b, WADI_I64, false, num(l, 1), "width");
    wadi_lb_repeat(b);
    const wadi_lv top = wadi_lb_get(b, high);
    wadi_lb_leave_unless(b, bin(l, WADI_SOP_LT, top, n));
    const wadi_lv yes = holds(l, env, below(l, top, n));
    wadi_lb_leave_unless(b, wadi_lb_prim(b, WADI_SOP_LNOT, WADI_BOOL, 1, &yes));
    wadi_lb_set(b, low, bin(l, WADI_SOP_ADD, top, num(l, 1)));
    const wadi_lv up = bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_ADD, top, num(l, 1)), stride(l, width));
    wadi_lb_set(b, high, bin(l, WADI_SOP_MIN, up, n));
    wadi_lb_end(b);
    wadi_lb_repeat(b);
    const wadi_lv bottom = wadi_lb_get(b, low);
    wadi_lb_leave_unless(b, bin(l, WADI_SOP_GT, bottom, num(l, 0)));
    const wadi_lv before = bin(l, WADI_SOP_SUB, bottom, num(l, 1));
    wadi_lb_leave_unless(b, holds(l, env, below(l, before, n)));
    wadi_lb_set(b, high, before);
    const wadi_lv down = bin(l, WADI_SOP_SUB, before, stride(l, width));
    wadi_lb_set(b, low, bin(l, WADI_SOP_MAX, down, num(l, 0)));
    wadi_lb_end(b);
    return halve(l, n, low, high, holds, env);
}

/* ---- reductions ---- */

typedef struct source {
    const wadi_bind *bind;
    wadi_val array;
    int rank;
    const wadi_lv *ix;
    wadi_lv from, extent; /* where the segment begins; the extent of the dimension */
    int parts;            /* slot of the table of the blocks after a segment's first */
    wadi_lv bad;          /* a variable that notes faults; NONE: they are told */
} source;

/* What is known about the index holds only after the check of the segment. */
static void element(wadi_lower *l, void *env, wadi_lv i, wadi_lv *out) {
    const source *s = env;
    wadi_lv ix[WADI_MAX_RANK];
    if (s->rank > 1) memcpy(ix, s->ix, (size_t)(s->rank - 1) * sizeof *ix);
    const wadi_lv at = bin(l, WADI_SOP_ADD, s->from, i);
    const wadi_lv last = bin(l, WADI_SOP_SUB, s->extent, num(l, 1));
    ix[s->rank - 1] = wadi_lb_fact(&l->b, at, num(l, 0), last);
    if (s->bad != WADI_LV_NONE)
        wadi_lower_read_quietly(l, s->array, ix, s->bad, out);
    else
        wadi_lower_read(l, s->array, ix, out);
}

static source source_of(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix) {
    const wadi_val a = bind->args[bind->nargs - 1];
    const int rank = wadi_type_of(l, a)->rank;
    return (source){bind, a,           rank, ix, WADI_LV_NONE, wadi_lower_extent(l, a, rank - 1),
                    -1,   WADI_LV_NONE};
}

static wadi_row row_of(wadi_lower *l, const wadi_bind *bind, source *s) {
    const wadi_elem *e = &wadi_type_of(l, s->array)->elem;
    return (wadi_row){.f = bind->funs[0],
                      .fields = e->fields,
                      .each = e->fields,
                      .type = e->type,
                      .elem = element,
                      .env = s,
                      .has_z = bind->nargs == 3,
                      .of_nothing = WADI_SAID_NO_SEGMENT,
                      .is_cheap = wadi_lower_is_cheap(l, s->array)};
}

static void fold_segment(wadi_lower *l, const wadi_bind *bind, source *s, wadi_row_total total,
                         wadi_lv *out) {
    wadi_row r = row_of(l, bind, s);
    (void)wadi_lower_not_harmless(l);
    if (l->status || l->b.failed) return;
    wadi_lower_segment(l, bind, bind->nargs - 2, s->ix[s->rank - 1], s->extent, &s->from, &r.n);
    wadi_lower_fold_row(l, bind, &r, total, s, out);
}

void wadi_lower_fold_seg_at(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv *out) {
    source s = source_of(l, bind, ix);
    fold_segment(l, bind, &s, NULL, out);
}

/* ---- long segments in parts ----
 *
 * The first block of a segment that begins at o is reduced with the segment. Block k > 0 has entry o / B + k of one table
 * for all segments: the last block of a segment ends at e, and k <= (e - o - 1) / B puts its entry at e / B at most, where
 * the entries of the next segment begin behind. So a table of extent / B + 1 entries serves, whatever the segments. */

enum { BLOCK = WADI_FOLD_BLOCK, WHOLE = 16 * BLOCK, MANY = 64 * WHOLE };

/* How many elements a segment has at most whose blocks are reduced with it, one behind the other. Where all segments together have many elements, workers
 * have enough to do without sharing the blocks of a segment, and what is read in one go is read faster. Groups share the blocks in any case. There is at least
 * one segment. Who makes the table and who reads it get the same answer, whatever the offsets. */
static wadi_lv reduced_whole(wadi_lower *l, const wadi_bind *bind) {
    if (l->y->grouped) return num(l, BLOCK);
    const int offsets = bind->nargs - 2;
    const wadi_lv first = wadi_lower_offset(l, bind, offsets, num(l, 0));
    const wadi_lv last = wadi_lower_offset(l, bind, offsets, wadi_lower_segments(l, bind, offsets));
    const wadi_lv many = bin(l, WADI_SOP_GE, bin(l, WADI_SOP_SUB, last, first), num(l, MANY));
    return wadi_lb_select(&l->b, WADI_I64, many, num(l, WHOLE), num(l, BLOCK));
}

/* A bad block has no result. To reduce it again, in its turn, tells the fault. */
static void reduce_again(wadi_lower *l, const wadi_segment_parts *s, wadi_lv blk, wadi_lv bad,
                         wadi_lv *x) {
    const wadi_row *r = s->again;
    wadi_lv var[WADI_MAX_FIELDS], y[WADI_MAX_FIELDS];
    for (int f = 0; f < s->fields; f++)
        var[f] = wadi_lb_var(&l->b, r->type[f], false, x[f], "part");
    wadi_lb_if_seldom(&l->b, bad);
    wadi_lower_reduce_block(l, r, bin(l, WADI_SOP_MUL, blk, num(l, BLOCK)), y);
    for (int f = 0; f < s->fields; f++) wadi_lb_set(&l->b, var[f], y[f]);
    wadi_lb_end(&l->b);
    for (int f = 0; f < s->fields; f++) x[f] = wadi_lb_get(&l->b, var[f]);
}

void wadi_segment_later_part(wadi_lower *l, const void *env, wadi_lv blk, wadi_lv *out) {
    const wadi_segment_parts *s = env;
    wadi_lv x[WADI_MAX_FIELDS];
    const wadi_lv first = bin(l, WADI_SOP_QUOT, s->from, num(l, BLOCK));
    wadi_lower_part(l, s->parts, s->ix, bin(l, WADI_SOP_ADD, first, blk), x);
    if (l->y->slots.at[s->parts].fields > s->fields) {
        const wadi_lv bad = x[s->fields];
        if (s->again) {
            reduce_again(l, s, blk, bad, x);
        } else if (s->bad != WADI_LV_NONE) {
            wadi_lb_if(&l->b, bad);
            wadi_lb_set(&l->b, s->bad, num(l, 1));
            wadi_lb_end(&l->b);
        }
    }
    memcpy(out, x, (size_t)s->fields * sizeof *out);
}

static void set_totals(wadi_lower *l, const wadi_row *r, const wadi_lv *total, const wadi_lv *x) {
    for (int f = 0; f < r->fields; f++) wadi_lb_set(&l->b, total[f], x[f]);
}

/* Block blk > 0 of a segment that is reduced whole, or what the table has of it. */
typedef struct later {
    wadi_segment_parts parts;
    wadi_lv whole; /* a bool */
} later;

static void later_block(wadi_lower *l, const void *env, wadi_lv blk, wadi_lv *out) {
    const later *a = env;
    const wadi_row *r = a->parts.again;
    wadi_lv var[WADI_MAX_FIELDS], x[WADI_MAX_FIELDS];
    for (int f = 0; f < r->fields; f++)
        var[f] = wadi_lb_var(&l->b, r->type[f], false, WADI_LV_NONE, "later");
    wadi_lb_if(&l->b, a->whole);
    wadi_lower_reduce_block(l, r, bin(l, WADI_SOP_MUL, blk, num(l, BLOCK)), x);
    set_totals(l, r, var, x);
    wadi_lb_else(&l->b);
    wadi_segment_later_part(l, &a->parts, blk, x);
    set_totals(l, r, var, x);
    wadi_lb_end(&l->b);
    for (int f = 0; f < r->fields; f++) out[f] = wadi_lb_get(&l->b, var[f]);
}

/* The first block, and what the table has of the others. */
static void blocks_of_segment(wadi_lower *l, const wadi_row *r, const source *s,
                              const wadi_lv *total) {
    wadi_lb *b = &l->b;
    wadi_lv first[WADI_MAX_FIELDS], all[WADI_MAX_FIELDS];
    wadi_lower_reduce_block(l, r, num(l, 0), first);
    set_totals(l, r, total, first);
    wadi_lb_if_seldom(b, bin(l, WADI_SOP_GT, r->n, num(l, BLOCK)));
    const wadi_segment_parts parts = {s->parts, s->ix, s->from, r->fields, r, WADI_LV_NONE};
    if (l->y->grouped) {
        wadi_row_combine_blocks(l, r, first, wadi_segment_later_part, &parts, all);
    } else {
        const later a = {parts, bin(l, WADI_SOP_LE, r->n, reduced_whole(l, s->bind))};
        wadi_row_combine_blocks(l, r, first, later_block, &a, all);
    }
    set_totals(l, r, total, all);
    wadi_lb_end(b);
}

static void total_of_parts(wadi_lower *l, const wadi_row *r, void *env, wadi_lv *out) {
    wadi_lb *b = &l->b;
    wadi_lv total[WADI_MAX_FIELDS];
    const bool two = wadi_row_has_short_form(l, r);
    for (int f = 0; f < r->fields; f++)
        total[f] = wadi_lb_var(b, r->type[f], false, WADI_LV_NONE, "total");
    if (two) wadi_lb_if_bulky(b, bin(l, WADI_SOP_GE, r->n, num(l, WADI_FOLD_LANES)));
    blocks_of_segment(l, r, env, total);
    if (two) {
        wadi_lb_else(b);
        wadi_lower_reduce_short(l, r, total);
        wadi_lb_end(b);
    }
    for (int f = 0; f < r->fields; f++) out[f] = wadi_lb_get(b, total[f]);
}

void wadi_lower_fold_seg_parts(wadi_lower *l, const wadi_bind *bind, int parts, const wadi_lv *ix,
                               wadi_lv *out) {
    source s = source_of(l, bind, ix);
    s.parts = parts;
    fold_segment(l, bind, &s, total_of_parts, out);
}

typedef struct reaching {
    const wadi_bind *bind;
    wadi_lv place;
} reaching;

/* Whether segment j ends at the place or after it. */
static wadi_lv ends_behind(wadi_lower *l, void *env, wadi_lv j) {
    const reaching *r = env;
    const wadi_lv next = bin(l, WADI_SOP_ADD, j, num(l, 1));
    return bin(l, WADI_SOP_GE, wadi_lower_offset(l, r->bind, r->bind->nargs - 2, next), r->place);
}

/* The code that goes through the segment checks its offsets; here segments with bad offsets are skipped. */
void wadi_lower_segment_block(wadi_lower *l, const wadi_bind *bind, wadi_lv g,
                              wadi_segment_block *out) {
    wadi_lb *b = &l->b;
    const int offsets = bind->nargs - 2;
    const wadi_val array = bind->args[bind->nargs - 1];
    const wadi_lv extent = wadi_lower_extent(l, array, wadi_type_of(l, array)->rank - 1);
    reaching place = {bind, bin(l, WADI_SOP_MUL, g, num(l, BLOCK))};
    const wadi_lv n = wadi_lower_segments(l, bind, offsets);
    const wadi_lv j = wadi_lower_search_near(l, n, place.place, extent, ends_behind, &place);
    wadi_lb_if(b, bin(l, WADI_SOP_LT, j, n));
    const wadi_lv from = wadi_lower_offset(l, bind, offsets, j);
    const wadi_lv to = wadi_lower_offset(l, bind, offsets, bin(l, WADI_SOP_ADD, j, num(l, 1)));
    const wadi_lv blk = bin(l, WADI_SOP_SUB, g, bin(l, WADI_SOP_QUOT, from, num(l, BLOCK)));
    const wadi_lv first = bin(l, WADI_SOP_MUL, blk, num(l, BLOCK));
    const wadi_lv turned = beyond(l, from, to);
    const wadi_lv outside = bin(l, WADI_SOP_LOR, turned, beyond(l, to, extent));
    const wadi_lv before = bin(l, WADI_SOP_LT, blk, num(l, 1));
    const wadi_lv behind = bin(l, WADI_SOP_GE, first, bin(l, WADI_SOP_SUB, to, from));
    const wadi_lv none = bin(l, WADI_SOP_LOR, before, behind);
    wadi_lb_if(b, wadi_lb_bin(b, WADI_SOP_EQ, bin(l, WADI_SOP_LOR, outside, none),
                              wadi_lb_bool(b, false)));
    *out = (wadi_segment_block){.j = j, .blk = blk};
    out->from = wadi_lb_fact(b, from, num(l, 0), extent);
    out->n = wadi_lb_fact(b, bin(l, WADI_SOP_SUB, to, from), num(l, 0), extent);
    out->first = wadi_lb_fact(b, first, num(l, 0), out->n);
}

void wadi_lower_fold_seg_block(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                               const wadi_lv *pointer, const wadi_lv *ix, wadi_lv g, bool quiet) {
    wadi_lb *b = &l->b;
    source s = source_of(l, bind, ix);
    wadi_row r = row_of(l, bind, &s);
    wadi_lv at[WADI_MAX_RANK], x[WADI_MAX_FIELDS];
    wadi_segment_block block;
    if (l->status || b->failed) return;
    wadi_lower_segment_block(l, bind, g, &block);
    s.from = block.from;
    r.n = block.n;
    wadi_lb_if(b, bin(l, WADI_SOP_GT, block.n, reduced_whole(l, bind)));
    if (quiet) s.bad = wadi_lb_var(b, WADI_I64, false, num(l, 0), "bad");
    wadi_lower_reduce_block(l, &r, block.first, x);
    const int rank = s.rank;
    if (rank > 1) memcpy(at, ix, (size_t)(rank - 1) * sizeof *at);
    at[rank - 1] = g;
    const wadi_lv linear = wadi_lower_linear(l, rank, extent, at);
    for (int f = 0; f < r.fields; f++) wadi_lb_store(b, pointer[f], linear, x[f]);
    if (quiet)
        wadi_lb_store(b, pointer[r.fields], linear,
                      bin(l, WADI_SOP_NE, wadi_lb_get(b, s.bad), num(l, 0)));
    wadi_lb_end(b);
    wadi_lb_end(b);
    wadi_lb_end(b);
}
