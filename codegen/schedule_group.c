/* Schedule group: the steps of schedule flat, with groups of lanes (codegen/loop/loop.h). A group does one unit of work, and its
 * lanes do the unit's elements, or have the accumulators of a reduction. It is meant for devices with groups. A processor runs
 * the lanes one after the other. That only serves to test the same kernels; flat is faster there.
 *
 * Each skeleton says how its units are dealt to lanes (wadi_cut in codegen/kernel/flat/flat.h). If it says nothing, one lane does
 * the unit. Work that goes through elements one by one has no loop over groups and runs as in schedule flat. docs/decisions/0054 has
 * the table. */
#include "base/error.h"
#include "codegen/kernel/flat/flat.h"
#include "codegen/schedules.h"

static bool in_any_order(const wadi_body_traits *t) {
    return !t->in_order;
}

static wadi_status lower(wadi_layout *y, const wadi_body *body, const bool *known,
                         wadi_lmodule *out, wadi_plan_version *out_version) {
    y->grouped = true;
    WADI_TRY(wadi_lower_flat(y, body, known, out, out_version));
    for (int i = 0; i < out->nfuns; i++) {
        const char *wrong = wadi_lfun_check_groups(out->funs[i], y->arena);
        if (wrong != NULL)
            return wadi_fail(y->err, WADI_INTERNAL, "%s: %s", out->funs[i]->name, wrong);
    }
    return WADI_OK;
}

const wadi_lowering wadi_lowering_group = {in_any_order, lower, false};
