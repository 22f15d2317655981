/* Chunks of WAV and AIFF for which FLAC has no block. They are kept as APPLICATION blocks, so that a decoder can restore the
 * same file. The layout is that of the reference encoder's --keep-foreign-metadata: one block "riff" or "aiff" for each chunk,
 * in the order of the file; of the chunk of samples, only the header. */
#ifndef APPS_AUDIO_FOREIGN_H
#define APPS_AUDIO_FOREIGN_H

#include "apps/audio/blocks.h"

/* Adds the chunks of the WAV, RF64 or AIFF file at `path`. Errors: WADI_UNSUPPORTED (a chunk of 16 MiB or more), WADI_IO,
 * WADI_MEMORY. */
WADI_NODISCARD wadi_status flac_foreign_keep(const char *path, flac_blocks *blocks,
                                             wadi_error *err);

#endif
