/* Reading HDF5 with errors as wadi_error. The thread's error printer is removed during a scope and restored after it, because
 * the host program may use HDF5 too and want its messages. */
#include "modules/hdf5/hdf5_read.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* ---- scope ---- */

static pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;

wadi_hdf5_scope wadi_hdf5_begin(void) {
    wadi_hdf5_scope s = {0};
    (void)pthread_mutex_lock(&alone);
    (void)H5Eget_auto2(H5E_DEFAULT, &s.print, &s.env);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return s;
}

void wadi_hdf5_end(const wadi_hdf5_scope *s) {
    (void)H5Eset_auto2(H5E_DEFAULT, s->print, s->env);
    (void)pthread_mutex_unlock(&alone);
}

/* ---- errors ---- */

/* Takes the first entry of the stack, where the failure was found; its callers say less. */
static herr_t innermost(unsigned n, const H5E_error2_t *e, void *env) {
    if (n == 0) snprintf(env, 256, "%s", e->desc != NULL ? e->desc : "");
    return 0;
}

wadi_status wadi_hdf5_fail(const char *path, const char *object, wadi_error *err) {
    char why[256] = "";
    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, why);
    return wadi_fail(err, WADI_IO, "%s: %s%s%s", path, object, *object != '\0' ? ": " : "",
                     *why != '\0' ? why : "HDF5 cannot read it");
}

/* HDF5 locks the files it reads. If the file system has no locks, the file is read all the same. */
static hid_t access_list(void) {
    const hid_t list = H5Pcreate(H5P_FILE_ACCESS);
#if H5_VERSION_GE(1, 10, 7)
    if (list >= 0) (void)H5Pset_file_locking(list, true, true);
#endif
    return list;
}

wadi_status wadi_hdf5_open(const char *path, hid_t *out, wadi_error *err) {
    const hid_t list = access_list();
    if (list < 0) return wadi_hdf5_fail(path, "", err);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, list);
    const wadi_status st = file < 0 ? wadi_hdf5_fail(path, "", err) : WADI_OK;
    (void)H5Pclose(list);
    if (st == WADI_OK) *out = file;
    return st;
}

/* Checks every group of the path, because HDF5 reports a missing one as an error. */
bool wadi_hdf5_has(hid_t file, const char *object) {
    char part[256];
    if (strlen(object) >= sizeof part) return false;
    for (const char *slash = strchr(object, '/');; slash = strchr(slash + 1, '/')) {
        const size_t n = slash != NULL ? (size_t)(slash - object) : strlen(object);
        memcpy(part, object, n);
        part[n] = '\0';
        if (H5Lexists(file, part, H5P_DEFAULT) <= 0) return false;
        if (slash == NULL) return H5Oexists_by_name(file, object, H5P_DEFAULT) > 0;
    }
}

/* ---- datasets ---- */

static const char *filter_name(H5Z_filter_t id, const char *in_file) {
    switch (id) {
    case 307:
        return "bzip2";
    case 32000:
        return "lzf";
    case 32001:
        return "blosc";
    case 32004:
        return "lz4";
    case 32008:
        return "bitshuffle";
    case 32015:
        return "zstd";
    default:
        return *in_file != '\0' ? in_file : "a filter without a name";
    }
}

enum { LZF = 32000, LZF_SIZE = 2, MAX_VALUES = 8 };

/* chunk_bytes: how many bytes a filter must deliver. HDF5 believes the number that lzf states, and reads beyond the end if it is
 * smaller. */
