/* The method "aw": w projection with A-terms. Kernels are made for each visibility, in the body of the stream: A1, A2 and the kernel
 * of its w convolved by transforms of arrays padded with zeros. Two forms:
 *
 *   six transforms   after listing 5 of paper 001: A1 * A2, cut to the A kernels' size, then * W, cut to W's size; each
 *                    convolution takes two transforms forward and one back
 *   hoisted          the transforms of A (one for each antenna) and of W (one for each bin and place between cells) are made once. For
 *                    each visibility that leaves their product and one transform back. If the transforms of W take too much memory, or
 *                    their number is not known beforehand, each visibility makes its own: two transforms
 *
 * The forms differ in A1 * A2 beyond the size of an A kernel: the first cuts these tails off, the second keeps them, which is nearer to
 * the exact sum (tests/gridding/aw_test.c). If kernels of A fill only half of their cells there are no tails, and both forms agree to
 * rounding.
 *
 * Transforms have `padded` cells along each side. That is enough for the middle of the linear convolution of all three kernels: what
 * wraps around stays outside the part that is cut out.
 *
 * The kernel of w < 0 is the conjugate of that of |w|; its transform is the conjugate at the negative frequency.
 *
 * Transforms are the library's, or the language's own (job->own_fft): then everything up to the grid has the same bits in every build,
 * too. The grid's field is that of the A-terms; if it is a quarter larger than the image, the image is right up to its edges. */
#include <math.h>
#include <stdlib.h>

#include "apps/gridding/aw_program.h"
#include "apps/gridding/geometry.h"
#include "apps/gridding/methods.h"
#include "apps/gridding/room.h"
#include "base/error.h"

enum { OVERSAMPLE = 8, OVERSAMPLE_MOST = 64, SUPPORT = 15, PADDED_MOST = 1024 };
enum { SPECTRA_BYTES = 1 << 30 };    /* of W, at most */
static const double most_turn = 0.1; /* radians, at the image's corner, by binning w */

struct grid_gridder {
    grid_canvas canvas;
    grid_aw_form form;
    grid_wplan plan;
    grid_wtable table;
    wadi_array aterm; /* c128[antennas, size, size] */
    double delta[2];  /* the A-term of antennas that see all directions alike */
    bool grows;
    wadi_exe *transform, *exe;
    wadi_run *transformed; /* NULL: not made yet */
};

/* ---- opening ---- */

static wadi_status check_aterms(const grid_aterms *a, wadi_error *err) {
    if (a->antennas < 1 || a->size < 1 || a->size % 2 == 0)
        return wadi_fail(err, WADI_INVALID, "A-terms: %lld kernels of %lld cells, expected odd",
                         (long long)a->antennas, (long long)a->size);
    if (!(a->theta > 0))
        return wadi_fail(err, WADI_INVALID, "A-terms: the field is %g rad, expected more than 0",
                         a->theta);
    return WADI_OK;
}

/* The grid's field is that of the A-terms. */
static wadi_status cells_of(const grid_job *job, int64_t *out, wadi_error *err) {
    *out = grid_padded(job->size);
    if (!job->aterms) return WADI_OK;
    WADI_TRY(check_aterms(job->aterms, err));
    const double theta = job->aterms->theta, cells = theta / job->scale;
    *out = 2 * llround(cells / 2);
    if (!(cells < 1e8) || fabs((double)*out * job->scale - theta) > 1e-6 * theta)
        return wadi_fail(err, WADI_INVALID,
                         "A-terms: their field of %g rad is %g pixels, expected an even number",
                         theta, cells);
    if (*out < job->size)
        return wadi_fail(err, WADI_INVALID,
                         "A-terms: their field is %lld pixels, but the image has %lld",
                         (long long)*out, (long long)job->size);
    return WADI_OK;
}

