/* Size and scale of an image are chosen to fit the baselines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "apps/gridding/geometry.h"
#include "base/error.h"

static grid_geometry chosen(double longest, double shortest) {
    const grid_limits limits = {.n = 1, .longest = longest, .shortest = shortest};
    grid_geometry g = {0};
    wadi_error err = {.status = WADI_OK};
    if (grid_geometry_choose(&limits, 0, 0, 0, &g, &err) != WADI_OK)
        fail_msg("%g to %g: %s", shortest, longest, err.msg);
    return g;
}

/* In wavelengths, of which there may be less than one between two antennas. */
static void baselines_of_any_length_give_an_image(void **state) {
    (void)state;
    static const double shortest[] = {0.01, 0.5, 1, 1.5, 30, 1000};
    for (size_t i = 0; i < sizeof shortest / sizeof shortest[0]; i++) {
        const grid_geometry g = chosen(100 * shortest[i], shortest[i]);
        assert_true(g.size > 0 && g.size % 2 == 0 && g.scale > 0);
        const double finer = chosen(200 * shortest[i], shortest[i]).scale;
        assert_true(finer < g.scale);
    }
}

static void without_baselines_nothing_is_chosen(void **state) {
    (void)state;
    grid_geometry g;
    wadi_error err = {.status = WADI_OK};
    const grid_limits none = {.n = 1}, coarse = {.n = 1, .longest = 10};
    assert_int_equal(grid_geometry_choose(NULL, 0, 0, 0, &g, &err), WADI_INVALID);
    assert_int_equal(grid_geometry_choose(&none, 0, 0, 0, &g, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "size of a pixel is not known"));
    assert_int_equal(grid_geometry_choose(&coarse, 0, 0, 0, &g, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "field is not known"));
    assert_int_equal(grid_geometry_choose(NULL, 64, 1e-4, 0, &g, &err), WADI_OK);
    assert_int_equal(g.size, 64);
    assert_true(g.scale == 1e-4);
}

static const double asec = 4.84813681109536e-6;

/* What is asked for, and pixels and their width in seconds of arc that must come of it. Baselines: `fringe` is a quarter of the finest
 * fringe in seconds of arc, `wide` two of the widest in pixels. */
