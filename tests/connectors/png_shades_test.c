/* Every shade of a picture against the description: blocks are averaged over their finite values, and percentiles are found here by
 * sorting. Planes have both precisions and sides that blocks do not divide, and memory after a plane is not read. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "tests/connectors/pass_plan.h"
#include "wadi/image.h"

#ifdef WADI_HAVE_PNG
#include <png.h>

enum { MOST = 4096, SPARE = 512 };

static const char *name_of(const char *what) {
    static char name[64];
    snprintf(name, sizeof name, "png_shades_%d_%s", (int)getpid(), what);
    return name;
}

static uint64_t state_of_chance;

static uint32_t chance(uint32_t below) {
    state_of_chance = state_of_chance * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(state_of_chance >> 33) % below;
}

typedef struct plane {
    bool is_double;
    int64_t h, w;
    double value[MOST + SPARE]; /* as the plane holds them, f32 or f64 */
    float single[MOST + SPARE];
} plane;

static void make(plane *p, bool is_double, int64_t h, int64_t w, int holes) {
    *p = (plane){.is_double = is_double, .h = h, .w = w};
    for (int i = 0; i < MOST + SPARE; i++) {
        const double v = ((double)chance(2000001) - 1e6) * (chance(9) == 0 ? 1e3 : 1e-3);
        p->value[i] = is_double ? v : (double)(float)v;
        if (i >= h * w) p->value[i] = 1e9; /* which would be bright */
        if (holes > 0 && chance((uint32_t)holes) == 0 && i < h * w)
            p->value[i] = chance(2) == 0 ? (double)NAN : (double)-INFINITY;
        p->single[i] = (float)p->value[i];
    }
}

static int by_value(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

/* The 0.5th and the 99.5th percentile of the finite values, exact to a float. */
static void range_of(const plane *p, double *low, double *high) {
    static float sorted[MOST];
    size_t n = 0;
    for (int64_t i = 0; i < p->h * p->w; i++)
        if (isfinite(p->value[i])) sorted[n++] = (float)p->value[i];
    qsort(sorted, n, sizeof *sorted, by_value);
    const double last = (double)n - 1;
    *low = n > 0 ? (double)sorted[(size_t)floor(0.005 * last)] : 0;
    *high = n > 0 ? (double)sorted[(size_t)ceil(0.995 * last)] : 0;
}

static int shade_of(const plane *p, const wadi_png_options *o, double low, double high,
                    int64_t side, int64_t row, int64_t column) {
    double sum = 0, n = 0;
    for (int64_t y = row * side; y < (row + 1) * side; y++)
        for (int64_t x = column * side; x < (column + 1) * side; x++) {
            if (y >= p->h || x >= p->w || !isfinite(p->value[y * p->w + x])) continue;
            sum += p->value[y * p->w + x];
            n++;
        }
    const double v = sum / n;
    if (n == 0 || v <= low) return 0;
    double x = fmin((v - low) / (high - low), 1);
    if (o->stretch > 0) x = asinh(o->stretch * x) / asinh(o->stretch);
    return (int)floor(255 * x + 0.5);
}

static void assert_shades(const plane *p, const wadi_png_options *o) {
    static unsigned char got[MOST];
    const char *path = name_of("any.png");
    const int64_t longer = p->h > p->w ? p->h : p->w;
    int64_t side = 1;
    while (o->most > 0 && side * o->most < longer) side++;
    const int64_t h = (int64_t)ceil((double)p->h / (double)side),
                  w = (int64_t)ceil((double)p->w / (double)side);
    wadi_sink *out = NULL;
    double low = o->low, high = o->high;
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_int_equal(wadi_sink_png(path, o, &out, NULL), WADI_OK);
    assert_int_equal(pass_planes(out, p->is_double ? WADI_F64 : WADI_F32, 1, p->h, p->w,
                                 p->is_double ? (const void *)p->value : p->single, NULL),
                     WADI_OK);
    if (low == 0 && high == 0) range_of(p, &low, &high);
    assert_int_not_equal(png_image_begin_read_from_file(&image, path), 0);
    assert_int_equal(image.height, h);
    assert_int_equal(image.width, w);
    assert_int_not_equal(png_image_finish_read(&image, NULL, got, 0, NULL), 0);
    for (int64_t y = 0; y < h; y++) /* from the south */
        for (int64_t x = 0; x < w; x++) {
            const int want = shade_of(p, o, low, high, side, y, x);
            const int is = got[(h - 1 - y) * w + x];
            /* half way between two shades rounding may go either way */
            if (abs(is - want) > (want > 0 && want < 255))
                fail_msg("%lld x %lld, side %lld: (%lld, %lld) is %d, not %d", (long long)p->h,
                         (long long)p->w, (long long)side, (long long)y, (long long)x, is, want);
        }
    unlink(path);
}

static void any_plane_has_its_shades(void **state) {
    (void)state;
    static plane p;
    static const int64_t sizes[][2] = {{1, 1}, {1, 2},  {2, 1},  {3, 1},   {5, 5},  {7, 3},
                                       {3, 7}, {16, 9}, {40, 4}, {20, 20}, {50, 50}};
    static const wadi_png_options ways[] = {{0},
                                            {.most = 1},
                                            {.most = 2},
                                            {.most = 3},
                                            {.most = 7},
                                            {.most = 19, .stretch = 3},
                                            {.low = -100, .high = 700},
                                            {.low = 0, .high = 500, .most = 4},
                                            {.low = -500, .high = 0, .stretch = 100}};
    state_of_chance = 3;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            make(&p, (s + w) % 2 == 0, sizes[s][0], sizes[s][1], w % 3 == 0 ? 5 : 0);
            assert_shades(&p, &ways[w]);
        }
}

