/* Emission: when every node has its places, this makes the bindings and instructions, each after all that it needs.
 *
 * In this order a node also comes after all that its functions contain. So each is simply appended to its scope: every
 * block comes out in order, however deep it is nested, and nothing recurses. */
#include "graph/lang/recovery.h"

#include <string.h>

#include "base/error.h"

static wadi_status no_memory(const wadi_recovery *r) {
    return wadi_fail(r->err, WADI_MEMORY, "out of memory while recovering sharing");
}

/* ---- copies into the module ---- */

/* The module's copy of a string of the program. Strings of the program are unique, so their addresses find the copy. */
static const char *module_name(wadi_recovery *r, const char *s) {
    if (!s) return NULL;
    uint64_t known = 0;
    if (wadi_map64_get(&r->names, (uint64_t)(uintptr_t)s, &known))
        return (const char *)(uintptr_t)known;
    const char *own = wadi_arena_strdup(r->module->arena, s);
    if (!own || !wadi_map64_put(&r->names, (uint64_t)(uintptr_t)s, (uint64_t)(uintptr_t)own))
        return NULL;
    return own;
}

static void copy_type(wadi_recovery *r, const wadi_array_type *from, wadi_array_type *to) {
    *to = *from;
    for (int f = 0; f < from->elem.fields; f++)
        to->elem.name[f] = module_name(r, from->elem.name[f]);
    if (!from->extent) return;
    to->extent = WADI_NEW_N(r->module->arena, wadi_extent_decl, (size_t)from->rank);
    for (int d = 0; to->extent && d < from->rank; d++) {
        to->extent[d] = from->extent[d];
        to->extent[d].name = module_name(r, from->extent[d].name);
    }
}

/* The type of value `i` of a node. An array node has a value per array; a sequence is one value. */
static wadi_val_type value_type(wadi_recovery *r, const wadi_node *n, int i) {
    const bool seq = n->stratum == WADI_STRATUM_SEQ;
    wadi_val_type t = {.is_seq = seq, .arrays = seq ? n->ntypes : 1};
    t.array = WADI_NEW_N(r->module->arena, wadi_array_type, (size_t)t.arrays);
    for (int k = 0; t.array && k < t.arrays; k++) copy_type(r, &n->type[seq ? k : i], &t.array[k]);
    return t;
}

/* ---- values of nodes ---- */

static const wadi_scope *scope_at(const wadi_recovery *r, wadi_scope_id s) {
    return &r->scopes.all.at[s];
}

static uint32_t *new_vals(wadi_recovery *r, int n) {
    return WADI_NEW_N(r->scratch, uint32_t, (size_t)n);
}

/* Notes that the node's values here have the numbers first .. first + n - 1. */
static wadi_status keep_range(wadi_recovery *r, wadi_node_place *place, uint32_t first, int n) {
    place->vals = new_vals(r, n);
    if (!place->vals || first == WADI_NONE) return no_memory(r);
    for (int i = 0; i < n; i++) place->vals[i] = first + (uint32_t)i;
    return WADI_OK;
}

static const wadi_node_place *place_for(const wadi_recovery *r, wadi_node_id n, wadi_scope_id s) {
    const wadi_node_place *p = r->nodes[n].places;
    while (p && p->next && !wadi_scopes_holds(&r->scopes, p->scope, s)) p = p->next;
    return p;
}

/* The scalars that node `n` is in scope `s`, one per field; returns their number. */
static int scalars(const wadi_recovery *r, wadi_node_id n, wadi_scope_id s, wadi_sval *out) {
    const wadi_node *node = wadi_recovery_node(r, n);
    if (node->kind == WADI_NODE_RECORD) {
        for (int f = 0; f < node->nargs; f++) (void)scalars(r, node->args[f], s, &out[f]);
        return node->nargs;
    }
    if (node->kind == WADI_NODE_FIELD) {
        wadi_sval fields[WADI_MAX_FIELDS];
        (void)scalars(r, node->args[0], s, fields);
        out[0] = fields[node->index];
        return 1;
    }
    const wadi_node_place *p = place_for(r, n, s);
    for (int f = 0; f < node->type->elem.fields; f++) out[f] = p->vals[f];
    return node->type->elem.fields;
}

