/* The array language, continued: array operations beyond the basic ones of wadi/lang.h, which includes this file.
 *
 * A ragged result is a vector of values, with a count or with offsets beside it. Segments of the innermost dimension are
 * given by their lengths, or by offsets: segment j is [offsets[j], offsets[j+1]). Segments follow one another from 0 on.
 * Lengths may sum to less than the extent. A negative length, offsets that fall, and a segment beyond the extent are faults.
 *
 * Every function that takes a scalar function has a form with the suffix `_env`, which passes an environment to it. */
#include "wadi/lang.h" /* which includes this file at its end, once what it needs is there */

#ifndef WADI_LANG_ARRAYS_H
#define WADI_LANG_ARRAYS_H

/* ---- element by element ---- */

typedef wadi_exp (*wadi_fn_n)(int n, const wadi_exp *x);
typedef wadi_exp (*wadi_fn_n_env)(void *, int n, const wadi_exp *x);
typedef wadi_exp (*wadi_izip_fn)(wadi_ix, wadi_exp, wadi_exp);
typedef wadi_exp (*wadi_izip_fn_env)(void *, wadi_ix, wadi_exp, wadi_exp);
typedef wadi_exp (*wadi_izip_n_fn_env)(void *, wadi_ix, int n, const wadi_exp *x);

/** wadi_zip_with of 2 to 9 arrays. */
wadi_acc wadi_zip_with_n(wadi_fn_n f, int n, const wadi_acc *arrays);
/** wadi_zip_with_n with an environment. */
wadi_acc wadi_zip_with_n_env(wadi_fn_n_env f, void *env, int n, const wadi_acc *arrays);
/** wadi_zip_with whose function also gets the index. */
wadi_acc wadi_izip_with(wadi_izip_fn f, wadi_acc a, wadi_acc b);
/** wadi_izip_with with an environment. */
wadi_acc wadi_izip_with_env(wadi_izip_fn_env f, void *env, wadi_acc a, wadi_acc b);
/** wadi_izip_with of 1 to 9 arrays. */
wadi_acc wadi_izip_with_n_env(wadi_izip_n_fn_env f, void *env, int n, const wadi_acc *arrays);
/** wadi_zip_with over the intersection of the shapes: extents need not agree. */
wadi_acc wadi_zip_with_min(wadi_fn2 f, wadi_acc a, wadi_acc b);
/** wadi_zip_with_min with an environment. */
wadi_acc wadi_zip_with_min_env(wadi_fn2_env f, void *env, wadi_acc a, wadi_acc b);

/* ---- matrices ---- */

/** The product of matrices, which are the last two dimensions of `a` and `b`: [.., m, k] and [.., k, n] give [.., m, n], where element (i, j) is
 *  the wadi_sum of a[.., i, l] b[.., l, j] over l. Both have one rank, 2 at least, and one type of numbers. Extents that differ are a fault. */
wadi_acc wadi_matmul(wadi_acc a, wadi_acc b);

/* ---- parts of a dimension: `_on` names it, else it is the innermost ---- */

wadi_acc wadi_init(wadi_acc a);             /**< all but the last; of an empty row an empty row */
wadi_acc wadi_init_on(int dim, wadi_acc a); /**< the same along dimension `dim` */
wadi_acc wadi_tail(wadi_acc a);             /**< all but the first; of an empty row an empty row */
wadi_acc wadi_tail_on(int dim, wadi_acc a); /**< the same along dimension `dim` */
/** `n` elements from number `from` on; fewer if the dimension ends before. */
wadi_acc wadi_slit(wadi_exp from, wadi_exp n, wadi_acc a);
/** wadi_slit along dimension `dim`. */
wadi_acc wadi_slit_on(int dim, wadi_exp from, wadi_exp n, wadi_acc a);

/** `a`, then `b`, along the innermost dimension; the other extents must agree. */
wadi_acc wadi_concat(wadi_acc a, wadi_acc b);
/** wadi_concat along dimension `dim`. */
wadi_acc wadi_concat_on(int dim, wadi_acc a, wadi_acc b);
/** 1 to 9 arrays, one after another along dimension `dim`. */
wadi_acc wadi_concat_n(int dim, int n, const wadi_acc *arrays);

