/* Views of the runs are taken while the list of runs is held, and told after that. So a run that ends waits for the copies, and never for whoever
 * reads the answer. */
#include "sched/watch/answer.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/args.h"
#include "base/error.h"
#include "sched/watch/json.h"
#include "sched/watch/metrics.h"
#include "sched/watch/runs.h"
#include "sched/watch/screen.h"
#include "sched/watch/tap.h"
#include "sched/watch/why.h"
#include "sched/watch/words.h"

enum { WORDS = 256 /* bytes of a request */ };

typedef struct request {
    const char *process, *verb;
    int64_t run;       /* 0: all */
    const char *stage; /* NULL: none */
    wadi_watch_screen screen;
} request;

static bool (*_Atomic drain_program)(bool now); /* NULL: there is only draining of runs */

void wadi_watch_drain_by(bool (*drain)(bool now)) {
    atomic_store(&drain_program, drain);
}

bool wadi_watch_program_drains(bool now) {
    bool (*drain)(bool now) = atomic_load(&drain_program);
    return drain != NULL && drain(now);
}

/* ---- views of runs ---- */

typedef struct views {
    int64_t run; /* wanted; 0: all */
    WADI_VEC(wadi_view) at;
    wadi_status status;
    wadi_error *err;
} views;

static wadi_status take_view(wadi_run *run, wadi_view *out, wadi_error *err) {
    WADI_TRY(wadi_view_take(run, out, err));
    out->saved = out->saved || wadi_watch_program_drains(false);
    return WADI_OK;
}

static bool add_view(void *env, struct wadi_run *run, int64_t id) {
    views *w = env;
    wadi_view v;
    if (w->run != 0 && w->run != id) return true;
    w->status = take_view(run, &v, w->err);
    if (w->status != WADI_OK) return false;
    if (wadi_vec_push(&w->at, v)) return true;
    wadi_view_fini(&v);
    w->status = wadi_fail(w->err, WADI_MEMORY, "view: out of memory");
    return false;
}

static void drop_views(views *w) {
    for (size_t i = 0; i < w->at.n; i++) wadi_view_fini(&w->at.at[i]);
    wadi_vec_free(&w->at);
}

static wadi_status no_such_run(const request *q, wadi_error *err) {
    if (q->run == 0) return wadi_fail(err, WADI_INVALID, "%s has no run under way", q->process);
    return wadi_fail(err, WADI_INVALID, "%s has no run %lld under way", q->process,
                     (long long)q->run);
}

static wadi_status take_views(const request *q, views *out, wadi_error *err) {
    *out = (views){.run = q->run, .err = err};
    wadi_watch_each(add_view, out);
    if (out->status == WADI_OK && q->run != 0 && out->at.n == 0) out->status = no_such_run(q, err);
    if (out->status != WADI_OK) drop_views(out);
    return out->status;
}

/* ---- what is told ---- */

static void tell_list(const request *q, const wadi_view *v, size_t n, wadi_text *out) {
    (void)q;
    for (size_t i = 0; i < n; i++) {
        wadi_text_addf(out, "%lld ", (long long)v[i].id);
        wadi_watch_plain(out, v[i].name);
        wadi_text_addf(out, "  %s  %s  %s elements\n", wadi_view_state_name(v[i].state),
                       wadi_watch_seconds(v[i].stats.elapsed_s).at,
                       wadi_watch_count((double)v[i].stats.elements).at);
    }
}

static void tell_json(const request *q, const wadi_view *v, size_t n, wadi_text *out) {
    wadi_text_add(out, "{\"process\": ");
    wadi_text_add_json(out, q->process);
    wadi_text_addf(out, ", \"pid\": %ld, \"runs\": [", (long)getpid());
    for (size_t i = 0; i < n; i++) {
        if (i > 0) wadi_text_add(out, ", ");
        wadi_watch_json(&v[i], out);
    }
    wadi_text_add(out, "]}\n");
}

static void tell_metrics(const request *q, const wadi_view *v, size_t n, wadi_text *out) {
    (void)q;
    wadi_watch_metrics(v, n, out);
}

static void tell_why(const request *q, const wadi_view *v, size_t n, wadi_text *out) {
    (void)q;
    for (size_t i = 0; i < n; i++) {
        wadi_watch_plain(out, v[i].name);
        wadi_text_add(out, ": ");
        wadi_watch_why(&v[i], out);
        wadi_text_add(out, "\n");
    }
}

static void tell_screen(const request *q, const wadi_view *v, size_t n, wadi_text *out) {
    for (size_t i = 0; i < n; i++) {
        wadi_watch_pace *pace = calloc(1, sizeof *pace);
        out->failed = out->failed || pace == NULL;
        if (pace == NULL) return;
        wadi_watch_pace_of(&v[i], pace);
        if (i > 0) wadi_text_add(out, "\n");
        wadi_watch_draw(&v[i], pace, &q->screen, out);
        free(pace);
    }
}

/* ---- what is done ---- */

typedef struct doing {
    const request *q;
    wadi_status (*act)(wadi_run *run, wadi_error *err);
    int n; /* runs that it was done to */
    wadi_status status;
    wadi_error *err;
} doing;

static wadi_status pause_run(wadi_run *run, wadi_error *err) {
    (void)err;
    wadi_run_pause(run);
    return WADI_OK;
}

static wadi_status resume_run(wadi_run *run, wadi_error *err) {
    (void)err;
    wadi_run_resume(run);
    return WADI_OK;
}

static wadi_status drain_run(wadi_run *run, wadi_error *err) {
    if (!wadi_view_can_drain(run))
        return wadi_fail(err, WADI_INVALID,
                         "the run is not saved (--state), so it cannot be drained");
    wadi_run_drain(run);
    return WADI_OK;
}

