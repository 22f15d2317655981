/* Where values are, and how an element of one is read: from memory, or by computing it on the spot.
 *
 * A delayed producer is read through its operator's index function, which asks for elements of its arguments in turn; so
 * a chain of producers becomes one expression, and fusion needs no rewriting. Elements already computed in a scope that
 * is still open are remembered, or a diamond of delayed values would be written out once per path. */
#include "codegen/kernel/lower.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "codegen/kernel/bound.h"

enum { MAX_DEPTH = 200 };

/* ---- life ---- */

int wadi_layout_place(wadi_layout *y, const char *op, const char *what, wadi_loc loc) {
    if (loc.call) op = loc.call;
    for (size_t i = 0; i < y->places.n; i++) {
        const wadi_plan_place *p = &y->places.at[i];
        const bool same_file = p->loc.file == loc.file ||
                               (p->loc.file && loc.file && strcmp(p->loc.file, loc.file) == 0);
        if (same_file && p->loc.line == loc.line && strcmp(p->op, op) == 0 &&
            strcmp(p->what, what) == 0)
            return (int)i;
    }
    if (!wadi_vec_push(&y->places, (wadi_plan_place){op, what, loc})) {
        y->failed = true;
        return 0;
    }
    return (int)y->places.n - 1;
}

int wadi_layout_constant(wadi_layout *y, wadi_val v) {
    const wadi_value *value = &y->m->values[v];
    if (y->slot_of[v] >= 0) return y->slot_of[v];
    wadi_array *data = WADI_NEW(y->keep, wadi_array);
    void *cell = wadi_arena_alloc(y->keep, (size_t)wadi_type_size(value->imm.type));
    wadi_plan_slot slot = {.name = value->name,
                           .kind = WADI_SLOT_ONCE,
                           .fields = 1,
                           .type = {value->imm.type},
                           .data = data};
    if (!data || !cell || !wadi_vec_push(&y->slots, slot)) {
        y->failed = true;
        return 0;
    }
    wadi_scalar_store(value->imm, cell);
    *data = (wadi_array){.rank = 0, .fields = 1, .type = {value->imm.type}, .column = {cell}};
    return y->slot_of[v] = (int)y->slots.n - 1;
}

void wadi_lower_init(wadi_lower *l, wadi_layout *y, const char *name, const bool *known) {
    *l = (wadi_lower){.y = y, .m = y->m, .nest_rank = -1};
    wadi_lb_init(&l->b, y->arena, name);
    l->loc = WADI_NEW_N(y->arena, wadi_vloc, y->m->nvalues);
    l->seen = WADI_NEW_N(y->arena, uint8_t, y->m->nvalues);
    if (!l->loc || !l->seen || l->b.failed) {
        l->b.failed = true;
        return;
    }
    for (wadi_val v = 0; v < y->m->nvalues; v++) {
        if (y->alias_of[v] != WADI_NONE)
            l->loc[v] = (wadi_vloc){.kind = WADI_LOC_ALIAS, .alias = y->alias_of[v]};
        else if (y->slot_of[v] >= 0 && known[v])
            l->loc[v] = (wadi_vloc){.kind = WADI_LOC_SLOT, .slot = y->slot_of[v]};
    }
    l->s = wadi_lb_i64(&l->b, 0);
}

wadi_status wadi_lower_fini(wadi_lower *l, wadi_lmodule *out) {
    if (l->b.failed || l->y->failed)
        l->status = l->status
                        ? l->status
                        : wadi_fail(l->y->err, WADI_MEMORY, "out of memory while making kernels");
    if (!l->status) {
        if (out->nfuns == out->cap) {
            const int cap = out->cap ? 2 * out->cap : 8;
            wadi_lfun **funs = WADI_NEW_N(l->y->arena, wadi_lfun *, (size_t)cap);
            if (funs && out->nfuns > 0) memcpy(funs, out->funs, (size_t)out->nfuns * sizeof *funs);
            if (funs) out->funs = funs, out->cap = cap;
        }
        if (out->nfuns < out->cap)
            out->funs[out->nfuns++] = l->b.fun;
        else
            l->status = wadi_fail(l->y->err, WADI_MEMORY, "out of memory while making kernels");
    }
    wadi_lb_fini(&l->b);
    wadi_vec_free(&l->memo);
    wadi_vec_free(&l->checked);
    return l->status;
}

void wadi_lower_fail(wadi_lower *l, wadi_loc loc, wadi_status status, const char *format, ...) {
    if (l->status) return;
    char text[400];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    l->status = wadi_fail_at(l->y->err, loc, status, "%s", text);
}

/* ---- where a value is ---- */

