/* What it costs to have the parts of an observation gridded by workers elsewhere, who are processes of this machine with a thread each, against
 * all threads here: visibilities and image are in memory on both sides, and the images must have the same bits. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/gridding/methods.h"
#include "base/error.h"
#include "bench/gridding/gridding.h"
#include "bench/streams/folder.h"

enum { PARTS = 8, WORKERS = 2 };

typedef struct observation {
    grid_job job;
    const grid_batch *all;
    double *image;
} observation;

static grid_batch part_of(const grid_batch *b, int i) {
    const int64_t from = b->n * i / PARTS;
    return (grid_batch){.n = b->n * (i + 1) / PARTS - from,
                        .u = b->u + from,
                        .v = b->v + from,
                        .w = b->w + from,
                        .vis = b->vis + 2 * from,
                        .weight = b->weight + from};
}

static wadi_status run(void *env, double *out_seconds, wadi_error *err) {
    const observation *o = env;
    grid_gridder *g = NULL;
    WADI_UNUSED(out_seconds);
    WADI_TRY(grid_wstack.open(&o->job, &g, err));
    wadi_status st = WADI_OK;
    for (int i = 0; i < PARTS && st == WADI_OK; i++) {
        const grid_batch part = part_of(o->all, i);
        st = grid_wstack.add(g, &part, err);
    }
    if (st == WADI_OK) st = grid_wstack.image(g, o->image, err);
    grid_wstack.close(g);
    return st;
}

/* ---- workers ---- */

static wadi_status start(const char *address, pid_t *out, wadi_error *err) {
    *out = fork();
    if (*out == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)execl(WADI_BENCH_WORKER, "wadi", "work", address, "--threads", "1", "--stay",
                    (char *)NULL);
        _exit(127);
    }
    return *out > 0 ? WADI_OK : wadi_fail(err, WADI_IO, "no process is left");
}

static void end(pid_t pid) {
    if (pid <= 0) return;
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
}

/* ---- cases ---- */

static wadi_status compare(bench *b, const char *address, int workers, observation *here,
                           wadi_error *err) {
    const size_t bytes = (size_t)(here->job.size * here->job.size) * sizeof(double);
    char name[64], count[16];
    observation there = *here;
    const wadi_via_asked via = {.address = address, .workers = count};
    (void)snprintf(count, sizeof count, "%d", workers);
    (void)snprintf(name, sizeof name, "%d parts, %d workers", (int)PARTS, workers);
    if (!bench_wants(b, name)) return WADI_OK;
    there.job.via = &via;
    there.image = malloc(bytes);
    if (there.image == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    const bench_side sides[] = {{"wadi", run, &there}, {"wadi here", run, here}};
    wadi_status st = bench_compare(b, "via", name, 2, sides, NULL, err);
    if (st == WADI_OK && memcmp(there.image, here->image, bytes) != 0)
        st = wadi_fail(err, WADI_INTERNAL, "%s: the image has other bits", name);
    free(there.image);
    return st;
}

static wadi_status all_cases(bench *b, observation *here, wadi_error *err) {
    bench_folder folder;
    char path[BENCH_PATH], address[BENCH_PATH + 8];
    pid_t worker[WORKERS] = {0};
    WADI_TRY(bench_folder_make("bench_gridding", &folder, err));
    bench_folder_path(&folder, "job", path);
    (void)snprintf(address, sizeof address, "ipc://%s", path);
    wadi_status st = WADI_OK;
    for (int i = 0; i < WORKERS && st == WADI_OK; i++) {
        st = start(address, &worker[i], err);
        if (st == WADI_OK) st = compare(b, address, i + 1, here, err);
    }
    for (int i = 0; i < WORKERS; i++) end(worker[i]);
    bench_folder_remove(&folder);
    return st;
}

wadi_status bench_via(bench *b, wadi_error *err) {
    const int64_t size = b->quick ? 64 : 1024;
    const double field = 0.1, most_uv = 0.45 * (double)size / field;
    bench_visibilities v;
    WADI_TRY(bench_visibilities_make(b->quick ? 4000 : 4000000, &v, err));
    bench_visibilities_random(&v, most_uv, 2000);
    observation here = {.job = {.size = size,
                                .scale = field / (double)size,
                                .epsilon = 1e-4,
                                .most_w = 2000,
                                .run = {.threads = b->threads}},
                        .all = &v.batch,
                        .image = malloc((size_t)(size * size) * sizeof *here.image)};
    wadi_status st = here.image != NULL ? WADI_OK : wadi_fail(err, WADI_MEMORY, "out of memory");
    if (st == WADI_OK) st = all_cases(b, &here, err);
    free(here.image);
    bench_visibilities_free(&v);
    return st;
}
