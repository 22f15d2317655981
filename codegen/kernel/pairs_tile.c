/* Tiles of a fold over all pairs: some rows times a vector of columns of results are folded side by side, with an accumulator each. So an operand
 * that is loaded serves a whole row or column of the tile. No sum changes: each result takes its elements in the order of the law
 * (operators/reduce_tree.h), and tiles are only an order of results that do not depend on each other.
 *
 * The law has 16 lanes that each take every sixteenth element. A tile takes the elements of one lane after those of another, joins the lanes of
 * its results in halves, and combines them with what the elements behind the last stripe give. So accumulators stay in registers while the
 * elements of a lane are taken.
 *
 * Operands are packed first, in the order in which tiles read them: those of rows once, those of columns for each vector of columns. Places go
 * lane by lane there. Packing makes all reads neighbours, whatever the arrays look like, and computes what an operand is made of once. The last
 * tile of rows, or of columns, overlaps the one before it, so there is no tile with other numbers. */
#include <string.h>

#include "codegen/kernel/arith.h"
#include "codegen/kernel/fields.h"
#include "codegen/kernel/pairs.h"
#include "codegen/kernel/split.h"
#include "codegen/loop/copy.h"

enum { LANES = WADI_FOLD_LANES, ROWS = 6, ROW = WADI_PAIRS_ROW, COLUMN = WADI_PAIRS_COLUMN };

typedef struct tiling {
    const wadi_pairs *p;
    const wadi_pairs_part *part;
    const wadi_elem *elem;
    int rows, columns;
    wadi_lv n, groups, full;                /* places; full stripes; places in them */
    wadi_lv packed[2][WADI_PAIRS_OPERANDS]; /* pointers */
    wadi_lv joined[WADI_MAX_FIELDS];        /* lane arrays: [lane of the law][row][column] */
    wadi_lv acc[ROWS][WADI_MAX_FIELDS];     /* lane arrays: [column] */
    wadi_lv z[WADI_MAX_FIELDS];
} tiling;

static wadi_lv add(wadi_lower *l, wadi_lv x, wadi_lv y) {
    return bin(l, WADI_SOP_ADD, x, y);
}

static wadi_lv mul(wadi_lower *l, wadi_lv x, wadi_lv y) {
    return bin(l, WADI_SOP_MUL, x, y);
}

static wadi_lv for_each(wadi_lower *l, wadi_lv n, const char *name) {
    return wadi_lb_for(&l->b, num(l, 0), n, 1, name);
}

/* How many tiles cover `n` rows or columns. */
static wadi_lv tiles_of(wadi_lower *l, const tiling *t, int side) {
    const int64_t size = side == ROW ? t->rows : t->columns;
    const wadi_lv n = bin(l, WADI_SOP_SUB, t->part->below[side], t->part->from[side]);
    return bin(l, WADI_SOP_QUOT, add(l, n, num(l, size - 1)), num(l, size));
}

/* The first row or column of a tile. The last tile ends where the part ends. */
static wadi_lv first_of(wadi_lower *l, const tiling *t, int side, wadi_lv tile) {
    const int64_t size = side == ROW ? t->rows : t->columns;
    const wadi_lv at = add(l, t->part->from[side], mul(l, tile, num(l, size)));
    return bin(l, WADI_SOP_MIN, at, bin(l, WADI_SOP_SUB, t->part->below[side], num(l, size)));
}

/* ---- packing ---- */

/* Where place k is packed: lane by lane, and behind them what is left. */
static wadi_lv packed_place(wadi_lower *l, const tiling *t, wadi_lv k) {
    const wadi_lv lane = bin(l, WADI_SOP_REM, k, num(l, LANES));
    const wadi_lv stripe = bin(l, WADI_SOP_QUOT, k, num(l, LANES));
    const wadi_lv in_lane = add(l, mul(l, lane, t->groups), stripe);
    return wadi_lb_select(&l->b, WADI_I64, bin(l, WADI_SOP_LT, k, t->full), in_lane, k);
}

