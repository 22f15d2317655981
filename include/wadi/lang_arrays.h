/* The array language, continued: array operations beyond the basic ones of wadi/lang.h, which includes this file.
 *
 * Ragged results come as flat values with a count or with offsets. Segments of the innermost dimension are given by their
 * lengths, or by offsets: segment j is [offsets[j], offsets[j+1]). They follow one another from 0 on; lengths may sum to
 * less than the extent. A negative length, offsets that fall, or a segment beyond the extent are faults.
 *
 * Every function that takes a scalar function has a form with an environment. */
#include "wadi/lang.h" /* which includes this file at its end, once what it needs is there */

#ifndef WADI_LANG_ARRAYS_H
#define WADI_LANG_ARRAYS_H

/* ---- element by element ---- */

typedef wadi_exp (*wadi_fn_n)(int n, const wadi_exp *x);
typedef wadi_exp (*wadi_fn_n_env)(void *, int n, const wadi_exp *x);
typedef wadi_exp (*wadi_izip_fn)(wadi_ix, wadi_exp, wadi_exp);
typedef wadi_exp (*wadi_izip_fn_env)(void *, wadi_ix, wadi_exp, wadi_exp);
typedef wadi_exp (*wadi_izip_n_fn_env)(void *, wadi_ix, int n, const wadi_exp *x);

/** zip_with of 2 to 9 arrays. */
wadi_acc wadi_zip_with_n(wadi_fn_n f, int n, const wadi_acc *arrays);
wadi_acc wadi_zip_with_n_env(wadi_fn_n_env f, void *env, int n, const wadi_acc *arrays);
/** The function sees the index too. */
wadi_acc wadi_izip_with(wadi_izip_fn f, wadi_acc a, wadi_acc b);
wadi_acc wadi_izip_with_env(wadi_izip_fn_env f, void *env, wadi_acc a, wadi_acc b);
wadi_acc wadi_izip_with_n_env(wadi_izip_n_fn_env f, void *env, int n, const wadi_acc *arrays);
/** Over the intersection of the shapes: extents need not agree. */
wadi_acc wadi_zip_with_min(wadi_fn2 f, wadi_acc a, wadi_acc b);
wadi_acc wadi_zip_with_min_env(wadi_fn2_env f, void *env, wadi_acc a, wadi_acc b);

/* ---- parts of a dimension; without `_on` the innermost ---- */

wadi_acc wadi_init(wadi_acc a); /**< all but the last; of nothing: nothing */
wadi_acc wadi_init_on(int dim, wadi_acc a);
wadi_acc wadi_tail(wadi_acc a); /**< all but the first */
wadi_acc wadi_tail_on(int dim, wadi_acc a);
/** `n` elements from number `from` on, as far as there are any. */
wadi_acc wadi_slit(wadi_exp from, wadi_exp n, wadi_acc a);
wadi_acc wadi_slit_on(int dim, wadi_exp from, wadi_exp n, wadi_acc a);

/** `a`, then `b`; the other extents must agree. */
wadi_acc wadi_concat(wadi_acc a, wadi_acc b);
wadi_acc wadi_concat_on(int dim, wadi_acc a, wadi_acc b);
wadi_acc wadi_concat_n(int dim, int n, const wadi_acc *arrays); /**< 1 to 9 */

/* ---- choosing and multiplying ---- */

/** Tuple: the elements that `p` keeps, row by row, as one vector; how many of each row (the innermost dimension), i64. */
wadi_acc wadi_filter(wadi_fn1 p, wadi_acc a);
wadi_acc wadi_filter_env(wadi_fn1_env p, void *env, wadi_acc a);
/** The same by the elements of 1 to 9 arrays of one shape; those of the first are kept. */
wadi_acc wadi_filter_by_env(wadi_fn_n_env p, void *env, int n, const wadi_acc *arrays);
/** The same by an array of bools. */
wadi_acc wadi_compact(wadi_acc flags, wadi_acc a);
/** Tuple: every row with the elements that `p` keeps first and the others behind them, both in order; how many of each
 *  row were kept, i64. */
