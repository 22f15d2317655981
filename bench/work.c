/* What workers elsewhere bring and cost (wadi_run_options.via): runs that compute here, in one thread, against runs with 1, 2 and 4 workers of
 * one thread each, over a socket of this machine. Prints a table.
 *
 *     bench_work [MEGABYTES [TIMES]]
 *
 * Sources and sinks are in memory. Columns: megabytes a second of the run here; then the ratio to it with so many workers: medians over TIMES
 * runs of each, in turns. Workers and home share the processors of the machine, so ratios end where these do. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "bench/streams/report.h"
#include "wadi/wadi.h"

enum { WORDS = 16, RECORD = 4 * WORDS, MOST_TIMES = 99, KINDS = 4 };

static const char address[] = "ipc://bench_work.sock";
static const int workers_of[KINDS] = {0, 1, 2, 4};
static const int64_t chunk_bytes[] = {64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20};

typedef struct job {
    const char *name, *text;
} job;

/* hash: much is computed for each byte; sums: nothing comes back; copy: as much comes back as goes, and next to nothing is computed. */
static const job jobs[] = {
    {"hash",
     "program hash\nstream_in s : seq(u32[16])\n"
     "t = map_seq s (x) {\n"
     "    h = fold 1u32 x (a, b) { xor (mul a 16777619u32) b }\n"
     "    y = unit { iterate 64 (k, a) { add (mul a 1664525u32) (xor a 1013904223u32) } from (the "
     "h) }\n"
     "    yield y\n}\nr = fold_seq t 0u32 (n, y) {\n    m = unit { xor (the n) (the y) }\n    "
     "yield "
     "m\n}\noutput r\n"},
    {"sums", "program sums\nstream_in s : seq(u32[16])\n"
             "t = map_seq s (x) {\n    h = fold 1u32 x (a, b) { xor (mul a 16777619u32) b }\n    "
             "yield h\n}\n"
             "r = fold_seq t 0u32 (n, y) {\n    m = unit { xor (the n) (the y) }\n    yield "
             "m\n}\noutput r\n"},
    {"copy",
     "program copy\nstream_in s : seq(u32[16])\n"
     "t = map_seq s (x) {\n    y = map x (v) { mul (add v 1u32) v }\n    yield y\n}\n"
     "r = fold_seq t 0u32 (n, y) {\n    m = unit { xor (the n) (y ! 3) }\n    yield m\n}\noutput "
     "r\n"}};

/* In a process of its own, which ends with the job. */
static void be_worker(void) {
    const wadi_worker_options o = {.threads = 1, .wait_s = 60};
    wadi_worker *w = NULL;
    wadi_error err = {.status = WADI_OK};
    wadi_status status = wadi_worker_create(address, &o, &w, &err);
    if (status == WADI_OK) status = wadi_worker_go(w, &err);
    wadi_worker_destroy(w);
    if (status != WADI_OK) fprintf(stderr, "a worker: %s\n", err.msg);
    _exit(status == WADI_OK ? 0 : 1);
}

static wadi_status go(const job *j, const wadi_array *data, int workers, int64_t chunk,
                      double *out_s, wadi_error *err) {
    const wadi_run_options o = {.threads = 1,
                                .chunk = chunk,
                                .forget = true,
                                .via = workers > 0 ? address : NULL,
                                .workers = workers};
    wadi_exe *exe = NULL;
    wadi_run *run = NULL;
    wadi_source *source = NULL;
    wadi_status status = wadi_compile_text(j->text, j->name, NULL, &exe, err);
    if (status == WADI_OK) status = wadi_run_create(exe, &o, &run, err);
    if (status == WADI_OK) status = wadi_source_memory(data, &source, err);
    if (status == WADI_OK) status = wadi_run_source(run, "s", source, err);
    if (status == WADI_OK) status = wadi_run_go(run, err);
    wadi_run_stats s = {0};
    wadi_run_stats_get(run, &s);
    *out_s = s.elapsed_s;
    wadi_run_destroy(run);
    wadi_source_destroy(source);
    wadi_exe_destroy(exe);
    return status;
}