static wadi_status check_filters(hid_t plist, size_t chunk_bytes, const char *path,
                                 const char *object, wadi_error *err) {
    const int n = H5Pget_nfilters(plist);
    for (int i = 0; i < n; i++) {
        unsigned flags = 0, config = 0, value[MAX_VALUES] = {0};
        size_t values = MAX_VALUES;
        char name[64] = "";
        const H5Z_filter_t id = H5Pget_filter2(plist, (unsigned)i, &flags, &values, value,
                                               sizeof name - 1, name, &config);
        if (id < 0) return wadi_hdf5_fail(path, object, err);
        if (H5Zfilter_avail(id) <= 0) {
            return wadi_fail(
                err, WADI_UNSUPPORTED,
                "%s: %s is compressed with %s (HDF5 filter %d), which is not installed; "
                "HDF5_PLUGIN_PATH names the folder where HDF5 looks for it",
                path, object, filter_name(id, name), (int)id);
        }
        if (id == LZF && (values <= LZF_SIZE || value[LZF_SIZE] != chunk_bytes)) {
            return wadi_fail(err, WADI_IO, "%s: %s: lzf makes chunks of %u bytes, expected %zu",
                             path, object, value[LZF_SIZE], chunk_bytes);
        }
    }
    return WADI_OK;
}

static wadi_status read_layout(wadi_hdf5_set *s, const char *path, const char *object,
                               wadi_error *err) {
    hsize_t chunk[WADI_HDF5_MAX_RANK] = {1};
    size_t bytes = H5Tget_size(s->type);
    const hid_t plist = H5Dget_create_plist(s->id);
    if (plist < 0) return wadi_hdf5_fail(path, object, err);
    s->chunk_rows = 1;
    if (s->rank > 0 && H5Pget_layout(plist) == H5D_CHUNKED &&
        H5Pget_chunk(plist, WADI_HDF5_MAX_RANK, chunk) == s->rank) {
        s->chunk_rows = (int64_t)chunk[0];
        for (int i = 0; i < s->rank; i++) bytes *= (size_t)chunk[i];
    }
    const wadi_status st = check_filters(plist, bytes, path, object, err);
    (void)H5Pclose(plist);
    return st;
}

static wadi_status read_shape(wadi_hdf5_set *s, const char *path, const char *object,
                              wadi_error *err) {
    hsize_t shape[WADI_HDF5_MAX_RANK] = {0};
    const hid_t space = H5Dget_space(s->id);
    const int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    wadi_status st = WADI_OK;
    if (rank < 0) {
        st = wadi_hdf5_fail(path, object, err);
    } else if (rank > WADI_HDF5_MAX_RANK) {
        st = wadi_fail(err, WADI_UNSUPPORTED, "%s: %s has %d dimensions, expected at most %d", path,
                       object, rank, WADI_HDF5_MAX_RANK);
    } else if (H5Sget_simple_extent_type(space) == H5S_NULL) {
        st = wadi_fail(err, WADI_IO, "%s: %s is empty", path, object);
    } else {
        (void)H5Sget_simple_extent_dims(space, shape, NULL);
        s->rank = rank;
        for (int i = 0; i < rank; i++) s->shape[i] = (int64_t)shape[i];
    }
    if (space >= 0) (void)H5Sclose(space);
    return st;
}

wadi_status wadi_hdf5_set_open(hid_t file, const char *path, const char *object, wadi_hdf5_set *out,
                               wadi_error *err) {
    wadi_hdf5_set s = {0};
    if (!wadi_hdf5_has(file, object)) {
        return wadi_fail(err, WADI_IO, "%s: %s is missing", path, object);
    }
    s.id = H5Dopen2(file, object, H5P_DEFAULT);
    if (s.id < 0) return wadi_hdf5_fail(path, object, err);
    s.type = H5Dget_type(s.id);
    wadi_status st = s.type < 0 ? wadi_hdf5_fail(path, object, err) : WADI_OK;
    if (st == WADI_OK) st = read_shape(&s, path, object, err);
    if (st == WADI_OK) st = read_layout(&s, path, object, err);
    if (st != WADI_OK)
        wadi_hdf5_set_close(&s);
    else
        *out = s;
    return st;
}

void wadi_hdf5_set_close(wadi_hdf5_set *s) {
    if (s->type > 0) (void)H5Tclose(s->type);
    if (s->id > 0) (void)H5Dclose(s->id);
    *s = (wadi_hdf5_set){0};
}

