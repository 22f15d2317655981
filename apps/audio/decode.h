/* Decodes FLAC (or any input) to samples in a file, or only tests whether they are right. */
#ifndef APPS_AUDIO_DECODE_H
#define APPS_AUDIO_DECODE_H

#include "apps/audio/options.h"

/* Decodes options->in to options->out; with FLAC_TEST it writes nothing and wants FLAC. *out_unproved: the input states no MD5,
 * so that its samples were not compared with one. After a failure no file stands under the output's name. Errors: those of the
 * input, WADI_UNSUPPORTED (no FLAC), those of the output. */
WADI_NODISCARD wadi_status flac_decode(const flac_options *options, bool *out_unproved,
                                       wadi_error *err);

#endif
