/* A home and its workers, in worlds of many seeds, over ports or over a server of NATS (way.h). Workers are killed, slow, stopped for longer than anybody waits, answer twice or late, and come
 * back; connections break; home is killed or drained, finds no room to save, and goes on from what it has saved. Runs, their savings, the work queue and
 * its messages are the real ones: a home is wadi_run_go, a worker is wadi_run_serve. Between them and the queue stand judges, who do the harm
 * as well.
 *
 * At each step: what the sink gets is the next element, so none is lost and none comes twice. In every other group of worlds the sink takes elements in any order: then each has come once
 * at the end. Home never submits more than the queue has room for, and gets
 * one answer to each item. A server is asked no more often than it has to be. It comes to an end, soon after somebody is well. No state and no memory is left.
 *
 *     WADI_SEED=N     this world alone, and what happens in it
 *     WADI_SEEDS=N    so many worlds; A-B: those */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "sched/run.h"
#include "sched/run/serve.h"
#include "sched/stream.h"
#include "sched/work/ways.h"
#include "tests/sched/hand_plan.h"
#include "tests/simulate/way.h"
#include "tests/simulate/world.h"
#include "wadi/log.h"

enum { ELEMENTS = 100, WORKERS = 4, OPEN = 256, STARTS = 300 };

/* Home is patient with somebody as slow as those were that it knows; but a connection that has ended, it sees at once. */
enum { LONG_S = 400 };

static const int64_t MS = 1000000, SECOND = 1000000000;

/* Those who stop do so for seconds, or for longer than home waits for anybody. */
typedef enum habit { WELL, SLOW, DIES, REPEATS, STOPS, HABITS } habit;

/* What outlives processes. */
typedef struct disk {
    int64_t stored; /* elements in the output */
    int64_t
        element[ELEMENTS + 1]; /* [stored] their numbers; -1: it has no values, so nobody knows */
    bool finished;
} disk;

typedef struct trial {
    uint64_t seed;
    disk disk;
    bool tells;
    int poison;       /* workers die of items of these numbers; -1: of none */
    int64_t fault_at; /* element that fails, and is left out; -1: none */
    bool thrice;      /* another program, */
    bool keyed; /* and a third one, whose keys workers share if all that can be is for workers */
    bool unordered; /* the sink takes elements in any order */
    bool race;      /* nothing happens, but one worker is slow */
    bool all;       /* all that can be is for workers at once; else what the stages take decides */
    int64_t want[ELEMENTS], nwant; /* the elements of the source that come to the output */
    bool stops;                    /* there may be workers that stop */
    int scale; /* elements are so many times larger; of the other program they are not */
    process *home, *worker[WORKERS];
    habit habit[WORKERS];
    int64_t delay_ns; /* until home is there again */
    wadi_run *run;    /* of home, if it runs */
    bool over;        /* home has ended well */
    int starts, kills, drains;
    int64_t elsewhere, longest_ns, put_ns;
    int64_t most_ns; /* clock when nine of ten elements had come */
    bool mixed;      /* some element came before one that comes before it */
    char wrong[200];
} trial;

static trial *t;
static hand_program hand;

static void blame(const char *why, int64_t a, int64_t b) {
    if (t->wrong[0] == '\0')
        (void)snprintf(t->wrong, sizeof t->wrong, "%.150s: %lld, %lld", why, (long long)a,
                       (long long)b);
}

static void say(const char *what, int64_t n, const char *words) {
    if (t->tells)
        printf("%10.3f ms  %s %lld %s\n", (double)world_now() / 1e6, what, (long long)n, words);
}

/* ---- the programs: i32[i % 7], doubled; or doubled, filtered, doubled, and but for the first few, doubled again; or doubled, and counted by the extent ---- */

enum { SKIP = 3 };

