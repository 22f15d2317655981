/* A frame of FLAC: header, subframes, checksums (RFC 9639, section 9). Pure: frames can be packed in any order, by any thread. */
#ifndef APPS_AUDIO_PACK_H
#define APPS_AUDIO_PACK_H

#include "apps/audio/bitwriter.h"
#include "apps/audio/frame.h"
#include "wadi/status.h"

/* What is the same for all frames of a stream. */
typedef struct flac_format {
    int rate;     /* Hz, 1..1048575 */
    int channels; /* 1..8 */
    int bits;     /* per sample, 4..32 */
    int block;    /* samples per channel in the longest frame, 16..65535 */
    int shortest; /* in the shortest, the last one not counted; 0: all but the last are equally long */
} flac_format;

/* Appends a frame to `w`, which is at a byte boundary; whole bytes are written. The frame is number `index` of the stream, and begins
 * with sample number `first`; the header holds one of the two (RFC 9639, section 9.1.5).
 * Errors: WADI_INTERNAL when the analysis broke the contract of frame.h (w then holds a part of the frame), WADI_MEMORY. */
WADI_NODISCARD wadi_status flac_pack_frame(const flac_frame *frame, const flac_format *format,
                                           int64_t index, int64_t first, flac_bits *w,
                                           wadi_error *err);

#endif
