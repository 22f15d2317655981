/* Learning the bytes per element, and capping chunk sizes by them. */
#include "sched/budget.h"

static const double WEIGHT = 0.25; /* the weight of the latest chunk in the average */

void wadi_budget_init(wadi_budget *b, int64_t bytes, int64_t chunks) {
    *b = (wadi_budget){.bytes = bytes, .chunks = chunks < 1 ? 1 : chunks};
}

void wadi_budget_observe(wadi_budget *b, int64_t elements, int64_t bytes) {
    if (elements <= 0) return;
    b->latest = (double)bytes / (double)elements;
    b->average = b->average > 0 ? b->average + WEIGHT * (b->latest - b->average) : b->latest;
}

int64_t wadi_budget_chunk_bytes(const wadi_budget *b) {
    return b->bytes / b->chunks;
}

void wadi_budget_refused(wadi_budget *b, int64_t elements) {
    const int64_t half = elements / 2 < 1 ? 1 : elements / 2;
    if (b->most == 0 || half < b->most) b->most = half;
}

int64_t wadi_budget_cap(const wadi_budget *b, int64_t elements) {
    const double each = b->latest > b->average ? b->latest : b->average;
    if (each > 0) {
        const double most = (double)wadi_budget_chunk_bytes(b) / each;
        if (most < (double)elements) elements = (int64_t)most;
    }
    if (b->most > 0 && elements > b->most) elements = b->most;
    return elements < 1 ? 1 : elements;
}
