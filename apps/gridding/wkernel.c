/* See wkernel.h. The table is made by a stream of the language, a bin an element; what comes out is ragged and stands one behind the
 * other. The transform is a sum of cosines over a quarter of the field, first along l, then along m, at all places between cells
 * at once. */
#include "apps/gridding/wkernel.h"

#include <math.h>
#include <stdlib.h>

#include "apps/gridding/room.h"
#include "base/error.h"

static const double most_place = 0.7; /* cycles per cell; the taper's first zero is at 0.6 */
static const double pi = 3.14159265358979323846;

/* ---- sizes ---- */

static double most_slope(int64_t pixels, double scale) {
    const double edge = 0.5 * (double)pixels * scale, n2 = 1 - 2 * edge * edge;
    return edge / sqrt(n2 > 0.02 ? n2 : 0.02); /* l / n at the corner */
}

int grid_wkernel_support(const es_kernel *taper, int64_t pixels, int64_t cells, double scale,
                         double w) {
    const double reach =
        0.5 * taper->support + w * most_slope(pixels, scale) * (double)cells * scale;
    return reach > 1e6 ? 2000001 : 2 * (int)ceil(reach) - 1;
}

double grid_wkernel_step(int64_t pixels, double scale, double turn) {
    const double edge = 0.5 * (double)pixels * scale, n2 = 1 - 2 * edge * edge;
    return turn / (pi * (1 - sqrt(n2 > 0 ? n2 : 0)));
}

static int64_t bins_for(const grid_wplan *plan, double w) {
    return (int64_t)ceil(w / plan->step + 0.5) + 1;
}

static int64_t support_of(const grid_canvas *c, const grid_wplan *plan, int64_t bin) {
    if (plan->fixed > 0) return plan->fixed;
    const int s =
        grid_wkernel_support(&c->taper, c->pixels, c->cells, c->scale, (double)bin * plan->step);
    return plan->limit > 0 && s > plan->limit ? plan->limit : s;
}

int64_t grid_wtable_bytes(const grid_canvas *c, const grid_wplan *plan, double w) {
    double values = 0;
    if (!(w / plan->step < 1e6)) return -1;
    const int64_t bins = bins_for(plan, w);
    for (int64_t b = 0; b < bins; b++) values += pow((double)support_of(c, plan, b), 2);
    values *= pow(plan->oversample, 2);
    return values < 1e15 ? (int64_t)values * 16 : -1;
}

/* ---- the program ---- */

typedef struct maker {
    wadi_acc w, support, place, fading, cosine;
    int64_t oversample, rows, samples, period;
} maker;

typedef struct bin {
    const maker *m;
    wadi_exp w, support;
    wadi_acc sky, half, full;
} bin;

/* Sample (i, j) of the quarter field. */
static wadi_exp sky_at(void *env, wadi_ix ix) {
    const bin *b = env;
    const wadi_exp l = wadi_index1(b->m->place, ix.at[0]), m = wadi_index1(b->m->place, ix.at[1]);
    const wadi_exp r2 = wadi_add(wadi_mul(l, l), wadi_mul(m, m));
    const wadi_exp n = wadi_sqrt(wadi_max(wadi_sub(wadi_f64(1), r2), wadi_f64(0)));
    /* n - 1 without cancellation */
    const wadi_exp turn =
        wadi_mul(wadi_mul(wadi_f64(-2 * pi), b->w), wadi_div(r2, wadi_add(wadi_f64(1), n)));
    const wadi_exp size =
        wadi_mul(wadi_index1(b->m->fading, ix.at[0]), wadi_index1(b->m->fading, ix.at[1]));
    return wadi_complex(wadi_mul(size, wadi_cos(turn)), wadi_mul(size, wadi_sin(turn)));
}

static wadi_exp scaled(wadi_exp z, wadi_exp by) {
    return wadi_complex(wadi_mul(wadi_real(z), by), wadi_mul(wadi_imag(z), by));
}

