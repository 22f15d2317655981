/* How long nothing comes out of a job when somebody is killed: a worker, the server, or home, which is saved. Each time all records must come out, in order. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "bench/days/days.h"

enum { WORKERS = 2, RECORDS = 160, QUICK_RECORDS = 60, WAIT_US = 5000, QUICK_US = 2000 };

#define ACK "1"
/* Where items wait for signs of life of a lost worker, that and a second are asked; over ZeroMQ a worker is late after two. */
#define ASKED_JETSTREAM_S 2.0
#define ASKED_ZMQ_S 3.0

typedef struct loss {
    days_way *way;
    int64_t records;
    uint32_t us;
    char address[DAYS_ADDRESS];
    wadi_status (*kill)(struct loss *l, wadi_error *err);
    pid_t worker[WORKERS];
    double peer_s; /* what the time is compared with */
} loss;

static wadi_status hire(loss *l, int n, wadi_error *err) {
    for (int i = 0; i < n; i++) WADI_TRY(days_worker(l->address, &l->worker[i], err));
    return WADI_OK;
}

static void dismiss(loss *l) {
    for (int i = 0; i < WORKERS; i++) {
        days_end(l->worker[i]);
        l->worker[i] = 0;
    }
}

/* ---- a worker, or the server ---- */

static wadi_status kill_worker(loss *l, wadi_error *err) {
    WADI_UNUSED(err);
    days_end(l->worker[0]);
    l->worker[0] = 0;
    return WADI_OK;
}

static wadi_status kill_server(loss *l, wadi_error *err) {
    const int64_t begin = wadi_clock_ns();
    days_server_kill(&l->way->server);
    WADI_TRY(days_server_again(&l->way->server, err));
    l->peer_s = 1e-9 * (double)(wadi_clock_ns() - begin);
    return WADI_OK;
}

static wadi_status run_disturbed(loss *l, double *out_s, wadi_error *err) {
    const days_waiting what = {
        .address = l->address, .workers = WORKERS, .chunk = 1, .us = l->us, .records = l->records};
    wadi_error why = {.status = WADI_OK};
    days_waits *run = NULL;
    days_times times;
    WADI_TRY(days_waits_begin(&what, &run, err));
    wadi_status st = WADI_OK;
    if (days_waits_until(run, l->records / 8)) {
        (void)days_waits_mark(run);
        st = l->kill(l, &why);
    }
    WADI_TRY(days_waits_end(run, &times, err));
    *out_s = times.silence_s;
    if (st != WADI_OK && err != NULL) *err = why;
    return st;
}

static wadi_status lose(void *env, double *out_s, wadi_error *err) {
    loss *l = env;
    wadi_status st = hire(l, WORKERS, err);
    if (st == WADI_OK) st = run_disturbed(l, out_s, err);
    dismiss(l);
    return st;
}

/* ---- home ---- */

/* The process that is killed: see days_home in days.h. */
int days_home(const char *address, const char *folder) {
    char in[1024], out[1024], state[1024];
    const int64_t shape[] = {DAYS_WORDS};
    const wadi_part part = wadi_part_fixed(WADI_U32, 1, shape);
    const wadi_run_options o = {.threads = 1,
                                .chunk = 1,
                                .forget = true,
                                .via = address,
                                .workers = 1,
                                .state = state,
                                .save_every_s = 0.02};
    wadi_exe *exe = NULL;
    wadi_run *run = NULL;
    wadi_source *source = NULL;
    wadi_sink *sink = NULL;
    wadi_error err = {.status = WADI_OK};
    (void)snprintf(in, sizeof in, "%s/in", folder);
    (void)snprintf(out, sizeof out, "%s/out", folder);
    (void)snprintf(state, sizeof state, "%s/state", folder);
    wadi_status st = days_know_wait_us(&err);
    if (st == WADI_OK) st = wadi_compile_text(days_waits_text, "waits", NULL, &exe, &err);
    if (st == WADI_OK) st = wadi_source_raw(in, &part, &source, &err);
    if (st == WADI_OK) st = wadi_sink_raw(out, &sink, &err);
    if (st == WADI_OK) st = wadi_run_create(exe, &o, &run, &err);
    if (st == WADI_OK) st = wadi_run_source(run, "s", source, &err);
    if (st == WADI_OK) st = wadi_run_sink(run, "t", sink, &err);
    if (st == WADI_OK) st = wadi_run_go(run, &err);
    wadi_run_destroy(run);
    wadi_source_destroy(source);
    wadi_sink_destroy(sink);
    wadi_exe_destroy(exe);
    if (st != WADI_OK) (void)fprintf(stderr, "home: %s\n", err.msg);
    return st == WADI_OK ? 0 : 1;
}

static void path_of(const loss *l, const char *name, char out[1024]) {
    (void)snprintf(out, 1024, "%s/%s", l->way->folder.path, name);
}

