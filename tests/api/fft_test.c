/* Transforms as programs run them: by the library where the build has it, by the language where it declines, in streams ragged and
 * regular, under both schedules, with one and several workers. Results agree within the bound of wadi/lang_fft.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/foreign.h"
#include "wadi/wadi.h"

static void must(wadi_status st, const wadi_error *err) {
    if (st != WADI_OK) fail_msg("%s", err->msg);
}

static double sample(int64_t i) {
    uint64_t x = (uint64_t)i * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9u;
    return (double)(int32_t)(uint32_t)(x >> 20) / 2147483648.0;
}

static int64_t product(int n, const int64_t *shape) {
    int64_t size = 1;
    for (int d = 0; d < n; d++) size *= shape[d];
    return size;
}

/* ---- the reference ---- */

typedef struct complex_double {
    double re, im;
} complex_double;

typedef struct root {
    long double re, im;
} root;

/* Roots of unity of every extent, one behind the other: e^(turn i k / n) for k below n. The caller frees them. */
static root *make_roots(int dims, const int64_t *extent, long double turn) {
    int64_t n = 0;
    for (int d = 0; d < dims; d++) n += extent[d];
    root *of = malloc((size_t)(n + 1) * sizeof *of), *next = of;
    assert_non_null(of);
    for (int d = 0; d < dims; d++)
        for (int64_t k = 0; k < extent[d]; k++) {
            const long double phase = turn * (long double)k / (long double)extent[d];
            *next++ = (root){cosl(phase), sinl(phase)};
        }
    return of;
}

/* The root that term j has in result k: one factor for each dimension. */
static root root_of(int dims, const int64_t *extent, const root *roots, int64_t k, int64_t j) {
    root r = {1, 0};
    const root *of = roots;
    for (int d = 0; d < dims; d++) of += extent[d];
    for (int d = dims; d-- > 0; k /= extent[d], j /= extent[d]) {
        of -= extent[d];
        const root f = of[k % extent[d] * (j % extent[d]) % extent[d]];
        r = (root){r.re * f.re - r.im * f.im, r.re * f.im + r.im * f.re};
    }
    return r;
}

/* The transform of x over the last `dims` of `rank` dimensions, in place of y. */
static void transform(int rank, int dims, const int64_t *shape, bool inverse,
                      const complex_double *x, complex_double *y) {
    const int64_t n = product(dims, shape + rank - dims), batch = product(rank - dims, shape);
    const int64_t *extent = shape + rank - dims;
    root *roots = make_roots(dims, extent, (inverse ? 2 : -2) * acosl(-1.0L));
    for (int64_t b = 0; b < batch; b++)
        for (int64_t k = 0; k < n; k++) {
            long double re = 0, im = 0;
            for (int64_t j = 0; j < n; j++) {
                const root r = root_of(dims, extent, roots, k, j);
                const complex_double v = x[b * n + j];
                re += (long double)v.re * r.re - (long double)v.im * r.im;
                im += (long double)v.re * r.im + (long double)v.im * r.re;
            }
            const long double by = inverse ? (long double)n : 1;
            y[b * n + k] = (complex_double){(double)(re / by), (double)(im / by)};
        }
    free(roots);
}

static complex_double at(const wadi_array *a, int64_t i) {
    switch (a->type[0]) {
    case WADI_C64: {
        const float *x = (const float *)a->column[0] + 2 * i;
        return (complex_double){(double)x[0], (double)x[1]};
    }
    case WADI_C128:
        return ((const complex_double *)a->column[0])[i];
    case WADI_F32:
        return (complex_double){(double)((const float *)a->column[0])[i], 0};
    default:
        return (complex_double){((const double *)a->column[0])[i], 0};
    }
}

static void expect_close(const wadi_array *got, const complex_double *want) {
    const int64_t size = product(got->rank, got->shape);
    const bool single = got->type[0] == WADI_C64 || got->type[0] == WADI_F32;
    double squares = 1e-300;
    for (int64_t i = 0; i < size; i++) squares += want[i].re * want[i].re + want[i].im * want[i].im;
    const double most = 16 * ldexp(1, single ? -24 : -53) * log2((double)size + 2) * sqrt(squares);
    for (int64_t i = 0; i < size; i++) {
        const complex_double x = at(got, i);
        if (!(hypot(x.re - want[i].re, x.im - want[i].im) <= most))
            fail_msg("element %lld: %g %g, expected %g %g", (long long)i, x.re, x.im, want[i].re,
                     want[i].im);
    }
}

