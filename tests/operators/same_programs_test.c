/* The text of a program says everything about it. Every program in tests/operators/cases is printed and read again, with and without
 * places, and copied with the original destroyed. It then prints and runs as before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operators/rules.h"
#include "tests/graph/module_copy.h"
#include "tests/operators/cases.h"
#include "tests/operators/support.h"

static wadi_module *parsed(const char *text) {
    wadi_module *m = NULL;
    wadi_error err = {0};
    if (wadi_ir_parse(text, "t", wadi_operators(), &m, &err) != WADI_OK)
        fail_msg("%s\n%s", err.msg, text);
    return m;
}

static char *printed(const wadi_module *m, bool places) {
    wadi_text t;
    wadi_text_init(&t);
    if (places)
        wadi_ir_print_places(m, &t);
    else
        wadi_ir_print(m, &t);
    return wadi_text_take(&t);
}

/* ---- what it does ---- */

static void tell_array(const wadi_array *a, wadi_text *out) {
    for (int d = 0; d < a->rank; d++) wadi_text_addf(out, " %lld", (long long)a->shape[d]);
    for (int f = 0; f < a->fields; f++) {
        const int64_t bytes = wadi_array_size(a) * wadi_type_size(a->type[f]);
        wadi_text_addf(out, " %s:", wadi_type_name(a->type[f]));
        for (int64_t i = 0; i < bytes; i++)
            wadi_text_addf(out, "%02x", ((const unsigned char *)a->column[f])[i]);
    }
    wadi_text_add(out, "\n");
}

static void tell_results(const wadi_interp_results *r, wadi_text *out) {
    for (int i = 0; i < r->noutputs; i++) {
        wadi_text_add(out, r->outputs[i].name);
        tell_array(&r->outputs[i].array, out);
    }
    for (int i = 0; i < r->nsinks; i++) {
        wadi_text_add(out, r->sinks[i].name);
        for (int64_t e = 0; e < r->sinks[i].n * r->sinks[i].components; e++)
            tell_array(&r->sinks[i].elements[e], out);
    }
}

/* The message up to its place. Printed text numbers names that several arrays have: "in dimension 0 of a_3" is of one called a. */
static void tell_message(const char *msg, wadi_text *out) {
    const char *place = strstr(msg, ", at "), *dimension = strstr(msg, " in dimension ");
    const char *of = dimension ? strstr(dimension, " of ") : NULL;
    const char *end = place ? place : msg + strlen(msg);
    const char *name_end = of ? of + 4 + strcspn(of + 4, ", ") : end;
    if (name_end > end) name_end = end;
    const char *cut = name_end;
    while (cut > msg && cut[-1] >= '0' && cut[-1] <= '9') cut--;
    if (of && cut < name_end && cut[-1] == '_')
        wadi_text_add_n(out, msg, (size_t)(cut - 1 - msg));
    else
        wadi_text_add_n(out, msg, (size_t)(name_end - msg));
    wadi_text_add_n(out, name_end, (size_t)(end - name_end));
}

/* Results in their bits, or the message up to its place. */
static char *told(const wadi_module *m) {
    wadi_interp_results *r = NULL;
    wadi_error err = {0};
    wadi_text t;
    wadi_text_init(&t);
    if (wadi_interp_run(m, NULL, &r, &err) == WADI_OK) {
        tell_results(r, &t);
    } else {
        tell_message(err.msg, &t);
    }
    wadi_interp_results_destroy(r);
    return wadi_text_take(&t);
}

/* ---- once more ---- */

static void same_text(const char *program, const char *what, char *got, const char *want) {
    if (strcmp(got, want) != 0) fail_msg("%s:\n%s\n%s\nexpected\n%s", what, program, got, want);
    free(got);
}

static void check(const char *program, void *env) {
    wadi_module *m = NULL, *copy, *again;
    wadi_error err = {0};
    (void)env;
    if (wadi_ir_parse(program, "t", wadi_operators(), &m, &err) != WADI_OK) return;
    char *text = printed(m, false), *placed = printed(m, true), *does = told(m);
    copy = module_copy(m);
    assert_non_null(copy);
    wadi_module_destroy(m);
    same_text(program, "the copy", printed(copy, true), placed);
    same_text(program, "the copy does", told(copy), does);
    wadi_module_destroy(copy);
    again = parsed(text);
    same_text(program, "read again", printed(again, false), text);
    same_text(program, "read again it does", told(again), does);
    wadi_module_destroy(again);
    again = parsed(placed);
    same_text(program, "read again with its places", printed(again, true), placed);
    same_text(program, "read again with its places it does", told(again), does);
    same_text(program, "without the places", printed(again, false), text);
    wadi_module_destroy(again);
    free(text);
    free(placed);
    free(does);
}

static void programs_are_what_their_text_says(void **state) {
    static const char *const files[] = {"all_faults",      "facts_arrays",    "facts_bodies",
                                        "facts_sequences", "prints_bindings", "prints_functions",
                                        "prints_places",   "runs_control",    "runs_places",
                                        "runs_reductions", "runs_sequences"};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "operators/cases/%s", files[i]);
        each_case(name, check, NULL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(programs_are_what_their_text_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
