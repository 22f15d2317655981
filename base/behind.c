/* Who leaves and who comes out of a call agree by one atomic step. */
#include "base/behind.h"

#include <stddef.h>
#include <unistd.h>

#include "base/clock.h"

static atomic_int left;
static _Thread_local wadi_behind *mine;
static _Thread_local int depth;

static const int64_t gone = -1;

void wadi_behind_watch(wadi_behind *b) {
    mine = b;
    depth = 0;
}

void wadi_behind_enter_since(int64_t begin_ns) {
    if (mine == NULL || depth++ > 0) return;
    atomic_store(&mine->since, begin_ns > 0 ? begin_ns : 1);
}

void wadi_behind_enter(void) {
    wadi_behind_enter_since(wadi_clock_ns());
}

void wadi_behind_leave(void) {
    if (mine == NULL || --depth > 0) return;
    int64_t since = atomic_load(&mine->since);
    if (since != gone && atomic_compare_exchange_strong(&mine->since, &since, 0)) return;
    for (;;) (void)pause();
}

bool wadi_behind_try(wadi_behind *b, int64_t least_ns) {
    int64_t since = atomic_load(&b->since);
    if (since <= 0 || wadi_clock_ns() - since < least_ns) return false;
    if (!atomic_compare_exchange_strong(&b->since, &since, gone)) return false;
    atomic_fetch_add(&left, 1);
    return true;
}

int wadi_behind_count(void) {
    return atomic_load(&left);
}
