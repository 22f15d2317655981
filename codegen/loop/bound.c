/* Ranges of indices.
 *
 * Proofs work on affine forms: constant + sum of coefficient x atom. To show that a form is never negative, its atoms are
 * replaced, innermost first: a loop variable by the end of its range that makes the form least, a minimum or maximum by its
 * parts. The proof succeeds when only non-negative atoms with positive coefficients are left.
 *
 * Conditions come from interval arithmetic over the expression itself: code in front of the loops computes the least and the
 * greatest value that it takes while they run. The magnitude of every part is tracked. If nothing is known of an operand, the
 * condition also tests that it is small. So nothing here can wrap around.
 *
 * Products of two loop variables, gathers and conditionals inside the index are checked in place. */
#include "codegen/loop/bound.h"

#include <string.h>

/* ---- affine forms ---- */

enum { MAX_TERMS = 12, MAX_STEPS = 96, DEEP = 6 };

typedef struct form {
    int64_t constant;
    int n;
    int64_t coef[MAX_TERMS];
    wadi_lv atom[MAX_TERMS];
    wadi_lv positive; /* a value that is known to be at least 1; NONE: none is */
    bool failed;
} form;

static const form nothing = {.positive = WADI_LV_NONE};

static bool is_small(int64_t c) {
    return c > -(INT64_C(1) << 30) && c < INT64_C(1) << 30;
}

static void add_atom(form *f, wadi_lv atom, int64_t coef) {
    for (int i = 0; i < f->n; i++) {
        if (f->atom[i] != atom) continue;
        f->coef[i] += coef;
        if (f->coef[i] == 0) {
            f->n--;
            f->coef[i] = f->coef[f->n];
            f->atom[i] = f->atom[f->n];
        } else if (!is_small(f->coef[i])) {
            f->failed = true;
        }
        return;
    }
    if (f->n == MAX_TERMS || !is_small(coef)) {
        f->failed = true;
        return;
    }
    f->coef[f->n] = coef;
    f->atom[f->n++] = atom;
}

static bool is_op(const wadi_linst *i, wadi_sop op) {
    return i->kind == WADI_L_PRIM && i->op == op;
}

/* Whether a sum, difference, product or negation has not wrapped around. One that is an extent, as has been checked, lies in 0 .. 2^WADI_EXTENT_BITS - 1: a product may
 * have come there by wrapping around, a sum or difference only where both parts are near the ends of i64. */
static bool is_exact(wadi_lb *b, const wadi_linst *i) {
    if (i->exact) return true;
    if (i->bits > WADI_EXTENT_BITS || !i->nonneg) return false;
    if (i->op == WADI_SOP_NEG) return true;
    const wadi_linst *x = wadi_lb_inst(b, i->args[0]), *y = wadi_lb_inst(b, i->args[1]);
    if (i->op == WADI_SOP_MUL) return x->bits + y->bits < 63;
    return x->bits < 63 || y->bits < 63 || x->nonneg || (i->op == WADI_SOP_ADD && y->nonneg);
}

/* f += scale * v */
static void add_value(wadi_lb *b, form *f, wadi_lv v, int64_t scale, int depth) {
    const wadi_linst *i = wadi_lb_inst(b, v);
    int64_t c = 0;
    if (f->failed || depth > 16 || !is_small(scale)) {
        f->failed = true;
        return;
    }
    if (wadi_lb_is_const(b, v, &c)) {
        if (c > INT64_C(1) << 50 || c < -(INT64_C(1) << 50) || scale > 1 << 10 ||
            scale < -(1 << 10))
            f->failed = true;
        else
            f->constant += scale * c;
        return;
    }
    const bool affine = is_op(i, WADI_SOP_ADD) || is_op(i, WADI_SOP_SUB) ||
                        is_op(i, WADI_SOP_NEG) || is_op(i, WADI_SOP_MUL);
    if (affine && is_exact(b, i)) {
        if (i->op == WADI_SOP_ADD || i->op == WADI_SOP_SUB) {
            add_value(b, f, i->args[0], scale, depth + 1);
            add_value(b, f, i->args[1], i->op == WADI_SOP_ADD ? scale : -scale, depth + 1);
            return;
        }
        if (i->op == WADI_SOP_NEG) {
            add_value(b, f, i->args[0], -scale, depth + 1);
            return;
        }
        if (i->op == WADI_SOP_MUL && wadi_lb_is_const(b, i->args[1], &c) && is_small(c)) {
            add_value(b, f, i->args[0], scale * c, depth + 1);
            return;
        }
    }
    add_atom(f, v, scale);
}

