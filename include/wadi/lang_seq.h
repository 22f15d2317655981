/* The array language: sequences. Included by wadi/lang.h.
 *
 * A sequence is a stream of arrays, or of tuples of arrays, in order. Its elements may differ in shape. Sources make
 * a sequence, transducers make another from it, and consumers turn it into arrays or deliver it. A function given to a
 * transducer is any array program. Sequences run in chunks whose size the scheduler chooses; no result depends on it.
 *
 * Several consumers of one source, or of sequences made from it, read it in one pass.
 */
#ifndef WADI_LANG_H
#include "wadi/lang.h"
#elif !defined WADI_LANG_SEQ_H
#define WADI_LANG_SEQ_H

/* ---- sources ---- */

/** The sequence f(0), f(1), ..., f(n-1); empty if n <= 0. */
wadi_seq wadi_produce(wadi_exp n, wadi_produce_fn f);
/** wadi_produce with an environment. */
wadi_seq wadi_produce_env(wadi_exp n, wadi_produce_fn_env f, void *env);
/** As the `n` of wadi_produce: the sequence never ends by itself. A take_seq, or a shorter sequence zipped with it, must end it. */
wadi_exp wadi_forever(void);

/** The type of one component of a stream's element. */
typedef struct wadi_component {
    wadi_elem_type elem;
    int rank;
    const char *const *
        extents; /**< as in wadi_input; NULL: nothing is known. If all are numbers, the stream is regular */
} wadi_component;
/** The elements of the source that is bound to `name` when the program runs. */
wadi_seq wadi_stream_in(const char *name, int components, const wadi_component *component);

/** The slices of `a`, of rank 1 or more, along its outermost dimension; elements have one rank less. */
wadi_seq wadi_to_seq(wadi_acc a);
/** The slices of `a` along dimension `dim`. */
wadi_seq wadi_to_seq_on(int dim, wadi_acc a);
/** Segments of the vector `values`: segment i begins at offsets[i] and has the shape in row i of `shapes`, i64[n, rank]. The extent
 *  `rank` must be declared as a number. Segments may overlap; a segment that leaves `values` is a fault. */
wadi_seq wadi_from_segs(wadi_acc offsets, wadi_acc shapes, wadi_acc values);
/** Vectors: segment i is values[offsets[i] .. offsets[i + 1]). So n + 1 offsets give n segments; no offsets give none.
 *  A segment of negative length, or one that leaves `values`, is a fault. */
wadi_seq wadi_from_offsets(wadi_acc offsets, wadi_acc values);
/** Consecutive segments of the vector `values`, one per row of `shapes` (i64[n, rank of the segments]). */
wadi_seq wadi_from_shapes(wadi_acc shapes, wadi_acc values);
/** The tiles of `a` in row-major order, each of shape `block`; at the far ends they may be smaller. A block extent below 1
 *  counts as 1. */
wadi_seq wadi_subarrays(wadi_ix block, wadi_acc a);

/* ---- transducers ---- */

/** f of each element. */
wadi_seq wadi_map_seq(wadi_acc_fn1 f, wadi_seq s);
/** wadi_map_seq with an environment. */
wadi_seq wadi_map_seq_env(wadi_acc_fn1_env f, void *env, wadi_seq s);
/** f of the elements of both sequences, pairwise; ends with the shorter one. */
wadi_seq wadi_zip_with_seq(wadi_acc_fn2 f, wadi_seq s, wadi_seq t);
/** wadi_zip_with_seq with an environment. */
wadi_seq wadi_zip_with_seq_env(wadi_acc_fn2_env f, void *env, wadi_seq s, wadi_seq t);
/** The elements for which p, a bool of rank 0, gives true. */
wadi_seq wadi_filter_seq(wadi_acc_fn1 p, wadi_seq s);
/** wadi_filter_seq with an environment. */
wadi_seq wadi_filter_seq_env(wadi_acc_fn1_env p, void *env, wadi_seq s);
/** The first n elements; n is clamped to 0 and to the length. */
wadi_seq wadi_take_seq(wadi_exp n, wadi_seq s);
/** All but the first n elements; n is clamped. */
wadi_seq wadi_drop_seq(wadi_exp n, wadi_seq s);
/** Replaces each element by the outermost slices of f(element), in order: none, one or several. The arrays of a tuple must have the
 *  same outermost extent, else it is a fault. */
wadi_seq wadi_expand_seq(wadi_acc_fn1 f, wadi_seq s);
/** wadi_expand_seq with an environment. */
wadi_seq wadi_expand_seq_env(wadi_acc_fn1_env f, void *env, wadi_seq s);

