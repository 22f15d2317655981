/* Numbers of slots and places in a kernel's text: written as they are, or, in a function that several kernels share, read from a table. */
#ifndef WADI_CODEGEN_EMIT_C_NUMBERS_H
#define WADI_CODEGEN_EMIT_C_NUMBERS_H

#include "base/text.h"
#include "base/vec.h"

typedef struct wadi_c_number {
    bool place; /* of the plan's table of places; else a slot */
    int number;
} wadi_c_number;

typedef WADI_VEC(wadi_c_number) wadi_c_numbers;

/** The position of the number, which is appended if it is new. -1: out of memory. */
int wadi_c_number_at(wadi_c_numbers *n, bool place, int number);
/** Prints the number, or where it stands in the table `of` if there is a list. */
void wadi_c_number_print(const wadi_c_numbers *n, bool place, int number, wadi_text *out);

#endif
