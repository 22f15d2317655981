/* Wanted digests: the forms in which they may be given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "apps/md5/targets.h"
#include "base/error.h"
#include "tests/md5/support.h"
#include "tests/open_files.h"

static const char of_abc[] = "900150983cd24fb0d6963f7d28e17f72";

static wadi_status add_file(md5_targets *t, const char *text, wadi_error *err) {
    char *path = support_file(text, strlen(text));
    const wadi_status status = md5_targets_add(t, path, err);
    support_remove(path);
    return status;
}

static void digests_of_either_case_are_read_once_each(void **state) {
    WADI_UNUSED(state);
    md5_targets t = {0};
    uint8_t digest[MD5_DIGEST];
    assert_int_equal(add_file(&t,
                              "# a comment\n\n  900150983CD24FB0D6963F7D28E17F72 \r\n"
                              "d41d8cd98f00b204e9800998ecf8427e",
                              NULL),
                     WADI_OK);
    assert_int_equal(md5_targets_add(&t, of_abc, NULL), WADI_OK);
    assert_int_equal(md5_targets_ready(&t, NULL), WADI_OK);
    assert_int_equal(t.n, 2);
    support_digest("abc", 3, digest);
    assert_true(md5_targets_find(&t, digest) >= 0);
    support_digest("abd", 3, digest);
    assert_int_equal(md5_targets_find(&t, digest), -1);
    md5_targets_fini(&t);
}

static void lines_that_are_no_digest_are_counted_and_told(void **state) {
    WADI_UNUSED(state);
    md5_targets t = {0};
    assert_int_equal(add_file(&t,
                              "a\nb\n900150983cd24fb0d6963f7d28e17f72\nc\n"
                              "900150983cd24fb0d6963f7d28e17f72:salt\n",
                              NULL),
                     WADI_OK);
    assert_int_equal(t.n, 1);
    assert_int_equal(t.bad.n, 4);
    assert_non_null(strstr(wadi_text_str(&t.bad.told), "line 4: \"c\""));
    assert_null(strstr(wadi_text_str(&t.bad.told), "line 5"));
    assert_int_equal(add_file(&t, "900150983cd24fb0d6963f7d28e17f73\n900150:salt\n", NULL),
                     WADI_OK);
    assert_int_equal(t.n, 2);
    assert_int_equal(t.bad.n, 5);
    assert_non_null(strstr(wadi_text_str(&t.bad.told), "line 2: \"900150:salt\""));
    md5_targets_fini(&t);
}

static void a_list_without_any_digest_is_refused(void **state) {
    WADI_UNUSED(state);
    md5_targets t = {0};
    wadi_error err = {0};
    assert_int_equal(add_file(&t, "\n1234\n", &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "line 2: \"1234\""));
    assert_int_equal(add_file(&t, "900150983cd24fb0d6963f7d28e17f72:salt\n", &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "salted"));
    static const char *const wide[] = {"\xff\xfe", "\xfe\xff", "\xff\xfe\x39", "\xfe\xff\x39"};
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++) {
        assert_int_equal(add_file(&t, wide[i], &err), WADI_INVALID);
        assert_non_null(strstr(err.msg, "UTF-16"));
    }
    assert_int_equal(md5_targets_add(&t, "no-such-file", &err), WADI_IO);
    assert_non_null(strstr(err.msg, "no-such-file"));
    md5_targets_fini(&t);
}

static void no_digests_are_an_error(void **state) {
    WADI_UNUSED(state);
    md5_targets t = {0};
    assert_int_equal(add_file(&t, "\n# nothing\n", NULL), WADI_OK);
    assert_int_equal(md5_targets_ready(&t, NULL), WADI_INVALID);
    md5_targets_fini(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(digests_of_either_case_are_read_once_each),
        cmocka_unit_test(lines_that_are_no_digest_are_counted_and_told),
        cmocka_unit_test(a_list_without_any_digest_is_refused),
        cmocka_unit_test(no_digests_are_an_error),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
