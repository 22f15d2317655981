/* Finds folds over all pairs.
 *
 * The element is written aside, in loops over rows, columns and places. Each value there depends on some of the three loops. The largest
 * parts that do not depend on both row and column are the operands; what is made of them must be arithmetic alone. So it does not matter
 * which operators lead to the fold: repeated matrices, transposed ones, conversions and maps of them are all seen in the same way.
 *
 * Code that is not harmless is refused, because tiles compute elements in another order than faults are told in. */
#include "codegen/kernel/pairs.h"

#include <string.h>

#include "codegen/all_pairs.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/check.h"
#include "codegen/kernel/read.h"
#include "codegen/loop/copy.h"
#include "codegen/loop/own.h"
#include "operators/reduce_tree.h"

/* Six rows of a vector of 64 bytes need six or twelve registers, which all vector units have, and hide the time that an addition takes. */
enum { ROWS = 6, BYTES = 64, LEAST = 8, MOST = 16 };
enum { ROW = 1 << WADI_PAIRS_ROW, COLUMN = 1 << WADI_PAIRS_COLUMN, OTHER = 8, UNKNOWN = 255 };

int wadi_pairs_rows(const wadi_elem *e) {
    return ROWS / e->fields;
}

int wadi_pairs_columns(const wadi_elem *e) {
    int size = 1;
    for (int f = 0; f < e->fields; f++)
        if (wadi_type_size(e->type[f]) > size) size = wadi_type_size(e->type[f]);
    const int columns = BYTES / size;
    return columns < LEAST ? LEAST : columns > MOST ? MOST : columns;
}

/* ---- which folds may be ---- */

static wadi_val folded_by(const wadi_bind *bind) {
    return bind->args[bind->nargs - 1];
}

bool wadi_lower_pairs_may(const wadi_lower *l, const wadi_bind *bind) {
    const wadi_array_type *t = wadi_type_of(l, bind->results[0]);
    return l->y->tiled && !l->y->grouped && t->rank >= 2 && wadi_fun_has_lanes(bind->funs[0]) &&
           wadi_all_pairs_take(&t->elem) && l->y->takes[bind->results[0]] == WADI_NONE &&
           l->y->m->values[folded_by(bind)].def == WADI_DEF_BIND;
}

wadi_lv wadi_lower_pairs_fit(wadi_lower *l, const wadi_bind *bind) {
    const wadi_array_type *t = wadi_type_of(l, bind->results[0]);
    const wadi_lv n = wadi_lower_extent(l, folded_by(bind), t->rank);
    const wadi_lv rows = wadi_lower_extent(l, bind->results[0], t->rank - 2);
    const wadi_lv columns = wadi_lower_extent(l, bind->results[0], t->rank - 1);
    const wadi_lv all[] = {bin(l, WADI_SOP_GT, n, num(l, 0)),
                           bin(l, WADI_SOP_LE, n, num(l, WADI_FOLD_BLOCK)),
                           bin(l, WADI_SOP_GE, rows, num(l, wadi_pairs_rows(&t->elem))),
                           bin(l, WADI_SOP_GE, columns, num(l, wadi_pairs_columns(&t->elem)))};
    wadi_lv fit = all[0];
    for (int k = 1; k < 4; k++) fit = bin(l, WADI_SOP_LAND, fit, all[k]);
    return wadi_lb_name(&l->b, fit, "tiles");
}

/* ---- the element, taken apart ---- */

typedef struct apart {
    wadi_lower *l;
    wadi_pairs *p;
    uint8_t *mask; /* [value] which loops it depends on; UNKNOWN: not asked yet */
    bool *seen;    /* [value] */
} apart;

/* The loops that `v` depends on. OTHER: it is nothing that can be copied. */
static uint8_t mask_of(apart *a, wadi_lv v) {
    const wadi_linst *i = wadi_lb_inst(&a->l->b, v);
    if (a->mask[v] != UNKNOWN) return a->mask[v];
    uint8_t mask = 0;
    for (int d = 0; d < 3; d++)
        if (v == a->p->axis[d]) return a->mask[v] = (uint8_t)(1 << d);
    if (wadi_own_is_made_in(a->l->b.fun, v, a->p->of)) {
        if (!wadi_lcopy_can(i)) mask = OTHER;
        for (int k = 0; k < (i->kind == WADI_L_RANGE ? 1 : i->nargs); k++)
            mask |= mask_of(a, i->args[k]);
    }
    return a->mask[v] = mask;
}

