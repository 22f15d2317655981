/* Options at their bounds: the least and the greatest value of every number and the values beside them, the field that every flag
 * sets, and options that need or exclude each other. Each refusal is compared as a whole sentence. */
#include "apps/audio/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_ARGS = 16 };

static wadi_status parse(flac_options *o, wadi_error *err, const char *const *args) {
    static char words[MAX_ARGS][80];
    char *argv[MAX_ARGS] = {(char[]){"wadi-flac"}};
    int argc = 1;
    for (; args[argc - 1] != NULL; argc++) {
        snprintf(words[argc], sizeof words[argc], "%s", args[argc - 1]);
        argv[argc] = words[argc];
    }
    return flac_options_parse(argc, argv, o, err);
}

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void refuses(const char *const *args, wadi_status status, const char *said) {
    flac_options o;
    wadi_error err = {.status = WADI_OK};
    const wadi_status st = parse(&o, &err, args);
    if (st != status || strcmp(err.msg, said) != 0)
        fail_msg("%s ..: \"%s\" is not \"%s\"", args[0], err.msg, said);
    flac_options_fini(&o);
}

static const struct {
    const char *option;
    long long low, high;
    size_t field, bytes;
    const char *want;
} numbers[] = {
#define FIELD(f) offsetof(flac_options, f), sizeof(((flac_options *)0)->f)
    {"--chunk", 1, 2147483647, FIELD(chunk), "a number of blocks or \"auto\""},
    {"--threads", 1, 1024, FIELD(threads), "a number from 1 to 1024"},
    {"--blocksize", 16, 16384, FIELD(block), "a number of samples from 16 to 16384"},
    {"--convert", 8, 32, FIELD(wish.convert), "a number of bits from 8 to 32"},
    {"--padding", 0, 16777215, FIELD(padding), "a number of bytes below 16 MiB"},
    {"--channels", 1, 8, FIELD(wish.channels), "a number from 1 to 8"},
    {"--bps", 4, 32, FIELD(wish.layout.bits), "a number of bits from 4 to 32"},
    {"--sample-rate", 1, 1048575, FIELD(wish.rate), "a number from 1 to 1048575"},
};

static void numbers_have_bounds(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (int way = 0; way < 4; way++) {
            const long long v = way == 0   ? numbers[i].low - 1
                                : way == 1 ? numbers[i].low
                                : way == 2 ? numbers[i].high
                                           : numbers[i].high + 1;
            char text[40], said[160];
            snprintf(text, sizeof text, "%lld", v);
            if (way == 0 || way == 3) {
                snprintf(said, sizeof said, "%s: \"%s\" is not %s", numbers[i].option, text,
                         numbers[i].want);
                refuses(ARGS(numbers[i].option, text, "x"), WADI_INVALID, said);
                continue;
            }
            flac_options o;
            assert_int_equal(parse(&o, NULL, ARGS(numbers[i].option, text, "x")), WADI_OK);
            const char *field = (const char *)&o + numbers[i].field;
            const long long got = numbers[i].bytes == sizeof(int)
                                      ? *(const int *)(const void *)field
                                      : *(const int64_t *)(const void *)field;
            if (got != v) fail_msg("%s %lld is %lld", numbers[i].option, v, got);
            flac_options_fini(&o);
        }
}

static void levels_are_digits(void **state) {
    (void)state;
    for (int level = 0; level <= 8; level++) {
        const char text[] = {'-', (char)('0' + level), '\0'};
        flac_options o;
        assert_int_equal(parse(&o, NULL, ARGS(text, "x")), WADI_OK);
        assert_int_equal(o.level, level);
        flac_options_fini(&o);
        assert_int_equal(parse(&o, NULL, ARGS(text, "-e", "x")), WADI_OK);
        assert_int_equal(o.level, 8); /* what searches all tries what the highest level tries */
        flac_options_fini(&o);
    }
}