/** What becomes of samples after the last full window that no full window covers. */
typedef enum wadi_last {
    WADI_LAST_DROP, /**< nothing */
    WADI_LAST_PAD,  /**< one more window, padded with zeros */
    WADI_LAST_KEEP  /**< one more window, shorter */
} wadi_last;
/** Concatenates the elements of `s`, which are vectors or single samples, and gives a window of `size` samples every `hop`
 *  samples. A size or hop below 1 is a fault, and so are components of different length in one element. */
wadi_seq wadi_windows(wadi_exp size, wadi_exp hop, wadi_last last, wadi_seq s);
/** Stacks n consecutive arrays, which must have one shape (else it is a fault), to one array of rank + 1. The last batch may be shorter. n
 *  below 1 is a fault. */
wadi_seq wadi_batch(wadi_exp n, wadi_seq s);
/** The states f(z, s0), f(f(z, s0), s1), ...: one for each element. */
wadi_seq wadi_scan_seq(wadi_acc_fn2 f, wadi_acc z, wadi_seq s);
/** wadi_scan_seq with an environment. */
wadi_seq wadi_scan_seq_env(wadi_acc_fn2_env f, void *env, wadi_acc z, wadi_seq s);
/** wadi_scan_seq with a state for each key: component 0 of an element is its key, rank 0, an integer or a record of integers. For each element f
 *  gets the state of its key, z if the key is new, and the whole element; the result is the next state of that key. So for each key it is
 *  wadi_scan_seq over the elements that have it, and the states come in the order of the elements. Not offered inside an element. */
wadi_seq wadi_scan_by_key(wadi_acc_fn2 f, wadi_acc z, wadi_seq s);
/** wadi_scan_by_key with an environment. */
wadi_seq wadi_scan_by_key_env(wadi_acc_fn2_env f, void *env, wadi_acc z, wadi_seq s);

/** Behind the last element of s, one element for each key: the key and its last state, in the order in which the keys first came. f, z and s are those
 *  of wadi_scan_by_key. An empty stream gives none. Not offered inside an element. */
wadi_seq wadi_fold_by_key(wadi_acc_fn2 f, wadi_acc z, wadi_seq s);
/** wadi_fold_by_key with an environment. */
wadi_seq wadi_fold_by_key_env(wadi_acc_fn2_env f, void *env, wadi_acc z, wadi_seq s);

/* ---- consumers: pass their result to wadi_consume ---- */

/** A consumer, to be passed to wadi_consume. */
typedef struct wadi_eat {
    uint32_t node, program;
} wadi_eat;
/** All elements of all arrays as one vector; of tuples, one vector per component. */
wadi_eat wadi_elements(wadi_seq s);
/** Stacks the arrays along a new outer dimension. Shapes that differ are a fault. */
wadi_eat wadi_tabulate(wadi_seq s);
/** wadi_tabulate with every array cut to the least extent of all, dimension by dimension. */
wadi_eat wadi_tabulate_min(wadi_seq s);
/** Two arrays per component: the shapes, i64[n, rank], and all values as one vector. */
wadi_eat wadi_from_seq(wadi_seq s);
/** The last state of: state = f(state, element), over the stream in order, beginning with z. */
wadi_eat wadi_fold_seq(wadi_acc_fn2 f, wadi_acc z, wadi_seq s);
/** wadi_fold_seq with an environment. */
wadi_eat wadi_fold_seq_env(wadi_acc_fn2_env f, void *env, wadi_acc z, wadi_seq s);
/** The last state of: state = step(state, chunk). A chunk is k >= 1 consecutive elements as wadi_from_seq gives them: a tuple of
 *  shapes and values per component. The scheduler decides how the stream is cut, so the result must not depend on it. The
 *  interpreter checks that (docs/LANGUAGE.md). */
wadi_eat wadi_fold_batch(wadi_acc_fn2 step, wadi_acc z, wadi_seq s);
/** wadi_fold_batch with an environment. */
wadi_eat wadi_fold_batch_env(wadi_acc_fn2_env step, void *env, wadi_acc z, wadi_seq s);
/** The array, or tuple of arrays, that a consumer makes. */
wadi_acc wadi_consume(wadi_eat c);
/** Delivers the stream, in order, to the sink that is bound to `name` when the program runs. */
void wadi_stream_out(wadi_seq s, const char *name);
/** Delivers the elements of the stream, each once and whole, in any order: workers elsewhere, or several devices, need not wait for each other. Neither
 *  `s` nor what wadi_map_seq of one sequence, wadi_filter_seq and wadi_expand_seq make of it may be used by anything that needs an order:
 *  another wadi_stream_out, a consumer, a zip, windows and the like. Sinks that need one refuse to be bound. docs/RUNTIME.md */
void wadi_stream_out_unordered(wadi_seq s, const char *name);

#endif
