/* The wire format: encoded chunks decode to themselves, and the error for a damaged one says what is damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "sched/builder.h"
#include "sched/link/wire.h"

static const wadi_wire_limits limits = {.bytes = 1 << 20, .elements = 1000};

typedef struct fixture {
    wadi_buffers *buffers;
    wadi_chunk *chunk;
    wadi_wire_message m;
    wadi_wire_stream stream;
} fixture;

/* Elements of u32[s] and of a pair of f32. */
static int setup(void **state) {
    fixture *x = calloc(1, sizeof *x);
    const int64_t two = 2;
    const wadi_part parts[] = {wadi_part_irregular(WADI_U32, 1),
                               wadi_part_fixed(WADI_F32, 1, &two)};
    wadi_builder b;
    assert_non_null(x);
    assert_int_equal(wadi_buffers_create(NULL, 0, &x->buffers, NULL), WADI_OK);
    assert_int_equal(wadi_builder_init(&b, x->buffers, 2, parts, INT64_MAX, NULL), WADI_OK);
    for (int64_t s = 0; s < 10; s++) {
        wadi_array a;
        assert_int_equal(wadi_builder_array(&b, 0, &s, &a, NULL), WADI_OK);
        for (int64_t i = 0; i < s; i++) ((uint32_t *)a.column[0])[i] = (uint32_t)(1000 * s + i);
        assert_int_equal(wadi_builder_array(&b, 1, NULL, &a, NULL), WADI_OK);
        ((float *)a.column[0])[0] = (float)s;
        ((float *)a.column[0])[1] = 0.5f;
        assert_int_equal(wadi_builder_next(&b, NULL), WADI_OK);
    }
    assert_int_equal(wadi_chunk_create(x->buffers, 2, &x->chunk, NULL), WADI_OK);
    x->chunk->number = 3;
    x->chunk->first = 70;
    x->chunk->count = 10;
    wadi_builder_finish(&b, x->chunk, 0, 10);
    wadi_builder_fini(&b);
    x->stream.id = 99;
    memset(x->stream.program, 0xab, sizeof x->stream.program);
    assert_int_equal(wadi_wire_encode(x->chunk, &x->stream, &x->m, NULL), WADI_OK);
    *state = x;
    return 0;
}

static int teardown(void **state) {
    fixture *x = *state;
    wadi_chunk_release(x->chunk);
    assert_int_equal(wadi_buffers_used(x->buffers), 0);
    wadi_buffers_release(x->buffers);
    free(x);
    return 0;
}

static wadi_status decode(fixture *x, int frames, wadi_chunk **out, wadi_error *err) {
    return wadi_wire_decode(x->m.frame, frames, &limits, x->buffers, NULL, out, err);
}

static void mend(fixture *x) {
    const size_t n = (size_t)x->m.frame[0].bytes - 4;
    const uint32_t crc = wadi_crc32c(0, x->m.header, n);
    for (size_t i = 0; i < 4; i++) x->m.header[n + i] = (uint8_t)(crc >> (8 * i));
}

static void chunks_survive_the_journey(void **state) {
    fixture *x = *state;
    wadi_chunk *c = NULL;
    wadi_wire_stream stream;
    assert_int_equal(
        wadi_wire_decode(x->m.frame, x->m.frames, &limits, x->buffers, &stream, &c, NULL), WADI_OK);
    assert_int_equal(stream.id, 99);
    assert_memory_equal(stream.program, x->stream.program, sizeof stream.program);
    assert_int_equal(c->number, 3);
    assert_int_equal(c->first, 70);
    assert_int_equal(c->count, 10);
    assert_int_equal(c->component[0].layout, WADI_LAYOUT_IRREGULAR);
    assert_int_equal(c->component[1].layout, WADI_LAYOUT_REGULAR);
    for (int i = 0; i < 2; i++) {
        for (int64_t s = 0; s < 10; s++) {
            const wadi_array a = wadi_chunk_array(x->chunk, i, s), b = wadi_chunk_array(c, i, s);
            const int64_t n = wadi_shape_values(a.rank, a.shape);
            assert_int_equal(n, wadi_shape_values(b.rank, b.shape));
            if (n > 0) assert_memory_equal(a.column[0], b.column[0], (size_t)n * 4);
        }
    }
    wadi_chunk_release(c);
}

static void complex_numbers_travel_as_two_parts(void **state) {
    fixture *x = *state;
    const int64_t two = 2;
    const wadi_part part = wadi_part_fixed(WADI_C128, 1, &two);
    const double want[4] = {1.5, -2.0, 0.25, 3.0};
    wadi_chunk *sent = NULL, *got = NULL;
    wadi_builder b;
    wadi_array a;
    assert_int_equal(wadi_builder_init(&b, x->buffers, 1, &part, INT64_MAX, NULL), WADI_OK);
    assert_int_equal(wadi_builder_array(&b, 0, NULL, &a, NULL), WADI_OK);
    memcpy(a.column[0], want, sizeof want);
    assert_int_equal(wadi_builder_next(&b, NULL), WADI_OK);
    assert_int_equal(wadi_chunk_create(x->buffers, 1, &sent, NULL), WADI_OK);
    sent->count = 1;
    wadi_builder_finish(&b, sent, 0, 1);
    wadi_builder_fini(&b);
    assert_int_equal(wadi_wire_encode(sent, &x->stream, &x->m, NULL), WADI_OK);
    assert_int_equal(x->m.frame[1].bytes, sizeof want);
    assert_int_equal(decode(x, x->m.frames, &got, NULL), WADI_OK);
    assert_int_equal(got->component[0].type[0], WADI_C128);
    assert_memory_equal(wadi_chunk_array(got, 0, 0).column[0], want, sizeof want);
    wadi_chunk_release(got);
    wadi_chunk_release(sent);
}

