/* Appending nodes and lambdas to the current program. Internal to graph/lang. */
#ifndef WADI_GRAPH_LANG_GROW_H
#define WADI_GRAPH_LANG_GROW_H

#include "graph/lang/node.h"

/** Keeps "out of memory" as the program's mistake. */
wadi_node_id wadi_lang_no_memory(void);

/** Appends a copy of `n`, which has no place yet, and works out its `depends`. It is a mistake if the node uses a parameter outside
 *  of its function, or if array code depends on a parameter of a scalar function. 0 after a mistake; the message begins with `what`. */
wadi_node_id wadi_node_append(const char *what, wadi_node n);

/** Opens a function: WADI_NONE after a mistake. The caller closes it even if there is a mistake in between. */
uint32_t wadi_lambda_open(const char *what, wadi_lambda_kind kind, bool array);
/** A parameter of the innermost open function. */
wadi_node_id wadi_lambda_param(uint32_t lambda, wadi_stratum stratum, int ntypes,
                               const wadi_array_type *type);
/** Closes the innermost open function; `roots` are what its body gives. The current program must be the one in which it was
 *  opened (wadi_program_back). */
void wadi_lambda_close(const char *what, uint32_t lambda, int nroots, const wadi_node_id *roots);

/** A function without parameters that gives `root`. */
uint32_t wadi_lambda_branch(const char *what, bool array, wadi_node_id root);

/** The type of a plain scalar, one per program. */
const wadi_array_type *wadi_scalar_type(wadi_type t);
/** The type of a scalar with this element. */
const wadi_array_type *wadi_scalar_type_of(const wadi_elem *e);
/** Copies of `n` numbers in the program's arena. */
wadi_node_id *wadi_lang_ids(int n, const wadi_node_id *ids);
/** The program's own copy of the string: equal strings have one copy. */
const char *wadi_lang_name(const char *s);

/** A primitive, CONVERT or BITCAST of scalars. The caller has checked the types. */
wadi_exp wadi_node_scalar(const char *what, wadi_sop op, wadi_type result, int n,
                          const wadi_exp *args);
/** The element type of a scalar argument; a mistake if there is no argument: "<what>: argument <number> is missing". */
const wadi_elem *wadi_exp_given(const char *what, int number, wadi_exp e);
/** The same for an argument that must be a plain scalar: gives its type. False after a mistake. */
bool wadi_exp_plain(const char *what, int number, wadi_exp e, wadi_type *out);

#endif
