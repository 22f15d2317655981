/* The report of wadi-grid: each number in its place, angles in readable units, the position of the peak on the sky. Also statistics
 * of an image, which products make a polarisation, and which phase centres count as equal. */
#include "apps/gridding/report.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "apps/gridding/polarisation.h"
#include "base/error.h"
#include "connectors/visibility.h"

static const double arc_second = 4.84813681109536e-6;

/* ---- the report ---- */

typedef struct told {
    grid_options options;
    grid_files files;
    grid_account account;
    grid_statistics image;
} told;

/* Every number is another one. */
static told plain(void) {
    return (told){
        .files = {.ra = (double)NAN, .dec = (double)NAN, .stokes = WADI_STOKES_Q},
        .account = {.counts = {.rows = 11, .read = 22},
                    .limits = {.most_u = 101, .most_v = 102, .least_w = -103, .greatest_w = 104},
                    .geometry = {512, 2 * arc_second},
                    .tally = {.gridded = 33},
                    .noise = 0.125,
                    .method = "way"},
        .image = {.peak = -1.5, .peak_x = 10, .peak_y = 300, .rms = 0.25, .spread = 0.75}};
}

static void says(const told *t, const char *line) {
    wadi_text text = {0};
    grid_report(&text, &t->options, &t->files, &t->account, &t->image);
    const char *at = strstr(wadi_text_str(&text), line);
    if (at == NULL) fail_msg("no \"%s\" in\n%s", line, wadi_text_str(&text));
    wadi_text_fini(&text);
}

static void a_plain_report_has_five_parts(void **state) {
    (void)state;
    const told t = plain();
    wadi_text text = {0};
    grid_report(&text, &t.options, &t.files, &t.account, &t.image);
    assert_string_equal(
        wadi_text_str(&text),
        "read        22 visibilities in 11 rows\n"
        "image       512 x 512 pixels of 2 arcsec, field 17.07 arcmin\n"
        "baselines   u to 101, v to 102, w from -103 to 104 wavelengths\n"
        "gridded     33 by way, natural weights\n"
        "noise       0.125 Jy/beam if weights are 1/sigma^2; image rms 0.25, spread 0.75\n"
        "peak        -1.5 Jy/beam at pixel 11, 301, l = 0.00238528, m = 0.000426636\n");
    wadi_text_fini(&text);
}

static void what_there_is_more_is_told(void **state) {
    (void)state;
    told t = plain();
    t.files.setups = 3;
    t.files.left_out = 5;
    t.account.counts.flagged = 6;
    t.account.counts.broken = 7;
    t.account.counts.autocorrelations = 8;
    t.account.outside = 9;
    says(&t, "rows of 3 setups, 5 rows without Q left out, 6 flagged, 7 not finite, "
             "8 autocorrelations, 9 outside the grid\n");
    t.files.setups = 1; /* nothing to tell */
    says(&t, "11 rows, 5 rows without Q left out");
    t.account.tally.grid = 1024;
    t.account.tally.planes = 12;
    says(&t, "33 by way, grid 1024 x 1024, 12 w planes, natural weights\n");
    t.account.tally =
        (grid_tally){.gridded = 44, .kernels = 13, .support_least = 5, .support_most = 9};
    t.options.weights.kind = GRID_UNIFORM;
    says(&t, "44 by way, 13 kernels of 5 to 9 cells, uniform weights\n");
    t.account.tally.support_least = 9;
    t.options.weights = (grid_weights){GRID_BRIGGS, -0.5};
    says(&t, "44 by way, 13 kernels, kernels of 9 cells, briggs:-0.5 weights\n");
}

static void angles_are_told_in_handy_units(void **state) {
    (void)state;
    static const struct {
        double asec;
        const char *text;
    } angles[] = {{3600, "pixels of 1 deg,"},      {3599, "pixels of 59.98 arcmin,"},
                  {60, "pixels of 1 arcmin,"},     {59, "pixels of 59 arcsec,"},
                  {0.1, "pixels of 0.1 arcsec,"},  {0.09, "pixels of 90 mas,"},
                  {1.5e-4, "pixels of 0.15 mas,"}, {5e-5, "pixels of 50 uas,"}};
    for (size_t i = 0; i < sizeof angles / sizeof angles[0]; i++) {
        told t = plain();
        t.account.geometry = (grid_geometry){2, angles[i].asec * (1 + 1e-12) * arc_second};
        t.image.peak_x = t.image.peak_y = 1;
        says(&t, angles[i].text);
    }
}

