/* Library routines called directly: batches in every memory layout, several threads at once, what a routine declines, and what is
 * saved of what a library has learnt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/thread.h"
#include "sched/foreign.h"
#include "wadi/lang.h"
#include "wadi/type.h"

enum { MOST = 20000 };

static void need_library(void) {
    if (wadi_foreign_has("fft")) return;
    print_message("built without FFTW\n");
    skip();
}

static double sample(int64_t i) {
    return sin(1.3 * (double)i) + 0.25 * cos(0.7 * (double)i * (double)i);
}

static wadi_call one_dimension(const char *routine, int64_t n, int64_t count, void *in, void *out) {
    wadi_call c = {.routine = routine, .count = count, .nin = 1, .nout = 1};
    c.array[0] = (wadi_call_array){in, NULL, n, WADI_C128, 1, {n}};
    c.array[1] = (wadi_call_array){out, NULL, n, WADI_C128, 1, {n}};
    return c;
}

/* Element k of the transform of n pairs. */
static void element(const double *x, int64_t n, int64_t k, double *re, double *im) {
    const double pi = acos(-1.0);
    *re = *im = 0;
    for (int64_t j = 0; j < n; j++) {
        const double a = -2 * pi * (double)(k * j % n) / (double)n;
        *re += x[2 * j] * cos(a) - x[2 * j + 1] * sin(a);
        *im += x[2 * j] * sin(a) + x[2 * j + 1] * cos(a);
    }
}

static void expect_transform(const double *x, const double *y, int64_t n) {
    for (int64_t k = 0; k < n; k++) {
        double re, im;
        element(x, n, k, &re, &im);
        if (!(fabs(re - y[2 * k]) + fabs(im - y[2 * k + 1]) < 1e-10 * (double)(n + 1)))
            fail_msg("n %lld, element %lld: %g %g, expected %g %g", (long long)n, (long long)k,
                     y[2 * k], y[2 * k + 1], re, im);
    }
}

typedef struct arrays {
    double in[2 * MOST], out[2 * MOST];
} arrays;

static arrays *make(void) {
    arrays *a = malloc(sizeof *a);
    assert_non_null(a);
    for (int64_t i = 0; i < 2 * MOST; i++) a->in[i] = sample(i);
    memset(a->out, 0, sizeof a->out);
    return a;
}

static void batches_of_any_count(void **state) {
    (void)state;
    need_library();
    arrays *a = make();
    for (int64_t count = 1; count <= 100; count += 11) {
        const wadi_call c = one_dimension("fft", 12, count, a->in, a->out);
        assert_true(wadi_foreign_run(&c, NULL));
        for (int64_t p = 0; p < count; p++) expect_transform(a->in + 24 * p, a->out + 24 * p, 12);
    }
    free(a);
}

static void problems_that_lie_apart(void **state) {
    (void)state;
    need_library();
    arrays *a = make();
    static const int64_t from[] = {100, 5, 12, 19, 300, 307}, to[] = {0, 7, 14, 21, 50, 57};
    wadi_call c = one_dimension("fft", 7, 6, a->in, a->out);
    c.array[0].start = from;
    c.array[1].start = to;
    assert_true(wadi_foreign_run(&c, NULL));
    for (int p = 0; p < 6; p++) expect_transform(a->in + 2 * from[p], a->out + 2 * to[p], 7);
    free(a);
}

static void memory_that_is_not_aligned(void **state) {
    (void)state;
    need_library();
    arrays *a = make();
    for (int shift = 0; shift < 4; shift++) {
        const wadi_call c = one_dimension("fft", 16, 9, a->in + shift, a->out + 3 - shift);
        assert_true(wadi_foreign_run(&c, NULL));
        for (int p = 0; p < 9; p++)
            expect_transform(a->in + shift + 32 * p, a->out + 3 - shift + 32 * p, 16);
    }
    free(a);
}

static void one_input_for_all(void **state) {
    (void)state;
    need_library();
    arrays *a = make();
    wadi_call c = one_dimension("fft", 10, 5, a->in, a->out);
    c.array[0].distance = 0;
    assert_true(wadi_foreign_run(&c, NULL));
    for (int p = 0; p < 5; p++) expect_transform(a->in, a->out + 20 * p, 10);
    free(a);
}

static void there_and_back_in_three_dimensions(void **state) {
    (void)state;
    need_library();
    arrays *a = make();
    double *half = malloc(sizeof(double) * 2 * MOST);
    assert_non_null(half);
    wadi_call c = {.routine = "rfft", .count = 3, .nin = 1, .nout = 1};
    c.array[0] = (wadi_call_array){a->in, NULL, 4 * 5 * 6, WADI_F64, 3, {4, 5, 6}};
    c.array[1] = (wadi_call_array){half, NULL, 4 * 5 * 4, WADI_C128, 3, {4, 5, 4}};
    assert_true(wadi_foreign_run(&c, NULL));
    double *kept = malloc(sizeof(double) * 3 * 160);
    assert_non_null(kept);
    memcpy(kept, half, sizeof(double) * 3 * 160);
    wadi_call back = {.routine = "irfft", .count = 3, .nin = 1, .nout = 1};
    back.array[0] = c.array[1];
    back.array[1] = c.array[0];
    back.array[1].data = a->out;
    assert_true(wadi_foreign_run(&back, NULL));
    for (int i = 0; i < 360; i++) assert_true(fabs(a->out[i] - a->in[i]) < 1e-12);
    assert_memory_equal(kept, half, sizeof(double) * 3 * 160); /* the input is left alone */
    free(kept);
    free(half);
    free(a);
}

