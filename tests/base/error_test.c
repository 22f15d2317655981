/* Statuses and errors: what reaches the caller's wadi_error. */
#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

static wadi_status fails(wadi_error *err) {
    return wadi_fail(err, WADI_SHAPE, "take: %d of %s", 3, "xs");
}

static wadi_status tries(wadi_error *err, bool *reached) {
    WADI_TRY(WADI_OK);
    WADI_TRY(fails(err));
    *reached = true;
    return WADI_OK;
}

static void failure_carries_message_and_place(void **state) {
    WADI_UNUSED(state);
    wadi_error err = {0};
    assert_int_equal(fails(&err), WADI_SHAPE);
    assert_int_equal(err.status, WADI_SHAPE);
    assert_string_equal(err.msg, "take: 3 of xs");
    static const char own[] = "tests/base/error_test.c"; /* behind a relative folder, maybe */
    assert_true(err.file[0] != '/' && strlen(err.file) >= strlen(own));
    assert_string_equal(err.file + strlen(err.file) - strlen(own), own);
    assert_true(err.line > 0);
    assert_null(err.at.file);
    assert_int_equal(err.at.line, 0);
}

static void error_may_be_null(void **state) {
    WADI_UNUSED(state);
    assert_int_equal(fails(NULL), WADI_SHAPE);
}

static void try_returns_on_failure(void **state) {
    WADI_UNUSED(state);
    bool reached = false;
    assert_int_equal(tries(NULL, &reached), WADI_SHAPE);
    assert_false(reached);
}

static void users_place_is_kept(void **state) {
    WADI_UNUSED(state);
    wadi_error err = {0};
    const wadi_loc at = {"user.c", 42};
    assert_int_equal(wadi_fail_at(&err, at, WADI_TYPE, "expected f32"), WADI_TYPE);
    assert_string_equal(err.at.file, "user.c");
    assert_int_equal(err.at.line, 42);
}

/* A program and the names in it may be destroyed before its error is read. */
static void users_file_outlives_its_program(void **state) {
    (void)state;
    wadi_error err = {0};
    char file[] = "gone.wadi";
    assert_int_equal(wadi_fail_at(&err, ((wadi_loc){file, 3}), WADI_FAULT, "fault"), WADI_FAULT);
    memset(file, 'x', sizeof file - 1);
    assert_string_equal(err.at.file, "gone.wadi");
    char longer[400];
    memset(longer, 'a', sizeof longer);
    memcpy(longer + sizeof longer - 8, "/end.c", 7);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(wadi_fail_at(&err, ((wadi_loc){longer, 3}), WADI_FAULT, "fault"), WADI_FAULT);
    assert_non_null(strstr(err.at.file, "aaa/end.c"));
}

static const char *kept_name_of(const char *name) {
    wadi_error err = {0};
    assert_int_equal(wadi_fail_at(&err, ((wadi_loc){name, 3}), WADI_FAULT, "fault"), WADI_FAULT);
    return err.at.file;
}

/* Of a long one the last 255 characters, whatever its length; and names that are kept beside it change nothing of it. */
static void the_end_of_a_long_name_is_kept(void **state) {
    (void)state;
    enum { KEPT = 255, FIRST = 253, LAST = 258 };
    char name[LAST + 1] = "";
    const char *kept[LAST + 1];
    for (size_t n = FIRST; n <= LAST; n++) {
        memset(name, (int)('a' + n - FIRST), n);
        memcpy(name + n - 6, "/end.c", 6);
        name[n] = '\0';
        kept[n] = kept_name_of(name);
        assert_string_equal(kept[n], n > KEPT ? name + n - KEPT : name);
    }
    for (size_t n = FIRST; n <= LAST; n++) {
        assert_int_equal(strlen(kept[n]), n < KEPT ? n : KEPT);
        assert_int_equal(kept[n][0], (int)('a' + n - FIRST));
    }
}

