/* The loop IR: target-neutral structured code of kernels.
 *
 * A kernel is a tree of scopes (the function, loops, branches); a scope is a list of instructions, each of which is also
 * the value it defines. Code is written through an append-only builder that
 *   - folds constants and simplifies index arithmetic,
 *   - finds equal pure values again (value numbering), and
 *   - places a pure value in the outermost scope in which its operands live, so that extents, column pointers, index
 *     arithmetic and divisions leave the inner loops. Only cheap values leave a branch that may not be taken.
 * Only WADI_L_FAULT can fault: a division by zero gives zero, and a check is a branch with a fault in it.
 * A column is not written while loads read it (`fresh` loads are the exception), so equal loads are found again too.
 *
 * When memory runs out, the builder notes it, and all further calls do nothing harmful.
 */
#ifndef WADI_CODEGEN_LOOP_LOOP_H
#define WADI_CODEGEN_LOOP_LOOP_H

#include "base/arena.h"
#include "base/map.h"
#include "graph/ir/ir.h"
#include "sched/plan.h"

typedef uint32_t wadi_lv; /* a value: number of the instruction that defines it */
#define WADI_LV_NONE UINT32_MAX

typedef enum wadi_lkind {
    /* pure values */
    WADI_L_CONST,  /* imm */
    WADI_L_PRIM,   /* op on args; CONVERT and BITCAST too */
    WADI_L_SELECT, /* args 0 ? 1 : 2 */
    WADI_L_ARG, /* argument `index`: 0 begin, 1 end, 2 stream index of the chunk's first, 3 workers, 4 elements */
    WADI_L_SHAPE,   /* extent `index` of slot, of element arg 0 if it is given */
    WADI_L_STRIDE,  /* of slot */
    WADI_L_OFFSET,  /* of slot at element arg 0 */
    WADI_L_UNIT,    /* first unit of element arg 0 */
    WADI_L_COLUMN,  /* pointer: column `index` of slot */
    WADI_L_ADVANCE, /* pointer arg 0, arg 1 elements further */
    WADI_L_RANGE,   /* arg 0; it is known that arg 1 <= arg 0 <= arg 2 (NONE: not known) */
    WADI_L_LOAD,    /* pointer arg 0 at arg 1 */
    /* values that stay where they are made */
    WADI_L_FRESH,   /* a load that may follow a store to the same place */
    WADI_L_LOOPVAR, /* of a FOR */
    WADI_L_GET,     /* variable arg 0 */
    WADI_L_LANE,    /* lane array arg 0 at arg 1 */
    WADI_L_SCRATCH, /* pointer: scratch for an array of extents args; a fault at place `index` when there is none left */
    WADI_L_MARK,    /* of the scratch memory */
    WADI_L_EMITTED, /* pointer: column `index` of the EMIT before */
    /* actions */
    WADI_L_VAR,   /* declares a variable; starts as arg 0 if it is given. A pointer if `pointer` */
    WADI_L_SET,   /* variable arg 0 = arg 1 */
    WADI_L_LANES, /* declares an array of `index` elements */
    WADI_L_PUT,   /* lane array arg 0 at arg 1 = arg 2 */
    WADI_L_STORE, /* pointer arg 0 at arg 1 = arg 2; as one step with the load of the old value if `atomic` */
    WADI_L_COPY,     /* arg 2 elements from pointer arg 1 to pointer arg 0 */
    WADI_L_SETSHAPE, /* extent `index` of slot (of element arg 1 if given) = arg 0 */
    WADI_L_SETUNIT,  /* units of element arg 1 = arg 0 */
    WADI_L_EMIT, /* storage of element arg 0 of slot, shape args 1.. ; a fault at place `index` when there is none. If `near`, the
                    last arg is scratch with what belongs there */
    WADI_L_FOREIGN, /* value: whether library routine `text` did it. arg 0: how many problems. Then for each of its arrays: pointer,
                       extents (imm of them). It reads the first `index` arrays */
    WADI_L_REWIND,  /* scratch memory to mark arg 0 */
    WADI_L_FAULT, /* ends the kernel. imm: kind; index: place; args: element, linear index, WADI_FAULT_VALUES values, index in the array */
    WADI_L_SEGMENT, /* value: the element that unit arg 0 belongs to */
    WADI_L_NOTE,    /* text in the emitted code */
    /* structure */
    WADI_L_FOR, /* loop variable from arg 0 below arg 1 by arg 2 (constant), its rounds run as `by` says; block 0 */
    WADI_L_IF,     /* arg 0; block 0, block 1 or NULL */
    WADI_L_REPEAT, /* block 0 until a LEAVE */
    WADI_L_LEAVE   /* leaves the innermost REPEAT unless arg 0 */
} wadi_lkind;

