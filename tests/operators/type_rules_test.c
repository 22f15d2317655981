/* Type rules look at everything. In a correct program, changing the type of one parameter of a function or region, of one argument
 * or of one yield must be refused, unless the types of the results change too.
 *
 * All readable programs of tests/operators/cases are used, so every operator occurs with every form of its arguments. */
#include <stdio.h>
#include <string.h>

#include "graph/op.h"
#include "tests/operators/cases.h"
#include "tests/operators/support.h"

/* A binding, and which of the things around it has been changed. */
typedef struct looked_at {
    wadi_module *m;
    const wadi_bind *b;
    const char *program;
    bool *seen; /* [operator] */
} looked_at;

static bool same_results(const wadi_module *m, const wadi_bind *a, const wadi_bind *b) {
    bool same = a->nresults == b->nresults;
    for (int r = 0; same && r < a->nresults; r++)
        same = wadi_val_type_equal(&m->values[a->results[r]].type, &m->values[b->results[r]].type);
    return same;
}

/* Whether the operator takes the binding as it is now, for results like those it has. */
static bool is_taken(const looked_at *l) {
    wadi_bind again = *l->b;
    wadi_error err = {0};
    again.results = NULL;
    again.nresults = 0;
    return l->b->op->type(l->m, &again, &err) == WADI_OK && same_results(l->m, l->b, &again);
}

static void must_not_be(const looked_at *l, const char *what, int i, int k) {
    if (is_taken(l))
        fail_msg("%s: %s %d of %d has another type, and nothing is said:\n%s", l->b->op->name, what,
                 k, i, l->program);
}

/* A type that is not taken for `t`: whole numbers of any width may stand for others. */
static wadi_type other(wadi_type t) {
    return t == WADI_BOOL ? WADI_F32 : wadi_type_is_int(t) ? WADI_F64 : WADI_BOOL;
}

/* ---- functions ---- */

static void change_scalar(const looked_at *l, wadi_fun *f, wadi_sval s, const char *what, int i,
                          int k) {
    const wadi_type before = f->types[s];
    f->types[s] = other(before);
    must_not_be(l, what, i, k);
    f->types[s] = before;
}

static void change_functions(const looked_at *l) {
    for (int i = 0; i < l->b->nfuns; i++) {
        wadi_fun *f = l->b->funs[i];
        wadi_sblock *body = f->body;
        for (int k = 0; k < body->nparams; k++)
            change_scalar(l, f, body->params[k], "parameter of function", i, k);
        for (int k = 0; k < body->nyields; k++)
            change_scalar(l, f, body->yields[k], "result of function", i, k);
        if (body->nparams > 0) {
            body->nparams--;
            must_not_be(l, "number of parameters of function", i, 0);
            body->nparams++;
        }
        if (body->nyields > 0) {
            body->nyields--;
            must_not_be(l, "number of results of function", i, 0);
            body->nyields++;
        }
    }
}

/* ---- arrays ---- */

/* Arrays that are taken in any rank for the same results, with all their elements in order. */
static bool takes_any_rank(const looked_at *l, wadi_val v) {
    static const char *const names[] = {"reshape", "elements", "from_seq", "windows", "fold_batch"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(l->b->op->name, names[i]) == 0 && l->b->args[0] == v) return true;
    return false;
}

/* Each component of a value gets another element and another rank. */
static void change_value(const looked_at *l, wadi_val v, const char *what, int i, int k) {
    wadi_val_type *t = &l->m->values[v].type;
    const wadi_val_type before = *t;
    wadi_array_type changed[WADI_MAX_PARAMS];
    const int n = before.arrays;
    for (int c = 0; c < n; c++) {
        const wadi_elem *e = &before.array[c].elem;
        for (int f = 0; f < e->fields; f++) {
            memcpy(changed, before.array, (size_t)n * sizeof *changed);
            changed[c].elem.type[f] = other(e->type[f]);
            l->m->values[v].type.array = changed;
            must_not_be(l, what, i, k);
        }
        if (takes_any_rank(l, v)) continue;
        memcpy(changed, before.array, (size_t)n * sizeof *changed);
        changed[c].rank += changed[c].rank < WADI_MAX_RANK ? 1 : -1;
        changed[c].extent = NULL;
        l->m->values[v].type.array = changed;
        must_not_be(l, what, i, k);
    }
    l->m->values[v].type = before;
}

static void change_regions(const looked_at *l) {
    for (int i = 0; i < l->b->nblocks; i++) {
        wadi_block *r = l->b->blocks[i];
        for (int k = 0; k < r->nparams; k++)
            change_value(l, r->params[k], "parameter of region", i, k);
        for (int k = 0; k < r->nyields; k++) change_value(l, r->yields[k], "yield of region", i, k);
    }
}

static void change_arguments(const looked_at *l) {
    for (int k = 0; k < l->b->nargs; k++) change_value(l, l->b->args[k], "argument", 0, k);
}

/* ---- programs ---- */

static void look_at_block(looked_at *l, const wadi_block *block) {
    const wadi_op_table *all = wadi_operators();
    for (int i = 0; i < block->nbinds; i++) {
        const wadi_bind *b = block->binds[i];
        for (int k = 0; k < b->nblocks; k++) look_at_block(l, b->blocks[k]);
        if (b->nresults == 0 || (b->nargs == 0 && b->nfuns == 0 && b->nblocks == 0)) continue;
        l->b = b;
        if (!is_taken(l)) fail_msg("%s is not taken as it is:\n%s", b->op->name, l->program);
        for (int o = 0; o < all->n; o++) l->seen[o] = l->seen[o] || all->ops[o] == b->op;
        change_functions(l);
        change_regions(l);
        change_arguments(l);
    }
}

static void look_at(const char *program, void *env) {
    wadi_error err = {0};
    looked_at l = {.program = program, .seen = env};
    if (wadi_ir_parse(program, "t", wadi_operators(), &l.m, &err) != WADI_OK) return;
    look_at_block(&l, l.m->main);
    wadi_module_destroy(l.m);
}

static void nothing_may_have_another_type(void **state) {
    static const char *const files[] = {"facts_arrays",  "facts_bodies", "facts_sequences",
                                        "runs_control",  "runs_places",  "runs_reductions",
                                        "runs_sequences"};
    const wadi_op_table *all = wadi_operators();
    bool seen[256] = {false};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "operators/cases/%s", files[i]);
        each_case(name, look_at, seen);
    }
    for (int o = 0; o < all->n; o++) {
        const char *name = all->ops[o]->name;
        const bool declared = strcmp(name, "input") == 0 || strcmp(name, "use") == 0 ||
                              strcmp(name, "stream_in") == 0 ||
                              all->ops[o]->seq.form == WADI_SEQ_DELIVER;
        if (!seen[o] && !declared) fail_msg("no program has a %s", name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_may_have_another_type)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
