/* Streams of messages that a NATS server keeps (JetStream): how a message has elements. The module "nats" reads and writes messages. */
#ifndef WADI_CONNECTORS_MESSAGES_H
#define WADI_CONNECTORS_MESSAGES_H

#include "connectors/lines_values.h"
#include "sched/stream.h"
#include "sched/work/jet.h"

/* *out: what the module "nats" offers. Errors: WADI_UNSUPPORTED (there is none). */
WADI_NODISCARD wadi_status wadi_messages_offer(const wadi_jet_streams_offer **out, wadi_error *err);

/* ---- what is read ---- */

/* The elements of one message after the other. */
typedef struct wadi_messages_cut {
    const char *stream; /* its name, borrowed */
    wadi_jet_as as;
    int parts;
    const wadi_part *part; /* borrowed */
    int64_t size;          /* bytes of the fixed parts of an element */
    int64_t
        unit; /* of a value of the last part, whose extent follows from the message; 0: all are fixed */
    wadi_lines_values lines;
    /* The message at hand, whose bytes are borrowed: */
    const char *at, *end; /* what has not been given */
    int64_t number;
    int64_t given; /* elements of it */
    bool open;     /* there is one, with an element that has not been given */
} wadi_messages_cut;

enum { WADI_MESSAGES_MOST = 1 << 23 /* elements of a message, at most */ };

/* Elements of these parts. Borrows stream and part. `at`: the address, for messages. Errors: WADI_INVALID, WADI_TYPE, WADI_SHAPE (a message does not tell what they are). */
WADI_NODISCARD wadi_status wadi_messages_cut_init(wadi_messages_cut *c, const char *at,
                                                  const char *stream, const wadi_jet_address *how,
                                                  int parts, const wadi_part *part,
                                                  wadi_error *err);
/* Harmless if all zero. */
void wadi_messages_cut_fini(wadi_messages_cut *c);
/* Takes a message, which may have no elements, and passes the first `skip` of them. Errors: WADI_SHAPE (its bytes are no elements), WADI_IO (it has not so many). */
WADI_NODISCARD wadi_status wadi_messages_cut_begin(wadi_messages_cut *c, const wadi_jet_message *m,
                                                   int64_t skip, wadi_error *err);
/* Appends the next element of the message at hand, which is open; after a failure it is still the next one. Errors: WADI_SHAPE, WADI_INVALID (lines), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_messages_cut_next(wadi_messages_cut *c, wadi_builder *b,
                                                  wadi_error *err);

#endif
