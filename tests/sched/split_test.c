/* A device made of several: which part of a launch each gets, what is not cut, and what is told of it. The parts are devices that only note what they
 * are asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "base/error.h"
#include "sched/split/split.h"

/* ---- devices that take notes ---- */

typedef struct noter {
    wadi_device base;
    int threads;
    int launches, routines, begun, ended, waited, finished, forgot;
    wadi_launch last;
    wadi_fault fault;    /* of each launch */
    int told;            /* workers in all */
    int64_t described;   /* the problem */
    bool declines, full; /* full: out of memory */
    struct tally *tally; /* of devices that work at the same time; NULL: it is none of them */
    int waits; /* its first launch lasts until so many units are done with it; 0: it does not */
} noter;

enum { PARTS = 3, UNITS = 1000, FIRST = 50 };

/* What several devices do at the same time. */
typedef struct tally {
    atomic_int begun;              /* devices */
    atomic_int times[UNITS], done; /* how often each unit was done; units done */
    int faults[3];                 /* units with faults */
} tally;

static int destroyed;

static noter *noter_of(const wadi_device *self) {
    return (noter *)(uintptr_t)self;
}

static void destroy(wadi_device *self) {
    destroyed++;
    free(noter_of(self));
}

static int64_t busy_ns(const wadi_device *self) {
    return noter_of(self)->threads * INT64_C(10);
}

static int workers(const wadi_device *self) {
    return noter_of(self)->threads;
}

static bool begin(wadi_device *self, const wadi_device_work *work) {
    noter_of(self)->begun++;
    noter_of(self)->told = work->workers;
    return !noter_of(self)->full;
}

static void end(wadi_device *self) {
    noter_of(self)->ended++;
}

/* Until it has reached that; a second without progress is the end of waiting. */
static void wait_until(atomic_int *count, int most) {
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int quiet = 0, before = -1; quiet < 1000 && atomic_load(count) < most; quiet++) {
        const int now = atomic_load(count);
        if (now != before) quiet = 0;
        before = now;
        (void)nanosleep(&pause, NULL);
    }
}

/* All have begun before one goes on. */
static void launch_beside(noter *d, wadi_launch *l) {
    tally *t = d->tally;
    l->fault.kind = WADI_FAULT_NONE;
    if (d->launches == 1) {
        (void)atomic_fetch_add(&t->begun, 1);
        wait_until(&t->begun, PARTS);
        if (d->waits > 0) wait_until(&t->done, d->waits - (int)l->n);
    }
    for (int i = 0; i < 3; i++)
        if (t->faults[i] >= l->first && t->faults[i] < l->first + l->n &&
            (l->fault.kind == WADI_FAULT_NONE || t->faults[i] < l->fault.element))
            l->fault = (wadi_fault){.kind = WADI_FAULT_INDEX, .element = t->faults[i]};
    for (int64_t i = l->first; i < l->first + l->n; i++) atomic_fetch_add(&t->times[i - FIRST], 1);
    atomic_fetch_add(&t->done, (int)l->n);
}

static void launch(wadi_device *self, wadi_launch *l) {
    noter *d = noter_of(self);
    d->launches++;
    if (d->tally != NULL) {
        launch_beside(d, l);
        return;
    }
    l->fault = d->fault;
    d->last = *l;
}

static bool expect(wadi_device *self, int slot, int64_t count) {
    WADI_UNUSED(slot);
    WADI_UNUSED(count);
    return !noter_of(self)->full;
}

static bool finish(wadi_device *self, const int *slots, int n, bool whole) {
    noter *d = noter_of(self);
    WADI_UNUSED(slots);
    d->finished += n;
    d->forgot += whole;
    return true;
}

/* Asks for the last of its problems alone. */
static bool routine(wadi_device *self, const wadi_device_calls *batch) {
    noter *d = noter_of(self);
    wadi_call call = {0};
    d->routines++;
    batch->describe(batch->self, batch->problems - 1, batch->problems, &call);
    d->described = call.count;
    return !d->declines;
}

static wadi_status wait(wadi_device *self, wadi_error *err) {
    noter_of(self)->waited++;
    return noter_of(self)->full ? wadi_fail(err, WADI_MEMORY, "full") : WADI_OK;
}

static const wadi_device_ops ops = {.destroy = destroy,
                                    .busy_ns = busy_ns,
                                    .workers = workers,
                                    .begin = begin,
                                    .end = end,
                                    .launch = launch,
                                    .expect = expect,
                                    .finish = finish,
                                    .routine = routine,
                                    .wait = wait};

typedef struct bench {
    noter *part[PARTS];
    wadi_device *device[PARTS], *all;
    wadi_slots slots;
    wadi_plan plan;
} bench;

