/* Blocks lie one after another in segments, which are mapped and unmapped whole. A block that is given back is not used again until its
 * segment is empty, because the pool keeps blocks for that. The macro is needed because anonymous mappings are not POSIX. */
#define _DEFAULT_SOURCE
#include "sched/null/memory.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/thread.h"
#include "base/vec.h"

typedef struct segment {
    char *base;
    size_t size, used;
    int64_t blocks; /* that have not been given back */
} segment;

struct wadi_null_memory {
    wadi_mutex lock; /* guards the rest */
    WADI_VEC(segment) segments;
    int open;
    bool refused; /* it could not be opened */
};

static const size_t least = (size_t)1 << 20, page = (size_t)1 << 16;

/* A segment that can be written to first: the system refuses one that is too large now, and not when it is opened later. */
static char *map_segment(size_t size, bool open) {
    char *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) return NULL;
    if (open || mprotect(base, size, PROT_NONE) == 0) return base;
    (void)munmap(base, size);
    return NULL;
}

static bool add_segment(wadi_null_memory *m, size_t bytes) {
    const size_t size = bytes > least ? (bytes + page - 1) / page * page : least;
    char *base = size < bytes ? NULL : map_segment(size, m->open > 0);
    if (base == NULL) return false;
    if (wadi_vec_push(&m->segments, ((segment){base, size, 0, 0}))) return true;
    (void)munmap(base, size);
    return false;
}

static void *take(void *self, size_t bytes) {
    wadi_null_memory *m = self;
    const size_t rounded = (bytes + WADI_ALIGN - 1) / WADI_ALIGN * WADI_ALIGN;
    char *at = NULL;
    wadi_mutex_lock(&m->lock);
    segment *last = m->segments.n > 0 ? &m->segments.at[m->segments.n - 1] : NULL;
    if (last == NULL || last->size - last->used < rounded)
        last = add_segment(m, rounded) ? &m->segments.at[m->segments.n - 1] : NULL;
    if (last != NULL) {
        at = last->base + last->used;
        last->used += rounded;
        last->blocks++;
    }
    wadi_mutex_unlock(&m->lock);
    return at;
}

static void give(void *self, void *memory, size_t bytes) {
    wadi_null_memory *m = self;
    const char *at = memory;
    WADI_UNUSED(bytes);
    wadi_mutex_lock(&m->lock);
    for (size_t i = 0; i < m->segments.n; i++) {
        segment *s = &m->segments.at[i];
        if (at < s->base || at >= s->base + s->size) continue;
        if (--s->blocks == 0) {
            (void)munmap(s->base, s->size);
            *s = m->segments.at[--m->segments.n];
        }
        break;
    }
    wadi_mutex_unlock(&m->lock);
}

static void done(void *self) {
    wadi_null_memory *m = self;
    WADI_ASSERT(m->segments.n == 0);
    wadi_vec_free(&m->segments);
    wadi_mutex_fini(&m->lock);
    free(m);
}

wadi_status wadi_null_memory_create(wadi_null_memory **out, wadi_error *err) {
    wadi_null_memory *m = calloc(1, sizeof *m);
    if (m == NULL) return wadi_fail(err, WADI_MEMORY, "null: out of memory");
    const wadi_status status = wadi_mutex_init(&m->lock, err);
    if (status == WADI_OK)
        *out = m;
    else
        free(m);
    return status;
}

wadi_memory wadi_null_memory_of(wadi_null_memory *m) {
    return (wadi_memory){.take = take, .give = give, .done = done, .self = m, .apart = true};
}

/* Whether all segments have it now. To close is never refused for good: what stays open is only not watched. */
static bool set_access(const wadi_null_memory *m, int access) {
    bool done = true;
    for (size_t i = 0; i < m->segments.n; i++)
        done = mprotect(m->segments.at[i].base, m->segments.at[i].size, access) == 0 && done;
    return done;
}

bool wadi_null_memory_open(wadi_null_memory *m) {
    wadi_mutex_lock(&m->lock);
    if (!m->refused && m->open == 0) m->refused = !set_access(m, PROT_READ | PROT_WRITE);
    const bool opened = !m->refused;
    m->open += opened;
    wadi_mutex_unlock(&m->lock);
    return opened;
}

void wadi_null_memory_close(wadi_null_memory *m) {
    wadi_mutex_lock(&m->lock);
    if (--m->open == 0) (void)set_access(m, PROT_NONE);
    wadi_mutex_unlock(&m->lock);
}

wadi_status wadi_null_memory_check(wadi_null_memory *m, wadi_error *err) {
    wadi_mutex_lock(&m->lock);
    const bool refused = m->refused;
    wadi_mutex_unlock(&m->lock);
    return refused ? wadi_fail(err, WADI_MEMORY, "null: the system does not let its memory be used")
                   : WADI_OK;
}
