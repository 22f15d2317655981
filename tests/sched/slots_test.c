/* The slot table: who owns which memory after each operation on a slot, on a heap that may refuse. Sanitizers find blocks that are
 * used after they were given back; the pool knows blocks that never were. */
#include "sched/slots.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A heap that gives so many blocks more. */
typedef struct heap {
    int64_t out, left;
} heap;

static heap the_heap;

static void *take(void *self, size_t bytes) {
    heap *h = self;
    if (h->left == 0) return NULL;
    h->left--;
    h->out++;
    void *memory = aligned_alloc(WADI_ALIGN, bytes);
    if (memory != NULL) memset(memory, 0x5a, bytes);
    return memory;
}

static void give(void *self, void *memory, size_t bytes) {
    memset(memory, 0xa5, bytes); /* who reads it now reads nonsense */
    ((heap *)self)->out--;
    free(memory);
}

/* Slots: two ONCE matrices of records (the first with host data), a REGULAR and an IRREGULAR vector, a ONCE number. */
enum { FIRST, SECOND, ROWS, RAGGED, NUMBER, SLOTS };

static int32_t ints[6] = {1, 2, 3, 4, 5, 6};
static double doubles[6] = {0.5, 1.5, 2.5, 3.5, 4.5, 5.5};
static const wadi_array matrix = {.rank = 2,
                                  .fields = 2,
                                  .type = {WADI_I32, WADI_F64},
                                  .shape = {2, 3},
                                  .column = {ints, doubles}};
static const wadi_plan_slot slots[SLOTS] = {
    {.name = "first", .rank = 2, .fields = 2, .type = {WADI_I32, WADI_F64}, .data = &matrix},
    {.name = "second", .rank = 2, .fields = 2, .type = {WADI_I32, WADI_F64}},
    {.name = "rows", .kind = WADI_SLOT_REGULAR, .rank = 1, .fields = 1, .type = {WADI_I64}},
    {.name = "ragged",
     .kind = WADI_SLOT_IRREGULAR,
     .rank = 1,
     .fields = 2,
     .type = {WADI_U8, WADI_F64}},
    {.name = "number", .fields = 1, .type = {WADI_I64}}};
static const wadi_plan plan = {.nslots = SLOTS, .slots = slots};

static wadi_buffers *pool;
static wadi_slots table;

static int setup(void **state) {
    const wadi_memory memory = {.take = take, .give = give, .self = &the_heap};
    (void)state;
    the_heap = (heap){.left = INT64_MAX};
    if (wadi_buffers_create(&memory, 0, &pool, NULL) != WADI_OK) return -1;
    return wadi_slots_init(&table, &plan, pool, NULL, NULL) == WADI_OK ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    wadi_slots_fini(&table);
    wadi_slots_fini(&table); /* once more is harmless */
    assert_int_equal(wadi_buffers_used(pool), 0);
    wadi_buffers_release(pool);
    assert_int_equal(the_heap.out, 0);
    return 0;
}

static void assert_matrix(const wadi_slot *s) {
    assert_int_equal(s->shape[0], 2);
    assert_int_equal(s->shape[1], 3);
    assert_memory_equal(s->col[0], ints, sizeof ints);
    assert_memory_equal(s->col[1], doubles, sizeof doubles);
}

static void host_data_is_bound_from_the_start(void **state) {
    (void)state;
    assert_matrix(&table.slot[FIRST]);
    assert_ptr_equal(table.slot[FIRST].col[0], ints); /* borrowed */
    assert_ptr_equal(table.slot[FIRST].col[1], doubles);
    assert_ptr_not_equal(table.slot[FIRST].shape, matrix.shape);
    const wadi_array a = wadi_slots_array(&table, FIRST);
    assert_int_equal(a.rank, 2);
    assert_int_equal(a.fields, 2);
    assert_int_equal(a.type[0], WADI_I32);
    assert_int_equal(a.type[1], WADI_F64);
    assert_int_equal(a.shape[1], 3);
    assert_ptr_equal(a.column[1], doubles);
    assert_int_equal(wadi_slots_count(&table), SLOTS);
}

