/* The messages of a link as bytes: each field is where the description in sched/transport/zmq/message.h says. Also versions, notes,
 * and the errors for bytes that are no message. */
#include "sched/transport/zmq/message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "wadi/stream.h"

static void put64(uint8_t *at, uint64_t x) {
    for (int i = 0; i < 8; i++, x >>= 8) at[i] = (uint8_t)(x & 255);
}

static void describe(const wadi_control *c, uint8_t out[WADI_CONTROL_BYTES]) {
    memcpy(out, "WLNK", 4);
    out[4] = (uint8_t)c->version;
    out[5] = (uint8_t)c->kind;
    out[6] = (uint8_t)c->status;
    out[7] = 0;
    put64(out + 8, (uint64_t)c->number);
    put64(out + 16, (uint64_t)c->sequence);
    put64(out + 24, (uint64_t)c->bytes);
}

static void each_field_has_its_place(void **state) {
    (void)state;
    static const wadi_control all[] = {
        {.version = 1, .kind = WADI_LINK_CHUNK, .number = 1, .sequence = 2, .bytes = 3},
        {.version = 2,
         .kind = WADI_CONTROL_HELLO,
         .status = WADI_INTERNAL,
         .number = INT64_MAX,
         .sequence = INT64_C(0x0102030405060708),
         .bytes = INT64_C(0x1112131415161718)},
        {.version = 2, .kind = 200, .status = WADI_IO, .number = 255, .sequence = 256}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        uint8_t want[WADI_CONTROL_BYTES], got[WADI_CONTROL_BYTES];
        wadi_control c = {0};
        describe(&all[i], want);
        wadi_control_write(&all[i], got);
        assert_memory_equal(got, want, sizeof got);
        assert_int_equal(wadi_control_read(want, sizeof want, &c, NULL), WADI_OK);
        assert_int_equal(c.version, all[i].version);
        assert_int_equal(c.kind, all[i].kind);
        assert_int_equal(c.status, all[i].status);
        assert_int_equal(c.number, all[i].number);
        assert_int_equal(c.sequence, all[i].sequence);
        assert_int_equal(c.bytes, all[i].bytes);
    }
}

static void what_is_no_message_is_told(void **state) {
    (void)state;
    static const struct {
        size_t at;
        uint8_t value;
        wadi_status status;
        const char *said;
    } wrongs[] = {
        {0, 'w', WADI_IO, "link: a message that is not of this protocol"},
        {3, 'S', WADI_IO, "link: a message that is not of this protocol"},
        {4, 0, WADI_UNSUPPORTED, "link: protocol version 0; this build speaks 1 to 4"},
        {4, 5, WADI_UNSUPPORTED, "link: protocol version 5; this build speaks 1 to 4"},
        {4, 255, WADI_UNSUPPORTED, "link: protocol version 255; this build speaks 1 to 4"},
        {15, 0x80, WADI_IO, "link: a message with negative numbers"},
        {23, 0x80, WADI_IO, "link: a message with negative numbers"},
        {31, 0x80, WADI_IO, "link: a message with negative numbers"}};
    const wadi_control sound = {.version = 2, .number = 5, .sequence = 6, .bytes = 7};
    uint8_t bytes[WADI_CONTROL_BYTES + 1] = {0};
    wadi_control c;
    wadi_error err = {.status = WADI_OK};
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        describe(&sound, bytes);
        bytes[wrongs[i].at] = wrongs[i].value;
        assert_int_equal(wadi_control_read(bytes, WADI_CONTROL_BYTES, &c, &err), wrongs[i].status);
        assert_string_equal(err.msg, wrongs[i].said);
    }
    describe(&sound, bytes);
    for (size_t n = 0; n <= sizeof bytes; n++)
        assert_int_equal(wadi_control_read(bytes, n, &c, &err),
                         n == WADI_CONTROL_BYTES ? WADI_OK : WADI_IO);
    /* a status that this build does not know is one of its own */
    for (int s = 0; s < 256; s++) {
        bytes[6] = (uint8_t)s;
        assert_int_equal(wadi_control_read(bytes, WADI_CONTROL_BYTES, &c, NULL), WADI_OK);
        assert_int_equal(c.status, s < WADI_INTERNAL ? s : WADI_INTERNAL);
    }
}

static void a_note_is_what_its_message_says(void **state) {
    (void)state;
    static char note[WADI_NOTE_BYTES + 1];
    static const size_t lengths[] = {0, 1, 5, WADI_NOTE_BYTES - 1, WADI_NOTE_BYTES};
    wadi_error err = {.status = WADI_OK};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const size_t n = lengths[i];
        memset(note, 'n', sizeof note);
        wadi_control c = wadi_note_control(77, note, n);
        assert_int_equal(c.kind, WADI_LINK_NOTE);
        assert_int_equal(c.status, 0);
        assert_int_equal(c.number, 77);
        assert_int_equal(c.bytes, n);
        assert_int_equal(c.sequence, wadi_crc32c(0, note, n));
        assert_int_equal(wadi_note_check(&c, note, n, &err), WADI_OK);
        static const char wrong[] = "link: the note's length or checksum is wrong";
        c.bytes++;
        assert_int_equal(wadi_note_check(&c, note, n, &err), WADI_IO);
        assert_string_equal(err.msg, wrong);
        c.bytes--;
        c.sequence ^= 1;
        assert_int_equal(wadi_note_check(&c, note, n, &err), WADI_IO);
        assert_string_equal(err.msg, wrong);
        c.sequence ^= 1;
        if (n == 0) continue;
        note[n - 1] ^= 1;
        assert_int_equal(wadi_note_check(&c, note, n, &err), WADI_IO);
        assert_int_equal(wadi_note_check(&c, note, n - 1, &err), WADI_IO);
    }
    const wadi_control none = wadi_note_control(78, NULL, 0);
    assert_int_equal(none.status, WADI_CONTROL_NO_NOTE);
    assert_int_equal(none.number, 78);
    assert_int_equal(none.bytes, 0);
    const wadi_control large = wadi_note_control(1, note, sizeof note);
    char said[100];
    assert_int_equal(wadi_note_check(&large, note, sizeof note, &err), WADI_IO);
    snprintf(said, sizeof said, "link: a note of %d bytes, at most %d", (int)sizeof note,
             (int)WADI_NOTE_BYTES);
    assert_string_equal(err.msg, said);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_field_has_its_place),
        cmocka_unit_test(what_is_no_message_is_told),
        cmocka_unit_test(a_note_is_what_its_message_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
