/* See canvas.h. The image is the inverse transform's real part, divided by the taper's Fourier integral, and by that of the step
 * between two kernels: a visibility is gridded up to half a step away from where it is, evenly in all directions, which on average
 * multiplies the image by a sinc. */
#include "apps/gridding/canvas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/gridding/room.h"
#include "base/error.h"

static const double pi = 3.14159265358979323846;

int64_t grid_cells(int64_t least) {
    for (int64_t n = least + least % 2;; n += 2) {
        int64_t left = n;
        while (left % 2 == 0) left /= 2;
        while (left % 3 == 0) left /= 3;
        while (left % 5 == 0) left /= 5;
        if (left == 1) return n;
    }
}

/* ---- the image ---- */

typedef struct picture {
    wadi_acc plane, fading;
} picture;

/* Minus one at odd places moves the middle of the other domain by half its extent; the extent is even. */
static wadi_exp alternate(wadi_ix ix, wadi_exp z) {
    const wadi_exp odd = wadi_and(wadi_add(ix.at[0], ix.at[1]), wadi_i64(1));
    return wadi_cond(wadi_eq(odd, wadi_i64(1)), wadi_neg(z), z);
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
    return wadi_div(wadi_mul(wadi_real(z), n), faded);
}

static wadi_status compile_image(grid_canvas *c, wadi_error *err) {
    static const char *const square[] = {"cells", "cells"}, *const side[] = {"pixels"};
    wadi_program *p = wadi_program_create("grid_image");
    if (!p) return wadi_fail(err, WADI_MEMORY, "out of memory");
    picture at;
    const wadi_acc grid = wadi_input("grid", WADI_C128, 2, square);
    at.fading = wadi_input("fading", WADI_F64, 1, side);
    at.plane = wadi_ifft_nd(2, wadi_imap(alternate, grid));
    const wadi_exp pixels = wadi_extent(at.fading, 0);
    const wadi_ix shape = wadi_ix2(pixels, pixels);
    wadi_output("image", wadi_generate_env(shape, pixel, &at));
    const wadi_status st = wadi_compile(p, NULL, &c->image, err);
    wadi_program_destroy(p);
    return st;
}

static wadi_array plane(const grid_canvas *c) {
    wadi_array a = {.rank = 2,
                    .fields = 1,
                    .type = {WADI_C128},
                    .shape = {c->cells, c->cells},
                    .column = {c->blank}};
    if (c->latest && wadi_run_result(c->latest, "grid", &a, NULL) != WADI_OK) a.column[0] = NULL;
    return a;
}

wadi_status grid_canvas_image(grid_canvas *c, double *out, wadi_error *err) {
    const wadi_array grid = plane(c);
    const wadi_array fading = {
        .rank = 1, .fields = 1, .type = {WADI_F64}, .shape = {c->pixels}, .column = {c->fading}};
    wadi_array image = {0};
    wadi_run *run = NULL;
    if (!c->image) WADI_TRY(compile_image(c, err));
    WADI_TRY(wadi_run_create(c->image, &c->run, &run, err));
    wadi_status st = wadi_run_input(run, "grid", &grid, err);
    if (st == WADI_OK) st = wadi_run_input(run, "fading", &fading, err);
    if (st == WADI_OK) st = wadi_run_go(run, err);
    if (st == WADI_OK) st = wadi_run_result(run, "image", &image, err);
    if (st == WADI_OK)
        memcpy(out, image.column[0], (size_t)c->pixels * (size_t)c->pixels * sizeof *out);
    wadi_run_destroy(run);
    return st;
}

void grid_canvas_tell(const grid_canvas *c, grid_tally *out) {
    out->gridded = c->gridded;
    out->outside = c->outside;
    out->weight = c->weight;
    out->grid = c->cells;
}

const double *grid_canvas_cells(const grid_canvas *c) {
    return plane(c).column[0];
}

/* ---- life ---- */

static double sinc(double x) {
    return fabs(x) < 1e-9 ? 1 : sin(pi * x) / (pi * x);
}

