/* Columns that grow by doubling, so that a small file takes little memory and a large one at most `most`. */
#include "apps/gridding/store.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

const wadi_type grid_field_type[GRID_FIELDS] = {WADI_F64, WADI_F64, WADI_F64, WADI_C128, WADI_F64,
                                                WADI_I32, WADI_I32, WADI_F64, WADI_F64};
const char *const grid_field_name[GRID_FIELDS] = {"u",     "v",      "w",    "vis",      "weight",
                                                  "first", "second", "time", "frequency"};

enum { FIRST_ROOM = 4096 };

void grid_store_init(grid_store *s, int64_t most) {
    *s = (grid_store){.most = most > 1 ? most : 1};
}

void grid_store_fini(grid_store *s) {
    for (int f = 0; f < GRID_FIELDS; f++) free(s->column[f]);
    free(s->pair);
    *s = (grid_store){0};
}

static wadi_status make_room(grid_store *s, int64_t want, wadi_error *err) {
    int64_t capacity = s->capacity > 0 ? s->capacity : FIRST_ROOM;
    if (want <= s->capacity) return WADI_OK;
    while (capacity < want) capacity *= 2;
    if (capacity > s->most) capacity = s->most;
    for (int f = 0; f < GRID_FIELDS; f++) {
        void *at = realloc(s->column[f], (size_t)(capacity * wadi_type_size(grid_field_type[f])));
        if (at == NULL)
            return wadi_fail(err, WADI_MEMORY, "no room for %lld visibilities",
                             (long long)capacity);
        s->column[f] = at;
    }
    s->capacity = capacity;
    return WADI_OK;
}

wadi_status grid_store_append(grid_store *s, void *const *columns, int64_t from, int64_t n,
                              wadi_error *err) {
    WADI_ASSERT(n <= s->most - s->n);
    if (n == 0) return WADI_OK; /* there may be no columns */
    WADI_TRY(make_room(s, s->n + n, err));
    for (int f = 0; f < GRID_FIELDS; f++) {
        const int64_t bytes = wadi_type_size(grid_field_type[f]);
        memcpy((char *)s->column[f] + s->n * bytes, (const char *)columns[f] + from * bytes,
               (size_t)(n * bytes));
    }
    s->n += n;
    return WADI_OK;
}

int64_t grid_store_compact(grid_store *s) {
    const double *weight = s->column[GRID_WEIGHT];
    int64_t kept = 0;
    for (int64_t i = 0; i < s->n; i++) {
        if (!(weight[i] > 0)) continue;
        for (int f = 0; f < GRID_FIELDS && kept < i; f++) {
            const int64_t bytes = wadi_type_size(grid_field_type[f]);
            memcpy((char *)s->column[f] + kept * bytes, (char *)s->column[f] + i * bytes,
                   (size_t)bytes);
        }
        kept++;
    }
    const int64_t gone = s->n - kept;
    s->n = kept;
    return gone;
}

wadi_status grid_store_batch(grid_store *s, grid_batch *out, wadi_error *err) {
    if (s->pairs < s->n) {
        int32_t *pair = realloc(s->pair, (size_t)s->n * 2 * sizeof *pair);
        if (pair == NULL)
            return wadi_fail(err, WADI_MEMORY, "no room for %lld visibilities", (long long)s->n);
        s->pair = pair;
        s->pairs = s->n;
    }
    const int32_t *first = s->column[GRID_FIRST], *second = s->column[GRID_SECOND];
    for (int64_t i = 0; i < s->n; i++) {
        s->pair[2 * i] = first[i];
        s->pair[2 * i + 1] = second[i];
    }
    *out = (grid_batch){.n = s->n,
                        .u = s->column[GRID_U],
                        .v = s->column[GRID_V],
                        .w = s->column[GRID_W],
                        .vis = s->column[GRID_VIS],
                        .weight = s->column[GRID_WEIGHT],
                        .pair = s->pair,
                        .time = s->column[GRID_TIME],
                        .frequency = s->column[GRID_FREQUENCY]};
    return WADI_OK;
}
