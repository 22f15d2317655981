/* Before a launch, each part is brought what it lacks; afterwards it is noted who has written what. */
#include "sched/split/apart.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/pool.h"
#include "sched/fault.h"
#include "sched/split/fragments.h"
#include "sched/split/images.h"
#include "sched/split/pieces.h"

typedef struct apart {
    wadi_device base;
    int n;
    wadi_device *part[WADI_SPLIT_MOST];
    wadi_pool *pool;
    wadi_split_rule rule;
    wadi_residence residence;
    wadi_traffic traffic; /* what the residence was asked for */
    wadi_fragments *fragments;
    wadi_split_copies *count, spare;
    wadi_slots *slots; /* of the version at work */
    struct {
        wadi_slots slots; /* as the part sees them: other columns, else those of the version */
        wadi_slot *slot;  /* [room] */
        int room;
    } seen[WADI_SPLIT_MOST]; /* not of the first */
    int64_t copied, copy_ns; /* bytes that cut launches have moved, and the time of that */
    bool failed;             /* something could not be brought or noted: `wait` says so */
} apart;

static apart *apart_of(const wadi_device *self) {
    return (apart *)(uintptr_t)self;
}

static wadi_device *first_of(const wadi_device *self) {
    return apart_of(self)->part[0];
}

static int workers(const wadi_device *self) {
    const apart *d = apart_of(self);
    int all = 0;
    for (int p = 0; p < d->n; p++) all += d->part[p]->ops->workers(d->part[p]);
    return all;
}

static int64_t busy_ns(const wadi_device *self) {
    const apart *d = apart_of(self);
    int64_t all = 0;
    for (int p = 0; p < d->n; p++) all += d->part[p]->ops->busy_ns(d->part[p]);
    return all;
}

static bool note(apart *d, bool done) {
    if (!done) d->failed = true;
    return done;
}

/* ---- columns of slots ---- */

/* Bytes of column f; -1: up to the end of its block. */
static int64_t column_bytes(const apart *d, int slot, int f) {
    const wadi_plan_slot *p = wadi_slots_plan(d->slots, slot);
    const wadi_slot *s = &d->slots->slot[slot];
    if (p->kind != WADI_SLOT_ONCE || (p->rank > 0 && s->shape == NULL)) return -1;
    return wadi_shape_values(p->rank, s->shape) * wadi_type_size(p->type[f]);
}

/* Where units [begin, end) of the launch have their own pieces of a slot, in elements. */
typedef struct span {
    int64_t begin, end;
} span;

static int64_t first_element(const wadi_plan_touches *w, const wadi_plan_touch *t, int rank,
                             const int64_t *shape, int64_t unit) {
    if (t->own != w->piece) return unit * t->own;
    const int64_t row = shape[rank - 1], pieces = (row + w->piece - 1) / w->piece;
    return pieces > 0 ? unit / pieces * row + unit % pieces * w->piece : 0;
}

static span span_of(const apart *d, const wadi_plan_touches *w, const wadi_plan_touch *t,
                    const wadi_launch *l) {
    const int rank = wadi_slots_plan(d->slots, w->target)->rank;
    const int64_t *shape = d->slots->slot[w->target].shape;
    return (span){first_element(w, t, rank, shape, l->first),
                  first_element(w, t, rank, shape, l->first + l->n)};
}

typedef bool (*action)(apart *d, const void *at, int64_t bytes, int p);

/* Does it to what the touch says of all columns: all of them, or the pieces of the launch's units. */
static bool each_column(apart *d, const wadi_plan_touches *w, const wadi_plan_touch *t,
                        const wadi_launch *own, int p, action act) {
    const wadi_plan_slot *slot = wadi_slots_plan(d->slots, t->slot);
    for (int f = 0; f < slot->fields; f++) {
        const char *at = d->slots->slot[t->slot].col[f];
        const int64_t bytes = column_bytes(d, t->slot, f), size = wadi_type_size(slot->type[f]);
        if (at == NULL) continue;
        span s = {0, -1};
        if (own != NULL && t->own > 0) {
            s = span_of(d, w, t, own);
            if (s.end * size > bytes) s.end = bytes / size;
            if (s.begin > s.end) s.begin = s.end;
        }
        const int64_t n = s.end < 0 ? bytes : (s.end - s.begin) * size;
        if (!act(d, at + s.begin * size, n, p)) return false;
    }
    return true;
}

