/* The top of the reduction tree: combines the results of a row's blocks into the total, or into the carries of a scan. The law is in
 * operators/reduce_tree.h, under Top. */
#ifndef WADI_CODEGEN_KERNEL_TOP_H
#define WADI_CODEGEN_KERNEL_TOP_H

#include "codegen/loop/loop.h"

struct wadi_lower;

/** out = f(acc, x), all of `fields` fields. */
typedef void (*wadi_top_combine)(struct wadi_lower *l, const void *env, const wadi_lv *acc,
                                 const wadi_lv *x, wadi_lv *out);

/** The runs of the results so far, in lane arrays: one value per power of two. The caller fills in the first group. */
typedef struct wadi_top {
    int fields;
    wadi_type type[WADI_MAX_FIELDS];
    wadi_top_combine combine;
    const void *env;
    bool any_order; /* f gives the same bits in any order: one value is kept */
    bool carries; /* the carry is needed behind each result, instead of the total behind the last */
    wadi_lv total[WADI_MAX_FIELDS]; /* variables */

    wadi_lv run[WADI_MAX_FIELDS], all[WADI_MAX_FIELDS]; /* all: with the runs in front of each */
} wadi_top;

/** Declares the arrays. Called in front of the loop over the results. */
void wadi_top_declare(struct wadi_lower *l, wadi_top *t);
/** Takes result number 1: the total, or what is carried, is x. */
void wadi_top_first(struct wadi_lower *l, const wadi_top *t, const wadi_lv *x);
/** Takes x, result number `number`: of 1 on, or in any order behind the first. Behind the last (`is_last`, a truth) the total is right;
 *  what is carried is right behind each, and then is_last is not looked at. */
void wadi_top_next(struct wadi_lower *l, const wadi_top *t, wadi_lv number, wadi_lv is_last,
                   const wadi_lv *x);

#endif
