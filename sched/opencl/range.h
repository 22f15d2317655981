/* Which parts of a range of bytes are taken: first fit, and neighbours that are free become one. The range itself is never touched. */
#ifndef WADI_SCHED_OPENCL_RANGE_H
#define WADI_SCHED_OPENCL_RANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"

enum { WADI_OPENCL_ALIGN = 256 /* of every part, in bytes */ };

typedef struct wadi_opencl_part {
    size_t begin, size;
} wadi_opencl_part;

/* Not thread-safe. */
typedef struct wadi_opencl_range {
    WADI_VEC(wadi_opencl_part) free; /* by begin; no two touch */
    size_t taken;                    /* parts that have not been given back */
} wadi_opencl_range;

/* A free range of `size` bytes, rounded down to WADI_OPENCL_ALIGN. False when out of memory. */
bool wadi_opencl_range_init(wadi_opencl_range *r, size_t size);
void wadi_opencl_range_fini(wadi_opencl_range *r);

/* Takes `bytes` bytes; for 0 bytes, too, a part that nobody else has. False: no free part is so large, or the host is out of memory. */
bool wadi_opencl_range_take(wadi_opencl_range *r, size_t bytes, size_t *out_begin);
/* Gives a part back: `bytes` is what it was taken with. Needs no memory. */
void wadi_opencl_range_give(wadi_opencl_range *r, size_t begin, size_t bytes);

#endif