/* Of all flags this one alone is set. */
static const struct {
    const char *name, *letter;
    size_t field;
} flags[] = {
#define IS(name, letter, f) \
    { name, letter, offsetof(flac_options, f) }
    IS("--mid-side", "-m", idle),
    IS("--adaptive-mid-side", "-M", idle),
    IS("--exhaustive-model-search", "-e", search),
    IS("--qlp-coeff-precision-search", "-p", search),
    IS("--lax", NULL, lax),
    IS("--no-seektable", NULL, no_seektable),
    IS("--warnings-as-errors", "-w", strict),
    IS("--decode", "-d", decode),
    IS("--test", "-t", test),
    IS("--verify", "-V", verify),
    IS("--stdout", "-c", to_stdout),
    IS("--delete-input-file", NULL, delete_input),
    IS("--no-padding", NULL, no_padding),
    IS("--keep-foreign-metadata", NULL, keep_foreign),
    IS("--ignore-chunk-sizes", NULL, ignore_sizes),
    IS("--sync", NULL, sync),
    IS("--explain", NULL, explain),
    IS("--force", "-f", force),
    IS("--quiet", "-q", quiet),
    IS("--silent", "-s", quiet),
    IS("--totally-silent", NULL, quiet),
    IS("--help", "-h", help),
    IS("--version", "-v", version),
    IS("--seekpoint=-", "-S-", no_seektable),
    IS("--max-lpc-order=3", "-l3", idle),
    IS("--rice-partition-order=3", "-r3", idle),
    IS("--apodization=hann", "-Ahann", idle),
};

static void flags_set_one_field(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        for (int way = 0; way < (flags[i].letter != NULL ? 2 : 1); way++) {
            flac_options o;
            const char *arg = way == 0 ? flags[i].name : flags[i].letter;
            assert_int_equal(parse(&o, NULL, ARGS(arg, "x")), WADI_OK);
            for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
                const bool is = *((const char *)&o + flags[k].field) != 0;
                if (is != (flags[k].field == flags[i].field))
                    fail_msg("%s: %s is %d", arg, flags[k].name, is);
            }
            const flac_action want = o.test ? FLAC_TEST : o.decode ? FLAC_DECODE : FLAC_ENCODE;
            if (!o.help && !o.version) assert_int_equal(o.action, want);
            assert_int_equal(o.wish.keep_all, o.keep_foreign);
            assert_int_equal(o.wish.iff.ignore_sizes, o.ignore_sizes);
            flac_options_fini(&o);
        }
}

static void what_goes_together_and_what_does_not(void **state) {
    (void)state;
    static const char no_part[] =
        "--keep-foreign-metadata describes all of the sound, --skip and --until want a part";
    static const char no_delete[] =
        "--delete-input-file: with --skip or --until the output is only a part of it";
    refuses(ARGS("--keep-foreign-metadata", "--skip=5", "x"), WADI_INVALID, no_part);
    refuses(ARGS("--until=5", "--keep-foreign-metadata", "x"), WADI_INVALID, no_part);
    refuses(ARGS("--delete-input-file", "--skip=5", "x"), WADI_INVALID, no_delete);
    refuses(ARGS("--delete-input-file", "--until=-5", "x"), WADI_INVALID, no_delete);
    refuses(ARGS("--keep-foreign-metadata", "--ignore-chunk-sizes", "x"), WADI_INVALID,
            "--keep-foreign-metadata believes the sizes that --ignore-chunk-sizes does not");
    refuses(ARGS("-o", "z", "x", "y"), WADI_INVALID,
            "several inputs and one output: \"x\" and \"y\"");
    refuses(ARGS("-c", "x", "y"), WADI_INVALID, "several inputs and one output: \"x\" and \"y\"");
    refuses(ARGS("-d", "-c", "x", "y"), WADI_INVALID,
            "several inputs and one output: \"x\" and \"y\"");
    refuses(ARGS("-q"), WADI_INVALID, "no input; --help tells more");
    refuses(ARGS("--endian=middle", "x"), WADI_INVALID,
            "--endian: \"middle\" is not \"big\" or \"little\"");
    refuses(ARGS("--sign=no", "x"), WADI_INVALID,
            "--sign: \"no\" is not \"signed\" or \"unsigned\"");
    refuses(ARGS("--schedule=up", "x"), WADI_INVALID,
            "--schedule: \"up\" is not auto, inside, flat, across or group");
    refuses(ARGS("--tag==v", "x"), WADI_INVALID, "--tag: \"=v\" is not NAME=VALUE");
    refuses(ARGS("--tag-from-file=v", "x"), WADI_INVALID,
            "--tag-from-file: \"v\" is not NAME=FILE");
}

