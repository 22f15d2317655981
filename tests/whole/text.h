/* The text of the elementary functions, as kernels in C get it, for loops in tests. */
#ifndef WADI_TESTS_WHOLE_TEXT_H
#define WADI_TESTS_WHOLE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "graph/elementary/builtin.h"

/* The text is for compilers of kernels, without these warnings. */
#pragma GCC diagnostic ignored "-Wconversion"
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wunknown-warning-option"
#pragma clang diagnostic ignored "-Wbitwise-instead-of-logical"
#endif

/* as in codegen/rt/work.h */
#define WADI_FN static inline __attribute__((always_inline, unused))
#define WADI_LIBRARY static __attribute__((unused))
#define WADI_TABLE static const
#include "codegen/rt/lanes.h"

/* as in codegen/rt/scalar.h */
#define NUMBERS(N, T, U)                  \
    WADI_REREAD(wadi_bits_of_##N, U, T, ) \
    WADI_REREAD(wadi_of_bits_##N, T, U, )
NUMBERS(f32, float, uint32_t)
NUMBERS(f64, double, uint64_t)

#include "graph/elementary/elementary.h"

#endif
