/* Chunk policies on synthetic machines, the memory budget and the meter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sched/budget.h"
#include "sched/meter.h"
#include "sched/policy.h"

/* A machine whose chunks of k elements take time(k) and keep its processors busy for busy(k) of it. */
typedef double (*curve)(double k);

static double run_policy(wadi_policy *p, curve time, curve busy, int steps) {
    double sum = 0;
    for (int i = 0; i < steps; i++) {
        const double k = (double)p->ops->choose(p);
        assert_true(k >= 1);
        const wadi_policy_sample s = {.busy_ns = (int64_t)(busy(k) * time(k)),
                                      .elapsed_ns = (int64_t)time(k),
                                      .elements = (int64_t)k,
                                      .bytes = (int64_t)k * 8};
        p->ops->observe(p, &s);
        if (i >= steps / 2) sum += k;
    }
    return sum / (steps - steps / 2);
}

/* A fixed cost per chunk: larger is always better, ever less so. */
static double overhead_time(double k) {
    return 1e6 + 1e4 * k;
}
/* Past 100 elements the cache is too small. */
static double cache_time(double k) {
    return 1e5 + 1e4 * k * (k > 100 ? k / 100 : 1);
}
static double always_busy(double k) {
    (void)k;
    return 0.95;
}
/* 16 processors want 16 elements. */
static double sixteen(double k) {
    return k < 16 ? k / 16 : 1;
}
static double flat_time(double k) {
    return 1e4 * k;
}

static wadi_policy *make(const char *name, int64_t start) {
    wadi_policy *p = NULL;
    assert_int_equal(wadi_policy_create(name, start, &p, NULL), WADI_OK);
    return p;
}

static void paper_starts_with_one_element(void **state) {
    (void)state;
    wadi_policy *p = make("paper", 0);
    assert_int_equal(p->ops->choose(p), 1);
    wadi_policy_destroy(p);
}

/* What caps its chunks, memory or a source that has no more, is no reason to ask for ever more. */
static void paper_asks_for_little_more_than_it_gets(void **state) {
    (void)state;
    wadi_policy *p = make("paper", 0);
    for (int i = 0; i < 200; i++) {
        const int64_t k = p->ops->choose(p), got = k < 10 ? k : 10;
        const wadi_policy_sample s = {
            .busy_ns = 1000 * got, .elapsed_ns = 10000 * got, .elements = got, .bytes = 8 * got};
        p->ops->observe(p, &s);
    }
    assert_in_range(p->ops->choose(p), 10, 200);
    wadi_policy_destroy(p);
}

static void paper_grows_until_processors_are_busy(void **state) {
    (void)state;
    wadi_policy *p = make("paper", 0);
    assert_true(run_policy(p, flat_time, sixteen, 60) >= 0.8 * 16);
    wadi_policy_destroy(p);
}

static void paper_grows_while_time_per_element_falls(void **state) {
    (void)state;
    wadi_policy *p = make("paper", 0);
    assert_true(run_policy(p, overhead_time, always_busy, 60) > 300);
    wadi_policy_destroy(p);
}

static void paper_shrinks_when_time_per_element_rises(void **state) {
    (void)state;
    wadi_policy *p = make("paper", 5000);
    const double k = run_policy(p, cache_time, always_busy, 200);
    assert_true(k > 20 && k < 400);
    wadi_policy_destroy(p);
}

static void paper_grows_twice_as_fast_as_it_shrinks(void **state) {
    (void)state;
    wadi_policy *p = make("paper", 1000);
    const wadi_policy_sample idle = {.busy_ns = 1, .elapsed_ns = 1000000, .elements = 1000};
    p->ops->observe(p, &idle);
    assert_int_equal(p->ops->choose(p), 1500);
    wadi_policy_destroy(p);
    p = make("paper", 1000);
    const wadi_policy_sample fast = {.busy_ns = 1000000, .elapsed_ns = 1000000, .elements = 1000};
    const wadi_policy_sample slow = {.busy_ns = 9000000, .elapsed_ns = 9000000, .elements = 1000};
    p->ops->observe(p, &fast); /* the first sample has nothing to compare with: grows */
    const int64_t before = p->ops->choose(p);
    p->ops->observe(p, &slow);
    assert_int_equal(p->ops->choose(p), before - before / 4);
    wadi_policy_destroy(p);
}

