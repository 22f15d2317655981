/* Files made by the model, and what independent decoders say about files: the `flac` tool and libsndfile. */
#ifndef TESTS_APPS_FLAC_JUDGE_H
#define TESTS_APPS_FLAC_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "apps/audio/pack.h"
#include "apps/audio/recipe.h"

/* False when the `flac` tool is not installed: tests then skip. */
bool flac_tool_present(void);

/* A name for a file of this test program in the working directory; the caller frees it. */
char *flac_scratch(const char *name);

/* Compresses interleaved samples with the model, the packer and the writer. Fails the test on any error. Returns the size. */
int64_t flac_model_write(const char *path, int level, const flac_format *about,
                         const int32_t *samples, int64_t frames);

/* The tool accepts the file without a warning, and decodes it to exactly these samples. */
void assert_flac_decodes_to(const char *path, const flac_format *about, const int32_t *samples,
                            int64_t frames);

/* libsndfile decodes it to exactly these samples. */
void assert_sndfile_decodes_to(const char *path, const flac_format *about, const int32_t *samples,
                               int64_t frames);

/* Samples as STREAMINFO's MD5 and raw files have them: signed, little-endian, whole bytes. The caller frees them. */
uint8_t *flac_raw_bytes(const int32_t *samples, int64_t n, int bits, int64_t *out_bytes);

#endif
