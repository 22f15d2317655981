/* Everything that a UVFITS file may contain is read with the right meaning: the test writes files and compares the numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef WADI_HAVE_CFITSIO

#include "base/thread.h"
#include "tests/connectors/uvfits_file.h"
#include "tests/connectors/vis_rows.h"
#include "tests/open_files.h"

static const double LIGHT = 299792458;
static const double DEGREE = 3.14159265358979323846 / 180;

static char *file_name(void) {
    static char name[64];
    snprintf(name, sizeof name, "uvfits_%d.uvfits", (int)getpid());
    return name;
}

static void write_and_read(const uvfits_file *u, const wadi_vis_options *options,
                           wadi_vis **out_vis, vis_rows *out) {
    uvfits_write(file_name(), u);
    vis_rows_of(file_name(), options, out_vis, out);
}

static void finish(wadi_vis *v, vis_rows *r) {
    vis_rows_fini(r);
    wadi_vis_close(v);
    unlink(file_name());
}

/* It must not open; the message names the file and what is wanted. */
static void is_refused(const uvfits_file *u, const wadi_vis_options *options, wadi_status status,
                       const char *why) {
    wadi_vis *v = NULL;
    wadi_error err = {0};
    uvfits_write(file_name(), u);
    assert_int_equal(wadi_vis_open(file_name(), options, &v, &err), status);
    assert_non_null(strstr(err.msg, file_name()));
    if (strstr(err.msg, why) == NULL) fail_msg("\"%s\" lacks \"%s\"", err.msg, why);
    unlink(file_name());
}

static bool is_near(double x, double want) {
    return fabs(x - want) <= 1e-6 * fabs(want) + 1e-12;
}

/* Every value, where the file says how it is scaled; float_steps: what is stored is rounded to f32. */
static void values_are(const uvfits_file *u, const vis_rows *r) {
    assert_int_equal(r->n, u->groups);
    assert_int_equal(r->info->channels, u->channels * u->ifs);
    assert_int_equal(r->info->pols, u->pols);
    for (int64_t i = 0; i < r->n * r->cells; i++) {
        const long g = (long)(i / r->cells);
        const int pol = (int)(i % u->pols);
        const int both = (int)(i % r->cells / u->pols);
        const int channel = both % u->channels;
        const int band = both / u->channels;
        for (int part = 0; part < u->parts; part++) {
            const double want = u->value(g, part, pol, channel, band) * u->scale + u->zero;
            if (part < 2) assert_true(r->row.data[2 * i + part] == want);
            if (part == 2) assert_true(r->row.weight[i] == (float)want);
        }
        if (u->parts == 2) assert_true(r->row.weight[i] == 1);
    }
}

/* ---- values ---- */

static void every_type_and_order_of_axes_gives_the_same_rows(void **state) {
    (void)state;
    static const int types[] = {16, 32, -32, -64};
    for (int i = 0; i < 16; i++) {
        uvfits_file u = uvfits_plain(300);
        u.bitpix = types[i % 4];
        u.channels_first = i / 4 % 2 == 1;
        u.parts = i / 8 == 0 ? 3 : 2;
        u.param[4].scale = u.bitpix > 0 ? 0 : 1;
        wadi_vis *v = NULL;
        vis_rows r = {0};
        write_and_read(&u, NULL, &v, &r);
        values_are(&u, &r);
        for (int k = 0; k < 3; k++)
            assert_true(is_near(r.row.uvw[3 * 7 + k], -uvfits_parameter(7, k) * 1e-6 * LIGHT));
        finish(v, &r);
    }
}

static void integers_are_scaled(void **state) {
    (void)state;
    for (int bitpix = 16; bitpix <= 32; bitpix += 16) {
        uvfits_file u = uvfits_plain(50);
        u.bitpix = bitpix;
        u.scale = 0.25;
        u.zero = -3;
        u.param[4].scale = 0;
        wadi_vis *v = NULL;
        vis_rows r = {0};
        write_and_read(&u, NULL, &v, &r);
        values_are(&u, &r);
        /* Parameters have scales of their own. */
        assert_true(is_near(r.row.uvw[3 * 7], -uvfits_parameter(7, 0) * 1e-6 * LIGHT));
        finish(v, &r);
    }
}

static void blank_is_minus_sixty(fitsfile *f, int *status) {
    long blank = -60;
    fits_update_key(f, TLONG, "BLANK", &blank, NULL, status);
}