static int value_count(const wadi_recovery *r, wadi_node_id n) {
    const wadi_node *node = wadi_recovery_node(r, n);
    return node->stratum == WADI_STRATUM_SEQ ? 1 : node->ntypes;
}

/* The values that node `n` is, one per array; returns their number. A node of array code has one place. */
static int values(wadi_recovery *r, wadi_node_id n, wadi_val *out) {
    const wadi_node *node = wadi_recovery_node(r, n);
    wadi_node_id array = 0;
    switch (node->kind) {
    case WADI_NODE_TUPLE:
        for (int i = 0; i < node->nargs; i++) (void)values(r, node->args[i], &out[i]);
        return node->nargs;
    case WADI_NODE_PART: {
        wadi_val parts[WADI_DRAFT_ARGS];
        (void)values(r, node->args[0], parts);
        out[0] = parts[node->index];
        return 1;
    }
    case WADI_NODE_RANK0:
        if (!wadi_rank0_is_array(r, node->args[0], &array)) {
            out[0] = r->nodes[node->args[0]].unit->vals[0];
        } else if (array) {
            (void)values(r, array, out);
        } else {
            out[0] = wadi_const_val(r->module, wadi_recovery_node(r, node->args[0])->imm);
        }
        return 1;
    default:
        for (int i = 0; i < value_count(r, n); i++) out[i] = r->nodes[n].places->vals[i];
        return value_count(r, n);
    }
}

/* ---- scalar code ---- */

static wadi_status append_inst(wadi_recovery *r, const wadi_node *n, wadi_node_place *place,
                               wadi_sinst *inst) {
    const wadi_scope *s = scope_at(r, place->scope);
    const wadi_elem *e = &n->type->elem;
    inst->loc = n->loc;
    const wadi_sval first = wadi_sinst_results(r->module, s->fun, inst, e->fields, e->type);
    if (first == WADI_NONE || !wadi_sblock_append(r->module, s->sblock, inst)) return no_memory(r);
    return keep_range(r, place, first, e->fields);
}

static wadi_status yield_scalars(wadi_recovery *r, wadi_sblock *b, wadi_node_id root,
                                 wadi_scope_id s) {
    wadi_sval fields[WADI_MAX_FIELDS];
    const int n = scalars(r, root, s, fields);
    for (int f = 0; f < n; f++)
        if (!wadi_sblock_yield(r->module, b, fields[f])) return no_memory(r);
    return WADI_OK;
}

/* The body of scope `s` ends with the roots of its lambda. */
static wadi_status end_scalar_scope(wadi_recovery *r, wadi_scope_id s) {
    const wadi_scope *scope = scope_at(r, s);
    const wadi_lambda *l = &r->program->lambdas.at[scope->lambda];
    for (int k = 0; k < l->nroots; k++) WADI_TRY(yield_scalars(r, scope->sblock, l->roots[k], s));
    return WADI_OK;
}

static int count_scalars(const wadi_recovery *r, const wadi_node *n) {
    int count = 0;
    for (int k = 0; k < n->nargs; k++) {
        const wadi_node *arg = wadi_recovery_node(r, n->args[k]);
        if (arg->stratum == WADI_STRATUM_SCALAR) count += arg->type->elem.fields;
    }
    return count;
}