wadi_status wadi_hdf5_rows(const wadi_hdf5_set *s, const char *path, const char *object,
                           hid_t memory_type, int64_t first, int64_t n, void *to, wadi_error *err) {
    hsize_t start[WADI_HDF5_MAX_RANK] = {(hsize_t)first}, count[WADI_HDF5_MAX_RANK] = {(hsize_t)n};
    for (int i = 1; i < s->rank; i++) count[i] = (hsize_t)s->shape[i];
    if (n == 0) return WADI_OK;
    const hid_t space = H5Dget_space(s->id);
    const hid_t memory = H5Screate_simple(s->rank, count, NULL);
    const bool fine = space >= 0 && memory >= 0 &&
                      H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                      H5Dread(s->id, memory_type, memory, space, H5P_DEFAULT, to) >= 0;
    const wadi_status st = fine ? WADI_OK : wadi_hdf5_fail(path, object, err);
    if (memory >= 0) (void)H5Sclose(memory);
    if (space >= 0) (void)H5Sclose(space);
    return st;
}

/* ---- small things ---- */

static int64_t count_of(const wadi_hdf5_set *s) {
    int64_t n = 1;
    for (int i = 0; i < s->rank; i++) n *= s->shape[i];
    return n;
}

wadi_status wadi_hdf5_number(hid_t file, const char *path, const char *object, double *out,
                             wadi_error *err) {
    wadi_hdf5_set s = {0};
    WADI_TRY(wadi_hdf5_set_open(file, path, object, &s, err));
    const hsize_t one[WADI_HDF5_MAX_RANK] = {1, 1, 1, 1}, zero[WADI_HDF5_MAX_RANK] = {0};
    const H5T_class_t kind = H5Tget_class(s.type);
    wadi_status st = WADI_OK;
    if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || count_of(&s) < 1) {
        st = wadi_fail(err, WADI_IO, "%s: %s is not a number", path, object);
    } else {
        const hid_t space = H5Dget_space(s.id);
        const hid_t memory = H5Screate(H5S_SCALAR);
        const bool whole = s.rank == 0;
        if (space < 0 || memory < 0 ||
            (!whole && H5Sselect_hyperslab(space, H5S_SELECT_SET, zero, NULL, one, NULL) < 0) ||
            H5Dread(s.id, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, out) < 0) {
            st = wadi_hdf5_fail(path, object, err);
        }
        if (memory >= 0) (void)H5Sclose(memory);
        if (space >= 0) (void)H5Sclose(space);
    }
    wadi_hdf5_set_close(&s);
    return st;
}

/* A string of variable length, which HDF5 allocates, must be freed by HDF5. */
static wadi_status variable_string(const wadi_hdf5_set *s, const char *path, const char *object,
                                   char **out, wadi_error *err) {
    char *text = NULL;
    if (H5Dread(s->id, s->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text) < 0) {
        return wadi_hdf5_fail(path, object, err);
    }
    const size_t n = text != NULL ? strlen(text) : 0;
    *out = calloc(1, n + 1);
    if (*out != NULL && n > 0) memcpy(*out, text, n);
    (void)H5free_memory(text);
    return *out != NULL ? WADI_OK : wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
}

static wadi_status fixed_string(const wadi_hdf5_set *s, const char *path, const char *object,
                                char **out, wadi_error *err) {
    *out = calloc(1, H5Tget_size(s->type) + 1);
    if (*out == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", path);
    if (H5Dread(s->id, s->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *out) >= 0) return WADI_OK;
    free(*out);
    *out = NULL;
    return wadi_hdf5_fail(path, object, err);
}

wadi_status wadi_hdf5_string(hid_t file, const char *path, const char *object, char **out,
                             wadi_error *err) {
    wadi_hdf5_set s = {0};
    WADI_TRY(wadi_hdf5_set_open(file, path, object, &s, err));
    wadi_status st = WADI_OK;
    if (H5Tget_class(s.type) != H5T_STRING || count_of(&s) != 1) {
        st = wadi_fail(err, WADI_IO, "%s: %s is not a string", path, object);
    } else {
        st = H5Tis_variable_str(s.type) > 0 ? variable_string(&s, path, object, out, err)
                                            : fixed_string(&s, path, object, out, err);
    }
    wadi_hdf5_set_close(&s);
    return st;
}