static void paper_keeps_its_size_while_nothing_changes(void **state) {
    (void)state;
    wadi_policy *p = make("paper", 64);
    (void)run_policy(p, flat_time, always_busy, 20);
    const int64_t settled = p->ops->choose(p);
    (void)run_policy(p, flat_time, always_busy, 20);
    assert_int_equal(p->ops->choose(p), settled);
    wadi_policy_destroy(p);
}

static void fixed_never_changes(void **state) {
    (void)state;
    wadi_policy *p = make("fixed", 17);
    (void)run_policy(p, cache_time, sixteen, 20);
    assert_int_equal(p->ops->choose(p), 17);
    wadi_policy_destroy(p);
}

static void learned_sizes_are_saved_and_loaded(void **state) {
    (void)state;
    for (int i = 0; wadi_policies[i].name != NULL; i++) {
        wadi_policy *p = make(wadi_policies[i].name, 128), *q = make(wadi_policies[i].name, 0);
        wadi_text text;
        wadi_error err;
        wadi_text_init(&text);
        p->ops->save(p, &text);
        assert_int_equal(q->ops->load(q, wadi_text_str(&text), &err), WADI_OK);
        assert_int_equal(q->ops->choose(q), 128);
        assert_int_equal(q->ops->load(q, "gibberish", &err), WADI_INVALID);
        assert_int_equal(q->ops->choose(q), 128);
        wadi_text_fini(&text);
        wadi_policy_destroy(p);
        wadi_policy_destroy(q);
    }
}

static void the_budget_caps_every_choice(void **state) {
    (void)state;
    wadi_budget b;
    wadi_budget_init(&b, 1000000, 4);
    assert_int_equal(wadi_budget_cap(&b, 12345), 12345); /* nothing known yet */
    for (int i = 0; i < 50; i++) {
        wadi_budget_observe(&b, 10, i % 7 * 10000);
        const int64_t k = wadi_budget_cap(&b, 1000000);
        assert_true((double)k * b.latest * 4 <= 1000000);
    }
    wadi_budget_observe(&b, 1,
                        1 << 30); /* one element larger than everything: still one at a time */
    assert_int_equal(wadi_budget_cap(&b, 1000), 1);
}

static void the_meter_counts_overlap(void **state) {
    (void)state;
    wadi_meter m;
    int64_t busy[WADI_STAGE_COUNT], overlap = 0;
    assert_int_equal(wadi_meter_init(&m, NULL), WADI_OK);
    wadi_meter_busy(&m, WADI_STAGE_SOURCE);
    wadi_meter_idle(&m, WADI_STAGE_SOURCE);
    wadi_meter_read(&m, busy, &overlap);
    assert_int_equal(overlap, 0);
    wadi_meter_busy(&m, WADI_STAGE_SOURCE);
    wadi_meter_busy(&m, WADI_STAGE_SINK);
    wadi_meter_read(&m, busy, &overlap);
    assert_true(overlap > 0);
    assert_true(busy[WADI_STAGE_SOURCE] >= overlap);
    assert_int_equal(busy[WADI_STAGE_COMPUTE], 0);
    wadi_meter_fini(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paper_starts_with_one_element),
        cmocka_unit_test(paper_asks_for_little_more_than_it_gets),
        cmocka_unit_test(paper_grows_until_processors_are_busy),
        cmocka_unit_test(paper_grows_while_time_per_element_falls),
        cmocka_unit_test(paper_shrinks_when_time_per_element_rises),
        cmocka_unit_test(paper_grows_twice_as_fast_as_it_shrinks),
        cmocka_unit_test(paper_keeps_its_size_while_nothing_changes),
        cmocka_unit_test(fixed_never_changes),
        cmocka_unit_test(learned_sizes_are_saved_and_loaded),
        cmocka_unit_test(the_budget_caps_every_choice),
        cmocka_unit_test(the_meter_counts_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