bool wadi_is_stored(const wadi_layout *y, wadi_val v) {
    return y->m->values[v].storage == WADI_STORE_MANIFEST || y->forced[v];
}

wadi_val wadi_lower_resolve(const wadi_lower *l, wadi_val v) {
    while (l->loc[v].kind == WADI_LOC_ALIAS) v = l->loc[v].alias;
    return v;
}

bool wadi_lower_lies_in(const wadi_lower *l, wadi_val v, wadi_val other) {
    return l->y->takes[v] != WADI_NONE &&
           wadi_lower_resolve(l, l->y->takes[v]) == wadi_lower_resolve(l, other);
}

wadi_lv wadi_lower_linear(wadi_lower *l, int rank, const wadi_lv *extent, const wadi_lv *ix) {
    if (rank == 0) return wadi_lb_i64(&l->b, 0);
    wadi_lv at = ix[0];
    for (int d = 1; d < rank; d++)
        at = wadi_lb_bin(&l->b, WADI_SOP_ADD, wadi_lb_bin(&l->b, WADI_SOP_MUL, at, extent[d]),
                         ix[d]);
    return at;
}

static const char *name_of(wadi_lower *l, wadi_val v, int f) {
    const wadi_value *value = &l->m->values[v];
    const char *field = value->type.array[0].elem.name[f];
    if (!value->name || !field) return value->name ? value->name : field;
    return wadi_arena_printf(l->y->arena, "%s_%s", value->name, field);
}

wadi_lv wadi_lower_slot_pointer(wadi_lower *l, int slot, int f, const char *name) {
    const wadi_plan_slot *p = &l->y->slots.at[slot];
    wadi_lb *b = &l->b;
    const wadi_lv column = wadi_lb_name(b, wadi_lb_column(b, slot, f, p->type[f]), name);
    if (p->kind == WADI_SLOT_ONCE) return column;
    if (p->kind == WADI_SLOT_IRREGULAR)
        return wadi_lb_name(
            b,
            wadi_lb_advance(b, column,
                            wadi_lb_leaf(b, WADI_L_OFFSET, slot, 0, wadi_lower_number_in(l, slot))),
            name);
    if (p->rank == 0)
        return column; /* read and written at s: across elements it is a plain vector */
    const wadi_lv stride = wadi_lb_leaf(b, WADI_L_STRIDE, slot, 0, WADI_LV_NONE);
    return wadi_lb_name(
        b,
        wadi_lb_advance(b, column,
                        wadi_lb_bin(b, WADI_SOP_MUL, wadi_lower_number_in(l, slot), stride)),
        name);
}

wadi_lv wadi_lower_pointer(wadi_lower *l, wadi_val v, int f) {
    v = wadi_lower_resolve(l, v);
    const wadi_vloc *at = &l->loc[v];
    if (at->kind == WADI_LOC_MEMORY) return at->field[f];
    WADI_ASSERT(at->kind == WADI_LOC_SLOT);
    return wadi_lower_slot_pointer(l, at->slot, f, name_of(l, v, f));
}

