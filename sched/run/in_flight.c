/* How many chunks are in memory at a time, for the memory budget. */
#include "sched/run/certify.h"

void wadi_run_count_in_flight(wadi_run *x, int64_t more) {
    x->budget.chunks = WADI_CHUNKS_IN_FLIGHT + more + (wadi_certify_keeps(x) ? 1 : 0);
}
