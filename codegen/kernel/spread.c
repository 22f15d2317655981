/* spread: a loop nest over the records. Each record is computed once, and its fields go to their places along the new
 * dimension. */
#include "codegen/kernel/arith.h"
#include "codegen/kernel/flat/flat.h"
#include "codegen/kernel/nest.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/skeleton.h"

typedef struct spreading {
    const wadi_bind *bind;
    const wadi_lv *extent, *pointer; /* of the result */
} spreading;

static void put_record(wadi_lower *l, void *env, const wadi_lv *ix) {
    const spreading *s = env;
    const int dim = (int)s->bind->attrs[0];
    const wadi_array_type *t = wadi_type_of(l, s->bind->args[0]);
    wadi_lv x[WADI_MAX_FIELDS], to[WADI_MAX_RANK];
    wadi_lower_read(l, s->bind->args[0], ix, x);
    for (int d = 0; d < t->rank; d++) to[d < dim ? d : d + 1] = ix[d];
    for (int f = 0; f < t->elem.fields; f++) {
        to[dim] = wadi_lb_i64(&l->b, f);
        wadi_lb_store(&l->b, s->pointer[0], wadi_lower_linear(l, t->rank + 1, s->extent, to), x[f]);
    }
}

/* Extents of the records from those of the result. */
static int record_extents(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                          wadi_lv *out) {
    const int rank = wadi_type_of(l, bind->args[0])->rank, dim = (int)bind->attrs[0];
    for (int d = 0; d < rank; d++) out[d] = extent[d < dim ? d : d + 1];
    return rank;
}

static void fill(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                 const wadi_lv *pointer) {
    wadi_lv records[WADI_MAX_RANK];
    spreading s = {bind, extent, pointer};
    const int rank = record_extents(l, bind, extent, records);
    wadi_lower_nest(l, rank, records, put_record, &s);
}

/* ---- schedule flat: a unit is some rows of records ---- */

/* Rows of records in [from, below), counted over all outer dimensions. */
static void spread_rows(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                        const wadi_lv *pointer, wadi_lv from, wadi_lv below) {
    wadi_lv records[WADI_MAX_RANK], ix[WADI_MAX_RANK];
    spreading s = {bind, extent, pointer};
    const int rank = record_extents(l, bind, extent, records);
    if (rank == 0) {
        put_record(l, &s, NULL);
        return;
    }
    const wadi_lv row = wadi_lb_for(&l->b, from, below, 1, "row");
    wadi_lower_row_index(l, row, rank - 1, records, ix);
    wadi_lower_nest_row(l, rank, records, ix, put_record, &s);
    wadi_lb_end(&l->b);
}

/* The number of rows of records, and how many of them make a unit: about WADI_FLAT_UNIT values, at least one row. */
static void record_rows(wadi_lower *l, const wadi_bind *bind, wadi_lv *rows, wadi_lv *each) {
    const wadi_array_type *source = wadi_type_of(l, bind->args[0]);
    wadi_lv extent[WADI_MAX_RANK];
    wadi_lower_extents(l, bind->args[0], extent);
    *rows = *each = num(l, 1);
    if (source->rank == 0) return;
    *rows = wadi_lower_size(l, source->rank - 1, extent);
    const wadi_lv values =
        bin(l, WADI_SOP_MUL, extent[source->rank - 1], num(l, source->elem.fields));
    const wadi_lv fit =
        bin(l, WADI_SOP_QUOT, num(l, WADI_FLAT_UNIT), bin(l, WADI_SOP_MAX, values, num(l, 1)));
    *each = bin(l, WADI_SOP_MAX, fit, num(l, 1));
}

static wadi_lv units(wadi_lower *l, const wadi_bind *bind) {
    wadi_lv rows, each;
    record_rows(l, bind, &rows, &each);
    const wadi_lv more = bin(l, WADI_SOP_ADD, rows, bin(l, WADI_SOP_SUB, each, num(l, 1)));
    return bin(l, WADI_SOP_QUOT, more, each);
}

static void unit(wadi_lower *l, const wadi_unit *u) {
    wadi_lv rows, each;
    record_rows(l, u->bind, &rows, &each);
    const wadi_lv from = bin(l, WADI_SOP_MUL, u->piece, each);
    const wadi_lv below = bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_ADD, from, each), rows);
    spread_rows(l, u->bind, u->extent, u->pointer, from, below);
}

static wadi_status into_slot(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag) {
    static const wadi_cut cut = {.rows = units, .unit = unit, .whole = true, .lanes = true};
    return wadi_flat_cut(c, bind, slot, &cut, tag, -1, true);
}

const wadi_skeleton_row wadi_skeleton_spread = {.fill = fill, .into_slot = into_slot};
