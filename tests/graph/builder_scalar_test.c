/* The scalar builder functions: what each call becomes, seen in the function of a map or a generate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "graph/lang/node.h"
#include "operators/table.h"

static wadi_module *lowered(wadi_program *p) {
    wadi_module *m = NULL;
    wadi_error err = {.status = WADI_OK};
    if (wadi_program_lower(p, wadi_operators(), &m, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_program_destroy(p);
    return m;
}

/* The function of the last binding of the main block. */
static const wadi_fun *last_fun(const wadi_module *m) {
    const wadi_bind *b = m->main->binds[m->main->nbinds - 1];
    assert_true(b->nfuns > 0);
    return b->funs[b->nfuns - 1];
}

/* The program that maps `f` over a vector of `t`. */
static wadi_module *mapped(wadi_fn1 f, wadi_type t) {
    wadi_program *p = wadi_program_create("t");
    wadi_output("y", wadi_map(f, wadi_input("x", t, 1, NULL)));
    return lowered(p);
}

static const wadi_sinst *find(const wadi_sblock *b, wadi_sop op) {
    for (int i = 0; i < b->ninsts; i++)
        if (b->insts[i]->op == op) return b->insts[i];
    return NULL;
}

static wadi_exp divided(wadi_exp x) {
    return wadi_div(x, x);
}

static void division_of_floats_and_of_integers_differ(void **state) {
    (void)state;
    wadi_module *m = mapped(divided, WADI_F64);
    assert_non_null(find(last_fun(m)->body, WADI_SOP_FDIV));
    wadi_module_destroy(m);
    m = mapped(divided, WADI_U16);
    assert_non_null(find(last_fun(m)->body, WADI_SOP_DIV));
    wadi_module_destroy(m);
}

static wadi_exp shifted_far(wadi_exp x) {
    return wadi_shl(x, wadi_u64(UINT64_C(1) << 32));
}

static void a_literal_distance_of_any_type_becomes_i32_and_saturates(void **state) {
    (void)state;
    wadi_module *m = mapped(shifted_far, WADI_I32);
    const wadi_sinst *distance = find(last_fun(m)->body, WADI_SOP_CONST);
    assert_int_equal(distance->imm.type, WADI_I32);
    assert_int_equal(distance->imm.bits, 64);
    wadi_module_destroy(m);
}

static wadi_exp shifted_by_itself(wadi_exp x) {
    return wadi_shr(x, x);
}

static void a_wide_distance_is_clamped_before_it_is_converted(void **state) {
    (void)state;
    wadi_module *m = mapped(shifted_by_itself, WADI_I64);
    const wadi_sblock *b = last_fun(m)->body;
    const wadi_sinst *convert = find(b, WADI_SOP_CONVERT), *max = find(b, WADI_SOP_MAX);
    assert_non_null(find(b, WADI_SOP_MIN));
    assert_int_equal(convert->args[0], max->first);
    assert_int_equal(find(b, WADI_SOP_SHR)->args[1], convert->first);
    wadi_module_destroy(m);
    m = mapped(shifted_by_itself, WADI_I8);
    assert_int_equal(last_fun(m)->body->ninsts, 2);
    wadi_module_destroy(m);
}

static wadi_exp literal_of_each_type(wadi_exp x) {
    (void)x;
    return wadi_rec3("a", wadi_literal(WADI_U8, 300), "b", wadi_literal(WADI_I16, -3), "c",
                     wadi_convert(WADI_F32, wadi_i32(2)));
}

static void literals_are_converted_as_they_are_made(void **state) {
    (void)state;
    wadi_module *m = mapped(literal_of_each_type, WADI_BOOL);
    const wadi_sblock *b = last_fun(m)->body;
    assert_int_equal(b->ninsts, 3);
    assert_int_equal(b->insts[0]->imm.bits, 255);
    assert_int_equal((int64_t)b->insts[1]->imm.bits, -3);
    assert_int_equal(b->insts[2]->imm.bits, 0x40000000);
    wadi_module_destroy(m);
}

