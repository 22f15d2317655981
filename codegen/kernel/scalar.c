/* Scalar functions as loop IR: inlined where they are applied.
 *
 * A conditional whose two sides are cheap and harmless becomes a selection, which vectorises. Any other becomes a branch, so
 * that what only one side needs is computed only there. */

#include <string.h>

#include "base/error.h"
#include "codegen/kernel/check.h"
#include "codegen/kernel/read.h"

enum {
    SELECT_COST = 160, /* the most that a selection may compute without need */
    READ_COST = 4,
    DIVISION_COST = 8,
    NEVER = SELECT_COST + 1,
    TINY_COUNT = 32
};

typedef struct scalars {
    wadi_lower *l;
    const wadi_fun *f;
    wadi_lv *at; /* [scalar of the function] */
} scalars;

static void block(scalars *c, const wadi_sblock *b);

/* ---- branches ---- */

static int cost_of_sop(wadi_sop op, wadi_type t) {
    const wadi_sop_info *info = wadi_sop_get(op);
    switch (op) {
    case WADI_SOP_CONST:
    case WADI_SOP_EXTENT:
    case WADI_SOP_THE:
        return 0;
    case WADI_SOP_CONVERT:
    case WADI_SOP_BITCAST:
        return 1;
    case WADI_SOP_INDEX:
    case WADI_SOP_INDEX_LINEAR:
        return READ_COST;
    case WADI_SOP_FDIV:
        return DIVISION_COST;
    case WADI_SOP_SQRT:
        return wadi_type_is_complex(t) ? NEVER : DIVISION_COST;
    case WADI_SOP_FLOOR:
    case WADI_SOP_CEIL:
    case WADI_SOP_TRUNC:
    case WADI_SOP_COPYSIGN:
        return 1;
    default:
        break;
    }
    if (op >= WADI_SOP_PRIM_COUNT || info->flags & WADI_SOP_FAULTS || wadi_sop_is_costly(op, t))
        return NEVER;
    return 1;
}

/* The cost of computing the block without need; NEVER or more if it must not be. */
static int cost_of(const wadi_fun *f, const wadi_sblock *b) {
    int cost = 0;
    for (int i = 0; i < b->ninsts && cost < NEVER; i++) {
        const wadi_sinst *s = b->insts[i];
        const wadi_type t = s->nargs > 0 ? f->types[s->args[0]] : WADI_BOOL;
        cost += s->op == WADI_SOP_COND ? 1 + cost_of(f, s->block[0]) + cost_of(f, s->block[1])
                                       : cost_of_sop(s->op, t);
    }
    return cost;
}

int wadi_lower_cost(const wadi_fun *f) {
    return cost_of(f, f->body);
}

static void cond_as_select(scalars *c, const wadi_sinst *s) {
    for (int k = 0; k < 2; k++) block(c, s->block[k]);
    for (int r = 0; r < s->nresults; r++) {
        const wadi_sval v = s->first + (wadi_sval)r;
        c->at[v] = wadi_lb_select(&c->l->b, c->f->types[v], c->at[s->args[0]],
                                  c->at[s->block[0]->yields[r]], c->at[s->block[1]->yields[r]]);
    }
}

/* ---- what a condition says about the values it compares ---- */

static void replace(scalars *c, wadi_lv old, wadi_lv fresh) {
    for (uint32_t v = 0; v < c->f->nvals; v++)
        if (c->at[v] == old) c->at[v] = fresh;
}

typedef struct facts {
    int n;
    wadi_lv was[8], is[8];
} facts;

static void learn(scalars *c, facts *f, wadi_lv v, wadi_lv least, wadi_lv most) {
    if (f->n == 8 || wadi_lb_is_const(&c->l->b, v, NULL)) return;
    f->was[f->n] = v;
    f->is[f->n] = wadi_lb_fact(&c->l->b, v, least, most);
    replace(c, v, f->is[f->n]);
    f->n++;
}

static wadi_sop opposite(wadi_sop op) {
    return op == WADI_SOP_LT   ? WADI_SOP_GE
           : op == WADI_SOP_GE ? WADI_SOP_LT
           : op == WADI_SOP_LE ? WADI_SOP_GT
                               : WADI_SOP_LE;
}

