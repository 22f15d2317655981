/* With the instructions of AVX-512. */
#include "tests/codegen/keeping.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("avx512f,avx512vl,avx512bw,popcnt")
#endif
#include "codegen/rt/place.h"

#if defined(WADI_PLACE_BY_MASK) || defined(WADI_PLACE_BY_ORDER)
enum { WIDE = 1 };
#else
enum { WIDE = 0 };
#endif

const keeping keeping_by_mask = {
    "by_mask", {wadi_place_1, wadi_place_2, wadi_place_4, wadi_place_8, wadi_place_16}, WIDE};
