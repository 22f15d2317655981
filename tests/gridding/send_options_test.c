/* The command line of wadi-vis-send: defaults, the field that each option sets, the ends of each range, and options that exclude
 * each other. */
#include "apps/gridding/send_options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"

enum { MOST_ARGUMENTS = 32 };

/* Words of a command line behind "wadi-vis-send". */
static wadi_status parse(const char *words, send_options *o, wadi_error *err) {
    static char text[512];
    char *argv[MOST_ARGUMENTS] = {"wadi-vis-send"};
    int argc = 1;
    snprintf(text, sizeof text, "%s", words);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " "))
        argv[argc++] = word;
    *o = (send_options){0};
    return send_options_parse(argc, argv, o, err);
}

static send_options accepted(const char *words) {
    send_options o;
    wadi_error err = {0};
    if (parse(words, &o, &err) != WADI_OK) fail_msg("%s: %s", words, err.msg);
    return o;
}

static void refused(const char *words, const char *says) {
    send_options o;
    wadi_error err = {0};
    if (parse(words, &o, &err) != WADI_INVALID) fail_msg("%s is accepted", words);
    if (strstr(err.msg, says) == NULL) fail_msg("%s: %s", words, err.msg);
    send_options_fini(&o);
}

static void nothing_is_set_unasked(void **state) {
    (void)state;
    send_options o = accepted("a b c");
    const char *const names[] = {o.key,    o.receiver,   o.token,           o.new_key,
                                 o.column, o.watch.http, o.watch.http_token};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) assert_null(names[i]);
    assert_string_equal(o.to, "tcp://127.0.0.1:5555");
    assert_true(o.wait_s == 10 && o.rate == 0 && o.chunk == 0 && o.field == 0 && o.setup == 0);
    assert_false(o.conjugate || o.quiet || o.help || o.version);
    assert_int_equal(o.inputs.n, 3);
    for (size_t i = 0; i < 3; i++) assert_int_equal(o.inputs.at[i][0], "abc"[i]);
    send_options_fini(&o);
}

static void each_name_is_its_own(void **state) {
    (void)state;
    static const struct {
        const char *words;
        size_t name;
    } names[] = {{"in --to name", offsetof(send_options, to)},
                 {"in --column name", offsetof(send_options, column)},
                 {"in --key name --receiver r", offsetof(send_options, key)},
                 {"in --key k --receiver name", offsetof(send_options, receiver)},
                 {"in --token name", offsetof(send_options, token)},
                 {"in --http name", offsetof(send_options, watch.http)},
                 {"in --http-token name", offsetof(send_options, watch.http_token)},
                 {"--new-key name", offsetof(send_options, new_key)}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        send_options o = accepted(names[i].words);
        const char *got = *(const char *const *)((const char *)&o + names[i].name);
        if (got == NULL || strcmp(got, "name") != 0) fail_msg("%s", names[i].words);
        send_options_fini(&o);
    }
}

static void each_flag_is_its_own(void **state) {
    (void)state;
    static const struct {
        const char *words;
        size_t flag;
    } flags[] = {{"in --conjugate", offsetof(send_options, conjugate)},
                 {"in --quiet", offsetof(send_options, quiet)},
                 {"in -q", offsetof(send_options, quiet)},
                 {"--help", offsetof(send_options, help)}, /* without anything to send */
                 {"-h", offsetof(send_options, help)},
                 {"--version", offsetof(send_options, version)}};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        send_options o = accepted(flags[i].words);
        assert_int_equal(o.conjugate + o.quiet + o.help + o.version, 1);
        if (!*(const bool *)((const char *)&o + flags[i].flag)) fail_msg("%s", flags[i].words);
        send_options_fini(&o);
    }
}

static void numbers_arrive_and_have_bounds(void **state) {
    (void)state;
    static const struct {
        const char *option;
        size_t at; /* of a double, an int64_t or, plus one, an int */
        size_t bytes;
        const char *least, *most, *below, *above;
        double low, high;
    } cases[] = {
        {"rate", offsetof(send_options, rate), 0, "1e-3", "1e9", "9e-4", "1.1e9", 1e-3, 1e9},
        {"wait", offsetof(send_options, wait_s), 0, "0.001", "1e6", "9e-4", "1000001", 1e-3, 1e6},
        {"chunk", offsetof(send_options, chunk), 8, "1", "2147483647", "0", "2147483648", 1,
         2147483647},
        {"field", offsetof(send_options, field), 4, "0", "2147483646", "-1", "2147483647", 1,
         2147483647},
        {"setup", offsetof(send_options, setup), 4, "0", "2147483646", "-1", "2147483647", 1,
         2147483647},
        {"spw", offsetof(send_options, setup), 4, "7", "8", "x", "1,2", 8, 9},
        {"freqid", offsetof(send_options, setup), 4, "7", "8", "1:2", "", 8, 9},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int most = 0; most < 2; most++) {
            char words[64];
            snprintf(words, sizeof words, "in --%s=%s", cases[i].option,
                     most ? cases[i].most : cases[i].least);
            send_options o = accepted(words);
            const char *at = (const char *)&o + cases[i].at;
            const double got = cases[i].bytes == 0   ? *(const double *)at
                               : cases[i].bytes == 8 ? (double)*(const int64_t *)at
                                                     : (double)*(const int *)at;
            if (got != (most ? cases[i].high : cases[i].low)) fail_msg("%s: %g", words, got);
            send_options_fini(&o);
            snprintf(words, sizeof words, "in --%s=%s", cases[i].option,
                     most ? cases[i].above : cases[i].below);
            refused(words, " is not ");
        }
    }
}

static void what_does_not_go_together_is_told(void **state) {
    (void)state;
    refused("", "no input");
    refused("in --key k", "--key and --receiver must be given together");
    refused("in --receiver r", "--key and --receiver must be given together");
    refused("in --new-key k", "sends nothing");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_set_unasked),
        cmocka_unit_test(each_name_is_its_own),
        cmocka_unit_test(each_flag_is_its_own),
        cmocka_unit_test(numbers_arrive_and_have_bounds),
        cmocka_unit_test(what_does_not_go_together_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
