/* The next state of a loop, computed in the memory that it is to have. A loop whose state keeps its shape has two buffers per array: what the
 * round computes of the next state goes straight to the one that is not in use. What is no array of the round's own block (a branch makes
 * it, or it is the state before, or it is there twice) is copied at the end of the round (structured.c). */
#include "codegen/kernel/state.h"

static bool is_made_by(const wadi_module *m, wadi_val v, const wadi_block *block) {
    for (int i = 0; i < block->nbinds; i++)
        for (int r = 0; r < block->binds[i]->nresults; r++)
            if (block->binds[i]->results[r] == v) return m->values[v].def == WADI_DEF_BIND;
    return false;
}

void wadi_round_state_aim(wadi_lower *l, const wadi_round_state *s, const wadi_block *block) {
    for (int i = 0; i < s->n && s->keeps_shape && !l->b.failed; i++) {
        const wadi_val v = s->yields[i];
        s->spare[i].written = false;
        if (s->now[i].t->rank > 0 && is_made_by(l->m, v, block)) l->aimed[v] = &s->spare[i];
    }
}

bool wadi_round_state_target(wadi_lower *l, wadi_val v, wadi_lv *pointer) {
    wadi_holder *spare = l->aimed[v];
    if (!spare || l->checking.trial || l->b.failed) return false;
    l->aimed[v] = NULL;
    spare->written = true;
    for (int f = 0; f < spare->t->elem.fields; f++) {
        pointer[f] = wadi_lb_name(&l->b, wadi_lb_get(&l->b, spare->field[f]), l->m->values[v].name);
        wadi_lb_inst(&l->b, pointer[f])->apart = true;
    }
    return !l->b.failed;
}
