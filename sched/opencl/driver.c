/* One queue in order, one buffer. Calls that fail are remembered; calls behind a failure do nothing. Whoever waits can be left behind
 * (base/behind.h), unless the driver reads memory that may not stay. The macro is needed because anonymous
 * mappings are not POSIX. */
#define _DEFAULT_SOURCE
#include "sched/opencl/driver.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/behind.h"
#include "base/error.h"
#include "sched/gpu/failure.h"
#include "sched/gpu/rt/call.h"
#include "sched/gpu/rt_embed.h"
#include "sched/opencl/image.h"
#include "sched/opencl/range.h"

/* Commands that may be under way before the host waits for them. */
enum { EVENTS = 64 };
/* Bytes that `put` copies aside, so that the host need not wait: in one call, and in all while commands are under way. */
enum { ASIDE = 1 << 14, ASIDE_ALL = 1 << 18 };
/* A buffer below this many bytes is not worth opening a device for. */
enum { LEAST = 1 << 16 };

typedef struct driver {
    wadi_gpu_driver base; /* the first member */
    wadi_opencl_machine *m;
    wadi_opencl_queue queue;
    wadi_opencl_buffer heap;
    char *origin; /* `size` addresses without access */
    size_t size;
    pthread_mutex_t lock; /* guards `range` */
    wadi_opencl_range range;
    wadi_gpu_failure failure;
    wadi_opencl_event event[EVENTS]; /* of commands under way, in their order */
    int events;
    char *aside; /* [ASIDE_ALL]: what commands under way read */
    size_t aside_used;
    _Atomic int64_t busy_ns;
} driver;

static driver *of(wadi_gpu_driver *self) {
    return (driver *)self;
}

static const wadi_opencl_entries *cl(const driver *d) {
    return d->m->cl;
}

/* ---- failures ---- */

/* Whether the call has succeeded. If not, that is remembered. */
static bool check(driver *d, const char *call, int32_t code) {
    wadi_error why;
    if (code == WADI_OPENCL_SUCCESS) return true;
    (void)wadi_opencl_failed(d->m->name, call, code, &why);
    wadi_gpu_failure_note(&d->failure, &why);
    return false;
}

static bool is_well(driver *d) {
    return wadi_gpu_failure_tell(&d->failure, NULL) == WADI_OK;
}

/* ---- time ---- */

static uint64_t time_of(const driver *d, wadi_opencl_event e, uint32_t what) {
    uint64_t ns = 0;
    return cl(d)->GetEventProfilingInfo(e, what, sizeof ns, &ns, NULL) == 0 ? ns : 0;
}

/* The command has ended: its time counts, and its failure is remembered. */
static void end_event(driver *d, wadi_opencl_event e) {
    int32_t status = 0;
    wadi_behind_enter();
    const uint64_t begin = time_of(d, e, WADI_OPENCL_EVENT_BEGIN),
                   end = time_of(d, e, WADI_OPENCL_EVENT_END);
    if (cl(d)->GetEventInfo(e, WADI_OPENCL_EVENT_STATUS, sizeof status, &status, NULL) != 0)
        status = 0;
    (void)cl(d)->ReleaseEvent(e);
    wadi_behind_leave();
    if (status < 0) (void)check(d, "a command", status);
    if (end > begin) atomic_fetch_add(&d->busy_ns, (int64_t)(end - begin));
}

/* The oldest n commands have ended. */
static void end_events(driver *d, int n) {
    for (int i = 0; i < n; i++) end_event(d, d->event[i]);
    d->events -= n;
    if (d->events == 0) d->aside_used = 0;
    memmove(d->event, d->event + n, (size_t)d->events * sizeof d->event[0]);
}

/* A command has been queued. If many are under way, half of them must end first. */
static void add_event(driver *d, wadi_opencl_event e) {
    d->event[d->events++] = e;
    if (d->events < EVENTS) return;
    wadi_behind_enter();
    const int32_t code = cl(d)->WaitForEvents(1, &d->event[EVENTS / 2 - 1]);
    wadi_behind_leave();
    (void)check(d, "clWaitForEvents", code);
    end_events(d, EVENTS / 2);
}

static int64_t busy_ns(const wadi_gpu_driver *self) {
    return atomic_load(&((const driver *)self)->busy_ns);
}

/* ---- memory ---- */

static void *take(wadi_gpu_driver *self, size_t bytes) {
    driver *d = of(self);
    size_t begin = 0;
    (void)pthread_mutex_lock(&d->lock);
    const bool room = wadi_opencl_range_take(&d->range, bytes, &begin);
    (void)pthread_mutex_unlock(&d->lock);
    return room ? d->origin + begin : NULL;
}

