/* The levels. They follow the purpose of the reference encoder's levels, not its settings: blocks of 3072 samples with three
 * predictors come out as small as its blocks of 4096 with nine. All stay within the streamable subset (RFC 9639, section 7) at
 * the rates a frame header can name. */
#include "apps/audio/recipe.h"

typedef struct level {
    int block;      /* up to 48 kHz */
    int block_high; /* above */
    bool stereo;
    int max_order;
    int windows;
    int max_partition;
} level;

static const level levels[FLAC_MAX_LEVEL + 1] = {
    {2304, 2304, false, 0, 0, 4}, {2304, 2304, true, 0, 0, 4},  {2304, 2304, true, 0, 0, 5},
    {3072, 4096, false, 6, 1, 4}, {3072, 4096, true, 8, 1, 4},  {3072, 4096, true, 8, 3, 5},
    {3072, 4096, true, 10, 1, 6}, {3072, 4096, true, 12, 1, 6}, {3072, 4096, true, 12, 3, 6},
};

flac_recipe flac_recipe_for(int level_number, int rate, int channels, int bits) {
    const level *l = &levels[level_number];
    return (flac_recipe){
        .channels = channels,
        .bits = bits,
        .block = rate > 48000 ? l->block_high : l->block,
        .stereo = l->stereo && channels == 2,
        .max_order = l->max_order,
        .windows = l->windows,
        .max_partition = l->max_partition,
    };
}
