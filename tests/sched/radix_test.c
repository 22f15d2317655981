/* The routines sort, argsort and sort_by_byte against the C library's qsort: every type, rows short and long, alone and by several workers, keys of many
 * kinds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/radix/radix.h"
#include "wadi/type.h"

enum { MOST = 140000 };

static uint64_t mixed(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* 0: few keys; 1: where types end; 2: any bits; 3: close together with a stranger; 4: one for each power of two; 5: in order; 6: most are
 * alike; 7: in falling order; 8: two far groups; 9: one of fifty lies far from the others. */
enum { WAYS = 10 };

static const wadi_radix_engine *engine;

static uint64_t number(int64_t i, int way) {
    static const uint64_t odd[] = {0, 1, UINT64_MAX, INT64_MAX, (uint64_t)1 << 63, 127, 128, 65535};
    const uint64_t x = mixed((uint64_t)i);
    switch (way) {
    case 0:
        return x % 5;
    case 1:
        return odd[x % 8];
    case 2:
        return x;
    case 3:
        return i == 7 ? x : x % 1000000;
    case 4:
        return (uint64_t)1 << x % 64;
    case 5:
        return (uint64_t)i;
    case 6:
        return i % 16 == 0 ? x : 42;
    case 7:
        return (uint64_t)(MOST - i);
    case 9:
        return x % 50 == 0 ? x : (x >> 32) % 1000;
    default:
        return (x % 2 << 62) + (x >> 8) % 3000;
    }
}

static void put(wadi_type t, void *column, int64_t i, int way) {
    static const double odd[] = {0.0,         -0.0, 1, -1, (double)INFINITY, -(double)INFINITY,
                                 (double)NAN, 1e-40};
    const uint64_t n = number(i, way), x = mixed((uint64_t)i);
    const size_t size = (size_t)wadi_type_size(t);
    const double d = way == 1   ? odd[x % 8]
                     : way == 2 ? ldexp((double)(int64_t)x, -(int)(x % 90))
                                : (double)n - (double)(way == 0 ? 2 : 0);
    const float f = (float)d;
    const bool b = n & 1;
    const void *from = t == WADI_F64    ? (const void *)&d
                       : t == WADI_F32  ? (const void *)&f
                       : t == WADI_BOOL ? (const void *)&b
                                        : (const void *)&n;
    memcpy((char *)column + (size_t)i * size, from, size);
}

static wadi_type type_now;
static const char *base;

static int by_value(const char *x, const char *y) {
    double a = 0, b = 0;
    float fa, fb;
    if (type_now == WADI_F64) {
        memcpy(&a, x, sizeof a);
        memcpy(&b, y, sizeof b);
    } else if (type_now == WADI_F32) {
        memcpy(&fa, x, sizeof fa);
        memcpy(&fb, y, sizeof fb);
        a = (double)fa;
        b = (double)fb;
    } else {
        uint64_t ua = 0, ub = 0;
        const int size = wadi_type_size(type_now);
        memcpy(&ua, x, (size_t)size);
        memcpy(&ub, y, (size_t)size);
        const uint64_t flip =
            type_now >= WADI_I8 && type_now <= WADI_I64 ? (uint64_t)1 << (8 * size - 1) : 0;
        return ((ua ^ flip) > (ub ^ flip)) - ((ua ^ flip) < (ub ^ flip));
    }
    if (isnan(a) || isnan(b)) return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

static int by_value_and_position(const void *a, const void *b) {
    const int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
    const int size = wadi_type_size(type_now), c = by_value(base + i * size, base + j * size);
    return c != 0 ? c : (i > j) - (i < j);
}

static bool is_nan(const char *x) {
    double d = 0;
    float f;
    if (type_now == WADI_F64) memcpy(&d, x, sizeof d);
    if (type_now == WADI_F32) {
        memcpy(&f, x, sizeof f);
        d = (double)f;
    }
    return isnan(d);
}

/* The first of the order of row r, some of them, and no more than these. */
static void check_first(const wadi_call *ranking, int64_t r, int64_t n, const int64_t *want,
                        wadi_pool *pool) {
    static int64_t got[MOST];
    const int64_t lengths[] = {0, 1, n / 100, n / 2, n};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const int64_t k = lengths[i];
        wadi_call call = *ranking;
        if (k > n || (n > 70000 && k > n / 2)) continue;
        call.routine = "argfirst";
        call.count = 1;
        call.array[0].data = (char *)call.array[0].data + r * n * wadi_type_size(type_now);
        call.array[1].data = got;
        call.array[1].shape[0] = k;
        got[k] = -1;
        assert_true(wadi_radix_run_by(engine, &call, pool));
        assert_memory_equal(got, want, (size_t)k * sizeof *want);
        assert_int_equal(got[k], -1);
    }
}

