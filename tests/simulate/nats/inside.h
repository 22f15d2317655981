/* What the parts of the simulated server of NATS know of each other. Its clients are the real code of modules/nats, above calls of libnats that client.c stands in for, and calls of
 * threads that calls.h redirects. */
#ifndef TESTS_SIMULATE_NATS_INSIDE_H
#define TESTS_SIMULATE_NATS_INSIDE_H

#include <nats/nats.h>

#include "base/vec.h"
#include "tests/simulate/inside.h"

enum { NATS_HEADERS = 3, NATS_CONNECTIONS = 64, NATS_SUBJECT = 192 };

typedef struct nats_header {
    char *name, *value;
} nats_header;

struct __natsMsg {
    char *subject, *reply; /* reply NULL: none */
    nats_header header[NATS_HEADERS];
    int nheaders;
    char *data;
    int n;
    uint64_t seq; /* in its stream; 0: in none */
};

struct __natsSubscription {
    natsConnection *nc;
    char subject[NATS_SUBJECT];
    natsMsgHandler hear;
    natsOnCompleteCB complete;
    void *env, *complete_env;
    process *thread;
    WADI_VEC(natsMsg *) come;
    bool at_server, drains, ended,
        done; /* ended: nothing of it is heard any more; done: its thread says nothing more */
};

typedef struct nats_news {
    enum { NATS_LOST, NATS_BACK, NATS_CLOSED, NATS_REFUSED } what;
    const char *words;
} nats_news;

/* Something of a client that waits for the server. */
typedef struct nats_call {
    natsConnection *nc;
    /* What the server does, when the call has come there; NULL: `subject` is a request, which anybody answers. */
    void (*act)(struct nats_call *c);
    const char *subject, *text;
    char inbox[24];
    const void *what; /* of the call */
    natsMsg *msg;     /* of the call, or the reply */
    int64_t number;   /* the reply */
    natsStatus status;
    jsErrCode code;
    bool done;
} nats_call;

struct __natsConnection {
    bool used, up, closed;
    process *owner, *thread;
    natsConnectionHandler lost, back, gone;
    natsErrHandler refused;
    void *env;
    int64_t try_ns;     /* when it tries to connect; INT64_MAX: not now */
    int64_t last_ns[2]; /* when the last message to the server, and to the client, arrives */
    char server_id[24];
    int refusals;  /* one behind the other */
    uint64_t made; /* again, so often */
    WADI_VEC(nats_news) news;
    WADI_VEC(natsSubscription *) subs;
    WADI_VEC(nats_call *) calls;
};

extern natsConnection nats_connections[NATS_CONNECTIONS];

/* ---- message.c ---- */

natsMsg *nats_message(const char *subject, const char *reply, const void *data, int n);
natsMsg *nats_message_copy(const natsMsg *m);
void nats_message_add(natsMsg *m, const char *name, const char *value);
const char *nats_message_get(const natsMsg *m, const char *name);
int64_t nats_message_bytes(const natsMsg *m);
/* Whether the subject is one of the pattern, with * and >. */
bool nats_matches(const char *pattern, const char *subject);

/* ---- network.c ---- */

/* A message, a call or the begin of a subscription is on its way to the server. */
void nats_send(natsConnection *nc, natsMsg *owned_m);
void nats_send_call(nats_call *c);
void nats_send_subscription(natsSubscription *s);
/* Copies of it are on their way to all who listen to the subject. Their number. */
int nats_deliver(const char *to, const natsMsg *m);
/* Whether somebody listens. */
bool nats_listens(const char *to);
/* The server tells the client that it did not take something. */
void nats_refuse(natsConnection *nc, const char *words);
/* What the server has to say to a call is on its way. */
void nats_reply(nats_call *c);
/* Nobody waits for it any more. */
void nats_forget_call(nats_call *c);
/* The connection breaks, and with it goes what is under way; or all do. */
void nats_break(natsConnection *nc);
void nats_break_all(void);
/* The connection is not made again. */
void nats_end(natsConnection *nc, const char *words);
/* A while that a message takes. */
int64_t nats_soon(void);

/* ---- server.c ---- */

typedef enum nats_trouble {
    NATS_NONE,
    NATS_STOPPED, /* the server says nothing */
    NATS_AWAY,    /* .. is not there */
    NATS_FULL,    /* .. has no room */
    NATS_LEADERLESS,
    NATS_FORBIDS, /* .. lets nobody publish */
    NATS_LOCKED,  /* .. lets nobody in who is not in */
    NATS_TROUBLES
} nats_trouble;

void server_begin(void);
void server_end(void);
/* Something comes to the server. */
void server_hears(natsConnection *nc, const natsMsg *m);
bool server_is_up(void);   /* it lets clients connect */
bool server_listens(void); /* it hears what comes */
bool server_lets_in(void);
int64_t server_payload(void); /* the largest */
const char *server_id(void);
int64_t server_requests(void); /* of JetStream, so far */
/* When something happens there by itself; INT64_MAX: never. And lets it happen. */
int64_t server_next(void);
void server_happen(void);
/* Whether it does what a call of JetStream asks for; otherwise it has said so, or says nothing. */
bool server_does(nats_call *c);
/* Has the message of the call published, and replies. */
void server_publishes(nats_call *c);
/* Something was written for a call. */
void server_wrote(void);
/* Whether it says that a stream is not there. */
bool server_tells(void);
/* Whether it has had a trouble in this world. */
bool server_suffered(void);
/* A trouble begins, and ends after so long. */
void server_suffers(nats_trouble what, int64_t ns);

/* ---- streams.c ---- */

typedef struct stream_config {
    const char *name;
    const char *const *subject;
    int nsubjects;
    bool is_queue, discards_old;
    int64_t most_bytes, most_each, window_ns;
} stream_config;

void streams_begin(void);
void streams_end(void);
bool stream_exists(const char *name);
/* False: it is there already, with other subjects. */
bool stream_make(const stream_config *c);
bool stream_remove(const char *name);
void stream_purge(const char *name, const char *filter); /* NULL: all */
int64_t stream_messages(const char *name);
uint64_t stream_last(const char *name);
/* The subjects that the filter has, in JSON. */
void stream_list(const char *name, const char *filter, char *out, size_t room);
/* The last message of the subject; NULL: none. */
const natsMsg *stream_find(const char *name, const char *subject);
/* The message of that number; NULL: none. */
const natsMsg *stream_at(const char *name, uint64_t seq);
/* What becomes of a message that is published: the number of streams that take the subject. words, if not NULL: JSON that says how. */
typedef struct stream_word {
    const char *stream;
    uint64_t seq; /* 0: it was refused */
    bool twice;
    int error;
    const char *why;
} stream_word;
bool stream_take(const natsMsg *m, bool full, stream_word *out);

/* Consumers. */
bool consumer_exists(const char *stream, const char *name);
void consumer_make(const char *stream, const char *name, const char *filter, int64_t ack_wait_ns);
bool consumer_remove(const char *stream, const char *name);
uint64_t consumer_delivered(const char *stream, const char *name);
void consumer_ask(const char *stream, const char *name, const char *reply, int messages,
                  int64_t expires_ns);
/* "$JS.ACK..." */
void consumer_ack(const natsMsg *m);
int64_t consumers_next(void);
void consumers_happen(void);

/* What is written is safe from now on. */
void streams_sync(void);
/* The server begins again: of what was not safe some is lost, if `loses`. Who waited is forgotten. */
void streams_restart(bool loses);

#endif
