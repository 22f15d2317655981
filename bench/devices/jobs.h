/* Array programs that several benchmarks of devices run: what they compute, on which numbers, and how many bytes they must move.
 *
 * A job is a stream of rounds over arrays that stay where the device computes. Each round reads other numbers, as far as the compiler
 * knows: they are multiplied by a factor of its own. A round computes an array, stores it, and picks one number; the result is the sum of
 * what was picked. */
#ifndef WADI_BENCH_DEVICES_JOBS_H
#define WADI_BENCH_DEVICES_JOBS_H

#include "bench/streams/program.h"

typedef struct bench_job {
    const char *name;
    const char *task;    /* what peers.py calls it; its argument is `extra`; NULL: no peer has it */
    const char *vectors; /* a letter for each input (jobs.c) */
    const char *body;    /* of a round, as text: binds v. '@' stands for `extra` */
    wadi_program *(*build)(
        const struct bench_job *j); /* in place of `body`, where no text says it */
    int64_t extra;
    double bytes;      /* that a round reads and writes for each number, at least */
    double share;      /* asked: of the bandwidth of a copy; 0: nothing is */
    double read;       /* asked: of the rate at which cpu reads memory; 0: nothing is */
    double times;      /* asked: at most so many times as long as the peer; 0: nothing is */
    bool full;         /* left out of quick runs, which do another one like it */
    bool rows;         /* `extra` is the length of rows */
    const char *array; /* the array that is picked from, where `body` names it; NULL: no one asks */
    int64_t n;         /* of paper_jobs.c: how many numbers */
    double paper_s;    /* of paper_jobs.c: what the paper measured */
} bench_job;

/* Ended by one without a name. The first is the copy. */
extern const bench_job bench_jobs[];
/* Those of stencil_jobs.c and of paper_jobs.c, ended alike. */
extern const bench_job bench_stencil_jobs[];
extern const bench_job bench_paper_jobs[];
/* In any of the tables; NULL: there is none of that name. */
const bench_job *bench_job_find(const char *name);

/* The product of a sparse matrix and a vector, for vectors "woke". */
#define BENCH_SMVM                                               \
    "g = map k (c) { mul (x ! (convert i64 c)) (the factor) }\n" \
    "q = zip_with e g (a, b) { mul a b }\n"                      \
    "r = fold_seg 0.0 o q (a, b) { add a b }\n" BENCH_PICK("r")

/* v is one of the numbers of an array, another one in each round. */
#define BENCH_PICK(FROM) \
    "v = unit { " FROM " ! (rem (mul (add (the i) 1) 7919999) (extent " FROM " 0)) }\n"

enum { BENCH_JOB_VECTORS = 4 };

/* The numbers of a job; the same on every machine. */
typedef struct bench_numbers {
    int n;
    wadi_array array[BENCH_JOB_VECTORS];
} bench_numbers;

/* n numbers; of matrices about n entries. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status bench_numbers_make(const bench_job *j, int64_t n, bench_numbers *out,
                                              wadi_error *err);
void bench_numbers_free(bench_numbers *d);

typedef struct bench_job_run {
    bench_program program;
    int64_t rounds; /* of the next run */
    double sum;     /* of the latest */
    bool few;       /* its rounds are long (bench_job_pace) */
    int further;    /* rounds that bench_job_resident measures; 0: not chosen */
    double checked; /* the sum that it tells */
} bench_job_run;

/* Compiles the job for a device. `d` and `device` are borrowed; *out must stay where it is. `options` may be NULL. The caller closes
 * out->program, also after an error. */
WADI_NODISCARD wadi_status bench_job_open(const bench *b, const bench_job *j,
                                          const bench_numbers *d, const char *device,
                                          const wadi_compile_options *options, bench_job_run *out,
                                          wadi_error *err);
/* The same, but the result is the whole of j->array in the first round, as "array". */
WADI_NODISCARD wadi_status bench_job_open_array(const bench *b, const bench_job *j,
                                                const bench_numbers *d, const char *device,
                                                const wadi_compile_options *options,
                                                bench_job_run *out, wadi_error *err);
WADI_NODISCARD wadi_status bench_job_go(bench_job_run *r, int64_t rounds, double *out_seconds,
                                        wadi_error *err);
/* bench_fn, env is the bench_job_run: one round, with the copies of the inputs and all that a run costs. */
WADI_NODISCARD wadi_status bench_job_copied(void *env, double *out_seconds, wadi_error *err);
/* Before the next: whether rounds are long on one of n devices, going by what they take with copies. Sums compare if all do as many. */
void bench_job_pace(int n, bench_job_run *runs, const double *copied_s);
/* bench_fn: what each of eight further rounds takes, or of as many more as together take as long as the first with its copies; of two, if they
 * are long. The sum is that of nine rounds, or of three. */
WADI_NODISCARD wadi_status bench_job_resident(void *env, double *out_seconds, wadi_error *err);

#endif
