/* Measurement Sets with one number changed: every code of polarisation, references to descriptions and fields that do not exist,
 * equal sets of polarisations, cells of another shape. Messages are compared as whole sentences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#ifdef WADI_HAVE_CASACORE

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/connectors/ms_file.h"
#include "tests/connectors/vis_rows.h"
#include "tests/open_files.h"

static const ms_look simple = {.one_field = true, .one_window = true};

static char *set_name(void) {
    static char name[64];
    snprintf(name, sizeof name, "ms_edges_%d.ms", (int)getpid());
    return name;
}

static void written(const ms_look *look) {
    char why[400] = "";
    if (!ms_file_write(set_name(), look, why)) fail_msg("%s", why);
}

static void put(const char *table, const char *column, int64_t row, int at, int value) {
    char why[400] = "";
    if (!ms_file_put(set_name(), table, column, row, at, value, why)) fail_msg("%s", why);
}

static void removed(void) {
    char command[160];
    snprintf(command, sizeof command, "rm -r %s", set_name());
    assert_int_equal(system(command), 0);
}

static void refused(const wadi_vis_options *options, wadi_status status, const char *said) {
    wadi_vis *v = NULL;
    wadi_error err = {.status = WADI_OK};
    char whole[600];
    const wadi_status st = wadi_vis_open(set_name(), options, &v, &err);
    snprintf(whole, sizeof whole, "%s%s", set_name(), said);
    if (strcmp(err.msg, whole) != 0) fail_msg("\"%s\" is not \"%s\"", err.msg, whole);
    assert_int_equal(st, status);
    assert_null(v);
}

/* As casacore's class Stokes numbers them. */
static void every_code_is_a_polarisation(void **state) {
    (void)state;
    static const int stokes[] = {0,
                                 WADI_STOKES_I,
                                 WADI_STOKES_Q,
                                 WADI_STOKES_U,
                                 WADI_STOKES_V,
                                 WADI_STOKES_RR,
                                 WADI_STOKES_RL,
                                 WADI_STOKES_LR,
                                 WADI_STOKES_LL,
                                 WADI_STOKES_XX,
                                 WADI_STOKES_XY,
                                 WADI_STOKES_YX,
                                 WADI_STOKES_YY};
    written(&simple);
    for (int code = -1; code <= 14; code++) {
        char said[120];
        put("POLARIZATION", "CORR_TYPE", 0, 0, code);
        if (code < 1 || code > 12) {
            snprintf(said, sizeof said,
                     ": polarisation %d (casacore's number) is none of I Q U V, RR RL LR LL and "
                     "XX XY YX YY",
                     code);
            refused(NULL, WADI_UNSUPPORTED, said);
            continue;
        }
        wadi_vis *v = NULL;
        assert_int_equal(wadi_vis_open(set_name(), NULL, &v, NULL), WADI_OK);
        assert_int_equal(v->info.stokes[0], stokes[code]);
        assert_int_equal(v->info.stokes[1], WADI_STOKES_YY);
        wadi_vis_close(v);
    }
    removed();
}

static void rows_of_descriptions_that_there_are_not_are_told(void **state) {
    (void)state;
    static const int wrong[] = {-1, 3, 100};
    written(&simple);
    for (int i = 0; i < 3; i++) {
        char said[100];
        snprintf(said, sizeof said, ": row 17 has data description %d of 3", wrong[i]);
        put("", "DATA_DESC_ID", 17, 0, wrong[i]);
        refused(NULL, WADI_IO, said);
    }
    put("", "DATA_DESC_ID", 17, 0, 2);
    wadi_vis *v = NULL;
    assert_int_equal(wadi_vis_open(set_name(), NULL, &v, NULL), WADI_OK);
    assert_int_equal(v->info.rows, MS_ROWS);
    wadi_vis_close(v);
    removed();
}

