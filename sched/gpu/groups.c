/* As many groups as fit. */
#include "sched/gpu/groups.h"

/* Where the machine does not tell what fits: so many for each unit that it has others to go on with while one waits for memory. */
enum { USUAL = 16 };

int64_t wadi_gpu_groups(const wadi_gpu_driver *driver, wadi_code kernel, int64_t rounds) {
    const int fits = driver->ops->fitting != NULL
                         ? driver->ops->fitting((wadi_gpu_driver *)(uintptr_t)driver, kernel)
                         : USUAL;
    const int64_t most = (int64_t)driver->units * (fits > 0 ? fits : 1);
    return rounds < 1 ? 1 : rounds < most ? rounds : most;
}
