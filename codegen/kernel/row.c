/* Reductions of a row by the fixed tree of operators/reduce_tree.h.
 *
 * Three forms, all giving the bits the law asks for:
 *   - any order: one plain loop, which the C compiler vectorises itself (integers are associative exactly);
 *   - lanes: sixteen accumulators, one loop over stripes of sixteen elements, written so that each lane is one SIMD lane;
 *   - in order: one accumulator per block of 4096.
 * The results of blocks are combined by row_blocks.c and top.c. row_teams.c reduces many short rows by the lanes of a group. row_result.c
 * combines the total with z.
 * Several rows may be reduced together, or several folds of one row: each has accumulators of its own. fold.c says which.
 */
#include "codegen/kernel/row_steps.h"

#include <string.h>

#include "base/error.h"
#include "base/words.h"
#include "codegen/kernel/arith.h"
#include "codegen/kernel/fields.h"
#include "codegen/kernel/check.h"
#include "codegen/kernel/read.h"
#include "operators/reduce_tree.h"

enum { LANES = WADI_FOLD_LANES, BLOCK = WADI_FOLD_BLOCK };

typedef struct reduction {
    const wadi_row *r;
    wadi_lv total[WADI_MAX_FIELDS]; /* variables */
    wadi_lv from, count;            /* the block that is reduced */
    wadi_lv last;                   /* n - 1 */
    wadi_lv part[WADI_MAX_FIELDS];
    const wadi_lv
        *joined; /* what a team has made of the full stripes: lane arrays; NULL: nothing yet */
    wadi_lv team;
} reduction;

static wadi_lv add(wadi_lower *l, wadi_lv x, wadi_lv y) {
    return wadi_lb_bin(&l->b, WADI_SOP_ADD, x, y);
}

const wadi_row_fold *wadi_row_fold_at(const wadi_row *r, int field) {
    int k = 0;
    while (k + 1 < r->nfolds && field >= r->folds[k + 1].at) k++;
    return &r->folds[k];
}

static const wadi_fun *fun_at(const wadi_row *r, int field) {
    return r->nfolds > 0 ? wadi_row_fold_at(r, field)->bind->funs[0] : r->f;
}

int wadi_row_width_at(const wadi_row *r, int field) {
    return r->nfolds > 0 ? wadi_row_fold_at(r, field)->fields : r->each;
}

/* The number of a field within what is combined at once. */
static int place_within(const wadi_row *r, int field) {
    return r->nfolds > 0 ? field - wadi_row_fold_at(r, field)->at : field % r->each;
}

/* MIN or MAX if the plain comparison may replace it, else CONST. */
static wadi_sop plain_op(const wadi_row *r, int field) {
    if (!r->plain || (r->nfolds > 0 && !wadi_row_fold_at(r, field)->is_cheap))
        return WADI_SOP_CONST;
    return wadi_row_extreme(fun_at(r, field), place_within(r, field));
}

/* Rows that are reduced together are combined each on its own. */
void wadi_row_combine(wadi_lower *l, const wadi_row *r, const wadi_lv *acc, const wadi_lv *x,
                      wadi_lv *out) {
    if (r->quiet) {
        combine_quietly(l, r->f, r->fields, acc, x, r->bad, out);
        return;
    }
    for (int at = 0; at < r->fields; at += wadi_row_width_at(r, at))
        combine_fields(l, fun_at(r, at), wadi_row_width_at(r, at), acc + at, x + at, out + at);
    for (int f = 0; f < r->fields; f++) {
        const wadi_sop op = plain_op(r, f);
        if (op != WADI_SOP_CONST) out[f] = wadi_lower_extreme_next(l, op, acc[f], x[f]);
    }
}

/* Turns x, the first element, into what an accumulator begins with. */
static void begin(wadi_lower *l, const wadi_row *r, wadi_lv *x) {
    for (int f = 0; f < r->fields; f++) {
        const wadi_sop op = plain_op(r, f);
        if (op != WADI_SOP_CONST) x[f] = wadi_lower_extreme_first(l, op, x[f]);
    }
}

