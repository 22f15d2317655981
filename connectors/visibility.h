/* What a format of visibilities implements. Each format is a module or a file, and a row in the table of connectors/visibility.c.
 *
 * Signs. UVFITS, Measurement Sets and uvh5 all mean V = I exp(+2 pi i (u l + v m + w (n - 1))), but only the first two agree about
 * the direction of the baseline. wadi/visibility.h wants exp(-2 pi i ...), and the position of the second antenna minus that of the
 * first. So each format is converted:
 *
 *   UVFITS            uvw = first - second     uvw is negated                  AIPS memo 117; wsclean images it so
 *   Measurement Set   the same                 uvw is negated
 *   uvh5              uvw = second - first     visibilities are conjugated     pyuvdata, docs/conventions.rst: V12 = <E1* E2>
 *
 * A check: the jet of M87 (data/vis/mojave.uvfits) points to the north-west, at position angle -72 degrees. With the wrong sign it
 * points to the south-east. */
#ifndef WADI_CONNECTORS_VISIBILITY_H
#define WADI_CONNECTORS_VISIBILITY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"
#include "wadi/visibility.h"

/* Where rows are written: one array [k, ...] for each part of a row, as wadi/visibility.h lists them. */
typedef struct wadi_vis_rows {
    double *uvw;   /* [k, 3] metres */
    int32_t *pair; /* [k, 2] */
    double *time;  /* [k] */
    double *data;  /* [k, channels, pols] of re, im */
    float *weight; /* [k, channels, pols] */
} wadi_vis_rows;

typedef struct wadi_vis_ops {
    /* Reads up to k rows from number `first` on: fewer if no more are there yet, none only at the end. One thread calls it. `first` is
     * the number of the next row, or of any row if the reader goes back. */
    wadi_status (*read)(wadi_vis *self, int64_t first, int64_t k, const wadi_vis_rows *rows,
                        int64_t *out_n, wadi_error *err);
    void (*close)(wadi_vis *self);
} wadi_vis_ops;

/* The beginning of each format's own struct. The format owns the strings and tables of `info` and frees them in `close`. */
struct wadi_vis {
    const wadi_vis_ops *ops;
    wadi_vis_info info;
    bool streaming; /* it has a source */
    bool conjugate; /* the source conjugates what `read` delivers */
    bool passes;    /* its rows can be read only once, in order */
    int wake_fd; /* wake_fd of that source (sched/stream.h), for a read that waits; set before each read */
    char *
        path; /* of a file or folder, and what was selected there; owned by wadi_vis_open. NULL: it is none */
    char *selected;
};

typedef WADI_VEC(wadi_vis_options) wadi_vis_setup_list;

typedef struct wadi_vis_format_ops {
    /* options is never NULL. The format ignores options->conjugate: the source conjugates. */
    wadi_status (*open)(const char *path, const wadi_vis_options *options, wadi_vis **out,
                        wadi_error *err);
    /* Appends the list that wadi_vis_setups gives. The caller frees the list, also after an error. NULL: files of this format have
     * one setup. */
    wadi_status (*setups)(const char *path, const wadi_vis_options *options,
                          wadi_vis_setup_list *out, wadi_error *err);
} wadi_vis_format_ops;

typedef struct wadi_vis_format {
    const char *name; /* "UVFITS" */
    /* head: the first n bytes of a file, or NULL for a folder. Does not need the module. */
    bool (*recognises)(const char *path, const unsigned char *head, size_t n);
    const wadi_vis_format_ops *ops; /* NULL: the module offers them as "visibilities" */
    const char *module;
    bool columns; /* a file may have several named columns of visibilities to choose from */
} wadi_vis_format;

/* Ended by a row without a name. */
extern const wadi_vis_format wadi_vis_formats[];

/* vis_recognise.c */
bool wadi_vis_fits_recognises(const char *path, const unsigned char *head, size_t n);
bool wadi_vis_uvh5_recognises(const char *path, const unsigned char *head, size_t n);
bool wadi_vis_ms_recognises(const char *path, const unsigned char *head, size_t n);

/* vis_text.c */
bool wadi_vis_text_recognises(const char *path, const unsigned char *head, size_t n);
extern const wadi_vis_format_ops wadi_vis_text;

#endif
