/* A double of libcuda.so.1 for machines without a device of NVIDIA's: what wadi calls of the driver API, more strictly than the real one.
 *
 * Nothing that is launched or copied in a stream happens before somebody waits for it: for the stream, for an event in it, or for an
 * event of another stream that waits for one in it. So what nobody orders comes too late; or too early, if a test wants a stream to be early: it
 * does what it can at once. While a stream works, device memory is open (memory.h), and the
 * kernels run (lanes.h) that the double of NVRTC has made. Memory, modules and streams belong to the primary context, and are gone with it.
 * Calls fail when a test wants it (settings.h); what a lost device does not tell is 700, an illegal address. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dl.h"
#include "base/vec.h"
#include "tests/devices/doubles/lanes.h"
#include "tests/devices/doubles/libcuda.h"
#include "tests/devices/doubles/memory.h"
#include "tests/devices/doubles/settings.h"

#define EXPORT __attribute__((visibility("default")))

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;

enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    ILLEGAL_ADDRESS = 700,
    LAUNCH_FAILED = 719,
};

enum { DEVICES = 8, DEPTH = 16, PINNED_ALIGN = 256 };

typedef struct context *CUcontext;
typedef struct module *CUmodule;
typedef struct function *CUfunction;
typedef struct stream *CUstream;
typedef struct event *CUevent;

struct context {
    int retained;
    CUresult lost; /* what it answers since it was lost */
};

struct function {
    CUmodule module;
    lanes_kernel kernel;
    struct function *next;
};

struct module {
    CUcontext context;
    wadi_dl object;
    struct function *functions;
    struct module *next;
};

typedef struct work {
    libcuda_work other; /* NULL: a kernel or a copy */
    char told[LIBCUDA_TOLD];
    CUfunction kernel; /* NULL: a copy */
    wadi_gpu_call call;
    unsigned blocks;
    char *to;
    const char *from;
    size_t bytes;
    unsigned long stream; /* not 0: waits until this one has done so much */
    size_t until;
} work;

struct stream {
    CUcontext context;
    unsigned long number; /* no other has it */
    bool early;
    WADI_VEC(work) queue; /* what was queued behind the first `gone` */
    size_t gone, done;    /* of all that was queued */
    struct stream *next;
};

