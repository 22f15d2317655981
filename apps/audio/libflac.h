/* Decoding FLAC by libFLAC, frame by frame. The decoder gets STREAMINFO and then frames alone: metadata is read elsewhere, as
 * bytes. Only libflac.c knows the library. */
#ifndef APPS_AUDIO_LIBFLAC_H
#define APPS_AUDIO_LIBFLAC_H

#include <stddef.h>
#include <stdint.h>

#include "wadi/status.h"

typedef struct flac_decoder flac_decoder;

/* Gives up to n bytes of the stream after its metadata; *out_n 0: no more. */
typedef wadi_status (*flac_feed_fn)(void *env, uint8_t *to, size_t n, size_t *out_n,
                                    wadi_error *err);

/* `name` is for messages, env for the calls; both are borrowed. streaminfo is the block without its header. Its total is ignored: frames
 * are decoded as long as there are any. Errors: WADI_UNSUPPORTED (built without libFLAC), WADI_MEMORY. */
WADI_NODISCARD wadi_status flac_decoder_create(const char *name, const uint8_t streaminfo[34],
                                               flac_feed_fn feed, void *env, flac_decoder **out,
                                               wadi_error *err);
void flac_decoder_destroy(flac_decoder *d); /* NULL is fine */

/* The samples of the next frame, interleaved and right-aligned, borrowed until the next call. *out_frames 0: the end. If all promised
 * samples have come, bytes that are not a frame are the end, too. Errors: WADI_IO with the sample (damaged,
 * ends within a frame, another format than STREAMINFO's). */
WADI_NODISCARD wadi_status flac_decoder_next(flac_decoder *d, const int32_t **out,
                                             int64_t *out_frames, wadi_error *err);

#endif
