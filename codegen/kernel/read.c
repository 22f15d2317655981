/* How an element of a value is read: from memory, or by computing it on the spot.
 *
 * A delayed producer is read through its operator's index function, which asks for elements of its arguments in turn. So a
 * chain of producers becomes one expression, and fusion needs no rewriting. Elements that were computed in a scope that is
 * still open are remembered; otherwise a diamond of delayed values would be written out once per path. */
#include "codegen/kernel/read.h"

#include <string.h>

#include "base/error.h"
#include "codegen/kernel/check.h"
#include "codegen/kernel/skeleton.h"
#include "codegen/loop/bound.h"
#include "codegen/loop/interior.h"

enum { MAX_DEPTH = 200 };

/* ---- stored values ---- */

/* The outermost scope that a load may move to: there the caller has checked the index, or it is proved to lie in the array. */
static const wadi_lscope *load_limit(wadi_lower *l, int rank, const wadi_lv *extent,
                                     const wadi_lv *ix, wadi_lv at, const wadi_lscope *assured) {
    wadi_lb *b = &l->b;
    if (rank == 0) return b->fun->body;
    if (assured) return assured;
    if (wadi_lb_home(b, at)->depth >= b->scope->depth) return NULL;
    for (int d = 0; d < rank; d++)
        if (!wadi_bound_proved(b, ix[d], extent[d])) return NULL;
    return b->fun->body;
}

static wadi_lv stream_index(wadi_lower *l) {
    const wadi_lv first = wadi_lb_leaf(&l->b, WADI_L_ARG, -1, 2, WADI_LV_NONE);
    wadi_lb_inst(&l->b, first)->bits = 63;
    return wadi_lb_bin(&l->b, WADI_SOP_ADD, first, wadi_lower_number_in(l, l->y->counted));
}

/* `assured`: the outermost scope in which the element is known to exist; NULL: only the present one. */
static void load(wadi_lower *l, wadi_val v, const wadi_lv *ix, const wadi_lscope *assured,
                 wadi_lv *out) {
    const int rank = wadi_type_of(l, v)->rank;
    const wadi_elem *elem = &wadi_type_of(l, v)->elem;
    wadi_lv extent[WADI_MAX_RANK];
    wadi_lower_extents(l, v, extent);
    wadi_lv at = wadi_lower_linear(l, rank, extent, ix);
    const bool is_slot = l->loc[v].kind == WADI_LOC_SLOT;
    if (is_slot && l->loc[v].slot == l->y->counted) {
        out[0] = wadi_lb_name(&l->b, stream_index(l), wadi_lower_name_of(l, v, 0));
        return;
    }
    if (rank == 0 && is_slot && l->y->slots.at[l->loc[v].slot].kind == WADI_SLOT_REGULAR)
        at = wadi_lower_number_in(l, l->loc[v].slot);
    if (l->loc[v].windowed) at = wadi_lb_bin(&l->b, WADI_SOP_SUB, at, l->loc[v].first);
    const wadi_lscope *limit = load_limit(l, rank, extent, ix, at, assured);
    for (int f = 0; f < elem->fields; f++)
        out[f] = wadi_lb_name(&l->b, wadi_lb_load(&l->b, wadi_lower_pointer(l, v, f), at, limit),
                              rank == 0 ? wadi_lower_name_of(l, v, f) : NULL);
}

/* ---- delayed values ---- */

static bool recall(wadi_lower *l, wadi_val v, int rank, const wadi_lv *ix, int fields,
                   wadi_lv *out) {
    for (size_t i = l->memo.n; i-- > 0;) {
        const wadi_memo *m = &l->memo.at[i];
        if (m->v != v || m->rank != rank ||
            (rank > 0 && memcmp(m->ix, ix, (size_t)rank * sizeof *ix) != 0))
            continue;
        if (!wadi_lb_visible(&l->b, m->scope)) continue;
        memcpy(out, m->field, (size_t)fields * sizeof *out);
        return true;
    }
    return false;
}

static void remember(wadi_lower *l, wadi_val v, int rank, const wadi_lv *ix, int fields,
                     const wadi_lv *field) {
    wadi_memo m = {.v = v, .rank = rank, .fields = fields, .scope = l->b.scope};
    if (rank > 0) memcpy(m.ix, ix, (size_t)rank * sizeof *ix);
    memcpy(m.field, field, (size_t)fields * sizeof *field);
    if (l->memo.n > 256) l->memo.n = 0; /* forgetting only costs repeated code */
    if (!wadi_vec_push(&l->memo, m)) l->b.failed = true;
}

/* ---- the abstract builder of index functions ---- */

/* What an index function gets: the lowering, and the operator's name. */
typedef struct rule {
    wadi_lower *l;
    const char *op; /* for faults */
} rule;

static wadi_lower *self_of(wadi_at *cx) {
    return ((const rule *)cx->self)->l;
}

static wadi_sx at_constant(wadi_at *cx, wadi_scalar value) {
    return wadi_lb_const(&self_of(cx)->b, value);
}

