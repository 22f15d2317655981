/* Steps that may run over a few rows at a time: strips and turns. Rows are indices of the outermost dimension. */
#ifndef WADI_CODEGEN_KERNEL_FLAT_MEMBERS_H
#define WADI_CODEGEN_KERNEL_FLAT_MEMBERS_H

#include "codegen/kernel/flat/flat.h"
#include "codegen/rewrite.h"

enum {
    WADI_FLAT_ANYWHERE = -1,
    WADI_FLAT_FAR = 64,     /* rows; who reads further away is no member */
    WADI_FLAT_VISITS = 4096 /* of delayed values, after which a search gives up */
};

/** Whether `bind` is a stored producer of one array whose rows one FLAT step computes, each by as many units, into a slot of its own. */
bool wadi_flat_is_member(wadi_flat *c, const wadi_bind *bind);
/** How many rows away from a place a read is, at most, if its reader is `distance` away; either may be WADI_FLAT_ANYWHERE. */
int64_t wadi_flat_distance(const wadi_flat *c, const wadi_read *r, int64_t distance);

#endif
