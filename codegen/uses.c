/* A kernel uses a slot if it has the address of one of its columns. It reads or writes it if a load or a store can be traced back to that address;
 * if neither can, it may do both. */
#include "codegen/uses.h"

#include <string.h>

#include "base/vec.h"

/* Loads from a slot in one loop. */
typedef struct loading {
    int slot, n;
    const wadi_lscope *loop;
} loading;

typedef WADI_VEC(const wadi_lscope *) loops;

typedef struct noting {
    const wadi_lfun *f;
    WADI_VEC(wadi_plan_use) uses;
    loops storing,  /* of f: those that store into slots, and the loops around them */
        scattering; /* of these: where data decide what is stored */
    WADI_VEC(loading) loads;
    WADI_VEC(bool)
    read; /* [value of f] whether something needs it: loops that only check indices also name the loads at them */
    WADI_VEC(bool) loaded; /* [value of f] what data decide */
    bool failed;
} noting;

/* They stay in the order of their slots. */
static void add(noting *n, int slot, bool reads, bool writes) {
    if (slot < 0) return;
    for (size_t i = 0; i < n->uses.n; i++) {
        wadi_plan_use *u = &n->uses.at[i];
        if (u->slot != slot) continue;
        u->reads = u->reads || reads;
        u->writes = u->writes || writes;
        return;
    }
    const wadi_plan_use use = {.slot = slot, .reads = reads, .writes = writes};
    if (!wadi_vec_push(&n->uses, use)) {
        n->failed = true;
        return;
    }
    for (size_t i = n->uses.n - 1; i > 0 && n->uses.at[i - 1].slot > slot; i--) {
        n->uses.at[i] = n->uses.at[i - 1];
        n->uses.at[i - 1] = use;
    }
}

static void add_all(noting *n, int count, const int *slots, bool writes) {
    for (int i = 0; slots != NULL && i < count; i++) add(n, slots[i], !writes, writes);
}

/* ---- kernels ---- */

/* The slot that the pointer points into; -1: it is none, or cannot be seen. */
static int slot_of(const noting *n, wadi_lv pointer) {
    const wadi_linst *i = wadi_l_root(n->f, pointer);
    return i->kind == WADI_L_COLUMN ? i->slot : -1;
}

/* The arrays of a routine: each is a pointer and as many extents as a problem has dimensions. */
static void add_routine(noting *n, const wadi_linst *i) {
    const int each = 1 + (int)i->imm.bits;
    for (int k = 0; 1 + k * each < i->nargs; k++)
        add(n, slot_of(n, i->args[1 + k * each]), k < i->index, k >= i->index);
}

static void look_at(noting *n, const wadi_linst *i) {
    switch (i->kind) {
    case WADI_L_LOAD:
    case WADI_L_FRESH:
        add(n, slot_of(n, i->args[0]), true, false);
        break;
    case WADI_L_STORE:
        add(n, slot_of(n, i->args[0]), i->atomic, true);
        break;
    case WADI_L_COPY:
        add(n, slot_of(n, i->args[0]), false, true);
        add(n, slot_of(n, i->args[1]), true, false);
        break;
    case WADI_L_EMIT:
        add(n, i->slot, false, true);
        break;
    case WADI_L_FOREIGN:
        add_routine(n, i);
        break;
    default:
        break;
    }
}

static void look_into(noting *n, const wadi_lmodule *kernels, const char *name) {
    n->f = NULL;
    for (int i = 0; name != NULL && i < kernels->nfuns; i++)
        if (strcmp(kernels->funs[i]->name, name) == 0) n->f = kernels->funs[i];
    for (uint32_t v = 0; n->f != NULL && v < n->f->n; v++) look_at(n, n->f->inst[v]);
    for (uint32_t v = 0; n->f != NULL && v < n->f->n; v++) {
        const wadi_linst *i = n->f->inst[v];
        if (i->kind == WADI_L_COLUMN) add(n, i->slot, false, false);
    }
}

/* ---- how much is read ---- */

/* The innermost loop around the instruction, or the function. */
static const wadi_lscope *loop_of(const wadi_linst *i) {
    const wadi_lscope *s = i->scope;
    while (s->merged || (s->kind == WADI_SCOPE_BRANCH && s->parent))
        s = s->merged ? s->merged : s->parent;
    return s;
}

