/* States by key with workers elsewhere: the bytes are those of a run without workers, whoever computes. One key, skewed ones and many; states of all kinds; elements that
 * fail and are left out; workers that come and go, and those whose answers make no sense. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/thread.h"
#include "exe/exe.h"
#include "sched/run.h"
#include "sched/run/charter.h"
#include "sched/run/serve.h"
#include "sched/work/ways.h"
#include "wadi/log.h"
#include "wadi/wadi.h"
#include "wadi/work.h"

enum { SOME = 3000, MANY = 100000, WORKERS = 4 };

static const char address[] = "ipc://keyed_elsewhere_test.sock";
static const char dead_file[] = "keyed_elsewhere_test.dead";

/* ---- programs: of records of a key and a number; to the sink goes one f64 ---- */

#define BEGIN                                               \
    "program p\nstream_in s : seq({k: i64, x: f64})\n"      \
    "m = map_seq s (e) {\n    k = map e (k, x) { k }\n    " \
    "x = map e (k, x) { x }\n    yield k, x\n}\n"           \
    "g = generate 3 (i) { mul 0.5 (convert f64 i) }\n"
#define END "stream_out \"t\" t\n"

static const char scalars[] = BEGIN
    "t = scan_by_key m 0.5 (z, k, x) {\n    n = unit { add (mul (the z) 0.7) (fdiv (the x) 3.0) }\n"
    "    yield n\n}\n" END;
/* The state passes through its stage, and behind it there is a filter. */
static const char several[] =
    BEGIN "a = scan_by_key m 0.5 1 (z, c, k, x) {\n"
          "    n = unit { add (mul (the z) 0.7) (fdiv (the x) (convert f64 (the c))) }\n"
          "    d = unit { add (the c) 1 }\n    yield n, d\n}\n"
          "b = filter_seq a (n, d) {\n    p = unit { ne (rem (the d) 3) 0 }\n    yield p\n}\n"
          "t = map_seq b (n, d) {\n    y = unit { mul (the n) (convert f64 (the d)) }\n    yield "
          "y\n}\n" END;
static const char in_place[] =
    BEGIN "a = scan_by_key m g (z, k, x) {\n    n = map z (v) { add (mul v 0.7) (the x) }\n    "
          "yield n\n}\n"
          "t = map_seq a (n) {\n    y = unit { add (n ! 0) (n ! 2) }\n    yield y\n}\n" END;
static const char ragged[] = BEGIN
    "none = take dim=0 g 0\n"
    "a = scan_by_key m none 0 (z, c, k, x) {\n    one = generate 1 (i) { the x }\n"
    "    r = unit { rem (the c) 4 }\n    p = take dim=0 z r\n    o = concat dim=0 one p\n"
    "    d = unit { add (the c) 1 }\n    yield o, d\n}\n"
    "t = map_seq a (o, d) {\n    f = fold 0.0 o (u, v) { add (mul u 0.5) v }\n    yield f\n}\n" END;
static const char last[] = BEGIN
    "a = fold_by_key m 0.5 g (z, h, k, x) {\n"
    "    n = unit { add (mul (the z) 0.7) (fdiv (the x) 3.0) }\n"
    "    j = map h (v) { sub v (the x) }\n    yield n, j\n}\n"
    "t = map_seq a (k, n, j) {\n    y = unit { add (the n) (mul (convert f64 (the k)) (j ! 1)) }\n"
    "    yield y\n}\n" END;
static const char fails[] = BEGIN
    "t = scan_by_key m 0.5 (z, k, x) {\n    r = unit { rem (convert i64 (the x)) 97 }\n"
    "    n = unit { add (mul (the z) 0.7) (convert f64 (quot 300 (the r))) }\n    yield n\n}\n" END;
static const char arrays_fail[] =
    BEGIN "a = scan_by_key m g (z, k, x) {\n    r = unit { rem (convert i64 (the x)) 97 }\n"
          "    n = map z (v) { add (mul v 0.7) (convert f64 (quot 300 (the r))) }\n    yield n\n}\n"
          "t = map_seq a (n) {\n    y = unit { add (n ! 0) (n ! 2) }\n    yield y\n}\n" END;
