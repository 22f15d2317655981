/* What tests of jobs on a NATS server share: a server of their own on loopback, a way to it that breaks, and workers in processes of their own. */
#ifndef WADI_TESTS_NATS_SERVER_H
#define WADI_TESTS_NATS_SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sched/work/jet.h"

typedef struct test_server {
    char folder[64];
    char extra[512]; /* lines of its configuration */
    int port;
    bool jetstream;
    pid_t pid;
} test_server;

/* Ends the program as skipped if there is no nats-server, or no module. Call it first. */
void test_need_nats(void);

/* A server with a folder of its own. It is there when the call returns. extra: further lines of its configuration. */
void test_server_start(test_server *s, bool jetstream, const char *extra);
/* By SIGKILL. The folder stays. */
void test_server_kill(test_server *s);
/* The same port and folder again. */
void test_server_again(test_server *s);
/* How often this is in its log. */
int test_server_noted(const test_server *s, const char *word);
/* Ends it and removes the folder. */
void test_server_end(test_server *s);

/* nats://127.0.0.1:PORT/JOB?ack=1 and more settings, "" or "&wait=3". In a static buffer for each of four calls. */
const char *test_address(int port, const char *job, const char *settings);

/* Connections to the server that can be broken. */
typedef struct test_proxy test_proxy;
test_proxy *test_proxy_start(int port, int *out_port);
/* Resets all connections. */
void test_proxy_reset(test_proxy *p);
/* Resets all connections as often as so many bytes more have passed, `most` times. */
void test_proxy_reset_each(test_proxy *p, int64_t bytes, int most);
/* How often that has been. */
int test_proxy_resets(test_proxy *p);
/* From now on the server hears nothing that a client says behind this word. */
void test_proxy_mute(test_proxy *p, const char *word);
void test_proxy_end(test_proxy *p);

/* ---- jobs ---- */

/* Opens one end. Fails the test if it cannot. */
wadi_workq *test_open(const char *address, bool home);
wadi_status test_try_open(const char *address, bool home, wadi_workq **out, wadi_error *err);

/* Waits until so many workers are there. A job that ended before one has come would leave it waiting for another home. Call it while no answer may come. */
void test_await(wadi_workq *home, int workers);

/* What `wadi job` uses. */
const wadi_jet_jobs_offer *test_jobs(void);

/* A worker process that answers test items until its job is over. mode: what it does, see the worker in server.c. */
pid_t test_worker(const char *address, const char *mode);
/* The exit status, or 128 + the signal. */
int test_wait(pid_t pid);

/* The main function of a test program: runs a worker if the arguments say so. -1: they do not. */
int test_worker_main(int argc, char **argv);

/* What item `number` of n bytes holds; the caller frees it. */
char *test_item(int64_t number, int64_t n);
/* Its answer: every byte changed, and the number behind it, n + 8 bytes; the caller frees it. */
char *test_answer(int64_t number, const char *item, int64_t n);
/* Whether it is answered by this. */
bool test_answers(int64_t number, int64_t n, const wadi_work_item *answer);

/* Submits `items` items of n bytes (n(i) if size is not NULL) and collects their answers; each must come once and be right. `between` is called
 * behind each answer with the number of answers so far. */
typedef struct test_job {
    int64_t items, n, first;
    int64_t (*size)(int64_t number);
    void (*between)(void *env, int64_t answered);
    void *env;
    int64_t failed; /* answers without a result */
} test_job;
void test_run(wadi_workq *q, test_job *job);

#endif
