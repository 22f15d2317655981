/* What it costs to save a run (wadi_run_options.state): pairs of runs, with and without, over files. Prints a table.
 *
 *     bench_saved [MEGABYTES [PAIRS]]
 *
 * Inputs, outputs and state lie in the folder where it runs, since the price of a saving is that of the disk. Each pair runs one behind the
 * other, in turns the one first and the other. Columns: medians of both; the median of their ratios; what a saving takes, from runs
 * that save about 20 times; and the share of a run that saves every five seconds, by these. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "bench/streams/report.h"
#include "wadi/wadi.h"

enum { SAVINGS = 20, WORDS = 16, RECORD = 4 * WORDS, MOST_PAIRS = 99, EVERY_S = 5 };

typedef struct job {
    const char *name, *text;
    bool writes;
} job;

/* hash: 64 rounds for each record, as in wadi-md5; fold: a state over all records; copy: as much is written as read. */
static const job jobs[] = {
    {"hash",
     "program hash\nstream_in s : seq(u32[16])\n"
     "t = map_seq s (x) {\n"
     "    h = fold 1u32 x (a, b) { xor (mul a 16777619u32) b }\n"
     "    y = unit { iterate 64 (k, a) { add (mul a 1664525u32) (xor a 1013904223u32) } from (the "
     "h) }\n"
     "    yield y\n}\nstream_out \"t\" t\n",
     true},
    {"fold",
     "program sums\nstream_in s : seq(u32[16])\n"
     "t = fold_seq s 0u32 (k, x) {\n"
     "    n = unit { add (mul (the k) 31u32) (xor (x ! 3) (x ! 11)) }\n    yield n\n}\noutput t\n",
     false},
    {"copy",
     "program copy\nstream_in s : seq(u32[16])\n"
     "t = map_seq s (x) {\n    y = map x (v) { add v 1u32 }\n    yield y\n}\nstream_out \"t\" t\n",
     true}};

static wadi_status run_bound(const job *j, wadi_run *run, double *out_s, wadi_error *err) {
    const int64_t shape[] = {WORDS};
    const wadi_part part = wadi_part_fixed(WADI_U32, 1, shape);
    wadi_source *source = NULL;
    wadi_sink *sink = NULL;
    const int64_t begin = wadi_clock_ns();
    wadi_status status = wadi_source_raw("saved.in", &part, &source, err);
    if (status == WADI_OK && j->writes) status = wadi_sink_raw("saved.out", &sink, err);
    if (status == WADI_OK) status = wadi_run_source(run, "s", source, err);
    if (status == WADI_OK && j->writes) {
        wadi_sink_sync(sink); /* both sides wait for the disk at the end */
        status = wadi_run_sink(run, "t", sink, err);
    }
    if (status == WADI_OK) status = wadi_run_go(run, err);
    *out_s = (double)(wadi_clock_ns() - begin) * 1e-9;
    wadi_run_destroy(run);
    wadi_source_destroy(source);
    wadi_sink_destroy(sink);
    return status;
}

/* every_s < 0: nothing is saved. */
static wadi_status run_once(const job *j, const wadi_exe *exe, int64_t chunk, double every_s,
                            double *out_s, wadi_error *err) {
    const wadi_run_options options = {.chunk = chunk,
                                      .forget = true,
                                      .state = every_s < 0 ? NULL : "saved.state",
                                      .save_every_s = every_s < 0 ? 0 : every_s};
    wadi_run *run = NULL;
    WADI_TRY(wadi_run_create(exe, &options, &run, err));
    return run_bound(j, run, out_s, err);
}

static wadi_status measure(const job *j, const wadi_exe *exe, int64_t chunk, int64_t chunks,
                           int pairs, wadi_error *err) {
    double without[MOST_PAIRS], with[MOST_PAIRS], ratio[MOST_PAIRS], each[MOST_PAIRS];
    for (int i = -1; i < pairs; i++) { /* the first is for the kernels and the cache of files */
        const int at = i < 0 ? 0 : i;
        if (i % 2 == 0) WADI_TRY(run_once(j, exe, chunk, -1, &without[at], err));
        WADI_TRY(run_once(j, exe, chunk, EVERY_S, &with[at], err));
        if (i % 2 != 0) WADI_TRY(run_once(j, exe, chunk, -1, &without[at], err));
        const double every_s = without[at] / SAVINGS;
        WADI_TRY(run_once(j, exe, chunk, every_s, &each[at], err));
        const double savings =
            each[at] / every_s < (double)chunks ? each[at] / every_s : (double)chunks;
        ratio[at] = with[at] / without[at];
        each[at] = (each[at] - with[at]) / savings;
    }
    const double saving = bench_median(pairs, each);
    printf("| %s | %lld KiB | %.0f | %.0f | %.3f | %.2f | %.2f %% |\n", j->name,
           (long long)(chunk * RECORD >> 10), 1e3 * bench_median(pairs, without),
           1e3 * bench_median(pairs, with), bench_median(pairs, ratio), 1e3 * saving,
           100 * saving / EVERY_S);
    fflush(stdout);
    return WADI_OK;
}

static wadi_status make_input(int64_t bytes, wadi_error *err) {
    static uint32_t block[1 << 16];
    uint32_t x = 1;
    FILE *f = fopen("saved.in", "wb");
    if (f == NULL) return wadi_fail(err, WADI_IO, "saved.in cannot be written");
    for (int64_t n = 0; n < bytes; n += (int64_t)sizeof block) {
        for (size_t i = 0; i < sizeof block / sizeof *block; i++)
            block[i] = x = x * 1664525u + 1013904223u;
        (void)fwrite(block, sizeof block, 1, f);
    }
    return fclose(f) == 0 ? WADI_OK : wadi_fail(err, WADI_IO, "saved.in: writing failed");
}

static wadi_status measure_all(int64_t bytes, int pairs, wadi_error *err) {
    static const int64_t kib[] = {64, 256, 1024, 4096};
    WADI_TRY(make_input(bytes, err));
    printf("| pipeline | chunk | ms | saved, ms | ratio | a saving, ms | share at %d s |\n"
           "|---|---|---|---|---|---|---|\n",
           EVERY_S);
    for (size_t k = 0; k < sizeof jobs / sizeof *jobs; k++) {
        wadi_exe *exe = NULL;
        wadi_status status = wadi_compile_text(jobs[k].text, jobs[k].name, NULL, &exe, err);
        for (size_t i = 0; status == WADI_OK && i < sizeof kib / sizeof *kib; i++)
            status =
                measure(&jobs[k], exe, (kib[i] << 10) / RECORD, bytes / (kib[i] << 10), pairs, err);
        wadi_exe_destroy(exe);
        WADI_TRY(status);
    }
    return WADI_OK;
}

int main(int argc, char **argv) {
    const long megabytes = argc > 1 ? atol(argv[1]) : 256, pairs = argc > 2 ? atol(argv[2]) : 9;
    wadi_error err = {.status = WADI_OK};
    if (megabytes < 8 || megabytes > 65536 || pairs < 1 || pairs > MOST_PAIRS) {
        fprintf(stderr, "usage: bench_saved [MEGABYTES [PAIRS]]\n");
        return 2;
    }
    const wadi_status status = measure_all((int64_t)megabytes << 20, (int)pairs, &err);
    (void)unlink("saved.in");
    (void)unlink("saved.out");
    if (status == WADI_OK) return 0;
    fprintf(stderr, "bench_saved: %s\n", err.msg);
    return 1;
}
