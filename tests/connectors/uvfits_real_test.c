/* UVFITS files of four telescopes, compared with what is known about them (../shared/data/README.md and their headers). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef WADI_HAVE_CFITSIO

#include "base/file.h"
#include "tests/connectors/vis_rows.h"

static const double DEGREE = 3.14159265358979323846 / 180;
static const double MAS = 3.14159265358979323846 / 180 / 3600e3;

/* Skips the test where the file is not there. */
static void read_file(const char *name, wadi_vis **out_vis, vis_rows *out) {
    char path[512];
    const char *data = getenv("WADI_TEST_DATA");
    if (data != NULL) snprintf(path, sizeof path, "%s/vis/%s", data, name);
    if (data == NULL || !wadi_file_exists(path)) {
        print_message("no %s: set WADI_TEST_DATA\n", name);
        skip();
    }
    vis_rows_of(path, NULL, out_vis, out);
}

static int64_t flagged(const vis_rows *r, int pol) {
    int64_t n = 0;
    for (int64_t i = 0; i < r->n * r->cells; i++)
        n += (pol < 0 || i % r->info->pols == pol) && !(r->row.weight[i] > 0);
    return n;
}

static int antennas(const vis_rows *r) {
    bool seen[512] = {false};
    int n = 0;
    for (int64_t i = 0; i < 2 * r->n; i++) {
        assert_in_range(r->row.pair[i], 0, 511);
        n += !seen[r->row.pair[i]];
        seen[r->row.pair[i]] = true;
    }
    return n;
}

static void times_lie_in(const vis_rows *r, double from, double to) {
    for (int64_t i = 0; i < r->n; i++) assert_true(r->row.time[i] >= from && r->row.time[i] < to);
}

static double longest(const vis_rows *r) {
    double most = 0;
    for (int64_t i = 0; i < r->n; i++) {
        const double *u = r->row.uvw + 3 * i;
        most = fmax(most, hypot(hypot(u[0], u[1]), u[2]));
    }
    return most;
}

static void mojave_is_as_its_archive_has_it(void **state) {
    (void)state;
    wadi_vis *v = NULL;
    vis_rows r = {0};
    read_file("mojave.uvfits", &v, &r);
    assert_int_equal(r.n, 3150);
    assert_int_equal(r.info->channels, 2);
    assert_int_equal(r.info->pols, 4);
    for (int p = 0; p < 4; p++) assert_int_equal(r.info->stokes[p], -1 - p);
    assert_true(r.info->frequency[0] == 8.10445875e9 && r.info->frequency[1] == 8.11245875e9);
    assert_true(r.info->channel_width == 8e6);
    assert_string_equal(r.info->object, "1228+126");
    assert_string_equal(r.info->telescope, "VLBA");
    assert_string_equal(r.info->format, "UVFITS");
    assert_true(fabs(r.info->ra - 187.705930754 * DEGREE) < 1e-12);
    assert_true(r.info->equinox == 2000);
    assert_int_equal(antennas(&r), 10);
    times_lie_in(&r, 53901, 53903);          /* 15 June 2006 and the night after */
    assert_int_equal(flagged(&r, -1), 1416); /* of 25200: 5.6 % */
    /* The longest baseline of the VLBA is 8611 km. */
    assert_true(longest(&r) > 8.5e6 && longest(&r) < 8.612e6);
    vis_rows_fini(&r);
    wadi_vis_close(v);
}

static void mojave_has_its_peak_and_its_jet(void **state) {
    (void)state;
    wadi_vis *v = NULL;
    vis_rows r = {0};
    int64_t n = 0;
    read_file("mojave.uvfits", &v, &r);
    assert_true(fabs(vis_rows_image(&r, 0, 1, 0, 0, &n) - 1.519251) < 1e-6);
    assert_int_equal(n, 5946);
    /* M87's jet leaves the core to the west-north-west: position angle 288 degrees from north through east. */
    double jet = 0;
    double counter = 0;
    for (int mas = 3; mas <= 12; mas++) {
        const double l = mas * MAS * sin(288 * DEGREE);
        const double m = mas * MAS * cos(288 * DEGREE);
        jet += vis_rows_image(&r, 0, 1, l, m, NULL);
        counter += vis_rows_image(&r, 0, 1, -l, -m, NULL);
    }
    assert_true(jet > 2 * counter);
    vis_rows_fini(&r);
    wadi_vis_close(v);
}

