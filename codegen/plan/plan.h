/* From a module to a plan: its phases, slots and bodies, and what their kernels are made from. */
#ifndef WADI_CODEGEN_PLAN_PLAN_H
#define WADI_CODEGEN_PLAN_PLAN_H

#include "codegen/diag.h"
#include "codegen/pipeline.h"
#include "codegen/versions.h"
#include "graph/ir/ir.h"
#include "sched/plan.h"

typedef struct wadi_plan_options {
    bool unchecked;  /* array reads are not checked: a bad index is undefined behaviour */
    wadi_diag *diag; /* takes notes of decisions; NULL: none are wanted */
} wadi_plan_options;

/** Plans the module `m`, which has been through the passes; `facts` are its facts. The plan shares no memory with either; the
 *  versions borrow all three.
 *  Array bindings of the main block become a phase whenever a sequence is consumed. Consumers that share a sequence are one
 *  stream phase, in which everything with the same number of elements has one body.
 *  Errors: WADI_UNSUPPORTED naming the place, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_plan_build(const wadi_module *m, const wadi_facts *facts,
                                           const wadi_plan_options *options, wadi_plan **out,
                                           wadi_versions **out_versions, wadi_error *err);
/** The digest of what decides the kernels and the run: the program's text with its source places, and the options. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_plan_digest(const wadi_module *m, const wadi_plan_options *options,
                                            uint8_t out[32], wadi_error *err);
/** NULL is fine. */
void wadi_plan_destroy(wadi_plan *p);

#endif
