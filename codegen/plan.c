/* Planning: phases, slots and bodies of a module; the kernels themselves come from codegen/kernel, through versions.c.
 *
 * Array bindings gather until a sequence is consumed (plan_order.c), and then become one phase; consumers follow their
 * sequences back to the sources and make one body of all that counts alike (plan_stage.c). What the main block stores has
 * a slot of kind ONCE, so later phases read it as it is.
 *
 * Tables of the layout live in the arena of the versions, which are made from them later; what the plan points to is copied
 * into its own. */
#include "codegen/plan.h"

#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "codegen/kernel/skeleton.h"
#include "codegen/plan_internal.h"
#include "codegen/schedules.h"

/* ---- bodies ---- */

wadi_status wadi_planning_no_memory(const wadi_planning *p) {
    return wadi_fail(p->y.err, WADI_MEMORY, "out of memory while planning '%s'", p->m->name);
}

static bool all_rank0(const wadi_planning *p, const wadi_body *body) {
    for (int i = 0; i < body->nbinds; i++)
        for (int r = 0; r < body->binds[i]->nresults; r++)
            if (p->m->values[body->binds[i]->results[r]].type.array[0].rank > 0) return false;
    for (int i = 0; i < body->nresults; i++)
        if (p->m->values[body->results[i]].type.array[0].rank > 0) return false;
    return true;
}

static bool block_calls(const wadi_block *r);

static bool calls_routines(const wadi_bind *b) {
    bool calls = b->op->skeleton == WADI_SKEL_FOREIGN;
    for (int k = 0; k < b->nblocks; k++) calls = calls || block_calls(b->blocks[k]);
    return calls;
}

static bool block_calls(const wadi_block *r) {
    for (int i = 0; i < r->nbinds; i++)
        if (calls_routines(r->binds[i])) return true;
    return false;
}

/* A body of routines over whole chunks and hardly anything else. */
static bool is_lifted(const wadi_planning *p, const wadi_body *body) {
    bool found = false;
    for (int i = 0; i < body->nbinds; i++) {
        const wadi_bind *b = body->binds[i];
        if (b->op->skeleton == WADI_SKEL_LIFTED) return true;
        if (b->op->skeleton == WADI_SKEL_FOREIGN)
            found = true;
        else if (b->nresults > 0 && wadi_is_stored(&p->y, b->results[0]) &&
                 p->m->values[b->results[0]].type.array[0].rank > 0)
            return false;
    }
    return found;
}

wadi_status wadi_planning_body(wadi_planning *p, const wadi_body *body, int index_slot,
                               int nresults, const int *results, bool inside_only,
                               int *out_number) {
    wadi_plan_body b = {
        .name = body->name, .index_slot = index_slot, .nresults = nresults, .results = results};
    b.rank0 = body->stream && !inside_only && all_rank0(p, body);
    const wadi_body_traits traits = {.in_order = inside_only, .scalars = b.rank0};
    for (int k = 0; k < WADI_SCHEDULE_COUNT; k++) b.offers[k] = wadi_lowerings[k]->offers(&traits);
    b.lifted = body->stream && !inside_only && is_lifted(p, body);
    for (int i = 0; i < body->nbinds; i++)
        if (calls_routines(body->binds[i])) b.routines = true;
    WADI_TRY(wadi_versions_add(p->versions, &p->y, body, p->known));
    *out_number = (int)p->bodies.n;
    return wadi_vec_push(&p->bodies, b) ? WADI_OK : wadi_planning_no_memory(p);
}

/* ---- slots ---- */

int wadi_planning_slot(wadi_planning *p, wadi_plan_slot slot) {
    if (!wadi_vec_push(&p->y.slots, slot)) p->y.failed = true;
    return p->y.failed ? 0 : (int)p->y.slots.n - 1;
}

int wadi_planning_typed_slot(wadi_planning *p, const char *name, wadi_slot_kind kind,
                             const wadi_array_type *t) {
    wadi_plan_slot slot = {.name = name, .kind = kind, .rank = t->rank, .fields = t->elem.fields};
    for (int f = 0; f < t->elem.fields; f++) {
        slot.type[f] = t->elem.type[f];
        slot.field[f] = t->elem.name[f];
    }
    return wadi_planning_slot(p, slot);
}

