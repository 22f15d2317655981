/* Every level stays within the limits of frames, analysis and decoders. */
#include "apps/audio/recipe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void every_level_is_in_the_streamable_subset(void **state) {
    (void)state;
    const int rates[] = {1, 8000, 44100, 48000, 48001, 96000, 655350};
    for (int level = 0; level <= FLAC_MAX_LEVEL; level++) {
        for (size_t r = 0; r < sizeof rates / sizeof rates[0]; r++) {
            const flac_recipe x = flac_recipe_for(level, rates[r], 2, 16);
            assert_in_range(x.block, 16, rates[r] <= 48000 ? 4608 : 16384);
            assert_in_range(x.max_order, 0, 12);
            assert_in_range(x.max_partition, 0, 8);
            assert_true((x.max_order == 0) == (x.windows == 0));
        }
    }
}

static void only_two_channels_are_decorrelated(void **state) {
    (void)state;
    for (int channels = 1; channels <= 8; channels++) {
        const flac_recipe x = flac_recipe_for(8, 48000, channels, 24);
        assert_int_equal(x.stereo != FLAC_STEREO_OFF, channels == 2);
        assert_int_equal(x.channels, channels);
        assert_int_equal(x.bits, 24);
    }
}

static void blocks_divide_into_all_partitions(void **state) {
    (void)state;
    for (int level = 0; level <= FLAC_MAX_LEVEL; level++) {
        const flac_recipe x = flac_recipe_for(level, 44100, 2, 16);
        const int shortest = x.cuts > 0 ? flac_recipe_shortest(&x) : x.block;
        assert_int_equal(x.block % (1 << x.max_partition), 0);
        assert_true(x.block >> x.max_partition > x.max_order);
        assert_int_equal(shortest << x.cuts, x.block);
        assert_true(x.cuts <= FLAC_MAX_CUTS);
        assert_true(x.stereo != FLAC_STEREO_BY_LINEAR || x.windows > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_is_in_the_streamable_subset),
        cmocka_unit_test(only_two_channels_are_decorrelated),
        cmocka_unit_test(blocks_divide_into_all_partitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
