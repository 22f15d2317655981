/* uvh5 files are read with the right numbers, signs and coordinates, or refused with an error that names file and dataset. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#ifdef WADI_HAVE_HDF5

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hdf5.h>

#include "base/file.h"
#include "tests/connectors/vis_rows.h"
#include "tests/open_files.h"

static const double LIGHT = 299792458;
static const double TWO_PI = 6.283185307179586;

enum { ROWS = 23, CHANNELS = 5, POLS = 2, CELLS = CHANNELS * POLS, ALL = ROWS * CELLS };

/* ---- files ---- */

typedef struct look {
    hid_t part;           /* of a complex number in the file; 0: 32-bit float */
    bool has_axis;        /* of spectral windows, as the first versions have it */
    bool is_chunked;      /* and compressed by deflate */
    bool flags_are_bytes; /* not a bool of h5py */
    bool no_counts;
    const char *phase; /* phase_type of old files; NULL: a catalogue */
    const char *type;  /* of its entries; NULL: sidereal */
    bool two_centres, two_windows;
    const char *without; /* a dataset that is left out */
} look;

static char *name_of(const char *what) {
    static char name[64];
    snprintf(name, sizeof name, "uvh5_%d_%s", (int)getpid(), what);
    return name;
}

static void put(hid_t file, const look *l, const char *name, hid_t type, hid_t memory, int rank,
                const hsize_t *shape, hid_t plist, const void *values) {
    if (l->without != NULL && strcmp(l->without, name) == 0) return;
    const hid_t space = H5Screate_simple(rank, shape, NULL);
    const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static void put_ints(hid_t file, const look *l, const char *name, hsize_t n, const int *values) {
    put(file, l, name, H5T_STD_I64BE, H5T_NATIVE_INT, 1, &n, H5P_DEFAULT, values);
}

static void put_doubles(hid_t file, const look *l, const char *name, hsize_t n,
                        const double *values) {
    put(file, l, name, H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, 1, &n, H5P_DEFAULT, values);
}

/* Fixed length in the one, variable in the other. */
static void put_string(hid_t file, const look *l, const char *name, const char *text,
                       bool variable) {
    if (l->without != NULL && strcmp(l->without, name) == 0) return;
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, variable ? H5T_VARIABLE : strlen(text));
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                     variable ? (const void *)&text : text) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
}

static void put_group(hid_t file, const char *name) {
    const hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(group >= 0);
    H5Gclose(group);
}

/* The numbers in it. */
static double grain; /* which only doubles can hold */
static double re_of(int64_t i) {
    return (double)(i * 37 % 101 - 50) + grain;
}
static double im_of(int64_t i) {
    return (double)(i * 53 % 89 - 44) - grain;
}
static double frequency_of(int c) {
    return 100e6 + 1e6 * c;
}
static float count_of(int64_t i) {
    return (float)(i % 7 + 1);
}
static bool is_flagged(int64_t i) {
    return i % 11 == 3;
}
static double uvw_of(int64_t i) {
    return 3.25 * (double)i - 40;
}
static int window_of(int c) {
    return c == 1 || c == 2 ? 7 : 4;
}
static int centre_of(int64_t r) {
    return r % 3 == 1 ? 2 : 0;
}

static hid_t complex_type(hid_t part) {
    const size_t size = H5Tget_size(part);
    const hid_t type = H5Tcreate(H5T_COMPOUND, 2 * size);
    H5Tinsert(type, "r", 0, part);
    H5Tinsert(type, "i", size, part);
    return type;
}

static hid_t bool_type(void) {
    const hid_t type = H5Tenum_create(H5T_NATIVE_INT8);
    const signed char no = 0, yes = 1;
    H5Tenum_insert(type, "FALSE", &no);
    H5Tenum_insert(type, "TRUE", &yes);
    return type;
}

