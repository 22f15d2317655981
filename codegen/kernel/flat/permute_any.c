/* Schedule group of permutes whose elements may be combined in any order, or never meet: every group takes a part of the source, whatever
 * its shape, and its lanes combine neighbouring elements by atomic stores.
 *
 * If the source is much longer than the result, lanes would often want the same place. Then there are several tables as large as the
 * result, and parts of the source take turns with them, as in the flat form (permute_tables.c here). Their number follows from sizes: to measure
 * how often places meet, the source would have to be read once more, and the host would have to wait for the answer. A few tables cost an
 * eighth of the source at most, and spread even a source whose elements all go to one place. */
#include "base/error.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/flat/permutes.h"
#include "codegen/kernel/lanes.h"
#include "codegen/kernel/permute.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/row.h"
#include "operators/reduce_tree.h"

enum { PIECE = WADI_FLAT_UNIT };

enum {
    FEWEST = 4, /* tables, so that workers end at about the same time */
    MANY = 16,
    /* The most: lanes that want the same place wait for each other. */
    MOST_TABLES = 256,
    ENTRIES =
        1 << 16,  /* of all tables, if there are more than MANY: they stay in a device's cache */
    WORTH = 4096, /* the fewest elements of the source per table */
    TIMES = 8     /* the fewest of them per element of a table, which costs a write and a read */
};

static int fields_of(const wadi_lower *l, const wadi_bind *bind) {
    return wadi_type_of(l, bind->results[0])->elem.fields;
}

static wadi_lv size_of(wadi_lower *l, wadi_val v) {
    wadi_lv extent[WADI_MAX_RANK];
    wadi_lower_extents(l, v, extent);
    return wadi_lower_size(l, wadi_type_of(l, v)->rank, extent);
}

static wadi_lv end_of(wadi_lower *l, wadi_lv from, wadi_lv n) {
    return bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_ADD, from, num(l, PIECE)), n);
}

/* ---- the tables: [table, element of the result] ---- */

/* 0 or FEWEST to MOST_TABLES. On an H100, 10^8 numbers go to 256 bins in 1.7 ms by 256 tables and in 2.6 ms by 16; to 65,536 bins in 1.7 ms by 16,
 * and in 5.5 ms by 190, which are larger than its cache. */
wadi_lv wadi_flat_permute_tables(wadi_lower *l, wadi_lv n, wadi_lv size) {
    const wadi_lv each =
        bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_MUL, size, num(l, TIMES)), num(l, WORTH));
    const wadi_lv fit = bin(l, WADI_SOP_QUOT, n, each);
    const wadi_lv at_once =
        bin(l, WADI_SOP_QUOT, num(l, ENTRIES), bin(l, WADI_SOP_MAX, size, num(l, 1)));
    const wadi_lv limit =
        bin(l, WADI_SOP_MAX, bin(l, WADI_SOP_MIN, at_once, num(l, MOST_TABLES)), num(l, MANY));
    const wadi_lv most = bin(l, WADI_SOP_MIN, fit, limit);
    return wadi_lb_select(&l->b, WADI_I64, bin(l, WADI_SOP_GE, fit, num(l, FEWEST)), most,
                          num(l, 0));
}

static wadi_lv tables(wadi_lower *l, const wadi_bind *bind) {
    return wadi_flat_permute_tables(l, size_of(l, bind->args[1]), size_of(l, bind->results[0]));
}

static void table_extents(wadi_lower *l, const wadi_bind *bind, wadi_lv *extent) {
    const wadi_lv size = size_of(l, bind->results[0]);
    extent[0] = tables(l, bind);
    extent[1] = size;
}

static wadi_lv table_pieces(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent) {
    WADI_UNUSED(bind);
    return wadi_flat_pieces_of(l, extent[1], PIECE);
}

static void empty_table(wadi_lower *l, const wadi_unit *u) {
    wadi_lb *b = &l->b;
    wadi_lanes open;
    const wadi_lv from = bin(l, WADI_SOP_MUL, wadi_flat_piece(l, u), num(l, PIECE));
    const wadi_lv first = bin(l, WADI_SOP_MUL, u->ix[0], u->extent[1]);
    const wadi_lv t = wadi_lanes_each(l, from, end_of(l, from, u->extent[1]), "t", &open);
    for (int f = 0; f < fields_of(l, u->bind); f++)
        wadi_lb_store(b, u->pointer[f], bin(l, WADI_SOP_ADD, first, t),
                      wadi_lb_const(b, wadi_row_identity(u->bind->funs[0], f)));
    wadi_lanes_end(l, &open);
}

/* ---- the elements ---- */

static wadi_lv source_pieces(wadi_lower *l, const wadi_bind *bind) {
    return wadi_flat_pieces_of(l, size_of(l, bind->args[1]), PIECE);
}

static void take_piece(wadi_lower *l, const wadi_unit *u, const wadi_lv *pointer) {
    const wadi_lv n = size_of(l, u->bind->args[1]);
    const wadi_lv from = bin(l, WADI_SOP_MUL, wadi_flat_piece(l, u), num(l, PIECE));
    wadi_lower_permute_part(l, u->bind, u->extent, pointer, from, end_of(l, from, n), NULL);
}

static void combine_piece(wadi_lower *l, const wadi_unit *u) {
    wadi_lb *b = &l->b;
    wadi_lv table[WADI_MAX_FIELDS];
    const wadi_lv count = tables(l, u->bind);
    wadi_flat_table(l, u, table);
    wadi_lb_if(b, bin(l, WADI_SOP_GT, count, num(l, 0)));
    const wadi_lv turn = bin(l, WADI_SOP_REM, wadi_flat_piece(l, u), count);
    const wadi_lv first = bin(l, WADI_SOP_MUL, turn, size_of(l, u->bind->results[0]));
    for (int f = 0; f < fields_of(l, u->bind); f++) table[f] = wadi_lb_advance(b, table[f], first);
    take_piece(l, u, table);
    wadi_lb_else(b);
    take_piece(l, u, u->pointer);
    wadi_lb_end(b);
}

