/* How many operations a binding takes. */
#ifndef WADI_CODEGEN_OPERATIONS_H
#define WADI_CODEGEN_OPERATIONS_H

#include "base/arena.h"
#include "graph/op.h"

/** Who is asked which arrays are computed where they are read. */
typedef struct wadi_operations_of {
    const wadi_module *m;
    bool (*is_delayed)(const void *env, wadi_val v);
    /* called for each stored array that the binding reads, perhaps several times; NULL: nobody is. picked: so many of its elements are read
     * for one, at places that data or numbers tell; 0: it may be gone through */
    void (*read)(void *env, wadi_val v, int picked);
    void *env;
    uint32_t *seen; /* [value], all 0 at first; for the work */
    uint32_t turn;  /* 0 at first */
} wadi_operations_of;

/** Instructions of scalar functions for one element of what `b` goes through, those of delayed arrays that it reads among them, each array once,
 *  or at each of the places that a stencil reads. A loop inside scalar code counts as one round. */
int wadi_operations(wadi_operations_of *of, const wadi_bind *b);

#endif
