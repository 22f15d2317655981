/* Edge cases of uvh5: one dataset of a small file is changed, and the file is refused with the whole message, or read with its
 * meaning. All HDF5 handles are closed, however reading ends. */
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

#ifdef WADI_HAVE_HDF5

#include <hdf5.h>

#include "tests/connectors/vis_rows.h"
#include "tests/kept_memory.h"
#include "tests/open_files.h"

enum { ROWS = 40, CHANNELS = 2, POLS = 2, CELLS = CHANNELS * POLS };

static char *file_name(void) {
    static char name[64];
    snprintf(name, sizeof name, "uvh5_edges_%d.uvh5", (int)getpid());
    return name;
}

/* ---- files ---- */

static hid_t file;
static hid_t plist = H5P_DEFAULT; /* of the next dataset */

/* In the place of the dataset that may be there. memory 0: the type itself. */
static void put(const char *name, hid_t type, hid_t memory, int rank, const hsize_t *shape,
                const void *values) {
    if (H5Lexists(file, name, H5P_DEFAULT) > 0)
        assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    const hid_t space = rank == 0  ? H5Screate(H5S_SCALAR)
                        : rank < 0 ? H5Screate(H5S_NULL)
                                   : H5Screate_simple(rank, shape, NULL);
    const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    assert_true(set >= 0);
    if (values != NULL)
        assert_true(
            H5Dwrite(set, memory != 0 ? memory : type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static void put_ints(const char *name, hsize_t n, const int *values) {
    put(name, H5T_STD_I32LE, H5T_NATIVE_INT, 1, &n, values);
}

static void put_doubles(const char *name, hsize_t n, const double *values) {
    put(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, &n, values);
}

static void put_text(const char *name, const char *text) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    put(name, type, 0, 0, NULL, text);
    H5Tclose(type);
}

static void put_group(const char *name) {
    H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

static hid_t complex_type(const char *re, const char *im, hid_t part) {
    const size_t size = H5Tget_size(part);
    const hid_t type = H5Tcreate(H5T_COMPOUND, 2 * size);
    H5Tinsert(type, re, 0, part);
    H5Tinsert(type, im, size, part);
    return type;
}

static float data[ROWS * CELLS * 2], counts[ROWS * CELLS];
static signed char flags[ROWS * CELLS];
static int ids[ROWS];

static void begin(void) {
    static const hsize_t cube[3] = {ROWS, CHANNELS, POLS}, wide[2] = {ROWS, 3};
    static double uvw[3 * ROWS], time[ROWS], frequency[CHANNELS] = {1e8, 2e8}, width = 1e6;
    static int antenna[ROWS], pols[POLS] = {-5, -8};
    (void)unlink(file_name());
    file = H5Fcreate(file_name(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    for (int i = 0; i < ROWS * CELLS; i++) {
        data[2 * i] = (float)i;
        data[2 * i + 1] = (float)-i;
        counts[i] = (float)(i % 3);
        flags[i] = i % 5 == 4;
    }
    for (int r = 0; r < ROWS; r++) time[r] = 2400000.5 + 50000 + r;
    put_group("Header");
    put_group("Data");
    const hid_t type = complex_type("r", "i", H5T_NATIVE_FLOAT);
    put("Data/visdata", type, 0, 3, cube, data);
    H5Tclose(type);
    put("Data/flags", H5T_STD_I8LE, H5T_NATIVE_SCHAR, 3, cube, flags);
    put("Data/nsamples", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 3, cube, counts);
    put("Header/uvw_array", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, wide, uvw);
    put_ints("Header/ant_1_array", ROWS, antenna);
    put_ints("Header/ant_2_array", ROWS, antenna);
    put_doubles("Header/time_array", ROWS, time);
    put_doubles("Header/freq_array", CHANNELS, frequency);
    put_ints("Header/polarization_array", POLS, pols);
    put_doubles("Header/channel_width", 1, &width);
    put_text("Header/telescope_name", "HERA");
    put_text("Header/object_name", "sky");
    put_text("Header/phase_type", "drift");
}

static wadi_status end_and_open(const wadi_vis_options *options, wadi_vis **out, wadi_error *err) {
    assert_true(H5Fclose(file) >= 0);
    *out = NULL;
    const wadi_status st = wadi_vis_open(file_name(), options, out, err);
    unlink(file_name());
    return st;
}

static void refused(const wadi_vis_options *options, wadi_status status, const char *said) {
    wadi_vis *v = NULL;
    wadi_error err = {.status = WADI_OK};
    char whole[400];
    const wadi_status st = end_and_open(options, &v, &err);
    snprintf(whole, sizeof whole, "%s: %s", file_name(), said);
    if (strcmp(err.msg, whole) != 0) fail_msg("\"%s\" is not \"%s\"", err.msg, whole);
    assert_int_equal(st, status);
}

static wadi_vis *opened(const wadi_vis_options *options) {
    wadi_vis *v = NULL;
    wadi_error err = {.status = WADI_OK};
    if (end_and_open(options, &v, &err) != WADI_OK) fail_msg("%s", err.msg);
    return v;
}

/* ---- shapes ---- */

static void every_dataset_has_its_shape(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int rank;
        hsize_t shape[5];
        const char *said;
    } cases[] = {
        {"Header/uvw_array", 2, {ROWS, 2}, "Header/uvw_array has shape [40, 2], expected [40, 3]"},
        {"Header/uvw_array", 1, {ROWS * 3}, "Header/uvw_array has shape [120], expected [40, 3]"},
        {"Header/uvw_array",
         2,
         {ROWS + 1, 3},
         "Header/uvw_array has shape [41, 3], expected [40, 3]"},
        {"Header/ant_1_array", 2, {ROWS, 1}, "Header/ant_1_array has shape [40, 1], expected [40]"},
        {"Header/ant_2_array", 1, {ROWS - 1}, "Header/ant_2_array has shape [39], expected [40]"},
        {"Header/time_array", 0, {0}, "Header/time_array has shape [], expected [40]"},
        {"Data/flags", 3, {ROWS, 2, 3}, "Data/flags has shape [40, 2, 3], expected [40, 2, 2]"},
        {"Data/flags", 3, {ROWS, 3, 2}, "Data/flags has shape [40, 3, 2], expected [40, 2, 2]"},
        {"Data/nsamples", 2, {ROWS, 4}, "Data/nsamples has shape [40, 4], expected [40, 2, 2]"},
        {"Data/nsamples",
         4,
         {ROWS, 2, 2, 2},
         "Data/nsamples has shape [40, 2, 2, 2], expected [40, 2, 2]"},
        {"Data/nsamples",
         5,
         {ROWS, 1, 1, 2, 2},
         "Data/nsamples has 5 dimensions, expected at most 4"},
        {"Data/flags", -1, {0}, "Data/flags is empty"},
        {"Header/freq_array", 1, {3}, "Header/freq_array does not have 2 values"},
        {"Header/freq_array", 0, {0}, "Header/freq_array does not have 2 values"},
        {"Header/freq_array", 2, {2, 2}, "Header/freq_array does not have 2 values"},
        {"Header/freq_array", 2, {2, 1}, "Header/freq_array does not have 2 values"},
        {"Header/polarization_array",
         3,
         {1, 1, 2},
         "Header/polarization_array does not have 2 values"},
        {"Header/phase_center_id_array",
         1,
         {ROWS + 1},
         "Header/phase_center_id_array does not have 40 values"},
        {"Header/flex_spw_id_array",
         1,
         {CHANNELS + 1},
         "Header/flex_spw_id_array does not have 2 values"},
        {"Header/channel_width", 1, {0}, "Header/channel_width is not a number"},
        {"Header/phase_type", 0, {0}, "Header/phase_type is not a string"},
        {"Header/telescope_name", 1, {2}, "Header/telescope_name is not a string"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin();
        put(cases[i].name, H5T_STD_I32LE, 0, cases[i].rank, cases[i].shape, NULL);
        const bool too_many = strstr(cases[i].said, "dimensions") != NULL;
        refused(NULL, too_many ? WADI_UNSUPPORTED : WADI_IO, cases[i].said);
    }
    for (int rank = 0; rank < 3; rank++) { /* too few to know anything else by */
        static const hsize_t shape[2] = {7, 3};
        static const char *const said[] = {"Data/visdata has shape [], expected [0, 0, 0]",
                                           "Data/visdata has shape [7], expected [0, 0, 0]",
                                           "Data/visdata has shape [7, 3], expected [0, 0, 0]"};
        begin();
        put("Data/visdata", H5T_STD_I32LE, 0, rank, shape, NULL);
        refused(NULL, WADI_IO, said[rank]);
    }
    static const hsize_t none[3] = {0, CHANNELS, POLS}, wide[2] = {0, 3};
    begin();
    for (int i = 0; i < 3; i++)
        put((const char *const[]){"Data/visdata", "Data/flags", "Data/nsamples"}[i], H5T_STD_I32LE,
            0, 3, none, NULL);
    put("Header/uvw_array", H5T_STD_I32LE, 0, 2, wide, NULL);
    for (int i = 0; i < 3; i++)
        put((const char *const[]){"Header/ant_1_array", "Header/ant_2_array",
                                  "Header/time_array"}[i],
            H5T_STD_I32LE, 0, 1, none, NULL);
    refused(NULL, WADI_INVALID, "no visibilities in it (0 rows)");
}

static void numbers_have_their_types(void **state) {
    (void)state;
    static const hsize_t cube[3] = {ROWS, CHANNELS, POLS};
    static const char *const members[][2] = {{"re", "i"}, {"r", "im"}, {"i", "q"}};
    for (int i = 0; i < 4; i++) {
        begin();
        if (i < 3) {
            const hid_t type = complex_type(members[i][0], members[i][1], H5T_NATIVE_FLOAT);
            put("Data/visdata", type, 0, 3, cube, NULL);
            H5Tclose(type);
        } else {
            put("Data/visdata", H5T_NATIVE_DOUBLE, 0, 3, cube, NULL);
        }
        refused(NULL, WADI_UNSUPPORTED,
                "Data/visdata is not a complex number with members r and i");
    }
    const hid_t three = H5Tcreate(H5T_COMPOUND, 12); /* what the third would mean nobody knows */
    H5Tinsert(three, "r", 0, H5T_NATIVE_FLOAT);
    H5Tinsert(three, "i", 4, H5T_NATIVE_FLOAT);
    H5Tinsert(three, "j", 8, H5T_NATIVE_FLOAT);
    begin();
    put("Data/visdata", three, 0, 3, cube, NULL);
    H5Tclose(three);
    refused(NULL, WADI_UNSUPPORTED, "Data/visdata is not a complex number with members r and i");
    begin();
    put("Data/flags", H5T_NATIVE_FLOAT, 0, 3, cube, NULL);
    refused(NULL, WADI_UNSUPPORTED, "Data/flags is neither a bool nor an integer");
    begin(); /* the members the other way round */
    const hid_t turned = complex_type("i", "r", H5T_NATIVE_FLOAT);
    put("Data/visdata", turned, 0, 3, cube, data);
    H5Tclose(turned);
    wadi_vis *v = opened(NULL);
    vis_rows r = {0};
    assert_int_equal(vis_rows_read(v, 7, &r, NULL), WADI_OK);
    for (int i = 0; i < ROWS * CELLS; i++) /* the file's i is the first of the two; conjugated */
        assert_true(r.row.data[2 * i] == -i && r.row.data[2 * i + 1] == -i);
    vis_rows_fini(&r);
    wadi_vis_close(v);
    for (int code = -9; code <= 5; code++) {
        const int pols[POLS] = {1, code};
        char said[120];
        begin();
        put_ints("Header/polarization_array", POLS, pols);
        snprintf(said, sizeof said, "Header/polarization_array has code %d%s", code,
                 code == 0 ? ": it differs between spectral windows" : "");
        if (code < -8 || code > 4 || code == 0)
            refused(NULL, WADI_UNSUPPORTED, said);
        else
            wadi_vis_close(opened(NULL));
    }
    static const double wrong[] = {0, -1, (double)INFINITY, (double)NAN};
    static const char *const words[] = {"0", "-1", "inf", "nan"};
    for (int i = 0; i < 4; i++) {
        const double frequency[CHANNELS] = {1e8, wrong[i]};
        char said[120];
        begin();
        put_doubles("Header/freq_array", CHANNELS, frequency);
        snprintf(said, sizeof said, "Header/freq_array: channel 1 has frequency %s Hz", words[i]);
        refused(NULL, WADI_IO, said);
    }
}

/* ---- weights ---- */

/* The one count above zero may be the last of all; flagged ones have the other sign. */
static void one_count_makes_all_of_them_weights(void **state) {
    (void)state;
    static const hsize_t cube[3] = {ROWS, CHANNELS, POLS};
    for (int at = -1; at < ROWS * CELLS; at += at < 0 ? 1 : ROWS * CELLS - 1) {
        float own[ROWS * CELLS] = {0};
        own[3] = -2;
        if (at >= 0) own[at] = 5;
        begin();
        put("Data/nsamples", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 3, cube, own);
        wadi_vis *v = opened(NULL);
        vis_rows r = {0};
        assert_int_equal(vis_rows_read(v, 100, &r, NULL), WADI_OK);
        for (int i = 0; i < ROWS * CELLS; i++) {
            const float w = at < 0 ? 1 : own[i];
            assert_true(r.row.weight[i] == (flags[i] ? -fabsf(w) : w));
        }
        for (int k = 0; k < ROWS; k++) assert_true(r.row.time[k] == 50000 + k);
        vis_rows_fini(&r);
        wadi_vis_close(v);
    }
}

/* ---- phase centres and windows ---- */

static void put_entry(const char *entry, int id, const char *type, const char *frame) {
    char name[100];
    const double lon = 0.5 + id, lat = 0.25;
    put_group(entry);
    snprintf(name, sizeof name, "%s/cat_id", entry);
    put_ints(name, 1, &id);
    snprintf(name, sizeof name, "%s/cat_type", entry);
    put_text(name, type);
    snprintf(name, sizeof name, "%s/cat_name", entry);
    put_text(name, strrchr(entry, '/') + 1);
    snprintf(name, sizeof name, "%s/cat_lon", entry);
    put_doubles(name, 1, &lon);
    snprintf(name, sizeof name, "%s/cat_lat", entry);
    put_doubles(name, 1, &lat);
    snprintf(name, sizeof name, "%s/cat_frame", entry);
    if (frame != NULL) put_text(name, frame);
}

/* The first catalogues had entries by name, with their number inside. */
static void entries_may_stand_under_their_names(void **state) {
    (void)state;
    static const struct {
        int taken;
        const char *name;
        double ra, equinox;
    } cases[] = {{4, "cas", 4.5, 1950},
                 {7, "m87", 7.5, 2000},
                 {9, "zen", (double)NAN, 2000},
                 {5, "gal", (double)NAN, 2000},
                 {6, "old", 6.5, 2000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin();
        put_group("Header/phase_center_catalog");
        put_entry("Header/phase_center_catalog/m87", 7, "sidereal", "icrs");
        put_entry("Header/phase_center_catalog/cas", 4, "sidereal", "fk4");
        put_entry("Header/phase_center_catalog/zen", 9, "unprojected", NULL);
        put_entry("Header/phase_center_catalog/gal", 5, "sidereal", "galactic");
        put_entry("Header/phase_center_catalog/old", 6, "sidereal", NULL);
        assert_true(H5Ldelete(file, "Header/object_name", H5P_DEFAULT) >= 0);
        for (int r = 0; r < ROWS; r++) ids[r] = cases[i].taken;
        put_ints("Header/phase_center_id_array", ROWS, ids);
        wadi_vis *v = opened(NULL);
        const double ra = v->info.ra;
        assert_true(isnan(cases[i].ra) ? isnan(ra) : ra == cases[i].ra);
        assert_true(isnan(cases[i].ra) ? isnan(v->info.dec) : v->info.dec == 0.25);
        assert_true(v->info.equinox == cases[i].equinox);
        assert_string_equal(v->info.object, cases[i].name);
        wadi_vis_close(v);
    }
    begin();
    put_group("Header/phase_center_catalog");
    put_entry("Header/phase_center_catalog/m87", 7, "sidereal", "icrs");
    for (int r = 0; r < ROWS; r++) ids[r] = 3;
    put_ints("Header/phase_center_id_array", ROWS, ids);
    refused(NULL, WADI_IO, "Header/phase_center_catalog has no phase centre 3");
}

/* As many as are told, and one more. */
static void centres_are_listed_up_to_sixteen(void **state) {
    (void)state;
    for (int n = 15; n <= 18; n++) {
        char said[300];
        int at = snprintf(said, sizeof said, "no phase centre 90; there are ");
        for (int i = 0; i < n && i < 16; i++)
            at += snprintf(said + at, sizeof said - (size_t)at, "%s%d", i > 0 ? ", " : "", 2 * i);
        /* whether more follow is not looked for once there are sixteen */
        if (n >= 16) snprintf(said + at, sizeof said - (size_t)at, ", ...");
        begin();
        for (int r = 0; r < ROWS; r++) ids[r] = 2 * (r % n);
        put_ints("Header/phase_center_id_array", ROWS, ids);
        refused(&(wadi_vis_options){.field = 91}, WADI_INVALID, said);
    }
    begin();
    refused(&(wadi_vis_options){.field = 2}, WADI_INVALID, "no phase centre 1; there are 0");
    begin();
    wadi_vis_close(opened(&(wadi_vis_options){.field = 1}));
    begin();
    refused(&(wadi_vis_options){.setup = 2}, WADI_INVALID, "no spectral window 1; there are 0");
    begin();
    wadi_vis_close(opened(&(wadi_vis_options){.setup = 1}));
}

/* ---- compression ---- */

static void filters_that_are_missing_have_names(void **state) {
    (void)state;
    static const hsize_t cube[3] = {ROWS, CHANNELS, POLS};
    static const struct {
        int filter;
        const char *name;
    } cases[] = {{307, "bzip2"},        {32001, "blosc"}, {32004, "lz4"},
                 {32008, "bitshuffle"}, {32015, "zstd"},  {31999, "a filter without a name"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char said[200];
        if (H5Zfilter_avail(cases[i].filter) > 0) continue;
        begin();
        plist = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_chunk(plist, 3, cube);
        H5Pset_filter(plist, cases[i].filter, H5Z_FLAG_OPTIONAL, 0, NULL);
        put("Data/flags", H5T_STD_I8LE, H5T_NATIVE_SCHAR, 3, cube, NULL);
        H5Pclose(plist);
        plist = H5P_DEFAULT;
        snprintf(said, sizeof said,
                 "Data/flags is compressed with %s (HDF5 filter %d), which is not installed; "
                 "HDF5_PLUGIN_PATH names the folder where HDF5 looks for it",
                 cases[i].name, cases[i].filter);
        refused(NULL, WADI_UNSUPPORTED, said);
    }
    static const hsize_t chunk[3] = {10, 2, 1};
    for (int n = 0; n < 4; n++) { /* lzf says how long a chunk is: 20 bytes here */
        const unsigned values[3] = {4, 261, n == 3 ? 20 : 21};
        char said[100];
        begin();
        /* the library's own cannot write */
        if (H5Zfilter_avail(32000) > 0) assert_true(H5Zunregister(32000) >= 0);
        plist = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_chunk(plist, 3, chunk);
        H5Pset_filter(plist, 32000, H5Z_FLAG_OPTIONAL, n == 3 ? 3 : (size_t)n + 1, values);
        put("Data/flags", H5T_STD_I8LE, H5T_NATIVE_SCHAR, 3, cube, NULL);
        H5Pclose(plist);
        plist = H5P_DEFAULT;
        snprintf(said, sizeof said, "Data/flags: lzf makes chunks of %u bytes, expected 20",
                 n == 2 ? 21 : 0);
        if (n < 3)
            refused(NULL, WADI_IO, said);
        else
            wadi_vis_close(opened(NULL));
    }
}

/* ---- what HDF5 hands out ---- */

static void read_what_opens(void *env) {
    wadi_vis *v = NULL;
    vis_rows r = {0};
    (void)env;
    if (wadi_vis_open(file_name(), NULL, &v, NULL) != WADI_OK) return;
    (void)vis_rows_read(v, 3, &r, NULL);
    vis_rows_fini(&r);
    wadi_vis_close(v);
}

/* HDF5 keeps lists of what it may use again, which grow now and then: what is kept every time shows every time. */
static size_t least_growth(void) {
    size_t least = SIZE_MAX;
    for (int i = 0; i < 12 && least > 0; i++) {
        const size_t before = memory_in_use();
        for (int k = 0; k < 10; k++) read_what_opens(NULL);
        const size_t after = memory_in_use(), more = after > before ? after - before : 0;
        least = more < least ? more : least;
    }
    return least;
}

/* Files that open, and files that fail at each step. */
static void nothing_is_kept_of_what_hdf5_hands_out(void **state) {
    (void)state;
    static const hsize_t one = 1;
    static const char *const spoilt[] = {NULL,
                                         "Header/uvw_array",
                                         "Data/visdata",
                                         "Data/flags",
                                         "Data/nsamples",
                                         "Header/freq_array",
                                         "Header/channel_width",
                                         "Header/polarization_array",
                                         "Header/phase_type",
                                         "Header/telescope_name"};
    for (size_t i = 0; i < sizeof spoilt / sizeof *spoilt; i++) {
        const hid_t text = H5Tcopy(H5T_C_S1);
        begin();
        if (spoilt[i] != NULL) put(spoilt[i], i > 7 ? H5T_STD_I32LE : text, 0, 1, &one, NULL);
        H5Tclose(text);
        assert_true(H5Fclose(file) >= 0);
        if (least_growth() > 0)
            fail_msg("%s is spoilt: memory is kept", spoilt[i] != NULL ? spoilt[i] : "nothing");
        assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
        unlink(file_name());
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(every_dataset_has_its_shape),
        cmocka_unit_test(numbers_have_their_types),
        cmocka_unit_test(one_count_makes_all_of_them_weights),
        cmocka_unit_test(entries_may_stand_under_their_names),
        cmocka_unit_test(centres_are_listed_up_to_sixteen),
        cmocka_unit_test(filters_that_are_missing_have_names),
        cmocka_unit_test(nothing_is_kept_of_what_hdf5_hands_out),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 77; /* skipped: built without HDF5 */
}

#endif
