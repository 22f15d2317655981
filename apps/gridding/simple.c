/* The method "simple": one kernel for all visibilities, as if the sky were flat (w is not used).
 *
 * The kernel is an exponential of a semicircle, a product of its values in u and v, tabulated at `oversample` places between two
 * cells and interpolated between four of them. The image is divided by its Fourier integral. The remaining error is what the kernel
 * leaks, 3e-4. The result is right where |w| (l^2 + m^2) / 2 is far below 1. */
#include <math.h>
#include <stdlib.h>

#include "apps/gridding/canvas.h"
#include "apps/gridding/geometry.h"
#include "apps/gridding/methods.h"
#include "base/error.h"

enum { OVERSAMPLE = 64, OVERSAMPLE_MOST = 1 << 16 };

struct grid_gridder {
    grid_canvas canvas;
    int oversample, side;
    double *kernel; /* [places, side] */
    wadi_exe *exe;
};

/* ---- the program ---- */

typedef struct flat {
    const grid_gridder *g;
    grid_inputs in;
    wadi_acc kernel;
} flat;

typedef struct spread {
    const flat *f;
    wadi_exp value;
    grid_between y, x;
    wadi_acc down, across; /* [side] */
} spread;

static wadi_exp weight_at(const flat *f, const grid_between *x, wadi_exp i) {
    wadi_exp sum = {0};
    for (int p = 0; p < 4; p++) {
        const wadi_exp place = wadi_add(x->place, wadi_i64(p));
        const wadi_exp term = wadi_mul(x->weight[p], wadi_index2(f->kernel, place, i));
        sum = p == 0 ? term : wadi_add(sum, term);
    }
    return sum;
}

static wadi_exp down_at(void *env, wadi_ix ix) {
    const spread *s = env;
    const wadi_exp weight = weight_at(s->f, &s->y, ix.at[0]);
    return wadi_complex(wadi_mul(wadi_real(s->value), weight),
                        wadi_mul(wadi_imag(s->value), weight));
}

static wadi_exp across_at(void *env, wadi_ix ix) {
    const spread *s = env;
    return weight_at(s->f, &s->x, ix.at[0]);
}

static wadi_exp spread_to(void *env, wadi_ix ix) {
    const spread *s = env;
    const wadi_exp z = wadi_index1(s->down, ix.at[0]), by = wadi_index1(s->across, ix.at[1]);
    return wadi_complex(wadi_mul(wadi_real(z), by), wadi_mul(wadi_imag(z), by));
}

static wadi_acc visibility(void *env, wadi_exp k) {
    const flat *f = env;
    const wadi_exp side = wadi_i64(f->g->side);
    const int places = f->g->oversample;
    spread s = {.f = f, .value = grid_program_value(&f->in, k)};
    s.x = grid_program_between(&f->in, places, wadi_index1(f->in.u, k));
    s.y = grid_program_between(&f->in, places, wadi_index1(f->in.v, k));
    s.down = wadi_compute(wadi_generate_env(wadi_ix1(side), down_at, &s));
    s.across = wadi_compute(wadi_generate_env(wadi_ix1(side), across_at, &s));
    const wadi_exp row = grid_program_row(&f->in, k, s.y.cell, side, wadi_bool(true));
    const wadi_exp column = grid_program_column(&f->in, s.x.cell, side);
    const wadi_acc parts[] = {wadi_unit(row), wadi_unit(column),
                              wadi_generate_env(wadi_ix2(side, side), spread_to, &s)};
    return wadi_tuple(3, parts);
}

static wadi_status compile(grid_gridder *g, wadi_error *err) {
    static const char *const any[] = {NULL, NULL};
    wadi_program *p = wadi_program_create("grid_simple");
    if (!p) return wadi_fail(err, WADI_MEMORY, "out of memory");
    flat f = {g, grid_program_inputs(), wadi_input("kernel", WADI_F64, 2, any)};
    grid_program_scatter(&f.in, g->side, visibility, &f);
    return grid_compile(p, &g->exe, err);
}

/* ---- the method ---- */

static void tabulate(grid_gridder *g) {
    const es_kernel *t = &g->canvas.taper;
    const int64_t middle = grid_between_middle(g->oversample);
    for (int64_t s = 0; s < grid_between_places(g->oversample); s++) {
        for (int j = 0; j < g->side; j++) {
            const double away = j - g->side / 2 - (double)(s - middle) / (double)g->oversample;
            const double x = away / (0.5 * t->support), inside = 1 - x * x;
            g->kernel[s * g->side + j] = inside < 0 ? 0 : exp(t->beta * (sqrt(inside) - 1));
        }
    }
}

static wadi_status prepare(grid_gridder *g, const grid_job *job, wadi_error *err) {
    const int64_t cells = grid_padded(job->size);
    g->oversample = job->oversample > 0 ? job->oversample : OVERSAMPLE;
    if (g->oversample > OVERSAMPLE_MOST)
        return wadi_fail(err, WADI_INVALID, "simple: %d kernels between two cells, at most %d",
                         g->oversample, (int)OVERSAMPLE_MOST);
    WADI_TRY(grid_canvas_init(&g->canvas, job, cells, 0, 0, err));
    g->side = g->canvas.taper.support | 1;
    g->kernel =
        malloc((size_t)grid_between_places(g->oversample) * (size_t)g->side * sizeof *g->kernel);
    if (!g->kernel) return wadi_fail(err, WADI_MEMORY, "simple: out of memory");
    tabulate(g);
    WADI_TRY(compile(g, err));
    wadi_exe_warm(g->exe, &g->canvas.run);
    return grid_canvas_expect(&g->canvas, err);
}

static void simple_close(grid_gridder *g) {
    if (!g) return;
    grid_canvas_fini(&g->canvas); /* its run is one of exe */
    wadi_exe_destroy(g->exe);
    free(g->kernel);
    free(g);
}

static wadi_status simple_open(const grid_job *job, grid_gridder **out, wadi_error *err) {
    grid_gridder *g = calloc(1, sizeof *g);
    if (!g) return wadi_fail(err, WADI_MEMORY, "simple: out of memory");
    const wadi_status st = prepare(g, job, err);
    if (st == WADI_OK)
        *out = g;
    else
        simple_close(g);
    return st;
}

static wadi_status simple_add(grid_gridder *g, const grid_batch *batch, wadi_error *err) {
    const int64_t shape[] = {grid_between_places(g->oversample), g->side};
    const grid_bound kernel = grid_bind("kernel", WADI_F64, 2, shape, g->kernel);
    return grid_canvas_add(&g->canvas, g->exe, batch, 1, &kernel, err);
}

static wadi_status simple_image(grid_gridder *g, double *out, wadi_error *err) {
    return grid_canvas_image(&g->canvas, out, err);
}

static void simple_tell(const grid_gridder *g, grid_tally *out) {
    *out =
        (grid_tally){.kernels = g->oversample, .support_least = g->side, .support_most = g->side};
    grid_canvas_tell(&g->canvas, out);
}

const grid_method grid_simple = {
    .name = "simple",
    .about = "one kernel for all visibilities, without w",
    .open = simple_open,
    .add = simple_add,
    .image = simple_image,
    .tell = simple_tell,
    .close = simple_close,
};
