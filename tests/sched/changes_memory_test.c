/* Changes on a heap that refuses one request: whichever it is, the change fails with a reason, earlier results are as they would
 * have been, and all memory is given back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/builder.h"
#include "sched/change/change.h"

/* A heap that gives so many blocks more. */
typedef struct heap {
    int64_t out, left;
} heap;

static void *take(void *self, size_t bytes) {
    heap *h = self;
    if (h->left == 0) return NULL;
    h->left--;
    h->out++;
    return aligned_alloc(WADI_ALIGN, bytes);
}

static void give(void *self, void *memory, size_t bytes) {
    (void)bytes;
    ((heap *)self)->out--;
    free(memory);
}

enum { PARTS = 2, MOST = 200 };

/* n elements of two arrays: i64[s % 3 + 1] of ragged shape and f32[2], or both of one shape; for FILTER a test behind them. */
static wadi_chunk *chunk_of(wadi_buffers *b, int64_t first, int64_t n, bool ragged, bool test) {
    static const int64_t two = 2;
    const wadi_part parts[] = {
        ragged ? wadi_part_irregular(WADI_I64, 1) : wadi_part_fixed(WADI_I64, 1, &two),
        ragged ? wadi_part_irregular(WADI_F32, 1) : wadi_part_fixed(WADI_F32, 1, &two)};
    wadi_builder builder;
    wadi_chunk *c = NULL;
    assert_int_equal(wadi_builder_init(&builder, b, PARTS, parts, INT64_MAX, NULL), WADI_OK);
    for (int64_t s = first; s < first + n; s++) {
        const int64_t shape = ragged ? s % 3 + 1 : 2;
        wadi_array a[PARTS];
        for (int p = 0; p < PARTS; p++)
            assert_int_equal(wadi_builder_array(&builder, p, &shape, &a[p], NULL), WADI_OK);
        for (int64_t i = 0; i < shape; i++) {
            ((int64_t *)a[0].column[0])[i] = 10 * s + i;
            ((float *)a[1].column[0])[i] = (float)(10 * s + i);
        }
        assert_int_equal(wadi_builder_next(&builder, NULL), WADI_OK);
    }
    assert_int_equal(wadi_chunk_create(b, PARTS + test, &c, NULL), WADI_OK);
    c->first = first;
    c->count = n;
    wadi_builder_finish(&builder, c, 0, n);
    wadi_builder_fini(&builder);
    if (!test) return c;
    uint8_t *truth = wadi_chunk_alloc(c, n);
    for (int64_t s = 0; s < n; s++) truth[s] = (first + s) % 3 != 1;
    c->component[PARTS] = (wadi_chunk_component){.layout = WADI_LAYOUT_REGULAR,
                                                 .fields = 1,
                                                 .type = {WADI_BOOL},
                                                 .values = n,
                                                 .column = {truth}};
    return c;
}

/* What has come out, value by value with the extents before them. */
typedef struct seen {
    int64_t n;
    int64_t at[MOST];
} seen;

static void note(seen *s, int64_t x) {
    assert_true(s->n < MOST);
    s->at[s->n++] = x;
}

static void take_all(wadi_change *c, seen *out) {
    for (;;) {
        wadi_chunk *got = NULL;
        assert_int_equal(wadi_change_next(c, 1000, &got, NULL), WADI_OK);
        if (got == NULL) return;
        for (int64_t s = 0; s < got->count; s++) {
            for (int p = 0; p < got->components; p++) {
                const wadi_array a = wadi_chunk_array(got, p, s);
                const int64_t n = wadi_shape_values(a.rank, a.shape);
                for (int d = 0; d < a.rank; d++) note(out, a.shape[d]);
                for (int64_t i = 0; i < n; i++)
                    note(out,
                         p == 0 ? ((int64_t *)a.column[0])[i] : (int64_t)((float *)a.column[0])[i]);
            }
        }
        wadi_chunk_release(got);
    }
}

/* A way to change a stream of three chunks. */
typedef struct way {
    wadi_change_kind kind;
    int64_t size, hop;
    wadi_last_window last;
    bool ragged;
    const char *op;
} way;

