/* Elements of sequences within an element: regions over them, chains in which element i is computed from i, and the rounds of
 * a loop over them. Each round gives back the scratch memory that it took, unless a part of that memory is used later: by a
 * state whose shape changes, or by a vector that grew. */
#include "codegen/kernel/sequence/nested.h"

#include <string.h>

#include "base/error.h"
#include "base/words.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/body.h"
#include "codegen/kernel/check.h"
#include "codegen/kernel/read.h"

static const wadi_bind *maker(const wadi_lower *l, wadi_val s) {
    return l->m->values[s].bind;
}

static wadi_lv at_least_0(wadi_lower *l, wadi_lv n) {
    return bin(l, WADI_SOP_MAX, n, num(l, 0));
}

static wadi_lv length_fact(wadi_lower *l, wadi_lv n) {
    wadi_lb_inst(&l->b, n)->nonneg = true;
    return n;
}

wadi_lv wadi_inner_extent(wadi_lower *l, wadi_lv var) {
    const wadi_lv e = wadi_lb_get(&l->b, var);
    wadi_lb_inst(&l->b, e)->nonneg = true;
    wadi_lb_inst(&l->b, e)->bits = WADI_EXTENT_BITS;
    return e;
}

/* ---- elements ---- */

wadi_inner_element wadi_inner_new(wadi_lower *l, wadi_val s) {
    const wadi_val_type *t = &l->m->values[s].type;
    wadi_inner_element e = {.n = t->arrays, .type = t->array};
    e.at = WADI_NEW_N(l->y->arena, wadi_vloc, (size_t)e.n + 1);
    if (!e.at) {
        l->b.failed = true;
        e.n = 0;
    }
    return e;
}

wadi_vloc wadi_inner_place(wadi_lower *l, wadi_val v) {
    wadi_vloc at = {.kind = WADI_LOC_SCALAR};
    v = wadi_lower_resolve(l, v);
    const wadi_array_type *t = wadi_type_of(l, v);
    if (l->status || l->b.failed) return at;
    if (t->rank == 0) {
        wadi_lower_read(l, v, NULL, at.field);
        return at;
    }
    at.kind = WADI_LOC_MEMORY;
    at.own_extents = true;
    for (int f = 0; f < t->elem.fields; f++) at.field[f] = wadi_lower_pointer(l, v, f);
    wadi_lower_extents(l, v, at.extent);
    return at;
}

int wadi_inner_params(wadi_lower *l, const wadi_block *r, int first, wadi_val s,
                      const wadi_inner_element *e) {
    for (int c = 0; c < e->n; c++) l->loc[r->params[first + c]] = e->at[c];
    l->y->components[s] = r->params + first; /* they have the extents of the sequence here */
    return first + e->n;
}

/* Forgets what the region has computed: it is written again for every reader of its sequence. */
static void forget(wadi_lower *l, const wadi_block *r) {
    wadi_vec_clear(&l->memo); /* elements of delayed values were computed from other parameters */
    for (int i = 0; i < r->nbinds; i++) {
        const wadi_bind *b = r->binds[i];
        for (int k = 0; k < b->nresults; k++)
            l->loc[b->results[k]] = (wadi_vloc){.kind = WADI_LOC_NONE};
        for (int k = 0; k < b->nblocks; k++) forget(l, b->blocks[k]);
    }
}

void wadi_inner_compute(wadi_lower *l, const wadi_block *r, wadi_borrowed *values) {
    forget(l, r);
    wadi_lower_run_region(l, r, values);
}

wadi_inner_element wadi_inner_run(wadi_lower *l, wadi_val s, const wadi_block *r) {
    wadi_inner_element e = wadi_inner_new(l, s);
    wadi_borrowed values = {0};
    wadi_inner_compute(l, r, &values);
    for (int c = 0; c < e.n; c++) e.at[c] = wadi_inner_place(l, r->yields[c]);
    l->y->components[s] = r->yields;
    wadi_give_back(l, &values);
    return e;
}

/* ---- chains in which element i is computed from i ---- */

bool wadi_inner_is_indexed(const wadi_lower *l, wadi_val s) {
    const wadi_bind *b = maker(l, s);
    const wadi_seq_form form = b->op->seq.form;
    if (form == WADI_SEQ_COUNT) return true;
    if (form == WADI_SEQ_PICK) return wadi_inner_is_indexed(l, b->args[0]);
    if (form != WADI_SEQ_MAP) return false;
    for (int i = 0; i < b->nargs; i++)
        if (!wadi_inner_is_indexed(l, b->args[i])) return false;
    return true;
}

