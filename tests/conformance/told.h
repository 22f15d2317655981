/* Which messages docs/LANGUAGE.md allows for a fault of compiled code: the interpreter's, word for word. If several computations of
 * one element fault, the message of any of them. */
#ifndef TESTS_CONFORMANCE_TOLD_H
#define TESTS_CONFORMANCE_TOLD_H

#include "tests/conformance/runner.h"

typedef struct told {
    wadi_text
        with[2]; /* all that faults, computed with one number or another where there is none */
} told;

/* Of a case that faults. fini is needed; zeroed is fine for it. */
void told_collect(told *t, const conf_case *c);
void told_fini(told *t);
bool told_allows(const told *t, const conf_case *c, const char *message);
/* The same of a case that does not fault: what needs no element of a stream is computed for one without elements too. */
bool told_of_nothing(const conf_case *c, const char *message);

/* The element a message names, -1: none. */
int64_t told_element(const char *message);

#endif
