/* Products of matrices, as folds over all pairs of a row and a column. */
#include "graph/lang/node.h"

/* `a` with its last two dimensions exchanged. */
static wadi_acc turned(int rank, wadi_acc a) {
    int perm[WADI_MAX_RANK];
    for (int d = 0; d < rank; d++) perm[d] = d;
    perm[rank - 2] = rank - 1;
    perm[rank - 1] = rank - 2;
    return wadi_transpose_on(perm, a);
}

/* `a` with a new dimension of extent n in front of its dimension `dim`. */
static wadi_acc repeated(int rank, int dim, wadi_exp n, wadi_acc a) {
    wadi_spec spec[WADI_MAX_RANK + 1];
    for (int d = 0; d <= rank; d++) spec[d] = d == dim ? wadi_fix(n) : wadi_all();
    return wadi_replicate(rank + 1, spec, a);
}

static const wadi_array_type *matrices(wadi_draft *d, wadi_acc a) {
    const wadi_array_type *t = wadi_draft_array(d, a);
    wadi_expect_rank_from(d, t, 2);
    wadi_expect_plain(d, t);
    if (t && t->rank == WADI_MAX_RANK)
        wadi_draft_expected(d, t, WADI_UNSUPPORTED, "a rank of %d at most", WADI_MAX_RANK - 1);
    return t;
}

wadi_acc wadi_matmul(wadi_acc a, wadi_acc b) {
    wadi_draft d = wadi_draft_begin("matmul");
    const wadi_array_type *t = matrices(&d, a), *u = matrices(&d, b);
    if (t && u) wadi_expect_rank(&d, u, t->rank);
    if (t && u) wadi_expect_elem(&d, u, &t->elem);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    const char *outer = wadi_lang_call("matmul");
    const int rank = t->rank;
    const wadi_acc rows = repeated(rank, rank - 1, wadi_extent(b, rank - 1), a);
    const wadi_acc columns = repeated(rank, rank - 2, wadi_extent(a, rank - 2), turned(rank, b));
    return wadi_acc_called(outer, wadi_sum(wadi_zip_with(wadi_mul, rows, columns)));
}
