/* A lane that went through a segment alone would read one element of each line of memory. So its neighbours load as well: first each lane notes
 * where its stretch lies; then, until the longest is done, all lanes load the next elements of all stretches into a tile, each lane goes
 * through its own row of it, and all store what is there. Rows of rows are done alike in scan_lanes.c, where numbers tell where they lie. */
#include "codegen/kernel/segment_lanes.h"

#include <string.h>

#include "codegen/kernel/arith.h"
#include "codegen/kernel/fields.h"
#include "codegen/kernel/lanes.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/scan_block.h"
#include "codegen/kernel/segment.h"
#include "codegen/kernel/tile.h"

enum { LANES = WADI_GROUP_LANES, BLOCK = WADI_SCAN_BLOCK };

typedef struct staging {
    const wadi_stretches *w;
    int rank, fields;
    const wadi_type *type;
    bool has_z, lasts;
    wadi_tile tile;
    wadi_lv from, to, count;                                /* [lane] */
    wadi_lv local[WADI_MAX_FIELDS], carry[WADI_MAX_FIELDS]; /* [lane] */
    wadi_lv z[WADI_MAX_FIELDS];
    wadi_lv base;
} staging;

static wadi_val source_of(const wadi_bind *bind) {
    return bind->args[bind->nargs - 1];
}

static bool is_whole(const wadi_bind *bind) {
    return bind->nargs == 3 && bind->attrs[0] == 1;
}

static void combine(wadi_lower *l, const staging *s, const wadi_lv *acc, const wadi_lv *x,
                    wadi_lv *out) {
    combine_fields(l, s->w->bind->funs[0], s->fields, acc, x, out);
}

static void store(wadi_lower *l, const staging *s, wadi_lv at, const wadi_lv *x) {
    wadi_lv ix[WADI_MAX_RANK];
    if (s->rank > 1) memcpy(ix, s->w->ix, (size_t)(s->rank - 1) * sizeof *ix);
    ix[s->rank - 1] = at;
    const wadi_lv linear = wadi_lower_linear(l, s->rank, s->w->extent, ix);
    for (int f = 0; f < s->fields; f++) wadi_lb_store(&l->b, s->w->pointer[f], linear, x[f]);
}

static wadi_lv entry(wadi_lower *l, const staging *s, wadi_lv g) {
    wadi_lv ix[WADI_MAX_RANK];
    if (s->rank > 1) memcpy(ix, s->w->ix, (size_t)(s->rank - 1) * sizeof *ix);
    ix[s->rank - 1] = g;
    return wadi_lower_linear(l, s->rank, s->w->table->extent, ix);
}

static void declare(wadi_lower *l, const staging *s, const wadi_lv *init, const char *name,
                    wadi_lv *out) {
    for (int f = 0; f < s->fields; f++)
        out[f] = wadi_lb_var(&l->b, s->type[f], false, init[f], name);
}

/* ---- where the stretches lie ---- */

static void note(wadi_lower *l, const staging *s, wadi_lv lane, wadi_lv from, wadi_lv to,
                 wadi_lv count) {
    wadi_lb_put(&l->b, s->from, lane, from);
    wadi_lb_put(&l->b, s->to, lane, to);
    wadi_lb_put(&l->b, s->count, lane, count);
}

/* Segment j, or its first block. z comes first; without `whole`, the last result is left out. */
static void note_segment(wadi_lower *l, const staging *s, wadi_lv lane, wadi_lv j) {
    wadi_lb *b = &l->b;
    const wadi_bind *bind = s->w->bind;
    wadi_lv from, n;
    const wadi_lv one = num(l, 1);
    const wadi_lv length = wadi_lower_extent(l, source_of(bind), s->rank - 1);
    wadi_lower_segment(l, bind, bind->nargs - 2, j, length, &from, &n);
    wadi_lv to = is_whole(bind) ? bin(l, WADI_SOP_ADD, from, j) : from;
    const bool all = !s->has_z || is_whole(bind);
    if (!all) wadi_lb_if(b, bin(l, WADI_SOP_GT, n, num(l, 0)));
    if (!all) n = bin(l, WADI_SOP_SUB, n, one);
    if (s->has_z) store(l, s, to, s->z);
    if (s->has_z) to = bin(l, WADI_SOP_ADD, to, one);
    const wadi_lv is_long = bin(l, WADI_SOP_GT, n, s->w->limit);
    note(l, s, lane, from, to, wadi_lb_select(b, WADI_I64, is_long, num(l, BLOCK), n));
    if (!all) wadi_lb_end(b);
}

