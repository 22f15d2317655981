/* A double of libcufft: what wadi calls of it, more strictly than the real one. Transforms are plain sums in double precision, one
 * dimension after the other, and run late, in the stream that the plan has. A real inverse leaves garbage in its input; arrays that are
 * not aligned are refused; a plan that was never destroyed is held. */
#include <complex.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/dl.h"
#include "tests/devices/doubles/libcuda.h"

#define EXPORT __attribute__((visibility("default")))

typedef double complex number;

enum { SUCCESS = 0, INVALID_PLAN = 1, ALLOC_FAILED = 2, INVALID_TYPE = 3, INVALID_VALUE = 4 };
enum { INTERNAL_ERROR = 5, EXEC_FAILED = 6, INVALID_SIZE = 8, UNALIGNED_DATA = 9 };
enum { R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c, Z2Z = 0x69 };
enum { DIMS = 3, PLANS = 256 };

typedef struct plan {
    bool taken, made;
    int rank, kind;
    int64_t n[DIMS], count;
    void *stream;
} plan;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the plans */
static plan plans[PLANS];

/* ---- the driver ---- */

static wadi_dl_fn of_driver(const char *name) {
    wadi_dl library = {0}; /* it is loaded already */
    wadi_dl_fn f = NULL;
    if (wadi_dl_open(&library, getenv("WADI_CUDA_DRIVER"), NULL) != WADI_OK ||
        wadi_dl_function(&library, name, &f, NULL) != WADI_OK)
        abort();
    wadi_dl_close(&library);
    return f;
}

static int enter(const char *name) {
    return ((int (*)(const char *))of_driver("wadi_double_enter"))(name);
}

/* ---- sums ---- */

static bool is_double(int kind) {
    return kind == D2Z || kind == Z2D || kind == Z2Z;
}

static bool is_real_in(int kind) {
    return kind == R2C || kind == D2Z;
}

static bool is_real_out(int kind) {
    return kind == C2R || kind == Z2D;
}

static double read_real(bool wide, const void *at, int64_t i) {
    return wide ? ((const double *)at)[i] : (double)((const float *)at)[i];
}

static void write_real(bool wide, void *at, int64_t i, double x) {
    if (wide)
        ((double *)at)[i] = x;
    else
        ((float *)at)[i] = (float)x;
}

/* Along one dimension of the whole signal. */
static void along(number *x, int64_t before, int64_t n, int64_t after, int sign) {
    number *line = calloc((size_t)n, sizeof *line), *turn = calloc((size_t)n, sizeof *turn);
    if (line == NULL || turn == NULL) abort();
    for (int64_t j = 0; j < n; j++)
        turn[j] = cexp(sign * 2 * acos(-1.0) * (double)j / (double)n * (number)I);
    for (int64_t b = 0; b < before; b++) {
        for (int64_t a = 0; a < after; a++) {
            number *at = x + b * n * after + a;
            for (int64_t k = 0; k < n; k++) {
                line[k] = 0;
                for (int64_t j = 0; j < n; j++) line[k] += at[j * after] * turn[j * k % n];
            }
            for (int64_t k = 0; k < n; k++) at[k * after] = line[k];
        }
    }
    free(line);
    free(turn);
}

static int64_t size_of(const plan *p) {
    int64_t n = 1;
    for (int d = 0; d < p->rank; d++) n *= p->n[d];
    return n;
}

/* Element i of the whole signal stands at this place of the half; -1: its conjugate does, at *other. */
static int64_t in_half(const plan *p, int64_t i, int64_t *other) {
    int64_t at[DIMS], place = 0, mirrored = 0;
    const int64_t half = p->n[p->rank - 1] / 2 + 1;
    for (int d = p->rank - 1; d >= 0; d--) {
        at[d] = i % p->n[d];
        i /= p->n[d];
    }
    for (int d = 0; d < p->rank; d++) {
        const int64_t width = d == p->rank - 1 ? half : p->n[d];
        place = place * width + at[d];
        mirrored = mirrored * width + (p->n[d] - at[d]) % p->n[d];
    }
    *other = mirrored;
    return at[p->rank - 1] < half ? place : -1;
}

