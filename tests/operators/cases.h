/* Files of small programs as text, each with what is to be told of it.
 *
 *     input v : f32[n]               a prologue, which stands before every program of the file
 *     # the start has another type   begins a case
 *     x = fold 0 v (a, b) { add a b }
 *     > type: line 3, column 5: ..   what must be told, word for word
 *
 * With WADI_TEST_RECORD set, files are written anew with what is told now; what has changed is then to be read with care: these texts
 * are the judges. */
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
