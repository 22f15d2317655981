/* Chunks built part by part, against a plain list of their arrays: shapes, types, where each array is stored, what is counted, and
 * what a builder refuses. */
#include "sched/builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PARTS = 3, ELEMENTS = 40 };

static uint64_t state;

static int64_t below(int64_t n) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((state >> 33) % (uint64_t)n);
}

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

static wadi_buffers *pool_on(heap *h) {
    const wadi_memory memory = {.take = take, .give = give, .self = h};
    wadi_buffers *b = NULL;
    *h = (heap){.left = INT64_MAX};
    assert_int_equal(wadi_buffers_create(&memory, 0, &b, NULL), WADI_OK);
    return b;
}

static void end(wadi_buffers *b, heap *h) {
    assert_int_equal(wadi_buffers_used(b), 0);
    wadi_buffers_release(b);
    assert_int_equal(h->out, 0);
}

/* ---- what an element is ---- */

static wadi_part random_part(void) {
    wadi_part p = {.rank = (int)below(4), .fields = 1 + (int)below(3), .fixed = below(2) == 0};
    for (int f = 0; f < p.fields; f++) p.type[f] = (wadi_type)below(WADI_TYPE_COUNT);
    for (int d = 0; d < p.rank && p.fixed; d++) p.shape[d] = below(4);
    return p;
}

/* The byte that belongs at place i of column f of part p of element e. */
static unsigned char byte_of(int64_t e, int p, int f, int64_t i) {
    return (unsigned char)(e * 31 + p * 7 + f * 3 + i);
}

static int64_t values_of(int rank, const int64_t *shape) {
    int64_t n = 1;
    for (int d = 0; d < rank; d++) n *= shape[d];
    return n;
}

typedef struct model {
    int parts;
    wadi_part part[PARTS];
    int64_t shape[ELEMENTS][PARTS][3];
} model;

static int64_t bytes_of(const model *m, int64_t e, int p) {
    int64_t each = 0;
    for (int f = 0; f < m->part[p].fields; f++) each += wadi_type_size(m->part[p].type[f]);
    return each * values_of(m->part[p].rank, m->shape[e][p]);
}

static void add_part(wadi_builder *b, model *m, int64_t e, int p) {
    const wadi_part *part = &m->part[p];
    wadi_array a;
    for (int d = 0; d < part->rank; d++)
        m->shape[e][p][d] = part->fixed ? part->shape[d] : below(4);
    const bool plain = part->fixed && below(2) == 0;
    assert_int_equal(wadi_builder_array(b, p, plain ? NULL : m->shape[e][p], &a, NULL), WADI_OK);
    assert_int_equal(a.rank, part->rank);
    assert_int_equal(a.fields, part->fields);
    for (int d = 0; d < a.rank; d++) assert_int_equal(a.shape[d], m->shape[e][p][d]);
    for (int f = 0; f < a.fields; f++) {
        assert_int_equal(a.type[f], part->type[f]);
        const int64_t n = values_of(a.rank, a.shape) * wadi_type_size(a.type[f]);
        for (int64_t i = 0; i < n; i++) ((unsigned char *)a.column[f])[i] = byte_of(e, p, f, i);
    }
}

static void check_chunk(const wadi_chunk *c, int component, const model *m, int64_t count) {
    for (int p = 0; p < m->parts; p++) {
        const wadi_part *part = &m->part[p];
        const wadi_chunk_component *k = &c->component[component + p];
        int64_t values = 0;
        assert_int_equal(k->layout, part->fixed ? WADI_LAYOUT_REGULAR : WADI_LAYOUT_IRREGULAR);
        for (int64_t e = 0; e < count; e++) {
            const wadi_array a = wadi_chunk_array(c, component + p, e);
            values += values_of(part->rank, m->shape[e][p]);
            assert_int_equal(a.rank, part->rank);
            assert_int_equal(a.fields, part->fields);
            for (int d = 0; d < a.rank; d++) assert_int_equal(a.shape[d], m->shape[e][p][d]);
            for (int f = 0; f < a.fields; f++) {
                assert_int_equal(a.type[f], part->type[f]);
                const int64_t n = values_of(a.rank, a.shape) * wadi_type_size(a.type[f]);
                for (int64_t i = 0; i < n; i++)
                    assert_int_equal(((unsigned char *)a.column[f])[i], byte_of(e, p, f, i));
            }
        }
        assert_int_equal(k->values, values);
        if (!part->fixed && count > 0) assert_int_equal(k->offsets[0], 0);
        if (!part->fixed && count > 0) assert_int_equal(k->offsets[count], values);
    }
}

