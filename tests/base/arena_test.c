/* The arena: zeroed and aligned objects, marks, growth. */
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static int setup(void **state) {
    *state = wadi_arena_create();
    return *state == NULL ? -1 : 0;
}

static int teardown(void **state) {
    wadi_arena_destroy(*state);
    return 0;
}

static void objects_are_zeroed_aligned_and_apart(void **state) {
    wadi_arena *a = *state;
    for (size_t bytes = 0; bytes < 100; bytes++) {
        unsigned char *p = wadi_arena_alloc(a, bytes);
        unsigned char *q = wadi_arena_alloc(a, 1);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 16, 0);
        assert_true(p + bytes <= q || q < p);
        assert_ptr_not_equal(p, q);
        for (size_t i = 0; i < bytes; i++) assert_int_equal(p[i], 0);
        memset(p, 0xff, bytes);
    }
}

static void rewound_memory_is_zeroed_again(void **state) {
    wadi_arena *a = *state;
    const size_t mark = wadi_arena_mark(a);
    memset(wadi_arena_alloc(a, 64), 0xff, 64);
    wadi_arena_rewind(a, mark);
    const unsigned char *p = wadi_arena_alloc(a, 64);
    for (size_t i = 0; i < 64; i++) assert_int_equal(p[i], 0);
}

/* Any order of objects and rewinds: what is handed out is zero, also where there was something before, and what is older stays. */
static void any_use_gives_zeroes_and_keeps_what_is_older(void **state) {
    enum { MOST = 40 };
    static const size_t sizes[] = {1, 15, 16, 17, 48, 100, 1000, 9000};
    wadi_arena *a = *state;
    struct {
        size_t mark, bytes;
        unsigned char *at;
    } live[MOST];
    int n = 0;
    uint32_t random = 1;
    for (int turn = 0; turn < 4000; turn++) {
        random = random * 1664525 + 1013904223;
        const uint32_t drawn = random >> 16;
        if (n == MOST || (n > 0 && drawn % 8 == 0)) {
            n = (int)(drawn / 8 % (uint32_t)n);
            wadi_arena_rewind(a, live[n].mark);
            assert_int_equal(wadi_arena_mark(a), live[n].mark);
        }
        live[n].mark = wadi_arena_mark(a);
        live[n].bytes = sizes[drawn / 8 % 8];
        live[n].at = wadi_arena_alloc(a, live[n].bytes);
        assert_non_null(live[n].at);
        for (size_t i = 0; i < live[n].bytes; i++) assert_int_equal(live[n].at[i], 0);
        memset(live[n].at, n + 1, live[n].bytes);
        n++;
        for (int k = 0; k < n; k++) {
            assert_int_equal(live[k].at[0], k + 1);
            assert_int_equal(live[k].at[live[k].bytes - 1], k + 1);
        }
    }
}

static void rewind_keeps_what_is_older(void **state) {
    wadi_arena *a = *state;
    char *kept = wadi_arena_strdup(a, "kept");
    const size_t mark = wadi_arena_mark(a);
    for (int i = 0; i < 200; i++) assert_non_null(wadi_arena_alloc(a, 5000));
    assert_non_null(wadi_arena_alloc(a, 30000000));
    wadi_arena_rewind(a, mark);
    assert_int_equal(wadi_arena_mark(a), mark);
    assert_string_equal(kept, "kept");
    assert_non_null(WADI_NEW(a, double));
    wadi_arena_rewind(a, 0);
    assert_int_equal(wadi_arena_mark(a), 0);
}

static void marks_nest_at_block_borders(void **state) {
    wadi_arena *a = *state;
    size_t marks[64];
    for (int i = 0; i < 64; i++) {
        marks[i] = wadi_arena_mark(a);
        memset(wadi_arena_alloc(a, 4096), i, 4096);
    }
    for (int i = 63; i >= 0; i--) {
        wadi_arena_rewind(a, marks[i]);
        assert_int_equal(wadi_arena_mark(a), marks[i]);
    }
}

static void overflowing_sizes_are_refused(void **state) {
    wadi_arena *a = *state;
    assert_null(WADI_NEW_N(a, uint64_t, SIZE_MAX / 4));
    assert_null(wadi_arena_alloc(a, SIZE_MAX));
    assert_null(wadi_arena_alloc(a, SIZE_MAX - 64));
    assert_non_null(WADI_NEW_N(a, uint64_t, 4));
    assert_null(wadi_arena_alloc_n(a, 2, SIZE_MAX / 2 + 1)); /* whose product is 0 */
    assert_non_null(wadi_arena_alloc_n(a, 0, SIZE_MAX));
    assert_non_null(wadi_arena_alloc_n(a, 8, 0));
}

static void texts_are_copied(void **state) {
    wadi_arena *a = *state;
    assert_string_equal(wadi_arena_printf(a, "%s[%d]", "x", 7), "x[7]");
    assert_string_equal(wadi_arena_strndup(a, "abcdef", 3), "abc");
    assert_string_equal(wadi_arena_strdup(a, ""), "");
    char want[64] = "";
    for (size_t n = 0; n < 40; n++) { /* the next object begins behind the last NUL */
        const char *printed = wadi_arena_printf(a, "%s", want);
        memset(wadi_arena_alloc(a, 1), 0xff, 1);
        const char *copied = wadi_arena_strdup(a, want), *part = wadi_arena_strndup(a, want, n);
        memset(wadi_arena_alloc(a, 1), 0xff, 1);
        assert_string_equal(printed, want);
        assert_string_equal(copied, want);
        assert_string_equal(part, want);
        want[n] = 'w';
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(objects_are_zeroed_aligned_and_apart, setup, teardown),
        cmocka_unit_test_setup_teardown(rewound_memory_is_zeroed_again, setup, teardown),
        cmocka_unit_test_setup_teardown(any_use_gives_zeroes_and_keeps_what_is_older, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(rewind_keeps_what_is_older, setup, teardown),
        cmocka_unit_test_setup_teardown(marks_nest_at_block_borders, setup, teardown),
        cmocka_unit_test_setup_teardown(overflowing_sizes_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(texts_are_copied, setup, teardown),
    };
    wadi_arena_destroy(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
