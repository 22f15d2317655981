/* The texts that are pasted into kernels of devices with groups of lanes: compilers take them, and the numbers in them are those of
 * the runtime. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sched/gpu/rt/call.h"
#include "sched/gpu/rt_embed.h"
#include "sched/kernel.h"

static const char kernel[] =
    "WADI_KERNEL(all) {\n"
    "    WADI_ITEM\n"
    "    const int64_t extent[] = {3, 4};\n"
    "    uint64_t column[WADI_GPU_FIELDS];\n"
    "    WADI_LOCAL int failed;\n"
    "    if (w->lane == 0) failed = 0;\n"
    "    WADI_BARRIER\n"
    "    const uint64_t at = wadi_scratch_of(w, 1, 4, 2, extent);\n"
    "    if (!wadi_emit(w, 1, 2, 3, extent, column)) return;\n"
    "    WADI_AT(w, int64_t, at)[0] = wadi_segment(w, w->call->first);\n"
    "    if (wadi_cas64(WADI_AT(w, uint64_t, at), 1, UINT64_MAX) != 0) failed = 1;\n"
    "    if (wadi_add32(WADI_AT(w, uint32_t, at), 1) != 0) failed = 1;\n"
    "    WADI_BARRIER\n"
    "    if (failed)\n"
    "        (void)wadi_fault_at(w, WADI_FAULT_INDEX, 1, INT64_MIN, 3, 4, 5, 6, 7, 2, extent);\n"
    "}\n";

/* What CUDA has and C++ has not. */
static const char cuda[] = "#define __device__\n#define __global__\n#define __shared__ static\n"
                           "#define __forceinline__ inline\n#define __noinline__\n"
                           "#define __launch_bounds__(n)\n"
                           "static struct { unsigned x; } threadIdx, blockIdx, gridDim;\n"
                           "void __syncthreads(void);\nvoid __threadfence(void);\n"
                           "template <class T> T atomicCAS(T *p, T old, T desired);\n"
                           "template <class T> T atomicAdd(T *p, T v);\n";

static bool has(const char *program) {
    char line[200];
    snprintf(line, sizeof line, "command -v %s >/dev/null", program);
    return system(line) == 0;
}

/* Whether the compiler takes the texts, one behind the other. */
static void compiles(const char *command, const char *const *texts) {
    char path[] = "/tmp/wadi_device_c_XXXXXX", line[300];
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    assert_non_null(f);
    for (; *texts != NULL; texts++) assert_true(fputs(*texts, f) >= 0);
    assert_int_equal(fclose(f), 0);
    snprintf(line, sizeof line, "%s %s", command, path);
    const int failed = system(line);
    remove(path);
    assert_int_equal(failed, 0);
}

static void opencl_takes_it(void **state) {
    WADI_UNUSED(state);
    const char *const texts[] = {wadi_embed_opencl, wadi_embed_call, wadi_embed_item, kernel, NULL};
    if (!has("clang")) {
        print_message("no clang: not compiled\n");
        skip();
    }
    compiles("clang -target spir64 -x cl -cl-std=CL1.2 -Xclang -finclude-default-header "
             "-fsyntax-only -Wall -Wextra -Werror -Wno-unused-function",
             texts);
}

static void cuda_takes_it(void **state) {
    WADI_UNUSED(state);
    const char *const texts[] = {cuda, wadi_embed_cuda, wadi_embed_call, wadi_embed_item, kernel,
                                 NULL};
    if (!has("c++")) {
        print_message("no c++: not compiled\n");
        skip();
    }
    compiles("c++ -x c++ -std=c++17 -fsyntax-only -Wall -Wextra -Werror -Wno-unused-function "
             "-Wno-undefined-internal -Wno-unused-variable",
             texts);
}

static void kinds_of_faults_are_the_runtimes(void **state) {
    WADI_UNUSED(state);
#define KIND(name) \
    { #name, name }
    static const struct {
        const char *name;
        int number;
    } kinds[] = {KIND(WADI_FAULT_NONE),    KIND(WADI_FAULT_INDEX),    KIND(WADI_FAULT_DIVISION),
                 KIND(WADI_FAULT_SHAPE),   KIND(WADI_FAULT_EMPTY),    KIND(WADI_FAULT_EXTENT),
                 KIND(WADI_FAULT_SEGMENT), KIND(WADI_FAULT_MEMORY),   KIND(WADI_FAULT_DECLINED),
                 KIND(WADI_FAULT_COUNT),   KIND(WADI_FAULT_CANCELLED)};
#undef KIND
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char line[80];
        snprintf(line, sizeof line, "%s = %d", kinds[i].name, kinds[i].number);
        const char *at = strstr(wadi_embed_item, line);
        if (at == NULL) fail_msg("no \"%s\"", line);
        const char behind = at[strlen(line)];
        assert_true(behind == ',' || behind == '\n');
    }
    assert_int_equal(sizeof kinds / sizeof *kinds, WADI_FAULT_CANCELLED + 1);
}

static void limits_are_those_of_kernels(void **state) {
    WADI_UNUSED(state);
    assert_int_equal(WADI_GPU_FIELDS, WADI_KERNEL_FIELDS);
    assert_int_equal(WADI_GPU_RANK, WADI_CALL_RANK);
    assert_int_equal(WADI_GPU_FAULT_VALUES, WADI_FAULT_VALUES);
    assert_int_equal(sizeof(wadi_gpu_fault), sizeof(wadi_fault));
    assert_int_equal(offsetof(wadi_gpu_fault, index), offsetof(wadi_fault, index));
    assert_int_equal(sizeof(wadi_gpu_slot), sizeof(wadi_slot));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(opencl_takes_it),
                                       cmocka_unit_test(cuda_takes_it),
                                       cmocka_unit_test(kinds_of_faults_are_the_runtimes),
                                       cmocka_unit_test(limits_are_those_of_kernels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
