/* The metadata of an output: those of its source, with the additions and replacements of the command line. */
#ifndef APPS_AUDIO_DRESS_H
#define APPS_AUDIO_DRESS_H

#include "apps/audio/input.h"
#include "apps/audio/options.h"

/* Changes the blocks of `in` to those of the output. *out_padding: bytes of padding, -1 for none. *out_replaced: the tags of a FLAC
 * input were replaced by those of the command line. Errors: those of tags and pictures, with the file. */
WADI_NODISCARD wadi_status flac_dress(flac_input *in, const flac_options *options,
                                      int64_t *out_padding, bool *out_replaced, wadi_error *err);

#endif