/* ---- whole arrays ---- */

typedef enum kind { FORWARD, INVERSE, REAL, BACK } kind;

typedef struct problem {
    kind kind;
    int rank, dims;
    wadi_type type; /* of the input */
} problem;

static wadi_acc apply(const problem *p, wadi_acc x) {
    switch (p->kind) {
    case FORWARD:
        return wadi_fft_nd(p->dims, x);
    case INVERSE:
        return wadi_ifft_nd(p->dims, x);
    case REAL:
        return wadi_rfft_nd(p->dims, x);
    case BACK:
        break;
    }
    const wadi_exp n = wadi_extent(x, p->rank - 1);
    return wadi_irfft_nd(p->dims, n, wadi_rfft_nd(p->dims, x));
}

static wadi_exe *compile(const problem *p) {
    wadi_program *program = wadi_program_create("fft");
    wadi_error err = {0};
    wadi_exe *exe = NULL;
    wadi_output("y", apply(p, wadi_input("x", p->type, p->rank, NULL)));
    must(wadi_compile(program, NULL, &exe, &err), &err);
    wadi_program_destroy(program);
    return exe;
}

/* Fills `x` with what is bound (as complex numbers), and a host array of it. */
static wadi_array host(const problem *p, const int64_t *shape, complex_double *x, void *memory) {
    wadi_array a = {.rank = p->rank, .fields = 1, .type = {p->type}, .column = {memory}};
    const int64_t size = product(p->rank, shape);
    memcpy(a.shape, shape, (size_t)p->rank * sizeof *shape);
    for (int64_t i = 0; i < size; i++) {
        const double re = sample(2 * i), im = sample(2 * i + 1);
        if (p->type == WADI_C64 || p->type == WADI_F32) {
            const bool real = p->type == WADI_F32;
            float *to = (float *)memory + (real ? i : 2 * i);
            to[0] = (float)re;
            if (!real) to[1] = (float)im;
        } else {
            const bool real = p->type == WADI_F64;
            double *to = (double *)memory + (real ? i : 2 * i);
            to[0] = re;
            if (!real) to[1] = im;
        }
        x[i] = at(&a, i);
    }
    return a;
}

/* What is wanted, in place of y; x is the input. */
static void wanted(const problem *p, const int64_t *shape, const complex_double *x,
                   complex_double *y) {
    const int64_t size = product(p->rank, shape), last = shape[p->rank - 1];
    if (p->kind == BACK) {
        memcpy(y, x, (size_t)size * sizeof *x);
        return;
    }
    transform(p->rank, p->dims, shape, p->kind == INVERSE, x, y);
    if (p->kind != REAL || last == 0) return;
    for (int64_t row = 0; row < size / last; row++)
        for (int64_t i = 0; i <= last / 2; i++) y[row * (last / 2 + 1) + i] = y[row * last + i];
}

static void run_whole(const wadi_exe *exe, const problem *p, const int64_t *shape, int threads) {
    const size_t room = (size_t)product(p->rank, shape) + 64;
    complex_double *x = calloc(room, sizeof *x), *y = calloc(room, sizeof *y);
    void *memory = calloc(room, sizeof *x);
    assert_true(x && y && memory);
    const wadi_array a = host(p, shape, x, memory);
    const wadi_run_options o = {.threads = threads};
    wadi_run *run = NULL;
    wadi_array got;
    wadi_error err = {0};
    must(wadi_run_create(exe, &o, &run, &err), &err);
    must(wadi_run_input(run, "x", &a, &err), &err);
    must(wadi_run_go(run, &err), &err);
    must(wadi_run_result(run, "y", &got, &err), &err);
    wanted(p, shape, x, y);
    expect_close(&got, y);
    wadi_run_destroy(run);
    free(memory);
    free(y);
    free(x);
}

static const int64_t sizes[] = {1, 2, 3, 5, 7, 8, 12, 17, 32, 60, 97, 128, 1000, 0};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void every_size_in_one_dimension(void **state) {
    (void)state;
    static const problem problems[] = {{FORWARD, 1, 1, WADI_C128}, {INVERSE, 1, 1, WADI_C64},
                                       {REAL, 1, 1, WADI_F64},     {BACK, 1, 1, WADI_F32},
                                       {FORWARD, 1, 1, WADI_C64},  {BACK, 1, 1, WADI_F64}};
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
        wadi_exe *exe = compile(&problems[k]);
        for (int i = 0; i < SIZES; i++) run_whole(exe, &problems[k], &sizes[i], 1 + i % 2);
        wadi_exe_destroy(exe);
    }
}

