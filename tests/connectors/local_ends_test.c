/* Connectors of one process, called as a run calls them and compared with a list, element by element: how many elements come, where
 * they begin, and which messages report the rest. Callbacks, bulk callbacks, arrays in memory, raw files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/file.h"
#include "sched/stream.h"
#include "tests/open_files.h"

/* ---- chunks as a run makes them ---- */

static wadi_buffers *pool;

static int open_pool(void **state) {
    (void)state;
    return wadi_buffers_create(NULL, 0, &pool, NULL) == WADI_OK ? 0 : -1;
}

static int close_pool(void **state) {
    (void)state;
    assert_int_equal(wadi_buffers_used(pool), 0);
    wadi_buffers_release(pool);
    return 0;
}

/* At most k elements of at most `bytes` bytes; NULL: none. *out_status: what the source said. */
static wadi_chunk *next_chunk(wadi_source *s, int64_t k, int64_t bytes, wadi_status *out_status,
                              wadi_error *err) {
    wadi_builder b;
    wadi_chunk *c = NULL;
    assert_int_equal(wadi_builder_init(&b, pool, s->parts, s->part, bytes, NULL), WADI_OK);
    *out_status = s->ops->next(s, k, &b, err);
    if (b.count > 0) {
        assert_int_equal(wadi_chunk_create(pool, s->parts, &c, NULL), WADI_OK);
        c->count = b.count;
        wadi_builder_finish(&b, c, 0, b.count);
    }
    wadi_builder_fini(&b);
    return c;
}

static void assert_given(wadi_source *s, const char *kind, int parts) {
    assert_string_equal(s->kind, kind);
    assert_int_equal(s->wake_fd, -1);
    assert_int_equal(s->parts, parts);
}

/* Three elements from number 100 on: i16[2] of two fields, and f64. Everything about them is told by their numbers. */
static wadi_chunk *three_elements(void) {
    const wadi_part parts[] = {
        {.rank = 1, .fields = 2, .type = {WADI_I16, WADI_U8}, .shape = {2}, .fixed = true},
        wadi_part_fixed(WADI_F64, 0, NULL)};
    wadi_builder b;
    wadi_array a[2];
    wadi_chunk *c = NULL;
    assert_int_equal(wadi_builder_init(&b, pool, 2, parts, INT64_MAX, NULL), WADI_OK);
    assert_int_equal(wadi_builder_bulk(&b, 3, a, NULL), WADI_OK);
    for (int i = 0; i < 6; i++) {
        ((int16_t *)a[0].column[0])[i] = (int16_t)(1000 + i);
        ((uint8_t *)a[0].column[1])[i] = (uint8_t)(50 + i);
        if (i < 3) ((double *)a[1].column[0])[i] = 0.5 + i;
    }
    wadi_builder_keep(&b, 3);
    assert_int_equal(wadi_chunk_create(pool, 2, &c, NULL), WADI_OK);
    c->first = 100;
    c->count = 3;
    wadi_builder_finish(&b, c, 0, 3);
    wadi_builder_fini(&b);
    return c;
}

/* ---- parts that there cannot be ---- */

#define RANGE ", expected rank 0 to 8 and 1 to 16 fields"

static const struct {
    wadi_part part;
    const char *callback, *bulk; /* what is said of them; NULL: nothing */
} odd_parts[] = {
    {{.rank = -1, .fields = 1},
     "part 0 has rank -1 and 1 fields" RANGE,
     "part 0 has rank -1 and 1 fields" RANGE},
    {{.rank = 9, .fields = 1},
     "part 0 has rank 9 and 1 fields" RANGE,
     "part 0 has rank 9 and 1 fields" RANGE},
    {{.rank = 8, .fields = 0},
     "part 0 has rank 8 and 0 fields" RANGE,
     "part 0 has rank 8 and 0 fields" RANGE},
    {{.fields = 17},
     "part 0 has rank 0 and 17 fields" RANGE,
     "part 0 has rank 0 and 17 fields" RANGE},
    {{.rank = 8, .fields = 16}, NULL, "part 0 has no fixed shape"},
    {{.rank = 8, .fields = 16, .fixed = true}, NULL, NULL},
    {{.rank = 1, .fields = 1, .shape = {-1}}, NULL, "part 0 has no fixed shape"},
    {{.rank = 1, .fields = 1, .shape = {-1}, .fixed = true},
     "part 0 has a negative extent",
     "part 0 has no fixed shape"},
};

static wadi_status no_pull(void *env, int64_t index, wadi_yield *yield, wadi_error *err) {
    (void)env;
    (void)index;
    (void)yield;
    (void)err;
    return WADI_OK;
}

static wadi_status no_fill(void *env, int64_t k, const wadi_array *columns, int64_t *out_n,
                           wadi_error *err) {
    (void)env;
    (void)k;
    (void)columns;
    (void)out_n;
    (void)err;
    return WADI_OK;
}

