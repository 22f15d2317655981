/* Images of kernels in OpenCL C: which are taken, and what is said of those that do not build. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/thread.h"
#include "sched/opencl/image.h"
#include "tests/sched/opencl_bench.h"

static const char kernels[] = "WADI_KERNEL(one) { }\nWADI_KERNEL(two) { }\n";

static wadi_status load(wadi_image image, const char *key, wadi_error *err) {
    wadi_opencl_machine *m = opencl_bench_machine();
    wadi_kernels k = {0};
    const wadi_status status = m->images.load(&m->images, &image, key, &k, err);
    assert_int_equal(status == WADI_OK, k.handle != NULL);
    m->images.unload(&k);
    return status;
}

static wadi_status load_text(const char *text, size_t n, const char *key, wadi_error *err) {
    char copy[4096];
    assert_true(n <= sizeof copy);
    memcpy(copy, text, n);
    return load((wadi_image){copy, n, -1, NULL}, key, err);
}

static void only_the_key_that_was_asked_for_is_taken(void **state) {
    (void)state;
    static const char text[] = "/* wadi_module_key: abc */ __kernel void f(void) { }";
    assert_int_equal(load_text(text, sizeof text, "abc", NULL), WADI_OK);
    assert_int_equal(load_text(text, sizeof text, "abd", NULL), WADI_INVALID);
    assert_int_equal(load_text(text, sizeof text, "ab", NULL), WADI_INVALID);
    assert_int_equal(load_text(text, sizeof text, "abcd", NULL), WADI_INVALID);
    assert_int_equal(load_text(text, sizeof text - 1, "abc", NULL), WADI_INVALID);
    assert_int_equal(load_text("", 1, "abc", NULL), WADI_INVALID);
    assert_int_equal(load_text("", 0, "abc", NULL), WADI_INVALID);
    static const char two[] = "/* wadi_module_key: x */ /* wadi_module_key: abc */";
    assert_int_equal(load_text(two, sizeof two, "abc", NULL), WADI_INVALID);
}

static void what_follows_the_text_is_not_looked_at(void **state) {
    (void)state;
    static const char text[] = "/* wadi_module_key: abc */ __kernel void f(void) { }\0 no C at all";
    assert_int_equal(load_text(text, sizeof text, "abc", NULL), WADI_OK);
}

static void kernels_are_found_by_name(void **state) {
    (void)state;
    wadi_kernels k = opencl_bench_load(opencl_bench_machine(), kernels);
    wadi_code code = {1};
    wadi_error err = {0};
    assert_int_not_equal(opencl_bench_find(&k, "one").handle, opencl_bench_find(&k, "two").handle);
    assert_int_equal(opencl_bench_find(&k, "one").handle, opencl_bench_find(&k, "one").handle);
    assert_int_equal(wadi_opencl_images_ops.find(&k, "three", &code, &err), WADI_IO);
    assert_int_equal(code.handle, 0);
    assert_non_null(strstr(err.msg, "three"));
    assert_non_null(strstr(err.msg, "CL_INVALID_KERNEL_NAME"));
    wadi_opencl_images_ops.unload(&k);
    assert_null(k.handle);
    wadi_opencl_images_ops.unload(&k);
}

