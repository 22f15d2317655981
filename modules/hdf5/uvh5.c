/* uvh5, the HDF5 files of pyuvdata: the memo "UVH5 file format", versions up to 1.2. A file has a header of separate datasets
 * and, for every row, visibilities, flags, and counts of samples, which are the weights.
 *
 * If channels belong to several spectral windows, all windows are read, one after another, unless one is selected. If there are several
 * phase centres, one must be selected. Polarisations that differ between windows are not supported. */
#include "modules/hdf5/uvh5.h"

#include <string.h>

#include "base/error.h"
#include "base/loadable_face.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"

enum { NAME_BYTES = 256, MAX_LISTED = 16, MOST_CELLS = 1 << 30 /* in a row */ };

/* ---- the datasets ---- */

/* Visibilities are [rows, channels, pols], in older files [rows, 1, channels, pols]. */
static wadi_status check_shape(const wadi_uvh5 *u, int set, wadi_error *err) {
    const wadi_hdf5_set *s = &u->set[set];
    const int64_t want[3] = {u->rows, set == UVH5_UVW ? 3 : u->channels, u->pols};
    const int rank = set == UVH5_UVW ? 2 : set < UVH5_DATA ? 1 : 3;
    bool fits = s->rank == rank || (rank == 3 && s->rank == 4 && s->shape[1] == 1);
    for (int i = 0; fits && i < rank; i++) {
        const int at = i > 0 && s->rank > rank ? i + 1 : i;
        fits = s->shape[at] == want[i];
    }
    if (fits) return WADI_OK;
    wadi_text shape = {0}, expected = {0};
    for (int i = 0; i < s->rank; i++)
        wadi_text_addf(&shape, "%s%lld", i > 0 ? ", " : "", (long long)s->shape[i]);
    for (int i = 0; i < rank; i++)
        wadi_text_addf(&expected, "%s%lld", i > 0 ? ", " : "", (long long)want[i]);
    const wadi_status st =
        wadi_fail(err, WADI_IO, "%s: %s has shape [%s], expected [%s]", u->path,
                  wadi_uvh5_sets[set], wadi_text_str(&shape), wadi_text_str(&expected));
    wadi_text_fini(&shape);
    wadi_text_fini(&expected);
    return st;
}

static wadi_status open_sets(wadi_uvh5 *u, wadi_error *err) {
    if (!wadi_hdf5_has(u->file, "Header") || !wadi_hdf5_has(u->file, "Data")) {
        return wadi_fail(err, WADI_UNSUPPORTED, "%s is HDF5, but not uvh5: no group %s in it",
                         u->path, wadi_hdf5_has(u->file, "Header") ? "Data" : "Header");
    }
    for (int i = 0; i < UVH5_SETS; i++)
        WADI_TRY(wadi_hdf5_set_open(u->file, u->path, wadi_uvh5_sets[i], &u->set[i], err));
    const wadi_hdf5_set *data = &u->set[UVH5_DATA];
    if (data->rank < 3) return check_shape(u, UVH5_DATA, err);
    u->rows = data->shape[0];
    u->channels = data->shape[data->rank - 2];
    u->pols = data->shape[data->rank - 1];
    for (int i = 0; i < UVH5_SETS; i++) WADI_TRY(check_shape(u, i, err));
    if (u->rows <= 0 || u->channels <= 0 || u->pols <= 0) {
        return wadi_fail(err, WADI_INVALID, "%s: no visibilities in it (%lld rows)", u->path,
                         (long long)u->rows);
    }
    if (u->channels > MOST_CELLS / u->pols) {
        return wadi_fail(err, WADI_IO, "%s: Data/visdata has %lld channels of %lld polarisations",
                         u->path, (long long)u->channels, (long long)u->pols);
    }
    return WADI_OK;
}

/* ---- tables of the header ---- */

/* A small dataset of n values, rank 1 or [1, n]; the caller frees it. */
static wadi_status read_table(wadi_uvh5 *u, const char *object, int64_t n, hid_t type, size_t size,
                              void **out, wadi_error *err) {
    wadi_hdf5_set s = {0};
    WADI_TRY(wadi_hdf5_set_open(u->file, u->path, object, &s, err));
    void *table = calloc((size_t)n, size);
    wadi_status st = WADI_OK;
    if (table == NULL)
        st = wadi_fail(err, WADI_MEMORY, "%s: out of memory", u->path);
    else if (s.rank < 1 || s.rank > 2 || s.shape[s.rank - 1] != n ||
             (s.rank == 2 && s.shape[0] != 1))
        st = wadi_fail(err, WADI_IO, "%s: %s does not have %lld values", u->path, object,
                       (long long)n);
    else
        st = wadi_hdf5_rows(&s, u->path, object, type, 0, s.shape[0], table, err);
    wadi_hdf5_set_close(&s);
    if (st != WADI_OK)
        free(table);
    else
        *out = table;
    return st;
}

