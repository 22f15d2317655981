/* A step of Stam's stable fluids ("Stable Fluids", SIGGRAPH 1999) on a grid of f32: velocities and a density are diffused and carried along, and velocities made free of
 * sources. 160 relaxations, as in "Optimising Purely Functional GPU Programs". The edges are clamped. */
#include "bench/arrays/images/images.h"

enum { HIGH = 1024, WIDE = 2048 };

/* ---- relaxation: x = (start + rate * neighbours) * factor ---- */

typedef struct relaxation {
    int turns;
    float rate, factor;
    wadi_acc start;
} relaxation;

static wadi_exp relaxed(void *env, wadi_window *start, wadi_window *x) {
    const relaxation *r = env;
    const wadi_exp near[] = {wadi_near2(x, -1, 0), wadi_near2(x, 0, -1), wadi_near2(x, 0, 1),
                             wadi_near2(x, 1, 0)};
    const wadi_exp sum = image_sum(4, near);
    const wadi_exp more = r->rate == 1 ? sum : wadi_mul(sum, wadi_f32(r->rate));
    return wadi_mul(wadi_add(wadi_near2(start, 0, 0), more), wadi_f32(r->factor));
}

static wadi_acc goes_on(void *env, wadi_acc state) {
    (void)env;
    return wadi_unit(wadi_gt(wadi_the(wadi_tuple_get(state, 1)), wadi_i64(0)));
}

static wadi_acc turn(void *env, wadi_acc state) {
    const relaxation *r = env;
    const wadi_edge clamp = wadi_edge_clamp();
    const wadi_acc x =
        wadi_stencil2_env(2, relaxed, env, clamp, r->start, clamp, wadi_tuple_get(state, 0));
    return wadi_tuple2(x, wadi_unit(wadi_sub(wadi_the(wadi_tuple_get(state, 1)), wadi_i64(1))));
}

static wadi_acc relax(relaxation r, wadi_acc from) {
    const wadi_acc state = wadi_tuple2(from, wadi_unit(wadi_i64(r.turns)));
    return wadi_tuple_get(wadi_awhile_env(goes_on, turn, &r, state), 0);
}

static wadi_acc diffused(wadi_acc x) {
    const float factor = 1 / (1 + 4 * FLUID_RATE);
    return relax((relaxation){FLUID_DIFFUSE, FLUID_RATE, factor, x}, x);
}

/* ---- projection: the pressure whose slopes are the sources ---- */

typedef struct velocity {
    wadi_acc x, y;
} velocity;

static wadi_exp source(wadi_window *x, wadi_window *y) {
    const wadi_exp across = wadi_sub(wadi_near2(x, 0, 1), wadi_near2(x, 0, -1));
    const wadi_exp down = wadi_sub(wadi_near2(y, 1, 0), wadi_near2(y, -1, 0));
    return wadi_mul(wadi_add(across, down), wadi_f32(-0.5F));
}

static wadi_exp nothing(wadi_exp x) {
    (void)x;
    return wadi_f32(0);
}

static wadi_exp less_across(wadi_window *v, wadi_window *p) {
    return wadi_sub(wadi_near2(v, 0, 0),
                    wadi_mul(wadi_f32(0.5F), wadi_sub(wadi_near2(p, 0, 1), wadi_near2(p, 0, -1))));
}

static wadi_exp less_down(wadi_window *v, wadi_window *p) {
    return wadi_sub(wadi_near2(v, 0, 0),
                    wadi_mul(wadi_f32(0.5F), wadi_sub(wadi_near2(p, 1, 0), wadi_near2(p, -1, 0))));
}

static velocity projected(velocity v) {
    const wadi_edge clamp = wadi_edge_clamp();
    const wadi_acc sources = wadi_compute(wadi_stencil2(2, source, clamp, v.x, clamp, v.y));
    const wadi_acc p =
        relax((relaxation){FLUID_PROJECT, 1, 0.25F, sources}, wadi_map(nothing, sources));
    return (velocity){wadi_stencil2(2, less_across, clamp, v.x, clamp, p),
                      wadi_stencil2(2, less_down, clamp, v.y, clamp, p)};
}

/* ---- advection: what was where the flow comes from, between four cells ---- */

typedef struct carried {
    wadi_acc what;
    velocity v;
    int64_t high, wide;
    bool anew;
} carried;