static void several_dimensions_and_batches(void **state) {
    (void)state;
    static const struct {
        problem p;
        int64_t shape[3][4];
    } rows[] = {
        {{FORWARD, 2, 2, WADI_C128}, {{32, 32}, {5, 12}, {0, 3}}},
        {{FORWARD, 2, 1, WADI_C64}, {{40, 17}, {3, 0}, {0, 3}}},
        {{INVERSE, 3, 3, WADI_C128}, {{4, 5, 6}, {8, 8, 8}, {1, 1, 1}}},
        {{INVERSE, 4, 2, WADI_C128}, {{3, 2, 8, 7}, {1, 1, 1, 1}, {2, 2, 16, 1}}},
        {{REAL, 2, 2, WADI_F64}, {{6, 9}, {16, 16}, {1, 1}}},
        {{BACK, 3, 2, WADI_F64}, {{7, 6, 9}, {2, 16, 16}, {3, 5, 1}}},
        {{BACK, 3, 3, WADI_F32}, {{3, 4, 5}, {4, 4, 4}, {1, 2, 3}}},
    };
    /* the language's own transforms take long to compile: two of them will do */
    const size_t n = wadi_foreign_has("fft") ? sizeof rows / sizeof *rows : 2;
    for (size_t k = 0; k < n; k++) {
        wadi_exe *exe = compile(&rows[k].p);
        for (int i = 0; i < 3; i++) run_whole(exe, &rows[k].p, rows[k].shape[i], 2);
        wadi_exe_destroy(exe);
    }
}

/* ---- streams ---- */

enum { ELEMENTS = 150 };

typedef struct stream {
    int next, taken, shapes;
    const int64_t (*shape)[2];
} stream;

static const int64_t *shape_of(const stream *s, int64_t i) {
    return s->shape[i * 7 % s->shapes];
}

static wadi_status pull(void *env, int64_t index, wadi_yield *yield, wadi_error *err) {
    const stream *s = env;
    wadi_array a;
    if (index == ELEMENTS) return WADI_OK;
    const wadi_status st = wadi_yield_array(yield, 0, shape_of(s, index), &a, err);
    if (st != WADI_OK) return st;
    for (int64_t i = 0; i < 2 * product(2, shape_of(s, index)); i++)
        ((double *)a.column[0])[i] = sample(index * 1000 + i);
    return WADI_OK;
}

/* The transform of element i, computed once for all runs. */
static const complex_double *transform_of(const stream *s, int64_t i) {
    static complex_double *known[2][ELEMENTS], x[4096];
    complex_double **y = &known[s->shapes == 1][i];
    const int64_t *shape = shape_of(s, i), n = product(2, shape);
    if (*y != NULL) return *y;
    *y = calloc((size_t)n + 1, sizeof **y);
    assert_non_null(*y);
    for (int64_t k = 0; k < n; k++)
        x[k] = (complex_double){sample(i * 1000 + 2 * k), sample(i * 1000 + 2 * k + 1)};
    transform(2, 2, shape, false, x, *y);
    return *y;
}

static wadi_status push(void *env, int64_t index, int parts, const wadi_array *element,
                        wadi_error *err) {
    stream *s = env;
    (void)err;
    assert_int_equal(parts, 1);
    assert_memory_equal(element->shape, shape_of(s, index), 2 * sizeof(int64_t));
    expect_close(element, transform_of(s, index));
    s->taken++;
    return WADI_OK;
}

static wadi_acc fft2(wadi_acc x) {
    return wadi_fft_nd(2, x);
}

/* A value in front and one behind, so that the routine's arrays are temporaries. */
static wadi_acc surrounded(wadi_acc x) {
    return wadi_map(wadi_neg, wadi_fft_nd(2, wadi_compute(wadi_map(wadi_neg, x))));
}

