/* Programs that may fault, run by the interpreter and compiled. If the interpreter gives results, compiled code gives the same. If
 * it faults, compiled code reports a fault of the same element, word for word, after the same results.
 *
 * WADI_CONFORMANCE_SEEDS chooses the seeds, WADI_TEST_ALL asks for many. */
#include "tests/conformance/perils.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/conformance/runner.h"
#include "tests/conformance/told.h"
#include "tests/conformance/trial.h"

enum { SEEDS = 40, ALL_SEEDS = 150, REPORTS = 3, VARIANTS = 6 };

static const conf_variant variants[VARIANTS] = {
    {NULL, WADI_SCHEDULE_FORCE_INSIDE, 1, 1}, {NULL, WADI_SCHEDULE_FORCE_INSIDE, 2, 3},
    {NULL, WADI_SCHEDULE_FORCE_FLAT, 1, 1},   {NULL, WADI_SCHEDULE_FORCE_FLAT, 2, 1000},
    {NULL, WADI_SCHEDULE_AUTO, 2, 0},         {NULL, WADI_SCHEDULE_FORCE_ACROSS, 1, 2}};

/* A program with what it is given and what the interpreter says of it. */
typedef struct peril {
    peril_input input;
    wadi_interp_input table;
    wadi_interp_source source;
    wadi_program *program;
    conf_case c;
} peril;

static bool peril_init(peril *p, const peril_order *order, wadi_text *why) {
    p->c = (conf_case){0};
    p->program = peril_program(order, &p->input);
    p->table = (wadi_interp_input){PERIL_INPUT, p->input.table_array};
    p->source =
        (wadi_interp_source){.name = PERIL_STREAM, .n = PERIL_COUNT, .elements = p->input.element};
    const wadi_interp_io io = {&p->table, 1, &p->source, 1};
    return p->program && conf_case_init(&p->c, p->program, &io, why);
}

static void peril_fini(peril *p) {
    conf_case_fini(&p->c);
    wadi_program_destroy(p->program);
}

/* What a program must do: give its results, or fault behind those of the same program cut in front of the fault. */
typedef struct verdict {
    peril p, before;
    bool faults;
    int64_t element; /* that faults, -1: none of the stream */
    told told;
} verdict;

static bool verdict_init(verdict *v, peril_order order, wadi_text *why) {
    v->before = (peril){0};
    v->faults = false;
    if (!peril_init(&v->p, &order, why)) return false;
    v->faults = !v->p.c.want;
    v->element = v->faults ? told_element(v->p.c.fault.msg) : -1;
    if (v->faults) told_collect(&v->told, &v->p.c);
    if (v->element < 0) return true;
    order.most = v->element;
    if (!peril_init(&v->before, &order, why)) return false;
    if (!v->before.c.want)
        wadi_text_addf(why, "cut in front of \"%s\" it faults: %s", v->p.c.fault.msg,
                       v->before.c.fault.msg);
    return v->before.c.want != NULL;
}

static void verdict_fini(verdict *v) {
    peril_fini(&v->p);
    peril_fini(&v->before);
    told_fini(&v->told);
}

static bool kept(const verdict *w, const wadi_exe *exe, const conf_variant *v, wadi_text *why) {
    const conf_case *c = &w->p.c;
    if (!w->faults) return conf_run(c, exe, v, why);
    int64_t delivered = 0;
    wadi_error err = {0};
    const wadi_status st = conf_go_prefix(c, exe, v, w->before.c.want, &delivered, &err, why);
    if (*wadi_text_str(why)) return false;
    if (st != WADI_FAULT)
        wadi_text_addf(why, "status %s, the interpreter: %s", wadi_status_name(st), c->fault.msg);
    else if (!told_allows(&w->told, c, err.msg))
        wadi_text_addf(why, "\"%s\", the interpreter: \"%s\"", err.msg, c->fault.msg);
    else if (delivered > (w->element < 0 ? 0 : w->element) ||
             (v->chunk == 1 && w->element >= 0 && delivered != w->element))
        wadi_text_addf(why, "%lld elements before \"%s\"", (long long)delivered, err.msg);
    return !*wadi_text_str(why);
}

/* One variant does what the interpreter does; where that faults, maybe what it does when it computes only what is delivered. */
static bool agrees(const verdict *w, const verdict *lazy, const wadi_exe *exe,
                   const conf_variant *v, wadi_text *why) {
    if (kept(w, exe, v, why)) return true;
    if (!w->faults) return false;
    wadi_text other;
    wadi_text_init(&other);
    const bool permitted = kept(lazy, exe, v, &other);
    wadi_text_fini(&other);
    if (permitted) wadi_text_clear(why);
    return permitted;
}

static bool all_agree(const verdict *w, const verdict *lazy, const char *disable, uint64_t seed,
                      wadi_text *why) {
    wadi_exe *exe = conf_compile(&w->p.c, disable, why);
    bool same = exe != NULL;
    /* half of the schedules for each seed: every one has kernels of its own */
    for (int i = 0; same && i < VARIANTS; i++) {
        if (i / 2 != (int)(seed % 3)) continue;
        conf_variant v = variants[i];
        v.disable = disable;
        same = agrees(w, lazy, exe, &v, why);
        if (!same) wadi_text_add(why, "\n");
        if (!same) conf_variant_print(&v, why);
    }
    wadi_exe_destroy(exe);
    return same;
}

static bool try_seed(uint64_t seed, int places, bool *out_faults, wadi_text *why) {
    verdict w = {0}, lazy = {0};
    peril_order order = {.seed = seed, .places = places, .most = -1};
    bool same = verdict_init(&w, order, why);
    order.lazy = true;
    if (same && w.faults) same = verdict_init(&lazy, order, why);
    *out_faults = w.faults;
    same = same && all_agree(&w, &lazy, NULL, seed, why);
    if (same && seed % 4 == 0) same = all_agree(&w, &lazy, "all", seed / 4, why);
    if (!same && w.p.c.module) {
        wadi_text_add(why, "\n");
        wadi_ir_print_places(w.p.c.module, why);
    }
    verdict_fini(&lazy);
    verdict_fini(&w);
    return same;
}

/* The fewest computations that still disagree. */
static void report(uint64_t seed, int places) {
    bool faults = false;
    for (int n = 1; n <= places; n++) {
        wadi_text why;
        wadi_text_init(&why);
        const bool same = try_seed(seed, n, &faults, &why);
        if (!same)
            fprintf(stderr, "seed %llu, %d places: %s\n", (unsigned long long)seed, n,
                    wadi_text_str(&why)); /* print_error cuts long texts */
        wadi_text_fini(&why);
        if (!same) return;
    }
}

static void faults_are_the_interpreters(void **state) {
    (void)state;
    uint64_t from, to;
    int failed = 0, faulted = 0, n = 0;
    trial_seeds(getenv("WADI_TEST_ALL") ? ALL_SEEDS : SEEDS, &from, &to);
    for (uint64_t seed = from; seed < to && failed < REPORTS; seed++, n++) {
        const int places = 1 + (int)(seed % 3);
        bool faults = false;
        wadi_text why;
        wadi_text_init(&why);
        if (!try_seed(seed, places, &faults, &why)) {
            failed++;
            report(seed, places);
        }
        faulted += faults;
        wadi_text_fini(&why);
    }
    print_message("%d programs, %d of them fault\n", n, faulted);
    assert_int_equal(failed, 0);
    assert_true(n < 40 || (faulted > n / 5 && faulted < n * 9 / 10));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(faults_are_the_interpreters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
