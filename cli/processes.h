/* The processes that can be watched, as a command line names them. */
#ifndef WADI_CLI_PROCESSES_H
#define WADI_CLI_PROCESSES_H

#include "base/text.h"
#include "sched/watch/place.h"

enum { WADI_CLI_PROCESSES = 256 };

typedef struct wadi_cli_processes {
    wadi_watch_process at[WADI_CLI_PROCESSES];
    int n;
    const char *
        job; /* borrowed: an address; the home of that job is the only process, and has no number here. NULL: none */
} wadi_cli_processes;

/* Those with this number, of this name, or with a run of a program of this name; or the home of the job nats://HOST/JOB, which is not asked yet; NULL: all. Errors:
 * WADI_INVALID (there is none), WADI_UNSUPPORTED (without the module "nats"), those of place.h. */
WADI_NODISCARD wadi_status wadi_cli_processes_find(const char *name, wadi_cli_processes *out,
                                                   wadi_error *err);

/* Asks one of them, as wadi_watch_ask. Errors: also those of the server of a job. */
WADI_NODISCARD wadi_status wadi_cli_processes_ask(const wadi_cli_processes *of,
                                                  const wadi_watch_process *p, const char *request,
                                                  wadi_text *out, wadi_error *err);
/* Appends what a line about it begins with: "4711 wadi", or the address of the job without settings. */
void wadi_cli_processes_tell(const wadi_cli_processes *of, const wadi_watch_process *p,
                             wadi_text *out);

#endif
