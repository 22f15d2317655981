/* Extents as code: symbolic extents become values of loop IR, so that equal extents are one value everywhere.
 *
 * A named extent is read from any array that declares it. Extents that are known only at run time (results of acond and
 * awhile, loop states) travel with their values. What shape analysis could not prove is checked here, before the loops that
 * rely on it. */
#include <string.h>

#include "base/error.h"
#include "base/type.h"
#include "codegen/kernel/check.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/skeleton.h"

/* A symbolic extent as code. */
static wadi_lv symbolic(wadi_lower *l, wadi_ext e);

static wadi_lv slot_extent(wadi_lower *l, int slot, int dim) {
    const bool irregular = l->y->slots.at[slot].kind == WADI_SLOT_IRREGULAR;
    return wadi_lb_leaf(&l->b, WADI_L_SHAPE, slot, dim,
                        irregular ? wadi_lower_number_in(l, slot) : WADI_LV_NONE);
}

/* The extent of an array that carries its extents itself; false when it does not. */
static bool carried(wadi_lower *l, wadi_val v, int dim, wadi_lv *out) {
    const wadi_vloc *at = &l->loc[v];
    if (at->own_extents)
        *out = at->extent[dim];
    else if (at->kind == WADI_LOC_SLOT)
        *out = slot_extent(l, at->slot, dim);
    else
        return false;
    return true;
}

static wadi_lv dim_atom(wadi_lower *l, wadi_val v, int comp, int dim) {
    wadi_lv e = WADI_LV_NONE;
    if (l->m->values[v].type.is_seq) {
        if (!l->y->components[v]) {
            wadi_lower_fail(l, (wadi_loc){0}, WADI_INTERNAL,
                            "extent of a sequence that is not part of the body");
            return wadi_lb_i64(&l->b, 0);
        }
        v = l->y->components[v][comp];
    }
    v = wadi_lower_resolve(l, v);
    if (carried(l, v, dim, &e)) return e;
    const wadi_ext known = wadi_shapes_extent(l->y->shapes, v, 0, dim);
    const wadi_ext_node *n =
        known == WADI_EXT_NONE ? NULL : wadi_ext_get(l->y->shapes->extents, known);
    if (!n || (n->kind == WADI_EXT_DIM && n->val == v)) {
        wadi_lower_fail(l, (wadi_loc){0}, WADI_INTERNAL,
                        "extent %d of value %u is needed before the value exists", dim, v);
        return wadi_lb_i64(&l->b, 0);
    }
    return symbolic(l, known);
}

/* Whether the type declares a dimension of this name, and which. */
static bool declares(const wadi_array_type *t, const char *name, int *out_dim) {
    for (int d = 0; t->extent && d < t->rank; d++) {
        if (t->extent[d].kind != WADI_EXTENT_NAMED || strcmp(t->extent[d].name, name) != 0)
            continue;
        *out_dim = d;
        return true;
    }
    return false;
}

/* The same by what shape analysis has found. A parameter that gets an element's array declares no names itself. */
static bool is_known_as(const wadi_lower *l, wadi_val v, const char *name, int *out_dim) {
    for (int d = 0; d < wadi_type_of(l, v)->rank; d++) {
        const wadi_ext e = wadi_shapes_extent(l->y->shapes, v, 0, d);
        const wadi_ext_node *n = e == WADI_EXT_NONE ? NULL : wadi_ext_get(l->y->shapes->extents, e);
        if (!n || n->kind != WADI_EXT_SYMBOL || strcmp(n->name, name) != 0) continue;
        *out_dim = d;
        return true;
    }
    return false;
}

static wadi_lv symbol_atom(wadi_lower *l, const char *name) {
    int dim = 0;
    for (wadi_val v = 0; v < l->m->nvalues; v++) {
        const wadi_value *value = &l->m->values[v];
        if (value->type.is_seq) {
            for (int c = 0; l->y->components[v] && c < value->type.arrays; c++) {
                if (l->y->components[v][c] == WADI_NONE) continue;
                const wadi_val array = wadi_lower_resolve(l, l->y->components[v][c]);
                if (declares(&value->type.array[c], name, &dim) &&
                    l->loc[array].kind == WADI_LOC_SLOT)
                    return wadi_lb_name(&l->b, slot_extent(l, l->loc[array].slot, dim), name);
            }
        } else if (l->loc[v].kind == WADI_LOC_SLOT && declares(&value->type.array[0], name, &dim)) {
            return wadi_lb_name(&l->b, slot_extent(l, l->loc[v].slot, dim), name);
        }
    }
    for (wadi_val v = 0; v < l->m->nvalues; v++)
        if (l->loc[v].kind == WADI_LOC_SLOT && is_known_as(l, v, name, &dim))
            return wadi_lb_name(&l->b, slot_extent(l, l->loc[v].slot, dim), name);
    wadi_lower_fail(l, (wadi_loc){0}, WADI_INTERNAL,
                    "the extent named \"%s\" is declared by no array in sight", name);
    return wadi_lb_i64(&l->b, 0);
}

