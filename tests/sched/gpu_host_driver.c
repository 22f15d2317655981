/* Memory, copies, and lanes as contexts of one thread. The macro is for anonymous mappings and contexts. */
#define _DEFAULT_SOURCE
#include "tests/sched/gpu_host_driver.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/dl.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/thread.h"
#include "base/vec.h"
#include "sched/gpu/rt/call.h"

enum { ALIGN = 256, LANES = WADI_GPU_LANES, STACK = 1 << 18 };

/* As in gpu_host.h. */
typedef struct lane_now {
    int lane;
    int64_t group, groups;
    uint8_t *heap;
    void (*barrier)(void);
} lane_now;

typedef void (*kernel)(wadi_gpu_call call);

/* ---- images ---- */

typedef struct code {
    struct code *next;
    kernel run;
    lane_now *now;
} code;

typedef struct object {
    wadi_dl dl;
    code *codes;
} object;

static void must(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "gpu_host_driver: %s\n", what);
    abort();
}

void gpu_host_text(const char *name, char *out, size_t room) {
    char path[4096];
    const char *source = getenv("WADI_SOURCE");
    must(source != NULL, "WADI_SOURCE is not set");
    snprintf(path, sizeof path, "%s/%s", source, name);
    FILE *f = fopen(path, "r");
    must(f != NULL, "a text cannot be read");
    const size_t n = fread(out, 1, room - 1, f);
    must(n < room - 1, "a text is too long");
    fclose(f);
    out[n] = '\0';
}

const char *gpu_host_dialect(void) {
    static char text[1 << 14];
    if (text[0] == '\0') gpu_host_text("tests/sched/gpu_host.h", text, sizeof text);
    return text;
}

static const char *compiler(void) {
    const char *cc = getenv("WADI_TEST_CC");
    return cc != NULL ? cc : "/usr/bin/cc";
}

static wadi_status compile(const char *from, const char *to, wadi_error *err) {
    char words[2000];
    int status = 0;
    char *argv[] = {(char *)(uintptr_t)compiler(),
                    "-std=gnu11",
                    "-O1",
                    "-w",
                    "-fPIC",
                    "-shared",
                    "-fwrapv",
                    "-ffp-contract=off",
                    "-Wl,-Bsymbolic",
                    "-o",
                    (char *)(uintptr_t)to,
                    (char *)(uintptr_t)from,
                    "-lm",
                    NULL};
    const wadi_child child = {.argv = argv, .what = "the compiler"};
    const wadi_child_end end = wadi_child_run(&child, words, sizeof words, &status);
    if (end == WADI_CHILD_EXITED && status == 0) return WADI_OK;
    return wadi_fail(err, WADI_COMPILE, "the host's compiler: %s", words);
}

static wadi_status load_text(const wadi_image *image, wadi_dl *out, wadi_error *err) {
    char folder[] = "/tmp/gpu_host.XXXXXX", from[64], to[64];
    if (mkdtemp(folder) == NULL) return wadi_fail(err, WADI_IO, "mkdtemp fails");
    snprintf(from, sizeof from, "%s/kernels.c", folder);
    snprintf(to, sizeof to, "%s/kernels.so", folder);
    FILE *f = fopen(from, "w");
    bool written = f != NULL && fputs(image->bytes, f) >= 0;
    if (f != NULL) written = fclose(f) == 0 && written;
    wadi_status status =
        written ? compile(from, to, err) : wadi_fail(err, WADI_IO, "%s cannot be written", from);
    if (status == WADI_OK) status = wadi_dl_open(out, to, err);
    (void)unlink(from);
    (void)unlink(to);
    (void)rmdir(folder);
    return status;
}

