/* Making the data of the paper: one integration two hours past the meridian, at 150 MHz, of a field at declination -45
 * degrees, with values of unit modulus. The A-terms are screens of one per cent, as in the reference that the paper used. */
#include "bench/gridding/paper_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"

static const double pi = 3.14159265358979323846, theta = 0.008, wavelength = 1.99861639;

typedef struct station {
    double east, north, up;
} station;

static double uniform(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) / 9007199254740992.0;
}

/* ---- stations ---- */

/* Half of them within 500 m, the others on three spiral arms up to 35 km. */
static void make_layout(station *s) {
    uint64_t state = 7;
    for (int i = 0; i < PAPER_STATIONS; i++) {
        const double t = uniform(&state), turn = 2 * pi * uniform(&state);
        const double far = i < PAPER_STATIONS / 2 ? 500 * sqrt(t) : 500 * pow(70, t);
        const double at = i < PAPER_STATIONS / 2 ? turn : 2 * pi * (i % 3) / 3.0 + 4 * t;
        s[i] = (station){far * sin(at), far * cos(at), 300};
    }
}

static wadi_status read_layout(const char *path, station *s, wadi_error *err) {
    char *text = NULL;
    size_t bytes = 0;
    int n = 0;
    WADI_TRY(wadi_file_read(path, &text, &bytes, err));
    for (const char *at = text; *at != '\0' && n < PAPER_STATIONS;) {
        station one = {0};
        if (sscanf(at, "%lf,%lf,%lf", &one.east, &one.north, &one.up) >= 2) s[n++] = one;
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    free(text);
    if (n == PAPER_STATIONS) return WADI_OK;
    return wadi_fail(err, WADI_INVALID, "%s: %d stations, expected %d", path, n,
                     (int)PAPER_STATIONS);
}

/* ---- baselines ---- */

static void uvw_of(const station *a, const station *b, double *uvw) {
    const double latitude = -26.82 * pi / 180, declination = -45 * pi / 180, hour = pi / 6;
    const double east = b->east - a->east, north = b->north - a->north, up = b->up - a->up;
    const double x = (up * cos(latitude) - north * sin(latitude)) / wavelength;
    const double y = east / wavelength;
    const double z = (north * cos(latitude) + up * sin(latitude)) / wavelength;
    const double towards = x * cos(hour) - y * sin(hour);
    uvw[0] = x * sin(hour) + y * cos(hour);
    uvw[1] = -sin(declination) * towards + cos(declination) * z;
    uvw[2] = cos(declination) * towards + sin(declination) * z;
}

static void fill_visibilities(const station *s, bench_visibilities *v) {
    const int64_t n = PAPER_BASELINES;
    double *column = v->column;
    int32_t *pair = v->pair;
    uint64_t state = 3;
    int64_t at = 0;
    for (int i = 0; i < PAPER_STATIONS; i++) {
        for (int j = i + 1; j < PAPER_STATIONS; j++, at++) {
            const int64_t k = at * 7919 % n; /* a prime that does not divide n */
            double uvw[3];
            uvw_of(&s[i], &s[j], uvw);
            const double phase = 2 * pi * uniform(&state);
            for (int a = 0; a < 3; a++) column[a * n + k] = uvw[a];
            column[4 * n + 2 * k] = cos(phase);
            column[4 * n + 2 * k + 1] = sin(phase);
            pair[2 * k] = i;
            pair[2 * k + 1] = j;
        }
    }
}

/* ---- A-terms ---- */

/* The kernel of a screen of as many pixels as it has cells: its Fourier transform, the middle of both in the middle. */
static void transform_screen(const double *screen, double *kernel) {
    const int n = PAPER_SIDE, half = n / 2;
    for (int c = 0; c < n * n; c++) {
        double re = 0, im = 0;
        for (int p = 0; p < n * n; p++) {
            const int turns = (c % n - half) * (p % n - half) + (c / n - half) * (p / n - half);
            const double angle = -2 * pi * (turns % n) / n;
            re += screen[2 * p] * cos(angle) - screen[2 * p + 1] * sin(angle);
            im += screen[2 * p] * sin(angle) + screen[2 * p + 1] * cos(angle);
        }
        kernel[2 * c] = re / (n * n);
        kernel[2 * c + 1] = im / (n * n);
    }
}

static void fill_aterms(paper_data *d) {
    const int cells = PAPER_SIDE * PAPER_SIDE;
    double screen[PAPER_SIDE * PAPER_SIDE * 2];
    uint64_t state = 5;
    for (int a = 0; a < PAPER_STATIONS; a++) {
        for (int p = 0; p < cells; p++) {
            const double phase = 2 * pi * 0.01 * (uniform(&state) - 0.5);
            const double size = 1 + 0.01 * (uniform(&state) - 0.5);
            screen[2 * p] = size * cos(phase);
            screen[2 * p + 1] = size * sin(phase);
        }
        transform_screen(screen, d->kernel + (int64_t)a * cells * 2);
    }
    d->aterms = (grid_aterms){PAPER_STATIONS, PAPER_SIDE, theta, d->kernel};
}

/* ---- life ---- */

wadi_status paper_data_make(const char *layout, paper_data *out, wadi_error *err) {
    static station s[PAPER_STATIONS];
    if (layout)
        WADI_TRY(read_layout(layout, s, err));
    else
        make_layout(s);
    *out = (paper_data){
        .kernel = calloc((size_t)PAPER_STATIONS * PAPER_SIDE * PAPER_SIDE * 2, sizeof(double))};
    if (!out->kernel) return wadi_fail(err, WADI_MEMORY, "the paper's data: out of memory");
    const wadi_status st = bench_visibilities_make(PAPER_BASELINES, &out->vis, err);
    if (st != WADI_OK) {
        paper_data_free(out);
        return st;
    }
    fill_visibilities(s, &out->vis);
    fill_aterms(out);
    return WADI_OK;
}

void paper_data_free(paper_data *d) {
    bench_visibilities_free(&d->vis);
    free(d->kernel);
    *d = (paper_data){0};
}
