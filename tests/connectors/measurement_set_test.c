/* Measurement Sets are read with the right numbers, signs and coordinates, or refused with an error that names the set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#ifdef WADI_HAVE_CASACORE

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/connectors/ms_file.h"
#include "tests/connectors/vis_rows.h"
#include "tests/open_files.h"

static char *name_of(const char *what) {
    static char name[64];
    snprintf(name, sizeof name, "ms_%d_%s", (int)getpid(), what);
    return name;
}

static void removed(const char *path) {
    char command[160];
    snprintf(command, sizeof command, "chmod -R u+w %s; rm -r %s", path, path);
    assert_int_equal(system(command), 0);
}

static char *written(const char *what, const ms_look *look) {
    char why[400] = "";
    char *path = name_of(what);
    if (!ms_file_write(path, look, why)) fail_msg("%s", why);
    return path;
}

static void refused(const char *path, const wadi_vis_options *options, wadi_status status,
                    const char *why) {
    wadi_vis *v = NULL;
    wadi_error err = {0};
    const wadi_status st = wadi_vis_open(path, options, &v, &err);
    if (strstr(err.msg, path) == NULL || strstr(err.msg, why) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", err.msg, why);
    assert_int_equal(st, status);
    assert_null(v);
}

/* Row r of those read is row `from` of the set. */
static void row_is(const vis_rows *got, int64_t r, int64_t from, const ms_look *look) {
    for (int k = 0; k < 3; k++) assert_true(got->row.uvw[3 * r + k] == -ms_uvw(from, k));
    assert_int_equal(got->row.pair[2 * r], from);
    assert_int_equal(got->row.pair[2 * r + 1], from + 100);
    assert_true(fabs(got->row.time[r] - ms_time(from) / 86400) < 1e-10);
    for (int i = 0; i < got->cells; i++) {
        const double *v = got->row.data + 2 * (r * got->cells + i);
        const int pol = i % (int)got->info->pols;
        const float w = look->has_spectrum ? ms_spectrum(from, i) : ms_weight(from, pol);
        assert_true(v[0] == ms_re(from, i) && v[1] == ms_im(from, i));
        assert_true(got->row.weight[r * got->cells + i] ==
                    (ms_flag(from, i) || ms_flag_row(from) ? -w : w));
    }
}

static void rows_of_one_field_and_window_are_taken(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        const ms_look look = {.is_double = (kind & 1) != 0, .has_spectrum = (kind & 2) != 0};
        char *path = written("kinds.ms", &look);
        for (int field = 0; field < 2; field++) {
            for (int window = 0; window < 2; window++) {
                const wadi_vis_options options = {.field = field + 1, .setup = window + 1};
                wadi_vis *v = NULL;
                vis_rows got = {0};
                int64_t at = 0;
                vis_rows_of(path, &options, &v, &got);
                for (int64_t r = 0; r < MS_ROWS; r++) {
                    if (ms_field_of(&look, r) != field || ms_window_of(&look, r) != window)
                        continue;
                    row_is(&got, at++, r, &look);
                }
                assert_int_equal(got.n, at);
                if (kind == 0) vis_rows_in_any_order(v, &got);
                vis_rows_fini(&got);
                wadi_vis_close(v);
            }
        }
        removed(path);
    }
}

