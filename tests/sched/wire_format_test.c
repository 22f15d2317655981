/* The wire format byte by byte: chunks of every layout, against a header written here from the description in sched/link/wire.h.
 * Limits at their edges, and the message for each mistake that a chunk with right checksums can have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "sched/link/wire.h"

static uint64_t state;

static int64_t below(int64_t n) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((state >> 33) % (uint64_t)n);
}

static const wadi_wire_limits limits = {.bytes = 1 << 22, .elements = 1000};
static const wadi_wire_stream stream = {.id = UINT64_C(0x1122334455667788), .program = {1, 2, 3}};

/* ---- chunks ---- */

static int64_t values_of(int rank, const int64_t *shape) {
    int64_t n = 1;
    for (int d = 0; d < rank; d++) n *= shape[d];
    return n;
}

/* A component of any layout, with values at random. */
static void fill(wadi_chunk *c, wadi_chunk_component *k) {
    *k = (wadi_chunk_component){.layout = (wadi_chunk_layout)below(3),
                                .rank = (int)below(WADI_MAX_RANK + 1),
                                .fields = 1 + (int)below(WADI_MAX_FIELDS)};
    if (k->layout == WADI_LAYOUT_IRREGULAR) {
        k->shapes = wadi_chunk_alloc(c, c->count * k->rank * 8);
        k->offsets = wadi_chunk_alloc(c, (c->count + 1) * 8);
        k->offsets[0] = 0;
        for (int64_t s = 0; s < c->count; s++) {
            for (int d = 0; d < k->rank; d++) k->shapes[s * k->rank + d] = below(3);
            k->offsets[s + 1] = k->offsets[s] + values_of(k->rank, k->shapes + s * k->rank);
        }
        k->values = k->offsets[c->count];
    } else {
        for (int d = 0; d < k->rank; d++) k->shape[d] = below(3);
        k->values = values_of(k->rank, k->shape);
        if (k->layout == WADI_LAYOUT_REGULAR) k->values *= c->count;
    }
    for (int f = 0; f < k->fields; f++) {
        k->type[f] = (wadi_type)below(WADI_TYPE_COUNT);
        const int64_t bytes = k->values * wadi_type_size(k->type[f]);
        k->column[f] = wadi_chunk_alloc(c, bytes);
        for (int64_t i = 0; i < bytes; i++)
            ((uint8_t *)k->column[f])[i] = (uint8_t)below(k->type[f] == WADI_BOOL ? 2 : 256);
    }
}

static wadi_chunk *random_chunk(wadi_buffers *b, int components, int64_t count) {
    wadi_chunk *c = NULL;
    assert_int_equal(wadi_chunk_create(b, components, &c, NULL), WADI_OK);
    c->number = below(1000);
    c->first = below(100000);
    c->count = count;
    for (int i = 0; i < components; i++) fill(c, &c->component[i]);
    return c;
}

static wadi_buffers *pool(void) {
    wadi_buffers *b = NULL;
    assert_int_equal(wadi_buffers_create(NULL, 0, &b, NULL), WADI_OK);
    return b;
}

static void end(wadi_buffers *b) {
    assert_int_equal(wadi_buffers_used(b), 0);
    wadi_buffers_release(b);
}

/* ---- the header as it is described ---- */

typedef struct text {
    uint8_t at[WADI_WIRE_HEADER];
    size_t n;
} text;

static void number(text *t, uint64_t x, int bytes) {
    for (int i = 0; i < bytes; i++, x >>= 8) t->at[t->n++] = (uint8_t)(x & 255);
}

static void frame(text *t, const wadi_wire_message *m, int *next, const void *data, int64_t bytes) {
    assert_true(*next < m->frames);
    assert_ptr_equal(m->frame[*next].data, data);
    assert_int_equal(m->frame[*next].bytes, bytes);
    number(t, (uint64_t)bytes, 8);
    number(t, wadi_crc32c(0, data, (size_t)bytes), 4);
    ++*next;
}

