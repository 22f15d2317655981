/* The policy `probe` on machines with fixed costs, caches, noise, ragged elements and loads that change: it comes within 5 % of the
 * best fixed size, its start included, on streams of two seconds and more, and does not oscillate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/sched/policy_simulator.h"

static const machine scalars = {.latency_ns = 5e4, .element_ns = 1, .bytes = 8};
static const machine rows = {
    .latency_ns = 5e4, .byte_ns = 0.2, .bytes = 256, .cache_bytes = 1 << 20, .slowdown = 0.5};
static const machine audio = {
    .latency_ns = 1e5, .byte_ns = 2, .bytes = 32768, .cache_bytes = 4 << 20, .slowdown = 0.3};
static const machine images = {.latency_ns = 1e5, .byte_ns = 1, .bytes = 1 << 22};

/* Elements of a stream that takes some two seconds at least. */
static int64_t two_seconds(const machine *m) {
    double each = m->element_ns + m->byte_ns * m->bytes;
    if (m->change > 0 && m->change < 1) each *= 0.5;
    return (int64_t)(2.2e9 / each);
}

/* Total time within `share` of the best fixed size's, whatever the noise; at most `turns` changes of direction. */
static void assert_good(const machine *m, double share, int turns) {
    const int64_t n = two_seconds(m);
    const uint64_t seeds = m->noise > 0 || m->heavy > 0 ? 2 : 1;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        int64_t size = 0;
        const double best = best_fixed_ns(m, n, seed, &size);
        const outcome o = simulate_named(m, "probe", 0, n, seed);
        if (o.total_ns > best * (1 + share) || o.turns > turns)
            fail_msg("%.3f of the best time (size %lld), %d turns, last size %lld, %lld chunks",
                     o.total_ns / best, (long long)size, o.turns, (long long)o.size,
                     (long long)o.chunks);
    }
}

static void comes_near_the_best_fixed_size(void **state) {
    (void)state;
    assert_good(&scalars, 0.05, 12);
    assert_good(&rows, 0.05, 30);
    assert_good(&audio, 0.05, 12);
    assert_good(&images, 0.05, 12);
}

static void noise_and_heavy_tails_do_not_mislead_it(void **state) {
    (void)state;
    machine m = rows;
    m.noise = 0.2;
    assert_good(&m, 0.05, 40);
    m.noise = 0.05;
    m.heavy = 0.03;
    assert_good(&m, 0.05, 40);
}

static void a_chunk_a_hundred_times_as_long_changes_nothing(void **state) {
    (void)state;
    machine m = rows;
    m.noise = 0.02;
    m.outliers = true;
    assert_good(&m, 0.05, 40);
}

static void ragged_elements_are_judged_by_the_byte(void **state) {
    (void)state;
    machine m = {.latency_ns = 5e4,
                 .byte_ns = 0.2,
                 .bytes = 1000,
                 .ragged = 1,
                 .cache_bytes = 1 << 20,
                 .slowdown = 0.5,
                 .noise = 0.02};
    assert_good(&m, 0.05, 40);
}

/* Elements made by the program from what lies in memory: the policy hears of the results' bytes alone. */
static void ragged_elements_whose_bytes_are_not_seen_are_no_hindrance(void **state) {
    (void)state;
    machine m = {.latency_ns = 1.5e4,
                 .byte_ns = 0.045,
                 .bytes = 4000,
                 .ragged = 1,
                 .told = 8,
                 .noise = 0.02};
    assert_good(&m, 0.05, 20);
}

static void a_machine_that_others_use_as_well_does_not_mislead_it(void **state) {
    (void)state;
    machine m = {.latency_ns = 1.5e4, .element_ns = 22, .bytes = 8, .weather = true};
    assert_good(&m, 0.04, 20);
    m = rows;
    m.weather = true;
    assert_good(&m, 0.04, 20);
    m = (machine){.latency_ns = 2e4, .byte_ns = 0.6, .bytes = 32768, .weather = true};
    assert_good(&m, 0.04, 20);
}

