/* Which worker gets which item. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sched/work/dispatch.h"

static const int64_t second = INT64_C(1000000000);

enum { SEATS = 64 };

static int dropped;

static void drop(void *payload) {
    (void)payload;
    dropped++;
}

static void begin(wadi_dispatch *d, int workers, int items) {
    dropped = 0;
    wadi_dispatch_init(d, SEATS, drop);
    for (int w = 0; w < workers; w++) {
        wadi_dispatch_join(d, w);
        wadi_dispatch_ready(d, w);
    }
    for (int i = 0; i < items; i++) assert_true(wadi_dispatch_push(d, i, 10, NULL));
}

/* Gives out one item, which must be this one. Returns to whom. */
static int give(wadi_dispatch *d, int64_t now, int64_t number) {
    wadi_dispatch_item i = {.number = -1};
    int worker = -1;
    assert_true(wadi_dispatch_next(d, now, &worker, &i));
    assert_int_equal(i.number, number);
    return worker;
}

static void give_nothing(wadi_dispatch *d, int64_t now) {
    wadi_dispatch_item i;
    int worker = -1;
    assert_false(wadi_dispatch_next(d, now, &worker, &i));
}

static void items_are_given_out_in_order_to_those_with_the_fewest(void **state) {
    (void)state;
    wadi_dispatch d;
    begin(&d, 2, 10);
    assert_int_equal(give(&d, 0, 0), 0);
    assert_int_equal(give(&d, 0, 1), 1);
    assert_true(wadi_dispatch_answered(&d, 1, 1, 1));
    assert_int_equal(give(&d, 1, 2), 1);
    for (int i = 3; i < 2 * WADI_DISPATCH_AHEAD + 1; i++) (void)give(&d, 1, i);
    give_nothing(&d, 1);
    assert_false(wadi_dispatch_answered(&d, 1, 1, 1));  /* it had its answer */
    assert_false(wadi_dispatch_answered(&d, 0, 9, 1));  /* it was never given out */
    assert_false(wadi_dispatch_answered(&d, 0, 77, 1)); /* there is none */
    wadi_dispatch_fini(&d);
    assert_int_equal(dropped, 10);
}

static void nobody_gets_items_before_it_is_ready(void **state) {
    (void)state;
    wadi_dispatch d;
    begin(&d, 0, 1);
    wadi_dispatch_join(&d, 5);
    give_nothing(&d, 0);
    assert_int_equal(wadi_dispatch_workers(&d), 0);
    wadi_dispatch_ready(&d, 5);
    assert_int_equal(wadi_dispatch_workers(&d), 1);
    assert_int_equal(give(&d, 0, 0), 5);
    wadi_dispatch_clear(&d); /* another job */
    assert_int_equal(wadi_dispatch_workers(&d), 0);
    wadi_dispatch_fini(&d);
}

static void items_of_a_lost_worker_are_for_others(void **state) {
    (void)state;
    wadi_dispatch d;
    begin(&d, 2, 2);
    assert_int_equal(give(&d, 0, 0), 0);
    assert_int_equal(give(&d, 0, 1), 1);
    wadi_dispatch_lost(&d, 0);
    assert_int_equal(give(&d, 0, 0), 1);
    assert_true(wadi_dispatch_answered(&d, 1, 0, 1));
    assert_true(wadi_dispatch_answered(&d, 1, 1, 1));
    assert_int_equal(d.worker[1].held, 0);
    assert_int_equal(d.bytes, 0);
    wadi_dispatch_fini(&d);
}

static void a_late_worker_gets_nothing_until_it_is_heard_of(void **state) {
    (void)state;
    wadi_dispatch d;
    begin(&d, 2, 3);
    assert_int_equal(give(&d, 0, 0), 0);
    assert_int_equal(give(&d, 0, 1), 1);
    assert_int_equal(give(&d, 0, 2), 0);
    assert_true(wadi_dispatch_answered(&d, 1, 1,
                                       second / 10)); /* now it is known how long an answer takes */
    give_nothing(&d, second);
    assert_int_equal(give(&d, 3 * second, 0), 1);
    assert_int_equal(give(&d, 3 * second, 2), 1);
    assert_int_equal(wadi_dispatch_workers(&d), 1);
    assert_true(
        wadi_dispatch_answered(&d, 0, 0, 3 * second)); /* the late one is first nevertheless */
    wadi_dispatch_heard(&d, 0);
    assert_int_equal(wadi_dispatch_workers(&d), 2);
    assert_int_equal(d.worker[0].held, 1);
    assert_int_equal(d.worker[1].held, 1);
    wadi_dispatch_fini(&d);
}

/* A late one may be busy, and whoever is silent costs less. */
static void room_is_made_by_the_silent_while_one_is_late(void **state) {
    (void)state;
    wadi_dispatch d;
    begin(&d, 2, 2);
    for (int w = 2; w < SEATS; w++) wadi_dispatch_join(&d, w);
    assert_int_equal(give(&d, 0, 0), 0);
    assert_int_equal(give(&d, 0, 1), 1);
    assert_int_equal(wadi_dispatch_idle(&d), -1); /* the silent ones may be compiling */
    assert_true(wadi_dispatch_answered(&d, 1, 1, second / 10));
    assert_int_equal(give(&d, 25 * second, 0), 1);
    for (int w = 2; w < SEATS; w++) {
        assert_int_equal(wadi_dispatch_idle(&d), w);
        wadi_dispatch_join(&d, w); /* the other one */
        wadi_dispatch_ready(&d, w);
    }
    assert_int_equal(wadi_dispatch_idle(&d), 0);
    wadi_dispatch_heard(&d, 0);
    assert_int_equal(wadi_dispatch_idle(&d), -1);
    wadi_dispatch_fini(&d);
}

