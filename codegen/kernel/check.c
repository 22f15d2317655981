/* Faults, and loops in two versions.
 *
 * A check that no proof removes is decided before the innermost loop around it, if the index is a monotone function of that
 * loop's variable. The loop is then written twice, without checks and with them, and the loop without checks can be
 * vectorised. In both, checks that depend on data are made in place.
 *
 * Where every round makes every check, the second loop need not compute anything: it looks for the first fault, and if it finds none, the
 * first one runs. */
#include "codegen/kernel/check.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/format.h"
#include "codegen/loop/bound.h"
#include "codegen/loop/interior.h"
#include "graph/ir/indexed.h"

void wadi_lower_fault(wadi_lower *l, wadi_fault_kind kind, int place, wadi_lv v0, wadi_lv v1) {
    const wadi_lv none = wadi_lb_i64(&l->b, 0);
    wadi_lower_fault_of(l, kind, place, (const wadi_lv[]){v0, v1, none, none});
}

void wadi_lower_fault_of(wadi_lower *l, wadi_fault_kind kind, int place, const wadi_lv *value) {
    enum { VALUES = 2, INDEX = VALUES + WADI_FAULT_VALUES };
    wadi_lv linear = wadi_lb_i64(&l->b, -1);
    const wadi_lower_position *p = &l->position;
    if (p->rank >= 0) linear = wadi_lower_linear(l, p->rank, p->extent, p->ix);
    wadi_lv args[INDEX + WADI_MAX_RANK] = {wadi_lower_number(l, 0), linear};
    for (int k = 0; k < WADI_FAULT_VALUES; k++) args[VALUES + k] = value[k];
    for (int d = 0; d < p->element_rank; d++) args[INDEX + d] = p->element[d];
    wadi_linst *i = wadi_lb_act(&l->b, WADI_L_FAULT, INDEX + p->element_rank, args);
    i->imm = (wadi_scalar){WADI_I32, (uint64_t)kind};
    i->index = place;
}

void wadi_lower_at_work(wadi_lower *l, wadi_val v) {
    const wadi_value *value = &l->m->values[v];
    if (value->def != WADI_DEF_BIND) return;
    l->b.place = wadi_layout_place(l->y, value->bind->op->name, "", value->bind->loc);
}

const char *wadi_lower_words(wadi_lower *l, const char *format, ...) {
    char text[128];
    va_list args;
    va_start(args, format);
    (void)wadi_format_list(text, sizeof text, format, args);
    va_end(args);
    const char *kept = wadi_arena_strdup(l->y->keep, text);
    if (!kept) l->b.failed = true;
    return kept ? kept : "";
}

/* One comparison of unsigned numbers: read as unsigned, a negative index is larger than every extent. */
static wadi_lv out_of_range(wadi_lower *l, wadi_lv index, wadi_lv extent) {
    wadi_lb *b = &l->b;
    if (wadi_lb_inst(b, index)->nonneg) return wadi_lb_bin(b, WADI_SOP_GE, index, extent);
    const wadi_lv i = wadi_lb_prim(b, WADI_SOP_BITCAST, WADI_U64, 1, &index);
    const wadi_lv n = wadi_lb_prim(b, WADI_SOP_BITCAST, WADI_U64, 1, &extent);
    return wadi_lb_bin(b, WADI_SOP_GE, i, n);
}

wadi_lower_position wadi_lower_in_array(wadi_lower *l, int rank, const wadi_lv *extent) {
    const wadi_lower_position before = l->position;
    l->position.rank = rank;
    for (int d = 0; d < rank; d++) l->position.extent[d] = extent[d];
    return before;
}

wadi_lower_position wadi_lower_by_lanes(wadi_lower *l) {
    const wadi_lower_position before = l->position;
    if (!l->b.failed) l->b.scope->owner->by = WADI_BY_LANES;
    l->position.in_lane = true;
    return before;
}

wadi_lower_position wadi_lower_at_element(wadi_lower *l, int rank, const wadi_lv *ix) {
    const wadi_lower_position before = l->position;
    l->position.element_rank = rank;
    l->position.element = ix;
    return before;
}

void wadi_lower_try(wadi_lower *l, wadi_trial *t) {
    *t = (wadi_trial){.aside = wadi_lb_aside(&l->b), .around = l->checking.trial};
    l->checking.trial = t;
}

bool wadi_lower_tried(wadi_lower *l, wadi_trial *t) {
    l->checking.trial = t->around;
    wadi_lb_aside_end(&l->b, t->aside);
    return !t->harmful;
}

bool wadi_lower_not_harmless(wadi_lower *l) {
    if (l->checking.trial) l->checking.trial->harmful = true;
    return l->checking.trial != NULL;
}

