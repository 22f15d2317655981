/* Shared by the files codegen/plan*.c alone. */
#ifndef WADI_CODEGEN_PLAN_INTERNAL_H
#define WADI_CODEGEN_PLAN_INTERNAL_H

#include "codegen/kernel/lower.h"
#include "codegen/plan.h"

/* One array of a stage's results: the value, or WADI_NONE for a part that passes through, and then its slot. */
typedef struct wadi_draft_result {
    wadi_val v;
    int slot;
} wadi_draft_result;

/* One component of a stage's input. */
typedef struct wadi_draft_part {
    int slot;
    int input, from; /* component `from` of the results of input number `input` */
} wadi_draft_part;

/* A stage while its stream is being planned: what changes, what its body binds, what others want of it. */
typedef struct wadi_draft_stage {
    wadi_plan_stage plan; /* but for the lists */
    int index_slot;       /* READ: -1 when nothing counts */
    WADI_VEC(wadi_plan_source) sources;
    WADI_VEC(int) inputs;
    WADI_VEC(wadi_draft_part) parts;
    WADI_VEC(wadi_val) params; /* values that are parts, or the index */
    WADI_VEC(const wadi_bind *) binds;
    WADI_VEC(wadi_draft_result) results;
} wadi_draft_stage;

/* The stream being planned. */
typedef struct wadi_draft_stream {
    WADI_VEC(wadi_draft_stage) stages;
    WADI_VEC(wadi_plan_end) ends;
    int *stage_of;   /* [sequence value] the stage its elements come out of, -1: not planned yet */
    int **part_of;   /* [sequence value] per component, its slot where it is a part */
    int *readers;    /* [sequence value] bindings of the stream that read it */
    wadi_val *first; /* [sequence value] of stream_in: the first of the same name; else itself */
} wadi_draft_stream;

typedef struct wadi_planning {
    const wadi_module *m;
    wadi_layout y;
    wadi_plan *plan;
    wadi_versions *versions;
    bool *known; /* [value] in a slot before the body that is planned next */
    uint8_t *
        late; /* [value] whether it exists only when the stream's body has run: 0 not known yet, 1 no, 2 yes */
    WADI_VEC(wadi_plan_input) inputs;
    WADI_VEC(wadi_plan_output) outputs;
    WADI_VEC(wadi_plan_body) bodies;
    WADI_VEC(wadi_plan_phase) phases;
    WADI_VEC(const wadi_bind *) pending; /* array bindings of the main block since the last phase */
    wadi_draft_stream stream;
} wadi_planning;

wadi_status wadi_planning_no_memory(const wadi_planning *p);
/** A new slot; 0 when out of memory (noted). */
int wadi_planning_slot(wadi_planning *p, wadi_plan_slot slot);
int wadi_planning_typed_slot(wadi_planning *p, const char *name, wadi_slot_kind kind,
                             const wadi_array_type *t);
/** The slot of a value of the main block or of a constant; made when first asked for. */
int wadi_planning_once(wadi_planning *p, wadi_val v);
void wadi_planning_extents(wadi_planning *p, const wadi_array_type *t, wadi_plan_extent *out);
/** Adds a body, and what its versions are made from. `results` is in the plan's arena. */
wadi_status wadi_planning_body(wadi_planning *p, const wadi_body *body, int index_slot,
                               int nresults, const int *results, bool inside_only, int *out_number);
/** Array bindings that are pending become a phase. */
wadi_status wadi_planning_arrays(wadi_planning *p);
wadi_status wadi_planning_input(wadi_planning *p, const wadi_bind *b);
wadi_status wadi_planning_use(wadi_planning *p, const wadi_bind *b);
/** All bindings of the main block, each after what it needs; consumers of one stream together (plan_order.c). */
wadi_status wadi_planning_main(wadi_planning *p);
/** The kind of slot for value v of a stage's body (plan_late.c). */
wadi_slot_kind wadi_planning_kind(wadi_planning *p, wadi_val v);

/* ---- streams ---- */

/** A phase for the stream that the n consumers eat (plan_stream.c). */
wadi_status wadi_planning_stream(wadi_planning *p, int n, const wadi_bind *const *consumers);
/** Gives sequence `seq` a stage; into: the stage whose sources it joins, or -1 (plan_stage.c). */
wadi_status wadi_draft_visit(wadi_planning *p, wadi_val seq, int into);
/** Gives the parameters of b's region from number `first` on the components of sequence argument `arg`. */
void wadi_draft_params(wadi_planning *p, const wadi_bind *b, int arg, int first);
/** The number among its stage's results of component c of `seq`; of value v of a stage's body. */
int wadi_draft_want(wadi_planning *p, wadi_val seq, int c);
int wadi_draft_want_value(wadi_planning *p, int stage, wadi_val v);
/** Whether v is the same for all elements and stored before the stream. */
bool wadi_draft_is_once(const wadi_planning *p, wadi_val v);
/** A value under its own name. */
wadi_val wadi_draft_resolved(const wadi_planning *p, wadi_val v);
/** A parameter becomes the value that is in `slot` (plan_stage.c). */
void wadi_draft_at(wadi_planning *p, wadi_val param, int slot);
/** The body of fold_seq or scan_seq `b`, whose state begins with argument 1 (plan_end.c). */
wadi_status wadi_draft_fold(wadi_planning *p, const wadi_bind *b, wadi_plan_fold *out);
/** Which states of a fold, whose parameters come first in region r and are in `slot`, may change in place: out[i]. Their next
 *  values get the same slots (plan_place.c). */
void wadi_planning_in_place(wadi_planning *p, wadi_block *r, int nstate, const int *slot,
                            bool *out);
/** Whether one binding reads v, and nothing else does but for its extents. */
bool wadi_planning_is_last_read(const wadi_planning *p, wadi_val v);
/** The end that consumer `b` is (plan_end.c). */
wadi_status wadi_draft_end(wadi_planning *p, const wadi_bind *b);

#endif
