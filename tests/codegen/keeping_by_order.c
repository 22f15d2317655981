/* With the instructions of AVX2 and BMI2. */
#include "tests/codegen/keeping.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("avx2,bmi2,popcnt")
#endif
#include "codegen/rt/place.h"

#if defined(WADI_PLACE_BY_MASK) || defined(WADI_PLACE_BY_ORDER)
enum { WIDE = 1 };
#else
enum { WIDE = 0 };
#endif

const keeping keeping_by_order = {
    "by_order", {wadi_place_1, wadi_place_2, wadi_place_4, wadi_place_8, wadi_place_16}, WIDE};