static wadi_lv sum(wadi_lower *l, const wadi_ext_node *n) {
    wadi_lb *b = &l->b;
    wadi_lv total = WADI_LV_NONE;
    for (int pass = 0; pass < 2; pass++) { /* positive terms first, so that the text reads well */
        for (int i = 0; i < n->n; i++) {
            const int64_t c = n->coef[i];
            if ((c > 0) != (pass == 0)) continue;
            const wadi_lv scale = wadi_lb_i64(b, pass == 0 || total == WADI_LV_NONE ? c : -c);
            const wadi_lv x = wadi_lb_bin(b, WADI_SOP_MUL, symbolic(l, n->term[i]), scale);
            total = total == WADI_LV_NONE
                        ? x
                        : wadi_lb_bin(b, pass == 0 ? WADI_SOP_ADD : WADI_SOP_SUB, total, x);
        }
    }
    const wadi_lv constant = wadi_lb_i64(b, n->value);
    return total == WADI_LV_NONE ? constant : wadi_lb_bin(b, WADI_SOP_ADD, total, constant);
}

/* The extent with what a check around the present place has found. */
static wadi_lv as_checked(wadi_lower *l, wadi_lv e) {
    for (size_t k = l->extents.n; k-- > 0;) {
        const wadi_checked_extent *c = &l->extents.at[k];
        if (c->extent == e && wadi_lb_visible(&l->b, c->scope)) return c->known;
    }
    return e;
}

static wadi_lv plain_symbolic(wadi_lower *l, wadi_ext e) {
    wadi_extents *x = l->y->shapes->extents;
    /* the extent as written, not its representative: extents that a check compares are equal only after the check */
    const wadi_ext_node *n = wadi_ext_get(x, e);
    wadi_lb *b = &l->b;
    switch (n->kind) {
    case WADI_EXT_CONST:
        return wadi_lb_i64(b, n->value);
    case WADI_EXT_SYMBOL:
        return symbol_atom(l, n->name);
    case WADI_EXT_DIM:
        return dim_atom(l, n->val, n->comp, n->dim);
    case WADI_EXT_SCALAR:
        return wadi_lower_scalar(l, n->val);
    case WADI_EXT_SUM:
        return sum(l, n);
    case WADI_EXT_PROD: {
        wadi_lv p = symbolic(l, n->term[0]);
        for (int i = 1; i < n->n; i++) p = wadi_lb_bin(b, WADI_SOP_MUL, p, symbolic(l, n->term[i]));
        return p;
    }
    case WADI_EXT_MIN:
    case WADI_EXT_MAX: {
        const wadi_lv p = symbolic(l, n->term[0]), q = symbolic(l, n->term[1]);
        return wadi_lb_bin(b, n->kind == WADI_EXT_MIN ? WADI_SOP_MIN : WADI_SOP_MAX, p, q);
    }
    }
    return wadi_lb_i64(b, 0);
}

static wadi_lv symbolic(wadi_lower *l, wadi_ext e) {
    if (l->status || l->b.failed) return wadi_lb_i64(&l->b, 0);
    return as_checked(l, plain_symbolic(l, e));
}

wadi_lv wadi_lower_extent(wadi_lower *l, wadi_val v, int dim) {
    v = wadi_lower_resolve(l, v);
    wadi_lv e = WADI_LV_NONE;
    if ((l->loc[v].own_extents || l->y->apart[v]) && carried(l, v, dim, &e)) return e;
    const wadi_ext known = wadi_shapes_extent(l->y->shapes, v, 0, dim);
    if (known != WADI_EXT_NONE) return symbolic(l, known);
    if (carried(l, v, dim, &e)) return e;
    wadi_lower_fail(l, (wadi_loc){0}, WADI_INTERNAL, "value %u has no extents", v);
    return wadi_lb_i64(&l->b, 0);
}

