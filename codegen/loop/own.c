/* An index is read as a sum of digits, like a decimal number. A digit counts from 0 below some n and is multiplied by a factor. If each
 * factor is greater than the largest sum of the digits with smaller factors, different digits never give the same sum. For example, in
 * 16 * lane + i with i < 16, the sum tells the lane. The digits of the lane are its number, or quotient and remainder of its number by
 * one divisor. Other digits are variables of loops, and the lowest bits of any value. */
#include "codegen/loop/own.h"

enum { DIGITS = 8 };

typedef enum digit_kind { LANE, HIGH, LOW, OTHER } digit_kind;

typedef struct digit {
    digit_kind kind;
    int64_t divisor; /* of HIGH and LOW */
    int64_t factor, n;
} digit;

typedef struct index {
    const wadi_lfun *f;
    const wadi_linst *loop;
    int n;
    digit digit[DIGITS];
    int64_t constant;
    bool has_more; /* the sum includes a value from outside the loop */
} index;

bool wadi_own_is_made_in(const wadi_lfun *f, wadi_lv v, const wadi_lscope *scope) {
    const wadi_lscope *s = f->inst[v]->scope;
    while (s != NULL && s->merged != NULL) s = s->merged;
    while (s != NULL && s != scope) {
        s = s->parent;
        while (s != NULL && s->merged != NULL) s = s->merged;
    }
    return s != NULL;
}

static bool is_const(const wadi_lfun *f, wadi_lv v, int64_t *out) {
    if (f->inst[v]->kind != WADI_L_CONST) return false;
    *out = (int64_t)f->inst[v]->imm.bits;
    return true;
}

wadi_lv wadi_own_plain(const wadi_lfun *f, wadi_lv at) {
    while (f->inst[at]->kind == WADI_L_RANGE) at = f->inst[at]->args[0];
    return at;
}

/* The greatest value of `v` that constants tell; -1: not known. */
static int64_t most_of(const wadi_lfun *f, wadi_lv v) {
    const wadi_linst *i = f->inst[v];
    int64_t c = 0;
    if (is_const(f, v, &c)) return c;
    if (i->kind != WADI_L_PRIM || i->op != WADI_SOP_MIN) return -1;
    const int64_t x = most_of(f, i->args[0]), y = most_of(f, i->args[1]);
    return x < 0 || (y >= 0 && y < x) ? y : x;
}

/* The number of rounds of a loop whose step is 1; -1: not known. */
static int64_t rounds_of(const wadi_lfun *f, const wadi_linst *loop) {
    int64_t from = 0, step = 0;
    const int64_t below = most_of(f, loop->args[1]);
    if (!is_const(f, loop->args[0], &from) || !is_const(f, loop->args[2], &step)) return -1;
    return below < 0 || step != 1 ? -1 : below - from;
}

static int64_t lanes_of(const index *x) {
    const int64_t n = rounds_of(x->f, x->loop);
    return n >= 0 && n < WADI_GROUP_LANES ? n : WADI_GROUP_LANES;
}

static bool add_digit(index *x, digit_kind kind, int64_t divisor, int64_t factor, int64_t n) {
    if (x->n == DIGITS || factor <= 0 || n <= 0) return false;
    x->digit[x->n++] = (digit){kind, divisor, factor, n};
    return true;
}

/* Adds a digit that is the quotient or remainder of the lane's number: by a division, a shift or a mask. */
static bool add_part(index *x, const wadi_linst *i, int64_t c, int64_t factor) {
    const int64_t lanes = lanes_of(x);
    if (c < 0) return false;
    if (wadi_own_plain(x->f, i->args[0]) != x->loop->var)
        return i->op == WADI_SOP_AND && (c & (c + 1)) == 0 && add_digit(x, OTHER, 0, factor, c + 1);
    if (i->op == WADI_SOP_SHR) c = c < 8 ? INT64_C(1) << c : 0;
    if (i->op == WADI_SOP_AND) c = (c & (c + 1)) == 0 ? c + 1 : 0;
    if (c <= 0) return false;
    if (i->op == WADI_SOP_QUOT || i->op == WADI_SOP_SHR)
        return add_digit(x, HIGH, c, factor, (lanes + c - 1) / c);
    return add_digit(x, LOW, c, factor, c < lanes ? c : lanes);
}

static const wadi_linst *loop_of(const wadi_lfun *f, wadi_lv var) {
    for (uint32_t v = 0; v < f->n; v++)
        if (f->inst[v]->kind == WADI_L_FOR && f->inst[v]->var == var) return f->inst[v];
    return NULL;
}

