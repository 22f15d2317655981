/* Which device is home, by times that a model gives: runs of one program, one after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sched/run/home.h"

/* A machine on which runs take so long. */
typedef struct model {
    wadi_home h;
    double ns[3], begin_ns[3]; /* of a run of one unit; of opening */
    bool open[3], processes;   /* each run is a process of its own */
    bool once;                 /* runs cannot begin again */
    double units, all_ns;      /* of the next run; of all so far */
    int used[3], late;
} model;

static model make(int n, double first, double second, double third) {
    return (model){.h = {.n = n}, .ns = {first, second, third}, .units = 1};
}

static void run(model *m) {
    if (m->processes) memset(m->open, 0, sizeof m->open);
    const wadi_home_choice c = wadi_home_next(&m->h, m->open, !m->once);
    const double begin = m->open[c.who] ? 0 : m->begin_ns[c.who], took = m->units * m->ns[c.who];
    m->all_ns += begin;
    m->used[c.who]++;
    m->open[c.who] = true;
    if (c.trial && took > (double)c.most_ns) {
        wadi_home_late(&m->h, c.who, c.most_ns);
        m->all_ns += (double)c.most_ns + m->units * m->ns[0];
        m->late++;
        return;
    }
    m->all_ns += took;
    wadi_home_saw(&m->h, c.who, (int64_t)took, m->units, (int64_t)begin);
}

static void run_times(model *m, int n) {
    for (int i = 0; i < n; i++) run(m);
}

static const double ms = 1e6;

/* ---- the tests ---- */

static void small_programs_open_nobody(void **state) {
    (void)state;
    model m = make(2, 0.1 * ms, 0.001 * ms, 0);
    run_times(&m, 4900);
    assert_int_equal(m.used[1], 0);
    run_times(&m, 200);
    assert_true(m.used[1] > 0); /* together they are long */
}

static void what_is_faster_becomes_home(void **state) {
    (void)state;
    model m = make(3, 800 * ms, 100 * ms, 300 * ms);
    run_times(&m, 20);
    assert_int_equal(m.used[0], 1);
    assert_int_equal(m.used[1], 18);
    assert_int_equal(m.used[2], 1);
    model even = make(2, 800 * ms, 780 * ms, 0); /* not by enough */
    run_times(&even, 20);
    assert_int_equal(even.used[1], WADI_HOME_TRIALS);
}

/* However slow the others are: hardly slower than on the first device alone, in the long run. */
static void trials_cost_little(void **state) {
    (void)state;
    static const double bad[] = {820, 900, 1500, 100000};
    for (int i = 0; i < 4; i++)
        for (int n = 1; n < 2000; n *= 2) {
            model m = make(3, 800 * ms, bad[i] * ms, 2 * bad[i] * ms);
            run_times(&m, n);
            assert_true(m.all_ns < 1.05 * n * 800 * ms + 6 * 800 * ms);
            assert_true(n < 4 || m.used[1] > 0);
        }
}

/* Opening it takes longer than a whole run at the first: of processes it is home never again, of runs in one process it may be. */
static void opening_counts(void **state) {
    (void)state;
    model m = make(2, 700 * ms, 50 * ms, 0);
    m.begin_ns[1] = 900 * ms;
    m.processes = true;
    run_times(&m, 20);
    assert_int_equal(m.used[1], 1);
    m.processes = false;
    m.used[0] = m.used[1] = 0;
    m.open[1] = true;
    run_times(&m, 20);
    assert_true(m.used[1] >= 19); /* the other was looked at again */
}

static void inputs_may_grow(void **state) {
    (void)state;
    model m = make(2, 100 * ms, 60 * ms, 0);
    for (int i = 0; i < 40; i++) {
        m.units = 1 + i % 3;
        run(&m);
    }
    assert_true(m.used[1] > 30);
    assert_true(m.late < 2);
}

static void things_change(void **state) {
    (void)state;
    model m = make(2, 800 * ms, 100 * ms, 0);
    run_times(&m, 10);
    m.ns[1] = 2000 * ms; /* it slows down */
    run_times(&m, 20);
    m.used[0] = m.used[1] = 0;
    run_times(&m, 10);
    assert_int_equal(m.used[1], 0);
    model late = make(2, 800 * ms, 900 * ms, 0);
    run_times(&late, 10);
    late.ns[1] = 100 * ms; /* it becomes fast */
    run_times(&late, 200);
    assert_true(late.used[1] > 100);
}

