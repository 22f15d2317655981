/* A stretch is a segment, the first block of a long one, or a later block. First each lane notes where its stretch lies. Then, by the law:
 *
 *   - f with sixteen accumulators: sixteen lanes, a team, are the accumulators of a stretch. They go through its stripes, which are
 *     neighbouring elements, and then through those of the next stretch; nobody waits. The accumulators end in a row of a tile, which
 *     one lane joins. What is behind the full stripes, or a stretch shorter than one, is loaded into the tile by the team, and one lane
 *     goes through it. So a stretch of any length is read by neighbours.
 *   - f in order: until the longest stretch is done, teams load the next sixteen elements of each into the tile, and one lane of each
 *     stretch goes through them.
 *
 * If elements or f may fault, that is only noted: stretches are ahead of each other. Where something was noted, the segments are folded once more
 * in order, which tells the fault. An f that may fault keeps the order: those of the law that do not are sums, products and the like.
 *
 * At last one lane of each segment adds z and the results of later blocks. If there are many, all lanes do it together, unless f may fault. */
#include "codegen/kernel/segment_folds.h"

#include <string.h>

#include "base/error.h"
#include "base/type.h"
#include "base/words.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/fields.h"
#include "codegen/kernel/lanes.h"
#include "codegen/kernel/nest.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/row.h"
#include "codegen/kernel/segment.h"
#include "codegen/kernel/tile.h"
#include "operators/reduce_tree.h"

enum {
    LANES = WADI_GROUP_LANES,
    STRIPE = WADI_FOLD_LANES,
    TEAMS = WADI_ROW_TEAMS,
    BLOCK = WADI_FOLD_BLOCK
};

typedef struct staging {
    const wadi_fold_stretches *w;
    wadi_val array;
    int rank, fields;
    const wadi_type *type;
    int64_t at_once;                       /* stretches */
    bool stripes, of_table, quiet, faulty; /* faulty: f may fault */
    int64_t limit;
    wadi_tile tile; /* [stretch, STRIPE] */
    wadi_lv bad;    /* [lane] i64: not 0 if the lane has noted something; NONE: cannot be */
    wadi_lv from, count, whole;     /* [stretch]; whole: elements of the segment */
    wadi_lv total[WADI_MAX_FIELDS]; /* [stretch] of the full stripes; in the end, of the stretch */
} staging;

/* Stretches that a group takes at a time: of elements up to 16 bytes as many as there are lanes, of larger ones as many as need no larger tile. */
static int most_at_once(const wadi_elem *e) {
    const int bytes = wadi_fields_size(e->type, e->fields);
    int n = LANES;
    while (n > TEAMS && n * bytes > LANES * STRIPE) n /= 2;
    return n;
}

static const wadi_elem *folded_by(wadi_lower *l, const wadi_bind *bind) {
    return &wadi_type_of(l, bind->args[bind->nargs - 1])->elem;
}

int wadi_lower_fold_entries_at_once(wadi_lower *l, const wadi_bind *bind) {
    return wadi_fun_has_lanes(bind->funs[0]) ? TEAMS : most_at_once(folded_by(l, bind));
}

static staging staging_of(wadi_lower *l, const wadi_fold_stretches *w) {
    const wadi_val array = w->bind->args[w->bind->nargs - 1];
    const wadi_array_type *t = wadi_type_of(l, array);
    staging s = {.w = w,
                 .array = array,
                 .rank = t->rank,
                 .fields = t->elem.fields,
                 .type = t->elem.type,
                 .at_once = most_at_once(&t->elem),
                 .quiet = w->quiet,
                 .faulty = w->quiet && w->faulty,
                 .bad = w->quiet ? wadi_lb_lanes(&l->b, WADI_I64, LANES, "bad") : WADI_LV_NONE,
                 .stripes = wadi_fun_has_lanes(w->bind->funs[0])};
    s.from = wadi_lb_lanes(&l->b, WADI_I64, LANES, "from");
    s.count = wadi_lb_lanes(&l->b, WADI_I64, LANES, "count");
    for (int f = 0; f < s.fields; f++)
        s.total[f] = wadi_lb_lanes(&l->b, s.type[f], (int)s.at_once, "total");
    wadi_tile_declare_of(l, (int)s.at_once, STRIPE, s.fields, s.type, &s.tile);
    return s;
}

