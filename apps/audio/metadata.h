/* The metadata blocks of a FLAC stream (RFC 9639, section 8): bytes from values, nothing else. Each call appends one whole block,
 * header included, to a writer that stands at a byte boundary. */
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

/* What stands in STREAMINFO beside the format. Zero means unknown for all of it. */
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

typedef struct flac_tag {
    const char *name;  /* ASCII, no '=' */
    const char *value; /* UTF-8 */
} flac_tag;

void flac_put_streaminfo(flac_bits *w, const flac_streaminfo *info, bool last);
void flac_put_seektable(flac_bits *w, const flac_seekpoint *points, size_t n, bool last);
/* False when the comments are longer than a block can be; nothing is appended then. */
bool flac_put_comments(flac_bits *w, const char *vendor, const flac_tag *tags, size_t n, bool last);
void flac_put_padding(flac_bits *w, unsigned bytes, bool last);

#endif