/* ---- filters and expansions ---- */

/** A pair: the elements for which `p` gives true, row by row, as one vector; and the number of them in each row (the innermost
 *  dimension), i64. */
wadi_acc wadi_filter(wadi_fn1 p, wadi_acc a);
/** wadi_filter with an environment. */
wadi_acc wadi_filter_env(wadi_fn1_env p, void *env, wadi_acc a);
/** wadi_filter whose predicate gets the elements of 1 to 9 arrays of one shape; the elements of the first are kept. */
wadi_acc wadi_filter_by_env(wadi_fn_n_env p, void *env, int n, const wadi_acc *arrays);
/** wadi_filter by an array of bools, of the shape of `a`. */
wadi_acc wadi_compact(wadi_acc flags, wadi_acc a);
/** A pair: each row with the elements for which `p` gives true first and the others after them, both in order; and the number of
 *  the former in each row, i64. */
wadi_acc wadi_partition(wadi_fn1 p, wadi_acc a);
/** wadi_partition with an environment. */
wadi_acc wadi_partition_env(wadi_fn1_env p, void *env, wadi_acc a);
/** The vector in which each element x of the vector `a` is replaced by f(x, 0) .. f(x, size(x) - 1). A negative size is a fault. */
wadi_acc wadi_expand(wadi_fn1 size, wadi_fn2 f, wadi_acc a);
/** wadi_expand with an environment. */
wadi_acc wadi_expand_env(wadi_fn1_env size, wadi_fn2_env f, void *env, wadi_acc a);
/** wadi_expand by offsets instead of sizes: extent(a) + 1 numbers, from 0 to the extent of the result. */
wadi_acc wadi_expand_offsets(wadi_fn2 f, wadi_acc offsets, wadi_acc a);
/** wadi_expand_offsets with an environment. */
wadi_acc wadi_expand_offsets_env(wadi_fn2_env f, void *env, wadi_acc offsets, wadi_acc a);

/* ---- reading and writing by index ---- */

/** From the index of an element and the `n` keys there to its target. */
typedef wadi_ix (*wadi_target_fn_env)(void *, wadi_ix, int n, const wadi_exp *key);
/** wadi_permute whose index function also gets the elements of the `n` (0 to 8) arrays `keys`, which have the shape of `a`. */
wadi_acc wadi_permute_by_env(wadi_fn2_env comb, wadi_acc defaults, wadi_target_fn_env f, void *env,
                             wadi_acc a, int n, const wadi_acc *keys);

/** At each ix: the element of the vector `a` at indices ! ix if flags ! ix, else defaults ! ix. Indices without a flag are not
 *  read and may be anything. */
wadi_acc wadi_gather_if(wadi_acc flags, wadi_acc indices, wadi_acc defaults, wadi_acc a);
/** A copy of the vector `defaults` into which each element of `a` is written, at the position that `indices` has for it. If
 *  several elements have one position, the last in the order of the source stays. A position out of range is a fault. */
wadi_acc wadi_scatter(wadi_acc indices, wadi_acc defaults, wadi_acc a);
/** wadi_scatter of only the elements whose flag is set. */
wadi_acc wadi_scatter_if(wadi_acc flags, wadi_acc indices, wadi_acc defaults, wadi_acc a);
/** Reduction by index, with n results: result k starts as z and takes each element of `values` whose index is k, as comb(element,
 *  result so far), in the order of the source. An index out of range is a fault. */
wadi_acc wadi_histogram(wadi_fn2 comb, wadi_exp n, wadi_exp z, wadi_acc indices, wadi_acc values);
/** wadi_histogram with an environment. */
wadi_acc wadi_histogram_env(wadi_fn2_env comb, void *env, wadi_exp n, wadi_exp z, wadi_acc indices,
                            wadi_acc values);

/* ---- reductions and scans ---- */

wadi_acc wadi_all_of(wadi_acc a); /**< are all bools of each row true? An empty row: true */
wadi_acc wadi_any_of(wadi_acc a); /**< is any bool of each row true? An empty row: false */

