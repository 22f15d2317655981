/* A block is a list of runs of bytes, in order, each with the set of those who have them: a bit for each device, and one for the host. */
#include "sched/split/fragments.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/thread.h"
#include "base/vec.h"
#include "sched/split/split.h"

typedef struct run {
    int64_t begin, end;
    unsigned holders;
} run;

typedef struct block {
    struct block *next;
    char *base; /* at the first device */
    int64_t bytes;
    void *part[WADI_SPLIT_MOST]; /* blocks of the devices' pools; NULL: none yet */
    char *host;                  /* a copy; NULL: none yet */
    WADI_VEC(run) runs;
} block;

struct wadi_fragments {
    int n;
    const wadi_residence *residence[WADI_SPLIT_MOST];
    wadi_buffers *buffers;
    wadi_traffic moved;
    wadi_mutex lock; /* guards the list: any thread may give a block back */
    block *blocks;
};

static const unsigned HOST = 1U << 31, FIRST = 1U;

/* ---- blocks ---- */

static void free_block(const wadi_fragments *f, block *b) {
    for (int p = 0; p < f->n; p++) wadi_buffers_put(b->part[p]);
    wadi_buffers_put(b->host);
    wadi_vec_free(&b->runs);
    free(b);
}

static void *take(void *self, size_t bytes) {
    wadi_fragments *f = self;
    block *b = calloc(1, sizeof *b);
    if (b == NULL) return NULL;
    b->bytes = (int64_t)bytes;
    b->part[0] = wadi_buffers_get(f->residence[0]->blocks, b->bytes);
    if (b->part[0] == NULL || !wadi_vec_push(&b->runs, ((run){0, b->bytes, FIRST}))) {
        free_block(f, b);
        return NULL;
    }
    b->base = wadi_buffers_address(b->part[0]);
    wadi_mutex_lock(&f->lock);
    b->next = f->blocks;
    f->blocks = b;
    wadi_mutex_unlock(&f->lock);
    return b->base;
}

static void give(void *self, void *memory, size_t bytes) {
    wadi_fragments *f = self;
    WADI_UNUSED(bytes);
    wadi_mutex_lock(&f->lock);
    block **at = &f->blocks;
    while (*at != NULL && (*at)->base != memory) at = &(*at)->next;
    block *b = *at;
    if (b != NULL) *at = b->next;
    wadi_mutex_unlock(&f->lock);
    if (b != NULL) free_block(f, b);
}

static void done(void *self) {
    wadi_fragments *f = self;
    WADI_ASSERT(f->blocks == NULL);
    wadi_mutex_fini(&f->lock);
    free(f);
}

wadi_memory wadi_fragments_memory(wadi_fragments *f) {
    return (wadi_memory){.take = take, .give = give, .done = done, .self = f, .apart = true};
}

wadi_status wadi_fragments_create(int n, const wadi_residence *const *residence, wadi_buffers *host,
                                  wadi_fragments **out, wadi_error *err) {
    wadi_fragments *f = calloc(1, sizeof *f);
    WADI_ASSERT(n >= 1 && n <= WADI_SPLIT_MOST);
    if (f == NULL) return wadi_fail(err, WADI_MEMORY, "fragments: out of memory");
    const wadi_status status = wadi_mutex_init(&f->lock, err);
    if (status != WADI_OK) {
        free(f);
        return status;
    }
    f->n = n;
    f->buffers = host;
    for (int p = 0; p < n; p++) f->residence[p] = residence[p];
    *out = f;
    return WADI_OK;
}

const wadi_traffic *wadi_fragments_moved(const wadi_fragments *f) {
    return &f->moved;
}

/* ---- ranges ---- */

typedef struct range {
    block *b; /* NULL: no such block */
    int64_t begin, end;
} range;

static range range_of(wadi_fragments *f, const void *at, int64_t bytes) {
    const char *to = at;
    wadi_mutex_lock(&f->lock);
    block *b = f->blocks;
    while (b != NULL && !(to >= b->base && to < b->base + b->bytes)) b = b->next;
    wadi_mutex_unlock(&f->lock);
    if (b == NULL) return (range){NULL, 0, 0};
    const int64_t begin = to - b->base, left = b->bytes - begin;
    return (range){b, begin, begin + (bytes < 0 || bytes > left ? left : bytes)};
}

/* A run begins at `at`. */
static bool split_at(block *b, int64_t at) {
    for (size_t i = 0; i < b->runs.n; i++) {
        const run r = b->runs.at[i];
        if (at <= r.begin || at >= r.end) continue;
        if (!wadi_vec_push(&b->runs, r)) return false;
        memmove(&b->runs.at[i + 1], &b->runs.at[i], (b->runs.n - 1 - i) * sizeof r);
        b->runs.at[i].end = b->runs.at[i + 1].begin = at;
        return true;
    }
    return true;
}

/* Neighbours that the same ones have become one run. */
static void join(block *b) {
    size_t n = 0;
    for (size_t i = 1; i < b->runs.n; i++) {
        if (b->runs.at[i].holders == b->runs.at[n].holders)
            b->runs.at[n].end = b->runs.at[i].end;
        else
            b->runs.at[++n] = b->runs.at[i];
    }
    b->runs.n = n + 1;
}

static bool cut_out(const range *r) {
    return split_at(r->b, r->begin) && split_at(r->b, r->end);
}

static bool is_in(const run *x, const range *r) {
    return x->begin >= r->begin && x->end <= r->end && x->end > x->begin;
}

bool wadi_fragments_know(wadi_fragments *f, const void *at) {
    return range_of(f, at, 0).b != NULL;
}