/* f with atom `at` replaced by v + more; v may be NONE, which counts as 0. */
static form replaced(wadi_lb *b, const form *f, int at, wadi_lv v, int64_t more) {
    form g = *f;
    const int64_t scale = g.coef[at];
    g.n--;
    g.coef[at] = g.coef[g.n];
    g.atom[at] = g.atom[g.n];
    if (v != WADI_LV_NONE) add_value(b, &g, v, scale, 0);
    g.constant += scale * more;
    return g;
}

static bool never_negative(wadi_lb *b, const form *f, int *steps);

/* Whether the form is never negative if atom `at` is replaced by `end` + more, the end of its range that makes the form least. */
static bool try_end(wadi_lb *b, const form *f, int at, wadi_lv end, int64_t more, int *steps) {
    if (end == WADI_LV_NONE) return false;
    const form g = replaced(b, f, at, end, more);
    return never_negative(b, &g, steps);
}

/* The same for a product: if one factor is never negative, the product is monotone in the other, which has a range. */
static bool try_product(wadi_lb *b, const form *f, int at, int *steps) {
    const wadi_linst *i = wadi_lb_inst(b, f->atom[at]);
    for (int side = 0; side < 2; side++) {
        const wadi_linst *x = wadi_lb_inst(b, i->args[side]);
        const wadi_lv other = i->args[1 - side];
        if (!wadi_lb_inst(b, other)->nonneg) continue;
        const bool up = f->coef[at] < 0;
        wadi_lv end = WADI_LV_NONE;
        if (x->kind == WADI_L_LOOPVAR) end = x->args[up];
        if (x->kind == WADI_L_RANGE) end = x->args[up ? 2 : 1];
        if (end == WADI_LV_NONE) continue;
        form g = replaced(b, f, at, WADI_LV_NONE, 0);
        const int64_t scale = f->coef[at];
        add_value(b, &g, wadi_lb_bin(b, WADI_SOP_MUL, end, other), scale, 0);
        if (x->kind == WADI_L_LOOPVAR && up) add_value(b, &g, other, -scale, 0);
        if (never_negative(b, &g, steps)) return true;
    }
    return false;
}

