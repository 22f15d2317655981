/* The device around a device. See clocked.h. */
#define _GNU_SOURCE /* secure_getenv */
#include "sched/clocked.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "base/log.h"

typedef struct clocked {
    wadi_device base;
    wadi_device *of;
    char name[64], *path;
    int64_t calls, ns;
    wadi_error failure; /* what `wait` has said before somebody asked */
} clocked;

static clocked *clocked_of(const wadi_device *self) {
    return (clocked *)(uintptr_t)self;
}

static wadi_device *inner(const wadi_device *self) {
    return clocked_of(self)->of;
}

/* ---- time ---- */

static void wait_silently(clocked *d) {
    wadi_error err = {.status = WADI_OK};
    const wadi_status status = d->of->ops->wait(d->of, &err);
    if (status == WADI_OK || d->failure.status != WADI_OK) return;
    d->failure = err;
    d->failure.status = status;
}

static int64_t start(wadi_device *self) {
    wait_silently(clocked_of(self));
    return wadi_clock_ns();
}

static void stop(wadi_device *self, int64_t begin_ns) {
    clocked *d = clocked_of(self);
    wait_silently(d);
    d->ns += wadi_clock_ns() - begin_ns;
    d->calls++;
}

static void launch(wadi_device *self, wadi_launch *l) {
    const int64_t begin = start(self);
    inner(self)->ops->launch(inner(self), l);
    stop(self, begin);
}

static bool finish(wadi_device *self, const int *slots, int n, bool whole) {
    const int64_t begin = start(self);
    const bool fine = inner(self)->ops->finish(inner(self), slots, n, whole);
    stop(self, begin);
    return fine;
}

static void iota(wadi_device *self, int64_t *to, int64_t n, int64_t first) {
    const int64_t begin = start(self);
    inner(self)->ops->iota(inner(self), to, n, first);
    stop(self, begin);
}

static int64_t scan(wadi_device *self, int64_t *at, int64_t n) {
    const int64_t begin = start(self);
    const int64_t sum = inner(self)->ops->scan(inner(self), at, n);
    stop(self, begin);
    return sum;
}

static int64_t count(wadi_device *self, const void *bools, int64_t n) {
    const int64_t begin = start(self);
    const int64_t yes = inner(self)->ops->count(inner(self), bools, n);
    stop(self, begin);
    return yes;
}

static void gather(wadi_device *self, const wadi_device_gather *g) {
    const int64_t begin = start(self);
    inner(self)->ops->gather(inner(self), g);
    stop(self, begin);
}

static bool routine(wadi_device *self, const wadi_device_calls *batch) {
    const int64_t begin = start(self);
    const bool fine =
        inner(self)->ops->routine != NULL && inner(self)->ops->routine(inner(self), batch);
    stop(self, begin);
    return fine;
}

/* ---- what takes no time ---- */

static int64_t busy_ns(const wadi_device *self) {
    return inner(self)->ops->busy_ns(inner(self));
}

static int workers(const wadi_device *self) {
    return inner(self)->ops->workers(inner(self));
}

static bool begin(wadi_device *self, const wadi_device_work *work) {
    return inner(self)->ops->begin(inner(self), work);
}

static void end(wadi_device *self) {
    inner(self)->ops->end(inner(self));
}

static bool expect(wadi_device *self, int slot, int64_t n) {
    return inner(self)->ops->expect(inner(self), slot, n);
}

static wadi_status wait_for(wadi_device *self, wadi_error *err) {
    clocked *d = clocked_of(self);
    wait_silently(d);
    const wadi_error failure = d->failure;
    d->failure.status = WADI_OK;
    if (failure.status != WADI_OK && err != NULL) *err = failure;
    return failure.status;
}

/* ---- life ---- */

static void tell(const clocked *d) {
    int64_t put = 0, got = 0;
    char line[160];
    if (d->base.residence != NULL) {
        put = atomic_load(&d->base.residence->traffic->put);
        got = atomic_load(&d->base.residence->traffic->got);
    }
    const int n =
        wadi_format(line, sizeof line, "%s\t%" PRId64 "\t%.9f\t%" PRId64 "\t%" PRId64 "\n", d->name,
                    d->calls, (double)d->ns * 1e-9, put, got);
    const int fd = open(d->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, line, (size_t)n) != n)
        wadi_logf(WADI_LOG_WARNING, "WADI_DEVICE_TIMES: %s: %s", d->path, strerror(errno));
    if (fd >= 0) (void)close(fd);
}

static void destroy(wadi_device *self) {
    clocked *d = clocked_of(self);
    tell(d);
    d->of->ops->destroy(d->of);
    free(d->path);
    free(d);
}

static const wadi_device_ops ops = {.destroy = destroy,
                                    .busy_ns = busy_ns,
                                    .workers = workers,
                                    .begin = begin,
                                    .end = end,
                                    .launch = launch,
                                    .expect = expect,
                                    .finish = finish,
                                    .iota = iota,
                                    .scan = scan,
                                    .count = count,
                                    .gather = gather,
                                    .routine = routine,
                                    .wait = wait_for};

wadi_device *wadi_clocked(const char *name, wadi_device *owned) {
    const char *path = secure_getenv("WADI_DEVICE_TIMES");
    if (path == NULL || *path == '\0') return owned;
    clocked *d = calloc(1, sizeof *d);
    char *own = strdup(path);
    if (d == NULL || own == NULL) {
        free(d);
        free(own);
        return owned;
    }
    *d = (clocked){.of = owned, .path = own};
    d->base = *owned;
    d->base.ops = &ops;
    (void)snprintf(d->name, sizeof d->name, "%s", name);
    return &d->base;
}