static void views_are_sent_as_what_they_show(void **state) {
    fixture *x = *state;
    wadi_chunk *view = NULL, *c = NULL;
    assert_int_equal(wadi_chunk_slice(x->chunk, 4, 3, &view, NULL), WADI_OK);
    assert_int_equal(wadi_wire_encode(view, &x->stream, &x->m, NULL), WADI_OK);
    assert_int_equal(decode(x, x->m.frames, &c, NULL), WADI_OK);
    assert_int_equal(c->count, 3);
    assert_int_equal(((uint32_t *)wadi_chunk_array(c, 0, 1).column[0])[0], 5000);
    wadi_chunk_release(c);
    wadi_chunk_release(view);
}

static void other_versions_are_refused_by_name(void **state) {
    fixture *x = *state;
    wadi_chunk *c = NULL;
    wadi_error err;
    x->m.header[4] = 9;
    mend(x);
    assert_int_equal(decode(x, x->m.frames, &c, &err), WADI_UNSUPPORTED);
    assert_string_equal(err.msg, "wire format: version 9; this build reads version 1");
}

static void every_damaged_byte_is_noticed(void **state) {
    fixture *x = *state;
    for (int f = 0; f < x->m.frames; f++) {
        for (int64_t i = 0; i < x->m.frame[f].bytes; i++) {
            uint8_t *at = (uint8_t *)(uintptr_t)x->m.frame[f].data + i;
            wadi_chunk *c = NULL;
            *at ^= 0x10;
            assert_int_not_equal(decode(x, x->m.frames, &c, NULL), WADI_OK);
            *at ^= 0x10;
        }
    }
}

static void missing_and_extra_frames_are_noticed(void **state) {
    fixture *x = *state;
    wadi_chunk *c = NULL;
    wadi_error err;
    for (int n = 0; n < x->m.frames; n++) {
        assert_int_equal(decode(x, n, &c, &err), WADI_IO);
    }
    x->m.frame[x->m.frames] = x->m.frame[1];
    assert_int_equal(decode(x, x->m.frames + 1, &c, &err), WADI_IO);
    assert_string_equal(err.msg, "wire format: 1 frames too many");
}

static void descriptors_must_agree_with_columns(void **state) {
    fixture *x = *state;
    wadi_chunk *c = NULL;
    wadi_error err;
    x->chunk->component[0].shapes[4] = 5; /* the offsets say 4 */
    assert_int_equal(wadi_wire_encode(x->chunk, &x->stream, &x->m, NULL), WADI_OK);
    assert_int_equal(decode(x, x->m.frames, &c, &err), WADI_IO);
    assert_string_equal(err.msg, "wire format: element 5: shape and offset do not fit");
    x->chunk->component[0].shapes[4] = INT64_MIN;
    assert_int_equal(wadi_wire_encode(x->chunk, &x->stream, &x->m, NULL), WADI_OK);
    assert_int_equal(decode(x, x->m.frames, &c, &err), WADI_IO);
}

/* Everything else agrees with it: offsets, column, lengths, checksums. */
static void a_negative_extent_is_refused(void **state) {
    static const int64_t extents[] = {-1, -4, INT64_MIN, INT64_C(1) << 62, INT64_MAX};
    fixture *x = *state;
    wadi_chunk_component *p = &x->chunk->component[0];
    for (int i = 0; i < 5; i++) {
        const int64_t before = p->shapes[5], values = p->values;
        const int64_t change = (int64_t)((uint64_t)extents[i] - (uint64_t)before);
        const bool fits = change < 0 && change > -100; /* into the column that is there */
        wadi_chunk *c = NULL;
        wadi_error err;
        p->shapes[5] = extents[i];
        for (int s = 6; fits && s <= 10; s++) p->offsets[s] += change;
        if (fits) p->values += change;
        assert_int_equal(wadi_wire_encode(x->chunk, &x->stream, &x->m, NULL), WADI_OK);
        assert_int_equal(decode(x, x->m.frames, &c, &err), WADI_IO);
        assert_string_equal(err.msg, "wire format: element 5: shape and offset do not fit");
        for (int s = 6; fits && s <= 10; s++) p->offsets[s] -= change;
        p->shapes[5] = before;
        p->values = values;
    }
}