static bool is_among(const loops *of, const wadi_lscope *loop) {
    for (size_t k = 0; k < of->n; k++)
        if (of->at[k] == loop) return true;
    return false;
}

static void note_loops(noting *n, const wadi_linst *i, loops *to) {
    for (const wadi_lscope *s = loop_of(i); s && !is_among(to, s); s = s->parent)
        if (!wadi_vec_push(to, s)) n->failed = true;
}

static void note_storing(noting *n, const wadi_linst *i) {
    if (i->kind == WADI_L_STORE ? slot_of(n, i->args[0]) < 0 : i->kind != WADI_L_EMIT) return;
    note_loops(n, i, &n->storing);
}

static wadi_plan_use *use_of(const noting *n, int slot) {
    for (size_t i = 0; i < n->uses.n; i++)
        if (n->uses.at[i].slot == slot) return &n->uses.at[i];
    return NULL;
}

static void note_load(noting *n, int slot, const wadi_lscope *loop) {
    for (size_t k = 0; k < n->loads.n; k++)
        if (n->loads.at[k].slot == slot && n->loads.at[k].loop == loop) {
            n->loads.at[k].n++;
            return;
        }
    if (!wadi_vec_push(&n->loads, (loading){slot, 1, loop})) n->failed = true;
}

static void find_read(noting *n) {
    n->read.n = 0;
    for (uint32_t v = 0; v < n->f->n; v++)
        if (!wadi_vec_push(&n->read, false)) n->failed = true;
    for (uint32_t v = n->f->n; v-- > 0 && !n->failed;) {
        const wadi_linst *i = n->f->inst[v];
        const bool acts =
            i->kind != WADI_L_LOAD && i->kind != WADI_L_PRIM && i->kind != WADI_L_SELECT;
        for (int k = 0; (acts || n->read.at[v]) && k < i->nargs; k++)
            if (i->args[k] < n->f->n) n->read.at[i->args[k]] = true;
    }
}

/* Values that data decide, or that change in a variable. */
static void find_loaded(noting *n) {
    n->loaded.n = 0;
    for (uint32_t v = 0; v < n->f->n; v++) {
        const wadi_linst *i = n->f->inst[v];
        const bool derives =
            i->kind == WADI_L_PRIM || i->kind == WADI_L_SELECT || i->kind == WADI_L_RANGE;
        bool loaded = i->kind == WADI_L_LOAD || i->kind == WADI_L_FRESH || i->kind == WADI_L_GET ||
                      i->kind == WADI_L_LANE;
        for (int k = 0; derives && k < i->nargs; k++)
            loaded = loaded || (i->args[k] < v && n->loaded.at[i->args[k]]);
        if (!wadi_vec_push(&n->loaded, loaded)) n->failed = true;
        if (n->failed) return;
    }
}

static bool has_store(const wadi_lscope *s) {
    for (int p = 0; s && p < s->n; p++)
        if (s->inst[p]->kind == WADI_L_STORE || has_store(s->inst[p]->block[0]) ||
            has_store(s->inst[p]->block[1]))
            return true;
    return false;
}

/* Whether a round may pass the store by. */
static bool is_conditional(const wadi_linst *i) {
    for (const wadi_lscope *s = i->scope; s->merged || (s->kind == WADI_SCOPE_BRANCH && s->parent);
         s = s->merged ? s->merged : s->parent)
        if (!s->merged && s->owner &&
            !(has_store(s->owner->block[0]) && has_store(s->owner->block[1])))
            return true;
    return false;
}

/* A loop may store more or fewer values than the array has that it writes where data decide whether and where it stores. */
static void note_scattering(noting *n, const wadi_linst *i) {
    const bool by_data =
        i->kind == WADI_L_EMIT || (i->kind == WADI_L_STORE && slot_of(n, i->args[0]) >= 0 &&
                                   (n->loaded.at[i->args[1]] || is_conditional(i)));
    if (by_data) note_loops(n, i, &n->scattering);
}

static void note_whole(wadi_plan_use *u, bool by_data) {
    u->by_data = by_data && (u->by_data || !u->whole);
    u->whole = true;
}

/* A load in a loop that also stores, or in one around such a loop, is made once for each value that is stored, at most, and the array that is written has
 * as many, unless the loop scatters. */
