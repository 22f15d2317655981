/* Names and inlining for C text.
 *
 * Needed are actions and the values that they need in turn. An assignment to a variable is needed only if the variable is read.
 * Inlined is a value that is used once, in its own scope, if nothing in between changes what it reads. Columns never change
 * while they are read, but variables and lane arrays do. */
#include "codegen/emit/c_like/names.h"

#include <string.h>

#include "base/error.h"
#include "codegen/emit/c_like/words.h"

enum { MAX_WEIGHT = 14 };

typedef struct naming {
    wadi_c_names *n;
    const wadi_lfun *f;
} naming;

static wadi_linst *inst(const naming *c, wadi_lv v) {
    return c->f->inst[v];
}

/* ---- what is needed ---- */

static bool is_action(wadi_lkind kind) {
    return kind >= WADI_L_STORE && kind != WADI_L_SEGMENT;
}

static void need(naming *c, wadi_lv v, wadi_lv user);

static void need_args(naming *c, const wadi_linst *i) {
    const int n = i->kind == WADI_L_LOOPVAR ? 0 : i->nargs;
    for (int a = 0; a < n; a++) need(c, i->args[a], i->self);
}

static bool is_put(const wadi_linst *i) {
    return i->kind == WADI_L_SET || i->kind == WADI_L_PUT;
}

/* Makes a list of the instructions that set each variable or lane array, in the order of their numbers. */
static void chain_puts(naming *c) {
    for (uint32_t v = 0; v < c->f->n; v++) c->n->at[v].put = WADI_LV_NONE;
    for (uint32_t v = c->f->n; v-- > 0;) {
        if (!is_put(inst(c, v))) continue;
        wadi_c_value *var = &c->n->at[inst(c, v)->args[0]];
        c->n->at[v].next_put = var->put;
        var->put = v;
    }
}

/* A variable or lane array is read, so the instructions that set it are needed. */
static void need_contents(naming *c, wadi_lv var) {
    for (wadi_lv v = c->n->at[var].put; v != WADI_LV_NONE; v = c->n->at[v].next_put) {
        const wadi_linst *i = inst(c, v);
        if (c->n->at[v].at < 0) continue; /* not in any scope */
        c->n->at[v].printed = true;
        for (int a = 1; a < i->nargs; a++) need(c, i->args[a], v);
    }
}

wadi_lv wadi_c_strip(const wadi_lfun *f, wadi_lv v) {
    while (v != WADI_LV_NONE && f->inst[v]->kind == WADI_L_RANGE) v = f->inst[v]->args[0];
    return v;
}

static void need(naming *c, wadi_lv v, wadi_lv user) {
    v = wadi_c_strip(c->f, v);
    if (v == WADI_LV_NONE) return;
    wadi_c_value *x = &c->n->at[v];
    x->user = user;
    if (x->uses++ > 0) return;
    const wadi_linst *i = inst(c, v);
    x->printed = i->kind != WADI_L_LOOPVAR && i->kind != WADI_L_CONST;
    need_args(c, i);
    if (i->kind == WADI_L_VAR || i->kind == WADI_L_LANES) need_contents(c, v);
}

static void place(naming *c, const wadi_lscope *s) {
    for (int p = 0; p < s->n; p++) {
        c->n->at[s->inst[p]->self].at = p;
        for (int k = 0; k < 2; k++)
            if (s->inst[p]->block[k]) place(c, s->inst[p]->block[k]);
    }
}

static void need_actions(naming *c, const wadi_lscope *s) {
    for (int p = 0; p < s->n; p++) {
        const wadi_linst *i = s->inst[p];
        if (is_action(i->kind)) {
            c->n->at[i->self].printed = true;
            need_args(c, i);
        }
        for (int k = 0; k < 2; k++)
            if (i->block[k]) need_actions(c, i->block[k]);
    }
}

/* ---- what is inlined ---- */

