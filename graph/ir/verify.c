/* The invariants of the core IR, each with its explanation. Tests check them after every pass.
 *
 * The type rule of each binding is run again, on a copy of the binding, in a module that has a copy of the values and memory of
 * its own. It must give the same types. */
#include "graph/ir/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "graph/op.h"

/* ---- values ---- */

/* A value is bound once. */
static wadi_status bind_value(wadi_verifier *v, wadi_val value) {
    if (value >= v->m->nvalues) return wadi_verify_fail(v, "value %%%u is not in the table", value);
    if (v->state[value] != WADI_UNBOUND)
        return wadi_verify_fail(v, "value %%%u is bound twice", value);
    v->state[value] = WADI_IN_SCOPE;
    return WADI_OK;
}

/* Ranks and numbers of fields are within bounds, and fields have names when there are several. */
static wadi_status check_type(wadi_verifier *v, wadi_val value) {
    const wadi_val_type *t = &v->m->values[value].type;
    if (t->arrays < 0 || (!t->is_seq && t->arrays != 1) || (t->arrays > 0 && !t->array))
        return wadi_verify_fail(v, "value %%%u has no type", value);
    for (int i = 0; i < t->arrays; i++) {
        const wadi_array_type *a = &t->array[i];
        if (a->rank < 0 || a->rank > WADI_MAX_RANK)
            return wadi_verify_fail(v, "value %%%u has rank %d", value, a->rank);
        if (a->elem.fields < 1 || a->elem.fields > WADI_MAX_FIELDS)
            return wadi_verify_fail(v, "value %%%u has %d fields", value, a->elem.fields);
        for (int f = 0; f < a->elem.fields; f++) {
            if ((unsigned)a->elem.type[f] >= WADI_TYPE_COUNT)
                return wadi_verify_fail(v, "field %d of value %%%u has no type", f, value);
            if (a->elem.fields > 1 && !a->elem.name[f])
                return wadi_verify_fail(v, "field %d of value %%%u has no name", f, value);
            for (int k = 0; k < f; k++)
                if (strcmp(a->elem.name[k], a->elem.name[f]) == 0)
                    return wadi_verify_fail(v, "two fields of value %%%u are named \"%s\"", value,
                                            a->elem.name[f]);
        }
    }
    return WADI_OK;
}

/* Only what can be computed element by element may be delayed; a representation other than `avoid` needs a stream. */
static wadi_status check_marks(wadi_verifier *v, wadi_val value) {
    const wadi_value *x = &v->m->values[value];
    const bool by_element =
        x->def == WADI_DEF_BIND && v->bind &&
        (v->bind->op->kind == WADI_OP_PRODUCER || wadi_op_has(v->bind->op, WADI_TRAIT_ALONE) ||
         wadi_op_has(v->bind->op, WADI_TRAIT_KEEPS));
    if (x->storage == WADI_STORE_DELAYED && !by_element)
        return wadi_verify_fail(
            v, "value %%%u is delayed, but no producer, fold or filter makes it", value);
    if (v->bodies == 0 && (x->rep == WADI_REP_REGULAR || x->rep == WADI_REP_IRREGULAR))
        return wadi_verify_fail(v, "value %%%u has a representation outside of any stream", value);
    return WADI_OK;
}

/* ---- bindings ---- */

/* A binding's results point back at it, in order. */
static wadi_status check_results(wadi_verifier *v, const wadi_bind *b) {
    for (int r = 0; r < b->nresults; r++) {
        WADI_TRY(bind_value(v, b->results[r]));
        const wadi_value *x = &v->m->values[b->results[r]];
        if (x->def != WADI_DEF_BIND || x->bind != b || x->number != r)
            return wadi_verify_fail(v, "result %d does not point back at its binding", r + 1);
        WADI_TRY(check_type(v, b->results[r]));
        WADI_TRY(check_marks(v, b->results[r]));
    }
    return WADI_OK;
}

/* Whether the types of the results are declared (input, use, stream_in); the type rule makes all others. */
static bool is_declared(const wadi_bind *b) {
    return b->nargs == 0 && b->nfuns == 0 && b->nblocks == 0;
}