/* ---- tests ---- */

/* Elements whose parts come in any order; the builder is used for several chunks, some of which leave out the last elements. */
static void what_is_put_in_is_in_the_chunk(void **unused) {
    (void)unused;
    for (int round = 0; round < 150; round++) {
        static model m;
        heap h;
        wadi_buffers *buffers = pool_on(&h);
        wadi_builder b;
        state = (uint64_t)round;
        m.parts = (int)below(PARTS + 1);
        for (int p = 0; p < m.parts; p++) m.part[p] = random_part();
        assert_int_equal(wadi_builder_init(&b, buffers, m.parts, m.part, INT64_MAX, NULL), WADI_OK);
        for (int chunk = 0; chunk < 3; chunk++) {
            const int64_t n = below(ELEMENTS), count = n - below(n + 1) * (chunk % 2);
            int64_t bytes = 0;
            wadi_chunk *c = NULL;
            assert_int_equal(b.count, 0);
            assert_int_equal(b.bytes, 0);
            for (int64_t e = 0; e < n; e++) {
                const int turn = (int)below(PARTS);
                assert_false(wadi_builder_open(&b));
                if (below(4) == 0) { /* begun, and given up */
                    for (int64_t i = below(m.parts + 1); i > 0; i--)
                        add_part(&b, &m, e, (int)i - 1);
                    wadi_builder_drop(&b);
                    assert_int_equal(b.bytes, bytes);
                    assert_false(wadi_builder_open(&b));
                }
                for (int i = 0; i < m.parts; i++) {
                    const int p = (i + turn) % m.parts;
                    add_part(&b, &m, e, p);
                    bytes += bytes_of(&m, e, p);
                    assert_int_equal(b.bytes, bytes);
                    assert_true(wadi_builder_open(&b));
                    assert_int_equal(b.count, e);
                }
                assert_int_equal(wadi_builder_next(&b, NULL), WADI_OK);
            }
            assert_int_equal(b.count, n);
            assert_int_equal(wadi_chunk_create(buffers, m.parts + 2, &c, NULL), WADI_OK);
            c->count = count;
            wadi_builder_finish(&b, c, 1, count);
            check_chunk(c, 1, &m, count);
            assert_int_equal(c->component[m.parts + 1].fields, 0);
            wadi_chunk_release(c);
        }
        wadi_builder_fini(&b);
        end(buffers, &h);
    }
}

/* Full from the byte on that reaches the limit, but never without an element. */
static void it_is_full_where_it_reaches_its_bytes(void **unused) {
    (void)unused;
    static const struct {
        int64_t most, full_at;
    } cases[] = {{1, 1}, {23, 1}, {24, 1}, {25, 2}, {48, 2}, {49, 3}, {0, 1}};
    const wadi_part parts[] = {wadi_part_irregular(WADI_I32, 1),
                               wadi_part_fixed(WADI_F64, 0, NULL)};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        heap h;
        wadi_buffers *buffers = pool_on(&h);
        wadi_builder b;
        assert_int_equal(wadi_builder_init(&b, buffers, 2, parts, cases[i].most, NULL), WADI_OK);
        for (int64_t e = 0; e < 4; e++) {
            const int64_t four = 4; /* elements of 24 bytes */
            wadi_array a;
            assert_int_equal(wadi_builder_full(&b), e >= cases[i].full_at);
            assert_int_equal(wadi_builder_array(&b, 0, &four, &a, NULL), WADI_OK);
            assert_int_equal(wadi_builder_array(&b, 1, NULL, &a, NULL), WADI_OK);
            if (e == 0) assert_false(wadi_builder_full(&b)); /* the element is not complete */
            assert_int_equal(wadi_builder_next(&b, NULL), WADI_OK);
        }
        wadi_builder_fini(&b);
        end(buffers, &h);
    }
}

