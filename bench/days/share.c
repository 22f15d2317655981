/* A stream that 1, 2 or 4 processes share over links (`@link,share`, `part`, `gather`), against one process between two links of its own, and against threads of one process. Chunks
 * that wait need no processor, so there it is seen what more parts bring; those that do not wait show what the links let through. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "bench/days/days.h"

enum { CHUNK = 4096, MOST = 4, WAIT_US = 10000, QUICK_US = 2000 };

static const char pass_text[] =
    "program pass\nstream_in s : seq(u32[16])\n"
    "t = map_seq s (x) {\n    y = map x (v) { add v 0u32 }\n    yield y\n}\n"
    "stream_out \"t\" t\n";

typedef struct stream {
    const days_way *w;
    int parts;
    bool shared;
    uint32_t us; /* that a chunk waits */
    int64_t records;
    int64_t delivered, first_ns, last_ns;
    bool wrong;
} stream;

static void address_of(const days_way *w, const char *name, char out[DAYS_ADDRESS]) {
    (void)snprintf(out, DAYS_ADDRESS, "ipc://%s/%s", w->folder.path, name);
}

static void sign_of(const char *folder, int part, char out[DAYS_ADDRESS]) {
    (void)snprintf(out, DAYS_ADDRESS, "%s/part.%d", folder, part);
}

static uint32_t us_of(const stream *s, int64_t index) {
    return index % CHUNK == 0 ? s->us : 0;
}

/* ---- one run, between what is given ---- */

static wadi_status compile(const char *text, wadi_exe **out, wadi_error *err) {
    WADI_TRY(days_know_wait_us(err));
    return wadi_compile_text(text, "share", NULL, out, err);
}

static wadi_status go_by(const wadi_exe *exe, wadi_source *source, wadi_sink *sink,
                         wadi_error *err) {
    const wadi_run_options o = {.threads = 1, .chunk = CHUNK, .forget = true};
    wadi_run *run = NULL;
    wadi_status st = wadi_run_create(exe, &o, &run, err);
    if (st == WADI_OK) st = wadi_run_source(run, "s", source, err);
    if (st == WADI_OK) st = wadi_run_sink(run, "t", sink, err);
    if (st == WADI_OK) st = wadi_run_go(run, err);
    wadi_run_destroy(run);
    return st;
}

/* Takes over both ends. */
static wadi_status go(const char *text, wadi_source *source, wadi_sink *sink, wadi_error *err) {
    wadi_exe *exe = NULL;
    wadi_status st = compile(text, &exe, err);
    if (st == WADI_OK) st = go_by(exe, source, sink, err);
    wadi_exe_destroy(exe);
    wadi_source_destroy(source);
    wadi_sink_destroy(sink);
    return st;
}

/* Says that it is there. A sender tells what elements are with the first of them, so whoever opens a link waits for that. */
static wadi_status give_sign(const char *folder, const char *number, wadi_error *err) {
    char sign[DAYS_ADDRESS];
    sign_of(folder, atoi(number), sign);
    FILE *f = fopen(sign, "w");
    if (f == NULL || fclose(f) != 0) return wadi_fail(err, WADI_IO, "%s: no file", sign);
    return WADI_OK;
}

int days_part(const char *folder, const char *number, bool shared) {
    const wadi_link_options o = {.shared = shared, .first_after_ms = 60000};
    char up[DAYS_ADDRESS], down[DAYS_ADDRESS];
    wadi_exe *exe = NULL;
    wadi_source *source = NULL;
    wadi_sink *sink = NULL;
    wadi_error err = {.status = WADI_OK};
    (void)snprintf(up, sizeof up, "ipc://%s/up", folder);
    (void)snprintf(down, sizeof down, "ipc://%s/down", folder);
    wadi_status st = compile(days_waits_text, &exe, &err);
    if (st == WADI_OK) st = give_sign(folder, number, &err);
    if (st == WADI_OK) st = wadi_source_link(up, &o, &source, &err);
    if (st == WADI_OK) st = wadi_sink_link(down, &o, &sink, &err);
    if (st == WADI_OK) st = go_by(exe, source, sink, &err);
    wadi_exe_destroy(exe);
    wadi_source_destroy(source);
    wadi_sink_destroy(sink);
    if (st != WADI_OK) (void)fprintf(stderr, "a part: %s\n", err.msg);
    return st == WADI_OK ? 0 : 1;
}

