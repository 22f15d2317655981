/* All work goes through one stream, in order. The process may use contexts of its own, so each call makes the machine's context the
 * thread's current one and takes it away again.
 *
 * Small copies to the device go through memory that the machine itself reads, a piece behind the other; when it is full, the stream is
 * waited for. So such a copy waits for nothing that was launched before. Large ones do wait: the library has read what it was given
 * only when the stream has come to its end. */
#include "sched/cuda/driver.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "sched/cuda/fft.h"
#include "sched/cuda/images.h"
#include "sched/gpu/failure.h"
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
    const wadi_cu_api *cu;
    const wadi_cuda_machine *machine;
    wadi_cu_context context; /* retained */
    wadi_cu_stream stream;
    char *staged;  /* [STAGE]: what small copies are read from */
    size_t used;   /* bytes of it since the stream was last waited for */
    int64_t begun; /* when the first call since then was made; 0: none was */
    atomic_int_least64_t busy;
    wadi_cuda_fft *fft; /* from the first transform on; NULL: none was, or there is no library */
    bool fft_tried;
    fit fits[FITS];
    wadi_gpu_failure failure;
} cuda;

enum { STAGE = 1 << 20, PIECE = 256 };

static cuda *cuda_of(wadi_gpu_driver *self) {
    return (cuda *)self;
}

/* ---- the first failure ---- */

static bool is_failed(cuda *d) {
    return wadi_gpu_failure_tell(&d->failure, NULL) != WADI_OK;
}

static void note(cuda *d, const char *call, wadi_cu_result result) {
    wadi_error why;
    (void)wadi_cu_fail(&why, d->machine->name, call, result);
    wadi_gpu_failure_note(&d->failure, &why);
}

/* Whether the call succeeded. */
static bool check(cuda *d, const char *call, wadi_cu_result result) {
    if (result != WADI_CU_SUCCESS) note(d, call, result);
    return result == WADI_CU_SUCCESS;
}

/* ---- the context and the stream ---- */

static bool enter(cuda *d) {
    return !is_failed(d) && check(d, "cuCtxPushCurrent", d->cu->push(d->context));
}

static void leave(const cuda *d) {
    wadi_cu_context left = NULL;
    (void)d->cu->pop(&left);
}

static void begin_work(cuda *d) {
    if (d->begun == 0) d->begun = wadi_clock_ns();
}

/* Waits until the stream is empty. False: something in it has failed. */
static bool drain(cuda *d) {
    const bool ok = check(d, "cuStreamSynchronize", d->cu->wait(d->stream));
    if (d->begun != 0) atomic_fetch_add(&d->busy, wadi_clock_ns() - d->begun);
    d->begun = 0;
    d->used = 0;
    return ok;
}

/* ---- memory ---- */

static void *take(wadi_gpu_driver *self, size_t bytes) {
    cuda *d = cuda_of(self);
    wadi_cu_address at = 0;
    if (!enter(d)) return NULL;
    const wadi_cu_result result = d->cu->take(&at, bytes > 0 ? bytes : 1);
    leave(d);
    if (result != WADI_CU_SUCCESS && result != WADI_CU_OUT_OF_MEMORY) note(d, "cuMemAlloc", result);
    return result == WADI_CU_SUCCESS ? (void *)(uintptr_t)at : NULL;
}

/* After a failure too: the context may be in use by others. */
static void give(wadi_gpu_driver *self, void *memory, size_t bytes) {
    cuda *d = cuda_of(self);
    WADI_UNUSED(bytes);
    if (memory == NULL || d->cu->push(d->context) != WADI_CU_SUCCESS) return;
    (void)check(d, "cuMemFree", d->cu->give((uintptr_t)memory));
    leave(d);
}

/* ---- copies ---- */

static void put_small(cuda *d, void *to, const void *from, size_t bytes) {
    const size_t room = (bytes + PIECE - 1) / PIECE * PIECE;
    if (STAGE - d->used < room && !drain(d)) return;
    begin_work(d);
    char *piece = d->staged + d->used;
    memcpy(piece, from, bytes);
    d->used += room;
    (void)check(d, "cuMemcpyHtoDAsync", d->cu->put((uintptr_t)to, piece, bytes, d->stream));
}

static void put(wadi_gpu_driver *self, void *to, const void *from, size_t bytes) {
    cuda *d = cuda_of(self);
    if (bytes == 0 || !enter(d)) return;
    if (bytes <= STAGE / 4) {
        put_small(d, to, from, bytes);
    } else {
        begin_work(d);
        if (check(d, "cuMemcpyHtoDAsync", d->cu->put((uintptr_t)to, from, bytes, d->stream)))
            (void)drain(d);
    }
    leave(d);
}