/* How far out a load may move: where the caller has checked, or where the index is proved to lie in the array. */
static const wadi_lscope *load_limit(wadi_lower *l, int rank, const wadi_lv *extent,
                                     const wadi_lv *ix, wadi_lv at) {
    wadi_lb *b = &l->b;
    if (rank == 0) return b->fun->body;
    if (l->assured) return l->assured;
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

static void load(wadi_lower *l, wadi_val v, int rank, const wadi_lv *ix, wadi_lv *out) {
    const wadi_elem *elem = &wadi_type_of(l, v)->elem;
    wadi_lv extent[WADI_MAX_RANK];
    wadi_lower_extents(l, v, extent);
    wadi_lv at = wadi_lower_linear(l, rank, extent, ix);
    const bool is_slot = l->loc[v].kind == WADI_LOC_SLOT;
    if (is_slot && l->loc[v].slot == l->y->counted) {
        out[0] = wadi_lb_name(&l->b, stream_index(l), name_of(l, v, 0));
        return;
    }
    if (rank == 0 && is_slot && l->y->slots.at[l->loc[v].slot].kind == WADI_SLOT_REGULAR)
        at = wadi_lower_number_in(l, l->loc[v].slot);
    const wadi_lscope *limit = load_limit(l, rank, extent, ix, at);
    for (int f = 0; f < elem->fields; f++)
        out[f] = wadi_lb_name(&l->b, wadi_lb_load(&l->b, wadi_lower_pointer(l, v, f), at, limit),
                              rank == 0 ? name_of(l, v, f) : NULL);
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
    if (l->memo.n > 256) l->memo.n = 0; /* forgetting costs repeated code, nothing else */
    if (!wadi_vec_push(&l->memo, m)) l->b.failed = true;
}

/* Reshaping keeps the row-major position, so memory is read at that position directly. */
static bool read_reshaped(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv *out) {
    if (!bind->op->keeps_memory) return false;
    const wadi_val source = wadi_lower_resolve(l, bind->args[0]);
    const wadi_vloc_kind kind = l->loc[source].kind;
    const wadi_array_type *t = wadi_type_of(l, source);
    if (t->rank == 0 || (kind != WADI_LOC_SLOT && kind != WADI_LOC_MEMORY)) return false;
    wadi_lv extent[WADI_MAX_RANK];
    wadi_lower_extents(l, bind->results[0], extent);
    const wadi_lv at = wadi_lower_linear(l, wadi_type_of(l, bind->results[0])->rank, extent, ix);
    for (int f = 0; f < t->elem.fields; f++)
        out[f] = wadi_lb_load(&l->b, wadi_lower_pointer(l, source, f), at, NULL);
    return true;
}

void wadi_lower_element(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv *out) {
    const wadi_vloc *at = &l->loc[bind->results[0]];
    const wadi_where around = l->where;
    l->where = (wadi_where){wadi_type_of(l, bind->results[0])->rank, ix};
    if (at->kind == WADI_LOC_PARTS) {
        wadi_lower_fold_parts(l, bind, at->slot, ix, out);
    } else if (bind->op->skeleton == WADI_SKEL_FOLD) {
        wadi_lower_fold_at(l, bind, ix, out);
    } else if (bind->op->skeleton == WADI_SKEL_FOLD_SEG) {
        wadi_lower_fold_seg_at(l, bind, ix, out);
    } else if (!bind->op->at) {
        wadi_lower_fail(l, bind->loc, WADI_INTERNAL,
                        "%s: its result is delayed, but it has no index function", bind->op->name);
    } else if (!read_reshaped(l, bind, ix, out)) {
        wadi_at cx = wadi_lower_at(l);
        const char *outer = l->op;
        l->op = bind->op->name;
        bind->op->at(&cx, bind, ix, out);
        l->op = outer;
    }
    l->where = around;
}

static void read_delayed(wadi_lower *l, wadi_val v, int rank, const wadi_lv *ix, int fields,
                         wadi_lv *out) {
    const wadi_value *value = &l->m->values[v];
    if (value->def != WADI_DEF_BIND || value->bind->op->skeleton == WADI_SKEL_NONE ||
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
        for (int f = 0; f < fields; f++) (void)wadi_lb_name(&l->b, out[f], name_of(l, v, f));
    remember(l, v, rank, ix, fields, out);
}

void wadi_lower_read(wadi_lower *l, wadi_val v, const wadi_lv *ix, wadi_lv *out) {
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
        load(l, v, t->rank, ix, out);
        break;
    case WADI_LOC_PARTS:
        wadi_lower_fold_parts(l, value->bind, l->loc[v].slot, ix, out);
        break;
    case WADI_LOC_NONE:
    case WADI_LOC_ALIAS:
        read_delayed(l, v, t->rank, ix, t->elem.fields, out);
        break;
    }
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
        limit = inner(limit, wadi_lower_in_range(l, ix[d], wadi_lower_extent(l, v, d), op,
                                                 wadi_lower_dimension(d), loc));
    const bool stored = l->loc[v].kind == WADI_LOC_SLOT || l->loc[v].kind == WADI_LOC_MEMORY;
    l->assured = stored ? limit : NULL;
    wadi_lower_read(l, v, ix, out);
    l->assured = NULL;
}

/* ---- the abstract builder of index functions ---- */

static wadi_lower *self_of(wadi_at *cx) {
    return cx->self;
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
    wadi_lower_read_checked(self_of(cx), array, ix, self_of(cx)->op, loc, out);
}

static void at_apply(wadi_at *cx, const wadi_fun *f, const wadi_sx *args, wadi_sx *out) {
    wadi_lower_apply(self_of(cx), f, args, out);
}

static wadi_sx at_extent(wadi_at *cx, wadi_val array, int dim) {
    return wadi_lower_extent(self_of(cx), array, dim);
}

wadi_at wadi_lower_at(wadi_lower *l) {
    static const wadi_at_ops ops = {at_constant,     at_prim,  at_select, at_read,
                                    at_read_checked, at_apply, at_extent};
    /* index functions read the module and never change it */
    return (wadi_at){&ops, (wadi_module *)(uintptr_t)l->m, l};
}
