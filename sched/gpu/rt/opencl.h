/* Device C in OpenCL C 1.2: what stands in front of call.h and item.h. All memory is one buffer, `heap`. An address is a number of the
 * range that the host has set aside for it, and becomes a pointer by its distance from the begin of that range.
 *
 * A dialect defines: integers and bool; WADI_KERNEL, WADI_GLOBAL, WADI_LOCAL, WADI_AT; WADI_BARRIER and WADI_FENCE; WADI_JOIN, which is nothing
 * unless the compiler needs to be told that all lanes go on together (codegen/emit/lanes/statement.c); wadi_cas32, wadi_cas64, wadi_add32,
 * wadi_add64; the marks of functions WADI_FN (inlined) and WADI_FAR (not inlined); and what WADI_ITEM reads: WADI_HEAP, WADI_LANE, WADI_GROUP,
 * WADI_GROUPS. */
#ifndef WADI_SCHED_GPU_RT_OPENCL_H
#define WADI_SCHED_GPU_RT_OPENCL_H

#define WADI_DIALECT_OPENCL 1

#ifndef WADI_FAST_MATH
#pragma OPENCL FP_CONTRACT OFF
#endif
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif

typedef char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef uchar uint8_t;
typedef ushort uint16_t;
typedef uint uint32_t;
typedef ulong uint64_t;

#define INT8_MIN SCHAR_MIN
#define INT8_MAX SCHAR_MAX
#define UINT8_MAX UCHAR_MAX
#define INT16_MIN SHRT_MIN
#define INT16_MAX SHRT_MAX
#define UINT16_MAX USHRT_MAX
#define INT32_MIN INT_MIN
#define INT32_MAX INT_MAX
#define UINT32_MAX UINT_MAX
#define INT64_MIN LONG_MIN
#define INT64_MAX LONG_MAX
#define UINT64_MAX ULONG_MAX

#define WADI_GLOBAL __global
#define WADI_LOCAL __local
#define WADI_FN static inline __attribute__((always_inline, unused))
#define WADI_FAR static __attribute__((noinline, unused))

/* 64: WADI_GPU_LANES, since compilers want a number here. */
#define WADI_KERNEL(name)                                                                      \
    __kernel __attribute__((reqd_work_group_size(64, 1, 1))) void name(__global uint8_t *heap, \
                                                                       const wadi_gpu_call call)

/* In front of a loop of a few rounds. */
#define WADI_UNROLLED _Pragma("unroll")
/* In front of one of many rounds with a number that is known. */
#define WADI_ROLLED

#define WADI_HEAP heap
#define WADI_LANE ((int)get_local_id(0))
#define WADI_GROUP ((int64_t)get_group_id(0))
#define WADI_GROUPS ((int64_t)get_num_groups(0))

#define WADI_AT(w, T, address) ((__global T *)((w)->heap + ((address) - (w)->call->origin)))

#define WADI_BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#define WADI_JOIN WADI_BARRIER
#define WADI_FENCE mem_fence(CLK_GLOBAL_MEM_FENCE);

WADI_FN uint32_t wadi_cas32(volatile __global uint32_t *p, uint32_t old, uint32_t desired) {
    return atomic_cmpxchg(p, old, desired);
}

WADI_FN uint32_t wadi_add32(volatile __global uint32_t *p, uint32_t v) {
    return atomic_add(p, v);
}

#ifdef cl_khr_int64_base_atomics
WADI_FN uint64_t wadi_cas64(volatile __global uint64_t *p, uint64_t old, uint64_t desired) {
    return atom_cmpxchg(p, old, desired);
}

WADI_FN uint64_t wadi_add64(volatile __global uint64_t *p, uint64_t v) {
    return atom_add(p, v);
}
#endif

#endif