/* Running the operator's type rule again gives the types that are there. */
static wadi_status check_rule(wadi_verifier *v, const wadi_bind *b) {
    wadi_bind again = *b;
    wadi_error why = {0};
    const wadi_module before = v->scratch;
    const size_t mark = wadi_arena_mark(v->scratch.arena);
    if (!is_declared(b)) {
        again.results = NULL;
        again.nresults = 0;
    }
    const wadi_status st = b->op->type(&v->scratch, &again, &why);
    if (st == WADI_MEMORY) return wadi_fail(v->err, st, "out of memory");
    if (st != WADI_OK) return wadi_verify_fail(v, "%s", why.msg);
    if (again.nresults != b->nresults)
        return wadi_verify_fail(v, "%d results, expected %d", b->nresults, again.nresults);
    for (int r = 0; r < b->nresults; r++)
        if (!wadi_val_type_equal(&v->m->values[b->results[r]].type,
                                 &v->scratch.values[again.results[r]].type))
            return wadi_verify_fail(v, "result %d has another type than the operator gives it",
                                    r + 1);
    v->scratch = before;
    wadi_arena_rewind(v->scratch.arena, mark);
    return WADI_OK;
}

static wadi_status check_block(wadi_verifier *v, const wadi_block *b, const wadi_block *parent);

static wadi_status check_regions(wadi_verifier *v, const wadi_bind *b, const wadi_block *around) {
    const bool body = b->op->kind == WADI_OP_SEQUENCE;
    v->bodies += body;
    for (int k = 0; k < b->nblocks; k++) {
        if (!b->blocks[k]) return wadi_verify_fail(v, "region %d is missing", k + 1);
        WADI_TRY(check_block(v, b->blocks[k], around));
        v->bind = b;
    }
    v->bodies -= body;
    return WADI_OK;
}

/* A binding without results (stream_out) is there for its effect, which happens once. So it stands in the main block. */
static wadi_status check_effect(wadi_verifier *v, const wadi_bind *b, const wadi_block *around) {
    if (b->nresults > 0 || !around->parent) return WADI_OK;
    return wadi_verify_fail(v, "it gives nothing and stands in a region");
}

/* A binding has an operator, as many functions and regions as it takes, and arguments that are in scope. */
static wadi_status check_bind(wadi_verifier *v, const wadi_bind *b, const wadi_block *around) {
    v->bind = b;
    if (!b->op || !b->op->type) return wadi_verify_fail(v, "there is no operator");
    if (b->nfuns != wadi_op_funs(b))
        return wadi_verify_fail(v, "%d functions, expected %d", b->nfuns, wadi_op_funs(b));
    if (b->op->nblocks >= 0 && b->nblocks != b->op->nblocks)
        return wadi_verify_fail(v, "%d regions, expected %d", b->nblocks, b->op->nblocks);
    for (int i = 0; i < b->nargs; i++) WADI_TRY(wadi_verify_use(v, b->args[i]));
    for (int k = 0; k < b->nfuns; k++) WADI_TRY(wadi_verify_fun(v, b->funs[k]));
    WADI_TRY(check_regions(v, b, around));
    WADI_TRY(check_effect(v, b, around));
    WADI_TRY(check_results(v, b));
    return check_rule(v, b);
}

/* ---- blocks ---- */

/* A block's parameters point back at it; what it yields is in scope at its end and is stored. */
static wadi_status check_block(wadi_verifier *v, const wadi_block *b, const wadi_block *parent) {
    if (b->parent != parent)
        return wadi_verify_fail(v, "a block has another parent than the one around it");
    for (int p = 0; p < b->nparams; p++) {
        WADI_TRY(bind_value(v, b->params[p]));
        const wadi_value *x = &v->m->values[b->params[p]];
        if (x->def != WADI_DEF_PARAM || x->block != b || x->number != p)
            return wadi_verify_fail(v, "parameter %d does not point back at its block", p + 1);
        WADI_TRY(check_type(v, b->params[p]));
        WADI_TRY(check_marks(v, b->params[p]));
    }
    for (int i = 0; i < b->nbinds; i++) WADI_TRY(check_bind(v, b->binds[i], b));
    v->bind = NULL;
    for (int y = 0; y < b->nyields; y++) {
        WADI_TRY(wadi_verify_array(v, b->yields[y]));
        if (v->m->values[b->yields[y]].storage == WADI_STORE_DELAYED)
            return wadi_verify_fail(v, "value %%%u is yielded, but delayed", b->yields[y]);
    }
    for (int p = 0; p < b->nparams; p++) v->state[b->params[p]] = WADI_OUT_OF_SCOPE;
    for (int i = 0; i < b->nbinds; i++)
        for (int r = 0; r < b->binds[i]->nresults; r++)
            v->state[b->binds[i]->results[r]] = WADI_OUT_OF_SCOPE;
    return WADI_OK;
}

/* ---- names ---- */

