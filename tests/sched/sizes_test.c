/* Learned chunk sizes are saved per program, stream and policy, as text that only the user can read. */
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

#include "base/file.h"
#include "sched/sizes.h"

static char directory[] = "/tmp/wadi_sizes_XXXXXX";
static const char file_name[] = "07000000000000000000000000000000-1-probe.size";

static int make_directory(void **state) {
    (void)state;
    return mkdtemp(directory) != NULL && setenv("WADI_CACHE_DIR", directory, 1) == 0 ? 0 : 1;
}

static char *path(void) {
    static char all[128];
    (void)snprintf(all, sizeof all, "%s/%s", directory, file_name);
    return all;
}

static int remove_directory(void **state) {
    (void)state;
    (void)unlink(path());
    return rmdir(directory);
}

static wadi_policy *make(int64_t start) {
    wadi_policy *p = NULL;
    assert_int_equal(wadi_policy_create("probe", start, &p, NULL), WADI_OK);
    return p;
}

static void what_one_run_learned_is_the_start_of_the_next(void **state) {
    (void)state;
    const wadi_plan plan = {.name = "p", .program = {7}}, other = {.program = {8}}, none = {0};
    wadi_policy *p = make(512), *q = make(0);
    struct stat about;
    char *text = NULL;
    size_t n = 0;
    assert_false(wadi_sizes_load(&plan, 1, "probe", q));
    wadi_sizes_save(&plan, 1, "probe", p);
    wadi_sizes_save(&none, 1, "probe", p); /* has no digest: nothing is kept */
    assert_int_equal(wadi_file_read(path(), &text, &n, NULL), WADI_OK);
    assert_string_equal(text,
                        "# elements per chunk: program p, stream 1, policy probe\nprobe 512\n");
    assert_int_equal(stat(path(), &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    assert_false(wadi_sizes_load(&plan, 0, "probe", q));
    assert_false(wadi_sizes_load(&other, 1, "probe", q));
    assert_true(wadi_sizes_load(&plan, 1, "probe", q));
    assert_int_equal(q->ops->choose(q), 512);
    free(text);
    wadi_policy_destroy(p);
    wadi_policy_destroy(q);
}

static void a_file_that_is_not_understood_is_as_good_as_none(void **state) {
    (void)state;
    static const char *const texts[] = {"", "#", "# x\n", "# x\nprobe -3\n", "# x\npaper 5\n"};
    const wadi_plan plan = {.program = {7}};
    wadi_policy *p = make(64);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(wadi_file_write(path(), texts[i], strlen(texts[i]), 0600, NULL), WADI_OK);
        assert_false(wadi_sizes_load(&plan, 1, "probe", p));
        assert_int_equal(p->ops->choose(p), 64);
    }
    wadi_policy_destroy(p);
}

static void the_environment_switches_it_off(void **state) {
    (void)state;
    assert_int_equal(unsetenv("WADI_LEARN"), 0);
    assert_true(wadi_sizes_wanted());
    assert_int_equal(setenv("WADI_LEARN", "off", 1), 0);
    assert_false(wadi_sizes_wanted());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_one_run_learned_is_the_start_of_the_next),
        cmocka_unit_test(a_file_that_is_not_understood_is_as_good_as_none),
        cmocka_unit_test(the_environment_switches_it_off),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
