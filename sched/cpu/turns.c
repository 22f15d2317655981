/* Turns of one launch over strips of rows that stay in a cache.
 *
 * Two arrays take turns: each turn reads one and writes the other. A worker goes through its share of the rows strip by strip, and computes a strip in
 * all turns, each turn `reach` rows further back than the one before, so that all it reads is there (time skewing; Wonnacott 2000, "Using Time Skewing
 * to Eliminate Idle Time due to Memory Bandwidth and Network Limitations"). Where shares meet, each turn ends `reach` rows earlier and
 * begins `reach` rows later than the one before. The rows between, a triangle over the turns, follow when all shares are done: until then nobody
 * overwrites what they read. Every row is computed once for each turn. */
#include <stdlib.h>
#include <string.h>

#include "sched/cpu/code.h"
#include "sched/cpu/inner.h"
#include "sched/profile.h"

typedef struct turns {
    wadi_cpu *device;
    const wadi_device_turns *what;
    wadi_slot **table; /* [workers] what kernels of a worker see */
    atomic_bool failed;
} turns;

/* The tables of all workers behind their addresses; NULL: out of memory. */
static wadi_slot **make_tables(const wadi_cpu *d) {
    const wadi_slots *slots = d->emissions->slots;
    const size_t n = (size_t)wadi_slots_count(slots), workers = (size_t)d->threads;
    wadi_slot **table = malloc(workers * sizeof *table + workers * n * sizeof **table);
    if (table == NULL) return NULL;
    wadi_slot *rows = (wadi_slot *)(void *)(table + workers);
    for (size_t i = 0; i < workers; i++) {
        table[i] = rows + i * n;
        memcpy(table[i], slots->slot, n * sizeof *rows);
    }
    return table;
}

/* The first row of share k. */
static int64_t share_begins(const wadi_device_turns *w, int64_t k) {
    return w->rows / w->shares * k + w->rows % w->shares * k / w->shares;
}

static void set_columns(const turns *x, wadi_slot *table, int turn) {
    const wadi_device_turns *w = x->what;
    const wadi_slot *slot = x->device->emissions->slots->slot;
    const wadi_slot *even = turn == 0 ? w->first : &slot[w->from], *odd = &slot[w->to];
    const bool forth = turn % 2 == 0;
    memcpy(table[w->from].col, (forth ? even : odd)->col, sizeof even->col);
    memcpy(table[w->to].col, (forth ? odd : even)->col, sizeof even->col);
}

/* Rows [from, below) in one turn. */
static bool run_rows(const turns *x, int number, int turn, int64_t from, int64_t below) {
    const wadi_launch *l = &x->what->launch;
    const int64_t units = l->n / x->what->rows;
    wadi_work *w = &x->device->workers[number].work;
    if (from >= below) return true;
    set_columns(x, x->table[number], turn);
    w->slot = x->table[number];
    w->count = l->count;
    w->unit = l->unit;
    w->far = 0; /* what is stored is read by the next launch */
    w->fault.kind = WADI_FAULT_NONE;
    return wadi_cpu_kernel(l->code)(w, from * units, below * units) == 0;
}

static bool goes_on(const turns *x) {
    return !atomic_load(&x->failed) && !wadi_stop_called(x->device->cancel);
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* All turns of the rows that no other share has a part in. */
static bool run_share(const turns *x, int number, int64_t k) {
    const wadi_device_turns *w = x->what;
    const int64_t begin = share_begins(w, k), end = share_begins(w, k + 1);
    const int64_t lean = begin == 0 ? 0 : w->reach, lean_back = end == w->rows ? 0 : w->reach;
    bool fine = true;
    for (int64_t at = begin; fine && at - (w->turns - 1) * w->reach < end; at += w->strip) {
        for (int t = 0; fine && t < w->turns; t++) {
            const int64_t from = at == begin ? 0 : at - t * w->reach;
            fine =
                goes_on(x) && run_rows(x, number, t, larger(begin + t * lean, from),
                                       smaller(end - t * lean_back, at + w->strip - t * w->reach));
        }
    }
    return fine;
}

/* The rows around the end of share k that are left. */
static bool run_seam(const turns *x, int number, int64_t k) {
    const int64_t at = share_begins(x->what, k + 1), reach = x->what->reach;
    bool fine = true;
    for (int t = 1; fine && t < x->what->turns; t++)
        fine = goes_on(x) && run_rows(x, number, t, at - t * reach, at + t * reach);
    return fine;
}

static void run_shares(void *env, int number, int64_t begin, int64_t end) {
    turns *x = env;
    for (int64_t k = begin; k < end; k++)
        if (!run_share(x, number, k)) atomic_store(&x->failed, true);
}

static void run_seams(void *env, int number, int64_t begin, int64_t end) {
    turns *x = env;
    for (int64_t k = begin; k < end; k++)
        if (!run_seam(x, number, k)) atomic_store(&x->failed, true);
}

bool wadi_cpu_turns(wadi_device *self, const wadi_device_turns *what) {
    wadi_cpu *d = wadi_cpu_of(self);
    turns x = {.device = d, .what = what, .table = make_tables(d)};
    if (x.table == NULL) return false;
    wadi_profile_pool_for(d->pool, what->shares, 1, run_shares, &x);
    if (what->reach > 0) wadi_profile_pool_for(d->pool, what->shares - 1, 1, run_seams, &x);
    free(x.table);
    return !atomic_load(&x.failed);
}
