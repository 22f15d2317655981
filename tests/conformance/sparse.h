/* Which variants a program runs in where a driver takes long for kernels, and in the quick suite (WADI_CONFORMANCE_SPARSE). */
#ifndef TESTS_CONFORMANCE_SPARSE_H
#define TESTS_CONFORMANCE_SPARSE_H

#include <stdbool.h>

#include "tests/conformance/runner.h"

/* Whether two variants of a program run the same kernels. */
bool conf_share_kernels(const conf_variant *a, const conf_variant *b);
/* One variant of those whose kernels a program runs, with another turn those of another set. NULL: it runs in all n variants. */
const conf_variant *conf_sparse(const conf_variant *variants, int n, int turn);
/* Whether part i of a program, which has this number, is tried: all are, or, where sparse, each `every`-th, and other ones in the next program. */
bool conf_sparse_part(int program, int i, int every);

#endif
