/* Each metric is a row of a table: its name, its words, and what tells its values of one run. The lines of one metric stand together, as the format
 * (Prometheus, exposition format 0.0.4) wants it. */
#include "sched/watch/metrics.h"

#include <string.h>

/* ---- values ---- */

/* A label's value: backslash, quote and newline are escaped. */
static void put_label(wadi_text *out, const char *s) {
    for (; *s != '\0'; s++) {
        if (*s == '\\' || *s == '"')
            wadi_text_addf(out, "\\%c", *s);
        else if (*s == '\n')
            wadi_text_add(out, "\\n");
        else
            wadi_text_add_n(out, s, 1);
    }
}

/* name{run="1",program="p",A="a",B="b"} value */
static void put(wadi_text *out, const char *name, const wadi_view *v, const char *const label[4],
                double value) {
    wadi_text_addf(out, "%s{run=\"%lld\",program=\"", name, (long long)v->id);
    put_label(out, v->name);
    wadi_text_add(out, "\"");
    for (int i = 0; i < 4 && label[i] != NULL; i += 2) {
        wadi_text_addf(out, ",%s=\"", label[i]);
        put_label(out, label[i + 1]);
        wadi_text_add(out, "\"");
    }
    wadi_text_addf(out, "} %.15g\n", value);
}

static const char *const none[4];

typedef struct metric {
    const char *name, *type, *help;
    void (*tell)(wadi_text *out, const char *name, const wadi_view *v);
} metric;

#define OF_RUN(function, value)                                                  \
    static void function(wadi_text *out, const char *name, const wadi_view *v) { \
        put(out, name, v, none, (double)(value));                                \
    }
OF_RUN(tell_elapsed, v->stats.elapsed_s)
OF_RUN(tell_chunks, v->stats.chunks)
OF_RUN(tell_chunk_size, v->stats.chunk_elements)
OF_RUN(tell_failed, v->stats.dead)
OF_RUN(tell_utilisation, v->stats.utilisation)
OF_RUN(tell_memory, v->memory_used)
OF_RUN(tell_memory_peak, v->stats.memory_peak)
OF_RUN(tell_memory_limit, v->memory_most)
OF_RUN(tell_paused, v->state == WADI_VIEW_PAUSED)
#undef OF_RUN

static void tell_busy(wadi_text *out, const char *name, const wadi_view *v) {
    const wadi_run_stats *s = &v->stats;
    put(out, name, v, (const char *const[4]){"part", "source"}, s->source_s);
    put(out, name, v, (const char *const[4]){"part", "compute"}, s->compute_s);
    put(out, name, v, (const char *const[4]){"part", "apart"}, s->apart_s);
    put(out, name, v, (const char *const[4]){"part", "sink"}, s->sink_s);
}

static void put_node(wadi_text *out, const char *name, const wadi_view *v, const wadi_view_node *n,
                     double value) {
    put(out, name, v, (const char *const[4]){"stage", n->id, "name", n->name}, value);
}

static void tell_elements(wadi_text *out, const char *name, const wadi_view *v) {
    for (size_t i = 0; i < v->nodes.n; i++)
        put_node(out, name, v, &v->nodes.at[i], (double)v->nodes.at[i].elements);
}

static void tell_bytes(wadi_text *out, const char *name, const wadi_view *v) {
    for (size_t i = 0; i < v->nodes.n; i++)
        put_node(out, name, v, &v->nodes.at[i], (double)v->nodes.at[i].bytes);
}

static void tell_total(wadi_text *out, const char *name, const wadi_view *v) {
    for (size_t i = 0; i < v->nodes.n; i++)
        if (v->nodes.at[i].total >= 0)
            put_node(out, name, v, &v->nodes.at[i], (double)v->nodes.at[i].total);
}

static void tell_node_busy(wadi_text *out, const char *name, const wadi_view *v) {
    for (size_t i = 0; i < v->nodes.n; i++)
        put_node(out, name, v, &v->nodes.at[i], (double)v->nodes.at[i].busy_ns / 1e9);
}