/* A copy has memory of its own; whichever block is refused, there is none and nothing is lost. */
static void copies_stand_alone(void **state) {
    (void)state;
    bool copied = false;
    for (int64_t left = 0; !copied; left++) {
        wadi_slot slot;
        wadi_slot_memory memory;
        const int64_t out = the_heap.out;
        the_heap.left = left;
        copied = wadi_slots_copy(&table, FIRST, &slot, &memory);
        the_heap.left = INT64_MAX;
        assert_int_equal(the_heap.out - out, copied ? 3 : 0);
        if (!copied) continue;
        assert_int_equal(left, 3); /* the shape and two columns */
        assert_matrix(&slot);
        assert_ptr_not_equal(slot.col[0], ints);
        assert_ptr_not_equal(slot.col[1], doubles);
        wadi_slots_give(&table, SECOND, &slot, &memory);
        assert_matrix(&table.slot[SECOND]);
        assert_ptr_equal(table.slot[SECOND].col[1], slot.col[1]);
        static const wadi_slot no_slot;
        static const wadi_slot_memory no_memory;
        wadi_slots_give(&table, SECOND, &no_slot, &no_memory);
        assert_int_equal(the_heap.out, out); /* what it owned has gone back */
    }
    assert_matrix(&table.slot[FIRST]);
}

/* What a slot owns is taken from it, but for its shape; what it borrows is copied. */
static void columns_are_taken_over_or_copied(void **state) {
    (void)state;
    wadi_slot slot;
    wadi_slot_memory memory;
    assert_true(wadi_slots_take_over(&table, FIRST, &slot, &memory));
    assert_matrix(&slot);
    assert_ptr_not_equal(slot.col[0], ints);
    assert_ptr_equal(table.slot[FIRST].col[0], ints);
    wadi_slots_give(&table, SECOND, &slot, &memory);
    void *const owned[] = {table.slot[SECOND].col[0], table.slot[SECOND].col[1]};
    const int64_t out = the_heap.out;
    the_heap.left = 0;
    assert_false(wadi_slots_take_over(&table, SECOND, &slot, &memory));
    the_heap.left = INT64_MAX;
    assert_matrix(&table.slot[SECOND]); /* as it was */
    assert_true(wadi_slots_take_over(&table, SECOND, &slot, &memory));
    assert_int_equal(the_heap.out, out + 1); /* the shape is there twice */
    assert_matrix(&slot);
    assert_ptr_equal(slot.col[0], owned[0]);
    assert_ptr_equal(slot.col[1], owned[1]);
    assert_null(table.slot[SECOND].col[0]);
    assert_null(table.slot[SECOND].col[1]);
    assert_int_equal(table.slot[SECOND].shape[1], 3);
    wadi_slots_clear(&table, SECOND);
    assert_matrix(&slot);
    wadi_slots_give(&table, SECOND, &slot, &memory);
    assert_matrix(&table.slot[SECOND]);
    table.memory[SECOND].column[0] =
        NULL; /* one of two columns is somebody else's: both are copied */
    assert_true(wadi_slots_take_over(&table, SECOND, &slot, &memory));
    assert_ptr_not_equal(slot.col[1], owned[1]);
    assert_matrix(&slot);
    wadi_slots_give(&table, FIRST, &slot, &memory);
    table.memory[SECOND].column[0] = owned[0];
}

