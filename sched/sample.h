/* A few of the values of a chunk, for people to look at: of arrays those of the last element, of scalars those of all elements. Larger arrays are
 * told by every second, third, .. value, and of arrays of more than two dimensions by the first matrix. */
#ifndef WADI_SCHED_SAMPLE_H
#define WADI_SCHED_SAMPLE_H

#include "sched/chunk.h"

enum {
    WADI_SAMPLE_PARTS = 4,
    WADI_SAMPLE_LINE = 512, /* values of a line at most */
    WADI_SAMPLE_SIDE = 96   /* and of a row or a column of a matrix */
};

/* One column of one component. */
typedef struct wadi_sample_part {
    wadi_type type;
    bool series; /* a value of each element */
    int rank;
    int64_t shape[WADI_MAX_RANK];  /* of the element */
    int64_t rows, columns;         /* of the values that are here; a line is one row */
    int64_t row_step, column_step; /* 1: all of them are */
    int64_t at;                    /* of its first value in `value` */
} wadi_sample_part;

typedef struct wadi_sample {
    int64_t first, count; /* of the chunk */
    int n;
    bool cut; /* there are more than so many columns */
    wadi_sample_part part[WADI_SAMPLE_PARTS];
    int64_t values;
    double value[]; /* [values] row by row; of complex numbers the real and the imaginary part */
} wadi_sample;

/* Of a chunk with an element or more, which stays as it is, by whoever may call wadi_chunk_at_host. Columns on a device are copied from there: of scalars
 * those of the chunk, of arrays those of one element. NULL: no memory, or the device has failed. The caller must free() it. At most 600 kB. */
wadi_sample *wadi_sample_make(wadi_chunk *c);
/* NULL: no memory. The caller must free() it. */
wadi_sample *wadi_sample_copy(const wadi_sample *s);

#endif