static void what_the_set_says_is_told(void **state) {
    (void)state;
    char *path = written("told.ms", &(ms_look){0});
    wadi_vis *v = NULL;
    wadi_vis_options options = {.field = 1, .setup = 1};
    assert_int_equal(wadi_vis_open(path, &options, &v, NULL), WADI_OK);
    const wadi_vis_info *info = wadi_vis_about(v);
    assert_int_equal(info->channels, 3);
    assert_int_equal(info->pols, 2);
    for (int c = 0; c < 3; c++) assert_true(info->frequency[c] == ms_frequency(0, c));
    assert_int_equal(info->stokes[0], WADI_STOKES_XX);
    assert_int_equal(info->stokes[1], WADI_STOKES_YY);
    assert_true(info->channel_width == 2e6);
    assert_true(fabs(info->ra - (6.283185307179586 - 3)) < 1e-15 && info->dec == 0.25);
    assert_true(info->equinox == 2000);
    assert_string_equal(info->object, "M 87");
    assert_string_equal(info->telescope, "VLBA");
    assert_string_equal(info->format, "Measurement Set");
    wadi_vis_close(v);
    options = (wadi_vis_options){.field = 2, .setup = 2};
    assert_int_equal(wadi_vis_open(path, &options, &v, NULL), WADI_OK);
    info = wadi_vis_about(v);
    const int circular[4] = {WADI_STOKES_RR, WADI_STOKES_RL, WADI_STOKES_LR, WADI_STOKES_LL};
    assert_int_equal(info->pols, 4);
    assert_memory_equal(info->stokes, circular, sizeof circular);
    assert_true(info->frequency[1] == ms_frequency(1, 1) && info->ra == 1.5);
    assert_string_equal(info->object, "Cas A");
    wadi_vis_close(v);
    removed(path);
}

static void frames_are_told_apart(void **state) {
    (void)state;
    static const struct {
        ms_look look;
        int field;
        double equinox;
        bool is_fixed;
    } cases[] = {{{.frame = "B1950"}, 1, 1950, true},
                 {{.frame = "ICRS"}, 1, 2000, true},
                 {{.frame = "AZEL"}, 1, 2000, false},
                 {{.frame_by_row = true}, 1, 1950, true},
                 {{.frame_by_row = true}, 2, 2000, false}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        char *path = written("frame.ms", &cases[c].look);
        const wadi_vis_options options = {.field = cases[c].field, .setup = 1};
        wadi_vis *v = NULL;
        assert_int_equal(wadi_vis_open(path, &options, &v, NULL), WADI_OK);
        assert_true(wadi_vis_about(v)->equinox == cases[c].equinox);
        assert_int_equal(!isnan(wadi_vis_about(v)->ra), cases[c].is_fixed);
        assert_int_equal(!isnan(wadi_vis_about(v)->dec), cases[c].is_fixed);
        wadi_vis_close(v);
        removed(path);
    }
}

static void rows_do_not_depend_on_how_many_are_asked_for(void **state) {
    (void)state;
    const ms_look look = {.one_field = true, .one_window = true};
    char *path = written("cut.ms", &look);
    wadi_vis *v = NULL;
    assert_int_equal(wadi_vis_open(path, NULL, &v, NULL), WADI_OK);
    for (int64_t k = 1; k < MS_ROWS + 2; k += 3) {
        vis_rows got = {0};
        assert_int_equal(vis_rows_read(v, k, &got, NULL), WADI_OK);
        assert_int_equal(got.n, MS_ROWS);
        for (int64_t r = 0; r < MS_ROWS; r++) row_is(&got, r, r, &look);
        vis_rows_fini(&got);
    }
    wadi_vis_close(v);
    removed(path);
}

static void another_column_can_be_asked_for(void **state) {
    (void)state;
    char *path = written("column.ms", &(ms_look){.has_corrected = true, .one_field = true});
    wadi_vis *v = NULL;
    vis_rows got = {0};
    vis_rows_of(path, &(wadi_vis_options){.setup = 1, .column = "CORRECTED_DATA"}, &v, &got);
    assert_true(got.row.data[0] == ms_re(0, 0) + 1000 && got.row.data[1] == ms_im(0, 0));
    vis_rows_fini(&got);
    wadi_vis_close(v);
    refused(path, &(wadi_vis_options){.setup = 1, .column = "MODEL_DATA"}, WADI_INVALID,
            "no column MODEL_DATA of complex numbers; there are: DATA, CORRECTED_DATA");
    refused(path, &(wadi_vis_options){.setup = 1, .column = "WEIGHT"}, WADI_INVALID,
            "no column WEIGHT of complex numbers");
    removed(path);
}

