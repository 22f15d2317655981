/* The table of all operators. */
#ifndef WADI_OPERATORS_TABLE_H
#define WADI_OPERATORS_TABLE_H

#include "graph/op.h"

/** All operators of the language. Never NULL; the table is a constant. */
const wadi_op_table *wadi_operators(void);

#endif
