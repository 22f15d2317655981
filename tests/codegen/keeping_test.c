/* What is kept is put behind each other in its order by all kinds of processors that this one can stand for, and nothing is written where there is no
 * room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "tests/codegen/keeping.h"

enum { MOST = 150, WIDEST = 16, FREE = 7 };

static uint64_t drawn(uint64_t *state) {
    return wadi_hash64((*state)++);
}

/* One case: n numbers of `width` bytes, of which about `percent` are kept, and room for some. */
static void try_one(keeping_fn place, int width, int n, int percent, int room, uint64_t *state) {
    uint8_t from[MOST * WIDEST], keep[MOST], to[2 * MOST * WIDEST], expected[MOST * WIDEST];
    int kept = 0;
    for (int i = 0; i < n * width; i++) from[i] = (uint8_t)drawn(state);
    for (int i = 0; i < n; i++) {
        keep[i] = drawn(state) % 100 < (uint64_t)percent;
        if (keep[i]) memcpy(expected + kept * width, from + i * width, (size_t)width);
        kept += keep[i];
    }
    memset(to, FREE, sizeof to);
    assert_int_equal(place(to, from, keep, n, room), kept);
    assert_memory_equal(to, expected, (size_t)((kept < room ? kept : room) * width));
    for (size_t i = (size_t)(room * width); i < sizeof to; i++) assert_int_equal(to[i], FREE);
}

static void check(const keeping *k) {
    uint64_t state = 1;
    for (int size = 0; size < KEEPING_SIZES; size++)
        for (int n = 0; n < MOST; n++)
            for (int percent = 0; percent <= 100; percent += 25)
                for (int room = n; room >= 0; room = n > 0 ? room - 1 - n / 3 : -1)
                    try_one(k->of[size], 1 << size, n, percent, room, &state);
}

static void one_by_one(void **state) {
    (void)state;
    check(&keeping_plain);
}

static void by_avx512(void **state) {
    (void)state;
#if defined(__x86_64__)
    if (keeping_by_mask.wide &&
        !(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
          __builtin_cpu_supports("avx512bw")))
        skip();
#endif
    check(&keeping_by_mask);
}

static void by_avx2(void **state) {
    (void)state;
#if defined(__x86_64__)
    if (keeping_by_order.wide &&
        !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")))
        skip();
#endif
    check(&keeping_by_order);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_by_one), cmocka_unit_test(by_avx512),
                                       cmocka_unit_test(by_avx2)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