static bool bring(apart *d, const void *at, int64_t bytes, int p) {
    return wadi_fragments_bring(d->fragments, at, bytes, p);
}

static bool written(apart *d, const void *at, int64_t bytes, int p) {
    return wadi_fragments_written(d->fragments, at, bytes, p);
}

/* ---- the first device alone ---- */

static void no_memory(wadi_launch *l) {
    l->fault = (wadi_fault){.kind = WADI_FAULT_MEMORY, .place = -1, .linear = -1};
}

/* Brings all that the launch touches: what it writes as well, since that may be a part only. */
static bool bring_home(apart *d, const wadi_launch *l) {
    const wadi_plan_touches *w = l->touches;
    if (w == NULL || !w->known) return wadi_fragments_home(d->fragments);
    for (int i = 0; i < w->n; i++) {
        if (!each_column(d, w, &w->of[i], NULL, 0, bring)) return false;
        if (w->of[i].writes && !each_column(d, w, &w->of[i], NULL, 0, written)) return false;
    }
    if (l->unit == NULL) return true;
    const int64_t bytes = (l->count + 1) * (int64_t)sizeof *l->unit;
    return bring(d, l->unit, bytes, 0) && written(d, l->unit, bytes, 0);
}

static void launch_on(apart *d, int p, wadi_launch *l) {
    const wadi_code all = l->code;
    l->code = wadi_split_code(d->base.images, all, p);
    d->part[p]->ops->launch(d->part[p], l);
    l->code = all;
}

static void launch_whole(apart *d, wadi_launch *l) {
    d->count->whole++;
    if (note(d, bring_home(d, l)))
        launch_on(d, 0, l);
    else
        no_memory(l);
}

/* ---- where a launch is cut ---- */

typedef struct parts {
    apart *device;
    wadi_launch launch[WADI_SPLIT_MOST];
} parts;

static void by_workers(const apart *d, int64_t n, int64_t *at) {
    const double all = workers(&d->base);
    double before = 0;
    for (int p = 1; p < d->n; p++) {
        before += d->part[p - 1]->ops->workers(d->part[p - 1]);
        at[p] = (int64_t)((double)n * (before / all));
    }
}

static void cut(apart *d, const wadi_launch *what, parts *out) {
    int64_t at[WADI_SPLIT_MOST + 1];
    at[0] = 0;
    at[d->n] = what->n;
    if (d->rule.cut != NULL)
        d->rule.cut(d->rule.env, what->n, d->n, at);
    else
        by_workers(d, what->n, at);
    out->device = d;
    for (int p = 0; p < d->n; p++) {
        WADI_ASSERT(at[p] <= at[p + 1]);
        out->launch[p] = *what;
        out->launch[p].first = what->first + at[p];
        out->launch[p].n = at[p + 1] - at[p];
        out->launch[p].fault.kind = WADI_FAULT_NONE;
        if (p > 0) out->launch[p].unit = NULL; /* units of one element need no table */
    }
}

/* Whether other devices than the first can have the column. */
static bool is_shared(const apart *d, int slot, int f) {
    const void *at = d->slots->slot[slot].col[f];
    if (column_bytes(d, slot, f) < 0) return false;
    return at == NULL || wadi_fragments_know(d->fragments, at);
}

/* Whether each unit writes its own piece of the target and nothing else. */
static bool can_cut(const apart *d, const wadi_launch *l) {
    const wadi_plan_touches *w = l->touches;
    if (w == NULL || l->count != 1 || l->n < 2) return false;
    if (wadi_split_obstacle(d->slots->plan, d->slots->own, w, l->serial) != NULL) return false;
    const wadi_plan_slot *target = wadi_slots_plan(d->slots, w->target);
    if (d->slots->slot[w->target].shape == NULL) return false;
    int64_t units = 1;
    for (int i = 0; i < target->rank; i++) {
        const int64_t n = d->slots->slot[w->target].shape[i];
        units *= i + 1 < target->rank ? n : (n + w->piece - 1) / w->piece;
    }
    for (int i = 0; i < w->n; i++)
        for (int f = 0; f < wadi_slots_plan(d->slots, w->of[i].slot)->fields; f++)
            if (!is_shared(d, w->of[i].slot, f)) return false;
    return units == l->n;
}