static void first_answers_may_take_long(void **state) {
    (void)state;
    wadi_dispatch d;
    begin(&d, 2, 1);
    assert_int_equal(give(&d, 0, 0), 0);
    give_nothing(&d, 15 * second);
    assert_int_equal(give(&d, 25 * second, 0), 1);
    wadi_dispatch_fini(&d);
}

static void what_kills_workers_is_given_up(void **state) {
    (void)state;
    wadi_dispatch d;
    begin(&d, 4, 2);
    for (int i = 0; i < WADI_DISPATCH_TIMES; i++) {
        assert_int_equal(wadi_dispatch_given_up(&d), -1);
        assert_int_equal(give(&d, 0, 0), i);
        wadi_dispatch_lost(&d, i);
    }
    assert_int_equal(give(&d, 0, 1), 3);
    assert_int_equal(wadi_dispatch_given_up(&d), 0);
    assert_int_equal(wadi_dispatch_given_up(&d), -1);
    assert_int_equal(dropped, 1);
    wadi_dispatch_fini(&d);
}

/* Those who keep their connections and never answer hold nobody up for ever. */
static void what_holds_up_workers_is_given_up(void **state) {
    (void)state;
    wadi_dispatch d;
    int64_t now = 0;
    begin(&d, WADI_DISPATCH_TIMES + 1, 1);
    for (int i = 0; i < WADI_DISPATCH_TIMES; i++) {
        assert_int_equal(give(&d, now, 0), i);
        now += 15 * second;
        give_nothing(&d, now);
        assert_int_equal(wadi_dispatch_given_up(&d), -1);
        now += 15 * second;
    }
    give_nothing(&d, now);
    assert_int_equal(wadi_dispatch_given_up(&d), 0);
    assert_int_equal(d.worker[0].held, 0);
    assert_false(wadi_dispatch_answered(&d, 1, 0, now)); /* too late */
    wadi_dispatch_fini(&d);
}

static void room_is_for_what_workers_take_soon(void **state) {
    (void)state;
    wadi_dispatch d;
    begin(&d, 1, 0);
    assert_true(wadi_dispatch_room(&d, 1000, 100)); /* one item is always taken */
    assert_true(wadi_dispatch_push(&d, 0, 60, NULL));
    assert_true(wadi_dispatch_room(&d, 40, 100));
    assert_false(wadi_dispatch_room(&d, 41, 100));
    for (int i = 1; i <= WADI_DISPATCH_AHEAD; i++) assert_true(wadi_dispatch_push(&d, i, 1, NULL));
    assert_false(wadi_dispatch_room(&d, 1, 1000));
    wadi_dispatch_fini(&d);
}

/* Random events: every item is answered or given up once, and what workers hold adds up. */
static void nothing_is_lost_whatever_happens(void **state) {
    (void)state;
    enum { ITEMS = 400 };
    for (unsigned seed = 1; seed <= 40; seed++) {
        wadi_dispatch d;
        bool done[ITEMS] = {false};
        int64_t now = 0, left = ITEMS;
        uint64_t x = seed;
        begin(&d, 0, ITEMS);
        while (left > 0) {
            x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const int what = (int)(x >> 60), w = (int)(x >> 40 & 7);
            now += (int64_t)(x >> 33 & 0xfffff) * 1000;
            wadi_dispatch_item i = {.number = -1};
            int to = -1;
            if (what < 6) {
                if (wadi_dispatch_next(&d, now, &to, &i)) assert_true(d.worker[to].ready);
            } else if (what < 12) {
                const int64_t n = (int64_t)(x >> 20 & 0xffff) % ITEMS;
                bool has = false;
                for (size_t k = 0; k < d.items.n; k++)
                    has = has ||
                          (d.items.at[k].number == n && wadi_dispatch_holds(&d.items.at[k], w));
                if (has && wadi_dispatch_answered(&d, w, n, now)) {
                    assert_false(done[n]);
                    done[n] = true;
                    left--;
                }
                wadi_dispatch_heard(&d, w);
            } else if (what < 14) {
                wadi_dispatch_join(&d, w);
                wadi_dispatch_ready(&d, w);
            } else if (what == 14 && (x >> 50 & 15) == 0) {
                wadi_dispatch_lost(&d, w);
            }
            const int64_t given_up = wadi_dispatch_given_up(&d);
            if (given_up >= 0) {
                assert_false(done[given_up]);
                done[given_up] = true;
                left--;
            }
            for (int k = 0; k < 8; k++) {
                int held = 0;
                for (size_t n = 0; n < d.items.n; n++)
                    held += wadi_dispatch_holds(&d.items.at[n], k);
                assert_int_equal(held, d.worker[k].held);
                assert_true(held <= WADI_DISPATCH_AHEAD);
            }
        }
        assert_int_equal(dropped, ITEMS);
        wadi_dispatch_fini(&d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_are_given_out_in_order_to_those_with_the_fewest),
        cmocka_unit_test(nobody_gets_items_before_it_is_ready),
        cmocka_unit_test(items_of_a_lost_worker_are_for_others),
        cmocka_unit_test(a_late_worker_gets_nothing_until_it_is_heard_of),
        cmocka_unit_test(room_is_made_by_the_silent_while_one_is_late),
        cmocka_unit_test(first_answers_may_take_long),
        cmocka_unit_test(what_kills_workers_is_given_up),
        cmocka_unit_test(what_holds_up_workers_is_given_up),
        cmocka_unit_test(room_is_for_what_workers_take_soon),
        cmocka_unit_test(nothing_is_lost_whatever_happens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
