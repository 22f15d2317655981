/* How many workers a home can have: crowds of up to a thousand in a simulated world, over ports. Each item takes its worker a tenth of a second of the world's clock, and nothing else takes
 * any but the way, so the rate against that of workers who never wait tells what they lose by the protocol and by how home gives items out. What a processor needs for home's calls of
 * its queue is measured beside it: by the clock of its thread, with the simulated network.
 *
 * Each crowd gets all elements, in order. It is there soon, and loses little, however large it is: the world's clock does not depend on the machine.
 *
 *     WADI_CROWD=N    that crowd alone
 *     WADI_SEEDS=N    so many worlds for each */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/error.h"
#include "sched/run.h"
#include "sched/run/serve.h"
#include "sched/stream.h"
#include "sched/work/dispatch.h"
#include "sched/work/ways.h"
#include "tests/sched/hand_plan.h"
#include "tests/simulate/way.h"
#include "tests/simulate/world.h"

enum { EACH = 20 /* items, on average */, CROWD = 1000 };

static const int64_t SECOND = 1000000000, ITEM_NS = 100000000;

static struct {
    int workers;
    int64_t elements, came;
    process *home, *worker[CROWD];
    int64_t begin_ns,
        end_ns;       /* clock when the first item was submitted, and the last element came */
    int64_t items;    /* that were submitted */
    int64_t queue_ns; /* of a processor, in calls of home's queue */
    int64_t peak;     /* bytes of the run */
    bool over;
    char wrong[200];
} t;

static hand_program hand;

static void blame(const char *why, int64_t a, int64_t b) {
    if (t.wrong[0] == '\0')
        (void)snprintf(t.wrong, sizeof t.wrong, "%.150s: %lld, %lld", why, (long long)a,
                       (long long)b);
}

/* ---- the stream: i32[i % 7], doubled ---- */

static int choose_nothing(void *env, int devices) {
    WADI_UNUSED(env);
    WADI_UNUSED(devices);
    return 0;
}

typedef struct ramp {
    wadi_source base;
    int64_t at;
} ramp;

static void ramp_destroy(wadi_source *self) {
    WADI_UNUSED(self);
}

static wadi_status ramp_next(wadi_source *self, int64_t k, wadi_builder *b, wadi_error *err) {
    ramp *r = (ramp *)self;
    for (; b->count < k && r->at < t.elements; r->at++) {
        const int64_t shape = r->at % 7;
        wadi_array a;
        WADI_TRY(wadi_builder_array(b, 0, &shape, &a, err));
        for (int64_t i = 0; i < shape; i++) ((int32_t *)a.column[0])[i] = (int32_t)(r->at + i);
        WADI_TRY(wadi_builder_next(b, err));
    }
    return WADI_OK;
}

static ramp make_ramp(void) {
    static const wadi_source_ops ops = {.destroy = ramp_destroy, .next = ramp_next};
    ramp r = {.base = {.ops = &ops, .kind = "ramp", .wake_fd = -1, .parts = 1}};
    r.base.part[0] = wadi_part_irregular(WADI_I32, 1);
    return r;
}

static void shelf_destroy(wadi_sink *self) {
    WADI_UNUSED(self);
}

static wadi_status shelf_put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    WADI_UNUSED(self);
    WADI_UNUSED(err);
    if (c->first != t.came) blame("the sink does not get the next element", c->first, t.came);
    for (int64_t k = 0; k < c->count; k++, t.came++) {
        const wadi_array a = wadi_chunk_array(c, 0, k);
        if (a.shape[0] != t.came % 7) blame("another element", a.shape[0], t.came);
        for (int64_t i = 0; i < a.shape[0]; i++)
            if (((const int32_t *)a.column[0])[i] != 2 * (t.came + i))
                blame("an element is not as it should be", t.came, i);
    }
    t.end_ns = world_now();
    return WADI_OK;
}

static wadi_status shelf_finish(wadi_sink *self, wadi_error *err) {
    WADI_UNUSED(self);
    WADI_UNUSED(err);
    return WADI_OK;
}

static wadi_sink make_shelf(void) {
    static const wadi_sink_ops ops = {
        .destroy = shelf_destroy, .put = shelf_put, .finish = shelf_finish};
    return (wadi_sink){.ops = &ops, .kind = "shelf", .wake_fd = -1};
}

/* ---- home's queue, whose calls are measured ---- */

typedef struct measured {
    wadi_workq base;
    wadi_workq *queue;
} measured;

static int64_t thread_ns(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * SECOND + now.tv_nsec;
}

static wadi_workq *inside(wadi_workq *self) {
    wadi_workq *q = ((measured *)self)->queue;
    q->wake_fd = self->wake_fd;
    q->waits = self->waits;
    return q;
}

static void home_close(wadi_workq *self) {
    wadi_workq_close(inside(self));
    free(self);
}

static wadi_status home_offer(wadi_workq *self, const void *charter, int64_t n, wadi_error *err) {
    wadi_workq *q = inside(self);
    return q->ops->offer(q, charter, n, err);
}

