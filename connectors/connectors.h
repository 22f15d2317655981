/* The table of connectors: where arrays come from and go to. A new connector is a file, its constructor in
 * wadi/stream.h, and a line here. */
#ifndef WADI_CONNECTORS_CONNECTORS_H
#define WADI_CONNECTORS_CONNECTORS_H

#include <stdbool.h>

typedef struct wadi_connector {
    const char *name;
    bool source, sink; /* what it offers */
    const char *about; /* one line */
} wadi_connector;

/* Ended by a row without a name. */
extern const wadi_connector wadi_connectors[];

#endif
