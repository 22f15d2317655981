/* What compilers say of loops is told under the names of the program: from texts that GCC and clang have written, and from what those that
 * are installed write now. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codegen/build/cc.h"
#include "codegen/build/vectors.h"
#include "codegen/emit/c/c.h"
#include "codegen/targets.h"

/* Loops begin in the lines 7, 15, 19, 22, 25 and 35. The second one needs its last element, which no compiler may change for floats. */
static const char source[] =
    "#include <stdint.h>\n"
    "#define WADI_BRIEF __asm__ volatile(\"\");\n"
    "#define WADI_NEST static __attribute__((noinline))\n"
    "static int before(int n) { for (int64_t i = 0; i < n; i++) {} return n; "
    "}\n" WADI_C_KERNEL_BEGINS "k_0 ---- */\n"
    "WADI_NEST int k_0_00_ys(long n, double *restrict const ys, double *restrict "
    "const xs) {\n"
    "    for (int64_t i = 0; i < n; i++) {\n"
    "        ys[i] = xs[i] * 2.0;\n"
    "    }\n"
    "    return 0;\n"
    "}\n"
    "int k_0(long n, double *restrict const ys, double *restrict const xs) {\n"
    "    /* zs: fold, p.wadi:4 */\n"
    "    /* rs: fold, p.wadi:5 */\n"
    "    for (int64_t t = 1; t < n; t++) {\n"
    "        xs[t] = xs[t - 1] * 0.5 + xs[t];\n"
    "    }\n"
    "    /* ys: map, p.wadi:6 */\n"
    "    for (int64_t unit = 0; unit < n; unit++) {\n"
    "        if (k_0_00_ys(n, ys, xs)) return 1;\n"
    "    }\n"
    "    for (int64_t lane = 0; lane < 4; lane++) {\n"
    "        ys[lane] = 0.0;\n"
    "    }\n"
    "    for (;;) {\n"
    "        WADI_BRIEF\n"
    "        if (!(n > 9)) break;\n"
    "        n = n / 2;\n"
    "    }\n"
    "    return 0;\n"
    "}\n"
    "/* ---- end of k_0 ---- */\n" WADI_C_KERNEL_BEGINS "k_1_units ---- */\n"
    "int k_1_units(long n, long *unit) {\n"
    "    for (int64_t s = 0; s < n; s++) {\n"
    "        unit[s] = 1;\n"
    "    }\n"
    "    return 0;\n"
    "}\n";

static char *told(const char *said) {
    wadi_remarks remarks = {0};
    wadi_text out = {0};
    assert_true(wadi_remarks_read(said, "/tmp/k.c", &remarks));
    assert_true(wadi_vectors_print(source, WADI_C_KERNEL_BEGINS, &remarks, &out));
    wadi_vec_free(&remarks);
    return wadi_text_take(&out);
}

static void expect(const char *said, const char *expected) {
    char *text = told(said);
    assert_string_equal(text, expected);
    free(text);
}

static void what_gcc_says(void **state) {
    (void)state;
    expect("/tmp/k.c:7:27: optimized: loop vectorized using 64 byte vectors\n"
           "/tmp/k.c:7:27: optimized: loop vectorized using 32 byte vectors\n"
           "/tmp/k.c:7:27: optimized: loop vectorized using 64 byte vectors\n"
           "/tmp/k.c:6:5: missed: statement clobbers memory: foo ();\n"
           "/tmp/k.c:15:27: missed: couldn't vectorize loop\n"
           "/tmp/k.c:16:23: missed: not vectorized: complicated access pattern.\n"
           "/tmp/k.c:22:5: optimized: basic block part vectorized using 32 byte vectors\n"
           "/tmp/k.c:25:5: missed: couldn't vectorize loop\n"
           "/tmp/k.c:26:5: missed: statement clobbers memory: __asm__ __volatile__(\"\");\n"
           "/tmp/other.c:15:27: optimized: loop vectorized using 64 byte vectors\n",
           "2 of 3 loops use vectors\n"
           "\n"
           "ys: map, p.wadi:6 (k_0)\n"
           "    i < n: vectors of 64, then 32 bytes\n"
           "\n"
           "zs: fold, p.wadi:4; rs: fold, p.wadi:5 (k_0)\n"
           "    t < n: no vectors: complicated access pattern\n"
           "\n"
           "ys: map, p.wadi:6 (k_0)\n"
           "    lane < 4: written out, with vectors of 32 bytes\n");
}