/* Bytes that part p lacks, or the first device for the whole launch. */
static int64_t lacks(apart *d, const wadi_launch *l, const wadi_launch *own, int p) {
    const wadi_plan_touches *w = l->touches;
    int64_t all = 0;
    for (int i = 0; i < w->n; i++) {
        const wadi_plan_touch *t = &w->of[i];
        const wadi_plan_slot *slot = wadi_slots_plan(d->slots, t->slot);
        for (int f = 0; t->reads && f < slot->fields; f++) {
            const int64_t size = wadi_type_size(slot->type[f]);
            const char *at = d->slots->slot[t->slot].col[f];
            span s = {0, column_bytes(d, t->slot, f) / size};
            if (own != NULL && t->own > 0) {
                const span its = span_of(d, w, t, own);
                s.begin = its.begin < s.end ? its.begin : s.end;
                s.end = its.end < s.end ? its.end : s.end;
            }
            if (at == NULL || s.end <= s.begin) continue;
            all += wadi_fragments_lacks(d->fragments, at + s.begin * size, (s.end - s.begin) * size,
                                        p);
        }
    }
    return all;
}

/* Bytes that the parts have to be brought, beyond what the first device alone would need. */
static int64_t extra_bytes(apart *d, const wadi_launch *l, const parts *all) {
    int64_t moved = 0;
    for (int p = 0; p < d->n; p++)
        if (all->launch[p].n > 0) moved += lacks(d, l, &all->launch[p], p);
    return moved - lacks(d, l, NULL, 0);
}

/* ---- several devices ---- */

/* The table of slots as part p sees it. */
static bool show(apart *d, const wadi_plan_touches *w, int p) {
    const int n = wadi_slots_count(d->slots);
    if (n > d->seen[p].room) {
        wadi_slot *slot = realloc(d->seen[p].slot, (size_t)n * sizeof *slot);
        if (slot == NULL) return false;
        d->seen[p].slot = slot;
        d->seen[p].room = n;
    }
    memcpy(d->seen[p].slot, d->slots->slot, (size_t)n * sizeof *d->seen[p].slot);
    for (int i = 0; i < w->n; i++) {
        wadi_slot *s = &d->seen[p].slot[w->of[i].slot];
        for (int f = 0; f < wadi_slots_plan(d->slots, w->of[i].slot)->fields; f++) {
            if (s->col[f] == NULL) continue;
            s->col[f] = wadi_fragments_at(d->fragments, s->col[f], p);
            if (s->col[f] == NULL) return false;
        }
    }
    d->seen[p].slots = *d->slots;
    d->seen[p].slots.slot = d->seen[p].slot;
    d->seen[p].slots.residence = d->part[p]->residence;
    d->seen[p].slots.columns = d->part[p]->residence->blocks;
    return true;
}

static bool bring_part(apart *d, const wadi_launch *l, int p) {
    const wadi_plan_touches *w = l->touches;
    for (int i = 0; i < w->n; i++)
        if (w->of[i].reads && !each_column(d, w, &w->of[i], l, p, bring)) return false;
    return p == 0 || show(d, w, p);
}

static void launch_part(void *env, int worker, int64_t begin, int64_t end) {
    parts *all = env;
    WADI_UNUSED(worker);
    for (int64_t p = begin; p < end; p++)
        if (all->launch[p].n > 0) launch_on(all->device, (int)p, &all->launch[p]);
}

static bool note_written(apart *d, const wadi_launch *l, int p) {
    const wadi_plan_touches *w = l->touches;
    for (int i = 0; i < w->n; i++)
        if (w->of[i].writes && !each_column(d, w, &w->of[i], l, p, written)) return false;
    return true;
}

static int64_t moved_bytes(const apart *d) {
    const wadi_traffic *t = wadi_fragments_moved(d->fragments);
    return atomic_load(&t->put) + atomic_load(&t->got);
}

/* Whether a part has to be brought something. Then all are waited for, so that the time of copies is not that of kernels before them. */
static void wait_before_copies(apart *d, const parts *all) {
    bool moves = false;
    for (int p = 0; p < d->n && !moves; p++)
        moves = all->launch[p].n > 0 && lacks(d, &all->launch[p], &all->launch[p], p) > 0;
    for (int p = 0; p < d->n && moves; p++)
        (void)note(d, d->part[p]->ops->wait(d->part[p], NULL) == WADI_OK);
}