static wadi_sx at_prim(wadi_at *cx, wadi_sop op, wadi_type result, int n, const wadi_sx *args) {
    return wadi_lb_prim(&self_of(cx)->b, op, result, n, args);
}

static wadi_sx at_select(wadi_at *cx, wadi_type type, wadi_sx c, wadi_sx a, wadi_sx b) {
    return wadi_lb_select(&self_of(cx)->b, type, c, a, b);
}

static void at_read(wadi_at *cx, wadi_val array, const wadi_sx *ix, wadi_sx *out) {
    wadi_lower_read(self_of(cx), array, ix, out);
}

static void at_read_checked(wadi_at *cx, wadi_val array, const wadi_sx *ix, wadi_loc loc,
                            wadi_sx *out) {
    wadi_lower_read_checked(self_of(cx), array, ix, ((const rule *)cx->self)->op, loc, out);
}

static void at_apply(wadi_at *cx, const wadi_fun *f, const wadi_sx *args, wadi_sx *out) {
    wadi_lower_apply(self_of(cx), f, args, out);
}

static wadi_sx at_extent(wadi_at *cx, wadi_val array, int dim) {
    return wadi_lower_extent(self_of(cx), array, dim);
}

/* Only the side that is taken runs. */
static void branch(wadi_at *cx, wadi_sx c, int n, const wadi_type *types, wadi_at_side side,
                   void *env, wadi_sx *out) {
    wadi_lower *l = self_of(cx);
    wadi_lb *b = &l->b;
    wadi_lv var[WADI_MAX_FIELDS];
    (void)wadi_lower_not_harmless(l);
    for (int f = 0; f < n; f++) var[f] = wadi_lb_var(b, types[f], false, WADI_LV_NONE, "chosen");
    wadi_lb_if(b, c);
    for (int k = 0; k < 2; k++) {
        if (k == 1) wadi_lb_else(b);
        side(cx, env, k == 0, out);
        for (int f = 0; f < n; f++) wadi_lb_set(b, var[f], out[f]);
    }
    wadi_lb_end(b);
    for (int f = 0; f < n; f++) out[f] = wadi_lb_get(b, var[f]);
}

static void at_choose(wadi_at *cx, wadi_sx c, int n, const wadi_type *types, bool light,
                      wadi_at_side side, void *env, wadi_sx *out) {
    wadi_lower *l = self_of(cx);
    wadi_sx other[WADI_MAX_FIELDS];
    int64_t known = 0;
    for (int f = 0; f < WADI_MAX_FIELDS; f++) other[f] = wadi_lb_i64(&l->b, 0);
    for (int f = 0; f < n; f++) out[f] = other[f];
    if (wadi_lb_is_const(&l->b, c, &known)) {
        side(cx, env, known != 0, out);
    } else if (light) {
        side(cx, env, true, out);
        side(cx, env, false, other);
        for (int f = 0; f < n; f++) out[f] = wadi_lb_select(&l->b, types[f], c, out[f], other[f]);
    } else if (wadi_interior_demand(&l->b, c)) {
        side(cx, env, true, out);
    } else {
        branch(cx, c, n, types, side, env, out);
    }
}

static void run_rule(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv *out) {
    static const wadi_at_ops ops = {at_constant,     at_prim,  at_select, at_read,
                                    at_read_checked, at_apply, at_extent, at_choose};
    rule self = {l, bind->op->name};
    /* index functions read the module and never change it */
    wadi_at cx = {&ops, (wadi_module *)(uintptr_t)l->m, &self};
    bind->op->at(&cx, bind, ix, out);
}

/* ---- delayed values ---- */

/* Reshaping keeps the row-major position, so memory is read at that position directly. */
static bool read_reshaped(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv *out) {
    if (!bind->op->keeps_memory) return false;
    const wadi_val source = wadi_lower_resolve(l, bind->args[0]);
    const wadi_vloc_kind kind = l->loc[source].kind;
    const wadi_array_type *t = wadi_type_of(l, source);
    if (t->rank == 0 || (kind != WADI_LOC_SLOT && kind != WADI_LOC_MEMORY)) return false;
    if (l->loc[source].windowed) return false;
    wadi_lv extent[WADI_MAX_RANK];
    wadi_lower_extents(l, bind->results[0], extent);
    const wadi_lv at = wadi_lower_linear(l, wadi_type_of(l, bind->results[0])->rank, extent, ix);
    for (int f = 0; f < t->elem.fields; f++)
        out[f] = wadi_lb_load(&l->b, wadi_lower_pointer(l, source, f), at, NULL);
    return true;
}

