/* A state that passes from element to element (fold_seq, scan_seq) or from chunk to chunk (fold_batch).
 *
 * The body reads the state and one element, or a whole chunk, and emits the next state, whose memory then becomes the memory
 * of the state. Or it changes the state in place; the state then has memory of its own. For element after element, the slots
 * of the parts are narrowed, so that every version of the body sees a chunk of one element. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sched/run/keyed.h"
#include "sched/run/state.h"

/* The body writes where it reads. */
static bool is_in_place(const wadi_plan_fold *fold, int i) {
    return fold->carried || fold->state_out[i] == fold->state_in[i];
}

bool wadi_fold_is_fragile(const wadi_crew *w, const wadi_plan_fold *fold) {
    bool fragile = false;
    for (int i = 0; i < fold->nstate && !fold->keyed; i++)
        fragile = fragile || (fold->carried ? w->slots->plan->slots[fold->state_in[i]].rank > 0
                                            : is_in_place(fold, i));
    return fragile;
}

wadi_status wadi_fold_begin(wadi_crew *w, const wadi_plan_fold *fold, wadi_error *err) {
    if (fold->nparts > WADI_MAX_PARTS) {
        return wadi_fail(err, WADI_UNSUPPORTED, "a fold over elements of %d arrays, at most %d",
                         fold->nparts, (int)WADI_MAX_PARTS);
    }
    for (int i = 0; i < fold->nstate; i++) {
        if (is_in_place(fold, i)) {
            const bool take = fold->take != NULL && fold->take[i];
            wadi_slot slot;
            wadi_slot_memory memory;
            if (!(take ? wadi_slots_take_over : wadi_slots_copy)(w->slots, fold->init[i], &slot,
                                                                 &memory))
                return wadi_fold_no_memory(err);
            wadi_slots_give(w->slots, fold->state_in[i], &slot, &memory);
            continue;
        }
        wadi_slots_alias(w->slots, fold->init[i], fold->state_in[i]);
        if (!wadi_fold_lay_out(w->slots, fold->state_in[i])) return wadi_fold_no_memory(err);
    }
    return WADI_OK;
}

void wadi_fold_end(wadi_crew *w, const wadi_plan_fold *fold, const int *into) {
    for (int i = 0; i < fold->nstate; i++) {
        wadi_slots_move(w->slots, fold->state_in[i], into[i]);
    }
}

/* ---- the state as bytes: each array is a chunk of one element ---- */

static wadi_status save_array(const wadi_slots *s, int slot, wadi_text *out, wadi_error *err) {
    const wadi_plan_slot *p = wadi_slots_plan(s, slot);
    wadi_chunk *c = NULL;
    WADI_TRY(wadi_chunk_create(s->buffers, 1, &c, err));
    wadi_chunk_component *to = c->component;
    c->count = 1;
    *to = (wadi_chunk_component){.layout = WADI_LAYOUT_REGULAR,
                                 .rank = p->rank,
                                 .fields = p->fields,
                                 .residence = s->residence};
    memcpy(to->type, p->type, sizeof to->type);
    for (int d = 0; d < p->rank; d++) to->shape[d] = s->slot[slot].shape[d];
    for (int f = 0; f < p->fields; f++) to->column[f] = s->slot[slot].col[f];
    to->values = wadi_shape_values(to->rank, to->shape);
    const wadi_status status = wadi_state_put_chunk(out, c, err);
    wadi_chunk_release(c);
    return status;
}

static wadi_status load_array(wadi_slots *s, int slot, wadi_state_reader *from, wadi_error *err) {
    const wadi_plan_slot *p = wadi_slots_plan(s, slot);
    wadi_chunk *c = NULL;
    WADI_TRY(wadi_state_take_chunk(from, s->buffers, &c, err));
    const wadi_chunk_component *was = c->component;
    bool fits = c->components == 1 && c->count == 1 && was->layout == WADI_LAYOUT_REGULAR &&
                was->rank == p->rank && was->fields == p->fields;
    for (int f = 0; fits && f < p->fields; f++) fits = was->type[f] == p->type[f];
    const wadi_status status =
        fits ? wadi_fold_fill(s, slot, was, err)
             : wadi_fail(err, WADI_INVALID, "saved state: an array of another type than %s",
                         p->name != NULL ? p->name : "the fold's");
    wadi_chunk_release(c);
    return status;
}

