/* The core IR: what a program is, once its sharing is explicit.
 *
 * A module is a tree of blocks. A block is a list of bindings; a binding applies one operator to values and defines
 * one or more new ones. Values are arrays or sequences of (tuples of) arrays; they are named by index into one table
 * in the module, so a dump, a copy or a hash never sees a pointer. Tuples of arrays do not exist here: the builder
 * takes them apart, so every component is analysed, fused and stored on its own.
 *
 * Scalar code lives in functions (`wadi_fun`): little blocks of scalar instructions with structured `cond` and
 * `while`. A function may read arrays of the blocks around the binding it belongs to; it never sees scalars of
 * another function.
 *
 * Every extent, and every other scalar that an operator takes at array level, is a value of rank 0. A literal is a
 * value of kind WADI_DEF_CONST and has no binding; the printer writes it in place.
 *
 * Everything is owned by the module's arena. Nothing here rewrites or judges: see codegen/pass and graph/analysis.
 */
#ifndef WADI_GRAPH_IR_H
#define WADI_GRAPH_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "wadi/status.h"
#include "wadi/type.h"

struct wadi_op;

/* ---- types ---- */

/** A scalar with its bits: integers sign- or zero-extended to 64 bits, bool 0 or 1, f32 in the low half.
 *  Of a complex number: the bits of its two parts, each in the form a float of that width has. */
typedef struct wadi_scalar {
    wadi_type type;
    uint64_t bits;
    uint64_t im; /* complex: the imaginary part; else 0 */
} wadi_scalar;

/** The element of an array: its columns. A plain scalar is one field whose name is NULL. */
typedef struct wadi_elem {
    int fields;
    wadi_type type[WADI_MAX_FIELDS];
    const char *name[WADI_MAX_FIELDS]; /* interned in the module's arena; NULL for a plain scalar */
} wadi_elem;

/** What the program declares about one extent of an input or of a stream's element. */
typedef struct wadi_extent_decl {
    enum { WADI_EXTENT_ANY, WADI_EXTENT_CONST, WADI_EXTENT_NAMED } kind;
    int64_t value;    /* CONST */
    const char *name; /* NAMED: equal names mean equal extents */
} wadi_extent_decl;

typedef struct wadi_array_type {
    int rank;
    wadi_elem elem;
    wadi_extent_decl *extent; /* [rank], or NULL when nothing is declared */
} wadi_array_type;

/** Type of a value: one array, or a sequence whose elements are tuples of `arrays` arrays. */
typedef struct wadi_val_type {
    bool is_seq;
    int arrays; /* 1 for an array value */
    wadi_array_type *array;
} wadi_val_type;

/* ---- scalar functions ---- */

typedef uint32_t wadi_val;  /* array-level value: index into wadi_module.values */
typedef uint32_t wadi_sval; /* scalar value: index into wadi_fun.types */
#define WADI_NONE UINT32_MAX

typedef enum wadi_sop_class {
    WADI_CLASS_NUMBER,
    WADI_CLASS_ARITH,
    WADI_CLASS_MODULUS,
    WADI_CLASS_INT,
    WADI_CLASS_BITS,
    WADI_CLASS_FLOAT,
    WADI_CLASS_ANALYTIC,
    WADI_CLASS_EQUAL,
    WADI_CLASS_ORDER,
    WADI_CLASS_LOGIC,
    WADI_CLASS_SHIFT,
    WADI_CLASS_COUNT,
    WADI_CLASS_TEST,
    WADI_CLASS_JOIN,
    WADI_CLASS_PART,
    WADI_CLASS_COMPLEX,
    WADI_CLASS_NONE
} wadi_sop_class;

enum { WADI_SOP_FAULTS = 1 };

