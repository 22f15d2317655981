/* What the operators' files share: their rows, checks for type rules, copies for shape rules, and loops for meanings. Internal
 * to operators/. */
#ifndef WADI_OPERATORS_RULES_H
#define WADI_OPERATORS_RULES_H

#include "base/error.h"
#include "graph/op.h"

/* ---- the rows, each in its file ---- */

#define WADI_OPERATOR(name) extern const wadi_op wadi_op_##name;
#include "operators/operators.def"
#undef WADI_OPERATOR

/* ---- types ---- */

/** Type of argument `i` when it is an array, else NULL. */
const wadi_array_type *wadi_rule_arg(const wadi_module *m, const wadi_bind *b, int i);
/** Type of argument `i` when it is a sequence, else NULL. */
const wadi_val_type *wadi_rule_seq(const wadi_module *m, const wadi_bind *b, int i);

/** Append to a list of `n` parameter types: `rank` indices, or the fields of an element of `a`. They return the new length, or -1 if
 *  something does not fit; n = -1 stays -1. */
int wadi_rule_add_index(wadi_type *types, int n, int rank);
int wadi_rule_add_elem(wadi_type *types, int n, const wadi_array_type *a);

/** Checks the numbers of arguments, functions and regions, and that every argument exists and is an array (of sequence operators it
 *  may be a sequence). */
WADI_NODISCARD wadi_status wadi_rule_counts(const wadi_module *m, const wadi_bind *b, int min_args,
                                            int max_args, wadi_error *err);
/** Checks that there are `n` attributes, each in [low, high). The functions below also check what their comment states. */
WADI_NODISCARD wadi_status wadi_rule_attrs(const wadi_bind *b, int n, int64_t low, int64_t high,
                                           wadi_error *err);
/** Argument `i` has this rank. */
WADI_NODISCARD wadi_status wadi_rule_rank(const wadi_module *m, const wadi_bind *b, int i, int rank,
                                          wadi_error *err);
/** Arguments [from, from + n) are rank-0 scalars of type `t`. */
WADI_NODISCARD wadi_status wadi_rule_scalars(const wadi_module *m, const wadi_bind *b, int from,
                                             int n, wadi_type t, wadi_error *err);
/** Argument `i` has elements like those of argument `like`. */
WADI_NODISCARD wadi_status wadi_rule_same_elem(const wadi_module *m, const wadi_bind *b, int i,
                                               int like, wadi_error *err);
/** Parameters of function `fun` are as the operator's fun_params says. */
WADI_NODISCARD wadi_status wadi_rule_fun(const wadi_module *m, const wadi_bind *b, int fun,
                                         wadi_error *err);
/** Results of function `fun` have these types. */
WADI_NODISCARD wadi_status wadi_rule_fun_gives(const wadi_bind *b, int fun, int n,
                                               const wadi_type *types, wadi_error *err);
/** Gives the element type that the results of function `fun` make. */
WADI_NODISCARD wadi_status wadi_rule_fun_elem(wadi_module *m, const wadi_bind *b, int fun,
                                              wadi_elem *out, wadi_error *err);
/** Arguments [from, to) are sequences. */
WADI_NODISCARD wadi_status wadi_rule_seqs(const wadi_module *m, const wadi_bind *b, int from,
                                          int to, wadi_error *err);
/** Parameters of region `block` are as the operator's block_params says. */
WADI_NODISCARD wadi_status wadi_rule_block(const wadi_module *m, const wadi_bind *b, int block,
                                           wadi_error *err);
/** Region `block` yields arrays of these ranks and elements; `types` may be NULL for "arrays". */
WADI_NODISCARD wadi_status wadi_rule_yields(const wadi_module *m, const wadi_bind *b, int block,
                                            int n, const wadi_array_type *types, wadi_error *err);
/** Appends an array result. */
WADI_NODISCARD wadi_status wadi_rule_result(wadi_module *m, wadi_bind *b, int rank,
                                            const wadi_elem *elem, wadi_error *err);
/** Appends a sequence result whose components are the yields of region 0. */
WADI_NODISCARD wadi_status wadi_rule_seq_of_yields(wadi_module *m, wadi_bind *b, wadi_error *err);
/** Appends a sequence result of `n` components; n < 0: too many. */
WADI_NODISCARD wadi_status wadi_rule_seq_result(wadi_module *m, wadi_bind *b, int n,
                                                const wadi_array_type *types, wadi_error *err);
/** Appends a sequence result with the components of argument 0. */
WADI_NODISCARD wadi_status wadi_rule_seq_like(wadi_module *m, wadi_bind *b, wadi_error *err);
/** Appends one result per type: ranks and elements without declared extents. */
WADI_NODISCARD wadi_status wadi_rule_results(wadi_module *m, wadi_bind *b, int n,
                                             const wadi_array_type *types, wadi_error *err);