/* Records of several arrays, filled at once or borrowed; of each as many as were kept. */
static void many_are_filled_at_once(void **unused) {
    (void)unused;
    const wadi_part parts[] = {
        {.rank = 1, .fields = 2, .type = {WADI_I16, WADI_F64}, .shape = {3}, .fixed = true},
        wadi_part_fixed(WADI_U8, 0, NULL)};
    for (int64_t kept = 0; kept <= 10; kept++) {
        heap h;
        wadi_buffers *buffers = pool_on(&h);
        wadi_builder b;
        wadi_array a[2];
        wadi_chunk *c = NULL;
        assert_int_equal(wadi_builder_init(&b, buffers, 2, parts, INT64_MAX, NULL), WADI_OK);
        assert_int_equal(wadi_builder_bulk(&b, 10, a, NULL), WADI_OK);
        for (int i = 0; i < 30; i++) {
            ((int16_t *)a[0].column[0])[i] = (int16_t)i;
            ((double *)a[0].column[1])[i] = -i;
            if (i < 10) ((uint8_t *)a[1].column[0])[i] = (uint8_t)(100 + i);
        }
        assert_int_equal(a[0].shape[0], 3);
        assert_int_equal(a[0].type[1], WADI_F64);
        assert_int_equal(a[1].rank, 0);
        wadi_builder_keep(&b, kept);
        assert_int_equal(b.count, kept);
        assert_int_equal(b.bytes, kept * (3 * (2 + 8) + 1));
        assert_false(wadi_builder_open(&b));
        assert_int_equal(wadi_chunk_create(buffers, 2, &c, NULL), WADI_OK);
        c->count = kept;
        wadi_builder_finish(&b, c, 0, kept);
        assert_int_equal(c->component[0].values, 3 * kept);
        assert_int_equal(c->component[1].values, kept);
        for (int64_t e = 0; e < kept; e++) {
            const wadi_array x = wadi_chunk_array(c, 0, e), y = wadi_chunk_array(c, 1, e);
            for (int64_t i = 0; i < 3; i++) {
                assert_int_equal(((int16_t *)x.column[0])[i], 3 * e + i);
                assert_true(((double *)x.column[1])[i] == (double)-(3 * e + i));
            }
            assert_int_equal(*(uint8_t *)y.column[0], 100 + e);
        }
        wadi_chunk_release(c);
        wadi_builder_fini(&b);
        end(buffers, &h);
    }
}

static void what_is_borrowed_stays_where_it_is(void **unused) {
    (void)unused;
    int32_t x[8];
    double y[8];
    void *const columns[] = {x, y};
    const wadi_part part = {
        .rank = 1, .fields = 2, .type = {WADI_I32, WADI_F64}, .shape = {2}, .fixed = true};
    heap h;
    wadi_buffers *buffers = pool_on(&h);
    wadi_builder b;
    wadi_chunk *c = NULL;
    assert_int_equal(wadi_builder_init(&b, buffers, 1, &part, INT64_MAX, NULL), WADI_OK);
    wadi_builder_borrow(&b, 4, columns);
    assert_int_equal(b.count, 4);
    assert_int_equal(b.bytes, 4 * 2 * (4 + 8));
    assert_int_equal(wadi_chunk_create(buffers, 1, &c, NULL), WADI_OK);
    c->count = 4;
    wadi_builder_finish(&b, c, 0, 4);
    assert_ptr_equal(c->component[0].column[0], x);
    assert_ptr_equal(c->component[0].column[1], y);
    assert_int_equal(c->component[0].values, 8);
    wadi_chunk_release(c);
    wadi_builder_fini(&b);
    end(buffers, &h);
}

static void assert_refused(wadi_builder *b, int part, const int64_t *shape, wadi_status status,
                           const char *said) {
    wadi_array a;
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(wadi_builder_array(b, part, shape, &a, &err), status);
    assert_string_equal(err.msg, said);
}

