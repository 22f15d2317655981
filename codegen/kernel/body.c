/* The bindings of a body or region, computed for one element: where each result lives, and the code that puts it there.
 *
 * Values live in scratch memory or in scalars. Results go to their regular columns at s * stride, or to storage that `emit`
 * provides once their shape is known. */
#include "codegen/kernel/body.h"

#include <string.h>

#include "base/error.h"
#include "codegen/kernel/check.h"
#include "codegen/kernel/compact.h"
#include "codegen/kernel/nest.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/row.h"
#include "codegen/kernel/skeleton.h"
#include "codegen/kernel/state.h"
#include "codegen/kept.h"

/* ---- storage ---- */

static void into_scratch(wadi_lower *l, wadi_val v, int rank, const wadi_lv *extent,
                         wadi_vloc *at) {
    const wadi_elem *e = &wadi_type_of(l, v)->elem;
    at->kind = WADI_LOC_MEMORY;
    wadi_lower_at_work(l, v);
    for (int f = 0; f < e->fields; f++)
        at->field[f] = wadi_lb_scratch(&l->b, e->type[f], rank, extent, l->m->values[v].name);
}

/* room: scratch in which the elements of a short vector lie already, or NONE. */
static void emit(wadi_lower *l, wadi_val v, int slot, int rank, const wadi_lv *extent, wadi_lv room,
                 wadi_lv *pointer) {
    const wadi_elem *e = &wadi_type_of(l, v)->elem;
    const bool near = room != WADI_LV_NONE;
    wadi_lv args[2 + WADI_MAX_RANK];
    args[0] = l->s;
    if (rank > 0) memcpy(args + 1, extent, (size_t)rank * sizeof *args);
    wadi_lower_at_work(l, v);
    if (near) args[1 + rank] = room;
    wadi_linst *storage = wadi_lb_act(&l->b, WADI_L_EMIT, 1 + rank + near, args);
    storage->near = near;
    storage->slot = slot;
    storage->index = l->b.place;
    for (int f = 0; f < e->fields; f++) {
        wadi_linst *i = wadi_lb_act(&l->b, WADI_L_EMITTED, 0, NULL);
        i->slot = slot;
        i->index = f;
        i->type = e->type[f];
        i->pointer = true;
        i->text = l->m->values[v].name;
        pointer[f] = i->self;
    }
}

/* ---- values in the memory of other values ---- */

/* New pointers to the same memory as `pointer`. The builder does not know that they are equal, so it does not replace a load
 * through them by an earlier load through another pointer, whose memory has been overwritten since. */
static void renew(wadi_lower *l, wadi_val v, const wadi_lv *pointer, wadi_lv *out) {
    const wadi_elem *e = &wadi_type_of(l, v)->elem;
    for (int f = 0; f < e->fields; f++) {
        const wadi_lv var = wadi_lb_var(&l->b, e->type[f], true, pointer[f], l->m->values[v].name);
        out[f] = wadi_lb_get(&l->b, var);
    }
}

void wadi_lower_renew_states(wadi_lower *l) {
    for (wadi_val v = 0; v < l->m->nvalues && !l->b.failed; v++) {
        const wadi_val from = l->y->takes[v];
        wadi_lv pointer[WADI_MAX_FIELDS];
        if (from == WADI_NONE || l->m->values[from].def == WADI_DEF_BIND) continue;
        if (l->loc[from].kind != WADI_LOC_SLOT) continue;
        wadi_vloc at = {.kind = WADI_LOC_MEMORY, .own_extents = true};
        for (int d = 0; d < wadi_type_of(l, from)->rank; d++)
            at.extent[d] = wadi_lb_leaf(&l->b, WADI_L_SHAPE, l->loc[from].slot, d, WADI_LV_NONE);
        for (int f = 0; f < wadi_type_of(l, from)->elem.fields; f++)
            pointer[f] = wadi_lower_pointer(l, from, f);
        renew(l, from, pointer, at.field);
        l->loc[from] = at;
    }
}

/* Where the elements of v are stored: in the memory of the value that it takes over, in its own slot if it is a result, in a buffer of
 * the loop whose next state it is, else in scratch memory. */
