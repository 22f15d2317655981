/* A certificate is of the program as it was written: a wadi whose passes make something else of it verifies it, and so does one that finds the digest that
 * certificates had before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/folder.h"
#include "exe/exe.h"
#include "wadi/wadi.h"

/* Both folds are one pass, unless that is left out. */
static const char text[] = "program again\ninput xs : f64[n]\n"
                           "total = fold 0.0 xs (a, b) { add a b }\n"
                           "most = fold -inf_f64 xs (a, b) { max a b }\n"
                           "output total\noutput most\n";

typedef enum digest { AS_WRITTEN, BEHIND_PASSES } digest;

/* Runs it, with one of the options. */
static wadi_status run_it(const char *program, const char *disable, digest of,
                          const wadi_run_options *options, wadi_error *err) {
    static const double xs[] = {1, 2, 4};
    const wadi_array a = {
        .fields = 1, .type = {WADI_F64}, .rank = 1, .shape = {3}, .column = {(void *)xs}};
    const wadi_compile_options how = {.disable = disable};
    wadi_exe *exe = NULL;
    wadi_run *run = NULL;
    assert_int_equal(wadi_compile_text(program, "again.wadi", &how, &exe, err), WADI_OK);
    if (of == BEHIND_PASSES) memset(exe->plan->written, 0, sizeof exe->plan->written);
    assert_int_equal(wadi_run_create(exe, options, &run, err), WADI_OK);
    assert_int_equal(wadi_run_input(run, "xs", &a, err), WADI_OK);
    const wadi_status st = wadi_run_go(run, err);
    wadi_run_destroy(run);
    wadi_exe_destroy(exe);
    return st;
}

typedef struct again {
    wadi_folder folder;
    char path[1000];
} again;

static void certify(again *a, const char *disable, digest of) {
    wadi_error err = {0};
    assert_int_equal(
        wadi_folder_make(wadi_folder_parent(), "certified_again_test-", &a->folder, NULL), WADI_OK);
    (void)snprintf(a->path, sizeof a->path, "%s/told", a->folder.path);
    const wadi_run_options o = {.certificate = a->path};
    assert_int_equal(run_it(text, disable, of, &o, &err), WADI_OK);
}

static wadi_status verify(const again *a, const char *program, const char *disable,
                          wadi_error *err) {
    const wadi_run_options o = {.verify = a->path};
    return run_it(program, disable, AS_WRITTEN, &o, err);
}

static void done(again *a) {
    wadi_folder_remove(&a->folder);
}

static void other_passes_are_the_same_program(void **state) {
    (void)state;
    wadi_error err = {0};
    again a;
    certify(&a, "siblings", AS_WRITTEN);
    if (verify(&a, text, NULL, &err) != WADI_OK) fail_msg("%s", err.msg);
    done(&a);
}

static void certificates_of_before_are_verified(void **state) {
    (void)state;
    wadi_error err = {0};
    again a;
    certify(&a, NULL, BEHIND_PASSES);
    if (verify(&a, text, NULL, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(verify(&a, text, "siblings", &err), WADI_INVALID);
    done(&a);
}

static void another_text_is_another_program(void **state) {
    (void)state;
    wadi_error err = {0};
    again a;
    char other[sizeof text];
    certify(&a, NULL, AS_WRITTEN);
    memcpy(other, text, sizeof text);
    memcpy(strstr(other, "max"), "min", 3);
    assert_int_equal(verify(&a, other, NULL, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "another program"));
    done(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_passes_are_the_same_program),
        cmocka_unit_test(certificates_of_before_are_verified),
        cmocka_unit_test(another_text_is_another_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
