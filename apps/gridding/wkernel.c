/* Making the table of kernels by a stream of the language, one bin per element. The transform is a sum of cosines over a
 * quarter of the field, first along l, then along m, for all positions between cells at once. */
#include "apps/gridding/wkernel.h"

#include <math.h>
#include <stdlib.h>

#include "apps/gridding/room.h"
#include "base/error.h"

const double grid_wkernel_field = 0.7; /* the taper's first zero is at 0.6 */
static const double pi = 3.14159265358979323846;

/* ---- sizes ---- */

/* l / n: l at the edge of the grid's field, n at the image's corner. */
static double most_slope(int64_t pixels, int64_t cells, double scale) {
    const double corner = 0.5 * (double)pixels * scale, n2 = 1 - 2 * corner * corner;
    return 0.5 * (double)cells * scale / sqrt(n2 > 0.02 ? n2 : 0.02);
}

double grid_wkernel_reach(const es_kernel *taper, int64_t pixels, int64_t cells, double scale,
                          double w) {
    return 0.5 * taper->support + w * most_slope(pixels, cells, scale) * (double)cells * scale;
}

int grid_wkernel_support(const es_kernel *taper, int64_t pixels, int64_t cells, double scale,
                         double w) {
    const double reach = grid_wkernel_reach(taper, pixels, cells, scale, w);
    return reach > 1e6 ? 2000001 : 2 * (int)ceil(reach) - 1;
}

double grid_wkernel_step(int64_t pixels, double scale, double turn) {
    const double edge = 0.5 * (double)pixels * scale, n2 = 1 - 2 * edge * edge;
    return turn / (pi * (1 - sqrt(n2 > 0 ? n2 : 0)));
}

static int64_t bins_for(const grid_wplan *plan, double w) {
    return (int64_t)ceil(w / plan->step + 0.5) + 1;
}

int64_t grid_wtable_bytes(const grid_wplan *plan, double w) {
    const double side = (double)plan->fixed * plan->oversample;
    if (!(w / plan->step < 1e6)) return -1;
    const double values = (double)bins_for(plan, w) * side * side;
    return values < 1e15 ? (int64_t)values * 16 : -1;
}

/* ---- the program ---- */

typedef struct maker {
    wadi_acc w, support, period, node, weight, theta;
    int64_t oversample;
    double width; /* of the taper, cells */
} maker;

typedef struct bin {
    const maker *m;
    wadi_exp w, support, period;
    wadi_acc fading, cosine, sky, half, full;
} bin;

/* Sample i of the positive half, in cycles per cell. */
static wadi_exp place(const bin *b, wadi_exp i) {
    return wadi_div(wadi_add(wadi_convert(WADI_F64, i), wadi_f64(0.5)),
                    wadi_convert(WADI_F64, b->period));
}

static wadi_exp direction(const bin *b, wadi_exp i) {
    return wadi_mul(place(b, i), wadi_the(b->m->theta));
}

/* The term of node j of the taper's Fourier integral at sample i, times the samples' distance, times two for both halves. */
static wadi_exp fading_term(void *env, wadi_ix ix) {
    const bin *b = env;
    const wadi_exp turn = wadi_mul(wadi_mul(wadi_f64(pi * b->m->width), place(b, ix.at[0])),
                                   wadi_index1(b->m->node, ix.at[1]));
    const wadi_exp each =
        wadi_div(wadi_index1(b->m->weight, ix.at[1]), wadi_convert(WADI_F64, b->period));
    return wadi_mul(wadi_mul(wadi_f64(2), each), wadi_cos(turn));
}

static wadi_exp cosine_at(void *env, wadi_ix ix) {
    const bin *b = env;
    const wadi_exp cells =
        wadi_div(wadi_convert(WADI_F64, ix.at[0]), wadi_f64((double)b->m->oversample));
    return wadi_cos(wadi_mul(wadi_f64(2 * pi), wadi_mul(place(b, ix.at[1]), cells)));
}

/* Sample (i, j) of the quarter field. */
static wadi_exp sky_at(void *env, wadi_ix ix) {
    const bin *b = env;
    const wadi_exp l = direction(b, ix.at[0]), m = direction(b, ix.at[1]);
    const wadi_exp r2 = wadi_add(wadi_mul(l, l), wadi_mul(m, m));
    const wadi_exp n = wadi_sqrt(wadi_max(wadi_sub(wadi_f64(1), r2), wadi_f64(0)));
    /* n - 1 without cancellation */
    const wadi_exp turn =
        wadi_mul(wadi_mul(wadi_f64(-2 * pi), b->w), wadi_div(r2, wadi_add(wadi_f64(1), n)));
    const wadi_exp size =
        wadi_mul(wadi_index1(b->fading, ix.at[0]), wadi_index1(b->fading, ix.at[1]));
    return wadi_complex(wadi_mul(size, wadi_cos(turn)), wadi_mul(size, wadi_sin(turn)));
}

