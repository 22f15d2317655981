/* Scans by groups.
 *
 * The law (operators/reduce_tree.h) scans a block one element after the other. So a lane takes a whole block, and a group takes as many
 * blocks as it has lanes, of any rows. Of a single row it takes fewer: there are not so many blocks, and more groups have more elements on their way. Their
 * elements pass through a tile, since a lane alone would read only one element of each cache line. If every order gives the same bits, all lanes share a block: each scans a row of a tile, and then the rows' totals are scanned.
 *
 * Carries are computed by the two sweeps that the law describes. In each level of a sweep, a lane does one application of f. Let p be the
 * greatest power of two that divides k. Entry k - 1 first becomes the total of the last p values, and then the carry into block k. */
#include "codegen/kernel/scan_lanes.h"

#include <string.h>

#include "codegen/kernel/arith.h"
#include "codegen/kernel/fields.h"
#include "codegen/kernel/lanes.h"
#include "codegen/kernel/nest.h"
#include "codegen/kernel/permute.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/row.h"
#include "codegen/kernel/scan_block.h"
#include "codegen/kernel/tile.h"

enum { LANES = WADI_GROUP_LANES, BLOCK = WADI_SCAN_BLOCK, OF_ONE_ROW = 16 };

int wadi_lower_scan_items_at_once(const wadi_lower *l, const wadi_bind *bind) {
    return wadi_type_of(l, bind->results[0])->rank == 1 ? OF_ONE_ROW : LANES;
}

static bool has_start(const wadi_bind *bind) {
    return bind->nargs == 2;
}

/* ---- blocks of all rows ---- */

/* The block with this number. `ix`: memory for the index of its row. */
static wadi_scan_block item(wadi_lower *l, const wadi_scan_items *w, wadi_lv number, wadi_lv *ix) {
    const int rank = wadi_type_of(l, w->bind->results[0])->rank;
    const wadi_lv *extent = w->extent ? w->extent : w->table->extent;
    wadi_lv row = number, blk = num(l, 0);
    if (w->table) {
        row = bin(l, WADI_SOP_QUOT, number, w->each);
        blk = rank == 1 ? number : bin(l, WADI_SOP_REM, number, w->each);
        wadi_lb_inst(&l->b, blk)->nonneg = true;
    }
    wadi_lower_row_index(l, row, rank - 1, extent, ix);
    wadi_scan_block c = wadi_lower_scan_of(l, w->bind, NULL, ix, blk);
    c.extent = w->extent;
    c.pointer = w->pointer;
    c.table = w->table;
    return c;
}

static wadi_lv lanes_with_items(wadi_lower *l, const wadi_scan_items *w) {
    if (!w->table && wadi_type_of(l, w->bind->results[0])->rank == 1) return num(l, 1);
    return bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_SUB, w->all, w->first),
               num(l, wadi_lower_scan_items_at_once(l, w->bind)));
}

/* Stores z as the first result of each row whose first block is among these. */
static void starts(wadi_lower *l, const wadi_scan_items *w) {
    wadi_lb *b = &l->b;
    wadi_lv ix[WADI_MAX_RANK], z[WADI_MAX_FIELDS];
    wadi_lanes open;
    const bool one_row = wadi_type_of(l, w->bind->results[0])->rank == 1;
    if (!w->extent || !has_start(w->bind)) return;
    wadi_lower_read(l, w->bind->args[0], NULL, z);
    if (one_row)
        wadi_lanes_alone(l, &open);
    else
        (void)wadi_lanes_first(l, lanes_with_items(l, w), &open);
    const wadi_lv number = one_row ? w->first : bin(l, WADI_SOP_ADD, w->first, open.lane);
    const wadi_scan_block c = item(l, w, number, ix);
    wadi_lb_if(b, bin(l, WADI_SOP_EQ, one_row ? number : c.blk, num(l, 0)));
    wadi_lower_scan_store(l, &c, num(l, 0), z);
    wadi_lb_end(b);
    wadi_lanes_end(l, &open);
}

