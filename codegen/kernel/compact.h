/* Results whose index is known only at run time: the elements that a predicate keeps, and those that each element expands to. */
#ifndef WADI_CODEGEN_KERNEL_COMPACT_H
#define WADI_CODEGEN_KERNEL_COMPACT_H

#include "codegen/kernel/lower.h"

/** Writes one row of a partition: the kept elements come first. */
void wadi_lower_partition_row(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                              const wadi_lv *pointer, const wadi_lv *outer_ix);

/** Opens a loop over elements [from, below) of the row at `ix` of compact or partition. Returns 1 if element *out_i is kept, else 0. out: the
 *  fields of the element, then those of the other arrays' elements. */
wadi_lv wadi_lower_keeps(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv from,
                         wadi_lv below, wadi_lv *out_i, wadi_lv *out);

/** Elements [from, below) of a row of compact or partition. Of the elements in front of them, `before` have been kept. */
typedef struct wadi_kept_part {
    const wadi_bind *bind;
    const wadi_lv *extent, *pointer; /* of the result */
    const wadi_lv *ix;               /* of the row */
    wadi_lv from, below, before;
    wadi_lv limit; /* compact: results from this index on belong to other parts */
    wadi_lv count; /* kept elements of the whole row */
    bool many;     /* the part may have many elements */
} wadi_kept_part;

/** Stores the kept elements of the part. Returns how many of the row have been kept up to its end. */
wadi_lv wadi_lower_place_kept(wadi_lower *l, const wadi_kept_part *p);
/* What a short row has room for behind its elements. */
enum { WADI_PLACE_BYTES = 64 };
/** Stores the kept elements of a short row in `room`, which has a place for each of its elements and for WADI_PLACE_BYTES more, and returns how many they
 *  are. `ones` has the same extent: 1 for each element that is kept, else 0 (compact_short.c). */
wadi_lv wadi_lower_place_short(wadi_lower *l, const wadi_bind *bind, wadi_val ones, wadi_lv room);
/** Counts the kept elements among [from, below) of the row. */
wadi_lv wadi_lower_count_kept(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv from,
                              wadi_lv below);
/** For a group: turns the n counts from `first` on into their sums from the left. */
void wadi_lower_sum_counts(wadi_lower *l, wadi_lv pointer, wadi_lv first, wadi_lv n);
/** The number of kept elements of the row that the program states. */
wadi_lv wadi_lower_kept_count(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                              const wadi_lv *ix);
/** Writes a fault unless the stated number `count` is the number `kept`. */
void wadi_lower_expect_count(wadi_lower *l, const wadi_bind *bind, wadi_lv count, wadi_lv kept);
/** Writes all results of compact. */
void wadi_lower_compact(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                        const wadi_lv *pointer);
/** Writes all results of all elements of an expansion (expand.c). */
void wadi_lower_expand(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                       const wadi_lv *pointer);
/** Writes results [first, end), which come from elements [from, below) of an expansion. Element 0 checks the ends of the offsets. */
void wadi_lower_expand_part(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                            const wadi_lv *pointer, wadi_lv from, wadi_lv below, wadi_lv first,
                            wadi_lv end);

#endif
