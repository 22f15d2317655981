/* Which arrays can be read in any order. Faults are told in the order of elements; where none can come, units may go through them as they like. */
#include "codegen/kernel/arith.h"
#include "codegen/kernel/check.h"
#include "codegen/kernel/flat/flat.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/row.h"

static wadi_lv noting(wadi_lower *l) {
    return wadi_lb_var(&l->b, WADI_I64, false, num(l, 0), "bad");
}

static bool applies_without_fault(wadi_lower *l, const wadi_fun *f, bool quietly) {
    wadi_lv x[2 * WADI_MAX_FIELDS], out[WADI_MAX_FIELDS];
    wadi_trial trial;
    wadi_lower_try(l, &trial);
    for (int i = 0; i < f->body->nparams; i++) {
        const wadi_type t = f->types[f->body->params[i]];
        const wadi_lv zero = wadi_lb_const(&l->b, (wadi_scalar){.type = t});
        x[i] = wadi_lb_get(&l->b, wadi_lb_var(&l->b, t, false, zero, "any"));
    }
    if (quietly)
        wadi_lower_apply_quietly(l, f, x, noting(l), out);
    else
        wadi_lower_apply(l, f, x, out);
    return wadi_lower_tried(l, &trial) && !l->b.failed && !l->status;
}

static bool reads_without_fault(wadi_lower *l, wadi_val array, bool quietly) {
    wadi_lv ix[WADI_MAX_RANK], x[WADI_MAX_FIELDS], extent[WADI_MAX_RANK];
    const int rank = wadi_type_of(l, array)->rank;
    wadi_trial trial;
    wadi_lower_try(l, &trial);
    wadi_lower_extents(l, array, extent);
    for (int d = 0; d < rank; d++) {
        const wadi_lv last = bin(l, WADI_SOP_SUB, extent[d], num(l, 1));
        const wadi_lv i = wadi_lb_for(&l->b, num(l, 0), extent[d], 1, "i");
        ix[d] = wadi_lb_range(&l->b, i, num(l, 0), last);
    }
    if (quietly)
        wadi_lower_read_quietly(l, array, ix, noting(l), x);
    else
        wadi_lower_read(l, array, ix, x);
    for (int d = 0; d < rank; d++) wadi_lb_end(&l->b);
    return wadi_lower_tried(l, &trial) && !l->b.failed && !l->status;
}

bool wadi_flat_is_harmless(wadi_flat *c, wadi_val array, bool cheap) {
    wadi_lower l;
    wadi_lmodule none = {0};
    wadi_flat_start(c, &l, "trial");
    const bool harmless = !l.b.failed && reads_without_fault(&l, array, false) &&
                          (!cheap || wadi_lower_is_cheap(&l, array));
    return wadi_lower_fini(&l, &none) == WADI_OK && harmless;
}

bool wadi_flat_is_noted(wadi_flat *c, wadi_val array) {
    wadi_lower l;
    wadi_lmodule none = {0};
    wadi_flat_start(c, &l, "trial");
    const bool noted = !l.b.failed && reads_without_fault(&l, array, true);
    return wadi_lower_fini(&l, &none) == WADI_OK && noted;
}

static bool fun_is_fine(wadi_flat *c, const wadi_fun *f, bool quietly) {
    wadi_lower l;
    wadi_lmodule none = {0};
    wadi_flat_start(c, &l, "trial");
    const bool fine = !l.b.failed && applies_without_fault(&l, f, quietly);
    return wadi_lower_fini(&l, &none) == WADI_OK && fine;
}

bool wadi_flat_fun_is_harmless(wadi_flat *c, const wadi_fun *f) {
    return fun_is_fine(c, f, false);
}

bool wadi_flat_fun_is_noted(wadi_flat *c, const wadi_fun *f) {
    return fun_is_fine(c, f, true);
}
