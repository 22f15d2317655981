/* Several devices with memory of their own: how many bytes are copied, and what is cut. The bits are those of one device (fission_test.c cuts
 * everywhere). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/error.h"
#include "tests/conformance/runner.h"

enum {
    UNIT = 4096,
    UNITS = 10,
    N = UNITS * UNIT,
    BYTES = N * 8,
    HALF = BYTES / 2,
    LARGE = 128 * UNIT
};

static double v[LARGE], w[LARGE];

static void in_halves(void *env, int64_t n, int parts, int64_t *at) {
    WADI_UNUSED(env);
    for (int p = 1; p < parts; p++) at[p] = n * p / parts;
}

/* Runs it over n elements on two devices, compares with the interpreter, and counts. */
static wadi_split_copies counted_of(int n, const char *text, bool always,
                                    wadi_schedule_option schedule) {
    wadi_split_copies count = {0};
    wadi_interp_input in[2];
    conf_case c;
    wadi_text why = {0};
    for (int i = 0; i < n; i++) {
        v[i] = (double)(i * 31 % 9973) / 13;
        w[i] = (double)(i * 37 % 5003) / 11 - 100;
    }
    in[0] = (wadi_interp_input){"v", conf_vector(WADI_F64, n, v)};
    in[1] = (wadi_interp_input){"w", conf_vector(WADI_F64, n, w)};
    const wadi_interp_io io = {in, 2, NULL, 0};
    if (!conf_case_text(&c, text, &io, &why) || c.want == NULL) fail_msg("%s", wadi_text_str(&why));
    wadi_exe *exe = conf_compile(&c, NULL, &why);
    assert_non_null(exe);
    const wadi_split_rule rule = {always ? in_halves : NULL, NULL};
    const conf_parts parts = {2, rule, true, &count};
    const conf_variant on = {NULL, schedule, 1, 0, .device = "null", .parts = &parts};
    if (!conf_run(&c, exe, &on, &why)) fail_msg("%s", wadi_text_str(&why));
    wadi_exe_destroy(exe);
    wadi_text_fini(&why);
    conf_case_fini(&c);
    return count;
}

static wadi_split_copies counted(const char *text, bool always, wadi_schedule_option schedule) {
    return counted_of(N, text, always, schedule);
}

#define INPUTS "program apart\ninput v : f64[n]\ninput w : f64[n]\n"

/* Two maps and a fold: inputs go to the devices once, and the values of one device's blocks to the other. */
static void fragments_stay_where_they_are(void **state) {
    (void)state;
    static const char text[] =
        INPUTS "x = map v (a) { mul a 0.3 }\ny = compute x\n"
               "z = zip_with y w (a, b) { sub (mul a 0.5) b }\nu = compute z\n"
               "t = fold 0.5 u (a, b) { sub b (mul a 0.5) }\noutput t\n";
    const int64_t blocks = UNITS / 2 * 8;
    const wadi_split_copies count = counted(text, false, WADI_SCHEDULE_FORCE_FLAT);
    assert_int_equal(count.cut, 3);
    assert_int_equal(count.cut_put, 2 * BYTES);
    assert_int_equal(count.cut_got, 0);
    assert_int_equal(count.put, 2 * BYTES + blocks);
    assert_int_equal(count.got, blocks + 8);
}

/* The same of maps where groups compute; the result is fetched once. */
static void results_are_gathered_once(void **state) {
    (void)state;
    static const char text[] = INPUTS "x = map v (a) { mul a 0.3 }\ny = compute x\n"
                                      "z = zip_with y w (a, b) { sub (mul a 0.5) b }\noutput z\n";
    const wadi_split_copies count = counted(text, false, WADI_SCHEDULE_FORCE_GROUP);
    assert_int_equal(count.cut, 2);
    assert_int_equal(count.put, 2 * BYTES);
    assert_int_equal(count.got, BYTES);
}

/* Folds and scans: devices compute their blocks, one of them combines what is carried from block to block. */
static wadi_split_copies of_large(const char *text, bool in_groups) {
    return counted_of(LARGE, text, false,
                      in_groups ? WADI_SCHEDULE_FORCE_GROUP : WADI_SCHEDULE_FORCE_FLAT);
}

static void blocks_of_folds_are_shared_out(void **state) {
    (void)state;
    static const char text[] = INPUTS "t = fold 0.5 v (a, b) { sub b (mul a 0.5) }\noutput t\n";
    for (int in_groups = 0; in_groups < 2; in_groups++) {
        const wadi_split_copies count = of_large(text, in_groups);
        const int64_t carried = LARGE / UNIT / 2 * 8; /* the second half, to the first device */
        assert_int_equal(count.cut, 1);
        assert_int_equal(count.put, LARGE * 8 + carried);
        assert_int_equal(count.got, carried + 8);
    }
}

/* The last block carries nothing. Units are four blocks, of groups 64, so a device computes the results of the blocks whose carries it has made, and none
 * moves. All carries come to one device and go to the other. */
static void blocks_of_scans_are_shared_out(void **state) {
    (void)state;
    static const char text[] = INPUTS "t = scanl1 v (a, b) { sub b (mul a 0.5) }\noutput t\n";
    for (int in_groups = 0; in_groups < 2; in_groups++) {
        const wadi_split_copies count = of_large(text, in_groups);
        const int64_t blocks = LARGE / UNIT, there = blocks / 2 - 1, all = blocks - 1;
        assert_int_equal(count.cut, 2);
        assert_int_equal(count.put, (LARGE + there + all) * 8);
        assert_int_equal(count.got, (LARGE + there + all) * 8);
    }
}

#define TURNED                                                                     \
    INPUTS "x = map v (a) { mul a 0.3 }\ny = compute x\nn = unit { extent v 0 }\n" \
           "b = backpermute y n (i) { sub (sub (extent y 0) 1) i }\n"              \
           "z = zip_with b w (p, q) { add p q }\noutput z\n"

/* What any unit may read goes to each device that lacks it, when the launch is cut nevertheless. */
static void what_all_read_is_copied_to_each(void **state) {
    (void)state;
    const wadi_split_copies count = counted(TURNED, true, WADI_SCHEDULE_FORCE_FLAT);
    assert_int_equal(count.cut, 2);
    assert_int_equal(count.put, BYTES + BYTES + BYTES); /* v and w by halves, y crosswise */
    assert_int_equal(count.got, BYTES + BYTES);
}

/* One device alone copies less: a half of y. */
static void a_launch_is_whole_where_that_copies_less(void **state) {
    (void)state;
    const wadi_split_copies count = counted(TURNED, false, WADI_SCHEDULE_FORCE_FLAT);
    assert_int_equal(count.cut, 1);
    assert_int_equal(count.put, BYTES + BYTES + HALF);
    assert_int_equal(count.got, HALF + BYTES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fragments_stay_where_they_are),
        cmocka_unit_test(results_are_gathered_once),
        cmocka_unit_test(blocks_of_folds_are_shared_out),
        cmocka_unit_test(blocks_of_scans_are_shared_out),
        cmocka_unit_test(what_all_read_is_copied_to_each),
        cmocka_unit_test(a_launch_is_whole_where_that_copies_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
