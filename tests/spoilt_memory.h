/* Memory that is never clean: new memory and freed memory are filled with a pattern. So code that reads memory which nobody has
 * written, or which was freed, gives wrong results. If the C library has no such option, nothing is seen. */
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
