/* Sorting visibilities by the tiles that they reach: a counting sort, with one pass to count and one to fill. */
#include "apps/gridding/wstack_sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* What a kernel covers, from its first point: rows of the grid, planes; and which view that is. */
typedef struct where {
    int64_t row, first;
    int view;
} where;

enum {
    COPIES = 3,
    VIEWS = 2 * 2 * 2
}; /* a kernel is no wider than the grid: two copies reach it */
static const int periods[COPIES] = {0, 1, -1};

/* The same operations as the program's `first_of` makes, so that both give the same point. */
static double first_point(double at, int support) {
    return ceil(at - 0.5 * support);
}

static int64_t on_grid(const wstack_plan *p, double coordinate) {
    const double at = (double)(p->grid / 2) - coordinate * (p->scale * (double)p->grid);
    return (int64_t)first_point(at, p->uv.support);
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

static bool reaches(const wstack_plan *p, int64_t first) {
    return first < p->grid && first + p->uv.support > 0;
}

/* Adds the copies of a kernel that begins at (row, column). */
static int copies(const wstack_plan *p, int64_t column, where at, where *out) {
    int n = 0;
    for (int y = 0; y < COPIES; y++) {
        const int64_t row = at.row + periods[y] * p->grid;
        for (int x = 0; reaches(p, row) && x < COPIES; x++) {
            if (!reaches(p, column + periods[x] * p->grid)) continue;
            out[n++] = (where){row, at.first, at.view + y * WSTACK_ROWS + x * WSTACK_COLUMNS};
        }
    }
    return n;
}

bool wstack_takes(const wstack_plan *p, const grid_batch *b, int64_t k) {
    return within_reach(p, b->w[k]) && grid_is_inside(p->scale, b->u[k], b->v[k]);
}

static int views(const wstack_plan *p, const grid_batch *b, int64_t k, where *out) {
    int n = 0;
    if (!wstack_takes(p, b, k)) return 0;
    for (int flip = 0; flip < 2; flip++) {
        const double sign = flip ? -1 : 1;
        const where at = {on_grid(p, sign * b->v[k]), first_plane(p, sign * b->w[k]),
                          flip * WSTACK_OPPOSITE};
        if (p->flat ? flip : at.first + near(p) <= 0) continue;
        n += copies(p, on_grid(p, sign * b->u[k]), at, out + n);
    }
    return n;
}

static void each(const wstack_plan *p, const grid_batch *b, wstack_entries *e, bool fill) {
    for (int64_t k = 0; k < b->n; k++) {
        where at[VIEWS];
        const int n = views(p, b, k, at);
        for (int i = 0; i < n; i++) {
            const int64_t below = at[i].row + p->uv.support,
                          last = ((below < p->grid ? below : p->grid) - 1) / p->tile;
            for (int64_t t = at[i].row > 0 ? at[i].row / p->tile : 0; t <= last; t++) {
                int64_t *o = &e->offset[t * e->firsts + at[i].first + near(p) - 1];
                if (fill)
                    e->entry[(*o)++] = k * WSTACK_VIEWS + at[i].view;
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
