/* Timing in pairs, and reporting the result. For programs, one line per comparison on standard output,
 *
 *     benchmark<TAB>case<TAB>wadi seconds<TAB>peer<TAB>peer seconds<TAB>ratio
 *
 * and for people a table on standard error at the end. The ratio is wadi's time over the peer's: below 1, wadi is faster.
 *
 * All sides of a comparison run alternately, A B C A B C ..., so that a machine that slows down slows all of them; the median of
 * each counts. One untimed round first fills caches, starts threads and compiles kernels. A peer that is not installed is
 * skipped with a message that names what to install; wadi itself failing, or a wrong result, fails the whole program.
 *
 * A benchmark is one file with one function, named in the table of main.c:
 *
 *     wadi_status bench_smvm(bench *b, wadi_error *err)
 *     {
 *         bench_side sides[] = {{"wadi", run_wadi, &ours}, {"mkl", run_mkl, &mkl}};
 *         WADI_TRY(bench_compare(b, "smvm", "cant", 2, sides, NULL, err));
 *     } */
#ifndef WADI_BENCH_STREAMS_REPORT_H
#define WADI_BENCH_STREAMS_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "wadi/status.h"

typedef struct bench_row {
    char benchmark[32], name[64], peer[48];
    double wadi_s, peer_s;
} bench_row;

/* What the command line said, and what has been measured. */
typedef struct bench {
    bool quick;     /* tiny sizes: checks that everything works, measures nothing */
    bool schedules; /* wadi's automatic schedule against each forced one, instead of the peers */
    const char *device; /* of wadi's programs; NULL: what WADI_DEVICE names, or cpu */
    /* Names ended by NULL: each of wadi's programs on each of these devices, against the first, instead of the peers. NULL: the peers */
    const char *const *devices;
    bool checks; /* results alone are checked: nothing is compared or printed */
    int threads; /* of wadi and of peers alike; at least 1 */
    int runs;    /* timed rounds at least; short cases get more */
    int64_t
        deadline_ns; /* no case begins later (wadi_clock_ns), and none lasts long; 0: there is time enough */
    double minutes;        /* that a benchmark of endurance lasts; 0: its default */
    int failures;          /* cases that have failed while others went on (bench_case) */
    const char *data;      /* folder of real data; NULL: none, such cases are skipped */
    const char *python;    /* interpreter that has numpy and scipy */
    const char *mkl;       /* path or name of libmkl_rt */
    const char *select;    /* only cases whose name contains this; NULL: all */
    double read_bandwidth; /* bytes per second, 0: not measured yet (roof.h) */
    WADI_VEC(bench_row) rows;
} bench;

/* Does the thing once. A side that knows better what counts (a child process that times its own loop, a program without its
 * set-up) stores it in *out_seconds, which is below 0 at the call; otherwise the time of the call counts. WADI_UNSUPPORTED from a peer means
 * that it is not installed; err says what to do about it. */
typedef wadi_status (*bench_fn)(void *env, double *out_seconds, wadi_error *err);

typedef struct bench_side {
    const char *
        name; /* of the peer; of the first side, which is wadi, it is not printed. Other sides of wadi begin with "wadi" */
    bench_fn run; /* NULL: this peer is absent (already told), and left out */
    void *env;
} bench_side;

enum { BENCH_MAX_SIDES = 8 };

/* Times side 0, wadi, against each other side and reports one line per peer. out_seconds, which may be NULL, receives the median of
 * every side (below 0: absent). */
WADI_NODISCARD wadi_status bench_compare(bench *b, const char *benchmark, const char *name,
                                         int sides, const bench_side *side, double *out_seconds,
                                         wadi_error *err);

/* Reports a comparison that was measured elsewhere: a roof of the machine, two forms of one program. */
WADI_NODISCARD wadi_status bench_line(bench *b, const char *benchmark, const char *name,
                                      double wadi_s, const char *peer, double peer_s,
                                      wadi_error *err);

/* Whether peers are compared at all. */
bool bench_has_peers(const bench *b);

/* Whether the user asked for this case, and there is time for it; it is told if there is none. */
bool bench_wants(const bench *b, const char *name);

/* The end of a case after which the others go on: if it has failed, that is told, and the program fails in the end. */
void bench_case(bench *b, const char *name, wadi_status status, const wadi_error *why);

/* To people: what is being prepared, skipped, or missing, on standard error. */
void bench_say(const bench *b, const char *format, ...) WADI_PRINTF(2, 3);

/* The table for people. */
void bench_table(const bench *b);

/* n greater than 0; sorts the times. */
double bench_median(int n, double *seconds);

#endif