/* Without a tile: each lane reads and writes the elements of its block itself. */
static void directly(wadi_lower *l, const wadi_scan_items *w) {
    wadi_lv ix[WADI_MAX_RANK];
    wadi_lanes open;
    starts(l, w);
    const wadi_lv lane = wadi_lanes_first(l, lanes_with_items(l, w), &open);
    const wadi_scan_block c = item(l, w, bin(l, WADI_SOP_ADD, w->first, lane), ix);
    if (w->extent)
        wadi_lower_scan_block(l, w->bind, w->extent, w->pointer, w->table, ix, c.blk, NULL);
    else
        wadi_lower_scan_last(l, w->bind, w->table, ix, c.blk);
    wadi_lanes_end(l, &open);
}

/* ---- through a tile ---- */

typedef struct staging {
    const wadi_scan_items *w;
    wadi_tile tile;
    wadi_lv local[WADI_MAX_FIELDS], carry[WADI_MAX_FIELDS]; /* [lane] */
    wadi_lv z[WADI_MAX_FIELDS];
    wadi_lv base; /* of the block, where the tile begins */
    bool whole;   /* all of the tile's places are elements */
} staging;

/* Whether every place of the tile is an element of a block: there are as many blocks as rows, and the shortest goes on behind the tile. */
static wadi_lv is_whole(wadi_lower *l, const staging *s) {
    const wadi_scan_items *w = s->w;
    const int rank = wadi_type_of(l, w->bind->results[0])->rank;
    wadi_lv ix[WADI_MAX_RANK];
    const wadi_lv last = bin(l, WADI_SOP_ADD, w->first, num(l, s->tile.rows - 1));
    const wadi_scan_block c = item(l, w, last, ix);
    wadi_lv length = bin(l, WADI_SOP_SUB, c.below, c.from);
    if (w->table && w->extent && rank > 1) { /* any of them may be the last of its row */
        const wadi_lv before =
            bin(l, WADI_SOP_QUOT, bin(l, WADI_SOP_SUB, c.n, num(l, 1)), num(l, BLOCK));
        length = bin(l, WADI_SOP_SUB, c.n, bin(l, WADI_SOP_MUL, before, num(l, BLOCK)));
    }
    const wadi_lv end = bin(l, WADI_SOP_ADD, s->base, num(l, s->tile.columns));
    return bin(l, WADI_SOP_LAND, bin(l, WADI_SOP_LT, last, w->all),
               bin(l, WADI_SOP_LE, end, length));
}

/* An element of the tile: the block, and its number in the row. */
static wadi_lv element(wadi_lower *l, const staging *s, wadi_lv number, wadi_lv column, wadi_lv *ix,
                       wadi_scan_block *out) {
    *out = item(l, s->w, number, ix);
    return bin(l, WADI_SOP_ADD, out->from, bin(l, WADI_SOP_ADD, s->base, column));
}

/* The same. Where the tile is not whole, opens branches for the case that it belongs to a block. */
static wadi_lv open_element(wadi_lower *l, const staging *s, wadi_lv row, wadi_lv column,
                            wadi_lv *ix, wadi_scan_block *out) {
    wadi_lb *b = &l->b;
    const wadi_lv number = bin(l, WADI_SOP_ADD, s->w->first, row);
    if (!s->whole) wadi_lb_if(b, bin(l, WADI_SOP_LT, number, s->w->all));
    const wadi_lv i = element(l, s, number, column, ix, out);
    if (!s->whole) wadi_lb_if(b, bin(l, WADI_SOP_LT, i, out->below));
    return i;
}

static void close_element(wadi_lower *l, const staging *s) {
    if (s->whole) return;
    wadi_lb_end(&l->b);
    wadi_lb_end(&l->b);
}

static void value(wadi_lower *l, void *env, wadi_lv row, wadi_lv column, wadi_lv *out) {
    const staging *s = env;
    wadi_lv ix[WADI_MAX_RANK];
    wadi_scan_block c;
    const wadi_lv number = bin(l, WADI_SOP_ADD, s->w->first, row);
    const wadi_lv i = element(l, s, number, column, ix, &c);
    wadi_lower_scan_source(l, &c, i, out);
}

static void load(wadi_lower *l, void *env, wadi_lv row, wadi_lv column, wadi_lv at) {
    const staging *s = env;
    wadi_lv ix[WADI_MAX_RANK], x[WADI_MAX_FIELDS];
    wadi_scan_block c;
    const wadi_lv i = open_element(l, s, row, column, ix, &c);
    wadi_lower_scan_source(l, &c, i, x);
    for (int f = 0; f < c.fields; f++) wadi_lb_put(&l->b, s->tile.array[f], at, x[f]);
    close_element(l, s);
}