static wadi_exp along_l(void *env, wadi_ix ix) {
    const bin *b = env;
    return scaled(wadi_index2(b->sky, ix.at[1], ix.at[2]),
                  wadi_index2(b->m->cosine, ix.at[0], ix.at[2]));
}

static wadi_exp along_m(void *env, wadi_ix ix) {
    const bin *b = env;
    return scaled(wadi_index2(b->half, ix.at[1], ix.at[2]),
                  wadi_index2(b->m->cosine, ix.at[0], ix.at[2]));
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
    const wadi_exp q = wadi_i64(m->oversample), n = wadi_extent(m->place, 0);
    bin b = {.m = m, .support = wadi_index1(m->support, k), .w = wadi_index1(m->w, k)};
    const wadi_exp rows = wadi_mul(wadi_add(wadi_quot(b.support, wadi_i64(2)), wadi_i64(1)), q);
    b.sky = wadi_compute(wadi_generate_env(wadi_ix2(n, n), sky_at, &b));
    b.half =
        wadi_fold(wadi_add, wadi_c128(0, 0), wadi_generate_env(wadi_ix3(rows, n, n), along_l, &b));
    b.full = wadi_fold(wadi_add, wadi_c128(0, 0),
                       wadi_generate_env(wadi_ix3(rows, rows, n), along_m, &b));
    return wadi_generate_env(wadi_ix4(q, q, b.support, b.support), kernel_at, &b);
}

static wadi_status compile(maker *m, wadi_exe **out, wadi_error *err) {
    static const char *const bins[] = {"bins"}, *const table[] = {"rows", "samples"};
    wadi_program *p = wadi_program_create("grid_wkernel");
    if (!p) return wadi_fail(err, WADI_MEMORY, "out of memory");
    m->w = wadi_input("w", WADI_F64, 1, bins);
    m->support = wadi_input("support", WADI_I64, 1, bins);
    m->place = wadi_input("place", WADI_F64, 1, table + 1);
    m->fading = wadi_input("fading", WADI_F64, 1, table + 1);
    m->cosine = wadi_input("cosine", WADI_F64, 2, table);
    const wadi_seq s = wadi_produce_env(wadi_extent(m->support, 0), bin_kernels, m);
    wadi_output("kernel", wadi_consume(wadi_elements(s)));
    const wadi_status st = wadi_compile(p, NULL, out, err);
    wadi_program_destroy(p);
    return st;
}

/* ---- its inputs ---- */

typedef struct tables {
    double *w, *place, *fading, *cosine;
} tables;

/* Midpoints of equal parts of l > 0, in cycles per cell; cosines of these repeat after `period` cells. The integral goes beyond the
 * grid's field, to where the taper has fallen to nothing: cut at the field's edge the kernel would have tails. */
static void fill(const grid_canvas *c, const grid_wtable *table, const maker *m, tables *t) {
    for (int64_t b = 0; b < table->bins; b++) t->w[b] = (double)b * table->step;
    for (int64_t i = 0; i < m->samples; i++) {
        const double at = ((double)i + 0.5) / (double)m->period;
        t->place[i] = at * c->theta;
        t->fading[i] = es_kernel_integral(&c->taper, at) * 2 / (double)m->period;
        for (int64_t r = 0; r < m->rows; r++)
            t->cosine[r * m->samples + i] = cos(2 * pi * at * (double)r / (double)m->oversample);
    }
}

/* As many cells as a kernel of w reaches from the edge of the grid's field, twice, and as the table wants. */
static int64_t period_for(const grid_canvas *c, double w, int64_t support) {
    const double edge = 0.5 * c->theta, n2 = 1 - 2 * edge * edge;
    const double reach = w * edge / sqrt(n2 > 0.02 ? n2 : 0.02) * c->theta + c->taper.support;
    return 2 * (int64_t)ceil(reach) + support + 16;
}