static void put_device(wadi_text *out, const char *name, const wadi_view *v, int i, double value) {
    put(out, name, v, (const char *const[4]){"device", v->devices[i].name}, value);
}

static void tell_device_busy(wadi_text *out, const char *name, const wadi_view *v) {
    for (int i = 0; i < v->ndevices; i++)
        put_device(out, name, v, i, (double)v->devices[i].busy_ns / 1e9);
}

static void tell_device_workers(wadi_text *out, const char *name, const wadi_view *v) {
    for (int i = 0; i < v->ndevices; i++) put_device(out, name, v, i, v->devices[i].workers);
}

static void tell_left(wadi_text *out, const char *name, const wadi_view *v) {
    if (v->left_s >= 0) put(out, name, v, none, v->left_s);
}

#define OF_ELSEWHERE(function, value)                                            \
    static void function(wadi_text *out, const char *name, const wadi_view *v) { \
        const wadi_view_elsewhere *e = &v->elsewhere;                            \
        if (e->used) put(out, name, v, none, (double)(value));                   \
    }
OF_ELSEWHERE(tell_far_workers, e->workers)
OF_ELSEWHERE(tell_far_items, e->items)
OF_ELSEWHERE(tell_far_most_items, e->most_items)
OF_ELSEWHERE(tell_far_bytes, e->bytes)
OF_ELSEWHERE(tell_far_most_bytes, e->most_bytes)
OF_ELSEWHERE(tell_far_in_turn, e->in_turn)
OF_ELSEWHERE(tell_far_rate, e->per_second)
OF_ELSEWHERE(tell_far_paused, e->held)
#undef OF_ELSEWHERE

static void put_by(wadi_text *out, const char *name, const wadi_view *v, int64_t workers,
                   int64_t home) {
    if (!v->elsewhere.used) return;
    put(out, name, v, (const char *const[4]){"by", "workers"}, (double)workers);
    put(out, name, v, (const char *const[4]){"by", "home"}, (double)home);
}

static void tell_far_done(wadi_text *out, const char *name, const wadi_view *v) {
    put_by(out, name, v, v->elsewhere.items_there, v->elsewhere.items_here);
}

static void tell_far_elements(wadi_text *out, const char *name, const wadi_view *v) {
    put_by(out, name, v, v->elsewhere.elements_there, v->elsewhere.elements_here);
}

typedef double (*edge_value)(const wadi_view_edge *e);

static void tell_edges(wadi_text *out, const char *name, const wadi_view *v, edge_value value) {
    for (size_t i = 0; i < v->edges.n; i++) {
        const wadi_view_edge *e = &v->edges.at[i];
        if (!e->queue) continue;
        put(out, name, v,
            (const char *const[4]){"from", v->nodes.at[e->from].id, "to", v->nodes.at[e->to].id},
            value(e));
    }
}