struct event {
    CUcontext context;
    unsigned long stream; /* 0: it has not been recorded */
    size_t until;
    struct event *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards everything */
static struct context contexts[DEVICES];
static struct module *modules;
static struct stream *streams;
static struct event *events;
static unsigned long numbers; /* of streams, in all */
static unsigned long made;    /* the same, since words were last taken */
static long long sent;        /* bytes from the host, since then */
static int most_at_once;      /* streams that have had copies or kernels to do at the same time */
static struct pinned {
    void *memory;
    size_t bytes;
    CUcontext context;
    struct pinned *next;
} * pinned;
static bool ready, initialised;
static unsigned launches;
static _Thread_local CUcontext current[DEPTH];
static _Thread_local int depth;

/* ---- calls ---- */

static void prepare(void) {
    if (!ready) settings_take(getenv("WADI_CUDA_DOUBLE"));
    ready = true;
}

static CUcontext present(void) {
    return depth > 0 ? current[depth - 1] : NULL;
}

/* A call that needs no context: not 0 is what it returns. */
static CUresult begin_free(const char *name) {
    int lost = 0;
    (void)pthread_mutex_lock(&lock);
    prepare();
    const CUresult result = settings_call(name, &lost);
    if (settings_hangs(name)) {
        (void)pthread_mutex_unlock(&lock);
        for (;;) (void)pause();
    }
    if (lost)
        for (int i = 0; i < DEVICES; i++) contexts[i].lost = ILLEGAL_ADDRESS;
    return result != SUCCESS || initialised ? result : NOT_INITIALIZED;
}

/* The same for one that works in the thread's current context. */
static CUresult begin_in(const char *name) {
    const CUresult result = begin_free(name);
    if (result != SUCCESS) return result;
    if (present() == NULL || present()->retained == 0) return INVALID_CONTEXT;
    return present()->lost;
}

static CUresult end(CUresult result) {
    (void)pthread_mutex_unlock(&lock);
    return result;
}

#define TRY(call)                                          \
    do {                                                   \
        const CUresult try_result = (call);                \
        if (try_result != SUCCESS) return end(try_result); \
    } while (0)

/* ---- what a test calls ---- */

EXPORT void wadi_double_set(const char *words);
EXPORT long wadi_double_calls(const char *name);
EXPORT int wadi_double_held(void);
EXPORT int wadi_double_at_once(void);
EXPORT long long wadi_double_sent(void);
EXPORT int wadi_double_enter(const char *name);
EXPORT int wadi_double_enqueue(void *stream, libcuda_work other, const void *told, size_t bytes);

/* The words of settings.h. */
void wadi_double_set(const char *words) {
    (void)pthread_mutex_lock(&lock);
    ready = true;
    made = 0;
    most_at_once = 0;
    sent = 0;
    settings_take(words);
    (void)pthread_mutex_unlock(&lock);
}

long wadi_double_calls(const char *name) {
    return settings_calls(name);
}

/* Contexts, modules, streams and blocks that have not been given back, and contexts that are current in this thread. */
int wadi_double_held(void) {
    (void)pthread_mutex_lock(&lock);
    int n = memory_blocks() + depth;
    for (int i = 0; i < DEVICES; i++) n += contexts[i].retained;
    for (const struct module *m = modules; m != NULL; m = m->next) n++;
    for (const struct stream *s = streams; s != NULL; s = s->next) n++;
    for (const struct event *e = events; e != NULL; e = e->next) n++;
    for (const struct pinned *p = pinned; p != NULL; p = p->next) n++;
    (void)pthread_mutex_unlock(&lock);
    return n;
}

/* How many streams at most have had copies or kernels to do at the same time, since words were last taken. */
int wadi_double_at_once(void) {
    (void)pthread_mutex_lock(&lock);
    const int n = most_at_once;
    (void)pthread_mutex_unlock(&lock);
    return n;
}

long long wadi_double_sent(void) {
    (void)pthread_mutex_lock(&lock);
    const long long bytes = sent;
    (void)pthread_mutex_unlock(&lock);
    return bytes;
}

/* ---- machines ---- */

EXPORT CUresult cuInit(unsigned flags);
EXPORT CUresult cuDriverGetVersion(int *out);
EXPORT CUresult cuDeviceGetCount(int *out);
EXPORT CUresult cuDeviceGet(CUdevice *out, int number);
EXPORT CUresult cuDeviceGetName(char *out, int room, CUdevice device);
EXPORT CUresult cuDeviceTotalMem_v2(size_t *out, CUdevice device);
EXPORT CUresult cuDeviceGetAttribute(int *out, int which, CUdevice device);
EXPORT CUresult cuGetErrorName(CUresult result, const char **out);
EXPORT CUresult cuGetErrorString(CUresult result, const char **out);

CUresult cuInit(unsigned flags) {
    const CUresult result = begin_free("cuInit");
    if (result != SUCCESS && result != NOT_INITIALIZED) return end(result);
    if (flags != 0) return end(INVALID_VALUE);
    if (set.devices == 0) return end(NO_DEVICE);
    initialised = true;
    return end(SUCCESS);
}

CUresult cuDriverGetVersion(int *out) {
    TRY(begin_free("cuDriverGetVersion"));
    *out = set.driver;
    return end(SUCCESS);
}

CUresult cuDeviceGetCount(int *out) {
    TRY(begin_free("cuDeviceGetCount"));
    *out = set.devices;
    return end(SUCCESS);
}

static bool is_device(int number) {
    return number >= 0 && number < set.devices && number < DEVICES;
}

CUresult cuDeviceGet(CUdevice *out, int number) {
    TRY(begin_free("cuDeviceGet"));
    *out = number;
    return end(is_device(number) ? SUCCESS : INVALID_DEVICE);
}

CUresult cuDeviceGetName(char *out, int room, CUdevice device) {
    TRY(begin_free("cuDeviceGetName"));
    if (!is_device(device)) return end(INVALID_DEVICE);
    (void)snprintf(out, (size_t)room, "Double %d", device);
    return end(SUCCESS);
}

CUresult cuDeviceTotalMem_v2(size_t *out, CUdevice device) {
    TRY(begin_free("cuDeviceTotalMem"));
    *out = set.memory;
    return end(is_device(device) ? SUCCESS : INVALID_DEVICE);
}

CUresult cuDeviceGetAttribute(int *out, int which, CUdevice device) {
    TRY(begin_free("cuDeviceGetAttribute"));
    if (!is_device(device)) return end(INVALID_DEVICE);
    switch (which) {
    case 16:
        *out = set.units;
        break;
    case 20:
        *out = set.mode;
        break;
    case 75:
        *out = set.major;
        break;
    case 76:
        *out = set.minor;
        break;
    default:
        return end(INVALID_VALUE);
    }
    return end(SUCCESS);
}

static const struct {
    CUresult result;
    const char *name, *words;
} known[] = {
    {SUCCESS, "CUDA_SUCCESS", "no error"},
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
};

CUresult cuGetErrorName(CUresult result, const char **out) {
    size_t i = sizeof known / sizeof known[0] - 1;
    while (i > 0 && known[i].result != result) i--;
    *out = known[i].result == result ? known[i].name : NULL;
    return *out != NULL ? SUCCESS : INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult result, const char **out) {
    size_t i = sizeof known / sizeof known[0] - 1;
    while (i > 0 && known[i].result != result) i--;
    *out = known[i].result == result ? known[i].words : NULL;
    return *out != NULL ? SUCCESS : INVALID_VALUE;
}

/* ---- contexts ---- */

EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device);
EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device);
EXPORT CUresult cuCtxPushCurrent_v2(CUcontext context);
EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *out);

CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device) {
    TRY(begin_free("cuDevicePrimaryCtxRetain"));
    if (!is_device(device)) return end(INVALID_DEVICE);
    *out = &contexts[device];
    if ((*out)->retained == 0) (*out)->lost = SUCCESS;
    if ((*out)->lost != SUCCESS) return end((*out)->lost);
    (*out)->retained++;
    return end(SUCCESS);
}

static void destroy_module(struct module *m) {
    struct module **at = &modules;
    while (*at != m) at = &(*at)->next;
    *at = m->next;
    for (struct function *f = m->functions, *next = NULL; f != NULL; f = next) {
        next = f->next;
        free(f);
    }
    wadi_dl_close(&m->object);
    free(m);
}

static void destroy_stream(struct stream *s) {
    struct stream **at = &streams;
    while (*at != s) at = &(*at)->next;
    *at = s->next;
    wadi_vec_free(&s->queue);
    free(s);
}

static void destroy_event(struct event *e) {
    struct event **at = &events;
    while (*at != e) at = &(*at)->next;
    *at = e->next;
    free(e);
}

static void destroy_pinned(struct pinned *p) {
    struct pinned **at = &pinned;
    while (*at != p) at = &(*at)->next;
    *at = p->next;
    free(p->memory);
    free(p);
}

/* All that belongs to the context goes with it. */
static void destroy_context(CUcontext c) {
    for (struct module *m = modules, *next = NULL; m != NULL; m = next) {
        next = m->next;
        if (m->context == c) destroy_module(m);
    }
    for (struct stream *s = streams, *next = NULL; s != NULL; s = next) {
        next = s->next;
        if (s->context == c) destroy_stream(s);
    }
    for (struct event *e = events, *next = NULL; e != NULL; e = next) {
        next = e->next;
        if (e->context == c) destroy_event(e);
    }
    for (struct pinned *p = pinned, *next = NULL; p != NULL; p = next) {
        next = p->next;
        if (p->context == c) destroy_pinned(p);
    }
    memory_give_all(c);
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    TRY(begin_free("cuDevicePrimaryCtxRelease"));
    if (!is_device(device) || contexts[device].retained == 0) return end(INVALID_CONTEXT);
    if (--contexts[device].retained == 0) destroy_context(&contexts[device]);
    return end(SUCCESS);
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
    TRY(begin_free("cuCtxPushCurrent"));
    if (context == NULL || context->retained == 0 || depth == DEPTH) return end(INVALID_CONTEXT);
    current[depth++] = context;
    return end(SUCCESS);
}

