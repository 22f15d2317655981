/* permute: writes the defaults, then combines every element of the source into its target, in the order of the source.
 *
 * Usually the source consists of patches: data decides where each goes, and within a patch the target follows the index. What
 * holds for a whole patch is tested once: before the two innermost loops and, if still unknown, before the innermost one:
 *   - whether elements are kept at all, if the loops inside do not change that;
 *   - whether all targets are in range and all elements kept (check.c: two versions of the loops);
 *   - for a worker with a share of the target's rows (flat/scatter.c), whether the targets meet these rows.
 * A loop whose targets are all different is independent, and becomes SIMD code. */
#include "codegen/kernel/permute.h"

#include <string.h>

#include "codegen/kernel/lanes.h"
#include "codegen/kernel/nest.h"
#include "codegen/kernel/split.h"
#include "codegen/kernel/read.h"
#include "codegen/loop/bound.h"
#include "operators/reduce_tree.h"

typedef struct permuting {
    const wadi_bind *bind;
    const wadi_array_type *to, *from;
    const wadi_lv *extent, *pointer; /* of the result */
    const wadi_share *share;         /* NULL: all rows */
    wadi_lv source[WADI_MAX_RANK];
    wadi_lv ix[WADI_MAX_RANK];
    int level;       /* the loop that is written next */
    bool kept, mine; /* tests already made: each element is kept; each is in this worker's rows */
    bool plain;      /* write the loops with all tests inside */
    bool by_lanes;   /* the lanes of a group take the innermost loop */
    bool atomic;     /* its targets may meet, in any order */
    const wadi_met *met;      /* places that are reached are noted here; NULL: nowhere */
    wadi_loop_version *outer; /* of the loops around */
} permuting;

static int rank_of(const permuting *p) {
    return p->from->rank;
}

/* ---- one element ---- */

void wadi_lower_permute_target(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix,
                               wadi_lv *out) {
    wadi_lv args[WADI_MAX_PARAMS];
    int n = wadi_type_of(l, bind->args[1])->rank;
    if (n > 0) memcpy(args, ix, (size_t)n * sizeof *args);
    for (int k = 2; k < bind->nargs; k++) { /* the target depends on these */
        wadi_lower_read(l, bind->args[k], ix, args + n);
        n += wadi_type_of(l, bind->args[k])->elem.fields;
    }
    wadi_lower_apply(l, bind->funs[1], args, out);
}

static void target_of(wadi_lower *l, const permuting *p, const wadi_lv *ix, wadi_lv *target) {
    wadi_lower_permute_target(l, p->bind, ix, target);
}

/* Notes that the place `at` is reached, and if it was before, that it is reached again. */
static void note_place(wadi_lower *l, const wadi_met *met, wadi_lv at) {
    wadi_lb *b = &l->b;
    const wadi_lv yes = wadi_lb_const(b, (wadi_scalar){.type = WADI_U8, .bits = 1});
    const wadi_lv no = wadi_lb_const(b, (wadi_scalar){.type = WADI_U8});
    if (met->again != WADI_LV_NONE) {
        const wadi_lv before = wadi_lb_fresh(b, met->reached, at);
        wadi_lb_if_seldom(b, wadi_lb_bin(b, WADI_SOP_NE, before, no));
        wadi_lb_store(b, met->again, wadi_lb_i64(b, 0), yes);
        wadi_lb_end(b);
    }
    wadi_lb_store(b, met->reached, at, yes);
}

static void combine_at(wadi_lower *l, const permuting *p, const wadi_lv *x, const wadi_lv *target) {
    wadi_lb *b = &l->b;
    const int fields = p->to->elem.fields;
    wadi_lv args[2 * WADI_MAX_FIELDS], out[WADI_MAX_FIELDS];
    for (int d = 0; d < p->to->rank; d++)
        (void)wadi_lower_in_range(l, target[d], p->extent[d], p->bind->op->name, d, p->bind->loc);
    const wadi_lv at = wadi_lower_linear(l, p->to->rank, p->extent, target);
    memcpy(args, x, (size_t)fields * sizeof *args);
    for (int f = 0; f < fields; f++) args[fields + f] = wadi_lb_fresh(b, p->pointer[f], at);
    wadi_lower_apply(l, p->bind->funs[0], args, out);
    for (int f = 0; f < fields; f++)
        if (p->atomic)
            wadi_lb_update(b, p->pointer[f], at, args[fields + f], out[f]);
        else
            wadi_lb_store(b, p->pointer[f], at, out[f]);
    if (p->met) note_place(l, p->met, at);
}

