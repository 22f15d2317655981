/* Routines of the host program (wadi/lang_foreign.h), by name. */
#ifndef WADI_SCHED_FOREIGN_OWN_H
#define WADI_SCHED_FOREIGN_OWN_H

#include <stdbool.h>
#include <stddef.h>

#include "sched/kernel.h"
#include "wadi/lang.h"

/* The length of a name without ".steady" at its end: routines outside of libraries have one form. */
size_t wadi_foreign_stem(const char *name);
bool wadi_foreign_own_has(const char *name);
/* wadi_foreign_declines. */
bool wadi_foreign_own_declines(const char *name);
/* wadi_foreign_add, for names that no library has. */
WADI_NODISCARD wadi_status wadi_foreign_own_add(const char *name, wadi_foreign_fn fn, void *env,
                                                wadi_error *err);
/* Problem after problem. False: it declines; or it fails, and *failure (or NULL) says so. */
bool wadi_foreign_own_run(const wadi_call *call, wadi_error *failure);

#endif