static void store(wadi_lower *l, void *env, wadi_lv row, wadi_lv column, wadi_lv at) {
    const staging *s = env;
    wadi_lv ix[WADI_MAX_RANK], x[WADI_MAX_FIELDS];
    wadi_scan_block c;
    const wadi_lv i = open_element(l, s, row, column, ix, &c);
    for (int f = 0; f < c.fields; f++) x[f] = wadi_lb_lane(&l->b, s->tile.array[f], at);
    const wadi_lv to = has_start(c.bind) ? bin(l, WADI_SOP_ADD, i, num(l, 1)) : i;
    wadi_lower_scan_store(l, &c, to, x);
    close_element(l, s);
}

static void declare(wadi_lower *l, const wadi_scan_block *c, const wadi_lv *init, const char *name,
                    wadi_lv *out) {
    for (int f = 0; f < c->fields; f++)
        out[f] = wadi_lb_var(&l->b, c->type[f], false, init ? init[f] : WADI_LV_NONE, name);
}

/* A lane's row of the tile. */
typedef struct own {
    const staging *s;
    wadi_scan_block c;
    wadi_lv lane;
    wadi_lv var[WADI_MAX_FIELDS]; /* the block's own scan so far */
    wadi_lv carry[WADI_MAX_FIELDS];
} own;

/* The result for an element, computed from the block's own scan. */
static void result_of(wadi_lower *l, const own *o, const wadi_lv *local, wadi_lv *out) {
    wadi_lb *b = &l->b;
    const wadi_scan_block *c = &o->c;
    wadi_lv all[WADI_MAX_FIELDS], var[WADI_MAX_FIELDS];
    memcpy(out, local, (size_t)c->fields * sizeof *out);
    if (o->s->w->table) {
        declare(l, c, local, "all", var);
        wadi_lb_if(b, bin(l, WADI_SOP_GT, c->blk, num(l, 0)));
        wadi_lower_scan_combine(l, c, o->carry, local, all);
        set_fields(l, c->fields, var, all);
        wadi_lb_end(b);
        get_fields(l, c->fields, var, out);
    }
    if (!has_start(c->bind)) return;
    memcpy(all, out, (size_t)c->fields * sizeof *all);
    wadi_lower_scan_combine(l, c, o->s->z, all, out);
}

/* Element j of the row is replaced by its result. first: it may be the first of the block. */
static void own_element(wadi_lower *l, const own *o, wadi_lv j, bool first) {
    wadi_lb *b = &l->b;
    const staging *s = o->s;
    const wadi_scan_block *c = &o->c;
    wadi_lv x[WADI_MAX_FIELDS], acc[WADI_MAX_FIELDS], all[WADI_MAX_FIELDS], next[WADI_MAX_FIELDS],
        out[WADI_MAX_FIELDS];
    const wadi_lv at = wadi_tile_place(l, &s->tile, o->lane, j);
    of_lane(l, c->fields, s->tile.array, at, x);
    if (first) {
        declare(l, c, x, "next", next);
        wadi_lb_if(b, bin(l, WADI_SOP_GT, bin(l, WADI_SOP_ADD, s->base, j), num(l, 0)));
    }
    get_fields(l, c->fields, o->var, acc);
    wadi_lower_scan_combine(l, c, acc, x, all);
    if (first) {
        set_fields(l, c->fields, next, all);
        wadi_lb_end(b);
        get_fields(l, c->fields, next, all);
    }
    set_fields(l, c->fields, o->var, all);
    if (!s->w->extent) return;
    result_of(l, o, all, out);
    to_lane(l, c->fields, s->tile.array, at, out);
}

