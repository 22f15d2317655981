/* Arrays of the whole run that each element of a stream goes through: they are input of an element like its own arrays, and the cost rule
 * counts them (sched/schedules.c). What is delayed, its readers read. */
#include "codegen/operations.h"
#include "codegen/plan/planning.h"

typedef struct reading {
    wadi_planning *p;
    wadi_operations_of of;
    WADI_VEC(int) slots;
} reading;

static bool is_delayed(const void *env, wadi_val v) {
    const reading *r = env;
    return r->p->m->values[v].def == WADI_DEF_BIND && !wadi_is_stored(&r->p->y, v);
}

static void read_by(void *env, wadi_val v, int picked) {
    reading *r = env;
    wadi_planning *p = r->p;
    v = wadi_planning_resolved(p, v);
    if (picked > 0 || p->m->values[v].type.array[0].rank == 0 || !wadi_planning_is_once(p, v))
        return;
    const int slot = wadi_planning_once(p, v);
    for (size_t i = 0; i < r->slots.n; i++)
        if (r->slots.at[i] == slot) return;
    if (!wadi_vec_push(&r->slots, slot)) p->y.failed = true;
}

static void look_at(reading *r, const wadi_bind *b) {
    if (b->nresults > 0 && is_delayed(r, b->results[0])) return;
    wadi_operations(&r->of, b);
    for (int k = 0; k < b->nblocks; k++)
        for (int i = 0; i < b->blocks[k]->nbinds; i++) look_at(r, b->blocks[k]->binds[i]);
}

wadi_status wadi_planning_reads(wadi_planning *p, const wadi_body *body, wadi_plan_body *out) {
    reading r = {.p = p, .of = {.m = p->m, .is_delayed = is_delayed, .read = read_by}};
    r.of.env = &r;
    r.of.seen = WADI_NEW_N(p->y.arena, uint32_t, (size_t)p->m->nvalues + 1);
    if (!r.of.seen) return wadi_planning_no_memory(p);
    for (int i = 0; i < body->nbinds; i++) look_at(&r, body->binds[i]);
    int *slots = wadi_planning_list(p, (int)r.slots.n);
    for (size_t i = 0; slots && i < r.slots.n; i++) slots[i] = r.slots.at[i];
    out->nreads = (int)r.slots.n;
    out->reads = slots;
    wadi_vec_free(&r.slots);
    return slots && !p->y.failed ? WADI_OK : wadi_planning_no_memory(p);
}
