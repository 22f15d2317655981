/* The state of a run of the interpreter. Internal to operators/interp. */
#ifndef WADI_OPERATORS_INTERP_STATE_H
#define WADI_OPERATORS_INTERP_STATE_H

#include "base/vec.h"
#include "operators/interp/interp.h"
#include "operators/rules.h"

/** A named extent, with its value in the first array that has it. */
typedef struct wadi_known_extent {
    const char *name;
    int64_t value;
} wadi_known_extent;

typedef struct wadi_bound_input {
    const char *name;
    wadi_iarray *array;
} wadi_bound_input;

/** What has been read of a source: the components of element 0, of element 1, ... */
typedef struct wadi_read_source {
    const wadi_interp_source *from;
    WADI_VEC(wadi_iarray *) arrays;
    bool ended;
} wadi_read_source;

typedef struct wadi_sunk {
    const wadi_bind *bind;
    int64_t n;
    WADI_VEC(wadi_array) arrays; /* columns in the results' arena */
} wadi_sunk;

/** A scalar while a function runs: its bits, or the two parts of a complex one. */
typedef struct wadi_number {
    uint64_t bits, im;
} wadi_number;

typedef struct wadi_interp {
    wadi_eval_cx cx; /* first: rules see this */
    const wadi_module *m;
    const wadi_interp_io *io;
    const struct wadi_seq_meaning *const *meanings; /* [form of sequence operator] see stream.h */
    const wadi_iarray **value;                      /* [value] the array that it is now */
    WADI_VEC(wadi_iarray *) heap; /* arrays made by the run, oldest first; see mark and release */
    WADI_VEC(wadi_bound_input) bound; /* inputs */
    WADI_VEC(wadi_iarray *) constants;
    wadi_read_source *source; /* [io->nsources] */
    WADI_VEC(wadi_known_extent) known;
    WADI_VEC(wadi_sunk) sunk;
    wadi_number
        *row; /* scalars of the function being run, then room for the next state of a loop */
    size_t nrow;
    int depth; /* how many regions are being run, one inside the other */
    /* with io->told */
    bool faulted;     /* there was a fault */
    bool known_fault; /* the fault being returned has been reported already */
    bool *missing;    /* [value] the array could not be computed */
    wadi_interp_results *results;
} wadi_interp;

WADI_NODISCARD wadi_status wadi_interp_no_memory(wadi_interp *in);
/** A new array whose elements are zero; NULL: out of memory. */
wadi_iarray *wadi_iarray_create(int rank, const wadi_elem *elem, const int64_t *shape,
                                int64_t size);
void wadi_iarray_destroy(wadi_iarray *a); /* NULL is fine */
/** A copy of a host array, which is checked against its declaration in the program. */
WADI_NODISCARD wadi_status wadi_interp_bind(wadi_interp *in, const char *what, const char *name,
                                            wadi_loc loc, const wadi_array_type *t,
                                            const wadi_array *a, wadi_iarray **out);
/** A copy for the caller, in the results' arena. */
WADI_NODISCARD wadi_status wadi_interp_give(wadi_interp *in, const wadi_iarray *a, wadi_array *out);

/* Going on after faults (faults.c). Without io->told these change nothing. */
/** If `st` is a fault of a scalar instruction: reports it, gives the instruction other results, and returns WADI_OK. */
WADI_NODISCARD wadi_status wadi_interp_instead(wadi_interp *in, wadi_status st, wadi_number *to,
                                               int n);
/** The same for an element of an array whose computation faulted: gives it other cells. */
void wadi_interp_instead_cells(wadi_eval_cx *cx, uint64_t *cells, int n);
/** Whether the binding can be run: no array that it reads is missing. If it cannot, its results are missing too. */
bool wadi_interp_can_run(wadi_interp *in, const wadi_bind *b);
/** The status to go on with after the binding has returned `st`: a fault is reported, and its results are missing. */
WADI_NODISCARD wadi_status wadi_interp_ran(wadi_interp *in, const wadi_bind *b, wadi_status st);
/** Called after a block's last binding: a fault if a yield is missing, or if the block has computed an element that faulted. */
WADI_NODISCARD wadi_status wadi_interp_complete(wadi_interp *in, const wadi_block *b);

/** Runs a scalar function. `args` are the cells of the parameters, `results` those of the results. (scalar.c) */
WADI_NODISCARD wadi_status wadi_interp_apply(wadi_interp *in, const wadi_bind *b, const wadi_fun *f,
                                             const uint64_t *args, uint64_t *results);
#endif