/* Who runs the rounds of a loop.
 *
 * A group is a set of lanes that go through a kernel together and can wait for each other. A machine without groups runs all rounds one after
 * the other, which gives the same; one that has them runs:
 *   - rounds by groups: each round by one group, in any order. Such a loop stands in no other loop, and a round changes no variable or lane
 *     array from outside;
 *   - rounds by lanes: round i by lane i of the group. In front of the loop and behind it the lanes wait for each other (a barrier; one
 *     between two loops). Lane arrays from outside that a round changes are memory of the group: each round changes elements of its own, and
 *     reads no element that another round changes. A round changes no variable from outside, and has no such loop in it. What it stores
 *     through pointers lies apart from what other rounds store and load, but for atomic stores: an element that each loads, combines with
 *     a value by one operation, and stores;
 *   - what stands between these two loops all lanes of the group do alike, so every loop by lanes is reached by all or none. What it stores,
 *     one of them stores, and it does not load that again. Lane arrays that only it changes, each lane may have for itself.
 * loop/groups.c checks that. */
typedef enum wadi_lby {
    WADI_BY_ONE, /* one after the other */
    WADI_BY_GROUPS,
    WADI_BY_LANES
} wadi_lby;

/* Rounds that a loop by lanes has at most. */
enum { WADI_GROUP_LANES = 64 };

struct wadi_lscope;

typedef struct wadi_linst {
    wadi_lkind kind;
    wadi_sop op;
    wadi_type type; /* of the value; of what a pointer points to */
    bool pointer;
    bool has_value;
    bool nonneg;  /* an i64 known to be >= 0 */
    uint8_t bits; /* an i64 whose magnitude is below 2^bits; 64: nothing is known */
    bool
        truncates; /* DIV, MOD of i64: the dividend was known to be >= 0 when this was made. What is known of it later holds behind a check alone */
    bool
        exact; /* ADD, SUB, MUL, NEG of i64: known not to wrap around when this was made. `bits` may later tell of the value behind a check alone */
    bool independent; /* FOR: no iteration reads what another one writes */
    bool unrolled;    /* FOR: written out, by the C compiler */
    bool
        brief; /* REPEAT: a few dozen rounds at most; FOR: usually so few that SIMD code does not pay */
    bool
        in_step; /* FOR: rounds of lanes in step: all that a round changes is selected by one bool */
    bool
        placing; /* FOR from 0 on by 1: round t stores elements t of lane arrays at the place that a variable says, and adds to it whether they are kept. What
                    lies behind those that are kept means nothing, for as many places as there are rounds. If it is `brief` too, lane arrays have 64 bytes, and there is room for so
                    many: such a loop places elements of them, or loads elements of memory into one, whose others mean nothing then. IF: block 0
                    places several elements at a time, which is of use where a processor can do that */
    bool seldom; /* IF: block 0 is rarely taken */
    bool
        bulky; /* IF: block 0 is so much code that the loop around it is worth a form without it, for rounds that do not take it */
    bool careful; /* IF: block 1 is a version of block 0 for rounds that may fault */
    bool
        apart; /* GET of a pointer: its memory is reached only through it as long as the scope is open */
    bool atomic; /* STORE */
    bool near;   /* SCRATCH, EMIT: of a short vector, see wadi_lb_near */
    wadi_lby by; /* FOR */
    int slot, index, nargs;
    wadi_lv *args;
    wadi_scalar imm;
    const char *text;          /* NOTE; values: a hint for their name */
    struct wadi_lscope *scope; /* where it stands */
    struct wadi_lscope *block[2];
    wadi_lv self, var; /* var: the LOOPVAR of a FOR */
} wadi_linst;

typedef enum wadi_lscope_kind {
    WADI_SCOPE_FUNCTION,
    WADI_SCOPE_LOOP,
    WADI_SCOPE_BRANCH
} wadi_lscope_kind;

typedef struct wadi_lscope {
    wadi_lscope_kind kind;
    struct wadi_lscope *parent;
    struct wadi_lscope *merged; /* its instructions were moved into this one */
    wadi_linst *owner;          /* the instruction whose block it is, once known */
    int depth, n, cap;
    bool open;
    wadi_linst **inst;
} wadi_lscope;

typedef struct wadi_lfun {
    const char *name; /* symbol */
    wadi_lscope *body;
    wadi_linst **inst;
    uint32_t n, cap;
} wadi_lfun;

/** The kernels of one version of one body. */
typedef struct wadi_lmodule {
    const char *name;
    int nfuns, cap;
    wadi_lfun **funs;
    const wadi_plan_slot *slots; /* of the plan, for names */
} wadi_lmodule;