static wadi_status read_pols(wadi_uvh5 *u, wadi_error *err) {
    void *table = NULL;
    WADI_TRY(read_table(u, "Header/polarization_array", u->pols, H5T_NATIVE_INT, sizeof(int),
                        &table, err));
    u->stokes = table;
    for (int64_t i = 0; i < u->pols; i++) {
        if ((u->stokes[i] >= -8 && u->stokes[i] <= -1) || (u->stokes[i] >= 1 && u->stokes[i] <= 4))
            continue;
        return wadi_fail(err, WADI_UNSUPPORTED, "%s: Header/polarization_array has code %d%s",
                         u->path, u->stokes[i],
                         u->stokes[i] == 0 ? ": it differs between spectral windows" : "");
    }
    return WADI_OK;
}

/* ---- channels ---- */

/* Adds the first few different numbers among n to the list: "0, 4, 7". */
static void add_numbers(wadi_text *list, const int32_t *number, int64_t n) {
    int32_t seen[MAX_LISTED] = {0};
    int count = 0;
    for (int64_t i = 0; i < n; i++) {
        int at = 0;
        while (at < count && seen[at] != number[i]) at++;
        if (at < count) continue;
        wadi_text_addf(list, "%s%d", count > 0 ? ", " : "", (int)number[i]);
        seen[count++] = number[i];
        if (count < MAX_LISTED) continue;
        wadi_text_add(list, ", ...");
        return;
    }
}

static wadi_status no_such(const wadi_uvh5 *u, const char *what, int wanted, const int32_t *have,
                           int64_t n, wadi_error *err) {
    wadi_text list = {0};
    add_numbers(&list, have, n);
    const wadi_status st = wadi_fail(err, WADI_INVALID, "%s: no %s %d; there are %s", u->path, what,
                                     wanted, wadi_text_str(&list));
    wadi_text_fini(&list);
    return st;
}

/* The spectral window of each channel; *out NULL: all are in one window. */
static wadi_status read_windows(wadi_uvh5 *u, int32_t **out, wadi_error *err) {
    void *table = NULL;
    if (!wadi_hdf5_has(u->file, "Header/flex_spw_id_array")) return WADI_OK;
    WADI_TRY(read_table(u, "Header/flex_spw_id_array", u->channels, H5T_NATIVE_INT32,
                        sizeof(int32_t), &table, err));
    *out = table;
    return WADI_OK;
}

