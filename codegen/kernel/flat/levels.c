/* Branches and loops of schedule flat.
 *
 * Lifted over a chunk, a branch is a computation over the elements that took it, and a loop is one over the elements that have
 * not stopped (Blelloch 1990, Vector Models, section 10: packing). Each is a level (level.c). Its values have slots of their
 * own, with one element for each of the level's, and its kernels read outer values through the level's map. The runtime makes
 * the maps, runs the steps, and puts the results together (sched/steps/control.c). A body over one element needs no levels:
 * there is only one decision.
 *
 * A branch or loop with only scalars stays one kernel, in which each element branches on its own. */
#include "codegen/kernel/flat/flat.h"

#include <string.h>

#include "base/error.h"
#include "codegen/kernel/control.h"
#include "codegen/kernel/inside.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/skeleton.h"

static const wadi_array_type *type_of(const wadi_flat *c, wadi_val v) {
    return &c->y->m->values[v].type.array[0];
}

/* ---- slots ---- */

static wadi_slot_kind kind_of(const wadi_flat *c, wadi_val v) {
    if (!c->body->stream) return WADI_SLOT_ONCE;
    if (type_of(c, v)->rank == 0) return WADI_SLOT_REGULAR;
    return c->y->m->values[v].rep == WADI_REP_REGULAR ? WADI_SLOT_REGULAR : WADI_SLOT_IRREGULAR;
}

static wadi_status value_slot(wadi_flat *c, wadi_val v) {
    return wadi_flat_slot(c, c->y->m->values[v].name, kind_of(c, v), type_of(c, v),
                          &c->y->slot_of[v]);
}

/* Gives the values that the region stores slots of the present level. */
static wadi_status region_slots(wadi_flat *c, const wadi_block *r) {
    for (int i = 0; i < r->nbinds; i++) {
        const wadi_bind *b = r->binds[i];
        for (int k = 0; k < b->nresults; k++) {
            const wadi_val v = b->results[k];
            c->known[v] = false;
            c->parts[v] = -1;
            if (c->y->m->values[v].type.is_seq || !wadi_is_stored(c->y, v)) continue;
            WADI_TRY(value_slot(c, v));
        }
    }
    return WADI_OK;
}

/* The slot that holds `v`, or -1 if it is delayed. */
static int slot_with(wadi_flat *c, wadi_val v) {
    v = wadi_layout_resolved(c->y, v);
    if (c->y->m->values[v].def == WADI_DEF_CONST) return wadi_layout_constant(c->y, v);
    return c->known[v] ? c->y->slot_of[v] : -1;
}

/* ---- scalars ---- */

/* Checks what `bind` needs of its delayed arguments, and stores scalar `v`, for every element. */
static wadi_status scalar_kernel(wadi_flat *c, const wadi_bind *bind, const char *name, wadi_val v,
                                 int slot) {
    wadi_lower l;
    wadi_flat_start(c, &l, name);
    if (!l.b.failed) {
        const wadi_plan_slot *p = &c->y->slots.at[slot];
        wadi_lv x[WADI_MAX_FIELDS];
        wadi_flat_each_element(&l);
        wadi_lower_checks(&l, bind);
        wadi_lower_read(&l, v, NULL, x);
        const wadi_lv at = p->kind == WADI_SLOT_ONCE ? wadi_lb_i64(&l.b, 0) : l.s;
        for (int f = 0; f < p->fields; f++)
            wadi_lb_store(&l.b, wadi_lb_column(&l.b, slot, f, p->type[f]), at, x[f]);
        wadi_lb_end(&l.b);
    }
    return wadi_lower_fini(&l, c->out);
}