static void give(wadi_gpu_driver *self, void *memory, size_t bytes) {
    driver *d = of(self);
    (void)pthread_mutex_lock(&d->lock);
    wadi_opencl_range_give(&d->range, (size_t)((char *)memory - d->origin), bytes);
    (void)pthread_mutex_unlock(&d->lock);
}

/* The place in the buffer. False: there is nothing to do, or the bytes are not all in the buffer, which is remembered. */
static bool place(driver *d, const void *at, size_t bytes, size_t *out) {
    const uintptr_t address = (uintptr_t)at, origin = (uintptr_t)d->origin;
    if (bytes == 0 || !is_well(d)) return false;
    *out = (size_t)(address - origin);
    if (address >= origin && *out <= d->size && bytes <= d->size - *out) return true;
    wadi_error why;
    (void)wadi_fail(&why, WADI_INTERNAL, "%s: %zu bytes are not in the device's memory", d->m->name,
                    bytes);
    wadi_gpu_failure_note(&d->failure, &why);
    return false;
}

/* A copy of the bytes that stays until the command which reads it has ended; NULL: there is no room. */
static const void *put_aside(driver *d, const void *from, size_t bytes) {
    const size_t at = d->aside_used;
    if (bytes > ASIDE || bytes > ASIDE_ALL - at) return NULL;
    memcpy(d->aside + at, from, bytes);
    d->aside_used += bytes;
    return d->aside + at;
}

static void put(wadi_gpu_driver *self, void *to, const void *from, size_t bytes) {
    driver *d = of(self);
    size_t at;
    wadi_opencl_event e;
    if (!place(d, to, bytes, &at)) return;
    const void *aside = put_aside(d, from, bytes);
    if (aside != NULL) wadi_behind_enter(); /* what the library reads of the host's may go away */
    const int32_t code = cl(d)->EnqueueWriteBuffer(d->queue, d->heap, aside == NULL, at, bytes,
                                                   aside == NULL ? from : aside, 0, NULL, &e);
    if (aside != NULL) wadi_behind_leave();
    if (!check(d, "clEnqueueWriteBuffer", code)) return;
    add_event(d, e);
    if (aside == NULL) end_events(d, d->events);
}

static void get(wadi_gpu_driver *self, void *to, const void *from, size_t bytes) {
    driver *d = of(self);
    size_t at;
    wadi_opencl_event e;
    if (place(d, from, bytes, &at)) {
        wadi_behind_enter();
        const int32_t code =
            cl(d)->EnqueueReadBuffer(d->queue, d->heap, 1, at, bytes, to, 0, NULL, &e);
        wadi_behind_leave();
        if (check(d, "clEnqueueReadBuffer", code)) {
            add_event(d, e);
            end_events(d, d->events);
        }
    }
    if (!is_well(d)) memset(to, 0, bytes);
}

static void copy(wadi_gpu_driver *self, void *to, const void *from, size_t bytes) {
    driver *d = of(self);
    size_t source, target;
    wadi_opencl_event e;
    if (to == from || !place(d, from, bytes, &source) || !place(d, to, bytes, &target)) return;
    wadi_behind_enter();
    const int32_t code =
        cl(d)->EnqueueCopyBuffer(d->queue, d->heap, d->heap, source, target, bytes, 0, NULL, &e);
    wadi_behind_leave();
    if (check(d, "clEnqueueCopyBuffer", code)) add_event(d, e);
}

/* ---- kernels ---- */

/* Nobody else may set arguments between these and the launch. */
static int32_t enqueue(driver *d, const wadi_opencl_code *c, size_t items,
                       const wadi_gpu_call *call, const char **what, wadi_opencl_event *out) {
    const size_t group = WADI_GPU_LANES;
    *what = "clSetKernelArg";
    int32_t code = cl(d)->SetKernelArg(c->kernel, 0, sizeof(wadi_opencl_buffer), &d->heap);
    if (code == WADI_OPENCL_SUCCESS) code = cl(d)->SetKernelArg(c->kernel, 1, sizeof *call, call);
    if (code != WADI_OPENCL_SUCCESS) return code;
    *what = "clEnqueueNDRangeKernel";
    return cl(d)->EnqueueNDRangeKernel(d->queue, c->kernel, 1, NULL, &items, &group, 0, NULL, out);
}

static void launch(wadi_gpu_driver *self, wadi_code kernel, int64_t groups,
                   const wadi_gpu_call *call) {
    driver *d = of(self);
    wadi_opencl_code *c = (wadi_opencl_code *)kernel.handle;
    wadi_gpu_call here = *call;
    const char *what = NULL;
    wadi_opencl_event e;
    if (!is_well(d)) return;
    here.origin = (uint64_t)(uintptr_t)d->origin;
    here.which = c->which;
    (void)pthread_mutex_lock(&c->lock);
    wadi_behind_enter();
    const int32_t code = enqueue(d, c, (size_t)groups * WADI_GPU_LANES, &here, &what, &e);
    wadi_behind_leave();
    (void)pthread_mutex_unlock(&c->lock);
    if (!check(d, what, code)) return;
    add_event(d, e);
    wadi_behind_enter();
    const int32_t flushed = cl(d)->Flush(d->queue);
    wadi_behind_leave();
    (void)check(d, "clFlush", flushed);
}

