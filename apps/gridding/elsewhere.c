/* The thread of the run, and handing parts over to its source: who gives waits until the source has copied. So no part is kept beside those
 * in flight, which the run counts. */
#include "apps/gridding/elsewhere.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/task.h"
#include "base/thread.h"

static const int64_t look_ns = 50000000; /* how often who waits looks whether it was stopped */

struct grid_elsewhere {
    int columns;
    grid_elsewhere_take_fn take;
    void *env;
    wadi_stop *stop; /* of the task that has opened it */
    wadi_source *source;
    wadi_sink *sink;
    wadi_run *run;
    wadi_thread thread;
    wadi_mutex lock; /* guards what follows */
    wadi_condition changed;
    bool locks;             /* both exist */
    const wadi_array *part; /* waits for the source; NULL: none */
    bool ended;             /* no more come */
    bool over;              /* the run is */
    wadi_error failed;      /* of the run; status WADI_OK: none */
};

/* ---- in the run ---- */

/* Whether there is a part, sooner or later. By the lock. */
static wadi_status wait_for_part(grid_elsewhere *e, wadi_error *err) {
    wadi_status status = WADI_OK;
    if (e->part != NULL || e->ended) return WADI_OK;
    const int ticket = wadi_task_idle("the next part of the observation", -1, NULL);
    while (status == WADI_OK && e->part == NULL && !e->ended) {
        (void)wadi_condition_wait_for(&e->changed, &e->lock, look_ns);
        status = wadi_task_check(err);
    }
    wadi_task_go_on(ticket);
    return status;
}

static wadi_status copy(const grid_elsewhere *e, wadi_yield *yield, wadi_error *err) {
    for (int i = 0; i < e->columns; i++) {
        const wadi_array *from = &e->part[i];
        wadi_array to;
        int64_t n = wadi_type_size(from->type[0]);
        WADI_TRY(wadi_yield_array(yield, i, from->shape, &to, err));
        for (int d = 0; d < from->rank; d++) n *= from->shape[d];
        if (n > 0) memcpy(to.column[0], from->column[0], (size_t)n);
    }
    /* what comes behind it takes as long to come as a batch takes to be read */
    wadi_yield_flush(yield);
    return WADI_OK;
}

static wadi_status pull(void *env, int64_t index, wadi_yield *yield, wadi_error *err) {
    grid_elsewhere *e = env;
    WADI_UNUSED(index);
    wadi_mutex_lock(&e->lock);
    wadi_status status = wait_for_part(e, err);
    if (status == WADI_OK && e->part != NULL) status = copy(e, yield, err);
    e->part = NULL;
    wadi_condition_broadcast(&e->changed);
    wadi_mutex_unlock(&e->lock);
    return status;
}

static wadi_status push(void *env, int64_t index, int parts, const wadi_array *element,
                        wadi_error *err) {
    const grid_elsewhere *e = env;
    WADI_UNUSED(index);
    WADI_UNUSED(parts);
    return e->take(e->env, element, err);
}

static void go(void *env) {
    grid_elsewhere *e = env;
    wadi_error err = {.status = WADI_OK};
    const wadi_task before = wadi_task_begin((wadi_task){.name = "parts", .stop = e->stop});
    const wadi_status status = wadi_run_go(e->run, &err);
    wadi_task_end(before);
    wadi_mutex_lock(&e->lock);
    e->over = true;
    e->part = NULL;
    if (status != WADI_OK) e->failed = err;
    wadi_condition_broadcast(&e->changed);
    wadi_mutex_unlock(&e->lock);
}

/* ---- opening ---- */

static wadi_status make_lock(grid_elsewhere *e, wadi_error *err) {
    WADI_TRY(wadi_mutex_init_with(&e->lock, &e->changed, err));
    e->locks = true;
    return WADI_OK;
}

static wadi_status make_run(grid_elsewhere *e, const grid_elsewhere_options *o, wadi_error *err) {
    wadi_via_keys keys;
    wadi_run_options run = o->run;
    run.chunk = 1;
    run.policy = "fixed";
    wadi_status status = wadi_via_fill(o->via, &keys, &run, err);
    if (status == WADI_OK) status = wadi_run_create(o->exe, &run, &e->run, err);
    wadi_via_keys_fini(&keys);
    WADI_TRY(status);
    return grid_bind_all(e->run, o->bounds, o->bound, err);
}

static wadi_status open_all(grid_elsewhere *e, const grid_elsewhere_options *o, wadi_error *err) {
    WADI_TRY(make_lock(e, err));
    WADI_TRY(wadi_source_callback(o->columns, o->column, pull, e, &e->source, err));
    WADI_TRY(wadi_sink_callback(push, e, &e->sink, err));
    WADI_TRY(make_run(e, o, err));
    WADI_TRY(wadi_run_source(e->run, "parts", e->source, err));
    WADI_TRY(wadi_run_sink(e->run, "images", e->sink, err));
    return wadi_thread_start(&e->thread, go, e, err);
}

wadi_status grid_elsewhere_open(const grid_elsewhere_options *o, grid_elsewhere **out,
                                wadi_error *err) {
    grid_elsewhere *e = calloc(1, sizeof *e);
    if (e == NULL) return wadi_fail(err, WADI_MEMORY, "workers elsewhere: out of memory");
    *e = (grid_elsewhere){
        .columns = o->columns, .take = o->take, .env = o->env, .stop = wadi_task_now()->stop};
    const wadi_status status = open_all(e, o, err);
    if (status == WADI_OK)
        *out = e;
    else
        grid_elsewhere_close(e);
    return status;
}

void grid_elsewhere_close(grid_elsewhere *owned_e) {
    grid_elsewhere *e = owned_e;
    if (e == NULL) return;
    if (e->run != NULL) wadi_run_cancel(e->run);
    wadi_thread_join(&e->thread);
    wadi_run_destroy(e->run);
    wadi_sink_destroy(e->sink);
    wadi_source_destroy(e->source);
    if (e->locks) wadi_mutex_fini_with(&e->lock, &e->changed);
    free(e);
}

/* ---- giving ---- */

/* By the lock. */
static wadi_status outcome(const grid_elsewhere *e, wadi_error *err) {
    if (e->failed.status != WADI_OK && err != NULL) *err = e->failed;
    return e->failed.status;
}

wadi_status grid_elsewhere_give(grid_elsewhere *e, const wadi_array *part, wadi_error *err) {
    wadi_mutex_lock(&e->lock);
    if (!e->over) e->part = part;
    wadi_condition_broadcast(&e->changed);
    const int ticket = wadi_task_wait("a part to be sent", -1, NULL);
    while (e->part != NULL) wadi_condition_wait(&e->changed, &e->lock);
    wadi_task_go_on(ticket);
    const wadi_status status = outcome(e, err);
    wadi_mutex_unlock(&e->lock);
    return status;
}

wadi_status grid_elsewhere_end(grid_elsewhere *e, wadi_error *err) {
    wadi_mutex_lock(&e->lock);
    e->ended = true;
    wadi_condition_broadcast(&e->changed);
    const int ticket = wadi_task_wait("the last parts", -1, NULL);
    while (!e->over) wadi_condition_wait(&e->changed, &e->lock);
    wadi_task_go_on(ticket);
    const wadi_status status = outcome(e, err);
    wadi_mutex_unlock(&e->lock);
    return status;
}