static void assert_says(wadi_status status, const wadi_error *err, const char *who,
                        const char *said) {
    char whole[120];
    if (said == NULL) {
        assert_int_equal(status, WADI_OK);
        return;
    }
    snprintf(whole, sizeof whole, "%s source: %s", who, said);
    assert_int_not_equal(status, WADI_OK);
    assert_string_equal(err->msg, whole);
    const bool shape = strstr(said, "shape") != NULL || strstr(said, "extent") != NULL;
    assert_int_equal(status, shape ? WADI_SHAPE : WADI_INVALID);
}

static void parts_are_looked_at(void **state) {
    (void)state;
    wadi_part many[WADI_MAX_PARTS + 1];
    for (size_t i = 0; i < sizeof odd_parts / sizeof *odd_parts; i++) {
        wadi_error err = {.status = WADI_OK};
        wadi_source *s = NULL;
        wadi_status status = wadi_source_callback(1, &odd_parts[i].part, no_pull, NULL, &s, &err);
        assert_says(status, &err, "callback", odd_parts[i].callback);
        if (status == WADI_OK) wadi_source_destroy(s);
        status = wadi_source_bulk(1, &odd_parts[i].part, no_fill, NULL, &s, &err);
        assert_says(status, &err, "bulk", odd_parts[i].bulk);
        if (status == WADI_OK) wadi_source_destroy(s);
    }
    for (int i = 0; i <= WADI_MAX_PARTS; i++) many[i] = wadi_part_fixed(WADI_I8, 0, NULL);
    for (int n = -1; n <= WADI_MAX_PARTS + 1; n++) {
        wadi_error err = {.status = WADI_OK};
        wadi_source *s = NULL;
        char said[60];
        const bool good = n >= 1 && n <= WADI_MAX_PARTS;
        snprintf(said, sizeof said, "%d parts, expected 1 to %d", n, (int)WADI_MAX_PARTS);
        assert_says(wadi_source_callback(n, many, no_pull, NULL, &s, &err), &err, "callback",
                    good ? NULL : said);
        if (good) wadi_source_destroy(s);
        assert_says(wadi_source_bulk(n, many, no_fill, NULL, &s, &err), &err, "bulk",
                    good ? NULL : said);
        if (good) assert_int_equal(s->parts, n);
        if (good) wadi_source_destroy(s);
    }
    many[3].rank = 12;
    wadi_error err = {.status = WADI_OK};
    wadi_source *s = NULL;
    assert_says(wadi_source_callback(5, many, no_pull, NULL, &s, &err), &err, "callback",
                "part 3 has rank 12 and 1 fields" RANGE);
    assert_says(wadi_source_bulk(5, many, no_fill, NULL, &s, &err), &err, "bulk",
                "part 3 has rank 12 and 1 fields" RANGE);
    assert_says(wadi_source_bulk(3, many, no_fill, NULL, &s, &err), &err, "bulk", NULL);
    wadi_source_destroy(s);
}

/* ---- callbacks ---- */

/* Elements of i32[1 + i % 2] and of i64, as many as there are; after `flush_at` the chunk is sent, at `fail_at` it fails, at
 * `leave_out` the second part is missing. */
typedef struct teller {
    int64_t n, next, flush_at, fail_at, leave_out;
    int calls;
} teller;

static wadi_status tell(void *env, int64_t index, wadi_yield *yield, wadi_error *err) {
    teller *t = env;
    wadi_array a;
    const int64_t shape = 1 + index % 2;
    t->calls++;
    assert_int_equal(index, t->next);
    if (index == t->fail_at) return wadi_fail(err, WADI_FAULT, "no more of this");
    if (index == t->n) return WADI_OK;
    t->next++;
    assert_int_equal(wadi_yield_array(yield, 0, &shape, &a, err), WADI_OK);
    for (int64_t i = 0; i < shape; i++) ((int32_t *)a.column[0])[i] = (int32_t)(10 * index + i);
    if (index == t->flush_at) wadi_yield_flush(yield);
    if (index == t->leave_out) return WADI_OK;
    assert_int_equal(wadi_yield_array(yield, 1, NULL, &a, err), WADI_OK);
    *(int64_t *)a.column[0] = -index;
    return WADI_OK;
}

static void assert_told(const wadi_chunk *c, int64_t first, int64_t n) {
    if (n == 0) {
        assert_null(c);
        return;
    }
    assert_int_equal(c->count, n);
    for (int64_t i = 0; i < n; i++) {
        const wadi_array a = wadi_chunk_array(c, 0, i), b = wadi_chunk_array(c, 1, i);
        assert_int_equal(a.shape[0], 1 + (first + i) % 2);
        assert_int_equal(((int32_t *)a.column[0])[a.shape[0] - 1],
                         10 * (first + i) + a.shape[0] - 1);
        assert_int_equal(*(int64_t *)b.column[0], -(first + i));
    }
}