/* Whether row `row` of the target is one of this worker's. */
static wadi_lv is_mine(wadi_lower *l, const permuting *p, wadi_lv row) {
    wadi_lb *b = &l->b;
    const wadi_lv band = wadi_lb_bin(b, WADI_SOP_SHR, row, wadi_lb_i64(b, WADI_SHARE_SHIFT));
    return wadi_lb_bin(b, WADI_SOP_EQ, wadi_lb_bin(b, WADI_SOP_AND, band, p->share->mask),
                       p->share->number);
}

/* Combines one element into its target, and gives the target. */
static void element(wadi_lower *l, void *env, const wadi_lv *ix, wadi_lv *target) {
    const permuting *p = env;
    wadi_lb *b = &l->b;
    wadi_lv x[WADI_MAX_FIELDS];
    int tests = 0;
    int64_t keep = 0;
    const wadi_lower_position around = wadi_lower_at_element(l, rank_of(p), ix);
    target_of(l, p, ix, target);
    if (!p->kept && !(wadi_lb_is_const(b, target[0], &keep) && keep)) {
        wadi_lb_if(b, target[0]);
        tests++;
    }
    if (p->share && !p->mine) {
        wadi_lb_if(b, is_mine(l, p, target[1]));
        tests++;
    }
    wadi_lower_read(l, p->bind->args[1], ix, x);
    combine_at(l, p, x, target + 1);
    while (tests-- > 0) wadi_lb_end(b);
    l->position = around;
}

/* ---- what is decided in front of the loops ---- */

static void open_loop(wadi_lower *l, permuting *p, int d) {
    static const char *const names[WADI_MAX_RANK] = {"i0", "i1", "i2", "i3",
                                                     "i4", "i5", "i6", "i7"};
    p->ix[d] = l->position.ix[d] = wadi_lb_for(&l->b, wadi_lb_i64(&l->b, 0), p->source[d], 1,
                                               rank_of(p) == 1 ? "i" : names[d]);
}

/* Tries to compute the target in the loops from p->level on. False if computing it may fault or needs a loop. Code that does not
 * depend on the loops moves in front of them and stays there. */
static bool tried(wadi_lower *l, const permuting *p, wadi_lv *target) {
    permuting q = *p;
    wadi_trial trial;
    wadi_lower_try(l, &trial);
    for (int d = q.level; d < rank_of(&q); d++) open_loop(l, &q, d);
    target_of(l, &q, q.ix, target);
    for (int d = q.level; d < rank_of(&q); d++) wadi_lb_end(&l->b);
    return wadi_lower_tried(l, &trial) && !l->b.failed && !l->status;
}

/* Whether v is computed in front of the loops. */
static bool is_fixed(wadi_lower *l, wadi_lv v) {
    return wadi_lb_home(&l->b, v)->depth <= l->b.scope->depth;
}

/* Whether any of the rows least..most is this worker's. */
static wadi_lv meets(wadi_lower *l, const permuting *p, wadi_lv least, wadi_lv most) {
    wadi_lb *b = &l->b;
    const wadi_lv shift = wadi_lb_i64(b, WADI_SHARE_SHIFT);
    const wadi_lv first = wadi_lb_bin(b, WADI_SOP_SHR, least, shift),
                  last = wadi_lb_bin(b, WADI_SOP_SHR, most, shift);
    const wadi_lv ahead = wadi_lb_bin(
        b, WADI_SOP_AND, wadi_lb_bin(b, WADI_SOP_SUB, p->share->number, first), p->share->mask);
    return wadi_lb_bin(b, WADI_SOP_LE, ahead, wadi_lb_bin(b, WADI_SOP_SUB, last, first));
}