static bool has_any_order(const wadi_row *r) {
    for (int k = 0; k < r->nfolds; k++)
        if (!wadi_fun_has_any_order(r->folds[k].bind->funs[0])) return false;
    return r->nfolds > 0 || wadi_fun_has_any_order(r->f);
}

bool wadi_row_is_plain(const wadi_lower *l, const wadi_row *r) {
    return has_any_order(r) && !wadi_lower_has_lanes(l);
}

wadi_type wadi_row_type(const wadi_row *r, int f) {
    return r->nfolds > 0 ? wadi_row_fold_at(r, f)->type[place_within(r, f)] : r->type[f % r->each];
}

void wadi_row_declare(wadi_lower *l, const wadi_row *r, const wadi_lv *init, const char *name,
                      wadi_lv *out) {
    for (int f = 0; f < r->fields; f++)
        out[f] =
            wadi_lb_var(&l->b, wadi_row_type(r, f), false, init ? init[f] : WADI_LV_NONE, name);
}

/* var = f(var, x) */
void wadi_row_accumulate(wadi_lower *l, const wadi_row *r, const wadi_lv *var, const wadi_lv *x) {
    wadi_lv acc[WADI_MAX_FIELDS], next[WADI_MAX_FIELDS];
    get_fields(l, r->fields, var, acc);
    wadi_row_combine(l, r, acc, x, next);
    set_fields(l, r->fields, var, next);
}

/* Element `i` of the row. `i` is the variable of a loop over elements and lies in the row, so code that needs it stays in the
 * loop. */
static void element(wadi_lower *l, const reduction *d, wadi_lv i, wadi_lv *out) {
    d->r->elem(l, d->r->env, wadi_lb_range(&l->b, i, num(l, 0), d->last), out);
}

/* Element `i` of the row. `i` lies in the row only inside the branch around, so the load must stay inside that branch. */
static void element_here(wadi_lower *l, const reduction *d, wadi_lv i, wadi_lv *out) {
    d->r->elem(l, d->r->env, wadi_lb_fact(&l->b, i, num(l, 0), d->last), out);
}

/* ---- any order ---- */

/* The identity of the operation: combined with x it gives x. */
static wadi_scalar identity(wadi_sop op, wadi_type t) {
    const int width = t == WADI_BOOL ? 1 : 8 * wadi_type_size(t);
    const uint64_t all = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    const bool is_signed = t != WADI_BOOL && wadi_type_is_signed(t);
    const uint64_t high = UINT64_C(1) << (width - 1);
    switch (op) {
    case WADI_SOP_MUL:
    case WADI_SOP_LAND:
        return (wadi_scalar){t, 1};
    case WADI_SOP_AND:
        return (wadi_scalar){t, is_signed ? UINT64_MAX : all};
    case WADI_SOP_MIN:
        return (wadi_scalar){t, is_signed ? high - 1 : all};
    case WADI_SOP_MAX:
        return (wadi_scalar){t, is_signed ? 0 - high : 0};
    default:
        return (wadi_scalar){t, 0};
    }
}

static wadi_sop op_of_field(const wadi_fun *f, int field) {
    const wadi_sblock *b = f->body;
    for (int i = 0; i < b->ninsts; i++)
        if (b->insts[i]->first == b->yields[field]) return b->insts[i]->op;
    return WADI_SOP_ADD;
}

wadi_scalar wadi_row_identity(const wadi_fun *f, int field) {
    return identity(op_of_field(f, field), f->types[f->body->yields[field]]);
}

wadi_lv wadi_row_identity_at(wadi_lower *l, const wadi_row *r, int field) {
    return wadi_lb_const(&l->b, wadi_row_identity(fun_at(r, field), place_within(r, field)));
}

