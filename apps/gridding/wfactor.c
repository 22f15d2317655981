/* Making the table of factors by a stream of the language, one bin per element; the ragged results follow one another. The
 * transform is a sum of cosines over half of the field, for all positions between cells at once. */
#include "apps/gridding/wfactor.h"

#include <math.h>
#include <stdlib.h>

#include "apps/gridding/room.h"
#include "apps/gridding/wkernel.h"
#include "apps/gridding/wslice.h"
#include "base/error.h"

static const double product_error = 1e-4;
static const double pi = 3.14159265358979323846;

/* ---- sizes ---- */

static double image_edge(const grid_canvas *c) {
    return 0.5 * (double)c->pixels * c->scale;
}

static int products_for(const grid_canvas *c, double w) {
    return grid_wslice_count(image_edge(c), w, product_error);
}

int grid_wfactor_products(const grid_canvas *c, double w) {
    const int n = products_for(c, w);
    return n < GRID_SLICES_MOST ? n : GRID_SLICES_MOST;
}

static double reach_of(const grid_canvas *c, double w) {
    return grid_wkernel_reach(&c->taper, c->pixels, c->cells, c->scale, w);
}

/* The number of cells that a kernel can reach from any place up to half a cell off the middle. */
static int64_t support_of(const grid_canvas *c, const grid_wfactor_plan *plan, int64_t bin) {
    const double reach = fmin(reach_of(c, (double)(bin + 1) * plan->step), 1e6);
    const int64_t s = 2 * (int64_t)ceil(reach - 0.5) + 1;
    return plan->limit > 0 && s > plan->limit ? plan->limit : s;
}

double grid_wfactor_most(const grid_canvas *c, int64_t support) {
    const double narrowest = reach_of(c, 0);
    return (0.5 * (double)support - narrowest) / (reach_of(c, 1) - narrowest);
}

static int64_t bin_values(const grid_wfactor_plan *plan, int64_t support) {
    return INT64_C(4) * plan->products * grid_between_places(plan->oversample) * support;
}

enum { BINS_MOST = 1000000 };

static int64_t bins_for(const grid_wfactor_plan *plan, double w) {
    return (int64_t)fmin(w / plan->step * (1 + 1e-9), BINS_MOST) + 1;
}

/* -1: more than can be counted. */
static int64_t table_bytes(const grid_canvas *c, const grid_wfactor_plan *plan, double w) {
    const int64_t bins = bins_for(plan, w);
    int64_t values = 0;
    for (int64_t b = 0; b < bins; b++) values += bin_values(plan, support_of(c, plan, b));
    return bins > BINS_MOST ? -1 : values * 8;
}

/* ---- the program ---- */

typedef struct maker {
    wadi_acc w, support, period, samples, fade_first, fading, drop, m, mix, theta;
    int64_t oversample, products;
} maker;

typedef struct bin {
    const maker *m;
    wadi_exp k, support, period, fade_first;
    wadi_acc cosine, slice, sky, line;
} bin;

static wadi_exp whole(int64_t x) {
    return wadi_i64(x);
}

/* Sample i of the positive half, in cycles per cell. */
static wadi_exp place(const bin *b, wadi_exp i) {
    return wadi_div(wadi_add(wadi_convert(WADI_F64, i), wadi_f64(0.5)),
                    wadi_convert(WADI_F64, b->period));
}

/* End, slice, sample. */
static wadi_exp slice_at(void *env, wadi_ix ix) {
    const bin *b = env;
    const wadi_exp l = wadi_mul(place(b, ix.at[2]), wadi_the(b->m->theta));
    const wadi_exp m = wadi_index2(b->m->m, b->k, ix.at[1]);
    const wadi_exp r2 = wadi_add(wadi_mul(l, l), wadi_mul(m, m));
    const wadi_exp n = wadi_sqrt(wadi_max(wadi_sub(wadi_f64(1), r2), wadi_f64(0)));
    /* n - 1 without cancellation */
    const wadi_exp n1 = wadi_neg(wadi_div(r2, wadi_add(wadi_f64(1), n)));
    const wadi_exp path = wadi_add(n1, wadi_index2(b->m->drop, b->k, ix.at[1]));
    const wadi_exp turn =
        wadi_mul(wadi_mul(wadi_f64(2 * pi), wadi_index2(b->m->w, b->k, ix.at[0])), path);
    const wadi_exp size = wadi_index1(b->m->fading, wadi_add(b->fade_first, ix.at[2]));
    return wadi_complex(wadi_mul(size, wadi_cos(turn)), wadi_mul(size, wadi_sin(turn)));
}

