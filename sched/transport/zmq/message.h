/* The messages of a link as ZeroMQ frames: a control frame, and for CHUNK the chunk, for FAIL the reason.
 *
 *     control, little-endian:  "WLNK", version 1 byte, kind 1, status 1, 0 1, number 8, sequence 8, bytes 8
 *     NOTE:                    number: the stream's id; sequence: CRC-32C of the note; bytes: its length; status: 1 where the stream
 *                              has none; then the note
 *     FROM:                    number: elements that the receiver has; sequence: the stream's id
 *                              of a stream that is shared: bytes: the process that gathers; status: 1 if it says KEPT
 *     FROM of a sender:        of a stream that is shared: number: the first element that it gives; sequence: the stream's id
 *     KEPT:                    number: elements that will not be asked for again; sequence: the stream's id; status: 1 if that is all of it
 *     HEARD:                   sequence: the stream's id
 *     HELLO:                   number: the highest version its sender speaks; 0 means 1; bytes: 1 if it shares streams; sequence: how
 *                              many milliseconds of silence it bears; 0: it does not know BEAT
 *     BEAT:                    its sender lives
 *     END, FAIL of a sender:   sequence: the stream's id; version 1 leaves it 0
 *     END of a shared stream:  bytes: elements of the whole stream
 *
 * Each message has the version that both sides speak: 1 until both have sent their highest versions, then the lower of these. So builds
 * one version apart work together. */
#ifndef WADI_SCHED_TRANSPORT_ZMQ_MESSAGE_H
#define WADI_SCHED_TRANSPORT_ZMQ_MESSAGE_H

#include <stddef.h>

#include "sched/link/link.h"

enum { WADI_CONTROL_BYTES = 32, WADI_CONTROL_LOWEST = 1, WADI_CONTROL_VERSION = 4 };

/* Kinds beyond those of link.h: the connecting side introduces itself, and both sides tell those who have asked for it that they live. */
enum { WADI_CONTROL_HELLO = 16, WADI_CONTROL_BEAT = 17 };

/* Bits of the bytes of a HELLO. Who does not know them shares nothing. */
enum { WADI_CONTROL_SHARES = 1 };

/* Kinds of version 3, for streams that are gone on with: a receiver says where the stream is to go on, and what need not be sent again. */
enum { WADI_CONTROL_FROM = 7, WADI_CONTROL_KEPT = 8, WADI_CONTROL_RESUMES = 3 /* the version */ };

/* A kind of version 4: the sender of such a stream has heard that the receiver needs nothing more of it. */
enum { WADI_CONTROL_HEARD = 9, WADI_CONTROL_HEARS = 4 /* the version */ };

/* From this version on those who share a stream say FROM and KEPT, too. */
enum { WADI_CONTROL_PLACES = 4 };

/* Bits of the status of a NOTE. */
enum { WADI_CONTROL_NO_NOTE = 1, WADI_CONTROL_GOES_ON = 2 /* version 3 */ };

typedef struct wadi_control {
    int version;
    int kind;
    wadi_status status;
    int64_t number, sequence, bytes;
} wadi_control;

void wadi_control_write(const wadi_control *c, uint8_t out[WADI_CONTROL_BYTES]);
/* Errors: WADI_IO, WADI_UNSUPPORTED (a version that this build does not speak, in a message of this protocol). */
WADI_NODISCARD wadi_status wadi_control_read(const void *data, size_t n, wadi_control *out,
                                             wadi_error *err);

/* The control frame of a note; NULL: the stream has none. */
wadi_control wadi_note_control(uint64_t stream, const void *note, size_t n);
/* Whether `note` is what its control frame says. Errors: WADI_IO. */
WADI_NODISCARD wadi_status wadi_note_check(const wadi_control *c, const void *note, size_t n,
                                           wadi_error *err);

#endif
