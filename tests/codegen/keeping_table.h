/* The table of the functions of codegen/rt/place.h for the processor that has been chosen before this is included. */
#ifndef TESTS_CODEGEN_KEEPING_TABLE_H
#define TESTS_CODEGEN_KEEPING_TABLE_H

#include "codegen/rt/place.h"
#include "tests/codegen/keeping.h"

#if defined(WADI_PLACE_BY_MASK) || defined(WADI_PLACE_BY_ORDER)
enum { KEEPING_WIDE = 1 };
#else
enum { KEEPING_WIDE = 0 };
#endif

/* Those that are always inlined have no address. */
static void keeping_take_4(void *to, const void *from, int64_t n) {
    wadi_take_4(to, from, n);
}
static void keeping_take_8(void *to, const void *from, int64_t n) {
    wadi_take_8(to, from, n);
}
static int64_t keeping_front_4(void *to, const void *from, const uint8_t *keep, int64_t n) {
    return wadi_place_front_4(to, from, keep, n);
}
static int64_t keeping_front_8(void *to, const void *from, const uint8_t *keep, int64_t n) {
    return wadi_place_front_8(to, from, keep, n);
}

#define KEEPING_TABLE(name)                                                                    \
    {                                                                                          \
        name, {wadi_place_1, wadi_place_2, wadi_place_4, wadi_place_8, wadi_place_16},         \
            {keeping_take_4, keeping_take_8}, {keeping_front_4, keeping_front_8}, KEEPING_WIDE \
    }

#endif