static wadi_exp scaled(wadi_exp z, wadi_exp by) {
    return wadi_complex(wadi_mul(wadi_real(z), by), wadi_mul(wadi_imag(z), by));
}

static wadi_exp along_l(void *env, wadi_ix ix) {
    const bin *b = env;
    return scaled(wadi_index2(b->sky, ix.at[1], ix.at[2]),
                  wadi_index2(b->cosine, ix.at[0], ix.at[2]));
}

static wadi_exp along_m(void *env, wadi_ix ix) {
    const bin *b = env;
    return scaled(wadi_index2(b->half, ix.at[1], ix.at[2]),
                  wadi_index2(b->cosine, ix.at[0], ix.at[2]));
}

/* How far sample i of sub place s is from the middle, in steps between sub places. */
static wadi_exp distance(const bin *b, wadi_exp i, wadi_exp s) {
    const wadi_exp q = wadi_i64(b->m->oversample);
    const wadi_exp cell = wadi_sub(i, wadi_quot(b->support, wadi_i64(2)));
    return wadi_abs(wadi_add(wadi_sub(wadi_mul(cell, q), s), wadi_i64(b->m->oversample / 2)));
}

static wadi_exp kernel_at(void *env, wadi_ix ix) {
    const bin *b = env;
    return wadi_index2(b->full, distance(b, ix.at[2], ix.at[0]), distance(b, ix.at[3], ix.at[1]));
}

static wadi_acc bin_kernels(void *env, wadi_exp k) {
    const maker *m = env;
    const wadi_exp q = wadi_i64(m->oversample), nodes = wadi_extent(m->node, 0);
    bin b = {.m = m, .w = wadi_index1(m->w, k)};
    b.support = wadi_the(m->support);
    b.period = wadi_index1(m->period, k);
    const wadi_exp n = wadi_convert(
        WADI_I64, wadi_mul(wadi_convert(WADI_F64, b.period), wadi_f64(grid_wkernel_field)));
    const wadi_exp rows = wadi_mul(wadi_add(wadi_quot(b.support, wadi_i64(2)), wadi_i64(1)), q);
    b.fading = wadi_sum(wadi_generate_env(wadi_ix2(n, nodes), fading_term, &b));
    b.cosine = wadi_compute(wadi_generate_env(wadi_ix2(rows, n), cosine_at, &b));
    b.sky = wadi_compute(wadi_generate_env(wadi_ix2(n, n), sky_at, &b));
    b.half =
        wadi_fold(wadi_add, wadi_c128(0, 0), wadi_generate_env(wadi_ix3(rows, n, n), along_l, &b));
    b.full = wadi_fold(wadi_add, wadi_c128(0, 0),
                       wadi_generate_env(wadi_ix3(rows, rows, n), along_m, &b));
    return wadi_generate_env(wadi_ix4(q, q, b.support, b.support), kernel_at, &b);
}

static wadi_status compile(maker *m, wadi_exe **out, wadi_error *err) {
    static const char *const bins[] = {"bins"}, *const nodes[] = {"nodes"};
    wadi_program *p = wadi_program_create("grid_wkernel");
    if (!p) return wadi_fail(err, WADI_MEMORY, "out of memory");
    m->w = wadi_input("w", WADI_F64, 1, bins);
    m->support = wadi_input("support", WADI_I64, 0, NULL);
    m->period = wadi_input("period", WADI_I64, 1, bins);
    m->node = wadi_input("node", WADI_F64, 1, nodes);
    m->weight = wadi_input("weight", WADI_F64, 1, nodes);
    m->theta = wadi_input("theta", WADI_F64, 0, NULL);
    const wadi_seq s = wadi_produce_env(wadi_extent(m->w, 0), bin_kernels, m);
    wadi_output("kernel", wadi_consume(wadi_elements(s)));
    return grid_compile(p, out, err);
}

/* ---- its inputs ---- */

enum { NODES = 64 };

