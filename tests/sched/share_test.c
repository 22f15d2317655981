/* Who computes, and how much, on a clock that the test sets: a stream whose chunks take as long as a model of the devices says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sched/run/share.h"

enum { CHUNK = 1000 };

/* Times per element: of each device, and of all together. */
typedef struct model {
    wadi_sharing g;
    double ns[3], all_ns;
    int64_t now, elements, open_at; /* -1: the others were never wanted */
    int64_t used[4];                /* elements by who: 0, 1, 2, all */
} model;

static model make(int n, double first, double second, double third, double all) {
    return (model){.g = {.n = n}, .ns = {first, second, third}, .all_ns = all, .open_at = -1};
}

static void chunk(model *m) {
    const bool open = m->open_at >= 0 && m->now - m->open_at > 20000000;
    for (int i = 1; open && i < m->g.n; i++) /* on trial */
        if (m->g.element_ns[i] <= 0) wadi_sharing_saw(&m->g, i, CHUNK, (int64_t)(CHUNK * m->ns[i]));
    const wadi_share_reading now = {.now_ns = m->now, .elements = m->elements, .ready = open};
    bool wants = false;
    const int who = wadi_sharing_next(&m->g, &now, &wants);
    if (wants && m->open_at < 0) m->open_at = m->now;
    for (int i = 0; i < m->g.n; i++)
        if (who == i || who == WADI_SHARE_ALL)
            wadi_sharing_saw(&m->g, i, CHUNK, (int64_t)(CHUNK * m->ns[i]));
    m->now += (int64_t)(CHUNK * (who == WADI_SHARE_ALL ? m->all_ns : m->ns[who]));
    m->elements += CHUNK;
    m->used[who == WADI_SHARE_ALL ? 3 : who] += CHUNK;
}

static void run_for(model *m, int64_t ns) {
    for (const int64_t end = m->now + ns; m->now < end;) chunk(m);
}

static const int64_t ms = 1000000;

/* ---- the tests ---- */

static void a_short_stream_opens_nobody(void **state) {
    (void)state;
    model m = make(2, 1000, 10, 0, 10);
    run_for(&m, 200 * ms);
    assert_int_equal(m.open_at, -1);
    assert_int_equal(m.used[0], m.elements);
    run_for(&m, 200 * ms);
    assert_true(m.open_at >= 250 * ms);
}

static void one_device_is_left_alone(void **state) {
    (void)state;
    model m = make(1, 1000, 0, 0, 0);
    run_for(&m, 5000 * ms);
    assert_int_equal(m.open_at, -1);
    assert_int_equal(m.used[0], m.elements);
}

static void what_is_faster_stays(void **state) {
    (void)state;
    model all = make(2, 1000, 1000, 0, 520), other = make(2, 1000, 300, 0, 290);
    model neither = make(2, 1000, 1000, 0, 1010), slow = make(2, 1000, 90000, 0, 800);
    run_for(&all, 1000 * ms);
    assert_int_equal(all.g.who, WADI_SHARE_ALL);
    run_for(&other, 1000 * ms);
    assert_true(other.g.who == 1 || other.g.who == WADI_SHARE_ALL);
    run_for(&neither, 1000 * ms);
    assert_int_equal(neither.g.who, 0);
    run_for(&slow, 1000 * ms); /* promises nothing, and is not tried */
    assert_int_equal(slow.g.who, 0);
    assert_int_equal(slow.used[3] + slow.used[1], 0);
}

/* A stream is hardly slower than on its first device alone, however bad all together are; it may lose 25 ms once. */
static void trials_cost_little(void **state) {
    (void)state;
    static const double bad[] = {1000, 1200, 1500, 3000};
    for (int i = 0; i < 4; i++)
        for (int64_t length = 400; length < 20000; length *= 2) {
            model m = make(3, 1000, 1000, 2000, bad[i]);
            run_for(&m, length * ms);
            assert_true((double)m.now < 1.03 * (double)m.elements * 1000 + 25e6);
            assert_true(m.used[3] > 0); /* it was tried */
        }
}

