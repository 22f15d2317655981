/* The rules of loops by groups and by lanes (loop.h), checked over the whole kernel. What is stored through pointers is not looked at: that
 * rounds write apart is what whoever writes the kernel knows. */
#include "codegen/loop/loop.h"

typedef struct inside {
    int loops;                         /* around */
    const wadi_lscope *groups, *lanes; /* the block of the loop around, or NULL */
    wadi_lv lane;                      /* its variable */
} inside;

/* Whether `v` was made in `scope` or in a scope within. */
static bool is_made_in(const wadi_lfun *f, wadi_lv v, const wadi_lscope *scope) {
    const wadi_lscope *s = f->inst[v]->scope;
    while (s->merged != NULL) s = s->merged;
    while (s != NULL && s != scope) s = s->parent;
    return s == scope;
}

static const char *check_change(const wadi_lfun *f, const wadi_linst *i, const inside *in) {
    const wadi_lv what = i->args[0];
    if (in->groups != NULL && !is_made_in(f, what, in->groups))
        return "a round of a loop by groups changes what all groups have";
    if (in->lanes == NULL || is_made_in(f, what, in->lanes)) return NULL;
    if (i->kind == WADI_L_PUT && i->args[1] == in->lane) return NULL;
    return "a lane changes what the group has";
}

/* What can be done by a group, or outside of groups, alone. */
static bool is_common(wadi_lkind kind) {
    return kind == WADI_L_SETSHAPE || kind == WADI_L_SETUNIT;
}

static const char *check_scope(const wadi_lfun *f, const wadi_lscope *s, const inside *in);

static const char *check_loop(const wadi_lfun *f, const wadi_linst *i, inside in) {
    if (i->by == WADI_BY_GROUPS && in.loops > 0) return "a loop by groups stands in a loop";
    if (i->by == WADI_BY_LANES && in.lanes != NULL) return "lanes have lanes";
    if (i->by == WADI_BY_LANES && in.groups == NULL) return "lanes of no group";
    in.loops++;
    if (i->by == WADI_BY_GROUPS) in.groups = i->block[0];
    if (i->by == WADI_BY_LANES) {
        in.lanes = i->block[0];
        in.lane = i->var;
    }
    return check_scope(f, i->block[0], &in);
}

static const char *check(const wadi_lfun *f, const wadi_linst *i, const inside *in) {
    if (i->kind == WADI_L_SET || i->kind == WADI_L_PUT) return check_change(f, i, in);
    if (in->lanes != NULL && is_common(i->kind)) return "a lane does what a group does";
    if (i->kind == WADI_L_FOR) return check_loop(f, i, *in);
    for (int k = 0; k < 2; k++) {
        const char *wrong = i->block[k] != NULL ? check_scope(f, i->block[k], in) : NULL;
        if (wrong != NULL) return wrong;
    }
    return NULL;
}

static const char *check_scope(const wadi_lfun *f, const wadi_lscope *s, const inside *in) {
    for (int k = 0; k < s->n; k++) {
        const char *wrong = check(f, s->inst[k], in);
        if (wrong != NULL) return wrong;
    }
    return NULL;
}

const char *wadi_lfun_check_groups(const wadi_lfun *f) {
    const inside nowhere = {.lane = WADI_LV_NONE};
    return check_scope(f, f->body, &nowhere);
}
