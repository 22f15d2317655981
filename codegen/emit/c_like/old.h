/* What an atomic store does with the element that is there. */
#ifndef WADI_CODEGEN_EMIT_C_LIKE_OLD_H
#define WADI_CODEGEN_EMIT_C_LIKE_OLD_H

#include "codegen/emit/c_like/expression.h"

/** The load of the element that the stored value is an operation on; NULL: a constant is stored. */
const wadi_linst *wadi_c_old(const wadi_c_writer *c, const wadi_linst *store);
/** What is added to that element, if it is an integer and the operation is a sum; else WADI_LV_NONE. */
wadi_lv wadi_c_added(const wadi_c_writer *c, const wadi_linst *store);

#endif