CUresult cuCtxPopCurrent_v2(CUcontext *out) {
    TRY(begin_free("cuCtxPopCurrent"));
    if (depth == 0) return end(INVALID_CONTEXT);
    *out = current[--depth];
    return end(SUCCESS);
}

/* ---- work ---- */

static CUresult run_kernel(const work *w) {
    int lost = 0;
    const CUresult wanted = settings_call("kernel", &lost);
    if (wanted != SUCCESS) return wanted;
    return lanes_run(&w->kernel->module->object, w->kernel->kernel, w->blocks, &w->call,
                     set.seed + launches++)
               ? SUCCESS
               : LAUNCH_FAILED;
}

static void run_until(unsigned long number, size_t until);

/* A failure of work is the context's from then on. */
static void run_work(CUcontext c, const work *w) {
    if (w->stream != 0)
        run_until(w->stream, w->until);
    else if (w->other != NULL)
        w->other(w->told);
    else if (w->kernel == NULL)
        memmove(w->to, w->from, w->bytes);
    else
        c->lost = run_kernel(w);
}

static size_t end_of(const struct stream *s) {
    return s->gone + s->queue.n;
}

/* A stream that is no more has done everything. */
static void run_until(unsigned long number, size_t until) {
    CUstream s = streams;
    while (s != NULL && s->number != number) s = s->next;
    if (s == NULL) return;
    while (s->done < until && s->context->lost == SUCCESS) {
        const work w = s->queue.at[s->done - s->gone];
        run_work(s->context, &w);
        s->done++;
    }
    if (s->done < end_of(s)) return;
    s->gone = s->done;
    s->queue.n = 0;
}

static CUresult run_all(CUstream s) {
    if (s->done < end_of(s) && s->context->lost == SUCCESS) {
        memory_open();
        run_until(s->number, end_of(s));
        memory_close();
    }
    return s->context->lost;
}

static bool has_work(const struct stream *s) {
    for (size_t i = s->done - s->gone; i < s->queue.n; i++)
        if (s->queue.at[i].stream == 0) return true;
    return false;
}

static void count_streams(void) {
    int n = 0;
    for (const struct stream *s = streams; s != NULL; s = s->next) n += has_work(s);
    if (n > most_at_once) most_at_once = n;
}

static bool is_stream(const struct stream *wanted) {
    const struct stream *s = streams;
    while (s != NULL && s != wanted) s = s->next;
    return s != NULL && s->context == present();
}

EXPORT CUresult cuStreamCreate(CUstream *out, unsigned flags);
EXPORT CUresult cuStreamDestroy_v2(CUstream stream);
EXPORT CUresult cuStreamSynchronize(CUstream stream);

CUresult cuStreamCreate(CUstream *out, unsigned flags) {
    TRY(begin_in("cuStreamCreate"));
    if (flags > 1) return end(INVALID_VALUE);
    struct stream *s = calloc(1, sizeof *s);
    if (s == NULL) return end(OUT_OF_MEMORY);
    s->context = present();
    s->number = ++numbers;
    s->early = ++made == (unsigned long)set.early;
    s->next = streams;
    streams = *out = s;
    return end(SUCCESS);
}

/* What is in the queue is still done. */
CUresult cuStreamDestroy_v2(CUstream stream) {
    TRY(begin_in("cuStreamDestroy"));
    if (!is_stream(stream)) return end(INVALID_HANDLE);
    const CUresult result = run_all(stream);
    destroy_stream(stream);
    return end(result);
}

CUresult cuStreamSynchronize(CUstream stream) {
    TRY(begin_in("cuStreamSynchronize"));
    return end(is_stream(stream) ? run_all(stream) : INVALID_HANDLE);
}

