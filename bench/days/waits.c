/* Runs whose work is waiting, in a thread of their own, so that others can watch them and disturb them. */
#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "bench/days/days.h"

#define WAITS                                                  \
    "program waits\nstream_in s : seq(u32[16])\n"              \
    "t = map_seq s (x) {\n"                                    \
    "    y = foreign \"wait_us\" dims=1 arrays=1 x 16 (a) {\n" \
    "        b = map a (v) { add v 1u32 }\n        yield b\n    }\n    yield y\n}\n"

const char days_waits_text[] = WAITS "stream_out \"t\" t\n";
static const char unordered_text[] = WAITS "stream_out_unordered \"t\" t\n";

static const uint32_t factor = 2654435761u, inverse = 244002641u; /* modulo 2^32 */

void days_record(int64_t index, uint32_t us, uint32_t out[DAYS_WORDS]) {
    out[0] = us;
    for (int i = 1; i < DAYS_WORDS; i++) out[i] = (uint32_t)(index * DAYS_WORDS + i) * factor;
}

bool days_answers(int64_t index, uint32_t us, const uint32_t got[DAYS_WORDS]) {
    uint32_t record[DAYS_WORDS];
    bool same = true;
    days_record(index, us, record);
    for (int i = 0; i < DAYS_WORDS; i++) same = same && got[i] == record[i] + 1;
    return same;
}

/* The number of the record that has become this. */
static int64_t number_of(const uint32_t *got) {
    return (int64_t)((got[1] - 1) * inverse / DAYS_WORDS);
}

struct days_waits {
    days_waiting what;
    bool *came; /* [what.records] of a run without an order */
    int64_t peak_bytes;
    pthread_t thread;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t moved;
    int64_t pulled, delivered;
    int64_t first_ns, last_ns; /* of deliveries */
    int64_t mark_ns, silence_ns;
    bool ends, over, wrong;
    wadi_status status;
    wadi_error error;
};

/* ---- the ends of the stream ---- */

static uint32_t us_of(const days_waits *w, int64_t index) {
    return index % w->what.chunk == 0 ? w->what.us : 0;
}

static bool comes(days_waits *w, int64_t index) {
    (void)pthread_mutex_lock(&w->lock);
    const bool more = !w->ends && (w->what.records == 0 || index < w->what.records);
    if (more) w->pulled = index + 1;
    (void)pthread_mutex_unlock(&w->lock);
    return more;
}

static wadi_status pull(void *env, int64_t index, wadi_yield *yield, wadi_error *err) {
    wadi_array a;
    if (!comes(env, index)) return WADI_OK;
    WADI_TRY(wadi_yield_array(yield, 0, NULL, &a, err));
    days_record(index, us_of(env, index), a.column[0]);
    return WADI_OK;
}

/* Whether it is a record that has not come. */
static bool is_new(days_waits *w, int64_t index) {
    if (!w->what.unordered) return index == w->delivered;
    const bool before = index >= w->what.records || w->came[index];
    if (!before) w->came[index] = true;
    return !before;
}

static void deliver(days_waits *w, int64_t now_ns) {
    if (w->delivered++ == 0) w->first_ns = now_ns;
    const int64_t before_ns = w->last_ns > w->mark_ns ? w->last_ns : w->mark_ns;
    if (w->mark_ns > 0 && now_ns - before_ns > w->silence_ns) w->silence_ns = now_ns - before_ns;
    w->last_ns = now_ns;
}

static wadi_status push(void *env, int64_t index, int parts, const wadi_array *element,
                        wadi_error *err) {
    days_waits *w = env;
    WADI_UNUSED(parts);
    WADI_UNUSED(err);
    if (w->what.unordered) index = number_of(element->column[0]);
    const bool same = days_answers(index, us_of(w, index), element->column[0]);
    (void)pthread_mutex_lock(&w->lock);
    if (!same || !is_new(w, index)) w->wrong = true;
    deliver(w, wadi_clock_ns());
    (void)pthread_cond_broadcast(&w->moved);
    (void)pthread_mutex_unlock(&w->lock);
    return WADI_OK;
}

/* ---- the run ---- */

