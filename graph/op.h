/* What an operator is: an interface of rules.
 *
 * graph/ works through this interface and knows no operator; operators/ implements it, one file each, and lists
 * them in operators/operators.def. An operator states
 *   - its type rule (ranks and elements of its results from those of its arguments),
 *   - its shape rule (symbolic extents of its results, and what must hold of its arguments),
 *   - its dependence rule (which results' shapes and elements depend on what; a sensible default exists),
 *   - its index function, if it is a producer: one element of the result from elements of the arguments,
 *   - its meaning: the reference interpretation,
 *   - what it does with elements, if it is an operator on sequences (graph/seq.h).
 * How consumers become loops is the business of codegen/kernel, chosen by `skeleton`.
 */
#ifndef WADI_GRAPH_OP_H
#define WADI_GRAPH_OP_H

#include "graph/analysis/extent.h"
#include "graph/ir/ir.h"
#include "graph/seq.h"

typedef enum wadi_op_kind {
    WADI_OP_PRODUCER, /* each result element needs at most one element of each argument (or runs a function) */
    WADI_OP_CONSUMER,   /* fold, scan, permute, ... */
    WADI_OP_STRUCTURAL, /* input, use, acond, awhile, compute, ... */
    WADI_OP_SEQUENCE    /* takes or gives sequences */
} wadi_op_kind;

/** The loop skeleton codegen/kernel uses when a result of the operator is computed into memory: a line of graph/skeletons.def. */
typedef enum wadi_skeleton {
#define WADI_SKELETON(NAME, name) WADI_SKEL_##NAME,
#include "graph/skeletons.def"
#undef WADI_SKELETON
    WADI_SKELETONS /* how many there are */
} wadi_skeleton;

/* ---- index functions: written once against an abstract builder of scalar code ---- */

typedef uint32_t wadi_sx; /* a scalar in the context's own numbering */

/** What an index function may ask for. Codegen implements it (loop IR). All calls are infallible: errors stick. */
typedef struct wadi_at {
    const struct wadi_at_ops *ops;
    wadi_module *module;
    void *self;
} wadi_at;

typedef struct wadi_at_ops {
    wadi_sx (*constant)(wadi_at *cx, wadi_scalar value);
    wadi_sx (*prim)(wadi_at *cx, wadi_sop op, wadi_type result, int n,
                    const wadi_sx *args); /* also CONVERT, BITCAST */
    /** `c ? a : b`; both sides are already computed and harmless */
    wadi_sx (*select)(wadi_at *cx, wadi_type type, wadi_sx c, wadi_sx a, wadi_sx b);
    /** element `ix` (rank of the array) of `array`, one scalar per field; the index is known to be in range */
    void (*read)(wadi_at *cx, wadi_val array, const wadi_sx *ix, wadi_sx *out_fields);
    /** as `read`, but the index comes from data: out of range is a fault at `loc` */
    void (*read_checked)(wadi_at *cx, wadi_val array, const wadi_sx *ix, wadi_loc loc,
                         wadi_sx *out_fields);
    void (*apply)(wadi_at *cx, const wadi_fun *f, const wadi_sx *args, wadi_sx *out_results);
    wadi_sx (*extent)(wadi_at *cx, wadi_val array, int dim); /* i64 */
} wadi_at_ops;

/** Convenience over the ops above for i64 index arithmetic. */
static inline wadi_sx wadi_at_i64(wadi_at *cx, int64_t v) {
    return cx->ops->constant(cx, (wadi_scalar){WADI_I64, (uint64_t)v});
}
static inline wadi_sx wadi_at_bin(wadi_at *cx, wadi_sop op, wadi_sx a, wadi_sx b) {
    return cx->ops->prim(cx, op, WADI_I64, 2, (const wadi_sx[]){a, b});
}

/* ---- shapes ---- */

/** Given to shape rules. Extents are symbolic (graph/analysis/extent.h). */
typedef struct wadi_shape_cx {
    wadi_module *module;
    wadi_extents *extents; /* where symbolic extents live */
    /** extent `dim` of array value `v` (component `comp` of a sequence's element) */
    wadi_ext (*get)(struct wadi_shape_cx *cx, wadi_val v, int comp, int dim);
    void (*set)(struct wadi_shape_cx *cx, wadi_val v, int comp, int dim, wadi_ext e);
    /** the i64 value of a rank-0 integer array as an extent: a constant if it is one, else its normal form */
    wadi_ext (*scalar)(struct wadi_shape_cx *cx, wadi_val v);
    /** `a` and `b` must be equal: proved, or noted as a run-time check of binding `b` about `what`, in dimension
     *  `dim` where that is not negative */
    void (*require_equal)(struct wadi_shape_cx *cx, const wadi_bind *bind, wadi_ext a, wadi_ext b,
                          const char *what, int dim);
    /** an extent only known when the program runs (a loop's result): an atom of its own */
    wadi_ext (*opaque)(struct wadi_shape_cx *cx, wadi_val v, int comp, int dim);
    /** runs the rules of a region's bindings, so that its yields have shapes */
    void (*region)(struct wadi_shape_cx *cx, const wadi_block *b);
    void *self;
} wadi_shape_cx;