static void launch_parts(apart *d, wadi_launch *what, parts *all) {
    wait_before_copies(d, all);
    const int64_t begin_ns = wadi_clock_ns(), moved = moved_bytes(d);
    int busy = 0;
    for (int p = 0; p < d->n; p++) {
        if (all->launch[p].n == 0) continue;
        busy++;
        if (note(d, bring_part(d, &all->launch[p], p))) continue;
        no_memory(what);
        return;
    }
    *(busy > 1 ? &d->count->cut : &d->count->whole) += 1;
    d->copy_ns += wadi_clock_ns() - begin_ns;
    d->copied += moved_bytes(d) - moved;
    wadi_pool_for(d->pool, d->n, 1, launch_part, all);
    for (int p = 0; p < d->n; p++) {
        const wadi_fault *fault = &all->launch[p].fault;
        if (all->launch[p].n > 0) (void)note(d, note_written(d, &all->launch[p], p));
        if (fault->kind != WADI_FAULT_NONE && wadi_fault_is_earlier(fault, &what->fault))
            what->fault = *fault;
    }
}

/* ---- a launch whose parts need more bytes, but which may take long ---- */

enum { LEAST_UNITS = 64, TRIED = 8 };

static void add_fault(wadi_launch *what, const wadi_launch *part) {
    if (part->fault.kind != WADI_FAULT_NONE && wadi_fault_is_earlier(&part->fault, &what->fault))
        what->fault = part->fault;
}

/* The first units, an eighth of them, at the first device: what they take; -1: they could not be done. *out_rest: what is left to do. */
static int64_t try_units(apart *d, wadi_launch *what, wadi_launch *out_rest) {
    wadi_launch head = *what;
    head.n = what->n / TRIED;
    *out_rest = *what;
    out_rest->first += head.n;
    out_rest->n -= head.n;
    if (!note(d, bring_home(d, what))) return -1;
    (void)note(d, d->part[0]->ops->wait(d->part[0], NULL) == WADI_OK);
    const int64_t begin = wadi_clock_ns();
    launch_on(d, 0, &head);
    (void)note(d, d->part[0]->ops->wait(d->part[0], NULL) == WADI_OK);
    add_fault(what, &head);
    return wadi_clock_ns() - begin;
}

/* Whether cutting the rest saves at least twice the time that the extra bytes take, and a millisecond. */
static bool saves(const apart *d, int64_t head_ns, const parts *all, int64_t rest, int64_t extra) {
    static const double LEAST_NS = 1e6, BYTE_NS = 1; /* as long as it is not measured */
    int64_t most = 0;
    for (int p = 0; p < d->n; p++) most = all->launch[p].n > most ? all->launch[p].n : most;
    const double unit_ns = (double)head_ns * (TRIED - 1) / (double)rest;
    const double saved = unit_ns * (double)(rest - most);
    const double byte_ns = d->copied > 0 ? (double)d->copy_ns / (double)d->copied : BYTE_NS;
    return saved > LEAST_NS && saved > 2 * byte_ns * (double)extra;
}

/* How long it takes is measured on its first units. */
static bool launch_tried(apart *d, wadi_launch *what) {
    parts all;
    wadi_launch rest;
    const int64_t head_ns = try_units(d, what, &rest);
    if (head_ns < 0) {
        no_memory(what);
        return false;
    }
    cut(d, &rest, &all);
    const bool several = saves(d, head_ns, &all, rest.n, extra_bytes(d, &rest, &all));
    if (several)
        launch_parts(d, &rest, &all);
    else
        launch_whole(d, &rest);
    add_fault(what, &rest);
    return several;
}

static void tell(apart *d) {
    const wadi_traffic *moved = wadi_fragments_moved(d->fragments);
    d->count->put = atomic_load(&moved->put);
    d->count->got = atomic_load(&moved->got);
    atomic_store(&d->traffic.shared, d->count->cut);
    atomic_store(&d->traffic.whole, d->count->whole);
}