/* Packs the operands of the rows, or columns, from `first` on, as tile number `tile` of those that are packed. */
static void pack(wadi_lower *l, const tiling *t, int side, wadi_lv first, wadi_lv tile) {
    const wadi_pairs *p = t->p;
    const wadi_lv width = num(l, side == ROW ? t->rows : t->columns);
    const wadi_lv k = for_each(l, t->n, "k");
    const wadi_lv place = add(l, mul(l, tile, t->n), packed_place(l, t, k));
    const wadi_lv i = for_each(l, width, side == ROW ? "row" : "column");
    wadi_lcopy c = wadi_lcopy_begin(&l->b, p->of);
    wadi_lcopy_put(&c, p->axis[side], add(l, first, i));
    wadi_lcopy_put(&c, p->axis[WADI_PAIRS_PLACE], k);
    for (int q = 0; q < p->n[side]; q++)
        wadi_lb_store(&l->b, t->packed[side][q], add(l, mul(l, place, width), i),
                      wadi_lcopy_of(&c, p->operand[side][q]));
    wadi_lower_mark_innermost(l);
    wadi_lb_end(&l->b);
    wadi_lb_end(&l->b);
}

static void room_for(wadi_lower *l, tiling *t, int side, wadi_lv tiles) {
    const wadi_lv extent[] = {tiles, t->n, num(l, side == ROW ? t->rows : t->columns)};
    for (int q = 0; q < t->p->n[side]; q++)
        t->packed[side][q] = wadi_lb_scratch(&l->b, wadi_lb_type(&l->b, t->p->operand[side][q]), 3,
                                             extent, side == ROW ? "rows" : "columns");
}

/* ---- elements ---- */

static void declare(wadi_lower *l, tiling *t) {
    for (int r = 0; r < t->rows; r++)
        for (int f = 0; f < t->p->fields; f++)
            t->acc[r][f] = wadi_lb_lanes(&l->b, t->elem->type[f], t->columns, "acc");
}

/* The element of one row of the tile, from its operands. */
static void element(wadi_lower *l, const tiling *t, const wadi_lv *const *operand, wadi_lv *out) {
    wadi_lcopy c = wadi_lcopy_begin(&l->b, t->p->of);
    for (int side = 0; side < 2; side++)
        for (int q = 0; q < t->p->n[side]; q++)
            wadi_lcopy_put(&c, t->p->operand[side][q], operand[side][q]);
    for (int f = 0; f < t->p->fields; f++) out[f] = wadi_lcopy_of(&c, t->p->x[f]);
}

static void combine(wadi_lower *l, const tiling *t, const wadi_lv *acc, const wadi_lv *x,
                    wadi_lv *out) {
    combine_fields(l, t->p->bind->funs[0], t->p->fields, acc, x, out);
}

/* Takes what is packed at `place` into the accumulators of all results. */
static void take(wadi_lower *l, const tiling *t, wadi_lv tile, wadi_lv place, bool first) {
    wadi_lb *b = &l->b;
    wadi_lv u[ROWS][WADI_PAIRS_OPERANDS], v[WADI_PAIRS_OPERANDS];
    wadi_lv acc[WADI_MAX_FIELDS], x[WADI_MAX_FIELDS], next[WADI_MAX_FIELDS];
    const wadi_lv at = mul(l, add(l, mul(l, tile, t->n), place), num(l, t->rows));
    for (int r = 0; r < t->rows; r++)
        for (int q = 0; q < t->p->n[ROW]; q++)
            u[r][q] = wadi_lb_load(b, t->packed[ROW][q], add(l, at, num(l, r)), NULL);
    const wadi_lv column = for_each(l, num(l, t->columns), "column");
    for (int q = 0; q < t->p->n[COLUMN]; q++)
        v[q] = wadi_lb_load(b, t->packed[COLUMN][q],
                            add(l, mul(l, place, num(l, t->columns)), column), NULL);
    for (int r = 0; r < t->rows; r++) {
        element(l, t, (const wadi_lv *const[]){u[r], v}, x);
        if (!first) of_lane(l, t->p->fields, t->acc[r], column, acc);
        if (!first) combine(l, t, acc, x, next);
        to_lane(l, t->p->fields, t->acc[r], column, first ? x : next);
    }
    wadi_lb_end(b);
}

