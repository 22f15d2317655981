/* Reads the rows of a uvh5 file in blocks. HDF5 unpacks a whole compressed chunk at a time, so a block is a whole number of
 * chunks, however few rows are asked for.
 *
 * uvh5 has V12 = <E1* E2> over the baseline from the first antenna to the second (pyuvdata, docs/conventions.rst), which is V
 * = I exp(+2 pi i (u l + v m + w (n - 1))), so the visibilities are conjugated. Data of phase type "unprojected" have the
 * whole delay in them, w n instead of w (n - 1). Each such row is rotated by 2 pi w, which makes the zenith of its time its
 * phase centre. */
#include "modules/hdf5/uvh5.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

const char *const wadi_uvh5_sets[UVH5_SETS] = {
    "Header/uvw_array", "Header/ant_1_array", "Header/ant_2_array", "Header/time_array",
    "Data/visdata",     "Data/flags",         "Data/nsamples"};

static const double LIGHT = 299792458;         /* m/s */
static const double MJD_AS_JULIAN = 2400000.5; /* days */
static const double TWO_PI = 6.283185307179586;
static const int64_t BLOCK_BYTES = 4 << 20, MOST_BLOCK_BYTES = INT64_C(512) << 20;

/* ---- blocks ---- */

static size_t cell_bytes(const wadi_uvh5 *u) {
    return u->number == UVH5_F64 ? 16 : 8;
}

static int64_t cells(const wadi_uvh5 *u) {
    return u->channels * u->pols;
}

/* As many whole chunks as fit the intended size; at least one chunk, unless that is huge: then a part of it. */
static int64_t choose_room(const wadi_uvh5 *u) {
    const int64_t row_bytes = cells(u) * (int64_t)(cell_bytes(u) + 5) + 64;
    int64_t chunk = 1;
    for (int i = UVH5_DATA; i < UVH5_SETS; i++)
        if (u->set[i].chunk_rows > chunk) chunk = u->set[i].chunk_rows;
    if (chunk > u->rows) chunk = u->rows;
    if (chunk > MOST_BLOCK_BYTES / row_bytes) chunk = MOST_BLOCK_BYTES / row_bytes;
    if (chunk < 1) chunk = 1;
    const int64_t chunks = BLOCK_BYTES / row_bytes / chunk;
    return chunks > 1 ? chunks * chunk : chunk;
}

static wadi_status make_room(wadi_uvh5 *u, wadi_error *err) {
    wadi_uvh5_block *b = &u->block;
    b->room = choose_room(u);
    const size_t n = (size_t)b->room, all = n * (size_t)cells(u);
    b->uvw = calloc(n, 3 * sizeof *b->uvw);
    b->time = calloc(n, sizeof *b->time);
    for (int i = 0; i < 2; i++) b->pair[i] = calloc(n, sizeof *b->pair[i]);
    b->data = calloc(all, cell_bytes(u));
    b->flags = calloc(all, 1);
    b->counts = calloc(all, sizeof *b->counts);
    if (b->uvw == NULL || b->time == NULL || b->pair[0] == NULL || b->pair[1] == NULL ||
        b->data == NULL || b->flags == NULL || b->counts == NULL) {
        return wadi_fail(err, WADI_MEMORY,
                         "%s: out of memory for a block of %lld rows of %lld values", u->path,
                         (long long)b->room, (long long)cells(u));
    }
    return WADI_OK;
}

static wadi_status read_set(wadi_uvh5 *u, int set, hid_t type, int64_t first, int64_t n, void *to,
                            wadi_error *err) {
    return wadi_hdf5_rows(&u->set[set], u->path, wadi_uvh5_sets[set], type, first, n, to, err);
}

