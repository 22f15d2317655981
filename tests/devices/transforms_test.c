/* Fourier transforms of a device of CUDA's, over doubles, against FFTW's on the host: every kind, rank and precision; problems side by
 * side, apart and at odd addresses; the input left as it was, and nothing written beside the output. What declines, what fails, and that
 * plans are given back. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/cuda/driver.h"
#include "sched/foreign.h"
#include "sched/gpu/gpu.h"
#include "sched/transform.h"
#include "tests/devices/doubles.h"
#include "wadi/wadi.h"

enum { ROOM = 1 << 16, COUNT = 11, UNTOUCHED = 0x5a };

static const char *const kinds[] = {"fft", "ifft", "rfft", "irfft"};

/* ---- a device ---- */

typedef struct opened {
    wadi_device *device;
    wadi_buffers *buffers;
} opened;

static opened open_device(void) {
    opened o = {0};
    wadi_error err = {0};
    wadi_gpu_driver *driver = NULL;
    assert_int_equal(wadi_buffers_create(NULL, 0, &o.buffers, &err), WADI_OK);
    if (wadi_cuda_driver_open(0, &driver, &err) != WADI_OK) fail_msg("%s", err.msg);
    const wadi_device_options options = {.buffers = o.buffers};
    if (wadi_gpu_open(driver, &options, &o.device, &err) != WADI_OK) fail_msg("%s", err.msg);
    return o;
}

static void close_device(opened *o) {
    o->device->ops->destroy(o->device);
    wadi_buffers_release(o->buffers);
    assert_int_equal(doubles_held(), 0);
}

/* ---- problems ---- */

/* The same call over host memory and over a device's. */
typedef struct problems {
    wadi_call host, device;
    wadi_transform t;
    unsigned char *in, *want, *got; /* [ROOM] */
    void *in_block, *out_block;
    int64_t in_start[COUNT], out_start[COUNT];
} problems;

typedef enum way { EVEN, APART, ODD, WAYS } way;

/* Elements of a side: how far its array begins behind aligned memory, and where each problem begins. */
static void place(wadi_call_array *a, int64_t *start, int64_t each, way w, unsigned char *host,
                  char *device, wadi_call_array *other) {
    const int width = wadi_type_size((wadi_type)a->type);
    const int64_t shift = w == ODD ? 1 : 0;
    for (int p = 0; p < COUNT; p++) {
        /* two side by side, a gap, and a part in reversed order */
        const int64_t turn = w != APART ? p : p < 6 ? p + p / 2 : COUNT + 10 - p;
        start[p] = shift + turn * each;
    }
    a->distance = each;
    *other = *a;
    a->data = host + shift * width;
    other->data = device + shift * width;
    if (w != APART) return;
    a->start = other->start = start;
    a->data = host;
    other->data = device;
}

static void put(const opened *o, void *to, const void *from) {
    wadi_residence_put(o->device->residence, to, from, ROOM);
}

static void fill(problems *b) {
    const wadi_call_array *in = &b->host.array[0];
    uint32_t seed = 12345;
    for (int64_t i = 0; i < ROOM / wadi_type_size(WADI_F32); i++) {
        seed = seed * 1664525 + 1013904223;
        const double x = (double)(seed >> 8) / (1 << 24) - 0.5;
        if (b->t.is_double && i < ROOM / 8) ((double *)(void *)b->in)[i] = x;
        if (!b->t.is_double) ((float *)(void *)b->in)[i] = (float)x;
    }
    /* What a real inverse reads of a real signal's transform is real in some places: libraries may differ in what they make of others. */
    if (b->t.kind != WADI_TRANSFORM_REAL_INVERSE) return;
    wadi_call back = b->host;
    back.routine = "rfft";
    back.array[0] = b->host.array[1];
    back.array[1] = *in;
    memcpy(b->want, b->in, ROOM);
    memset(b->in, 0, ROOM);
    assert_true(wadi_foreign_run(&back, NULL));
}

static void describe(const void *self, int64_t begin, int64_t end, wadi_call *out) {
    const problems *b = self;
    *out = b->device;
    out->count = end - begin;
    for (int k = 0; k < 2; k++) {
        wadi_call_array *a = &out->array[k];
        if (a->start != NULL)
            a->start += begin;
        else
            a->data = (char *)a->data + begin * a->distance * wadi_type_size((wadi_type)a->type);
    }
}

