/* The top of the reduction tree: combines the results of a row's blocks into the total, or into the carries of a scan. The law is in
 * operators/reduce_tree.h, under Top. */
#ifndef WADI_CODEGEN_KERNEL_TOP_H
#define WADI_CODEGEN_KERNEL_TOP_H

#include "codegen/loop/loop.h"
#include "operators/reduce_tree.h"

struct wadi_lower;

enum { WADI_TOP_ROOM = 2 * WADI_TREE_RUNS };

/** out = f(acc, x), all of `fields` fields. */
typedef void (*wadi_top_combine)(struct wadi_lower *l, const void *env, const wadi_lv *acc,
                                 const wadi_lv *x, wadi_lv *out);

/** The runs of the results so far, in lane arrays or in memory: one value per power of two. The caller fills in the first group. */
typedef struct wadi_top {
    int fields;
    wadi_type type[WADI_MAX_FIELDS];
    wadi_top_combine combine;
    const void *env;
    bool any_order; /* f gives the same bits in any order: one value is kept */
    bool carries;   /* the carry is needed after each result, not the total after the last */
    int64_t most;   /* results that there may be; 0: not known */
    wadi_lv total[WADI_MAX_FIELDS]; /* variables */

    const wadi_lv *
        memory; /* [fields]: pointers to WADI_TOP_ROOM values each, which stand for the lane arrays; NULL: none */
    wadi_lv run[WADI_MAX_FIELDS], all[WADI_MAX_FIELDS]; /* all: with the runs in front of each */
} wadi_top;

/** Declares the arrays. Called in front of the loop over the results. */
void wadi_top_declare(struct wadi_lower *l, wadi_top *t);
/** Takes the first result, x. The total, or the carry, is then x. */
void wadi_top_first(struct wadi_lower *l, const wadi_top *t, const wadi_lv *x);
/** Takes x, the result with number `number`, counted from 1. Results come in order, and number 1 may come here or to wadi_top_first. If
 *  t->any_order, they come in any order, but wadi_top_first must have taken one. After the last one (`is_last`, a truth) the total is
 *  right. If carries are needed, the carry is right after each one, and is_last is not used. */
void wadi_top_next(struct wadi_lower *l, const wadi_top *t, wadi_lv number, wadi_lv is_last,
                   const wadi_lv *x);

#endif