static void send_piece(wadi_lower *l, const wadi_unit *u) {
    take_piece(l, u, u->pointer);
}

/* ---- the result ---- */

static wadi_lv result_pieces(wadi_lower *l, const wadi_bind *bind) {
    return wadi_flat_pieces_of(l, size_of(l, bind->results[0]), PIECE);
}

static void copy_piece(wadi_lower *l, const wadi_unit *u) {
    const wadi_lv from = bin(l, WADI_SOP_MUL, wadi_flat_piece(l, u), num(l, PIECE));
    wadi_lower_permute_defaults(l, u->bind, u->extent, u->pointer, from,
                                end_of(l, from, size_of(l, u->bind->results[0])));
}

static wadi_lv pieces_if_tables(wadi_lower *l, const wadi_bind *bind) {
    const wadi_lv any = bin(l, WADI_SOP_GT, tables(l, bind), num(l, 0));
    return wadi_lb_select(&l->b, WADI_I64, any, result_pieces(l, bind), num(l, 0));
}

/* The elements of the tables are combined with the defaults, which are in the result. */
static void merge_piece(wadi_lower *l, const wadi_unit *u) {
    wadi_lb *b = &l->b;
    const int fields = fields_of(l, u->bind);
    wadi_lv table[WADI_MAX_FIELDS], args[2 * WADI_MAX_FIELDS], out[WADI_MAX_FIELDS],
        all[WADI_MAX_FIELDS];
    wadi_lanes open;
    const wadi_lv size = size_of(l, u->bind->results[0]);
    const wadi_lv from = bin(l, WADI_SOP_MUL, wadi_flat_piece(l, u), num(l, PIECE));
    wadi_flat_table(l, u, table);
    const wadi_lv i = wadi_lanes_each(l, from, end_of(l, from, size), "i", &open);
    for (int f = 0; f < fields; f++) {
        const wadi_lv old = wadi_lb_fresh(b, u->pointer[f], i);
        all[f] = wadi_lb_var(b, wadi_lb_type(b, old), false, old, "all");
    }
    const wadi_lv k = wadi_lb_for(b, num(l, 0), tables(l, u->bind), 1, "k");
    const wadi_lv at = bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_MUL, k, size), i);
    for (int f = 0; f < fields; f++) {
        args[f] = wadi_lb_load(b, table[f], at, NULL);
        args[fields + f] = wadi_lb_get(b, all[f]);
    }
    wadi_lower_apply(l, u->bind->funs[0], args, out);
    for (int f = 0; f < fields; f++) wadi_lb_set(b, all[f], out[f]);
    wadi_lb_end(b);
    for (int f = 0; f < fields; f++) wadi_lb_store(b, u->pointer[f], i, wadi_lb_get(b, all[f]));
    wadi_lanes_end(l, &open);
}

/* ---- the steps ---- */

wadi_status wadi_flat_permute_defaults(wadi_flat *c, const wadi_bind *bind, int slot,
                                       const char *tag) {
    static const wadi_cut copies = {
        .rows = result_pieces, .unit = copy_piece, .whole = true, .lanes = true};
    const char *copying = wadi_arena_printf(c->y->arena, "%sdefaults", tag ? tag : "");
    if (!copying) return wadi_flat_no_memory(c);
    if (wadi_flat_permute_is_in_place(c, bind)) return WADI_OK;
    return wadi_flat_cut(c, bind, slot, &copies, copying, -1, true);
}

wadi_status wadi_flat_permute_any(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag) {
    static const wadi_cut empties = {
        .extents = table_extents, .pieces = table_pieces, .unit = empty_table, .lanes = true};
    static const wadi_cut combines = {
        .rows = source_pieces, .unit = combine_piece, .whole = true, .lanes = true};
    static const wadi_cut merges = {
        .rows = pieces_if_tables, .unit = merge_piece, .whole = true, .lanes = true};
    const wadi_array_type table = {.rank = 2,
                                   .elem = c->y->m->values[bind->results[0]].type.array[0].elem};
    const wadi_slot_kind kind = c->body->stream ? WADI_SLOT_IRREGULAR : WADI_SLOT_ONCE;
    const char *emptying = wadi_arena_printf(c->y->arena, "%stables", tag ? tag : "");
    const char *merging = wadi_arena_printf(c->y->arena, "%sall", tag ? tag : "");
    int t = -1;
    if (!emptying || !merging) return wadi_flat_no_memory(c);
    WADI_TRY(wadi_flat_permute_defaults(c, bind, slot, tag));
    WADI_TRY(wadi_flat_slot(c, "tables", kind, &table, &t));
    WADI_TRY(wadi_flat_cut(c, bind, t, &empties, emptying, -1, true));
    WADI_TRY(wadi_flat_cut(c, bind, slot, &combines, tag, t, false));
    return wadi_flat_cut(c, bind, slot, &merges, merging, t, false);
}

wadi_status wadi_flat_permute_apart(wadi_flat *c, const wadi_bind *bind, int slot,
                                    const char *tag) {
    static const wadi_cut sends = {
        .rows = source_pieces, .unit = send_piece, .whole = true, .lanes = true};
    WADI_TRY(wadi_flat_permute_defaults(c, bind, slot, tag));
    return wadi_flat_cut(c, bind, slot, &sends, tag, -1, false);
}
