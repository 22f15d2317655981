/* Keeping spans, and writing them as a list of JSON objects, one to a line. */
#include "sched/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"

typedef struct span {
    wadi_trace_what what;
    int64_t begin_ns, end_ns;
    wadi_trace_amount amount;
} span;

struct wadi_trace_lane {
    char kind[24], name[128];
    int number;  /* of those of this name that are shared, from 1; 0: it is not */
    bool others; /* several names share it */
    span *at;
    int64_t n, room, lost;
    int64_t end_ns; /* shared: of the span that ends last */
    int64_t turn;   /* of the last span */
    wadi_trace_lane *next;
};

typedef struct word {
    struct word *next;
    char at[];
} word;

struct wadi_trace {
    wadi_mutex lock; /* of the list, of shared lanes and words */
    wadi_trace_lane *first, **last;
    word *words;
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
    while (t->words != NULL) {
        word *w = t->words;
        t->words = w->next;
        free(w);
    }
    wadi_mutex_fini(&t->lock);
    free(t);
}

/* By the lock. */
static wadi_trace_lane *add_lane(wadi_trace *t, const char *kind, const char *name, int number) {
    wadi_trace_lane *l = calloc(1, sizeof *l);
    if (l == NULL) return NULL;
    (void)snprintf(l->kind, sizeof l->kind, "%s", kind);
    (void)snprintf(l->name, sizeof l->name, "%s", name);
    l->number = number;
    *t->last = l;
    t->last = &l->next;
    return l;
}

void wadi_trace_forget(wadi_trace *t) {
    wadi_mutex_lock(&t->lock);
    for (wadi_trace_lane *l = t->first; l != NULL; l = l->next) {
        free(l->at);
        l->at = NULL;
        l->n = l->room = WADI_TRACE_MOST; /* it is full */
    }
    wadi_mutex_unlock(&t->lock);
}

