/* What a shared library of routines exports, for `wadi run --routines LIBRARY.so` and `wadi check`. Not included by wadi/wadi.h. */
#ifndef WADI_ROUTINES_H
#define WADI_ROUTINES_H

#include "wadi/lang.h"

/** wadi_foreign_add, as such a library gets it. */
typedef wadi_status (*wadi_foreign_add_fn)(const char *name, wadi_foreign_fn fn, void *env,
                                           wadi_error *err);

/** The function that the library exports by the name wadi_routines_1. It calls `add` for each of its routines, and returns the first error,
 *  whose words are in *err. The library stays loaded and its routines stay known until the process ends. The number in the name changes
 *  when this type does, or that of a routine. Where a text names a routine of several results, their arrays follow each other from `out` on. */
typedef wadi_status (*wadi_routines_fn)(wadi_foreign_add_fn add, wadi_error *err);

#endif
