/* Host arrays to the interpreter's cells and back: fields of every type and width, in any order. How many elements a shape has, and in
 * which order they stand. */
#include <string.h>

#include "operators/rules.h"
#include "tests/operators/support.h"

enum { N = 3, CELLS = 2 * WADI_MAX_FIELDS };

static void check(int fields, const wadi_type *types) {
    unsigned char in[WADI_MAX_FIELDS][N * 16], out[WADI_MAX_FIELDS][N * 16];
    wadi_array from = {.rank = 1, .shape = {N}, .fields = fields}, to;
    uint64_t cells[N * CELLS], unused = UINT64_C(0x5555555555555555);
    int each = 0;
    for (int f = 0; f < fields; f++) {
        const int bytes = N * wadi_type_size(types[f]);
        from.type[f] = types[f];
        from.column[f] = in[f];
        for (int i = 0; i < bytes; i++)
            in[f][i] = (unsigned char)(types[f] == WADI_BOOL ? i % 2 : 17 * f + 5 * i + 1);
        each += wadi_type_cells(types[f]);
    }
    to = from;
    for (int f = 0; f < fields; f++) to.column[f] = memset(out[f], 0, sizeof out[f]);
    for (int i = 0; i < N * CELLS; i++) cells[i] = unused;
    wadi_cells_load(&from, cells);
    for (int i = each * N; i < N * CELLS; i++) assert_true(cells[i] == unused);
    wadi_cells_store(cells, &to);
    for (int f = 0; f < fields; f++)
        assert_memory_equal(in[f], out[f], (size_t)(N * wadi_type_size(types[f])));
}

static void every_pair_of_types_comes_back(void **state) {
    (void)state;
    for (int a = 0; a < WADI_TYPE_COUNT; a++) {
        for (int b = 0; b < WADI_TYPE_COUNT; b++) {
            const wadi_type three[] = {(wadi_type)a, (wadi_type)b, (wadi_type)a};
            for (int fields = 1; fields <= 3; fields++) check(fields, three);
        }
    }
}

static void the_widest_record_comes_back(void **state) {
    (void)state;
    wadi_type types[WADI_MAX_FIELDS];
    for (int turn = 0; turn < WADI_TYPE_COUNT; turn++) {
        for (int f = 0; f < WADI_MAX_FIELDS; f++)
            types[f] = (wadi_type)((f * 5 + turn) % WADI_TYPE_COUNT);
        check(WADI_MAX_FIELDS, types);
    }
}

/* ---- how many elements a shape has ---- */

static void size_is(int rank, const int64_t *shape, bool known, int64_t want) {
    int64_t size = -7;
    assert_int_equal(wadi_eval_size(rank, shape, &size), known);
    if (known && size != want)
        fail_msg("%lld elements, expected %lld", (long long)size, (long long)want);
    wadi_array a = {.rank = rank};
    for (int d = 0; d < rank; d++) a.shape[d] = shape[d];
    assert_true(wadi_array_size(&a) == (known ? want : -1));
}

static void sizes_are_products_or_there_are_none(void **state) {
    (void)state;
    const int64_t half = INT64_C(1) << 32, most = INT64_MAX;
    size_is(0, NULL, true, 1);
    size_is(1, I64S(5), true, 5);
    size_is(3, I64S(2, 3, 4), true, 24);
    size_is(3, I64S(2, 0, 4), true, 0);
    size_is(2, I64S(half, half / 4), true, INT64_C(1) << 62);
    size_is(2, I64S(half, half / 2), false, 0);
    size_is(2, I64S(half, half), false, 0);
    size_is(1, I64S(most), true, most);
    size_is(2, I64S(most, 1), true, most);
    size_is(2, I64S(1, most), true, most);
    size_is(2, I64S(most, 2), false, 0);
    size_is(2, I64S(2, most), false, 0);
    size_is(3, I64S(most, 0, most), true, 0); /* the others do not matter */
    size_is(3, I64S(0, most, most), true, 0);
    size_is(3, I64S(most, most, 0), true, 0);
    size_is(1, I64S(-1), false, 0);
    size_is(2, I64S(0, -1), false, 0);
    size_is(2, I64S(-1, 0), false, 0);
    size_is(2, I64S(-2, -3), false, 0);
}

static void what_is_clamped_is_within(void **state) {
    (void)state;
    for (int64_t extent = 0; extent < 4; extent++)
        for (int64_t n = -2; n < 7; n++) {
            const int64_t got = wadi_eval_clamp(n, extent);
            assert_true(got >= 0 && got <= extent);
            if (n >= 0 && n <= extent) assert_true(got == n);
            if (n < 0) assert_true(got == 0);
            if (n > extent) assert_true(got == extent);
        }
    assert_true(wadi_eval_clamp(INT64_MIN, 9) == 0 && wadi_eval_clamp(INT64_MAX, 9) == 9);
}

/* Row-major: every index once, in the order of its place. */
static void indices_come_in_the_order_of_their_places(void **state) {
    (void)state;
    static const int64_t shapes[][4] = {{2, 3, 4, 5}, {1, 1, 7, 1}, {3, 1, 1, 2}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int rank = 0; rank <= 4; rank++) {
            int64_t ix[WADI_MAX_RANK] = {0}, size = 0, place = 0;
            assert_true(wadi_eval_size(rank, shapes[k], &size));
            do {
                assert_true(wadi_eval_linear(rank, shapes[k], ix) == place);
                place++;
            } while (wadi_eval_next(rank, shapes[k], ix));
            assert_true(place == size);
            for (int d = 0; d < rank; d++) assert_true(ix[d] == 0);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_of_types_comes_back),
        cmocka_unit_test(the_widest_record_comes_back),
        cmocka_unit_test(sizes_are_products_or_there_are_none),
        cmocka_unit_test(what_is_clamped_is_within),
        cmocka_unit_test(indices_come_in_the_order_of_their_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
