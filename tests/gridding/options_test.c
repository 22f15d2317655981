/* The command line of wadi-grid: values at the ends of their ranges, and options that exclude each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "apps/gridding/limits.h"
#include "apps/gridding/options.h"
#include "apps/gridding/polarisation.h"
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
    refused("--channels 2147483648:", "A <= B");
    refused("--channels 1:2:3", "A <= B");
    refused("--channels 1:x", "A <= B");
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
    setups("--setup 3,0,3 --spw 0,5 --freqid 3,7", 4, (int[]){4, 1, 6, 8});
    setups("--setup 2:4,3:5,0", 5, (int[]){3, 4, 5, 6, 1});
    refused("--setup 4:3", "numbers such as");
    refused("--setup 1,", "numbers such as");
    refused("--setup ,1", "numbers such as");
    refused("--setup 1:2:3", "numbers such as");
    setups("--setup 2147483646", 1, (int[]){2147483647});
    setups("--setup 00000000000000000000000000000000000000000000003", 1,
           (int[]){4}); /* 47 digits */
    refused("--setup 000000000000000000000000000000000000000000000003", "numbers such as"); /* 48 */
    refused("--setup 2147483647", "numbers such as");
    refused("--setup 2147483645:2147483647", "numbers such as");
    grid_options o = accepted("--setup 5:4100"); /* 4096 of them */
    assert_int_equal(o.setups.n, 4096);
    assert_int_equal(o.setups.at[4095], 4101);
    grid_options_fini(&o);
    refused("--setup 5:4101", "numbers such as");
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

static void nothing_is_set_unasked(void **state) {
    (void)state;
    grid_options o = accepted("");
    const char *const names[] = {o.png,    o.method,  o.aterm, o.column,      o.key,
                                 o.listen, o.senders, o.token, o.via.address, o.via.key};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) assert_null(names[i]);
    assert_true(o.epsilon == 1e-4 && o.scale == 0 && o.fov == 0 && o.w_step == 0 && o.live_s == 0);
    assert_true(o.size == 0 && o.first_channel == 0 && o.last_channel == -1 && o.setups.n == 0);
    assert_true(o.stokes == 0 && o.field == 0 && o.support == 0 && o.oversample == 0);
    assert_true(o.memory == 0 && o.chunk == 0 && o.threads == 0 && o.part == 0);
    assert_int_equal(o.schedule, WADI_SCHEDULE_AUTO);
    assert_int_equal(o.weights.kind, GRID_NATURAL);
    grid_options_fini(&o);
}

static void each_name_is_its_own(void **state) {
    (void)state;
    static const struct {
        const char *words;
        size_t name;
    } names[] = {
        {"--png name", offsetof(grid_options, png)},
        {"--method name", offsetof(grid_options, method)},
        {"-m name", offsetof(grid_options, method)},
        {"-m aw --aterm name", offsetof(grid_options, aterm)},
        {"--column name", offsetof(grid_options, column)},
        {"--key name --senders s", offsetof(grid_options, key)},
        {"--senders name --key k", offsetof(grid_options, senders)},
        {"--token name", offsetof(grid_options, token)},
        {"--via name", offsetof(grid_options, via.address)},
        {"--via a --key name --worker-keys w", offsetof(grid_options, via.key)},
        {"--via a --key k --worker-keys name", offsetof(grid_options, via.worker_keys)},
        {"--via a --token name", offsetof(grid_options, via.token)},
        {"-o name", offsetof(grid_options, output)},
        {"--output=name", offsetof(grid_options, output)},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        grid_options o = accepted(names[i].words);
        const char *got = *(const char *const *)((const char *)&o + names[i].name);
        if (got == NULL || strcmp(got, "name") != 0) fail_msg("%s", names[i].words);
        grid_options_fini(&o);
    }
    char *argv[] = {"wadi-grid", "-o", "image", "--listen", "name", "--live", "2.5"};
    grid_options o;
    assert_int_equal(grid_options_parse(7, argv, &o, NULL), WADI_OK);
    assert_string_equal(o.listen, "name");
    assert_true(o.live_s == 2.5 && o.inputs.n == 0);
    grid_options_fini(&o);
}

static void each_flag_is_its_own(void **state) {
    (void)state;
    static const struct {
        const char *words;
        size_t flag;
    } flags[] = {
        {"--psf", offsetof(grid_options, psf)},
        {"--conjugate", offsetof(grid_options, conjugate)},
        {"--autocorrelations", offsetof(grid_options, autocorrelations)},
        {"--force-flagged", offsetof(grid_options, force_flagged)},
        {"--own-fft", offsetof(grid_options, own_fft)},
        {"--six-ffts", offsetof(grid_options, six_ffts)},
        {"--sync", offsetof(grid_options, sync)},
        {"--quiet", offsetof(grid_options, quiet)},
        {"-q", offsetof(grid_options, quiet)},
        {"--help", offsetof(grid_options, help)},
        {"-h", offsetof(grid_options, help)},
        {"--version", offsetof(grid_options, version)},
    };
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        grid_options o = accepted(flags[i].words);
        assert_int_equal(o.psf + o.conjugate + o.autocorrelations + o.force_flagged + o.own_fft +
                             o.six_ffts + o.sync + o.quiet + o.help + o.version,
                         1);
        if (!*(const bool *)((const char *)&o + flags[i].flag)) fail_msg("%s", flags[i].words);
        grid_options_fini(&o);
    }
}