static void what_moves_leaves_nothing_and_what_is_shared_stays(void **state) {
    (void)state;
    wadi_slot slot;
    wadi_slot_memory memory;
    assert_true(wadi_slots_copy(&table, FIRST, &slot, &memory));
    wadi_slots_give(&table, SECOND, &slot, &memory);
    const int64_t out = the_heap.out;
    wadi_slots_alias(&table, SECOND, FIRST); /* which had a shape of its own */
    assert_int_equal(the_heap.out, out - 1);
    assert_ptr_equal(table.slot[FIRST].col[1], slot.col[1]);
    wadi_slots_clear(&table, FIRST);
    assert_int_equal(the_heap.out, out - 1);
    assert_matrix(&table.slot[SECOND]);
    wadi_slots_move(&table, SECOND, FIRST);
    assert_matrix(&table.slot[FIRST]);
    assert_null(table.slot[SECOND].shape);
    assert_null(table.slot[SECOND].col[0]);
    assert_null(table.memory[SECOND].shape);
    assert_int_equal(the_heap.out, out - 1);
    wadi_slots_clear(&table, FIRST);
    assert_int_equal(the_heap.out, out - 4);
}

/* Room for so many elements and values; room that is there is kept, columns are made anew. */
static void room_is_as_large_as_it_is_asked_for(void **state) {
    (void)state;
    assert_true(wadi_slots_room_for_shapes(&table, ROWS, 100));
    assert_int_equal(wadi_buffers_capacity(table.memory[ROWS].shape), 128); /* one of 8 bytes */
    assert_true(wadi_slots_room_for_shapes(&table, RAGGED, 100));
    assert_int_equal(wadi_buffers_capacity(table.memory[RAGGED].shape), 832); /* of 800 */
    assert_true(wadi_slots_room_for_offsets(&table, RAGGED, 48));
    assert_int_equal(wadi_buffers_capacity(table.memory[RAGGED].offset), 448); /* of 392 */
    void *const shape = table.slot[RAGGED].shape, *const offset = table.slot[RAGGED].offset;
    assert_true(wadi_slots_room_for_shapes(&table, RAGGED, 5));
    assert_true(wadi_slots_room_for_offsets(&table, RAGGED, 5));
    assert_ptr_equal(table.slot[RAGGED].shape, shape);
    assert_ptr_equal(table.slot[RAGGED].offset, offset);
    for (int64_t values = 200; values < 2000; values += 700) {
        assert_true(wadi_slots_room_for_columns(&table, RAGGED, values));
        assert_int_equal(wadi_slots_chunk_bytes(&table),
                         128 + 832 + 448 + wadi_buffers_capacity(table.slot[RAGGED].col[0]) +
                             wadi_buffers_capacity(table.slot[RAGGED].col[1]));
        assert_true(wadi_buffers_capacity(table.slot[RAGGED].col[0]) >= values);
        assert_true(wadi_buffers_capacity(table.slot[RAGGED].col[1]) >= 8 * values);
        assert_ptr_equal(table.slot[RAGGED].col[1], table.memory[RAGGED].column[1]);
    }
    the_heap.left = 0;
    assert_false(wadi_slots_room_for_columns(&table, RAGGED, 10));
    wadi_slots_clear(&table, ROWS);
    assert_false(wadi_slots_room_for_shapes(&table, ROWS, 1));
    wadi_slots_clear(&table, RAGGED);
    assert_false(wadi_slots_room_for_offsets(&table, RAGGED, 1));
    assert_int_equal(wadi_slots_chunk_bytes(&table), 0); /* ONCE slots are no part of a chunk */
    the_heap.left = INT64_MAX;
}

/* ---- places ---- */

static int64_t asked_for;
static bool declines;
static double its_columns[2][16];

static bool place(void *env, int64_t values, void **out_column) {
    assert_ptr_equal(env, its_columns);
    asked_for = values;
    if (declines) return false;
    out_column[0] = its_columns[0];
    out_column[1] = its_columns[1];
    return true;
}