static void put_cells(hid_t file, const look *l) {
    static double values[2 * ALL];
    static signed char flags[ALL];
    static float counts[ALL];
    for (int i = 0; i < ALL; i++) {
        values[2 * i] = re_of(i);
        values[2 * i + 1] = im_of(i);
        flags[i] = is_flagged(i);
        counts[i] = l->no_counts ? 0 : count_of(i);
    }
    const hsize_t plain[3] = {ROWS, CHANNELS, POLS}, old[4] = {ROWS, 1, CHANNELS, POLS};
    const hsize_t chunk[4] = {4, 3, 1, 1}, old_chunk[4] = {4, 1, 3, 1};
    const int rank = l->has_axis ? 4 : 3;
    const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    if (l->is_chunked) {
        H5Pset_chunk(plist, rank, l->has_axis ? old_chunk : chunk);
        H5Pset_deflate(plist, 4);
    }
    const hid_t type = complex_type(l->part != 0 ? l->part : H5T_NATIVE_FLOAT);
    const hid_t memory = complex_type(H5T_NATIVE_DOUBLE);
    const hid_t flag = l->flags_are_bytes ? H5Tcopy(H5T_NATIVE_UINT8) : bool_type();
    const hid_t flag_memory = l->flags_are_bytes ? H5T_NATIVE_SCHAR : flag;
    const hsize_t *shape = l->has_axis ? old : plain;
    put(file, l, "Data/visdata", type, memory, rank, shape, plist, values);
    put(file, l, "Data/flags", flag, flag_memory, rank, shape, plist, flags);
    put(file, l, "Data/nsamples", H5T_IEEE_F32BE, H5T_NATIVE_FLOAT, rank, shape, plist, counts);
    H5Tclose(type);
    H5Tclose(memory);
    H5Tclose(flag);
    H5Pclose(plist);
}

static void put_rows(hid_t file, const look *l) {
    double uvw[3 * ROWS], time[ROWS];
    int first[ROWS], second[ROWS], centre[ROWS];
    const hsize_t shape[2] = {ROWS, 3};
    for (int i = 0; i < 3 * ROWS; i++) uvw[i] = uvw_of(i);
    for (int r = 0; r < ROWS; r++) {
        time[r] = 2458432.5 + r / 64.0;
        first[r] = 10 + r;
        second[r] = 300 - r;
        centre[r] = centre_of(r);
    }
    put(file, l, "Header/uvw_array", H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, 2, shape, H5P_DEFAULT,
        uvw);
    put_ints(file, l, "Header/ant_1_array", ROWS, first);
    put_ints(file, l, "Header/ant_2_array", ROWS, second);
    put_doubles(file, l, "Header/time_array", ROWS, time);
    if (l->two_centres) put_ints(file, l, "Header/phase_center_id_array", ROWS, centre);
}

static void put_entry(hid_t file, const look *l, int id, double ra) {
    char name[96];
    const double dec = -0.5;
    snprintf(name, sizeof name, "Header/phase_center_catalog/%d", id);
    put_group(file, name);
    snprintf(name, sizeof name, "Header/phase_center_catalog/%d/cat_type", id);
    put_string(file, l, name, l->type != NULL ? l->type : "sidereal", id == 2);
    snprintf(name, sizeof name, "Header/phase_center_catalog/%d/cat_name", id);
    put_string(file, l, name, id == 2 ? "Cas A" : "M 87", id != 2);
    snprintf(name, sizeof name, "Header/phase_center_catalog/%d/cat_frame", id);
    put_string(file, l, name, id == 2 ? "fk4" : "icrs", false);
    snprintf(name, sizeof name, "Header/phase_center_catalog/%d/cat_lon", id);
    put_doubles(file, l, name, 1, &ra);
    snprintf(name, sizeof name, "Header/phase_center_catalog/%d/cat_lat", id);
    put_doubles(file, l, name, 1, &dec);
}

