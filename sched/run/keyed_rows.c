/* States of some keys as chunks, and back: for items of workers, which change them. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sched/run/keyed_states.h"

wadi_status wadi_states_number(wadi_states *k, wadi_crew *w, wadi_chunk *c, const int64_t **out,
                               wadi_error *err) {
    const int64_t before = k->n;
    const wadi_status status = wadi_states_begin(k, c, err);
    if (status == WADI_OK)
        wadi_states_end(k, w, c->count);
    else
        wadi_states_forget(k, before);
    k->count = 0;
    *out = k->number;
    return status;
}

int64_t wadi_states_keys(const wadi_states *k) {
    return k->n;
}

/* ---- out of the tables ---- */

static int64_t key_at(const int64_t *key, int64_t i) {
    return key != NULL ? key[i] : i;
}

#define PICK(size)                  \
    for (int64_t i = 0; i < n; i++) \
    memcpy((char *)to + i * (size), (const char *)all + key_at(key, i) * (size), (size))
#define PUT(size)                   \
    for (int64_t i = 0; i < n; i++) \
    memcpy((char *)all + key_at(key, i) * (size), (const char *)from + i * (size), (size))

static void pick(int size, const void *all, const int64_t *key, int64_t n, void *to) {
    switch (size) {
    case 1:
        PICK(1);
        return;
    case 2:
        PICK(2);
        return;
    case 4:
        PICK(4);
        return;
    case 8:
        PICK(8);
        return;
    default:
        PICK(16);
    }
}

static void put(int size, void *all, const int64_t *key, int64_t n, const void *from) {
    switch (size) {
    case 1:
        PUT(1);
        return;
    case 2:
        PUT(2);
        return;
    case 4:
        PUT(4);
        return;
    case 8:
        PUT(8);
        return;
    default:
        PUT(16);
    }
}

static bool pick_scalars(const wadi_states_all *a, const int64_t *key, wadi_chunk *out,
                         wadi_chunk_component *c) {
    c->layout = WADI_LAYOUT_REGULAR;
    c->values = out->count;
    for (int f = 0; f < c->fields; f++) {
        const int size = wadi_type_size(c->type[f]);
        c->column[f] = wadi_chunk_alloc(out, out->count * size);
        if (c->column[f] == NULL) return false;
        pick(size, a->column[f], key, out->count, c->column[f]);
    }
    return true;
}

static bool describe_arrays(const wadi_states *k, int at, const int64_t *key, wadi_chunk *out,
                            wadi_chunk_component *c) {
    const int64_t word = (int64_t)sizeof(int64_t);
    c->layout = WADI_LAYOUT_IRREGULAR;
    c->shapes = wadi_chunk_alloc(out, out->count * c->rank * word);
    c->offsets = wadi_chunk_alloc(out, (out->count + 1) * word);
    if (c->shapes == NULL || c->offsets == NULL) return false;
    c->offsets[0] = 0;
    for (int64_t i = 0; i < out->count; i++) {
        const wadi_chunk_component is = wadi_states_of(k, at, key_at(key, i));
        for (int d = 0; d < c->rank; d++) c->shapes[i * c->rank + d] = is.shape[d];
        c->offsets[i + 1] = c->offsets[i] + is.values;
    }
    c->values = c->offsets[out->count];
    return true;
}

static bool pick_arrays(const wadi_states *k, int at, const int64_t *key, wadi_chunk *out,
                        wadi_chunk_component *c) {
    if (!describe_arrays(k, at, key, out, c)) return false;
    for (int f = 0; f < c->fields; f++) {
        const int64_t size = wadi_type_size(c->type[f]);
        char *to = wadi_chunk_alloc(out, c->values * size);
        if (to == NULL) return false;
        c->column[f] = to;
        for (int64_t i = 0; i < out->count; i++) {
            const wadi_chunk_component is = wadi_states_of(k, at, key_at(key, i));
            if (is.values > 0)
                memcpy(to + c->offsets[i] * size, is.column[f], (size_t)(is.values * size));
        }
    }
    return true;
}

wadi_status wadi_states_rows(const wadi_states *k, wadi_buffers *buffers, const int64_t *key,
                             int64_t n, wadi_chunk **out, wadi_error *err) {
    bool made = true;
    WADI_TRY(wadi_chunk_create(buffers, k->nstate, out, err));
    (*out)->count = n;
    for (int i = 0; i < k->nstate && made; i++) {
        const wadi_states_all *a = &k->state[i];
        wadi_chunk_component *c = &(*out)->component[i];
        *c = (wadi_chunk_component){.rank = a->type->rank, .fields = a->type->fields};
        memcpy(c->type, a->type->type, sizeof c->type);
        made = c->rank == 0 ? pick_scalars(a, key, *out, c) : pick_arrays(k, i, key, *out, c);
    }
    if (made) return WADI_OK;
    wadi_chunk_release(*out);
    *out = NULL;
    return wadi_states_no_memory(k, err);
}

