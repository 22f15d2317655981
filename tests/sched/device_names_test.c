/* Names of devices, over a table that is made up: what is found, what is refused in which words, and what people are told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "sched/devices.h"

/* ---- kinds ---- */

static int asked; /* how often a library was asked */

static wadi_status count_three(int *out, wadi_error *err) {
    (void)err;
    asked++;
    *out = 3;
    return WADI_OK;
}

static wadi_status count_one(int *out, wadi_error *err) {
    (void)err;
    *out = 1;
    return WADI_OK;
}

static wadi_status count_none(int *out, wadi_error *err) {
    (void)err;
    *out = 0;
    return WADI_OK;
}

static wadi_status count_missing(int *out, wadi_error *err) {
    (void)out;
    return wadi_fail(err, WADI_UNSUPPORTED,
                     "abacus: libabacus.so.1 cannot be loaded: no such file");
}

static wadi_status tell_nothing(int number, wadi_device_facts *out, wadi_error *err) {
    (void)number, (void)out, (void)err;
    return WADI_OK;
}

/* Number 1 is broken. */
static wadi_status tell(int number, wadi_device_facts *out, wadi_error *err) {
    snprintf(out->name, sizeof out->name, "Vector %d", number);
    if (number == 1) return wadi_fail(err, WADI_UNSUPPORTED, "it has no double precision");
    snprintf(out->versions, sizeof out->versions, "driver 3.%d", number);
    out->memory = number == 0 ? INT64_C(5) << 29 : INT64_C(768) << 20;
    return WADI_OK;
}

static const wadi_device_row table[] = {
    {.name = "brain", .about = "one head", .language = "words", .tell = tell_nothing},
    {.name = "vector",
     .about = "many lanes",
     .language = "V",
     .apart = true,
     .count = count_three,
     .tell = tell},
    {.name = "vec", .about = "a lane", .language = "V", .count = count_one, .tell = tell_nothing},
    {.name = "ghost", .about = "unseen", .language = "V", .count = count_none, .tell = tell},
    {.name = "abacus", .about = "beads", .language = "V", .count = count_missing, .tell = tell},
    {.name = "echo", .about = "for tests", .language = "words", .tell = tell_nothing, .copies = 2},
    {0},
};

/* ---- found ---- */