static void combine(wadi_lower *l, const staging *s, const wadi_lv *acc, const wadi_lv *x,
                    wadi_lv *out) {
    combine_fields(l, s->w->bind->funs[0], s->fields, acc, x, out);
}

/* Variables with the identity of f if it has one, else zeros. */
static void declare(wadi_lower *l, const staging *s, const char *name, wadi_lv *out) {
    const wadi_fun *fun = s->w->bind->funs[0];
    const bool known = wadi_fun_has_any_order(fun);
    for (int f = 0; f < s->fields; f++) {
        const wadi_scalar init =
            known ? wadi_row_identity(fun, f) : (wadi_scalar){.type = s->type[f]};
        out[f] = wadi_lb_var(&l->b, s->type[f], false, wadi_lb_const(&l->b, init), name);
    }
}

static void accumulate(wadi_lower *l, const staging *s, const wadi_lv *var, const wadi_lv *x) {
    wadi_lv acc[WADI_MAX_FIELDS], next[WADI_MAX_FIELDS];
    get_fields(l, s->fields, var, acc);
    combine(l, s, acc, x, next);
    set_fields(l, s->fields, var, next);
}

/* ix[] = the place `last` in the row */
static void in_row(const staging *s, wadi_lv last, wadi_lv *ix) {
    if (s->rank > 1) memcpy(ix, s->w->ix, (size_t)(s->rank - 1) * sizeof *ix);
    ix[s->rank - 1] = last;
}

static void store_field(wadi_lower *l, const staging *s, wadi_lv number, int field, wadi_lv x) {
    wadi_lv ix[WADI_MAX_RANK];
    in_row(s, number, ix);
    wadi_lb_store(&l->b, s->w->pointer[field], wadi_lower_linear(l, s->rank, s->w->extent, ix), x);
}

static void store(wadi_lower *l, const staging *s, wadi_lv number, const wadi_lv *x) {
    for (int f = 0; f < s->fields; f++) store_field(l, s, number, f, x[f]);
}

/* A variable for what a lane notes. */
static wadi_lv noting(wadi_lower *l, const staging *s) {
    return s->quiet ? wadi_lb_var(&l->b, WADI_I64, false, num(l, 0), "noted") : WADI_LV_NONE;
}

static void noted(wadi_lower *l, const staging *s, wadi_lv lane, wadi_lv var) {
    if (!s->quiet) return;
    const wadi_lv before = wadi_lb_lane(&l->b, s->bad, lane);
    wadi_lb_put(&l->b, s->bad, lane, bin(l, WADI_SOP_MAX, before, wadi_lb_get(&l->b, var)));
}

/* Element i of a stretch, which has one there. */
static void element(wadi_lower *l, const staging *s, wadi_lv row, wadi_lv i, wadi_lv bad,
                    wadi_lv *out) {
    wadi_lv ix[WADI_MAX_RANK];
    const wadi_lv extent = wadi_lower_extent(l, s->array, s->rank - 1);
    const wadi_lv at = bin(l, WADI_SOP_ADD, wadi_lb_lane(&l->b, s->from, row), i);
    in_row(s, wadi_lb_fact(&l->b, at, num(l, 0), bin(l, WADI_SOP_SUB, extent, num(l, 1))), ix);
    if (s->quiet)
        wadi_lower_read_quietly(l, s->array, ix, bad, out);
    else
        wadi_lower_read(l, s->array, ix, out);
}

/* ---- where the stretches lie ---- */

static void note(wadi_lower *l, const staging *s, wadi_lv lane, wadi_lv from, wadi_lv n) {
    wadi_lb_put(&l->b, s->from, lane, from);
    wadi_lb_put(&l->b, s->count, lane, bin(l, WADI_SOP_MIN, n, num(l, BLOCK)));
    wadi_lb_put(&l->b, s->whole, lane, n);
}

/* A segment that does not fit, or is empty where it may not be, is left out. */
static void note_quietly(wadi_lower *l, const staging *s, wadi_lv lane, wadi_lv j) {
    wadi_lb *b = &l->b;
    const wadi_bind *bind = s->w->bind;
    const wadi_lv extent = wadi_lower_extent(l, s->array, s->rank - 1);
    wadi_lv from, n;
    wadi_lv fits = wadi_lower_segment_fits(l, bind, bind->nargs - 2, j, extent, &from, &n);
    if (bind->nargs < 3) fits = bin(l, WADI_SOP_LAND, fits, bin(l, WADI_SOP_GT, n, num(l, 0)));
    wadi_lb_if(b, fits);
    note(l, s, lane, wadi_lb_fact(b, from, num(l, 0), extent),
         wadi_lb_fact(b, n, num(l, 0), extent));
    wadi_lb_else(b);
    wadi_lb_put(b, s->bad, lane, num(l, 1));
    wadi_lb_end(b);
}

