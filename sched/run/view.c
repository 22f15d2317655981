/* Looking at a run while it goes on. The stream at work is seen under the run's lock: while somebody looks it neither ends nor gets or loses links.
 * What its threads count they count in a wadi_passed, which anybody may read. A run at which nobody looks does nothing for this but count. */
#include "sched/view.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "sched/plan/words.h"
#include "sched/run/stream.h"

/* ---- names ---- */

/* "m, n": the values in these slots, as the program calls them; each once, as many as there is room for. */
static void join_names(const wadi_plan *plan, const int *slots, int n, char out[WADI_VIEW_NAME]) {
    size_t used = 0;
    for (int i = 0; i < n; i++) {
        const char *name = plan->slots[slots[i]].name;
        const bool again = i > 0 && slots[i] == slots[i - 1];
        if (again || name == NULL || name[0] == '\0') continue;
        if (used + strlen(name) + 7 > WADI_VIEW_NAME) {
            (void)snprintf(out + used, WADI_VIEW_NAME - used, ", ..");
            return;
        }
        used +=
            (size_t)snprintf(out + used, WADI_VIEW_NAME - used, "%s%s", used > 0 ? ", " : "", name);
    }
}

/* ---- nodes ---- */

typedef struct looking {
    wadi_view *v;
    const wadi_stream *s;
    int *stage;  /* [nstages] its node */
    int sources; /* so far */
} looking;

/* Returns its number; -1: no memory. */
static int add_node(wadi_view *v, const wadi_view_node *n) {
    if (!wadi_vec_push(&v->nodes, *n)) {
        v->failed = true;
        return -1;
    }
    return (int)v->nodes.n - 1;
}

static void add_edge(looking *k, int from, int to, wadi_pipe *pipe) {
    wadi_view_edge e = {.from = from, .to = to, .queue = pipe != NULL};
    if (pipe != NULL) {
        const wadi_pipe_fill fill = wadi_pipe_look(pipe);
        e.chunks = fill.chunks;
        e.most_chunks = fill.most_chunks;
        e.bytes = fill.bytes;
        e.most_bytes = fill.most_bytes;
        e.from_ns = fill.sender_ns;
        e.to_ns = fill.receiver_ns;
    }
    if (from < 0 || to < 0 || !wadi_vec_push(&k->v->edges, e)) k->v->failed = true;
}

static void count(wadi_view_node *n, const wadi_passed *t) {
    n->elements = n->began + wadi_passed_read(&t->elements);
    n->bytes = wadi_passed_read(&t->bytes);
    n->chunks = wadi_passed_read(&t->chunks);
    n->busy_ns = wadi_passed_busy(t);
}

static wadi_view_node source_node(looking *k, const wadi_lane *l, int i) {
    const wadi_plan_source *p = &l->plan->sources[i];
    const wadi_source *source = p->counter ? NULL : wadi_run_find(k->s->x, p->name, false)->source;
    wadi_view_node n = {.kind = WADI_VIEW_SOURCE, .total = l->total[i], .began = l->began[i]};
    n.has_values = !p->counter;
    n.what = source == NULL ? "counter" : source->kind != NULL ? source->kind : "source";
    count(&n, p->counter ? &l->gone : &l->read[i]);
    if (l->limit < INT64_MAX && (n.total < 0 || n.total > l->limit)) n.total = l->limit;
    (void)snprintf(n.id, sizeof n.id, "%d.in%d", k->v->phase, k->sources++);
    (void)snprintf(n.name, sizeof n.name, "%s", p->counter ? "0, 1, .." : p->name);
    return n;
}

/* The sources of a stage, which stand before it. Returns the first of them. */
static int see_sources(looking *k, const wadi_lane *l) {
    const int first = (int)k->v->nodes.n;
    for (int i = 0; i < l->plan->nsources; i++) {
        const wadi_view_node n = source_node(k, l, i);
        (void)add_node(k->v, &n);
    }
    return first;
}