/* Where along an axis of n cells the flow to cell i comes from. */
static wadi_exp origin(wadi_exp i, wadi_exp v, int64_t n) {
    const wadi_exp from = wadi_sub(wadi_convert(WADI_F32, i), wadi_mul(wadi_f32(FLUID_TIME), v));
    return wadi_min(wadi_max(from, wadi_f32(0)), wadi_f32((float)n - 1.001F));
}

typedef struct axis {
    const carried *c;
    wadi_ix ix;
    int dim;
    wadi_exp at, cell; /* kept */
} axis;

static wadi_exp at(const axis *a) {
    if (!a->c->anew && a->at.program != 0) return a->at;
    const bool down = a->dim == 0;
    const wadi_exp v = wadi_index(down ? a->c->v.y : a->c->v.x, a->ix);
    return origin(a->ix.at[a->dim], v, down ? a->c->high : a->c->wide);
}

static wadi_exp cell(const axis *a) {
    if (!a->c->anew && a->cell.program != 0) return a->cell;
    return wadi_convert(WADI_I32, at(a));
}

static wadi_exp share(const axis *a) {
    return wadi_sub(at(a), wadi_convert(WADI_F32, cell(a)));
}

static wadi_exp value(const carried *c, const axis *y, const axis *x, int dy, int dx) {
    const wadi_exp i = wadi_add(wadi_convert(WADI_I64, cell(y)), wadi_i64(dy));
    const wadi_exp j = wadi_add(wadi_convert(WADI_I64, cell(x)), wadi_i64(dx));
    return wadi_index2(c->what, i, j);
}

static wadi_exp between(wadi_exp a, wadi_exp b, wadi_exp t) {
    return wadi_add(wadi_mul(wadi_sub(wadi_f32(1), t), a), wadi_mul(t, b));
}

static axis axis_of(const carried *c, wadi_ix ix, int dim) {
    axis a = {.c = c, .ix = ix, .dim = dim};
    if (c->anew) return a;
    a.at = at(&a);
    a.cell = cell(&a);
    return a;
}

static wadi_exp carry(void *env, wadi_ix ix) {
    const carried *c = env;
    const axis y = axis_of(c, ix, 0), x = axis_of(c, ix, 1);
    const wadi_exp upper = between(value(c, &y, &x, 0, 0), value(c, &y, &x, 0, 1), share(&x));
    const wadi_exp lower = between(value(c, &y, &x, 1, 0), value(c, &y, &x, 1, 1), share(&x));
    return between(upper, lower, share(&y));
}

static wadi_acc advected(const image_build *how, wadi_acc what, velocity v, const int64_t *shape) {
    carried c = {what, v, shape[0], shape[1], how->anew};
    return wadi_generate_env(wadi_shape_of(what), carry, &c);
}

static wadi_acc build(const image_build *how, const wadi_acc *in, const int64_t *shape) {
    velocity v = projected((velocity){diffused(in[0]), diffused(in[1])});
    v = projected((velocity){advected(how, v.x, v, shape), advected(how, v.y, v, shape)});
    return advected(how, diffused(in[2]), v, shape);
}

/* Velocities of at most 1 that turn over the grid, and a density in stripes. */
static void fill(int64_t n, int input, void *to) {
    float *x = to;
    for (int64_t i = 0; i < n; i++) {
        const int64_t place = i * (input + 3) / 512 % 512;
        x[i] =
            input == 2 ? (float)(i / 64 % 2) : (float)(place < 256 ? place : 512 - place) / 128 - 1;
    }
}

wadi_status images_fluid(bench *b, wadi_error *err) {
    static const image_line line = {.benchmark = "fluid",
                                    .name = "2 M cells, one step",
                                    .task = "fluid",
                                    .rank = 2,
                                    .inputs = 3,
                                    .shape = {HIGH, WIDE},
                                    .in = WADI_F32,
                                    .out = WADI_F32,
                                    .fill = fill,
                                    .build = build,
                                    .peer = peer_fluid,
                                    .rooms = 5,
                                    .libraries = "numba jax",
                                    .columns = true,
                                    .bytes = 12 * (3 * FLUID_DIFFUSE + 2 * FLUID_PROJECT),
                                    .operations = 6 * (3 * FLUID_DIFFUSE + 2 * FLUID_PROJECT),
                                    .tolerance = 1e-3,
                                    .differ = 1e-4};
    return image_compare(b, &line, err);
}
