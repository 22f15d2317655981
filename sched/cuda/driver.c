/* Calls go through one stream, in order. Copies beside them have streams of their own (copies.h).
 *
 * What is copied between the host and the machine goes through memory of the host that the machine itself reads and writes
 * (staging.h), small copies and pieces of large ones alike. So a copy to the machine waits for nothing that was launched before, and the host
 * fills or reads one piece while another is on its way. If there is no such memory, copies go from and to the memory at hand, and the
 * stream is waited for. */
#include "sched/cuda/driver.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "sched/cuda/copies.h"
#include "sched/cuda/fft.h"
#include "sched/cuda/images.h"
#include "sched/gpu/rt/call.h"
#include "sched/gpu/rt_embed.h"

/* How many groups of the kernel a multiprocessor runs at the same time. */
typedef struct fit {
    wadi_code kernel;
    int groups;
} fit;

enum { FITS = 64 };

typedef struct cuda {
    wadi_gpu_driver base;
    wadi_cuda_session session;
    wadi_cuda_queue queue;
    wadi_cuda_staging staging;
    wadi_cuda_copies copies;
    int64_t begun; /* when the first call since the queue was empty was made; 0: none was */
    atomic_int_least64_t busy;
    wadi_cuda_fft *fft; /* from the first transform on; NULL: none was, or there is no library */
    bool fft_tried;
    fit fits[FITS];
} cuda;

static cuda *cuda_of(wadi_gpu_driver *self) {
    return (cuda *)self;
}

static bool check(cuda *d, const char *call, wadi_cu_result result) {
    return wadi_cuda_check(&d->session, call, result);
}

static bool enter(cuda *d) {
    return wadi_cuda_enter(&d->session);
}

static void leave(const cuda *d) {
    wadi_cuda_leave(&d->session);
}

static const wadi_cu_api *cu(const cuda *d) {
    return d->session.cu;
}

static void begin_work(cuda *d) {
    if (d->begun == 0) d->begun = wadi_clock_ns();
}

/* Waits until the queue is empty. False: something in it has failed. */
static bool drain(cuda *d) {
    const bool ok = wadi_cuda_queue_drain(&d->queue);
    if (d->begun != 0) atomic_fetch_add(&d->busy, wadi_clock_ns() - d->begun);
    d->begun = 0;
    return ok;
}

/* ---- memory ---- */

static void *take(wadi_gpu_driver *self, size_t bytes) {
    cuda *d = cuda_of(self);
    wadi_cu_address at = 0;
    if (!enter(d)) return NULL;
    const wadi_cu_result result = cu(d)->take(&at, bytes > 0 ? bytes : 1);
    leave(d);
    if (result != WADI_CU_OUT_OF_MEMORY) (void)check(d, "cuMemAlloc", result);
    return result == WADI_CU_SUCCESS ? (void *)(uintptr_t)at : NULL;
}

/* After a failure too: the context may be in use by others. */
static void give(wadi_gpu_driver *self, void *memory, size_t bytes) {
    cuda *d = cuda_of(self);
    WADI_UNUSED(bytes);
    if (memory == NULL || !wadi_cuda_enter_still(&d->session)) return;
    (void)check(d, "cuMemFree", cu(d)->give((uintptr_t)memory));
    leave(d);
}

/* ---- copies ---- */

/* Without memory between. */
static void put_plain(cuda *d, char *to, const char *from, size_t bytes) {
    if (check(d, "cuMemcpyHtoDAsync", cu(d)->put((uintptr_t)to, from, bytes, d->queue.stream)))
        (void)drain(d);
}

static void put(wadi_gpu_driver *self, void *to, const void *from, size_t bytes) {
    cuda *d = cuda_of(self);
    if (bytes == 0 || !enter(d)) return;
    begin_work(d);
    size_t done = 0, n = 0;
    for (bool ok = true; ok && done < bytes; done += n) {
        char *at = wadi_cuda_staging_room(&d->staging, bytes - done, &n);
        if (at == NULL) break;
        wadi_cuda_read(at, (const char *)from + done, n);
        ok =
            check(d, "cuMemcpyHtoDAsync", cu(d)->put((uintptr_t)to + done, at, n, d->queue.stream));
    }
    if (done < bytes && !wadi_cuda_is_failed(&d->session))
        put_plain(d, (char *)to + done, (const char *)from + done, bytes - done);
    leave(d);
}

static bool get_plain(cuda *d, char *to, uintptr_t from, size_t bytes) {
    return check(d, "cuMemcpyDtoHAsync", cu(d)->get(to, from, bytes, d->queue.stream)) && drain(d);
}

/* A piece that is on its way to the host; at NULL: none is. */
typedef struct coming {
    const char *at;
    char *to;
    size_t n;
    uint64_t mark;
} coming;

static bool receive(cuda *d, coming *c) {
    if (c->at == NULL) return true;
    if (!wadi_cuda_queue_reach(&d->queue, c->mark)) return false;
    memcpy(c->to, c->at, c->n);
    c->at = NULL;
    return true;
}