static const char last_fails[] = BEGIN
    "a = fold_by_key m 0.5 (z, k, x) {\n    r = unit { rem (convert i64 (the x)) 97 }\n"
    "    n = unit { add (mul (the z) 0.7) (convert f64 (quot 300 (the r))) }\n    yield n\n}\n"
    "t = map_seq a (k, n) {\n    y = unit { add (the n) (convert f64 (the k)) }\n    yield "
    "y\n}\n" END;

/* The body behind the states fails, which is computed with them. */
static const char body_fails[] =
    BEGIN "a = scan_by_key m 0.5 (z, k, x) {\n    n = unit { add (mul (the z) 0.7) (the x) }\n    "
          "yield n\n}\n"
          "t = map_seq a (n) {\n    r = unit { rem (convert i64 (the n)) 97 }\n"
          "    y = unit { convert f64 (quot 300 (the r)) }\n    yield y\n}\n" END;

/* Nobody wants all of it: what fails behind the last element that is wanted is not told, wherever it fails. */
static const char ends_early[] =
    BEGIN "c = map_seq m (k, x) {\n    r = unit { rem (convert i64 (the x)) 97 }\n"
          "    y = unit { add (the x) (convert f64 (quot 9 (the r))) }\n    yield k, y\n}\n"
          "a = scan_by_key c 0.5 (z, k, x) {\n    n = unit { add (mul (the z) 0.7) (the x) }\n    "
          "yield n\n}\n"
          "t = take_seq a 300\n" END;

/* No state, but a stage that fails and one behind it that goes to workers with it. */
static const char two_stages[] =
    BEGIN "c = map_seq m (k, x) {\n    r = unit { rem (convert i64 (the x)) 97 }\n"
          "    y = unit { add (the x) (convert f64 (quot 9 (the r))) }\n    yield k, y\n}\n"
          "f = filter_seq c (k, y) {\n    p = unit { ne (rem (the k) 5) 0 }\n    yield p\n}\n"
          "t = map_seq f (k, y) {\n    yield y\n}\n" END;

/* ---- elements ---- */

static struct record {
    int64_t key[MANY];
    double value[MANY];
} in;

static uint64_t draw(void) {
    static uint64_t x = 88172645463325252u;
    x ^= x << 13;
    x ^= x >> 7;
    return x ^= x << 17;
}

static int64_t the_same(int64_t i) {
    WADI_UNUSED(i);
    return -7;
}

static int64_t skewed(int64_t i) {
    WADI_UNUSED(i);
    const int64_t most = (int64_t)(draw() % 64);
    return most < 40 ? 42 : most;
}

static int64_t spread(int64_t i) {
    return (int64_t)(draw() % 500) - 250 + (i == 17 ? INT64_MIN / 2 : 0);
}

static int64_t its_own(int64_t i) {
    return i * 3;
}

static void fill(int64_t n, int64_t (*of)(int64_t i)) {
    for (int64_t i = 0; i < n; i++) {
        in.key[i] = of(i);
        in.value[i] = 1 + (double)(draw() >> 40) / 1000;
    }
}

/* ---- a run ---- */

typedef struct result {
    wadi_status status;
    wadi_error err;
    int64_t n, dead, elsewhere;
    double *at; /* [n] */
    char *letters;
    size_t nletters;
} result;

static void result_fini(result *r) {
    free(r->at);
    free(r->letters);
}

static wadi_status take(void *env, int64_t index, int parts, const wadi_array *element,
                        wadi_error *err) {
    result *r = env;
    WADI_UNUSED(index);
    WADI_UNUSED(parts);
    WADI_UNUSED(err);
    r->at[r->n++] = *(const double *)element[0].column[0];
    return WADI_OK;
}

static int choose_nothing(void *env, int devices) {
    WADI_UNUSED(env);
    WADI_UNUSED(devices);
    return 0;
}