/** `name` as an identifier of C: other characters are replaced. */
char *wadi_identifier(wadi_arena *a, const char *name);

/* ---- the builder ---- */

struct wadi_linterior;

typedef struct wadi_lb {
    wadi_arena *arena;
    wadi_lfun *fun;
    wadi_lscope *scope; /* where instructions go now */
    wadi_map64 numbers; /* hash of a pure instruction -> newest instruction with it */
    uint32_t *same;     /* [instruction] the next older one with the same hash + 1, or 0 */
    uint32_t same_cap;
    int place; /* the operation that the code belongs to, for faults: a row of the plan's table of places; -1: none */
    /* the interior of a loop whose code is being written, and what decides primitives in it (interior.h); NULL: none */
    struct wadi_linterior *interior;
    wadi_lv (*decide)(struct wadi_lb *, wadi_sop op, const wadi_lv *args);
    wadi_linst spare; /* used instead of a new instruction when there is no memory */
    bool failed;
} wadi_lb;

/** Starts a kernel. */
void wadi_lb_init(wadi_lb *b, wadi_arena *arena, const char *name);
void wadi_lb_fini(wadi_lb *b);

/* The scope that a merged one has become part of, or itself; NULL for NULL. */
static inline const wadi_lscope *wadi_l_merged(const wadi_lscope *s) {
    while (s != NULL && s->merged != NULL) s = s->merged;
    return s;
}

/* Whether the instruction is the begin or the end of the work that the kernel is called for. */
static inline bool wadi_l_is_bound(const wadi_linst *i) {
    return i->kind == WADI_L_ARG && i->index < 2;
}

/* The instruction that the pointer begins with: a column, scratch memory, or any other. */
static inline const wadi_linst *wadi_l_root(const wadi_lfun *f, wadi_lv pointer) {
    const wadi_linst *i = f->inst[pointer];
    while (i->kind == WADI_L_ADVANCE || (i->kind == WADI_L_RANGE && i->pointer))
        i = f->inst[i->args[0]];
    return i;
}

static inline wadi_linst *wadi_lb_inst(wadi_lb *b, wadi_lv v) {
    return v < b->fun->n ? b->fun->inst[v] : &b->spare;
}
static inline wadi_type wadi_lb_type(wadi_lb *b, wadi_lv v) {
    return wadi_lb_inst(b, v)->type;
}
/** Whether `v` is a constant; then *out are its bits. */
bool wadi_lb_is_const(wadi_lb *b, wadi_lv v, int64_t *out);
/** The scope in which `v` stands. */
wadi_lscope *wadi_lb_home(wadi_lb *b, wadi_lv v);
/** The scope that now holds what was written in `s`, if it is open and around the current scope; else NULL. */
wadi_lscope *wadi_lb_visible(wadi_lb *b, wadi_lscope *s);
/** Names a value that has no name yet. Returns it. */
wadi_lv wadi_lb_name(wadi_lb *b, wadi_lv v, const char *name);

/* pure values */
wadi_lv wadi_lb_const(wadi_lb *b, wadi_scalar imm);
wadi_lv wadi_lb_i64(wadi_lb *b, int64_t v);
wadi_lv wadi_lb_bool(wadi_lb *b, bool v);
wadi_lv wadi_lb_prim(wadi_lb *b, wadi_sop op, wadi_type result, int n, const wadi_lv *args);
wadi_lv wadi_lb_bin(wadi_lb *b, wadi_sop op, wadi_lv x,
                    wadi_lv y); /* result of the type of x, or bool */
wadi_lv wadi_lb_select(wadi_lb *b, wadi_type t, wadi_lv c, wadi_lv x, wadi_lv y);
wadi_lv wadi_lb_leaf(wadi_lb *b, wadi_lkind kind, int slot, int index,
                     wadi_lv arg); /* ARG..UNIT: an i64 */
wadi_lv wadi_lb_column(wadi_lb *b, int slot, int field, wadi_type t);
wadi_lv wadi_lb_advance(wadi_lb *b, wadi_lv pointer, wadi_lv by);
/** `v` with the knowledge that least <= v <= most (NONE: not known) in the current scope and those inside. Values computed from it
 *  stay in that scope: a branch may be what makes this true, and outside of it a read could be out of range. */
wadi_lv wadi_lb_range(wadi_lb *b, wadi_lv v, wadi_lv least, wadi_lv most);
/** The same, but each call makes a new value, also of a constant. */
wadi_lv wadi_lb_fact(wadi_lb *b, wadi_lv v, wadi_lv least, wadi_lv most);
/** Loads an element. The element exists whenever scope `limit` is reached, so the load may move out to that scope. NULL: it stays
 *  here. */
