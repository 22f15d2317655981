/* Sharing recovery: turns a graph of nodes into bindings. In the graph, a value is shared if two arguments are the same node.
 *
 * McDonell, Chakravarty, Keller and Lippmeier 2013 ("Optimising purely functional GPU programs", section 3) prune shared
 * subterms and float them to the lowest point that dominates their uses. Here the nodes are first put in an order,
 * arguments before users (order.c), so that one pass in the opposite direction suffices: when a node's turn comes, the scopes
 * of all its uses are known. The node goes into their lowest common scope, which becomes a use of its arguments. Nodes that
 * nothing needs are not in the order.
 *
 * From the common scope a node moves outwards: out of loops and out of scalar functions whose parameters it does not depend
 * on, but never out of one side of a condition. Array code always stands outside scalar functions. Array code in a region of
 * a stream stays there; the pass that lifts may move it. Scalar code that leaves its function altogether, or that two
 * functions share, becomes an array of rank 0 (`unit`) which they read. Literals, extents and reads of other rank-0 arrays
 * are made again in each function instead.
 *
 * Scalar code that may fault, or may never end, is computed only where the program computes it: it goes only to scopes that
 * compute it in any case, and is rather bound several times than too early. Array code is not treated so: an array that two
 * conditional regions share is computed before both.
 */
#include "graph/lang/recovery.h"

#include <stdlib.h>

#include "base/error.h"
#include "graph/ir/indexed.h"

static wadi_status no_memory(const wadi_recovery *r) {
    return wadi_fail(r->err, WADI_MEMORY, "out of memory while recovering sharing");
}

/* ---- what may fault ---- */

static bool divides_safely(const wadi_recovery *r, const wadi_node *n) {
    const wadi_node *divisor = wadi_recovery_node(r, n->args[1]);
    return divisor->kind == WADI_NODE_SCALAR && divisor->sop == WADI_SOP_CONST &&
           divisor->imm.bits != 0;
}

static bool faults_itself(const wadi_recovery *r, const wadi_node *n) {
    if (n->kind != WADI_NODE_SCALAR) return false;
    if (n->sop == WADI_SOP_WHILE) return true;
    if (!(wadi_sop_get(n->sop)->flags & WADI_SOP_FAULTS)) return false;
    return n->sop >= WADI_SOP_PRIM_COUNT || !divides_safely(r, n);
}

static void find_faults(wadi_recovery *r) {
    for (size_t i = 0; i < r->order.n; i++) {
        const wadi_node *n = wadi_recovery_node(r, r->order.at[i]);
        if (n->stratum != WADI_STRATUM_SCALAR) continue;
        bool faults = faults_itself(r, n);
        for (int k = 0; k < n->nargs; k++) faults = faults || r->nodes[n->args[k]].faults;
        for (int l = 0; l < n->nlambdas; l++) {
            const wadi_lambda *body = &r->program->lambdas.at[n->lambdas[l]];
            for (int k = 0; k < body->nroots; k++)
                faults = faults || r->nodes[body->roots[k]].faults;
        }
        r->nodes[r->order.at[i]].faults = faults;
    }
}

/* ---- scopes ---- */

static const wadi_scope *scope_at(const wadi_recovery *r, wadi_scope_id s) {
    return &r->scopes.all.at[s];
}

static const wadi_lambda *scope_lambda(const wadi_recovery *r, wadi_scope_id s) {
    const wadi_scope *scope = scope_at(r, s);
    return scope->kind == WADI_SCOPE_LAMBDA ? &r->program->lambdas.at[scope->lambda] : NULL;
}

static bool is_scalar_scope(const wadi_recovery *r, wadi_scope_id s) {
    return scope_at(r, s)->function != WADI_NONE;
}

/* The scope of array code around a scope: where the arrays that its scalar code reads are used. */
static wadi_scope_id array_scope(const wadi_recovery *r, wadi_scope_id s) {
    return is_scalar_scope(r, s) ? scope_at(r, scope_at(r, s)->function)->parent : s;
}

static bool depends_on(const wadi_recovery *r, wadi_node_id n, wadi_scope_id s) {
    const wadi_lambda *l = scope_lambda(r, s);
    return l && l->level >= 0 && (wadi_recovery_node(r, n)->depends >> l->level & 1);
}