static wadi_status scalar_steps(wadi_flat *c, const wadi_bind *bind, wadi_val v, int slot) {
    const char *what = wadi_arena_printf(c->y->arena, "scalar%d", slot);
    const char *name = what ? wadi_flat_name(c, bind, what) : NULL;
    if (!name) return wadi_flat_no_memory(c);
    WADI_TRY(wadi_flat_push(c, (wadi_plan_step){.kind = WADI_STEP_ALLOC,
                                                .nslots = 1,
                                                .slots = wadi_flat_one_slot(c, slot)}));
    WADI_TRY(scalar_kernel(c, bind, name, v, slot));
    return wadi_flat_push(c, (wadi_plan_step){.kind = WADI_STEP_RUN, .kernel = name});
}

/* The bool `v` in a slot of the present level, or in one that is the same for all elements. */
static wadi_status decision(wadi_flat *c, const wadi_bind *bind, wadi_val v, int *out_slot) {
    *out_slot = slot_with(c, v);
    if (*out_slot >= 0) {
        const wadi_plan_slot *p = &c->y->slots.at[*out_slot];
        if (p->kind == WADI_SLOT_ONCE || p->level == c->level) return WADI_OK;
    }
    const wadi_slot_kind kind = c->body->stream ? WADI_SLOT_REGULAR : WADI_SLOT_ONCE;
    WADI_TRY(wadi_flat_slot(c, "decision", kind, type_of(c, v), out_slot));
    return scalar_steps(c, bind, v, *out_slot);
}

/* ---- parts ---- */

/* Opens a level inside the present one. */
static wadi_status enter_level(wadi_flat *c) {
    const wadi_array_type number = {.rank = 0, .elem = wadi_elem_scalar(WADI_I64)};
    wadi_plan_level level = {.parent = c->level};
    if (!c->body->stream) return WADI_OK;
    c->level = (int)c->y->levels.n + 1;
    WADI_TRY(wadi_flat_slot(c, "map", WADI_SLOT_REGULAR, &number, &level.map));
    return wadi_vec_push(&c->y->levels, level) ? WADI_OK : wadi_flat_no_memory(c);
}

static bool is_made_in(const wadi_block *r, const wadi_value *value) {
    for (int i = 0; value->def == WADI_DEF_BIND && i < r->nbinds; i++)
        if (r->binds[i] == value->bind) return true;
    return false;
}

/* The slots of what the region yields. The last yield of an array may take its memory if the region has made the array, or if it
 * is part of a loop's state that is not read again. */
static wadi_status yields(wadi_flat *c, const wadi_block *r, wadi_plan_part *part) {
    int *slots = WADI_NEW_N(c->y->keep, int, (size_t)r->nyields + 1);
    bool *moves = WADI_NEW_N(c->y->keep, bool, (size_t)r->nyields + 1);
    if (!slots || !moves) return wadi_flat_no_memory(c);
    for (int i = 0; i < r->nyields; i++) {
        const wadi_val v = wadi_layout_resolved(c->y, r->yields[i]);
        const wadi_value *value = &c->y->m->values[v];
        const bool param = value->def == WADI_DEF_PARAM && value->block == r;
        slots[i] = slot_with(c, v);
        if (slots[i] < 0)
            return wadi_fail(c->y->err, WADI_INTERNAL, "yield %d of a region is not stored", i);
        moves[i] = param || is_made_in(r, value);
        for (int k = 0; k < r->nyields; k++)
            if (wadi_layout_resolved(c->y, r->yields[k]) == v &&
                (k > i || (param && value->number == k)))
                moves[i] = false;
    }
    part->yields = slots;
    part->moves = moves;
    return WADI_OK;
}

static wadi_status region_steps(wadi_flat *c, const wadi_block *r) {
    WADI_TRY(region_slots(c, r));
    WADI_TRY(wadi_flat_binds(c, r->nbinds, (const wadi_bind *const *)r->binds));
    return WADI_OK;
}

static wadi_plan_control *new_control(wadi_flat *c, const wadi_bind *bind) {
    wadi_plan_control *k = WADI_NEW(c->y->keep, wadi_plan_control);
    int *results = WADI_NEW_N(c->y->keep, int, (size_t)bind->nresults + 1);
    if (!k || !results) return NULL;
    for (int i = 0; i < bind->nresults; i++) results[i] = c->y->slot_of[bind->results[i]];
    k->nvalues = bind->nresults;
    k->results = results;
    return k;
}