/* All that can be is for workers. */
static void go(const char *text, int64_t n, wadi_run_options o, result *out) {
    const wadi_array a = {.rank = 1,
                          .fields = 2,
                          .type = {WADI_I64, WADI_F64},
                          .shape = {n},
                          .column = {in.key, in.value}};
    wadi_exe *exe = NULL;
    wadi_run *run = NULL;
    wadi_source *source = NULL;
    wadi_sink *sink = NULL;
    wadi_run_stats stats;
    *out = (result){.at = malloc((size_t)(n + 1) * sizeof *out->at)};
    assert_non_null(out->at);
    if (wadi_compile_text(text, "keyed", NULL, &exe, &out->err) != WADI_OK)
        fail_msg("%s", out->err.msg);
    if (o.on_fault == WADI_ON_FAULT_SKIP) o.dead = dead_file;
    assert_int_equal(wadi_run_create(exe, &o, &run, NULL), WADI_OK);
    wadi_run_share_by(run, (wadi_share_rule){.choose = choose_nothing});
    assert_int_equal(wadi_source_memory(&a, &source, NULL), WADI_OK);
    assert_int_equal(wadi_sink_callback(take, out, &sink, NULL), WADI_OK);
    assert_int_equal(wadi_run_source(run, "s", source, NULL), WADI_OK);
    assert_int_equal(wadi_run_sink(run, "t", sink, NULL), WADI_OK);
    out->status = wadi_run_go(run, &out->err);
    wadi_run_stats_get(run, &stats);
    out->dead = stats.dead;
    out->elsewhere = stats.elsewhere;
    wadi_run_destroy(run);
    wadi_source_destroy(source);
    wadi_sink_destroy(sink);
    wadi_exe_destroy(exe);
    if (o.dead == NULL) return;
    assert_int_equal(wadi_file_read(dead_file, &out->letters, &out->nletters, NULL), WADI_OK);
    (void)unlink(dead_file);
}

static void assert_same(const result *want, const result *got, const char *text) {
    if (got->status != want->status || strcmp(got->err.msg, want->err.msg) != 0)
        fail_msg("%s: \"%s\", not \"%s\"", text, got->err.msg, want->err.msg);
    if (got->n != want->n || got->dead != want->dead)
        fail_msg("%s: %lld elements and %lld dead, not %lld and %lld", text, (long long)got->n,
                 (long long)got->dead, (long long)want->n, (long long)want->dead);
    for (int64_t i = 0; i < want->n; i++)
        if (memcmp(&got->at[i], &want->at[i], sizeof(double)) != 0)
            fail_msg("%s: element %lld is %.17g, not %.17g", text, (long long)i, got->at[i],
                     want->at[i]);
    assert_int_equal(got->nletters, want->nletters);
    assert_memory_equal(got->letters, want->letters, want->nletters);
}

/* ---- workers ---- */

typedef struct hand {
    wadi_thread thread;
    atomic_bool leaves;
    int lies;        /* of so many answers one makes no sense; 0: none */
    bool comes_back; /* it leaves all the time, and another one comes */
    atomic_int answers, lied;
} hand;

static hand hands[WORKERS];

/* The queue of a worker that lies. */
typedef struct liar {
    wadi_workq base;
    wadi_workq *queue;
    wadi_buffers *buffers;
    hand *of;
} liar;

static wadi_status liar_charter(wadi_workq *self, void **out, int64_t *out_n, wadi_error *err) {
    wadi_workq *q = ((liar *)self)->queue;
    return q->ops->charter(q, out, out_n, err);
}

static wadi_status liar_fetch(wadi_workq *self, wadi_work_item *out, wadi_error *err) {
    wadi_workq *q = ((liar *)self)->queue;
    return q->ops->fetch(q, out, err);
}

static void put_slice(wadi_text *to, wadi_chunk *c, int64_t count) {
    wadi_chunk *part = NULL;
    assert_int_equal(wadi_chunk_slice(c, 0, count, &part, NULL), WADI_OK);
    assert_int_equal(wadi_state_put_chunk(to, part, NULL), WADI_OK);
    wadi_chunk_release(part);
}

/* All keys have the state of the first one, which is there once. */
static void put_one_for_all(wadi_text *to, wadi_chunk *states) {
    wadi_chunk *one = NULL;
    assert_int_equal(wadi_chunk_slice(states, 0, 1, &one, NULL), WADI_OK);
    for (int i = 0; i < one->components; i++) {
        wadi_chunk_component *c = &one->component[i];
        for (int d = 0; d < c->rank; d++) c->shape[d] = c->shapes[d];
        c->layout = WADI_LAYOUT_AVOID;
    }
    one->count = states->count;
    assert_int_equal(wadi_state_put_chunk(to, one, NULL), WADI_OK);
    wadi_chunk_release(one);
}

