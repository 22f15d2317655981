/* How many chunks are in memory at a time, and how much memory there is for them. */
#include "sched/run/certify.h"

void wadi_run_count_in_flight(wadi_run *x, int64_t more) {
    x->budget.chunks = WADI_CHUNKS_IN_FLIGHT + more + (wadi_certify_keeps(x) ? 1 : 0);
}

static int64_t windows(const wadi_run *x) {
    int64_t bytes = 0;
    for (size_t i = 0; i < x->bindings.n; i++) {
        const wadi_binding *b = &x->bindings.at[i];
        if (b->source != NULL) bytes += b->source->window;
        if (b->sink != NULL) bytes += b->sink->window;
    }
    return bytes;
}

void wadi_run_leave_to_chunks(wadi_run *x, int64_t kept) {
    const int64_t half = x->options.memory / 2, held = windows(x);
    const int64_t left =
        x->options.memory - (kept < half ? kept : half) - (held < half ? held : half);
    x->budget.bytes = left > half / 2 ? left : half / 2;
    /* messages of links and workers wait elsewhere, where the C library keeps some of what was theirs */
    const bool alone = held == 0 && x->work.queue == NULL;
    wadi_buffers_keep(x->buffers, alone ? x->options.memory : x->budget.bytes / 2 + kept);
}
