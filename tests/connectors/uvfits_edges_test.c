/* Edge cases of UVFITS: every card that may have another value, with the whole message or with the number that results. */
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

#ifdef WADI_HAVE_CFITSIO

#include "base/file.h"
#include "tests/connectors/uvfits_file.h"
#include "tests/connectors/vis_rows.h"
#include "tests/open_files.h"

static const double DEGREE = 3.14159265358979323846 / 180;

static char *file_name(void) {
    static char name[64];
    snprintf(name, sizeof name, "uvfits_edges_%d.uvfits", (int)getpid());
    return name;
}

/* Cards of the primary header that are written over what stands there: "NAME=number", "NAME='text'", "-NAME". */
static const char *const *changes;

static void change_cards(fitsfile *f, int *status) {
    for (const char *const *c = changes; *c != NULL; c++) {
        const char *value = strchr(*c, '=');
        char name[16];
        snprintf(name, sizeof name, "%.*s", value != NULL ? (int)(value - *c) : 8, *c);
        if (**c == '-')
            fits_delete_key(f, name + 1, status);
        else if (value[1] == '\'')
            fits_update_key_str(f, name, value + 2, NULL, status);
        else
            fits_update_key_dbl(f, name, atof(value + 1), 12, NULL, status);
    }
}

static wadi_status try_open(const uvfits_file *u, const wadi_vis_options *options, wadi_vis **out,
                            wadi_error *err) {
    *out = NULL;
    uvfits_write(file_name(), u);
    const wadi_status st = wadi_vis_open(file_name(), options, out, err);
    unlink(file_name());
    return st;
}

/* The message begins with the file's name, and goes on like that. */
static void refused(const uvfits_file *u, const wadi_vis_options *options, wadi_status status,
                    const char *said) {
    wadi_vis *v = NULL;
    wadi_error err = {.status = WADI_OK};
    char whole[600];
    const wadi_status st = try_open(u, options, &v, &err);
    snprintf(whole, sizeof whole, "%s: %s", file_name(), said);
    if (strcmp(err.msg, whole) != 0) fail_msg("\"%s\" is not \"%s\"", err.msg, whole);
    assert_int_equal(st, status);
}

static wadi_vis *opened(const uvfits_file *u) {
    wadi_vis *v = NULL;
    wadi_error err = {.status = WADI_OK};
    if (try_open(u, NULL, &v, &err) != WADI_OK) fail_msg("%s", err.msg);
    return v;
}

/* ---- axes ---- */