static wadi_status write_input(const loss *l, wadi_error *err) {
    char path[1024];
    uint32_t *words = malloc((size_t)l->records * DAYS_RECORD);
    if (words == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory for records");
    for (int64_t i = 0; i < l->records; i++) days_record(i, l->us, words + i * DAYS_WORDS);
    path_of(l, "in", path);
    const wadi_status st =
        wadi_file_write(path, words, (size_t)l->records * DAYS_RECORD, 0600, err);
    free(words);
    return st;
}

static wadi_status check_output(const loss *l, wadi_error *err) {
    char path[1024], *bytes = NULL;
    size_t n = 0;
    path_of(l, "out", path);
    WADI_TRY(wadi_file_read(path, &bytes, &n, err));
    bool same = n == (size_t)l->records * DAYS_RECORD;
    for (int64_t i = 0; same && i < l->records; i++)
        same = days_answers(i, l->us, (const uint32_t *)(const void *)bytes + i * DAYS_WORDS);
    free(bytes);
    (void)unlink(path);
    return same ? WADI_OK : wadi_fail(err, WADI_INTERNAL, "%s has other records", path);
}

/* Of the output, as far as there is one. */
static int64_t written(const loss *l) {
    char path[1024];
    struct stat about;
    path_of(l, "out.wadi-kept", path);
    if (stat(path, &about) == 0) return about.st_size;
    path_of(l, "out", path);
    return stat(path, &about) == 0 ? about.st_size : 0;
}

static bool has_ended(pid_t pid) {
    siginfo_t about = {.si_pid = 0};
    return waitid(P_PID, (id_t)pid, &about, WEXITED | WNOHANG | WNOWAIT) != 0 || about.si_pid != 0;
}

/* Waits until the output is longer than this. */
static wadi_status grow(const loss *l, pid_t home, int64_t than, double *out_s, wadi_error *err) {
    const struct timespec nap = {0, 1000000};
    const int64_t begin = wadi_clock_ns();
    for (;;) {
        const bool over = has_ended(home);
        if (written(l) > than) break;
        if (over) return wadi_fail(err, WADI_IO, "home has ended too early");
        (void)nanosleep(&nap, NULL);
    }
    *out_s = 1e-9 * (double)(wadi_clock_ns() - begin);
    return WADI_OK;
}

static wadi_status start_home(const loss *l, pid_t *out, wadi_error *err) {
    return days_start((const char *const[]){"home", l->address, l->way->folder.path, NULL}, out,
                      err);
}

/* Everything between two homes. *home is the one that is there, for the caller to end. */
static wadi_status kill_home(loss *l, pid_t *home, double *out_s, wadi_error *err) {
    double unused;
    WADI_TRY(start_home(l, home, err));
    WADI_TRY(grow(l, *home, 0, &l->peer_s, err));
    WADI_TRY(grow(l, *home, l->records / 4 * DAYS_RECORD, &unused, err));
    days_end(*home);
    *home = 0;
    const int64_t had = written(l);
    WADI_TRY(start_home(l, home, err));
    return grow(l, *home, had, out_s, err);
}

static wadi_status lose_home(void *env, double *out_s, wadi_error *err) {
    loss *l = env;
    pid_t home = 0;
    int status = 1;
    wadi_status st = write_input(l, err);
    if (st == WADI_OK) st = hire(l, 1, err);
    if (st == WADI_OK) st = kill_home(l, &home, out_s, err);
    if (st == WADI_OK) {
        (void)waitpid(home, &status, 0);
        home = 0;
        if (status != 0) st = wadi_fail(err, WADI_IO, "the second home fails");
    }
    if (st == WADI_OK) st = check_output(l, err);
    days_end(home);
    dismiss(l);
    return st;
}

/* ---- the lines ---- */

static wadi_status measure(bench *b, loss *l, const char *who, bench_fn run, const char *peer,
                           wadi_error *err) {
    char name[64];
    const bench_side sides[] = {{"wadi", run, l}, {peer, days_told, &l->peer_s}};
    (void)snprintf(name, sizeof name, "%s, a killed %s", l->way->name, who);
    if (!bench_wants(b, name)) return WADI_OK;
    days_address(l->way, who, ACK, l->address);
    return bench_compare(b, "recover", name, 2, sides, NULL, err);
}

static wadi_status on_way(bench *b, days_way *w, wadi_error *err) {
    const bool nats = w->server.port != 0;
    loss l = {.way = w,
              .records = b->quick ? QUICK_RECORDS : RECORDS,
              .us = b->quick ? QUICK_US : WAIT_US,
              .kill = kill_worker,
              .peer_s = nats ? ASKED_JETSTREAM_S : ASKED_ZMQ_S};
    WADI_TRY(measure(b, &l, "worker", lose, "asked", err));
    WADI_TRY(measure(b, &l, "home", lose_home, "a first start", err));
    l.kill = kill_server;
    return nats ? measure(b, &l, "server", lose, "nats-server alone", err) : WADI_OK;
}

wadi_status bench_recover(bench *b, wadi_error *err) {
    return days_each_way(b, "recover", on_way, err);
}
