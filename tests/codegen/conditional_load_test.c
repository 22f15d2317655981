/* GCC 12.2 compiles sums of conditional loads wrongly for AVX2: with plain -O3 -fwrapv all sums here are zero. With the options for
 * kernels they must be right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/dl.h"
#include "base/file.h"
#include "codegen/build/cc.h"
#include "codegen/targets.h"

enum { ROWS = 4, PARTS = 64, LENGTH = 48, N = PARTS * LENGTH };

/* |x| summed over partitions, a row's first samples left out: the fixed reduction tree around a condition. */
static const char source[] =
    "#include <stdint.h>\n"
    "static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }\n"
    "void sums(double *restrict const out, const int32_t *restrict const first,\n"
    "          const double *restrict const x, int64_t n, int64_t parts) {\n"
    "  const int64_t length = n / parts;\n"
    "  for (int64_t row = 0; row < 4; row++)\n"
    "    for (int64_t p = 0; p < parts; p++) {\n"
    "      const int64_t base = p * length;\n"
    "      double total;\n"
    "      for (int64_t from = 0; from < length; from += 4096) {\n"
    "        const int64_t count = least(length - from, 4096);\n"
    "        double part;\n"
    "        const int64_t full = count & -16;\n"
    "        if (full > 0) {\n"
    "          double acc[16];\n"
    "          for (int64_t lane = 0; lane < 16; lane++) {\n"
    "            const int64_t i = base + (from + lane);\n"
    "            double c;\n"
    "            if (i < (int64_t)first[row * 16 + 12]) c = 0.0;\n"
    "            else c = __builtin_fabs(x[row * n + i]);\n"
    "            acc[lane] = c;\n"
    "          }\n"
    "          for (int64_t g = 16; g < full; g += 16)\n"
    "            for (int64_t lane = 0; lane < 16; lane++) {\n"
    "              const int64_t i = base + (from + g + lane);\n"
    "              double c;\n"
    "              if (i < (int64_t)first[row * 16 + 12]) c = 0.0;\n"
    "              else c = __builtin_fabs(x[row * n + i]);\n"
    "              acc[lane] = acc[lane] + c;\n"
    "            }\n"
    "          part = acc[0];\n"
    "          for (int64_t lane = 1; lane < 16; lane++) part = part + acc[lane];\n"
    "        } else part = 0;\n"
    "        if (from == 0) total = part; else total = total + part;\n"
    "      }\n"
    "      out[row * parts + p] = total;\n"
    "    }\n"
    "}\n";

typedef void (*sums_fn)(double *out, const int32_t *first, const double *x, int64_t n,
                        int64_t parts);

static double x[ROWS * N], out[ROWS * PARTS];
static int32_t first[ROWS * 16];

static void sums_of_conditional_loads_are_right(void **state) {
    (void)state;
    char folder[] = "conditional_load.XXXXXX";
    char text[64], object[64];
    wadi_error err = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(text, sizeof text, "./%s/k.c", folder);
    snprintf(object, sizeof object, "./%s/k.so", folder);
    assert_int_equal(wadi_file_write(text, source, strlen(source), 0600, &err), WADI_OK);
    wadi_image_builder cc;
    assert_int_equal(wadi_cc_find(wadi_targets, &cc, &err), WADI_OK);
    if (wadi_cc_compile(&cc, text, object, NULL, false, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_dl dl = {0};
    wadi_dl_fn fn = NULL;
    assert_int_equal(wadi_dl_open(&dl, object, &err), WADI_OK);
    assert_int_equal(wadi_dl_function(&dl, "sums", &fn, &err), WADI_OK);
    for (int row = 0; row < ROWS; row++) {
        first[row * 16 + 12] = row;
        for (int i = 0; i < N; i++) x[row * N + i] = (double)(i % 5 - 2);
    }
    ((sums_fn)fn)(out, first, x, N, PARTS);
    for (int i = 0; i < ROWS * PARTS; i++) {
        double want = 0;
        for (int k = i % PARTS * LENGTH; k < (i % PARTS + 1) * LENGTH; k++) {
            if (k >= i / PARTS) want += x[k] < 0 ? -x[k] : x[k];
        }
        if (out[i] != want) fail_msg("sum %d is %g, not %g", i, out[i], want);
    }
    wadi_dl_close(&dl);
    unlink(text);
    unlink(object);
    rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_of_conditional_loads_are_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
