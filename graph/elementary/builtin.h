/* The words that the functions of kernels take of a compiler: those here, codegen/rt/scalar.h and complex.h. All are expanded twice
 * (codegen/CMakeLists.txt): for C, where these are builtins of gcc and clang, and with WADI_RT_DEVICE for device C, where they are functions
 * that OpenCL C and CUDA C have under one name for both widths, or words that each dialect defines (scalar_opencl.h, scalar_cuda.h). */
#ifndef WADI_ELEMENTARY_BUILTIN_H
#define WADI_ELEMENTARY_BUILTIN_H

/* a b + c, rounded once, of floats with suffix S; no argument may be an integer */
#define WADI_FMA(a, b, c, S) WADI_MATH(fma, S)(a, b, c)

#if defined(WADI_RT_DEVICE)

/* a function of floats; S is C's suffix */
#define WADI_MATH(name, S) name
#define WADI_INF(N, S) wadi_of_bits_##N(WADI_INF_##N)
#define WADI_NAN(N, S) wadi_of_bits_##N(WADI_NAN_##N)
/* a function that reads the bits of a FROM as a TO */
#define WADI_REREAD(name, TO, FROM, word) \
    WADI_FN TO name(FROM x) {             \
        return (TO)word(x);               \
    }
/* of an unsigned integer of 64 bits that is not 0 */
#define WADI_CLZLL(x) WADI_CLZ(x)
#define WADI_CTZLL(x) WADI_CTZ(x)
#define WADI_POPCOUNTLL(x) WADI_POPCOUNT(x)

#define WADI_INF_f32 0x7f800000u
#define WADI_NAN_f32 0x7fc00000u
#define WADI_INF_f64 0x7ff0000000000000u
#define WADI_NAN_f64 0x7ff8000000000000u

#define INT8_MIN (-128)
#define INT8_MAX 127
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define INT64_MIN (-9223372036854775807 - 1)
#define INT64_MAX 9223372036854775807
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295u
#define UINT64_MAX 18446744073709551615u

#else

#define WADI_MATH(name, S) __builtin_##name##S
#define WADI_INF(N, S) __builtin_inf##S()
#define WADI_NAN(N, S) __builtin_nan##S("")
#define WADI_REREAD(name, TO, FROM, word)   \
    WADI_FN TO name(FROM x) {               \
        TO y;                               \
        __builtin_memcpy(&y, &x, sizeof y); \
        return y;                           \
    }
#define WADI_CLZLL(x) __builtin_clzll(x)
#define WADI_CTZLL(x) __builtin_ctzll(x)
#define WADI_POPCOUNTLL(x) __builtin_popcountll(x)

#endif

#endif