static void get(wadi_gpu_driver *self, void *to, const void *from, size_t bytes) {
    cuda *d = cuda_of(self);
    if (bytes == 0) return;
    bool got = false;
    if (enter(d)) {
        begin_work(d);
        got = check(d, "cuMemcpyDtoHAsync", d->cu->get(to, (uintptr_t)from, bytes, d->stream)) &&
              drain(d);
        leave(d);
    }
    if (!got) memset(to, 0, bytes);
}

static void copy(wadi_gpu_driver *self, void *to, const void *from, size_t bytes) {
    cuda *d = cuda_of(self);
    if (bytes == 0 || !enter(d)) return;
    begin_work(d);
    (void)check(d, "cuMemcpyDtoDAsync",
                d->cu->copy((uintptr_t)to, (uintptr_t)from, bytes, d->stream));
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
                d->cu->launch(wadi_cuda_function(kernel), n, 1, 1, WADI_GPU_LANES, 1, 1, 0,
                              d->stream, arguments, NULL));
    leave(d);
}

/* A machine is asked once about a kernel, as far as there is room to note the answer. Another kernel may come to have the handle of one
 * that is gone: the number is then that of the other, which costs nothing but time. */
static int fitting(wadi_gpu_driver *self, wadi_code kernel) {
    cuda *d = cuda_of(self);
    fit *noted = &d->fits[kernel.handle / 16 % FITS];
    if (noted->kernel.handle == kernel.handle) return noted->groups;
    int groups = 0;
    if (!enter(d)) return 1;
    (void)check(d, "cuOccupancyMaxActiveBlocksPerMultiprocessor",
                d->cu->fitting(&groups, wadi_cuda_function(kernel), WADI_GPU_LANES, 0));
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
    const wadi_cuda_fft_end end = fft != NULL
                                      ? wadi_cuda_fft_run(fft, x, d->stream, d->machine->name, &err)
                                      : WADI_CUDA_FFT_DECLINED;
    leave(d);
    if (end == WADI_CUDA_FFT_FAILED) wadi_gpu_failure_note(&d->failure, &err);
    return end != WADI_CUDA_FFT_DECLINED;
}

/* After a failure too: what was launched before may be about to lose its kernels and its memory. */
static wadi_status wait(wadi_gpu_driver *self, wadi_error *err) {
    cuda *d = cuda_of(self);
    if (check(d, "cuCtxPushCurrent", d->cu->push(d->context))) {
        (void)drain(d);
        leave(d);
    }
    return wadi_gpu_failure_tell(&d->failure, err);
}

static int64_t busy_ns(const wadi_gpu_driver *self) {
    const cuda *d = (const cuda *)self;
    return atomic_load(&d->busy);
}

/* ---- life ---- */

static void close_parts(const cuda *d) {
    if (d->context == NULL) return;
    if (d->cu->push(d->context) == WADI_CU_SUCCESS) {
        if (d->stream != NULL) (void)d->cu->wait(d->stream);
        wadi_cuda_fft_close(d->fft);
        if (d->stream != NULL) (void)d->cu->end_stream(d->stream);
        if (d->staged != NULL) (void)d->cu->give_host(d->staged);
        leave(d);
    }
    wadi_cuda_release(d->machine);
}

static void destroy(wadi_gpu_driver *self) {
    cuda *d = cuda_of(self);
    close_parts(d);
    wadi_gpu_failure_fini(&d->failure);
    free(d);
}

static wadi_status fail(const cuda *d, const char *call, wadi_cu_result result, wadi_error *err) {
    return wadi_cu_fail(err, d->machine->name, call, result);
}

/* The context is current. */
static wadi_status make_parts(cuda *d, wadi_error *err) {
    size_t room = 0, total = 0;
    void *staged = NULL;
    wadi_cu_result result = d->cu->room(&room, &total);
    if (result != WADI_CU_SUCCESS) return fail(d, "cuMemGetInfo", result, err);
    d->base.memory = room <= INT64_MAX ? (int64_t)room : INT64_MAX;
    result = d->cu->begin_stream(&d->stream, WADI_CU_NON_BLOCKING);
    if (result != WADI_CU_SUCCESS) return fail(d, "cuStreamCreate", result, err);
    result = d->cu->take_host(&staged, STAGE);
    if (result != WADI_CU_SUCCESS) return fail(d, "cuMemAllocHost", result, err);
    d->staged = staged;
    return WADI_OK;
}

static wadi_status open_parts(cuda *d, wadi_error *err) {
    wadi_cu_context context = NULL;
    WADI_TRY(wadi_cu_open(&d->cu, err));
    WADI_TRY(wadi_cuda_retain(d->machine, &context, err));
    d->context = context;
    const wadi_cu_result result = d->cu->push(context);
    if (result != WADI_CU_SUCCESS) return fail(d, "cuCtxPushCurrent", result, err);
    const wadi_status status = make_parts(d, err);
    leave(d);
    return status;
}

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
                                        .busy_ns = busy_ns};

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
    d->machine = m;
    wadi_status status = wadi_gpu_failure_init(&d->failure, err);
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