static void choose_program(void) {
    int64_t kept = 0;
    if (t->keyed)
        hand_keyed(&hand);
    else if (t->thrice)
        hand_thrice(&hand, SKIP);
    else
        hand_doubling(&hand, WADI_END_SINK);
    if (t->keyed)
        hand.step_fails_at = t->fault_at;
    else
        hand.fault_at = t->fault_at;
    hand.end[0].unordered = t->unordered;
    for (int64_t i = 0; i < ELEMENTS; i++) {
        if (i == t->fault_at || (t->thrice && i % 7 % 2 != 0)) continue;
        if (!t->thrice || kept++ >= SKIP) t->want[t->nwant++] = i;
    }
}

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
    if (!t->race && world_chance(8) == 0) world_sleep(world_chance(200) * MS);
    for (; b->count < k && r->at < ELEMENTS; r->at++) {
        const int64_t shape = r->at % 7 * t->scale;
        wadi_array a;
        WADI_TRY(wadi_builder_array(b, 0, &shape, &a, err));
        for (int64_t i = 0; i < shape; i++) ((int32_t *)a.column[0])[i] = (int32_t)(r->at + i);
        WADI_TRY(wadi_builder_next(b, err));
    }
    return WADI_OK;
}

static wadi_status ramp_tell(wadi_source *self, wadi_position *out, wadi_error *err) {
    WADI_UNUSED(err);
    *out = (wadi_position){.element = ((ramp *)self)->at};
    return WADI_OK;
}

static wadi_status ramp_seek(wadi_source *self, wadi_position to, wadi_error *err) {
    WADI_UNUSED(err);
    ((ramp *)self)->at = to.element;
    return WADI_OK;
}

static ramp make_ramp(void) {
    static const wadi_source_ops ops = {
        .destroy = ramp_destroy, .next = ramp_next, .tell = ramp_tell, .seek = ramp_seek};
    ramp r = {.base = {.ops = &ops, .kind = "ramp", .wake_fd = -1, .parts = 1}};
    r.base.part[0] = wadi_part_irregular(WADI_I32, 1);
    return r;
}

/* ---- the output ---- */

static void shelf_destroy(wadi_sink *self) {
    WADI_UNUSED(self);
}

static void check_element(const wadi_array *a, int64_t i) {
    if (i >= ELEMENTS) {
        blame("an element of no number", i, ELEMENTS);
        return;
    }
    if (a->shape[0] != i % 7 * t->scale) blame("another element than the next one", a->shape[0], i);
    for (int64_t k = 0; k < a->shape[0]; k++)
        if (((const int32_t *)a->column[0])[k] != (t->thrice ? 8 : 2) * (i + k))
            blame("an element is not as it should be", ((const int32_t *)a->column[0])[k], i);
}

/* The number of an element; -1: it has no values. */
static int64_t number_of(const wadi_array *a) {
    const int32_t *values = a->column[0];
    return a->shape[0] > 0 ? values[0] / (t->thrice ? 8 : 2) : -1;
}

/* How many elements there have been whose extents leave the same rest as that of element i, with it. */
static int64_t count_alike(int64_t i) {
    int64_t n = 0;
    for (int64_t k = 0; k <= i; k++)
        n += k != t->fault_at && k % 7 * t->scale % 3 == i % 7 * t->scale % 3;
    return n;
}

static void check_count(const wadi_array *count) {
    const int64_t i = t->disk.stored < t->nwant ? t->want[t->disk.stored] : 0;
    if (*(const int64_t *)count->column[0] != count_alike(i))
        blame("a state of another number of elements", *(const int64_t *)count->column[0], i);
}

static void take_element(const wadi_array *a) {
    const int64_t at = t->disk.stored, i = number_of(a);
    if (at >= t->nwant) {
        blame("too many elements", at, t->nwant);
        return;
    }
    if (!t->unordered || i >= 0) check_element(a, t->unordered ? i : t->want[at]);
    for (int64_t k = 0; k < at; k++) t->mixed = t->mixed || (i >= 0 && t->disk.element[k] > i);
    t->disk.element[at] = i;
    if (at < ELEMENTS * 9 / 10) t->most_ns = world_now();
}

/* Each element that is wanted has come once. */
static void check_output(void) {
    int64_t came[ELEMENTS + 1] = {0}; /* behind the others those without values */
    for (int64_t i = 0; i < t->nwant; i++)
        came[t->want[i] % 7 * t->scale > 0 ? t->want[i] : ELEMENTS]++;
    for (int64_t i = 0; i < t->disk.stored; i++)
        came[t->disk.element[i] >= 0 ? t->disk.element[i] : ELEMENTS]--;
    for (int64_t i = 0; i <= ELEMENTS; i++)
        if (came[i] != 0) blame("an element came another number of times", i, came[i]);
}