static void a_callback_tells_its_elements_in_turn(void **state) {
    (void)state;
    /* asked for so many of at most so many bytes (an element has 12 or 16), and how many come */
    static const struct {
        int64_t k, bytes, come;
        int calls;
    } turns[] = {{1, 1 << 20, 1, 1}, {3, 1 << 20, 3, 3}, {9, 28, 2, 2},      {9, 29, 3, 3},
                 {9, 1, 1, 1},       {4, 1 << 20, 1, 1}, {4, 1 << 20, 4, 4}, {9, 1 << 20, 5, 6},
                 {9, 1 << 20, 0, 0}, {9, 1 << 20, 0, 0}};
    teller t = {.n = 20, .flush_at = 10, .fail_at = -1, .leave_out = -1};
    const wadi_part parts[] = {wadi_part_irregular(WADI_I32, 1),
                               wadi_part_fixed(WADI_I64, 0, NULL)};
    wadi_source *s = NULL;
    int64_t first = 0;
    assert_int_equal(wadi_source_callback(2, parts, tell, &t, &s, NULL), WADI_OK);
    assert_given(s, "callback", 2);
    assert_int_equal(s->at_hand, 0);
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        wadi_status status;
        t.calls = 0;
        wadi_chunk *c = next_chunk(s, turns[i].k, turns[i].bytes, &status, NULL);
        assert_int_equal(status, WADI_OK);
        assert_told(c, first, turns[i].come);
        assert_int_equal(t.calls, turns[i].calls); /* one that has ended is not asked again */
        first += turns[i].come;
        wadi_chunk_release(c);
    }
    assert_int_equal(first, 20);
    wadi_source_destroy(s);
}

static void a_callback_that_fails_has_told_what_was_before(void **state) {
    (void)state;
    const wadi_part parts[] = {wadi_part_irregular(WADI_I32, 1),
                               wadi_part_fixed(WADI_I64, 0, NULL)};
    for (int64_t at = 0; at < 4; at++) {
        for (int how = 0; how < 2; how++) {
            teller t = {.n = 20, .flush_at = -1, .fail_at = -1, .leave_out = -1};
            wadi_source *s = NULL;
            wadi_status status;
            wadi_error err = {.status = WADI_OK};
            *(how == 0 ? &t.fail_at : &t.leave_out) = at;
            assert_int_equal(wadi_source_callback(2, parts, tell, &t, &s, NULL), WADI_OK);
            wadi_chunk *c = next_chunk(s, 10, 1 << 20, &status, &err);
            assert_int_equal(status, how == 0 ? WADI_FAULT : WADI_INVALID);
            assert_string_equal(err.msg,
                                how == 0 ? "no more of this" : "part 1 of an element is missing");
            assert_told(c, 0, at);
            wadi_chunk_release(c);
            wadi_source_destroy(s);
        }
    }
}

typedef struct listener {
    int64_t next, fail_at;
    int calls;
} listener;

static wadi_status listen(void *env, int64_t index, int parts, const wadi_array *element,
                          wadi_error *err) {
    listener *l = env;
    const int64_t i = index - 100;
    l->calls++;
    assert_int_equal(index, l->next++);
    assert_int_equal(parts, 2);
    assert_int_equal(element[0].rank, 1);
    assert_int_equal(element[0].fields, 2);
    assert_int_equal(element[0].shape[0], 2);
    assert_int_equal(((int16_t *)element[0].column[0])[1], 1000 + 2 * i + 1);
    assert_int_equal(((uint8_t *)element[0].column[1])[0], 50 + 2 * i);
    assert_true(*(double *)element[1].column[0] == 0.5 + (double)i);
    return index == l->fail_at ? wadi_fail(err, WADI_FAULT, "enough") : WADI_OK;
}

static wadi_status drain(void *env, int64_t first, int64_t count, int parts,
                         const wadi_array *columns, wadi_error *err) {
    listener *l = env;
    l->calls++;
    assert_int_equal(first, 100);
    assert_int_equal(count, 3);
    assert_int_equal(parts, 2);
    assert_int_equal(columns[0].rank, 2);
    assert_int_equal(columns[0].shape[0], 3);
    assert_int_equal(columns[0].shape[1], 2);
    assert_int_equal(columns[0].fields, 2);
    assert_int_equal(columns[0].type[0], WADI_I16);
    assert_int_equal(columns[0].type[1], WADI_U8);
    assert_int_equal(columns[1].rank, 1);
    assert_int_equal(columns[1].shape[0], 3);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(((int16_t *)columns[0].column[0])[i], 1000 + i);
        assert_int_equal(((uint8_t *)columns[0].column[1])[i], 50 + i);
    }
    assert_true(((double *)columns[1].column[0])[2] == 2.5);
    return l->fail_at >= 0 ? wadi_fail(err, WADI_FAULT, "enough") : WADI_OK;
}

