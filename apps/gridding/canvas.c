/* Grids, and the way from a grid to an image. The image is the real part of the inverse transform, divided by the Fourier
 * integral of the taper. If only the nearest of several kernels is taken, a visibility is gridded up to half a step away from
 * its place, evenly in all directions. On average this multiplies the image by a sinc, so the image is also divided by that of
 * the step between two kernels. */
#include "apps/gridding/canvas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/gridding/geometry.h"
#include "apps/gridding/room.h"
#include "base/error.h"

static const double pi = 3.14159265358979323846;

/* ---- the image ---- */

typedef struct picture {
    bool turns; /* there are several planes, so images are rotated by w */
    wadi_acc plane, fading, w, scale;
} picture;

/* Multiplies odd places by -1. That moves the origin of the other domain to the middle of its (even) extent. */
static wadi_exp alternate(wadi_ix ix, wadi_exp z) {
    const wadi_exp odd = wadi_and(wadi_add(ix.at[0], ix.at[1]), wadi_i64(1));
    return wadi_cond(wadi_eq(odd, wadi_i64(1)), wadi_neg(z), z);
}

static wadi_exp direction(const picture *p, wadi_exp i) {
    const wadi_exp half = wadi_quot(wadi_extent(p->fading, 0), wadi_i64(2));
    return wadi_mul(wadi_convert(WADI_F64, wadi_sub(i, half)), wadi_the(p->scale));
}

/* The real part of z exp(2 pi i w (n - 1)). */
static wadi_exp turned(const picture *p, wadi_ix ix, wadi_exp z) {
    const wadi_exp l = direction(p, ix.at[1]), m = direction(p, ix.at[0]), one = wadi_f64(1);
    const wadi_exp r2 = wadi_add(wadi_mul(l, l), wadi_mul(m, m));
    const wadi_exp n = wadi_sqrt(wadi_max(wadi_sub(one, r2), wadi_f64(0)));
    const wadi_exp path = wadi_div(r2, wadi_add(one, n));
    const wadi_exp angle = wadi_mul(wadi_mul(wadi_f64(2 * pi), wadi_the(p->w)), path);
    return wadi_add(wadi_mul(wadi_real(z), wadi_cos(angle)),
                    wadi_mul(wadi_imag(z), wadi_sin(angle)));
}

static wadi_exp pixel(void *env, wadi_ix ix) {
    const picture *p = env;
    const wadi_exp cells = wadi_extent(p->plane, 0), pixels = wadi_extent(p->fading, 0);
    const wadi_exp margin = wadi_quot(wadi_sub(cells, pixels), wadi_i64(2));
    const wadi_ix at = wadi_ix2(wadi_add(ix.at[0], margin), wadi_add(ix.at[1], margin));
    const wadi_exp z = alternate(at, wadi_index(p->plane, at));
    const wadi_exp side = wadi_convert(WADI_F64, cells), n = wadi_mul(side, side);
    const wadi_exp faded =
        wadi_mul(wadi_index1(p->fading, ix.at[0]), wadi_index1(p->fading, ix.at[1]));
    return wadi_div(wadi_mul(p->turns ? turned(p, ix, z) : wadi_real(z), n), faded);
}

static wadi_status compile_image(grid_canvas *c, wadi_error *err) {
    static const char *const square[] = {"cells", "cells"}, *const side[] = {"pixels"};
    wadi_program *p = wadi_program_create("grid_image");
    if (!p) return wadi_fail(err, WADI_MEMORY, "out of memory");
    picture at = {.turns = c->planes > 1};
    const wadi_acc grid = wadi_input("grid", WADI_C128, 2, square);
    at.fading = wadi_input("fading", WADI_F64, 1, side);
    if (at.turns) at.w = wadi_input("w", WADI_F64, 0, NULL);
    if (at.turns) at.scale = wadi_input("scale", WADI_F64, 0, NULL);
    at.plane = wadi_ifft_nd(2, wadi_imap(alternate, grid));
    const wadi_exp pixels = wadi_extent(at.fading, 0);
    const wadi_ix shape = wadi_ix2(pixels, pixels);
    wadi_output("image", wadi_generate_env(shape, pixel, &at));
    return grid_compile(p, &c->image, err);
}

wadi_status grid_canvas_expect(grid_canvas *c, wadi_error *err) {
    WADI_TRY(compile_image(c, err));
    wadi_exe_warm(c->image, &c->run);
    return WADI_OK;
}

