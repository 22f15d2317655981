/* The array language, continued: random numbers that are functions of a seed and an index. Included by wadi/lang.h.
 *
 * The generator is Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC 2011). Its key
 * is the seed and its counter the index, so there is no state, and a number is the same on every target, under every schedule and in
 * any order. Seed and index are of any integer type and count as u64; a negative one wraps.
 *
 * All functions of one seed and one index are made of the same 128 bits. Numbers that are to be independent differ in their seed or
 * index. Seeds that follow one another are as good as any others. */
#include "wadi/lang.h" /* which includes this file at its end, once what it needs is there */

#ifndef WADI_LANG_RANDOM_H
#define WADI_LANG_RANDOM_H

/** 128 bits: a record of four u32, w0 to w3. The counter is index + 2^64 above; all other functions have 0 for `above`. */
wadi_exp wadi_random_words(wadi_exp seed, wadi_exp index, wadi_exp above);
/** 32 bits, u32: the word w0. */
wadi_exp wadi_random_u32(wadi_exp seed, wadi_exp index);
/** 64 bits, u64: w0 + 2^32 w1. */
wadi_exp wadi_random_u64(wadi_exp seed, wadi_exp index);
/** An f32 in [0, 1): one of the 2^24 multiples of 2^-24, all equally likely. */
wadi_exp wadi_random_f32(wadi_exp seed, wadi_exp index);
/** An f64 in [0, 1): one of the 2^53 multiples of 2^-53, all equally likely. */
wadi_exp wadi_random_f64(wadi_exp seed, wadi_exp index);
/** An integer in 0 .. n - 1, of the type of `n` (any integer type). No number's probability differs from 1 / n by more than
 *  2^-128. `n` below 1 gives 0. */
wadi_exp wadi_random_below(wadi_exp seed, wadi_exp index, wadi_exp n);
/** An integer in low .. high, both included, of the type of both. Probabilities are as exact as those of wadi_random_below.
 *  `high` below `low` gives `low`. */
wadi_exp wadi_random_between(wadi_exp seed, wadi_exp index, wadi_exp low, wadi_exp high);
/** An f64 of the normal distribution with mean 0 and deviation 1: the inverse of its distribution function (Wichura: Algorithm AS 241,
 *  PPND16, Applied Statistics 37, 1988; relative error about 1e-15) at a uniform number of 64 bits. Moduli reach 9.16. */
wadi_exp wadi_random_normal_f64(wadi_exp seed, wadi_exp index);
/** wadi_random_normal_f64, rounded to f32. */
wadi_exp wadi_random_normal_f32(wadi_exp seed, wadi_exp index);

/** The array of shape `shape` whose element number i, in row-major order, is draw(seed, i):
 *      wadi_random_array(wadi_random_normal_f64, wadi_ix2(rows, columns), seed) */
wadi_acc wadi_random_array(wadi_fn2 draw, wadi_ix shape, wadi_exp seed);
/** wadi_random_array with an environment. */
wadi_acc wadi_random_array_env(wadi_fn2_env draw, void *env, wadi_ix shape, wadi_exp seed);

#endif
