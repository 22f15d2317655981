/* Peers in another process that keep their data between runs: a child that is started once, prepares, and then answers each
 * "run" with the seconds its own clock saw for the work alone.
 *
 * What the child prints, line by line: first "ready", or "missing WHAT TO INSTALL"; then, for each line "run" on its standard
 * input, one number (seconds), and behind it, if it likes, another: what it has computed. A child may know other lines than "run", and answer them
 * in the same way, or with "missing WHAT TO INSTALL". It ends when its input does. Its standard error is the caller's. bench/streams/peers.py is such a
 * child. */
#ifndef WADI_BENCH_STREAMS_CHILD_H
#define WADI_BENCH_STREAMS_CHILD_H

#include "wadi/status.h"

typedef struct bench_child bench_child;

/* argv ends with NULL; argv[0] is searched for. Blocks until the child is ready. Errors: WADI_UNSUPPORTED when the program, or
 * something it needs, is not installed; WADI_IO when it ends or says anything else. */
WADI_NODISCARD wadi_status bench_child_open(const char *const *argv, bench_child **out,
                                            wadi_error *err);
/* One run, as a bench_fn: env is the child. */
WADI_NODISCARD wadi_status bench_child_run(void *env, double *out_seconds, wadi_error *err);
/* The same with another line than "run". Errors: also WADI_UNSUPPORTED, when something that this line needs is missing. */
WADI_NODISCARD wadi_status bench_child_ask(bench_child *child, const char *line,
                                           double *out_seconds, wadi_error *err);
/* What the latest run computed; NAN: the child did not say. */
double bench_child_number(const bench_child *child);
/* Ends the child and waits for it. NULL is fine. */
void bench_child_close(bench_child *child);

#endif
