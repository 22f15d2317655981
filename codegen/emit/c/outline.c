/* Decides which loop nests become functions, and which values these get as arguments.
 *
 * A stage body has dozens of nests in a row. In one function of that size a C compiler stops analysing the addresses of later
 * loops and does not vectorise them. As a function of a few lines with `restrict` arguments, each nest is compiled separately,
 * and the whole runs several times faster.
 *
 * In a kernel of many nests, those that fold and scan become functions too. They give what they compute through variables, which are
 * passed by their addresses.
 *
 * A loop over rows that are long or short is written twice: for short rows alone, and whole, as a function for the strip from the first long row
 * on. In one loop, what long rows need takes the registers of the short ones. */
#include "codegen/emit/c/outline.h"

#include <string.h>

enum { MANY_NESTS = 64 }; /* of a kernel: a body of a dozen operators has fewer */

typedef struct search {
    const wadi_lfun *f;
    const wadi_c_names *names;
    bool *inside; /* [value] defined in the nest */
    wadi_c_nest *nest;
    bool many, alone;
} search;

static void mark(search *x, const wadi_linst *i) {
    x->inside[i->self] = true;
    if (i->kind == WADI_L_FOR) x->inside[i->var] = true;
    for (int k = 0; k < 2; k++)
        for (int p = 0; i->block[k] && p < i->block[k]->n; p++) mark(x, i->block[k]->inst[p]);
}

static bool has(const wadi_c_values *values, wadi_lv v) {
    for (size_t k = 0; k < values->n; k++)
        if (values->at[k] == v) return true;
    return false;
}

static void reads(search *x, wadi_lv v) {
    v = wadi_c_strip(x->f, v);
    if (v == WADI_LV_NONE || x->inside[v]) return;
    const wadi_linst *i = x->f->inst[v];
    if (i->kind == WADI_L_CONST) return;
    if (x->names->at[v].inlined && !wadi_l_is_bound(i)) { /* it is written into the nest */
        for (int a = 0; a < i->nargs; a++) reads(x, i->args[a]);
        return;
    }
    if (i->kind == WADI_L_LANES && !x->many) x->alone = false;
    if (has(&x->nest->params, v)) return;
    if (!wadi_vec_push(&x->nest->params, v)) x->alone = false;
}

/* It assigns to a variable or to a lane array. */
static void assigns(search *x, wadi_lv to) {
    const wadi_linst *i = x->f->inst[to];
    if (x->inside[to]) return;
    if (!x->many || i->pointer) x->alone = false;
    if (i->kind != WADI_L_VAR || has(&x->nest->changed, to)) return;
    if (!wadi_vec_push(&x->nest->changed, to)) x->alone = false;
    if (!x->nest->array) x->nest->array = x->names->at[to].name;
}

/* Looks at what statement `i` needs. A nest that leaves a loop outside cannot be a function, nor one that emits results or calls a
 * library. In few nests, neither can one that assigns to a variable outside. */
static void visit(search *x, const wadi_linst *i, bool repeated) {
    const wadi_c_value *v = &x->names->at[i->self];
    if (!v->printed && !v->inlined) return;
    if (i->kind == WADI_L_SET || i->kind == WADI_L_PUT) assigns(x, i->args[0]);
    if (i->kind == WADI_L_EMIT || i->kind == WADI_L_EMITTED || i->kind == WADI_L_FOREIGN ||
        (i->kind == WADI_L_LEAVE && !repeated))
        x->alone = false;
    if (i->kind == WADI_L_STORE && !x->nest->array) {
        const wadi_lv array = wadi_c_strip(x->f, i->args[0]);
        if (!x->inside[array]) x->nest->array = x->names->at[array].name;
    }
    for (int a = 0; a < i->nargs; a++) reads(x, i->args[a]);
    for (int k = 0; k < 2; k++)
        for (int p = 0; i->block[k] && p < i->block[k]->n; p++)
            visit(x, i->block[k]->inst[p], repeated || i->kind == WADI_L_REPEAT);
}