static void assert_found(const char *name, const char *row, int number, const char *full) {
    wadi_device_choice c;
    wadi_error err = {0};
    if (wadi_device_find_in(table, name, &c, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_string_equal(c.row->name, row);
    assert_int_equal(c.parts, 1);
    assert_int_equal(c.number[0], number);
    assert_string_equal(c.name, full);
}

static void a_name_is_a_kind_and_a_number(void **state) {
    (void)state;
    assert_found(NULL, "brain", 0, "brain");
    assert_found("brain", "brain", 0, "brain");
    assert_found("vector", "vector", 0, "vector:0");
    assert_found("vector:0", "vector", 0, "vector:0");
    assert_found("vector:2", "vector", 2, "vector:2");
    assert_found("vec", "vec", 0, "vec:0");
    assert_found("vec:0", "vec", 0, "vec:0");
    assert_found("echo", "echo", 0, "echo");
    assert_found("echo:0", "echo", 0, "echo");
    assert_found("echo:1", "echo", 1, "echo:1");
}

static void assert_refused(const char *name, wadi_status status, const char *words) {
    wadi_device_choice c;
    wadi_error err = {0};
    assert_int_equal(wadi_device_find_in(table, name, &c, &err), status);
    assert_string_equal(err.msg, words);
}

static void what_is_not_there_is_refused_with_what_is(void **state) {
    (void)state;
#define KINDS "brain, vector:N, vec:N, ghost:N, abacus:N, echo"
    assert_refused("bra", WADI_INVALID, "device: there is no \"bra\", only " KINDS);
    assert_refused("brains", WADI_INVALID, "device: there is no \"brains\", only " KINDS);
    assert_refused(":0", WADI_INVALID, "device: there is no \":0\", only " KINDS);
    assert_refused("Vector:0", WADI_INVALID, "device: there is no \"Vector:0\", only " KINDS);
    assert_refused("echo:2", WADI_INVALID, "device: there is no \"echo:2\", only echo:0 to echo:1");
    assert_refused("brain:0", WADI_INVALID,
                   "device: \"brain:0\": there is one \"brain\", which has no number");
    assert_refused("brain+1", WADI_INVALID,
                   "device: \"brain+1\": there is one \"brain\", which has no number");
    assert_refused("vector:", WADI_INVALID,
                   "device: \"vector:\": expected a number behind \"vector:\"");
    assert_refused("vector:x", WADI_INVALID,
                   "device: \"vector:x\": expected a number behind \"vector:\"");
    assert_refused("vector:-1", WADI_INVALID,
                   "device: \"vector:-1\": expected a number behind \"vector:\"");
    assert_refused("vector:1:2", WADI_INVALID,
                   "device: \"vector:1:2\": expected a number behind \"vector:\"");
    assert_refused("vector:all", WADI_INVALID,
                   "device: \"vector:all\": expected a number behind \"vector:\"");
    assert_refused("vector:3", WADI_INVALID,
                   "device: there is no \"vector:3\", only vector:0 to vector:2");
    assert_refused("vec:1", WADI_INVALID, "device: there is no \"vec:1\", only vec:0");
    assert_refused("ghost", WADI_INVALID,
                   "device: there is no \"ghost:0\": this machine has no ghost device");
    assert_refused(
        "abacus:1", WADI_UNSUPPORTED,
        "device: there is no \"abacus:1\": libabacus.so.1 cannot be loaded: no such file");
}

static void numbers_name_devices_that_work_as_one(void **state) {
    (void)state;
    wadi_device_choice c;
    assert_int_equal(wadi_device_find_in(table, "vector:2+0", &c, NULL), WADI_OK);
    assert_int_equal(c.parts, 2);
    assert_int_equal(c.number[0], 2);
    assert_int_equal(c.number[1], 0);
    assert_string_equal(c.name, "vector:2+0");
    assert_int_equal(wadi_device_read_in(table, "vector:0+1+2+3+4+5+6+7", &c, NULL), WADI_OK);
    assert_int_equal(c.parts, 8);
    assert_refused("vector:0+1+2+3+4+5+6+7+8", WADI_INVALID,
                   "device: \"vector:0+1+2+3+4+5+6+7+8\": more than 8 work as one");
    assert_refused("vector:1+1", WADI_INVALID, "device: \"vector:1+1\" names 1 twice");
    assert_refused("vector:0+3", WADI_INVALID,
                   "device: there is no \"vector:3\", only vector:0 to vector:2");
    assert_refused("vector:0+", WADI_INVALID,
                   "device: \"vector:0+\": expected a number behind \"vector:\"");
    assert_refused("vector:+1", WADI_INVALID,
                   "device: \"vector:+1\": expected a number behind \"vector:\"");
    assert_refused("vector:0 + 1", WADI_INVALID,
                   "device: \"vector:0 + 1\": expected a number behind \"vector:\"");
    assert_refused("vector:0+99999999999999999999", WADI_INVALID,
                   "device: \"vector:0+99999999999999999999\": expected a number behind "
                   "\"vector:\"");
    assert_refused("echo:0+1", WADI_INVALID,
                   "device: \"echo:0+1\": only devices with memory of their own work as one");
    assert_refused("vector+vector", WADI_INVALID,
                   "device: \"vector+vector\": expected a number behind \"vector:\"");
    assert_refused("vector+1", WADI_INVALID,
                   "device: \"vector+1\": expected a number behind \"vector:\"");
    assert_refused("echo+1", WADI_INVALID,
                   "device: \"echo+1\": expected a number behind \"echo:\"");
    assert_refused("vectors+1", WADI_INVALID, "device: there is no \"vectors+1\", only " KINDS);
}

/* ---- lists ---- */

static void assert_list(const char *name, int n, const char *full) {
    wadi_device_choices all;
    wadi_error err = {0};
    if (wadi_device_list_in(table, name, &all, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_string_equal(all.name, full);
    assert_int_equal(all.n, n);
}

static void assert_list_refused(const char *name, wadi_status status, const char *words) {
    wadi_device_choices all;
    wadi_error err = {0};
    assert_int_equal(wadi_device_list_in(table, name, &all, &err), status);
    assert_string_equal(err.msg, words);
}

static void a_list_names_each_device_once(void **state) {
    (void)state;
    assert_list(NULL, 1, "brain");
    assert_list("vector:1", 1, "vector:1");
    assert_list("vector:2,brain,echo,echo:1", 4, "vector:2,brain,echo,echo:1");
    assert_list_refused("brain,vector:1", WADI_UNSUPPORTED,
                        "device: \"vector:1\" cannot be used: it has no double precision");
    assert_list_refused("brain,brain", WADI_INVALID, "device: \"brain\" is named twice");
    assert_list_refused("vector,vector:0", WADI_INVALID, "device: \"vector:0\" is named twice");
    assert_list("brain,vector:0+2,echo", 3, "brain,vector:0+2,echo");
    assert_list_refused("vector:0+1,vector:1", WADI_INVALID, "device: \"vector:1\" is named twice");
    assert_list_refused("echo,echo:0", WADI_INVALID, "device: \"echo\" is named twice");
    assert_list_refused("", WADI_INVALID, "device: a name is missing: expected " KINDS);
    assert_list_refused("brain,", WADI_INVALID, "device: \"brain,\": a name is missing");
    assert_list_refused(",brain", WADI_INVALID, "device: \",brain\": a name is missing");
    assert_list_refused("brain,,echo", WADI_INVALID, "device: \"brain,,echo\": a name is missing");
    assert_list_refused("brain, echo", WADI_INVALID, "device: there is no \" echo\", only " KINDS);
    assert_list_refused("brain,all", WADI_INVALID,
                        "device: \"brain,all\": \"all\" is every device, and stands alone");
    assert_list_refused("all,brain", WADI_INVALID,
                        "device: \"all,brain\": \"all\" is every device, and stands alone");
    assert_list_refused("brain,vec:1", WADI_INVALID, "device: there is no \"vec:1\", only vec:0");
    assert_list_refused(
        "brain,abacus", WADI_UNSUPPORTED,
        "device: there is no \"abacus:0\": libabacus.so.1 cannot be loaded: no such file");
}

/* Not those that cannot be used, and not those for tests. */
static void all_are_those_that_can_be_used(void **state) {
    (void)state;
    assert_list("all", 4, "brain,vector:0,vector:2,vec:0");
}

static void the_kinds_of_a_list_need_no_devices(void **state) {
    (void)state;
    const wadi_device_row *kinds[WADI_DEVICES_MOST];
    int n = 0;
    asked = 0;
    assert_int_equal(wadi_device_kinds_in(table, "ghost:8,brain,ghost:1", kinds, &n, NULL),
                     WADI_OK);
    assert_int_equal(n, 2);
    assert_ptr_equal(kinds[0], &table[3]);
    assert_ptr_equal(kinds[1], &table[0]);
    assert_int_equal(wadi_device_kinds_in(table, "all", kinds, &n, NULL), WADI_OK);
    assert_int_equal(n, 5);
    assert_int_equal(wadi_device_kinds_in(table, "brain,gpu", kinds, &n, NULL), WADI_INVALID);
    assert_int_equal(wadi_device_kinds_in(table, "brain,brain", kinds, &n, NULL), WADI_INVALID);
    assert_int_equal(wadi_device_kinds_in(table, "ghost:0+1,ghost:1", kinds, &n, NULL),
                     WADI_INVALID);
    assert_int_equal(wadi_device_kinds_in(table, "brain,all", kinds, &n, NULL), WADI_INVALID);
    assert_int_equal(asked, 0);
}

/* Nobody loads a library of a kind that he does not ask for, or to know the kind alone. */
static void a_library_is_asked_only_when_its_device_is(void **state) {
    (void)state;
    wadi_device_choice c;
    asked = 0;
    assert_int_equal(wadi_device_find_in(table, NULL, &c, NULL), WADI_OK);
    assert_int_equal(wadi_device_find_in(table, "brain", &c, NULL), WADI_OK);
    assert_int_equal(wadi_device_find_in(table, "gpu", &c, NULL), WADI_INVALID);
    assert_int_equal(wadi_device_read_in(table, "vector:7", &c, NULL), WADI_OK);
    assert_ptr_equal(c.row, &table[1]);
    assert_int_equal(c.number[0], 7);
    assert_int_equal(asked, 0);
    assert_int_equal(wadi_device_find_in(table, "vector:1", &c, NULL), WADI_OK);
    assert_int_equal(asked, 1);
}

/* ---- told ---- */

static void each_device_is_a_line(void **state) {
    (void)state;
    wadi_text t = {0};
    for (const wadi_device_row *row = table; row->name != NULL; row++)
        wadi_device_describe(row, &t);
    assert_string_equal(
        wadi_text_str(&t),
        "brain        one head (kernels in words)\n"
        "vector:0     Vector 0, driver 3.0, 2.5 GiB (kernels in V)\n"
        "vector:1     Vector 1 (kernels in V): cannot be used: it has no double precision\n"
        "vector:2     Vector 2, driver 3.2, 768 MiB (kernels in V)\n"
        "vec:0        a lane (kernels in V)\n"
        "ghost        unseen: none: this machine has no such device\n"
        "abacus       beads: none: libabacus.so.1 cannot be loaded: no such file\n"
        "echo         for tests (kernels in words)\n");
    wadi_text_fini(&t);
}

/* ---- the table that there is ---- */

static void the_first_is_the_default_unless_the_environment_names_one(void **state) {
    (void)state;
    wadi_device_choice c;
    const wadi_device_row *row = NULL;
    wadi_error err = {0};
    assert_int_equal(unsetenv("WADI_DEVICE"), 0);
    assert_int_equal(wadi_device_find(NULL, &c, &err), WADI_OK);
    assert_string_equal(c.name, "cpu");
    assert_int_equal(setenv("WADI_DEVICE", "null", 1), 0);
    assert_int_equal(wadi_device_find(NULL, &c, &err), WADI_OK);
    assert_string_equal(c.name, "null");
    assert_int_equal(wadi_device_kind(NULL, &row, &err), WADI_OK);
    assert_ptr_equal(row, c.row);
    assert_int_equal(wadi_device_find("cpu", &c, &err), WADI_OK);
    assert_string_equal(c.name, "cpu");
    assert_int_equal(setenv("WADI_DEVICE", "nul", 1), 0);
    assert_int_equal(wadi_device_find(NULL, &c, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "device: there is no \"nul\", only cpu, null"));
    assert_int_equal(setenv("WADI_DEVICE", "", 1), 0);
    assert_int_equal(wadi_device_find(NULL, &c, &err), WADI_OK);
    assert_string_equal(c.name, "cpu");
    assert_int_equal(unsetenv("WADI_DEVICE"), 0);
}

static void the_option_makes_the_default(void **state) {
    (void)state;
    wadi_error err = {0};
    assert_int_equal(setenv("WADI_DEVICE", "cpu", 1), 0);
    assert_int_equal(wadi_device_take(NULL, "", &err), WADI_INVALID);
    assert_int_equal(wadi_device_take(NULL, "cpu:0", &err), WADI_INVALID);
    assert_string_equal(getenv("WADI_DEVICE"), "cpu");
    assert_int_equal(wadi_device_take(NULL, "null", &err), WADI_OK);
    assert_string_equal(getenv("WADI_DEVICE"), "null");
    assert_int_equal(wadi_device_take(NULL, "null:0,cpu", &err), WADI_OK);
    assert_string_equal(getenv("WADI_DEVICE"), "null,cpu");
    assert_int_equal(wadi_device_take(NULL, "null", &err), WADI_OK);
    assert_int_equal(wadi_device_take_kind(NULL, "gpu", &err), WADI_INVALID);
    assert_string_equal(getenv("WADI_DEVICE"), "null");
    assert_int_equal(wadi_device_take_kind(NULL, "cpu", &err), WADI_OK);
    assert_string_equal(getenv("WADI_DEVICE"), "cpu");
    assert_int_equal(unsetenv("WADI_DEVICE"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_a_kind_and_a_number),
        cmocka_unit_test(what_is_not_there_is_refused_with_what_is),
        cmocka_unit_test(numbers_name_devices_that_work_as_one),
        cmocka_unit_test(a_list_names_each_device_once),
        cmocka_unit_test(all_are_those_that_can_be_used),
        cmocka_unit_test(the_kinds_of_a_list_need_no_devices),
        cmocka_unit_test(a_library_is_asked_only_when_its_device_is),
        cmocka_unit_test(each_device_is_a_line),
        cmocka_unit_test(the_first_is_the_default_unless_the_environment_names_one),
        cmocka_unit_test(the_option_makes_the_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
