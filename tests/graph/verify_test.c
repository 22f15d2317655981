/* The verifier accepts programs as the parser makes them, and reports each way of breaking one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <time.h>

#include "base/text.h"
#include "graph/op.h"
#include "operators/table.h"
#include "tests/graph/module_copy.h"
#include "tests/graph/text_programs.h"

static wadi_module *parsed(const char *text) {
    wadi_module *m = NULL;
    wadi_error err = {0};
    if (wadi_ir_parse(text, NULL, wadi_operators(), &m, &err) != WADI_OK) fail_msg("%s", err.msg);
    return m;
}

static void every_program_of_the_tests_passes(void **state) {
    (void)state;
    for (const text_program *p = text_programs; p->name; p++) {
        wadi_module *m = parsed(p->text);
        wadi_error err = {0};
        if (wadi_ir_verify(m, &err) != WADI_OK) fail_msg("%s: %s", p->name, err.msg);
        wadi_module_destroy(m);
    }
}

/* A program with something of everything, to be broken. */
static wadi_module *victim(void) {
    return parsed("program victim\n"
                  "input xs : f32[n]\n"
                  "ys = map xs (x) { if lt x 1.0f32 { mul x x } else { neg x } }\n"
                  "zs = map ys (x) { add x (xs ! 0) }\n"
                  "w = awhile zs (s) {\n"
                  "    c = unit { lt (extent s 0) 4 }\n"
                  "    yield c\n"
                  "} do (s) {\n"
                  "    d = drop dim=0 s 1\n"
                  "    yield d\n"
                  "}\n"
                  "output w\n");
}

static wadi_bind *bind_of(wadi_module *m, const char *name) {
    for (wadi_val v = 0; v < m->nvalues; v++)
        if (m->values[v].name && strcmp(m->values[v].name, name) == 0) return m->values[v].bind;
    fail_msg("no value is called %s", name);
    return NULL;
}

static void must_fail(wadi_module *m, const char *message) {
    wadi_error err = {0};
    assert_int_equal(wadi_ir_verify(m, &err), WADI_INTERNAL);
    if (!strstr(err.msg, message)) fail_msg("'%s' says nothing of '%s'", err.msg, message);
    wadi_module_destroy(m);
}

static void values_are_bound_before_they_are_used(void **state) {
    (void)state;
    wadi_module *m = victim();
    wadi_bind **b = m->main->binds;
    wadi_bind *second = b[1];
    b[1] = b[2];
    b[2] = second;
    must_fail(m, "used before it is bound");
}

static void values_stay_in_their_block(void **state) {
    (void)state;
    wadi_module *m = victim();
    m->main->yields[0] = bind_of(m, "d")->results[0];
    must_fail(m, "used outside of its block");
}

static void parameters_stay_in_their_block(void **state) {
    (void)state;
    wadi_module *m = victim();
    m->main->yields[0] = bind_of(m, "w")->blocks[1]->params[0];
    must_fail(m, "used outside of its block");
    m = victim();
    bind_of(m, "d")->args[0] = bind_of(m, "w")->blocks[0]->params[0];
    must_fail(m, "used outside of its block");
}

static void values_are_bound_once(void **state) {
    (void)state;
    wadi_module *m = victim();
    m->main->binds[2] = m->main->binds[1];
    must_fail(m, "bound twice");
}

static void values_point_back(void **state) {
    (void)state;
    wadi_module *m = victim();
    m->values[bind_of(m, "ys")->results[0]].bind = bind_of(m, "zs");
    must_fail(m, "does not point back");
}

static void results_point_back_in_order(void **state) {
    (void)state;
    wadi_module *m = victim();
    m->values[bind_of(m, "ys")->results[0]].number = 1;
    must_fail(m, "does not point back");
}