int64_t wadi_fragments_lacks(wadi_fragments *f, const void *at, int64_t bytes, int p) {
    const range r = range_of(f, at, bytes);
    int64_t lacks = 0;
    for (size_t i = 0; r.b != NULL && i < r.b->runs.n; i++) {
        const run *x = &r.b->runs.at[i];
        const int64_t begin = x->begin > r.begin ? x->begin : r.begin,
                      end = x->end < r.end ? x->end : r.end;
        if (begin < end && (x->holders >> p & 1U) == 0) lacks += end - begin;
    }
    return lacks;
}

bool wadi_fragments_written(wadi_fragments *f, const void *at, int64_t bytes, int p) {
    const range r = range_of(f, at, bytes);
    if (r.b == NULL) return p == 0;
    if (r.begin == r.end) return true;
    if (!cut_out(&r)) return false;
    for (size_t i = 0; i < r.b->runs.n; i++)
        if (is_in(&r.b->runs.at[i], &r)) r.b->runs.at[i].holders = 1U << p;
    join(r.b);
    return true;
}

/* ---- copies ---- */

static char *address(wadi_fragments *f, block *b, int p) {
    if (b->part[p] == NULL) b->part[p] = wadi_buffers_get(f->residence[p]->blocks, b->bytes);
    return wadi_buffers_address(b->part[p]);
}

static char *host_copy(wadi_fragments *f, block *b) {
    if (b->host == NULL) b->host = wadi_buffers_get(f->buffers, b->bytes);
    return b->host;
}

static int holder_of(const run *x) {
    int p = 0;
    while ((x->holders >> p & 1U) == 0) p++;
    return p;
}

static void fetch(wadi_fragments *f, block *b, const run *x, void *to) {
    const int p = holder_of(x);
    wadi_residence_get(f->residence[p], to, address(f, b, p) + x->begin, x->end - x->begin);
    atomic_fetch_add(&f->moved.got, x->end - x->begin);
}

static bool bring_run(wadi_fragments *f, block *b, run *x, int p) {
    char *host = host_copy(f, b), *to = address(f, b, p);
    if (host == NULL || to == NULL) return false;
    if ((x->holders & HOST) == 0) fetch(f, b, x, host + x->begin);
    wadi_residence_put(f->residence[p], to + x->begin, host + x->begin, x->end - x->begin);
    atomic_fetch_add(&f->moved.put, x->end - x->begin);
    x->holders |= HOST | 1U << p;
    return true;
}

bool wadi_fragments_bring(wadi_fragments *f, const void *at, int64_t bytes, int p) {
    const range r = range_of(f, at, bytes);
    if (r.b == NULL) return p == 0;
    if (r.begin == r.end) return true;
    if (!cut_out(&r)) return false;
    for (size_t i = 0; i < r.b->runs.n; i++) {
        run *x = &r.b->runs.at[i];
        if (!is_in(x, &r) || (x->holders >> p & 1U) != 0) continue;
        if (!bring_run(f, r.b, x, p)) return false;
    }
    join(r.b);
    return true;
}

void *wadi_fragments_at(wadi_fragments *f, const void *at, int p) {
    const range r = range_of(f, at, -1);
    char *base = r.b != NULL ? address(f, r.b, p) : NULL;
    return base != NULL ? base + r.begin : NULL;
}

/* All of it is the first device's alone. */
static bool bring_block(wadi_fragments *f, block *b) {
    for (size_t i = 0; i < b->runs.n; i++) {
        run *x = &b->runs.at[i];
        if ((x->holders & FIRST) == 0 && x->end > x->begin && !bring_run(f, b, x, 0)) return false;
        x->holders = FIRST;
    }
    join(b);
    return true;
}

/* Other threads give blocks back meanwhile, such as those of chunks that a sink has taken. */
bool wadi_fragments_home(wadi_fragments *f) {
    bool all = true;
    wadi_mutex_lock(&f->lock);
    for (block *b = f->blocks; b != NULL && all; b = b->next) all = bring_block(f, b);
    wadi_mutex_unlock(&f->lock);
    return all;
}

bool wadi_fragments_put(wadi_fragments *f, void *to, const void *from, int64_t bytes) {
    const range r = range_of(f, to, bytes);
    if (r.b == NULL) {
        wadi_residence_put(f->residence[0], to, from, bytes);
        atomic_fetch_add(&f->moved.put, bytes);
        return true;
    }
    if (host_copy(f, r.b) == NULL || !cut_out(&r)) return false;
    memcpy(r.b->host + r.begin, from, (size_t)bytes);
    for (size_t i = 0; i < r.b->runs.n; i++)
        if (is_in(&r.b->runs.at[i], &r)) r.b->runs.at[i].holders = HOST;
    join(r.b);
    return true;
}

bool wadi_fragments_get(wadi_fragments *f, void *to, const void *from, int64_t bytes) {
    const range r = range_of(f, from, bytes);
    if (r.b == NULL) {
        wadi_residence_get(f->residence[0], to, from, bytes);
        atomic_fetch_add(&f->moved.got, bytes);
        return true;
    }
    if (!cut_out(&r)) return false;
    for (size_t i = 0; i < r.b->runs.n; i++) {
        const run *x = &r.b->runs.at[i];
        char *at = (char *)to + (x->begin - r.begin);
        if (!is_in(x, &r)) continue;
        if ((x->holders & HOST) != 0)
            memcpy(at, r.b->host + x->begin, (size_t)(x->end - x->begin));
        else
            fetch(f, r.b, x, at);
    }
    join(r.b);
    return true;
}
