/* The values are copied while the list of runs is held, and told after that: whoever reads slowly holds up nobody. */
#include "sched/watch/tap.h"

#include <stdlib.h>

#include "base/error.h"
#include "sched/view.h"
#include "sched/watch/runs.h"
#include "sched/watch/sample.h"

typedef struct tapping {
    int64_t run; /* wanted; 0: any */
    const char *stage;
    int64_t id; /* of the run that has it; 0: none */
    wadi_sample *sample;
    wadi_status status;
    wadi_error *err;
} tapping;

static bool tap_run(void *env, struct wadi_run *run, int64_t id) {
    tapping *t = env;
    if (t->run != 0 && t->run != id) return true;
    t->status = wadi_view_tap(run, t->stage, &t->sample, t->err);
    t->id = t->status == WADI_OK ? id : 0;
    return t->run == 0 && t->status == WADI_INVALID; /* the next may have it */
}

wadi_status wadi_watch_tap(int64_t run, const char *stage, wadi_text *out, wadi_error *err) {
    tapping t = {.run = run, .stage = stage, .status = WADI_INVALID, .err = err};
    (void)wadi_fail(err, WADI_INVALID, "no such run is under way");
    wadi_watch_each(tap_run, &t);
    if (t.status != WADI_OK) return t.status;
    wadi_text_addf(out, "{\"run\": %lld, \"stage\": ", (long long)t.id);
    wadi_text_add_json(out, stage);
    wadi_text_add(out, ", \"sample\": ");
    if (t.sample != NULL)
        wadi_watch_sample(t.sample, out);
    else
        wadi_text_add(out, "null");
    wadi_text_add(out, "}\n");
    free(t.sample);
    return out->failed ? wadi_fail(err, WADI_MEMORY, "tap: out of memory") : WADI_OK;
}