static bool is_kind(const wadi_recovery *r, wadi_scope_id s, wadi_lambda_kind kind) {
    const wadi_lambda *l = scope_lambda(r, s);
    return l && l->kind == kind;
}

/* The scope outside of all loops around `s`, of scalar or of array code, that node `n` does not depend on. */
static wadi_scope_id out_of_loops(const wadi_recovery *r, wadi_node_id n, wadi_scope_id s) {
    while ((is_kind(r, s, WADI_LAMBDA_LOOP) || is_kind(r, s, WADI_LAMBDA_PRED)) &&
           !depends_on(r, n, s))
        s = scope_at(r, s)->parent;
    return s;
}

/* Whether the node depends on no parameter of a scalar function. */
static bool is_closed(const wadi_recovery *r, wadi_node_id n) {
    const wadi_node *node = wadi_recovery_node(r, n);
    return node->depends == 0 ||
           (node->depends & ~r->program->lambdas.at[node->inner].regions) == 0;
}

static wadi_node_place *new_place(wadi_recovery *r, wadi_scope_id scope, wadi_node_place *next) {
    wadi_node_place *p = WADI_NEW(r->scratch, wadi_node_place);
    if (p) *p = (wadi_node_place){.scope = scope, .first_scope = WADI_NONE, .next = next};
    return p;
}

/* ---- uses ---- */

static bool same_function(const wadi_recovery *r, wadi_scope_id a, wadi_scope_id b) {
    return scope_at(r, a)->function == scope_at(r, b)->function;
}

/* Notes that scope `s` uses node `n`. The uses in one function, and all uses in array code, are merged into their common scope.
 * Uses of scalar code that may fault are kept apart, because their common scope may be too early. */
static wadi_status note_use(wadi_recovery *r, wadi_node_id n, wadi_scope_id s) {
    wadi_recovered *node = &r->nodes[n];
    for (wadi_node_place *u = node->uses; u; u = u->next) {
        if (u->scope == s) return WADI_OK;
        if (!same_function(r, u->scope, s) || (node->faults && is_scalar_scope(r, s))) continue;
        u->scope = wadi_scopes_common(&r->scopes, u->scope, s);
        return WADI_OK;
    }
    wadi_node_place *u = new_place(r, s, node->uses);
    if (!u) return no_memory(r);
    node->uses = u;
    return WADI_OK;
}

/* The same for a node of any kind. Nodes that only put others together, or pick from them, pass the use on. They nest at most
 * three deep, because a pick from what was just put together is resolved when the node is made. */
static wadi_status use(wadi_recovery *r, wadi_node_id n, wadi_scope_id s) {
    const wadi_node *node = wadi_recovery_node(r, n);
    switch (node->kind) {
    case WADI_NODE_ERROR:
    case WADI_NODE_PARAM:
        return WADI_OK;
    case WADI_NODE_SCALAR:
    case WADI_NODE_OP:
        return note_use(r, n, s);
    case WADI_NODE_RANK0: {
        wadi_node_id array = 0;
        if (!wadi_rank0_is_array(r, node->args[0], &array)) return note_use(r, node->args[0], s);
        return array ? use(r, array, s) : WADI_OK;
    }
    case WADI_NODE_RECORD:
    case WADI_NODE_FIELD:
        if (!is_scalar_scope(r, s)) return note_use(r, n, s);
        break;
    case WADI_NODE_TUPLE:
    case WADI_NODE_PART:
        break;
    }
    for (int k = 0; k < node->nargs; k++) WADI_TRY(use(r, node->args[k], s));
    return WADI_OK;
}

/* ---- placing a node: its lambdas become scopes, its arguments are used ---- */

static wadi_status open_function(wadi_recovery *r, wadi_scope_id parent, wadi_scope scope,
                                 wadi_scope_id *out) {
    scope.function = (wadi_scope_id)r->scopes.all.n;
    scope.fun = wadi_fun_new(r->module);
    if (!scope.fun) return no_memory(r);
    scope.sblock = scope.fun->body;
    *out = wadi_scopes_add(&r->scopes, parent, scope);
    return *out == WADI_NONE ? no_memory(r) : WADI_OK;
}