static noter *make_noter(int threads) {
    noter *d = calloc(1, sizeof *d);
    assert_non_null(d);
    d->base.ops = &ops;
    d->base.shares = true;
    d->threads = threads;
    return d;
}

static const int threads_of_parts[PARTS] = {1, 2, 1};

static void make_parts(bench *b) {
    *b = (bench){.plan = {.nslots = 2}};
    b->slots.plan = &b->plan;
    destroyed = 0;
    for (int p = 0; p < PARTS; p++) {
        b->part[p] = make_noter(threads_of_parts[p]);
        b->device[p] = &b->part[p]->base;
    }
}

static void open_as(bench *b, bool together, wadi_split_rule rule) {
    make_parts(b);
    assert_int_equal(wadi_split_open(PARTS, b->device, 1, together, rule, &b->all, NULL), WADI_OK);
}

static void open_by(bench *b, wadi_split_rule rule) {
    open_as(b, false, rule);
}

static void begin_all(const bench *b) {
    const wadi_device_work work = {.slots = (wadi_slots *)(uintptr_t)&b->slots, .count = 1};
    assert_true(b->all->ops->begin(b->all, &work));
}

static wadi_launch launch_all(const bench *b, wadi_launch l) {
    b->all->ops->launch(b->all, &l);
    return l;
}

static void close_all(const bench *b) {
    b->all->ops->destroy(b->all);
    assert_int_equal(destroyed, PARTS);
}

static const wadi_split_rule usual = {NULL, NULL};

/* ---- tests ---- */

static void launches_are_cut_in_proportion_to_workers(void **state) {
    (void)state;
    bench b;
    open_by(&b, usual);
    begin_all(&b);
    (void)launch_all(&b, (wadi_launch){.code = {7}, .count = 3, .n = 80, .first = 1000});
    static const int64_t first[] = {1000, 1020, 1060}, n[] = {20, 40, 20};
    for (int p = 0; p < PARTS; p++) {
        assert_int_equal(b.part[p]->last.first, first[p]);
        assert_int_equal(b.part[p]->last.n, n[p]);
        assert_int_equal(b.part[p]->last.code.handle, 7);
        assert_int_equal(b.part[p]->last.count, 3);
    }
    assert_int_equal(b.all->ops->workers(b.all), 4);
    assert_int_equal(b.all->ops->busy_ns(b.all), 40);
    close_all(&b);
}

static void at_ends(void *env, int64_t n, int parts, int64_t *at) {
    assert_int_equal(at[0], 0);
    assert_int_equal(at[parts], n);
    for (int p = 1; p < parts; p++) at[p] = *(const int64_t *)env;
}

static void parts_without_work_are_not_launched(void **state) {
    (void)state;
    bench b;
    int64_t at = 0;
    open_by(&b, (wadi_split_rule){at_ends, &at});
    begin_all(&b);
    (void)launch_all(&b, (wadi_launch){.n = 1});
    assert_int_equal(b.part[0]->launches + b.part[1]->launches, 0);
    assert_int_equal(b.part[2]->last.n, 1);
    at = 1;
    (void)launch_all(&b, (wadi_launch){.n = 1});
    assert_int_equal(b.part[0]->last.n, 1);
    assert_int_equal(b.part[0]->launches + b.part[1]->launches + b.part[2]->launches, 2);
    const wadi_launch none =
        launch_all(&b, (wadi_launch){.n = 0, .fault = {.kind = WADI_FAULT_INDEX}});
    assert_int_equal(none.fault.kind, WADI_FAULT_NONE);
    close_all(&b);
}

static void assert_whole(const bench *b, wadi_launch l, bool whole) {
    const int before = b->part[0]->launches, others = b->part[1]->launches;
    (void)launch_all(b, l);
    assert_int_equal(b->part[0]->launches, before + 1);
    assert_int_equal(b->part[0]->last.n, whole ? l.n : l.n / 4);
    assert_int_equal(b->part[1]->launches, others + !whole);
}

static void what_is_in_order_or_emits_is_not_cut(void **state) {
    (void)state;
    static const int slots[] = {1, 0};
    bench b;
    open_by(&b, usual);
    begin_all(&b);
    const wadi_launch l = {.n = 40}, in_order = {.n = 40, .serial = true};
    assert_whole(&b, l, false);
    assert_whole(&b, in_order, true);
    assert_true(b.all->ops->expect(b.all, 0, 40) && b.all->ops->expect(b.all, 1, 40));
    assert_true(b.all->ops->expect(b.all, 1, 40)); /* again */
    assert_whole(&b, l, true);
    assert_true(b.all->ops->finish(b.all, slots, 1, false));
    assert_whole(&b, l, true);
    assert_true(b.all->ops->finish(b.all, slots, 2, true));
    assert_whole(&b, l, false);
    assert_true(b.all->ops->finish(b.all, slots, 2, true)); /* nothing was expected */
    assert_true(b.all->ops->expect(b.all, 0, 40));
    assert_whole(&b, l, true);
    b.all->ops->end(b.all);
    begin_all(&b); /* what was expected is forgotten */
    assert_whole(&b, l, false);
    b.part[0]->full = true;
    assert_false(b.all->ops->expect(b.all, 0, 40));
    assert_whole(&b, l, false);
    close_all(&b);
}

