/* Schedule flat of sequences within elements.
 *
 * If each element of such a sequence is a scalar that is computed from its number, the elements of all these sequences in the
 * chunk are one level of work. A unit is a few of them, whichever element of the stream they belong to. So workers share a
 * long sequence as well as many short ones. Consumers that collect are then finished. Other consumers go through the computed
 * elements one by one. So do sequences of other kinds. Elements that a limit on their number or a zip may leave out are not
 * computed in advance. */
#include "codegen/kernel/flat/flat.h"

#include "base/error.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/body.h"
#include "codegen/kernel/control.h"
#include "codegen/kernel/sequence/nested.h"
#include "codegen/kernel/skeleton.h"

enum { FEW = 16, MANY = 4096 }; /* elements of a unit, if they contain loops and if they do not */

/* ---- what a unit is ---- */

static bool has_loops(const wadi_block *r) {
    for (int i = 0; i < r->nbinds; i++) {
        const wadi_op *op = r->binds[i]->op;
        if (op->kind == WADI_OP_SEQUENCE) return true;
        if (!op->at && !wadi_op_has(op, WADI_TRAIT_NO_KERNEL)) return true;
    }
    return false;
}

/* Whether making an element of `s` takes more than a few operations. */
static bool is_heavy(const wadi_module *m, wadi_val s) {
    const wadi_bind *b = m->values[s].bind;
    for (int k = 0; k < b->nblocks; k++)
        if (has_loops(b->blocks[k])) return true;
    for (int i = 0; i < b->nargs; i++)
        if (m->values[b->args[i]].type.is_seq && is_heavy(m, b->args[i])) return true;
    return false;
}

static int64_t per_unit(const wadi_lower *l, const wadi_bind *bind) {
    return is_heavy(l->m, bind->results[0]) ? FEW : MANY;
}

static void all_extents(wadi_lower *l, const wadi_bind *bind, wadi_lv *extent) {
    if (!wadi_inner_length(l, bind->results[0], &extent[0])) l->b.failed = true;
}

static wadi_lv pieces(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent) {
    const int64_t each = per_unit(l, bind);
    return wadi_flat_pieces_of(l, extent[0], each);
}

static void some_elements(wadi_lower *l, const wadi_unit *u) {
    const wadi_lv piece = wadi_flat_piece(l, u), each = num(l, per_unit(l, u->bind));
    const wadi_lv from = bin(l, WADI_SOP_MUL, piece, each);
    const wadi_lv below = bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_ADD, from, each), u->extent[0]);
    const wadi_lv last = bin(l, WADI_SOP_SUB, u->extent[0], num(l, 1));
    const wadi_lv i =
        wadi_lb_range(&l->b, wadi_lb_for(&l->b, from, below, 1, "e"), num(l, 0), last);
    const wadi_inner_element e = wadi_inner_at(l, u->bind->results[0], i);
    for (int f = 0; !l->status && !l->b.failed && f < e.type->elem.fields; f++)
        wadi_lb_store(&l->b, u->pointer[f], i, e.at->field[f]);
    const wadi_lv mark = wadi_lower_mark_front(l);
    if (mark != WADI_LV_NONE) (void)wadi_lb_act(&l->b, WADI_L_REWIND, 1, &mark);
    wadi_lb_end(&l->b);
}

/* Computes the elements of `s` into `slot`. */
static wadi_status all_elements(wadi_flat *c, wadi_val s, int slot) {
    static const wadi_cut cut = {all_extents, pieces, some_elements};
    const char *tag = wadi_arena_printf(c->y->arena, "into%d", slot);
    if (!tag) return wadi_flat_no_memory(c);
    return wadi_flat_cut(c, c->y->m->values[s].bind, slot, &cut, tag, -1, true);
}

/* ---- consumers ---- */

static bool is_scalar_by_number(const wadi_flat *c, wadi_val s) {
    const wadi_lower l = {.m = c->y->m};
    const wadi_val_type *t = &c->y->m->values[s].type;
    return t->arrays == 1 && t->array->rank == 0 && wadi_inner_is_indexed(&l, s);
}

/* Whether the consumer's result is the elements as they are. */
static bool is_done(const wadi_flat *c, const wadi_bind *bind) {
    const wadi_seq_rule *seq = &bind->op->seq;
    const int slot = c->y->slot_of[bind->results[0]];
    const bool as_they_are =
        seq->collect == WADI_COLLECT_VALUES || seq->collect == WADI_COLLECT_TABLE;
    return seq->form == WADI_SEQ_COLLECT && as_they_are && slot >= 0 &&
           c->y->slots.at[slot].kind != WADI_SLOT_REGULAR && is_scalar_by_number(c, bind->args[0]);
}

/* The last sequence of the chain up to `s` that can be computed in advance, if it is worth a slot; else NONE. The chain after it
 * goes element by element. */
static wadi_val worth_a_slot(const wadi_flat *c, wadi_val s) {
    const wadi_module *m = c->y->m;
    while (!is_scalar_by_number(c, s)) {
        const wadi_bind *b = m->values[s].bind;
        int nseqs = 0;
        for (int i = 0; i < b->nargs; i++) nseqs += m->values[b->args[i]].type.is_seq;
        if (nseqs != 1 || b->op->seq.pick.most || b->op->seq.pick.step) return WADI_NONE;
        s = b->args[0];
    }
    return is_heavy(m, s) ? s : WADI_NONE;
}

static wadi_status compute_elements(wadi_flat *c, wadi_val s) {
    const wadi_layout *y = c->y;
    const wadi_slot_kind kind = c->body->stream ? WADI_SLOT_IRREGULAR : WADI_SLOT_ONCE;
    const wadi_array_type t = {.rank = 1, .elem = y->m->values[s].type.array->elem};
    int slot = -1;
    if (!c->inner) {
        int *inner = WADI_NEW_N(y->arena, int, y->m->nvalues);
        if (!inner) return wadi_flat_no_memory(c);
        for (wadi_val v = 0; v < y->m->nvalues; v++) inner[v] = -1;
        c->inner = inner;
    }
    WADI_TRY(wadi_flat_slot(c, "inner", kind, &t, &slot));
    WADI_TRY(all_elements(c, s, slot));
    c->inner[s] = slot;
    return WADI_OK;
}

static wadi_status steps(wadi_flat *c, const wadi_bind *bind) {
    if (is_done(c, bind)) {
        WADI_TRY(all_elements(c, bind->args[0], c->y->slot_of[bind->results[0]]));
        c->known[bind->results[0]] = true;
        return WADI_OK;
    }
    const wadi_val s = worth_a_slot(c, bind->args[0]);
    if (s != WADI_NONE) WADI_TRY(compute_elements(c, s));
    WADI_TRY(wadi_flat_elements(c, bind));
    if (s != WADI_NONE) c->inner[s] = -1; /* the slot is valid only for the present elements */
    return WADI_OK;
}

const wadi_skeleton_row wadi_skeleton_consume = {.control = wadi_lower_consume, .steps = steps};