static void sinks_hear_every_element(void **state) {
    (void)state;
    wadi_chunk *c = three_elements();
    for (int64_t fail_at = -1; fail_at < 103; fail_at = fail_at < 0 ? 100 : fail_at + 1) {
        listener l = {.next = 100, .fail_at = fail_at};
        wadi_sink *s = NULL;
        wadi_error err = {.status = WADI_OK};
        assert_int_equal(wadi_sink_callback(listen, &l, &s, NULL), WADI_OK);
        assert_string_equal(s->kind, "callback");
        assert_int_equal(s->wake_fd, -1);
        assert_false(s->keeps);
        assert_int_equal(s->ops->put(s, c, &err), fail_at < 0 ? WADI_OK : WADI_FAULT);
        assert_int_equal(l.calls, fail_at < 0 ? 3 : fail_at - 99);
        wadi_sink_destroy(s);
        l = (listener){.fail_at = fail_at};
        assert_int_equal(wadi_sink_bulk(drain, &l, &s, NULL), WADI_OK);
        assert_string_equal(s->kind, "bulk callback");
        assert_int_equal(s->wake_fd, -1);
        assert_int_equal(s->ops->put(s, c, &err), fail_at < 0 ? WADI_OK : WADI_FAULT);
        assert_int_equal(l.calls, 1);
        wadi_sink_destroy(s);
    }
    wadi_chunk_release(c);
}

/* A bulk sink takes elements of one shape only; how many parts there may be. */
static void a_bulk_sink_refuses_what_has_no_shape(void **state) {
    (void)state;
    static int64_t shapes[3], offsets[4];
    wadi_chunk *c = three_elements();
    listener l = {.fail_at = -1};
    wadi_sink *s = NULL;
    wadi_error err = {.status = WADI_OK};
    static const char said[] = "bulk sink: part 1 of the elements has no fixed shape below rank 8";
    assert_int_equal(wadi_sink_bulk(drain, &l, &s, NULL), WADI_OK);
    const wadi_chunk_component right = c->component[1];
    c->component[1].layout = WADI_LAYOUT_IRREGULAR;
    c->component[1].shapes = shapes;
    c->component[1].offsets = offsets;
    assert_int_equal(s->ops->put(s, c, &err), WADI_UNSUPPORTED);
    assert_string_equal(err.msg, said);
    c->component[1] = right;
    c->component[1].layout = WADI_LAYOUT_AVOID;
    assert_int_equal(s->ops->put(s, c, &err), WADI_UNSUPPORTED);
    assert_string_equal(err.msg, said);
    c->component[1] = right;
    c->component[1].rank = WADI_MAX_RANK;
    assert_int_equal(s->ops->put(s, c, &err), WADI_UNSUPPORTED);
    assert_string_equal(err.msg, said);
    c->component[1] = right;
    assert_int_equal(l.calls, 0);
    assert_int_equal(s->ops->put(s, c, &err), WADI_OK);
    wadi_sink_destroy(s);
    wadi_chunk_release(c);
    assert_int_equal(wadi_chunk_create(pool, WADI_MAX_PARTS + 1, &c, NULL), WADI_OK);
    for (int i = 0; i <= WADI_MAX_PARTS; i++) c->component[i].layout = WADI_LAYOUT_REGULAR;
    char most[80];
    assert_int_equal(wadi_sink_bulk(drain, &l, &s, NULL), WADI_OK);
    assert_int_equal(s->ops->put(s, c, &err), WADI_UNSUPPORTED);
    snprintf(most, sizeof most, "bulk sink: elements of %d arrays, at most %d",
             (int)WADI_MAX_PARTS + 1, (int)WADI_MAX_PARTS);
    assert_string_equal(err.msg, most);
    wadi_sink_destroy(s);
    assert_int_equal(wadi_sink_callback(listen, &l, &s, NULL), WADI_OK);
    assert_int_equal(s->ops->put(s, c, &err), WADI_UNSUPPORTED);
    snprintf(most, sizeof most, "callback sink: elements of %d arrays, at most %d",
             (int)WADI_MAX_PARTS + 1, (int)WADI_MAX_PARTS);
    assert_string_equal(err.msg, most);
    wadi_sink_destroy(s);
    wadi_chunk_release(c);
}

/* ---- bulk sources ---- */

/* Gives elements u8[2] and f64 by number, at most `most` a call; says `says` of how many, or fails after them. */
typedef struct filler {
    int64_t n, next, most, asked;
    int64_t says; /* beside what it fills */
    bool fails;
} filler;

