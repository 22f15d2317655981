/* Elements that are parted by key, and put together again: each is where it was, whatever it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sched/change/change.h"
#include "sched/run/shards.h"

enum { MOST = 600, COMPONENTS = 5 };

static wadi_buffers *buffers;

static int open_pool(void **state) {
    (void)state;
    return wadi_buffers_create(NULL, 1 << 20, &buffers, NULL) == WADI_OK ? 0 : -1;
}

static int close_pool(void **state) {
    (void)state;
    wadi_buffers_release(buffers);
    return 0;
}

static uint64_t draw(void) {
    static uint64_t x = 88172645463325252u;
    x ^= x << 13;
    x ^= x >> 7;
    return x ^= x << 17;
}

/* ---- chunks ---- */

static void *column(wadi_chunk *c, int i, int f, wadi_type type, int64_t values) {
    wadi_chunk_component *to = &c->component[i];
    void *at = wadi_chunk_alloc(c, values * wadi_type_size(type));
    assert_non_null(at);
    to->type[f] = type;
    to->values = values;
    return to->column[f] = at;
}

/* Numbers of 1 and 8 bytes, one record; rows of three; arrays of i % 4 by 2; one array for all. */
static wadi_chunk *make(int64_t n) {
    wadi_chunk *c = NULL;
    assert_int_equal(wadi_chunk_create(buffers, COMPONENTS, &c, NULL), WADI_OK);
    c->count = n;
    c->component[0] = (wadi_chunk_component){.layout = WADI_LAYOUT_REGULAR, .fields = 2};
    uint8_t *small = column(c, 0, 0, WADI_U8, n);
    int64_t *large = column(c, 0, 1, WADI_I64, n);
    for (int64_t i = 0; i < n; i++) {
        small[i] = (uint8_t)(i * 7);
        large[i] = i * i;
    }
    c->component[1] =
        (wadi_chunk_component){.layout = WADI_LAYOUT_REGULAR, .rank = 1, .fields = 1, .shape = {3}};
    int32_t *rows = column(c, 1, 0, WADI_I32, 3 * n);
    for (int64_t i = 0; i < 3 * n; i++) rows[i] = (int32_t)(i * 11);
    c->component[2] =
        (wadi_chunk_component){.layout = WADI_LAYOUT_REGULAR, .rank = 1, .fields = 1, .shape = {0}};
    (void)column(c, 2, 0, WADI_F64, 0);
    c->component[3] =
        (wadi_chunk_component){.layout = WADI_LAYOUT_IRREGULAR, .rank = 2, .fields = 1};
    wadi_chunk_component *ragged = &c->component[3];
    ragged->shapes = wadi_chunk_alloc(c, 16 * n);
    ragged->offsets = wadi_chunk_alloc(c, 8 * (n + 1));
    ragged->offsets[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        ragged->shapes[2 * i] = i % 4;
        ragged->shapes[2 * i + 1] = 2;
        ragged->offsets[i + 1] = ragged->offsets[i] + 2 * (i % 4);
    }
    double *values = column(c, 3, 0, WADI_F64, ragged->offsets[n]);
    for (int64_t i = 0; i < ragged->offsets[n]; i++) values[i] = (double)i / 3;
    c->component[4] =
        (wadi_chunk_component){.layout = WADI_LAYOUT_AVOID, .rank = 1, .fields = 1, .shape = {2}};
    memset(column(c, 4, 0, WADI_I64, 2), 5, 16);
    return c;
}

static void assert_alike(const wadi_chunk *want, const wadi_chunk *got) {
    assert_int_equal(got->count, want->count);
    assert_int_equal(got->components, want->components);
    for (int i = 0; i < want->components; i++) {
        assert_int_equal(got->component[i].layout, want->component[i].layout);
        for (int64_t s = 0; s < want->count; s++) {
            const wadi_array a = wadi_chunk_array(want, i, s), b = wadi_chunk_array(got, i, s);
            assert_memory_equal(a.shape, b.shape, sizeof(int64_t) * (size_t)a.rank);
            const int64_t values = wadi_shape_values(a.rank, a.shape);
            for (int f = 0; f < a.fields && values > 0; f++)
                assert_memory_equal(a.column[f], b.column[f],
                                    (size_t)(values * wadi_type_size(a.type[f])));
        }
    }
}

/* ---- parts ---- */

