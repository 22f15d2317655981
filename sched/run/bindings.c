/* The sources and sinks that a plan names, and what is bound to these names. */
#include <string.h>

#include "base/error.h"
#include "sched/run/state.h"

/* Calls fn for every source and sink the plan names, until one says false. */
typedef bool (*named)(void *env, const char *name, const wadi_plan_source *source);

static bool each_name(const wadi_plan *plan, named fn, void *env) {
    bool more = true;
    for (int i = 0; i < plan->nphases && more; i++) {
        const wadi_plan_stream *s = &plan->phases[i].stream;
        for (int g = 0; plan->phases[i].is_stream && g < s->nstages; g++)
            for (int k = 0; k < s->stages[g].nsources && more; k++)
                if (!s->stages[g].sources[k].counter)
                    more = fn(env, s->stages[g].sources[k].name, &s->stages[g].sources[k]);
        for (int e = 0; plan->phases[i].is_stream && e < s->nends && more; e++)
            if (s->ends[e].kind == WADI_END_SINK) more = fn(env, s->ends[e].name, NULL);
    }
    return more;
}

static bool add_binding(void *env, const char *name, const wadi_plan_source *source) {
    wadi_run *x = env;
    if (wadi_run_find(x, name, source == NULL) != NULL) return true;
    return wadi_vec_push(&x->bindings, (wadi_binding){.name = name});
}

typedef struct wanted {
    const char *name;
    bool sink, known;
} wanted;

static bool is_wanted(void *env, const char *name, const wadi_plan_source *source) {
    wanted *w = env;
    w->known = w->sink == (source == NULL) && strcmp(name, w->name) == 0;
    return !w->known;
}

wadi_binding *wadi_run_find(wadi_run *x, const char *name, bool sink) {
    wanted w = {.name = name, .sink = sink};
    (void)each_name(x->plan, is_wanted, &w);
    for (size_t k = 0; w.known && k < x->bindings.n; k++) {
        if (strcmp(x->bindings.at[k].name, name) == 0) return &x->bindings.at[k];
    }
    return NULL;
}

static void note_unordered(wadi_run *x, const wadi_plan_stream *s) {
    for (int i = 0; i < s->nends; i++)
        if (s->ends[i].unordered) wadi_run_find(x, s->ends[i].name, true)->unordered = &s->ends[i];
}

/* The phases' sources and sinks by name, unbound. */
wadi_status wadi_run_list_bindings(wadi_run *x, wadi_error *err) {
    if (!each_name(x->plan, add_binding, x))
        return wadi_fail(err, WADI_MEMORY, "run: out of memory");
    for (int i = 0; i < x->plan->nphases; i++)
        if (x->plan->phases[i].is_stream) note_unordered(x, &x->plan->phases[i].stream);
    return WADI_OK;
}

typedef struct fitting {
    const wadi_plan *plan;
    const char *name;
    const wadi_source *source;
    wadi_error *err;
    wadi_status status;
} fitting;

/* Wherever the program reads from the source. */
static bool fits(void *env, const char *name, const wadi_plan_source *want) {
    fitting *f = env;
    if (want == NULL || strcmp(name, f->name) != 0) return true;
    f->status = wadi_run_bind_source(f->plan, want, f->source, f->err);
    return f->status == WADI_OK;
}

wadi_status wadi_run_check_source(const wadi_run *x, const char *name, const wadi_source *source,
                                  wadi_error *err) {
    fitting f = {x->plan, name, source, err, WADI_OK};
    (void)each_name(x->plan, fits, &f);
    return f.status;
}

wadi_status wadi_run_check_bound(wadi_run *x, wadi_error *err) {
    for (int i = 0; i < x->plan->ninputs; i++) {
        if (x->bound[i]) continue;
        return wadi_fail(err, WADI_INVALID, "input \"%s\" is not bound", x->plan->inputs[i].name);
    }
    for (size_t i = 0; i < x->bindings.n; i++) {
        const wadi_binding *b = &x->bindings.at[i];
        const bool is_source = wadi_run_find(x, b->name, false) != NULL;
        const bool is_sink = wadi_run_find(x, b->name, true) != NULL;
        if ((is_source && b->source == NULL) || (is_sink && b->sink == NULL)) {
            return wadi_fail(err, WADI_INVALID, "%s \"%s\" is not bound",
                             is_source && b->source == NULL ? "source" : "sink", b->name);
        }
    }
    return WADI_OK;
}

wadi_retry wadi_run_retry(const wadi_run *x) {
    const double after_s = x->options.retry_after_s > 0 ? x->options.retry_after_s : 0.5;
    return (wadi_retry){.most = x->options.retries, .after_s = after_s, .over = &x->drains};
}

bool wadi_run_comes_back(const wadi_run *x) {
    for (size_t i = 0; i < x->bindings.n; i++)
        if (x->bindings.at[i].source != NULL && !x->bindings.at[i].comes_back) return false;
    return true;
}

bool wadi_run_broken(const wadi_run *x) {
    for (size_t i = 0; i < x->bindings.n; i++)
        if (atomic_load(&x->bindings.at[i].broken)) return true;
    return false;
}
