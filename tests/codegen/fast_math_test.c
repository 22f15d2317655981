/* Fast math: what is asked for is told apart from the default everywhere, changes bits where it may, and leaves NaN and infinities. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/nvrtc.h"
#include "codegen/build/cache.h"
#include "codegen/build/cc.h"
#include "codegen/fast_math.h"
#include "codegen/targets.h"
#include "sched/cpu/image.h"

static bool has(const char *const *list, const char *word) {
    while (*list != NULL && strcmp(*list, word) != 0) list++;
    return *list != NULL;
}

static void the_default_gives_nothing_up(void **state) {
    WADI_UNUSED(state);
    static const char *const loose[] = {
        "fast",   "reciprocal", "signed-zeros",   "associative",     "finite",
        "unsafe", "fmad=true",  "prec-div=false", "prec-sqrt=false", "ftz=true"};
    for (size_t i = 0; i < sizeof loose / sizeof *loose; i++) {
        for (const char *const *f = wadi_cc_flags(false); *f; f++)
            assert_null(strstr(*f, loose[i]));
        for (const char *const *f = wadi_nvrtc_options(false); *f; f++)
            assert_null(strstr(*f, loose[i]));
    }
    assert_true(has(wadi_cc_flags(false), "-ffp-contract=off"));
    assert_true(has(wadi_nvrtc_options(false), "--fmad=false"));
}

/* Without these, isnan would be false, and sums would have other orders. */
static void fast_math_keeps_nan_and_the_order_of_sums(void **state) {
    WADI_UNUSED(state);
    static const char *const wrong[] = {"-ffast-math", "finite", "associative", "unsafe",
                                        "use_fast_math"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        for (const char *const *f = wadi_cc_flags(true); *f; f++) assert_null(strstr(*f, wrong[i]));
        for (const char *const *f = wadi_nvrtc_options(true); *f; f++)
            assert_null(strstr(*f, wrong[i]));
    }
    assert_true(has(wadi_cc_flags(true), "-ffp-contract=fast"));
    assert_true(has(wadi_nvrtc_options(true), "--fmad=true"));
}

static void the_flag_sets_the_default(void **state) {
    WADI_UNUSED(state);
    assert_int_equal(unsetenv("WADI_FAST_MATH"), 0);
    assert_false(wadi_fast_math_is_asked());
    assert_int_equal(setenv("WADI_FAST_MATH", "off", 1), 0);
    assert_false(wadi_fast_math_is_asked());
    assert_int_equal(wadi_fast_math_take(NULL, NULL, NULL), WADI_OK);
    assert_true(wadi_fast_math_is_asked());
    assert_int_equal(unsetenv("WADI_FAST_MATH"), 0);
}

/* joins: whether the processor has an instruction for a product and a sum. */
static const char source[] =
    "double joined(double a, double b, double c) { return a * b + c; }\n"
    "double what(double a, double b, double c) { return a != a ? b : a - a == 0 ? c : 7; }\n"
    "#ifdef __FP_FAST_FMA\n"
    "double joins(double a, double b, double c) { return 1; }\n"
    "#else\n"
    "double joins(double a, double b, double c) { return 0; }\n"
    "#endif\n";

typedef double (*of_three)(double, double, double);

typedef struct kernels {
    wadi_kernels module;
    wadi_cache_report report;
} kernels;

static kernels load(bool fast) {
    kernels k = {0};
    wadi_error err = {0};
    if (wadi_cache_load(source, wadi_targets, fast, &wadi_cpu_images, &k.module, &k.report, &err) !=
        WADI_OK)
        fail_msg("%s", err.msg);
    return k;
}

static double call(const kernels *k, const char *name, double a, double b, double c) {
    wadi_code code = {0};
    assert_int_equal(wadi_cpu_images.find(&k->module, name, &code, NULL), WADI_OK);
    return ((of_three)code.handle)(a, b, c);
}

static void kernels_of_both_kinds_live_side_by_side(void **state) {
    WADI_UNUSED(state);
    const double a = 1 + 0x1p-30;
    assert_int_equal(unsetenv("WADI_CC"), 0); /* one that optimises */
    kernels exact = load(false), fast = load(true);
    assert_string_not_equal(exact.report.path, fast.report.path);
    assert_true(call(&exact, "joined", a, a, -1) == 0x1p-29);
    const double want = call(&fast, "joins", 0, 0, 0) != 0 ? 0x1p-29 + 0x1p-60 : 0x1p-29;
    assert_true(call(&fast, "joined", a, a, -1) == want);
    assert_true(call(&fast, "what", (double)NAN, 1, 2) == 1);
    assert_true(call(&fast, "what", 5, 1, 2) == 2);
    assert_true(call(&fast, "what", (double)INFINITY, 1, 2) == 7);
    wadi_cpu_images.unload(&exact.module);
    wadi_cpu_images.unload(&fast.module);
    wadi_cache_forget(source, wadi_targets, true, &wadi_cpu_images);
    assert_true(wadi_cache_find(source, wadi_targets, false, &wadi_cpu_images, &exact.module));
    wadi_cpu_images.unload(&exact.module);
    assert_false(wadi_cache_find(source, wadi_targets, true, &wadi_cpu_images, &fast.module));
}

/* The driver builds it: its first line says how (sched/opencl/image.c). */
static void a_text_for_opencl_begins_with_it(void **state) {
    WADI_UNUSED(state);
    const wadi_language *l = &wadi_language_opencl;
    for (int fast = 0; fast < 2; fast++) {
        const wadi_image_builder b = {.fast = fast == 1};
        wadi_image image;
        assert_int_equal(l->build(&b, "int x;\n", "key", "", false, &image, NULL), WADI_OK);
        const bool begins = strncmp(image.bytes, "#define WADI_FAST_MATH\n", 23) == 0;
        assert_int_equal(begins, fast);
        assert_non_null(strstr(image.bytes, "int x;\n"));
        free(image.bytes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_gives_nothing_up),
        cmocka_unit_test(fast_math_keeps_nan_and_the_order_of_sums),
        cmocka_unit_test(the_flag_sets_the_default),
        cmocka_unit_test(kernels_of_both_kinds_live_side_by_side),
        cmocka_unit_test(a_text_for_opencl_begins_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
