/* Index functions run on sets of dimensions instead of numbers: a scalar is the set of dimensions that it depends on. */
#include "codegen/all_pairs.h"

#include <stdint.h>

enum { ROW = 1, COLUMN = 2, PLACE = 4, BOTH = ROW | COLUMN, MANY = 1000 };

typedef struct looking {
    const wadi_module *m;
    wadi_sx seen; /* ROW and COLUMN: something depends on that one alone */
    int reads;    /* of elements, so far */
    bool joint;   /* something is read that depends on both, or it is too much to see */
} looking;

static looking *self_of(wadi_at *cx) {
    return cx->self;
}

/* Something is read, or computed by a function, that depends on the dimensions `of`. */
static void note(looking *s, wadi_sx of) {
    if ((of & BOTH) != BOTH) s->seen |= of & BOTH;
}

static wadi_sx all_of(int n, const wadi_sx *x) {
    wadi_sx all = 0;
    for (int i = 0; i < n; i++) all |= x[i];
    return all;
}

static wadi_sx constant(wadi_at *cx, wadi_scalar value) {
    (void)cx, (void)value;
    return 0;
}

static wadi_sx prim(wadi_at *cx, wadi_sop op, wadi_type result, int n, const wadi_sx *args) {
    (void)cx, (void)op, (void)result;
    return all_of(n, args);
}

static wadi_sx select(wadi_at *cx, wadi_type type, wadi_sx c, wadi_sx a, wadi_sx b) {
    (void)cx, (void)type;
    return c | a | b;
}

static wadi_sx extent(wadi_at *cx, wadi_val array, int dim) {
    (void)cx, (void)array, (void)dim;
    return 0;
}

static void from_memory(looking *s, wadi_sx at) {
    note(s, at);
    s->joint = s->joint || (at & BOTH) == BOTH;
}

static void read_element(wadi_at *cx, wadi_val v, const wadi_sx *ix, wadi_sx *out) {
    looking *s = self_of(cx);
    const wadi_value *value = &s->m->values[v];
    const wadi_array_type *t = &value->type.array[0];
    const bool computed = value->def == WADI_DEF_BIND && value->bind->op->at &&
                          value->bind->op->kind == WADI_OP_PRODUCER && !value->bind->op->scalar;
    const wadi_sx at = all_of(t->rank, ix);
    for (int f = 0; f < t->elem.fields; f++) out[f] = at;
    if (s->joint) return;
    if (s->reads++ > MANY)
        s->joint = true;
    else if (computed)
        value->bind->op->at(cx, value->bind, ix, out);
    else
        from_memory(s, at);
}

static void read_checked(wadi_at *cx, wadi_val v, const wadi_sx *ix, wadi_loc loc, wadi_sx *out) {
    (void)loc;
    read_element(cx, v, ix, out);
}

/* An instruction that reads an array, or has blocks, is taken for one that reads memory. */
static void instruction(looking *s, const wadi_sinst *i, wadi_sx *of) {
    wadi_sx all = 0;
    for (int a = 0; a < i->nargs; a++) all |= of[i->args[a]];
    for (int r = 0; r < i->nresults; r++) of[i->first + (wadi_sval)r] = all;
    if (i->op == WADI_SOP_INDEX || i->op == WADI_SOP_INDEX_LINEAR) from_memory(s, all);
    if (i->block[0]) s->joint = true;
}

static void apply(wadi_at *cx, const wadi_fun *f, const wadi_sx *args, wadi_sx *out) {
    looking *s = self_of(cx);
    const wadi_sblock *b = f->body;
    wadi_sx of[MANY];
    for (int y = 0; y < b->nyields; y++) out[y] = 0;
    if (f->nvals > MANY) s->joint = true;
    if (s->joint) return;
    for (int p = 0; p < b->nparams; p++) {
        note(s, args[p]);
        of[b->params[p]] = args[p];
    }
    for (int i = 0; i < b->ninsts && !s->joint; i++) instruction(s, b->insts[i], of);
    for (int y = 0; y < b->nyields && !s->joint; y++) out[y] = of[b->yields[y]];
}

/* A side that is not light becomes a branch. */
static void choose(wadi_at *cx, wadi_sx c, int n, const wadi_type *types, bool light,
                   wadi_at_side side, void *env, wadi_sx *out) {
    wadi_sx other[WADI_MAX_FIELDS];
    (void)types;
    side(cx, env, true, out);
    side(cx, env, false, other);
    for (int f = 0; f < n; f++) out[f] |= other[f] | c;
    if (!light) self_of(cx)->joint = true;
}

enum { MAX_FIELDS = 3 };

bool wadi_all_pairs_take(const wadi_elem *e) {
    if (e->fields > MAX_FIELDS) return false;
    for (int f = 0; f < e->fields; f++)
        if (wadi_type_is_complex(e->type[f])) return false;
    return true;
}

bool wadi_folds_all_pairs(const wadi_module *m, const wadi_bind *fold) {
    static const wadi_at_ops ops = {constant,     prim,  select, read_element,
                                    read_checked, apply, extent, choose};
    const wadi_val array = fold->args[fold->nargs - 1];
    const int rank = m->values[array].type.array[0].rank;
    looking s = {.m = m};
    /* index functions read the module and never change it */
    wadi_at cx = {&ops, (wadi_module *)(uintptr_t)m, &s};
    wadi_sx ix[WADI_MAX_RANK] = {0}, out[WADI_MAX_FIELDS];
    if (rank < 3 || !wadi_all_pairs_take(&m->values[fold->results[0]].type.array[0].elem))
        return false;
    ix[rank - 3] = ROW;
    ix[rank - 2] = COLUMN;
    ix[rank - 1] = PLACE;
    read_element(&cx, array, ix, out);
    return !s.joint && s.seen == BOTH;
}
