/* Checks and faults of a kernel being written.
 *
 * A fault names the position of the code (wadi_lower_position). A check is made in one of three ways: in place; before a loop, which is
 * then written in two versions; or for all lanes of a stripe before they run. Code may also be tried: it is written aside and
 * kept only if it is harmless. */
#ifndef WADI_CODEGEN_KERNEL_CHECK_H
#define WADI_CODEGEN_KERNEL_CHECK_H

#include "codegen/kernel/lower.h"

/** Writes code that ends the kernel with a fault. The fault names row `place` of the table of places, and the current position. */
void wadi_lower_fault(wadi_lower *l, wadi_fault_kind kind, int place, wadi_lv v0, wadi_lv v1);
/** The same with all values: value[WADI_FAULT_VALUES]. */
void wadi_lower_fault_of(wadi_lower *l, wadi_fault_kind kind, int place, const wadi_lv *value);
/** Notes that code requests memory for `v` from now on: if there is none, the fault names the operator of v. */
void wadi_lower_at_work(wadi_lower *l, wadi_val v);
/** A text that lives as long as the plan. */
const char *wadi_lower_words(wadi_lower *l, const char *format, ...) WADI_PRINTF(2, 3);
/** Writes code that faults unless 0 <= index < extent, as wadi_eval_out_of_range does. Returns the scope in which this is known from
 *  here on; NULL: only in the current one. */
const wadi_lscope *wadi_lower_in_range(wadi_lower *l, wadi_lv index, wadi_lv extent, const char *op,
                                       int dim, wadi_loc loc);
/** Whether a loop that is opened here can run by lanes. */
static inline bool wadi_lower_has_lanes(const wadi_lower *l) {
    return l->position.in_group && !l->position.in_lane;
}
/** The loop just opened runs by lanes. Returns the position before; the caller restores it when the loop ends. */
wadi_lower_position wadi_lower_by_lanes(wadi_lower *l);
/** The code that follows computes elements of an array of that shape. Returns the position before; the caller restores it. */
wadi_lower_position wadi_lower_in_array(wadi_lower *l, int rank, const wadi_lv *extent);
/** The same for element ix of an array of that rank. */
wadi_lower_position wadi_lower_at_element(wadi_lower *l, int rank, const wadi_lv *ix);
/** Begins a trial: the code that follows is written aside. */
void wadi_lower_try(wadi_lower *l, wadi_trial *t);
/** Ends it. True: it is harmless, and may be merged. */
bool wadi_lower_tried(wadi_lower *l, wadi_trial *t);
/** The code being written is not harmless. Returns whether it is on trial. */
bool wadi_lower_not_harmless(wadi_lower *l);
/** Begins code that is noted rather than told where it cannot go on: each check opens a branch. Where one of them is not taken, the i64
 *  variable `bad` becomes 1. */
void wadi_lower_quietly(wadi_lower *l, wadi_lv bad, wadi_quiet *q);
/** The same in a branch or loop of such code, noting in the same variable. False: the code around is not quiet, and nothing has begun. */
bool wadi_lower_quietly_within(wadi_lower *l, wadi_quiet *q);
/** Whether nothing has been noted so far. */
wadi_lv wadi_lower_is_well(wadi_lower *l, const wadi_quiet *q);
/** Opens the branch for the case that all is `fine`, if the code being written is quiet; false: it is not, or not here. */
bool wadi_lower_is_quiet(wadi_lower *l, wadi_lv fine);
/** Closes the branches. */
void wadi_lower_quiet_end(wadi_lower *l, const wadi_quiet *q);
/** Writes code; may be called several times. */
typedef void (*wadi_build)(wadi_lower *l, void *env);
/** Builds code in two versions, `if (fine) fast else careful`: the fast one lacks the checks that can be decided here. Results must
 *  leave the code through variables or memory. */
void wadi_lower_versions(wadi_lower *l, wadi_build build, void *env);
/** The same inside `outer`: checks are decided in front of `outer` if they can be. */
void wadi_lower_versions_within(wadi_lower *l, wadi_loop_version *outer, wadi_build build,
                                void *env);
/** The same as wadi_lower_versions, for code whose checks are those of `search`: one loop that makes them in their order and leaves nothing. If
 *  each of its rounds makes all of them, it takes the place of the careful version: `if (!fine) search; fast`. */
void wadi_lower_searched(wadi_lower *l, wadi_build build, wadi_build search, void *env);
/** Adds a condition to those of the fast version that is being written. */
void wadi_lower_demand(wadi_lower *l, wadi_lv condition);
/** `build` writes one loop over lanes. It may be called several times. While wadi_lower_only_checks is true, it writes the loop only for
 *  the checks of the lanes, and must store nothing. */
void wadi_lower_ahead(wadi_lower *l, wadi_build build, void *env);
/** The same for a loop over many elements, which is not written out, and whose rounds are independent. False: nothing is written, because no
 *  check can be made ahead. */
bool wadi_lower_long_ahead(wadi_lower *l, wadi_build build, void *env);
/** Whether code is written only for its checks. */
bool wadi_lower_only_checks(const wadi_lower *l);
/** Whether this check is made ahead of the stripe, or has been. */
bool wadi_lower_is_ahead(wadi_lower *l, wadi_lv index, wadi_lv extent);

#endif
