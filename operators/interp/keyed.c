/* scan_by_key and fold_by_key: a state for each key. Keys are looked for one after the other. */
#include <stdlib.h>
#include <string.h>

#include "operators/interp/stream.h"

/* The cursor's own arrays change places with those of the key. */
static void swap(wadi_cursor *c, size_t at) {
    wadi_key_state *k = &c->keys.at[at];
    wadi_iarray **kept = c->kept;
    const int nkept = c->nkept;
    c->kept = k->kept;
    c->nkept = k->nkept;
    k->kept = kept;
    k->nkept = nkept;
}

static bool has(const wadi_key_state *k, const wadi_iarray *key) {
    return memcmp(k->key, key->cell, (size_t)key->cells * sizeof *k->key) == 0;
}

/* The number of the key's state, which is the first one if the key is new. */
static wadi_status find(wadi_interp *in, wadi_cursor *c, const wadi_iarray *key, size_t *out) {
    const wadi_bind *b = c->bind;
    const wadi_iarray *first[WADI_STREAM_COMPONENTS];
    for (*out = 0; *out < c->keys.n; ++*out)
        if (has(&c->keys.at[*out], key)) return WADI_OK;
    wadi_key_state k = {.kept = calloc(WADI_STREAM_COMPONENTS, sizeof *k.kept)};
    memcpy(k.key, key->cell, (size_t)key->cells * sizeof *k.key);
    if (!k.kept || !wadi_vec_push(&c->keys, k)) {
        free((void *)k.kept);
        return wadi_stream_no_memory(in, b);
    }
    for (int i = 1; i < b->nargs; i++) first[i - 1] = in->value[b->args[i]];
    swap(c, *out);
    const wadi_status status = wadi_cursor_keep(in, c, b->nargs - 1, first);
    swap(c, *out);
    return status;
}

static wadi_status step(wadi_interp *in, wadi_cursor *c, const wadi_iarray **args,
                        const wadi_iarray **out) {
    WADI_TRY(wadi_cursor_recall(in, c, args));
    WADI_TRY(in->cx.region(&in->cx, c->bind->blocks[0], args, out));
    return wadi_cursor_keep(in, c, c->bind->nargs - 1, out);
}

/* Takes the next element, which exists, into the state of its key: *out_at. */
static wadi_status take(wadi_interp *in, wadi_cursor *c, int64_t number, size_t *out_at,
                        const wadi_iarray **out) {
    const wadi_iarray *args[2 * WADI_STREAM_COMPONENTS];
    const wadi_iarray **element = args + c->bind->nargs - 1;
    WADI_TRY(wadi_cursor_next(in, c->from[0], element));
    wadi_stream_at(in, number);
    WADI_TRY(find(in, c, element[0], out_at));
    swap(c, *out_at);
    const wadi_status status = step(in, c, args, out);
    swap(c, *out_at);
    return status;
}

static wadi_status next_scan(wadi_interp *in, wadi_cursor *c, const wadi_iarray **out) {
    size_t at = 0;
    return take(in, c, c->at, &at, out);
}

const wadi_seq_meaning wadi_meaning_scan_by_key = {.more = wadi_cursor_all_more, .next = next_scan};

/* All elements are taken when the first key is asked for. */
static wadi_status more_fold(wadi_interp *in, wadi_cursor *c, bool *out) {
    const wadi_iarray *states[WADI_STREAM_COMPONENTS];
    size_t at = 0;
    WADI_TRY(wadi_cursor_more(in, c->from[0], out));
    while (*out) {
        const size_t mark = in->cx.mark(&in->cx);
        WADI_TRY(take(in, c, c->from[0]->at, &at, states));
        in->cx.release(&in->cx, mark, 0, NULL);
        WADI_TRY(wadi_cursor_more(in, c->from[0], out));
    }
    *out = (size_t)c->at < c->keys.n;
    return WADI_OK;
}

static wadi_status next_fold(wadi_interp *in, wadi_cursor *c, const wadi_iarray **out) {
    const size_t at = (size_t)c->at;
    const wadi_elem *key = &in->m->values[c->bind->args[0]].type.array[0].elem;
    WADI_TRY(wadi_stream_cells(in, c->bind, 0, key, NULL, c->keys.at[at].key, &out[0]));
    swap(c, at);
    const wadi_status status = wadi_cursor_recall(in, c, out + 1);
    swap(c, at);
    return status;
}

const wadi_seq_meaning wadi_meaning_fold_by_key = {.more = more_fold, .next = next_fold};
