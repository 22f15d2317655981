/* The array language, continued: stencils. Included by wadi/lang.h.
 *
 * Each element of a stencil's result is a function of the elements near it, at constant distances. The function gets a window, which stands for
 * one array around that element, and reads it by wadi_near1, wadi_near2 or wadi_near3. Which distances it reads decides the shape of the
 * neighbourhood, so a neighbourhood may have any shape: a cross, a ring, or only one side. It has at most 512 scalars.
 *
 *     static wadi_exp smooth(wadi_window *w)   // of a vector of f32
 *     { return wadi_div(wadi_add(wadi_near1(w, -1), wadi_near1(w, 1)), wadi_f32(2)); }
 *     ...
 *     wadi_acc ys = wadi_stencil(1, smooth, wadi_edge_clamp(), xs);
 *
 * A stencil works on the innermost `dims` (1 to 3) dimensions; the dimensions outside are a batch. The result has the shape of the array; of
 * several arrays, the intersection of their shapes: the least extent in each dimension. What lies beyond the elements of an array is
 * decided by its edge, along each dimension alone:
 *
 *     clamp      the nearest element:                            a a | a b c d | d d
 *     mirror     the elements backwards, without the outermost:  c b | a b c d | c b
 *     wrap       the other end:                                  c d | a b c d | a b
 *     constant   a value
 *     function   a value for each index outside
 *
 * A distance may be larger than the extent: clamp gives the same element, mirror and wrap go on to and fro or round and round; mirrored, an
 * only element is everywhere. A stencil of an array without elements has none, and reads nothing. */
#include "wadi/lang.h" /* which includes this file at its end, once what it needs is there */

#ifndef WADI_LANG_STENCIL_H
#define WADI_LANG_STENCIL_H

/** An array around the element that is being computed. It belongs to the program, and may be read until the stencil's function returns. */
typedef struct wadi_window wadi_window;

/** The element of a stencil of 1 dimension at that distance. Its type is that of the array's elements. At most 2^20 away. */
wadi_exp wadi_near1(wadi_window *w, int dx);
/** The same in 2 dimensions; the innermost comes last. */
wadi_exp wadi_near2(wadi_window *w, int dy, int dx);
/** The same in 3 dimensions. */
wadi_exp wadi_near3(wadi_window *w, int dz, int dy, int dx);

typedef enum wadi_edge_kind {
    WADI_EDGE_CLAMP = 1,
    WADI_EDGE_MIRROR,
    WADI_EDGE_WRAP,
    WADI_EDGE_FUNCTION
} wadi_edge_kind;

/** What lies beyond an array. Made by the functions below. */
typedef struct wadi_edge {
    wadi_edge_kind kind;
    wadi_exp value; /* of a constant edge; else no expression */
    wadi_ix_fn f;
    wadi_ix_fn_env f_env;
    void *env;
} wadi_edge;

wadi_edge wadi_edge_clamp(void);              /**< the nearest element */
wadi_edge wadi_edge_mirror(void);             /**< reflected at the outermost elements */
wadi_edge wadi_edge_wrap(void);               /**< from the other end */
wadi_edge wadi_edge_constant(wadi_exp value); /**< `value`, of the type of the elements */
/** f(index), of the type of the elements. It gets whole indices, of which at least one of the innermost `dims` numbers is outside. */
wadi_edge wadi_edge_function(wadi_ix_fn f);
/** wadi_edge_function with an environment. */
wadi_edge wadi_edge_function_env(wadi_ix_fn_env f, void *env);

typedef wadi_exp (*wadi_stencil_fn)(wadi_window *);
typedef wadi_exp (*wadi_stencil_fn_env)(void *, wadi_window *);
typedef wadi_exp (*wadi_stencil2_fn)(wadi_window *, wadi_window *);
typedef wadi_exp (*wadi_stencil2_fn_env)(void *, wadi_window *, wadi_window *);
typedef wadi_exp (*wadi_stencil_n_fn_env)(void *, int n, wadi_window *const *w);

/** The stencil `f` over the innermost `dims` dimensions of `a`, which has at least that rank. */
wadi_acc wadi_stencil(int dims, wadi_stencil_fn f, wadi_edge edge, wadi_acc a);
/** wadi_stencil with an environment. */
wadi_acc wadi_stencil_env(int dims, wadi_stencil_fn_env f, void *env, wadi_edge edge, wadi_acc a);
/** A stencil of two arrays of one rank, over the intersection of their shapes. Each has its own edge, at its own end. */
wadi_acc wadi_stencil2(int dims, wadi_stencil2_fn f, wadi_edge edge_a, wadi_acc a, wadi_edge edge_b,
                       wadi_acc b);
/** wadi_stencil2 with an environment. */
wadi_acc wadi_stencil2_env(int dims, wadi_stencil2_fn_env f, void *env, wadi_edge edge_a,
                           wadi_acc a, wadi_edge edge_b, wadi_acc b);
/** A stencil of 1 to 9 arrays of one rank: edges[n], arrays[n]. */
wadi_acc wadi_stencil_n_env(int dims, wadi_stencil_n_fn_env f, void *env, int n,
                            const wadi_edge *edges, const wadi_acc *arrays);

#endif
