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

#define KEEPING_TABLE(name) \
    { name, {wadi_place_1, wadi_place_2, wadi_place_4, wadi_place_8, wadi_place_16}, KEEPING_WIDE }

#endif
