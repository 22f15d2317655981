/* Versions that might be faster: which of them are compiled during a run, how much time that may take, and which are not tried
 * again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "exe/exe.h"
#include "tests/api/counted.h"
#include "wadi/wadi.h"

enum { BODY = 0, USUAL_BYTE_NS = 20000 };

static wadi_exp twice(wadi_exp x) {
    return wadi_add(x, x);
}

static wadi_acc prefix(void *env, wadi_exp i) {
    return wadi_sum(wadi_gather(wadi_iota(WADI_I64, i), *(const wadi_acc *)env));
}

/* All of its bodies, an array or an array, a stream's and a sum, are wanted by the first run. */
static wadi_exe *compile_some(int bodies) {
    wadi_error err = {.status = WADI_OK};
    wadi_exe *exe = NULL;
    wadi_program *p = wadi_program_create("loader");
    wadi_acc x = wadi_input("x", WADI_I64, 1, NULL);
    wadi_acc y = wadi_compute(wadi_map(twice, x));
    if (bodies > 1)
        y = wadi_sum(wadi_consume(wadi_elements(wadi_produce_env(wadi_extent(x, 0), prefix, &y))));
    wadi_output("y", y);
    if (wadi_compile(p, NULL, &exe, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_program_destroy(p);
    assert_int_equal(exe->plan->nbodies, bodies);
    return exe;
}

static wadi_exe *compile(void) {
    return compile_some(1);
}

static wadi_version_key offered(const wadi_exe *exe) {
    for (int k = 0; k < WADI_SCHEDULE_COUNT; k++)
        if (exe->plan->bodies[BODY].offers[k]) return wadi_version_numbered(k);
    fail_msg("no schedule");
    return (wadi_version_key){.pure = false};
}

/* What is known of the body's version once nobody makes anything. */
static wadi_exe_version settled(wadi_exe *exe, int *out_turns) {
    for (;;) {
        wadi_mutex_lock(&exe->lock);
        const wadi_exe_version *now = wadi_exe_version_of(exe->sets, BODY, offered(exe));
        const bool idle = exe->helping == 0 && now->state != WADI_EXE_MAKING;
        wadi_exe_version v = {0}; /* until then it is its maker's */
        if (idle) v = *now;
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
    assert_false(exe->sets->byte_ns > 0); /* a compiler that runs gently is no measure */
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
    assert_true(exe->sets->byte_ns > 0);
    assert_ptr_equal(code.version, &v.made->version);
    for (int i = 0; i < code.version->nsteps; i++) {
        assert_int_equal(code.kernels[i].handle != 0, code.version->steps[i].kernel != NULL);
        assert_int_equal(code.units[i].handle != 0, code.version->steps[i].units != NULL);
    }
    wadi_exe_destroy(exe);
}

/* Once a compiler has been measured its time tells what another version costs. */
static void what_a_version_costs_is_told_by_those_before(void **state) {
    (void)state;
    wadi_exe *exe = compile();
    const wadi_loader l = wadi_exe_loader(exe);
    wadi_plan_code code = {0};
    int other = wadi_version_number(offered(exe)) + 1, turns = 0;
    while (other < WADI_SCHEDULE_COUNT && !exe->plan->bodies[BODY].offers[other]) other++;
    assert_int_not_equal(other, WADI_SCHEDULE_COUNT);
    assert_int_equal(l.load(l.self, exe->plan, BODY, offered(exe), &code, NULL), WADI_OK);
    assert_false(l.offer(l.self, exe->plan, BODY, wadi_version_numbered(other), 1));
    (void)settled(exe, &turns);
    const wadi_exe_version *v = wadi_exe_version_of(exe->sets, BODY, wadi_version_numbered(other));
    assert_int_equal(turns, 1);
    assert_int_equal(v->state, WADI_EXE_ABSENT);
    assert_int_equal(v->cost_ns, (int64_t)((double)strlen(v->made->source) * exe->sets->byte_ns));
    wadi_exe_destroy(exe);
}

/* However often that was. */
static void what_failed_is_made_as_often_as_it_is_wished_for(void **state) {
    (void)state;
    const wadi_run_options options = {.threads = 1};
    wadi_exe *exe = compile();
    counted_compiler("exit 1", "exit 1");
    for (int i = 1; i <= 2 * WADI_EXE_HELPERS; i++) {
        int turns = 0;
        wadi_exe_expect(exe, &options, false);
        (void)settled(exe, &turns);
        assert_int_equal(turns, i);
        assert_int_equal(counted_compilations(), i);
        assert_in_range(exe->helpers, 1, WADI_EXE_HELPERS);
    }
    wadi_exe_destroy(exe);
}

/* All that a run is certain to want; its own first is left to the run itself. */
static void a_run_leaves_its_first_version_to_itself(void **state) {
    (void)state;
    for (int own = 0; own < 2; own++) {
        const wadi_run_options options = {.threads = 1};
        for (int bodies = 1; bodies < 4; bodies += 2) {
            int listed = 0;
            wadi_exe *exe = compile_some(bodies);
            wadi_exe_expect(exe, &options, own != 0);
            (void)settled(exe, &listed);
            assert_int_equal(listed, bodies - own);
            assert_int_equal(counted_compilations(), listed);
            assert_int_equal(exe->helpers > 0, listed > 0);
            wadi_exe_destroy(exe);
            (void)counted_tear_down(NULL);
            (void)counted_set_up(NULL);
        }
    }
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, counted_set_up, counted_tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(what_costs_more_than_it_is_worth_is_not_made),
        CASE(what_lies_in_the_cache_is_taken),
        CASE(what_was_made_in_vain_is_not_tried_again_until_it_is_needed),
        CASE(what_a_version_costs_is_told_by_those_before),
        CASE(what_failed_is_made_as_often_as_it_is_wished_for),
        CASE(a_run_leaves_its_first_version_to_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