static void fade(grid_canvas *c, int oversample) {
    for (int64_t i = 0; i < c->pixels; i++) {
        const double t = (double)(i - c->pixels / 2) / (double)c->cells; /* cycles per cell */
        c->fading[i] = es_kernel_integral(&c->taper, t) * sinc(t / oversample);
    }
}

static wadi_status check_job(const grid_job *job, int64_t cells, wadi_error *err) {
    if (job->size < 2 || job->size % 2 != 0 || job->size > INT64_C(1) << 24)
        return wadi_fail(err, WADI_INVALID, "image: %lld pixels a side, expected an even number",
                         (long long)job->size);
    if (!(job->scale > 0) || (double)cells * job->scale > 1.4)
        return wadi_fail(err, WADI_INVALID,
                         "image: the grid's field would be %g rad, expected at most 1.4",
                         (double)cells * job->scale);
    return WADI_OK;
}

/* The grid before and after a batch, and in the transform. */
static wadi_status check_room(int64_t cells, int64_t table, wadi_error *err) {
    char what[80];
    (void)snprintf(what, sizeof what, "a grid of %lld x %lld cells", (long long)cells,
                   (long long)cells);
    return grid_room(cells * cells * 3 * 16 + table, 0, what, err);
}

static const double finer = 1.25, leak = 3e-4; /* seven cells */

wadi_status grid_canvas_init(grid_canvas *c, const grid_job *job, int64_t cells, int oversample,
                             int64_t table, wadi_error *err) {
    *c = (grid_canvas){.pixels = job->size, .cells = cells, .scale = job->scale, .run = job->run};
    c->theta = (double)cells * job->scale;
    c->fine = c->theta * oversample;
    WADI_TRY(check_job(job, cells, err));
    WADI_TRY(check_room(cells, table, err));
    if (!es_kernel_choose(finer, leak, ES_SUPPORT_MOST, &c->taper))
        return wadi_fail(err, WADI_INTERNAL, "no taper leaks as little as %g", leak);
    c->fading = malloc((size_t)c->pixels * sizeof *c->fading);
    c->blank = calloc((size_t)cells * (size_t)cells, 16);
    if (!c->fading || !c->blank) return wadi_fail(err, WADI_MEMORY, "a grid: out of memory");
    fade(c, oversample);
    return WADI_OK;
}

void grid_canvas_fini(grid_canvas *c) {
    wadi_run_destroy(c->latest);
    wadi_exe_destroy(c->image);
    free(c->fading);
    free(c->blank);
    *c = (grid_canvas){0};
}

/* ---- a batch ---- */

static wadi_array vector(wadi_type type, int64_t n, const void *values) {
    return (wadi_array){.rank = 1,
                        .fields = 1,
                        .type = {type},
                        .shape = {n},
                        .column = {(void *)(uintptr_t)values}};
}