static void assert_as_described(const wadi_chunk *c, const wadi_wire_message *m) {
    text t = {.at = "WADI", .n = 4};
    int next = 1;
    number(&t, 1, 2);
    number(&t, 0, 2);
    number(&t, stream.id, 8);
    memcpy(t.at + t.n, stream.program, 32);
    t.n += 32;
    number(&t, (uint64_t)c->number, 8);
    number(&t, (uint64_t)c->first, 8);
    number(&t, (uint64_t)c->count, 8);
    number(&t, (uint64_t)c->components, 4);
    for (int i = 0; i < c->components; i++) {
        const wadi_chunk_component *k = &c->component[i];
        number(&t, (uint64_t)k->layout, 1);
        number(&t, (uint64_t)k->rank, 1);
        number(&t, (uint64_t)k->fields, 1);
        number(&t, 0, 1);
        for (int f = 0; f < k->fields; f++) number(&t, (uint64_t)k->type[f], 1);
        if (k->layout == WADI_LAYOUT_IRREGULAR) {
            frame(&t, m, &next, k->shapes, c->count * k->rank * 8);
            frame(&t, m, &next, k->offsets, (c->count + 1) * 8);
        } else {
            for (int d = 0; d < k->rank; d++) number(&t, (uint64_t)k->shape[d], 8);
        }
        for (int f = 0; f < k->fields; f++)
            frame(&t, m, &next, k->column[f], k->values * wadi_type_size(k->type[f]));
    }
    number(&t, wadi_crc32c(0, t.at, t.n), 4);
    assert_int_equal(next, m->frames);
    assert_int_equal(m->frame[0].bytes, t.n);
    assert_memory_equal(m->frame[0].data, t.at, t.n);
}

static void assert_same(const wadi_chunk *x, const wadi_chunk *y) {
    assert_int_equal(x->number, y->number);
    assert_int_equal(x->first, y->first);
    assert_int_equal(x->count, y->count);
    assert_int_equal(x->components, y->components);
    for (int i = 0; i < x->components; i++) {
        const wadi_chunk_component *a = &x->component[i], *b = &y->component[i];
        assert_int_equal(a->layout, b->layout);
        assert_int_equal(a->values, b->values);
        assert_int_equal(a->fields, b->fields);
        for (int64_t s = 0; s < x->count; s++) {
            const wadi_array p = wadi_chunk_array(x, i, s), q = wadi_chunk_array(y, i, s);
            assert_int_equal(p.rank, q.rank);
            const int64_t n = values_of(p.rank, p.shape);
            for (int d = 0; d < p.rank; d++) assert_int_equal(p.shape[d], q.shape[d]);
            for (int f = 0; f < p.fields; f++) {
                assert_int_equal(p.type[f], q.type[f]);
                const size_t bytes = (size_t)(n * wadi_type_size(p.type[f]));
                if (bytes > 0) assert_memory_equal(p.column[f], q.column[f], bytes);
            }
        }
    }
}

static int64_t bytes_of(const wadi_wire_message *m) {
    int64_t bytes = 0;
    for (int i = 1; i < m->frames; i++) bytes += m->frame[i].bytes;
    return bytes;
}

static void chunks_of_every_layout_are_as_described(void **unused) {
    (void)unused;
    static wadi_wire_message m;
    for (int round = 0; round < 60; round++) {
        state = (uint64_t)round;
        wadi_buffers *b = pool();
        wadi_chunk *sent = random_chunk(b, (int)below(6), below(8)), *got = NULL;
        wadi_wire_stream told;
        assert_int_equal(wadi_wire_encode(sent, &stream, &m, NULL), WADI_OK);
        assert_as_described(sent, &m);
        assert_int_equal(wadi_wire_decode(m.frame, m.frames, &limits, b, &told, &got, NULL),
                         WADI_OK);
        assert_memory_equal(&told, &stream, sizeof told);
        assert_same(sent, got);
        wadi_chunk_release(got);
        /* limits: just so much is allowed */
        const wadi_wire_limits just = {.bytes = bytes_of(&m), .elements = sent->count};
        assert_int_equal(wadi_wire_decode(m.frame, m.frames, &just, b, NULL, &got, NULL), WADI_OK);
        wadi_chunk_release(got);
        const wadi_wire_limits less = {.bytes = bytes_of(&m) - 1, .elements = sent->count};
        if (bytes_of(&m) > 0)
            assert_int_equal(wadi_wire_decode(m.frame, m.frames, &less, b, NULL, &got, NULL),
                             WADI_IO);
        const wadi_wire_limits fewer = {.bytes = limits.bytes, .elements = sent->count - 1};
        assert_int_equal(wadi_wire_decode(m.frame, m.frames, &fewer, b, NULL, &got, NULL), WADI_IO);
        wadi_chunk_release(sent);
        end(b);
    }
}

