/* The algebra of symbolic extents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/text.h"
#include "graph/analysis/extent.h"

static int make(void **state) {
    *state = wadi_extents_create();
    return *state ? 0 : -1;
}

static int drop(void **state) {
    wadi_extents_destroy(*state);
    return 0;
}

static void check_text(const wadi_extents *x, wadi_ext e, const char *want) {
    wadi_text t;
    wadi_text_init(&t);
    wadi_ext_print(x, e, &t);
    assert_string_equal(wadi_text_str(&t), want);
    wadi_text_fini(&t);
}

static void equal_polynomials_are_one_node(void **state) {
    wadi_extents *x = *state;
    const wadi_ext n = wadi_ext_symbol(x, "n"), m = wadi_ext_symbol(x, "m");
    const wadi_ext one = wadi_ext_const(x, 1);
    assert_int_equal(wadi_ext_symbol(x, "n"), n);
    assert_int_equal(wadi_ext_add(x, n, m), wadi_ext_add(x, m, n));
    assert_int_equal(wadi_ext_mul(x, n, m), wadi_ext_mul(x, m, n));
    assert_int_equal(wadi_ext_sub(x, wadi_ext_add(x, n, m), m), n);
    assert_int_equal(wadi_ext_sub(x, n, n), wadi_ext_const(x, 0));
    /* (n + 1)(m + 1) - n m - n - m = 1 */
    wadi_ext p = wadi_ext_mul(x, wadi_ext_add(x, n, one), wadi_ext_add(x, m, one));
    p = wadi_ext_sub(x, wadi_ext_sub(x, wadi_ext_sub(x, p, wadi_ext_mul(x, n, m)), n), m);
    assert_int_equal(p, one);
}

static void products_distribute(void **state) {
    wadi_extents *x = *state;
    const wadi_ext a = wadi_ext_dim(x, 1, 0, 0), b = wadi_ext_dim(x, 2, 0, 0),
                   c = wadi_ext_scalar(x, 3);
    const wadi_ext left = wadi_ext_mul(x, a, wadi_ext_add(x, b, c));
    const wadi_ext right = wadi_ext_add(x, wadi_ext_mul(x, a, b), wadi_ext_mul(x, a, c));
    assert_int_equal(left, right);
    assert_int_equal(wadi_ext_mul(x, wadi_ext_mul(x, a, b), c),
                     wadi_ext_mul(x, a, wadi_ext_mul(x, b, c)));
    assert_int_equal(wadi_ext_mul(x, a, wadi_ext_const(x, 0)), wadi_ext_const(x, 0));
}

static void constants_wrap_like_i64(void **state) {
    wadi_extents *x = *state;
    const wadi_ext most = wadi_ext_const(x, INT64_MAX);
    assert_int_equal(wadi_ext_add(x, most, wadi_ext_const(x, 1)), wadi_ext_const(x, INT64_MIN));
    wadi_ext_unify(x, wadi_ext_mul(x, most, wadi_ext_symbol(x, "n")), wadi_ext_const(x, INT64_MIN));
    assert_int_equal(wadi_extents_failed(x), WADI_OK);
}

static void extents_print_as_formulas(void **state) {
    wadi_extents *x = *state;
    const wadi_ext n = wadi_ext_symbol(x, "n"), d = wadi_ext_dim(x, 3, 0, 1),
                   s = wadi_ext_scalar(x, 5);
    const wadi_ext twice = wadi_ext_add(x, n, n);
    check_text(x, wadi_ext_add(x, twice, wadi_ext_const(x, 1)), "2*n + 1");
    check_text(x, wadi_ext_sub(x, wadi_ext_const(x, 4), n), "-n + 4");
    check_text(x, wadi_ext_sub(x, wadi_ext_mul(x, n, d), s), "-%5 + n*%3.1");
    check_text(x, wadi_ext_min(x, n, s), "min(n, %5)");
    check_text(x, wadi_ext_dim(x, 7, 2, 0), "%7.0of2");
    check_text(x, wadi_ext_const(x, INT64_MIN), "-9223372036854775808");
}

