/* cuFFT's functions, and its plans. A plan is for one transform and one number of problems. It takes milliseconds to make, so plans are
 * kept; callers ask for powers of two of problems, so few are needed. */
#include "sched/cuda/fft.h"

#include <stdlib.h>
#include <string.h>

#include "base/dl.h"
#include "base/error.h"
#include "base/log.h"
#include "base/thread.h"

/* ---- the library ---- */

enum { SUCCESS = 0 };

/* Kinds of transforms, and directions. */
enum { R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c, Z2Z = 0x69 };
enum { FORWARD = -1, INVERSE = 1 };

/* X(member, name without "cufft", parameters): every function that is called. */
#define CALLS(X)                                                                                  \
    X(version, "GetVersion", (int *out))                                                          \
    X(create, "Create", (int *out_plan))                                                          \
    X(make, "MakePlanMany64",                                                                     \
      (int plan, int rank, long long *n, long long *in_embed, long long in_stride,                \
       long long in_distance, long long *out_embed, long long out_stride, long long out_distance, \
       int kind, long long count, size_t *out_bytes))                                             \
    X(set_stream, "SetStream", (int plan, wadi_cu_stream stream))                                 \
    X(c2c, "ExecC2C", (int plan, void *in, void *out, int direction))                             \
    X(z2z, "ExecZ2Z", (int plan, void *in, void *out, int direction))                             \
    X(r2c, "ExecR2C", (int plan, void *in, void *out))                                            \
    X(d2z, "ExecD2Z", (int plan, void *in, void *out))                                            \
    X(c2r, "ExecC2R", (int plan, void *in, void *out))                                            \
    X(z2d, "ExecZ2D", (int plan, void *in, void *out))                                            \
    X(destroy, "Destroy", (int plan))

static struct {
#define X(member, name, parameters) int(*member) parameters;
    CALLS(X)
#undef X
} cufft;

static bool is_there;
static int version;

static bool open_one(wadi_dl *out) {
    static const char *const names[] = {"libcufft.so.12", "libcufft.so.11", "libcufft.so.10",
                                        "libcufft.so"};
    const char *named = getenv("WADI_CUFFT");
    wadi_error why = {0};
    if (named != NULL && *named != '\0') {
        if (wadi_dl_open(out, named, &why) == WADI_OK) return true;
        wadi_logf(WADI_LOG_WARNING, "the library named by WADI_CUFFT: %s", why.msg);
        return false;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (wadi_dl_open(out, names[i], NULL) == WADI_OK) return true;
    return false;
}

static bool find_all(const wadi_dl *library) {
    const char *missing = NULL;
    wadi_dl_fn f = NULL;
#define X(member, name, parameters)                                       \
    if (missing == NULL) {                                                \
        if (wadi_dl_function(library, "cufft" name, &f, NULL) != WADI_OK) \
            missing = "cufft" name;                                       \
        else                                                              \
            cufft.member = (int(*) parameters)f;                          \
    }
    CALLS(X)
#undef X
    if (missing != NULL)
        wadi_logf(WADI_LOG_WARNING, "cuda: the library %s has no function %s: it is not used",
                  wadi_dl_path(library), missing);
    return missing == NULL;
}

static void open_library(void) {
    wadi_dl library = {0}; /* stays: the functions are needed until the process ends */
    if (!open_one(&library)) return;
    is_there = find_all(&library) && cufft.version(&version) == SUCCESS;
    if (!is_there) wadi_dl_close(&library);
}

static bool is_loaded(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, open_library);
    return is_there;
}

int wadi_cuda_fft_version(void) {
    return is_loaded() ? version : 0;
}

static const char *words_of(int result) {
    static const char *const words[] = {
        "success",        "invalid plan",     "out of memory", "invalid type", "invalid value",
        "internal error", "execution failed", "setup failed",  "invalid size", "unaligned data"};
    const int known = (int)(sizeof words / sizeof words[0]);
    return result >= 0 && result < known ? words[result] : "unknown error";
}

/* ---- plans ---- */

enum { PLANS = 64 };

typedef struct key {
    wadi_transform t;
    int64_t count;
} key;

typedef struct plan {
    key k;
    int handle;
    uint64_t last; /* when it was last used */
} plan;

struct wadi_cuda_fft {
    plan plan[PLANS];
    int plans;
    uint64_t clock;
};

