/* See wstack_sort.h: a counting sort, one pass to count and one to fill. */
#include "apps/gridding/wstack_sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

typedef struct where {
    int64_t row, first; /* of the kernel's first point: row of the grid, plane */
} where;

/* The same operations as the program's `first_of` makes, so that both give the same point. */
static double first_point(double at, int support) {
    return ceil(at - 0.5 * support);
}

static bool on_grid(const wstack_plan *p, double coordinate, int64_t *out_first) {
    const double at = (double)(p->grid / 2) - coordinate * (p->scale * (double)p->grid);
    const double first = first_point(at, p->uv.support);
    if (!(first >= 0 && first + p->uv.support <= (double)p->grid)) return false;
    *out_first = (int64_t)first;
    return true;
}

static int64_t first_plane(const wstack_plan *p, double w) {
    return p->flat ? 0 : (int64_t)first_point(w / p->step - 0.5, p->w.support);
}

static int near(const wstack_plan *p) {
    return p->flat ? 1 : p->w.support;
}

static bool within_reach(const wstack_plan *p, double w) {
    return fabs(w) <= p->reach; /* false for a NaN */
}

/* Up to two views of visibility k; 0: outside. */
static int views(const wstack_plan *p, const grid_batch *b, int64_t k, where *out, int *out_flip) {
    int n = 0;
    if (!within_reach(p, b->w[k])) return 0;
    for (int flip = 0; flip < 2; flip++) {
        const double sign = flip ? -1 : 1, w = sign * b->w[k];
        int64_t column = 0;
        where at;
        if (!on_grid(p, sign * b->u[k], &column) || !on_grid(p, sign * b->v[k], &at.row)) return 0;
        at.first = first_plane(p, w);
        if (p->flat ? flip : at.first + near(p) <= 0) continue;
        out[n] = at;
        out_flip[n++] = flip;
    }
    return n;
}

static void each(const wstack_plan *p, const grid_batch *b, wstack_entries *e, bool fill) {
    e->outside = 0;
    for (int64_t k = 0; k < b->n; k++) {
        where at[2];
        int flip[2];
        const int n = views(p, b, k, at, flip);
        if (n == 0) e->outside++;
        for (int i = 0; i < n; i++) {
            const int64_t last = (at[i].row + p->uv.support - 1) / p->tile;
            for (int64_t t = at[i].row / p->tile; t <= last; t++) {
                int64_t *o = &e->offset[t * e->firsts + at[i].first + near(p) - 1];
                if (fill)
                    e->entry[(*o)++] = 2 * k + flip[i];
                else
                    ++*o;
            }
        }
    }
}

double wstack_most_w(const wstack_plan *p, const grid_batch *b) {
    double most = 0;
    for (int64_t k = 0; k < b->n; k++)
        if (!p || within_reach(p, b->w[k])) most = fmax(most, fabs(b->w[k]));
    return most;
}

wadi_status wstack_sort(const wstack_plan *p, const grid_batch *batch, wstack_entries *out,
                        wadi_error *err) {
    *out = (wstack_entries){.planes = wstack_planes_for(p, wstack_most_w(p, batch))};
    out->firsts = out->planes + near(p); /* one to spare for rounding */
    const int64_t n = p->tiles * out->firsts;
    out->offset = calloc((size_t)n + 1, sizeof *out->offset);
    if (!out->offset) return wadi_fail(err, WADI_MEMORY, "wstack: out of memory");
    each(p, batch, out, false);
    for (int64_t i = 0; i <= n; i++) { /* counts become beginnings */
        const int64_t count = out->offset[i];
        out->offset[i] = out->n;
        out->n += count;
    }
    out->entry = malloc(((size_t)out->n + 1) * sizeof *out->entry);
    if (!out->entry) {
        wstack_entries_fini(out);
        return wadi_fail(err, WADI_MEMORY, "wstack: out of memory");
    }
    each(p, batch, out, true);
    memmove(out->offset + 1, out->offset,
            (size_t)n * sizeof *out->offset); /* ends: the next's beginnings */
    out->offset[0] = 0;
    return WADI_OK;
}

void wstack_entries_fini(wstack_entries *e) {
    free(e->entry);
    free(e->offset);
    *e = (wstack_entries){0};
}