static void build_plain(wadi_lower *l, void *env) {
    reduction *d = env;
    wadi_lv start[WADI_MAX_FIELDS], x[WADI_MAX_FIELDS];
    for (int f = 0; f < d->r->fields; f++) start[f] = wadi_row_identity_at(l, d->r, f);
    set_fields(l, d->r->fields, d->part, start);
    const wadi_lv i = wadi_lb_for(&l->b, d->from, add(l, d->from, d->count), 1, "i");
    element(l, d, i, x);
    wadi_row_accumulate(l, d->r, d->part, x);
    wadi_lb_end(&l->b);
}

/* ---- in order ---- */

enum { CHEAP = 16 /* instructions */ };

/* Whether few rounds of the body are over before SIMD code pays: there is nothing costly in it. */
static bool is_cheap(const wadi_lscope *body) {
    if (body->n > CHEAP) return false;
    for (int k = 0; k < body->n; k++) {
        const wadi_linst *i = body->inst[k];
        if (i->block[0] != NULL) return false;
        if (i->kind == WADI_L_PRIM && wadi_sop_is_costly(i->op, i->type)) return false;
    }
    return true;
}

/* Elements [from + first, from + count) one after the other, fewer than LANES. */
static void run(wadi_lower *l, const reduction *d, wadi_lv first) {
    wadi_lv x[WADI_MAX_FIELDS];
    int64_t from = 0, below = 0;
    const bool known =
        wadi_lb_is_const(&l->b, first, &from) && wadi_lb_is_const(&l->b, d->count, &below);
    if (known && from >= below) return;
    const wadi_lv t = wadi_lb_for(&l->b, first, d->count, 1, "t");
    const wadi_lscope *body = l->b.scope;
    element(l, d, add(l, d->from, t), x);
    wadi_row_accumulate(l, d->r, d->part, x);
    wadi_lb_end(&l->b);
    if (!known && body->owner != NULL) body->owner->brief = is_cheap(body);
}

static void first_element(wadi_lower *l, const reduction *d) {
    wadi_lv x[WADI_MAX_FIELDS];
    element_here(l, d, d->from, x);
    begin(l, d->r, x);
    set_fields(l, d->r->fields, d->part, x);
}

/* ---- lanes ---- */

typedef struct stripe {
    const reduction *d;
    const wadi_lv *lanes;
    wadi_lv at;
    bool first;
} stripe;

/* acc[l] = x(from + at + l), or f(acc[l], that) */
static void build_stripe(wadi_lower *l, void *env) {
    const stripe *g = env;
    const wadi_row *r = g->d->r;
    wadi_lv x[WADI_MAX_FIELDS], acc[WADI_MAX_FIELDS], next[WADI_MAX_FIELDS];
    const wadi_lv lane = wadi_lb_for(&l->b, num(l, 0), num(l, LANES), 1, "lane");
    const wadi_lower_position before = l->position;
    if (wadi_lower_has_lanes(l)) (void)wadi_lower_by_lanes(l);
    element(l, g->d, add(l, add(l, g->d->from, g->at), lane), x);
    for (int f = 0; f < r->fields && !g->first; f++)
        acc[f] = wadi_lb_lane(&l->b, g->lanes[f], lane);
    if (g->first) begin(l, r, x);
    if (!g->first) wadi_row_combine(l, r, acc, x, next);
    for (int f = 0; f < r->fields && !wadi_lower_only_checks(l); f++)
        wadi_lb_put(&l->b, g->lanes[f], lane, g->first ? x[f] : next[f]);
    wadi_lb_end(&l->b);
    l->position = before;
}

static void take_stripe(wadi_lower *l, const reduction *d, const wadi_lv *lanes, wadi_lv at,
                        bool first) {
    stripe g = {d, lanes, at, first};
    wadi_lower_ahead(l, build_stripe, &g);
}

wadi_row wadi_row_alone_at(const wadi_row *r, int at) {
    wadi_row one = *r;
    one.f = fun_at(r, at);
    one.each = one.fields = wadi_row_width_at(r, at);
    if (r->nfolds > 0) {
        one.type = wadi_row_fold_at(r, at)->type;
        one.plain = r->plain && wadi_row_fold_at(r, at)->is_cheap;
    }
    one.nfolds = 0;
    return one;
}