/* Each element is in the item of its key, in their order; each key is there once, in the order in which it first comes. */
static void check_parts(const wadi_shards *p, const int64_t *number, int64_t n) {
    int64_t elements = 0;
    assert_int_equal(p->item[0].low, 0);
    assert_int_equal(p->item[p->n - 1].high, WADI_SHARDS);
    for (int i = 0; i < p->n; i++) {
        const wadi_shard_item *k = &p->item[i];
        int64_t keys = 0;
        if (i > 0) assert_int_equal(k->low, p->item[i - 1].high);
        assert_int_equal(k->first, elements);
        elements += k->n;
        for (int64_t j = 0; j < k->n; j++) {
            const int64_t s = p->order[k->first + j], key = number[s];
            bool seen = false;
            assert_in_range(wadi_shard_of(key), k->low, k->high - 1);
            if (j > 0) assert_true(s > p->order[k->first + j - 1]);
            for (int64_t m = 0; m < keys; m++) seen = seen || p->key[k->first + m] == key;
            if (!seen) assert_int_equal(p->key[k->first + keys++], key);
        }
        assert_int_equal(k->nkeys, keys);
    }
    assert_int_equal(elements, n);
}

static void check(int64_t n, int64_t keys, int items, wadi_shard_marks *marks) {
    int64_t number[MOST];
    wadi_chunk *of[WADI_SHARDS] = {NULL}, *c = make(n), *all = NULL;
    wadi_shards p;
    for (int64_t s = 0; s < n; s++) number[s] = (int64_t)(draw() % (uint64_t)keys);
    assert_int_equal(wadi_shards_part(number, n, keys, items, marks, &p, NULL), WADI_OK);
    check_parts(&p, number, n);
    for (int i = 0; i < p.n; i++)
        if (p.item[i].n > 0)
            assert_int_equal(
                wadi_change_gather(c, p.order + p.item[i].first, p.item[i].n, &of[i], NULL),
                WADI_OK);
    assert_int_equal(wadi_shards_join(&p, of, buffers, &all, NULL), WADI_OK);
    assert_alike(c, all);
    wadi_chunk_release(all);
    wadi_chunk_release(c);
    for (int i = 0; i < p.n; i++) wadi_chunk_release(of[i]);
    wadi_shards_fini(&p);
}

static void each_element_comes_back(void **state) {
    static const int64_t counts[] = {1, 2, 3, 64, 65, MOST}, keys[] = {1, 2, 50, 100000};
    static const int items[] = {1, 2, 3, 7, WADI_SHARDS};
    wadi_shard_marks marks = {.of = NULL};
    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            for (size_t i = 0; i < sizeof items / sizeof *items; i++)
                check(counts[c], keys[k], items[i], &marks);
    wadi_shard_marks_fini(&marks);
}

/* Keys that come one behind the other are spread over all shards. */
static void shards_are_alike(void **state) {
    int64_t in[WADI_SHARDS] = {0};
    (void)state;
    for (int64_t key = 0; key < 64 * WADI_SHARDS; key++) in[wadi_shard_of(key)]++;
    for (int i = 0; i < WADI_SHARDS; i++) assert_in_range(in[i], 48, 80);
}

/* What came of two items is regular, but of another shape; or one is no regular number. */
static void what_does_not_belong_together_is_refused(void **state) {
    static const int64_t number[] = {0, 1, 2, 3, 4, 5, 6, 7};
    wadi_shard_marks marks = {.of = NULL};
    wadi_shards p;
    (void)state;
    assert_int_equal(wadi_shards_part(number, 8, 8, 2, &marks, &p, NULL), WADI_OK);
    for (int turn = 0; turn < 3; turn++) {
        wadi_chunk *of[2] = {make(p.item[0].n), make(p.item[1].n)}, *all = NULL;
        if (turn == 0)
            of[1]->component[1].shape[0] = 2;
        else
            of[1]->component[turn - 1].layout = WADI_LAYOUT_AVOID;
        assert_int_equal(wadi_shards_join(&p, of, buffers, &all, NULL), WADI_IO);
        assert_null(all);
        wadi_chunk_release(of[0]);
        wadi_chunk_release(of[1]);
    }
    wadi_shards_fini(&p);
    wadi_shard_marks_fini(&marks);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_element_comes_back),
                                       cmocka_unit_test(shards_are_alike),
                                       cmocka_unit_test(what_does_not_belong_together_is_refused)};
    return cmocka_run_group_tests(tests, open_pool, close_pool);
}
