/* Random programs: compiled code gives what the interpreter gives, whatever is switched off, however the stream is cut.
 *
 * WADI_CONFORMANCE_SEEDS chooses the seeds: "N" for 0..N-1, or "A-B"; WADI_TEST_ALL asks for many. Compiling kernels is what takes time, so each seed
 * is compiled twice, with everything on and with one thing off, and the kinds of variants rotate over the seeds. A
 * failure is shrunk to the smallest program of its seed and the fewest elements that still fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/conformance/told.h"
#include "tests/conformance/trial.h"

enum { ALL_SEEDS = 72, RUNS = 3, REPORTS = 3 };

/* ---- shrinking ---- */

static bool fails(uint64_t seed, int size, int64_t skip, int64_t count, const conf_variant *v) {
    trial t;
    wadi_text why;
    wadi_text_init(&why);
    const bool made = trial_init(&t, seed, size, skip, count, &why);
    const bool bad = !made || !conf_check(&t.c, v, &why);
    trial_fini(&t);
    wadi_text_fini(&why);
    return bad;
}

static void report(uint64_t seed, int size, int64_t skip, int64_t count, const conf_variant *v) {
    trial t;
    wadi_text why, program;
    wadi_text_init(&why);
    wadi_text_init(&program);
    if (trial_init(&t, seed, size, skip, count, &why)) (void)conf_check(&t.c, v, &why);
    if (t.c.module) wadi_ir_print(t.c.module, &program);
    wadi_text_add(&program, "\n");
    conf_variant_print(v, &program);
    fprintf(stderr, "seed %llu, size %d, elements %lld from %lld: %s\n%s\n",
            (unsigned long long)seed, size, (long long)count, (long long)skip, wadi_text_str(&why),
            wadi_text_str(&program)); /* print_error cuts long texts */
    trial_fini(&t);
    wadi_text_fini(&why);
    wadi_text_fini(&program);
}

static void shrink(uint64_t seed, int64_t count, const conf_variant *v) {
    int size = trial_size(seed);
    for (int s = 1; s < size; s++)
        if (fails(seed, s, 0, -1, v)) size = s;
    int64_t skip = 0;
    while (count > 1 && fails(seed, size, skip, count / 2, v)) count /= 2;
    while (count > 1 && fails(seed, size, skip + 1, count - 1, v)) {
        skip++;
        count--;
    }
    report(seed, size, skip, count, v);
}

/* ---- the rotation ---- */

/* Right too: a fault in what is computed once, where no element needed it. */
static bool runs_alike(const conf_case *c, const wadi_exe *exe, const conf_variant *v,
                       wadi_text *why) {
    if (conf_run(c, exe, v, why)) return true;
    int64_t delivered = 0;
    wadi_error err = {0};
    return conf_go(c, exe, v, &delivered, &err) == WADI_FAULT && told_of_nothing(c, err.msg);
}

static bool variant_holds(const conf_case *c, const wadi_exe *exe, const conf_variant *v,
                          uint64_t seed, int64_t count) {
    wadi_text why;
    wadi_text_init(&why);
    const bool same = runs_alike(c, exe, v, &why);
    if (!same) {
        print_error("seed %llu: %s\n", (unsigned long long)seed, wadi_text_str(&why));
        shrink(seed, count, v);
    }
    wadi_text_fini(&why);
    return same;
}

/* Runs one executable over several cuts. */
static bool holds(const conf_case *c, const char *disable, wadi_schedule_option schedule,
                  uint64_t seed, int64_t count) {
    static const int64_t chunks[] = {0, 1, 2, 3, 7, 1000};
    wadi_text why;
    wadi_text_init(&why);
    wadi_exe *exe = conf_compile(c, disable, &why);
    bool same = exe != NULL;
    if (!exe) {
        print_error("seed %llu: %s\n", (unsigned long long)seed, wadi_text_str(&why));
        shrink(seed, count,
               &(conf_variant){.disable = disable, .schedule = schedule, .threads = 1});
    }
    gen_random r = {seed};
    for (int i = 0; same && i < RUNS; i++) {
        conf_variant v = {disable, schedule, 1 + i % 2, chunks[gen_below(&r, 6)]};
        if (i == RUNS - 1) v.cut = 1 + (int)gen_below(&r, 5);
        same = variant_holds(c, exe, &v, seed, count);
    }
    wadi_exe_destroy(exe);
    wadi_text_fini(&why);
    return same;
}

