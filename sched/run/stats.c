/* How a run goes: numbers that may be asked for while it is in progress. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/format.h"
#include "sched/run/state.h"

/* Why nobody shares; NULL: somebody may. */
static const char *why_alone(const wadi_run *x, int64_t done) {
    if (x->alone) return "the others would round otherwise";
    if (!wadi_run_shares(x) && !x->devices.at[1].idle) return "the others are out";
    if (!wadi_run_shares(x)) return "the others are the same processors";
    return done == 0 ? "nothing could be shared" : NULL;
}

/* "cpu 61 %, null 39 %", or why not. By the lock. */
static void print_shares(const wadi_run *x, char *out, size_t room) {
    const char *first = x->devices.at[0].name;
    int64_t all = 0;
    size_t used = 0;
    for (int i = 0; i < x->devices.n; i++) all += x->done_by[i];
    if (x->devices.n == 1) return;
    const char *alone = why_alone(x, all);
    if (alone != NULL) snprintf(out, room, "all on %s: %s", first, alone);
    for (int i = 0; alone == NULL && i < x->devices.n && used < room; i++)
        used +=
            (size_t)wadi_format(out + used, room - used, "%s%s %.0f %%", i > 0 ? ", " : "",
                                x->devices.at[i].name, 100 * (double)x->done_by[i] / (double)all);
}

void wadi_run_stats_get(wadi_run *run, wadi_run_stats *out) {
    if (out == NULL) return;
    *out = (wadi_run_stats){0};
    if (run == NULL) return;
    int64_t busy[WADI_STAGE_COUNT], overlap = 0;
    wadi_meter_read(&run->meter, busy, &overlap);
    wadi_mutex_lock(&run->lock);
    *out = run->stats;
    const int64_t end = run->end_ns != 0 ? run->end_ns : wadi_clock_ns();
    print_shares(run, out->shares, sizeof out->shares);
    const int64_t apart_ns = run->apart_ns;
    const double elapsed = run->begin_ns != 0 ? (double)(end - run->begin_ns) : 0;
    memcpy(out->home, run->home_why, sizeof out->home);
    wadi_run_add_copies(out, run->device);
    out->device = run->devices.name;
    out->drained = atomic_load(&run->drained);
    out->threads = run->device->ops->workers(run->device);
    const double used = (double)(run->device->ops->busy_ns(run->device) + apart_ns);
    wadi_mutex_unlock(&run->lock);
    out->memory_peak = wadi_buffers_peak(run->buffers);
    out->elapsed_s = elapsed / 1e9;
    out->source_s = (double)busy[WADI_STAGE_SOURCE] / 1e9;
    out->compute_s = (double)busy[WADI_STAGE_COMPUTE] / 1e9;
    out->apart_s = (double)busy[WADI_STAGE_APART] / 1e9;
    out->sink_s = (double)busy[WADI_STAGE_SINK] / 1e9;
    if (!(elapsed > 0)) return;
    out->utilisation = used / (elapsed * out->threads);
    if (apart_ns > 0 && out->utilisation > 1)
        out->utilisation = 1; /* one worker more than threads */
    out->overlap = (double)overlap / elapsed;
    out->stages_busy =
        (out->source_s + out->compute_s + out->apart_s + out->sink_s) / out->elapsed_s;
}