static void put_place(hid_t file, const look *l) {
    const double ra = 1.25, dec = 0.75, epoch = 1950;
    if (l->phase == NULL) {
        put_group(file, "Header/phase_center_catalog");
        put_entry(file, l, 0, ra);
        if (l->two_centres) put_entry(file, l, 2, 2 * ra);
        return;
    }
    put_string(file, l, "Header/phase_type", l->phase, false);
    put_string(file, l, "Header/object_name", "zenith", false);
    if (strcmp(l->phase, "phased") != 0) return;
    put_doubles(file, l, "Header/phase_center_ra", 1, &ra);
    put_doubles(file, l, "Header/phase_center_dec", 1, &dec);
    put_doubles(file, l, "Header/phase_center_epoch", 1, &epoch);
}

static char *written(const char *what, const look *l) {
    char *path = name_of(what);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    double frequency[CHANNELS];
    int window[CHANNELS];
    const int pols[POLS] = {-5, -6};
    const double width = 1e6;
    const hsize_t old[2] = {1, CHANNELS};
    for (int c = 0; c < CHANNELS; c++) {
        frequency[c] = frequency_of(c);
        window[c] = window_of(c);
    }
    assert_true(file >= 0);
    put_group(file, "Header");
    put_group(file, "Data");
    put_rows(file, l);
    put_cells(file, l);
    put_place(file, l);
    put(file, l, "Header/freq_array", H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, l->has_axis ? 2 : 1,
        l->has_axis ? old : old + 1, H5P_DEFAULT, frequency);
    put_ints(file, l, "Header/polarization_array", POLS, pols);
    put_doubles(file, l, "Header/channel_width", 1, &width);
    put_string(file, l, "Header/telescope_name", "HERA", true);
    if (l->two_windows) put_ints(file, l, "Header/flex_spw_id_array", CHANNELS, window);
    assert_true(H5Fclose(file) >= 0);
    return path;
}

/* ---- what is read ---- */

/* Row r of those read is row `from` of the file, its channels those of the table. */
static void row_is(const vis_rows *got, int64_t r, int64_t from, const int *channel) {
    for (int i = 0; i < 3; i++) assert_true(got->row.uvw[3 * r + i] == uvw_of(3 * from + i));
    assert_int_equal(got->row.pair[2 * r], 10 + from);
    assert_int_equal(got->row.pair[2 * r + 1], 300 - from);
    assert_true(got->row.time[r] == 58432 + (double)from / 64);
    for (int64_t c = 0; c < got->info->channels; c++) {
        for (int p = 0; p < POLS; p++) {
            const int64_t i = (from * CHANNELS + channel[c]) * POLS + p;
            const int64_t at = (r * got->info->channels + c) * POLS + p;
            assert_true(got->row.data[2 * at] == re_of(i));
            assert_true(got->row.data[2 * at + 1] == -im_of(i)); /* conjugated */
            assert_true(got->row.weight[at] == (is_flagged(i) ? -count_of(i) : count_of(i)));
        }
    }
}

static const int every_channel[CHANNELS] = {0, 1, 2, 3, 4};

static void every_kind_of_number_and_layout_is_read(void **state) {
    (void)state;
    const hid_t parts[] = {H5T_NATIVE_FLOAT, H5T_NATIVE_DOUBLE, H5T_NATIVE_INT32, H5T_IEEE_F32BE,
                           H5T_STD_I16LE};
    for (int kind = 0; kind < 40; kind++) {
        const look l = {.part = parts[kind / 8],
                        .has_axis = (kind & 1) != 0,
                        .is_chunked = (kind & 2) != 0,
                        .flags_are_bytes = (kind & 4) != 0};
        grain = kind / 8 == 1 ? 0x1p-40 : 0;
        char *path = written("kind.uvh5", &l);
        wadi_vis *v = NULL;
        vis_rows got = {0};
        vis_rows_of(path, NULL, &v, &got);
        assert_int_equal(got.n, ROWS);
        assert_int_equal(got.info->channels, CHANNELS);
        assert_int_equal(got.info->pols, POLS);
        assert_int_equal(got.info->stokes[0], WADI_STOKES_XX);
        assert_int_equal(got.info->stokes[1], WADI_STOKES_YY);
        for (int c = 0; c < CHANNELS; c++) assert_true(got.info->frequency[c] == frequency_of(c));
        for (int r = 0; r < ROWS; r++) row_is(&got, r, r, every_channel);
        vis_rows_fini(&got);
        wadi_vis_close(v);
        unlink(path);
    }
    grain = 0;
}