static void one_of_several_is_asked_for(void **state) {
    (void)state;
    char *path = written("several.ms", &(ms_look){0});
    refused(path, NULL, WADI_INVALID,
            "holds several fields (0, 1): one of them has to be asked for");
    refused(path, &(wadi_vis_options){.field = 3}, WADI_INVALID,
            "no rows of field 2; there are 0, 1");
    refused(path, &(wadi_vis_options){.field = 1}, WADI_INVALID,
            "holds several spectral windows (0, 1): one of them has to be asked for");
    refused(path, &(wadi_vis_options){.field = 1, .setup = 8}, WADI_INVALID,
            "no rows of spectral window 7; there are 0, 1");
    removed(path);
    path = written("mixed.ms", &(ms_look){.one_field = true, .mixed_pols = true});
    refused(path, &(wadi_vis_options){.setup = 1}, WADI_INVALID,
            "holds several sets of polarisations (0, 2): one of them has to be asked for");
    refused(path, &(wadi_vis_options){.setup = 1, .products = 2}, WADI_INVALID,
            "no rows of set of polarisations 1; there are 0, 2");
    removed(path);
}

/* Whatever setups there are: each opens, and together they have every row once. */
static void setups_are_listed(void **state) {
    (void)state;
    static const struct {
        ms_look look;
        wadi_vis_options asked;
        int64_t rows;
        size_t n;
        int setup[3];
    } cases[] = {{{.one_field = true}, {0}, MS_ROWS, 2, {1, 2}},
                 {{.one_field = true, .one_window = true}, {0}, MS_ROWS, 1, {1}},
                 {{0}, {.field = 2}, MS_ROWS / 2, 2, {1, 2}},
                 {{.one_field = true}, {.setup = 2}, MS_ROWS / 3, 1, {2}},
                 {{.one_field = true, .mixed_pols = true}, {0}, MS_ROWS, 3, {1, 1, 2}}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        char *path = written("setups.ms", &cases[c].look);
        wadi_vis_options *all = NULL;
        size_t n = 0;
        int64_t rows = 0;
        assert_int_equal(wadi_vis_setups(path, &cases[c].asked, &all, &n, NULL), WADI_OK);
        assert_int_equal(n, cases[c].n);
        for (size_t i = 0; i < n; i++) {
            wadi_vis *v = NULL;
            vis_rows got = {0};
            assert_int_equal(all[i].setup, cases[c].setup[i]);
            vis_rows_of(path, &all[i], &v, &got);
            assert_int_equal(got.n, got.info->rows);
            rows += got.n;
            vis_rows_fini(&got);
            wadi_vis_close(v);
        }
        assert_int_equal(rows, cases[c].rows);
        free(all);
        removed(path);
    }
    char *path = written("setups.ms", &(ms_look){.one_field = true});
    wadi_vis_options *all = NULL;
    size_t n = 0;
    wadi_error err = {0};
    const wadi_vis_options none = {.setup = 8};
    assert_int_equal(wadi_vis_setups(path, &none, &all, &n, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "no rows of spectral window 7; there are 0, 1"));
    removed(path);
}

