/* The graph that the C builder makes: nodes, the functions inside them, and how operators add their own.
 *
 * Every builder call appends one node (sometimes a few) to the calling thread's current program. A node refers to
 * others by number, and only to older ones, so the numbers are a topological order and no traversal recurses.
 * Node 0 is the error node: a call that gets it as an argument returns it. The program keeps the first mistake.
 *
 * A function that is given to an operator is called once, on fresh parameter nodes, during the operator's call. What it
 * returns becomes the roots of a lambda. Nothing records in which function a node belongs: graph/lang/recover.c finds that.
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
 * Arguments are appended in the order of the operator's IR arguments. Once a draft has failed, draft functions return NULL
 * for types. Every draft function accepts NULL types, failed drafts and error nodes, and then does nothing. So one test of
 * wadi_draft_failed before the first use of a type is enough.
 *
 * This header must come before wadi/lang.h: it switches off the macros that note the caller's place, which are for
 * the user's code. Nodes that the library makes get the place of the user's call that made them.
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

/* Calls the user's function; it is a mistake if the function is NULL. */
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
    WADI_NODE_SCALAR, /* `sop` of args; imm, dim; an array that it reads is args[0] */
    WADI_NODE_RECORD, /* args: the fields */
    WADI_NODE_FIELD,  /* field `index` of args[0] */
    WADI_NODE_RANK0,  /* scalar args[0] as an array of rank 0 */
    WADI_NODE_TUPLE,  /* args: arrays */
    WADI_NODE_PART,   /* array `index` of args[0] */
    WADI_NODE_OP      /* `op` of args */
} wadi_node_kind;

/** Whether a lambda's body runs when its node is computed, and how often. */
typedef enum wadi_lambda_kind {
    WADI_LAMBDA_FUN,    /* scalar function of an array operator: once per element */
    WADI_LAMBDA_BRANCH, /* side of cond or acond: once or not at all; no parameters */
    WADI_LAMBDA_PRED,   /* predicate of while or awhile: at least once */
    WADI_LAMBDA_LOOP,   /* body of while, iterate or awhile: any number of times, also none */
    WADI_LAMBDA_STREAM  /* region of a sequence operator: once per element of the stream */
} wadi_lambda_kind;

typedef struct wadi_lambda {
    wadi_lambda_kind kind;
    const char *what; /* the operator whose argument it is */
    bool array;       /* a region of array code; else scalar code */
    int level; /* how many lambdas were open when this one was opened: its bit in wadi_node.depends */
    uint64_t
        regions; /* bit l: the lambda open at level l while this one is being built is a region; its own level counts */
    int nparams, nroots;
    wadi_node_id *params; /* PARAM nodes, each perhaps a record or a tuple */
    wadi_node_id *roots;  /* what the body gives, in order */
    uint64_t
        depends; /* what the whole body depends on, as in wadi_node, without the lambda's own level */
    size_t unplaced; /* while open: the value of wadi_program.unplaced before it was opened */
} wadi_lambda;

typedef struct wadi_node {
    wadi_node_kind kind;
    wadi_stratum stratum;
    int nargs, nlambdas, nattrs;
    wadi_node_id *args;
    uint32_t *lambdas; /* indices into wadi_program.lambdas */
    int64_t *attrs;
    int ntypes; /* how many arrays a tuple or a stream's element has; else 1; stream_out: 0 */
    const wadi_array_type *type; /* [ntypes]; a scalar is its elem alone, rank 0 */
    const wadi_op *op;
    wadi_sop sop;
    int dim, index;
    uint32_t lambda; /* PARAM */
    wadi_scalar imm;
    const char *name; /* input, stream_in, stream_out: the name by which a run binds it */
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
    wadi_error
        stray; /* live.c: the first mistake with one of its handles while another program was current */
    wadi_arena *arena;
    wadi_intern strings; /* names of fields, extents, inputs */
    const char *name;
    WADI_VEC(wadi_node) nodes;
    WADI_VEC(wadi_lambda) lambdas;
    WADI_VEC(uint32_t) open; /* the lambdas being built, outermost first */
    WADI_VEC(wadi_named_node) outputs;
    WADI_VEC(wadi_node_id) effects; /* stream_out nodes, in order */
    const wadi_array_type *scalar_type[WADI_TYPE_COUNT];
    size_t unplaced; /* nodes before this one have their place */
    const char *
        call; /* the derived function that the user has called and that is now making nodes; NULL: none */
    wadi_error error;
};

/** Notes a mistake in the current program, or in the thread if no program is current. The first one is kept; it gets the place of
 *  the user's call that is being made. Always gives 0, the error node. */
wadi_node_id wadi_lang_fail(wadi_status st, const char *fmt, ...) WADI_PRINTF(2, 3);
/** Notes the mistake that a function is NULL. The message names the operator of the innermost open function. */
void wadi_lang_no_function(void);
/** The current program; a mistake if there is none: "<what>: no program is current in this thread". */
wadi_program *wadi_lang_program(const char *what);

