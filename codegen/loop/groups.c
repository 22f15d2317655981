/* Checks the rules of loops by groups and by lanes (loop.h) over a whole kernel.
 *
 * Lane arrays and variables are checked one by one. Of stores through pointers, only what the code shows is checked: if data decides
 * the places of lanes, the code that writes the kernel must know that these differ. */
#include "codegen/loop/loop.h"
#include "codegen/loop/own.h"

typedef struct inside {
    int loops;   /* how many loops are around */
    int repeats; /* how many REPEATs are around, inside the loop by lanes */
    const wadi_lscope *groups,
        *lanes;                 /* the blocks of the loops by groups and by lanes around, or NULL */
    const wadi_linst *by_lanes; /* the loop by lanes around */
} inside;

typedef struct checker {
    const wadi_lfun *f;
    const uint8_t *shared; /* [value] a lane array of the group that its lanes change */
} checker;

/* ---- lane arrays and variables ---- */

static const char *check_change(const checker *c, const wadi_linst *i, const inside *in) {
    const wadi_lv what = i->args[0];
    if (in->groups != NULL && !wadi_own_is_made_in(c->f, what, in->groups))
        return "a round of a loop by groups changes what all groups have";
    if (in->lanes == NULL) return NULL;
    if (wadi_own_is_made_in(c->f, what, in->lanes)) return NULL;
    if (i->kind == WADI_L_PUT && wadi_own_is_apart(c->f, in->by_lanes, i->args[1])) return NULL;
    return "a lane changes what the group has";
}

/* Checks that a lane does not read an element of a lane array that another lane changes in the same loop. */
static const char *check_reads_of(const checker *c, const wadi_lscope *s, const wadi_linst *put,
                                  const wadi_linst *loop) {
    for (int k = 0; k < s->n; k++) {
        const wadi_linst *i = s->inst[k];
        if (i->kind == WADI_L_LANE && i->args[0] == put->args[0] &&
            wadi_own_plain(c->f, i->args[1]) != wadi_own_plain(c->f, put->args[1]) &&
            !wadi_own_are_disjoint(c->f, loop, put->args[1], i->args[1]) &&
            !wadi_own_are_in_one_row(c->f, loop, put->args[1], i->args[1]))
            return "a lane reads what another one changes";
        for (int b = 0; b < 2; b++) {
            const char *wrong =
                i->block[b] != NULL ? check_reads_of(c, i->block[b], put, loop) : NULL;
            if (wrong != NULL) return wrong;
        }
    }
    return NULL;
}

/* ---- memory ---- */

static bool is_same(const wadi_linst *x, const wadi_linst *y) {
    if (x->kind == WADI_L_COLUMN && y->kind == WADI_L_COLUMN)
        return x->slot == y->slot && x->index == y->index;
    return x == y;
}

/* Whether a fresh load in `s` reads the memory that `store` writes. Loops by lanes inside are searched only if `lanes`. */
static bool reads_back(const wadi_lfun *f, const wadi_lscope *s, const wadi_linst *store,
                       bool lanes) {
    for (int k = 0; k < s->n; k++) {
        const wadi_linst *i = s->inst[k];
        if (i->kind == WADI_L_FRESH &&
            is_same(wadi_l_root(f, i->args[0]), wadi_l_root(f, store->args[0])))
            return true;
        if (!lanes && i->kind == WADI_L_FOR && i->by == WADI_BY_LANES) continue;
        for (int b = 0; b < 2; b++)
            if (i->block[b] != NULL && reads_back(f, i->block[b], store, lanes)) return true;
    }
    return false;
}

static bool is_alone(const wadi_linst *loop, const wadi_lfun *f) {
    const wadi_linst *from = f->inst[loop->args[0]], *below = f->inst[loop->args[1]];
    return from->kind == WADI_L_CONST && below->kind == WADI_L_CONST &&
           below->imm.bits - from->imm.bits == 1;
}

/* Whether the store can be one atomic step with the load of the same place: it stores an operation on that element, or a constant. */
static bool is_update(const wadi_lfun *f, const wadi_linst *store) {
    const wadi_linst *value = f->inst[store->args[2]];
    if (value->kind == WADI_L_CONST) return true;
    for (int a = 0; value->kind == WADI_L_PRIM && a < value->nargs; a++) {
        const wadi_linst *old = f->inst[value->args[a]];
        if (old->kind == WADI_L_FRESH && old->args[0] == store->args[0] &&
            wadi_own_plain(f, old->args[1]) == wadi_own_plain(f, store->args[1]))
            return true;
    }
    return false;
}

