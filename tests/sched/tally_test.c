/* Digests of a sequence of elements, block by block. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sodium.h>

#include "sched/builder.h"
#include "sched/certificate/tally.h"

enum { ELEMENTS = 5000, EACH = 96 };

/* Elements [from, from + n): part 0 is f64[EACH], part 1 u8[s % 7] of value s, part 2 a record of two i32. */
static wadi_chunk *make(wadi_buffers *buffers, int64_t from, int64_t n, int64_t wrong) {
    static const int64_t each = EACH;
    wadi_part parts[3] = {wadi_part_fixed(WADI_F64, 1, &each), wadi_part_irregular(WADI_U8, 1),
                          wadi_part_fixed(WADI_I32, 0, NULL)};
    parts[2].fields = 2;
    parts[2].type[1] = WADI_I32;
    wadi_builder b;
    wadi_chunk *c = NULL;
    assert_int_equal(wadi_builder_init(&b, buffers, 3, parts, INT64_MAX, NULL), WADI_OK);
    for (int64_t s = from; s < from + n; s++) {
        const int64_t shape = s % 7;
        wadi_array a;
        assert_int_equal(wadi_builder_array(&b, 0, NULL, &a, NULL), WADI_OK);
        for (int i = 0; i < EACH; i++) ((double *)a.column[0])[i] = (double)(s * EACH + i);
        if (s == wrong) ((double *)a.column[0])[EACH - 1] += 1;
        assert_int_equal(wadi_builder_array(&b, 1, &shape, &a, NULL), WADI_OK);
        for (int64_t i = 0; i < shape; i++) ((uint8_t *)a.column[0])[i] = (uint8_t)s;
        assert_int_equal(wadi_builder_array(&b, 2, NULL, &a, NULL), WADI_OK);
        *(int32_t *)a.column[0] = (int32_t)s;
        *(int32_t *)a.column[1] = (int32_t)-s;
        assert_int_equal(wadi_builder_next(&b, NULL), WADI_OK);
    }
    assert_int_equal(wadi_chunk_create(buffers, 3, &c, NULL), WADI_OK);
    wadi_builder_finish(&b, c, 0, n);
    c->first = from;
    c->count = n;
    wadi_builder_fini(&b);
    return c;
}

/* The digests of all elements, in chunks of at most `most`. */
static wadi_tally tally(wadi_buffers *buffers, int64_t most, int64_t wrong,
                        const wadi_tally *like) {
    wadi_tally t = {0};
    for (size_t i = 0; like != NULL && i < like->done.n; i++)
        assert_true(wadi_vec_push(&t.like, like->done.at[i]));
    for (int64_t from = 0; from < ELEMENTS;) {
        int64_t n = 1 + rand() % most;
        if (n > ELEMENTS - from) n = ELEMENTS - from;
        wadi_chunk *c = make(buffers, from, n, wrong);
        assert_int_equal(wadi_tally_add(&t, c, NULL), WADI_OK);
        wadi_chunk_release(c);
        from += n;
    }
    assert_int_equal(wadi_tally_cut(&t, NULL), WADI_OK);
    assert_int_equal(t.all_elements, ELEMENTS);
    return t;
}

static void assert_same(const wadi_tally *a, const wadi_tally *b) {
    assert_int_equal(a->done.n, b->done.n);
    for (size_t i = 0; i < a->done.n; i++) {
        assert_int_equal(a->done.at[i].elements, b->done.at[i].elements);
        assert_memory_equal(a->done.at[i].digest, b->done.at[i].digest, WADI_TALLY_DIGEST);
    }
}

static void chunks_do_not_matter(void **state) {
    wadi_buffers *buffers = NULL;
    (void)state;
    assert_int_equal(wadi_buffers_create(NULL, 0, &buffers, NULL), WADI_OK);
    wadi_tally whole = tally(buffers, 1, -1, NULL);
    assert_true(whole.done.n > 3); /* of about 1 MiB each */
    for (int64_t most = 7; most < 4 * ELEMENTS; most *= 9) {
        wadi_tally t = tally(buffers, most, -1, NULL);
        assert_same(&whole, &t);
        wadi_tally_fini(&t);
    }
    wadi_tally_fini(&whole);
    wadi_buffers_release(buffers);
}