static void a_place_decides_where_columns_are(void **state) {
    (void)state;
    assert_true(wadi_slots_room_for_columns(&table, RAGGED, 10));
    const int64_t out = the_heap.out;
    table.place[RAGGED] = (wadi_slots_place){place, its_columns};
    assert_true(wadi_slots_room_for_columns(&table, RAGGED, 16));
    assert_int_equal(asked_for, 16);
    assert_int_equal(the_heap.out, out - 2); /* its own have gone back */
    assert_ptr_equal(table.slot[RAGGED].col[0], its_columns[0]);
    assert_ptr_equal(table.slot[RAGGED].col[1], its_columns[1]);
    assert_null(table.memory[RAGGED].column[1]);
    declines = true;
    assert_true(wadi_slots_room_for_columns(&table, RAGGED, 17));
    assert_int_equal(asked_for, 17);
    assert_ptr_not_equal(table.slot[RAGGED].col[0], its_columns[0]);
    assert_int_equal(the_heap.out, out);
    assert_true(wadi_slots_room_for_columns(&table, ROWS, 3)); /* of others it is not asked */
    assert_int_equal(asked_for, 17);
    declines = false;
}

/* ---- temporaries of a version ---- */

static void a_version_has_slots_of_its_own(void **state) {
    (void)state;
    const wadi_plan_slot own[] = {
        {.name = "t", .kind = WADI_SLOT_REGULAR, .rank = 1, .fields = 1, .type = {WADI_F64}},
        {.name = "constant",
         .rank = 2,
         .fields = 2,
         .type = {WADI_I32, WADI_F64},
         .data = &matrix}};
    const wadi_plan_version two = {.nslots = 2, .slots = own}, one = {.nslots = 1, .slots = own},
                            none = {.nslots = 0};
    for (int turn = 0; turn < 3; turn++) {
        assert_true(wadi_slots_extend(&table, &two));
        assert_int_equal(wadi_slots_count(&table), SLOTS + 2);
        assert_ptr_equal(wadi_slots_plan(&table, SLOTS), &own[0]);
        assert_ptr_equal(wadi_slots_plan(&table, SLOTS - 1), &slots[SLOTS - 1]);
        assert_null(table.slot[SLOTS].shape); /* empty at first */
        assert_matrix(&table.slot[SLOTS + 1]);
        assert_matrix(&table.slot[FIRST]);
        assert_true(wadi_slots_room_for_columns(&table, SLOTS, 40));
        assert_int_equal(wadi_slots_chunk_bytes(&table), 320);
        const int64_t out = the_heap.out;
        assert_true(wadi_slots_extend(&table, turn % 2 == 0 ? &none : &one));
        assert_int_equal(wadi_slots_count(&table), SLOTS + turn % 2);
        assert_int_equal(the_heap.out, out - 2); /* those of the version before have gone back */
        assert_int_equal(wadi_slots_chunk_bytes(&table), 0);
    }
    the_heap.left = 0; /* no memory for the constant's shape */
    assert_false(wadi_slots_extend(&table, &two));
    the_heap.left = INT64_MAX;
    assert_true(wadi_slots_extend(&table, &two));
    assert_true(wadi_slots_room_for_columns(&table, SLOTS, 4)); /* goes back with the table */
}

/* ---- to chunks ---- */

