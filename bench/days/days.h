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

enum {
    DAYS_WORDS = 16,
    DAYS_RECORD = 4 * DAYS_WORDS, /* bytes of an element */
    DAYS_ADDRESS = 1024           /* bytes of an address at most, with the 0 at its end */
};

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
/* Ends it by SIGKILL; its folder stays. */
void days_server_kill(days_server *s);
/* Starts it with the same port and folder. It is there when the call returns. Errors: WADI_IO. */
WADI_NODISCARD wadi_status days_server_again(days_server *s, wadi_error *err);
/* A port that is free now. Errors: WADI_IO. */
WADI_NODISCARD wadi_status days_port(int *out, wadi_error *err);

/* ---- ways.c ---- */

/* A way to workers. */
typedef struct days_way {
    const char *name;   /* "ipc", "JetStream" */
    wadi_folder folder; /* for what the benchmark writes; it is removed behind it */
    days_server server; /* port 0: the way needs none */
} days_way;

typedef wadi_status (*days_way_fn)(bench *b, days_way *w, wadi_error *err);

/* Calls fn for each way. JetStream is left out where it is missing; that is told. */
WADI_NODISCARD wadi_status days_each_way(bench *b, const char *benchmark, days_way_fn fn,
                                         wadi_error *err);
/* Of a job on that way. ack: seconds, the setting of JetStream. */
void days_address(const days_way *w, const char *job, const char *ack, char out[DAYS_ADDRESS]);
/* Removes the folder with all that is in it. One without a path is fine. */
void days_folder_end(wadi_folder *f);
/* bench_fn of a peer whose time is known: env is a double. */
wadi_status days_told(void *env, double *out_s, wadi_error *err);

/* ---- process.c ---- */

/* This program again, with arguments that end with NULL, five at most. Errors: WADI_IO. */
WADI_NODISCARD wadi_status days_start(const char *const *arguments, pid_t *out, wadi_error *err);
/* Ends it by SIGKILL. 0 is fine. */
void days_end(pid_t pid);
/* A worker of one thread, which stays for one job after another, and knows the routine "wait_us". */
WADI_NODISCARD wadi_status days_worker(const char *address, pid_t *out, wadi_error *err);
/* One that waits so many times as long. */
WADI_NODISCARD wadi_status days_slow_worker(const char *address, int times, pid_t *out,
                                            wadi_error *err);
/* Makes the routine known to this process, if it is not: it waits for so many microseconds as the first word of a record says, and adds 1 to each word. One thread
 * at a time. */
WADI_NODISCARD wadi_status days_know_wait_us(wadi_error *err);
/* What a process is that was started so: the exit status. -1: it is none. */
int days_be(int argc, char **argv);

/* ---- job.c ---- */

/* A stage that computes 64 rounds for each record, as much as wadi-md5 does. */
extern const char days_hash_text[];

/* A stream of records through one stage, whose results are folded. */
typedef struct days_job {
    const char
        *text; /* of a program with the stream "s" of u32[16] and the output "r"; NULL: sums */
    wadi_run_options options;
    int64_t records; /* from memory */
} days_job;

/* Runs it. *out_s: what the run took, without what it takes to start: a run of a few records, neither saved nor certified, has been taken off.
 * out_result: "r", may be NULL. */
WADI_NODISCARD wadi_status days_run_net(const days_job *job, double *out_s, uint32_t *out_result,
                                        wadi_error *err);

/* ---- waits.c ---- */

/* The stage is the routine "wait_us". The stream "s" becomes "t". */
extern const char days_waits_text[];

/* Record `index` of a stream; and whether this is what becomes of it. */
void days_record(int64_t index, uint32_t us, uint32_t out[DAYS_WORDS]);
bool days_answers(int64_t index, uint32_t us, const uint32_t got[DAYS_WORDS]);

/* A run of that program. */
typedef struct days_waiting {
    const char *address; /* borrowed until the end */
    int workers;         /* that must have come */
    int chunk;           /* records */
    uint32_t us;         /* that a chunk takes */
    int64_t records;     /* 0: they come until days_waits_last */
    bool unordered;      /* they may come out in any order; then their number is known */
} days_waiting;

typedef struct days_waits days_waits;

typedef struct days_times {
    int64_t records;    /* that came out */
    int64_t peak_bytes; /* wadi_run_stats.memory_peak of the run */
    double span_s;      /* between the first and the last of them */
    double
        silence_s; /* the longest time since days_waits_mark in which none came; 0: never called */
} days_times;

/* Begins it, in a thread of its own: workers that are to outlive it must be started by another, since processes end with the thread that has started them. days_waits_end ends it. Errors: WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status days_waits_begin(const days_waiting *what, days_waits **out,
                                            wadi_error *err);
/* Waits until so many records have come out. False: the run is over. */
bool days_waits_until(days_waits *w, int64_t records);
/* The longest time since the last mark in which none came, in seconds; from now on it is measured anew. Before the first mark nothing is. */
double days_waits_mark(days_waits *w);
/* No more records go into the run. */
void days_waits_last(days_waits *w);
/* Waits for its end and destroys it. Errors: those of the run, WADI_INTERNAL (not each record has come out once, right, and in its turn unless there is none). */
WADI_NODISCARD wadi_status days_waits_end(days_waits *w, days_times *out, wadi_error *err);

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

/* ---- recover.c ---- */

/* A process that is a home: FOLDER/in goes through the program `waits` to FOLDER/out, saved in FOLDER/state. */
int days_home(const char *address, const char *folder);

/* ---- share.c ---- */

/* A process that has a part of a stream, or all of it: records come over a link from FOLDER/up and go over one to FOLDER/down. */
int days_part(const char *folder, const char *number, bool shared);

/* ---- the benchmarks ---- */

wadi_status bench_carry(bench *b, wadi_error *err);
wadi_status bench_safety(bench *b, wadi_error *err);
wadi_status bench_recover(bench *b, wadi_error *err);
wadi_status bench_scale(bench *b, wadi_error *err);
wadi_status bench_slow(bench *b, wadi_error *err);
wadi_status bench_share(bench *b, wadi_error *err);
wadi_status bench_soak(bench *b, wadi_error *err);

#endif
