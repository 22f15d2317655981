/* Permute: a function computes the index that each element of the source goes to, and elements that meet are combined. */
#ifndef WADI_CODEGEN_KERNEL_PERMUTE_H
#define WADI_CODEGEN_KERNEL_PERMUTE_H

#include "codegen/kernel/lower.h"

/** Writes the defaults, unless they are there already, and combines all elements of the source into them. */
void wadi_lower_permute(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                        const wadi_lv *pointer);

/** A share of the target's rows (its outermost dimension): those whose number, shifted, is `number` under the mask. */
enum { WADI_SHARE_SHIFT = 4 };

/** A permute is shared only if its combining function costs less than this. One that may fault counts as costlier, so it is never
 *  shared: after a fault, other workers would read values that were not computed. */
enum { WADI_SHARE_CHEAP = 100 };

typedef struct wadi_share {
    wadi_lv number, mask;
} wadi_share;

/** Combines the elements of the source that go to the rows of `share` into the memory at the pointers; NULL: all rows. */
void wadi_lower_scatter(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                        const wadi_lv *pointer, const wadi_share *share);
/** The number of units, a power of two, that share `all` elements in patches of `patch` (share.c). */
wadi_lv wadi_lower_shares(wadi_lower *l, wadi_lv all, wadi_lv patch);
/** Whether a permute adds patches to a state where it lies, so that workers may share its rows. */
bool wadi_lower_is_shared(const wadi_layout *y, const wadi_bind *bind);
/** Whether each row of a patch (the two innermost dimensions) goes to one row of the target, and code before the patch can compute
 *  which. Tries code in l, which is useless afterwards. */
bool wadi_lower_has_rows(wadi_lower *l, const wadi_bind *bind);
/** Where element ix of the source goes: whether it is kept, and its target. */
void wadi_lower_permute_target(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix,
                               wadi_lv *out);
/** Combines element ix, which is kept, with what lies at its target. */
void wadi_lower_permute_combine(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                                const wadi_lv *pointer, const wadi_lv *ix, const wadi_lv *target);

/* Parts of the source and of the result. Their elements are numbered row by row. */

/* Where it is noted which places of the result are reached: pointers to u8, 1 for yes. */
typedef struct wadi_met {
    wadi_lv reached; /* [place] */
    wadi_lv
        again; /* one that is set if a place is reached that was reached before; NONE: that is not asked */
} wadi_met;

/** Combines elements [from, below) of the source into the memory at the pointers. Lanes do it by atomic stores if the order is free; else
 *  no two elements may have one place, or the result is made anew if they have. `met`: NULL, or where their places are noted. */
void wadi_lower_permute_part(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                             const wadi_lv *pointer, wadi_lv from, wadi_lv below,
                             const wadi_met *met);
/** Whether each element of the source is kept, whatever the data. Tries code in l. */
bool wadi_lower_permute_keeps_all(wadi_lower *l, const wadi_bind *bind);
/** Whether the source is a vector all of whose elements go to different places, whatever the data. Tries code in l. */
bool wadi_lower_permute_is_apart(wadi_lower *l, const wadi_bind *bind);
/** Writes elements [from, below) of the defaults. */
void wadi_lower_permute_defaults(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                                 const wadi_lv *pointer, wadi_lv from, wadi_lv below);
/** Writes rows [from, below) of the defaults, unless they are there already. */
void wadi_lower_permute_row_defaults(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                                     const wadi_lv *pointer, wadi_lv from, wadi_lv below);

/* A list of where elements of the source go. */
typedef struct wadi_keyed {
    wadi_lv dropped; /* the key of an element that goes nowhere */
    void (*store)(wadi_lower *l, void *env, wadi_lv i,
                  wadi_lv key); /* not used if there is `value` */
    void *env;
    const wadi_lv
        *value; /* pointers: the elements themselves are stored here, and no keys; NULL: keys */
} wadi_keyed;

/** Stores the keys of elements [from, below) of the source: the numbers of the places that they go to. Or stores the elements. Both write
 *  the faults of the targets. */
void wadi_lower_permute_keys(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                             wadi_lv from, wadi_lv below, const wadi_keyed *keys);

#endif