/* From the right: result[i] = a[i] f ... f a[n-1] (f z). */
wadi_acc wadi_scanr(wadi_fn2 f, wadi_exp z, wadi_acc a); /**< extent n + 1; the last element is z */
/** wadi_scanr with an environment. */
wadi_acc wadi_scanr_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc a);
/** wadi_scanr without z: extent n. */
wadi_acc wadi_scanr1(wadi_fn2 f, wadi_acc a);
/** wadi_scanr1 with an environment. */
wadi_acc wadi_scanr1_env(wadi_fn2_env f, void *env, wadi_acc a);
/** A pair: the scan without the total, and the total of each row. In the papers: scanl'. */
wadi_acc wadi_scanl_total(wadi_fn2 f, wadi_exp z, wadi_acc a);
/** wadi_scanl_total with an environment. */
wadi_acc wadi_scanl_total_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc a);
/** wadi_scanl_total from the right. In the papers: scanr'. */
wadi_acc wadi_scanr_total(wadi_fn2 f, wadi_exp z, wadi_acc a);
/** wadi_scanr_total with an environment. */
wadi_acc wadi_scanr_total_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc a);
/** wadi_scanl without the total: extent n, the first element is z. */
wadi_acc wadi_prescanl(wadi_fn2 f, wadi_exp z, wadi_acc a);
/** wadi_prescanl with an environment. */
wadi_acc wadi_prescanl_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc a);
/** wadi_scanl without the leading z: extent n. */
wadi_acc wadi_postscanl(wadi_fn2 f, wadi_exp z, wadi_acc a);
/** wadi_postscanl with an environment. */
wadi_acc wadi_postscanl_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc a);
/** wadi_scanr without the total: extent n, the last element is z. */
wadi_acc wadi_prescanr(wadi_fn2 f, wadi_exp z, wadi_acc a);
/** wadi_prescanr with an environment. */
wadi_acc wadi_prescanr_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc a);
/** wadi_scanr without the trailing z: extent n. */
wadi_acc wadi_postscanr(wadi_fn2 f, wadi_exp z, wadi_acc a);
/** wadi_postscanr with an environment. */
wadi_acc wadi_postscanr_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc a);

/** In scalar code: f(..f(f(z, x0), x1).., xn) over the elements x of one row of `a`, one after another. `row` is the index of the row, of
 *  one dimension less than `a`. f need not be associative, and z may be of any type, also a record. In the papers: sfoldl. */
wadi_exp wadi_sfoldl(wadi_fn2 f, wadi_exp z, wadi_ix row, wadi_acc a);
/** wadi_sfoldl with an environment. */
wadi_exp wadi_sfoldl_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_ix row, wadi_acc a);

/* ---- segments ---- */

/** Reduces each segment; z is used once per segment, so an empty segment gives z. */
wadi_acc wadi_fold_seg(wadi_fn2 f, wadi_exp z, wadi_acc lengths, wadi_acc a);
/** wadi_fold_seg with an environment. */
wadi_acc wadi_fold_seg_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc lengths, wadi_acc a);
/** wadi_fold_seg by offsets. */
wadi_acc wadi_fold_offsets(wadi_fn2 f, wadi_exp z, wadi_acc offsets, wadi_acc a);
/** wadi_fold_offsets with an environment. */
wadi_acc wadi_fold_offsets_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc offsets, wadi_acc a);
/** wadi_fold_seg without z: an empty segment is a fault. */
wadi_acc wadi_fold1_seg(wadi_fn2 f, wadi_acc lengths, wadi_acc a);
/** wadi_fold1_seg with an environment. */
wadi_acc wadi_fold1_seg_env(wadi_fn2_env f, void *env, wadi_acc lengths, wadi_acc a);
/** wadi_fold1_seg by offsets. */
wadi_acc wadi_fold1_offsets(wadi_fn2 f, wadi_acc offsets, wadi_acc a);
/** wadi_fold1_offsets with an environment. */
wadi_acc wadi_fold1_offsets_env(wadi_fn2_env f, void *env, wadi_acc offsets, wadi_acc a);