static bool is_arithmetic(const wadi_linst *i) {
    return i->kind == WADI_L_PRIM || i->kind == WADI_L_SELECT || i->kind == WADI_L_RANGE;
}

static bool add_operand(apart *a, int side, wadi_lv v) {
    wadi_pairs *p = a->p;
    if (p->n[side] == WADI_PAIRS_OPERANDS || wadi_type_is_complex(wadi_lb_type(&a->l->b, v)))
        return false;
    p->operand[side][p->n[side]++] = v;
    return true;
}

/* Notes the operands of which `v` is made. */
static bool take_apart(apart *a, wadi_lv v) {
    const wadi_linst *i = wadi_lb_inst(&a->l->b, v);
    const uint8_t mask = mask_of(a, v);
    if (mask & OTHER) return false;
    if (mask == 0 || a->seen[v]) return true;
    a->seen[v] = true;
    if ((mask & (ROW | COLUMN)) != (ROW | COLUMN))
        return add_operand(a, mask & COLUMN ? WADI_PAIRS_COLUMN : WADI_PAIRS_ROW, v);
    if (!is_arithmetic(i)) return false;
    for (int k = 0; k < (i->kind == WADI_L_RANGE ? 1 : i->nargs); k++)
        if (!take_apart(a, i->args[k])) return false;
    return true;
}

static bool is_apart(wadi_lower *l, wadi_pairs *p) {
    const size_t n = (size_t)l->b.fun->n + 1;
    apart a = {l, p, WADI_NEW_N(l->b.arena, uint8_t, n), WADI_NEW_N(l->b.arena, bool, n)};
    uint8_t all = 0;
    if (!a.mask || !a.seen) {
        l->b.failed = true;
        return false;
    }
    memset(a.mask, UNKNOWN, n);
    for (int f = 0; f < p->fields; f++)
        if (!take_apart(&a, p->x[f])) return false;
    for (int side = 0; side < 2; side++)
        for (int q = 0; q < p->n[side]; q++) all |= mask_of(&a, p->operand[side][q]);
    return (all & ROW) && (all & COLUMN);
}

/* Opens the loop over rows, columns or places. Returns its variable, which is known to lie in the array that is folded. */
static wadi_lv open_axis(wadi_lower *l, const wadi_pairs_part *part, int d, wadi_lv *out_index) {
    static const char *const names[] = {"row", "column", "k"};
    const wadi_val array = folded_by(part->bind);
    const bool is_place = d == WADI_PAIRS_PLACE;
    const wadi_lv n = wadi_lower_extent(l, array, wadi_type_of(l, array)->rank - 3 + d);
    const wadi_lv var = wadi_lb_for(&l->b, is_place ? num(l, 0) : part->from[d],
                                    is_place ? n : part->below[d], 1, names[d]);
    *out_index = wadi_lb_range(&l->b, var, num(l, 0), bin(l, WADI_SOP_SUB, n, num(l, 1)));
    return var;
}

/* Writes the element in loops over the part, and z, which must be harmless as well. */
static void write_element(wadi_lower *l, const wadi_pairs_part *part, wadi_pairs *out) {
    wadi_lv ix[WADI_MAX_RANK], z[WADI_MAX_FIELDS];
    const int rank = wadi_type_of(l, part->bind->results[0])->rank;
    if (part->bind->nargs == 2) wadi_lower_read(l, part->bind->args[0], NULL, z);
    for (int d = 0; d < rank - 2; d++) ix[d] = part->ix[d];
    for (int d = 0; d < 3; d++) out->axis[d] = open_axis(l, part, d, &ix[rank - 2 + d]);
    wadi_lower_read(l, folded_by(part->bind), ix, out->x);
    for (int d = 0; d < 3; d++) wadi_lb_end(&l->b);
}

bool wadi_pairs_find(wadi_lower *l, const wadi_pairs_part *part, wadi_pairs *out) {
    wadi_trial trial;
    *out = (wadi_pairs){.bind = part->bind,
                        .fields = wadi_type_of(l, part->bind->results[0])->elem.fields};
    if (l->status || l->b.failed) return false;
    wadi_lower_try(l, &trial);
    out->of = trial.aside;
    write_element(l, part, out);
    return wadi_lower_tried(l, &trial) && !l->status && !l->b.failed && is_apart(l, out);
}