static CUresult enqueue(CUstream stream, work w) {
    if (!is_stream(stream)) return INVALID_HANDLE;
    if (!wadi_vec_push(&stream->queue, w)) return OUT_OF_MEMORY;
    count_streams();
    return stream->early ? run_all(stream) : SUCCESS;
}

/* ---- events ---- */

EXPORT CUresult cuEventCreate(CUevent *out, unsigned flags);
EXPORT CUresult cuEventDestroy_v2(CUevent event);
EXPORT CUresult cuEventRecord(CUevent event, CUstream stream);
EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags);
EXPORT CUresult cuEventSynchronize(CUevent event);

static bool is_event(const struct event *wanted) {
    const struct event *e = events;
    while (e != NULL && e != wanted) e = e->next;
    return e != NULL && e->context == present();
}

CUresult cuEventCreate(CUevent *out, unsigned flags) {
    TRY(begin_in("cuEventCreate"));
    if (flags != 2 && flags != 3) return end(INVALID_VALUE); /* without timing */
    struct event *e = calloc(1, sizeof *e);
    if (e == NULL) return end(OUT_OF_MEMORY);
    e->context = present();
    e->next = events;
    events = *out = e;
    return end(SUCCESS);
}

CUresult cuEventDestroy_v2(CUevent event) {
    TRY(begin_in("cuEventDestroy"));
    if (!is_event(event)) return end(INVALID_HANDLE);
    destroy_event(event);
    return end(SUCCESS);
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
    TRY(begin_in("cuEventRecord"));
    if (!is_event(event) || !is_stream(stream)) return end(INVALID_HANDLE);
    event->stream = stream->number;
    event->until = end_of(stream);
    return end(SUCCESS);
}

/* Waits for what the event has been recorded behind by now; for nothing if it has not been. */
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    TRY(begin_in("cuStreamWaitEvent"));
    if (!is_event(event) || flags != 0) return end(INVALID_HANDLE);
    if (event->stream == 0) return end(SUCCESS);
    return end(enqueue(stream, (work){.stream = event->stream, .until = event->until}));
}

CUresult cuEventSynchronize(CUevent event) {
    TRY(begin_in("cuEventSynchronize"));
    if (!is_event(event)) return end(INVALID_HANDLE);
    memory_open();
    run_until(event->stream, event->until);
    memory_close();
    return end(event->context->lost);
}

/* ---- memory ---- */

EXPORT CUresult cuMemGetInfo_v2(size_t *out_free, size_t *out_total);
EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t bytes);
EXPORT CUresult cuMemFree_v2(CUdeviceptr address);
EXPORT CUresult cuMemAllocHost_v2(void **out, size_t bytes);
EXPORT CUresult cuMemFreeHost(void *memory);
EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                                     CUstream stream);
EXPORT CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream);
EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                     CUstream stream);

CUresult cuMemGetInfo_v2(size_t *out_free, size_t *out_total) {
    TRY(begin_in("cuMemGetInfo"));
    *out_total = set.memory;
    *out_free = set.memory - memory_used(present());
    return end(SUCCESS);
}

CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t bytes) {
    TRY(begin_in("cuMemAlloc"));
    if (bytes == 0) return end(INVALID_VALUE);
    if (bytes > set.memory || memory_used(present()) > set.memory - bytes)
        return end(OUT_OF_MEMORY);
    char *at = memory_take(present(), bytes);
    *out = (CUdeviceptr)(uintptr_t)at;
    return end(at != NULL ? SUCCESS : OUT_OF_MEMORY);
}

/* Waits for all work of the context, as the real one does. */
CUresult cuMemFree_v2(CUdeviceptr address) {
    TRY(begin_in("cuMemFree"));
    if (!memory_has(present(), (const char *)(uintptr_t)address, 1)) return end(INVALID_VALUE);
    for (struct stream *s = streams; s != NULL; s = s->next)
        if (s->context == present()) TRY(run_all(s));
    return end(memory_give((const char *)(uintptr_t)address) ? SUCCESS : INVALID_VALUE);
}