/* All planes as one array, one below the other. */
static wadi_array planes(const grid_canvas *c) {
    wadi_array a = {.rank = 2,
                    .fields = 1,
                    .type = {WADI_C128},
                    .shape = {c->planes * c->cells, c->cells},
                    .column = {c->blank}};
    if (c->latest && wadi_run_result(c->latest, "grid", &a, NULL) != WADI_OK) a.column[0] = NULL;
    return a;
}

static wadi_status run_image(const grid_canvas *c, int64_t plane, wadi_run *run, wadi_array *image,
                             wadi_error *err) {
    const double w = (double)plane * c->spacing;
    wadi_array grid = planes(c);
    grid.column[0] = (double *)grid.column[0] + plane * c->cells * c->cells * 2;
    grid.shape[0] = c->cells;
    const grid_bound in[] = {{"grid", grid},
                             grid_bind_vector("fading", WADI_F64, c->pixels, c->fading),
                             grid_bind_scalar("w", &w),
                             grid_bind_scalar("scale", &c->scale)};
    WADI_TRY(grid_bind_all(run, c->planes > 1 ? 4 : 2, in, err));
    WADI_TRY(wadi_run_go(run, err));
    return wadi_run_result(run, "image", image, err);
}

static wadi_status add_plane(const grid_canvas *c, int64_t plane, double *out, wadi_error *err) {
    wadi_array image = {0};
    wadi_run *run = NULL;
    WADI_TRY(wadi_run_create(c->image, &c->run, &run, err));
    const wadi_status st = run_image(c, plane, run, &image, err);
    const double *of_plane = image.column[0];
    for (int64_t i = 0; st == WADI_OK && i < c->pixels * c->pixels; i++) out[i] += of_plane[i];
    wadi_run_destroy(run);
    return st;
}

wadi_status grid_canvas_image(grid_canvas *c, double *out, wadi_error *err) {
    if (!c->image) WADI_TRY(compile_image(c, err));
    for (int64_t i = 0; i < c->pixels * c->pixels; i++) out[i] = 0;
    for (int64_t p = 0; p < c->planes; p++) WADI_TRY(add_plane(c, p, out, err));
    return WADI_OK;
}

void grid_canvas_tell(const grid_canvas *c, grid_tally *out) {
    out->gridded = c->gridded;
    out->outside = c->outside;
    out->weight = c->weight;
    out->grid = c->cells;
    if (c->planes > 1) out->planes = c->planes;
}

const double *grid_canvas_cells(const grid_canvas *c) {
    return planes(c).column[0];
}

/* ---- life ---- */

static double sinc(double x) {
    return fabs(x) < 1e-9 ? 1 : sin(pi * x) / (pi * x);
}

static void fade(grid_canvas *c, int oversample) {
    for (int64_t i = 0; i < c->pixels; i++) {
        const double t = (double)(i - c->pixels / 2) / (double)c->cells; /* cycles per cell */
        c->fading[i] =
            es_kernel_integral(&c->taper, t) * (oversample > 0 ? sinc(t / oversample) : 1);
    }
}

static wadi_status check_job(const grid_job *job, int64_t cells, wadi_error *err) {
    if (job->size < 2 || job->size % 2 != 0 || job->size > INT64_C(1) << 24)
        return wadi_fail(err, WADI_INVALID, "image: %lld pixels a side, expected an even number",
                         (long long)job->size);
    if (!(job->scale > 0) || (double)cells * job->scale > GRID_WIDEST)
        return wadi_fail(err, WADI_INVALID,
                         "image: the grid's field would be %g rad, expected at most %g",
                         (double)cells * job->scale, GRID_WIDEST);
    return WADI_OK;
}

/* The grid before and after a batch, and a plane in the transform. */
static wadi_status make_blank(grid_canvas *c, int64_t planes, int64_t table, wadi_error *err) {
    char what[80];
    const int64_t cells = c->cells;
    (void)snprintf(what, sizeof what, "a grid of %lld x %lld cells", (long long)(planes * cells),
                   (long long)cells);
    WADI_TRY(grid_room(cells * cells * (2 * planes + 1) * 16 + table, 0, what, err));
    free(c->blank);
    c->planes = planes;
    c->blank = calloc((size_t)planes * (size_t)cells * (size_t)cells, 16);
    return c->blank ? WADI_OK : wadi_fail(err, WADI_MEMORY, "a grid: out of memory");
}

static const double finer = 1.25, leak = 3e-4; /* seven cells */

