/* A subcommand of `wadi`, and what subcommands share.
 *
 * Each subcommand is a file that exports one row; main.c lists the rows. Results go to standard output, errors to standard
 * error. */
#ifndef WADI_CLI_COMMAND_H
#define WADI_CLI_COMMAND_H

#include <stdint.h>
#include <stdio.h>

#include "wadi/status.h"

/* Exit statuses. */
enum { WADI_CLI_OK = 0, WADI_CLI_FAILED = 1, WADI_CLI_USAGE = 2 };

typedef struct wadi_cli_command {
    const char *name;
    const char *arguments; /* as the usage line shows them, "" for none */
    const char *about;     /* one line */
    const char *details;   /* what --help adds, or NULL */
    /* argv[0] is the name of the subcommand. Returns an exit status. */
    int (*run)(int argc, char **argv);
    const char *more; /* what --help adds behind `details`, or NULL */
} wadi_cli_command;

extern const wadi_cli_command wadi_cli_explain, wadi_cli_run, wadi_cli_check, wadi_cli_ops,
    wadi_cli_passes, wadi_cli_connectors, wadi_cli_policies, wadi_cli_schedules, wadi_cli_devices,
    wadi_cli_version, wadi_cli_cache, wadi_cli_build, wadi_cli_kernels, wadi_cli_verify,
    wadi_cli_top, wadi_cli_why, wadi_cli_work, wadi_cli_job;

/* Prints the error, as FILE:LINE: MESSAGE if its place is known. Returns WADI_CLI_FAILED. */
int wadi_cli_fail(const wadi_error *err);
/* Prints the line "usage: ..". */
void wadi_cli_usage(const wadi_cli_command *command, FILE *to);
/* Prints what was wrong, and how `command` is used. Returns WADI_CLI_USAGE. */
int wadi_cli_misuse(const wadi_cli_command *command, const char *format, ...) WADI_PRINTF(2, 3);

/* Reads the whole text of `path`, or of standard input for "-". *out_name is its name for messages. The caller frees
 * *out_text. Errors: WADI_INVALID (it has a zero byte), WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_cli_read(const char *path, char **out_text, const char **out_name,
                                         wadi_error *err);

#endif