/* A program that faults: one executable over several cuts. What nothing needs need not be computed, so that a later element may fault, or
 * none; an earlier one may not, nor may this one with other words than the interpreter has for its faults. */
static bool faults_alike(const trial *t, const char *disable, wadi_schedule_option schedule,
                         uint64_t seed, const told *all) {
    static const int64_t chunks[] = {1, 0, 3};
    wadi_text why = {0};
    wadi_exe *exe = conf_compile(&t->c, disable, &why);
    const int64_t want = told_element(t->c.fault.msg);
    bool right = exe != NULL;
    for (int i = 0; right && i < RUNS; i++) {
        const conf_variant v = {disable, schedule, 1 + i % 2, chunks[i]};
        int64_t delivered = 0;
        wadi_error err = {0};
        const wadi_status st = conf_go(&t->c, exe, &v, &delivered, &err);
        right = st == WADI_OK || (st == WADI_FAULT && (told_allows(all, &t->c, err.msg) ||
                                                       told_element(err.msg) > want));
        if (right) continue;
        wadi_text_addf(&why, "\"%s\", the interpreter: \"%s\"\n", err.msg, t->c.fault.msg);
        conf_variant_print(&v, &why);
    }
    if (!right) {
        wadi_text_add(&why, "\n");
        wadi_ir_print_places(t->c.module, &why);
        fprintf(stderr, "seed %llu: %s\n", (unsigned long long)seed, wadi_text_str(&why));
    }
    wadi_exe_destroy(exe);
    wadi_text_fini(&why);
    return right;
}

/* Which pass is left out for the seed: none of them, all of them, or one. */
static const char *left_out(uint64_t seed) {
    int passes = 0;
    while (conf_pass(passes)) passes++;
    const int i = (int)(seed % (uint64_t)(passes + 1));
    return i == 0 ? "all" : conf_pass(i - 1);
}

static bool all_faults_alike(const trial *t, wadi_schedule_option on, wadi_schedule_option off,
                             uint64_t seed) {
    told all = {0};
    told_collect(&all, &t->c);
    const bool right =
        faults_alike(t, NULL, on, seed, &all) && faults_alike(t, left_out(seed), off, seed, &all);
    told_fini(&all);
    return right;
}

/* 1: everything agrees, 0: it does not, -1: it does, and faults. */
static int try_seed(uint64_t seed) {
    static const wadi_schedule_option on[] = {WADI_SCHEDULE_FORCE_INSIDE, WADI_SCHEDULE_FORCE_FLAT,
                                              WADI_SCHEDULE_AUTO, WADI_SCHEDULE_FORCE_ACROSS,
                                              WADI_SCHEDULE_FORCE_GROUP},
                                      off[] = {WADI_SCHEDULE_FORCE_FLAT,
                                               WADI_SCHEDULE_FORCE_INSIDE};
    trial t;
    wadi_text why;
    wadi_text_init(&why);
    int result = 0;
    if (!trial_init(&t, seed, trial_size(seed), 0, -1, &why))
        print_error("seed %llu: %s\n", (unsigned long long)seed, wadi_text_str(&why));
    else if (!t.c.want)
        result = all_faults_alike(&t, on[seed / 8 % 5], off[seed / 8 % 2], seed) ? -1 : 0;
    else
        result = holds(&t.c, NULL, on[seed % 5], seed, t.input.count[0]) &&
                 holds(&t.c, left_out(seed), off[seed / 2 % 2], seed, t.input.count[0]);
    trial_fini(&t);
    wadi_text_fini(&why);
    return result;
}

static void random_programs_agree_with_the_interpreter(void **state) {
    (void)state;
    uint64_t from, to;
    int failed = 0, faults = 0;
    trial_seeds(getenv("WADI_TEST_ALL") ? ALL_SEEDS : TRIAL_SEEDS, &from, &to);
    print_message("seeds %llu-%llu\n", (unsigned long long)from, (unsigned long long)to - 1);
    for (uint64_t seed = from; seed < to && failed < REPORTS; seed++) {
        const int result = try_seed(seed);
        failed += result == 0;
        faults += result < 0;
    }
    if (faults > 0) print_message("%d programs fault\n", faults);
    assert_int_equal(failed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs_agree_with_the_interpreter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