static void a_value_changes_its_block_alone(void **state) {
    wadi_buffers *buffers = NULL;
    (void)state;
    assert_int_equal(wadi_buffers_create(NULL, 0, &buffers, NULL), WADI_OK);
    wadi_tally whole = tally(buffers, 100, -1, NULL), wrong = tally(buffers, 100, 2000, NULL);
    int64_t first = 0;
    assert_int_equal(whole.done.n, wrong.done.n);
    for (size_t i = 0; i < whole.done.n; i++) {
        const int64_t end = first + whole.done.at[i].elements;
        const bool here = first <= 2000 && 2000 < end;
        assert_int_equal(
            memcmp(whole.done.at[i].digest, wrong.done.at[i].digest, WADI_TALLY_DIGEST) != 0, here);
        first = end;
    }
    wadi_tally_fini(&whole);
    wadi_tally_fini(&wrong);
    wadi_buffers_release(buffers);
}

/* Blocks may be cut anywhere; whoever verifies them cuts where they were cut. */
static void cuts_are_followed(void **state) {
    wadi_buffers *buffers = NULL;
    wadi_tally cut = {0};
    (void)state;
    assert_int_equal(wadi_buffers_create(NULL, 0, &buffers, NULL), WADI_OK);
    for (int64_t from = 0, n = 1; from < ELEMENTS; from += n, n = 2 * n + 1) {
        if (n > ELEMENTS - from) n = ELEMENTS - from;
        wadi_chunk *c = make(buffers, from, n, -1);
        assert_int_equal(wadi_tally_add(&cut, c, NULL), WADI_OK);
        assert_int_equal(wadi_tally_cut(&cut, NULL), WADI_OK);
        wadi_chunk_release(c);
    }
    wadi_tally again = tally(buffers, 300, -1, &cut);
    assert_same(&cut, &again);
    wadi_tally_fini(&cut);
    wadi_tally_fini(&again);
    wadi_buffers_release(buffers);
}

static void digest_part(bool one_lane, const void *at, size_t n, uint8_t out[32]) {
    wadi_blake2b_lanes lanes;
    wadi_blake2b_lanes_begin(&lanes);
    wadi_blake2b_lanes_add(&lanes, at, n);
    wadi_blake2b_lanes_end(&lanes, out);
    if (one_lane) assert_int_equal(crypto_generichash(out, 32, at, n, NULL, 0), 0);
}

/* What the header says: the digest of the digests of the extents and of each column. Those of one lane are libsodium's. */
static void assert_block_is_as_said(bool one_lane) {
    wadi_buffers *buffers = NULL;
    wadi_tally t = {.one_lane = one_lane};
    assert_int_equal(wadi_buffers_create(NULL, 0, &buffers, NULL), WADI_OK);
    wadi_chunk *c = make(buffers, 1, 2, -1);
    assert_int_equal(wadi_tally_add(&t, c, NULL), WADI_OK);
    assert_int_equal(wadi_tally_cut(&t, NULL), WADI_OK);
    double f[2 * EACH];
    for (int i = 0; i < 2 * EACH; i++) f[i] = EACH + i;
    const int64_t each[2] = {EACH, EACH}, bytes[2] = {1, 2};
    const uint8_t u[3] = {1, 2, 2};
    const int32_t a[2] = {1, 2}, b[2] = {-1, -2};
    const struct {
        const void *at;
        size_t n;
    } part[] = {{each, sizeof each}, {f, sizeof f}, {bytes, sizeof bytes}, {u, 3},
                {NULL, 0},           {a, sizeof a}, {b, sizeof b}};
    uint8_t digest[7][32], whole[32];
    for (int i = 0; i < 7; i++) digest_part(one_lane, part[i].at, part[i].n, digest[i]);
    assert_int_equal(crypto_generichash(whole, 32, digest[0], sizeof digest, NULL, 0), 0);
    assert_int_equal(t.done.n, 1);
    assert_memory_equal(t.done.at[0].digest, whole, 32);
    wadi_chunk_release(c);
    wadi_tally_fini(&t);
    wadi_buffers_release(buffers);
}