/* The block of entry g, or the one before. */
static void note_block(wadi_lower *l, const staging *s, wadi_lv lane, wadi_lv g) {
    wadi_lb *b = &l->b;
    wadi_scan_stretch part;
    wadi_lv carry[WADI_MAX_FIELDS];
    const wadi_lv size = num(l, BLOCK);
    const wadi_lv blk = wadi_lower_scan_segment_block(l, s->w->bind, g, s->w->limit, &part);
    const wadi_lv mine = s->lasts ? bin(l, WADI_SOP_SUB, blk, num(l, 1)) : blk;
    const wadi_lv first = bin(l, WADI_SOP_MUL, mine, size);
    const wadi_lv shift = part.has_z ? bin(l, WADI_SOP_ADD, first, num(l, 1)) : first;
    note(l, s, lane, bin(l, WADI_SOP_ADD, part.from, first), bin(l, WADI_SOP_ADD, part.to, shift),
         bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_SUB, part.n, first), size));
    for (int f = 0; f < s->fields && !s->lasts; f++)
        carry[f] = wadi_lb_load(b, s->w->table->pointer[f], entry(l, s, g), NULL);
    if (!s->lasts) to_lane(l, s->fields, s->carry, lane, carry);
    for (int k = 0; k < 3; k++) wadi_lb_end(b);
}

static void note_all(wadi_lower *l, const staging *s) {
    wadi_lb *b = &l->b;
    wadi_lv zero[WADI_MAX_FIELDS];
    wadi_lanes open;
    const wadi_lv lane = wadi_lanes_all(l, &open), at = bin(l, WADI_SOP_ADD, s->w->first, lane);
    for (int f = 0; f < s->fields; f++)
        zero[f] = wadi_lb_const(b, (wadi_scalar){.type = s->type[f]});
    to_lane(l, s->fields, s->local, lane, zero);
    note(l, s, lane, num(l, 0), num(l, 0), num(l, 0));
    wadi_lb_if(b, bin(l, WADI_SOP_LT, at, s->w->below));
    if (s->w->table)
        note_block(l, s, lane, at);
    else
        note_segment(l, s, lane, at);
    wadi_lb_end(b);
    wadi_lanes_end(l, &open);
}

/* ---- through the tile ---- */

static wadi_lv open_element(wadi_lower *l, const staging *s, wadi_lv row, wadi_lv column) {
    const wadi_lv i = bin(l, WADI_SOP_ADD, s->base, column);
    wadi_lb_if(&l->b, bin(l, WADI_SOP_LT, i, wadi_lb_lane(&l->b, s->count, row)));
    return i;
}

static void load_element(wadi_lower *l, void *env, wadi_lv row, wadi_lv column, wadi_lv at) {
    const staging *s = env;
    wadi_lv ix[WADI_MAX_RANK], x[WADI_MAX_FIELDS];
    const wadi_val a = source_of(s->w->bind);
    const wadi_lv i = open_element(l, s, row, column);
    const wadi_lv last = bin(l, WADI_SOP_SUB, wadi_lower_extent(l, a, s->rank - 1), num(l, 1));
    if (s->rank > 1) memcpy(ix, s->w->ix, (size_t)(s->rank - 1) * sizeof *ix);
    ix[s->rank - 1] = wadi_lb_fact(
        &l->b, bin(l, WADI_SOP_ADD, wadi_lb_lane(&l->b, s->from, row), i), num(l, 0), last);
    wadi_lower_read(l, a, ix, x);
    to_lane(l, s->fields, s->tile.array, at, x);
    wadi_lb_end(&l->b);
}

static void store_element(wadi_lower *l, void *env, wadi_lv row, wadi_lv column, wadi_lv at) {
    const staging *s = env;
    wadi_lv x[WADI_MAX_FIELDS];
    const wadi_lv i = open_element(l, s, row, column);
    of_lane(l, s->fields, s->tile.array, at, x);
    store(l, s, bin(l, WADI_SOP_ADD, wadi_lb_lane(&l->b, s->to, row), i), x);
    wadi_lb_end(&l->b);
}

