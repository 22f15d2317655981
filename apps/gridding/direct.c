/* The method "direct": the sum itself, for every pixel. It costs visibilities times pixels; the errors of the other methods
 * are measured against it. */
#include <stdlib.h>
#include <string.h>

#include "apps/gridding/methods.h"
#include "apps/gridding/room.h"
#include "base/error.h"

struct grid_gridder {
    int64_t size;
    double scale;
    wadi_run_options run;
    wadi_program *program;
    wadi_exe *exe;
    double *image;
    int64_t gridded, outside;
    double weight;
};

/* ---- the program ---- */

typedef struct pixel {
    double scale;
    int64_t size;
    wadi_acc u, v, w, vis, weight;
    wadi_exp l, m, n1; /* n - 1 */
} pixel;

static wadi_exp cosine(const pixel *p, wadi_exp index) {
    const wadi_exp from_centre = wadi_sub(index, wadi_i64(p->size / 2));
    return wadi_mul(wadi_convert(WADI_F64, from_centre), wadi_f64(p->scale));
}

/* weight Re[V exp(2 pi i turns)]. Whole turns are removed first, while they are still exact. */
static wadi_exp term(void *env, wadi_ix ix) {
    const pixel *p = env;
    const wadi_exp k = ix.at[0], vis = wadi_index1(p->vis, k),
                   turns = wadi_add(wadi_add(wadi_mul(wadi_index1(p->u, k), p->l),
                                             wadi_mul(wadi_index1(p->v, k), p->m)),
                                    wadi_mul(wadi_index1(p->w, k), p->n1)),
                   angle =
                       wadi_mul(wadi_sub(turns, wadi_round(turns)), wadi_f64(6.283185307179586477)),
                   real = wadi_sub(wadi_mul(wadi_real(vis), wadi_cos(angle)),
                                   wadi_mul(wadi_imag(vis), wadi_sin(angle)));
    return wadi_mul(wadi_index1(p->weight, k), real);
}

/* -(l^2 + m^2) / (1 + n): n - 1 without cancellation. */
static wadi_exp n_minus_1(wadi_exp l, wadi_exp m) {
    const wadi_exp one = wadi_f64(1), square = wadi_add(wadi_mul(l, l), wadi_mul(m, m));
    return wadi_neg(wadi_div(square, wadi_add(one, wadi_sqrt(wadi_sub(one, square)))));
}

static wadi_acc pixel_at(void *env, wadi_exp index) {
    pixel p = *(const pixel *)env;
    p.l = cosine(&p, wadi_rem(index, wadi_i64(p.size)));
    p.m = cosine(&p, wadi_quot(index, wadi_i64(p.size)));
    p.n1 = n_minus_1(p.l, p.m);
    return wadi_sum(wadi_generate_env(wadi_shape_of(p.u), term, &p));
}

static void build(const grid_job *job) {
    static const char *const extent[] = {"n"};
    pixel p = {.scale = job->scale, .size = job->size};
    p.u = wadi_input("u", WADI_F64, 1, extent);
    p.v = wadi_input("v", WADI_F64, 1, extent);
    p.w = wadi_input("w", WADI_F64, 1, extent);
    p.vis = wadi_input("vis", WADI_C128, 1, extent);
    p.weight = wadi_input("weight", WADI_F64, 1, extent);
    wadi_output("image", wadi_consume(wadi_tabulate(
                             wadi_produce_env(wadi_i64(job->size * job->size), pixel_at, &p))));
}

/* ---- the method ---- */

static void close_direct(grid_gridder *g) {
    if (g == NULL) return;
    wadi_exe_destroy(g->exe);
    wadi_program_destroy(g->program);
    free(g->image);
    free(g);
}

static wadi_status open_direct(const grid_job *job, grid_gridder **out, wadi_error *err) {
    const int64_t pixels = job->size * job->size;
    WADI_TRY(grid_room(pixels * 16, job->run.memory, "the image", err));
    grid_gridder *g = calloc(1, sizeof *g);
    if (g != NULL) {
        g->size = job->size;
        g->scale = job->scale;
        g->run = job->run;
        g->image = calloc((size_t)pixels, sizeof *g->image);
        g->program = wadi_program_create("direct");
    }
    if (g == NULL || g->image == NULL || g->program == NULL) {
        close_direct(g);
        return wadi_fail(err, WADI_MEMORY, "out of memory for the image");
    }
    build(job);
    const wadi_status status = wadi_compile(g->program, NULL, &g->exe, err);
    if (status != WADI_OK) {
        close_direct(g);
        return status;
    }
    *out = g;
    return WADI_OK;
}