/* Inside a branch where `condition` is `truth`, the indices that it compares have bounds. */
static void learn_from(scalars *c, facts *f, wadi_lv condition, bool truth) {
    wadi_lb *b = &c->l->b;
    const wadi_linst *i = wadi_lb_inst(b, condition);
    if (i->kind != WADI_L_PRIM || i->nargs != 2) return;
    if (i->op == (truth ? WADI_SOP_LAND : WADI_SOP_LOR)) {
        learn_from(c, f, i->args[0], truth);
        learn_from(c, f, i->args[1], truth);
        return;
    }
    const bool ordered = i->op == WADI_SOP_LT || i->op == WADI_SOP_LE || i->op == WADI_SOP_GT ||
                         i->op == WADI_SOP_GE;
    if (!ordered || wadi_lb_type(b, i->args[0]) != WADI_I64) return;
    const wadi_sop op = truth ? i->op : opposite(i->op);
    const bool less = op == WADI_SOP_LT || op == WADI_SOP_LE,
               strict = op == WADI_SOP_LT || op == WADI_SOP_GT;
    const wadi_lv low = i->args[less ? 0 : 1], high = i->args[less ? 1 : 0],
                  one = wadi_lb_i64(b, strict);
    learn(c, f, low, WADI_LV_NONE, wadi_lb_bin(b, WADI_SOP_SUB, high, one));
    learn(c, f, high, wadi_lb_bin(b, WADI_SOP_ADD, low, one), WADI_LV_NONE);
}

static void forget(scalars *c, const facts *f) {
    for (int k = f->n - 1; k >= 0; k--) replace(c, f->is[k], f->was[k]);
}

static void cond_as_branch(scalars *c, const wadi_sinst *s) {
    wadi_lb *b = &c->l->b;
    wadi_lv var[2 * WADI_MAX_FIELDS];
    const int n = s->nresults;
    wadi_quiet q;
    bool quiet = false;
    WADI_ASSERT(n <= 2 * WADI_MAX_FIELDS);
    for (int r = 0; r < n; r++) {
        const wadi_type type = c->f->types[s->first + (wadi_sval)r];
        const wadi_lv none =
            c->l->checking.quiet ? wadi_lb_const(b, (wadi_scalar){.type = type}) : WADI_LV_NONE;
        var[r] = wadi_lb_var(b, type, false, none, "chosen");
    }
    const wadi_lv condition = c->at[s->args[0]];
    wadi_lb_if(b, condition);
    for (int k = 0; k < 2; k++) {
        facts f = {0};
        if (k == 1) wadi_lb_else(b);
        learn_from(c, &f, condition, k == 0);
        quiet = wadi_lower_quietly_within(c->l, &q);
        block(c, s->block[k]);
        for (int r = 0; r < n; r++) wadi_lb_set(b, var[r], c->at[s->block[k]->yields[r]]);
        if (quiet) wadi_lower_quiet_end(c->l, &q);
        forget(c, &f);
    }
    wadi_lb_end(b);
    for (int r = 0; r < n; r++) c->at[s->first + (wadi_sval)r] = wadi_lb_get(b, var[r]);
}

/* Tries to write both sides without a branch. If they turn out to need a check or a loop, their code is discarded: what only one side needs is not
 * noted for both. */
static bool tried_as_select(scalars *c, const wadi_sinst *s) {
    wadi_lower *l = c->l;
    wadi_quiet *const quiet = l->checking.quiet;
    wadi_loop_version *v = l->checking.version;
    const wadi_lv cond_before = v ? v->cond : WADI_LV_NONE;
    wadi_trial trial;
    wadi_lower_try(l, &trial);
    l->checking.quiet = NULL;
    cond_as_select(c, s);
    l->checking.quiet = quiet;
    if (wadi_lower_tried(l, &trial)) {
        wadi_lb_merge(&l->b, trial.aside);
        return true;
    }
    if (v) v->cond = cond_before;
    return false;
}