/* What the lane's own row of the tile becomes. */
static void own_row(wadi_lower *l, const staging *s) {
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_FIELDS], acc[WADI_MAX_FIELDS], all[WADI_MAX_FIELDS], var[WADI_MAX_FIELDS],
        next[WADI_MAX_FIELDS], carry[WADI_MAX_FIELDS];
    wadi_lanes open;
    const int fields = s->fields;
    const wadi_lv lane = wadi_lanes_all(l, &open);
    const wadi_lv rest = bin(l, WADI_SOP_SUB, wadi_lb_lane(b, s->count, lane), s->base);
    of_lane(l, fields, s->local, lane, acc);
    declare(l, s, acc, "local", var);
    if (s->w->table && !s->lasts) of_lane(l, fields, s->carry, lane, carry);
    const wadi_lv n = bin(l, WADI_SOP_MIN, num(l, s->tile.columns), rest);
    const wadi_lv j = wadi_lb_for(b, num(l, 0), n, 1, "j");
    const wadi_lv at = wadi_tile_place(l, &s->tile, lane, j);
    of_lane(l, fields, s->tile.array, at, x);
    declare(l, s, x, "next", next);
    wadi_lb_if(b, bin(l, WADI_SOP_GT, bin(l, WADI_SOP_ADD, s->base, j), num(l, 0)));
    get_fields(l, s->fields, var, acc);
    combine(l, s, acc, x, all);
    set_fields(l, s->fields, next, all);
    wadi_lb_end(b);
    get_fields(l, s->fields, next, all);
    set_fields(l, s->fields, var, all);
    if (s->w->table && !s->lasts) {
        memcpy(x, all, sizeof x);
        combine(l, s, carry, x, all);
    }
    if (s->has_z && !s->lasts) {
        memcpy(x, all, sizeof x);
        combine(l, s, s->z, x, all);
    }
    if (!s->lasts) to_lane(l, fields, s->tile.array, at, all);
    wadi_lb_end(b);
    get_fields(l, s->fields, var, acc);
    to_lane(l, fields, s->local, lane, acc);
    wadi_lanes_end(l, &open);
}

static void store_lasts(wadi_lower *l, const staging *s) {
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_FIELDS];
    wadi_lanes open;
    const wadi_lv lane = wadi_lanes_all(l, &open);
    wadi_lb_if(b, bin(l, WADI_SOP_GT, wadi_lb_lane(b, s->count, lane), num(l, 0)));
    of_lane(l, s->fields, s->local, lane, x);
    const wadi_lv at = entry(l, s, bin(l, WADI_SOP_ADD, s->w->first, lane));
    for (int f = 0; f < s->fields; f++) wadi_lb_store(b, s->w->table->pointer[f], at, x[f]);
    wadi_lb_end(b);
    wadi_lanes_end(l, &open);
}

static void go_through(wadi_lower *l, const wadi_stretches *w, bool lasts) {
    wadi_lb *b = &l->b;
    const wadi_array_type *t = wadi_type_of(l, source_of(w->bind));
    staging s = {.w = w,
                 .rank = t->rank,
                 .fields = t->elem.fields,
                 .type = t->elem.type,
                 .has_z = w->bind->nargs == 3,
                 .lasts = lasts};
    if (l->status || b->failed) return;
    s.from = wadi_lb_lanes(b, WADI_I64, LANES, "from");
    s.to = wadi_lb_lanes(b, WADI_I64, LANES, "to");
    s.count = wadi_lb_lanes(b, WADI_I64, LANES, "count");
    for (int f = 0; f < s.fields; f++) {
        s.local[f] = wadi_lb_lanes(b, s.type[f], LANES, "local");
        if (w->table && !lasts) s.carry[f] = wadi_lb_lanes(b, s.type[f], LANES, "carry");
    }
    if (s.has_z && !lasts) wadi_lower_read(l, w->bind->args[0], NULL, s.z);
    wadi_tile_declare(l, s.fields, s.type, &s.tile);
    note_all(l, &s);
    s.base = wadi_lb_for(b, num(l, 0), wadi_tile_longest(l, s.count), s.tile.columns, "base");
    wadi_tile_each(l, &s.tile, true, load_element, &s);
    own_row(l, &s);
    if (!lasts) wadi_tile_each(l, &s.tile, true, store_element, &s);
    wadi_lb_end(b);
    if (lasts) store_lasts(l, &s);
}

void wadi_lower_scan_stretches(wadi_lower *l, const wadi_stretches *w) {
    go_through(l, w, false);
}

void wadi_lower_scan_lasts_of_stretches(wadi_lower *l, const wadi_stretches *w) {
    go_through(l, w, true);
}