static void minima_and_maxima_are_taken_where_they_are_known(void **state) {
    wadi_extents *x = *state;
    const wadi_ext n = wadi_ext_symbol(x, "n"), m = wadi_ext_symbol(x, "m"),
                   s = wadi_ext_scalar(x, 9);
    const wadi_ext zero = wadi_ext_const(x, 0), more = wadi_ext_add(x, n, m);
    assert_int_equal(wadi_ext_min(x, wadi_ext_const(x, 3), wadi_ext_const(x, 5)),
                     wadi_ext_const(x, 3));
    assert_int_equal(wadi_ext_min(x, n, more), n);
    assert_int_equal(wadi_ext_max(x, n, more), more);
    assert_int_equal(wadi_ext_max(x, zero, n), n);
    assert_int_not_equal(wadi_ext_max(x, zero, s), s); /* a scalar may be negative */
    assert_int_equal(wadi_ext_min(x, n, m), wadi_ext_min(x, m, n));
    assert_int_equal(wadi_ext_min(x, wadi_ext_min(x, n, m), n), wadi_ext_min(x, n, m));
    assert_int_equal(wadi_ext_min(x, wadi_ext_max(x, n, m), n), n);
    /* one side of a maximum is enough, of a minimum and a sum it takes both */
    const wadi_ext either = wadi_ext_max(x, s, n), both = wadi_ext_min(x, s, n);
    assert_int_equal(wadi_ext_max(x, zero, either), either);
    assert_int_equal(wadi_ext_max(x, zero, wadi_ext_max(x, n, s)), either);
    assert_int_not_equal(wadi_ext_max(x, zero, both), both);
    assert_int_not_equal(wadi_ext_max(x, zero, wadi_ext_add(x, n, s)), wadi_ext_add(x, n, s));
    assert_int_not_equal(wadi_ext_max(x, zero, wadi_ext_mul(x, n, s)), wadi_ext_mul(x, n, s));
    assert_int_equal(wadi_ext_max(x, zero, wadi_ext_mul(x, n, m)), wadi_ext_mul(x, n, m));
    assert_int_not_equal(wadi_ext_max(x, n, wadi_ext_sub(x, n, m)), wadi_ext_sub(x, n, m));
    assert_int_equal(wadi_ext_max(x, n, wadi_ext_add(x, n, wadi_ext_const(x, -1))), n);
    assert_int_equal(wadi_ext_max(x, n, wadi_ext_add(x, n, zero)), n);
}

static void equalities_are_believed(void **state) {
    wadi_extents *x = *state;
    const wadi_ext n = wadi_ext_symbol(x, "n"), a = wadi_ext_dim(x, 1, 0, 0),
                   b = wadi_ext_dim(x, 2, 0, 0);
    assert_false(wadi_ext_equal(x, a, b));
    wadi_ext_unify(x, a, b);
    assert_true(wadi_ext_equal(x, a, b));
    assert_int_equal(wadi_ext_norm(x, b), a); /* the older atom wins */
    wadi_ext_unify(x, b, n);
    assert_int_equal(wadi_ext_norm(x, a), n); /* then names */
    int64_t value = 0;
    assert_false(wadi_ext_is_const(x, a, &value));
    wadi_ext_unify(x, n, wadi_ext_const(x, 12));
    assert_true(wadi_ext_is_const(x, b, &value)); /* then constants */
    assert_int_equal(value, 12);
    assert_true(wadi_ext_equal(x, wadi_ext_mul(x, a, b), wadi_ext_const(x, 144)));
}

static void equalities_are_solved_for_an_atom(void **state) {
    wadi_extents *x = *state;
    const wadi_ext n = wadi_ext_symbol(x, "n"), a = wadi_ext_dim(x, 1, 0, 0);
    /* 2 a + 2 = 2 n + 4, so a = n + 1 */
    const wadi_ext two = wadi_ext_const(x, 2);
    wadi_ext_unify(x, wadi_ext_add(x, wadi_ext_mul(x, two, a), two),
                   wadi_ext_add(x, wadi_ext_mul(x, two, n), wadi_ext_const(x, 4)));
    assert_true(wadi_ext_equal(x, a, wadi_ext_add(x, n, wadi_ext_const(x, 1))));
    assert_false(wadi_ext_equal(x, a, n));
}