static wadi_status shelf_put(wadi_sink *self, wadi_chunk *c, wadi_error *err) {
    WADI_UNUSED(self);
    WADI_UNUSED(err);
    if (!t->race && world_chance(8) == 0) world_sleep(world_chance(400) * MS);
    if (world_am_dead()) return WADI_OK;
    if ((t->unordered || t->fault_at < 0 || t->thrice) && c->first != t->disk.stored)
        blame("the sink does not get the next element", c->first, t->disk.stored);
    for (int64_t k = 0; k < c->count; k++, t->disk.stored++) {
        const wadi_array a = wadi_chunk_array(c, 0, k);
        if (t->keyed) {
            const wadi_array count = wadi_chunk_array(c, 1, k);
            check_count(&count);
        }
        take_element(&a);
    }
    if (world_now() - t->put_ns > t->longest_ns) t->longest_ns = world_now() - t->put_ns;
    t->put_ns = world_now();
    return WADI_OK;
}

static wadi_status shelf_finish(wadi_sink *self, wadi_error *err) {
    WADI_UNUSED(self);
    WADI_UNUSED(err);
    if (!world_am_dead()) t->disk.finished = true;
    return WADI_OK;
}

static wadi_status shelf_have(wadi_sink *self, wadi_position *out, wadi_error *err) {
    WADI_UNUSED(self);
    WADI_UNUSED(err);
    *out = (wadi_position){.element = t->disk.stored};
    return WADI_OK;
}

static wadi_status shelf_last(wadi_sink *self, wadi_error *err) {
    WADI_UNUSED(self);
    WADI_UNUSED(err);
    if (!world_has_state()) t->disk.stored = 0;
    return WADI_OK;
}

static wadi_status shelf_go_on(wadi_sink *self, wadi_position behind, bool ended, wadi_error *err) {
    WADI_UNUSED(self);
    WADI_UNUSED(ended);
    WADI_UNUSED(err);
    if (behind.element > t->disk.stored)
        blame("more was saved than is stored", behind.element, t->disk.stored);
    t->disk.stored = behind.element; /* what is behind it is cut off */
    say("home goes on behind", behind.element, "");
    return WADI_OK;
}

static wadi_sink make_shelf(void) {
    static const wadi_sink_ops ops = {.destroy = shelf_destroy,
                                      .put = shelf_put,
                                      .finish = shelf_finish,
                                      .have = shelf_have,
                                      .last = shelf_last,
                                      .go_on = shelf_go_on};
    return (wadi_sink){
        .ops = &ops, .kind = "shelf", .wake_fd = -1, .gives = WADI_GUARANTEE_EXACTLY_ONCE};
}

/* ---- home's queue, and its judge ---- */

typedef struct judge {
    wadi_workq base;
    wadi_workq *queue;
    int64_t memory, number; /* the last one */
    struct {
        int64_t number, n;
    } open[OPEN];
    int n;
    int64_t bytes;
} judge;

static judge *inside(wadi_workq *self) {
    judge *j = (judge *)self;
    j->queue->wake_fd = self->wake_fd;
    j->queue->waits = self->waits;
    return j;
}

static void judge_close(wadi_workq *self) {
    wadi_workq_close(inside(self)->queue);
    free(self);
}

/* Of a call that is waited for: connections that break are no reason for it to fail. */
static wadi_status judge_call(wadi_status status, const wadi_error *err) {
    if (status == WADI_IO && way_was_there() && !world_am_dead()) blame(err->msg, status, 0);
    return status;
}

static wadi_status judge_offer(wadi_workq *self, const void *charter, int64_t n, wadi_error *err) {
    judge *j = inside(self);
    return judge_call(j->queue->ops->offer(j->queue, charter, n, err), err);
}

static bool judge_has_room(wadi_workq *self, int64_t n) {
    judge *j = inside(self);
    return j->queue->ops->has_room(j->queue, n);
}

