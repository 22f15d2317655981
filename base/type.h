/* Types of values that have several fields. */
#ifndef WADI_BASE_TYPE_H
#define WADI_BASE_TYPE_H

#include "wadi/type.h"

/* Bytes of one value with these fields. */
int wadi_fields_size(const wadi_type *type, int fields);

#endif
