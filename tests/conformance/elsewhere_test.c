/* Random programs whose stages workers compute: results and faults are those of the interpreter, word for word.
 *
 * WADI_CONFORMANCE_SEEDS chooses the seeds, WADI_TEST_ALL asks for many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/conformance/told.h"
#include "tests/conformance/trial.h"
#include "tests/conformance/workers.h"

enum { SEEDS = 12, ALL_SEEDS = 100 };

/* What nothing needs need not be computed, so that a later element may fault, or none. */
static bool is_right_fault(const trial *t, wadi_status st, const wadi_error *err) {
    told all = {0};
    told_collect(&all, &t->c);
    const bool right = st == WADI_OK || (st == WADI_FAULT &&
                                         (told_allows(&all, &t->c, err->msg) ||
                                          told_element(err->msg) > told_element(t->c.fault.msg)));
    told_fini(&all);
    return right;
}

static bool is_right(const trial *t, const wadi_exe *exe, const conf_variant *v, wadi_text *why) {
    int64_t delivered = 0;
    wadi_error err = {0};
    if (t->c.want && conf_run(&t->c, exe, v, why)) return true;
    const wadi_status st = conf_go(&t->c, exe, v, &delivered, &err);
    if (t->c.want) return st == WADI_FAULT && told_of_nothing(&t->c, err.msg);
    if (is_right_fault(t, st, &err)) return true;
    wadi_text_addf(why, "\"%s\", the interpreter: \"%s\"", err.msg, t->c.fault.msg);
    return false;
}

static void try_seed(uint64_t seed) {
    static const int64_t chunks[] = {1, 3, 7, 1000};
    trial t;
    wadi_text why = {0};
    if (!trial_init(&t, seed, trial_size(seed), 0, -1, &why)) fail_msg("%s", wadi_text_str(&why));
    const conf_variant v = {.schedule = WADI_SCHEDULE_FORCE_INSIDE,
                            .threads = 1 + (int)(seed % 2),
                            .chunk = chunks[seed % 4],
                            .workers = 1 + (int)(seed / 4 % CONF_MOST_WORKERS)};
    wadi_exe *exe = conf_compile(&t.c, NULL, &why);
    if (!exe || !is_right(&t, exe, &v, &why)) {
        wadi_text_add(&why, "\n");
        conf_variant_print(&v, &why);
        wadi_text_add(&why, "\n");
        if (t.c.module) wadi_ir_print(t.c.module, &why);
        fail_msg("seed %llu: %s", (unsigned long long)seed, wadi_text_str(&why));
    }
    wadi_exe_destroy(exe);
    trial_fini(&t);
    wadi_text_fini(&why);
}

static void workers_change_nothing(void **state) {
    (void)state;
    uint64_t from, to;
    trial_seeds(getenv("WADI_TEST_ALL") ? ALL_SEEDS : SEEDS, &from, &to);
    for (uint64_t seed = from; seed < to; seed++) try_seed(seed);
    print_message("workers have computed %lld chunks\n", (long long)conf_workers_chunks());
    if (to - from >= SEEDS) assert_true(conf_workers_chunks() > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(workers_change_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