/** A derived function begins with wadi_lang_call, so that faults of the operators it makes name the function that the user has
 *  called. If derived functions call each other, the outermost one is named. wadi_acc_called and wadi_seq_called end it: they
 *  get what wadi_lang_call returned, and pass the result on. */
const char *wadi_lang_call(const char *name);
wadi_acc wadi_acc_called(const char *outer, wadi_acc a);
wadi_seq wadi_seq_called(const char *outer, wadi_seq s);

/** The number of the current program, 0: none. */
uint32_t wadi_program_number(void);

/** The program that is current in a thread, and the mistakes made in it while none was: what a reader that builds a program of its own
 *  sets aside meanwhile. */
typedef struct wadi_lang_aside {
    uint32_t program;
    wadi_error adrift;
    uint32_t unplaced_stray;
} wadi_lang_aside;
/** Afterwards no program is current, and no mistake is known. */
wadi_lang_aside wadi_lang_set_aside(void);
/** Puts it back; what has come in its place is forgotten. */
void wadi_lang_put_back(const wadi_lang_aside *a);

/** Called after a user's function, with the number of the program that was current before it. If another one is current now,
 *  that is a mistake, and the earlier program becomes current again. False if that program no longer exists. */
bool wadi_program_back(const char *what, uint32_t number);

/* Handles. A node's number becomes a handle of the current program. A handle of another program is a mistake and gives 0; the
 * message names argument `number` (0: no particular one) of `what` (NULL: not known). */
wadi_exp wadi_exp_of(wadi_node_id n);
wadi_acc wadi_acc_of(wadi_node_id n);
wadi_seq wadi_seq_of(wadi_node_id n);
wadi_eat wadi_eat_of(wadi_node_id n);
wadi_node_id wadi_exp_node(const char *what, int number, wadi_exp e);
wadi_node_id wadi_acc_node(const char *what, int number, wadi_acc a);
wadi_node_id wadi_seq_node(const char *what, int number, wadi_seq s);
/** The node of a handle, or NULL, also after a mistake. Valid until the next node is made. */
const wadi_node *wadi_exp_get(const char *what, int number, wadi_exp e);
const wadi_node *wadi_acc_get(const char *what, int number, wadi_acc a);

/** True for the error node, for a number that no node has, and when no program is current or it has failed. */
bool wadi_node_is_error(wadi_node_id n);
/** The node, or NULL. Valid until the next node is made. */
const wadi_node *wadi_node_get(wadi_node_id n);

/** The element type of a scalar, and the type of a single array. They belong to the program; NULL on an error node. */
const wadi_elem *wadi_exp_elem(wadi_exp e);
const wadi_array_type *wadi_acc_type(wadi_acc a);
/** The type of an argument that must be one array; otherwise a mistake: "<what>: argument <number> is missing". */
const wadi_array_type *wadi_acc_given(const char *what, int number, wadi_acc a);
/** An integer expression as i64, as an index or an extent; fails with "<what>: <role> is <found>, expected an integer". */
wadi_exp wadi_exp_to_i64(const char *what, const char *role, wadi_exp e);
/** "f32", "{re: f32, im: f32}", "f32[n, ?]", "(f32[?], i64)". In the program's arena. */
const char *wadi_elem_text(const wadi_elem *e);
const char *wadi_array_type_text(const wadi_array_type *t);

/* ---- drafts ---- */

/* A tuple has at most as many arrays as an operator has arguments. */
enum { WADI_DRAFT_ARGS = 64, WADI_DRAFT_LAMBDAS = 10, WADI_DRAFT_ATTRS = 32 };

/** A node under construction, on the stack of a builder function. */
typedef struct wadi_draft {
    const char *what; /* the operator's name, first word of every message */
    uint32_t program; /* its number */
    bool failed;
    int nargs, nlambdas, nattrs;
    wadi_node_id args[WADI_DRAFT_ARGS];
    uint32_t lambdas[WADI_DRAFT_LAMBDAS];
    int64_t attrs[WADI_DRAFT_ATTRS];
    const int64_t *more; /* [nmore] attributes behind these, in the program's arena */
    int nmore;
    const char *name;
    const wadi_array *data;
} wadi_draft;

wadi_draft wadi_draft_begin(const char *what);
bool wadi_draft_failed(const wadi_draft *d);
/** Checks a list that the caller gives: fails with "<what>: the <name> are NULL" if it is NULL. */
void wadi_draft_given(wadi_draft *d, const void *list, const char *name);
/** Fails with "<what>: <message>". */
void wadi_draft_fail(wadi_draft *d, wadi_status st, const char *fmt, ...) WADI_PRINTF(3, 4);
/** Fails with "<what>: argument <nargs> is <found>, expected <fmt>", for the argument appended last, of type `t`. */
void wadi_draft_expected(wadi_draft *d, const wadi_array_type *t, wadi_status st, const char *fmt,
                         ...) WADI_PRINTF(4, 5);

