/* The table of operators, from operators/operators.def. */
#include "operators/table.h"

#include "operators/derived/written.h"
#include "operators/rules.h"

static const wadi_op *const rows[] = {
#define WADI_OPERATOR(name) &wadi_op_##name,
#include "operators/operators.def"
#undef WADI_OPERATOR
};

static const wadi_op_table table = {rows, (int)(sizeof rows / sizeof rows[0]), &wadi_op_map,
                                    wadi_derived_row};

const wadi_op_table *wadi_operators(void) {
    return &table;
}
