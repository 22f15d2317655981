/* A plan under construction: the parts that are finished, and functions that add slots and bodies. Internal to codegen/plan. */
#ifndef WADI_CODEGEN_PLAN_PLANNING_H
#define WADI_CODEGEN_PLAN_PLANNING_H

#include "codegen/diag.h"
#include "codegen/kernel/layout.h"
#include "codegen/plan/plan.h"

/* One array of a stage's results. Either the value, or WADI_NONE for a part that passes through, whose slot is given. */
typedef struct wadi_planned_result {
    wadi_val v;
    int slot;
} wadi_planned_result;

/* One component of a stage's input. */
typedef struct wadi_planned_part {
    int slot;
    int input, from; /* component `from` of the results of input number `input` */
} wadi_planned_part;

/* A stage while its stream is being planned: its change, the bindings of its body, and the results that others need. */
typedef struct wadi_planned_stage {
    wadi_plan_stage plan; /* without its lists */
    int index_slot;       /* READ: slot of the index; -1 if no source counts elements */
    WADI_VEC(wadi_plan_source) sources;
    WADI_VEC(int) inputs;
    WADI_VEC(wadi_planned_part) parts;
    WADI_VEC(wadi_val) params; /* values that are parts, or the index */
    WADI_VEC(const wadi_bind *) binds;
    WADI_VEC(wadi_planned_result) results;
} wadi_planned_stage;

/* The stream being planned. */
typedef struct wadi_planned_stream {
    WADI_VEC(wadi_planned_stage) stages;
    WADI_VEC(wadi_plan_end) ends;
    int *stage_of;   /* [sequence value] the stage that gives its elements; -1: not planned yet */
    int **part_of;   /* [sequence value] for each component that is a part, its slot */
    int *readers;    /* [sequence value] number of bindings of the stream that read it */
    wadi_val *first; /* [sequence value] of stream_in: the first of the same name; else itself */
} wadi_planned_stream;

typedef struct wadi_planning {
    const wadi_module *m;
    wadi_layout y;
    wadi_plan *plan;
    wadi_versions *versions;
    wadi_diag *diag; /* takes notes of decisions; NULL: none are wanted */
    bool *known;     /* [value] whether it is in a slot before the next body runs */
    uint8_t *
        late; /* [value] whether it exists only after the body of the stream: 0 not known yet, 1 no, 2 yes */
    WADI_VEC(wadi_plan_input) inputs;
    WADI_VEC(wadi_plan_output) outputs;
    WADI_VEC(wadi_plan_body) bodies;
    WADI_VEC(wadi_plan_phase) phases;
    WADI_VEC(const wadi_bind *) pending; /* array bindings of the main block since the last phase */
    wadi_planned_stream stream;
} wadi_planning;

wadi_status wadi_planning_no_memory(const wadi_planning *p);

/* ---- slots and values (planning.c) ---- */

/** Adds a slot for an array of that type. Returns 0 if out of memory (noted). */
int wadi_planning_typed_slot(wadi_planning *p, const char *name, wadi_slot_kind kind,
                             const wadi_array_type *t);
/** The slot of a constant or of a value of the main block; the first call makes it. */
int wadi_planning_once(wadi_planning *p, wadi_val v);
/** Whether v is the same for all elements and stored before the stream. */
bool wadi_planning_is_once(const wadi_planning *p, wadi_val v);
/** The value that v is an alias of; v itself if it is no alias. */
wadi_val wadi_planning_resolved(const wadi_planning *p, wadi_val v);
/** The kind of slot for value v of a stage's body (kind.c). */
wadi_slot_kind wadi_planning_kind(wadi_planning *p, wadi_val v);
/** The declared extents of t: out[WADI_MAX_RANK]. */
void wadi_planning_extents(wadi_planning *p, const wadi_array_type *t, wadi_plan_extent *out);

/** Room in the plan for n numbers; NULL: out of memory. */
int *wadi_planning_list(wadi_planning *p, int n);

/* ---- bodies (body.c) ---- */

/** Whether a binding of the block, or of a block inside it, may call a routine of a library. */
bool wadi_planning_calls(const wadi_block *r);
/** Adds a body and what its versions are made from. `results` must be in the arena of the plan. */
wadi_status wadi_planning_body(wadi_planning *p, const wadi_body *body, int index_slot,
                               int nresults, const int *results, bool inside_only, int *out_number);
/** Notes in the body which arrays of the whole run each element goes through (reads.c). */
wadi_status wadi_planning_reads(wadi_planning *p, const wadi_body *body, wadi_plan_body *out);

#endif