static wadi_status wait_for(wadi_gpu_driver *self, wadi_error *err) {
    driver *d = of(self);
    wadi_behind_enter();
    const int32_t code = cl(d)->Finish(d->queue);
    wadi_behind_leave();
    (void)check(d, "clFinish", code);
    end_events(d, d->events);
    return wadi_gpu_failure_tell(&d->failure, err);
}

/* ---- opening and closing ---- */

static void destroy(wadi_gpu_driver *self) {
    driver *d = of(self);
    if (d->queue != NULL) {
        wadi_behind_enter();
        (void)cl(d)->Finish(d->queue);
        end_events(d, d->events);
        (void)cl(d)->ReleaseCommandQueue(d->queue);
        wadi_behind_leave();
    }
    wadi_behind_enter();
    if (d->heap != NULL) (void)cl(d)->ReleaseMemObject(d->heap);
    wadi_behind_leave();
    free(d->aside);
    if (d->origin != NULL) (void)munmap(d->origin, d->size);
    wadi_opencl_range_fini(&d->range);
    (void)pthread_mutex_destroy(&d->lock);
    wadi_gpu_failure_fini(&d->failure);
    free(d);
}

/* As large as the machine gives it: what it refuses is tried again with half the size. */
static wadi_status make_heap(driver *d, wadi_opencl_context context, int64_t most,
                             wadi_error *err) {
    const int64_t largest = most > 0 && most < d->m->largest ? most : d->m->largest;
    int32_t code = WADI_OPENCL_NO_BUFFER;
    for (size_t size = (size_t)largest; size >= LEAST && d->heap == NULL; size /= 2) {
        d->heap = cl(d)->CreateBuffer(context, WADI_OPENCL_READ_WRITE, size, NULL, &code);
        d->size = size;
        if (d->heap == NULL && code != WADI_OPENCL_NO_BUFFER && code != WADI_OPENCL_NO_RESOURCES &&
            code != WADI_OPENCL_NO_HOST_MEMORY && code != WADI_OPENCL_BUFFER_TOO_LARGE)
            break;
    }
    if (d->heap == NULL) return wadi_opencl_failed(d->m->name, "clCreateBuffer", code, err);
    return WADI_OK;
}

static wadi_status reserve(driver *d, wadi_error *err) {
    void *at = mmap(NULL, d->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return wadi_fail(err, WADI_MEMORY, "%s: no addresses for %zu bytes", d->m->name, d->size);
    d->origin = at;
    if (!wadi_opencl_range_init(&d->range, d->size))
        return wadi_fail(err, WADI_MEMORY, "%s: out of memory", d->m->name);
    return WADI_OK;
}

static wadi_status equip(driver *d, int64_t most, wadi_error *err) {
    wadi_opencl_context context = NULL;
    int32_t code = WADI_OPENCL_SUCCESS;
    WADI_TRY(wadi_opencl_context_of(d->m, &context, err));
    d->aside = malloc(ASIDE_ALL);
    if (d->aside == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", d->m->name);
    d->queue = cl(d)->CreateCommandQueue(context, d->m->device, WADI_OPENCL_PROFILING, &code);
    if (d->queue == NULL) return wadi_opencl_failed(d->m->name, "clCreateCommandQueue", code, err);
    WADI_TRY(make_heap(d, context, most, err));
    return reserve(d, err);
}

wadi_status wadi_opencl_driver_open(wadi_opencl_machine *m, int64_t most, wadi_gpu_driver **out,
                                    wadi_error *err) {
    static const wadi_gpu_driver_ops ops = {.destroy = destroy,
                                            .take = take,
                                            .give = give,
                                            .put = put,
                                            .get = get,
                                            .copy = copy,
                                            .launch = launch,
                                            .wait = wait_for,
                                            .busy_ns = busy_ns};
    driver *d = calloc(1, sizeof *d);
    if (d == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", m->name);
    wadi_status status = wadi_gpu_failure_init(&d->failure, err);
    if (status != WADI_OK) {
        free(d);
        return status;
    }
    (void)pthread_mutex_init(&d->lock, NULL);
    d->m = m;
    status = equip(d, most, err);
    d->base = (wadi_gpu_driver){.ops = &ops,
                                .images = &m->images,
                                .dialect = wadi_embed_opencl,
                                .units = m->units,
                                .memory = (int64_t)d->size,
                                .name = m->name};
    if (status == WADI_OK)
        *out = &d->base;
    else
        destroy(&d->base);
    return status;
}