static number read_one(const plan *p, const void *in, int64_t problem, int64_t i) {
    const bool wide = is_double(p->kind);
    const int64_t size = size_of(p);
    if (is_real_in(p->kind)) return read_real(wide, in, problem * size + i);
    if (!is_real_out(p->kind)) {
        const int64_t at = 2 * (problem * size + i);
        return read_real(wide, in, at) + read_real(wide, in, at + 1) * (number)I;
    }
    const int64_t last = p->n[p->rank - 1], half = size / last * (last / 2 + 1);
    int64_t other = 0;
    const int64_t place = in_half(p, i, &other);
    const int64_t at = 2 * (problem * half + (place >= 0 ? place : other));
    const double im = read_real(wide, in, at + 1);
    return read_real(wide, in, at) + (place >= 0 ? im : -im) * (number)I;
}

static void write_one(const plan *p, void *out, int64_t problem, int64_t i, number x) {
    const bool wide = is_double(p->kind);
    const int64_t size = size_of(p);
    int64_t at = problem * size + i, other = 0;
    if (is_real_out(p->kind)) {
        write_real(wide, out, at, creal(x));
        return;
    }
    if (is_real_in(p->kind)) {
        const int64_t last = p->n[p->rank - 1], place = in_half(p, i, &other);
        if (place < 0) return;
        at = problem * (size / last * (last / 2 + 1)) + place;
    }
    write_real(wide, out, 2 * at, creal(x));
    write_real(wide, out, 2 * at + 1, cimag(x));
}

typedef struct task {
    plan p;
    void *in, *out;
    int sign;
} task;

_Static_assert(sizeof(task) <= LIBCUDA_TOLD, "a task fits into a queue");

static void run(const void *told) {
    task t;
    memcpy(&t, told, sizeof t);
    const plan *p = &t.p;
    const int64_t size = size_of(p);
    number *all = calloc((size_t)(size * p->count), sizeof *all);
    if (all == NULL) abort();
    for (int64_t k = 0; k < p->count; k++) {
        number *x = all + k * size;
        int64_t before = 1, after = size;
        for (int64_t i = 0; i < size; i++) x[i] = read_one(p, t.in, k, i);
        for (int d = 0; d < p->rank; d++) {
            after /= p->n[d];
            along(x, before, p->n[d], after, t.sign);
            before *= p->n[d];
        }
    }
    if (is_real_out(p->kind)) {
        const int64_t last = p->n[p->rank - 1], half = size / last * (last / 2 + 1);
        memset(t.in, 0xa5, (size_t)(p->count * half) * (is_double(p->kind) ? 16 : 8));
    }
    for (int64_t k = 0; k < p->count; k++)
        for (int64_t i = 0; i < size; i++) write_one(p, t.out, k, i, all[k * size + i]);
    free(all);
}

/* ---- the library ---- */

EXPORT int cufftGetVersion(int *out);
EXPORT int cufftCreate(int *out);
EXPORT int cufftDestroy(int handle);
EXPORT int cufftSetStream(int handle, void *stream);
EXPORT int cufftMakePlanMany64(int handle, int rank, long long *n, long long *in_embed,
                               long long in_stride, long long in_distance, long long *out_embed,
                               long long out_stride, long long out_distance, int kind,
                               long long count, size_t *out_bytes);
EXPORT int cufftExecC2C(int handle, void *in, void *out, int direction);
EXPORT int cufftExecZ2Z(int handle, void *in, void *out, int direction);
EXPORT int cufftExecR2C(int handle, void *in, void *out);
EXPORT int cufftExecD2Z(int handle, void *in, void *out);
EXPORT int cufftExecC2R(int handle, void *in, void *out);
EXPORT int cufftExecZ2D(int handle, void *in, void *out);
EXPORT int wadi_double_plans(void);

/* Plans that have not been destroyed. */
int wadi_double_plans(void) {
    int n = 0;
    for (int i = 0; i < PLANS; i++) n += plans[i].taken;
    return n;
}

