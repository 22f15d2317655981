/* What is kept is put behind each other in its order by all kinds of processors that this one can stand for, and nothing is written where there is no
 * room. What is taken from the front of an array reads nothing behind it. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/hash.h"
#include "tests/codegen/keeping.h"

enum { MOST = 150, WIDEST = 16, FREE = 7, AT_ONCE = 64 };

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

/* The first n numbers of 64 bytes, which end where memory does. */
static void try_front(const keeping *k, int size, int n, int percent, const uint8_t *end,
                      uint64_t *state) {
    const int width = 4 << size, wide = AT_ONCE / width;
    uint8_t taken[AT_ONCE], keep[AT_ONCE / 4], to[2 * AT_ONCE], expected[AT_ONCE];
    const uint8_t *from = end - n * width;
    int kept = 0;
    for (int i = 0; i < wide; i++) {
        keep[i] = drawn(state) % 100 < (uint64_t)percent;
        if (i >= n || !keep[i]) continue;
        memcpy(expected + kept * width, from + i * width, (size_t)width);
        kept++;
    }
    memset(taken, FREE, sizeof taken);
    k->take[size](taken, from, n);
    assert_memory_equal(taken, from, (size_t)(n * width));
    for (int i = n * width; i < AT_ONCE; i++) assert_int_equal(taken[i], 0);
    memset(to, FREE, sizeof to);
    assert_int_equal(k->front[size](to, taken, keep, n), kept);
    assert_memory_equal(to, expected, (size_t)(kept * width));
    for (size_t i = AT_ONCE; i < sizeof to; i++) assert_int_equal(to[i], FREE);
}

static void check_front(const keeping *k) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *memory =
        mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t state = 2;
    assert_true(memory != MAP_FAILED);
    for (size_t i = 0; i < page; i++) memory[i] = (uint8_t)drawn(&state);
    assert_int_equal(mprotect(memory + page, page, PROT_NONE), 0);
    for (int size = 0; size < 2; size++)
        for (int n = 1; n <= AT_ONCE / (4 << size); n++)
            for (int percent = 0; percent <= 100; percent += 25)
                try_front(k, size, n, percent, memory + page, &state);
    assert_int_equal(munmap(memory, 2 * page), 0);
}

static void check(const keeping *k) {
    uint64_t state = 1;
    check_front(k);
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