static bool may_inline(const wadi_linst *i) {
    switch (i->kind) {
    case WADI_L_PRIM:
    case WADI_L_SELECT:
    case WADI_L_LOAD:
    case WADI_L_SHAPE:
    case WADI_L_STRIDE:
    case WADI_L_OFFSET:
    case WADI_L_UNIT:
    case WADI_L_GET:
    case WADI_L_LANE:
        return true;
    default:
        return false;
    }
}

/* Whether no statement between the read at position `from` and position `to` changes what is read. */
static bool unchanged(const wadi_lscope *s, const wadi_linst *read, int from, int to) {
    for (int p = from + 1; p < to; p++) {
        const wadi_linst *i = s->inst[p];
        if (i->block[0]) return false;
        if (is_put(i) && i->args[0] == read->args[0]) return false;
    }
    return true;
}

static int weight_of(const naming *c, const wadi_linst *i) {
    int weight = 1;
    for (int a = 0; a < i->nargs; a++) {
        const wadi_lv x = wadi_c_strip(c->f, i->args[a]);
        if (x != WADI_LV_NONE && c->n->at[x].inlined) weight += c->n->at[x].weight;
    }
    return weight;
}

static bool mutable_read(const wadi_linst *i) {
    return i->kind == WADI_L_GET || i->kind == WADI_L_LANE;
}

/* The statement that a value would be written into: its user, or the statement that the user itself is written into. */
static int landing(const naming *c, wadi_lv user, const wadi_lscope *s) {
    const wadi_linst *u = inst(c, user);
    if (wadi_l_merged(u->scope) != s || u->kind == WADI_L_FOR || u->kind == WADI_L_LOOPVAR)
        return -1;
    return c->n->at[user].lands;
}

/* Whether the value is written into a side of a choice, perhaps as part of what is written there. C would then compute it only where that side is
 * chosen. Loop IR computes both sides, so a load may stand in front; in a loop that is a load of a vector instead of one with a mask, which GCC does not always
 * know how to make. Choices in a side of a choice have statements of their own, too: GCC 12 does not make one operation of the branches of a chain of them. */
static bool is_guarded(const naming *c, wadi_lv v, wadi_lv user) {
    const wadi_linst *u = inst(c, user);
    const bool is_side = u->kind == WADI_L_SELECT && wadi_c_strip(c->f, u->args[0]) != v;
    return is_side || (c->n->at[user].inlined && c->n->at[user].guarded);
}

/* Decides what is inlined. The walk goes backwards, so that users are decided first. A second walk, forwards, keeps expressions
 * short. */
static void decide(naming *c, const wadi_lscope *s) {
    for (int p = s->n - 1; p >= 0; p--) {
        const wadi_linst *i = s->inst[p];
        wadi_c_value *x = &c->n->at[i->self];
        x->lands = p;
        for (int k = 0; k < 2; k++)
            if (i->block[k]) decide(c, i->block[k]);
        if (!x->printed || x->uses != 1 || i->pointer || !may_inline(i)) continue;
        const int to = landing(c, x->user, s);
        if (to < 0 || (mutable_read(i) && !unchanged(s, i, p, to))) continue;
        x->guarded = is_guarded(c, i->self, x->user);
        if (x->guarded && (i->kind == WADI_L_LOAD || i->kind == WADI_L_SELECT)) continue;
        x->inlined = true;
        x->lands = to;
    }
}

static void keep_short(naming *c, const wadi_lscope *s) {
    for (int p = 0; p < s->n; p++) {
        const wadi_linst *i = s->inst[p];
        wadi_c_value *x = &c->n->at[i->self];
        x->weight = weight_of(c, i);
        if (x->inlined && x->weight > MAX_WEIGHT) x->inlined = false;
        if (x->inlined) x->printed = false;
        for (int k = 0; k < 2; k++)
            if (i->block[k]) keep_short(c, i->block[k]);
    }
}

/* ---- names ---- */

