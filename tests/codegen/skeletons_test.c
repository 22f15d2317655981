/* What is said of a skeleton or an operator for all to ask agrees with the functions that do the work. */
#include "codegen/kernel/skeleton.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

#include "operators/table.h"

static bool has(int skeleton, wadi_skeleton_trait trait) {
    return (wadi_op_traits[skeleton] & (unsigned)trait) != 0;
}

/* A delayed element is computed where it is read: by the row, or by a producer's index function. */
static void an_element_computed_alone_has_a_function(void **state) {
    (void)state;
    int alone = 0;
    for (int k = 0; k < WADI_SKELETONS; k++) {
        assert_non_null(wadi_skeleton_rows[k]);
        assert_int_equal(has(k, WADI_TRAIT_ALONE), wadi_skeleton_rows[k]->element != NULL);
        alone += has(k, WADI_TRAIT_ALONE);
    }
    assert_true(alone >= 2);
}

static void what_has_no_kernel_has_no_functions(void **state) {
    (void)state;
    static const wadi_skeleton_row none = {0};
    for (int k = 0; k < WADI_SKELETONS; k++)
        if (has(k, WADI_TRAIT_NO_KERNEL))
            assert_memory_equal(wadi_skeleton_rows[k], &none, sizeof none);
}

static void who_has_regions_says_how_they_run(void **state) {
    (void)state;
    const wadi_op_table *t = wadi_operators();
    int decided = 0, routines = 0;
    for (int i = 0; i < t->n; i++) {
        const wadi_op *op = t->ops[i];
        const wadi_skeleton_row *row = wadi_skeleton_rows[op->skeleton];
        if (op->outcome || op->routine || op->by_chunk) assert_non_null(row->control);
        assert_int_equal(op->routine, row->calls != NULL);
        if (op->outcome || op->separable) assert_int_equal(op->nblocks, 2);
        decided += op->outcome != NULL;
        routines += op->routine;
    }
    assert_int_equal(decided, 2);
    assert_int_equal(routines, 1);
}

static void a_letter_of_reads_stands_for_the_rest(void **state) {
    (void)state;
    const wadi_op *permute = wadi_op_find(wadi_operators(), "permute");
    const wadi_op *acond = wadi_op_find(wadi_operators(), "acond");
    assert_int_equal(wadi_op_reads(permute, 0), 'c');
    assert_int_equal(wadi_op_reads(permute, 1), 'e');
    assert_int_equal(wadi_op_reads(permute, 5), 'e');
    assert_int_equal(wadi_op_reads(acond, 0), 'w');
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_element_computed_alone_has_a_function),
        cmocka_unit_test(what_has_no_kernel_has_no_functions),
        cmocka_unit_test(who_has_regions_says_how_they_run),
        cmocka_unit_test(a_letter_of_reads_stands_for_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
