/* Pairs of timings and the two reports of them. See report.h. */
#include "bench/streams/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "bench/streams/program.h"
#include "bench/streams/times.h"
#include "sched/schedules.h"

/* Cases shorter than this in all are measured more often than asked, up to MAX_RUNS rounds: a median of five is no good when
 * one run takes a millisecond. */
#define MIN_TOTAL_S 0.5
/* Where there is a deadline, the rounds of a case that has taken so long are enough. */
#define MOST_CASE_S 2.0
enum { MAX_RUNS = 200 };

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(int n, double *seconds) {
    qsort(seconds, (size_t)n, sizeof *seconds, by_size);
    return n % 2 == 1 ? seconds[n / 2] : 0.5 * (seconds[n / 2 - 1] + seconds[n / 2]);
}

void bench_say(const bench *b, const char *format, ...) {
    WADI_UNUSED(b);
    va_list args;
    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    (void)fputc('\n', stderr);
}

bool bench_has_peers(const bench *b) {
    return !b->schedules && !b->checks && b->devices == NULL;
}

bool bench_wants(const bench *b, const char *name) {
    if (b->select != NULL && strstr(name, b->select) == NULL) return false;
    if (b->deadline_ns == 0 || b->checks || wadi_clock_ns() < b->deadline_ns) return true;
    bench_say(b, "%s: skipping it: no time is left", name);
    return false;
}

void bench_case(bench *b, const char *name, wadi_status status, const wadi_error *why) {
    if (status == WADI_OK) return;
    bench_say(b, "%s: failed: %s", name, why->msg);
    b->failures++;
}

/* Threads of the side before may still be spinning in wait for more work; they get time to fall asleep. */
static void settle(void) {
    const struct timespec pause = {.tv_nsec = 5 * 1000 * 1000};
    (void)nanosleep(&pause, NULL);
}

static wadi_status run_once(const bench_side *side, double *out_seconds, wadi_error *err) {
    double own = -1;
    settle();
    const int64_t start = wadi_clock_ns();
    WADI_TRY(side->run(side->env, &own, err));
    *out_seconds = own >= 0 ? own : (double)(wadi_clock_ns() - start) * 1e-9;
    return WADI_OK;
}

/* The untimed round; also finds out which peers are there. */
static wadi_status warm_up(const bench *b, const char *name, int sides, bench_side *side,
                           wadi_error *err) {
    for (int i = 0; i < sides; i++) {
        double unused;
        if (side[i].run == NULL) continue;
        const wadi_status status = run_once(&side[i], &unused, err);
        if (status == WADI_UNSUPPORTED && i > 0) {
            bench_say(b, "%s: skipping %s: %s", name, side[i].name, err->msg);
            side[i].run = NULL;
            continue;
        }
        if (status != WADI_OK) return status;
    }
    return WADI_OK;
}

/* The k-th of n sides in a round. A version that leaves the caches full of its temporaries shall not always come before
 * the same other: rounds begin anywhere and go both ways. */
static int turn(int n, int round, int k) {
    const int from = round / 2 % n;
    return (from + (round % 2 == 0 ? k : n - k)) % n;
}

static wadi_status compare_sides(bench *b, const char *benchmark, const char *name, int sides,
                                 const bench_side *side, double *out_seconds, wadi_error *err) {
    static double seconds[BENCH_MAX_SIDES][MAX_RUNS];
    wadi_error own = {0};
    if (err == NULL) err = &own;
    bench_side there[BENCH_MAX_SIDES];
    WADI_ASSERT(sides >= 1 && sides <= BENCH_MAX_SIDES);
    memcpy(there, side, (size_t)sides * sizeof *side);
    WADI_TRY(warm_up(b, name, sides, there, err));
    int runs = 0;
    const int64_t begin_ns = wadi_clock_ns();
    for (double total = 0; runs < MAX_RUNS; runs++) {
        if (runs >= b->runs && (b->quick || total > MIN_TOTAL_S)) break;
        if (runs > 0 && b->deadline_ns != 0 &&
            1e-9 * (double)(wadi_clock_ns() - begin_ns) > MOST_CASE_S)
            break;
        for (int k = 0; k < sides; k++) {
            const int i = turn(sides, runs, k);
            if (there[i].run == NULL) continue;
            WADI_TRY(run_once(&there[i], &seconds[i][runs], err));
            total += seconds[i][runs];
        }
    }
    double median[BENCH_MAX_SIDES];
    for (int i = 0; i < sides; i++) {
        median[i] = there[i].run != NULL ? bench_median(runs, seconds[i]) : -1;
        if (out_seconds != NULL) out_seconds[i] = median[i];
    }
    for (int i = 1; i < sides; i++) {
        if (there[i].run == NULL) continue;
        WADI_TRY(bench_line(b, benchmark, name, median[0], there[i].name, median[i], err));
    }
    return WADI_OK;
}

