/* The analysis of wadi-flac as a wadi pipeline: blocks of samples in, frames ready for bit packing out. */
#ifndef APPS_AUDIO_ANALYSIS_H
#define APPS_AUDIO_ANALYSIS_H

#include "apps/audio/recipe.h"

/* The names by which the ends of the stream are bound. */
#define FLAC_SAMPLES "samples" /* source: i32[n, channels], interleaved, right aligned */
#define FLAC_FRAMES "frames"   /* sink: the tuple of arrays described in apps/audio/frame.h */

/* Builds the pipeline in the calling thread's current program: stream_in FLAC_SAMPLES, one map_seq, stream_out
 * FLAC_FRAMES. The recipe is read during this call only. The program keeps errors, as always. */
void flac_analysis_build(const flac_recipe *recipe);

#endif