static wadi_vloc storage(wadi_lower *l, wadi_val v, bool is_result, int rank,
                         const wadi_lv *extent) {
    wadi_vloc at = {.kind = WADI_LOC_MEMORY, .own_extents = rank > 0};
    if (rank > 0) memcpy(at.extent, extent, (size_t)rank * sizeof *extent);
    const int slot = l->y->slot_of[v];
    if (l->y->takes[v] != WADI_NONE) {
        for (int f = 0; f < wadi_type_of(l, v)->elem.fields; f++)
            at.field[f] = wadi_lower_pointer(l, l->y->takes[v], f);
    } else if (!is_result && wadi_round_state_target(l, v, at.field)) {
        wadi_lower_at_work(l, v);
    } else if (!is_result) {
        into_scratch(l, v, rank, extent, &at);
    } else if (l->y->slots.at[slot].kind == WADI_SLOT_REGULAR) {
        at.kind = WADI_LOC_SLOT;
        at.slot = slot;
        at.own_extents = false;
    } else {
        emit(l, v, slot, rank, extent, WADI_LV_NONE, at.field);
    }
    return at;
}

/* ---- one value ---- */

/* Rank 0: readers use the fields as scalars; a result is stored as well. */
static void scalar_value(wadi_lower *l, wadi_val v, const wadi_lv *field, bool is_result) {
    const wadi_elem *e = &wadi_type_of(l, v)->elem;
    wadi_lv pointer[WADI_MAX_FIELDS], at = wadi_lb_i64(&l->b, 0);
    if (is_result && l->y->slots.at[l->y->slot_of[v]].kind == WADI_SLOT_REGULAR) {
        for (int f = 0; f < e->fields; f++)
            pointer[f] = wadi_lb_column(&l->b, l->y->slot_of[v], f, e->type[f]);
        at = l->s;
    } else if (is_result) {
        emit(l, v, l->y->slot_of[v], 0, NULL, WADI_LV_NONE, pointer);
    }
    for (int f = 0; is_result && f < e->fields; f++) wadi_lb_store(&l->b, pointer[f], at, field[f]);
    l->loc[v] = (wadi_vloc){.kind = WADI_LOC_SCALAR};
    memcpy(l->loc[v].field, field, (size_t)e->fields * sizeof *field);
}

static void note(wadi_lower *l, const wadi_bind *bind) {
    if (bind->nresults > 0) wadi_lower_at_work(l, bind->results[0]);
    const char *name = bind->nresults > 0 ? l->m->values[bind->results[0]].name : NULL;
    if (bind->loc.file)
        wadi_lb_note(&l->b, "%s%s%s, %s:%d", name ? name : "", name ? ": " : "", bind->op->name,
                     bind->loc.file, bind->loc.line);
    else
        wadi_lb_note(&l->b, "%s%s%s", name ? name : "", name ? ": " : "", bind->op->name);
}

/* A stored array with another shape is the same memory, so nothing is copied. */
static bool same_memory(wadi_lower *l, const wadi_bind *bind) {
    if (!bind->op->keeps_memory) return false;
    const wadi_val v = bind->results[0], from = wadi_lower_resolve(l, bind->args[0]);
    const wadi_vloc_kind kind = l->loc[from].kind;
    const wadi_array_type *t = wadi_type_of(l, v);
    if (kind != WADI_LOC_MEMORY && kind != WADI_LOC_SLOT) return false;
    if (t->rank == 0 || wadi_type_of(l, from)->rank == 0) return false;
    wadi_vloc at = {.kind = WADI_LOC_MEMORY, .own_extents = true};
    wadi_lower_extents(l, v, at.extent);
    for (int f = 0; f < t->elem.fields; f++) at.field[f] = wadi_lower_pointer(l, from, f);
    l->loc[v] = at;
    return true;
}

static void compute(wadi_lower *l, const wadi_bind *bind, bool is_result) {
    const wadi_val v = bind->results[0];
    const int rank = wadi_type_of(l, v)->rank;
    wadi_lv extent[WADI_MAX_RANK], pointer[WADI_MAX_FIELDS];
    note(l, bind);
    wadi_lower_checks(l, bind);
    if (l->status || l->b.failed) return;
    if (rank == 0 && !wadi_skeleton_of(l->y, bind)->fill) {
        wadi_lower_element(l, bind, NULL, pointer);
        scalar_value(l, v, pointer, is_result);
        return;
    }
    if (!is_result && same_memory(l, bind)) return;
    wadi_lower_extents(l, v, extent);
    wadi_vloc at = storage(l, v, is_result, rank, extent);
    const wadi_vloc none = l->loc[v];
    l->loc[v] = at;
    for (int f = 0; f < wadi_type_of(l, v)->elem.fields; f++)
        pointer[f] = wadi_lower_pointer(l, v, f);
    l->loc[v] = none; /* not readable before it is computed */
    wadi_lower_fill(l, bind, extent, pointer);
    if (l->y->takes[v] != WADI_NONE) renew(l, v, pointer, at.field);
    l->loc[v] = at;
}