static double three_or_blank(long group, int part, int pol, int channel, int band) {
    (void)channel;
    (void)band;
    return group == 1 && pol == 0 && part != 1 ? -60 : 3;
}

static void missing_integers_are_not_numbers_and_missing_weights_flag(void **state) {
    (void)state;
    uvfits_file u = uvfits_plain(2);
    u.bitpix = 16;
    u.param[4].scale = 0;
    u.cards = blank_is_minus_sixty;
    u.value = three_or_blank;
    wadi_vis *v = NULL;
    vis_rows r = {0};
    write_and_read(&u, NULL, &v, &r);
    assert_true(r.row.data[0] == 3 && r.row.weight[0] == 3);
    assert_true(isnan(r.row.data[2 * r.cells]) && r.row.data[2 * r.cells + 1] == 3);
    for (int64_t i = 0; i < r.cells; i++) /* that of every other polarisation is there */
        assert_true(r.row.weight[r.cells + i] == (i % u.pols == 0 ? 0 : 3));
    finish(v, &r);
}

static double nothing_good(long group, int part, int pol, int channel, int band) {
    return part == 2 ? -(double)(group % 2) : uvfits_value(group, part, pol, channel, band);
}

static void a_file_with_everything_flagged_is_read(void **state) {
    (void)state;
    uvfits_file u = uvfits_plain(10);
    u.value = nothing_good;
    wadi_vis *v = NULL;
    vis_rows r = {0};
    write_and_read(&u, NULL, &v, &r);
    values_are(&u, &r);
    finish(v, &r);
}

static void pieces_of_any_size_and_a_second_reading_are_the_same(void **state) {
    (void)state;
    uvfits_file u = uvfits_plain(5000); /* 65 groups of 92 bytes are a long way from a block */
    u.channels = 60;                    /* 1460 bytes: 718 groups to a block */
    wadi_vis *v = NULL;
    vis_rows all = {0};
    write_and_read(&u, NULL, &v, &all);
    values_are(&u, &all);
    vis_rows_in_any_order(v, &all);
    static const int64_t steps[] = {1, 717, 719, 4999};
    for (int i = 0; i < 4; i++) {
        vis_rows r = {0};
        assert_int_equal(vis_rows_read(v, steps[i], &r, NULL), WADI_OK);
        assert_int_equal(r.n, all.n);
        assert_memory_equal(r.row.data, all.row.data, 16 * (size_t)(r.n * r.cells));
        assert_memory_equal(r.row.weight, all.row.weight, 4 * (size_t)(r.n * r.cells));
        assert_memory_equal(r.row.time, all.row.time, 8 * (size_t)r.n);
        vis_rows_fini(&r);
    }
    finish(v, &all);
}

typedef struct reading {
    wadi_thread thread;
    const char *path;
    const vis_rows *want;
    int same;
} reading;

static void read_again(void *env) {
    reading *g = env;
    for (int i = 0; i < 20; i++) {
        wadi_vis *v = NULL;
        vis_rows r = {0};
        if (wadi_vis_open(g->path, NULL, &v, NULL) != WADI_OK) return;
        if (vis_rows_read(v, 64, &r, NULL) == WADI_OK && r.n == g->want->n)
            g->same += memcmp(r.row.data, g->want->row.data, 16 * (size_t)(r.n * r.cells)) == 0;
        vis_rows_fini(&r);
        wadi_vis_close(v);
    }
}

static void one_file_may_be_read_by_several_threads(void **state) {
    (void)state;
    const uvfits_file u = uvfits_plain(500);
    wadi_vis *v = NULL;
    vis_rows r = {0};
    reading g[4] = {0};
    const char *path = file_name();
    write_and_read(&u, NULL, &v, &r);
    for (int i = 0; i < 4; i++) {
        g[i].path = path;
        g[i].want = &r;
        assert_int_equal(wadi_thread_start(&g[i].thread, read_again, &g[i], NULL), WADI_OK);
    }
    for (int i = 0; i < 4; i++) {
        wadi_thread_join(&g[i].thread);
        assert_int_equal(g[i].same, 20);
    }
    finish(v, &r);
}

/* ---- parameters ---- */