static bool home_has_room(wadi_workq *self, int64_t n) {
    wadi_workq *q = inside(self);
    const int64_t begin_ns = thread_ns();
    const bool room = q->ops->has_room(q, n);
    t.queue_ns += thread_ns() - begin_ns;
    return room;
}

static wadi_status home_submit(wadi_workq *self, int64_t number, const void *bytes, int64_t n,
                               wadi_error *err) {
    wadi_workq *q = inside(self);
    if (t.items++ == 0) t.begin_ns = world_now();
    const int64_t begin_ns = thread_ns();
    const wadi_status status = q->ops->submit(q, number, bytes, n, err);
    t.queue_ns += thread_ns() - begin_ns;
    return status;
}

static wadi_status home_collect(wadi_workq *self, int64_t wait_ns, wadi_work_item *out,
                                wadi_error *err) {
    wadi_workq *q = inside(self);
    const int64_t begin_ns = thread_ns();
    const wadi_status status = q->ops->collect(q, wait_ns, out, err);
    t.queue_ns += thread_ns() - begin_ns;
    return status;
}

static int home_workers(wadi_workq *self) {
    wadi_workq *q = inside(self);
    return q->ops->workers(q);
}

static void home_look(wadi_workq *self, wadi_workq_open *out) {
    wadi_workq *q = inside(self);
    q->ops->look(q, out);
}

static wadi_status home_end(wadi_workq *self, wadi_error *err) {
    wadi_workq *q = inside(self);
    return q->ops->end(q, err);
}

static wadi_workq *open_home(void) {
    static const wadi_workq_ops ops = {.close = home_close,
                                       .offer = home_offer,
                                       .has_room = home_has_room,
                                       .submit = home_submit,
                                       .collect = home_collect,
                                       .workers = home_workers,
                                       .look = home_look,
                                       .end = home_end};
    measured *m = calloc(1, sizeof *m);
    const wadi_workq_options o = {
        .address = way_address(), .home = true, .memory = INT64_C(64) << 20, .wake_fd = -1};
    if (m == NULL) abort();
    *m = (measured){.base = {.ops = &ops, .wake_fd = -1}};
    if (wadi_way_open(&o, &m->queue, NULL) != WADI_OK) abort();
    return &m->base;
}

/* ---- a worker's queue: an item takes its time ---- */

static wadi_status worker_charter(wadi_workq *self, void **out, int64_t *out_n, wadi_error *err) {
    wadi_workq *q = ((measured *)self)->queue;
    return q->ops->charter(q, out, out_n, err);
}

static wadi_status worker_fetch(wadi_workq *self, wadi_work_item *out, wadi_error *err) {
    wadi_workq *q = ((measured *)self)->queue;
    return q->ops->fetch(q, out, err);
}

static wadi_status worker_answer(wadi_workq *self, const wadi_work_item *item, wadi_error *err) {
    wadi_workq *q = ((measured *)self)->queue;
    world_sleep(ITEM_NS);
    return q->ops->answer(q, item, err);
}

static void worker_close(wadi_workq *self) {
    wadi_workq_close(((measured *)self)->queue);
}

static wadi_status serve(wadi_workq *q, bool *out_goes_on, wadi_error *err) {
    static const wadi_run_options options = {.threads = 1, .forget = true, .watchdog_s = 1e6};
    const wadi_loader l = hand_loader(&hand);
    wadi_charter c;
    wadi_served served = {0};
    wadi_run *x = NULL;
    void *bytes = NULL;
    int64_t n = 0;
    *out_goes_on = false;
    WADI_TRY(q->ops->charter(q, &bytes, &n, err));
    if (bytes == NULL) return WADI_OK;
    wadi_status status = wadi_charter_read(bytes, n, &c, err);
    if (status == WADI_OK) status = wadi_run_create_for(&hand.plan, &l, &options, &x, err);
    if (status == WADI_OK) status = wadi_run_serve(x, &c, q, &served, out_goes_on, err);
    wadi_run_destroy(x);
    free(bytes);
    return status;
}

static void live_as_worker(void *env) {
    static const wadi_workq_ops ops = {.close = worker_close,
                                       .charter = worker_charter,
                                       .fetch = worker_fetch,
                                       .answer = worker_answer};
    WADI_UNUSED(env);
    measured m = {.base = {.ops = &ops, .wake_fd = -1}};
    const wadi_workq_options o = {
        .address = way_address(), .lost_after_ns = 200 * SECOND, .wake_fd = -1};
    wadi_error err = {.status = WADI_OK};
    wadi_status status = wadi_way_open(&o, &m.queue, &err);
    bool goes_on = status == WADI_OK;
    while (status == WADI_OK && goes_on) status = serve(&m.base, &goes_on, &err);
    if (status != WADI_OK) blame(err.msg, status, 0);
    if (m.queue != NULL) wadi_workq_close(m.queue);
}

