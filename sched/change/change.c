/* The table of changes, what every change does, and the life of a change. */
#include "sched/change/change.h"

#include <stdlib.h>

#include "base/error.h"
#include "sched/change/row.h"

static const wadi_change_row *const rows[] = {
#define WADI_CHANGE(kind, name) [WADI_CHANGE_##kind] = &wadi_change_##name,
#include "sched/changes.def"
#undef WADI_CHANGE
};

const wadi_change_facts *wadi_change_about(wadi_change_kind kind) {
    return &rows[kind]->facts;
}

/* ---- what every change does ---- */

wadi_status wadi_change_put(wadi_change *c, int input, wadi_chunk *chunk, wadi_error *err) {
    if (chunk->count == 0 || !wadi_change_wants(c)) return WADI_OK;
    return c->row->put(c, input, chunk, err);
}

wadi_status wadi_change_end(wadi_change *c, int input, wadi_error *err) {
    c->in[input].ended = true;
    return c->row->end != NULL ? c->row->end(c, err) : WADI_OK;
}

wadi_status wadi_change_next(wadi_change *c, int64_t most, wadi_chunk **out, wadi_error *err) {
    return wadi_change_pop(&c->ready, most, out, err);
}

int64_t wadi_change_skip(wadi_change *c, int64_t count) {
    const int64_t first = c->position;
    c->position = count < WADI_STATE_ELEMENTS - first ? first + count : WADI_STATE_ELEMENTS;
    return first;
}

bool wadi_change_wants(const wadi_change *c) {
    if (c->row->wants != NULL && !c->row->wants(c)) return false;
    for (int i = 0; i < c->o.inputs; i++)
        if (c->in[i].ended && c->in[i].elements == 0) return false;
    return true;
}

int64_t wadi_change_waiting(const wadi_change *c, int input) {
    return c->row->waits ? c->in[input].elements : 0;
}

int64_t wadi_change_needs(const wadi_change *c, int64_t need) {
    if (c->row->needs != NULL) return c->row->needs(c, need);
    return need == 0 ? 0 : INT64_MAX;
}

int64_t wadi_change_bytes(const wadi_change *c) {
    int64_t bytes = c->ready.bytes;
    for (int i = 0; i < c->o.inputs; i++) bytes += c->in[i].bytes;
    return c->row->bytes != NULL ? bytes + c->row->bytes(c) : bytes;
}

/* ---- life ---- */

wadi_status wadi_change_create(const wadi_change_options *options, wadi_change **out,
                               wadi_error *err) {
    wadi_change *c = calloc(1, sizeof *c);
    wadi_change_queue *in = calloc((size_t)options->inputs, sizeof *in);
    if (c == NULL || in == NULL) {
        free(c);
        free(in);
        return wadi_fail(err, WADI_MEMORY, "stream: out of memory");
    }
    c->row = rows[options->kind];
    c->o = *options;
    c->in = in;
    if (c->row->start != NULL) c->row->start(c);
    *out = c;
    return WADI_OK;
}

void wadi_change_destroy(wadi_change *c) {
    if (c == NULL) return;
    wadi_change_clear(&c->ready);
    for (int i = 0; i < c->o.inputs; i++) wadi_change_clear(&c->in[i]);
    if (c->row->fini != NULL) c->row->fini(c);
    free(c->in);
    free(c);
}