static void cond(scalars *c, const wadi_sinst *s) {
    int64_t known = 0;
    if (wadi_lb_is_const(&c->l->b, c->at[s->args[0]], &known)) {
        const wadi_sblock *side = s->block[known ? 0 : 1];
        block(c, side);
        for (int r = 0; r < s->nresults; r++)
            c->at[s->first + (wadi_sval)r] = c->at[side->yields[r]];
        return;
    }
    const bool light = cost_of(c->f, s->block[0]) + cost_of(c->f, s->block[1]) < NEVER;
    if (c->l->checking.trial && !c->l->checking.quiet) {
        if (!light) (void)wadi_lower_not_harmless(c->l);
        cond_as_select(c, s);
    } else if (!light || !tried_as_select(c, s)) {
        cond_as_branch(c, s);
    }
}

/* ---- loops ---- */

/* A loop is no part of what may run without need, unless all that it checks is noted. */
static void loop_is_costly(scalars *c) {
    if (!c->l->checking.quiet) (void)wadi_lower_not_harmless(c->l);
}

static void get_all(scalars *c, int n, const wadi_sval *to, const wadi_lv *var) {
    for (int i = 0; i < n; i++) c->at[to[i]] = wadi_lb_get(&c->l->b, var[i]);
}

/* The yields may be the old state in another order: all are read before any is set, since values are not variables. */
static void set_all(scalars *c, const wadi_sblock *b, const wadi_lv *var) {
    for (int i = 0; i < b->nyields; i++) wadi_lb_set(&c->l->b, var[i], c->at[b->yields[i]]);
}

static void start_state(scalars *c, const wadi_sinst *s, int first, wadi_lv *var) {
    for (int i = first; i < s->nargs; i++)
        var[i - first] =
            wadi_lb_var(&c->l->b, c->f->types[s->args[i]], false, c->at[s->args[i]], "state");
}

static void end_state(scalars *c, const wadi_sinst *s, const wadi_lv *var) {
    for (int r = 0; r < s->nresults; r++)
        c->at[s->first + (wadi_sval)r] = wadi_lb_get(&c->l->b, var[r]);
}

/* Leaves the loop unless it goes on: false as well if that cannot be computed. */
static void leave_or_go_on(scalars *c, const wadi_sblock *predicate) {
    wadi_lb *b = &c->l->b;
    wadi_quiet q;
    if (!c->l->checking.quiet) {
        block(c, predicate);
        wadi_lb_leave_unless(b, c->at[predicate->yields[0]]);
        return;
    }
    wadi_lb_leave_unless(b, wadi_lower_is_well(c->l, c->l->checking.quiet));
    const wadi_lv on = wadi_lb_var(b, WADI_BOOL, false, wadi_lb_bool(b, false), "on");
    (void)wadi_lower_quietly_within(c->l, &q);
    block(c, predicate);
    wadi_lb_set(b, on, c->at[predicate->yields[0]]);
    wadi_lower_quiet_end(c->l, &q);
    wadi_lb_leave_unless(b, wadi_lb_get(b, on));
}

/* The state becomes what the block yields. */
static void next_state(scalars *c, const wadi_sblock *body, const wadi_lv *var) {
    wadi_quiet q;
    const bool quiet = wadi_lower_quietly_within(c->l, &q);
    block(c, body);
    set_all(c, body, var);
    if (quiet) wadi_lower_quiet_end(c->l, &q);
}

static void loop_while(scalars *c, const wadi_sinst *s) {
    loop_is_costly(c);
    wadi_lv var[2 * WADI_MAX_FIELDS];
    WADI_ASSERT(s->nargs <= 2 * WADI_MAX_FIELDS);
    start_state(c, s, 0, var);
    wadi_lb_repeat(&c->l->b);
    get_all(c, s->block[0]->nparams, s->block[0]->params, var);
    leave_or_go_on(c, s->block[0]);
    get_all(c, s->block[1]->nparams, s->block[1]->params, var);
    next_state(c, s->block[1], var);
    wadi_lb_end(&c->l->b);
    end_state(c, s, var);
}

typedef struct iteration {
    scalars *c;
    const wadi_sinst *s;
    const wadi_lv *var;
    wadi_lv rounds;
} iteration;

/* None if something has been noted: then the number may be anything. */
static wadi_lv rounds_of(scalars *c, const wadi_sinst *s) {
    wadi_lb *b = &c->l->b;
    const wadi_lv n = c->at[s->args[0]];
    int64_t known = 0;
    if (!c->l->checking.quiet || wadi_lb_is_const(b, n, &known)) return n;
    return wadi_lb_select(b, WADI_I64, wadi_lower_is_well(c->l, c->l->checking.quiet), n,
                          wadi_lb_i64(b, 0));
}