wadi_lv wadi_lb_load(wadi_lb *b, wadi_lv pointer, wadi_lv at, const wadi_lscope *limit);
wadi_lv wadi_lb_fresh(wadi_lb *b, wadi_lv pointer, wadi_lv at);

/* variables and lanes */
wadi_lv wadi_lb_var(wadi_lb *b, wadi_type t, bool pointer, wadi_lv init, const char *name);
wadi_lv wadi_lb_get(wadi_lb *b, wadi_lv var);
void wadi_lb_set(wadi_lb *b, wadi_lv var, wadi_lv v);
wadi_lv wadi_lb_lanes(wadi_lb *b, wadi_type t, int n, const char *name);
wadi_lv wadi_lb_lane(wadi_lb *b, wadi_lv lanes, wadi_lv at);
void wadi_lb_put(wadi_lb *b, wadi_lv lanes, wadi_lv at, wadi_lv v);

/* actions */
/** Any action with its arguments. */
wadi_linst *wadi_lb_act(wadi_lb *b, wadi_lkind kind, int n, const wadi_lv *args);
void wadi_lb_store(wadi_lb *b, wadi_lv pointer, wadi_lv at, wadi_lv v);
/** The same as one step with `old`, the fresh load of that place which v is an operation on. */
void wadi_lb_update(wadi_lb *b, wadi_lv pointer, wadi_lv at, wadi_lv old, wadi_lv v);
/** Scratch for an array of these extents. */
wadi_lv wadi_lb_scratch(wadi_lb *b, wadi_type t, int rank, const wadi_lv *extent, const char *name);
/** Scratch for a vector of `n` values, at most WADI_NEAR_BYTES: where the next short vector that is emitted will lie, if that is possible. It lasts until
 *  the next EMIT or scratch of this kind. */
wadi_lv wadi_lb_near(wadi_lb *b, wadi_type t, wadi_lv n, const char *name);
void wadi_lb_note(wadi_lb *b, const char *format, ...) WADI_PRINTF(2, 3);

/* structure: each opens a scope, `end` closes it */
wadi_lv wadi_lb_for(wadi_lb *b, wadi_lv from, wadi_lv below, int64_t step, const char *name);
void wadi_lb_if(wadi_lb *b, wadi_lv c);
void wadi_lb_if_seldom(wadi_lb *b, wadi_lv c);
void wadi_lb_if_bulky(wadi_lb *b, wadi_lv c);
void wadi_lb_else(wadi_lb *b);
void wadi_lb_repeat(wadi_lb *b);
void wadi_lb_repeat_briefly(wadi_lb *b);
void wadi_lb_leave_unless(wadi_lb *b, wadi_lv c);
void wadi_lb_end(wadi_lb *b);

/* A scope that is written first and attached later, or dropped. The two versions of a loop are made so. */
wadi_lscope *wadi_lb_aside(wadi_lb *b); /* opens a branch below the current scope */
void wadi_lb_aside_end(wadi_lb *b, wadi_lscope *s);
void wadi_lb_merge(wadi_lb *b, wadi_lscope *s); /* its instructions go to the current scope */
void wadi_lb_choose(wadi_lb *b, wadi_lv c, wadi_lscope *yes, wadi_lscope *no);
/** From now on instructions go to `s`, which is open and around the current scope. Returns the current scope, to come back to. */
wadi_lscope *wadi_lb_go(wadi_lb *b, wadi_lscope *s);

/** An existing value that a pure primitive is known to equal (simplify.c), or NONE. May replace the operation and its two
 *  arguments by better ones. */
wadi_lv wadi_lb_simplify(wadi_lb *b, wadi_sop *op, wadi_type result, int *n, wadi_lv *args);
/** Notes what is known of the sign and magnitude of the i64 that primitive `i` gives. Extents and loop variables stay
 *  below 2^WADI_EXTENT_BITS. */
void wadi_lb_estimate(wadi_lb *b, wadi_linst *i);

struct wadi_text;
/** Checks the rules of loops by groups and by lanes. NULL: they are kept; else a static text that says which one is broken
 *  (groups.c). `a`: an arena for notes. */
const char *wadi_lfun_check_groups(const wadi_lfun *f, wadi_arena *a);
/** The bytes of the lane arrays that the lanes of a group share. -1: out of memory. */
int64_t wadi_lfun_group_bytes(const wadi_lfun *f, wadi_arena *a);
/* So many a kernel may have: each device of OpenCL 1.2 has 32 KiB for a group, NVIDIA's have 48. The rest is for what kernels note there of
 * faults, and for drivers. */
enum { WADI_GROUP_BYTES = 32 * 1024 - 512 };

/** Prints kernels for people (print.c). */
void wadi_lmodule_print(const wadi_lmodule *m, struct wadi_text *out);

#endif
