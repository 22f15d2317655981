/* Limits of symbolic extents: the largest that are still known, and the first that are not. The limits of graph/analysis/extent.c
 * are repeated here, because a lower limit could refuse programs that compile today. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "graph/analysis/extent.h"

enum { TERMS = 1024, FACTORS = 64, NESTING = 200, FACTS = 256 };

static int make(void **state) {
    *state = wadi_extents_create();
    return *state ? 0 : -1;
}

static int drop(void **state) {
    wadi_extents_destroy(*state);
    return 0;
}

/* The sum of dimensions `dim` of n values. */
static wadi_ext sum(wadi_extents *x, int n, int dim) {
    wadi_ext e = wadi_ext_const(x, 0);
    for (int v = 0; v < n; v++) e = wadi_ext_add(x, e, wadi_ext_dim(x, (wadi_val)v, 0, dim));
    return e;
}

static void known(const wadi_extents *x) {
    assert_int_equal(wadi_extents_failed(x), WADI_OK);
}

static void given_up(const wadi_extents *x) {
    assert_int_equal(wadi_extents_failed(x), WADI_UNSUPPORTED);
}

static void terms_of_a_sum(void **state) {
    wadi_extents *x = *state;
    const wadi_ext e = sum(x, TERMS, 0);
    known(x);
    assert_int_equal(wadi_ext_get(x, e)->n, TERMS);
    assert_int_equal(wadi_ext_add(x, e, wadi_ext_const(x, 7)),
                     wadi_ext_add(x, wadi_ext_const(x, 7), e));
    known(x);
    (void)wadi_ext_add(x, e, wadi_ext_symbol(x, "n"));
    given_up(x);
}

static void terms_of_a_product_of_sums(void **state) {
    wadi_extents *x = *state;
    const wadi_ext a = sum(x, 32, 0), b = sum(x, 32, 1), c = sum(x, 33, 2);
    assert_int_equal(wadi_ext_get(x, wadi_ext_mul(x, a, b))->n, TERMS);
    known(x);
    (void)wadi_ext_mul(x, a, c);
    given_up(x);
}

static void factors_of_a_product(void **state) {
    wadi_extents *x = *state;
    wadi_ext odd = wadi_ext_const(x, 1), even = odd;
    for (int k = 0; k < FACTORS / 2; k++) {
        odd = wadi_ext_mul(x, odd, wadi_ext_dim(x, (wadi_val)(2 * k + 1), 0, 0));
        even = wadi_ext_mul(x, even, wadi_ext_dim(x, (wadi_val)(2 * k), 0, 0));
    }
    const wadi_ext all = wadi_ext_mul(x, odd, even);
    known(x);
    const wadi_ext_node *node = wadi_ext_get(x, all);
    assert_int_equal(node->n, FACTORS);
    for (int k = 1; k < FACTORS; k++) assert_true(node->term[k - 1] < node->term[k]);
    (void)wadi_ext_mul(x, all, odd);
    given_up(x);
}

static void minima_within_minima(void **state) {
    wadi_extents *x = *state;
    wadi_ext e = wadi_ext_scalar(x, 0);
    for (int k = 1; k <= NESTING; k++) {
        e = k % 2 ? wadi_ext_min(x, e, wadi_ext_scalar(x, (wadi_val)k))
                  : wadi_ext_max(x, e, wadi_ext_scalar(x, (wadi_val)k));
        known(x);
    }
    (void)wadi_ext_min(x, e, wadi_ext_scalar(x, NESTING + 1));
    given_up(x);
}

/* The equality number k that no atom solves: a_k b_k = c_k d_k. */
static void products(wadi_extents *x, int k, wadi_ext *left, wadi_ext *right) {
    const wadi_val v = (wadi_val)k;
    *left = wadi_ext_mul(x, wadi_ext_dim(x, v, 0, 0), wadi_ext_dim(x, v, 0, 1));
    *right = wadi_ext_mul(x, wadi_ext_dim(x, v, 0, 2), wadi_ext_dim(x, v, 0, 3));
}

static void equalities_that_nothing_solves(void **state) {
    wadi_extents *x = *state;
    wadi_ext left, right;
    for (int k = 0; k <= FACTS; k++) {
        products(x, k, &left, &right);
        assert_false(wadi_ext_equal(x, left, right));
        wadi_ext_unify(x, left, right);
    }
    assert_false(wadi_ext_equal(x, left, right));
    products(x, FACTS - 1, &left, &right);
    assert_true(wadi_ext_equal(x, left, right));
    products(x, 0, &left, &right);
    assert_true(wadi_ext_equal(x, left, right));
    known(x);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make, drop)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(terms_of_a_sum),
        TEST(terms_of_a_product_of_sums),
        TEST(factors_of_a_product),
        TEST(minima_within_minima),
        TEST(equalities_that_nothing_solves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
