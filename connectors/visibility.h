/* What a format of visibilities implements: a module or a file each, and a row in the table of connectors/visibility.c.
 *
 * Signs. UVFITS, Measurement Sets and uvh5 all mean V = I exp(+2 pi i (u l + v m + w (n - 1))), and only the first two agree about
 * the baseline; wadi/visibility.h wants exp(-2 pi i ...) and the second antenna's position minus the first's:
 *
 *   UVFITS            uvw = first - second     uvw is negated                  AIPS memo 117; wsclean images it so
 *   Measurement Set   the same                 uvw is negated
 *   uvh5              uvw = second - first     visibilities are conjugated     pyuvdata, docs/conventions.rst: V12 = <E1* E2>
 *
 * A judge: the jet of M87 (data/vis/mojave.uvfits) leaves the core to the north-west, position angle -72 degrees; with the wrong
 * sign to the south-east. */
#ifndef WADI_CONNECTORS_VISIBILITY_H
#define WADI_CONNECTORS_VISIBILITY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"
#include "wadi/visibility.h"

/* Where rows go: [k, ...] each, as wadi/visibility.h lists them. */
typedef struct wadi_vis_rows {
    double *uvw;   /* [k, 3] metres */
    int32_t *pair; /* [k, 2] */
    double *time;  /* [k] */
    double *data;  /* [k, channels, pols] of re, im */
    float *weight; /* [k, channels, pols] */
} wadi_vis_rows;

typedef struct wadi_vis_ops {
    /* Up to k rows from number `first` on; none only at the end, fewer where that is all there is so far. Called by one thread, `first` growing, but for a new start at 0. */
    wadi_status (*read)(wadi_vis *self, int64_t first, int64_t k, const wadi_vis_rows *rows,
                        int64_t *out_n, wadi_error *err);
    void (*close)(wadi_vis *self);
} wadi_vis_ops;

/* The head of every format's own struct. Strings and tables of `info` are the format's, freed by its close. */
struct wadi_vis {
    const wadi_vis_ops *ops;
    wadi_vis_info info;
    bool streaming; /* it has a source */
    bool conjugate; /* what read delivers is conjugated by the source */
    int wake_fd; /* that source's, as sched/stream.h has it, set before each read: for a read that waits */
};

typedef WADI_VEC(wadi_vis_options) wadi_vis_setup_list;

typedef struct wadi_vis_format_ops {
    /* options is never NULL; options->conjugate is the dispatcher's, which conjugates what read delivers. */
    wadi_status (*open)(const char *path, const wadi_vis_options *options, wadi_vis **out,
                        wadi_error *err);
    /* Appends what wadi_vis_setups gives; what is there after an error is freed all the same. NULL: never more than one. */
    wadi_status (*setups)(const char *path, const wadi_vis_options *options,
                          wadi_vis_setup_list *out, wadi_error *err);
} wadi_vis_format_ops;

typedef struct wadi_vis_format {
    const char *name; /* "UVFITS" */
    /* head: the first n bytes of a file, or NULL for a folder. Answers without the module, too. */
    bool (*recognises)(const char *path, const unsigned char *head, size_t n);
    const wadi_vis_format_ops *ops; /* NULL: the module offers them as "visibilities" */
    const char *module;
    bool columns; /* its visibilities stand in columns that have names */
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
