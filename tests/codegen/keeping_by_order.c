/* With the instructions of AVX2 and BMI2. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("avx2,bmi2,popcnt")
#endif
#include "tests/codegen/keeping_table.h"

const keeping keeping_by_order = KEEPING_TABLE("by_order");
