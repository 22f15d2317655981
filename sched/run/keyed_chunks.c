/* Keys and their states as chunks: for what is behind the end of a stream, and for saved runs. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sched/run/keyed_states.h"

/* ---- chunks of keys and of states ---- */

static wadi_status make_chunk(wadi_buffers *buffers, int components, int64_t count,
                              wadi_chunk **out, wadi_error *err) {
    WADI_TRY(wadi_chunk_create(buffers, components, out, err));
    (*out)->count = count;
    return WADI_OK;
}

/* The low bytes of n words, every `step`-th: numbers of `size` bytes. */
static void put_words(const uint64_t *from, int step, int64_t n, int size, void *to) {
    for (int64_t i = 0; i < n; i++, from += step) switch (size) {
        case 1:
            ((uint8_t *)to)[i] = (uint8_t)*from;
            break;
        case 2:
            ((uint16_t *)to)[i] = (uint16_t)*from;
            break;
        case 4:
            ((uint32_t *)to)[i] = (uint32_t)*from;
            break;
        default:
            ((uint64_t *)to)[i] = *from;
        }
}

/* The next `out->count` keys, from `first` on. */
static wadi_status put_keys(const wadi_states *k, int64_t first, wadi_chunk *out, wadi_error *err) {
    wadi_chunk_component *c = out->component;
    *c = (wadi_chunk_component){
        .layout = WADI_LAYOUT_REGULAR, .fields = k->key->fields, .values = out->count};
    memcpy(c->type, k->key->type, sizeof c->type);
    for (int f = 0; f < c->fields; f++) {
        const int size = wadi_type_size(c->type[f]);
        c->column[f] = wadi_chunk_alloc(out, out->count * size);
        if (c->column[f] == NULL) return wadi_states_no_memory(k, err);
        put_words(wadi_keys_at(&k->keys, first) + f, c->fields, out->count, size, c->column[f]);
    }
    return WADI_OK;
}

static wadi_status chunk_of_keys(const wadi_states *k, wadi_buffers *buffers, wadi_chunk **out,
                                 wadi_error *err) {
    WADI_TRY(make_chunk(buffers, 1, k->n, out, err));
    return put_keys(k, 0, *out, err);
}

/* Bytes of a key and its states. */
static int64_t bytes_with(const wadi_states *k, int64_t key) {
    int64_t bytes = wadi_states_bytes_of(k->key, NULL);
    for (int i = 0; i < k->nstate; i++) {
        const wadi_states_all *a = &k->state[i];
        const wadi_states_one *is =
            a->type->rank > 0 && a->array[key].block != NULL ? &a->array[key] : &a->first;
        bytes += wadi_states_bytes_of(a->type, is->shape);
    }
    return bytes;
}

static int64_t as_many_as(const wadi_states *k, int64_t first, int64_t most, int64_t bytes) {
    int64_t n = 0;
    for (int64_t sum = 0; n < most && first + n < k->n; n++) {
        sum += bytes_with(k, first + n);
        if (n > 0 && sum > bytes) break;
    }
    return n;
}

wadi_status wadi_states_chunk(const wadi_states *k, wadi_buffers *buffers, int64_t first,
                              int64_t most, int64_t bytes, wadi_chunk **out, wadi_error *err) {
    const int64_t count = as_many_as(k, first, most, bytes);
    wadi_chunk *c = NULL;
    *out = NULL;
    if (count <= 0) return WADI_OK;
    WADI_TRY(make_chunk(buffers, 1 + k->nstate, count, &c, err));
    c->first = first;
    wadi_status status = put_keys(k, first, c, err);
    if (status == WADI_OK) status = wadi_states_put_rows(k, NULL, first, c, 1, err);
    if (status == WADI_OK)
        *out = c;
    else
        wadi_chunk_release(c);
    return status;
}

/* ---- as bytes: how many keys there are, a chunk of them, and one of their states ---- */

wadi_status wadi_states_save(const wadi_states *k, wadi_buffers *buffers, wadi_text *out,
                             wadi_error *err) {
    wadi_chunk *keys = NULL, *states = NULL;
    wadi_state_put_text(out, "keys");
    wadi_state_put(out, k->n);
    if (k->n == 0) return out->failed ? wadi_states_no_memory(k, err) : WADI_OK;
    wadi_status status = chunk_of_keys(k, buffers, &keys, err);
    if (status == WADI_OK) status = wadi_state_put_chunk(out, keys, err);
    if (status == WADI_OK) status = wadi_states_rows(k, buffers, NULL, k->n, &states, err);
    if (status == WADI_OK) status = wadi_state_put_chunk(out, states, err);
    wadi_chunk_release(keys);
    wadi_chunk_release(states);
    if (status == WADI_OK && out->failed) status = wadi_states_no_memory(k, err);
    return status;
}

static wadi_status of_another(const wadi_states *k, wadi_error *err) {
    return wadi_fail(err, WADI_INVALID, "saved state: not that of %s", k->place->op);
}

static wadi_status load_keys(wadi_states *k, const wadi_chunk *c, wadi_error *err) {
    const wadi_plan_slot *t = k->key;
    if (c->components != 1 || !wadi_states_is_of(c->component, t)) return of_another(k, err);
    for (int64_t n = 0; n < c->count; n++) {
        uint64_t key[WADI_MAX_FIELDS];
        const wadi_array a = wadi_chunk_array(c, 0, n);
        for (int f = 0; f < t->fields; f++)
            wadi_states_words(t->type[f], a.column[f], 1, 1, key + f);
        const int64_t number = wadi_keys_number(&k->keys, key);
        if (number < 0) return wadi_states_no_memory(k, err);
        if (number != n) return wadi_fail(err, WADI_INVALID, "saved state: a key comes twice");
    }
    return wadi_states_begin_keys(k) ? WADI_OK : wadi_states_no_memory(k, err);
}

static wadi_status load_states(wadi_states *k, const wadi_chunk *c, wadi_error *err) {
    if (!wadi_states_fit(k, k->n, c)) return of_another(k, err);
    WADI_TRY(wadi_states_set_rows(k, NULL, c, err));
    return wadi_states_check_memory(k, err);
}

wadi_status wadi_states_load(wadi_states *k, wadi_buffers *buffers, wadi_state_reader *from,
                             wadi_error *err) {
    wadi_chunk *keys = NULL, *states = NULL;
    int64_t n = 0;
    WADI_TRY(wadi_state_expect_text(from, "keys", err));
    WADI_TRY(wadi_state_take_count(from, WADI_STATE_ELEMENTS, &n, err));
    if (n == 0) return WADI_OK;
    WADI_TRY(wadi_state_take_chunk(from, buffers, &keys, err));
    wadi_status status = keys->count == n ? load_keys(k, keys, err) : of_another(k, err);
    if (status == WADI_OK) status = wadi_state_take_chunk(from, buffers, &states, err);
    if (status == WADI_OK) status = load_states(k, states, err);
    wadi_chunk_release(keys);
    wadi_chunk_release(states);
    return status;
}
