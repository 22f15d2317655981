/* Planning: the phases, slots and bodies of a module. Kernels come from codegen/kernel, through versions.c.
 *
 * Array bindings gather until a sequence is consumed (order.c), and then become one phase. Consumers follow their sequences
 * back to the sources. Everything that has the same number of elements goes into one body (visit.c). What the main block stores
 * has a slot of kind ONCE, so later phases read it as it is.
 *
 * Tables of the layout live in the arena of the versions, which are made from them later. What the plan points to is copied
 * into its own arena. */
#include "codegen/plan/plan.h"

#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "codegen/kernel/skeleton.h"
#include "codegen/plan/phases.h"

/* Stores the values that leave their block, even those that the pass fuse has delayed. */
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

/* What is known of a value that is not stored. */
typedef struct chain {
    int depth;  /* of the delayed values that it is made from */
    bool keeps; /* a filter is among them */
} chain;

/* Lowering follows a chain of delayed values by recursion. This limits its depth by storing a value from time to time. Only a fold can take elements
 * from a filter that is delayed, so what is between these two stays delayed (FAR of the pass fuse): in its place, what else it reads is
 * stored, and filters end chains early. */
static void cut_chains(wadi_planning *p, const wadi_block *b, chain *of) {
    for (int i = 0; i < b->nbinds; i++) {
        const wadi_bind *bind = b->binds[i];
        const bool filters = wadi_op_has(bind->op, WADI_TRAIT_KEEPS);
        chain deepest = {0, false};
        for (int k = 0; k < bind->nblocks; k++) cut_chains(p, bind->blocks[k], of);
        for (int a = 0; a < bind->nargs; a++)
            deepest.keeps =
                deepest.keeps || (!wadi_is_stored(&p->y, bind->args[a]) && of[bind->args[a]].keeps);
        for (int a = 0; a < bind->nargs; a++) {
            const chain *c = &of[bind->args[a]];
            if (wadi_is_stored(&p->y, bind->args[a])) continue;
            if (deepest.keeps && !c->keeps && c->depth >= LONGEST_CHAIN / 2)
                p->y.forced[bind->args[a]] = true;
            else if (c->depth > deepest.depth)
                deepest.depth = c->depth;
        }
        const int longest = filters ? LONGEST_CHAIN / 2 : LONGEST_CHAIN;
        for (int r = 0; r < bind->nresults; r++) {
            of[bind->results[r]] =
                (chain){deepest.depth + 1, filters || (deepest.keeps && bind->op->one_to_one)};
            if (deepest.depth + 1 >= longest && bind->op->kind != WADI_OP_SEQUENCE)
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

wadi_status wadi_plan_digest(const wadi_module *m, const wadi_plan_options *options,
                             uint8_t out[32], wadi_error *err) {
    wadi_text t;
    wadi_text_init(&t);
    wadi_ir_print_places(m, &t);
    wadi_text_addf(&t, "unchecked %d\n", (int)options->unchecked);
    wadi_status st = t.failed ? WADI_MEMORY : wadi_blake2b(t.at, t.n, out);
    if (st == WADI_MEMORY)
        st = wadi_fail(err, WADI_MEMORY, "out of memory while planning '%s'", m->name);
    wadi_text_fini(&t);
    return st;
}

static wadi_status build(wadi_planning *p) {
    WADI_TRY(tables(p));
    chain *of = WADI_NEW_N(p->y.arena, chain, p->m->nvalues + 1);
    if (!of) return wadi_planning_no_memory(p);
    force_block(p, p->m->main);
    cut_chains(p, p->m->main, of);
    WADI_TRY(wadi_planning_main(p));
    WADI_TRY(outputs(p));
    WADI_TRY(finish(p));
    WADI_TRY(wadi_plan_digest(p->m, &(wadi_plan_options){.unchecked = p->y.unchecked},
                              p->plan->program, p->y.err));
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
    p.diag = options ? options->diag : NULL;
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
