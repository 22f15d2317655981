/* Calls of the driver in the forms that pools and residences want. */
#include "sched/gpu/memory.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/task.h"
#include "sched/gpu/ahead.h"

/* Pinned memory that a device's chunks have at most, in bytes, all and one of them. The system cannot use it otherwise, and pinning takes longer
 * than a copy, so large blocks do not pay. */
static const int64_t pinned_most = (int64_t)1 << 28, block_most = (int64_t)1 << 26;

/* What a residence refers to, until the last block is back. */
typedef struct memory {
    wadi_gpu_driver *driver;
    wadi_beside beside; /* pinned NULL: the driver has none */
    wadi_traffic traffic;
    wadi_gpu_ahead ahead;
    int64_t pinned; /* bytes; under the lock of the pool for them */
} memory;

/* Whoever waits for the machine is registered, so that a machine that hangs is named by the watchdog. */
static int begin_wait(const wadi_gpu_driver *d) {
    return wadi_task_wait("the device", -1, d->name);
}

/* ---- the residence ---- */

static wadi_gpu_driver *driver_of(void *self) {
    return ((memory *)self)->driver;
}

static void *take(void *self, size_t bytes) {
    wadi_gpu_driver *d = driver_of(self);
    return d->ops->take(d, bytes);
}

static void give(void *self, void *block, size_t bytes) {
    wadi_gpu_driver *d = driver_of(self);
    d->ops->give(d, block, bytes);
}

static void put(void *self, void *to, const void *from, int64_t bytes) {
    wadi_gpu_driver *d = driver_of(self);
    d->ops->put(d, to, from, (size_t)bytes);
}

static void get(void *self, void *to, const void *from, int64_t bytes) {
    wadi_gpu_driver *d = driver_of(self);
    const int ticket = begin_wait(d);
    d->ops->get(d, to, from, (size_t)bytes);
    wadi_task_go_on(ticket);
}

static void copy(void *self, void *to, const void *from, int64_t bytes) {
    wadi_gpu_driver *d = driver_of(self);
    d->ops->copy(d, to, from, (size_t)bytes);
}

wadi_status wadi_gpu_wait(wadi_gpu_driver *d, wadi_error *err) {
    const int ticket = begin_wait(d);
    const wadi_status status = d->ops->wait(d, err);
    wadi_task_go_on(ticket);
    return status;
}

static wadi_status check(void *self, wadi_error *err) {
    return wadi_gpu_wait(driver_of(self), err);
}

/* ---- beside ---- */

static void *pin(void *self, size_t bytes) {
    memory *m = self;
    if ((int64_t)bytes > block_most || (int64_t)bytes > pinned_most - m->pinned) return NULL;
    void *at = m->driver->ops->beside->pin(m->driver, bytes);
    if (at != NULL) m->pinned += (int64_t)bytes;
    return at;
}

static void unpin(void *self, void *block, size_t bytes) {
    memory *m = self;
    m->driver->ops->beside->unpin(m->driver, block);
    m->pinned -= (int64_t)bytes;
}

static uint64_t fetch(void *self, void *to, const void *from, int64_t bytes) {
    wadi_gpu_driver *d = driver_of(self);
    return d->ops->beside->fetch(d, to, from, (size_t)bytes);
}

static wadi_status arrived(void *self, uint64_t mark, wadi_error *err) {
    wadi_gpu_driver *d = driver_of(self);
    const int ticket = begin_wait(d);
    const wadi_status status = d->ops->beside->arrived(d, mark, err);
    wadi_task_go_on(ticket);
    return status;
}

static wadi_ahead *send(void *self, int n, const wadi_ahead_column *column, void **out) {
    return wadi_gpu_ahead_send(&((memory *)self)->ahead, n, column, out);
}

static bool relieve(void *self) {
    return wadi_gpu_ahead_relieve(&((memory *)self)->ahead);
}

static wadi_status open_beside(memory *m, wadi_error *err) {
    const wadi_memory host = {.take = pin, .give = unpin, .self = m};
    WADI_TRY(wadi_gpu_ahead_init(&m->ahead, m->driver, err));
    m->beside = (wadi_beside){.fetch = fetch, .arrived = arrived, .send = send, .relieve = relieve};
    const wadi_status status = wadi_buffers_create(&host, pinned_most, &m->beside.pinned, err);
    if (status != WADI_OK) wadi_gpu_ahead_fini(&m->ahead);
    return status;
}

/* ---- life ---- */

/* The last block is back. */
static void done(void *self) {
    memory *m = self;
    if (m->beside.pinned != NULL) {
        wadi_buffers_release(m->beside.pinned);
        wadi_gpu_ahead_fini(&m->ahead);
    }
    m->driver->ops->destroy(m->driver);
    free(m);
}

wadi_status wadi_gpu_residence_init(wadi_residence *r, wadi_gpu_driver *owned_driver,
                                    int64_t keep_bytes, wadi_error *err) {
    memory *m = calloc(1, sizeof *m);
    if (m == NULL) {
        owned_driver->ops->destroy(owned_driver);
        return wadi_fail(err, WADI_MEMORY, "out of memory");
    }
    m->driver = owned_driver;
    const wadi_memory blocks = {.take = take,
                                .give = give,
                                .done = done,
                                .self = m,
                                .apart = true,
                                .of = owned_driver->memory};
    const bool beside = owned_driver->ops->beside != NULL;
    *r = (wadi_residence){
        .put = put, .get = get, .copy = copy, .check = check, .self = m, .traffic = &m->traffic};
    if (beside) r->beside = &m->beside;
    wadi_status status = beside ? open_beside(m, err) : WADI_OK;
    if (status == WADI_OK) status = wadi_buffers_create(&blocks, keep_bytes, &r->blocks, err);
    if (status != WADI_OK) done(m);
    return status;
}

void wadi_gpu_residence_fini(wadi_residence *r) {
    wadi_buffers_release(r->blocks);
    r->blocks = NULL;
}
