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

/* Some keys of the tables: key[i], or first + i. */
typedef struct some_keys {
    const wadi_states *k;
    const int64_t *key;
    int64_t first;
} some_keys;

static int64_t key_at(const some_keys *r, int64_t i) {
    return r->key != NULL ? r->key[i] : r->first + i;
}

static bool pick_scalars(const some_keys *r, const wadi_states_all *a, wadi_chunk *out,
                         wadi_chunk_component *c) {
    c->layout = WADI_LAYOUT_REGULAR;
    c->values = out->count;
    for (int f = 0; f < c->fields; f++) {
        const int size = wadi_type_size(c->type[f]);
        c->column[f] = wadi_chunk_alloc(out, out->count * size);
        if (c->column[f] == NULL) return false;
        if (r->key != NULL)
            wadi_states_move(size, a->column[f], r->key, out->count, c->column[f], false);
        else if (out->count > 0)
            memcpy(c->column[f], a->column[f] + r->first * size, (size_t)(out->count * size));
    }
    return true;
}

static bool describe_arrays(const some_keys *r, int i, wadi_chunk *out, wadi_chunk_component *c) {
    const int64_t word = (int64_t)sizeof(int64_t);
    c->layout = WADI_LAYOUT_IRREGULAR;
    c->shapes = wadi_chunk_alloc(out, out->count * c->rank * word);
    c->offsets = wadi_chunk_alloc(out, (out->count + 1) * word);
    if (c->shapes == NULL || c->offsets == NULL) return false;
    c->offsets[0] = 0;
    for (int64_t n = 0; n < out->count; n++) {
        const wadi_chunk_component is = wadi_states_of(r->k, i, key_at(r, n));
        for (int d = 0; d < c->rank; d++) c->shapes[n * c->rank + d] = is.shape[d];
        c->offsets[n + 1] = c->offsets[n] + is.values;
    }
    c->values = c->offsets[out->count];
    return true;
}

static bool pick_arrays(const some_keys *r, int i, wadi_chunk *out, wadi_chunk_component *c) {
    if (!describe_arrays(r, i, out, c)) return false;
    for (int f = 0; f < c->fields; f++) {
        const int64_t size = wadi_type_size(c->type[f]);
        char *to = wadi_chunk_alloc(out, c->values * size);
        if (to == NULL) return false;
        c->column[f] = to;
        for (int64_t n = 0; n < out->count; n++) {
            const wadi_chunk_component is = wadi_states_of(r->k, i, key_at(r, n));
            if (is.values > 0)
                memcpy(to + c->offsets[n] * size, is.column[f], (size_t)(is.values * size));
        }
    }
    return true;
}

wadi_status wadi_states_put_rows(const wadi_states *k, const int64_t *key, int64_t first,
                                 wadi_chunk *out, int at, wadi_error *err) {
    const some_keys r = {k, key, first};
    for (int i = 0; i < k->nstate; i++) {
        const wadi_states_all *a = &k->state[i];
        wadi_chunk_component *c = &out->component[at + i];
        *c = (wadi_chunk_component){.rank = a->type->rank, .fields = a->type->fields};
        memcpy(c->type, a->type->type, sizeof c->type);
        if (!(c->rank == 0 ? pick_scalars(&r, a, out, c) : pick_arrays(&r, i, out, c)))
            return wadi_states_no_memory(k, err);
    }
    return WADI_OK;
}

wadi_status wadi_states_rows(const wadi_states *k, wadi_buffers *buffers, const int64_t *key,
                             int64_t n, wadi_chunk **out, wadi_error *err) {
    WADI_TRY(wadi_chunk_create(buffers, k->nstate, out, err));
    (*out)->count = n;
    const wadi_status status = wadi_states_put_rows(k, key, 0, *out, 0, err);
    if (status == WADI_OK) return WADI_OK;
    wadi_chunk_release(*out);
    *out = NULL;
    return status;
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

bool wadi_states_fit(const wadi_states *k, int64_t n, const wadi_chunk *rows) {
    if (rows->components != k->nstate || rows->count != n) return false;
    for (int i = 0; i < k->nstate; i++)
        if (!wadi_states_is_of(&rows->component[i], k->state[i].type)) return false;
    return true;
}

bool wadi_states_are(const wadi_states *k, int64_t n, const wadi_chunk *rows) {
    if (!wadi_states_fit(k, n, rows)) return false;
    for (int i = 0; i < k->nstate; i++) {
        const wadi_chunk_component *c = &rows->component[i];
        if (!is_laid_out(c)) return false;
        for (int64_t s = 0; c->rank > 0 && s < n; s++)
            if (!has_shape(k, i, wadi_chunk_array(rows, i, s).shape)) return false;
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

static void set_column(int size, char *column, const int64_t *key, int64_t n, void *from) {
    if (key != NULL)
        wadi_states_move(size, column, key, n, from, true);
    else if (n > 0)
        memcpy(column, from, (size_t)(n * size));
}

static bool set_state(wadi_states *k, int at, const int64_t *key, const wadi_chunk *rows) {
    const wadi_chunk_component *c = &rows->component[at];
    wadi_states_all *a = &k->state[at];
    for (int f = 0; is_plain(c) && f < c->fields; f++)
        set_column(wadi_type_size(c->type[f]), a->column[f], key, rows->count, c->column[f]);
    for (int64_t i = 0; !is_plain(c) && i < rows->count; i++) {
        const wadi_array from = wadi_chunk_array(rows, at, i);
        const int64_t to = key != NULL ? key[i] : i;
        if (c->rank == 0)
            set_scalar(a, to, &from);
        else if (!set_array(k, at, to, &from))
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