static wadi_status fill(void *env, int64_t k, const wadi_array *columns, int64_t *out_n,
                        wadi_error *err) {
    filler *f = env;
    int64_t n = f->n - f->next < k ? f->n - f->next : k;
    n = n < f->most ? n : f->most;
    f->asked = k;
    assert_int_equal(columns[0].shape[0], 2);
    assert_int_equal(columns[1].type[0], WADI_F64);
    for (int64_t i = 0; i < n; i++, f->next++) {
        ((uint8_t *)columns[0].column[0])[2 * i] = (uint8_t)f->next;
        ((uint8_t *)columns[0].column[0])[2 * i + 1] = (uint8_t)(100 + f->next);
        ((double *)columns[1].column[0])[i] = (double)f->next / 2;
    }
    *out_n = n + f->says;
    return f->fails ? wadi_fail(err, WADI_FAULT, "torn") : WADI_OK;
}

static wadi_source *bulk(filler *f) {
    const int64_t two = 2;
    const wadi_part parts[] = {wadi_part_fixed(WADI_U8, 1, &two),
                               wadi_part_fixed(WADI_F64, 0, NULL)};
    wadi_source *s = NULL;
    assert_int_equal(wadi_source_bulk(2, parts, fill, f, &s, NULL), WADI_OK);
    assert_given(s, "bulk callback", 2);
    return s;
}

static void assert_filled(const wadi_chunk *c, int64_t first, int64_t n) {
    assert_int_equal(c == NULL ? 0 : c->count, n);
    for (int64_t i = 0; i < n; i++) {
        assert_int_equal(((uint8_t *)wadi_chunk_array(c, 0, i).column[0])[1], 100 + first + i);
        assert_true(*(double *)wadi_chunk_array(c, 1, i).column[0] == (double)(first + i) / 2);
    }
}

static void a_bulk_source_fills_many_at_once(void **state) {
    (void)state;
    /* elements of ten bytes: asked for, with room for so many bytes, at most so many given at once; asked on, and given */
    static const struct {
        int64_t k, bytes, most, asked, come;
    } turns[] = {{1, 1000, 99, 1, 1}, {5, 1000, 99, 5, 5}, {9, 50, 99, 5, 5},
                 {9, 49, 99, 4, 4},   {9, 9, 99, 1, 1},    {9, 1000, 2, 9, 2},
                 {9, 1000, 99, 9, 2}, {9, 1000, 99, 9, 0}};
    filler f = {.n = 20};
    wadi_source *s = bulk(&f);
    int64_t first = 0;
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        wadi_status status;
        f.most = turns[i].most;
        wadi_chunk *c = next_chunk(s, turns[i].k, turns[i].bytes, &status, NULL);
        assert_int_equal(status, WADI_OK);
        assert_int_equal(f.asked, turns[i].asked);
        assert_filled(c, first, turns[i].come);
        first += turns[i].come;
        wadi_chunk_release(c);
    }
    assert_int_equal(first, 20);
    wadi_source_destroy(s);
}

static void what_a_bulk_source_says_it_filled_must_fit(void **state) {
    (void)state;
    static const struct {
        int64_t most, says;
        bool fails;
        wadi_status status;
        int64_t come;
        const char *said;
    } cases[] = {
        {5, -6, false, WADI_INVALID, 0, "bulk source: -1 elements filled, expected 0 to 5"},
        {5, -5, false, WADI_OK, 0, ""},
        {5, 0, false, WADI_OK, 5, ""},
        {5, 1, false, WADI_INVALID, 0, "bulk source: 6 elements filled, expected 0 to 5"},
        {3, 0, true, WADI_FAULT, 3, "torn"},
        {3, 9, true, WADI_INVALID, 0, "bulk source: 12 elements filled, expected 0 to 5"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        filler f = {.n = 20, .most = cases[i].most, .says = cases[i].says, .fails = cases[i].fails};
        wadi_source *s = bulk(&f);
        wadi_status status;
        wadi_error err = {.status = WADI_OK};
        wadi_chunk *c = next_chunk(s, 5, 1000, &status, &err);
        assert_int_equal(status, cases[i].status);
        assert_string_equal(err.msg, cases[i].said);
        assert_filled(c, 0, cases[i].come);
        wadi_chunk_release(c);
        wadi_source_destroy(s);
    }
}

/* ---- memory ---- */

static void rows_of_records_are_pointed_at(void **state) {
    (void)state;
    int32_t x[7 * 6];
    double y[7 * 6];
    const wadi_array a = {
        .rank = 3, .fields = 2, .type = {WADI_I32, WADI_F64}, .shape = {7, 3, 2}, .column = {x, y}};
    /* rows of 72 bytes: asked for, room, and how many come */
    static const struct {
        int64_t k, bytes, come;
    } turns[] = {{1, 1000, 1}, {9, 144, 2}, {9, 143, 1}, {9, 1, 1}, {9, 1000, 2}, {9, 1000, 0}};
    wadi_source *s = NULL;
    int64_t row = 0;
    assert_int_equal(wadi_source_memory(&a, &s, NULL), WADI_OK);
    assert_given(s, "memory", 1);
    assert_int_equal(s->at_hand, 7);
    assert_true(s->part[0].fixed);
    assert_int_equal(s->part[0].rank, 2);
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        wadi_status status;
        wadi_chunk *c = next_chunk(s, turns[i].k, turns[i].bytes, &status, NULL);
        assert_int_equal(status, WADI_OK);
        assert_int_equal(c == NULL ? 0 : c->count, turns[i].come);
        for (int64_t k = 0; k < turns[i].come; k++, row++) {
            const wadi_array r = wadi_chunk_array(c, 0, k);
            assert_int_equal(r.shape[0], 3);
            assert_int_equal(r.shape[1], 2);
            assert_ptr_equal(r.column[0], x + 6 * row);
            assert_ptr_equal(r.column[1], y + 6 * row);
        }
        assert_int_equal(s->at_hand, 7 - row);
        wadi_chunk_release(c);
    }
    wadi_source_destroy(s);
}

