/* See the header. */
#include "apps/gridding/live.h"

#include "base/error.h"

wadi_status grid_live_begin(grid_live *l, const grid_method *method, const grid_job *job,
                            wadi_error *err) {
    *l = (grid_live){.method = method};
    return method->open(job, &l->sums.gridder, err);
}

void grid_live_fini(grid_live *l) {
    if (l->sums.gridder != NULL) l->method->close(l->sums.gridder);
    *l = (grid_live){0};
}

bool grid_live_is_on(const grid_live *l) {
    return l->sums.gridder != NULL;
}

/* The batch without its first `from`. */
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

static void reach(grid_limits *l, const grid_store *s, int64_t from) {
    grid_store fresh = {.n = s->n - from};
    for (int f = 0; f < GRID_FIELDS; f++)
        fresh.column[f] = (char *)s->column[f] + from * wadi_type_size(grid_field_type[f]);
    grid_limits_add(l, &fresh);
}

wadi_status grid_live_take(grid_live *l, grid_store *s, wadi_error *err) {
    grid_batch all;
    if (s->n == l->taken) return WADI_OK;
    WADI_TRY(grid_store_batch(s, &all, err));
    const grid_batch fresh = rest(&all, l->taken);
    WADI_TRY(l->method->add(l->sums.gridder, &fresh, err));
    for (int64_t i = 0; i < fresh.n; i++) l->sums.weight += fresh.weight[i];
    l->sums.variance = l->sums.weight;
    reach(&l->limits, s, l->taken);
    l->taken = s->n;
    return WADI_OK;
}

void grid_live_forget(grid_live *l) {
    l->taken = 0;
}