static void demand(wadi_lower *l, wadi_loop_version *v, wadi_lv c) {
    wadi_lscope *back = wadi_lb_go(&l->b, v->home);
    v->cond = v->cond == WADI_LV_NONE ? c : wadi_lb_bin(&l->b, WADI_SOP_LAND, v->cond, c);
    (void)wadi_lb_go(&l->b, back);
}

void wadi_lower_demand(wadi_lower *l, wadi_lv condition) {
    if (!l->b.failed) demand(l, l->checking.version, condition);
}

/* The version, `v` or one around it, in front of which the check is decided; NULL: none. */
static wadi_loop_version *decided(wadi_lower *l, wadi_loop_version *v, wadi_lv index,
                                  wadi_lv extent) {
    if (!v) return NULL;
    wadi_loop_version *outer = decided(l, v->outer, index, extent);
    if (outer || !v->fast) return outer;
    int64_t known = 0;
    const wadi_lv c = wadi_interior_condition(&l->b, v->home, index, extent);
    /* a condition that never holds would make the fast version useless for the other checks too */
    if (c == WADI_LV_NONE || (wadi_lb_is_const(&l->b, c, &known) && !known)) return NULL;
    demand(l, v, c);
    return v;
}

/* Whether 0 <= c->index < c->extent proves the same of these: starts[row + 1] of rows + 1 numbers is in range if lengths[row] of `rows` is. Nothing wraps
 * around, because the array is there: its extent is not negative. */
static bool proves(wadi_lower *l, const wadi_checked *c, wadi_lv index, wadi_lv extent) {
    int64_t by = 0, room = 0;
    if (c->index == index && c->extent == extent) return true;
    return !c->ahead && wadi_bound_difference(&l->b, extent, c->extent, &room) && room >= 0 &&
           room < 1 << 16 && wadi_bound_difference(&l->b, index, c->index, &by) && by >= 0 &&
           by <= room;
}

/* The scope in which an earlier check has already proved the index in range; NULL: none has. */
static const wadi_lscope *checked_before(wadi_lower *l, wadi_lv index, wadi_lv extent) {
    enum { FAR = 32 }; /* only the latest are compared, so that a long body takes no longer */
    for (size_t i = l->checked.n, k = 0; i-- > 0 && k < FAR; k++) {
        const wadi_checked *c = &l->checked.at[i];
        const wadi_lscope *home = wadi_lb_visible(&l->b, c->scope);
        if (home && proves(l, c, index, extent)) return home;
    }
    return NULL;
}

static void note_checked(wadi_lower *l, wadi_lv index, wadi_lv extent, bool ahead) {
    enum { MANY = 256 };
    if (l->checked.n == MANY)
        l->checked.n = 0; /* forgetting costs a repeated check, nothing else */
    if (!wadi_vec_push(&l->checked, (wadi_checked){index, extent, l->b.scope, ahead}))
        l->b.failed = true;
}

static bool noted_quietly(wadi_lower *l, wadi_lv index, wadi_lv extent) {
    const wadi_lv out = out_of_range(l, index, extent);
    if (!wadi_lower_is_quiet(l, wadi_lb_prim(&l->b, WADI_SOP_LNOT, WADI_BOOL, 1, &out)))
        return false;
    note_checked(l, index, extent, false);
    return true;
}

static void fault_unless_in_range(wadi_lower *l, wadi_lv index, wadi_lv extent, const char *op,
                                  int dim, wadi_loc loc) {
    char where[WADI_WHERE_ROOM];
    const char *words = wadi_lower_words(l, "%s", wadi_ir_where(where, dim, loc));
    wadi_lb_if(&l->b, out_of_range(l, index, extent));
    wadi_lower_fault(l, WADI_FAULT_INDEX, wadi_layout_place(l->y, op, words, loc), index, extent);
    wadi_lb_end(&l->b);
}

const wadi_lscope *wadi_lower_in_range(wadi_lower *l, wadi_lv index, wadi_lv extent, const char *op,
                                       int dim, wadi_loc loc) {
    if (l->status || l->b.failed) return NULL;
    if (wadi_bound_proved(&l->b, index, extent)) return l->b.fun->body;
    const wadi_lscope *before = checked_before(l, index, extent);
    if (before) return before;
    if (l->y->unchecked) {
        (void)wadi_lower_not_harmless(
            l); /* the branch around may be what keeps the index in range */
        return NULL;
    }
    if (wadi_interior_in_range(&l->b, index, extent)) return l->b.interior->body;
    const wadi_loop_version *version = decided(l, l->checking.version, index, extent);
    if (version) return version->body;
    if (l->checking.quiet && noted_quietly(l, index, extent)) return l->b.scope;
    if (wadi_lower_not_harmless(l)) return NULL;
    if (wadi_lower_is_ahead(l, index, extent)) {
        note_checked(l, index, extent, true); /* branches on it are harmless */
        return NULL;
    }
    fault_unless_in_range(l, index, extent, op, dim, loc);
    note_checked(l, index, extent, false);
    return l->b.scope;
}

