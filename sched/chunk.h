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
        stride; /* regular: if elements overlap, the number of values from the start of one to that of the next; 0: they stand
                         one behind the other */
    int64_t *shapes;  /* irregular: [count][rank] */
    int64_t *offsets; /* irregular: [count + 1], in values; the first is 0, the last is `values` */
    int64_t values;   /* in each column */
    void *column[WADI_MAX_FIELDS];
    const wadi_residence
        *residence; /* where the columns live; NULL: host memory; see wadi_chunk_at_host */
    struct wadi_chunk *
        whole; /* in a view: this is component `part` of this chunk, which the view holds; NULL: of none */
    int part;
    void
        *home; /* a copy of the columns in host memory, one behind the other; NULL: there is none */
    wadi_ahead *
        ahead; /* has copies of the columns where the device computes; NULL: there are none. Whoever owns the chunk releases it */
    void *ahead_column[WADI_MAX_FIELDS];
} wadi_chunk_component;

typedef struct wadi_chunk {
    atomic_int refs;
    wadi_buffers *buffers;
    wadi_buffers *apart; /* the pool of another residence from which some blocks come, or NULL */
    int parents;
    struct wadi_chunk **parent; /* [parents] held */
    int64_t number;             /* of the chunk in its stream */
    int64_t first, count;       /* stream index of element 0; elements */
    int64_t read_ns;            /* what reading it took a thread of its own; 0: there was none */
    int components;
    wadi_chunk_component *component;
    int blocks,
        most_blocks; /* blocks that are given back to their pools with the chunk, and room for them */
    void **block;
    wadi_ahead *ahead; /* what the components have ahead, released with the chunk; NULL: nothing */
    wadi_arrival arrival; /* of columns that are on their way to the host */
} wadi_chunk;

/* An empty chunk of `components` components (all zero) with one reference. Retains buffers. */
WADI_NODISCARD wadi_status wadi_chunk_create(wadi_buffers *buffers, int components,
                                             wadi_chunk **out, wadi_error *err);
/* Returns its argument. */
wadi_chunk *wadi_chunk_retain(wadi_chunk *c);
/* NULL is fine. */
void wadi_chunk_release(wadi_chunk *c);

/* Memory that is given back with the chunk; NULL when out of memory. */
void *wadi_chunk_alloc(wadi_chunk *c, int64_t bytes);
/* Says that the chunk will own blocks of `pool`, the pool of another residence. There is at most one such pool for a chunk. */
void wadi_chunk_retain_pool(wadi_chunk *c, wadi_buffers *pool);
/* Takes over a block of the chunk's pool, or of the retained one. A chunk owns at most fields + 2 blocks per component. */
void wadi_chunk_own(wadi_chunk *c, void *owned_block);
/* Retains `parent`, so that c may refer to its columns. At most once per component and once more. */
void wadi_chunk_hold(wadi_chunk *c, wadi_chunk *parent);

/* A view of elements [begin, begin + count). Holds parent; copies descriptors, never columns. */
WADI_NODISCARD wadi_status wadi_chunk_slice(wadi_chunk *parent, int64_t begin, int64_t count,
                                            wadi_chunk **out, wadi_error *err);

/* A view of components from[0], .., from[n - 1]. Holds parent. */
WADI_NODISCARD wadi_status wadi_chunk_select(wadi_chunk *parent, int n, const int *from,
                                             wadi_chunk **out, wadi_error *err);
/* Makes all columns readable for the host: those that live elsewhere are copied. Only the maker of the chunk (or of the view) may call
 * it, in the thread that computes on the device. Columns that several views have selected are copied once; the chunk that they are views
 * of keeps the copy. */
WADI_NODISCARD wadi_status wadi_chunk_at_host(wadi_chunk *c, wadi_error *err);
/* The same, but columns may still be on their way: whoever reads them calls wadi_chunk_arrived first. */
WADI_NODISCARD wadi_status wadi_chunk_to_host(wadi_chunk *c, wadi_error *err);
/* Waits until all columns are there. Any thread. Errors: of the device. */
WADI_NODISCARD wadi_status wadi_chunk_arrived(const wadi_chunk *c, wadi_error *err);
/* Sends copies of the columns, which are on the host, to a residence ahead of their use, as far as there is room. Only the maker of the chunk may
 * call it, before he hands it on. */
void wadi_chunk_send_ahead(wadi_chunk *c, const wadi_residence *r);
/* Gives component i its own columns in host memory, in which the elements stand one behind the other. Values of overlapping elements are
 * copied, and an array that all elements share is repeated. A component that is stored so already is left as it is. */
WADI_NODISCARD wadi_status wadi_chunk_spread(wadi_chunk *c, int i, wadi_error *err);
/* Whether all elements have the same shape, which goes to *out_shape (NULL if there are no elements). */
bool wadi_component_is_regular(const wadi_chunk_component *c, int64_t count,
                               const int64_t **out_shape);

/* The array that component i holds for element s, borrowed from the chunk. */
wadi_array wadi_chunk_array(const wadi_chunk *c, int i, int64_t s);
/* Bytes in the columns and descriptors. */
int64_t wadi_chunk_bytes(const wadi_chunk *c);
/* Bytes that one value takes, all fields together. */
int64_t wadi_component_value_bytes(const wadi_chunk_component *c);

/* Values from the start of one element to that of the next, of an avoid or regular component. */
int64_t wadi_component_stride(const wadi_chunk_component *c);

/* product(shape), the number of values of such an array; -1 if an extent is negative, the product is too large, or it is 0 and an extent is 2^44 or more: kernels
 * rely on smaller ones. An array with values has no larger one, for want of memory. */
int64_t wadi_shape_values(int rank, const int64_t *shape);
/* Checks the columns of a host array whose shape is valid: their types must exist, and if the array has elements, no column may be NULL.
 * `who` begins the message. Errors: WADI_TYPE, WADI_INVALID. */
WADI_NODISCARD wadi_status wadi_array_check_columns(const char *who, const wadi_array *a,
                                                    wadi_error *err);

#endif