void wadi_lower_extents(wadi_lower *l, wadi_val v, wadi_lv *out) {
    const int rank = wadi_type_of(l, v)->rank;
    for (int d = 0; d < rank; d++) out[d] = wadi_lower_extent(l, v, d);
}

wadi_lv wadi_lower_scalar(wadi_lower *l, wadi_val v) {
    wadi_lv field[WADI_MAX_FIELDS];
    wadi_lower_read(l, v, NULL, field);
    return wadi_lb_prim(&l->b, WADI_SOP_CONVERT, WADI_I64, 1, field);
}

wadi_lv wadi_lower_size(wadi_lower *l, int rank, const wadi_lv *extent) {
    wadi_lv size = wadi_lb_i64(&l->b, 1);
    for (int d = 0; d < rank; d++) size = wadi_lb_bin(&l->b, WADI_SOP_MUL, size, extent[d]);
    return size;
}

/* ---- checks ---- */

static const char *check_text(wadi_lower *l, const wadi_shape_check *c) {
    return c->dim < 0 ? c->what : wadi_lower_words(l, "%s in dimension %d", c->what, c->dim);
}

/* The extents of one array. What they are made of is known before the array itself, like the extents of a region's parameters. */
typedef struct shape_of {
    int rank;
    wadi_ext extent[WADI_MAX_RANK];
} shape_of;

static bool is_compound(const wadi_ext_node *n) {
    return n->kind == WADI_EXT_SUM || n->kind == WADI_EXT_PROD || n->kind == WADI_EXT_MIN ||
           n->kind == WADI_EXT_MAX;
}

static bool mentions(const wadi_extents *x, wadi_ext e, wadi_ext atom) {
    const wadi_ext_node *n = wadi_ext_get(x, e);
    if (!is_compound(n)) return e == atom;
    for (int i = 0; i < n->n; i++)
        if (mentions(x, n->term[i], atom)) return true;
    return false;
}

static bool is_of_parameter(const wadi_lower *l, const wadi_ext_node *n) {
    return n->kind == WADI_EXT_DIM && !l->m->values[n->val].type.is_seq &&
           l->m->values[n->val].def == WADI_DEF_PARAM && l->loc[n->val].kind == WADI_LOC_SLOT;
}

/* Whether `e` can be computed where only the extents `of` are known; `of` NULL: everything is known. */
static bool is_there(const wadi_lower *l, wadi_ext e, const shape_of *of) {
    const wadi_extents *x = l->y->shapes->extents;
    if (!of) return true;
    if (e == WADI_EXT_NONE) return false;
    const wadi_ext_node *n = wadi_ext_get(x, e);
    if (n->kind == WADI_EXT_CONST) return true;
    bool there = is_compound(n) || is_of_parameter(l, n);
    for (int i = 0; there && i < n->n; i++) there = is_there(l, n->term[i], of);
    for (int d = 0; !is_compound(n) && d < of->rank; d++)
        there = there || mentions(x, of->extent[d], e);
    return there;
}

static bool all_there(wadi_lower *l, wadi_val v, const shape_of *of) {
    bool there = true;
    for (int d = 0; of && there && d < wadi_type_of(l, v)->rank; d++)
        there = is_there(l, wadi_shapes_extent(l->y->shapes, v, 0, d), of);
    return there;
}

static void check_equal(wadi_lower *l, const wadi_shape_check *c) {
    const char *op = c->bind->op->name;
    const wadi_lv x = symbolic(l, c->a), y = symbolic(l, c->b);
    const wadi_lv differ = wadi_lb_bin(&l->b, WADI_SOP_NE, x, y);
    int64_t known = 0;
    if (wadi_lb_is_const(&l->b, differ, &known) && !known) return;
    wadi_lb_if(&l->b, differ);
    wadi_lower_fault(l, WADI_FAULT_SHAPE,
                     wadi_layout_place(l->y, op, check_text(l, c), c->bind->loc), x, y);
    wadi_lb_end(&l->b);
}

/* Whether all that is made of the value from now on stays behind the present place: the value is made in the scope that is open. One from around a loop may be used in
 * front of the loop, where no check has been: loads that are proved to be in range move there. One from around a branch may be used on its other side. */