/** Scalar operations. Those of scalar.def are pure functions of their arguments; the others are explained here. */
typedef enum wadi_sop {
#define WADI_SOP(NAME, text, arity, cls, flags, about) WADI_SOP_##NAME,
#include "graph/ir/scalar.def"
#undef WADI_SOP
    WADI_SOP_PRIM_COUNT,
    WADI_SOP_CONST = WADI_SOP_PRIM_COUNT, /* imm */
    /* converts a value to the result's type; integers saturate, and NaN gives 0. A complex number gives its real part to a
     * real type; to bool it gives whether it is not 0 */
    WADI_SOP_CONVERT,
    WADI_SOP_BITCAST,      /* same bits, other real type of the same size */
    WADI_SOP_INDEX,        /* array ! args (rank of them, i64), checked; one result per field */
    WADI_SOP_INDEX_LINEAR, /* array !! arg (i64), row-major, checked; one result per field */
    WADI_SOP_THE,          /* the element of a rank-0 array; one result per field */
    WADI_SOP_EXTENT,       /* extent `dim` of array, i64 */
    WADI_SOP_COND,         /* arg 0 bool; blocks 0 and 1 yield the results; only one of them runs */
    WADI_SOP_WHILE, /* args: initial state; block 0 (params: state) yields one bool; block 1 (params: state)
                         yields the next state; results: the state when block 0 first yields false */
    WADI_SOP_ITERATE, /* arg 0: count (i64, negative is 0), the rest: initial state; block 0 (params: counter, state)
                         yields the next state; results: the last state */
    WADI_SOP_COUNT
} wadi_sop;

struct wadi_sblock;

/** One scalar instruction. Defines results [first, first + nresults) of its function. */
typedef struct wadi_sinst {
    wadi_sop op;
    int nargs, nresults;
    wadi_sval *args;
    wadi_sval first;
    wadi_val array;               /* INDEX, INDEX_LINEAR, THE, EXTENT; else WADI_NONE */
    int dim;                      /* EXTENT */
    wadi_scalar imm;              /* CONST */
    struct wadi_sblock *block[2]; /* COND, WHILE, ITERATE */
    wadi_loc loc;
} wadi_sinst;

/** A straight list of instructions. Sees the scalars of the blocks around it, within its function. */
typedef struct wadi_sblock {
    int nparams, ninsts, nyields, capacity; /* capacity of insts */
    wadi_sval *params;
    wadi_sinst **insts;
    wadi_sval *yields;
} wadi_sblock;

/** A scalar function. Parameters and results are flat: a record argument takes one parameter per field. */
typedef struct wadi_fun {
    wadi_sblock *body; /* its params are the function's, its yields the function's results */
    /* the result is a record: the names of its fields, interned in the arena. NULL: it is a plain scalar, or indices */
    const char **names;
    wadi_type *types; /* of every scalar of the function */
    uint32_t nvals, cap;
    int lanes; /* of a fold: the order in which elements are combined (operators/reduce_tree.h): 1 by lanes, -1 one after the
                  other, 0 not decided. It is decided once from the program as written, so that rewriting the function cannot
                  change the bits of a sum */
} wadi_fun;

/* ---- array level ---- */

typedef enum wadi_def {
    WADI_DEF_CONST, /* rank 0, one field, value in imm */
    WADI_DEF_PARAM, /* parameter of a block (`block`, number `number`) */
    WADI_DEF_BIND   /* result `number` of `bind` */
} wadi_def;

/** How a value of a stage body is stored over the chunk, by the lifting rule (see docs/ARCHITECTURE.md). */
typedef enum wadi_rep {
    WADI_REP_NONE,
    WADI_REP_AVOID,
    WADI_REP_REGULAR,
    WADI_REP_IRREGULAR
} wadi_rep;

/** Whether a value reaches memory. Fusion marks values; it never rewrites them. */
typedef enum wadi_storage {
    WADI_STORE_MANIFEST, /* computed by a loop nest of its own and stored */
    WADI_STORE_DELAYED   /* never stored: its consumers compute its elements where they need them */
} wadi_storage;

struct wadi_block;
struct wadi_bind;

typedef struct wadi_value {
    wadi_val_type type;
    wadi_def def;
    int number;
    wadi_scalar imm;          /* CONST */
    struct wadi_block *block; /* PARAM */
    struct wadi_bind *bind;   /* BIND */
    const char *name;         /* a hint for printing, or NULL */
    wadi_rep rep;             /* set by the pass `lift` for values inside map_seq bodies */
    wadi_storage storage;     /* set by the pass `fuse` */
    int siblings; /* set by the pass `siblings`: values of one number are computed in one pass; 0: alone */
} wadi_value;

