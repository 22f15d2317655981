/* The number of processors that this process may use. Containers and taskset narrow the affinity mask, and reading that mask
 * is a Linux call outside POSIX; only this file uses it. */
#if defined(__linux__)
#define _GNU_SOURCE /* sched_getaffinity */
#include <sched.h>
#endif
#include <unistd.h>

#include "base/thread.h"

int wadi_thread_processors(void) {
#if defined(__linux__)
    cpu_set_t mine;
    if (sched_getaffinity(0, sizeof mine, &mine) == 0) {
        const int n = CPU_COUNT(&mine);
        if (n > 0) return n;
    }
#endif
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}