static void what_is_declined(void **state) {
    (void)state;
    arrays *a = make();
    wadi_call c = one_dimension("no such routine", 4, 1, a->in, a->out);
    assert_false(wadi_foreign_run(&c, NULL));
    c.count = 0;
    assert_true(wadi_foreign_run(&c, NULL)); /* nothing to do */
    wadi_call half = one_dimension("irfft", 10, 1, a->in, a->out);
    half.array[0].shape[0] = 5; /* not 10/2 + 1 */
    half.array[1].type = WADI_F64;
    assert_false(wadi_foreign_run(&half, NULL));
    if (wadi_foreign_has("fft")) {
        c = one_dimension("fft", 4, 1, a->in, a->out);
        wadi_foreign_decline(true);
        assert_false(wadi_foreign_run(&c, NULL));
        wadi_foreign_decline(false);
        assert_true(wadi_foreign_run(&c, NULL));
    }
    free(a);
}

/* ---- threads ---- */

static void transform_many(void *env) {
    arrays *a = env;
    for (int64_t n = 2; n < 60; n++) {
        const wadi_call c = one_dimension("fft", n, 20, a->in, a->out);
        if (!wadi_foreign_run(&c, NULL)) a->out[0] = (double)NAN;
    }
}

static void several_threads_make_and_use_plans(void **state) {
    (void)state;
    need_library();
    wadi_thread thread[4] = {0};
    arrays *a[4];
    for (int i = 0; i < 4; i++) a[i] = make();
    for (int i = 0; i < 4; i++)
        assert_int_equal(wadi_thread_start(&thread[i], transform_many, a[i], NULL), WADI_OK);
    for (int i = 0; i < 4; i++) wadi_thread_join(&thread[i]);
    for (int i = 0; i < 4; i++) {
        expect_transform(a[i]->in, a[i]->out, 59);
        free(a[i]);
    }
}

static wadi_status does_nothing(void *env, int n, const wadi_foreign_array *in,
                                const wadi_foreign_array *out, wadi_error *err) {
    (void)env, (void)n, (void)in, (void)out, (void)err;
    return WADI_OK;
}

static atomic_bool over;

static void add_and_remove(void *env) {
    for (int i = 0; i < 20000; i++) {
        if (wadi_foreign_add("first", does_nothing, NULL, NULL) != WADI_OK) *(bool *)env = false;
        wadi_foreign_remove("first");
    }
    atomic_store(&over, true);
}

/* Runs look names up while the host program adds and removes others: a sanitizer sees whether what they compare is still there. */
static void names_come_and_go_beside_calls(void **state) {
    (void)state;
    wadi_thread thread = {0};
    bool fine = true;
    double x = 0;
    const wadi_call c = one_dimension("second", 1, 1, &x, &x);
    assert_int_equal(wadi_foreign_add("first", does_nothing, NULL, NULL), WADI_OK);
    assert_int_equal(wadi_foreign_add("second", does_nothing, NULL, NULL), WADI_OK);
    wadi_foreign_remove("first");
    assert_int_equal(wadi_thread_start(&thread, add_and_remove, &fine, NULL), WADI_OK);
    while (!atomic_load(&over)) assert_true(wadi_foreign_run(&c, NULL));
    wadi_thread_join(&thread);
    assert_true(fine);
    assert_false(wadi_foreign_has("first"));
    wadi_foreign_remove("second");
}

typedef struct holder {
    arrays *a;
    wadi_mutex lock;
    wadi_condition changed;
    int step; /* 1: the plan is held, 2: it is to be used again */
    bool fine;
} holder;

static void hold_a_plan(void *env) {
    holder *h = env;
    const wadi_call c = one_dimension("fft", 30, 20, h->a->in, h->a->out);
    h->fine = wadi_foreign_run(&c, NULL);
    wadi_mutex_lock(&h->lock);
    h->step = 1;
    wadi_condition_signal(&h->changed);
    while (h->step == 1) wadi_condition_wait(&h->changed, &h->lock);
    wadi_mutex_unlock(&h->lock);
    memset(h->a->out, 0, sizeof h->a->out);
    h->fine = h->fine && wadi_foreign_run(&c, NULL);
}

