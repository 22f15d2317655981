/* A FLAC stream on its way to a file or to standard output (base/outfile.h).
 *
 * Some metadata are known only at the end: total, MD5, frame sizes, seek points. Room is left for them at the start. If the output
 * cannot seek (a pipe), these fields stay "unknown". */
#ifndef APPS_AUDIO_WRITER_H
#define APPS_AUDIO_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "apps/audio/blocks.h"
#include "apps/audio/metadata.h"
#include "apps/audio/seek.h"
#include "wadi/status.h"

typedef struct flac_writer flac_writer;

typedef struct flac_stream {
    flac_format format;
    int64_t total; /* samples per channel as far as the source knows, -1 when it does not */
    const flac_blocks *
        blocks; /* of metadata, borrowed during open; a seek table among them is replaced by the new one; NULL: none */
    const flac_seek_wish *seek; /* [nseek]: where seek points are wanted; none: the usual places */
    int nseek;
    bool no_seektable;
    bool sync;       /* onto the disk before close returns */
    int64_t padding; /* bytes of room for tags added later; -1: no such block */
} flac_stream;

/* Path "-" is standard output. A file that exists is refused unless `force`. A device or a pipe is written in
 * place. Errors: WADI_INVALID (exists), WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status flac_writer_open(const char *path, bool force, const flac_stream *stream,
                                            flac_writer **out, wadi_error *err);

/* Appends one packed frame of `samples` samples per channel. Errors: WADI_IO with the file and the byte position. */
WADI_NODISCARD wadi_status flac_writer_append(flac_writer *w, const uint8_t *frame, size_t n,
                                              int64_t samples, wadi_error *err);

/* Completes the stream with the MD5 of its samples and gives the file its name. Takes the writer, also on failure; then no
 * file is left. */
WADI_NODISCARD wadi_status flac_writer_close(flac_writer *owned_w, const uint8_t md5[16],
                                             wadi_error *err);

/* Removes what was written, after an error. NULL is fine. */
void flac_writer_discard(flac_writer *owned_w);

/* False when STREAMINFO and the seek table cannot be completed. */
bool flac_writer_can_seek(const flac_writer *w);
/* Bytes written so far. */
int64_t flac_writer_bytes(const flac_writer *w);

#endif
