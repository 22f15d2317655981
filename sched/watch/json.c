/* One object: what holds of the run, then its nodes, edges, waits and devices. */
#include "sched/watch/json.h"

#include <unistd.h>

#include "base/error.h"

#include "sched/watch/why.h"
#include "wadi/watch.h"

static void put_text(wadi_text *out, const char *name, const char *value) {
    wadi_text_addf(out, "\"%s\": ", name);
    wadi_text_add_json(out, value);
}

static void put_number(wadi_text *out, const char *name, int64_t value) {
    wadi_text_addf(out, ", \"%s\": %lld", name, (long long)value);
}

static void put_real(wadi_text *out, const char *name, double value) {
    wadi_text_addf(out, ", \"%s\": %.6g", name, value);
}

/* Negative: nobody knows. */
static void put_known(wadi_text *out, const char *name, double value) {
    if (value < 0)
        wadi_text_addf(out, ", \"%s\": null", name);
    else
        wadi_text_addf(out, ", \"%s\": %.15g", name, value);
}

static void put_bool(wadi_text *out, const char *name, bool value) {
    wadi_text_addf(out, ", \"%s\": %s", name, value ? "true" : "false");
}

static void put_run(const wadi_view *v, wadi_text *out) {
    const wadi_run_stats *s = &v->stats;
    put_text(out, "program", v->name);
    put_number(out, "pid", getpid());
    put_number(out, "run", v->id);
    wadi_text_add(out, ", ");
    put_text(out, "state", wadi_view_state_name(v->state));
    put_bool(out, "can_drain", v->saved);
    put_known(out, "phase", v->phase);
    put_number(out, "phases", v->phases);
    put_real(out, "elapsed_s", s->elapsed_s);
    put_known(out, "left_s", v->left_s);
    put_number(out, "elements", s->elements);
    put_number(out, "bytes_in", s->bytes_in);
    put_number(out, "bytes_out", s->bytes_out);
    put_number(out, "chunks", s->chunks);
    put_number(out, "chunk_elements", s->chunk_elements);
    put_number(out, "failed_elements", s->dead);
    put_number(out, "threads", s->threads);
    put_real(out, "utilisation", s->utilisation);
    put_number(out, "stages_apart", s->stages_apart);
    wadi_text_add(out, ", ");
    put_text(out, "device", v->device);
    wadi_text_add(out, ", ");
    put_text(out, "schedule", v->schedule);
    wadi_text_addf(out, ", \"memory\": {\"used\": %lld, \"peak\": %lld, \"limit\": %lld}",
                   (long long)v->memory_used, (long long)s->memory_peak, (long long)v->memory_most);
    wadi_text_addf(
        out, ", \"busy_s\": {\"source\": %.6g, \"compute\": %.6g, \"apart\": %.6g, \"sink\": %.6g}",
        s->source_s, s->compute_s, s->apart_s, s->sink_s);
}

/* What other devices have done of a stage that they share. */
static void put_beside(const wadi_view *v, const wadi_view_node *n, wadi_text *out) {
    const char *between = "";
    wadi_text_add(out, ", \"beside\": [");
    for (int i = 1; i < v->ndevices; i++) {
        if (n->beside_ns[i] == 0) continue;
        wadi_text_addf(out, "%s{", between);
        put_text(out, "device", v->devices[i].name);
        put_real(out, "busy_s", (double)n->beside_ns[i] / 1e9);
        wadi_text_add(out, "}");
        between = ", ";
    }
    wadi_text_add(out, "]");
}

static void put_node(const wadi_view *v, const wadi_view_node *n, wadi_text *out) {
    wadi_text_add(out, "{");
    put_text(out, "kind", wadi_view_kind_name(n->kind));
    wadi_text_add(out, ", ");
    put_text(out, "id", n->id);
    wadi_text_add(out, ", ");
    put_text(out, "name", n->name);
    wadi_text_add(out, ", ");
    put_text(out, "what", n->what);
    put_number(out, "elements", n->elements);
    put_number(out, "bytes", n->bytes);
    put_number(out, "chunks", n->chunks);
    put_known(out, "total", (double)n->total);
    put_bool(out, "has_values", n->has_values);
    put_real(out, "busy_s", (double)n->busy_ns / 1e9);
    put_beside(v, n, out);
    wadi_text_add(out, "}");
}

static void put_edge(const wadi_view_edge *e, wadi_text *out) {
    wadi_text_addf(out, "{\"from\": %d, \"to\": %d", e->from, e->to);
    put_bool(out, "queue", e->queue);
    put_number(out, "chunks", e->chunks);
    put_number(out, "most_chunks", e->most_chunks);
    put_number(out, "bytes", e->bytes);
    put_number(out, "most_bytes", e->most_bytes);
    put_real(out, "from_waits_s", (double)e->from_ns / 1e9);
    put_real(out, "to_waits_s", (double)e->to_ns / 1e9);
    wadi_text_add(out, "}");
}