wadi_cuda_fft *wadi_cuda_fft_open(void) {
    return is_loaded() ? calloc(1, sizeof(wadi_cuda_fft)) : NULL;
}

void wadi_cuda_fft_close(wadi_cuda_fft *f) {
    if (f == NULL) return;
    for (int i = 0; i < f->plans; i++) (void)cufft.destroy(f->plan[i].handle);
    free(f);
}

static int kind_of(const wadi_transform *t) {
    switch (t->kind) {
    case WADI_TRANSFORM_REAL_FORWARD:
        return t->is_double ? D2Z : R2C;
    case WADI_TRANSFORM_REAL_INVERSE:
        return t->is_double ? Z2D : C2R;
    case WADI_TRANSFORM_FORWARD:
    case WADI_TRANSFORM_INVERSE:
        break;
    }
    return t->is_double ? Z2Z : C2C;
}

/* The library's own layout: row-major, one problem behind the other. */
static bool make(const key *k, int *out_handle) {
    long long n[WADI_TRANSFORM_DIMS];
    size_t bytes = 0;
    for (int d = 0; d < k->t.rank; d++) n[d] = k->t.n[d];
    if (cufft.create(out_handle) != SUCCESS) return false;
    if (cufft.make(*out_handle, k->t.rank, n, NULL, 1, 0, NULL, 1, 0, kind_of(&k->t), k->count,
                   &bytes) == SUCCESS)
        return true;
    (void)cufft.destroy(*out_handle);
    return false;
}

/* A place for a plan: a free one, or that of the plan that was used longest ago. What is queued with that plan still runs: destroying it
 * waits. */
static plan *free_place(wadi_cuda_fft *f) {
    if (f->plans < PLANS) return &f->plan[f->plans++];
    plan *oldest = &f->plan[0];
    for (int i = 1; i < PLANS; i++)
        if (f->plan[i].last < oldest->last) oldest = &f->plan[i];
    (void)cufft.destroy(oldest->handle);
    return oldest;
}

/* NULL: there is none for it. */
static plan *find_plan(wadi_cuda_fft *f, const key *k) {
    int handle = 0;
    f->clock++;
    for (int i = 0; i < f->plans; i++) {
        if (memcmp(&f->plan[i].k, k, sizeof *k) != 0) continue;
        f->plan[i].last = f->clock;
        return &f->plan[i];
    }
    if (!make(k, &handle)) return NULL;
    plan *p = free_place(f);
    *p = (plan){*k, handle, f->clock};
    return p;
}

/* ---- running ---- */

static int execute(int handle, const wadi_gpu_transforms *x) {
    const int direction = x->t.kind == WADI_TRANSFORM_FORWARD ? FORWARD : INVERSE;
    switch (kind_of(&x->t)) {
    case R2C:
        return cufft.r2c(handle, x->in, x->out);
    case D2Z:
        return cufft.d2z(handle, x->in, x->out);
    case C2R:
        return cufft.c2r(handle, x->in, x->out);
    case Z2D:
        return cufft.z2d(handle, x->in, x->out);
    case C2C:
        return cufft.c2c(handle, x->in, x->out, direction);
    default:
        return cufft.z2z(handle, x->in, x->out, direction);
    }
}

wadi_cuda_fft_end wadi_cuda_fft_run(wadi_cuda_fft *f, const wadi_gpu_transforms *x,
                                    wadi_cu_stream stream, const char *name, wadi_error *err) {
    key k;
    memset(&k, 0, sizeof k);
    k.t = x->t;
    k.t.steady = 0; /* a plan is the same in every run */
    k.t.kind = x->t.kind == WADI_TRANSFORM_INVERSE ? WADI_TRANSFORM_FORWARD : x->t.kind;
    k.count = x->count;
    const plan *p = find_plan(f, &k);
    if (p == NULL) return WADI_CUDA_FFT_DECLINED;
    int result = cufft.set_stream(p->handle, stream);
    if (result == SUCCESS) result = execute(p->handle, x);
    if (result == SUCCESS) return WADI_CUDA_FFT_QUEUED;
    (void)wadi_fail(err, WADI_DEVICE, "%s: a Fourier transform by cuFFT: error %d (%s)", name,
                    result, words_of(result));
    return WADI_CUDA_FFT_FAILED;
}
