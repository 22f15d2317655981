/* A wadi program on the bench: compiled once, run again and again with the same inputs. */
#ifndef WADI_BENCH_STREAMS_PROGRAM_H
#define WADI_BENCH_STREAMS_PROGRAM_H

#include "bench/streams/report.h"
#include "wadi/wadi.h"

typedef struct bench_program {
    wadi_exe *exe;
    wadi_run *run; /* the latest: it owns the results */
    wadi_run_options options;
    int inputs;
    const char *name[8];
    wadi_array input[8];
} bench_program;

/* Takes ownership of `owned_p` and compiles it. The caller sets options and inputs afterwards. */
WADI_NODISCARD wadi_status bench_program_open(const bench *b, wadi_program *owned_p,
                                              bench_program *out, wadi_error *err);
/* Harmless for one that was never opened (all zero). */
void bench_program_close(bench_program *p);
/* Binds a vector of n elements to input `name`; borrowed. */
void bench_program_vector(bench_program *p, const char *name, wadi_type type, int64_t n,
                          const void *values);
/* A bench_fn: making the run, binding, running to the end. env is the program. */
WADI_NODISCARD wadi_status bench_program_run(void *env, double *out_seconds, wadi_error *err);
/* Between these two calls programs are watched. The second ends the latest run of each that has run, with its results and its device; it may
 * run again. Programs that are watched stay where they are. */
void bench_programs_watch(void);
void bench_programs_rest(void);
/* Of the latest run; borrowed until the next. */
WADI_NODISCARD wadi_status bench_program_result(const bench_program *p, const char *name,
                                                wadi_array *out, wadi_error *err);

/* Element i of a column of numbers. */
double bench_number(wadi_type type, const void *column, int64_t i);

/* Compares vectors of f64: WADI_INTERNAL, naming the place, when |a - b| > tolerance * (1 + |b|) somewhere. */
WADI_NODISCARD wadi_status bench_same(const char *what, int64_t n, const double *a, const double *b,
                                      double tolerance, wadi_error *err);

#endif
