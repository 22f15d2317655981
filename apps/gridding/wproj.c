/* The method "wproj": w projection. A visibility's kernel is looked up by its w and by where it lies between cells. Kernels have the
 * support that their w needs, so the elements of the stream differ in shape.
 *
 * The table (wfactor.h) holds kernels as sums of a few products of a line along v and one along u. Lines are interpolated between places
 * and between bins of w. The error of a visibility, relative to its contribution to a pixel, has three parts:
 *
 *   - the leak of the grid's taper, 3e-4 rms;
 *   - the errors of interpolation (wfactor.h): at the edges of the image at most 1.5e-4 with 8 places a cell, and 8e-4 with the bins
 *     chosen here;
 *   - the error of the sum of products, 1e-4.
 *
 * If a support is asked for (job->support), no kernel is wider, and nothing is lost: visibilities go to several planes of the grid, each
 * for the w around its own, so that kernels only correct a w that fits into so many cells. If the largest w is not known beforehand,
 * there is one plane, and kernels of larger w are cut to this support.
 *
 * Visibilities of w < 0 are taken as their conjugates at (-u, -v, -w), which give the same real image.
 *
 * If the largest w is not known beforehand, the table grows with the data. Bins do not depend on what is in the table, so the image
 * does not depend on how the data are cut into batches. */
#include <math.h>
#include <stdlib.h>

#include "apps/gridding/geometry.h"
#include "apps/gridding/methods.h"
#include "apps/gridding/wfactor.h"
#include "apps/gridding/wkernel.h"
#include "base/error.h"

enum { OVERSAMPLE = 8, OVERSAMPLE_MOST = 256 };
static const double most_turn = 0.1; /* radians, at the image's corner, in half a bin of w */

struct grid_gridder {
    grid_canvas canvas;
    grid_wfactor_plan plan;
    grid_wfactors table;
    double most_w; /* beyond, kernels do not fit on the grid */
    bool grows;
    wadi_exe *exe;
};

/* ---- the program ---- */

typedef struct projection {
    const grid_gridder *g;
    grid_inputs in;
    grid_wfactor_inputs table;
    wadi_acc spacing;
} projection;

/* One visibility. */
typedef struct spread {
    const projection *p;
    wadi_exp re, im; /* its value */
    wadi_exp sign;   /* of w within its plane */
    grid_wchoice w;
    grid_between y, x;
    wadi_acc down, across_re, across_im; /* [products, support] */
} spread;

/* The lines along v, times the value. */
static wadi_exp down_at(void *env, wadi_ix ix) {
    const spread *s = env;
    const grid_wfactor_inputs *t = &s->p->table;
    const wadi_exp re = grid_program_wline(t, &s->w, &s->y, ix.at[0], false, ix.at[1]);
    const wadi_exp line = grid_program_wline(t, &s->w, &s->y, ix.at[0], true, ix.at[1]);
    return wadi_mul(wadi_complex(s->re, s->im), wadi_complex(re, wadi_mul(s->sign, line)));
}

static wadi_exp across_re_at(void *env, wadi_ix ix) {
    const spread *s = env;
    return grid_program_wline(&s->p->table, &s->w, &s->x, ix.at[0], false, ix.at[1]);
}

static wadi_exp across_im_at(void *env, wadi_ix ix) {
    const spread *s = env;
    return wadi_mul(s->sign,
                    grid_program_wline(&s->p->table, &s->w, &s->x, ix.at[0], true, ix.at[1]));
}

static wadi_exp spread_to(void *env, wadi_ix ix) {
    const spread *s = env;
    wadi_exp sum = {0};
    for (int r = 0; r < s->p->g->plan.products; r++) {
        const wadi_exp down = wadi_index2(s->down, wadi_i64(r), ix.at[0]);
        const wadi_exp across = wadi_complex(wadi_index2(s->across_re, wadi_i64(r), ix.at[1]),
                                             wadi_index2(s->across_im, wadi_i64(r), ix.at[1]));
        const wadi_exp term = wadi_mul(down, across);
        sum = r == 0 ? term : wadi_add(sum, term);
    }
    return sum;
}

