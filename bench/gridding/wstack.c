/* w-stacking against ducc0's wgridder at the same accuracy, on the same visibilities in memory, the same number of threads.
 *
 * Of wadi all of it is timed: planning, tables, gridding, the image (kernels were compiled in the untimed round); of ducc0 the call of
 * vis2dirty, with single precision visibilities where they are enough, as it likes them. Images must agree as well as both
 * were asked for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/gridding/methods.h"
#include "base/error.h"
#include "bench/gridding/gridding.h"
#include "bench/streams/child.h"
#include "bench/streams/folder.h"

typedef struct image_of {
    grid_job job;
    const grid_batch *batch;
    double *image;
} image_of;

static wadi_status run_wadi(void *env, double *out_seconds, wadi_error *err) {
    image_of *w = env;
    grid_gridder *g = NULL;
    WADI_UNUSED(out_seconds);
    WADI_TRY(grid_wstack.open(&w->job, &g, err));
    wadi_status st = grid_wstack.add(g, w->batch, err);
    if (st == WADI_OK) st = grid_wstack.image(g, w->image, err);
    grid_wstack.close(g);
    return st;
}

/* ---- ducc0 ---- */

typedef struct peer {
    bench_folder folder;
    bench_child *child;
} peer;

static wadi_status write_columns(const peer *p, const grid_batch *b, wadi_error *err) {
    char path[BENCH_PATH];
    bench_folder_path(&p->folder, "visibilities", path);
    FILE *f = fopen(path, "wb");
    const size_t n = (size_t)b->n;
    bool fine = f != NULL;
    const double *column[] = {b->u, b->v, b->w};
    for (int i = 0; i < 3 && fine; i++) fine = fwrite(column[i], sizeof(double), n, f) == n;
    fine = fine && fwrite(b->vis, 2 * sizeof(double), n, f) == n;
    if (f) fine = fclose(f) == 0 && fine;
    return fine ? WADI_OK : wadi_fail(err, WADI_IO, "%s: cannot be written", path);
}

static wadi_status open_peer(const bench *b, const image_of *w, peer *p, wadi_error *err) {
    char size[32], scale[32], epsilon[32], threads[32];
    (void)snprintf(size, sizeof size, "%lld", (long long)w->job.size);
    (void)snprintf(scale, sizeof scale, "%.17g", w->job.scale);
    (void)snprintf(epsilon, sizeof epsilon, "%g", w->job.epsilon);
    (void)snprintf(threads, sizeof threads, "%d", b->threads);
    WADI_TRY(bench_folder_make("bench_gridding", &p->folder, err));
    WADI_TRY(write_columns(p, w->batch, err));
    const char *const argv[] = {
        b->python, WADI_BENCH_GRIDDING "/peers.py", p->folder.path, size, scale, epsilon, threads,
        NULL};
    return bench_child_open(argv, &p->child, err);
}

static void close_peer(peer *p) {
    bench_child_close(p->child);
    bench_folder_remove(&p->folder);
}

/* Root of the mean square difference over that of ducc0's image. */
static wadi_status compare(const peer *p, const image_of *w, wadi_error *err) {
    const size_t n = (size_t)(w->job.size * w->job.size);
    double *other = malloc(n * sizeof *other), difference = 0, all = 0;
    if (!other) return wadi_fail(err, WADI_MEMORY, "out of memory");
    const wadi_status status =
        bench_folder_get(&p->folder, "result", other, n * sizeof *other, err);
    for (size_t i = 0; status == WADI_OK && i < n; i++) {
        difference += (w->image[i] - other[i]) * (w->image[i] - other[i]);
        all += other[i] * other[i];
    }
    free(other);
    if (status != WADI_OK) return status;
    if (sqrt(difference / all) <= 2 * w->job.epsilon) return WADI_OK;
    return wadi_fail(err, WADI_INTERNAL, "wstack and ducc0 differ by %g at epsilon %g",
                     sqrt(difference / all), w->job.epsilon);
}

/* ---- cases ---- */

static wadi_status one_accuracy(bench *b, const char *set, image_of *w, wadi_error *err) {
    char name[64];
    peer p = {.child = NULL};
    (void)snprintf(name, sizeof name, "%s %lld^2 %.0e", set, (long long)w->job.size,
                   w->job.epsilon);
    if (!bench_wants(b, name)) return WADI_OK;
    wadi_error missing = {0};
    const wadi_status there = open_peer(b, w, &p, &missing);
    if (there == WADI_UNSUPPORTED) bench_say(b, "wstack: ducc0 skipped, %s", missing.msg);
    wadi_status st = there == WADI_OK || there == WADI_UNSUPPORTED ? WADI_OK : there;
    if (st != WADI_OK && err) *err = missing;
    const bench_side sides[] = {{"wadi", run_wadi, w},
                                {"ducc0", there == WADI_OK ? bench_child_run : NULL, p.child}};
    if (st == WADI_OK) st = bench_compare(b, "wstack", name, 2, sides, NULL, err);
    if (st == WADI_OK && there == WADI_OK) st = compare(&p, w, err);
    close_peer(&p);
    return st;
}

static wadi_status all_accuracies(bench *b, const char *set, int n, const double *epsilon,
                                  image_of *w, wadi_error *err) {
    w->image = malloc((size_t)(w->job.size * w->job.size) * sizeof *w->image);
    if (!w->image) return wadi_fail(err, WADI_MEMORY, "out of memory");
    wadi_status st = WADI_OK;
    for (int i = 0; i < n && st == WADI_OK; i++) {
        w->job.epsilon = epsilon[i];
        st = one_accuracy(b, set, w, err);
    }
    free(w->image);
    return st;
}

static image_of image_over(const bench *b, int64_t size, double field, const grid_batch *batch) {
    return (image_of){
        .job = {.size = size, .scale = field / (double)size, .run = {.threads = b->threads}},
        .batch = batch};
}

static wadi_status golden(bench *b, wadi_error *err) {
    static const double epsilon[] = {1e-3, 1e-4, 1e-7, 1e-12};
    bench_visibilities v = {.column = NULL};
    wadi_error missing = {0};
    const wadi_status there = bench_visibilities_golden(b->data, &v, &missing);
    if (there == WADI_UNSUPPORTED) {
        bench_say(b, "wstack: %s", missing.msg);
        return WADI_OK;
    }
    if (there != WADI_OK) {
        if (err) *err = missing;
        return there;
    }
    image_of w = image_over(b, 1600, 0.08, &v.batch);
    const wadi_status st = all_accuracies(b, "vla", b->quick ? 1 : 4, epsilon, &w, err);
    bench_visibilities_free(&v);
    return st;
}

static wadi_status random_set(bench *b, wadi_error *err) {
    static const double epsilon[] = {1e-4};
    const double field = 0.05;
    const int64_t size = b->quick ? 128 : 2048, n = b->quick ? 1000 : 2000000;
    bench_visibilities v = {.column = NULL};
    WADI_TRY(bench_visibilities_make(n, &v, err));
    bench_visibilities_random(&v, 0.45 * (double)size / field, 0.045 * (double)size / field);
    image_of w = image_over(b, size, field, &v.batch);
    const wadi_status st =
        all_accuracies(b, b->quick ? "1000 random" : "2 M random", 1, epsilon, &w, err);
    bench_visibilities_free(&v);
    return st;
}

wadi_status bench_wstack(bench *b, wadi_error *err) {
    WADI_TRY(golden(b, err));
    return random_set(b, err);
}
