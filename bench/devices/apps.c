/* The three applications on each device, beside cpu: whole commands, from their start to the end, so everything counts; then what devices take for
 * the kernels alone ("NAME, kernels"). Their inputs are made here: chords with noise, words, and visibilities of some sources. Sound and words give the same bytes on every device. Of an
 * image the difference is printed: where a device has another Fourier transform or other elementary functions, it may round otherwise
 * (docs/DEVICES.md). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "bench/devices/app_inputs.h"
#include "bench/devices/beside.h"
#include "bench/devices/devices.h"
#include "bench/gridding/fits_pixels.h"
#include "bench/streams/times.h"

enum { SIDE = 1024, ARGUMENTS = 16 };

/* Relative to the greatest pixel: ten times the accuracy asked of wadi-grid. */
#define MOST_DIFFERENCE 1e-3

typedef struct app {
    const char *name, *program;
    wadi_status (*make)(const char *path, bool quick, wadi_error *err); /* its input */
    const char *arguments[ARGUMENTS]; /* IN and OUT stand for files */
    wadi_status (*same)(bench *b, const char *device, const char *ours, const char *cpu,
                        wadi_error *err);
} app;

typedef struct side {
    const app *a;
    const char *device;
    char in[300], out[300], threads[16];
    bench_times times; /* of the latest run that was clocked */
} side;

static wadi_status run(void *env, double *out_seconds, wadi_error *err) {
    side *s = env;
    char *argv[ARGUMENTS + 6];
    char said[2048];
    int n = 0, code = 0;
    WADI_UNUSED(out_seconds);
    (void)remove(s->out);
    argv[n++] = (char *)(uintptr_t)s->a->program;
    for (int i = 0; s->a->arguments[i] != NULL; i++) {
        const char *word = s->a->arguments[i];
        argv[n++] = strcmp(word, "IN") == 0    ? s->in
                    : strcmp(word, "OUT") == 0 ? s->out
                                               : (char *)(uintptr_t)word;
    }
    argv[n++] = (char *)(uintptr_t) "--threads";
    argv[n++] = s->threads;
    argv[n++] = (char *)(uintptr_t) "--device";
    argv[n++] = (char *)(uintptr_t)s->device;
    argv[n] = NULL;
    const wadi_child child = {.argv = argv};
    if (wadi_child_run(&child, said, sizeof said, &code) == WADI_CHILD_EXITED && code == 0)
        return WADI_OK;
    return wadi_fail(err, WADI_IO, "%s on %s: %s", s->a->name, s->device, said);
}

static wadi_status run_clocked(void *env, double *out_seconds, wadi_error *err) {
    side *s = env;
    const bench_side whole = {s->a->name, run, s};
    WADI_TRY(bench_times_of(&whole, s->device, &s->times, err));
    *out_seconds = s->times.seconds;
    return WADI_OK;
}

/* ---- results ---- */

static wadi_status same_bytes(bench *b, const char *device, const char *ours, const char *cpu,
                              wadi_error *err) {
    char *x = NULL, *y = NULL;
    size_t n = 0, m = 0;
    WADI_UNUSED(b);
    wadi_status status = wadi_file_read(ours, &x, &n, err);
    if (status == WADI_OK) status = wadi_file_read(cpu, &y, &m, err);
    if (status == WADI_OK && (n != m || n == 0 || memcmp(x, y, n) != 0))
        status = wadi_fail(err, WADI_INTERNAL, "%s and cpu write different files", device);
    free(x);
    free(y);
    return status;
}