/* A fold whose result has rank 0 and is computed here, when its turn comes. */
static bool is_scalar_fold(const wadi_lower *l, const wadi_bind *bind) {
    if (bind->nresults != 1 || !wadi_op_has(bind->op, WADI_TRAIT_REDUCES_ROWS)) return false;
    const wadi_val v = bind->results[0];
    return wadi_type_of(l, v)->rank == 0 && wadi_is_stored(l->y, v) &&
           l->loc[v].kind == WADI_LOC_NONE;
}

/* The first binding and its siblings among the n bindings, if it is such a fold. Returns how many there are. */
static int scalar_siblings(const wadi_lower *l, int n, const wadi_bind *const *binds,
                           const wadi_bind **out) {
    int count = 0;
    if (!is_scalar_fold(l, binds[0])) return 0;
    const int number = l->m->values[binds[0]->results[0]].siblings;
    for (int i = 0; number > 0 && i < n && count < WADI_MAX_FIELDS; i++)
        if (is_scalar_fold(l, binds[i]) && l->m->values[binds[i]->results[0]].siblings == number)
            out[count++] = binds[i];
    return count;
}

/* A fold of rank 0 and its siblings, in one loop. False: it gets a loop of its own. */
static bool computed_together(wadi_lower *l, int n, const wadi_bind *const *binds,
                              const bool *is_result) {
    const wadi_bind *folds[WADI_MAX_FIELDS];
    wadi_lv field[WADI_MAX_FIELDS];
    int count = scalar_siblings(l, n, binds, folds);
    if (count > 1) count = wadi_lower_folds_together(l, count, folds);
    if (count < 2) return false;
    for (int k = 0; k < count; k++) {
        note(l, folds[k]);
        wadi_lower_checks(l, folds[k]);
    }
    if (l->status || l->b.failed) return true;
    wadi_lower_fold_all(l, count, folds, NULL, field);
    for (int k = 0, at = 0; k < count && !l->status && !l->b.failed; k++) {
        const wadi_val v = folds[k]->results[0];
        scalar_value(l, v, field + at, is_result && is_result[v]);
        at += wadi_type_of(l, v)->elem.fields;
    }
    return true;
}

/* ---- a filter, and the count of what it keeps ---- */

/* Rows of fewer elements are counted and placed in one loop. In longer ones SIMD code counts. */
enum { SHORT_ROW = 64 };

/* A result that is a vector of one field and is emitted. */
static bool is_emitted_vector(const wadi_lower *l, wadi_val v, const bool *is_result) {
    const wadi_array_type *t = wadi_type_of(l, v);
    return is_result && is_result[v] && t->rank == 1 && t->elem.fields == 1 &&
           l->y->takes[v] == WADI_NONE && l->loc[v].kind == WADI_LOC_NONE &&
           l->y->slots.at[l->y->slot_of[v]].kind == WADI_SLOT_IRREGULAR;
}

static wadi_val summed_by(const wadi_bind *count) {
    return count->args[count->nargs - 1];
}

/* Whether the count reads all that the filter reads: then whatever can fail when the elements are read fails in the count, and all are as many, which is
 * checked there. */
static bool reads_all(const wadi_lower *l, const wadi_bind *count, const wadi_bind *filter) {
    const wadi_bind *ones = l->m->values[summed_by(count)].bind;
    for (int f = 1; f < filter->nargs; f++) {
        bool found = false;
        for (int k = 0; k < ones->nargs; k++) found = found || ones->args[k] == filter->args[f];
        if (!found) return false;
    }
    return true;
}

/* The filter among the bindings that keeps as many elements as the first of them, a sum, says; or NULL. */
static const wadi_bind *filter_of(const wadi_lower *l, int n, const wadi_bind *const *binds,
                                  const bool *is_result) {
    const wadi_bind *siblings[WADI_MAX_FIELDS], *count = binds[0];
    if (l->y->grouped || !is_scalar_fold(l, count) || count->nargs != 2) return NULL;
    if (scalar_siblings(l, n, binds, siblings) > 1) return NULL;
    for (int i = 1; i < n; i++) {
        const wadi_bind *f = binds[i];
        if (f->nresults != 1 || !wadi_op_has(f->op, WADI_TRAIT_KEEPS)) continue;
        if (f->args[0] == count->results[0] && is_emitted_vector(l, f->results[0], is_result) &&
            wadi_counts_kept(l->m, f) && reads_all(l, count, f))
            return f;
    }
    return NULL;
}

