/* Deciding by ranges. In a loop over i, x >= y for affine x and y that differ by one copy of i holds from a threshold on, or below one. The
 * interior lies on the larger side: thresholds near 0 bound it from below, thresholds near the end from above. Any other threshold decides
 * nothing, because neither side would be a border. */
#include "codegen/loop/interior.h"

#include "codegen/loop/bound.h"

enum { NEAR = 256, DEEP = 16, SMALL_BITS = 60 };

/* A comparison x >= y: true from `at` on (rising), or below it. */
typedef struct threshold {
    wadi_lv at;
    bool rising;
} threshold;

/* Whether a threshold is near the beginning, or near the end; of both, the nearer one. */
typedef enum side { NEITHER, LOW, HIGH } side;

/* v with 0 for the variable, in the interior's home; NONE: it is not affine. */
static wadi_lv at_zero(wadi_lb *b, const wadi_linterior *in, wadi_lv v, int depth) {
    const wadi_linst *i = wadi_lb_inst(b, v);
    if (v == in->var) return wadi_lb_i64(b, 0);
    if (i->kind == WADI_L_CONST || wadi_lb_home(b, v)->depth <= in->home->depth) return v;
    if (i->kind == WADI_L_RANGE && depth < DEEP) return at_zero(b, in, i->args[0], depth + 1);
    if (i->kind != WADI_L_PRIM || i->nargs != 2 || depth >= DEEP) return WADI_LV_NONE;
    if (i->op != WADI_SOP_ADD && i->op != WADI_SOP_SUB && i->op != WADI_SOP_MUL)
        return WADI_LV_NONE;
    const wadi_lv x = at_zero(b, in, i->args[0], depth + 1);
    const wadi_lv y = x == WADI_LV_NONE ? x : at_zero(b, in, i->args[1], depth + 1);
    return y == WADI_LV_NONE ? y : wadi_lb_bin(b, i->op, x, y);
}

static bool is_index(wadi_lb *b, wadi_lv v) {
    return wadi_lb_type(b, v) == WADI_I64 && wadi_lb_inst(b, v)->bits < SMALL_BITS;
}

/* x >= y + more. Called in the interior's home. */
static bool find_threshold(wadi_lb *b, const wadi_linterior *in, wadi_lv x, wadi_lv y, int64_t more,
                           threshold *out) {
    int64_t sx = 0, sy = 0;
    if (!is_index(b, x) || !is_index(b, y)) return false;
    if (!wadi_bound_stride(b, x, in->var, &sx) || !wadi_bound_stride(b, y, in->var, &sy))
        return false;
    if (sx - sy != 1 && sx - sy != -1) return false;
    const wadi_lv x0 = at_zero(b, in, x, 0), y0 = at_zero(b, in, y, 0);
    if (x0 == WADI_LV_NONE || y0 == WADI_LV_NONE) return false;
    const wadi_lv least = wadi_lb_bin(b, WADI_SOP_ADD, y0, wadi_lb_i64(b, more));
    out->rising = sx - sy == 1;
    out->at = out->rising ? wadi_lb_bin(b, WADI_SOP_SUB, least, x0)
                          : wadi_lb_bin(b, WADI_SOP_ADD, wadi_lb_bin(b, WADI_SOP_SUB, x0, least),
                                        wadi_lb_i64(b, 1));
    return true;
}

static side side_of(wadi_lb *b, const wadi_linterior *in, wadi_lv at) {
    int64_t low = 0, high = 0;
    const bool near_low = wadi_lb_is_const(b, at, &low) && low <= NEAR && low >= -NEAR;
    const bool near_high =
        wadi_bound_difference(b, in->end, at, &high) && high <= NEAR && high >= -NEAR;
    if (near_low && near_high) return low <= high ? LOW : HIGH;
    return near_low ? LOW : near_high ? HIGH : NEITHER;
}

static void narrow(wadi_lb *b, wadi_linterior *in, side s, wadi_lv at) {
    wadi_lv *bound = s == LOW ? &in->from : &in->most;
    *bound = *bound == WADI_LV_NONE
                 ? at
                 : wadi_lb_bin(b, s == LOW ? WADI_SOP_MAX : WADI_SOP_MIN, *bound, at);
    in->decided++;
}

/* Whether x >= y + more is known in the interior: then *out is its truth. `wanted` (0 or 1): only that truth may be decided; -1: either. */
static bool at_least(wadi_lb *b, wadi_linterior *in, wadi_lv x, wadi_lv y, int64_t more, int wanted,
                     bool *out) {
    threshold t;
    if (!find_threshold(b, in, x, y, more, &t)) return false;
    const side s = side_of(b, in, t.at);
    *out = (s == LOW) == t.rising;
    if (s == NEITHER || (wanted >= 0 && *out != (wanted == 1))) return false;
    narrow(b, in, s, t.at);
    return true;
}

/* x = y holds in one round, so it is false in the interior if that is near one end. */
static bool differ(wadi_lb *b, wadi_linterior *in, wadi_lv x, wadi_lv y) {
    threshold t;
    if (!find_threshold(b, in, x, y, 0, &t)) return false;
    /* x >= y is true from the round on in which they are equal, or up to it */
    const wadi_lv here = t.rising ? t.at : wadi_lb_bin(b, WADI_SOP_SUB, t.at, wadi_lb_i64(b, 1));
    const side s = side_of(b, in, here);
    if (s == NEITHER) return false;
    narrow(b, in, s, s == LOW ? wadi_lb_bin(b, WADI_SOP_ADD, here, wadi_lb_i64(b, 1)) : here);
    return true;
}