static bool try_atom(wadi_lb *b, const form *f, int at, int *steps) {
    const wadi_linst *i = wadi_lb_inst(b, f->atom[at]);
    const bool up = f->coef[at] < 0; /* the form is least where the atom is greatest */
    if (i->kind == WADI_L_LOOPVAR) return try_end(b, f, at, i->args[up], up ? -1 : 0, steps);
    if (i->kind == WADI_L_RANGE)
        return try_end(b, f, at, i->args[up ? 2 : 1], 0, steps) ||
               try_end(b, f, at, i->args[0], 0, steps);
    if (is_op(i, WADI_SOP_MUL)) return try_product(b, f, at, steps);
    if (is_op(i, WADI_SOP_QUOT) && up && wadi_lb_inst(b, i->args[0])->nonneg &&
        wadi_lb_inst(b, i->args[1])->nonneg)
        return try_end(b, f, at, i->args[0], 0, steps);
    int64_t c = 0;
    if ((is_op(i, WADI_SOP_MOD) || (is_op(i, WADI_SOP_REM) && i->nonneg)) && up &&
        wadi_lb_is_const(b, i->args[1], &c) && c > 0)
        return try_end(b, f, at, i->args[1], -1, steps);
    if (is_op(i, WADI_SOP_AND) && up && wadi_lb_is_const(b, i->args[1], &c) && c >= 0)
        return try_end(b, f, at, i->args[1], 0, steps);
    const bool lesser = is_op(i, WADI_SOP_MIN), greater = is_op(i, WADI_SOP_MAX);
    if (!lesser && !greater && i->kind != WADI_L_SELECT) return false;
    const wadi_lv x = i->args[i->kind == WADI_L_SELECT ? 1 : 0],
                  y = i->args[i->kind == WADI_L_SELECT ? 2 : 1];
    if ((lesser && up) || (greater && !up))
        return try_end(b, f, at, x, 0, steps) || try_end(b, f, at, y, 0, steps);
    return try_end(b, f, at, x, 0, steps) && try_end(b, f, at, y, 0, steps);
}

static bool never_negative(wadi_lb *b, const form *f, int *steps) {
    if (f->failed || --*steps < 0) return false;
    int64_t least = f->constant;
    for (int i = 0; i < f->n; i++)
        if (f->atom[i] == f->positive && f->coef[i] > 0) least += f->coef[i];
    bool done = least >= 0;
    int innermost = -1;
    for (int i = 0; i < f->n; i++) {
        const wadi_linst *x = wadi_lb_inst(b, f->atom[i]);
        const bool fine = f->coef[i] > 0 && x->nonneg;
        if (!fine) done = false;
        const bool open = x->kind == WADI_L_LOOPVAR || x->kind == WADI_L_RANGE ||
                          x->kind == WADI_L_SELECT ||
                          (x->kind == WADI_L_PRIM && x->op != WADI_SOP_CONVERT);
        if (open && (innermost < 0 || f->atom[i] > f->atom[innermost])) innermost = i;
    }
    if (done) return true;
    if (innermost < 0) return false;
    if (try_atom(b, f, innermost, steps)) return true;
    /* the innermost atom may need no replacement; try the others */
    for (int i = 0; i < f->n; i++)
        if (i != innermost && try_atom(b, f, i, steps)) return true;
    return false;
}

/* `positive`: a value that is known to be at least 1, or NONE. */
static bool proved_nonneg(wadi_lb *b, wadi_lv v, wadi_lv positive) {
    if (wadi_lb_inst(b, v)->nonneg) return true;
    form f = nothing;
    int steps = MAX_STEPS;
    f.positive = positive;
    add_value(b, &f, v, 1, 0);
    return never_negative(b, &f, &steps);
}

/* Whether v is `extent`, or a minimum with it. */
static bool is_at_most(wadi_lb *b, wadi_lv v, wadi_lv extent, int depth) {
    const wadi_linst *i = wadi_lb_inst(b, v);
    if (v == extent) return true;
    return is_op(i, WADI_SOP_MIN) && depth < DEEP &&
           (is_at_most(b, i->args[0], extent, depth + 1) ||
            is_at_most(b, i->args[1], extent, depth + 1));
}

/* Whether the code runs only in rounds of a loop over `extent` or a part of it, or for an index in it: then the extent is at least 1. */
static bool is_open_extent(wadi_lb *b, wadi_lv index, wadi_lv extent, int depth) {
    const wadi_linst *i = wadi_lb_inst(b, index);
    int64_t above = 0;
    if (i->kind == WADI_L_LOOPVAR)
        return wadi_lb_inst(b, i->args[0])->nonneg && is_at_most(b, i->args[1], extent, 0);
    if (i->kind == WADI_L_RANGE)
        return i->args[2] != WADI_LV_NONE && i->nonneg &&
               wadi_bound_difference(b, extent, i->args[2], &above) && above >= 1;
    if (i->kind != WADI_L_PRIM || depth == DEEP) return false;
    for (int a = 0; a < i->nargs; a++)
        if (is_open_extent(b, i->args[a], extent, depth + 1)) return true;
    return false;
}