/* Scans of each segment. Positions of the result that belong to no segment are zero. */

/** wadi_scanl of each segment: one more element per segment. */
wadi_acc wadi_scanl_seg(wadi_fn2 f, wadi_exp z, wadi_acc lengths, wadi_acc a);
/** wadi_scanl_seg with an environment. */
wadi_acc wadi_scanl_seg_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc lengths, wadi_acc a);
/** wadi_scanl1 of each segment. */
wadi_acc wadi_scanl1_seg(wadi_fn2 f, wadi_acc lengths, wadi_acc a);
/** wadi_scanl1_seg with an environment. */
wadi_acc wadi_scanl1_seg_env(wadi_fn2_env f, void *env, wadi_acc lengths, wadi_acc a);
/** wadi_prescanl of each segment. */
wadi_acc wadi_prescanl_seg(wadi_fn2 f, wadi_exp z, wadi_acc lengths, wadi_acc a);
/** wadi_prescanl_seg with an environment. */
wadi_acc wadi_prescanl_seg_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc lengths, wadi_acc a);
/** wadi_postscanl of each segment. */
wadi_acc wadi_postscanl_seg(wadi_fn2 f, wadi_exp z, wadi_acc lengths, wadi_acc a);
/** wadi_postscanl_seg with an environment. */
wadi_acc wadi_postscanl_seg_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc lengths,
                                wadi_acc a);
/** wadi_scanr of each segment: one more element per segment. */
wadi_acc wadi_scanr_seg(wadi_fn2 f, wadi_exp z, wadi_acc lengths, wadi_acc a);
/** wadi_scanr_seg with an environment. */
wadi_acc wadi_scanr_seg_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc lengths, wadi_acc a);
/** wadi_scanr1 of each segment. */
wadi_acc wadi_scanr1_seg(wadi_fn2 f, wadi_acc lengths, wadi_acc a);
/** wadi_scanr1_seg with an environment. */
wadi_acc wadi_scanr1_seg_env(wadi_fn2_env f, void *env, wadi_acc lengths, wadi_acc a);
/** wadi_prescanr of each segment. */
wadi_acc wadi_prescanr_seg(wadi_fn2 f, wadi_exp z, wadi_acc lengths, wadi_acc a);
/** wadi_prescanr_seg with an environment. */
wadi_acc wadi_prescanr_seg_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc lengths, wadi_acc a);
/** wadi_postscanr of each segment. */
wadi_acc wadi_postscanr_seg(wadi_fn2 f, wadi_exp z, wadi_acc lengths, wadi_acc a);
/** wadi_postscanr_seg with an environment. */
wadi_acc wadi_postscanr_seg_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc lengths,
                                wadi_acc a);
/** A pair: the scans without the totals, and the total of each segment. */
wadi_acc wadi_scanl_total_seg(wadi_fn2 f, wadi_exp z, wadi_acc lengths, wadi_acc a);
/** wadi_scanl_total_seg with an environment. */
wadi_acc wadi_scanl_total_seg_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc lengths,
                                  wadi_acc a);
/** wadi_scanl_seg by offsets. */
wadi_acc wadi_scanl_offsets(wadi_fn2 f, wadi_exp z, wadi_acc offsets, wadi_acc a);
/** wadi_scanl1_seg by offsets. */
wadi_acc wadi_scanl1_offsets(wadi_fn2 f, wadi_acc offsets, wadi_acc a);
/** wadi_prescanl_seg by offsets. */
wadi_acc wadi_prescanl_offsets(wadi_fn2 f, wadi_exp z, wadi_acc offsets, wadi_acc a);
/** wadi_scanl_offsets with an environment. */
wadi_acc wadi_scanl_offsets_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc offsets,
                                wadi_acc a);
/** wadi_scanl1_offsets with an environment. */
wadi_acc wadi_scanl1_offsets_env(wadi_fn2_env f, void *env, wadi_acc offsets, wadi_acc a);
/** wadi_prescanl_offsets with an environment. */
wadi_acc wadi_prescanl_offsets_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc offsets,
                                   wadi_acc a);

#endif
