/* The programs of the method "aw" (aw.c). The forms of the method differ only in these. */
#ifndef WADI_APPS_GRIDDING_AW_PROGRAM_H
#define WADI_APPS_GRIDDING_AW_PROGRAM_H

#include "apps/gridding/wkernel.h"

typedef struct grid_aw_form {
    int support, aterm; /* cells along each side: of W and the result, and of A */
    int padded; /* of transforms: a power of two, at least the larger of the two plus aterm - 1 */
    int oversample;
    bool own;     /* the language's own transforms */
    bool hoisted; /* the program reads transforms of A and, unless each_w, of W */
    bool each_w;  /* each visibility transforms its own kernel of w */
    bool lifted;  /* one call transforms all arrays of a chunk (with_lifted); for comparison */
    bool same;    /* all antennas have the same A-term, also those without a number */
} grid_aw_form;

/* in   a c128[antennas, aterm, aterm], w_kernel c128[bins, places, support, support]
 * out  a and, unless each_w, w_kernel: their transforms, [.., padded, padded], the kernels' first cells in the first places */
WADI_NODISCARD wadi_status grid_aw_compile_transforms(const grid_aw_form *f, wadi_exe **out,
                                                      wadi_error *err);

/* The program of a batch (canvas.h); beside it
 * in   step f64, a and w_kernel, as they are or transformed */
WADI_NODISCARD wadi_status grid_aw_compile(const grid_aw_form *f, wadi_exe **out, wadi_error *err);

#endif