/* Opens a branch for each test with the same answer in all of the loops. Returns their number. */
static int branches(wadi_lower *l, permuting *p) {
    wadi_lv target[1 + WADI_MAX_RANK], least, most, cond;
    wadi_lscope *home = l->checking.version->home;
    int n = 0;
    int64_t keep = 0;
    if ((p->kept && (!p->share || p->mine)) || !tried(l, p, target)) return 0;
    p->kept = p->kept || (wadi_lb_is_const(&l->b, target[0], &keep) && keep);
    if (!p->kept && is_fixed(l, target[0])) {
        wadi_lb_if(&l->b, target[0]);
        p->kept = true;
        n++;
    }
    if (!p->share || p->mine) return n;
    if (is_fixed(l, target[1])) {
        wadi_lb_if(&l->b, is_mine(l, p, target[1]));
        p->mine = true;
        n++;
    } else if (wadi_bound_range(&l->b, home, target[1], &least, &most, &cond)) {
        if (cond != WADI_LV_NONE) wadi_lower_demand(l, cond);
        wadi_lb_if(&l->b, meets(l, p, least, most));
        n++;
    }
    return n;
}

/* Makes it a condition of the fast version that all elements are kept, if that can be decided here. */
static void demand_kept(wadi_lower *l, permuting *p) {
    wadi_lv target[1 + WADI_MAX_RANK];
    int64_t known = 0;
    const wadi_lv before = l->checking.version->cond;
    if (p->kept) return;
    if (tried(l, p, target)) {
        const wadi_lv c = wadi_bound_always(&l->b, l->checking.version->home, target[0]);
        if (c != WADI_LV_NONE && !(wadi_lb_is_const(&l->b, c, &known) && !known)) {
            wadi_lower_demand(l, c);
            p->kept = true;
            return;
        }
    }
    l->checking.version->cond = before;
}

/* ---- the loops ---- */

static void from_level(wadi_lower *l, permuting *p);

/* Whether iterations are independent: the targets all differ, and the code is straight apart from loads of the targets
 * themselves. */
static bool is_independent(wadi_lower *l, const permuting *p, const wadi_lv *target, wadi_lv var) {
    const wadi_lscope *s = l->b.scope;
    bool steps = false;
    for (int d = 0; d < p->to->rank && !l->b.failed; d++)
        steps = steps || wadi_bound_steps(&l->b, target[1 + d], var);
    for (int i = 0; i < s->n; i++)
        if (s->inst[i]->block[0] || s->inst[i]->kind == WADI_L_FAULT ||
            s->inst[i]->kind == WADI_L_VAR)
            return false;
    return steps;
}

static void innermost_by_lanes(wadi_lower *l, permuting *p) {
    wadi_lv target[1 + WADI_MAX_RANK];
    const int d = rank_of(p) - 1;
    wadi_lanes open;
    p->ix[d] = l->position.ix[d] =
        wadi_lanes_each(l, wadi_lb_i64(&l->b, 0), p->source[d], "i", &open);
    element(l, p, p->ix, target);
    wadi_lanes_end(l, &open);
}

static void loops(wadi_lower *l, void *env) {
    permuting p = *(const permuting *)env;
    wadi_lv target[1 + WADI_MAX_RANK];
    const int d = p.level++;
    if (!p.plain && l->checking.version && l->checking.version->fast) {
        p.level = d;
        demand_kept(l, &p);
        p.level = d + 1;
    }
    if (p.by_lanes && d == rank_of(&p) - 1) {
        innermost_by_lanes(l, &p);
        return;
    }
    open_loop(l, &p, d);
    p.outer = l->checking.version;
    if (p.level < rank_of(&p)) {
        from_level(l, &p);
    } else {
        element(l, &p, p.ix, target);
        if (!l->b.failed) l->b.scope->owner->independent = is_independent(l, &p, target, p.ix[d]);
    }
    wadi_lb_end(&l->b);
}

static void branches_and_loops(wadi_lower *l, void *env) {
    permuting p = *(const permuting *)env;
    const wadi_lv before = l->checking.version->cond;
    int n = 0;
    p.plain = !l->checking.version->fast;
    if (!p.plain) n = branches(l, &p);
    if (n == 0) l->checking.version->cond = before;
    if (p.plain)
        loops(l, &p);
    else
        wadi_lower_versions_within(l, p.outer, loops, &p);
    while (n-- > 0) wadi_lb_end(&l->b);
}

