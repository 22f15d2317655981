/* The interpreter's results for what the command line binds. */
#ifndef WADI_CLI_MEANING_H
#define WADI_CLI_MEANING_H

#include "cli/bind.h"
#include "operators/interp/interp.h"

/* Runs `m` on what is bound. *out NULL: the interpreter was not asked, as what is bound is not small or comes from elsewhere than the
 * command line. The caller destroys it. Errors: those of wadi_interp_run. */
WADI_NODISCARD wadi_status wadi_cli_meaning(const wadi_module *m, const wadi_cli_bindings *b,
                                            wadi_interp_results **out, wadi_error *err);

#endif
