/* Benchmarks of runs that last for days: what the files of this folder share.
 *
 * Workers and peers are processes of their own: this program again, with the name of what it shall be as its first argument. They end with the
 * process that has started them. */
#ifndef WADI_BENCH_DAYS_DAYS_H
#define WADI_BENCH_DAYS_DAYS_H

#include <sys/types.h>

#include "base/folder.h"
#include "bench/streams/report.h"
#include "wadi/wadi.h"

enum { DAYS_WORDS = 16, DAYS_RECORD = 4 * DAYS_WORDS /* bytes of an element */ };

/* ---- server.c ---- */

/* A NATS server on loopback with a folder of its own, in the folder where the benchmark runs: so it is the disk there that counts. */
typedef struct days_server {
    wadi_folder folder;
    int port;
    pid_t pid;
} days_server;

/* It is there when the call returns. Errors: WADI_UNSUPPORTED (none is installed), WADI_IO. */
WADI_NODISCARD wadi_status days_server_start(days_server *s, wadi_error *err);
/* Ends it and removes its folder. All zero is fine. */
void days_server_end(days_server *s);
/* A port that is free now. Errors: WADI_IO. */
WADI_NODISCARD wadi_status days_port(int *out, wadi_error *err);

/* ---- process.c ---- */

/* This program again, with arguments that end with NULL, five at most. Errors: WADI_IO. */
WADI_NODISCARD wadi_status days_start(const char *const *arguments, pid_t *out, wadi_error *err);
/* Ends it by SIGKILL. 0 is fine. */
void days_end(pid_t pid);
/* A worker of one thread, which stays for one job after another. Its calls of the routine "wait_us" wait. */
WADI_NODISCARD wadi_status days_worker(const char *address, pid_t *out, wadi_error *err);
/* What a process is that was started so: the exit status. -1: it is none. */
int days_be(int argc, char **argv);

/* ---- job.c ---- */

/* A stream of records through one stage, whose results are folded. */
typedef struct days_job {
    const char
        *text; /* of a program with the stream "s" of u32[16] and the output "r"; NULL: sums */
    wadi_run_options options;
    wadi_source *source; /* borrowed; NULL: `records` from memory */
    int64_t records;
} days_job;

/* Runs it. *out_s: what the run took, without what it takes to start: a run of a few records has been taken off. */
WADI_NODISCARD wadi_status days_run_net(const days_job *job, double *out_s, wadi_error *err);

/* ---- peers: nats_peer.c, zmq_peer.c ---- */

/* As many bytes in items of n, each answered by n / 16 bytes, with nothing but the library: what is lost is lost. A worker process answers. */
typedef struct days_peer {
    const char *address; /* "nats://127.0.0.1:4222", "tcp://127.0.0.1:4223", "ipc://file" */
    int64_t n, items;
} days_peer;

/* bench_fn; env is a days_peer. Errors: WADI_UNSUPPORTED (built without the library), WADI_IO. */
WADI_NODISCARD wadi_status days_nats_peer(void *env, double *out_s, wadi_error *err);
WADI_NODISCARD wadi_status days_zmq_peer(void *env, double *out_s, wadi_error *err);
/* The other ends, in processes of their own. */
int days_nats_answer(const char *address, int64_t items);
int days_zmq_answer(const char *address, int64_t n, int64_t items);

/* ---- the benchmarks ---- */

wadi_status bench_carry(bench *b, wadi_error *err);

#endif