/* A refusal leaves the builder as it was. */
/* Elements of a chunk that are stored as they would be go into the next one as they are. */
static void a_chunk_is_adopted_where_it_fits(void **unused) {
    (void)unused;
    enum { N = 10 };
    const wadi_part part[] = {{.rank = 1, .fields = 1, .type = {WADI_I32}},
                              {.fields = 1, .type = {WADI_F64}, .fixed = true}},
                    other[] = {part[0], {.fields = 1, .type = {WADI_I64}, .fixed = true}};
    heap h;
    wadi_buffers *pool = pool_on(&h);
    wadi_builder from, to, wrong;
    wadi_chunk *chunk = NULL, *made = NULL;
    int64_t taken = -1;
    assert_int_equal(wadi_builder_init(&from, pool, 2, part, INT64_MAX, NULL), WADI_OK);
    assert_int_equal(wadi_builder_init(&to, pool, 2, part, 200, NULL), WADI_OK);
    assert_int_equal(wadi_builder_init(&wrong, pool, 2, other, INT64_MAX, NULL), WADI_OK);
    for (int64_t s = 0; s < N; s++) {
        const int64_t shape[] = {s + 1};
        wadi_array a;
        assert_int_equal(wadi_builder_array(&from, 0, shape, &a, NULL), WADI_OK);
        for (int64_t i = 0; i <= s; i++) ((int32_t *)a.column[0])[i] = (int32_t)(100 * s + i);
        assert_int_equal(wadi_builder_array(&from, 1, NULL, &a, NULL), WADI_OK);
        *(double *)a.column[0] = (double)s;
        assert_int_equal(wadi_builder_next(&from, NULL), WADI_OK);
    }
    assert_int_equal(wadi_chunk_create(pool, 2, &chunk, NULL), WADI_OK);
    chunk->count = N;
    wadi_builder_finish(&from, chunk, 0, N);
    assert_int_equal(wadi_builder_adopt(&wrong, chunk, 0, N, &taken, NULL), WADI_OK);
    assert_int_equal(taken, 0); /* another type */
    assert_int_equal(wadi_builder_adopt(&to, chunk, 0, N, &taken, NULL), WADI_OK);
    assert_int_equal(taken, 0); /* too many bytes */
    assert_int_equal(wadi_builder_adopt(&to, chunk, 4, 3, &taken, NULL), WADI_OK);
    assert_int_equal(taken, 3);
    assert_int_equal(to.count, 3);
    assert_int_equal(wadi_builder_adopt(&to, chunk, 0, 1, &taken, NULL), WADI_OK);
    assert_int_equal(taken, 0); /* it has some */
    wadi_builder_drop(&to);
    wadi_chunk_release(chunk); /* what is adopted stays */
    assert_int_equal(wadi_chunk_create(pool, 2, &made, NULL), WADI_OK);
    made->count = 3;
    wadi_builder_finish(&to, made, 0, 3);
    assert_int_equal(to.count, 0);
    for (int64_t s = 0; s < 3; s++) {
        const wadi_array a = wadi_chunk_array(made, 0, s), x = wadi_chunk_array(made, 1, s);
        assert_int_equal(a.shape[0], s + 5);
        for (int64_t i = 0; i < s + 5; i++)
            assert_int_equal(((const int32_t *)a.column[0])[i], 100 * (s + 4) + i);
        assert_true(*(const double *)x.column[0] == (double)(s + 4));
    }
    wadi_chunk_release(made);
    wadi_builder_fini(&from);
    wadi_builder_fini(&to);
    wadi_builder_fini(&wrong);
    end(pool, &h);
}

