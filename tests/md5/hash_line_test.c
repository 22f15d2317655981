/* Lines of lists of hashes, in the forms that other programs write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "apps/md5/hash_line.h"
#include "base/error.h"
#include "tests/md5/support.h"

#define ABC "900150983cd24fb0d6963f7d28e17f72"

static md5_line read_line(const char *text, uint8_t out[MD5_DIGEST], const char **out_why) {
    return md5_line_read(text, strlen(text), out, out_why);
}

static void expect_digest_of(const char *word, const char *text) {
    uint8_t got[MD5_DIGEST] = {0}, want[MD5_DIGEST];
    const char *why = NULL;
    support_digest(word, strlen(word), want);
    if (read_line(text, got, &why) != MD5_LINE_DIGEST) fail_msg("\"%s\" is bad: %s", text, why);
    if (memcmp(got, want, sizeof want) != 0) fail_msg("\"%s\" gives another digest", text);
}

static void every_form_gives_its_digest(void **state) {
    WADI_UNUSED(state);
    static const char *const forms[] = {
        ABC,
        "  900150983CD24fb0d6963F7D28E17F72 \t\r",
        ABC "  abc.txt",
        ABC " *abc.txt\r",
        ABC " ",
        "\\" ABC "  a\\nb",
        ABC "  d41d8cd98f00b204e9800998ecf8427e",
        "MD5 (abc.txt) = " ABC,
        "\\MD5 (a\\nb) = " ABC,
        "MD5(a (b) = c)= " ABC,
        "MD5 () = " ABC "\r",
        "{MD5}kAFQmDzST7DWlj99KOF/cg==",
        "someone:{MD5}kAFQmDzST7DWlj99KOF/cg==",
        "someone:" ABC,
        "DOMAIN\\someone:with colons:" ABC "\r",
        ":" ABC,
        ABC ":abc",
        ABC ":abc\r",
        ABC ":$HEX[616263]",
        "900150983CD24FB0D6963F7D28E17F72:abc",
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) expect_digest_of("abc", forms[i]);
    expect_digest_of("", "d41d8cd98f00b204e9800998ecf8427e:");
    expect_digest_of(" b: ", "f8aebf637e40037e61a25364430e0f63: b: ");
    expect_digest_of("colon:here", "$HEX[00]:424537748f3981d9b59bd96d0622f70c");
}

static void blank_lines_and_comments_are_nothing(void **state) {
    WADI_UNUSED(state);
    static const char *const lines[] = {"", "  \t\r", ("# " ABC), "  #!comment"};
    uint8_t digest[MD5_DIGEST];
    const char *why;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        assert_int_equal(read_line(lines[i], digest, &why), MD5_LINE_NOTHING);
}

static void other_lines_are_bad(void **state) {
    WADI_UNUSED(state);
    static const char *const lines[] = {
        "rubbish",
        "900150983cd24fb0d6963f7d28e17f7",
        ABC "0",
        "900150983cd24fb0d6963f7d28e17fxx",
        ABC ".",
        "MD5 (name) : " ABC,
        "MD5 (name = " ABC,
        "SHA1 (name) = " ABC "12345678",
        "{MD5}kAFQmDzST7DWlj99KOF/cg=",
        "{MD5}kAFQmDzST7DWlj99KOF/ch==", /* bits behind the last byte */
        "{MD5}kAFQmDzST7DWlj99KOF-cg==",
        "{SMD5}kAFQmDzST7DWlj99KOF/cg==",
        "user:",
        ":",
        "=" ABC,
    };
    uint8_t digest[MD5_DIGEST];
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const char *why = NULL;
        if (read_line(lines[i], digest, &why) != MD5_LINE_BAD)
            fail_msg("\"%s\" was taken", lines[i]);
        assert_string_equal(why, "not an MD5 digest");
    }
}

static void what_is_not_the_word_behind_a_digest_is_a_salt(void **state) {
    WADI_UNUSED(state);
    static const char *const lines[] = {ABC ":salt", ABC ":", ABC ":" ABC, ABC ":$HEX[6162]"};
    uint8_t digest[MD5_DIGEST];
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const char *why = NULL;
        assert_int_equal(read_line(lines[i], digest, &why), MD5_LINE_BAD);
        assert_non_null(strstr(why, "salted"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_gives_its_digest),
        cmocka_unit_test(blank_lines_and_comments_are_nothing),
        cmocka_unit_test(other_lines_are_bad),
        cmocka_unit_test(what_is_not_the_word_behind_a_digest_is_a_salt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
