/* Which of several sibling folds share one loop over their rows (codegen/pass/siblings.c says who siblings are).
 *
 * Each keeps its own accumulators, and its result is the same as alone. The gain is the loop: elements are read and made once, the
 * additions of one fold fill the time in which another waits for its last one, and a short row of unknown length costs one
 * mispredicted branch instead of several. */
#include "codegen/kernel/row.h"
#include "operators/reduce_tree.h"

/* Bytes of accumulators per lane that stay in registers. Example: three of f64 take twelve of sixteen registers of 256 bits. */
enum { TOGETHER = 24 };

static int bytes_of(const wadi_lower *l, const wadi_bind *fold) {
    const wadi_elem *e = &wadi_type_of(l, fold->results[0])->elem;
    int bytes = 0;
    for (int f = 0; f < e->fields; f++) bytes += (int)wadi_type_size(e->type[f]);
    return bytes;
}

/* One plain loop reduces those whose order is free, and only if all are; so the two kinds stay apart. */
static bool go_together(const wadi_bind *a, const wadi_bind *b) {
    return wadi_fun_has_lanes(b->funs[0]) &&
           wadi_fun_has_any_order(a->funs[0]) == wadi_fun_has_any_order(b->funs[0]);
}

int wadi_lower_folds_together(const wadi_lower *l, int n, const wadi_bind *const *folds) {
    int bytes = bytes_of(l, folds[0]), fields = wadi_type_of(l, folds[0]->results[0])->elem.fields;
    if (!wadi_fun_has_lanes(folds[0]->funs[0])) return 1;
    for (int k = 1; k < n; k++) {
        bytes += bytes_of(l, folds[k]);
        fields += wadi_type_of(l, folds[k]->results[0])->elem.fields;
        if (bytes > TOGETHER || fields > WADI_MAX_FIELDS || !go_together(folds[0], folds[k]))
            return k;
    }
    return n;
}
