/* The thread that answers those who watch this process by its socket. */
#ifndef WADI_SCHED_WATCH_SERVER_H
#define WADI_SCHED_WATCH_SERVER_H

#include "wadi/status.h"

typedef struct wadi_watch_server wadi_watch_server;

/* Listens at the address of this process (place.h). process: its name. Errors: those of place.h, WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_watch_server_create(const char *process, wadi_watch_server **out,
                                                    wadi_error *err);
/* Removes the socket. NULL is fine. */
void wadi_watch_server_destroy(wadi_watch_server *s);

#endif