static wadi_lv emit_near(wadi_lower *l, wadi_val v, wadi_lv kept, wadi_lv room) {
    wadi_lv pointer[WADI_MAX_FIELDS];
    emit(l, v, l->y->slot_of[v], 1, &kept, room, pointer);
    return pointer[0];
}

/* The count, then the elements. */
static wadi_lv place_long(wadi_lower *l, const wadi_bind *count, const wadi_bind *filter,
                          wadi_lv *out_kept) {
    const wadi_val v = filter->results[0];
    wadi_lv pointer[WADI_MAX_FIELDS];
    wadi_lower_element(l, count, NULL, out_kept);
    emit(l, v, l->y->slot_of[v], 1, out_kept, WADI_LV_NONE, pointer);
    wadi_lower_compact(l, filter, out_kept, pointer);
    return pointer[0];
}

/* Computes the sum and the filter of its elements. A short row is gone through once: its elements are placed where an emitted vector will lie, and how many
 * they are is known at the end. */
static void count_and_place(wadi_lower *l, const wadi_bind *count, const wadi_bind *filter,
                            const bool *is_result) {
    const wadi_val v = filter->results[0], sum = count->results[0];
    const wadi_type type = wadi_type_of(l, v)->elem.type[0];
    wadi_lb *b = &l->b;
    note(l, count);
    wadi_lower_checks(l, count);
    note(l, filter);
    if (l->status || b->failed) return;
    const wadi_lv n = wadi_lower_extent(l, filter->args[1], 0);
    wadi_lv kept = WADI_LV_NONE, pointer;
    const wadi_lv total = wadi_lb_var(b, WADI_I64, false, WADI_LV_NONE, "total");
    const wadi_lv at = wadi_lb_var(b, type, true, WADI_LV_NONE, l->m->values[v].name);
    wadi_lb_if(b, wadi_lb_bin(b, WADI_SOP_LT, n, wadi_lb_i64(b, SHORT_ROW)));
    const wadi_lv more = wadi_lb_i64(b, WADI_PLACE_BYTES / wadi_type_size(type));
    const wadi_lv room = wadi_lb_near(b, type, wadi_lb_bin(b, WADI_SOP_ADD, n, more), "room");
    kept = wadi_lower_place_short(l, filter, summed_by(count), room);
    pointer = emit_near(l, v, kept, room);
    wadi_lb_set(b, total, kept);
    wadi_lb_set(b, at, pointer);
    wadi_lb_else(b);
    pointer = place_long(l, count, filter, &kept);
    wadi_lb_set(b, total, kept);
    wadi_lb_set(b, at, pointer);
    wadi_lb_end(b);
    kept = wadi_lb_get(b, total);
    scalar_value(l, sum, &kept, is_result && is_result[sum]);
    l->loc[v] = (wadi_vloc){.kind = WADI_LOC_MEMORY, .own_extents = true, .extent = {kept}};
    l->loc[v].field[0] = wadi_lb_get(b, at);
}

/* A routine writes its results where they belong. */
static void call_routine(wadi_lower *l, const wadi_bind *bind, const bool *is_result) {
    wadi_lv extent[WADI_MAX_RANK];
    for (int i = 0; i < bind->nargs; i++) wadi_lower_store(l, bind->args[i]);
    for (int i = 0; i < bind->nresults && !l->status && !l->b.failed; i++) {
        const wadi_val v = bind->results[i];
        wadi_lower_extents(l, v, extent);
        l->loc[v] = storage(l, v, is_result && is_result[v], wadi_type_of(l, v)->rank, extent);
    }
    if (!l->status && !l->b.failed) wadi_skeleton_of(l->y, bind)->call(l, bind);
}

