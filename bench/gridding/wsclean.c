/* wadi-grid against wsclean: whole programs, from the Measurement Set to the FITS image, with as many threads, pixels of the same size,
 * Stokes I, natural weights and the same accuracy. wsclean grids with ducc's w-gridding, which is its fastest exact way.
 *
 * The set is made here, by python3-casacore, in memory where there is a file system for that. wsclean gets the options that make it
 * fastest at that accuracy: rows are sorted into files of its own first (-reorder), one image is written instead of two (-no-dirty),
 * and the image is made in the size asked for (-no-small-inversion, -padding 1: otherwise it is resampled from another one, which takes
 * longer and costs accuracy).
 * Both images are compared with the sum itself at pixels drawn by lot, from the middle three quarters of the field and from all of it.
 * wadi-grid's error must not exceed the accuracy; wsclean's must not look like another image. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "bench/gridding/fits_pixels.h"
#include "bench/gridding/gridding.h"
#include "bench/gridding/observation.h"
#include "bench/gridding/spawn.h"
#include "bench/streams/child.h"

enum { PLACES = 100 };

static const double epsilon = 1e-4, another = 0.02, asec_a_radian = 206264.80624709636;

typedef struct scene {
    const bench *b;
    const bench_observation *seen;
    int64_t size;
    double scale; /* radians */
    char folder[48];
} scene;

typedef struct path_of {
    char text[80];
} path_of;

static path_of file_in(const scene *s, const char *name) {
    path_of p;
    (void)snprintf(p.text, sizeof p.text, "%s/%s", s->folder, name);
    return p;
}

/* ---- the programs ---- */

static wadi_status run_wadi(void *env, double *out_seconds, wadi_error *err) {
    const scene *s = env;
    const path_of set = file_in(s, "set.ms"), image = file_in(s, "wadi.fits"),
                  log = file_in(s, "wadi.log");
    char size[32], scale[32], accuracy[32], threads[32];
    (void)snprintf(size, sizeof size, "%lld", (long long)s->size);
    (void)snprintf(scale, sizeof scale, "%.17grad", s->scale);
    (void)snprintf(accuracy, sizeof accuracy, "%g", epsilon);
    (void)snprintf(threads, sizeof threads, "%d", s->b->threads);
    const char *const argv[] = {
        WADI_BENCH_PROGRAM, "-m",  "wstack", "-e", accuracy,    "-s",    size,
        "--scale",          scale, "-p",     "I",  "--threads", threads, "-o",
        image.text,         "-q",  set.text, NULL};
    WADI_UNUSED(out_seconds);
    return bench_spawn(argv, log.text, err);
}

static wadi_status run_wsclean(void *env, double *out_seconds, wadi_error *err) {
    const scene *s = env;
    const path_of set = file_in(s, "set.ms"), image = file_in(s, "ws"), log = file_in(s, "ws.log");
    char size[32], scale[32], accuracy[32], threads[32];
    (void)snprintf(size, sizeof size, "%lld", (long long)s->size);
    (void)snprintf(scale, sizeof scale, "%.17gasec", s->scale * asec_a_radian);
    (void)snprintf(accuracy, sizeof accuracy, "%g", epsilon);
    (void)snprintf(threads, sizeof threads, "%d", s->b->threads);
    const char *const argv[] = {"wsclean",
                                "-use-wgridder",
                                "-reorder",
                                "-no-dirty",
                                "-no-update-model-required",
                                "-no-small-inversion",
                                "-padding",
                                "1",
                                "-wgridder-accuracy",
                                accuracy,
                                "-j",
                                threads,
                                "-size",
                                size,
                                size,
                                "-scale",
                                scale,
                                "-weight",
                                "natural",
                                "-pol",
                                "I",
                                "-niter",
                                "0",
                                "-name",
                                image.text,
                                set.text,
                                NULL};
    WADI_UNUSED(out_seconds);
    return bench_spawn(argv, log.text, err);
}

/* What wsclean says of the time in its gridder. */
static void say_inversion(const scene *s, const char *name) {
    char line[256];
    FILE *f = fopen(file_in(s, "ws.log").text, "r");
    while (f && fgets(line, sizeof line, f)) {
        if (strncmp(line, "Inversion:", 10) == 0)
            bench_say(s->b, "wsclean: %s: %.*s of that in wsclean's log", name,
                      (int)strcspn(line, ",\n"), line);
    }
    if (f) (void)fclose(f);
}

