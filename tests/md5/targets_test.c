/* Wanted digests: how they are given, and sessions about them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "apps/md5/session.h"
#include "apps/md5/targets.h"
#include "base/error.h"
#include "base/file.h"
#include "tests/md5/support.h"

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

static void lines_that_are_no_digest_are_named(void **state) {
    WADI_UNUSED(state);
    md5_targets t = {0};
    wadi_error err = {0};
    assert_int_equal(add_file(&t, "900150983cd24fb0d6963f7d28e17f72\n1234\n", &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "line 2"));
    assert_int_equal(add_file(&t, "900150983cd24fb0d6963f7d28e17f72:salt\n", &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "salted"));
    assert_int_equal(add_file(&t, "900150983cd24fb0d6963f7d28e17fxx\n", &err), WADI_INVALID);
    assert_int_equal(md5_targets_add(&t, "no-such-file", &err), WADI_IO);
    md5_targets_fini(&t);
}

static void no_digests_are_an_error(void **state) {
    WADI_UNUSED(state);
    md5_targets t = {0};
    assert_int_equal(add_file(&t, "\n# nothing\n", NULL), WADI_OK);
    assert_int_equal(md5_targets_ready(&t, NULL), WADI_INVALID);
    md5_targets_fini(&t);
}

typedef struct subject {
    md5_targets targets;
    char *path;
    const char *paths[1];
    md5_input *in;
    md5_subject about;
} subject;

static void make_subject(subject *s, const char *second) {
    memset(s, 0, sizeof *s);
    s->path = support_file("abc\nxyz\n", 8);
    s->paths[0] = s->path;
    support_want(&s->targets, "abc", 3);
    support_want(&s->targets, second, strlen(second));
    assert_int_equal(md5_targets_ready(&s->targets, NULL), WADI_OK);
    assert_int_equal(md5_input_open(1, s->paths, &s->in, NULL), WADI_OK);
    s->about = (md5_subject){1, s->paths, s->in, &s->targets};
}

static void end_subject(subject *s) {
    md5_input_close(s->in);
    md5_targets_fini(&s->targets);
    support_remove(s->path);
}

static void a_session_gives_back_place_and_found_digests(void **state) {
    WADI_UNUSED(state);
    subject s;
    md5_place place;
    const char *path = "md5-session.test";
    make_subject(&s, "xyz");
    (void)remove(path);
    assert_int_equal(md5_session_load(path, &s.about, &place, NULL), WADI_OK);
    assert_int_equal(place.offset, 0);
    s.targets.found[1] = true;
    s.targets.nfound = 1;
    assert_int_equal(md5_session_save(path, &s.about, (md5_place){0, 4, 1}, NULL), WADI_OK);
    s.targets.found[1] = false;
    s.targets.nfound = 0;
    assert_int_equal(md5_session_load(path, &s.about, &place, NULL), WADI_OK);
    assert_int_equal(place.file, 0);
    assert_int_equal(place.offset, 4);
    assert_int_equal(place.words, 1);
    assert_true(s.targets.found[1]);
    assert_int_equal(s.targets.nfound, 1);
    (void)remove(path);
    end_subject(&s);
}

static void a_session_about_something_else_is_refused(void **state) {
    WADI_UNUSED(state);
    subject s, other;
    md5_place place;
    wadi_error err = {0};
    const char *path = "md5-session-other.test";
    make_subject(&s, "xyz");
    make_subject(&other, "zzz");
    assert_int_equal(md5_session_save(path, &s.about, (md5_place){0, 4, 1}, NULL), WADI_OK);
    assert_int_equal(md5_session_load(path, &other.about, &place, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "other digests"));
    assert_int_equal(wadi_file_write(path, "wadi-md5 session 1\nrubbish\n", 27, 0600, NULL),
                     WADI_OK);
    assert_int_equal(md5_session_load(path, &s.about, &place, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "line 2"));
    (void)remove(path);
    end_subject(&other);
    end_subject(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_of_either_case_are_read_once_each),
        cmocka_unit_test(lines_that_are_no_digest_are_named),
        cmocka_unit_test(no_digests_are_an_error),
        cmocka_unit_test(a_session_gives_back_place_and_found_digests),
        cmocka_unit_test(a_session_about_something_else_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