/* While the host reads a piece, the next one is on its way. */
static bool get_all(cuda *d, char *to, uintptr_t from, size_t bytes) {
    coming last = {0};
    for (size_t asked = 0, n = 0; asked < bytes; asked += n) {
        if (wadi_cuda_staging_is_single(&d->staging) && !receive(d, &last)) return false;
        char *at = wadi_cuda_staging_room(&d->staging, bytes - asked, &n);
        if (at == NULL)
            return receive(d, &last) && !wadi_cuda_is_failed(&d->session) &&
                   get_plain(d, to + asked, from + asked, bytes - asked);
        if (!check(d, "cuMemcpyDtoHAsync", cu(d)->get(at, from + asked, n, d->queue.stream)))
            return false;
        const bool more = asked + n < bytes; /* the last one is drained */
        const coming next = {at, to + asked, n, more ? wadi_cuda_queue_mark(&d->queue) : 0};
        if (!receive(d, &last)) return false;
        last = next;
    }
    if (!drain(d)) return false;
    memcpy(last.to, last.at, last.n);
    wadi_cuda_staging_clear(&d->staging);
    return true;
}

static void get(wadi_gpu_driver *self, void *to, const void *from, size_t bytes) {
    cuda *d = cuda_of(self);
    if (bytes == 0) return;
    bool got = false;
    if (enter(d)) {
        begin_work(d);
        got = get_all(d, to, (uintptr_t)from, bytes);
        leave(d);
    }
    if (!got) memset(to, 0, bytes);
}

static void copy(wadi_gpu_driver *self, void *to, const void *from, size_t bytes) {
    cuda *d = cuda_of(self);
    if (bytes == 0 || !enter(d)) return;
    begin_work(d);
    (void)check(d, "cuMemcpyDtoDAsync",
                cu(d)->copy((uintptr_t)to, (uintptr_t)from, bytes, d->queue.stream));
    leave(d);
}

/* ---- kernels ---- */

/* Addresses are those of the machine, so their origin is 0. The library copies the argument before it returns. */
static void launch(wadi_gpu_driver *self, wadi_code kernel, int64_t groups,
                   const wadi_gpu_call *call) {
    cuda *d = cuda_of(self);
    wadi_gpu_call seen = *call;
    void *arguments[] = {&seen};
    const unsigned n = groups < INT_MAX ? (unsigned)groups : INT_MAX;
    seen.origin = 0;
    if (!enter(d)) return;
    begin_work(d);
    (void)check(d, "cuLaunchKernel",
                cu(d)->launch(wadi_cuda_function(kernel), n, 1, 1, WADI_GPU_LANES, 1, 1, 0,
                              d->queue.stream, arguments, NULL));
    leave(d);
}

/* A machine is asked once about a kernel, as far as there is room to note the answer. Kernels stay loaded as long as the device is open, so a
 * handle means one kernel (sched/gpu/memo.h). */
static int fitting(wadi_gpu_driver *self, wadi_code kernel) {
    cuda *d = cuda_of(self);
    fit *noted = &d->fits[kernel.handle / 16 % FITS];
    if (noted->kernel.handle == kernel.handle) return noted->groups;
    int groups = 0;
    if (!enter(d)) return 1;
    (void)check(d, "cuOccupancyMaxActiveBlocksPerMultiprocessor",
                cu(d)->fitting(&groups, wadi_cuda_function(kernel), WADI_GPU_LANES, 0));
    leave(d);
    if (groups < 1) groups = 1;
    *noted = (fit){kernel, groups};
    return groups;
}

/* ---- transforms ---- */

static wadi_cuda_fft *fft_of(cuda *d) {
    if (!d->fft_tried) d->fft = wadi_cuda_fft_open();
    d->fft_tried = true;
    return d->fft;
}

/* A failed device's transforms count as done: `wait` tells. */
static bool transform(wadi_gpu_driver *self, const wadi_gpu_transforms *x) {
    cuda *d = cuda_of(self);
    wadi_error err = {0};
    if (!enter(d)) return true;
    wadi_cuda_fft *fft = fft_of(d);
    begin_work(d);
    const wadi_cuda_fft_end end =
        fft != NULL ? wadi_cuda_fft_run(fft, x, d->queue.stream, d->session.machine->name, &err)
                    : WADI_CUDA_FFT_DECLINED;
    leave(d);
    if (end == WADI_CUDA_FFT_FAILED) wadi_gpu_failure_note(&d->session.failure, &err);
    return end != WADI_CUDA_FFT_DECLINED;
}

/* After a failure too: what was launched before may be about to lose its kernels and its memory. */
static wadi_status wait(wadi_gpu_driver *self, wadi_error *err) {
    cuda *d = cuda_of(self);
    if (wadi_cuda_enter_still(&d->session)) {
        (void)drain(d);
        wadi_cuda_staging_clear(&d->staging);
        leave(d);
    }
    return wadi_gpu_failure_tell(&d->session.failure, err);
}