static bool proved_below(wadi_lb *b, wadi_lv index, wadi_lv extent, wadi_lv positive) {
    form f = nothing;
    int steps = MAX_STEPS;
    f.constant = -1;
    f.positive = positive;
    add_value(b, &f, extent, 1, 0);
    add_value(b, &f, index, -1, 0);
    return never_negative(b, &f, &steps);
}

/* Whether the index has so few bits that the table has an entry for every value: a byte, or some bits of a hash. */
static bool fits_table(wadi_lb *b, wadi_lv index, wadi_lv extent) {
    const wadi_linst *i = wadi_lb_inst(b, index);
    int64_t entries = 0;
    return i->nonneg && i->bits < 62 && wadi_lb_is_const(b, extent, &entries) &&
           entries >= INT64_C(1) << i->bits;
}

bool wadi_bound_proved(wadi_lb *b, wadi_lv index, wadi_lv extent) {
    if (b->failed) return false;
    if (fits_table(b, index, extent)) return true;
    const wadi_lv positive = is_open_extent(b, index, extent, 0) ? extent : WADI_LV_NONE;
    return proved_nonneg(b, index, positive) && proved_below(b, index, extent, positive);
}

/* ---- intervals ---- */

/* The least or the greatest value of an expression. */
typedef struct interval {
    wadi_lv end; /* NONE: no bound */
    int bits; /* the magnitude of the whole expression, not only of its end, is below 2^bits; 64: not known */
} interval;

typedef struct bounding {
    wadi_lb *b;
    const wadi_lscope *home;
    wadi_lv cond;
} bounding;

static const interval unbounded = {WADI_LV_NONE, 64};

/* The interval of a sum or a product; none if the value might wrap around. */
static interval made(wadi_lv end, int bits) {
    return bits < 62 && end != WADI_LV_NONE ? (interval){end, bits} : unbounded;
}

static void demand(bounding *g, wadi_lv c) {
    g->cond = g->cond == WADI_LV_NONE ? c : wadi_lb_bin(g->b, WADI_SOP_LAND, g->cond, c);
}

/* A value from outside of the loops is its own bound. If it is not known to be small, the condition tests it. */
static interval outside(bounding *g, wadi_lv v) {
    const int bits = wadi_lb_inst(g->b, v)->bits;
    if (bits < 64) return made(v, bits);
    const int64_t limit = INT64_C(1) << WADI_EXTENT_BITS;
    demand(g, wadi_lb_bin(g->b, WADI_SOP_LT, v, wadi_lb_i64(g->b, limit)));
    demand(g, wadi_lb_bin(g->b, WADI_SOP_GT, v, wadi_lb_i64(g->b, -limit)));
    return (interval){v, WADI_EXTENT_BITS};
}

/* Makes sure that a factor is small enough for a product: if that is not known, the condition tests both of its ends. */
static interval factor(bounding *g, interval x, interval other) {
    enum { FACTOR_BITS = 30 };
    const int64_t limit = INT64_C(1) << FACTOR_BITS;
    if (x.end == WADI_LV_NONE || other.end == WADI_LV_NONE) return unbounded;
    if (x.bits <= FACTOR_BITS) return x;
    const wadi_lv ends[2] = {x.end, other.end};
    for (int i = 0; i < 2; i++) {
        demand(g, wadi_lb_bin(g->b, WADI_SOP_LT, ends[i], wadi_lb_i64(g->b, limit)));
        demand(g, wadi_lb_bin(g->b, WADI_SOP_GT, ends[i], wadi_lb_i64(g->b, -limit)));
    }
    return (interval){x.end, FACTOR_BITS};
}

