/* Numbers of slots and places, and constants, in a kernel's text: written as they are, or, in a function that several kernels share, read
 * from a table of words of 32 bits. */
#ifndef WADI_CODEGEN_EMIT_C_NUMBERS_H
#define WADI_CODEGEN_EMIT_C_NUMBERS_H

#include "base/text.h"
#include "base/vec.h"

typedef enum wadi_c_number_kind {
    WADI_C_SLOT,
    WADI_C_PLACE, /* of the plan's table of places */
    WADI_C_REAL   /* the bits of a constant, whose value in the kernel is the number */
} wadi_c_number_kind;

typedef struct wadi_c_number {
    wadi_c_number_kind kind;
    int number;
    int at; /* its first word in the table */
    int words;
} wadi_c_number;

typedef WADI_VEC(wadi_c_number) wadi_c_numbers;

/** The first word of the number, which is appended if it is new. -1: out of memory. */
int wadi_c_number_add(wadi_c_numbers *n, wadi_c_number_kind kind, int number, int words);
/** The first word of the number, or -1 if the list does not have it, or is NULL. */
int wadi_c_number_find(const wadi_c_numbers *n, wadi_c_number_kind kind, int number);
/** Prints the number of a slot or place, or where it stands in the table `of` if there is a list. */
void wadi_c_number_print(const wadi_c_numbers *n, wadi_c_number_kind kind, int number,
                         wadi_text *out);

#endif