static wadi_status bind_and_go(days_waits *w, wadi_run *run, wadi_error *err) {
    const int64_t shape[] = {DAYS_WORDS};
    const wadi_part part = wadi_part_fixed(WADI_U32, 1, shape);
    wadi_source *source = NULL;
    wadi_sink *sink = NULL;
    wadi_status st = wadi_source_callback(1, &part, pull, w, &source, err);
    if (st == WADI_OK) st = wadi_sink_callback(push, w, &sink, err);
    if (st == WADI_OK) st = wadi_run_source(run, "s", source, err);
    if (st == WADI_OK) st = wadi_run_sink(run, "t", sink, err);
    if (st == WADI_OK) st = wadi_run_go(run, err);
    wadi_run_stats stats;
    wadi_run_stats_get(run, &stats);
    w->peak_bytes = stats.memory_peak;
    wadi_run_destroy(run);
    wadi_source_destroy(source);
    wadi_sink_destroy(sink);
    return st;
}

static wadi_status run_all(days_waits *w, wadi_error *err) {
    const wadi_run_options o = {.threads = 1,
                                .chunk = w->what.chunk,
                                .forget = true,
                                .via = w->what.address,
                                .workers = w->what.workers};
    wadi_exe *exe = NULL;
    wadi_run *run = NULL;
    WADI_TRY(days_know_wait_us(err));
    wadi_status st = wadi_compile_text(w->what.unordered ? unordered_text : days_waits_text,
                                       "waits", NULL, &exe, err);
    if (st == WADI_OK) st = wadi_run_create(exe, &o, &run, err);
    if (st == WADI_OK) st = bind_and_go(w, run, err);
    wadi_exe_destroy(exe);
    return st;
}

static void *be_run(void *env) {
    days_waits *w = env;
    w->status = run_all(w, &w->error);
    (void)pthread_mutex_lock(&w->lock);
    w->over = true;
    (void)pthread_cond_broadcast(&w->moved);
    (void)pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* ---- from outside ---- */

wadi_status days_waits_begin(const days_waiting *what, days_waits **out, wadi_error *err) {
    days_waits *w = calloc(1, sizeof *w);
    if (w == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory for a run");
    w->what = *what;
    w->came = calloc((size_t)what->records + 1, sizeof *w->came);
    if (w->came == NULL) {
        free(w);
        return wadi_fail(err, WADI_MEMORY, "out of memory for a run");
    }
    (void)pthread_mutex_init(&w->lock, NULL);
    (void)pthread_cond_init(&w->moved, NULL);
    if (pthread_create(&w->thread, NULL, be_run, w) != 0) {
        free(w->came);
        free(w);
        return wadi_fail(err, WADI_IO, "no thread is left");
    }
    *out = w;
    return WADI_OK;
}

bool days_waits_until(days_waits *w, int64_t records) {
    (void)pthread_mutex_lock(&w->lock);
    while (!w->over && w->delivered < records) (void)pthread_cond_wait(&w->moved, &w->lock);
    const bool over = w->over;
    (void)pthread_mutex_unlock(&w->lock);
    return !over;
}

double days_waits_mark(days_waits *w) {
    (void)pthread_mutex_lock(&w->lock);
    const int64_t before_ns = w->mark_ns, now_ns = wadi_clock_ns();
    const int64_t since_ns = now_ns - (w->last_ns > before_ns ? w->last_ns : before_ns);
    const int64_t silence_ns = before_ns > 0 && since_ns > w->silence_ns ? since_ns : w->silence_ns;
    w->mark_ns = now_ns;
    w->silence_ns = 0;
    (void)pthread_mutex_unlock(&w->lock);
    return 1e-9 * (double)silence_ns;
}

void days_waits_last(days_waits *w) {
    (void)pthread_mutex_lock(&w->lock);
    w->ends = true;
    (void)pthread_mutex_unlock(&w->lock);
}

static wadi_status judge(const days_waits *w, wadi_error *err) {
    if (w->status != WADI_OK) {
        if (err != NULL) *err = w->error;
        return w->status;
    }
    if (!w->wrong && w->delivered == w->pulled) return WADI_OK;
    return wadi_fail(err, WADI_INTERNAL, "%s: other records come out than shall: %lld of %lld",
                     w->what.address, (long long)w->delivered, (long long)w->pulled);
}

wadi_status days_waits_end(days_waits *w, days_times *out, wadi_error *err) {
    (void)pthread_join(w->thread, NULL);
    const wadi_status st = judge(w, err);
    *out = (days_times){.records = w->delivered,
                        .peak_bytes = w->peak_bytes,
                        .span_s = 1e-9 * (double)(w->last_ns - w->first_ns),
                        .silence_s = 1e-9 * (double)w->silence_ns};
    (void)pthread_mutex_destroy(&w->lock);
    (void)pthread_cond_destroy(&w->moved);
    free(w->came);
    free(w);
    return st;
}