static interval bound(bounding *g, wadi_lv v, bool up, int depth);

static interval bound_product(bounding *g, const wadi_linst *i, bool up, int depth) {
    int64_t c = 0;
    for (int side = 0; side < 2; side++) {
        const wadi_lv k = i->args[1 - side];
        if (wadi_lb_home(g->b, k)->depth > g->home->depth) continue;
        const bool known = wadi_lb_is_const(g->b, k, &c);
        if (!known && !wadi_lb_inst(g->b, k)->nonneg)
            demand(g, wadi_lb_bin(g->b, WADI_SOP_GE, k, wadi_lb_i64(g->b, 0)));
        const bool end = known && c < 0 ? !up : up;
        interval x = bound(g, i->args[side], end, depth);
        interval y = outside(g, k);
        if (x.end == WADI_LV_NONE || y.end == WADI_LV_NONE) return unbounded;
        if (x.bits + y.bits >= 62) {
            x = factor(g, x, bound(g, i->args[side], !end, depth));
            y = factor(g, y, y);
            if (x.end == WADI_LV_NONE) return unbounded;
        }
        return made(wadi_lb_bin(g->b, WADI_SOP_MUL, x.end, y.end), x.bits + y.bits);
    }
    return unbounded;
}

static interval bound_pair(bounding *g, wadi_sop op, wadi_lv p, wadi_lv q, bool up, int depth) {
    const interval x = bound(g, p, up, depth);
    const interval y = bound(g, q, op == WADI_SOP_SUB ? !up : up, depth);
    const int bits = x.bits > y.bits ? x.bits : y.bits;
    const bool either = (op == WADI_SOP_MIN && up) || (op == WADI_SOP_MAX && !up);
    if (x.end == WADI_LV_NONE) return either ? y : unbounded;
    if (y.end == WADI_LV_NONE) return either ? x : unbounded;
    const wadi_lv end = wadi_lb_bin(g->b, op, x.end, y.end);
    return op == WADI_SOP_MIN || op == WADI_SOP_MAX ? (interval){end, bits} : made(end, bits + 1);
}

/* x rem k, x mod k, x and k with a positive constant k */
static interval bound_remainder(bounding *g, const wadi_linst *i, bool up) {
    int64_t c = 0;
    if (!wadi_lb_is_const(g->b, i->args[1], &c) || c <= 0) return unbounded;
    if (i->op == WADI_SOP_REM && !wadi_lb_inst(g->b, i->args[0])->nonneg) return unbounded;
    return made(wadi_lb_i64(g->b, !up                     ? 0
                                  : i->op == WADI_SOP_AND ? c
                                                          : c - 1),
                wadi_lb_inst(g->b, i->args[1])->bits);
}

/* The range of the type that is converted, or a smaller one that shifts and masks leave. This helps where a table has an entry for
 * every u8 or u16, or for some bits of a hash. The range of a wider type is useless, because no array is so long. */
static interval bound_conversion(bounding *g, const wadi_linst *i, bool up) {
    const wadi_linst *x = wadi_lb_inst(g->b, i->args[0]);
    if (x->type == WADI_BOOL) return made(wadi_lb_i64(g->b, up), 1);
    if (wadi_type_rounds(x->type)) return unbounded;
    const bool is_signed = wadi_type_is_signed(x->type);
    const int width = is_signed ? 8 * wadi_type_size(x->type) : x->bits;
    if (width > (is_signed ? 16 : 31)) return unbounded;
    const int64_t top = (INT64_C(1) << (is_signed ? width - 1 : width)) - 1;
    return made(wadi_lb_i64(g->b, up ? top : is_signed ? -top - 1 : 0), width);
}