/* Sixty seconds are a minute, also after rounding. */
static void the_peak_has_its_place_in_the_sky(void **state) {
    (void)state;
    const double hour = acos(-1) / 12, degree = acos(-1) / 180;
    static const struct {
        double hours, degrees;
        const char *text;
    } places[] = {
        {0, 0, ", RA 00h00m00.0000s Dec +00d00m00.000s\n"},
        {12.5, -30.25, ", RA 12h30m00.0000s Dec -30d15m00.000s\n"},
        {1 + 2 / 60.0 + 3.25 / 3600, 4 + 5 / 60.0 + 6.125 / 3600,
         ", RA 01h02m03.2500s Dec +04d05m06.125s\n"},
        {23.999999999999, -0.999999999999, ", RA 00h00m00.0000s Dec -01d00m00.000s\n"},
        {5 + 59.99999999 / 60, 59.99999999 / 60, ", RA 06h00m00.0000s Dec +01d00m00.000s\n"},
    };
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        told t = plain();
        t.files.ra = places[i].hours * hour;
        t.files.dec = places[i].degrees * degree;
        t.image.peak_x = t.image.peak_y = 256; /* the centre */
        says(&t, places[i].text);
    }
    told t = plain(); /* columns run to the west, rows to the north */
    t.files.ra = 0;
    t.files.dec = 0;
    t.image.peak_x = 256 - 30;
    t.image.peak_y = 256 + 60;
    says(&t, ", RA 00h00m04.0000s Dec +00d02m00.000s\n");
    t.image.peak_x = 256 + 30; /* no right ascension is below 0 */
    t.image.peak_y = 256 - 60;
    says(&t, ", RA 23h59m56.0000s Dec -00d02m00.000s\n");
}

/* Directions as vectors: east, north and the phase centre are the axes of l, m and n. */
static void the_sky_is_a_sphere_also_beyond_its_poles(void **state) {
    (void)state;
    const double turn = 2 * acos(-1);
    for (int i = 0; i < 400; i++) {
        const double ra0 = i % 5 == 0 ? 0 : turn * (i * 37 % 100) / 100,
                     dec0 = (i * 13 % 41 - 20) / 20.0 * 1.57, l = (i * 7 % 31 - 15) * 0.04,
                     m = (i * 11 % 29 - 14) * 0.04, n = sqrt(1 - l * l - m * m);
        const double across = n * cos(dec0) - m * sin(dec0), /* towards ra0, on the equator */
            x = across * cos(ra0) - l * sin(ra0), y = across * sin(ra0) + l * cos(ra0),
                     z = m * cos(dec0) + n * sin(dec0);
        double ra, dec;
        grid_sky_of(ra0, dec0, l, m, &ra, &dec);
        assert_true(ra >= 0 && ra < turn);
        assert_true(fabs(cos(dec) * cos(ra) - x) < 1e-9 && fabs(cos(dec) * sin(ra) - y) < 1e-9 &&
                    fabs(sin(dec) - z) < 1e-9);
    }
}

static void progress_tells_what_is_known(void **state) {
    (void)state;
    static const struct {
        grid_phase phase;
        int64_t rows;
        double seconds;
        const char *text;
    } cases[] = {
        {GRID_LOOKING, -1, 0.01, "looking: 4000000 visibilities"},
        {GRID_WEIGHING, -1, 2, "weighing: 4000000 visibilities, 2.00 million/s"},
        {GRID_GRIDDING, 200, 0, "gridding: 4000000 visibilities, 25%"},
        {GRID_GRIDDING, 100, 8, "gridding: 4000000 visibilities, 0.50 million/s, 50%"},
        {GRID_GRIDDING, 0, 8, "gridding: 4000000 visibilities, 0.50 million/s"},
    };
    const grid_counts counts = {.rows = 50, .read = 4000000};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wadi_text text = {0};
        grid_report_progress(&text, cases[i].phase, &counts, cases[i].rows, cases[i].seconds);
        assert_string_equal(wadi_text_str(&text), cases[i].text);
        wadi_text_fini(&text);
    }
}

