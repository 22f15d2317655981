/* A receiver that puts parts of a stream into order: numbers are those of elements, and chunks are cut in different ways. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"
#include "sched/link/link.h"

typedef struct piece {
    int64_t count;
    int dropped;
} piece;

static int64_t span_of(const void *payload) {
    return ((const piece *)payload)->count;
}

static void drop(void *env, void *payload) {
    (void)env;
    ((piece *)payload)->dropped++;
}

static wadi_link_receiver gatherer(int64_t window) {
    wadi_link_receiver r;
    wadi_link_receiver_init(&r, true, 1000, window, drop, NULL);
    r.span = span_of;
    wadi_link_receiver_on_join(&r, 0);
    wadi_link_receiver_on_join(&r, 1);
    return r;
}

static void takes(wadi_link_receiver *r, int64_t number, const piece *is) {
    int64_t n = -1;
    void *payload = NULL;
    assert_true(wadi_link_receiver_can_take(r));
    assert_true(wadi_link_receiver_take(r, &n, &payload));
    assert_int_equal(n, number);
    assert_ptr_equal(payload, is);
}

static int count_done(wadi_link_receiver *r, int peer) {
    int n = 0;
    for (wadi_link_message m; wadi_link_receiver_pop(r, &m);)
        n += m.kind == WADI_LINK_DONE && m.peer == peer;
    return n;
}

static void parts_come_in_the_order_of_their_elements(void **state) {
    (void)state;
    wadi_link_receiver r = gatherer(4);
    piece a = {5, 0}, b = {3, 0}, c = {4, 0};
    wadi_link_receiver_on_chunk(&r, 1, 8, 0, 1, &c);
    assert_false(wadi_link_receiver_can_take(&r));
    wadi_link_receiver_on_chunk(&r, 0, 0, 0, 1, &a);
    takes(&r, 0, &a);
    assert_false(wadi_link_receiver_can_take(&r));
    wadi_link_receiver_on_chunk(&r, 0, 5, 1, 1, &b);
    takes(&r, 5, &b);
    takes(&r, 8, &c);
    wadi_link_receiver_on_end(&r, 12);
    assert_true(wadi_link_receiver_ended(&r));
    wadi_link_receiver_fini(&r);
}

/* Another one computes the elements again, and cuts them elsewhere. */
static void what_was_passed_on_does_not_come_again(void **state) {
    (void)state;
    wadi_link_receiver r = gatherer(4);
    piece a = {3, 0}, again = {5, 0}, inside = {2, 0}, twice = {3, 0};
    wadi_link_receiver_on_chunk(&r, 0, 0, 0, 1, &a);
    takes(&r, 0, &a);
    wadi_link_receiver_on_chunk(&r, 1, 0, 0, 1, &again);
    takes(&r, 0, &again); /* of which two elements are new */
    wadi_link_receiver_done(&r, 0);
    wadi_link_receiver_done(&r, 0);
    assert_int_equal(r.next, 5);
    wadi_link_receiver_on_chunk(&r, 0, 3, 1, 1, &inside);
    assert_int_equal(inside.dropped, 1);
    wadi_link_receiver_on_chunk(&r, 0, 0, 2, 1, &twice);
    assert_int_equal(twice.dropped, 1);
    assert_int_equal(count_done(&r, 0), 3);
    wadi_link_receiver_fini(&r);
}

/* It was waiting when others brought all of it. */
static void a_part_that_others_have_brought_is_dropped_and_done(void **state) {
    (void)state;
    wadi_link_receiver r = gatherer(4);
    piece late = {2, 0}, whole = {10, 0};
    wadi_link_receiver_on_chunk(&r, 1, 4, 0, 7, &late);
    wadi_link_receiver_on_chunk(&r, 0, 0, 0, 1, &whole);
    takes(&r, 0, &whole);
    assert_int_equal(late.dropped, 1); /* though nobody asks for more */
    assert_int_equal(count_done(&r, 1), 1);
    assert_int_equal(r.peer[1].freed_bytes, 7);
    wadi_link_receiver_fini(&r);
}

/* What the one before has sent uses none of its credit, and is not confirmed to it. */
static void a_peer_does_not_inherit_the_chunks_of_the_one_before(void **state) {
    (void)state;
    wadi_link_receiver r = gatherer(1);
    piece old[2] = {{1, 0}, {1, 0}}, fresh[2] = {{1, 0}, {1, 0}};
    wadi_link_receiver_on_chunk(&r, 0, 5, 0, 1, &old[0]);
    wadi_link_receiver_on_chunk(&r, 0, 4, 1, 1, &old[1]);
    wadi_link_receiver_on_lost(&r, 0);
    wadi_link_receiver_on_join(&r, 0);
    wadi_link_receiver_on_chunk(&r, 0, 6, 0, 1, &fresh[0]);
    wadi_link_receiver_on_chunk(&r, 0, 0, 1, 1, &fresh[1]);
    assert_null(r.nonsense);
    takes(&r, 0, &fresh[1]);
    wadi_link_receiver_done(&r, 0);
    assert_int_equal(count_done(&r, 0), 1);
    assert_int_equal(r.peer[0].freed_chunks, 1);
    wadi_link_receiver_fini(&r);
}

/* A sender that is given what others have lost sends it before what it had. Rising numbers beyond the credit stay nonsense. */
static void older_parts_may_come_beyond_the_window(void **state) {
    (void)state;
    wadi_link_receiver r = gatherer(1);
    piece p[5] = {{1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}};
    for (int i = 0; i < 4; i++) wadi_link_receiver_on_chunk(&r, 0, 9 - i, i, 1, &p[i]);
    assert_null(r.nonsense);
    wadi_link_receiver_on_chunk(&r, 0, 20, 4, 1, &p[4]);
    assert_non_null(r.nonsense);
    wadi_link_receiver_fini(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_come_in_the_order_of_their_elements),
        cmocka_unit_test(what_was_passed_on_does_not_come_again),
        cmocka_unit_test(a_part_that_others_have_brought_is_dropped_and_done),
        cmocka_unit_test(a_peer_does_not_inherit_the_chunks_of_the_one_before),
        cmocka_unit_test(older_parts_may_come_beyond_the_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
