/* Parts of a launch run at the same time in a pool of their own, in which a worker stands for a device. */
#include "sched/split/split.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/pool.h"
#include "sched/fault.h"

typedef struct split {
    wadi_device base;
    int n;
    wadi_device *part[WADI_SPLIT_MOST];
    wadi_pool *pool;
    wadi_split_rule rule;
    bool together;  /* kernels of all parts emit to what the first expects */
    bool *expected; /* [room] by slot: kernels will emit to it */
    int room;
    int emissions; /* slots that are expected */
} split;

static split *split_of(const wadi_device *self) {
    return (split *)(uintptr_t)self;
}

static wadi_device *first_of(const wadi_device *self) {
    return split_of(self)->part[0];
}

static int workers(const wadi_device *self) {
    const split *d = split_of(self);
    int all = 0;
    for (int p = 0; p < d->n; p++) all += d->part[p]->ops->workers(d->part[p]);
    return all;
}

static int64_t busy_ns(const wadi_device *self) {
    const split *d = split_of(self);
    int64_t all = 0;
    for (int p = 0; p < d->n; p++) all += d->part[p]->ops->busy_ns(d->part[p]);
    return all;
}

/* ---- where a launch is cut ---- */

static void by_workers(const split *d, int64_t n, int64_t *at) {
    const double all = workers(&d->base);
    double before = 0;
    for (int p = 1; p < d->n; p++) {
        before += d->part[p - 1]->ops->workers(d->part[p - 1]);
        at[p] = (int64_t)((double)n * (before / all));
    }
}

static void cut(const split *d, int64_t n, int64_t *at) {
    at[0] = 0;
    at[d->n] = n;
    if (d->rule.cut != NULL)
        d->rule.cut(d->rule.env, n, d->n, at);
    else
        by_workers(d, n, at);
    for (int p = 0; p < d->n; p++) WADI_ASSERT(at[p] <= at[p + 1]);
}

/* ---- launches ---- */

/* What a device has to do. It takes pieces of its part from the front. When all parts have begun and nothing is left of its own, it takes
 * pieces of the others': where memory bounds them all, one may get less of it than its share, and is not waited for. */
typedef struct share {
    wadi_launch launch; /* the latest piece; the fault is the first of all pieces so far */
    atomic_int_least64_t next;
    int64_t end, least; /* no piece is shorter than `least`, but for the last */
} share;

typedef struct parts {
    const split *device;
    atomic_int begun;
    share of[WADI_SPLIT_MOST];
} parts;

enum { LEFT = 4 /* a piece is so much of what is left */, PIECES = 64 /* of a part, at most */ };

/* The next piece of a part; false: nothing is left. Any thread. */
static bool take(share *from, int64_t *out_begin, int64_t *out_end) {
    int64_t at = atomic_load(&from->next), end;
    do {
        const int64_t left = from->end - at, piece = left / LEFT;
        if (left <= 0) return false;
        end = at + (piece > from->least ? piece : from->least < left ? from->least : left);
    } while (!atomic_compare_exchange_weak(&from->next, &at, end));
    *out_begin = at;
    *out_end = end;
    return true;
}

/* Launches do not ask which device does a piece: all have the same memory, and faults are compared by their places. */
static void launch_pieces(parts *all, int p, share *from) {
    wadi_device *device = all->device->part[p];
    share *own = &all->of[p];
    int64_t begin, end;
    while (take(from, &begin, &end)) {
        const wadi_fault before = own->launch.fault;
        own->launch.first = begin;
        own->launch.n = end - begin;
        device->ops->launch(device, &own->launch);
        if (before.kind == WADI_FAULT_NONE) continue;
        if (own->launch.fault.kind == WADI_FAULT_NONE ||
            wadi_fault_is_earlier(&before, &own->launch.fault))
            own->launch.fault = before;
    }
}

static void launch_part(void *env, int worker, int64_t begin, int64_t end) {
    parts *all = env;
    WADI_UNUSED(worker);
    for (int64_t p = begin; p < end; p++) {
        const int n = all->device->n;
        (void)atomic_fetch_add(&all->begun, 1);
        launch_pieces(all, (int)p, &all->of[p]);
        if (atomic_load(&all->begun) < n) continue;
        for (int k = 1; k < n; k++) launch_pieces(all, (int)p, &all->of[(p + k) % n]);
    }
}