/* The plane of a w >= 0. *w becomes the w relative to that plane. */
static wadi_exp plane_of(const projection *p, wadi_exp *w) {
    const wadi_exp spacing = wadi_the(p->spacing), rows = wadi_extent(p->in.grid, 0);
    const wadi_exp last = wadi_sub(wadi_quot(rows, wadi_extent(p->in.grid, 1)), wadi_i64(1));
    const wadi_exp steps = wadi_floor(wadi_add(wadi_div(*w, spacing), wadi_f64(0.5)));
    const wadi_exp plane = wadi_min(wadi_convert(WADI_I64, steps), last);
    *w = wadi_sub(*w, wadi_mul(wadi_convert(WADI_F64, plane), spacing));
    return plane;
}

static wadi_exp sign_of(wadi_exp x) {
    return wadi_cond(wadi_lt(x, wadi_f64(0)), wadi_f64(-1), wadi_f64(1));
}

static wadi_acc visibility(void *env, wadi_exp k) {
    const projection *p = env;
    const int places = p->g->plan.oversample;
    const wadi_exp side = sign_of(wadi_index1(p->in.w, k));
    const wadi_exp value = grid_program_value(&p->in, k);
    wadi_exp w = wadi_abs(wadi_index1(p->in.w, k));
    const wadi_exp plane = plane_of(p, &w);
    spread s = {.p = p, .re = wadi_real(value), .im = wadi_mul(side, wadi_imag(value))};
    s.sign = sign_of(w);
    s.w = grid_program_wchoice(&p->table, wadi_abs(w));
    s.x = grid_program_between(&p->in, places, wadi_mul(side, wadi_index1(p->in.u, k)));
    s.y = grid_program_between(&p->in, places, wadi_mul(side, wadi_index1(p->in.v, k)));
    const wadi_exp row = grid_program_row(&p->in, k, s.y.cell, s.w.support, s.w.known);
    const wadi_exp inside = wadi_ge(row, wadi_i64(0));
    const wadi_exp cells = wadi_cond(inside, s.w.support, wadi_i64(0));
    const wadi_exp below = wadi_mul(plane, wadi_extent(p->in.grid, 1));
    const wadi_exp column = grid_program_column(&p->in, s.x.cell, s.w.support);
    const wadi_ix lines = wadi_ix2(wadi_i64(p->g->plan.products), cells);
    s.down = wadi_compute(wadi_generate_env(lines, down_at, &s));
    s.across_re = wadi_compute(wadi_generate_env(lines, across_re_at, &s));
    s.across_im = wadi_compute(wadi_generate_env(lines, across_im_at, &s));
    const wadi_acc parts[] = {wadi_unit(wadi_cond(inside, wadi_add(row, below), row)),
                              wadi_unit(column),
                              wadi_generate_env(wadi_ix2(cells, cells), spread_to, &s)};
    return wadi_tuple(3, parts);
}

static wadi_status compile(grid_gridder *g, wadi_error *err) {
    wadi_program *p = wadi_program_create("grid_wproj");
    if (!p) return wadi_fail(err, WADI_MEMORY, "out of memory");
    projection at = {g, grid_program_inputs(), grid_program_wfactors(&g->plan),
                     wadi_input("spacing", WADI_F64, 0, NULL)};
    grid_program_scatter_ragged(&at.in, visibility, &at);
    return grid_compile(p, &g->exe, err);
}

/* ---- the method ---- */

static wadi_status make_plan(grid_gridder *g, const grid_job *job, wadi_error *err) {
    g->plan = (grid_wfactor_plan){.oversample = job->oversample > 0 ? job->oversample : OVERSAMPLE,
                                  .limit = job->support};
    if (g->plan.oversample > OVERSAMPLE_MOST)
        return wadi_fail(err, WADI_INVALID, "wproj: %d kernels between two cells, at most %d",
                         g->plan.oversample, (int)OVERSAMPLE_MOST);
    const int least = (g->canvas.taper.support | 1) + 2; /* the least with room for some w */
    if (job->support != 0 && (job->support < least || job->support % 2 == 0))
        return wadi_fail(err, WADI_INVALID,
                         "wproj: kernels of %d cells, expected an odd number from %d on",
                         job->support, least);
    g->plan.step =
        job->w_step > 0 ? job->w_step : grid_wkernel_step(job->size, job->scale, most_turn);
    return WADI_OK;
}