CUresult cuMemAllocHost_v2(void **out, size_t bytes) {
    TRY(begin_in("cuMemAllocHost"));
    const size_t rounded = (bytes + PINNED_ALIGN - 1) / PINNED_ALIGN * PINNED_ALIGN;
    size_t all = bytes;
    for (const struct pinned *q = pinned; q != NULL; q = q->next) all += q->bytes;
    if (all > set.pinned) return end(OUT_OF_MEMORY);
    struct pinned *p = malloc(sizeof *p);
    if (p == NULL) return end(OUT_OF_MEMORY);
    *p = (struct pinned){aligned_alloc(PINNED_ALIGN, rounded), bytes, present(), pinned};
    if (p->memory != NULL) memset(p->memory, 0xc5, bytes);
    pinned = p;
    *out = p->memory;
    return end(SUCCESS);
}

CUresult cuMemFreeHost(void *memory) {
    TRY(begin_in("cuMemFreeHost"));
    struct pinned *p = pinned;
    while (p != NULL && p->memory != memory) p = p->next;
    if (p == NULL) return end(INVALID_VALUE);
    destroy_pinned(p);
    return end(SUCCESS);
}

static CUresult enqueue_copy(CUstream stream, char *to, const char *from, size_t bytes, bool to_is,
                             bool from_is) {
    if (to_is && !memory_has(present(), to, bytes)) return INVALID_VALUE;
    if (from_is && !memory_has(present(), from, bytes)) return INVALID_VALUE;
    return enqueue(stream, (work){.to = to, .from = from, .bytes = bytes});
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
    TRY(begin_in("cuMemcpyHtoDAsync"));
    sent += (long long)bytes;
    return end(enqueue_copy(stream, (char *)(uintptr_t)to, from, bytes, true, false));
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
    TRY(begin_in("cuMemcpyDtoHAsync"));
    return end(enqueue_copy(stream, to, (const char *)(uintptr_t)from, bytes, false, true));
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    TRY(begin_in("cuMemcpyDtoDAsync"));
    return end(enqueue_copy(stream, (char *)(uintptr_t)to, (const char *)(uintptr_t)from, bytes,
                            true, true));
}

/* ---- what other doubles call ---- */

int wadi_double_enter(const char *name) {
    return end(begin_in(name));
}

int wadi_double_enqueue(void *stream, libcuda_work other, const void *told, size_t bytes) {
    work w = {.other = other};
    (void)pthread_mutex_lock(&lock);
    if (bytes > sizeof w.told) return end(INVALID_VALUE);
    memcpy(w.told, told, bytes);
    return end(enqueue(stream, w));
}

/* ---- modules ---- */

EXPORT CUresult cuModuleLoadData(CUmodule *out, const void *image);
EXPORT CUresult cuModuleUnload(CUmodule module);
EXPORT CUresult cuModuleGetFunction(CUfunction *out, CUmodule module, const char *name);
EXPORT CUresult cuLaunchKernel(CUfunction f, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                               unsigned block_x, unsigned block_y, unsigned block_z,
                               unsigned shared_bytes, CUstream stream, void **parameters,
                               void **more);
EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *out, CUfunction f, int block,
                                                            size_t shared_bytes);

/* The length of a shared object: its table of sections is its end. */
static size_t object_size(const char *bytes) {
    uint64_t table = 0;
    uint16_t size = 0, n = 0;
    memcpy(&table, bytes + 40, sizeof table);
    memcpy(&size, bytes + 58, sizeof size);
    memcpy(&n, bytes + 60, sizeof n);
    return table + (size_t)size * n;
}

/* The object that is written as PTX. */
static char *from_digits(const char *digits, size_t *n) {
    char *bytes = malloc(strlen(digits) / 2 + 1);
    unsigned byte = 0;
    for (*n = 0; bytes != NULL && sscanf(digits, "%2x", &byte) == 1; digits += 2)
        bytes[(*n)++] = (char)byte;
    return bytes;
}

