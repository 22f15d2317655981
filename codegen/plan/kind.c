/* How a value of a stream's body is stored over a chunk: the kind of its slot.
 *
 * The pass lift has marked the value as avoid, regular or irregular. It remains to decide whether its extents can be computed
 * before the body, because the storage of a regular value must be allocated before. Extents may depend on the result of a
 * branch or loop inside the stream, or on elements of an array that needs a loop of its own (a scan). They are known only after
 * that has run. */
#include "codegen/plan/planning.h"

static bool is_late(wadi_planning *p, wadi_val v);

static bool extent_is_late(wadi_planning *p, wadi_val v, int dim);

static bool atom_is_late(void *env, const wadi_ext_node *atom) {
    wadi_planning *p = env;
    if (atom->kind == WADI_EXT_SYMBOL || p->m->values[atom->val].type.is_seq) return false;
    return atom->kind == WADI_EXT_DIM ? extent_is_late(p, atom->val, atom->dim)
                                      : is_late(p, atom->val);
}

static bool is_structured(const wadi_value *v) {
    if (v->def != WADI_DEF_BIND) return false;
    const wadi_op *op = v->bind->op;
    /* an array made from a sequence within an element is also known only after it has run */
    return op->outcome || (op->kind == WADI_OP_SEQUENCE && !v->type.is_seq);
}

/* Whether the operator computes all its elements at once, so that none can be computed alone. */
static bool runs_whole(const wadi_op *op) {
    return op->kind == WADI_OP_CONSUMER && !op->at && !wadi_op_has(op, WADI_TRAIT_ALONE);
}

static bool extent_is_late(wadi_planning *p, wadi_val v, int dim) {
    if (p->y.alias_of[v] != WADI_NONE) return extent_is_late(p, p->y.alias_of[v], dim);
    if (p->known[v]) return false;
    const wadi_ext e = wadi_shapes_extent(p->y.shapes, v, 0, dim);
    const wadi_ext_node *n = e == WADI_EXT_NONE ? NULL : wadi_ext_get(p->y.shapes->extents, e);
    if (!n || (n->kind == WADI_EXT_DIM && n->val == v))
        return is_structured(&p->m->values[v]); /* no other array has this extent */
    return wadi_ext_any_atom(p->y.shapes->extents, e, atom_is_late, p);
}

static bool extents_are_late(wadi_planning *p, wadi_val v) {
    for (int d = 0; d < p->m->values[v].type.array[0].rank; d++)
        if (extent_is_late(p, v, d)) return true;
    return false;
}

static bool reads_late(wadi_planning *p, const wadi_sblock *b) {
    for (int i = 0; i < b->ninsts; i++) {
        if (b->insts[i]->array != WADI_NONE && is_late(p, b->insts[i]->array)) return true;
        for (int k = 0; k < 2; k++)
            if (b->insts[i]->block[k] && reads_late(p, b->insts[i]->block[k])) return true;
    }
    return false;
}

static bool finds_late(wadi_planning *p, wadi_val v) {
    const wadi_value *value = &p->m->values[v];
    if (p->y.alias_of[v] != WADI_NONE) return is_late(p, p->y.alias_of[v]);
    if (p->known[v] || value->def != WADI_DEF_BIND || value->type.is_seq) return false;
    const wadi_bind *b = value->bind;
    if (is_structured(value) || runs_whole(b->op)) return true;
    for (int a = 0; a < b->nargs; a++)
        if (is_late(p, b->args[a])) return true;
    for (int f = 0; f < b->nfuns; f++)
        if (reads_late(p, b->funs[f]->body)) return true;
    return extents_are_late(p, v);
}

static bool is_late(wadi_planning *p, wadi_val v) {
    enum { EARLY = 1, LATE = 2 };
    if (p->late[v] == 0) {
        p->late[v] = EARLY;
        if (finds_late(p, v)) p->late[v] = LATE;
    }
    return p->late[v] == LATE;
}

wadi_slot_kind wadi_planning_kind(wadi_planning *p, wadi_val v) {
    const wadi_value *value = &p->m->values[v];
    if (value->type.array[0].rank == 0) return WADI_SLOT_REGULAR;
    if (value->rep == WADI_REP_IRREGULAR || value->rep == WADI_REP_NONE) return WADI_SLOT_IRREGULAR;
    return extents_are_late(p, v) ? WADI_SLOT_IRREGULAR : WADI_SLOT_REGULAR;
}
