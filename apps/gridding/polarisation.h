/* Which polarisation products of a file make the polarisation that is imaged. */
#ifndef WADI_APPS_GRIDDING_POLARISATION_H
#define WADI_APPS_GRIDDING_POLARISATION_H

#include <stdbool.h>

#include "wadi/visibility.h"

/* value = factor[0] product[at[0]] + factor[1] product[at[1]] */
typedef struct grid_mix {
    int stokes;          /* code of wadi_stokes it is */
    int n;               /* products, 1 or 2; both must be good */
    int at[2];           /* on the file's axis */
    double re[2], im[2]; /* factors */
    bool
        mean; /* of two products that differ by noise alone: the mean by weight, which carries the sum of the weights; else
                  the weight is that of the propagated error */
} grid_mix;

/* "I", "XX"; NULL for no code. */
const char *grid_stokes_name(int stokes);
/* 0: no such name. */
int grid_stokes_code(const char *name);

/* Errors: WADI_INVALID, with a list of what the file has. stokes 0: I, or else the first product. */
WADI_NODISCARD wadi_status grid_mix_choose(const wadi_vis_info *info, int stokes, const char *name,
                                           grid_mix *out, wadi_error *err);

#endif