static wadi_status judge_submit(wadi_workq *self, int64_t number, const void *bytes, int64_t n,
                                wadi_error *err) {
    judge *j = inside(self);
    const int workers = j->queue->ops->workers(j->queue);
    if (number <= j->number) blame("numbers of items do not rise", number, j->number);
    if (j->n > 0 && j->n > way_most_items(workers))
        blame("more items than workers take soon", j->n, workers);
    if (j->n > 0 && j->bytes > j->memory) blame("more bytes than memory", j->bytes, j->memory);
    if (j->n == OPEN) abort();
    j->number = j->open[j->n].number = number;
    j->open[j->n++].n = n;
    j->bytes += n;
    return j->queue->ops->submit(j->queue, number, bytes, n, err);
}

static void judge_answer(judge *j, int64_t number) {
    for (int i = 0; i < j->n; i++) {
        if (j->open[i].number != number) continue;
        j->bytes -= j->open[i].n;
        j->open[i] = j->open[--j->n];
        return;
    }
    blame("an answer that nobody waits for", number, j->number);
}

static wadi_status judge_collect(wadi_workq *self, int64_t wait_ns, wadi_work_item *out,
                                 wadi_error *err) {
    judge *j = inside(self);
    WADI_TRY(j->queue->ops->collect(j->queue, wait_ns, out, err));
    if (out->number >= 0) judge_answer(j, out->number);
    if (out->number >= 0 && out->status != WADI_OK) say("nobody computes item", out->number, "");
    return WADI_OK;
}

static int judge_workers(wadi_workq *self) {
    judge *j = inside(self);
    return j->queue->ops->workers(j->queue);
}

static void judge_look(wadi_workq *self, wadi_workq_open *out) {
    judge *j = inside(self);
    j->queue->ops->look(j->queue, out);
    if (out->items != j->n) blame("another number of items is told", out->items, j->n);
    if (out->bytes != j->bytes) blame("another number of bytes is told", out->bytes, j->bytes);
}

static wadi_status judge_end(wadi_workq *self, wadi_error *err) {
    judge *j = inside(self);
    return judge_call(j->queue->ops->end(j->queue, err), err);
}

/* NULL: its server is away, or lets nobody in. */
static wadi_workq *open_home(void) {
    static const wadi_workq_ops ops = {.close = judge_close,
                                       .offer = judge_offer,
                                       .has_room = judge_has_room,
                                       .submit = judge_submit,
                                       .collect = judge_collect,
                                       .workers = judge_workers,
                                       .look = judge_look,
                                       .end = judge_end};
    judge *j = calloc(1, sizeof *j);
    if (j == NULL) abort();
    *j = (judge){.base = {.ops = &ops, .wake_fd = -1}, .memory = 3000 * t->scale, .number = -1};
    const wadi_workq_options o = {
        .address = way_address(), .home = true, .memory = j->memory, .wake_fd = -1};
    if (wadi_way_open(&o, &j->queue, NULL) == WADI_OK) return &j->base;
    free(j);
    return NULL;
}

/* ---- a worker's queue, and what is wrong with the worker ---- */

typedef struct misfit {
    wadi_workq base;
    wadi_workq *queue;
    int who;
} misfit;

static void misfit_close(wadi_workq *self) {
    wadi_workq_close(((misfit *)self)->queue);
}

static wadi_status misfit_charter(wadi_workq *self, void **out, int64_t *out_n, wadi_error *err) {
    wadi_workq *q = ((misfit *)self)->queue;
    return q->ops->charter(q, out, out_n, err);
}

static wadi_status misfit_fetch(wadi_workq *self, wadi_work_item *out, wadi_error *err) {
    const misfit *m = (misfit *)self;
    WADI_TRY(m->queue->ops->fetch(m->queue, out, err));
    const bool dies = t->habit[m->who] == DIES && world_chance(5) == 0;
    if (out->number < 0 || !(dies || out->number % 16 == t->poison)) return WADI_OK;
    say("a worker dies of item", out->number, "");
    t->kills++;
    world_kill(t->worker[m->who]);
    return WADI_OK;
}

static void take_time(habit h) {
    world_sleep((h == SLOW ? 100 + world_chance(900) : world_chance(5)) * MS);
    if (h != STOPS) return;
    if (world_chance(4) == 0) world_sleep((1 + world_chance(10)) * SECOND);
    if (world_chance(20) == 0) world_sleep(1000 * SECOND);
}

