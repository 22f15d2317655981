/* The thread that makes images while visibilities arrive. */
#include "apps/gridding/live.h"

#include "base/clock.h"
#include "base/error.h"

static void show_now_and_then(void *env) {
    grid_live *l = env;
    int64_t due = wadi_clock_ns() + l->every_ns;
    wadi_mutex_lock(&l->lock);
    while (!l->stopping) {
        const int64_t left = due - wadi_clock_ns();
        if (left > 0) {
            (void)wadi_condition_wait_for(&l->wake, &l->lock, left);
        } else {
            if (l->failed.status == WADI_OK) (void)!l->show(l->env, &l->failed);
            due = wadi_clock_ns() + l->every_ns;
        }
    }
    wadi_mutex_unlock(&l->lock);
}

wadi_status grid_live_begin(grid_live *l, const grid_method *method, const grid_look *look,
                            double every_s, grid_live_show_fn show, void *env, wadi_error *err) {
    *l = (grid_live){.method = method,
                     .look = look,
                     .every_ns = (int64_t)(every_s * 1e9),
                     .show = show,
                     .env = env};
    WADI_TRY(wadi_mutex_init_with(&l->lock, &l->wake, err));
    l->has_lock = true;
    return wadi_thread_start(&l->thread, show_now_and_then, l, err);
}

void grid_live_fini(grid_live *l) {
    if (!l->has_lock) return;
    wadi_mutex_lock(&l->lock);
    l->stopping = true;
    wadi_condition_signal(&l->wake);
    wadi_mutex_unlock(&l->lock);
    wadi_thread_join(&l->thread);
    if (l->sums.gridder != NULL) l->method->close(l->sums.gridder);
    wadi_mutex_fini_with(&l->lock, &l->wake);
    *l = (grid_live){0};
}

wadi_status grid_live_check(const grid_live *l, wadi_error *err) {
    if (l->failed.status != WADI_OK && err != NULL) *err = l->failed;
    return l->failed.status;
}

bool grid_live_is_on(const grid_live *l) {
    return l->has_lock;
}

/* ---- gridding ---- */

wadi_status grid_live_open(grid_live *l, const grid_job *job, wadi_error *err) {
    if (l->sums.gridder != NULL) l->method->close(l->sums.gridder);
    l->sums = (grid_sums){.geometry = {job->size, job->scale}};
    l->taken = 0;
    return l->method->open(job, &l->sums.gridder, err);
}

/* The batch without its first `from` visibilities. */
static grid_batch rest(const grid_batch *b, int64_t from) {
    return (grid_batch){.n = b->n - from,
                        .u = b->u + from,
                        .v = b->v + from,
                        .w = b->w + from,
                        .vis = b->vis + 2 * from,
                        .weight = b->weight + from,
                        .pair = b->pair + 2 * from,
                        .time = b->time + from,
                        .frequency = b->frequency + from};
}

wadi_status grid_live_look(grid_live *l, const grid_store *s, wadi_error *err) {
    grid_store fresh = {.n = s->n - l->seen};
    if (fresh.n == 0) return WADI_OK;
    for (int f = 0; f < GRID_FIELDS; f++)
        fresh.column[f] = (char *)s->column[f] + l->seen * wadi_type_size(grid_field_type[f]);
    WADI_TRY(grid_limits_add(&l->limits, l->look, &fresh, err));
    l->seen = s->n;
    return WADI_OK;
}

wadi_status grid_live_take(grid_live *l, grid_store *s, wadi_error *err) {
    grid_batch all;
    if (s->n == l->taken) return WADI_OK;
    WADI_TRY(grid_live_look(l, s, err));
    WADI_TRY(grid_store_batch(s, &all, err));
    const grid_batch fresh = rest(&all, l->taken);
    WADI_TRY(l->method->add(l->sums.gridder, &fresh, err));
    l->sums.weight = l->sums.variance = l->limits.weight;
    l->taken = s->n;
    l->unseen = true;
    return WADI_OK;
}

/* store: a copy, whose weights become those of the image. */
static wadi_status grid_weighed_store(grid_live *l, grid_density *d, grid_store *store,
                                      wadi_error *err) {
    grid_weighed done = {0};
    grid_batch batch;
    WADI_TRY(grid_density_add(d, store, err));
    WADI_TRY(grid_density_apply(d, store, &done, err));
    l->sums.outside = done.outside;
    l->sums.weight = done.weight;
    l->sums.variance = done.variance;
    if (store->n == 0) return WADI_OK;
    WADI_TRY(grid_store_batch(store, &batch, err));
    return l->method->add(l->sums.gridder, &batch, err);
}

wadi_status grid_live_weigh(grid_live *l, const grid_store *s, const grid_weigher *by,
                            int64_t memory, wadi_error *err) {
    const grid_geometry *g = &l->sums.geometry;
    grid_density *density = NULL;
    grid_store copy;
    WADI_TRY(grid_live_look(l, s, err));
    grid_store_init(&copy, s->n);
    wadi_status status = grid_store_append(&copy, s->column, 0, s->n, err);
    if (status == WADI_OK)
        status = grid_density_create(by, g->size, g->scale, memory, &density, err);
    if (status == WADI_OK) status = grid_weighed_store(l, density, &copy, err);
    grid_density_destroy(density);
    grid_store_fini(&copy);
    l->taken = s->n;
    l->unseen = true;
    return status;
}

void grid_live_forget(grid_live *l) {
    l->seen = l->taken = 0;
}
