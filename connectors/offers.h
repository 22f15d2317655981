/* What modules offer to connectors: tables of functions behind base/loadable.h, each with the name by which it is asked for. */
#ifndef WADI_CONNECTORS_OFFERS_H
#define WADI_CONNECTORS_OFFERS_H

#include <stdbool.h>
#include <stddef.h>

#include "connectors/fits.h"
#include "connectors/sndfile.h"
#include "connectors/visibility.h"
#include "wadi/image.h"

/* "sound" of sndfile */
typedef struct wadi_sound_offer {
    /* Opens a file, or standard input for "-". The ops of the result do everything else. */
    wadi_status (*open)(const char *path, const wadi_sndfile_how *how, wadi_sndfile **out,
                        wadi_error *err);
} wadi_sound_offer;

/* "visibilities" of cfitsio, hdf5, casacore: the functions of a wadi_vis_format */
typedef wadi_vis_format_ops wadi_visibilities_offer;

/* "image" of cfitsio */
typedef struct wadi_fits_offer {
    wadi_status (*sink)(const char *path, const wadi_image_info *info, wadi_sink **out,
                        wadi_error *err);
    wadi_status (*read)(const char *path, const char *key, wadi_fits_cube *out, wadi_error *err);
} wadi_fits_offer;

/* "picture" of png */
typedef struct wadi_png_offer {
    wadi_status (*sink)(const char *path, const wadi_png_options *options, wadi_sink **out,
                        wadi_error *err);
} wadi_png_offer;

/* "gzip" of zlib: a file read as if it were not compressed */
typedef struct wadi_gzip_offer {
    void *(*open)(const char *path); /* NULL: errno says why */
    bool (*rewind)(void *file);
    /* Reads up to n bytes; 0 only at the end. Returns NULL, or the reason of a failure, which is valid until the next call. */
    const char *(*read)(void *file, char *to, size_t n, size_t *out_n);
    void (*close)(void *file);
} wadi_gzip_offer;

#endif
