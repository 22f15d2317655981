/* The command line of wadi-grid. */
#ifndef WADI_APPS_GRIDDING_OPTIONS_H
#define WADI_APPS_GRIDDING_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "apps/gridding/weighting.h"
#include "base/vec.h"
#include "connectors/via.h"
#include "sched/watch/program.h"
#include "wadi/run.h"
#include "wadi/status.h"

typedef struct grid_options {
    WADI_VEC(const char *) inputs;
    const char *output, *png, *method, *aterm, *column, *listen, *key, *senders, *token,
        *state; /* NULL: none */
    wadi_via_asked via;
    wadi_watch_asked watch;
    double every_s; /* with state: the least time between two savings */
    double epsilon;
    int64_t size;      /* pixels; 0: chosen */
    double scale, fov; /* radians; 0: chosen */
    grid_weights weights;
    int stokes;                          /* code of wadi_stokes; 0: I, or what there is */
    int64_t first_channel, last_channel; /* last_channel -1: to the end */
    int field;                           /* plus one; 0: the only one */
    WADI_VEC(int) setups;                /* plus one each; none: all there are */
    int support, oversample;
    double w_step;
    int64_t memory, chunk;
    int64_t part; /* visibilities gridded at a time; 0: what --memory has room for */
    int threads;
    wadi_schedule_option schedule;
    double live_s; /* 0: only at the end */
    bool psf, conjugate, autocorrelations, force_flagged, own_fft, six_ffts, sync, quiet, help,
        version;
} grid_options;

/* Strings are borrowed from argv. Errors: WADI_INVALID naming the argument, WADI_MEMORY. fini is due in any case. */
WADI_NODISCARD wadi_status grid_options_parse(int argc, char *const *argv, grid_options *out,
                                              wadi_error *err);
void grid_options_fini(grid_options *o);

/* The text of --help, one behind the other. */
extern const char grid_usage[], grid_usage_of_runs[];

#endif
