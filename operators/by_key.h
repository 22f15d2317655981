/* What scan_by_key and fold_by_key share: the key is the first component of an element. */
#ifndef WADI_OPERATORS_BY_KEY_H
#define WADI_OPERATORS_BY_KEY_H

#include "operators/stepping.h"

/** The arguments and the region of scan_seq, over elements that begin with a key. No results are made. */
WADI_NODISCARD wadi_status wadi_rule_by_key(wadi_module *m, wadi_bind *b, wadi_error *err);
/** Appends stream, first state and region; false if the draft has failed. */
bool wadi_stepping_by_key(wadi_draft *d, wadi_acc_fn2_env f, void *env, wadi_acc z, wadi_seq s,
                          wadi_stepping *out);

#endif