static void equalities_without_an_atom_are_kept(void **state) {
    wadi_extents *x = *state;
    const wadi_ext n = wadi_ext_symbol(x, "n"), m = wadi_ext_symbol(x, "m");
    const wadi_ext a = wadi_ext_dim(x, 1, 0, 0), b = wadi_ext_dim(x, 2, 0, 0);
    const wadi_ext nm = wadi_ext_mul(x, n, m), ab = wadi_ext_mul(x, a, b);
    wadi_ext_unify(x, nm, ab);
    assert_true(wadi_ext_equal(x, ab, nm));
    assert_true(wadi_ext_equal(x, wadi_ext_add(x, nm, a), wadi_ext_add(x, ab, a)));
    assert_false(wadi_ext_equal(x, a, n));
    wadi_ext_unify(x, n, wadi_ext_const(x, 1));
    wadi_ext_unify(x, a, wadi_ext_const(x, 1));
    assert_true(wadi_ext_equal(x, b, m)); /* what is left of n m = a b */
}

static void an_atom_is_never_put_into_itself(void **state) {
    wadi_extents *x = *state;
    const wadi_ext a = wadi_ext_dim(x, 1, 0, 0), n = wadi_ext_symbol(x, "n");
    const wadi_ext less = wadi_ext_min(x, a, n);
    wadi_ext_unify(x, a, less);
    assert_true(wadi_ext_equal(x, a, less));
    wadi_ext_unify(x, wadi_ext_mul(x, a, n), a);
    wadi_ext_unify(x, n, wadi_ext_add(x, wadi_ext_mul(x, a, a), wadi_ext_const(x, 1)));
    (void)wadi_ext_norm(x, less);
    assert_int_equal(wadi_extents_failed(x), WADI_OK);
}

static bool only_seven(const void *env, wadi_val v) {
    (void)env;
    return v == 7;
}

static void a_limit_keeps_equalities_local(void **state) {
    wadi_extents *x = *state;
    const wadi_ext n = wadi_ext_symbol(x, "n"), a = wadi_ext_dim(x, 1, 0, 0),
                   b = wadi_ext_dim(x, 7, 0, 0);
    wadi_extents_limit(x, only_seven, NULL);
    wadi_ext_unify(x, a, n);
    wadi_ext_unify(x, b, n);
    wadi_extents_limit(x, NULL, NULL);
    assert_false(wadi_ext_equal(x, a, n));
    assert_true(wadi_ext_equal(x, b, n));
}

static void contradictions_change_nothing(void **state) {
    wadi_extents *x = *state;
    const wadi_ext n = wadi_ext_symbol(x, "n");
    wadi_ext_unify(x, wadi_ext_const(x, 3), wadi_ext_const(x, 4));
    wadi_ext_unify(x, n, wadi_ext_add(x, n, wadi_ext_const(x, 1)));
    assert_false(wadi_ext_equal(x, wadi_ext_const(x, 3), wadi_ext_const(x, 4)));
    assert_int_equal(wadi_ext_norm(x, n), n);
}

static void extents_beyond_all_bounds_are_given_up(void **state) {
    wadi_extents *x = *state;
    wadi_ext e = wadi_ext_add(x, wadi_ext_symbol(x, "n"), wadi_ext_const(x, 1));
    for (wadi_val v = 0; v < 30; v++)
        e = wadi_ext_mul(x, e, wadi_ext_add(x, wadi_ext_dim(x, v, 0, 0), wadi_ext_scalar(x, v)));
    assert_int_equal(wadi_extents_failed(x), WADI_UNSUPPORTED);
    assert_int_equal(e, wadi_ext_const(x, 0));
}

static void long_chains_of_equalities_need_no_stack(void **state) {
    wadi_extents *x = *state;
    enum { N = 2000 };
    for (wadi_val v = 0; v < N; v++) (void)wadi_ext_dim(x, v, 0, 0);
    for (wadi_val v = N - 1; v > 0; v--)
        wadi_ext_unify(x, wadi_ext_dim(x, v, 0, 0), wadi_ext_dim(x, v - 1, 0, 0));
    assert_true(wadi_ext_equal(x, wadi_ext_dim(x, N - 1, 0, 0), wadi_ext_dim(x, 0, 0, 0)));
}

