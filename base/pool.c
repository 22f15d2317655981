/* The worker pool: one loop at a time, a share of its ranges for each thread.
 *
 * A loop offers `seats`. Sleeping workers wake, take a seat each and draw ranges until none are left. The caller draws too. When
 * it finds nothing left, it withdraws the free seats and waits for the workers that are still drawing. So a loop that is over before
 * a worker wakes never waits for that worker.
 *
 * A thread draws the ranges of its own share from the front, then those of others from the back. So neighbouring ranges, which may read the
 * same memory, are mostly one thread's; and in the next loop of that length a thread finds in its cache what it wrote in this one. A loop of fewer
 * ranges than threads deals them to the first threads, and nobody looks at other shares: so it costs many threads no more than few.
 *
 * Chunks of a stream follow each other within microseconds, but waking a thread takes tens of microseconds. So whoever waits spins
 * for a short time before it sleeps. */
#include "base/pool.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/keep.h"
#include "base/thread.h"

/* One thread's ranges that nobody has drawn: their numbers are from <= i < below. Both are in one word, `from` in the upper half, so they change
 * together. A share has its own cache line. */
enum { HALF = 32, CACHE_LINE = 64 };
typedef struct share {
    _Alignas(CACHE_LINE) atomic_uint_least64_t left;
} share;

typedef struct worker {
    wadi_pool *pool;
    wadi_thread thread;
    int number;
} worker;

enum { SYNC_OBJECTS = 4 };

struct wadi_pool {
    const wadi_keep_kind *kind; /* what it is kept as */
    int synced;                 /* how many of the next four fields are initialised */
    wadi_mutex caller;          /* held through a loop: one at a time */
    wadi_mutex lock;            /* guards seats, drawing and stop */
    wadi_condition wake;        /* seats > 0 or stop */
    wadi_condition idle;        /* drawing == 0 */
    atomic_int seats;           /* changed under the lock, read also without it */
    atomic_int drawing;
    atomic_bool stop;
    /* The loop. The caller writes it before it offers seats, and workers read it after they have taken one. */
    wadi_pool_fn fn;
    void *env;
    int64_t n, grain;
    int dealt; /* so many shares had ranges when it began; the others are empty */
    atomic_int_fast64_t busy_ns;
    int threads;
    share *shares;    /* of `threads`; all are empty between loops */
    worker workers[]; /* threads - 1 of them */
};

/* Draws one range of a share; false: none is left. */
static bool draw_one(share *from, bool own, int64_t *out_range) {
    uint_least64_t left = atomic_load_explicit(&from->left, memory_order_relaxed);
    for (;;) {
        const uint_least64_t first = left >> HALF, below = left & UINT32_MAX;
        if (first >= below) return false;
        *out_range = (int64_t)(own ? first : below - 1);
        const uint_least64_t fewer = own ? left + ((uint_least64_t)1 << HALF) : left - 1;
        if (atomic_compare_exchange_weak_explicit(&from->left, &left, fewer, memory_order_relaxed,
                                                  memory_order_relaxed))
            return true;
    }
}

static void run_range(wadi_pool *p, int number, int64_t range) {
    const int64_t begin = range * p->grain;
    p->fn(p->env, number, begin, p->n - begin < p->grain ? p->n : begin + p->grain);
}

/* Draws ranges until none are left: first of the thread's own share, then of those behind it, and around. */
static void draw(wadi_pool *p, int number) {
    const int64_t start = wadi_clock_ns();
    const int dealt = p->dealt;
    for (int k = 0, at = number % dealt; k < dealt; k++) {
        for (int64_t range; draw_one(&p->shares[at], at == number, &range);)
            run_range(p, number, range);
        at = at + 1 < dealt ? at + 1 : 0;
    }
    atomic_fetch_add_explicit(&p->busy_ns, wadi_clock_ns() - start, memory_order_relaxed);
}

enum { LOOK_NS = 30000 };

/* Waits about half a microsecond, in which the core may run another hardware thread. */
static void breathe(void) {
#if defined(__x86_64__) || defined(__i386__)
    for (int i = 0; i < 16; i++) __builtin_ia32_pause();
#endif
}

static bool is_wanted(wadi_pool *p) {
    return p->seats > 0 || p->stop;
}

static bool is_idle(wadi_pool *p) {
    return p->drawing == 0;
}

/* Spins until is_so(p), or for a short time. The caller does not hold the lock. */
static void look_for(wadi_pool *p, bool (*is_so)(wadi_pool *p)) {
    const int64_t start = wadi_clock_ns();
    while (!is_so(p) && wadi_clock_ns() - start < LOOK_NS) breathe();
}

static void work(void *env) {
    const worker *self = env;
    wadi_pool *p = self->pool;
    for (;;) {
        look_for(p, is_wanted);
        wadi_mutex_lock(&p->lock);
        while (!is_wanted(p)) wadi_condition_wait(&p->wake, &p->lock);
        if (p->stop) break;
        p->seats--;
        p->drawing++;
        wadi_mutex_unlock(&p->lock);
        draw(p, self->number);
        wadi_mutex_lock(&p->lock);
        if (--p->drawing == 0) wadi_condition_signal(&p->idle);
        wadi_mutex_unlock(&p->lock);
    }
    wadi_mutex_unlock(&p->lock);
}

static wadi_status init_sync(wadi_pool *p, wadi_error *err) {
    WADI_TRY(wadi_mutex_init(&p->caller, err));
    p->synced++;
    WADI_TRY(wadi_mutex_init(&p->lock, err));
    p->synced++;
    WADI_TRY(wadi_condition_init(&p->wake, err));
    p->synced++;
    WADI_TRY(wadi_condition_init(&p->idle, err));
    p->synced++;
    return WADI_OK;
}

