/* Modules that are there, missing, broken, or made for another wadi. */
#include "base/loadable.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/file.h"

static char folder[] = "modules-XXXXXX";
static char path[64];

static int make_folder(void **state) {
    WADI_UNUSED(state);
    if (mkdtemp(folder) == NULL) return -1;
    (void)snprintf(path, sizeof path, "%s/png.so", folder);
    return setenv("WADI_MODULES", folder, 1);
}

static int remove_folder(void **state) {
    WADI_UNUSED(state);
    (void)unlink(path);
    return rmdir(folder);
}

static void is_refused(const char *name, wadi_status with, const char *words) {
    const wadi_loadable *m = NULL;
    wadi_error err = {0};
    assert_int_equal(wadi_loadable_open(name, &m, &err), with);
    if (strstr(err.msg, words) == NULL) fail_msg("\"%s\" says nothing of \"%s\"", err.msg, words);
}

static void a_missing_module_is_told_with_library_package_and_place(void **state) {
    WADI_UNUSED(state);
    is_refused("png", WADI_UNSUPPORTED, "libpng");
    is_refused("png", WADI_UNSUPPORTED, "package wadi-png");
    is_refused("png", WADI_UNSUPPORTED, folder);
    is_refused("no such", WADI_UNSUPPORTED, "no such");
}

static void a_file_that_is_no_module_is_told_with_its_path(void **state) {
    WADI_UNUSED(state);
    assert_int_equal(wadi_file_write(path, "x", 1, 0644, NULL), WADI_OK);
    is_refused("png", WADI_IO, path);
}

/* A shared object of this text in place of the module. */
static void compile(const char *text) {
    char command[256];
    const char *cc = getenv("WADI_TEST_CC");
    (void)snprintf(command, sizeof command, "%s -shared -fPIC -x c - -o %s", cc ? cc : "cc", path);
    (void)unlink(path);
    FILE *f = popen(command, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(pclose(f), 0);
}

static void a_shared_object_without_a_face_is_no_module(void **state) {
    WADI_UNUSED(state);
    compile("int unused;\n");
    is_refused("png", WADI_IO, "wadi_loadable_stamp");
}

static void a_module_of_another_version_is_refused_before_it_is_called(void **state) {
    WADI_UNUSED(state);
    compile(
        "const char wadi_loadable_stamp[] = \"0.0.1-abc\"; const int wadi_loadable_face = 1;\n");
    is_refused("png", WADI_IO, "it is of 0.0.1-abc, this is ");
}

/* Whatever was built beside this program is found without help, and is whole. */
static void modules_of_the_build_are_found_and_say_what_they_are(void **state) {
    WADI_UNUSED(state);
    int found = 0;
    assert_int_equal(unsetenv("WADI_MODULES"), 0);
    for (const wadi_loadable_row *r = wadi_loadables; r->name != NULL; r++) {
        const wadi_loadable *m = NULL, *again = NULL;
        const void *ops = NULL;
        wadi_error err = {0};
        const wadi_status st = wadi_loadable_open(r->name, &m, &err);
        if (st == WADI_UNSUPPORTED) continue;
        if (st != WADI_OK) fail_msg("%s", err.msg);
        assert_true(strlen(m->licence) > 2 && strlen(m->version()) > 4);
        assert_non_null(m->offers[0].what);
        assert_int_equal(wadi_loadable_open(r->name, &again, NULL), WADI_OK);
        assert_ptr_equal(m, again);
        for (const wadi_loadable_offer *o = m->offers; o->what != NULL; o++) {
            assert_int_equal(wadi_loadable_get(r->name, o->what, &ops, NULL), WADI_OK);
            assert_ptr_equal(ops, o->ops);
        }
        assert_int_equal(wadi_loadable_get(r->name, "tea", &ops, &err), WADI_UNSUPPORTED);
        found++;
    }
    if (found == 0) skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_module_is_told_with_library_package_and_place),
        cmocka_unit_test(a_file_that_is_no_module_is_told_with_its_path),
        cmocka_unit_test(a_shared_object_without_a_face_is_no_module),
        cmocka_unit_test(a_module_of_another_version_is_refused_before_it_is_called),
        cmocka_unit_test(modules_of_the_build_are_found_and_say_what_they_are),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
