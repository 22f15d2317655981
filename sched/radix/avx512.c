/* The engine for processors with AVX-512. sched/CMakeLists.txt compiles this file for them alone: nothing here may run on others (radix.c asks). */
#include "sched/radix/engine.h"

#include <pthread.h>
#include <stddef.h>

#if defined __AVX512F__ && defined __AVX512DQ__ && defined __AVX512BW__ && defined __AVX512VL__ && \
    defined __BMI2__
#define LANES 1
#include "sched/radix/engine_body.h"

const wadi_radix_engine *wadi_radix_avx512_there(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static const wadi_radix_engine engine = {sort_row, rank_row, choose_row};
    (void)pthread_once(&once, fill_lanes_first);
    return &engine;
}
#else
const wadi_radix_engine *wadi_radix_avx512_there(void) {
    return NULL;
}
#endif
