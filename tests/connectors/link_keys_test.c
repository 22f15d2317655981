/* Files of keys and tokens may have blank lines, comments and missing line ends, and mistakes in them are named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/file.h"
#include "connectors/link_keys.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define SIXTEEN "0123456789abcdef"

static char folder[] = "/tmp/wadi_keys_XXXXXX";
static char own[64], others[64], token[64], pair[64], public_half[64];

static void write_to(const char *path, const char *text) {
    assert_int_equal(wadi_file_write(path, text, strlen(text), 0600, NULL), WADI_OK);
}

static wadi_status read_with(const char *mine, const char *theirs, wadi_link_secrets *s,
                             wadi_error *err) {
    wadi_link_options link = {0};
    memset(s, 0, sizeof *s);
    write_to(own, mine);
    write_to(others, theirs);
    return wadi_link_secrets_read(s, own, others, NULL, &link, err);
}

static void lines_may_be_empty_and_end_as_they_like(void **state) {
    (void)state;
    static const char *const ends[] = {"\n", "\r\n", " \n", "\t\r\n", "\n\n# a comment\n"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        char mine[256], theirs[256];
        wadi_link_secrets s;
        wadi_error err = {0};
        snprintf(mine, sizeof mine, "# mine%s" A "%s" B "%s", ends[i], ends[i], ends[i]);
        snprintf(theirs, sizeof theirs, "%s" B, ends[i]); /* no end of the last line */
        if (read_with(mine, theirs, &s, &err) != WADI_OK) fail_msg("%zu: %s", i, err.msg);
        assert_int_equal(s.own.n, 2);
        assert_string_equal(s.own.at[0], A);
        assert_string_equal(s.own.at[1], B);
        assert_int_equal(s.others.n, 2);
        assert_string_equal(s.others.at[0], B);
        assert_null(s.others.at[1]);
        wadi_link_secrets_fini(&s);
    }
}

/* Each has a file to itself, in memory that ends with it. */
static void a_last_line_needs_no_end(void **state) {
    (void)state;
    wadi_link_options link = {0};
    wadi_link_secrets s = {0};
    wadi_error err = {0};
    for (size_t n = WADI_TOKEN_LEAST; n <= 64; n++) {
        char text[80] = "";
        memset(text, 'x', n);
        write_to(token, text);
        if (wadi_link_secrets_read(&s, NULL, NULL, token, &link, &err) != WADI_OK)
            fail_msg("%s", err.msg);
        assert_string_equal(s.token, text);
        wadi_link_secrets_fini(&s);
    }
    write_to(token, SIXTEEN "\n" SIXTEEN);
    assert_int_equal(wadi_link_secrets_read(&s, NULL, NULL, token, &link, &err), WADI_INVALID);
    wadi_link_secrets_fini(&s);
    write_to(token, "# none\n");
    assert_int_equal(wadi_link_secrets_read(&s, NULL, NULL, token, &link, &err), WADI_INVALID);
    wadi_link_secrets_fini(&s);
}

/* Every character of a token counts, and so do the two sides. */
static void keys_of_tokens_are_all_different(void **state) {
    (void)state;
    enum { MOST = 40 };
    static wadi_token_keys keys[MOST];
    const wadi_status st = wadi_token_keys_make(SIXTEEN, &keys[0], NULL);
    if (st == WADI_UNSUPPORTED) skip();
    for (int i = 0; i < MOST; i++) {
        char text[64] = SIXTEEN SIXTEEN;
        if (i < 32) text[i] ^= 1;
        if (i >= 32) text[i - 15] = '\0';
        assert_int_equal(wadi_token_keys_make(text, &keys[i], NULL), WADI_OK);
        for (int k = 0; k < i; k++) {
            assert_string_not_equal(keys[i].bind_secret, keys[k].bind_secret);
            assert_string_not_equal(keys[i].connect_secret, keys[k].connect_secret);
            assert_string_not_equal(keys[i].bind_public, keys[k].bind_public);
            assert_string_not_equal(keys[i].connect_secret, keys[k].bind_secret);
        }
    }
}