static wadi_status bind(wadi_run *run, const char *name, wadi_type type, int64_t n,
                        const double *values, wadi_error *err) {
    const wadi_array a = {.rank = 1,
                          .fields = 1,
                          .type = {type},
                          .shape = {n},
                          .column = {(void *)(uintptr_t)values}};
    return wadi_run_input(run, name, &a, err);
}

static wadi_status run_batch(grid_gridder *g, wadi_run *run, const grid_batch *b, wadi_error *err) {
    wadi_array image;
    WADI_TRY(bind(run, "u", WADI_F64, b->n, b->u, err));
    WADI_TRY(bind(run, "v", WADI_F64, b->n, b->v, err));
    WADI_TRY(bind(run, "w", WADI_F64, b->n, b->w, err));
    WADI_TRY(bind(run, "vis", WADI_C128, b->n, b->vis, err));
    WADI_TRY(bind(run, "weight", WADI_F64, b->n, b->weight, err));
    WADI_TRY(wadi_run_go(run, err));
    WADI_TRY(wadi_run_result(run, "image", &image, err));
    const double *values = image.column[0];
    for (int64_t i = 0; i < g->size * g->size; i++) g->image[i] += values[i];
    for (int64_t i = 0; i < b->n; i++) g->weight += b->weight[i];
    g->gridded += b->n;
    return WADI_OK;
}

/* Leaves only the visibilities in *io that are gridded. If some are left out, the others are copied to *out_owned, which the caller
 * frees. */
static wadi_status keep_inside(double scale, grid_batch *io, double **out_owned, wadi_error *err) {
    int64_t n = 0, at = 0;
    *out_owned = NULL;
    for (int64_t k = 0; k < io->n; k++) n += grid_is_inside(scale, io->u[k], io->v[k]);
    if (n == io->n) return WADI_OK;
    double *to = malloc((size_t)(6 * n + 1) * sizeof *to);
    if (to == NULL) return wadi_fail(err, WADI_MEMORY, "direct: out of memory");
    for (int64_t k = 0; k < io->n; k++) {
        if (!grid_is_inside(scale, io->u[k], io->v[k])) continue;
        const double of[] = {io->u[k], io->v[k], io->w[k], io->weight[k]};
        for (int c = 0; c < 4; c++) to[c * n + at] = of[c];
        memcpy(to + 4 * n + 2 * at++, io->vis + 2 * k, 2 * sizeof *to);
    }
    *io = (grid_batch){
        .n = n, .u = to, .v = to + n, .w = to + 2 * n, .weight = to + 3 * n, .vis = to + 4 * n};
    *out_owned = to;
    return WADI_OK;
}

static wadi_status add(grid_gridder *g, const grid_batch *batch, wadi_error *err) {
    wadi_run *run = NULL;
    grid_batch inside = *batch;
    double *owned = NULL;
    WADI_TRY(keep_inside(g->scale, &inside, &owned, err));
    wadi_status status = wadi_run_create(g->exe, &g->run, &run, err);
    if (status == WADI_OK) status = run_batch(g, run, &inside, err);
    if (status == WADI_OK) g->outside += batch->n - inside.n;
    wadi_run_destroy(run);
    free(owned);
    return status;
}

static wadi_status image(grid_gridder *g, double *out, wadi_error *err) {
    WADI_UNUSED(err);
    memcpy(out, g->image, (size_t)(g->size * g->size) * sizeof *out);
    return WADI_OK;
}

static void tell(const grid_gridder *g, grid_tally *out) {
    *out = (grid_tally){
        .gridded = g->gridded, .outside = g->outside, .weight = g->weight, .grid = g->size};
}

const grid_method grid_direct = {
    "direct",    "the sum itself, at the cost of visibilities times pixels",
    open_direct, add,
    image,       tell,
    close_direct};