/* The upper half of the lanes into the lower one, until one is left; row by row, so that each row's lanes stay together in
 * registers. */
static void join_lanes(wadi_lower *l, const reduction *d, const wadi_lv *lanes) {
    wadi_row one;
    wadi_lv x[WADI_MAX_FIELDS], acc[WADI_MAX_FIELDS], next[WADI_MAX_FIELDS];
    for (int at = 0; at < d->r->fields; at += one.each) {
        one = wadi_row_alone_at(d->r, at);
        for (int64_t half = LANES / 2; half > 0; half /= 2) {
            const wadi_lv lane = wadi_lb_for(&l->b, num(l, 0), num(l, half), 1, "lane");
            const wadi_lower_position before = l->position;
            if (wadi_lower_has_lanes(l)) (void)wadi_lower_by_lanes(l);
            const wadi_lv other = add(l, lane, num(l, half));
            for (int f = 0; f < one.each; f++) {
                acc[f] = wadi_lb_lane(&l->b, lanes[at + f], lane);
                x[f] = wadi_lb_lane(&l->b, lanes[at + f], other);
            }
            wadi_row_combine(l, &one, acc, x, next);
            for (int f = 0; f < one.each; f++) wadi_lb_put(&l->b, lanes[at + f], lane, next[f]);
            wadi_lb_end(&l->b);
            l->position = before;
        }
        for (int f = 0; f < one.each; f++) x[f] = wadi_lb_lane(&l->b, lanes[at + f], num(l, 0));
        set_fields(l, one.fields, d->part + at, x);
    }
}

static void full_stripes(wadi_lower *l, const reduction *d, wadi_lv full) {
    wadi_lv lanes[WADI_MAX_FIELDS];
    for (int f = 0; f < d->r->fields; f++)
        lanes[f] = wadi_lb_lanes(&l->b, wadi_row_type(d->r, f), LANES, "acc");
    take_stripe(l, d, lanes, num(l, 0), true);
    const wadi_lv g = wadi_lb_for(&l->b, num(l, LANES), full, LANES, "g");
    take_stripe(l, d, lanes, g, false);
    wadi_lb_end(&l->b);
    join_lanes(l, d, lanes);
}

/* ---- blocks ---- */

/* The elements after the last full stripe: reduced by themselves first, so that they need not wait for the lanes, and then
 * combined with them. */
static void tail(wadi_lower *l, const reduction *d, wadi_lv full) {
    wadi_lv x[WADI_MAX_FIELDS];
    reduction rest = *d;
    wadi_row_declare(l, d->r, NULL, "tail", rest.part);
    element_here(l, d, add(l, d->from, full), x);
    begin(l, d->r, x);
    set_fields(l, d->r->fields, rest.part, x);
    run(l, &rest, add(l, full, num(l, 1)));
    get_fields(l, d->r->fields, rest.part, x);
    wadi_row_accumulate(l, d->r, d->part, x);
}

static void take_joined(wadi_lower *l, const reduction *d) {
    wadi_lv x[WADI_MAX_FIELDS];
    for (int f = 0; f < d->r->fields; f++) x[f] = wadi_lb_lane(&l->b, d->joined[f], d->team);
    set_fields(l, d->r->fields, d->part, x);
}

static void stripes_and_tail(wadi_lower *l, const reduction *d, wadi_lv full) {
    const wadi_lv more = wadi_lb_bin(&l->b, WADI_SOP_LT, full, d->count);
    int64_t known = 0;
    if (d->joined)
        take_joined(l, d);
    else
        full_stripes(l, d, full);
    if (wadi_lb_is_const(&l->b, more, &known)) {
        if (known) tail(l, d, full);
        return;
    }
    wadi_lb_if(&l->b, more);
    tail(l, d, full);
    wadi_lb_end(&l->b);
}

