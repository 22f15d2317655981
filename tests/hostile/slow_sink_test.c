/* A sink that is a hundred times slower than its source: what is in memory is bounded by the budget, however much input there is. Alone, at both ends of a
 * link, and with a worker. Memory is what a run counts of its chunks, in whole blocks; and what the system says that a process had at most, less what it has with hardly
 * any input, which includes what the C library keeps of what was freed. */
#define _DEFAULT_SOURCE /* wait4 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <zmq.h>

#include "sched/link/link.h"
#include "sched/transport/zmq/message.h"

enum { MIB = 1 << 20, BUDGET = 16, SLOW = 8, BLOCK = 1 << 16, ARGUMENTS = 16 };

enum { RECORD = 8000, INPUT_BYTES = 16000 * RECORD, SMALL_BYTES = 2 * RECORD };

static const char program[] = "program double\n"
                              "stream_in s : seq(f64[?])\n"
                              "y = map_seq s (b) {\n"
                              "  h = map b (x) { mul x 2.0 }\n"
                              "  yield h\n"
                              "}\n"
                              "stream_out \"out\" y\n";
static char folder[] = "/tmp/wadi-slow-XXXXXX", wadi[512];

static void write_input(const char *name, int64_t n) {
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    assert_int_equal(ftruncate(fileno(f), n), 0);
    assert_int_equal(fclose(f), 0);
}

static int set_up(void **state) {
    (void)state;
    (void)snprintf(wadi, sizeof wadi, "%s/cli/wadi", getenv("WADI_BUILD"));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    FILE *f = fopen("double.wadi", "w");
    assert_non_null(f);
    assert_true(fputs(program, f) >= 0);
    assert_int_equal(fclose(f), 0);
    write_input("large", INPUT_BYTES);
    write_input("small", SMALL_BYTES);
    return 0;
}

static int tear_down(void **state) {
    char command[64];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

/* The program with these arguments, ended by NULL; its output goes there, -1: to ours, and what it says into the file `told`. */
static pid_t start(int out, const char *told, const char *const *arguments) {
    const char *argv[ARGUMENTS] = {"wadi"};
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0) return pid;
    for (int i = 0; i + 2 < ARGUMENTS && arguments[i] != NULL; i++) argv[i + 1] = arguments[i];
    if (out >= 0) (void)dup2(out, STDOUT_FILENO);
    if (freopen(told, "w", stderr) == NULL) _exit(126);
    (void)execv(wadi, (char *const *)(uintptr_t)argv);
    _exit(127);
}

/* Bytes that it had at most. */
static int64_t finish(pid_t pid) {
    struct rusage used;
    int status = -1;
    assert_int_equal(wait4(pid, &status, 0, &used), pid);
    assert_int_equal(status, 0);
    return (int64_t)used.ru_maxrss * 1024;
}

/* Takes all that comes, and the first of it slowly. */
static int64_t drain(int from, bool slowly) {
    static char block[BLOCK];
    const struct timespec nap = {.tv_nsec = 2000000};
    int64_t all = 0;
    for (ssize_t n; (n = read(from, block, sizeof block)) > 0; all += n)
        if (slowly && all < (int64_t)SLOW * MIB) (void)nanosleep(&nap, NULL);
    (void)close(from);
    return all;
}

/* Bytes of chunks and temporaries that a run says it had at most; 0: it says nothing. */
static int64_t read_count(const char *told) {
    char line[512];
    long long count = 0;
    FILE *f = fopen(told, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f) != NULL) {
        const char *end = strstr(line, " at most in memory"), *at = end;
        while (at != NULL && at > line && at[-1] != ' ') at--;
        if (end != NULL) count = strtoll(at, NULL, 10);
    }
    assert_int_equal(fclose(f), 0);
    return count;
}

enum { ALONE, LINK, WORKER, WAYS };

typedef struct peaks {
    int64_t taker, other; /* bytes: of whoever has the slow sink; of who is at the other end */
    int64_t taker_counts, other_counts; /* bytes that they counted themselves */
} peaks;