/* Reads the block that contains row number `row` of the file. */
static wadi_status read_block(wadi_uvh5 *u, int64_t row, wadi_error *err) {
    wadi_uvh5_block *b = &u->block;
    const int64_t first = row - row % b->room;
    const int64_t n = u->rows - first < b->room ? u->rows - first : b->room;
    if (b->n > 0 && b->first == first) return WADI_OK;
    b->n = 0;
    WADI_TRY(read_set(u, UVH5_UVW, H5T_NATIVE_DOUBLE, first, n, b->uvw, err));
    WADI_TRY(read_set(u, UVH5_FIRST, H5T_NATIVE_INT32, first, n, b->pair[0], err));
    WADI_TRY(read_set(u, UVH5_SECOND, H5T_NATIVE_INT32, first, n, b->pair[1], err));
    WADI_TRY(read_set(u, UVH5_TIME, H5T_NATIVE_DOUBLE, first, n, b->time, err));
    WADI_TRY(read_set(u, UVH5_DATA, u->data_type, first, n, b->data, err));
    WADI_TRY(read_set(u, UVH5_FLAGS, u->flag_type, first, n, b->flags, err));
    WADI_TRY(read_set(u, UVH5_COUNTS, H5T_NATIVE_FLOAT, first, n, b->counts, err));
    b->first = first;
    b->n = n;
    return WADI_OK;
}

/* ---- a row ---- */

static void value_at(const wadi_uvh5 *u, int64_t i, double out[2]) {
    for (int part = 0; part < 2; part++) {
        const int64_t at = 2 * i + part;
        switch (u->number) {
        case UVH5_F32:
            out[part] = (double)((const float *)u->block.data)[at];
            break;
        case UVH5_F64:
            out[part] = ((const double *)u->block.data)[at];
            break;
        default:
            out[part] = ((const int32_t *)u->block.data)[at];
        }
    }
}

/* The count is the weight. The weight of a flagged visibility gets a negative sign. */
static float weight_at(const wadi_uvh5 *u, int64_t i) {
    const float count = u->has_counts ? u->block.counts[i] : 1;
    return u->block.flags[i] == 0 ? count : -fabsf(count);
}

static void put_data(const wadi_uvh5 *u, int64_t row, double *data, float *weight) {
    const double w = u->is_unprojected ? u->block.uvw[3 * row + 2] : 0;
    for (int64_t c = 0; c < u->base.info.channels; c++) {
        const double turn = TWO_PI * w * u->frequency[c] / LIGHT;
        const double co = cos(turn), si = sin(turn);
        for (int64_t p = 0; p < u->pols; p++) {
            const int64_t from = (row * u->channels + u->channel[c]) * u->pols + p;
            const int64_t to = c * u->pols + p;
            double v[2];
            value_at(u, from, v);
            v[1] = -v[1];
            data[2 * to] = w == 0 ? v[0] : v[0] * co - v[1] * si;
            data[2 * to + 1] = w == 0 ? v[1] : v[0] * si + v[1] * co;
            weight[to] = weight_at(u, from);
        }
    }
}

static void put(const wadi_uvh5 *u, int64_t row, int64_t k, const wadi_vis_rows *rows) {
    const wadi_uvh5_block *b = &u->block;
    const int64_t n = u->base.info.channels * u->pols;
    for (int i = 0; i < 3; i++) rows->uvw[3 * k + i] = b->uvw[3 * row + i];
    for (int i = 0; i < 2; i++) rows->pair[2 * k + i] = b->pair[i][row];
    rows->time[k] = b->time[row] - MJD_AS_JULIAN;
    put_data(u, row, rows->data + 2 * n * k, rows->weight + n * k);
}

/* ---- rows ---- */

static bool is_taken(const wadi_uvh5 *u, int64_t row) {
    return u->centre == NULL || u->centre[row] == u->taken;
}

/* Sets u->row to where to look for row number `first` of the selected rows. */
static void seek(wadi_uvh5 *u, int64_t first) {
    if (first < u->next) u->next = u->row = 0;
    for (; u->next < first && u->row < u->rows; u->row++) u->next += is_taken(u, u->row);
}

static wadi_status read_rows(wadi_uvh5 *u, int64_t k, const wadi_vis_rows *rows, int64_t *out_n,
                             wadi_error *err) {
    for (; *out_n < k && u->row < u->rows; u->row++) {
        if (!is_taken(u, u->row)) continue;
        WADI_TRY(read_block(u, u->row, err));
        put(u, u->row - u->block.first, *out_n, rows);
        ++*out_n;
        u->next++;
    }
    return WADI_OK;
}

wadi_status wadi_uvh5_read(wadi_vis *self, int64_t first, int64_t k, const wadi_vis_rows *rows,
                           int64_t *out_n, wadi_error *err) {
    wadi_uvh5 *u = (wadi_uvh5 *)self;
    const wadi_hdf5_scope scope = wadi_hdf5_begin();
    *out_n = 0;
    seek(u, first);
    const wadi_status st = read_rows(u, k, rows, out_n, err);
    wadi_hdf5_end(&scope);
    return st;
}

