/* One analysed block of samples, ready to be written as bits: the contract between the analysis and the packer.
 *
 * The analysis stage yields one such frame per stream element, as a tuple of arrays; the pointers here are those arrays'
 * columns. The number of Rice parameters depends on the sound, so the stream is irregular.
 *
 *   head   i32[8]              [0] stereo mode (flac_stereo), the rest 0
 *   sub    i32[channels, 40]   one row per subframe, see flac_sub
 *   rice   i32[rice_n]         one parameter per partition, for one subframe after another: 2^order for fixed and LPC,
 *                              none for constant and verbatim
 *   resid  i32 or i64[channels, n]
 *                              fixed, LPC: `order` warm-up samples, then residuals, |r| < 2^31; verbatim: the samples;
 *                              constant: the first entry is the value. All are shifted right by the wasted bits. Only the
 *                              side channel of 32-bit input needs 64 bits. */
#ifndef APPS_AUDIO_FRAME_H
#define APPS_AUDIO_FRAME_H

#include <stdint.h>

enum { FLAC_MAX_CHANNELS = 8, FLAC_MAX_ORDER = 32, FLAC_HEAD_SIZE = 8, FLAC_SUB_SIZE = 40 };

typedef enum flac_stereo {
    FLAC_INDEPENDENT = 0,
    FLAC_LEFT_SIDE = 1,
    FLAC_SIDE_RIGHT = 2,
    FLAC_MID_SIDE = 3
} flac_stereo;

typedef enum flac_kind {
    FLAC_CONSTANT = 0,
    FLAC_VERBATIM = 1,
    FLAC_FIXED = 2,
    FLAC_LPC = 3
} flac_kind;

/* Entries of a row of `sub`. */
enum flac_sub {
    FLAC_SUB_KIND = 0,
    FLAC_SUB_ORDER = 1,
    FLAC_SUB_WASTED = 2,
    FLAC_SUB_BITS =
        3, /* bits per sample of the subframe without the wasted ones; 33 for a 32-bit side channel */
    FLAC_SUB_PRECISION = 4,
    FLAC_SUB_SHIFT = 5,
    FLAC_SUB_PARTITION_ORDER = 6,
    FLAC_SUB_RICE_METHOD = 7, /* 0: parameters of 4 bits, 1: of 5 bits */
    FLAC_SUB_COEFFICIENTS = 8 /* newest sample first */
};

typedef struct flac_frame {
    int channels; /* 1..8 */
    int64_t n;    /* samples per channel, 1..65535 */
    const int32_t *head;
    const int32_t *sub;
    const int32_t *rice;
    int64_t rice_n;
    const int32_t *resid32; /* exactly one of the two is not NULL */
    const int64_t *resid64;
} flac_frame;

#endif
