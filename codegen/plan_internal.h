/* Shared by codegen/plan.c and codegen/plan_stream.c alone. */
#ifndef WADI_CODEGEN_PLAN_INTERNAL_H
#define WADI_CODEGEN_PLAN_INTERNAL_H

#include "codegen/kernel/lower.h"
#include "codegen/plan.h"

/* The body and the sources of the stream being planned. */
typedef struct wadi_planning_sources {
    WADI_VEC(const wadi_bind *) binds;
    WADI_VEC(wadi_plan_source) sources;
    int index_slot;
} wadi_planning_sources;

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
    wadi_planning_sources stream;
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
/** Plans the stream that the consumer `b` eats (plan_stream.c). */
wadi_status wadi_planning_stream(wadi_planning *p, const wadi_bind *b);

#endif
