/* Whether to part a stream, over streams that exist on paper: two parts with times per element, and what waits for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sched/run/weigh.h"

/* Times per chunk. */
typedef struct paper {
    int64_t before_ns, behind_ns; /* of the compute thread, joined */
    int64_t work_ns;              /* of all workers */
    int64_t source_ns;            /* the stream goes no faster */
    int64_t apart_ns;             /* of a chunk when it runs apart; 0: the slower part */
    int workers;
} paper;

typedef struct seen {
    int64_t apart, chunks; /* chunks apart */
    bool last;             /* was apart */
} seen;

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static seen run(const paper *p, int64_t chunks) {
    wadi_weighing w = {0};
    wadi_weights now = {0};
    wadi_weight part[2] = {{0}}, begin[2] = {{0}};
    seen s = {0};
    for (; s.chunks < chunks; s.chunks++) {
        const int seam = wadi_weigh_next(&w, &now, 2, part, begin, p->workers, s.chunks == 3);
        assert_in_range(seam + 1, 0, 2);
        assert_int_not_equal(seam, 0); /* it has nothing behind it */
        s.last = seam == 1;
        s.apart += s.last;
        const int64_t apart = p->apart_ns > 0 ? p->apart_ns : larger(p->before_ns, p->behind_ns);
        const int64_t compute = s.last ? apart : p->before_ns + p->behind_ns;
        now.now_ns += larger(compute, p->source_ns);
        now.elements += 10;
        now.compute_ns += compute;
        now.work_ns += p->work_ns;
        if (s.last) continue;
        part[1].ns += p->behind_ns;
        part[1].work_ns += p->behind_ns;
    }
    return s;
}

static void two_serial_parts_run_apart(void **state) {
    (void)state;
    const paper p = {1000000, 700000, 1700000, 0, 0, 2};
    const seen s = run(&p, 1000);
    assert_true(s.last && s.apart > 900);
}

static void what_cannot_pay_is_not_tried(void **state) {
    (void)state;
    const paper none[] = {
        {1000000, 50000, 1050000, 0, 0, 2},       /* nothing much behind the seam */
        {1000000, 1000000, 2000000, 0, 0, 1},     /* one processor */
        {1000000, 1000000, 4000000, 0, 0, 2},     /* no processor is idle */
        {1000000, 700000, 1700000, 3000000, 0, 2} /* the source is slower */
    };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(run(&none[i], 3000).apart, 0);
}

static void what_does_not_pay_is_tried_a_few_times(void **state) {
    (void)state;
    const paper p = {1000000, 700000, 1700000, 0, 1690000, 2};
    const seen s = run(&p, 20000);
    assert_false(s.last);
    assert_in_range(s.apart, 1, 4 * 3 * 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_serial_parts_run_apart),
        cmocka_unit_test(what_cannot_pay_is_not_tried),
        cmocka_unit_test(what_does_not_pay_is_tried_a_few_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
