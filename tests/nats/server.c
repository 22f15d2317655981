/* Servers, workers and jobs for tests. */
#include "tests/nats/server.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/loadable.h"
#include "tests/port.h"

static const int64_t lost_after_ns = INT64_C(20000000000);
static const int64_t hangs_after_ns = 200000000; /* a worker of that mode */
static const char program[] = "/usr/sbin/nats-server";

void test_need_nats(void) {
    const void *ops = NULL;
    wadi_error err = {0};
    const char *why = NULL;
    if (access(program, X_OK) != 0) why = "nats-server is not installed";
    if (wadi_loadable_get("nats", "work", &ops, &err) != WADI_OK) why = err.msg;
    if (why == NULL) return;
    (void)printf("skipped: %s\n", why);
    exit(77);
}

/* ---- the server ---- */

int test_server_noted(const test_server *s, const char *word) {
    char path[128], *text = NULL;
    size_t n = 0;
    int times = 0;
    (void)snprintf(path, sizeof path, "%s/log", s->folder);
    if (wadi_file_read(path, &text, &n, NULL) != WADI_OK) return 0;
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) times++;
    free(text);
    return times;
}

/* How often it has begun. Connections are taken before that, but a server of 2.9.10 that is asked for a stream by then may crash. */
static int beginnings(const test_server *s) {
    return test_server_noted(s, "Server is ready");
}

void test_server_again(test_server *s) {
    char config[128], log[128];
    (void)snprintf(config, sizeof config, "%s/config", s->folder);
    (void)snprintf(log, sizeof log, "%s/log", s->folder);
    const int before = beginnings(s);
    s->pid = fork();
    assert_true(s->pid >= 0);
    if (s->pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)execl(program, "nats-server", "-c", config, "-l", log, (char *)NULL);
        _exit(127);
    }
    const struct timespec nap = {0, 5000000};
    for (int i = 0; i < 4000 && beginnings(s) == before; i++) {
        assert_int_equal(waitpid(s->pid, NULL, WNOHANG), 0);
        (void)nanosleep(&nap, NULL);
    }
    assert_true(beginnings(s) > before);
}