static void what_cannot_be_read_is_told(void **state) {
    (void)state;
    const wadi_vis_options first = {.field = 1, .setup = 1};
    char *path = written("code.ms", &(ms_look){.code = 13});
    refused(path, &first, WADI_UNSUPPORTED, "polarisation 13");
    removed(path);
    path = written("empty.ms", &(ms_look){.no_rows = true});
    refused(path, &first, WADI_INVALID, "no visibilities in it (0 rows)");
    removed(path);
    path = written("data.ms", &(ms_look){.without = "DATA", .has_corrected = true});
    refused(path, &first, WADI_INVALID,
            "no column DATA of complex numbers; there are: CORRECTED_DATA");
    removed(path);
    static const char *const columns[] = {"UVW", "FLAG", "WEIGHT"};
    for (int c = 0; c < 3; c++) {
        path = written("column.ms", &(ms_look){.without = columns[c]});
        wadi_vis *v = NULL;
        vis_rows got = {0};
        wadi_error err = {0};
        assert_int_equal(wadi_vis_open(path, &first, &v, &err), WADI_OK);
        assert_int_equal(vis_rows_read(v, 1000, &got, &err), WADI_IO);
        assert_non_null(strstr(err.msg, "column.ms: rows 0 to 26: "));
        assert_non_null(strstr(err.msg, columns[c]));
        vis_rows_fini(&got);
        wadi_vis_close(v);
        removed(path);
    }
}

static void damage_is_told(void **state) {
    (void)state;
    static const char *const files[] = {"table.dat", "table.f0", "FIELD/table.dat",
                                        "SPECTRAL_WINDOW/table.dat"};
    for (int f = 0; f < 4; f++) {
        for (int cut = 0; cut < 3; cut++) {
            const ms_look look = {.one_field = true, .one_window = true};
            char *path = written("damaged.ms", &look);
            char file[128];
            struct stat about;
            snprintf(file, sizeof file, "%s/%s", path, files[f]);
            assert_int_equal(stat(file, &about), 0);
            if (cut == 2)
                assert_int_equal(unlink(file), 0);
            else
                assert_int_equal(truncate(file, cut == 0 ? 0 : about.st_size / 2), 0);
            wadi_vis *v = NULL;
            vis_rows got = {0};
            wadi_error err = {0};
            wadi_status st = wadi_vis_open(path, NULL, &v, &err);
            if (st == WADI_OK) st = vis_rows_read(v, 1000, &got, &err);
            if (st == WADI_OK) fail_msg("%s cut off is not noticed", files[f]);
            assert_true(strlen(err.msg) > 0);
            vis_rows_fini(&got);
            wadi_vis_close(v);
            removed(path);
        }
    }
    char *path = name_of("no.ms");
    assert_int_equal(mkdir(path, 0700), 0);
    refused(path, NULL, WADI_UNSUPPORTED, "none of the formats of visibilities");
    removed(path);
}

static void a_set_nobody_may_write_is_read(void **state) {
    (void)state;
    char command[160];
    const ms_look look = {.one_field = true, .one_window = true};
    char *path = written("fixed.ms", &look);
    wadi_vis *v = NULL;
    vis_rows got = {0};
    snprintf(command, sizeof command, "rm %s/table.lock; chmod -R a-w %s", path, path);
    assert_int_equal(system(command), 0);
    vis_rows_of(path, NULL, &v, &got);
    for (int64_t r = 0; r < MS_ROWS; r++) row_is(&got, r, r, &look);
    vis_rows_fini(&got);
    wadi_vis_close(v);
    removed(path);
}

