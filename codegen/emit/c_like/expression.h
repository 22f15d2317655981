/* Values of loop IR as expressions, for languages whose expressions look like those of C. Names that differ from language to
 * language are in wadi_c_words. */
#ifndef WADI_CODEGEN_EMIT_C_LIKE_EXPRESSION_H
#define WADI_CODEGEN_EMIT_C_LIKE_EXPRESSION_H

#include "base/text.h"
#include "codegen/emit/c_like/names.h"
#include "codegen/emit/c_like/numbers.h"
#include "codegen/emit/c_like/scalar.h"

typedef struct wadi_c_words {
    wadi_c_for language;
    const char *arg[5];       /* by the index of WADI_L_ARG: begin, end, first, workers, count */
    const char *unit;         /* the array of where units begin */
    const char *scratch_mark; /* how much scratch memory is in use */
    const char *segment; /* the call that finds an element's segment, up to its last argument */
    const char *pointer
        [3]; /* how a pointer is made: in front of its type, in front of what it is made of, behind that */
    const char *numbers[2];  /* around the shapes or offsets of a slot, to index them */
    const char *stored_bool; /* the type of a bool in memory */
} wadi_c_words;

/* One kernel being written. */
typedef struct wadi_c_writer {
    const wadi_c_words *words;
    const wadi_lmodule *m;
    const wadi_lfun *f;
    wadi_c_names names;
    wadi_text *out;
    const wadi_c_numbers *
        numbers; /* of slots and places, and constants, which the text reads from a table; NULL: it has them itself */
    const struct wadi_c_far *
        far; /* the loop being written, whose stores go elsewhere first (codegen/emit/c/far.h); else NULL */
    const char *
        beyond; /* where near forms of functions note far arguments, behind wadi_beyond_TYPE (codegen/emit/c/twice.h); NULL: whole functions are called */
    wadi_lv last_emit; /* the latest EMIT instruction, whose columns the EMITTED values are */
} wadi_c_writer;

static inline const wadi_linst *wadi_c_inst(const wadi_c_writer *c, wadi_lv v) {
    return c->f->inst[v];
}

/** The type of a value in memory. */
const char *wadi_c_stored(const wadi_c_writer *c, wadi_type t);
/** The name of the kind of a FAULT. */
const char *wadi_c_fault(const wadi_linst *i);
/** Prints the value: its name, or the expression that computes it. */
void wadi_c_expression(wadi_c_writer *c, wadi_lv v);
/** The same as an operand: in parentheses if an operator around it could bind tighter. */
void wadi_c_operand(wadi_c_writer *c, wadi_lv v);
/** The right-hand side that defines the value. */
void wadi_c_definition(wadi_c_writer *c, const wadi_linst *i);
/** Argument 0 at index argument 1. */
void wadi_c_indexed(wadi_c_writer *c, const wadi_linst *i);
/** Extent `dim` of the slot, of element `s` if there is one. */
void wadi_c_shape(wadi_c_writer *c, int slot, int dim, wadi_lv s);

#endif
