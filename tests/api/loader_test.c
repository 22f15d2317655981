/* Versions that might be faster: which of them are made beside a run, for how much, and which are not tried again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "api/exe.h"
#include "tests/api/counted.h"
#include "wadi/wadi.h"

enum { BODY = 0, USUAL_BYTE_NS = 20000 };

static wadi_exp twice(wadi_exp x) {
    return wadi_add(x, x);
}

/* One body, which its first run wants. */
static wadi_exe *compile(void) {
    wadi_error err = {.status = WADI_OK};
    wadi_exe *exe = NULL;
    wadi_program *p = wadi_program_create("loader");
    wadi_output("y", wadi_compute(wadi_map(twice, wadi_input("x", WADI_I64, 1, NULL))));
    if (wadi_compile(p, NULL, &exe, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_program_destroy(p);
    assert_int_equal(exe->plan->nbodies, 1);
    return exe;
}

static wadi_schedule offered(const wadi_exe *exe) {
    for (int k = 0; k < WADI_SCHEDULE_COUNT; k++)
        if (exe->plan->bodies[BODY].offers[k]) return (wadi_schedule)k;
    fail_msg("no schedule");
    return WADI_SCHEDULE_INSIDE;
}

/* What is known of the body's version once nobody makes anything. */
static wadi_exe_version settled(wadi_exe *exe, int *out_turns) {
    for (;;) {
        wadi_mutex_lock(&exe->lock);
        const wadi_exe_version v = *wadi_exe_version_of(exe, BODY, offered(exe));
        const bool idle = exe->helping == 0 && v.state != WADI_EXE_MAKING;
        *out_turns = exe->turns;
        wadi_mutex_unlock(&exe->lock);
        if (idle) return v;
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

static bool offer(wadi_exe *exe, int64_t worth_ns) {
    const wadi_loader l = wadi_exe_loader(exe);
    return l.offer(l.self, exe->plan, BODY, offered(exe), worth_ns);
}

/* So many have been listed in all, and this is what has come of the last. */
static wadi_exe_version expect(wadi_exe *exe, int turns, wadi_exe_state state, int compilations) {
    int listed = 0;
    const wadi_exe_version v = settled(exe, &listed);
    assert_int_equal(listed, turns);
    assert_int_equal(v.state, state);
    assert_int_equal(v.ahead, 0);
    assert_int_equal(counted_compilations(), compilations);
    return v;
}

/* The first wish only finds out what it would cost. */
static void what_costs_more_than_it_is_worth_is_not_made(void **state) {
    (void)state;
    wadi_exe *exe = compile();
    assert_false(offer(exe, 0));
    (void)expect(exe, 0, WADI_EXE_ABSENT, 0);
    assert_false(offer(exe, 1));
    const wadi_exe_version v = expect(exe, 1, WADI_EXE_ABSENT, 0);
    assert_non_null(v.made);
    assert_false(v.failed);
    assert_int_equal(v.cost_ns, (int64_t)strlen(v.made->source) * USUAL_BYTE_NS);
    assert_false(offer(exe, v.cost_ns - 1));
    (void)expect(exe, 1, WADI_EXE_ABSENT, 0);
    assert_false(offer(exe, v.cost_ns));
    (void)expect(exe, 2, WADI_EXE_LOADED, 1);
    assert_false(exe->byte_ns > 0); /* a compiler that runs gently is no measure */
    assert_true(offer(exe, 0));
    assert_true(offer(exe, INT64_MAX - 1));
    (void)expect(exe, 2, WADI_EXE_LOADED, 1);
    wadi_exe_destroy(exe);
}

/* It costs next to nothing. */
static void what_lies_in_the_cache_is_taken(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        wadi_exe *exe = compile();
        assert_false(offer(exe, i == 0 ? INT64_MAX - 1 : 1));
        (void)expect(exe, 1, WADI_EXE_LOADED, 1);
        wadi_exe_destroy(exe);
    }
}

static void what_was_made_in_vain_is_not_tried_again_until_it_is_needed(void **state) {
    (void)state;
    wadi_error err = {.status = WADI_OK};
    wadi_plan_code code = {0};
    wadi_exe *exe = compile();
    const wadi_loader l = wadi_exe_loader(exe);
    counted_compiler("exit 1", "exit 1");
    assert_false(offer(exe, INT64_MAX - 1));
    assert_true(expect(exe, 1, WADI_EXE_ABSENT, 1).failed);
    assert_false(offer(exe, INT64_MAX - 1));
    assert_true(expect(exe, 1, WADI_EXE_ABSENT, 1).failed);
    assert_int_equal(l.load(l.self, exe->plan, BODY, offered(exe), &code, &err), WADI_COMPILE);
    assert_true(expect(exe, 1, WADI_EXE_ABSENT, 2).failed);
    counted_compiler("true", "true");
    assert_int_equal(l.load(l.self, exe->plan, BODY, offered(exe), &code, &err), WADI_OK);
    const wadi_exe_version v = expect(exe, 1, WADI_EXE_LOADED, 3);
    assert_false(v.failed);
    assert_true(exe->byte_ns > 0);
    assert_ptr_equal(code.version, &v.made->version);
    for (int i = 0; i < code.version->nsteps; i++) {
        assert_int_equal(code.kernels[i] != NULL, code.version->steps[i].kernel != NULL);
        assert_int_equal(code.units[i] != NULL, code.version->steps[i].units != NULL);
    }
    wadi_exe_destroy(exe);
}

/* All that a run is certain to want; its own first is left to the run itself. */
static void a_run_leaves_its_first_version_to_itself(void **state) {
    (void)state;
    for (int own = 0; own < 2; own++) {
        const wadi_run_options options = {.threads = 1};
        wadi_exe *exe = compile();
        wadi_exe_expect(exe, &options, own != 0);
        int listed = 0;
        (void)settled(exe, &listed);
        assert_int_equal(listed, own ? 0 : 1);
        assert_int_equal(counted_compilations(), listed);
        wadi_exe_destroy(exe);
        (void)counted_tear_down(NULL);
        (void)counted_set_up(NULL);
    }
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, counted_set_up, counted_tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(what_costs_more_than_it_is_worth_is_not_made),
        CASE(what_lies_in_the_cache_is_taken),
        CASE(what_was_made_in_vain_is_not_tried_again_until_it_is_needed),
        CASE(a_run_leaves_its_first_version_to_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