/* 0 <= x < n, both or nothing. */
static bool within(wadi_lb *b, wadi_linterior *in, wadi_lv x, wadi_lv n) {
    const wadi_linterior before = *in;
    const wadi_lv zero = wadi_lb_i64(b, 0);
    bool truth = false;
    int64_t sx = 0;
    if (!is_index(b, x) || !wadi_bound_stride(b, x, in->var, &sx) || sx == 0) return false;
    if ((at_least(b, in, x, zero, 0, 1, &truth) || wadi_lb_inst(b, x)->nonneg) &&
        at_least(b, in, n, x, 1, 1, &truth))
        return true;
    *in = before;
    return false;
}

static wadi_lv decide(wadi_lb *b, wadi_linterior *in, wadi_sop op, wadi_lv x, wadi_lv y) {
    bool truth = false;
    switch (op) {
    case WADI_SOP_MAX:
        return at_least(b, in, x, y, 0, -1, &truth) ? (truth ? x : y) : WADI_LV_NONE;
    case WADI_SOP_MIN:
        return at_least(b, in, y, x, 0, -1, &truth) ? (truth ? x : y) : WADI_LV_NONE;
    case WADI_SOP_GE:
        return at_least(b, in, x, y, 0, -1, &truth) ? wadi_lb_bool(b, truth) : WADI_LV_NONE;
    case WADI_SOP_LT:
        return at_least(b, in, x, y, 0, -1, &truth) ? wadi_lb_bool(b, !truth) : WADI_LV_NONE;
    case WADI_SOP_LE:
        return at_least(b, in, y, x, 0, -1, &truth) ? wadi_lb_bool(b, truth) : WADI_LV_NONE;
    case WADI_SOP_GT:
        return at_least(b, in, y, x, 0, -1, &truth) ? wadi_lb_bool(b, !truth) : WADI_LV_NONE;
    case WADI_SOP_EQ:
    case WADI_SOP_NE:
        return differ(b, in, x, y) ? wadi_lb_bool(b, op == WADI_SOP_NE) : WADI_LV_NONE;
    case WADI_SOP_MOD:
    case WADI_SOP_REM:
        return within(b, in, x, y) ? x : WADI_LV_NONE;
    default:
        return WADI_LV_NONE;
    }
}

/* What a decision needs is computed in front of the loop, where nothing is decided. */
static wadi_linterior *leave(wadi_lb *b, wadi_lscope **out_back) {
    wadi_linterior *in = b->interior;
    b->interior = NULL;
    *out_back = wadi_lb_go(b, in->home);
    return in;
}

static void come_back(wadi_lb *b, wadi_linterior *in, wadi_lscope *back) {
    (void)wadi_lb_go(b, back);
    b->interior = in;
}

wadi_lv wadi_interior_decide(wadi_lb *b, wadi_sop op, const wadi_lv *args) {
    wadi_lscope *back;
    if (b->failed || wadi_lb_type(b, args[0]) != WADI_I64) return WADI_LV_NONE;
    wadi_linterior *in = leave(b, &back);
    const wadi_lv v = decide(b, in, op, args[0], args[1]);
    come_back(b, in, back);
    return v;
}

bool wadi_interior_in_range(wadi_lb *b, wadi_lv index, wadi_lv extent) {
    wadi_lscope *back;
    if (b->failed || !b->interior) return false;
    wadi_linterior *in = leave(b, &back);
    const bool is_within = within(b, in, index, extent);
    come_back(b, in, back);
    return is_within;
}

bool wadi_interior_demand(wadi_lb *b, wadi_lv truth) {
    wadi_lscope *back;
    if (b->failed || !b->interior) return false;
    if (wadi_lb_home(b, truth)->depth > b->interior->home->depth) return false;
    wadi_linterior *in = leave(b, &back);
    in->cond = in->cond == WADI_LV_NONE ? truth : wadi_lb_bin(b, WADI_SOP_LAND, in->cond, truth);
    in->decided++;
    come_back(b, in, back);
    return true;
}

/* `end` and the bound of the interior on that side, if both are known in the open scope; else `end`. */
static wadi_lv closer(wadi_lb *b, wadi_sop op, wadi_lv end, wadi_lv bound) {
    const bool known = bound != WADI_LV_NONE && wadi_lb_home(b, bound)->depth <= b->scope->depth &&
                       wadi_lb_home(b, end)->depth <= b->scope->depth;
    return known ? wadi_lb_bin(b, op, end, bound) : end;
}

wadi_lv wadi_interior_condition(wadi_lb *b, wadi_lscope *home, wadi_lv index, wadi_lv extent) {
    wadi_linterior *in = b->interior;
    if (b->failed || !in) return wadi_bound_condition(b, home, index, extent);
    wadi_linst *var = wadi_lb_inst(b, in->var);
    const wadi_lv from = var->args[0], below = var->args[1];
    b->interior = NULL;
    wadi_lscope *back = wadi_lb_go(b, home);
    /* later decisions only make it narrower */
    var->args[0] = closer(b, WADI_SOP_MAX, from, in->from);
    var->args[1] = closer(b, WADI_SOP_MIN, below, in->most);
    (void)wadi_lb_go(b, back);
    const wadi_lv c = wadi_bound_condition(b, home, index, extent);
    var->args[0] = from;
    var->args[1] = below;
    b->interior = in;
    return c;
}
