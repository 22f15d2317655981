/* The two ends of a link for tests: processes that send and receive a stream of numbered elements, and peers that speak the protocol
 * frame by frame. */
#ifndef WADI_TESTS_CONNECTORS_LINK_ENDS_H
#define WADI_TESTS_CONNECTORS_LINK_ENDS_H

#include <sys/types.h>

#include "sched/link/wire.h"
#include "wadi/stream.h"

enum { LINK_ELEMENTS = 500 };

/* What a sender does: n elements, the one at fail_at fails, at die_at the process ends with status 3; -1: never. */
typedef struct link_teller {
    int64_t n, fail_at, die_at;
} link_teller;

/* A process that sends; its exit status is that of its run. */
pid_t link_start_sender(const char *address, const wadi_link_options *options, link_teller t);
/* A process that must receive the whole of a healthy stream: then its exit status is 0. */
pid_t link_start_receiver(const char *address, const wadi_link_options *options);
int link_exit_status(pid_t pid);
/* Receives what a sender sends, here, in chunks of so many elements; how many came. */
wadi_status link_receive(const char *address, const wadi_link_options *options, int64_t chunk,
                         int64_t *out_count, wadi_error *err);

/* Addresses of this process's own. The text is overwritten by the next call. */
const char *link_ipc_address(const char *name);
const char *link_tcp_address(void);

/* A ZeroMQ socket that was connected to the address. */
typedef struct link_peer {
    void *context, *socket;
} link_peer;

extern const uint8_t link_hello[32]; /* of version 1 */

link_peer link_connect_peer(const char *address);
void link_leave(link_peer *p);
void link_say(const link_peer *p, int n, const wadi_wire_frame *frame);
/* Waits for the next message: its version, its kind, and its last frame as text. */
int link_hear_any(const link_peer *p, char *text, size_t room, int *out_kind);
/* The same, the next of that kind. */
int link_hear(const link_peer *p, int kind, char *text, size_t room);

#endif
