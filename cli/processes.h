/* The processes that can be watched, as a command line names them. */
#ifndef WADI_CLI_PROCESSES_H
#define WADI_CLI_PROCESSES_H

#include "sched/watch/place.h"

enum { WADI_CLI_PROCESSES = 256 };

typedef struct wadi_cli_processes {
    wadi_watch_process at[WADI_CLI_PROCESSES];
    int n;
} wadi_cli_processes;

/* Those with this number, of this name, or with a run of a program of this name; NULL: all. Errors: WADI_INVALID (there is none), those of place.h. */
WADI_NODISCARD wadi_status wadi_cli_processes_find(const char *name, wadi_cli_processes *out,
                                                   wadi_error *err);

#endif
