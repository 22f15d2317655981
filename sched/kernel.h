/* The kernel ABI: what a compiled kernel sees. This text is also pasted in front of every generated kernel, so it
 * stands alone and includes nothing but the fixed-width integers.
 *
 * A stage body works on a chunk of `count` consecutive stream elements. Each of its array values is a slot. What a
 * slot's fields mean depends on how the value is stored:
 *   once       one array for the whole run: shape[rank], stride 0, offset NULL
 *   regular    one more dimension, the element number s outermost: shape[rank], element s starts at s * stride
 *   irregular  a segment descriptor: shape[s * rank + d], element s starts at offset[s]; offset[count] is the total
 * Elements of a slot that is read may overlap or be one and the same (a stride or offsets less than an element's values).
 * Whole-array computations are bodies over a chunk of one element.
 */
#ifndef WADI_SCHED_KERNEL_H
#define WADI_SCHED_KERNEL_H

#include <stdint.h>

enum {
    WADI_KERNEL_FIELDS = 16, /* columns of a slot at most */
    WADI_FOLD_BLOCK = 4096,  /* the fixed reduction tree: elements per block, */
    WADI_FOLD_LANES = 16,    /* lanes inside a block; see operators/reduce_tree.h for the law */
    WADI_SCAN_BLOCK = 4096,
    WADI_NEAR_BYTES = 4096 /* that short vectors take at once, see wadi_work_near */
};

enum { WADI_CALL_ARRAYS = 4, WADI_CALL_RANK = 8, WADI_FAULT_VALUES = 4 };

typedef struct wadi_slot {
    void *col[WADI_KERNEL_FIELDS];
    int64_t *shape;
    int64_t *offset;
    int64_t stride;
} wadi_slot;

typedef enum wadi_fault_kind {
    WADI_FAULT_NONE = 0,
    WADI_FAULT_INDEX,    /* value[0]: the index, value[1]: the extent */
    WADI_FAULT_DIVISION, /* integer division by zero; value[0]: the dividend */
    WADI_FAULT_SHAPE,    /* value[0], value[1]: the two extents or sizes that differ */
    WADI_FAULT_EMPTY,    /* there is nothing where something is needed, as the place says */
    WADI_FAULT_EXTENT,   /* a negative extent, value[0]; value[1]: its dimension */
    WADI_FAULT_SEGMENT, /* a segment that is no part of the array; value: its number, where it begins, where it ends, the extent */
    WADI_FAULT_MEMORY,  /* a scratch or result allocation failed; value[0]: bytes */
    WADI_FAULT_DECLINED, /* a library routine does not do this: the body's version `pure` runs instead */
    WADI_FAULT_COUNT,    /* a number that must be at least 1; value[0]: what it is */
    WADI_FAULT_CANCELLED /* no fault of the program: the run has been cancelled */
} wadi_fault_kind;

typedef struct wadi_fault {
    int32_t kind;
    int32_t place;   /* row of the plan's table of places */
    int64_t element; /* stream element, counted within the chunk */
    int64_t
        linear; /* row-major position in the result being computed, or -1: which of several faults was first */
    int64_t value[WADI_FAULT_VALUES];
    int32_t
        rank; /* of the array whose element was being computed, and the element's index; 0: none */
    int64_t index[WADI_CALL_RANK];
} wadi_fault;

/* A call of a library routine: `count` problems of one shape, each reading `nin` arrays and writing the `nout` after
 * them. Elements lie in row-major order; problem p of an array begins at start[p] if it is given, else at p * distance. */

typedef struct wadi_call_array {
    void *data;
    const int64_t *start; /* [count], elements; NULL: evenly spaced */
    int64_t distance;     /* elements; 0: all problems share one array */
    int32_t type;         /* a wadi_type */
    int32_t rank;         /* of one problem */
    int64_t shape[WADI_CALL_RANK];
} wadi_call_array;

typedef struct wadi_call {
    const char *routine;
    int64_t count;
    int32_t nin, nout;
    wadi_call_array array[WADI_CALL_ARRAYS];
} wadi_call;

/* Where short vectors of one field that are emitted to a slot begin: element s at piece[s]. */
typedef struct wadi_work_near {
    void **piece;
    int64_t size;  /* bytes of a value */
    int64_t below; /* vectors of fewer values are short; 0: none is */
} wadi_work_near;

/* One worker's view of a body at work on a chunk. */
typedef struct wadi_work {
    const wadi_slot *slot;              /* every slot of the plan */
    int64_t first;                      /* stream index of the chunk's element 0 */
    int64_t count;                      /* elements in the chunk */
    int64_t workers;                    /* that work on it */
    const volatile unsigned char *stop; /* not 0: the kernel shall end with WADI_FAULT_CANCELLED */
    wadi_fault fault;                   /* the worker's first fault */

    /* flat kernels: units of work. A `units` kernel writes unit[s] for its range of elements; before the main kernel
     * runs, the runtime turns them into prefix sums: element s has units [unit[s], unit[s+1]). */
    int64_t *unit;

    /* scratch memory of this worker: 64-byte aligned, NULL when out of memory (a fault is set) */
    void *(*scratch)(struct wadi_work *w, int64_t bytes);
    int64_t (*scratch_mark)(struct wadi_work *w);
    void (*scratch_rewind)(struct wadi_work *w, int64_t mark);

    /* storage for element s of result slot `slot` when only the kernel knows its shape (schedules inside and across):
     * fills col[] with the column pointers to write; 0 when out of memory. Called once per element and slot. */
    int (*emit)(struct wadi_work *w, int32_t slot, int64_t s, const int64_t *shape, void **col);
    /* by slot: of short vectors kernels take the room themselves, one behind the other */
    const wadi_work_near *near;
    char *room, *room_end; /* multiples of 8 */
    /* makes room for so many bytes, at most WADI_NEAR_BYTES; 0 when out of memory */
    int (*make_room)(struct wadi_work *w, int64_t bytes);
    /* a library routine (sched/foreign.h); 0: it declines, and what it wrote means nothing */
    int (*foreign)(struct wadi_work *w, const wadi_call *call);
    void *self;  /* the runtime's */
    int64_t far; /* bytes: arrays of so many and more are stored past the caches; 0: none is */
} wadi_work;

/* Runs elements (inside, across, shape and units kernels) or units (flat) [begin, end). Nonzero: w->fault is set. */
typedef int (*wadi_kernel)(wadi_work *w, int64_t begin, int64_t end);

#endif
