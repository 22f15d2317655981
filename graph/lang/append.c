/* Appends nodes and functions: the one place where a program grows.
 *
 * Functions nest, so the open ones form a stack. Each node has a set of bits that says on which levels of this stack its
 * value depends. A parameter may be used only inside its function: if the innermost function that a node depends on is no
 * longer open, using the node is a mistake. Sharing recovery reads these bits and never searches for dependences.
 */
#include "graph/lang/grow.h"

#include <string.h>

enum { MAX_LEVELS = 64 };

const char *wadi_lang_name(const char *s) {
    wadi_program *p = wadi_program_current();
    const char *own = p ? wadi_intern_add(&p->strings, s) : NULL;
    if (!own) wadi_lang_no_memory();
    return own;
}

wadi_node_id *wadi_lang_ids(int n, const wadi_node_id *ids) {
    wadi_program *p = wadi_program_current();
    wadi_node_id *own = p ? WADI_NEW_N(p->arena, wadi_node_id, (size_t)n) : NULL;
    if (!own)
        wadi_lang_no_memory();
    else if (n > 0)
        memcpy(own, ids, (size_t)n * sizeof *own);
    return own;
}

const wadi_array_type *wadi_scalar_type_of(const wadi_elem *e) {
    wadi_program *p = wadi_program_current();
    if (!p || !e) return NULL;
    if (e->fields == 1 && !e->name[0] && p->scalar_type[e->type[0]])
        return p->scalar_type[e->type[0]];
    wadi_array_type *t = WADI_NEW(p->arena, wadi_array_type);
    if (!t) {
        wadi_lang_no_memory();
        return NULL;
    }
    t->elem = *e;
    if (e->fields == 1 && !e->name[0]) p->scalar_type[e->type[0]] = t;
    return t;
}

const wadi_array_type *wadi_scalar_type(wadi_type t) {
    const wadi_elem e = wadi_elem_scalar(t);
    return wadi_scalar_type_of(&e);
}

/* ---- dependence ---- */

static int highest(uint64_t bits) {
    int l = -1;
    for (; bits; bits >>= 1) l++;
    return l;
}

/* Whether every function that `n` depends on is still open. */
static bool in_scope(const wadi_program *p, uint64_t depends, uint32_t inner) {
    if (!depends) return true;
    const int level = highest(depends);
    return (size_t)level < p->open.n && p->open.at[level] == inner;
}

static bool add_dependence(const char *what, const wadi_program *p, wadi_node_id arg,
                           uint64_t *bits) {
    const wadi_node *a = &p->nodes.at[arg];
    if (!in_scope(p, a->depends, a->inner)) {
        wadi_lang_fail(WADI_INVALID,
                       "%s: an argument is made from a parameter of a function that has ended",
                       what);
        return false;
    }
    *bits |= a->depends;
    return true;
}

/* Array code may depend on regions alone: operators do not nest inside scalar functions. */
static bool check_nesting(const char *what, const wadi_program *p, uint64_t bits) {
    const uint64_t regions = p->open.n > 0 ? p->lambdas.at[wadi_vec_last(&p->open)].regions : 0;
    if (bits & ~regions) {
        wadi_lang_fail(WADI_INVALID,
                       "%s: array code depends on a parameter of the scalar function around it, "
                       "expected scalar code",
                       what);
        return false;
    }
    return true;
}

wadi_node_id wadi_node_append(const char *what, wadi_node n) {
    wadi_program *p = wadi_lang_program(what);
    if (!p || p->error.status != WADI_OK) return 0;
    uint64_t bits = n.depends;
    for (int i = 0; i < n.nargs; i++) {
        if (wadi_node_is_error(n.args[i]))
            return wadi_lang_fail(WADI_INVALID, "%s: argument %d is missing", what, i + 1);
        if (!add_dependence(what, p, n.args[i], &bits)) return 0;
    }
    for (int k = 0; k < n.nlambdas; k++) bits |= p->lambdas.at[n.lambdas[k]].depends;
    if (n.stratum != WADI_STRATUM_SCALAR && !check_nesting(what, p, bits)) return 0;
    n.depends = bits;
    n.inner = bits ? p->open.at[highest(bits)] : WADI_NONE;
    n.loc = (wadi_loc){NULL, 0, n.kind == WADI_NODE_OP ? p->call : NULL};
    if (p->nodes.n >= UINT32_MAX - 1 || !wadi_vec_push(&p->nodes, n)) return wadi_lang_no_memory();
    return (wadi_node_id)(p->nodes.n - 1);
}

