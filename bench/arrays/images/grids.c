/* Relaxation of grids of f32 in loops: Jacobi's in two dimensions, heat in three. The edges are clamped. */
#include "base/error.h"
#include "bench/arrays/images/images.h"

enum { SQUARE = 1024, LARGE = 4096, CUBE = 128 };

static wadi_exp five(wadi_window *w) {
    const wadi_exp x[] = {wadi_near2(w, -1, 0), wadi_near2(w, 0, -1), wadi_near2(w, 0, 1),
                          wadi_near2(w, 1, 0)};
    return wadi_mul(image_sum(4, x), wadi_f32(0.25F));
}

static wadi_exp seven(wadi_window *w) {
    const wadi_exp x[] = {wadi_near3(w, -1, 0, 0), wadi_near3(w, 0, -1, 0), wadi_near3(w, 0, 0, -1),
                          wadi_near3(w, 0, 0, 1),  wadi_near3(w, 0, 1, 0),  wadi_near3(w, 1, 0, 0)};
    const wadi_exp here = wadi_near3(w, 0, 0, 0);
    const wadi_exp change = wadi_fma(here, wadi_f32(-6), image_sum(6, x));
    return wadi_fma(change, wadi_f32(0.1F), here);
}

typedef struct repeated {
    int dims, turns;
    wadi_stencil_fn f;
} repeated;

static wadi_acc goes_on(void *env, wadi_acc state) {
    (void)env;
    return wadi_unit(wadi_gt(wadi_the(wadi_tuple_get(state, 1)), wadi_i64(0)));
}

static wadi_acc next(void *env, wadi_acc state) {
    const repeated *r = env;
    const wadi_acc left = wadi_tuple_get(state, 1);
    return wadi_tuple2(wadi_stencil(r->dims, r->f, wadi_edge_clamp(), wadi_tuple_get(state, 0)),
                       wadi_unit(wadi_sub(wadi_the(left), wadi_i64(1))));
}

static wadi_acc repeat(repeated r, wadi_acc a) {
    const wadi_acc start = wadi_tuple2(a, wadi_unit(wadi_i64(r.turns)));
    return wadi_tuple_get(wadi_awhile_env(goes_on, next, &r, start), 0);
}

static wadi_acc build_jacobi(const image_build *how, const wadi_acc *in, const int64_t *shape) {
    (void)how, (void)shape;
    return repeat((repeated){2, JACOBI_TURNS, five}, in[0]);
}

static wadi_acc build_heat(const image_build *how, const wadi_acc *in, const int64_t *shape) {
    (void)how, (void)shape;
    return repeat((repeated){3, HEAT_TURNS, seven}, in[0]);
}

static void fill(int64_t n, int input, void *to) {
    float *x = to;
    for (int64_t i = 0; i < n; i++) x[i] = (float)((i + input) * 7919 % 1009) / 1009.F;
}

#define GRID                                                                                      \
    .benchmark = "grids", .inputs = 1, .in = WADI_F32, .out = WADI_F32, .fill = fill, .rooms = 1, \
    .tolerance = 1e-5, .libraries = "numba jax"

static const image_line lines[] = {
    {GRID, .name = "Jacobi, 5 points, 1024^2, 40 turns", .task = "jacobi", .rank = 2,
     .shape = {SQUARE, SQUARE}, .build = build_jacobi, .peer = peer_jacobi,
     .bytes = 8 * JACOBI_TURNS, .operations = 4 * JACOBI_TURNS},
    {GRID, .name = "Jacobi, 5 points, 4096^2, 40 turns", .task = "jacobi", .rank = 2,
     .shape = {LARGE, LARGE}, .build = build_jacobi, .peer = peer_jacobi, .bytes = 8 * JACOBI_TURNS,
     .operations = 4 * JACOBI_TURNS},
    {GRID, .name = "heat, 7 points, 128^3, 20 turns", .task = "heat", .rank = 3,
     .shape = {CUBE, CUBE, CUBE}, .build = build_heat, .peer = peer_heat, .bytes = 8 * HEAT_TURNS,
     .operations = 9 * HEAT_TURNS},
};

wadi_status images_grids(bench *b, wadi_error *err) {
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        WADI_TRY(image_compare(b, &lines[i], err));
    return WADI_OK;
}
