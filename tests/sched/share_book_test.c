/* What one that has a part tells its sender: first of whoever gathers, then what that one has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sched/transport/share.h"

enum { GATHERER = 11 };

/* A port that writes down what it is to tell. At its next question another thread has news. */
typedef struct told {
    wadi_port base;
    wadi_share_book *book;
    bool news;
    char order[8]; /* g: of whoever gathers, d: a chunk is done */
} told;

static void note(told *t, char what) {
    const size_t n = strlen(t->order);
    if (n + 1 < sizeof t->order) t->order[n] = what;
}

static wadi_port_part part(const wadi_port *self) {
    told *t = (told *)(uintptr_t)self;
    const wadi_gatherer gatherer = {.by = GATHERER};
    if (t->news) {
        t->news = false;
        wadi_share_book_gathered(t->book, &gatherer);
        wadi_share_book_settle(t->book, 0, 2);
    }
    return (wadi_port_part){.session = 0};
}

static void pass_on(wadi_port *self, const wadi_gatherer *what) {
    assert_true(what->by == GATHERER);
    note((told *)self, 'g');
}

static void done(wadi_port *self, int64_t number) {
    assert_int_equal(number, 5);
    note((told *)self, 'd');
}

static void nothing_is_done_before_it_is_said_for_whom(void **state) {
    (void)state;
    static const wadi_port_ops ops = {.part = part, .pass_on = pass_on, .done = done};
    const wadi_chunk chunk = {.number = 5, .first = 0, .count = 2};
    told t = {.base = {.ops = &ops}};
    assert_int_equal(wadi_share_book_create(&t.book, NULL), WADI_OK);
    const wadi_port_share share = wadi_share_book_options(t.book);
    wadi_share_book_use(t.book, &t.base);
    assert_int_equal(wadi_share_book_add(t.book, &chunk, NULL), WADI_OK);
    t.news = true;
    assert_int_equal(share.nudged(share.env, NULL), WADI_OK);
    assert_int_equal(share.nudged(share.env, NULL), WADI_OK);
    assert_string_equal(t.order, "gd");
    wadi_share_book_destroy(t.book);
}

static void one_that_is_lost_at_once_is_named(void **state) {
    (void)state;
    static const wadi_port_ops ops = {.part = part, .pass_on = pass_on, .done = done};
    const wadi_chunk chunk = {.number = 5, .first = 0, .count = 2};
    const wadi_gatherer gatherer = {.by = GATHERER}, none = {.by = 0};
    told t = {.base = {.ops = &ops}};
    assert_int_equal(wadi_share_book_create(&t.book, NULL), WADI_OK);
    const wadi_port_share share = wadi_share_book_options(t.book);
    wadi_share_book_use(t.book, &t.base);
    assert_int_equal(wadi_share_book_add(t.book, &chunk, NULL), WADI_OK);
    wadi_share_book_gathered(t.book, &gatherer);
    wadi_share_book_settle(t.book, 0, 2);
    wadi_share_book_gathered(t.book, &none);
    assert_int_equal(share.nudged(share.env, NULL), WADI_OK);
    assert_string_equal(t.order, "gd");
    wadi_share_book_destroy(t.book);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_done_before_it_is_said_for_whom),
                                       cmocka_unit_test(one_that_is_lost_at_once_is_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
