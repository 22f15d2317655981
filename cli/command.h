/* A subcommand of `wadi`, and what subcommands share.
 *
 * Each subcommand is a file that exports one row; main.c lists the rows. Results go to standard output, errors to standard
 * error. */
#ifndef WADI_CLI_COMMAND_H
#define WADI_CLI_COMMAND_H

#include <stdint.h>

#include "wadi/status.h"

/* Exit statuses. */
enum { WADI_CLI_OK = 0, WADI_CLI_FAILED = 1, WADI_CLI_USAGE = 2 };

typedef struct wadi_cli_command {
    const char *name;
    const char *arguments; /* as the usage line shows them, "" for none */
    const char *about;     /* one line */
    const char *details;   /* what --help adds, or NULL */
    /* argv[0] is the subcommand's name; returns an exit status */
    int (*run)(int argc, char **argv);
} wadi_cli_command;

extern const wadi_cli_command wadi_cli_explain, wadi_cli_run, wadi_cli_check, wadi_cli_ops,
    wadi_cli_passes, wadi_cli_connectors, wadi_cli_policies, wadi_cli_schedules, wadi_cli_devices,
    wadi_cli_version, wadi_cli_cache;

/* Tells the error, in the form file:line: message where a place is known. Returns WADI_CLI_FAILED. */
int wadi_cli_fail(const wadi_error *err);
/* Tells how `command` is used, after a line saying what was wrong. Returns WADI_CLI_USAGE. */
int wadi_cli_misuse(const wadi_cli_command *command, const char *format, ...) WADI_PRINTF(2, 3);

/* The whole text of `path`, or of standard input for "-", and the name it goes by in messages. The caller frees
 * *out_text. Errors: WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_cli_read(const char *path, char **out_text, const char **out_name,
                                         wadi_error *err);

#endif