static void note_reads(noting *n) {
    enum { MANY = 1 << 14 }; /* then it is not worth the time */
    n->storing.n = n->scattering.n = n->loads.n = 0;
    find_read(n);
    find_loaded(n);
    if (n->failed) return;
    for (uint32_t v = 0; v < n->f->n && n->f->n <= MANY; v++) {
        note_storing(n, n->f->inst[v]);
        note_scattering(n, n->f->inst[v]);
    }
    for (uint32_t v = 0; v < n->f->n; v++) {
        const wadi_linst *i = n->f->inst[v];
        const bool loads = i->kind == WADI_L_LOAD || i->kind == WADI_L_FRESH;
        const bool copies = i->kind == WADI_L_COPY || (i->kind == WADI_L_STORE && i->atomic);
        const int slot = loads || copies ? slot_of(n, i->args[i->kind == WADI_L_COPY ? 1 : 0]) : -1;
        wadi_plan_use *u = slot >= 0 ? use_of(n, slot) : NULL;
        if (!u || (loads && !n->read.at[v])) continue;
        if (copies || !is_among(&n->storing, loop_of(i)) || is_among(&n->scattering, loop_of(i)))
            note_whole(u, i->kind == WADI_L_LOAD && n->loaded.at[i->args[1]]);
        else
            note_load(n, slot, loop_of(i));
    }
    for (size_t k = 0; k < n->loads.n; k++) {
        wadi_plan_use *u = use_of(n, n->loads.at[k].slot);
        if (u->each < n->loads.at[k].n) u->each = n->loads.at[k].n;
    }
}

/* ---- steps ---- */

static void add_control(noting *n, const wadi_plan_control *c) {
    add(n, c->predicate, true, false);
    add_all(n, c->nvalues, c->init, false);
    for (int i = 0; i < 2; i++) add_all(n, c->nvalues, c->part[i].yields, false);
    add_all(n, c->nvalues, c->state, true);
    add_all(n, c->nvalues, c->results, true);
}

static int reads_of(const wadi_plan_step *s) {
    if (s->reads == NULL) return 0;
    return s->call != NULL ? s->call->nin : s->nslots;
}

static void note_step(noting *n, const wadi_lmodule *kernels, const wadi_plan_step *s) {
    const bool makes =
        s->kind == WADI_STEP_FOREIGN || s->kind == WADI_STEP_MANY || s->kind == WADI_STEP_SINGLE;
    n->uses.n = 0;
    look_into(n, kernels, s->units);
    look_into(n, kernels, s->kernel);
    if (n->f != NULL) note_reads(n);
    add_all(n, reads_of(s), s->reads, false);
    if (makes) add_all(n, s->nslots, s->slots, true);
    if (s->control != NULL) add_control(n, s->control);
    for (size_t i = 0; i < n->uses.n; i++) {
        wadi_plan_use *u = &n->uses.at[i];
        if (!u->reads && !u->writes) u->reads = u->writes = u->whole = true;
        u->whole = u->whole || u->each == 0;
    }
}

bool wadi_uses_note(const wadi_lmodule *kernels, wadi_plan_version *v, wadi_arena *keep) {
    noting n = {.f = NULL};
    wadi_plan_step *steps = WADI_NEW_N(keep, wadi_plan_step, (size_t)v->nsteps + 1);
    for (int i = 0; steps != NULL && !n.failed && i < v->nsteps; i++) {
        steps[i] = v->steps[i];
        note_step(&n, kernels, &v->steps[i]);
        wadi_plan_use *uses = WADI_NEW_N(keep, wadi_plan_use, n.uses.n + 1);
        if (uses == NULL) {
            n.failed = true;
            break;
        }
        if (n.uses.n > 0) memcpy(uses, n.uses.at, n.uses.n * sizeof *uses);
        steps[i].nuses = (int)n.uses.n;
        steps[i].uses = uses;
    }
    wadi_vec_free(&n.uses);
    wadi_vec_free(&n.storing);
    wadi_vec_free(&n.scattering);
    wadi_vec_free(&n.loads);
    wadi_vec_free(&n.read);
    wadi_vec_free(&n.loaded);
    if (steps == NULL || n.failed) return false;
    v->steps = steps;
    return true;
}