static wadi_status load(const wadi_image_ops *self, const wadi_image *image, const char *key,
                        wadi_kernels *out, wadi_error *err) {
    char line[256];
    WADI_UNUSED(self);
    *out = (wadi_kernels){0};
    snprintf(line, sizeof line, "%s: %s", WADI_IMAGE_KEY, key);
    must(memchr(image->bytes, '\0', image->n) != NULL, "a text is not ended");
    if (strstr(image->bytes, line) == NULL)
        return wadi_fail(err, WADI_INVALID, "the text was not made from these kernels");
    object *o = calloc(1, sizeof *o);
    if (o == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    const wadi_status status = load_text(image, &o->dl, err);
    if (status == WADI_OK)
        out->handle = o;
    else
        free(o);
    return status;
}

static wadi_status find(const wadi_kernels *kernels, const char *name, wadi_code *out,
                        wadi_error *err) {
    object *o = kernels->handle;
    wadi_dl_fn f = NULL;
    void *now = NULL;
    WADI_TRY(wadi_dl_function(&o->dl, name, &f, err));
    WADI_TRY(wadi_dl_symbol(&o->dl, "gpu_host_now", &now, err));
    code *c = calloc(1, sizeof *c);
    if (c == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    *c = (code){.next = o->codes, .run = (kernel)f, .now = now};
    o->codes = c;
    *out = (wadi_code){(uintptr_t)c};
    return WADI_OK;
}

static void unload(wadi_kernels *kernels) {
    object *o = kernels->handle;
    while (o != NULL && o->codes != NULL) {
        code *c = o->codes;
        o->codes = c->next;
        free(c);
    }
    if (o != NULL) wadi_dl_close(&o->dl);
    free(o);
    *kernels = (wadi_kernels){0};
}

const wadi_image_ops gpu_host_images = {
    .language = "device C of the host", .load = load, .find = find, .unload = unload};

/* ---- lanes ---- */

enum { READY, WAITING, ENDED };

typedef struct lane {
    ucontext_t context; /* it begins in, and waits in */
    int state;
} lane;

/* The group at work; launches exclude each other. */
static struct {
    lane lane[LANES];
    char *stacks;    /* [LANES][STACK] */
    ucontext_t home; /* whoever runs the lanes */
    int now;         /* the lane that runs */
    const code *code;
    const wadi_gpu_call *call;
    lane_now told;
    uint64_t chance;
} group;

static pthread_mutex_t launching = PTHREAD_MUTEX_INITIALIZER;

static void barrier(void) {
    lane *l = &group.lane[group.now];
    l->state = WAITING;
    must(swapcontext(&l->context, &group.home) == 0, "swapcontext fails");
}

static void run_lane(void) {
    group.code->run(*group.call);
    group.lane[group.now].state = ENDED;
}

static void start_lane(int i) {
    lane *l = &group.lane[i];
    must(getcontext(&l->context) == 0, "getcontext fails");
    l->context.uc_stack.ss_sp = group.stacks + (size_t)i * STACK;
    l->context.uc_stack.ss_size = STACK;
    l->context.uc_link = &group.home;
    makecontext(&l->context, run_lane, 0);
    l->state = READY;
}

/* Runs the lane up to a barrier or its end. */
static void go_on(lane *l) {
    must(swapcontext(&group.home, &l->context) == 0, "swapcontext fails");
}

static uint64_t by_chance(void) {
    group.chance ^= group.chance << 13;
    group.chance ^= group.chance >> 7;
    group.chance ^= group.chance << 17;
    return group.chance;
}

/* Every lane runs up to a barrier or its end. How many have not ended. */
static int run_lanes(void) {
    int order[LANES], waiting = 0;
    for (int i = 0; i < LANES; i++) {
        const int k = (int)(by_chance() % (unsigned)(i + 1));
        order[i] = order[k];
        order[k] = i;
    }
    for (int i = 0; i < LANES; i++) {
        group.now = group.told.lane = order[i];
        if (group.lane[group.now].state == ENDED) continue;
        *group.code->now = group.told;
        go_on(&group.lane[group.now]);
        waiting += group.lane[group.now].state == WAITING;
    }
    return waiting;
}

static void run_group(void) {
    int waiting = LANES;
    for (int i = 0; i < LANES; i++) start_lane(i);
    while (waiting > 0) {
        waiting = run_lanes();
        must(waiting == 0 || waiting == LANES, "some lanes wait for others that have ended");
    }
}

/* ---- the driver ---- */

typedef struct part {
    size_t begin, size;
    bool taken;
} part;

typedef struct host {
    wadi_gpu_driver base;
    wadi_mutex lock;      /* guards the parts */
    WADI_VEC(part) parts; /* of the memory, in order */
    char *range, *real;   /* what addresses say, and where it is */
    bool failed;
    int64_t put_bytes, launches;
    atomic_int_fast64_t busy_ns;
} host;

static host *host_of(const wadi_gpu_driver *self) {
    return (host *)(uintptr_t)self;
}

static void *real_of(const host *d, const void *at, size_t bytes) {
    const size_t from = (size_t)((const char *)at - d->range);
    must(from + bytes <= (size_t)d->base.memory, "not an address of the device");
    return d->real + from;
}

static void *take(wadi_gpu_driver *self, size_t bytes) {
    host *d = host_of(self);
    const size_t size = bytes == 0 ? ALIGN : (bytes + ALIGN - 1) / ALIGN * ALIGN;
    char *at = NULL;
    wadi_mutex_lock(&d->lock);
    for (size_t i = 0; i < d->parts.n && at == NULL; i++) {
        const part p = d->parts.at[i];
        if (p.taken || p.size < size) continue;
        if (p.size > size) {
            must(wadi_vec_push(&d->parts, p), "out of memory");
            memmove(&d->parts.at[i + 1], &d->parts.at[i],
                    (d->parts.n - 1 - i) * sizeof *d->parts.at);
            d->parts.at[i + 1] = (part){p.begin + size, p.size - size, false};
        }
        d->parts.at[i] = (part){p.begin, size, true};
        at = d->range + p.begin;
        memset(d->real + p.begin, 0xA5, size < 1 << 16 ? size : 1 << 16);
    }
    wadi_mutex_unlock(&d->lock);
    return at;
}

static void drop(host *d, size_t i) {
    memmove(&d->parts.at[i], &d->parts.at[i + 1], (d->parts.n - 1 - i) * sizeof *d->parts.at);
    d->parts.n--;
}

static void give(wadi_gpu_driver *self, void *memory, size_t bytes) {
    host *d = host_of(self);
    size_t i = 0;
    wadi_mutex_lock(&d->lock);
    while (i < d->parts.n && d->range + d->parts.at[i].begin != (char *)memory) i++;
    must(i < d->parts.n && d->parts.at[i].taken && d->parts.at[i].size >= bytes,
         "what is given was not taken");
    part *p = d->parts.at;
    p[i].taken = false;
    if (i + 1 < d->parts.n && !p[i + 1].taken) {
        p[i].size += p[i + 1].size;
        drop(d, i + 1);
    }
    if (i > 0 && !p[i - 1].taken) {
        p[i - 1].size += p[i].size;
        drop(d, i);
    }
    wadi_mutex_unlock(&d->lock);
}

static void put(wadi_gpu_driver *self, void *to, const void *from, size_t bytes) {
    host *d = host_of(self);
    if (d->failed) return;
    memcpy(real_of(d, to, bytes), from, bytes);
    d->put_bytes += (int64_t)bytes;
}

static void get(wadi_gpu_driver *self, void *to, const void *from, size_t bytes) {
    const host *d = host_of(self);
    if (d->failed)
        memset(to, 0, bytes);
    else
        memcpy(to, real_of(d, from, bytes), bytes);
}

static void copy(wadi_gpu_driver *self, void *to, const void *from, size_t bytes) {
    const host *d = host_of(self);
    if (!d->failed) memcpy(real_of(d, to, bytes), real_of(d, from, bytes), bytes);
}

static void launch(wadi_gpu_driver *self, wadi_code what, int64_t groups,
                   const wadi_gpu_call *call) {
    host *d = host_of(self);
    wadi_gpu_call full = *call;
    if (d->failed) return;
    must(groups >= 1, "a launch without groups");
    const int64_t begin = wadi_clock_ns();
    full.origin = (uint64_t)(uintptr_t)d->range;
    (void)pthread_mutex_lock(&launching);
    if (group.stacks == NULL) {
        group.stacks = mmap(NULL, (size_t)LANES * STACK, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        must(group.stacks != MAP_FAILED, "out of memory");
        group.chance = 88172645463325252u;
    }
    group.code = (const code *)what.handle;
    group.call = &full;
    for (int64_t g = groups - 1; g >= 0; g--) {
        group.told = (lane_now){
            .group = g, .groups = groups, .heap = (uint8_t *)d->real, .barrier = barrier};
        run_group();
    }
    (void)pthread_mutex_unlock(&launching);
    d->launches++;
    atomic_fetch_add(&d->busy_ns, wadi_clock_ns() - begin);
}

static wadi_status wait(wadi_gpu_driver *self, wadi_error *err) {
    const host *d = host_of(self);
    return d->failed ? wadi_fail(err, WADI_DEVICE, "%s: it has been made to fail", self->name)
                     : WADI_OK;
}

static int64_t busy_ns(const wadi_gpu_driver *self) {
    return atomic_load(&host_of(self)->busy_ns);
}

static void destroy(wadi_gpu_driver *self) {
    host *d = host_of(self);
    must(d->parts.n == 1 && !d->parts.at[0].taken, "memory has not been given back");
    (void)munmap(d->range, (size_t)d->base.memory);
    (void)munmap(d->real, (size_t)d->base.memory);
    wadi_vec_free(&d->parts);
    wadi_mutex_fini(&d->lock);
    free(d);
}

static const wadi_gpu_driver_ops ops = {.destroy = destroy,
                                        .take = take,
                                        .give = give,
                                        .put = put,
                                        .get = get,
                                        .copy = copy,
                                        .launch = launch,
                                        .wait = wait,
                                        .busy_ns = busy_ns};

wadi_gpu_driver *gpu_host_create(int units, int64_t memory) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    host *d = calloc(1, sizeof *d);
    must(d != NULL && wadi_mutex_init(&d->lock, NULL) == WADI_OK, "out of memory");
    d->base = (wadi_gpu_driver){.ops = &ops,
                                .images = &gpu_host_images,
                                .dialect = gpu_host_dialect(),
                                .units = units,
                                .memory = memory / ALIGN * ALIGN,
                                .name = "groups"};
    d->range = mmap(NULL, (size_t)d->base.memory, PROT_NONE, flags, -1, 0);
    d->real = mmap(NULL, (size_t)d->base.memory, PROT_READ | PROT_WRITE, flags, -1, 0);
    must(d->range != MAP_FAILED && d->real != MAP_FAILED, "out of memory");
    must(wadi_vec_push(&d->parts, ((part){0, (size_t)d->base.memory, false})), "out of memory");
    return &d->base;
}

void gpu_host_fail(wadi_gpu_driver *driver) {
    host_of(driver)->failed = true;
}

int64_t gpu_host_put_bytes(const wadi_gpu_driver *driver) {
    return host_of(driver)->put_bytes;
}

int64_t gpu_host_launches(const wadi_gpu_driver *driver) {
    return host_of(driver)->launches;
}