static void one_by_one(wadi_lower *l, const reduction *d) {
    first_element(l, d);
    run(l, d, num(l, 1));
}

static void in_lanes(wadi_lower *l, const reduction *d) {
    wadi_lb *b = &l->b;
    const wadi_lv full = wadi_lb_bin(b, WADI_SOP_AND, d->count, num(l, -LANES));
    int64_t known = 0;
    if (wadi_lb_is_const(b, full, &known)) {
        if (known > 0)
            stripes_and_tail(l, d, full);
        else
            one_by_one(l, d);
        return;
    }
    (void)wadi_lb_name(b, full, "full");
    wadi_lb_if(b, wadi_lb_bin(b, WADI_SOP_GT, full, num(l, 0)));
    stripes_and_tail(l, d, full);
    wadi_lb_else(b);
    one_by_one(l, d);
    wadi_lb_end(b);
}

/* Minima and maxima that the plain comparison has not decided: a second loop over the elements equal to them. */
static void settle(wadi_lower *l, const reduction *d) {
    const wadi_row *r = d->r;
    wadi_lb *b = &l->b;
    wadi_lv found[WADI_MAX_FIELDS], same[WADI_MAX_FIELDS], x[WADI_MAX_FIELDS], open = WADI_LV_NONE;
    get_fields(l, r->fields, d->part, found);
    for (int f = 0; f < r->fields; f++) {
        if (plain_op(r, f) == WADI_SOP_CONST) continue;
        const wadi_lv one = wadi_lower_extreme_open(l, plain_op(r, f), found[f]);
        open = open == WADI_LV_NONE ? one : wadi_lb_bin(b, WADI_SOP_LOR, open, one);
    }
    if (open == WADI_LV_NONE) return;
    wadi_lb_if(b, open);
    for (int f = 0; f < r->fields; f++)
        if (plain_op(r, f) != WADI_SOP_CONST)
            same[f] = wadi_lower_extreme_bits(l, plain_op(r, f), wadi_row_type(r, f));
    const wadi_lv t = wadi_lb_for(b, num(l, 0), d->count, 1, "t");
    element(l, d, add(l, d->from, t), x);
    for (int f = 0; f < r->fields; f++)
        if (plain_op(r, f) != WADI_SOP_CONST)
            wadi_lower_extreme_take(l, plain_op(r, f), same[f], found[f], x[f]);
    wadi_lb_end(b);
    for (int f = 0; f < r->fields; f++)
        if (plain_op(r, f) != WADI_SOP_CONST)
            wadi_lb_set(b, d->part[f],
                        wadi_lower_extreme_settled(l, plain_op(r, f), same[f], found[f]));
    wadi_lb_end(b);
}

/* part = the elements [from, from + count) by the law */
static void block(wadi_lower *l, const reduction *d) {
    wadi_row r = *d->r;
    reduction at_work = *d;
    at_work.r = &r;
    r.plain = (r.is_cheap || r.nfolds > 0) && wadi_fun_has_lanes(r.f);
    if (wadi_fun_has_lanes(r.f))
        in_lanes(l, &at_work);
    else
        one_by_one(l, &at_work);
    settle(l, &at_work);
}

static void build_block(wadi_lower *l, void *env) {
    reduction *d = env;
    if (wadi_row_is_plain(l, d->r))
        build_plain(l, d);
    else
        block(l, d);
}

wadi_lv wadi_row_block_length(wadi_lower *l, const wadi_row *r, wadi_lv from) {
    return wadi_lb_bin(&l->b, WADI_SOP_MIN, wadi_lb_bin(&l->b, WADI_SOP_SUB, r->n, from),
                       num(l, BLOCK));
}

static void combine_results(wadi_lower *l, const void *env, const wadi_lv *acc, const wadi_lv *x,
                            wadi_lv *out) {
    wadi_row_combine(l, env, acc, x, out);
}

