/* The graph that the C builder makes: nodes, the functions inside them, and how operators add their own.
 *
 * Every builder call appends one node (sometimes a few) to the calling thread's current program; a node refers to
 * others by number, and only to older ones, so the numbers are a topological order and no traversal ever recurses.
 * Node 0 is the error node: a call given it gives it back. The first mistake sticks in the program.
 *
 * A function handed to an operator is called once, on fresh parameter nodes, while the operator's call is under way;
 * what it gives becomes the roots of a lambda. Nothing records where a node belongs: graph/lang/recover.c finds that.
 *
 * An operator's builder function is written with a draft:
 *
 *     wadi_acc wadi_map_env(wadi_fn1_env f, void *env, wadi_acc a) {
 *         wadi_draft d = wadi_draft_begin("map");
 *         const wadi_array_type *t = wadi_draft_array(&d, a);
 *         if (wadi_draft_failed(&d)) return WADI_NO_ACC;
 *         wadi_draft_fun(&d);
 *         wadi_exp x = wadi_draft_param(&d, &t->elem);
 *         const wadi_elem *e = wadi_draft_gives(&d, f(env, x));
 *         return wadi_draft_acc(&d, &wadi_op_map, t->rank, e);
 *     }
 *     wadi_acc wadi_map(wadi_fn1 f, wadi_acc a) { return wadi_map_env(wadi_call1, &f, a); }
 *
 * Arguments are appended in the order of the operator's IR arguments. Types a draft function returns are NULL once
 * the draft has failed; every draft function accepts NULL types, failed drafts and error nodes and does nothing, so
 * one test of wadi_draft_failed before the first use of a type is enough.
 *
 * This header must come before wadi/lang.h: it switches off the macros that note the caller's place, which are for
 * the user's code. Nodes made by the library take the place of the user's call around them.
 */
#ifndef WADI_GRAPH_LANG_NODE_H
#define WADI_GRAPH_LANG_NODE_H

#define WADI_NO_PLACES
#include "wadi/lang.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "graph/ir/ir.h"
#include "graph/op.h"

typedef uint32_t wadi_node_id;

#define WADI_NO_EXP ((wadi_exp){0})
#define WADI_NO_ACC ((wadi_acc){0})
#define WADI_NO_SEQ ((wadi_seq){0})
#define WADI_NO_EAT ((wadi_eat){0})

/* What the user's function gives; a function that is NULL is a mistake. */
#define WADI_ASK_EXP(f, ...) ((f) ? (f)(__VA_ARGS__) : (wadi_lang_no_function(), WADI_NO_EXP))
#define WADI_ASK_ACC(f, ...) ((f) ? (f)(__VA_ARGS__) : (wadi_lang_no_function(), WADI_NO_ACC))
#define WADI_ASK_IX(f, ...) ((f) ? (f)(__VA_ARGS__) : (wadi_lang_no_function(), (wadi_ix){0}))

typedef enum wadi_stratum {
    WADI_STRATUM_SCALAR,
    WADI_STRATUM_ARRAY,
    WADI_STRATUM_SEQ
} wadi_stratum;

typedef enum wadi_node_kind {
    WADI_NODE_ERROR,  /* node 0 alone */
    WADI_NODE_PARAM,  /* parameter of `lambda` */
    WADI_NODE_SCALAR, /* `sop` of args; imm, dim; arrays it reads are args too (the first) */
    WADI_NODE_RECORD, /* args: the fields */
    WADI_NODE_FIELD,  /* field `index` of args[0] */
    WADI_NODE_RANK0,  /* scalar args[0] as an array of rank 0 */
    WADI_NODE_TUPLE,  /* args: arrays */
    WADI_NODE_PART,   /* array `index` of args[0] */
    WADI_NODE_OP      /* `op` of args */
} wadi_node_kind;

/** How often, and whether, a lambda's body runs once its node is reached. */
typedef enum wadi_lambda_kind {
    WADI_LAMBDA_FUN,    /* scalar function of an array operator: once per element */
    WADI_LAMBDA_BRANCH, /* side of cond or acond: perhaps; no parameters */
    WADI_LAMBDA_PRED,   /* predicate of while or awhile: once or more */
    WADI_LAMBDA_LOOP,   /* body of while, iterate or awhile: never, once or more */
    WADI_LAMBDA_STREAM  /* region of a sequence operator: once per element of the stream */
} wadi_lambda_kind;