static void build_iterate(wadi_lower *l, void *env) {
    const iteration *it = env;
    scalars *c = it->c;
    const wadi_sblock *body = it->s->block[0];
    for (int i = 0; i < it->s->nargs - 1; i++)
        wadi_lb_set(&l->b, it->var[i], c->at[it->s->args[i + 1]]);
    c->at[body->params[0]] = wadi_lb_for(&l->b, wadi_lb_i64(&l->b, 0), it->rounds, 1, "k");
    get_all(c, body->nparams - 1, body->params + 1, it->var);
    next_state(c, body, it->var);
    wadi_lb_end(&l->b);
}

static void loop_iterate(scalars *c, const wadi_sinst *s) {
    loop_is_costly(c);
    wadi_lv var[2 * WADI_MAX_FIELDS];
    int64_t count = 0;
    WADI_ASSERT(s->nargs <= 2 * WADI_MAX_FIELDS);
    for (int i = 1; i < s->nargs; i++)
        var[i - 1] = wadi_lb_var(&c->l->b, c->f->types[s->args[i]], false, WADI_LV_NONE, "state");
    iteration it = {c, s, var, rounds_of(c, s)};
    /* for a short loop, checks are better decided in front of the loop around it */
    if (wadi_lb_is_const(&c->l->b, c->at[s->args[0]], &count) && count <= TINY_COUNT)
        build_iterate(c->l, &it);
    else
        wadi_lower_versions(c->l, build_iterate, &it);
    end_state(c, s, var);
}

/* ---- array reads ---- */

static wadi_lv as_i64(scalars *c, wadi_sval v) {
    return wadi_lb_prim(&c->l->b, WADI_SOP_CONVERT, WADI_I64, 1, &c->at[v]);
}

static void read_index(scalars *c, const wadi_sinst *s) {
    wadi_lv ix[WADI_MAX_RANK];
    for (int d = 0; d < s->nargs; d++) ix[d] = as_i64(c, s->args[d]);
    wadi_lower_read_checked(c->l, s->array, ix, "!", s->loc, &c->at[s->first]);
}

/* Row-major position: memory is read there; a delayed array gets its index by division. */
static void read_linear(scalars *c, const wadi_sinst *s) {
    wadi_lower *l = c->l;
    wadi_lb *b = &l->b;
    wadi_lv ix[WADI_MAX_RANK], extent[WADI_MAX_RANK], at = as_i64(c, s->args[0]);
    const wadi_val v = wadi_lower_resolve(l, s->array);
    const wadi_array_type *t = wadi_type_of(l, v);
    wadi_lower_extents(l, v, extent);
    const wadi_lscope *limit =
        wadi_lower_in_range(l, at, wadi_lower_size(l, t->rank, extent), "!!", -1, s->loc);
    const wadi_vloc_kind kind = l->loc[v].kind;
    if (t->rank > 0 && (kind == WADI_LOC_SLOT || kind == WADI_LOC_MEMORY)) {
        for (int f = 0; f < t->elem.fields; f++)
            c->at[s->first + (wadi_sval)f] =
                wadi_lb_load(b, wadi_lower_pointer(l, v, f), at, limit);
        return;
    }
    for (int d = t->rank - 1; d >= 0; d--) {
        ix[d] = d > 0 ? wadi_lb_bin(b, WADI_SOP_REM, at, extent[d]) : at;
        at = d > 0 ? wadi_lb_bin(b, WADI_SOP_QUOT, at, extent[d]) : at;
    }
    wadi_lower_read(l, v, ix, &c->at[s->first]);
}

/* ---- instructions ---- */

