/* --verify: decodes frames again as they are written, and compares the MD5 of the result with that of the input. */
#ifndef APPS_AUDIO_VERIFY_H
#define APPS_AUDIO_VERIFY_H

#include "apps/audio/pack.h"

typedef struct flac_verifier flac_verifier;

/* Errors: WADI_UNSUPPORTED (built without libFLAC), WADI_MEMORY. */
WADI_NODISCARD wadi_status flac_verifier_create(const char *name, const flac_format *format,
                                                flac_verifier **out, wadi_error *err);
void flac_verifier_destroy(flac_verifier *v); /* NULL is fine */

/* Verifies a frame; call this for all frames in their order. Errors: WADI_INTERNAL (it does not decode to `samples` samples). */
WADI_NODISCARD wadi_status flac_verifier_hear(flac_verifier *v, const uint8_t *frame, size_t n,
                                              int64_t samples, wadi_error *err);
/* Call this once, at the end. Errors: WADI_INTERNAL if the decoded samples differ from those that were encoded. */
WADI_NODISCARD wadi_status flac_verifier_end(flac_verifier *v, const uint8_t md5[16],
                                             wadi_error *err);

#endif