/* ---- the set ---- */

static wadi_status write_rows(const scene *s, wadi_error *err) {
    const path_of path = file_in(s, "rows");
    const size_t rows = (size_t)s->seen->rows, cells = rows * (size_t)s->seen->channels;
    FILE *f = fopen(path.text, "wb");
    bool fine = f && fwrite(s->seen->uvw, 3 * sizeof(double), rows, f) == rows &&
                fwrite(s->seen->vis, 2 * sizeof(float), cells, f) == cells;
    if (f) fine = fclose(f) == 0 && fine;
    return fine ? WADI_OK : wadi_fail(err, WADI_IO, "%s: cannot be written", path.text);
}

static wadi_status make_set_with(const char *python, const scene *s, wadi_error *err) {
    const bench_observation *o = s->seen;
    char rows[32], channels[32], antennas[32], hz[32], step[32];
    (void)snprintf(rows, sizeof rows, "%lld", (long long)o->rows);
    (void)snprintf(channels, sizeof channels, "%lld", (long long)o->channels);
    (void)snprintf(antennas, sizeof antennas, "%d", o->antennas);
    (void)snprintf(hz, sizeof hz, "%.17g", o->hz);
    (void)snprintf(step, sizeof step, "%.17g", o->step);
    const char *const argv[] = {
        python, WADI_BENCH_GRIDDING "/make_ms.py", s->folder, rows, channels, antennas, hz, step,
        NULL};
    bench_child *child = NULL;
    WADI_TRY(bench_child_open(argv, &child, err));
    bench_child_close(child);
    return WADI_OK;
}

/* Debian's package is for Debian's Python, which need not be the one that has the other peers. */
static wadi_status make_set(const scene *s, wadi_error *err) {
    WADI_TRY(write_rows(s, err));
    const wadi_status st = make_set_with(s->b->python, s, err);
    return st == WADI_UNSUPPORTED ? make_set_with("/usr/bin/python3", s, err) : st;
}

