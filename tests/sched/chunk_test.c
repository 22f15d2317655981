/* Chunks, the pool they live in, and the builder sources use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/builder.h"
#include "sched/chunk.h"
#include "sched/slots.h"

/* A heap that counts. */
typedef struct counter {
    int64_t taken, out;
    bool empty; /* refuse */
} counter;

static void *take(void *self, size_t bytes) {
    counter *c = self;
    if (c->empty) return NULL;
    c->taken++;
    c->out++;
    return aligned_alloc(WADI_ALIGN, bytes);
}

static void give(void *self, void *memory, size_t bytes) {
    (void)bytes;
    ((counter *)self)->out--;
    free(memory);
}

static wadi_buffers *make_buffers(counter *c, int64_t keep) {
    const wadi_memory memory = {.take = take, .give = give, .self = c};
    wadi_buffers *b = NULL;
    assert_int_equal(wadi_buffers_create(&memory, keep, &b, NULL), WADI_OK);
    return b;
}

/* n elements: part 0 is i16[s % 5] of value s, part 1 the fixed pair (s, -s). */
static wadi_chunk *make_chunk(wadi_buffers *buffers, int64_t n) {
    static const int64_t two = 2;
    const wadi_part parts[] = {wadi_part_irregular(WADI_I16, 1),
                               wadi_part_fixed(WADI_F64, 1, &two)};
    wadi_builder b;
    wadi_chunk *c = NULL;
    assert_int_equal(wadi_builder_init(&b, buffers, 2, parts, INT64_MAX, NULL), WADI_OK);
    for (int64_t s = 0; s < n; s++) {
        const int64_t shape = s % 5;
        wadi_array a;
        assert_int_equal(wadi_builder_array(&b, 0, &shape, &a, NULL), WADI_OK);
        for (int64_t i = 0; i < shape; i++) ((int16_t *)a.column[0])[i] = (int16_t)s;
        assert_int_equal(wadi_builder_array(&b, 1, NULL, &a, NULL), WADI_OK);
        ((double *)a.column[0])[0] = (double)s;
        ((double *)a.column[0])[1] = -(double)s;
        assert_int_equal(wadi_builder_next(&b, NULL), WADI_OK);
    }
    assert_int_equal(wadi_chunk_create(buffers, 2, &c, NULL), WADI_OK);
    c->first = 100;
    c->count = n;
    wadi_builder_finish(&b, c, 0, n);
    wadi_builder_fini(&b);
    return c;
}

static void check_elements(const wadi_chunk *c, int64_t begin) {
    for (int64_t s = 0; s < c->count; s++) {
        const wadi_array a = wadi_chunk_array(c, 0, s);
        const wadi_array pair = wadi_chunk_array(c, 1, s);
        assert_int_equal(a.shape[0], (begin + s) % 5);
        for (int64_t i = 0; i < a.shape[0]; i++) {
            assert_int_equal(((int16_t *)a.column[0])[i], begin + s);
        }
        assert_int_equal(pair.shape[0], 2);
        assert_true(((double *)pair.column[0])[1] == -(double)(begin + s));
    }
}

static void built_elements_are_read_back(void **state) {
    (void)state;
    counter count = {0};
    wadi_buffers *buffers = make_buffers(&count, 1 << 20);
    wadi_chunk *c = make_chunk(buffers, 123);
    assert_int_equal(c->component[0].layout, WADI_LAYOUT_IRREGULAR);
    assert_int_equal(c->component[1].layout, WADI_LAYOUT_REGULAR);
    assert_int_equal((uintptr_t)c->component[0].column[0] % WADI_ALIGN, 0);
    assert_int_equal((uintptr_t)c->component[1].column[0] % WADI_ALIGN, 0);
    check_elements(c, 0);
    wadi_chunk_release(c);
    wadi_buffers_release(buffers);
    assert_int_equal(count.out, 0);
}

