/* What the machine's processors can compute: the most products that are added to a sum, by all of them, in registers. A product and a sum are two
 * operations. The widest registers that this processor has serve; CMake has this file optimised in every build. */
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/pool.h"
#include "base/thread.h"
#include "sched/speed.h"
#include "wadi/profile.h"

enum { ROUNDS = 20000, PASSES = 8, SUMS = 10, EACH = 4 };

/* One worker's sums: more of them than a processor needs to have products begin in each cycle. They are variables, so that they stay in registers. */
#define SUM_UP(name, type, bytes, attribute)                                                   \
    attribute static double name(void) {                                                       \
        typedef type vector __attribute__((vector_size(bytes)));                               \
        const vector zero = {0}, by = zero + (type)0.999, more = zero + (type)0.01;            \
        vector a = zero, b = zero + 1, c = zero + 2, d = zero + 3, e = zero + 4, f = zero + 5, \
               g = zero + 6, h = zero + 7, i = zero + 8, j = zero + 9;                         \
        for (int k = 0; k < ROUNDS; k++) {                                                     \
            a = a * by + more, b = b * by + more, c = c * by + more;                           \
            d = d * by + more, e = e * by + more, f = f * by + more;                           \
            g = g * by + more, h = h * by + more, i = i * by + more, j = j * by + more;        \
        }                                                                                      \
        a = ((a + b) + (c + d)) + ((e + f) + (g + h)) + (i + j);                               \
        return (double)a[0];                                                                   \
    }

#define NO_ATTRIBUTE
SUM_UP(plain_f32, float, 16, NO_ATTRIBUTE)
SUM_UP(plain_f64, double, 16, NO_ATTRIBUTE)
#if defined(__x86_64__)
SUM_UP(avx2_f32, float, 32, __attribute__((target("avx2,fma"))))
SUM_UP(avx2_f64, double, 32, __attribute__((target("avx2,fma"))))
SUM_UP(avx512_f32, float, 64, __attribute__((target("avx512f,fma"))))
SUM_UP(avx512_f64, double, 64, __attribute__((target("avx512f,fma"))))
#endif

typedef struct summing {
    double (*f32)(void), (*f64)(void);
    int bytes; /* of a register */
} summing;

static summing pick(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return (summing){avx512_f32, avx512_f64, 64};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return (summing){avx2_f32, avx2_f64, 32};
#endif
    return (summing){plain_f32, plain_f64, 16};
}

typedef struct computing {
    double (*sums)(void);
} computing;

static _Thread_local volatile double result; /* so that it is computed */

static void compute(void *env, int worker, int64_t begin, int64_t end) {
    const computing *c = env;
    (void)worker;
    for (int64_t i = begin; i < end; i++) result = c->sums();
}

/* The fastest pass, in operations per second. */
static double measure(bool wide) {
    wadi_pool *pool = NULL;
    const summing how = pick();
    computing c = {.sums = wide ? how.f64 : how.f32};
    const int64_t shares = (int64_t)EACH * wadi_thread_processors();
    const double lanes = (double)how.bytes / (wide ? sizeof(double) : sizeof(float));
    int64_t best = INT64_MAX;
    if (wadi_pool_create(0, &pool, NULL) != WADI_OK) return 0;
    for (int i = 0; i < PASSES; i++) {
        const int64_t begin = wadi_clock_ns();
        wadi_pool_for(pool, shares, 1, compute, &c);
        const int64_t ns = wadi_clock_ns() - begin;
        if (ns < best) best = ns;
    }
    wadi_pool_destroy(pool);
    return best > 0 ? 2.0 * (double)shares * ROUNDS * SUMS * lanes * 1e9 / (double)best : 0;
}

static double measure_f32(void) {
    return measure(false);
}

static double measure_f64(void) {
    return measure(true);
}

double wadi_machine_arithmetic(wadi_type type) {
    static const char about[] = "operations per second of all processors, in products and sums";
    static wadi_speed narrow = {"f32", about, measure_f32, PTHREAD_MUTEX_INITIALIZER, 0};
    static wadi_speed wide = {"f64", about, measure_f64, PTHREAD_MUTEX_INITIALIZER, 0};
    return wadi_speed_of(wadi_type_size(type) > 4 ? &wide : &narrow);
}
