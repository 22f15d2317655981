/* A stream of messages on a NATS server, as a source or a sink: what both share. One thread at a time calls; it waits in calls of the library, in
 * pieces of a tenth of a second, between which it looks whether it is to end. */
#ifndef WADI_MODULES_NATS_PLACE_H
#define WADI_MODULES_NATS_PLACE_H

#include "modules/nats/inside.h"
#include "sched/work/jet.h"

enum { WADI_NATS_SLICE_MS = 100 };

typedef struct wadi_nats_place {
    wadi_jet_address at;
    wadi_nats_keys keys;
    natsConnection *nc;
    natsStatistics *counts;
    jsCtx *js;
    natsSubscription *sub; /* what comes to inbox.> */
    char inbox[64];
    int64_t created;     /* when the stream was */
    uint64_t reconnects; /* of the connection, when that was last looked at */
    int64_t trouble_ns;  /* so long nothing has gone well */
    int64_t trouble_to_ns;
    char said[160]; /* why, in the words of the server or the library */
} wadi_nats_place;

typedef struct wadi_nats_extent {
    int64_t first, last; /* numbers of messages; first == last + 1: there is none */
} wadi_nats_extent;

/* Takes over the address if it succeeds. *out_info: what the server tells of the stream; the caller destroys it. Errors: WADI_IO, WADI_UNSUPPORTED, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_nats_place_open(wadi_nats_place *p, wadi_jet_address *at,
                                                jsStreamInfo **out_info, wadi_error *err);
void wadi_nats_place_close(wadi_nats_place *p);
/* Whether there is a connection, perhaps a new one. *out_broke: it has been lost since this was last asked, and with it what was on the way. */
bool wadi_nats_place_connected(wadi_nats_place *p, bool *out_broke);
/* Something has not gone well: waits a little, and fails when that has been so for as long as a server may be away. Errors: WADI_IO, WADI_CANCELLED. */
WADI_NODISCARD wadi_status wadi_nats_place_bear(wadi_nats_place *p, int wake_fd, const char *doing,
                                                wadi_error *err);
/* It has. */
void wadi_nats_place_well(wadi_nats_place *p);
/* Notes why something has not gone well. */
void wadi_nats_place_say(wadi_nats_place *p, natsStatus s);
void wadi_nats_place_say_reply(wadi_nats_place *p, natsMsg *reply);
/* Whether wake_fd is readable: then it fails with WADI_CANCELLED. */
WADI_NODISCARD wadi_status wadi_nats_place_check(const wadi_nats_place *p, int wake_fd,
                                                 wadi_error *err);
/* Which messages the stream has. *out_is: that was answered. Errors: WADI_IO (there is no such stream any more, or it is another one). */
WADI_NODISCARD wadi_status wadi_nats_place_ask(wadi_nats_place *p, bool *out_is,
                                               wadi_nats_extent *out, wadi_error *err);

/* Of modules/nats/module.c. */
wadi_status wadi_nats_place_read(wadi_jet_address *at, wadi_jet_reader **out, wadi_error *err);
wadi_status wadi_nats_place_write(wadi_jet_address *at, wadi_jet_writer **out, wadi_error *err);

#endif