static wadi_status bind_all(const grid_canvas *c, wadi_run *run, const grid_batch *b, int extras,
                            const grid_input *extra, wadi_error *err) {
    const wadi_array fine = {
        .fields = 1, .type = {WADI_F64}, .column = {(void *)(uintptr_t)&c->fine}};
    wadi_array pair = vector(WADI_I32, b->n, b->pair);
    pair.rank = 2;
    pair.shape[1] = 2;
    const grid_input own[] = {{"u", vector(WADI_F64, b->n, b->u)},
                              {"v", vector(WADI_F64, b->n, b->v)},
                              {"w", vector(WADI_F64, b->n, b->w)},
                              {"vis", vector(WADI_C128, b->n, b->vis)},
                              {"weight", vector(WADI_F64, b->n, b->weight)},
                              {"pair", pair},
                              {"grid", plane(c)},
                              {"fine", fine}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        WADI_TRY(wadi_run_input(run, own[i].name, &own[i].array, err));
    for (int i = 0; i < extras; i++)
        WADI_TRY(wadi_run_input(run, extra[i].name, &extra[i].array, err));
    return WADI_OK;
}

static wadi_status go(const grid_canvas *c, wadi_run *run, const grid_batch *batch, int extras,
                      const grid_input *extra, wadi_error *err) {
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
                            int extras, const grid_input *extra, wadi_error *err) {
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
    static const char *const n[] = {"n", "2"}, *const cells[] = {"cells", "cells"};
    return (grid_inputs){
        wadi_input("u", WADI_F64, 1, n),         wadi_input("v", WADI_F64, 1, n),
        wadi_input("w", WADI_F64, 1, n),         wadi_input("vis", WADI_C128, 1, n),
        wadi_input("weight", WADI_F64, 1, n),    wadi_input("pair", WADI_I32, 2, n),
        wadi_input("grid", WADI_C128, 2, cells), wadi_input("fine", WADI_F64, 0, NULL)};
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
    return (grid_spot){wadi_add(from_middle, wadi_quot(wadi_extent(in->grid, 0), wadi_i64(2))),
                       sub};
}

wadi_exp grid_program_value(const grid_inputs *in, wadi_exp k) {
    const wadi_exp z = wadi_index1(in->vis, k), weight = wadi_index1(in->weight, k);
    return wadi_complex(wadi_mul(wadi_real(z), weight), wadi_mul(wadi_imag(z), weight));
}

wadi_exp grid_program_row(const grid_inputs *in, grid_spot y, grid_spot x, wadi_exp support,
                          wadi_exp known) {
    const wadi_exp half = wadi_quot(support, wadi_i64(2));
    const wadi_exp most = wadi_sub(wadi_extent(in->grid, 0), half);
    wadi_exp fits = wadi_land(wadi_ge(x.cell, half), wadi_lt(x.cell, most));
    fits = wadi_land(fits, wadi_land(wadi_ge(y.cell, half), wadi_lt(y.cell, most)));
    return wadi_cond(wadi_land(fits, known), wadi_sub(y.cell, half), wadi_i64(-1));
}

typedef struct chunk {
    wadi_acc row, column;
} chunk;

static wadi_exp plus(void *env, wadi_exp x, wadi_exp before) {
    WADI_UNUSED(env);
    return wadi_add(x, before);
}

/* The body's element, and the visibility's weight on the grid: 0 for one that is kept out. */
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
    return wadi_keep_if(wadi_ge(row, wadi_i64(0)),
                        wadi_ix2(wadi_add(row, ix.at[1]), wadi_add(column, ix.at[2])));
}

static wadi_acc without_weight(wadi_acc e) {
    const wadi_acc parts[] = {wadi_tuple_get(e, 0), wadi_tuple_get(e, 1), wadi_tuple_get(e, 2)};
    return wadi_tuple(3, parts);
}

/* parts: shapes and values of row, column, kernel. */
static wadi_acc add_regular(void *env, wadi_acc grid, wadi_acc parts) {
    const int64_t side = *(const int *)env;
    chunk c = {wadi_tuple_get(parts, 1), wadi_tuple_get(parts, 3)};
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
    wadi_exp row, column;
} corner;

static wadi_ix from_corner(void *env, wadi_ix ix) {
    const corner *c = env;
    return wadi_keep_if(wadi_ge(c->row, wadi_i64(0)),
                        wadi_ix2(wadi_add(c->row, ix.at[0]), wadi_add(c->column, ix.at[1])));
}

static wadi_acc add_one(wadi_acc grid, wadi_acc e) {
    corner c = {wadi_the(wadi_tuple_get(e, 0)), wadi_the(wadi_tuple_get(e, 1))};
    return wadi_permute_env(plus, grid, from_corner, &c, wadi_tuple_get(e, 2));
}

void grid_program_scatter_ragged(const grid_inputs *in, grid_body body, void *env) {
    const wadi_seq s = weighed_visibilities(in, body, env);
    output_sums(s);
    wadi_output("grid",
                wadi_consume(wadi_fold_seq(add_one, in->grid, wadi_map_seq(without_weight, s))));
}
