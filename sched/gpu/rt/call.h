/* What kernels see on devices with groups of lanes: the counterpart of sched/kernel.h. This text is pasted in front of kernels in CUDA C
 * and OpenCL C, and the runtime includes it, so it contains nothing but integers of fixed width. Addresses are numbers; a dialect
 * (opencl.h, cuda.h) makes pointers of them.
 *
 * Two kinds of kernels:
 *   by groups   has a loop by groups (codegen/loop/loop.h). Group g of G does the rounds g, g + G, .. of [0, n).
 *   by items    has none. Item i of I does the ranges of `step` rounds that begin at i * step, (i + I) * step, .. and ends at its first
 *               fault. A kernel that must go through everything in order is launched with step = n, as one item.
 * Groups have WADI_GROUP_LANES lanes in both. */
#ifndef WADI_SCHED_GPU_RT_CALL_H
#define WADI_SCHED_GPU_RT_CALL_H

enum { WADI_GPU_FIELDS = 16, WADI_GPU_LANES = 64, WADI_GPU_RANK = 8, WADI_GPU_FAULT_VALUES = 4 };

/* As wadi_slot, with addresses in the place of pointers. */
typedef struct wadi_gpu_slot {
    uint64_t col[WADI_GPU_FIELDS];
    uint64_t shape, offset;
    int64_t stride;
} wadi_gpu_slot;

/* As wadi_fault. */
typedef struct wadi_gpu_fault {
    int32_t kind, place;
    int64_t element, linear;
    int64_t value[WADI_GPU_FAULT_VALUES];
    int32_t rank, unused;
    int64_t index[WADI_GPU_RANK];
} wadi_gpu_fault;

/* What a launch leaves behind. The host clears it before a launch (fault.kind = 0, lock = 0, taken = 0) and reads it afterwards. */
typedef struct wadi_gpu_state {
    int32_t lock;         /* whoever has it compares and replaces the fault */
    uint32_t taken;       /* units of WADI_GPU_UNIT bytes that were taken of the heap */
    wadi_gpu_fault fault; /* the first by element, then by linear */
} wadi_gpu_state;

enum { WADI_GPU_UNIT = 64 };

/* A slot whose elements only the kernel knows the shapes of. */
typedef struct wadi_gpu_emission {
    uint64_t
        piece; /* i64[count]: the address of the element's columns, one behind the other, each aligned to WADI_GPU_UNIT */
    int32_t rank, fields;
    int32_t irregular; /* shape[s * rank + d] and offset[s + 1] = values; otherwise shape[d] */
    int32_t expected;
    int32_t size[WADI_GPU_FIELDS]; /* bytes of a value of each column */
} wadi_gpu_emission;

/* The argument of a kernel, by value. */
typedef struct wadi_gpu_call {
    uint64_t
        origin; /* the address of the first byte of the device's memory; 0 where addresses are those of the machine */
    int64_t begin, n, step;        /* rounds begin, begin + step, .. below n */
    int64_t first, count, workers; /* as in wadi_work */
    uint64_t slot;                 /* wadi_gpu_slot[] */
    uint64_t unit;                 /* i64[count + 1]; 0: none */
    uint64_t state;                /* wadi_gpu_state */
    uint64_t emission;             /* wadi_gpu_emission[], by slot; 0: no slot is expected */
    /* Scratch memory: item i has the `region` bytes from scratch + i * region on. There is a region for each item that has rounds, and
     * for all items where groups have them. */
    uint64_t scratch;
    int64_t region;      /* a multiple of WADI_GPU_UNIT; 0: none */
    uint64_t heap;       /* what does not fit there, and emitted elements, are taken of this, */
    uint32_t heap_units; /* so many units long */
    uint32_t which;      /* of the kernels that share an entry; 0 where none does */
} wadi_gpu_call;

#endif
