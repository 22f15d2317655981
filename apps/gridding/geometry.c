/* Choosing size and scale from what the visibilities reach. */
#include "apps/gridding/geometry.h"

#include <math.h>

#include "base/error.h"

enum { LEAST_SIZE = 256, MOST_SIZE = 4096, LARGEST = 1 << 20, PIXELS_PER_FRINGE = 4 };

/* Radians: an image reaches at most 37 degrees from its centre along an axis, and 58 in the corners. */
static const double widest = 1.2;

/* The least positive even number from `least` on without prime factors above 5. */
static int64_t cells_from(int64_t least) {
    for (int64_t n = least < 2 ? 2 : least + least % 2;; n += 2) {
        int64_t rest = n;
        for (int p = 2; p <= 5; p += p == 2 ? 1 : 2)
            while (rest % p == 0) rest /= p;
        if (rest == 1) return n;
    }
}

int64_t grid_padded(int64_t size) {
    return cells_from(size + size / 4);
}

/* The widest pixels with which an image, and a grid for it, end before the horizon. */
static double widest_scale(int64_t size) {
    return fmin(widest / (double)size, GRID_WIDEST / (double)grid_padded(size));
}

/* Seconds of arc to two digits, rounded down. */
static double round_scale(double scale) {
    const double asec = acos(-1) / 180 / 3600, value = scale / asec,
                 unit = pow(10, floor(log10(value)) - 1);
    return floor(value / unit * (1 + 1e-12)) * unit * asec;
}

static wadi_status choose_scale(const grid_limits *l, double *scale, wadi_error *err) {
    if (l == NULL || !(l->longest > 0))
        return wadi_fail(err, WADI_INVALID,
                         "no baseline has a length, so the size of a pixel is not known: give "
                         "--scale and --size");
    *scale = round_scale(1 / (PIXELS_PER_FRINGE * l->longest));
    return WADI_OK;
}

static wadi_status choose_size(const grid_limits *l, double scale, int64_t *size, wadi_error *err) {
    if (l == NULL || !(l->shortest > 0))
        return wadi_fail(err, WADI_INVALID,
                         "no baseline has a length, so the field is not known: give --size or "
                         "--fov");
    const double wish = ceil(2 / (l->shortest * scale));
    *size = cells_from((int64_t)fmin(fmax(wish, LEAST_SIZE), MOST_SIZE));
    while (*size > 2 && scale > widest_scale(*size)) *size -= 2;
    return WADI_OK;
}

static wadi_status check(const grid_geometry *g, wadi_error *err) {
    const double half = (double)(g->size / 2) * g->scale;
    if (g->size % 2 != 0)
        return wadi_fail(err, WADI_INVALID, "an image of %lld pixels: the size must be even",
                         (long long)g->size);
    if (2 * half * half < 1) return WADI_OK;
    return wadi_fail(err, WADI_INVALID,
                     "a field of %lld pixels of %g arc seconds reaches below the horizon",
                     (long long)g->size, g->scale * 180 * 3600 / acos(-1));
}

wadi_status grid_geometry_choose(const grid_limits *limits, int64_t size, double scale, double fov,
                                 grid_geometry *out, wadi_error *err) {
    if (size > 0 && scale > 0 && fov > 0)
        return wadi_fail(err, WADI_INVALID,
                         "--size, --scale and --fov are all given, expected at most two");
    if (size > 0 && fov > 0) scale = fov / (double)size;
    if (!(scale > 0)) {
        WADI_TRY(choose_scale(limits, &scale, err));
        scale = fmin(scale, round_scale(widest_scale(size > 0 ? size : 2)));
    }
    if (size == 0 && fov > 0) {
        const double pixels = ceil(fov / scale);
        if (!(pixels <= LARGEST))
            return wadi_fail(err, WADI_INVALID, "a field of %.0f pixels: at most %d", pixels,
                             (int)LARGEST);
        size = cells_from((int64_t)pixels);
    }
    if (size == 0) WADI_TRY(choose_size(limits, scale, &size, err));
    const grid_geometry g = {size, scale};
    WADI_TRY(check(&g, err));
    *out = g;
    return WADI_OK;
}
