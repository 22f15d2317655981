/* What the files about rows have in common: the fields of what is reduced, and one application of f. Only the row*.c files include this. */
#ifndef WADI_CODEGEN_KERNEL_ROW_STEPS_H
#define WADI_CODEGEN_KERNEL_ROW_STEPS_H

#include "codegen/kernel/row.h"
#include "codegen/kernel/top.h"

/** The type of field `field` of all fields of r. */
wadi_type wadi_row_type(const wadi_row *r, int field);
/** The fold, of several, that the field belongs to. */
const wadi_row_fold *wadi_row_fold_at(const wadi_row *r, int field);
/** How many fields are combined at once, of those from `field` on. */
int wadi_row_width_at(const wadi_row *r, int field);
/** What is combined at once from field `at` on, as a row of its own. */
wadi_row wadi_row_alone_at(const wadi_row *r, int at);
/** Whether one plain loop reduces the row; it gives the identity for an empty row. A group of lanes uses lanes instead, which is
 * allowed because the order is free. */
bool wadi_row_is_plain(const wadi_lower *l, const wadi_row *r);
/** The identity of the fold that the field belongs to, whose f has any order. */
wadi_lv wadi_row_identity_at(wadi_lower *l, const wadi_row *r, int field);
/** Variables for an element: with init[r->fields], or without values if that is NULL. */
void wadi_row_declare(wadi_lower *l, const wadi_row *r, const wadi_lv *init, const char *name,
                      wadi_lv *out);
/** out = f(acc, x). Rows that are reduced together are combined each on its own. */
void wadi_row_combine(wadi_lower *l, const wadi_row *r, const wadi_lv *acc, const wadi_lv *x,
                      wadi_lv *out);
/** var = f(var, x) */
void wadi_row_accumulate(wadi_lower *l, const wadi_row *r, const wadi_lv *var, const wadi_lv *x);
/** The top of row `r`; its total goes to the variables `total`. Borrows r. */
wadi_top wadi_row_top(wadi_lower *l, const wadi_row *r, const wadi_lv *total);
/** How many elements the block has that begins at element `from`. */
wadi_lv wadi_row_block_length(wadi_lower *l, const wadi_row *r, wadi_lv from);

/** The total of a row of n >= 1 elements. It is a wadi_row_total, without an env. */
void wadi_row_total_of_row(wadi_lower *l, const wadi_row *r, void *env, wadi_lv *out);

/* A block whose full stripes a team has joined already. */
typedef struct wadi_row_joined {
    wadi_lv from, count;  /* the block */
    const wadi_lv *lanes; /* [fields of the row] lane arrays with what each team has made */
    wadi_lv team;
} wadi_row_joined;
/** The total of such a block: with the elements behind the stripes. `env`: a wadi_row_joined. It is a wadi_row_total. */
void wadi_row_total_of_joined(wadi_lower *l, const wadi_row *r, void *env, wadi_lv *out);

#endif
