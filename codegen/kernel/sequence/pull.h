/* Cursors over sequences within an element: what pull.c and pull_carry.c share. */
#ifndef WADI_CODEGEN_KERNEL_PULL_H
#define WADI_CODEGEN_KERNEL_PULL_H

#include "codegen/kernel/sequence/vector.h"

/* The fields of a scalar, or the pointers and extents of an array, in variables. */
typedef struct wadi_box {
    wadi_lv field[WADI_MAX_FIELDS], extent[WADI_MAX_RANK];
} wadi_box;

typedef struct wadi_pull_cursor wadi_pull_cursor;

/* How the elements of a form are asked for. */
typedef struct wadi_pulling {
    void (*start)(wadi_lower *l, wadi_pull_cursor *c);
    wadi_lv (*more)(wadi_lower *l, const wadi_inner *in, wadi_pull_cursor *c);
    wadi_inner_element (*next)(wadi_lower *l, const wadi_inner *in, wadi_pull_cursor *c);
} wadi_pulling;

struct wadi_pull_cursor {
    const wadi_pulling *kind;
    const wadi_bind *bind;
    wadi_val s;
    wadi_pull_cursor *from; /* over the sequences among the arguments */
    int nfrom;
    wadi_lv
        n; /* a number of the operator: the length, how many to take, the size of a window or a batch */
    wadi_lv hop; /* of windows */
    wadi_lv
        at; /* variable: which element, slice or sample is next; batch: how many there are; pick: how many
                     have been picked */
    wadi_lv some; /* variable. filter: an element is kept; windows: the last has been given */
    wadi_lv
        end; /* variable. expand: how many slices; windows: where the last full one ended; pick: how many go
                     before the next */
    wadi_box *kept;         /* filter, expand: [components]; batch: only the shapes */
    wadi_vector *samples;   /* windows, batch: [components] */
    wadi_round_state state; /* scan */
};

extern const wadi_pulling wadi_pull_windows, wadi_pull_batch;

/* ---- shorthands ---- */

static inline bool wadi_pull_failed(const wadi_lower *l) {
    return l->status || l->b.failed;
}

/** Writes code that tells whether there is another element. The answer is valid in the current scope. */
static inline wadi_lv wadi_pull_more(wadi_lower *l, const wadi_inner *in, wadi_pull_cursor *c) {
    return wadi_pull_failed(l) ? wadi_lb_bool(&l->b, false) : c->kind->more(l, in, c);
}
/** Writes code for the next element. wadi_pull_more must have been asked for it in this round. */
static inline wadi_inner_element wadi_pull_next(wadi_lower *l, const wadi_inner *in,
                                                wadi_pull_cursor *c) {
    return wadi_pull_failed(l) ? wadi_inner_new(l, c->s) : c->kind->next(l, in, c);
}

/** The types of a sequence's components; how many there are. */
static inline const wadi_array_type *wadi_pull_types(const wadi_lower *l, wadi_val s) {
    return l->m->values[s].type.array;
}

static inline int wadi_pull_components(const wadi_lower *l, const wadi_pull_cursor *c) {
    return l->m->values[c->s].type.arrays;
}

static inline wadi_lv wadi_pull_not(wadi_lower *l, wadi_lv x) {
    return wadi_lb_prim(&l->b, WADI_SOP_LNOT, WADI_BOOL, 1, &x);
}

/** Variables: a number, a flag. */
static inline wadi_lv wadi_pull_number(wadi_lower *l, wadi_lv init, const char *name) {
    return wadi_lb_var(&l->b, WADI_I64, false, init, name);
}

static inline wadi_lv wadi_pull_flag(wadi_lower *l, wadi_lv init, const char *name) {
    return wadi_lb_var(&l->b, WADI_BOOL, false, init, name);
}

static inline void wadi_pull_add(wadi_lower *l, wadi_lv var, int64_t by) {
    const wadi_lv sum =
        wadi_lb_bin(&l->b, WADI_SOP_ADD, wadi_lb_get(&l->b, var), wadi_lb_i64(&l->b, by));
    wadi_lb_set(&l->b, var, sum);
}

#endif
