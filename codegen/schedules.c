/* The table of lowerings, and the rows of the schedules whose kernels come from codegen/kernel. */
#include "codegen/schedules.h"

#include "codegen/kernel/flat/flat.h"
#include "codegen/kernel/inside.h"

static bool always(const wadi_body_traits *t) {
    (void)t;
    return true;
}

static bool in_any_order(const wadi_body_traits *t) {
    return !t->in_order;
}

static bool of_scalars(const wadi_body_traits *t) {
    return t->scalars;
}

static wadi_status inside(wadi_layout *y, const wadi_body *body, const bool *known,
                          wadi_lmodule *out, wadi_plan_version *out_version) {
    return wadi_lower_inside(y, body, known, false, out, out_version);
}

static wadi_status across(wadi_layout *y, const wadi_body *body, const bool *known,
                          wadi_lmodule *out, wadi_plan_version *out_version) {
    return wadi_lower_inside(y, body, known, true, out, out_version);
}

const wadi_lowering wadi_lowering_inside = {always, inside, true};
const wadi_lowering wadi_lowering_flat = {in_any_order, wadi_lower_flat, false};
const wadi_lowering wadi_lowering_across = {of_scalars, across, true};

#define ROW(NAME, name, about) [WADI_SCHEDULE_##NAME] = &wadi_lowering_##name,

const wadi_lowering *const wadi_lowerings[WADI_SCHEDULE_COUNT] = {WADI_SCHEDULES(ROW)};