/* The time that starting takes, waiting for workers and kernels, is measured by a run of few records, and taken off. */
static wadi_status measure(const job *j, const wadi_array *data, int workers, int64_t chunk,
                           double *out_s, wadi_error *err) {
    pid_t child[4];
    for (int i = 0; i < workers; i++)
        if ((child[i] = fork()) == 0) be_worker();
    const wadi_status status = go(j, data, workers, chunk, out_s, err);
    for (int i = 0; i < workers; i++) {
        if (status != WADI_OK) (void)kill(child[i], SIGTERM);
        (void)waitpid(child[i], NULL, 0);
    }
    return status;
}

static wadi_status measure_net(const job *j, const wadi_array *data, int workers, int64_t chunk,
                               double *out_s, wadi_error *err) {
    wadi_array few = *data;
    double start_s = 0;
    few.shape[0] = few.shape[0] < 4 * workers + 4 ? few.shape[0] : 4 * workers + 4;
    WADI_TRY(measure(j, &few, workers, 1, &start_s, err));
    WADI_TRY(measure(j, data, workers, chunk, out_s, err));
    *out_s = *out_s > start_s ? *out_s - start_s : 1e-9;
    return WADI_OK;
}

static wadi_status print_row(const job *j, const wadi_array *data, int64_t bytes, int times,
                             wadi_error *err) {
    static double s[KINDS][MOST_TIMES];
    for (int i = 0; i < times; i++)
        for (int k = 0; k < KINDS; k++)
            WADI_TRY(measure_net(j, data, workers_of[k], bytes / RECORD, &s[k][i], err));
    const double here = bench_median(times, s[0]);
    printf("| %s | %lld KiB | %.0f |", j->name, (long long)bytes >> 10,
           (double)data->shape[0] * RECORD / here * 1e-6);
    for (int k = 1; k < KINDS; k++) printf(" %.2f |", here / bench_median(times, s[k]));
    printf("\n");
    fflush(stdout);
    return WADI_OK;
}

static wadi_status print_table(const wadi_array *data, int times, wadi_error *err) {
    printf("| program | chunk | MB/s here | 1 worker | 2 workers | 4 workers "
           "|\n|---|---|---|---|---|---|\n");
    for (size_t j = 0; j < sizeof jobs / sizeof *jobs; j++)
        for (size_t c = 0; c < sizeof chunk_bytes / sizeof *chunk_bytes; c++)
            WADI_TRY(print_row(&jobs[j], data, chunk_bytes[c], times, err));
    return WADI_OK;
}

int main(int argc, char **argv) {
    const long megabytes = argc > 1 ? strtol(argv[1], NULL, 10) : 256;
    const long times = argc > 2 ? strtol(argv[2], NULL, 10) : 5;
    wadi_error err = {.status = WADI_OK};
    if (megabytes < 1 || megabytes > 100000 || times < 1 || times > MOST_TIMES) {
        fprintf(stderr, "usage: bench_work [MEGABYTES [TIMES]]\n");
        return 2;
    }
    const int64_t records = (int64_t)megabytes * 1000000 / RECORD;
    uint32_t *words = malloc((size_t)records * RECORD);
    if (words == NULL) return 1;
    for (int64_t i = 0; i < records * WORDS; i++) words[i] = (uint32_t)i * 2654435761u;
    const wadi_array data = {
        .rank = 2, .fields = 1, .type = {WADI_U32}, .shape = {records, WORDS}, .column = {words}};
    const wadi_status status = print_table(&data, (int)times, &err);
    free(words);
    if (status != WADI_OK) fprintf(stderr, "bench_work: %s\n", err.msg);
    return status == WADI_OK ? 0 : 1;
}
