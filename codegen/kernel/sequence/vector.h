/* Vectors in scratch memory that double when they are full. */
#ifndef WADI_CODEGEN_KERNEL_VECTOR_H
#define WADI_CODEGEN_KERNEL_VECTOR_H

#include "codegen/kernel/sequence/nested.h"

typedef struct wadi_vector {
    int fields;
    const wadi_type *type;
    bool fits;                        /* it is known that it never has to grow */
    wadi_lv pointer[WADI_MAX_FIELDS]; /* variables */
    wadi_lv room, used;
} wadi_vector;

/** An empty vector with room for `room` >= 1 elements. */
wadi_vector wadi_vector_start(wadi_lower *l, int fields, const wadi_type *type, wadi_lv room,
                              bool fits);
/** The same in two steps: the first declares the variables; the second empties the vector and takes memory, any number of times. */
wadi_vector wadi_vector_declare(wadi_lower *l, int fields, const wadi_type *type);
void wadi_vector_empty(wadi_lower *l, const wadi_vector *v, wadi_lv room);
/** Makes room for `n` more elements. The memory is kept after this round, and after those around it up to `home` (NULL: all). */
void wadi_vector_reserve(wadi_lower *l, const wadi_inner *in, const wadi_inner *home,
                         const wadi_vector *v, wadi_lv n);
/** Appends the elements of an array, or a scalar. */
void wadi_vector_append(wadi_lower *l, const wadi_inner *in, const wadi_inner *home,
                        const wadi_vector *v, const wadi_vloc *at, const wadi_array_type *t);

#endif
