/* A chunk: consecutive elements of a stream, as they are stored and handed from stage to stage.
 *
 * An element is a tuple of arrays; each array of the tuple is a component of the chunk. A component holds that array for
 * all elements of the chunk, in one of three layouts:
 *   avoid      one array that every element shares
 *   regular    all elements have the same shape; the columns hold count x product(shape) values
 *   irregular  a segment descriptor says where each element starts and what its shape is
 * What a device has computed may still be in its memory: whoever reads columns on the host calls wadi_chunk_at_host first.
 * Values are stored as one column per field. Columns a chunk owns are aligned to WADI_ALIGN.
 *
 * A chunk is written by the one who made it and read-only once it has been handed on. It is reference counted;
 * references may be passed between threads by any means, since counting them orders the memory they guard. A view refers
 * to the columns of its parent and holds it. */
#ifndef WADI_SCHED_CHUNK_H
#define WADI_SCHED_CHUNK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "sched/buffers.h"
#include "sched/residence.h"
#include "wadi/stream.h"
#include "wadi/type.h"

typedef enum wadi_chunk_layout {
    WADI_LAYOUT_AVOID = 0,
    WADI_LAYOUT_REGULAR = 1,
    WADI_LAYOUT_IRREGULAR = 2
} wadi_chunk_layout;

typedef struct wadi_chunk_component {
    wadi_chunk_layout layout;
    int rank, fields;
    wadi_type type[WADI_MAX_FIELDS];
    int64_t shape[WADI_MAX_RANK]; /* avoid, regular: of one element */
    int64_t
        stride; /* regular: values from one element's start to the next's when elements overlap; 0: they stand
                         one behind the other */
    int64_t *shapes;  /* irregular: [count][rank] */
    int64_t *offsets; /* irregular: [count + 1], in values; the first is 0, the last is `values` */
    int64_t values;   /* in each column */
    void *column[WADI_MAX_FIELDS];
    const wadi_residence *residence; /* of the columns, NULL: host memory; see wadi_chunk_at_host */
} wadi_chunk_component;

typedef struct wadi_chunk {
    atomic_int refs;
    wadi_buffers *buffers;
    wadi_buffers *apart; /* the pool of another residence that blocks came from, or NULL */
    int parents;
    struct wadi_chunk **parent; /* [parents] held */
    int64_t number;             /* of the chunk in its stream */
    int64_t first, count;       /* stream index of element 0; elements */
    int components;
    wadi_chunk_component *component;
    int blocks, most_blocks; /* blocks of the pool that go back with the chunk */
    void **block;
} wadi_chunk;

/* An empty chunk of `components` components (all zero) with one reference. Retains buffers. */
WADI_NODISCARD wadi_status wadi_chunk_create(wadi_buffers *buffers, int components,
                                             wadi_chunk **out, wadi_error *err);
/* Returns its argument. */
wadi_chunk *wadi_chunk_retain(wadi_chunk *c);
/* NULL is fine. */
void wadi_chunk_release(wadi_chunk *c);

/* Memory that goes back with the chunk; NULL when out of memory. */
void *wadi_chunk_alloc(wadi_chunk *c, int64_t bytes);
/* Blocks of another residence's pool, one for all of them, will be owned. */
void wadi_chunk_retain_pool(wadi_chunk *c, wadi_buffers *pool);
/* Takes over a block that came from the chunk's pool or that one. A chunk owns at most fields + 2 blocks per component. */
void wadi_chunk_own(wadi_chunk *c, void *owned_block);
/* Lets c refer to the columns of parent: retains it. At most once per component and once more. */
void wadi_chunk_hold(wadi_chunk *c, wadi_chunk *parent);

/* A view of elements [begin, begin + count). Holds parent; copies descriptors, never columns. */
WADI_NODISCARD wadi_status wadi_chunk_slice(wadi_chunk *parent, int64_t begin, int64_t count,
                                            wadi_chunk **out, wadi_error *err);

/* A view of components from[0], .., from[n - 1]. Holds parent. */
WADI_NODISCARD wadi_status wadi_chunk_select(wadi_chunk *parent, int n, const int *from,
                                             wadi_chunk **out, wadi_error *err);
/* Makes all columns readable to the host: those that live elsewhere are copied. By the one who made the chunk, or the view; the
 * compute thread. */
WADI_NODISCARD wadi_status wadi_chunk_at_host(wadi_chunk *c, wadi_error *err);
/* Gives component i columns of its own, in host memory, in which every element stands by itself, one behind the other: what overlaps is
 * copied, and what all elements share is repeated. Nothing happens to a component that is so already. */
WADI_NODISCARD wadi_status wadi_chunk_spread(wadi_chunk *c, int i, wadi_error *err);
/* Whether every element has the same shape, *out_shape (NULL where there is no element). */
bool wadi_component_is_regular(const wadi_chunk_component *c, int64_t count,
                               const int64_t **out_shape);

/* The array that component i holds for element s, borrowed from the chunk. */
wadi_array wadi_chunk_array(const wadi_chunk *c, int i, int64_t s);
/* Bytes in the columns and descriptors. */
int64_t wadi_chunk_bytes(const wadi_chunk *c);
/* Bytes that one value takes over all fields. */
int64_t wadi_component_value_bytes(const wadi_chunk_component *c);

/* Values from the start of one element to that of the next, of an avoid or regular component. */
int64_t wadi_component_stride(const wadi_chunk_component *c);

/* product(shape); -1 when an extent is negative or the product does not fit. */
int64_t wadi_shape_values(int rank, const int64_t *shape);
/* A host array of sound shape that has elements has columns for them, of types there are. `who` begins the message. */
WADI_NODISCARD wadi_status wadi_array_check_columns(const char *who, const wadi_array *a,
                                                    wadi_error *err);

#endif
