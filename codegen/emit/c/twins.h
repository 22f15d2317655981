/* Kernels that are the same but for the numbers of their slots and places, and for constants: the C compiler compiles one function for all of them. */
#ifndef WADI_CODEGEN_EMIT_C_TWINS_H
#define WADI_CODEGEN_EMIT_C_TWINS_H

#include "codegen/emit/c_like/numbers.h"
#include "codegen/loop/loop.h"

/** What is known of one kernel of a module. */
typedef struct wadi_c_twin {
    int model;              /* the first kernel that it is the same as; -1: it shares nothing */
    int sharers;            /* of a model: how many share its function, itself included */
    wadi_c_numbers numbers; /* in the order in which the kernel uses them first */
} wadi_c_twin;

/** Finds them in a module of many kernels; in others each kernel is written whole, for its readers. NULL: out of memory. The caller calls
 *  wadi_c_twins_free. */
wadi_c_twin *wadi_c_twins_find(const wadi_lmodule *m);
void wadi_c_twins_free(wadi_c_twin *twins, const wadi_lmodule *m);
/** Prints the words of the table that kernel `f` passes to the function it shares. */
void wadi_c_twins_table(const wadi_lmodule *m, const wadi_lfun *f, const wadi_c_numbers *numbers,
                        wadi_text *out);

#endif
