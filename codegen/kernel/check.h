/* Checks and faults: where code stands, what is tried, loops in two versions, checks ahead of a group of lanes. */
#ifndef WADI_CODEGEN_KERNEL_CHECK_H
#define WADI_CODEGEN_KERNEL_CHECK_H

#include "codegen/kernel/lower.h"

/** Code that ends the kernel with a fault at a row of the table of places, where code stands now. */
void wadi_lower_fault(wadi_lower *l, wadi_fault_kind kind, int place, wadi_lv v0, wadi_lv v1);
/** The same with all [WADI_FAULT_VALUES] values. */
void wadi_lower_fault_of(wadi_lower *l, wadi_fault_kind kind, int place, const wadi_lv *value);
/** Memory that is asked for from now on is for `v`: what there is none for names its operator. */
void wadi_lower_at_work(wadi_lower *l, wadi_val v);
/** A text that lives as long as the plan. */
const char *wadi_lower_words(wadi_lower *l, const char *format, ...) WADI_PRINTF(2, 3);
/** "in dimension 2": where an index stands. */
const char *wadi_lower_dimension(int d);
/** A fault unless 0 <= index < extent. Returns the scope from which on that is known, NULL: here alone. */
const wadi_lscope *wadi_lower_in_range(wadi_lower *l, wadi_lv index, wadi_lv extent, const char *op,
                                       const char *where, wadi_loc loc);
/** Whether a loop that is opened here can be one by lanes. */
static inline bool wadi_lower_has_lanes(const wadi_lower *l) {
    return l->position.in_group && !l->position.in_lane;
}
/** The loop just opened is one by lanes until it ends. Returns the position before, which is put back then. */
wadi_lower_position wadi_lower_by_lanes(wadi_lower *l);
/** What follows is computed for elements of an array of that shape. Returns the position before, to be put back. */
wadi_lower_position wadi_lower_in_array(wadi_lower *l, int rank, const wadi_lv *extent);
/** The same for element ix of an array of that rank. */
wadi_lower_position wadi_lower_at_element(wadi_lower *l, int rank, const wadi_lv *ix);
/** Begins a trial: what follows is written aside. */
void wadi_lower_try(wadi_lower *l, wadi_trial *t);
/** Ends it. True: it is harmless, and may be merged. */
bool wadi_lower_tried(wadi_lower *l, wadi_trial *t);
/** What is being written is not harmless. True: it was tried. */
bool wadi_lower_not_harmless(wadi_lower *l);
/** Writes code; may be called several times. */
typedef void (*wadi_build)(wadi_lower *l, void *env);
/** Builds code in which checks that can be decided here are taken out: `if (fine) fast else careful`. What the code
 *  computes must leave through variables or memory. */
void wadi_lower_versions(wadi_lower *l, wadi_build build, void *env);
/** The same inside `outer`, which is asked first. */
void wadi_lower_versions_within(wadi_lower *l, wadi_version *outer, wadi_build build, void *env);
/** One more thing that must hold for the fast version at work. */
void wadi_lower_demand(wadi_lower *l, wadi_lv condition);
/** `build` writes one loop over lanes. It may be called several times: then, while wadi_lower_only_checks, for the sake of the
 *  lanes' checks alone, and nothing is to be stored. */
void wadi_lower_ahead(wadi_lower *l, wadi_build build, void *env);
/** Whether code is written for the sake of its checks alone. */
bool wadi_lower_only_checks(const wadi_lower *l);
/** Whether this check is made ahead of the group, or has been. */
bool wadi_lower_is_ahead(wadi_lower *l, wadi_lv index, wadi_lv extent);

#endif
