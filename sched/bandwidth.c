/* What the machine's memory can do: the fastest of a few copies between two arrays that are larger than any cache, by all processors. A copy with
 * memcpy, as the library of C has it, reads and writes each byte once. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/pool.h"
#include "sched/speed.h"
#include "wadi/profile.h"

enum { BYTES = 256 << 20, PIECE = 1 << 20, COPIES = 4 };

typedef struct copying {
    char *to;
    const char *from;
} copying;

static void copy(void *env, int worker, int64_t begin, int64_t end) {
    const copying *c = env;
    (void)worker;
    memcpy(c->to + begin * PIECE, c->from + begin * PIECE, (size_t)((end - begin) * PIECE));
}

static void touch(void *env, int worker, int64_t begin, int64_t end) {
    const copying *c = env;
    (void)worker;
    memset(c->to + begin * PIECE, 1, (size_t)((end - begin) * PIECE));
}

/* The fastest, in bytes per second. */
static double copy_all(wadi_pool *pool, copying *c) {
    copying swapped = {.to = (char *)(uintptr_t)c->from};
    int64_t best = INT64_MAX;
    wadi_pool_for(pool, BYTES / PIECE, 1, touch, &swapped);
    wadi_pool_for(pool, BYTES / PIECE, 1, touch, c);
    for (int i = 0; i < COPIES; i++) {
        const int64_t begin = wadi_clock_ns();
        wadi_pool_for(pool, BYTES / PIECE, 1, copy, c);
        const int64_t ns = wadi_clock_ns() - begin;
        if (ns < best) best = ns;
    }
    return best > 0 ? 2.0 * BYTES * 1e9 / (double)best : 0;
}

static double measure(void) {
    wadi_pool *pool = NULL;
    char *memory = malloc(2 * (size_t)BYTES);
    double bandwidth = 0;
    if (memory != NULL && wadi_pool_create(0, &pool, NULL) == WADI_OK) {
        copying c = {memory, memory + BYTES};
        bandwidth = copy_all(pool, &c);
        wadi_pool_destroy(pool);
    }
    free(memory);
    return bandwidth;
}

double wadi_machine_bandwidth(void) {
    static wadi_speed speed = {"memory",
                               "bytes per second that all processors read and write in a copy",
                               measure, PTHREAD_MUTEX_INITIALIZER, 0};
    return wadi_speed_of(&speed);
}
