/* Elements that are several fields, a value each: in variables, in arrays of lanes, and two of them combined. Only .c files include this, so the
 * names may be short. */
#ifndef WADI_CODEGEN_KERNEL_FIELDS_H
#define WADI_CODEGEN_KERNEL_FIELDS_H

#include <string.h>

#include "codegen/kernel/check.h"
#include "codegen/kernel/read.h"

/** out = the variables */
static inline void get_fields(wadi_lower *l, int fields, const wadi_lv *var, wadi_lv *out) {
    for (int f = 0; f < fields; f++) out[f] = wadi_lb_get(&l->b, var[f]);
}

/** variables = x */
static inline void set_fields(wadi_lower *l, int fields, const wadi_lv *var, const wadi_lv *x) {
    for (int f = 0; f < fields; f++) wadi_lb_set(&l->b, var[f], x[f]);
}

/** out = lanes[at] */
static inline void of_lane(wadi_lower *l, int fields, const wadi_lv *lanes, wadi_lv at,
                           wadi_lv *out) {
    for (int f = 0; f < fields; f++) out[f] = wadi_lb_lane(&l->b, lanes[f], at);
}

/** lanes[at] = x */
static inline void to_lane(wadi_lower *l, int fields, const wadi_lv *lanes, wadi_lv at,
                           const wadi_lv *x) {
    for (int f = 0; f < fields; f++) wadi_lb_put(&l->b, lanes[f], at, x[f]);
}

/** out = fun(acc, x) */
static inline void combine_fields(wadi_lower *l, const wadi_fun *fun, int fields,
                                  const wadi_lv *acc, const wadi_lv *x, wadi_lv *out) {
    wadi_lv args[2 * WADI_MAX_FIELDS];
    memcpy(args, acc, (size_t)fields * sizeof *args);
    memcpy(args + fields, x, (size_t)fields * sizeof *args);
    wadi_lower_apply(l, fun, args, out);
}

/** The same, noted in the i64 variable `bad` where it faults. */
static inline void combine_quietly(wadi_lower *l, const wadi_fun *fun, int fields,
                                   const wadi_lv *acc, const wadi_lv *x, wadi_lv bad,
                                   wadi_lv *out) {
    wadi_lv args[2 * WADI_MAX_FIELDS];
    memcpy(args, acc, (size_t)fields * sizeof *args);
    memcpy(args + fields, x, (size_t)fields * sizeof *args);
    wadi_lower_apply_quietly(l, fun, args, bad, out);
}

#endif
