/* The messages of a link as ZeroMQ frames: a control frame, and for CHUNK the chunk, for FAIL the reason.
 *
 *     control, little-endian:  "WLNK", version 1 byte, kind 1, status 1, 0 1, number 8, sequence 8, bytes 8
 *     NOTE:                    number: the stream's id; sequence: CRC-32C of the note; bytes: its length; then the note */
#ifndef WADI_SCHED_TRANSPORT_MESSAGE_H
#define WADI_SCHED_TRANSPORT_MESSAGE_H

#include <stddef.h>

#include "sched/link.h"

enum { WADI_CONTROL_BYTES = 32, WADI_CONTROL_VERSION = 1 };

/* Kinds beyond those of link.h: the connecting side introduces itself. */
enum { WADI_CONTROL_HELLO = 16 };

typedef struct wadi_control {
    int kind;
    wadi_status status;
    int64_t number, sequence, bytes;
} wadi_control;

void wadi_control_write(const wadi_control *c, uint8_t out[WADI_CONTROL_BYTES]);
/* Errors: WADI_IO, WADI_UNSUPPORTED (version). */
WADI_NODISCARD wadi_status wadi_control_read(const void *data, size_t n, wadi_control *out,
                                             wadi_error *err);

/* The control frame of a note. */
wadi_control wadi_note_control(uint64_t stream, const void *note, size_t n);
/* Whether `note` is what its control frame says. Errors: WADI_IO. */
WADI_NODISCARD wadi_status wadi_note_check(const wadi_control *c, const void *note, size_t n,
                                           wadi_error *err);

#endif