static void see_stage(looking *k, int stage) {
    const wadi_stage_run *g = &k->s->stages[stage];
    wadi_view_node n = {.kind = WADI_VIEW_STAGE,
                        .what = wadi_change_about(g->plan->change)->name,
                        .total = -1,
                        .has_values = true};
    const int first = g->lane != NULL ? see_sources(k, g->lane) : 0;
    count(&n, &g->done);
    for (int i = 1; i < k->s->x->devices.n; i++) n.beside_ns[i] = wadi_passed_busy(&g->by[i]);
    (void)snprintf(n.id, sizeof n.id, "%d.%d", k->v->phase, stage);
    join_names(k->s->x->plan, g->plan->results, g->plan->nresults, n.name);
    k->stage[stage] = add_node(k->v, &n);
    for (int i = 0; g->lane != NULL && i < g->plan->nsources; i++)
        add_edge(k, first + i, k->stage[stage], g->lane->pipe);
}

/* The link in front of it, if it is where what runs apart begins. */
static wadi_pipe *seam_before(const wadi_stream *s, int stage, int end) {
    const wadi_apart *a = &s->apart;
    if (a->pipe == NULL) return NULL; /* the seam may be changing */
    const bool here = stage >= 0 ? a->seam.stage == stage : a->seam.stage < 0 && a->seam.end == end;
    return here ? a->pipe : NULL;
}

static void see_inputs(looking *k, int stage) {
    const wadi_plan_stage *p = k->s->stages[stage].plan;
    for (int i = 0; p->change != WADI_CHANGE_READ && i < p->ninputs; i++)
        add_edge(k, k->stage[p->inputs[i]], k->stage[stage], seam_before(k->s, stage, -1));
}

static void see_end(looking *k, int end) {
    const wadi_outlet *o = &k->s->outlets[end];
    wadi_view_node n = {.kind = WADI_VIEW_END,
                        .what = wadi_plan_ends[o->plan->kind],
                        .total = -1,
                        .has_values = true};
    if (o->binding != NULL && o->binding->sink->kind != NULL) n.what = o->binding->sink->kind;
    count(&n, &o->put);
    (void)snprintf(n.id, sizeof n.id, "%d.out%d", k->v->phase, end);
    if (o->plan->kind == WADI_END_SINK)
        (void)snprintf(n.name, sizeof n.name, "%s", o->plan->name);
    else
        join_names(k->s->x->plan, o->plan->into, o->plan->ninto, n.name);
    add_edge(k, k->stage[o->plan->stage], add_node(k->v, &n),
             o->pipe != NULL ? o->pipe : seam_before(k->s, -1, end));
}

static void see_elsewhere_stages(looking *k) {
    const wadi_stretch_list *all = &k->s->far.stretches;
    for (int i = 0; k->s->far.shown && i < all->n; i++)
        for (int n = 0; n < all->at[i].n; n++) {
            const int node = k->stage[all->at[i].stage[n]];
            if (node >= 0) k->v->nodes.at[node].elsewhere = true; /* else there was no memory */
        }
}

static void see_stream(const wadi_stream *s, wadi_view *v) {
    looking k = {v, s, calloc((size_t)s->plan->nstages + 1, sizeof(int)), 0};
    v->failed = v->failed || k.stage == NULL;
    if (k.stage == NULL) return;
    for (int i = 0; i < s->plan->nstages; i++) see_stage(&k, i);
    for (int i = 0; i < s->plan->nstages; i++) see_inputs(&k, i);
    for (int i = 0; i < s->plan->nends; i++) see_end(&k, i);
    see_elsewhere_stages(&k);
    free(k.stage);
}

/* ---- the run ---- */

static wadi_view_device *add_device(wadi_view *v, const char *name) {
    wadi_view_device *d = &v->devices[v->ndevices++];
    (void)snprintf(d->name, sizeof d->name, "%s", name);
    return d;
}

/* Where what runs apart is computed: by the first device, or by the processors if that one has memory of its own. */
static wadi_view_device *find_apart(const wadi_run *x, wadi_view *v) {
    if (x->device->residence == NULL) return &v->devices[0];
    for (int i = 1; i < v->ndevices; i++)
        if (strcmp(v->devices[i].name, "cpu") == 0) return &v->devices[i];
    return add_device(v, "cpu");
}