/* Adds a digit that is the variable of a loop inside the loop by lanes. */
static bool add_loop(index *x, wadi_lv var, int64_t factor) {
    const wadi_linst *loop = loop_of(x->f, var);
    int64_t from = 0;
    if (loop == NULL || !is_const(x->f, loop->args[0], &from)) return false;
    x->constant += from * factor;
    return add_digit(x, OTHER, 0, factor, rounds_of(x->f, loop));
}

static bool take(index *x, wadi_lv v, int64_t factor);

static bool take_prim(index *x, const wadi_linst *i, int64_t factor) {
    int64_t c = 0;
    if (i->op == WADI_SOP_ADD) return take(x, i->args[0], factor) && take(x, i->args[1], factor);
    if (i->nargs != 2 || !is_const(x->f, i->args[1], &c)) return false;
    switch (i->op) {
    case WADI_SOP_SUB:
        x->constant -= c * factor;
        return take(x, i->args[0], factor);
    case WADI_SOP_MUL:
        return c > 0 && c < 65536 && take(x, i->args[0], factor * c);
    case WADI_SOP_QUOT:
    case WADI_SOP_REM:
    case WADI_SOP_SHR:
    case WADI_SOP_AND:
        return add_part(x, i, c, factor);
    default:
        return false;
    }
}

static bool take(index *x, wadi_lv v, int64_t factor) {
    const wadi_linst *i = x->f->inst[v];
    int64_t c = 0;
    if (is_const(x->f, v, &c)) {
        x->constant += c * factor;
        return true;
    }
    if (v == x->loop->var) return add_digit(x, LANE, 0, factor, lanes_of(x));
    if (i->kind == WADI_L_RANGE) return take(x, i->args[0], factor);
    if (i->kind == WADI_L_LOOPVAR && wadi_own_is_made_in(x->f, v, x->loop->block[0]))
        return add_loop(x, v, factor);
    if (!wadi_own_is_made_in(x->f, v, x->loop->block[0])) {
        x->has_more = true;
        return true;
    }
    return i->kind == WADI_L_PRIM && take_prim(x, i, factor);
}

static bool read_index(const wadi_lfun *f, const wadi_linst *loop, wadi_lv at, index *out) {
    *out = (index){.f = f, .loop = loop};
    return take(out, at, 1);
}

/* Whether different digits never give the same sum. */
static bool are_digits(index *x) {
    int64_t below = 1; /* greater than the largest sum of the digits so far */
    for (int done = 0; done < x->n; done++) {
        int least = done;
        for (int k = done; k < x->n; k++)
            if (x->digit[k].factor < x->digit[least].factor) least = k;
        const digit d = x->digit[least];
        x->digit[least] = x->digit[done];
        x->digit[done] = d;
        if (d.factor < below) return false;
        below += d.factor * (d.n - 1);
    }
    return true;
}

static bool tell_the_lane(const index *x) {
    for (int h = 0; h < x->n; h++) {
        if (x->digit[h].kind == LANE) return true;
        for (int k = 0; k < x->n && x->digit[h].kind == HIGH; k++)
            if (x->digit[k].kind == LOW && x->digit[k].divisor == x->digit[h].divisor) return true;
    }
    return false;
}

bool wadi_own_is_apart(const wadi_lfun *f, const wadi_linst *loop, wadi_lv at) {
    index x;
    if (rounds_of(f, loop) == 1) return true;
    return read_index(f, loop, at, &x) && are_digits(&x) && tell_the_lane(&x);
}

static int64_t last_of(const index *x) {
    int64_t last = x->constant;
    for (int k = 0; k < x->n; k++) last += x->digit[k].factor * (x->digit[k].n - 1);
    return last;
}

bool wadi_own_are_disjoint(const wadi_lfun *f, const wadi_linst *loop, wadi_lv x, wadi_lv y) {
    index a, b;
    if (!read_index(f, loop, x, &a) || !read_index(f, loop, y, &b)) return false;
    if (a.has_more || b.has_more) return false;
    return last_of(&a) < b.constant || last_of(&b) < a.constant;
}

/* How many places the row of each lane has, if `x` tells that it stays within the lane's own; 0: it does not. */
static int64_t row_of(const index *x) {
    int64_t row = 0, last = x->constant;
    if (x->has_more || x->constant < 0) return 0;
    for (int k = 0; k < x->n; k++) {
        const digit *d = &x->digit[k];
        if (d->kind == LANE && row > 0) return 0;
        if (d->kind == LANE)
            row = d->factor;
        else
            last += d->factor * (d->n - 1);
    }
    return last < row ? row : 0;
}

bool wadi_own_are_in_one_row(const wadi_lfun *f, const wadi_linst *loop, wadi_lv x, wadi_lv y) {
    index a, b;
    if (!read_index(f, loop, x, &a) || !read_index(f, loop, y, &b)) return false;
    return row_of(&a) > 0 && row_of(&a) == row_of(&b);
}