static wadi_status emit_inst(wadi_recovery *r, const wadi_node *n, wadi_node_place *place) {
    wadi_sinst *inst = wadi_sinst_new(r->module, n->sop, count_scalars(r, n));
    if (!inst) return no_memory(r);
    int count = 0;
    inst->array = WADI_NONE;
    for (int k = 0; k < n->nargs; k++) {
        if (wadi_recovery_node(r, n->args[k])->stratum == WADI_STRATUM_SCALAR)
            count += scalars(r, n->args[k], place->scope, &inst->args[count]);
        else
            (void)values(r, n->args[k], &inst->array);
    }
    inst->dim = n->dim;
    inst->imm = n->imm;
    for (int l = 0; l < n->nlambdas; l++) {
        const wadi_scope_id s = place->first_scope + (wadi_scope_id)l;
        inst->block[l] = scope_at(r, s)->sblock;
        WADI_TRY(end_scalar_scope(r, s));
    }
    return append_inst(r, n, place, inst);
}

static wadi_status emit_unit_read(wadi_recovery *r, wadi_node_id n, wadi_node_place *place) {
    wadi_sinst *inst = wadi_sinst_new(r->module, WADI_SOP_THE, 0);
    if (!inst) return no_memory(r);
    inst->array = r->nodes[n].unit->vals[0];
    return append_inst(r, wadi_recovery_node(r, n), place, inst);
}

/* If the result of a function is a record, the function keeps the names of its fields. */
static wadi_status name_results(wadi_recovery *r, wadi_fun *f, const wadi_node *root) {
    const wadi_elem *e = &root->type->elem;
    if (!e->name[0]) return WADI_OK;
    f->names = WADI_NEW_N(r->module->arena, const char *, (size_t)e->fields);
    if (!f->names) return no_memory(r);
    for (int i = 0; i < e->fields; i++) {
        f->names[i] = module_name(r, e->name[i]);
        if (!f->names[i]) return no_memory(r);
    }
    return WADI_OK;
}

/* ---- array code ---- */

/* Runs the operator's type rule, which appends the results, and appends the finished binding. */
static wadi_status finish_bind(wadi_recovery *r, const wadi_node *n, wadi_bind *b,
                               wadi_scope_id s) {
    b->loc = n->loc;
    const wadi_status st = b->op->type(r->module, b, r->err);
    if (st != WADI_OK) {
        if (r->err && !r->err->at.file) r->err->at = n->loc;
        return st;
    }
    if (!wadi_block_append(r->module, scope_at(r, s)->block, b)) return no_memory(r);
    return WADI_OK;
}

static wadi_status keep_results(wadi_recovery *r, wadi_node_place *place, const wadi_bind *b,
                                const char *hint) {
    place->vals = new_vals(r, b->nresults);
    if (!place->vals) return no_memory(r);
    for (int i = 0; i < b->nresults; i++) {
        place->vals[i] = b->results[i];
        if (hint) r->module->values[b->results[i]].name = hint;
    }
    return WADI_OK;
}

static wadi_status emit_unit(wadi_recovery *r, wadi_node_id n) {
    const wadi_recovered *node = &r->nodes[n];
    const wadi_scope *s = scope_at(r, node->unit_scope);
    wadi_bind *b = wadi_bind_new(r->module, r->unit_op, 0, 1, 0, 0);
    if (!b) return no_memory(r);
    b->funs[0] = s->fun;
    WADI_TRY(yield_scalars(r, s->sblock, n, node->unit_scope));
    WADI_TRY(name_results(r, s->fun, wadi_recovery_node(r, n)));
    WADI_TRY(finish_bind(r, wadi_recovery_node(r, n), b, node->unit->scope));
    return keep_results(r, node->unit, b, NULL);
}

static wadi_status yield_arrays(wadi_recovery *r, wadi_block *b, wadi_node_id root) {
    wadi_val arrays[WADI_DRAFT_ARGS];
    const int n = values(r, root, arrays);
    for (int i = 0; i < n; i++)
        if (arrays[i] == WADI_NONE || !wadi_block_yield(r->module, b, arrays[i]))
            return no_memory(r);
    return WADI_OK;
}