/* All faults come from here. */
static void note_segment(wadi_lower *l, const staging *s, wadi_lv lane, wadi_lv j) {
    wadi_lb *b = &l->b;
    const wadi_bind *bind = s->w->bind;
    const wadi_lv extent = wadi_lower_extent(l, s->array, s->rank - 1);
    const wadi_lower_position before = wadi_lower_in_array(l, s->rank, s->w->extent);
    wadi_lv ix[WADI_MAX_RANK], from, n;
    in_row(s, j, ix);
    in_row(s, j, l->position.ix);
    (void)wadi_lower_at_element(l, s->rank, ix);
    wadi_lower_segment(l, bind, bind->nargs - 2, j, extent, &from, &n);
    if (bind->nargs < 3) {
        wadi_lb_if(b, bin(l, WADI_SOP_EQ, n, num(l, 0)));
        wadi_lower_fault(l, WADI_FAULT_EMPTY,
                         wadi_layout_place(l->y, bind->op->name, WADI_SAID_NO_SEGMENT, bind->loc),
                         n, n);
        wadi_lb_end(b);
    }
    l->position = before;
    note(l, s, lane, from, n);
}

static void note_entry(wadi_lower *l, const staging *s, wadi_lv lane, wadi_lv g) {
    wadi_lb *b = &l->b;
    wadi_segment_block block;
    wadi_lower_segment_block(l, s->w->bind, g, &block);
    const wadi_lv rest = bin(l, WADI_SOP_SUB, block.n, block.first);
    wadi_lb_put(b, s->from, lane, bin(l, WADI_SOP_ADD, block.from, block.first));
    wadi_lb_put(b, s->count, lane, bin(l, WADI_SOP_MIN, rest, num(l, BLOCK)));
    for (int k = 0; k < 2; k++) wadi_lb_end(b);
}

static void note_all(wadi_lower *l, const staging *s) {
    wadi_lb *b = &l->b;
    wadi_lanes open;
    const wadi_lv lane = wadi_lanes_all(l, &open), zero = num(l, 0);
    const wadi_lv at = bin(l, WADI_SOP_ADD, s->w->first, lane);
    const wadi_lv most = bin(l, WADI_SOP_ADD, s->w->first, num(l, s->at_once));
    wadi_lb_put(b, s->from, lane, zero);
    wadi_lb_put(b, s->count, lane, zero);
    if (!s->of_table) wadi_lb_put(b, s->whole, lane, zero);
    if (s->quiet) wadi_lb_put(b, s->bad, lane, zero);
    wadi_lb_if(b, bin(l, WADI_SOP_LT, at, bin(l, WADI_SOP_MIN, s->w->below, most)));
    if (s->of_table)
        note_entry(l, s, lane, at);
    else if (s->quiet)
        note_quietly(l, s, lane, at);
    else
        note_segment(l, s, lane, at);
    wadi_lb_end(b);
    wadi_lanes_end(l, &open);
}

/* ---- by teams ---- */

/* The loop of a team over its stretches. */
typedef struct teams {
    wadi_lanes open;
    wadi_lv lane, row, within; /* row: the stretch; within: the lane in the team */
    wadi_lv bad;
    bool several;
} teams;

static teams each_stretch(wadi_lower *l, const staging *s) {
    teams t = {.several = s->at_once > TEAMS};
    t.lane = wadi_lanes_all(l, &t.open);
    t.bad = noting(l, s);
    wadi_lv row = bin(l, WADI_SOP_QUOT, t.lane, num(l, STRIPE));
    t.within = bin(l, WADI_SOP_REM, t.lane, num(l, STRIPE));
    if (t.several) {
        const wadi_lv k = wadi_lb_for(&l->b, num(l, 0), num(l, s->at_once / TEAMS), 1, "k");
        row = bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_MUL, k, num(l, TEAMS)), row);
    }
    t.row = row;
    return t;
}