/* As many components as there may be, each as large as it may be, fit the header; one more is refused. */
static void the_largest_header_fits(void **unused) {
    (void)unused;
    static wadi_wire_message m;
    wadi_buffers *b = pool();
    for (int more = 0; more <= 1; more++) {
        wadi_chunk *c = NULL, *got = NULL;
        wadi_error err = {.status = WADI_OK};
        const int n = WADI_MAX_PARTS + more;
        assert_int_equal(wadi_chunk_create(b, n, &c, NULL), WADI_OK);
        for (int i = 0; i < n; i++) {
            c->component[i] = (wadi_chunk_component){
                .layout = WADI_LAYOUT_REGULAR, .rank = WADI_MAX_RANK, .fields = WADI_MAX_FIELDS};
            for (int f = 0; f < WADI_MAX_FIELDS; f++) {
                c->component[i].type[f] = WADI_F64;
                c->component[i].column[f] = &m;
            }
        }
        const wadi_status status = wadi_wire_encode(c, &stream, &m, &err);
        assert_int_equal(status, more == 0 ? WADI_OK : WADI_UNSUPPORTED);
        char said[80];
        snprintf(said, sizeof said, "wire format: %d components, at most %d", n,
                 (int)WADI_MAX_PARTS);
        if (more > 0) assert_string_equal(err.msg, said);
        if (more == 0) {
            assert_as_described(c, &m);
            assert_int_equal(wadi_wire_decode(m.frame, m.frames, &limits, b, NULL, &got, NULL),
                             WADI_OK);
            assert_same(c, got);
        }
        wadi_chunk_release(got);
        wadi_chunk_release(c);
    }
    end(b);
}

/* ---- messages that are wrong though their checksums are right ---- */

/* Two elements: a ragged i16 vector of 2 and of 3 values; f64[2]. Its header from byte 76 on:
 *     76 layout 2, rank 1, fields 1, 0; 80 type; 81 frame of shapes; 93 of offsets; 105 of values
 *     117 layout 1, rank 1, fields 1, 0; 121 type; 122 extent; 130 frame of values; 142 checksum */
static wadi_chunk *small_chunk(wadi_buffers *b) {
    static int64_t shapes[] = {2, 3}, offsets[] = {0, 2, 5};
    static int16_t ragged[5];
    static double pairs[4];
    wadi_chunk *c = NULL;
    assert_int_equal(wadi_chunk_create(b, 2, &c, NULL), WADI_OK);
    c->number = 5;
    c->first = 9;
    c->count = 2;
    c->component[0] = (wadi_chunk_component){.layout = WADI_LAYOUT_IRREGULAR,
                                             .rank = 1,
                                             .fields = 1,
                                             .type = {WADI_I16},
                                             .shapes = shapes,
                                             .offsets = offsets,
                                             .values = 5,
                                             .column = {ragged}};
    c->component[1] = (wadi_chunk_component){.layout = WADI_LAYOUT_REGULAR,
                                             .rank = 1,
                                             .fields = 1,
                                             .type = {WADI_F64},
                                             .shape = {2},
                                             .values = 4,
                                             .column = {pairs}};
    return c;
}

enum { SMALL_BYTES = 146 };