static void slots_become_components(void **state) {
    (void)state;
    wadi_chunk *c = NULL;
    const int64_t once_out = the_heap.out;
    assert_true(wadi_slots_room_for_shapes(&table, ROWS, 1));
    table.slot[ROWS].shape[0] = 5;
    assert_true(wadi_slots_room_for_columns(&table, ROWS, 15));
    assert_true(wadi_slots_room_for_shapes(&table, RAGGED, 3));
    assert_true(wadi_slots_room_for_offsets(&table, RAGGED, 3));
    for (int64_t i = 0; i < 3; i++) table.slot[RAGGED].shape[i] = i + 1;
    for (int64_t i = 0, at = 0; i < 4; at += ++i) table.slot[RAGGED].offset[i] = at;
    assert_true(wadi_slots_room_for_columns(&table, RAGGED, 6));
    const wadi_slot rows = table.slot[ROWS], ragged = table.slot[RAGGED];
    assert_int_equal(wadi_chunk_create(pool, 3, &c, NULL), WADI_OK);
    c->count = 3;
    wadi_slots_take(&table, ROWS, c, 0);
    wadi_slots_take(&table, RAGGED, c, 1);
    wadi_slots_take(&table, FIRST, c, 2);
    const wadi_chunk_component *k = c->component;
    assert_int_equal(k[0].layout, WADI_LAYOUT_REGULAR);
    assert_int_equal(k[0].rank, 1);
    assert_int_equal(k[0].shape[0], 5);
    assert_int_equal(k[0].values, 15);
    assert_int_equal(k[0].type[0], WADI_I64);
    assert_ptr_equal(k[0].column[0], rows.col[0]);
    assert_int_equal(k[1].layout, WADI_LAYOUT_IRREGULAR);
    assert_int_equal(k[1].fields, 2);
    assert_int_equal(k[1].values, 6);
    assert_ptr_equal(k[1].shapes, ragged.shape);
    assert_ptr_equal(k[1].offsets, ragged.offset);
    assert_ptr_equal(k[1].column[1], ragged.col[1]);
    assert_int_equal(k[2].layout, WADI_LAYOUT_AVOID);
    assert_int_equal(k[2].values, 6);
    assert_int_equal(k[2].shape[1], 3);
    assert_ptr_equal(k[2].column[1], doubles);
    wadi_slots_clear(&table, ROWS);
    wadi_slots_clear(&table, RAGGED);
    ((int64_t *)k[0].column[0])[14] = 1; /* it is the chunk's now */
    wadi_chunk_release(c);
    assert_int_equal(the_heap.out, once_out);
    assert_matrix(&table.slot[FIRST]); /* the run's, as before */
}

/* An irregular component where all must be alike: the first that is not. */
static void regular_slots_take_elements_of_one_shape(void **state) {
    (void)state;
    static int64_t column[40];
    for (int64_t bad = 1; bad <= 4; bad++) {
        int64_t shapes[] = {3, 3, 3, 3}, offsets[] = {0, 3, 6, 9, 12}, found = -1;
        wadi_error err = {.status = WADI_OK};
        const wadi_chunk_component c = {.layout = WADI_LAYOUT_IRREGULAR,
                                        .rank = 1,
                                        .fields = 1,
                                        .type = {WADI_I64},
                                        .shapes = shapes,
                                        .offsets = offsets,
                                        .values = 12,
                                        .column = {column}};
        if (bad < 4) shapes[bad] = 4;
        assert_int_equal(wadi_slots_bind_component(&table, ROWS, &c, 4, &found, &err),
                         bad < 4 ? WADI_SHAPE : WADI_OK);
        assert_int_equal(found, bad);
        if (bad < 4)
            assert_string_equal(err.msg,
                                "rows: its shape differs from that of the elements before");
        if (bad < 4) continue;
        assert_int_equal(table.slot[ROWS].shape[0], 3);
        assert_int_equal(table.slot[ROWS].stride, 3);
        assert_ptr_equal(table.slot[ROWS].col[0], column);
        assert_int_equal(wadi_slots_bind_component(&table, RAGGED, &c, 4, &found, &err), WADI_OK);
        assert_ptr_equal(table.slot[RAGGED].shape, shapes);
        assert_ptr_equal(table.slot[RAGGED].offset, offsets);
    }
    wadi_chunk_component even = {.layout = WADI_LAYOUT_REGULAR,
                                 .rank = 1,
                                 .fields = 1,
                                 .type = {WADI_I64},
                                 .shape = {4},
                                 .stride = 2,
                                 .values = 10,
                                 .column = {column}};
    int64_t found = -1;
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(wadi_slots_bind_component(&table, ROWS, &even, 4, &found, NULL), WADI_OK);
    assert_int_equal(table.slot[ROWS].stride, 2);
    even.layout = WADI_LAYOUT_AVOID;
    assert_int_equal(wadi_slots_bind_component(&table, ROWS, &even, 4, &found, NULL), WADI_OK);
    assert_int_equal(table.slot[ROWS].stride, 0);
    for (int64_t left = 0; left < 2; left++) { /* shapes and offsets for what has none */
        the_heap.left = left;
        assert_int_equal(wadi_slots_bind_component(&table, RAGGED, &even, 4, &found, &err),
                         WADI_MEMORY);
        assert_string_equal(err.msg, "arrays of the running program: out of memory");
    }
    the_heap.left = 0;
    assert_int_equal(wadi_slots_bind_component(&table, ROWS, &even, 4, &found, &err), WADI_MEMORY);
    assert_int_equal(wadi_slots_bind_array(&table, SECOND, &matrix, &err), WADI_MEMORY);
    the_heap.left = INT64_MAX;
}

