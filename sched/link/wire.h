/* A chunk as bytes, for other processes and machines. docs/WIRE.md describes the whole protocol for those who write the other end.
 *
 * A message is a list of frames: a header, then for each component its shapes and offsets when it is irregular, and its
 * columns. All numbers are little-endian.
 *
 *     offset  bytes  header
 *     0       4      "WADI"
 *     4       2      version, 1
 *     6       2      flags, 0
 *     8       8      stream id
 *     16      32     program hash
 *     48      8 8 8  chunk number, first, count
 *     72      4      components
 *     76             per component: layout 1, rank 1, fields 1, 0 1; types, 1 each; extents, 8 each (regular, avoid);
 *                    per frame: length 8, CRC-32C 4
 *     last 4         CRC-32C of the header before it
 *
 * A decoder trusts nothing: every length is checked against the frame it describes, shapes against offsets, offsets
 * against columns, and all against the limits given, before a chunk is made. Hosts that are not little-endian refuse. */
#ifndef WADI_SCHED_LINK_WIRE_H
#define WADI_SCHED_LINK_WIRE_H

#include "sched/chunk.h"

enum {
    WADI_WIRE_VERSION = 1,
    WADI_WIRE_FRAMES = 1 + WADI_MAX_PARTS * (WADI_MAX_FIELDS + 2),
    WADI_WIRE_HEADER =
        80 + WADI_MAX_PARTS * (4 + WADI_MAX_FIELDS + 8 * WADI_MAX_RANK) + 12 * WADI_WIRE_FRAMES
};

/* Which stream of which program a chunk belongs to. */
typedef struct wadi_wire_stream {
    uint64_t id;
    uint8_t program[32];
} wadi_wire_stream;

typedef struct wadi_wire_frame {
    const void *data;
    int64_t bytes;
} wadi_wire_frame;

typedef struct wadi_wire_message {
    int frames;
    wadi_wire_frame
        frame[WADI_WIRE_FRAMES]; /* the first is the header; the others point into the chunk */
    uint8_t header[WADI_WIRE_HEADER];
} wadi_wire_message;

typedef struct wadi_wire_limits {
    int64_t bytes;    /* of all frames of a chunk */
    int64_t elements; /* of a chunk */
} wadi_wire_limits;

/* Makes a message of c, which *out borrows. Errors: WADI_UNSUPPORTED (too many components, or the host is not little-endian). */
WADI_NODISCARD wadi_status wadi_wire_encode(const wadi_chunk *c, const wadi_wire_stream *stream,
                                            wadi_wire_message *out, wadi_error *err);

/* Makes a chunk with its own memory. *stream (may be NULL) gets the stream that the header names. Errors: WADI_IO for an invalid message,
 * WADI_UNSUPPORTED for another version, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_wire_decode(const wadi_wire_frame *frames, int n,
                                            const wadi_wire_limits *limits, wadi_buffers *buffers,
                                            wadi_wire_stream *stream, wadi_chunk **out,
                                            wadi_error *err);

#endif
