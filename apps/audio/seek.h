/* The positions of seek points: those given by -S, or one every ten seconds. */
#ifndef APPS_AUDIO_SEEK_H
#define APPS_AUDIO_SEEK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "wadi/status.h"

typedef enum flac_seek_kind {
    FLAC_SEEK_SAMPLE, /* at a sample */
    FLAC_SEEK_COUNT,  /* so many, evenly */
    FLAC_SEEK_EVERY,  /* one every so many seconds */
    FLAC_SEEK_ROOM    /* a place in the table without a point */
} flac_seek_kind;

/* One -S. */
typedef struct flac_seek_wish {
    flac_seek_kind kind;
    int64_t n;
    double seconds;
} flac_seek_wish;

/* "96000", "100x", "10s" or "2.5s", "X". False: none of these. */
bool flac_seek_parse(const char *text, flac_seek_wish *out);

typedef struct flac_seek_plan {
    WADI_VEC(int64_t) samples; /* in order, none twice */
    int64_t room;              /* places without a point */
} flac_seek_plan;

/* Chooses the points for `total` samples at `rate`, in blocks of up to `block`. Without wishes (n is 0) there is a point every ten
 * seconds. If total is unknown (-1), only wishes that name a sample are fulfilled. A table never has more points than blocks of that
 * size, nor more than 4096 of a kind. False: out of memory. The caller calls fini in any case. */
bool flac_seek_make(const flac_seek_wish *wishes, int n, int64_t total, int rate, int block,
                    flac_seek_plan *out);
void flac_seek_fini(flac_seek_plan *p);

#endif
