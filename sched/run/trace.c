/* The trace of a run: opened before it begins, written when its threads have ended. */
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
    return x->trace != NULL ? WADI_OK : wadi_fail(err, WADI_MEMORY, "trace: out of memory");
}

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
    const int64_t lost = wadi_trace_lost(x->trace);
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
    wadi_run_trace_fini(x);
}

void wadi_run_trace_fini(wadi_run *x) {
    wadi_outfile_give_up(&x->trace_file);
    wadi_trace_destroy(x->trace);
    x->trace = NULL;
}