/* Whether `i` is the loop over the elements of a chunk: the only one that begins at an argument of the kernel. */
static bool over_elements(const wadi_lfun *f, const wadi_linst *i) {
    return i && i->kind == WADI_L_FOR && f->inst[i->args[0]]->kind == WADI_L_ARG;
}

/* Whether the code of the scope runs for each element: it is in the loop over elements, or in branches and loops without a
 * counter inside that loop. */
static bool for_each_element(const wadi_lfun *f, const wadi_lscope *s) {
    const wadi_linst *owner = wadi_l_merged(s)->owner;
    while (owner && (owner->kind == WADI_L_IF || owner->kind == WADI_L_REPEAT)) {
        const wadi_lscope *around = wadi_l_merged(owner->scope);
        owner = around ? around->owner : NULL;
    }
    return over_elements(f, owner);
}

/* The loops in it, without those inside other loops. */
static int outer_loops(const wadi_linst *i) {
    if (i->kind == WADI_L_FOR || i->kind == WADI_L_REPEAT) return 1;
    int n = 0;
    for (int k = 0; k < 2; k++)
        for (int p = 0; i->block[k] && p < i->block[k]->n; p++)
            n += outer_loops(i->block[k]->inst[p]);
    return n;
}

static int nests_in(const wadi_lfun *f, const wadi_lscope *s) {
    int n = 0;
    for (int p = 0; p < s->n; p++) {
        const wadi_linst *i = s->inst[p];
        const bool around = i->kind == WADI_L_IF || i->kind == WADI_L_REPEAT || over_elements(f, i);
        n += i->kind == WADI_L_FOR && for_each_element(f, s);
        for (int k = 0; k < 2 && around; k++)
            if (i->block[k]) n += nests_in(f, i->block[k]);
    }
    return n;
}

bool wadi_c_has_many_nests(const wadi_lfun *f) {
    return nests_in(f, f->body) >= MANY_NESTS;
}

bool wadi_c_is_apart(const wadi_linst *i) {
    return i->kind == WADI_L_COLUMN || i->kind == WADI_L_ADVANCE || i->kind == WADI_L_EMITTED ||
           i->kind == WADI_L_SCRATCH || i->kind == WADI_L_LANES || i->apart;
}

void wadi_c_nest_fini(wadi_c_nest *nest) {
    wadi_vec_free(&nest->params);
    wadi_vec_free(&nest->changed);
}

/* The note in front of statement `p`; of many nests, which stand for themselves, the one that it belongs to. */
static const char *note_before(const wadi_lscope *s, int p, bool many) {
    while (p-- > 0) {
        if (s->inst[p]->kind == WADI_L_NOTE) return s->inst[p]->text;
        if (!many) return NULL;
    }
    return NULL;
}

bool wadi_c_outline(const wadi_lfun *f, const wadi_c_names *names, const wadi_lscope *s, int p,
                    bool many, wadi_c_nest *out) {
    const wadi_linst *head = s->inst[p];
    const bool branch = many && head->kind == WADI_L_IF && outer_loops(head) == 1;
    if ((head->kind != WADI_L_FOR && !branch) || !for_each_element(f, s)) return false;
    memset(out, 0, sizeof *out);
    search x = {f, names, WADI_NEW_N(names->arena, bool, f->n), out, many, true};
    if (!x.inside) return false;
    out->head = head;
    out->about = note_before(s, p, many);
    mark(&x, head);
    visit(&x, head, false);
    if (x.alone && out->array) return true;
    wadi_c_nest_fini(out);
    return false;
}

/* ---- loops with bulky branches ---- */

static bool holds_bulky(const wadi_lscope *s) {
    for (int p = 0; s && p < s->n; p++) {
        const wadi_linst *i = s->inst[p];
        if (i->kind != WADI_L_IF) continue;
        if (i->bulky || holds_bulky(i->block[0]) || holds_bulky(i->block[1])) return true;
    }
    return false;
}

