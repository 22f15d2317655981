/* Giving out items. */
#include "sched/work/dispatch.h"

#include <stddef.h>
#include <string.h>

/* How long an answer may take before the worker is late. The first answers wait for compilers. */
static const int64_t first_late_ns = INT64_C(20000000000), least_late_ns = INT64_C(2000000000);
/* The same before the first answer of one who says that it lives: it may hang, or have an item that takes long. */
static const int64_t first_long_ns = INT64_C(300000000000);
enum { LATE_TIMES = 8 };

/* ---- items ---- */

void wadi_dispatch_init(wadi_dispatch *d, int seats, void (*drop)(void *payload)) {
    *d = (wadi_dispatch){.seats = seats, .drop = drop};
}

/* The item leaves, and those who have it have one less. */
static void remove_item(wadi_dispatch *d, size_t at) {
    wadi_dispatch_item *i = &d->items.at[at];
    for (int k = 0; k < i->holders; k++) d->worker[i->holder[k]].held--;
    d->bytes -= i->n;
    d->drop(i->payload);
    d->items.n--;
    memmove(i, i + 1, (d->items.n - at) * sizeof *i);
}

void wadi_dispatch_clear(wadi_dispatch *d) {
    while (d->items.n > 0) remove_item(d, d->items.n - 1);
    for (int w = 0; w < d->seats; w++) d->worker[w].ready = false;
    d->slowest_ns = 0;
}

void wadi_dispatch_fini(wadi_dispatch *d) {
    wadi_dispatch_clear(d);
    wadi_vec_free(&d->items);
}

bool wadi_dispatch_push(wadi_dispatch *d, int64_t number, int64_t n, void *payload) {
    const wadi_dispatch_item i = {.number = number, .n = n, .payload = payload};
    if (!wadi_vec_push(&d->items, i)) return false;
    d->bytes += n;
    return true;
}

int64_t wadi_dispatch_most(const wadi_dispatch *d) {
    return wadi_dispatch_workers(d) * WADI_DISPATCH_AHEAD + 1;
}

bool wadi_dispatch_room(const wadi_dispatch *d, int64_t n, int64_t most) {
    if (d->items.n == 0) return true;
    return (int64_t)d->items.n < wadi_dispatch_most(d) && d->bytes <= most && n <= most - d->bytes;
}

/* ---- workers ---- */

void wadi_dispatch_join(wadi_dispatch *d, int worker) {
    wadi_dispatch_lost(d, worker);
    d->worker[worker].alive = true;
}

void wadi_dispatch_ready(wadi_dispatch *d, int worker) {
    d->worker[worker].ready = true;
}

void wadi_dispatch_heard(wadi_dispatch *d, int worker) {
    d->worker[worker].late = false;
}

void wadi_dispatch_beats(wadi_dispatch *d, int worker) {
    d->worker[worker].beats = true;
}

static void forget_holder(wadi_dispatch_item *i, int worker) {
    for (int k = 0; k < i->holders; k++)
        if (i->holder[k] == worker) i->holder[k--] = i->holder[--i->holders];
}

void wadi_dispatch_lost(wadi_dispatch *d, int worker) {
    for (size_t i = 0; i < d->items.n; i++) forget_holder(&d->items.at[i], worker);
    d->worker[worker].alive = d->worker[worker].ready = d->worker[worker].late = false;
    d->worker[worker].beats = false;
    d->worker[worker].held = 0;
}

int wadi_dispatch_workers(const wadi_dispatch *d) {
    int n = 0;
    for (int w = 0; w < d->seats; w++)
        n += d->worker[w].alive && d->worker[w].ready && !d->worker[w].late;
    return n;
}

int wadi_dispatch_idle(const wadi_dispatch *d) {
    int late = -1, unready = -1;
    for (int w = d->seats - 1; w >= 0; w--) {
        if (d->worker[w].alive && d->worker[w].late) late = w;
        if (d->worker[w].alive && !d->worker[w].ready) unready = w;
    }
    return late >= 0 && unready >= 0 ? unready : late;
}