static void what_it_refuses_it_names(void **unused) {
    (void)unused;
    static const int64_t pair[] = {2, 5}, other[] = {2, 6}, negative[] = {3, -1}, good[] = {1, 2};
    static const int64_t huge[] = {INT64_MAX / 2, 64};
    const wadi_part parts[] = {wadi_part_fixed(WADI_I32, 2, pair), wadi_part_irregular(WADI_I8, 2),
                               wadi_part_irregular(WADI_F64, 0)};
    heap h;
    wadi_buffers *buffers = pool_on(&h);
    wadi_builder b;
    wadi_array a;
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(wadi_builder_init(&b, buffers, 3, parts, INT64_MAX, NULL), WADI_OK);
    for (int turn = 0; turn < 2; turn++) {
        assert_refused(&b, -1, good, WADI_INVALID, "part -1 of an element: there are 3");
        assert_refused(&b, 3, good, WADI_INVALID, "part 3 of an element: there are 3");
        assert_refused(&b, 0, other, WADI_SHAPE,
                       "part 0: extent 1 is 6, but the source declares it to be 5");
        assert_refused(&b, 0, good, WADI_SHAPE,
                       "part 0: extent 0 is 1, but the source declares it to be 2");
        assert_refused(&b, 1, NULL, WADI_SHAPE, "part 1 of an element needs a shape");
        assert_refused(&b, 1, negative, WADI_SHAPE, "part 1 of an element: bad shape");
        assert_refused(&b, 1, huge, WADI_SHAPE, "part 1 of an element: bad shape");
        assert_int_equal(wadi_builder_next(&b, &err), WADI_INVALID);
        assert_string_equal(err.msg, "part 0 of an element is missing");
        assert_int_equal(wadi_builder_array(&b, 0, NULL, &a, NULL), WADI_OK);
        assert_int_equal(wadi_builder_array(&b, 2, NULL, &a, NULL), WADI_OK);
        assert_refused(&b, 2, NULL, WADI_INVALID, "part 2 of an element is given twice");
        assert_int_equal(wadi_builder_next(&b, &err), WADI_INVALID);
        assert_string_equal(err.msg, "part 1 of an element is missing");
        assert_int_equal(wadi_builder_array(&b, 1, good, &a, NULL), WADI_OK);
        assert_int_equal(wadi_builder_next(&b, &err), WADI_OK);
        assert_int_equal(b.count, turn + 1);
        assert_int_equal(b.bytes, (turn + 1) * (2 * 5 * 4 + 2 + 8));
    }
    wadi_builder_fini(&b);
    const wadi_part vector = wadi_part_irregular(WADI_I8, 1);
    assert_int_equal(wadi_builder_init(&b, buffers, 1, &vector, INT64_MAX, NULL), WADI_OK);
    assert_refused(&b, 0, NULL, WADI_SHAPE, "part 0 of an element needs a shape");
    wadi_builder_fini(&b);
    end(buffers, &h);
}

/* Whichever block is refused, the element can be tried again. */
static void without_memory_it_is_as_it_was(void **unused) {
    (void)unused;
    static const int64_t shape[] = {20};
    const wadi_part part = {.rank = 1, .fields = 3, .type = {WADI_I8, WADI_I32, WADI_C128}};
    int refused = 0;
    for (int64_t left = 0; left == refused; left++) { /* until nothing is */
        heap h;
        wadi_buffers *buffers = pool_on(&h);
        wadi_builder b;
        wadi_array a;
        wadi_error err = {.status = WADI_OK};
        assert_int_equal(wadi_builder_init(&b, buffers, 1, &part, INT64_MAX, NULL), WADI_OK);
        h.left = left;
        for (int e = 0; e < 30; e++) {
            wadi_status status = wadi_builder_array(&b, 0, shape, &a, &err);
            if (status != WADI_OK) {
                h.left = INT64_MAX;
                refused++;
                assert_int_equal(status, WADI_MEMORY);
                assert_string_equal(err.msg, "building a chunk: out of memory");
                assert_false(wadi_builder_open(&b));
                status = wadi_builder_array(&b, 0, shape, &a, &err);
            }
            assert_int_equal(status, WADI_OK);
            for (int i = 0; i < 20; i++) ((int32_t *)a.column[1])[i] = 100 * e + i;
            assert_int_equal(wadi_builder_next(&b, NULL), WADI_OK);
        }
        wadi_chunk *c = NULL;
        h.left = INT64_MAX;
        assert_int_equal(wadi_chunk_create(buffers, 1, &c, NULL), WADI_OK);
        c->count = 30;
        wadi_builder_finish(&b, c, 0, 30);
        for (int e = 0; e < 30; e++)
            for (int i = 0; i < 20; i++)
                assert_int_equal(((int32_t *)wadi_chunk_array(c, 0, e).column[1])[i], 100 * e + i);
        wadi_chunk_release(c);
        wadi_builder_fini(&b);
        end(buffers, &h);
    }
    assert_true(refused > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_put_in_is_in_the_chunk),
        cmocka_unit_test(it_is_full_where_it_reaches_its_bytes),
        cmocka_unit_test(many_are_filled_at_once),
        cmocka_unit_test(what_is_borrowed_stays_where_it_is),
        cmocka_unit_test(a_chunk_is_adopted_where_it_fits),
        cmocka_unit_test(what_it_refuses_it_names),
        cmocka_unit_test(without_memory_it_is_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
