/* One end of a link to another process, for the connectors that use one: a port with a context and memory of its own. */
#ifndef WADI_CONNECTORS_LINK_H
#define WADI_CONNECTORS_LINK_H

#include "sched/transport/port.h"
#include "wadi/stream.h"

typedef struct wadi_link_end {
    wadi_port *port;
    wadi_buffers *buffers;
    wadi_waits *waits; /* while there is no run whose watchdog sees what this end waits for */
} wadi_link_end;

/* options may be NULL. What was opened is in *e even after a failure, for the close. Errors: WADI_INVALID (address, keys, note),
 * WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_link_end_open(wadi_link_end *e, const char *address,
                                              const wadi_link_options *options, bool sends,
                                              wadi_error *err);
/* Between these two the end has a watchdog of its own: before a run begins a source may wait for long. */
void wadi_link_end_watch(wadi_link_end *e);
void wadi_link_end_unwatch(wadi_link_end *e);
/* Harmless when all zero. */
void wadi_link_end_close(wadi_link_end *e);

#endif