/* ---- functions ---- */

uint32_t wadi_lambda_open(const char *what, wadi_lambda_kind kind, bool array) {
    wadi_program *p = wadi_lang_program(what);
    if (!p || p->error.status != WADI_OK) return WADI_NONE;
    if (p->open.n >= MAX_LEVELS) {
        wadi_lang_fail(WADI_UNSUPPORTED, "%s: functions are nested more than %d deep", what,
                       MAX_LEVELS);
        return WADI_NONE;
    }
    const uint32_t number = (uint32_t)p->lambdas.n;
    wadi_lambda l = {.kind = kind,
                     .what = what,
                     .array = array,
                     .level = (int)p->open.n,
                     .unplaced = p->unplaced};
    if (p->open.n > 0) l.regions = p->lambdas.at[wadi_vec_last(&p->open)].regions;
    if (array) l.regions |= UINT64_C(1) << l.level;
    if (!wadi_vec_push(&p->lambdas, l) || !wadi_vec_push(&p->open, number)) {
        wadi_lang_no_memory();
        return WADI_NONE;
    }
    p->unplaced = p->nodes.n;
    return number;
}

wadi_node_id wadi_lambda_param(uint32_t lambda, wadi_stratum stratum, int ntypes,
                               const wadi_array_type *type) {
    wadi_program *p = wadi_program_current();
    if (!p || p->error.status != WADI_OK || lambda == WADI_NONE || !type) return 0;
    const int level = p->lambdas.at[lambda].level;
    const wadi_node_id n = (wadi_node_id)p->nodes.n;
    wadi_node_id *params =
        WADI_NEW_N(p->arena, wadi_node_id, (size_t)p->lambdas.at[lambda].nparams + 1);
    wadi_node node = {.kind = WADI_NODE_PARAM,
                      .stratum = stratum,
                      .ntypes = ntypes,
                      .type = type,
                      .lambda = lambda,
                      .depends = UINT64_C(1) << level,
                      .inner = lambda};
    if (!params || !wadi_vec_push(&p->nodes, node)) return wadi_lang_no_memory();
    wadi_lambda *l = &p->lambdas.at[lambda];
    if (l->nparams > 0) memcpy(params, l->params, (size_t)l->nparams * sizeof *params);
    params[l->nparams++] = n;
    l->params = params;
    p->unplaced =
        p->nodes
            .n; /* a parameter gets the place of the operator's call, not of the first call inside the function */
    return n;
}

static void set_roots(const char *what, const wadi_program *p, wadi_lambda *l, int nroots,
                      const wadi_node_id *roots) {
    for (int i = 0; i < nroots; i++) {
        if (wadi_node_is_error(roots[i]))
            wadi_lang_fail(WADI_INVALID, "%s: the function gives nothing", what);
        else
            (void)add_dependence(what, p, roots[i], &l->depends);
    }
    l->nroots = nroots;
    l->roots = wadi_lang_ids(nroots, roots);
}

void wadi_lambda_close(const char *what, uint32_t lambda, int nroots, const wadi_node_id *roots) {
    wadi_program *p = wadi_program_current();
    if (!p || lambda == WADI_NONE) return;
    wadi_lambda *l = &p->lambdas.at[lambda];
    set_roots(what, p, l, nroots, roots);
    l->depends &= ~(UINT64_C(1) << l->level);
    p->unplaced = l->unplaced;
    if (p->open.n > 0) (void)wadi_vec_pop(&p->open);
}

uint32_t wadi_lambda_branch(const char *what, bool array, wadi_node_id root) {
    wadi_program *p = wadi_program_current();
    if (!p || p->error.status != WADI_OK) return WADI_NONE;
    wadi_lambda l = {.kind = WADI_LAMBDA_BRANCH, .array = array, .level = -1};
    set_roots(what, p, &l, 1, &root);
    if (!wadi_vec_push(&p->lambdas, l)) {
        wadi_lang_no_memory();
        return WADI_NONE;
    }
    return (uint32_t)(p->lambdas.n - 1);
}