static void run_stream(wadi_acc_fn1 body, const int64_t (*shape)[2], int shapes, bool fixed,
                       const wadi_run_options *o) {
    static const char *const square[] = {"8", "12"};
    stream s = {.shape = shape, .shapes = shapes};
    const wadi_component c = {wadi_scalar_elem(WADI_C128), 2, fixed ? square : NULL};
    const wadi_part part =
        fixed ? wadi_part_fixed(WADI_C128, 2, shape[0]) : wadi_part_irregular(WADI_C128, 2);
    wadi_program *p = wadi_program_create("stream");
    wadi_exe *exe = NULL;
    wadi_run *run = NULL;
    wadi_source *source = NULL;
    wadi_sink *sink = NULL;
    wadi_error err = {0};
    wadi_stream_out(wadi_map_seq(body, wadi_stream_in("s", 1, &c)), "t");
    must(wadi_compile(p, NULL, &exe, &err), &err);
    must(wadi_run_create(exe, o, &run, &err), &err);
    must(wadi_source_callback(1, &part, pull, &s, &source, &err), &err);
    must(wadi_sink_callback(push, &s, &sink, &err), &err);
    must(wadi_run_source(run, "s", source, &err), &err);
    must(wadi_run_sink(run, "t", sink, &err), &err);
    must(wadi_run_go(run, &err), &err);
    assert_int_equal(s.taken, ELEMENTS);
    wadi_run_destroy(run);
    wadi_source_destroy(source);
    wadi_sink_destroy(sink);
    wadi_exe_destroy(exe);
    wadi_program_destroy(p);
}

static const int64_t ragged[][2] = {{4, 4}, {3, 5}, {4, 4},  {1, 7},
                                    {0, 4}, {8, 8}, {16, 2}, {3, 5}};
static const int64_t regular[][2] = {{8, 12}};

static void under_every_schedule(wadi_acc_fn1 body) {
    for (int schedule = WADI_SCHEDULE_AUTO; schedule <= WADI_SCHEDULE_FORCE_FLAT; schedule++)
        for (int threads = 1; threads <= 3; threads += 2) {
            const wadi_run_options o = {.threads = threads,
                                        .schedule = (wadi_schedule_option)schedule,
                                        .chunk = threads == 1 ? 0 : 37};
            run_stream(body, ragged, 8, false, &o);
            run_stream(body, regular, 1, true, &o);
        }
}

static void streams_ragged_and_regular(void **state) {
    (void)state;
    under_every_schedule(fft2);
}

static void temporaries_around_a_routine(void **state) {
    (void)state;
    under_every_schedule(surrounded);
}

/* The transform in a branch that some elements take and in the body of a loop whose rounds differ: forward always, and there and
 * back again as often as the extent says. */
static wadi_acc more_rounds(wadi_acc state) {
    const wadi_acc a = wadi_tuple_get(state, 0);
    return wadi_unit(
        wadi_lt(wadi_the(wadi_tuple_get(state, 1)), wadi_rem(wadi_extent(a, 0), wadi_i64(3))));
}

static wadi_acc one_round(wadi_acc state) {
    const wadi_acc y = wadi_ifft_nd(2, wadi_fft_nd(2, wadi_tuple_get(state, 0)));
    return wadi_tuple2(y, wadi_unit(wadi_add(wadi_the(wadi_tuple_get(state, 1)), wadi_i64(1))));
}

static wadi_acc branches_and_loops(wadi_acc x) {
    const wadi_exp wide = wadi_gt(wadi_extent(x, 1), wadi_i64(4));
    const wadi_acc y = wadi_acond(wide, wadi_fft_nd(2, x), wadi_fft_own(2, false, x));
    return wadi_tuple_get(
        wadi_awhile(more_rounds, one_round, wadi_tuple2(y, wadi_unit(wadi_i64(0)))), 0);
}

static void routines_in_branches_and_loops(void **state) {
    (void)state;
    under_every_schedule(branches_and_loops);
}

/* Lifted by hand, the batch has one more dimension. */
static wadi_acc lifted_by_hand(wadi_acc x) {
    return wadi_with_lifted(fft2, fft2, x);
}

static void lifted_routines(void **state) {
    (void)state;
    under_every_schedule(lifted_by_hand);
}

static void a_lifted_body_runs_on_the_whole_chunk(void **state) {
    (void)state;
    static const char *const square[] = {"8", "12"};
    const wadi_component c = {wadi_scalar_elem(WADI_C128), 2, square};
    const wadi_compile_options o = {.explain = true};
    wadi_program *p = wadi_program_create("lifted");
    wadi_exe *exe = NULL;
    wadi_error err = {0};
    char *text = NULL;
    wadi_stream_out(wadi_map_seq(lifted_by_hand, wadi_stream_in("s", 1, &c)), "t");
    must(wadi_compile(p, &o, &exe, &err), &err);
    must(wadi_explain(exe, &text, &err), &err);
    const char *flat = strstr(text, "schedule flat ==");
    assert_non_null(flat);
    assert_non_null(strstr(flat, "many"));
    assert_non_null(strstr(flat, "single"));
    free(text);
    wadi_exe_destroy(exe);
    wadi_program_destroy(p);
}