static void a_block_is_what_is_said_of_it(void **state) {
    (void)state;
    assert_block_is_as_said(false);
    assert_block_is_as_said(true);
}

/* ---- without an order ---- */

/* Elements [from, from + n) come to it. */
static void add_some(wadi_tally *t, wadi_buffers *buffers, int64_t from, int64_t n, int64_t wrong) {
    wadi_chunk *c = make(buffers, from, n, wrong);
    assert_int_equal(wadi_tally_add(t, c, NULL), WADI_OK);
    assert_int_equal(wadi_tally_cut(t, NULL), WADI_OK);
    wadi_chunk_release(c);
}

static void a_sum_does_not_depend_on_the_order(void **state) {
    enum { SOME = 60 };
    wadi_buffers *buffers = NULL;
    wadi_tally rising = {.unordered = true}, falling = rising, wrong = rising, twice = rising;
    (void)state;
    assert_int_equal(wadi_buffers_create(NULL, 0, &buffers, NULL), WADI_OK);
    add_some(&rising, buffers, 0, SOME, -1);
    for (int64_t from = SOME - 3; from >= 0; from -= 3) add_some(&falling, buffers, from, 3, -1);
    assert_int_equal(rising.done.n, 1);
    assert_int_equal(rising.done.at[0].elements, SOME);
    assert_int_equal(rising.all_elements, SOME);
    assert_int_equal(rising.all_bytes, falling.all_bytes);
    assert_same(&rising, &falling);
    add_some(&wrong, buffers, 0, SOME, 17);
    assert_memory_not_equal(rising.done.at[0].digest, wrong.done.at[0].digest, WADI_TALLY_DIGEST);
    add_some(&twice, buffers, 0, SOME - 1, -1); /* one twice instead of the last */
    add_some(&twice, buffers, 0, 1, -1);
    assert_int_equal(twice.done.at[0].elements, SOME);
    assert_memory_not_equal(rising.done.at[0].digest, twice.done.at[0].digest, WADI_TALLY_DIGEST);
    wadi_tally_fini(&rising);
    wadi_tally_fini(&falling);
    wadi_tally_fini(&wrong);
    wadi_tally_fini(&twice);
    wadi_buffers_release(buffers);
}

/* What the header says: the sum of libsodium's digests of the elements, least byte first. */
static void a_sum_is_what_is_said_of_it(void **state) {
    wadi_buffers *buffers = NULL;
    wadi_tally t = {.unordered = true};
    uint8_t sum[32] = {0};
    (void)state;
    assert_int_equal(wadi_buffers_create(NULL, 0, &buffers, NULL), WADI_OK);
    add_some(&t, buffers, 1, 5, -1);
    for (int s = 1; s < 6; s++) {
        struct {
            int64_t each;
            double f[EACH];
            int64_t n;
            uint8_t rest[5 + 8];
        } bytes = {.each = EACH, .n = s};
        uint8_t digest[32];
        const int32_t record[2] = {s, -s};
        for (int i = 0; i < EACH; i++) bytes.f[i] = s * EACH + i;
        memset(bytes.rest, s, (size_t)s);
        memcpy(bytes.rest + s, record, sizeof record);
        const size_t n = sizeof(int64_t) * (2 + EACH) + (size_t)s + sizeof record;
        assert_int_equal(crypto_generichash(digest, 32, (const uint8_t *)&bytes, n, NULL, 0), 0);
        for (int i = 0, carry = 0; i < 32; i++, carry >>= 8) {
            carry += sum[i] + digest[i];
            sum[i] = (uint8_t)(carry & 0xff);
        }
    }
    assert_memory_equal(t.done.at[0].digest, sum, 32);
    wadi_tally_fini(&t);
    wadi_buffers_release(buffers);
}

