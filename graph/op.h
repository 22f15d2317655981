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
#include "graph/derived.h"
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
#define WADI_SKELETON(NAME, name, traits) WADI_SKEL_##NAME,
#include "graph/skeletons.def"
#undef WADI_SKELETON
    WADI_SKELETONS /* how many there are */
} wadi_skeleton;

/** What graph, operators, passes and plans ask of a skeleton; graph/skeletons.def answers. */
typedef enum wadi_skeleton_trait {
    WADI_TRAIT_NO_KERNEL = 1, /* nothing is computed: there never is a kernel */
    WADI_TRAIT_ALONE =
        2, /* no producer, but an element of the result can be computed alone when it is read: it may be delayed */
    WADI_TRAIT_REDUCES_ROWS =
        4, /* each row becomes an element (operators/reduce_tree.h): the result has no innermost dimension */
    WADI_TRAIT_BY_ELEMENT =
        8, /* the elements of the result are computed one by one, in any order */
    WADI_TRAIT_BY_BLOCK =
        16, /* each row is computed block by block from the blocks of a row of its last argument */
    WADI_TRAIT_SPLITS =
        64, /* its loops over elements are split into border and interior: indices inside an array are not tested (codegen/kernel/split.h) */
    WADI_TRAIT_KEEPS =
        32 /* the elements of argument 1 that function 0 keeps, in order; argument 0 says how many: a fold that is the only reader may go
              through argument 1 instead */
} wadi_skeleton_trait;

/* ---- index functions: written once against an abstract builder of scalar code ---- */

typedef uint32_t wadi_sx; /* a scalar in the context's own numbering */

/** What an index function may ask for. Codegen implements it (loop IR). No call reports an error: the implementation keeps the
 *  first one. */
typedef struct wadi_at {
    const struct wadi_at_ops *ops;
    wadi_module *module;
    void *self;
} wadi_at;

/** Writes the code of one of two sides. */
typedef void (*wadi_at_side)(wadi_at *cx, void *env, bool yes, wadi_sx *out);

typedef struct wadi_at_ops {
    wadi_sx (*constant)(wadi_at *cx, wadi_scalar value);
    wadi_sx (*prim)(wadi_at *cx, wadi_sop op, wadi_type result, int n,
                    const wadi_sx *args); /* also CONVERT, BITCAST */
    /** `c ? a : b`; both sides are computed, so neither may fault */
    wadi_sx (*select)(wadi_at *cx, wadi_type type, wadi_sx c, wadi_sx a, wadi_sx b);
    /** element `ix` (rank of the array) of `array`, one scalar per field; the index is known to be in range */
    void (*read)(wadi_at *cx, wadi_val array, const wadi_sx *ix, wadi_sx *out_fields);
    /** as `read`, but the index comes from data: out of range is a fault at `loc` */
    void (*read_checked)(wadi_at *cx, wadi_val array, const wadi_sx *ix, wadi_loc loc,
                         wadi_sx *out_fields);
    void (*apply)(wadi_at *cx, const wadi_fun *f, const wadi_sx *args, wadi_sx *out_results);
    wadi_sx (*extent)(wadi_at *cx, wadi_val array, int dim); /* i64 */
    /** `n` values of these types, from the side that `c` takes: side(cx, env, c, out) writes their code. light: neither side may
     *  fault, and computing both costs little; then both may be computed. Otherwise only the side that is taken runs */
    void (*choose)(wadi_at *cx, wadi_sx c, int n, const wadi_type *types, bool light,
                   wadi_at_side side, void *env, wadi_sx *out);
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
    /** an extent that is known only when the program runs (a loop's result): it becomes a new atom */
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
    /** whether an array that `f` reads depends on the stream index; where `f` reads only an extent, its shape alone counts */
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
    /** result `v` is the array of another value; nothing is copied */
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
    /** `mark` says how much is allocated. `release` gives back all that was allocated since that mark, except the `n` arrays
     *  of `keep` */
    size_t (*mark)(struct wadi_eval_cx *cx);
    void (*release)(struct wadi_eval_cx *cx, size_t mark, int n, const wadi_iarray *const *keep);
    /** NULL: a fault ends the evaluation. Otherwise it is called when the element being computed has faulted, and fills `cells`
     *  with a value for it, so that the evaluation goes on */
    void (*instead)(struct wadi_eval_cx *cx, uint64_t *cells, int n);
    /* what a fault names: the element of the stream (-1: outside every stream), and the index of the array element being
     * computed, which the rules set (index_rank -1: none) */
    int64_t element;
    int index_rank;
    int64_t index[WADI_MAX_RANK];
    void *self;
} wadi_eval_cx;