static void ranks_are_within_bounds(void **state) {
    (void)state;
    for (int rank = -1; rank <= WADI_MAX_RANK + 1; rank += WADI_MAX_RANK + 2) {
        wadi_module *m = victim();
        m->values[bind_of(m, "xs")->results[0]].type.array->rank = rank;
        must_fail(m, "has rank");
    }
}

static void types_are_those_of_the_rule(void **state) {
    (void)state;
    wadi_module *m = victim();
    m->values[bind_of(m, "ys")->results[0]].type.array->rank = 2;
    must_fail(m, "another type");
}

static void arguments_fit_the_operator(void **state) {
    (void)state;
    wadi_module *m = victim();
    bind_of(m, "d")->attrs[0] = 7;
    must_fail(m, "drop");
}

static void counts_are_those_of_the_operator(void **state) {
    (void)state;
    wadi_module *m = victim();
    bind_of(m, "w")->nblocks = 1;
    must_fail(m, "1 regions, expected 2");
}

static void regions_know_what_is_around_them(void **state) {
    (void)state;
    wadi_module *m = victim();
    bind_of(m, "w")->blocks[1]->parent = NULL;
    must_fail(m, "another parent");
}

static void scalars_are_defined_before_use(void **state) {
    (void)state;
    wadi_module *m = victim();
    wadi_fun *f = bind_of(m, "ys")->funs[0];
    f->body->yields[0] = f->body->insts[f->body->ninsts - 1]->block[0]->yields[0];
    must_fail(m, "not in scope");
}

static void scalars_are_in_their_functions_table(void **state) {
    (void)state;
    for (uint32_t more = 0; more < 3; more++) {
        wadi_module *m = victim();
        wadi_fun *f = bind_of(m, "zs")->funs[0];
        f->body->params[0] = f->nvals + more;
        must_fail(m, "not in the function's table");
    }
}

static void scalars_have_the_types_of_their_operations(void **state) {
    (void)state;
    wadi_module *m = victim();
    wadi_fun *f = bind_of(m, "zs")->funs[0];
    f->types[f->body->yields[0]] = WADI_F64;
    must_fail(m, "is f64, expected f32");
}

static void functions_read_arrays_in_scope(void **state) {
    (void)state;
    wadi_module *m = victim();
    wadi_fun *f = bind_of(m, "zs")->funs[0];
    for (int k = 0; k < f->body->ninsts; k++)
        if (f->body->insts[k]->op == WADI_SOP_INDEX)
            f->body->insts[k]->array = bind_of(m, "w")->results[0];
    must_fail(m, "used before it is bound");
}

static void outputs_have_names(void **state) {
    (void)state;
    wadi_module *m = victim();
    m->outputs[0] = NULL;
    must_fail(m, "output 1 has no name");
}

static void what_is_yielded_is_stored(void **state) {
    (void)state;
    wadi_module *m = victim();
    m->values[bind_of(m, "d")->results[0]].storage = WADI_STORE_DELAYED;
    must_fail(m, "yielded, but delayed");
}

static void inputs_are_not_delayed(void **state) {
    (void)state;
    wadi_module *m = victim();
    m->values[bind_of(m, "xs")->results[0]].storage = WADI_STORE_DELAYED;
    must_fail(m, "is delayed");
}

static void representations_need_a_stream(void **state) {
    (void)state;
    wadi_module *m = victim();
    m->values[bind_of(m, "ys")->results[0]].rep = WADI_REP_IRREGULAR;
    must_fail(m, "outside of any stream");
}