typedef struct wadi_lambda {
    wadi_lambda_kind kind;
    const char *what; /* the operator it is an argument of */
    bool array;       /* a region of array code; else scalar code */
    int level; /* how many lambdas were open when this one was opened: its bit in wadi_node.depends */
    uint64_t regions; /* which of the levels open inside it, its own included, are regions */
    int nparams, nroots;
    wadi_node_id *params; /* PARAM nodes, each perhaps a record or a tuple */
    wadi_node_id *roots;  /* what the body gives, in order */
    uint64_t depends;     /* as of a node, of the whole body, without the lambda's own level */
    size_t unplaced;      /* while open: wadi_program.unplaced from before */
} wadi_lambda;

typedef struct wadi_node {
    wadi_node_kind kind;
    wadi_stratum stratum;
    int nargs, nlambdas, nattrs;
    wadi_node_id *args;
    uint32_t *lambdas; /* indices into wadi_program.lambdas */
    int64_t *attrs;
    int ntypes; /* arrays of a tuple or of a stream's element; else 1; 0: stream_out */
    const wadi_array_type *type; /* [ntypes]; a scalar is its elem alone, rank 0 */
    const wadi_op *op;
    wadi_sop sop;
    int dim, index;
    uint32_t lambda; /* PARAM */
    wadi_scalar imm;
    const char *name; /* input, stream_in, stream_out: what it is bound by */
    const char *hint; /* what the user calls the array, or NULL */
    const wadi_array *data;
    /* bit l: depends on parameters of the lambda that was open at level l when the node was made */
    uint64_t depends;
    uint32_t inner; /* the lambda of the highest bit of `depends`; meaningless if it is 0 */
    wadi_loc loc;   /* the user's call; file NULL: not noted yet */
} wadi_node;

typedef struct wadi_named_node {
    const char *name;
    wadi_node_id node;
} wadi_named_node;

struct wadi_program {
    uint32_t number;                /* what its handles carry */
    struct wadi_program *next_live; /* live.c */
    wadi_error stray; /* live.c: the first mistake made elsewhere with one of its handles */
    wadi_arena *arena;
    wadi_intern strings; /* names of fields, extents, inputs */
    const char *name;
    WADI_VEC(wadi_node) nodes;
    WADI_VEC(wadi_lambda) lambdas;
    WADI_VEC(uint32_t) open; /* the lambdas being built, outermost first */
    WADI_VEC(wadi_named_node) outputs;
    WADI_VEC(wadi_node_id) effects; /* stream_out nodes, in order */
    const wadi_array_type *scalar_type[WADI_TYPE_COUNT];
    size_t unplaced;  /* nodes before this one have their place */
    const char *call; /* the user's call under way, if it is built of others; NULL: none */
    wadi_error error;
};

/** Keeps the first mistake, of the thread where no program is current; its place is that of the user's call under way. Always
 *  gives 0, the error node. */
wadi_node_id wadi_lang_fail(wadi_status st, const char *fmt, ...) WADI_PRINTF(2, 3);
/** A function that is NULL: a mistake of the innermost open one's operator. */
void wadi_lang_no_function(void);
/** The current program; a mistake if there is none: "<what>: no program is current in this thread". */
wadi_program *wadi_lang_program(const char *what);

/** Faults of the operators made from here on name the user's call, the outermost of several; what was there before goes to the
 *  function that ends it and passes the result on. */
const char *wadi_lang_call(const char *name);
wadi_acc wadi_acc_called(const char *outer, wadi_acc a);
wadi_seq wadi_seq_called(const char *outer, wadi_seq s);

/** The number of the current program, 0: none. */
uint32_t wadi_program_number(void);
/** Whether the program of that number is still current, as it was before a user's function was called. If not, it is made so
 *  again where it can, and that is a mistake. */
bool wadi_program_back(const char *what, uint32_t number);

/* Handles. A node's number becomes a handle of the current program; a handle of another one is a mistake, names argument
 * `number` (0: no particular one) of `what` (NULL: not known), and gives 0. */
wadi_exp wadi_exp_of(wadi_node_id n);
wadi_acc wadi_acc_of(wadi_node_id n);
wadi_seq wadi_seq_of(wadi_node_id n);
wadi_eat wadi_eat_of(wadi_node_id n);
wadi_node_id wadi_exp_node(const char *what, int number, wadi_exp e);
wadi_node_id wadi_acc_node(const char *what, int number, wadi_acc a);
wadi_node_id wadi_seq_node(const char *what, int number, wadi_seq s);
/** The node a handle names, or NULL: after a mistake too. Good until the next node is made. */
const wadi_node *wadi_exp_get(const char *what, int number, wadi_exp e);
const wadi_node *wadi_acc_get(const char *what, int number, wadi_acc a);

