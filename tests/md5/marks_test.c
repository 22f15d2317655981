/* A position in the dictionary is saved only if everything before it has been tried, in every class. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "apps/md5/marks.h"
#include "base/error.h"

static void add(md5_marks *m, int64_t offset, int64_t brief, int64_t medium, int64_t lengthy) {
    md5_marks_add(m, &(md5_mark){{0, offset, offset}, {brief, medium, lengthy}});
}

/* The offset of the place that counts, -1 if there is none. */
static int64_t pass(md5_marks *m, int64_t brief, int64_t medium, int64_t lengthy) {
    md5_place place = {0};
    const int64_t tried[MD5_CLASSES] = {brief, medium, lengthy};
    return md5_marks_pass(m, tried, &place) ? place.offset : -1;
}

static void a_place_waits_for_the_words_of_every_class(void **state) {
    WADI_UNUSED(state);
    static md5_marks m;
    memset(&m, 0, sizeof m);
    add(&m, 10, 2, 1, 1);
    add(&m, 20, 5, 1, 1);
    add(&m, 30, 5, 1, 2);
    assert_int_equal(pass(&m, 9, 9, 0), -1);
    assert_int_equal(pass(&m, 9, 0, 9), -1);
    assert_int_equal(pass(&m, 1, 9, 9), -1);
    assert_int_equal(pass(&m, 2, 1, 1), 10);
    assert_int_equal(pass(&m, 4, 9, 9), -1);
    assert_int_equal(pass(&m, 5, 1, 1), 20);
    assert_int_equal(pass(&m, 5, 1, 2), 30);
    assert_int_equal(pass(&m, 9, 9, 9), -1);
}

static void the_latest_place_that_counts_is_told(void **state) {
    WADI_UNUSED(state);
    static md5_marks m;
    memset(&m, 0, sizeof m);
    for (int64_t i = 1; i <= 3 * MD5_MARKS; i++) {
        add(&m, i, i, 0, 0);
        if (i % 100 == 0) assert_int_equal(pass(&m, i - 7, 0, 0), i - 7);
    }
    assert_int_equal(pass(&m, 3 * MD5_MARKS, 0, 0), 3 * MD5_MARKS);
}

static void the_first_places_are_kept_when_there_are_too_many(void **state) {
    WADI_UNUSED(state);
    static md5_marks m;
    memset(&m, 0, sizeof m);
    for (int64_t i = 1; i <= 2 * MD5_MARKS; i++) add(&m, i, i, 0, 0);
    assert_int_equal(pass(&m, 3, 0, 0), 3);
    assert_int_equal(pass(&m, MD5_MARKS, 0, 0), MD5_MARKS - 1);
    assert_int_equal(pass(&m, 2 * MD5_MARKS, 0, 0), 2 * MD5_MARKS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_place_waits_for_the_words_of_every_class),
        cmocka_unit_test(the_latest_place_that_counts_is_told),
        cmocka_unit_test(the_first_places_are_kept_when_there_are_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
