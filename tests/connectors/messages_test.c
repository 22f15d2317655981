/* How a message becomes elements: lines against a reader of one byte at a time, records, elements of several arrays; what cannot be one. No server is needed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "connectors/messages.h"
#include "wadi/stream.h"

static wadi_buffers *buffers;

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t draw(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static wadi_messages_cut cut_of(wadi_jet_as as, char separator, int parts, const wadi_part *part) {
    wadi_messages_cut c;
    wadi_error err = {0};
    const wadi_jet_address how = {.as = as, .separator = separator};
    if (wadi_messages_cut_init(&c, "nats://x/S", "S", &how, parts, part, &err) != WADI_OK)
        fail_msg("%s", err.msg);
    return c;
}

static wadi_status begin(wadi_messages_cut *c, const char *bytes, size_t n, int64_t skip,
                         wadi_error *err) {
    const wadi_jet_message m = {bytes, (int64_t)n, 7};
    return wadi_messages_cut_begin(c, &m, skip, err);
}

/* All elements behind the first `skip`, u8[n] each, as "[bytes]". */
static char *show(const char *bytes, size_t n, int64_t skip) {
    const wadi_part part = wadi_part_irregular(WADI_U8, 1);
    wadi_messages_cut cut = cut_of(WADI_JET_AS_LINES, '\0', 1, &part);
    wadi_builder b;
    wadi_chunk *c = NULL;
    wadi_text out = {0};
    assert_int_equal(wadi_builder_init(&b, buffers, 1, &part, INT64_MAX, NULL), WADI_OK);
    assert_int_equal(begin(&cut, bytes, n, skip, NULL), WADI_OK);
    while (cut.open) assert_int_equal(wadi_messages_cut_next(&cut, &b, NULL), WADI_OK);
    assert_int_equal(wadi_chunk_create(buffers, 1, &c, NULL), WADI_OK);
    c->count = b.count;
    wadi_builder_finish(&b, c, 0, b.count);
    wadi_builder_fini(&b);
    for (int64_t i = 0; i < c->count; i++) {
        const wadi_array a = wadi_chunk_array(c, 0, i);
        wadi_text_add(&out, "[");
        wadi_text_add_n(&out, a.shape[0] > 0 ? a.column[0] : "", (size_t)a.shape[0]);
        wadi_text_add(&out, "]");
    }
    wadi_chunk_release(c);
    wadi_messages_cut_fini(&cut);
    if (out.n == 0) wadi_text_add(&out, "");
    return wadi_text_take(&out);
}

/* The same, by what lines are. */
static char *ought(const char *bytes, size_t n, int64_t skip) {
    wadi_text out = {0}, line = {0};
    int64_t number = 0;
    for (size_t i = 0; i <= n; i++) {
        if (i < n && bytes[i] != '\n') {
            wadi_text_add_n(&line, bytes + i, 1);
            continue;
        }
        if (i == n && line.n == 0) break;
        if (line.n > 0 && line.at[line.n - 1] == '\r') line.n--;
        if (number++ >= skip) {
            wadi_text_add(&out, "[");
            wadi_text_add_n(&out, line.n > 0 ? line.at : "", line.n);
            wadi_text_add(&out, "]");
        }
        wadi_text_clear(&line);
    }
    wadi_text_fini(&line);
    if (out.n == 0) wadi_text_add(&out, "");
    return wadi_text_take(&out);
}

static void lines_are_those_of_a_reader_of_bytes(void **state) {
    (void)state;
    uint64_t seed = 149;
    for (int round = 0; round < 3000; round++) {
        char text[24];
        const size_t n = draw(&seed) % sizeof text;
        size_t lines = 0;
        for (size_t i = 0; i < n; i++) text[i] = "ab\n\n\r"[draw(&seed) % 5];
        for (size_t i = 0; i < n; i++) lines += text[i] == '\n';
        const int64_t skip = (int64_t)(draw(&seed) % (lines + 1));
        char *is = show(text, n, skip), *want = ought(text, n, skip);
        if (strcmp(is, want) != 0)
            fail_msg("\"%.*s\" behind %lld: %s, expected %s", (int)n, text, (long long)skip, is,
                     want);
        free(is);
        free(want);
    }
}

