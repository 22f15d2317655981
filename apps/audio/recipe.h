/* The settings of each compression level, with which the analysis is built. */
#ifndef APPS_AUDIO_RECIPE_H
#define APPS_AUDIO_RECIPE_H

enum {
    FLAC_MAX_LEVEL = 8,
    FLAC_DEFAULT_LEVEL = 5,
    FLAC_MAX_CUTS = 2,
    FLAC_MAX_BLOCK = 16384,    /* in the streamable subset (RFC 9639, section 7) .. */
    FLAC_MAX_LOW_BLOCK = 4608, /* .. and at up to 48 kHz */
    FLAC_WINDOWS_HALVES = 3,
    FLAC_WINDOWS_THIRDS = 6
};

/* By what the analysis decides whether to code the difference of two channels. */
typedef enum flac_stereo_choice {
    FLAC_STEREO_OFF,
    FLAC_STEREO_BY_FIXED, /* the residuals of fixed predictors */
    FLAC_STEREO_BY_LINEAR /* the residuals of linear prediction; needs windows > 0 */
} flac_stereo_choice;

typedef struct flac_recipe {
    int channels;
    int bits; /* per sample of the input */
    int block; /* samples per channel in every frame but the last; if there are cuts, before cutting */
    int cuts; /* how often such a block may be halved; 0: all blocks are equally long */
    flac_stereo_choice stereo;
    int max_order; /* of linear prediction; 0: fixed predictors only */
    int windows; /* predictors tried per subframe: 0, 1 (whole block), 3 (also each half) or 6 (also without each third) */
    int max_partition; /* highest partition order of the Rice parameters */
} flac_recipe;

/* level 0 (fast) to 8 (small). Blocks are longer at rates above 48 kHz. */
flac_recipe flac_recipe_for(int level, int rate, int channels, int bits);
/* Samples in the shortest block, the last one not counted; 0 when all but the last are equally long. */
int flac_recipe_shortest(const flac_recipe *r);

#endif
