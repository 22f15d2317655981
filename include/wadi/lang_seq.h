/* The array language: sequences. Included by wadi/lang.h.
 *
 * A sequence is a stream of arrays, or of tuples of arrays, in order; its elements may differ in shape. Sources make
 * one, transducers make another of it, consumers turn it into arrays or deliver it. A function given to a transducer
 * is any array program. Sequences run in chunks of a size the scheduler chooses; no result depends on it.
 *
 * Several consumers of one source, or of sequences made of it, read it in one pass.
 */
#ifndef WADI_LANG_H
#include "wadi/lang.h"
#elif !defined WADI_LANG_SEQ_H
#define WADI_LANG_SEQ_H

/* ---- sources ---- */

/** f(0), f(1), ..., f(n-1). */
wadi_seq wadi_produce(wadi_exp n, wadi_produce_fn f);
wadi_seq wadi_produce_env(wadi_exp n, wadi_produce_fn_env f, void *env);
/** The `n` of a produce that never ends by itself: some take_seq, or a shorter sequence beside it, ends it. */
wadi_exp wadi_forever(void);

/** What one component of a stream's element looks like. */
typedef struct wadi_component {
    wadi_elem_type elem;
    int rank;
    const char *const
        *extents; /**< as in wadi_input; NULL: nothing is known. All fixed: the stream is regular */
} wadi_component;
/** Arrays from the source bound to `name` when the program runs. */
wadi_seq wadi_stream_in(const char *name, int components, const wadi_component *component);

/** The outermost slices of `a`: rank 1 or more, elements of one rank less. */
wadi_seq wadi_to_seq(wadi_acc a);
/** The slices of `a` along dimension `dim`. */
wadi_seq wadi_to_seq_on(int dim, wadi_acc a);
/** Segment i of the vector `values` begins at offsets[i] and has the shape in row i of `shapes`, i64[n, rank], whose
 *  extent 1 is declared as a number. Segments may overlap; one that leaves `values` is a fault. */
wadi_seq wadi_from_segs(wadi_acc offsets, wadi_acc shapes, wadi_acc values);
/** Vectors: segment i is values[offsets[i] .. offsets[i + 1]), so n + 1 offsets give n segments and none gives none.
 *  A segment of negative length, or one that leaves `values`, is a fault. */
wadi_seq wadi_from_offsets(wadi_acc offsets, wadi_acc values);
/** Consecutive segments of the vector `values`, one per row of `shapes` (i64[n, rank of the segments]). */
wadi_seq wadi_from_shapes(wadi_acc shapes, wadi_acc values);
/** The tiles of `a`, row-major, each of shape `block`; at the far ends they are as small as what remains. A block
 *  extent below 1 counts as 1. */
wadi_seq wadi_subarrays(wadi_ix block, wadi_acc a);

/* ---- transducers ---- */

wadi_seq wadi_map_seq(wadi_acc_fn1 f, wadi_seq s);
wadi_seq wadi_map_seq_env(wadi_acc_fn1_env f, void *env, wadi_seq s);
/** The shorter sequence ends the result. */
wadi_seq wadi_zip_with_seq(wadi_acc_fn2 f, wadi_seq s, wadi_seq t);
wadi_seq wadi_zip_with_seq_env(wadi_acc_fn2_env f, void *env, wadi_seq s, wadi_seq t);
/** The elements for which p gives true (bool, rank 0). */
wadi_seq wadi_filter_seq(wadi_acc_fn1 p, wadi_seq s);
wadi_seq wadi_filter_seq_env(wadi_acc_fn1_env p, void *env, wadi_seq s);
/** The first n elements, or all but those; n clamps to 0 and to what there is. */
wadi_seq wadi_take_seq(wadi_exp n, wadi_seq s);
wadi_seq wadi_drop_seq(wadi_exp n, wadi_seq s);
/** Each element becomes the outermost slices of f(element), in order: none, one or several. The arrays of a tuple
 *  must have one outermost extent, else a fault. */
wadi_seq wadi_expand_seq(wadi_acc_fn1 f, wadi_seq s);
wadi_seq wadi_expand_seq_env(wadi_acc_fn1_env f, void *env, wadi_seq s);

/** What becomes of samples behind the last full window that no full window covers. */
typedef enum wadi_last {
    WADI_LAST_DROP, /**< nothing */
    WADI_LAST_PAD,  /**< one more window, filled up with zeros */
    WADI_LAST_KEEP  /**< one more window, shorter */
} wadi_last;
/** A window of `size` samples every `hop` samples; size and hop are 1 or more, else a fault. The elements of `s`,
 *  vectors or single samples, stand one behind the other; the components of an element are equally long, else a
 *  fault. */
wadi_seq wadi_windows(wadi_exp size, wadi_exp hop, wadi_last last, wadi_seq s);
/** n consecutive arrays of one shape (else a fault) become one of rank + 1; the last may be shorter. n is 1 or more,
 *  else a fault. */
wadi_seq wadi_batch(wadi_exp n, wadi_seq s);
/** The states f(z, s0), f(f(z, s0), s1), ...: one after each element. */
wadi_seq wadi_scan_seq(wadi_acc_fn2 f, wadi_acc z, wadi_seq s);
wadi_seq wadi_scan_seq_env(wadi_acc_fn2_env f, void *env, wadi_acc z, wadi_seq s);

/* ---- consumers: give to wadi_consume what they return ---- */

typedef struct wadi_eat {
    uint32_t node, program;
} wadi_eat;
/** Every element of every array, as one vector (tuples: one per component). */
wadi_eat wadi_elements(wadi_seq s);
/** Along a new outer dimension; shapes must agree, else a fault. */
wadi_eat wadi_tabulate(wadi_seq s);
/** The same with every array cut to the least extent of all, dimension by dimension. */
wadi_eat wadi_tabulate_min(wadi_seq s);
/** Per component two arrays: the shapes, i64[n, rank], and all values one behind the other. */
wadi_eat wadi_from_seq(wadi_seq s);
/** state = f(state, element) over the stream, in order; f associative on arrays. */
wadi_eat wadi_fold_seq(wadi_acc_fn2 f, wadi_acc z, wadi_seq s);
wadi_eat wadi_fold_seq_env(wadi_acc_fn2_env f, void *env, wadi_acc z, wadi_seq s);
/** state = step(state, chunk), a chunk being k >= 1 consecutive elements as wadi_from_seq gives them: a tuple of
 *  shapes and values per component. How the stream is cut is the scheduler's choice, so the result must not depend
 *  on it; the interpreter checks that, see docs/LANGUAGE.md. */
wadi_eat wadi_fold_batch(wadi_acc_fn2 step, wadi_acc z, wadi_seq s);
wadi_eat wadi_fold_batch_env(wadi_acc_fn2_env step, void *env, wadi_acc z, wadi_seq s);
wadi_acc wadi_consume(wadi_eat c);
/** Delivers the stream, in order, to the sink bound to `name` when the program runs. */
void wadi_stream_out(wadi_seq s, const char *name);

#endif
