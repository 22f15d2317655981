/* Results of unknown place: what a predicate keeps, what each element expands to. */
#ifndef WADI_CODEGEN_KERNEL_COMPACT_H
#define WADI_CODEGEN_KERNEL_COMPACT_H

#include "codegen/kernel/lower.h"

/** One row of a result that has the kept elements in front. */
void wadi_lower_partition_row(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                              const wadi_lv *pointer, const wadi_lv *outer_ix);

/** Elements [from, below) of a row of a result of compact or partition, in front of which `before` have been kept. */
typedef struct wadi_kept_part {
    const wadi_bind *bind;
    const wadi_lv *extent, *pointer; /* of the result */
    const wadi_lv *ix;               /* of the row */
    wadi_lv from, below, before;
    wadi_lv limit; /* compact: places from here on belong to others */
    wadi_lv count; /* of the whole row */
} wadi_kept_part;

/** Places them; returns how many of the row have been kept now. */
wadi_lv wadi_lower_place_kept(wadi_lower *l, const wadi_kept_part *p);
/** How many of the row's elements [from, below) are kept. */
wadi_lv wadi_lower_count_kept(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv from,
                              wadi_lv below);
/** How many of the row the binding says are kept. */
wadi_lv wadi_lower_kept_count(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                              const wadi_lv *ix);
/** A fault unless so many are. */
void wadi_lower_expect_count(wadi_lower *l, const wadi_bind *bind, wadi_lv count, wadi_lv kept);
/** All that a predicate keeps. */
void wadi_lower_compact(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                        const wadi_lv *pointer);
/** All results of all elements (expand.c). */
void wadi_lower_expand(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                       const wadi_lv *pointer);
/** Results [first, end) of elements [from, below) of an expansion; the offsets' ends are checked by element 0. */
void wadi_lower_expand_part(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                            const wadi_lv *pointer, wadi_lv from, wadi_lv below, wadi_lv first,
                            wadi_lv end);

#endif
