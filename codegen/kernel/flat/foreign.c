/* Library routines and manual liftings in schedule flat.
 *
 * A routine is one step over whole slots. A manual lifting opens a level of one element. In it, the regular slots of its
 * arguments are arrays of one more dimension. Region 1 runs on these, and its results are taken apart into elements again. A
 * binding that fits neither way runs element by element in one kernel. */
#include "codegen/kernel/flat/flat.h"

#include <string.h>

#include "base/error.h"
#include "codegen/kernel/control.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/skeleton.h"

/* The slot of a stored array that a step of this level can take as it is, or -1. */
static int slot_here(const wadi_flat *c, wadi_val v) {
    v = wadi_layout_resolved(c->y, v);
    if (!c->known[v] || c->y->slot_of[v] < 0) return -1;
    const wadi_plan_slot *p = &c->y->slots.at[c->y->slot_of[v]];
    return p->kind == WADI_SLOT_ONCE || p->level == c->level ? c->y->slot_of[v] : -1;
}

static int *int_list(wadi_flat *c, int n) {
    return WADI_NEW_N(c->y->keep, int, (size_t)n + 1);
}

/* ---- shapes of the results ---- */

static wadi_status shape_kernel(wadi_flat *c, const char *name, wadi_val v, bool irregular) {
    wadi_lower l;
    wadi_flat_start(c, &l, name);
    if (!l.b.failed) {
        if (irregular) wadi_flat_each_element(&l);
        for (int d = 0; d < wadi_type_of(&l, v)->rank && !l.b.failed && !l.status; d++) {
            const wadi_lv e = wadi_lower_extent(&l, v, d);
            wadi_linst *set =
                wadi_lb_act(&l.b, WADI_L_SETSHAPE, irregular ? 2 : 1, (const wadi_lv[]){e, l.s});
            set->slot = c->y->slot_of[v];
            set->index = d;
        }
        if (irregular) wadi_lb_end(&l.b);
    }
    return wadi_lower_fini(&l, c->out);
}

static wadi_status shape_step(wadi_flat *c, const wadi_bind *bind, int i) {
    const wadi_val v = bind->results[i];
    const int slot = c->y->slot_of[v];
    const char *what = wadi_arena_printf(c->y->arena, "shape%d", i);
    const char *name = what ? wadi_flat_name(c, bind, what) : NULL;
    if (!name) return wadi_flat_no_memory(c);
    WADI_TRY(shape_kernel(c, name, v, c->y->slots.at[slot].kind == WADI_SLOT_IRREGULAR));
    return wadi_flat_push(c, (wadi_plan_step){.kind = WADI_STEP_SHAPE,
                                              .kernel = name,
                                              .nslots = 1,
                                              .slots = wadi_flat_one_slot(c, slot)});
}

static int *result_slots(wadi_flat *c, const wadi_bind *bind) {
    int *slots = int_list(c, bind->nresults);
    for (int i = 0; slots && i < bind->nresults; i++) slots[i] = c->y->slot_of[bind->results[i]];
    return slots;
}

/* ---- routines ---- */

static wadi_status routine(wadi_flat *c, const wadi_bind *bind, const int *reads) {
    const int place = wadi_layout_place(c->y, bind->op->name, bind->name, bind->loc);
    wadi_plan_call *call = WADI_NEW(c->y->keep, wadi_plan_call);
    int *slots = result_slots(c, bind);
    if (!call || !slots) return wadi_flat_no_memory(c);
    *call = (wadi_plan_call){wadi_arena_strdup(c->y->keep, bind->name), (int)bind->attrs[0],
                             (int)bind->attrs[1]};
    if (!call->routine) return wadi_flat_no_memory(c);
    for (int i = 0; i < bind->nresults; i++) WADI_TRY(shape_step(c, bind, i));
    WADI_TRY(wadi_flat_push(
        c, (wadi_plan_step){
               .kind = WADI_STEP_ALLOC, .nslots = bind->nresults, .slots = slots, .place = place}));
    return wadi_flat_push(c, (wadi_plan_step){.kind = WADI_STEP_FOREIGN,
                                              .nslots = bind->nresults,
                                              .slots = slots,
                                              .place = place,
                                              .call = call,
                                              .reads = reads});
}

static wadi_status foreign(wadi_flat *c, const wadi_bind *bind) {
    const int n = (int)bind->attrs[1];
    int *reads = int_list(c, n);
    if (!reads) return wadi_flat_no_memory(c);
    for (int i = 0; i < n; i++) {
        reads[i] = slot_here(c, bind->args[i]);
        if (reads[i] < 0) return wadi_flat_elements(c, bind);
    }
    return routine(c, bind, reads);
}

/* ---- manual lifting ---- */

