/* Folds: bodies that read a state and one element (FOLD, and SCAN inside a stream) or a whole chunk (FOLD_CHUNK). */
#include "codegen/plan/fold.h"

#include <string.h>

#include "base/error.h"

/* ---- folds ---- */

static bool is_scalar(const wadi_planning *p, const wadi_bind *b, int i) {
    return p->m->values[b->args[1 + i]].type.array[0].rank == 0;
}

/* table: it has states of several keys, one behind the other. */
static int state_slot(wadi_planning *p, const wadi_array_type *state, bool table) {
    wadi_array_type t = *state;
    if (table) t.rank++;
    return wadi_planning_typed_slot(p, "state", WADI_SLOT_ONCE, &t);
}

/* Gives the n arrays of the state slots. The first state is arguments 1, 2, ... of b. */
static wadi_status state_slots(wadi_planning *p, const wadi_bind *b, wadi_plan_fold *f,
                               int **out_in, int **out_out) {
    const int n = b->nargs - 1;
    int *init = wadi_planning_list(p, n), *in = wadi_planning_list(p, n),
        *out = wadi_planning_list(p, n);
    bool *take = WADI_NEW_N(p->plan->arena, bool, (size_t)n + 1);
    if (!init || !in || !out || !take) return wadi_planning_no_memory(p);
    for (int i = 0; i < n; i++) {
        const wadi_array_type *t = &p->m->values[b->args[1 + i]].type.array[0];
        init[i] = wadi_planning_once(p, wadi_planning_resolved(p, b->args[1 + i]));
        take[i] = !f->keyed && wadi_planning_is_last_read(p, b->args[1 + i]);
        in[i] = state_slot(p, t, f->keyed && f->carried);
        wadi_planning_param_at(p, b->blocks[0]->params[i], in[i]);
    }
    f->nstate = n;
    f->init = init;
    f->take = take;
    f->state_in = *out_in = in;
    f->state_out = *out_out = out;
    return WADI_OK;
}

/* The parameters of a region after the state, one per component. A component that is one array for the whole stream keeps its
 * slot; the others become parts. */
static wadi_status element_parts(wadi_planning *p, const wadi_bind *b, wadi_plan_fold *f) {
    const wadi_val seq = b->args[0];
    const int n = p->m->values[seq].type.arrays;
    int *parts = wadi_planning_list(p, n), *from = wadi_planning_list(p, n);
    if (!parts || !from) return wadi_planning_no_memory(p);
    for (int c = 0; c < n; c++) {
        const wadi_val param = b->blocks[0]->params[f->nstate + c];
        const wadi_val v = p->y.components[seq][c];
        if (v != WADI_NONE && wadi_planning_is_once(p, wadi_planning_resolved(p, v))) {
            p->y.alias_of[param] = wadi_planning_resolved(p, v);
            continue;
        }
        const wadi_array_type *t = &p->m->values[param].type.array[0];
        parts[f->nparts] =
            wadi_planning_typed_slot(p, p->m->values[param].name, WADI_SLOT_IRREGULAR, t);
        from[f->nparts] = wadi_planning_want(p, seq, c);
        wadi_planning_param_at(p, param, parts[f->nparts++]);
    }
    f->parts = parts;
    f->from = from;
    return WADI_OK;
}

/* Plans a body while the region's parameters have slots. */
static wadi_status region_body(wadi_planning *p, const wadi_block *r, const wadi_body *body,
                               int nresults, const int *results, bool inside_only, int *out_body) {
    for (int i = 0; i < r->nparams; i++)
        p->known[r->params[i]] = p->y.alias_of[r->params[i]] == WADI_NONE;
    memset(p->late, 0, p->m->nvalues * sizeof *p->late);
    const wadi_status st =
        wadi_planning_body(p, body, -1, nresults, results, inside_only, out_body);
    for (int i = 0; i < r->nparams; i++) p->known[r->params[i]] = false;
    return st;
}

/* A state of scalars, and of arrays that change in place: one kernel takes all elements of a chunk in order. */
static wadi_status carried_body(wadi_planning *p, const wadi_bind *b, wadi_body *body,
                                const int *in, int *next, wadi_plan_fold *f) {
    const wadi_block *r = b->blocks[0];
    const bool scans =
        p->m->values[b->results[0]].type.is_seq && b->op->seq.form != WADI_SEQ_FOLD_BY_KEY;
    int *after = wadi_planning_list(p, f->nstate);
    struct wadi_carried *carried =
        WADI_NEW_N(p->y.arena, struct wadi_carried, (size_t)f->nstate + 1);
    if (!after || !carried) return wadi_planning_no_memory(p);
    for (int i = 0; i < f->nstate; i++) {
        const wadi_array_type *t = &p->m->values[b->args[1 + i]].type.array[0];
        next[i] = in[i];
        if (!is_scalar(p, b, i)) continue;
        after[body->ncarried] = -1;
        if (scans)
            after[body->ncarried] = wadi_planning_typed_slot(p, "after", WADI_SLOT_REGULAR, t);
        carried[body->ncarried] =
            (struct wadi_carried){r->params[i], r->yields[i], in[i], after[body->ncarried]};
        body->ncarried++;
    }
    body->in_order = true;
    body->carried = carried;
    if (f->keyed) {
        const wadi_array_type number = {.rank = 0, .elem = wadi_elem_scalar(WADI_I64)};
        f->number = wadi_planning_typed_slot(p, "number", WADI_SLOT_REGULAR, &number);
        body->keyed = true;
        body->number = f->number;
    }
    if (scans) f->after = after;
    return region_body(p, r, body, scans ? f->nstate : 0, after, true, &f->body);
}

/* A state of arrays: each element is a chunk of its own. The next state of an array that does not change in place is written to
 * another slot, which then becomes the state. */
