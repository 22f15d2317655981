/* Checks of indices that come from data, made for a stripe of lanes before the stripe is computed.
 *
 * A check in the middle of a lane's computation is an exit from the loop, and a loop with an exit does not become SIMD code.
 * So the indices of all lanes are computed first, and the greatest of each checked index is kept as an unsigned number; a
 * negative index is then beyond every extent. If one is out of range, a second loop checks in place, which finds and reports
 * the first. Otherwise the stripe is computed without checks. An index made from a 32-bit number is compared as one, for twice
 * as many lanes.
 *
 * This is done only for straight code, without branches, loops and other kinds of faults, because whatever else could go wrong
 * in a lane would have to be found in its order. An index that is read at an index that is checked ahead is not known in front of the
 * stripe: reading it there would be reading wherever the unchecked index points to. It is checked in place, so the code is not straight. */
#include "codegen/kernel/check.h"
enum { MAX_CHECKS = 8, LOOKS = 200, MAX_LOOPS = 2 * WADI_MAX_RANK };

typedef enum phase {
    COLLECTING, /* the greatest indices */
    SEEKING,    /* the first index that is out of range, with checks in place */
    CHECKED     /* all are in range */
} phase;

struct wadi_ahead {
    phase phase;
    int n, met; /* checks collected; how many of them the second pass has met again */
    wadi_lscope *home;
    wadi_lv index[MAX_CHECKS];
    wadi_lv greatest[MAX_CHECKS]; /* variables, of type u32 or u64 */
    wadi_lv extent[MAX_CHECKS];
};

/* The index as an unsigned number. */
static wadi_lv as_unsigned(wadi_lower *l, wadi_lv index) {
    wadi_lb *b = &l->b;
    const wadi_linst *i = wadi_lb_inst(b, index);
    if (i->kind == WADI_L_PRIM && i->op == WADI_SOP_CONVERT &&
        wadi_lb_type(b, i->args[0]) == WADI_I32)
        return wadi_lb_prim(b, WADI_SOP_BITCAST, WADI_U32, 1, &i->args[0]);
    return wadi_lb_prim(b, WADI_SOP_BITCAST, WADI_U64, 1, &index);
}

static void collect(wadi_lower *l, wadi_ahead *a, wadi_lv index, wadi_lv extent) {
    wadi_lb *b = &l->b;
    const wadi_lv x = as_unsigned(l, index);
    const wadi_type t = wadi_lb_type(b, x);
    wadi_lscope *back = wadi_lb_go(b, a->home);
    const wadi_lv zero = wadi_lb_const(b, (wadi_scalar){.type = t});
    const wadi_lv var = wadi_lb_var(b, t, false, zero, "greatest");
    (void)wadi_lb_go(b, back);
    wadi_lb_set(b, var, wadi_lb_bin(b, WADI_SOP_MAX, wadi_lb_get(b, var), x));
    a->index[a->n] = index;
    a->greatest[a->n] = var;
    a->extent[a->n++] = extent;
}

static bool is_collected(const wadi_ahead *a, wadi_lv v) {
    for (int k = 0; k < a->n; k++)
        if (a->index[k] == v) return true;
    return false;
}

/* Whether what is read to compute v is read at an index that is not known to be in range yet. `inside`: v is a part of such an index or
 * address. Gives up, and says so, after `looks` values. */
static bool is_read_blindly(wadi_lower *l, const wadi_ahead *a, wadi_lv v, bool inside,
                            int *looks) {
    const wadi_linst *i = wadi_lb_inst(&l->b, v);
    if ((inside && is_collected(a, v)) || --*looks < 0) return true;
    if (wadi_lb_home(&l->b, v)->depth < a->home->depth) return false;
    inside = inside || (i->kind != WADI_L_PRIM && i->kind != WADI_L_SELECT);
    for (int k = 0; k < i->nargs; k++)
        if (is_read_blindly(l, a, i->args[k], inside, looks)) return true;
    return false;
}

bool wadi_lower_is_ahead(wadi_lower *l, wadi_lv index, wadi_lv extent) {
    wadi_ahead *a = l->checking.ahead;
    if (a == NULL || a->phase == SEEKING) return false;
    if (a->phase == CHECKED) return a->met++ < a->n;
    if (a->n == MAX_CHECKS || wadi_lb_home(&l->b, extent)->depth > a->home->depth) return false;
    if (is_read_blindly(l, a, index, false, &(int){LOOKS})) return false;
    collect(l, a, index, extent);
    return true;
}

