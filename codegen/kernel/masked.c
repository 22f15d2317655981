/* A fold of what a filter keeps goes through the elements that are filtered.
 *
 * The law counts places among the elements that are kept (operators/reduce_tree.h), and rounding depends on it. So kept elements are put
 * into a tile, a block of which is reduced like any other block, with the same bits; the tile stays in the nearest cache. For the code of
 * the block, the tile is the filtered vector from the first element of the block on: what is computed from kept elements, and the index that
 * this may ask for, need no code of their own.
 *
 * The tile is filled by stretches. One loop computes elements, and whether they are kept; it becomes SIMD code. A second one places them, without a branch
 * that depends on data: an element that is not kept is written too, and the next one overwrites it. A few elements of the next block may be
 * in the tile behind the last of the block. They move to the front. Elements of the block before are counted only, or have places in front of
 * the tile. */
#include "codegen/kernel/masked.h"

#include "base/error.h"
#include "codegen/kept.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/check.h"
#include "codegen/kernel/compact.h"
#include "codegen/kernel/read.h"
#include "operators/reduce_tree.h"

enum { BLOCK = WADI_FOLD_BLOCK, STRETCH = 256 };

/* ---- which folds are ---- */

static const wadi_bind *delayed_by(const wadi_layout *y, const bool *known, wadi_val v) {
    const wadi_value *value = &y->m->values[v];
    if (value->def != WADI_DEF_BIND || wadi_is_stored(y, v) || (known && known[v])) return NULL;
    return value->bind;
}

const wadi_bind *wadi_lower_masked_by(const wadi_layout *y, const bool *known, wadi_val array) {
    array = wadi_layout_resolved(y, array);
    const wadi_bind *b = delayed_by(y, known, array), *filter = NULL;
    if (!b) return NULL;
    if (wadi_op_has(b->op, WADI_TRAIT_KEEPS)) return wadi_counts_kept(y->m, b) ? b : NULL;
    if (!b->op->one_to_one || y->m->values[array].type.array[0].rank != 1) return NULL;
    for (int i = 0; i < b->nargs && !filter; i++)
        if (wadi_op_reads(b->op, i) == 'e') filter = wadi_lower_masked_by(y, known, b->args[i]);
    return filter;
}

/* ---- the tile ---- */

typedef struct masked {
    const wadi_bind *filter;
    const wadi_row *row; /* reads the array of the fold */
    wadi_lv all;         /* elements that are filtered */
    wadi_lv tile
        [WADI_MAX_FIELDS]; /* STRETCH places, then kept elements, from the first of the block on */
    wadi_lv keep,
        value[WADI_MAX_FIELDS]; /* lanes: of a stretch, 1 if the element is kept; its fields */
    wadi_lv at, filled;         /* variables: the next element; kept elements in the tile */
    bool ahead;                 /* `filled` may be negative: elements of blocks before come first */
} masked;

static const wadi_array_type *kept_type(const wadi_lower *l, const wadi_bind *filter) {
    return wadi_type_of(l, filter->results[0]);
}

static void open_tile(wadi_lower *l, const wadi_row *r, const wadi_bind *filter, masked *out) {
    const wadi_elem *e = &kept_type(l, filter)->elem;
    const wadi_lv room = num(l, STRETCH + BLOCK + STRETCH);
    *out = (masked){.filter = filter, .row = r, .all = wadi_lower_extent(l, filter->args[1], 0)};
    wadi_lower_at_work(l, filter->results[0]);
    for (int f = 0; f < e->fields; f++)
        out->tile[f] = wadi_lb_scratch(&l->b, e->type[f], 1, &room, "tile");
    out->keep = wadi_lb_lanes(&l->b, WADI_U8, STRETCH, "keep");
    for (int f = 0; f < e->fields; f++)
        out->value[f] = wadi_lb_lanes(&l->b, e->type[f], STRETCH, "value");
}

typedef struct stretch {
    const masked *k;
    wadi_lv from, below;
} stretch;

static void build_stretch(wadi_lower *l, void *env) {
    const stretch *s = env;
    const masked *k = s->k;
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_PARAMS], i;
    const wadi_lv keep = wadi_lower_keeps(l, k->filter, NULL, s->from, s->below, &i, x);
    const wadi_lv at = bin(l, WADI_SOP_SUB, i, s->from);
    wadi_lb_put(b, k->keep, at, wadi_lb_prim(b, WADI_SOP_CONVERT, WADI_U8, 1, &keep));
    for (int f = 0; f < kept_type(l, k->filter)->elem.fields; f++)
        wadi_lb_put(b, k->value[f], at, x[f]);
    wadi_lb_end(b);
}

/* filled += 1 if element t of the stretch is kept */
static void count_one(wadi_lower *l, const masked *k, wadi_lv t, wadi_lv filled) {
    const wadi_lv one = wadi_lb_lane(&l->b, k->keep, t);
    const wadi_lv more = wadi_lb_prim(&l->b, WADI_SOP_CONVERT, WADI_I64, 1, &one);
    wadi_lb_set(&l->b, k->filled, bin(l, WADI_SOP_ADD, filled, more));
}

