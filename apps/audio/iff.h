/* The position and format of the samples in WAV, RF64, AIFF and AIFF-C. wadi reads these chunks itself, because libsndfile
 * gives neither channel masks nor valid bits, and believes headers that were never completed. */
#ifndef APPS_AUDIO_IFF_H
#define APPS_AUDIO_IFF_H

#include <stdbool.h>
#include <stdint.h>

#include "apps/audio/bytes.h"

typedef struct flac_iff {
    const char *format; /* words for it */
    int rate, channels;
    int bits;  /* significant bits of a sample */
    int width; /* bytes of a sample; unused bits are its low ones */
    bool big_endian, is_unsigned;
    uint32_t mask;      /* speakers, as WAVEFORMATEXTENSIBLE numbers them; 0: not said */
    int64_t data_bytes; /* -1: unknown, to the end of the input */
} flac_iff;

/* Options for headers that are wrong or strange. */
typedef struct flac_iff_options {
    bool ignore_sizes; /* samples continue to the end of the input, whatever the header says */
    bool ignore_mask;  /* --channel-map=none: the channels have no speakers */
} flac_iff_options;

/* Reads up to the first sample. If the input has another format, or its samples are not integers, *out_found is false without an error,
 * since another reader may know it; the position of `b` is then undefined. Errors: WADI_IO (truncated, header never completed),
 * WADI_UNSUPPORTED (speakers FLAC has no order for). */
WADI_NODISCARD wadi_status flac_iff_open(flac_bytes *b, const flac_iff_options *options,
                                         flac_iff *out, bool *out_found, wadi_error *err);

#endif
