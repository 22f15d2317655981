/* Routines of the host program (wadi/lang_foreign.h), by name. */
#ifndef WADI_SCHED_FOREIGN_OWN_H
#define WADI_SCHED_FOREIGN_OWN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
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
/* Notes what tells the host program's routines from others of the same names, such as the digest of their library; describe appends all that
 * was noted since the process began. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_foreign_own_note(const char *what, wadi_error *err);
void wadi_foreign_own_describe(wadi_text *out);
/* Problem after problem. False: it declines; or it fails, and *failure (or NULL) says so. */
bool wadi_foreign_own_run(const wadi_call *call, wadi_error *failure);

#endif
