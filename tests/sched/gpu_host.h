/* Device C in C: the dialect of the driver in tests/sched/gpu_host_driver.c. One lane runs at a time, so atomic operations are plain ones.
 * A lane that comes to a barrier is laid aside, and another one goes on.
 *
 * Addresses are numbers of a range that nobody can read or write: what is not made a pointer by WADI_AT ends the process. */
#include <stdbool.h>
#include <stdint.h>

/* What the driver tells of the lane that runs. */
typedef struct gpu_host_lane {
    int lane;
    int64_t group, groups;
    uint8_t *heap;
    void (*barrier)(void);
} gpu_host_lane;

gpu_host_lane gpu_host_now;

#define WADI_GLOBAL
#define WADI_LOCAL static
#define WADI_FN static inline __attribute__((always_inline, unused))
#define WADI_FAR static __attribute__((noinline, unused))
#define WADI_KERNEL(name)                  \
    void name(const struct wadi_gpu_call); \
    void name(const struct wadi_gpu_call call)

#define WADI_HEAP (gpu_host_now.heap)
#define WADI_LANE (gpu_host_now.lane)
#define WADI_GROUP (gpu_host_now.group)
#define WADI_GROUPS (gpu_host_now.groups)

#define WADI_AT(w, T, address) ((T *)((w)->heap + ((address) - (w)->call->origin)))

#define WADI_BARRIER gpu_host_now.barrier();
#define WADI_JOIN gpu_host_now.barrier();
#define WADI_FENCE

WADI_FN uint32_t wadi_cas32(volatile uint32_t *p, uint32_t old, uint32_t desired) {
    const uint32_t was = *p;
    if (was == old) *p = desired;
    return was;
}

WADI_FN uint64_t wadi_cas64(volatile uint64_t *p, uint64_t old, uint64_t desired) {
    const uint64_t was = *p;
    if (was == old) *p = desired;
    return was;
}

WADI_FN uint32_t wadi_add32(volatile uint32_t *p, uint32_t v) {
    const uint32_t was = *p;
    *p = was + v;
    return was;
}

WADI_FN uint64_t wadi_add64(volatile uint64_t *p, uint64_t v) {
    const uint64_t was = *p;
    *p = was + v;
    return was;
}
