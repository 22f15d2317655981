/* Calls of the driver in the forms that pools and residences want. */
#include "sched/gpu/memory.h"

#include "base/task.h"

/* Whoever waits for the machine is registered, so that a machine that hangs is named by the watchdog. */
static int begin_wait(const wadi_gpu_driver *d) {
    return wadi_task_wait("the device", -1, d->name);
}

static void *take(void *self, size_t bytes) {
    wadi_gpu_driver *d = self;
    return d->ops->take(d, bytes);
}

static void give(void *self, void *memory, size_t bytes) {
    wadi_gpu_driver *d = self;
    d->ops->give(d, memory, bytes);
}

static void done(void *self) {
    wadi_gpu_driver *d = self;
    d->ops->destroy(d);
}

static void put(void *self, void *to, const void *from, int64_t bytes) {
    wadi_gpu_driver *d = self;
    d->ops->put(d, to, from, (size_t)bytes);
}

static void get(void *self, void *to, const void *from, int64_t bytes) {
    wadi_gpu_driver *d = self;
    const int ticket = begin_wait(d);
    d->ops->get(d, to, from, (size_t)bytes);
    wadi_task_go_on(ticket);
}

wadi_status wadi_gpu_wait(wadi_gpu_driver *d, wadi_error *err) {
    const int ticket = begin_wait(d);
    const wadi_status status = d->ops->wait(d, err);
    wadi_task_go_on(ticket);
    return status;
}

static wadi_status check(void *self, wadi_error *err) {
    return wadi_gpu_wait(self, err);
}

static void copy(void *self, void *to, const void *from, int64_t bytes) {
    wadi_gpu_driver *d = self;
    d->ops->copy(d, to, from, (size_t)bytes);
}

wadi_status wadi_gpu_residence_init(wadi_residence *r, wadi_gpu_driver *owned_driver,
                                    int64_t keep_bytes, wadi_error *err) {
    const wadi_memory memory = {
        .take = take, .give = give, .done = done, .self = owned_driver, .apart = true};
    *r = (wadi_residence){
        .put = put, .get = get, .copy = copy, .check = check, .self = owned_driver};
    const wadi_status status = wadi_buffers_create(&memory, keep_bytes, &r->blocks, err);
    if (status != WADI_OK) owned_driver->ops->destroy(owned_driver);
    return status;
}

void wadi_gpu_residence_fini(wadi_residence *r) {
    wadi_buffers_release(r->blocks);
    r->blocks = NULL;
}