/* Keeps only the channels of the window asked for. */
static wadi_status choose_channels(wadi_uvh5 *u, int setup, const int32_t *window,
                                   wadi_error *err) {
    const int32_t only = 0;
    int64_t n = 0;
    u->channel = calloc((size_t)u->channels, sizeof *u->channel);
    if (u->channel == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", u->path);
    for (int64_t c = 0; c < u->channels; c++) {
        if (setup != 0 && (window != NULL ? window[c] : only) != setup - 1) continue;
        u->frequency[n] = u->frequency[c];
        u->channel[n++] = c;
    }
    if (n == 0)
        return no_such(u, "spectral window", setup - 1, window != NULL ? window : &only,
                       window != NULL ? u->channels : 1, err);
    u->base.info.channels = n;
    return WADI_OK;
}

static wadi_status read_channels(wadi_uvh5 *u, int setup, wadi_error *err) {
    void *table = NULL;
    WADI_TRY(read_table(u, "Header/freq_array", u->channels, H5T_NATIVE_DOUBLE, sizeof(double),
                        &table, err));
    u->frequency = table;
    for (int64_t c = 0; c < u->channels; c++) {
        if (u->frequency[c] > 0 && isfinite(u->frequency[c])) continue;
        return wadi_fail(err, WADI_IO, "%s: Header/freq_array: channel %lld has frequency %g Hz",
                         u->path, (long long)c, u->frequency[c]);
    }
    int32_t *window = NULL;
    wadi_status st = read_windows(u, &window, err);
    if (st == WADI_OK) st = choose_channels(u, setup, window, err);
    free(window);
    return st;
}

/* ---- phase centres ---- */

static wadi_status several_centres(const wadi_uvh5 *u, wadi_error *err) {
    wadi_text list = {0};
    add_numbers(&list, u->centre, u->rows);
    const wadi_status st = wadi_fail(
        err, WADI_INVALID, "%s holds several phase centres (%s): one of them has to be asked for",
        u->path, wadi_text_str(&list));
    wadi_text_fini(&list);
    return st;
}

/* Selects the rows of one phase centre. */
static wadi_status choose_rows(wadi_uvh5 *u, int field, wadi_error *err) {
    static const char object[] = "Header/phase_center_id_array";
    void *table = NULL;
    const int32_t zero = 0;
    u->base.info.rows = u->rows;
    if (!wadi_hdf5_has(u->file, object)) {
        return field <= 1 ? WADI_OK : no_such(u, "phase centre", field - 1, &zero, 1, err);
    }
    WADI_TRY(read_table(u, object, u->rows, H5T_NATIVE_INT32, sizeof(int32_t), &table, err));
    u->centre = table;
    u->taken = field != 0 ? field - 1 : u->centre[0];
    int64_t n = 0;
    for (int64_t r = 0; r < u->rows; r++) n += u->centre[r] == u->taken;
    u->base.info.rows = n;
    if (n < u->rows && field == 0) return several_centres(u, err);
    if (n == 0) return no_such(u, "phase centre", field - 1, u->centre, u->rows, err);
    if (n == u->rows) {
        free(u->centre);
        u->centre = NULL;
    }
    return WADI_OK;
}

static wadi_status keep_string(wadi_uvh5 *u, const char *object, char **out, wadi_error *err) {
    if (*out != NULL || !wadi_hdf5_has(u->file, object)) return WADI_OK;
    return wadi_hdf5_string(u->file, u->path, object, out, err);
}

/* The place of an entry of the catalogue: under its number or, in the oldest files with a catalogue, under its name. */
static bool find_entry(const wadi_uvh5 *u, const char *catalogue, char *out) {
    snprintf(out, NAME_BYTES, "%s/%d", catalogue, (int)u->taken);
    if (wadi_hdf5_has(u->file, out)) return true;
    for (hsize_t i = 0;; i++) {
        char name[NAME_BYTES / 2], id[NAME_BYTES + 8];
        double number = 0;
        if (H5Lget_name_by_idx(u->file, catalogue, H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name,
                               H5P_DEFAULT) < 0) {
            return false;
        }
        snprintf(out, NAME_BYTES, "%s/%s", catalogue, name);
        snprintf(id, sizeof id, "%s/cat_id", out);
        if (wadi_hdf5_has(u->file, id) &&
            wadi_hdf5_number(u->file, u->path, id, &number, NULL) == WADI_OK &&
            number == (double)u->taken) {
            return true;
        }
    }
}

/* ra and dec of a place that is fixed among the stars, in an equatorial frame. */
static wadi_status read_sidereal(wadi_uvh5 *u, const char *entry, wadi_error *err) {
    char object[NAME_BYTES + 16];
    char *frame = NULL;
    snprintf(object, sizeof object, "%s/cat_frame", entry);
    WADI_TRY(keep_string(u, object, &frame, err));
    const bool is_old = frame != NULL && strncmp(frame, "fk4", 3) == 0;
    const bool is_equatorial =
        frame == NULL || is_old || strcmp(frame, "icrs") == 0 || strcmp(frame, "fk5") == 0;
    free(frame);
    if (!is_equatorial) return WADI_OK;
    u->base.info.equinox = is_old ? 1950 : 2000;
    snprintf(object, sizeof object, "%s/cat_lon", entry);
    WADI_TRY(wadi_hdf5_number(u->file, u->path, object, &u->base.info.ra, err));
    snprintf(object, sizeof object, "%s/cat_lat", entry);
    return wadi_hdf5_number(u->file, u->path, object, &u->base.info.dec, err);
}

static wadi_status read_catalogue(wadi_uvh5 *u, const char *catalogue, wadi_error *err) {
    char entry[NAME_BYTES], object[NAME_BYTES + 16];
    char *type = NULL;
    if (!find_entry(u, catalogue, entry)) {
        return wadi_fail(err, WADI_IO, "%s: %s has no phase centre %d", u->path, catalogue,
                         (int)u->taken);
    }
    snprintf(object, sizeof object, "%s/cat_name", entry);
    WADI_TRY(keep_string(u, object, &u->object, err));
    snprintf(object, sizeof object, "%s/cat_type", entry);
    WADI_TRY(wadi_hdf5_string(u->file, u->path, object, &type, err));
    u->is_unprojected = strcmp(type, "unprojected") == 0;
    const bool is_sidereal = strcmp(type, "sidereal") == 0;
    free(type);
    return is_sidereal ? read_sidereal(u, entry, err) : WADI_OK;
}

/* Files without a catalogue, which are older, are phased to one place, or not at all. */
static wadi_status read_phase_type(wadi_uvh5 *u, wadi_error *err) {
    char *type = NULL;
    WADI_TRY(keep_string(u, "Header/object_name", &u->object, err));
    WADI_TRY(wadi_hdf5_string(u->file, u->path, "Header/phase_type", &type, err));
    u->is_unprojected = strcmp(type, "drift") == 0;
    const bool is_phased = strcmp(type, "phased") == 0;
    free(type);
    if (!is_phased) return WADI_OK;
    WADI_TRY(wadi_hdf5_number(u->file, u->path, "Header/phase_center_ra", &u->base.info.ra, err));
    WADI_TRY(wadi_hdf5_number(u->file, u->path, "Header/phase_center_dec", &u->base.info.dec, err));
    if (!wadi_hdf5_has(u->file, "Header/phase_center_epoch")) return WADI_OK;
    return wadi_hdf5_number(u->file, u->path, "Header/phase_center_epoch", &u->base.info.equinox,
                            err);
}

static wadi_status read_place(wadi_uvh5 *u, wadi_error *err) {
    static const char catalogue[] = "Header/phase_center_catalog";
    if (wadi_hdf5_has(u->file, catalogue)) return read_catalogue(u, catalogue, err);
    return read_phase_type(u, err);
}

/* ---- life ---- */

static wadi_status describe(wadi_uvh5 *u, const wadi_vis_options *options, wadi_error *err) {
    wadi_vis_info *info = &u->base.info;
    *info =
        (wadi_vis_info){.ra = (double)NAN, .dec = (double)NAN, .equinox = 2000, .format = "uvh5"};
    WADI_TRY(open_sets(u, err));
    WADI_TRY(read_pols(u, err));
    WADI_TRY(read_channels(u, options->setup, err));
    WADI_TRY(choose_rows(u, options->field, err));
    WADI_TRY(read_place(u, err));
    WADI_TRY(keep_string(u, "Header/telescope_name", &u->telescope, err));
    if (wadi_hdf5_has(u->file, "Header/channel_width"))
        WADI_TRY(
            wadi_hdf5_number(u->file, u->path, "Header/channel_width", &info->channel_width, err));
    info->pols = u->pols;
    info->frequency = u->frequency;
    info->stokes = u->stokes;
    info->object = u->object != NULL ? u->object : "";
    info->telescope = u->telescope != NULL ? u->telescope : "";
    return wadi_uvh5_ready(u, err);
}

/* Call this within a scope of hdf5_read.h. */
static void destroy(wadi_uvh5 *u) {
    wadi_uvh5_unready(u);
    for (int i = 0; i < UVH5_SETS; i++) wadi_hdf5_set_close(&u->set[i]);
    if (u->file > 0) (void)H5Fclose(u->file);
    free(u->frequency);
    free(u->channel);
    free(u->stokes);
    free(u->centre);
    free(u->object);
    free(u->telescope);
    free(u->path);
    free(u);
}

static void close_uvh5(wadi_vis *self) {
    const wadi_hdf5_scope scope = wadi_hdf5_begin();
    destroy((wadi_uvh5 *)self);
    wadi_hdf5_end(&scope);
}

static const wadi_vis_ops uvh5_ops = {wadi_uvh5_read, close_uvh5};

static wadi_status open_uvh5(const char *path, const wadi_vis_options *options, wadi_vis **out,
                             wadi_error *err) {
    wadi_uvh5 *u = calloc(1, sizeof *u);
    char *name = malloc(strlen(path) + 1);
    if (u == NULL || name == NULL) {
        free(u);
        free(name);
        return wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
    }
    u->base.ops = &uvh5_ops;
    u->path = strcpy(name, path);
    const wadi_hdf5_scope scope = wadi_hdf5_begin();
    (void)wadi_hdf5_use_lzf(); /* without it a file that needs it is refused by name */
    wadi_status st = wadi_hdf5_open(path, &u->file, err);
    if (st == WADI_OK) st = describe(u, options, err);
    if (st != WADI_OK)
        destroy(u);
    else
        *out = &u->base;
    wadi_hdf5_end(&scope);
    return st;
}

static const char *version(void) {
    static char text[32];
    unsigned major = 0, minor = 0, release = 0;
    (void)H5get_libversion(&major, &minor, &release);
    snprintf(text, sizeof text, "HDF5 %u.%u.%u", major, minor, release);
    return text;
}

static const wadi_vis_format_ops visibilities = {open_uvh5, NULL};
static const wadi_loadable_offer offers[] = {{"visibilities", &visibilities}, {0}};

WADI_LOADABLE("BSD-3-Clause", version, offers);
