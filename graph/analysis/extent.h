/* Symbolic extents: polynomials with integer coefficients over atoms, in a normal form.
 *
 * An atom is something that a running program knows: an extent of an input or of a stream's element, the value of a
 * rank-0 array, a minimum or maximum of two extents, or an extent that is known only when its array exists. Two extents are
 * equal if their normal forms, under the equalities learned so far, are the same node (nodes are hash-consed). Extents that
 * are not equal in this sense may still be equal in a run: it is only not proved.
 */
#ifndef WADI_GRAPH_ANALYSIS_EXTENT_H
#define WADI_GRAPH_ANALYSIS_EXTENT_H

#include "graph/ir/ir.h"

typedef uint32_t wadi_ext; /* node in a wadi_extents */
#define WADI_EXT_NONE UINT32_MAX

typedef enum wadi_ext_kind {
    WADI_EXT_CONST,  /* value */
    WADI_EXT_SYMBOL, /* name: a named extent of inputs */
    WADI_EXT_DIM, /* extent `dim` of component `comp` of array value `val`, read off the array itself */
    WADI_EXT_SCALAR, /* the element of rank-0 integer array `val`, as i64 */
    WADI_EXT_SUM, /* constant `value` + sum of coef[i] * term[i]; terms are products or atoms, sorted */
    WADI_EXT_PROD, /* product of `n` atoms, sorted, n >= 2 */
    WADI_EXT_MIN,  /* of a, b */
    WADI_EXT_MAX
} wadi_ext_kind;

typedef struct wadi_ext_node {
    wadi_ext_kind kind;
    int64_t value;
    const char *name;
    wadi_val val;
    int comp, dim;
    int n;
    int64_t *coef;
    wadi_ext *term; /* SUM: terms; PROD: factors; MIN, MAX: two */
} wadi_ext_node;

typedef struct wadi_extents wadi_extents;

wadi_extents *wadi_extents_create(void);
void wadi_extents_destroy(wadi_extents *x); /* NULL is fine */
const wadi_ext_node *wadi_ext_get(const wadi_extents *x, wadi_ext e);

wadi_ext wadi_ext_const(wadi_extents *x, int64_t v);
wadi_ext wadi_ext_symbol(wadi_extents *x, const char *name);
wadi_ext wadi_ext_dim(wadi_extents *x, wadi_val v, int comp, int dim);
wadi_ext wadi_ext_scalar(wadi_extents *x, wadi_val v);
wadi_ext wadi_ext_add(wadi_extents *x, wadi_ext a, wadi_ext b);
wadi_ext wadi_ext_sub(wadi_extents *x, wadi_ext a, wadi_ext b);
wadi_ext wadi_ext_mul(wadi_extents *x, wadi_ext a, wadi_ext b);
wadi_ext wadi_ext_min(wadi_extents *x, wadi_ext a, wadi_ext b);
wadi_ext wadi_ext_max(wadi_extents *x, wadi_ext a, wadi_ext b);

/** WADI_OK, or the first failure: WADI_MEMORY, or WADI_UNSUPPORTED when a program's extents grow beyond the limits (thousands of
 *  terms). From then on the calls above return the constant 0, and their results mean nothing. */
wadi_status wadi_extents_failed(const wadi_extents *x);

/** From now on equalities are solved only for atoms of values that `may_solve` accepts, and for no named extent; NULL: for all.
 *  This is for regions that perhaps do not run: what is learned there holds for the region's own values, and must not be
 *  believed outside. */
void wadi_extents_limit(wadi_extents *x, bool (*may_solve)(const void *env, wadi_val v),
                        const void *env);
/** Learns a = b. The simpler side becomes the representative: a constant, else a named extent, else the older atom. */
void wadi_ext_unify(wadi_extents *x, wadi_ext a, wadi_ext b);
/** The representative of `e` under all equalities learned. */
wadi_ext wadi_ext_norm(wadi_extents *x, wadi_ext e);
/** Whether the two are equal without the equalities learned. */
bool wadi_ext_same(wadi_extents *x, wadi_ext a, wadi_ext b);
/** Whether the two are proved equal, with the equalities learned. */
bool wadi_ext_equal(wadi_extents *x, wadi_ext a, wadi_ext b);
/** Whether `e` is known to be a constant; then *out_value is set. */
bool wadi_ext_is_const(wadi_extents *x, wadi_ext e, int64_t *out_value);

struct wadi_text;
/** "2*n + 1", "%3.0", "min(n, %5)" */
void wadi_ext_print(const wadi_extents *x, wadi_ext e, struct wadi_text *out);

#endif