static wadi_status attach_lambdas(wadi_recovery *r, const wadi_node *n,
                                  const wadi_node_place *place, wadi_bind *b) {
    int funs = 0, blocks = 0;
    for (int i = 0; i < n->nlambdas; i++) {
        const wadi_lambda *l = &r->program->lambdas.at[n->lambdas[i]];
        const wadi_scope_id s = place->first_scope + (wadi_scope_id)i;
        if (!l->array) {
            WADI_TRY(end_scalar_scope(r, s));
            b->funs[funs++] = scope_at(r, s)->fun;
            if (l->nroots == 1)
                WADI_TRY(name_results(r, scope_at(r, s)->fun, wadi_recovery_node(r, l->roots[0])));
            continue;
        }
        b->blocks[blocks++] = scope_at(r, s)->block;
        for (int k = 0; k < l->nroots; k++)
            WADI_TRY(yield_arrays(r, scope_at(r, s)->block, l->roots[k]));
    }
    return WADI_OK;
}

static int count_regions(const wadi_recovery *r, const wadi_node *n) {
    int count = 0;
    for (int i = 0; i < n->nlambdas; i++) count += r->program->lambdas.at[n->lambdas[i]].array;
    return count;
}

static wadi_bind *new_bind(wadi_recovery *r, const wadi_node *n) {
    int nargs = 0;
    for (int k = 0; k < n->nargs; k++) nargs += value_count(r, n->args[k]);
    const int blocks = count_regions(r, n);
    wadi_bind *b = wadi_bind_new(r->module, n->op, nargs, n->nlambdas - blocks, blocks, n->nattrs);
    if (!b) return NULL;
    nargs = 0;
    for (int k = 0; k < n->nargs; k++) nargs += values(r, n->args[k], &b->args[nargs]);
    for (int k = 0; k < nargs; k++)
        if (b->args[k] == WADI_NONE) return NULL;
    for (int k = 0; k < n->nattrs; k++) b->attrs[k] = n->attrs[k];
    b->name = module_name(r, n->name);
    b->data = n->data ? wadi_module_data(r->module, n->data) : NULL;
    if ((n->name && !b->name) || (n->data && !b->data)) return NULL;
    return b;
}

static bool same_type(const wadi_val_type *t, const wadi_node *n, int i) {
    const bool seq = n->stratum == WADI_STRATUM_SEQ;
    if (t->is_seq != seq || t->arrays != (seq ? n->ntypes : 1)) return false;
    for (int k = 0; k < t->arrays; k++) {
        const wadi_array_type *want = &n->type[seq ? k : i];
        if (t->array[k].rank != want->rank || !wadi_elem_equal(&t->array[k].elem, &want->elem))
            return false;
    }
    return true;
}

/* The builder function gave the node these types. The operator's type rule must find the same ones. */
static wadi_status check_results(wadi_recovery *r, const wadi_node *n, const wadi_bind *b) {
    const int expected = n->ntypes == 0 || n->stratum == WADI_STRATUM_ARRAY ? n->ntypes : 1;
    bool fine = b->nresults == expected;
    for (int i = 0; fine && i < expected; i++)
        fine = same_type(&r->module->values[b->results[i]].type, n, i);
    if (fine) return WADI_OK;
    return wadi_fail_at(r->err, n->loc, WADI_INTERNAL,
                        "%s: the type rule and the builder function disagree about the result",
                        n->op->name);
}

static wadi_status emit_bind(wadi_recovery *r, const wadi_node *n, wadi_node_place *place) {
    wadi_bind *b = new_bind(r, n);
    if (!b) return no_memory(r);
    WADI_TRY(attach_lambdas(r, n, place, b));
    if (n->nargs == 0 && n->nlambdas == 0) {
        const int results = n->stratum == WADI_STRATUM_SEQ ? 1 : n->ntypes;
        for (int i = 0; i < results; i++)
            if (wadi_bind_result(r->module, b, value_type(r, n, i)) == WADI_NONE)
                return no_memory(r);
    }
    WADI_TRY(finish_bind(r, n, b, place->scope));
    WADI_TRY(check_results(r, n, b));
    const char *hint = n->hint && b->nresults == 1 ? module_name(r, n->hint) : NULL;
    return keep_results(r, place, b, b->name ? b->name : hint);
}

