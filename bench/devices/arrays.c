/* What bounds array programs on each device: its memory, its arithmetic, or the way there.
 *
 * "NAME, copied" is one round of a job (jobs.h), with the copies of its inputs and everything else that a run costs. "NAME, resident" is what
 * each of eight or more further rounds takes (jobs.h). Black-Scholes is the program of "Converting Data to Task-Parallelism by Rewrites" (section 6);
 * "intensity N" does N multiplications and additions for each number that it reads, as in the same paper's Figures 6 and 7; "rows of N"
 * sums rows of that length, with the same numbers in all cases; "segments of N" sums segments, whose offsets are an input. "histogram of N" counts
 * the numbers in each of N bins, or adds floats in the order of the source; "one bin" sends all of them to the first. The stencils are those of
 * bench/arrays.
 *
 * The first side is `cpu`. The others are the devices that WADI_DEVICE lists; without it, all there are. Sums have the same bits on all. Where
 * one of them is NVIDIA's, the peers are libraries on it, called from Python (peers.py); their arrays stay there too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench/devices/beside.h"
#include "bench/devices/devices.h"
#include "bench/devices/jobs.h"
#include "bench/devices/peers.h"
#include "bench/streams/roof.h"

enum {
    LARGE = 100000000,
    NUMBERS = 10000000,
    QUICK_NUMBERS = 10000,
    MOST_DEVICES = BENCH_MAX_SIDES - BENCH_PEERS
};

/* Every case with the same devices and peers. */
typedef struct arrays {
    wadi_device_choices list; /* cpu first */
    int64_t n;
    double copied[BENCH_MAX_SIDES]; /* bytes per second of a copy on each device; 0: not measured */
    bench_job_run run[MOST_DEVICES];
    bench_device_peer peer[BENCH_PEERS];
} arrays;

/* ---- one case ---- */

static wadi_status compare(bench *b, const bench_job *j, arrays *a, bool resident,
                           double *out_seconds, wadi_error *err) {
    bench_side sides[BENCH_MAX_SIDES];
    char name[96];
    (void)snprintf(name, sizeof name, "%s, %s", j->name, resident ? "resident" : "copied");
    for (int i = 0; i < a->list.n; i++)
        sides[i] = (bench_side){a->list.at[i].name,
                                resident ? bench_job_resident : bench_job_copied, &a->run[i]};
    int n = a->list.n;
    for (int i = 0; resident && i < BENCH_PEERS; i++) sides[n++] = bench_peer_side(&a->peer[i]);
    WADI_TRY(bench_compare(b, "arrays", name, n, sides, out_seconds, err));
    for (int i = 1; i < a->list.n; i++)
        WADI_TRY(bench_same(name, 1, &a->run[i].sum, &a->run[0].sum, 1e-12, err));
    return WADI_OK;
}

/* cpu against the rate at which it reads. */
static wadi_status judge_cpu(bench *b, const bench_job *j, double bytes, double seconds,
                             wadi_error *err) {
    double rate = 0;
    char name[96], asked[48];
    if (j->read <= 0 || b->quick) return WADI_OK;
    WADI_TRY(bench_read_bandwidth(b, &rate, err));
    (void)snprintf(name, sizeof name, "%s, resident, cpu", j->name);
    (void)snprintf(asked, sizeof asked, "asked: %g %% of reading", 100 * j->read);
    return bench_line(b, "arrays", name, seconds, asked, bytes / (j->read * rate), err);
}