static void what_is_no_key_is_named(void **state) {
    (void)state;
    static const struct {
        const char *mine, *theirs, *says;
    } cases[] = {
        {A "\n", A "\n", "keys: expected a public and a secret key, found 1 keys"},
        {"# none\n", A "\n", "found 0 keys"},
        {A "\n" B "\n" A "\n", A "\n", "found 3 keys"},
        {A "\n" B "b\n", A "\n", "expected keys of 40 characters, found a line of 41"},
        {A "\n" B "\n", A "\nshort\n", "others: expected keys of 40 characters, found a line of 5"},
        {A "\n" B "\n", "\n# nobody\n", "others: expected public keys, found none"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wadi_link_secrets s;
        wadi_error err = {0};
        assert_int_equal(read_with(cases[i].mine, cases[i].theirs, &s, &err), WADI_INVALID);
        if (strstr(err.msg, cases[i].says) == NULL) fail_msg("%s, not %s", err.msg, cases[i].says);
        wadi_link_secrets_fini(&s);
    }
}

static wadi_status token_of(size_t n, const char *end) {
    char text[WADI_TOKEN_MOST + 8] = "";
    wadi_link_options link = {0};
    wadi_link_secrets s = {0};
    wadi_token_keys keys;
    memset(text, 'x', n);
    strcpy(text + n, end);
    write_to(token, text);
    wadi_status st = wadi_link_secrets_read(&s, NULL, NULL, token, &link, NULL);
    if (st == WADI_OK && s.token != NULL) {
        assert_int_equal(strlen(s.token), n);
        st = wadi_token_keys_make(s.token, &keys, NULL);
    }
    wadi_link_secrets_fini(&s);
    return st;
}

static void tokens_are_lines_of_a_length(void **state) {
    (void)state;
    wadi_token_keys keys, same, other;
    const wadi_status st = wadi_token_keys_make(SIXTEEN, &keys, NULL);
    if (st == WADI_UNSUPPORTED) skip();
    assert_int_equal(st, WADI_OK);
    assert_int_equal(wadi_token_keys_make(SIXTEEN, &same, NULL), WADI_OK);
    assert_int_equal(wadi_token_keys_make("0123456789abcdeg", &other, NULL), WADI_OK);
    assert_string_equal(keys.bind_public, same.bind_public);
    assert_string_equal(keys.bind_secret, same.bind_secret);
    assert_string_equal(keys.connect_public, same.connect_public);
    assert_string_equal(keys.connect_secret, same.connect_secret);
    assert_string_not_equal(keys.bind_public, other.bind_public);
    assert_string_not_equal(keys.bind_public, keys.connect_public);
    assert_string_not_equal(keys.bind_secret, keys.connect_secret);
    assert_int_equal(token_of(WADI_TOKEN_LEAST - 1, "\n"), WADI_INVALID);
    assert_int_equal(token_of(WADI_TOKEN_LEAST, "\r\n"), WADI_OK);
    assert_int_equal(token_of(WADI_TOKEN_MOST, " \n"), WADI_OK);
    assert_int_equal(token_of(WADI_TOKEN_MOST + 1, "\n"), WADI_INVALID);
}

/* A token of the environment is for those who name neither keys nor a token. */
static void a_token_of_the_environment_is_the_last_choice(void **state) {
    (void)state;
    write_to(own, A "\n" A "\n");
    write_to(others, A "\n");
    write_to(token, SIXTEEN "\n");
    for (int i = 0; i < 8; i++) {
        const bool keys = (i & 1) != 0, file = (i & 2) != 0, empty = (i & 4) != 0;
        wadi_link_options link = {.bind = true};
        wadi_link_secrets s = {0};
        assert_int_equal(setenv("WADI_TOKEN", empty ? "" : "of the environment", 1), 0);
        assert_int_equal(wadi_link_secrets_read(&s, keys ? own : NULL, keys ? others : NULL,
                                                file ? token : NULL, &link, NULL),
                         WADI_OK);
        if (file)
            assert_string_equal(link.token, SIXTEEN);
        else if (keys || empty)
            assert_null(link.token);
        else
            assert_string_equal(link.token, "of the environment");
        assert_int_equal(link.curve_public != NULL, keys);
        assert_int_equal(link.curve_secret != NULL, keys);
        assert_int_equal(link.curve_clients != NULL, keys);
        assert_null(link.curve_server);
        wadi_link_secrets_fini(&s);
    }
    assert_int_equal(unsetenv("WADI_TOKEN"), 0);
    for (int i = 0; i < 2; i++) {
        wadi_link_options link = {0};
        wadi_link_secrets s = {0};
        wadi_error err = {.status = WADI_OK};
        assert_int_equal(wadi_link_secrets_read(&s, i == 0 ? own : NULL, i == 1 ? others : NULL,
                                                NULL, &link, &err),
                         WADI_INVALID);
        assert_non_null(
            strstr(err.msg, "own keys and the keys of the other side must be given together"));
        assert_int_equal(strncmp(err.msg, i == 0 ? own : others, strlen(i == 0 ? own : others)), 0);
        wadi_link_secrets_fini(&s);
    }
}

static void a_pair_is_its_owners_and_replaces_none(void **state) {
    (void)state;
    struct stat about;
    const wadi_status st = wadi_link_keys_make(pair, NULL);
    if (st == WADI_UNSUPPORTED) skip();
    assert_int_equal(st, WADI_OK);
    assert_int_equal(stat(pair, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    wadi_link_options link = {0};
    wadi_link_secrets s = {0};
    assert_int_equal(wadi_link_secrets_read(&s, pair, public_half, NULL, &link, NULL), WADI_OK);
    assert_string_equal(s.own.at[0], s.others.at[0]);
    assert_string_not_equal(s.own.at[0], s.own.at[1]);
    wadi_link_secrets_fini(&s);
    assert_int_equal(wadi_link_keys_make(pair, NULL), WADI_INVALID);
    assert_int_equal(unlink(public_half), 0); /* the other half alone is a pair, too */
    assert_int_equal(wadi_link_keys_make(pair, NULL), WADI_INVALID);
    assert_int_equal(unlink(pair), 0);
    write_to(public_half, A "\n");
    assert_int_equal(wadi_link_keys_make(pair, NULL), WADI_INVALID);
    assert_false(wadi_file_exists(pair));
}

static int make_folder(void **state) {
    (void)state;
    unsetenv("WADI_TOKEN");
    if (mkdtemp(folder) == NULL) return -1;
    snprintf(own, sizeof own, "%s/keys", folder);
    snprintf(others, sizeof others, "%s/others", folder);
    snprintf(token, sizeof token, "%s/token", folder);
    snprintf(pair, sizeof pair, "%s/pair", folder);
    snprintf(public_half, sizeof public_half, "%s/pair.pub", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    const char *const files[] = {own, others, token, pair, public_half};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) (void)unlink(files[i]);
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_may_be_empty_and_end_as_they_like),
        cmocka_unit_test(a_last_line_needs_no_end),
        cmocka_unit_test(keys_of_tokens_are_all_different),
        cmocka_unit_test(what_is_no_key_is_named),
        cmocka_unit_test(tokens_are_lines_of_a_length),
        cmocka_unit_test(a_token_of_the_environment_is_the_last_choice),
        cmocka_unit_test(a_pair_is_its_owners_and_replaces_none),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