static void see_devices(const wadi_run *x, wadi_view *v) {
    for (int i = 0; i < x->devices.n && i < WADI_DEVICES_MOST; i++) {
        wadi_view_device *d = add_device(v, x->devices.at[i].name);
        d->elements = x->done_by[i];
        d->busy_ns = i == 0 ? x->device->ops->busy_ns(x->device) : x->busy_by[i];
        d->workers = i == 0 ? x->device->ops->workers(x->device) : x->workers_by[i];
    }
    const bool apart = x->now != NULL && x->now->apart.pipe != NULL;
    if (x->beside_ns == 0 && !apart) return;
    wadi_view_device *d = find_apart(x, v);
    d->busy_ns += x->beside_ns;
    d->workers += apart || d->workers == 0;
}

static void see_elsewhere(const wadi_run *x, wadi_view_elsewhere *e) {
    if (x->work.queue == NULL) return;
    e->used = true;
    e->wanted = x->options.workers;
    (void)snprintf(e->address, sizeof e->address, "%.*s", (int)strcspn(x->work.address, "?"),
                   x->work.address);
    e->items_there = x->work.items_there;
    e->elements_there = x->stats.elsewhere;
    e->items_here = x->work.items_here;
    e->elements_here = x->work.elements_here;
    if (x->now != NULL) wadi_far_look(x->now, e);
}

static wadi_view_state state_of(const wadi_run *x, bool saved) {
    if (x->end_ns != 0) return WADI_VIEW_OVER;
    if (saved && atomic_load(&x->drains)) return WADI_VIEW_DRAINS;
    return atomic_load(&x->paused) ? WADI_VIEW_PAUSED : WADI_VIEW_RUNS;
}

/* Elements of the source with which the stage that reads it is done: others may have been read, and wait. */
static int64_t done_of(const wadi_view *v, size_t source) {
    for (size_t i = 0; i < v->edges.n; i++)
        if (v->edges.at[i].from == (int)source) return v->nodes.at[v->edges.at[i].to].elements;
    return 0;
}

/* By the pace since the stream began, of the source that will take longest. */
static double left_s(const wadi_view *v, double elapsed_s) {
    double most = -1;
    for (size_t i = 0; i < v->nodes.n; i++) {
        const wadi_view_node *n = &v->nodes.at[i];
        if (n->kind != WADI_VIEW_SOURCE) continue;
        const int64_t done = done_of(v, i), all = n->total - n->began;
        if (n->total < 0 || n->total < n->elements || done <= 0) return -1;
        const double left = elapsed_s * (double)(all > done ? all - done : 0) / (double)done;
        if (left > most) most = left;
    }
    return most;
}

bool wadi_view_can_drain(const wadi_run *run) {
    return run->checkpoint != NULL;
}

static void see_run(wadi_run *x, wadi_view *v) {
    wadi_mutex_lock(&x->lock);
    v->id = atomic_load(&x->watched.id);
    v->saved = wadi_view_can_drain(x);
    v->state = state_of(x, v->saved);
    v->phase = x->phase;
    v->phases = x->plan->nphases;
    v->memory_most = x->options.memory;
    (void)snprintf(v->name, sizeof v->name, "%s", x->plan->name != NULL ? x->plan->name : "");
    (void)snprintf(v->device, sizeof v->device, "%s", x->devices.name);
    (void)snprintf(v->schedule, sizeof v->schedule, "%s",
                   x->stats.schedule != NULL ? x->stats.schedule : "");
    see_devices(x, v);
    see_elsewhere(x, &v->elsewhere);
    if (x->waits != NULL) v->nwaits = wadi_waits_list(x->waits, v->waits, WADI_VIEW_WAITS);
    if (x->now != NULL) see_stream(x->now, v);
    v->left_s = x->now != NULL && v->state == WADI_VIEW_RUNS
                    ? left_s(v, (double)(wadi_clock_ns() - x->now->begin_ns) / 1e9)
                    : -1;
    wadi_mutex_unlock(&x->lock);
}

wadi_status wadi_view_take(wadi_run *run, wadi_view *out, wadi_error *err) {
    *out = (wadi_view){.left_s = -1};
    wadi_run_stats_get(run, &out->stats);
    out->memory_used = wadi_buffers_used(run->buffers);
    see_run(run, out);
    if (!out->failed) return WADI_OK;
    wadi_view_fini(out);
    return wadi_fail(err, WADI_MEMORY, "view: out of memory");
}