/* An answer that is a good one but for something. */
static void lie(const liar *l, const wadi_work_item *item, int how, wadi_text *to) {
    wadi_state_reader r = {item->bytes, (size_t)item->n};
    wadi_chunk *states = NULL;
    if (wadi_state_take_chunk(&r, l->buffers, &states, NULL) != WADI_OK) {
        wadi_text_add(to, "no keyed answer"); /* but that of another stage */
        return;
    }
    wadi_chunk *none = NULL, *doubled = NULL;
    const int twice[] = {0, 0};
    assert_int_equal(wadi_chunk_slice(states, 0, 0, &none, NULL), WADI_OK);
    assert_int_equal(wadi_chunk_select(states, 2, twice, &doubled, NULL), WADI_OK);
    switch (how) {
    case 0: /* it ends too early */
        wadi_text_add_n(to, item->bytes, (size_t)item->n - 1);
        break;
    case 1: /* too late */
        wadi_text_add_n(to, item->bytes, (size_t)item->n);
        wadi_text_add(to, "x");
        break;
    case 2: /* a key less */
        put_slice(to, states, states->count - 1);
        wadi_text_add_n(to, r.at, r.left);
        break;
    case 3: /* no key */
        assert_int_equal(wadi_state_put_chunk(to, none, NULL), WADI_OK);
        wadi_text_add_n(to, r.at, r.left);
        break;
    case 4: /* another number of states, or the same and no results */
        assert_int_equal(wadi_state_put_chunk(to, doubled, NULL), WADI_OK);
        break;
    case 5: /* no states */
        wadi_text_add_n(to, r.at, r.left);
        break;
    case 6: /* states twice */
        assert_int_equal(wadi_state_put_chunk(to, states, NULL), WADI_OK);
        wadi_text_add_n(to, item->bytes, (size_t)item->n);
        break;
    case 7: /* one state for all keys */
        put_one_for_all(to, states);
        wadi_text_add_n(to, r.at, r.left);
        break;
    default: /* nothing at all */
        break;
    }
    wadi_chunk_release(none);
    wadi_chunk_release(doubled);
    wadi_chunk_release(states);
}

static wadi_status liar_answer(wadi_workq *self, const wadi_work_item *item, wadi_error *err) {
    liar *l = (liar *)self;
    wadi_text t = {0};
    wadi_work_item said = *item;
    const int n = atomic_fetch_add(&l->of->answers, 1);
    if (item->status == WADI_OK && l->of->lies > 0 && n % l->of->lies == 0) {
        lie(l, item, n / l->of->lies % 9, &t);
        said.bytes = t.at;
        said.n = (int64_t)t.n;
        atomic_fetch_add(&l->of->lied, 1);
    }
    const wadi_status status = l->queue->ops->answer(l->queue, &said, err);
    wadi_text_fini(&t);
    return status;
}

static wadi_status liar_ask(wadi_workq *self, const char *what, void **out, int64_t *out_n,
                            wadi_error *err) {
    wadi_workq *q = ((liar *)self)->queue;
    return q->ops->ask(q, what, out, out_n, err);
}

static wadi_status serve(liar *l, wadi_error *err) {
    const wadi_run_options o = {.threads = 1};
    wadi_charter c;
    wadi_exe *exe = NULL;
    wadi_run *x = NULL;
    wadi_served served = {0};
    void *bytes = NULL;
    int64_t n = 0;
    bool goes_on = false;
    WADI_TRY(l->base.ops->charter(&l->base, &bytes, &n, err));
    if (bytes == NULL) return WADI_OK;
    wadi_status status = wadi_charter_read(bytes, n, &c, err);
    if (status == WADI_OK) status = wadi_exe_of_charter(&c, NULL, &exe, err);
    if (status == WADI_OK) status = wadi_run_create(exe, &o, &x, err);
    if (status == WADI_OK) status = wadi_run_serve(x, &c, &l->base, &served, &goes_on, err);
    wadi_run_destroy(x);
    wadi_exe_destroy(exe);
    free(bytes);
    return status;
}