/* Each lane replaces the elements of its row of the tile by their results. */
static void own_row(wadi_lower *l, const staging *s) {
    wadi_lb *b = &l->b;
    wadi_lv ix[WADI_MAX_RANK], acc[WADI_MAX_FIELDS];
    wadi_lanes open;
    own o = {.s = s};
    const wadi_lv columns = num(l, s->tile.columns);
    o.lane =
        wadi_lanes_first(l, s->whole ? num(l, s->tile.rows) : lanes_with_items(l, s->w), &open);
    o.c = item(l, s->w, bin(l, WADI_SOP_ADD, s->w->first, o.lane), ix);
    of_lane(l, o.c.fields, s->local, o.lane, acc);
    declare(l, &o.c, acc, "local", o.var);
    if (s->w->table && s->w->extent) of_lane(l, o.c.fields, s->carry, o.lane, o.carry);
    if (s->whole) {
        own_element(l, &o, num(l, 0), true);
        own_element(l, &o, wadi_lb_for(b, num(l, 1), columns, 1, "j"), false);
    } else {
        const wadi_lv length = bin(l, WADI_SOP_SUB, o.c.below, o.c.from);
        const wadi_lv rest = bin(l, WADI_SOP_SUB, length, s->base);
        own_element(l, &o, wadi_lb_for(b, num(l, 0), bin(l, WADI_SOP_MIN, columns, rest), 1, "j"),
                    true);
    }
    wadi_lb_end(b);
    get_fields(l, o.c.fields, o.var, acc);
    to_lane(l, o.c.fields, s->local, o.lane, acc);
    wadi_lanes_end(l, &open);
}

/* What happens in a tile. Conditions for each element make a device wait for one load after the other: a whole tile, as most are, does without. */
static void whole_tile(wadi_lower *l, staging *s) {
    s->whole = true;
    wadi_tile_fill(l, &s->tile, value, s);
    own_row(l, s);
    if (s->w->extent) wadi_tile_each(l, &s->tile, true, store, s);
}

static void other_tile(wadi_lower *l, staging *s) {
    s->whole = false;
    wadi_tile_each(l, &s->tile, true, load, s);
    own_row(l, s);
    if (s->w->extent) wadi_tile_each(l, &s->tile, true, store, s);
}

/* Computes the carry into each lane's block. */
static void before_blocks(wadi_lower *l, const staging *s) {
    wadi_lb *b = &l->b;
    wadi_lv ix[WADI_MAX_RANK], zero[WADI_MAX_FIELDS];
    wadi_lanes open;
    const wadi_lv lane = wadi_lanes_first(l, lanes_with_items(l, s->w), &open);
    const wadi_scan_block c = item(l, s->w, bin(l, WADI_SOP_ADD, s->w->first, lane), ix);
    for (int f = 0; f < c.fields; f++) {
        zero[f] = wadi_lb_const(b, (wadi_scalar){.type = c.type[f]});
        wadi_lb_put(b, s->local[f], lane, zero[f]);
        if (s->w->table && s->w->extent) wadi_lb_put(b, s->carry[f], lane, zero[f]);
    }
    const wadi_lv later = bin(l, WADI_SOP_GT, c.blk, num(l, 0));
    if (s->w->table && s->w->extent) {
        wadi_lb_if(b, later);
        const wadi_lv at =
            wadi_lower_scan_entry(l, &c, c.table, bin(l, WADI_SOP_SUB, c.blk, num(l, 1)));
        for (int f = 0; f < c.fields; f++)
            wadi_lb_put(b, s->carry[f], lane, wadi_lb_load(b, c.table->pointer[f], at, NULL));
        wadi_lb_end(b);
    }
    wadi_lanes_end(l, &open);
}

static void store_lasts(wadi_lower *l, const staging *s) {
    wadi_lv ix[WADI_MAX_RANK], x[WADI_MAX_FIELDS];
    wadi_lanes open;
    const wadi_lv lane = wadi_lanes_first(l, lanes_with_items(l, s->w), &open);
    const wadi_scan_block c = item(l, s->w, bin(l, WADI_SOP_ADD, s->w->first, lane), ix);
    const wadi_lv at = wadi_lower_scan_entry(l, &c, c.table, c.blk);
    of_lane(l, c.fields, s->local, lane, x);
    for (int f = 0; f < c.fields; f++) wadi_lb_store(&l->b, c.table->pointer[f], at, x[f]);
    wadi_lanes_end(l, &open);
}

