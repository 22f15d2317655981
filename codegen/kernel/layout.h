/* The input of lowering: where the values of a plan are stored (wadi_layout), and a body. A wadi_lower (lower.h) writes code for them. */
#ifndef WADI_CODEGEN_KERNEL_LAYOUT_H
#define WADI_CODEGEN_KERNEL_LAYOUT_H

#include "base/vec.h"
#include "codegen/loop/loop.h"
#include "graph/analysis/shape.h"
#include "graph/op.h"
#include "sched/plan.h"

/** What all kernels of a plan share. Owned by codegen/plan/plan.c. */
typedef struct wadi_layout {
    const wadi_module *m;
    const struct wadi_skeleton_row *const *skeletons; /* by wadi_skeleton (skeleton.h) */
    wadi_shapes *shapes;
    wadi_arena *arena; /* for loop IR and tables; freed when the plan is made */
    wadi_arena *keep;  /* the plan's own arena */
    wadi_error *err;
    bool unchecked; /* no bounds checks */
    bool pure;      /* the language's own computations instead of library routines */
    bool tiled;     /* folds over all pairs are computed by tiles (kernel/pairs.h) */
    bool grouped;   /* units are work of groups, elements and accumulators that of their lanes */
    int counted;    /* slot of stream indices that kernels compute themselves; -1: none */
    int *slot_of;   /* [value] slot, or -1 */
    bool *forced;   /* [value] stored although it is marked as delayed */
    bool *apart;    /* [value] comes from another body, so its extents are read from its slot */
    wadi_val *alias_of;    /* [value] a parameter's argument, or WADI_NONE */
    wadi_val *takes;       /* [value] the value into whose memory it is written, or WADI_NONE */
    wadi_val **components; /* [sequence value] its components as array values, or NULL */
    WADI_VEC(wadi_plan_slot) slots;
    WADI_VEC(wadi_plan_level) levels; /* 1, 2, ... */
    WADI_VEC(wadi_plan_place) places;
    bool failed; /* out of memory */
} wadi_layout;

/** The row of the table of places; equal places share one row. */
int wadi_layout_place(wadi_layout *y, const char *op, const char *what, wadi_loc loc);
/** The ONCE slot of constant `v`; the first call makes it. */
int wadi_layout_constant(wadi_layout *y, wadi_val v);
/** What `v` stands for, if it is a parameter: the argument that no other argument stands behind. */
static inline wadi_val wadi_layout_resolved(const wadi_layout *y, wadi_val v) {
    while (y->alias_of[v] != WADI_NONE) v = y->alias_of[v];
    return v;
}

/** A body as lowering sees it: bindings in order, over one element. */
typedef struct wadi_body {
    const char *name;
    int nbinds;
    const wadi_bind **binds;
    int nresults;
    const wadi_val *results; /* values stored for others; each has a slot */
    const bool *
        unread; /* [nresults] or NULL: whether nobody but the body itself reads the elements of a result */
    bool stream;
    int level;        /* the level whose elements it runs for */
    const int *parts; /* [value] slot of a fold's block results, or -1; NULL: there are none */
    const int *inner; /* [sequence value] slot with its elements, scalars, or -1; NULL: none */
    int ncopies;      /* values written to further slots at the end of an element, by `emit` */
    const struct wadi_copy {
        wadi_val v;
        int slot;
    } * copies;
    bool in_order; /* all elements are run in order, by one worker */
    int ncarried;  /* rank-0 values that go from element to element */
    const struct wadi_carried {
        wadi_val param, next; /* before and after an element */
        int slot;             /* ONCE: where it comes from, and is put behind the last element */
        int after;            /* REGULAR: gets it after each element; -1: nothing does */
    } * carried;
    bool keyed; /* the slots of the carried values are tables with a state for each key, and */
    int number; /* this slot, REGULAR, has the number of an element's state in them */
} wadi_body;

/** Whether the binding makes arrays of a sequence. */
static inline bool wadi_is_consumer(const wadi_module *m, const wadi_bind *bind) {
    return bind->op->kind == WADI_OP_SEQUENCE && bind->nresults > 0 &&
           !m->values[bind->results[0]].type.is_seq;
}

/** Whether the value is stored by a kernel of its own. */
bool wadi_is_stored(const wadi_layout *y, wadi_val v);

#endif
