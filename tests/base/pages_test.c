/* Large blocks have the size asked for, whatever the rounding to pages. */
#include "base/pages.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void blocks_hold_what_was_asked_for(void **state) {
    (void)state;
    static const size_t mib = (size_t)1 << 20;
    const size_t sizes[] = {1,           63,          64,           4097,         8 * mib - 1,
                            8 * mib,     8 * mib + 1, 9 * mib + 17, 10 * mib - 1, 11 * mib + 1,
                            12 * mib - 1};
    enum { N = sizeof sizes / sizeof *sizes };
    void *block[N];
    for (int i = 0; i < N; i++) {
        block[i] = wadi_pages_take(64, sizes[i]);
        assert_non_null(block[i]);
        assert_int_equal((uintptr_t)block[i] % 64, 0);
        assert_true(malloc_usable_size(block[i]) >= sizes[i]);
    }
    /* side by side: one that is too short would write into another, or behind the last page */
    for (int i = 0; i < N; i++) memset(block[i], i, sizes[i]);
    for (int i = 0; i < N; i++) {
        assert_int_equal(((unsigned char *)block[i])[0], i);
        assert_int_equal(((unsigned char *)block[i])[sizes[i] - 1], i);
        free(block[i]);
    }
}

static void blocks_apart_hold_what_was_asked_for(void **state) {
    (void)state;
    enum { MIB = 1 << 20, N = 6 };
    static const size_t sizes[N] = {1,       WADI_PAGES_APART - 1, WADI_PAGES_APART, 3 * MIB + 5,
                                    8 * MIB, 11 * MIB + 1};
    unsigned char *block[N];
    for (int i = 0; i < N; i++) {
        block[i] = wadi_pages_get(sizes[i]);
        assert_non_null(block[i]);
        assert_int_equal((uintptr_t)block[i] % 64, 0);
    }
    for (int i = 0; i < N; i++) memset(block[i], i, sizes[i]);
    for (int i = 0; i < N; i++) {
        assert_int_equal(block[i][0], i);
        assert_int_equal(block[i][sizes[i] - 1], i);
        wadi_pages_give(block[i], sizes[i]);
    }
    wadi_pages_give(NULL, MIB);
}

static void what_no_machine_has_is_refused(void **state) {
    (void)state;
    assert_null(wadi_pages_get(SIZE_MAX - 64));
    assert_null(wadi_pages_get(SIZE_MAX / 2 + 1));
    assert_null(wadi_pages_take(64, SIZE_MAX - 64));
    assert_null(wadi_pages_take(64, SIZE_MAX / 2 + 1));
}

/* Nothing but the large pages behind what is kept is the system's to take. */
static void what_is_kept_stays_where_pages_are_spared(void **state) {
    (void)state;
    static const size_t mib = (size_t)1 << 20;
    const size_t sizes[] = {100, 8 * mib, 9 * mib + 17}, kept[] = {0, 1, 2 * mib, 3 * mib};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) {
            unsigned char *block = wadi_pages_take(64, sizes[i]);
            assert_non_null(block);
            memset(block, 7, sizes[i]);
            wadi_pages_spare(block, kept[k], sizes[i]);
            for (size_t j = 0; j < sizes[i]; j += 4096)
                assert_true(block[j] == 7 || (j >= kept[k] && block[j] == 0));
            memset(block, 9, sizes[i]);
            assert_int_equal(block[sizes[i] - 1], 9);
            free(block);
        }
    assert_true(wadi_pages_machine() >= 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_hold_what_was_asked_for),
        cmocka_unit_test(blocks_apart_hold_what_was_asked_for),
        cmocka_unit_test(what_no_machine_has_is_refused),
        cmocka_unit_test(what_is_kept_stays_where_pages_are_spared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