typedef struct wadi_bind {
    const struct wadi_op *op;
    int nresults, nargs, nfuns, nblocks, nattrs;
    wadi_val *results;
    wadi_val *args;
    wadi_fun **funs;
    struct wadi_block **blocks; /* regions of acond, awhile, map_seq, fold_seq, produce */
    int64_t *attrs;             /* meaning given by the operator */
    const char *name;       /* input, stream_in, stream_out: the name it is bound by at run time */
    const wadi_array *data; /* use: the host array, copied into the arena; else NULL */
    wadi_loc loc;           /* the user's call */
} wadi_bind;

typedef struct wadi_block {
    struct wadi_block *parent;              /* NULL for the main block */
    int nparams, nbinds, nyields, capacity; /* capacity of binds */
    wadi_val *params;
    wadi_bind **binds;
    wadi_val *yields;
} wadi_block;

typedef struct wadi_module {
    wadi_arena *arena;
    const char *name;
    wadi_value *values;
    uint32_t nvalues, cap;
    wadi_block *main;     /* its yields are the program's results, in order of wadi_output calls */
    const char **outputs; /* [main->nyields] names of the results */
} wadi_module;

/* ---- making (ir.c). All allocate in the module's arena and return NULL / WADI_NONE only when out of memory ---- */

wadi_module *wadi_module_create(const char *name);
void wadi_module_destroy(wadi_module *m); /* NULL is fine */
/** A copy of a host array, its columns included, in the module's arena: what wadi_bind.data points to. */
const wadi_array *wadi_module_data(wadi_module *m, const wadi_array *a);

wadi_block *wadi_block_new(wadi_module *m, wadi_block *parent);
wadi_val wadi_block_param(wadi_module *m, wadi_block *b, wadi_val_type type);
bool wadi_block_append(wadi_module *m, wadi_block *b, wadi_bind *bind);
bool wadi_block_yield(wadi_module *m, wadi_block *b, wadi_val v);

/** A binding with room for the counts given; results are created by wadi_bind_result once their types are known. */
wadi_bind *wadi_bind_new(wadi_module *m, const struct wadi_op *op, int nargs, int nfuns,
                         int nblocks, int nattrs);
wadi_val wadi_bind_result(wadi_module *m, wadi_bind *b, wadi_val_type type); /* appends a result */
wadi_val wadi_const_val(wadi_module *m, wadi_scalar imm); /* finds an equal one first */

wadi_fun *wadi_fun_new(wadi_module *m);
wadi_sval wadi_fun_param(wadi_module *m, wadi_fun *f, wadi_type t);
wadi_sblock *wadi_sblock_new(wadi_module *m);
wadi_sval wadi_sblock_param(wadi_module *m, wadi_fun *f, wadi_sblock *b, wadi_type t);
bool wadi_sblock_append(wadi_module *m, wadi_sblock *b, wadi_sinst *i);
bool wadi_sblock_yield(wadi_module *m, wadi_sblock *b, wadi_sval v);
wadi_sinst *wadi_sinst_new(wadi_module *m, wadi_sop op, int nargs);
/** Gives the instruction `n` results of the types given; returns the first. */
wadi_sval wadi_sinst_results(wadi_module *m, wadi_fun *f, wadi_sinst *i, int n,
                             const wadi_type *types);

/** The instruction of block `b`, or of a block within it, that has result v; NULL: there is none, v is a parameter. */
const wadi_sinst *wadi_sblock_maker(const wadi_sblock *b, wadi_sval v);
/** Whether `f` yields its parameters in order, without the first `skip` of them. */
bool wadi_fun_is_identity(const wadi_fun *f, int skip);

/* ---- types (type.c) ---- */
wadi_elem wadi_elem_scalar(wadi_type t);
bool wadi_elem_equal(const wadi_elem *a, const wadi_elem *b); /* types and names */
/** Same kind, number of arrays, ranks and elements; declared extents do not count. */
bool wadi_val_type_equal(const wadi_val_type *a, const wadi_val_type *b);
wadi_val_type wadi_array_val_type(wadi_module *m, int rank, wadi_elem elem);
wadi_val_type wadi_seq_val_type(wadi_module *m, int arrays, const wadi_array_type *types);
bool wadi_type_is_float(wadi_type t); /* not complex */
bool wadi_type_is_complex(wadi_type t);
bool wadi_type_rounds(
    wadi_type t); /* float or complex: the laws of integer arithmetic do not hold */