void test_server_start(test_server *s, bool jetstream, const char *extra) {
    char path[128], text[1024];
    *s = (test_server){.port = test_port(), .jetstream = jetstream};
    assert_true(s->port > 0);
    (void)snprintf(s->folder, sizeof s->folder, "/tmp/wadi-nats-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    (void)snprintf(path, sizeof path, "%s/config", s->folder);
    const int n = snprintf(text, sizeof text, "listen: \"127.0.0.1:%d\"\n%s%s%s%s\n", s->port,
                           jetstream ? "jetstream: {store_dir: \"" : "", jetstream ? s->folder : "",
                           jetstream ? "\"}\n" : "", extra);
    assert_int_equal(wadi_file_write(path, text, (size_t)n, 0600, NULL), WADI_OK);
    test_server_again(s);
}

void test_server_kill(test_server *s) {
    assert_int_equal(kill(s->pid, SIGKILL), 0);
    (void)waitpid(s->pid, NULL, 0);
}

void test_server_end(test_server *s) {
    char command[128];
    test_server_kill(s);
    (void)snprintf(command, sizeof command, "rm -rf %s", s->folder);
    assert_int_equal(system(command), 0);
}

const char *test_address(int port, const char *job, const char *settings) {
    static char buffers[4][512];
    static int next;
    char *out = buffers[next++ % 4];
    (void)snprintf(out, sizeof buffers[0], "nats://127.0.0.1:%d/%s?ack=1%s", port, job, settings);
    return out;
}

/* ---- ends ---- */

wadi_status test_try_open(const char *address, bool home, wadi_workq **out, wadi_error *err) {
    const wadi_workq_options o = {
        .address = address, .home = home, .wake_fd = -1, .lost_after_ns = lost_after_ns};
    return wadi_way_open(&o, out, err);
}

wadi_workq *test_open(const char *address, bool home) {
    wadi_workq *q = NULL;
    wadi_error err = {0};
    if (test_try_open(address, home, &q, &err) != WADI_OK) fail_msg("%s: %s", address, err.msg);
    return q;
}

void test_await(wadi_workq *home, int workers) {
    wadi_error err = {0};
    while (home->ops->workers(home) < workers) {
        wadi_work_item none;
        if (home->ops->collect(home, 10000000, &none, &err) != WADI_OK) fail_msg("%s", err.msg);
        assert_int_equal(none.number, -1);
    }
}

const wadi_jet_jobs_offer *test_jobs(void) {
    const void *ops = NULL;
    wadi_error err = {0};
    if (wadi_loadable_get("nats", "jobs", &ops, &err) != WADI_OK) fail_msg("%s", err.msg);
    return ops;
}

/* ---- items ---- */

static uint32_t mix(uint64_t x) {
    x ^= x >> 31;
    x *= UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(x >> 32);
}

char *test_item(int64_t number, int64_t n) {
    char *out = malloc((size_t)n + 4);
    assert_non_null(out);
    for (int64_t i = 0; i < n; i += 4) {
        const uint32_t word = mix((uint64_t)number * 1000003 + (uint64_t)i);
        memcpy(out + i, &word, 4);
    }
    return out;
}

char *test_answer(int64_t number, const char *item, int64_t n) {
    char *out = malloc((size_t)n + 8);
    if (out == NULL) return NULL;
    for (int64_t i = 0; i < n; i++) out[i] = (char)(item[i] ^ 0x5a);
    memcpy(out + n, &number, 8);
    return out;
}

bool test_answers(int64_t number, int64_t n, const wadi_work_item *answer) {
    if (answer->n != n + 8 || answer->number != number) return false;
    char *item = test_item(number, n), *right = test_answer(number, item, n);
    const bool same = memcmp(right, answer->bytes, (size_t)n + 8) == 0;
    free(right);
    free(item);
    return same;
}

void test_run(wadi_workq *q, test_job *job) {
    char *seen = calloc((size_t)job->items, 1);
    int64_t submitted = 0, answered = 0;
    wadi_error err = {0};
    assert_non_null(seen);
    while (answered < job->items) {
        for (; submitted < job->items; submitted++) {
            const int64_t number = job->first + submitted,
                          n = job->size != NULL ? job->size(number) : job->n;
            if (!q->ops->has_room(q, n)) break;
            char *item = test_item(number, n);
            if (q->ops->submit(q, number, item, n, &err) != WADI_OK) fail_msg("%s", err.msg);
            free(item);
        }
        wadi_work_item a;
        if (q->ops->collect(q, 1000000000, &a, &err) != WADI_OK) fail_msg("%s", err.msg);
        if (a.number < 0) continue;
        const int64_t i = a.number - job->first;
        assert_in_range(i, 0, job->items - 1);
        assert_int_equal(seen[i]++, 0);
        if (a.status == WADI_OK)
            assert_true(
                test_answers(a.number, job->size != NULL ? job->size(a.number) : job->n, &a));
        else
            job->failed++;
        free(a.bytes);
        answered++;
        if (job->between != NULL) job->between(job->env, answered);
    }
    free(seen);
}

/* ---- workers ---- */

/* At an item for ever, beside another worker. */
static void hang(const char *address) {
    (void)test_worker(address, "plain");
    for (;;) (void)pause();
}

static wadi_status open_worker(const char *address, const char *mode, wadi_workq **out,
                               wadi_error *err) {
    const wadi_workq_options o = {.address = address,
                                  .home = strcmp(mode, "home") == 0,
                                  .wake_fd = -1,
                                  .lost_after_ns = lost_after_ns,
                                  .hangs_after_ns = *mode == 'h' ? hangs_after_ns : 0};
    return wadi_way_open(&o, out, err);
}

/* Until it loses the job. */
static wadi_status stay_home(wadi_workq *q, wadi_error *err) {
    wadi_work_item none;
    wadi_status st = q->ops->offer(q, "x", 1, err);
    while (st == WADI_OK) st = q->ops->collect(q, -1, &none, err);
    return st;
}

/* Modes: "plain"; "kill=N" kills itself at the item of that number; "long=N" takes 2 s for it; "hang=N" stays at it for ever, beside another worker;
 * "fail=N" cannot compute every Nth; "stay" works for one job after another; "home" is no worker, but a home without items. */
static int work(const char *address, const char *mode) {
    wadi_workq *q = NULL;
    wadi_error err = {0};
    void *charter = NULL;
    int64_t n = 0;
    long at = -1;
    const char *number = strchr(mode, '=');
    if (number != NULL) at = strtol(number + 1, NULL, 10);
    if (open_worker(address, mode, &q, &err) != WADI_OK) goto failed;
    if (strcmp(mode, "home") == 0 && stay_home(q, &err) != WADI_OK) goto failed;
    for (;;) {
        if (q->ops->charter(q, &charter, &n, &err) != WADI_OK) goto failed;
        free(charter);
        for (;;) {
            wadi_work_item item, answer;
            if (q->ops->fetch(q, &item, &err) != WADI_OK) goto failed;
            if (item.number < 0 && item.status == WADI_OK && strcmp(mode, "stay") != 0) {
                q->ops->close(q);
                return 0;
            }
            if (item.number < 0) break;
            if (*mode == 'k' && item.number == at) (void)raise(SIGKILL);
            if (*mode == 'h' && item.number == at) hang(address);
            if (*mode == 'l' && item.number == at)
                (void)nanosleep(&(struct timespec){.tv_sec = 2}, NULL);
            answer = (wadi_work_item){item.number, WADI_OK, NULL, 0};
            if (*mode == 'f' && item.number % at == 0) {
                answer.status = WADI_FAULT;
            } else {
                answer.bytes = test_answer(item.number, item.bytes, item.n);
                answer.n = item.n + 8;
            }
            const wadi_status st = q->ops->answer(q, &answer, &err);
            free(answer.bytes);
            free(item.bytes);
            if (st != WADI_OK) goto failed;
        }
    }
failed:
    (void)fprintf(stderr, "worker: %s\n", err.msg);
    if (q != NULL) q->ops->close(q);
    return 1;
}

int test_worker_main(int argc, char **argv) {
    if (argc != 4 || strcmp(argv[1], "worker") != 0) return -1;
    return work(argv[2], argv[3]);
}

pid_t test_worker(const char *address, const char *mode) {
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)execl("/proc/self/exe", "worker", "worker", address, mode, (char *)NULL);
        _exit(127);
    }
    return pid;
}

int test_wait(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0) assert_int_equal(errno, EINTR);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