/* As many as there is room for; those that are kept are found again, and one that is not is none rather than another. */
static void names_are_kept_until_there_is_no_more_room(void **state) {
    (void)state;
    enum { MANY = 200 };
    const char *first[MANY];
    int kept = 0;
    char many[16];
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < MANY; i++) {
            snprintf(many, sizeof many, "f%d.c", i);
            const char *name = kept_name_of(many);
            if (name != NULL) assert_string_equal(name, many);
            if (turn == 0) first[i] = name;
            kept += turn == 0 && name != NULL;
            assert_ptr_equal(name, first[i]);
            assert_true((name != NULL) == (i < kept));
        }
    }
    assert_true(kept > 40 && kept < MANY);
    assert_null(kept_name_of(""));
}

static void long_message_is_cut(void **state) {
    WADI_UNUSED(state);
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    wadi_error err = {0};
    assert_int_equal(wadi_fail(&err, WADI_IO, "%s", text), WADI_IO);
    assert_int_equal(strlen(err.msg), sizeof err.msg - 1);
}

static void the_reason_of_the_system_is_never_cut(void **state) {
    WADI_UNUSED(state);
    char text[2000];
    wadi_error err = {0};
    assert_int_equal(wadi_fail_errno(&err, ENOENT, "%s: cannot be read", "file"), WADI_IO);
    char want[200];
    (void)snprintf(want, sizeof want, "file: cannot be read: %s", strerror(ENOENT));
    assert_string_equal(err.msg, want);
    (void)snprintf(want, sizeof want, ": %s", strerror(ENOSPC));
    for (size_t n = 400; n < sizeof text; n++) {
        memset(text, 'x', n);
        text[n] = '\0';
        assert_int_equal(wadi_fail_errno(&err, ENOSPC, "%s", text), WADI_IO);
        const size_t told = strlen(err.msg), end = strlen(want);
        assert_string_equal(err.msg + told - end, want);
        assert_true(told == n + end || told == sizeof err.msg - 1);
    }
}

static void some_reasons_have_a_status_of_their_own(void **state) {
    WADI_UNUSED(state);
    wadi_error err = {0};
    assert_int_equal(wadi_fail_errno(&err, ENOMEM, "x"), WADI_MEMORY);
    assert_true(err.line > 0 && err.at.line == 0);
    assert_null(err.at.file);
    assert_int_equal(err.status, WADI_MEMORY);
    assert_int_equal(wadi_fail_errno(&err, ECANCELED, "x"), WADI_CANCELLED);
    assert_int_equal(err.status, WADI_CANCELLED);
    assert_int_equal(wadi_fail_errno(&err, 99999, "x"), WADI_IO);
    assert_non_null(strstr(err.msg, "99999"));
    assert_int_equal(wadi_fail_errno(NULL, EIO, "x"), WADI_IO);
}

static void message_may_quote_the_same_error(void **state) {
    WADI_UNUSED(state);
    wadi_error err = {0};
    (void)fails(&err);
    (void)wadi_fail(&err, err.status, "stage 2: %s", err.msg);
    assert_string_equal(err.msg, "stage 2: take: 3 of xs");
}

static void every_status_has_its_own_name(void **state) {
    WADI_UNUSED(state);
    for (int a = WADI_OK; a <= WADI_INTERNAL; a++) {
        for (int b = WADI_OK; b < a; b++) {
            assert_string_not_equal(wadi_status_name((wadi_status)a),
                                    wadi_status_name((wadi_status)b));
        }
    }
    assert_string_equal(wadi_status_name((wadi_status)99), "unknown");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failure_carries_message_and_place),
        cmocka_unit_test(error_may_be_null),
        cmocka_unit_test(try_returns_on_failure),
        cmocka_unit_test(users_place_is_kept),
        cmocka_unit_test(long_message_is_cut),
        cmocka_unit_test(users_file_outlives_its_program),
        cmocka_unit_test(the_end_of_a_long_name_is_kept),
        cmocka_unit_test(names_are_kept_until_there_is_no_more_room),
        cmocka_unit_test(the_reason_of_the_system_is_never_cut),
        cmocka_unit_test(some_reasons_have_a_status_of_their_own),
        cmocka_unit_test(message_may_quote_the_same_error),
        cmocka_unit_test(every_status_has_its_own_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