static void angles_have_units(void **state) {
    (void)state;
    static const struct {
        const char *words;
        double asec;
    } angles[] = {
        {"--scale 1rad", 206264.80624709636},
        {"--scale 2deg", 7200},
        {"--scale 2amin", 120},
        {"--scale 2arcmin", 120},
        {"--scale 2asec", 2},
        {"--scale 0.5arcsec", 0.5},
        {"--scale 20mas", 0.02},
        {"--scale 30uas", 3e-5},
        {"--scale 1e1asec", 10},
    };
    const double asec = 4.84813681109536e-6;
    for (size_t i = 0; i < sizeof angles / sizeof angles[0]; i++) {
        grid_options o = accepted(angles[i].words);
        const double off = o.scale / asec / angles[i].asec - 1;
        if (!(off > -1e-12 && off < 1e-12))
            fail_msg("%s: %g asec", angles[i].words, o.scale / asec);
        grid_options_fini(&o);
    }
    static const char *const none[] = {"1", "deg", "0deg", "-1deg", "1degree", "1 deg", "nandeg"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        char *argv[] = {"wadi-grid", "-o", "image", "in", "--fov", (char *)(uintptr_t)none[i]};
        grid_options o;
        wadi_error err = {0};
        assert_int_equal(grid_options_parse(6, argv, &o, &err), WADI_INVALID);
        assert_non_null(strstr(err.msg, "--fov"));
        grid_options_fini(&o);
    }
}

static void words_mean_what_they_say(void **state) {
    (void)state;
    static const char *const schedules[] = {"auto", "inside", "flat", "across"};
    static const wadi_schedule_option meant[] = {WADI_SCHEDULE_AUTO, WADI_SCHEDULE_FORCE_INSIDE,
                                                 WADI_SCHEDULE_FORCE_FLAT,
                                                 WADI_SCHEDULE_FORCE_ACROSS};
    for (int i = 0; i < 4; i++) {
        char words[64];
        snprintf(words, sizeof words, "--schedule %s", schedules[i]);
        grid_options o = accepted(words);
        assert_int_equal(o.schedule, meant[i]);
        grid_options_fini(&o);
    }
    grid_options o = accepted("-w uniform -e 1e-7 -c 3 -p Q --w-step 12.5");
    assert_int_equal(o.weights.kind, GRID_UNIFORM);
    assert_true(o.epsilon == 1e-7 && o.w_step == 12.5);
    assert_true(o.first_channel == 3 && o.last_channel == 3);
    assert_int_equal(o.stokes, grid_stokes_code("Q"));
    grid_options_fini(&o);
    o = accepted("--weight briggs:-0.5 --channels :7");
    assert_true(o.weights.kind == GRID_BRIGGS && o.weights.robust == -0.5);
    assert_true(o.first_channel == 0 && o.last_channel == 7);
    grid_options_fini(&o);
    o = accepted("--weight briggs:2 --weight natural --channels :");
    assert_true(o.weights.kind == GRID_NATURAL && o.last_channel == -1);
    grid_options_fini(&o);
    refused("--weight briggs", "natural, uniform");
    refused("--weight unifor", "natural, uniform");
    refused("--pol W", "a polarisation");
    refused("--schedule sideways", "inside, flat");
    refused("--live 0", "--live");
    refused("--live soon", "--live");
}

static void what_does_not_go_together_is_told(void **state) {
    (void)state;
    refused("--size 64 --fov 1deg --scale 1asec", "at most two");
    refused("--png image", "one file");
    refused("--key k", "must be given together");
    refused("--senders s", "must be given together");
    refused("--aterm a", "--method aw");
    refused("--listen tcp://*:1", "takes the place");
    refused("--live 2", "--listen");
    static const char *const senders[] = {"--field 0", "--setup 0", "--column DATA", "--conjugate"};
    for (int i = 0; i < 4; i++) {
        char text[32], *argv[] = {"wadi-grid", "-o", "image", "--listen", "ipc://x", text, NULL};
        int argc = 6;
        grid_options o;
        wadi_error err = {0};
        snprintf(text, sizeof text, "%s", senders[i]);
        char *value = strchr(text, ' ');
        if (value != NULL) *value = '\0', argv[argc++] = value + 1;
        assert_int_equal(grid_options_parse(argc, argv, &o, &err), WADI_INVALID);
        assert_non_null(strstr(err.msg, "are the sender's"));
        grid_options_fini(&o);
    }
}

/* Of seconds between images. */
static void live_has_bounds(void **state) {
    (void)state;
    static const struct {
        const char *seconds;
        wadi_status status;
    } cases[] = {
        {"0.01", WADI_OK}, {"1e6", WADI_OK}, {"0.009", WADI_INVALID}, {"1000001", WADI_INVALID}};
    for (int i = 0; i < 4; i++) {
        char *argv[] = {"wadi-grid",
                        "-o",
                        "image",
                        "--listen",
                        "ipc://x",
                        "--live",
                        (char *)(uintptr_t)cases[i].seconds};
        grid_options o;
        assert_int_equal(grid_options_parse(7, argv, &o, NULL), cases[i].status);
        grid_options_fini(&o);
    }
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
        cmocka_unit_test(nothing_is_set_unasked),
        cmocka_unit_test(each_name_is_its_own),
        cmocka_unit_test(each_flag_is_its_own),
        cmocka_unit_test(angles_have_units),
        cmocka_unit_test(words_mean_what_they_say),
        cmocka_unit_test(what_does_not_go_together_is_told),
        cmocka_unit_test(live_has_bounds),
        cmocka_unit_test(nothing_is_destroyed_without_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