static void a_view_holds_its_parent(void **state) {
    (void)state;
    counter count = {0};
    wadi_buffers *buffers = make_buffers(&count, 1 << 20);
    wadi_chunk *c = make_chunk(buffers, 50);
    wadi_chunk *view = NULL, *inner = NULL;
    assert_int_equal(wadi_chunk_slice(c, 10, 30, &view, NULL), WADI_OK);
    assert_int_equal(wadi_chunk_slice(view, 7, 11, &inner, NULL), WADI_OK);
    wadi_chunk_release(c);
    wadi_chunk_release(view);
    assert_int_equal(inner->first, 117);
    assert_int_equal(inner->component[0].offsets[0], 0);
    check_elements(inner, 17);
    wadi_chunk_release(inner);
    wadi_buffers_release(buffers);
    assert_int_equal(count.out, 0);
}

static void the_steady_state_allocates_nothing(void **state) {
    (void)state;
    counter count = {0};
    wadi_buffers *buffers = make_buffers(&count, 1 << 20);
    for (int i = 0; i < 3; i++) wadi_chunk_release(make_chunk(buffers, 90 + i));
    const int64_t warm = count.taken;
    for (int i = 0; i < 50; i++) wadi_chunk_release(make_chunk(buffers, 85 + i % 7));
    assert_int_equal(count.taken, warm);
    wadi_buffers_release(buffers);
    assert_int_equal(count.out, 0);
}

static void what_waits_is_bounded(void **state) {
    (void)state;
    counter count = {0};
    wadi_buffers *buffers = make_buffers(&count, 4096);
    void *block[8];
    for (int i = 0; i < 8; i++) block[i] = wadi_buffers_get(buffers, 1000);
    assert_true(wadi_buffers_used(buffers) >= 8000);
    const int64_t peak = wadi_buffers_peak(buffers);
    for (int i = 0; i < 8; i++) wadi_buffers_put(block[i]);
    assert_int_equal(wadi_buffers_used(buffers), 0);
    assert_int_equal(wadi_buffers_peak(buffers), peak);
    assert_true(count.out <= 4);
    wadi_buffers_release(buffers);
    assert_int_equal(count.out, 0);
}

/* Shapes, offsets and a column for each field, of every component. */
static void the_widest_chunk_owns_all_its_blocks(void **state) {
    (void)state;
    for (int components = 0; components <= WADI_MAX_PARTS; components += WADI_MAX_PARTS / 4) {
        counter heap = {0};
        wadi_buffers *b = make_buffers(&heap, 0);
        wadi_chunk *c = NULL;
        assert_int_equal(wadi_chunk_create(b, components, &c, NULL), WADI_OK);
        for (int i = 0; i < components; i++) {
            wadi_chunk_component *k = &c->component[i];
            k->rank = WADI_MAX_RANK;
            k->shapes = memset(wadi_chunk_alloc(c, 64), i, 64);
            k->offsets = memset(wadi_chunk_alloc(c, 64), i, 64);
            for (int f = 0; f < WADI_MAX_FIELDS; f++)
                k->column[f] = memset(wadi_chunk_alloc(c, 64), i, 64);
        }
        for (int i = 0; i < components; i++) {
            assert_int_equal(c->component[i].rank, WADI_MAX_RANK);
            assert_int_equal(*(unsigned char *)c->component[i].column[WADI_MAX_FIELDS - 1], i);
        }
        wadi_chunk_release(c);
        assert_int_equal(wadi_buffers_used(b), 0);
        wadi_buffers_release(b);
        assert_int_equal(heap.out, 0);
    }
}