bool wadi_c_guards_bulky(const wadi_linst *i) {
    return i->careful && i->block[1] && holds_bulky(i->block[0]);
}

/* Whether a round that has begun may begin once more. */
static bool begins_again(const wadi_lscope *s) {
    for (int p = 0; s && p < s->n; p++) {
        const wadi_linst *i = s->inst[p];
        switch (i->kind) {
        case WADI_L_FRESH:
        case WADI_L_SCRATCH:
        case WADI_L_MARK:
        case WADI_L_REWIND:
        case WADI_L_EMIT:
        case WADI_L_FOREIGN:
        case WADI_L_COPY:
            return false;
        default:
            break;
        }
        if (i->atomic || !begins_again(i->block[0]) || !begins_again(i->block[1])) return false;
    }
    return true;
}

/* What a loop loads, and what a round has stored so far. */
typedef struct memory {
    const wadi_lfun *f;
    wadi_c_values loads, stores; /* pointers */
    bool failed;
} memory;

/* A pointer that is no column may lead anywhere. */
static bool may_meet(const memory *m, wadi_lv p, wadi_lv q) {
    const wadi_linst *a = wadi_l_root(m->f, p), *b = wadi_l_root(m->f, q);
    return a->kind != WADI_L_COLUMN || b->kind != WADI_L_COLUMN || a->slot == b->slot;
}

static bool stores_loaded(const memory *m) {
    for (size_t i = 0; i < m->stores.n; i++)
        for (size_t k = 0; k < m->loads.n; k++)
            if (may_meet(m, m->stores.at[i], m->loads.at[k])) return true;
    return false;
}

static void note_loads(memory *m, const wadi_lscope *s) {
    for (int p = 0; s && p < s->n; p++) {
        const wadi_linst *i = s->inst[p];
        if (i->kind == WADI_L_LOAD && !wadi_vec_push(&m->loads, i->args[0])) m->failed = true;
        note_loads(m, i->block[0]);
        note_loads(m, i->block[1]);
    }
}

/* Whether a round may have stored, where it is left, what it would load when it begins once more: an array that changes in place. */
static bool spoils(memory *m, const wadi_lscope *s) {
    for (int p = 0; s && p < s->n; p++) {
        const wadi_linst *i = s->inst[p];
        if (i->kind == WADI_L_STORE && !wadi_vec_push(&m->stores, i->args[0])) m->failed = true;
        if (i->kind == WADI_L_IF && (i->bulky || wadi_c_guards_bulky(i)) && stores_loaded(m))
            return true;
        if (spoils(m, i->block[0]) || spoils(m, i->block[1])) return true;
    }
    return false;
}

static bool spoils_itself(const wadi_lfun *f, const wadi_linst *loop) {
    memory m = {.f = f};
    note_loads(&m, loop->block[0]);
    const bool found = spoils(&m, loop->block[0]);
    wadi_vec_free(&m.loads);
    wadi_vec_free(&m.stores);
    return found || m.failed;
}

bool wadi_c_has_rest(const wadi_lfun *f, const wadi_c_names *names, const wadi_linst *loop,
                     wadi_c_nest *out) {
    if (!holds_bulky(loop->block[0]) || !begins_again(loop->block[0])) return false;
    if (spoils_itself(f, loop)) return false;
    *out = (wadi_c_nest){.head = loop, .strip = true};
    search x = {f, names, WADI_NEW_N(names->arena, bool, f->n), out, false, true};
    if (!x.inside) return false;
    mark(&x, loop);
    for (int p = 0; p < loop->block[0]->n; p++) visit(&x, loop->block[0]->inst[p], false);
    if (!out->array) out->array = "rest";
    if (x.alone) return true;
    wadi_c_nest_fini(out);
    return false;
}