/* Makes so few planes that no w is farther from its plane than kernels of the wanted support reach. */
static wadi_status make_planes(grid_gridder *g, const grid_job *job, wadi_error *err) {
    const double each = job->support > 0 ? grid_wfactor_most(&g->canvas, job->support) : g->most_w;
    if (g->grows || each >= g->most_w) return WADI_OK;
    const double planes = ceil((g->most_w / each - 1) / 2) + 1;
    const double spacing = g->most_w / (planes - 0.5);
    g->most_w = 0.5 * spacing;
    if (!(planes < 1e6))
        return wadi_fail(err, WADI_MEMORY, "out of memory for %g w planes", planes);
    return grid_canvas_split(&g->canvas, (int64_t)planes, spacing, err);
}

static wadi_status prepare(grid_gridder *g, const grid_job *job, wadi_error *err) {
    const int64_t cells = grid_padded(job->size);
    g->grows = !(job->most_w > 0);
    WADI_TRY(grid_canvas_init(&g->canvas, job, cells, 0, 0, err));
    WADI_TRY(make_plan(g, job, err));
    const double fits = grid_wfactor_most(&g->canvas, cells);
    g->most_w = g->grows || (job->support == 0 && job->most_w > fits) ? fits : job->most_w;
    WADI_TRY(make_planes(g, job, err));
    g->plan.products = grid_wfactor_products(&g->canvas, g->most_w + g->plan.step);
    WADI_TRY(compile(g, err));
    wadi_exe_warm(g->exe, &g->canvas.run); /* while the table is made */
    if (!g->grows) WADI_TRY(grid_wfactors_make(&g->table, &g->canvas, &g->plan, g->most_w, err));
    return grid_canvas_expect(&g->canvas, err);
}

static void wproj_close(grid_gridder *g) {
    if (!g) return;
    grid_canvas_fini(&g->canvas); /* its run is one of exe */
    wadi_exe_destroy(g->exe);
    grid_wfactors_fini(&g->table);
    free(g);
}

static wadi_status wproj_open(const grid_job *job, grid_gridder **out, wadi_error *err) {
    grid_gridder *g = calloc(1, sizeof *g);
    if (!g) return wadi_fail(err, WADI_MEMORY, "wproj: out of memory");
    const wadi_status st = prepare(g, job, err);
    if (st == WADI_OK)
        *out = g;
    else
        wproj_close(g);
    return st;
}

/* Makes the table reach the batch's largest |w|. If it is not the first table, it reaches half as far again, so that a stream of growing w
 * does not need a new table for every batch. */
static wadi_status cover(grid_gridder *g, const grid_batch *batch, wadi_error *err) {
    double most = 0;
    for (int64_t k = 0; k < batch->n; k++) most = fmax(most, fabs(batch->w[k]));
    most = fmin(most, g->most_w);
    if (g->table.bins > 0 && most <= g->table.most_w) return WADI_OK;
    if (g->table.bins > 0) most = fmin(1.5 * most, g->most_w);
    return grid_wfactors_make(&g->table, &g->canvas, &g->plan, most, err);
}

static wadi_status wproj_add(grid_gridder *g, const grid_batch *batch, wadi_error *err) {
    grid_bound extra[GRID_WFACTOR_INPUTS + 1];
    if (g->grows) WADI_TRY(cover(g, batch, err));
    grid_wfactors_bind(&g->table, extra);
    extra[GRID_WFACTOR_INPUTS] = grid_bind_scalar("spacing", &g->canvas.spacing);
    return grid_canvas_add(&g->canvas, g->exe, batch, GRID_WFACTOR_INPUTS + 1, extra, err);
}

static wadi_status wproj_image(grid_gridder *g, double *out, wadi_error *err) {
    return grid_canvas_image(&g->canvas, out, err);
}

static void wproj_tell(const grid_gridder *g, grid_tally *out) {
    const int64_t places = (int64_t)g->plan.oversample * g->plan.oversample;
    *out = (grid_tally){.kernels = g->table.bins * places,
                        .support_least = g->table.least,
                        .support_most = g->table.most};
    grid_canvas_tell(&g->canvas, out);
}

const grid_method grid_wproj = {
    .name = "wproj",
    .about = "w projection: kernels looked up by w",
    .open = wproj_open,
    .add = wproj_add,
    .image = wproj_image,
    .tell = wproj_tell,
    .close = wproj_close,
};
