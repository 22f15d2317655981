/* Devices with memory of their own, whose launches return at once: before bytes are moved from one to another, those that were launched are waited
 * for, so that the time of copies is that of copies alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "sched/slots.h"
#include "sched/split/apart.h"

/* ---- devices that are busy from a launch until somebody waits ---- */

typedef struct part {
    wadi_device base;
    wadi_residence residence;
    wadi_traffic traffic;
    bool busy;
    int launches, waits, gets;
    bool busy_at_get, busy_at_launch; /* at any of them */
} part;

enum { PARTS = 2, N = 256 };

static part *parts[PARTS]; /* those that are open */

static part *part_of(const wadi_device *self) {
    return (part *)(uintptr_t)self;
}

static void destroy(wadi_device *self) {
    wadi_buffers_release(part_of(self)->residence.blocks);
    free(part_of(self));
}

static int workers(const wadi_device *self) {
    WADI_UNUSED(self);
    return 1;
}

static bool begin(wadi_device *self, const wadi_device_work *work) {
    WADI_UNUSED(self);
    WADI_UNUSED(work);
    return true;
}

static void end(wadi_device *self) {
    WADI_UNUSED(self);
}

static void launch(wadi_device *self, wadi_launch *l) {
    part *d = part_of(self);
    l->fault.kind = WADI_FAULT_NONE;
    d->busy_at_launch = d->busy_at_launch || d->busy;
    d->busy = true;
    d->launches++;
}

static wadi_status wait(wadi_device *self, wadi_error *err) {
    WADI_UNUSED(err);
    part_of(self)->busy = false;
    part_of(self)->waits++;
    return WADI_OK;
}

static void put(void *self, void *to, const void *from, int64_t bytes) {
    WADI_UNUSED(self);
    memcpy(to, from, (size_t)bytes);
}

static void get(void *self, void *to, const void *from, int64_t bytes) {
    part *d = self;
    memcpy(to, from, (size_t)bytes);
    d->busy_at_get = d->busy_at_get || d->busy;
    d->gets++;
}

static wadi_status open_part(const wadi_device_options *options, wadi_device **out,
                             wadi_error *err) {
    static const wadi_device_ops ops = {.destroy = destroy,
                                        .workers = workers,
                                        .begin = begin,
                                        .end = end,
                                        .launch = launch,
                                        .wait = wait};
    static const wadi_image_ops images = {.language = "none"};
    part *d = calloc(1, sizeof *d);
    assert_non_null(d);
    assert_int_equal(wadi_buffers_create(NULL, 0, &d->residence.blocks, err), WADI_OK);
    d->residence.put = d->residence.copy = put;
    d->residence.get = get;
    d->residence.self = d;
    d->residence.traffic = &d->traffic;
    d->base = (wadi_device){&ops, &d->residence, &images, false};
    parts[options->number] = d;
    *out = &d->base;
    return WADI_OK;
}

/* ---- launches ---- */

enum { A, B, C, SLOTS };

#define VECTOR(NAME)                                                                         \
    {                                                                                        \
        .name = (NAME), .kind = WADI_SLOT_ONCE, .rank = 1, .fields = 1, .type = { WADI_I64 } \
    }

static const wadi_plan_slot plan_slots[SLOTS] = {VECTOR("a"), VECTOR("b"), VECTOR("c")};

typedef struct bench {
    wadi_buffers *buffers;
    wadi_device *all;
    wadi_plan plan;
    wadi_slots slots;
} bench;

static void open_by(bench *b, wadi_split_rule rule) {
    static const int numbers[PARTS] = {0, 1};
    *b = (bench){.plan = {.nslots = SLOTS, .slots = plan_slots}};
    assert_int_equal(wadi_buffers_create(NULL, 0, &b->buffers, NULL), WADI_OK);
    const wadi_device_options options = {.buffers = b->buffers};
    assert_int_equal(
        wadi_split_open_alike(open_part, &options, PARTS, numbers, rule, NULL, &b->all, NULL),
        WADI_OK);
    assert_int_equal(wadi_slots_init(&b->slots, &b->plan, b->buffers, b->all->residence, NULL),
                     WADI_OK);
    for (int i = 0; i < SLOTS; i++) {
        assert_true(wadi_slots_room_for_shapes(&b->slots, i, 1));
        b->slots.slot[i].shape[0] = N;
        assert_true(wadi_slots_room_for_columns(&b->slots, i, N));
    }
    const wadi_device_work work = {.slots = &b->slots, .count = 1};
    assert_true(b->all->ops->begin(b->all, &work));
}

static void close_all(bench *b) {
    b->all->ops->end(b->all);
    wadi_slots_fini(&b->slots);
    b->all->ops->destroy(b->all);
    wadi_buffers_release(b->buffers);
}

/* N units, each of which writes an element of `to` and reads the same one of `from`, or any. */
static void go(const bench *b, int from, int to, bool any) {
    const wadi_plan_touch of[] = {{.slot = from, .reads = true, .own = any ? 0 : 1},
                                  {.slot = to, .writes = true, .own = 1}};
    const wadi_plan_touches touches = {
        .quiet = true, .known = true, .n = 2, .of = of, .target = to, .piece = 1};
    wadi_launch l = {.count = 1, .n = N, .touches = &touches};
    b->all->ops->launch(b->all, &l);
    assert_int_equal(l.fault.kind, WADI_FAULT_NONE);
}

static void in_halves(void *env, int64_t n, int count, int64_t *at) {
    WADI_UNUSED(env);
    for (int p = 1; p < count; p++) at[p] = n * p / count;
}

/* ---- tests ---- */

static void copies_come_when_launches_have_ended(void **state) {
    (void)state;
    bench b;
    open_by(&b, (wadi_split_rule){in_halves, NULL});
    go(&b, A, B, false);
    go(&b, B, C, true); /* each half to the other device */
    for (int p = 0; p < PARTS; p++) {
        assert_int_equal(parts[p]->launches, 2);
        assert_true(parts[p]->gets > 0);
        assert_false(parts[p]->busy_at_get);
    }
    close_all(&b);
}

static void what_moves_nothing_waits_for_nobody(void **state) {
    (void)state;
    bench b;
    open_by(&b, (wadi_split_rule){in_halves, NULL});
    go(&b, A, B, false);
    const int waits = parts[0]->waits + parts[1]->waits;
    go(&b, B, C, false);
    assert_int_equal(parts[0]->waits + parts[1]->waits, waits);
    close_all(&b);
}

/* The first units of a launch that would need more bytes on several devices show how long it takes: they alone. */
static void a_trial_begins_when_launches_have_ended(void **state) {
    (void)state;
    bench b;
    open_by(&b, (wadi_split_rule){NULL, NULL});
    go(&b, A, B, true);
    assert_int_equal(parts[1]->launches, 0);
    assert_true(parts[0]->launches > 1 && parts[0]->busy);
    parts[0]->busy_at_launch = false;
    const int launches = parts[0]->launches;
    go(&b, A, C, true);
    assert_int_equal(parts[0]->launches, launches + 2);
    assert_false(parts[0]->busy_at_launch);
    close_all(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(copies_come_when_launches_have_ended),
                                       cmocka_unit_test(what_moves_nothing_waits_for_nobody),
                                       cmocka_unit_test(a_trial_begins_when_launches_have_ended)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
