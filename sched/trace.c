/* Keeping spans, and writing them as a list of JSON objects, one to a line. */
#include "sched/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"

typedef struct span {
    wadi_trace_what what;
    int64_t begin_ns, end_ns, elements;
} span;

struct wadi_trace_lane {
    char kind[24], name[128];
    span *at;
    int64_t n, room, lost;
    wadi_trace_lane *next;
};

struct wadi_trace {
    wadi_mutex lock; /* of the list */
    wadi_trace_lane *first, **last;
    int64_t begin_ns;
};

wadi_trace *wadi_trace_create(int64_t begin_ns) {
    wadi_trace *t = calloc(1, sizeof *t);
    if (t == NULL) return NULL;
    t->begin_ns = begin_ns;
    t->last = &t->first;
    if (wadi_mutex_init(&t->lock, NULL) == WADI_OK) return t;
    free(t);
    return NULL;
}

void wadi_trace_destroy(wadi_trace *t) {
    if (t == NULL) return;
    while (t->first != NULL) {
        wadi_trace_lane *l = t->first;
        t->first = l->next;
        free(l->at);
        free(l);
    }
    wadi_mutex_fini(&t->lock);
    free(t);
}

wadi_trace_lane *wadi_trace_lane_add(wadi_trace *t, const char *kind, const char *name) {
    wadi_trace_lane *l = t != NULL ? calloc(1, sizeof *l) : NULL;
    if (l == NULL) return NULL;
    (void)snprintf(l->kind, sizeof l->kind, "%s", kind);
    (void)snprintf(l->name, sizeof l->name, "%s", name);
    wadi_mutex_lock(&t->lock);
    *t->last = l;
    t->last = &l->next;
    wadi_mutex_unlock(&t->lock);
    return l;
}

static bool has_room(wadi_trace_lane *l) {
    if (l->n < l->room) return true;
    if (l->room >= WADI_TRACE_MOST) return false;
    const int64_t room = l->room > 0 ? 2 * l->room : 1024;
    span *at = realloc(l->at, (size_t)room * sizeof *at);
    if (at == NULL) return false;
    l->at = at;
    l->room = room;
    return true;
}

void wadi_trace_add(wadi_trace_lane *l, wadi_trace_what what, int64_t begin_ns, int64_t end_ns,
                    int64_t elements) {
    if (l == NULL) return;
    if (has_room(l))
        l->at[l->n++] = (span){what, begin_ns, end_ns, elements};
    else
        l->lost++;
}

int64_t wadi_trace_begin(const wadi_trace_lane *l) {
    return l != NULL ? wadi_clock_ns() : 0;
}

void wadi_trace_end(wadi_trace_lane *l, const char *name, int64_t begin_ns, int64_t elements) {
    if (l != NULL)
        wadi_trace_add(l, (wadi_trace_what){.name = name}, begin_ns, wadi_clock_ns(), elements);
}

int64_t wadi_trace_lost(wadi_trace *t) {
    int64_t lost = 0;
    wadi_mutex_lock(&t->lock);
    for (const wadi_trace_lane *l = t->first; l != NULL; l = l->next) lost += l->lost;
    wadi_mutex_unlock(&t->lock);
    return lost;
}

/* ---- writing ---- */

typedef struct writing {
    wadi_text text;
    const wadi_trace *trace;
    wadi_trace_names names;
    wadi_trace_writer to;
} writing;

enum { LARGE = 1 << 16 };

static wadi_status pass_on(writing *w, wadi_error *err) {
    if (w->text.failed) return wadi_fail(err, WADI_MEMORY, "trace: out of memory");
    WADI_TRY(w->to.put(w->to.env, &w->text, err));
    wadi_text_clear(&w->text);
    return WADI_OK;
}

/* Names of the process and of threads are events of kind "M". */
static void name_it(wadi_text *out, const char *what, int thread, const char *name) {
    wadi_text_addf(out, "{\"ph\": \"M\", \"pid\": 1, \"tid\": %d, \"name\": \"%s\"", thread, what);
    wadi_text_add(out, ", \"args\": {\"name\": ");
    wadi_text_add_json(out, name);
    wadi_text_add(out, "}}");
}

/* Microseconds with three digits. */
static void put_time(wadi_text *out, const char *name, int64_t ns) {
    wadi_text_addf(out, ", \"%s\": %" PRId64 ".%03d", name, ns / 1000, (int)(ns % 1000));
}

static void put_span(writing *w, int thread, const span *s) {
    const char *name = s->what.name != NULL ? s->what.name : w->names.of(w->names.env, s->what.key);
    wadi_text *out = &w->text;
    if (name == NULL) return;
    wadi_text_addf(out, ",\n{\"ph\": \"X\", \"pid\": 1, \"tid\": %d", thread);
    put_time(out, "ts", s->begin_ns > w->trace->begin_ns ? s->begin_ns - w->trace->begin_ns : 0);
    put_time(out, "dur", s->end_ns - s->begin_ns);
    wadi_text_add(out, ", \"name\": ");
    wadi_text_add_json(out, name);
    if (s->elements >= 0)
        wadi_text_addf(out, ", \"args\": {\"elements\": %" PRId64 "}", s->elements);
    wadi_text_add(out, "}");
}

static wadi_status put_lane(writing *w, int thread, const wadi_trace_lane *l, wadi_error *err) {
    char name[sizeof l->kind + sizeof l->name];
    (void)snprintf(name, sizeof name, "%s %s", l->kind, l->name);
    wadi_text_add(&w->text, ",\n");
    name_it(&w->text, "thread_name", thread, name);
    for (int64_t i = 0; i < l->n; i++) {
        put_span(w, thread, &l->at[i]);
        if (w->text.n > LARGE) WADI_TRY(pass_on(w, err));
    }
    return WADI_OK;
}

static wadi_status put_all(writing *w, const char *program, wadi_error *err) {
    int thread = 0;
    wadi_text_add(&w->text, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
    name_it(&w->text, "process_name", 0, program);
    for (const wadi_trace_lane *l = w->trace->first; l != NULL; l = l->next)
        WADI_TRY(put_lane(w, ++thread, l, err));
    wadi_text_add(&w->text, "\n]}\n");
    return pass_on(w, err);
}

wadi_status wadi_trace_write(wadi_trace *t, const char *program, wadi_trace_names names,
                             wadi_trace_writer to, wadi_error *err) {
    writing w = {.trace = t, .names = names, .to = to};
    wadi_mutex_lock(&t->lock);
    const wadi_status status = put_all(&w, program, err);
    wadi_mutex_unlock(&t->lock);
    wadi_text_fini(&w.text);
    return status;
}
