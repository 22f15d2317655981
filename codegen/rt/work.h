/* What kernels say to the runtime: faults, and which element a unit of work belongs to. */
#ifndef WADI_RT_WORK_H
#define WADI_RT_WORK_H

#include <stdbool.h>
#include <stddef.h>

/* What the functions of scalar.h and complex.h begin with. */
#define WADI_FN static inline __attribute__((always_inline, unused))
#define WADI_LIBRARY extern

/* Notes the fault; kernels return its result. Kept out of line: it is never reached in a run that succeeds. */
static __attribute__((noinline, cold, unused)) int wadi_fault_at(wadi_work *w, int32_t kind,
                                                                 int32_t place, int64_t element,
                                                                 int64_t linear, int64_t v0,
                                                                 int64_t v1) {
    w->fault.kind = kind;
    w->fault.place = place;
    w->fault.element = element;
    w->fault.linear = linear;
    w->fault.value[0] = v0;
    w->fault.value[1] = v1;
    return 1;
}

/* Scratch for an array, or NULL; a size beyond all memory is asked for as such, so that the fault is the runtime's. */
static inline __attribute__((unused)) void *wadi_scratch_of(wadi_work *w, int64_t size, int rank,
                                                            const int64_t *extent) {
    int64_t bytes = size;
    int beyond = 0;
    for (int d = 0; d < rank; d++) beyond |= __builtin_mul_overflow(bytes, extent[d], &bytes);
    for (int d = 0; d < rank; d++)
        if (extent[d] == 0) bytes = beyond = 0;
    return w->scratch(w, beyond || bytes > INT64_MAX / 4 ? INT64_MAX / 4 : bytes + 64);
}

/* The element s with unit[s] <= unit < unit[s + 1]. */
static inline __attribute__((unused)) int64_t wadi_segment(const wadi_work *w, int64_t unit) {
    int64_t low = 0, high = w->count;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (w->unit[middle] <= unit)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A loop nest of a kernel: not inlined again, since small functions are what compilers vectorise. */
#define WADI_NEST static __attribute__((noinline, unused))

#if defined(__clang__)
#define WADI_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define WADI_UNROLLED _Pragma("clang loop unroll(full)")
#else
#define WADI_INDEPENDENT _Pragma("GCC ivdep")
#define WADI_UNROLLED _Pragma("GCC unroll 16")
#endif

#endif
