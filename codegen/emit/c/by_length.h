/* Loops over short rows that take the rows of a strip in the order of their lengths. */
#ifndef WADI_CODEGEN_EMIT_C_BY_LENGTH_H
#define WADI_CODEGEN_EMIT_C_BY_LENGTH_H

#include "base/vec.h"
#include "codegen/emit/c_like/expression.h"

typedef struct wadi_c_by_length {
    wadi_lv length;      /* of the row that a round takes */
    int made;            /* the position, in the loop's scope, of the statement that makes it */
    WADI_VEC(int) slots; /* that rounds load from */
} wadi_c_by_length;

/** Whether the rounds of `loop`, which is worth a form without bulky branches (wadi_c_has_rest), may run in any order, and find the length
 *  of their row first. The caller calls wadi_c_by_length_fini if it is true. Also false when out of memory. */
bool wadi_c_by_length_find(const wadi_c_writer *w, const wadi_linst *loop, wadi_c_by_length *out);
void wadi_c_by_length_fini(wadi_c_by_length *o);
/** Prints the bytes of the arrays among these slots as an expression. */
void wadi_c_by_length_bytes(wadi_c_writer *w, const wadi_c_by_length *o);

#endif
