/* Simulates an observation, and computes its exact image at single pixels. */
#include "bench/gridding/observation.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "bench/gridding/gridding.h"

enum { ANTENNAS = 27, ARM = 9, PAIRS = ANTENNAS * (ANTENNAS - 1) / 2, SOURCES = 20 };

static const double light = 299792458, pi = 3.14159265358979323846;

static wadi_status make_room(int64_t rows, int64_t channels, bench_observation *o,
                             wadi_error *err) {
    const size_t n = (size_t)rows;
    *o = (bench_observation){.rows = rows, .channels = channels, .antennas = ANTENNAS};
    o->uvw = calloc(n * 3, sizeof *o->uvw);
    o->vis = calloc(n * (size_t)channels * 2, sizeof *o->vis);
    if (o->uvw && o->vis) return WADI_OK;
    bench_observation_free(o);
    return wadi_fail(err, WADI_MEMORY, "out of memory");
}

void bench_observation_free(bench_observation *o) {
    free(o->uvw);
    free(o->vis);
    *o = (bench_observation){0};
}

/* ---- sums ---- */

/* exp(2 pi i turns) of a row's channels at a place is a geometric progression. */
typedef struct turning {
    double re, im;       /* of the present channel */
    double cosine, sine; /* from one to the next */
} turning;

static turning turning_of(const bench_observation *o, int64_t row, const bench_place *p) {
    const double r2 = p->l * p->l + p->m * p->m, n1 = -r2 / (1 + sqrt(1 - r2)); /* n - 1 */
    const double *b = o->uvw + 3 * row;
    const double seconds = (b[0] * p->l + b[1] * p->m + b[2] * n1) / light;
    const double first = 2 * pi * fmod(seconds * o->hz, 1), more = 2 * pi * seconds * o->step;
    return (turning){cos(first), sin(first), cos(more), sin(more)};
}

static void turn(turning *t) {
    const double re = t->re;
    t->re = re * t->cosine - t->im * t->sine;
    t->im = re * t->sine + t->im * t->cosine;
}

static void observe(bench_observation *o, const bench_place *source) {
    for (int64_t r = 0; r < o->rows; r++) {
        turning t = turning_of(o, r, source);
        float *vis = o->vis + 2 * o->channels * r;
        for (int64_t c = 0; c < o->channels; c++, turn(&t)) {
            vis[2 * c] += (float)(source->value * t.re);
            vis[2 * c + 1] += (float)(source->value * t.im);
        }
    }
}

static double sum_at(const bench_observation *o, const bench_place *p) {
    double sum = 0;
    for (int64_t r = 0; r < o->rows; r++) {
        turning t = turning_of(o, r, p);
        const float *vis = o->vis + 2 * o->channels * r;
        for (int64_t c = 0; c < o->channels; c++, turn(&t))
            sum += (double)vis[2 * c] * t.re + (double)vis[2 * c + 1] * t.im;
    }
    return sum;
}

void bench_observation_sum(const bench_observation *o, int n, bench_place *place) {
    for (int i = 0; i < n; i++)
        place[i].value = sum_at(o, &place[i]) / (double)(o->rows * o->channels);
}

/* ---- the golden set ---- */

wadi_status bench_observation_golden(const char *data, bench_observation *out, wadi_error *err) {
    bench_visibilities v = {.column = NULL};
    WADI_TRY(bench_visibilities_golden(data, &v, err));
    const grid_batch *b = &v.batch;
    const wadi_status st = make_room(b->n, 1, out, err);
    if (st == WADI_OK) {
        out->hz = 74e6;
        for (int64_t k = 0; k < b->n; k++) {
            const double uvw[] = {b->u[k], b->v[k], b->w[k]};
            for (int i = 0; i < 3; i++) out->uvw[3 * k + i] = -uvw[i] * light / out->hz;
            for (int i = 0; i < 2; i++) out->vis[2 * k + i] = (float)b->vis[2 * k + i];
        }
    }
    bench_visibilities_free(&v);
    return st;
}

/* ---- a simulation ---- */

/* Equatorial, in metres: x to the meridian, y to the east, z to the pole; arms and their spacing are about the VLA's. */
static void stand(double arm, double place[ANTENNAS][3]) {
    static const double azimuth[] = {355, 115, 236}, latitude = 34.079;
    for (int i = 0; i < ANTENNAS; i++) {
        const double along = azimuth[i / ARM] * pi / 180, up = latitude * pi / 180,
                     r = arm * pow((i % ARM + 1.0) / ARM, 1.716);
        place[i][0] = -sin(up) * r * cos(along);
        place[i][1] = r * sin(along);
        place[i][2] = cos(up) * r * cos(along);
    }
}

static void track(double place[ANTENNAS][3], double hour_angle, double *uvw) {
    const double declination = 0.7, s = sin(hour_angle), c = cos(hour_angle), sd = sin(declination),
                 cd = cos(declination);
    for (int i = 0; i < ANTENNAS; i++) {
        for (int j = i + 1; j < ANTENNAS; j++, uvw += 3) {
            const double x = place[i][0] - place[j][0], y = place[i][1] - place[j][1],
                         z = place[i][2] - place[j][2];
            uvw[0] = s * x + c * y;
            uvw[1] = -sd * (c * x - s * y) + cd * z;
            uvw[2] = cd * (c * x - s * y) + sd * z;
        }
    }
}

wadi_status bench_observation_make(int64_t times, int64_t channels, int64_t size, double field,
                                   bench_observation *out, wadi_error *err) {
    double place[ANTENNAS][3];
    uint64_t state = 1;
    WADI_TRY(make_room(times * PAIRS, channels, out, err));
    out->hz = 140e6;
    out->step = 20e6 / (double)channels;
    /* The longest baseline is 1.73 arms long, and may be size / field / 2 wavelengths. */
    stand(0.45 * (double)size / field / 1.73 * light / 160e6, place);
    for (int64_t t = 0; t < times; t++)
        track(place, ((double)t / (double)times - 0.5) * pi / 2, out->uvw + 3 * PAIRS * t);
    for (int i = 0; i < SOURCES; i++) {
        const bench_place source = {.l = 0.4 * field * bench_uniform(&state),
                                    .m = 0.4 * field * bench_uniform(&state),
                                    .value = 0.6 + 0.4 * bench_uniform(&state)};
        observe(out, &source);
    }
    return WADI_OK;
}
