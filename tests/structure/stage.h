/* A program's one stage after all passes, for tests that look at how its values are stored. */
#ifndef WADI_TESTS_STRUCTURE_STAGE_H
#define WADI_TESTS_STRUCTURE_STAGE_H

#include "codegen/pipeline.h"
#include "wadi/lang.h"

typedef struct stage {
    wadi_module *m;
    wadi_facts facts;
    const wadi_block *body;
} stage;

/* A stream "s" of c128 arrays, mapped by `body`, to "out". */
wadi_program *stage_stream(wadi_acc_fn1 body, int rank, const char *const *extents);

/* Lowers the program and runs the passes; fails the test where that fails, or where no stage has a body of its own. The program is the
 * caller's. */
stage stage_of(wadi_program *p);
void stage_fini(stage *s);

/* The values of the body, blocks inside it included: how many are not regular, each of which is printed; adds their number to
 * out_values. */
int stage_count_irregular(const stage *s, int *out_values);

#endif