static const struct {
    size_t at; /* what is put where in the header */
    int bytes;
    uint64_t value;
    const char *said;
} wrongs[] = {
    {0, 1, 'w', "the message does not begin with \"WADI\""},
    {3, 1, 'i', "the message does not begin with \"WADI\""},
    {4, 2, 0, "version 0; this build reads version 1"},
    {4, 2, 257, "version 257; this build reads version 1"},
    {6, 2, 1, "unknown flags"},
    {6, 2, 1 << 8, "unknown flags"},
    {48, 8, UINT64_MAX, "chunk number, first or count out of range"},
    {56, 8, UINT64_MAX, "chunk number, first or count out of range"},
    {56, 8, INT64_MAX - 1, "chunk number, first or count out of range"},
    {64, 8, UINT64_MAX, "chunk number, first or count out of range"},
    {64, 8, 1001, "chunk number, first or count out of range"},
    {72, 4, WADI_MAX_PARTS + 1, "more than %d components"},
    {72, 4, 3, "unknown layout 0, rank 0 or fields 0"},
    {72, 4, 1, "the header has bytes left over, or too few"},
    {72, 4, 0, "the header has bytes left over, or too few"},
    {76, 1, 3, "unknown layout 3, rank 1 or fields 1"},
    {77, 1, WADI_MAX_RANK + 1, "unknown layout 2, rank 9 or fields 1"},
    {78, 1, 0, "unknown layout 2, rank 1 or fields 0"},
    {78, 1, WADI_MAX_FIELDS + 1, "unknown layout 2, rank 1 or fields 17"},
    {79, 1, 1, "unknown layout 2, rank 1 or fields 1"},
    {80, 1, WADI_TYPE_COUNT, "unknown type 13"},
    {81, 8, 17, "frame 1 has 16 bytes, its header says 17, expected 16"},
    {89, 4, 1, "the checksum of frame 1 is wrong"},
    {93, 8, 16, "frame 2 has 24 bytes, its header says 16, expected 24"},
    {80, 1, WADI_I32, "frame 3 has 10 bytes, its header says 10, expected 20"},
    {105, 8, 11, "frame 3 has 10 bytes, its header says 11, expected 10"},
    {113, 4, 1, "the checksum of frame 3 is wrong"},
    {121, 1, 200, "unknown type 200"},
    {122, 8, UINT64_MAX, "a shape is negative or too large"},
    {122, 8, (1 << 21) + 1, "a shape is negative or too large"},
    {122, 8, 1 << 21, "frame 4 has 32 bytes, its header says 32, expected 33554432"},
    {122, 8, 3, "frame 4 has 32 bytes, its header says 32, expected 48"},
    {117, 1, 0, "frame 4 has 32 bytes, its header says 32, expected 16"},
    {138, 4, 1, "the checksum of frame 4 is wrong"},
};

static void put_number(wadi_wire_message *m, size_t at, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) m->header[at + (size_t)i] = (uint8_t)(value >> (8 * i));
}

static void mend(wadi_wire_message *m) {
    const size_t n = (size_t)m->frame[0].bytes - 4;
    put_number(m, n, wadi_crc32c(0, m->header, n), 4);
}

static void assert_refused(const wadi_wire_message *m, int frames, wadi_buffers *b,
                           const char *said) {
    wadi_chunk *got = NULL;
    wadi_error err = {.status = WADI_OK};
    char whole[120] = "wire format: ";
    const bool version = strncmp(said, "version", 7) == 0;
    snprintf(whole + strlen(whole), sizeof whole - strlen(whole), said, (int)WADI_MAX_PARTS);
    assert_int_equal(wadi_wire_decode(m->frame, frames, &limits, b, NULL, &got, &err),
                     version ? WADI_UNSUPPORTED : WADI_IO);
    assert_string_equal(err.msg, whole);
    assert_null(got);
}

static void what_is_wrong_has_its_sentence(void **unused) {
    (void)unused;
    static wadi_wire_message m;
    wadi_buffers *b = pool();
    wadi_chunk *c = small_chunk(b);
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        assert_int_equal(wadi_wire_encode(c, &stream, &m, NULL), WADI_OK);
        assert_int_equal(m.frame[0].bytes, SMALL_BYTES);
        put_number(&m, wrongs[i].at, wrongs[i].value, wrongs[i].bytes);
        mend(&m);
        assert_refused(&m, m.frames, b, wrongs[i].said);
    }
    assert_int_equal(wadi_wire_encode(c, &stream, &m, NULL), WADI_OK);
    m.header[100] ^= 1;
    assert_refused(&m, m.frames, b, "the header's checksum is wrong");
    m.header[100] ^= 1;
    for (int less = 1; less <= 12; less++) { /* the last frame's length and checksum, not whole */
        assert_int_equal(wadi_wire_encode(c, &stream, &m, NULL), WADI_OK);
        m.frame[0].bytes -= less;
        mend(&m);
        assert_refused(&m, m.frames, b, "the header ends early");
    }
    assert_int_equal(wadi_wire_encode(c, &stream, &m, NULL), WADI_OK);
    assert_refused(&m, 0, b, "no frames");
    for (int n = 1; n < m.frames; n++) {
        char said[40];
        snprintf(said, sizeof said, "frame %d is missing", n);
        assert_refused(&m, n, b, said);
    }
    m.frame[m.frames] = m.frame[m.frames + 1] = m.frame[1];
    assert_refused(&m, m.frames + 2, b, "2 frames too many");
    m.frame[2].bytes = 16;
    assert_refused(&m, m.frames, b, "frame 2 has 16 bytes, its header says 24, expected 24");
    wadi_chunk_release(c);
    end(b);
}