/** True for the error node, for a number that is none, and when no program is current or it has failed. */
bool wadi_node_is_error(wadi_node_id n);
/** The node, or NULL. Good until the next node is made. */
const wadi_node *wadi_node_get(wadi_node_id n);

/** Element of a scalar, type of an array (one array), as borrowed from the program; NULL on an error node. */
const wadi_elem *wadi_exp_elem(wadi_exp e);
const wadi_array_type *wadi_acc_type(wadi_acc a);
/** The type of an array argument that is one array; a mistake where it is none: "<what>: argument <number> is missing". */
const wadi_array_type *wadi_acc_given(const char *what, int number, wadi_acc a);
/** An integer expression as i64, as an index or an extent; fails with "<what>: <role> is <found>, expected an integer". */
wadi_exp wadi_exp_to_i64(const char *what, const char *role, wadi_exp e);
/** "f32", "{re: f32, im: f32}", "f32[n, ?]", "(f32[?], i64)". In the program's arena. */
const char *wadi_elem_text(const wadi_elem *e);
const char *wadi_array_type_text(const wadi_array_type *t);

/* ---- drafts ---- */

/* A tuple has at most as many arrays as an operator has arguments. */
enum { WADI_DRAFT_ARGS = 64, WADI_DRAFT_LAMBDAS = 4, WADI_DRAFT_ATTRS = 32 };

/** A node under construction, on the stack of a builder function. */
typedef struct wadi_draft {
    const char *what; /* the operator's name, first word of every message */
    uint32_t program; /* its number */
    bool failed;
    int nargs, nlambdas, nattrs;
    wadi_node_id args[WADI_DRAFT_ARGS];
    uint32_t lambdas[WADI_DRAFT_LAMBDAS];
    int64_t attrs[WADI_DRAFT_ATTRS];
    const char *name;
    const wadi_array *data;
} wadi_draft;

wadi_draft wadi_draft_begin(const char *what);
bool wadi_draft_failed(const wadi_draft *d);
/** A list the caller gives: fails with "<what>: the <name> are NULL" if it is. */
void wadi_draft_given(wadi_draft *d, const void *list, const char *name);
/** Fails with "<what>: <message>". */
void wadi_draft_fail(wadi_draft *d, wadi_status st, const char *fmt, ...) WADI_PRINTF(3, 4);
/** Fails with "<what>: argument <nargs> is <found>, expected <fmt>", for the argument appended last, of type `t`. */
void wadi_draft_expected(wadi_draft *d, const wadi_array_type *t, wadi_status st, const char *fmt,
                         ...) WADI_PRINTF(4, 5);

/* Arguments. Each appends one and gives its type. */
const wadi_array_type *wadi_draft_array(wadi_draft *d, wadi_acc a); /* one array */
const wadi_array_type *wadi_draft_tuple(wadi_draft *d, wadi_acc a,
                                        int *out_n); /* one array or a tuple */
const wadi_array_type *wadi_draft_seq_arg(wadi_draft *d, wadi_seq s, int *out_n);
const wadi_elem *wadi_draft_scalar(wadi_draft *d, wadi_exp e); /* as rank-0 array */
void wadi_draft_int(wadi_draft *d, wadi_exp e);                /* integer, as rank-0 i64 array */
void wadi_draft_shape(wadi_draft *d, wadi_ix ix);              /* wadi_draft_int of each */
void wadi_draft_attr(wadi_draft *d, int64_t v);
void wadi_draft_name(wadi_draft *d, const char *name); /* copied; empty or NULL is a mistake */
/** A checked copy of a host array. */
void wadi_draft_data(wadi_draft *d, const wadi_array *a);

/* Checks of the argument appended last. All are silent on a failed draft. */
void wadi_expect_rank(wadi_draft *d, const wadi_array_type *t, int rank);
void wadi_expect_rank_from(wadi_draft *d, const wadi_array_type *t, int least);
void wadi_expect_elem(wadi_draft *d, const wadi_array_type *t,
                      const wadi_elem *e);                       /* same element */
void wadi_expect_plain(wadi_draft *d, const wadi_array_type *t); /* not a record */
void wadi_expect_int(wadi_draft *d, const wadi_array_type *t);
/** `dim` is a dimension of the array (0 .. rank - 1). */
void wadi_expect_dim(wadi_draft *d, const wadi_array_type *t, int dim);

