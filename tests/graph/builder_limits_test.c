/* Limits of building: the largest size that is accepted and the first that is refused, for letters of names and arrays of a tuple. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "wadi/lang.h"
#include "wadi/lang_arrays.h"
#include "wadi/lang_seq.h"

/* Ends the program; NULL: it must be good. */
static void ends(wadi_program *p, const char *message) {
    wadi_error err = {.status = WADI_OK};
    const wadi_status st = wadi_program_check(p, &err);
    if ((st == WADI_OK) != (message == NULL) || (message && !strstr(err.msg, message)))
        fail_msg("\"%s\", expected \"%s\"", st == WADI_OK ? "" : err.msg, message ? message : "");
    wadi_program_destroy(p);
}

static bool is_letter(int c) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    return c != 0 && strchr(letters, c) != NULL;
}

static bool is_digit(int c) {
    return c != 0 && strchr("0123456789", c) != NULL;
}

static void field_named(const char *name, bool good) {
    wadi_program *p = wadi_program_create("t");
    wadi_elem_type e = {.fields = 2, .type = {WADI_F32, WADI_F32}, .name = {"before", name}};
    (void)wadi_input_rec("a", e, 1, NULL);
    char bad[80];
    (void)snprintf(bad, sizeof bad,
                   *name ? "input: field 1: \"%s\" is not a name of letters, digits and _"
                         : "input: field 1 has no name",
                   name);
    ends(p, good ? NULL : bad);
}

static void extent_named(const char *name, bool good) {
    wadi_program *p = wadi_program_create("t");
    (void)wadi_input("a", WADI_F32, 1, (const char *const[]){name});
    ends(p, good ? NULL : "expected a number, a name or \"?\"");
}

static void names_are_letters_and_digits(void **state) {
    (void)state;
    for (int c = 1; c < 256; c++) {
        const char first[] = {(char)c, '\0'}, second[] = {'a', (char)c, '\0'},
                   third[] = {'Z', '9', (char)c, 'q', '\0'};
        const bool inside = is_letter(c) || is_digit(c);
        field_named(first, is_letter(c));
        field_named(second, inside);
        field_named(third, inside);
        extent_named(first, inside || c == '?');
        extent_named(second, inside);
        extent_named(third, inside);
    }
}

static void numbers_are_whole(void **state) {
    (void)state;
    extent_named("9223372036854775807", true);
    extent_named("9223372036854775808", false);
    extent_named("0", true);
    extent_named("-1", false);
    extent_named("12x", false);
    extent_named("1.0", false);
}

static int parts_of_element;

static wadi_acc many(wadi_exp i) {
    wadi_acc part[64];
    for (int k = 0; k < parts_of_element; k++) part[k] = wadi_unit(wadi_add(i, wadi_i64(k)));
    return wadi_tuple(parts_of_element, part);
}

/* from_seq gives two arrays for each of an element. */
static void arrays_of_a_result(void **state) {
    (void)state;
    for (parts_of_element = 31; parts_of_element <= 33; parts_of_element++) {
        wadi_program *p = wadi_program_create("t");
        const wadi_acc all = wadi_consume(wadi_from_seq(wadi_produce(wadi_i64(3), many)));
        if (parts_of_element <= 32) assert_int_equal(wadi_parts(all), 2 * parts_of_element);
        ends(p, parts_of_element <= 32 ? NULL : "from_seq: 66 arrays, expected 1 to 64");
    }
}

/* compute takes the parts of a tuple one by one, and leaves nothing out. */
static void parts_that_are_computed(void **state) {
    (void)state;
    static const int counts[] = {1, 2, 3, 63, 64};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        wadi_program *p = wadi_program_create("t");
        parts_of_element = counts[i];
        assert_int_equal(wadi_parts(wadi_compute(many(wadi_i64(1)))), counts[i]);
        ends(p, NULL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_letters_and_digits),
        cmocka_unit_test(numbers_are_whole),
        cmocka_unit_test(arrays_of_a_result),
        cmocka_unit_test(parts_that_are_computed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
