/* One end of a link to another process, for connectors: a port with its own memory. */
#ifndef WADI_CONNECTORS_LINK_H
#define WADI_CONNECTORS_LINK_H

#include "sched/transport/port.h"
#include "wadi/stream.h"

enum { WADI_LINK_KEPT_BYTES = 256 << 20 /* that a sender keeps, unless its options say */ };

typedef struct wadi_link_end {
    wadi_port *port;
    wadi_buffers *buffers;
    int64_t credit;    /* bytes of chunks on their way */
    wadi_waits *waits; /* its own watchdog, while there is no run; else NULL */
} wadi_link_end;

/* options may be NULL. The caller closes *e even after a failure. Errors: WADI_INVALID (address, keys, note), WADI_IO,
 * WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_link_end_open(wadi_link_end *e, const char *address,
                                              const wadi_link_options *options, bool sends,
                                              wadi_error *err);
/* The same for a port that shares; NULL: it does not. */
WADI_NODISCARD wadi_status wadi_link_end_open_shared(wadi_link_end *e, const char *address,
                                                     const wadi_link_options *options, bool sends,
                                                     const wadi_port_share *share, wadi_error *err);
/* A sink that sends shares of a stream, or a part of one (link_shared.c). Errors: as wadi_sink_link. */
WADI_NODISCARD wadi_status wadi_link_shared_sink(const char *address,
                                                 const wadi_link_options *options,
                                                 wadi_sink **out_sink, wadi_error *err);
/* Between these two calls the end has its own watchdog, because a source may wait for long before a run begins. */
void wadi_link_end_watch(wadi_link_end *e);
void wadi_link_end_unwatch(wadi_link_end *e);
/* Harmless if all zero. */
void wadi_link_end_close(wadi_link_end *e);

#endif
