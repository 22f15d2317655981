/* Decodes FLAC (or any input) to samples in a file, or only tests whether they are right. */
#ifndef APPS_AUDIO_DECODE_H
#define APPS_AUDIO_DECODE_H

#include "apps/audio/options.h"

/* Decodes options->in to options->out. With FLAC_TEST it writes nothing, and the input must be FLAC. *out_unproved: the input states no
 * MD5, so its samples were not compared with one. After a failure there is no file under the output's name. Errors: those of the
 * input, WADI_UNSUPPORTED (no FLAC), those of the output. */
WADI_NODISCARD wadi_status flac_decode(const flac_options *options, bool *out_unproved,
                                       wadi_error *err);

#endif
