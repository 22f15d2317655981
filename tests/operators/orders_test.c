/* Sorting, ranking, runs and searches against the C library's qsort and plain loops: for all types, rows of many lengths, few and many
 * different keys, and the numbers where types end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/operators/support.h"

enum { ROWS = 3, LONGEST = 70 };

/* ---- numbers of every type ---- */

static uint64_t mixed(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Number i of a type: few different ones, many, or those where the type ends. */
static double float_at(int64_t i, int way) {
    static const double odd[] = {
        0.0, -0.0, 1, -1, 1e30, -1e30, (double)INFINITY, -(double)INFINITY, (double)NAN, 1e-40};
    const uint64_t x = mixed((uint64_t)i * 7 + (uint64_t)way);
    return way == 0 ? (double)(x % 5) - 2 : way == 1 ? odd[x % 10] : (double)(int64_t)x / 1e15;
}

static int64_t int_at(int64_t i, int way) {
    static const int64_t odd[] = {0, 1, -1, 127, -128, INT64_MAX, INT64_MIN, 1 << 15, 255};
    const uint64_t x = mixed((uint64_t)i * 7 + (uint64_t)way);
    return way == 0 ? (int64_t)(x % 5) : way == 1 ? odd[x % 9] : (int64_t)x;
}

static void put(wadi_type t, void *column, int64_t i, int way) {
    const int64_t n = int_at(i, way);
    const size_t size = (size_t)wadi_type_size(t);
    const double d = float_at(i, way);
    const float f = (float)d;
    const bool b = n & 1;
    const void *from = t == WADI_F64    ? (const void *)&d
                       : t == WADI_F32  ? (const void *)&f
                       : t == WADI_BOOL ? (const void *)&b
                                        : (const void *)&n; /* the low bytes come first */
    memcpy((char *)column + (size_t)i * size, from, size);
}

/* The order that the header states, by comparing numbers. */
static int compare(wadi_type t, const void *x, const void *y) {
    double a = 0, b = 0;
    float fa, fb;
    uint64_t ua = 0, ub = 0;
    const int size = wadi_type_size(t);
    if (t == WADI_F64) {
        memcpy(&a, x, sizeof a);
        memcpy(&b, y, sizeof b);
    } else if (t == WADI_F32) {
        memcpy(&fa, x, sizeof fa);
        memcpy(&fb, y, sizeof fb);
        a = (double)fa;
        b = (double)fb;
    } else {
        memcpy(&ua, x, (size_t)size);
        memcpy(&ub, y, (size_t)size);
        const bool is_signed = t == WADI_I8 || t == WADI_I16 || t == WADI_I32 || t == WADI_I64;
        const uint64_t flip = is_signed ? (uint64_t)1 << (8 * size - 1) : 0;
        return ((ua ^ flip) > (ub ^ flip)) - ((ua ^ flip) < (ub ^ flip));
    }
    if (isnan(a) || isnan(b)) return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

/* ---- what each position is to be ---- */

static const char *base;
static wadi_type type_now;
static bool down_now;

static bool is_nan(const void *x) {
    double d = 0;
    float f;
    if (type_now == WADI_F64) memcpy(&d, x, sizeof d);
    if (type_now == WADI_F32) {
        memcpy(&f, x, sizeof f);
        d = (double)f;
    }
    return isnan(d);
}

static int by_key_and_position(const void *a, const void *b) {
    const int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
    const int size = wadi_type_size(type_now);
    const char *x = base + i * size, *y = base + j * size;
    const int c = compare(type_now, x, y);
    if (c != 0) return down_now && !is_nan(x) && !is_nan(y) ? -c : c;
    return (i > j) - (i < j);
}

static void rank_row(wadi_type t, const void *row, int64_t n, bool down, int64_t *out) {
    base = row;
    type_now = t;
    down_now = down;
    for (int64_t i = 0; i < n; i++) out[i] = i;
    if (n > 0) qsort(out, (size_t)n, sizeof *out, by_key_and_position);
}

/* Bits, but every NaN is the same. */
static bool same_element(wadi_type t, const void *x, const void *y) {
    type_now = t;
    if (is_nan(x) || is_nan(y)) return is_nan(x) == is_nan(y);
    return memcmp(x, y, (size_t)wadi_type_size(t)) == 0;
}

static void expect_elements(const char *name, wadi_type t, const char *from, const int64_t *ranks,
                            int64_t rows, int64_t n, int64_t taken) {
    const wadi_array *a = wadi_interp_output_get(results(), name);
    const int size = wadi_type_size(t);
    assert_non_null(a);
    assert_int_equal(a->type[0], t);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < taken; i++)
            assert_true(same_element(t, (const char *)a->column[0] + (r * taken + i) * size,
                                     from + (r * n + ranks[r * n + i]) * size));
}

static void expect_ranks(const char *name, const int64_t *ranks, int64_t n, int64_t taken) {
    int64_t want[ROWS * LONGEST];
    for (int64_t r = 0; r < ROWS; r++)
        memcpy(want + r * taken, ranks + r * n, (size_t)taken * sizeof *want);
    expect_ints(name, ROWS * taken, want);
}

static wadi_exp itself(wadi_exp x) {
    return x;
}

static void check_orders(wadi_type t, int64_t n, int way) {
    static char data[ROWS * LONGEST * 8 + 8];
    static int64_t up[ROWS * LONGEST], down[ROWS * LONGEST];
    const int64_t taken = n < 4 ? n : 4;
    for (int64_t i = 0; i < ROWS * n; i++) put(t, data, i, way);
    for (int64_t r = 0; r < ROWS; r++) {
        const char *row = data + r * n * wadi_type_size(t);
        rank_row(t, row, n, false, up + r * n);
        rank_row(t, row, n, true, down + r * n);
    }
    const wadi_array a = {2, 1, {t}, {ROWS, n}, {data}};
    begin();
    const wadi_acc m = wadi_use(&a);
    const wadi_order descending = wadi_descending(itself);
    wadi_output("sort", wadi_sort(m));
    wadi_output("by_key", wadi_sort_by_key(itself, m));
    wadi_output("down", wadi_sort_by(1, &descending, m));
    wadi_output("argsort", wadi_argsort(m));
    wadi_output("argdown", wadi_argsort_by(1, &descending, m));
    wadi_output("largest", wadi_largest(wadi_i32(4), m));
    wadi_output("smallest", wadi_smallest(wadi_i64(4), m));
    wadi_output("none", wadi_tuple_get(wadi_smallest(wadi_i64(-1), m), 1));
    run();
    expect_elements("sort", t, data, up, ROWS, n, n);
    expect_elements("by_key", t, data, up, ROWS, n, n);
    expect_elements("down", t, data, down, ROWS, n, n);
    expect_ranks("argsort", up, n, n);
    expect_ranks("argdown", down, n, n);
    expect_elements("largest.0", t, data, down, ROWS, n, taken);
    expect_ranks("largest.1", down, n, taken);
    expect_elements("smallest.0", t, data, up, ROWS, n, taken);
    expect_ranks("smallest.1", up, n, taken);
    expect_shape("none", 2, I64S(ROWS, 0));
    end();
}

static void every_type_is_sorted_and_ranked(void **state) {
    static const int64_t lengths[] = {0, 1, 2, 3, 17, LONGEST};
    (void)state;
    for (int t = WADI_BOOL; t <= WADI_F64; t++)
        for (int k = 0; k < 6; k++)
            for (int way = 0; way < 3; way++) check_orders((wadi_type)t, lengths[k], way);
}

static void there_may_be_no_rows(void **state) {
    (void)state;
    begin();
    const wadi_acc m = matrix(0, 3, NULL);
    wadi_output("sort", wadi_sort(m));
    wadi_output("argsort", wadi_argsort(m));
    wadi_output("unique", wadi_unique(m));
    wadi_output("ids", wadi_group_ids(m));
    wadi_output("bound", wadi_lower_bound(m, m));
    run();
    expect_shape("sort", 2, I64S(0, 3));
    expect_shape("argsort", 2, I64S(0, 3));
    expect_shape("unique.0", 1, I64S(0));
    expect_shape("unique.1", 1, I64S(0));
    expect_shape("unique.2", 1, I64S(0));
    expect_shape("ids", 2, I64S(0, 3));
    expect_shape("bound", 2, I64S(0, 3));
    end();
}

/* ---- keys of one byte ---- */

static int64_t low_byte(int64_t x, bool has_sign) {
    return has_sign ? (int8_t)x : (uint8_t)x;
}

static wadi_exp byte_key(wadi_exp x) {
    return wadi_convert(WADI_U8, wadi_and(x, wadi_i64(255)));
}

static wadi_exp signed_key(wadi_exp x) {
    return wadi_bitcast(WADI_I8, byte_key(x));
}

static wadi_exp bool_key(wadi_exp x) {
    return wadi_lt(x, wadi_i64(0));
}

/* The elements of ROWS rows, by increasing and then by decreasing key: those of each key in their order. */
static void by_each_key(int64_t n, const int64_t *x, bool has_sign, bool down, int64_t *out) {
    for (int64_t r = 0; r < ROWS; r++)
        for (int64_t d = 0; d < 512; d++)
            for (int64_t i = r * n, key = down ? 255 - d : d - 256; i < (r + 1) * n; i++)
                if (low_byte(x[i], has_sign) == key) *out++ = x[i];
}

static void elements_of_one_byte_key_keep_their_order(void **state) {
    static const int64_t lengths[] = {0, 1, 2, LONGEST};
    int64_t x[ROWS * LONGEST], want[ROWS * LONGEST];
    (void)state;
    for (int k = 0; k < 4; k++) {
        const int64_t n = lengths[k], all = ROWS * n;
        for (int64_t i = 0; i < all; i++)
            x[i] = (int64_t)(mixed((uint64_t)i) % 5 * 63) + i % 2 * 256 - 300;
        begin();
        const wadi_acc m = matrix(ROWS, n, x);
        const wadi_order down = wadi_descending(byte_key),
                         signed_down = wadi_descending(signed_key),
                         last = wadi_descending(bool_key);
        wadi_output("up", wadi_sort_by_key(byte_key, m));
        wadi_output("down", wadi_sort_by(1, &down, m));
        wadi_output("signed", wadi_sort_by_key(signed_key, m));
        wadi_output("signed_down", wadi_sort_by(1, &signed_down, m));
        wadi_output("parted", wadi_sort_by(1, &last, m));
        run();
        by_each_key(n, x, false, false, want);
        expect_ints("up", all, want);
        by_each_key(n, x, false, true, want);
        expect_ints("down", all, want);
        by_each_key(n, x, true, false, want);
        expect_ints("signed", all, want);
        by_each_key(n, x, true, true, want);
        expect_ints("signed_down", all, want);
        for (int64_t r = 0, at = 0; r < ROWS; r++)
            for (int positive = 0; positive < 2; positive++)
                for (int64_t i = r * n; i < (r + 1) * n; i++)
                    if ((x[i] >= 0) == positive) want[at++] = x[i];
        expect_ints("parted", all, want);
        end();
    }
}

/* ---- several keys ---- */

typedef struct person {
    int64_t a, b, at;
    double c;
} person;

static int by_all(const void *x, const void *y) {
    const person *p = x, *q = y;
    if (p->a != q->a) return p->a < q->a ? 1 : -1; /* down */
    if (p->c != q->c) return p->c < q->c ? -1 : 1;
    if (p->b != q->b) return p->b < q->b ? 1 : -1; /* down */
    return (p->at > q->at) - (p->at < q->at);
}

static wadi_exp record_of(wadi_exp a, wadi_exp b, wadi_exp c) {
    return wadi_rec3("a", wadi_convert(WADI_I16, a), "b", b, "c", c);
}

static wadi_exp key_a(wadi_exp r) {
    return wadi_get(r, "a");
}

static wadi_exp key_b(wadi_exp r) {
    return wadi_get(r, "b");
}

static wadi_exp key_b_is_odd(wadi_exp r) {
    return wadi_ne(wadi_and(wadi_get(r, "b"), wadi_i64(1)), wadi_i64(0));
}

static wadi_exp key_c(wadi_exp r) {
    return wadi_get(r, "c");
}

/* Keys of 2, 8 and 8 bytes: no two fit one number. Then keys of 1, 2 and 4 bytes, which do. */
static void several_keys_go_one_after_another(void **state) {
    enum { N = 200 };
    person p[N];
    int64_t a[N], b[N], at[N];
    double c[N];
    (void)state;
    for (int64_t i = 0; i < N; i++) {
        a[i] = int_at(i, 0);
        b[i] = int_at(i + N, 0) - 2;
        c[i] = float_at(i + 2 * N, 0);
        p[i] = (person){a[i], b[i], i, c[i]};
    }
    qsort(p, N, sizeof *p, by_all);
    for (int i = 0; i < N; i++) {
        at[i] = p[i].at;
        a[i] = p[i].a;
        b[i] = p[i].b;
    }
    int64_t unsorted_a[N], unsorted_b[N];
    for (int64_t i = 0; i < N; i++) {
        unsorted_a[i] = int_at(i, 0);
        unsorted_b[i] = int_at(i + N, 0) - 2;
    }
    begin();
    const wadi_acc r =
        wadi_zip_with3(record_of, vector(N, unsorted_a), vector(N, unsorted_b), floats(N, c));
    const wadi_order orders[] = {wadi_descending(key_a), wadi_ascending(key_c),
                                 wadi_descending(key_b)};
    wadi_output("sorted", wadi_sort_by(3, orders, r));
    wadi_output("at", wadi_argsort_by(3, orders, r));
    const wadi_order small[] = {wadi_ascending(key_b_is_odd), wadi_descending(key_a)};
    wadi_output("small", wadi_argsort_by(2, small, r));
    run();
    expect_field("sorted", 0, N, a);
    expect_field("sorted", 1, N, b);
    expect_ints("at", N, at);
    int64_t n = 0, want[N];
    for (int64_t odd = 0; odd < 2; odd++)
        for (int64_t key = 4; key >= 0; key--)
            for (int64_t i = 0; i < N; i++)
                if ((unsorted_b[i] & 1) == odd && unsorted_a[i] == key) want[n++] = i;
    expect_ints("small", N, want);
    end();
}

/* ---- runs ---- */

static void check_runs(int64_t n, int way) {
    double x[ROWS * LONGEST], values[ROWS * LONGEST];
    int64_t counts[ROWS * LONGEST], ids[ROWS * LONGEST], runs[ROWS], all = 0;
    for (int64_t i = 0; i < ROWS * n; i++) x[i] = float_at(i / 2, way);
    for (int64_t r = 0; r < ROWS; r++) {
        runs[r] = 0;
        for (int64_t i = r * n; i < (r + 1) * n; i++) {
            const bool begins = i == r * n || compare(WADI_F64, &x[i], &x[i - 1]) != 0;
            if (begins) {
                runs[r]++;
                values[all] = x[i];
                counts[all++] = 0;
            }
            counts[all - 1]++;
            ids[i] = runs[r] - 1;
        }
    }
    const wadi_array a = host_f64(2, I64S(ROWS, n), x);
    begin();
    wadi_output("unique", wadi_unique(wadi_use(&a)));
    wadi_output("ids", wadi_group_ids(wadi_use(&a)));
    run();
    const wadi_array *got = wadi_interp_output_get(results(), "unique.0");
    assert_int_equal(got->shape[0], all);
    for (int64_t i = 0; i < all; i++)
        assert_true(same_element(WADI_F64, (const double *)got->column[0] + i, &values[i]));
    expect_ints("unique.1", all, counts);
    expect_ints("unique.2", ROWS, runs);
    expect_ints("ids", ROWS * n, ids);
    end();
}

static wadi_exp halves(wadi_exp x) {
    return wadi_rec2("half", wadi_shr(x, wadi_i32(1)), "odd",
                     wadi_complex(wadi_f64(0), wadi_convert(WADI_F64, wadi_and(x, wadi_i64(1)))));
}

static void runs_are_counted(void **state) {
    static const int64_t lengths[] = {0, 1, 2, 9, LONGEST};
    (void)state;
    for (int k = 0; k < 5; k++)
        for (int way = 0; way < 3; way++) check_runs(lengths[k], way);
    begin(); /* records are equal if all their fields are */
    wadi_output("u", wadi_unique(wadi_map(halves, vector(7, I64S(4, 4, 5, 5, 5, 7, 4)))));
    run();
    expect_field("u.0", 0, 4, I64S(2, 2, 3, 2));
    expect_ints("u.1", 4, I64S(2, 3, 1, 1));
    end();
}

/* ---- searches ---- */

static void check_bounds(wadi_type t, int64_t n, int way) {
    enum { NEEDLES = 40 };
    static char data[ROWS * LONGEST * 8 + 8], sorted[ROWS * LONGEST * 8 + 8],
        needles[ROWS * NEEDLES * 8];
    int64_t ranks[LONGEST], low[ROWS * NEEDLES], high[ROWS * NEEDLES];
    const size_t size = (size_t)wadi_type_size(t);
    for (int64_t i = 0; i < ROWS * n; i++) put(t, data, i, way);
    for (int64_t i = 0; i < ROWS * NEEDLES; i++) put(t, needles, i, way);
    for (int64_t r = 0; r < ROWS; r++) {
        const char *row = data + (size_t)(r * n) * size;
        rank_row(t, row, n, false, ranks);
        for (int64_t i = 0; i < n; i++)
            memcpy(sorted + (size_t)(r * n + i) * size, row + (size_t)ranks[i] * size, size);
        for (int64_t k = r * NEEDLES; k < (r + 1) * NEEDLES; k++) {
            low[k] = high[k] = 0;
            for (int64_t i = 0; i < n; i++) {
                const int c = compare(t, row + (size_t)i * size, needles + (size_t)k * size);
                low[k] += c < 0;
                high[k] += c <= 0;
            }
        }
    }
    const wadi_array rows = {2, 1, {t}, {ROWS, n}, {sorted}};
    const wadi_array of_rows = {2, 1, {t}, {ROWS, NEEDLES}, {needles}};
    const wadi_array row = {1, 1, {t}, {n}, {sorted}}, some = {1, 1, {t}, {NEEDLES}, {needles}};
    begin();
    wadi_output("low", wadi_lower_bound(wadi_use(&rows), wadi_use(&of_rows)));
    wadi_output("high", wadi_upper_bound(wadi_use(&rows), wadi_use(&of_rows)));
    wadi_output("one", wadi_upper_bound(wadi_use(&row), wadi_use(&some)));
    run();
    expect_ints("low", ROWS * NEEDLES, low);
    expect_ints("high", ROWS * NEEDLES, high);
    expect_ints("one", NEEDLES, high);
    end();
}

static void bounds_are_found(void **state) {
    static const int64_t lengths[] = {0, 1, 2, 31, LONGEST};
    (void)state;
    for (int t = WADI_BOOL; t <= WADI_F64; t++)
        for (int k = 0; k < 5; k++)
            for (int way = 0; way < 3; way++) check_bounds((wadi_type)t, lengths[k], way);
    begin();
    wadi_output("x", wadi_lower_bound(matrix(1, 2, I64S(1, 2)), matrix(2, 1, I64S(1, 2))));
    run_fails(NULL, WADI_FAULT, "index");
    end();
}

/* ---- loops over a row ---- */

static wadi_exp tenfold(wadi_exp state, wadi_exp x) {
    return wadi_add(wadi_mul(state, wadi_i64(10)), x);
}

static wadi_exp digits_of(void *env, wadi_ix row) {
    return wadi_sfoldl(tenfold, wadi_i64(7), row, *(const wadi_acc *)env);
}

static void a_row_is_folded_in_order(void **state) {
    (void)state;
    begin();
    wadi_acc m = matrix(2, 3, I64S(1, 2, 3, 4, 5, 6)), none = matrix(2, 0, NULL);
    wadi_output("rows", wadi_generate_env(wadi_ix1(wadi_i64(2)), digits_of, &m));
    wadi_output("empty", wadi_generate_env(wadi_ix1(wadi_i64(2)), digits_of, &none));
    wadi_output("one",
                wadi_unit(wadi_sfoldl(tenfold, wadi_i64(0), wadi_ix0(), vector(2, I64S(8, 9)))));
    run();
    expect_ints("rows", 2, I64S(7123, 7456));
    expect_ints("empty", 2, I64S(7, 7));
    expect_ints("one", 1, I64S(89));
    end();
    begin();
    wadi_output("x", wadi_generate_env(wadi_ix1(wadi_i64(3)), digits_of, &m));
    build_fails(WADI_INVALID, "sfoldl");
    end();
    begin();
    m = matrix(2, 3, I64S(1, 2, 3, 4, 5, 6));
    wadi_output("x", wadi_generate_env(wadi_ix1(wadi_i64(3)), digits_of, &m));
    run_fails(NULL, WADI_FAULT, "index");
    end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_is_sorted_and_ranked),
        cmocka_unit_test(there_may_be_no_rows),
        cmocka_unit_test(elements_of_one_byte_key_keep_their_order),
        cmocka_unit_test(several_keys_go_one_after_another),
        cmocka_unit_test(runs_are_counted),
        cmocka_unit_test(bounds_are_found),
        cmocka_unit_test(a_row_is_folded_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