/* An array is a sequence with one element; elements that share an array are elements that have it each. */
static void layouts_do_not_matter(void **state) {
    static const int64_t shape[2] = {3, 2};
    double values[3 * 6];
    wadi_buffers *buffers = NULL;
    wadi_tally t[3];
    (void)state;
    memset(t, 0, sizeof t);
    for (int i = 0; i < 18; i++) values[i] = i % 6;
    assert_int_equal(wadi_buffers_create(NULL, 0, &buffers, NULL), WADI_OK);
    for (int k = 0; k < 3; k++) {
        int64_t shapes[6] = {3, 2, 3, 2, 3, 2}, offsets[4] = {0, 6, 12, 18};
        wadi_chunk *c = NULL;
        assert_int_equal(wadi_chunk_create(buffers, 1, &c, NULL), WADI_OK);
        c->count = 3;
        c->component[0] = (wadi_chunk_component){.layout = (wadi_chunk_layout)k,
                                                 .rank = 2,
                                                 .fields = 1,
                                                 .type = {WADI_F64},
                                                 .shape = {3, 2},
                                                 .shapes = shapes,
                                                 .offsets = offsets,
                                                 .values = 18,
                                                 .column = {values}};
        assert_int_equal(wadi_tally_add(&t[k], c, NULL), WADI_OK);
        assert_int_equal(wadi_tally_cut(&t[k], NULL), WADI_OK);
        wadi_chunk_release(c);
    }
    assert_same(&t[0], &t[1]);
    assert_same(&t[0], &t[2]);
    for (int k = 0; k < 3; k++) wadi_tally_fini(&t[k]);

    wadi_tally one = {0};
    wadi_chunk *c = NULL;
    uint8_t digest[WADI_TALLY_DIGEST];
    const wadi_array a = {.rank = 2,
                          .fields = 1,
                          .type = {WADI_F64},
                          .column = {values},
                          .shape = {shape[0], shape[1]}};
    wadi_tally_array(&a, false, digest);
    assert_int_equal(wadi_chunk_create(buffers, 1, &c, NULL), WADI_OK);
    c->count = 1;
    c->component[0] = (wadi_chunk_component){.layout = WADI_LAYOUT_REGULAR,
                                             .rank = 2,
                                             .fields = 1,
                                             .type = {WADI_F64},
                                             .shape = {3, 2},
                                             .column = {values}};
    assert_int_equal(wadi_tally_add(&one, c, NULL), WADI_OK);
    assert_int_equal(wadi_tally_cut(&one, NULL), WADI_OK);
    assert_memory_equal(one.done.at[0].digest, digest, sizeof digest);
    wadi_chunk_release(c);
    wadi_tally_fini(&one);
    wadi_buffers_release(buffers);
}

/* Which NaN comes of an operation differs between processors. */
static void a_nan_is_a_nan(void **state) {
    static const uint64_t nan[] = {UINT64_C(0x7ff8000000000000), UINT64_C(0xfff8000000000001),
                                   UINT64_C(0x7ff0000000000000)}; /* the last is infinity */
    uint8_t digest[3][WADI_TALLY_DIGEST];
    (void)state;
    for (int k = 0; k < 3; k++) {
        double value[2000]; /* more than one piece */
        for (int i = 0; i < 2000; i++) value[i] = i;
        memcpy(&value[1999], &nan[k], sizeof *value);
        const wadi_array a = {
            .rank = 1, .shape = {1000}, .fields = 1, .type = {WADI_C128}, .column = {value}};
        wadi_tally_array(&a, false, digest[k]);
    }
    assert_memory_equal(digest[0], digest[1], WADI_TALLY_DIGEST);
    assert_memory_not_equal(digest[0], digest[2], WADI_TALLY_DIGEST);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(chunks_do_not_matter),
                                       cmocka_unit_test(a_value_changes_its_block_alone),
                                       cmocka_unit_test(cuts_are_followed),
                                       cmocka_unit_test(a_block_is_what_is_said_of_it),
                                       cmocka_unit_test(layouts_do_not_matter),
                                       cmocka_unit_test(a_nan_is_a_nan),
                                       cmocka_unit_test(a_sum_does_not_depend_on_the_order),
                                       cmocka_unit_test(a_sum_is_what_is_said_of_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