static void parameters_of_one_name_add_up(void **state) {
    (void)state;
    uvfits_file u = uvfits_plain(9);
    u.params = 8;
    u.param[5].type = "UU";
    u.param[5].scale = 1e-9;
    u.param[5].zero = 2e-6;
    u.param[6].type = "DATE";
    u.param[6].scale = 1.0 / (1 << 20);
    u.param[7].type = "LST";
    u.param[7].scale = 1;
    wadi_vis *v = NULL;
    vis_rows r = {0};
    write_and_read(&u, NULL, &v, &r);
    for (long g = 0; g < 9; g++) {
        const double seconds = uvfits_parameter(g, 0) * 1e-6 + uvfits_parameter(g, 5) * 1e-9 + 2e-6;
        assert_true(is_near(r.row.uvw[3 * g], -seconds * LIGHT));
        /* Exact: all of it is sums of powers of two. */
        assert_true(r.row.time[g] == 57000 + (double)g / 1024 + uvfits_parameter(g, 6) / (1 << 20));
    }
    finish(v, &r);
}

static void baselines_have_many_names(void **state) {
    (void)state;
    static const char *const names[][3] = {{"UU--", "VV--", "WW--"},
                                           {"UU---SIN", "VV---SIN", "WW---SIN"},
                                           {"UU-L-SIN", "VV-L-SIN", "WW-L-SIN"}};
    for (int i = 0; i < 3; i++) {
        uvfits_file u = uvfits_plain(3);
        for (int k = 0; k < 3; k++) u.param[k].type = names[i][k];
        wadi_vis *v = NULL;
        vis_rows r = {0};
        write_and_read(&u, NULL, &v, &r);
        const double metres = i == 2 ? LIGHT / 1e9 : LIGHT; /* the last are wavelengths at 1 GHz */
        assert_true(is_near(r.row.uvw[2], -uvfits_parameter(0, 2) * 1e-6 * metres));
        finish(v, &r);
    }
    uvfits_file u = uvfits_plain(3);
    u.param[2].type = "WEIGHT";
    is_refused(&u, NULL, WADI_IO, "WW");
    u = uvfits_plain(3);
    u.param[0].type = "UU---NCP";
    is_refused(&u, NULL, WADI_UNSUPPORTED, "UU---NCP");
}

static double baseline;

static double fixed_baseline(long group, int i) {
    return i == 3 ? baseline : i == 5 ? 300 : i == 6 ? 7 : uvfits_parameter(group, i);
}

