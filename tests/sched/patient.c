/* Calls go on to the other device. */
#include "tests/sched/patient.h"

#include "base/behind.h"

#include <time.h>

#include "base/error.h"

static void rest(int64_t ns) {
    const struct timespec t = {ns / 1000000000, ns % 1000000000};
    (void)nanosleep(&t, NULL);
}

static patient *patient_of(const wadi_device *self) {
    return (patient *)(uintptr_t)self;
}

static void p_destroy(wadi_device *self) {
    patient *p = patient_of(self);
    p->inner->ops->destroy(p->inner);
}

static int64_t p_busy_ns(const wadi_device *self) {
    return patient_of(self)->inner->ops->busy_ns(patient_of(self)->inner);
}

static int p_workers(const wadi_device *self) {
    return patient_of(self)->inner->ops->workers(patient_of(self)->inner);
}

/* As in a call of a driver. */
static void rest_in_call(int64_t ns) {
    wadi_behind_enter();
    rest(ns);
    wadi_behind_leave();
}

static bool p_begin(wadi_device *self, const wadi_device_work *work) {
    return patient_of(self)->inner->ops->begin(patient_of(self)->inner, work);
}

static void p_end(wadi_device *self) {
    patient_of(self)->inner->ops->end(patient_of(self)->inner);
}

static void p_launch(wadi_device *self, wadi_launch *l) {
    patient *p = patient_of(self);
    const int64_t number = p->launches++;
    if (p->sleeps_from >= 0 && number >= p->sleeps_from) rest_in_call(p->sleep_ns);
    if (p->dies_at >= 0 && number >= p->dies_at) p->dead = true;
    p->inner->ops->launch(p->inner, l); /* a dead one computes too, and means nothing */
}

static bool p_expect(wadi_device *self, int slot, int64_t count) {
    return patient_of(self)->inner->ops->expect(patient_of(self)->inner, slot, count);
}

static bool p_finish(wadi_device *self, const int *slots, int n, bool whole) {
    return patient_of(self)->inner->ops->finish(patient_of(self)->inner, slots, n, whole);
}

static void p_iota(wadi_device *self, int64_t *to, int64_t n, int64_t first) {
    patient_of(self)->inner->ops->iota(patient_of(self)->inner, to, n, first);
}

static int64_t p_scan(wadi_device *self, int64_t *at, int64_t n) {
    return patient_of(self)->inner->ops->scan(patient_of(self)->inner, at, n);
}

static int64_t p_count(wadi_device *self, const void *bools, int64_t n) {
    return patient_of(self)->inner->ops->count(patient_of(self)->inner, bools, n);
}

static void p_gather(wadi_device *self, const wadi_device_gather *g) {
    patient_of(self)->inner->ops->gather(patient_of(self)->inner, g);
}

static bool p_routine(wadi_device *self, const wadi_device_calls *batch) {
    return patient_of(self)->inner->ops->routine(patient_of(self)->inner, batch);
}

static wadi_status p_wait(wadi_device *self, wadi_error *err) {
    patient *p = patient_of(self);
    if (p->dead) return wadi_fail(err, WADI_DEVICE, "it has fallen off the bus");
    return p->inner->ops->wait(p->inner, err);
}

static const wadi_device_ops patient_ops = {.destroy = p_destroy,
                                            .busy_ns = p_busy_ns,
                                            .workers = p_workers,
                                            .begin = p_begin,
                                            .end = p_end,
                                            .launch = p_launch,
                                            .expect = p_expect,
                                            .finish = p_finish,
                                            .iota = p_iota,
                                            .scan = p_scan,
                                            .count = p_count,
                                            .gather = p_gather,
                                            .routine = p_routine,
                                            .wait = p_wait};

wadi_device *patient_over(patient *p, wadi_device *owned_d) {
    p->base = (wadi_device){&patient_ops, owned_d->residence, owned_d->images};
    p->inner = owned_d;
    return &p->base;
}
