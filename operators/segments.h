/* Segments of the innermost dimension, given by offsets: segment j is [offsets[j], offsets[j + 1]). Internal to operators/. */
#ifndef WADI_OPERATORS_SEGMENTS_H
#define WADI_OPERATORS_SEGMENTS_H

#include "operators/combined.h"

/** Argument `i` is a vector of integers. */
WADI_NODISCARD wadi_status wadi_segments_type(const wadi_module *m, const wadi_bind *b, int i,
                                              wadi_error *err);
/** The number of segments that argument `i` gives. */
wadi_ext wadi_segments_extent(wadi_shape_cx *cx, const wadi_bind *b, int i);
/** Gives begin and end of segment j; a fault unless it lies in 0..extent. */
WADI_NODISCARD wadi_status wadi_segments_get(wadi_eval_cx *cx, const wadi_bind *b, int i, int64_t j,
                                             int64_t extent, int64_t *out_from, int64_t *out_to);
/** Offsets from lengths of any integer type: one element more than there are lengths; the first is 0. */
wadi_acc wadi_segments_offsets(const char *what, wadi_acc lengths);
/** Appends offsets and array to a draft; returns the array's type. */
const wadi_array_type *wadi_segments_draft(wadi_draft *d, wadi_acc offsets, wadi_acc a);

#endif