wadi_acc wadi_partition(wadi_fn1 p, wadi_acc a);
wadi_acc wadi_partition_env(wadi_fn1_env p, void *env, wadi_acc a);
/** Each element x of the vector `a` yields f(x, 0) .. f(x, size(x) - 1), one behind the other. A negative size is a fault. */
wadi_acc wadi_expand(wadi_fn1 size, wadi_fn2 f, wadi_acc a);
wadi_acc wadi_expand_env(wadi_fn1_env size, wadi_fn2_env f, void *env, wadi_acc a);
/** The same by offsets, extent(a) + 1 of them: from 0 to the extent of the result. */
wadi_acc wadi_expand_offsets(wadi_fn2 f, wadi_acc offsets, wadi_acc a);
wadi_acc wadi_expand_offsets_env(wadi_fn2_env f, void *env, wadi_acc offsets, wadi_acc a);

/* ---- reading and sending by index ---- */

/** permute whose function also sees the elements of `n` more arrays of the shape of `a` (1 to 7) at the index. */
typedef wadi_ix (*wadi_target_fn_env)(void *, wadi_ix, int n, const wadi_exp *key);
wadi_acc wadi_permute_by_env(wadi_fn2_env comb, wadi_acc defaults, wadi_target_fn_env f, void *env,
                             wadi_acc a, int n, const wadi_acc *keys);

/** result ! ix = flags ! ix ? a ! (indices ! ix) : defaults ! ix; `a` is a vector. Indices that do not count may be anything. */
wadi_acc wadi_gather_if(wadi_acc flags, wadi_acc indices, wadi_acc defaults, wadi_acc a);
/** Starts from the vector `defaults`; element ix of `a` goes to place indices ! ix. Of several with one place the last in
 *  the order of the source stays. A place out of range is a fault. */
wadi_acc wadi_scatter(wadi_acc indices, wadi_acc defaults, wadi_acc a);
/** Only the elements whose flag is set. */
wadi_acc wadi_scatter_if(wadi_acc flags, wadi_acc indices, wadi_acc defaults, wadi_acc a);
/** Reduction by index: result ! k = z combined with every element of `values` whose index is k, as comb(element, so far), in
 *  the order of the source; n results. An index out of range is a fault. */
wadi_acc wadi_histogram(wadi_fn2 comb, wadi_exp n, wadi_exp z, wadi_acc indices, wadi_acc values);
wadi_acc wadi_histogram_env(wadi_fn2_env comb, void *env, wadi_exp n, wadi_exp z, wadi_acc indices,
                            wadi_acc values);

/* ---- reductions and scans ---- */

wadi_acc wadi_all_of(wadi_acc a); /**< of bools; empty: true */
wadi_acc wadi_any_of(wadi_acc a);

/* From the right: result[i] = a[i] f ... f a[n-1] (f z). */
wadi_acc wadi_scanr(wadi_fn2 f, wadi_exp z, wadi_acc a); /**< extent n + 1, the last is z */
wadi_acc wadi_scanr_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc a);
wadi_acc wadi_scanr1(wadi_fn2 f, wadi_acc a);
wadi_acc wadi_scanr1_env(wadi_fn2_env f, void *env, wadi_acc a);
/** Tuple: the scan without the total, and the totals. The papers' scanl' and scanr'. */
wadi_acc wadi_scanl_total(wadi_fn2 f, wadi_exp z, wadi_acc a);
wadi_acc wadi_scanl_total_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc a);
wadi_acc wadi_scanr_total(wadi_fn2 f, wadi_exp z, wadi_acc a);
wadi_acc wadi_scanr_total_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc a);
/** Without the total (pre), without z alone (post); extent n. */
wadi_acc wadi_prescanl(wadi_fn2 f, wadi_exp z, wadi_acc a);
wadi_acc wadi_prescanl_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc a);
wadi_acc wadi_postscanl(wadi_fn2 f, wadi_exp z, wadi_acc a);
wadi_acc wadi_postscanl_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc a);
wadi_acc wadi_prescanr(wadi_fn2 f, wadi_exp z, wadi_acc a);
wadi_acc wadi_prescanr_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc a);
wadi_acc wadi_postscanr(wadi_fn2 f, wadi_exp z, wadi_acc a);
wadi_acc wadi_postscanr_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc a);

/* ---- order ---- */

/** Every row (the innermost dimension) in ascending order of its elements, or of their keys; equal ones stay in order. NaN
 *  comes last. Costs a pass per bit of the key's type. */