static int support_for(const grid_gridder *g, const grid_job *job) {
    if (job->support > 0) return job->support;
    const grid_canvas *c = &g->canvas;
    const int needed = grid_wkernel_support(&c->taper, c->pixels, c->cells, c->scale, job->most_w);
    const int with_a = (needed + g->form.aterm / 2) | 1;
    return with_a > SUPPORT ? with_a : SUPPORT;
}

static wadi_status make_form(grid_gridder *g, const grid_job *job, wadi_error *err) {
    grid_aw_form *f = &g->form;
    f->own = job->own_fft;
    f->hoisted = job->hoisted;
    f->same = !job->aterms;
    f->aterm = job->aterms ? (int)job->aterms->size : 1;
    f->support = support_for(g, job);
    if (f->support < 3 || f->support % 2 == 0)
        return wadi_fail(err, WADI_INVALID, "aw: kernels of %d cells, expected an odd number",
                         f->support);
    f->padded = 4;
    const int larger = f->support > f->aterm ? f->support : f->aterm;
    while (f->padded < larger + f->aterm - 1 && f->padded < 2 * PADDED_MOST) f->padded *= 2;
    if (f->padded > PADDED_MOST)
        return wadi_fail(err, WADI_UNSUPPORTED, "aw: kernels of %d cells with A-terms of %d",
                         f->support, f->aterm);
    return WADI_OK;
}

static wadi_status make_plan(grid_gridder *g, const grid_job *job, wadi_error *err) {
    const int q = job->oversample > 0 ? job->oversample : OVERSAMPLE;
    if (q > OVERSAMPLE_MOST)
        return wadi_fail(err, WADI_INVALID, "aw: %d kernels between two cells, at most %d", q,
                         (int)OVERSAMPLE_MOST);
    g->form.oversample = q;
    g->plan = (grid_wplan){.oversample = q};
    g->plan.step =
        job->w_step > 0 ? job->w_step : grid_wkernel_step(job->size, job->scale, most_turn);
    return WADI_OK;
}

static void keep_aterms(grid_gridder *g, const grid_aterms *a) {
    g->delta[0] = 1;
    g->aterm = (wadi_array){.rank = 3,
                            .fields = 1,
                            .type = {WADI_C128},
                            .shape = {a ? a->antennas : 1, g->form.aterm, g->form.aterm},
                            .column = {a ? (void *)(uintptr_t)a->kernel : (void *)g->delta}};
}

static int64_t kernels_w(const grid_gridder *g) {
    return g->table.bins * g->plan.oversample * g->plan.oversample;
}

/* Whether there is memory for the transforms of all kernels of w. */
static bool spectra_fit(const grid_gridder *g, const grid_job *job) {
    const int64_t bytes = grid_wtable_bytes(&g->plan, job->most_w);
    const double larger = (double)g->form.padded / g->form.support;
    return bytes >= 0 && (double)bytes * larger * larger <= SPECTRA_BYTES;
}

/* Compiles the programs. Their kernels are made in the background while the table is computed. */
static wadi_status compile(grid_gridder *g, wadi_error *err) {
    if (g->form.hoisted) {
        WADI_TRY(grid_aw_compile_transforms(&g->form, &g->transform, err));
        wadi_exe_warm(g->transform, &g->canvas.run);
    }
    WADI_TRY(grid_aw_compile(&g->form, &g->exe, err));
    wadi_exe_warm(g->exe, &g->canvas.run);
    return grid_canvas_expect(&g->canvas, err);
}

static wadi_status prepare(grid_gridder *g, const grid_job *job, wadi_error *err) {
    int64_t cells = 0;
    WADI_TRY(cells_of(job, &cells, err));
    WADI_TRY(make_plan(g, job, err));
    WADI_TRY(grid_canvas_init(&g->canvas, job, cells, g->plan.oversample, 0, err));
    WADI_TRY(make_form(g, job, err));
    g->plan.fixed = g->form.support;
    keep_aterms(g, job->aterms);
    g->grows = !(job->most_w > 0);
    g->form.each_w = g->grows || !spectra_fit(g, job);
    WADI_TRY(compile(g, err));
    if (g->grows) return WADI_OK;
    return grid_wtable_make(&g->table, &g->canvas, &g->plan, job->most_w, err);
}