/* ---- statistics ---- */

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void statistics_are_those_of_a_sorted_image(void **state) {
    (void)state;
    uint32_t random = 7;
    for (int64_t size = 1; size <= 12; size++) {
        double image[144], sorted[144], apart[144], squares = 0;
        const size_t n = (size_t)(size * size);
        for (size_t i = 0; i < n; i++) {
            random = random * 1664525 + 1013904223;
            image[i] =
                (double)(int)(random >> 20) / 64 - 32 + (size % 3 == 0 ? 0.001 * (double)i : 0);
            squares += image[i] * image[i];
        }
        grid_statistics s;
        assert_int_equal(grid_statistics_of(image, size, &s, NULL), WADI_OK);
        memcpy(sorted, image, sizeof sorted);
        qsort(sorted, n, sizeof *sorted, ascending);
        for (size_t i = 0; i < n; i++) apart[i] = fabs(image[i] - sorted[n / 2]);
        qsort(apart, n, sizeof *apart, ascending);
        assert_true(s.median == sorted[n / 2] && s.greatest == sorted[n - 1]);
        assert_true(s.spread == 1.4826 * apart[n / 2]);
        assert_true(fabs(s.rms - sqrt(squares / (double)n)) < 1e-12);
        assert_true(s.peak == image[s.peak_y * size + s.peak_x]);
        assert_true(fabs(s.peak) == fmax(-sorted[0], sorted[n - 1]));
    }
}

/* ---- polarisations ---- */

enum { I = 3, Q = 5, U = 7, V = 11 }; /* the true ones */

/* A product by the IAU's definitions. */
static void product_of(int code, double *re, double *im) {
    *re = code == WADI_STOKES_I || code == WADI_STOKES_RR || code == WADI_STOKES_LL ||
                  code == WADI_STOKES_XX || code == WADI_STOKES_YY
              ? I
              : 0;
    *im = 0;
    switch (code) {
    case WADI_STOKES_Q:
    case WADI_STOKES_RL:
    case WADI_STOKES_LR:
    case WADI_STOKES_XX:
        *re += Q;
        break;
    case WADI_STOKES_YY:
        *re -= Q;
        break;
    case WADI_STOKES_U:
    case WADI_STOKES_XY:
    case WADI_STOKES_YX:
        *re += U;
        break;
    case WADI_STOKES_V:
    case WADI_STOKES_RR:
        *re += V;
        break;
    case WADI_STOKES_LL:
        *re -= V;
        break;
    default:
        break;
    }
    if (code == WADI_STOKES_XY) *im = V;
    if (code == WADI_STOKES_YX) *im = -V;
    if (code == WADI_STOKES_RL) *im = U;
    if (code == WADI_STOKES_LR) *im = -U;
}

static void is_made_of(const int *axis, int n, int stokes, double wish) {
    const wadi_vis_info info = {.pols = n, .stokes = axis};
    grid_mix mix;
    assert_int_equal(grid_mix_choose(&info, stokes, "file", &mix, NULL), WADI_OK);
    double re = 0, im = 0;
    for (int k = 0; k < mix.n; k++) {
        double a, b;
        product_of(axis[mix.at[k]], &a, &b);
        re += mix.re[k] * a - mix.im[k] * b;
        im += mix.re[k] * b + mix.im[k] * a;
    }
    if (re != wish || im != 0) fail_msg("%s is %g %+g i", grid_stokes_name(stokes), re, im);
    assert_int_equal(mix.stokes, stokes);
    assert_int_equal(mix.mean, mix.n == 2 && stokes == WADI_STOKES_I);
}

static void stokes_parameters_are_made_of_any_feeds(void **state) {
    (void)state;
    static const int sets[3][4] = {
        {WADI_STOKES_I, WADI_STOKES_Q, WADI_STOKES_U, WADI_STOKES_V},
        {WADI_STOKES_RR, WADI_STOKES_LL, WADI_STOKES_RL, WADI_STOKES_LR},
        {WADI_STOKES_XX, WADI_STOKES_YY, WADI_STOKES_XY, WADI_STOKES_YX}};
    for (int s = 0; s < 3; s++)
        for (int turn = 0; turn < 4; turn++) {
            int axis[4];
            for (int k = 0; k < 4; k++) axis[k] = sets[s][(k + turn) % 4];
            is_made_of(axis, 4, WADI_STOKES_I, I);
            is_made_of(axis, 4, WADI_STOKES_Q, Q);
            is_made_of(axis, 4, WADI_STOKES_U, U);
            is_made_of(axis, 4, WADI_STOKES_V, V);
            for (int k = 0; k < 4; k++) {
                double re, im;
                product_of(axis[k], &re, &im);
                if (im == 0) is_made_of(axis, 4, axis[k], re);
            }
        }
}

