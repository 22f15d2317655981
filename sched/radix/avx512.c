/* The engine for processors with AVX-512. sched/CMakeLists.txt compiles this file for them alone; nothing else here may run before the question
 * whether this is one. */
#include "sched/radix/engine.h"

#include <pthread.h>
#include <stddef.h>

#if defined __AVX512F__ && defined __AVX512DQ__ && defined __AVX512BW__ && defined __AVX512VL__ && \
    defined __BMI2__
#define LANES 1
#include "sched/radix/engine_body.h"

const wadi_radix_engine *wadi_radix_avx512(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static const wadi_radix_engine engine = {sort_row, rank_row};
    const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                     __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                     __builtin_cpu_supports("bmi2");
    (void)pthread_once(&once, fill_lanes_first);
    return has ? &engine : NULL;
}
#else
const wadi_radix_engine *wadi_radix_avx512(void) {
    return NULL;
}
#endif