static void aw_close(grid_gridder *g) {
    if (!g) return;
    grid_canvas_fini(&g->canvas); /* before the exe: it has a run of that */
    wadi_run_destroy(g->transformed);
    wadi_exe_destroy(g->transform);
    wadi_exe_destroy(g->exe);
    grid_wtable_fini(&g->table);
    free(g);
}

static wadi_status aw_open(const grid_job *job, grid_gridder **out, wadi_error *err) {
    grid_gridder *g = calloc(1, sizeof *g);
    if (!g) return wadi_fail(err, WADI_MEMORY, "aw: out of memory");
    const wadi_status st = prepare(g, job, err);
    if (st == WADI_OK)
        *out = g;
    else
        aw_close(g);
    return st;
}

/* ---- a batch ---- */

static wadi_array kernels_of_w(const grid_gridder *g) {
    wadi_array a = g->table.kernel;
    a.rank = 4;
    a.shape[0] = g->table.bins;
    a.shape[1] = (int64_t)g->plan.oversample * g->plan.oversample;
    a.shape[2] = a.shape[3] = g->form.support;
    return a;
}

static wadi_status run_transforms(const grid_gridder *g, wadi_run *run, wadi_error *err) {
    const wadi_array w = kernels_of_w(g);
    WADI_TRY(wadi_run_input(run, "a", &g->aterm, err));
    WADI_TRY(wadi_run_input(run, "w_kernel", &w, err));
    return wadi_run_go(run, err);
}

static wadi_status make_transforms(grid_gridder *g, wadi_error *err) {
    const int64_t p = g->form.padded;
    const int64_t kernels =
        g->aterm.shape[0] + g->table.bins * g->plan.oversample * (int64_t)g->plan.oversample;
    wadi_run *run = NULL;
    WADI_TRY(grid_room(kernels * p * p * 16 * 2, 0, "transforms of kernels", err));
    WADI_TRY(wadi_run_create(g->transform, &g->canvas.run, &run, err));
    const wadi_status st = run_transforms(g, run, err);
    if (st == WADI_OK)
        g->transformed = run;
    else
        wadi_run_destroy(run);
    return st;
}

static wadi_status aw_add(grid_gridder *g, const grid_batch *batch, wadi_error *err) {
    if (batch->n == 0) return WADI_OK;
    if (g->grows) WADI_TRY(grid_wtable_cover(&g->table, &g->canvas, &g->plan, batch, err));
    if (g->form.hoisted && !g->transformed) WADI_TRY(make_transforms(g, err));
    const wadi_array step = {.fields = 1, .type = {WADI_F64}, .column = {&g->table.step}};
    grid_bound extra[] = {{"step", step}, {"a", g->aterm}, {"w_kernel", kernels_of_w(g)}};
    if (g->form.hoisted) {
        WADI_TRY(wadi_run_result(g->transformed, "a", &extra[1].array, err));
        if (!g->form.each_w)
            WADI_TRY(wadi_run_result(g->transformed, "w_kernel", &extra[2].array, err));
    }
    return grid_canvas_add(&g->canvas, g->exe, batch, 3, extra, err);
}

static wadi_status aw_image(grid_gridder *g, double *out, wadi_error *err) {
    return grid_canvas_image(&g->canvas, out, err);
}

static void aw_tell(const grid_gridder *g, grid_tally *out) {
    *out = (grid_tally){
        .kernels = kernels_w(g), .support_least = g->form.support, .support_most = g->form.support};
    grid_canvas_tell(&g->canvas, out);
}

const grid_method grid_aw = {
    .name = "aw",
    .about = "w projection with A-terms: a kernel made for each visibility",
    .open = aw_open,
    .add = aw_add,
    .image = aw_image,
    .tell = aw_tell,
    .close = aw_close,
};
