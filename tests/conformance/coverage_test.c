/* What the tests of this folder leave out: nothing, of the scalar operations on the types they take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "graph/lang/node.h"
#include "operators/table.h"
#include "tests/conformance/generator.h"
#include "tests/conformance/maker.h"

enum { ENOUGH_SEEDS = 2500 };

/* [operation][type of its first argument] */
typedef bool seen_table[WADI_SOP_COUNT][WADI_TYPE_COUNT];

static void note_block(seen_table seen, const wadi_fun *f, const wadi_sblock *b) {
    for (int i = 0; b && i < b->ninsts; i++) {
        const wadi_sinst *s = b->insts[i];
        if (s->nargs > 0) seen[s->op][f->types[s->args[0]]] = true;
        for (int k = 0; k < 2; k++) note_block(seen, f, s->block[k]);
    }
}

static void note_binds(seen_table seen, const wadi_block *b) {
    for (int i = 0; i < b->nbinds; i++) {
        const wadi_bind *bind = b->binds[i];
        for (int k = 0; k < bind->nfuns; k++) note_block(seen, bind->funs[k], bind->funs[k]->body);
        for (int k = 0; k < bind->nblocks; k++) note_binds(seen, bind->blocks[k]);
    }
}

static void note_program(seen_table seen, uint64_t seed) {
    gen_stream stream;
    wadi_module *m = NULL;
    wadi_error err = {.status = WADI_OK};
    wadi_program *p = gen_program(seed, 12, &stream);
    assert_non_null(p);
    if (wadi_program_lower(p, wadi_operators(), &m, &err) != WADI_OK) fail_msg("%s", err.msg);
    note_binds(seen, m->main);
    wadi_module_destroy(m);
    wadi_program_destroy(p);
}

static bool is_generated(wadi_type t) {
    return t == WADI_BOOL || gen_has_type(t);
}

static bool takes(wadi_sop op, wadi_type t) {
    const wadi_type second = wadi_sop_get(op)->cls == WADI_CLASS_SHIFT ? WADI_I32 : t;
    wadi_type result;
    return wadi_sop_type(op, (const wadi_type[]){t, second, t}, &result);
}

/* Comparisons of bools and the order of their bits are left to scalars_test.c. */
static bool is_left_out(wadi_sop op, wadi_type t) {
    const wadi_sop_class cls = wadi_sop_get(op)->cls;
    return t == WADI_BOOL && (cls == WADI_CLASS_ORDER || op == WADI_SOP_EQ);
}

static void random_programs_have_every_operation_on_every_type(void **state) {
    (void)state;
    static seen_table seen;
    int missing = 0;
    for (uint64_t seed = 0; seed < ENOUGH_SEEDS; seed++) note_program(seen, seed);
    for (int op = 0; op < WADI_SOP_PRIM_COUNT; op++)
        for (int t = 0; t < WADI_TYPE_COUNT; t++) {
            const bool wanted = is_generated((wadi_type)t) && takes((wadi_sop)op, (wadi_type)t) &&
                                !is_left_out((wadi_sop)op, (wadi_type)t);
            if (!wanted || seen[op][t]) continue;
            print_error("%s of %s\n", wadi_sop_get((wadi_sop)op)->name,
                        wadi_type_name((wadi_type)t));
            missing++;
        }
    assert_int_equal(missing, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs_have_every_operation_on_every_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