wadi_status grid_canvas_init(grid_canvas *c, const grid_job *job, int64_t cells, int oversample,
                             int64_t table, wadi_error *err) {
    *c = (grid_canvas){.pixels = job->size,
                       .cells = cells,
                       .scale = job->scale,
                       .run = job->run,
                       .spacing = 1e300};
    c->theta = (double)cells * job->scale;
    c->fine = oversample > 0 ? c->theta * oversample : c->theta;
    WADI_TRY(check_job(job, cells, err));
    WADI_TRY(make_blank(c, 1, table, err));
    if (!es_kernel_choose(finer, leak, ES_SUPPORT_MOST, &c->taper))
        return wadi_fail(err, WADI_INTERNAL, "no taper leaks as little as %g", leak);
    c->fading = malloc((size_t)c->pixels * sizeof *c->fading);
    if (!c->fading) return wadi_fail(err, WADI_MEMORY, "a grid: out of memory");
    fade(c, oversample);
    return WADI_OK;
}

wadi_status grid_canvas_split(grid_canvas *c, int64_t planes, double spacing, wadi_error *err) {
    if ((double)planes * (double)(c->cells * c->cells) > 1e16)
        return wadi_fail(err, WADI_MEMORY, "out of memory for %lld w planes", (long long)planes);
    c->spacing = spacing;
    return planes == c->planes ? WADI_OK : make_blank(c, planes, 0, err);
}

void grid_canvas_fini(grid_canvas *c) {
    wadi_run_destroy(c->latest);
    wadi_exe_destroy(c->image);
    free(c->fading);
    free(c->blank);
    *c = (grid_canvas){0};
}

/* ---- a batch ---- */

static wadi_status bind_all(const grid_canvas *c, wadi_run *run, const grid_batch *b, int extras,
                            const grid_bound *extra, wadi_error *err) {
    const int64_t pairs[] = {b->n, 2};
    const grid_bound own[] = {grid_bind_vector("u", WADI_F64, b->n, b->u),
                              grid_bind_vector("v", WADI_F64, b->n, b->v),
                              grid_bind_vector("w", WADI_F64, b->n, b->w),
                              grid_bind_vector("vis", WADI_C128, b->n, b->vis),
                              grid_bind_vector("weight", WADI_F64, b->n, b->weight),
                              grid_bind("pair", WADI_I32, 2, pairs, b->pair),
                              {"grid", planes(c)},
                              grid_bind_scalar("fine", &c->fine),
                              grid_bind_scalar("scale", &c->scale)};
    WADI_TRY(grid_bind_all(run, sizeof own / sizeof *own, own, err));
    return grid_bind_all(run, extras, extra, err);
}

static wadi_status go(const grid_canvas *c, wadi_run *run, const grid_batch *batch, int extras,
                      const grid_bound *extra, wadi_error *err) {
    WADI_TRY(bind_all(c, run, batch, extras, extra, err));
    return wadi_run_go(run, err);
}

static wadi_status count(grid_canvas *c, wadi_run *run, int64_t n, wadi_error *err) {
    wadi_array gridded, weight;
    WADI_TRY(wadi_run_result(run, "gridded", &gridded, err));
    WADI_TRY(wadi_run_result(run, "weight", &weight, err));
    const int64_t in = *(const int64_t *)gridded.column[0];
    c->gridded += in;
    c->outside += n - in;
    c->weight += *(const double *)weight.column[0];
    return WADI_OK;
}

wadi_status grid_canvas_add(grid_canvas *c, const wadi_exe *exe, const grid_batch *batch,
                            int extras, const grid_bound *extra, wadi_error *err) {
    wadi_run *run = NULL;
    if (batch->n == 0) return WADI_OK;
    WADI_TRY(wadi_run_create(exe, &c->run, &run, err));
    wadi_status st = go(c, run, batch, extras, extra, err);
    if (st == WADI_OK) st = count(c, run, batch->n, err);
    if (st != WADI_OK) {
        wadi_run_destroy(run);
        return st;
    }
    wadi_run_destroy(c->latest);
    c->latest = run;
    free(c->blank);
    c->blank = NULL;
    return WADI_OK;
}

/* ---- the program of a batch ---- */

grid_inputs grid_program_inputs(void) {
    static const char *const n[] = {"n", "2"}, *const cells[] = {"rows", "cells"};
    return (grid_inputs){
        wadi_input("u", WADI_F64, 1, n),         wadi_input("v", WADI_F64, 1, n),
        wadi_input("w", WADI_F64, 1, n),         wadi_input("vis", WADI_C128, 1, n),
        wadi_input("weight", WADI_F64, 1, n),    wadi_input("pair", WADI_I32, 2, n),
        wadi_input("grid", WADI_C128, 2, cells), wadi_input("fine", WADI_F64, 0, NULL),
        wadi_input("scale", WADI_F64, 0, NULL)};
}

static wadi_exp floored(wadi_exp x) {
    return wadi_convert(WADI_I64, wadi_floor(x));
}

