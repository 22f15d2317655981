/* The store of expensive objects: who gets an object that is kept, and when it is destroyed. */
#include "base/keep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/thread.h"

static int things[4], ended;

static void end(void *thing) {
    assert_non_null(thing);
    ended++;
}

static const wadi_keep_kind two = {.most = 2, .destroy = end}, other = {.most = 2, .destroy = end};

static int begin(void **state) {
    (void)state;
    ended = 0;
    return 0;
}

static void without_a_holder_nothing_is_kept(void **state) {
    (void)state;
    wadi_keep_put(&two, 0, &things[0]);
    assert_int_equal(ended, 1);
    assert_null(wadi_keep_take(&two, 0));
}

static void the_last_one_put_of_a_kind_and_key_is_taken(void **state) {
    (void)state;
    wadi_keep_hold();
    wadi_keep_put(&two, 1, &things[0]);
    wadi_keep_put(&two, 1, &things[1]);
    wadi_keep_put(&other, 1, &things[2]);
    assert_null(wadi_keep_take(&two, 2));
    assert_ptr_equal(wadi_keep_take(&two, 1), &things[1]);
    assert_ptr_equal(wadi_keep_take(&two, 1), &things[0]);
    assert_null(wadi_keep_take(&two, 1));
    assert_ptr_equal(wadi_keep_take(&other, 1), &things[2]);
    wadi_keep_drop();
    assert_int_equal(ended, 0);
}

static void one_too_many_ends_the_oldest_of_its_kind(void **state) {
    (void)state;
    wadi_keep_hold();
    wadi_keep_put(&other, 0, &things[3]);
    for (int i = 0; i < 3; i++) wadi_keep_put(&two, i, &things[i]);
    assert_int_equal(ended, 1);
    assert_null(wadi_keep_take(&two, 0));
    assert_ptr_equal(wadi_keep_take(&two, 2), &things[2]);
    wadi_keep_drop();
    assert_int_equal(ended, 3);
}

static void all_ends_with_the_last_holder(void **state) {
    (void)state;
    wadi_keep_hold();
    wadi_keep_hold();
    wadi_keep_put(&two, 0, &things[0]);
    wadi_keep_drop();
    assert_int_equal(ended, 0);
    wadi_keep_drop();
    assert_int_equal(ended, 1);
}

static void a_forked_child_begins_with_nothing(void **state) {
    (void)state;
    const char *sanitizer = getenv("WADI_SANITIZE");
    if (sanitizer != NULL && strstr(sanitizer, "thread") != NULL) skip();
    wadi_keep_hold();
    wadi_keep_put(&two, 0, &things[0]);
    const pid_t child = fork();
    if (child == 0) { /* who held the shelf holds it there, too */
        const bool empty = wadi_keep_take(&two, 0) == NULL;
        wadi_keep_put(&two, 1, &things[1]);
        wadi_keep_put(&two, 0, &things[2]);
        const bool kept = ended == 0 && wadi_keep_take(&two, 1) == &things[1];
        wadi_keep_drop();
        _exit(empty && kept && ended == 1 ? 0 : 1); /* what the parent has is not ended */
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_ptr_equal(wadi_keep_take(&two, 0), &things[0]);
    wadi_keep_drop();
}

static void a_full_shelf_gives_up_the_oldest_of_all(void **state) {
    (void)state;
    enum { MANY = 200 };
    static wadi_keep_kind kinds[MANY];
    static int thing[MANY];
    int left = 0;
    wadi_keep_hold();
    for (int i = 0; i < MANY; i++) {
        kinds[i] = (wadi_keep_kind){.most = 1, .destroy = end};
        wadi_keep_put(&kinds[i], i, &thing[i]);
    }
    assert_true(ended > 0);
    for (int i = 0; i < MANY; i++) {
        const void *t = wadi_keep_take(&kinds[i], i);
        assert_true(t == NULL || t == &thing[i]);
        assert_true((t != NULL) == (i >= ended));
        left += t != NULL;
    }
    assert_int_equal(left + ended, MANY);
    assert_true(left > 1);
    wadi_keep_drop();
}

/* ---- threads, which lie there ---- */

static void add_one(void *env) {
    ++*(int *)env; /* plain: starting and joining order it */
}

static void a_joined_thread_does_the_next_work(void **state) {
    (void)state;
    int n = 0;
    wadi_keep_hold();
    for (int i = 0; i < 1000; i++) {
        wadi_thread t[2];
        int more = 0;
        assert_int_equal(wadi_thread_start(&t[0], add_one, &n, NULL), 0);
        assert_int_equal(wadi_thread_start(&t[1], add_one, &more, NULL), 0);
        for (int k = 0; k < 2; k++) wadi_thread_join(&t[k]);
        wadi_thread_join(&t[0]); /* harmless */
        assert_int_equal(more, 1);
    }
    wadi_keep_drop();
    assert_int_equal(n, 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(without_a_holder_nothing_is_kept, begin),
        cmocka_unit_test_setup(the_last_one_put_of_a_kind_and_key_is_taken, begin),
        cmocka_unit_test_setup(one_too_many_ends_the_oldest_of_its_kind, begin),
        cmocka_unit_test_setup(all_ends_with_the_last_holder, begin),
        cmocka_unit_test_setup(a_forked_child_begins_with_nothing, begin),
        cmocka_unit_test_setup(a_full_shelf_gives_up_the_oldest_of_all, begin),
        cmocka_unit_test_setup(a_joined_thread_does_the_next_work, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
