/* A NATS server for benchmarks. */
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "bench/days/days.h"

static const char *const programs[] = {"/usr/sbin/nats-server", "/usr/local/bin/nats-server",
                                       "/usr/bin/nats-server"};

static const char *find_program(void) {
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (access(programs[i], X_OK) == 0) return programs[i];
    return NULL;
}

wadi_status days_port(int *out, wadi_error *err) {
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof a;
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    const bool got = s >= 0 && bind(s, (struct sockaddr *)&a, sizeof a) == 0 &&
                     getsockname(s, (struct sockaddr *)&a, &n) == 0;
    if (s >= 0) (void)close(s);
    *out = ntohs(a.sin_port);
    return got ? WADI_OK : wadi_fail(err, WADI_IO, "there is no free port");
}

/* Connections are taken before that, but a server of 2.9.10 that is asked for a job by then may crash. */
static bool is_ready(const char *log) {
    char *text = NULL;
    size_t n = 0;
    if (wadi_file_read(log, &text, &n, NULL) != WADI_OK) return false;
    const bool ready = strstr(text, "Server is ready") != NULL;
    free(text);
    return ready;
}

wadi_status days_server_again(days_server *s, wadi_error *err) {
    char config[1024], log[1024];
    const struct timespec nap = {0, 5000000};
    (void)snprintf(config, sizeof config, "%s/config", s->folder.path);
    (void)snprintf(log, sizeof log, "%s/log", s->folder.path);
    (void)unlink(log); /* of the server before */
    s->pid = fork();
    if (s->pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)execl(find_program(), "nats-server", "-c", config, "-l", log, (char *)NULL);
        _exit(127);
    }
    for (int i = 0; s->pid > 0 && i < 4000; i++) {
        if (is_ready(log)) return WADI_OK;
        if (waitpid(s->pid, NULL, WNOHANG) != 0) s->pid = 0;
        (void)nanosleep(&nap, NULL);
    }
    s->pid = 0;
    return wadi_fail(err, WADI_IO, "nats-server does not start; see %s", log);
}

wadi_status days_server_start(days_server *s, wadi_error *err) {
    char path[1024], text[1200];
    *s = (days_server){.port = 0};
    if (find_program() == NULL)
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "nats-server is not installed (apt install nats-server)");
    WADI_TRY(days_port(&s->port, err));
    WADI_TRY(wadi_folder_make(".", "bench_days.", &s->folder, err));
    (void)snprintf(path, sizeof path, "%s/config", s->folder.path);
    const int n =
        snprintf(text, sizeof text, "listen: \"127.0.0.1:%d\"\njetstream: {store_dir: \"%s\"}\n",
                 s->port, s->folder.path);
    WADI_TRY(wadi_file_write(path, text, (size_t)n, 0600, err));
    return days_server_again(s, err);
}

void days_server_kill(days_server *s) {
    days_end(s->pid);
    s->pid = 0;
}

void days_server_end(days_server *s) {
    days_server_kill(s);
    days_folder_end(&s->folder);
}