/* However many others there are meanwhile. */
static void a_plan_that_a_thread_holds_stays(void **state) {
    (void)state;
    need_library();
    wadi_thread thread = {0};
    arrays *a = make();
    holder h = {.a = make()};
    wadi_foreign_forget();
    assert_int_equal(wadi_mutex_init(&h.lock, NULL), WADI_OK);
    assert_int_equal(wadi_condition_init(&h.changed, NULL), WADI_OK);
    assert_int_equal(wadi_thread_start(&thread, hold_a_plan, &h, NULL), WADI_OK);
    wadi_mutex_lock(&h.lock);
    while (h.step == 0) wadi_condition_wait(&h.changed, &h.lock);
    wadi_mutex_unlock(&h.lock);
    for (int64_t n = 31; n <= 1200; n++) {
        const wadi_call c = one_dimension("fft", n, 1, a->in, a->out);
        assert_true(wadi_foreign_run(&c, NULL));
    }
    wadi_mutex_lock(&h.lock);
    h.step = 2;
    wadi_condition_signal(&h.changed);
    wadi_mutex_unlock(&h.lock);
    wadi_thread_join(&thread);
    assert_true(h.fine);
    for (int p = 0; p < 20; p++) expect_transform(h.a->in + 60 * p, h.a->out + 60 * p, 30);
    wadi_condition_fini(&h.changed);
    wadi_mutex_fini(&h.lock);
    free(h.a);
    free(a);
}

static void more_plans_than_are_kept(void **state) {
    (void)state;
    need_library();
    arrays *a = make();
    for (int64_t n = 1; n <= 1500; n++) {
        const wadi_call c = one_dimension("fft", n, 1, a->in, a->out);
        assert_true(wadi_foreign_run(&c, NULL));
    }
    expect_transform(a->in, a->out, 1500);
    free(a);
}

/* ---- what is kept ---- */

static void use_much(arrays *a) {
    const wadi_call c = one_dimension("fft", 64, 256, a->in, a->out);
    for (int64_t done = 0; done < (int64_t)3 << 27; done += 256 * 64)
        assert_true(wadi_foreign_run(&c, NULL));
}

/* What has been learnt between two runs shows in neither. */
static void steady_routines_round_alike_before_and_after_learning(void **state) {
    (void)state;
    enum { N = 240, COUNT = 16 };
    need_library();
    arrays *a = make(), *b = make();
    const wadi_call first = one_dimension("fft.steady", N, COUNT, a->in, a->out);
    const wadi_call again = one_dimension("fft.steady", N, COUNT, a->in, b->out);
    const wadi_call other = one_dimension("fft", N, COUNT, a->in, b->out);
    wadi_foreign_forget();
    assert_true(wadi_foreign_run(&first, NULL));
    for (int64_t done = 0; done < (int64_t)3 << 27; done += N * COUNT)
        assert_true(wadi_foreign_run(&other, NULL));
    assert_true(wadi_foreign_run(&again, NULL));
    assert_memory_equal(a->out, b->out, N * COUNT * 2 * sizeof(double));
    expect_transform(a->in, a->out, N);
    free(a);
    free(b);
    wadi_foreign_forget();
}

static void wisdom_is_kept_and_verified(void **state) {
    (void)state;
    need_library();
    char directory[] = "/tmp/wadi_foreign_XXXXXX", path[128];
    arrays *a = make();
    assert_non_null(mkdtemp(directory));
    (void)snprintf(path, sizeof path, "%s/fftw.wisdom", directory);
    wadi_foreign_forget();
    assert_int_equal(wadi_foreign_open(directory, NULL), WADI_OK);
    assert_int_equal(wadi_foreign_save(NULL), WADI_OK);
    assert_false(wadi_file_exists(path)); /* nothing was learnt */
    use_much(a);
    assert_int_equal(wadi_foreign_save(NULL), WADI_OK);
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(wadi_file_read(path, &text, &n, NULL), WADI_OK);
    assert_int_equal(strncmp(text, "wadi wisdom 1 ", 14), 0);

    wadi_foreign_forget();
    assert_int_equal(wadi_foreign_open(directory, NULL), WADI_OK);
    text[n / 2] ^= 1; /* damaged: counts as none */
    assert_int_equal(wadi_file_write(path, text, n, 0600, NULL), WADI_OK);
    wadi_foreign_forget();
    assert_int_equal(wadi_foreign_open(directory, NULL), WADI_OK);
    const wadi_call c = one_dimension("fft", 64, 2, a->in, a->out);
    assert_true(wadi_foreign_run(&c, NULL));
    expect_transform(a->in, a->out, 64);
    free(text);
    free(a);
    wadi_foreign_forget();
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(directory), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_of_any_count),
        cmocka_unit_test(problems_that_lie_apart),
        cmocka_unit_test(memory_that_is_not_aligned),
        cmocka_unit_test(one_input_for_all),
        cmocka_unit_test(there_and_back_in_three_dimensions),
        cmocka_unit_test(what_is_declined),
        cmocka_unit_test(several_threads_make_and_use_plans),
        cmocka_unit_test(names_come_and_go_beside_calls),
        cmocka_unit_test(a_plan_that_a_thread_holds_stays),
        cmocka_unit_test(more_plans_than_are_kept),
        cmocka_unit_test(steady_routines_round_alike_before_and_after_learning),
        cmocka_unit_test(wisdom_is_kept_and_verified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
