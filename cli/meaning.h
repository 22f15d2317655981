/* The interpreter's results for what the command line binds. */
#ifndef WADI_CLI_MEANING_H
#define WADI_CLI_MEANING_H

#include "cli/bind.h"
#include "operators/interp/interp.h"

/* Runs `m` in the interpreter. *out is NULL if it was not run, because the bound values are large or were not typed on the command
 * line. The caller destroys *out. Errors: those of wadi_interp_run. */
WADI_NODISCARD wadi_status wadi_cli_meaning(const wadi_module *m, const wadi_cli_bindings *b,
                                            wadi_interp_results **out, wadi_error *err);

#endif
