/* Writing an image by a pipeline of one element: the plane, in the wanted precision, to its sinks. */
#include "apps/gridding/write_image.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "apps/gridding/bound.h"
#include "apps/gridding/statistics.h"
#include "base/error.h"
#include "wadi/wadi.h"

enum { PICTURE = 2048 };

/* Chooses shades from well below the noise to the brightest pixel, with faint shades spread. They begin around the median, because the
 * image of a small part of a large source may be negative everywhere. */
static wadi_status choose_shades(const double *image, int64_t size, wadi_png_options *out,
                                 wadi_error *err) {
    grid_statistics s;
    WADI_TRY(grid_statistics_of(image, size, &s, err));
    const double reach = 4 * s.spread;
    *out = (wadi_png_options){.low = s.median - reach,
                              .high = fmax(s.greatest, s.median + reach),
                              .stretch = 5,
                              .most = PICTURE};
    if (!(out->low < out->high))
        out->low = out->high = 0; /* one value everywhere: the sink's choice */
    return WADI_OK;
}

static wadi_exp to_single(wadi_exp x) {
    return wadi_convert(WADI_F32, x);
}

static wadi_acc single(wadi_acc plane) {
    return wadi_map(to_single, plane);
}

static void build(bool precise, bool with_picture) {
    const wadi_component plane = {.elem = wadi_scalar_elem(WADI_F64), .rank = 2};
    const wadi_seq planes = wadi_stream_in("planes", 1, &plane),
                   out = precise ? planes : wadi_map_seq(single, planes);
    wadi_stream_out(out, "fits");
    if (with_picture) wadi_stream_out(out, "png");
}

/* ---- life ---- */

struct grid_writer {
    bool precise;
    wadi_exe *exe[2]; /* without and with a picture; NULL: not wanted so far */
};

/* An image is one element: all workers share it. */
static const wadi_run_options run_options = {.schedule = WADI_SCHEDULE_FORCE_FLAT};

static wadi_status compile(grid_writer *w, bool with_picture, wadi_error *err) {
    if (w->exe[with_picture] != NULL) return WADI_OK;
    wadi_program *program = wadi_program_create("image");
    if (program == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    build(w->precise, with_picture);
    return grid_compile(program, &w->exe[with_picture], err);
}

wadi_status grid_writer_create(bool precise, bool with_picture, grid_writer **out,
                               wadi_error *err) {
    grid_writer *w = calloc(1, sizeof *w);
    if (w == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    w->precise = precise;
    const wadi_status status = compile(w, with_picture, err);
    if (status != WADI_OK) {
        grid_writer_destroy(w);
        return status;
    }
    wadi_exe_warm(w->exe[with_picture], &run_options);
    *out = w;
    return WADI_OK;
}

void grid_writer_destroy(grid_writer *w) {
    if (w == NULL) return;
    for (int i = 0; i < 2; i++) wadi_exe_destroy(w->exe[i]);
    free(w);
}

/* ---- writing ---- */

static wadi_status go(const wadi_exe *exe, wadi_source *planes, wadi_sink *fits, wadi_sink *png,
                      wadi_error *err) {
    wadi_run *run = NULL;
    wadi_status status = wadi_run_create(exe, &run_options, &run, err);
    if (status == WADI_OK) status = wadi_run_source(run, "planes", planes, err);
    if (status == WADI_OK) status = wadi_run_sink(run, "fits", fits, err);
    if (status == WADI_OK && png != NULL) status = wadi_run_sink(run, "png", png, err);
    if (status == WADI_OK) status = wadi_run_go(run, err);
    wadi_run_destroy(run);
    return status;
}

/* It is an error if the file cannot hold a pixel, because the whole image is wrong then. */
static wadi_status check_pixels(bool precise, const double *image, int64_t n, wadi_error *err) {
    const double most = precise ? DBL_MAX : (double)FLT_MAX;
    int64_t bad = 0, large = 0;
    for (int64_t i = 0; i < n; i++) {
        bad += !isfinite(image[i]);
        large += isfinite(image[i]) && fabs(image[i]) > most;
    }
    if (bad > 0)
        return wadi_fail(err, WADI_INVALID, "%lld of the image's %lld pixels are not finite",
                         (long long)bad, (long long)n);
    if (large > 0)
        return wadi_fail(
            err, WADI_INVALID,
            "%lld of the image's %lld pixels are beyond what 32 bits hold: an --epsilon below "
            "1e-6 makes an image of 64",
            (long long)large, (long long)n);
    return WADI_OK;
}

wadi_status grid_write_image(grid_writer *w, const double *image, int64_t size, const char *fits,
                             const char *png, const wadi_image_info *info, bool sync,
                             wadi_error *err) {
    const wadi_array plane = {.rank = 3,
                              .fields = 1,
                              .type = {WADI_F64},
                              .shape = {1, size, size},
                              .column = {(void *)(uintptr_t)image}};
    wadi_sink *fits_sink = NULL, *png_sink = NULL;
    wadi_source *planes = NULL;
    wadi_png_options picture = {0};
    WADI_TRY(check_pixels(w->precise, image, size * size, err));
    if (png != NULL) WADI_TRY(choose_shades(image, size, &picture, err));
    wadi_status status = compile(w, png != NULL, err);
    if (status == WADI_OK) status = wadi_sink_fits(fits, info, &fits_sink, err);
    if (status == WADI_OK && png != NULL) status = wadi_sink_png(png, &picture, &png_sink, err);
    if (sync) wadi_sink_sync(fits_sink);
    if (sync) wadi_sink_sync(png_sink);
    if (status == WADI_OK) status = wadi_source_memory(&plane, &planes, err);
    if (status == WADI_OK) status = go(w->exe[png != NULL], planes, fits_sink, png_sink, err);
    wadi_source_destroy(planes);
    wadi_sink_destroy(fits_sink);
    wadi_sink_destroy(png_sink);
    return status;
}