/* ---- nodes in order ---- */

static wadi_status emit_param(wadi_recovery *r, const wadi_node *n, wadi_node_place *place) {
    const wadi_scope *s = scope_at(r, place->scope);
    const wadi_elem *e = &n->type->elem;
    const bool array = n->stratum == WADI_STRATUM_ARRAY;
    const int count = array ? n->ntypes : e->fields;
    place->vals = new_vals(r, count);
    if (!place->vals) return no_memory(r);
    for (int i = 0; i < count; i++) {
        if (array)
            place->vals[i] = wadi_block_param(r->module, s->block, value_type(r, n, i));
        else if (s->function == place->scope)
            place->vals[i] = wadi_fun_param(r->module, s->fun, e->type[i]);
        else
            place->vals[i] = wadi_sblock_param(r->module, s->fun, s->sblock, e->type[i]);
        if (place->vals[i] == WADI_NONE) return no_memory(r);
    }
    return WADI_OK;
}

/* First the unit's function is filled, then the unit is bound, then come the scopes that read it. */
static wadi_status emit_scalar(wadi_recovery *r, wadi_node_id n) {
    const wadi_node *node = wadi_recovery_node(r, n);
    for (wadi_node_place *p = r->nodes[n].places; p; p = p->next)
        if (!p->reads_unit) WADI_TRY(emit_inst(r, node, p));
    if (r->nodes[n].unit) WADI_TRY(emit_unit(r, n));
    for (wadi_node_place *p = r->nodes[n].places; p; p = p->next)
        if (p->reads_unit) WADI_TRY(emit_unit_read(r, n, p));
    return WADI_OK;
}

static wadi_status emit_node(wadi_recovery *r, wadi_node_id n) {
    const wadi_node *node = wadi_recovery_node(r, n);
    if (node->kind != WADI_NODE_PARAM && node->stratum == WADI_STRATUM_SCALAR)
        return emit_scalar(r, n);
    for (wadi_node_place *p = r->nodes[n].places; p; p = p->next)
        WADI_TRY(node->kind == WADI_NODE_PARAM ? emit_param(r, node, p) : emit_bind(r, node, p));
    return WADI_OK;
}

/* An output's name as the hint for its value. Names of parts of a tuple have a dot, which a hint may not have. */
static const char *output_hint(const wadi_recovery *r, const char *name) {
    if (!strchr(name, '.')) return name;
    char *hint = wadi_arena_strdup(r->module->arena, name);
    for (char *c = hint; c && *c; c++)
        if (*c == '.') *c = '_';
    return hint;
}

/* Values that have no name from a source or an output are named after their operator. */
static void name_after_operators(wadi_module *m) {
    for (wadi_val v = 0; v < m->nvalues; v++)
        if (m->values[v].def == WADI_DEF_BIND && !m->values[v].name)
            m->values[v].name = m->values[v].bind->op->name;
}

static wadi_status emit_outputs(wadi_recovery *r) {
    const wadi_program *p = r->program;
    wadi_module *m = r->module;
    m->outputs = WADI_NEW_N(m->arena, const char *, p->outputs.n);
    if (!m->outputs) return no_memory(r);
    for (size_t i = 0; i < p->outputs.n; i++) {
        const char *name = module_name(r, p->outputs.at[i].name);
        wadi_val v[WADI_DRAFT_ARGS];
        (void)values(r, p->outputs.at[i].node, v);
        if (!name || v[0] == WADI_NONE || !wadi_block_yield(m, m->main, v[0])) return no_memory(r);
        m->outputs[i] = name;
        if (!m->values[v[0]].name) m->values[v[0]].name = output_hint(r, name);
    }
    return WADI_OK;
}

wadi_status wadi_recovery_emit(wadi_recovery *r) {
    for (size_t i = 0; i < r->order.n; i++) WADI_TRY(emit_node(r, r->order.at[i]));
    WADI_TRY(emit_outputs(r));
    name_after_operators(r->module);
    return WADI_OK;
}