static void copies_keep_code_that_was_taken_out(void **state) {
    (void)state;
    wadi_module *m = victim();
    m->main->nbinds = 3; /* the loop goes, its values stay in the table */
    m->main->yields[0] = bind_of(m, "zs")->results[0];
    wadi_module *copy = module_copy(m);
    wadi_module_destroy(m);
    wadi_error err = {0};
    if (wadi_ir_verify(copy, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_module_destroy(copy);
}

/* A copy can be added to like what it was copied from, and neither changes the other. */
static void copies_grow_by_themselves(void **state) {
    (void)state;
    for (int more = 1; more <= 9; more++) {
        wadi_module *m = victim(), *copy = module_copy(m);
        wadi_fun *f = bind_of(copy, "ys")->funs[0];
        const int before = f->body->ninsts;
        wadi_error err = {0};
        for (int i = 0; i < more; i++) {
            static const wadi_type f32 = WADI_F32;
            wadi_sinst *inst = wadi_sinst_new(copy, WADI_SOP_CONST, 0);
            inst->imm = (wadi_scalar){WADI_F32, 0};
            inst->array = WADI_NONE;
            assert_int_not_equal(wadi_sinst_results(copy, f, inst, 1, &f32), WADI_NONE);
            assert_true(wadi_sblock_append(copy, f->body, inst));
        }
        assert_int_equal(f->body->ninsts, before + more);
        assert_int_equal(bind_of(m, "ys")->funs[0]->body->ninsts, before);
        if (wadi_ir_verify(copy, &err) != WADI_OK) fail_msg("%s", err.msg);
        if (wadi_ir_verify(m, &err) != WADI_OK) fail_msg("%s", err.msg);
        wadi_module_destroy(copy);
        wadi_module_destroy(m);
    }
}

/* The processor time, in seconds, of verifying `n` bindings: the least of some tries. */
static double seconds_of(int n) {
    wadi_text t;
    wadi_text_init(&t);
    wadi_text_add(&t, "program long\ninput y0 : f64[n]\n");
    for (int i = 0; i < n; i++) wadi_text_addf(&t, "y%d = map y%d (x) { add x 1.0 }\n", i + 1, i);
    wadi_text_addf(&t, "output y%d\n", n);
    wadi_module *m = parsed(wadi_text_str(&t));
    wadi_text_fini(&t);
    double least = 1e9;
    for (int i = 0; i < 7; i++) {
        const clock_t begun = clock();
        wadi_error err = {0};
        if (wadi_ir_verify(m, &err) != WADI_OK) fail_msg("%s", err.msg);
        const double s = (double)(clock() - begun) / CLOCKS_PER_SEC;
        if (s < least) least = s;
    }
    wadi_module_destroy(m);
    return least;
}

/* Twelve times as many bindings take about twelve times as long: a rule that is run again costs what it makes, not what the program
 * has. */
static void long_programs_are_verified_in_linear_time(void **state) {
    (void)state;
    const double few = seconds_of(500), many = seconds_of(6000);
    if (many > 48 * few) fail_msg("500 bindings take %g s, 6000 take %g s", few, many);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_program_of_the_tests_passes),
        cmocka_unit_test(values_are_bound_before_they_are_used),
        cmocka_unit_test(values_stay_in_their_block),
        cmocka_unit_test(parameters_stay_in_their_block),
        cmocka_unit_test(values_are_bound_once),
        cmocka_unit_test(values_point_back),
        cmocka_unit_test(results_point_back_in_order),
        cmocka_unit_test(ranks_are_within_bounds),
        cmocka_unit_test(types_are_those_of_the_rule),
        cmocka_unit_test(arguments_fit_the_operator),
        cmocka_unit_test(counts_are_those_of_the_operator),
        cmocka_unit_test(regions_know_what_is_around_them),
        cmocka_unit_test(scalars_are_defined_before_use),
        cmocka_unit_test(scalars_are_in_their_functions_table),
        cmocka_unit_test(scalars_have_the_types_of_their_operations),
        cmocka_unit_test(functions_read_arrays_in_scope),
        cmocka_unit_test(outputs_have_names),
        cmocka_unit_test(what_is_yielded_is_stored),
        cmocka_unit_test(inputs_are_not_delayed),
        cmocka_unit_test(representations_need_a_stream),
        cmocka_unit_test(copies_keep_code_that_was_taken_out),
        cmocka_unit_test(copies_grow_by_themselves),
        cmocka_unit_test(long_programs_are_verified_in_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
