/* Blocks lie one after another in segments, which are mapped and unmapped whole. A block that is given back is not used again until its
 * segment is empty, because the pool keeps blocks for that.
 *
 * The system has mapped every segment twice. Blocks have their addresses in the first view, which is opened for kernels only: to open it
 * and close it takes as long as copying many kilobytes. The second view is always open, and no address in it leaves the device: copies go
 * through it. The macro is needed because neither anonymous mappings nor second views are POSIX. */
#define _GNU_SOURCE
#include "sched/null/memory.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/thread.h"
#include "base/vec.h"

typedef struct segment {
    char *base, *view; /* the same memory; view: always open */
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

/* False: the system refuses it. It can be written to first, so that one that is too large is refused now, and not when it is opened. */
static bool map_segment(segment *s, bool open) {
    s->base = mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s->base == MAP_FAILED) return false;
    /* Of a shared mapping, 0 bytes "moved" are a second view of it (mremap(2)). */
    s->view = mremap(s->base, 0, s->size, MREMAP_MAYMOVE);
    if (s->view != MAP_FAILED) {
        if (open || mprotect(s->base, s->size, PROT_NONE) == 0) return true;
        (void)munmap(s->view, s->size);
    }
    (void)munmap(s->base, s->size);
    return false;
}

static void unmap_segment(const segment *s) {
    (void)munmap(s->view, s->size);
    (void)munmap(s->base, s->size);
}

static bool add_segment(wadi_null_memory *m, size_t bytes) {
    segment s = {.size = bytes > least ? (bytes + page - 1) / page * page : least};
    if (s.size < bytes || !map_segment(&s, m->open > 0)) return false;
    if (wadi_vec_push(&m->segments, s)) return true;
    unmap_segment(&s);
    return false;
}

/* The segment in which the address lies; NULL: it is not of this memory. */
static segment *segment_of(const wadi_null_memory *m, const char *at) {
    for (size_t i = 0; i < m->segments.n; i++) {
        segment *s = &m->segments.at[i];
        if (at >= s->base && at < s->base + s->size) return s;
    }
    return NULL;
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
    WADI_UNUSED(bytes);
    wadi_mutex_lock(&m->lock);
    segment *s = segment_of(m, memory);
    if (s != NULL && --s->blocks == 0) {
        unmap_segment(s);
        *s = m->segments.at[--m->segments.n];
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

void *wadi_null_memory_view(wadi_null_memory *m, const void *at) {
    const char *seen = at;
    wadi_mutex_lock(&m->lock);
    const segment *s = segment_of(m, at);
    if (s != NULL) seen = s->view + (seen - s->base);
    wadi_mutex_unlock(&m->lock);
    return (void *)(uintptr_t)seen;
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
