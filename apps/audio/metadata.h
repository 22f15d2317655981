/* The metadata blocks of a FLAC stream (RFC 9639, section 8): makes bytes from values. Each call appends one whole block with
 * its header to a writer at a byte boundary. */
#ifndef APPS_AUDIO_METADATA_H
#define APPS_AUDIO_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/audio/bitwriter.h"
#include "apps/audio/pack.h"

enum {
    FLAC_STREAMINFO_BYTES = 34,
    FLAC_SEEKPOINT_BYTES = 18,
    FLAC_BLOCK_HEADER_BYTES = 4,
    FLAC_MAX_BLOCK_BYTES = 0xffffff
};

/* The fields of STREAMINFO other than the format. Zero means unknown. */
typedef struct flac_streaminfo {
    flac_format format;
    uint32_t min_frame; /* bytes */
    uint32_t max_frame; /* bytes */
    int64_t total;      /* samples per channel */
    uint8_t md5[16];
} flac_streaminfo;

/* Where a frame starts. `first` < 0 makes a placeholder. */
typedef struct flac_seekpoint {
    int64_t first;  /* its first sample */
    int64_t offset; /* bytes from the first frame */
    int samples;    /* in the frame */
} flac_seekpoint;

void flac_put_streaminfo(flac_bits *w, const flac_streaminfo *info, bool last);
void flac_put_seektable(flac_bits *w, const flac_seekpoint *points, size_t n, bool last);
/* Any block; n < 2^24. */
void flac_put_block(flac_bits *w, int type, const void *body, size_t n, bool last);
void flac_put_padding(flac_bits *w, unsigned bytes, bool last);

/* Reads STREAMINFO, without its header. */
void flac_get_streaminfo(const uint8_t p[FLAC_STREAMINFO_BYTES], flac_streaminfo *out);

#endif
