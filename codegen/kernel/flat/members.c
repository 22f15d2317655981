/* Which steps may run over a few rows at a time, and how far their reads are. */
#include "codegen/kernel/flat/members.h"

#include "codegen/kernel/skeleton.h"

static bool is_taken(const wadi_layout *y, wadi_val v) {
    for (wadi_val w = 0; w < y->m->nvalues; w++)
        if (y->takes[w] == v) return true;
    return y->takes[v] != WADI_NONE;
}

bool wadi_flat_is_member(wadi_flat *c, const wadi_bind *bind) {
    const wadi_layout *y = c->y;
    if (c->body->stream || c->level > 0 || y->grouped || bind->nresults != 1) return false;
    const wadi_skeleton_row *row = wadi_skeleton_in_body(y, bind);
    if (bind->op->kind != WADI_OP_PRODUCER || row->steps || row->blocks) return false;
    if (row->into_slot && !(row->in_pieces && row->in_pieces(c, bind))) return false;
    const wadi_val v = bind->results[0];
    const wadi_value *value = &y->m->values[v];
    return !value->type.is_seq && value->type.array[0].rank > 1 && value->siblings == 0 &&
           wadi_is_stored(y, v) && y->slot_of[v] >= 0 &&
           y->slots.at[y->slot_of[v]].kind == WADI_SLOT_ONCE && !is_taken(y, v);
}

int64_t wadi_flat_distance(const wadi_flat *c, const wadi_read *r, int64_t distance) {
    if (distance == WADI_FLAT_ANYWHERE || r->kind != WADI_READ_ARG) return WADI_FLAT_ANYWHERE;
    const wadi_op *op = r->bind->op;
    const int64_t reach = op->reach ? op->reach(c->y->m, r->bind, r->number)
                          : op->one_to_one && op->nblocks == 0 ? 0
                                                               : WADI_FLAT_ANYWHERE;
    return reach == WADI_FLAT_ANYWHERE ? WADI_FLAT_ANYWHERE : distance + reach;
}
