/* The whole analysis of one block as plain sequential C: what the array program of wadi-flac computes. It judges the packer
 * without the array language, and the array language without the packer.
 *
 * The two need not agree in every bit: sums of doubles are taken in another order, so that rarely another predictor wins by a
 * fraction of a bit. Sizes agree to 0.01 %, and both must decode to the input.
 *
 * The recipe was chosen by measuring sizes against the reference encoder 1.4.2, metadata taken away, on seven recordings:
 * music (48 kHz stereo), announcement (48 kHz mono), speech (8 kHz, two), 24 bit at 96 kHz, 5.1, and mono at 44.1 kHz.
 *
 *   level 8 / flac -8       music  announ. speech speech 24bit  5.1    mono
 *   whole, halves           0.999  0.985   0.995  1.002  1.003  0.995  1.001
 *   blocks of 4096          1.004  1.007   1.003  1.002  1.002  1.009  1.004
 *   blocks of 2304          0.998  0.988   0.986  0.994  1.004  0.986  1.005
 *   whole block only        1.009  0.991   0.998  1.004  1.003  0.997  1.005
 *   thirds, punched out     0.996  0.982   0.992  0.998  1.002  0.989  1.000
 *   autocorrelation in f32  1.016  0.992   0.995  1.002  1.002  1.016  1.059
 *   no error feedback       1.011  0.987   0.995  1.002  1.003  1.006  1.052
 *   predictor by sum |r|    1.013 on music: the sum says nothing about how the error is spread over partitions
 *   stereo by full search   0.999 on music: the fixed predictors' choice costs 0.06 %
 *   exact Rice search       gains 0.01 to 0.05 %
 * Level 8 also tries the block without each third: docs/decisions/0029-what-level-8-tries.md.
 *
 *   level 5 / flac -5       0.983  0.974   0.989  1.000  1.001  0.986  1.004
 */
#ifndef TESTS_APPS_FLAC_MODEL_H
#define TESTS_APPS_FLAC_MODEL_H

#include <stdint.h>

#include "apps/audio/frame.h"
#include "apps/audio/recipe.h"

/* Analyses interleaved i32[n, channels], 1 <= n <= 16384. The frame's columns live in the model until the next call. */
typedef struct flac_model flac_model;

flac_model *flac_model_create(const flac_recipe *recipe); /* NULL when out of memory */
void flac_model_destroy(flac_model *m);
/* Into how many equal blocks the recipe's block is cut. */
int flac_model_cut(flac_model *m, const int32_t *samples, int64_t n);
void flac_model_analyse(flac_model *m, const int32_t *samples, int64_t n, flac_frame *out);

#endif