static bool all_regular(const wadi_flat *c, const wadi_bind *bind, int *reads) {
    for (int i = 0; i < bind->nargs; i++) {
        reads[i] = slot_here(c, bind->args[i]);
        if (reads[i] < 0 || c->y->slots.at[reads[i]].kind != WADI_SLOT_REGULAR) return false;
    }
    for (int i = 0; i < bind->nresults; i++)
        if (c->y->slots.at[c->y->slot_of[bind->results[i]]].kind != WADI_SLOT_REGULAR) return false;
    return true;
}

static wadi_status once_slot(wadi_flat *c, wadi_val v) {
    const wadi_value *value = &c->y->m->values[v];
    return wadi_flat_slot(c, value->name, WADI_SLOT_ONCE, &value->type.array[0], &c->y->slot_of[v]);
}

/* A level of one element; its arrays are the chunk's. */
static wadi_status enter(wadi_flat *c) {
    const wadi_array_type number = {.rank = 0, .elem = wadi_elem_scalar(WADI_I64)};
    wadi_plan_level level = {.parent = c->level};
    c->level = (int)c->y->levels.n + 1;
    WADI_TRY(wadi_flat_slot(c, "map", WADI_SLOT_REGULAR, &number, &level.map));
    return wadi_vec_push(&c->y->levels, level) ? WADI_OK : wadi_flat_no_memory(c);
}

static wadi_status params(wadi_flat *c, const wadi_bind *bind, const int *reads) {
    const wadi_block *r = bind->blocks[1];
    int *slots = int_list(c, r->nparams);
    if (!slots) return wadi_flat_no_memory(c);
    for (int i = 0; i < r->nparams; i++) {
        WADI_TRY(once_slot(c, r->params[i]));
        slots[i] = c->y->slot_of[r->params[i]];
        c->known[r->params[i]] = true;
    }
    return wadi_flat_push(
        c, (wadi_plan_step){
               .kind = WADI_STEP_MANY, .nslots = r->nparams, .slots = slots, .reads = reads});
}

static wadi_status region(wadi_flat *c, const wadi_block *r) {
    for (int i = 0; i < r->nbinds; i++)
        for (int k = 0; k < r->binds[i]->nresults; k++) {
            const wadi_val v = r->binds[i]->results[k];
            c->known[v] = false;
            c->parts[v] = -1;
            if (wadi_is_stored(c->y, v)) WADI_TRY(once_slot(c, v));
        }
    WADI_TRY(wadi_flat_binds(c, r->nbinds, (const wadi_bind *const *)r->binds));
    return WADI_OK;
}

static wadi_status lifted(wadi_flat *c, const wadi_bind *bind) {
    const wadi_block *r = bind->blocks[1];
    const int outer = c->level;
    int *reads = int_list(c, bind->nargs), *yields = int_list(c, bind->nresults),
        *slots = result_slots(c, bind);
    if (!reads || !yields || !slots) return wadi_flat_no_memory(c);
    if (!c->body->stream || !all_regular(c, bind, reads)) return wadi_flat_elements(c, bind);
    WADI_TRY(enter(c));
    WADI_TRY(params(c, bind, reads));
    WADI_TRY(region(c, r));
    for (int i = 0; i < r->nyields; i++) {
        yields[i] = slot_here(c, r->yields[i]);
        if (yields[i] < 0)
            return wadi_fail_at(
                c->y->err, bind->loc, WADI_UNSUPPORTED,
                "with_lifted: result %d of the lifted version is no array of its own", i);
    }
    c->level = outer;
    for (int i = 0; i < bind->nresults; i++) WADI_TRY(shape_step(c, bind, i));
    return wadi_flat_push(
        c, (wadi_plan_step){.kind = WADI_STEP_SINGLE,
                            .nslots = bind->nresults,
                            .slots = slots,
                            .place = wadi_layout_place(c->y, "with_lifted", "extents", bind->loc),
                            .reads = yields});
}

static wadi_status known(wadi_flat *c, const wadi_bind *bind) {
    for (int i = 0; i < bind->nresults; i++) c->known[bind->results[i]] = true;
    return WADI_OK;
}

static wadi_status foreign_steps(wadi_flat *c, const wadi_bind *bind) {
    WADI_TRY(foreign(c, bind));
    return known(c, bind);
}

static wadi_status lifted_steps(wadi_flat *c, const wadi_bind *bind) {
    WADI_TRY(lifted(c, bind));
    return known(c, bind);
}

const wadi_skeleton_row wadi_skeleton_foreign = {.control = wadi_lower_region_checked,
                                                 .calls = wadi_lower_calls,
                                                 .call = wadi_lower_call,
                                                 .steps = foreign_steps};
const wadi_skeleton_row wadi_skeleton_lifted = {.control = wadi_lower_region,
                                                .steps = lifted_steps};
