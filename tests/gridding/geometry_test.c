/* Size and scale of an image as the baselines want them. */
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
    assert_non_null(strstr(err.msg, "how fine"));
    assert_int_equal(grid_geometry_choose(&coarse, 0, 0, 0, &g, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "how wide"));
    assert_int_equal(grid_geometry_choose(NULL, 64, 1e-4, 0, &g, &err), WADI_OK);
    assert_int_equal(g.size, 64);
    assert_true(g.scale == 1e-4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(baselines_of_any_length_give_an_image),
        cmocka_unit_test(without_baselines_nothing_is_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
