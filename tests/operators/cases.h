/* Files of small programs as text, each with what must be reported about it.
 *
 *     input v : f32[n]               a prologue, which begins every program of the file
 *     # the start has another type   begins a case
 *     x = fold 0 v (a, b) { add a b }
 *     > type: line 3, column 5: ..   what must be reported, word for word
 *
 * If WADI_TEST_RECORD is set, the files are rewritten with what is reported now. Read the difference with care before you commit it:
 * later runs are compared with these texts. */
#ifndef TESTS_OPERATORS_CASES_H
#define TESTS_OPERATORS_CASES_H

#include "base/text.h"
#include "graph/ir/ir.h"

/* Adds what is to be told of a program: lines, each with its end. */
typedef void (*tell_case)(const char *program, wadi_text *out);

/* Runs every case of tests/NAME.txt; fails when anything is told otherwise. */
void check_cases(const char *name, tell_case tell);

/* Every program of tests/NAME.txt, whatever is to be told of it. */
void each_case(const char *name, void (*see)(const char *program, void *env), void *env);

/* A text that is told in one piece must be tests/NAME.txt. */
void check_transcript(const char *name, const wadi_text *told);

/* Reads the program; tells why not, and gives NULL, where it has a mistake. */
wadi_module *read_case(const char *program, wadi_text *out);

#endif
