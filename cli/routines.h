/* Routines that a program names: loading libraries of them, and telling which are not known. */
#ifndef WADI_CLI_ROUTINES_H
#define WADI_CLI_ROUTINES_H

#include <stdbool.h>
#include <stdio.h>

#include "graph/ir/ir.h"

/* Takes --routines LIBRARY.so: loads the library, which makes its routines known until the process ends (wadi_routines_fn). Errors:
 * WADI_IO (it cannot be loaded, or does not export the function), those of the function; they name the library. */
wadi_status wadi_cli_take_routines(void *options, const char *value, wadi_error *err);

/* Whether the program names a routine, and one whose results are real or complex, which may be rounded in another way. */
bool wadi_cli_names_routines(const wadi_module *m);
bool wadi_cli_names_rounding(const wadi_module *m);

/* A line for each routine of the program that is not known, with `after` behind it; `to` NULL: by wadi_say. Those of wadi's own modules
 * are left out if `ours` is false: where one is not installed, that is no surprise. */
void wadi_cli_tell_unknown(const wadi_module *m, bool ours, const char *after, FILE *to);
/* A line for each routine of the program that has been called and has declined each call. */
void wadi_cli_tell_declined(const wadi_module *m, FILE *to);

#endif
