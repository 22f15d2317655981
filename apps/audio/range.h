/* A part of a recording, as given by --skip and --until. */
#ifndef APPS_AUDIO_RANGE_H
#define APPS_AUDIO_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "wadi/status.h"

typedef enum flac_point_from { FLAC_FROM_START, FLAC_FROM_SKIP, FLAC_FROM_END } flac_point_from;

/* A place in a recording, in samples or in seconds. All zero: not given. */
typedef struct flac_point {
    bool given, is_time;
    flac_point_from from;
    int64_t samples; /* not negative */
    double seconds;  /* if it is a time */
} flac_point;

typedef struct flac_range {
    flac_point skip, until;
} flac_range;

bool flac_range_given(const flac_range *r);

/* "96000" (samples) or "1:02.5" (minutes and seconds). With `signs` also "+96000", counted from where --skip leads, and "-0:10",
 * counted back from the end. False: it is none of these. */
bool flac_point_parse(const char *text, bool signs, flac_point *out);

/* The range goes from sample *out_from up to but without *out_to (-1: to the end, which is not known) of `frames` samples (-1: unknown).
 * A time means the sample that is playing then. Errors: WADI_INVALID, with path and option, if a place is beyond the end, if the range is
 * empty, or if a place is counted from an end that is not known. */
WADI_NODISCARD wadi_status flac_range_resolve(const flac_range *r, const char *path, int rate,
                                              int64_t frames, int64_t *out_from, int64_t *out_to,
                                              wadi_error *err);

#endif