static wadi_status passed_body(wadi_planning *p, const wadi_bind *b, wadi_body *body,
                               const bool *in_place, const int *in, int *next, wadi_plan_fold *f) {
    const wadi_block *r = b->blocks[0];
    struct wadi_copy *copies = WADI_NEW_N(p->y.arena, struct wadi_copy, (size_t)f->nstate + 1);
    int *results = wadi_planning_list(p, f->nstate);
    if (!copies || !results) return wadi_planning_no_memory(p);
    for (int i = 0; i < f->nstate; i++) {
        const wadi_array_type *t = &p->m->values[b->args[1 + i]].type.array[0];
        next[i] = in[i];
        if (in_place[i]) continue;
        next[i] = wadi_planning_typed_slot(p, "next_state", WADI_SLOT_ONCE, t);
        results[body->ncopies] = next[i];
        copies[body->ncopies++] = (struct wadi_copy){r->yields[i], next[i]};
    }
    body->copies = copies;
    return region_body(p, r, body, body->ncopies, results, true, &f->body);
}

wadi_status wadi_planning_fold(wadi_planning *p, const wadi_bind *b, wadi_plan_fold *out) {
    const wadi_block *r = b->blocks[0];
    int *in, *next;
    wadi_body body = {.stream = true, .nbinds = r->nbinds, .binds = (const wadi_bind **)r->binds};
    body.name = wadi_arena_printf(p->plan->arena, "fold_%d", (int)p->bodies.n);
    bool *in_place = WADI_NEW_N(p->y.arena, bool, (size_t)b->nargs);
    if (!body.name || !in_place) return wadi_planning_no_memory(p);
    out->keyed = b->op->seq.form == WADI_SEQ_SCAN_BY_KEY || b->op->seq.form == WADI_SEQ_FOLD_BY_KEY;
    out->carried = true;
    for (int i = 0; i < b->nargs - 1; i++) out->carried = out->carried && is_scalar(p, b, i);
    WADI_TRY(state_slots(p, b, out, &in, &next));
    WADI_TRY(element_parts(p, b, out));
    wadi_planning_in_place(p, b->blocks[0], out->nstate, in, in_place);
    bool fixed = true;
    for (int i = 0; i < out->nstate; i++) fixed = fixed && (is_scalar(p, b, i) || in_place[i]);
    if (fixed && !p->m->values[b->results[0]].type.is_seq) out->carried = true;
    return out->carried ? carried_body(p, b, &body, in, next, out)
                        : passed_body(p, b, &body, in_place, in, next, out);
}

/* ---- folds over chunks ---- */

/* Each component has two parameters: the table of shapes, and the values. */
static wadi_status chunk_parts(wadi_planning *p, const wadi_bind *b, wadi_plan_fold *f) {
    const int n = p->m->values[b->args[0]].type.arrays;
    int *parts = wadi_planning_list(p, 2 * n), *from = wadi_planning_list(p, n);
    if (!parts || !from) return wadi_planning_no_memory(p);
    for (int c = 0; c < n; c++) {
        from[c] = wadi_planning_want(p, b->args[0], c);
        for (int k = 0; k < 2; k++) {
            const wadi_val param = b->blocks[0]->params[f->nstate + 2 * c + k];
            const wadi_value *value = &p->m->values[param];
            parts[2 * c + k] =
                wadi_planning_typed_slot(p, value->name, WADI_SLOT_ONCE, &value->type.array[0]);
            wadi_planning_param_at(p, param, parts[2 * c + k]);
        }
    }
    f->nparts = n;
    f->parts = parts;
    f->from = from;
    return WADI_OK;
}

/* Gives everything that the region stores a slot. Values that take over a state's memory have one already. */
static wadi_status region_results(wadi_planning *p, const wadi_block *r, wadi_body *body,
                                  int **out_slots) {
    int total = 0;
    for (int i = 0; i < r->nbinds; i++) total += r->binds[i]->nresults;
    wadi_val *values = WADI_NEW_N(p->y.arena, wadi_val, (size_t)total + 1);
    int *slots = wadi_planning_list(p, total);
    if (!values || !slots) return wadi_planning_no_memory(p);
    for (int i = 0; i < r->nbinds; i++)
        for (int k = 0; k < r->binds[i]->nresults; k++) {
            const wadi_val v = r->binds[i]->results[k];
            if (!wadi_is_stored(&p->y, v) || p->y.takes[v] != WADI_NONE) continue;
            slots[body->nresults] = wadi_planning_once(p, v);
            values[body->nresults++] = v;
        }
    body->results = values;
    *out_slots = slots;
    return WADI_OK;
}

wadi_status wadi_planning_fold_chunk(wadi_planning *p, const wadi_bind *b, wadi_plan_fold *out) {
    const wadi_block *r = b->blocks[0];
    int *in, *next, *results = NULL;
    wadi_body body = {.nbinds = r->nbinds, .binds = (const wadi_bind **)r->binds};
    body.name = wadi_arena_printf(p->plan->arena, "fold_batch_%d", (int)p->bodies.n);
    bool *in_place = WADI_NEW_N(p->y.arena, bool, (size_t)b->nargs);
    if (!body.name || !in_place) return wadi_planning_no_memory(p);
    WADI_TRY(state_slots(p, b, out, &in, &next));
    WADI_TRY(chunk_parts(p, b, out));
    wadi_planning_in_place(p, b->blocks[0], out->nstate, in, in_place);
    WADI_TRY(region_results(p, r, &body, &results));
    for (int i = 0; i < out->nstate; i++)
        next[i] = wadi_planning_once(p, wadi_planning_resolved(p, r->yields[i]));
    return region_body(p, r, &body, body.nresults, results, false, &out->body);
}
