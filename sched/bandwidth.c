/* What the machine's memory can do: the fastest of a few copies between two arrays that are larger than any cache, by all processors. A copy with
 * memcpy, as the library of C has it, reads and writes each byte once. The result is kept in the cache folder under the number of processors and their name.
 * A machine may be busy with other work while it is measured, so the first few processes that ask measure it anew, and the greatest result is kept. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/outfile.h"
#include "base/pool.h"
#include "base/task.h"
#include "base/thread.h"
#include "base/user_cache.h"
#include "sched/devices.h"
#include "wadi/profile.h"

enum { BYTES = 256 << 20, PIECE = 1 << 20, COPIES = 4, ROOM = 1200, TRIES = 4 };

/* ---- measuring ---- */

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

/* ---- keeping ---- */

static bool find_path(char out[ROOM]) {
    char folder[ROOM / 2];
    wadi_device_facts facts = {.memory = 0};
    if (wadi_user_cache(folder, sizeof folder, NULL) != WADI_OK) return false;
    if (wadi_devices->tell(0, &facts, NULL) != WADI_OK) return false;
    (void)snprintf(out, ROOM, "%s/memory-%d-%016" PRIx64 ".speed", folder, wadi_thread_processors(),
                   wadi_hash_bytes(facts.name, strlen(facts.name)));
    return true;
}

/* What is kept: the greatest result of some tries. */
typedef struct kept {
    double bandwidth; /* 0: nothing usable is kept */
    int tries;
} kept;

static kept read_kept(const char *path) {
    char *text = NULL, *rest = NULL;
    size_t n = 0;
    kept k = {0};
    if (wadi_file_read(path, &text, &n, NULL) != WADI_OK) return k;
    const char *line = strchr(text, '\n'); /* of the comment */
    if (line != NULL) {
        k.bandwidth = strtod(line + 1, &rest);
        k.tries = (int)strtol(rest, NULL, 10);
    }
    free(text);
    if (k.bandwidth > 1e6 && k.bandwidth < 1e15 && k.tries > 0) return k;
    return (kept){0};
}

static void keep(const char *path, const kept *k) {
    char text[200];
    const int n = snprintf(
        text, sizeof text,
        "# bytes per second that all processors read and write in a copy, and tries\n%.0f\n%d\n",
        k->bandwidth, k->tries);
    const wadi_outfile_options options = {.mode = 0600, .sync = WADI_SYNC_NEVER};
    (void)!wadi_outfile_put(path, text, (size_t)n, &options, NULL);
}

static double kept_or_measured(void) {
    char path[ROOM];
    const bool has_path = find_path(path);
    kept k = has_path ? read_kept(path) : (kept){0};
    if (k.tries >= TRIES) return k.bandwidth;
    const double measured = measure();
    if (measured > k.bandwidth) k.bandwidth = measured;
    k.tries++;
    if (has_path && measured > 0) keep(path, &k);
    return k.bandwidth;
}

/* A task that is stopped reads no files, and a run that was cancelled has a profile too. A process measures once, so what it says stays the
 * same. */
double wadi_machine_bandwidth(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static double known;
    (void)pthread_mutex_lock(&lock);
    const wadi_task before = wadi_task_begin((wadi_task){.name = "bandwidth"});
    if (!(known > 0)) known = kept_or_measured();
    wadi_task_end(before);
    const double bandwidth = known;
    (void)pthread_mutex_unlock(&lock);
    return bandwidth;
}
