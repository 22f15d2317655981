/* The table of a fold's blocks, [element of the result, block of the reduced row], and how many rows make a unit where rows are not cut. */
#include "codegen/kernel/flat/flat.h"
#include "codegen/kernel/row.h"

enum { UNIT = WADI_FLAT_UNIT };

void wadi_flat_fold_extents(wadi_lower *l, const wadi_bind *bind, wadi_lv *extent) {
    extent[wadi_type_of(l, bind->results[0])->rank] =
        wadi_flat_pieces_of(l, wadi_lower_row_length(l, bind), WADI_FOLD_BLOCK);
}

wadi_status wadi_flat_fold_table(wadi_flat *c, const wadi_bind *bind, int *out_slot) {
    wadi_array_type table = c->y->m->values[bind->results[0]].type.array[0];
    const wadi_slot_kind kind = c->body->stream ? WADI_SLOT_IRREGULAR : WADI_SLOT_ONCE;
    table.rank++;
    return wadi_flat_slot(c, "parts", kind, &table, out_slot);
}

int64_t wadi_flat_rows_per_unit(const wadi_lower *l, const wadi_bind *bind) {
    const wadi_val array = bind->args[bind->nargs - 1];
    const wadi_ext e = wadi_shapes_extent(l->y->shapes, array, 0, wadi_type_of(l, array)->rank - 1);
    int64_t n = 0;
    if (l->loc[bind->results[0]].kind == WADI_LOC_PARTS) return UNIT; /* its blocks are reduced */
    if (e == WADI_EXT_NONE || !wadi_ext_is_const(l->y->shapes->extents, e, &n) || n <= 1)
        return UNIT;
    return n < UNIT ? UNIT / n : 1;
}
