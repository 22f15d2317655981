/* How many processors this process may use.
 *
 * The affinity mask, which containers and taskset narrow, is a Linux call outside POSIX; this one file asks for it. */
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