/* A table for which there is no memory is none. */
static void a_table_without_memory_is_refused(void **state) {
    (void)state;
    wadi_slots other;
    wadi_error err = {.status = WADI_OK};
    the_heap.left = 0; /* the shape of host data */
    assert_int_equal(wadi_slots_init(&other, &plan, pool, NULL, &err), WADI_MEMORY);
    assert_string_equal(err.msg, "arrays of the running program: out of memory");
    wadi_slots_fini(&other);
    the_heap.left = INT64_MAX;
}

/* A residence whose memory the host can reach; it counts what is copied to the host. */
static void copy_out(void *self, void *to, const void *from, int64_t bytes) {
    ++*(int *)self;
    memcpy(to, from, (size_t)bytes);
}

static void copy_in(void *self, void *to, const void *from, int64_t bytes) {
    (void)self;
    memcpy(to, from, (size_t)bytes);
}

/* Without memory for all columns none is fetched, so the next try fetches all. */
static void a_fetch_without_memory_can_be_tried_again(void **state) {
    (void)state;
    int copies = 0;
    wadi_slots other;
    wadi_traffic traffic = {0};
    wadi_residence r = {
        .put = copy_in, .get = copy_out, .copy = copy_in, .self = &copies, .traffic = &traffic};
    const wadi_memory memory = {.take = take, .give = give, .self = &the_heap};
    assert_int_equal(wadi_buffers_create(&memory, 0, &r.blocks, NULL), WADI_OK);
    assert_int_equal(wadi_slots_init(&other, &plan, pool, &r, NULL), WADI_OK);
    for (int blocks = 0; blocks < 2; blocks++) {
        const wadi_slot before = other.slot[FIRST];
        the_heap.left = blocks;
        assert_int_equal(wadi_slots_fetch(&other, FIRST, NULL), WADI_MEMORY);
        the_heap.left = INT64_MAX;
        assert_memory_equal(&other.slot[FIRST], &before, sizeof before);
        assert_int_equal(copies, 0);
    }
    assert_int_equal(wadi_slots_fetch(&other, FIRST, NULL), WADI_OK);
    assert_int_equal(copies, 2);
    assert_int_equal(wadi_buffers_used(r.blocks), 0);
    assert_matrix(&other.slot[FIRST]);
    assert_int_equal(wadi_slots_fetch(&other, FIRST, NULL), WADI_OK);
    assert_int_equal(copies, 2);
    wadi_slots_fini(&other);
    wadi_buffers_release(r.blocks);
}

#define WITH_TABLE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_TABLE(host_data_is_bound_from_the_start),
        WITH_TABLE(copies_stand_alone),
        WITH_TABLE(columns_are_taken_over_or_copied),
        WITH_TABLE(what_moves_leaves_nothing_and_what_is_shared_stays),
        WITH_TABLE(room_is_as_large_as_it_is_asked_for),
        WITH_TABLE(a_place_decides_where_columns_are),
        WITH_TABLE(a_version_has_slots_of_its_own),
        WITH_TABLE(slots_become_components),
        WITH_TABLE(regular_slots_take_elements_of_one_shape),
        WITH_TABLE(a_table_without_memory_is_refused),
        WITH_TABLE(a_fetch_without_memory_can_be_tried_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