/* ---- shapes and dependence ---- */

int wadi_rule_rank_of(const wadi_module *m, wadi_val v);
/** Extents of result 0 are the scalars in arguments from, from + 1, ... */
void wadi_rule_shape_args(wadi_shape_cx *cx, const wadi_bind *b, int from, int rank);
/** Parameters of the function f(acc.., x..) of folds and scans: two elements of the last argument. */
int wadi_rule_combining_params(const wadi_module *m, const wadi_bind *b, int fun,
                               wadi_type *out_types);
/** Checks folds and scans: the last argument has rank 1 or more, and function 0 makes one of its elements from two. */
WADI_NODISCARD wadi_status wadi_rule_combining(const wadi_module *m, const wadi_bind *b,
                                               wadi_error *err);
/** Argument 0, the z of folds and scans, has rank 0 and the element type of argument 1. */
WADI_NODISCARD wadi_status wadi_rule_start(const wadi_module *m, const wadi_bind *b,
                                           wadi_error *err);
/** Result 0 gets the first `rank` extents of array `v`. */
void wadi_rule_shape_like(wadi_shape_cx *cx, const wadi_bind *b, wadi_val v, int rank);
/** Sets the extents of component `comp` of `v` to what the program declares; an undeclared one becomes a new atom. */
void wadi_rule_declared(wadi_shape_cx *cx, wadi_val v, int comp);
/** Appends the types of the components of the sequences among arguments [from, to) to the `n` in `types`; returns the new length,
 *  or -1 if they do not fit. The analyses give the parameters of these components their shapes and dependence. */
int wadi_rule_component_types(const wadi_module *m, const wadi_bind *b, int from, int to,
                              wadi_array_type *types, int n);
/** Types of the state that arguments 1, 2, ... start; returns their number, -1: they do not fit. */
int wadi_rule_state_types(const wadi_module *m, const wadi_bind *b, wadi_array_type *types);
/** Parameters of a region that makes the next state from a state and an element. Argument 0 is the stream, the others are the first
 *  state. */
int wadi_rule_stepping_params(const wadi_module *m, const wadi_bind *b, int block,
                              wadi_array_type *types);
/** Checks such an operator: a stream, the start of a state, and region 0, which yields the next state. out_params, room for
 *  WADI_MAX_PARAMS, receives the region's parameters: the state comes first. */
wadi_status wadi_rule_stepping(wadi_module *m, wadi_bind *b, wadi_array_type *out_params,
                               wadi_error *err);
/** Checks the arguments of an operator on a stream and a number. */
wadi_status wadi_rule_seq_and_count(wadi_module *m, wadi_bind *b, wadi_error *err);
/** Extents and dependence of a result whose elements are among those of argument 0. */
void wadi_rule_seq_shape_like(wadi_shape_cx *cx, const wadi_bind *b);
void wadi_rule_seq_depend_like(wadi_depend_cx *cx, const wadi_bind *b);
/** The element of the sequence in result 0 is what region 0 yields. */
void wadi_rule_seq_shape(wadi_shape_cx *cx, const wadi_bind *b);
/** Shapes of a loop over region `body`. Its parameters params[0..n) are first init[0..n), its yields are the next state, and the
 *  results of `b` are the last state. An extent that the body keeps is that of the first state; the others are opaque. */
void wadi_rule_loop_shapes(wadi_shape_cx *cx, const wadi_bind *b, const wadi_block *body, int n,
                           const wadi_val *init);
/** The same for operators whose results are not the last state: sets only the shapes in the region. */
void wadi_rule_state_shapes(wadi_shape_cx *cx, const wadi_block *body, int n, const wadi_val *init);
/** Whether two arrays are proved to have one shape. */
bool wadi_rule_same_shape(wadi_depend_cx *cx, wadi_val a, wadi_val b);
wadi_dep wadi_dep_or(wadi_dep a, wadi_dep b);

/* ---- laws ---- */

/** `wadi_op.same` of operators that select, repeat or arrange elements of argument 0 in order. If they keep the shape, they change
 *  nothing. */
bool wadi_law_same_shape(const wadi_module *m, const wadi_bind *b, bool same_shape);
/** Whether values `a` and `b`, both arrays, have one type of elements. */
bool wadi_law_same_elem(const wadi_module *m, wadi_val a, wadi_val b);

/* ---- index functions ---- */

/** The i64 in rank-0 array `v` (of any integer type). */
wadi_sx wadi_at_scalar(wadi_at *cx, wadi_val v);
/** `x` of type `t` as i64. */
wadi_sx wadi_at_to_i64(wadi_at *cx, wadi_type t, wadi_sx x);

/* ---- meaning ---- */