/* Takes `count` places from `from` on: 1 to `most`. That the loop is a short one shows in its bound. */
static void take_all(wadi_lower *l, const tiling *t, wadi_lv tile, wadi_lv from, wadi_lv count,
                     int64_t most) {
    take(l, t, tile, from, true);
    const wadi_lv g =
        wadi_lb_for(&l->b, num(l, 1), bin(l, WADI_SOP_MIN, count, num(l, most)), 1, "g");
    take(l, t, tile, add(l, from, g), false);
    wadi_lb_end(&l->b);
}

/* ---- lanes of the law ---- */

/* joined[lane] = the accumulators, or those combined with them. */
static void put_accumulators(wadi_lower *l, const tiling *t, wadi_lv lane, bool combined) {
    wadi_lv x[WADI_MAX_FIELDS], acc[WADI_MAX_FIELDS];
    const wadi_lv first = mul(l, lane, num(l, (int64_t)t->rows * t->columns));
    const wadi_lv column = for_each(l, num(l, t->columns), "column");
    for (int r = 0; r < t->rows; r++) {
        const wadi_lv at = add(l, add(l, first, num(l, (int64_t)r * t->columns)), column);
        of_lane(l, t->p->fields, t->acc[r], column, x);
        if (combined) of_lane(l, t->p->fields, t->joined, at, acc);
        if (combined) combine(l, t, acc, x, x);
        to_lane(l, t->p->fields, t->joined, at, x);
    }
    wadi_lb_end(&l->b);
}

static void join_halves(wadi_lower *l, const tiling *t) {
    wadi_lv x[WADI_MAX_FIELDS], acc[WADI_MAX_FIELDS];
    const int64_t results = (int64_t)t->rows * t->columns;
    for (int64_t half = LANES / 2; half > 0; half /= 2) {
        const wadi_lv at = for_each(l, num(l, half * results), "at");
        of_lane(l, t->p->fields, t->joined, at, acc);
        of_lane(l, t->p->fields, t->joined, add(l, at, num(l, half * results)), x);
        combine(l, t, acc, x, x);
        to_lane(l, t->p->fields, t->joined, at, x);
        wadi_lb_end(&l->b);
    }
}

static void full_stripes(wadi_lower *l, tiling *t, wadi_lv tile) {
    const wadi_lv lane = for_each(l, num(l, LANES), "lane");
    declare(l, t);
    take_all(l, t, tile, mul(l, lane, t->groups), t->groups, WADI_FOLD_BLOCK / LANES);
    put_accumulators(l, t, lane, false);
    wadi_lb_end(&l->b);
    join_halves(l, t);
}

/* Whether a condition is known, and then what it is. */
static bool is_known(wadi_lower *l, wadi_lv condition, bool *out) {
    int64_t known = 0;
    const bool is = wadi_lb_is_const(&l->b, condition, &known);
    *out = known != 0;
    return is;
}

/* The places behind the full stripes. */
static void rest(wadi_lower *l, tiling *t, wadi_lv tile, wadi_lv any_full) {
    bool full = false;
    const bool known = is_known(l, any_full, &full);
    declare(l, t);
    take_all(l, t, tile, t->full, bin(l, WADI_SOP_SUB, t->n, t->full), LANES);
    if (known) {
        put_accumulators(l, t, num(l, 0), full);
        return;
    }
    wadi_lb_if(&l->b, any_full);
    put_accumulators(l, t, num(l, 0), true);
    wadi_lb_else(&l->b);
    put_accumulators(l, t, num(l, 0), false);
    wadi_lb_end(&l->b);
}

/* ---- one tile ---- */