/* Line (of both ends, the products of each), sample, slice. */
static wadi_exp mixed(void *env, wadi_ix ix) {
    const bin *b = env;
    const wadi_exp end = wadi_quot(ix.at[0], whole(b->m->products));
    return wadi_mul(wadi_index3(b->m->mix, b->k, ix.at[0], ix.at[2]),
                    wadi_index3(b->slice, end, ix.at[2], ix.at[1]));
}

static wadi_exp cosine_at(void *env, wadi_ix ix) {
    const bin *b = env;
    const wadi_exp cells =
        wadi_div(wadi_convert(WADI_F64, ix.at[0]), wadi_f64((double)b->m->oversample));
    return wadi_cos(wadi_mul(wadi_f64(2 * pi), wadi_mul(place(b, ix.at[1]), cells)));
}

/* Line, distance, sample. */
static wadi_exp along_l(void *env, wadi_ix ix) {
    const bin *b = env;
    const wadi_exp z = wadi_index2(b->sky, ix.at[0], ix.at[2]);
    const wadi_exp by = wadi_index2(b->cosine, ix.at[1], ix.at[2]);
    return wadi_complex(wadi_mul(wadi_real(z), by), wadi_mul(wadi_imag(z), by));
}

/* How far cell i is from place p, in steps between places. */
static wadi_exp distance(const bin *b, wadi_exp i, wadi_exp p) {
    const wadi_exp cell = wadi_sub(i, wadi_quot(b->support, whole(2)));
    const wadi_exp steps = wadi_mul(cell, whole(b->m->oversample));
    const int64_t middle = grid_between_middle((int)b->m->oversample);
    return wadi_abs(wadi_sub(wadi_add(steps, whole(middle)), p));
}

/* Line, part, place, cell. */
static wadi_exp value_at(void *env, wadi_ix ix) {
    const bin *b = env;
    const wadi_exp z = wadi_index2(b->line, ix.at[0], distance(b, ix.at[3], ix.at[2]));
    return wadi_cond(wadi_eq(ix.at[1], whole(0)), wadi_real(z), wadi_imag(z));
}

static wadi_acc bin_lines(void *env, wadi_exp k) {
    const maker *m = env;
    bin b = {.m = m, .k = k, .support = wadi_index1(m->support, k)};
    const wadi_exp products = whole(m->products), lines = whole(2 * m->products);
    const wadi_exp samples = wadi_index1(m->samples, k), none = wadi_c128(0, 0);
    const int64_t places = grid_between_places((int)m->oversample);
    b.period = wadi_index1(m->period, k);
    b.fade_first = wadi_index1(m->fade_first, k);
    const wadi_exp reach = wadi_mul(wadi_quot(b.support, whole(2)), whole(m->oversample));
    const wadi_exp distances = wadi_add(reach, whole(places));
    const wadi_ix slices = wadi_ix3(whole(2), products, samples);
    const wadi_ix mixes = wadi_ix3(lines, samples, products);
    const wadi_ix sums = wadi_ix3(lines, distances, samples);
    b.cosine = wadi_compute(wadi_generate_env(wadi_ix2(distances, samples), cosine_at, &b));
    b.slice = wadi_compute(wadi_generate_env(slices, slice_at, &b));
    b.sky = wadi_compute(wadi_fold(wadi_add, none, wadi_generate_env(mixes, mixed, &b)));
    b.line = wadi_compute(wadi_fold(wadi_add, none, wadi_generate_env(sums, along_l, &b)));
    return wadi_generate_env(wadi_ix4(lines, whole(2), whole(places), b.support), value_at, &b);
}