static void each_stretch_end(wadi_lower *l, const staging *s, const teams *t) {
    if (t->several) wadi_lb_end(&l->b);
    noted(l, s, t->lane, t->bad);
    wadi_lanes_end(l, &t->open);
}

static wadi_lv full_stripes(wadi_lower *l, const staging *s, wadi_lv row) {
    return bin(l, WADI_SOP_AND, wadi_lb_lane(&l->b, s->count, row), num(l, -STRIPE));
}

/* Row r of the tile becomes the accumulators of stretch r, if that has a full stripe. */
static void accumulators(wadi_lower *l, const staging *s) {
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_FIELDS], acc[WADI_MAX_FIELDS];
    const teams t = each_stretch(l, s);
    const wadi_lv full = full_stripes(l, s, t.row);
    declare(l, s, "acc", acc);
    wadi_lb_if(b, bin(l, WADI_SOP_GT, full, num(l, 0)));
    element(l, s, t.row, t.within, t.bad, x);
    set_fields(l, s->fields, acc, x);
    const wadi_lv g = wadi_lb_for(b, num(l, STRIPE), full, STRIPE, "g");
    element(l, s, t.row, bin(l, WADI_SOP_ADD, g, t.within), t.bad, x);
    accumulate(l, s, acc, x);
    wadi_lb_end(b);
    get_fields(l, s->fields, acc, x);
    to_lane(l, s->fields, s->tile.array, wadi_tile_place(l, &s->tile, t.row, t.within), x);
    wadi_lb_end(b);
    each_stretch_end(l, s, &t);
}

/* One halving: the upper half of `from` into the lower one, to `to`. */
static void halve(wadi_lower *l, const staging *s, const wadi_lv *from, wadi_lv first, int64_t half,
                  const wadi_lv *to) {
    wadi_lv x[WADI_MAX_FIELDS], acc[WADI_MAX_FIELDS], next[WADI_MAX_FIELDS];
    const wadi_lv c = wadi_lb_for(&l->b, num(l, 0), num(l, half), 1, "c");
    const wadi_lv at = bin(l, WADI_SOP_ADD, first, c);
    of_lane(l, s->fields, from, at, acc);
    of_lane(l, s->fields, from, bin(l, WADI_SOP_ADD, at, num(l, half)), x);
    combine(l, s, acc, x, next);
    to_lane(l, s->fields, to, c, next);
    wadi_lb_end(&l->b);
}

/* The accumulators of each stretch become one, in memory of its lane. */
static void join(wadi_lower *l, const staging *s) {
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_FIELDS], own[WADI_MAX_FIELDS];
    wadi_lanes open;
    const wadi_lv lane = wadi_lanes_first(l, num(l, s->at_once), &open), zero = num(l, 0);
    wadi_lb_if(b, bin(l, WADI_SOP_GE, wadi_lb_lane(b, s->count, lane), num(l, STRIPE)));
    for (int f = 0; f < s->fields; f++) own[f] = wadi_lb_lanes(b, s->type[f], STRIPE / 2, "halves");
    halve(l, s, s->tile.array, wadi_tile_place(l, &s->tile, lane, zero), STRIPE / 2, own);
    for (int64_t half = STRIPE / 4; half > 0; half /= 2) halve(l, s, own, zero, half, own);
    of_lane(l, s->fields, own, zero, x);
    to_lane(l, s->fields, s->total, lane, x);
    wadi_lb_end(b);
    wadi_lanes_end(l, &open);
}

/* Whether elements that belong to no stretch may be read in place of those that a stretch lacks. */
static bool may_read_any(const wadi_lower *l, const staging *s) {
    return !s->quiet && s->at_once > TEAMS && wadi_lower_is_cheap(l, s->array);
}

/* Element `place` of the tile: its stretch, and its number there. */
static wadi_lv place_of(wadi_lower *l, const staging *s, wadi_lv base, wadi_lv lane, wadi_lv k,
                        wadi_lv *out_row) {
    const wadi_lv high = bin(l, WADI_SOP_QUOT, lane, num(l, STRIPE));
    *out_row = bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_MUL, k, num(l, TEAMS)), high);
    if (base == WADI_LV_NONE) base = full_stripes(l, s, *out_row);
    return bin(l, WADI_SOP_ADD, base, bin(l, WADI_SOP_REM, lane, num(l, STRIPE)));
}