typedef struct inputs {
    double *w;
    int64_t *period;
    double node[NODES], weight[NODES];
} inputs;

int64_t grid_wkernel_period(const grid_canvas *c, double w, int64_t support) {
    const double edge = 0.5 * c->theta, n2 = 1 - 2 * edge * edge;
    const double reach = w * edge / sqrt(n2 > 0.02 ? n2 : 0.02) * c->theta + c->taper.support;
    return 2 * (int64_t)ceil(reach) + support + 16;
}

/* Midpoints in s of x = sin(s), which makes the semicircle's ends smooth; both halves' weight. */
static void fill(const grid_canvas *c, const grid_wtable *t, int64_t support, inputs *in) {
    for (int64_t b = 0; b < t->bins; b++) {
        in->w[b] = (double)b * t->step;
        in->period[b] = grid_wkernel_period(c, in->w[b], support);
    }
    for (int i = 0; i < NODES; i++) {
        const double s = pi / 2 * (i + 0.5) / NODES;
        in->node[i] = sin(s);
        in->weight[i] =
            pi / 2 / NODES * cos(s) * c->taper.support * exp(c->taper.beta * (cos(s) - 1));
    }
}

static wadi_status run_maker(grid_wtable *t, const grid_canvas *c, int64_t support, const inputs *s,
                             wadi_error *err) {
    const grid_bound in[] = {grid_bind_vector("w", WADI_F64, t->bins, s->w),
                             grid_bind("support", WADI_I64, 0, NULL, &support),
                             grid_bind_vector("period", WADI_I64, t->bins, s->period),
                             grid_bind_vector("node", WADI_F64, NODES, s->node),
                             grid_bind_vector("weight", WADI_F64, NODES, s->weight),
                             grid_bind_scalar("theta", &c->theta)};
    WADI_TRY(grid_run(t->exe, &c->run, sizeof in / sizeof *in, in, &t->run, err));
    return wadi_run_result(t->run, "kernel", &t->kernel, err);
}

static wadi_status make_kernels(grid_wtable *t, const grid_canvas *c, int64_t support,
                                wadi_error *err) {
    maker m = {.oversample = t->oversample, .width = c->taper.support};
    inputs in = {.w = malloc((size_t)t->bins * sizeof *in.w),
                 .period = malloc((size_t)t->bins * sizeof *in.period)};
    wadi_status st = WADI_OK;
    if (!in.w || !in.period) st = wadi_fail(err, WADI_MEMORY, "kernels of w: out of memory");
    if (st == WADI_OK) fill(c, t, support, &in);
    if (st == WADI_OK) st = compile(&m, &t->exe, err);
    if (st == WADI_OK) st = run_maker(t, c, support, &in, err);
    free(in.period);
    free(in.w);
    return st;
}

/* ---- the table ---- */

wadi_status grid_wtable_make(grid_wtable *t, const grid_canvas *c, const grid_wplan *plan, double w,
                             wadi_error *err) {
    grid_wtable_fini(t);
    WADI_TRY(grid_room(grid_wtable_bytes(plan, w), 0, "kernels of w", err));
    t->bins = bins_for(plan, w);
    t->step = plan->step;
    t->oversample = plan->oversample;
    t->most_w = w;
    return make_kernels(t, c, plan->fixed, err);
}

void grid_wtable_fini(grid_wtable *t) {
    wadi_run_destroy(t->run);
    wadi_exe_destroy(t->exe);
    *t = (grid_wtable){0};
}

wadi_status grid_wtable_cover(grid_wtable *t, const grid_canvas *c, const grid_wplan *plan,
                              const grid_batch *batch, wadi_error *err) {
    double most = 0;
    for (int64_t k = 0; k < batch->n; k++) most = fmax(most, fabs(batch->w[k]));
    if (t->bins > 0 && most <= t->most_w) return WADI_OK;
    return grid_wtable_make(t, c, plan, t->bins > 0 ? 1.5 * most : most, err);
}

/* ---- in the program of a batch ---- */

grid_wbin grid_program_wbin(wadi_exp w, wadi_exp step, wadi_exp bins) {
    const wadi_exp steps = wadi_add(wadi_div(wadi_abs(w), step), wadi_f64(0.5));
    const wadi_exp nearest = wadi_convert(WADI_I64, wadi_floor(steps));
    return (grid_wbin){wadi_min(nearest, wadi_sub(bins, wadi_i64(1))), wadi_lt(nearest, bins),
                       wadi_lt(w, wadi_f64(0))};
}
