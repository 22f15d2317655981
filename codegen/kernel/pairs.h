/* Folds over all pairs: the result has a row and a column, and the element that is folded is computed from values that depend on the row
 * and values that depend on the column, each also on the place in the fold. A matrix product is one: the sum of a[i, k] b[k, j] over k. */
#ifndef WADI_CODEGEN_KERNEL_PAIRS_H
#define WADI_CODEGEN_KERNEL_PAIRS_H

#include "codegen/kernel/lower.h"

enum { WADI_PAIRS_ROW, WADI_PAIRS_COLUMN, WADI_PAIRS_PLACE, WADI_PAIRS_OPERANDS = 4 };
/* Rows that are packed at a time, about. Packing a column costs as much as some products, and so many share it. */
enum { WADI_PAIRS_UNIT_ROWS = 96 };

/* Results of a fold that are computed together. */
typedef struct wadi_pairs_part {
    const wadi_bind *bind;
    const wadi_lv *ix;               /* the outer index: all but the last two dimensions */
    wadi_lv from[2], below[2];       /* rows and columns */
    const wadi_lv *extent, *pointer; /* of the result */
} wadi_pairs_part;

/* The element of such a fold, taken apart. */
typedef struct wadi_pairs {
    const wadi_bind *bind;
    int fields;
    const wadi_lscope *of; /* where the code of the element was written, aside */
    wadi_lv axis[3];       /* its row, its column, its place in the fold */
    wadi_lv x[WADI_MAX_FIELDS];
    int n[2]; /* the values that do not depend on the column; that do not depend on the row */
    wadi_lv operand[2][WADI_PAIRS_OPERANDS];
} wadi_pairs;

/* pairs_find.c */
/** How many rows and columns of results with these elements are computed at once. */
int wadi_pairs_rows(const wadi_elem *e);
int wadi_pairs_columns(const wadi_elem *e);
/** Whether `bind` is such a fold, as far as can be told before code is written. */
bool wadi_lower_pairs_may(const wadi_lower *l, const wadi_bind *bind);
/** Whether its rows, columns and places are of a number that tiles are for. */
wadi_lv wadi_lower_pairs_fit(wadi_lower *l, const wadi_bind *bind);
/** Takes the element apart. False: it is no such fold, or its element may fault here. */
bool wadi_pairs_find(wadi_lower *l, const wadi_pairs_part *part, wadi_pairs *out);

/** Computes the part, which has as many rows and columns as a tile at least, by tiles; wadi_lower_pairs_fit holds (pairs_tile.c). */
void wadi_pairs_tiles(wadi_lower *l, const wadi_pairs *p, const wadi_pairs_part *part);

/* pairs.c */
/** Whether code for `bind` would use tiles where wadi_lower_pairs_fit. Code is tried in l, which is useless afterwards. */
bool wadi_lower_pairs_has(wadi_lower *l, const wadi_bind *bind);
/** Computes a part, by tiles if the element can be taken apart here; wadi_lower_pairs_fit holds. */
void wadi_lower_pairs_part(wadi_lower *l, const wadi_pairs_part *part);
/** Stores all elements of the result by tiles, if there are any at run time. False: there never are any, and nothing is written. */
bool wadi_lower_pairs_fill(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                           const wadi_lv *pointer);

#endif
