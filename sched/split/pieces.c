/* The rule, and what it says of a version's kernels. */
#include "sched/split/pieces.h"

#include "sched/plan/words.h"

static const wadi_plan_slot *slot_of(const wadi_plan *plan, const wadi_plan_slot *own, int slot) {
    return slot < plan->nslots ? &plan->slots[slot] : &own[slot - plan->nslots];
}

const char *wadi_split_obstacle(const wadi_plan *plan, const wadi_plan_slot *own,
                                const wadi_plan_touches *touches, bool serial) {
    if (serial) return "its units run in order";
    if (!touches->known) return "it may touch anything";
    if (touches->piece <= 0) return "its units write no pieces of their own";
    if (slot_of(plan, own, touches->target)->kind != WADI_SLOT_ONCE)
        return "it works on elements of a stream";
    for (int i = 0; i < touches->n; i++) {
        const wadi_plan_touch *t = &touches->of[i];
        if (t->writes && (t->slot != touches->target || t->own != touches->piece))
            return "its units write more than a piece of their own";
        if (slot_of(plan, own, t->slot)->kind != WADI_SLOT_ONCE)
            return "it works on elements of a stream";
    }
    return NULL;
}

/* ---- words ---- */

static void print_touch(const wadi_plan *plan, const wadi_plan_slot *own, const wadi_plan_touch *t,
                        wadi_text *out) {
    if (t->own > 0)
        wadi_text_addf(out, "%lld of ", (long long)t->own);
    else
        wadi_text_add(out, "all of ");
    wadi_plan_name_print(slot_of(plan, own, t->slot)->name, out);
    wadi_text_addf(out, ".%d", t->slot);
}

static void print_touches(const wadi_plan *plan, const wadi_plan_slot *own,
                          const wadi_plan_touches *w, bool writes, wadi_text *out) {
    const char *between = writes ? "each unit writes " : ", and reads ";
    for (int i = 0; i < w->n; i++) {
        if (writes ? !w->of[i].writes : !w->of[i].reads) continue;
        wadi_text_add(out, between);
        print_touch(plan, own, &w->of[i], out);
        between = ", ";
    }
}

static void print_step(const wadi_plan *plan, const wadi_plan_version *v,
                       const wadi_plan_step *step, wadi_text *out) {
    const char *obstacle = wadi_split_obstacle(plan, v->slots, &step->touches, step->serial);
    wadi_text_addf(out, "    %s: ", step->kernel);
    if (obstacle != NULL) {
        wadi_text_addf(out, "the first device alone: %s\n", obstacle);
        return;
    }
    wadi_text_add(out, "shared out: ");
    print_touches(plan, v->slots, &step->touches, true, out);
    print_touches(plan, v->slots, &step->touches, false, out);
    wadi_text_add(out, "\n");
}

void wadi_split_pieces_print(const wadi_plan *plan, const wadi_plan_version *version,
                             wadi_text *out) {
    for (int i = 0; i < version->nsteps; i++)
        if (version->steps[i].kernel != NULL && version->steps[i].kind != WADI_STEP_SHAPE)
            print_step(plan, version, &version->steps[i], out);
}