wadi_acc wadi_sort(wadi_acc a);
wadi_acc wadi_sort_by_key(wadi_fn1 key, wadi_acc a);
wadi_acc wadi_sort_by_key_env(wadi_fn1_env key, void *env, wadi_acc a);

/* ---- segments ---- */

/** One result per segment; z for an empty one, combined once with every other. */
wadi_acc wadi_fold_seg(wadi_fn2 f, wadi_exp z, wadi_acc lengths, wadi_acc a);
wadi_acc wadi_fold_seg_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc lengths, wadi_acc a);
wadi_acc wadi_fold_offsets(wadi_fn2 f, wadi_exp z, wadi_acc offsets, wadi_acc a);
wadi_acc wadi_fold_offsets_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc offsets, wadi_acc a);
/** An empty segment is a fault. */
wadi_acc wadi_fold1_seg(wadi_fn2 f, wadi_acc lengths, wadi_acc a);
wadi_acc wadi_fold1_seg_env(wadi_fn2_env f, void *env, wadi_acc lengths, wadi_acc a);
wadi_acc wadi_fold1_offsets(wadi_fn2 f, wadi_acc offsets, wadi_acc a);
wadi_acc wadi_fold1_offsets_env(wadi_fn2_env f, void *env, wadi_acc offsets, wadi_acc a);

/* Scans of each segment; places of the result that belong to no segment are zero. Those of scanl and scanr have one element
 * more per segment. */
wadi_acc wadi_scanl_seg(wadi_fn2 f, wadi_exp z, wadi_acc lengths, wadi_acc a);
wadi_acc wadi_scanl_seg_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc lengths, wadi_acc a);
wadi_acc wadi_scanl1_seg(wadi_fn2 f, wadi_acc lengths, wadi_acc a);
wadi_acc wadi_scanl1_seg_env(wadi_fn2_env f, void *env, wadi_acc lengths, wadi_acc a);
wadi_acc wadi_prescanl_seg(wadi_fn2 f, wadi_exp z, wadi_acc lengths, wadi_acc a);
wadi_acc wadi_prescanl_seg_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc lengths, wadi_acc a);
wadi_acc wadi_postscanl_seg(wadi_fn2 f, wadi_exp z, wadi_acc lengths, wadi_acc a);
wadi_acc wadi_postscanl_seg_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc lengths,
                                wadi_acc a);
wadi_acc wadi_scanr_seg(wadi_fn2 f, wadi_exp z, wadi_acc lengths, wadi_acc a);
wadi_acc wadi_scanr_seg_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc lengths, wadi_acc a);
wadi_acc wadi_scanr1_seg(wadi_fn2 f, wadi_acc lengths, wadi_acc a);
wadi_acc wadi_scanr1_seg_env(wadi_fn2_env f, void *env, wadi_acc lengths, wadi_acc a);
wadi_acc wadi_prescanr_seg(wadi_fn2 f, wadi_exp z, wadi_acc lengths, wadi_acc a);
wadi_acc wadi_prescanr_seg_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc lengths, wadi_acc a);
wadi_acc wadi_postscanr_seg(wadi_fn2 f, wadi_exp z, wadi_acc lengths, wadi_acc a);
wadi_acc wadi_postscanr_seg_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc lengths,
                                wadi_acc a);
/** Tuple: the scan without the totals, and the totals. */
wadi_acc wadi_scanl_total_seg(wadi_fn2 f, wadi_exp z, wadi_acc lengths, wadi_acc a);
wadi_acc wadi_scanl_total_seg_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc lengths,
                                  wadi_acc a);
/* by offsets */
wadi_acc wadi_scanl_offsets(wadi_fn2 f, wadi_exp z, wadi_acc offsets, wadi_acc a);
wadi_acc wadi_scanl1_offsets(wadi_fn2 f, wadi_acc offsets, wadi_acc a);
wadi_acc wadi_prescanl_offsets(wadi_fn2 f, wadi_exp z, wadi_acc offsets, wadi_acc a);
wadi_acc wadi_scanl_offsets_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc offsets,
                                wadi_acc a);
wadi_acc wadi_scanl1_offsets_env(wadi_fn2_env f, void *env, wadi_acc offsets, wadi_acc a);
wadi_acc wadi_prescanl_offsets_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc offsets,
                                   wadi_acc a);

#endif
