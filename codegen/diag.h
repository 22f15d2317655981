/* What the compiler decided, and why: collected while passes run, shown by `wadi explain`, and tested by structure tests.
 *
 * Every entry is data: the kind of decision, the value, the reader it concerns, and the reason. The texts of the program
 * between passes are kept only when asked for. */
#ifndef WADI_CODEGEN_DIAG_H
#define WADI_CODEGEN_DIAG_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/vec.h"
#include "graph/ir/ir.h"

typedef enum wadi_note_kind {
    WADI_NOTE_REP,       /* `value` of a stage body is stored as `rep` */
    WADI_NOTE_HOISTED,   /* `value` left its stage body: computed once per run */
    WADI_NOTE_FUSED,     /* `value` is computed inside `reader` */
    WADI_NOTE_KEPT,      /* `value` could be computed inside `reader`, but is stored */
    WADI_NOTE_SIBLING,   /* `value` is computed in one pass with `reader` */
    WADI_NOTE_APART,     /* `value` reads what `reader` reads, but in a pass of its own */
    WADI_NOTE_PLACED,    /* `value` is written into the memory of `reader` */
    WADI_NOTE_SEQ_FUSED, /* sequence `value` became part of the stage that makes `reader` */
    WADI_NOTE_SEQ_KEPT,  /* sequence `value` stays a stage of its own before `reader` */
    WADI_NOTE_KIND_COUNT
} wadi_note_kind;

typedef struct wadi_note {
    wadi_note_kind kind;
    wadi_val value;
    wadi_val
        reader; /* first result of the reading binding, or as the kind says; WADI_NONE: none, or several */
    wadi_rep rep; /* WADI_NOTE_REP */
    const char *reason;
} wadi_note;

/** The program after a pass. */
typedef struct wadi_dump {
    const char *pass;
    const char *text;
    bool changed; /* whether it differs from the dump before */
} wadi_dump;

typedef struct wadi_diag {
    wadi_arena *arena;
    bool keep_texts; /* dumps are wanted */
    bool failed;     /* out of memory: something is missing */
    WADI_VEC(wadi_note) notes;
    WADI_VEC(wadi_dump) dumps;
} wadi_diag;

/** NULL when out of memory. */
wadi_diag *wadi_diag_create(bool keep_texts);
void wadi_diag_destroy(wadi_diag *d); /* NULL is fine */

/** Each does nothing when `d` is NULL. The reason is formatted and copied. */
void wadi_diag_note(wadi_diag *d, wadi_note_kind kind, wadi_val value, wadi_val reader,
                    const char *format, ...) WADI_PRINTF(5, 6);
void wadi_diag_rep(wadi_diag *d, wadi_val value, wadi_rep rep, const char *format, ...)
    WADI_PRINTF(4, 5);
void wadi_diag_dump(wadi_diag *d, const char *pass, const wadi_module *m);

/** The latest note of this kind on `value`, or NULL. */
const wadi_note *wadi_diag_find(const wadi_diag *d, wadi_note_kind kind, wadi_val value);

#endif
