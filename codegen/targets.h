/* The table of targets, and finding one by its name. */
#ifndef WADI_CODEGEN_TARGETS_H
#define WADI_CODEGEN_TARGETS_H

#include "codegen/build/target.h"

/* The table ends with a row without a name. The first row is the default: the present machine. */
extern const wadi_target wadi_targets[];

/* The target of that name; NULL: $WADI_TARGET's, or the default. Errors: WADI_INVALID (there is none; the message lists them),
 * WADI_UNSUPPORTED (this processor could not run it). */
WADI_NODISCARD wadi_status wadi_target_find(const char *name, const wadi_target **out,
                                            wadi_error *err);
/* The same, whatever this processor is: to make kernels for others. Errors: WADI_INVALID. */
WADI_NODISCARD wadi_status wadi_target_named(const char *name, const wadi_target **out,
                                             wadi_error *err);
/* Whether this processor can run it. Errors: WADI_UNSUPPORTED, which names what it lacks. */
WADI_NODISCARD wadi_status wadi_target_fits(const wadi_target *t, wadi_error *err);
/* Whether that name or, for NULL, $WADI_TARGET asks for a target: else it is the default. */
bool wadi_target_is_asked(const char *name);
/* The function for the option --target in the option tables of programs (base/args.h). Makes the target the default of this process
 * and its children; must be called before there are threads. `options` is not used. Errors: as above. */
WADI_NODISCARD wadi_status wadi_target_take(void *options, const char *value, wadi_error *err);

/* Languages, a file each. */
extern const wadi_language wadi_language_c;      /* language_c.c */
extern const wadi_language wadi_language_opencl; /* language_opencl.c */
extern const wadi_language wadi_language_cuda;   /* language_cuda.c */

#endif