/* Total time within `share` of the best fixed size's from any size on. */
static void assert_good_from(const machine *m, int64_t start, double share) {
    const int64_t n = two_seconds(m);
    int64_t size = 0;
    const double best = best_fixed_ns(m, n, 1, &size);
    const outcome o = simulate_named(m, "probe", start, n, 1);
    if (o.total_ns > best * (1 + share))
        fail_msg("computing takes %g ns, from %lld on: %.3f of the best time (size %lld), last "
                 "size %lld",
                 m->element_ns, (long long)start, o.total_ns / best, (long long)size,
                 (long long)o.size);
}

/* While the source is the slower one, and while it is about as fast as the rest. */
static void a_source_that_is_waited_for_does_not_mislead_it(void **state) {
    (void)state;
    for (double compute_ns = 1; compute_ns < 10; compute_ns += 1.5) {
        machine m = {.latency_ns = 1e4, .element_ns = compute_ns, .bytes = 40};
        m.read_latency_ns = 1e4;
        m.read_ns = 6;
        assert_good_from(&m, 0, 0.05);
        assert_good_from(&m, 32, 0.05);
        m.latency_ns = m.read_latency_ns = 1e3;
        m.wake_ns = 3e4;
        assert_good_from(&m, 32, 0.05);
    }
}

/* As it does when it is woken for two chunks each time: it would never see what is chosen between. */
static void a_source_that_asks_at_every_second_turn_does_not_mislead_it(void **state) {
    (void)state;
    machine m = scalars;
    for (int latency = 1; latency <= 100; latency *= 10) {
        m.latency_ns = 1e3 * latency;
        m.by_twos = true;
        assert_good_from(&m, 32, 0.05);
    }
}

/* Every second chunk wakes a thread up, or one of several: in a fixed order of two sizes the one would pay for all of that. Chunks of
 * one element that an earlier run has left are given up at once. */
static void what_some_chunks_cost_in_turn_does_not_mislead_it(void **state) {
    (void)state;
    machine m = {.latency_ns = 3e3, .element_ns = 18, .bytes = 40, .periodic_ns = 9e3};
    for (m.period = 2; m.period <= 8; m.period++) {
        for (m.phase = 0; m.phase < m.period; m.phase += 1 + m.period / 4) {
            assert_good_from(&m, 1 << 8, 0.05);
            assert_good_from(&m, 1 << 12, 0.05);
            assert_good_from(&m, 1, 0.05);
        }
    }
}

static void follows_a_load_that_changes(void **state) {
    (void)state;
    machine dearer = rows;
    dearer.noise = 0.03;
    dearer.change = 8;
    dearer.change_at = two_seconds(&rows) / 8;
    assert_good(&dearer, 0.05, 60);
    machine cheaper = {.latency_ns = 5e4, .byte_ns = 2, .bytes = 256, .noise = 0.03, .change = 0.1};
    cheaper.change_at = two_seconds(&cheaper) / 4;
    assert_good(&cheaper, 0.05, 40);
}

static void a_bound_on_chunks_is_met_and_not_fought(void **state) {
    (void)state;
    machine m = rows;
    m.noise = 0.03;
    m.most = 700;
    const int64_t n = two_seconds(&m);
    const outcome o = simulate_named(&m, "probe", 0, n, 1);
    assert_true(o.size >= 512 && o.size <= 2048);
    assert_true(o.total_ns <= 1.05 * best_fixed_ns(&m, n, 1, NULL));
}

/* The first two million bytes: by then a chunk takes a hundred thousand, after a few dozen smaller ones. */
static void is_fast_to_start(void **state) {
    (void)state;
    const machine *const all[] = {&scalars, &rows, &audio};
    for (int i = 0; i < 3; i++) {
        const outcome o = simulate_named(all[i], "probe", 0, (int64_t)(2e6 / all[i]->bytes), 1);
        assert_true(o.chunks < 60);
        assert_true((double)o.size * all[i]->bytes >= 1e5);
    }
}

