/* Levels: how an element of a branch or loop of schedule flat finds its number in the levels around it.
 *
 * A branch runs over the elements that took it, and a loop over those that have not stopped. Both are numbered anew, so that
 * what they compute is dense. Each level has a column that leads from these numbers to those of the level around it. */
#include "base/error.h"
#include "codegen/kernel/lower.h"

static wadi_lv parent_number(wadi_lower *l, const wadi_plan_level *level, wadi_lv s) {
    wadi_lb *b = &l->b;
    const wadi_lv map = wadi_lb_column(b, level->map, 0, WADI_I64);
    const wadi_lv up = wadi_lb_load(b, map, s, b->fun->body);
    wadi_lb_inst(b, up)->nonneg = true;
    wadi_lb_inst(b, up)->bits = WADI_EXTENT_BITS;
    return up;
}

wadi_lv wadi_lower_number(wadi_lower *l, int level) {
    wadi_lv s = l->s;
    for (int k = l->of.level; k != level && !l->b.failed;) {
        WADI_ASSERT(k > 0);
        const wadi_plan_level *from = &l->y->levels.at[k - 1];
        s = wadi_lb_name(&l->b, parent_number(l, from, s), "outer");
        k = from->parent;
    }
    return s;
}

wadi_lv wadi_lower_number_in(wadi_lower *l, int slot) {
    return wadi_lower_number(l, l->y->slots.at[slot].level);
}
