/* Reading HDF5. Errors become a wadi_error that names the file and the object; nothing is printed. */
#ifndef WADI_MODULES_HDF5_READ_H
#define WADI_MODULES_HDF5_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "wadi/status.h"

#include <hdf5.h>

enum { WADI_HDF5_MAX_RANK = 4 };

/* While a scope is open, only this thread uses HDF5 (not every build of HDF5 is thread-safe), and HDF5 prints no messages. Scopes do not
 * nest. All other functions here need an open scope. */
typedef struct wadi_hdf5_scope {
    H5E_auto2_t print;
    void *env;
} wadi_hdf5_scope;

wadi_hdf5_scope wadi_hdf5_begin(void);
void wadi_hdf5_end(const wadi_hdf5_scope *s);

/* Registers the compression lzf; false if HDF5 refuses it. */
bool wadi_hdf5_use_lzf(void);

/* Fails with WADI_IO and the words of HDF5 about its latest failure. */
wadi_status wadi_hdf5_fail(const char *path, const char *object, wadi_error *err);

WADI_NODISCARD wadi_status wadi_hdf5_open(const char *path, hid_t *out, wadi_error *err);

bool wadi_hdf5_has(hid_t file, const char *object);

/* A dataset that can be read. WADI_UNSUPPORTED if its compression is not installed. */
typedef struct wadi_hdf5_set {
    hid_t id, type;
    int rank;
    int64_t shape[WADI_HDF5_MAX_RANK];
    int64_t chunk_rows; /* extent of a chunk along the first dimension; 1: not in chunks */
} wadi_hdf5_set;

/* A set that is not open has id and type 0, and closing it is fine. */
WADI_NODISCARD wadi_status wadi_hdf5_set_open(hid_t file, const char *path, const char *object,
                                              wadi_hdf5_set *out, wadi_error *err);
void wadi_hdf5_set_close(wadi_hdf5_set *s);

/* Reads rows first .. first + n - 1 along the first dimension, as memory_type. */
WADI_NODISCARD wadi_status wadi_hdf5_rows(const wadi_hdf5_set *s, const char *path,
                                          const char *object, hid_t memory_type, int64_t first,
                                          int64_t n, void *to, wadi_error *err);

/* Reads one number: a scalar, or the first of many. */
WADI_NODISCARD wadi_status wadi_hdf5_number(hid_t file, const char *path, const char *object,
                                            double *out, wadi_error *err);
/* Reads a string of any kind; the caller frees it. */
WADI_NODISCARD wadi_status wadi_hdf5_string(hid_t file, const char *path, const char *object,
                                            char **out, wadi_error *err);

#endif
