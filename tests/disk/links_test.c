/* Two runs with states, joined by a link. One of them is killed at one of the changes that it makes on the disk; whoever has ended without having
 * finished is started again with the same command. The output is that of one run, byte for byte, and nothing else is left.
 *
 * The control: a bare queue between two processes loses messages when the one that reads is killed.
 *
 * WADI_SEED=N begins with these chances. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "tests/disk/disk.h"

enum { SENDER, RECEIVER, SIDES, ARGUMENTS = 16, SKIPPED = 77, LIMIT_S = 60, STARTS = 8 };
enum { ROWS = 300, ROW = 10 };

static const char *const arguments[SIDES][ARGUMENTS] = {
    [SENDER] = {"run", "../in/first.wadi", "s=10:@../in/values.raw", "mid=@ipc://link", "--state",
                "sender", "--every", "0", "--chunk", "7", "--wait", "20"},
    [RECEIVER] = {"run", "../in/second.wadi", "mid=@ipc://link", "out=@out.raw", "--state",
                  "receiver", "--every", "0", "--chunk", "5", "--wait", "20"}};
static const char *const states[SIDES] = {"run/sender/state", "run/receiver/state"};
static const char *const logs[SIDES] = {"said/0.log", "said/1.log"};
static const char *const words[SIDES] = {"said/0", "said/1"};

static char root[PATH_MAX / 4];

static const char *in(const char *name) {
    static char paths[4][PATH_MAX];
    static int turn;
    char *path = paths[turn++ % 4];
    (void)snprintf(path, PATH_MAX, "%s/%s", root, name);
    return path;
}

static bool put(const char *name, const void *data, size_t n) {
    return wadi_file_write(in(name), data, n, 0600, NULL) == WADI_OK;
}

static bool put_inputs(void) {
    static double values[ROWS * ROW];
    static const char first[] = "program first\nstream_in s : seq(f64[?])\n"
                                "y = map_seq s (b) {\n  h = map b (x) { mul x 2.0 }\n  yield h\n}\n"
                                "stream_out \"mid\" y\n",
                      second[] = "program second\nstream_in mid : seq(f64[?])\n"
                                 "y = map_seq mid (b) {\n  h = map b (x) { add x 1.0 }\n"
                                 "  yield h\n}\nstream_out \"out\" y\n";
    for (int i = 0; i < ROWS * ROW; i++) values[i] = i;
    return put("in/values.raw", values, sizeof values) &&
           put("in/first.wadi", first, sizeof first - 1) &&
           put("in/second.wadi", second, sizeof second - 1);
}

/* ---- running ---- */