/* By a file with a name of its own: the loader remembers names, and the program under test makes names for its descriptors as this
 * library would. */
static wadi_status open_bytes(wadi_dl *out, const char *bytes, size_t n) {
    char path[300];
    const char *parent = getenv("TMPDIR");
    (void)snprintf(path, sizeof path, "%.200s/cuda-double-XXXXXX",
                   parent != NULL ? parent : "/tmp");
    const int fd = mkstemp(path);
    if (fd < 0) return WADI_IO;
    wadi_status status = write(fd, bytes, n) == (ssize_t)n ? WADI_OK : WADI_IO;
    (void)close(fd);
    if (status == WADI_OK) status = wadi_dl_open(out, path, NULL);
    (void)unlink(path);
    return status;
}

static wadi_status open_image(wadi_dl *out, const char *image) {
    static const char elf[] = {0x7f, 'E', 'L', 'F'}, ptx[] = "//\n.version 8.0\n";
    if (memcmp(image, elf, sizeof elf) == 0) return open_bytes(out, image, object_size(image));
    if (strncmp(image, ptx, sizeof ptx - 1) != 0) return WADI_INVALID;
    size_t n = 0;
    char *bytes = from_digits(image + sizeof ptx - 1, &n);
    const wadi_status status = bytes != NULL ? open_bytes(out, bytes, n) : WADI_MEMORY;
    free(bytes);
    return status;
}

CUresult cuModuleLoadData(CUmodule *out, const void *image) {
    TRY(begin_in("cuModuleLoadData"));
    struct module *m = calloc(1, sizeof *m);
    if (m == NULL) return end(OUT_OF_MEMORY);
    if (open_image(&m->object, image) != WADI_OK) {
        free(m);
        return end(INVALID_IMAGE);
    }
    m->context = present();
    m->next = modules;
    modules = *out = m;
    return end(SUCCESS);
}

static bool is_module(const struct module *wanted) {
    const struct module *m = modules;
    while (m != NULL && m != wanted) m = m->next;
    return m != NULL && m->context == present();
}

CUresult cuModuleUnload(CUmodule module) {
    TRY(begin_in("cuModuleUnload"));
    if (!is_module(module)) return end(INVALID_HANDLE);
    destroy_module(module);
    return end(SUCCESS);
}

CUresult cuModuleGetFunction(CUfunction *out, CUmodule module, const char *name) {
    TRY(begin_in("cuModuleGetFunction"));
    wadi_dl_fn found = NULL;
    if (!is_module(module)) return end(INVALID_HANDLE);
    if (wadi_dl_function(&module->object, name, &found, NULL) != WADI_OK) return end(NOT_FOUND);
    struct function *f = malloc(sizeof *f);
    if (f == NULL) return end(OUT_OF_MEMORY);
    *f = (struct function){module, (lanes_kernel)found, module->functions};
    module->functions = *out = f;
    return end(SUCCESS);
}

CUresult cuLaunchKernel(CUfunction f, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void **parameters, void **more) {
    TRY(begin_in("cuLaunchKernel"));
    if (grid_x < 1 || grid_x > INT32_MAX || grid_y != 1 || grid_z != 1 ||
        block_x != WADI_GPU_LANES || block_y != 1 || block_z != 1 || shared_bytes != 0 ||
        parameters == NULL || more != NULL)
        return end(INVALID_VALUE);
    if (!is_module(f->module)) return end(INVALID_HANDLE);
    work w = {.kernel = f, .blocks = grid_x};
    memcpy(&w.call, parameters[0], sizeof w.call);
    return end(enqueue(stream, w));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *out, CUfunction f, int block,
                                                     size_t shared_bytes) {
    TRY(begin_in("cuOccupancyMaxActiveBlocksPerMultiprocessor"));
    if (block != WADI_GPU_LANES || shared_bytes != 0) return end(INVALID_VALUE);
    if (!is_module(f->module)) return end(INVALID_HANDLE);
    *out = set.fitting;
    return end(SUCCESS);
}
