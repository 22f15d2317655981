/* Schedule flat of permute: which form it takes. A long vector goes to several tables if its elements may be combined in any order and the result is much
 * shorter (permute_tables.c). Patches go to shares of rows (scatter.c). Other vectors keep the order of the source, with one worker each, but for
 * those that turn out not to need it (permute_full.c) or whose neighbours go to neighbouring places (permute_near.c). */
#include "base/error.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/flat/permutes.h"
#include "codegen/kernel/permute.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/skeleton.h"
#include "operators/reduce_tree.h"

static wadi_status by_tables(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag) {
    static const wadi_cut merges = {.unit = wadi_flat_permute_merge, .lanes = true};
    int t = -1;
    WADI_TRY(wadi_flat_permute_fill_tables(c, bind, tag, &t));
    if (wadi_flat_permute_is_near(c, bind)) return wadi_flat_permute_near(c, bind, slot, t, tag);
    return wadi_flat_cut(c, bind, slot, &merges, tag, t, true);
}

/* ---- one worker per element of the stream ---- */

static void whole(wadi_lower *l, const wadi_unit *u) {
    wadi_lower_permute(l, u->bind, u->extent, u->pointer);
}

static wadi_lv one(wadi_lower *l, const wadi_bind *bind) {
    WADI_UNUSED(bind);
    return num(l, 1);
}

/* Whether its parts may be several units of work: none may fault after another one has stored what it combined. */
static bool can_be_cut(const wadi_flat *c, const wadi_bind *bind) {
    const wadi_value *v = c->y->m->values;
    return v[bind->results[0]].type.array[0].rank > 0 && v[bind->args[1]].type.array[0].rank > 0 &&
           wadi_lower_cost(bind->funs[0]) < WADI_SHARE_CHEAP;
}

static wadi_status into_slot(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag) {
    static const wadi_cut cut = {.rows = one, .unit = whole, .whole = true, .lanes = true};
    if (c->y->grouped && can_be_cut(c, bind)) {
        if (wadi_fun_has_any_order(bind->funs[0])) return wadi_flat_permute_any(c, bind, slot, tag);
        if (wadi_flat_tells(c, bind, wadi_lower_permute_is_apart))
            return wadi_flat_permute_apart(c, bind, slot, tag);
        if (wadi_flat_shares(c, bind)) return wadi_flat_scatter(c, bind, slot, tag);
        if (wadi_flat_permute_sorts(c, bind)) return wadi_flat_permute_sorted(c, bind, slot, tag);
    }
    if (wadi_flat_permute_has_tables(c, bind)) return by_tables(c, bind, slot, tag);
    if (wadi_flat_shares(c, bind)) return wadi_flat_scatter(c, bind, slot, tag);
    if (wadi_flat_permute_is_full(c, bind)) return wadi_flat_permute_full(c, bind, slot, tag);
    if (wadi_flat_permute_is_near(c, bind)) return wadi_flat_permute_near(c, bind, slot, -1, tag);
    return wadi_flat_cut(c, bind, slot, &cut, tag, -1, true);
}

const wadi_skeleton_row wadi_skeleton_permute = {.fill = wadi_lower_permute,
                                                 .is_shared = wadi_lower_is_shared,
                                                 .has_rows = wadi_lower_has_rows,
                                                 .into_slot = into_slot};
