/* Loops that store past the caches what is too large for them (codegen/rt/stream.h). */
#ifndef WADI_CODEGEN_EMIT_C_FAR_H
#define WADI_CODEGEN_EMIT_C_FAR_H

#include "codegen/emit/c_like/expression.h"

enum {
    WADI_C_FAR_STORES = 4,  /* of a loop at most */
    WADI_C_FAR_ROUNDS = 512 /* whose results wait in the nearest cache */
};

/* A loop of independent rounds each of which, i, stores one number at place i of each of these columns, and reads none of them. */
typedef struct wadi_c_far {
    const wadi_linst *loop;
    const char *from; /* the name of the first round of a strip */
    int n;
    const wadi_linst *store[WADI_C_FAR_STORES];
} wadi_c_far;

/** Whether it is such a loop over arrays of rank 1 of the whole run, which nothing in the kernel reads. It reads others, and may have many rounds. */
bool wadi_c_far_find(const wadi_c_writer *w, const wadi_linst *loop, wadi_c_far *out);
/** Prints the bytes of the arrays that it stores into, as an expression. */
void wadi_c_far_bytes(wadi_c_writer *w, const wadi_c_far *o);
/** Declares, for each store, room for a strip, and a pointer to that or to the array. Each line has this indent. */
void wadi_c_far_open(wadi_c_writer *w, const wadi_c_far *o, int level);
/** Copies the room of each store to its place. `below` is the name of the end of the strip. */
void wadi_c_far_close(wadi_c_writer *w, const wadi_c_far *o, const char *below, int level);
/** Prints where the store goes, if it is one of w->far; false: it is not. */
bool wadi_c_far_place(wadi_c_writer *w, const wadi_linst *store);

#endif