static void a_recorded_size_is_the_start(void **state) {
    (void)state;
    wadi_policy *p = NULL, *q = NULL;
    wadi_text text;
    wadi_text_init(&text);
    assert_int_equal(wadi_policy_create("probe", 0, &p, NULL), WADI_OK);
    (void)simulate(&rows, p, two_seconds(&rows), 1);
    p->ops->save(p, &text);
    assert_int_equal(wadi_policy_create("probe", 0, &q, NULL), WADI_OK);
    assert_int_equal(q->ops->load(q, wadi_text_str(&text), NULL), WADI_OK);
    assert_true(q->ops->choose(q) >= 2048 && q->ops->choose(q) <= 8192);
    wadi_text_fini(&text);
    wadi_policy_destroy(p);
    wadi_policy_destroy(q);
}

/* The clock itself: the slower side, and what is lost between the two. */
static void a_chunk_costs_the_slower_side_and_what_is_lost(void **state) {
    (void)state;
    wadi_policy_clock c = {0};
    assert_int_equal(wadi_policy_elapsed(&c, 1000, 0, 0), 1000); /* nothing is read */
    assert_int_equal(wadi_policy_elapsed(&c, 1000, 0, 900), 1000);
    assert_int_equal(wadi_policy_elapsed(&c, 1500, 500, 1500), 1500);
    /* sizes in turn: both cost what reading takes, although their steps differ by what computing does */
    for (int i = 0; i < 100; i++) {
        assert_in_range(wadi_policy_elapsed(&c, 600 - 200, 200, 600), 590, 640);
        assert_in_range(wadi_policy_elapsed(&c, 1200 + 200, 900, 1200), 1190, 1240);
    }
    /* each chunk loses 9000: they are part of it after some time */
    for (int i = 0; i < 400; i++) (void)wadi_policy_elapsed(&c, 10000, 9500, 1000);
    assert_in_range(wadi_policy_elapsed(&c, 10000, 9500, 1000), 9900, 10000);
    /* a standstill of a second is no such loss */
    (void)wadi_policy_elapsed(&c, 1000000000, 999999000, 1000);
    assert_in_range(wadi_policy_elapsed(&c, 10000, 9500, 1000), 9900, 14000);
}

/* Elapsed nanoseconds and elements of the first chunks of wadi-flac on two processors, then of its steady state. */
static const wadi_policy_sample recorded[] = {
    {0, 0, 1, 49000},
    {700000, 900000, 1, 49000},
    {650000, 700000, 1, 49000},
    {660000, 4100000, 1, 49000},
    {1300000, 1500000, 2, 98000},
    {1250000, 1400000, 2, 98000},
    {2500000, 2800000, 4, 196000},
    {2500000, 2700000, 4, 196000},
    {2400000, 2750000, 4, 196000},
};

static void a_recorded_start_leads_upwards_and_stays_bounded(void **state) {
    (void)state;
    wadi_policy *p = NULL;
    assert_int_equal(wadi_policy_create("probe", 0, &p, NULL), WADI_OK);
    for (size_t i = 0; i < sizeof recorded / sizeof recorded[0]; i++) {
        p->ops->observe(p, &recorded[i]);
    }
    assert_true(p->ops->choose(p) >= 2 && p->ops->choose(p) <= 16);
    wadi_policy_destroy(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_near_the_best_fixed_size),
        cmocka_unit_test(noise_and_heavy_tails_do_not_mislead_it),
        cmocka_unit_test(a_chunk_a_hundred_times_as_long_changes_nothing),
        cmocka_unit_test(ragged_elements_are_judged_by_the_byte),
        cmocka_unit_test(ragged_elements_whose_bytes_are_not_seen_are_no_hindrance),
        cmocka_unit_test(a_machine_that_others_use_as_well_does_not_mislead_it),
        cmocka_unit_test(a_source_that_is_waited_for_does_not_mislead_it),
        cmocka_unit_test(a_source_that_asks_at_every_second_turn_does_not_mislead_it),
        cmocka_unit_test(what_some_chunks_cost_in_turn_does_not_mislead_it),
        cmocka_unit_test(follows_a_load_that_changes),
        cmocka_unit_test(a_bound_on_chunks_is_met_and_not_fought),
        cmocka_unit_test(is_fast_to_start),
        cmocka_unit_test(a_recorded_size_is_the_start),
        cmocka_unit_test(a_chunk_costs_the_slower_side_and_what_is_lost),
        cmocka_unit_test(a_recorded_start_leads_upwards_and_stays_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