grid_spot grid_program_spot(const grid_inputs *in, int oversample, wadi_exp x) {
    const wadi_exp half = wadi_i64(oversample / 2);
    const wadi_exp fine = floored(wadi_add(wadi_mul(x, wadi_the(in->fine)), wadi_f64(0.5)));
    const wadi_exp above = wadi_add(fine, half);
    const wadi_exp from_middle = wadi_div(above, wadi_i64(oversample));
    const wadi_exp sub = wadi_sub(above, wadi_mul(from_middle, wadi_i64(oversample)));
    return (grid_spot){wadi_add(from_middle, wadi_quot(wadi_extent(in->grid, 1), wadi_i64(2))),
                       sub};
}

/* The place of the cell itself: half of the places, rounded up, and the extra ones that interpolating between four places needs. */
int64_t grid_between_middle(int oversample) {
    return (oversample + 1) / 2 + 1;
}

int64_t grid_between_places(int oversample) {
    return 2 * grid_between_middle(oversample) + 1;
}

static wadi_exp product_of(double by, wadi_exp x, wadi_exp y, wadi_exp z) {
    return wadi_mul(wadi_mul(wadi_f64(by), x), wadi_mul(y, z));
}

grid_between grid_program_between(const grid_inputs *in, int oversample, wadi_exp x) {
    const wadi_exp cells = wadi_mul(x, wadi_the(in->fine));
    const wadi_exp nearest = wadi_floor(wadi_add(cells, wadi_f64(0.5)));
    const wadi_exp away = wadi_mul(wadi_sub(cells, nearest), wadi_f64(oversample));
    const wadi_exp below = wadi_floor(away), at = wadi_sub(away, below);
    const wadi_exp up = wadi_add(at, wadi_f64(1)), down = wadi_sub(at, wadi_f64(1)),
                   next = wadi_sub(at, wadi_f64(2));
    const wadi_exp middle = wadi_i64(grid_between_middle(oversample) - 1);
    const wadi_exp first = wadi_add(wadi_convert(WADI_I64, below), middle),
                   last = wadi_i64(grid_between_places(oversample) - 4);
    const wadi_exp half = wadi_quot(wadi_extent(in->grid, 1), wadi_i64(2));
    return (grid_between){wadi_add(wadi_convert(WADI_I64, nearest), half),
                          wadi_max(wadi_min(first, last), wadi_i64(0)),
                          {product_of(-1.0 / 6, at, down, next), product_of(0.5, up, down, next),
                           product_of(-0.5, at, up, next), product_of(1.0 / 6, at, up, down)}};
}

wadi_exp grid_program_value(const grid_inputs *in, wadi_exp k) {
    const wadi_exp z = wadi_index1(in->vis, k), weight = wadi_index1(in->weight, k);
    return wadi_complex(wadi_mul(wadi_real(z), weight), wadi_mul(wadi_imag(z), weight));
}

/* grid_is_inside, for one coordinate. */
static wadi_exp is_inside(const grid_inputs *in, wadi_acc of, wadi_exp k) {
    const wadi_exp periods = wadi_mul(wadi_abs(wadi_index1(of, k)), wadi_the(in->scale));
    return wadi_le(periods, wadi_f64(0.5));
}

wadi_exp grid_program_column(const grid_inputs *in, wadi_exp x, wadi_exp support) {
    const wadi_exp cells = wadi_extent(in->grid, 1);
    const wadi_exp first = wadi_sub(x, wadi_quot(support, wadi_i64(2)));
    return wadi_rem(wadi_add(first, cells), cells);
}

wadi_exp grid_program_row(const grid_inputs *in, wadi_exp k, wadi_exp y, wadi_exp support,
                          wadi_exp known) {
    const wadi_exp inside = wadi_land(is_inside(in, in->u, k), is_inside(in, in->v, k));
    const wadi_exp fits = wadi_le(support, wadi_extent(in->grid, 1));
    return wadi_cond(wadi_land(wadi_land(inside, fits), known), grid_program_column(in, y, support),
                     wadi_i64(-1));
}

/* Where value (i, j) is added if the values begin at (row, column) of the grid. Rows are counted through all planes. If the first row is
 * negative, the values are left out. */
static wadi_ix place_of(wadi_acc grid, wadi_exp row, wadi_exp column, wadi_exp i, wadi_exp j) {
    const wadi_exp cells = wadi_extent(grid, 1), none = wadi_i64(0);
    const wadi_exp x = wadi_add(column, j), y = wadi_add(wadi_rem(row, cells), i);
    const wadi_exp over_x = wadi_cond(wadi_ge(x, cells), cells, none),
                   over_y = wadi_cond(wadi_ge(y, cells), cells, none);
    return wadi_keep_if(wadi_ge(row, none),
                        wadi_ix2(wadi_sub(wadi_add(row, i), over_y), wadi_sub(x, over_x)));
}

