/* What tests of passes share: programs from text, invented inputs, and whether two programs mean the same. */
#ifndef TESTS_CODEGEN_PROGRAMS_H
#define TESTS_CODEGEN_PROGRAMS_H

#include "codegen/pipeline.h"

/** Parses; fails the test with the parser's message. The caller destroys the module. */
wadi_module *program(const char *text);
/** The text of a module; the caller frees it. */
char *text_of(const wadi_module *m);
/** Fails the test unless the interpreter gives the same bits for both, on inputs made up from the declarations of `a`: named
 *  extents get one size each, open ones vary, streams carry elements of different sizes where they may. Faults must
 *  come in both or in none. */
void assert_same_meaning(const wadi_module *a, const wadi_module *b);

/** The value whose printed name is `name`; fails the test when there is none. */
wadi_val value_named(const wadi_module *m, const char *name);
/** Values that get a kernel of their own: stored results of array operators, scalars aside. */
int kernels(const wadi_module *m);
/** The same, but siblings count once: how often one worker goes through arrays. */
int passes(const wadi_module *m);
/** Bindings of operator `op` anywhere in the program. */
int count_op(const wadi_module *m, const char *op);

/** A program after the whole pipeline, with what was told. */
typedef struct compiled {
    wadi_module *m;
    wadi_diag *d;
    wadi_facts facts;
} compiled;
/** Runs the pipeline over `text` and checks that the meaning stayed. */
compiled compile(const char *text, const char *disable);
void compiled_free(compiled *c);

#endif
