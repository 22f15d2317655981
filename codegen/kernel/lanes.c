/* Loops by lanes: how work is dealt out to a group. */
#include "codegen/kernel/lanes.h"

#include "codegen/kernel/arith.h"

wadi_lv wadi_lanes_first(wadi_lower *l, wadi_lv n, wadi_lanes *out) {
    const wadi_lv lane = wadi_lb_for(&l->b, num(l, 0), n, 1, "lane");
    *out = (wadi_lanes){.before = wadi_lower_by_lanes(l), .lane = lane, .loops = 1};
    return lane;
}

wadi_lv wadi_lanes_all(wadi_lower *l, wadi_lanes *out) {
    return wadi_lanes_first(l, num(l, WADI_GROUP_LANES), out);
}

wadi_lv wadi_lanes_each(wadi_lower *l, wadi_lv from, wadi_lv below, const char *name,
                        wadi_lanes *out) {
    wadi_lb *b = &l->b;
    if (!wadi_lower_has_lanes(l)) {
        *out = (wadi_lanes){.before = l->position, .loops = 1};
        return wadi_lb_for(b, from, below, 1, name);
    }
    const wadi_lv last = bin(l, WADI_SOP_SUB, below, num(l, 1));
    const wadi_lv first = wadi_lb_for(b, from, below, WADI_GROUP_LANES, "first");
    const wadi_lv rest = bin(l, WADI_SOP_SUB, below, first);
    const wadi_lv lane =
        wadi_lanes_first(l, bin(l, WADI_SOP_MIN, rest, num(l, WADI_GROUP_LANES)), out);
    out->loops = 2;
    return wadi_lb_name(b, wadi_lb_range(b, bin(l, WADI_SOP_ADD, first, lane), from, last), name);
}

void wadi_lanes_alone(wadi_lower *l, wadi_lanes *out) {
    *out = (wadi_lanes){.before = l->position};
    if (wadi_lower_has_lanes(l)) (void)wadi_lanes_first(l, num(l, 1), out);
}

void wadi_lanes_end(wadi_lower *l, const wadi_lanes *opened) {
    for (int k = 0; k < opened->loops; k++) wadi_lb_end(&l->b);
    l->position = opened->before;
}
