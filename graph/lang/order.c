/* The order in which recovery looks at nodes: every node after its arguments and after all that its functions contain.
 *
 * The order of node numbers would be such an order, but it depends on the order in which the C compiler evaluates arguments,
 * which C leaves open. A walk from the outputs gives the same program with every compiler: sources first, then each node as
 * it is needed. */
#include "graph/lang/recovery.h"

typedef struct visit {
    wadi_node_id node;
    int next; /* the child to go to next */
} visit;

typedef struct walk {
    const wadi_program *program;
    WADI_VEC(visit) stack;
    wadi_node_list *order;
    bool *seen;
} walk;

/* Child `k` of a node. Its children are its arguments, then for each function the parameters and the roots; 0 after the last. */
static wadi_node_id child(const wadi_program *p, const wadi_node *n, int k) {
    if (k < n->nargs) return n->args[k];
    k -= n->nargs;
    for (int i = 0; i < n->nlambdas; i++) {
        const wadi_lambda *l = &p->lambdas.at[n->lambdas[i]];
        if (k < l->nparams) return l->params[k];
        k -= l->nparams;
        if (k < l->nroots) return l->roots[k];
        k -= l->nroots;
    }
    return 0;
}

static bool is_source(const wadi_node *n) {
    return n->kind == WADI_NODE_OP && n->nargs == 0 && n->nlambdas == 0;
}

static bool enter(walk *w, wadi_node_id n) {
    if (w->seen[n]) return true;
    w->seen[n] = true;
    return wadi_vec_push(&w->stack, (visit){n, 0});
}

/* Adds the nodes below `root` that were not seen yet, except sources, which the caller adds. */
static bool walk_from(walk *w, wadi_node_id root) {
    if (!enter(w, root)) return false;
    while (w->stack.n > 0) {
        visit *top = &wadi_vec_last(&w->stack);
        const wadi_node *n = &w->program->nodes.at[top->node];
        const wadi_node_id next = child(w->program, n, top->next++);
        if (next) {
            if (!enter(w, next)) return false;
            continue;
        }
        if (!is_source(n) && !wadi_vec_push(w->order, top->node)) return false;
        (void)wadi_vec_pop(&w->stack);
    }
    return true;
}

static bool walk_program(walk *w) {
    const wadi_program *p = w->program;
    for (size_t i = 0; i < p->outputs.n; i++)
        if (!walk_from(w, p->outputs.at[i].node)) return false;
    for (size_t i = 0; i < p->effects.n; i++)
        if (!walk_from(w, p->effects.at[i])) return false;
    for (wadi_node_id n = 1; n < p->nodes.n; n++)
        if (wadi_is_input(&p->nodes.at[n])) w->seen[n] = true;
    return true;
}

bool wadi_recovery_order(const wadi_program *p, wadi_arena *scratch, wadi_node_list *out) {
    wadi_node_list order = {0};
    walk w = {.program = p, .order = &order, .seen = WADI_NEW_N(scratch, bool, p->nodes.n)};
    bool fine = w.seen && walk_program(&w);
    for (wadi_node_id n = 1; fine && n < p->nodes.n; n++)
        if (w.seen[n] && is_source(&p->nodes.at[n])) fine = wadi_vec_push(out, n);
    for (size_t i = 0; fine && i < order.n; i++) fine = wadi_vec_push(out, order.at[i]);
    wadi_vec_free(&w.stack);
    wadi_vec_free(&order);
    return fine;
}
