/* Finds memory that an operation does not give back: compares how much the heap has given out before and after the operation is
 * repeated a few times. Only the heap of the calling thread is seen, and nothing if the C library does not report it. */
#ifndef WADI_TESTS_KEPT_MEMORY_H
#define WADI_TESTS_KEPT_MEMORY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

static inline size_t memory_in_use(void) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

/* Does it a few times, so that what is made once is there and the heap has its habits, then in up to five rounds of twenty. The
 * heap counts freed blocks that a thread holds for itself, whose number settles late; memory that is kept grows in every round. */
static inline void assert_keeps_nothing(void (*work)(void *env), void *env) {
    enum { TIMES = 20, ROUNDS = 5 };
    for (int i = 0; i < TIMES; i++) work(env);
    size_t before = memory_in_use();
    size_t more = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < TIMES; i++) work(env);
        const size_t after = memory_in_use();
        if (after <= before) return;
        more = after - before;
        before = after;
    }
    fail_msg("%zu bytes more are in use", more);
}

#endif
