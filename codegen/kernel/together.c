/* Folds of rank 0 that go together: the folds of a body that run over the same row share one loop over it.
 *
 * Each keeps its own accumulators, and its result is the same as alone. The gain is the loop: elements are read and made once,
 * and a short row of unknown length costs one mispredicted branch instead of several. Folds of different rows, even of equal
 * length, stay apart, because they could fault in another order. */
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

static bool is_fold(const wadi_lower *l, const wadi_bind *bind) {
    if (!wadi_op_has(bind->op, WADI_TRAIT_REDUCES_ROWS) || bind->nresults != 1) return false;
    const wadi_val v = bind->results[0];
    return wadi_type_of(l, v)->rank == 0 && l->loc[v].kind == WADI_LOC_NONE &&
           wadi_is_stored(l->y, v) && wadi_fun_has_lanes(bind->funs[0]);
}

/* Whether its z is computed already, so that starting it early computes nothing before its turn. */
static bool can_start(const wadi_lower *l, const wadi_bind *fold) {
    if (fold->nargs == 1) return true;
    const wadi_val z = wadi_lower_resolve(l, fold->args[0]);
    return l->m->values[z].def == WADI_DEF_CONST || l->loc[z].kind == WADI_LOC_SCALAR;
}

static bool go_together(const wadi_lower *l, const wadi_bind *a, const wadi_bind *b) {
    return a->op == b->op &&
           wadi_lower_resolve(l, a->args[a->nargs - 1]) ==
               wadi_lower_resolve(l, b->args[b->nargs - 1]) &&
           wadi_fun_has_any_order(a->funs[0]) == wadi_fun_has_any_order(b->funs[0]);
}

int wadi_lower_folds_together(const wadi_lower *l, int n, const wadi_bind *const *binds,
                              const wadi_bind **out_folds) {
    int count = 0, bytes = 0, fields = 0;
    if (n == 0 || !is_fold(l, binds[0])) return 0;
    const int each = wadi_type_of(l, binds[0]->results[0])->elem.fields;
    for (int i = 0; i < n && fields + each <= WADI_MAX_FIELDS; i++) {
        const wadi_bind *fold = binds[i];
        if (i > 0 && !(is_fold(l, fold) && go_together(l, binds[0], fold) && can_start(l, fold)))
            continue;
        bytes += bytes_of(l, fold);
        if (i > 0 && bytes > TOGETHER) break;
        out_folds[count++] = fold;
        fields += each;
    }
    return count;
}
