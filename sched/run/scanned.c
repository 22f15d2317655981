/* States as elements: scalars are in slots, arrays in a builder. */
#include "sched/run/scanned.h"

#include "base/error.h"

wadi_status wadi_scanned_begin(const wadi_run *x, const wadi_plan_fold *f, wadi_builder *out,
                               wadi_error *err) {
    wadi_part part[WADI_MAX_PARTS] = {{0}};
    if (f->nstate > WADI_MAX_PARTS)
        return wadi_fail(err, WADI_UNSUPPORTED, "a state of %d arrays, at most %d", f->nstate,
                         (int)WADI_MAX_PARTS);
    for (int i = 0; i < f->nstate; i++) {
        const wadi_plan_slot *p = &x->plan->slots[f->init[i]];
        part[i] = (wadi_part){.rank = p->rank, .fields = p->fields, .fixed = p->rank == 0};
        for (int k = 0; k < p->fields; k++) part[i].type[k] = p->type[k];
    }
    return wadi_builder_init(out, x->buffers, f->nstate, part, INT64_MAX, err);
}

wadi_status wadi_scanned_take(wadi_crew *w, const wadi_plan_fold *f, wadi_builder *b, int64_t first,
                              int64_t done, wadi_chunk **out, wadi_error *err) {
    WADI_TRY(wadi_chunk_create(w->slots->buffers, f->nstate, out, err));
    (*out)->first = first;
    (*out)->count = done;
    if (!f->carried) wadi_builder_finish(b, *out, 0, done);
    for (int i = 0; f->carried && i < f->nstate; i++)
        wadi_slots_take(w->slots, f->after[i], *out, i);
    return WADI_OK;
}
