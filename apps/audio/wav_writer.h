/* Writes samples to a WAV file (RF64 if 4 GiB do not suffice), to raw bytes, or back into the chunks that
 * --keep-foreign-metadata has kept. */
#ifndef APPS_AUDIO_WAV_WRITER_H
#define APPS_AUDIO_WAV_WRITER_H

#include "apps/audio/blocks.h"
#include "apps/audio/pcm.h"

typedef struct wav_writer wav_writer;

typedef struct wav_about {
    int rate, channels, bits;
    uint32_t mask;  /* speakers; 0: not said */
    int64_t frames; /* -1: unknown; a pipe then gets a header without lengths */
    bool sync;      /* onto the disk before close returns */
    bool raw;       /* only samples, without a header, in this layout: */
    bool big_endian, is_unsigned;
    const flac_blocks
        *chunks; /* APPLICATION blocks to put back; NULL: none; borrowed until close */
} wav_about;

/* "-" is standard output. Errors: WADI_INVALID (exists), WADI_UNSUPPORTED (no chunks were kept), WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wav_writer_open(const char *path, bool force, const wav_about *about,
                                           wav_writer **out, wadi_error *err);
WADI_NODISCARD wadi_status wav_writer_append(wav_writer *w, const int32_t *samples, int64_t frames,
                                             wadi_error *err);
/* Completes the header and gives the file its name. Takes the writer, also on failure. */
WADI_NODISCARD wadi_status wav_writer_close(wav_writer *owned_w, wadi_error *err);
void wav_writer_discard(wav_writer *owned_w); /* NULL is fine */

#endif
