/* Whether the elements of a small chunk are shared among the workers. */
#include "sched/steps/few.h"

#include "sched/chunk.h"

static const double hopeless = 1.5; /* so many times dearer: no more of it */

int64_t wadi_few_bytes(const wadi_plan_body *body, const wadi_slots *s) {
    int64_t bytes = 0;
    for (int i = 0; i < body->nreads; i++) {
        const wadi_plan_slot *slot = &s->plan->slots[body->reads[i]];
        const int64_t *shape = s->slot[body->reads[i]].shape;
        if (slot->kind == WADI_SLOT_ONCE && shape != NULL)
            bytes += wadi_shape_values(slot->rank, shape) * wadi_plan_slot_width(slot);
    }
    return bytes;
}

wadi_schedule wadi_few_schedule(const wadi_few *f, const wadi_plan_body *body, wadi_schedule rule,
                                int64_t count, int workers) {
    if (rule != WADI_SCHEDULE_INSIDE || count >= workers || !body->offers[WADI_SCHEDULE_FLAT])
        return rule;
    const int64_t ns = f->inside_ns[0] < f->inside_ns[1] ? f->inside_ns[0] : f->inside_ns[1];
    if (ns < WADI_FEW_LONG_NS || (f->flat_ns > 0 && f->most_ns < WADI_FEW_LONG_NS)) return rule;
    const bool worse = (double)f->flat_ns > hopeless * (double)ns;
    return worse ? rule : WADI_SCHEDULE_FLAT;
}

void wadi_few_saw(wadi_few *f, wadi_schedule ran, int64_t count, int workers, int64_t ns) {
    const int64_t of_one = (int64_t)((double)ns / (double)count * workers);
    if (ran == WADI_SCHEDULE_INSIDE) {
        f->inside_ns[0] = f->inside_ns[1];
        f->inside_ns[1] = count <= workers ? ns : of_one;
    }
    if (ran != WADI_SCHEDULE_FLAT || count >= workers) return;
    f->flat_ns = ns;
    f->most_ns = of_one;
}
