/* A kernel being written: its purpose, the locations of its values, and the position of the code.
 *
 * Every array value has a location (`wadi_vloc`): a slot, scratch memory, scalars, or none. A value without a location is delayed: code that
 * reads an element of it computes the element in place. `wadi_lower_read` (read.h) handles all these cases.
 */
#ifndef WADI_CODEGEN_KERNEL_LOWER_H
#define WADI_CODEGEN_KERNEL_LOWER_H

#include "codegen/kernel/layout.h"

typedef enum wadi_vloc_kind {
    WADI_LOC_NONE,   /* delayed, or not computed yet */
    WADI_LOC_SLOT,   /* in slot `slot` */
    WADI_LOC_MEMORY, /* field[] are pointers to its elements */
    WADI_LOC_SCALAR, /* rank 0: field[] are its fields */
    WADI_LOC_PARTS,  /* a fold whose block results are in slot `slot` */
    WADI_LOC_ALIAS   /* the same as value `alias` */
} wadi_vloc_kind;

typedef struct wadi_vloc {
    wadi_vloc_kind kind;
    int slot;
    wadi_val alias;
    wadi_lv field[WADI_MAX_FIELDS];
    bool windowed; /* MEMORY: only elements from `first` on are there, of a vector */
    wadi_lv first;
    bool own_extents; /* its extents are extent[]; else shape analysis gives them */
    wadi_lv extent[WADI_MAX_RANK];
} wadi_vloc;

/* One of the two versions of a loop. A loop has two if checks can be decided in front of it. */
typedef struct wadi_loop_version {
    struct wadi_loop_version *
        outer; /* version of a loop around it, before which checks are decided if they can be; or NULL */
    wadi_lscope *home; /* the scope around the loop */
    wadi_lscope *body; /* the code of this version */
    bool fast;         /* the version without checks: their conditions are collected in cond */
    wadi_lv cond;
} wadi_loop_version;

typedef struct wadi_memo {
    wadi_val v;
    int rank, fields;
    wadi_lv ix[WADI_MAX_RANK];
    wadi_lv field[WADI_MAX_FIELDS];
    wadi_lscope *scope; /* the results hold as long as it is open */
} wadi_memo;

/* A check that has been written: from there on, 0 <= index < extent. */
typedef struct wadi_checked {
    wadi_lv index, extent;
    wadi_lscope *scope;
    bool
        ahead; /* it is made for all lanes together: code in front of that must not rely on it (ahead.c) */
} wadi_checked;

/* An extent that has been checked where not all code behind it goes: there, `known` stands for it. */
typedef struct wadi_checked_extent {
    wadi_lv extent, known;
    wadi_lscope *scope;
} wadi_checked_extent;

typedef struct wadi_ahead wadi_ahead; /* ahead.c */

/* Code that tells no faults (quiet.c). */
typedef struct wadi_quiet {
    const wadi_lscope
        *scope;  /* where its checks may stand: the innermost branch that one has opened */
    int open;    /* branches */
    wadi_lv bad; /* the i64 variable that becomes 1 where one of them is not taken */
    struct wadi_quiet *around;
} wadi_quiet;

/* The element that the code computes, which faults name. Code that changes it for inner code restores the old value. */
typedef struct wadi_lower_position {
    int rank; /* of the array whose elements are being computed; -1: none */
    wadi_lv ix[WADI_MAX_RANK], extent[WADI_MAX_RANK]; /* its index, as far as loops are open */
    int element_rank;       /* rank of the array of which an operator's rule computes an element */
    const wadi_lv *element; /* the index of that element */
    bool in_group, in_lane; /* in a loop that runs by groups; by lanes */
} wadi_lower_position;

/* A trial: code that would run even if it is not needed, so it is kept only if it is harmless. */
typedef struct wadi_trial {
    wadi_lscope *aside; /* the code */
    bool harmful;
    struct wadi_trial *around;
} wadi_trial;

/* How checks are made in the code that is being written. */
typedef struct wadi_checking {
    wadi_loop_version
        *version; /* checks may be decided in front of its loop; NULL: they are made in place */
    wadi_ahead *ahead; /* checks are made for a stripe of lanes at once; NULL: not */
    wadi_trial *trial; /* a check makes this trial harmful; NULL: no trial */
    wadi_quiet *quiet; /* a check opens a branch instead; NULL: not */
} wadi_checking;

/* What a kernel is written for. */
typedef struct wadi_lowered {
    const char *name;  /* of the kernel */
    const bool *known; /* [value] it is in its slot before the kernel runs */
    int level;         /* the level whose elements it runs for */
    const int *parts;  /* [value] slot of a fold's block results, or -1; NULL: there are none */
    const int *inner;  /* [sequence value] slot with its elements, scalars, or -1; NULL: none */
} wadi_lowered;

/** A kernel being written. `of` does not change. A function that sets `position` or `checking` restores it. The rest changes as code
 *  is written. */
typedef struct wadi_lower {
    wadi_layout *y;
    const wadi_module *m;
    wadi_lowered of;
    wadi_lb b;
    wadi_lv s; /* the element being computed, numbered in level of.level */
    const struct wadi_share
        *share; /* a result in place: the rows that this unit writes; NULL: all */
    wadi_lower_position position;
    wadi_checking checking;
    wadi_vloc *loc;                 /* [value] */
    WADI_VEC(wadi_memo) memo;       /* elements that have been computed */
    WADI_VEC(wadi_checked) checked; /* checks that have been made */
    WADI_VEC(wadi_checked_extent) extents;
    struct wadi_holder *
        *aimed;         /* [value] the buffer that it is to be computed in, or NULL (state.h) */
    uint8_t *seen;      /* [value] wadi_lower_checks has visited it */
    int depth;          /* number of delayed values that are being computed inside each other */
    wadi_status status; /* the first failure */
} wadi_lower;

/** Starts a kernel. Values that are known are in their slots; the others are not computed yet. Borrows what `of` points to. */
void wadi_lower_init(wadi_lower *l, wadi_layout *y, const wadi_lowered *of);
/** Ends it; adds it to `out` if nothing failed. */
wadi_status wadi_lower_fini(wadi_lower *l, wadi_lmodule *out);
void wadi_lower_fail(wadi_lower *l, wadi_loc loc, wadi_status status, const char *format, ...)
    WADI_PRINTF(4, 5);

static inline const wadi_array_type *wadi_type_of(const wadi_lower *l, wadi_val v) {
    return &l->m->values[v].type.array[0];
}

wadi_val wadi_lower_resolve(const wadi_lower *l, wadi_val v); /* follows aliases */
/** Whether v is written into the memory of `other`. */
bool wadi_lower_lies_in(const wadi_lower *l, wadi_val v, wadi_val other);
/** Pointer to the elements of field `f` of stored value v. */
wadi_lv wadi_lower_pointer(wadi_lower *l, wadi_val v, int f);
/** The name of field `f` of v in emitted code; NULL: it has none. */
const char *wadi_lower_name_of(wadi_lower *l, wadi_val v, int f);
/** Pointer to the elements of field `f` in a slot, for the element being computed. */
wadi_lv wadi_lower_slot_pointer(wadi_lower *l, int slot, int f, const char *name);
wadi_lv wadi_lower_linear(wadi_lower *l, int rank, const wadi_lv *extent, const wadi_lv *ix);
/** The number that the element being computed has in `level`, which is this kernel's level or one around it (level.c). */
wadi_lv wadi_lower_number(wadi_lower *l, int level);
/** The number that it has in the level of a slot. */
wadi_lv wadi_lower_number_in(wadi_lower *l, int slot);

#endif