static wadi_status compile(maker *m, wadi_exe **out, wadi_error *err) {
    static const char *const bins[] = {"bins", NULL, NULL}, *const any[] = {NULL};
    wadi_program *p = wadi_program_create("grid_wfactor");
    if (!p) return wadi_fail(err, WADI_MEMORY, "out of memory");
    m->support = wadi_input("support", WADI_I64, 1, bins);
    m->period = wadi_input("period", WADI_I64, 1, bins);
    m->samples = wadi_input("samples", WADI_I64, 1, bins);
    m->fade_first = wadi_input("fade_first", WADI_I64, 1, bins);
    m->fading = wadi_input("fading", WADI_F64, 1, any);
    m->w = wadi_input("w", WADI_F64, 2, bins);
    m->m = wadi_input("m", WADI_F64, 2, bins);
    m->drop = wadi_input("drop", WADI_F64, 2, bins);
    m->mix = wadi_input("mix", WADI_C128, 3, bins);
    m->theta = wadi_input("theta", WADI_F64, 0, NULL);
    const wadi_seq s = wadi_produce_env(wadi_extent(m->support, 0), bin_lines, m);
    wadi_output("kernel", wadi_consume(wadi_elements(s)));
    return grid_compile(p, out, err);
}

/* ---- its inputs ---- */

typedef struct inputs {
    int64_t *period, *samples, *fade_first; /* [bins] */
    double *w, *m, *drop;                   /* [bins, 2], [bins, products] twice */
    double complex *mix;                    /* [bins, 2 products, products] */
    double *fading;
    int64_t fadings;
} inputs;

static void free_inputs(inputs *in) {
    free(in->period);
    free(in->samples);
    free(in->fade_first);
    free(in->w);
    free(in->m);
    free(in->drop);
    free(in->mix);
    free(in->fading);
}

static double sinc(double x) {
    return fabs(x) < 1e-9 ? 1 : sin(pi * x) / (pi * x);
}

/* The taper at t cycles per cell, divided by the average effect of interpolation. Where this effect is more than a half, it cannot be
 * corrected. */
static double fading_at(const grid_canvas *c, const grid_wfactor_plan *plan, const es_series *taper,
                        double t) {
    const double a = 2 * pi * t / plan->oversample, l = fmin(t * c->theta, 1);
    const double drop = l * l / (1 + sqrt(1 - l * l)), half = sinc(plan->step * drop);
    const double kept = (1 - 11 / 720.0 * a * a * a * a) * half * half;
    return es_series_at(taper, t) / fmax(kept, 0.5);
}

static void fill_fading(const grid_canvas *c, const grid_wfactor_plan *plan, int64_t bins,
                        inputs *in) {
    es_series taper;
    es_series_fit(&c->taper, grid_wkernel_field, &taper);
    for (int64_t b = 0; b < bins; b++) {
        const double period = (double)in->period[b];
        for (int64_t i = 0; i < in->samples[b]; i++)
            in->fading[in->fade_first[b] + i] =
                2 / period * fading_at(c, plan, &taper, ((double)i + 0.5) / period);
    }
}

/* Gives the lines at both ends of a bin the same signs. Changing the sign of both lines does not change their product, but it would
 * change what is interpolated between the ends. */
static void agree(int n, const double complex *below, double complex *above) {
    for (int r = 0; r < n; r++) {
        const double complex turn = conj(below[r * n + r]) * above[r * n + r];
        if (creal(turn) >= 0) continue;
        for (int j = 0; j < n; j++) above[r * n + j] = -above[r * n + j];
    }
}

/* If a bin needs fewer products than the table has, the others are 0. */
static void fill_slices(const grid_canvas *c, const grid_wfactor_plan *plan, int64_t b,
                        inputs *in) {
    const int most = plan->products;
    const double edge = image_edge(c);
    const int needed = grid_wfactor_products(c, (double)(b + 1) * plan->step);
    const int n = needed < most ? needed : most;
    double complex mix[2][GRID_SLICES_MOST * GRID_SLICES_MOST];
    for (int end = 0; end < 2; end++) {
        in->w[2 * b + end] = (double)(b + end) * plan->step;
        grid_wslice_mix(edge, n, in->w[2 * b + end], mix[end]);
    }
    agree(n, mix[0], mix[1]);
    for (int j = 0; j < n; j++) {
        const grid_wslice s = grid_wslice_at(edge, n, j);
        in->m[b * most + j] = s.m;
        in->drop[b * most + j] = s.drop;
        for (int line = 0; line < 2 * n; line++)
            in->mix[((2 * b + line / n) * most + line % n) * most + j] =
                mix[line / n][line % n * n + j];
    }
}

