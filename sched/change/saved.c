/* Saving and loading what a change keeps: the chunks that wait, and what its row adds. If nothing waits, that is a few numbers. */
#include "base/error.h"
#include "sched/change/row.h"

enum { MOST_CHUNKS = 1 << 30 };

/* ---- queues ---- */

/* Saves the first chunk without the elements that were used up. */
static wadi_status save_first(const wadi_change_queue *q, wadi_text *out, wadi_error *err) {
    wadi_chunk *first = q->chunks.at[q->head], *rest = NULL;
    WADI_TRY(wadi_chunk_slice(first, q->used, first->count - q->used, &rest, err));
    const wadi_status status = wadi_state_put_chunk(out, rest, err);
    wadi_chunk_release(rest);
    return status;
}

static wadi_status save_queue(const wadi_change_queue *q, wadi_text *out, wadi_error *err) {
    wadi_state_put(out, q->ended);
    wadi_state_put(out, (int64_t)(q->chunks.n - q->head));
    if (q->head < q->chunks.n) WADI_TRY(save_first(q, out, err));
    for (size_t i = q->head + 1; i < q->chunks.n; i++)
        WADI_TRY(wadi_state_put_chunk(out, q->chunks.at[i], err));
    return WADI_OK;
}

static wadi_status load_queue(wadi_change *c, wadi_change_queue *q, wadi_state_reader *from,
                              wadi_error *err) {
    int64_t ended = 0, chunks = 0;
    WADI_TRY(wadi_state_take_count(from, 1, &ended, err));
    WADI_TRY(wadi_state_take_count(from, MOST_CHUNKS, &chunks, err));
    for (int64_t i = 0; i < chunks; i++) {
        wadi_chunk *chunk = NULL;
        WADI_TRY(wadi_state_take_chunk(from, c->o.buffers, &chunk, err));
        if (chunk->count == 0) {
            wadi_chunk_release(chunk);
            return wadi_fail(err, WADI_INVALID, "saved state: a chunk without elements");
        }
        WADI_TRY(wadi_change_push(q, chunk, err));
    }
    q->ended = ended != 0;
    return WADI_OK;
}

/* ---- the change ---- */

wadi_status wadi_change_save(const wadi_change *c, wadi_text *out, wadi_error *err) {
    const int64_t options[] = {c->o.inputs, c->o.size, c->o.first, c->o.hop, c->o.last};
    wadi_state_put_text(out, c->row->facts.name);
    for (int i = 0; i < 5; i++) wadi_state_put(out, options[i]);
    wadi_state_put(out, c->position);
    WADI_TRY(save_queue(&c->ready, out, err));
    for (int i = 0; i < c->o.inputs; i++) WADI_TRY(save_queue(&c->in[i], out, err));
    if (c->row->save != NULL) WADI_TRY(c->row->save(c, out, err));
    return out->failed ? wadi_change_no_memory(c, err) : WADI_OK;
}

wadi_status wadi_change_load(wadi_change *c, wadi_state_reader *from, wadi_error *err) {
    const int64_t options[] = {c->o.inputs, c->o.size, c->o.first, c->o.hop, c->o.last};
    WADI_TRY(wadi_state_expect_text(from, c->row->facts.name, err));
    for (int i = 0; i < 5; i++) {
        int64_t was = 0;
        WADI_TRY(wadi_state_take(from, &was, err));
        if (was != options[i])
            return wadi_fail(err, WADI_INVALID,
                             "saved state: it belongs to a %s with other numbers",
                             c->row->facts.name);
    }
    WADI_TRY(wadi_state_take_count(from, WADI_STATE_ELEMENTS, &c->position, err));
    WADI_TRY(load_queue(c, &c->ready, from, err));
    for (int i = 0; i < c->o.inputs; i++) WADI_TRY(load_queue(c, &c->in[i], from, err));
    return c->row->load != NULL ? c->row->load(c, from, err) : WADI_OK;
}
