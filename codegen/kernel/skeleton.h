/* What a skeleton is made of: one row of functions, which is in the skeleton's own file. Workers find it through the layout
 * and name no skeleton. So a new skeleton is a line in graph/skeletons.def and a file with its row. If a function is NULL, its
 * comment says who does the work. */
#ifndef WADI_CODEGEN_KERNEL_SKELETON_H
#define WADI_CODEGEN_KERNEL_SKELETON_H

#include "codegen/kernel/lower.h"

struct wadi_flat; /* flat.h */
struct wadi_flat_part;

typedef struct wadi_skeleton_row {
    /* ---- one element of a result that is not stored ---- */
    /** Element `ix`. NULL: the operator's index function. */
    void (*element)(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, wadi_lv *out);
    /** The same when its blocks have been reduced into slot `parts` (`blocks`, below). */
    void (*element_of_parts)(wadi_lower *l, const wadi_bind *bind, int parts, const wadi_lv *ix,
                             wadi_lv *out);
    /** How many elements of a row it pays to compute together; NULL: one. `elements` computes them, as [rows][fields]. */
    int (*together)(const wadi_lower *l, const wadi_bind *bind);
    void (*elements)(wadi_lower *l, const wadi_bind *bind, const wadi_lv *ix, int rows,
                     wadi_lv *out);

    /* ---- storing the result, whose extents and pointers are given. All NULL: element by element ---- */
    /** All of it; the rank may be 0. */
    void (*fill)(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                 const wadi_lv *pointer);
    /** All of it by tiles, where that serves and it is not left to elements one by one; false: it is. NULL: never. */
    bool (*tiles)(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                  const wadi_lv *pointer);
    /** One row (the innermost dimension), at the outer index `ix`. Schedule flat cuts rows into parts: without `part`, a
     *  skeleton with `row` or `fill` needs `into_slot`. */
    void (*row)(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent, const wadi_lv *pointer,
                const wadi_lv *ix);
    /** Elements [from, below) of a row. */
    void (*part)(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                 const wadi_lv *pointer, const wadi_lv *ix, wadi_lv from, wadi_lv below);

    /** Whether it adds to an array in place, and workers may share the rows of that array. Then `has_rows`: whether code can tell
     *  the row before it computes what goes there (code is tried in l, which is useless afterwards). NULL: no. */
    bool (*is_shared)(const wadi_layout *y, const wadi_bind *bind);
    bool (*has_rows)(wadi_lower *l, const wadi_bind *bind);

    /* ---- all results of a binding at once: branches, loops, regions, routines ---- */
    /** Computes them into memory or scalars. NULL: the results are computed one by one, when they are stored. */
    void (*control)(wadi_lower *l, const wadi_bind *bind);
    /** Whether this version of the body uses `call` instead. NULL: never. */
    bool (*calls)(const wadi_lower *l, const wadi_bind *bind);
    /** The same, if the arguments are stored and the results have memory already. */
    void (*call)(wadi_lower *l, const wadi_bind *bind);

    /* ---- schedule flat ---- */
    /** The steps of a binding that has `control`. */
    wadi_status (*steps)(struct wadi_flat *c, const wadi_bind *bind);
    /** The steps that come first, whether the result is stored or not: a table of blocks. NULL: none. */
    wadi_status (*blocks)(struct wadi_flat *c, const wadi_bind *bind);
    /** How units of blocks compute the result beside those of siblings: fills `out` but for the binding and `together`, makes what the units
     *  need, or leaves out->cut NULL if rows are not cut into blocks. NULL: in pieces of rows if the result is stored. */
    wadi_status (*beside)(struct wadi_flat *c, const wadi_bind *bind, struct wadi_flat_part *out);
    /** The steps that compute the result into `slot`; `tag` goes into the names of kernels. NULL: pieces of rows. */
    wadi_status (*into_slot)(struct wadi_flat *c, const wadi_bind *bind, int slot, const char *tag);
    /** Whether it does no more than that. NULL: if it is NULL itself. */
    bool (*in_pieces)(struct wadi_flat *c, const wadi_bind *bind);
} wadi_skeleton_row;

#define WADI_SKELETON(NAME, name, traits) extern const wadi_skeleton_row wadi_skeleton_##name;
#include "graph/skeletons.def"
#undef WADI_SKELETON

/** All rows, by wadi_skeleton (skeletons.c). A layout points to them. */
extern const wadi_skeleton_row *const wadi_skeleton_rows[WADI_SKELETONS];

/** The row of a binding's operator. */
static inline const wadi_skeleton_row *wadi_skeleton_of(const wadi_layout *y,
                                                        const wadi_bind *bind) {
    return y->skeletons[bind->op->skeleton];
}

/** The row by which a binding of a body becomes code. It is that of the operator, except for consumers of sequences. */
static inline const wadi_skeleton_row *wadi_skeleton_in_body(const wadi_layout *y,
                                                             const wadi_bind *bind) {
    return wadi_is_consumer(y->m, bind) ? y->skeletons[WADI_SKEL_CONSUME]
                                        : wadi_skeleton_of(y, bind);
}

#endif