static wadi_status difference(const char *ours, const char *cpu, float *x, float *y, double *out,
                              wadi_error *err) {
    double most = 0, differs = 0;
    if (x == NULL || y == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    WADI_TRY(bench_fits_pixels(ours, SIDE, x, err));
    WADI_TRY(bench_fits_pixels(cpu, SIDE, y, err));
    for (int64_t i = 0; i < SIDE * SIDE; i++) {
        most = fmax(most, fabs((double)y[i]));
        differs = fmax(differs, fabs((double)x[i] - (double)y[i]));
    }
    *out = differs / most;
    return WADI_OK;
}

static wadi_status nearly(bench *b, const char *device, const char *ours, const char *cpu,
                          wadi_error *err) {
    float *x = malloc(sizeof(float) * SIDE * SIDE), *y = malloc(sizeof(float) * SIDE * SIDE);
    double relative = 0;
    wadi_status status = difference(ours, cpu, x, y, &relative, err);
    free(x);
    free(y);
    WADI_TRY(status);
    bench_say(b, "wadi-grid: %s and cpu differ by %.2g of the greatest pixel", device, relative);
    if (relative <= MOST_DIFFERENCE) return WADI_OK;
    return wadi_fail(err, WADI_INTERNAL, "wadi-grid: %s differs too much", device);
}

/* ---- all together ---- */

static const app apps[] = {
    {"wadi-flac", WADI_BENCH_FLAC, bench_make_sound, {"-s", "-5", "IN", "-o", "OUT"}, same_bytes},
    {"wadi-md5",
     WADI_BENCH_MD5,
     bench_make_words,
     {"-q", "--hashes", BENCH_LAST_WORD, "-o", "OUT", "IN"},
     same_bytes},
    {"wadi-grid",
     WADI_BENCH_GRID,
     bench_make_visibilities,
     {"-q", "--size", "1024", "--fov", "0.05rad", "-o", "OUT", "IN"},
     nearly},
};

static wadi_status compare(bench *b, const app *a, const wadi_device_choices *list, side *s,
                           wadi_error *err) {
    bench_side sides[BENCH_MAX_SIDES];
    char kernels[48];
    const int n = list->n < BENCH_MAX_SIDES ? list->n : BENCH_MAX_SIDES;
    (void)snprintf(kernels, sizeof kernels, "%s, kernels", a->name);
    for (int i = 0; i < n; i++) sides[i] = (bench_side){list->at[i].name, run, &s[i]};
    WADI_TRY(a->make(s[0].in, b->quick, err));
    WADI_TRY(bench_compare(b, "apps", a->name, n, sides, NULL, err));
    for (int i = 1; i < n; i++) WADI_TRY(a->same(b, s[i].device, s[i].out, s[0].out, err));
    for (int i = 0; i < n; i++) sides[i].run = run_clocked;
    WADI_TRY(bench_compare(b, "apps", kernels, n, sides, NULL, err));
    for (int i = 0; i < n; i++) bench_times_say(b, a->name, s[i].device, &s[i].times);
    return WADI_OK;
}

static wadi_status one_app(bench *b, const app *a, const wadi_device_choices *list,
                           const char *folder, wadi_error *err) {
    side s[BENCH_MAX_SIDES];
    for (int i = 0; i < BENCH_MAX_SIDES; i++) {
        s[i] = (side){.a = a, .device = i < list->n ? list->at[i].name : NULL};
        (void)snprintf(s[i].threads, sizeof s[i].threads, "%d", b->threads);
        (void)snprintf(s[i].in, sizeof s[i].in, "%s/in", folder);
        (void)snprintf(s[i].out, sizeof s[i].out, "%s/out%d", folder, i);
    }
    const wadi_status status = compare(b, a, list, s, err);
    for (int i = 0; i < BENCH_MAX_SIDES; i++) (void)remove(s[i].out);
    (void)remove(s[0].in);
    return status;
}

wadi_status bench_apps(bench *b, wadi_error *err) {
    char folder[] = "/tmp/bench-apps-XXXXXX";
    wadi_device_choices list;
    WADI_TRY(bench_beside_cpu(&list, err));
    if (mkdtemp(folder) == NULL) return wadi_fail(err, WADI_IO, "apps: no temporary folder");
    for (size_t i = 0; i < sizeof apps / sizeof apps[0]; i++)
        if (bench_wants(b, apps[i].name)) {
            wadi_error why = {0};
            bench_case(b, apps[i].name, one_app(b, &apps[i], &list, folder, &why), &why);
        }
    (void)rmdir(folder);
    return WADI_OK;
}