static void through_a_tile(wadi_lower *l, const wadi_scan_items *w) {
    const wadi_array_type *t = wadi_type_of(l, w->bind->args[w->bind->nargs - 1]);
    staging s = {.w = w};
    for (int f = 0; f < t->elem.fields; f++) {
        s.local[f] = wadi_lb_lanes(&l->b, t->elem.type[f], LANES, "local");
        if (w->table && w->extent)
            s.carry[f] = wadi_lb_lanes(&l->b, t->elem.type[f], LANES, "carry");
    }
    if (has_start(w->bind)) wadi_lower_read(l, w->bind->args[0], NULL, s.z);
    starts(l, w);
    wadi_tile_declare_rows(l, wadi_lower_scan_items_at_once(l, w->bind), t->elem.fields,
                           t->elem.type, &s.tile);
    before_blocks(l, &s);
    const wadi_lv longest = bin(l, WADI_SOP_MIN, wadi_lower_row_length(l, w->bind), num(l, BLOCK));
    s.base = wadi_lb_for(&l->b, num(l, 0), longest, s.tile.columns, "base");
    wadi_lb_if(&l->b, is_whole(l, &s));
    whole_tile(l, &s);
    wadi_lb_else(&l->b);
    other_tile(l, &s);
    wadi_lb_end(&l->b);
    wadi_lb_end(&l->b);
    if (!w->extent) store_lasts(l, &s);
}

/* A tile is not used if elements may fault, because it would read them in another order. */
static void build_items(wadi_lower *l, void *env) {
    const wadi_scan_items *w = env;
    wadi_trial trial;
    wadi_lower_try(l, &trial);
    through_a_tile(l, w);
    if (wadi_lower_tried(l, &trial))
        wadi_lb_merge(&l->b, trial.aside);
    else
        directly(l, w);
}

void wadi_lower_scan_items(wadi_lower *l, const wadi_scan_items *items) {
    wadi_scan_items w = *items;
    if (!l->status && !l->b.failed) wadi_lower_versions(l, build_items, &w);
}

/* ---- in any order ---- */

static void combine(wadi_lower *l, const void *env, const wadi_lv *acc, const wadi_lv *x,
                    wadi_lv *out) {
    wadi_lower_scan_combine(l, env, acc, x, out);
}

/* `nothing`: memory for the identities. */
static wadi_taking taking_of(wadi_lower *l, const wadi_scan_block *c, wadi_lv *nothing) {
    for (int f = 0; f < c->fields; f++)
        nothing[f] = wadi_lb_const(&l->b, wadi_row_identity(c->bind->funs[0], f));
    return (wadi_taking){c->fields, c->type, nothing, combine, c};
}

static void put(wadi_lower *l, const wadi_taking *t, const wadi_lv *array, wadi_lv at,
                const wadi_lv *x) {
    for (int f = 0; f < t->fields; f++) wadi_lb_put(&l->b, array[f], at, x[f]);
}

void wadi_lower_scan_last_shared(wadi_lower *l, const wadi_bind *bind, const wadi_scan_table *t,
                                 const wadi_lv *ix, wadi_lv blk) {
    wadi_lv nothing[WADI_MAX_FIELDS], array[WADI_MAX_FIELDS], x[WADI_MAX_FIELDS],
        acc[WADI_MAX_FIELDS], all[WADI_MAX_FIELDS];
    const wadi_scan_block c = wadi_lower_scan_of(l, bind, NULL, ix, blk);
    const wadi_taking take = taking_of(l, &c, nothing);
    wadi_lanes open;
    if (l->status || l->b.failed) return;
    wadi_taking_declare(l, &take, "acc", array);
    put(l, &take, array, wadi_lanes_all(l, &open), nothing);
    wadi_lanes_end(l, &open);
    const wadi_lv i = wadi_lanes_each(l, c.from, c.below, "i", &open);
    wadi_lower_scan_source(l, &c, i, x);
    of_lane(l, c.fields, array, open.lane, acc);
    wadi_lower_scan_combine(l, &c, acc, x, all);
    put(l, &take, array, open.lane, all);
    wadi_lanes_end(l, &open);
    wadi_taking_join(l, &take, array);
    of_lane(l, c.fields, array, num(l, 0), all);
    const wadi_lv at = wadi_lower_scan_entry(l, &c, t, blk);
    for (int f = 0; f < c.fields; f++) wadi_lb_store(&l->b, t->pointer[f], at, all[f]);
}

typedef struct raking {
    const wadi_scan_block *c;
    const wadi_taking *take;
    wadi_tile tile;
    wadi_lv base;
    wadi_lv sum[WADI_MAX_FIELDS];    /* [lane]: the total of the rows up to the lane's own */
    wadi_lv before[WADI_MAX_FIELDS]; /* the carry into the tile */
} raking;

