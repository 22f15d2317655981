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

/* Array i of all states, which are arrays: those of different shapes, one behind the other. */
static bool put_arrays(const wadi_states *k, int i, int64_t first, wadi_chunk *out,
                       wadi_chunk_component *c) {
    const int64_t word = (int64_t)sizeof(int64_t), count = out->count;
    c->layout = WADI_LAYOUT_IRREGULAR;
    c->shapes = wadi_chunk_alloc(out, count * c->rank * word);
    c->offsets = wadi_chunk_alloc(out, (count + 1) * word);
    if (c->shapes == NULL || c->offsets == NULL) return false;
    c->offsets[0] = 0;
    for (int64_t n = 0; n < count; n++) {
        const wadi_chunk_component is = wadi_states_of(k, i, first + n);
        for (int d = 0; d < c->rank; d++) c->shapes[n * c->rank + d] = is.shape[d];
        c->offsets[n + 1] = c->offsets[n] + is.values;
    }
    c->values = c->offsets[count];
    for (int f = 0; f < c->fields; f++) {
        const int64_t size = wadi_type_size(c->type[f]);
        char *to = wadi_chunk_alloc(out, c->values * size);
        if (to == NULL) return false;
        c->column[f] = to;
        for (int64_t n = 0; n < count; n++) {
            const wadi_chunk_component is = wadi_states_of(k, i, first + n);
            if (is.values > 0)
                memcpy(to + c->offsets[n] * size, is.column[f], (size_t)(is.values * size));
        }
    }
    return true;
}

/* The states of `out->count` keys, from `first` on, as components from `at` on. */
static wadi_status put_states(const wadi_states *k, int64_t first, wadi_chunk *out, int at,
                              wadi_error *err) {
    for (int i = 0; i < k->nstate; i++) {
        wadi_chunk_component *c = &out->component[at + i];
        *c = wadi_states_of(k, i, first);
        c->values = out->count;
        for (int f = 0; c->rank == 0 && f < c->fields; f++) {
            const size_t bytes = (size_t)(out->count * wadi_type_size(c->type[f]));
            void *copy = wadi_chunk_alloc(out, (int64_t)bytes);
            if (copy == NULL) return wadi_states_no_memory(k, err);
            c->column[f] = memcpy(copy, c->column[f], bytes);
        }
        if (c->rank > 0 && !put_arrays(k, i, first, out, c)) return wadi_states_no_memory(k, err);
    }
    return WADI_OK;
}

static wadi_status chunk_of_states(const wadi_states *k, wadi_buffers *buffers, wadi_chunk **out,
                                   wadi_error *err) {
    WADI_TRY(make_chunk(buffers, k->nstate, k->n, out, err));
    return put_states(k, 0, *out, 0, err);
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
    if (status == WADI_OK) status = put_states(k, first, c, 1, err);
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
    if (status == WADI_OK) status = chunk_of_states(k, buffers, &states, err);
    if (status == WADI_OK) status = wadi_state_put_chunk(out, states, err);
    wadi_chunk_release(keys);
    wadi_chunk_release(states);
    if (status == WADI_OK && out->failed) status = wadi_states_no_memory(k, err);
    return status;
}

static wadi_status of_another(const wadi_states *k, wadi_error *err) {
    return wadi_fail(err, WADI_INVALID, "saved state: not that of %s", k->place->op);
}

/* Whether the component is of arrays like these. */
static bool is_of(const wadi_chunk_component *c, int rank, int fields, const wadi_type *type) {
    bool fits = c->rank == rank && c->fields == fields;
    for (int f = 0; f < fields && fits; f++) fits = c->type[f] == type[f];
    return fits;
}

static wadi_status load_keys(wadi_states *k, const wadi_chunk *c, wadi_error *err) {
    const wadi_plan_slot *t = k->key;
    if (c->components != 1 || !is_of(c->component, 0, t->fields, t->type))
        return of_another(k, err);
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

static wadi_status load_array(wadi_states *k, int i, int64_t key, const wadi_array *from,
                              wadi_error *err) {
    wadi_states_all *a = &k->state[i];
    char *block =
        a->type->rank > 0 ? malloc((size_t)wadi_states_bytes_of(a->type, from->shape) + 1) : NULL;
    if (a->type->rank > 0 && block == NULL) return wadi_states_no_memory(k, err);
    if (a->type->rank > 0) {
        memcpy(a->array[key].shape, from->shape, sizeof from->shape);
        a->array[key].block = block;
        k->bytes += wadi_states_bytes_of(a->type, from->shape);
    }
    const wadi_chunk_component to = wadi_states_of(k, i, key);
    for (int f = 0; f < to.fields; f++)
        if (to.values > 0)
            memcpy(to.column[f], from->column[f], (size_t)(to.values * wadi_type_size(to.type[f])));
    return WADI_OK;
}

static wadi_status load_states(wadi_states *k, const wadi_chunk *c, wadi_error *err) {
    if (c->components != k->nstate || c->count != k->n) return of_another(k, err);
    for (int i = 0; i < k->nstate; i++) {
        const wadi_plan_slot *t = k->state[i].type;
        if (!is_of(&c->component[i], t->rank, t->fields, t->type)) return of_another(k, err);
        for (int64_t n = 0; n < k->n; n++) {
            const wadi_array a = wadi_chunk_array(c, i, n);
            WADI_TRY(load_array(k, i, n, &a, err));
        }
    }
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