static void place_stretch(wadi_lower *l, const stretch *s) {
    const masked *k = s->k;
    wadi_lb *b = &l->b;
    const wadi_lv n = bin(l, WADI_SOP_SUB, s->below, s->from);
    if (k->ahead) {
        wadi_lb_if(b, bin(l, WADI_SOP_LT, wadi_lb_get(b, k->filled), num(l, -STRETCH)));
        const wadi_lv skipped = wadi_lb_for(b, num(l, 0), n, 1, "t");
        count_one(l, k, skipped, wadi_lb_get(b, k->filled));
        wadi_lb_end(b);
        wadi_lb_else(b);
    }
    const wadi_lv t = wadi_lb_for(b, num(l, 0), n, 1, "t");
    if (!b->failed) b->scope->owner->placing = true;
    const wadi_lv filled = wadi_lb_get(b, k->filled);
    const wadi_lv to = bin(l, WADI_SOP_ADD, filled, num(l, STRETCH));
    for (int f = 0; f < kept_type(l, k->filter)->elem.fields; f++)
        wadi_lb_store(b, k->tile[f], to, wadi_lb_lane(b, k->value[f], t));
    count_one(l, k, t, filled);
    wadi_lb_end(b);
    if (k->ahead) wadi_lb_end(b);
}

/* Takes stretches until `want` kept elements are in the tile, or all are taken. */
static void fill(wadi_lower *l, const masked *k, wadi_lv want) {
    wadi_lb *b = &l->b;
    stretch s = {.k = k};
    wadi_lb_repeat(b);
    s.from = wadi_lb_get(b, k->at);
    const wadi_lv open = bin(l, WADI_SOP_LT, wadi_lb_get(b, k->filled), want);
    wadi_lb_leave_unless(b, bin(l, WADI_SOP_LAND, open, bin(l, WADI_SOP_LT, s.from, k->all)));
    s.below = bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_ADD, s.from, num(l, STRETCH)), k->all);
    wadi_lower_versions(l, build_stretch, &s);
    place_stretch(l, &s);
    wadi_lb_set(b, k->at, s.below);
    wadi_lb_end(b);
}

/* Moves what is in the tile behind the first BLOCK elements to its front. */
static void move_rest(wadi_lower *l, const masked *k) {
    wadi_lb *b = &l->b;
    const wadi_lv rest = bin(
        l, WADI_SOP_MAX, bin(l, WADI_SOP_SUB, wadi_lb_get(b, k->filled), num(l, BLOCK)), num(l, 0));
    const wadi_lv t = wadi_lb_for(b, num(l, 0), rest, 1, "t");
    const wadi_lv to = bin(l, WADI_SOP_ADD, t, num(l, STRETCH));
    const wadi_lv from = bin(l, WADI_SOP_ADD, t, num(l, STRETCH + BLOCK));
    for (int f = 0; f < kept_type(l, k->filter)->elem.fields; f++)
        wadi_lb_store(b, k->tile[f], to, wadi_lb_fresh(b, k->tile[f], from));
    wadi_lb_end(b);
    wadi_lb_set(b, k->filled, rest);
}

/* ---- a block ---- */

/* For the code that follows, the filtered vector is the tile, from element `first` on. The pointers are new ones, so that the builder takes
 * no element for one that was there before. */
static void show(wadi_lower *l, const masked *k, wadi_lv first) {
    wadi_vloc *at = &l->loc[k->filter->results[0]];
    const wadi_elem *e = &kept_type(l, k->filter)->elem;
    const wadi_lv front = bin(l, WADI_SOP_SUB, first, num(l, STRETCH));
    *at = (wadi_vloc){.kind = WADI_LOC_MEMORY, .windowed = true, .first = front};
    for (int f = 0; f < e->fields; f++)
        at->field[f] = wadi_lb_get(&l->b, wadi_lb_var(&l->b, e->type[f], true, k->tile[f], "kept"));
}

static void hide(wadi_lower *l, const masked *k) {
    l->loc[k->filter->results[0]] = (wadi_vloc){.kind = WADI_LOC_NONE};
}

static void take_block(wadi_lower *l, const masked *k, wadi_lv blk, wadi_lv *out) {
    const wadi_lv first = bin(l, WADI_SOP_MUL, blk, num(l, BLOCK));
    fill(l, k, bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_SUB, k->row->n, first), num(l, BLOCK)));
    show(l, k, first);
    wadi_lower_reduce_block(l, k->row, first, out);
    hide(l, k);
}

static void next_block(wadi_lower *l, const void *env, wadi_lv blk, wadi_lv *out) {
    const masked *k = env;
    take_block(l, k, blk, out);
    move_rest(l, k);
}

static wadi_lv mark(wadi_lower *l) {
    return wadi_lb_act(&l->b, WADI_L_MARK, 0, NULL)->self;
}

static void rewind_to(wadi_lower *l, wadi_lv mark) {
    (void)wadi_lb_act(&l->b, WADI_L_REWIND, 1, &mark);
}

void wadi_lower_masked_total(wadi_lower *l, const wadi_row *r, const wadi_bind *filter,
                             wadi_lv *out) {
    masked k;
    const wadi_lv before = mark(l);
    open_tile(l, r, filter, &k);
    k.at = wadi_lb_var(&l->b, WADI_I64, false, num(l, 0), "at");
    k.filled = wadi_lb_var(&l->b, WADI_I64, false, num(l, 0), "filled");
    if (l->status || l->b.failed) return;
    wadi_row_combine_each(l, r, next_block, &k, out);
    rewind_to(l, before);
}

void wadi_lower_masked_block(wadi_lower *l, const wadi_row *r, const wadi_bind *filter, wadi_lv at,
                             wadi_lv before, wadi_lv blk, wadi_lv *out) {
    masked k;
    const wadi_lv room = mark(l);
    open_tile(l, r, filter, &k);
    k.ahead = true;
    k.at = wadi_lb_var(&l->b, WADI_I64, false, at, "at");
    k.filled = wadi_lb_var(&l->b, WADI_I64, false,
                           bin(l, WADI_SOP_SUB, before, bin(l, WADI_SOP_MUL, blk, num(l, BLOCK))),
                           "filled");
    if (l->status || l->b.failed) return;
    take_block(l, &k, blk, out);
    rewind_to(l, room);
}
