/* How hard each compression level tries: the numbers the analysis is built with. */
#ifndef APPS_AUDIO_RECIPE_H
#define APPS_AUDIO_RECIPE_H

#include <stdbool.h>

enum { FLAC_MAX_LEVEL = 8, FLAC_DEFAULT_LEVEL = 5 };

typedef struct flac_recipe {
    int channels;
    int bits;          /* per sample of the input */
    int block;         /* samples per channel in every frame but the last */
    bool stereo;       /* may code the difference of two channels */
    int max_order;     /* of linear prediction; 0: fixed predictors only */
    int windows;       /* predictors tried per subframe: 0, 1 (whole block) or 3 (also each half) */
    int max_partition; /* highest partition order of the Rice parameters */
} flac_recipe;

/* level 0 (fast) to 8 (small). Blocks are longer at rates above 48 kHz. */
flac_recipe flac_recipe_for(int level, int rate, int channels, int bits);

#endif