static wadi_status misfit_answer(wadi_workq *self, const wadi_work_item *item, wadi_error *err) {
    const misfit *m = (misfit *)self;
    const habit h = t->habit[m->who];
    take_time(h);
    WADI_TRY(m->queue->ops->answer(m->queue, item, err));
    if (h != REPEATS || world_chance(2) == 0) return WADI_OK;
    take_time(h);
    return m->queue->ops->answer(m->queue, item, err);
}

static wadi_workq *open_worker(misfit *m, int who) {
    static const wadi_workq_ops ops = {.close = misfit_close,
                                       .charter = misfit_charter,
                                       .fetch = misfit_fetch,
                                       .answer = misfit_answer};
    *m = (misfit){.base = {.ops = &ops, .wake_fd = -1}, .who = who};
    const wadi_workq_options o = {.address = way_address(),
                                  .lost_after_ns = way_lost_s() * SECOND,
                                  .hangs_after_ns = 10 * SECOND,
                                  .wake_fd = -1};
    return wadi_way_open(&o, &m->queue, NULL) == WADI_OK ? &m->base : NULL;
}

/* ---- processes ---- */

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
    const int who = *(const int *)env;
    misfit m;
    wadi_error err = {.status = WADI_OK};
    bool goes_on = true;
    if (!t->race) world_sleep(world_chance(who == 0 ? 100 : 2000) * MS);
    wadi_workq *q = open_worker(&m, who);
    wadi_status status = WADI_OK;
    for (; q == NULL && !world_am_dead(); q = open_worker(&m, who)) world_sleep(SECOND / 2);
    if (q == NULL) return;
    while (status == WADI_OK && goes_on) status = serve(q, &goes_on, &err);
    wadi_workq_close(q);
    say("a worker ends with", status, err.msg);
}

static wadi_run_options choose_options(void) {
    return (wadi_run_options){.threads = 1,
                              .memory = 1 << 20,
                              .chunk = 1 + world_chance(3),
                              .forget = true,
                              .watchdog_s = 1e6,
                              .state = "home",
                              .save_every_s = 0.001 * (1 + world_chance(300)),
                              .on_fault =
                                  t->fault_at >= 0 ? WADI_ON_FAULT_SKIP : WADI_ON_FAULT_FAIL,
                              .via = way_address(),
                              .workers = t->race ? WORKERS : world_chance(4) == 0};
}

static void note_stats(wadi_run *x, const wadi_run_options *o) {
    wadi_run_stats stats;
    wadi_run_stats_get(x, &stats);
    t->elsewhere += stats.elsewhere;
    if (stats.memory_peak > o->memory) blame("more memory", stats.memory_peak, o->memory);
    if (t->over && stats.dead != (t->fault_at >= 0)) blame("elements that fail", stats.dead, 1);
}

static void live_as_home(void *env) {
    const wadi_loader l = hand_loader(&hand);
    wadi_run *x = NULL;
    wadi_error err = {.status = WADI_OK};
    WADI_UNUSED(env);
    world_sleep(t->delay_ns);
    if (world_am_dead()) return;
    const wadi_run_options options = choose_options();
    wadi_workq *q = open_home();
    for (; q == NULL && !world_am_dead(); q = open_home()) world_sleep(SECOND / 2);
    if (q == NULL) return;
    ramp in = make_ramp();
    wadi_sink out = make_shelf();
    if (wadi_run_create_for(&hand.plan, &l, &options, &x, &err) != WADI_OK ||
        wadi_run_work_by(x, way_address(), q, &err) != WADI_OK ||
        wadi_run_source(x, "in", &in.base, &err) != WADI_OK ||
        wadi_run_sink(x, "out", &out, &err) != WADI_OK)
        blame(err.msg, 0, 0);
    if (t->all) wadi_run_share_by(x, (wadi_share_rule){.choose = choose_nothing});
    t->run = x;
    const wadi_status status = wadi_run_go(x, &err);
    t->run = NULL;
    if (status == WADI_OK && !world_am_dead()) t->over = true;
    note_stats(x, &options);
    wadi_run_destroy(x);
    say("home ends with", status, err.msg);
    if (status != WADI_OK && status != WADI_CANCELLED && strstr(err.msg, "no space") == NULL)
        blame(err.msg, status, 0);
}

