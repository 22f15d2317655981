/* Schedule flat of a permute of a long vector whose elements may be combined in any order: several tables, which are then combined.
 *
 * Each table is as large as the result, and has its own part of the source. So every worker has one to itself. The number of tables depends
 * only on sizes. There are none if the source is not several times as long as the result. */
#include "base/error.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/flat/permutes.h"
#include "codegen/kernel/lanes.h"
#include "codegen/kernel/nest.h"
#include "codegen/kernel/permute.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/row.h"
#include "codegen/kernel/split.h"
#include "operators/reduce_tree.h"

static wadi_lv source_length(wadi_lower *l, const wadi_bind *bind) {
    return wadi_lower_extent(l, bind->args[1], 0);
}

static wadi_lv tables(wadi_lower *l, const wadi_bind *bind) {
    const wadi_lv size = wadi_lower_extent(l, bind->results[0], 0);
    return wadi_flat_permute_tables(l, source_length(l, bind), size);
}

/* ---- the tables: [table, element of the result] ---- */

static void table_extents(wadi_lower *l, const wadi_bind *bind, wadi_lv *extent) {
    extent[1] = extent[0];
    extent[0] = tables(l, bind);
}

/* Where table k begins. */
static void table_at(wadi_lower *l, const wadi_bind *bind, const wadi_lv *column, wadi_lv k,
                     wadi_lv size, wadi_lv *out) {
    for (int f = 0; f < wadi_type_of(l, bind->results[0])->elem.fields; f++)
        out[f] = wadi_lb_advance(&l->b, column[f], bin(l, WADI_SOP_MUL, k, size));
}

static void fill_table(wadi_lower *l, const wadi_unit *u) {
    wadi_lb *b = &l->b;
    const wadi_lv size = u->extent[1], n = source_length(l, u->bind);
    const wadi_lv k = u->ix[0], next = bin(l, WADI_SOP_ADD, k, num(l, 1));
    const wadi_fun *f = u->bind->funs[0];
    const int fields = wadi_type_of(l, u->bind->results[0])->elem.fields;
    wadi_lv pointer[WADI_MAX_FIELDS];
    table_at(l, u->bind, u->pointer, k, size, pointer);
    wadi_lanes open;
    const wadi_lv t = wadi_lanes_each(l, num(l, 0), size, "t", &open);
    for (int c = 0; c < fields; c++)
        wadi_lb_store(b, pointer[c], t, wadi_lb_const(b, wadi_row_identity(f, c)));
    wadi_lower_mark_innermost(l);
    wadi_lanes_end(l, &open);
    const wadi_lv each = bin(l, WADI_SOP_QUOT, n, u->extent[0]);
    const wadi_lv from = bin(l, WADI_SOP_MUL, k, each);
    const wadi_lv last = bin(l, WADI_SOP_EQ, next, u->extent[0]);
    const wadi_lv below = wadi_lb_select(b, WADI_I64, last, n, bin(l, WADI_SOP_ADD, from, each));
    wadi_lower_permute_part(l, u->bind, &size, pointer, from, below, NULL);
}

/* ---- the result ---- */

typedef struct merging {
    const wadi_unit *u;
    const wadi_lv *table;
    wadi_lv count;
} merging;

static void merge(wadi_lower *l, void *env, const wadi_lv *ix) {
    const merging *m = env;
    const wadi_unit *u = m->u;
    wadi_lb *b = &l->b;
    const int fields = wadi_type_of(l, u->bind->results[0])->elem.fields;
    wadi_lv args[2 * WADI_MAX_FIELDS], out[WADI_MAX_FIELDS], var[WADI_MAX_FIELDS];
    wadi_lower_read(l, u->bind->args[0], ix, args + fields);
    for (int f = 0; f < fields; f++)
        var[f] = wadi_lb_var(b, wadi_lb_type(b, args[fields + f]), false, args[fields + f], "all");
    const wadi_lv k = wadi_lb_for(b, num(l, 0), m->count, 1, "k");
    const wadi_lv at = bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_MUL, k, u->extent[0]), ix[0]);
    for (int f = 0; f < fields; f++) {
        args[f] = wadi_lb_load(b, m->table[f], at, NULL);
        args[fields + f] = wadi_lb_get(b, var[f]);
    }
    wadi_lower_apply(l, u->bind->funs[0], args, out);
    for (int f = 0; f < fields; f++) wadi_lb_set(b, var[f], out[f]);
    wadi_lb_end(b);
    for (int f = 0; f < fields; f++) wadi_lb_store(b, u->pointer[f], ix[0], wadi_lb_get(b, var[f]));
}

void wadi_flat_permute_merge(wadi_lower *l, const wadi_unit *u) {
    wadi_lv table[WADI_MAX_FIELDS];
    wadi_flat_table(l, u, table);
    merging m = {u, table, tables(l, u->bind)};
    wadi_lb_if(&l->b, bin(l, WADI_SOP_GT, m.count, num(l, 0)));
    wadi_lower_nest(l, 1, u->extent, merge, &m);
    wadi_lb_else(&l->b);
    wadi_lower_permute(l, u->bind, u->extent, u->pointer);
    wadi_lb_end(&l->b);
}

bool wadi_flat_permute_has_tables(const wadi_flat *c, const wadi_bind *bind) {
    const wadi_value *v = c->y->m->values;
    return v[bind->results[0]].type.array[0].rank == 1 &&
           v[bind->args[1]].type.array[0].rank == 1 && wadi_fun_has_any_order(bind->funs[0]) &&
           wadi_flat_has_long_rows(c, bind->args[1]);
}

wadi_status wadi_flat_permute_fill_tables(wadi_flat *c, const wadi_bind *bind, const char *tag,
                                          int *out_slot) {
    static const wadi_cut fills = {.extents = table_extents, .unit = fill_table, .lanes = true};
    const wadi_array_type table = {.rank = 2,
                                   .elem = c->y->m->values[bind->results[0]].type.array[0].elem};
    const wadi_slot_kind kind = c->body->stream ? WADI_SLOT_IRREGULAR : WADI_SLOT_ONCE;
    const char *filling = wadi_arena_printf(c->y->arena, "%stables", tag ? tag : "");
    if (!filling) return wadi_flat_no_memory(c);
    WADI_TRY(wadi_flat_slot(c, "tables", kind, &table, out_slot));
    return wadi_flat_cut(c, bind, *out_slot, &fills, filling, -1, true);
}
