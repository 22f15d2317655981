/* NVIDIA's own compiler, where it is installed (WADI_NVRTC names it elsewhere): it takes what wadi has in CUDA C, for machines of several
 * ages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/nvrtc.h"
#include "base/text.h"
#include "sched/gpu/rt_embed.h"
#include "tests/devices/scalar_runs.h"

static const char *const machines[] = {"sm_80", "sm_90", "sm_120", "sm_999"};
enum { MACHINES = sizeof machines / sizeof machines[0] };

/* What it is compiled to for each machine; the caller frees it. */
static char *compile(const char *text, const char *machine, bool fast, size_t *n) {
    wadi_error err = {0};
    char *bytes = NULL;
    if (wadi_nvrtc_compile(text, machine, fast, &bytes, n, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    return bytes;
}

static void takes(const char *kernels) {
    wadi_text t = {0};
    wadi_text_add(&t, wadi_embed_cuda);
    wadi_text_add(&t, wadi_embed_call);
    wadi_text_add(&t, wadi_embed_item);
    wadi_text_add(&t, kernels);
    for (int i = 0; i < MACHINES; i++) {
        size_t n = 0;
        char *bytes = compile(wadi_text_str(&t), machines[i], false, &n);
        assert_true(n > 64);
        if (memcmp(bytes,
                   "\x7f"
                   "ELF",
                   4) != 0) {
            assert_non_null(strstr(bytes, "\n.version "));
            assert_int_equal(bytes[n - 1], '\0');
        }
        free(bytes);
    }
    wadi_text_fini(&t);
}

static void what_kernels_call(void **state) {
    (void)state;
    takes("WADI_KERNEL(all) {\n"
          "    WADI_ITEM\n"
          "    WADI_LOCAL int64_t shared[64];\n"
          "    int64_t extent[2] = {call.n, 3};\n"
          "    uint64_t column[2];\n"
          "    shared[w->lane] = wadi_segment(w, w->item);\n"
          "    WADI_BARRIER\n"
          "    const uint64_t at = wadi_scratch_of(w, 1, 8, 2, extent);\n"
          "    if (at == 0) return;\n"
          "    WADI_AT(w, int64_t, at)[0] = shared[63 - w->lane];\n"
          "    if (!wadi_emit(w, 1, 0, 0, extent, column)) return;\n"
          "    (void)wadi_cas32(WADI_AT(w, uint32_t, column[0]), 1, 2);\n"
          "    (void)wadi_cas64(WADI_AT(w, uint64_t, column[1]), 1, 2);\n"
          "    (void)wadi_add32(WADI_AT(w, uint32_t, column[0]), 1);\n"
          "    (void)wadi_add64(WADI_AT(w, uint64_t, column[1]), 1);\n"
          "}\n");
}

static void every_scalar_operation(void **state) {
    (void)state;
    for (int t = 0; t < WADI_TYPE_COUNT; t++) {
        scalar_cases c;
        size_t n = 0;
        scalar_cases_init(&c, (wadi_type)t);
        scalar_cases_fill(&c);
        char *text = scalar_runs_text(&c, &scalar_runs_cuda_c);
        free(compile(text, t % 2 == 0 ? "sm_80" : "sm_90", false, &n));
        assert_true(n > 64);
        free(text);
        scalar_cases_fini(&c);
    }
}

static void a_mistake_is_told(void **state) {
    (void)state;
    wadi_error err = {0};
    char *bytes = NULL;
    size_t n = 0;
    assert_int_equal(
        wadi_nvrtc_compile("int f() { return nothing; }", "sm_80", false, &bytes, &n, &err),
        WADI_COMPILE);
    assert_non_null(strstr(err.msg, "nothing"));
    assert_non_null(strstr(err.msg, "sm_80"));
    assert_null(bytes);
}

static const char arithmetic[] = "extern \"C\" __global__ void f(float *a, double *b) {\n"
                                 "    a[0] = a[1] * a[2] + a[3];\n"
                                 "    b[0] = b[1] * b[2] + b[3];\n"
                                 "    a[4] = a[5] / a[6];\n"
                                 "    a[7] = sqrtf(a[8]);\n"
                                 "}\n";
/* No multiplication is joined to an addition, and quotients and roots are rounded correctly. */
static void floats_keep_their_bits(void **state) {
    (void)state;
    size_t n = 0;
    char *ptx = compile(arithmetic, "sm_999", false, &n);
    assert_non_null(strstr(ptx, "mul.rn.f32"));
    assert_non_null(strstr(ptx, "mul.rn.f64"));
    assert_non_null(strstr(ptx, "div.rn.f32"));
    assert_non_null(strstr(ptx, "sqrt.rn.f32"));
    assert_null(strstr(ptx, "fma"));
    assert_null(strstr(ptx, ".ftz"));
    free(ptx);
}

static void fast_math_does_what_it_says(void **state) {
    (void)state;
    size_t n = 0;
    char *ptx = compile(arithmetic, "sm_999", true, &n);
    assert_non_null(strstr(ptx, "fma.rn.ftz.f32"));
    assert_non_null(strstr(ptx, "fma.rn.f64"));
    assert_non_null(strstr(ptx, "div.full.ftz.f32"));
    assert_non_null(strstr(ptx, "sqrt.approx.ftz.f32"));
    free(ptx);
}

int main(void) {
    wadi_nvrtc_about about = {0};
    wadi_error err = {0};
    if (wadi_nvrtc_find(&about, &err) != WADI_OK) {
        fprintf(stderr, "skipped: %s\n", err.msg);
        return 77;
    }
    printf("%s, %s\n", about.path, about.stamp);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_kernels_call),           cmocka_unit_test(every_scalar_operation),
        cmocka_unit_test(a_mistake_is_told),           cmocka_unit_test(floats_keep_their_bits),
        cmocka_unit_test(fast_math_does_what_it_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
