/* What the text of kernels says to the C compiler before all else. */
#include "codegen/emit/c/options.h"

/* GCC would unroll an outer loop into its inner loop and then keep the lanes of reductions in memory, which is half as fast. This
 * is no compiler flag, because clang does not know it. */
static const char options[] = "#if defined(__GNUC__) && !defined(__clang__)\n"
                              "#pragma GCC optimize(\"no-loop-unroll-and-jam\")\n"
                              "#endif\n";

/* GCC would join selections by one bool to a branch (it threads jumps), and write what a lane in step changes by masked stores: on processors without
 * AVX-512 that takes seven times as long as a selection, and with it the state does not stay in registers. */
static const char in_step[] = "#if defined(__GNUC__) && !defined(__clang__)\n"
                              "#pragma GCC optimize(\"no-thread-jumps\")\n"
                              "#endif\n";

static bool has_lanes_in_step(const wadi_lmodule *m) {
    for (int k = 0; k < m->nfuns; k++)
        for (uint32_t v = 0; v < m->funs[k]->n; v++)
            if (m->funs[k]->inst[v]->in_step) return true;
    return false;
}

#define FUSED(T, N, suffix, name)                                                              \
    "static inline __attribute__((always_inline)) " T " wadi_fused_" N "(" T " a, " T " b, " T \
    " c) {\n"                                                                                  \
    "    __asm__(\"vfmadd231" suffix " %2, %1, %0\" : \"+x\"(c) : \"x\"(a), \"x\"(b));\n"      \
    "    return c;\n}\n"                                                                       \
    "#define __builtin_" name " wadi_fused_" N "\n"
/* GCC 12 before 12.3 (its bug 107647) makes fused multiply-adds (fmaddsub) of the products of complex numbers, whatever
 * -ffp-contract says. So those versions compile kernels with complex numbers without these instructions. Where an operation is a fused
 * multiply-add, the instruction is named. */
static const char uncontracted[] =
    "#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && __GNUC__ == 12 && "
    "__GNUC_MINOR__ < 3\n"
    "#if defined(__FMA__)\n"
    "#define WADI_HAS_FMA\n"
    "#endif\n"
    "#pragma GCC target(\"no-fma,no-fma4,no-avx512f\")\n"
    "#if defined(WADI_HAS_FMA)\n" FUSED("double", "f64", "sd", "fma")
        FUSED("float", "f32", "ss", "fmaf") "#endif\n"
                                            "#endif\n";

bool wadi_c_has_complex(const wadi_lmodule *m) {
    for (int k = 0; k < m->nfuns; k++)
        for (uint32_t v = 0; v < m->funs[k]->n; v++)
            if (wadi_type_is_complex(m->funs[k]->inst[v]->type)) return true;
    return false;
}

void wadi_c_options(const wadi_lmodule *m, wadi_text *out) {
    wadi_text_add(out, options);
    if (has_lanes_in_step(m)) wadi_text_add(out, in_step);
    if (wadi_c_has_complex(m)) wadi_text_add(out, uncontracted);
}