/* Fields in the order of their numbers, whatever that of the rows. */
static void fields_are_listed_in_order(void **state) {
    (void)state;
    written(&simple);
    put("", "FIELD_ID", 3, 0, 1);
    refused(NULL, WADI_INVALID, " holds several fields (0, 1): one of them has to be asked for");
    put("", "FIELD_ID", 0, 0, 9);
    put("", "FIELD_ID", 20, 0, 4);
    put("", "FIELD_ID", 21, 0, 4);
    refused(NULL, WADI_INVALID,
            " holds several fields (0, 1, 4, 9): one of them has to be asked for");
    refused(&(wadi_vis_options){.field = 3}, WADI_INVALID,
            ": no rows of field 2; there are 0, 1, 4, 9");
    wadi_vis *v = NULL;
    vis_rows r = {0};
    vis_rows_of(set_name(), &(wadi_vis_options){.field = 2}, &v, &r);
    assert_int_equal(r.n, 1);
    assert_int_equal(r.row.pair[0], 3);
    assert_string_equal(r.info->object, "Cas A");
    vis_rows_fini(&r);
    wadi_vis_close(v);
    removed();
}

/* Sets that were joined have some polarisations twice: rows of both are of one kind. */
static void equal_polarisations_are_one(void **state) {
    (void)state;
    const ms_look look = {.one_field = true, .mixed_pols = true};
    const wadi_vis_options first = {.setup = 1};
    wadi_vis_options *all = NULL;
    size_t n = 0;
    wadi_vis *v = NULL;
    written(&look);
    refused(&first, WADI_INVALID,
            " holds several sets of polarisations (0, 2): one of them has to be asked for");
    put("POLARIZATION", "CORR_TYPE", 2, 0, 9); /* half the same is not the same */
    refused(&first, WADI_INVALID,
            " holds several sets of polarisations (0, 2): one of them has to be asked for");
    put("POLARIZATION", "CORR_TYPE", 2, 1, 12);
    assert_int_equal(wadi_vis_open(set_name(), &first, &v, NULL), WADI_OK);
    assert_int_equal(v->info.rows, MS_ROWS / 3 * 2);
    wadi_vis_close(v);
    assert_int_equal(wadi_vis_setups(set_name(), NULL, &all, &n, NULL), WADI_OK);
    assert_int_equal(n, 2);
    assert_int_equal(all[0].setup, 1);
    assert_int_equal(all[0].products, 1);
    assert_int_equal(all[1].setup, 2);
    assert_int_equal(all[1].products, 2);
    free(all);
    removed();
}

/* A description says of its rows what they are not. */
static void cells_of_another_shape_are_told(void **state) {
    (void)state;
    const ms_look look = {.one_field = true};
    written(&look);
    put("DATA_DESCRIPTION", "SPECTRAL_WINDOW_ID", 2, 0, 1);
    refused(&(wadi_vis_options){.setup = 2}, WADI_INVALID,
            " holds several sets of polarisations (1, 0): one of them has to be asked for");
    refused(&(wadi_vis_options){.setup = 2, .products = 1}, WADI_INVALID,
            ": DATA has [2, 3] in row 3, where 2 polarisations of 2 channels belong");
    wadi_vis *v = NULL;
    assert_int_equal(
        wadi_vis_open(set_name(), &(wadi_vis_options){.setup = 2, .products = 2}, &v, NULL),
        WADI_OK);
    assert_int_equal(v->info.rows, MS_ROWS / 3);
    wadi_vis_close(v);
    /* the first row is as it should be, a later one is not */
    put("DATA_DESCRIPTION", "SPECTRAL_WINDOW_ID", 2, 0, 0);
    put("", "DATA_DESC_ID", 10, 0, 0);
    vis_rows r = {0};
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(wadi_vis_open(set_name(), &(wadi_vis_options){.setup = 1}, &v, NULL), WADI_OK);
    assert_int_equal(vis_rows_read(v, 100, &r, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "ms: rows 0 to 29: "));
    vis_rows_fini(&r);
    wadi_vis_close(v);
    removed();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(every_code_is_a_polarisation),
        cmocka_unit_test(rows_of_descriptions_that_there_are_not_are_told),
        cmocka_unit_test(fields_are_listed_in_order),
        cmocka_unit_test(equal_polarisations_are_one),
        cmocka_unit_test(cells_of_another_shape_are_told),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 77; /* skipped: built without casacore */
}

#endif
