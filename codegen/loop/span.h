/* What is known of whole numbers in a kernel over units: a least and a greatest value, alone or counted from where the unit begins. */
#ifndef WADI_CODEGEN_LOOP_SPAN_H
#define WADI_CODEGEN_LOOP_SPAN_H

#include "codegen/loop/loop.h"

/** A kernel over units, and what is the number of its unit there. */
typedef struct wadi_units {
    const wadi_lfun *f;
    wadi_lv unit;   /* the variable of the loop over units; NONE: there is no such loop */
    wadi_lv in_row; /* the unit's number within its row, where it is computed; else NONE */
} wadi_units;

/** size * unit + something from `least` to `most`. */
typedef struct wadi_span {
    int64_t size; /* 0: the unit has no part in it */
    bool has_least, has_most;
    int64_t least, most;
} wadi_span;

/** whole: units are no parts of rows. */
wadi_units wadi_units_of(const wadi_lfun *f, bool whole);
/** Of an i64 where scope `at` is reached. The number within the row counts as the unit: right if there is one row, of more than one unit. */
wadi_span wadi_span_of(const wadi_units *u, wadi_lv v, const wadi_lscope *at);

#endif