/* Another process holds the lock meanwhile. */
static void a_locked_set_is_read(void **state) {
    (void)state;
    const ms_look look = {.one_field = true, .one_window = true};
    char *path = written("locked.ms", &look);
    int there[2], over[2];
    char byte = 0;
    assert_true(pipe(there) == 0 && pipe(over) == 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        void *lock = NULL;
        char why[400] = "";
        byte = ms_file_lock(path, &lock, why) ? 'y' : 'n';
        close(over[1]);
        (void)!write(there[1], &byte, 1);
        (void)!read(over[0], &byte, 1);
        _exit(0);
    }
    close(over[0]);
    assert_int_equal(read(there[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    wadi_vis *v = NULL;
    vis_rows got = {0};
    vis_rows_of(path, NULL, &v, &got);
    for (int64_t r = 0; r < MS_ROWS; r++) row_is(&got, r, r, &look);
    vis_rows_fini(&got);
    wadi_vis_close(v);
    close(over[1]);
    close(there[0]);
    close(there[1]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    removed(path);
}

#ifdef WADI_HAVE_CFITSIO

/* Cells of the set, and the same of the file: its polarisations stand in another order, its windows side by side. */
static void cells_are_the_same(const vis_rows *set, const vis_rows *file, int64_t row, int window) {
    const int64_t pols = file->info->pols;
    for (int64_t p = 0; p < pols; p++) {
        int64_t q = 0;
        while (set->info->stokes[q] != file->info->stokes[p]) assert_true(++q < pols);
        const int64_t s = row * pols + q, f = (row * 2 + window) * pols + p;
        const double *in_set = set->row.data + 2 * s, *in_file = file->row.data + 2 * f;
        const float weight = set->row.weight[s], want = file->row.weight[f];
        assert_true(in_set[0] == in_file[0] && in_set[1] == in_file[1]);
        assert_true(want > 0 ? weight == want : weight <= 0);
    }
}

static void casacores_mojave_is_that_of_the_uvfits_file(void **state) {
    (void)state;
    char path[512], why[400] = "";
    const char *data = getenv("WADI_TEST_DATA");
    if (data != NULL) snprintf(path, sizeof path, "%s/vis/mojave.uvfits", data);
    if (data == NULL || !wadi_file_exists(path)) {
        print_message("no vis/mojave.uvfits: set WADI_TEST_DATA\n");
        skip();
    }
    char *set = name_of("mojave.ms");
    if (!ms_file_convert(path, set, why)) fail_msg("%s", why);
    wadi_vis *f = NULL;
    vis_rows file = {0};
    vis_rows_of(path, NULL, &f, &file);
    for (int window = 0; window < 2; window++) {
        wadi_vis *v = NULL;
        vis_rows got = {0};
        vis_rows_of(set, &(wadi_vis_options){.setup = window + 1}, &v, &got);
        assert_int_equal(got.n, file.n);
        assert_int_equal(got.info->channels, 1);
        assert_true(got.info->frequency[0] == file.info->frequency[window]);
        assert_true(got.info->channel_width == file.info->channel_width);
        assert_true(fabs(got.info->ra - file.info->ra) < 1e-12);
        assert_true(fabs(got.info->dec - file.info->dec) < 1e-12);
        assert_string_equal(got.info->object, file.info->object);
        assert_string_equal(got.info->telescope, file.info->telescope);
        for (int64_t r = 0; r < got.n; r++) {
            for (int k = 0; k < 3; k++)
                assert_true(fabs(got.row.uvw[3 * r + k] - file.row.uvw[3 * r + k]) < 1e-8);
            assert_true(fabs(got.row.time[r] - file.row.time[r]) < 1e-9);
            cells_are_the_same(&got, &file, r, window);
        }
        vis_rows_fini(&got);
        wadi_vis_close(v);
    }
    vis_rows_fini(&file);
    wadi_vis_close(f);
    removed(set);
}

#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(rows_of_one_field_and_window_are_taken),
        cmocka_unit_test(what_the_set_says_is_told),
        cmocka_unit_test(frames_are_told_apart),
        cmocka_unit_test(rows_do_not_depend_on_how_many_are_asked_for),
        cmocka_unit_test(another_column_can_be_asked_for),
        cmocka_unit_test(one_of_several_is_asked_for),
        cmocka_unit_test(setups_are_listed),
        cmocka_unit_test(what_cannot_be_read_is_told),
        cmocka_unit_test(
            no_file_is_left_open), /* casacore leaves the locks of damaged tables open */
        cmocka_unit_test(damage_is_told),
        cmocka_unit_test(a_set_nobody_may_write_is_read),
        cmocka_unit_test(a_locked_set_is_read),
#ifdef WADI_HAVE_CFITSIO
        cmocka_unit_test(casacores_mojave_is_that_of_the_uvfits_file),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 77; /* skipped: built without casacore */
}

#endif
