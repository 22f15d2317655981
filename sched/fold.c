/* fold_seq: the state passes from element to element.
 *
 * The fold's body reads one element of the stream's results and the state, and emits the next state. For each element the
 * results' slots are narrowed to it, so that every version of the body sees a chunk of one element; the new state's
 * memory then becomes the state's. */
#include <string.h>

#include "base/error.h"
#include "sched/run_internal.h"

/* The state's slots have the layout of their kind over a chunk of one element. */
static bool make_state(wadi_slots *s, int slot) {
    const wadi_plan_slot *p = &s->plan->slots[slot];
    wadi_slot *state = &s->slot[slot];
    const int64_t values = wadi_shape_values(p->rank, state->shape);
    state->stride = p->kind == WADI_SLOT_REGULAR ? values : 0;
    if (p->kind != WADI_SLOT_IRREGULAR) return true;
    if (!wadi_slots_room_for_offsets(s, slot, 1)) return false;
    state->offset[0] = 0;
    state->offset[1] = values;
    return true;
}

static wadi_status no_memory(wadi_error *err) {
    return wadi_fail(err, WADI_MEMORY, "fold_seq: out of memory");
}

wadi_status wadi_fold_begin(wadi_exec *x, const wadi_plan_stream *stream, wadi_error *err) {
    for (int i = 0; i < stream->nstate; i++) {
        wadi_slots_alias(&x->slots, stream->init[i], stream->state_in[i]);
        if (!make_state(&x->slots, stream->state_in[i])) return no_memory(err);
    }
    return WADI_OK;
}

/* A slot of `whole` as it looks for element s alone. offset: room for two. */
static wadi_slot narrow(const wadi_plan_slot *p, const wadi_slot *whole, int64_t s,
                        int64_t *offset) {
    wadi_slot one = *whole;
    int64_t start = s * whole->stride;
    if (p->kind == WADI_SLOT_IRREGULAR) {
        start = whole->offset[s];
        offset[0] = 0;
        offset[1] = whole->offset[s + 1] - start;
        one.offset = offset;
        one.shape = whole->shape + s * p->rank;
    }
    for (int f = 0; f < p->fields; f++) {
        one.col[f] = (char *)whole->col[f] + start * wadi_type_size(p->type[f]);
    }
    return one;
}

static wadi_status fold_one(wadi_exec *x, const wadi_plan_stream *stream, int64_t element,
                            wadi_error *err) {
    wadi_job job = {.body = stream->fold, .first = element, .count = 1, .slots = &x->slots};
    WADI_TRY(x->device->ops->run(x->device, &job, err));
    if (job.fault.kind != WADI_FAULT_NONE) {
        return wadi_job_error(&job, err);
    }
    for (int i = 0; i < stream->nstate; i++) {
        wadi_slots_move(&x->slots, stream->state_out[i], stream->state_in[i]);
    }
    for (int i = 0; i < stream->nstate; i++) {
        if (!make_state(&x->slots, stream->state_in[i])) return no_memory(err);
    }
    return WADI_OK;
}

wadi_status wadi_fold_chunk(wadi_exec *x, const wadi_plan_stream *stream, int64_t first,
                            int64_t count, wadi_error *err) {
    wadi_slot whole[WADI_MAX_PARTS];
    int64_t offset[WADI_MAX_PARTS][2];
    wadi_status status = WADI_OK;
    const int n = stream->nresults;
    if (n > WADI_MAX_PARTS) {
        return wadi_fail(err, WADI_UNSUPPORTED, "fold_seq: elements of %d arrays, at most %d", n,
                         (int)WADI_MAX_PARTS);
    }
    for (int i = 0; i < n; i++) whole[i] = x->slots.slot[stream->results[i]];
    for (int64_t s = 0; s < count && status == WADI_OK; s++) {
        for (int i = 0; i < n; i++) {
            const int slot = stream->results[i];
            x->slots.slot[slot] = narrow(&x->plan->slots[slot], &whole[i], s, offset[i]);
        }
        status = fold_one(x, stream, first + s, err);
    }
    for (int i = 0; i < n; i++) x->slots.slot[stream->results[i]] = whole[i];
    return status;
}

void wadi_fold_end(wadi_exec *x, const wadi_plan_stream *stream) {
    for (int i = 0; i < stream->nstate; i++) {
        wadi_slots_move(&x->slots, stream->state_in[i], stream->into[i]);
    }
}
