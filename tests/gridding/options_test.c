/* The command line of wadi-grid: values at the ends of what they may be, and what does not go together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "apps/gridding/limits.h"
#include "apps/gridding/options.h"
#include "apps/gridding/session.h"
#include "base/error.h"

enum { MOST_ARGUMENTS = 32 };

/* Words of a command line behind "wadi-grid -o image in.vis". */
static wadi_status parse(const char *words, grid_options *o, wadi_error *err) {
    static char text[512];
    char *argv[MOST_ARGUMENTS] = {"wadi-grid", "-o", "image", "in.vis"};
    int argc = 4;
    snprintf(text, sizeof text, "%s", words);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " "))
        argv[argc++] = word;
    *o = (grid_options){0};
    return grid_options_parse(argc, argv, o, err);
}

static grid_options accepted(const char *words) {
    grid_options o;
    wadi_error err = {0};
    if (parse(words, &o, &err) != WADI_OK) fail_msg("%s: %s", words, err.msg);
    return o;
}

static void refused(const char *words, const char *says) {
    grid_options o;
    wadi_error err = {0};
    if (parse(words, &o, &err) != WADI_INVALID) fail_msg("%s is accepted", words);
    if (strstr(err.msg, says) == NULL) fail_msg("%s: %s", words, err.msg);
    grid_options_fini(&o);
}

static void channels(const char *words, int64_t first, int64_t last) {
    grid_options o = accepted(words);
    assert_int_equal(o.first_channel, first);
    assert_int_equal(o.last_channel, last);
    grid_options_fini(&o);
}

static void channels_are_a_range(void **state) {
    (void)state;
    channels("--channels 3:3", 3, 3);
    channels("--channels 0:2147483647", 0, 2147483647);
    channels("--channels 7:", 7, -1);
    channels("--channels 00000000000000000000003:4", 3, 4); /* 23 digits */
    refused("--channels 4:3", "A <= B");
    refused("--channels -1:3", "A <= B");
    refused("--channels 000000000000000000000003:4", "A <= B"); /* 24 */
    refused("--channels 0:2147483648", "A <= B");
    refused("--channels a:3", "A <= B");
}

static void setups(const char *words, size_t n, const int *plus_one) {
    grid_options o = accepted(words);
    assert_int_equal(o.setups.n, n);
    for (size_t i = 0; i < n; i++) assert_int_equal(o.setups.at[i], plus_one[i]);
    grid_options_fini(&o);
}

static void setups_are_taken_once_each(void **state) {
    (void)state;
    setups("--setup 3", 1, (int[]){4});
    setups("--setup 3,0,3 --spw 0 --freqid 3", 2, (int[]){4, 1});
    setups("--setup 2:4,3:5,0", 5, (int[]){3, 4, 5, 6, 1});
    refused("--setup 4:3", "numbers such as");
    refused("--setup 1,", "numbers such as");
    refused("--setup ,1", "numbers such as");
    refused("--setup 1:2:3", "numbers such as");
    refused("--setup 2147483647", "numbers such as");
}

static void numbers_have_bounds(void **state) {
    (void)state;
    static const struct {
        const char *least, *most, *below, *above;
    } bounds[] = {
        {"--epsilon 1e-13", "--epsilon 0.1", "--epsilon 9e-14", "--epsilon 0.11"},
        {"--size 2", "--size 4096", "--size 0", "--size 4095"},
        {"--field 0", "--field 2147483646", "--field -1", "--field 2147483647"},
        {"--support 1", "--support 4095", "--support 0", "--support 4097"},
        {"--support 3", "--support 5", "--support 2", "--support 4096"},
        {"--oversample 1", "--oversample 65536", "--oversample 0", "--oversample 65537"},
        {"--threads 1", "--threads 1024", "--threads 0", "--threads 1025"},
        {"--chunk 1", "--chunk 2147483647", "--chunk 0", "--chunk 2147483648"},
        {"--weight briggs:-5", "--weight briggs:5", "--weight briggs:-5.1", "--weight briggs:5.1"},
        {"--w-step 1e-9", "--w-step 1e12", "--w-step 0", "--w-step 1e13"},
        {"--memory 1", "--memory 1G", "--memory -1", "--memory 99999999999G"},
    };
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        grid_options o = accepted(bounds[i].least);
        grid_options_fini(&o);
        o = accepted(bounds[i].most);
        grid_options_fini(&o);
        refused(bounds[i].below, " is not ");
        refused(bounds[i].above, " is not ");
    }
}

static void values_arrive_where_they_belong(void **state) {
    (void)state;
    grid_options o = accepted("--size 64 --fov 1deg --field 2 --support 7 --oversample 9 "
                              "--threads 3 --chunk 5 --memory 2K --schedule flat");
    assert_int_equal(o.size, 64);
    assert_true(o.fov > 0.0174 && o.fov < 0.0175 && o.scale == 0);
    assert_int_equal(o.field, 3);
    assert_int_equal(o.support, 7);
    assert_int_equal(o.oversample, 9);
    assert_int_equal(o.threads, 3);
    assert_int_equal(o.chunk, 5);
    assert_int_equal(o.memory, 2048);
    assert_int_equal(o.schedule, WADI_SCHEDULE_FORCE_FLAT);
    assert_string_equal(o.output, "image");
    assert_int_equal(o.inputs.n, 1);
    assert_string_equal(o.inputs.at[0], "in.vis");
    grid_options_fini(&o);
}

static void what_does_not_go_together_is_told(void **state) {
    (void)state;
    refused("--size 64 --fov 1deg --scale 1asec", "two of them");
    refused("--png image", "one file");
    refused("--key k", "go together");
    refused("--senders s", "go together");
    refused("--aterm a", "--method aw");
    refused("--listen tcp://*:1", "takes the place");
    refused("--live 2", "--listen");
}

static void nothing_is_destroyed_without_harm(void **state) {
    (void)state;
    grid_options none = {0};
    grid_look_destroy(NULL);
    grid_session_destroy(NULL);
    grid_weigher_destroy(NULL);
    grid_density_destroy(NULL);
    grid_options_fini(&none);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(channels_are_a_range),
        cmocka_unit_test(setups_are_taken_once_each),
        cmocka_unit_test(numbers_have_bounds),
        cmocka_unit_test(values_arrive_where_they_belong),
        cmocka_unit_test(what_does_not_go_together_is_told),
        cmocka_unit_test(nothing_is_destroyed_without_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
