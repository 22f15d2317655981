/* Filters of one image of f32: Gaussian 5 x 5 whole and separable, Sobel, Harris. The edges are clamped. */
#include "base/error.h"
#include "bench/arrays/images/images.h"

enum { SIDE = 2048, TAPS = 5 };

static const float weight[TAPS] = {1.F / 16, 4.F / 16, 6.F / 16, 4.F / 16, 1.F / 16};

wadi_exp image_sum(int n, const wadi_exp *x) {
    wadi_exp s = x[0];
    for (int i = 1; i < n; i++) s = wadi_add(s, x[i]);
    return s;
}

/* The sum of n >= 1 expressions, each times its weight. A product and the sum it goes into round once: a C compiler may decide so, wadi is told. */
static wadi_exp weighed(int n, const wadi_exp *x, const float *weights) {
    wadi_exp s = wadi_mul(x[0], wadi_f32(weights[0]));
    for (int i = 1; i < n; i++) s = wadi_fma(x[i], wadi_f32(weights[i]), s);
    return s;
}

/* ---- Gaussian ---- */

static wadi_exp across(wadi_window *w) {
    wadi_exp x[TAPS];
    for (int k = 0; k < TAPS; k++) x[k] = wadi_near2(w, 0, k - 2);
    return weighed(TAPS, x, weight);
}

static wadi_exp down(wadi_window *w) {
    wadi_exp x[TAPS];
    for (int k = 0; k < TAPS; k++) x[k] = wadi_near2(w, k - 2, 0);
    return weighed(TAPS, x, weight);
}

static wadi_exp whole(wadi_window *w) {
    wadi_exp x[TAPS * TAPS];
    float each[TAPS * TAPS];
    for (int k = 0; k < TAPS * TAPS; k++) {
        x[k] = wadi_near2(w, k / TAPS - 2, k % TAPS - 2);
        each[k] = weight[k / TAPS] * weight[k % TAPS];
    }
    return weighed(TAPS * TAPS, x, each);
}

static wadi_acc build_whole(const image_build *how, const wadi_acc *in, const int64_t *shape) {
    (void)how, (void)shape;
    return wadi_stencil(2, whole, wadi_edge_clamp(), in[0]);
}

static wadi_acc build_separable(const image_build *how, const wadi_acc *in, const int64_t *shape) {
    (void)how, (void)shape;
    return wadi_stencil(2, down, wadi_edge_clamp(),
                        wadi_stencil(2, across, wadi_edge_clamp(), in[0]));
}

/* ---- Sobel and Harris ---- */

typedef struct slopes {
    wadi_exp x, y;
} slopes;

static slopes slopes_of(wadi_window *w) {
    const wadi_exp two = wadi_f32(2);
    const wadi_exp nw = wadi_near2(w, -1, -1), n = wadi_near2(w, -1, 0), ne = wadi_near2(w, -1, 1);
    const wadi_exp west = wadi_near2(w, 0, -1), east = wadi_near2(w, 0, 1);
    const wadi_exp sw = wadi_near2(w, 1, -1), s = wadi_near2(w, 1, 0), se = wadi_near2(w, 1, 1);
    const wadi_exp right[] = {ne, wadi_mul(east, two), se}, left[] = {nw, wadi_mul(west, two), sw};
    const wadi_exp low[] = {sw, wadi_mul(s, two), se}, high[] = {nw, wadi_mul(n, two), ne};
    return (slopes){wadi_sub(image_sum(3, right), image_sum(3, left)),
                    wadi_sub(image_sum(3, low), image_sum(3, high))};
}

static wadi_exp sobel(wadi_window *w) {
    const slopes d = slopes_of(w);
    return wadi_sqrt(wadi_fma(d.x, d.x, wadi_mul(d.y, d.y)));
}

static wadi_acc build_sobel(const image_build *how, const wadi_acc *in, const int64_t *shape) {
    (void)how, (void)shape;
    return wadi_stencil(2, sobel, wadi_edge_clamp(), in[0]);
}

static wadi_exp both_slopes(wadi_window *w) {
    const slopes d = slopes_of(w);
    return wadi_rec2("x", d.x, "y", d.y);
}

/* Products of slopes, summed over 3 x 3: determinant - k trace^2. */
static wadi_exp corner(wadi_window *w) {
    wadi_exp xx[9], xy[9], yy[9];
    for (int k = 0; k < 9; k++) {
        const wadi_exp d = wadi_near2(w, k / 3 - 1, k % 3 - 1);
        const wadi_exp x = wadi_get(d, "x"), y = wadi_get(d, "y");
        xx[k] = wadi_mul(x, x);
        xy[k] = wadi_mul(x, y);
        yy[k] = wadi_mul(y, y);
    }
    const wadi_exp a = image_sum(9, xx), b = image_sum(9, xy), c = image_sum(9, yy);
    const wadi_exp trace = wadi_add(a, c);
    return wadi_sub(wadi_sub(wadi_mul(a, c), wadi_mul(b, b)),
                    wadi_mul(wadi_f32(HARRIS_K), wadi_mul(trace, trace)));
}

static wadi_acc build_harris(const image_build *how, const wadi_acc *in, const int64_t *shape) {
    (void)how, (void)shape;
    return wadi_stencil(2, corner, wadi_edge_clamp(),
                        wadi_stencil(2, both_slopes, wadi_edge_clamp(), in[0]));
}

/* ---- the table ---- */

static void fill(int64_t n, int input, void *to) {
    float *x = to;
    for (int64_t i = 0; i < n; i++) x[i] = (float)((i + input) * 7919 % 1009) / 1009.F;
}

#define FILTER                                                                             \
    .benchmark = "filters", .rank = 2, .inputs = 1, .shape = {SIDE, SIDE}, .in = WADI_F32, \
    .out = WADI_F32, .fill = fill, .bytes = 8, .libraries = "halide opencv numba jax"

static const image_line lines[] = {
    {FILTER, .name = "Gaussian 5 x 5, 2048^2", .task = "gauss", .build = build_whole,
     .peer = peer_gauss, .operations = 49, .tolerance = 1e-5},
    {FILTER, .name = "Gaussian separable, 2048^2", .task = "separable", .build = build_separable,
     .peer = peer_separable, .operations = 18, .rooms = 1, .tolerance = 1e-5},
    {FILTER, .name = "Sobel, 2048^2", .task = "sobel", .build = build_sobel, .peer = peer_sobel,
     .operations = 18, .tolerance = 1e-5},
    {FILTER, .name = "Harris, 2048^2", .task = "harris", .build = build_harris, .peer = peer_harris,
     .operations = 49, .rooms = 2, .tolerance = 1e-3},
};

wadi_status images_filters(bench *b, wadi_error *err) {
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        WADI_TRY(image_compare(b, &lines[i], err));
    return WADI_OK;
}
