/* Elements sent to places that a function computes, and combined there. */
#ifndef WADI_CODEGEN_KERNEL_PERMUTE_H
#define WADI_CODEGEN_KERNEL_PERMUTE_H

#include "codegen/kernel/lower.h"

/** The defaults, unless they lie there already, and all elements of the source combined into them. */
void wadi_lower_permute(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                        const wadi_lv *pointer);

/** A share of the target's rows (its outermost dimension): those whose number, shifted, is `number` under the mask. */
enum { WADI_SHARE_SHIFT = 4 };

/** A combination of a shared permute costs less: one that may fault is dearer, and might look at what a fault leaves behind. */
enum { WADI_SHARE_CHEAP = 100 };

typedef struct wadi_share {
    wadi_lv number, mask;
} wadi_share;

/** The elements of its source combined into what the pointers lead to; NULL: all of them. */
void wadi_lower_scatter(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                        const wadi_lv *pointer, const wadi_share *share);
/** How many units, a power of two, share `all` elements in patches of `patch` (share.c). */
wadi_lv wadi_lower_shares(wadi_lower *l, wadi_lv all, wadi_lv patch);
/** Whether a permute adds patches to a state where it lies, so that workers may share its rows. */
bool wadi_lower_is_shared(const wadi_layout *y, const wadi_bind *bind);
/** Whether the rows that a patch of the two innermost dimensions goes to are known in front of it, and one for each row of the
 *  patch. Code is tried in l and of no use afterwards. */
bool wadi_lower_has_rows(wadi_lower *l, const wadi_bind *bind);
/** Elements [from, below) of its source, a vector, combined into what the pointers lead to. */
void wadi_lower_permute_part(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                             const wadi_lv *pointer, wadi_lv from, wadi_lv below);

#endif
