/* The array language, continued: sorting, ranking and searching. Included by wadi/lang.h.
 *
 * Everything works on each row (the innermost dimension) on its own. Keys are real numbers or bools: false is less than true, -0 equals +0,
 * and NaN comes after all numbers, whether the order ascends or descends. Every order is stable: elements of equal keys keep their
 * order. Positions are numbers within the row, i64, from 0 on. */
#include "wadi/lang.h" /* which includes this file at its end, once what it needs is there */

#ifndef WADI_LANG_ORDER_H
#define WADI_LANG_ORDER_H

/** Each row in ascending order; of real numbers or bools. */
wadi_acc wadi_sort(wadi_acc a);
/** Each row in ascending order of the key of each element. */
wadi_acc wadi_sort_by_key(wadi_fn1 key, wadi_acc a);
/** wadi_sort_by_key with an environment. */
wadi_acc wadi_sort_by_key_env(wadi_fn1_env key, void *env, wadi_acc a);

/** One key of several, and its direction. Either `key`, or `key_env` with its environment. */
typedef struct wadi_order {
    wadi_fn1 key;
    wadi_fn1_env key_env; /**< NULL: `key` is used */
    void *env;
    bool down; /**< greatest first */
} wadi_order;
/** The order that ascends by the key. */
wadi_order wadi_ascending(wadi_fn1 key);
/** The order that descends by the key. */
wadi_order wadi_descending(wadi_fn1 key);
/** Each row by the first of `n` orders (1 to 16); elements equal by it, by the second; and so on. */
wadi_acc wadi_sort_by(int n, const wadi_order *orders, wadi_acc a);

/** The positions of the elements in the order of wadi_sort: element i of the result says where element i of the sorted row was. */
wadi_acc wadi_argsort(wadi_acc a);
/** The positions of the elements in the order of wadi_sort_by. */
wadi_acc wadi_argsort_by(int n, const wadi_order *orders, wadi_acc a);

/** A pair: the `k` greatest elements of each row, the greatest first, and their positions; of equal ones the first. Rows that have fewer
 *  than `k` give all; `k` below 0 counts as 0. */
wadi_acc wadi_largest(wadi_exp k, wadi_acc a);
/** wadi_largest of the least elements, the least first. */
wadi_acc wadi_smallest(wadi_exp k, wadi_acc a);

/* Runs: neighbours in a row that are equal (records: in all fields). All NaN are equal to one another. Rows that are sorted have one run
 * for each value. */

/** Three arrays: the first element of each run, of all rows as one vector; the length of each run, i64, in the same order; and the number
 *  of runs in each row, i64. */
wadi_acc wadi_unique(wadi_acc a);
/** The number of the run that each element is in, i64; each row counts from 0. */
wadi_acc wadi_group_ids(wadi_acc a);

/** For each of `needles`, how many elements of the sorted row are less: the first position at which it could be inserted, i64. `sorted` is a
 *  vector; or it has the rank of `needles`, and each row of needles is searched for in the row of the same index. Rows that are
 *  not sorted give some number in 0 .. extent. A row of needles without a row to search is a fault. */
wadi_acc wadi_lower_bound(wadi_acc sorted, wadi_acc needles);
/** wadi_lower_bound, but how many are less or equal: the last position. */
wadi_acc wadi_upper_bound(wadi_acc sorted, wadi_acc needles);

#endif