static wadi_array *copy_array(wadi_planning *p, const wadi_array *from) {
    wadi_array *a = WADI_NEW(p->plan->arena, wadi_array);
    if (!a) return NULL;
    *a = *from;
    size_t n = 1;
    for (int d = 0; d < a->rank; d++) n *= (size_t)a->shape[d];
    for (int f = 0; f < a->fields; f++) {
        const size_t bytes = n * (size_t)wadi_type_size(a->type[f]);
        a->column[f] = wadi_arena_alloc(p->plan->arena, bytes ? bytes : 1);
        if (!a->column[f]) return NULL;
        if (bytes > 0) memcpy(a->column[f], from->column[f], bytes);
    }
    return a;
}

int wadi_planning_once(wadi_planning *p, wadi_val v) {
    const wadi_value *value = &p->m->values[v];
    if (p->y.slot_of[v] >= 0) return p->y.slot_of[v];
    if (value->def == WADI_DEF_CONST) return wadi_layout_constant(&p->y, v);
    const int slot =
        wadi_planning_typed_slot(p, value->name, WADI_SLOT_ONCE, &value->type.array[0]);
    if (p->y.failed) return 0;
    p->y.slot_of[v] = slot;
    return slot;
}

/* ---- array phases ---- */

static wadi_status array_results(wadi_planning *p, wadi_body *body, int **out_slots) {
    int total = 0;
    for (size_t i = 0; i < p->pending.n; i++) total += p->pending.at[i]->nresults;
    wadi_val *values = WADI_NEW_N(p->y.arena, wadi_val, (size_t)total + 1);
    int *slots = WADI_NEW_N(p->plan->arena, int, (size_t)total + 1);
    if (!values || !slots) return wadi_planning_no_memory(p);
    for (size_t i = 0; i < p->pending.n; i++)
        for (int r = 0; r < p->pending.at[i]->nresults; r++) {
            const wadi_val v = p->pending.at[i]->results[r];
            if (!wadi_is_stored(&p->y, v)) continue;
            slots[body->nresults] = wadi_planning_once(p, v);
            values[body->nresults++] = v;
        }
    body->results = values;
    *out_slots = slots;
    return WADI_OK;
}

wadi_status wadi_planning_arrays(wadi_planning *p) {
    if (p->pending.n == 0) return WADI_OK;
    wadi_body body = {.nbinds = (int)p->pending.n};
    int *slots = NULL;
    body.name = wadi_arena_printf(p->plan->arena, "arrays_%d", (int)p->bodies.n);
    body.binds = WADI_NEW_N(p->y.arena, const wadi_bind *, p->pending.n);
    if (!body.name || !body.binds) return wadi_planning_no_memory(p);
    memcpy(body.binds, p->pending.at, p->pending.n * sizeof *body.binds);
    WADI_TRY(array_results(p, &body, &slots));
    wadi_vec_clear(&p->pending);
    if (body.nresults == 0) return WADI_OK;
    wadi_plan_phase phase = {.is_stream = false};
    WADI_TRY(wadi_planning_body(p, &body, -1, body.nresults, slots, false, &phase.body));
    for (int i = 0; i < body.nresults; i++) p->known[body.results[i]] = true;
    return wadi_vec_push(&p->phases, phase) ? WADI_OK : wadi_planning_no_memory(p);
}

/* ---- bindings of the main block ---- */

void wadi_planning_extents(wadi_planning *p, const wadi_array_type *t, wadi_plan_extent *out) {
    for (int d = 0; d < WADI_MAX_RANK; d++) out[d] = (wadi_plan_extent){.value = -1};
    for (int d = 0; t->extent && d < t->rank; d++) {
        if (t->extent[d].kind == WADI_EXTENT_CONST) out[d].value = t->extent[d].value;
        if (t->extent[d].kind != WADI_EXTENT_NAMED) continue;
        out[d].name = wadi_arena_strdup(p->plan->arena, t->extent[d].name);
        if (!out[d].name) p->y.failed = true;
    }
}

wadi_status wadi_planning_input(wadi_planning *p, const wadi_bind *b) {
    const wadi_val v = b->results[0];
    wadi_plan_input in = {.slot = wadi_planning_once(p, v)};
    in.name = wadi_arena_strdup(p->plan->arena, b->name);
    wadi_planning_extents(p, &p->m->values[v].type.array[0], in.extent);
    p->known[v] = true;
    return in.name && wadi_vec_push(&p->inputs, in) ? WADI_OK : wadi_planning_no_memory(p);
}

