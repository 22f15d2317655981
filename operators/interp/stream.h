/* Sequences in the interpreter: cursors that make their elements one by one. Internal to operators/.
 *
 * A cursor holds what its operator carries from element to element, and cursors over its arguments.
 * Cursors over one sequence are independent, so two readers of it compute it twice. Compiled code
 * reads it in one pass; the results are the same. A region may consume sequences of its own; their
 * cursors are closed when the region ends. */
#ifndef WADI_OPERATORS_INTERP_STREAM_H
#define WADI_OPERATORS_INTERP_STREAM_H

#include "operators/interp/state.h"

enum { WADI_STREAM_COMPONENTS = WADI_MAX_PARAMS };

/** Cells that grow, and the shapes of the arrays they come from, [arrays][rank]. */
typedef struct wadi_gathered {
    WADI_VEC(uint64_t) cells;
    WADI_VEC(int64_t) shapes;
} wadi_gathered;

/** scan_by_key, fold_by_key: the state of a key, arrays as a cursor keeps them. */
typedef struct wadi_key_state {
    uint64_t key[WADI_MAX_FIELDS];
    int nkept;
    wadi_iarray **kept;
} wadi_key_state;

typedef struct wadi_cursor {
    const wadi_bind *bind;
    int components; /* of an element */
    int64_t at;     /* elements given so far */
    int nfrom;
    struct wadi_cursor **from; /* over the sequences among the arguments */
    int64_t
        count; /* count, pick: how many elements at most; windows: the size; batch: the number of elements */
    int64_t step;           /* pick: every step-th element; windows: the hop */
    int64_t skip;           /* pick: how many elements of the argument to skip before the next */
    int nkept;              /* arrays that the cursor keeps: a state, the next element */
    wadi_iarray **kept;     /* [WADI_STREAM_COMPONENTS] */
    bool found;             /* filter: the next element is kept (it may have no arrays) */
    wadi_gathered *samples; /* windows: [components], from sample `first` on */
    int64_t first, start, ended; /* windows: see carry.c */
    bool last_given;             /* windows: the window that is not full was given */
    WADI_VEC(wadi_key_state)
    keys; /* scan_by_key, fold_by_key: in the order in which the keys have come */
} wadi_cursor;

/** Opens a cursor at the first element of sequence `s`. */
WADI_NODISCARD wadi_status wadi_cursor_open(wadi_interp *in, wadi_val s, wadi_cursor **out);
void wadi_cursor_close(wadi_cursor *c); /* NULL is fine */
/** Whether there is another element. Computes no more than is needed to know that. */
WADI_NODISCARD wadi_status wadi_cursor_more(wadi_interp *in, wadi_cursor *c, bool *out);
/** The components of the next element, which exists: arrays on the heap or of a source. */
WADI_NODISCARD wadi_status wadi_cursor_next(wadi_interp *in, wadi_cursor *c,
                                            const wadi_iarray **out);

/* ---- what the forms mean ---- */

/** The meaning of a form of sequence operator (graph/seq.h). Forms that give sequences have `more` and `next`, ends have `run`. */
typedef struct wadi_seq_meaning {
    /** called when the cursor and those of its arguments are open; NULL: nothing to do */
    wadi_status (*start)(wadi_interp *in, wadi_cursor *c);
    /** the two questions above; c->at is counted by the caller */
    wadi_status (*more)(wadi_interp *in, wadi_cursor *c, bool *out);
    wadi_status (*next)(wadi_interp *in, wadi_cursor *c, const wadi_iarray **out);
    /** consumes the sequence, sets the results */
    wadi_status (*run)(wadi_interp *in, const wadi_bind *b);
} wadi_seq_meaning;

#define WADI_SEQ_FORM(NAME, name, traits) extern const wadi_seq_meaning wadi_meaning_##name;
#include "graph/seq.def"
#undef WADI_SEQ_FORM

/* ---- shared ---- */

WADI_NODISCARD wadi_status wadi_stream_no_memory(wadi_interp *in, const wadi_bind *b);
/** Notes that element `e` is being computed, so that faults name it. Within a region faults keep naming the element around it. */
void wadi_stream_at(wadi_interp *in, int64_t e);
/** A number that the operator takes. It must be at least 1, else it is a fault that names it `what`. If `what` is NULL, a negative
 *  number becomes 0. */
WADI_NODISCARD wadi_status wadi_cursor_number(wadi_interp *in, const wadi_cursor *c, int arg,
                                              const char *what, int64_t *out);
/** Whether all arguments have another element. Forms that need nothing else use this as their `more`. */
WADI_NODISCARD wadi_status wadi_cursor_all_more(wadi_interp *in, wadi_cursor *c, bool *out);
/** A new array on the interpreter's heap. */
WADI_NODISCARD wadi_status wadi_stream_array(wadi_interp *in, const wadi_bind *b, int rank,
                                             const wadi_elem *elem, const int64_t *shape,
                                             wadi_iarray **out);
/** A new array on the heap, with a copy of `cells`. */
WADI_NODISCARD wadi_status wadi_stream_cells(wadi_interp *in, const wadi_bind *b, int rank,
                                             const wadi_elem *elem, const int64_t *shape,
                                             const uint64_t *cells, const wadi_iarray **out);
/** Keeps copies of the arrays in the cursor, in place of what it kept before. */
WADI_NODISCARD wadi_status wadi_cursor_keep(wadi_interp *in, wadi_cursor *c, int n,
                                            const wadi_iarray *const *arrays);
void wadi_cursor_forget(wadi_cursor *c);
/** Copies on the heap of what the cursor keeps. */
WADI_NODISCARD wadi_status wadi_cursor_recall(wadi_interp *in, wadi_cursor *c,
                                              const wadi_iarray **out);
/** Appends the cells and the shape; false: out of memory. */
bool wadi_gathered_add(wadi_gathered *g, const wadi_iarray *a);
void wadi_gathered_fini(wadi_gathered *g);

#endif