static wadi_status push_control(wadi_flat *c, const wadi_bind *bind, wadi_step_kind kind,
                                const wadi_plan_control *k) {
    return wadi_flat_push(
        c, (wadi_plan_step){.kind = kind,
                            .place = wadi_layout_place(c->y, bind->op->name, "", bind->loc),
                            .control = k});
}

/* ---- acond ---- */

static wadi_status branch(wadi_flat *c, const wadi_block *r, bool alike, wadi_plan_part *part) {
    const int outer = c->level;
    const size_t first = c->steps.n;
    if (!alike) WADI_TRY(enter_level(c));
    part->level = c->level;
    WADI_TRY(region_steps(c, r));
    WADI_TRY(yields(c, r, part));
    part->nsteps = (int)(c->steps.n - first);
    c->level = outer;
    return WADI_OK;
}

static wadi_status cond(wadi_flat *c, const wadi_bind *bind) {
    wadi_plan_control *k = new_control(c, bind);
    if (!k) return wadi_flat_no_memory(c);
    WADI_TRY(decision(c, bind, bind->args[0], &k->predicate));
    WADI_TRY(push_control(c, bind, WADI_STEP_COND, k));
    const bool alike = c->y->slots.at[k->predicate].kind == WADI_SLOT_ONCE;
    for (int side = 0; side < 2; side++)
        WADI_TRY(branch(c, bind->blocks[side], alike, &k->part[side]));
    return WADI_OK;
}

/* ---- awhile ---- */

/* A slot with descriptors: when some elements stop, the arrays of the others need not move. */
static wadi_slot_kind state_kind(const wadi_flat *c, wadi_val param) {
    const wadi_slot_kind kind = kind_of(c, param);
    return kind == WADI_SLOT_REGULAR && type_of(c, param)->rank > 0 ? WADI_SLOT_IRREGULAR : kind;
}

static wadi_status state_slots(wadi_flat *c, const wadi_bind *bind, int *state) {
    const wadi_block *pred = bind->blocks[0], *body = bind->blocks[1];
    for (int i = 0; i < bind->nargs; i++) {
        const wadi_val param = body->params[i];
        WADI_TRY(wadi_flat_slot(c, c->y->m->values[param].name, state_kind(c, param),
                                type_of(c, param), &state[i]));
        c->y->slot_of[param] = state[i];
        c->y->slot_of[pred->params[i]] = state[i];
    }
    return WADI_OK;
}

static void know_state(wadi_flat *c, const wadi_bind *bind) {
    for (int i = 0; i < bind->nargs; i++)
        for (int k = 0; k < 2; k++) c->known[bind->blocks[k]->params[i]] = true;
}

/* Stores a first state that is delayed, in a slot of the state's kind. */
static wadi_status first_state(wadi_flat *c, const wadi_bind *bind, int *init) {
    for (int i = 0; i < bind->nargs; i++) {
        const wadi_val v = wadi_layout_resolved(c->y, bind->args[i]);
        init[i] = slot_with(c, v);
        if (init[i] >= 0) continue;
        WADI_TRY(wadi_flat_slot(c, c->y->m->values[v].name, kind_of(c, bind->blocks[1]->params[i]),
                                type_of(c, v), &init[i]));
        if (type_of(c, v)->rank == 0)
            WADI_TRY(scalar_steps(c, bind, v, init[i]));
        else
            WADI_TRY(wadi_flat_compute(c, c->y->m->values[v].bind, init[i]));
    }
    return WADI_OK;
}

static wadi_status loop_parts(wadi_flat *c, const wadi_bind *bind, wadi_plan_control *k) {
    for (int i = 0; i < 2; i++) {
        const size_t first = c->steps.n;
        k->part[i].level = c->level;
        WADI_TRY(region_steps(c, bind->blocks[i]));
        if (i == 0)
            WADI_TRY(decision(c, bind, bind->blocks[0]->yields[0], &k->predicate));
        else
            WADI_TRY(yields(c, bind->blocks[1], &k->part[1]));
        k->part[i].nsteps = (int)(c->steps.n - first);
    }
    return WADI_OK;
}

