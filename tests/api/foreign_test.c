/* Routines of the host program: called on the processor, whole and in streams ragged and regular; replaced by their meaning where they
 * decline, are not known or are not wanted; and their errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wadi/wadi.h"

typedef struct counter {
    atomic_int calls;
    int64_t refused; /* an extent that it does not do; -1: none */
    wadi_status fails;
    const char *message;
} counter;

/* out = a - b of vectors. It adds one hundred, so that a result shows who made it. */
static wadi_status differences(void *env, int n, const wadi_foreign_array *in,
                               const wadi_foreign_array *out, wadi_error *err) {
    counter *c = env;
    atomic_fetch_add(&c->calls, 1);
    if (n != 2 || in[0].rank != 1 || in[1].shape[0] != out->shape[0] || in[0].type != WADI_I32 ||
        out->type != WADI_I32)
        return WADI_INTERNAL;
    if (in[0].shape[0] == c->refused) return WADI_UNSUPPORTED;
    if (c->fails != WADI_OK) {
        (void)snprintf(err->msg, sizeof err->msg, "%s", c->message);
        return c->fails;
    }
    const int32_t *a = in[0].data, *b = in[1].data;
    int32_t *to = out->data;
    for (int64_t i = 0; i < out->shape[0]; i++) to[i] = a[i] - b[i] + 100;
    return WADI_OK;
}

static wadi_acc meaning(int n, const wadi_acc *arrays) {
    (void)n;
    return wadi_zip_with(wadi_sub, arrays[0], arrays[1]);
}

static wadi_exp doubled(wadi_exp x) {
    return wadi_add(x, x);
}

static wadi_acc body(wadi_acc a) {
    const wadi_acc both[] = {wadi_map(doubled, a), a};
    return wadi_foreign("differences", 1, 2, both, wadi_shape_of(a), meaning);
}

static void must(wadi_status st, const wadi_error *err) {
    if (st != WADI_OK) fail_msg("%s", err->msg);
}

enum { ROWS = 6, COLUMNS = 5, ALL = ROWS * COLUMNS };

/* A matrix, whose rows are a batch; the rows as a stream; vectors of several lengths as a stream. */
typedef enum form { WHOLE, REGULAR, RAGGED, FORMS } form;

static wadi_acc all_of_form(form f, wadi_acc a) {
    static int64_t offsets[] = {0, 5, 5, 6, 17, ALL};
    const wadi_array o = {1, 1, {WADI_I64}, {6}, {offsets}};
    if (f == WHOLE) return body(a);
    if (f == REGULAR) return wadi_consume(wadi_tabulate(wadi_map_seq(body, wadi_to_seq(a))));
    const wadi_seq pieces = wadi_from_offsets(wadi_use(&o), wadi_flatten(a));
    return wadi_consume(wadi_elements(wadi_map_seq(body, pieces)));
}

static wadi_status run_form(form f, bool no_foreign, wadi_schedule_option schedule, int32_t *out,
                            wadi_error *err) {
    static const char *const extents[] = {"?", "?"};
    int32_t data[ALL];
    for (int i = 0; i < ALL; i++) data[i] = out[i] = i * i;
    wadi_program *p = wadi_program_create("foreign");
    wadi_output("x", all_of_form(f, wadi_input("a", WADI_I32, 2, extents)));
    wadi_exe *exe = NULL;
    wadi_run *run = NULL;
    wadi_array got;
    const wadi_array a = {2, 1, {WADI_I32}, {ROWS, COLUMNS}, {data}};
    must(wadi_compile(p, &(wadi_compile_options){.no_foreign = no_foreign}, &exe, err), err);
    wadi_program_destroy(p);
    const wadi_run_options o = {.schedule = schedule, .threads = 2};
    must(wadi_run_create(exe, &o, &run, err), err);
    must(wadi_run_input(run, "a", &a, err), err);
    const wadi_status st = wadi_run_go(run, err);
    if (st == WADI_OK) {
        must(wadi_run_result(run, "x", &got, err), err);
        memcpy(out, got.column[0], sizeof data);
    }
    wadi_run_destroy(run);
    wadi_exe_destroy(exe);
    return st;
}

