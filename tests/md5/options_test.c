/* The command line of wadi-md5: each option sets its field, up to the ends of its range. */
#include "apps/md5/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Words of a command line behind "wadi-md5". */
static wadi_status parse(const char *words, md5_options *o, wadi_error *err) {
    static char text[512];
    char *argv[32] = {"wadi-md5"};
    int argc = 1;
    snprintf(text, sizeof text, "%s", words);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " "))
        argv[argc++] = word;
    return md5_options_parse(argc, argv, o, err);
}

static md5_options accepted(const char *words) {
    md5_options o;
    wadi_error err = {0};
    if (parse(words, &o, &err) != WADI_OK) fail_msg("%s: %s", words, err.msg);
    return o;
}

static void refused(const char *words, const char *says) {
    md5_options o;
    wadi_error err = {0};
    if (parse(words, &o, &err) != WADI_INVALID) fail_msg("%s is accepted", words);
    if (strstr(err.msg, says) == NULL) fail_msg("%s: %s", words, err.msg);
    md5_options_fini(&o);
}

static void nothing_is_set_unasked(void **state) {
    (void)state;
    md5_options o = accepted("-m list words");
    assert_int_equal(o.hashes.n, 1);
    assert_string_equal(o.hashes.at[0], "list");
    assert_int_equal(o.dictionaries.n, 1);
    assert_string_equal(o.dictionaries.at[0], "words");
    assert_true(o.state == NULL && o.output == NULL);
    assert_true(o.threads == 0 && o.memory == 0 && o.chunk == 0);
    assert_false(o.keep_cr || o.no_unpack || o.sync || o.quiet || o.help || o.version);
    md5_options_fini(&o);
}

static void values_arrive_where_they_belong(void **state) {
    (void)state;
    md5_options o = accepted("one --hashes a -m b --output out two --state place --threads 3 "
                             "--chunk 5 --memory 2K three");
    assert_int_equal(o.hashes.n, 2);
    assert_string_equal(o.hashes.at[0], "a");
    assert_string_equal(o.hashes.at[1], "b");
    assert_int_equal(o.dictionaries.n, 3);
    assert_string_equal(o.dictionaries.at[0], "one");
    assert_string_equal(o.dictionaries.at[2], "three");
    assert_string_equal(o.output, "out");
    assert_string_equal(o.state, "place");
    assert_int_equal(o.threads, 3);
    assert_int_equal(o.chunk, 5);
    assert_int_equal(o.memory, 2048);
    md5_options_fini(&o);
    o = accepted("-m a -o out - -- -q");
    assert_string_equal(o.output, "out");
    assert_int_equal(o.dictionaries.n, 2);
    assert_string_equal(o.dictionaries.at[1], "-q");
    assert_false(o.quiet);
    md5_options_fini(&o);
}

static void each_flag_is_its_own(void **state) {
    (void)state;
    static const struct {
        const char *words;
        size_t flag;
    } flags[] = {
        {"--keep-cr", offsetof(md5_options, keep_cr)},
        {"--no-unpack", offsetof(md5_options, no_unpack)},
        {"--sync", offsetof(md5_options, sync)},
        {"--quiet", offsetof(md5_options, quiet)},
        {"-q", offsetof(md5_options, quiet)},
        {"--help", offsetof(md5_options, help)},
        {"-h", offsetof(md5_options, help)},
        {"--version", offsetof(md5_options, version)},
    };
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        char words[64];
        snprintf(words, sizeof words, "-m a words %s", flags[i].words);
        md5_options o = accepted(words);
        assert_int_equal(o.keep_cr + o.no_unpack + o.sync + o.quiet + o.help + o.version, 1);
        if (!*(const bool *)((const char *)&o + flags[i].flag)) fail_msg("%s", words);
        md5_options_fini(&o);
    }
    md5_options o = accepted("--help"); /* asks for nothing else */
    md5_options_fini(&o);
    o = accepted("--version");
    md5_options_fini(&o);
}

static void numbers_have_bounds(void **state) {
    (void)state;
    static const struct {
        const char *least, *most, *below, *above;
    } bounds[] = {
        {"--threads 1", "--threads 1024", "--threads 0", "--threads 1025"},
        {"--chunk 1", "--chunk 2147483647", "--chunk 0", "--chunk 2147483648"},
        {"--memory 1", "--memory 8388607T", "--memory 0", "--memory 8388608T"},
        {"--threads 2", "--threads 4", "--threads x", "--threads 4x"},
    };
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        char words[96];
        const char *const fine[] = {bounds[i].least, bounds[i].most}, *const bad[] = {
                                                                          bounds[i].below,
                                                                          bounds[i].above};
        for (int k = 0; k < 2; k++) {
            snprintf(words, sizeof words, "-m a words %s", fine[k]);
            md5_options o = accepted(words);
            md5_options_fini(&o);
            snprintf(words, sizeof words, "-m a words %s", bad[k]);
            refused(words, " is not ");
        }
    }
}

static void what_is_missing_or_twice_is_told(void **state) {
    (void)state;
    refused("", "no digests");
    refused("words", "no digests");
    refused("-m a", "no dictionary");
    refused("-m - -", "is given more than once");
    refused("-m a - -", "is given more than once");
    refused("-m - -m - words", "is given more than once");
    refused("-m a words --loud", "--loud");
    refused("-m a words --state", "expected a value after it, found none");
    md5_options o = accepted("-m - words");
    md5_options_fini(&o);
    o = accepted("-m a -");
    md5_options_fini(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_set_unasked),
        cmocka_unit_test(values_arrive_where_they_belong),
        cmocka_unit_test(each_flag_is_its_own),
        cmocka_unit_test(numbers_have_bounds),
        cmocka_unit_test(what_is_missing_or_twice_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
