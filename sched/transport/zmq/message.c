/* Writing and reading messages. */
#include "sched/transport/zmq/message.h"

#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "wadi/stream.h"

static void put64(uint8_t *at, int64_t value) {
    for (int i = 0; i < 8; i++) at[i] = (uint8_t)((uint64_t)value >> (8 * i));
}

static int64_t get64(const uint8_t *at) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) value |= (uint64_t)at[i] << (8 * i);
    return (int64_t)value;
}

void wadi_control_write(const wadi_control *c, uint8_t out[WADI_CONTROL_BYTES]) {
    memcpy(out, "WLNK", 4);
    out[4] = (uint8_t)c->version;
    out[5] = (uint8_t)c->kind;
    out[6] = (uint8_t)c->status;
    out[7] = 0;
    put64(out + 8, c->number);
    put64(out + 16, c->sequence);
    put64(out + 24, c->bytes);
}

wadi_status wadi_control_read(const void *data, size_t n, wadi_control *out, wadi_error *err) {
    const uint8_t *at = data;
    if (n != WADI_CONTROL_BYTES || memcmp(at, "WLNK", 4) != 0) {
        return wadi_fail(err, WADI_IO, "link: a message that is not of this protocol");
    }
    if (at[4] < WADI_CONTROL_LOWEST || at[4] > WADI_CONTROL_VERSION) {
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "link: protocol version %d; this build speaks %d to %d", at[4],
                         (int)WADI_CONTROL_LOWEST, (int)WADI_CONTROL_VERSION);
    }
    *out = (wadi_control){.version = at[4],
                          .kind = at[5],
                          .status = at[6] > WADI_INTERNAL ? WADI_INTERNAL : (wadi_status)at[6],
                          .number = get64(at + 8),
                          .sequence = get64(at + 16),
                          .bytes = get64(at + 24)};
    if (out->number < 0 || out->sequence < 0 || out->bytes < 0) {
        return wadi_fail(err, WADI_IO, "link: a message with negative numbers");
    }
    return WADI_OK;
}

wadi_control wadi_note_control(uint64_t stream, const void *note, size_t n) {
    return (wadi_control){.kind = WADI_LINK_NOTE,
                          .status = (wadi_status)(note == NULL ? WADI_CONTROL_NO_NOTE : 0),
                          .number = (int64_t)stream,
                          .sequence = wadi_crc32c(0, note, n),
                          .bytes = (int64_t)n};
}

wadi_status wadi_note_check(const wadi_control *c, const void *note, size_t n, wadi_error *err) {
    if (n > WADI_NOTE_BYTES) {
        return wadi_fail(err, WADI_IO, "link: a note of %zu bytes, at most %d", n,
                         (int)WADI_NOTE_BYTES);
    }
    if (c->bytes != (int64_t)n || c->sequence != (int64_t)wadi_crc32c(0, note, n)) {
        return wadi_fail(err, WADI_IO, "link: the note's length or checksum is wrong");
    }
    return WADI_OK;
}