typedef struct chunk {
    wadi_acc grid, row, column;
} chunk;

static wadi_exp plus(void *env, wadi_exp x, wadi_exp before) {
    WADI_UNUSED(env);
    return wadi_add(x, before);
}

/* The element of the body, and the weight with which the visibility was gridded; 0 if it was left out. */
typedef struct weighing {
    const grid_inputs *in;
    grid_body body;
    void *env;
} weighing;

static wadi_acc weighed(void *env, wadi_exp k) {
    const weighing *w = env;
    const wadi_acc e = w->body(w->env, k), row = wadi_tuple_get(e, 0);
    const wadi_exp weight =
        wadi_cond(wadi_ge(wadi_the(row), wadi_i64(0)), wadi_index1(w->in->weight, k), wadi_f64(0));
    const wadi_acc parts[] = {row, wadi_tuple_get(e, 1), wadi_tuple_get(e, 2), wadi_unit(weight)};
    return wadi_tuple(4, parts);
}

static wadi_acc weight_alone(wadi_acc e) {
    return wadi_tuple_get(e, 3);
}

static wadi_exp counts(wadi_exp weight) {
    return wadi_convert(WADI_I64, wadi_gt(weight, wadi_f64(0)));
}

/* Weights are summed over the batch as a whole, so that their sum does not depend on how the stream is cut. */
static void output_sums(wadi_seq s) {
    const wadi_acc weights = wadi_consume(wadi_elements(wadi_map_seq(weight_alone, s)));
    wadi_output("weight", wadi_sum(weights));
    wadi_output("gridded", wadi_sum(wadi_map(counts, weights)));
}

static wadi_seq weighed_visibilities(const grid_inputs *in, grid_body body, void *env) {
    weighing w = {in, body, env};
    return wadi_produce_env(wadi_extent(in->u, 0), weighed, &w);
}

/* ---- values of one extent ---- */

static wadi_ix target(void *env, wadi_ix ix) {
    const chunk *c = env;
    const wadi_exp row = wadi_index1(c->row, ix.at[0]), column = wadi_index1(c->column, ix.at[0]);
    return place_of(c->grid, row, column, ix.at[1], ix.at[2]);
}

static wadi_acc without_weight(wadi_acc e) {
    const wadi_acc parts[] = {wadi_tuple_get(e, 0), wadi_tuple_get(e, 1), wadi_tuple_get(e, 2)};
    return wadi_tuple(3, parts);
}

/* parts: shapes and values of row, column, kernel. */
static wadi_acc add_regular(void *env, wadi_acc grid, wadi_acc parts) {
    const int64_t side = *(const int *)env;
    chunk c = {grid, wadi_tuple_get(parts, 1), wadi_tuple_get(parts, 3)};
    const wadi_ix shape = wadi_ix3(wadi_extent(c.row, 0), wadi_i64(side), wadi_i64(side));
    const wadi_acc values = wadi_reshape(shape, wadi_tuple_get(parts, 5));
    return wadi_permute_env(plus, grid, target, &c, values);
}

void grid_program_scatter(const grid_inputs *in, int side, grid_body body, void *env) {
    const wadi_seq s = weighed_visibilities(in, body, env);
    const wadi_seq spread = wadi_map_seq(without_weight, s);
    output_sums(s);
    wadi_output("grid", wadi_consume(wadi_fold_batch_env(add_regular, &side, in->grid, spread)));
}

/* ---- values of different extents ---- */

typedef struct corner {
    wadi_acc grid;
    wadi_exp row, column;
} corner;

static wadi_ix from_corner(void *env, wadi_ix ix) {
    const corner *c = env;
    return place_of(c->grid, c->row, c->column, ix.at[0], ix.at[1]);
}

static wadi_acc add_one(wadi_acc grid, wadi_acc e) {
    corner c = {grid, wadi_the(wadi_tuple_get(e, 0)), wadi_the(wadi_tuple_get(e, 1))};
    return wadi_permute_env(plus, grid, from_corner, &c, wadi_tuple_get(e, 2));
}

void grid_program_scatter_ragged(const grid_inputs *in, grid_body body, void *env) {
    const wadi_seq s = weighed_visibilities(in, body, env);
    output_sums(s);
    wadi_output("grid",
                wadi_consume(wadi_fold_seq(add_one, in->grid, wadi_map_seq(without_weight, s))));
}