static void put_number(fixture *x, size_t at, uint64_t value) {
    for (size_t i = 0; i < 8; i++) x->m.header[at + i] = (uint8_t)(value >> (8 * i));
    mend(x);
}

static void numbers_out_of_range_are_refused(void **state) {
    static const uint64_t numbers[] = {UINT64_MAX, UINT64_C(1) << 63, UINT64_C(1) << 32, INT64_MAX,
                                       1001};
    fixture *x = *state;
    wadi_chunk *c = NULL;
    for (int i = 0; i < 5; i++) {
        for (size_t at = 48; at <= 64; at += 8) { /* number, first, count */
            const uint64_t right = at == 48 ? 3 : at == 56 ? 70 : 10;
            const bool fine = at != 64 && (int64_t)numbers[i] > 0 &&
                              (at == 48 || numbers[i] <= (uint64_t)INT64_MAX - 10);
            put_number(x, at, numbers[i]);
            const wadi_status status = decode(x, x->m.frames, &c, NULL);
            assert_int_equal(status, fine ? WADI_OK : WADI_IO);
            if (status == WADI_OK) wadi_chunk_release(c);
            put_number(x, at, right);
        }
    }
    put_number(x, 56, INT64_MAX); /* the last element would have a number that is none */
    assert_int_equal(decode(x, x->m.frames, &c, NULL), WADI_IO);
    put_number(x, 56, INT64_MAX - 10);
    assert_int_equal(decode(x, x->m.frames, &c, NULL), WADI_OK);
    wadi_chunk_release(c);
}

static void reserved_bits_are_refused(void **state) {
    static const size_t places[] = {6, 7, 79}; /* flags, and a byte of the first component */
    fixture *x = *state;
    wadi_chunk *c = NULL;
    for (int i = 0; i < 3; i++) {
        for (int bit = 0; bit < 8; bit++) {
            x->m.header[places[i]] = (uint8_t)(1u << bit);
            mend(x);
            assert_int_equal(decode(x, x->m.frames, &c, NULL), WADI_IO);
        }
        x->m.header[places[i]] = 0;
    }
    mend(x);
    assert_int_equal(decode(x, x->m.frames, &c, NULL), WADI_OK);
    wadi_chunk_release(c);
}

/* Kernels take a bool for 0 or 1, wherever it stands. */
static void a_bool_is_0_or_1(void **state) {
    fixture *x = *state;
    static const uint8_t wrong[] = {2, 128, 255};
    uint8_t truth[] = {1, 0, 1, 1, 0};
    wadi_chunk *sent = NULL;
    assert_int_equal(wadi_chunk_create(x->buffers, 1, &sent, NULL), WADI_OK);
    sent->count = 5;
    sent->component[0] = (wadi_chunk_component){.layout = WADI_LAYOUT_REGULAR,
                                                .fields = 1,
                                                .type = {WADI_BOOL},
                                                .values = 5,
                                                .column = {truth}};
    for (int i = -1; i < 5; i++) {
        wadi_chunk *got = NULL;
        wadi_error err = {0};
        const uint8_t before = i < 0 ? 0 : truth[i];
        if (i >= 0) truth[i] = wrong[i % 3];
        assert_int_equal(wadi_wire_encode(sent, &x->stream, &x->m, NULL), WADI_OK);
        assert_int_equal(decode(x, x->m.frames, &got, &err), i < 0 ? WADI_OK : WADI_IO);
        if (i >= 0) assert_string_equal(err.msg, "wire format: a bool is neither 0 nor 1");
        if (i >= 0) truth[i] = before;
        wadi_chunk_release(got);
    }
    wadi_chunk_release(sent);
}

static void sizes_are_bounded(void **state) {
    fixture *x = *state;
    wadi_chunk *c = NULL;
    const wadi_wire_limits few = {.bytes = 1 << 20, .elements = 9};
    const wadi_wire_limits small = {.bytes = 200, .elements = 100};
    assert_int_equal(wadi_wire_decode(x->m.frame, x->m.frames, &few, x->buffers, NULL, &c, NULL),
                     WADI_IO);
    assert_int_equal(wadi_wire_decode(x->m.frame, x->m.frames, &small, x->buffers, NULL, &c, NULL),
                     WADI_IO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(chunks_survive_the_journey, setup, teardown),
        cmocka_unit_test_setup_teardown(complex_numbers_travel_as_two_parts, setup, teardown),
        cmocka_unit_test_setup_teardown(views_are_sent_as_what_they_show, setup, teardown),
        cmocka_unit_test_setup_teardown(other_versions_are_refused_by_name, setup, teardown),
        cmocka_unit_test_setup_teardown(every_damaged_byte_is_noticed, setup, teardown),
        cmocka_unit_test_setup_teardown(missing_and_extra_frames_are_noticed, setup, teardown),
        cmocka_unit_test_setup_teardown(descriptors_must_agree_with_columns, setup, teardown),
        cmocka_unit_test_setup_teardown(a_negative_extent_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(numbers_out_of_range_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(reserved_bits_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(a_bool_is_0_or_1, setup, teardown),
        cmocka_unit_test_setup_teardown(sizes_are_bounded, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