static void make(const opened *o, problems *b, int kind, bool is_double, int rank, const int64_t *n,
                 way w) {
    const int32_t complex = is_double ? WADI_C128 : WADI_C64,
                  real = is_double ? WADI_F64 : WADI_F32;
    memset(b, 0, sizeof *b);
    b->host = (wadi_call){.routine = kinds[kind], .count = COUNT, .nin = 1, .nout = 1};
    for (int k = 0; k < 2; k++) {
        wadi_call_array *a = &b->host.array[k];
        a->rank = rank;
        a->type = (kind == 2 && k == 0) || (kind == 3 && k == 1) ? real : complex;
        for (int d = 0; d < rank; d++) a->shape[d] = n[d];
        if ((kind == 2 && k == 1) || (kind == 3 && k == 0))
            a->shape[rank - 1] = n[rank - 1] / 2 + 1;
    }
    assert_true(wadi_transform_of(&b->host, &b->t));
    b->in = malloc(ROOM);
    b->want = malloc(ROOM);
    b->got = malloc(ROOM);
    b->in_block = wadi_buffers_get(o->device->residence->blocks, ROOM);
    b->out_block = wadi_buffers_get(o->device->residence->blocks, ROOM);
    assert_true(b->in && b->want && b->got && b->in_block && b->out_block);
    b->device = b->host;
    place(&b->host.array[0], b->in_start, wadi_transform_in(&b->t), w, b->in,
          wadi_buffers_address(b->in_block), &b->device.array[0]);
    place(&b->host.array[1], b->out_start, wadi_transform_out(&b->t), w, b->want,
          wadi_buffers_address(b->out_block), &b->device.array[1]);
    fill(b);
    memset(b->want, UNTOUCHED, ROOM);
    memset(b->got, UNTOUCHED, ROOM);
    put(o, wadi_buffers_address(b->in_block), b->in);
    put(o, wadi_buffers_address(b->out_block), b->got);
}

static void drop(problems *b) {
    free(b->in);
    free(b->want);
    free(b->got);
    wadi_buffers_put(b->in_block);
    wadi_buffers_put(b->out_block);
}

static bool run_device(const opened *o, const problems *b) {
    const wadi_device_calls calls = {COUNT, describe, b};
    return o->device->ops->routine(o->device, &calls);
}

static bool is_touched(const unsigned char *at, int width) {
    int i = 0;
    while (i < width && at[i] == UNTOUCHED) i++;
    return i < width;
}

/* What lies between the problems is not written on either side. */
static void assert_alike(const problems *b) {
    double most = 0, scale = 0;
    const int64_t n = ROOM / (b->t.is_double ? 8 : 4);
    for (int64_t i = 0; i < n; i++) {
        const double x = b->t.is_double ? ((const double *)(const void *)b->want)[i]
                                        : (double)((const float *)(const void *)b->want)[i];
        const double y = b->t.is_double ? ((const double *)(const void *)b->got)[i]
                                        : (double)((const float *)(const void *)b->got)[i];
        const int width = b->t.is_double ? 8 : 4;
        assert_int_equal(is_touched(b->want + i * width, width),
                         is_touched(b->got + i * width, width));
        if (!is_touched(b->want + i * width, width)) continue;
        most = fmax(most, fabs(x - y));
        scale = fmax(scale, fabs(x));
    }
    if (!(most <= scale * (b->t.is_double ? 1e-12 : 1e-5)))
        fail_msg("%s of rank %d: %g beside %g", b->host.routine, b->t.rank, most, scale);
}

static void check(const opened *o, int kind, bool is_double, int rank, const int64_t *n, way w) {
    problems b;
    wadi_error err = {0};
    make(o, &b, kind, is_double, rank, n, w);
    assert_true(wadi_foreign_run(&b.host, NULL));
    assert_true(run_device(o, &b));
    wadi_residence_get(o->device->residence, b.got, wadi_buffers_address(b.out_block), ROOM);
    if (o->device->ops->wait(o->device, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_alike(&b);
    wadi_residence_get(o->device->residence, b.got, wadi_buffers_address(b.in_block), ROOM);
    assert_memory_equal(b.got, b.in, ROOM);
    drop(&b);
}

static void need_both(void) {
    if (wadi_foreign_has("fft")) return;
    print_message("built without FFTW\n");
    skip();
}

/* ---- tests ---- */

static void they_are_those_of_the_host(void **state) {
    static const struct {
        int rank;
        int64_t n[3];
    } shapes[] = {{1, {1}}, {1, {7}}, {1, {16}}, {2, {3, 4}}, {2, {4, 5}}, {3, {2, 3, 5}}};
    (void)state;
    need_both();
    doubles_set("");
    opened o = open_device();
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int kind = 0; kind < 4; kind++)
            for (int w = 0; w < WAYS; w++)
                for (int wide = 0; wide < 2; wide++)
                    check(&o, kind, wide != 0, shapes[s].rank, shapes[s].n, (way)w);
    close_device(&o);
}

static void plans_are_kept_and_given_back(void **state) {
    (void)state;
    need_both();
    doubles_set("");
    opened o = open_device();
    const int before = doubles_held();
    for (int64_t n = 1; n <= 40; n++) check(&o, 0, true, 1, &n, EVEN); /* of 8, 2 and 1 problems */
    const long made = doubles_calls("cufftMakePlanMany64");
    assert_int_equal(made, 3 * 40);
    assert_in_range(doubles_held() - before, 64, 64 + 40); /* and memory of the pool */
    const int64_t again = 40;
    check(&o, 1, true, 1, &again, EVEN); /* inverse ones have the same plans */
    assert_int_equal(doubles_calls("cufftMakePlanMany64"), made);
    close_device(&o);
}

static void without_a_plan_it_declines(void **state) {
    static const char *const rules[] = {"fail=cufftCreate:1:2", "fail=cufftMakePlanMany64:1:2",
                                        "fail=cufftMakePlanMany64:3:8"};
    const int64_t n[] = {6};
    (void)state;
    need_both();
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        problems b;
        wadi_error err = {0};
        doubles_set("");
        opened o = open_device();
        make(&o, &b, 0, true, 1, n, EVEN);
        doubles_set(rules[i]);
        assert_false(run_device(&o, &b));
        if (o.device->ops->wait(o.device, &err) != WADI_OK) fail_msg("%s", err.msg);
        drop(&b);
        close_device(&o);
    }
}