wadi_lv wadi_inner_at_least_1(wadi_lower *l, const wadi_bind *b, int arg, const char *what) {
    const wadi_lv n = wadi_lower_scalar(l, b->args[arg]);
    const wadi_lv less = bin(l, WADI_SOP_LT, n, num(l, 1));
    int64_t known = 0;
    if (wadi_lb_is_const(&l->b, less, &known) && !known) return n;
    wadi_lb_if(&l->b, less);
    wadi_lower_fault(l, WADI_FAULT_COUNT, wadi_layout_place(l->y, b->op->name, what, b->loc), n, n);
    wadi_lb_end(&l->b);
    return wadi_lb_range(&l->b, n, num(l, 1), WADI_LV_NONE);
}

/* A number of `pick`: the value of argument `arg`. */
static wadi_lv number_of(wadi_lower *l, const wadi_bind *b, int arg) {
    return at_least_0(l, wadi_lower_scalar(l, b->args[arg]));
}

/* How many of n elements are picked if every step-th is: n / step, rounded up. */
static wadi_lv in_steps(wadi_lower *l, wadi_lv n, wadi_lv step) {
    const wadi_lv whole = bin(l, WADI_SOP_QUOT, n, step);
    const wadi_lv rest = bin(l, WADI_SOP_SUB, n, bin(l, WADI_SOP_MUL, whole, step));
    return bin(l, WADI_SOP_ADD, whole, bin(l, WADI_SOP_MIN, rest, num(l, 1)));
}

static wadi_lv length(wadi_lower *l, wadi_val s) {
    const wadi_bind *b = maker(l, s);
    if (b->op->seq.form == WADI_SEQ_COUNT) return at_least_0(l, wadi_lower_scalar(l, b->args[0]));
    wadi_lv n = length(l, b->args[0]);
    if (b->op->seq.form == WADI_SEQ_MAP)
        for (int i = 1; i < b->nargs; i++) n = bin(l, WADI_SOP_MIN, n, length(l, b->args[i]));
    const wadi_seq_pick pick = b->op->seq.pick;
    if (pick.first) n = at_least_0(l, bin(l, WADI_SOP_SUB, n, number_of(l, b, pick.first)));
    if (pick.step) n = in_steps(l, n, wadi_inner_at_least_1(l, b, pick.step, "the step"));
    if (pick.most) n = bin(l, WADI_SOP_MIN, n, number_of(l, b, pick.most));
    return n;
}

/* An element that earlier steps have computed. */
static wadi_inner_element stored(wadi_lower *l, wadi_val s, wadi_lv i) {
    wadi_inner_element e = wadi_inner_new(l, s);
    if (e.n == 0) return e;
    *e.at = (wadi_vloc){.kind = WADI_LOC_SCALAR};
    for (int f = 0; f < e.type->elem.fields; f++) {
        const wadi_lv column = wadi_lower_slot_pointer(l, l->of.inner[s], f, "inner");
        e.at->field[f] = wadi_lb_load(&l->b, column, i, NULL);
    }
    return e;
}

wadi_inner_element wadi_inner_at(wadi_lower *l, wadi_val s, wadi_lv i) {
    const wadi_bind *b = maker(l, s);
    if (l->of.inner && l->of.inner[s] >= 0) return stored(l, s, i);
    if (b->op->seq.form == WADI_SEQ_PICK) {
        const wadi_seq_pick pick = b->op->seq.pick;
        if (pick.step) i = bin(l, WADI_SOP_MUL, i, number_of(l, b, pick.step));
        if (pick.first) i = bin(l, WADI_SOP_ADD, i, number_of(l, b, pick.first));
        return wadi_inner_at(l, b->args[0], i);
    }
    const wadi_block *r = b->blocks[0];
    if (b->op->seq.form == WADI_SEQ_COUNT) {
        l->loc[r->params[0]] = (wadi_vloc){.kind = WADI_LOC_SCALAR, .field = {i}};
        return wadi_inner_run(l, s, r);
    }
    int first = 0;
    wadi_inner_element from[WADI_MAX_PARAMS];
    for (int a = 0; a < b->nargs; a++) from[a] = wadi_inner_at(l, b->args[a], i);
    for (int a = 0; a < b->nargs; a++) first = wadi_inner_params(l, r, first, b->args[a], &from[a]);
    return wadi_inner_run(l, s, r);
}

bool wadi_inner_length(wadi_lower *l, wadi_val s, wadi_lv *out_n) {
    if (!wadi_inner_is_indexed(l, s)) return false;
    *out_n = length_fact(l, length(l, s));
    return true;
}

/* ---- expanding ---- */

