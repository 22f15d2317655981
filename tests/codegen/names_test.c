/* A user may give arrays any name, also one that a language of kernels has taken: compilers take the kernels all the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "codegen/pipeline.h"
#include "codegen/plan/plan.h"
#include "codegen/targets.h"
#include "operators/table.h"

static const char *const names[] = {
    /* C, GNU C and the headers in front of kernels; of the second, what kernels share has the names */
    "auto", "of", "break", "case", "char", "const", "continue", "default", "double", "enum",
    "extern", "float", "for", "goto", "inline", "int", "long", "register", "restrict", "return",
    "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned",
    "void", "volatile", "_Alignas", "_Alignof", "_Atomic", "_Bool", "_Complex", "_Generic",
    "_Imaginary", "_Noreturn", "_Static_assert", "_Thread_local", "__asm__", "__attribute__",
    "__func__", "__FILE__", "__inline", "asm", "typeof", "bool", "linux", "unix", "i386", "NULL",
    "NAN", "INFINITY", "I", "E", "M_PI", "INT8_MIN", "INT32_MIN", "INT64_MIN", "INT64_MAX",
    "UINT64_MAX", "SIZE_MAX", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t",
    "uint32_t", "uint64_t", "size_t", "ptrdiff_t", "intptr_t", "memcpy", "memset", "fabs", "sqrtf",
    "signbit", "y0", "y1", "jn", "gamma", "signgam", "errno", "assert", "offsetof", "main", "nan",
    /* OpenCL C */
    "kernel", "global", "local", "constant", "private", "generic", "pipe", "half", "quad",
    "uniform", "imaginary", "uchar", "ushort", "uint", "ulong", "event_t", "sampler_t", "queue_t",
    "read_only", "write_only", "read_write", "float4", "double2", "half8", "uint16", "long3",
    "image2d_t", "barrier", "mem_fence", "atomic_add", "select", "dot", "mix", "step", "any", "all",
    "get_global_id", "as_float", "as_int", "convert_int", "vec_step", "__global", "__kernel",
    "CLK_LOCAL_MEM_FENCE", "MAXFLOAT", "cl_khr_fp64", "__OPENCL_VERSION__",
    /* CUDA C++ */
    "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "dim3", "float3", "int2",
    "longlong4", "ulonglong2", "atomicAdd", "atomicCAS", "__syncthreads", "__shared__", "template",
    "class", "namespace", "new", "delete", "this", "catch", "try", "throw", "virtual", "public",
    "protected", "operator", "friend", "explicit", "mutable", "typename", "using", "export",
    "typeid", "dynamic_cast", "const_cast", "static_cast", "constexpr", "consteval", "constinit",
    "decltype", "noexcept", "nullptr", "static_assert", "thread_local", "alignas", "alignof",
    "wchar_t", "char8_t", "char16_t", "char32_t", "concept", "requires", "co_await", "co_return",
    "bitand", "bitor", "compl", "and_eq", "or_eq", "xor_eq", "not_eq", "final", "override", "std",
    "rsqrt", "warpsize",
    /* ours */
    "w", "slot", "begin", "end", "heap", "call", "item_of_kernel", "unit", "turn", "shape_x",
    "columns_x", "wadi_x", "wadi_item", "wadi_failed", "WADI_X", "WADI_ITEM", "x", "i", "k", "n",
    "p", "s", "to", "old", "mark", "scratch", "start", "stride", "units", "from_i", "below_i",
    "blk", "carry", "run", "local_", "x_2", "k_3"};

/* Each name is that of an array, read where it stands and, through the group or lane by lane, summed. */
static char *program(void) {
    wadi_text t = {0};
    wadi_text_add(&t, "program words\n\nwhich = input \"which\" : i64[m]\n");
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const char *n = names[k];
        wadi_text_addf(&t, "%s = input \"%s\" : f64[n]\n", n, n);
        wadi_text_addf(&t, "picked_%s = gather which %s : f64[?]\noutput picked_%s\n", n, n, n);
        wadi_text_addf(&t, "sums_%s = scanl 0.0 %s (a, b) { add a b } : f64[?]\noutput sums_%s\n",
                       n, n, n);
    }
    char *text = wadi_text_take(&t);
    assert_non_null(text);
    return text;
}

typedef struct compiling {
    wadi_module *m;
    wadi_facts facts;
    wadi_diag *diag;
    wadi_plan *plan;
    wadi_versions *versions;
    char *text;
} compiling;

static void compile_text(compiling *c, char *text) {
    wadi_pipeline_options passes = {.routine = NULL};
    wadi_plan_options planning = {.unchecked = false};
    wadi_error err = {.status = WADI_OK};
    *c = (compiling){.text = text, .diag = wadi_diag_create(false)};
    if (wadi_ir_parse(c->text, "words", wadi_operators(), &c->m, &err) != WADI_OK ||
        wadi_pipeline_run(c->m, &passes, c->diag, &c->facts, &err) != WADI_OK ||
        wadi_plan_build(c->m, &c->facts, &planning, &c->plan, &c->versions, &err) != WADI_OK)
        fail_msg("%s", err.msg);
}