/* Every form and schedule gives i^2 and this much more. */
static void expect_all(bool no_foreign, int more) {
    static const wadi_schedule_option schedules[] = {WADI_SCHEDULE_FORCE_INSIDE,
                                                     WADI_SCHEDULE_FORCE_FLAT};
    for (int f = 0; f < FORMS; f++)
        for (int k = 0; k < 2; k++) {
            int32_t out[ALL];
            wadi_error err = {0};
            must(run_form((form)f, no_foreign, schedules[k], out, &err), &err);
            for (int i = 0; i < ALL; i++) assert_int_equal(out[i], i * i + more);
        }
}

static void a_routine_is_called_or_its_meaning_computed(void **state) {
    counter c = {.refused = -1};
    wadi_error err = {0};
    (void)state;
    expect_all(false, 0); /* nobody has it */
    must(wadi_foreign_add("differences", differences, &c, &err), &err);
    expect_all(false, 100);
    const int calls = atomic_load(&c.calls);
    assert_true(calls >= 2 * ROWS);
    expect_all(true, 0);
    assert_int_equal(atomic_load(&c.calls), calls);
    wadi_foreign_remove("differences");
    expect_all(false, 0);
    assert_int_equal(atomic_load(&c.calls), calls);
}

static void what_a_routine_declines_is_computed(void **state) {
    counter c = {.refused = COLUMNS};
    wadi_error err = {0};
    int32_t out[ALL];
    (void)state;
    must(wadi_foreign_add("differences", differences, &c, &err), &err);
    must(run_form(WHOLE, false, WADI_SCHEDULE_FORCE_FLAT, out, &err), &err);
    for (int i = 0; i < ALL; i++) assert_int_equal(out[i], i * i);
    must(run_form(REGULAR, false, WADI_SCHEDULE_FORCE_INSIDE, out, &err), &err);
    for (int i = 0; i < ALL; i++) assert_int_equal(out[i], i * i);
    assert_true(atomic_load(&c.calls) > 0);
    wadi_foreign_remove("differences");
}

static void errors_name_the_routine(void **state) {
    static const wadi_schedule_option schedules[] = {WADI_SCHEDULE_FORCE_INSIDE,
                                                     WADI_SCHEDULE_FORCE_FLAT};
    counter c = {.refused = -1, .fails = WADI_IO, .message = "the disk is on fire"};
    wadi_error err = {0};
    int32_t out[ALL];
    (void)state;
    must(wadi_foreign_add("differences", differences, &c, &err), &err);
    for (int f = 0; f < FORMS; f++)
        for (int k = 0; k < 2; k++) {
            err = (wadi_error){0};
            assert_int_equal(run_form((form)f, false, schedules[k], out, &err), WADI_IO);
            assert_non_null(strstr(err.msg, "\"differences\" failed: the disk is on fire"));
        }
    c.message = "";
    assert_int_equal(run_form(WHOLE, false, WADI_SCHEDULE_FORCE_FLAT, out, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "\"differences\" failed: io"));
    c.fails = (wadi_status)77;
    assert_int_equal(run_form(WHOLE, false, WADI_SCHEDULE_FORCE_FLAT, out, &err), WADI_FAULT);
    c.fails = WADI_OK; /* nothing is left of the failure */
    must(run_form(WHOLE, false, WADI_SCHEDULE_FORCE_FLAT, out, &err), &err);
    wadi_foreign_remove("differences");
}

static void names_are_checked(void **state) {
    char name[80];
    counter c = {.refused = -1};
    wadi_error err = {0};
    (void)state;
    assert_int_equal(wadi_foreign_add(NULL, differences, &c, &err), WADI_INVALID);
    assert_int_equal(wadi_foreign_add("", differences, &c, &err), WADI_INVALID);
    assert_int_equal(wadi_foreign_add("x", NULL, &c, &err), WADI_INVALID);
    assert_int_equal(wadi_foreign_add("x.steady", differences, &c, &err), WADI_INVALID);
    memset(name, 'n', sizeof name);
    name[64] = '\0';
    assert_int_equal(wadi_foreign_add(name, differences, &c, &err), WADI_INVALID);
    name[63] = '\0';
    must(wadi_foreign_add(name, differences, &c, &err), &err);
    assert_int_equal(wadi_foreign_add(name, differences, &c, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "already"));
    wadi_foreign_remove(name);
    must(wadi_foreign_add(name, differences, &c, &err), &err);
    wadi_foreign_remove(name);
    wadi_foreign_remove("nobody");
    wadi_foreign_remove(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_routine_is_called_or_its_meaning_computed),
        cmocka_unit_test(what_a_routine_declines_is_computed),
        cmocka_unit_test(errors_name_the_routine),
        cmocka_unit_test(names_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