static void eht_has_no_name_for_its_axis_of_ifs_and_no_cross_hands(void **state) {
    (void)state;
    wadi_vis *v = NULL;
    vis_rows r = {0};
    read_file("SR1_M87_2017_096_lo_hops_netcal_StokesI.uvfits", &v, &r);
    assert_int_equal(r.n, 8645);
    assert_int_equal(r.info->channels, 1);
    assert_int_equal(r.info->pols, 4);
    assert_true(r.info->frequency[0] == 227070703125);
    assert_true(r.info->equinox == 2000); /* EQUINOX = 'J2000' */
    times_lie_in(&r, 57849, 57850);       /* 6 April 2017, the date in two parameters */
    /* 8.2e9 wavelengths, projected; the file has no w. */
    assert_true(longest(&r) * 227070703125 / 299792458 > 8.1e9);
    assert_true(longest(&r) * 227070703125 / 299792458 < 8.3e9);
    assert_in_range(antennas(&r), 5, 8);
    vis_rows_fini(&r);
    wadi_vis_close(v);
}

static void a_file_with_every_weight_negative_is_read_as_it_is(void **state) {
    (void)state;
    wadi_vis *v = NULL;
    vis_rows r = {0};
    read_file("1131733552_mini_cotter.uvfits", &v, &r);
    assert_int_equal(r.n, 128 * 129 / 2);
    assert_int_equal(flagged(&r, -1), 4 * r.n);
    assert_int_equal(antennas(&r), 128);
    for (int p = 0; p < 4; p++) assert_int_equal(r.info->stokes[p], -5 - p);
    bool negative = false;
    for (int64_t i = 0; i < r.n * r.cells; i++) negative = negative || r.row.weight[i] < 0;
    assert_true(negative);
    int64_t alone = 0;
    for (int64_t i = 0; i < r.n; i++) {
        if (r.row.pair[2 * i] != r.row.pair[2 * i + 1]) continue;
        for (int k = 0; k < 3; k++) assert_true(fabs(r.row.uvw[3 * i + k]) < 1e-6);
        alone++;
    }
    assert_int_equal(alone, 128);
    assert_true(longest(&r) > 2000 && longest(&r) < 3100); /* the array is 3 km wide */
    times_lie_in(&r, 57342, 57343);
    vis_rows_fini(&r);
    wadi_vis_close(v);
}

static void hera_has_one_polarisation_and_scattered_antenna_numbers(void **state) {
    (void)state;
    wadi_vis *v = NULL;
    vis_rows r = {0};
    read_file("fewant_randsrc_airybeam_Nsrc100_10MHz.uvfits", &v, &r);
    assert_int_equal(r.n, 264);
    assert_int_equal(r.info->channels, 102);
    assert_int_equal(r.info->pols, 1);
    assert_int_equal(r.info->stokes[0], WADI_STOKES_XX);
    for (int c = 0; c < 102; c++)
        assert_true(fabs(r.info->frequency[c] - (100048828.125 + 97656.25 * c)) < 1e-3);
    assert_true(r.info->channel_width == 97656.25);
    assert_int_equal(antennas(&r), 12);
    times_lie_in(&r, 58109, 58110);
    assert_int_equal(flagged(&r, -1), 0);
    vis_rows_fini(&r);
    wadi_vis_close(v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mojave_is_as_its_archive_has_it),
        cmocka_unit_test(mojave_has_its_peak_and_its_jet),
        cmocka_unit_test(eht_has_no_name_for_its_axis_of_ifs_and_no_cross_hands),
        cmocka_unit_test(a_file_with_every_weight_negative_is_read_as_it_is),
        cmocka_unit_test(hera_has_one_polarisation_and_scattered_antenna_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 77; /* skipped: built without CFITSIO */
}

#endif