/* As load. Under conditions a device would wait for one element after the other. So each lane reads something for every place of its own before it
 * looks which of them are elements. */
static void load_at_once(wadi_lower *l, const staging *s, wadi_lv base) {
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_FIELDS], read[WADI_MAX_FIELDS], ix[WADI_MAX_RANK], row;
    wadi_lanes open;
    const int rounds = (int)s->at_once / TEAMS;
    const wadi_lv lane = wadi_lanes_all(l, &open), zero = num(l, 0);
    const wadi_lv extent = wadi_lower_extent(l, s->array, s->rank - 1);
    const wadi_lv last = bin(l, WADI_SOP_SUB, extent, num(l, 1));
    for (int f = 0; f < s->fields; f++) read[f] = wadi_lb_lanes(b, s->type[f], rounds, "read");
    wadi_lb_if(b, bin(l, WADI_SOP_GT, extent, zero));
    wadi_lv k = wadi_lb_for(b, zero, num(l, rounds), 1, "k");
    wadi_lv i = place_of(l, s, base, lane, k, &row);
    const wadi_lv at = bin(l, WADI_SOP_ADD, wadi_lb_lane(b, s->from, row), i);
    in_row(s, wadi_lb_fact(b, bin(l, WADI_SOP_MIN, at, last), zero, last), ix);
    wadi_lower_read(l, s->array, ix, x);
    to_lane(l, s->fields, read, k, x);
    wadi_lb_end(b);
    wadi_lb_end(b);
    k = wadi_lb_for(b, zero, num(l, rounds), 1, "k");
    i = place_of(l, s, base, lane, k, &row);
    wadi_lb_if(b, bin(l, WADI_SOP_LT, i, wadi_lb_lane(b, s->count, row)));
    of_lane(l, s->fields, read, k, x);
    const wadi_lv within = bin(l, WADI_SOP_REM, lane, num(l, STRIPE));
    to_lane(l, s->fields, s->tile.array, wadi_tile_place(l, &s->tile, row, within), x);
    wadi_lb_end(b);
    wadi_lb_end(b);
    wadi_lanes_end(l, &open);
}

/* The elements of each stretch from `base` on, as many as a row of the tile holds; base NONE: those behind the full stripes. */
static void load(wadi_lower *l, const staging *s, wadi_lv base) {
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_FIELDS];
    if (may_read_any(l, s)) {
        load_at_once(l, s, base);
        return;
    }
    const teams t = each_stretch(l, s);
    if (base == WADI_LV_NONE) base = full_stripes(l, s, t.row);
    const wadi_lv i = bin(l, WADI_SOP_ADD, base, t.within);
    wadi_lb_if(b, bin(l, WADI_SOP_LT, i, wadi_lb_lane(b, s->count, t.row)));
    element(l, s, t.row, i, t.bad, x);
    to_lane(l, s->fields, s->tile.array, wadi_tile_place(l, &s->tile, t.row, t.within), x);
    wadi_lb_end(b);
    each_stretch_end(l, s, &t);
}

/* var = f(.. f(f(var, x[0]), x[1]) .., x[n - 1]), x being the lane's row of the tile; x[0] begins if `begin` says so. `bad` notes faults of f. */
static void own_row(wadi_lower *l, const staging *s, wadi_lv lane, wadi_lv n, wadi_lv begin,
                    wadi_lv bad, const wadi_lv *var) {
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_FIELDS], next[WADI_MAX_FIELDS], acc[WADI_MAX_FIELDS];
    wadi_lb_if(b, begin);
    of_lane(l, s->fields, s->tile.array, wadi_tile_place(l, &s->tile, lane, num(l, 0)), x);
    set_fields(l, s->fields, var, x);
    wadi_lb_end(b);
    const wadi_lv skipped = wadi_lb_select(b, WADI_I64, begin, num(l, 1), num(l, 0));
    const wadi_lv c = wadi_lb_for(b, wadi_lb_range(b, skipped, num(l, 0), num(l, 1)), n, 1, "c");
    of_lane(l, s->fields, s->tile.array, wadi_tile_place(l, &s->tile, lane, c), x);
    get_fields(l, s->fields, var, acc);
    if (s->faulty)
        combine_quietly(l, s->w->bind->funs[0], s->fields, acc, x, bad, next);
    else
        combine(l, s, acc, x, next);
    set_fields(l, s->fields, var, next);
    wadi_lb_end(b);
}