/* ---- schedules ---- */

/* Of the latest run's stream bodies; NULL: there were none. */
static const char *schedule_of(const bench_program *p) {
    wadi_run_stats stats = {0};
    wadi_run_stats_get(p->run, &stats);
    return stats.schedule;
}

enum { SCHEDULES = 1 + WADI_SCHEDULE_COUNT }; /* the first is wadi's choice */

/* Keeps the sides whose program does run as it is forced to; others would be the same as one of these. */
static wadi_status drop_duplicates(bench_program forced[SCHEDULES], int *n,
                                   bench_side side[SCHEDULES], wadi_error *err) {
    int kept = 1;
    for (int i = 1; i < *n; i++) {
        double unused = -1;
        WADI_TRY(bench_program_run(&forced[i], &unused, err));
        const char *ran = schedule_of(&forced[i]);
        if (ran == NULL || strcmp(ran, side[i].name) == 0) side[kept++] = side[i];
    }
    *n = kept;
    return WADI_OK;
}

/* One program under the schedule wadi chooses, and under each it is forced into; then the choice beside the best of these. */
static wadi_status compare_forced(bench *b, const char *benchmark, const char *name, int n,
                                  bench_program forced[SCHEDULES], wadi_error *err) {
    bench_side side[SCHEDULES];
    double seconds[SCHEDULES];
    char label[48];
    int best = 1;
    for (int i = 0; i < n; i++) {
        const int schedule = wadi_forced_schedule(forced[i].options.schedule);
        const char *what = schedule >= 0 ? wadi_schedules[schedule].name : "auto";
        side[i] = (bench_side){what, bench_program_run, &forced[i]};
    }
    WADI_TRY(drop_duplicates(forced, &n, side, err));
    WADI_TRY(compare_sides(b, benchmark, name, n, side, seconds, err));
    for (int i = 2; i < n; i++)
        if (seconds[i] < seconds[best]) best = i;
    const char *ran = schedule_of(&forced[0]);
    if (n < 2) return WADI_OK;
    (void)snprintf(label, sizeof label, "best: %s; took %s", side[best].name,
                   ran != NULL ? ran : "flat");
    return bench_line(b, benchmark, name, seconds[0], label, seconds[best], err);
}

static wadi_status compare_schedules(bench *b, const char *benchmark, const char *name,
                                     const bench_side *side, wadi_error *err) {
    bench_program forced[SCHEDULES];
    char label[64];
    int n = 0;
    for (int k = -1; k < WADI_SCHEDULE_COUNT; k++) { /* -1: chosen */
        if (k >= 0 && wadi_schedules[k].cost == NULL) continue;
        forced[n] = *(const bench_program *)side->env;
        forced[n].run = NULL;
        forced[n++].options.schedule = (wadi_schedule_option)(k + 1);
    }
    (void)snprintf(label, sizeof label, "%s, %s", name, side->name);
    const wadi_status status = compare_forced(b, benchmark, label, n, forced, err);
    for (int i = 0; i < n; i++) wadi_run_destroy(forced[i].run);
    return status;
}

/* ---- devices ---- */

/* One of wadi's sides on a device. */
typedef struct on_device {
    bench *b;
    const bench_side *side;
    const char *device;
    bench_times times; /* of the latest run that was clocked */
} on_device;

static wadi_status run_on_device(void *env, double *out_seconds, wadi_error *err) {
    const on_device *o = env;
    const char *before = o->b->device;
    if (o->side->run == bench_program_run)
        ((bench_program *)o->side->env)->options.device = o->device;
    o->b->device = o->device;
    const wadi_status status = o->side->run(o->side->env, out_seconds, err);
    o->b->device = before;
    return status;
}