static void parts_are_as_large_as_devices_are_fast(void **state) {
    (void)state;
    wadi_sharing g = {.n = 3};
    assert_int_equal(wadi_sharing_part(&g, 1, 300), 100); /* nobody knows yet */
    wadi_sharing_saw(&g, 0, 100, 1000);
    wadi_sharing_saw(&g, 1, 100, 4000);
    wadi_sharing_saw(&g, 2, 100, 100000);
    assert_int_equal(wadi_sharing_part(&g, 0, 1000), 1000);
    assert_int_equal(wadi_sharing_part(&g, 1, 1000), 250);
    assert_int_equal(wadi_sharing_part(&g, 2, 1000), 0);
    assert_int_equal(wadi_sharing_part(&g, 1, 1), 1);
    for (int i = 0; i < 40; i++) wadi_sharing_saw(&g, 0, 100, 16000); /* it slows down */
    assert_true(wadi_sharing_part(&g, 0, 1000) < 260);
    assert_int_equal(wadi_sharing_part(&g, 1, 1000), 1000);
    wadi_sharing_lost(&g, 1);
    assert_int_equal(wadi_sharing_part(&g, 1, 1000), 0);
    assert_int_equal(wadi_sharing_part(&g, 0, 1000), 1000);
}

/* What was good is looked at again. */
static void a_device_that_slows_down_is_left(void **state) {
    (void)state;
    model m = make(2, 1000, 1000, 0, 520);
    run_for(&m, 1000 * ms);
    assert_int_equal(m.g.who, WADI_SHARE_ALL);
    m.ns[1] = 50000;
    m.all_ns = 2000;
    run_for(&m, 4000 * ms);
    assert_int_equal(m.g.who, 0);
}

static void nobody_waits_for_a_lost_one(void **state) {
    (void)state;
    for (int64_t at = 0; at < 1000; at += 40) {
        model m = make(2, 1000, 500, 0, 340);
        run_for(&m, at * ms);
        wadi_sharing_lost(&m.g, 1);
        memset(m.used, 0, sizeof m.used);
        run_for(&m, 500 * ms);
        assert_int_equal(m.used[1] + m.used[3], 0);
    }
}

static void what_was_learned_is_used_at_once(void **state) {
    (void)state;
    wadi_text t = {0};
    model m = make(2, 1000, 1000, 0, 520), next = make(2, 1000, 1000, 0, 520);
    run_for(&m, 1000 * ms);
    wadi_sharing_save(&m.g, &t);
    assert_string_equal(wadi_text_str(&t), "shares -1 1000 1000");
    assert_true(wadi_sharing_load(&next.g, wadi_text_str(&t)));
    run_for(&next, 100 * ms);
    assert_true(next.open_at == 0 && next.used[0] < 30000 && next.used[3] > next.used[0]);
    wadi_text_fini(&t);
    model alone = make(2, 1000, 1000, 0, 520);
    assert_true(wadi_sharing_load(&alone.g, "shares 0 1000 5000"));
    run_for(&alone, 1900 * ms);
    assert_int_equal(alone.open_at, -1);
    run_for(&alone, 600 * ms); /* but things change */
    assert_int_equal(alone.g.who, WADI_SHARE_ALL);
}

static void no_line_of_ours_is_refused(void **state) {
    (void)state;
    static const char *const lines[] = {"",
                                        "shares",
                                        "shares 2 1 1",
                                        "shares -2 1 1",
                                        "shares 0 1",
                                        "shares 0 1 1 1",
                                        "shares 0 1 -1",
                                        "shares 0 1 nan",
                                        "shares 0 inf 1",
                                        "probe 512",
                                        "shares 0 1 x"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        wadi_sharing g = {.n = 2};
        assert_false(wadi_sharing_load(&g, lines[i]));
        assert_false(g.learnt || g.known || g.element_ns[0] > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_stream_opens_nobody),
        cmocka_unit_test(one_device_is_left_alone),
        cmocka_unit_test(what_is_faster_stays),
        cmocka_unit_test(trials_cost_little),
        cmocka_unit_test(parts_are_as_large_as_devices_are_fast),
        cmocka_unit_test(a_device_that_slows_down_is_left),
        cmocka_unit_test(nobody_waits_for_a_lost_one),
        cmocka_unit_test(what_was_learned_is_used_at_once),
        cmocka_unit_test(no_line_of_ours_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
