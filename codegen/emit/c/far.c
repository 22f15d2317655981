/* Which loops may store past the caches, and what stands around their strips.
 *
 * A round stores into room for a strip, or into the array itself where that is small: one loop for both.
 *
 * A loop that reads no array stays as it is: stores of whole vectors one behind the other need no fetch. So does one over a row of an array: rows begin within lines, and a line that is
 * stored half in the cache and half past it is dear. */
#include "codegen/emit/c/far.h"

static const wadi_linst *root_of(const wadi_c_writer *w, const wadi_linst *access) {
    return wadi_l_root(w->f, access->args[0]);
}

/* Whether the column is of an array of the whole run, of rank 1. */
static bool is_whole(const wadi_c_writer *w, const wadi_linst *column) {
    if (column->kind != WADI_L_COLUMN) return false;
    const wadi_plan_slot *s = &w->m->slots[column->slot];
    return s->kind == WADI_SLOT_ONCE && s->rank == 1;
}

static bool is_outside(const wadi_linst *loop, const wadi_linst *i) {
    return i->kind == WADI_L_CONST ||
           (i->kind != WADI_L_LOOPVAR && wadi_l_merged(i->scope) != wadi_l_merged(loop->block[0]));
}

static bool is_read(const wadi_c_writer *w, int slot) {
    for (uint32_t v = 0; v < w->f->n; v++) {
        const wadi_linst *i = w->f->inst[v];
        if (i->kind != WADI_L_LOAD && i->kind != WADI_L_FRESH) continue;
        const wadi_linst *root = root_of(w, i);
        if (root->kind == WADI_L_GET || (root->kind == WADI_L_COLUMN && root->slot == slot))
            return true;
    }
    return false;
}

static bool add(const wadi_c_writer *w, wadi_c_far *o, const wadi_linst *store) {
    const wadi_linst *root = root_of(w, store);
    const wadi_type t = wadi_c_inst(w, store->args[0])->type;
    if (store->atomic || o->n == WADI_C_FAR_STORES || t == WADI_BOOL || wadi_type_is_complex(t) ||
        !is_whole(w, root) || is_read(w, root->slot) ||
        !is_outside(o->loop, wadi_c_inst(w, store->args[0])) ||
        wadi_c_strip(w->f, store->args[1]) != o->loop->var)
        return false;
    o->store[o->n++] = store;
    return true;
}

/* Whether at most one loop is around it, that over units: an inner loop may be short, and is reached often. */
static bool is_outer(const wadi_linst *loop) {
    int around = 0;
    for (const wadi_lscope *s = wadi_l_merged(loop->scope); s != NULL && s->owner != NULL;
         s = wadi_l_merged(s->owner->scope))
        around += s->owner->kind == WADI_L_FOR || s->owner->kind == WADI_L_REPEAT;
    return around <= 1;
}

/* Whether it is known that the loop has too few rounds. */
static bool is_short(const wadi_c_writer *w, const wadi_linst *loop) {
    const wadi_linst *from = wadi_c_inst(w, loop->args[0]), *below = wadi_c_inst(w, loop->args[1]);
    return from->kind == WADI_L_CONST && below->kind == WADI_L_CONST &&
           (int64_t)below->imm.bits - (int64_t)from->imm.bits < WADI_C_FAR_ROUNDS;
}

bool wadi_c_far_find(const wadi_c_writer *w, const wadi_linst *loop, wadi_c_far *out) {
    const wadi_lscope *s = loop->block[0];
    bool reads = false;
    *out = (wadi_c_far){.loop = loop};
    if (w->numbers != NULL || !loop->independent || !is_outer(loop) || is_short(w, loop) ||
        wadi_c_inst(w, loop->args[2])->imm.bits != 1)
        return false;
    for (int p = 0; p < s->n; p++) {
        const wadi_linst *i = s->inst[p];
        if (i->block[0] != NULL || i->kind == WADI_L_FAULT || i->kind == WADI_L_EMIT ||
            i->kind == WADI_L_FOREIGN || i->kind == WADI_L_PUT)
            return false;
        if (i->kind == WADI_L_STORE && !add(w, out, i)) return false;
        reads = reads || i->kind == WADI_L_LOAD;
    }
    return reads && out->n > 0;
}

void wadi_c_far_bytes(wadi_c_writer *w, const wadi_c_far *o) {
    for (int k = 0; k < o->n; k++) {
        const int slot = root_of(w, o->store[k])->slot;
        bool again = false;
        for (int j = 0; j < k; j++) again = again || root_of(w, o->store[j])->slot == slot;
        if (again) continue;
        wadi_text_addf(w->out, "%s%d", k > 0 ? " + " : "",
                       wadi_type_size(wadi_c_inst(w, o->store[k]->args[0])->type));
        wadi_text_add(w->out, " * ");
        wadi_c_shape(w, slot, 0, WADI_LV_NONE);
    }
}

/* The array at the first place of the strip. */
static void place(wadi_c_writer *w, const wadi_c_far *o, int k) {
    wadi_c_operand(w, o->store[k]->args[0]);
    wadi_text_addf(w->out, " + %s", o->from);
}

void wadi_c_far_open(wadi_c_writer *w, const wadi_c_far *o, int level) {
    for (int k = 0; k < o->n; k++) {
        const char *type = wadi_c_stored(w, wadi_c_inst(w, o->store[k]->args[0])->type);
        wadi_text_indent(w->out, level);
        wadi_text_addf(w->out, "%s wadi_room_%d[%d] __attribute__((aligned(64)));\n", type, k,
                       WADI_C_FAR_ROUNDS);
        wadi_text_indent(w->out, level);
        wadi_text_addf(w->out, "%s *restrict const wadi_to_%d = wadi_far ? wadi_room_%d : ", type,
                       k, k);
        place(w, o, k);
        wadi_text_add(w->out, ";\n");
    }
}

void wadi_c_far_close(wadi_c_writer *w, const wadi_c_far *o, const char *below, int level) {
    for (int k = 0; k < o->n; k++) {
        wadi_text_indent(w->out, level);
        wadi_text_add(w->out, "if (wadi_far) wadi_stream(");
        place(w, o, k);
        wadi_text_addf(w->out, ", wadi_room_%d, (%s - %s) * %d);\n", k, below, o->from,
                       wadi_type_size(wadi_c_inst(w, o->store[k]->args[0])->type));
    }
}

bool wadi_c_far_place(wadi_c_writer *w, const wadi_linst *store) {
    const wadi_c_far *o = w->far;
    for (int k = 0; o != NULL && k < o->n; k++) {
        if (o->store[k] != store) continue;
        wadi_text_addf(w->out, "wadi_to_%d[%s - %s]", k, w->names.at[o->loop->var].name, o->from);
        return true;
    }
    return false;
}