static bool do_to(void *env, struct wadi_run *run, int64_t id) {
    doing *d = env;
    if (d->q->run != 0 && d->q->run != id) return true;
    d->n++;
    d->status = d->act(run, d->err);
    return d->status == WADI_OK;
}

/* ---- what is looked at ---- */

static wadi_status look_at_tap(const request *q, wadi_text *out, wadi_error *err) {
    if (q->stage == NULL) return wadi_fail(err, WADI_INVALID, "tap: stage=NUMBER is missing");
    return wadi_watch_tap(q->run, q->stage, out, err);
}

/* ---- the table of verbs ---- */

typedef struct verb {
    const char *name;
    void (*tell)(const request *q, const wadi_view *v, size_t n, wadi_text *out);
    wadi_status (*act)(wadi_run *run, wadi_error *err);
    wadi_status (*look)(const request *q, wadi_text *out, wadi_error *err);
} verb;

static const verb verbs[] = {
    {"list", tell_list, NULL},    {"json", tell_json, NULL},     {"metrics", tell_metrics, NULL},
    {"why", tell_why, NULL},      {"screen", tell_screen, NULL}, {"pause", NULL, pause_run},
    {"resume", NULL, resume_run}, {"drain", NULL, drain_run},    {"tap", NULL, NULL, look_at_tap},
};

static wadi_status tell(const verb *b, const request *q, wadi_text *out, wadi_error *err) {
    views w;
    WADI_TRY(take_views(q, &w, err));
    b->tell(q, w.at.at, w.at.n, out);
    drop_views(&w);
    return out->failed ? wadi_fail(err, WADI_MEMORY, "view: out of memory") : WADI_OK;
}

static wadi_status find_run(wadi_run *run, wadi_error *err) {
    WADI_UNUSED(run);
    WADI_UNUSED(err);
    return WADI_OK;
}

static bool is_there(const request *q) {
    doing d = {.q = q, .act = find_run};
    if (q->run == 0) return true;
    wadi_watch_each(do_to, &d);
    return d.n > 0;
}

static wadi_status act(const verb *b, const request *q, wadi_error *err) {
    doing d = {.q = q, .act = b->act, .err = err};
    if (b->act == drain_run && is_there(q) && wadi_watch_program_drains(true)) return WADI_OK;
    wadi_watch_each(do_to, &d);
    return d.n == 0 ? no_such_run(q, err) : d.status;
}

/* ---- reading a request ---- */

static bool take_value(request *q, const char *name, const char *value) {
    int64_t n = 0;
    if (strcmp(name, "sort") == 0) {
        const int sort = wadi_watch_find_sort(value);
        if (sort >= 0) q->screen.sort = (wadi_watch_sort)sort;
        return sort >= 0;
    }
    if (strcmp(name, "stage") == 0) {
        q->stage = value;
        return true;
    }
    if (!wadi_args_number(value, 0, INT64_MAX, &n)) return false;
    const int size = n < 10000 ? (int)n : 10000;
    if (strcmp(name, "run") == 0)
        q->run = n;
    else if (strcmp(name, "width") == 0)
        q->screen.width = size;
    else if (strcmp(name, "height") == 0)
        q->screen.height = size;
    else if (strcmp(name, "utf8") == 0)
        q->screen.utf8 = n != 0;
    else
        return false;
    return true;
}

static wadi_status read_request(char *words, request *q, wadi_error *err) {
    char *rest = NULL;
    q->verb = strtok_r(words, " ", &rest);
    if (q->verb == NULL) return wadi_fail(err, WADI_INVALID, "the request is empty");
    for (char *word; (word = strtok_r(NULL, " ", &rest)) != NULL;) {
        char *value = strchr(word, '=');
        if (value != NULL) *value++ = '\0';
        if (value == NULL || !take_value(q, word, value))
            return wadi_fail(err, WADI_INVALID, "%.40s: no such value of a request", word);
    }
    return WADI_OK;
}

/* words: room for them, to which the request points. *out_verb is that of the table. */
static wadi_status take_request(const char *process, const char *asked, char words[WORDS],
                                request *out, const verb **out_verb, wadi_error *err) {
    *out = (request){.process = process, .screen = {.width = 100}};
    if (strlen(asked) >= WORDS) return wadi_fail(err, WADI_INVALID, "the request is too long");
    strcpy(words, asked);
    WADI_TRY(read_request(words, out, err));
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        *out_verb = &verbs[i];
        if (strcmp(verbs[i].name, out->verb) == 0) return WADI_OK;
    }
    return wadi_fail(err, WADI_INVALID, "%.40s: there is no such request", out->verb);
}

wadi_status wadi_watch_answer(const char *process, const char *asked, wadi_text *out,
                              wadi_error *err) {
    char words[WORDS];
    request q;
    const verb *b = NULL;
    WADI_TRY(take_request(process, asked, words, &q, &b, err));
    if (b->look != NULL) return b->look(&q, out, err);
    return b->tell != NULL ? tell(b, &q, out, err) : act(b, &q, err);
}

wadi_status wadi_watch_answer_of(wadi_run *run, const char *process, const char *asked,
                                 wadi_text *out, wadi_error *err) {
    char words[WORDS];
    request q;
    const verb *b = NULL;
    wadi_view v;
    WADI_TRY(take_request(process, asked, words, &q, &b, err));
    if (b->tell == NULL)
        return wadi_fail(err, WADI_INVALID, "%.40s: this is not told of a run alone", q.verb);
    WADI_TRY(take_view(run, &v, err));
    b->tell(&q, &v, 1, out);
    wadi_view_fini(&v);
    return out->failed ? wadi_fail(err, WADI_MEMORY, "view: out of memory") : WADI_OK;
}