static wadi_status run_clocked(void *env, double *out_seconds, wadi_error *err) {
    on_device *o = env;
    const bench_side whole = {o->side->name, run_on_device, o};
    WADI_TRY(bench_times_of(&whole, o->device, &o->times, err));
    *out_seconds = o->times.seconds;
    return WADI_OK;
}

static wadi_status compare_devices(bench *b, const char *benchmark, const char *name,
                                   const bench_side *side, wadi_error *err) {
    on_device on[BENCH_MAX_SIDES];
    bench_side each[BENCH_MAX_SIDES];
    char label[96], kernels[112];
    int n = 0;
    for (; n < BENCH_MAX_SIDES && b->devices[n] != NULL; n++) {
        on[n] = (on_device){b, side, b->devices[n], {0}};
        each[n] = (bench_side){b->devices[n], run_on_device, &on[n]};
    }
    (void)snprintf(label, sizeof label, "%s: %s, %s", benchmark, name, side->name);
    (void)snprintf(kernels, sizeof kernels, "%s, kernels", label);
    WADI_TRY(compare_sides(b, "streams", label, n, each, NULL, err));
    for (int i = 0; i < n; i++) each[i].run = run_clocked;
    WADI_TRY(compare_sides(b, "streams", kernels, n, each, NULL, err));
    for (int i = 0; i < n; i++) bench_times_say(b, label, on[i].device, &on[i].times);
    return WADI_OK;
}

/* ---- all together ---- */

static bool is_wadi(const bench_side *side) {
    return side->run != NULL && strncmp(side->name, "wadi", 4) == 0;
}

static wadi_status compare_ours(bench *b, const char *benchmark, const char *name,
                                const bench_side *side, wadi_error *err) {
    if (b->checks) return WADI_OK;
    if (b->schedules) return compare_schedules(b, benchmark, name, side, err);
    return compare_devices(b, benchmark, name, side, err);
}

wadi_status bench_compare(bench *b, const char *benchmark, const char *name, int sides,
                          const bench_side *side, double *out_seconds, wadi_error *err) {
    if (bench_has_peers(b)) return compare_sides(b, benchmark, name, sides, side, out_seconds, err);
    for (int i = 0; i < sides; i++) {
        if (out_seconds != NULL) out_seconds[i] = -1;
        if (b->schedules ? side[i].run != bench_program_run : !is_wadi(&side[i])) continue;
        WADI_TRY(compare_ours(b, benchmark, name, &side[i], err));
    }
    return WADI_OK;
}

wadi_status bench_line(bench *b, const char *benchmark, const char *name, double wadi_s,
                       const char *peer, double peer_s, wadi_error *err) {
    if (wadi_s < 0) return WADI_OK; /* not measured: schedules were compared instead */
    bench_row row = {.wadi_s = wadi_s, .peer_s = peer_s};
    (void)snprintf(row.benchmark, sizeof row.benchmark, "%s", benchmark);
    (void)snprintf(row.name, sizeof row.name, "%s", name);
    (void)snprintf(row.peer, sizeof row.peer, "%s", peer);
    (void)printf("%s\t%s\t%.6g\t%s\t%.6g\t%.4g\n", benchmark, name, wadi_s, peer, peer_s,
                 wadi_s / peer_s);
    (void)fflush(stdout);
    if (!wadi_vec_push(&b->rows, row)) return wadi_fail(err, WADI_MEMORY, "out of memory");
    return WADI_OK;
}

void bench_table(const bench *b) {
    if (b->rows.n == 0) return;
    (void)fprintf(stderr, "\n%-12s %-34s %12s  %-24s %12s %8s\n", "benchmark", "case", "wadi ms",
                  "peer", "peer ms", "ratio");
    for (size_t i = 0; i < b->rows.n; i++) {
        const bench_row *r = &b->rows.at[i];
        (void)fprintf(stderr, "%-12s %-34s %12.3f  %-24s %12.3f %8.3f\n", r->benchmark, r->name,
                      1e3 * r->wadi_s, r->peer, 1e3 * r->peer_s, r->wadi_s / r->peer_s);
    }
}