/* ---- back ---- */

/* An array that changes in place keeps its shape: nobody looks at it again. */
static bool has_shape(const wadi_states *k, int at, const int64_t *shape) {
    const wadi_states_all *a = &k->state[at];
    if (k->fold->state_in[at] != k->fold->state_out[at]) return true;
    for (int d = 0; d < a->type->rank; d++)
        if (shape[d] != a->first.shape[d]) return false;
    return true;
}

/* One state for all keys takes no bytes on its way, and those of a state for each key here. */
static bool is_laid_out(const wadi_chunk_component *c) {
    return c->layout == (c->rank == 0 ? WADI_LAYOUT_REGULAR : WADI_LAYOUT_IRREGULAR);
}

bool wadi_states_are(const wadi_states *k, int64_t n, const wadi_chunk *rows) {
    if (rows->components != k->nstate || rows->count != n) return false;
    for (int i = 0; i < k->nstate; i++) {
        const wadi_chunk_component *c = &rows->component[i];
        const wadi_plan_slot *t = k->state[i].type;
        bool fits = c->rank == t->rank && c->fields == t->fields && is_laid_out(c);
        for (int f = 0; fits && f < t->fields; f++) fits = c->type[f] == t->type[f];
        for (int64_t s = 0; fits && c->rank > 0 && s < n; s++)
            fits = has_shape(k, i, wadi_chunk_array(rows, i, s).shape);
        if (!fits) return false;
    }
    return true;
}

static bool set_array(wadi_states *k, int at, int64_t key, const wadi_array *from) {
    const wadi_plan_slot *t = k->state[at].type;
    wadi_states_one *to = &k->state[at].array[key];
    const int64_t bytes = wadi_states_bytes_of(t, from->shape);
    const int64_t had = to->block != NULL ? wadi_states_bytes_of(t, to->shape) : -1;
    if (bytes != had) {
        char *block = malloc((size_t)bytes + 1);
        if (block == NULL) return false;
        free(to->block);
        to->block = block;
        k->bytes += bytes - (had > 0 ? had : 0);
    }
    memcpy(to->shape, from->shape, sizeof to->shape);
    const wadi_chunk_component c = wadi_states_of(k, at, key);
    for (int f = 0; f < c.fields; f++)
        if (c.values > 0)
            memcpy(c.column[f], from->column[f], (size_t)(c.values * wadi_type_size(c.type[f])));
    return true;
}

static void set_scalar(wadi_states_all *a, int64_t key, const wadi_array *from) {
    for (int f = 0; f < a->type->fields; f++) {
        const int size = wadi_type_size(a->type->type[f]);
        memcpy(a->column[f] + key * size, from->column[f], (size_t)size);
    }
}

static bool is_plain(const wadi_chunk_component *c) {
    return c->layout == WADI_LAYOUT_REGULAR && c->rank == 0 && c->stride <= 1;
}

static bool set_state(wadi_states *k, int at, const int64_t *key, const wadi_chunk *rows) {
    const wadi_chunk_component *c = &rows->component[at];
    wadi_states_all *a = &k->state[at];
    for (int f = 0; is_plain(c) && f < c->fields; f++)
        put(wadi_type_size(c->type[f]), a->column[f], key, rows->count, c->column[f]);
    for (int64_t i = 0; !is_plain(c) && i < rows->count; i++) {
        const wadi_array from = wadi_chunk_array(rows, at, i);
        if (c->rank == 0)
            set_scalar(a, key_at(key, i), &from);
        else if (!set_array(k, at, key_at(key, i), &from))
            return false;
    }
    return true;
}

wadi_status wadi_states_set_rows(wadi_states *k, const int64_t *key, const wadi_chunk *rows,
                                 wadi_error *err) {
    for (int i = 0; i < k->nstate; i++)
        if (!set_state(k, i, key, rows)) return wadi_states_no_memory(k, err);
    return WADI_OK;
}

/* ---- what they take ---- */

/* Where states have gone into tables, elements have numbers among the keys of the chunk. */
int64_t wadi_states_most_of_shard(const wadi_states *k, int64_t count) {
    const bool tables = k->fold->carried && k->touched != NULL;
    int64_t in[WADI_SHARDS] = {0}, most = 0;
    for (int64_t s = 0; s < count; s++) {
        const int64_t key = tables ? k->touched[k->number[s]] : k->number[s];
        in[wadi_shard_of(key)]++;
    }
    for (int i = 0; i < WADI_SHARDS; i++)
        if (in[i] > most) most = in[i];
    return most;
}

int64_t wadi_states_bytes_about(const wadi_states *k, int64_t n) {
    int64_t each = 0;
    for (int i = 0; i < k->nstate; i++)
        if (k->state[i].type->rank == 0) each += wadi_states_bytes_of(k->state[i].type, NULL);
    return n * each + (k->n > 0 ? n * (k->bytes / k->n) : 0);
}
