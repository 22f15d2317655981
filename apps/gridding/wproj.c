/* The method "wproj": w projection. A visibility's kernel is looked up by the bin of its w and by where it lies between cells; kernels
 * have the support their w needs, so the elements of the stream differ in shape.
 *
 * With supports of their own and places between cells as fine as the default, the error is that of the places: for a field that
 * is four fifths of the grid's and 8 places a cell, a part in a thousand of the image's peak after averaging over visibilities. A
 * support that is asked for (job->support) bounds all kernels: those of larger w are cut off, and what they lose is lost.
 *
 * Where the largest w is not known beforehand the table grows with the data. Bins do not depend on what is in the table, so the image
 * does not depend on how the data are cut into batches. */
#include <stdlib.h>

#include "apps/gridding/methods.h"
#include "apps/gridding/wkernel.h"
#include "base/error.h"

enum { OVERSAMPLE = 8, OVERSAMPLE_MOST = 256 };
static const double most_turn = 0.1; /* radians, at the image's corner, by binning w */

struct grid_gridder {
    grid_canvas canvas;
    grid_wplan plan;
    grid_wtable table;
    bool grows;
    wadi_exe *exe;
};

/* ---- the program ---- */

typedef struct projection {
    int oversample;
    grid_inputs in;
    wadi_acc step, support, first, kernel;
} projection;

typedef struct spread {
    const projection *p;
    wadi_exp value, sign, first, side;
} spread;

static wadi_exp spread_to(void *env, wadi_ix ix) {
    const spread *s = env;
    const wadi_exp at = wadi_add(wadi_mul(ix.at[0], s->side), ix.at[1]);
    const wadi_exp z = wadi_index1(s->p->kernel, wadi_add(s->first, at));
    return wadi_mul(s->value, wadi_complex(wadi_real(z), wadi_mul(wadi_imag(z), s->sign)));
}

static wadi_acc visibility(void *env, wadi_exp k) {
    const projection *p = env;
    const wadi_exp q = wadi_i64(p->oversample), w = wadi_index1(p->in.w, k);
    const grid_wbin b = grid_program_wbin(w, wadi_the(p->step), wadi_extent(p->support, 0));
    const wadi_exp support = wadi_index1(p->support, b.bin);
    const grid_spot x = grid_program_spot(&p->in, p->oversample, wadi_index1(p->in.u, k));
    const grid_spot y = grid_program_spot(&p->in, p->oversample, wadi_index1(p->in.v, k));
    const wadi_exp row = grid_program_row(&p->in, y, x, support, b.known);
    const wadi_exp side = wadi_cond(wadi_ge(row, wadi_i64(0)), support, wadi_i64(0));
    const wadi_exp sub = wadi_add(wadi_mul(y.sub, q), x.sub);
    const wadi_exp sign = wadi_cond(b.negative, wadi_f64(-1), wadi_f64(1));
    spread s = {.p = p, .value = grid_program_value(&p->in, k), .sign = sign, .side = support};
    s.first = wadi_add(wadi_index1(p->first, b.bin), wadi_mul(sub, wadi_mul(support, support)));
    const wadi_exp column = wadi_sub(x.cell, wadi_quot(support, wadi_i64(2)));
    const wadi_acc parts[] = {wadi_unit(row), wadi_unit(column),
                              wadi_generate_env(wadi_ix2(side, side), spread_to, &s)};
    return wadi_tuple(3, parts);
}

static wadi_status compile(grid_gridder *g, wadi_error *err) {
    static const char *const bins[] = {"bins"}, *const any[] = {NULL};
    wadi_program *p = wadi_program_create("grid_wproj");
    if (!p) return wadi_fail(err, WADI_MEMORY, "out of memory");
    projection at = {.oversample = g->plan.oversample, .in = grid_program_inputs()};
    at.step = wadi_input("step", WADI_F64, 0, NULL);
    at.support = wadi_input("support", WADI_I64, 1, bins);
    at.first = wadi_input("first", WADI_I64, 1, bins);
    at.kernel = wadi_input("kernel", WADI_C128, 1, any);
    grid_program_scatter_ragged(&at.in, visibility, &at);
    const wadi_status st = wadi_compile(p, NULL, &g->exe, err);
    wadi_program_destroy(p);
    return st;
}

/* ---- the method ---- */

static wadi_status make_plan(grid_gridder *g, const grid_job *job, wadi_error *err) {
    g->plan = (grid_wplan){.oversample = job->oversample > 0 ? job->oversample : OVERSAMPLE,
                           .limit = job->support};
    if (g->plan.oversample > OVERSAMPLE_MOST)
        return wadi_fail(err, WADI_INVALID, "wproj: %d kernels between two cells, at most %d",
                         g->plan.oversample, (int)OVERSAMPLE_MOST);
    if (job->support != 0 && (job->support < 3 || job->support % 2 == 0))
        return wadi_fail(err, WADI_INVALID, "wproj: kernels of %d cells, expected an odd number",
                         job->support);
    g->plan.step =
        job->w_step > 0 ? job->w_step : grid_wkernel_step(job->size, job->scale, most_turn);
    return WADI_OK;
}

static wadi_status prepare(grid_gridder *g, const grid_job *job, wadi_error *err) {
    WADI_TRY(make_plan(g, job, err));
    const int64_t cells = grid_cells(job->size + job->size / 4);
    g->grows = !(job->most_w > 0);
    WADI_TRY(grid_canvas_init(&g->canvas, job, cells, g->plan.oversample, 0, err));
    if (!g->grows) WADI_TRY(grid_wtable_make(&g->table, &g->canvas, &g->plan, job->most_w, err));
    return compile(g, err);
}

static void wproj_close(grid_gridder *g) {
    if (!g) return;
    grid_canvas_fini(&g->canvas); /* its run is one of exe */
    wadi_exe_destroy(g->exe);
    grid_wtable_fini(&g->table);
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

static wadi_array vector(wadi_type type, int64_t n, const void *values) {
    return (wadi_array){.rank = 1,
                        .fields = 1,
                        .type = {type},
                        .shape = {n},
                        .column = {(void *)(uintptr_t)values}};
}

static wadi_status wproj_add(grid_gridder *g, const grid_batch *batch, wadi_error *err) {
    if (g->grows) WADI_TRY(grid_wtable_cover(&g->table, &g->canvas, &g->plan, batch, err));
    wadi_array step = vector(WADI_F64, 1, &g->table.step);
    step.rank = 0;
    const grid_input extra[] = {{"step", step},
                                {"support", vector(WADI_I64, g->table.bins, g->table.support)},
                                {"first", vector(WADI_I64, g->table.bins, g->table.first)},
                                {"kernel", g->table.kernel}};
    return grid_canvas_add(&g->canvas, g->exe, batch, 4, extra, err);
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
