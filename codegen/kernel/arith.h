/* Shorthands for index arithmetic. Only .c files include this, so the names may be short. */
#ifndef WADI_CODEGEN_KERNEL_ARITH_H
#define WADI_CODEGEN_KERNEL_ARITH_H

#include "codegen/kernel/lower.h"

/** The i64 constant v. */
static inline wadi_lv num(wadi_lower *l, int64_t v) {
    return wadi_lb_i64(&l->b, v);
}

/** x op y: of the type of x, or a truth. */
static inline wadi_lv bin(wadi_lower *l, wadi_sop op, wadi_lv x, wadi_lv y) {
    return wadi_lb_bin(&l->b, op, x, y);
}

#endif