static int64_t busy_ns(const wadi_gpu_driver *self) {
    const cuda *d = (const cuda *)self;
    return atomic_load(&d->busy);
}

/* ---- beside ---- */

static void *pin(wadi_gpu_driver *self, size_t bytes) {
    return wadi_cuda_copies_pin(&cuda_of(self)->copies, bytes);
}

static void unpin(wadi_gpu_driver *self, void *memory) {
    wadi_cuda_copies_unpin(&cuda_of(self)->copies, memory);
}

static uint64_t now(wadi_gpu_driver *self) {
    return wadi_cuda_copies_now(&cuda_of(self)->copies);
}

static uint64_t send(wadi_gpu_driver *self, void *to, const void *from, size_t bytes,
                     uint64_t used) {
    return wadi_cuda_copies_send(&cuda_of(self)->copies, to, from, bytes, used);
}

static void after(wadi_gpu_driver *self, uint64_t sent) {
    wadi_cuda_copies_after(&cuda_of(self)->copies, sent);
}

static uint64_t fetch(wadi_gpu_driver *self, void *to, const void *from, size_t bytes) {
    return wadi_cuda_copies_fetch(&cuda_of(self)->copies, to, from, bytes);
}

static wadi_status arrived(wadi_gpu_driver *self, uint64_t fetched, wadi_error *err) {
    cuda *d = cuda_of(self);
    wadi_cuda_copies_arrived(&d->copies, fetched);
    return wadi_gpu_failure_tell(&d->session.failure, err);
}

/* ---- life ---- */

static void close_parts(cuda *d) {
    if (d->session.context == NULL) return;
    if (wadi_cuda_enter_still(&d->session)) {
        if (d->queue.stream != NULL) (void)cu(d)->wait(d->queue.stream);
        wadi_cuda_fft_close(d->fft);
        wadi_cuda_copies_close(&d->copies);
        wadi_cuda_queue_close(&d->queue);
        wadi_cuda_staging_close(&d->staging);
        leave(d);
    }
    wadi_cuda_release(d->session.machine);
}

static void destroy(wadi_gpu_driver *self) {
    cuda *d = cuda_of(self);
    close_parts(d);
    wadi_gpu_failure_fini(&d->session.failure);
    free(d);
}

/* The context is current. */
static wadi_status make_parts(cuda *d, wadi_error *err) {
    size_t room = 0, total = 0;
    const wadi_cu_result result = cu(d)->room(&room, &total);
    if (result != WADI_CU_SUCCESS)
        return wadi_cu_fail(err, d->session.machine->name, "cuMemGetInfo", result);
    d->base.memory = room <= INT64_MAX ? (int64_t)room : INT64_MAX;
    WADI_TRY(wadi_cuda_queue_open(&d->queue, &d->session, false, err));
    WADI_TRY(wadi_cuda_staging_open(&d->staging, &d->queue, err));
    return wadi_cuda_copies_open(&d->copies, &d->queue, err);
}

static wadi_status open_parts(cuda *d, wadi_error *err) {
    wadi_cuda_session *s = &d->session;
    wadi_cu_context context = NULL;
    WADI_TRY(wadi_cu_open(&s->cu, err));
    WADI_TRY(wadi_cuda_retain(s->machine, &context, err));
    s->context = context;
    if (!wadi_cuda_enter_still(s)) return wadi_gpu_failure_tell(&s->failure, err);
    const wadi_status status = make_parts(d, err);
    leave(d);
    return status;
}

static const wadi_gpu_beside beside = {.pin = pin,
                                       .unpin = unpin,
                                       .now = now,
                                       .send = send,
                                       .after = after,
                                       .fetch = fetch,
                                       .arrived = arrived};

static const wadi_gpu_driver_ops ops = {.destroy = destroy,
                                        .take = take,
                                        .give = give,
                                        .put = put,
                                        .get = get,
                                        .copy = copy,
                                        .launch = launch,
                                        .fitting = fitting,
                                        .transform = transform,
                                        .wait = wait,
                                        .busy_ns = busy_ns,
                                        .beside = &beside};

wadi_status wadi_cuda_driver_open(int number, wadi_gpu_driver **out, wadi_error *err) {
    const wadi_cuda_machine *m = NULL;
    const wadi_image_ops *images = NULL;
    WADI_TRY(wadi_cuda_machine_find(number, &m, err));
    WADI_TRY(wadi_cuda_images(number, &images, err));
    cuda *d = calloc(1, sizeof *d);
    if (d == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", m->name);
    d->base = (wadi_gpu_driver){.ops = &ops,
                                .images = images,
                                .dialect = wadi_embed_cuda,
                                .units = m->multiprocessors,
                                .name = m->name};
    d->session.machine = m;
    wadi_status status = wadi_gpu_failure_init(&d->session.failure, err);
    if (status != WADI_OK) {
        free(d);
        return status;
    }
    status = open_parts(d, err);
    if (status == WADI_OK)
        *out = &d->base;
    else
        destroy(&d->base);
    return status;
}