/* A branch that does nothing but fault. */
static bool is_check(const wadi_linst *i) {
    const wadi_lscope *s = i->block[0];
    if (i->kind != WADI_L_IF || i->block[1] != NULL) return false;
    for (int k = 0; k < s->n; k++)
        if (s->inst[k]->block[0] != NULL) return false;
    return s->n > 0 && s->inst[s->n - 1]->kind == WADI_L_FAULT;
}

/* Whether each round makes every check of the loop: it has no branches but those of the checks, and nothing in it outlasts the round. */
static bool seeks(const wadi_lscope *round) {
    bool checks = false;
    for (int k = 0; k < round->n; k++) {
        const wadi_linst *i = round->inst[k];
        if (is_check(i))
            checks = true;
        else if (i->block[0] != NULL || i->kind > WADI_L_LANE)
            return false;
    }
    return checks;
}

/* Whether the code is one such loop. */
static bool is_search(const wadi_lscope *s) {
    const wadi_linst *loop = NULL;
    for (int k = 0; k < s->n; k++) {
        if (s->inst[k]->block[0] == NULL) continue;
        if (loop != NULL || s->inst[k]->kind != WADI_L_FOR) return false;
        loop = s->inst[k];
    }
    return loop != NULL && seeks(loop->block[0]);
}

static wadi_lscope *one_version(wadi_lower *l, wadi_loop_version *v, wadi_build build, void *env) {
    const wadi_checking before = l->checking;
    wadi_lscope *s = wadi_lb_aside(&l->b);
    v->body = s;
    l->checking.version = v;
    build(l, env);
    l->checking = before;
    wadi_lb_aside_end(&l->b, s);
    return s;
}

/* Writes the search for the first fault, if there is one, in front of the fast version. False: that does not do. */
static bool searched_before(wadi_lower *l, const wadi_loop_version *fast, wadi_build search,
                            void *env, wadi_lscope *first) {
    wadi_lb *b = &l->b;
    wadi_loop_version careful = {NULL, b->scope, NULL, false, WADI_LV_NONE};
    wadi_lscope *found = one_version(l, &careful, search, env);
    int64_t known = 0;
    if (b->failed || !is_search(found) || wadi_lb_is_const(b, fast->cond, &known)) return false;
    const wadi_lv fine = wadi_lb_name(b, fast->cond, "in_range");
    wadi_lb_if_seldom(b, wadi_lb_prim(b, WADI_SOP_LNOT, WADI_BOOL, 1, &fine));
    wadi_lb_merge(b, found);
    wadi_lb_end(b);
    wadi_lb_merge(b, first);
    return true;
}

static void versions(wadi_lower *l, wadi_loop_version *outer, wadi_build build, wadi_build search,
                     void *env) {
    wadi_loop_version fast = {outer, l->b.scope, NULL, true, WADI_LV_NONE},
                      careful = {outer, l->b.scope, NULL, false, WADI_LV_NONE};
    wadi_lscope *first = one_version(l, &fast, build, env);
    int64_t known = 0;
    if (fast.cond == WADI_LV_NONE || (wadi_lb_is_const(&l->b, fast.cond, &known) && known)) {
        wadi_lb_merge(&l->b, first);
        return;
    }
    if (search != NULL && searched_before(l, &fast, search, env, first)) return;
    wadi_lscope *second = one_version(l, &careful, build, env);
    if (wadi_lb_is_const(&l->b, fast.cond,
                         &known)) { /* never true: only a conditional keeps it in range */
        wadi_lb_merge(&l->b, second);
        return;
    }
    wadi_lb_choose(&l->b, wadi_lb_name(&l->b, fast.cond, "in_range"), first, second);
    if (!l->b.failed) first->owner->careful = true;
}

void wadi_lower_versions(wadi_lower *l, wadi_build build, void *env) {
    versions(l, NULL, build, NULL, env);
}

void wadi_lower_versions_within(wadi_lower *l, wadi_loop_version *outer, wadi_build build,
                                void *env) {
    versions(l, outer, build, NULL, env);
}

void wadi_lower_searched(wadi_lower *l, wadi_build build, wadi_build search, void *env) {
    versions(l, NULL, build, search, env);
}
