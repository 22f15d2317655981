/* Running a program as `wadi run` does, for other commands. */
#ifndef WADI_CLI_RUN_H
#define WADI_CLI_RUN_H

#include "cli/bind.h"
#include "cli/options.h"
#include "sched/watch/program.h"

/* What a command line of `wadi run` says. */
typedef struct wadi_cli_run_options {
    wadi_cli_options shared;
    wadi_compile_options compile;
    bool stats, sync, tells; /* tells: what the run promises, whatever that is */
    wadi_watch_asked watch;
    bool silent; /* no option: results are not printed */
    wadi_status (*sink)(void *env, const wadi_bind *b, wadi_sink **out,
                        wadi_error *err); /* no option: as in cli/bind.h */
} wadi_cli_run_options;

/* Reads a command line; argv[0] is not looked at. Strings are borrowed from argv, which is changed. Errors: WADI_INVALID. */
WADI_NODISCARD wadi_status wadi_cli_run_read(int argc, char **argv, wadi_cli_run_options *o,
                                             wadi_error *err);
/* Reads the program and runs it. */
WADI_NODISCARD wadi_status wadi_cli_run_it(const wadi_cli_run_options *o, wadi_error *err);

#endif
