/* With the instructions of AVX-512. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("avx512f,avx512vl,avx512bw,popcnt")
#endif
#include "tests/codegen/keeping_table.h"

const keeping keeping_by_mask = KEEPING_TABLE("by_mask");
