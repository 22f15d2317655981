/* Schedules inside and across: one worker computes the whole body for one element after another.
 *
 * Scratch memory is given back after each element. Schedule across is the same text for bodies in which everything is a scalar;
 * the loop over elements is then the innermost one and vectorises. If the body only adds patches to a state, workers share the
 * state by rows: each adds what goes to its own rows. */
#include "codegen/kernel/inside.h"

#include "base/error.h"
#include "codegen/kernel/body.h"
#include "codegen/kernel/permute.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/skeleton.h"
#include "codegen/kernel/work.h"

static bool is_straight(const wadi_lscope *s) {
    for (int i = 0; i < s->n; i++)
        if (s->inst[i]->block[0] || s->inst[i]->kind == WADI_L_VAR) return false;
    return true;
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

static bool is_shared(const wadi_layout *y, const wadi_bind *b) {
    const wadi_skeleton_row *row = wadi_skeleton_of(y, b);
    return row->is_shared && row->is_shared(y, b);
}

/* Whether the body only adds patches to such states: everything else that it computes is a scalar or delayed. */
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

/* Whether the rows that the patches go to are known before their elements. Tries to write the code, which tells. */
static bool shares_rows(wadi_layout *y, const wadi_body *body, const bool *known) {
    wadi_lower l;
    wadi_lmodule none = {0};
    bool has = only_shares(y, body);
    if (!has) return false;
    wadi_lower_init(&l, y, &(wadi_lowered){.name = "trial", .known = known});
    if (!l.b.failed) l.s = wadi_lb_for(&l.b, wadi_lb_i64(&l.b, 0), wadi_lb_i64(&l.b, 1), 1, "s");
    for (int i = 0; i < body->nbinds && has && !l.b.failed; i++)
        if (wadi_is_stored(y, body->binds[i]->results[0]) && is_shared(y, body->binds[i]))
            has = wadi_skeleton_of(y, body->binds[i])->has_rows(&l, body->binds[i]);
    if (!l.b.failed) wadi_lb_end(&l.b);
    return wadi_lower_fini(&l, &none) == WADI_OK && has;
}

static wadi_lv argument(wadi_lower *l, int which) {
    return wadi_lb_leaf(&l->b, WADI_L_ARG, -1, which, WADI_LV_NONE);
}

/* How many units share the states. It is computed as at element 0. */
static wadi_lv share_count(wadi_lower *l) {
    const wadi_lv guess = wadi_lb_i64(&l->b, PATCH_GUESS);
    return wadi_lower_shares(l, wadi_lb_bin(&l->b, WADI_SOP_MUL, argument(l, 4), guess), guess);
}

static wadi_status share_units(wadi_layout *y, const bool *known, const char *name,
                               wadi_lmodule *out) {
    wadi_lower l;
    wadi_lower_init(&l, y, &(wadi_lowered){.name = name, .known = known});
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

/* All elements in order. `shares`: each unit goes through all of them and does only its own rows. */
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
    wadi_lower_renew_states(l);
    wadi_lower_binds(l, body->nbinds, body->binds, is_result);
    for (int i = 0; i < body->ncopies; i++)
        wadi_lower_copy_out(l, body->copies[i].v, body->copies[i].slot);
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
    const wadi_lowered of = {.name = name,
                             .known = known,
                             .level = body->level,
                             .parts = body->parts,
                             .inner = body->inner};
    wadi_lower_init(&l, y, &of);
    wadi_lb *b = &l.b;
    const bool *is_result = result_set(y, body);
    if (!is_result) b->failed = true;
    if (!b->failed) elements(&l, body, is_result, shares);
    return wadi_lower_fini(&l, out);
}

/* Writes the shapes of the regular results that have one. */
static wadi_status shape_kernel(wadi_layout *y, const wadi_body *body, const bool *known,
                                const char *name, wadi_lmodule *out) {
    wadi_lower l;
    wadi_lower_init(&l, y, &(wadi_lowered){.name = name, .known = known});
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

/* The place that a fault about the extents of `slot` names: the first binding of the body that has one of these extents. */
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

/* What is delayed, its readers compute. */
static wadi_status note_work(const wadi_layout *y, const wadi_body *body, wadi_plan_step *run) {
    const wadi_bind **binds = WADI_NEW_N(y->arena, const wadi_bind *, (size_t)body->nbinds + 1);
    int n = 0;
    for (int i = 0; binds && i < body->nbinds; i++)
        if (body->binds[i]->nresults == 1 &&
            !y->m->values[body->binds[i]->results[0]].type.is_seq &&
            wadi_is_stored(y, body->binds[i]->results[0]))
            binds[n++] = body->binds[i];
    if (binds && wadi_lower_note_work(y, n, binds, true, run)) return WADI_OK;
    return wadi_fail(y->err, WADI_MEMORY, "out of memory while making kernels");
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
    return note_work(y, body, &steps[v->nsteps - 1]);
}

/* Kernels for states that only get patches added: workers share their rows. */
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
