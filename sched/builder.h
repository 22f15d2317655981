/* Building a chunk element by element: what sources use.
 *
 *     wadi_builder_array(b, 0, shape, &a, err);   memory for part 0 of the next element
 *     ... fill a.column[0] ...
 *     wadi_builder_next(b, err);                  the element is complete
 *
 * A part that is declared fixed becomes a regular component, and its shape is checked. Any other becomes an irregular one.
 * Columns grow geometrically out of the chunk's pool. They begin with room for elements like those of the last chunk, so that they rarely do. */
#ifndef WADI_SCHED_BUILDER_H
#define WADI_SCHED_BUILDER_H

#include <stdbool.h>

#include "sched/chunk.h"

typedef struct wadi_builder_part {
    wadi_part part;
    int64_t value_count; /* values so far, with those of the element being built */
    int64_t elements;    /* elements so far, with the one being built */
    int64_t last;        /* values of the last chunk, */
    double each;         /* and of an element of it; 0: there was none */
    int64_t *shapes, *offsets;
    void *column[WADI_MAX_FIELDS];
    const void *borrowed
        [WADI_MAX_FIELDS]; /* columns that belong to somebody else; NULL: `column` is used */
} wadi_builder_part;

typedef struct wadi_builder {
    wadi_buffers *buffers;
    int parts;
    wadi_builder_part *part;
    int64_t count;       /* complete elements */
    int64_t bytes;       /* bytes in the columns so far */
    int64_t most_bytes;  /* from this many bytes on the builder is full; one element always fits */
    wadi_chunk *adopted; /* has the elements instead of the parts; NULL: they have */
    int64_t wanted;      /* elements that the next chunk is to have; 0: not known */
    bool exact;          /* it is to have just as many: the caller of the run has said so */
} wadi_builder;

/* For elements of `parts` parts. Borrows buffers; copies part. */
WADI_NODISCARD wadi_status wadi_builder_init(wadi_builder *b, wadi_buffers *buffers, int parts,
                                             const wadi_part *part, int64_t most_bytes,
                                             wadi_error *err);
/* Gives back the memory that finish has not moved to a chunk. Harmless if all zero. */
void wadi_builder_fini(wadi_builder *b);

/* Memory for part `part` of the element being built. It is valid until the next call with this builder. shape may be NULL for
 * rank 0 and for fixed parts. Errors: WADI_INVALID (no such part, or it was given before), WADI_SHAPE, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_builder_array(wadi_builder *b, int part, const int64_t *shape,
                                              wadi_array *out_array, wadi_error *err);
/* Completes the element. Errors: WADI_INVALID when a part is missing. */
WADI_NODISCARD wadi_status wadi_builder_next(wadi_builder *b, wadi_error *err);
/* Whether the element being built has any part yet. */
bool wadi_builder_open(const wadi_builder *b);

/* Forgets the parts of the element being built. */
void wadi_builder_drop(wadi_builder *b);

/* Room for n elements at once. All parts must be fixed, and nothing may have been built yet. out_arrays[part] has the columns of all n
 * elements, one after another. Then wadi_builder_keep says how many were really filled. */
WADI_NODISCARD wadi_status wadi_builder_bulk(wadi_builder *b, int64_t n, wadi_array *out_arrays,
                                             wadi_error *err);
void wadi_builder_keep(wadi_builder *b, int64_t n);
/* The same without copying, for a builder with one fixed part: its n elements lie in `columns`, which must outlive the chunk. */
void wadi_builder_borrow(wadi_builder *b, int64_t n, void *const *columns);

/* Room for n more elements of one irregular part of rank 1 and one field, the only part there is, with `values` values altogether. The caller writes the values
 * of element i behind those of element i - 1, from out->column on, and their number to out->extents[i]; wadi_builder_keep_rows completes the first n of them, as
 * many as were filled. */
typedef struct wadi_builder_rows {
    void *column;
    int64_t *extents;
} wadi_builder_rows;
WADI_NODISCARD wadi_status wadi_builder_room(wadi_builder *b, int64_t n, int64_t values,
                                             wadi_builder_rows *out, wadi_error *err);
void wadi_builder_keep_rows(wadi_builder *b, int64_t n);

/* The same for elements [begin, begin + count) of a chunk that has just these parts, if they may be taken as they are: nothing has been built, the parts are
 * stored as the builder would, and they are at most `most_bytes`, or one. The chunk is held until they are used up. Returns how many it has taken; 0: the caller has to copy. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_builder_adopt(wadi_builder *b, wadi_chunk *chunk, int64_t begin,
                                              int64_t count, int64_t *out_taken, wadi_error *err);

/* Whether the memory limit is reached. A source then returns fewer elements than it was asked for. */
bool wadi_builder_full(const wadi_builder *b);
/* How many of k elements with fixed parts fit the limit; at least 1. */
int64_t wadi_builder_fit(const wadi_builder *b, int64_t k);

/* Appends the parts as components to c from number `component` on, cut to `count` elements, and moves their memory to
 * c. The builder is empty afterwards and may be used again. */
void wadi_builder_finish(wadi_builder *b, wadi_chunk *c, int component, int64_t count);

#endif