static interval bound_prim(bounding *g, const wadi_linst *i, bool up, int depth) {
    int64_t c = 0;
    switch (i->op) {
    case WADI_SOP_ADD:
    case WADI_SOP_SUB:
    case WADI_SOP_MIN:
    case WADI_SOP_MAX:
        return bound_pair(g, i->op, i->args[0], i->args[1], up, depth);
    case WADI_SOP_MUL:
        return bound_product(g, i, up, depth);
    case WADI_SOP_NEG: {
        const interval x = bound(g, i->args[0], !up, depth);
        if (x.end == WADI_LV_NONE) return x;
        return made(wadi_lb_prim(g->b, WADI_SOP_NEG, WADI_I64, 1, &x.end), x.bits);
    }
    case WADI_SOP_REM:
    case WADI_SOP_MOD:
    case WADI_SOP_AND:
        return bound_remainder(g, i, up);
    case WADI_SOP_CONVERT:
        return bound_conversion(g, i, up);
    case WADI_SOP_QUOT:
    case WADI_SOP_DIV:
    case WADI_SOP_SHR: {
        if (!wadi_lb_is_const(g->b, i->args[1], &c) || c < 0 || (c == 0 && i->op != WADI_SOP_SHR))
            return unbounded;
        const interval x = bound(g, i->args[0], up, depth);
        if (x.end == WADI_LV_NONE) return x;
        return (interval){
            wadi_lb_prim(g->b, i->op, WADI_I64, 2, (const wadi_lv[]){x.end, i->args[1]}), x.bits};
    }
    default:
        return unbounded;
    }
}

/* A loop variable: from its first value to its end, less 1. */
static interval bound_variable(bounding *g, const wadi_linst *i, bool up, int depth) {
    const interval x = bound(g, i->args[up], up, depth);
    const int bits = x.bits > i->bits ? x.bits : i->bits;
    if (x.end == WADI_LV_NONE || !up) return (interval){x.end, bits};
    return made(wadi_lb_bin(g->b, WADI_SOP_SUB, x.end, wadi_lb_i64(g->b, 1)), bits + 1);
}

/* A value with a known range. If only one end of the range is known, the other bound is that of the value itself. */
static interval bound_range(bounding *g, const wadi_linst *i, bool up, int depth) {
    const wadi_lv end = i->args[up ? 2 : 1], other = i->args[up ? 1 : 2];
    if (end == WADI_LV_NONE) return bound(g, i->args[0], up, depth);
    const interval x = bound(g, end, up, depth);
    if (x.end == WADI_LV_NONE || i->bits < 62) return (interval){x.end, i->bits};
    const interval y = other != WADI_LV_NONE ? bound(g, other, !up, depth) : unbounded;
    return (interval){x.end, x.bits > y.bits ? x.bits : y.bits};
}

static interval bound(bounding *g, wadi_lv v, bool up, int depth) {
    if (depth > 24) return unbounded;
    const wadi_linst *i = wadi_lb_inst(g->b, v);
    if (i->kind == WADI_L_CONST) return made(v, i->bits);
    if (i->type != WADI_I64) return unbounded;
    if (wadi_lb_home(g->b, v)->depth <= g->home->depth) return outside(g, v);
    if (i->kind == WADI_L_LOOPVAR) return bound_variable(g, i, up, depth + 1);
    if (i->kind == WADI_L_RANGE) return bound_range(g, i, up, depth + 1);
    if (i->kind == WADI_L_SELECT)
        return bound_pair(g, up ? WADI_SOP_MAX : WADI_SOP_MIN, i->args[1], i->args[2], up,
                          depth + 1);
    return i->kind == WADI_L_PRIM ? bound_prim(g, i, up, depth + 1) : unbounded;
}

/* The part of a sum that comes from outside of the loops and of which nothing is known, and the other part. */
static bool is_moved(const bounding *g, wadi_lv index, wadi_lv *out_by, wadi_lv *out_rest) {
    const wadi_linst *i = wadi_lb_inst(g->b, index);
    for (int side = 0; side < 2 && is_op(i, WADI_SOP_ADD); side++) {
        const wadi_linst *x = wadi_lb_inst(g->b, i->args[side]);
        if (x->bits < 64 || wadi_lb_home(g->b, x->self)->depth > g->home->depth) continue;
        *out_by = x->self;
        *out_rest = i->args[1 - side];
        return true;
    }
    return false;
}