static void redirect(const char *name, int to) {
    const int fd = open(name, O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (fd < 0 || dup2(fd, to) < 0) _exit(126);
    (void)close(fd);
}

/* kill_at: the change at which it is killed; 0: none. */
static pid_t start(int side, long kill_at) {
    char program[PATH_MAX], recorder[PATH_MAX], number[24], *argv[ARGUMENTS + 1] = {0};
    const char *build = getenv("WADI_BUILD");
    const pid_t pid = fork();
    if (pid != 0) return pid;
    if (chdir(in("run")) != 0) _exit(126);
    setenv("WADI_CACHE_DIR", in("cache"), 1);
    setenv("WADI_LEARN", "off", 1);
    redirect(in(words[side]), STDOUT_FILENO);
    redirect(in(words[side]), STDERR_FILENO);
    (void)snprintf(program, sizeof program, "%s/cli/wadi", build);
    (void)snprintf(recorder, sizeof recorder, "%s/tests/libdisk_recorder.so", build);
    (void)snprintf(number, sizeof number, "%ld", kill_at);
    argv[0] = program;
    for (int i = 0; arguments[side][i] != NULL; i++) argv[i + 1] = strdup(arguments[side][i]);
    setenv("WADI_DISK", in(logs[side]), 1);
    if (kill_at > 0) setenv("WADI_DISK_KILL", number, 1);
    setenv("LD_PRELOAD", recorder, 1);
    (void)execv(program, argv);
    _exit(126);
}

typedef struct pair {
    pid_t pid[SIDES]; /* 0: it has finished */
    int starts[SIDES], kills;
    bool finished[SIDES];
} pair;

static void again(pair *p, int side) {
    p->finished[side] = false;
    p->pid[side] = start(side, 0);
    p->starts[side]++;
}

/* Who has finished may have to do it again, for the other one, which was killed before it knew of that. */
static bool after(pair *p, int side, int status) {
    const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    const int other = 1 - side;
    p->pid[side] = 0;
    p->kills += killed;
    p->finished[side] = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (p->finished[side]) return true;
    if (p->starts[side] >= STARTS) return false;
    again(p, side);
    if (!killed && p->finished[other]) again(p, other);
    return true;
}

/* Until both have finished. False: that does not come. */
static bool run(pair *p) {
    const struct timespec nap = {0, 500000};
    const int64_t until = wadi_clock_ns() + LIMIT_S * INT64_C(1000000000);
    bool well = true;
    while (well && (p->pid[SENDER] != 0 || p->pid[RECEIVER] != 0)) {
        for (int side = 0; side < SIDES && well; side++) {
            int status = 0;
            if (p->pid[side] != 0 && waitpid(p->pid[side], &status, WNOHANG) == p->pid[side])
                well = after(p, side, status);
        }
        well = well && wadi_clock_ns() < until;
        (void)nanosleep(&nap, NULL);
    }
    for (int side = 0; side < SIDES; side++) {
        if (p->pid[side] == 0) continue;
        (void)kill(p->pid[side], SIGKILL);
        (void)waitpid(p->pid[side], NULL, 0);
    }
    return well;
}

static const char *what_is_wrong(void) {
    char *got = NULL;
    size_t n = 0;
    if (wadi_file_read(in("run/out.raw"), &got, &n, NULL) != WADI_OK) return "there is no output";
    bool same = n == ROWS * ROW * sizeof(double);
    for (int i = 0; same && i < ROWS * ROW; i++) {
        double x;
        memcpy(&x, got + (size_t)i * sizeof x, sizeof x);
        same = x == 2.0 * i + 1;
    }
    free(got);
    if (!same) return "the output is another one";
    for (int side = 0; side < SIDES; side++)
        if (wadi_file_exists(in(states[side]))) return "a state is left";
    return NULL;
}

static void tell(const char *name) {
    char *said = NULL;
    size_t n = 0;
    if (wadi_file_read(in(name), &said, &n, NULL) != WADI_OK) return;
    fprintf(stderr, "-- %s\n%s", name, said);
    free(said);
}

/* One that is killed at the n-th change, or none. changes: of each side, if nobody is killed. */
static bool kill_at(int side, long n, long changes[SIDES], int *kills) {
    pair p = {.starts = {1, 1}};
    disk_empty(in("run"));
    disk_empty(in("said"));
    for (int k = 0; k < SIDES; k++) p.pid[k] = start(k, k == side ? n : 0);
    const char *why = run(&p) ? what_is_wrong() : "it does not come to an end";
    *kills += p.kills;
    for (int k = 0; k < SIDES && changes != NULL; k++) {
        disk_log log = disk_read_log(in(logs[k]));
        changes[k] = log.n;
        disk_free_log(&log);
    }
    if (why == NULL) return true;
    fprintf(stderr, "FAILED: the %s killed at its change %ld: %s\n",
            side == SENDER ? "sender" : "receiver", n, why);
    tell(words[SENDER]);
    tell(words[RECEIVER]);
    return false;
}

/* ---- the control ---- */

enum { MESSAGES = 2000, BEFORE = 50 };

/* Reads until nothing comes any more, and says how many came; is killed after `most`. */
static void pull(const char *address, int to, int most) {
    void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_PULL);
    const int patience = 1000;
    int n = 0;
    (void)zmq_setsockopt(socket, ZMQ_RCVTIMEO, &patience, sizeof patience);
    if (zmq_connect(socket, address) != 0) _exit(1);
    while (zmq_recv(socket, &(char){0}, 1, 0) == 1) {
        if (++n == most && write(to, &n, sizeof n) == sizeof n) (void)raise(SIGKILL);
    }
    if (write(to, &n, sizeof n) != sizeof n) _exit(1);
    _exit(0);
}

