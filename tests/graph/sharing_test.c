/* Sharing recovery: which value is bound in which block. Programs are built with the C builder, lowered, and inspected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "graph/lang/node.h"
#include "operators/table.h"

/* ---- looking at a module ---- */

static wadi_module *lowered(wadi_program *p) {
    wadi_module *m = NULL;
    wadi_error err = {.status = WADI_OK};
    if (wadi_program_lower(p, wadi_operators(), &m, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_program_destroy(p);
    return m;
}

/* Bindings of operator `name` directly in `b`. */
static int binds_in(const wadi_block *b, const char *name) {
    int count = 0;
    for (int i = 0; i < b->nbinds; i++) count += strcmp(b->binds[i]->op->name, name) == 0;
    return count;
}

/* The number-th binding of operator `name` directly in `b`. */
static const wadi_bind *bind_in(const wadi_block *b, const char *name, int number) {
    for (int i = 0; i < b->nbinds; i++)
        if (strcmp(b->binds[i]->op->name, name) == 0 && number-- == 0) return b->binds[i];
    fail_msg("no binding of %s", name);
    return NULL;
}

static int insts_in(const wadi_sblock *b, wadi_sop op) {
    int count = 0;
    for (int i = 0; i < b->ninsts; i++) count += b->insts[i]->op == op;
    return count;
}

static const wadi_sinst *inst_in(const wadi_sblock *b, wadi_sop op) {
    for (int i = 0; i < b->ninsts; i++)
        if (b->insts[i]->op == op) return b->insts[i];
    fail_msg("no instruction %s", wadi_sop_get(op)->name);
    return NULL;
}

static wadi_acc vector(const char *name) {
    return wadi_input(name, WADI_I64, 1, (const char *const[]){"n"});
}

static wadi_exp length_plus(wadi_acc a, int64_t n) {
    return wadi_add(wadi_extent(a, 0), wadi_i64(n));
}

/* ---- inside a function ---- */

static wadi_exp square_plus_square(wadi_exp x) {
    const wadi_exp square = wadi_mul(x, x);
    return wadi_add(square, square);
}

static void a_shared_expression_is_bound_once(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_output("y", wadi_map(square_plus_square, vector("x")));
    wadi_module *m = lowered(p);
    const wadi_sblock *f = bind_in(m->main, "map", 0)->funs[0]->body;
    assert_int_equal(insts_in(f, WADI_SOP_MUL), 1);
    assert_int_equal(insts_in(f, WADI_SOP_ADD), 1);
    wadi_module_destroy(m);
}

static wadi_exp used_in_one_branch(wadi_exp x) {
    const wadi_exp square = wadi_mul(x, x);
    return wadi_cond(wadi_lt(x, wadi_i64(0)), wadi_add(square, square), x);
}

static void what_one_branch_uses_stays_in_it(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_output("y", wadi_map(used_in_one_branch, vector("x")));
    wadi_module *m = lowered(p);
    const wadi_sblock *f = bind_in(m->main, "map", 0)->funs[0]->body;
    assert_int_equal(insts_in(f, WADI_SOP_MUL), 0);
    const wadi_sinst *cond = inst_in(f, WADI_SOP_COND);
    assert_int_equal(insts_in(cond->block[0], WADI_SOP_MUL), 1);
    assert_int_equal(insts_in(cond->block[1], WADI_SOP_MUL), 0);
    wadi_module_destroy(m);
}

static wadi_exp used_in_both_branches(wadi_exp x) {
    const wadi_exp square = wadi_mul(x, x);
    return wadi_cond(wadi_lt(x, wadi_i64(0)), wadi_add(square, x), square);
}

static void what_both_branches_use_stands_before_the_condition(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_output("y", wadi_map(used_in_both_branches, vector("x")));
    wadi_module *m = lowered(p);
    const wadi_sblock *f = bind_in(m->main, "map", 0)->funs[0]->body;
    assert_int_equal(insts_in(f, WADI_SOP_MUL), 1);
    assert_int_equal(inst_in(f, WADI_SOP_COND)->block[1]->ninsts, 0);
    wadi_module_destroy(m);
}

static wadi_exp guarded_twice(wadi_exp x) {
    const wadi_exp quotient = wadi_quot(wadi_i64(100), x), fine = wadi_ne(x, wadi_i64(0));
    return wadi_add(wadi_cond(fine, quotient, x), wadi_cond(fine, wadi_neg(quotient), x));
}

static void a_division_shared_by_two_conditions_stays_in_their_branches(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_output("y", wadi_map(guarded_twice, vector("x")));
    wadi_module *m = lowered(p);
    const wadi_sblock *f = bind_in(m->main, "map", 0)->funs[0]->body;
    assert_int_equal(insts_in(f, WADI_SOP_QUOT), 0);
    assert_int_equal(insts_in(f, WADI_SOP_COND), 2);
    for (int i = 0; i < f->ninsts; i++) {
        if (f->insts[i]->op != WADI_SOP_COND) continue;
        assert_int_equal(insts_in(f->insts[i]->block[0], WADI_SOP_QUOT), 1);
        assert_int_equal(insts_in(f->insts[i]->block[1], WADI_SOP_QUOT), 0);
    }
    wadi_module_destroy(m);
}

static wadi_exp divided_on_both_sides(wadi_exp x) {
    const wadi_exp quotient = wadi_quot(wadi_i64(100), x);
    return wadi_cond(wadi_lt(x, wadi_i64(0)), wadi_neg(quotient), quotient);
}

static void a_division_needed_on_both_sides_is_bound_once_before(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_output("y", wadi_map(divided_on_both_sides, vector("x")));
    wadi_module *m = lowered(p);
    const wadi_sblock *f = bind_in(m->main, "map", 0)->funs[0]->body;
    assert_int_equal(insts_in(f, WADI_SOP_QUOT), 1);
    wadi_module_destroy(m);
}

static wadi_exp step(void *env, wadi_exp i, wadi_exp s) {
    const wadi_exp *x = env;
    return wadi_add(wadi_add(s, i), wadi_mul(*x, *x));
}

static wadi_exp loop(wadi_exp x) {
    return wadi_iterate_env(wadi_i64(10), step, &x, wadi_i64(0));
}

static void a_loop_body_keeps_only_what_changes(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_output("y", wadi_map(loop, vector("x")));
    wadi_module *m = lowered(p);
    const wadi_sblock *f = bind_in(m->main, "map", 0)->funs[0]->body;
    assert_int_equal(insts_in(f, WADI_SOP_MUL), 1);
    const wadi_sblock *body = inst_in(f, WADI_SOP_ITERATE)->block[0];
    assert_int_equal(body->nparams, 2);
    assert_int_equal(insts_in(body, WADI_SOP_ADD), 2);
    assert_int_equal(body->ninsts, 2);
    wadi_module_destroy(m);
}

/* ---- out of functions ---- */

typedef struct around {
    wadi_exp e;
    wadi_acc a;
} around;

static wadi_exp add_captured(void *env, wadi_exp x) {
    return wadi_add(x, ((around *)env)->e);
}

static void what_a_function_does_not_change_leaves_it(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_acc x = vector("x");
    around env = {.e = length_plus(x, 1)};
    wadi_output("y", wadi_map_env(add_captured, &env, x));
    wadi_module *m = lowered(p);
    assert_int_equal(binds_in(m->main, "unit"), 1);
    const wadi_sblock *unit = bind_in(m->main, "unit", 0)->funs[0]->body;
    assert_int_equal(insts_in(unit, WADI_SOP_EXTENT), 1);
    const wadi_sblock *f = bind_in(m->main, "map", 0)->funs[0]->body;
    assert_int_equal(insts_in(f, WADI_SOP_THE), 1);
    assert_int_equal(insts_in(f, WADI_SOP_ADD), 1);
    assert_int_equal(f->ninsts, 2);
    wadi_module_destroy(m);
}

static void literals_and_extents_stay_in_their_function(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_acc x = vector("x");
    around env = {.e = wadi_extent(x, 0)};
    wadi_acc y = wadi_map_env(add_captured, &env, x);
    env.e = wadi_i64(3);
    wadi_output("y", wadi_map_env(add_captured, &env, wadi_map_env(add_captured, &env, y)));
    wadi_module *m = lowered(p);
    assert_int_equal(binds_in(m->main, "unit"), 0);
    assert_int_equal(insts_in(bind_in(m->main, "map", 0)->funs[0]->body, WADI_SOP_EXTENT), 1);
    assert_int_equal(insts_in(bind_in(m->main, "map", 2)->funs[0]->body, WADI_SOP_CONST), 1);
    wadi_module_destroy(m);
}

static wadi_exp captured_if_negative(void *env, wadi_exp x) {
    return wadi_cond(wadi_lt(x, wadi_i64(0)), ((around *)env)->e, x);
}

static void nothing_leaves_a_branch(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_acc x = vector("x");
    around env = {.e = length_plus(x, 1)};
    wadi_output("y", wadi_map_env(captured_if_negative, &env, x));
    wadi_module *m = lowered(p);
    assert_int_equal(binds_in(m->main, "unit"), 0);
    const wadi_sblock *f = bind_in(m->main, "map", 0)->funs[0]->body;
    assert_int_equal(insts_in(inst_in(f, WADI_SOP_COND)->block[0], WADI_SOP_ADD), 1);
    wadi_module_destroy(m);
}

static void code_that_may_fault_stays_in_its_function(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_acc x = vector("x");
    around env = {.e = wadi_index1(x, wadi_i64(0))};
    wadi_acc y = wadi_map_env(add_captured, &env, x);
    wadi_output("y", wadi_map_env(add_captured, &env, y));
    wadi_module *m = lowered(p);
    assert_int_equal(binds_in(m->main, "unit"), 0);
    assert_int_equal(insts_in(bind_in(m->main, "map", 0)->funs[0]->body, WADI_SOP_INDEX), 1);
    assert_int_equal(insts_in(bind_in(m->main, "map", 1)->funs[0]->body, WADI_SOP_INDEX), 1);
    wadi_module_destroy(m);
}

static wadi_exp is_below(void *env, wadi_exp s) {
    return wadi_lt(s, *(const wadi_exp *)env);
}

static wadi_exp one_more(void *env, wadi_exp s) {
    (void)env;
    return wadi_add(s, wadi_i64(1));
}

/* A loop may not end: it is no more run where the program would not than code that may fault. */
static void a_loop_stays_in_its_function(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_acc x = vector("x");
    wadi_exp most = wadi_extent(x, 0);
    around env = {.e = wadi_while_env(is_below, one_more, &most, wadi_i64(0))};
    wadi_acc y = wadi_map_env(add_captured, &env, x);
    wadi_output("y", wadi_map_env(add_captured, &env, y));
    wadi_module *m = lowered(p);
    assert_int_equal(binds_in(m->main, "unit"), 0);
    assert_int_equal(insts_in(bind_in(m->main, "map", 0)->funs[0]->body, WADI_SOP_WHILE), 1);
    assert_int_equal(insts_in(bind_in(m->main, "map", 1)->funs[0]->body, WADI_SOP_WHILE), 1);
    wadi_module_destroy(m);
}

/* What a function and the predicate of a loop in it both need, in whichever order they ask, or the predicate alone. */
static wadi_exp counted_to_quotient(wadi_exp x) {
    wadi_exp quotient = wadi_quot(wadi_i64(100), x);
    const wadi_exp count = wadi_while_env(is_below, one_more, &quotient, wadi_i64(0));
    return wadi_add(count, quotient);
}

static wadi_exp quotient_and_count(wadi_exp x) {
    wadi_exp quotient = wadi_quot(wadi_i64(100), x);
    const wadi_exp count = wadi_while_env(is_below, one_more, &quotient, wadi_i64(0));
    return wadi_add(quotient, count);
}

static wadi_exp counted_twice(wadi_exp x) {
    wadi_exp quotient = wadi_quot(wadi_i64(100), x);
    const wadi_exp once = wadi_while_env(is_below, one_more, &quotient, wadi_i64(0));
    return wadi_add(once, wadi_while_env(is_below, one_more, &quotient, wadi_i64(3)));
}

static void a_division_that_a_predicate_needs_stands_once_before_the_loop(void **state) {
    (void)state;
    static const wadi_fn1 functions[] = {counted_to_quotient, quotient_and_count, counted_twice};
    for (int i = 0; i < 3; i++) {
        wadi_program *p = wadi_program_create("t");
        wadi_output("y", wadi_map(functions[i], vector("x")));
        wadi_module *m = lowered(p);
        const wadi_sblock *f = bind_in(m->main, "map", 0)->funs[0]->body;
        assert_int_equal(insts_in(f, WADI_SOP_QUOT), 1);
        assert_int_equal(insts_in(inst_in(f, WADI_SOP_WHILE)->block[0], WADI_SOP_QUOT), 0);
        wadi_module_destroy(m);
    }
}

static wadi_exp add_the_sum(void *env, wadi_exp x) {
    return wadi_add(x, wadi_the(((around *)env)->a));
}

static void an_array_shared_by_two_functions_is_bound_once_before_both(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_acc x = vector("x");
    around env = {.a = wadi_fold(wadi_add, wadi_i64(0), x)};
    wadi_acc y = wadi_map_env(add_the_sum, &env, x);
    wadi_output("z", wadi_map_env(add_the_sum, &env, y));
    wadi_module *m = lowered(p);
    assert_int_equal(binds_in(m->main, "fold"), 1);
    assert_ptr_equal(m->main->binds[1], bind_in(m->main, "fold", 0));
    const wadi_val sum = bind_in(m->main, "fold", 0)->results[0];
    for (int i = 0; i < 2; i++) {
        const wadi_sblock *f = bind_in(m->main, "map", i)->funs[0]->body;
        assert_int_equal(inst_in(f, WADI_SOP_THE)->array, sum);
    }
    wadi_module_destroy(m);
}

static wadi_exp sum_inside(void *env, wadi_exp x) {
    const around *a = env;
    return wadi_cond(wadi_lt(x, wadi_i64(0)), wadi_the(wadi_fold(wadi_add, wadi_i64(0), a->a)), x);
}

static void array_code_always_leaves_scalar_functions(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    around env = {.a = vector("x")};
    wadi_output("y", wadi_map_env(sum_inside, &env, env.a));
    wadi_module *m = lowered(p);
    assert_int_equal(binds_in(m->main, "fold"), 1);
    wadi_module_destroy(m);
}

static wadi_exp first_index(wadi_ix ix) {
    return ix.at[0];
}

static void an_extent_that_two_operators_use_is_one_unit(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    const wadi_exp n = length_plus(vector("x"), 1);
    wadi_output("a", wadi_generate(wadi_ix1(n), first_index));
    wadi_output("b", wadi_generate(wadi_ix2(n, wadi_i32(7)), first_index));
    wadi_module *m = lowered(p);
    assert_int_equal(binds_in(m->main, "unit"), 1);
    const wadi_bind *a = bind_in(m->main, "generate", 0), *b = bind_in(m->main, "generate", 1);
    assert_int_equal(a->args[0], b->args[0]);
    assert_int_equal(m->values[b->args[1]].def, WADI_DEF_CONST);
    assert_int_equal(m->values[b->args[1]].imm.type, WADI_I64);
    wadi_module_destroy(m);
}

/* ---- array code ---- */

static wadi_acc doubled(wadi_acc x) {
    return wadi_zip_with(wadi_add, x, x);
}

static void both_sides_of_acond_keep_their_own(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_acc x = vector("x");
    wadi_acc shared = wadi_map(wadi_neg, x);
    wadi_acc a = wadi_zip_with(wadi_mul, shared, x), b = doubled(shared);
    wadi_exp c = wadi_lt(wadi_extent(x, 0), wadi_i64(5));
    wadi_output("y", wadi_acond(c, a, b));
    wadi_module *m = lowered(p);
    assert_int_equal(binds_in(m->main, "map"), 1);
    assert_int_equal(binds_in(m->main, "zip_with"), 0);
    const wadi_bind *acond = bind_in(m->main, "acond", 0);
    assert_int_equal(acond->blocks[0]->nbinds, 1);
    assert_int_equal(acond->blocks[1]->nbinds, 1);
    wadi_module_destroy(m);
}

static wadi_acc small(wadi_acc s) {
    return wadi_unit(wadi_lt(wadi_index1(s, wadi_i64(0)), wadi_i64(1000)));
}

static wadi_acc grow(void *env, wadi_acc s) {
    return wadi_zip_with(wadi_add, s, wadi_map(wadi_abs, ((around *)env)->a));
}

static wadi_acc small_env(void *env, wadi_acc s) {
    (void)env;
    return small(s);
}

static void what_awhile_does_not_change_leaves_it(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    around env = {.a = vector("x")};
    wadi_output("y", wadi_awhile_env(small_env, grow, &env, env.a));
    wadi_module *m = lowered(p);
    assert_int_equal(binds_in(m->main, "map"), 1);
    const wadi_bind *loop_bind = bind_in(m->main, "awhile", 0);
    assert_int_equal(loop_bind->blocks[1]->nbinds, 1);
    assert_int_equal(loop_bind->blocks[0]->nbinds, 1);
    wadi_module_destroy(m);
}

static wadi_acc with_invariant(void *env, wadi_acc s) {
    return wadi_zip_with(wadi_add, s, wadi_map(wadi_abs, ((around *)env)->a));
}

static void a_stream_body_keeps_what_only_it_uses_but_not_sources(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    const wadi_component part = {.elem = wadi_scalar_elem(WADI_I64), .rank = 1};
    around env = {.a = vector("x")};
    wadi_seq s = wadi_map_seq_env(with_invariant, &env, wadi_stream_in("in", 1, &part));
    wadi_stream_out(s, "out");
    wadi_module *m = lowered(p);
    assert_int_equal(binds_in(m->main, "input"), 1);
    assert_int_equal(binds_in(m->main, "stream_in"), 1);
    assert_int_equal(binds_in(m->main, "stream_out"), 1);
    const wadi_bind *map_seq = bind_in(m->main, "map_seq", 0);
    assert_int_equal(map_seq->blocks[0]->nbinds, 2);
    assert_string_equal(m->values[bind_in(m->main, "input", 0)->results[0]].name, "x");
    wadi_module_destroy(m);
}

static void what_nothing_uses_vanishes(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_acc x = vector("x");
    (void)wadi_map(wadi_neg, x);
    (void)wadi_map(wadi_neg, wadi_iota(WADI_F32, wadi_i64(3)));
    wadi_output("y", wadi_map(wadi_abs, x));
    wadi_module *m = lowered(p);
    assert_int_equal(m->main->nbinds, 2);
    wadi_module_destroy(m);
}

/* ---- size and depth ---- */

static wadi_exp doubled_60_times(wadi_exp x) {
    for (int i = 0; i < 60; i++) x = wadi_add(x, x);
    return x;
}

static void doubling_60_times_makes_60_additions(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_acc y = wadi_map(doubled_60_times, vector("x"));
    for (int i = 0; i < 60; i++) y = doubled(y);
    wadi_output("y", y);
    wadi_module *m = lowered(p);
    assert_int_equal(bind_in(m->main, "map", 0)->funs[0]->body->ninsts, 60);
    assert_int_equal(binds_in(m->main, "zip_with"), 60);
    wadi_module_destroy(m);
}

enum { DEEP = 100000 };

static wadi_exp deep_sum(wadi_exp x) {
    wadi_exp s = x;
    for (int i = 0; i < DEEP; i++) s = wadi_add(s, x);
    return s;
}

static void a_chain_of_100000_operations_needs_no_deep_stack(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_output("y", wadi_map(deep_sum, vector("x")));
    wadi_module *m = lowered(p);
    assert_int_equal(bind_in(m->main, "map", 0)->funs[0]->body->ninsts, DEEP);
    wadi_module_destroy(m);
}

static void a_chain_of_10000_arrays_lowers(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_acc y = vector("x");
    for (int i = 0; i < DEEP / 10; i++) y = wadi_map(wadi_neg, y);
    wadi_output("y", y);
    wadi_module *m = lowered(p);
    assert_int_equal(binds_in(m->main, "map"), DEEP / 10);
    wadi_module_destroy(m);
}

static void a_chain_of_closed_scalars_read_by_many_functions_stays_linear(void **state) {
    (void)state;
    enum { FUNCTIONS = 200 };
    wadi_program *p = wadi_program_create("t");
    wadi_acc x = vector("x");
    around env = {.e = wadi_extent(x, 0)};
    for (int i = 0; i < FUNCTIONS; i++) {
        env.e = wadi_add(env.e, env.e);
        x = wadi_map_env(add_captured, &env, x);
    }
    wadi_output("y", x);
    wadi_module *m = lowered(p);
    assert_int_equal(binds_in(m->main, "unit"), FUNCTIONS);
    for (int i = 0; i < FUNCTIONS; i++)
        assert_true(bind_in(m->main, "unit", i)->funs[0]->body->ninsts <= 2);
    wadi_module_destroy(m);
}

/* ---- records ---- */

static wadi_exp both(wadi_exp x) {
    return wadi_rec2("sum", wadi_add(x, x), "product", wadi_mul(x, x));
}

static wadi_exp swap(wadi_exp r) {
    return wadi_rec2("sum", wadi_get(r, "product"), "product", wadi_get(r, "sum"));
}

static void records_become_fields(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_output("y", wadi_map(swap, wadi_map(both, vector("x"))));
    wadi_module *m = lowered(p);
    const wadi_bind *first = bind_in(m->main, "map", 0), *second = bind_in(m->main, "map", 1);
    assert_int_equal(first->funs[0]->body->nyields, 2);
    assert_string_equal(first->funs[0]->names[1], "product");
    const wadi_sblock *f = second->funs[0]->body;
    assert_int_equal(f->nparams, 2);
    assert_int_equal(f->ninsts, 0);
    assert_int_equal(f->yields[0], f->params[1]);
    assert_int_equal(f->yields[1], f->params[0]);
    wadi_module_destroy(m);
}

static void a_tuple_gives_one_output_per_array(void **state) {
    (void)state;
    wadi_program *p = wadi_program_create("t");
    wadi_acc x = vector("x");
    wadi_output("both", wadi_tuple2(x, wadi_map(wadi_neg, x)));
    wadi_module *m = lowered(p);
    assert_int_equal(m->main->nyields, 2);
    assert_string_equal(m->outputs[0], "both.0");
    assert_string_equal(m->outputs[1], "both.1");
    wadi_module_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shared_expression_is_bound_once),
        cmocka_unit_test(what_one_branch_uses_stays_in_it),
        cmocka_unit_test(what_both_branches_use_stands_before_the_condition),
        cmocka_unit_test(a_division_shared_by_two_conditions_stays_in_their_branches),
        cmocka_unit_test(a_division_needed_on_both_sides_is_bound_once_before),
        cmocka_unit_test(a_loop_body_keeps_only_what_changes),
        cmocka_unit_test(what_a_function_does_not_change_leaves_it),
        cmocka_unit_test(literals_and_extents_stay_in_their_function),
        cmocka_unit_test(nothing_leaves_a_branch),
        cmocka_unit_test(code_that_may_fault_stays_in_its_function),
        cmocka_unit_test(a_loop_stays_in_its_function),
        cmocka_unit_test(a_division_that_a_predicate_needs_stands_once_before_the_loop),
        cmocka_unit_test(an_array_shared_by_two_functions_is_bound_once_before_both),
        cmocka_unit_test(array_code_always_leaves_scalar_functions),
        cmocka_unit_test(an_extent_that_two_operators_use_is_one_unit),
        cmocka_unit_test(both_sides_of_acond_keep_their_own),
        cmocka_unit_test(what_awhile_does_not_change_leaves_it),
        cmocka_unit_test(a_stream_body_keeps_what_only_it_uses_but_not_sources),
        cmocka_unit_test(what_nothing_uses_vanishes),
        cmocka_unit_test(doubling_60_times_makes_60_additions),
        cmocka_unit_test(a_chain_of_100000_operations_needs_no_deep_stack),
        cmocka_unit_test(a_chain_of_10000_arrays_lowers),
        cmocka_unit_test(a_chain_of_closed_scalars_read_by_many_functions_stays_linear),
        cmocka_unit_test(records_become_fields),
        cmocka_unit_test(a_tuple_gives_one_output_per_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