static wadi_exp above_zero(wadi_exp s) {
    return wadi_gt(wadi_get(s, "n"), wadi_i32(0));
}

static wadi_exp count_down(wadi_exp s) {
    const wadi_exp n = wadi_get(s, "n");
    return wadi_rec2("n", wadi_sub(n, wadi_i32(1)), "sum", wadi_add(wadi_get(s, "sum"), n));
}

static wadi_exp sum_to(wadi_exp n) {
    return wadi_get(wadi_while(above_zero, count_down, wadi_rec2("n", n, "sum", wadi_i32(0))),
                    "sum");
}

static void the_state_of_a_loop_is_one_scalar_per_field(void **state) {
    (void)state;
    wadi_module *m = mapped(sum_to, WADI_I32);
    const wadi_fun *f = last_fun(m);
    const wadi_sinst *loop = find(f->body, WADI_SOP_WHILE);
    assert_int_equal(loop->nargs, 2);
    assert_int_equal(loop->nresults, 2);
    assert_int_equal(loop->block[0]->nparams, 2);
    assert_int_equal(loop->block[0]->nyields, 1);
    assert_int_equal(loop->block[1]->nyields, 2);
    assert_int_equal(f->body->yields[0], loop->first + 1);
    wadi_module_destroy(m);
}

static wadi_ix evens(wadi_ix ix) {
    const wadi_exp even = wadi_eq(wadi_rem(ix.at[0], wadi_i64(2)), wadi_i64(0));
    return wadi_keep_if(even, wadi_ix1(wadi_convert(WADI_I32, ix.at[0])));
}

static void a_permutation_gives_a_flag_and_i64_indices(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_acc x = wadi_input("x", WADI_F32, 1, NULL);
    wadi_output("y", wadi_permute(wadi_add, x, evens, x));
    wadi_module *m = lowered(p);
    const wadi_fun *f = last_fun(m);
    assert_int_equal(f->body->nyields, 2);
    assert_int_equal(f->types[f->body->yields[0]], WADI_BOOL);
    assert_int_equal(f->types[f->body->yields[1]], WADI_I64);
    wadi_module_destroy(m);
}

static wadi_exp linear(wadi_ix ix) {
    const wadi_ix shape = wadi_ix3(wadi_i64(2), wadi_i64(3), wadi_i64(5));
    return wadi_to_index(shape, wadi_from_index(shape, wadi_to_index(shape, ix)));
}

static void indices_of_any_rank_become_linear_and_back(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_output("y", wadi_generate(wadi_ix3(wadi_u8(2), wadi_i64(3), wadi_i32(5)), linear));
    wadi_module *m = lowered(p);
    const wadi_bind *b = m->main->binds[0];
    assert_int_equal(b->nargs, 3);
    for (int d = 0; d < 3; d++) assert_int_equal(m->values[b->args[d]].imm.type, WADI_I64);
    const wadi_fun *f = b->funs[0];
    uint64_t value[64] = {[0] = 1, [1] = 2, [2] = 4};
    for (int i = 0; i < f->body->ninsts; i++) {
        const wadi_sinst *inst = f->body->insts[i];
        wadi_scalar args[2] = {{WADI_I64, 0}, {WADI_I64, 0}}, out = inst->imm;
        for (int k = 0; k < inst->nargs; k++) args[k].bits = value[inst->args[k]];
        if (inst->op != WADI_SOP_CONST)
            assert_true(wadi_scalar_eval(inst->op, WADI_I64, args, &out));
        value[inst->first] = out.bits;
    }
    assert_int_equal(value[f->body->yields[0]], (1 * 3 + 2) * 5 + 4);
    wadi_module_destroy(m);
}

static void the_place_of_a_call_reaches_its_binding(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_acc x = wadi_acc_here(wadi_input("x", WADI_F32, 1, NULL), "a.c", 1);
    wadi_acc y = wadi_acc_here(wadi_map(wadi_neg, x), "a.c", 7);
    wadi_output("y", y);
    wadi_module *m = lowered(p);
    assert_int_equal(m->main->binds[0]->loc.line, 1);
    assert_int_equal(m->main->binds[1]->loc.line, 7);
    assert_int_equal(last_fun(m)->body->insts[0]->loc.line, 7);
    assert_string_equal(m->main->binds[1]->loc.file, "a.c");
    wadi_module_destroy(m);
}

