/* The options that `wadi run` and `wadi check` share: the program, its bindings, and how it runs. */
#ifndef WADI_CLI_OPTIONS_H
#define WADI_CLI_OPTIONS_H

#include <stddef.h>

#include "base/args.h"
#include "cli/links.h"
#include "cli/routines.h"
#include "codegen/build/bundles.h"
#include "codegen/fast_math.h"
#include "codegen/targets.h"
#include "sched/devices.h"
#include "wadi/run.h"

/* The first member of a command's options. Strings are borrowed from argv. */
typedef struct wadi_cli_options {
    const char *file;
    char **bindings; /* NAME=VALUE, collected at the front of argv */
    int nbindings;
    wadi_run_options run;
    wadi_cli_links links;
} wadi_cli_options;

wadi_status wadi_cli_take_threads(void *options, const char *value, wadi_error *err);
wadi_status wadi_cli_take_memory(void *options, const char *value, wadi_error *err);
wadi_status wadi_cli_take_wait(void *options, const char *value, wadi_error *err);
wadi_status wadi_cli_take_watchdog(void *options, const char *value, wadi_error *err);
/* The rows of these options, for the table of a command whose options begin with a wadi_cli_options. */
#define WADI_CLI_TEXT(option, at) \
    { .name = option, .text = true, .field = offsetof(wadi_cli_options, at) }
#define WADI_CLI_OPTIONS                                                                   \
    {.name = "--threads", .take = wadi_cli_take_threads},                                  \
        {.name = "--memory", .take = wadi_cli_take_memory},                                \
        {.name = "--target", .take = wadi_target_take},                                    \
        {.name = "--kernels", .take = wadi_bundles_take},                                  \
        {.name = "--routines", .take = wadi_cli_take_routines},                            \
        {.name = "--device", .take = wadi_device_take},                                    \
        {.name = "--fast-math", .take = wadi_fast_math_take, .flag = true},                \
        {.name = "--wait", .take = wadi_cli_take_wait}, WADI_CLI_TEXT("--key", links.key), \
        WADI_CLI_TEXT("--senders", links.senders), WADI_CLI_TEXT("--token", links.token)

/* Reads a command line with the n options of `table` into `o`. Errors: WADI_INVALID naming the argument, or that there is
 * no program. */
WADI_NODISCARD wadi_status wadi_cli_options_read(const wadi_args_option *table, size_t n, int argc,
                                                 char **argv, wadi_cli_options *o, wadi_error *err);

#endif
