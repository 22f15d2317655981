/* Keys of orders as unsigned numbers, and the comparisons that agree with them. */
#ifndef WADI_OPERATORS_DERIVED_SORT_KEYS_H
#define WADI_OPERATORS_DERIVED_SORT_KEYS_H

#include "graph/lang/node.h"

/* The positions of the elements of each row by `n` orders, of which only the directions count: keys[k] has the keys of order k. `what` is
 * named in messages. */
wadi_acc wadi_sort_positions(const char *what, int n, const wadi_order *orders,
                             const wadi_acc *keys);
/* The elements of each row of `a`, which has the shape of the keys, in this order. */
wadi_acc wadi_sort_elements(const char *what, int n, const wadi_order *orders, const wadi_acc *keys,
                            wadi_acc a);

/* The unsigned type as wide as `t`. */
wadi_type wadi_sort_unsigned(wadi_type t);
/* The key of type `t` as an unsigned number with the same order, or the opposite one (`down`). NaN is last in both. */
wadi_exp wadi_sort_bits(wadi_exp key, wadi_type t, bool down);
/* x comes before y. Both are of one type that has an order. */
wadi_exp wadi_sort_before(wadi_exp x, wadi_exp y);
/* Whether two elements, also records, are equal; all NaN are. */
wadi_exp wadi_sort_same(wadi_exp x, wadi_exp y);

#endif