static void from_level(wadi_lower *l, permuting *p) {
    if (p->plain || p->level < rank_of(p) - 2)
        loops(l, p);
    else
        wadi_lower_versions_within(l, p->outer, branches_and_loops, p);
}

static void copy_default(wadi_lower *l, void *env, const wadi_lv *ix) {
    const permuting *p = env;
    wadi_lv x[WADI_MAX_FIELDS];
    wadi_lower_read(l, p->bind->args[0], ix, x);
    const wadi_lv at = wadi_lower_linear(l, p->to->rank, p->extent, ix);
    for (int f = 0; f < p->to->elem.fields; f++) wadi_lb_store(&l->b, p->pointer[f], at, x[f]);
}

static permuting permuting_of(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                              const wadi_lv *pointer) {
    return (permuting){.bind = bind,
                       .to = wadi_type_of(l, bind->args[0]),
                       .from = wadi_type_of(l, bind->args[1]),
                       .extent = extent,
                       .pointer = pointer};
}

/* Whether the targets of an innermost loop are all different, whatever the data. */
static bool are_apart(wadi_lower *l, const permuting *p) {
    permuting q = *p;
    wadi_lv target[1 + WADI_MAX_RANK];
    wadi_trial trial;
    bool steps = false;
    wadi_lower_try(l, &trial);
    for (int d = 0; d < rank_of(&q); d++) open_loop(l, &q, d);
    target_of(l, &q, q.ix, target);
    for (int d = 0; d < q.to->rank && !l->b.failed && !l->status; d++)
        steps = steps || wadi_bound_steps(&l->b, target[1 + d], q.ix[rank_of(&q) - 1]);
    for (int d = 0; d < rank_of(&q); d++) wadi_lb_end(&l->b);
    return wadi_lower_tried(l, &trial) && steps;
}

/* In a group: whether, and how, its lanes take an innermost loop together. */
static void deal_to_lanes(wadi_lower *l, permuting *p) {
    if (!wadi_lower_has_lanes(l) || rank_of(p) == 0) return;
    const bool apart = are_apart(l, p);
    p->by_lanes = apart || wadi_fun_has_any_order(p->bind->funs[0]);
    p->atomic = p->by_lanes && !apart;
}

void wadi_lower_permute_combine(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                                const wadi_lv *pointer, const wadi_lv *ix, const wadi_lv *target) {
    const permuting p = permuting_of(l, bind, extent, pointer);
    wadi_lv x[WADI_MAX_FIELDS];
    const wadi_lower_position around = wadi_lower_at_element(l, rank_of(&p), ix);
    wadi_lower_read(l, bind->args[1], ix, x);
    combine_at(l, &p, x, target + 1);
    l->position = around;
}

void wadi_lower_scatter(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                        const wadi_lv *pointer, const wadi_share *share) {
    permuting p = permuting_of(l, bind, extent, pointer);
    wadi_lv target[1 + WADI_MAX_RANK];
    if (l->status || l->b.failed) return;
    p.share = share;
    wadi_lower_extents(l, bind->args[1], p.source);
    const wadi_lower_position before = l->position;
    wadi_lanes alone = {.before = l->position};
    if (rank_of(&p) > 0) (void)wadi_lower_in_array(l, rank_of(&p), p.source);
    deal_to_lanes(l, &p);
    if (!p.by_lanes) wadi_lanes_alone(l, &alone);
    if (rank_of(&p) == 0)
        element(l, &p, NULL, target);
    else
        from_level(l, &p);
    wadi_lanes_end(l, &alone);
    l->position = before;
}

void wadi_lower_permute(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                        const wadi_lv *pointer) {
    permuting p = permuting_of(l, bind, extent, pointer);
    if (l->status || l->b.failed) return;
    /* the defaults may already be in the result's memory */
    if (!wadi_lower_lies_in(l, bind->results[0], bind->args[0]))
        wadi_lower_nest(l, p.to->rank, extent, copy_default, &p);
    wadi_lower_scatter(l, bind, extent, pointer, l->share);
}

