/* What is ONCE, where others can read it while the compute thread goes on. */
#include "base/error.h"
#include "sched/run/stream.h"

wadi_status wadi_run_once(wadi_stream *s, wadi_slots *out, wadi_error *err) {
    wadi_run *x = s->x;
    WADI_TRY(wadi_slots_init(out, x->plan, x->buffers, NULL, err));
    for (int i = 0; i < x->plan->nslots; i++) {
        if (x->plan->slots[i].kind != WADI_SLOT_ONCE || wadi_slots_is_empty(&x->slots, i) ||
            wadi_plan_stream_keeps(s->plan, i))
            continue;
        if (x->device->residence == NULL)
            wadi_slots_lend(&x->slots, out, i);
        else if (!wadi_slots_bring(&x->slots, out, i))
            return wadi_fail(err, WADI_MEMORY, "devices: out of memory");
    }
    return wadi_residence_check(x->device->residence, err);
}