static wadi_array array_of(wadi_type type, int rank, int64_t n0, int64_t n1, void *values) {
    return (wadi_array){
        .rank = rank, .fields = 1, .type = {type}, .shape = {n0, n1}, .column = {values}};
}

static wadi_status run_maker(grid_wtable *t, const grid_canvas *c, const maker *m, const tables *s,
                             wadi_error *err) {
    const grid_input in[] = {
        {"w", array_of(WADI_F64, 1, t->bins, 0, s->w)},
        {"support", array_of(WADI_I64, 1, t->bins, 0, t->support)},
        {"place", array_of(WADI_F64, 1, m->samples, 0, s->place)},
        {"fading", array_of(WADI_F64, 1, m->samples, 0, s->fading)},
        {"cosine", array_of(WADI_F64, 2, m->rows, m->samples, s->cosine)},
    };
    WADI_TRY(wadi_run_create(t->exe, &c->run, &t->run, err));
    for (size_t i = 0; i < sizeof in / sizeof *in; i++)
        WADI_TRY(wadi_run_input(t->run, in[i].name, &in[i].array, err));
    WADI_TRY(wadi_run_go(t->run, err));
    return wadi_run_result(t->run, "kernel", &t->kernel, err);
}

static wadi_status make_kernels(grid_wtable *t, const grid_canvas *c, double w, wadi_error *err) {
    maker m = {.oversample = t->oversample,
               .rows = (t->most / 2 + 1) * (int64_t)t->oversample,
               .period = period_for(c, w, t->most)};
    m.samples = (int64_t)ceil(most_place * (double)m.period);
    const size_t samples = (size_t)m.samples, rows = (size_t)m.rows;
    tables s = {malloc((size_t)t->bins * sizeof *s.w), malloc(samples * sizeof *s.place),
                malloc(samples * sizeof *s.fading), malloc(samples * rows * sizeof *s.cosine)};
    wadi_status st = WADI_OK;
    if (!s.w || !s.place || !s.fading || !s.cosine)
        st = wadi_fail(err, WADI_MEMORY, "kernels of w: out of memory");
    if (st == WADI_OK) fill(c, t, &m, &s);
    if (st == WADI_OK) st = compile(&m, &t->exe, err);
    if (st == WADI_OK) st = run_maker(t, c, &m, &s, err);
    free(s.cosine);
    free(s.fading);
    free(s.place);
    free(s.w);
    return st;
}

/* ---- the table ---- */

static wadi_status lay_out(grid_wtable *t, const grid_canvas *c, const grid_wplan *plan, double w,
                           wadi_error *err) {
    int64_t at = 0;
    t->bins = bins_for(plan, w);
    t->step = plan->step;
    t->oversample = plan->oversample;
    t->support = malloc((size_t)t->bins * sizeof *t->support);
    t->first = malloc((size_t)t->bins * sizeof *t->first);
    if (!t->support || !t->first) return wadi_fail(err, WADI_MEMORY, "kernels of w: out of memory");
    for (int64_t b = 0; b < t->bins; b++) {
        t->support[b] = support_of(c, plan, b);
        t->first[b] = at;
        at += t->support[b] * t->support[b] * t->oversample * t->oversample;
    }
    t->least = (int)t->support[0];
    t->most = (int)t->support[t->bins - 1];
    return WADI_OK;
}

wadi_status grid_wtable_make(grid_wtable *t, const grid_canvas *c, const grid_wplan *plan, double w,
                             wadi_error *err) {
    const int64_t bytes = grid_wtable_bytes(c, plan, w);
    grid_wtable_fini(t);
    WADI_TRY(grid_room(bytes, 0, "kernels of w", err));
    WADI_TRY(lay_out(t, c, plan, w, err));
    t->most_w = w;
    return make_kernels(t, c, w, err);
}

void grid_wtable_fini(grid_wtable *t) {
    wadi_run_destroy(t->run);
    wadi_exe_destroy(t->exe);
    free(t->support);
    free(t->first);
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
