/* The transports: ways for the chunks of a stream to reach another process. The scheme of an address ("tcp" in tcp://HOST:PORT) names
 * the row, and the row says the rest.
 *
 * A new transport is a file beside this one, which defines its row `wadi_transport_NAME`, and its line in the list below. Threads of
 * one process have no row here: they hand over references through pipe.h. */
#ifndef WADI_SCHED_TRANSPORT_TRANSPORT_H
#define WADI_SCHED_TRANSPORT_TRANSPORT_H

#include <stdbool.h>

#include "sched/transport/port.h"

typedef struct wadi_transport {
    const char *scheme; /* "tcp": its addresses begin with tcp:// */
    const char *form;   /* "tcp://HOST:PORT", for messages */
    /* Checks that the address, which begins with the scheme, has this form. Errors: WADI_INVALID, which says what is missing. */
    wadi_status (*check)(const char *address, wadi_error *err);
    /* Whether other machines cannot reach this address. Then a port may bind without keys, and a token may protect it. */
    bool (*is_local)(const char *address);
    /* Opens one end. The address has been checked. See wadi_port_open. */
    wadi_status (*open)(const wadi_port_options *options, wadi_port **out, wadi_error *err);
} wadi_transport;

/* One line for each transport. Messages name them in this order. */
#define WADI_TRANSPORTS(ROW) \
    ROW(tcp)                 \
    ROW(ipc)

#define WADI_TRANSPORT_ROW(name) extern const wadi_transport wadi_transport_##name;
WADI_TRANSPORTS(WADI_TRANSPORT_ROW)
#undef WADI_TRANSPORT_ROW

/* An address of ZeroMQ as users write it may end with ?silence=SECONDS, from 1 to 1000000, or 0 for no limit. */
enum { WADI_ADDRESS_BYTES = 512 };
typedef struct wadi_address {
    char at[WADI_ADDRESS_BYTES]; /* without that */
    int64_t
        silent_ns; /* how long somebody else may be silent before he counts as lost; 0: for ever */
} wadi_address;

/* Reads that. An address that is too long is left as it is, to be refused elsewhere, and cut. Errors: WADI_INVALID (another number). */
WADI_NODISCARD wadi_status wadi_address_read(const char *address, wadi_address *out,
                                             wadi_error *err);

/* The row whose scheme the address has; NULL: none. */
const wadi_transport *wadi_transport_of(const char *address);
/* Finds the row of the address, and lets it check the address, without ?silence=. Errors: WADI_INVALID, which says what is missing, or which forms of
 * addresses there are. */
WADI_NODISCARD wadi_status wadi_transport_find(const char *address, const wadi_transport **out,
                                               wadi_error *err);
/* The forms of all addresses: "tcp://HOST:PORT or ipc://PATH". Cut if they are longer. */
enum { WADI_TRANSPORT_FORMS = 200 };
void wadi_transport_forms(char out[WADI_TRANSPORT_FORMS]);
/* Whether a side that binds the address, with keys or without, can do so: without, only what other machines cannot reach. Errors: WADI_INVALID. */
WADI_NODISCARD wadi_status wadi_address_check_bind(const char *address, bool has_keys,
                                                   wadi_error *err);
/* False for an address of no transport. */
bool wadi_address_is_local(const char *address);

#endif
