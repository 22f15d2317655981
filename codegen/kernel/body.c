/* Schedules inside and across: one worker computes the whole body for one element after the other.
 *
 * Values live in scratch memory, which is given back after each element, or in scalars. Results go to their regular
 * columns at s * stride, or to storage asked for with `emit` once their shape is known. Across is the same text for bodies
 * in which everything is a scalar: the loop over elements is then the innermost one and vectorises. */
#include "codegen/kernel/lower.h"

#include <string.h>

#include "base/error.h"

/* ---- storage ---- */

static void into_scratch(wadi_lower *l, wadi_val v, int rank, const wadi_lv *extent,
                         wadi_vloc *at) {
    const wadi_elem *e = &wadi_type_of(l, v)->elem;
    at->kind = WADI_LOC_MEMORY;
    wadi_lower_at_work(l, v);
    for (int f = 0; f < e->fields; f++)
        at->field[f] = wadi_lb_scratch(&l->b, e->type[f], rank, extent, l->m->values[v].name);
}

static void emit(wadi_lower *l, wadi_val v, int slot, int rank, const wadi_lv *extent,
                 wadi_lv *pointer) {
    const wadi_elem *e = &wadi_type_of(l, v)->elem;
    wadi_lv args[1 + WADI_MAX_RANK];
    args[0] = l->s;
    if (rank > 0) memcpy(args + 1, extent, (size_t)rank * sizeof *args);
    wadi_lower_at_work(l, v);
    wadi_linst *storage = wadi_lb_act(&l->b, WADI_L_EMIT, 1 + rank, args);
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

/* ---- values in the memory of others ---- */

/* Pointers like `pointer`, of which the builder knows nothing: what is read through them is read from here on, and not taken for
 * what other pointers to the same memory have read. */
static void renew(wadi_lower *l, wadi_val v, const wadi_lv *pointer, wadi_lv *out) {
    const wadi_elem *e = &wadi_type_of(l, v)->elem;
    for (int f = 0; f < e->fields; f++) {
        const wadi_lv var = wadi_lb_var(&l->b, e->type[f], true, pointer[f], l->m->values[v].name);
        out[f] = wadi_lb_get(&l->b, var);
    }
}

/* The states whose memory this body writes: what is read of them is read anew for each element. */
static void renew_states(wadi_lower *l) {
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

/* Where the elements of v go: into another's memory, its own slot if it is a result, else scratch. */
static wadi_vloc storage(wadi_lower *l, wadi_val v, bool is_result, int rank,
                         const wadi_lv *extent) {
    wadi_vloc at = {.kind = WADI_LOC_MEMORY, .own_extents = rank > 0};
    if (rank > 0) memcpy(at.extent, extent, (size_t)rank * sizeof *extent);
    const int slot = l->y->slot_of[v];
    if (l->y->takes[v] != WADI_NONE) {
        for (int f = 0; f < wadi_type_of(l, v)->elem.fields; f++)
            at.field[f] = wadi_lower_pointer(l, l->y->takes[v], f);
    } else if (!is_result) {
        into_scratch(l, v, rank, extent, &at);
    } else if (l->y->slots.at[slot].kind == WADI_SLOT_REGULAR) {
        at.kind = WADI_LOC_SLOT;
        at.slot = slot;
        at.own_extents = false;
    } else {
        emit(l, v, slot, rank, extent, at.field);
    }
    return at;
}

/* ---- one value ---- */

/* Rank 0: the fields are scalars for all who read them; a result is stored too. */
static void scalar_value(wadi_lower *l, wadi_val v, const wadi_lv *field, bool is_result) {
    const wadi_elem *e = &wadi_type_of(l, v)->elem;
    wadi_lv pointer[WADI_MAX_FIELDS], at = wadi_lb_i64(&l->b, 0);
    if (is_result && l->y->slots.at[l->y->slot_of[v]].kind == WADI_SLOT_REGULAR) {
        for (int f = 0; f < e->fields; f++)
            pointer[f] = wadi_lb_column(&l->b, l->y->slot_of[v], f, e->type[f]);
        at = l->s;
    } else if (is_result) {
        emit(l, v, l->y->slot_of[v], 0, NULL, pointer);
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

/* Another shape of an array that is stored is the same memory. */
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
    if (rank == 0 && bind->op->skeleton != WADI_SKEL_PERMUTE) {
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
    l->loc[v] = none; /* not readable before it is there */
    wadi_lower_fill(l, bind, extent, pointer);
    if (l->y->takes[v] != WADI_NONE) renew(l, v, pointer, at.field);
    l->loc[v] = at;
}

/* A fold of rank 0, and those after it that run over the same row, in one loop. False: it goes alone. */
static bool computed_together(wadi_lower *l, int n, const wadi_bind *const *binds,
                              const bool *is_result) {
    const wadi_bind *folds[WADI_MAX_FIELDS];
    wadi_lv field[WADI_MAX_FIELDS];
    const int count = wadi_lower_folds_together(l, n, binds, folds);
    if (count < 2) return false;
    for (int k = 0; k < count; k++) {
        note(l, folds[k]);
        wadi_lower_checks(l, folds[k]);
    }
    if (l->status || l->b.failed) return true;
    wadi_lower_fold_all(l, count, folds, field);
    for (int k = 0; k < count && !l->status && !l->b.failed; k++) {
        const wadi_val v = folds[k]->results[0];
        scalar_value(l, v, field + k * wadi_type_of(l, v)->elem.fields, is_result && is_result[v]);
    }
    return true;
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
    if (!l->status && !l->b.failed) wadi_lower_call(l, bind);
}

static bool is_structured(const wadi_lower *l, const wadi_bind *bind) {
    if (wadi_is_consumer(l, bind)) return true;
    switch (bind->op->skeleton) {
    case WADI_SKEL_COND:
    case WADI_SKEL_LOOP:
    case WADI_SKEL_FOREIGN:
    case WADI_SKEL_LIFTED:
        return true;
    default:
        return false;
    }
}

static void structured(wadi_lower *l, const wadi_bind *bind, const bool *is_result) {
    const bool consumer = wadi_is_consumer(l, bind);
    note(l, bind);
    if (!consumer) wadi_lower_checks(l, bind);
    if (l->status || l->b.failed) return;
    if (wadi_lower_calls(l, bind)) {
        call_routine(l, bind, is_result);
        return;
    }
    if (consumer)
        wadi_lower_consume(l, bind);
    else if (bind->op->skeleton == WADI_SKEL_COND)
        wadi_lower_cond(l, bind);
    else if (bind->op->skeleton == WADI_SKEL_LOOP)
        wadi_lower_loop(l, bind);
    else
        wadi_lower_region(l, bind);
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

bool wadi_is_consumer(const wadi_lower *l, const wadi_bind *bind) {
    return bind->op->kind == WADI_OP_SEQUENCE && bind->nresults > 0 &&
           !l->m->values[bind->results[0]].type.is_seq;
}

void wadi_lower_binds(wadi_lower *l, int n, const wadi_bind *const *binds, const bool *is_result) {
    for (int i = 0; i < n && !l->status && !l->b.failed; i++) {
        const wadi_bind *bind = binds[i];
        if (bind->nresults == 0) continue;
        if (is_structured(l, bind)) {
            structured(l, bind, is_result);
            continue;
        }
        if (bind->op->kind == WADI_OP_SEQUENCE || bind->op->skeleton == WADI_SKEL_NONE) continue;
        if (wadi_is_stored(l->y, bind->results[0]) &&
            l->loc[bind->results[0]].kind == WADI_LOC_NONE &&
            !computed_together(l, n - i, binds + i, is_result))
            compute(l, bind, is_result && is_result[bind->results[0]]);
    }
}

/* A value that is stored elsewhere, or is another's slot, into emitted storage of its own. */
static void copy_out(wadi_lower *l, wadi_val v, int slot) {
    if (l->status || l->b.failed) return;
    v = wadi_lower_resolve(l, v);
    const int rank = wadi_type_of(l, v)->rank;
    wadi_lv extent[WADI_MAX_RANK], pointer[WADI_MAX_FIELDS], field[WADI_MAX_FIELDS];
    if (rank > 0) wadi_lower_store(l, v);
    wadi_lower_extents(l, v, extent);
    emit(l, v, slot, rank, extent, pointer);
    if (rank > 0) {
        wadi_lower_copy(l, v, extent, pointer);
        return;
    }
    wadi_lower_read(l, v, NULL, field);
    for (int f = 0; f < wadi_type_of(l, v)->elem.fields; f++)
        wadi_lb_store(&l->b, pointer[f], wadi_lb_i64(&l->b, 0), field[f]);
}

/* ---- the kernels ---- */

static bool uses_scratch(const wadi_lscope *s) {
    for (int i = 0; i < s->n; i++) {
        if (s->inst[i]->kind == WADI_L_SCRATCH || s->inst[i]->kind == WADI_L_MARK) return true;
        for (int k = 0; k < 2; k++)
            if (s->inst[i]->block[k] && uses_scratch(s->inst[i]->block[k])) return true;
    }
    return false;
}

static bool is_straight(const wadi_lscope *s) {
    for (int i = 0; i < s->n; i++)
        if (s->inst[i]->block[0] || s->inst[i]->kind == WADI_L_VAR) return false;
    return true;
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

/* The scratch of an element is given back at its end. */
static void give_back_scratch(wadi_lower *l) {
    const wadi_lv mark = wadi_lower_mark_front(l);
    if (mark != WADI_LV_NONE) (void)wadi_lb_act(&l->b, WADI_L_REWIND, 1, &mark);
}

static bool *result_set(wadi_layout *y, const wadi_body *body) {
    bool *set = WADI_NEW_N(y->arena, bool, y->m->nvalues);
    for (int i = 0; set && i < body->nresults; i++) set[body->results[i]] = true;
    return set;
}

/* ---- states whose rows are shared ---- */

enum { PATCH_GUESS = 256 }; /* elements of a patch whose size only its element knows */

/* A permute that adds patches to the state where it lies. */
static bool is_shared(const wadi_layout *y, const wadi_bind *b) {
    enum { CHEAP = 100 }; /* see flat_scatter.c */
    if (b->op->skeleton != WADI_SKEL_PERMUTE) return false;
    const wadi_value *v = y->m->values;
    wadi_val defaults = b->args[0];
    while (y->alias_of[defaults] != WADI_NONE) defaults = y->alias_of[defaults];
    return y->takes[b->results[0]] == defaults && v[b->args[1]].type.array[0].rank >= 2 &&
           wadi_lower_cost(b->funs[0]) < CHEAP;
}

/* The body does nothing but that: what else it computes is scalars, or delayed. */
static bool only_shares(const wadi_layout *y, const wadi_body *body) {
    bool any = false;
    if (!body->in_order || body->ncarried > 0 || body->nresults > 0) return false;
    for (int i = 0; i < body->nbinds; i++) {
        const wadi_bind *b = body->binds[i];
        if (b->nblocks > 0 || b->op->kind == WADI_OP_SEQUENCE || b->nresults != 1) return false;
        if (!wadi_is_stored(y, b->results[0])) continue;
        if (y->m->values[b->results[0]].type.array[0].rank == 0) continue;
        if (!is_shared(y, b)) return false;
        any = true;
    }
    return any;
}

/* Whether the rows that the patches go to are known, by trying. */
static bool shares_rows(wadi_layout *y, const wadi_body *body, const bool *known) {
    wadi_lower l;
    wadi_lmodule none = {0};
    bool has = only_shares(y, body);
    if (!has) return false;
    wadi_lower_init(&l, y, "trial", known);
    if (!l.b.failed) l.s = wadi_lb_for(&l.b, wadi_lb_i64(&l.b, 0), wadi_lb_i64(&l.b, 1), 1, "s");
    for (int i = 0; i < body->nbinds && has && !l.b.failed; i++)
        if (wadi_is_stored(y, body->binds[i]->results[0]) && is_shared(y, body->binds[i]))
            has = wadi_lower_has_rows(&l, body->binds[i]);
    if (!l.b.failed) wadi_lb_end(&l.b);
    return wadi_lower_fini(&l, &none) == WADI_OK && has;
}

static wadi_lv argument(wadi_lower *l, int which) {
    return wadi_lb_leaf(&l->b, WADI_L_ARG, -1, which, WADI_LV_NONE);
}

/* All units stand at element 0. */
static wadi_lv share_count(wadi_lower *l) {
    const wadi_lv guess = wadi_lb_i64(&l->b, PATCH_GUESS);
    return wadi_lower_shares(l, wadi_lb_bin(&l->b, WADI_SOP_MUL, argument(l, 4), guess), guess);
}

static wadi_status share_units(wadi_layout *y, const bool *known, const char *name,
                               wadi_lmodule *out) {
    wadi_lower l;
    wadi_lower_init(&l, y, name, known);
    wadi_lb *b = &l.b;
    if (!b->failed) {
        const wadi_lv n = share_count(&l), zero = wadi_lb_i64(b, 0);
        const wadi_lv s = wadi_lb_for(b, argument(&l, 0), argument(&l, 1), 1, "s");
        const wadi_lv at_first =
            wadi_lb_select(b, WADI_I64, wadi_lb_bin(b, WADI_SOP_EQ, s, zero), n, zero);
        (void)wadi_lb_act(b, WADI_L_SETUNIT, 2, (const wadi_lv[]){at_first, s});
        wadi_lb_end(b);
    }
    return wadi_lower_fini(&l, out);
}

/* ---- the kernel ---- */

/* All elements in order; `shares`: for each unit again, which does its own rows. */
static void elements(wadi_lower *l, const wadi_body *body, const bool *is_result, bool shares) {
    wadi_lb *b = &l->b;
    wadi_share share = {0};
    wadi_lv begin = argument(l, 0), end = argument(l, 1);
    if (shares) {
        share.mask = wadi_lb_bin(b, WADI_SOP_SUB, share_count(l), wadi_lb_i64(b, 1));
        share.number = wadi_lb_for(b, begin, end, 1, "unit");
        l->share = &share;
        begin = wadi_lb_i64(b, 0);
        end = argument(l, 4);
    }
    const wadi_lv *carried = wadi_carry_begin(l, body);
    l->s = wadi_lb_for(b, begin, end, 1, "s");
    wadi_carry_get(l, body, carried);
    renew_states(l);
    wadi_lower_binds(l, body->nbinds, body->binds, is_result);
    for (int i = 0; i < body->ncopies; i++) copy_out(l, body->copies[i].v, body->copies[i].slot);
    wadi_carry_next(l, body, carried);
    give_back_scratch(l);
    if (!b->failed) b->scope->owner->independent = is_straight(b->scope) && !body->in_order;
    wadi_lb_end(b);
    wadi_carry_end(l, body, carried);
    if (shares) wadi_lb_end(b);
    l->share = NULL;
}

static wadi_status run_kernel(wadi_layout *y, const wadi_body *body, const bool *known,
                              const char *name, bool shares, wadi_lmodule *out) {
    wadi_lower l;
    wadi_lower_init(&l, y, name, known);
    wadi_lb *b = &l.b;
    const bool *is_result = result_set(y, body);
    if (!is_result) b->failed = true;
    l.level = body->level;
    l.inner = body->inner;
    for (wadi_val v = 0; body->parts && v < y->m->nvalues && !b->failed; v++)
        if (body->parts[v] >= 0 && l.loc[v].kind == WADI_LOC_NONE)
            l.loc[v] = (wadi_vloc){.kind = WADI_LOC_PARTS, .slot = body->parts[v]};
    if (!b->failed) elements(&l, body, is_result, shares);
    return wadi_lower_fini(&l, out);
}

/* Writes the shapes of the regular results that have one. */
static wadi_status shape_kernel(wadi_layout *y, const wadi_body *body, const bool *known,
                                const char *name, wadi_lmodule *out) {
    wadi_lower l;
    wadi_lower_init(&l, y, name, known);
    for (int i = 0; i < body->nresults && !l.b.failed; i++) {
        const int slot = y->slot_of[body->results[i]];
        if (y->slots.at[slot].kind != WADI_SLOT_REGULAR) continue;
        wadi_lower_shape_checks(&l, body->results[i]);
        for (int d = 0; d < y->slots.at[slot].rank; d++) {
            const wadi_lv e = wadi_lower_extent(&l, body->results[i], d);
            wadi_linst *set = wadi_lb_act(&l.b, WADI_L_SETSHAPE, 1, &e);
            set->slot = slot;
            set->index = d;
        }
    }
    return wadi_lower_fini(&l, out);
}

static bool share_an_extent(const wadi_layout *y, wadi_val x, wadi_val v) {
    const wadi_val_type *a = &y->m->values[x].type, *b = &y->m->values[v].type;
    for (int d = 0; !a->is_seq && d < a->array->rank; d++)
        for (int k = 0; k < b->array->rank; k++) {
            const wadi_ext e = wadi_shapes_extent(y->shapes, x, 0, d),
                           f = wadi_shapes_extent(y->shapes, v, 0, k);
            if (e != WADI_EXT_NONE && f != WADI_EXT_NONE && wadi_ext_same(y->shapes->extents, e, f))
                return true;
        }
    return false;
}

/* Who says what extents a result in `slot` has: the first computation of the body that has one of them. */
static int place_of_slot(wadi_layout *y, const wadi_body *body, int slot) {
    const wadi_bind *bind = NULL;
    for (int i = 0; i < body->nresults; i++) {
        const wadi_val v = body->results[i];
        if (y->slot_of[v] != slot || y->m->values[v].def != WADI_DEF_BIND) continue;
        for (int k = 0; k < body->nbinds && bind == NULL; k++)
            if (body->binds[k]->nresults > 0 && share_an_extent(y, body->binds[k]->results[0], v))
                bind = body->binds[k];
        if (bind == NULL) bind = y->m->values[v].bind;
    }
    return bind ? wadi_layout_place(y, bind->op->name, "", bind->loc)
                : wadi_layout_place(y, body->name, "", (wadi_loc){0});
}

static wadi_status plan_steps(wadi_layout *y, const wadi_body *body, const bool *known,
                              const char *run, wadi_lmodule *out, wadi_plan_version *v) {
    int *slots = WADI_NEW_N(y->keep, int, (size_t)(body->nresults + body->ncarried) + 1);
    int *emitted = WADI_NEW_N(y->keep, int, (size_t)(body->nresults + body->ncopies) + 1);
    wadi_plan_step *steps =
        WADI_NEW_N(y->keep, wadi_plan_step, (size_t)(body->nresults + body->ncarried) + 2);
    if (!slots || !emitted || !steps)
        return wadi_fail(y->err, WADI_MEMORY, "out of memory while making kernels");
    int n = 0, nemitted = 0;
    bool shaped = false;
    for (int i = 0; i < body->nresults; i++) {
        const int slot = y->slot_of[body->results[i]];
        if (y->slots.at[slot].kind != WADI_SLOT_REGULAR) {
            emitted[nemitted++] = slot;
            continue;
        }
        slots[n++] = slot;
        shaped = shaped || y->slots.at[slot].rank > 0;
    }
    for (int i = 0; i < body->ncopies; i++) emitted[nemitted++] = body->copies[i].slot;
    for (int i = 0; i < body->ncarried; i++)
        if (body->carried[i].after >= 0) slots[n++] = body->carried[i].after;
    v->steps = steps;
    if (shaped) {
        const char *name = wadi_arena_printf(y->keep, "%s_shapes", body->name);
        steps[v->nsteps++] =
            (wadi_plan_step){.kind = WADI_STEP_SHAPE, .kernel = name, .nslots = n, .slots = slots};
        WADI_TRY(shape_kernel(y, body, known, name, out));
    }
    for (int i = 0; i < n; i++)
        steps[v->nsteps++] = (wadi_plan_step){.kind = WADI_STEP_ALLOC,
                                              .nslots = 1,
                                              .slots = &slots[i],
                                              .place = place_of_slot(y, body, slots[i])};
    steps[v->nsteps++] =
        (wadi_plan_step){.kind = WADI_STEP_RUN,
                         .kernel = run,
                         .nslots = nemitted,
                         .slots = emitted,
                         .place = wadi_layout_place(y, body->name, "", (wadi_loc){0}),
                         .serial = body->in_order};
    return WADI_OK;
}

/* The rows of a state that only ever gets patches added are shared by workers. */
static wadi_status lower_shares(wadi_layout *y, const wadi_body *body, const bool *known,
                                const char *run, wadi_lmodule *out, wadi_plan_version *v) {
    const char *units = wadi_arena_printf(y->keep, "%s_units", body->name);
    wadi_plan_step *step = WADI_NEW(y->keep, wadi_plan_step);
    if (!units || !step)
        return wadi_fail(y->err, WADI_MEMORY, "out of memory while making kernels");
    *step = (wadi_plan_step){.kind = WADI_STEP_FLAT,
                             .kernel = run,
                             .units = units,
                             .apart = true,
                             .place = wadi_layout_place(y, body->name, "", (wadi_loc){0})};
    v->steps = step;
    v->nsteps = 1;
    WADI_TRY(share_units(y, known, units, out));
    return run_kernel(y, body, known, run, true, out);
}

wadi_status wadi_lower_inside(wadi_layout *y, const wadi_body *body, const bool *known, bool across,
                              wadi_lmodule *out, wadi_plan_version *out_version) {
    const char *run = wadi_arena_printf(y->keep, "%s_%s", body->name, across ? "across" : "inside");
    if (!run) return wadi_fail(y->err, WADI_MEMORY, "out of memory while making kernels");
    if (shares_rows(y, body, known)) return lower_shares(y, body, known, run, out, out_version);
    WADI_TRY(plan_steps(y, body, known, run, out, out_version));
    return run_kernel(y, body, known, run, false, out);
}
