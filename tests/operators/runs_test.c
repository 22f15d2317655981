/* What operators mean, by small programs that the interpreter runs: every output, every array of a stream, or the fault, in
 * tests/operators/cases/runs_*.txt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "graph/ir/literal.h"
#include "operators/interp/interp.h"
#include "operators/rules.h"
#include "tests/operators/cases.h"

static void tell_field(const wadi_array *a, int f, wadi_text *out) {
    const int64_t n = wadi_array_size(a);
    const int size = wadi_type_size(a->type[f]);
    for (int64_t i = 0; i < n; i++) {
        wadi_text_add(out, " ");
        wadi_literal_print(wadi_scalar_load(a->type[f], (const char *)a->column[f] + i * size),
                           true, out);
    }
}

/* "i64[2, 3] 1 2 3 4 5 6", fields one behind the other */
static void tell_array(const wadi_array *a, wadi_text *out) {
    for (int f = 0; f < a->fields; f++) {
        wadi_text_addf(out, "%s%s", f > 0 ? "; " : " ", wadi_type_name(a->type[f]));
        for (int d = 0; d < a->rank; d++)
            wadi_text_addf(out, "%s%lld", d > 0 ? ", " : "[", (long long)a->shape[d]);
        if (a->rank > 0) wadi_text_add(out, "]");
        tell_field(a, f, out);
    }
    wadi_text_add(out, "\n");
}

static void tell_results(const wadi_interp_results *r, wadi_text *out) {
    for (int i = 0; i < r->noutputs; i++) {
        wadi_text_add(out, r->outputs[i].name);
        tell_array(&r->outputs[i].array, out);
    }
    for (int i = 0; i < r->nsinks; i++) {
        const wadi_interp_sink *s = &r->sinks[i];
        wadi_text_addf(out, "stream %s of %lld\n", s->name, (long long)s->n);
        for (int64_t e = 0; e < s->n; e++)
            for (int c = 0; c < s->components; c++) {
                wadi_text_addf(out, "  %lld", (long long)e);
                tell_array(&s->elements[e * s->components + c], out);
            }
    }
}

static void ran(const char *program, wadi_text *out) {
    wadi_interp_results *r = NULL;
    wadi_error err = {0};
    wadi_module *m = read_case(program, out);
    if (!m) return;
    const wadi_status st = wadi_interp_run(m, NULL, &r, &err);
    if (st == WADI_OK)
        tell_results(r, out);
    else
        wadi_text_addf(out, "%s: %s\n", wadi_status_name(st), err.msg);
    wadi_interp_results_destroy(r);
    wadi_module_destroy(m);
}

static void places_and_elements(void **state) {
    (void)state;
    check_cases("operators/cases/runs_places", ran);
}

static void reductions_and_permutations(void **state) {
    (void)state;
    check_cases("operators/cases/runs_reductions", ran);
}

static void control_and_functions(void **state) {
    (void)state;
    check_cases("operators/cases/runs_control", ran);
}

static void sequences(void **state) {
    (void)state;
    check_cases("operators/cases/runs_sequences", ran);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_and_elements),
        cmocka_unit_test(reductions_and_permutations),
        cmocka_unit_test(control_and_functions),
        cmocka_unit_test(sequences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