static void sizes_and_scales_follow_the_rule(void **state) {
    (void)state;
    static const struct {
        double fringe, wide;
        int64_t size;
        double scale, fov; /* seconds of arc; radians */
        int64_t pixels;
        double pixel;
    } cases[] = {
        {5.39, 999.5, 0, 0, 0, 1000, 5.3}, /* down to two digits; up to a whole number */
        {5.39, 1000.5, 0, 0, 0, 1024, 5.3},
        {9.99, 600.5, 0, 0, 0, 640, 9.9},
        {0.01239, 500, 0, 0, 0, 500, 0.012},
        {1234, 20, 0, 0, 0, 192, 1200}, /* 256, were the sky wider: a grid of 240 is 1.396 rad */
        {7, 255.5, 0, 0, 0, 256, 7},
        {7, 10, 0, 0, 0, 256, 7}, /* at least, */
        {7, 256.5, 0, 0, 0, 270, 7},
        {7, 4095.5, 0, 0, 0, 4096, 7},
        {7, 4096.5, 0, 0, 0, 4096, 7}, /* and at most */
        {7, 1e9, 0, 0, 0, 4096, 7},
        {5156.6, 300, 0, 0, 0, 42, 5100},   /* and a grid of 54 is 1.335 rad */
        {5156.6, 300, 48, 0, 0, 48, 4800},  /* 1.4 / 60 radians are 4813 */
        {5156.6, 300, 50, 0, 0, 50, 4500},  /* 1.4 / 64 are 4512 */
        {5156.6, 300, 0, 0, 1.3, 54, 5100}, /* what is asked for is not narrowed: 52.6 pixels */
        {5.39, 999.5, 0, 20, 0, 270, 20},   /* 264.9 of the wider pixels */
        {5.39, 999.5, 300, 0, 0, 300, 5.3},
        {5.39, 999.5, 302, 20, 0, 302, 20},
        {5.39, 999.5, 200, 0, 1000 * 4.84813681109536e-6, 200, 5},
        {5.39, 999.5, 0, 5, 1000 * 4.84813681109536e-6, 200, 5},
        {5.39, 999.5, 0, 5, 1001 * 4.84813681109536e-6, 216, 5}, /* 200.2 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const double by_itself = i == 15 ? 5.3 : cases[i].pixel;
        const grid_limits limits = {.n = 1,
                                    .longest = 0.25 / (cases[i].fringe * asec),
                                    .shortest = 2 / (cases[i].wide * by_itself * asec)};
        grid_geometry g = {0};
        wadi_error err = {.status = WADI_OK};
        if (grid_geometry_choose(&limits, cases[i].size, cases[i].scale * asec, cases[i].fov, &g,
                                 &err) != WADI_OK)
            fail_msg("case %zu: %s", i, err.msg);
        const double off = g.scale / asec / cases[i].pixel - 1;
        if (g.size != cases[i].pixels || !(off > -1e-9 && off < 1e-9))
            fail_msg("case %zu: %d pixels of %.9g", i, (int)g.size, g.scale / asec);
    }
}

static void geometries_that_cannot_be_are_told(void **state) {
    (void)state;
    static const struct {
        int64_t size;
        double scale, fov;
        const char *says; /* NULL: it can */
    } cases[] = {
        {0, 0x1p-21, 0.5, NULL},
        {0, 0x1p-21, 0.5 + 0x1p-21, "a field of 1048577 pixels: at most 1048576"},
        {2, 0.7071, 0, NULL},
        {2, 0.7072, 0, "a field of 2 pixels of 145870 arc seconds reaches below the horizon"},
        {1000, 0, 1.4142, NULL},
        {1000, 0, 1.4143, "a field of 1000 pixels of 291.72 arc seconds reaches below the horizon"},
        {3, 0.1, 0, "an image of 3 pixels: the size must be even"},
        {4, 0.1, 0.4, "--size, --scale and --fov are all given, expected at most two"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        grid_geometry g = {0};
        wadi_error err = {.status = WADI_OK};
        const wadi_status status =
            grid_geometry_choose(NULL, cases[i].size, cases[i].scale, cases[i].fov, &g, &err);
        assert_int_equal(status, cases[i].says == NULL ? WADI_OK : WADI_INVALID);
        if (cases[i].says != NULL) assert_string_equal(err.msg, cases[i].says);
    }
}

static bool is_smooth(int64_t n) {
    for (int p = 2; p <= 5; p++)
        while (n % p == 0) n /= p;
    return n == 1;
}

static void grids_are_the_next_that_transforms_like(void **state) {
    (void)state;
    for (int64_t size = 0; size < 1100; size++) {
        int64_t want = size < 2 ? 2 : size + size / 4;
        while (want % 2 != 0 || !is_smooth(want)) want++;
        assert_int_equal(grid_padded(size), want);
    }
}

/* Of a compact array, or of the first rows of a stream, whose baselines are short. */
static void a_grid_has_room_for_every_image_that_is_chosen(void **state) {
    (void)state;
    for (double longest = 0.2; longest < 1000; longest *= 1.03) {
        for (int64_t size = 0; size < 700; size = size * 3 / 2 / 2 * 2 + 2) {
            const grid_limits limits = {.n = 1, .longest = longest, .shortest = 0.1};
            grid_geometry g = {0};
            wadi_error err = {.status = WADI_OK};
            if (grid_geometry_choose(&limits, size, 0, 0, &g, &err) != WADI_OK)
                fail_msg("%g: %s", longest, err.msg);
            assert_true(g.size == size || size == 0);
            assert_true((double)grid_padded(g.size) * g.scale <= 1.4);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(baselines_of_any_length_give_an_image),
        cmocka_unit_test(without_baselines_nothing_is_chosen),
        cmocka_unit_test(sizes_and_scales_follow_the_rule),
        cmocka_unit_test(geometries_that_cannot_be_are_told),
        cmocka_unit_test(grids_are_the_next_that_transforms_like),
        cmocka_unit_test(a_grid_has_room_for_every_image_that_is_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
