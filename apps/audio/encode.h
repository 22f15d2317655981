/* The pipeline of wadi-flac: a sound file, the compiled analysis, a FLAC stream. Reading (with the MD5 of the samples),
 * analysis and packing overlap, because each has its own thread of the run. */
#ifndef APPS_AUDIO_ENCODE_H
#define APPS_AUDIO_ENCODE_H

#include <stdbool.h>
#include <stdint.h>

#include "apps/audio/options.h"
#include "wadi/run.h"

/* The progress of a run, and at last its result. */
typedef struct flac_progress {
    int64_t frames; /* samples per channel written */
    int64_t total;  /* -1: unknown */
    int rate;
    int64_t bytes_in; /* of samples, as a WAV file would hold them */
    int64_t bytes_out;
    double elapsed_s;
    bool cue_sheet_dropped; /* because only a part of the input was wanted */
    bool can_seek;          /* the output: STREAMINFO and seek table are complete */
    int64_t clipped, nans;  /* samples that --convert changed by more than rounding */
    bool unproved;          /* the input is FLAC without an MD5 */
    bool tags_replaced; /* the tags of a FLAC input were replaced by those of the command line */
    wadi_run_stats run;
} flac_progress;

/* Called now and then by the thread that writes; may be NULL. */
typedef void (*flac_progress_fn)(void *env, const flac_progress *progress);

/* Compresses options->in to options->out. After a failure no file stands under that name. Errors: those of the source, the
 * run and the writer, with file and position; WADI_UNSUPPORTED for sound that FLAC cannot hold. */
WADI_NODISCARD wadi_status flac_encode(const flac_options *options, flac_progress_fn progress,
                                       void *env, flac_progress *out_end, wadi_error *err);

/* The compiled analysis for options->in, as text; the caller frees it. */
WADI_NODISCARD wadi_status flac_explain(const flac_options *options, char **out_text,
                                        wadi_error *err);

#endif