static void arrays_that_have_no_rows_are_refused(void **state) {
    (void)state;
    static const struct {
        wadi_array a;
        wadi_status status;
        const char *said;
    } cases[] = {
        {{.rank = 0, .fields = 1},
         WADI_SHAPE,
         "memory source: rank 0, 1 fields; expected rank 1 to 8, 1 to 16 fields"},
        {{.rank = 9, .fields = 1},
         WADI_SHAPE,
         "memory source: rank 9, 1 fields; expected rank 1 to 8, 1 to 16 fields"},
        {{.rank = 1, .fields = 0},
         WADI_SHAPE,
         "memory source: rank 1, 0 fields; expected rank 1 to 8, 1 to 16 fields"},
        {{.rank = 1, .fields = 17},
         WADI_SHAPE,
         "memory source: rank 1, 17 fields; expected rank 1 to 8, 1 to 16 fields"},
        {{.rank = 2, .fields = 1, .shape = {3, -1}},
         WADI_SHAPE,
         "memory source: a negative or too large extent"},
        {{.rank = 2, .fields = 1, .shape = {INT64_MAX, 2}},
         WADI_SHAPE,
         "memory source: a negative or too large extent"},
        {{.rank = 2, .fields = 2, .type = {WADI_I8, WADI_I8}, .shape = {3, 2}, .column = {""}},
         WADI_INVALID,
         "memory source: column 1 of an array of 6 elements is NULL"},
        {{.rank = 1, .fields = 1, .type = {(wadi_type)13}, .shape = {1}, .column = {""}},
         WADI_TYPE,
         "memory source: column 0: there is no type 13"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wadi_source *s = NULL;
        wadi_error err = {.status = WADI_OK};
        assert_int_equal(wadi_source_memory(&cases[i].a, &s, &err), cases[i].status);
        assert_string_equal(err.msg, cases[i].said);
        assert_null(s);
    }
}

static void a_memory_sink_keeps_copies(void **state) {
    (void)state;
    wadi_sink *s = NULL, *other = NULL;
    wadi_array a;
    wadi_error err = {.status = WADI_OK};
    listener l = {.fail_at = -1};
    assert_int_equal(wadi_sink_memory(&s, NULL), WADI_OK);
    assert_string_equal(s->kind, "memory");
    assert_true(s->keeps);
    assert_int_equal(wadi_sink_memory_count(s), 0);
    assert_int_equal(wadi_sink_memory_get(s, 0, 0, &a, &err), WADI_INVALID);
    for (int i = 0; i < 2; i++) {
        wadi_chunk *c = three_elements();
        assert_int_equal(s->ops->put(s, c, NULL), WADI_OK);
        memset(c->component[0].column[0], 0, 12);
        wadi_chunk_release(c);
    }
    assert_int_equal(wadi_sink_memory_count(s), 6);
    for (int64_t e = 0; e < 6; e++) {
        assert_int_equal(wadi_sink_memory_get(s, e, 0, &a, NULL), WADI_OK);
        assert_int_equal(a.rank, 1);
        assert_int_equal(a.fields, 2);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(((int16_t *)a.column[0])[i], 1000 + 2 * (e % 3) + i);
            assert_int_equal(((uint8_t *)a.column[1])[i], 50 + 2 * (e % 3) + i);
        }
        assert_int_equal((uintptr_t)a.column[1] % 64, 0);
        assert_int_equal(wadi_sink_memory_get(s, e, 1, &a, NULL), WADI_OK);
        assert_true(*(double *)a.column[0] == 0.5 + (double)(e % 3));
    }
    static const struct {
        int64_t index;
        int part;
    } none[] = {{-1, 0}, {6, 0}, {0, -1}, {0, 2}};
    for (int i = 0; i < 4; i++) {
        char said[60];
        assert_int_equal(wadi_sink_memory_get(s, none[i].index, none[i].part, &a, &err),
                         WADI_INVALID);
        snprintf(said, sizeof said, "memory sink: no part %d of element %lld", none[i].part,
                 (long long)none[i].index);
        assert_string_equal(err.msg, said);
    }
    assert_int_equal(wadi_sink_callback(listen, &l, &other, NULL), WADI_OK);
    assert_int_equal(wadi_sink_memory_count(other), 0);
    assert_int_equal(wadi_sink_memory_count(NULL), 0);
    assert_int_equal(wadi_sink_memory_get(other, 0, 0, &a, &err), WADI_INVALID);
    assert_string_equal(err.msg, "memory sink: this is a callback sink");
    wadi_sink_destroy(other);
    wadi_sink_destroy(s);
}