static wadi_lv element_of(wadi_lower *l, const raking *r, wadi_lv row, wadi_lv column) {
    const wadi_lv within =
        bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_MUL, row, num(l, r->tile.columns)), column);
    return bin(l, WADI_SOP_ADD, r->base, within);
}

static void rake_load(wadi_lower *l, void *env, wadi_lv row, wadi_lv column, wadi_lv at) {
    const raking *r = env;
    wadi_lv x[WADI_MAX_FIELDS];
    const wadi_lv i = element_of(l, r, row, column);
    put(l, r->take, r->tile.array, at, r->take->nothing);
    wadi_lb_if(&l->b, bin(l, WADI_SOP_LT, i, r->c->below));
    wadi_lower_scan_source(l, r->c, i, x);
    put(l, r->take, r->tile.array, at, x);
    wadi_lb_end(&l->b);
}

static void rake(wadi_lower *l, const raking *r) {
    wadi_lv var[WADI_MAX_FIELDS], x[WADI_MAX_FIELDS], acc[WADI_MAX_FIELDS], all[WADI_MAX_FIELDS];
    const int fields = r->c->fields;
    wadi_lanes open;
    const wadi_lv lane = wadi_lanes_all(l, &open);
    declare(l, r->c, r->take->nothing, "row", var);
    const wadi_lv j = wadi_lb_for(&l->b, num(l, 0), num(l, r->tile.columns), 1, "j");
    const wadi_lv at = wadi_tile_place(l, &r->tile, lane, j);
    of_lane(l, fields, r->tile.array, at, x);
    get_fields(l, fields, var, acc);
    wadi_lower_scan_combine(l, r->c, acc, x, all);
    set_fields(l, fields, var, all);
    put(l, r->take, r->tile.array, at, all);
    wadi_lb_end(&l->b);
    get_fields(l, fields, var, all);
    put(l, r->take, r->sum, lane, all);
    wadi_lanes_end(l, &open);
}

static void rake_store(wadi_lower *l, void *env, wadi_lv row, wadi_lv column, wadi_lv at) {
    const raking *r = env;
    const wadi_scan_block *c = r->c;
    wadi_lb *b = &l->b;
    wadi_lv var[WADI_MAX_FIELDS], x[WADI_MAX_FIELDS], acc[WADI_MAX_FIELDS], all[WADI_MAX_FIELDS];
    const wadi_lv i = element_of(l, r, row, column);
    wadi_lb_if(b, bin(l, WADI_SOP_LT, i, c->below));
    declare(l, c, r->before, "before", var);
    wadi_lb_if(b, bin(l, WADI_SOP_GT, row, num(l, 0)));
    of_lane(l, c->fields, r->sum, bin(l, WADI_SOP_SUB, row, num(l, 1)), x);
    wadi_lower_scan_combine(l, c, r->before, x, all);
    set_fields(l, c->fields, var, all);
    wadi_lb_end(b);
    of_lane(l, c->fields, r->tile.array, at, x);
    get_fields(l, c->fields, var, acc);
    wadi_lower_scan_combine(l, c, acc, x, all);
    wadi_lv to = i;
    if (has_start(c->bind)) {
        memcpy(x, all, sizeof x);
        wadi_lower_scan_combine(l, c, c->z, x, all);
        to = bin(l, WADI_SOP_ADD, i, num(l, 1));
    }
    wadi_lower_scan_store(l, c, to, all);
    wadi_lb_end(b);
}

/* The first carry is the table's entry, if there is a table. */
static void first_carry(wadi_lower *l, const wadi_scan_block *c, const wadi_scan_table *t,
                        const wadi_lv *carry) {
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_FIELDS];
    wadi_lb_if(b, bin(l, WADI_SOP_GT, c->blk, num(l, 0)));
    if (t) {
        const wadi_lv at = wadi_lower_scan_entry(l, c, t, bin(l, WADI_SOP_SUB, c->blk, num(l, 1)));
        for (int f = 0; f < c->fields; f++) x[f] = wadi_lb_load(b, t->pointer[f], at, NULL);
        set_fields(l, c->fields, carry, x);
    }
    if (has_start(c->bind)) {
        wadi_lb_else(b);
        wadi_lower_scan_store(l, c, num(l, 0), c->z);
    }
    wadi_lb_end(b);
}