static wadi_status open_scope(wadi_recovery *r, wadi_scope_id parent, uint32_t lambda,
                              wadi_scope_id *out) {
    const wadi_lambda *l = &r->program->lambdas.at[lambda];
    wadi_scope scope = {.kind = WADI_SCOPE_LAMBDA, .lambda = lambda, .function = WADI_NONE};
    if (l->kind == WADI_LAMBDA_FUN) return open_function(r, parent, scope, out);
    if (l->array) {
        scope.block = wadi_block_new(r->module, scope_at(r, parent)->block);
        if (!scope.block) return no_memory(r);
    } else {
        scope.function = scope_at(r, parent)->function;
        scope.fun = scope_at(r, parent)->fun;
        scope.sblock = wadi_sblock_new(r->module);
        if (!scope.sblock) return no_memory(r);
    }
    *out = wadi_scopes_add(&r->scopes, parent, scope);
    return *out == WADI_NONE ? no_memory(r) : WADI_OK;
}

static wadi_status place_params(wadi_recovery *r, wadi_scope_id s) {
    const wadi_lambda *l = scope_lambda(r, s);
    for (int k = 0; k < l->nparams; k++) {
        wadi_recovered *param = &r->nodes[l->params[k]];
        param->places = new_place(r, s, param->places);
        if (!param->places) return no_memory(r);
    }
    return WADI_OK;
}

static wadi_status place_lambdas(wadi_recovery *r, const wadi_node *n, wadi_node_place *place) {
    for (int l = 0; l < n->nlambdas; l++) {
        wadi_scope_id s = WADI_NONE;
        WADI_TRY(open_scope(r, place->scope, n->lambdas[l], &s));
        if (l == 0) place->first_scope = s;
        WADI_TRY(place_params(r, s));
    }
    if (n->nlambdas == 2 && is_kind(r, place->first_scope, WADI_LAMBDA_BRANCH)) {
        r->scopes.all.at[place->first_scope].sibling = place->first_scope + 1;
        r->scopes.all.at[place->first_scope + 1].sibling = place->first_scope;
    }
    for (int l = 0; l < n->nlambdas; l++) {
        const wadi_lambda *body = &r->program->lambdas.at[n->lambdas[l]];
        for (int k = 0; k < body->nroots; k++)
            WADI_TRY(use(r, body->roots[k], place->first_scope + (wadi_scope_id)l));
    }
    return WADI_OK;
}

/* Binds node `n` in scope `s`. The arrays that scalar code reads count as used by the array code around it. */
static wadi_status place_in(wadi_recovery *r, wadi_node_id n, wadi_scope_id s) {
    const wadi_node *node = wadi_recovery_node(r, n);
    wadi_node_place *place = new_place(r, s, r->nodes[n].places);
    if (!place) return no_memory(r);
    r->nodes[n].places = place;
    for (int k = 0; k < node->nargs; k++) {
        const bool array = wadi_recovery_node(r, node->args[k])->stratum != WADI_STRATUM_SCALAR;
        WADI_TRY(use(r, node->args[k], array ? array_scope(r, s) : s));
    }
    return place_lambdas(r, node, place);
}

/* ---- where scalar code goes ---- */

static bool is_cheap(const wadi_node *n) {
    return n->kind == WADI_NODE_SCALAR &&
           (n->sop == WADI_SOP_CONST || n->sop == WADI_SOP_EXTENT || n->sop == WADI_SOP_THE);
}

/* Moves a use one scope outwards if that scope computes the node in any case: from a loop's predicate to the code around the
 * loop, and from one side of a condition to the code around it if the other side uses the node as well. */
static bool widen(const wadi_recovery *r, wadi_node_id n, wadi_node_place *uses,
                  wadi_node_place *u) {
    const wadi_scope *s = scope_at(r, u->scope);
    bool wider = is_kind(r, u->scope, WADI_LAMBDA_PRED) && !depends_on(r, n, u->scope);
    for (const wadi_node_place *v = uses; v && !wider && s->sibling != WADI_NONE; v = v->next)
        wider = v->scope == s->sibling;
    if (wider) u->scope = s->parent;
    return wider;
}