bool wadi_lower_is_shared(const wadi_layout *y, const wadi_bind *bind) {
    return y->takes[bind->results[0]] == wadi_layout_resolved(y, bind->args[0]) &&
           y->m->values[bind->args[1]].type.array[0].rank >= 2 &&
           wadi_lower_cost(bind->funs[0]) < WADI_SHARE_CHEAP;
}

bool wadi_lower_has_rows(wadi_lower *l, const wadi_bind *bind) {
    permuting p = permuting_of(l, bind, NULL, NULL);
    wadi_lv target[1 + WADI_MAX_RANK], least, most, cond;
    const int rank = rank_of(&p);
    if (l->status || l->b.failed || rank < 2 || p.to->rank < 1) return false;
    wadi_loop_version fast = {NULL, l->b.scope, l->b.scope, true, WADI_LV_NONE};
    const wadi_checking before = l->checking;
    bool has = false;
    wadi_lower_extents(l, bind->args[1], p.source);
    for (; p.level < rank - 2; p.level++) open_loop(l, &p, p.level);
    const int opened = p.level;
    fast.home = fast.body = l->b.scope;
    l->checking.version = &fast;
    if (tried(l, &p, target) &&
        wadi_bound_range(&l->b, l->b.scope, target[1], &least, &most, &cond)) {
        open_loop(l, &p, p.level++);
        has = tried(l, &p, target) && is_fixed(l, target[1]);
        wadi_lb_end(&l->b);
    }
    for (int d = 0; d < opened; d++) wadi_lb_end(&l->b);
    l->checking = before;
    return has;
}

/* ---- a part of the source, whose elements are numbered row by row ---- */

typedef struct portion {
    permuting p;
    wadi_lv from, below;
    const wadi_keyed *keys; /* NULL: the elements are combined */
} portion;

/* Element `i` goes to the list of keys. A fault of its own comes here, whether it is stored or not. */
static void store_key(wadi_lower *l, const portion *at, wadi_lv i, const wadi_lv *ix) {
    wadi_lb *b = &l->b;
    const permuting *p = &at->p;
    const wadi_keyed *k = at->keys;
    wadi_lv target[1 + WADI_MAX_RANK], x[WADI_MAX_FIELDS];
    const wadi_lower_position around = wadi_lower_at_element(l, rank_of(p), ix);
    const wadi_lv key = wadi_lb_var(b, WADI_I64, false, k->dropped, "key");
    target_of(l, p, ix, target);
    wadi_lb_if(b, target[0]);
    if (k->value) wadi_lower_read(l, p->bind->args[1], ix, x);
    for (int d = 0; d < p->to->rank; d++)
        (void)wadi_lower_in_range(l, target[1 + d], p->extent[d], p->bind->op->name, d,
                                  p->bind->loc);
    wadi_lb_set(b, key, wadi_lower_linear(l, p->to->rank, p->extent, target + 1));
    for (int f = 0; k->value && f < p->to->elem.fields; f++) wadi_lb_store(b, k->value[f], i, x[f]);
    wadi_lb_end(b);
    if (!k->value) k->store(l, k->env, i, wadi_lb_get(b, key));
    l->position = around;
}

static void build_portion(wadi_lower *l, void *env) {
    portion *at = env;
    wadi_lv ix[WADI_MAX_RANK], target[1 + WADI_MAX_RANK];
    const int rank = rank_of(&at->p);
    wadi_lanes open;
    const wadi_lv i = wadi_lanes_each(l, at->from, at->below, "i", &open);
    wadi_lower_row_index(l, i, rank, at->p.source, ix);
    memcpy(l->position.ix, ix, (size_t)rank * sizeof *ix);
    if (at->keys)
        store_key(l, at, i, ix);
    else
        element(l, &at->p, ix, target);
    wadi_lanes_end(l, &open);
}

static void go_through(wadi_lower *l, portion *at) {
    const wadi_bind *bind = at->p.bind;
    wadi_lower_extents(l, bind->args[1], at->p.source);
    const wadi_lower_position before = wadi_lower_in_array(l, rank_of(&at->p), at->p.source);
    wadi_lower_versions(l, build_portion, at);
    l->position = before;
}

