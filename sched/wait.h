/* Who waits for what. Every blocked wait of a run is registered with its owner and its reason; when nothing has changed for
 * a while (10 s unless told otherwise) a watchdog logs them all, once per standstill, so that a hang names itself.
 *
 * Safe from any thread. */
#ifndef WADI_SCHED_WAIT_H
#define WADI_SCHED_WAIT_H

#include <stdint.h>

#include "base/text.h"
#include "wadi/status.h"

typedef struct wadi_waits wadi_waits;

/* Starts the watchdog, or takes one that was kept. */
WADI_NODISCARD wadi_status wadi_waits_create(int64_t after_ns, wadi_waits **out, wadi_error *err);
/* Nobody waits any more. NULL is fine. */
void wadi_waits_destroy(wadi_waits *w);

/* owner and reason are cut to 31 and 95 bytes. Returns a ticket for wadi_wait_end. w NULL: nothing is registered. */
int wadi_wait_begin(wadi_waits *w, const char *owner, const char *reason, ...) WADI_PRINTF(3, 4);
void wadi_wait_end(wadi_waits *w, int ticket);

/* The present waits, one line each: "sink waits 3.2 s for chunk 7 of compute". */
void wadi_waits_print(wadi_waits *w, wadi_text *out);

#endif