/* Arguments. Each function appends one argument and gives its type. */
const wadi_array_type *wadi_draft_array(wadi_draft *d, wadi_acc a); /* one array */
const wadi_array_type *wadi_draft_tuple(wadi_draft *d, wadi_acc a,
                                        int *out_n); /* one array or a tuple */
const wadi_array_type *wadi_draft_seq_arg(wadi_draft *d, wadi_seq s, int *out_n);
const wadi_elem *wadi_draft_scalar(wadi_draft *d, wadi_exp e); /* as rank-0 array */
void wadi_draft_int(wadi_draft *d, wadi_exp e);                /* integer, as rank-0 i64 array */
void wadi_draft_shape(wadi_draft *d, wadi_ix ix);              /* wadi_draft_int of each */
void wadi_draft_attr(wadi_draft *d, int64_t v);
void wadi_draft_attr_list(wadi_draft *d, int n, const int64_t *v); /* behind the others; copied */
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

/* Functions: open one, make its parameters, call the user's function, then close it with what that returned. */
void wadi_draft_fun(wadi_draft *d); /* opens a scalar function */
void wadi_draft_region(wadi_draft *d,
                       wadi_lambda_kind kind); /* opens array code: PRED, LOOP or STREAM */
wadi_exp wadi_draft_param(wadi_draft *d, const wadi_elem *e); /* scalar or record */
wadi_exp wadi_draft_param_of(wadi_draft *d, wadi_type t);     /* plain scalar */
wadi_ix wadi_draft_param_ix(wadi_draft *d, int rank);         /* `rank` i64 scalars */
/** Before the function is closed: parameter i becomes the one that was number order[i]. */
void wadi_draft_order_params(wadi_draft *d, int n, const int *order);
wadi_acc wadi_draft_param_acc(wadi_draft *d, int n,
                              const wadi_array_type *t); /* array or tuple; only in regions */
/** A rank-0 parameter of a region, read as a scalar (produce's stream index). */
wadi_exp wadi_draft_param_the(wadi_draft *d, wadi_type t);
/* Each of these closes the function. A scalar function gives one scalar or record, or an index (with_keep: the keep flag comes
 * first). */
const wadi_elem *wadi_draft_gives(wadi_draft *d, wadi_exp e);
void wadi_draft_gives_elem(wadi_draft *d, wadi_exp e,
                           const wadi_elem *expected); /* and checks its type */
void wadi_draft_gives_ix(wadi_draft *d, wadi_ix ix, int rank, bool with_keep);
/* A region gives arrays. */
const wadi_array_type *wadi_draft_gives_acc(wadi_draft *d, wadi_acc a, int *out_n);
void wadi_draft_gives_types(wadi_draft *d, wadi_acc a, int n,
                            const wadi_array_type *expected); /* ranks, elements */
/** A region without parameters that gives `a`: a side of acond. What only this side needs is computed only if it is taken. */
const wadi_array_type *wadi_draft_branch(wadi_draft *d, wadi_acc a, int *out_n);

/* Types, in the program's arena. */
wadi_array_type *wadi_draft_types(wadi_draft *d, int n); /* all zero */
/** The type a user declares; extents as in wadi_input. `out` is filled. */
void wadi_draft_declare(wadi_draft *d, wadi_elem_type elem, int rank, const char *const *extents,
                        wadi_array_type *out);

/* The end of a draft: makes the node. An operator without arguments, functions and regions (input, use, stream_in) is
 * bound in the main block. Only the node knows the types of its results, so recovery appends them before it runs the
 * operator's `type`. */
wadi_acc wadi_draft_acc(wadi_draft *d, const wadi_op *op, int rank, const wadi_elem *e);
wadi_acc wadi_draft_acc_types(wadi_draft *d, const wadi_op *op, int n,
                              const wadi_array_type *t); /* borrows t */
wadi_seq wadi_draft_seq(wadi_draft *d, const wadi_op *op, int n, const wadi_array_type *t);
/** The same, but only ranks and elements are taken from `t`: no extents are declared. */
wadi_seq wadi_draft_seq_like(wadi_draft *d, const wadi_op *op, int n, const wadi_array_type *t);
wadi_eat wadi_draft_eat(wadi_draft *d, const wadi_op *op, int n, const wadi_array_type *t);
/** A node without results that the program keeps: stream_out. */
void wadi_draft_effect(wadi_draft *d, const wadi_op *op);

/* For functions without environment: `env` points at the function pointer, and these call it. */
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

/** Makes core IR of the program and recovers its sharing (recover.c). `ops` must hold the operator of scalars (wadi_op_scalar). The
 *  caller destroys the module. The module refers to nothing of the program; its loc.file pointers are the ones that the caller
 *  of wadi_here gave. */
WADI_NODISCARD wadi_status wadi_program_lower(const wadi_program *p, const wadi_op_table *ops,
                                              wadi_module **out, wadi_error *err);

#endif
