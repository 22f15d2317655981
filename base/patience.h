/* Calls of somebody else's library that are given up if they take too long. */
#ifndef WADI_BASE_PATIENCE_H
#define WADI_BASE_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "wadi/status.h"

/* How long a library may take to answer: 30 s, or the seconds that $WADI_PATIENCE says; ns. */
int64_t wadi_patience_ns(void);

/* Runs fn(env) in a thread of its own and waits for it. *out_left: it has not returned in time, or not within 2 s although the calling task was
 * stopped. The thread is left behind then (base/behind.h), and env, with all that fn uses, must stay as long as the process. fn belongs to no task: a
 * library that was left uses nothing of a run that is gone. After 10 s the log names `what`: "cuda:0". Errors:
 * WADI_DEVICE (too late; the message names `what`), WADI_CANCELLED, WADI_MEMORY (no thread; fn has not run). */
WADI_NODISCARD wadi_status wadi_patience_call(const char *what, void (*fn)(void *env), void *env,
                                              bool *out_left, wadi_error *err);

#endif