static void start_worker(int who) {
    static const int all[WORKERS] = {0, 1, 2, 3};
    t->starts++;
    t->habit[who] = who == 0 ? WELL : (habit)world_chance(t->stops ? HABITS : STOPS);
    if (t->race) t->habit[who] = who == 1 ? SLOW : WELL;
    t->worker[who] = world_start(live_as_worker, (void *)(uintptr_t)&all[who]);
}

static void start_home(int64_t delay_ns) {
    t->starts++;
    t->delay_ns = delay_ns;
    t->home = world_start(live_as_home, NULL);
}

/* ---- a world ---- */

static void kill_home(void) {
    if (t->home == NULL || t->over) return;
    say("home is killed", 0, "");
    t->kills++;
    world_kill(t->home);
    if (t->run != NULL) wadi_run_cancel(t->run); /* so that it comes to its end */
}

static void do_harm(void) {
    const char *way = world_chance(2) == 0 ? way_harm() : NULL;
    const int what = world_chance(8), who = world_chance(WORKERS);
    if (way != NULL) {
        say(way, 0, "");
        return;
    }
    if (what < 2) {
        kill_home();
    } else if (what == 2 && t->run != NULL) {
        say("home is drained", 0, "");
        t->drains++;
        wadi_run_drain(t->run);
    } else if (t->worker[who] != NULL && who > 0) {
        say("a worker is killed:", who, "");
        t->kills++;
        world_kill(t->worker[who]);
    }
}

static bool has_anybody(void) {
    bool anybody = t->home != NULL;
    for (int i = 0; i < WORKERS; i++) anybody = anybody || t->worker[i] != NULL;
    return anybody;
}

/* Whoever has ended comes back, as long as there is something to do. */
static void replace(void) {
    if (t->home != NULL && world_has_ended(t->home)) {
        t->home = NULL;
        if (!t->over) start_home(world_chance(2000) * MS);
    }
    for (int i = 0; i < WORKERS; i++) {
        if (t->worker[i] == NULL || !world_has_ended(t->worker[i])) continue;
        t->worker[i] = NULL;
        if (!t->over) start_worker(i);
    }
}

static void end_all(void) {
    if (t->home != NULL) world_kill(t->home);
    if (t->run != NULL) wadi_run_cancel(t->run);
    for (int i = 0; i < WORKERS; i++)
        if (t->worker[i] != NULL) world_kill(t->worker[i]);
    t->over = true;
    for (int turns = 0; has_anybody() && turns < 1000000; turns++) {
        (void)world_turn();
        replace();
    }
}

static void make_peace(void) {
    t->poison = -1;
    t->fault_at = -1;
    t->stops = t->thrice = t->keyed = false;
    t->all = true;
    t->scale = 1;
}

static void simulate(trial *trial_) {
    t = trial_;
    world_begin(t->seed, (int)(t->seed % 4));
    t->put_ns = world_now();
    t->poison = world_chance(4) == 0 ? world_chance(16) : -1;
    t->fault_at = world_chance(4) == 0 ? world_chance(ELEMENTS) : -1;
    t->stops = world_chance(3) == 0;
    t->thrice = world_chance(2) == 0;
    t->all = world_chance(4) != 0;
    t->scale = !t->thrice && world_chance(3) == 0 ? way_scale() : 1;
    t->keyed = !t->race && t->seed % 5 == 3;
    if (t->keyed) t->thrice = t->unordered = false;
    if (t->keyed && t->fault_at >= 0 && t->fault_at % 7 == 0) t->fault_at++; /* it has values */
    if (t->race) make_peace();
    choose_program();
    if (world_chance(4) == 0 && !t->race) world_fill_disk(4);
    int harms = t->race ? 0 : world_chance(6);
    int64_t next_ns = world_now() + world_chance(2000) * MS;
    start_home(0);
    for (int i = 0; i < WORKERS; i++) start_worker(i);
    while (has_anybody() && t->wrong[0] == '\0') {
        if (!world_turn()) blame("nobody has anything to wait for", t->disk.stored, world_now());
        if (t->starts > STARTS || world_now() > 3600 * SECOND)
            blame("it does not come to an end", t->starts, world_now());
        replace();
        if (harms == 0 || world_now() < next_ns) continue;
        do_harm();
        harms--;
        next_ns = world_now() + world_chance(500) * MS;
    }
    end_all();
    if (!t->disk.finished || t->disk.stored != t->nwant)
        blame("the output is not whole", t->disk.stored, t->nwant);
    if (t->disk.stored == t->nwant) check_output();
    if (t->longest_ns > (t->stops ? LONG_S : way_pause_s()) * SECOND)
        blame("somebody is well, and nothing comes for so many ms", t->longest_ns / MS, t->stops);
    if (t->wrong[0] == '\0' && world_has_state()) blame("a state is left", 1, 0);
    if (way_requests() / (world_now() / SECOND) > WORKERS * way_requests_most())
        blame("so many requests to the server, in so many seconds", way_requests(),
              world_now() / SECOND);
    world_end();
}