static void a_failure_is_told(void **state) {
    static const struct {
        const char *rule, *says;
    } cases[] = {{"fail=cufftExecZ2Z:1:6", "cuda:0: a Fourier transform by cuFFT: error 6"},
                 {"fail=cufftSetStream:2:5", "cuda:0: a Fourier transform by cuFFT: error 5"},
                 {"fail=kernel:1:719", "cuda:0: "}};
    const int64_t n[] = {6};
    (void)state;
    need_both();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        problems b;
        wadi_error err = {0};
        doubles_set("");
        opened o = open_device();
        make(&o, &b, 1, true, 1, n, EVEN);
        doubles_set(cases[i].rule);
        assert_true(run_device(&o, &b));
        assert_int_equal(o.device->ops->wait(o.device, &err), WADI_DEVICE);
        if (strstr(err.msg, cases[i].says) == NULL) fail_msg("%s", err.msg);
        drop(&b);
        doubles_set("");
        close_device(&o);
    }
}

static void other_routines_are_declined(void **state) {
    const int64_t n[] = {6};
    problems b;
    (void)state;
    need_both();
    doubles_set("");
    opened o = open_device();
    make(&o, &b, 0, true, 1, n, EVEN);
    b.device.routine = "fht";
    assert_false(run_device(&o, &b));
    b.device.routine = "fft";
    b.device.array[1].shape[0] = 7;
    assert_false(run_device(&o, &b));
    drop(&b);
    close_device(&o);
}

/* ---- programs ---- */

enum { ROWS = 9, COLUMNS = 12 };

static void transform_rows(const wadi_exe *exe, const char *device, const double *x, double *y) {
    wadi_error err = {0};
    wadi_run *run = NULL;
    wadi_array out;
    const wadi_run_options options = {.device = device};
    const wadi_array in = {.rank = 2,
                           .fields = 1,
                           .shape = {ROWS, COLUMNS},
                           .type = {WADI_C128},
                           .column = {(void *)(uintptr_t)x}};
    if (wadi_run_create(exe, &options, &run, &err) != WADI_OK ||
        wadi_run_input(run, "x", &in, &err) != WADI_OK || wadi_run_go(run, &err) != WADI_OK ||
        wadi_run_result(run, "y", &out, &err) != WADI_OK)
        fail_msg("%s: %s", device, err.msg);
    memcpy(y, out.column[0], 2 * ROWS * COLUMNS * sizeof *y);
    wadi_run_destroy(run);
}

static void programs_transform_by_the_library(void **state) {
    double x[2 * ROWS * COLUMNS], want[2 * ROWS * COLUMNS], got[2 * ROWS * COLUMNS];
    wadi_error err = {0};
    wadi_exe *exe = NULL;
    (void)state;
    need_both();
    doubles_set("");
    wadi_program *p = wadi_program_create("rows");
    wadi_output("y", wadi_ifft(wadi_fft(wadi_input("x", WADI_C128, 2, NULL))));
    if (wadi_compile(p, NULL, &exe, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_program_destroy(p);
    for (int i = 0; i < 2 * ROWS * COLUMNS; i++) x[i] = 1.0 / (i + 1);
    transform_rows(exe, "cpu", x, want);
    transform_rows(exe, "cuda", x, got);
    assert_true(doubles_calls("cufftExecZ2Z") >= 2);
    for (int i = 0; i < 2 * ROWS * COLUMNS; i++) {
        assert_true(fabs(got[i] - x[i]) < 1e-13);
        assert_true(fabs(got[i] - want[i]) < 1e-13);
    }
    wadi_exe_destroy(exe);
    assert_int_equal(doubles_held(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_those_of_the_host),
        cmocka_unit_test(plans_are_kept_and_given_back),
        cmocka_unit_test(without_a_plan_it_declines),
        cmocka_unit_test(a_failure_is_told),
        cmocka_unit_test(other_routines_are_declined),
        cmocka_unit_test(programs_transform_by_the_library),
    };
    if (!doubles_use()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