/* Headers of any length: the shortest and the longest that are read at all, and what lies beyond. */
static void headers_have_a_length(void **unused) {
    (void)unused;
    static wadi_wire_message m;
    static uint8_t longer[WADI_WIRE_HEADER + 1];
    wadi_buffers *b = pool();
    wadi_chunk *empty = NULL, *got = NULL;
    assert_int_equal(wadi_chunk_create(b, 0, &empty, NULL), WADI_OK);
    assert_int_equal(wadi_wire_encode(empty, &stream, &m, NULL), WADI_OK);
    assert_int_equal(m.frame[0].bytes, 80);
    assert_int_equal(wadi_wire_decode(m.frame, 1, &limits, b, NULL, &got, NULL), WADI_OK);
    wadi_chunk_release(got);
    memcpy(longer, m.header, 80);
    m.frame[0].data = longer;
    m.frame[0].bytes = 7;
    assert_refused(&m, 1, b, "the message does not begin with \"WADI\"");
    m.frame[0].bytes = 8;
    assert_refused(&m, 1, b, "header of 8 bytes");
    m.frame[0].bytes = 79;
    assert_refused(&m, 1, b, "header of 79 bytes");
    m.frame[0].bytes = WADI_WIRE_HEADER;
    assert_refused(&m, 1, b, "the header's checksum is wrong");
    m.frame[0].bytes = WADI_WIRE_HEADER + 1;
    char said[40];
    snprintf(said, sizeof said, "header of %d bytes", (int)WADI_WIRE_HEADER + 1);
    assert_refused(&m, 1, b, said);
    wadi_chunk_release(empty);
    end(b);
}

/* Offsets that are no running sum, whatever else agrees. */
static void offsets_are_running_sums(void **unused) {
    (void)unused;
    static wadi_wire_message m;
    wadi_buffers *b = pool();
    wadi_chunk *c = small_chunk(b);
    int64_t *offsets = c->component[0].offsets, *shapes = c->component[0].shapes;
    offsets[0] = 1;
    assert_int_equal(wadi_wire_encode(c, &stream, &m, NULL), WADI_OK);
    assert_refused(&m, m.frames, b, "element 0: shape and offset do not fit");
    offsets[0] = 0;
    offsets[1] = 3;
    assert_int_equal(wadi_wire_encode(c, &stream, &m, NULL), WADI_OK);
    assert_refused(&m, m.frames, b, "element 1: shape and offset do not fit");
    offsets[1] = 2;
    offsets[2] = 4;
    assert_int_equal(wadi_wire_encode(c, &stream, &m, NULL), WADI_OK);
    assert_refused(&m, m.frames, b, "the last offset does not fit");
    offsets[2] = 5;
    shapes[1] = limits.bytes; /* more values than bytes may come */
    offsets[2] = 2 + limits.bytes;
    assert_int_equal(wadi_wire_encode(c, &stream, &m, NULL), WADI_OK);
    assert_refused(&m, m.frames, b, "element 1: shape and offset do not fit");
    shapes[1] = 3;
    offsets[2] = 5;
    wadi_chunk_release(c);
    end(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_of_every_layout_are_as_described),
        cmocka_unit_test(the_largest_header_fits),
        cmocka_unit_test(what_is_wrong_has_its_sentence),
        cmocka_unit_test(headers_have_a_length),
        cmocka_unit_test(offsets_are_running_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
