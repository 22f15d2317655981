/* Permutes of a vector, element by element, to some rows of the result (its outermost dimension). It must not fault to ask where an element goes, and be
 * cheap: it is asked ahead of its turn, and several times. */
#ifndef WADI_CODEGEN_KERNEL_PERMUTE_ROWS_H
#define WADI_CODEGEN_KERNEL_PERMUTE_ROWS_H

#include "codegen/kernel/lower.h"

/** Rows from `first` to `last`. Those in front of and behind the result count as well: who has them tells the fault. */
typedef struct wadi_target_rows {
    wadi_lv first, last;
} wadi_target_rows;

/** Whether the source is a vector of which it can be asked where its elements go, without faults, loops and what is no SIMD code. Tries code in l. */
bool wadi_lower_permute_can_ask(wadi_lower *l, const wadi_bind *bind);
/** Between which of `height` rows elements [from, below) go: out[0] the least, out[1] the greatest, which is less if none of them is kept. Both
 *  may lie outside the result. If some of the first few lie far apart, the others are not asked, and all numbers lie between. */
void wadi_lower_permute_span(wadi_lower *l, const wadi_bind *bind, wadi_lv height, wadi_lv from,
                             wadi_lv below, wadi_lv *out);
/** Combines elements [from, below) that go to `rows` into the memory at the pointers, in their order. */
void wadi_lower_permute_rows(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                             const wadi_lv *pointer, wadi_lv from, wadi_lv below,
                             const wadi_target_rows *rows);

#endif