static void rows_do_not_depend_on_how_many_are_asked_for(void **state) {
    (void)state;
    char *path = written("cut.uvh5", &(look){.is_chunked = true});
    wadi_vis *v = NULL;
    assert_int_equal(wadi_vis_open(path, NULL, &v, NULL), WADI_OK);
    for (int64_t k = 1; k < ROWS + 2; k++) {
        vis_rows got = {0};
        assert_int_equal(vis_rows_read(v, k, &got, NULL), WADI_OK);
        assert_int_equal(got.n, ROWS);
        for (int r = 0; r < ROWS; r++) row_is(&got, r, r, every_channel);
        vis_rows_fini(&got);
    }
    wadi_vis_close(v);
    unlink(path);
}

static void the_header_is_told(void **state) {
    (void)state;
    char *path = written("head.uvh5", &(look){0});
    wadi_vis *v = NULL;
    assert_int_equal(wadi_vis_open(path, NULL, &v, NULL), WADI_OK);
    const wadi_vis_info *info = wadi_vis_about(v);
    assert_true(info->ra == 1.25 && info->dec == -0.5 && info->equinox == 2000);
    assert_true(info->channel_width == 1e6);
    assert_string_equal(info->object, "M 87");
    assert_string_equal(info->telescope, "HERA");
    assert_string_equal(info->format, "uvh5");
    assert_int_equal(info->rows, ROWS);
    wadi_vis_close(v);
    path = written("head.uvh5", &(look){.phase = "phased"});
    assert_int_equal(wadi_vis_open(path, NULL, &v, NULL), WADI_OK);
    info = wadi_vis_about(v);
    assert_true(info->ra == 1.25 && info->dec == 0.75 && info->equinox == 1950);
    assert_string_equal(info->object, "zenith");
    wadi_vis_close(v);
    unlink(path);
}

/* V = I exp(+2 pi i w) from the zenith becomes I. */
static void what_is_not_phased_is_phased_to_the_zenith(void **state) {
    (void)state;
    const look looks[2] = {{.phase = "drift"}, {.type = "unprojected"}};
    for (int k = 0; k < 2; k++) {
        char *path = written("drift.uvh5", &looks[k]);
        wadi_vis *v = NULL;
        vis_rows got = {0};
        vis_rows_of(path, NULL, &v, &got);
        assert_true(isnan(got.info->ra) && isnan(got.info->dec));
        for (int64_t i = 0; i < ALL; i++) {
            const double w = uvw_of(3 * (i / CELLS) + 2);
            const double turn = TWO_PI * w * frequency_of((int)(i % CELLS / POLS)) / LIGHT;
            /* back to what the file holds */
            const double re = got.row.data[2 * i], im = -got.row.data[2 * i + 1];
            assert_true(fabs(re * cos(turn) - im * sin(turn) - re_of(i)) < 1e-9);
            assert_true(fabs(re * sin(turn) + im * cos(turn) - im_of(i)) < 1e-9);
        }
        vis_rows_fini(&got);
        wadi_vis_close(v);
        unlink(path);
    }
}

static void a_file_without_counts_counts_each_once(void **state) {
    (void)state;
    char *path = written("counts.uvh5", &(look){.no_counts = true});
    wadi_vis *v = NULL;
    vis_rows got = {0};
    vis_rows_of(path, NULL, &v, &got);
    for (int64_t i = 0; i < ALL; i++) assert_true(got.row.weight[i] == (is_flagged(i) ? -1 : 1));
    vis_rows_fini(&got);
    wadi_vis_close(v);
    unlink(path);
}

