/* The pipeline: runs the passes on a program, from recovered sharing to the marks that tell how kernels are made.
 *
 *     wadi_pipeline_run(m, &options, diag, &facts, err);
 *     ... m is rewritten and marked, facts are up to date ...
 *     wadi_facts_fini(&facts); */
#ifndef WADI_CODEGEN_PIPELINE_H
#define WADI_CODEGEN_PIPELINE_H

#include "codegen/diag.h"
#include "codegen/pass.h"

typedef struct wadi_pipeline_options {
    const char *disable; /* passes left out, comma separated: "cse,fuse"; NULL: none */
    const char *
        start_after; /* passes up to and including this one are left out: the program is a dump made after it */
    const char *stop_after; /* passes after this one are left out */
    bool
        verify; /* check the program before the first and after every pass; debug builds always do */
    /** called before the first pass (pass NULL) and after every pass; may be NULL */
    void (*dump)(void *env, const char *pass, const wadi_module *m);
    void *env;
    /** whether a library has the routine. NULL: no library has any, and programs use the language's own computations */
    bool (*routine)(const char *name);
    bool steady; /**< use only routines that round the same way in every run */
} wadi_pipeline_options;

/** What is known about the program after the pipeline. */
typedef struct wadi_facts {
    wadi_shapes *shapes;
    wadi_deps *deps;
} wadi_facts;

void wadi_facts_fini(wadi_facts *f);

/** Runs the passes over `m` in place. `options` and `diag` may be NULL. out_facts is filled on success only.
 *  Errors: WADI_INVALID (an option names no pass; checked first), WADI_SHAPE and others of the analyses, WADI_MEMORY,
 *  WADI_INTERNAL (a pass broke an invariant; the message names the pass). */
WADI_NODISCARD wadi_status wadi_pipeline_run(wadi_module *m, const wadi_pipeline_options *options,
                                             wadi_diag *diag, wadi_facts *out_facts,
                                             wadi_error *err);

/** Runs one pass by name, with the facts it needs: what tests do. */
WADI_NODISCARD wadi_status wadi_pipeline_pass(wadi_module *m, const char *pass, wadi_diag *diag,
                                              wadi_error *err);

/** Name of pass `i` in order, or NULL after the last. */
const char *wadi_pipeline_name(int i);
/** Whether the pass may be disabled: it only makes programs faster. */
bool wadi_pipeline_is_optional(int i);

#endif
