/* The parts of a device's memory: what is taken is nobody else's, and what is given back can be taken again, whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/opencl/range.h"

enum { UNIT = WADI_OPENCL_ALIGN };

static size_t taken(wadi_opencl_range *r, size_t bytes) {
    size_t begin = 0;
    assert_true(wadi_opencl_range_take(r, bytes, &begin));
    assert_int_equal(begin % UNIT, 0);
    return begin;
}

static void parts_are_taken_from_the_first_place_where_they_fit(void **state) {
    (void)state;
    wadi_opencl_range r;
    assert_true(wadi_opencl_range_init(&r, 10 * UNIT + UNIT - 1));
    assert_int_equal(taken(&r, UNIT), 0);
    assert_int_equal(taken(&r, 2 * UNIT - 1), UNIT);
    assert_int_equal(taken(&r, 1), 3 * UNIT);
    assert_int_equal(taken(&r, 0), 4 * UNIT);
    assert_int_equal(taken(&r, UNIT + 1), 5 * UNIT);
    wadi_opencl_range_give(&r, UNIT, 2 * UNIT - 1);
    wadi_opencl_range_give(&r, 0, UNIT);
    assert_int_equal(taken(&r, 3 * UNIT), 0);
    size_t begin;
    assert_false(wadi_opencl_range_take(&r, 3 * UNIT + 1, &begin));
    assert_int_equal(taken(&r, 3 * UNIT), 7 * UNIT);
    assert_false(wadi_opencl_range_take(&r, 0, &begin));
    wadi_opencl_range_fini(&r);
}

static void neighbours_become_one_in_any_order(void **state) {
    (void)state;
    static const int orders[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {0, 2, 1, 3}, {1, 3, 0, 2},
                                    {1, 3, 2, 0}, {2, 0, 3, 1}, {0, 3, 1, 2}};
    for (size_t k = 0; k < sizeof orders / sizeof orders[0]; k++) {
        wadi_opencl_range r;
        assert_true(wadi_opencl_range_init(&r, 4 * UNIT));
        for (int i = 0; i < 4; i++) assert_int_equal(taken(&r, UNIT), i * UNIT);
        for (int i = 0; i < 4; i++) wadi_opencl_range_give(&r, (size_t)orders[k][i] * UNIT, UNIT);
        assert_int_equal(r.free.n, 1);
        assert_int_equal(taken(&r, 4 * UNIT), 0);
        wadi_opencl_range_fini(&r);
    }
}

static void more_than_can_be_is_refused(void **state) {
    (void)state;
    wadi_opencl_range r;
    size_t begin;
    assert_true(wadi_opencl_range_init(&r, UNIT));
    assert_false(wadi_opencl_range_take(&r, SIZE_MAX, &begin));
    assert_false(wadi_opencl_range_take(&r, SIZE_MAX - UNIT, &begin));
    assert_int_equal(taken(&r, UNIT), 0);
    wadi_opencl_range_fini(&r);
    assert_true(wadi_opencl_range_init(&r, UNIT - 1));
    assert_false(wadi_opencl_range_take(&r, 1, &begin));
    wadi_opencl_range_fini(&r);
}

/* Against a table that says of each unit who has it. */
static void owners_never_share(void **state) {
    (void)state;
    enum { UNITS = 200, PARTS = 60, STEPS = 20000 };
    uint8_t owner[UNITS] = {0};
    struct {
        size_t begin, bytes;
    } part[PARTS + 1] = {0};
    wadi_opencl_range r;
    unsigned seed = 1;
    int refused = 0;
    assert_true(wadi_opencl_range_init(&r, UNITS * UNIT));
    for (int step = 0; step < STEPS; step++) {
        seed = seed * 1103515245u + 12345u;
        const int i = (int)(seed >> 16) % PARTS + 1;
        if (part[i].bytes != 0) {
            wadi_opencl_range_give(&r, part[i].begin, part[i].bytes);
            for (int u = 0; u < UNITS; u++)
                if (owner[u] == i) owner[u] = 0;
            part[i].bytes = 0;
            continue;
        }
        seed = seed * 1103515245u + 12345u;
        const size_t bytes = (seed >> 16) % (12 * UNIT) + 1, units = (bytes + UNIT - 1) / UNIT;
        size_t longest = 0, run = 0;
        for (int u = 0; u < UNITS; u++) {
            run = owner[u] == 0 ? run + 1 : 0;
            if (run > longest) longest = run;
        }
        const bool got = wadi_opencl_range_take(&r, bytes, &part[i].begin);
        assert_int_equal(got, units <= longest);
        refused += !got;
        for (size_t u = 0; got && u < units; u++) {
            assert_int_equal(owner[part[i].begin / UNIT + u], 0);
            owner[part[i].begin / UNIT + u] = (uint8_t)i;
        }
        if (got) part[i].bytes = bytes;
    }
    assert_true(refused > 0);
    for (int i = 1; i <= PARTS; i++)
        if (part[i].bytes != 0) wadi_opencl_range_give(&r, part[i].begin, part[i].bytes);
    assert_int_equal(r.free.n, 1);
    assert_int_equal(r.free.at[0].size, UNITS * UNIT);
    wadi_opencl_range_fini(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_taken_from_the_first_place_where_they_fit),
        cmocka_unit_test(neighbours_become_one_in_any_order),
        cmocka_unit_test(more_than_can_be_is_refused),
        cmocka_unit_test(owners_never_share),
    };
    return cmocka_run_group_tests_name("opencl_range", tests, NULL, NULL);
}
