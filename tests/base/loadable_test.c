/* Loading modules that are installed, missing, broken, or built for another version of wadi. */
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
#include "base/loadable_stamp.h"
#include "tests/base/support.h"

static char path[64];

static int make_folder(void **state) {
    if (fresh_folder(state) != 0) return -1;
    (void)snprintf(path, sizeof path, "%s/png.so", folder);
    return setenv("WADI_MODULES", folder, 1);
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

static void compile_to(const char *file, const char *text) {
    char command[256];
    const char *cc = getenv("WADI_TEST_CC");
    (void)snprintf(command, sizeof command, "%s -shared -fPIC -x c - -o %s", cc ? cc : "cc", file);
    (void)unlink(file);
    FILE *f = popen(command, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(pclose(f), 0);
}

/* A shared object of this text in place of the module. */
static void compile(const char *text) {
    compile_to(path, text);
}

static void a_shared_object_without_a_face_is_no_module(void **state) {
    WADI_UNUSED(state);
    compile("int unused;\n");
    is_refused("png", WADI_IO, "wadi_loadable_stamp");
    compile("const char wadi_loadable_stamp[] = \"" WADI_LOADABLE_STAMP "\";\n");
    is_refused("png", WADI_IO, "wadi_loadable_face");
}

/* ---- which of several ---- */

/* A module whose version is its number, once it has been told whose task it is to look at. */
static const char toy[] =
    "const char wadi_loadable_stamp[] = \"%s\";\n"
    "static void *(*host)(void);\n"
    "static void adopt(void *(*place)(void)) { host = place; }\n"
    "static const char *version(void) { return host && host() ? \"%d\" : \"alone\"; }\n"
    "static const struct { const char *what; const void *ops; } offers[] =\n"
    "    {{\"tea\", \"black\"}, {\"coffee\", \"white\"}, {0, 0}};\n"
    "const struct { const char *licence; const char *(*version)(void); const void *offers;\n"
    "    void (*adopt)(void *(*place)(void)); } wadi_loadable_face =\n"
    "    {\"MIT\", version, offers, adopt};\n";

static char one[80], two[80], three[80];

static void make_toys(void) {
    char *const folders[] = {one, two, three};
    char text[2000], file[100];
    for (int i = 0; i < 3; i++) {
        (void)snprintf(folders[i], sizeof one, "%s/%d", folder, i + 1);
        assert_int_equal(wadi_dir_make(folders[i], 0700, NULL), WADI_OK);
        (void)snprintf(text, sizeof text, toy, WADI_LOADABLE_STAMP, i + 1);
        (void)snprintf(file, sizeof file, "%s/png.so", folders[i]);
        if (i < 2) compile_to(file, text);
    }
    assert_int_equal(wadi_file_write(file, "x", 1, 0600, NULL), WADI_OK); /* the third is none */
}

static void remove_toys(void) {
    const char *const folders[] = {one, two, three};
    char file[100];
    for (int i = 0; i < 3; i++) {
        (void)snprintf(file, sizeof file, "%s/png.so", folders[i]);
        (void)unlink(file);
        (void)rmdir(folders[i]);
    }
}

typedef struct search {
    const char *folders, *found; /* its version; NULL: none */
    wadi_status status;
} search;

static bool finds(void *env) {
    const search *s = env;
    const wadi_loadable *m = NULL;
    if (setenv("WADI_MODULES", s->folders, 1) != 0) return false;
    char *all = wadi_loadable_folders();
    const bool same = strcmp(all, s->folders) == 0;
    free(all);
    return same && wadi_loadable_open("png", &m, NULL) == s->status &&
           (m == NULL) == (s->found == NULL) && (m == NULL || strcmp(m->version(), s->found) == 0);
}

/* A process loads one of a name alone: each is asked for by another. */
static void the_first_file_of_that_name_in_the_folders_counts(void **state) {
    WADI_UNUSED(state);
    static char deep[6000];
    make_toys();
    memset(deep, 'd', sizeof deep - 1);
    const struct {
        const char *before, *a, *between, *b, *behind, *found;
        wadi_status status;
    } cases[] = {{"", one, "", "", "", "1", WADI_OK},
                 {"", two, ":", one, "", "2", WADI_OK},
                 {"", one, ":", two, "", "1", WADI_OK},
                 {"", "/none", ":", two, "", "2", WADI_OK},
                 {":", one, ":", two, ":", "1", WADI_OK},
                 {"::", two, "::", "", "", "2", WADI_OK},
                 {"", deep, ":", two, "", "2", WADI_OK},
                 {"", folder, ":", one, "", "1", WADI_OK},
                 {"", three, ":", one, "", NULL, WADI_IO},
                 {"", "/none", ":", folder, ":", NULL, WADI_UNSUPPORTED},
                 {":", "", "", "", "", NULL, WADI_UNSUPPORTED},
                 {"", deep, "", "", "", NULL, WADI_UNSUPPORTED}};
    (void)unlink(path);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static char list[7000];
        (void)snprintf(list, sizeof list, "%s%s%s%s%s", cases[i].before, cases[i].a,
                       cases[i].between, cases[i].b, cases[i].behind);
        search s = {list, cases[i].found, cases[i].status};
        if (status_of_child(finds, &s) != 0) fail_msg("%.200s", s.folders);
    }
    remove_toys();
}

static bool takes_offers(void *env) {
    const void *tea = NULL, *coffee = NULL, *none = "as it was";
    wadi_error err = {0};
    return setenv("WADI_MODULES", env, 1) == 0 &&
           wadi_loadable_get("png", "coffee", &coffee, NULL) == WADI_OK &&
           strcmp(coffee, "white") == 0 && wadi_loadable_get("png", "tea", &tea, NULL) == WADI_OK &&
           strcmp(tea, "black") == 0 &&
           wadi_loadable_get("png", "te", &none, &err) == WADI_UNSUPPORTED &&
           strcmp(err.msg, "the module \"png\" has no \"te\"") == 0 &&
           strcmp(none, "as it was") == 0 &&
           wadi_loadable_get("pn", "tea", &none, &err) == WADI_UNSUPPORTED &&
           strcmp(err.msg, "there is no module \"pn\"") == 0;
}

static void what_a_module_offers_is_taken_by_name(void **state) {
    WADI_UNUSED(state);
    make_toys();
    assert_int_equal(status_of_child(takes_offers, one), 0);
    remove_toys();
}

/* What could not be loaded is looked for again when it is wanted again: somebody may have installed it. */
static bool finds_at_last(void *env) {
    const wadi_loadable *m = NULL;
    wadi_error err = {0};
    return setenv("WADI_MODULES", folder, 1) == 0 &&
           wadi_loadable_open("png", &m, &err) == WADI_UNSUPPORTED && m == NULL &&
           setenv("WADI_MODULES", env, 1) == 0 && wadi_loadable_open("png", &m, NULL) == WADI_OK &&
           strcmp(m->version(), "2") == 0;
}

static void a_module_that_was_missing_may_come(void **state) {
    WADI_UNUSED(state);
    make_toys();
    (void)unlink(path);
    assert_int_equal(status_of_child(finds_at_last, two), 0);
    remove_toys();
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
        cmocka_unit_test(the_first_file_of_that_name_in_the_folders_counts),
        cmocka_unit_test(what_a_module_offers_is_taken_by_name),
        cmocka_unit_test(a_module_that_was_missing_may_come),
        cmocka_unit_test(modules_of_the_build_are_found_and_say_what_they_are),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