static void store_tile(wadi_lower *l, const tiling *t, wadi_lv first_row, wadi_lv first_column) {
    const wadi_pairs_part *part = t->part;
    const int rank = wadi_type_of(l, part->bind->results[0])->rank;
    wadi_lv ix[WADI_MAX_RANK], x[WADI_MAX_FIELDS];
    const wadi_lv row = for_each(l, num(l, t->rows), "row");
    const wadi_lv column = for_each(l, num(l, t->columns), "column");
    of_lane(l, t->p->fields, t->joined, add(l, mul(l, row, num(l, t->columns)), column), x);
    if (part->bind->nargs == 2) combine(l, t, t->z, x, x);
    if (rank > 2) memcpy(ix, part->ix, (size_t)(rank - 2) * sizeof *ix);
    ix[rank - 2] = add(l, first_row, row);
    ix[rank - 1] = add(l, first_column, column);
    const wadi_lv at = wadi_lower_linear(l, rank, part->extent, ix);
    for (int f = 0; f < t->p->fields; f++) wadi_lb_store(&l->b, part->pointer[f], at, x[f]);
    wadi_lower_mark_innermost(l);
    wadi_lb_end(&l->b);
    wadi_lb_end(&l->b);
}

/* Opens a branch unless it is known whether it is taken. Returns whether code belongs there at all. */
static bool open_branch(wadi_lower *l, wadi_lv condition, bool *out_opened) {
    bool taken = false;
    *out_opened = !is_known(l, condition, &taken);
    if (*out_opened) wadi_lb_if(&l->b, condition);
    return *out_opened || taken;
}

static void tile_at(wadi_lower *l, tiling *t, wadi_lv tile, wadi_lv first_column) {
    bool opened = false;
    const wadi_lv any_full = bin(l, WADI_SOP_GT, t->groups, num(l, 0));
    const wadi_lv any_rest = bin(l, WADI_SOP_LT, t->full, t->n);
    for (int f = 0; f < t->p->fields; f++)
        t->joined[f] =
            wadi_lb_lanes(&l->b, t->elem->type[f], LANES * t->rows * t->columns, "joined");
    if (open_branch(l, any_full, &opened)) full_stripes(l, t, tile);
    if (opened) wadi_lb_end(&l->b);
    if (open_branch(l, any_rest, &opened)) rest(l, t, tile, any_full);
    if (opened) wadi_lb_end(&l->b);
    store_tile(l, t, first_of(l, t, ROW, tile), first_column);
}

void wadi_pairs_tiles(wadi_lower *l, const wadi_pairs *p, const wadi_pairs_part *part) {
    wadi_lb *b = &l->b;
    const wadi_array_type *type = wadi_type_of(l, p->bind->results[0]);
    tiling t = {.p = p, .part = part, .elem = &type->elem};
    t.rows = wadi_pairs_rows(t.elem);
    t.columns = wadi_pairs_columns(t.elem);
    t.n = wadi_lower_extent(l, p->bind->args[p->bind->nargs - 1], type->rank);
    t.groups = bin(l, WADI_SOP_QUOT, t.n, num(l, LANES));
    t.full = mul(l, t.groups, num(l, LANES));
    if (p->bind->nargs == 2) wadi_lower_read(l, p->bind->args[0], NULL, t.z);
    const wadi_lv mark = wadi_lb_act(b, WADI_L_MARK, 0, NULL)->self;
    const wadi_lv tiles = tiles_of(l, &t, ROW);
    room_for(l, &t, ROW, tiles);
    room_for(l, &t, COLUMN, num(l, 1));
    const wadi_lv rows = for_each(l, tiles, "rows");
    pack(l, &t, ROW, first_of(l, &t, ROW, rows), rows);
    wadi_lb_end(b);
    const wadi_lv columns = for_each(l, tiles_of(l, &t, COLUMN), "columns");
    const wadi_lv first_column = first_of(l, &t, COLUMN, columns);
    pack(l, &t, COLUMN, first_column, num(l, 0));
    const wadi_lv tile = for_each(l, tiles, "tile");
    tile_at(l, &t, tile, first_column);
    wadi_lb_end(b);
    wadi_lb_end(b);
    (void)wadi_lb_act(b, WADI_L_REWIND, 1, &mark);
}
