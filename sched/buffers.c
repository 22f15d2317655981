/* Free lists by size class, under one lock. */
#include "sched/buffers.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/keep.h"
#include "base/pages.h"
#include "base/thread.h"

enum {
    SMALLEST = 128, /* bytes of class 0 */
    STEPS = 8,      /* classes per power of two: a block is at most an eighth too large */
    CLASSES = 400,
    /* A request may take a waiting block that is up to so many classes larger: of those below LARGE, up to 3.2 times the size; else half as much again. */
    LARGE = 1 << 16,
    LOOK_AHEAD = 12,
    LOOK_AHEAD_LARGE = 3,
    LIVE_PART =
        4, /* a pool in use keeps what it once used, up to this part of all memory of its kind */
    IDLE_PART = 16 /* an idle one at most this part */
};

/* The header in front of every block; its size keeps the block aligned. If the pool's memory is apart, nothing follows the header. */
typedef union block {
    struct {
        wadi_buffers *pool;
        union block *next;
        int64_t capacity;
        void *address;
        int size_class;
    } at;
    char align[WADI_ALIGN];
} block;

struct wadi_buffers {
    atomic_int refs;
    wadi_memory memory;
    wadi_mutex lock; /* guards the rest */
    int64_t keep_bytes;
    int64_t machine; /* bytes that there are of its memory in all; 0: not known */
    block *waiting[CLASSES];
    int64_t waiting_bytes, used, peak;
};

static void *heap_take(void *self, size_t bytes) {
    WADI_UNUSED(self);
    return wadi_pages_get(bytes);
}

static void heap_give(void *self, void *memory, size_t bytes) {
    WADI_UNUSED(self);
    wadi_pages_give(memory, bytes);
}

static const wadi_memory heap = {.take = heap_take, .give = heap_give, .plenty = true};

static int64_t class_bytes(int size_class) {
    const int64_t bytes = (int64_t)(SMALLEST / STEPS * (STEPS + size_class % STEPS))
                          << (size_class / STEPS);
    return (bytes + WADI_ALIGN - 1) / WADI_ALIGN * WADI_ALIGN;
}

/* The smallest class that holds `bytes`; -1: none does. */
static int class_of(int64_t bytes) {
    if (bytes <= SMALLEST) return 0;
    const int last =
        63 - __builtin_clzll((unsigned long long)bytes - 1); /* the highest bit of bytes - 1 */
    const int first = 31 - __builtin_clz(SMALLEST);
    const int64_t power = INT64_C(1) << last; /* power < bytes <= 2 * power */
    const int64_t step = power / STEPS;
    const int c = STEPS * (last - first) + (int)((bytes - power + step - 1) / step);
    return c < CLASSES ? c : -1;
}

static void free_block(wadi_buffers *b, block *one) {
    const size_t bytes = (size_t)one->at.capacity;
    if (b->memory.apart) {
        b->memory.give(b->memory.self, one->at.address, bytes);
        free(one);
    } else {
        b->memory.give(b->memory.self, one, bytes + sizeof *one);
    }
}

/* NULL when out of memory. */
static block *make_block(wadi_buffers *b, size_t bytes) {
    if (!b->memory.apart) {
        block *one = b->memory.take(b->memory.self, bytes + sizeof *one);
        if (one != NULL) one->at.address = one + 1;
        return one;
    }
    /* One more than is needed: who holds the block has an address behind it, which tools for leaks take for somebody else's otherwise. */
    block *one = aligned_alloc(WADI_ALIGN, 2 * sizeof *one);
    if (one == NULL) return NULL;
    one->at.address = b->memory.take(b->memory.self, bytes);
    if (one->at.address != NULL) return one;
    free(one);
    return NULL;
}

/* Frees waiting blocks, smallest first, until at most `keep` bytes wait. */
static void trim(wadi_buffers *b, int64_t keep) {
    for (int c = 0; c < CLASSES && b->waiting_bytes > keep; c++) {
        while (b->waiting[c] != NULL && b->waiting_bytes > keep) {
            block *one = b->waiting[c];
            b->waiting[c] = one->at.next;
            b->waiting_bytes -= one->at.capacity;
            free_block(b, one);
        }
    }
}

/* How much may wait beside what is in use. What was once used in all, will most likely be used again. */
static int64_t most_waiting(const wadi_buffers *b) {
    const int64_t share = b->machine / LIVE_PART;
    const int64_t once = b->peak < share ? b->peak : share;
    if (!b->memory.plenty) return once - b->used > b->keep_bytes ? once - b->used : b->keep_bytes;
    return (once > b->keep_bytes ? once : b->keep_bytes) - b->used;
}

static void destroy(void *owned_b) {
    wadi_buffers *b = owned_b;
    trim(b, 0);
    if (b->memory.done != NULL) b->memory.done(b->memory.self);
    wadi_mutex_fini(&b->lock);
    free(b);
}

/* Pools that nobody uses. An idle process holds at most `most` times idle_bytes, however many runs there were. */
static const wadi_keep_kind idle = {.most = 2, .destroy = destroy};

/* What is spared is still the system's to take; what cannot be spared is this process's alone. */
static int64_t idle_bytes(const wadi_buffers *b) {
    static const int64_t least = INT64_C(256) << 20;
    const int64_t share = b->machine / IDLE_PART;
    return wadi_pages_can_spare() && share > least ? share : least;
}

/* Tells the system that it may take the memory of large waiting blocks, behind their headers. */
static void spare_waiting(wadi_buffers *b) {
    for (int c = 0; c < CLASSES; c++)
        for (block *one = b->waiting[c]; one != NULL; one = one->at.next)
            wadi_pages_spare(one, sizeof *one, (size_t)one->at.capacity + sizeof *one);
}