void wadi_lower_scan_block_shared(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                                  const wadi_lv *pointer, const wadi_scan_table *t,
                                  const wadi_lv *ix, wadi_lv blk) {
    wadi_lb *b = &l->b;
    wadi_lv nothing[WADI_MAX_FIELDS], spare[WADI_MAX_FIELDS], carry[WADI_MAX_FIELDS],
        x[WADI_MAX_FIELDS], all[WADI_MAX_FIELDS];
    wadi_scan_block c = wadi_lower_scan_of(l, bind, NULL, ix, blk);
    const wadi_taking take = taking_of(l, &c, nothing);
    raking r = {.c = &c, .take = &take};
    if (l->status || b->failed) return;
    c.extent = extent;
    c.pointer = pointer;
    if (has_start(bind)) wadi_lower_read(l, bind->args[0], NULL, c.z);
    wadi_tile_declare(l, c.fields, c.type, &r.tile);
    wadi_taking_declare(l, &take, "sum", r.sum);
    wadi_taking_declare(l, &take, "spare", spare);
    declare(l, &c, nothing, "carry", carry);
    first_carry(l, &c, t, carry);
    r.base = wadi_lb_for(b, c.from, c.below, (int64_t)LANES * r.tile.columns, "base");
    get_fields(l, c.fields, carry, r.before);
    wadi_tile_each(l, &r.tile, false, rake_load, &r);
    rake(l, &r);
    wadi_taking_scan(l, &take, r.sum, spare);
    wadi_tile_each(l, &r.tile, true, rake_store, &r);
    of_lane(l, c.fields, r.sum, num(l, LANES - 1), x);
    wadi_lower_scan_combine(l, &c, r.before, x, all);
    set_fields(l, c.fields, carry, all);
    wadi_lb_end(b);
}

/* ---- carries ---- */

/* A level of a sweep: the entry of block k - 1 becomes f(the entry `d` in front of it, that), for the j-th k = first + j * step. */
typedef struct level {
    const wadi_scan_block *c;
    const wadi_scan_table *t;
    wadi_lv first, step, d;
} level;

/* The entry of number j, and the one in front. */
static wadi_lv read_pair(wadi_lower *l, const level *v, wadi_lv j, wadi_lv *before, wadi_lv *x) {
    const wadi_lv k = bin(l, WADI_SOP_ADD, v->first, bin(l, WADI_SOP_MUL, j, v->step));
    const wadi_lv to = bin(l, WADI_SOP_SUB, k, num(l, 1));
    const wadi_lv at = wadi_lower_scan_entry(l, v->c, v->t, to);
    const wadi_lv left = wadi_lower_scan_entry(l, v->c, v->t, bin(l, WADI_SOP_SUB, to, v->d));
    for (int f = 0; f < v->c->fields && before; f++) {
        before[f] = wadi_lb_fresh(&l->b, v->t->pointer[f], left);
        x[f] = wadi_lb_fresh(&l->b, v->t->pointer[f], at);
    }
    return at;
}

static void join_pair(wadi_lower *l, const level *v, wadi_lv at, const wadi_lv *before,
                      const wadi_lv *x) {
    wadi_lv all[WADI_MAX_FIELDS];
    wadi_lower_scan_combine(l, v->c, before, x, all);
    for (int f = 0; f < v->c->fields; f++) wadi_lb_store(&l->b, v->t->pointer[f], at, all[f]);
}

/* Pairs that a lane reads before it joins any, so that it does not wait for one after the other. */
enum { PAIRS = 8 };

static wadi_lv pair_of(wadi_lower *l, wadi_lv from, wadi_lv lane, wadi_lv k) {
    return bin(l, WADI_SOP_ADD, from,
               bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_MUL, k, num(l, LANES)), lane));
}

