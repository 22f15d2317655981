/* Host arrays to the interpreter's cells and back: fields of every type and width, in any order. */
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_of_types_comes_back),
        cmocka_unit_test(the_widest_record_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
