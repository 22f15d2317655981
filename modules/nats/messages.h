/* What a queue on a NATS server keeps of messages: parcels that are on their way to the server, what it has delivered, what is said once, and what home knows of items. */
#ifndef WADI_MODULES_NATS_MESSAGES_H
#define WADI_MODULES_NATS_MESSAGES_H

#include <nats/nats.h>
#include <stdbool.h>
#include <stdint.h>

#include "sched/work/jet_label.h"

/* Something to publish that is kept until the server has confirmed it: an item, an answer or a letter. The last message is sent when those before it are
 * confirmed. */
typedef struct wadi_nats_parcel {
    uint64_t id;
    int64_t number;
    int frames, confirmed;
    struct wadi_nats_frame {
        natsMsg *msg;
        int64_t sent_ns; /* 0: not sent */
        bool confirmed;
    } * frame;
    uint64_t of; /* the delivery that is answered by it; 0: none */
} wadi_nats_parcel;

typedef enum wadi_nats_stage {
    WADI_NATS_GATHERED, /* its frames are on the way */
    WADI_NATS_READY,
    WADI_NATS_TAKEN,    /* by the owner of the queue */
    WADI_NATS_BURIED,   /* the letter about it is on the way to the server */
    WADI_NATS_ANSWERED, /* its answer is */
    WADI_NATS_SETTLED,  /* it is acknowledged if the server still has it (settle.c) */
} wadi_nats_stage;

/* An item that a worker has got, or an answer that home has got, until it is acknowledged. */
typedef struct wadi_nats_delivery {
    uint64_t id;
    wadi_jet_label label;
    wadi_nats_stage stage;
    char *ack;   /* the subject of acknowledgements */
    int64_t seq; /* its number in the stream, which is part of that */
    bool stale;  /* the server has begun again since: the number may be another's */
    int64_t deliveries;
    bool buried;      /* there is a letter about it */
    int64_t acked_ns; /* when the server was last told that we are at it */
    int64_t taken_ns; /* when the owner took it */
    char *bytes;
    char *tail; /* of framed bytes: what came with the label; it has tail_bytes */
    int64_t tail_bytes;
    natsMsg **got; /* frames; NULL where one is missing */
    int asked, came;
    int64_t asked_ns;
} wadi_nats_delivery;

/* A worker that home knows. */
typedef struct wadi_nats_worker {
    uint64_t id;
    int64_t seen_ns;
} wadi_nats_worker;

/* Said once, and not repeated: requests, acknowledgements, signs of life, frames; or a message of a parcel. */
typedef struct wadi_nats_saying {
    natsMsg *msg;      /* borrowed from its parcel; NULL: these bytes are said */
    char *to;          /* the subject; reply and bytes may be behind it, in its room */
    const char *reply; /* NULL: none */
    const char *bytes;
    int64_t n;
} wadi_nats_saying;

/* An item that is not answered. */
typedef struct wadi_nats_flight {
    int64_t number, bytes;
    char *framed;           /* those that are in frames; NULL: none are */
    wadi_nats_parcel *sent; /* what the server has confirmed; NULL: it has not yet */
    uint64_t seq;           /* of that in the stream */
    bool doubted;           /* the server may have forgotten it (lost.c) */
    int64_t asked_ns;       /* when it was asked for that, or began to be in doubt */
} wadi_nats_flight;

/* A frame that a worker has asked for. */
typedef struct wadi_nats_wanted {
    int64_t number;
    int frame;
    char *reply; /* the subject of the answer */
} wadi_nats_wanted;

/* A request for messages, of which `left` have not come. */
typedef struct wadi_nats_request {
    int64_t until_ns; /* when it has expired, and the server's word of that must have come */
    int left;
} wadi_nats_request;

#endif
