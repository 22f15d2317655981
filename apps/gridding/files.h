/* The files of an image, or the link that replaces them. A file whose rows belong to several frequency setups is opened once
 * for each, because all rows of an input have the same channels and polarisations. */
#ifndef WADI_APPS_GRIDDING_FILES_H
#define WADI_APPS_GRIDDING_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "apps/gridding/ingest.h"
#include "base/vec.h"

typedef struct grid_file {
    char *name; /* with the number of the setup if the file has several */
    size_t of;  /* the number of the file */
    int setup;  /* the number of the setup, plus one */
    wadi_vis *vis;
} grid_file;

typedef struct grid_files {
    WADI_VEC(grid_file) list;
    int64_t setups; /* of files that have several; 0: none has */
    bool once;      /* rows pass only once: a link */
    int64_t rows;   /* of all; -1: not known */
    int64_t
        left_out; /* rows that do not have the polarisation, while other rows of their setup have it */
    double ra, dec, equinox; /* of the first input that has a phase centre; NAN: none has */
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

/* Opens the files. A setup may have been observed with several sets of products; rows without the polarisation are then left out. The
 * caller calls fini in any case. Errors: those of wadi_vis_open; WADI_INVALID if an input does not have the polarisation or the channels,
 * or has another polarisation than the first. */
WADI_NODISCARD wadi_status grid_files_open(grid_files *in, size_t n, const char *const *paths,
                                           const grid_choice *choice, const grid_take *take,
                                           wadi_error *err);
/* The same for visibilities that are sent to `address`. */
WADI_NODISCARD wadi_status grid_files_listen(grid_files *in, const char *address,
                                             const wadi_link_options *options,
                                             const grid_take *take, wadi_error *err);
void grid_files_fini(grid_files *in);
/* Phase centres that differ by more than a tenth of `scale` are WADI_INVALID: in one image they would blur. */
WADI_NODISCARD wadi_status grid_files_check(const grid_files *in, double scale, wadi_error *err);
/* All rows of all, one file after the other. */
WADI_NODISCARD wadi_status grid_files_pass(const grid_files *in, grid_ingest *g, wadi_error *err);

#endif