/* The chunks of the stream, put while the heap gives only `left` blocks; what comes out goes to *out. False: it did refuse. */
static bool try(const way *w, int64_t left, seen *out) {
    heap h = {.left = INT64_MAX};
    const wadi_memory memory = {.take = take, .give = give, .self = &h};
    const wadi_plan_place place = {w->op, NULL, {"m.c", 4}};
    wadi_buffers *b = NULL;
    wadi_change *c = NULL;
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(wadi_buffers_create(&memory, 0, &b, NULL), WADI_OK);
    const wadi_change_options o = {.kind = w->kind,
                                   .inputs = 1,
                                   .size = w->size,
                                   .hop = w->hop,
                                   .last = w->last,
                                   .places = 1,
                                   .table = &place,
                                   .buffers = b};
    assert_int_equal(wadi_change_create(&o, &c, NULL), WADI_OK);
    static const int64_t cuts[] = {0, 4, 5, 9};
    wadi_status status = WADI_OK;
    for (int i = 0; i < 3 && status == WADI_OK; i++) {
        wadi_chunk *chunk =
            chunk_of(b, cuts[i], cuts[i + 1] - cuts[i], w->ragged, w->kind == WADI_CHANGE_FILTER);
        h.left = left;
        status = wadi_change_put(c, 0, chunk, &err);
        left = h.left;
        h.left = INT64_MAX;
        wadi_chunk_release(chunk);
    }
    h.left = left;
    if (status == WADI_OK) status = wadi_change_end(c, 0, &err);
    h.left = INT64_MAX;
    if (status != WADI_OK) {
        const size_t length = strlen(err.msg);
        assert_int_equal(status, WADI_MEMORY);
        assert_int_equal(err.status, WADI_MEMORY);
        assert_true(length > 15 && strcmp(err.msg + length - 15, ": out of memory") == 0);
        /* whose it is: the program's operator, or a chunk */
        assert_true(strncmp(err.msg, w->op, strlen(w->op)) == 0 ||
                    strstr(err.msg, "chunk") != NULL);
    }
    take_all(c, out);
    wadi_change_destroy(c);
    assert_int_equal(wadi_buffers_used(b), 0);
    wadi_buffers_release(b);
    assert_int_equal(h.out, 0);
    return status == WADI_OK;
}

static const way ways[] = {
    {WADI_CHANGE_TAKE, 6, 0, 0, true, "take_seq"},
    {WADI_CHANGE_DROP, 2, 0, 0, true, "drop_seq"},
    {WADI_CHANGE_FILTER, 0, 0, 0, true, "filter_seq"},
    {WADI_CHANGE_FILTER, 0, 0, 0, false, "filter_seq"},
    {WADI_CHANGE_EXPAND, 0, 0, 0, true, "expand_seq"},
    {WADI_CHANGE_EXPAND, 0, 0, 0, false, "expand_seq"},
    {WADI_CHANGE_BATCH, 2, 0, 0, false, "batch"},
    {WADI_CHANGE_BATCH, 3, 0, 0, false, "batch"},
    {WADI_CHANGE_WINDOWS, 3, 2, WADI_LAST_WINDOW_PAD, true, "windows"},
    {WADI_CHANGE_WINDOWS, 4, 4, WADI_LAST_WINDOW_KEEP, false, "windows"},
    {WADI_CHANGE_WINDOWS, 2, 5, WADI_LAST_WINDOW_DROP, true, "windows"},
    {WADI_CHANGE_ZIP, 0, 0, 0, true, "zip"},
};

static void whatever_is_refused_nothing_is_lost(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        seen all = {.n = 0};
        assert_true(try(&ways[i], INT64_MAX, &all));
        assert_true(all.n > 0);
        bool whole = false;
        int64_t left = 0;
        for (; !whole; left++) {
            seen some = {.n = 0};
            whole = try(&ways[i], left, &some);
            assert_true(some.n <= all.n && (!whole || some.n == all.n));
            for (int64_t k = 0; k < some.n; k++) assert_int_equal(some.at[k], all.at[k]);
        }
        assert_true(left > 2); /* there was something to refuse */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_is_refused_nothing_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