bool wadi_type_is_int(wadi_type t); /* not bool */
/** Type of a part of a complex number: f32 of c64, f64 of c128; every other type is its own. */
wadi_type wadi_type_part(wadi_type t);
/** How many 8-byte cells a scalar or an element takes if its numbers are held as in wadi_scalar: one for a real number, two
 *  (real part, imaginary part) for a complex one. */
int wadi_type_cells(wadi_type t);
int wadi_elem_cells(const wadi_elem *e);
bool wadi_type_is_signed(wadi_type t);
bool wadi_type_is_unsigned(wadi_type t); /* an integer without a sign; bool is none */

/** Table row of a scalar operation (scalar.c). */
typedef struct wadi_sop_info {
    const char *name;
    int arity; /* -1: varies */
    wadi_sop_class cls;
    unsigned flags;
    const char *about; /* what it gives, in a line */
} wadi_sop_info;
/** The arguments and the result of a class in words, for example "integers of one type; the same". */
const char *wadi_sop_class_text(wadi_sop_class cls);
const wadi_sop_info *wadi_sop_get(wadi_sop op);
/** Whether primitive `op` on arguments of type `t` takes more than a few machine instructions: a root, an elementary function, a
 *  quotient of floats. */
bool wadi_sop_is_costly(wadi_sop op, wadi_type t);
/** Result type of a primitive on arguments of these types; false when they do not fit (why: its class). */
bool wadi_sop_type(wadi_sop op, const wadi_type *args, wadi_type *out);

/** Whether the bits of a `from` can be read as a `to`: real numbers of one size. */
bool wadi_bitcast_fits(wadi_type to, wadi_type from);

/** The scalar of type `t` stored at `at` in a host array's column, and back. */
wadi_scalar wadi_scalar_load(wadi_type t, const void *at);
void wadi_scalar_store(wadi_scalar v, void *at);
/** `bits` cut to the width of `t` (complex: of a part) and extended again. A wadi_scalar has its bits in this form. */
uint64_t wadi_scalar_wrap(wadi_type t, uint64_t bits);
/** Whether `v` has that form. */
bool wadi_scalar_is_sound(wadi_scalar v);
bool wadi_scalar_same(wadi_scalar a, wadi_scalar b); /* type and bits */
/** Evaluates a primitive, CONVERT or BITCAST; kernels must give the same bits (scalar_eval.c).
 *  false: a fault (integer division by zero). docs/LANGUAGE.md, "Fixed semantics", is the specification. */
bool wadi_scalar_eval(wadi_sop op, wadi_type result, const wadi_scalar *args, wadi_scalar *out);

/* ---- text (print.c, parse.c) and checks (verify.c) ---- */
struct wadi_text;
/** Prints the whole module as text that wadi_ir_parse reads back. */
void wadi_ir_print(const wadi_module *m, struct wadi_text *out);
/** The same with the place of every binding, and of every instruction that can fail: ` @ "dotp.c":12`. */
void wadi_ir_print_places(const wadi_module *m, struct wadi_text *out);
/** [value]: the name of each value in printed text (NULL for constants and values of removed code); NULL: out of memory. */
const char *const *wadi_ir_names(const wadi_module *m, wadi_arena *arena);
/** Reads a module; `ops` finds operators by name. Errors name line and column. Bindings get the places written in the
 *  text, else their line in `file` (NULL: none), which must outlive the module. */
struct wadi_op_table;
WADI_NODISCARD wadi_status wadi_ir_parse(const char *text, const char *file,
                                         const struct wadi_op_table *ops, wadi_module **out_module,
                                         wadi_error *err);
/** Checks every invariant; the message says which binding and what is wrong. */
WADI_NODISCARD wadi_status wadi_ir_verify(const wadi_module *m, wadi_error *err);
/** Whether nothing needs the order of what is delivered in any: of a program as it was written, which wadi_ir_verify has found sound. Errors:
 *  WADI_INVALID, at what needs it; WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_ir_verify_order(const wadi_module *m, wadi_error *err);

#endif
