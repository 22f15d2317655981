/* Short rows, or blocks of rows, reduced by teams of a group's lanes: a team's lanes are the accumulators of the law.
 *
 * Each lane goes through its elements with its accumulator in a register, and the lanes meet in memory of the group. There the
 * accumulators with the same number stand side by side, so that each halving is a loop without gaps. */
#include "codegen/kernel/arith.h"
#include "codegen/kernel/fields.h"
#include "codegen/kernel/lanes.h"
#include "codegen/kernel/row_steps.h"
#include "operators/reduce_tree.h"

enum { LANES = WADI_FOLD_LANES, TEAMS = WADI_ROW_TEAMS };

/* Puts the row into *r, which the stretch is a part of. */
static wadi_row_joined stretch_of(wadi_lower *l, const wadi_row_teams *t, wadi_lv number,
                                  wadi_row *r) {
    wadi_row_joined d = {0};
    t->begin(l, t->env, number, r, &d.from);
    d.count = wadi_row_block_length(l, r, d.from);
    return d;
}

static void accumulators(wadi_lower *l, const wadi_row_teams *t, const wadi_lv *lanes) {
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_FIELDS], acc[WADI_MAX_FIELDS];
    wadi_row r;
    wadi_lanes open;
    const wadi_lv lane = wadi_lanes_all(l, &open);
    const wadi_lv team = bin(l, WADI_SOP_QUOT, lane, num(l, LANES));
    const wadi_lv within = bin(l, WADI_SOP_REM, lane, num(l, LANES));
    for (int f = 0; f < t->like.fields; f++) {
        const wadi_type type = wadi_row_type(&t->like, f);
        acc[f] = wadi_lb_var(b, type, false, wadi_lb_const(b, (wadi_scalar){.type = type}), "acc");
    }
    const wadi_lv number = bin(l, WADI_SOP_ADD, t->first, team);
    wadi_lb_if(b, bin(l, WADI_SOP_LT, number, t->all));
    const wadi_row_joined d = stretch_of(l, t, number, &r);
    const wadi_lv last = bin(l, WADI_SOP_SUB, r.n, num(l, 1));
    const wadi_lv full = bin(l, WADI_SOP_AND, d.count, num(l, -LANES));
    int64_t known = 0; /* full > 0, if it is known: no stretch is shorter then */
    const bool may_be_none = !wadi_lb_is_const(b, full, &known);
    if (may_be_none) wadi_lb_if(b, bin(l, WADI_SOP_GT, full, num(l, 0)));
    const wadi_lv at = bin(l, WADI_SOP_ADD, d.from, within);
    r.elem(l, r.env, wadi_lb_fact(b, at, num(l, 0), last), x);
    set_fields(l, r.fields, acc, x);
    const wadi_lv g = wadi_lb_for(b, num(l, LANES), full, LANES, "g");
    const wadi_lv next = bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_ADD, d.from, g), within);
    r.elem(l, r.env, wadi_lb_range(b, next, num(l, 0), last), x);
    wadi_row_accumulate(l, &r, acc, x);
    wadi_lb_end(b);
    if (may_be_none) wadi_lb_end(b);
    wadi_lb_end(b);
    get_fields(l, r.fields, acc, x);
    const wadi_lv place = bin(l, WADI_SOP_ADD, bin(l, WADI_SOP_MUL, within, num(l, TEAMS)), team);
    to_lane(l, t->like.fields, lanes, place, x);
    wadi_lanes_end(l, &open);
}

static void join_teams(wadi_lower *l, const wadi_row_teams *t, const wadi_lv *lanes) {
    const wadi_row *r = &t->like;
    wadi_lv x[WADI_MAX_FIELDS], acc[WADI_MAX_FIELDS], next[WADI_MAX_FIELDS];
    for (int64_t half = LANES / 2; half > 0; half /= 2) {
        wadi_lanes open;
        const wadi_lv lane = wadi_lanes_first(l, num(l, half * TEAMS), &open);
        const wadi_lv other = bin(l, WADI_SOP_ADD, lane, num(l, half * TEAMS));
        of_lane(l, r->fields, lanes, lane, acc);
        of_lane(l, r->fields, lanes, other, x);
        wadi_row_combine(l, r, acc, x, next);
        to_lane(l, r->fields, lanes, lane, next);
        wadi_lanes_end(l, &open);
    }
}

void wadi_row_by_teams(wadi_lower *l, const wadi_row_teams *t) {
    wadi_lv lanes[WADI_MAX_FIELDS];
    wadi_row r;
    wadi_lanes open;
    for (int f = 0; f < t->like.fields; f++)
        lanes[f] = wadi_lb_lanes(&l->b, wadi_row_type(&t->like, f), WADI_GROUP_LANES, "acc");
    accumulators(l, t, lanes);
    join_teams(l, t, lanes);
    const wadi_lv rest = bin(l, WADI_SOP_SUB, t->all, t->first);
    const wadi_lv team = wadi_lanes_first(l, bin(l, WADI_SOP_MIN, rest, num(l, TEAMS)), &open);
    wadi_row_joined d = stretch_of(l, t, bin(l, WADI_SOP_ADD, t->first, team), &r);
    d.lanes = lanes;
    d.team = team;
    t->end(l, t->env, &r, wadi_row_total_of_joined, &d);
    wadi_lanes_end(l, &open);
}
