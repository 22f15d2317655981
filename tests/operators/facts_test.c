/* What the analyses know about each value of a program: extents, dependence on the stream, and the equalities to be checked, in
 * tests/operators/cases/facts_*.txt.
 *
 * There is a line for each value: its name, its number, its type, its extents (after '=', if more was learned about them later), and
 * how it is stored within a body over a stream. Extents are named as in wadi_ext_print: %3.0 is extent 0 of value 3, %3 the number in
 * it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "graph/analysis/depend.h"
#include "graph/op.h"
#include "tests/operators/cases.h"

typedef struct analysed {
    wadi_module *m;
    wadi_shapes *s;
    wadi_deps *d;
    wadi_text *out;
} analysed;

static void tell_elem(const analysed *a, const wadi_elem *e) {
    for (int f = 0; f < e->fields; f++)
        wadi_text_addf(a->out, "%s%s", f > 0 ? "+" : "", wadi_type_name(e->type[f]));
}

static void tell_component(const analysed *a, wadi_val v, int comp) {
    static const char *const reps[] = {[WADI_REP_AVOID] = "avoid",
                                       [WADI_REP_REGULAR] = "regular",
                                       [WADI_REP_IRREGULAR] = "irregular"};
    const wadi_array_type *t = &a->m->values[v].type.array[comp];
    wadi_extents *x = a->s->extents;
    wadi_text_add(a->out, " ");
    tell_elem(a, &t->elem);
    for (int d = 0; d < t->rank; d++) {
        const wadi_ext e = wadi_shapes_extent(a->s, v, comp, d);
        wadi_text_add(a->out, d > 0 ? ", " : "[");
        if (e == WADI_EXT_NONE) {
            wadi_text_add(a->out, "none");
            continue;
        }
        wadi_ext_print(x, e, a->out);
        if (wadi_ext_norm(x, e) == e) continue;
        wadi_text_add(a->out, " = ");
        wadi_ext_print(x, wadi_ext_norm(x, e), a->out);
    }
    if (t->rank > 0) wadi_text_add(a->out, "]");
    wadi_text_addf(a->out, " %s", reps[wadi_rep_of(wadi_deps_get(a->d, v, comp))]);
}

static void tell_value(const analysed *a, wadi_val v, int indent) {
    const wadi_value *value = &a->m->values[v];
    for (int k = 0; k < indent; k++) wadi_text_add(a->out, "  ");
    wadi_text_addf(a->out, "%s %%%u:", value->name ? value->name : "?", v);
    for (int c = 0; c < value->type.arrays; c++) {
        if (c > 0) wadi_text_add(a->out, ",");
        tell_component(a, v, c);
    }
    wadi_text_add(a->out, value->type.is_seq ? " stream\n" : "\n");
}

static void tell_block(const analysed *a, const wadi_block *b, int indent) {
    for (int p = 0; p < b->nparams; p++) tell_value(a, b->params[p], indent);
    for (int i = 0; i < b->nbinds; i++) {
        const wadi_bind *bind = b->binds[i];
        const bool declared = bind->nargs == 0 && bind->nfuns == 0 && bind->nblocks == 0;
        for (int k = 0; k < bind->nblocks; k++) tell_block(a, bind->blocks[k], indent + 1);
        for (int r = 0; r < bind->nresults && !declared; r++)
            tell_value(a, bind->results[r], indent);
    }
}

static void tell_checks(const analysed *a) {
    for (int i = 0; i < a->s->nchecks; i++) {
        const wadi_shape_check *c = &a->s->checks[i];
        wadi_text_addf(a->out, "check of %s: ", c->bind->op->name);
        wadi_ext_print(a->s->extents, c->a, a->out);
        wadi_text_add(a->out, " = ");
        wadi_ext_print(a->s->extents, c->b, a->out);
        wadi_text_addf(a->out, ", %s, dimension %d\n", c->what, c->dim);
    }
}

static void facts(const char *program, wadi_text *out) {
    analysed a = {.out = out};
    wadi_error err = {0};
    a.m = read_case(program, out);
    if (!a.m) return;
    if (wadi_shapes_analyse(a.m, &a.s, &err) != WADI_OK ||
        wadi_depend_analyse(a.m, a.s, &a.d, &err) != WADI_OK) {
        wadi_text_addf(out, "%s\n", err.msg);
    } else {
        tell_block(&a, a.m->main, 0);
        tell_checks(&a);
    }
    wadi_deps_destroy(a.d);
    wadi_shapes_destroy(a.s);
    wadi_module_destroy(a.m);
}

static void of_array_operators(void **state) {
    (void)state;
    check_cases("operators/cases/facts_arrays", facts);
}

static void of_control_and_sequences(void **state) {
    (void)state;
    check_cases("operators/cases/facts_sequences", facts);
}

static void within_the_body_of_a_stream(void **state) {
    (void)state;
    check_cases("operators/cases/facts_bodies", facts);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_array_operators),
        cmocka_unit_test(of_control_and_sequences),
        cmocka_unit_test(within_the_body_of_a_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