static void fini_sync(wadi_pool *p) {
    if (p->synced > 3) wadi_condition_fini(&p->idle);
    if (p->synced > 2) wadi_condition_fini(&p->wake);
    if (p->synced > 1) wadi_mutex_fini(&p->lock);
    if (p->synced > 0) wadi_mutex_fini(&p->caller);
}

static void stop_workers(wadi_pool *p) {
    wadi_mutex_lock(&p->lock);
    p->stop = true;
    wadi_condition_broadcast(&p->wake);
    wadi_mutex_unlock(&p->lock);
    for (int i = 0; i < p->threads - 1; i++) wadi_thread_join(&p->workers[i].thread);
}

static void destroy(void *owned_p) {
    wadi_pool *p = owned_p;
    if (p->synced == SYNC_OBJECTS) stop_workers(p);
    fini_sync(p);
    free(p->shares);
    free(p);
}

/* Kept pools; the key is the number of their threads. */
static const wadi_keep_kind pools = {.most = 4, .destroy = destroy};
static const wadi_keep_kind pools_around = {.most = 1, .destroy = destroy};

static wadi_status make(const wadi_keep_kind *kind, int threads, wadi_pool **out, wadi_error *err) {
    wadi_pool *p = calloc(1, sizeof *p + (size_t)(threads - 1) * sizeof p->workers[0]);
    share *shares = aligned_alloc(CACHE_LINE, (size_t)threads * sizeof *shares);
    if (p == NULL || shares == NULL) {
        free(shares);
        free(p);
        return wadi_fail(err, WADI_MEMORY, "worker pool: out of memory");
    }
    p->kind = kind;
    p->threads = threads;
    p->shares = shares;
    for (int i = 0; i < threads; i++) atomic_init(&shares[i].left, 0);
    wadi_status status = init_sync(p, err);
    for (int i = 0; status == WADI_OK && i < threads - 1; i++) {
        p->workers[i].pool = p;
        p->workers[i].number = i + 1;
        status = wadi_thread_start(&p->workers[i].thread, work, &p->workers[i], err);
    }
    if (status == WADI_OK) {
        *out = p;
    } else {
        destroy(p);
    }
    return status;
}

static wadi_status create(const wadi_keep_kind *kind, int threads, wadi_pool **out,
                          wadi_error *err) {
    enum { MOST = 4096 };
    if (threads < 0 || threads > MOST) {
        return wadi_fail(err, WADI_INVALID, "threads: %d, expected 0 to %d", threads, (int)MOST);
    }
    if (threads == 0) threads = wadi_thread_processors();
    wadi_pool *p = wadi_keep_take(kind, threads);
    if (p == NULL) return make(kind, threads, out, err);
    atomic_store_explicit(&p->busy_ns, 0, memory_order_relaxed);
    *out = p;
    return WADI_OK;
}

wadi_status wadi_pool_create(int threads, wadi_pool **out, wadi_error *err) {
    return create(&pools, threads, out, err);
}

wadi_status wadi_pool_create_around(int threads, wadi_pool **out, wadi_error *err) {
    return create(&pools_around, threads, out, err);
}

void wadi_pool_destroy(wadi_pool *owned_p) {
    if (owned_p != NULL) wadi_keep_put(owned_p->kind, owned_p->threads, owned_p);
}

int wadi_pool_threads(const wadi_pool *p) {
    return p->threads;
}

int64_t wadi_pool_busy_ns(const wadi_pool *p) {
    return atomic_load_explicit(&p->busy_ns, memory_order_relaxed);
}

/* How many ranges there are. So that their numbers fit a share, the grain grows if there are too many. */
static int64_t set_ranges(wadi_pool *p, int64_t n, int64_t grain) {
    p->n = n;
    p->grain = grain < 1 ? 1 : grain > n ? n : grain;
    while ((n - 1) / p->grain >= UINT32_MAX) p->grain *= 2;
    return (n - 1) / p->grain + 1;
}

static void deal(wadi_pool *p, int64_t ranges) {
    p->dealt = ranges < p->threads ? (int)ranges : p->threads;
    const int64_t each = ranges / p->dealt, more = ranges % p->dealt;
    uint_least64_t from = 0;
    for (int i = 0; i < p->dealt; i++) {
        const uint_least64_t below = from + (uint_least64_t)(each + (i < more));
        atomic_store_explicit(&p->shares[i].left, from << HALF | below, memory_order_relaxed);
        from = below;
    }
}

void wadi_pool_for(wadi_pool *p, int64_t n, int64_t grain, wadi_pool_fn fn, void *env) {
    if (n <= 0) return;
    wadi_mutex_lock(&p->caller);
    p->fn = fn;
    p->env = env;
    const int64_t ranges = set_ranges(p, n, grain);
    deal(p, ranges);
    /* At most one for each range but the first, which the caller takes. */
    const int seats = ranges < p->threads ? (int)ranges - 1 : p->threads - 1;
    if (seats > 0) {
        wadi_mutex_lock(&p->lock);
        p->seats = seats;
        wadi_condition_broadcast(&p->wake);
        wadi_mutex_unlock(&p->lock);
    }
    draw(p, 0);
    if (seats > 0) {
        wadi_mutex_lock(&p->lock);
        p->seats = 0;
        wadi_mutex_unlock(&p->lock);
        look_for(p, is_idle);
        wadi_mutex_lock(&p->lock);
        while (p->drawing > 0) wadi_condition_wait(&p->idle, &p->lock);
        wadi_mutex_unlock(&p->lock);
    }
    wadi_mutex_unlock(&p->caller);
}
