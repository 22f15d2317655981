/* A pass: one function that rewrites or marks a module, and what it may ask for.
 *
 * A pass gets the facts that its row in the pass table (codegen/pipeline.c) asks for, up to date, and never computes facts
 * itself. It reports what it did and what it refused to the diag. Each file in codegen/pass exports one pass. */
#ifndef WADI_CODEGEN_PASS_H
#define WADI_CODEGEN_PASS_H

#include "codegen/diag.h"
#include "graph/analysis/depend.h"
#include "graph/analysis/shape.h"
#include "graph/ir/ir.h"

/** Facts that a pass may need, and may keep true. */
enum { WADI_FACT_SHAPES = 1, WADI_FACT_DEPS = 2 };

typedef struct wadi_pass_cx {
    wadi_diag *diag;     /* takes notes of decisions; NULL: none are wanted */
    wadi_shapes *shapes; /* if the pass needs WADI_FACT_SHAPES; without values that it makes */
    wadi_deps *deps;     /* if the pass needs WADI_FACT_DEPS */
    wadi_arena *scratch; /* rewound when the pass is over */
    bool (*routine)(const char *name); /* whether a library has it; NULL: no library */
    bool steady; /* routines that learn are replaced by ones that do not: "x" by "x.steady" */
} wadi_pass_cx;

typedef wadi_status (*wadi_pass_fn)(wadi_module *m, wadi_pass_cx *cx, wadi_error *err);

wadi_status wadi_pass_seqfuse(wadi_module *m, wadi_pass_cx *cx, wadi_error *err);
wadi_status wadi_pass_twins(wadi_module *m, wadi_pass_cx *cx, wadi_error *err);
wadi_status wadi_pass_foreign(wadi_module *m, wadi_pass_cx *cx, wadi_error *err);
wadi_status wadi_pass_simplify(wadi_module *m, wadi_pass_cx *cx, wadi_error *err);
wadi_status wadi_pass_dce(wadi_module *m, wadi_pass_cx *cx, wadi_error *err);
wadi_status wadi_pass_cse(wadi_module *m, wadi_pass_cx *cx, wadi_error *err);
wadi_status wadi_pass_mask(wadi_module *m, wadi_pass_cx *cx, wadi_error *err);
wadi_status wadi_pass_hoist(wadi_module *m, wadi_pass_cx *cx, wadi_error *err);
wadi_status wadi_pass_lift(wadi_module *m, wadi_pass_cx *cx, wadi_error *err);
wadi_status wadi_pass_fuse(wadi_module *m, wadi_pass_cx *cx, wadi_error *err);
wadi_status wadi_pass_siblings(wadi_module *m, wadi_pass_cx *cx, wadi_error *err);

#endif