static wadi_status make_inputs(const grid_canvas *c, const grid_wfactor_plan *plan,
                               const grid_wfactors *t, inputs *in, wadi_error *err) {
    const size_t bins = (size_t)t->bins, lines = bins * (size_t)plan->products;
    in->period = malloc(bins * sizeof *in->period);
    in->samples = malloc(bins * sizeof *in->samples);
    in->fade_first = malloc(bins * sizeof *in->fade_first);
    in->w = malloc(bins * 2 * sizeof *in->w);
    in->m = calloc(lines, sizeof *in->m);
    in->drop = calloc(lines, sizeof *in->drop);
    in->mix = calloc(lines * 2 * (size_t)plan->products, sizeof *in->mix);
    if (!in->period || !in->samples || !in->fade_first || !in->w || !in->m || !in->drop || !in->mix)
        return wadi_fail(err, WADI_MEMORY, "kernels of w: out of memory");
    for (int64_t b = 0; b < t->bins; b++) {
        in->period[b] = grid_wkernel_period(c, (double)(b + 1) * plan->step, t->support[b]);
        in->samples[b] = (int64_t)((double)in->period[b] * grid_wkernel_field);
        in->fade_first[b] = in->fadings;
        in->fadings += in->samples[b];
        fill_slices(c, plan, b, in);
    }
    in->fading = malloc((size_t)in->fadings * sizeof *in->fading);
    if (!in->fading) return wadi_fail(err, WADI_MEMORY, "kernels of w: out of memory");
    fill_fading(c, plan, t->bins, in);
    return WADI_OK;
}

static wadi_status run_maker(grid_wfactors *t, const grid_canvas *c, const inputs *s,
                             int64_t products, wadi_error *err) {
    const int64_t n = t->bins, ends[] = {n, 2}, slices[] = {n, products},
                  mixes[] = {n, 2 * products, products};
    const grid_bound in[] = {grid_bind_vector("support", WADI_I64, n, t->support),
                             grid_bind_vector("period", WADI_I64, n, s->period),
                             grid_bind_vector("samples", WADI_I64, n, s->samples),
                             grid_bind_vector("fade_first", WADI_I64, n, s->fade_first),
                             grid_bind_vector("fading", WADI_F64, s->fadings, s->fading),
                             grid_bind("w", WADI_F64, 2, ends, s->w),
                             grid_bind("m", WADI_F64, 2, slices, s->m),
                             grid_bind("drop", WADI_F64, 2, slices, s->drop),
                             grid_bind("mix", WADI_C128, 3, mixes, s->mix),
                             grid_bind_scalar("theta", &c->theta)};
    WADI_TRY(grid_run(t->exe, &c->run, sizeof in / sizeof *in, in, &t->run, err));
    return wadi_run_result(t->run, "kernel", &t->kernel, err);
}

/* ---- the table ---- */

static wadi_status lay_out(grid_wfactors *t, const grid_canvas *c, const grid_wfactor_plan *plan,
                           double w, wadi_error *err) {
    int64_t at = 0;
    t->bins = bins_for(plan, w);
    t->step = plan->step;
    t->most_w = w;
    t->support = malloc((size_t)t->bins * sizeof *t->support);
    t->first = malloc((size_t)t->bins * sizeof *t->first);
    if (!t->support || !t->first) return wadi_fail(err, WADI_MEMORY, "kernels of w: out of memory");
    for (int64_t b = 0; b < t->bins; b++) {
        t->support[b] = support_of(c, plan, b);
        t->first[b] = at;
        at += bin_values(plan, t->support[b]);
    }
    t->least = (int)t->support[0];
    t->most = (int)t->support[t->bins - 1];
    return WADI_OK;
}