/* ---- raw files ---- */

static void write_file(const char *path, const void *data, size_t n) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void records_are_read_one_after_another(void **state) {
    (void)state;
    int16_t values[60];
    const int64_t shape[] = {3, 2};
    const wadi_part part = wadi_part_fixed(WADI_I16, 2, shape);
    for (int16_t i = 0; i < 60; i++) values[i] = i;
    /* records of twelve bytes: a file of so many, asked for so many at most, with room for so many bytes */
    static const struct {
        size_t bytes;
        int64_t k, room, come[3];
    } cases[] = {{120, 10, 1000, {10, 0, 0}}, {120, 9, 1000, {9, 1, 0}},
                 {120, 11, 1000, {10, 0, 0}}, {120, 99, 48, {4, 4, 2}},
                 {120, 99, 59, {4, 4, 2}},    {0, 4, 1000, {0, 0, 0}},
                 {12, 1, 1, {1, 0, 0}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wadi_source *s = NULL;
        int64_t first = 0;
        write_file("ends.raw", values, cases[i].bytes);
        assert_int_equal(wadi_source_raw("ends.raw", &part, &s, NULL), WADI_OK);
        assert_given(s, "raw", 1);
        for (int turn = 0; turn < 3; turn++) {
            wadi_status status;
            wadi_chunk *c = next_chunk(s, cases[i].k, cases[i].room, &status, NULL);
            assert_int_equal(status, WADI_OK);
            assert_int_equal(c == NULL ? 0 : c->count, cases[i].come[turn]);
            for (int64_t k = 0; k < cases[i].come[turn]; k++, first++)
                assert_memory_equal(wadi_chunk_array(c, 0, k).column[0], values + 6 * first, 12);
            wadi_chunk_release(c);
        }
        wadi_source_destroy(s);
    }
    (void)unlink("ends.raw");
}

/* A file cut anywhere gives its whole records, and the byte where it ends. */
static void a_cut_file_gives_what_is_whole(void **state) {
    (void)state;
    static const char bytes[40] = "";
    const int64_t shape[] = {3};
    const wadi_part part = wadi_part_fixed(WADI_I32, 1, shape);
    for (size_t n = 0; n <= 36; n++) {
        write_file("cut.raw", bytes, n);
        for (int64_t k = 1; k < 5; k++) {
            wadi_source *s = NULL;
            wadi_status status = WADI_OK;
            wadi_error err = {.status = WADI_OK};
            int64_t come = 0, now = 1;
            char said[80];
            assert_int_equal(wadi_source_raw("cut.raw", &part, &s, NULL), WADI_OK);
            while (now > 0 && status == WADI_OK) {
                wadi_chunk *c = next_chunk(s, k, 1000, &status, &err);
                now = c == NULL ? 0 : c->count;
                come += now;
                wadi_chunk_release(c);
            }
            assert_int_equal(come, n / 12);
            assert_int_equal(status, n % 12 == 0 ? WADI_OK : WADI_IO);
            snprintf(said, sizeof said, "cut.raw: ends at byte %d, within a record of 12 bytes",
                     (int)n);
            if (status != WADI_OK) assert_string_equal(err.msg, said);
            wadi_source_destroy(s);
        }
    }
    (void)unlink("cut.raw");
}

static void what_cannot_be_read_as_records_is_told(void **state) {
    (void)state;
    static const wadi_part odd[] = {
        {.rank = 1, .fields = 1, .shape = {3}},
        {.rank = 1, .fields = 2, .shape = {3}, .fixed = true},
        {.rank = 1, .fields = 0, .shape = {3}, .fixed = true},
        {.rank = -1, .fields = 1, .fixed = true},
        {.rank = 9, .fields = 1, .fixed = true},
        {.rank = 2, .fields = 1, .shape = {3, 0}, .fixed = true},
        {.rank = 1, .fields = 1, .shape = {-3}, .fixed = true},
    };
    wadi_source *s = NULL;
    wadi_error err = {.status = WADI_OK};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        assert_int_equal(wadi_source_raw("/dev/null", &odd[i], &s, &err), WADI_INVALID);
        assert_string_equal(err.msg,
                            "/dev/null: a raw record has one field and a fixed, non-empty shape");
    }
    const wadi_part part = wadi_part_fixed(WADI_I8, 0, NULL);
    assert_int_equal(wadi_source_raw("none/x.raw", &part, &s, &err), WADI_IO);
    assert_string_equal(err.msg, "none/x.raw: No such file or directory");
    wadi_status status = wadi_source_raw("/", &part, &s, &err);
    if (status == WADI_OK) { /* a folder opens, and cannot be read */
        wadi_chunk *c = next_chunk(s, 4, 1000, &status, &err);
        assert_null(c);
        wadi_source_destroy(s);
        assert_string_equal(err.msg, "/: read error at byte 0: Is a directory");
    }
    assert_int_not_equal(status, WADI_OK);
}

