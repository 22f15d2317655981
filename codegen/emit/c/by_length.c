/* Decides which loops over rows may take the rows of a strip in the order of their lengths (docs/decisions/0115-rows-by-length.md).
 *
 * The end of a short row's loop is mispredicted for most rows, if their lengths differ. Rows of one length after the other have no such ends. But
 * whatever fetches memory ahead does not follow this order. So it is for arrays that stay in a cache: those that are there for the whole
 * run, whose size the kernel sees. */
#include "codegen/emit/c/by_length.h"

#include <string.h>

typedef struct search {
    const wadi_c_writer *w;
    const wadi_linst *loop, *bulky;
    int branches; /* bulky ones */
    wadi_c_by_length *out;
    bool fine;
} search;

/* Whether a branch does nothing but tell a fault. */
static bool is_check(const wadi_linst *i) {
    if (i->kind != WADI_L_IF || i->block[1] != NULL) return false;
    const wadi_lscope *s = i->block[0];
    return s->n > 0 && s->inst[s->n - 1]->kind == WADI_L_FAULT;
}

/* ---- the order of rounds ---- */

/* Whether data decide the value. */
static bool is_loaded(const wadi_c_writer *w, wadi_lv v) {
    const wadi_linst *i = wadi_c_inst(w, v);
    switch (i->kind) {
    case WADI_L_LOOPVAR:
    case WADI_L_CONST:
    case WADI_L_COLUMN:
        return false;
    case WADI_L_PRIM:
    case WADI_L_SELECT:
    case WADI_L_RANGE:
        for (int a = 0; a < i->nargs; a++)
            if (i->args[a] != WADI_LV_NONE && is_loaded(w, i->args[a])) return true;
        return false;
    default:
        return !wadi_l_is_bound(i) && i->kind != WADI_L_SHAPE && i->kind != WADI_L_STRIDE;
    }
}

/* Only arrays of the whole run are of a size that the kernel sees. A number for each round is no more than the row's length. */
static void note_array(search *x, const wadi_linst *column) {
    const wadi_plan_slot *s = &x->w->m->slots[column->slot];
    for (size_t k = 0; k < x->out->slots.n; k++)
        if (x->out->slots.at[k] == column->slot) return;
    if (s->rank > 0 && s->kind != WADI_SLOT_ONCE) x->fine = false;
    if (!wadi_vec_push(&x->out->slots, column->slot)) x->fine = false;
}

/* A round stores at a place of its own, behind its loops: those that store may become functions. */
static void look_at(search *x, const wadi_linst *i, bool repeated) {
    const bool is_loop = i->kind == WADI_L_FOR || i->kind == WADI_L_REPEAT;
    if (i->kind == WADI_L_LOAD || i->kind == WADI_L_STORE) {
        const wadi_linst *root = wadi_l_root(x->w->f, i->args[0]);
        if (root->kind != WADI_L_COLUMN)
            x->fine = false;
        else if (i->kind == WADI_L_LOAD)
            note_array(x, root);
    }
    if (i->kind == WADI_L_STORE && (repeated || is_loaded(x->w, i->args[1]))) x->fine = false;
    if (i->kind == WADI_L_IF && i->bulky) {
        x->branches++;
        x->bulky = i;
    }
    for (int k = 0; k < 2; k++)
        for (int p = 0; i->block[k] && p < i->block[k]->n; p++)
            look_at(x, i->block[k]->inst[p], repeated || is_loop);
}

static bool stores_into_loaded(const search *x, const wadi_linst *i) {
    if (i->kind == WADI_L_STORE) {
        const wadi_linst *root = wadi_l_root(x->w->f, i->args[0]);
        for (size_t k = 0; k < x->out->slots.n; k++)
            if (x->out->slots.at[k] == root->slot) return true;
    }
    for (int k = 0; k < 2; k++)
        for (int p = 0; i->block[k] && p < i->block[k]->n; p++)
            if (stores_into_loaded(x, i->block[k]->inst[p])) return true;
    return false;
}

/* ---- the length of a row ---- */

/* Whether the statement gives a value and does nothing else. */
static bool is_plain(const wadi_linst *i) {
    return i->kind <= WADI_L_LOAD && i->kind != WADI_L_ARG;
}

static bool does_nothing(const search *x, const wadi_linst *i) {
    return !x->w->names.at[i->self].printed || i->kind == WADI_L_NOTE;
}

/* Whether the length is known in the loop's own scope, behind nothing but values and checks. */
static bool find_length(search *x) {
    const wadi_linst *c = wadi_c_inst(x->w, wadi_c_strip(x->w->f, x->bulky->args[0]));
    if (c->kind != WADI_L_PRIM || c->op != WADI_SOP_GE) return false;
    const wadi_lv n = wadi_c_strip(x->w->f, c->args[0]);
    const wadi_linst *made = wadi_c_inst(x->w, n);
    const wadi_lscope *body = wadi_l_merged(x->loop->block[0]);
    if (!is_plain(made) || wadi_l_merged(made->scope) != body) return false;
    x->out->length = n;
    x->out->made = x->w->names.at[n].at;
    for (int p = 0; p < x->out->made; p++) {
        const wadi_linst *i = body->inst[p];
        if (!does_nothing(x, i) && !is_plain(i) && !is_check(i)) return false;
    }
    return true;
}

static bool reads_arrays(const wadi_c_writer *w, const wadi_c_by_length *o) {
    for (size_t k = 0; k < o->slots.n; k++)
        if (w->m->slots[o->slots.at[k]].rank > 0) return true;
    return false;
}

bool wadi_c_by_length_find(const wadi_c_writer *w, const wadi_linst *loop, wadi_c_by_length *out) {
    memset(out, 0, sizeof *out);
    search x = {.w = w, .loop = loop, .out = out, .fine = w->numbers == NULL};
    if (wadi_c_inst(w, loop->args[2])->imm.bits != 1) return false;
    for (int p = 0; p < loop->block[0]->n; p++) look_at(&x, loop->block[0]->inst[p], false);
    if (x.fine && x.branches == 1 && reads_arrays(w, out) && find_length(&x) &&
        !stores_into_loaded(&x, loop))
        return true;
    wadi_c_by_length_fini(out);
    return false;
}

void wadi_c_by_length_fini(wadi_c_by_length *o) {
    wadi_vec_free(&o->slots);
}

void wadi_c_by_length_bytes(wadi_c_writer *w, const wadi_c_by_length *o) {
    bool some = false;
    for (size_t k = 0; k < o->slots.n; k++) {
        const wadi_plan_slot *s = &w->m->slots[o->slots.at[k]];
        if (s->rank == 0) continue;
        wadi_text_addf(w->out, "%s%lld", some ? " + " : "", (long long)wadi_plan_slot_width(s));
        some = true;
        for (int d = 0; d < s->rank; d++) {
            wadi_text_add(w->out, " * ");
            wadi_c_shape(w, o->slots.at[k], d, WADI_LV_NONE);
        }
    }
}