static void in_order(wadi_lower *l, const staging *s) {
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_FIELDS], var[WADI_MAX_FIELDS];
    wadi_lanes open;
    const wadi_lv most = wadi_tile_longest(l, s->count);
    const wadi_lv base = wadi_lb_for(b, num(l, 0), most, STRIPE, "base");
    load(l, s, base);
    const wadi_lv lane = wadi_lanes_first(l, num(l, s->at_once), &open);
    const wadi_lv bad = s->faulty ? noting(l, s) : WADI_LV_NONE;
    const wadi_lv rest = bin(l, WADI_SOP_SUB, wadi_lb_lane(b, s->count, lane), base);
    wadi_lb_if(b, bin(l, WADI_SOP_GT, rest, num(l, 0)));
    declare(l, s, "so_far", var);
    const wadi_lv later = bin(l, WADI_SOP_GT, base, num(l, 0));
    wadi_lb_if(b, later);
    of_lane(l, s->fields, s->total, lane, x);
    set_fields(l, s->fields, var, x);
    wadi_lb_end(b);
    own_row(l, s, lane, bin(l, WADI_SOP_MIN, rest, num(l, STRIPE)),
            wadi_lb_prim(b, WADI_SOP_LNOT, WADI_BOOL, 1, &later), bad, var);
    get_fields(l, s->fields, var, x);
    to_lane(l, s->fields, s->total, lane, x);
    wadi_lb_end(b);
    if (s->faulty) noted(l, s, lane, bad);
    wadi_lanes_end(l, &open);
    wadi_lb_end(b);
}

/* ---- the results ---- */

typedef struct finishing {
    const staging *s;
    wadi_lv lane, number, bad;
} finishing;

/* The total of a stretch: the stripes, and behind them what the tile holds. */
static void total_of_stretch(wadi_lower *l, const staging *s, wadi_lv lane, wadi_lv *out) {
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_FIELDS], total[WADI_MAX_FIELDS], tail[WADI_MAX_FIELDS];
    const wadi_lv count = wadi_lb_lane(b, s->count, lane), zero = num(l, 0);
    declare(l, s, "total", total);
    const wadi_lv some = bin(l, WADI_SOP_GE, count, num(l, s->stripes ? STRIPE : 1));
    wadi_lb_if(b, some);
    of_lane(l, s->fields, s->total, lane, x);
    set_fields(l, s->fields, total, x);
    wadi_lb_end(b);
    if (s->stripes) {
        const wadi_lv rest = bin(l, WADI_SOP_AND, count, num(l, STRIPE - 1));
        wadi_lb_if(b, bin(l, WADI_SOP_GT, rest, zero));
        declare(l, s, "tail", tail);
        own_row(l, s, lane, rest, wadi_lb_bool(b, true), WADI_LV_NONE, tail);
        get_fields(l, s->fields, tail, x);
        wadi_lb_if(b, some);
        accumulate(l, s, total, x);
        wadi_lb_else(b);
        set_fields(l, s->fields, total, x);
        wadi_lb_end(b);
        wadi_lb_end(b);
    }
    get_fields(l, s->fields, total, out);
}

static wadi_segment_parts parts_of(wadi_lower *l, const finishing *e) {
    const staging *s = e->s;
    const wadi_lv from = wadi_lb_lane(&l->b, s->from, e->lane);
    return (wadi_segment_parts){s->w->parts, s->w->ix, from, s->fields, NULL, e->bad};
}

/* With the later blocks, unless they are many. The total of the first one stays for those. */
static void total_of_segment(wadi_lower *l, const wadi_row *r, void *env, wadi_lv *out) {
    const finishing *e = env;
    const staging *s = e->s;
    wadi_lb *b = &l->b;
    wadi_lv total[WADI_MAX_FIELDS], x[WADI_MAX_FIELDS], all[WADI_MAX_FIELDS];
    total_of_stretch(l, s, e->lane, x);
    if (s->w->parts < 0) {
        memcpy(out, x, (size_t)s->fields * sizeof *out);
        return;
    }
    to_lane(l, s->fields, s->total, e->lane, x);
    declare(l, s, "result", total);
    set_fields(l, s->fields, total, x);
    const wadi_segment_parts parts = parts_of(l, e);
    wadi_row few_blocks = *r;
    if (s->limit < INT64_MAX) few_blocks.blocks = s->limit / BLOCK;
    const wadi_lv later = bin(l, WADI_SOP_GT, r->n, num(l, BLOCK));
    const wadi_lv few = bin(l, WADI_SOP_LE, r->n, num(l, s->limit));
    wadi_lb_if_seldom(b, bin(l, WADI_SOP_LAND, later, few));
    wadi_row_combine_blocks(l, &few_blocks, x, wadi_segment_later_part, &parts, all);
    set_fields(l, s->fields, total, all);
    wadi_lb_end(b);
    get_fields(l, s->fields, total, out);
}