static wadi_status open_folder(scene *s, wadi_error *err) {
    (void)snprintf(s->folder, sizeof s->folder, "%s/bench_gridding.XXXXXX",
                   access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (mkdtemp(s->folder)) return WADI_OK;
    return wadi_fail(err, WADI_IO, "%s: cannot be made", s->folder);
}

static void remove_folder(const scene *s) {
    const char *const argv[] = {"rm", "-rf", "--", s->folder, NULL};
    if (bench_spawn(argv, "/dev/null", NULL) != WADI_OK) bench_say(s->b, "%s stays", s->folder);
}

/* ---- the images ---- */

/* Columns of an image go west: l is positive left of the middle. */
static void draw(const scene *s, bool middle, uint64_t *state, int64_t pixel[PLACES],
                 bench_place place[PLACES]) {
    const double reach = (middle ? 0.375 : 0.5) * (double)s->size;
    for (int k = 0; k < PLACES; k++) {
        const int64_t half = s->size / 2, x = (int64_t)floor(reach * bench_uniform(state)),
                      y = (int64_t)floor(reach * bench_uniform(state));
        pixel[k] = (half + y) * s->size + half + x;
        place[k] = (bench_place){.l = -(double)x * s->scale, .m = (double)y * s->scale};
    }
}

static double error_of(const float *image, const int64_t pixel[PLACES],
                       const bench_place place[PLACES]) {
    double difference = 0, size = 0;
    for (int k = 0; k < PLACES; k++) {
        const double d = (double)image[pixel[k]] - place[k].value;
        difference += d * d;
        size += place[k].value * place[k].value;
    }
    return sqrt(difference / size);
}

static wadi_status compare_in(const scene *s, const char *name, bool middle, uint64_t *state,
                              const float *ours, const float *theirs, wadi_error *err) {
    int64_t pixel[PLACES];
    bench_place place[PLACES];
    const char *where = middle ? "in the middle three quarters" : "anywhere";
    char other[64] = "";
    draw(s, middle, state, pixel, place);
    bench_observation_sum(s->seen, PLACES, place);
    const double error = error_of(ours, pixel, place),
                 error2 = theirs ? error_of(theirs, pixel, place) : 0;
    if (theirs) (void)snprintf(other, sizeof other, ", wsclean %.2g", error2);
    bench_say(s->b, "wsclean: %s: relative error at %d pixels %s: wadi-grid %.2g%s", name, PLACES,
              where, error, other);
    if (error > epsilon)
        return wadi_fail(err, WADI_INTERNAL, "%s: wadi-grid's image is %g off %s, asked for %g",
                         name, error, where, epsilon);
    if (error2 > another)
        return wadi_fail(err, WADI_INTERNAL, "%s: wsclean's image is another one, %g off %s", name,
                         error2, where);
    return WADI_OK;
}

static wadi_status compare_images(const scene *s, const char *name, float *ours, float *theirs,
                                  wadi_error *err) {
    const path_of mine = file_in(s, "wadi.fits"), other = file_in(s, "ws-image.fits");
    uint64_t state = 2;
    const bool both = wadi_file_exists(other.text);
    if (!ours || !theirs) return wadi_fail(err, WADI_MEMORY, "out of memory");
    WADI_TRY(bench_fits_pixels(mine.text, s->size, ours, err));
    if (both) WADI_TRY(bench_fits_pixels(other.text, s->size, theirs, err));
    for (int i = 0; i < 2; i++)
        WADI_TRY(compare_in(s, name, i == 0, &state, ours, both ? theirs : NULL, err));
    return WADI_OK;
}

static wadi_status compare(const scene *s, const char *name, wadi_error *err) {
    const size_t n = (size_t)(s->size * s->size);
    float *ours = malloc(n * sizeof *ours), *theirs = malloc(n * sizeof *theirs);
    const wadi_status st = compare_images(s, name, ours, theirs, err);
    free(ours);
    free(theirs);
    return st;
}

/* ---- cases ---- */

static wadi_status measure(bench *b, const char *name, scene *s, wadi_error *err) {
    wadi_error missing = {0};
    const wadi_status made = make_set(s, &missing);
    if (made == WADI_UNSUPPORTED) {
        bench_say(b, "wsclean: %s skipped, no Measurement Set: %s", name, missing.msg);
        return WADI_OK;
    }
    if (made != WADI_OK) {
        if (err) *err = missing;
        return made;
    }
    const bench_side sides[] = {{"wadi", run_wadi, s}, {"wsclean", run_wsclean, s}};
    WADI_TRY(bench_compare(b, "wsclean", name, 2, sides, NULL, err));
    say_inversion(s, name);
    return compare(s, name, err);
}

static wadi_status one_set(bench *b, const char *name, const bench_observation *seen, int64_t size,
                           double field, wadi_error *err) {
    scene s = {.b = b, .seen = seen, .size = size, .scale = field / (double)size};
    WADI_TRY(open_folder(&s, err));
    const wadi_status st = measure(b, name, &s, err);
    remove_folder(&s);
    return st;
}

static wadi_status golden(bench *b, wadi_error *err) {
    static const char name[] = "vla 1600^2";
    bench_observation o;
    wadi_error missing = {0};
    if (!bench_wants(b, name)) return WADI_OK;
    const wadi_status there = bench_observation_golden(b->data, &o, &missing);
    if (there == WADI_UNSUPPORTED) {
        bench_say(b, "wsclean: %s", missing.msg);
        return WADI_OK;
    }
    if (there != WADI_OK) {
        if (err) *err = missing;
        return there;
    }
    const wadi_status st = one_set(b, name, &o, 1600, 0.08, err);
    bench_observation_free(&o);
    return st;
}

static wadi_status simulated(bench *b, wadi_error *err) {
    const char *name = b->quick ? "2 k simulated 128^2" : "2 M simulated 2048^2";
    const int64_t size = b->quick ? 128 : 2048;
    const double field = 0.05;
    bench_observation o;
    if (!bench_wants(b, name)) return WADI_OK;
    WADI_TRY(bench_observation_make(b->quick ? 2 : 114, b->quick ? 3 : 50, size, field, &o, err));
    const wadi_status st = one_set(b, name, &o, size, field, err);
    bench_observation_free(&o);
    return st;
}

static bool can_do_both(void) {
#if defined(WADI_HAVE_CASACORE) && defined(WADI_HAVE_CFITSIO)
    return true;
#else
    return false;
#endif
}

wadi_status bench_wsclean(bench *b, wadi_error *err) {
    if (!can_do_both()) {
        bench_say(b, "wsclean: skipped, wadi was built without casacore or CFITSIO");
        return WADI_OK;
    }
    (void)setenv("OPENBLAS_NUM_THREADS", "1", 0); /* wsclean asks for it */
    if (!b->quick) WADI_TRY(golden(b, err));
    return simulated(b, err);
}
