/* What verify.c, verify_scalar.c and verify_use.c share. Internal to graph/ir. */
#ifndef WADI_GRAPH_IR_VERIFY_H
#define WADI_GRAPH_IR_VERIFY_H

#include "graph/ir/ir.h"

typedef enum wadi_scope_state {
    WADI_UNBOUND = 0,
    WADI_IN_SCOPE,
    WADI_OUT_OF_SCOPE /* its block has ended */
} wadi_scope_state;

typedef struct wadi_verifier {
    const wadi_module *m;
    wadi_error *err;
    unsigned char *state;  /* [value]: a wadi_scope_state */
    const wadi_bind *bind; /* the binding being checked; NULL: a block's parameters or yields */
    int bodies;            /* how many sequence bodies are around it */
    wadi_module
        scratch; /* where type rules are run again: copies of the values, an arena of its own */
} wadi_verifier;

/** Fails; the message begins with the place and the name of the binding being checked. */
wadi_status wadi_verify_fail(wadi_verifier *v, const char *format, ...) WADI_PRINTF(2, 3);

/** The value may be used here: after it is bound, in its block or in one inside it. Constants may be used everywhere. */
WADI_NODISCARD wadi_status wadi_verify_use(wadi_verifier *v, wadi_val value);
/** The same, and it is an array. */
WADI_NODISCARD wadi_status wadi_verify_array(wadi_verifier *v, wadi_val value);

/** Everything that must hold inside a scalar function (verify_scalar.c). */
WADI_NODISCARD wadi_status wadi_verify_fun(wadi_verifier *v, const wadi_fun *f);

#endif
