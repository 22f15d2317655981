/* Writing loop nests as functions in C. */
#ifndef WADI_CODEGEN_EMIT_C_NESTS_H
#define WADI_CODEGEN_EMIT_C_NESTS_H

#include "codegen/emit/c/outline.h"
#include "codegen/emit/c_like/expression.h"

/* A function that has been written. */
typedef struct wadi_c_nest_text {
    uint8_t digest[32]; /* of its parameters and its body */
    const char *name;
} wadi_c_nest_text;

/** The nests of one kernel. All zero is the state before the first; then `many` may be set. */
typedef struct wadi_c_nests {
    bool
        many; /* each function stands for itself, like a kernel, and nests with the same text share one */
    int count;
    wadi_text functions,
        declarations; /* what comes in front of the kernel; declarations if there are many */
    WADI_VEC(wadi_c_nest_text) written;
} wadi_c_nests;

void wadi_c_nests_fini(wadi_c_nests *n);

/** Whether memory ran out. */
bool wadi_c_nests_failed(const wadi_c_nests *n);

/** Writes the function of the nest, if need be, and to w->out the statement that calls it. `body` writes the statements of the nest to
 *  w->out, in a function's scope. */
void wadi_c_nest_write(wadi_c_writer *w, wadi_c_nests *n, const wadi_c_nest *nest, int level,
                       void (*body)(void *env, const wadi_linst *head), void *env);

/** Writes the function of a strip's rest (wadi_c_has_rest). Returns its name; NULL: out of memory. `body` writes the loop from from_VAR to
 *  below_VAR. */
const char *wadi_c_rest_write(wadi_c_writer *w, wadi_c_nests *n, const wadi_c_nest *nest,
                              void (*body)(void *env, const wadi_linst *head), void *env);
/** Writes the statement that calls the function of a nest. That of a strip's rest takes the rounds from VAR on up to `below` and VAR: "below_" is the end
 *  of the strip, "1 + " that of the round. */
void wadi_c_nest_call(wadi_c_writer *w, const wadi_c_nest *nest, const char *name,
                      const char *below, int level);

#endif
