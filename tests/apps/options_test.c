/* The command line means what --help says, and mistakes are named. */
#include "apps/audio/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_ARGS = 16 };

static wadi_status parse(flac_options *o, wadi_error *err, const char *const *args) {
    char *argv[MAX_ARGS] = {(char *)"wadi-flac"};
    int argc = 1;
    for (; args[argc - 1] != NULL; argc++) argv[argc] = (char *)args[argc - 1];
    return flac_options_parse(argc, argv, o, err);
}

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void output_follows_the_input(void **state) {
    (void)state;
    const char *const cases[][2] = {{"a.wav", "a.flac"},
                                    {"dir.d/a", "dir.d/a.flac"},
                                    {"dir/a.b.ogg", "dir/a.b.flac"},
                                    {".wav", ".wav.flac"},
                                    {"-", "-"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        flac_options o;
        assert_int_equal(parse(&o, NULL, ARGS(cases[i][0])), WADI_OK);
        assert_string_equal(o.out, cases[i][1]);
        assert_int_equal(o.level, 5);
        flac_options_fini(&o);
    }
}

static void every_option_is_understood(void **state) {
    (void)state;
    flac_options o;
    assert_int_equal(parse(&o, NULL,
                           ARGS("-8", "-o", "x", "--chunk=7", "--threads", "2", "--memory=3M",
                                "--convert=16", "--force", "in.ogg")),
                     WADI_OK);
    assert_int_equal(o.level, 8);
    assert_string_equal(o.out, "x");
    assert_int_equal(o.chunk, 7);
    assert_int_equal(o.threads, 2);
    assert_int_equal(o.memory, 3 << 20);
    assert_int_equal(o.wish.convert, 16);
    assert_true(o.force);
    flac_options_fini(&o);
    assert_int_equal(parse(&o, NULL,
                           ARGS("--schedule", "flat", "--chunk", "auto", "-q", "--explain",
                                "--stats", "s", "-f", "--", "-8")),
                     WADI_OK);
    assert_int_equal(o.schedule, WADI_SCHEDULE_FORCE_FLAT);
    assert_int_equal(o.chunk, 0);
    assert_true(o.quiet && o.explain && o.force);
    assert_string_equal(o.stats, "s");
    assert_string_equal(o.in, "-8");
    flac_options_fini(&o);
}

static void options_of_flac_mean_what_they_mean_there(void **state) {
    (void)state;
    flac_options o;
    assert_int_equal(
        parse(&o, NULL,
              ARGS("-8Vsfj2", "-b4096", "-TA=1", "-T", "B=2", "--tag-from-file=C=f", "--picture=p",
                   "-P", "9", "--output-prefix=o/", "d/x.wav", "y.wav")),
        WADI_OK);
    assert_int_equal(o.level, 8);
    assert_int_equal(o.threads, 2);
    assert_int_equal(o.block, 4096);
    assert_true(o.verify && o.quiet && o.force);
    assert_int_equal(o.tags.n, 3);
    assert_string_equal(o.tags.at[0].value, "A=1");
    assert_true(o.tags.at[2].from_file);
    assert_int_equal(o.pictures.n, 1);
    assert_int_equal(o.padding, 9);
    assert_string_equal(o.out, "o/x.flac");
    assert_int_equal(flac_options_pick(&o, 1, NULL), WADI_OK);
    assert_string_equal(o.in, "y.wav");
    assert_string_equal(o.out, "o/y.flac");
    flac_options_fini(&o);
    assert_int_equal(parse(&o, NULL, ARGS("--best", "-d", "x.flac")), WADI_OK);
    assert_int_equal(o.level, 8);
    assert_string_equal(o.out, "x.wav");
    flac_options_fini(&o);
    assert_int_equal(parse(&o, NULL, ARGS("--fast", "-c", "x.wav")), WADI_OK);
    assert_int_equal(o.level, 0);
    assert_string_equal(o.out, "-");
    flac_options_fini(&o);
    assert_int_equal(parse(&o, NULL, ARGS("-t", "x.flac", "y.flac")), WADI_OK);
    assert_null(o.out);
    flac_options_fini(&o);
    wadi_error err = {0};
    assert_int_equal(parse(&o, NULL, ARGS("-t", "-o", "z", "x", "y")), WADI_OK); /* writes none */
    flac_options_fini(&o);
    assert_int_equal(parse(&o, &err, ARGS("-o", "z", "x", "y")), WADI_INVALID);
    assert_non_null(strstr(err.msg, "one output"));
    flac_options_fini(&o);
    assert_int_equal(parse(&o, &err, ARGS("--replay-gain", "x")), WADI_UNSUPPORTED);
    assert_non_null(strstr(err.msg, "metaflac"));
    flac_options_fini(&o);
}

static void help_and_version_need_no_input(void **state) {
    (void)state;
    flac_options o;
    assert_int_equal(parse(&o, NULL, ARGS("--help")), WADI_OK);
    assert_true(o.help);
    flac_options_fini(&o);
    assert_int_equal(parse(&o, NULL, ARGS("--version")), WADI_OK);
    assert_true(o.version);
    flac_options_fini(&o);
}

static void mistakes_are_named(void **state) {
    (void)state;
    const char *const cases[][3] = {
        {"-9", "x", "-9"},
        {"--chunk=0", "x", "--chunk"},
        {"--chunk=", "x", "--chunk"},
        {"--threads=0", "x", "--threads"},
        {"--memory=5X", "x", "--memory"},
        {"--memory=99999999999G", "x", "--memory"},
        {"--convert=7", "x", "--convert"},
        {"--schedule=up", "x", "--schedule"},
        {"--wat", "x", "--wat"},
        {"--padding=-1", "x", "--padding"},
        {"--tag=wrong", "x", "--tag"},
        {"--channel-map=5", "x", "--channel-map"},
        {"--force-raw-format", "x", "--endian"},
        {"-8z", "x", "-8z"},
        {"x", "-o", "expected a value"},
        {"-q", "-f", "no input"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        flac_options o;
        wadi_error err = {0};
        assert_int_equal(parse(&o, &err, ARGS(cases[i][0], cases[i][1])), WADI_INVALID);
        assert_non_null(strstr(err.msg, cases[i][2]));
        flac_options_fini(&o);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_follows_the_input),
        cmocka_unit_test(every_option_is_understood),
        cmocka_unit_test(options_of_flac_mean_what_they_mean_there),
        cmocka_unit_test(help_and_version_need_no_input),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
