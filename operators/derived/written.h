/* The table of derived functions that texts write by name. */
#ifndef WADI_OPERATORS_DERIVED_WRITTEN_H
#define WADI_OPERATORS_DERIVED_WRITTEN_H

#include "graph/derived.h"

/** Row `i` of the table, from 0; NULL behind the last. */
const wadi_derived *wadi_derived_row(int i);

#endif