static wadi_row row_of(const staging *s, wadi_lv n, wadi_lv bad) {
    return (wadi_row){.quiet = s->faulty,
                      .bad = bad,
                      .f = s->w->bind->funs[0],
                      .fields = s->fields,
                      .each = s->fields,
                      .type = s->type,
                      .n = n,
                      .has_z = s->w->bind->nargs == 3,
                      .of_nothing = WADI_SAID_NO_SEGMENT};
}

static void results(wadi_lower *l, const staging *s) {
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_FIELDS];
    wadi_lanes open;
    const wadi_lv lane = wadi_lanes_first(l, num(l, s->at_once), &open);
    finishing e = {s, lane, bin(l, WADI_SOP_ADD, s->w->first, lane), noting(l, s)};
    wadi_lv is_one = bin(l, WADI_SOP_LT, e.number, s->w->below);
    if (s->quiet)
        is_one = bin(l, WADI_SOP_LAND, is_one,
                     bin(l, WADI_SOP_EQ, wadi_lb_lane(b, s->bad, lane), num(l, 0)));
    wadi_lb_if(b, is_one);
    const wadi_row r = row_of(s, wadi_lb_lane(b, s->whole, lane), e.bad);
    wadi_lower_fold_row(l, s->w->bind, &r, total_of_segment, &e, x);
    store(l, s, e.number, x);
    wadi_lb_end(b);
    noted(l, s, lane, e.bad);
    wadi_lanes_end(l, &open);
}

/* Whether anything was noted, as all lanes see it. */
static wadi_lv is_bad(wadi_lower *l, const staging *s) {
    return bin(l, WADI_SOP_GT, wadi_tile_longest(l, s->bad), num(l, 0));
}

/* If one of the entries is bad, all of them count as bad. */
static void entries(wadi_lower *l, const staging *s) {
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_FIELDS], bad = WADI_LV_NONE;
    wadi_lanes open;
    if (s->quiet) bad = is_bad(l, s);
    const wadi_lv lane = wadi_lanes_first(l, num(l, s->at_once), &open);
    const wadi_lv g = bin(l, WADI_SOP_ADD, s->w->first, lane);
    wadi_lb_if(b, bin(l, WADI_SOP_GT, wadi_lb_lane(b, s->count, lane), num(l, 0)));
    total_of_stretch(l, s, lane, x);
    store(l, s, g, x);
    if (s->quiet) store_field(l, s, g, s->fields, bad);
    wadi_lb_end(b);
    wadi_lanes_end(l, &open);
}

/* Segments from, .., below - 1 in order: a lane each, which tells the first fault. */
static void in_turn(wadi_lower *l, const wadi_fold_stretches *w, wadi_lv from, wadi_lv below) {
    wadi_lower_fill_row(l, w->bind, w->extent, w->pointer, w->ix, from, below);
}

static void go_through(wadi_lower *l, const staging *s) {
    note_all(l, s);
    if (s->stripes) {
        accumulators(l, s);
        join(l, s);
        load(l, s, WADI_LV_NONE);
    } else {
        in_order(l, s);
    }
}

/* ---- a segment of many blocks, by all lanes ---- */

static void any_part(wadi_lower *l, const void *env, wadi_lv blk, wadi_lv *out) {
    const finishing *e = env;
    const staging *s = e->s;
    wadi_lv x[WADI_MAX_FIELDS], part[WADI_MAX_FIELDS];
    const wadi_segment_parts parts = parts_of(l, e);
    declare(l, s, "part", part);
    of_lane(l, s->fields, s->total, e->lane, x);
    set_fields(l, s->fields, part, x);
    wadi_lb_if(&l->b, bin(l, WADI_SOP_GT, blk, num(l, 0)));
    wadi_segment_later_part(l, &parts, blk, x);
    set_fields(l, s->fields, part, x);
    wadi_lb_end(&l->b);
    get_fields(l, s->fields, part, out);
}