static void what_all_can_emit_is_cut(void **state) {
    (void)state;
    static const int slots[] = {1, 0};
    bench b;
    open_as(&b, true, usual);
    begin_all(&b);
    assert_true(b.all->ops->expect(b.all, 0, 40) && b.all->ops->expect(b.all, 1, 40));
    assert_whole(&b, (wadi_launch){.n = 40}, false);
    assert_whole(&b, (wadi_launch){.n = 40, .serial = true}, true);
    assert_true(b.all->ops->finish(b.all, slots, 2, true));
    for (int p = 0; p < PARTS; p++) {
        assert_int_equal(b.part[p]->finished, p == 0 ? 2 : 0);
        assert_int_equal(b.part[p]->forgot, 1);
    }
    close_all(&b);
}

static void the_first_fault_of_all_parts_is_told(void **state) {
    (void)state;
    bench b;
    open_by(&b, usual);
    begin_all(&b);
    b.part[0]->fault = (wadi_fault){.kind = WADI_FAULT_INDEX, .element = 5, .linear = 9};
    b.part[1]->fault = (wadi_fault){.kind = WADI_FAULT_SHAPE, .element = 5, .linear = 2};
    b.part[2]->fault = (wadi_fault){.kind = WADI_FAULT_EMPTY, .element = 6, .linear = 0};
    assert_int_equal(launch_all(&b, (wadi_launch){.n = 40}).fault.kind, WADI_FAULT_SHAPE);
    b.part[2]->fault.element = 4;
    assert_int_equal(launch_all(&b, (wadi_launch){.n = 40}).fault.kind, WADI_FAULT_EMPTY);
    b.part[1]->fault.kind = b.part[2]->fault.kind = WADI_FAULT_NONE;
    assert_int_equal(launch_all(&b, (wadi_launch){.n = 40}).fault.kind, WADI_FAULT_INDEX);
    b.part[0]->fault.kind = WADI_FAULT_NONE;
    assert_int_equal(launch_all(&b, (wadi_launch){.n = 40}).fault.kind, WADI_FAULT_NONE);
    close_all(&b);
}

/* One of three devices is stuck in its first piece: the others do the rest of its part too, each unit once. */
static void a_device_that_is_done_helps_the_others(void **state) {
    (void)state;
    for (int stuck = 0; stuck < PARTS; stuck++) {
        bench b;
        tally t = {.faults = {FIRST + 900, FIRST + 300, FIRST + 20}};
        make_parts(&b);
        for (int p = 0; p < PARTS; p++) b.part[p]->tally = &t;
        b.part[stuck]->waits = UNITS; /* its own piece among them */
        assert_int_equal(wadi_split_open(PARTS, b.device, PARTS, false, usual, &b.all, NULL),
                         WADI_OK);
        begin_all(&b);
        const wadi_launch l = launch_all(&b, (wadi_launch){.n = UNITS, .first = FIRST});
        for (int i = 0; i < UNITS; i++) assert_int_equal(atomic_load(&t.times[i]), 1);
        assert_int_equal(b.part[stuck]->launches, 1);
        assert_int_equal(l.fault.element, FIRST + 20);
        close_all(&b);
    }
}

/* The first device does all of its part while the others wait; the fault is in its first piece, and in none of the later ones. */
static void the_first_fault_of_all_pieces_is_told(void **state) {
    (void)state;
    bench b;
    tally t = {.faults = {FIRST + 5, FIRST + 10, FIRST + 900}};
    make_parts(&b);
    for (int p = 0; p < PARTS; p++) {
        b.part[p]->tally = &t;
        b.part[p]->waits = p > 0 ? UNITS / 4 : 0;
    }
    assert_int_equal(wadi_split_open(PARTS, b.device, PARTS, false, usual, &b.all, NULL), WADI_OK);
    begin_all(&b);
    const wadi_launch l = launch_all(&b, (wadi_launch){.n = UNITS, .first = FIRST});
    assert_true(b.part[0]->launches > 1);
    assert_int_equal(l.fault.element, FIRST + 5);
    close_all(&b);
}

