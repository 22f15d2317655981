/* Sequences in the interpreter: cursors that make their elements one by one. Internal to operators/.
 *
 * A cursor holds what its operator carries from element to element, and cursors over its arguments.
 * Cursors over one sequence are independent, so two readers compute it twice: that is how reading it
 * in one pass means the same. A region may consume sequences of its own, with cursors that live
 * within its run. */
#ifndef WADI_OPERATORS_INTERP_STREAM_H
#define WADI_OPERATORS_INTERP_STREAM_H

#include "operators/interp/state.h"

enum { WADI_STREAM_COMPONENTS = WADI_MAX_PARAMS };

/** Cells that grow, and the shapes of the arrays they come from, [arrays][rank]. */
typedef struct wadi_gathered {
    WADI_VEC(uint64_t) cells;
    WADI_VEC(int64_t) shapes;
} wadi_gathered;

typedef struct wadi_cursor {
    const wadi_bind *bind;
    int components; /* of an element */
    int64_t at;     /* elements handed out */
    int nfrom;
    struct wadi_cursor **from; /* over the sequences among the arguments */
    int64_t count,
        step;     /* the operator's numbers: how many at most, every so many-th; or size and hop */
    int64_t skip; /* pick: how many elements of the argument go before the next */
    int nkept;    /* arrays of its own: a state, an element that is next */
    wadi_iarray **kept;          /* [WADI_STREAM_COMPONENTS] */
    bool found;                  /* filter: what is kept is next, which may be no array at all */
    wadi_gathered *samples;      /* windows: [components], from sample `first` on */
    int64_t first, start, ended; /* windows: where the next begins, where the last full one ended */
    bool last_given;             /* windows: the one that is not full */
} wadi_cursor;

/** Starts at the first element of sequence `s`. */
WADI_NODISCARD wadi_status wadi_cursor_open(wadi_interp *in, wadi_val s, wadi_cursor **out);
void wadi_cursor_close(wadi_cursor *c); /* NULL is fine */
/** Whether there is another element, computing as little as tells. */
WADI_NODISCARD wadi_status wadi_cursor_more(wadi_interp *in, wadi_cursor *c, bool *out);
/** The components of the next element, which exists: arrays on the heap or of a source. */
WADI_NODISCARD wadi_status wadi_cursor_next(wadi_interp *in, wadi_cursor *c,
                                            const wadi_iarray **out);

/* ---- what the forms mean ---- */

/** Of a form of sequence operator (graph/seq.h). Forms that give sequences have `more` and `next`, ends have `run`. */
typedef struct wadi_seq_meaning {
    /** the cursor has just been opened, its arguments before it; NULL: nothing to do */
    wadi_status (*start)(wadi_interp *in, wadi_cursor *c);
    /** the two questions above; c->at is counted by the caller */
    wadi_status (*more)(wadi_interp *in, wadi_cursor *c, bool *out);
    wadi_status (*next)(wadi_interp *in, wadi_cursor *c, const wadi_iarray **out);
    /** consumes the sequence, sets the results */
    wadi_status (*run)(wadi_interp *in, const wadi_bind *b);
} wadi_seq_meaning;

#define WADI_SEQ_FORM(NAME, name) extern const wadi_seq_meaning wadi_meaning_##name;
#include "graph/seq.def"
#undef WADI_SEQ_FORM

/* ---- shared ---- */

WADI_NODISCARD wadi_status wadi_stream_no_memory(wadi_interp *in, const wadi_bind *b);
/** Element `e` is at work: faults name it, unless the stream is one within a region, whose faults name what is around. */
void wadi_stream_at(wadi_interp *in, int64_t e);
/** A number the operator takes: at least 1, else a fault that calls it `what`; where that is NULL, 0 instead of less. */
WADI_NODISCARD wadi_status wadi_cursor_number(wadi_interp *in, const wadi_cursor *c, int arg,
                                              const char *what, int64_t *out);
/** Whether all arguments have another element: the `more` of forms that need no more than that. */
WADI_NODISCARD wadi_status wadi_cursor_all_more(wadi_interp *in, wadi_cursor *c, bool *out);
/** A new array on the interpreter's heap. */
WADI_NODISCARD wadi_status wadi_stream_array(wadi_interp *in, const wadi_bind *b, int rank,
                                             const wadi_elem *elem, const int64_t *shape,
                                             wadi_iarray **out);
/** A new array on the heap with `n` cells from `cells`. */
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