/* The condition for such a sum, by what is moved: -least <= by < extent - most. So two comparisons do, where a sum of ends would need
 * to know that it does not wrap around. NONE: it is no such sum. */
static wadi_lv condition_of_moved(bounding *g, wadi_lv index, wadi_lv extent) {
    wadi_lv by = WADI_LV_NONE, rest = WADI_LV_NONE;
    if (wadi_lb_inst(g->b, extent)->bits >= 62 || !is_moved(g, index, &by, &rest))
        return WADI_LV_NONE;
    bounding inner = {g->b, g->home, WADI_LV_NONE};
    const interval low = bound(&inner, rest, false, 0), high = bound(&inner, rest, true, 0);
    if (low.end == WADI_LV_NONE || high.end == WADI_LV_NONE || inner.cond != WADI_LV_NONE)
        return WADI_LV_NONE;
    const wadi_lv least = wadi_lb_prim(g->b, WADI_SOP_NEG, WADI_I64, 1, &low.end);
    demand(g, wadi_lb_bin(g->b, WADI_SOP_GE, by, least));
    demand(g,
           wadi_lb_bin(g->b, WADI_SOP_LT, by, wadi_lb_bin(g->b, WADI_SOP_SUB, extent, high.end)));
    return g->cond;
}

wadi_lv wadi_bound_condition(wadi_lb *b, wadi_lscope *home, wadi_lv index, wadi_lv extent) {
    if (b->failed || wadi_lb_home(b, extent)->depth > home->depth) return WADI_LV_NONE;
    wadi_lscope *back = wadi_lb_go(b, home);
    bounding g = {b, home, WADI_LV_NONE};
    const wadi_lv moved = condition_of_moved(&g, index, extent);
    if (moved != WADI_LV_NONE) {
        (void)wadi_lb_go(b, back);
        return moved;
    }
    const interval low = bound(&g, index, false, 0), high = bound(&g, index, true, 0);
    wadi_lv cond = WADI_LV_NONE;
    if (low.end != WADI_LV_NONE && high.end != WADI_LV_NONE) {
        demand(&g, wadi_lb_bin(b, WADI_SOP_GE, low.end, wadi_lb_i64(b, 0)));
        demand(&g, wadi_lb_bin(b, WADI_SOP_LT, high.end, extent));
        cond = g.cond;
    }
    (void)wadi_lb_go(b, back);
    return cond;
}

bool wadi_bound_range(wadi_lb *b, wadi_lscope *home, wadi_lv index, wadi_lv *out_least,
                      wadi_lv *out_most, wadi_lv *out_cond) {
    if (b->failed) return false;
    wadi_lscope *back = wadi_lb_go(b, home);
    bounding g = {b, home, WADI_LV_NONE};
    const interval low = bound(&g, index, false, 0), high = bound(&g, index, true, 0);
    (void)wadi_lb_go(b, back);
    *out_least = low.end;
    *out_most = high.end;
    *out_cond = g.cond;
    return low.end != WADI_LV_NONE && high.end != WADI_LV_NONE;
}

/* A condition under which x < y (strict) or x <= y holds in all rounds */
static wadi_lv always_below(bounding *g, wadi_lv x, wadi_lv y, bool strict) {
    const interval most = bound(g, x, true, 0), least = bound(g, y, false, 0);
    if (most.end == WADI_LV_NONE || least.end == WADI_LV_NONE) return WADI_LV_NONE;
    demand(g, wadi_lb_bin(g->b, strict ? WADI_SOP_LT : WADI_SOP_LE, most.end, least.end));
    return g->cond;
}