static void live_as_home(void *env) {
    const wadi_loader l = hand_loader(&hand);
    const wadi_run_options options = {.threads = 1,
                                      .memory = INT64_C(256) << 20,
                                      .chunk = 1,
                                      .forget = true,
                                      .watchdog_s = 1e6,
                                      .via = way_address(),
                                      .workers = t.workers};
    wadi_run *x = NULL;
    wadi_run_stats stats;
    wadi_error err = {.status = WADI_OK};
    WADI_UNUSED(env);
    wadi_workq *q = open_home();
    ramp in = make_ramp();
    wadi_sink out = make_shelf();
    if (wadi_run_create_for(&hand.plan, &l, &options, &x, &err) != WADI_OK ||
        wadi_run_work_by(x, way_address(), q, &err) != WADI_OK ||
        wadi_run_source(x, "in", &in.base, &err) != WADI_OK ||
        wadi_run_sink(x, "out", &out, &err) != WADI_OK)
        blame(err.msg, 0, 0);
    wadi_run_share_by(x, (wadi_share_rule){.choose = choose_nothing});
    if (wadi_run_go(x, &err) != WADI_OK) blame(err.msg, 0, 0);
    wadi_run_stats_get(x, &stats);
    t.peak = stats.memory_peak;
    if (stats.elsewhere < t.elements / 2)
        blame("elements are computed at home", stats.elsewhere, 0);
    wadi_run_destroy(x);
    t.over = true;
}

/* ---- a world ---- */

static bool has_anybody(void) {
    if (t.home != NULL && world_has_ended(t.home)) t.home = NULL;
    bool anybody = t.home != NULL;
    for (int i = 0; i < t.workers; i++) {
        if (t.worker[i] != NULL && world_has_ended(t.worker[i])) t.worker[i] = NULL;
        anybody = anybody || t.worker[i] != NULL;
    }
    return anybody;
}

static void simulate(uint64_t seed, int workers) {
    memset(&t, 0, sizeof t);
    t.workers = workers;
    t.elements = (int64_t)workers * EACH;
    world_begin(seed, 0);
    const int64_t start_ns = world_now();
    hand_doubling(&hand, WADI_END_SINK);
    t.home = world_start(live_as_home, NULL);
    for (int i = 0; i < workers; i++) t.worker[i] = world_start(live_as_worker, NULL);
    for (int64_t turn = 1; turn % 64 != 0 || has_anybody(); turn++) {
        if (world_now() > start_ns + 600 * SECOND)
            fail_msg("%d workers, seed %llu: it does not come to an end", workers,
                     (unsigned long long)seed);
        if (world_turn()) continue;
        if (has_anybody()) blame("nobody has anything to wait for", t.came, world_now());
        break;
    }
    world_end();
    if (t.wrong[0] != '\0')
        fail_msg("%d workers, seed %llu: %s", workers, (unsigned long long)seed, t.wrong);
    assert_int_equal(t.came, t.elements);
    const double ideal_s = (double)t.elements / workers * (double)ITEM_NS / 1e9,
                 took_s = (double)(t.end_ns - t.begin_ns) / 1e9,
                 there_s = (double)(t.begin_ns - start_ns) / 1e9;
    printf("%4d workers: there after %.2f s, %7.1f items a second of %7.1f, %.1f us of home's "
           "processor an item, %.2f MiB\n",
           workers, there_s, (double)t.elements / took_s, (double)t.elements / ideal_s,
           (double)t.queue_ns / 1e3 / (double)t.elements, (double)t.peak / (1 << 20));
    (void)fflush(stdout);
    if (there_s > 1 + workers / 100)
        fail_msg("%d workers are there after %.2f s", workers, there_s);
    if (took_s > 1.25 * ideal_s)
        fail_msg("%d workers take %.2f s, and need %.2f s", workers, took_s, ideal_s);
}

static void ignore(void *env, wadi_log_level level, const char *text) {
    WADI_UNUSED(env);
    WADI_UNUSED(level);
    WADI_UNUSED(text);
}

static void a_crowd_is_as_fast_as_its_workers(void **state) {
    static const int crowds[] = {1, 4, 16, 64, 256};
    WADI_UNUSED(state);
    const char *alone = getenv("WADI_CROWD"), *sanitizer = getenv("WADI_SANITIZE");
    const bool slow = sanitizer != NULL && sanitizer[0] != '\0';
    const long only = alone != NULL ? strtol(alone, NULL, 10) : 1;
    if (only < 1 || only > CROWD) fail_msg("WADI_CROWD: from 1 to %d", (int)CROWD);
    const world_seeds seeds = world_seeds_of(2);
    wadi_log_set(ignore, NULL);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        const int most = slow ? 16 : seed == seeds.first ? 256 : 64;
        if (alone != NULL) simulate(seed, (int)only);
        for (size_t i = 0; alone == NULL && i < sizeof crowds / sizeof *crowds; i++)
            if (crowds[i] <= most) simulate(seed, crowds[i]);
    }
    wadi_log_set(NULL, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_crowd_is_as_fast_as_its_workers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