/* ---- answers ---- */

/* The slowest answer counts less with each that is faster. */
static void note_time(wadi_dispatch *d, int64_t took_ns) {
    const int64_t before = d->slowest_ns - d->slowest_ns / 16;
    const bool slower = took_ns > d->slowest_ns;
    d->slowest_ns = took_ns > before ? took_ns : before;
    if (d->slowest_ns < 1) d->slowest_ns = 1;
    for (int w = 0; slower && w < d->seats; w++)
        if (d->worker[w].beats) d->worker[w].late = false; /* items take longer than was known */
}

bool wadi_dispatch_answered(wadi_dispatch *d, int worker, int64_t number, int64_t now_ns) {
    for (size_t i = 0; i < d->items.n; i++) {
        const wadi_dispatch_item *item = &d->items.at[i];
        if (item->number != number) continue;
        if (item->times == 0) return false;
        if (worker >= 0 && wadi_dispatch_holds(item, worker)) note_time(d, now_ns - item->since_ns);
        remove_item(d, i);
        return true;
    }
    return false;
}

/* Whether somebody has it who is not late. */
static bool is_expected(const wadi_dispatch *d, const wadi_dispatch_item *i) {
    for (int k = 0; k < i->holders; k++)
        if (!d->worker[i->holder[k]].late) return true;
    return false;
}

int64_t wadi_dispatch_given_up(wadi_dispatch *d) {
    for (size_t i = 0; i < d->items.n; i++) {
        const wadi_dispatch_item *item = &d->items.at[i];
        if (is_expected(d, item) || item->times < WADI_DISPATCH_TIMES) continue;
        const int64_t number = item->number;
        remove_item(d, i);
        return number;
    }
    return -1;
}

/* ---- giving out ---- */

static void note_late(wadi_dispatch *d, const wadi_dispatch_item *i, int64_t now_ns) {
    const int64_t usual = LATE_TIMES * d->slowest_ns, took = now_ns - i->since_ns;
    const bool first = d->slowest_ns == 0;
    const int64_t most = first ? first_late_ns : usual < least_late_ns ? least_late_ns : usual;
    if (i->holders == 0 || took <= most) return;
    for (int k = 0; k < i->holders; k++)
        if (!first || !d->worker[i->holder[k]].beats || took > first_long_ns)
            d->worker[i->holder[k]].late = true;
}

static bool is_open(const wadi_dispatch *d, const wadi_dispatch_item *i) {
    return i->times < WADI_DISPATCH_TIMES && !is_expected(d, i);
}

/* The worker with the fewest items; -1: all have enough. */
static int find_worker(const wadi_dispatch *d, const wadi_dispatch_item *i) {
    int best = -1;
    for (int w = 0; w < d->seats; w++) {
        if (!d->worker[w].alive || !d->worker[w].ready || d->worker[w].late ||
            wadi_dispatch_holds(i, w))
            continue;
        if (d->worker[w].held >= WADI_DISPATCH_AHEAD) continue;
        if (best < 0 || d->worker[w].held < d->worker[best].held) best = w;
    }
    return best;
}

bool wadi_dispatch_next(wadi_dispatch *d, int64_t now_ns, int *out_worker,
                        wadi_dispatch_item *out_item) {
    for (size_t k = 0; k < d->items.n; k++) note_late(d, &d->items.at[k], now_ns);
    for (size_t k = 0; k < d->items.n; k++) {
        wadi_dispatch_item *i = &d->items.at[k];
        if (!is_open(d, i)) continue;
        const int worker = find_worker(d, i);
        if (worker < 0) return false;
        i->holder[i->holders++] = worker;
        i->times++;
        i->since_ns = now_ns;
        d->worker[worker].held++;
        *out_worker = worker;
        *out_item = *i;
        return true;
    }
    return false;
}
