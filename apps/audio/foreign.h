/* Chunks of WAV and AIFF that FLAC has no place for, kept as APPLICATION blocks so that a decoder can make the same file again.
 * The layout is the one that the reference encoder's --keep-foreign-metadata writes: blocks "riff" or "aiff", one for each chunk
 * in the order of the file, of the samples' chunk the header alone. */
#ifndef APPS_AUDIO_FOREIGN_H
#define APPS_AUDIO_FOREIGN_H

#include "apps/audio/blocks.h"

/* Adds the chunks of the WAV, RF64 or AIFF file at `path`. Errors: WADI_UNSUPPORTED (a chunk of 16 MiB or more), WADI_IO,
 * WADI_MEMORY. */
WADI_NODISCARD wadi_status flac_foreign_keep(const char *path, flac_blocks *blocks,
                                             wadi_error *err);

#endif