/* ---- preparing ---- */

/* Floats and doubles keep their type in memory, so HDF5 at most swaps bytes; other types are widened to doubles. */
static wadi_status choose_data_type(wadi_uvh5 *u, wadi_error *err) {
    const char *name = wadi_uvh5_sets[UVH5_DATA];
    const hid_t type = u->set[UVH5_DATA].type;
    const int r = H5Tget_class(type) == H5T_COMPOUND ? H5Tget_member_index(type, "r") : -1;
    const int i = r >= 0 ? H5Tget_member_index(type, "i") : -1;
    if (r < 0 || i < 0 || H5Tget_nmembers(type) != 2) {
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "%s: %s is not a complex number with members r and i", u->path, name);
    }
    const hid_t part = H5Tget_member_type(type, (unsigned)r);
    const H5T_class_t kind = H5Tget_class(part);
    const size_t size = H5Tget_size(part);
    (void)H5Tclose(part);
    u->number = kind == H5T_FLOAT && size == 4     ? UVH5_F32
                : kind == H5T_INTEGER && size == 4 ? UVH5_I32
                                                   : UVH5_F64;
    const hid_t in_memory = u->number == UVH5_F32   ? H5T_NATIVE_FLOAT
                            : u->number == UVH5_I32 ? H5T_NATIVE_INT32
                                                    : H5T_NATIVE_DOUBLE;
    u->data_type = H5Tcreate(H5T_COMPOUND, cell_bytes(u));
    if (u->data_type < 0 || H5Tinsert(u->data_type, "r", 0, in_memory) < 0 ||
        H5Tinsert(u->data_type, "i", cell_bytes(u) / 2, in_memory) < 0) {
        return wadi_hdf5_fail(u->path, name, err);
    }
    return WADI_OK;
}

/* A bool of h5py is an enumeration of one byte, which is read as it is. */
static wadi_status choose_flag_type(wadi_uvh5 *u, wadi_error *err) {
    const hid_t type = u->set[UVH5_FLAGS].type;
    const H5T_class_t kind = H5Tget_class(type);
    if (kind == H5T_ENUM && H5Tget_size(type) == 1)
        u->flag_type = H5Tcopy(type);
    else if (kind == H5T_INTEGER)
        u->flag_type = H5Tcopy(H5T_NATIVE_SCHAR);
    else
        return wadi_fail(err, WADI_UNSUPPORTED, "%s: %s is neither a bool nor an integer", u->path,
                         wadi_uvh5_sets[UVH5_FLAGS]);
    return u->flag_type >= 0 ? WADI_OK : wadi_hdf5_fail(u->path, wadi_uvh5_sets[UVH5_FLAGS], err);
}

/* In some files no count is above zero, flagged or not, so the counts mean nothing. In other files this search ends early. */
static wadi_status look_for_counts(wadi_uvh5 *u, wadi_error *err) {
    const wadi_uvh5_block *b = &u->block;
    for (int64_t first = 0; first < u->rows && !u->has_counts; first += b->room) {
        const int64_t n = u->rows - first < b->room ? u->rows - first : b->room;
        WADI_TRY(read_set(u, UVH5_COUNTS, H5T_NATIVE_FLOAT, first, n, b->counts, err));
        for (int64_t i = 0; i < n * cells(u) && !u->has_counts; i++)
            u->has_counts = b->counts[i] > 0;
    }
    return WADI_OK;
}

wadi_status wadi_uvh5_ready(wadi_uvh5 *u, wadi_error *err) {
    WADI_TRY(choose_data_type(u, err));
    WADI_TRY(choose_flag_type(u, err));
    WADI_TRY(make_room(u, err));
    return look_for_counts(u, err);
}

void wadi_uvh5_unready(wadi_uvh5 *u) {
    wadi_uvh5_block *b = &u->block;
    if (u->data_type > 0) (void)H5Tclose(u->data_type);
    if (u->flag_type > 0) (void)H5Tclose(u->flag_type);
    free(b->uvw);
    free(b->time);
    free(b->pair[0]);
    free(b->pair[1]);
    free(b->data);
    free(b->flags);
    free(b->counts);
}