static void raw_samples_are_described_in_whole(void **state) {
    (void)state;
    static const char *const all[] = {"--endian=big", "--sign=unsigned", "--channels=3", "--bps=24",
                                      "--sample-rate=7"};
    flac_options o;
    for (int missing = -1; missing < 5; missing++)
        for (int decode = 0; decode < 2; decode++) {
            const char *args[9] = {"--force-raw-format"};
            wadi_error err = {.status = WADI_OK};
            int n = 1;
            for (int i = 0; i < 5; i++)
                if (i != missing) args[n++] = all[i];
            if (decode) args[n++] = "-d";
            args[n] = "x";
            const char *said = missing == 0 || missing == 1
                                   ? "--force-raw-format wants --endian and --sign"
                               : missing > 1 && !decode
                                   ? "--force-raw-format wants --channels, --bps and --sample-rate"
                                   : NULL;
            if (said != NULL) {
                refuses(args, WADI_INVALID, said);
                continue;
            }
            assert_int_equal(parse(&o, &err, args), WADI_OK);
            assert_true(o.wish.layout.big_endian && o.wish.layout.is_unsigned);
            assert_int_equal(o.wish.raw, !decode);
            if (!decode) assert_int_equal(o.wish.layout.width, 3);
            assert_string_equal(o.out, decode ? "x.raw" : "x.flac");
            flac_options_fini(&o);
        }
    for (int bits = 4; bits <= 32; bits++) {
        char bps[24];
        snprintf(bps, sizeof bps, "--bps=%d", bits);
        const char *const args[] = {"--force-raw-format",
                                    "--endian=little",
                                    "--sign=signed",
                                    "--channels=1",
                                    bps,
                                    "--sample-rate=1",
                                    "x",
                                    NULL};
        if (bits % 8 != 0) {
            refuses(args, WADI_UNSUPPORTED, "--bps: raw samples are 8, 16, 24 or 32 bits");
            continue;
        }
        assert_int_equal(parse(&o, NULL, args), WADI_OK);
        assert_int_equal(o.wish.layout.width, bits / 8);
        assert_false(o.wish.layout.big_endian || o.wish.layout.is_unsigned);
        flac_options_fini(&o);
    }
}

static void outputs_are_named_by_what_is_done(void **state) {
    (void)state;
    static const struct {
        const char *args[4], *out;
    } cases[] = {{{"a/b.c/d", NULL}, "a/b.c/d.flac"},
                 {{"-d", "a/b.flac", NULL}, "a/b.wav"},
                 {{"-d", "-", NULL}, "-"},
                 {{"--output-prefix=p", "a/b.c/d.e.f", NULL}, "pd.e.flac"},
                 {{"--output-prefix=p", "-d", ".flac", NULL}, "p.flac.wav"},
                 {{"--output-prefix=p", "-", NULL}, "-"},
                 {{"--output-name=z", "x.wav", NULL}, "z"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        flac_options o;
        assert_int_equal(parse(&o, NULL, cases[i].args), WADI_OK);
        assert_string_equal(o.out, cases[i].out);
        flac_options_fini(&o);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_bounds),
        cmocka_unit_test(levels_are_digits),
        cmocka_unit_test(flags_set_one_field),
        cmocka_unit_test(what_goes_together_and_what_does_not),
        cmocka_unit_test(raw_samples_are_described_in_whole),
        cmocka_unit_test(outputs_are_named_by_what_is_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
