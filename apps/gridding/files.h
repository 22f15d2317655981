/* The files of an image, or the link that replaces them. A file whose rows belong to several frequency setups is opened once
 * for each, because all rows of an input have the same channels and polarisations. */
#ifndef WADI_APPS_GRIDDING_FILES_H
#define WADI_APPS_GRIDDING_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "apps/gridding/ingest.h"
#include "base/vec.h"

typedef struct grid_file {
    char *name; /* with its setup, where the file has several */
    size_t of;  /* which of the files */
    int setup;  /* plus one */
    wadi_vis *vis;
} grid_file;

typedef struct grid_files {
    WADI_VEC(grid_file) list;
    int64_t setups; /* of files that have several; 0: none has */
    bool once;      /* rows pass only once: a link */
    int64_t rows;   /* of all; -1: not known */
    int64_t
        left_out; /* rows of a setup that do not give the polarisation, where others of its rows do */
    double ra, dec, equinox; /* of the first that says; NAN: none does */
    const char *object, *telescope;
    double channel_width;
    int stokes; /* what the first gives for what is asked for */
} grid_files;

/* What is read of the files. */
typedef struct grid_choice {
    wadi_vis_options options; /* setup 0 */
    const int *setup;         /* [setups] plus one; of each file */
    size_t setups;            /* 0: all there are */
} grid_choice;

/* A setup may have been observed with several sets of products: rows that do not give the polarisation are then left out.
 *
 * fini is due in any case. Errors: those of wadi_vis_open; WADI_INVALID where an input has not the polarisation or the channels, or
 * gives another polarisation than the first. */
WADI_NODISCARD wadi_status grid_files_open(grid_files *in, size_t n, const char *const *paths,
                                           const grid_choice *choice, const grid_take *take,
                                           wadi_error *err);
/* The same of what is sent to `address`. */
WADI_NODISCARD wadi_status grid_files_listen(grid_files *in, const char *address,
                                             const wadi_link_options *options,
                                             const grid_take *take, wadi_error *err);
void grid_files_fini(grid_files *in);
/* Phase centres that differ by more than a tenth of `scale` are WADI_INVALID: in one image they would blur. */
WADI_NODISCARD wadi_status grid_files_check(const grid_files *in, double scale, wadi_error *err);
/* All rows of all, one file after the other. */
WADI_NODISCARD wadi_status grid_files_pass(const grid_files *in, grid_ingest *g, wadi_error *err);

#endif