static void launch(wadi_device *self, wadi_launch *what) {
    apart *d = apart_of(self);
    parts all;
    what->fault.kind = WADI_FAULT_NONE; /* nothing else is read then */
    tell(d);
    const int64_t put = d->count->put, got = d->count->got;
    const bool can = what->n > 0 && can_cut(d, what);
    if (can) cut(d, what, &all);
    bool several = can && (d->rule.cut != NULL || extra_bytes(d, what, &all) <= 0);
    if (several)
        launch_parts(d, what, &all);
    else if (can && what->n >= LEAST_UNITS)
        several = launch_tried(d, what);
    else
        launch_whole(d, what);
    tell(d);
    atomic_fetch_add(&d->traffic.between, d->count->got - got);
    if (!several) return;
    d->count->cut_put += d->count->put - put;
    d->count->cut_got += d->count->got - got;
}

/* ---- a version ---- */

static bool begin(wadi_device *self, const wadi_device_work *work) {
    apart *d = apart_of(self);
    wadi_device_work shared = *work;
    shared.workers = work->workers > 0 ? work->workers : workers(self);
    d->slots = work->slots;
    for (int p = 0; p < d->n; p++) {
        if (p > 0) {
            d->seen[p].slots = *work->slots;
            shared.slots = &d->seen[p].slots;
        }
        if (!d->part[p]->ops->begin(d->part[p], &shared)) return false;
    }
    return true;
}

static void end(wadi_device *self) {
    const apart *d = apart_of(self);
    for (int p = 0; p < d->n; p++) d->part[p]->ops->end(d->part[p]);
}

static bool expect(wadi_device *self, int slot, int64_t count) {
    return first_of(self)->ops->expect(first_of(self), slot, count);
}

/* What was emitted gets columns in blocks that were never used before, which are the first device's. */
static bool finish(wadi_device *self, const int *slots, int n, bool whole) {
    return first_of(self)->ops->finish(first_of(self), slots, n, whole);
}

/* ---- primitives ---- */

static const int64_t word = (int64_t)sizeof(int64_t);

static void iota(wadi_device *self, int64_t *to, int64_t n, int64_t first) {
    apart *d = apart_of(self);
    if (note(d, written(d, to, n * word, 0)))
        first_of(self)->ops->iota(first_of(self), to, n, first);
}

static int64_t scan(wadi_device *self, int64_t *at, int64_t n) {
    apart *d = apart_of(self);
    const int64_t bytes = (n + 1) * word;
    if (!note(d, bring(d, at, bytes, 0) && written(d, at, bytes, 0))) return 0;
    return first_of(self)->ops->scan(first_of(self), at, n);
}

static int64_t count(wadi_device *self, const void *bools, int64_t n) {
    apart *d = apart_of(self);
    if (!note(d, bring(d, bools, n, 0))) return 0;
    return first_of(self)->ops->count(first_of(self), bools, n);
}

static void gather(wadi_device *self, const wadi_device_gather *g) {
    apart *d = apart_of(self);
    if (note(d, wadi_fragments_home(d->fragments))) first_of(self)->ops->gather(first_of(self), g);
}

static bool routine(wadi_device *self, const wadi_device_calls *batch) {
    apart *d = apart_of(self);
    const wadi_device_ops *ops = first_of(self)->ops;
    return ops->routine != NULL && note(d, wadi_fragments_home(d->fragments)) &&
           ops->routine(first_of(self), batch);
}

/* ---- copies ---- */

static void put(void *self, void *to, const void *from, int64_t bytes) {
    apart *d = self;
    (void)note(d, wadi_fragments_put(d->fragments, to, from, bytes));
}

static void get(void *self, void *to, const void *from, int64_t bytes) {
    apart *d = self;
    if (!note(d, wadi_fragments_get(d->fragments, to, from, bytes))) memset(to, 0, (size_t)bytes);
    tell(d);
}

/* Within the first device. */
static void copy(void *self, void *to, const void *from, int64_t bytes) {
    apart *d = self;
    if (note(d, bring(d, from, bytes, 0) && written(d, to, bytes, 0)))
        wadi_residence_copy(d->part[0]->residence, to, from, bytes);
}

static wadi_status check(void *self, wadi_error *err) {
    const apart *d = self;
    for (int p = 0; p < d->n; p++) WADI_TRY(wadi_residence_check(d->part[p]->residence, err));
    return d->failed ? wadi_fail(err, WADI_MEMORY, "devices apart: out of memory") : WADI_OK;
}