static wadi_lv always(wadi_lb *b, wadi_lscope *home, wadi_lv truth, int depth) {
    const wadi_linst *i = wadi_lb_inst(b, truth);
    bounding g = {b, home, WADI_LV_NONE};
    if (wadi_lb_home(b, truth)->depth <= home->depth) return truth;
    if (i->kind != WADI_L_PRIM || i->nargs != 2 || depth > 24) return WADI_LV_NONE;
    const wadi_lv p = i->args[0], q = i->args[1];
    if (i->op == WADI_SOP_LAND) {
        const wadi_lv x = always(b, home, p, depth + 1);
        const wadi_lv y = x == WADI_LV_NONE ? x : always(b, home, q, depth + 1);
        return y == WADI_LV_NONE ? y : wadi_lb_bin(b, WADI_SOP_LAND, x, y);
    }
    if (wadi_lb_type(b, p) != WADI_I64) return WADI_LV_NONE;
    switch (i->op) {
    case WADI_SOP_LT:
    case WADI_SOP_LE:
        return always_below(&g, p, q, i->op == WADI_SOP_LT);
    case WADI_SOP_GT:
    case WADI_SOP_GE:
        return always_below(&g, q, p, i->op == WADI_SOP_GT);
    default:
        return WADI_LV_NONE;
    }
}

wadi_lv wadi_bound_always(wadi_lb *b, wadi_lscope *home, wadi_lv truth) {
    if (b->failed) return WADI_LV_NONE;
    wadi_lscope *back = wadi_lb_go(b, home);
    const wadi_lv c = always(b, home, truth, 0);
    (void)wadi_lb_go(b, back);
    return c;
}

/* By how much v changes when `var` grows by one; false: not always by the same, or by more than MOST. */
static bool stride(wadi_lb *b, wadi_lv v, wadi_lv var, int64_t *out, int depth) {
    const wadi_linst *i = wadi_lb_inst(b, v);
    int64_t x = 0, y = 0, c = 0;
    *out = v == var;
    if (v == var || wadi_lb_home(b, v)->depth < wadi_lb_home(b, var)->depth) return true;
    if (i->kind == WADI_L_CONST) return true;
    if (i->kind == WADI_L_RANGE && depth < 24) return stride(b, i->args[0], var, out, depth + 1);
    if (i->kind != WADI_L_PRIM || i->type != WADI_I64 || depth > 24) return false;
    if (i->op != WADI_SOP_ADD && i->op != WADI_SOP_SUB && i->op != WADI_SOP_MUL) return false;
    if (!stride(b, i->args[0], var, &x, depth + 1)) return false;
    if (!stride(b, i->args[1], var, &y, depth + 1)) return false;
    if (i->op == WADI_SOP_MUL) {
        if (!wadi_lb_is_const(b, i->args[1], &c)) return x == 0 && y == 0;
        if (!is_small(c)) return false;
        *out = x * c;
    } else {
        *out = i->op == WADI_SOP_ADD ? x + y : x - y;
    }
    enum {
        MOST = 1 << 18
    }; /* so many steps of this size, as an array has elements, do not wrap around */
    return *out<MOST && * out> - MOST;
}

bool wadi_bound_stride(wadi_lb *b, wadi_lv v, wadi_lv var, int64_t *out) {
    return !b->failed && stride(b, v, var, out, 0);
}

bool wadi_bound_difference(wadi_lb *b, wadi_lv x, wadi_lv y, int64_t *out) {
    form f = nothing;
    if (b->failed) return false;
    add_value(b, &f, x, 1, 0);
    add_value(b, &f, y, -1, 0);
    *out = f.constant;
    return !f.failed && f.n == 0;
}

bool wadi_bound_steps(wadi_lb *b, wadi_lv index, wadi_lv var) {
    int64_t by = 0;
    return !b->failed && stride(b, index, var, &by, 0) && by != 0;
}