static peaks run(int way, bool large) {
    const char *const input = large ? "s=1000:@large" : "s=1000:@small";
    const char *const alone[] = {"run",      "double.wadi", input,     "out=@-",
                                 "--memory", "16M",         "--stats", NULL};
    const char *const sender[] = {"run",      "double.wadi", input,     "out=@ipc://link",
                                  "--memory", "16M",         "--stats", "--wait",
                                  "60",       NULL};
    const char *const home[] = {"run",         "double.wadi", input,     "out=@-",
                                "--memory",    "16M",         "--stats", "--via",
                                "ipc://queue", "--workers",   "1",       NULL};
    static const char *const link[] = {"run", "double.wadi", "s=@ipc://link", "out=@-", "--memory",
                                       "16M", "--stats",     "--wait",        "60",     NULL};
    static const char *const worker[] = {"work",     "ipc://queue", "--wait", "60",
                                         "--memory", "16M",         NULL};
    int ends[2];
    peaks p = {0};
    assert_int_equal(pipe(ends), 0);
    const char *const *taker = way == ALONE ? alone : way == LINK ? link : home;
    const pid_t takes = start(ends[1], "taker", taker);
    (void)close(ends[1]);
    const pid_t other = way == ALONE ? -1 : start(-1, "other", way == LINK ? sender : worker);
    const int64_t got = drain(ends[0], large);
    assert_true(got >= (large ? INPUT_BYTES : SMALL_BYTES));
    p.taker = finish(takes);
    if (other >= 0) p.other = finish(other);
    p.taker_counts = read_count("taker");
    if (other >= 0) p.other_counts = read_count("other");
    return p;
}

/* Tenths of the budget: what the system says, with what the C library keeps between threads; and what is counted, in whole blocks. */
typedef struct bound {
    const char *who;
    int tenths, counted;
} bound;

static void check(const bound *b, int64_t more, int64_t counted) {
    enum { SLACK = 1 };
    print_message("%s: %.1f MiB more than with hardly any input, counted %.1f\n", b->who,
                  (double)more / MIB, (double)counted / MIB);
    if (more > (int64_t)b->tenths * BUDGET * MIB / 10 + (int64_t)SLACK * MIB)
        fail_msg("%s: %.1f MiB, the budget is %d", b->who, (double)more / MIB, BUDGET);
    if (counted > (int64_t)b->counted * BUDGET * MIB / 10)
        fail_msg("%s: counted %.1f MiB, the budget is %d", b->who, (double)counted / MIB, BUDGET);
}

static void a_slow_sink_fills_no_memory(void **state) {
    static const bound takers[WAYS] = {{"a run", 11, 11}, {"a receiver", 11, 8}, {"a home", 11, 9}};
    static const bound others[WAYS] = {{NULL}, {"a sender", 11, 11}, {"a worker", 11, 0}};
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        (void)run(way, true); /* compiles, and what a compiler has would count as ours */
        const peaks base = run(way, false), had = run(way, true);
        assert_true(had.taker_counts > 0);
        assert_true(had.taker > base.taker);
        if (others[way].who != NULL) assert_true(had.other > base.other);
        check(&takers[way], had.taker - base.taker, had.taker_counts);
        assert_int_equal(had.other_counts > 0, others[way].counted > 0); /* a worker says nothing */
        if (others[way].who != NULL) check(&others[way], had.other - base.other, had.other_counts);
    }
}

/* A receiver says in READY how much it takes, of which it holds twice as much at most. */
static int64_t credit_of(const char *out) {
    const char *const receiver[] = {"run", "double.wadi", "s=@ipc://credit", out, "--memory",
                                    "16M", NULL};
    const wadi_control hello = {.version = 2, .kind = WADI_CONTROL_HELLO, .number = 2};
    wadi_control c = {0};
    uint8_t bytes[WADI_CONTROL_BYTES];
    const pid_t pid = start(-1, "receiver", receiver);
    void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_DEALER);
    const int patience_ms = 60000, linger = 0;
    assert_int_equal(zmq_setsockopt(socket, ZMQ_RCVTIMEO, &patience_ms, sizeof patience_ms), 0);
    assert_int_equal(zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger), 0);
    assert_int_equal(zmq_connect(socket, "ipc://credit"), 0);
    wadi_control_write(&hello, bytes);
    assert_int_equal(zmq_send(socket, bytes, sizeof bytes, 0), sizeof bytes);
    while (c.kind != WADI_LINK_READY) {
        assert_int_equal(zmq_recv(socket, bytes, sizeof bytes, 0), sizeof bytes);
        assert_int_equal(wadi_control_read(bytes, sizeof bytes, &c, NULL), WADI_OK);
    }
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    (void)zmq_close(socket);
    (void)zmq_ctx_term(context);
    return c.bytes;
}

static void links_share_a_part_of_the_memory(void **state) {
    (void)state;
    assert_int_equal(credit_of("out=@-"), BUDGET * MIB / 4);
    assert_int_equal(credit_of("out=@ipc://next"), BUDGET * MIB / 8);
}

int main(void) {
    enum { SKIPPED = 77 };
    const char *sanitize = getenv("WADI_SANITIZE");
    if (sanitize != NULL && *sanitize != '\0' && strcmp(sanitize, "OFF") != 0) {
        print_message("skipped: a sanitizer takes memory of its own\n");
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(links_share_a_part_of_the_memory),
                                       cmocka_unit_test(a_slow_sink_fills_no_memory)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