static void what_clang_says(void **state) {
    (void)state;
    expect("/tmp/k.c:16:33: remark: loop not vectorized: cannot prove it is safe to reorder "
           "floating-point operations; allow reordering by specifying '#pragma clang loop "
           "vectorize(enable)' before the loop [-Rpass-analysis=loop-vectorize]\n"
           "/tmp/k.c:15:5: remark: loop not vectorized: could not determine number of loop "
           "iterations [-Rpass-analysis=loop-vectorize]\n"
           "        xs[t] = xs[t - 1] * 0.5 + xs[t];\n"
           "                        ^\n"
           "/tmp/k.c:15:5: remark: loop not vectorized [-Rpass-missed=loop-vectorize]\n"
           "/tmp/k.c:7:5: remark: vectorized loop (vectorization width: 8, interleaved count: 4) "
           "[-Rpass=loop-vectorize]\n"
           "2 remarks generated.\n",
           "1 of 2 loops use vectors\n"
           "\n"
           "ys: map, p.wadi:6 (k_0)\n"
           "    i < n: vectors of 8 elements\n"
           "\n"
           "zs: fold, p.wadi:4; rs: fold, p.wadi:5 (k_0)\n"
           "    t < n: no vectors: cannot prove it is safe to reorder floating-point operations\n");
}

/* Whatever a compiler says: lines of no known form are passed over. */
static void what_means_nothing(void **state) {
    (void)state;
    static const char silent[] =
        "0 of 2 loops use vectors\n"
        "\n"
        "ys: map, p.wadi:6 (k_0)\n"
        "    i < n: nothing is said: written out, removed, or made one with another\n"
        "\n"
        "zs: fold, p.wadi:4; rs: fold, p.wadi:5 (k_0)\n"
        "    t < n: nothing is said: written out, removed, or made one with another\n";
    expect("", silent);
    expect("\n\n/tmp/k.c\n/tmp/k.c:\n/tmp/k.c:7\n/tmp/k.c:7:\n/tmp/k.c:7:5\n/tmp/k.c:7:5:\n"
           "/tmp/k.c:7:5: \n/tmp/k.c:x:5: optimized: loop vectorized using 64 byte vectors\n"
           "/tmp/k.c:-7:5: optimized: loop vectorized using 64 byte vectors\n"
           "/tmp/k.c:99999999999999999999:5: optimized: loop vectorized using 64 byte vectors\n"
           "/tmp/k.c:7:5: missed: not vectorized: nobody asked.\n"
           "/tmp/k.c:7:5: remark: ",
           silent);
    expect("/tmp/k.c:7:5: optimized: loop vectorized using very long vectors",
           "1 of 2 loops use vectors\n"
           "\n"
           "ys: map, p.wadi:6 (k_0)\n"
           "    i < n: vectors\n"
           "\n"
           "zs: fold, p.wadi:4; rs: fold, p.wadi:5 (k_0)\n"
           "    t < n: nothing is said: written out, removed, or made one with another\n");
}

/* Asks the compiler that is installed under this name. */
static void ask_real(const char *name, const char *text, wadi_text *out) {
    wadi_error err = {0};
    wadi_image_builder cc;
    setenv("WADI_CC", name, 1);
    if (wadi_cc_find(&wadi_targets[0], &cc, &err) != WADI_OK) {
        print_message("there is no %s\n", name);
        skip();
    }
    if (wadi_vectors_write(&cc, text, WADI_C_KERNEL_BEGINS, out, &err) != WADI_OK)
        fail_msg("%s", err.msg);
}

