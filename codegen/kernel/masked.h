/* Folds of what a filter keeps, without storing it (masked.c). */
#ifndef WADI_CODEGEN_KERNEL_MASKED_H
#define WADI_CODEGEN_KERNEL_MASKED_H

#include "codegen/kernel/row.h"

/** The filter from whose elements those of `array` are made one by one, if its result is delayed and not `known`; else NULL. */
const wadi_bind *wadi_lower_masked_by(const wadi_layout *y, const bool *known, wadi_val array);

/** The total of row r, whose elements are made from those that `filter` keeps. */
void wadi_lower_masked_total(wadi_lower *l, const wadi_row *r, const wadi_bind *filter,
                             wadi_lv *out);
/** The result of block `blk` of the row. Of the elements that are filtered, the block lies behind element at - 1; in front of element `at`,
 *  `before` have been kept. */
void wadi_lower_masked_block(wadi_lower *l, const wadi_row *r, const wadi_bind *filter, wadi_lv at,
                             wadi_lv before, wadi_lv blk, wadi_lv *out);

#endif
