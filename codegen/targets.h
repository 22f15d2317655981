/* The table of targets, and finding one by its name. */
#ifndef WADI_CODEGEN_TARGETS_H
#define WADI_CODEGEN_TARGETS_H

#include "codegen/build/target.h"

/* Ended by a row without a name; the first is the default, this machine's own. */
extern const wadi_target wadi_targets[];

/* The target of that name; NULL: $WADI_TARGET's, or the default. Errors: WADI_INVALID (there is none; the message lists them),
 * WADI_UNSUPPORTED (this processor could not run it). */
WADI_NODISCARD wadi_status wadi_target_find(const char *name, const wadi_target **out,
                                            wadi_error *err);
/* What takes the option --target in the tables of programs (base/args.h): makes the target the default of this process and its
 * children, before there are threads. `options` is not looked at. Errors: the same. */
WADI_NODISCARD wadi_status wadi_target_take(void *options, const char *value, wadi_error *err);

/* Languages, a file each. */
extern const wadi_language wadi_language_c; /* language_c.c */

#endif