static void axes_are_those_of_uvfits(void **state) {
    (void)state;
    static const struct {
        const char *card[4];
        int parts;
        wadi_status status;
        const char *said; /* NULL: it opens */
    } cases[] = {
        {{"CTYPE4='FREQ-LSR"}, 3, WADI_OK, NULL},
        {{"CTYPE3='FREQ"}, 3, WADI_IO, "two axes are named FREQ"},
        {{"CTYPE4='FREQUENCY"},
         3,
         WADI_UNSUPPORTED,
         "axis 4 of 3, named FREQUENCY, is not an axis of UVFITS"},
        {{"-CTYPE4"}, 3, WADI_UNSUPPORTED, "axis 4 of 3, without a name, is not an axis of UVFITS"},
        {{"-CTYPE2"}, 3, WADI_UNSUPPORTED, "axis 2 of 3, without a name, is not an axis of UVFITS"},
        {{NULL},
         1,
         WADI_IO,
         "the axis COMPLEX has 1 values, expected 2 (real, imaginary) or 3 (and weight)"},
        {{NULL},
         4,
         WADI_IO,
         "the axis COMPLEX has 4 values, expected 2 (real, imaginary) or 3 (and weight)"},
        {{"CRVAL4=0"}, 3, WADI_IO, "channel 1 of IF 1 has the frequency 0 Hz"},
        {{"CDELT4=-6e8"}, 3, WADI_IO, "channel 3 of IF 1 has the frequency -2e+08 Hz"},
        {{"CRPIX4=2000"}, 3, WADI_IO, "channel 1 of IF 1 has the frequency -9.99e+08 Hz"},
        {{"CRVAL3=5"}, 3, WADI_UNSUPPORTED, "polarisation 1 has the code 5"},
        {{"CRVAL3=-8"}, 3, WADI_UNSUPPORTED, "polarisation 2 has the code -9"},
        {{"CRVAL3=1"}, 3, WADI_UNSUPPORTED, "polarisation 2 has the code 0"},
        {{"PTYPE2='VV---NCP"},
         3,
         WADI_UNSUPPORTED,
         "VV---NCP: coordinates projected to the pole are not read"},
        {{"PTYPE3='OTHER"}, 3, WADI_IO, "no parameter of the groups is named WW"},
        {{"PTYPE1='UUU"}, 3, WADI_IO, "no parameter of the groups is named UU"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uvfits_file u = uvfits_plain(2);
        u.parts = cases[i].parts;
        u.cards = change_cards;
        changes = cases[i].card;
        if (cases[i].said == NULL)
            wadi_vis_close(opened(&u));
        else
            refused(&u, NULL, cases[i].status, cases[i].said);
    }
}

static void axes_count_from_their_pixel(void **state) {
    (void)state;
    uvfits_file u = uvfits_plain(2);
    u.cards = change_cards;
    changes = (const char *const[]){"CRPIX4=2.5", "CDELT4=-2e6", "CRPIX3=2", "CRVAL3=-7", NULL};
    wadi_vis *v = opened(&u);
    for (int c = 0; c < 3; c++)
        assert_true(fabs(v->info.frequency[c] - (1e9 - 2e6 * (c + 1 - 2.5))) < 1e-3);
    assert_true(v->info.channel_width == 2e6); /* of which the sign is no part */
    assert_int_equal(v->info.stokes[0], -6);
    assert_int_equal(v->info.stokes[1], -7);
    wadi_vis_close(v);
}

/* ---- where and when ---- */

static void places_and_years_are_found(void **state) {
    (void)state;
    static const double none = (double)NAN;
    static const struct {
        const char *card[6];
        double ra, dec, equinox; /* degrees */
    } cases[] = {
        {{NULL}, 120, -30, 2000},
        {{"OBSRA=7", "OBSDEC=8"}, 120, -30, 2000},
        {{"CRVAL6=0", "OBSRA=7", "OBSDEC=8"}, 0, -30, 2000},
        {{"CRVAL7=0", "OBSRA=7", "OBSDEC=8"}, 120, 0, 2000},
        {{"CRVAL6=0", "CRVAL7=0", "OBSRA=7", "OBSDEC=8"}, 7, 8, 2000},
        {{"CRVAL6=0", "CRVAL7=0", "OBSRA=7"}, 0, 0, 2000},
        {{"CTYPE6='OTHER", "OBSRA=7", "OBSDEC=8"}, 7, 8, 2000},
        {{"CTYPE7='OTHER", "OBSRA=7", "OBSDEC=8"}, 7, 8, 2000},
        {{"CTYPE7='OTHER", "OBSDEC=8"}, none, none, 2000},
        {{"CTYPE6='RA---SIN", "CTYPE7='DEC--SIN"}, 120, -30, 2000},
        {{"CRVAL7=90"}, 120, 90, 2000},
        {{"CRVAL7=90.1"}, none, none, 2000},
        {{"CRVAL7=-90.1"}, none, none, 2000},
        {{"EQUINOX='B1950.0"}, 120, -30, 1950},
        {{"EQUINOX='J1975"}, 120, -30, 1975},
        {{"EQUINOX=1990.5"}, 120, -30, 1990.5},
        {{"EQUINOX='1991"}, 120, -30, 1991},
        {{"EQUINOX='nothing", "EPOCH=1950"}, 120, -30, 1950},
        {{"EQUINOX=0", "EPOCH=-5"}, 120, -30, 2000},
        {{"EQUINOX=2010", "EPOCH=1950"}, 120, -30, 2010},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uvfits_file u = uvfits_plain(2);
        u.cards = change_cards;
        changes = cases[i].card;
        wadi_vis *v = opened(&u);
        const double want[2] = {cases[i].ra, cases[i].dec}, got[2] = {v->info.ra, v->info.dec};
        for (int k = 0; k < 2; k++)
            if (isnan(want[k]) ? !isnan(got[k]) : !(fabs(got[k] - want[k] * DEGREE) < 1e-12))
                fail_msg("case %d: %g, expected %g degrees", (int)i, got[k] / DEGREE, want[k]);
        assert_true(v->info.equinox == cases[i].equinox);
        wadi_vis_close(v);
    }
}

static const char *time_card, *time_value;

static void antenna_table(fitsfile *f, int *status) {
    char *type[] = {"ANNAME"}, *form[] = {"8A"};
    fits_create_tbl(f, BINARY_TBL, 1, 1, type, form, NULL, "AIPS AN", status);
    fits_update_key_str(f, time_card, time_value, NULL, status);
    fits_update_key_dbl(f, "IATUTC", 864, 10, NULL, status); /* a hundredth of a day */
}

static void only_atomic_time_is_ahead(void **state) {
    (void)state;
    static const struct {
        const char *card, *value;
        double ahead;
    } cases[] = {{"TIMSYS", "IAT", 0.01}, {"TIMSYS", "TAI", 0.01},  {"TIMESYS", "IAT", 0.01},
                 {"TIMSYS", "UTC", 0},    {"TIMESYS", "TAI", 0.01}, {"TIMESYS", "UTC", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uvfits_file u = uvfits_plain(3);
        vis_rows r = {0};
        u.tables = antenna_table;
        time_card = cases[i].card;
        time_value = cases[i].value;
        wadi_vis *v = NULL;
        uvfits_write(file_name(), &u);
        vis_rows_of(file_name(), NULL, &v, &r);
        for (int g = 0; g < 3; g++)
            assert_true(fabs(r.row.time[g] - (57000 + g / 1024.0 - cases[i].ahead)) < 1e-9);
        vis_rows_fini(&r);
        wadi_vis_close(v);
        unlink(file_name());
    }
}

/* ---- tables ---- */

static void parameter_5_and_6(uvfits_file *u, const char *first, const char *second) {
    u->params = second != NULL ? 7 : 6;
    u->param[5].type = first;
    u->param[6].type = second;
    u->param[5].scale = u->param[6].scale = 1;
}

static int setup_ids[2], setups_n;
static double widths[2][3];

static void setups(fitsfile *f, int *status) {
    uvfits_write_setups(f, setups_n, setup_ids, 3, status);
    for (int i = 0; i < setups_n; i++)
        fits_write_col(f, TDOUBLE, 3, i + 1, 1, 3, widths[i], status);
}

static double group_number(long group, int i) {
    return i == 5 ? (double)(group % 20) : i == 6 ? 1 : uvfits_parameter(group, i);
}

static void widths_of_channels_are_those_of_the_table(void **state) {
    (void)state;
    static const struct {
        double width[3], told;
    } cases[] = {{{2e3, 2e3, 2e3}, 2e3},   {{-2e3, 2e3, -2e3}, 2e3}, {{2e3, 3e3, 2e3}, 0},
                 {{2e3, 2e3, 3e3}, 0},     {{0, 0, 0}, 1e6},         {{1e6, 0, 1e6}, 1e6},
                 {{-5e3, -5e3, -5e3}, 5e3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uvfits_file u = uvfits_plain(2);
        u.ifs = 3;
        u.tables = setups;
        setups_n = 1;
        setup_ids[0] = 1;
        memcpy(widths[0], cases[i].width, sizeof widths[0]);
        wadi_vis *v = opened(&u);
        assert_true(v->info.channel_width == cases[i].told);
        for (int c = 0; c < 9; c++) {
            const double w = cases[i].width[c / 3] != 0 ? cases[i].width[c / 3] : 1e6;
            assert_true(fabs(v->info.frequency[c] - (1e9 + c / 3 * 1e6 + c % 3 * w)) < 1);
        }
        wadi_vis_close(v);
    }
}

static void a_frequency_id_that_no_table_has_is_told(void **state) {
    (void)state;
    uvfits_file u = uvfits_plain(2);
    u.ifs = 3;
    u.tables = setups;
    u.parameter = group_number; /* 0 and 1 */
    parameter_5_and_6(&u, "FREQSEL", NULL);
    setups_n = 2;
    setup_ids[0] = 1;
    setup_ids[1] = 7;
    memset(widths, 0, sizeof widths);
    refused(&u, &(wadi_vis_options){.setup = 1}, WADI_IO,
            "frequency id 0 is not in the table AIPS FQ");
    wadi_vis *v = NULL;
    assert_int_equal(try_open(&u, &(wadi_vis_options){.setup = 2}, &v, NULL), WADI_OK);
    assert_int_equal(v->info.rows, 1);
    wadi_vis_close(v);
    setups_n = 1; /* the one there is holds for whatever is said */
    setup_ids[0] = 7;
    wadi_vis_close(opened(&u));
    parameter_5_and_6(&u, "OTHER", NULL);
    refused(&u, &(wadi_vis_options){.setup = 1}, WADI_INVALID,
            "its visibilities carry no number of a frequency id to choose");
    refused(&u, &(wadi_vis_options){.field = 1}, WADI_INVALID,
            "its visibilities carry no number of a source to choose");
}

static int field_n;
static double field_epoch;

static void fields(fitsfile *f, int *status) {
    int ids[30];
    for (int i = 0; i < field_n; i++) ids[i] = i;
    uvfits_write_fields(f, field_n, ids, status);
    for (int i = 0; i < field_n; i++)
        fits_write_col(f, TDOUBLE, 5, i + 1, 1, 1, &field_epoch, status);
}

static double large_number(long group, int i) {
    return i == 5 ? (double)(123456788 + group % 2) : uvfits_parameter(group, i);
}

static void numbers_of_sources_may_be_large(void **state) {
    (void)state;
    uvfits_file u = uvfits_plain(5);
    wadi_vis *v = NULL;
    u.bitpix = -64;
    u.parameter = large_number;
    parameter_5_and_6(&u, "SOURCE", NULL);
    refused(&u, NULL, WADI_INVALID,
            "2 sources in one file, one must be chosen: 123456788, 123456789");
    assert_int_equal(try_open(&u, &(wadi_vis_options){.field = 123456790}, &v, NULL), WADI_OK);
    assert_int_equal(v->info.rows, 2);
    wadi_vis_close(v);
}

/* As many as a message lists, and one more. */
static void sources_are_listed_up_to_a_dozen(void **state) {
    (void)state;
    for (long n = 11; n < 15; n++) {
        uvfits_file u = uvfits_plain(3 * n);
        char said[400];
        u.parameter = group_number;
        u.groups = n;
        parameter_5_and_6(&u, "SOURCE", NULL);
        int at = snprintf(said, sizeof said, "%ld sources in one file, one must be chosen: ", n);
        for (int i = 0; i < n && i < 12; i++)
            at += snprintf(said + at, sizeof said - (size_t)at, "%s%d", i > 0 ? ", " : "", i);
        if (n > 12) snprintf(said + at, sizeof said - (size_t)at, ", ...");
        refused(&u, NULL, WADI_INVALID, said);
    }
}

static void a_source_has_its_own_year_or_that_of_the_file(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        uvfits_file u = uvfits_plain(40);
        u.parameter = group_number;
        u.tables = fields;
        u.cards = change_cards;
        changes = (const char *const[]){"EPOCH=1975", NULL};
        parameter_5_and_6(&u, "SOURCE", NULL);
        field_n = 20;
        field_epoch = i == 0 ? 1950 : 0;
        wadi_vis *v = NULL;
        assert_int_equal(try_open(&u, &(wadi_vis_options){.field = 3 + 1}, &v, NULL), WADI_OK);
        assert_true(v->info.equinox == (i == 0 ? 1950 : 1975));
        assert_int_equal(v->info.rows, 2);
        assert_string_equal(v->info.object, "SRC3");
        assert_string_equal(v->info.telescope, "TOY");
        wadi_vis_close(v);
        refused(&u, &(wadi_vis_options){.field = 20 + 1}, WADI_INVALID,
                "no visibilities of source 20, only of 0 (SRC0), 1 (SRC1), 2 (SRC2), 3 (SRC3), "
                "4 (SRC4), 5 (SRC5), 6 (SRC6), 7 (SRC7), 8 (SRC8), 9 (SRC9), 10 (SRC10), "
                "11 (SRC11), ...");
    }
}

/* ---- numbers ---- */

static double of_baseline;

static double a_baseline(long group, int i) {
    return i == 3 ? of_baseline : uvfits_parameter(group, i);
}

static void antennas_are_taken_apart(void **state) {
    (void)state;
    static const struct {
        double code;
        int32_t first, second;
    } cases[] = {
        {257, 1, 1},          {511, 1, 255},           {256 * 3 + 9.99, 3, 9}, {65280, 255, 0},
        {65537 + 2048, 1, 1}, {65536 + 4095, 1, 2047}, {257.9995, 1, 2},       {0, 0, 0},
        {-1, -1, -1},         {2e9, -1, -1},           {-2e9, -1, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uvfits_file u = uvfits_plain(1);
        vis_rows r = {0};
        wadi_vis *v = NULL;
        u.bitpix = -64;
        u.parameter = a_baseline;
        of_baseline = cases[i].code;
        uvfits_write(file_name(), &u);
        vis_rows_of(file_name(), NULL, &v, &r);
        if (r.row.pair[0] != cases[i].first || r.row.pair[1] != cases[i].second)
            fail_msg("%g is %d and %d", cases[i].code, r.row.pair[0], r.row.pair[1]);
        vis_rows_fini(&r);
        wadi_vis_close(v);
        unlink(file_name());
    }
}

static void set_card(char *bytes, const char *card) {
    char *at = bytes;
    while (memcmp(at, card, 8) != 0) at += 80;
    memcpy(at, card, strlen(card));
}

/* What CFITSIO does not write: another number of bits, no groups, too many. */
static void headers_that_promise_something_else_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *card;
        wadi_status status;
        const char *said;
    } cases[] = {
        {"BITPIX  =                    8", WADI_UNSUPPORTED, ": BITPIX is 8"},
        {"BITPIX  =                   64", WADI_UNSUPPORTED, ": BITPIX is 64"},
        {"GCOUNT  =                    0", WADI_INVALID, ": no groups"},
        {"GROUPS  =                    F", WADI_UNSUPPORTED, "announces no random groups"},
        {"NAXIS   =                    0", WADI_UNSUPPORTED, "announces no random groups"},
        {"NAXIS1  =                    5", WADI_UNSUPPORTED, "announces no random groups"},
        {"NAXIS4  =                    0", WADI_IO, ": axis 4 has an extent of 0"},
        {"NAXIS4  =            400000000", WADI_IO, ": axis 4 has an extent of 400000000"},
        {"GCOUNT  =                  200", WADI_IO, "promises 200 groups, the file ends in group "},
    };
    uvfits_file u = uvfits_plain(5);
    char *bytes = NULL;
    size_t n = 0;
    uvfits_write(file_name(), &u);
    assert_int_equal(wadi_file_read(file_name(), &bytes, &n, NULL), WADI_OK);
    char *copy = malloc(n);
    assert_non_null(copy);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wadi_vis *v = NULL;
        wadi_error err = {.status = WADI_OK};
        memcpy(copy, bytes, n);
        set_card(copy, cases[i].card);
        assert_int_equal(wadi_file_write(file_name(), copy, n, 0600, NULL), WADI_OK);
        const wadi_status st = wadi_vis_open(file_name(), NULL, &v, &err);
        if (st != cases[i].status || strstr(err.msg, cases[i].said) == NULL)
            fail_msg("%s: %s", cases[i].card, err.msg);
    }
    free(bytes);
    free(copy);
    unlink(file_name());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(axes_are_those_of_uvfits),
        cmocka_unit_test(axes_count_from_their_pixel),
        cmocka_unit_test(places_and_years_are_found),
        cmocka_unit_test(only_atomic_time_is_ahead),
        cmocka_unit_test(widths_of_channels_are_those_of_the_table),
        cmocka_unit_test(a_frequency_id_that_no_table_has_is_told),
        cmocka_unit_test(numbers_of_sources_may_be_large),
        cmocka_unit_test(sources_are_listed_up_to_a_dozen),
        cmocka_unit_test(a_source_has_its_own_year_or_that_of_the_file),
        cmocka_unit_test(antennas_are_taken_apart),
        cmocka_unit_test(headers_that_promise_something_else_are_refused),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 77; /* skipped: built without CFITSIO */
}

#endif