static void host_data_is_copied(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    int32_t data[3] = {1, 2, 3};
    const wadi_array a = {
        .rank = 1, .fields = 1, .type = {WADI_I32}, .shape = {3}, .column = {data}};
    wadi_output("y", wadi_use(&a));
    data[1] = 9;
    wadi_module *m = lowered(p);
    const int32_t *copy = m->main->binds[0]->data->column[0];
    assert_int_equal(copy[1], 2);
    wadi_module_destroy(m);
}

static void values_are_named_after_sources_outputs_and_operators(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_acc x = wadi_input("x", WADI_F32, 1, NULL);
    wadi_acc y = wadi_map(wadi_neg, x);
    wadi_output("z", wadi_tuple2(wadi_map(wadi_abs, y), x));
    wadi_module *m = lowered(p);
    assert_string_equal(m->values[m->main->binds[0]->results[0]].name, "x");
    assert_string_equal(m->values[m->main->binds[1]->results[0]].name, "map");
    assert_string_equal(m->values[m->main->binds[2]->results[0]].name, "z_0");
    wadi_module_destroy(m);
}

static void a_program_without_results_is_a_mistake(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_module *m = NULL;
    assert_int_equal(wadi_program_lower(p, wadi_operators(), &m, NULL), WADI_INVALID);
    (void)wadi_add(wadi_i32(1), wadi_f32(1));
    wadi_error err;
    assert_int_equal(wadi_program_lower(p, wadi_operators(), &m, &err), WADI_TYPE);
    assert_null(m);
    wadi_program_destroy(p);
}

static wadi_exp lowers_its_program(wadi_exp x) {
    wadi_module *m = NULL;
    wadi_error err = {.status = WADI_OK};
    wadi_program *p = wadi_program_current();
    assert_int_equal(wadi_program_lower(p, wadi_operators(), &m, &err), WADI_INVALID);
    assert_string_equal(err.msg, "the program is compiled inside one of its own functions");
    return wadi_neg(x);
}

static wadi_exp lowers_it_in_a_round(wadi_exp i, wadi_exp x) {
    (void)i;
    return lowers_its_program(x);
}

static wadi_exp lowers_it_deeper(wadi_exp x) {
    return wadi_iterate(wadi_i64(2), lowers_it_in_a_round, x);
}

static void a_program_is_whole_only_outside_of_its_functions(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("p");
    wadi_module *m = NULL;
    const wadi_acc x = wadi_iota(WADI_F32, wadi_i64(3));
    wadi_output("x", wadi_map(lowers_its_program, x));
    wadi_output("y", wadi_map(lowers_it_deeper, x));
    assert_int_equal(wadi_program_lower(p, wadi_operators(), &m, NULL), WADI_OK);
    wadi_module_destroy(m);
    wadi_program_destroy(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_is_whole_only_outside_of_its_functions),
        cmocka_unit_test(division_of_floats_and_of_integers_differ),
        cmocka_unit_test(a_literal_distance_of_any_type_becomes_i32_and_saturates),
        cmocka_unit_test(a_wide_distance_is_clamped_before_it_is_converted),
        cmocka_unit_test(literals_are_converted_as_they_are_made),
        cmocka_unit_test(the_state_of_a_loop_is_one_scalar_per_field),
        cmocka_unit_test(a_permutation_gives_a_flag_and_i64_indices),
        cmocka_unit_test(indices_of_any_rank_become_linear_and_back),
        cmocka_unit_test(the_place_of_a_call_reaches_its_binding),
        cmocka_unit_test(host_data_is_copied),
        cmocka_unit_test(values_are_named_after_sources_outputs_and_operators),
        cmocka_unit_test(a_program_without_results_is_a_mistake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