/* Functions: open one, make its parameters, call the user's function, give what it returned. */
void wadi_draft_fun(wadi_draft *d); /* opens a scalar function */
void wadi_draft_region(wadi_draft *d,
                       wadi_lambda_kind kind); /* opens array code: PRED, LOOP or STREAM */
wadi_exp wadi_draft_param(wadi_draft *d, const wadi_elem *e); /* scalar or record */
wadi_exp wadi_draft_param_of(wadi_draft *d, wadi_type t);     /* plain scalar */
wadi_ix wadi_draft_param_ix(wadi_draft *d, int rank);         /* `rank` i64 scalars */
wadi_acc wadi_draft_param_acc(wadi_draft *d, int n,
                              const wadi_array_type *t); /* array or tuple; regions alone */
/** A rank-0 parameter of a region, read as a scalar (produce's stream index). */
wadi_exp wadi_draft_param_the(wadi_draft *d, wadi_type t);
/* Each closes the function. A function gives one scalar or record, or an index (with_keep: first the keep flag), */
const wadi_elem *wadi_draft_gives(wadi_draft *d, wadi_exp e);
void wadi_draft_gives_elem(wadi_draft *d, wadi_exp e,
                           const wadi_elem *expected); /* and checks its type */
void wadi_draft_gives_ix(wadi_draft *d, wadi_ix ix, int rank, bool with_keep);
/* ... a region arrays. */
const wadi_array_type *wadi_draft_gives_acc(wadi_draft *d, wadi_acc a, int *out_n);
void wadi_draft_gives_types(wadi_draft *d, wadi_acc a, int n,
                            const wadi_array_type *expected); /* ranks, elements */
/** A region without parameters that gives `a`: a side of acond. What only it needs will be computed only in it. */
const wadi_array_type *wadi_draft_branch(wadi_draft *d, wadi_acc a, int *out_n);

/* Types, in the program's arena. */
wadi_array_type *wadi_draft_types(wadi_draft *d, int n); /* all zero */
/** The type a user declares; extents as in wadi_input. `out` is filled. */
void wadi_draft_declare(wadi_draft *d, wadi_elem_type elem, int rank, const char *const *extents,
                        wadi_array_type *out);

/* The end of a draft: makes the node. An operator without arguments, functions and regions (input, use, stream_in) is
 * bound in the main block, and recovery appends its results, of the node's types, before it runs the operator's
 * `type`, since nothing else knows them. */
wadi_acc wadi_draft_acc(wadi_draft *d, const wadi_op *op, int rank, const wadi_elem *e);
wadi_acc wadi_draft_acc_types(wadi_draft *d, const wadi_op *op, int n,
                              const wadi_array_type *t); /* borrows t */
wadi_seq wadi_draft_seq(wadi_draft *d, const wadi_op *op, int n, const wadi_array_type *t);
/** The same with the ranks and elements of `t` alone: nothing is declared of the extents. */
wadi_seq wadi_draft_seq_like(wadi_draft *d, const wadi_op *op, int n, const wadi_array_type *t);
wadi_eat wadi_draft_eat(wadi_draft *d, const wadi_op *op, int n, const wadi_array_type *t);
/** A node without results that the program keeps: stream_out. */
void wadi_draft_effect(wadi_draft *d, const wadi_op *op);

/* Adapters from functions without environment: `env` points at the function pointer. */
wadi_exp wadi_call1(void *env, wadi_exp a);
wadi_exp wadi_call2(void *env, wadi_exp a, wadi_exp b);
wadi_exp wadi_call3(void *env, wadi_exp a, wadi_exp b, wadi_exp c);
wadi_exp wadi_call4(void *env, wadi_exp a, wadi_exp b, wadi_exp c, wadi_exp d);
wadi_exp wadi_call_ix(void *env, wadi_ix ix);
wadi_exp wadi_call_imap(void *env, wadi_ix ix, wadi_exp a);
wadi_ix wadi_call_ix_ix(void *env, wadi_ix ix);
wadi_acc wadi_call_acc1(void *env, wadi_acc a);
wadi_acc wadi_call_acc2(void *env, wadi_acc a, wadi_acc b);
wadi_acc wadi_call_produce(void *env, wadi_exp i);

/* ---- to core IR ---- */

/** Recovers the program's sharing; see recover.c. `ops` must hold the operator of scalars (wadi_op_scalar). The module is the caller's to destroy and
 *  refers to nothing of the program, but loc.file pointers are those the places were noted with. */
WADI_NODISCARD wadi_status wadi_program_lower(const wadi_program *p, const wadi_op_table *ops,
                                              wadi_module **out, wadi_error *err);

#endif