/* A device against the peers, and against what is asked of it. */
static wadi_status judge(bench *b, const bench_job *j, const arrays *a, int i,
                         const double *seconds, wadi_error *err) {
    const wadi_device_choice *c = &a->list.at[i];
    const double *peers = seconds + a->list.n, bytes = j->bytes * (double)a->n;
    const bool nvidia = strcmp(c->row->name, "cuda") == 0;
    char name[96], asked[48];
    (void)snprintf(name, sizeof name, "%s, resident, %s", j->name, c->name);
    for (int k = 0; nvidia && k < BENCH_PEERS; k++) {
        if (peers[k] < 0) continue;
        WADI_TRY(bench_line(b, "arrays", name, seconds[i], a->peer[k].name, peers[k], err));
        (void)snprintf(asked, sizeof asked, "asked: %.3g times %s", j->times, a->peer[k].name);
        if (j->times > 0 && k != BENCH_JAX)
            WADI_TRY(bench_line(b, "arrays", name, seconds[i], asked, j->times * peers[k], err));
    }
    bench_say(b, "%s: %.2f GB/s", name, 1e-9 * bytes / seconds[i]);
    if (i == 0) return judge_cpu(b, j, bytes, seconds[i], err);
    if (j->share <= 0 || a->copied[i] <= 0) return WADI_OK;
    (void)snprintf(asked, sizeof asked, "asked: %g %% of a copy", 100 * j->share);
    return bench_line(b, "arrays", name, seconds[i], asked, bytes / (j->share * a->copied[i]), err);
}

/* The faster of wadi's copy and of the peers' on the same device. */
static void note_copy(const bench_job *j, arrays *a, const double *seconds) {
    const double bytes = j->bytes * (double)a->n, *peers = seconds + a->list.n;
    for (int i = 0; i < a->list.n; i++) {
        double best = seconds[i];
        for (int k = 0; strcmp(a->list.at[i].row->name, "cuda") == 0 && k < BENCH_PEERS; k++)
            if (peers[k] > 0 && peers[k] < best) best = peers[k];
        a->copied[i] = bytes / best;
    }
}

static wadi_status measure(bench *b, const bench_job *j, arrays *a, wadi_error *err) {
    double seconds[BENCH_MAX_SIDES];
    WADI_TRY(compare(b, j, a, false, seconds, err));
    bench_job_pace(a->list.n, a->run, seconds);
    if (bench_beside_nvidia(&a->list)) bench_peers_open(b, j, a->n, a->peer);
    WADI_TRY(compare(b, j, a, true, seconds, err));
    if (j == bench_jobs) note_copy(j, a, seconds);
    for (int i = 0; i < a->list.n; i++) WADI_TRY(judge(b, j, a, i, seconds, err));
    return bench_peers_agree(b, j, a->peer, &a->run[0], err);
}

static wadi_status one_case(bench *b, const bench_job *j, arrays *a, wadi_error *err) {
    bench_numbers d = {0};
    wadi_status status = bench_numbers_make(j, a->n, &d, err);
    for (int i = 0; i < a->list.n && status == WADI_OK; i++)
        status = bench_job_open(b, j, &d, a->list.at[i].name, NULL, &a->run[i], err);
    if (status == WADI_OK) status = measure(b, j, a, err);
    for (int i = 0; i < a->list.n; i++) bench_program_close(&a->run[i].program);
    bench_peers_close(a->peer);
    bench_numbers_free(&d);
    return status;
}

/* ---- all together ---- */

static void all_of(bench *b, const bench_job *table, arrays *a) {
    for (const bench_job *j = table; j->name != NULL; j++) {
        if (!bench_wants(b, j->name) || (b->quick && j->full)) continue;
        if (j->rows && j->extra > a->n) continue;
        wadi_error why = {0};
        bench_case(b, j->name, one_case(b, j, a, &why), &why);
    }
}

wadi_status bench_arrays(bench *b, wadi_error *err) {
    arrays a = {.n = 0};
    WADI_TRY(bench_beside_cpu(&a.list, err));
    if (a.list.n > MOST_DEVICES) a.list.n = MOST_DEVICES;
    if (a.list.n == 1) bench_say(b, "arrays: there is no device but cpu");
    const bool nvidia = bench_beside_nvidia(&a.list);
    if (!nvidia)
        bench_say(b, "arrays: skipping CUDA's libraries, CuPy, JAX and hashcat: there is no device "
                     "of NVIDIA");
    a.n = b->quick ? QUICK_NUMBERS : nvidia ? LARGE : NUMBERS;
    all_of(b, bench_jobs, &a);
    all_of(b, bench_stencil_jobs, &a);
    return WADI_OK;
}