static void the_language_takes_over_when_the_library_declines(void **state) {
    (void)state;
    const wadi_run_options inside = {.threads = 2, .schedule = WADI_SCHEDULE_FORCE_INSIDE};
    const wadi_run_options flat = {.threads = 2, .schedule = WADI_SCHEDULE_FORCE_FLAT};
    const problem p = {FORWARD, 1, 1, WADI_C128};
    wadi_exe *exe = compile(&p);
    wadi_foreign_decline(true);
    run_stream(fft2, ragged, 8, false, &inside);
    run_stream(fft2, regular, 1, true, &flat);
    run_whole(exe, &p, &sizes[9], 2);
    wadi_foreign_decline(false);
    run_whole(exe, &p, &sizes[9], 2);
    wadi_exe_destroy(exe);
}

/* What the transform of 97 numbers is on a device. */
static void transform_on(const char *device, wadi_schedule_option schedule, double out[2 * 97]) {
    const problem p = {FORWARD, 1, 1, WADI_C128};
    const wadi_run_options o = {.threads = 1, .device = device, .schedule = schedule};
    static double x[2 * 97];
    const wadi_array a = {
        .rank = 1, .fields = 1, .type = {WADI_C128}, .shape = {97}, .column = {x}};
    wadi_exe *exe = compile(&p);
    wadi_run *run = NULL;
    wadi_array got;
    wadi_error err = {0};
    for (int i = 0; i < 2 * 97; i++) x[i] = sample(i);
    must(wadi_run_create(exe, &o, &run, &err), &err);
    must(wadi_run_input(run, "x", &a, &err), &err);
    must(wadi_run_go(run, &err), &err);
    must(wadi_run_result(run, "y", &got, &err), &err);
    memcpy(out, got.column[0], sizeof x);
    wadi_run_destroy(run);
    wadi_exe_destroy(exe);
}

/* The library rounds otherwise than the language. So a device has run it if its bits are those of the processors' library. */
static void the_library_runs_in_the_memory_of_the_device(void **state) {
    (void)state;
    if (!wadi_foreign_has("fft")) skip();
    const wadi_run_options ragged_run = {.threads = 2, .device = "null", .chunk = 37};
    run_stream(surrounded, ragged, 8, false, &ragged_run);
    static const wadi_schedule_option schedules[] = {WADI_SCHEDULE_FORCE_INSIDE,
                                                     WADI_SCHEDULE_FORCE_FLAT};
    for (int k = 0; k < 2; k++) {
        double cpu[2 * 97], null[2 * 97], own[2 * 97];
        transform_on("cpu", schedules[k], cpu);
        transform_on("null", schedules[k], null);
        wadi_foreign_decline(true);
        transform_on("cpu", schedules[k], own);
        wadi_foreign_decline(false);
        assert_memory_equal(cpu, null, sizeof cpu);
        assert_memory_not_equal(cpu, own, sizeof cpu);
    }
}

static void a_half_of_the_wrong_length_is_a_fault(void **state) {
    (void)state;
    static double x[2 * 5];
    const wadi_array a = {.rank = 1, .fields = 1, .type = {WADI_C128}, .shape = {5}, .column = {x}};
    wadi_program *program = wadi_program_create("fft");
    wadi_error err = {0};
    wadi_exe *exe = NULL;
    wadi_run *run = NULL;
    wadi_output("y", wadi_irfft(wadi_i64(10), wadi_input("x", WADI_C128, 1, NULL)));
    must(wadi_compile(program, NULL, &exe, &err), &err);
    must(wadi_run_create(exe, NULL, &run, &err), &err);
    must(wadi_run_input(run, "x", &a, &err), &err);
    assert_int_equal(wadi_run_go(run, &err), WADI_FAULT);
    wadi_run_destroy(run);
    wadi_exe_destroy(exe);
    wadi_program_destroy(program);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_in_one_dimension),
        cmocka_unit_test(several_dimensions_and_batches),
        cmocka_unit_test(streams_ragged_and_regular),
        cmocka_unit_test(temporaries_around_a_routine),
        cmocka_unit_test(routines_in_branches_and_loops),
        cmocka_unit_test(lifted_routines),
        cmocka_unit_test(a_lifted_body_runs_on_the_whole_chunk),
        cmocka_unit_test(the_language_takes_over_when_the_library_declines),
        cmocka_unit_test(the_library_runs_in_the_memory_of_the_device),
        cmocka_unit_test(a_half_of_the_wrong_length_is_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
