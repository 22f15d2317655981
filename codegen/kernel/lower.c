/* Beginning and ending a kernel, and where its values are. */
#include "codegen/kernel/lower.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/format.h"

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

void wadi_lower_init(wadi_lower *l, wadi_layout *y, const wadi_lowered *of) {
    *l = (wadi_lower){.y = y, .m = y->m, .of = *of, .position = {.rank = -1}};
    wadi_lb_init(&l->b, y->arena, of->name);
    l->loc = WADI_NEW_N(y->arena, wadi_vloc, y->m->nvalues);
    l->seen = WADI_NEW_N(y->arena, uint8_t, y->m->nvalues);
    l->aimed = WADI_NEW_N(y->arena, struct wadi_holder *, y->m->nvalues);
    if (!l->loc || !l->seen || !l->aimed || l->b.failed) {
        l->b.failed = true;
        return;
    }
    for (wadi_val v = 0; v < y->m->nvalues; v++) {
        if (y->alias_of[v] != WADI_NONE)
            l->loc[v] = (wadi_vloc){.kind = WADI_LOC_ALIAS, .alias = y->alias_of[v]};
        else if (y->slot_of[v] >= 0 && of->known[v])
            l->loc[v] = (wadi_vloc){.kind = WADI_LOC_SLOT, .slot = y->slot_of[v]};
        else if (of->parts && of->parts[v] >= 0)
            l->loc[v] = (wadi_vloc){.kind = WADI_LOC_PARTS, .slot = of->parts[v]};
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
    wadi_vec_free(&l->extents);
    return l->status;
}

void wadi_lower_fail(wadi_lower *l, wadi_loc loc, wadi_status status, const char *format, ...) {
    if (l->status) return;
    char text[400];
    va_list list;
    va_start(list, format);
    (void)wadi_format_list(text, sizeof text, format, list);
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

const char *wadi_lower_name_of(wadi_lower *l, wadi_val v, int f) {
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
    return wadi_lower_slot_pointer(l, at->slot, f, wadi_lower_name_of(l, v, f));
}
