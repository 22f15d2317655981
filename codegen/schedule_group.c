/* Schedule group: the steps of schedule flat, a unit of work being that of one group and its elements or accumulators those of the
 * group's lanes (codegen/loop/loop.h). It is what a device with groups runs. A processor runs the lanes one after the other, so that the same
 * kernels are tested on it; nobody would choose them there.
 *
 * Maps and what is computed like them have a lane for each element of a unit. Folds, and blocks of long ones, have the accumulators of the
 * fixed tree as lanes. Scans, permutations, searches and results of rank 0 are done by a group as by one worker; what carries something from unit to
 * unit, and what goes through elements one by one, is no loop by groups and runs as in schedule flat. */
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
        const char *wrong = wadi_lfun_check_groups(out->funs[i]);
        if (wrong != NULL)
            return wadi_fail(y->err, WADI_INTERNAL, "%s: %s", out->funs[i]->name, wrong);
    }
    return WADI_OK;
}

const wadi_lowering wadi_lowering_group = {in_any_order, lower, false};