static bool held_by_other(const wadi_recovery *r, const wadi_node_place *uses,
                          const wadi_node_place *u) {
    bool before = true;
    for (const wadi_node_place *v = uses; v; v = v->next) {
        if (v == u) before = false;
        if (v == u || !is_scalar_scope(r, v->scope)) continue;
        if (v->scope == u->scope ? before : wadi_scopes_holds(&r->scopes, v->scope, u->scope))
            return true;
    }
    return false;
}

/* The scopes of code that may fault: every use is moved outwards as far as it goes; then those inside others are removed. */
static void settle_faulting(const wadi_recovery *r, wadi_node_id n) {
    wadi_node_place **uses = &r->nodes[n].uses;
    for (bool changed = true; changed;) {
        changed = false;
        for (wadi_node_place *u = *uses; u; u = u->next)
            if (is_scalar_scope(r, u->scope)) changed = widen(r, n, *uses, u) || changed;
        for (wadi_node_place **at = uses; *at;) {
            if (is_scalar_scope(r, (*at)->scope) && held_by_other(r, *uses, *at))
                *at = (*at)->next;
            else
                at = &(*at)->next;
        }
    }
}

static void settle(const wadi_recovery *r, wadi_node_id n) {
    const wadi_node *node = wadi_recovery_node(r, n);
    if (r->nodes[n].faults) {
        settle_faulting(r, n);
        return;
    }
    if (node->kind == WADI_NODE_SCALAR && node->sop == WADI_SOP_CONST) return;
    for (wadi_node_place *u = r->nodes[n].uses; u; u = u->next)
        if (is_scalar_scope(r, u->scope)) u->scope = out_of_loops(r, n, u->scope);
}

/* Whether code whose uses are settled leaves its function, or is shared by two functions. */
static bool leaves(const wadi_recovery *r, wadi_node_id n) {
    if (r->nodes[n].faults || is_cheap(wadi_recovery_node(r, n)) || !is_closed(r, n)) return false;
    int functions = 0;
    for (const wadi_node_place *u = r->nodes[n].uses; u; u = u->next) {
        const wadi_scope *s = scope_at(r, u->scope);
        if (s->function != u->scope) continue; /* array code, or inside a branch */
        const wadi_lambda *l = scope_lambda(r, u->scope);
        if (l && l->nparams > 0) return true;
        functions++;
    }
    return functions > 1;
}

/* Whether functions that use the node read its unit. Otherwise each binds the node itself. */
static bool reads_unit(const wadi_recovery *r, wadi_node_id n) {
    return !r->nodes[n].faults && !is_cheap(wadi_recovery_node(r, n));
}

static wadi_scope_id unit_home(const wadi_recovery *r, wadi_node_id n) {
    wadi_scope_id home = WADI_NONE;
    for (const wadi_node_place *u = r->nodes[n].uses; u; u = u->next) {
        if (is_scalar_scope(r, u->scope) && !reads_unit(r, n)) continue;
        const wadi_scope_id s = array_scope(r, u->scope);
        home = home == WADI_NONE ? s : wadi_scopes_common(&r->scopes, home, s);
    }
    return out_of_loops(r, n, home);
}

static wadi_status place_unit(wadi_recovery *r, wadi_node_id n) {
    wadi_recovered *node = &r->nodes[n];
    node->unit = new_place(r, unit_home(r, n), NULL);
    if (!node->unit) return no_memory(r);
    wadi_scope scope = {.kind = WADI_SCOPE_UNIT};
    WADI_TRY(open_function(r, node->unit->scope, scope, &node->unit_scope));
    if (wadi_recovery_node(r, n)->kind == WADI_NODE_SCALAR) return place_in(r, n, node->unit_scope);
    return use(r, n, node->unit_scope);
}