static void records_and_several_arrays(void **state) {
    (void)state;
    const int64_t two = 2;
    wadi_part part[3] = {wadi_part_fixed(WADI_U8, 0, NULL), wadi_part_fixed(WADI_I16, 1, &two),
                         wadi_part_irregular(WADI_U8, 1)};
    part[1].fields = 2; /* (i16, u8)[2] */
    part[1].type[1] = WADI_U8;
    static const uint8_t bytes[] = {9, 1, 0, 2, 3, 0, 4, 77, 78};
    for (int parts = 2; parts <= 3; parts++) {
        const wadi_jet_as as = parts == 2 ? WADI_JET_AS_RECORDS : WADI_JET_AS_ELEMENT;
        wadi_messages_cut cut = cut_of(as, '\0', parts, part);
        wadi_error err = {0};
        wadi_builder b;
        wadi_chunk *c = NULL;
        assert_int_equal(cut.size, 7);
        assert_int_equal(wadi_builder_init(&b, buffers, parts, part, INT64_MAX, NULL), WADI_OK);
        assert_int_equal(begin(&cut, (const char *)bytes, parts == 2 ? 7 : 9, 0, &err), WADI_OK);
        assert_int_equal(wadi_messages_cut_next(&cut, &b, &err), WADI_OK);
        assert_false(cut.open);
        assert_int_equal(wadi_chunk_create(buffers, parts, &c, NULL), WADI_OK);
        c->count = b.count;
        wadi_builder_finish(&b, c, 0, b.count);
        wadi_builder_fini(&b);
        const wadi_array first = wadi_chunk_array(c, 0, 0), second = wadi_chunk_array(c, 1, 0);
        assert_int_equal(*(const uint8_t *)first.column[0], 9);
        assert_int_equal(((const int16_t *)second.column[0])[1], 3);
        assert_int_equal(((const uint8_t *)second.column[1])[0], 2);
        assert_int_equal(((const uint8_t *)second.column[1])[1], 4);
        if (parts == 3) {
            const wadi_array third = wadi_chunk_array(c, 2, 0);
            assert_int_equal(third.shape[0], 2);
            assert_memory_equal(third.column[0], bytes + 7, 2);
        }
        wadi_chunk_release(c);
        wadi_messages_cut_fini(&cut);
    }
}

static void a_message_of_other_bytes_is_refused_and_none_of_it_given(void **state) {
    (void)state;
    const wadi_part number = wadi_part_fixed(WADI_I32, 0, NULL);
    wadi_error err = {0};
    wadi_messages_cut c = cut_of(WADI_JET_AS_RECORDS, '\0', 1, &number);
    assert_int_equal(begin(&c, "abcdefghi", 9, 0, &err), WADI_SHAPE);
    assert_non_null(strstr(err.msg, "message 7 has 9 bytes, expected a multiple of 4"));
    assert_false(c.open);
    assert_int_equal(begin(&c, "", 0, 0, &err), WADI_OK);
    assert_false(c.open);
    assert_int_equal(begin(&c, "abcdefgh", 8, 3, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "has 2 elements, of which 3 have been read"));
    assert_int_equal(begin(&c, "abcdefgh", 8, 2, &err), WADI_OK);
    assert_false(c.open);
    c = cut_of(WADI_JET_AS_ELEMENT, '\0', 1, &number);
    assert_int_equal(begin(&c, "", 0, 0, &err), WADI_SHAPE);
}

/* A position has room for so many; behind the last one it is that of the next message. */
static void a_message_of_too_many_elements_is_told(void **state) {
    (void)state;
    const wadi_part byte = wadi_part_fixed(WADI_U8, 0, NULL);
    char *bytes = calloc(WADI_MESSAGES_MOST + 1, 1);
    assert_non_null(bytes);
    for (size_t more = 0; more < 2; more++) {
        wadi_error err = {0};
        wadi_builder b;
        wadi_messages_cut c = cut_of(WADI_JET_AS_RECORDS, '\0', 1, &byte);
        assert_int_equal(wadi_builder_init(&b, buffers, 1, &byte, INT64_MAX, NULL), WADI_OK);
        assert_int_equal(begin(&c, bytes, WADI_MESSAGES_MOST + more, WADI_MESSAGES_MOST - 1, &err),
                         WADI_OK);
        assert_int_equal(wadi_messages_cut_next(&c, &b, &err),
                         more == 0 ? WADI_OK : WADI_UNSUPPORTED);
        assert_int_equal(c.open, more);
        assert_int_equal(c.given, WADI_MESSAGES_MOST - (int)more);
        if (more > 0) assert_non_null(strstr(err.msg, "message 7 has more than 8388608 elements"));
        wadi_builder_fini(&b);
    }
    free(bytes);
}

