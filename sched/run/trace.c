/* The trace of a run: opened before it begins, written when its threads have ended. */
#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/task.h"
#include "sched/run/state.h"

wadi_status wadi_run_trace_open(wadi_run *x, wadi_error *err) {
    if (x->options.trace == NULL) return WADI_OK;
    WADI_TRY(wadi_outfile_open(x->options.trace, NULL, &x->trace_file, err));
    x->trace = wadi_trace_create(wadi_clock_ns());
    if (x->trace == NULL) return wadi_fail(err, WADI_MEMORY, "trace: out of memory");
    if (x->loader.trace != NULL) x->loader.trace(x->loader.self, x->trace);
    wadi_run_trace_device(x, x->device, x->chosen.name);
    return WADI_OK;
}

void wadi_run_trace_device(wadi_run *x, wadi_device *device, const char *name) {
    if (x->trace == NULL || device->residence == NULL) return;
    wadi_traffic *t = device->residence->traffic;
    t->name = wadi_trace_word(x->trace, name);
    t->trace = t->name != NULL ? x->trace : NULL;
}

/* ---- links to other processes ---- */

static void hear_wait(void *env, const wadi_wait *wait, int64_t begin_ns, int64_t end_ns) {
    const wadi_link_call *c = env;
    char words[160];
    (void)snprintf(words, sizeof words, "waits for %s%s%s%s", wait->what,
                   wait->name != NULL ? " (" : "", wait->name != NULL ? wait->name : "",
                   wait->name != NULL ? ")" : "");
    wadi_trace_add(c->lane, (wadi_trace_what){.name = wadi_trace_word(c->trace, words)}, begin_ns,
                   end_ns, -1);
}

void wadi_run_link_begin(wadi_run *x, wadi_binding *b, wadi_link_call *c) {
    const bool linked = b != NULL && (b->source != NULL ? b->source->linked : b->sink->linked);
    *c = (wadi_link_call){.trace = linked ? x->trace : NULL};
    if (c->trace == NULL) return;
    if (b->link == NULL) {
        char name[160];
        (void)snprintf(name, sizeof name, "%s, %s another process", b->name,
                       b->source != NULL ? "from" : "to");
        b->link = wadi_trace_lane_add(c->trace, "link", name);
    }
    c->lane = b->link;
    c->begin_ns = wadi_clock_ns();
    wadi_waits_listen(hear_wait, c);
}

void wadi_run_link_end(wadi_link_call *c, const char *what, int64_t elements) {
    if (c->trace == NULL) return;
    wadi_waits_listen(NULL, NULL);
    wadi_trace_end(c->lane, what, c->begin_ns, elements);
}

/* ---- the end ---- */

typedef struct naming {
    wadi_profile_rows rows;
    int next; /* behind the row found last: spans mostly come in the order of rows */
} naming;

static const char *name_of(void *env, const void *key) {
    naming *of = env;
    const int n = of->rows.n;
    for (int k = 0, i = of->next; k < n; k++, i++) {
        if (i >= n) i = 0;
        if (of->rows.account[i] != key) continue;
        of->next = i + 1;
        return of->rows.at[i].name;
    }
    return NULL;
}

static wadi_status put(void *env, const wadi_text *part, wadi_error *err) {
    return wadi_outfile_write(env, part->at, part->n, err);
}

static wadi_status write_all(wadi_run *x, wadi_error *err) {
    naming of = {.rows = {.arena = wadi_arena_create()}};
    wadi_profile_rows *rows = &of.rows;
    wadi_status status = wadi_fail(err, WADI_MEMORY, "trace: out of memory");
    for (const wadi_profile *p = x->profiles; rows->arena != NULL && p != NULL; p = p->next)
        wadi_profile_add_rows(p, rows);
    if (rows->arena != NULL && !rows->failed)
        status = wadi_trace_write(x->trace, x->plan->name, (wadi_trace_names){name_of, &of},
                                  (wadi_trace_writer){put, x->trace_file}, err);
    wadi_arena_destroy(rows->arena);
    if (status == WADI_OK) status = wadi_outfile_finish(&x->trace_file, false, err);
    return status;
}

/* A trace that cannot be written is no reason to fail a run that is done. */
void wadi_run_trace_close(wadi_run *x) {
    wadi_error err = {.status = WADI_OK};
    if (x->trace == NULL) return;
    if (x->loader.trace != NULL) x->loader.trace(x->loader.self, NULL);
    const int64_t lost = wadi_trace_lost(x->trace), shared = wadi_trace_shared(x->trace);
    const wadi_task before = wadi_task_begin((wadi_task){.name = "trace"}); /* nobody stops this */
    const wadi_status status = write_all(x, &err);
    wadi_task_end(before);
    if (status != WADI_OK)
        wadi_logf(WADI_LOG_WARNING, "the trace %s is not written: %s", x->options.trace, err.msg);
    else if (lost > 0)
        wadi_logf(WADI_LOG_WARNING,
                  "the trace %s lacks %lld spans: of threads with more than %d, or for which "
                  "memory was short",
                  x->options.trace, (long long)lost, (int)WADI_TRACE_MOST);
    if (status == WADI_OK && shared > 0)
        wadi_logf(WADI_LOG_WARNING,
                  "the trace %s has lanes for the first %d workers elsewhere; %lld items of others "
                  "are in one lane",
                  x->options.trace, (int)WADI_TRACE_NAMES, (long long)shared);
    wadi_trace_forget(x->trace); /* devices refer to it */
}

void wadi_run_trace_fini(wadi_run *x) {
    wadi_outfile_give_up(&x->trace_file);
    if (x->trace != NULL && x->loader.trace != NULL) x->loader.trace(x->loader.self, NULL);
    wadi_trace_destroy(x->trace);
    x->trace = NULL;
}
