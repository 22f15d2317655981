/* Processes that take part in a benchmark: workers, homes, and the other ends of the peers. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "bench/days/days.h"

wadi_status days_start(const char *const *arguments, pid_t *out, wadi_error *err) {
    char *argv[8] = {NULL};
    argv[0] = strdup("bench_days");
    for (int i = 0; i < 6 && arguments[i] != NULL; i++) argv[i + 1] = strdup(arguments[i]);
    *out = fork();
    if (*out == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)execv("/proc/self/exe", argv);
        _exit(127);
    }
    for (int i = 0; i < 8; i++) free(argv[i]);
    return *out > 0 ? WADI_OK : wadi_fail(err, WADI_IO, "no process is left");
}

void days_end(pid_t pid) {
    if (pid <= 0) return;
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
}

wadi_status days_worker(const char *address, pid_t *out, wadi_error *err) {
    return days_start((const char *const[]){"worker", address, NULL}, out, err);
}

wadi_status days_slow_worker(const char *address, int times, pid_t *out, wadi_error *err) {
    char number[16];
    (void)snprintf(number, sizeof number, "%d", times);
    return days_start((const char *const[]){"slow", address, number, NULL}, out, err);
}

static uint32_t slowness = 1;

/* Work that needs no processor. */
static wadi_status wait_us(void *env, int n, const wadi_foreign_array *in,
                           const wadi_foreign_array *out, wadi_error *err) {
    WADI_UNUSED(env);
    WADI_UNUSED(n);
    WADI_UNUSED(err);
    const uint32_t *record = in[0].data;
    uint32_t *answer = out->data;
    const uint32_t us = record[0] * slowness;
    const struct timespec t = {us / 1000000, (long)(us % 1000000) * 1000};
    if (record[0] > 0) (void)nanosleep(&t, NULL);
    for (int64_t i = 0; i < out->shape[0]; i++) answer[i] = record[i] + 1;
    return WADI_OK;
}

wadi_status days_know_wait_us(wadi_error *err) {
    static bool known;
    if (known) return WADI_OK;
    WADI_TRY(wadi_foreign_add("wait_us", wait_us, NULL, err));
    known = true;
    return WADI_OK;
}

static int work(const char *address) {
    const wadi_worker_options o = {.threads = 1, .stay = true};
    wadi_worker *w = NULL;
    wadi_error err = {.status = WADI_OK};
    wadi_status st = days_know_wait_us(&err);
    if (st == WADI_OK) st = wadi_worker_create(address, &o, &w, &err);
    if (st == WADI_OK) st = wadi_worker_go(w, &err);
    wadi_worker_destroy(w);
    if (st != WADI_OK) (void)fprintf(stderr, "a worker: %s\n", err.msg);
    return st == WADI_OK ? 0 : 1;
}

int days_be(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "worker") == 0) return work(argv[2]);
    if (argc == 4 && strcmp(argv[1], "slow") == 0) {
        slowness = (uint32_t)atoi(argv[3]);
        return work(argv[2]);
    }
    if (argc == 4 && strcmp(argv[1], "home") == 0) return days_home(argv[2], argv[3]);
    if (argc == 4 && strcmp(argv[1], "nats") == 0) return days_nats_answer(argv[2], atoll(argv[3]));
    if (argc == 4 && strcmp(argv[1], "part") == 0) return days_part(argv[2], argv[3], true);
    if (argc == 4 && strcmp(argv[1], "whole") == 0) return days_part(argv[2], argv[3], false);
    if (argc == 5 && strcmp(argv[1], "zmq") == 0)
        return days_zmq_answer(argv[2], atoll(argv[3]), atoll(argv[4]));
    return -1;
}