static void both_codes_of_baselines_are_read(void **state) {
    (void)state;
    static const struct {
        double code;
        int first, second;
    } cases[] = {{258, 1, 2},
                 {256 * 255 + 255, 255, 255},
                 {263.01, 1, 7}, /* of the second subarray */
                 {514.09, 2, 2},
                 {65536 + 2048 * 3 + 300, 3, 300},
                 {65536 + 2048 * 2000 + 2047, 2000, 2047},
                 {-5, -1, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uvfits_file u = uvfits_plain(2);
        u.parameter = fixed_baseline;
        baseline = cases[i].code;
        wadi_vis *v = NULL;
        vis_rows r = {0};
        write_and_read(&u, NULL, &v, &r);
        assert_int_equal(r.row.pair[0], cases[i].first);
        assert_int_equal(r.row.pair[1], cases[i].second);
        finish(v, &r);
    }
}

static void antennas_by_name_go_before_the_baseline(void **state) {
    (void)state;
    uvfits_file u = uvfits_plain(2);
    u.params = 7;
    u.param[5].type = "ANTENNA1";
    u.param[6].type = "ANTENNA2";
    u.param[5].scale = u.param[6].scale = 1;
    u.parameter = fixed_baseline;
    baseline = 258;
    wadi_vis *v = NULL;
    vis_rows r = {0};
    write_and_read(&u, NULL, &v, &r);
    assert_int_equal(r.row.pair[0], 300);
    assert_int_equal(r.row.pair[1], 7);
    finish(v, &r);
    u = uvfits_plain(2);
    u.param[3].type = "OTHER";
    u.param[4].type = "OTHER";
    write_and_read(&u, NULL, &v, &r);
    assert_int_equal(r.row.pair[0], -1);
    assert_int_equal(r.row.pair[1], -1);
    assert_true(r.row.time[0] == 0);
    finish(v, &r);
}

static void dates_in_atomic_time(fitsfile *f, int *status) {
    char *type[] = {"ANNAME"};
    char *form[] = {"8A"};
    fits_create_tbl(f, BINARY_TBL, 1, 1, type, form, NULL, "AIPS AN", status);
    fits_update_key_str(f, "TIMSYS", "IAT", NULL, status);
    fits_update_key_dbl(f, "IATUTC", 33, 10, NULL, status);
}

static void dates_in_atomic_time_become_utc(void **state) {
    (void)state;
    uvfits_file u = uvfits_plain(2);
    u.tables = dates_in_atomic_time;
    wadi_vis *v = NULL;
    vis_rows r = {0};
    write_and_read(&u, NULL, &v, &r);
    assert_true(fabs(r.row.time[0] - (57000 - 33.0 / 86400)) < 1e-9);
    finish(v, &r);
}

/* ---- axes ---- */

static void every_code_of_polarisation_is_read(void **state) {
    (void)state;
    static const struct {
        double first, step;
        int n;
    } cases[] = {{1, 1, 4},  {-1, -1, 4}, {-5, -1, 4}, {-8, 1, 8},
                 {-7, 1, 1}, {-7, 0, 1},  {4, -1, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uvfits_file u = uvfits_plain(2);
        u.stokes = cases[i].first;
        u.stokes_step = cases[i].step;
        u.pols = cases[i].n;
        wadi_vis *v = NULL;
        vis_rows r = {0};
        write_and_read(&u, NULL, &v, &r);
        values_are(&u, &r);
        for (int p = 0; p < u.pols; p++)
            assert_int_equal(r.info->stokes[p], (int)(cases[i].first + p * cases[i].step));
        finish(v, &r);
    }
    uvfits_file u = uvfits_plain(2);
    u.stokes = 1;
    is_refused(&u, NULL, WADI_UNSUPPORTED, "polarisation 2");
    u.stokes = -9;
    is_refused(&u, NULL, WADI_UNSUPPORTED, "-9");
}

static void nameless(fitsfile *f, int *status) {
    fits_delete_key(f, "CTYPE3", status);
    fits_delete_key(f, "CTYPE5", status);
    fits_delete_key(f, "CRVAL5", status);
}

static void an_axis_of_one_needs_no_name(void **state) {
    (void)state;
    uvfits_file u = uvfits_plain(4);
    u.cards = nameless;
    is_refused(&u, NULL, WADI_UNSUPPORTED, "axis 3");
    u.pols = 1;
    wadi_vis *v = NULL;
    vis_rows r = {0};
    write_and_read(&u, NULL, &v, &r);
    values_are(&u, &r);
    assert_int_equal(r.info->stokes[0], WADI_STOKES_I);
    finish(v, &r);
}

static void centre_elsewhere(fitsfile *f, int *status) {
    fits_delete_key(f, "CRVAL6", status);
    fits_delete_key(f, "CRVAL7", status);
    fits_update_key_dbl(f, "OBSRA", 77.5, 10, NULL, status);
    fits_update_key_dbl(f, "OBSDEC", 11.25, 10, NULL, status);
    fits_update_key_str(f, "EQUINOX", "B1950", NULL, status);
    fits_update_key_dbl(f, "EPOCH", 2000, 10, NULL, status);
}

static void epoch_alone(fitsfile *f, int *status) {
    fits_update_key_dbl(f, "EPOCH", 1950, 10, NULL, status);
}

static void the_centre_is_found_wherever_it_stands(void **state) {
    (void)state;
    uvfits_file u = uvfits_plain(4);
    wadi_vis *v = NULL;
    vis_rows r = {0};
    write_and_read(&u, NULL, &v, &r);
    assert_true(is_near(r.info->ra, 120 * DEGREE) && is_near(r.info->dec, -30 * DEGREE));
    assert_true(r.info->equinox == 2000);
    assert_string_equal(r.info->object, "PLAIN");
    finish(v, &r);
    u.cards = epoch_alone;
    write_and_read(&u, NULL, &v, &r);
    assert_true(r.info->equinox == 1950);
    finish(v, &r);
    u.cards = centre_elsewhere;
    write_and_read(&u, NULL, &v, &r);
    assert_true(is_near(r.info->ra, 77.5 * DEGREE) && is_near(r.info->dec, 11.25 * DEGREE));
    assert_true(r.info->equinox == 1950);
    finish(v, &r);
}

/* ---- tables ---- */

static void one_setup(fitsfile *f, int *status) {
    uvfits_write_setups(f, 1, (const int[]){1}, 3, status);
}

static void two_setups(fitsfile *f, int *status) {
    uvfits_write_setups(f, 2, (const int[]){1, 5}, 3, status);
}

static void ifs_get_their_frequencies_from_the_table(void **state) {
    (void)state;
    uvfits_file u = uvfits_plain(20);
    u.ifs = 3;
    is_refused(&u, NULL, WADI_IO, "AIPS FQ");
    u.tables = one_setup;
    wadi_vis *v = NULL;
    vis_rows r = {0};
    write_and_read(&u, NULL, &v, &r);
    values_are(&u, &r);
    for (int i = 0; i < 9; i++)
        assert_true(is_near(r.info->frequency[i], 1e9 + i / 3 * 1e6 + i % 3 * 1e3));
    assert_true(r.info->channel_width == 1000);
    finish(v, &r);
    u.ifs = 4;
    is_refused(&u, NULL, WADI_IO, "4 IFs");
}

static double numbered(long group, int i) {
    return i == 5 ? (double)(group % 3 == 0 ? 5 : 1) : uvfits_parameter(group, i);
}

static void one_of_several_setups_is_chosen(void **state) {
    (void)state;
    uvfits_file u = uvfits_plain(20);
    u.ifs = 3;
    u.params = 6;
    u.param[5].type = "FREQSEL";
    u.param[5].scale = 1;
    u.parameter = numbered;
    u.tables = two_setups;
    is_refused(&u, NULL, WADI_INVALID, "5 (1010 MHz), 1 (1000 MHz)");
    is_refused(&u, &(wadi_vis_options){.setup = 3}, WADI_INVALID, "frequency id 2");
    is_refused(&u, &(wadi_vis_options){.field = 3}, WADI_INVALID, "source");
    wadi_vis *v = NULL;
    vis_rows r = {0};
    write_and_read(&u, &(wadi_vis_options){.setup = 5 + 1}, &v, &r);
    assert_int_equal(r.n, 7);
    for (int i = 0; i < 9; i++)
        assert_true(is_near(r.info->frequency[i], 1.01e9 + i / 3 * 1e6 + i % 3 * 2e3));
    for (long g = 0; g < 7; g++)
        assert_true(r.row.data[2 * g * r.cells] == uvfits_value(3 * g, 0, 0, 0, 0));
    vis_rows_in_any_order(v, &r);
    /* Again from the start, and in pieces. */
    vis_rows again = {0};
    assert_int_equal(vis_rows_read(v, 2, &again, NULL), WADI_OK);
    assert_int_equal(again.n, 7);
    assert_memory_equal(again.row.data, r.row.data, 16 * (size_t)(7 * r.cells));
    vis_rows_fini(&again);
    finish(v, &r);
}

static void lists(const wadi_vis_options *options, size_t n, const int *setups) {
    wadi_vis_options *all = NULL;
    size_t got = 0;
    assert_int_equal(wadi_vis_setups(file_name(), options, &all, &got, NULL), WADI_OK);
    assert_int_equal(got, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(all[i].setup, setups[i]);
        assert_int_equal(all[i].field, options != NULL ? options->field : 0);
    }
    free(all);
}

static double numbered_twice(long group, int i) {
    return i == 6 ? (double)(group % 2) : numbered(group, i);
}

static void setups_are_listed(void **state) {
    (void)state;
    const int both[] = {1 + 1, 5 + 1}, plain[] = {0};
    uvfits_file u = uvfits_plain(20);
    uvfits_write(file_name(), &u);
    lists(NULL, 1, plain);
    u.ifs = 3;
    u.params = 7;
    u.param[5].type = "FREQSEL";
    u.param[6].type = "SOURCE";
    u.param[5].scale = u.param[6].scale = 1;
    u.parameter = numbered_twice;
    u.tables = two_setups;
    uvfits_write(file_name(), &u);
    lists(&(wadi_vis_options){.field = 1 + 1}, 2, both);
    lists(&(wadi_vis_options){.field = 1, .setup = 5 + 1}, 1, both + 1);
    wadi_vis_options *all = NULL;
    size_t n = 0;
    wadi_error err = {0};
    assert_int_equal(wadi_vis_setups(file_name(), NULL, &all, &n, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "2 sources"));
    const wadi_vis_options none = {.field = 1, .setup = 9};
    assert_int_equal(wadi_vis_setups(file_name(), &none, &all, &n, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "no visibilities of frequency id 8"));
    unlink(file_name());
}

/* ---- frequencies of sources ---- */

static double *source_offsets; /* of source 1 */
static int source_offsets_n;

static void fields_with_offsets(fitsfile *f, int *status) {
    char form[16];
    uvfits_write_setups(f, 1, (const int[]){1}, 3, status);
    uvfits_write_fields(f, 2, (const int[]){7, 1}, status);
    snprintf(form, sizeof form, "%dD", source_offsets_n);
    fits_insert_col(f, 6, (char[]){"FREQOFF"}, form, status);
    fits_write_col(f, TDOUBLE, 6, 2, 1, source_offsets_n, source_offsets, status);
}

static void the_table_of_sources_shifts_frequencies(void **state) {
    (void)state;
    double offset[3] = {1e5, -2e5, (double)NAN};
    uvfits_file u = uvfits_plain(20);
    u.ifs = 3;
    u.params = 6;
    u.param[5].type = "SOURCE";
    u.param[5].scale = 1;
    u.parameter = numbered;
    u.tables = fields_with_offsets;
    source_offsets = offset;
    source_offsets_n = 3;
    wadi_vis *v = NULL;
    vis_rows r = {0};
    write_and_read(&u, &(wadi_vis_options){.field = 1 + 1}, &v, &r);
    for (int i = 0; i < 9; i++) {
        const double more = i / 3 == 2 ? 0 : offset[i / 3]; /* what is not a number is none */
        assert_true(is_near(r.info->frequency[i], 1e9 + i / 3 * 1e6 + i % 3 * 1e3 + more));
    }
    finish(v, &r);
    source_offsets_n = 1;
    is_refused(&u, &(wadi_vis_options){.field = 1 + 1}, WADI_IO, "3 IFs, FREQOFF in the table");
    offset[0] = 0;
    write_and_read(&u, &(wadi_vis_options){.field = 1 + 1}, &v, &r);
    assert_true(is_near(r.info->frequency[0], 1e9));
    finish(v, &r);
}

static void three_fields(fitsfile *f, int *status) {
    uvfits_write_fields(f, 3, (const int[]){1, 5, 9}, status);
}

static void one_field(fitsfile *f, int *status) {
    uvfits_write_fields(f, 1, (const int[]){1}, status);
}

static void one_of_several_sources_is_chosen(void **state) {
    (void)state;
    uvfits_file u = uvfits_plain(20);
    u.params = 6;
    u.param[5].type = "SOURCE";
    u.param[5].scale = 1;
    u.parameter = numbered;
    is_refused(&u, NULL, WADI_INVALID, "2 sources");
    u.tables = three_fields;
    is_refused(&u, NULL, WADI_INVALID, "5 (SRC5), 1 (SRC1)");
    is_refused(&u, &(wadi_vis_options){.field = 9 + 1}, WADI_INVALID, "SRC5"); /* has no rows */
    is_refused(&u, &(wadi_vis_options){.field = -1}, WADI_INVALID, "field");
    wadi_vis *v = NULL;
    vis_rows r = {0};
    write_and_read(&u, &(wadi_vis_options){.field = 5 + 1}, &v, &r);
    assert_int_equal(r.n, 7);
    assert_string_equal(r.info->object, "SRC5");
    assert_true(is_near(r.info->ra, 50 * DEGREE) && is_near(r.info->dec, -5 * DEGREE));
    assert_true(r.info->equinox == 1950);
    finish(v, &r);
    u.tables = one_field; /* which the groups then need not say */
    write_and_read(&u, NULL, &v, &r);
    assert_int_equal(r.n, 20);
    assert_string_equal(r.info->object, "SRC1");
    finish(v, &r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(every_type_and_order_of_axes_gives_the_same_rows),
        cmocka_unit_test(integers_are_scaled),
        cmocka_unit_test(missing_integers_are_not_numbers_and_missing_weights_flag),
        cmocka_unit_test(a_file_with_everything_flagged_is_read),
        cmocka_unit_test(pieces_of_any_size_and_a_second_reading_are_the_same),
        cmocka_unit_test(one_file_may_be_read_by_several_threads),
        cmocka_unit_test(parameters_of_one_name_add_up),
        cmocka_unit_test(baselines_have_many_names),
        cmocka_unit_test(both_codes_of_baselines_are_read),
        cmocka_unit_test(antennas_by_name_go_before_the_baseline),
        cmocka_unit_test(dates_in_atomic_time_become_utc),
        cmocka_unit_test(every_code_of_polarisation_is_read),
        cmocka_unit_test(an_axis_of_one_needs_no_name),
        cmocka_unit_test(the_centre_is_found_wherever_it_stands),
        cmocka_unit_test(ifs_get_their_frequencies_from_the_table),
        cmocka_unit_test(one_of_several_setups_is_chosen),
        cmocka_unit_test(setups_are_listed),
        cmocka_unit_test(the_table_of_sources_shifts_frequencies),
        cmocka_unit_test(one_of_several_sources_is_chosen),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 77; /* skipped: built without CFITSIO */
}

#endif