static bool is_for_good(wadi_lower *l, wadi_lv v) {
    return wadi_lb_home(&l->b, v) == l->b.scope;
}

/* Notes that extent `e` is one of an array that there can be. */
static void note_extent(wadi_lower *l, wadi_lv e) {
    wadi_linst *i = wadi_lb_inst(&l->b, e);
    if (l->b.failed || i->kind == WADI_L_CONST) return;
    if (is_for_good(l, e)) {
        i->nonneg = true;
        if (i->bits > WADI_EXTENT_BITS) i->bits = WADI_EXTENT_BITS;
        return;
    }
    const wadi_lv most = wadi_lb_i64(&l->b, (INT64_C(1) << WADI_EXTENT_BITS) - 1);
    const wadi_lv known = wadi_lb_range(&l->b, e, wadi_lb_i64(&l->b, 0), most);
    if (!wadi_vec_push(&l->extents, (wadi_checked_extent){e, known, l->b.scope}))
        l->b.failed = true;
}

static void no_memory(wadi_lower *l, const wadi_bind *bind, wadi_lv bytes) {
    wadi_lower_fault(l, WADI_FAULT_MEMORY, wadi_layout_place(l->y, bind->op->name, "", bind->loc),
                     bytes, wadi_lb_i64(&l->b, 0));
}

static int64_t size_of(const wadi_elem *e) {
    return wadi_fields_size(e->type, e->fields);
}

/* No array has 2^WADI_EXTENT_BITS elements. One that is not stored might, and sums of its indices would wrap around. A difference of two extents is smaller than
 * they are. */
static void check_memory(wadi_lower *l, const wadi_bind *bind, wadi_lv e) {
    wadi_lb *b = &l->b;
    const int64_t size = size_of(&wadi_type_of(l, bind->results[0])->elem);
    if (wadi_lb_inst(b, e)->bits <= WADI_EXTENT_BITS + 1) return;
    const wadi_lv limit = wadi_lb_i64(b, INT64_C(1) << WADI_EXTENT_BITS);
    wadi_lb_if(b, wadi_lb_bin(b, WADI_SOP_GE, e, limit));
    const wadi_lv n = wadi_lb_fact(b, e, limit, WADI_LV_NONE);
    const wadi_lv counts = wadi_lb_bin(b, WADI_SOP_LT, n, wadi_lb_i64(b, INT64_MAX / 4 / size));
    const wadi_lv bytes = wadi_lb_bin(b, WADI_SOP_MUL, n, wadi_lb_i64(b, size));
    no_memory(l, bind, wadi_lb_select(b, WADI_I64, counts, bytes, wadi_lb_i64(b, INT64_MAX)));
    wadi_lb_end(b);
}

/* The bits that the number does not need, of 64. */
static wadi_lv zeros_of(wadi_lower *l, wadi_lv n) {
    const wadi_lv word = wadi_lb_prim(&l->b, WADI_SOP_BITCAST, WADI_U64, 1, &n);
    return wadi_lb_prim(&l->b, WADI_SOP_CLZ, WADI_I32, 1, &word);
}

/* Sizes are compared modulo 2^64. So where an array gets another shape, its number of elements must not have wrapped around. */
static void check_size(wadi_lower *l, const wadi_bind *bind) {
    wadi_lb *b = &l->b;
    const int rank = wadi_type_of(l, bind->results[0])->rank;
    wadi_lv n = rank > 0 ? wadi_lower_extent(l, bind->results[0], 0) : WADI_LV_NONE;
    for (int d = 1; d < rank; d++) {
        const wadi_lv e = wadi_lower_extent(l, bind->results[0], d);
        if (wadi_lb_inst(b, n)->bits + wadi_lb_inst(b, e)->bits >= 63) {
            enum { FEWEST = 65 /* zeros of two factors below 2^63 */ };
            const wadi_lv zeros = wadi_lb_bin(b, WADI_SOP_ADD, zeros_of(l, n), zeros_of(l, e));
            const wadi_lv fewest = wadi_lb_const(b, (wadi_scalar){WADI_I32, FEWEST});
            wadi_lb_if(b, wadi_lb_bin(b, WADI_SOP_LT, zeros, fewest));
            no_memory(l, bind, wadi_lb_i64(b, INT64_MAX));
            wadi_lb_end(b);
        }
        n = wadi_lb_bin(b, WADI_SOP_MUL, n, e);
    }
}