static uint64_t hash_name(const char *s) {
    uint64_t h = UINT64_C(1469598103934665603);
    for (; *s; s++) h = (h ^ (unsigned char)*s) * UINT64_C(1099511628211);
    return h;
}

/* A name for a value. A second value of the same name gets a number; a name that ends in a number itself cannot collide with
 * it. */
static const char *fresh_name(naming *c, const char *hint) {
    char *base = wadi_identifier(c->n->arena, hint);
    if (base && (wadi_c_is_word(base) || (c->n->is_taken != NULL && c->n->is_taken(base))))
        base = wadi_arena_printf(c->n->arena, "%s_", base);
    while (base) {
        uint64_t count = 0;
        const uint64_t key = hash_name(base);
        (void)wadi_map64_get(&c->n->used, key, &count);
        if (!wadi_map64_put(&c->n->used, key, count + 1)) return NULL;
        if (count == 0) return base;
        base = wadi_arena_printf(c->n->arena, "%s_%u", base, (unsigned)count + 1);
    }
    return NULL;
}

static const char *hint_of(const wadi_linst *i) {
    if (i->text && i->kind != WADI_L_NOTE) return i->text;
    switch (i->kind) {
    case WADI_L_SHAPE:
        return "n";
    case WADI_L_STRIDE:
        return "stride";
    case WADI_L_OFFSET:
        return "start";
    case WADI_L_UNIT:
        return "units";
    case WADI_L_COLUMN:
    case WADI_L_ADVANCE:
    case WADI_L_EMITTED:
        return "p";
    case WADI_L_SCRATCH:
        return "scratch";
    case WADI_L_MARK:
        return "mark";
    case WADI_L_LOAD:
    case WADI_L_FRESH:
        return "x";
    case WADI_L_LOOPVAR:
        return "i";
    case WADI_L_GET:
    case WADI_L_LANE:
        return "old";
    case WADI_L_VAR:
        return "var";
    default:
        return i->type == WADI_BOOL ? "c" : wadi_type_rounds(i->type) ? "x" : "k";
    }
}

static bool name_scope(naming *c, const wadi_lscope *s) {
    for (int p = 0; p < s->n; p++) {
        const wadi_linst *i = s->inst[p];
        wadi_c_value *x = &c->n->at[i->self];
        if (i->has_value && x->printed) {
            x->name = fresh_name(c, hint_of(i));
            if (!x->name) return false;
        }
        if (i->kind == WADI_L_FOR) {
            c->n->at[i->var].name = fresh_name(c, hint_of(inst(c, i->var)));
            if (!c->n->at[i->var].name) return false;
        }
        for (int k = 0; k < 2; k++)
            if (i->block[k] && !name_scope(c, i->block[k])) return false;
    }
    return true;
}

bool wadi_c_names_init(wadi_c_names *n, const wadi_lfun *f, bool (*is_taken)(const char *name)) {
    *n = (wadi_c_names){.arena = wadi_arena_create(), .is_taken = is_taken};
    wadi_map64_init(&n->used);
    n->at = n->arena ? WADI_NEW_N(n->arena, wadi_c_value, f->n) : NULL;
    if (!n->at) return false;
    naming c = {n, f};
    for (uint32_t v = 0; v < f->n; v++) n->at[v].at = -1;
    chain_puts(&c);
    place(&c, f->body);
    need_actions(&c, f->body);
    decide(&c, f->body);
    keep_short(&c, f->body);
    for (uint32_t v = 0; v < f->n; v++)
        if (f->inst[v]->kind == WADI_L_CONST || wadi_l_is_bound(f->inst[v])) {
            n->at[v].inlined = true;
            n->at[v].printed = false;
        }
    return name_scope(&c, f->body);
}

void wadi_c_names_fini(wadi_c_names *n) {
    wadi_map64_fini(&n->used);
    wadi_arena_destroy(n->arena);
}