static void nothing_asked_for_is_i_or_else_the_first(void **state) {
    (void)state;
    static const struct {
        int axis[3], n, gives;
    } cases[] = {{{WADI_STOKES_Q, WADI_STOKES_I}, 2, WADI_STOKES_I},
                 {{WADI_STOKES_YY, WADI_STOKES_XX}, 2, WADI_STOKES_I},
                 {{WADI_STOKES_YY, WADI_STOKES_XY, WADI_STOKES_YX}, 3, WADI_STOKES_YY},
                 {{WADI_STOKES_LR, WADI_STOKES_RR}, 2, WADI_STOKES_LR},
                 {{WADI_STOKES_V, WADI_STOKES_U}, 2, WADI_STOKES_V}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const wadi_vis_info info = {.pols = cases[i].n, .stokes = cases[i].axis};
        grid_mix mix;
        assert_int_equal(grid_mix_choose(&info, 0, "file", &mix, NULL), WADI_OK);
        assert_int_equal(mix.stokes, cases[i].gives);
    }
    const int axis[] = {WADI_STOKES_RR, WADI_STOKES_LR};
    const wadi_vis_info info = {.pols = 2, .stokes = axis};
    grid_mix mix;
    wadi_error err = {0};
    assert_int_equal(grid_mix_choose(&info, WADI_STOKES_V, "file", &mix, &err), WADI_INVALID);
    assert_string_equal(err.msg,
                        "file: no polarisation V in it, and none to make it of: it has RR, LR");
}

static void names_of_polarisations_are_codes(void **state) {
    (void)state;
    static const char *const names[] = {"I",  "Q",  "U",  "V",  "RR", "LL",
                                        "RL", "LR", "XX", "YY", "XY", "YX"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_true(grid_stokes_code(names[i]) != 0);
        assert_string_equal(grid_stokes_name(grid_stokes_code(names[i])), names[i]);
    }
    assert_int_equal(grid_stokes_code("X"), 0);
    assert_null(grid_stokes_name(99));
}

/* ---- phase centres ---- */

static wadi_status check(double ra, double dec, double other_ra, double other_dec, double scale,
                         wadi_error *err) {
    wadi_vis a = {.info = {.ra = ra, .dec = dec}}, b = {.info = {.ra = other_ra, .dec = other_dec}};
    grid_file list[2] = {{.name = (char[]){"one"}, .vis = &a},
                         {.name = (char[]){"two"}, .vis = &b}};
    const grid_files files = {.list = {.at = list, .n = 2, .cap = 2},
                              .ra = isnan(ra) ? other_ra : ra,
                              .dec = isnan(ra) ? other_dec : dec};
    return grid_files_check(&files, scale, err);
}

static void phase_centres_are_one_within_a_tenth_of_a_pixel(void **state) {
    (void)state;
    const double scale = 1e-5;
    wadi_error err = {0};
    assert_int_equal(check(1, 0.5, 1, 0.5, scale, &err), WADI_OK);
    assert_int_equal(check(1, 0.5, 1, 0.5 + 0.09 * scale, scale, &err), WADI_OK);
    assert_int_equal(check(1, 0.5, 1, 0.5 - 0.11 * scale, scale, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "one and two"));
    assert_int_equal(check(1, 1.5, 1 + scale, 1.5, scale, &err), WADI_OK); /* near the pole */
    assert_int_equal(check(1, 0, 1 + 0.11 * scale, 0, scale, &err), WADI_INVALID);
    const double turn = 2 * acos(-1);
    assert_int_equal(check(0, 0.5, turn, 0.5, scale, &err), WADI_OK);
    assert_int_equal(check((double)NAN, (double)NAN, (double)NAN, (double)NAN, scale, &err),
                     WADI_OK);
    assert_int_equal(check((double)NAN, (double)NAN, 1, 0.5, scale, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "one does not say where its phase centre is, two does"));
    assert_int_equal(check(1, 0.5, (double)NAN, (double)NAN, scale, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "two does not say where its phase centre is, one does"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_report_has_five_parts),
        cmocka_unit_test(what_there_is_more_is_told),
        cmocka_unit_test(angles_are_told_in_handy_units),
        cmocka_unit_test(the_peak_has_its_place_in_the_sky),
        cmocka_unit_test(the_sky_is_a_sphere_also_beyond_its_poles),
        cmocka_unit_test(progress_tells_what_is_known),
        cmocka_unit_test(statistics_are_those_of_a_sorted_image),
        cmocka_unit_test(stokes_parameters_are_made_of_any_feeds),
        cmocka_unit_test(nothing_asked_for_is_i_or_else_the_first),
        cmocka_unit_test(names_of_polarisations_are_codes),
        cmocka_unit_test(phase_centres_are_one_within_a_tenth_of_a_pixel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