/* LANES * PAIRS pairs from number `from` on. */
static void sweep_many(wadi_lower *l, const level *v, wadi_lv from) {
    wadi_lb *b = &l->b;
    const wadi_scan_block *c = v->c;
    wadi_lv x[WADI_MAX_FIELDS], before[WADI_MAX_FIELDS], xs[WADI_MAX_FIELDS],
        befores[WADI_MAX_FIELDS];
    wadi_lanes open;
    const wadi_lv lane = wadi_lanes_all(l, &open);
    for (int f = 0; f < c->fields; f++) {
        befores[f] = wadi_lb_lanes(b, c->type[f], PAIRS, "before");
        xs[f] = wadi_lb_lanes(b, c->type[f], PAIRS, "x");
    }
    wadi_lv k = wadi_lb_for(b, num(l, 0), num(l, PAIRS), 1, "k");
    (void)read_pair(l, v, pair_of(l, from, lane, k), before, x);
    to_lane(l, c->fields, befores, k, before);
    to_lane(l, c->fields, xs, k, x);
    wadi_lb_end(b);
    k = wadi_lb_for(b, num(l, 0), num(l, PAIRS), 1, "k");
    of_lane(l, c->fields, befores, k, before);
    of_lane(l, c->fields, xs, k, x);
    join_pair(l, v, read_pair(l, v, pair_of(l, from, lane, k), NULL, NULL), before, x);
    wadi_lb_end(b);
    wadi_lanes_end(l, &open);
}

static void sweep(wadi_lower *l, const level *v) {
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_FIELDS], before[WADI_MAX_FIELDS];
    wadi_lanes open;
    const wadi_lv m = wadi_lower_scan_entries(v->c, v->t), many = num(l, LANES * PAIRS);
    const wadi_lv over = bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_SUB, m, v->first), v->step);
    const wadi_lv count = bin(l, WADI_SOP_MAX, bin(l, WADI_SOP_QUOT, over, v->step), num(l, 0));
    const wadi_lv whole = bin(l, WADI_SOP_MUL, bin(l, WADI_SOP_QUOT, count, many), many);
    sweep_many(l, v, wadi_lb_for(b, num(l, 0), whole, LANES * PAIRS, "from"));
    wadi_lb_end(b);
    const wadi_lv j = wadi_lanes_each(l, whole, count, "j", &open);
    const wadi_lv at = read_pair(l, v, j, before, x);
    join_pair(l, v, at, before, x);
    wadi_lanes_end(l, &open);
}

static void sweeps(wadi_lower *l, const wadi_scan_block *c, const wadi_scan_table *t) {
    wadi_lb *b = &l->b;
    const wadi_lv two = num(l, 2), m = wadi_lower_scan_entries(c, t);
    const wadi_lv var = wadi_lb_var(b, WADI_I64, false, num(l, 1), "distance");
    wadi_lb_repeat_briefly(b); /* up: totals of 2, 4, .. values */
    wadi_lv d = wadi_lb_get(b, var), twice = bin(l, WADI_SOP_MUL, d, two);
    wadi_lb_leave_unless(b, bin(l, WADI_SOP_LE, twice, m));
    sweep(l, &(level){c, t, twice, twice, d});
    wadi_lb_set(b, var, twice);
    wadi_lb_end(b);
    wadi_lb_repeat_briefly(b); /* down: k = 3 d, 5 d, .. */
    d = wadi_lb_get(b, var);
    wadi_lb_leave_unless(b, bin(l, WADI_SOP_GT, d, num(l, 0)));
    sweep(l, &(level){c, t, bin(l, WADI_SOP_MUL, d, num(l, 3)), bin(l, WADI_SOP_MUL, d, two), d});
    wadi_lb_set(b, var, bin(l, WADI_SOP_QUOT, d, two));
    wadi_lb_end(b);
}

/* The sweeps do not keep the order of faults. So if f may fault, one lane does all of it. */
void wadi_lower_scan_carries_shared(wadi_lower *l, const wadi_bind *bind, const wadi_scan_table *t,
                                    const wadi_lv *ix) {
    wadi_lv nothing[WADI_MAX_FIELDS];
    const wadi_scan_block c = wadi_lower_scan_of(l, bind, t->part, ix, num(l, 0));
    wadi_lanes alone;
    if (l->status || l->b.failed) return;
    if (c.any_order) {
        const wadi_taking take = taking_of(l, &c, nothing);
        const wadi_lv first = wadi_lower_scan_entry(l, &c, t, num(l, 0));
        wadi_taking_scan_memory(l, &take, t->pointer, first, wadi_lower_scan_entries(&c, t));
        return;
    }
    if (wadi_lower_cost(bind->funs[0]) < WADI_SHARE_CHEAP) {
        sweeps(l, &c, t);
        return;
    }
    wadi_lanes_alone(l, &alone);
    wadi_lower_scan_carries(l, bind, t, ix);
    wadi_lanes_end(l, &alone);
}