wadi_trace_lane *wadi_trace_lane_add(wadi_trace *t, const char *kind, const char *name) {
    if (t == NULL) return NULL;
    wadi_mutex_lock(&t->lock);
    wadi_trace_lane *l = add_lane(t, kind, name, 0);
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

static void add(wadi_trace_lane *l, wadi_trace_what what, int64_t begin_ns, int64_t end_ns,
                wadi_trace_amount amount) {
    if (l == NULL) return;
    if (has_room(l))
        l->at[l->n++] = (span){what, begin_ns, end_ns, amount};
    else
        l->lost++;
}

void wadi_trace_add(wadi_trace_lane *l, wadi_trace_what what, int64_t begin_ns, int64_t end_ns,
                    int64_t elements) {
    add(l, what, begin_ns, end_ns,
        (wadi_trace_amount){.unit = elements >= 0 ? "elements" : NULL, .n = elements});
}

void wadi_trace_extend(wadi_trace_lane *l, const void *key, int64_t turn, int64_t begin_ns,
                       int64_t end_ns) {
    if (l == NULL) return;
    if (l->n > 0 && l->at[l->n - 1].what.key == key && l->turn == turn) {
        l->at[l->n - 1].end_ns = end_ns;
        return;
    }
    l->turn = turn;
    wadi_trace_add(l, (wadi_trace_what){.key = key}, begin_ns, end_ns, -1);
}

/* ---- what is shared ---- */

/* By the lock. */
static const char *find_word(const wadi_trace *t, const char *words) {
    const word *w = t->words;
    while (w != NULL && strcmp(w->at, words) != 0) w = w->next;
    return w != NULL ? w->at : NULL;
}

/* By the lock. */
static const char *add_word(wadi_trace *t, const char *words) {
    const size_t n = strlen(words) + 1;
    word *w = malloc(sizeof *w + n);
    if (w == NULL) return NULL;
    memcpy(w->at, words, n);
    w->next = t->words;
    t->words = w;
    return w->at;
}

const char *wadi_trace_word(wadi_trace *t, const char *words) {
    if (t == NULL) return NULL;
    wadi_mutex_lock(&t->lock);
    const char *found = find_word(t, words);
    if (found == NULL) found = add_word(t, words);
    wadi_mutex_unlock(&t->lock);
    return found;
}

/* The first that is free at begin_ns; `any`: just the first. By the lock. */
static wadi_trace_lane *find_shared(wadi_trace *t, const char *kind, const char *of,
                                    int64_t begin_ns, bool any) {
    int number = 0;
    for (wadi_trace_lane *l = t->first; l != NULL; l = l->next) {
        if (l->number == 0 || strcmp(l->kind, kind) != 0 ||
            strncmp(l->name, of, sizeof l->name - 1) != 0)
            continue;
        if (any || l->end_ns <= begin_ns) return l;
        number = l->number;
    }
    return add_lane(t, kind, of, number + 1);
}

void wadi_trace_add_shared(wadi_trace *t, const char *kind, const char *of, const char *name,
                           int64_t begin_ns, int64_t end_ns, wadi_trace_amount amount) {
    if (t == NULL || name == NULL) return;
    wadi_mutex_lock(&t->lock);
    wadi_trace_lane *l = find_shared(t, kind, of, begin_ns, begin_ns == end_ns);
    add(l, (wadi_trace_what){.name = name}, begin_ns, end_ns, amount);
    if (l != NULL && end_ns > l->end_ns && end_ns != begin_ns) l->end_ns = end_ns;
    wadi_mutex_unlock(&t->lock);
}

/* The lane for that name of what comes from elsewhere. By the lock. */
static wadi_trace_lane *lane_of(wadi_trace *t, const char *kind, const char *of) {
    int n = 0;
    for (wadi_trace_lane *l = t->first; l != NULL; l = l->next) {
        if (l->number == 0 || strcmp(l->kind, kind) != 0) continue;
        if (!l->others && strncmp(l->name, of, sizeof l->name - 1) == 0) return l;
        n += !l->others;
    }
    if (n < WADI_TRACE_NAMES) return add_lane(t, kind, of, 1);
    for (wadi_trace_lane *l = t->first; l != NULL; l = l->next)
        if (l->others && strcmp(l->kind, kind) == 0) return l;
    wadi_trace_lane *l = add_lane(t, kind, "others", 1);
    if (l != NULL) l->others = true;
    return l;
}

void wadi_trace_add_behind(wadi_trace *t, const char *kind, const char *of, const char *name,
                           int64_t begin_ns, int64_t end_ns, wadi_trace_amount amount) {
    if (t == NULL || name == NULL) return;
    wadi_mutex_lock(&t->lock);
    wadi_trace_lane *l = lane_of(t, kind, of);
    if (l != NULL && begin_ns < l->end_ns) begin_ns = l->end_ns < end_ns ? l->end_ns : end_ns;
    add(l, (wadi_trace_what){.name = name}, begin_ns, end_ns, amount);
    if (l != NULL && end_ns > l->end_ns) l->end_ns = end_ns;
    wadi_mutex_unlock(&t->lock);
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

int64_t wadi_trace_shared(wadi_trace *t) {
    int64_t shared = 0;
    wadi_mutex_lock(&t->lock);
    for (const wadi_trace_lane *l = t->first; l != NULL; l = l->next)
        if (l->others) shared += l->n;
    wadi_mutex_unlock(&t->lock);
    return shared;
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
    /* Workers tell how long an item took, which may be longer than there is a trace. */
    const int64_t begin_ns = s->begin_ns > w->trace->begin_ns ? s->begin_ns : w->trace->begin_ns,
                  end_ns = s->end_ns > begin_ns ? s->end_ns : begin_ns;
    const bool moment = begin_ns == end_ns;
    wadi_text_addf(out, ",\n{\"ph\": \"%s\", \"pid\": 1, \"tid\": %d", moment ? "i" : "X", thread);
    put_time(out, "ts", begin_ns - w->trace->begin_ns);
    if (moment)
        wadi_text_add(out, ", \"s\": \"t\"");
    else
        put_time(out, "dur", end_ns - begin_ns);
    wadi_text_add(out, ", \"name\": ");
    wadi_text_add_json(out, name);
    if (s->amount.unit != NULL)
        wadi_text_addf(out, ", \"args\": {\"%s\": %" PRId64, s->amount.unit, s->amount.n);
    if (s->amount.numbered) wadi_text_addf(out, ", \"item\": %" PRId64, s->amount.item);
    if (s->amount.unit != NULL) wadi_text_add(out, "}");
    wadi_text_add(out, "}");
}

/* What is around something comes before it: it was added behind it, as it has ended later, and not all viewers look at lengths where two begin at once. */
static int outer_first(const void *a, const void *b) {
    const span *x = a, *y = b;
    if (x->begin_ns != y->begin_ns) return x->begin_ns < y->begin_ns ? -1 : 1;
    return x->end_ns > y->end_ns ? -1 : x->end_ns < y->end_ns;
}

static wadi_status put_lane(writing *w, int thread, wadi_trace_lane *l, wadi_error *err) {
    char name[sizeof l->kind + sizeof l->name + 16];
    (void)snprintf(name, sizeof name, l->number > 1 ? "%s %s, %d" : "%s %s", l->kind, l->name,
                   l->number);
    wadi_text_add(&w->text, ",\n");
    name_it(&w->text, "thread_name", thread, name);
    if (l->n > 0) qsort(l->at, (size_t)l->n, sizeof *l->at, outer_first);
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
    for (wadi_trace_lane *l = w->trace->first; l != NULL; l = l->next)
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