static void work_as_liar(hand *h) {
    static const wadi_workq_ops ops = {
        .charter = liar_charter, .fetch = liar_fetch, .answer = liar_answer, .ask = liar_ask};
    liar l = {.base = {.ops = &ops, .wake_fd = -1}, .of = h};
    const wadi_workq_options o = {.address = address, .wake_fd = -1};
    wadi_error err = {0};
    assert_int_equal(wadi_buffers_create(NULL, 1 << 20, &l.buffers, NULL), WADI_OK);
    assert_int_equal(wadi_way_open(&o, &l.queue, NULL), WADI_OK);
    if (serve(&l, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_workq_close(l.queue);
    wadi_buffers_release(l.buffers);
}

/* Leaves after a few answers. */
typedef struct leaving {
    wadi_worker *worker;
    hand *of;
    atomic_bool over;
} leaving;

static void leave_soon(void *env) {
    leaving *l = env;
    while (!atomic_load(&l->over) && !atomic_load(&l->of->leaves)) {
        wadi_worker_stats s;
        wadi_worker_stats_get(l->worker, &s);
        if (l->of->comes_back && s.chunks >= 5) break;
        (void)nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
    }
    wadi_worker_leave(l->worker);
}

static void work(void *env) {
    hand *h = env;
    if (h->lies > 0) {
        work_as_liar(h);
        return;
    }
    do {
        const wadi_worker_options o = {.threads = 1};
        leaving l = {.of = h};
        wadi_thread watch;
        wadi_worker_stats s;
        wadi_error err = {0};
        assert_int_equal(wadi_worker_create(address, &o, &l.worker, NULL), WADI_OK);
        assert_int_equal(wadi_thread_start(&watch, leave_soon, &l, NULL), WADI_OK);
        if (wadi_worker_go(l.worker, &err) != WADI_OK) fail_msg("%s", err.msg);
        atomic_store(&l.over, true);
        wadi_thread_join(&watch);
        wadi_worker_stats_get(l.worker, &s);
        atomic_fetch_add(&h->answers, (int)s.chunks);
        wadi_worker_destroy(l.worker);
    } while (h->comes_back && !atomic_load(&h->leaves));
}

static void start(int n, int lies, bool come_back) {
    for (int i = 0; i < n; i++) {
        atomic_store(&hands[i].leaves, false);
        atomic_store(&hands[i].answers, 0);
        atomic_store(&hands[i].lied, 0);
        hands[i].lies = lies;
        hands[i].comes_back = come_back;
        assert_int_equal(wadi_thread_start(&hands[i].thread, work, &hands[i], NULL), WADI_OK);
    }
}

static void join(int n) {
    for (int i = 0; i < n; i++) {
        atomic_store(&hands[i].leaves, true);
        wadi_thread_join(&hands[i].thread);
    }
}

/* ---- tests ---- */

static wadi_run_options elsewhere(int64_t chunk, int workers, wadi_on_fault on_fault) {
    return (wadi_run_options){.threads = 1,
                              .chunk = chunk,
                              .via = address,
                              .workers = workers,
                              .on_fault = on_fault,
                              .watchdog_s = 1e9};
}

/* By so many workers, in chunks of that size. */
static void compare(const char *text, int64_t n, int64_t chunk, int workers,
                    wadi_on_fault on_fault) {
    const wadi_run_options o = {.threads = 1, .chunk = chunk, .on_fault = on_fault};
    result want, got;
    go(text, n, o, &want);
    start(workers, 0, false);
    go(text, n, elsewhere(chunk, workers, on_fault), &got);
    join(workers);
    assert_same(&want, &got, text);
    /* The stage in front of the states goes to workers, too, and there it is the only other one. */
    if (n > 0) assert_in_range(got.elsewhere, text == scalars ? n + 1 : 1, INT64_MAX);
    result_fini(&want);
    result_fini(&got);
}

static void workers_change_nothing(void **state) {
    static const char *const texts[] = {scalars, several, in_place, ragged, last};
    static int64_t (*const of[])(int64_t) = {the_same, skewed, spread, its_own};
    static const int64_t chunks[] = {7, 100, 1000, SOME};
    WADI_UNUSED(state);
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 4; k++) {
            const int64_t chunk = chunks[(i + k) % 4];
            const int64_t n = chunk == 7 ? SOME / 10 : SOME;
            fill(n, of[k]);
            compare(texts[i], n, chunk, 1 + (i + k) % WORKERS, WADI_ON_FAULT_FAIL);
        }
}

static void few_elements(void **state) {
    WADI_UNUSED(state);
    for (int64_t n = 0; n < 4; n++) {
        fill(n, its_own);
        compare(scalars, n, 1 + n % 2, 2, WADI_ON_FAULT_FAIL);
        compare(last, n, 0, 1, WADI_ON_FAULT_FAIL);
    }
}

static void many_keys(void **state) {
    WADI_UNUSED(state);
    fill(MANY, its_own);
    compare(scalars, MANY, 10000, 2, WADI_ON_FAULT_FAIL);
    compare(last, MANY, 0, 2, WADI_ON_FAULT_FAIL);
}

static void elements_that_fail(void **state) {
    static const char *const texts[] = {fails, arrays_fail, last_fails, body_fails};
    WADI_UNUSED(state);
    for (int i = 0; i < 4; i++)
        for (int skips = 0; skips < 2; skips++) {
            fill(SOME, i == 1 ? skewed : spread);
            compare(texts[i], SOME, i == 1 ? 50 : 20, 2,
                    skips ? WADI_ON_FAULT_SKIP : WADI_ON_FAULT_FAIL);
        }
}

/* How letters of several places alternate is left open, but not which there are. */
static void ends_behind_elements_that_fail(void **state) {
    const wadi_run_options o = {.threads = 1, .on_fault = WADI_ON_FAULT_SKIP};
    result want, got;
    WADI_UNUSED(state);
    fill(SOME, spread);
    go(ends_early, SOME, o, &want);
    start(2, 0, false);
    go(ends_early, SOME, elsewhere(0, 2, WADI_ON_FAULT_SKIP), &got);
    join(2);
    assert_int_equal(want.n, 300);
    assert_same(&want, &got, ends_early);
    result_fini(&want);
    result_fini(&got);
}

/* What has been sent when an element fails is behind it: nothing of that comes, of no stage. */
static void nothing_comes_behind_a_failure(void **state) {
    WADI_UNUSED(state);
    fill(SOME, spread);
    compare(two_stages, SOME, 10, 2, WADI_ON_FAULT_FAIL);
}

static void quiet(void *env, wadi_log_level level, const char *line) {
    WADI_UNUSED(env);
    WADI_UNUSED(level);
    WADI_UNUSED(line);
}

static void nobody_comes(void **state) {
    const wadi_run_options o = {.threads = 1, .chunk = 100};
    result want, got;
    WADI_UNUSED(state);
    fill(SOME, spread);
    go(several, SOME, o, &want);
    go(several, SOME, elsewhere(100, 0, WADI_ON_FAULT_FAIL), &got);
    assert_same(&want, &got, several);
    result_fini(&want);
    result_fini(&got);
}

/* Some answers make no sense: these chunks, and those on their way behind them, are computed at home. */
static void answers_that_make_no_sense(void **state) {
    static const char *const texts[] = {scalars, ragged, last};
    const wadi_run_options o = {.threads = 1, .chunk = 20};
    WADI_UNUSED(state);
    wadi_log_set(quiet, NULL);
    for (int i = 0; i < 3; i++) {
        result want, got;
        fill(SOME, spread);
        go(texts[i], SOME, o, &want);
        start(2, 9, false);
        go(texts[i], SOME, elsewhere(20, 2, WADI_ON_FAULT_FAIL), &got);
        join(2);
        assert_same(&want, &got, texts[i]);
        assert_in_range(atomic_load(&hands[0].lied) + atomic_load(&hands[1].lied), 1, INT32_MAX);
        result_fini(&want);
        result_fini(&got);
    }
    wadi_log_set(NULL, NULL);
}

static void workers_that_come_and_go(void **state) {
    const wadi_run_options o = {.threads = 1, .chunk = 20};
    result want, got;
    WADI_UNUSED(state);
    fill(SOME, spread);
    go(several, SOME, o, &want);
    start(3, 0, true);
    go(several, SOME, elsewhere(20, 1, WADI_ON_FAULT_FAIL), &got);
    join(3);
    assert_same(&want, &got, several);
    result_fini(&want);
    result_fini(&got);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(few_elements),
                                       cmocka_unit_test(workers_change_nothing),
                                       cmocka_unit_test(many_keys),
                                       cmocka_unit_test(elements_that_fail),
                                       cmocka_unit_test(ends_behind_elements_that_fail),
                                       cmocka_unit_test(nothing_comes_behind_a_failure),
                                       cmocka_unit_test(nobody_comes),
                                       cmocka_unit_test(answers_that_make_no_sense),
                                       cmocka_unit_test(workers_that_come_and_go)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
