/* The table of all operators. */
#ifndef WADI_OPERATORS_TABLE_H
#define WADI_OPERATORS_TABLE_H

#include "graph/op.h"

/** Every operator of the language; never NULL, for the life of the process. */
const wadi_op_table *wadi_operators(void);

#endif