/* The top of row `r`; its total goes to the variables `total`. */
wadi_top wadi_row_top(wadi_lower *l, const wadi_row *r, const wadi_lv *total) {
    wadi_top t = {.fields = r->fields,
                  .combine = combine_results,
                  .env = r,
                  .any_order = has_any_order(r),
                  .most = r->blocks};
    for (int f = 0; f < r->fields; f++) t.type[f] = wadi_row_type(r, f);
    memcpy(t.total, total, (size_t)r->fields * sizeof *total);
    wadi_top_declare(l, &t);
    return t;
}

/* The number, from 1, of the result of the block that begins at `at`. */
static wadi_lv number_of(wadi_lower *l, wadi_lv at) {
    return add(l, wadi_lb_bin(&l->b, WADI_SOP_QUOT, at, num(l, BLOCK)), num(l, 1));
}

static void build_blocks(wadi_lower *l, reduction *d) {
    const wadi_row *r = d->r;
    wadi_lb *b = &l->b;
    wadi_lv part[WADI_MAX_FIELDS];
    const wadi_top top = wadi_row_top(l, r, d->total);
    d->from = wadi_lb_for(b, num(l, 0), r->n, BLOCK, "from");
    d->count = wadi_lb_name(b, wadi_row_block_length(l, r, d->from), "count");
    wadi_row_declare(l, r, NULL, "part", d->part);
    block(l, d);
    get_fields(l, r->fields, d->part, part);
    wadi_lb_if_seldom(b, wadi_lb_bin(b, WADI_SOP_GT, r->n, num(l, BLOCK)));
    const wadi_lv below = add(l, d->from, num(l, BLOCK));
    wadi_top_next(l, &top, number_of(l, d->from), wadi_lb_bin(b, WADI_SOP_GE, below, r->n), part);
    wadi_lb_else(b);
    set_fields(l, r->fields, d->total, part);
    wadi_lb_end(b);
    wadi_lb_end(b);
}

bool wadi_row_has_short_form(const wadi_lower *l, const wadi_row *r) {
    for (int k = 0; k < r->nfolds; k++)
        if (!r->folds[k].is_cheap) return false;
    return (r->nfolds > 0 || r->is_cheap) && wadi_fun_has_lanes(r->f) && !wadi_row_is_plain(l, r) &&
           !l->position.in_group && !l->position.in_lane;
}

static void build_short(wadi_lower *l, void *env) {
    const reduction *d = env;
    wadi_row r = *d->r;
    reduction whole = *d;
    whole.r = &r;
    whole.from = num(l, 0);
    whole.count = wadi_lb_fact(&l->b, r.n, num(l, 0), num(l, LANES - 1));
    memcpy(whole.part, d->total, sizeof whole.part);
    r.plain = true;
    one_by_one(l, &whole);
    settle(l, &whole);
}

static void build_row(wadi_lower *l, void *env) {
    reduction *d = env;
    const wadi_row *r = d->r;
    wadi_lb *b = &l->b;
    int64_t n = 0;
    if (wadi_row_is_plain(l, r) || (wadi_lb_is_const(b, r->n, &n) && n <= BLOCK)) {
        d->from = num(l, 0);
        d->count = r->n;
        build_block(l, d);
        return;
    }
    /* the version for faults does without */
    const wadi_loop_version *version = l->checking.version;
    if (!version || !version->fast || !wadi_row_has_short_form(l, r)) {
        build_blocks(l, d);
        return;
    }
    wadi_lb_if_bulky(b, wadi_lb_bin(b, WADI_SOP_GE, r->n, num(l, LANES)));
    build_blocks(l, d);
    wadi_lb_else(b);
    build_short(l, d);
    wadi_lb_end(b);
}

/* The elements of the row, for their checks alone. */
static void search_row(wadi_lower *l, void *env) {
    wadi_lv x[WADI_MAX_FIELDS];
    const wadi_lv i = wadi_lb_for(&l->b, num(l, 0), ((const reduction *)env)->r->n, 1, "i");
    element(l, env, i, x);
    wadi_lb_end(&l->b);
}

