/* Runs that get a part of a stream. Whoever puts the parts together again knows an element by its place, so each element has to become one, and by itself: what a
 * filter leaves out would be missing there, and a fold or a scan has seen other elements than in a run that reads the whole. */
#include "sched/run/parts.h"

#include <string.h>

#include "base/error.h"

static const wadi_binding *part_source(const wadi_run *x) {
    for (size_t i = 0; i < x->bindings.n; i++)
        if (x->bindings.at[i].source != NULL && x->bindings.at[i].source->is_part)
            return &x->bindings.at[i];
    return NULL;
}

bool wadi_run_mixes(const wadi_run *x, const wadi_plan_stream *s, int stage) {
    return !x->trial && part_source(x) == NULL && wadi_plan_stage_is_unordered(s, stage);
}

static wadi_status refuse(const char *name, const char *why, wadi_error *err) {
    return wadi_fail(err, WADI_UNSUPPORTED, "\"%s\" is a part of a stream that is shared: %s", name,
                     why);
}

static wadi_status check_stage(const wadi_plan_stage *g, const char *name, wadi_error *err) {
    static const char *const changes[] = {
#define WADI_CHANGE(KIND, change) [WADI_CHANGE_##KIND] = #change,
#include "sched/changes.def"
#undef WADI_CHANGE
    };
    if (g->change != WADI_CHANGE_READ)
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "\"%s\" is a part of a stream that is shared, so each of its elements has "
                         "to give one element, by itself; the program has a %s: let it be where "
                         "the parts are gathered",
                         name, changes[g->change]);
    if (g->nsources != 1) return refuse(name, "nothing else can be read or counted beside it", err);
    return WADI_OK;
}

static wadi_status check_stream(const wadi_plan_stream *s, const char *name, wadi_error *err) {
    for (int i = 0; i < s->nstages; i++) WADI_TRY(check_stage(&s->stages[i], name, err));
    for (int i = 0; i < s->nends; i++)
        if (s->ends[i].kind != WADI_END_SINK)
            return refuse(name,
                          "a result of its elements would lack the other parts; fold or collect "
                          "where they are gathered",
                          err);
    return s->nends == 1 ? WADI_OK : refuse(name, "it can go to one sink only", err);
}

static wadi_status check_options(const wadi_run_options *o, const char *name, wadi_error *err) {
    if (o->state != NULL)
        return refuse(name, "the run has nothing to save (--state), since others do what it leaves",
                      err);
    if (o->certificate != NULL || o->verify != NULL)
        return refuse(name, "which elements come here is left open, so there is no certificate",
                      err);
    if (o->on_fault == WADI_ON_FAULT_SKIP)
        return refuse(name, "elements cannot be skipped (--on-fault skip)", err);
    return WADI_OK;
}

static wadi_status check_alone(const wadi_run *x, const char *name, wadi_error *err) {
    for (size_t i = 0; i < x->bindings.n; i++) {
        const wadi_binding *b = &x->bindings.at[i];
        if (b->source != NULL && strcmp(b->name, name) != 0)
            return refuse(name, "the run can read no other stream", err);
    }
    return WADI_OK;
}

wadi_status wadi_run_check_parts(wadi_run *x, wadi_error *err) {
    const wadi_binding *from = part_source(x);
    if (from != NULL) {
        WADI_TRY(check_options(&x->options, from->name, err));
        WADI_TRY(check_alone(x, from->name, err));
    }
    for (int i = 0; from != NULL && i < x->plan->nphases; i++)
        if (x->plan->phases[i].is_stream)
            WADI_TRY(check_stream(&x->plan->phases[i].stream, from->name, err));
    for (size_t i = 0; i < x->bindings.n; i++) {
        wadi_sink *sink = x->bindings.at[i].sink;
        if (sink == NULL) continue;
        sink->part_of = from != NULL ? from->source : NULL;
        if (sink->sends_part && from == NULL)
            return wadi_fail(err, WADI_INVALID,
                             "\"%s\" sends a part of a stream, but the program reads no part of "
                             "one (@link,part:ADDRESS)",
                             x->bindings.at[i].name);
    }
    return WADI_OK;
}

void wadi_run_settle_part(wadi_sink *sink, const wadi_chunk *c) {
    wadi_source *source = sink->part_of;
    if (source != NULL && !sink->sends_part) source->ops->settled(source, c->first, c->count);
}

void wadi_run_end_part(wadi_sink *sink) {
    wadi_source *source = sink->part_of;
    if (source != NULL) source->ops->keep(source, (wadi_position){0}, true);
}
