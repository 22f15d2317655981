/* codegen/loop/groups.c has seen that an atomic store is an update of its place, or stores a constant. */
#include "codegen/emit/c_like/old.h"

const wadi_linst *wadi_c_old(const wadi_c_writer *c, const wadi_linst *store) {
    const wadi_linst *value = wadi_c_inst(c, store->args[2]);
    for (int a = 0; value->kind == WADI_L_PRIM && a < value->nargs; a++) {
        const wadi_linst *old = wadi_c_inst(c, value->args[a]);
        if (old->kind == WADI_L_FRESH && old->args[0] == store->args[0] &&
            wadi_c_strip(c->f, old->args[1]) == wadi_c_strip(c->f, store->args[1]))
            return old;
    }
    return NULL;
}

wadi_lv wadi_c_added(const wadi_c_writer *c, const wadi_linst *store) {
    const wadi_linst *value = wadi_c_inst(c, store->args[2]), *old = wadi_c_old(c, store);
    if (old == NULL || value->op != WADI_SOP_ADD || !wadi_type_is_int(value->type))
        return WADI_LV_NONE;
    return value->args[0] == old->self ? value->args[1] : value->args[0];
}