/* It is the next one after the failure, too: nothing is left out. */
static void a_wrong_line_is_told_by_its_number(void **state) {
    (void)state;
    const wadi_part number = wadi_part_fixed(WADI_I32, 0, NULL);
    wadi_error err = {0};
    wadi_builder b;
    wadi_messages_cut c = cut_of(WADI_JET_AS_LINES, ',', 1, &number);
    assert_int_equal(wadi_builder_init(&b, buffers, 1, &number, INT64_MAX, NULL), WADI_OK);
    assert_int_equal(begin(&c, "1\nx\n3", 5, 0, &err), WADI_OK);
    assert_int_equal(wadi_messages_cut_next(&c, &b, &err), WADI_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(wadi_messages_cut_next(&c, &b, &err), WADI_INVALID);
        assert_non_null(strstr(err.msg, "stream S: line 2 of message 7 is \"x\", which is no i32"));
        assert_true(c.open && c.given == 1 && b.count == 1);
    }
    wadi_builder_fini(&b);
    wadi_messages_cut_fini(&c);
}

static void what_a_message_cannot_be_is_refused_before_a_server_is_asked(void **state) {
    (void)state;
    const int64_t three[] = {3, INT64_MAX / 4, 9}, none = 0, less = -1, many = INT64_MAX / 64;
    wadi_part fields = wadi_part_fixed(WADI_U8, 0, NULL), type = fields, two[2];
    fields.fields = WADI_MAX_FIELDS + 1;
    type.type[0] = WADI_TYPE_COUNT;
    two[0] = wadi_part_irregular(WADI_U8, 1);
    two[1] = wadi_part_irregular(WADI_U8, 1);
    wadi_part wide[3]; /* their values have no number when they are summed up */
    for (int i = 0; i < 3; i++) {
        wide[i] = wadi_part_fixed(WADI_U8, 1, &many);
        wide[i].fields = WADI_MAX_FIELDS;
    }
    const wadi_part flat = wadi_part_irregular(WADI_F32, 1),
                    deep = wadi_part_irregular(WADI_F32, 2),
                    complex = wadi_part_fixed(WADI_C64, 0, NULL),
                    empty = wadi_part_fixed(WADI_F32, 1, &none),
                    negative = wadi_part_fixed(WADI_F32, 1, &less),
                    huge = wadi_part_fixed(WADI_F32, 3, three),
                    one = wadi_part_fixed(WADI_F32, 0, NULL);
    const struct {
        const char *settings;
        int parts;
        const wadi_part *part;
        wadi_status status;
        const char *words;
    } wrong[] = {
        {"", 0, &one, WADI_INVALID, "an element of 0 parts"},
        {"", -1, &one, WADI_INVALID, "an element of -1 parts"},
        {"?as=lines", WADI_MAX_PARTS + 1, &one, WADI_INVALID, "an element of 33 parts"},
        {"", 1, &fields, WADI_INVALID, "no such part"},
        {"?as=lines", 1, &fields, WADI_INVALID, "no such part"},
        {"", 1, &type, WADI_INVALID, "no such type"},
        {"", 1, &huge, WADI_INVALID, "no such shape"},
        {"", 1, &negative, WADI_INVALID, "no such shape"},
        {"", 1, &deep, WADI_SHAPE, "does not tell the shape of an element of rank 2"},
        {"", 2, two, WADI_SHAPE, "does not tell the shape"},
        {"?as=records", 1, &flat, WADI_SHAPE, "records (as=records) all have one shape"},
        {"?as=records", 1, &empty, WADI_SHAPE, "without bytes"},
        {"?as=lines", 3, wide, WADI_INVALID, "no such part"},
        {"?as=lines", 1, &complex, WADI_TYPE, "no numbers of type c64"},
        {"?as=lines", 1, &deep, WADI_SHAPE, "a line does not tell the shapes"},
        {"?as=it", 1, &one, WADI_INVALID, "expected element, records or lines"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        wadi_error err = {0};
        wadi_source *source = NULL;
        char address[64];
        (void)strcat(strcpy(address, "nats://127.0.0.1:1/S"), wrong[i].settings);
        assert_int_equal(
            wadi_source_messages(address, wrong[i].parts, wrong[i].part, &source, &err),
            wrong[i].status);
        assert_null(source);
        if (strstr(err.msg, wrong[i].words) == NULL) fail_msg("%zu: %s", i, err.msg);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_those_of_a_reader_of_bytes),
        cmocka_unit_test(records_and_several_arrays),
        cmocka_unit_test(a_message_of_other_bytes_is_refused_and_none_of_it_given),
        cmocka_unit_test(a_message_of_too_many_elements_is_told),
        cmocka_unit_test(a_wrong_line_is_told_by_its_number),
        cmocka_unit_test(what_a_message_cannot_be_is_refused_before_a_server_is_asked),
    };
    if (wadi_buffers_create(NULL, 0, &buffers, NULL) != WADI_OK) return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    wadi_buffers_release(buffers);
    return failed;
}