static void check(wadi_type t, int64_t n, int64_t rows, int way, wadi_pool *pool) {
    static char data[MOST * 8], sorted[MOST * 8];
    static int64_t want[MOST], got[MOST];
    const int size = wadi_type_size(t);
    wadi_call call = {.routine = "sort", .count = rows, .nin = 1, .nout = 1};
    const wadi_call_array a = {
        .data = data, .distance = n, .type = (int)t, .rank = 1, .shape = {n}};
    for (int64_t i = 0; i < rows * n; i++) put(t, data, i, way);
    call.array[0] = call.array[1] = a;
    call.array[1].data = sorted;
    assert_true(wadi_radix_run_by(engine, &call, pool));
    call.routine = "argsort.steady";
    call.array[1].data = got;
    call.array[1].type = WADI_I64;
    assert_true(wadi_radix_run_by(engine, &call, pool));
    type_now = t;
    for (int64_t r = 0; r < rows; r++) {
        base = data + r * n * size;
        for (int64_t i = 0; i < n; i++) want[i] = i;
        qsort(want, (size_t)n, sizeof *want, by_value_and_position);
        assert_memory_equal(got + r * n, want, (size_t)n * sizeof *want);
        check_first(&call, r, n, want, pool);
        for (int64_t i = 0; i < n; i++) {
            const char *x = base + want[i] * size, *y = sorted + (r * n + i) * size;
            assert_true(is_nan(x) ? is_nan(y) : memcmp(x, y, (size_t)size) == 0);
        }
    }
}

static bool under_thread_sanitizer(void) {
    const char *with = getenv("WADI_SANITIZE");
    return with != NULL && strcmp(with, "thread") == 0;
}

/* By one thread. */
static void rows_of_every_type(void **state) {
    static const int64_t lengths[] = {1, 2, 3, 4, 5, 8, 9, 24, 25, 64, 65, 128, 129, 1500};
    (void)state;
    if (under_thread_sanitizer()) skip();
    for (int t = WADI_BOOL; t <= WADI_F64; t++)
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
            for (int way = 0; way < WAYS; way++) check((wadi_type)t, lengths[k], 3, way, NULL);
}

static void long_rows_by_several_workers(void **state) {
    wadi_error err = {0};
    wadi_pool *pool = NULL;
    const int step =
        under_thread_sanitizer() ? 4 : 1; /* workers share numbers of every size alike */
    (void)state;
    assert_int_equal(wadi_pool_create(3, &pool, &err), WADI_OK);
    for (int t = WADI_BOOL; t <= WADI_F64; t += step)
        for (int way = t % 3; way < WAYS;
             way += 3) /* 11 types: each kind of number meets all ways */
            check((wadi_type)t, WADI_RADIX_SHARED + way, 1, way, pool);
    check(WADI_F64, WADI_RADIX_SHARED, 2, 2, pool);
    check(WADI_F64, 20000, 2, 2, pool);
    for (int way = 6; way < WAYS; way++) check(WADI_I64, MOST - 1000, 1, way, pool);
    check(WADI_F64, MOST - 1000, 1, 9, pool);
    check(WADI_I32, 20000, 1, 3, NULL);
    wadi_pool_destroy(pool);
}

