/* Choosing size and scale from what the visibilities reach. */
#include "apps/gridding/geometry.h"

#include <math.h>

#include "base/error.h"

enum { LEAST_SIZE = 256, MOST_SIZE = 4096, LARGEST = 1 << 20, PIXELS_PER_FRINGE = 4 };

/* Wide enough to see to 37 degrees from the centre along an axis, and 58 in the corners. */
static const double widest = 1.2;

/* The next even number whose only prime factors are 2, 3 and 5. */
static int64_t smooth(int64_t n) {
    for (n += n % 2;; n += 2) {
        int64_t rest = n;
        for (int p = 2; p <= 5; p += p == 2 ? 1 : 2)
            while (rest % p == 0) rest /= p;
        if (rest == 1) return n;
    }
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
                         "no baseline tells how fine the image should be: give --scale and --size");
    *scale = round_scale(1 / (PIXELS_PER_FRINGE * l->longest));
    return WADI_OK;
}

static wadi_status choose_size(const grid_limits *l, double scale, int64_t *size, wadi_error *err) {
    if (l == NULL || !(l->shortest > 0))
        return wadi_fail(err, WADI_INVALID,
                         "no baseline tells how wide the image should be: give --size or --fov");
    const double wish = ceil(2 / (l->shortest * scale));
    *size = smooth(wish < LEAST_SIZE ? LEAST_SIZE : wish > MOST_SIZE ? MOST_SIZE : (int64_t)wish);
    while (*size > 2 && (double)*size * scale > widest) *size -= 2;
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
        return wadi_fail(err, WADI_INVALID, "--size, --scale and --fov: two of them say it all");
    if (size > 0 && fov > 0) scale = fov / (double)size;
    if (!(scale > 0)) {
        WADI_TRY(choose_scale(limits, &scale, err));
        if (size > 0 && (double)size * scale > widest) scale = round_scale(widest / (double)size);
    }
    if (size == 0 && fov > 0) {
        const double pixels = ceil(fov / scale);
        if (!(pixels <= LARGEST))
            return wadi_fail(err, WADI_INVALID, "a field of %.0f pixels: at most %d", pixels,
                             (int)LARGEST);
        size = smooth((int64_t)pixels);
    }
    if (size == 0) WADI_TRY(choose_size(limits, scale, &size, err));
    const grid_geometry g = {size, scale};
    WADI_TRY(check(&g, err));
    *out = g;
    return WADI_OK;
}
