/* What a saved state is of: names and values. It goes on only where they are all the same. */
#ifndef WADI_SCHED_TRAITS_H
#define WADI_SCHED_TRAITS_H

#include "sched/state.h"

/* Appends a fact. differs: what it means if the value differs, "another program", "other data of the source"; name: what it is about, "" if
 * `differs` says so. */
void wadi_traits_put(wadi_text *out, const char *differs, const char *name, const char *value);
/* Behind the last fact. */
void wadi_traits_end(wadi_text *out);

/* Goes behind the facts in *from. If they are not `own`, the error says what is different, of what is saved in `dir`: WADI_INVALID. With `any`,
 * differences are no failure. */
WADI_NODISCARD wadi_status wadi_traits_compare(const char *dir, bool any, wadi_state_reader own,
                                               wadi_state_reader *from, wadi_error *err);
/* The same where a state of an older version may have only the facts in the first `older` bytes of `own`. */
WADI_NODISCARD wadi_status wadi_traits_compare_older(const char *dir, bool any,
                                                     wadi_state_reader own, size_t older,
                                                     wadi_state_reader *from, wadi_error *err);

#endif