static wadi_status wait(wadi_device *self, wadi_error *err) {
    apart *d = apart_of(self);
    for (int p = 0; p < d->n; p++) WADI_TRY(d->part[p]->ops->wait(d->part[p], err));
    return check(d, err);
}

/* ---- life ---- */

static void destroy(wadi_device *self) {
    apart *d = apart_of(self);
    if (d->residence.blocks != NULL) wadi_buffers_release(d->residence.blocks);
    for (int p = 0; p < d->n; p++) {
        d->part[p]->ops->destroy(d->part[p]);
        free(d->seen[p].slot);
    }
    if (d->pool != NULL) wadi_pool_destroy(d->pool);
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

static wadi_status check_parts(const apart *d, wadi_error *err) {
    for (int p = 0; p < d->n; p++) {
        const wadi_device *part = d->part[p];
        if (part->residence == NULL)
            return wadi_fail(err, WADI_INVALID, "apart: device %d has no memory of its own", p);
    }
    return WADI_OK;
}

static wadi_status find_images(apart *d, wadi_error *err) {
    const wadi_image_ops *part[WADI_SPLIT_MOST];
    for (int p = 0; p < d->n; p++) part[p] = d->part[p]->images;
    return wadi_split_images(d->n, part, &d->base.images, err);
}

/* Blocks are not kept for reuse here: a block that is taken belongs to the first device. The devices' pools keep theirs. */
static wadi_status make_memory(apart *d, wadi_buffers *buffers, wadi_error *err) {
    const wadi_residence *residence[WADI_SPLIT_MOST];
    for (int p = 0; p < d->n; p++) residence[p] = d->part[p]->residence;
    WADI_TRY(wadi_fragments_create(d->n, residence, buffers, &d->fragments, err));
    const wadi_memory memory = wadi_fragments_memory(d->fragments);
    const wadi_status status = wadi_buffers_create(&memory, 0, &d->residence.blocks, err);
    if (status != WADI_OK) memory.done(memory.self);
    return status;
}

/* The devices are destroyed with it, and also after an error. */
static wadi_status open_over(int n, wadi_device *const *owned_devices, wadi_buffers *buffers,
                             wadi_split_rule rule, wadi_split_copies *count_to, wadi_device **out,
                             wadi_error *err) {
    WADI_ASSERT(n >= 2 && n <= WADI_SPLIT_MOST);
    apart *d = calloc(1, sizeof *d);
    if (d == NULL) {
        for (int p = 0; p < n; p++) owned_devices[p]->ops->destroy(owned_devices[p]);
        return wadi_fail(err, WADI_MEMORY, "apart: out of memory");
    }
    d->n = n;
    memcpy(d->part, owned_devices, (size_t)n * sizeof *owned_devices);
    d->rule = rule;
    d->count = count_to != NULL ? count_to : &d->spare;
    d->residence = (wadi_residence){
        .put = put, .get = get, .copy = copy, .check = check, .self = d, .traffic = &d->traffic};
    d->base = (wadi_device){&ops, &d->residence, d->part[0]->images, false};
    wadi_status status = check_parts(d, err);
    if (status == WADI_OK) status = find_images(d, err);
    if (status == WADI_OK) status = make_memory(d, buffers, err);
    if (status == WADI_OK) status = wadi_pool_create_around(n, &d->pool, err);
    if (status == WADI_OK)
        *out = &d->base;
    else
        destroy(&d->base);
    return status;
}

wadi_status wadi_split_open_alike(wadi_status (*open)(const wadi_device_options *options,
                                                      wadi_device **out, wadi_error *err),
                                  const wadi_device_options *options, int n, const int *numbers,
                                  wadi_split_rule rule, wadi_split_copies *count_to,
                                  wadi_device **out, wadi_error *err) {
    wadi_device *device[WADI_SPLIT_MOST];
    wadi_device_options one = *options;
    wadi_status status = WADI_OK;
    int opened = 0;
    WADI_ASSERT(n >= 2 && n <= WADI_SPLIT_MOST);
    while (status == WADI_OK && opened < n) {
        one.number = numbers[opened];
        status = open(&one, &device[opened], err);
        opened += status == WADI_OK;
    }
    if (status == WADI_OK) return open_over(n, device, options->buffers, rule, count_to, out, err);
    while (opened > 0) {
        opened--;
        device[opened]->ops->destroy(device[opened]);
    }
    return status;
}
