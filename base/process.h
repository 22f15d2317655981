/* What the programs share as processes: signals, warnings, and how they end. The library never calls this.
 *
 * The first SIGINT, SIGTERM or SIGHUP calls the stop of the process. Runs of the main thread, and whatever it waits for, then
 * end soon with WADI_CANCELLED; the program cleans up and ends by that signal. The second signal ends the process at once.
 * SIGPIPE and SIGXFSZ are ignored: a write to a pipe that nobody reads, or beyond `ulimit -f`, fails as a write. */
#ifndef WADI_BASE_PROCESS_H
#define WADI_BASE_PROCESS_H

#include <stdbool.h>

#include "base/stop.h"
#include "wadi/log.h"

/* Once, at the start of main: handlers, the main thread's task, and warnings on standard error with the time. Nothing else gets the
 * numbers of standard input, output and error if these are closed. name: the program's, static. */
void wadi_process_begin(const char *name);
/* Whether warnings are printed. Default: true. */
void wadi_process_warn(bool warns);
/* fn is called before a warning is printed, for example to end a line of progress on the terminal. Any thread may call it. */
void wadi_process_before_warning(void (*fn)(void *env), void *env);

/* The first signal calls fn instead of the stop, and is forgotten: the program ends as without it. The next signal is then the first one. fn may use only
 * atomics. NULL: as before. When this returns, the fn before is not being called any more. */
void wadi_process_drain_by(void (*fn)(void *env), void *env);

/* Drains the program as the first signal would; any thread. now: false only asks whether that can be. False: it cannot. */
bool wadi_process_drain(bool now);

/* The stop of the process; NULL before wadi_process_begin. */
wadi_stop *wadi_process_stop(void);
/* The signal that has come; 0: none. */
int wadi_process_signal(void);
/* While true, the first signal ends the process at once. For times when nothing is open that would have to be cleaned up. */
void wadi_process_may_die(bool may);

/* If a signal has come, ends the process by that signal. If `failed` and nobody reads standard output any more, ends it by SIGPIPE,
 * without a message. Otherwise returns. */
void wadi_process_end(bool failed);
/* The same part of it for a program that ends well: libraries in which threads were left behind (base/behind.h) do not hold up its end. */
void wadi_process_quit(void);
/* Writes out what was printed. False: that failed, and was told unless nobody reads it. */
bool wadi_process_printed(void);
/* Whether standard output is a pipe that nobody reads. Then a failure needs no message. */
bool wadi_process_output_gone(void);

#endif
