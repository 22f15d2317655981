/* The scopes of a program under recovery: a tree that grows, with lowest common ancestors in logarithmic time.
 * Internal to graph/lang. */
#ifndef WADI_GRAPH_LANG_SCOPES_H
#define WADI_GRAPH_LANG_SCOPES_H

#include "graph/lang/node.h"

typedef uint32_t wadi_scope_id; /* 0 is the main block */

typedef enum wadi_scope_kind {
    WADI_SCOPE_MAIN,
    WADI_SCOPE_UNIT,  /* a scalar function without parameters, made by recovery */
    WADI_SCOPE_LAMBDA /* of a lambda of the program */
} wadi_scope_kind;

typedef struct wadi_scope {
    wadi_scope_kind kind;
    wadi_scope_id parent, jump; /* jump: an ancestor further up */
    uint32_t depth;
    uint32_t lambda;        /* LAMBDA */
    wadi_scope_id function; /* scalar code: the scope of the whole function; else WADI_NONE */
    wadi_scope_id
        sibling;       /* one side of a condition: the scope of the other side; else WADI_NONE */
    wadi_block *block; /* array code */
    wadi_fun *fun;     /* scalar code: the function, the same in all its scopes */
    wadi_sblock *sblock;
} wadi_scope;

typedef struct wadi_scopes {
    WADI_VEC(wadi_scope) all;
} wadi_scopes;

void wadi_scopes_fini(wadi_scopes *s);
/** Adds a scope inside `parent` (WADI_NONE: the main block); WADI_NONE when out of memory. */
wadi_scope_id wadi_scopes_add(wadi_scopes *s, wadi_scope_id parent, wadi_scope scope);
/** The lowest scope that holds both. */
wadi_scope_id wadi_scopes_common(const wadi_scopes *s, wadi_scope_id a, wadi_scope_id b);
/** Whether `a` is `b` or holds it. */
bool wadi_scopes_holds(const wadi_scopes *s, wadi_scope_id a, wadi_scope_id b);

#endif