static wadi_status make_lines(grid_wfactors *t, const grid_canvas *c, const grid_wfactor_plan *plan,
                              wadi_error *err) {
    maker m = {.oversample = plan->oversample, .products = plan->products};
    inputs in = {0};
    wadi_status st = make_inputs(c, plan, t, &in, err);
    if (st == WADI_OK) st = compile(&m, &t->exe, err);
    if (st == WADI_OK) st = run_maker(t, c, &in, plan->products, err);
    free_inputs(&in);
    return st;
}

wadi_status grid_wfactors_make(grid_wfactors *t, const grid_canvas *c,
                               const grid_wfactor_plan *plan, double w, wadi_error *err) {
    grid_wfactors_fini(t);
    if (products_for(c, w) > GRID_SLICES_MOST)
        return wadi_fail(
            err, WADI_UNSUPPORTED,
            "kernels of w: a field of %g rad with w up to %g needs more than %d products",
            (double)c->pixels * c->scale, w, (int)GRID_SLICES_MOST);
    WADI_TRY(grid_room(table_bytes(c, plan, w), 0, "kernels of w", err));
    WADI_TRY(lay_out(t, c, plan, w, err));
    return make_lines(t, c, plan, err);
}

void grid_wfactors_fini(grid_wfactors *t) {
    wadi_run_destroy(t->run);
    wadi_exe_destroy(t->exe);
    free(t->support);
    free(t->first);
    *t = (grid_wfactors){0};
}

void grid_wfactors_bind(const grid_wfactors *t, grid_bound out[GRID_WFACTOR_INPUTS]) {
    out[0] = grid_bind_scalar("step", &t->step);
    out[1] = grid_bind_vector("support", WADI_I64, t->bins, t->support);
    out[2] = grid_bind_vector("first", WADI_I64, t->bins, t->first);
    out[3] = (grid_bound){"kernel", t->kernel};
}

/* ---- in the program of a batch ---- */

grid_wfactor_inputs grid_program_wfactors(const grid_wfactor_plan *plan) {
    static const char *const bins[] = {"bins"}, *const any[] = {NULL};
    return (grid_wfactor_inputs){
        *plan, wadi_input("step", WADI_F64, 0, NULL), wadi_input("support", WADI_I64, 1, bins),
        wadi_input("first", WADI_I64, 1, bins), wadi_input("kernel", WADI_F64, 1, any)};
}

grid_wchoice grid_program_wchoice(const grid_wfactor_inputs *in, wadi_exp w) {
    const wadi_exp bins = wadi_extent(in->support, 0), last = wadi_sub(bins, wadi_i64(1));
    const wadi_exp steps = wadi_div(w, wadi_the(in->step)), below = wadi_floor(steps);
    const wadi_exp number = wadi_convert(WADI_I64, below), at = wadi_min(number, last);
    return (grid_wchoice){wadi_lt(number, bins), wadi_index1(in->support, at),
                          wadi_index1(in->first, at), wadi_sub(steps, below)};
}

wadi_exp grid_program_wline(const grid_wfactor_inputs *in, const grid_wchoice *w,
                            const grid_between *x, wadi_exp product, bool imaginary, wadi_exp i) {
    const int64_t places = grid_between_places(in->plan.oversample);
    wadi_exp sum = wadi_f64(0);
    for (int end = 0; end < 2; end++) {
        const wadi_exp line = wadi_add(product, whole(end * (int64_t)in->plan.products));
        const wadi_exp part = wadi_add(wadi_mul(line, whole(2)), whole(imaginary));
        const wadi_exp row = wadi_add(wadi_mul(part, whole(places)), x->place);
        const wadi_exp from = wadi_add(wadi_add(w->first, wadi_mul(row, w->support)), i);
        wadi_exp along = wadi_f64(0);
        for (int p = 0; p < 4; p++) {
            const wadi_exp at = wadi_add(from, wadi_mul(whole(p), w->support));
            const wadi_exp term = wadi_mul(x->weight[p], wadi_index1(in->kernel, at));
            along = p == 0 ? term : wadi_add(along, term);
        }
        const wadi_exp share = end == 0 ? wadi_sub(wadi_f64(1), w->part) : w->part;
        const wadi_exp term = wadi_mul(share, along);
        sum = end == 0 ? term : wadi_add(sum, term);
    }
    return sum;
}
