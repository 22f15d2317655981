/* The levels. They follow the purpose of the reference encoder's levels, not its settings. The settings of the highest level
 * were chosen by size on one set of recordings and judged on others (docs/decisions/0029-what-level-8-tries.md and
 * 0033-blocks-follow-the-sound.md). All levels stay within the streamable subset (RFC 9639, section 7) at the rates that a
 * frame header can name. */
#include "apps/audio/recipe.h"

typedef struct level {
    int block;      /* up to 48 kHz */
    int block_high; /* above */
    int cuts;
    flac_stereo_choice stereo;
    int max_order;
    int windows;
    int max_partition;
} level;

#define NO FLAC_STEREO_OFF
#define FIXED FLAC_STEREO_BY_FIXED
#define LINEAR FLAC_STEREO_BY_LINEAR
static const level levels[FLAC_MAX_LEVEL + 1] = {
    {2304, 2304, 0, NO, 0, 0, 4},      {2304, 2304, 0, FIXED, 0, 0, 4},
    {2304, 2304, 0, FIXED, 0, 0, 5},   {3072, 4096, 0, NO, 6, 1, 4},
    {3072, 4096, 0, FIXED, 8, 1, 4},   {4096, 4096, 1, FIXED, 8, 1, 5},
    {4096, 4096, 1, FIXED, 10, 3, 6},  {4096, 4096, 2, FIXED, 12, 3, 6},
    {4096, 4096, 2, LINEAR, 12, 6, 6},
};

flac_recipe flac_recipe_for(int level_number, int rate, int channels, int bits) {
    const level *l = &levels[level_number];
    return (flac_recipe){
        .channels = channels,
        .bits = bits,
        .block = rate > 48000 ? l->block_high : l->block,
        .cuts = l->cuts,
        .stereo = channels == 2 ? l->stereo : FLAC_STEREO_OFF,
        .max_order = l->max_order,
        .windows = l->windows,
        .max_partition = l->max_partition,
    };
}

int flac_recipe_shortest(const flac_recipe *r) {
    return r->cuts > 0 ? r->block >> r->cuts : 0;
}
