/* Targets: which ones exist, and that kernels for all of them compute the same bits. */
#include "codegen/targets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "codegen/build/cache.h"
#include "sched/cpu/image.h"

static void the_default_is_the_environments_or_native(void **state) {
    WADI_UNUSED(state);
    const wadi_target *t = NULL;
    assert_int_equal(unsetenv("WADI_TARGET"), 0);
    assert_int_equal(wadi_target_find(NULL, &t, NULL), WADI_OK);
    assert_string_equal(t->name, "native");
    assert_int_equal(setenv("WADI_TARGET", wadi_targets[1].name, 1), 0);
    assert_int_equal(wadi_target_find(NULL, &t, NULL), WADI_OK);
    assert_ptr_equal(t, &wadi_targets[1]);
    assert_int_equal(wadi_target_find("", &t, NULL), WADI_OK); /* as if nothing was said */
    assert_ptr_equal(t, &wadi_targets[0]);
    assert_int_equal(setenv("WADI_TARGET", "", 1), 0);
    assert_int_equal(wadi_target_find(NULL, &t, NULL), WADI_OK);
    assert_ptr_equal(t, &wadi_targets[0]);
    assert_int_equal(wadi_target_find("native", &t, NULL), WADI_OK);
    assert_ptr_equal(t, &wadi_targets[0]);
    assert_int_equal(unsetenv("WADI_TARGET"), 0);
}

static void a_wrong_name_is_an_error_that_lists(void **state) {
    WADI_UNUSED(state);
    const wadi_target *t = NULL;
    wadi_error err = {0};
    assert_int_equal(wadi_target_find("pdp-11", &t, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "pdp-11"));
    for (const wadi_target *known = wadi_targets; known->name != NULL; known++)
        assert_non_null(strstr(err.msg, known->name));
    assert_int_equal(setenv("WADI_TARGET", "pdp-11", 1), 0);
    assert_int_equal(wadi_target_find(NULL, &t, &err), WADI_INVALID);
    assert_int_equal(unsetenv("WADI_TARGET"), 0);
}

static void the_option_sets_the_default(void **state) {
    WADI_UNUSED(state);
    const wadi_target *t = NULL;
    assert_int_equal(wadi_target_take(NULL, "pdp-11", NULL), WADI_INVALID);
    assert_null(getenv("WADI_TARGET"));
    assert_int_equal(wadi_target_take(NULL, wadi_targets[1].name, NULL), WADI_OK);
    assert_int_equal(wadi_target_find(NULL, &t, NULL), WADI_OK);
    assert_ptr_equal(t, &wadi_targets[1]);
    assert_int_equal(wadi_target_take(NULL, "native", NULL),
                     WADI_OK); /* over what was said before */
    assert_string_equal(getenv("WADI_TARGET"), "native");
    assert_int_equal(unsetenv("WADI_TARGET"), 0);
}

/* Products and sums that a fused multiply-add would round otherwise. */
static const char source[] = "void sums(const double *a, const double *b, double *out, long n) {\n"
                             "    for (long i = 0; i < n; i++) out[i] = a[i] * b[i] + out[i];\n"
                             "}\n";

enum { N = 1000 };

static void run(const wadi_target *t, double *out) {
    wadi_kernels module;
    wadi_code fn = {0};
    double a[N], b[N];
    for (int i = 0; i < N; i++) {
        a[i] = 1.0 + 1e-9 * i;
        b[i] = 1.0 / (i + 3);
        out[i] = -a[i] / (i + 3);
    }
    wadi_cache_report report;
    wadi_error err = {0};
    if (wadi_cache_load(source, t, false, &wadi_cpu_images, &module, &report, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(wadi_cpu_images.find(&module, "sums", &fn, NULL), WADI_OK);
    ((void (*)(const double *, const double *, double *, long))fn.handle)(a, b, out, N);
    wadi_cpu_images.unload(&module);
}

static void every_target_this_processor_runs_gives_the_same_bits(void **state) {
    WADI_UNUSED(state);
    static double first[N], other[N];
    run(&wadi_targets[0], first);
    for (const wadi_target *t = wadi_targets + 1; t->name != NULL; t++) {
        const wadi_target *found = NULL;
        if (t->language != &wadi_language_c) continue;
        if (wadi_target_find(t->name, &found, NULL) != WADI_OK) continue;
        run(t, other);
        assert_memory_equal(first, other, sizeof first);
    }
}

/* The cache tells targets apart: an entry of one is none of another. */
static void targets_have_entries_of_their_own(void **state) {
    WADI_UNUSED(state);
    static const char text[] = "int level(void) { return 1; }\n";
    wadi_cache_report one = {0}, two = {0};
    wadi_kernels module;
    assert_int_equal(
        wadi_cache_load(text, &wadi_targets[0], false, &wadi_cpu_images, &module, &one, NULL),
        WADI_OK);
    wadi_cpu_images.unload(&module);
    assert_int_equal(
        wadi_cache_load(text, &wadi_targets[1], false, &wadi_cpu_images, &module, &two, NULL),
        WADI_OK);
    wadi_cpu_images.unload(&module);
    assert_true(strcmp(one.path, two.path) != 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_is_the_environments_or_native),
        cmocka_unit_test(a_wrong_name_is_an_error_that_lists),
        cmocka_unit_test(the_option_sets_the_default),
        cmocka_unit_test(every_target_this_processor_runs_gives_the_same_bits),
        cmocka_unit_test(targets_have_entries_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
