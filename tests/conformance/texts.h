/* Programs as text, each compiled in every schedule: they give what the interpreter gives, or fault as it does. */
#ifndef TESTS_CONFORMANCE_TEXTS_H
#define TESTS_CONFORMANCE_TEXTS_H

#include <stdbool.h>

/** Set-up and tear-down of a group of tests. Inputs that programs may read: r1, r2, r3, r16, .. r200000 (f64, as many), z (i64[9]: 0, 1, -3,
 *  -4, 259, 3037000500, 3, -100000 and the most); streams s (i64: 0 .. 11), v (i64[?]) and p (i64[2, 3], f64[4], i64). */
int texts_open(void **state);
int texts_close(void **state);
/** Fails the test unless all runs agree. A fault has the interpreter's words. */
void texts_check(void **state, const char *text, bool faults);
/** The same where workers compute all that they can: one, two, and three of them. */
void texts_check_elsewhere(void **state, const char *text, bool faults);

#endif
