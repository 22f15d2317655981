/* scan_by_key: a state for each key. Keys are looked for one after the other. */
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
    return wadi_cursor_keep(in, c, c->components, out);
}

static wadi_status next(wadi_interp *in, wadi_cursor *c, const wadi_iarray **out) {
    const wadi_iarray *args[2 * WADI_STREAM_COMPONENTS];
    const wadi_iarray **element = args + c->bind->nargs - 1;
    size_t at = 0;
    WADI_TRY(wadi_cursor_next(in, c->from[0], element));
    wadi_stream_at(in, c->at);
    WADI_TRY(find(in, c, element[0], &at));
    swap(c, at);
    const wadi_status status = step(in, c, args, out);
    swap(c, at);
    return status;
}

const wadi_seq_meaning wadi_meaning_scan_by_key = {.more = wadi_cursor_all_more, .next = next};
