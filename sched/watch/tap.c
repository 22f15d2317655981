/* The values are copied while the list of runs is held, and told after that: whoever reads slowly holds up nobody. */
#include "sched/watch/tap.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "sched/view.h"
#include "sched/watch/runs.h"

/* ---- asking ---- */

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

/* ---- telling ---- */

static void put_real(wadi_text *out, double x) {
    if (isfinite(x))
        wadi_text_addf(out, "%.6g", x);
    else
        wadi_text_add(out, "null");
}

static void put_values(wadi_text *out, const wadi_sample_part *p, const double *value) {
    const bool complex_ = p->type == WADI_C64 || p->type == WADI_C128;
    for (int64_t i = 0; i < p->rows * p->columns; i++) {
        if (i > 0) wadi_text_add(out, ", ");
        if (complex_) wadi_text_add(out, "[");
        put_real(out, *value++);
        if (!complex_) continue;
        wadi_text_add(out, ", ");
        put_real(out, *value++);
        wadi_text_add(out, "]");
    }
}

static void put_part(wadi_text *out, const wadi_sample *s, const wadi_sample_part *p) {
    wadi_text_addf(out, "{\"type\": \"%s\", \"shape\": [", wadi_type_name(p->type));
    for (int i = 0; i < p->rank; i++)
        wadi_text_addf(out, "%s%lld", i > 0 ? ", " : "", (long long)p->shape[i]);
    wadi_text_addf(out, "], \"series\": %s, \"rows\": %lld, \"columns\": %lld",
                   p->series ? "true" : "false", (long long)p->rows, (long long)p->columns);
    wadi_text_addf(out, ", \"row_step\": %lld, \"column_step\": %lld, \"values\": [",
                   (long long)p->row_step, (long long)p->column_step);
    put_values(out, p, s->value + p->at);
    wadi_text_add(out, "]}");
}

static void put_sample(wadi_text *out, const wadi_sample *s) {
    wadi_text_addf(out, "{\"first\": %lld, \"count\": %lld, \"cut\": %s, \"parts\": [",
                   (long long)s->first, (long long)s->count, s->cut ? "true" : "false");
    for (int i = 0; i < s->n; i++) {
        if (i > 0) wadi_text_add(out, ", ");
        put_part(out, s, &s->part[i]);
    }
    wadi_text_add(out, "]}");
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
        put_sample(out, t.sample);
    else
        wadi_text_add(out, "null");
    wadi_text_add(out, "}\n");
    free(t.sample);
    return out->failed ? wadi_fail(err, WADI_MEMORY, "tap: out of memory") : WADI_OK;
}