/* Whether all greatest indices are below their extents. An i32 below 2^31, read as u32, is the index itself. */
static wadi_lv all_fine(wadi_lower *l, const wadi_ahead *a) {
    wadi_lb *b = &l->b;
    wadi_lv fine = WADI_LV_NONE;
    for (int k = 0; k < a->n; k++) {
        const wadi_lv most = wadi_lb_get(b, a->greatest[k]);
        wadi_lv one;
        if (wadi_lb_type(b, most) == WADI_U32) {
            const wadi_lv limit =
                wadi_lb_bin(b, WADI_SOP_MIN, a->extent[k], wadi_lb_i64(b, INT64_C(1) << 31));
            one = wadi_lb_bin(b, WADI_SOP_LT, wadi_lb_prim(b, WADI_SOP_CONVERT, WADI_I64, 1, &most),
                              limit);
        } else {
            one = wadi_lb_bin(b, WADI_SOP_LT, most,
                              wadi_lb_prim(b, WADI_SOP_BITCAST, WADI_U64, 1, &a->extent[k]));
        }
        fine = fine == WADI_LV_NONE ? one : wadi_lb_bin(b, WADI_SOP_LAND, fine, one);
    }
    return wadi_lb_name(b, fine, "fine");
}

static wadi_linst *loop_in(const wadi_lscope *s) {
    for (int i = 0; i < s->n; i++)
        if (s->inst[i]->kind == WADI_L_FOR) return s->inst[i];
    return NULL;
}

static bool is_straight(const wadi_linst *loop) {
    const wadi_lscope *s = loop ? loop->block[0] : NULL;
    for (int i = 0; s && i < s->n; i++) {
        const wadi_lkind kind = s->inst[i]->kind;
        if (s->inst[i]->block[0] || kind == WADI_L_FAULT || kind == WADI_L_VAR ||
            kind == WADI_L_FRESH || kind == WADI_L_SCRATCH)
            return false;
    }
    return s != NULL;
}

/* Lanes that are written out one by one become SIMD code with their accumulators in registers. This is not done where loads may
 * end up under a condition: GCC 12 then confuses the conditions (tests/codegen/conditional_load_test.c). */
static void unroll(wadi_linst *loop) {
    for (int i = 0; i < loop->block[0]->n; i++)
        if (loop->block[0]->inst[i]->kind == WADI_L_SELECT) return;
    loop->unrolled = true;
}

static wadi_lscope *one_form(wadi_lower *l, wadi_ahead *a, wadi_build build, void *env) {
    const wadi_checking before = l->checking;
    wadi_lscope *s = wadi_lb_aside(&l->b);
    if (a) a->home = s;
    l->checking.ahead = a;
    build(l, env);
    l->checking = before;
    wadi_lb_aside_end(&l->b, s);
    return s;
}

bool wadi_lower_only_checks(const wadi_lower *l) {
    return l->checking.ahead && l->checking.ahead->phase != CHECKED;
}

/* The conditions of the versions around, which code demands that is then not used. */
static void keep_conditions(wadi_loop_version *v, wadi_lv *cond, bool back) {
    for (int k = 0; v && k < MAX_LOOPS; v = v->outer, k++) {
        if (back)
            v->cond = cond[k];
        else
            cond[k] = v->cond;
    }
}

/* Returns the loop without checks, or NULL, and then nothing is written. */
static wadi_linst *written_ahead(wadi_lower *l, wadi_build build, void *env) {
    wadi_ahead a = {.phase = COLLECTING};
    wadi_loop_version *v = l->checking.version;
    wadi_lv cond[MAX_LOOPS];
    keep_conditions(v, cond, false);
    /* lanes of a group do not compute a common greatest index */
    if (l->checking.trial || l->y->unchecked || wadi_lower_has_lanes(l) || (v && !v->fast))
        return NULL;
    wadi_lscope *checks = one_form(l, &a, build, env);
    a.phase = CHECKED;
    wadi_lscope *stripe = a.n > 0 ? one_form(l, &a, build, env) : NULL;
    if (l->b.failed || a.n == 0 || a.met != a.n || !is_straight(loop_in(checks)) ||
        !is_straight(loop_in(stripe))) {
        keep_conditions(v, cond, true);
        return NULL;
    }
    wadi_lb_merge(&l->b, checks);
    const wadi_lv fine = all_fine(l, &a);
    wadi_lb_if(&l->b, wadi_lb_prim(&l->b, WADI_SOP_LNOT, WADI_BOOL, 1, &fine));
    a.phase = SEEKING;
    wadi_lb_merge(&l->b, one_form(l, &a, build, env));
    wadi_lb_end(&l->b);
    wadi_linst *loop = loop_in(stripe);
    wadi_lb_merge(&l->b, stripe);
    return loop;
}

void wadi_lower_ahead(wadi_lower *l, wadi_build build, void *env) {
    wadi_linst *loop = written_ahead(l, build, env);
    if (loop)
        unroll(loop);
    else
        build(l, env);
}

bool wadi_lower_long_ahead(wadi_lower *l, wadi_build build, void *env) {
    wadi_linst *loop = written_ahead(l, build, env);
    if (loop) loop->independent = true;
    return loop != NULL;
}
