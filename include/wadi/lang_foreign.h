/* The array language, continued: routines of the host program. Included by wadi/lang.h.
 *
 * A routine is a C function with a name and a computation of the same results in the language, which is what it means. Runs on the
 * processor call the function. The interpreter, other devices and other processes, which do not have it, run the computation. A
 * program that is compiled with wadi_compile_options.no_foreign never calls the function, so two runs compare the two. */
#include "wadi/lang.h" /* which includes this file at its end, once what it needs is there */

#ifndef WADI_LANG_FOREIGN_H
#define WADI_LANG_FOREIGN_H

/** An array that a routine reads or writes: plain scalars in row-major order, innermost dimension last. */
typedef struct wadi_foreign_array {
    wadi_type type;
    int rank;
    const int64_t *shape; /**< [rank] */
    void *data;           /**< of arrays that are read: never to be written */
} wadi_foreign_array;

/** A routine: reads the `n` arrays `in` and writes all of the one array `out`. Each array is one problem, of its `dims` innermost dimensions;
 *  a batch is many calls. Several threads call it at once, for different problems. WADI_UNSUPPORTED: it does not do this problem, and the language's computation runs instead. Any other error ends the run; the message
 *  names the routine and repeats what it has written to err->msg. */
typedef wadi_status (*wadi_foreign_fn)(void *env, int n, const wadi_foreign_array *in,
                                       const wadi_foreign_array *out, wadi_error *err);

enum {
    WADI_FOREIGN_INPUTS = 3, /**< arrays that a routine reads at most */
    WADI_FOREIGN_NAME = 64   /**< bytes of its name at most, with the 0 at the end */
};

/** Makes `fn` known as `name` to the process, until wadi_foreign_remove. The names of libraries' routines (fft, sort, ..) are taken, and so
 *  is a name that has a function: WADI_INVALID, also if `fn` or the name is missing, or the name has 64 bytes or more or ends in
 *  ".steady". WADI_UNSUPPORTED: there are 256 already. WADI_MEMORY. `env` is borrowed. Any thread. */
WADI_NODISCARD wadi_status wadi_foreign_add(const char *name, wadi_foreign_fn fn, void *env,
                                            wadi_error *err);
/** Forgets the function of that name, if there is one. No run that may call it may be at work. */
void wadi_foreign_remove(const char *name);

/** What a routine means: the same result from the `n` arrays that it reads. */
typedef wadi_acc (*wadi_acc_fn_n)(int n, const wadi_acc *arrays);
typedef wadi_acc (*wadi_acc_fn_n_env)(void *env, int n, const wadi_acc *arrays);

/** The result of routine `name` on 1 to 3 arrays of plain scalars. The `dims` innermost dimensions of each are one problem; the dimensions
 *  outside, whose product must agree, are a batch. The result has the extents given and the element type of `meaning`, which computes it in the language; extents
 *  that differ from what it gives are a fault. A routine that is not known when the program is compiled is never called. */
wadi_acc wadi_foreign(const char *name, int dims, int n, const wadi_acc *arrays, wadi_ix extents,
                      wadi_acc_fn_n meaning);
/** wadi_foreign with an environment. */
wadi_acc wadi_foreign_env(const char *name, int dims, int n, const wadi_acc *arrays,
                          wadi_ix extents, wadi_acc_fn_n_env meaning, void *env);

#endif
