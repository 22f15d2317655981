/* Random programs keep their meaning after every pass: the interpreter runs the program between passes. There it can also be
 * printed, read and printed again without a difference.
 *
 * No kernels are compiled here, so this goes through many more programs than conformance_test.c. Seeds are chosen by
 * WADI_CONFORMANCE_SEEDS as there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codegen/pipeline.h"
#include "operators/table.h"
#include "tests/conformance/told.h"
#include "tests/conformance/trial.h"
#include "tests/graph/module_copy.h"

enum { SEEDS = 120, ALL_SEEDS = 400 };

typedef struct watch {
    const trial *t;
    const char *broken; /* the first pass after which the meaning is another */
    wadi_text why, program;
} watch;

/* print(parse(print(m))) is print(m). */
static bool survives_print(const wadi_module *m, wadi_text *why) {
    wadi_text first = {0}, second = {0};
    wadi_module *copy = NULL;
    wadi_error err = {0};
    wadi_ir_print(m, &first);
    const bool read =
        wadi_ir_parse(wadi_text_str(&first), "printed", wadi_operators(), &copy, &err) == WADI_OK;
    if (read) wadi_ir_print(copy, &second);
    const bool same = read && strcmp(wadi_text_str(&first), wadi_text_str(&second)) == 0;
    if (!read) wadi_text_addf(why, "its text is refused: %s", err.msg);
    if (read && !same) wadi_text_addf(why, "its text reads back as\n%s", wadi_text_str(&second));
    wadi_module_destroy(copy);
    wadi_text_fini(&first);
    wadi_text_fini(&second);
    return same;
}

static void look(void *env, const char *pass, const wadi_module *m) {
    watch *w = env;
    if (w->broken) return;
    wadi_interp_results *got = NULL;
    wadi_error err = {0};
    const wadi_status st = wadi_interp_run(m, &w->t->c.io, &got, &err);
    bool same = st == WADI_FAULT && told_of_nothing(&w->t->c, err.msg);
    if (st == WADI_OK)
        same = conf_same_results(w->t->c.want, got, &w->why);
    else if (!same)
        wadi_text_add(&w->why, err.msg);
    wadi_interp_results_destroy(got);
    same = same && survives_print(m, &w->why);
    if (same) return;
    w->broken = pass ? pass : "the first";
    wadi_ir_print(m, &w->program);
}

static bool keeps_meaning(uint64_t seed, int size, bool tell) {
    trial t;
    watch w = {.t = &t};
    wadi_error err = {0};
    wadi_facts facts;
    bool same = trial_init(&t, seed, size, 0, -1, &w.why);
    if (same && t.c.want) {
        wadi_module *m = module_copy(t.c.module);
        const wadi_pipeline_options o = {.verify = true, .dump = look, .env = &w};
        if (wadi_pipeline_run(m, &o, NULL, &facts, &err) == WADI_OK)
            wadi_facts_fini(&facts);
        else if (!w.broken)
            wadi_text_add(&w.why, w.broken = err.msg);
        same = !w.broken;
        wadi_module_destroy(m);
    }
    if (!same && tell) {
        print_error("seed %llu, size %d, after pass %s: %s\n%s\n", (unsigned long long)seed, size,
                    w.broken ? w.broken : "(none)", wadi_text_str(&w.why),
                    wadi_text_str(&w.program));
        wadi_text_clear(&w.program);
        if (t.c.module) wadi_ir_print(t.c.module, &w.program);
        print_error("as written:\n%s\n", wadi_text_str(&w.program));
    }
    trial_fini(&t);
    wadi_text_fini(&w.why);
    wadi_text_fini(&w.program);
    return same;
}

static void every_pass_keeps_the_meaning_of_random_programs(void **state) {
    (void)state;
    uint64_t from, to;
    int failed = 0;
    trial_seeds(getenv("WADI_TEST_ALL") ? ALL_SEEDS : SEEDS, &from, &to);
    for (uint64_t seed = from; seed < to && failed < 3; seed++) {
        int size = trial_size(seed);
        if (keeps_meaning(seed, size, false)) continue;
        for (int s = 1; s < size; s++)
            if (!keeps_meaning(seed, s, false)) size = s;
        (void)keeps_meaning(seed, size, true);
        failed++;
    }
    assert_int_equal(failed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pass_keeps_the_meaning_of_random_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