/* ---- both ends ---- */

/* The stream begins when all parts are there. */
static void await_parts(const stream *s) {
    char sign[DAYS_ADDRESS];
    for (int i = 0; i < s->parts; i++) {
        sign_of(s->w->folder.path, i, sign);
        for (int tries = 0; access(sign, F_OK) != 0 && tries < 60000; tries++)
            (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

static wadi_status pull(void *env, int64_t index, wadi_yield *yield, wadi_error *err) {
    stream *s = env;
    wadi_array a;
    if (index == 0) await_parts(s);
    if (index == s->records) return WADI_OK;
    WADI_TRY(wadi_yield_array(yield, 0, NULL, &a, err));
    days_record(index, us_of(s, index), a.column[0]);
    return WADI_OK;
}

static wadi_status push(void *env, int64_t index, int parts, const wadi_array *element,
                        wadi_error *err) {
    stream *s = env;
    WADI_UNUSED(parts);
    WADI_UNUSED(err);
    if (index != s->delivered || !days_answers(index, us_of(s, index), element->column[0]))
        s->wrong = true;
    s->last_ns = wadi_clock_ns();
    if (s->delivered++ == 0) s->first_ns = s->last_ns;
    return WADI_OK;
}

typedef struct end {
    stream *s;
    pthread_t thread;
    wadi_status status;
    wadi_error error;
} end;

static wadi_status source_of(stream *s, wadi_source **out, wadi_error *err) {
    const int64_t shape[] = {DAYS_WORDS};
    const wadi_part part = wadi_part_fixed(WADI_U32, 1, shape);
    return wadi_source_callback(1, &part, pull, s, out, err);
}

static wadi_status send_all(stream *s, wadi_error *err) {
    const wadi_link_options o = {.bind = true, .shared = s->shared, .first_after_ms = 60000};
    char up[DAYS_ADDRESS];
    wadi_source *source = NULL;
    wadi_sink *sink = NULL;
    address_of(s->w, "up", up);
    WADI_TRY(source_of(s, &source, err));
    const wadi_status st = wadi_sink_link(up, &o, &sink, err);
    if (st == WADI_OK) return go(pass_text, source, sink, err);
    wadi_source_destroy(source);
    return st;
}

static wadi_status gather_all(stream *s, wadi_error *err) {
    const wadi_link_options o = {.bind = true, .shared = s->shared, .first_after_ms = 60000};
    char down[DAYS_ADDRESS];
    wadi_source *source = NULL;
    wadi_sink *sink = NULL;
    address_of(s->w, "down", down);
    WADI_TRY(wadi_source_link(down, &o, &source, err));
    const wadi_status st = wadi_sink_callback(push, s, &sink, err);
    if (st == WADI_OK) return go(pass_text, source, sink, err);
    wadi_source_destroy(source);
    return st;
}

static void *be_sender(void *env) {
    end *e = env;
    e->status = send_all(e->s, &e->error);
    return NULL;
}

static void *be_gatherer(void *env) {
    end *e = env;
    e->status = gather_all(e->s, &e->error);
    return NULL;
}

static wadi_status join(end *e, wadi_error *err) {
    (void)pthread_join(e->thread, NULL);
    if (e->status != WADI_OK && err != NULL) *err = e->error;
    return e->status;
}

/* ---- the sides ---- */

static wadi_status judge(const stream *s, double *out_s, wadi_error *err) {
    if (s->wrong || s->delivered != s->records)
        return wadi_fail(err, WADI_INTERNAL, "other records come out than shall: %lld of %lld",
                         (long long)s->delivered, (long long)s->records);
    *out_s = 1e-9 * (double)(s->last_ns - s->first_ns) + 1e-6 * (double)s->us;
    return WADI_OK;
}

/* A process ends with the thread that has started it, so this one starts the parts. */
static wadi_status run_linked(void *env, double *out_s, wadi_error *err) {
    stream s = *(const stream *)env;
    end sender = {.s = &s}, gatherer = {.s = &s};
    pid_t part[MOST] = {0};
    char number[16], sign[DAYS_ADDRESS];
    wadi_status st = WADI_OK;
    if (pthread_create(&gatherer.thread, NULL, be_gatherer, &gatherer) != 0 ||
        pthread_create(&sender.thread, NULL, be_sender, &sender) != 0)
        abort();
    for (int i = 0; i < s.parts && st == WADI_OK; i++) {
        (void)snprintf(number, sizeof number, "%d", i);
        st = days_start(
            (const char *const[]){s.shared ? "part" : "whole", s.w->folder.path, number, NULL},
            &part[i], err);
    }
    const wadi_status sent = join(&sender, err), gathered = join(&gatherer, err);
    for (int i = 0; i < s.parts; i++) {
        days_end(part[i]);
        sign_of(s.w->folder.path, i, sign);
        (void)unlink(sign);
    }
    if (st == WADI_OK) st = sent != WADI_OK ? sent : gathered;
    return st == WADI_OK ? judge(&s, out_s, err) : st;
}

static wadi_status run_threads(void *env, double *out_s, wadi_error *err) {
    stream s = *(const stream *)env;
    wadi_source *source = NULL;
    wadi_sink *sink = NULL;
    s.parts = 0;
    WADI_TRY(source_of(&s, &source, err));
    wadi_status st = wadi_sink_callback(push, &s, &sink, err);
    if (st == WADI_OK)
        st = go(days_waits_text, source, sink, err);
    else
        wadi_source_destroy(source);
    return st == WADI_OK ? judge(&s, out_s, err) : st;
}

static wadi_status measure(bench *b, const stream *what, wadi_error *err) {
    char name[64];
    stream whole = *what, alone = *what;
    double s[3];
    whole.parts = 1;
    whole.shared = false;
    const bench_side sides[] = {{"wadi", run_linked, (void *)what},
                                {"wadi, whole links", run_linked, &whole},
                                {"wadi, threads alone", run_threads, &alone}};
    (void)snprintf(name, sizeof name, "ipc, %d part%s, chunks that %s", what->parts,
                   what->parts > 1 ? "s" : "", what->us > 0 ? "wait" : "do not wait");
    if (!bench_wants(b, name)) return WADI_OK;
    WADI_TRY(bench_compare(b, "share", name, 3, sides, s, err));
    if (s[0] > 0)
        bench_say(b, "%s: %.0f chunks a second", name, (double)what->records / CHUNK / s[0]);
    return WADI_OK;
}

wadi_status bench_share(bench *b, wadi_error *err) {
    static const int crews[] = {1, 2, MOST};
    days_way w = {.name = "ipc"};
    wadi_status st = wadi_folder_make(".", "bench_days.", &w.folder, err);
    for (int waits = 1; waits >= 0; waits--)
        for (size_t i = 0; st == WADI_OK && i < sizeof crews / sizeof *crews; i++) {
            const stream what = {.w = &w,
                                 .parts = crews[i],
                                 .shared = true,
                                 .us = !waits     ? 0
                                       : b->quick ? QUICK_US
                                                  : WAIT_US,
                                 .records = (int64_t)CHUNK * (b->quick ? 20
                                                              : waits  ? 100
                                                                       : 400)};
            st = measure(b, &what, err);
        }
    days_folder_end(&w.folder);
    return st;
}
