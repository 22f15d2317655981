/* Few variants of each program, in turn. */
#include "tests/conformance/sparse.h"

#include <stddef.h>
#include <stdlib.h>

enum { MOST = 32 };

static bool is_sparse(void) {
    return getenv("WADI_CONFORMANCE_SPARSE") != NULL;
}

bool conf_share_kernels(const conf_variant *a, const conf_variant *b) {
    return a->disable == b->disable && a->schedule == b->schedule;
}

const conf_variant *conf_sparse(const conf_variant *variants, int n, int turn) {
    int first[MOST], sets = 0;
    if (!is_sparse()) return NULL;
    for (int i = 0; i < n && sets < MOST; i++) {
        int k = 0;
        while (k < sets && !conf_share_kernels(&variants[first[k]], &variants[i])) k++;
        if (k == sets) first[sets++] = i;
    }
    return &variants[first[turn % sets]];
}

bool conf_sparse_part(int program, int i, int every) {
    return !is_sparse() || (i + program) % every == 0;
}