/* The value of an extent when symbol "n" is 3, "m" is 4 and the scalar %v is v - 2. */
static int64_t value_of(const wadi_extents *x, wadi_ext e) {
    const wadi_ext_node *n = wadi_ext_get(x, e);
    int64_t v = n->value;
    switch (n->kind) {
    case WADI_EXT_CONST:
        return v;
    case WADI_EXT_SYMBOL:
        return strcmp(n->name, "n") == 0 ? 3 : 4;
    case WADI_EXT_DIM:
        return n->val;
    case WADI_EXT_SCALAR:
        return (int64_t)n->val - 2;
    case WADI_EXT_SUM:
        for (int i = 0; i < n->n; i++) v += n->coef[i] * value_of(x, n->term[i]);
        return v;
    case WADI_EXT_PROD:
        v = 1;
        for (int i = 0; i < n->n; i++) v *= value_of(x, n->term[i]);
        return v;
    case WADI_EXT_MIN:
    case WADI_EXT_MAX:
        break;
    }
    const int64_t a = value_of(x, n->term[0]), b = value_of(x, n->term[1]);
    return (n->kind == WADI_EXT_MIN) == (a < b) ? a : b;
}

static void normal_forms_keep_the_value(void **state) {
    wadi_extents *x = *state;
    enum { N = 400 };
    wadi_ext made[N] = {wadi_ext_symbol(x, "n"), wadi_ext_symbol(x, "m"), wadi_ext_dim(x, 5, 0, 0),
                        wadi_ext_scalar(x, 0), wadi_ext_const(x, -2)};
    uint32_t r = 12345;
    for (int i = 5; i < N; i++) {
        uint32_t pick[3];
        for (int k = 0; k < 3; k++) pick[k] = (r = r * 1664525u + 1013904223u) >> 8;
        /* mostly of the first ones, so that they stay small */
        const wadi_ext a = made[pick[0] % (i < 20 ? (uint32_t)i : 20u)];
        const wadi_ext b = made[pick[1] % 5];
        const int64_t va = value_of(x, a), vb = value_of(x, b);
        switch (pick[2] % 5) {
        case 0:
            made[i] = wadi_ext_add(x, a, b);
            assert_int_equal(value_of(x, made[i]), va + vb);
            break;
        case 1:
            made[i] = wadi_ext_sub(x, a, b);
            assert_int_equal(value_of(x, made[i]), va - vb);
            break;
        case 2:
            made[i] = wadi_ext_mul(x, a, b);
            assert_int_equal(value_of(x, made[i]), va * vb);
            break;
        case 3:
            made[i] = wadi_ext_min(x, a, b);
            assert_int_equal(value_of(x, made[i]), va < vb ? va : vb);
            break;
        default:
            made[i] = wadi_ext_max(x, a, b);
            assert_int_equal(value_of(x, made[i]), va > vb ? va : vb);
            break;
        }
    }
    assert_int_equal(wadi_extents_failed(x), WADI_OK);
}

static void products_have_an_end(void **state) {
    wadi_extents *x = *state;
    const wadi_ext n = wadi_ext_symbol(x, "n");
    wadi_ext p = n;
    for (int k = 1; k < 64; k++) p = wadi_ext_mul(x, p, n);
    assert_int_equal(wadi_extents_failed(x), WADI_OK);
    (void)wadi_ext_mul(x, p, n);
    assert_int_equal(wadi_extents_failed(x), WADI_UNSUPPORTED);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make, drop)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(equal_polynomials_are_one_node),
        TEST(products_distribute),
        TEST(constants_wrap_like_i64),
        TEST(extents_print_as_formulas),
        TEST(minima_and_maxima_are_taken_where_they_are_known),
        TEST(equalities_are_believed),
        TEST(equalities_are_solved_for_an_atom),
        TEST(equalities_without_an_atom_are_kept),
        TEST(an_atom_is_never_put_into_itself),
        TEST(a_limit_keeps_equalities_local),
        TEST(contradictions_change_nothing),
        TEST(extents_beyond_all_bounds_are_given_up),
        TEST(long_chains_of_equalities_need_no_stack),
        TEST(products_have_an_end),
        TEST(normal_forms_keep_the_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