wadi_status wadi_fold_save(const wadi_crew *w, const wadi_plan_fold *fold, wadi_text *out,
                           wadi_error *err) {
    wadi_state_put_text(out, "fold");
    wadi_state_put(out, fold->nstate);
    for (int i = 0; i < fold->nstate; i++)
        WADI_TRY(save_array(w->slots, fold->state_in[i], out, err));
    return out->failed ? wadi_fold_no_memory(err) : WADI_OK;
}

wadi_status wadi_fold_load(wadi_crew *w, const wadi_plan_fold *fold, wadi_state_reader *from,
                           wadi_error *err) {
    int64_t n = 0;
    WADI_TRY(wadi_state_expect_text(from, "fold", err));
    WADI_TRY(wadi_state_take(from, &n, err));
    if (n != fold->nstate)
        return wadi_fail(err, WADI_INVALID, "saved state: of %lld arrays, not %d", (long long)n,
                         fold->nstate);
    for (int i = 0; i < fold->nstate; i++) {
        WADI_TRY(load_array(w->slots, fold->state_in[i], from, err));
        if (!is_in_place(fold, i) && !wadi_fold_lay_out(w->slots, fold->state_in[i]))
            return wadi_fold_no_memory(err);
    }
    return WADI_OK;
}

/* ---- running the body ---- */

static wadi_status run_job(wadi_crew *w, wadi_job *job, wadi_error *err) {
    w->at_element = false;
    WADI_TRY(wadi_runner_run(w->runner, job, err));
    w->at_element = !job->main_block && wadi_fault_is_of_element(&job->fault);
    return job->fault.kind == WADI_FAULT_NONE ? WADI_OK : wadi_job_error(job, err);
}

static wadi_status run_body(wadi_crew *w, const wadi_plan_fold *fold, wadi_job *job,
                            wadi_error *err) {
    WADI_TRY(run_job(w, job, err));
    for (int i = 0; i < fold->nstate; i++) {
        if (is_in_place(fold, i)) continue;
        wadi_slots_move(w->slots, fold->state_out[i], fold->state_in[i]);
    }
    for (int i = 0; i < fold->nstate; i++) {
        if (!wadi_fold_lay_out(w->slots, fold->state_in[i])) return wadi_fold_no_memory(err);
    }
    return WADI_OK;
}

/* ---- element by element ---- */

/* A slot of `whole` as it looks for element s alone. offset: room for two. */
static wadi_slot narrow(const wadi_plan_slot *p, const wadi_slot *whole, int64_t s,
                        int64_t *offset) {
    wadi_slot one = *whole;
    int64_t start = s * whole->stride;
    if (p->kind == WADI_SLOT_IRREGULAR) {
        start = whole->offset[s];
        one.shape = whole->shape + s * p->rank;
        offset[0] = 0;
        offset[1] = wadi_shape_values(p->rank, one.shape);
        one.offset = offset;
    }
    for (int f = 0; f < p->fields; f++) {
        one.col[f] = (char *)whole->col[f] + start * wadi_type_size(p->type[f]);
    }
    return one;
}

/* The state as one more element of the builder's. */
static wadi_status append_state(wadi_crew *w, const wadi_plan_fold *fold, wadi_builder *states,
                                wadi_error *err) {
    for (int i = 0; i < fold->nstate; i++) {
        const wadi_slot *state = &w->slots->slot[fold->state_in[i]];
        const wadi_plan_slot *p = &w->slots->plan->slots[fold->state_in[i]];
        const int64_t values = wadi_shape_values(p->rank, state->shape);
        wadi_array to;
        WADI_TRY(wadi_builder_array(states, i, state->shape, &to, err));
        for (int f = 0; f < p->fields; f++)
            wadi_residence_get_column(w->slots->residence, (void *)(uintptr_t)to.column[f],
                                      state->col[f], values * wadi_type_size(p->type[f]));
    }
    WADI_TRY(wadi_residence_check(w->slots->residence, err));
    return wadi_builder_next(states, err);
}

static wadi_status bind_parts(wadi_crew *w, const wadi_plan_fold *fold, wadi_chunk *c,
                              wadi_error *err) {
    for (int i = 0; i < fold->nparts; i++) {
        int64_t bad = 0;
        if (c->component[i].rank == 0) WADI_TRY(wadi_chunk_spread(c, i, err));
        WADI_TRY(wadi_slots_bind_component(w->slots, fold->parts[i], &c->component[i], c->count,
                                           &bad, err));
    }
    return WADI_OK;
}