static void running_out_of_memory_is_an_error(void **state) {
    (void)state;
    counter count = {0};
    const wadi_part part = wadi_part_irregular(WADI_I64, 1);
    const int64_t shape = 100000;
    wadi_buffers *buffers = make_buffers(&count, 1 << 20);
    wadi_builder b;
    wadi_array a;
    wadi_error err;
    assert_int_equal(wadi_builder_init(&b, buffers, 1, &part, INT64_MAX, NULL), WADI_OK);
    count.empty = true;
    assert_int_equal(wadi_builder_array(&b, 0, &shape, &a, &err), WADI_MEMORY);
    wadi_builder_fini(&b);
    assert_null(wadi_buffers_get(buffers, INT64_MAX));
    wadi_chunk *c = NULL;
    assert_int_equal(wadi_chunk_create(buffers, 1, &c, &err), WADI_MEMORY);
    wadi_buffers_release(buffers);
    assert_int_equal(count.out, 0);
}

static void the_builder_refuses_what_does_not_fit(void **state) {
    (void)state;
    counter count = {0};
    const int64_t three = 3, four = 4, negative = -1;
    const wadi_part parts[] = {wadi_part_fixed(WADI_I32, 1, &three),
                               wadi_part_irregular(WADI_I8, 1)};
    wadi_buffers *buffers = make_buffers(&count, 1 << 20);
    wadi_builder b;
    wadi_array a;
    wadi_error err;
    assert_int_equal(wadi_builder_init(&b, buffers, 2, parts, INT64_MAX, NULL), WADI_OK);
    assert_int_equal(wadi_builder_array(&b, 0, &four, &a, &err), WADI_SHAPE);
    assert_string_equal(err.msg, "part 0: extent 0 is 4, but the source declares it to be 3");
    assert_int_equal(wadi_builder_array(&b, 1, &negative, &a, &err), WADI_SHAPE);
    assert_int_equal(wadi_builder_array(&b, 2, &three, &a, &err), WADI_INVALID);
    assert_int_equal(wadi_builder_array(&b, 0, &three, &a, &err), WADI_OK);
    assert_int_equal(wadi_builder_array(&b, 0, &three, &a, &err), WADI_INVALID);
    assert_int_equal(wadi_builder_next(&b, &err), WADI_INVALID);
    assert_string_equal(err.msg, "part 1 of an element is missing");
    wadi_builder_fini(&b);
    wadi_buffers_release(buffers);
    assert_int_equal(count.out, 0);
}

static void shapes_that_cannot_be_counted_are_refused(void **state) {
    (void)state;
    const int64_t large[] = {INT64_MAX / 2, 4}, one[] = {1, 7, 1};
    assert_int_equal(wadi_shape_values(2, large), -1);
    assert_int_equal(wadi_shape_values(3, one), 7);
    assert_int_equal(wadi_shape_values(0, NULL), 1);
    assert_int_equal(wadi_shape_values(2, (const int64_t[]){0, 5}), 0);
    const int64_t limit = INT64_C(1) << 44;
    assert_int_equal(wadi_shape_values(2, (const int64_t[]){0, limit - 1}), 0);
    assert_int_equal(wadi_shape_values(2, (const int64_t[]){0, limit}), -1);
    assert_int_equal(wadi_shape_values(2, (const int64_t[]){limit, 0}), -1);
    assert_int_equal(wadi_shape_values(3, (const int64_t[]){0, INT64_MAX, 1}), -1);
}

