/* Random programs in which data decide extents and indices (bounds.h): compiled code gives what the interpreter gives, and faults where it faults.
 *
 * The interpreter runs each element alone. Those that do not fault are one stream; each of the others comes behind some of these in
 * a run of its own, which must fault there.
 *
 *     WADI_CONFORMANCE_SEEDS=A-B    other seeds; a program that fails is printed, with as few computations as still fail */
#include "tests/conformance/bounds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "operators/table.h"
#include "tests/conformance/told.h"
#include "tests/conformance/trial.h"

enum { SEEDS = 30, ALL_SEEDS = 150, REPORTS = 3, VARIANTS = 8, FRONT = 2, MOST_STEPS = 8 };

static const conf_variant variants[VARIANTS] = {
    {NULL, WADI_SCHEDULE_FORCE_INSIDE, 1, 1}, {NULL, WADI_SCHEDULE_FORCE_INSIDE, 2, 3},
    {NULL, WADI_SCHEDULE_FORCE_FLAT, 1, 1},   {NULL, WADI_SCHEDULE_FORCE_FLAT, 2, 1000},
    {NULL, WADI_SCHEDULE_AUTO, 2, 0},         {NULL, WADI_SCHEDULE_AUTO, 1, 2},
    {NULL, WADI_SCHEDULE_FORCE_GROUP, 1, 2},  {NULL, WADI_SCHEDULE_FORCE_GROUP, 2, 1000}};

typedef struct trial_of {
    wadi_text text;
    bounds_input input;
    wadi_module *module;
    wadi_interp_source source;
    wadi_interp_results *want; /* of all elements that do not fault */
    wadi_array fine[BOUNDS_COUNT * BOUNDS_PARTS];
    int nfine, bad[BOUNDS_COUNT], nbad;
} trial_of;

static conf_case case_of(const trial_of *t, const wadi_interp_source *source) {
    return (conf_case){.text = wadi_text_str(&t->text),
                       .io = {t->input.input, t->input.inputs, source, 1},
                       .module = t->module};
}

static wadi_status interpreted(const trial_of *t, const wadi_array *elements, int n,
                               wadi_interp_results **out, wadi_error *err) {
    const wadi_interp_source source = {.name = BOUNDS_STREAM, .n = n, .elements = elements};
    const conf_case c = case_of(t, &source);
    return wadi_interp_run(t->module, &c.io, out, err);
}

static void trial_begin(trial_of *t, uint64_t seed, int steps) {
    wadi_error err = {0};
    *t = (trial_of){0};
    assert_true(bounds_program(seed, steps, &t->text, &t->input));
    if (wadi_ir_parse(wadi_text_str(&t->text), "text", wadi_operators(), &t->module, &err) !=
        WADI_OK) {
        fprintf(stderr, "%s\n", wadi_text_str(&t->text)); /* print_error cuts long texts */
        fail_msg("seed %llu: %s", (unsigned long long)seed, err.msg);
    }
    for (int e = 0; e < BOUNDS_COUNT; e++) {
        const wadi_array *row = &t->input.element[e * BOUNDS_PARTS];
        wadi_interp_results *r = NULL;
        const wadi_status st = interpreted(t, row, 1, &r, &err);
        wadi_interp_results_destroy(r);
        if (st == WADI_OK)
            memcpy(&t->fine[BOUNDS_PARTS * t->nfine++], row, BOUNDS_PARTS * sizeof *row);
        else
            t->bad[t->nbad++] = e;
    }
    assert_int_equal(interpreted(t, t->fine, t->nfine, &t->want, &err), WADI_OK);
}

static void trial_end(trial_of *t) {
    wadi_interp_results_destroy(t->want);
    wadi_module_destroy(t->module);
    wadi_text_fini(&t->text);
}

/* What else faults in the element is looked for only if the message is another one: many elements fault. */
static bool is_told(const conf_case *c, const char *message) {
    told all = {0};
    bool same = told_allows(&all, c, message);
    if (!same) {
        told_collect(&all, c);
        same = told_allows(&all, c, message);
    }
    told_fini(&all);
    return same;
}

