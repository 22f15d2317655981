/* The forms of permute in schedules flat and group; permute.c chooses. */
#ifndef WADI_CODEGEN_KERNEL_FLAT_PERMUTES_H
#define WADI_CODEGEN_KERNEL_FLAT_PERMUTES_H

#include "codegen/kernel/flat/flat.h"

/** How many tables n elements of a source are worth, for a result of `size` elements; 0: none
 *  (permute_any.c). */
wadi_lv wadi_flat_permute_tables(wadi_lower *l, wadi_lv n, wadi_lv size);
/** Whether the result takes over the memory of the defaults (scatter.c). */
bool wadi_flat_permute_is_in_place(const wadi_flat *c, const wadi_bind *bind);
/** Whether a permute may turn out to be a permutation of a long vector, the last of elements that meet being kept; then: its steps
 *  (permute_full.c). */
bool wadi_flat_permute_is_full(wadi_flat *c, const wadi_bind *bind);
wadi_status wadi_flat_permute_full(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag);
/** Whether workers may share the rows that a vector goes to, if its neighbouring elements turn out to go to neighbouring ones; then: its steps
 *  (permute_near.c). `tables`: the slot of tables that have been filled if their number is not 0, or -1. */
bool wadi_flat_permute_is_near(wadi_flat *c, const wadi_bind *bind);
wadi_status wadi_flat_permute_near(wadi_flat *c, const wadi_bind *bind, int slot, int tables,
                                   const char *tag);
/** Whether a vector goes to several tables if it is long enough, and the step that fills them: *out_slot (permute_tables.c). */
bool wadi_flat_permute_has_tables(const wadi_flat *c, const wadi_bind *bind);
wadi_status wadi_flat_permute_fill_tables(wadi_flat *c, const wadi_bind *bind, const char *tag,
                                          int *out_slot);
/** Combines the tables that the unit reads with the defaults; if there are none, the source. */
void wadi_flat_permute_merge(wadi_lower *l, const wadi_unit *u);

/* Schedule group. */

/** The step that writes the defaults into `slot`, unless they are there (permute_any.c). */
wadi_status wadi_flat_permute_defaults(wadi_flat *c, const wadi_bind *bind, int slot,
                                       const char *tag);
/** Elements are combined in any order. */
wadi_status wadi_flat_permute_any(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag);
/** The elements of a vector, no two of which have one place. */
wadi_status wadi_flat_permute_apart(wadi_flat *c, const wadi_bind *bind, int slot, const char *tag);
/** Elements are combined in the order of the source, wherever data sends them (permute_sorted.c). */
wadi_status wadi_flat_permute_sorted(wadi_flat *c, const wadi_bind *bind, int slot,
                                     const char *tag);
/** Whether that is possible, and worth it. */
bool wadi_flat_permute_sorts(wadi_flat *c, const wadi_bind *bind);

#endif
