/* Vectors in scratch memory that double when they are full. */
#ifndef WADI_CODEGEN_KERNEL_VECTOR_H
#define WADI_CODEGEN_KERNEL_VECTOR_H

#include "codegen/kernel/sequence/nested.h"

typedef struct wadi_vector {
    int fields;
    const wadi_type *type;
    bool fits;                        /* there is always room */
    wadi_lv pointer[WADI_MAX_FIELDS]; /* variables */
    wadi_lv room, used;
} wadi_vector;

/** An empty one with room for `room` >= 1 elements. */
wadi_vector wadi_vector_start(wadi_lower *l, int fields, const wadi_type *type, wadi_lv room,
                              bool fits);
/** The same in two steps: variables, and memory for them, as often as wanted. */
wadi_vector wadi_vector_declare(wadi_lower *l, int fields, const wadi_type *type);
void wadi_vector_empty(wadi_lower *l, const wadi_vector *v, wadi_lv room);
/** Room for `n` more. What it takes stays, in this round and in those around as far as `home` (NULL: in all). */
void wadi_vector_reserve(wadi_lower *l, const wadi_inner *in, const wadi_inner *home,
                         const wadi_vector *v, wadi_lv n);
/** Elements of an array, or a scalar, behind the others. */
void wadi_vector_append(wadi_lower *l, const wadi_inner *in, const wadi_inner *home,
                        const wadi_vector *v, const wadi_vloc *at, const wadi_array_type *t);

#endif