/* As many elements of a fixed shape as fit, but one in any case: none would be the end of the stream. */
static void at_least_one_element_fits(void **state) {
    (void)state;
    static const struct {
        int64_t extent, most_bytes, asked, fit;
    } cases[] = {{2, 100, 4, 4},   {2, 100, 6, 6},     {2, 100, 7, 6},   {2, 96, 1000, 6},
                 {2, 95, 1000, 5}, {2, 16, 9, 1},      {2, 15, 9, 1},    {2, 1, 9, 1},
                 {2, 0, 1, 1},     {0, 1, 1000, 1000}, {1000, 64, 50, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        counter count = {0};
        wadi_buffers *buffers = make_buffers(&count, 1 << 20);
        const wadi_part part = wadi_part_fixed(WADI_F64, 1, &cases[i].extent);
        wadi_builder b;
        assert_int_equal(wadi_builder_init(&b, buffers, 1, &part, cases[i].most_bytes, NULL),
                         WADI_OK);
        assert_int_equal(wadi_builder_fit(&b, cases[i].asked), cases[i].fit);
        wadi_builder_fini(&b);
        wadi_buffers_release(buffers);
    }
}

/* Where elements of one shape begin, and where the last one ends, side by side or overlapping, for a body that takes any shapes. */
static void regular_elements_are_described_as_they_lie(void **state) {
    (void)state;
    static const int64_t strides[] = {0, 4, 2, 1};
    const wadi_plan_slot slot = {
        .name = "x", .kind = WADI_SLOT_IRREGULAR, .rank = 1, .fields = 1, .type = {WADI_I64}};
    const wadi_plan plan = {.nslots = 1, .slots = &slot};
    int64_t values[12];
    for (int i = 0; i < 4; i++) {
        counter count = {0};
        wadi_buffers *buffers = make_buffers(&count, 0);
        wadi_slots s;
        int64_t bad = 0;
        const int64_t stride = strides[i] == 0 ? 4 : strides[i];
        const wadi_chunk_component c = {.layout = WADI_LAYOUT_REGULAR,
                                        .rank = 1,
                                        .fields = 1,
                                        .type = {WADI_I64},
                                        .shape = {4},
                                        .stride = strides[i],
                                        .values = 2 * stride + 4,
                                        .column = {values}};
        assert_int_equal(wadi_slots_init(&s, &plan, buffers, NULL, NULL), WADI_OK);
        assert_int_equal(wadi_slots_bind_component(&s, 0, &c, 3, &bad, NULL), WADI_OK);
        for (int64_t k = 0; k < 3; k++) {
            assert_int_equal(s.slot[0].offset[k], k * stride);
            assert_int_equal(s.slot[0].shape[k], 4);
        }
        assert_int_equal(s.slot[0].offset[3], c.values);
        wadi_slots_fini(&s);
        assert_int_equal(wadi_buffers_used(buffers), 0);
        wadi_buffers_release(buffers);
        assert_int_equal(count.out, 0);
    }
}

/* A change makes other columns of a component that it has on the host; what a device has of the old ones is none of it. */
static void what_the_host_may_change_is_not_ahead(void **state) {
    (void)state;
    wadi_buffers *buffers = NULL;
    wadi_ahead ahead = {NULL, NULL};
    const int first = 0;
    wadi_chunk *part = NULL;
    assert_int_equal(wadi_buffers_create(NULL, 0, &buffers, NULL), WADI_OK);
    wadi_chunk *c = make_chunk(buffers, 3);
    c->component[0].ahead = &ahead;
    assert_int_equal(wadi_chunk_select(c, 1, &first, &part, NULL), WADI_OK);
    assert_ptr_equal(part->component[0].ahead, &ahead);
    assert_int_equal(wadi_chunk_at_host(part, NULL), WADI_OK);
    assert_null(part->component[0].ahead);
    assert_ptr_equal(c->component[0].ahead, &ahead); /* the device may still read that */
    wadi_chunk_release(part);
    wadi_chunk_release(c);
    wadi_buffers_release(buffers);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_elements_are_read_back),
        cmocka_unit_test(a_view_holds_its_parent),
        cmocka_unit_test(the_steady_state_allocates_nothing),
        cmocka_unit_test(what_waits_is_bounded),
        cmocka_unit_test(the_widest_chunk_owns_all_its_blocks),
        cmocka_unit_test(running_out_of_memory_is_an_error),
        cmocka_unit_test(the_builder_refuses_what_does_not_fit),
        cmocka_unit_test(shapes_that_cannot_be_counted_are_refused),
        cmocka_unit_test(at_least_one_element_fits),
        cmocka_unit_test(regular_elements_are_described_as_they_lie),
        cmocka_unit_test(what_the_host_may_change_is_not_ahead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