static void one_of_several_phase_centres_is_asked_for(void **state) {
    (void)state;
    char *path = written("centres.uvh5", &(look){.two_centres = true});
    char want[256];
    wadi_vis *v = NULL;
    wadi_error err = {0};
    assert_int_equal(wadi_vis_open(path, NULL, &v, &err), WADI_INVALID);
    snprintf(want, sizeof want,
             "%s holds several phase centres (0, 2): one of them has to be asked for", path);
    assert_string_equal(err.msg, want);
    assert_int_equal(wadi_vis_open(path, &(wadi_vis_options){.field = 2}, &v, &err), WADI_INVALID);
    snprintf(want, sizeof want, "%s: no phase centre 1; there are 0, 2", path);
    assert_string_equal(err.msg, want);
    vis_rows got = {0};
    vis_rows_of(path, &(wadi_vis_options){.field = 3}, &v, &got);
    assert_int_equal(got.n, 8);
    for (int r = 0; r < 8; r++) row_is(&got, r, 3 * r + 1, every_channel);
    assert_true(got.info->ra == 2.5 && got.info->equinox == 1950);
    assert_string_equal(got.info->object, "Cas A");
    vis_rows_in_any_order(v, &got);
    vis_rows_fini(&got);
    wadi_vis_close(v);
    unlink(path);
}

static void a_spectral_window_can_be_asked_for(void **state) {
    (void)state;
    char *path = written("windows.uvh5", &(look){.two_windows = true});
    char want[256];
    wadi_vis *v = NULL;
    wadi_error err = {0};
    vis_rows got = {0};
    vis_rows_of(path, NULL, &v, &got);
    assert_int_equal(got.info->channels, CHANNELS);
    vis_rows_fini(&got);
    wadi_vis_close(v);
    const int fours[3] = {0, 3, 4};
    vis_rows_of(path, &(wadi_vis_options){.setup = 5}, &v, &got);
    assert_int_equal(got.info->channels, 3);
    for (int c = 0; c < 3; c++) assert_true(got.info->frequency[c] == frequency_of(fours[c]));
    for (int r = 0; r < ROWS; r++) row_is(&got, r, r, fours);
    vis_rows_in_any_order(v, &got);
    vis_rows_fini(&got);
    wadi_vis_close(v);
    assert_int_equal(wadi_vis_open(path, &(wadi_vis_options){.setup = 1}, &v, &err), WADI_INVALID);
    snprintf(want, sizeof want, "%s: no spectral window 0; there are 4, 7", path);
    assert_string_equal(err.msg, want);
    unlink(path);
}

/* ---- compression ---- */

enum { LZF = 32000, BITSHUFFLE = 32008 };

/* Flags in one chunk that is written as it lies here: by HDF5 that does not know the filter, for the library's own cannot write. */
static char *with_raw_flags(H5Z_filter_t filter, const unsigned char *bytes, size_t n) {
    char *path = written("raw.uvh5", &(look){.without = "Data/flags"});
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    const hsize_t shape[3] = {ROWS, CHANNELS, POLS}, start[3] = {0};
    const unsigned values[3] = {4, 261, ALL};
    if (H5Zfilter_avail(filter) > 0) assert_true(H5Zunregister(filter) >= 0);
    const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plist, 3, shape);
    assert_true(H5Pset_filter(plist, filter, H5Z_FLAG_OPTIONAL, 3, values) >= 0);
    const hid_t space = H5Screate_simple(3, shape, NULL);
    const hid_t type = bool_type();
    const hid_t set = H5Dcreate2(file, "Data/flags", type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dwrite_chunk(set, H5P_DEFAULT, 0, start, n, bytes) >= 0);
    H5Dclose(set);
    H5Tclose(type);
    H5Sclose(space);
    H5Pclose(plist);
    H5Fclose(file);
    return path;
}

