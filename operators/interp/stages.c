/* Forms that carry only a count, or the next element, from element to element. */
#include "operators/interp/stream.h"

/* ---- count and map: what a region yields ---- */

static wadi_status start_count(wadi_interp *in, wadi_cursor *c) {
    return wadi_cursor_number(in, c, 0, NULL, &c->count);
}

static wadi_status more_count(wadi_interp *in, wadi_cursor *c, bool *out) {
    WADI_UNUSED(in);
    *out = c->at < c->count;
    return WADI_OK;
}

static wadi_status produced(wadi_interp *in, wadi_cursor *c, const wadi_iarray **out) {
    const wadi_elem i64 = wadi_elem_scalar(WADI_I64);
    const uint64_t cell = (uint64_t)c->at;
    const wadi_iarray *index[1];
    WADI_TRY(wadi_stream_cells(in, c->bind, 0, &i64, NULL, &cell, index));
    wadi_stream_at(in, c->at);
    return in->cx.region(&in->cx, c->bind->blocks[0], index, out);
}

const wadi_seq_meaning wadi_meaning_count = {
    .start = start_count, .more = more_count, .next = produced};

static wadi_status mapped(wadi_interp *in, wadi_cursor *c, const wadi_iarray **out) {
    const wadi_iarray *args[WADI_STREAM_COMPONENTS];
    int n = 0;
    for (int i = 0; i < c->nfrom; i++) {
        WADI_TRY(wadi_cursor_next(in, c->from[i], args + n));
        n += c->from[i]->components;
    }
    wadi_stream_at(in, c->at);
    return in->cx.region(&in->cx, c->bind->blocks[0], args, out);
}

const wadi_seq_meaning wadi_meaning_map = {.more = wadi_cursor_all_more, .next = mapped};

/* ---- pick: skipped elements are made and forgotten ---- */

static wadi_status start_pick(wadi_interp *in, wadi_cursor *c) {
    const wadi_seq_pick pick = c->bind->op->seq.pick;
    c->count = INT64_MAX;
    c->step = 1;
    if (pick.first) WADI_TRY(wadi_cursor_number(in, c, pick.first, NULL, &c->skip));
    if (pick.step) WADI_TRY(wadi_cursor_number(in, c, pick.step, "the step", &c->step));
    return pick.most ? wadi_cursor_number(in, c, pick.most, NULL, &c->count) : WADI_OK;
}

static wadi_status skip(wadi_interp *in, wadi_cursor *c) {
    const wadi_iarray *unwanted[WADI_STREAM_COMPONENTS];
    for (; c->skip > 0; c->skip--) {
        const size_t mark = in->cx.mark(&in->cx);
        bool more = false;
        WADI_TRY(wadi_cursor_more(in, c->from[0], &more));
        if (!more) break;
        WADI_TRY(wadi_cursor_next(in, c->from[0], unwanted));
        in->cx.release(&in->cx, mark, 0, NULL);
    }
    c->skip = 0;
    return WADI_OK;
}

static wadi_status more_pick(wadi_interp *in, wadi_cursor *c, bool *out) {
    *out = false;
    if (c->at >= c->count) return WADI_OK;
    WADI_TRY(skip(in, c));
    return wadi_cursor_all_more(in, c, out);
}

static wadi_status next_pick(wadi_interp *in, wadi_cursor *c, const wadi_iarray **out) {
    c->skip = c->step - 1;
    return wadi_cursor_next(in, c->from[0], out);
}

const wadi_seq_meaning wadi_meaning_pick = {
    .start = start_pick, .more = more_pick, .next = next_pick};

/* ---- filter ---- */

/* Finds the next element that passes and keeps it; *out: whether there is one. */
static wadi_status find(wadi_interp *in, wadi_cursor *c, bool *out) {
    const wadi_iarray *element[WADI_STREAM_COMPONENTS], *passes[1];
    while (!c->found) {
        const size_t mark = in->cx.mark(&in->cx);
        WADI_TRY(wadi_cursor_more(in, c->from[0], out));
        if (!*out) return WADI_OK;
        WADI_TRY(wadi_cursor_next(in, c->from[0], element));
        wadi_stream_at(in, c->from[0]->at - 1);
        WADI_TRY(in->cx.region(&in->cx, c->bind->blocks[0], element, passes));
        c->found = passes[0]->cell[0] != 0;
        if (c->found) WADI_TRY(wadi_cursor_keep(in, c, c->components, element));
        in->cx.release(&in->cx, mark, 0, NULL);
    }
    *out = true;
    return WADI_OK;
}

static wadi_status found(wadi_interp *in, wadi_cursor *c, const wadi_iarray **out) {
    WADI_TRY(wadi_cursor_recall(in, c, out));
    wadi_cursor_forget(c);
    c->found = false;
    return WADI_OK;
}

const wadi_seq_meaning wadi_meaning_filter = {.more = find, .next = found};