/* ---- dependence ---- */

/** Dependence of a value on the stream index: separately for shape and for elements. */
typedef struct wadi_dep {
    bool shape, elems;
} wadi_dep;

typedef struct wadi_depend_cx {
    wadi_module *module;
    wadi_dep (*get)(struct wadi_depend_cx *cx, wadi_val v, int comp);
    void (*set)(struct wadi_depend_cx *cx, wadi_val v, int comp, wadi_dep d);
    /** what the arrays read inside `f` make its results depend on (an EXTENT counts the shape alone) */
    bool (*fun)(struct wadi_depend_cx *cx, const wadi_fun *f);
    void (*region)(struct wadi_depend_cx *cx, const wadi_block *b);
    /** whether the symbolic extent mentions anything that depends on the stream index */
    bool (*extent)(struct wadi_depend_cx *cx, wadi_val v, int comp, int dim);
    /** whether two arrays of one rank are proved to have one shape */
    bool (*same_shape)(struct wadi_depend_cx *cx, wadi_val a, wadi_val b);
    void *self;
} wadi_depend_cx;

/* ---- meaning ---- */

/** An array of the interpreter: elements one after the other, each a group of 8-byte cells. A field takes one cell, a
 *  complex one two: real part, imaginary part. */
typedef struct wadi_iarray {
    int rank;
    wadi_elem elem;
    int cells; /* of one element: wadi_elem_cells(&elem) */
    int64_t shape[WADI_MAX_RANK];
    int64_t size;
    uint64_t *cell; /* [size][cells], bits as in wadi_scalar */
} wadi_iarray;

/** Given to reference interpretations. Results are allocated by `result` and owned by the interpreter. */
typedef struct wadi_eval_cx {
    wadi_module *module;
    wadi_error *err;
    const wadi_iarray *(*array)(struct wadi_eval_cx *cx, wadi_val v);
    /** makes the storage of result `v` with this shape; a negative extent is a fault */
    wadi_status (*result)(struct wadi_eval_cx *cx, wadi_val v, int rank, const int64_t *shape,
                          wadi_iarray **out);
    /** makes result `v` an alias of another value's array */
    wadi_status (*alias)(struct wadi_eval_cx *cx, wadi_val v, const wadi_iarray *a);
    /** runs a scalar function on flat arguments: the cells of each parameter, one after the other, and so for the
     *  results; a fault comes back as a status */
    wadi_status (*apply)(struct wadi_eval_cx *cx, const wadi_bind *b, const wadi_fun *f,
                         const uint64_t *args, uint64_t *results);
    /** runs a region with its parameters bound to `args`; yields come back as borrowed arrays */
    wadi_status (*region)(struct wadi_eval_cx *cx, const wadi_block *r,
                          const wadi_iarray *const *args, const wadi_iarray **out_yields);
    /** input bound by name, or NULL */
    const wadi_iarray *(*input)(struct wadi_eval_cx *cx, const char *name);
    /** how much is allocated; and giving back everything allocated since, but the `n` arrays to keep */
    size_t (*mark)(struct wadi_eval_cx *cx);
    void (*release)(struct wadi_eval_cx *cx, size_t mark, int n, const wadi_iarray *const *keep);
    /** NULL, or tells that the element of an array that is being computed has faulted, and gives it other cells to go on with */
    void (*instead)(struct wadi_eval_cx *cx, uint64_t *cells, int n);
    /* where a fault would be: the element of the stream (-1: outside every stream) and, set by the rules, the index of
     * the array element being computed (index_rank -1: none) */
    int64_t element;
    int index_rank;
    int64_t index[WADI_MAX_RANK];
    void *self;
} wadi_eval_cx;

/** Room for parameters of one function (an index and nine records) or of one region. */
enum { WADI_MAX_PARAMS = WADI_MAX_RANK + 9 * WADI_MAX_FIELDS };
/** Room for the cells of an element, and of the parameters of a function. */
enum { WADI_MAX_ELEM_CELLS = 2 * WADI_MAX_FIELDS, WADI_MAX_PARAM_CELLS = 2 * WADI_MAX_PARAMS };

/** Where the array of an operator without arguments comes from. */
typedef enum wadi_given {
    WADI_GIVEN_NOT,       /* it is computed */
    WADI_GIVEN_BY_RUN,    /* the run binds an array by name */
    WADI_GIVEN_BY_PROGRAM /* the program holds it */
} wadi_given;