/* The results of a binding that computes all of them at once. */
static void structured(wadi_lower *l, const wadi_bind *bind, const bool *is_result) {
    const wadi_skeleton_row *row = wadi_skeleton_in_body(l->y, bind);
    note(l, bind);
    if (!wadi_is_consumer(l->m, bind)) wadi_lower_checks(l, bind);
    if (l->status || l->b.failed) return;
    if (row->calls && row->calls(l, bind)) {
        call_routine(l, bind, is_result);
        return;
    }
    row->control(l, bind);
    for (int i = 0; i < bind->nresults && !l->status && !l->b.failed; i++) {
        const wadi_val v = bind->results[i];
        const int rank = wadi_type_of(l, v)->rank;
        wadi_lv extent[WADI_MAX_RANK], pointer[WADI_MAX_FIELDS];
        if (!is_result || !is_result[v]) continue;
        if (rank == 0) {
            wadi_lower_read(l, v, NULL, pointer);
            scalar_value(l, v, pointer, true);
            continue;
        }
        wadi_lower_extents(l, v, extent);
        const wadi_vloc in_scratch = l->loc[v], at = storage(l, v, true, rank, extent);
        l->loc[v] = at;
        for (int f = 0; f < wadi_type_of(l, v)->elem.fields; f++)
            pointer[f] = wadi_lower_pointer(l, v, f);
        l->loc[v] = in_scratch;
        wadi_lower_copy(l, v, extent, pointer);
    }
}

void wadi_lower_store(wadi_lower *l, wadi_val v) {
    v = wadi_lower_resolve(l, v);
    const wadi_value *value = &l->m->values[v];
    if (l->loc[v].kind == WADI_LOC_NONE && value->def == WADI_DEF_BIND && !l->status)
        compute(l, value->bind, false);
    if (value->def == WADI_DEF_CONST && l->loc[v].kind == WADI_LOC_NONE) {
        wadi_lv field[WADI_MAX_FIELDS] = {wadi_lb_const(&l->b, value->imm)};
        scalar_value(l, v, field, false);
    }
}

void wadi_lower_binds(wadi_lower *l, int n, const wadi_bind *const *binds, const bool *is_result) {
    for (int i = 0; i < n && !l->status && !l->b.failed; i++) {
        const wadi_bind *bind = binds[i];
        if (bind->nresults == 0) continue;
        if (wadi_skeleton_in_body(l->y, bind)->control) {
            structured(l, bind, is_result);
            continue;
        }
        if (bind->op->kind == WADI_OP_SEQUENCE || wadi_op_has(bind->op, WADI_TRAIT_NO_KERNEL))
            continue;
        const wadi_bind *filter = filter_of(l, n - i, binds + i, is_result);
        if (filter != NULL)
            count_and_place(l, bind, filter, is_result);
        else if (wadi_is_stored(l->y, bind->results[0]) &&
                 l->loc[bind->results[0]].kind == WADI_LOC_NONE &&
                 !computed_together(l, n - i, binds + i, is_result))
            compute(l, bind, is_result && is_result[bind->results[0]]);
    }
}

void wadi_lower_copy_out(wadi_lower *l, wadi_val v, int slot) {
    if (l->status || l->b.failed) return;
    v = wadi_lower_resolve(l, v);
    const int rank = wadi_type_of(l, v)->rank;
    wadi_lv extent[WADI_MAX_RANK], pointer[WADI_MAX_FIELDS], field[WADI_MAX_FIELDS];
    if (rank > 0) wadi_lower_store(l, v);
    wadi_lower_extents(l, v, extent);
    emit(l, v, slot, rank, extent, WADI_LV_NONE, pointer);
    if (rank > 0) {
        wadi_lower_copy(l, v, extent, pointer);
        return;
    }
    wadi_lower_read(l, v, NULL, field);
    for (int f = 0; f < wadi_type_of(l, v)->elem.fields; f++)
        wadi_lb_store(&l->b, pointer[f], wadi_lb_i64(&l->b, 0), field[f]);
}

/* ---- scratch memory ---- */

static bool uses_scratch(const wadi_lscope *s) {
    for (int i = 0; i < s->n; i++) {
        if (s->inst[i]->kind == WADI_L_SCRATCH && !s->inst[i]->near) return true;
        if (s->inst[i]->kind == WADI_L_MARK) return true;
        for (int k = 0; k < 2; k++)
            if (s->inst[i]->block[k] && uses_scratch(s->inst[i]->block[k])) return true;
    }
    return false;
}

wadi_lv wadi_lower_mark_front(wadi_lower *l) {
    wadi_lb *b = &l->b;
    if (b->failed || !uses_scratch(b->scope)) return WADI_LV_NONE;
    wadi_linst *mark = wadi_lb_act(b, WADI_L_MARK, 0, NULL);
    wadi_lscope *s = b->scope;
    if (b->failed) return WADI_LV_NONE;
    memmove(s->inst + 1, s->inst, (size_t)(s->n - 1) * sizeof *s->inst);
    s->inst[0] = mark;
    return mark->self;
}