/* Negative values, values of one bucket, and so few that percentiles are the ends. */
static void percentiles_of_few_values_are_values(void **state) {
    (void)state;
    static plane p;
    static const double values[][6] = {{-3, -2, -1, -0.5, -4, -8},
                                       {1, 1.0000001, 1.0000002, 1.0000005, 1.0000004, 1},
                                       {-1, 0, 1, -0.0, 2, -2},
                                       {(double)NAN, 5, (double)INFINITY, 6, 7, (double)NAN},
                                       {3e38, -3e38, 1e-38, 1e-44, 0, 1}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (int is_double = 0; is_double < 2; is_double++) {
            make(&p, is_double == 1, 2, 3, 0);
            for (int k = 0; k < 6; k++) {
                p.single[k] = (float)values[i][k];
                p.value[k] = is_double ? values[i][k] : (double)p.single[k];
            }
            assert_shades(&p, &(wadi_png_options){0});
        }
}

/* The first outlier that is left out, and the last that is not. */
static void percentiles_leave_out_one_in_two_hundred(void **state) {
    (void)state;
    static plane p;
    static const int64_t sizes[] = {199, 200, 201, 202, 400, 401, 402, 1000, 1001};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        make(&p, true, 1, sizes[s], 0);
        for (int64_t i = 0; i < sizes[s]; i++)
            p.value[i] = (double)((i * 7919) % sizes[s]) * 1e-3 - 0.2;
        assert_shades(&p, &(wadi_png_options){0});
    }
}

static void what_is_no_plane_is_refused(void **state) {
    (void)state;
    const char *path = name_of("refused.png");
    const int32_t whole[4] = {0};
    const double values[4] = {0};
    wadi_sink *out = NULL;
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(wadi_sink_png(path, NULL, &out, NULL), WADI_OK);
    assert_int_equal(pass_planes(out, WADI_I32, 1, 2, 2, whole, &err), WADI_TYPE);
    assert_non_null(strstr(err.msg, "a picture is made of f32 or f64, not of i32"));
    for (int rank = 1; rank < 5; rank++) {
        const wadi_array a = {.rank = rank,
                              .fields = 1,
                              .type = {WADI_F64},
                              .shape = {1, 2, 2, 1},
                              .column = {(void *)(uintptr_t)values}};
        wadi_source *in = NULL;
        assert_int_equal(wadi_sink_png(path, NULL, &out, NULL), WADI_OK);
        assert_int_equal(wadi_source_memory(&a, &in, NULL), WADI_OK);
        const wadi_status st = pass_through(in, out, WADI_F64, rank - 1, 1, &err);
        assert_int_equal(st, rank == 3 ? WADI_OK : WADI_SHAPE);
        if (rank != 3) assert_non_null(strstr(err.msg, "a picture has two extents, 1 or more"));
        wadi_source_destroy(in);
        wadi_sink_destroy(out);
        assert_int_equal(wadi_file_exists(path), rank == 3);
        (void)unlink(path);
    }
    static const wadi_png_options wrong[] = {{.stretch = (double)NAN}, {.high = (double)NAN}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(wadi_sink_png(path, &wrong[i], &out, NULL), WADI_INVALID);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_plane_has_its_shades),
        cmocka_unit_test(percentiles_of_few_values_are_values),
        cmocka_unit_test(percentiles_leave_out_one_in_two_hundred),
        cmocka_unit_test(what_is_no_plane_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 77; /* skipped: built without libpng */
}

#endif