void wadi_lower_permute_part(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                             const wadi_lv *pointer, wadi_lv from, wadi_lv below,
                             const wadi_met *met) {
    portion at = {permuting_of(l, bind, extent, pointer), from, below, NULL};
    if (l->status || l->b.failed) return;
    at.p.met = met;
    at.p.atomic = wadi_lower_has_lanes(l) && wadi_fun_has_any_order(bind->funs[0]);
    go_through(l, &at);
}

void wadi_lower_permute_keys(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                             wadi_lv from, wadi_lv below, const wadi_keyed *keys) {
    portion at = {permuting_of(l, bind, extent, NULL), from, below, keys};
    if (l->status || l->b.failed) return;
    go_through(l, &at);
}

bool wadi_lower_permute_is_apart(wadi_lower *l, const wadi_bind *bind) {
    permuting p = permuting_of(l, bind, NULL, NULL);
    if (l->status || l->b.failed || rank_of(&p) != 1) return false;
    wadi_lower_extents(l, bind->args[1], p.source);
    return are_apart(l, &p);
}

bool wadi_lower_permute_keeps_all(wadi_lower *l, const wadi_bind *bind) {
    permuting p = permuting_of(l, bind, NULL, NULL);
    wadi_lv target[1 + WADI_MAX_RANK];
    wadi_trial trial;
    int64_t keep = 0;
    if (l->status || l->b.failed) return false;
    wadi_lower_extents(l, bind->args[1], p.source);
    wadi_lower_try(l, &trial);
    for (int d = 0; d < rank_of(&p); d++) open_loop(l, &p, d);
    target_of(l, &p, p.ix, target);
    const bool all = !l->b.failed && !l->status && wadi_lb_is_const(&l->b, target[0], &keep);
    for (int d = 0; d < rank_of(&p); d++) wadi_lb_end(&l->b);
    (void)wadi_lower_tried(l, &trial);
    return all && keep;
}

/* ---- the defaults ---- */

static void build_defaults(wadi_lower *l, void *env) {
    portion *at = env;
    wadi_lv ix[WADI_MAX_RANK];
    const int rank = at->p.to->rank;
    wadi_lanes open;
    const wadi_lv i = wadi_lanes_each(l, at->from, at->below, "i", &open);
    wadi_lower_row_index(l, i, rank, at->p.extent, ix);
    memcpy(l->position.ix, ix, (size_t)rank * sizeof *ix);
    copy_default(l, &at->p, ix);
    wadi_lower_mark_innermost(l);
    wadi_lanes_end(l, &open);
}

void wadi_lower_permute_defaults(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                                 const wadi_lv *pointer, wadi_lv from, wadi_lv below) {
    portion at = {permuting_of(l, bind, extent, pointer), from, below, NULL};
    if (l->status || l->b.failed) return;
    const wadi_lower_position before = wadi_lower_in_array(l, at.p.to->rank, extent);
    wadi_lower_versions(l, build_defaults, &at);
    l->position = before;
}

typedef struct rows {
    permuting p;
    wadi_lv from;
} rows;

static void copy_default_of_rows(wadi_lower *l, void *env, const wadi_lv *ix) {
    rows *r = env;
    wadi_lv at[WADI_MAX_RANK];
    const wadi_lv last = wadi_lb_bin(&l->b, WADI_SOP_SUB, r->p.extent[0], wadi_lb_i64(&l->b, 1));
    memcpy(at, ix, (size_t)r->p.to->rank * sizeof *at);
    at[0] = wadi_lb_range(&l->b, wadi_lb_bin(&l->b, WADI_SOP_ADD, r->from, ix[0]),
                          wadi_lb_i64(&l->b, 0), last);
    copy_default(l, &r->p, at);
}

void wadi_lower_permute_row_defaults(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                                     const wadi_lv *pointer, wadi_lv from, wadi_lv below) {
    rows r = {permuting_of(l, bind, extent, pointer), from};
    wadi_lv part[WADI_MAX_RANK];
    if (l->status || l->b.failed || wadi_lower_lies_in(l, bind->results[0], bind->args[0])) return;
    memcpy(part, extent, (size_t)r.p.to->rank * sizeof *part);
    part[0] = wadi_lb_bin(&l->b, WADI_SOP_SUB, below, from);
    wadi_lower_nest(l, r.p.to->rank, part, copy_default_of_rows, &r);
}