/* Of a device without doubles: what needs them is refused by name, and nothing else. */
static void types_that_a_device_lacks_are_named(void **state) {
    (void)state;
    static const char fine[] =
        "/* wadi_module_key: abc */\n/* double */\n#define A(x) as_double(x)\n"
        "typedef int doubles;\n__kernel void f(void) { }\n";
    static const char wide[] = "/* wadi_module_key: abc */\n"
                               "#define WADI_KERNEL(name) __kernel void name(void)\n"
                               "WADI_KERNEL(f) { }\nWADI_KERNEL(g) { double x = 1.0; }\n";
    wadi_opencl_machine narrow = *opencl_bench_machine();
    wadi_kernels k = {0};
    wadi_error err = {0};
    narrow.fp64 = false;
    char copy[512];
    memcpy(copy, fine, sizeof fine);
    const wadi_image a = {copy, sizeof fine, -1, NULL};
    assert_int_equal(narrow.images.load(&narrow.images, &a, "abc", &k, NULL), WADI_OK);
    narrow.images.unload(&k);
    memcpy(copy, wide, sizeof wide);
    const wadi_image b = {copy, sizeof wide, -1, NULL};
    assert_int_equal(narrow.images.load(&narrow.images, &b, "abc", &k, &err), WADI_UNSUPPORTED);
    assert_non_null(
        strstr(err.msg, "has no double precision, and the program needs it: f64, at kernel g"));
    assert_int_equal(load(b, "abc", NULL), WADI_OK);
}

static void what_does_not_build_says_why(void **state) {
    (void)state;
    static const char text[] =
        "/* wadi_module_key: abc */\n__kernel void f(void) { int x = not_there; }\n";
    wadi_error err = {0};
    assert_int_equal(load_text(text, sizeof text, "abc", &err), WADI_COMPILE);
    assert_non_null(strstr(err.msg, opencl_bench_machine()->name));
    assert_non_null(strstr(err.msg, opencl_bench_machine()->product));
    assert_non_null(strstr(err.msg, "not_there"));
    assert_null(strchr(err.msg, '\n'));
}

static void a_long_log_is_cut(void **state) {
    (void)state;
    char text[4096] = "/* wadi_module_key: abc */\n";
    wadi_error err = {0};
    for (int i = 0; i < 40; i++) {
        const size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "int a_name_that_is_rather_long_%d = no_such_%d;\n", i,
                 i);
    }
    assert_int_equal(load_text(text, strlen(text) + 1, "abc", &err), WADI_COMPILE);
    assert_non_null(strstr(err.msg, "no_such_0"));
    assert_true(strlen(err.msg) < sizeof err.msg - 1);
}

typedef struct loader {
    char text[256];
    int wrong;
} loader;

static void load_some(void *env) {
    loader *l = env;
    wadi_opencl_machine *m = opencl_bench_machine();
    for (int i = 0; i < 3; i++) {
        const wadi_image image = {l->text, strlen(l->text) + 1, -1, NULL};
        wadi_kernels k = {0};
        wadi_code code = {0};
        l->wrong += m->images.load(&m->images, &image, "abc", &k, NULL) != WADI_OK;
        l->wrong += m->images.find(&k, "mine", &code, NULL) != WADI_OK;
        m->images.unload(&k);
    }
}

static void threads_load_side_by_side(void **state) {
    (void)state;
    enum { THREADS = 4 };
    static loader loaders[THREADS];
    wadi_thread threads[THREADS] = {0};
    for (int i = 0; i < THREADS; i++) {
        snprintf(loaders[i].text, sizeof loaders[i].text,
                 "/* wadi_module_key: abc */\n__kernel void mine(__global int *p) { *p = %d; }", i);
        assert_int_equal(wadi_thread_start(&threads[i], load_some, &loaders[i], NULL), WADI_OK);
    }
    for (int i = 0; i < THREADS; i++) wadi_thread_join(&threads[i]);
    for (int i = 0; i < THREADS; i++) assert_int_equal(loaders[i].wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_key_that_was_asked_for_is_taken),
        cmocka_unit_test(what_follows_the_text_is_not_looked_at),
        cmocka_unit_test(kernels_are_found_by_name),
        cmocka_unit_test(types_that_a_device_lacks_are_named),
        cmocka_unit_test(what_does_not_build_says_why),
        cmocka_unit_test(a_long_log_is_cut),
        cmocka_unit_test(threads_load_side_by_side),
    };
    if (opencl_bench_machine() == NULL) return 77;
    return cmocka_run_group_tests_name("opencl_image", tests, NULL, NULL);
}
