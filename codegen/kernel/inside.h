/* Schedules inside and across: the kernels of a body whose elements are computed one after the other. */
#ifndef WADI_CODEGEN_KERNEL_INSIDE_H
#define WADI_CODEGEN_KERNEL_INSIDE_H

#include "codegen/kernel/lower.h"

/** Kernels of one schedule; steps are allocated in the layout's arena. `known`: values in slots before the body. */
wadi_status wadi_lower_inside(wadi_layout *y, const wadi_body *body, const bool *known, bool across,
                              wadi_lmodule *out, wadi_plan_version *out_version);

#endif
