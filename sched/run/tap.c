/* Each place keeps the sample that was taken last, until the next one is asked for and taken, or the stream is over. */
#include "sched/run/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sched/run/stream.h"
#include "sched/view.h"

/* ---- by the threads of the run ---- */

void wadi_tap_take(wadi_run *x, wadi_passed *t, wadi_chunk *c) {
    if (c->count == 0) return; /* the next one will do */
    atomic_store(&t->asked, false);
    wadi_sample *s = wadi_sample_make(c);
    if (s == NULL) return; /* without memory there is nothing to see, and the run goes on */
    wadi_mutex_lock(&x->lock);
    wadi_sample *before = t->sample;
    t->sample = s;
    wadi_mutex_unlock(&x->lock);
    free(before);
}

void wadi_tap_close(wadi_passed *t) {
    free(t->sample);
    t->sample = NULL;
}

/* ---- by those who look ---- */

typedef struct finding {
    const char *id;
    int phase, sources;
} finding;

static bool is_it(const finding *f, const char *kind, int number) {
    char id[24];
    (void)snprintf(id, sizeof id, "%d.%s%d", f->phase, kind, number);
    return strcmp(id, f->id) == 0;
}

/* Numbers are those of the view. NULL: the stream has no such place. */
static wadi_passed *find(wadi_stream *s, finding *f) {
    for (int i = 0; i < s->nlanes; i++)
        for (int k = 0; k < s->lanes[i].plan->nsources; k++)
            if (is_it(f, "in", f->sources++)) return &s->lanes[i].read[k];
    for (int i = 0; i < s->plan->nstages; i++)
        if (is_it(f, "", i)) return &s->stages[i].done;
    for (int i = 0; i < s->plan->nends; i++)
        if (is_it(f, "out", i)) return &s->outlets[i].put;
    return NULL;
}

wadi_status wadi_view_tap(wadi_run *run, const char *id, wadi_sample **out, wadi_error *err) {
    wadi_status status = WADI_OK;
    *out = NULL;
    wadi_mutex_lock(&run->lock);
    finding f = {.id = id, .phase = run->phase};
    wadi_passed *t = run->now != NULL ? find(run->now, &f) : NULL;
    if (t == NULL)
        status = wadi_fail(err, WADI_INVALID, "%.40s: the run has no such stage at work", id);
    else if (t->sample != NULL && (*out = wadi_sample_copy(t->sample)) == NULL)
        status = wadi_fail(err, WADI_MEMORY, "tap: out of memory");
    if (t != NULL) atomic_store(&t->asked, true);
    wadi_mutex_unlock(&run->lock);
    return status;
}
