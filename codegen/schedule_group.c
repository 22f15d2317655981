/* Schedule group: the steps of schedule flat, with groups of lanes (codegen/loop/loop.h). A group does one unit of work, and its
 * lanes do the unit's elements, or have the accumulators of a reduction. It is meant for devices with groups. A processor runs
 * the lanes one after the other. That only serves to test the same kernels; flat is faster there.
 *
 * Each skeleton says how its units are dealt to lanes (wadi_cut in codegen/kernel/flat/flat.h). If it says nothing, one lane does
 * the unit. Work that goes through elements one by one has no loop over groups and runs as in schedule flat. docs/decisions/0054 has
 * the table.
 *
 * What lanes share lives in the group's memory, which is small. If a kernel would need more than there is, the body runs as in schedule
 * flat, without groups. Only records of many fields need so much. */
#include <string.h>

#include "base/error.h"
#include "codegen/kernel/flat/flat.h"
#include "codegen/schedules.h"

static bool in_any_order(const wadi_body_traits *t) {
    return !t->in_order;
}

/* *fits: whether the group's memory holds what each kernel has there. */
static wadi_status check(const wadi_layout *y, const wadi_lmodule *m, bool *fits) {
    *fits = true;
    for (int i = 0; i < m->nfuns; i++) {
        const char *wrong = wadi_lfun_check_groups(m->funs[i], y->arena);
        const int64_t bytes = wadi_lfun_group_bytes(m->funs[i], y->arena);
        if (wrong != NULL)
            return wadi_fail(y->err, WADI_INTERNAL, "%s: %s", m->funs[i]->name, wrong);
        if (bytes < 0) return wadi_fail(y->err, WADI_MEMORY, "out of memory while making kernels");
        *fits = *fits && bytes <= WADI_GROUP_BYTES;
    }
    return WADI_OK;
}

/* What lowering adds to the layout, and how to take it out again. */
typedef struct added {
    size_t slots, levels, places;
    int *slot_of;
} added;

static wadi_status remember(const wadi_layout *y, added *out) {
    const size_t n = (size_t)y->m->nvalues;
    *out = (added){y->slots.n, y->levels.n, y->places.n, WADI_NEW_N(y->arena, int, n + 1)};
    if (out->slot_of == NULL)
        return wadi_fail(y->err, WADI_MEMORY, "out of memory while making kernels");
    memcpy(out->slot_of, y->slot_of, n * sizeof *out->slot_of);
    return WADI_OK;
}

static void take_out(wadi_layout *y, const added *before) {
    y->slots.n = before->slots;
    y->levels.n = before->levels;
    y->places.n = before->places;
    memcpy(y->slot_of, before->slot_of, (size_t)y->m->nvalues * sizeof *y->slot_of);
}

static wadi_status lower(wadi_layout *y, const wadi_body *body, const bool *known,
                         wadi_lmodule *out, wadi_plan_version *out_version) {
    const wadi_lmodule empty = *out;
    const wadi_plan_version none = *out_version;
    added before;
    bool fits = true;
    WADI_TRY(remember(y, &before));
    y->grouped = true;
    WADI_TRY(wadi_lower_flat(y, body, known, out, out_version));
    WADI_TRY(check(y, out, &fits));
    if (fits) return WADI_OK;
    take_out(y, &before);
    *out = empty;
    *out_version = none;
    y->grouped = false;
    return wadi_lower_flat(y, body, known, out, out_version);
}

const wadi_lowering wadi_lowering_group = {in_any_order, lower, false};
