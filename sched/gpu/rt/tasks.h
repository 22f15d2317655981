/* What the kernels of primitives.h are told, in device memory at call.slot. Pasted behind call.h, and included by the runtime. */
#ifndef WADI_SCHED_GPU_RT_TASKS_H
#define WADI_SCHED_GPU_RT_TASKS_H

/* How many elements or values a round of a primitive is about. */
enum { WADI_GPU_ROUND = 4096 };

/* to[i] = first + i for i < call.n. */
typedef struct wadi_gpu_iota {
    uint64_t to; /* i64[n] */
    int64_t first;
} wadi_gpu_iota;

/* Round u is about elements u * WADI_GPU_ROUND .. of [0, n). */
typedef struct wadi_gpu_scan {
    uint64_t at; /* i64[n + 1] */
    uint64_t
        total; /* i64[rounds]: of each round; written by scan_totals, exclusive sums for scan_rounds. 0: there is one round */
    int64_t n;
} wadi_gpu_scan;

typedef struct wadi_gpu_count {
    uint64_t bools; /* u8[n] */
    uint64_t yes;   /* i64[groups] */
    int64_t n;
} wadi_gpu_count;

/* Values of n elements are copied to columns, where they stand side by side. Round u is about values u * WADI_GPU_ROUND .. of
 * [0, total). */
typedef struct wadi_gpu_copying {
    int64_t n, total;
    int64_t
        each; /* values of each element; -1: element i has those between offset[i] and offset[i + 1] */
    uint64_t offset; /* i64[n + 1] */
    /* Where elements come from: pieces that were emitted, */
    uint64_t piece;  /* u64[n]; 0: from columns of several sources, */
    uint64_t start;  /* i64[n]: the first value of each in its source; 0: it is i * stride */
    uint64_t which;  /* i32[n]: the sources; 0: source 0 */
    uint64_t source; /* u64[sources][fields]: columns */
    int64_t stride;
    int32_t fields, unused;
    int32_t size[WADI_GPU_FIELDS]; /* bytes of a value */
    uint64_t to[WADI_GPU_FIELDS];  /* columns */
} wadi_gpu_copying;

/* at[i] /= divisor for i < call.n, by its reciprocal. */
typedef struct wadi_gpu_scaling {
    uint64_t at; /* f32[n] or f64[n] */
    int64_t divisor;
} wadi_gpu_scaling;

#endif