static void lzf_is_spread_out(void **state) {
    (void)state;
    /* 0 1 0, then 5 bytes from 2 back, 209 from 1 back, 11 that stand there and 2 more: 230 in all. */
    const unsigned char bytes[] = {2, 0, 1, 0, 3 << 5, 1, 7 << 5, 200, 0, 10, 1, 1,
                                   1, 1, 1, 1, 1,      1, 1,      1,   0, 1,  0, 0};
    char *path = with_raw_flags(LZF, bytes, sizeof bytes);
    wadi_vis *v = NULL;
    vis_rows got = {0};
    vis_rows_of(path, NULL, &v, &got);
    for (int i = 0; i < ALL; i++) {
        const bool flagged = i < 8 ? i % 2 == 1 : i < 227;
        assert_int_equal(got.row.weight[i] < 0, flagged);
    }
    vis_rows_fini(&got);
    wadi_vis_close(v);
    unlink(path);
}

static void what_is_copied_may_begin_with_the_first_byte(void **state) {
    (void)state;
    const unsigned char bytes[] = {1, 0, 1, 7 << 5, 219, 1}; /* 0 1, then 228 bytes from 2 back */
    char *path = with_raw_flags(LZF, bytes, sizeof bytes);
    wadi_vis *v = NULL;
    vis_rows got = {0};
    vis_rows_of(path, NULL, &v, &got);
    for (int i = 0; i < ALL; i++) assert_int_equal(got.row.weight[i] < 0, i % 2 == 1);
    vis_rows_fini(&got);
    wadi_vis_close(v);
    unlink(path);
}

static void damaged_lzf_is_an_error(void **state) {
    (void)state;
    const unsigned char streams[][6] = {{31, 0, 0, 0, 0, 0}, /* a run longer than what follows */
                                        {0, 0, 1 << 5, 1, 0, 0}, /* from before the start */
                                        {0, 0, 7 << 5, 255, 0, 7 << 5}};
    for (int k = 0; k < 3; k++) {
        char *path = with_raw_flags(LZF, streams[k], sizeof streams[k]);
        wadi_vis *v = NULL;
        wadi_error err = {0};
        vis_rows got = {0};
        assert_int_equal(wadi_vis_open(path, NULL, &v, &err), WADI_OK);
        assert_int_equal(vis_rows_read(v, 1000, &got, &err), WADI_IO);
        assert_non_null(strstr(err.msg, "raw.uvh5: Data/flags: "));
        vis_rows_fini(&got);
        wadi_vis_close(v);
        unlink(path);
    }
}

static void a_missing_filter_is_named(void **state) {
    (void)state;
    const unsigned char bytes[4] = {0};
    if (H5Zfilter_avail(BITSHUFFLE) > 0) {
        print_message("bitshuffle is installed here\n");
        skip();
    }
    char *path = with_raw_flags(BITSHUFFLE, bytes, sizeof bytes);
    wadi_vis *v = NULL;
    wadi_error err = {0};
    assert_int_equal(wadi_vis_open(path, NULL, &v, &err), WADI_UNSUPPORTED);
    assert_non_null(
        strstr(err.msg, "Data/flags is compressed with bitshuffle (HDF5 filter 32008)"));
    unlink(path);
}

/* ---- damage ---- */

