/* The examples of docs/LANGUAGE.md that are C, as programs. */
#ifndef WADI_TESTS_MANUAL_C_EXAMPLES_H
#define WADI_TESTS_MANUAL_C_EXAMPLES_H

#include "wadi/lang.h"

typedef struct c_example {
    int line; /* of the document */
    const char *want,
        *text; /* the value as `wadi run` prints it, or "fault: " and a part of the message; the expression */
    wadi_acc (*build)(void);
} c_example;

/** Ends with a NULL text. */
extern const c_example c_examples[];

#endif
