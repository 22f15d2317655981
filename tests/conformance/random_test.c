/* Random numbers are the same under every schedule, on every device and in every cut of a stream. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/conformance/runner.h"

static wadi_exp dice(wadi_exp seed, wadi_exp index) {
    return wadi_random_between(seed, index, wadi_i32(-5), wadi_i32(100));
}

static const char *const any1[] = {"?"};

static wadi_acc numbers(wadi_fn2 draw, wadi_acc like) {
    return wadi_random_array(draw, wadi_shape_of(like), wadi_i64(7));
}

static wadi_exp by_value(wadi_exp x) {
    return wadi_random_normal_f64(x, wadi_i64(3));
}

static wadi_acc of_elements(wadi_acc a) {
    return wadi_tuple(4, (const wadi_acc[]){numbers(wadi_random_f32, a), numbers(dice, a),
                                            numbers(wadi_random_normal_f32, a),
                                            wadi_map(by_value, a)});
}

static void in_streams_and_whole(void **state) {
    enum { N = 9, LONGEST = 5000 };
    static int32_t data[LONGEST];
    static const int64_t length[N] = {0, 1, 17, 4500, 3, 64, 0, 255, 2};
    wadi_array element[N];
    (void)state;
    for (int i = 0; i < LONGEST; i++) data[i] = i * 7919 % 613 - 300;
    for (int i = 0; i < N; i++) element[i] = conf_vector(WADI_I32, length[i], data + i);
    const wadi_interp_source source = {.name = "s", .n = N, .elements = element};
    wadi_component c = {wadi_scalar_elem(WADI_I32), 1, NULL};
    wadi_program *p = wadi_program_create("stream");
    wadi_stream_out(wadi_map_seq(of_elements, wadi_stream_in("s", 1, &c)), "out");
    conf_assert_agrees(p, &(wadi_interp_io){NULL, 0, &source, 1}, 0, NULL);

    p = wadi_program_create("whole");
    wadi_output("x", of_elements(wadi_input("a", WADI_I32, 1, any1)));
    const wadi_interp_input in = {"a", conf_vector(WADI_I32, LONGEST, data)};
    conf_assert_agrees(p, &(wadi_interp_io){&in, 1, NULL, 0}, 0, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_streams_and_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
