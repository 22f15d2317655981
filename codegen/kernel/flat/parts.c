/* The table of a fold's blocks: [element of the result, block of the reduced row]. */
#include "codegen/kernel/flat/flat.h"
#include "codegen/kernel/row.h"

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