static wadi_status make(const wadi_memory *memory, int64_t keep_bytes, wadi_buffers **out,
                        wadi_error *err) {
    wadi_buffers *b = calloc(1, sizeof *b);
    if (b == NULL) return wadi_fail(err, WADI_MEMORY, "buffer pool: out of memory");
    const wadi_status status = wadi_mutex_init(&b->lock, err);
    if (status != WADI_OK) {
        free(b);
        return status;
    }
    atomic_init(&b->refs, 1);
    b->memory = memory != NULL ? *memory : heap;
    b->keep_bytes = keep_bytes;
    b->machine = b->memory.plenty ? wadi_pages_machine() : b->memory.of;
    *out = b;
    return WADI_OK;
}

wadi_status wadi_buffers_create(const wadi_memory *memory, int64_t keep_bytes, wadi_buffers **out,
                                wadi_error *err) {
    wadi_buffers *b = memory == NULL ? wadi_keep_take(&idle, 0) : NULL;
    if (b == NULL) return make(memory, keep_bytes, out, err);
    atomic_store(&b->refs, 1);
    b->keep_bytes = keep_bytes;
    b->peak = 0;
    trim(b, keep_bytes);
    *out = b;
    return WADI_OK;
}

void wadi_buffers_keep(wadi_buffers *b, int64_t keep_bytes) {
    wadi_mutex_lock(&b->lock);
    b->keep_bytes = keep_bytes;
    trim(b, most_waiting(b));
    wadi_mutex_unlock(&b->lock);
}

wadi_buffers *wadi_buffers_retain(wadi_buffers *b) {
    atomic_fetch_add(&b->refs, 1);
    return b;
}

void wadi_buffers_release(wadi_buffers *b) {
    if (b == NULL || atomic_fetch_sub(&b->refs, 1) != 1) return;
    WADI_ASSERT(b->used == 0);
    if (b->memory.take != heap_take) {
        destroy(b);
        return;
    }
    const int64_t most = idle_bytes(b);
    trim(b, b->keep_bytes < most ? b->keep_bytes : most);
    spare_waiting(b);
    wadi_keep_put(&idle, 0, b);
}

static block *take_waiting(wadi_buffers *b, int size_class) {
    const int ahead = class_bytes(size_class) < LARGE ? LOOK_AHEAD : LOOK_AHEAD_LARGE;
    for (int c = size_class; c < CLASSES && c <= size_class + ahead; c++) {
        block *one = b->waiting[c];
        if (one == NULL) continue;
        b->waiting[c] = one->at.next;
        b->waiting_bytes -= one->at.capacity;
        return one;
    }
    return NULL;
}

static block *take_fresh(wadi_buffers *b, int size_class) {
    const size_t bytes = (size_t)class_bytes(size_class);
    trim(b, most_waiting(b) - (b->memory.plenty ? (int64_t)bytes : 0));
    block *one = make_block(b, bytes);
    if (one == NULL && b->waiting_bytes > 0) {
        trim(b, 0);
        one = make_block(b, bytes);
    }
    if (one == NULL) return NULL;
    one->at.pool = b;
    one->at.capacity = (int64_t)bytes;
    one->at.size_class = size_class;
    return one;
}

void *wadi_buffers_get(wadi_buffers *b, int64_t bytes) {
    const int size_class = bytes < 0 ? -1 : class_of(bytes);
    if (size_class < 0) return NULL;
    wadi_mutex_lock(&b->lock);
    block *one = take_waiting(b, size_class);
    if (one == NULL) one = take_fresh(b, size_class);
    if (one != NULL) {
        b->used += one->at.capacity;
        if (b->used > b->peak) b->peak = b->used;
    }
    wadi_mutex_unlock(&b->lock);
    return one == NULL ? NULL : one + 1;
}

void wadi_buffers_put(void *memory) {
    if (memory == NULL) return;
    block *one = (block *)memory - 1;
    wadi_buffers *b = one->at.pool;
    wadi_mutex_lock(&b->lock);
    b->used -= one->at.capacity;
    one->at.next = b->waiting[one->at.size_class];
    b->waiting[one->at.size_class] = one;
    b->waiting_bytes += one->at.capacity;
    trim(b, most_waiting(b));
    wadi_mutex_unlock(&b->lock);
}

void *wadi_buffers_address(const void *memory) {
    return memory == NULL ? NULL : ((const block *)memory - 1)->at.address;
}

int64_t wadi_buffers_capacity(const void *memory) {
    return ((const block *)memory - 1)->at.capacity;
}

bool wadi_buffers_grow(wadi_buffers *b, void **memory, int64_t kept, int64_t bytes) {
    const int64_t capacity = *memory == NULL ? 0 : wadi_buffers_capacity(*memory);
    if (*memory != NULL && capacity >= bytes) return true;
    WADI_ASSERT(!b->memory.apart);
    void *larger = wadi_buffers_get(b, bytes > 2 * capacity ? bytes : 2 * capacity);
    if (larger == NULL) return false;
    if (kept > 0) memcpy(larger, *memory, (size_t)kept);
    wadi_buffers_put(*memory);
    *memory = larger;
    return true;
}

int64_t wadi_buffers_used(wadi_buffers *b) {
    wadi_mutex_lock(&b->lock);
    const int64_t used = b->used;
    wadi_mutex_unlock(&b->lock);
    return used;
}

int64_t wadi_buffers_peak(wadi_buffers *b) {
    wadi_mutex_lock(&b->lock);
    const int64_t peak = b->peak;
    wadi_mutex_unlock(&b->lock);
    return peak;
}
