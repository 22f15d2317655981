/* Hand-written programs under every kind of variant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/conformance/runner.h"
#include "tests/conformance/sparse.h"

enum { MAX_VARIANTS = 24, OFF_RUNS = 2, OFF = 4 };

typedef struct plan {
    int nvariants;
    conf_variant variant[MAX_VARIANTS];
} plan;

/* Variants that differ in `disable` need kernels of their own, and so do schedules; cuts are free. */
static const plan usual = {15,
                           {{NULL, WADI_SCHEDULE_AUTO, 1, 0},
                            {NULL, WADI_SCHEDULE_AUTO, 2, 3},
                            {NULL, WADI_SCHEDULE_FORCE_INSIDE, 1, 1},
                            {NULL, WADI_SCHEDULE_FORCE_INSIDE, 2, 2},
                            {NULL, WADI_SCHEDULE_FORCE_INSIDE, 2, 1000},
                            {NULL, WADI_SCHEDULE_FORCE_FLAT, 1, 1},
                            {NULL, WADI_SCHEDULE_FORCE_FLAT, 2, 7},
                            {NULL, WADI_SCHEDULE_FORCE_FLAT, 2, 1000},
                            {NULL, WADI_SCHEDULE_FORCE_ACROSS, 1, 1},
                            {NULL, WADI_SCHEDULE_FORCE_ACROSS, 2, 1000},
                            {NULL, WADI_SCHEDULE_FORCE_GROUP, 1, 1},
                            {NULL, WADI_SCHEDULE_FORCE_GROUP, 2, 1000},
                            {NULL, WADI_SCHEDULE_AUTO, 2, 3, .cut = 2},
                            {NULL, WADI_SCHEDULE_FORCE_INSIDE, 1, 1, .cut = 5},
                            {NULL, WADI_SCHEDULE_FORCE_FLAT, 2, 7, .cut = 1}}};

static const conf_variant off[OFF][OFF_RUNS] = {
    {{"all", WADI_SCHEDULE_FORCE_INSIDE, 1, 7}, {"all", WADI_SCHEDULE_FORCE_INSIDE, 2, 1}},
    {{"fuse", WADI_SCHEDULE_FORCE_FLAT, 1, 3}, {"fuse", WADI_SCHEDULE_FORCE_FLAT, 2, 1000}},
    {{"all", WADI_SCHEDULE_FORCE_FLAT, 1, 2}, {"all", WADI_SCHEDULE_FORCE_FLAT, 2, 1000}},
    {{"fuse", WADI_SCHEDULE_FORCE_INSIDE, 1, 3}, {"fuse", WADI_SCHEDULE_FORCE_INSIDE, 2, 5}}};

/* With passes switched off each program runs in one way, the next program in the next; in all with
 * WADI_CONFORMANCE_THOROUGH set. */
static plan thorough(void) {
    static int turn;
    const bool all = getenv("WADI_CONFORMANCE_THOROUGH") != NULL;
    plan p = usual;
    for (int i = 0; i < OFF; i++)
        for (int k = 0; k < OFF_RUNS && (all || i == turn % OFF); k++)
            p.variant[p.nvariants++] = off[i][k];
    turn++;
    return p;
}

static const plan brief = {2, {{NULL, WADI_SCHEDULE_AUTO, 1, 0}, {NULL, WADI_SCHEDULE_AUTO, 2, 3}}};

static bool agrees(const conf_case *c, const plan *p, wadi_text *why) {
    static int turn;
    const conf_variant *chosen = conf_sparse(p->variant, p->nvariants, turn++);
    wadi_exe *exe = NULL;
    const conf_variant *last = NULL;
    bool same = true;
    for (int i = 0; same && i < p->nvariants; i++) {
        const conf_variant *v = &p->variant[i];
        if (chosen != NULL && !conf_share_kernels(chosen, v)) continue;
        if (!last || last->disable != v->disable) {
            wadi_exe_destroy(exe);
            exe = conf_compile(c, v->disable, why);
        }
        last = v;
        same = exe && conf_run(c, exe, v, why);
        if (same) continue;
        wadi_text_add(why, "\n");
        conf_variant_print(v, why);
    }
    wadi_exe_destroy(exe);
    return same;
}

static bool expected_is_right(const conf_case *c, const wadi_interp_input *want, wadi_text *why) {
    const wadi_array *got = wadi_interp_output_get(c->want, want->name);
    wadi_text_addf(why, "the interpreter's %s: ", want->name);
    if (!got) wadi_text_add(why, "not there");
    const bool same = got && conf_same_array(&want->array, got, why);
    if (same) wadi_text_clear(why);
    return same;
}

static void assert_agrees(wadi_program *p, const wadi_interp_io *io, int nexpected,
                          const wadi_interp_input *expected, const plan *variants) {
    conf_case c;
    wadi_text why, program;
    wadi_text_init(&why);
    wadi_text_init(&program);
    bool same = conf_case_init(&c, p, io, &why);
    if (same && !c.want) {
        wadi_text_addf(&why, "the interpreter: %s", c.fault.msg);
        same = false;
    }
    for (int i = 0; same && i < nexpected; i++) same = expected_is_right(&c, &expected[i], &why);
    same = same && agrees(&c, variants, &why);
    if (!same && c.module) wadi_ir_print(c.module, &program);
    conf_case_fini(&c);
    wadi_program_destroy(p);
    if (!same) print_error("%s\n%s\n", wadi_text_str(&why), wadi_text_str(&program));
    wadi_text_fini(&why);
    wadi_text_fini(&program);
    assert_true(same);
}

void conf_assert_agrees(wadi_program *p, const wadi_interp_io *io, int nexpected,
                        const wadi_interp_input *expected) {
    const plan variants = thorough();
    assert_agrees(p, io, nexpected, expected, &variants);
}

void conf_assert_agrees_briefly(wadi_program *p, const wadi_interp_io *io) {
    assert_agrees(p, io, 0, NULL, &brief);
}
