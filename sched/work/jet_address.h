/* The address of a job on a NATS server: nats://HOST[:PORT]/JOB[?NAME=VALUE&..], or that of a stream of messages there: nats://HOST[:PORT]/STREAM[?NAME=VALUE&..].
 *
 * Everything that home, workers and `wadi job` must know to reach a job is in it. Secrets are not: they are in files that it names.
 * Across a network, text of programs comes with the job and is compiled, so whoever takes part needs to know the server, and the server
 * him: an address beyond this machine is refused unless it has TLS and a credential. So it is for streams, whose messages others could read and change on their way. */
#ifndef WADI_SCHED_WORK_JET_ADDRESS_H
#define WADI_SCHED_WORK_JET_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "wadi/status.h"

#define WADI_JET_FORM "nats://HOST[:PORT]/JOB[?NAME=VALUE&..]"
/* What may stand behind the question mark, in words for help and messages. */
#define WADI_JET_SETTINGS "nkey creds token tls ca cert key wait ack credit budget"
#define WADI_JET_STREAM_FORM "nats://HOST[:PORT]/STREAM[?NAME=VALUE&..]"

enum {
    WADI_JET_PORT = 4222,
    WADI_JET_NAME_MOST = 48,    /* letters of a job's name */
    WADI_JET_STREAM_MOST = 120, /* letters of the name of a stream, or of a subject */
    WADI_JET_DELIVERIES = 5, /* so often an item is given to workers before it is a dead letter */
};

/* What a message of a stream has. */
typedef enum wadi_jet_as {
    WADI_JET_AS_ELEMENT, /* one element, as bytes */
    WADI_JET_AS_RECORDS, /* any number of elements, as bytes, which all have as many */
    WADI_JET_AS_LINES    /* the same as lines of text */
} wadi_jet_as;

typedef struct wadi_jet_address {
    char *text; /* owned; the strings below point into it */
    const char *host;
    int port;
    const char *job; /* letters, digits, - and _; "": the address names none */
    const char *nkey, *creds,
        *token; /* files with a seed, with NATS credentials, with a token; NULL: none */
    bool tls;   /* tls=yes, or ca or cert is given */
    const char *ca, *cert,
        *key;      /* files in PEM; NULL: the system's authorities; no certificate of our own */
    double wait_s; /* so long a server, or a job's home, may be away; 60 */
    double
        ack_wait_s; /* after so long an item of a silent worker goes to another; 5. Home decides */
    int64_t credit; /* items in flight; 256. Home decides */
    int64_t budget; /* bytes of items in flight; 256 MiB. Home decides */
    /* Of a stream that is read or written: */
    const char *stream;  /* its name */
    const char *subject; /* NULL: all; of one that is written: the only one that it has */
    int64_t from, to;    /* numbers of the first and the last message; 0: those of the stream */
    bool follow;         /* there is no last one: what comes is waited for */
    bool gaps;           /* messages that the server has discarded are left out */
    wadi_jet_as as;
    char separator; /* between the numbers of a line; 0: blanks */
    int64_t batch;  /* elements of a message that is written, at most */
} wadi_jet_address;

/* What an address is for. */
typedef enum wadi_jet_use {
    WADI_JET_JOB = 1,
    WADI_JET_READ = 2, /* of a stream */
    WADI_JET_WRITE = 4
} wadi_jet_use;

/* Reads an address. The caller calls fini in any case. Errors: WADI_INVALID, which names the part that is wrong, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_jet_address_read(const char *address, wadi_jet_address *out,
                                                 wadi_error *err);
/* The same for a stream: what it is for decides which settings there are. */
WADI_NODISCARD wadi_status wadi_jet_stream_address_read(const char *address, wadi_jet_use use,
                                                        wadi_jet_address *out, wadi_error *err);
void wadi_jet_address_fini(wadi_jet_address *a);

/* Whether `s` may be the name of a job. */
bool wadi_jet_name_fits(const char *s);

#endif
