/* Loops that run with near forms of functions first, and once more where an argument was far (docs/decisions/0150-far-arguments-after-the-loop.md). */
#ifndef WADI_CODEGEN_EMIT_C_TWICE_H
#define WADI_CODEGEN_EMIT_C_TWICE_H

#include "codegen/emit/c_like/expression.h"

enum { WADI_C_TWICE_ARRAYS = 4 /* of lanes, that a loop changes, at most */ };

/** A loop that may run again from its begin. */
typedef struct wadi_c_twice {
    const wadi_linst *loop;
    bool f64, f32; /* functions of which have near forms in it */
    int lanes;     /* how many lanes its inner loops have; 0: it has none, and calls them itself */
    int n;
    wadi_lv changed[WADI_C_TWICE_ARRAYS]; /* lane arrays from around it that it changes */
} wadi_c_twice;

/** Whether the loop calls such functions, and may run twice. */
bool wadi_c_twice_find(const wadi_c_writer *w, const wadi_linst *loop, wadi_c_twice *out);
/** Begins the text, and goes on to where the loop with near forms stands, two levels further inside: `from` and `below` are the bounds as text, or NULL. */
void wadi_c_twice_open(wadi_c_writer *w, const wadi_c_twice *o, const char *from, const char *below,
                       int level);
/** Goes on to where the whole loop stands, as far inside. */
void wadi_c_twice_again(wadi_c_writer *w, const wadi_c_twice *o, int level);
void wadi_c_twice_close(wadi_c_writer *w, int level);
/** What w->beyond is in the rounds of `loop`, which is the one of *o or in it: NULL: near forms have no place there. */
const char *wadi_c_twice_place(wadi_c_writer *w, const wadi_c_twice *o, const wadi_linst *loop);

#endif
