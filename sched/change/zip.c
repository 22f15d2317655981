/* ZIP, and the changes that leave elements as they are.
 *
 * The inputs of a zip come in chunks of different sizes. Elements that all of them have in one piece are ready; the others
 * wait. */
#include "base/error.h"
#include "sched/change/row.h"

static int64_t at_most(int64_t n, int64_t most) {
    return n < most ? n : most;
}

/* How many elements all inputs have in one piece. */
static int64_t in_one_piece(const wadi_change *c) {
    int64_t n = INT64_MAX;
    for (int i = 0; i < c->o.inputs; i++) {
        const wadi_change_queue *q = &c->in[i];
        if (q->elements == 0) return 0;
        n = at_most(n, q->chunks.at[q->head]->count - q->used);
    }
    return n;
}

static wadi_status zip_piece(wadi_change *c, int64_t n, wadi_error *err) {
    wadi_chunk *part[WADI_MAX_PARTS] = {NULL}, *all = NULL;
    wadi_status status = WADI_OK;
    int components = 0, next = 0;
    for (int i = 0; i < c->o.inputs && status == WADI_OK; i++) {
        status = wadi_change_pop(&c->in[i], n, &part[i], err);
        if (status == WADI_OK) components += part[i]->components;
    }
    if (status == WADI_OK) status = wadi_chunk_create(c->o.buffers, components, &all, err);
    for (int i = 0; i < c->o.inputs; i++) {
        for (int k = 0; all != NULL && k < part[i]->components; k++)
            all->component[next++] = part[i]->component[k];
        if (all != NULL && part[i]->components > 0) wadi_chunk_hold(all, part[i]);
        wadi_chunk_release(part[i]);
    }
    if (status != WADI_OK) return status;
    all->count = n;
    return wadi_change_ready(c, all, err);
}

static wadi_status put(wadi_change *c, int input, wadi_chunk *chunk, wadi_error *err) {
    if (c->o.inputs == 1) return wadi_change_ready_all(c, input, chunk, err);
    WADI_TRY(wadi_change_push(&c->in[input], wadi_chunk_retain(chunk), err));
    for (int64_t n = in_one_piece(c); n > 0; n = in_one_piece(c)) WADI_TRY(zip_piece(c, n, err));
    return WADI_OK;
}

static int64_t as_many(const wadi_change *c, int64_t need) {
    WADI_UNUSED(c);
    return need;
}

const wadi_change_row wadi_change_zip = {
    .facts = {.name = "zip"}, .put = put, .needs = as_many, .waits = true};

const wadi_change_row wadi_change_keyed = {
    .facts = {.name = "keyed", .tests = true, .folds = true, .keys = true},
    .put = wadi_change_ready_all};

const wadi_change_row wadi_change_keys = {
    .facts = {.name = "keys", .tests = true, .folds = true, .keys = true, .last = true},
    .put = wadi_change_ready_all};

const wadi_change_row wadi_change_scan = {
    .facts = {.name = "scan", .folds = true}, .put = wadi_change_ready_all, .needs = as_many};

const wadi_change_row wadi_change_read = {.facts = {.name = "read", .reads = true}};