static wadi_status loop(wadi_flat *c, const wadi_bind *bind) {
    const int outer = c->level;
    wadi_plan_control *k = new_control(c, bind);
    int *state = WADI_NEW_N(c->y->keep, int, (size_t)bind->nargs + 1);
    int *init = WADI_NEW_N(c->y->keep, int, (size_t)bind->nargs + 1);
    if (!k || !state || !init) return wadi_flat_no_memory(c);
    k->state = state;
    k->init = init;
    WADI_TRY(first_state(c, bind, init));
    WADI_TRY(push_control(c, bind, WADI_STEP_LOOP, k));
    WADI_TRY(enter_level(c));
    WADI_TRY(state_slots(c, bind, state));
    know_state(c, bind);
    WADI_TRY(loop_parts(c, bind, k));
    WADI_TRY(wadi_flat_turns(c, bind, k));
    c->level = outer;
    return WADI_OK;
}

/* ---- scalars alone ---- */

static bool is_scalar_region(const wadi_flat *c, const wadi_block *r);

static bool is_scalar(const wadi_flat *c, const wadi_bind *bind) {
    if (!bind->op->at && !bind->op->outcome) return false;
    for (int i = 0; i < bind->nresults; i++)
        if (type_of(c, bind->results[i])->rank > 0) return false;
    for (int k = 0; k < bind->nblocks; k++)
        if (!is_scalar_region(c, bind->blocks[k])) return false;
    return true;
}

static bool is_scalar_region(const wadi_flat *c, const wadi_block *r) {
    for (int i = 0; i < r->nbinds; i++)
        if (!is_scalar(c, r->binds[i])) return false;
    return true;
}

wadi_status wadi_flat_elements(wadi_flat *c, const wadi_bind *bind) {
    wadi_layout *y = c->y;
    const char *name = wadi_flat_name(c, bind, "elements");
    wadi_val *results = WADI_NEW_N(y->arena, wadi_val, (size_t)bind->nresults + 1);
    const wadi_bind **binds = WADI_NEW(y->arena, const wadi_bind *);
    if (!name || !results || !binds) return wadi_flat_no_memory(c);
    if (bind->nresults > 0)
        memcpy(results, bind->results, (size_t)bind->nresults * sizeof *results);
    *binds = bind;
    const wadi_body body = {.name = name,
                            .nbinds = 1,
                            .binds = binds,
                            .nresults = bind->nresults,
                            .results = results,
                            .stream = c->body->stream,
                            .level = c->level,
                            .parts = c->parts,
                            .inner = c->inner};
    wadi_plan_version v = {0};
    WADI_TRY(wadi_lower_inside(y, &body, c->known, false, c->out, &v));
    for (int i = 0; i < v.nsteps; i++) WADI_TRY(wadi_flat_push(c, v.steps[i]));
    for (int i = 0; i < bind->nresults; i++) c->known[bind->results[i]] = true;
    return WADI_OK;
}

static wadi_status control(wadi_flat *c, const wadi_bind *bind,
                           wadi_status (*parts)(wadi_flat *, const wadi_bind *)) {
    WADI_TRY((is_scalar(c, bind) ? wadi_flat_elements : parts)(c, bind));
    for (int i = 0; i < bind->nresults; i++) c->known[bind->results[i]] = true;
    return WADI_OK;
}

static wadi_status cond_steps(wadi_flat *c, const wadi_bind *bind) {
    return control(c, bind, cond);
}

static wadi_status loop_steps(wadi_flat *c, const wadi_bind *bind) {
    return control(c, bind, loop);
}

const wadi_skeleton_row wadi_skeleton_cond = {.control = wadi_lower_cond, .steps = cond_steps};
const wadi_skeleton_row wadi_skeleton_loop = {.control = wadi_lower_loop, .steps = loop_steps};