static void who_is_out_is_not_asked(void **state) {
    (void)state;
    model m = make(3, 800 * ms, 100 * ms, 300 * ms);
    m.h.out[1] = true;
    run_times(&m, 20);
    assert_int_equal(m.used[1], 0);
    assert_int_equal(m.used[2], 19);
    model refused = make(2, 800 * ms, 100 * ms, 0);
    run_times(&refused, 1);
    wadi_home_choice c = wadi_home_next(&refused.h, refused.open, true);
    assert_true(c.who == 1 && c.trial && c.most_ns == 1600000000);
    wadi_home_refused(&refused.h, 1);
    run_times(&refused, 1);
    assert_int_equal(refused.used[1], 0);
    run_times(&refused, 40);
    assert_true(refused.used[1] > 0); /* perhaps it is well now */
}

static void what_was_learned_is_used(void **state) {
    (void)state;
    wadi_text t = {0};
    model m = make(2, 800 * ms, 100 * ms, 0), next = make(2, 800 * ms, 100 * ms, 0);
    m.begin_ns[1] = 30 * ms;
    m.processes = true;
    run_times(&m, 5);
    wadi_home_save(&m.h, &t);
    assert_string_equal(wadi_text_str(&t), "home 0 3e+08 3.2e+09 1e+08 1 8e+08 0 2 1e+08 3e+07 1");
    assert_true(wadi_home_load(&next.h, wadi_text_str(&t)));
    run_times(&next, 5);
    assert_int_equal(next.used[1], 5);
    wadi_text_fini(&t);
}

static void no_line_of_ours_is_refused(void **state) {
    (void)state;
    static const char *const lines[] = {"",
                                        "home",
                                        "home 0 1 1 1 1",
                                        "home 0 1 1 1 1 1 0 2",
                                        "home 2 1 1 1 1 1 0 2 1 0 2",
                                        "home 0 1 1 1 1 1 0 3 1 0 2",
                                        "home 0 nan 1 1 1 1 0 2 1 0 2",
                                        "home 0 1 inf 1 1 1 0 2 1 0 2",
                                        "home 0 1 1 1 -1 1 0 2 1 0 2",
                                        "home 0 1 1 1 1 1 0 2 1 0 2 1",
                                        "shares 0 1 1",
                                        "home 0 1 1 1 1 1 0 2 1 0 x"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        wadi_home h = {.n = 2};
        assert_false(wadi_home_load(&h, lines[i]));
        assert_true(h.unit_ns[0] <= 0 && h.spent_ns <= 0);
    }
    wadi_home h = {.n = 2, .out = {false, true}};
    assert_true(wadi_home_load(&h, "home 1 1 1 1 1 1 0 2 1 0 2"));
    assert_true(h.looks && h.out[1] && h.runs[1] == 2);
}

/* What could not begin again is no trial; what is known is used. */
static void what_cannot_begin_again_is_no_trial(void **state) {
    (void)state;
    model m = make(2, 800 * ms, 100 * ms, 0);
    m.once = true;
    run_times(&m, 50);
    assert_int_equal(m.used[1], 0);
    m.once = false;
    run_times(&m, 10);
    m.once = true;
    m.used[1] = 0;
    run_times(&m, 50);
    assert_int_equal(m.used[1], 50);
}

/* When the home is lost. */
static void the_best_of_those_left(void **state) {
    (void)state;
    static const bool open[3] = {true, true, true};
    model m = make(3, 800 * ms, 300 * ms, 100 * ms);
    run_times(&m, 20);
    assert_int_equal(wadi_home_best(&m.h, open), 2);
    m.h.out[2] = true;
    assert_int_equal(wadi_home_best(&m.h, open), 1);
    m.h.out[1] = true;
    assert_int_equal(wadi_home_best(&m.h, open), 0);
}

static void a_file_with_huge_times_gives_a_deadline(void **state) {
    (void)state;
    static const bool open[2] = {true, true};
    wadi_home h = {.n = 2};
    assert_true(wadi_home_load(&h, "home 0 9e17 0 0 1e18 1e18 0 2 0 0 0"));
    const wadi_home_choice c = wadi_home_next(&h, open, true);
    assert_true(c.trial && c.who == 1);
    assert_int_equal(c.most_ns, 1000000000000000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_programs_open_nobody),
        cmocka_unit_test(what_is_faster_becomes_home),
        cmocka_unit_test(trials_cost_little),
        cmocka_unit_test(opening_counts),
        cmocka_unit_test(inputs_may_grow),
        cmocka_unit_test(things_change),
        cmocka_unit_test(who_is_out_is_not_asked),
        cmocka_unit_test(what_was_learned_is_used),
        cmocka_unit_test(no_line_of_ours_is_refused),
        cmocka_unit_test(what_cannot_begin_again_is_no_trial),
        cmocka_unit_test(the_best_of_those_left),
        cmocka_unit_test(a_file_with_huge_times_gives_a_deadline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