static bool results_agree(const trial_of *t, const wadi_exe *exe, const conf_variant *v,
                          wadi_text *why) {
    const wadi_interp_source source = {.name = BOUNDS_STREAM, .n = t->nfine, .elements = t->fine};
    conf_case c = case_of(t, &source);
    c.want = t->want;
    return conf_run(&c, exe, v, why);
}

/* Behind `front` elements that do not fault. */
static bool fault_agrees(const trial_of *t, int bad, int front, const wadi_exe *exe,
                         const conf_variant *v, wadi_text *why) {
    wadi_array rows[(FRONT + 1) * BOUNDS_PARTS];
    const size_t row = BOUNDS_PARTS * sizeof *rows;
    memcpy(rows, t->fine, (size_t)front * row);
    memcpy(rows + front * BOUNDS_PARTS, &t->input.element[bad * BOUNDS_PARTS], row);
    const wadi_interp_source source = {.name = BOUNDS_STREAM, .n = front + 1, .elements = rows};
    conf_case c = case_of(t, &source);
    const wadi_status want = interpreted(t, rows, front + 1, &c.want, &c.fault);
    int64_t delivered = 0;
    wadi_error err = {0};
    const wadi_status got = conf_go(&c, exe, v, &delivered, &err);
    if (got != WADI_FAULT && got != WADI_MEMORY)
        wadi_text_addf(why, "element %d: status %s \"%s\", the interpreter: %s", bad,
                       wadi_status_name(got), err.msg, c.fault.msg);
    else if (want == WADI_FAULT && got == WADI_FAULT && !is_told(&c, err.msg))
        wadi_text_addf(why, "element %d: \"%s\", the interpreter: \"%s\"", bad, err.msg,
                       c.fault.msg);
    return !*wadi_text_str(why);
}

static bool agrees(const trial_of *t, const wadi_exe *exe, const conf_variant *v, wadi_text *why) {
    /* what needs no element is computed without any, too, and may fault */
    if (t->nfine > 0 && !results_agree(t, exe, v, why)) return false;
    const int front = t->nfine < FRONT ? t->nfine : FRONT;
    for (int i = 0; i < t->nbad; i++)
        if (!fault_agrees(t, t->bad[i], i % 2 ? front : 0, exe, v, why)) return false;
    return true;
}

/* Two of the schedules for each seed: every one has kernels of its own. */
static bool try_seed(uint64_t seed, int steps, int *out_bad, wadi_text *why) {
    trial_of t;
    trial_begin(&t, seed, steps);
    *out_bad = t.nbad;
    const conf_case c = case_of(&t, NULL);
    wadi_exe *exe = conf_compile(&c, NULL, why);
    bool same = exe != NULL;
    for (int i = 0; same && i < VARIANTS; i++) {
        if (i / 2 != (int)(seed % 4)) continue;
        same = agrees(&t, exe, &variants[i], why);
        if (same) continue;
        wadi_text_add(why, "\n");
        conf_variant_print(&variants[i], why);
        wadi_text_addf(why, "\n%s", wadi_text_str(&t.text));
    }
    wadi_exe_destroy(exe);
    trial_end(&t);
    return same;
}

static void report(uint64_t seed) {
    int bad = 0;
    for (int n = 1; n <= MOST_STEPS; n++) {
        wadi_text why;
        wadi_text_init(&why);
        const bool same = try_seed(seed, n, &bad, &why);
        if (!same)
            fprintf(stderr, "seed %llu: %s\n", (unsigned long long)seed, wadi_text_str(&why));
        wadi_text_fini(&why);
        if (!same) return;
    }
}

static void what_data_decide_is_checked(void **state) {
    (void)state;
    uint64_t from, to;
    int failed = 0, n = 0, bad = 0;
    trial_seeds(getenv("WADI_TEST_ALL") ? ALL_SEEDS : SEEDS, &from, &to);
    for (uint64_t seed = from; seed < to && failed < REPORTS; seed++, n++) {
        int elements = 0;
        wadi_text why;
        wadi_text_init(&why);
        if (!try_seed(seed, -1, &elements, &why)) {
            failed++;
            report(seed);
        }
        bad += elements;
        wadi_text_fini(&why);
    }
    print_message("%d programs; of %d elements %d fault\n", n, n * BOUNDS_COUNT, bad);
    assert_int_equal(failed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_data_decide_is_checked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
