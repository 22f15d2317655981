/* The rows of visibilities as a stream of a program. */
#ifndef WADI_APPS_GRIDDING_ROWS_H
#define WADI_APPS_GRIDDING_ROWS_H

#include "wadi/lang.h"
#include "wadi/visibility.h"

/* Declares the stream "rows", whose elements have the parts of wadi/visibility.h and the extents of `info`. */
wadi_seq grid_rows_in(const wadi_vis_info *info);

#endif