static void refused(const char *path, wadi_status status, const char *why) {
    wadi_vis *v = NULL;
    wadi_error err = {0};
    const wadi_status st = wadi_vis_open(path, NULL, &v, &err);
    if (strstr(err.msg, path) == NULL || strstr(err.msg, why) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", err.msg, why);
    assert_int_equal(st, status);
    assert_null(v);
}

static void what_is_missing_is_named(void **state) {
    (void)state;
    static const char *const sets[] = {
        "Header/uvw_array", "Header/ant_1_array", "Header/time_array", "Header/freq_array",
        "Data/visdata",     "Data/flags",         "Data/nsamples",     "Header/polarization_array"};
    for (size_t k = 0; k < sizeof sets / sizeof sets[0]; k++) {
        char why[64];
        char *path = written("less.uvh5", &(look){.without = sets[k]});
        snprintf(why, sizeof why, "%s is missing", sets[k]);
        refused(path, WADI_IO, why);
        unlink(path);
    }
    /* what a file can do without */
    char *path = written("less.uvh5", &(look){.without = "Header/channel_width"});
    wadi_vis *v = NULL;
    assert_int_equal(wadi_vis_open(path, NULL, &v, NULL), WADI_OK);
    assert_true(wadi_vis_about(v)->channel_width == 0);
    wadi_vis_close(v);
    unlink(path);
}

static void shapes_that_do_not_fit_are_told(void **state) {
    (void)state;
    const look l = {.without = "Header/time_array"};
    char *path = written("shape.uvh5", &l);
    const double time[ROWS] = {0};
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    put_doubles(file, &(look){0}, "Header/time_array", ROWS - 1, time);
    H5Fclose(file);
    refused(path, WADI_IO, "Header/time_array has shape [22], expected [23]");
    unlink(path);
}

static void other_hdf5_is_told_apart(void **state) {
    (void)state;
    char *path = name_of("other.h5");
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    put_group(file, "Header");
    H5Fclose(file);
    refused(path, WADI_UNSUPPORTED, "is HDF5, but not uvh5: no group Data in it");
    unlink(path);
}

/* Reads what can be read of it. */
static void is_refused(const char *path) {
    wadi_vis *v = NULL;
    wadi_error err = {0};
    vis_rows got = {0};
    wadi_status st = wadi_vis_open(path, NULL, &v, &err);
    if (st == WADI_OK) st = vis_rows_read(v, 1000, &got, &err);
    assert_int_equal(st, WADI_IO);
    assert_non_null(strstr(err.msg, path));
    vis_rows_fini(&got);
    wadi_vis_close(v);
}

/* The first chunk of a dataset becomes nonsense. */
static void spoil(const char *path, const char *name) {
    const unsigned char nonsense[40] = {1, 2, 3, 4};
    const hsize_t start[3] = {0};
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(H5Dwrite_chunk(set, H5P_DEFAULT, 0, start, sizeof nonsense, nonsense) >= 0);
    H5Dclose(set);
    H5Fclose(file);
}

static void damage_is_told_and_not_printed(void **state) {
    (void)state;
    char *path = written("whole.uvh5", &(look){.is_chunked = true});
    char *bytes = NULL, log[64];
    size_t n = 0;
    assert_int_equal(wadi_file_read(path, &bytes, &n, NULL), WADI_OK);
    snprintf(log, sizeof log, "uvh5_%d_stderr", (int)getpid());
    const int kept = dup(STDERR_FILENO);
    const int to = open(log, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(kept >= 0 && to >= 0 && dup2(to, STDERR_FILENO) >= 0);
    for (size_t k = 1; k < 40; k++) {
        assert_int_equal(wadi_file_write(path, bytes, n * k / 40, 0600, NULL), WADI_OK);
        is_refused(path);
    }
    static const char *const sets[] = {"Data/visdata", "Data/flags", "Data/nsamples"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(wadi_file_write(path, bytes, n, 0600, NULL), WADI_OK);
        spoil(path, sets[i]);
        is_refused(path);
    }
    const off_t printed = lseek(to, 0, SEEK_END);
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    close(kept);
    close(to);
    assert_int_equal(printed, 0);
    free(bytes);
    unlink(path);
    unlink(log);
}

/* The program's own way of printing is back afterwards. */
static herr_t own_printer(hid_t stack, void *env) {
    (void)stack;
    ++*(int *)env;
    return 0;
}

static void the_programs_printer_stays(void **state) {
    (void)state;
    H5E_auto2_t before = NULL;
    void *before_env = NULL;
    int calls = 0;
    wadi_vis *v = NULL;
    H5Eget_auto2(H5E_DEFAULT, &before, &before_env);
    H5Eset_auto2(H5E_DEFAULT, own_printer, &calls);
    char *path = written("printer.uvh5", &(look){.without = "Data/flags"});
    assert_int_equal(wadi_vis_open(path, NULL, &v, NULL), WADI_IO);
    assert_int_equal(calls, 0);
    assert_true(H5Fopen("no such file", H5F_ACC_RDONLY, H5P_DEFAULT) < 0);
    assert_int_equal(calls, 1);
    H5Eset_auto2(H5E_DEFAULT, before, before_env);
    unlink(path);
}

/* ---- the real thing ---- */

static void hera_is_as_its_antennas_stand(void **state) {
    (void)state;
    char path[512];
    const char *data = getenv("WADI_TEST_DATA");
    if (data != NULL) snprintf(path, sizeof path, "%s/vis/zen.2458432.34569.uvh5", data);
    if (data == NULL || !wadi_file_exists(path)) {
        print_message("no vis/zen.2458432.34569.uvh5: set WADI_TEST_DATA\n");
        skip();
    }
    wadi_vis *v = NULL;
    vis_rows r = {0};
    vis_rows_of(path, NULL, &v, &r);
    assert_int_equal(r.n, 80);
    assert_int_equal(r.info->channels, 64);
    assert_int_equal(r.info->pols, 4);
    for (int p = 0; p < 4; p++) assert_int_equal(r.info->stokes[p], -5 - p);
    assert_true(isnan(r.info->ra)); /* a drift scan */
    assert_string_equal(r.info->object, "zenith");
    assert_string_equal(r.info->telescope, "HERA");
    assert_true(r.info->frequency[0] == 46920776.3671875);
    assert_true(r.info->channel_width == 122070.3125);
    assert_true(fabs(r.row.time[0] - 58431.84569459) < 1e-7); /* 9 November 2018 */
    int64_t alone = 0;
    for (int64_t i = 0; i < r.n; i++) {
        const double *u = r.row.uvw + 3 * i;
        const double length = hypot(hypot(u[0], u[1]), u[2]);
        if (r.row.pair[2 * i] == r.row.pair[2 * i + 1]) {
            assert_true(length == 0);
            /* the power of a dish: no phase in its own polarisations */
            for (int c = 0; c < 64; c++) {
                for (int p = 0; p < 2; p++) {
                    assert_true(r.row.data[2 * ((i * 64 + c) * 4 + p)] >= 0);
                    assert_true(r.row.data[2 * ((i * 64 + c) * 4 + p) + 1] == 0);
                }
            }
            alone++;
        } else {
            /* dishes 14.6 m apart on a hexagonal grid */
            assert_true(length > 14.5);
        }
    }
    assert_int_equal(alone, 32);
    /* Antenna 0 as seen from 26: 29.1 m to the west, 25.4 m to the south. */
    assert_int_equal(r.row.pair[2], 26);
    assert_int_equal(r.row.pair[3], 0);
    assert_true(fabs(r.row.uvw[3] + 29.119) < 1e-3 && fabs(r.row.uvw[4] + 25.415) < 1e-3);
    for (int64_t i = 0; i < r.n * r.cells; i++) assert_true(r.row.weight[i] == 1);
    vis_rows_fini(&r);
    wadi_vis_close(v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(every_kind_of_number_and_layout_is_read),
        cmocka_unit_test(rows_do_not_depend_on_how_many_are_asked_for),
        cmocka_unit_test(the_header_is_told),
        cmocka_unit_test(what_is_not_phased_is_phased_to_the_zenith),
        cmocka_unit_test(a_file_without_counts_counts_each_once),
        cmocka_unit_test(one_of_several_phase_centres_is_asked_for),
        cmocka_unit_test(a_spectral_window_can_be_asked_for),
        cmocka_unit_test(lzf_is_spread_out),
        cmocka_unit_test(what_is_copied_may_begin_with_the_first_byte),
        cmocka_unit_test(damaged_lzf_is_an_error),
        cmocka_unit_test(a_missing_filter_is_named),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(shapes_that_do_not_fit_are_told),
        cmocka_unit_test(other_hdf5_is_told_apart),
        cmocka_unit_test(damage_is_told_and_not_printed),
        cmocka_unit_test(the_programs_printer_stays),
        cmocka_unit_test(hera_is_as_its_antennas_stand),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 77; /* skipped: built without HDF5 */
}

#endif
