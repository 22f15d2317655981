/* One number after the other, unless the whole build is for a processor that has more. */
#include "tests/codegen/keeping.h"

#include "codegen/rt/place.h"

#if defined(WADI_PLACE_BY_MASK) || defined(WADI_PLACE_BY_ORDER)
enum { WIDE = 1 };
#else
enum { WIDE = 0 };
#endif

const keeping keeping_plain = {
    "plain", {wadi_place_1, wadi_place_2, wadi_place_4, wadi_place_8, wadi_place_16}, WIDE};