static void check_extents(wadi_lower *l, const wadi_bind *bind) {
    const wadi_val v = bind->results[0];
    const int rank = wadi_type_of(l, v)->rank;
    for (int d = 0; d < rank; d++) {
        const wadi_lv e = wadi_lower_extent(l, v, d);
        if (wadi_lb_inst(&l->b, e)->nonneg) continue;
        wadi_lb_if(&l->b, wadi_lb_bin(&l->b, WADI_SOP_LT, e, wadi_lb_i64(&l->b, 0)));
        wadi_lower_fault(l, WADI_FAULT_EXTENT,
                         wadi_layout_place(l->y, bind->op->name, "", bind->loc), e,
                         wadi_lb_i64(&l->b, d));
        wadi_lb_end(&l->b);
        check_memory(l, bind, e);
        note_extent(l, e);
    }
}

static void check_value(wadi_lower *l, wadi_val v, const shape_of *of);

static void check_block(wadi_lower *l, const wadi_sblock *s, const shape_of *of) {
    for (int i = 0; i < s->ninsts; i++) {
        if (s->insts[i]->array != WADI_NONE) check_value(l, s->insts[i]->array, of);
        for (int k = 0; k < 2; k++)
            if (s->insts[i]->block[k]) check_block(l, s->insts[i]->block[k], of);
    }
}

static void check_bind(wadi_lower *l, const wadi_bind *bind, const shape_of *of) {
    for (int i = 0; i < bind->nargs; i++) check_value(l, bind->args[i], of);
    for (int i = 0; i < bind->nfuns; i++) check_block(l, bind->funs[i]->body, of);
    const bool structured = wadi_skeleton_of(l->y, bind)->control != NULL;
    for (int i = 0; i < l->y->shapes->nchecks; i++) {
        const wadi_shape_check *c = &l->y->shapes->checks[i];
        if (c->bind == bind && !l->status && is_there(l, c->a, of) && is_there(l, c->b, of))
            check_equal(l, c);
    }
    if (!structured && bind->nresults > 0 && !l->m->values[bind->results[0]].type.is_seq &&
        all_there(l, bind->results[0], of)) {
        check_extents(l, bind);
        if (bind->op->keeps_memory) check_size(l, bind);
    }
}

static void check_value(wadi_lower *l, wadi_val v, const shape_of *of) {
    v = wadi_lower_resolve(l, v);
    if (l->seen[v] || l->loc[v].kind != WADI_LOC_NONE || l->m->values[v].def != WADI_DEF_BIND)
        return;
    l->seen[v] = 1;
    check_bind(l, l->m->values[v].bind, of);
}

void wadi_lower_checks(wadi_lower *l, const wadi_bind *bind) {
    if (l->status || l->b.failed) return;
    memset(l->seen, 0, l->m->nvalues);
    check_bind(l, bind, NULL);
}

void wadi_lower_shape_checks(wadi_lower *l, wadi_val v) {
    shape_of of = {.rank = wadi_type_of(l, v)->rank};
    if (l->m->values[v].def != WADI_DEF_BIND) return;
    const wadi_lv any =
        wadi_lb_bin(&l->b, WADI_SOP_GT, wadi_lb_leaf(&l->b, WADI_L_ARG, -1, 4, WADI_LV_NONE),
                    wadi_lb_i64(&l->b, 0)); /* there are elements: the first has the shape */
    for (int d = 0; d < of.rank; d++) {
        of.extent[d] = wadi_shapes_extent(l->y->shapes, v, 0, d);
        if (of.extent[d] == WADI_EXT_NONE) return;
    }
    for (int d = 0; d < of.rank && !l->status && !l->b.failed; d++) {
        const wadi_lv e = wadi_lower_extent(l, v, d);
        if (wadi_lb_inst(&l->b, e)->nonneg) continue;
        wadi_lb_if(&l->b, wadi_lb_bin(&l->b, WADI_SOP_LT, e, wadi_lb_i64(&l->b, 0)));
        wadi_lb_if(&l->b, any);
        memset(l->seen, 0, l->m->nvalues);
        check_bind(l, l->m->values[v].bind, &of);
        wadi_lb_end(&l->b);
        wadi_lb_end(&l->b);
    }
}