static void discard_text(compiling *c) {
    wadi_versions_destroy(c->versions);
    wadi_plan_destroy(c->plan);
    wadi_facts_fini(&c->facts);
    wadi_diag_destroy(c->diag);
    wadi_module_destroy(c->m);
    free(c->text);
}

static int compile(void **state) {
    static compiling c;
    compile_text(&c, program());
    *state = &c;
    return 0;
}

static int discard(void **state) {
    discard_text(*state);
    return 0;
}

static void takes(const char *compiler, const char *head, const char *source) {
    char path[] = "/tmp/wadi_names_XXXXXX", line[500];
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    assert_non_null(f);
    assert_true(fputs(head, f) >= 0 && fputs(source, f) >= 0);
    assert_int_equal(fclose(f), 0);
    snprintf(line, sizeof line, "%s %s 2>%s.log || { grep error %s.log | head -20; false; }",
             compiler, path, path, path);
    const int failed = system(line);
    remove(path);
    snprintf(line, sizeof line, "%s.log", path);
    remove(line);
    assert_int_equal(failed, 0);
}

/* All versions of all bodies. */
static void takes_all(const compiling *c, const wadi_target *target, const char *program_name,
                      const char *compiler, const char *head) {
    char line[200];
    int texts = 0;
    snprintf(line, sizeof line, "command -v %s >/dev/null", program_name);
    if (system(line) != 0) {
        print_message("no %s: not compiled\n", program_name);
        skip();
    }
    for (int b = 0; b < c->plan->nbodies; b++)
        for (int k = 0; k < WADI_BODY_VERSIONS; k++) {
            const wadi_version_key version = wadi_version_numbered(k);
            wadi_made *made = NULL;
            wadi_error err = {.status = WADI_OK};
            if (!wadi_body_offers(&c->plan->bodies[b], version)) continue;
            if (wadi_versions_make(c->versions, b, version, target, &made, &err) != WADI_OK)
                fail_msg("%s", err.msg);
            takes(compiler, head, made->source);
            wadi_made_destroy(made);
            texts++;
        }
    assert_true(texts >= 2);
}

static void c_takes_them(void **state) {
    takes_all(*state, &wadi_targets[0], "cc", "cc -x c -std=gnu11 -fsyntax-only", "");
}

/* Arrays with the names of what a loop, a call or a kernel has beside them, where both are used. */
static char *beside(void) {
    wadi_text t = {0};
    wadi_text_add(&t, "program beside\n"
                      "from_i = input \"from_i\" : f64[n]\nfrom_s = input \"from_s\" : f64[n]\n"
                      "below_i = input \"below_i\" : i64[m]\n"
                      "stream_0_inside_00_d = input \"i\" : i32[k]\n"
                      "s = stream_in \"s\" : seq(f64[?])\n"
                      "y = gather stream_0_inside_00_d from_i\n"
                      "a = fold_seg 0.0 below_i y (a, b) { add a b }\noutput a\n"
                      "r = map_seq s (row) {\n    call_0 = sort row\n");
    for (int k = 1; k < 40; k++)
        wadi_text_addf(&t, "    call_%d = scanl1 call_%d (a, b) { add a b }\n", k, k - 1);
    wadi_text_add(&t, "    d = concat dim=0 call_39 from_s\n    yield d\n}\n"
                      "stream_out \"out\" r\n");
    char *text = wadi_text_take(&t);
    assert_non_null(text);
    return text;
}

static void bounds_and_calls_do_not_take_them(void **state) {
    compiling c;
    (void)state;
    compile_text(&c, beside());
    takes_all(&c, &wadi_targets[0], "cc", "cc -x c -std=gnu11 -fsyntax-only -Werror=int-conversion",
              "");
    discard_text(&c);
}

static void opencl_takes_them(void **state) {
    const wadi_target *target = NULL;
    assert_int_equal(wadi_target_find("opencl", &target, NULL), WADI_OK);
    takes_all(*state, target, "clang",
              "clang -target spir64 -x cl -cl-std=CL1.2 -Xclang -finclude-default-header "
              "-fsyntax-only -Werror=implicit-function-declaration -ferror-limit=0",
              "");
}

/* What CUDA has and C++ has not. */
static const char cuda[] = "#define __device__\n#define __global__\n#define __shared__ static\n"
                           "#define __forceinline__ inline\n#define __noinline__\n"
                           "#define __launch_bounds__(n)\n"
                           "static struct { unsigned x; } threadIdx, blockIdx, gridDim;\n"
                           "int __popcll(unsigned long long);\nint __clzll(long long);\n"
                           "int __ffsll(long long);\n"
                           "void __syncthreads(void);\nvoid __threadfence(void);\n"
                           "template <class T> T atomicCAS(T *p, T old, T desired);\n"
                           "template <class T> T atomicAdd(T *p, T v);\n";

static void cuda_takes_them(void **state) {
    const wadi_language language = {.name = "CUDA C++", .emit = wadi_language_cuda.emit};
    const wadi_target target = {.name = "cuda", .language = &language};
    takes_all(*state, &target, "c++", "c++ -x c++ -std=c++17 -fsyntax-only", cuda);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(c_takes_them), cmocka_unit_test(bounds_and_calls_do_not_take_them),
        cmocka_unit_test(opencl_takes_them), cmocka_unit_test(cuda_takes_them)};
    return cmocka_run_group_tests(tests, compile, discard);
}
