/* Copies past the caches copy all bytes and touch no others, wherever lines begin, and store as much at once as the processor can: by parts of lines they take
 * up to twice the time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/codegen/streaming.h"

enum { LINE = 64, MOST = 5 * LINE, FREE = 0xA5 };

/* So many bytes to a place that lies so far behind the beginning of a line. */
static void try_one(const streaming *s, int before, int bytes) {
    uint8_t from[MOST + LINE];
    _Alignas(LINE) uint8_t to[MOST + 3 * LINE];
    for (int i = 0; i < (int)sizeof from; i++) from[i] = (uint8_t)(i * 7 + before);
    memset(to, FREE, sizeof to);
    s->copy(to + LINE + before, from + before % 3, bytes);
    assert_memory_equal(to + LINE + before, from + before % 3, (size_t)bytes);
    for (int i = 0; i < LINE + before; i++) assert_int_equal(to[i], FREE);
    for (int i = LINE + before + bytes; i < (int)sizeof to; i++) assert_int_equal(to[i], FREE);
}

static void check(const streaming *s) {
    for (int before = 0; before < LINE; before++)
        for (int bytes = 0; bytes <= MOST; bytes += bytes < 2 * LINE + 2 ? 1 : 13)
            try_one(s, before, bytes);
}

static void plain(void **state) {
    (void)state;
    check(&streaming_plain);
}

static void avx(void **state) {
    (void)state;
#if defined(__x86_64__)
    if (streaming_avx.wide > 16 && !__builtin_cpu_supports("avx")) skip();
#endif
    check(&streaming_avx);
}

static void avx512(void **state) {
    (void)state;
#if defined(__x86_64__)
    if (streaming_avx512.wide > 32 && !__builtin_cpu_supports("avx512f")) skip();
#endif
    check(&streaming_avx512);
}

static void what_is_stored_at_once_is_as_wide_as_can_be(void **state) {
    (void)state;
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
    assert_true(streaming_plain.wide >= 16);
    assert_true(streaming_avx.wide >= 32);
    assert_int_equal(streaming_avx512.wide, 64);
#else
    skip();
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain), cmocka_unit_test(avx), cmocka_unit_test(avx512),
        cmocka_unit_test(what_is_stored_at_once_is_as_wide_as_can_be)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