/* Says which problems were asked for. */
static void describe(const void *self, int64_t begin, int64_t end, wadi_call *out) {
    WADI_UNUSED(self);
    assert_int_equal(end - begin, 1);
    out->count = begin;
}

static void problems_of_routines_are_cut(void **state) {
    (void)state;
    bench b;
    open_by(&b, usual);
    const wadi_device_calls batch = {80, describe, &b}, few = {1, describe, &b};
    assert_true(b.all->ops->routine(b.all, &batch));
    assert_int_equal(b.part[0]->described, 19);
    assert_int_equal(b.part[1]->described, 59);
    assert_int_equal(b.part[2]->described, 79);
    b.part[1]->declines = true;
    assert_false(b.all->ops->routine(b.all, &batch));
    assert_true(b.all->ops->routine(b.all, &few));
    assert_int_equal(b.part[1]->routines, 2);
    close_all(&b);
}

static void all_parts_are_told_of_all_workers(void **state) {
    (void)state;
    bench b;
    open_by(&b, usual);
    begin_all(&b);
    for (int p = 0; p < PARTS; p++) assert_int_equal(b.part[p]->told, 4);
    b.all->ops->end(b.all);
    const wadi_device_work work = {.slots = &b.slots, .count = 1, .workers = 9};
    assert_true(b.all->shares); /* it may be a part itself */
    assert_true(b.all->ops->begin(b.all, &work));
    for (int p = 0; p < PARTS; p++) {
        assert_int_equal(b.part[p]->told, 9);
        assert_int_equal(b.part[p]->begun, 2);
        assert_int_equal(b.part[p]->ended, 1);
    }
    assert_int_equal(b.all->ops->wait(b.all, NULL), WADI_OK);
    b.part[2]->full = true;
    assert_false(b.all->ops->begin(b.all, &work));
    assert_int_equal(b.all->ops->wait(b.all, NULL), WADI_MEMORY);
    close_all(&b);
}

static void devices_that_do_not_fit_are_refused(void **state) {
    (void)state;
    static const wadi_residence other_memory = {.blocks = NULL};
    static const wadi_image_ops other_images = {.language = "none"};
    for (int wrong = 0; wrong < 3; wrong++) {
        bench b;
        wadi_error err = {.status = WADI_OK};
        make_parts(&b);
        if (wrong == 0) b.device[1]->shares = false;
        if (wrong == 1) b.device[2]->residence = &other_memory;
        if (wrong == 2) b.device[2]->images = &other_images;
        assert_int_equal(wadi_split_open(PARTS, b.device, 1, false, usual, &b.all, &err),
                         WADI_INVALID);
        assert_string_equal(
            err.msg, wrong == 0 ? "split: device 1 cannot share launches"
                                : "split: device 2 has other memory or kernels than the first");
        assert_int_equal(destroyed, PARTS);
    }
}

static void processors_share_the_threads(void **state) {
    (void)state;
    static const struct {
        int threads, parts, workers;
    } of[] = {{3, 2, 3}, {1, 2, 2}, {8, 3, 8}, {2, 5, 5}};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        wadi_device *all = NULL;
        wadi_buffers *buffers = NULL;
        assert_int_equal(wadi_buffers_create(NULL, 1 << 20, &buffers, NULL), WADI_OK);
        const wadi_device_options o = {
            .buffers = buffers, .keep_bytes = 1 << 20, .threads = of[i].threads};
        assert_int_equal(wadi_split_open_cpus(&o, of[i].parts, usual, &all, NULL), WADI_OK);
        assert_int_equal(all->ops->workers(all), of[i].workers);
        all->ops->destroy(all);
        wadi_buffers_release(buffers);
    }
    wadi_device *all = NULL;
    const wadi_device_options wrong = {.threads = 100000};
    assert_int_equal(wadi_split_open_cpus(&wrong, 2, usual, &all, NULL), WADI_INVALID);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_are_cut_in_proportion_to_workers),
        cmocka_unit_test(parts_without_work_are_not_launched),
        cmocka_unit_test(what_is_in_order_or_emits_is_not_cut),
        cmocka_unit_test(what_all_can_emit_is_cut),
        cmocka_unit_test(the_first_fault_of_all_parts_is_told),
        cmocka_unit_test(a_device_that_is_done_helps_the_others),
        cmocka_unit_test(the_first_fault_of_all_pieces_is_told),
        cmocka_unit_test(problems_of_routines_are_cut),
        cmocka_unit_test(all_parts_are_told_of_all_workers),
        cmocka_unit_test(devices_that_do_not_fit_are_refused),
        cmocka_unit_test(processors_share_the_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