static void total_of_many(wadi_lower *l, const wadi_row *r, void *env, wadi_lv *out) {
    wadi_row_combine_shared(l, r, any_part, env, out);
}

/* Whether one of the later blocks of a segment of n elements is bad. */
static wadi_lv has_bad_parts(wadi_lower *l, const finishing *e, wadi_lv n) {
    const staging *s = e->s;
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_FIELDS];
    wadi_lanes open;
    const wadi_lv blocks =
        bin(l, WADI_SOP_QUOT, bin(l, WADI_SOP_ADD, n, num(l, BLOCK - 1)), num(l, BLOCK));
    const wadi_lv lane = wadi_lanes_all(l, &open), one = num(l, 1);
    finishing mine = {s, e->lane, e->number, noting(l, s)};
    const wadi_segment_parts parts = parts_of(l, &mine);
    const wadi_lv k = wadi_lb_for(b, lane, bin(l, WADI_SOP_SUB, blocks, one), LANES, "k");
    wadi_segment_later_part(l, &parts, bin(l, WADI_SOP_ADD, k, one), x);
    wadi_lb_end(b);
    noted(l, s, lane, mine.bad);
    wadi_lanes_end(l, &open);
    return is_bad(l, s);
}

/* The last of segments `from`, .. is the only one that may be so long. */
static void last_segment(wadi_lower *l, const staging *s, wadi_lv from) {
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_FIELDS];
    wadi_lanes alone;
    wadi_lb_if(b, bin(l, WADI_SOP_LT, from, s->w->below));
    const wadi_lv j = bin(l, WADI_SOP_SUB, s->w->below, num(l, 1));
    const wadi_lv last = bin(l, WADI_SOP_REM, bin(l, WADI_SOP_SUB, j, from), num(l, s->at_once));
    finishing e = {s, last, j, WADI_LV_NONE};
    const wadi_lv n = wadi_lb_lane(b, s->whole, last);
    wadi_lb_if_seldom(b, bin(l, WADI_SOP_GT, n, num(l, s->limit)));
    if (s->quiet) {
        wadi_lb_if_seldom(b, has_bad_parts(l, &e, n));
        in_turn(l, s->w, j, s->w->below);
        wadi_lb_else(b);
    }
    const wadi_row r = row_of(s, n, WADI_LV_NONE);
    wadi_lower_fold_row(l, s->w->bind, &r, total_of_many, &e, x);
    wadi_lanes_alone(l, &alone);
    store(l, s, j, x);
    wadi_lanes_end(l, &alone);
    if (s->quiet) wadi_lb_end(b);
    wadi_lb_end(b);
    wadi_lb_end(b);
}

/* ---- all of them ---- */

void wadi_lower_fold_segments(wadi_lower *l, const wadi_fold_stretches *w, int64_t limit) {
    if (l->status || l->b.failed) return;
    wadi_fold_stretches batch = *w;
    staging s = staging_of(l, &batch);
    s.whole = wadi_lb_lanes(&l->b, WADI_I64, LANES, "whole");
    s.limit = s.faulty ? INT64_MAX : limit;
    batch.first = wadi_lb_for(&l->b, w->first, w->below, s.at_once, "first");
    go_through(l, &s);
    results(l, &s);
    if (w->quiet) {
        wadi_lb_if_seldom(&l->b, is_bad(l, &s));
        const wadi_lv next = bin(l, WADI_SOP_ADD, batch.first, num(l, s.at_once));
        in_turn(l, w, batch.first, bin(l, WADI_SOP_MIN, next, w->below));
        wadi_lb_end(&l->b);
    }
    wadi_lb_end(&l->b);
    if (w->parts >= 0 && !s.faulty) last_segment(l, &s, w->first);
}

void wadi_lower_fold_entries(wadi_lower *l, const wadi_fold_stretches *w) {
    if (l->status || l->b.failed) return;
    staging s = staging_of(l, w);
    s.of_table = true;
    s.at_once = wadi_lower_fold_entries_at_once(l, w->bind);
    go_through(l, &s);
    entries(l, &s);
}