/* Chunks that fall each, while two equal numbers meet where chunks do; and a -0 beyond the first of them. */
static void what_chunks_tell_together(void **state) {
    enum { N = 120000 };
    static double a[N], to[N];
    static int64_t at[N];
    wadi_error err = {0};
    wadi_pool *pool = NULL;
    (void)state;
    assert_int_equal(wadi_pool_create(3, &pool, &err), WADI_OK);
    for (int64_t i = 0; i < N; i++) a[i] = (double)(N - i - (i < N / 2));
    wadi_call call = {.routine = "argsort", .count = 1, .nin = 1, .nout = 1};
    call.array[0] = (wadi_call_array){.data = a, .type = WADI_F64, .rank = 1, .shape = {N}};
    call.array[1] = (wadi_call_array){.data = at, .type = WADI_I64, .rank = 1, .shape = {N}};
    assert_true(wadi_radix_run_by(engine, &call, pool));
    for (int64_t i = 1; i < N; i++)
        assert_true(a[at[i - 1]] < a[at[i]] || (a[at[i - 1]] == a[at[i]] && at[i - 1] < at[i]));
    for (int64_t i = 0; i < N; i++) a[i] = (double)(mixed((uint64_t)i) % 100000 + 1);
    a[N - 2] = -0.0;
    a[N - 1] = 0;
    call.routine = "sort";
    call.array[1].data = to;
    call.array[1].type = WADI_F64;
    assert_true(wadi_radix_run_by(engine, &call, pool));
    assert_true(to[0] == 0 && signbit(to[0]) && to[1] == 0 && !signbit(to[1]) && to[2] > 0);
    wadi_pool_destroy(pool);
}

/* Rows of n elements that tell where they were, by keys of one byte. */
static void check_by_bytes(wadi_type key_type, wadi_type type, int64_t n, int64_t rows, int way,
                           wadi_pool *pool) {
    static char key[MOST + 1], x[MOST * 16 + 1], got[MOST * 16 + 1];
    static int64_t want[MOST];
    const size_t size = (size_t)wadi_type_size(type);
    const wadi_call_array keys = {
        .data = key, .distance = n, .type = (int)key_type, .rank = 1, .shape = {n}};
    wadi_call call = {.routine = "sort_by_byte", .count = rows, .nin = 2, .nout = 1};
    call.array[0] = call.array[1] = call.array[2] = keys;
    call.array[1].type = call.array[2].type = (int)type;
    call.array[1].data = x;
    call.array[2].data = got;
    for (int64_t i = 0; i < rows * n; i++) put(key_type, key, i, way);
    for (size_t i = 0; i < (size_t)(rows * n) * size; i++) x[i] = (char)mixed(i);
    got[(size_t)(rows * n) * size] = 77;
    assert_true(wadi_radix_run_by(engine, &call, pool));
    type_now = key_type;
    for (int64_t r = 0; r < rows; r++) {
        base = key + r * n;
        for (int64_t i = 0; i < n; i++) want[i] = i;
        qsort(want, (size_t)n, sizeof *want, by_value_and_position);
        for (int64_t i = 0; i < n; i++)
            assert_memory_equal(got + (size_t)(r * n + i) * size,
                                x + (size_t)(r * n + want[i]) * size, size);
    }
    assert_int_equal(got[(size_t)(rows * n) * size], 77);
}

static void elements_by_bytes(void **state) {
    static const wadi_type keys[] = {WADI_BOOL, WADI_I8, WADI_U8};
    static const int64_t lengths[] = {0, 1, 2, 23, 127, 128, 129, 255, 256, 257, 4095, 4099};
    wadi_error err = {0};
    wadi_pool *pool = NULL;
    const int step = under_thread_sanitizer() ? 4 : 1;
    (void)state;
    assert_int_equal(wadi_pool_create(3, &pool, &err), WADI_OK);
    for (int t = WADI_BOOL; t <= WADI_C128; t += step) {
        const wadi_type key = keys[t % 3], type = (wadi_type)t;
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
            check_by_bytes(key, type, lengths[k], 3, (t + (int)k) % WAYS, k % 2 ? pool : NULL);
        check_by_bytes(key, type, WADI_RADIX_SHARED - t % 2, 1, t % WAYS, pool);
        check_by_bytes(key, type, WADI_RADIX_SHARED + 7, 1, t % 2 ? 2 : 6, pool);
    }
    check_by_bytes(WADI_U8, WADI_U32, WADI_RADIX_SHARED + 1, 2, 2, NULL);
    wadi_pool_destroy(pool);
}

