/* Sound for the encoder, whatever it is stored in. libFLAC reads FLAC, wadi itself reads the integers of WAV and AIFF, and
 * libsndfile reads everything else. Each kind is a row of a table in input.c. */
#ifndef APPS_AUDIO_INPUT_H
#define APPS_AUDIO_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "apps/audio/blocks.h"
#include "apps/audio/bytes.h"
#include "apps/audio/iff.h"
#include "apps/audio/pcm.h"
#include "apps/audio/range.h"

/* How an input is read. */
typedef struct flac_wish {
    int convert; /* bits (8..32) to which floating point and lossy samples are rounded; 0: they are refused */
    bool keep_all; /* of WAV and AIFF: every chunk, as blocks of metadata */
    flac_iff_options iff;
    bool raw; /* no header: the samples are as `layout` says */
    flac_pcm layout;
    int channels, rate;
    flac_range range; /* only this part of it */
} flac_wish;

typedef struct flac_sound_info {
    int rate;           /* Hz */
    int channels;       /* at least 1 */
    int bits;           /* per sample, 4..32 */
    int64_t frames;     /* samples per channel, of the part that is wanted; -1: unknown */
    const char *format; /* words for it; borrowed */
    bool is_flac;
    uint32_t mask;          /* speakers; 0: not said */
    bool is_part;           /* not all of its samples are wanted */
    bool cue_sheet_dropped; /* because it is a part */
    bool has_md5;           /* of all samples, in the input; then: */
    uint8_t md5[16];
} flac_sound_info;

typedef struct flac_input flac_input;

/* Path "-" is standard input. Samples that the range skips are read and dropped. Errors: WADI_IO (unreadable, damaged, truncated),
 * WADI_UNSUPPORTED (samples that would be changed, no library for it), WADI_INVALID (the range), WADI_CANCELLED, WADI_MEMORY. */
WADI_NODISCARD wadi_status flac_input_open(const char *path, const flac_wish *wish,
                                           flac_input **out, wadi_error *err);
void flac_input_close(flac_input *in); /* NULL is fine */

const flac_sound_info *flac_input_about(const flac_input *in);
/* The metadata of the input without STREAMINFO; borrowed; the caller may change them. */
flac_blocks *flac_input_blocks(flac_input *in);

/* Reads up to `frames` frames, interleaved and right-aligned; fewer only at the end. At the end it is an error if the header promised
 * another number of frames. Errors: WADI_IO with the file and the frame. */
WADI_NODISCARD wadi_status flac_input_read(flac_input *in, int32_t *out, int64_t frames,
                                           int64_t *out_frames, wadi_error *err);

/* Call this at the end. WADI_IO if the input states another MD5 than its samples have. If only a part was read, nothing is compared. */
WADI_NODISCARD wadi_status flac_input_check(const flac_input *in, const uint8_t md5[16],
                                            wadi_error *err);

/* Whether the input is FLAC that was read completely and that states no MD5. */
bool flac_input_unproved(const flac_input *in);

/* How many samples --convert changed by more than rounding: louder than full scale, or not a number. */
void flac_input_lost(const flac_input *in, int64_t *out_clipped, int64_t *out_nan);

/* ---- kinds ---- */

typedef struct flac_kind_ops {
    const char *name;
    wadi_status (*read)(void *state, int32_t *out, int64_t frames, int64_t *out_frames,
                        wadi_error *err);
    void (*lost)(const void *state, int64_t *out_clipped, int64_t *out_nan); /* NULL: nothing */
    void (*close)(void *state);
} flac_kind_ops;

/* What an opener fills in. */
struct flac_input {
    flac_bytes *bytes;
    flac_sound_info info;
    flac_blocks blocks;
    const flac_kind_ops *ops; /* NULL: not this kind */
    void *state;
    int64_t promised; /* frames the input says it has; -1: it does not */
    int64_t at;       /* frames read of it */
    int64_t to;       /* the frame at which reading ends; -1: at the end */
};

/* Looks at in->bytes from its start. If the input is of this kind, it sets ops and the other members; else ops stays NULL. */
typedef wadi_status (*flac_kind_open)(flac_input *in, const flac_wish *wish, wadi_error *err);

wadi_status flac_stored_open(flac_input *in, const flac_wish *wish, wadi_error *err);
wadi_status flac_coded_open(flac_input *in, const flac_wish *wish, wadi_error *err);
wadi_status flac_other_open(flac_input *in, const flac_wish *wish, wadi_error *err);

#endif