/* One at a time: nobody helps anybody. */
static int64_t least_piece(const split *d, int64_t n) {
    if (wadi_pool_threads(d->pool) == 1) return n;
    return n / PIECES > 1 ? n / PIECES : 1;
}

static void launch_parts(const split *d, wadi_launch *what) {
    int64_t at[WADI_SPLIT_MOST + 1];
    parts all = {.device = d};
    cut(d, what->n, at);
    atomic_init(&all.begun, 0);
    for (int p = 0; p < d->n; p++) {
        share *of = &all.of[p];
        of->launch = *what;
        of->launch.fault.kind = WADI_FAULT_NONE;
        of->end = what->first + at[p + 1];
        of->least = least_piece(d, at[p + 1] - at[p]);
        atomic_init(&of->next, what->first + at[p]);
    }
    wadi_pool_for(d->pool, d->n, 1, launch_part, &all);
    for (int p = 0; p < d->n; p++) {
        const wadi_fault *fault = &all.of[p].launch.fault;
        if (fault->kind == WADI_FAULT_NONE) continue;
        if (wadi_fault_is_earlier(fault, &what->fault)) what->fault = *fault;
    }
}

static void launch(wadi_device *self, wadi_launch *what) {
    split *d = split_of(self);
    what->fault.kind = WADI_FAULT_NONE; /* nothing else is read then */
    const bool alone = what->serial || (d->emissions > 0 && !d->together);
    if (alone || what->n <= 0)
        d->part[0]->ops->launch(d->part[0], what);
    else
        launch_parts(d, what);
}

/* ---- a version ---- */

static bool make_room(split *d, int slots) {
    if (slots > d->room) {
        bool *expected = realloc(d->expected, (size_t)slots * sizeof *expected);
        if (expected == NULL) return false;
        d->expected = expected;
        d->room = slots;
    }
    if (slots > 0) memset(d->expected, 0, (size_t)slots * sizeof *d->expected);
    d->emissions = 0;
    return true;
}

static bool begin(wadi_device *self, const wadi_device_work *work) {
    split *d = split_of(self);
    wadi_device_work shared = *work;
    shared.workers = work->workers > 0 ? work->workers : workers(self);
    if (!make_room(d, wadi_slots_count(work->slots))) return false;
    for (int p = 0; p < d->n; p++)
        if (!d->part[p]->ops->begin(d->part[p], &shared)) return false;
    return true;
}

static void end(wadi_device *self) {
    const split *d = split_of(self);
    for (int p = 0; p < d->n; p++) d->part[p]->ops->end(d->part[p]);
}

static bool expect(wadi_device *self, int slot, int64_t count) {
    split *d = split_of(self);
    if (!d->part[0]->ops->expect(d->part[0], slot, count)) return false;
    if (!d->expected[slot]) d->emissions++;
    d->expected[slot] = true;
    return true;
}

static bool finish(wadi_device *self, const int *slots, int n, bool whole) {
    split *d = split_of(self);
    for (int i = 0; i < n; i++) {
        if (d->expected[slots[i]]) d->emissions--;
        d->expected[slots[i]] = false;
    }
    if (!d->part[0]->ops->finish(d->part[0], slots, n, whole)) return false;
    for (int p = 1; d->together && p < d->n; p++) /* what they emitted has been copied */
        if (!d->part[p]->ops->finish(d->part[p], slots, 0, whole)) return false;
    return true;
}

/* ---- primitives ---- */

static void iota(wadi_device *self, int64_t *to, int64_t n, int64_t first) {
    first_of(self)->ops->iota(first_of(self), to, n, first);
}

static int64_t scan(wadi_device *self, int64_t *at, int64_t n) {
    return first_of(self)->ops->scan(first_of(self), at, n);
}

static int64_t count(wadi_device *self, const void *bools, int64_t n) {
    return first_of(self)->ops->count(first_of(self), bools, n);
}

