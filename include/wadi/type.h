/* Element types: scalars, and records of scalars with named fields. */
#ifndef WADI_TYPE_H
#define WADI_TYPE_H

#include <stdint.h>

#include "wadi/status.h"

WADI_BEGIN_DECLS

/** Scalar types. The numbers are part of the wire format and of kernel cache keys. */
typedef enum wadi_type {
    WADI_BOOL = 0, /**< one byte, 0 or 1 */
    WADI_I8 = 1,
    WADI_I16 = 2,
    WADI_I32 = 3,
    WADI_I64 = 4,
    WADI_U8 = 5,
    WADI_U16 = 6,
    WADI_U32 = 7,
    WADI_U64 = 8,
    WADI_F32 = 9,
    WADI_F64 = 10,
    WADI_C64 = 11,  /**< complex: two f32, the real part first */
    WADI_C128 = 12, /**< complex: two f64, the real part first */
    WADI_TYPE_COUNT = 13
} wadi_type;

enum {
    WADI_MAX_RANK = 8,   /**< dimensions of an array */
    WADI_MAX_FIELDS = 16 /**< fields of a record */
};

/** Size in bytes of one element of `type` in a column. */
int wadi_type_size(wadi_type type);

/** Name of `type` as programs print it: "i32", "f64". Never NULL. */
const char *wadi_type_name(wadi_type type);

/** An array of the host program: one column per field, in C order (innermost dimension last). Columns are borrowed. */
typedef struct wadi_array {
    int rank;                        /**< 0..WADI_MAX_RANK */
    int fields;                      /**< 1 for plain scalars */
    wadi_type type[WADI_MAX_FIELDS]; /**< type of each field */
    int64_t shape[WADI_MAX_RANK];    /**< extents, outermost first */
    void *column[WADI_MAX_FIELDS];   /**< each holds product(shape) elements */
} wadi_array;

WADI_END_DECLS
#endif