/* What the body has made of an element at which it failed. */
static void forget_results(wadi_crew *w, const wadi_plan_fold *fold) {
    const wadi_plan_body *body = &w->slots->plan->bodies[fold->body];
    for (int i = 0; i < fold->nstate; i++)
        for (int k = 0; k < body->nresults && !is_in_place(fold, i); k++)
            if (body->results[k] == fold->state_out[i])
                wadi_slots_clear(w->slots, fold->state_out[i]);
}

static wadi_status fold_each(wadi_crew *w, const wadi_plan_fold *fold, const wadi_chunk *c,
                             wadi_states *keyed, wadi_builder *states, int64_t *out_done,
                             wadi_error *err) {
    wadi_slot whole[WADI_MAX_PARTS];
    int64_t elements[WADI_MAX_PARTS];
    int64_t offset[WADI_MAX_PARTS][2];
    wadi_status status = WADI_OK;
    for (int i = 0; i < fold->nparts; i++) {
        whole[i] = w->slots->slot[fold->parts[i]];
        elements[i] = w->slots->memory[fold->parts[i]].elements;
    }
    for (int64_t s = 0; s < c->count; s++, ++*out_done) {
        wadi_job job = {
            .body = fold->body, .first = c->first + s, .count = 1, .left = -1, .slots = w->slots};
        for (int i = 0; i < fold->nparts; i++) {
            const int slot = fold->parts[i];
            w->slots->slot[slot] = narrow(&w->slots->plan->slots[slot], &whole[i], s, offset[i]);
            w->slots->memory[slot].elements = 1;
        }
        if (keyed != NULL) status = wadi_states_put(keyed, w, s, err);
        if (status == WADI_OK) status = run_body(w, fold, &job, err);
        if (status != WADI_OK) forget_results(w, fold);
        if (status == WADI_OK && states != NULL) status = append_state(w, fold, states, err);
        if (status == WADI_OK && keyed != NULL) status = wadi_states_take(keyed, w, s, err);
        if (status != WADI_OK) break;
    }
    for (int i = 0; i < fold->nparts; i++) {
        w->slots->slot[fold->parts[i]] = whole[i];
        w->slots->memory[fold->parts[i]].elements = elements[i];
    }
    return status;
}

/* All elements in one run of the body. Scalars of the state change only if none of them fails. */
static wadi_status fold_carried(wadi_crew *w, const wadi_plan_fold *fold, const wadi_chunk *c,
                                wadi_states *keyed, int64_t *out_done, wadi_error *err) {
    wadi_job job = {
        .body = fold->body, .first = c->first, .count = c->count, .left = -1, .slots = w->slots};
    if (keyed != NULL) WADI_TRY(wadi_states_gather(keyed, w, err));
    wadi_status status = run_job(w, &job, err);
    if (status == WADI_OK && keyed != NULL) status = wadi_states_scatter(keyed, w, err);
    *out_done = status == WADI_OK ? c->count : status == WADI_FAULT ? job.fault.element : 0;
    return status;
}

wadi_status wadi_fold_elements(wadi_crew *w, const wadi_plan_fold *fold, wadi_chunk *c,
                               wadi_states *keyed, wadi_builder *states, int64_t *out_done,
                               wadi_error *err) {
    *out_done = 0;
    w->at_element = false;
    wadi_status status = bind_parts(w, fold, c, err);
    if (status == WADI_OK && keyed != NULL) status = wadi_states_begin(keyed, c, err);
    if (status == WADI_OK && fold->carried)
        status = fold_carried(w, fold, c, keyed, out_done, err);
    else if (status == WADI_OK)
        status = fold_each(w, fold, c, keyed, states, out_done, err);
    const int64_t taken = status != WADI_OK && fold->carried ? 0 : *out_done;
    if (keyed != NULL) wadi_states_end(keyed, w, taken);
    for (int i = 0; i < fold->nparts; i++) wadi_slots_clear(w->slots, fold->parts[i]);
    return status;
}

/* ---- a chunk at once ---- */