/* What all elements share is written for each of them; an element of nothing writes nothing. */
static void a_raw_file_holds_every_element(void **state) {
    (void)state;
    static int16_t x[] = {1, 2, 3};
    wadi_chunk *c = NULL;
    wadi_sink *s = NULL;
    char *text = NULL;
    size_t n = 0;
    (void)unlink("all.raw");
    assert_int_equal(wadi_chunk_create(pool, 1, &c, NULL), WADI_OK);
    c->count = 4;
    c->component[0] = (wadi_chunk_component){.layout = WADI_LAYOUT_AVOID,
                                             .rank = 1,
                                             .fields = 1,
                                             .type = {WADI_I16},
                                             .shape = {3},
                                             .values = 3,
                                             .column = {x}};
    assert_int_equal(wadi_sink_raw("all.raw", &s, NULL), WADI_OK);
    assert_string_equal(s->kind, "raw");
    assert_int_equal(s->wake_fd, -1);
    assert_int_equal(s->ops->put(s, c, NULL), WADI_OK);
    c->component[0].layout = WADI_LAYOUT_REGULAR;
    c->count = 1;
    assert_int_equal(s->ops->put(s, c, NULL), WADI_OK);
    c->component[0].values = 0;
    assert_int_equal(s->ops->put(s, c, NULL), WADI_OK);
    assert_false(wadi_file_exists("all.raw")); /* before it is complete */
    assert_int_equal(s->ops->finish(s, NULL), WADI_OK);
    wadi_sink_destroy(s);
    assert_int_equal(wadi_file_read("all.raw", &text, &n, NULL), WADI_OK);
    assert_int_equal(n, 5 * sizeof x);
    for (int i = 0; i < 5; i++) assert_memory_equal(text + (size_t)i * sizeof x, x, sizeof x);
    free(text);
    (void)unlink("all.raw");
    wadi_chunk_release(c);
}

/* Ended by whichever way but the good one, there is no file, and what was there stays. */
static void a_raw_file_that_is_not_finished_is_none(void **state) {
    (void)state;
    for (int how = 0; how < 4; how++) {
        wadi_chunk *c = three_elements();
        wadi_sink *s = NULL;
        char *text = NULL;
        size_t n = 0;
        wadi_error why = {.status = WADI_IO};
        write_file("old.raw", "old", 3);
        assert_int_equal(wadi_sink_raw("old.raw", &s, NULL), WADI_OK);
        c->components = how == 0 ? 2 : 1;
        c->component[0].fields = how == 1 ? 2 : 1;
        assert_int_equal(s->ops->put(s, c, &why), how < 2 ? WADI_INVALID : WADI_OK);
        if (how < 2)
            assert_string_equal(why.msg,
                                "old.raw: a raw file takes elements of one array of one field");
        if (how != 3) s->ops->abort(s, &why);
        wadi_sink_destroy(s);
        assert_int_equal(wadi_file_read("old.raw", &text, &n, NULL), WADI_OK);
        assert_int_equal(n, 3);
        assert_memory_equal(text, "old", 3);
        free(text);
        c->components = 2;
        c->component[0].fields = 2;
        wadi_chunk_release(c);
    }
    (void)unlink("old.raw");
}

#define WITH_POOL(test) cmocka_unit_test_setup_teardown(test, open_pool, close_pool)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        WITH_POOL(parts_are_looked_at),
        WITH_POOL(a_callback_tells_its_elements_in_turn),
        WITH_POOL(a_callback_that_fails_has_told_what_was_before),
        WITH_POOL(sinks_hear_every_element),
        WITH_POOL(a_bulk_sink_refuses_what_has_no_shape),
        WITH_POOL(a_bulk_source_fills_many_at_once),
        WITH_POOL(what_a_bulk_source_says_it_filled_must_fit),
        WITH_POOL(rows_of_records_are_pointed_at),
        WITH_POOL(arrays_that_have_no_rows_are_refused),
        WITH_POOL(a_memory_sink_keeps_copies),
        WITH_POOL(records_are_read_one_after_another),
        WITH_POOL(a_cut_file_gives_what_is_whole),
        WITH_POOL(what_cannot_be_read_as_records_is_told),
        WITH_POOL(a_raw_file_holds_every_element),
        WITH_POOL(a_raw_file_that_is_not_finished_is_none),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
