/* Values of loop IR as expressions, in languages that write them as C does. What is said otherwise elsewhere are words of the language. */
#ifndef WADI_CODEGEN_EMIT_C_LIKE_EXPRESSION_H
#define WADI_CODEGEN_EMIT_C_LIKE_EXPRESSION_H

#include "base/text.h"
#include "codegen/emit/c_like/names.h"

typedef struct wadi_c_words {
    const char *arg[5];       /* by the index of WADI_L_ARG: begin, end, first, workers, count */
    const char *unit;         /* the array of where units begin */
    const char *scratch_mark; /* how much scratch memory is in use */
    const char *segment; /* the call that finds an element's segment, up to its last argument */
} wadi_c_words;

/* One kernel being written. */
typedef struct wadi_c_writer {
    const wadi_c_words *words;
    const wadi_lmodule *m;
    const wadi_lfun *f;
    wadi_c_names names;
    wadi_text *out;
    wadi_lv last_emit; /* the columns of emitted values are those of the one before */
} wadi_c_writer;

static inline const wadi_linst *wadi_c_inst(const wadi_c_writer *c, wadi_lv v) {
    return c->f->inst[v];
}

/** The value: its name, or what it is computed from. */
void wadi_c_expression(wadi_c_writer *c, wadi_lv v);
/** The same, as something that binds tighter than any operator around it. */
void wadi_c_operand(wadi_c_writer *c, wadi_lv v);
/** The right-hand side that defines the value. */
void wadi_c_definition(wadi_c_writer *c, const wadi_linst *i);
/** Argument 0 at index argument 1. */
void wadi_c_indexed(wadi_c_writer *c, const wadi_linst *i);
/** Extent `dim` of the slot, of element `s` if there is one. */
void wadi_c_shape(wadi_c_writer *c, int slot, int dim, wadi_lv s);

#endif