/* ---- all ---- */

static void quiet(void *env, wadi_log_level level, const char *text) {
    WADI_UNUSED(env);
    WADI_UNUSED(level);
    if (t->tells) printf("%10.3f ms  %s\n", (double)world_now() / 1e6, text);
}

static uint64_t usual_number(void) {
    const char *sanitizer = getenv("WADI_SANITIZE");
    if (sanitizer != NULL && sanitizer[0] != '\0') return 10;
    return getenv("WADI_TEST_ALL") != NULL ? 300 : 40;
}

static void every_element_is_computed_once(void **state) {
    WADI_UNUSED(state);
    const world_seeds seeds = world_seeds_of(usual_number());
    const uint64_t n = seeds.last + 1 - seeds.first;
    int64_t kills = 0, drains = 0, starts = 0, elsewhere = 0, longest_ns = 0, mixed = 0;
    wadi_log_set(quiet, NULL);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        trial world = {.seed = seed, .tells = seeds.tells, .unordered = seed / 4 % 2 == 0};
        simulate(&world);
        if (world.mixed && !world.unordered) blame("a sink gets elements in another order", 0, 0);
        mixed += world.mixed;
        kills += world.kills;
        drains += world.drains;
        starts += world.starts;
        elsewhere += world.elsewhere;
        if (world.longest_ns > longest_ns) longest_ns = world.longest_ns;
        if (world.wrong[0] != '\0')
            fail_msg("WADI_SEED=%llu: %s", (unsigned long long)seed, world.wrong);
    }
    wadi_log_set(NULL, NULL);
    if (!seeds.tells && elsewhere < (int64_t)n * ELEMENTS / 2)
        fail_msg("workers have computed %lld elements", (long long)elsewhere);
    if (n >= 8 && mixed == 0) fail_msg("no sink got elements in another order");
    printf("%llu worlds, %lld processes started, %lld killed, %lld drained, %lld elements computed "
           "by workers, nothing for %.0f s at most, %lld outputs in another order\n",
           (unsigned long long)n, (long long)starts, (long long)kills, (long long)drains,
           (long long)elsewhere, (double)longest_ns / 1e9, (long long)mixed);
}

/* When nine of ten elements have come, in a world where one worker is slow and nothing else happens. */
static int64_t race(uint64_t seed, bool unordered) {
    trial world = {.seed = seed, .unordered = unordered, .race = true};
    simulate(&world);
    if (world.wrong[0] != '\0') fail_msg("seed %llu: %s", (unsigned long long)seed, world.wrong);
    return world.most_ns;
}

static void a_slow_worker_holds_nobody_back(void **state) {
    enum { RACES = 5 };
    int64_t in_order = 0, as_they_come = 0;
    WADI_UNUSED(state);
    wadi_log_set(quiet, NULL);
    for (uint64_t seed = 1; seed <= RACES; seed++) {
        in_order += race(seed, false);
        as_they_come += race(seed, true);
    }
    wadi_log_set(NULL, NULL);
    printf("nine of ten elements after %.1f s, in order %.1f s\n",
           (double)as_they_come / RACES / 1e9, (double)in_order / RACES / 1e9);
    assert_true(2 * as_they_come < in_order);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_element_is_computed_once),
                                       cmocka_unit_test(a_slow_worker_holds_nobody_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
