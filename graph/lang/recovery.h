/* The state of sharing recovery, between placement (recover.c) and emission (emit.c). Internal to graph/lang. */
#ifndef WADI_GRAPH_LANG_RECOVERY_H
#define WADI_GRAPH_LANG_RECOVERY_H

#include "graph/lang/scopes.h"

/** A node bound in one scope. */
typedef struct wadi_node_place {
    wadi_scope_id scope;
    bool reads_unit; /* the scope reads the node's `unit` instead of computing the node */
    wadi_scope_id
        first_scope; /* the scope of the node's first lambda here; those of the others follow */
    uint32_t *vals;  /* set by emission: scalars or arrays, one per field or array */
    struct wadi_node_place *next;
} wadi_node_place;

typedef struct wadi_recovered {
    bool faults;           /* scalars: computing it may fault, or never end */
    wadi_node_place *uses; /* during placement: the scopes that use it, merged as recover.c says */
    wadi_node_place *places; /* where it is bound */
    wadi_node_place
        *unit; /* scalars: where it is bound as an array of rank 0, in array code; else NULL */
    wadi_scope_id unit_scope; /* the scope of that binding's function */
} wadi_recovered;

typedef WADI_VEC(wadi_node_id) wadi_node_list;

typedef struct wadi_recovery {
    const wadi_program *program;
    const wadi_op *unit_op;
    wadi_module *module;
    wadi_arena *scratch;
    wadi_scopes scopes;
    wadi_recovered *nodes; /* [program->nodes.n] */
    wadi_node_list order;  /* the nodes that the program needs, each after its arguments */
    wadi_map64 names;      /* the program's strings to the module's */
    wadi_error *err;
} wadi_recovery;

static inline const wadi_node *wadi_recovery_node(const wadi_recovery *r, wadi_node_id n) {
    return &r->program->nodes.at[n];
}

/** Whether a scalar that an operator takes as a rank-0 array is one already: a literal (*out_array = 0), or the element of a
 *  rank-0 array (*out_array). */
static inline bool wadi_rank0_is_array(const wadi_recovery *r, wadi_node_id scalar,
                                       wadi_node_id *out_array) {
    const wadi_node *s = wadi_recovery_node(r, scalar);
    *out_array = 0;
    if (s->kind != WADI_NODE_SCALAR) return false;
    if (s->sop == WADI_SOP_THE) *out_array = s->args[0];
    return s->sop == WADI_SOP_THE || s->sop == WADI_SOP_CONST;
}

/** Whether the node is an array that a run binds by name. It stays in the program even if nothing reads it, because whoever
 *  declares an input may bind it. */
static inline bool wadi_is_input(const wadi_node *n) {
    return n->kind == WADI_NODE_OP && n->stratum == WADI_STRATUM_ARRAY && n->nargs == 0 &&
           n->nlambdas == 0 && n->name;
}

/** The inputs, and the nodes that outputs and effects need, each after those it needs; false when out of memory. (order.c) */
bool wadi_recovery_order(const wadi_program *p, wadi_arena *scratch, wadi_node_list *out);

/** Makes the module's bindings. (emit.c) */
WADI_NODISCARD wadi_status wadi_recovery_emit(wadi_recovery *r);

#endif