static void put_wait(const wadi_wait_seen *w, wadi_text *out) {
    wadi_text_add(out, "{");
    put_text(out, "who", w->owner);
    wadi_text_add(out, ", ");
    put_text(out, w->works ? "works_on" : "waits_for", w->what);
    put_known(out, "number", (double)w->number);
    wadi_text_add(out, ", ");
    put_text(out, "name", w->name);
    put_real(out, "seconds", (double)w->ns / 1e9);
    wadi_text_add(out, "}");
}

static void put_device(const wadi_view_device *d, wadi_text *out) {
    wadi_text_add(out, "{");
    put_text(out, "name", d->name);
    put_number(out, "shared_elements", d->elements);
    put_real(out, "busy_s", (double)d->busy_ns / 1e9);
    put_number(out, "workers", d->workers);
    wadi_text_add(out, "}");
}

static void put_elsewhere_stages(const wadi_view *v, wadi_text *out) {
    bool first = true;
    wadi_text_add(out, ", \"stages\": [");
    for (size_t i = 0; i < v->nodes.n; i++) {
        if (!v->nodes.at[i].elsewhere) continue;
        if (!first) wadi_text_add(out, ", ");
        wadi_text_add_json(out, v->nodes.at[i].id);
        first = false;
    }
    wadi_text_add(out, "]");
}

/* Names that `wadi job status` has as well mean the same there. */
static void put_elsewhere(const wadi_view *v, wadi_text *out) {
    const wadi_view_elsewhere *e = &v->elsewhere;
    wadi_text_add(out, ", \"elsewhere\": ");
    if (!e->used) {
        wadi_text_add(out, "null");
        return;
    }
    wadi_text_add(out, "{");
    put_text(out, "address", e->address);
    put_elsewhere_stages(v, out);
    put_number(out, "workers", e->workers);
    put_number(out, "wanted", e->wanted);
    put_number(out, "in_flight", e->items);
    put_number(out, "credit", e->most_items);
    put_number(out, "bytes_in_flight", e->bytes);
    put_number(out, "budget", e->most_bytes);
    put_number(out, "unsent", e->unsent);
    put_number(out, "in_turn", e->in_turn);
    put_real(out, "per_second", e->per_second);
    wadi_text_addf(out, ", \"items\": {\"workers\": %lld, \"home\": %lld}",
                   (long long)e->items_there, (long long)e->items_here);
    wadi_text_addf(out, ", \"elements\": {\"workers\": %lld, \"home\": %lld}",
                   (long long)e->elements_there, (long long)e->elements_here);
    put_bool(out, "paused", e->held);
    put_bool(out, "lost", e->lost);
    wadi_text_add(out, "}");
}

static void begin_list(wadi_text *out, const char *name) {
    wadi_text_addf(out, ", \"%s\": [", name);
}

static void next(wadi_text *out, size_t i) {
    if (i > 0) wadi_text_add(out, ", ");
}

void wadi_watch_json(const wadi_view *v, wadi_text *out) {
    wadi_text why = {0};
    wadi_text_add(out, "{");
    put_run(v, out);
    begin_list(out, "nodes");
    for (size_t i = 0; i < v->nodes.n; i++) next(out, i), put_node(v, &v->nodes.at[i], out);
    wadi_text_add(out, "]");
    begin_list(out, "edges");
    for (size_t i = 0; i < v->edges.n; i++) next(out, i), put_edge(&v->edges.at[i], out);
    wadi_text_add(out, "]");
    begin_list(out, "waits");
    for (int i = 0; i < v->nwaits; i++) next(out, (size_t)i), put_wait(&v->waits[i], out);
    wadi_text_add(out, "]");
    begin_list(out, "devices");
    for (int i = 0; i < v->ndevices; i++) next(out, (size_t)i), put_device(&v->devices[i], out);
    wadi_text_add(out, "]");
    put_elsewhere(v, out);
    wadi_text_add(out, ", ");
    wadi_watch_why(v, &why);
    put_text(out, "why", wadi_text_str(&why));
    wadi_text_add(out, "}");
    out->failed = out->failed || why.failed;
    wadi_text_fini(&why);
}

wadi_status wadi_run_view(wadi_run *run, char **out_json, wadi_error *err) {
    WADI_GIVEN(err, run);
    WADI_GIVEN(err, out_json);
    wadi_view v;
    wadi_text text = {0};
    WADI_TRY(wadi_view_take(run, &v, err));
    wadi_watch_json(&v, &text);
    wadi_view_fini(&v);
    *out_json = wadi_text_take(&text);
    return *out_json != NULL ? WADI_OK : wadi_fail(err, WADI_MEMORY, "view: out of memory");
}