#define OF_EDGE(function, value)                                                 \
    static double function##_value(const wadi_view_edge *e) {                    \
        return (double)(value);                                                  \
    }                                                                            \
    static void function(wadi_text *out, const char *name, const wadi_view *v) { \
        tell_edges(out, name, v, function##_value);                              \
    }
OF_EDGE(tell_fill_bytes, e->bytes)
OF_EDGE(tell_limit_bytes, e->most_bytes)
OF_EDGE(tell_fill_chunks, e->chunks)
OF_EDGE(tell_limit_chunks, e->most_chunks)
OF_EDGE(tell_sender, (double)e->from_ns / 1e9)
OF_EDGE(tell_receiver, (double)e->to_ns / 1e9)
#undef OF_EDGE

/* ---- the table ---- */

static const metric metrics[] = {
    {"wadi_elements_total", "counter", "Elements that a source, stage or end has had.",
     tell_elements},
    {"wadi_bytes_total", "counter",
     "Bytes of elements that a source has read, a stage has computed, or an end has got.",
     tell_bytes},
    {"wadi_stage_busy_seconds_total", "counter",
     "Time in which a source, stage or end was worked for.", tell_node_busy},
    {"wadi_expected_elements", "gauge", "Elements that a source has in all, where that is known.",
     tell_total},
    {"wadi_link_fill_bytes", "gauge", "Bytes under way on a link between two threads.",
     tell_fill_bytes},
    {"wadi_link_limit_bytes", "gauge", "Bytes that may be under way on it.", tell_limit_bytes},
    {"wadi_link_fill_chunks", "gauge", "Chunks under way on a link.", tell_fill_chunks},
    {"wadi_link_limit_chunks", "gauge", "Chunks that may be under way on it.", tell_limit_chunks},
    {"wadi_link_sender_waits_seconds", "gauge",
     "How long the sender has waited for room; 0: it does not wait.", tell_sender},
    {"wadi_link_receiver_waits_seconds", "gauge",
     "How long the receiver has waited for a chunk; 0: it does not wait.", tell_receiver},
    {"wadi_run_seconds_total", "counter", "Time since the run began.", tell_elapsed},
    {"wadi_left_seconds", "gauge", "Time until all is read, at the pace so far, where it is known.",
     tell_left},
    {"wadi_device_busy_seconds_total", "counter", "Time in which a device's workers worked.",
     tell_device_busy},
    {"wadi_device_workers", "gauge", "Workers of a device.", tell_device_workers},
    {"wadi_busy_seconds_total", "counter", "Time in which a part of the run was busy.", tell_busy},
    {"wadi_chunks_total", "counter", "Chunks computed.", tell_chunks},
    {"wadi_chunk_elements", "gauge", "Elements of a chunk, as last chosen.", tell_chunk_size},
    {"wadi_failed_elements_total", "counter",
     "Elements that have failed, and without which the run goes on.", tell_failed},
    {"wadi_utilisation_ratio", "gauge",
     "Busy time of the workers by all their time, since the run began.", tell_utilisation},
    {"wadi_memory_bytes", "gauge", "Bytes of chunks and temporaries in use.", tell_memory},
    {"wadi_memory_peak_bytes", "gauge", "The most that was in use.", tell_memory_peak},
    {"wadi_memory_limit_bytes", "gauge", "The limit for chunks in flight.", tell_memory_limit},
    {"wadi_paused", "gauge", "1: the run is paused.", tell_paused},
    {"wadi_elsewhere_workers", "gauge", "Workers of other processes that are there.",
     tell_far_workers},
    {"wadi_elsewhere_fill_items", "gauge",
     "Items at workers of other processes, without an answer.", tell_far_items},
    {"wadi_elsewhere_limit_items", "gauge", "Items that may be there.", tell_far_most_items},
    {"wadi_elsewhere_fill_bytes", "gauge", "Bytes of these items.", tell_far_bytes},
    {"wadi_elsewhere_limit_bytes", "gauge", "Bytes that there may be.", tell_far_most_bytes},
    {"wadi_elsewhere_answers_in_turn", "gauge", "Answers that wait for those of earlier items.",
     tell_far_in_turn},
    {"wadi_elsewhere_answers_per_second", "gauge", "Answers, over the last ten seconds.",
     tell_far_rate},
    {"wadi_elsewhere_items_total", "counter",
     "Items that workers have computed, and those that home has computed instead.", tell_far_done},
    {"wadi_elsewhere_elements_total", "counter", "Elements of these items.", tell_far_elements},
    {"wadi_elsewhere_paused", "gauge", "1: no more items go to workers.", tell_far_paused},
};

void wadi_watch_metrics(const wadi_view *views, size_t n, wadi_text *out) {
    wadi_text_addf(out, "# HELP wadi_runs Runs under way.\n# TYPE wadi_runs gauge\nwadi_runs %zu\n",
                   n);
    for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++) {
        const metric *m = &metrics[i];
        wadi_text_addf(out, "# HELP %s %s\n# TYPE %s %s\n", m->name, m->help, m->name, m->type);
        for (size_t k = 0; k < n; k++) m->tell(out, m->name, &views[k]);
    }
}