static void gather(wadi_device *self, const wadi_device_gather *g) {
    first_of(self)->ops->gather(first_of(self), g);
}

/* Problems of a routine, counted from `first` on. */
typedef struct problems {
    const wadi_device_calls *all;
    int64_t first;
} problems;

static void describe(const void *self, int64_t begin, int64_t end, wadi_call *out) {
    const problems *p = self;
    p->all->describe(p->all->self, p->first + begin, p->first + end, out);
}

typedef struct routines {
    const split *device;
    const wadi_device_calls *all;
    int64_t at[WADI_SPLIT_MOST + 1];
    atomic_bool declined;
} routines;

static void run_problems(void *env, int worker, int64_t begin, int64_t end) {
    routines *r = env;
    WADI_UNUSED(worker);
    for (int64_t p = begin; p < end; p++) {
        wadi_device *part = r->device->part[p];
        const problems some = {r->all, r->at[p]};
        const wadi_device_calls calls = {r->at[p + 1] - r->at[p], describe, &some};
        if (calls.problems > 0 && !part->ops->routine(part, &calls))
            atomic_store(&r->declined, true);
    }
}

static bool routine(wadi_device *self, const wadi_device_calls *batch) {
    const split *d = split_of(self);
    routines r = {.device = d, .all = batch};
    cut(d, batch->problems, r.at);
    wadi_pool_for(d->pool, d->n, 1, run_problems, &r);
    return !atomic_load(&r.declined);
}

static wadi_status wait(wadi_device *self, wadi_error *err) {
    const split *d = split_of(self);
    for (int p = 0; p < d->n; p++) WADI_TRY(d->part[p]->ops->wait(d->part[p], err));
    return WADI_OK;
}

/* ---- life ---- */

static void destroy(wadi_device *self) {
    split *d = split_of(self);
    for (int p = 0; p < d->n; p++) d->part[p]->ops->destroy(d->part[p]);
    if (d->pool != NULL) wadi_pool_destroy(d->pool);
    free(d->expected);
    free(d);
}

static const wadi_device_ops ops = {.destroy = destroy,
                                    .busy_ns = busy_ns,
                                    .workers = workers,
                                    .begin = begin,
                                    .end = end,
                                    .launch = launch,
                                    .expect = expect,
                                    .finish = finish,
                                    .iota = iota,
                                    .scan = scan,
                                    .count = count,
                                    .gather = gather,
                                    .routine = routine,
                                    .wait = wait};

static wadi_status check(int n, wadi_device *const *device, wadi_error *err) {
    for (int p = 0; p < n; p++) {
        const wadi_device *d = device[p];
        if (!d->shares || d->ops->routine == NULL)
            return wadi_fail(err, WADI_INVALID, "split: device %d cannot share launches", p);
        if (d->residence != device[0]->residence || d->images != device[0]->images)
            return wadi_fail(err, WADI_INVALID,
                             "split: device %d has other memory or kernels than the first", p);
    }
    return WADI_OK;
}

wadi_status wadi_split_open(int n, wadi_device *const *owned_devices, int at_once, bool together,
                            wadi_split_rule rule, wadi_device **out, wadi_error *err) {
    WADI_ASSERT(n >= 1 && n <= WADI_SPLIT_MOST && at_once >= 1 && at_once <= n);
    split *d = calloc(1, sizeof *d);
    if (d == NULL) {
        for (int p = 0; p < n; p++) owned_devices[p]->ops->destroy(owned_devices[p]);
        return wadi_fail(err, WADI_MEMORY, "split: out of memory");
    }
    d->n = n;
    memcpy(d->part, owned_devices, (size_t)n * sizeof *owned_devices);
    d->rule = rule;
    d->together = together;
    d->base = (wadi_device){&ops, d->part[0]->residence, d->part[0]->images, true};
    wadi_status status = check(n, owned_devices, err);
    if (status == WADI_OK) status = wadi_pool_create_around(at_once, &d->pool, err);
    if (status == WADI_OK)
        *out = &d->base;
    else
        destroy(&d->base);
    return status;
}