static wadi_status place_scalar(wadi_recovery *r, wadi_node_id n) {
    settle(r, n);
    bool unit = leaves(r, n);
    for (const wadi_node_place *u = r->nodes[n].uses; u; u = u->next)
        unit = unit || !is_scalar_scope(r, u->scope);
    if (unit) WADI_TRY(place_unit(r, n));
    for (const wadi_node_place *u = r->nodes[n].uses; u; u = u->next) {
        if (!is_scalar_scope(r, u->scope)) continue;
        if (!unit || !reads_unit(r, n)) {
            WADI_TRY(place_in(r, n, u->scope));
            continue;
        }
        wadi_node_place *place = new_place(r, u->scope, r->nodes[n].places);
        if (!place) return no_memory(r);
        place->reads_unit = true;
        r->nodes[n].places = place;
    }
    return WADI_OK;
}

/* An operator without arguments is a source: it stands in the main block. */
static wadi_status place_array(wadi_recovery *r, wadi_node_id n) {
    const wadi_node *node = wadi_recovery_node(r, n);
    const bool source = node->nargs == 0 && node->nlambdas == 0;
    return place_in(r, n, source ? 0 : out_of_loops(r, n, r->nodes[n].uses->scope));
}

static wadi_status place_all(wadi_recovery *r) {
    const wadi_program *p = r->program;
    wadi_scope main = {.kind = WADI_SCOPE_MAIN, .function = WADI_NONE, .block = r->module->main};
    if (wadi_scopes_add(&r->scopes, WADI_NONE, main) == WADI_NONE) return no_memory(r);
    for (size_t i = 0; i < p->outputs.n; i++) WADI_TRY(use(r, p->outputs.at[i].node, 0));
    for (size_t i = 0; i < p->effects.n; i++) WADI_TRY(use(r, p->effects.at[i], 0));
    for (size_t i = 0; i < r->order.n; i++)
        if (wadi_is_input(wadi_recovery_node(r, r->order.at[i])))
            WADI_TRY(use(r, r->order.at[i], 0));
    for (size_t i = r->order.n; i > 0; i--) {
        const wadi_node_id n = r->order.at[i - 1];
        if (!r->nodes[n].uses) continue; /* it passes its uses on, or is part of another node */
        if (wadi_recovery_node(r, n)->stratum == WADI_STRATUM_SCALAR)
            WADI_TRY(place_scalar(r, n));
        else
            WADI_TRY(place_array(r, n));
    }
    return WADI_OK;
}

/* ---- the whole ---- */

static wadi_status check_program(const wadi_program *p, wadi_error *err) {
    WADI_TRY(wadi_program_check(p, err));
    if (p->open.n > 0)
        return wadi_fail(err, WADI_INVALID,
                         "the program is compiled inside one of its own functions");
    if (p->outputs.n == 0 && p->effects.n == 0)
        return wadi_fail(err, WADI_INVALID, "the program has neither an output nor a stream_out");
    return WADI_OK;
}

static wadi_status recover(wadi_recovery *r, const wadi_op_table *ops) {
    r->unit_op = wadi_op_scalar(ops);
    r->module = wadi_module_create(r->program->name);
    r->scratch = wadi_arena_create();
    r->nodes = calloc(r->program->nodes.n, sizeof *r->nodes);
    if (!r->module || !r->scratch || !r->nodes) return no_memory(r);
    if (!r->unit_op) return wadi_fail(r->err, WADI_INTERNAL, "there is no operator \"unit\"");
    if (!wadi_recovery_order(r->program, r->scratch, &r->order)) return no_memory(r);
    find_faults(r);
    WADI_TRY(place_all(r));
    WADI_TRY(wadi_recovery_emit(r));
    WADI_TRY(wadi_ir_verify(r->module, r->err));
    WADI_TRY(wadi_ir_verify_order(r->module, r->err));
    return wadi_ir_name_indexed(r->module) ? WADI_OK : no_memory(r);
}

wadi_status wadi_program_lower(const wadi_program *p, const wadi_op_table *ops, wadi_module **out,
                               wadi_error *err) {
    WADI_TRY(check_program(p, err));
    wadi_recovery r = {.program = p, .err = err};
    const wadi_status st = recover(&r, ops);
    if (st == WADI_OK)
        *out = r.module;
    else
        wadi_module_destroy(r.module);
    wadi_vec_free(&r.order);
    wadi_map64_fini(&r.names);
    wadi_scopes_fini(&r.scopes);
    free(r.nodes);
    wadi_arena_destroy(r.scratch);
    return st;
}