/** Room for parameters of one function (an index and nine records) or of one region. */
enum { WADI_MAX_PARAMS = WADI_MAX_RANK + 9 * WADI_MAX_FIELDS };
/** Room for parameters of a function of any operator: of a neighbourhood there may be more. */
enum { WADI_MAX_FUN_PARAMS = 512 };
/** Room for the cells of an element, and of the parameters of a function. */
enum { WADI_MAX_ELEM_CELLS = 2 * WADI_MAX_FIELDS, WADI_MAX_PARAM_CELLS = 2 * WADI_MAX_PARAMS };

/** Where the array of an operator without arguments comes from. */
typedef enum wadi_given {
    WADI_GIVEN_NOT,       /* it is computed */
    WADI_GIVEN_BY_RUN,    /* the run binds an array by name */
    WADI_GIVEN_BY_PROGRAM /* the program holds it */
} wadi_given;

/** What a law makes of two bindings of one operator, where the outer one reads the result of the inner one. */
typedef enum wadi_joined {
    WADI_JOINED_NOT, /* nothing: no law holds of these two */
    WADI_JOINED_ONE, /* the outer one was changed; it now has the value of both when it reads the inner one's argument */
    WADI_JOINED_UNDONE /* the outer one undoes the inner one: its value is the inner one's argument */
} wadi_joined;

/** What the results are of an operator that runs its regions as data say: if it is no such value, what that region yields. */
enum {
    WADI_OUTCOME_OPEN = -2, /* that is known when the program runs */
    WADI_OUTCOME_ARGS = -1  /* its arguments */
};

enum { WADI_INDEXES_RESULT = -1 };

typedef struct wadi_op {
    const char *name;
    const char *
        form; /* how it is written in text: attributes, arguments, functions, regions; ".." stands for any number of further ones */
    /** the types of what stands in `form`, in its order, and of the results: a, b, z: any elements; "[..]": any number of dimensions */
    const char *types;
    const char *about; /* what it means, in a line */
    wadi_op_kind kind;
    wadi_skeleton skeleton;
    wadi_seq_rule seq; /* of WADI_OP_SEQUENCE: what it does with elements */
    /** names of the integer attributes for text, space separated: "rank axis"; the last takes all that are left;
     *  NULL: none */
    const char *attrs;
    int nfuns, nblocks; /* how many functions and regions a binding has; -1: varies */
    /** nfuns = -1: how many functions the attributes of `b` ask for. Attributes that make no sense ask for as many as they like */
    int (*count_funs)(const wadi_bind *b);
    /** what is wrong with the attributes, if functions or regions cannot be read without them; NULL: nothing, or this is NULL and the type
     *  rule says it */
    const char *(*wrong_attrs)(const wadi_bind *b);
    /** producers: recomputing an element costs no more than reading it (reshape, iota, ...) */
    bool cheap;
    /** producers: result element ix reads exactly element ix of each array argument */
    bool one_to_one;
    /** consumers: result element ix is made when element ix of each array argument has been read for the last time, so that both can share
     *  one memory */
    bool in_place;
    /** producers: the result has all elements of argument 0 in the same row-major order, so both can share one memory */
    bool keeps_memory;
    /** producers: each element of the result is one of argument 0; function 0 gives its index there from the index in the result */
    bool picks;
    /** a rank-0 array without arguments: its element is what function 0, without parameters, yields */
    bool scalar;
    /** an array whose arguments are its extents: each element is what function 0 makes of its index */
    bool generates;
    /** the results are always stored; fusion never delays them */
    bool stored;
    /** the operator itself cannot fault: only its functions and the checks of its shape rule can. If these cannot either, it may
     *  be computed where its result is perhaps not read. Not set: it is taken to be able to fault */
    bool faultless;
    /** the same, except that a row without elements is a fault */
    bool needs_elements;
    /** the array of which an index may be out of range: k for argument k - 1, WADI_INDEXES_RESULT, or 0 for none */
    int indexes;
    /** no result needs the others: one that nobody reads may go, with what each region yields for it */
    bool separable;
    /** a routine of a library, which the binding names, may compute the results; otherwise region 0 does */
    bool routine;
    /** region 1 computes the results of all elements of a chunk at once; otherwise region 0 does, of one element */
    bool by_chunk;
    wadi_given given;
    /** types of the parameters of function `fun` as arguments and attributes give them (so that text may leave them
     *  out); out_types has room for WADI_MAX_FUN_PARAMS; returns their number, or -1 when the arguments do not fit.
     *  NULL: no functions */
    int (*fun_params)(const wadi_module *m, const wadi_bind *b, int fun, wadi_type *out_types);
    /** the same for the parameters of region `block`; NULL: regions without parameters, or none */
    int (*block_params)(const wadi_module *m, const wadi_bind *b, int block,
                        wadi_array_type *out_types);
    /** checks argument types, regions and functions and appends the results with wadi_bind_result. input, use and
     *  stream_in find their result there already: its type is what the program declares */
    wadi_status (*type)(wadi_module *m, wadi_bind *b, wadi_error *err);
    void (*shape)(wadi_shape_cx *cx, const wadi_bind *b);
    /** NULL: wadi_depend_default. A sequence operator that gives a sequence sets the dependence of its components here, after its
     *  regions have been analysed; NULL: the shapes are those that its region yields or its shape rule gives */
    void (*depend)(wadi_depend_cx *cx, const wadi_bind *b);
    void (*at)(wadi_at *cx, const wadi_bind *b, const wadi_sx *ix,
               wadi_sx *out_fields);                           /* producers */
    wadi_status (*eval)(wadi_eval_cx *cx, const wadi_bind *b); /* NULL for sequence operators */
    /* ---- laws, for simplification; every one exact ---- */
    /** whether result 0 equals argument 0. same_shape: the two are proved to have one shape. NULL: that is not known of any binding */
    bool (*same)(const wadi_module *m, const wadi_bind *b, bool same_shape);
    /** joins `b` with `inner`, a binding of the same operator whose result is argument 0 of `b`. NULL: WADI_JOINED_NOT */
    wadi_joined (*join)(wadi_bind *b, const wadi_bind *inner);
    /** which region runs, if that is a constant already: its number, or a WADI_OUTCOME. NULL: no data decide which regions run, and
     *  how often */
    int (*outcome)(const wadi_module *m, const wadi_bind *b);
    /** how a kernel reads each argument, one letter per argument, the last one standing for the rest:
     *    e  element by element, each element at most once
     *    m  element by element, an element perhaps several times (replicate, gather)
     *    c  copied whole into the result (permute's defaults)
     *    s  a rank-0 scalar: an extent, an index, an initial value
     *    w  as a whole array, in memory
     *  NULL: the arguments are read as whole arrays. Fusion decides by this */
    const char *reads;
    /** how many elements of argument `arg` an element of the result reads, near each other, where that is a number in the binding. NULL: at
     *  most one, or it is not known */
    int (*places)(const wadi_bind *b, int arg);
    /** how far from index ix, along the outermost dimension, the elements of argument `arg` lie at most that element ix of the result reads; -1:
     *  anywhere. NULL: nowhere else if it is one_to_one, else anywhere */
    int64_t (*reach)(const wadi_module *m, const wadi_bind *b, int arg);
} wadi_op;

