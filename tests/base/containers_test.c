/* Growable arrays, string builder, map and interning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/map.h"
#include "base/text.h"
#include "base/vec.h"

typedef struct pair {
    int a;
    double b;
} pair;

static void pushed_elements_stay_in_order(void **state) {
    WADI_UNUSED(state);
    WADI_VEC(pair) v = {0};
    for (int i = 0; i < 1000; i++) assert_true(wadi_vec_push(&v, (pair){i, i * 0.5}));
    assert_int_equal(v.n, 1000);
    for (int i = 0; i < 1000; i++) assert_int_equal(v.at[i].a, i);
    assert_int_equal(wadi_vec_last(&v).a, 999);
    assert_int_equal(wadi_vec_pop(&v).a, 999);
    assert_int_equal(v.n, 999);
    wadi_vec_clear(&v);
    assert_int_equal(v.n, 0);
    assert_true(v.cap >= 1000);
    wadi_vec_free(&v);
    assert_null(v.at);
}

static void push_may_read_the_array_it_grows(void **state) {
    WADI_UNUSED(state);
    WADI_VEC(int) v = {0};
    assert_true(wadi_vec_push(&v, 7));
    for (int i = 0; i < 100; i++) assert_true(wadi_vec_push(&v, v.at[0]));
    assert_int_equal(wadi_vec_last(&v), 7);
    wadi_vec_free(&v);
}

static void refused_reserve_changes_nothing(void **state) {
    WADI_UNUSED(state);
    WADI_VEC(uint64_t) v = {0};
    assert_true(wadi_vec_push(&v, 1));
    assert_false(wadi_vec_reserve(&v, SIZE_MAX / 4));
    assert_int_equal(v.n, 1);
    assert_int_equal(v.at[0], 1);
    wadi_vec_free(&v);
}

/* Room far beyond what growing would give is there to be written; under the sanitizer every byte counts. */
static void reserved_room_is_there(void **state) {
    WADI_UNUSED(state);
    for (size_t want = 1; want < 3000000; want = want * 7 + 1) {
        WADI_VEC(uint64_t) v = {0};
        assert_true(wadi_vec_push(&v, 5));
        assert_true(wadi_vec_reserve(&v, want));
        assert_true(v.cap >= want);
        for (size_t i = v.n; i < want; i++) v.at[i] = i;
        assert_int_equal(v.n, 1);
        assert_int_equal(v.at[0], 5);
        const size_t before = v.cap;
        assert_true(wadi_vec_reserve(&v, want));
        assert_int_equal(v.cap, before);
        wadi_vec_free(&v);
        assert_int_equal(v.n, 0);
        assert_int_equal(v.cap, 0);
    }
}

static void text_of_any_length_ends_in_nul(void **state) {
    WADI_UNUSED(state);
    char piece[700];
    memset(piece, 'x', sizeof piece);
    for (size_t first = 0; first < 600; first += 85) {
        for (size_t more = 0; more < sizeof piece; more += 17) {
            wadi_text t = {0};
            wadi_text_add_n(&t, piece, first);
            wadi_text_addf(&t, "%.*s", (int)more, piece);
            assert_int_equal(t.n, first + more);
            assert_int_equal(strlen(wadi_text_str(&t)), first + more);
            assert_true(t.cap > t.n);
            wadi_text_fini(&t);
        }
    }
}

static void text_grows_and_is_taken(void **state) {
    WADI_UNUSED(state);
    wadi_text t;
    wadi_text_init(&t);
    assert_string_equal(wadi_text_str(&t), "");
    wadi_text_indent(&t, 1);
    wadi_text_add(&t, "x = ");
    wadi_text_addf(&t, "%d;", 12);
    assert_string_equal(wadi_text_str(&t), "    x = 12;");
    for (int i = 0; i < 1000; i++) wadi_text_addf(&t, "%d,", i);
    assert_int_equal(t.n, strlen(wadi_text_str(&t)));
    assert_false(t.failed);
    char *s = wadi_text_take(&t);
    assert_int_equal(strncmp(s, "    x = 12;0,1,2,", 17), 0);
    free(s);
    s = wadi_text_take(&t);
    assert_string_equal(s, "");
    free(s);
    wadi_text_fini(&t);
}

static void text_failure_is_sticky(void **state) {
    WADI_UNUSED(state);
    wadi_text t = {0};
    wadi_text_add(&t, "a");
    wadi_text_add_n(&t, "b", SIZE_MAX / 2);
    assert_true(t.failed);
    wadi_text_add(&t, "c");
    assert_string_equal(wadi_text_str(&t), "a");
    assert_null(wadi_text_take(&t));
    wadi_text_add_n(&t, "b", SIZE_MAX / 2);
    wadi_text_clear(&t); /* forgets it */
    assert_string_equal(wadi_text_str(&t), "");
    wadi_text_add(&t, "d");
    assert_string_equal(wadi_text_str(&t), "d");
    wadi_text_clear(&t);
    assert_string_equal(wadi_text_str(&t), "");
    assert_int_equal(t.n, 0);
    wadi_text_fini(&t);
}

static void map_finds_what_was_put(void **state) {
    WADI_UNUSED(state);
    wadi_map64 m;
    wadi_map64_init(&m);
    uint64_t value = 5;
    assert_false(wadi_map64_get(&m, 0, &value));
    assert_int_equal(value, 5);
    for (uint64_t i = 0; i < 5000; i++) assert_true(wadi_map64_put(&m, i << 32, i));
    for (uint64_t i = 0; i < 5000; i++) assert_true(wadi_map64_put(&m, i << 32, i + 1));
    assert_int_equal(m.n, 5000);
    for (uint64_t i = 0; i < 5000; i++) {
        assert_true(wadi_map64_get(&m, i << 32, &value));
        assert_int_equal(value, i + 1);
    }
    assert_false(wadi_map64_get(&m, 1, NULL));
    assert_true(wadi_map64_put(&m, UINT64_MAX, 9));
    assert_true(wadi_map64_get(&m, UINT64_MAX, NULL));
    wadi_map64_fini(&m);
}

static void equal_strings_intern_to_one_pointer(void **state) {
    WADI_UNUSED(state);
    wadi_intern in;
    wadi_intern_init(&in);
    const char *first[500];
    char name[32];
    for (int i = 0; i < 500; i++) {
        (void)snprintf(name, sizeof name, "v%d", i);
        first[i] = wadi_intern_add(&in, name);
        assert_string_equal(first[i], name);
    }
    for (int i = 0; i < 500; i++) {
        (void)snprintf(name, sizeof name, "v%d", i);
        assert_ptr_equal(wadi_intern_add(&in, name), first[i]);
    }
    assert_ptr_equal(wadi_intern_add_n(&in, "v17rest", 3), first[17]);
    assert_ptr_not_equal(wadi_intern_add_n(&in, "v17rest", 2), first[17]);
    assert_string_equal(wadi_intern_add(&in, ""), "");
    wadi_intern_fini(&in);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pushed_elements_stay_in_order),
        cmocka_unit_test(push_may_read_the_array_it_grows),
        cmocka_unit_test(refused_reserve_changes_nothing),
        cmocka_unit_test(reserved_room_is_there),
        cmocka_unit_test(text_of_any_length_ends_in_nul),
        cmocka_unit_test(text_grows_and_is_taken),
        cmocka_unit_test(text_failure_is_sticky),
        cmocka_unit_test(map_finds_what_was_put),
        cmocka_unit_test(equal_strings_intern_to_one_pointer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