int cufftGetVersion(int *out) {
    *out = 11300;
    return SUCCESS;
}

int cufftCreate(int *out) {
    const int wanted = enter("cufftCreate");
    if (wanted != SUCCESS) return wanted;
    int i = 0;
    (void)pthread_mutex_lock(&lock);
    while (i < PLANS && plans[i].taken) i++;
    if (i < PLANS) plans[i] = (plan){.taken = true};
    (void)pthread_mutex_unlock(&lock);
    *out = i;
    return i < PLANS ? SUCCESS : ALLOC_FAILED;
}

static plan *plan_of(int handle) {
    return handle >= 0 && handle < PLANS && plans[handle].taken ? &plans[handle] : NULL;
}

int cufftDestroy(int handle) {
    const int wanted = enter("cufftDestroy");
    plan *p = plan_of(handle);
    if (p == NULL) return INVALID_PLAN;
    *p = (plan){0};
    return wanted;
}

int cufftSetStream(int handle, void *stream) {
    const int wanted = enter("cufftSetStream");
    plan *p = plan_of(handle);
    if (wanted != SUCCESS) return wanted;
    if (p == NULL) return INVALID_PLAN;
    p->stream = stream;
    return SUCCESS;
}

int cufftMakePlanMany64(int handle, int rank, long long *n, long long *in_embed,
                        long long in_stride, long long in_distance, long long *out_embed,
                        long long out_stride, long long out_distance, int kind, long long count,
                        size_t *out_bytes) {
    static const int kinds[] = {R2C, C2R, C2C, D2Z, Z2D, Z2Z};
    const int wanted = enter("cufftMakePlanMany64");
    plan *p = plan_of(handle);
    bool known = false;
    if (wanted != SUCCESS) return wanted;
    if (p == NULL || p->made) return INVALID_PLAN;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) known = known || kinds[i] == kind;
    if (!known) return INVALID_TYPE;
    if (rank < 1 || rank > DIMS || in_embed != NULL || out_embed != NULL || count < 1)
        return INVALID_VALUE;
    (void)in_stride;
    (void)in_distance;
    (void)out_stride;
    (void)out_distance;
    for (int d = 0; d < rank; d++) {
        if (n[d] < 1) return INVALID_SIZE;
        p->n[d] = n[d];
    }
    p->rank = rank;
    p->kind = kind;
    p->count = count;
    p->made = true;
    *out_bytes = 0;
    return SUCCESS;
}

static int execute(const char *name, int handle, int kind, void *in, void *out, int sign) {
    const int wanted = enter(name);
    const plan *p = plan_of(handle);
    if (wanted != SUCCESS) return EXEC_FAILED;
    if (p == NULL || !p->made || p->kind != kind || in == out) return INVALID_PLAN;
    if ((uintptr_t)in % 16 != 0 || (uintptr_t)out % 16 != 0) return UNALIGNED_DATA;
    const task t = {*p, in, out, sign};
    int (*const enqueue)(void *, libcuda_work, const void *, size_t) =
        (int (*)(void *, libcuda_work, const void *, size_t))of_driver("wadi_double_enqueue");
    return enqueue(p->stream, run, &t, sizeof t) == SUCCESS ? SUCCESS : INTERNAL_ERROR;
}

int cufftExecC2C(int handle, void *in, void *out, int direction) {
    return execute("cufftExecC2C", handle, C2C, in, out, direction);
}
int cufftExecZ2Z(int handle, void *in, void *out, int direction) {
    return execute("cufftExecZ2Z", handle, Z2Z, in, out, direction);
}
int cufftExecR2C(int handle, void *in, void *out) {
    return execute("cufftExecR2C", handle, R2C, in, out, -1);
}
int cufftExecD2Z(int handle, void *in, void *out) {
    return execute("cufftExecD2Z", handle, D2Z, in, out, -1);
}
int cufftExecC2R(int handle, void *in, void *out) {
    return execute("cufftExecC2R", handle, C2R, in, out, 1);
}
int cufftExecZ2D(int handle, void *in, void *out) {
    return execute("cufftExecZ2D", handle, Z2D, in, out, 1);
}
