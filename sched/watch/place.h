/* Where processes that can be watched are found: sockets in a folder of the user's. */
#ifndef WADI_SCHED_WATCH_PLACE_H
#define WADI_SCHED_WATCH_PLACE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/un.h>

#include "wadi/status.h"

/* The address of a process: PID.NAME in $XDG_RUNTIME_DIR/wadi, or in /tmp/wadi-watch-UID if that variable is unset. The folder is made if it is missing.
 * Errors: WADI_INVALID (somebody else could write to it), WADI_IO (or the path is too long for a socket). */
WADI_NODISCARD wadi_status wadi_watch_address(int64_t pid, const char *name,
                                              struct sockaddr_un *out, wadi_error *err);
/* The same with a point before it: nobody looks there. For a socket that does not listen yet. */
WADI_NODISCARD wadi_status wadi_watch_hidden_address(int64_t pid, const char *name,
                                                     struct sockaddr_un *out, wadi_error *err);

/* A process that can be watched. */
typedef struct wadi_watch_process {
    int64_t pid;
    char name[64];
} wadi_watch_process;

/* Lists them by their numbers, at most `most`; removes the sockets of those that are gone. *out_n: how many. */
WADI_NODISCARD wadi_status wadi_watch_processes(wadi_watch_process *out, int most, int *out_n,
                                                wadi_error *err);

/* Asks one of them (answer.h), and appends its answer. Gives up when nothing comes for 5 s. Errors: what it answers, WADI_CANCELLED (it
 * has ended meanwhile), WADI_IO (it does not answer), WADI_MEMORY. */
struct wadi_text;
WADI_NODISCARD wadi_status wadi_watch_ask(const wadi_watch_process *p, const char *request,
                                          struct wadi_text *out, wadi_error *err);

#endif