wadi_status wadi_planning_use(wadi_planning *p, const wadi_bind *b) {
    const int slot = wadi_planning_once(p, b->results[0]);
    wadi_array *data = copy_array(p, b->data);
    if (!data || p->y.failed) return wadi_planning_no_memory(p);
    p->y.slots.at[slot].data = data;
    p->known[b->results[0]] = true;
    return WADI_OK;
}

/* Values that leave their block are stored, whatever fusion thought. */
static void force_block(wadi_planning *p, const wadi_block *b) {
    for (int i = 0; i < b->nyields; i++) p->y.forced[b->yields[i]] = true;
    for (int i = 0; i < b->nbinds; i++) {
        const wadi_bind *bind = b->binds[i];
        for (int k = 0; k < bind->nblocks; k++) force_block(p, bind->blocks[k]);
        for (int a = 0; bind->op->kind == WADI_OP_SEQUENCE && a < bind->nargs; a++)
            p->y.forced[bind->args[a]] = true;
    }
}

enum { LONGEST_CHAIN = 100 };

/* A chain of delayed values is computed by calls inside calls; every so often one of them is stored. */
static void cut_chains(wadi_planning *p, const wadi_block *b, int *depth) {
    for (int i = 0; i < b->nbinds; i++) {
        const wadi_bind *bind = b->binds[i];
        int deepest = 0;
        for (int k = 0; k < bind->nblocks; k++) cut_chains(p, bind->blocks[k], depth);
        for (int a = 0; a < bind->nargs; a++)
            if (!wadi_is_stored(&p->y, bind->args[a]) && depth[bind->args[a]] > deepest)
                deepest = depth[bind->args[a]];
        for (int r = 0; r < bind->nresults; r++) {
            depth[bind->results[r]] = deepest + 1;
            if (deepest + 1 >= LONGEST_CHAIN && bind->op->kind != WADI_OP_SEQUENCE)
                p->y.forced[bind->results[r]] = true;
        }
    }
}

static wadi_status outputs(wadi_planning *p) {
    const wadi_block *main = p->m->main;
    for (int i = 0; i < main->nyields; i++) {
        const wadi_plan_output out = {wadi_arena_strdup(p->plan->arena, p->m->outputs[i]),
                                      wadi_planning_once(p, main->yields[i])};
        if (!out.name || p->y.failed || !wadi_vec_push(&p->outputs, out))
            return wadi_planning_no_memory(p);
    }
    return WADI_OK;
}

/* ---- into the plan ---- */

static const char *kept(wadi_planning *p, const char *s) {
    if (!s) return NULL;
    char *copy = wadi_arena_strdup(p->plan->arena, s);
    if (!copy) p->y.failed = true;
    return copy;
}

static void keep_names(wadi_planning *p) {
    for (size_t i = 0; i < p->y.slots.n; i++) {
        wadi_plan_slot *s = &p->y.slots.at[i];
        s->name = kept(p, s->name);
        for (int f = 0; f < s->fields; f++) s->field[f] = kept(p, s->field[f]);
    }
    for (size_t i = 0; i < p->y.places.n; i++) {
        wadi_plan_place *place = &p->y.places.at[i];
        place->op = kept(p, place->op);
        place->what = kept(p, place->what);
        place->loc.file = kept(p, place->loc.file);
    }
}

static void *moved(wadi_planning *p, const void *from, size_t bytes) {
    void *to = wadi_arena_alloc(p->plan->arena, bytes ? bytes : 1);
    if (!to)
        p->y.failed = true;
    else if (bytes > 0)
        memcpy(to, from, bytes);
    return to;
}

#define MOVE(field, vec)              \
    p->plan->n##field = (int)(vec).n; \
    p->plan->field = moved(p, (vec).at, (vec).n * sizeof *(vec).at)

static wadi_status finish(wadi_planning *p) {
    p->plan->name = kept(p, p->m->name);
    keep_names(p);
    MOVE(slots, p->y.slots);
    MOVE(inputs, p->inputs);
    MOVE(outputs, p->outputs);
    MOVE(bodies, p->bodies);
    MOVE(phases, p->phases);
    MOVE(places, p->y.places);
    return p->y.failed ? wadi_planning_no_memory(p) : WADI_OK;
}

