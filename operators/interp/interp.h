/* The interpreter: the definition of the language. Slow, obvious, bounds-checked.
 *
 * It runs any verified module, before or after passes; marks of representation and storage mean
 * nothing here. Streams are run element by element. Kernels must give the same bits. They differ in
 * one way: the interpreter computes every element of every binding, so it also reports a fault in an
 * element that no result needs. A kernel may leave such an element out. */
#ifndef WADI_OPERATORS_INTERP_H
#define WADI_OPERATORS_INTERP_H

#include "graph/op.h"

/** An array bound to the input `name`; borrowed. */
typedef struct wadi_interp_input {
    const char *name;
    wadi_array array;
} wadi_interp_input;

/** A stream bound to the stream_in `name`: either all its elements, or a function that is called
 *  once for each element, in order. */
typedef struct wadi_interp_source {
    const char *name;
    int64_t n;                  /* elements */
    const wadi_array *elements; /* [n][components], borrowed; NULL: ask `pull`, if there is one */
    /** Fills one array per component, borrowed until the next call; *out_end instead when the
     *  stream has ended. */
    wadi_status (*pull)(void *env, int64_t index, wadi_array *out_components, bool *out_end,
                        wadi_error *err);
    void *env;
} wadi_interp_source;

typedef struct wadi_interp_io {
    const wadi_interp_input *inputs;
    int ninputs;
    const wadi_interp_source *sources;
    int nsources;
    /** NULL: the first fault ends the run. Otherwise it is called for every fault of the first element that faults (or for every
     *  fault outside the streams), in the order of the program. A scalar that faults gets the value `instead`, and bindings that
     *  need an array which could not be computed, also for want of memory, are left out. So a later message may depend on `instead`
     *  and be no true fault. */
    void (*told)(void *env, const char *message);
    void *told_env;
    int64_t instead;
} wadi_interp_io;

/** What a stream_out delivered. */
typedef struct wadi_interp_sink {
    const char *name;
    int components;
    int64_t n;
    const wadi_array *elements; /* [n][components] */
} wadi_interp_sink;

typedef struct wadi_interp_output {
    const char *name;
    wadi_array array;
} wadi_interp_output;

typedef struct wadi_interp_results {
    wadi_interp_output *outputs; /* in the order of the module's yields */
    int noutputs;
    wadi_interp_sink *sinks; /* in the order of the stream_outs */
    int nsinks;
    wadi_arena *arena; /* owns everything here */
} wadi_interp_results;

/** Runs the program. The module stays as it is. WADI_INVALID: nothing is bound to a name.
 *  WADI_TYPE, WADI_SHAPE: what is bound does not fit its declaration. WADI_FAULT: the message
 *  names the operation, the values, the element of the stream, the index and the place. */
WADI_NODISCARD wadi_status wadi_interp_run(const wadi_module *m, const wadi_interp_io *io,
                                           wadi_interp_results **out, wadi_error *err);
void wadi_interp_results_destroy(wadi_interp_results *r); /* NULL is fine */
/** The output or sink of that name, or NULL. */
const wadi_array *wadi_interp_output_get(const wadi_interp_results *r, const char *name);
const wadi_interp_sink *wadi_interp_sink_get(const wadi_interp_results *r, const char *name);

#endif
