/* A few runs are remembered, each by its last samples. What is too old does not count, and whoever has been looked at least recently gives way. */
#include "sched/watch/history.h"

#include <pthread.h>
#include <string.h>

#include "base/clock.h"

enum { RUNS = 4 };
static const int64_t OLD_NS = 10000000000, ENOUGH_NS = 2000000000, LEAST_NS = 500000000;

typedef struct sample {
    int64_t ns;
    double elements, bytes_in, bytes_out, worked_s;
    int64_t chunk_elements;
    int64_t node_elements[WADI_WATCH_NODES], node_bytes[WADI_WATCH_NODES];
    int64_t node_busy_ns[WADI_WATCH_NODES], device_busy_ns[WADI_VIEW_DEVICES];
} sample;

typedef struct record {
    int64_t run; /* 0: free */
    int phase;
    size_t nodes;
    int n; /* samples, the oldest first */
    sample at[WADI_WATCH_SAMPLES];
} record;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the rest */
static record records[RUNS];

static int64_t last_ns(const record *r) {
    return r->n > 0 ? r->at[r->n - 1].ns : INT64_MIN;
}

static record *find(int64_t run) {
    record *oldest = &records[0];
    for (int i = 0; i < RUNS; i++) {
        if (records[i].run == run) return &records[i];
        if (last_ns(&records[i]) < last_ns(oldest)) oldest = &records[i];
    }
    *oldest = (record){.run = run};
    return oldest;
}

static sample sample_of(const wadi_view *v) {
    const wadi_run_stats *s = &v->stats;
    sample now = {.ns = wadi_clock_ns(),
                  .elements = (double)s->elements,
                  .bytes_in = (double)s->bytes_in,
                  .bytes_out = (double)s->bytes_out,
                  .worked_s = s->utilisation * s->elapsed_s,
                  .chunk_elements = s->chunk_elements};
    for (size_t i = 0; i < v->nodes.n && i < WADI_WATCH_NODES; i++) {
        now.node_elements[i] = v->nodes.at[i].elements;
        now.node_bytes[i] = v->nodes.at[i].bytes;
        now.node_busy_ns[i] = v->nodes.at[i].busy_ns;
    }
    for (int i = 0; i < v->ndevices; i++) now.device_busy_ns[i] = v->devices[i].busy_ns;
    return now;
}

/* The latest sample that is some seconds old, or the oldest that counts; NULL: there is none. */
static const sample *find_before(const record *r, int64_t now) {
    const sample *before = NULL;
    for (int i = 0; i < r->n; i++) {
        const int64_t age = now - r->at[i].ns;
        if (age > OLD_NS || age < LEAST_NS) continue;
        if (before == NULL || age >= ENOUGH_NS) before = &r->at[i];
    }
    return before;
}

static void keep(record *r, const sample *now) {
    if (r->n == WADI_WATCH_SAMPLES) {
        memmove(&r->at[0], &r->at[1], (WADI_WATCH_SAMPLES - 1) * sizeof r->at[0]);
        r->n--;
    }
    r->at[r->n++] = *now;
}

/* A run that has moved to another device, or has another worker, may seem to have worked less or more than that. */
static double share(int64_t before_ns, int64_t now_ns, double s) {
    const double part = (double)(now_ns - before_ns) / 1e9 / s;
    return part > 1 ? 1 : part > 0 ? part : 0;
}

static void tell(const sample *before, const sample *now, double s, const wadi_view *v,
                 wadi_watch_pace *out) {
    out->elements = (now->elements - before->elements) / s;
    out->bytes_in = (now->bytes_in - before->bytes_in) / s;
    out->bytes_out = (now->bytes_out - before->bytes_out) / s;
    const double worked = (now->worked_s - before->worked_s) / s;
    out->utilisation = worked > 0 ? worked : 0;
    for (size_t i = 0; i < v->nodes.n && i < WADI_WATCH_NODES; i++) {
        out->node_elements[i] = (double)(now->node_elements[i] - before->node_elements[i]) / s;
        out->node_bytes[i] = (double)(now->node_bytes[i] - before->node_bytes[i]) / s;
        out->node_busy[i] = share(before->node_busy_ns[i], now->node_busy_ns[i], s);
    }
    for (int i = 0; i < v->ndevices; i++)
        if (v->devices[i].workers > 0)
            out->device_busy[i] =
                share(before->device_busy_ns[i], now->device_busy_ns[i], s * v->devices[i].workers);
}

/* Where the run stood when it began. */
static sample beginning(const wadi_view *v) {
    sample zero = {0};
    for (size_t i = 0; i < v->nodes.n && i < WADI_WATCH_NODES; i++)
        zero.node_elements[i] = v->nodes.at[i].began;
    return zero;
}

void wadi_watch_pace_of(const wadi_view *v, wadi_watch_pace *out) {
    const sample now = sample_of(v), zero = beginning(v);
    *out = (wadi_watch_pace){0};
    (void)pthread_mutex_lock(&lock);
    record *r = find(v->id);
    if (r->phase != v->phase || r->nodes != v->nodes.n)
        *r = (record){.run = v->id, .phase = v->phase, .nodes = v->nodes.n};
    const sample *before = find_before(r, now.ns);
    const double s = before != NULL ? (double)(now.ns - before->ns) / 1e9 : v->stats.elapsed_s;
    if (s > 0) tell(before != NULL ? before : &zero, &now, s, v, out);
    keep(r, &now);
    for (out->sizes = 0; out->sizes < r->n; out->sizes++)
        out->chunk_elements[out->sizes] = r->at[out->sizes].chunk_elements;
    (void)pthread_mutex_unlock(&lock);
}
