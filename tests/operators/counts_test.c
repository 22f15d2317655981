/* Numbers of arguments, functions and regions: every operator refuses a binding with one more, and regions that do not fit, before
 * it looks inside them. Program text cannot have such bindings, but a wrong pass could make them. */
#include <stdio.h>
#include <string.h>

#include "graph/op.h"
#include "tests/operators/support.h"

enum { ARGS = 200, ATTRS = 9 };

/* A binding of nothing but the argument `v`, again and again. */
static wadi_bind *made(wadi_module *m, const wadi_op *op, wadi_val v, int nargs, int nfuns,
                       int nblocks) {
    wadi_bind *b = wadi_bind_new(m, op, nargs, nfuns, nblocks, 0);
    assert_non_null(b);
    for (int i = 0; i < nargs; i++) assert_int_equal(b->args[i], WADI_NONE);
    for (int i = 0; i < nargs; i++) b->args[i] = v;
    return b;
}

/* The first number of arguments the operator does not complain of. */
static int takes(wadi_module *m, const wadi_op *op, wadi_val v) {
    for (int n = 0; n < ARGS; n++) {
        wadi_error err = {0};
        wadi_bind *b = made(m, op, v, n, op->nfuns + 1, op->nblocks + 1);
        assert_int_not_equal(op->type(m, b, &err), WADI_OK);
        if (!strstr(err.msg, n == 1 ? " argument, expected " : " arguments, expected ")) return n;
        assert_int_equal(err.status, WADI_INVALID);
    }
    fail_msg("%s takes no number of arguments", op->name);
    return -1;
}

static void refused(wadi_module *m, const wadi_op *op, wadi_val v, int nargs, int nfuns,
                    int nblocks) {
    char want[128];
    wadi_error err = {0};
    (void)snprintf(want, sizeof want, "%s: %d functions and %d regions, expected %d and %d",
                   op->name, nfuns, nblocks, op->nfuns, op->nblocks);
    const wadi_status st = op->type(m, made(m, op, v, nargs, nfuns, nblocks), &err);
    if (st != WADI_INVALID || strcmp(err.msg, want) != 0)
        fail_msg("\"%s\", expected \"%s\"", err.msg, want);
}

static void functions_and_regions_are_counted(void **state) {
    const wadi_op_table *all = wadi_operators();
    (void)state;
    wadi_module *m = wadi_module_create("p");
    assert_non_null(m);
    m->main = wadi_block_new(m, NULL);
    const wadi_val v = wadi_const_val(m, (wadi_scalar){WADI_I64, 3});
    for (int i = 0; i < all->n; i++) {
        const wadi_op *op = all->ops[i];
        if (op->nfuns < 0 || op->nblocks < 0) continue;
        const int n = takes(m, op, v);
        refused(m, op, v, n, op->nfuns + 1, op->nblocks);
        refused(m, op, v, n, op->nfuns, op->nblocks + 1);
        if (op->nfuns > 0) refused(m, op, v, n, op->nfuns - 1, op->nblocks);
        if (op->nblocks > 0) refused(m, op, v, n, op->nfuns, op->nblocks - 1);
    }
    wadi_module_destroy(m);
}

/* Arguments that are no value at all are told by their number. */
static void arguments_that_are_missing_are_told(void **state) {
    const wadi_op_table *all = wadi_operators();
    (void)state;
    wadi_module *m = wadi_module_create("p");
    assert_non_null(m);
    m->main = wadi_block_new(m, NULL);
    const wadi_val v = wadi_const_val(m, (wadi_scalar){WADI_I64, 3});
    for (int i = 0; i < all->n; i++) {
        const wadi_op *op = all->ops[i];
        if (op->nfuns < 0 || op->nblocks < 0) continue;
        const int n = takes(m, op, v);
        for (int k = 0; k < n; k++) {
            char want[64];
            wadi_error err = {0};
            wadi_bind *b = made(m, op, v, n, op->nfuns, op->nblocks);
            b->args[k] = m->nvalues;
            (void)snprintf(want, sizeof want, "%s: argument %d is missing", op->name, k + 1);
            assert_int_equal(op->type(m, b, &err), WADI_INVALID);
            assert_string_equal(err.msg, want);
        }
    }
    wadi_module_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_and_regions_are_counted),
        cmocka_unit_test(arguments_that_are_missing_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
