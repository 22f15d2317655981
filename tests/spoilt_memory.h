/* Memory that is never clean: what is new is full of ones and zeros, and so is what has been given back. What reads memory that nobody
 * has written, or that is no longer its own, then differs from what it should be. Where the C library cannot do so, nothing is seen. */
#ifndef WADI_TESTS_SPOILT_MEMORY_H
#define WADI_TESTS_SPOILT_MEMORY_H

#if defined(__GLIBC__)
#include <malloc.h>
#endif

static inline void spoil_memory(void) {
#if defined(__GLIBC__)
    (void)mallopt(M_PERTURB, 0xa5);
#endif
}

#endif
