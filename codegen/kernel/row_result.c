/* What a fold gives for a row: its total combined with z, z alone for an empty row. */
#include "codegen/kernel/row_steps.h"

#include <string.h>

#include "codegen/kernel/arith.h"
#include "codegen/kernel/fields.h"
#include "codegen/kernel/read.h"

/* Whether the fold at `field` has a z. */
static bool has_z_at(const wadi_row *r, int field) {
    return r->nfolds > 0 ? wadi_row_fold_at(r, field)->bind->nargs == 2 : r->has_z;
}

/* The first binding whose row may not be empty; NULL: none. */
static const wadi_bind *needs_elements(const wadi_row *r, const wadi_bind *bind) {
    for (int k = 0; k < r->nfolds; k++)
        if (r->folds[k].bind->nargs == 1) return r->folds[k].bind;
    return r->nfolds > 0 || r->has_z ? NULL : bind;
}

/* Writes a fault if the row is empty and a fold has nothing to give then. */
static void refuse_empty(wadi_lower *l, const wadi_row *r, const wadi_bind *bind, wadi_lv empty) {
    int64_t known = 0;
    if (wadi_lb_is_const(&l->b, empty, &known) && !known) return;
    wadi_lb_if(&l->b, empty);
    wadi_lower_fault(l, WADI_FAULT_EMPTY,
                     wadi_layout_place(l->y, bind->op->name, r->of_nothing, bind->loc), r->n, r->n);
    wadi_lb_end(&l->b);
}

/* z of each fold. Rows that are reduced together have one z. */
static void read_z(wadi_lower *l, const wadi_row *r, const wadi_bind *bind, wadi_lv *z) {
    for (int at = 0; at < r->fields; at += wadi_row_width_at(r, at)) {
        const wadi_bind *of = r->nfolds > 0 ? wadi_row_fold_at(r, at)->bind : bind;
        if (has_z_at(r, at)) wadi_lower_read(l, of->args[0], NULL, z + at);
    }
}

/* z combined with the total x, where there is a z; else the total. */
static void with_z(wadi_lower *l, const wadi_row *r, const wadi_lv *z, const wadi_lv *x,
                   wadi_lv *out) {
    for (int at = 0; at < r->fields; at += wadi_row_width_at(r, at)) {
        const wadi_row one = wadi_row_alone_at(r, at);
        if (has_z_at(r, at))
            wadi_row_combine(l, &one, z + at, x + at, out + at);
        else
            memcpy(out + at, x + at, (size_t)one.fields * sizeof *out);
    }
}

/* The result: z combined with the row's total, z alone for an empty row. Without a z, an empty row is a fault. */
static void finish(wadi_lower *l, const wadi_bind *bind, const wadi_row *r, wadi_row_total total,
                   void *env, wadi_lv *out) {
    wadi_lb *b = &l->b;
    const wadi_lv empty = wadi_lb_bin(b, WADI_SOP_EQ, r->n, num(l, 0));
    const wadi_bind *needs = needs_elements(r, bind);
    int64_t known = 0;
    const bool is_known = wadi_lb_is_const(b, empty, &known);
    wadi_lv z[WADI_MAX_FIELDS], x[WADI_MAX_FIELDS], var[WADI_MAX_FIELDS], all[WADI_MAX_FIELDS];
    if (needs) refuse_empty(l, r, needs, empty);
    read_z(l, r, bind, z);
    if (needs || (is_known && !known) || wadi_row_is_plain(l, r)) {
        total(l, r, env, x);
        with_z(l, r, z, x, out);
        return;
    }
    wadi_row_declare(l, r, z, "result", var);
    wadi_lb_if(b, wadi_lb_bin(b, WADI_SOP_GT, r->n, num(l, 0)));
    total(l, r, env, x);
    with_z(l, r, z, x, all);
    set_fields(l, r->fields, var, all);
    wadi_lb_end(b);
    get_fields(l, r->fields, var, out);
}

void wadi_lower_fold_row(wadi_lower *l, const wadi_bind *bind, const wadi_row *r,
                         wadi_row_total total, void *env, wadi_lv *out) {
    finish(l, bind, r, total ? total : wadi_row_total_of_row, env, out);
}