/* ---- the plan ---- */

static wadi_status tables(wadi_planning *p) {
    const uint32_t n = p->m->nvalues;
    p->y.slot_of = WADI_NEW_N(p->y.arena, int, n + 1);
    p->y.forced = WADI_NEW_N(p->y.arena, bool, n + 1);
    p->y.apart = WADI_NEW_N(p->y.arena, bool, n + 1);
    p->y.alias_of = WADI_NEW_N(p->y.arena, wadi_val, n + 1);
    p->y.takes = WADI_NEW_N(p->y.arena, wadi_val, n + 1);
    p->y.components = WADI_NEW_N(p->y.arena, wadi_val *, n + 1);
    p->known = WADI_NEW_N(p->y.arena, bool, n + 1);
    p->late = WADI_NEW_N(p->y.arena, uint8_t, n + 1);
    if (!p->y.slot_of || !p->y.forced || !p->y.alias_of || !p->y.components || !p->known ||
        !p->late || !p->y.apart || !p->y.takes)
        return wadi_planning_no_memory(p);
    for (uint32_t v = 0; v < n; v++) {
        p->y.slot_of[v] = -1;
        p->y.alias_of[v] = p->y.takes[v] = WADI_NONE;
    }
    return WADI_OK;
}

/* What decides the kernels, and where the stream goes: the program's text with its places, and the options. */
static wadi_status digest_program(wadi_planning *p) {
    wadi_text t;
    wadi_text_init(&t);
    wadi_ir_print_places(p->m, &t);
    wadi_text_addf(&t, "unchecked %d\n", (int)p->y.unchecked);
    const wadi_status st =
        t.failed ? wadi_planning_no_memory(p) : wadi_blake2b(t.at, t.n, p->plan->program);
    wadi_text_fini(&t);
    return st;
}

static wadi_status build(wadi_planning *p) {
    WADI_TRY(tables(p));
    int *depth = WADI_NEW_N(p->y.arena, int, p->m->nvalues + 1);
    if (!depth) return wadi_planning_no_memory(p);
    force_block(p, p->m->main);
    cut_chains(p, p->m->main, depth);
    WADI_TRY(wadi_planning_main(p));
    WADI_TRY(outputs(p));
    WADI_TRY(finish(p));
    WADI_TRY(digest_program(p));
    wadi_versions_freeze(p->versions, p->plan);
    return WADI_OK;
}

static void release(wadi_planning *p) {
    wadi_vec_free(&p->y.slots);
    wadi_vec_free(&p->y.places);
    wadi_vec_free(&p->inputs);
    wadi_vec_free(&p->outputs);
    wadi_vec_free(&p->bodies);
    wadi_vec_free(&p->phases);
    wadi_vec_free(&p->pending);
    wadi_vec_free(&p->stream.stages);
    wadi_vec_free(&p->stream.ends);
}

static wadi_plan *plan_create(void) {
    wadi_arena *arena = wadi_arena_create();
    wadi_plan *plan = arena ? WADI_NEW(arena, wadi_plan) : NULL;
    if (plan)
        plan->arena = arena;
    else
        wadi_arena_destroy(arena);
    return plan;
}

wadi_status wadi_plan_build(const wadi_module *m, const wadi_facts *facts,
                            const wadi_plan_options *options, wadi_plan **out,
                            wadi_versions **out_versions, wadi_error *err) {
    wadi_planning p = {.m = m, .plan = plan_create(), .versions = wadi_versions_create()};
    p.y.counted = -1;
    *out = NULL;
    *out_versions = NULL;
    p.y.m = m;
    p.y.skeletons = wadi_skeleton_rows;
    p.y.shapes = facts->shapes;
    p.y.err = err;
    p.y.unchecked = options && options->unchecked;
    if (p.versions) p.y.arena = wadi_versions_arena(p.versions);
    if (p.plan) p.y.keep = p.plan->arena;
    const wadi_status st = p.plan && p.versions ? build(&p) : wadi_planning_no_memory(&p);
    release(&p);
    if (st) {
        wadi_plan_destroy(p.plan);
        wadi_versions_destroy(p.versions);
        return st;
    }
    *out = p.plan;
    *out_versions = p.versions;
    return WADI_OK;
}

void wadi_plan_destroy(wadi_plan *p) {
    if (p) wadi_arena_destroy(p->arena);
}