void wadi_lower_element(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv *out) {
    const wadi_vloc *at = &l->loc[bind->results[0]];
    const wadi_skeleton_row *row = wadi_skeleton_of(l->y, bind);
    const wadi_lower_position around =
        wadi_lower_at_element(l, wadi_type_of(l, bind->results[0])->rank, ix);
    if (at->kind == WADI_LOC_PARTS) {
        row->element_of_parts(l, bind, at->slot, ix, out);
    } else if (row->element) {
        row->element(l, bind, ix, out);
    } else if (!bind->op->at) {
        wadi_lower_fail(l, bind->loc, WADI_INTERNAL,
                        "%s: its result is delayed, but it has no index function", bind->op->name);
    } else if (!read_reshaped(l, bind, ix, out)) {
        run_rule(l, bind, ix, out);
    }
    l->position = around;
}

static void read_delayed(wadi_lower *l, wadi_val v, int rank, const wadi_lv *ix, int fields,
                         wadi_lv *out) {
    const wadi_value *value = &l->m->values[v];
    if (value->def != WADI_DEF_BIND || wadi_op_has(value->bind->op, WADI_TRAIT_NO_KERNEL) ||
        l->depth > MAX_DEPTH) {
        const wadi_loc loc = value->def == WADI_DEF_BIND ? value->bind->loc : (wadi_loc){0};
        wadi_lower_fail(l, loc, WADI_INTERNAL, "value %s (%u) is read before it is computed",
                        value->name ? value->name : "", v);
        return;
    }
    if (recall(l, v, rank, ix, fields, out)) return;
    l->depth++;
    wadi_lower_element(l, value->bind, ix, out);
    l->depth--;
    if (rank == 0)
        for (int f = 0; f < fields; f++)
            (void)wadi_lb_name(&l->b, out[f], wadi_lower_name_of(l, v, f));
    remember(l, v, rank, ix, fields, out);
}

static void read_within(wadi_lower *l, wadi_val v, const wadi_lv *ix, const wadi_lscope *assured,
                        wadi_lv *out) {
    v = wadi_lower_resolve(l, v);
    const wadi_value *value = &l->m->values[v];
    const wadi_array_type *t = &value->type.array[0];
    for (int f = 0; f < t->elem.fields; f++) out[f] = wadi_lb_i64(&l->b, 0);
    if (l->b.failed || l->status) return;
    if (value->def == WADI_DEF_CONST) {
        out[0] = wadi_lb_const(&l->b, value->imm);
        return;
    }
    switch (l->loc[v].kind) {
    case WADI_LOC_SCALAR:
        memcpy(out, l->loc[v].field, (size_t)t->elem.fields * sizeof *out);
        break;
    case WADI_LOC_SLOT:
    case WADI_LOC_MEMORY:
        load(l, v, ix, assured, out);
        break;
    case WADI_LOC_PARTS:
        wadi_skeleton_of(l->y, value->bind)
            ->element_of_parts(l, value->bind, l->loc[v].slot, ix, out);
        break;
    case WADI_LOC_NONE:
    case WADI_LOC_ALIAS:
        read_delayed(l, v, t->rank, ix, t->elem.fields, out);
        break;
    }
}

void wadi_lower_read(wadi_lower *l, wadi_val v, const wadi_lv *ix, wadi_lv *out) {
    read_within(l, v, ix, NULL, out);
}

static const wadi_lscope *inner(const wadi_lscope *x, const wadi_lscope *y) {
    if (!x || !y) return NULL;
    return x->depth > y->depth ? x : y;
}

void wadi_lower_read_checked(wadi_lower *l, wadi_val v, const wadi_lv *ix, const char *op,
                             wadi_loc loc, wadi_lv *out) {
    const wadi_lscope *limit = l->b.fun->body;
    v = wadi_lower_resolve(l, v);
    const int rank = wadi_type_of(l, v)->rank;
    for (int d = 0; d < rank; d++)
        limit = inner(limit, wadi_lower_in_range(l, ix[d], wadi_lower_extent(l, v, d), op, d, loc));
    const bool stored = l->loc[v].kind == WADI_LOC_SLOT || l->loc[v].kind == WADI_LOC_MEMORY;
    read_within(l, v, ix, stored ? limit : NULL, out);
}

void wadi_lower_read_quietly(wadi_lower *l, wadi_val v, const wadi_lv *ix, wadi_lv bad,
                             wadi_lv *out) {
    wadi_lb *b = &l->b;
    const wadi_elem *e = &wadi_type_of(l, v)->elem;
    wadi_lv x[WADI_MAX_FIELDS], var[WADI_MAX_FIELDS];
    wadi_quiet q;
    for (int f = 0; f < e->fields; f++) {
        const wadi_lv zero = wadi_lb_const(b, (wadi_scalar){.type = e->type[f]});
        var[f] = wadi_lb_var(b, e->type[f], false, zero, "x");
    }
    wadi_lower_quietly(l, bad, &q);
    wadi_lower_read(l, v, ix, x);
    for (int f = 0; f < e->fields; f++) wadi_lb_set(b, var[f], x[f]);
    wadi_lower_quiet_end(l, &q);
    for (int f = 0; f < e->fields; f++) out[f] = wadi_lb_get(b, var[f]);
}