static void check_divisor(scalars *c, const wadi_sinst *s) {
    wadi_lb *b = &c->l->b;
    const wadi_lv divisor = c->at[s->args[1]];
    const wadi_lv zero = wadi_lb_const(b, (wadi_scalar){wadi_lb_type(b, divisor), 0});
    const wadi_lv bad = wadi_lb_bin(b, WADI_SOP_EQ, divisor, zero);
    int64_t known = 0;
    if (wadi_lb_is_const(b, bad, &known) && !known) return;
    if (c->l->checking.quiet &&
        wadi_lower_is_quiet(c->l, wadi_lb_prim(b, WADI_SOP_LNOT, WADI_BOOL, 1, &bad)))
        return;
    if (wadi_lower_not_harmless(c->l)) return;
    wadi_lb_if(b, bad);
    const wadi_lv dividend = wadi_lb_prim(b, WADI_SOP_CONVERT, WADI_I64, 1, &c->at[s->args[0]]);
    wadi_lower_fault(c->l, WADI_FAULT_DIVISION,
                     wadi_layout_place(c->l->y, wadi_sop_get(s->op)->name, "", s->loc), dividend,
                     wadi_lb_i64(b, 0));
    wadi_lb_end(b);
}

static void prim(scalars *c, const wadi_sinst *s) {
    wadi_lv args[3];
    for (int a = 0; a < s->nargs && a < 3; a++) args[a] = c->at[s->args[a]];
    if (s->op < WADI_SOP_PRIM_COUNT && wadi_sop_get(s->op)->flags & WADI_SOP_FAULTS)
        check_divisor(c, s);
    c->at[s->first] = wadi_lb_prim(&c->l->b, s->op, c->f->types[s->first], s->nargs, args);
}

static void instruction(scalars *c, const wadi_sinst *s) {
    wadi_lower *l = c->l;
    switch (s->op) {
    case WADI_SOP_CONST:
        c->at[s->first] = wadi_lb_const(&l->b, s->imm);
        break;
    case WADI_SOP_INDEX:
        read_index(c, s);
        break;
    case WADI_SOP_INDEX_LINEAR:
        read_linear(c, s);
        break;
    case WADI_SOP_THE:
        wadi_lower_read(l, s->array, NULL, &c->at[s->first]);
        break;
    case WADI_SOP_EXTENT:
        c->at[s->first] = wadi_lower_extent(l, s->array, s->dim);
        break;
    case WADI_SOP_COND:
        cond(c, s);
        break;
    case WADI_SOP_WHILE:
        loop_while(c, s);
        break;
    case WADI_SOP_ITERATE:
        loop_iterate(c, s);
        break;
    default:
        prim(c, s);
        break;
    }
}

static void block(scalars *c, const wadi_sblock *b) {
    for (int i = 0; i < b->ninsts && !c->l->b.failed && !c->l->status; i++)
        instruction(c, b->insts[i]);
}

void wadi_lower_apply(wadi_lower *l, const wadi_fun *f, const wadi_lv *args, wadi_lv *out) {
    const wadi_sblock *body = f->body;
    for (int r = 0; r < body->nyields; r++) out[r] = wadi_lb_i64(&l->b, 0);
    wadi_lv *at = WADI_NEW_N(l->y->arena, wadi_lv, (size_t)f->nvals + WADI_MAX_FIELDS);
    if (!at) l->b.failed = true;
    if (l->b.failed || l->status) return;
    scalars c = {l, f, at};
    for (int p = 0; p < body->nparams; p++) at[body->params[p]] = args[p];
    block(&c, body);
    for (int r = 0; r < body->nyields; r++) out[r] = at[body->yields[r]];
}

void wadi_lower_apply_quietly(wadi_lower *l, const wadi_fun *f, const wadi_lv *args, wadi_lv bad,
                              wadi_lv *out) {
    const wadi_sblock *body = f->body;
    wadi_lv x[WADI_MAX_FIELDS], var[WADI_MAX_FIELDS];
    wadi_quiet q;
    for (int r = 0; r < body->nyields; r++) {
        const wadi_type type = f->types[body->yields[r]];
        const wadi_lv zero = wadi_lb_const(&l->b, (wadi_scalar){.type = type});
        var[r] = wadi_lb_var(&l->b, type, false, zero, "noted");
    }
    wadi_lower_quietly(l, bad, &q);
    wadi_lower_apply(l, f, args, x);
    for (int r = 0; r < body->nyields; r++) wadi_lb_set(&l->b, var[r], x[r]);
    wadi_lower_quiet_end(l, &q);
    for (int r = 0; r < body->nyields; r++) out[r] = wadi_lb_get(&l->b, var[r]);
}