static const char *check_store(const checker *c, const wadi_linst *i, const inside *in) {
    if (i->atomic && !is_update(c->f, i)) return "an atomic store is no update of its place";
    if (in->groups == NULL || i->atomic) return NULL;
    if (in->lanes == NULL)
        return reads_back(c->f, in->groups, i, false) ? "a group reads what one lane has stored"
                                                      : NULL;
    if (is_alone(in->by_lanes, c->f)) return NULL;
    if (!wadi_own_is_made_in(c->f, i->args[0], in->lanes) &&
        !wadi_own_is_made_in(c->f, i->args[1], in->lanes))
        return "lanes store in the same place";
    return NULL;
}

/* ---- structure ---- */

/* Whether an action may stand in no loop by lanes. */
static bool is_common(wadi_lkind kind) {
    return kind == WADI_L_SETSHAPE || kind == WADI_L_SETUNIT;
}

static const char *check_scope(const checker *c, const wadi_lscope *s, const inside *in);

static const char *check_loop(const checker *c, const wadi_linst *i, inside in) {
    if (i->by == WADI_BY_GROUPS && in.loops > 0) return "a loop by groups stands in a loop";
    if (i->by == WADI_BY_LANES && in.lanes != NULL) return "lanes have lanes";
    if (i->by == WADI_BY_LANES && in.groups == NULL) return "lanes of no group";
    in.loops++;
    if (i->by == WADI_BY_GROUPS) in.groups = i->block[0];
    if (i->by == WADI_BY_LANES) {
        in.lanes = i->block[0];
        in.by_lanes = i;
        in.repeats = 0;
    }
    return check_scope(c, i->block[0], &in);
}

static const char *check_put(const checker *c, const wadi_linst *i, const inside *in) {
    const char *wrong = check_change(c, i, in);
    if (wrong != NULL || i->kind != WADI_L_PUT) return wrong;
    if (in->lanes == NULL)
        return in->groups != NULL && c->shared[i->args[0]] ? "a group changes what its lanes have"
                                                           : NULL;
    if (wadi_own_is_made_in(c->f, i->args[0], in->lanes)) return NULL;
    return check_reads_of(c, in->lanes, i, in->by_lanes);
}

static const char *check(const checker *c, const wadi_linst *i, inside in) {
    if (i->kind == WADI_L_SET || i->kind == WADI_L_PUT) return check_put(c, i, &in);
    if (i->kind == WADI_L_STORE) return check_store(c, i, &in);
    if (in.lanes != NULL && is_common(i->kind)) return "a lane does what a group does";
    if (in.lanes != NULL && i->kind == WADI_L_LEAVE && in.repeats == 0)
        return "a lane leaves what the group repeats";
    if (i->kind == WADI_L_FOR) return check_loop(c, i, in);
    if (i->kind == WADI_L_REPEAT) {
        in.loops++;
        in.repeats++;
    }
    for (int k = 0; k < 2; k++) {
        const char *wrong = i->block[k] != NULL ? check_scope(c, i->block[k], &in) : NULL;
        if (wrong != NULL) return wrong;
    }
    return NULL;
}

static const char *check_scope(const checker *c, const wadi_lscope *s, const inside *in) {
    for (int k = 0; k < s->n; k++) {
        const char *wrong = check(c, s->inst[k], *in);
        if (wrong != NULL) return wrong;
    }
    return NULL;
}

/* Notes the arrays from outside that lanes change. */
static void find_shared(const wadi_lfun *f, const wadi_lscope *s, const wadi_lscope *lanes,
                        uint8_t *shared) {
    for (int k = 0; k < s->n; k++) {
        const wadi_linst *i = s->inst[k];
        const bool by_lanes = i->kind == WADI_L_FOR && i->by == WADI_BY_LANES;
        if (i->kind == WADI_L_PUT && lanes != NULL && !wadi_own_is_made_in(f, i->args[0], lanes))
            shared[i->args[0]] = 1;
        for (int b = 0; b < 2; b++)
            if (i->block[b] != NULL)
                find_shared(f, i->block[b], by_lanes ? i->block[0] : lanes, shared);
    }
}

/* [value] NULL: out of memory */
static const uint8_t *shared_of(const wadi_lfun *f, wadi_arena *a) {
    uint8_t *shared = WADI_NEW_N(a, uint8_t, f->n + 1);
    if (shared != NULL) find_shared(f, f->body, NULL, shared);
    return shared;
}

int64_t wadi_lfun_group_bytes(const wadi_lfun *f, wadi_arena *a) {
    const uint8_t *shared = shared_of(f, a);
    int64_t bytes = shared != NULL ? 0 : -1;
    for (uint32_t v = 0; shared != NULL && v < f->n; v++)
        if (shared[v]) bytes += (int64_t)f->inst[v]->index * wadi_type_size(f->inst[v]->type);
    return bytes;
}

const char *wadi_lfun_check_groups(const wadi_lfun *f, wadi_arena *a) {
    const inside nowhere = {.loops = 0};
    const uint8_t *shared = shared_of(f, a);
    if (shared == NULL) return "out of memory";
    const checker c = {f, shared};
    return check_scope(&c, f->body, &nowhere);
}