/** A fault of operation `what`: the message names it, the stream's element, the index and the place `loc`. */
WADI_NODISCARD wadi_status wadi_eval_fault_of(wadi_eval_cx *cx, const char *what, wadi_loc loc,
                                              const char *format, ...) WADI_PRINTF(4, 5);
/** The same for the operator of binding `b`. If `loc` has no file, the place is that of the binding. */
WADI_NODISCARD wadi_status wadi_eval_fault(wadi_eval_cx *cx, const wadi_bind *b, wadi_loc loc,
                                           const char *format, ...) WADI_PRINTF(4, 5);
/** The same for an index that is not below `extent`. The array's name is in `loc`. dim: of which dimension, or -1 for a position among all elements. */
WADI_NODISCARD wadi_status wadi_eval_out_of_range(wadi_eval_cx *cx, const char *op, wadi_loc loc,
                                                  int64_t index, int64_t extent, int dim);
/** The same for two extents or sizes that differ, in dimension `dim` (-1: in none), with the words of the check in a kernel. */
WADI_NODISCARD wadi_status wadi_eval_differ(wadi_eval_cx *cx, const wadi_bind *b, const char *what,
                                            int dim, int64_t x, int64_t y);
/** The i64 in rank-0 array `v`. */
int64_t wadi_eval_i64(wadi_eval_cx *cx, wadi_val v);
/** The i64s in arguments from, from + 1, ... */
void wadi_eval_args(wadi_eval_cx *cx, const wadi_bind *b, int from, int n, int64_t *out);
int64_t wadi_eval_clamp(int64_t n, int64_t extent);
/** Element `ix` of `a`; out of range is a fault of `b`. */
WADI_NODISCARD wadi_status wadi_eval_read(wadi_eval_cx *cx, const wadi_bind *b, wadi_loc loc,
                                          const wadi_iarray *a, const int64_t *ix,
                                          const uint64_t **out_cells);
/** Row-major position; the index is in range. */
int64_t wadi_eval_linear(int rank, const int64_t *shape, const int64_t *ix);
/** Product of the extents; false when one is negative or the product is out of range. */
bool wadi_eval_size(int rank, const int64_t *shape, int64_t *out);
/** Steps to the next index in row-major order; false after the last. */
bool wadi_eval_next(int rank, const int64_t *shape, int64_t *ix);
/** Cells of element `ix`, which is in range. */
const uint64_t *wadi_eval_get(const wadi_iarray *a, const int64_t *ix);
/** Writes the cells of an element of `a` to `to`; returns the end of what was written. */
uint64_t *wadi_eval_put(const wadi_iarray *a, const uint64_t *cells, uint64_t *to);
/** Notes the index for the messages of faults. */
void wadi_eval_here(wadi_eval_cx *cx, int rank, const int64_t *ix);

typedef wadi_status (*wadi_eval_elem)(wadi_eval_cx *cx, const wadi_bind *b, const int64_t *ix,
                                      uint64_t *out_cells);
/** Fills cells ([size][cells], as in wadi_iarray) from a host array. */
void wadi_cells_load(const wadi_array *from, uint64_t *cells);
/** The other way round: fills the columns of a host array from cells. The columns have room. */
void wadi_cells_store(const uint64_t *cells, const wadi_array *to);
int64_t wadi_array_size(const wadi_array *a);

/** Makes result 0 with this shape and computes its elements one by one. */
WADI_NODISCARD wadi_status wadi_eval_each(wadi_eval_cx *cx, const wadi_bind *b, int rank,
                                          const int64_t *shape, wadi_eval_elem elem);

/** The rows of an array: how many there are, and their length. The array has rank 1 or more. */
typedef struct wadi_rows {
    int rank; /* of the array without its innermost dimension */
    int64_t count, length;
} wadi_rows;
wadi_rows wadi_eval_rows(const wadi_iarray *a);

/** Reduces a row of n >= 1 elements by the law of reduce_tree.h. An element has
 *  `cells` cells. acc: [cells] */
WADI_NODISCARD wadi_status wadi_eval_fold_row(wadi_eval_cx *cx, const wadi_bind *b,
                                              const wadi_fun *f, int cells, const uint64_t *row,
                                              int64_t n, uint64_t *acc);
/** scanl1 of a row by the law of reduce_tree.h. */
WADI_NODISCARD wadi_status wadi_eval_scan_row(wadi_eval_cx *cx, const wadi_bind *b,
                                              const wadi_fun *f, int cells, const uint64_t *row,
                                              int64_t n, uint64_t *out);
/** out = f(a, x), each of `cells` cells. */
WADI_NODISCARD wadi_status wadi_eval_combine(wadi_eval_cx *cx, const wadi_bind *b,
                                             const wadi_fun *f, int cells, const uint64_t *a,
                                             const uint64_t *x, uint64_t *out);

#endif