/* The table of shapes, i64[count, rank]. */
static wadi_status bind_shapes(wadi_crew *w, int slot, const wadi_chunk_component *c, int64_t count,
                               wadi_error *err) {
    wadi_slots_clear(w->slots, slot);
    if (!wadi_slots_room_for_shapes(w->slots, slot, 1)) return wadi_fold_no_memory(err);
    w->slots->slot[slot].shape[0] = count;
    w->slots->slot[slot].shape[1] = c->rank;
    void *table = c->shapes, *block = NULL;
    if (c->layout != WADI_LAYOUT_IRREGULAR) {
        table = block =
            wadi_buffers_get(w->slots->buffers, count * c->rank * (int64_t)sizeof(int64_t));
        if (table == NULL) return wadi_fold_no_memory(err);
        int64_t *to = table;
        for (int64_t s = 0; s < count; s++)
            for (int d = 0; d < c->rank; d++) *to++ = c->shape[d];
    }
    if (!wadi_slots_set_columns(w->slots, slot, NULL, &table, count * c->rank)) {
        wadi_buffers_put(block);
        return wadi_fold_no_memory(err);
    }
    if (w->slots->residence == NULL)
        w->slots->memory[slot].column[0] = block;
    else
        wadi_buffers_put(block);
    return WADI_OK;
}

static wadi_status bind_values(wadi_crew *w, int slot, const wadi_chunk_component *c,
                               wadi_error *err) {
    wadi_slots_clear(w->slots, slot);
    if (!wadi_slots_room_for_shapes(w->slots, slot, 1)) return wadi_fold_no_memory(err);
    w->slots->slot[slot].shape[0] = c->values;
    return wadi_slots_set_columns(w->slots, slot, c->residence, c->column, c->values)
               ? WADI_OK
               : wadi_fold_no_memory(err);
}

/* Whether the body makes the array in slot state_out[i], for state i alone: its memory may be taken away. */
static bool is_made(const wadi_crew *w, const wadi_plan_fold *fold, int i) {
    const wadi_plan_body *body = &w->slots->plan->bodies[fold->body];
    bool made = false;
    for (int k = 0; k < body->nresults; k++) made = made || body->results[k] == fold->state_out[i];
    for (int k = 0; k < fold->nstate; k++)
        made = made && (k == i || fold->state_out[k] != fold->state_out[i]);
    return made;
}

/* Another array of the state than the body makes: copied, and not yet in its place. */
typedef struct copy {
    wadi_slot slot;
    wadi_slot_memory memory;
} copy;

/* What the body does not make (another state before, a part of the chunk, a constant) is copied, before any state changes. */
static wadi_status next_state(wadi_crew *w, const wadi_plan_fold *fold, wadi_error *err) {
    copy *copies = calloc((size_t)fold->nstate + 1, sizeof *copies);
    int copied = 0;
    bool fine = copies != NULL;
    for (; copied < fold->nstate && fine; copied++) {
        if (!is_made(w, fold, copied) && !is_in_place(fold, copied))
            fine = wadi_slots_copy(w->slots, fold->state_out[copied], &copies[copied].slot,
                                   &copies[copied].memory);
    }
    if (!fine) copied--; /* the last one has nothing */
    for (int i = 0; i < copied; i++) {
        if (is_made(w, fold, i) || is_in_place(fold, i)) continue;
        wadi_slots_give(w->slots, fold->state_in[i], &copies[i].slot, &copies[i].memory);
    }
    for (int i = 0; i < fold->nstate && fine; i++) {
        if (is_made(w, fold, i)) wadi_slots_move(w->slots, fold->state_out[i], fold->state_in[i]);
    }
    free(copies);
    return fine ? WADI_OK : wadi_fold_no_memory(err);
}

static wadi_status fold_bound(wadi_crew *w, const wadi_plan_fold *fold, wadi_chunk *c,
                              wadi_error *err) {
    const wadi_plan_body *body = &w->slots->plan->bodies[fold->body];
    for (int i = 0; i < fold->nparts; i++) {
        WADI_TRY(wadi_chunk_spread(c, i, err));
        WADI_TRY(bind_shapes(w, fold->parts[2 * i], &c->component[i], c->count, err));
        WADI_TRY(bind_values(w, fold->parts[2 * i + 1], &c->component[i], err));
    }
    for (int i = 0; i < body->nresults; i++) wadi_slots_clear(w->slots, body->results[i]);
    wadi_job job = {
        .body = fold->body, .main_block = true, .first = c->first, .count = 1, .slots = w->slots};
    bool changes = body->nresults > 0;
    for (int i = 0; i < fold->nstate; i++) changes = changes || is_in_place(fold, i);
    if (changes) WADI_TRY(run_job(w, &job, err));
    return next_state(w, fold, err);
}

wadi_status wadi_fold_whole(wadi_crew *w, const wadi_plan_fold *fold, wadi_chunk *c,
                            wadi_error *err) {
    const wadi_status status = fold_bound(w, fold, c, err);
    for (int i = 0; i < 2 * fold->nparts; i++) wadi_slots_clear(w->slots, fold->parts[i]);
    return status;
}
