/* A child process at the other end of two pipes. See child.h. */
#include "bench/streams/child.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

struct bench_child {
    pid_t pid;
    FILE *to, *from;
    char name[64];
    double number; /* of the latest run */
};

/* What a shell says when a command is not there. */
enum { NOT_FOUND = 127 };

static _Noreturn void become(const char *const *argv, const int in[2], const int out[2]) {
    (void)dup2(in[0], STDIN_FILENO);
    (void)dup2(out[1], STDOUT_FILENO);
    (void)close(in[0]);
    (void)close(in[1]);
    (void)close(out[0]);
    (void)close(out[1]);
    (void)execvp(argv[0], (char *const *)argv);
    _exit(NOT_FOUND);
}

static wadi_status start(const char *const *argv, bench_child *c, wadi_error *err) {
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    if (pipe(in) != 0 || pipe(out) != 0) {
        const int why = errno;
        if (in[0] >= 0) (void)close(in[0]);
        if (in[1] >= 0) (void)close(in[1]);
        return wadi_fail(err, WADI_IO, "pipe: %s", strerror(why));
    }
    /* A child that is started later must not hold this one's ends: it would not see that its input has ended. */
    (void)fcntl(in[1], F_SETFD, FD_CLOEXEC);
    (void)fcntl(out[0], F_SETFD, FD_CLOEXEC);
    c->pid = fork();
    if (c->pid == 0) become(argv, in, out);
    (void)close(in[0]);
    (void)close(out[1]);
    c->to = fdopen(in[1], "w");
    c->from = fdopen(out[0], "r");
    if (c->pid < 0 || c->to == NULL || c->from == NULL) {
        return wadi_fail(err, WADI_IO, "%s: %s", argv[0], strerror(errno));
    }
    return WADI_OK;
}

static wadi_status wait_ready(bench_child *c, wadi_error *err) {
    char line[256];
    if (fgets(line, sizeof line, c->from) == NULL) {
        int status = 0;
        const bool ended = waitpid(c->pid, &status, 0) == c->pid;
        c->pid = -1;
        if (ended && WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND) {
            return wadi_fail(err, WADI_UNSUPPORTED, "%s is not installed", c->name);
        }
        return wadi_fail(err, WADI_IO, "%s ended before it was ready", c->name);
    }
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "missing ", 8) == 0) {
        return wadi_fail(err, WADI_UNSUPPORTED, "%s", line + 8);
    }
    if (strcmp(line, "ready") == 0) return WADI_OK;
    return wadi_fail(err, WADI_IO, "%s says \"%s\", expected \"ready\"", c->name, line);
}

wadi_status bench_child_open(const char *const *argv, bench_child **out, wadi_error *err) {
    bench_child *c = calloc(1, sizeof *c);
    if (c == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    c->pid = -1;
    c->number = (double)NAN;
    (void)snprintf(c->name, sizeof c->name, "%s", argv[0]);
    wadi_status status = start(argv, c, err);
    if (status == WADI_OK) status = wait_ready(c, err);
    if (status != WADI_OK) {
        bench_child_close(c);
        return status;
    }
    *out = c;
    return WADI_OK;
}

wadi_status bench_child_ask(bench_child *c, const char *question, double *out_seconds,
                            wadi_error *err) {
    char line[256];
    if (fprintf(c->to, "%s\n", question) < 0 || fflush(c->to) != 0 ||
        fgets(line, sizeof line, c->from) == NULL) {
        return wadi_fail(err, WADI_IO, "%s ended early", c->name);
    }
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "missing ", 8) == 0) return wadi_fail(err, WADI_UNSUPPORTED, "%s", line + 8);
    char *end = line;
    *out_seconds = strtod(line, &end);
    if (end == line) return wadi_fail(err, WADI_IO, "%s: \"%s\" is no time", c->name, line);
    char *behind = end;
    const double number = strtod(end, &behind);
    c->number = behind != end ? number : (double)NAN;
    return WADI_OK;
}

wadi_status bench_child_run(void *env, double *out_seconds, wadi_error *err) {
    return bench_child_ask(env, "run", out_seconds, err);
}

double bench_child_number(const bench_child *c) {
    return c->number;
}

void bench_child_close(bench_child *c) {
    if (c == NULL) return;
    if (c->to != NULL) (void)fclose(c->to);
    if (c->from != NULL) (void)fclose(c->from);
    if (c->pid > 0) (void)waitpid(c->pid, NULL, 0);
    free(c);
}
