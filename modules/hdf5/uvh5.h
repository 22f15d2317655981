/* An open uvh5 file: uvh5.c opens it and finds out what it holds, uvh5_rows.c reads its rows. */
#ifndef WADI_MODULES_UVH5_H
#define WADI_MODULES_UVH5_H

#include "modules/hdf5/hdf5_read.h"
#include "connectors/visibility.h"

/* The datasets with a value for every row. */
enum {
    UVH5_UVW,
    UVH5_FIRST,
    UVH5_SECOND,
    UVH5_TIME,
    UVH5_DATA,
    UVH5_FLAGS,
    UVH5_COUNTS,
    UVH5_SETS
};
extern const char *const wadi_uvh5_sets[UVH5_SETS]; /* their names */

/* Some rows, as they are in the file. */
typedef struct wadi_uvh5_block {
    int64_t room, first, n;
    double *uvw, *time;
    int32_t *pair[2];
    void *data; /* of the type below */
    signed char *flags;
    float *counts;
} wadi_uvh5_block;

typedef enum wadi_uvh5_number { UVH5_F32, UVH5_F64, UVH5_I32 } wadi_uvh5_number;

typedef struct wadi_uvh5 {
    wadi_vis base;
    char *path, *object, *telescope;
    hid_t file;
    wadi_hdf5_set set[UVH5_SETS];
    int64_t rows, channels, pols; /* in the file */
    double *frequency;            /* of the selected channels */
    int64_t *channel;             /* their numbers in the file */
    int *stokes;
    int32_t *
        centre; /* number of each row's phase centre; NULL: there is only one, so every row is selected */
    int32_t taken;       /* the phase centre whose rows are selected */
    bool is_unprojected; /* delays towards the zenith were not removed */
    bool has_counts;     /* there is a positive one */
    wadi_uvh5_number number;
    hid_t data_type, flag_type; /* in memory */
    wadi_uvh5_block block;
    int64_t next, row; /* number of the next row, and where in the file to look for it */
} wadi_uvh5;

/* Prepares reading after the fields up to `taken` are set: memory types, the block. Call this within a scope of hdf5_read.h. */
WADI_NODISCARD wadi_status wadi_uvh5_ready(wadi_uvh5 *u, wadi_error *err);
void wadi_uvh5_unready(wadi_uvh5 *u);

/* The callback of wadi_vis_ops; opens its own scope. */
wadi_status wadi_uvh5_read(wadi_vis *self, int64_t first, int64_t k, const wadi_vis_rows *rows,
                           int64_t *out_n, wadi_error *err);

#endif
