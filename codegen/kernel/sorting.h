/* Sorting the elements of a permute's source by their targets, stably: those that meet stay in the order of the source. */
#ifndef WADI_CODEGEN_KERNEL_SORTING_H
#define WADI_CODEGEN_KERNEL_SORTING_H

#include "codegen/kernel/lower.h"

/* Targets are sorted by buckets of 2^shift of them, a group's work; in one pass or two, each by a digit of `bits` bits of the bucket's number.
 * What goes nowhere is in a last bucket. All of it follows from sizes. */
typedef struct wadi_sorting {
    wadi_lv n, m;    /* elements of the source, 0 if they are not sorted; of the result */
    wadi_lv sorted;  /* whether they are */
    wadi_lv shift;   /* targets of a bucket, as a power of two */
    wadi_lv buckets; /* but the last */
    wadi_lv passes, bits, digits;
    wadi_lv blocks; /* of the source, in each of which digits are counted */
} wadi_sorting;

enum {
    WADI_SORT_BLOCK = 4096,
    WADI_SORT_BITS = 11,         /* of a digit, at most */
    WADI_SORT_SIZES = 31,        /* bits of the numbers of elements of source and result, at most */
    WADI_SORT_LEAST = 512,       /* fewer elements are combined by one lane */
    WADI_SORT_ONE_PASS = 1 << 16 /* a result of no more elements takes one pass */
};

wadi_sorting wadi_lower_sorting(wadi_lower *l, const wadi_bind *bind);

/* The tables: `keys` has two halves of n elements, of key and place in the source; `counts` has [digit, block]. */

/** Writes the keys of elements [from, below) of the source to the first half. */
void wadi_lower_sort_keys(wadi_lower *l, const wadi_bind *bind, const wadi_sorting *s,
                          const wadi_lv *keys, wadi_lv from, wadi_lv below);
/** Counts the digits of a block of the half that the pass reads. */
void wadi_lower_sort_count(wadi_lower *l, const wadi_sorting *s, int pass, const wadi_lv *keys,
                           wadi_lv counts, wadi_lv block);
/** Turns the counts of a digit into those of the blocks up to each. */
void wadi_lower_sort_sum(wadi_lower *l, const wadi_sorting *s, wadi_lv counts, wadi_lv digit);
/** Moves a block to the other half. The counts of each digit have been summed. */
void wadi_lower_sort_place(wadi_lower *l, const wadi_sorting *s, int pass, const wadi_lv *keys,
                           wadi_lv counts, wadi_lv block);
/** Combines what goes to a bucket into the memory at the pointers. `value`: pointers to the elements of the source, NULL: they are read. */
void wadi_lower_sort_combine(wadi_lower *l, const wadi_bind *bind, const wadi_sorting *s,
                             const wadi_lv *keys, const wadi_lv *value, const wadi_lv *extent,
                             const wadi_lv *pointer, wadi_lv bucket);

#endif