/* Those of the block. */
static void search_block(wadi_lower *l, void *env) {
    const reduction *d = env;
    wadi_lv x[WADI_MAX_FIELDS];
    const wadi_lv i = wadi_lb_for(&l->b, d->from, add(l, d->from, d->count), 1, "i");
    element(l, d, i, x);
    wadi_lb_end(&l->b);
}

/* Whether only the elements of the row can fault, one after the other, and what combines them cannot. */
static bool only_elements_fault(const wadi_lower *l, const wadi_row *r) {
    for (int k = 0; k < r->nfolds; k++)
        if (!wadi_fun_has_lanes(r->folds[k].bind->funs[0])) return false;
    return (r->nfolds > 0 || wadi_fun_has_lanes(r->f)) && !wadi_row_has_short_form(l, r) &&
           !r->quiet && !l->checking.quiet && !l->position.in_group && !l->position.in_lane;
}

static void in_versions(wadi_lower *l, reduction *d, wadi_build build, wadi_build search) {
    if (only_elements_fault(l, d->r))
        wadi_lower_searched(l, build, search, d);
    else
        wadi_lower_versions(l, build, d);
}

/* Whether the row is so short that a second version of its loop costs more than it saves. A fold whose order is free is a few SIMD
 * instructions without its checks. */
static bool is_tiny(wadi_lower *l, const wadi_row *r) {
    int64_t known = 0;
    return wadi_lb_is_const(&l->b, r->n, &known) && known <= (wadi_row_is_plain(l, r) ? 8 : 32);
}

/* The total of a row of n >= 1 elements. */
static void reduce(wadi_lower *l, const wadi_row *r, wadi_lv *out) {
    reduction d = {.r = r, .last = wadi_lb_bin(&l->b, WADI_SOP_SUB, r->n, num(l, 1))};
    wadi_row_declare(l, r, NULL, "total", d.total);
    memcpy(d.part, d.total, sizeof d.part); /* a single block's part is the total */
    if (is_tiny(l, r))
        build_row(l, &d);
    else
        in_versions(l, &d, build_row, search_row);
    get_fields(l, r->fields, d.total, out);
}

void wadi_lower_reduce_short(wadi_lower *l, const wadi_row *r, const wadi_lv *total) {
    reduction d = {.r = r, .last = wadi_lb_bin(&l->b, WADI_SOP_SUB, r->n, num(l, 1))};
    memcpy(d.total, total, (size_t)r->fields * sizeof *total);
    wadi_lower_versions(l, build_short, &d);
}

void wadi_lower_reduce_block(wadi_lower *l, const wadi_row *r, wadi_lv from, wadi_lv *out) {
    reduction d = {.r = r, .from = from, .last = wadi_lb_bin(&l->b, WADI_SOP_SUB, r->n, num(l, 1))};
    d.count = wadi_lb_name(&l->b, wadi_row_block_length(l, r, from), "count");
    wadi_row_declare(l, r, NULL, "part", d.part);
    in_versions(l, &d, build_block, search_block);
    get_fields(l, r->fields, d.part, out);
}

/* ---- totals ---- */

void wadi_row_total_of_row(wadi_lower *l, const wadi_row *r, void *env, wadi_lv *out) {
    WADI_UNUSED(env);
    reduce(l, r, out);
}

void wadi_row_total_of_joined(wadi_lower *l, const wadi_row *r, void *env, wadi_lv *out) {
    const wadi_row_joined *j = env;
    reduction d = {.r = r,
                   .from = j->from,
                   .count = j->count,
                   .last = wadi_lb_bin(&l->b, WADI_SOP_SUB, r->n, num(l, 1)),
                   .joined = j->lanes,
                   .team = j->team};
    wadi_row_declare(l, r, NULL, "part", d.part);
    in_lanes(l, &d);
    get_fields(l, r->fields, d.part, out);
}