static int pull_in_child(const char *address, int most) {
    int ends[2], n = 0;
    if (pipe(ends) != 0) abort();
    const pid_t pid = fork();
    if (pid == 0) pull(address, ends[1], most);
    (void)waitpid(pid, NULL, 0);
    if (read(ends[0], &n, sizeof n) != sizeof n) abort();
    (void)close(ends[0]);
    (void)close(ends[1]);
    return n;
}

static void push(const char *address) {
    void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_PUSH);
    if (zmq_bind(socket, address) != 0) _exit(1);
    for (int i = 0; i < MESSAGES; i++)
        if (zmq_send(socket, "m", 1, 0) != 1) _exit(1);
    (void)zmq_close(socket);
    (void)zmq_ctx_term(context);
    _exit(0);
}

static bool a_bare_queue_loses(void) {
    char address[PATH_MAX];
    (void)snprintf(address, sizeof address, "ipc://%s", in("q"));
    const pid_t pid = fork();
    if (pid == 0) push(address);
    const int first = pull_in_child(address, BEFORE), second = pull_in_child(address, -1);
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
    printf("a bare queue: %d of %d messages lost\n", MESSAGES - first - second, MESSAGES);
    return first == BEFORE && first + second < MESSAGES;
}

/* ---- all ---- */

static bool set_up(void) {
    static const char *const folders[] = {"in", "run", "cache", "said"};
    const char *sanitize = getenv("WADI_SANITIZE");
    char here[PATH_MAX / 8];
    if (getenv("WADI_BUILD") == NULL ||
        (sanitize != NULL && *sanitize != '\0' && strcmp(sanitize, "OFF") != 0)) {
        fprintf(stderr, "skipped: a sanitizer and the recorder do not go together\n");
        return false;
    }
    if (getcwd(here, sizeof here) == NULL) return false;
    (void)snprintf(root, sizeof root, "%s/links_%d", here, (int)getpid());
    if (mkdir(root, 0700) != 0) return false;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (mkdir(in(folders[i]), 0700) != 0) return false;
    return put_inputs();
}

int main(void) {
    const char *said = getenv("WADI_SEED"), *all = getenv("WADI_TEST_ALL");
    uint64_t seed = said != NULL ? strtoull(said, NULL, 10) : 1;
    const int64_t from = wadi_clock_ns();
    const double most = all != NULL ? 60 : 6;
    long changes[SIDES] = {0}, tried = 0;
    int wrong = 0, kills = 0;
    const bool ready = set_up();
    if (ready) wrong += !a_bare_queue_loses();
    if (ready) wrong += !kill_at(-1, 0, changes, &kills);
    for (; ready && wrong == 0; tried++, seed++) {
        const int side = (int)(wadi_hash64(seed) % SIDES);
        if ((double)(wadi_clock_ns() - from) / 1e9 > most && tried >= 4) break;
        const long n = 1 + (long)(wadi_hash64(seed ^ 1 << 20) % (uint64_t)(changes[side] + 1));
        wrong += !kill_at(side, n, NULL, &kills);
        if (wrong > 0) fprintf(stderr, "WADI_SEED=%llu\n", (unsigned long long)seed);
    }
    printf("%ld pairs of runs, %d killed, of %ld and %ld changes, %d wrong, %.1f s\n", tried, kills,
           changes[SENDER], changes[RECEIVER], wrong, (double)(wadi_clock_ns() - from) / 1e9);
    if (root[0] != '\0') disk_empty(root);
    if (root[0] != '\0') (void)rmdir(root);
    return !ready ? SKIPPED : wrong == 0 ? 0 : 1;
}
