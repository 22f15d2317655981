/* Device C in CUDA C++: what stands in front of call.h and item.h (opencl.h says what a dialect defines). Addresses are those of the
 * machine. */
#ifndef WADI_SCHED_GPU_RT_CUDA_H
#define WADI_SCHED_GPU_RT_CUDA_H

#define WADI_DIALECT_CUDA 1

#ifdef __CUDACC_RTC__ /* there are no headers */
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;

#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295u
#define INT64_MIN (-9223372036854775807ll - 1)
#define INT64_MAX 9223372036854775807ll
#define UINT64_MAX 18446744073709551615ull
#else
#include <stdint.h>
#endif

#define WADI_GLOBAL
#define WADI_LOCAL __shared__
#define WADI_FN static __device__ __forceinline__
#define WADI_FAR static __device__ __noinline__

/* Where it can be, the argument stays where the launch has put it, and is not copied for each lane. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
#define WADI_ARGUMENT const __grid_constant__
#else
#define WADI_ARGUMENT const
#endif
/* 64: WADI_GPU_LANES. */
#define WADI_KERNEL(name) \
    extern "C" __global__ void __launch_bounds__(64) name(WADI_ARGUMENT wadi_gpu_call call)

/* In front of a loop of a few rounds. */
#define WADI_UNROLLED _Pragma("unroll")
/* In front of one of many rounds with a number that is known. */
#define WADI_ROLLED _Pragma("unroll 4")

#define WADI_HEAP 0
#define WADI_LANE ((int)threadIdx.x)
#define WADI_GROUP ((int64_t)blockIdx.x)
#define WADI_GROUPS ((int64_t)gridDim.x)

#define WADI_AT(w, T, address) ((T *)(address))

#define WADI_BARRIER __syncthreads();
#define WADI_JOIN
#define WADI_FENCE __threadfence();

WADI_FN uint32_t wadi_cas32(volatile uint32_t *p, uint32_t old, uint32_t desired) {
    return atomicCAS((uint32_t *)p, old, desired);
}

WADI_FN uint64_t wadi_cas64(volatile uint64_t *p, uint64_t old, uint64_t desired) {
    return atomicCAS((unsigned long long *)p, (unsigned long long)old, (unsigned long long)desired);
}

WADI_FN uint32_t wadi_add32(volatile uint32_t *p, uint32_t v) {
    return atomicAdd((uint32_t *)p, v);
}

WADI_FN uint64_t wadi_add64(volatile uint64_t *p, uint64_t v) {
    return atomicAdd((unsigned long long *)p, (unsigned long long)v);
}

#endif
