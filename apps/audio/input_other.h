/* The input that only libsndfile can read. */
#ifndef APPS_AUDIO_INPUT_OTHER_H
#define APPS_AUDIO_INPUT_OTHER_H

#include "apps/audio/input.h"

/* Adds the texts of a file on disk (titles in chunks of WAV and AIFF) as comments. A file that libsndfile cannot read has none. */
WADI_NODISCARD wadi_status flac_text_tags(const char *path, flac_blocks *blocks, wadi_error *err);

#endif