/** All operators. The table is in operators/table.c; callers pass it to code that looks up names. */
typedef struct wadi_op_table {
    const wadi_op *const *ops;
    int n;
    const wadi_op *of_elements;            /* a function of each element of one array */
    const wadi_derived *(*derived)(int i); /* NULL: there are no more */
} wadi_op_table;

/** The derived function whose name is the `n` bytes at `name`, or NULL. */
const wadi_derived *wadi_op_derived(const wadi_op_table *t, const char *name, size_t n);
/** The row named `name`, or NULL. */
const wadi_op *wadi_op_find(const wadi_op_table *t, const char *name);
/** How many functions the operator of `b` takes; if that varies, its attributes say it. */
int wadi_op_funs(const wadi_bind *b);
/** How a kernel reads argument `arg` (from 0): the letter of wadi_op's `reads`, 'w' if the row has none. */
char wadi_op_reads(const wadi_op *op, int arg);
/** The row that makes a scalar an array of rank 0 (`scalar`), or NULL. The compiler makes bindings of its own with it. */
const wadi_op *wadi_op_scalar(const wadi_op_table *t);

/** The row that makes an array from its extents and a function of the index (`generates`), or NULL. */
const wadi_op *wadi_op_generator(const wadi_op_table *t);

/** The traits of the operators of each skeleton, as bits. */
extern const unsigned wadi_op_traits[WADI_SKELETONS];

/** Whether the operator's skeleton has the trait. */
static inline bool wadi_op_has(const wadi_op *op, wadi_skeleton_trait trait) {
    return (wadi_op_traits[op->skeleton] & (unsigned)trait) != 0;
}

/** The rule of operators without one. Shapes of results depend on what their symbolic extents mention. Elements depend on the
 *  elements of every argument, on every array that a function reads, and on the shape. It is never wrong, but an operator's own
 *  rule may prove more. */
void wadi_depend_default(wadi_depend_cx *cx, const wadi_bind *b);

#endif