/* The kind of thing that a run knows by the name of `b`; NULL: none, or (stream_in) several may share it. */
static const char *named_kind(const wadi_bind *b) {
    if (!b->op || !b->name) return NULL;
    if (b->op->given == WADI_GIVEN_BY_RUN) return "inputs";
    return b->op->kind == WADI_OP_SEQUENCE && b->op->seq.form == WADI_SEQ_DELIVER ? "sinks" : NULL;
}

/* Adds the name to those of its kind. *out_known: it is there already. */
static bool add_name(wadi_intern *names, const char *kind, const char *name, bool *out_known) {
    const size_t room = strlen(kind) + strlen(name) + 2, before = names->n;
    char *whole = malloc(room);
    if (!whole) return false;
    (void)snprintf(whole, room, "%s %s", kind, name);
    const bool added = wadi_intern_add(names, whole) != NULL;
    free(whole);
    *out_known = added && names->n == before;
    return added;
}

/* A run knows inputs, sinks and outputs by their names, so no two of one kind have the same. That is a mistake of whoever writes the program. */
static wadi_status check_names_in(const wadi_module *m, wadi_intern *names, wadi_error *err) {
    bool known = false;
    for (int i = 0; i < m->main->nbinds; i++) {
        const wadi_bind *b = m->main->binds[i];
        const char *kind = named_kind(b);
        if (!kind) continue;
        if (!add_name(names, kind, b->name, &known))
            return wadi_fail(err, WADI_MEMORY, "out of memory");
        if (known)
            return wadi_fail_at(err, b->loc, WADI_INVALID, "%s: there are two %s named \"%s\"",
                                b->op->name, kind, b->name);
    }
    for (int y = 0; m->outputs && y < m->main->nyields; y++) {
        if (!m->outputs[y]) continue; /* check_module says so */
        if (!add_name(names, "outputs", m->outputs[y], &known))
            return wadi_fail(err, WADI_MEMORY, "out of memory");
        if (known)
            return wadi_fail(err, WADI_INVALID, "output: there are two outputs named \"%s\"",
                             m->outputs[y]);
    }
    return WADI_OK;
}

static wadi_status check_names(const wadi_module *m, wadi_error *err) {
    wadi_intern names;
    wadi_intern_init(&names);
    const wadi_status st = check_names_in(m, &names, err);
    wadi_intern_fini(&names);
    return st;
}

/* Every output has a name. Constants are rank-0 scalars in the one form their type has. */
static wadi_status check_module(wadi_verifier *v) {
    for (uint32_t i = 0; i < v->m->nvalues; i++) {
        const wadi_value *x = &v->m->values[i];
        if (x->def != WADI_DEF_CONST) continue;
        WADI_TRY(check_type(v, i));
        const wadi_array_type *t = x->type.array;
        if (x->type.is_seq || t->rank != 0 || t->elem.fields != 1 ||
            t->elem.type[0] != x->imm.type || !wadi_scalar_is_sound(x->imm))
            return wadi_verify_fail(v, "constant %%%u is not a scalar in normal form", i);
    }
    for (int y = 0; y < v->m->main->nyields; y++)
        if (!v->m->outputs || !v->m->outputs[y])
            return wadi_verify_fail(v, "output %d has no name", y + 1);
    return check_block(v, v->m->main, NULL);
}

/* A module like `m` with its values copied, and room for what one rule makes, which goes into `arena`. The copies are in another one: an
 * arena grows by what it holds, and each rule would clear as much again. */
static bool scratch_init(wadi_verifier *v, wadi_arena *copies, wadi_arena *arena) {
    v->scratch = *v->m;
    v->scratch.arena = arena;
    v->scratch.cap = v->m->nvalues + 64;
    v->scratch.values = WADI_NEW_N(copies, wadi_value, v->scratch.cap);
    if (!v->scratch.values) return false;
    if (v->m->nvalues > 0)
        memcpy(v->scratch.values, v->m->values, v->m->nvalues * sizeof *v->m->values);
    return true;
}

wadi_status wadi_ir_verify(const wadi_module *m, wadi_error *err) {
    wadi_verifier v = {.m = m, .err = err, .state = calloc((size_t)m->nvalues + 1, 1)};
    wadi_arena *copies = wadi_arena_create(), *arena = wadi_arena_create();
    wadi_status st = v.state && copies && arena && scratch_init(&v, copies, arena)
                         ? check_module(&v)
                         : wadi_fail(err, WADI_MEMORY, "out of memory");
    if (st == WADI_OK) st = check_names(m, err);
    wadi_arena_destroy(arena);
    wadi_arena_destroy(copies);
    free(v.state);
    return st;
}
