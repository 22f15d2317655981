/* Visibilities in memory, as columns: a batch under construction. */
#ifndef WADI_APPS_GRIDDING_STORE_H
#define WADI_APPS_GRIDDING_STORE_H

#include <stdint.h>

#include "apps/gridding/method.h"

/* Fields of a visibility as ingest delivers it, and so columns of the store. */
enum {
    GRID_U,
    GRID_V,
    GRID_W,
    GRID_VIS,
    GRID_WEIGHT,
    GRID_FIRST,
    GRID_SECOND,
    GRID_TIME,
    GRID_FREQUENCY,
    GRID_FIELDS
};
extern const wadi_type grid_field_type[GRID_FIELDS];
extern const char *const grid_field_name[GRID_FIELDS];

typedef struct grid_store {
    int64_t n, most;  /* visibilities held, and at most */
    int64_t capacity; /* room so far */
    void *column[GRID_FIELDS];
    int32_t *pair; /* [n, 2], made of the two antenna columns when the batch is asked for */
    int64_t pairs; /* room in pair */
} grid_store;

/* Bytes that a visibility takes in a store. */
enum { GRID_STORE_BYTES = 5 * 8 + 16 + 8 + 8 + 8 };

void grid_store_init(grid_store *s, int64_t most);
void grid_store_fini(grid_store *s);
/* Appends values [from, from + n) of `columns`, n <= most - s->n. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status grid_store_append(grid_store *s, void *const *columns, int64_t from,
                                             int64_t n, wadi_error *err);
/* Removes visibilities of weight 0, in place; returns how many. */
int64_t grid_store_compact(grid_store *s);
/* Its visibilities as a method takes them, borrowed until the store changes. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status grid_store_batch(grid_store *s, grid_batch *out, wadi_error *err);

#endif