wadi_vloc *wadi_inner_wholes(wadi_lower *l, const wadi_bind *b, const wadi_inner_element *e) {
    const wadi_block *r = b->blocks[0];
    wadi_borrowed values = {0};
    wadi_vloc *whole = WADI_NEW_N(l->y->arena, wadi_vloc, (size_t)r->nyields + 1);
    if (!whole) l->b.failed = true;
    (void)wadi_inner_params(l, r, 0, b->args[0], e);
    wadi_inner_compute(l, r, &values);
    for (int c = 0; whole && c < r->nyields; c++) whole[c] = wadi_inner_place(l, r->yields[c]);
    wadi_give_back(l, &values);
    return l->status || l->b.failed ? NULL : whole;
}

wadi_lv wadi_inner_slices(wadi_lower *l, const wadi_bind *b, const wadi_vloc *whole) {
    for (int c = 1; c < b->blocks[0]->nyields; c++) {
        const wadi_lv differ = bin(l, WADI_SOP_NE, whole[c].extent[0], whole[0].extent[0]);
        int64_t known = 0;
        if (wadi_lb_is_const(&l->b, differ, &known) && !known) continue;
        wadi_lb_if(&l->b, differ);
        wadi_lower_fault(
            l, WADI_FAULT_SHAPE,
            wadi_layout_place(l->y, b->op->name, wadi_lower_words(l, WADI_SAID_SLICES, c), b->loc),
            whole[c].extent[0], whole[0].extent[0]);
        wadi_lb_end(&l->b);
    }
    return whole[0].extent[0];
}

void wadi_inner_slice(wadi_lower *l, const wadi_vloc *whole, const wadi_array_type *t, wadi_lv j,
                      wadi_vloc *out) {
    *out = (wadi_vloc){.kind = t->rank > 0 ? WADI_LOC_MEMORY : WADI_LOC_SCALAR,
                       .own_extents = t->rank > 0};
    if (t->rank > 0) memcpy(out->extent, whole->extent + 1, (size_t)t->rank * sizeof *out->extent);
    const wadi_lv from = bin(l, WADI_SOP_MUL, j, wadi_lower_size(l, t->rank, out->extent));
    for (int f = 0; f < t->elem.fields; f++)
        out->field[f] = t->rank > 0 ? wadi_lb_advance(&l->b, whole->field[f], from)
                                    : wadi_lb_load(&l->b, whole->field[f], j, NULL);
}

/* ---- states ---- */

wadi_round_state wadi_inner_state(const wadi_bind *b) {
    const wadi_block *r = b->blocks[0];
    return (wadi_round_state){.n = b->nargs - 1,
                              .init = b->args + 1,
                              .params = r->params,
                              .yields = r->yields,
                              .results = r->params};
}

wadi_inner_element wadi_inner_step(wadi_lower *l, const wadi_inner *in, wadi_round_state *state,
                                   const wadi_bind *b, const wadi_inner_element *e) {
    const wadi_block *r = b->blocks[0];
    wadi_borrowed values = {0};
    wadi_inner_element next = wadi_inner_new(l, b->results[0]);
    wadi_round_state_place(l, state, r->params);
    (void)wadi_inner_params(l, r, state->n, b->args[0], e);
    wadi_inner_compute(l, r, &values);
    if (l->status || l->b.failed) return next;
    for (int c = 0; c < next.n; c++) next.at[c] = wadi_inner_place(l, r->yields[c]);
    wadi_round_state_next(l, state);
    if (!state->keeps_shape) wadi_inner_keep(l, in, NULL);
    wadi_give_back(l, &values);
    return next;
}

/* ---- rounds ---- */

wadi_inner wadi_inner_start(wadi_lower *l, const wadi_inner *around) {
    return (wadi_inner){
        .around = around,
        .kept = wadi_lb_var(&l->b, WADI_BOOL, false, wadi_lb_bool(&l->b, false), "kept"),
        .alive = WADI_LV_NONE};
}

void wadi_inner_keep(wadi_lower *l, const wadi_inner *in, const wadi_inner *home) {
    for (; in != home; in = in->around) wadi_lb_set(&l->b, in->kept, wadi_lb_bool(&l->b, true));
}

void wadi_inner_open(wadi_lower *l, const wadi_inner *in) {
    wadi_lb_set(&l->b, in->kept, wadi_lb_bool(&l->b, false));
}

void wadi_inner_close(wadi_lower *l, const wadi_inner *in) {
    const wadi_lv mark = wadi_lower_mark_front(l);
    if (mark == WADI_LV_NONE) return;
    const wadi_lv kept = wadi_lb_get(&l->b, in->kept);
    wadi_lb_if(&l->b, wadi_lb_prim(&l->b, WADI_SOP_LNOT, WADI_BOOL, 1, &kept));
    (void)wadi_lb_act(&l->b, WADI_L_REWIND, 1, &mark);
    wadi_lb_end(&l->b);
}
