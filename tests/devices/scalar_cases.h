/* Scalar operations in device C, to be computed for the elements of a few arrays. */
#ifndef WADI_TESTS_DEVICES_SCALAR_CASES_H
#define WADI_TESTS_DEVICES_SCALAR_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "graph/ir/ir.h"

enum { DEVICE_ARGS = 3, DEVICE_ELEMENTS = 4096 };

/* One operation. Arguments x, y, z are elements of the arrays; or one of them is a constant. */
typedef struct scalar_case {
    wadi_sop op;
    wadi_type result, types[DEVICE_ARGS];
    int constant;    /* which argument is one; -1: none */
    wadi_scalar imm; /* its value */
    bool small;      /* of x and y the low 32 bits, and the text may rely on it */
    bool chosen;     /* a selection between x and y by whether element i is even, instead of op */
    bool alone;      /* the constant alone, instead of op */
} scalar_case;

/* Operations on arguments of one type, and the elements that they are tried on. */
typedef struct scalar_cases {
    wadi_type type;
    scalar_case *at;
    int n, cap;
    wadi_scalar *arg[DEVICE_ARGS]; /* [DEVICE_ELEMENTS] */
    wadi_scalar *distance;         /* the second argument of shifts, i32 */
} scalar_cases;

void scalar_cases_init(scalar_cases *c, wadi_type type);
void scalar_cases_fini(scalar_cases *c);
/* Fills in the elements: pairs of special values, and random ones. Adds all operations, with conversions and constants. */
void scalar_cases_fill(scalar_cases *c);

/* The statements that compute element i of each column, with QUALIFIER in front of pointers to arrays. */
void scalar_cases_write(const scalar_cases *c, const char *qualifier, wadi_text *out);
/* Bytes of all columns. Column k begins at scalar_cases_column(c, k). */
size_t scalar_cases_column(const scalar_cases *c, int k);
/* The arguments of case k at element i. */
void scalar_case_args(const scalar_cases *c, int k, int i, wadi_scalar *args);

#endif
