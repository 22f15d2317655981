/* The interpreter at work. Internal to operators/interp. */
#ifndef WADI_OPERATORS_INTERP_STATE_H
#define WADI_OPERATORS_INTERP_STATE_H

#include "base/vec.h"
#include "operators/interp/interp.h"
#include "operators/rules.h"

/** A named extent and the value the first array that mentions it gave it. */
typedef struct wadi_known_extent {
    const char *name;
    int64_t value;
} wadi_known_extent;

typedef struct wadi_bound_input {
    const char *name;
    wadi_iarray *array;
} wadi_bound_input;

/** A source as far as it has been read: components of element 0, of element 1, ... */
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
    const wadi_iarray **value;    /* [value] what an array value is at the moment */
    WADI_VEC(wadi_iarray *) heap; /* arrays made by the run, oldest first; see mark and release */
    WADI_VEC(wadi_bound_input) bound; /* inputs */
    WADI_VEC(wadi_iarray *) constants;
    wadi_read_source *source; /* [io->nsources] */
    WADI_VEC(wadi_known_extent) known;
    WADI_VEC(wadi_sunk) sunk;
    wadi_number
        *row; /* scalars of the function being run, then room for the next state of a loop */
    size_t nrow;
    int depth; /* regions being run */
    /* with io->told: there was a fault; the one being handed up is known; which arrays there are not */
    bool faulted, known_fault;
    bool *missing; /* [value] */
    wadi_interp_results *results;
} wadi_interp;

WADI_NODISCARD wadi_status wadi_interp_no_memory(wadi_interp *in);
/** An array of its own memory, elements zero; NULL: out of memory. */
wadi_iarray *wadi_iarray_create(int rank, const wadi_elem *elem, const int64_t *shape,
                                int64_t size);
void wadi_iarray_destroy(wadi_iarray *a); /* NULL is fine */
/** A host array as the run's own, checked against what the program declares of it. */
WADI_NODISCARD wadi_status wadi_interp_bind(wadi_interp *in, const char *what, const char *name,
                                            wadi_loc loc, const wadi_array_type *t,
                                            const wadi_array *a, wadi_iarray **out);
/** A copy for the caller, in the results' arena. */
WADI_NODISCARD wadi_status wadi_interp_give(wadi_interp *in, const wadi_iarray *a, wadi_array *out);

/* Going on behind faults (faults.c); only where io->told is there. */
/** A scalar instruction faulted: it is told, and the instruction given other results. */
WADI_NODISCARD wadi_status wadi_interp_instead(wadi_interp *in, wadi_status st, wadi_number *to,
                                               int n);
/** The same of an element of an array that an operator reads where there is nothing. */
void wadi_interp_instead_cells(wadi_eval_cx *cx, uint64_t *cells, int n);
/** Whether the binding can be run: all it reads is there. If not, its results are not either. */
bool wadi_interp_can_run(wadi_interp *in, const wadi_bind *b);
/** What becomes of the binding's status: a fault is told. */
WADI_NODISCARD wadi_status wadi_interp_ran(wadi_interp *in, const wadi_bind *b, wadi_status st);
/** Behind a block's last binding: a fault where it has not what it yields, or was the whole of an element that faulted. */
WADI_NODISCARD wadi_status wadi_interp_complete(wadi_interp *in, const wadi_block *b);

/** Runs a scalar function: `args` the cells of each parameter, `results` those of each result.
 *  (scalar.c) */
WADI_NODISCARD wadi_status wadi_interp_apply(wadi_interp *in, const wadi_bind *b, const wadi_fun *f,
                                             const uint64_t *args, uint64_t *results);
#endif