static void other_calls_by_bytes_are_declined(void **state) {
    static uint8_t key[4] = {4, 3, 2, 1};
    static int64_t x[4] = {4, 3, 2, 1}, y[4];
    const wadi_call_array a = {.data = x, .distance = 4, .type = WADI_I64, .rank = 1, .shape = {4}};
    wadi_call call = {.routine = "sort_by_byte", .count = 1, .nin = 2, .nout = 1};
    (void)state;
    assert_true(wadi_radix_has("sort_by_byte") && wadi_radix_has("sort_by_byte.steady"));
    call.array[0] = call.array[1] = call.array[2] = a;
    call.array[0].data = key;
    call.array[0].type = WADI_U8;
    call.array[2].data = y;
    assert_true(wadi_radix_run(&call, NULL));
    assert_int_equal(y[0], 1);
    for (int way = 0; way < 10; way++) {
        wadi_call other = call;
        if (way < 3) other.array[way].shape[0] = 3;
        if (way >= 3 && way < 6) other.array[way - 3].rank = 2;
        if (way == 6) other.array[0].type = WADI_U16;
        if (way == 7) other.array[1].type = WADI_U64;
        if (way == 8) other.nin = 1;
        if (way == 9) other.nin = 3;
        assert_false(wadi_radix_run(&other, NULL));
    }
    call.array[0].shape[0] = WADI_RADIX_SHARED;
    assert_true(wadi_radix_shares(&call));
    call.array[0].shape[0]--;
    assert_false(wadi_radix_shares(&call));
}

static int with_plain(void **state) {
    (void)state;
    engine = &wadi_radix_plain;
    return 0;
}

static int with_avx512(void **state) {
    (void)state;
    engine = wadi_radix_avx512();
    if (engine != NULL) return 0;
    print_message("no AVX-512 here: its engine is not tested\n");
    engine = &wadi_radix_plain;
    return 0;
}

static void long_rows_alone_are_shared(void **state) {
    wadi_call call = {.routine = "sort", .count = 1, .nin = 1, .nout = 1};
    (void)state;
    call.array[0].rank = 1;
    call.array[0].type = WADI_F64;
    call.array[0].shape[0] = 1 << 16;
    assert_true(wadi_radix_shares(&call));
    call.array[0].type = WADI_U8;
    assert_false(wadi_radix_shares(&call)); /* one thread counts them */
    call.array[0].type = WADI_F64;
    call.array[0].shape[0]--;
    assert_false(wadi_radix_shares(&call));
    call.array[0].shape[0] = 1 << 20;
    call.routine = "fft";
    assert_false(wadi_radix_shares(&call));
}

static void other_calls_are_declined(void **state) {
    static int64_t x[4] = {4, 3, 2, 1}, y[4];
    wadi_call call = {.routine = "sort", .count = 1, .nin = 1, .nout = 1};
    const wadi_call_array a = {.data = x, .distance = 4, .type = WADI_I64, .rank = 1, .shape = {4}};
    (void)state;
    assert_true(wadi_radix_has("sort") && wadi_radix_has("argsort.steady"));
    assert_false(wadi_radix_has("sor") || wadi_radix_has("sorts") || wadi_radix_has("fft"));
    call.array[0] = call.array[1] = a;
    call.array[1].data = y;
    assert_true(wadi_radix_run(&call, NULL));
    assert_int_equal(y[0], 1);
    for (int way = 0; way < 6; way++) {
        wadi_call other = call;
        if (way == 0) other.array[1].shape[0] = 3;
        if (way == 1) other.array[0].rank = other.array[1].rank = 2;
        if (way == 2) other.array[0].type = other.array[1].type = WADI_C64;
        if (way == 3) other.array[1].type = WADI_U64;
        if (way == 4) other.nin = 2;
        if (way == 5) {
            other.routine = "argsort";
            other.array[1].type = WADI_I32;
        }
        assert_false(wadi_radix_run(&other, NULL));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(rows_of_every_type, with_plain),
        cmocka_unit_test_setup(long_rows_by_several_workers, with_plain),
        cmocka_unit_test_setup(what_chunks_tell_together, with_plain),
        cmocka_unit_test_setup(rows_of_every_type, with_avx512),
        cmocka_unit_test_setup(long_rows_by_several_workers, with_avx512),
        cmocka_unit_test_setup(what_chunks_tell_together, with_avx512),
        cmocka_unit_test(long_rows_alone_are_shared),
        cmocka_unit_test(other_calls_are_declined),
        cmocka_unit_test_setup(elements_by_bytes, with_plain),
        cmocka_unit_test_setup(elements_by_bytes, with_avx512),
        cmocka_unit_test(other_calls_by_bytes_are_declined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