static void expect_real(const char *name) {
    wadi_text out = {0};
    ask_real(name, source, &out);
    const char *said = wadi_text_str(&out);
    if (strstr(said, "ys: map, p.wadi:6 (k_0)\n    i < n: vectors of ") == NULL ||
        strstr(said, "rs: fold, p.wadi:5 (k_0)\n    t < n: no vectors: ") == NULL)
        fail_msg("%s says:\n%s", name, said);
    wadi_text_fini(&out);
}

static void what_the_installed_gcc_says(void **state) {
    (void)state;
    expect_real("gcc");
}

static void what_the_installed_clang_says(void **state) {
    (void)state;
    expect_real("clang");
}

/* Of equal functions, too, which a compiler would make one of. */
static void each_of_two_equal_loops(const char *name) {
    static const char twice[] =
        "#include <stdint.h>\n"
        "#define WADI_NEST static __attribute__((noinline))\n" WADI_C_KERNEL_BEGINS "k_0 ---- */\n"
        "WADI_NEST int k_0_00_ys(long n, double *restrict const ys, double *restrict const xs) {\n"
        "    for (int64_t i = 0; i < n; i++) {\n"
        "        ys[i] = xs[i] * 2.0;\n"
        "    }\n"
        "    return 0;\n"
        "}\n"
        "WADI_NEST int k_0_01_zs(long n, double *restrict const zs, double *restrict const xs) {\n"
        "    for (int64_t i = 0; i < n; i++) {\n"
        "        zs[i] = xs[i] * 2.0;\n"
        "    }\n"
        "    return 0;\n"
        "}\n"
        "int k_0(long n, double *restrict const ys, double *restrict const zs, double *restrict "
        "const xs) {\n"
        "    /* ys: map, p.wadi:6 */\n"
        "    if (k_0_00_ys(n, ys, xs)) return 1;\n"
        "    /* zs: map, p.wadi:7 */\n"
        "    if (k_0_01_zs(n, zs, xs)) return 1;\n"
        "    return 0;\n"
        "}\n";
    wadi_text out = {0};
    ask_real(name, twice, &out);
    const char *said = wadi_text_str(&out);
    if (strstr(said, "ys: map, p.wadi:6 (k_0)\n    i < n: vectors of ") == NULL ||
        strstr(said, "zs: map, p.wadi:7 (k_0)\n    i < n: vectors of ") == NULL)
        fail_msg("%s says:\n%s", name, said);
    wadi_text_fini(&out);
}

static void what_the_installed_gcc_says_of_equal_loops(void **state) {
    (void)state;
    each_of_two_equal_loops("gcc");
}

static void what_the_installed_clang_says_of_equal_loops(void **state) {
    (void)state;
    each_of_two_equal_loops("clang");
}

/* A text that does not compile is an error with the compiler's words. */
static void a_text_that_does_not_compile(void **state) {
    (void)state;
    wadi_error err = {0};
    wadi_image_builder cc;
    wadi_text out = {0};
    unsetenv("WADI_CC");
    if (wadi_cc_find(&wadi_targets[0], &cc, &err) != WADI_OK) skip();
    assert_int_equal(wadi_vectors_write(&cc, "int x = ;\n", WADI_C_KERNEL_BEGINS, &out, &err),
                     WADI_COMPILE);
    assert_non_null(strstr(err.msg, "error"));
    wadi_text_fini(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_gcc_says),
        cmocka_unit_test(what_clang_says),
        cmocka_unit_test(what_means_nothing),
        cmocka_unit_test(what_the_installed_gcc_says),
        cmocka_unit_test(what_the_installed_clang_says),
        cmocka_unit_test(what_the_installed_gcc_says_of_equal_loops),
        cmocka_unit_test(what_the_installed_clang_says_of_equal_loops),
        cmocka_unit_test(a_text_that_does_not_compile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