/** What became of two bindings of one operator, of which the outer one reads the inner one's result. */
typedef enum wadi_joined {
    WADI_JOINED_NOT, /* nothing: no law holds of these two */
    WADI_JOINED_ONE, /* the outer one was changed; it now has the value of both when it reads the inner one's argument */
    WADI_JOINED_UNDONE /* the outer one undoes the inner one: its value is the inner one's argument */
} wadi_joined;

typedef struct wadi_op {
    const char *name;
    const char *
        form; /* how it stands in text: attributes, arguments, functions, regions; ".." is any number more */
    const char *about; /* what it means, in a line */
    wadi_op_kind kind;
    wadi_skeleton skeleton;
    wadi_seq_rule seq; /* of WADI_OP_SEQUENCE: what it does with elements */
    /** names of the integer attributes for text, space separated: "rank axis"; the last takes all that are left;
     *  NULL: none */
    const char *attrs;
    int nfuns, nblocks; /* how many functions and regions a binding has; -1: varies */
    /** producers: recomputing an element costs no more than reading it (reshape, iota, ...) */
    bool cheap;
    /** producers: result element ix reads exactly element ix of each array argument */
    bool one_to_one;
    /** producers: the elements of argument 0 in their row-major order, all of them, so that its memory is the result's as well */
    bool keeps_memory;
    /** producers: function 0 gives, for each index of the result, the index of the element of argument 0 that stands there */
    bool picks;
    /** a rank-0 array without arguments: its element is what function 0, without parameters, yields */
    bool scalar;
    /** the results lie in memory whatever fusion decides */
    bool stored;
    /** only its functions, and the checks its shape rule asks for, can fault: without those it may be computed where nobody may
     *  read it. An operator that says nothing is taken to be able to */
    bool faultless;
    wadi_given given;
    /** types of the parameters of function `fun` as arguments and attributes give them (so that text may leave them
     *  out); out_types has room for WADI_MAX_PARAMS; returns their number, or -1 when the arguments do not fit.
     *  NULL: no functions */
    int (*fun_params)(const wadi_module *m, const wadi_bind *b, int fun, wadi_type *out_types);
    /** the same for the parameters of region `block`; NULL: regions without parameters, or none */
    int (*block_params)(const wadi_module *m, const wadi_bind *b, int block,
                        wadi_array_type *out_types);
    /** checks argument types, regions and functions and appends the results with wadi_bind_result. input, use and
     *  stream_in find their result there already: its type is what the program declares */
    wadi_status (*type)(wadi_module *m, wadi_bind *b, wadi_error *err);
    void (*shape)(wadi_shape_cx *cx, const wadi_bind *b);
    /** NULL: wadi_depend_default. Of a sequence operator that gives a sequence: dependence of its components, once its
     *  regions have been analysed; NULL: shapes as its region yields or its shape rule tells */
    void (*depend)(wadi_depend_cx *cx, const wadi_bind *b);
    void (*at)(wadi_at *cx, const wadi_bind *b, const wadi_sx *ix,
               wadi_sx *out_fields);                           /* producers */
    wadi_status (*eval)(wadi_eval_cx *cx, const wadi_bind *b); /* NULL for sequence operators */
    /* ---- laws, for simplification; every one exact ---- */
    /** whether result 0 is argument 0. same_shape: the two are proved to have one shape. NULL: never, as far as is known */
    bool (*same)(const wadi_module *m, const wadi_bind *b, bool same_shape);
    /** what `b` and `inner`, a binding of the same operator whose result is argument 0 of `b`, are together. NULL: WADI_JOINED_NOT */
    wadi_joined (*join)(wadi_bind *b, const wadi_bind *inner);
    /** how a kernel reads each argument, one letter per argument, the last one standing for the rest:
     *    e  element by element, each element at most once
     *    m  element by element, an element perhaps several times (replicate, gather)
     *    c  copied whole into the result (permute's defaults)
     *    s  a rank-0 scalar: an extent, an index, an initial value
     *    w  as a whole array, in memory
     *  NULL: the arguments are read as whole arrays. Fusion decides by this */
    const char *reads;
} wadi_op;

/** All operators: from operators/table.c, handed down to whoever needs names. */
typedef struct wadi_op_table {
    const wadi_op *const *ops;
    int n;
} wadi_op_table;

/** The row named `name`, or NULL. */
const wadi_op *wadi_op_find(const wadi_op_table *t, const char *name);
/** The row that makes a scalar an array of rank 0 (`scalar`), or NULL: what the compiler itself makes bindings of. */
const wadi_op *wadi_op_scalar(const wadi_op_table *t);

/** Shapes of results depend on what their symbolic extents mention; elements on every argument's elements, on
 *  every array read in a function, and on the shape. Right for every operator that says nothing better. */
void wadi_depend_default(wadi_depend_cx *cx, const wadi_bind *b);

#endif
