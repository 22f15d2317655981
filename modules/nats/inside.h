/* The inside of a work queue on a NATS server.
 *
 * A job has four streams and some subjects; names.c has their names.
 *
 *     record    which home the job has, and its charter
 *     items     a work queue: workers pull from it, and acknowledge an item when its answer is safe
 *               (frames of large ones are not there: home keeps them, frames.c)
 *     answers   a work queue that home pulls from
 *     dead      letters of items that nobody could compute
 *     live      not kept: signs of life of home and workers
 *     ask       not kept: requests to home (`wadi job`)
 *
 * All that is said to the server is said by the service of a queue, which hears what the server says as well (service.c): a thread of its own, and those of the library that bring a message, one at a time. The thread that owns
 * the queue only changes what the mutex protects and waits for a bell. So a server that is paused or away keeps nobody from being cancelled.
 *
 * Nothing of the client library's own bookkeeping of JetStream is used while a job runs: messages are published with a reply subject, and
 * replies are told apart by the last words of their subject. What was not confirmed is sent again, after an outage or a time, under the same
 * message id, which the server uses to drop the second one. */
#ifndef WADI_MODULES_NATS_INSIDE_H
#define WADI_MODULES_NATS_INSIDE_H

#include <nats/nats.h>
#include <pthread.h>
#include <signal.h>

#include "base/clock.h"
#include "base/vec.h"
#include "modules/nats/messages.h"
#include "sched/work/jet_address.h"
#include "sched/work/jet_label.h"
#include "sched/work/ways.h"

enum {
    WADI_NATS_SUBJECT = 192, /* room for a subject or the name of a stream */
    WADI_NATS_SERVER_ID = 72 /* room for what a server calls itself, anew each time it begins */
};

/* What is said of a record that cannot be read. */
#define WADI_NATS_STRANGE_RECORD                                                     \
    "job %s: its record on the server makes no sense: it is of another version, or " \
    "somebody else's (wadi job rm removes it)"
/* Headers of messages. */
#define WADI_NATS_LABEL "Wadi-Label"
#define WADI_NATS_RECORDED "Wadi-Record"
#define WADI_NATS_WHY "Wadi-Why"
/* How many requests may wait at the consumer of items or at that of answers: those of all workers. */
enum { WADI_NATS_WAITING_MOST = 30000 };
/* Behind the epoch in home's sign of life: the consumer of items is new, and what was asked of the old one is lost; or home's connection is back, and what home was asked for may
 * be lost. */
#define WADI_NATS_ANEW " anew"
#define WADI_NATS_BACK " back"
/* An item has at most so many bytes in the message that tells of it. The others are in frames, which home keeps. */
enum { WADI_NATS_TAIL_MOST = 128 << 10 };

/* ---- names.c ---- */

typedef enum wadi_nats_stream {
    WADI_NATS_RECORD,
    WADI_NATS_ITEMS,
    WADI_NATS_ANSWERS,
    WADI_NATS_DEAD,
    WADI_NATS_STREAMS
} wadi_nats_stream;

/* The name of a stream of the job. */
void wadi_nats_stream_name(const char *job, wadi_nats_stream s, char out[WADI_NATS_SUBJECT]);
/* Whether `name` is that of a stream of some job. */
bool wadi_nats_stream_job(const char *name, wadi_nats_stream s, char out_job[WADI_NATS_SUBJECT]);
/* The subject of the messages that are pulled from the stream: those that are no frames. */
void wadi_nats_filter(const char *job, wadi_nats_stream s, const char *epoch,
                      char out[WADI_NATS_SUBJECT]);
/* The durable consumer of items, or that of answers. The epoch is part of it: whoever still is at another finds none. */
void wadi_nats_consumer_name(const char *epoch, char out[WADI_NATS_SUBJECT]);
/* wadi.JOB. and the rest. */
void wadi_nats_subject(const char *job, char out[WADI_NATS_SUBJECT], const char *format, ...)
    WADI_PRINTF(3, 4);

/* ---- steady.c ---- */

/* Has libnats look at a clock that never jumps, where that can be done. Call it before anything of the library waits. */
void wadi_nats_steady(void);

/* ---- connect.c ---- */

typedef struct wadi_nats_keys {
    char *seed;      /* of an nkey; NULL: none */
    char public[64]; /* its public key */
} wadi_nats_keys;

typedef struct wadi_nats_events {
    void (*lost)(void *env); /* in a thread of the library */
    void (*back)(void *env, natsConnection *nc);
    void (*closed)(void *env, natsConnection *nc); /* none of them is called any more */
    void (*refused)(void *env, const char *words); /* something that was sent, without a reply */
    void *env;
} wadi_nats_events;

/* Connects. `keys` must live as long as the connection. events NULL: nobody hears of any, and what is said leaves at once, else it is gathered for a millisecond. Errors: WADI_IO (no
 * server, refused), WADI_INVALID (files of keys). */
WADI_NODISCARD wadi_status wadi_nats_connect(const wadi_jet_address *a,
                                             const wadi_nats_events *events, wadi_nats_keys *keys,
                                             natsConnection **out, wadi_error *err);
/* What is said of a connection that does not come about, before what the library says. */
#define WADI_NATS_UNCONNECTED "there is no connection"
/* Closes it, wipes the keys, and unloads the library's threads behind the last one. */
void wadi_nats_disconnect(natsConnection *nc, wadi_nats_keys *keys);
/* "nats://HOST:PORT", for messages. */
void wadi_nats_server(const wadi_jet_address *a, char out[WADI_NATS_SUBJECT]);
/* What is said of a server without JetStream. */
#define WADI_NATS_NO_JETSTREAM \
    "%s: this server has no JetStream (start it with: nats-server --jetstream)"
/* Fails with what the library says: WADI_IO, WADI_MEMORY, WADI_UNSUPPORTED if nobody listens, as while a server begins or ends. */
wadi_status wadi_nats_fail(const wadi_jet_address *a, natsStatus s, const char *doing,
                           wadi_error *err);

/* ---- nkey.c ---- */

/* Reads the file with the seed of an nkey, as the program `nk` writes it. Errors: WADI_IO, WADI_INVALID, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_nkey_read(const char *path, wadi_nats_keys *out, wadi_error *err);
void wadi_nkey_fini(wadi_nats_keys *k);

/* ---- the queue ---- */

/* What home knows of a consumer. */
typedef struct wadi_nats_consumer {
    int64_t asked_ns;  /* when the server was last asked for it; 0: it is to be asked at once */
    int64_t delivered; /* the number of the last message that it has given out */
    bool sound;
    bool anew;   /* it is to be removed, and made again */
    int unheard; /* how often that was said without a reply */
} wadi_nats_consumer;

/* How many messages shall be ahead of the owner, asked for or come. Between `least` and `most`: as many as it takes in a while, and as fit into
 * some memory. */
typedef struct wadi_nats_ahead {
    int least, most;
    bool timed;          /* it is few until it is known what one takes */
    int64_t usual_bytes; /* of a message */
    int64_t usual_ns;    /* that the owner takes for one; 0: not known */
    int careful;         /* for so many more it is one */
} wadi_nats_ahead;

enum { WADI_NATS_RATES = 11 };

typedef struct wadi_nats_numbers {
    int64_t submitted, answered;
    int64_t failed;    /* answers without a result */
    int64_t twice;     /* answers of an item that was answered */
    int64_t strangers; /* messages that make no sense */
    int64_t refused;   /* messages that the server did not take at once */
    int64_t bytes_in_flight;
} wadi_nats_numbers;

typedef struct wadi_nats_queue {
    wadi_workq base;
    wadi_jet_address at;
    wadi_nats_keys keys;
    pthread_mutex_t wire; /* over these; the service thread alone changes nc */
    natsConnection *nc;
    natsSubscription *subs[3];
    char subjects[3][WADI_NATS_SUBJECT]; /* of subs; "": it is not heard */
    WADI_VEC(natsSubscription *)
    past_subs;                           /* ended, and kept: the library may still look at them */
    WADI_VEC(natsConnection *) past_ncs; /* given up by the library, and kept */
    int calling;                         /* threads of the library that may still call */
    wadi_nats_events events;
    char inbox[WADI_NATS_SUBJECT];
    uint64_t id; /* of this process, at random */
    bool is_home;
    int64_t frame_most;
    int64_t lost_after_ns; /* worker: home may be silent for so long; 0: no limit */
    void (*again)(struct wadi_nats_queue *q,
                  int64_t now); /* makes a connection that the library has given up */
    void (*step)(struct wadi_nats_queue *q,
                 int64_t now); /* what home or a worker does now and then */
    void (*heard)(struct wadi_nats_queue *q, const char *verb, natsMsg *msg); /* on wadi.JOB.verb */

    /* Home: epochs of ours that the record may have: the last that it is known to have had, and the last that was written, perhaps in vain. */
    char mine[2][WADI_JET_EPOCH];

    int bell; /* an eventfd: something has changed for the owner while it waited */
    pthread_t service;
    bool serving;

    pthread_mutex_t lock; /* over all below */
    pthread_cond_t news;  /* for the service thread */
    bool ending;
    bool waits;   /* the owner does, and the bell has not rung since */
    bool serves;  /* the service thread has begun */
    bool passing; /* some thread goes through all that is to be done (service.c) .. */
    bool stirred; /* .. and there is more since it began to speak */
    WADI_VEC(natsMsg *) incoming;
    WADI_VEC(wadi_nats_saying) sayings;
    WADI_VEC(wadi_nats_parcel *) parcels, used; /* used: freed when nothing of them is being sent */
    WADI_VEC(natsMsg *) spent;                  /* heard: the library frees them, many at once */
    int64_t spent_bytes;                        /* of these and of used parcels */
    WADI_VEC(wadi_nats_delivery *) deliveries;
    uint64_t next_id;

    bool connected;
    bool closed;        /* the library does not connect any more (again.c) */
    int64_t connect_ns; /* nor do we before */
    bool asked_why;     /* .. it cannot connect; once in an outage */
    bool renewed;       /* the connection has come back since the service has last looked */
    bool restarted;     /* .. to another server, or to one that has begun again */
    char server_id[WADI_NATS_SERVER_ID];
    int64_t lost_ns; /* when; of several outages without a message between them, the first */
    bool heard_any;  /* a message has come since */
    int outages;
    int64_t pause_ns; /* nothing refused is sent again before */
    char said[160]; /* why the server, or the library, has last refused something; "": it has not */
    int64_t stuck_ns; /* for so long, connected, nothing was confirmed though something is to be */
    int64_t stuck_to_ns; /* until when that has been counted */

    wadi_nats_stream pulls; /* the stream that it pulls from */
    int64_t pull_ns;        /* no request before */
    int64_t behind;         /* so many messages waited there behind the last one .. */
    int64_t came_ns;        /* .. when that came, or the first of the requests was made; lost.c */
    wadi_nats_ahead ahead;
    WADI_VEC(wadi_nats_request) asked; /* that are outstanding, the oldest first */
    bool pulling;
    int64_t hangs_after_ns; /* as in wadi_workq_options */
    bool alone; /* worker: at an item that may be what kills workers; no other shall be here then */

    wadi_jet_record record;
    bool known;                 /* there is a record */
    char epoch[WADI_JET_EPOCH]; /* ours: that whose items are pulled; "": none */
    char past[WADI_JET_EPOCH];  /* worker: an epoch that it has done with */
    bool over;                  /* our epoch is over: another home has the job, or it has ended */
    int64_t gone_ns;            /* since when the server does not know the job; 0: it does */
    int64_t record_ns;      /* when the record was last asked for; 0: it is to be asked for soon */
    int64_t record_last_ns; /* when it was last asked for */
    uint64_t record_asked;  /* how often */
    uint64_t record_from;   /* replies to questions before that are older than what is known */
    int64_t live_ns;        /* when a sign of life was last sent */
    int64_t home_ns;        /* when home was last heard of */
    wadi_status failed;     /* what ends every later call; its words: */
    char why[256];

    wadi_nats_consumer consumers[WADI_NATS_STREAMS]; /* home: those of items and answers */
    WADI_VEC(wadi_nats_worker) workers;
    WADI_VEC(wadi_nats_flight) flight;
    int64_t doubts_ns; /* when items were last asked for that the server may have forgotten */
    WADI_VEC(wadi_nats_wanted) wanted;
    WADI_VEC(char *) past_frames; /* freed when nothing of them is being sent */
    int64_t credit, budget, cap;  /* cap: bytes that the stream of items has room for */
    bool offered, paused, draining, ended;
    bool (*drain)(void *env); /* ends the run of home; false, or NULL: it cannot */
    wadi_status (*tell)(void *env, const char *asked, wadi_text *out,
                        wadi_error *err); /* what is seen of it; NULL: nothing */
    void *env;
    /* home: as in wadi_workq_options */
    void (*kernels)(void *env, const char *what, int64_t most, struct wadi_text *out);
    void *kernels_env;
    uint64_t question;   /* worker: the number of its question to home that has no reply; 0: none */
    int64_t question_ns; /* when it is asked again */
    char *reply;         /* with a NUL behind it; NULL: none has come */
    int64_t reply_bytes;
    bool parts; /* there may be frames that nobody reads any more */
    wadi_nats_numbers count;
    int64_t swept_ns;
    int64_t answered_at[WADI_NATS_RATES]; /* answers so far, each second, in a ring */
    int rates;
} wadi_nats_queue;

/* ---- say.c ---- */

uint64_t wadi_nats_random(void);
/* Has the service look. The mutex is held, here and below. */
void wadi_nats_stir(wadi_nats_queue *q);
/* Wakes the owner. */
void wadi_nats_ring(wadi_nats_queue *q);
/* Has something said when the mutex is free. `reply` names the inbox of an answer; NULL: none. data may be NULL. */
void wadi_nats_say(wadi_nats_queue *q, const char *subject, const char *reply, const void *data,
                   int64_t n);
/* Asks a stream for one of its messages, without its consumer: `what` is as the server wants it. */
void wadi_nats_say_get(wadi_nats_queue *q, wadi_nats_stream s, const char *reply, const char *what,
                       int n);
/* The same by its number in the stream. */
void wadi_nats_say_get_number(wadi_nats_queue *q, wadi_nats_stream s, const char *reply,
                              uint64_t number);
/* What it says of that: the label of the message, of number -1 if it is not there. False: it says something else, such as that there is no JetStream now. */
bool wadi_nats_got(natsMsg *msg, wadi_jet_label *out);
/* A sign of life of home, with a word behind it, or "". */
void wadi_nats_home_tell(wadi_nats_queue *q, const char *word);
/* Ends all later calls with this error. */
void wadi_nats_break(wadi_nats_queue *q, wadi_status status, const char *format, ...)
    WADI_PRINTF(3, 4);
/* Has the record read again: the server does not know a stream, or refuses an epoch. */
void wadi_nats_doubt(wadi_nats_queue *q);

/* The number behind "name": in what the server has replied; -1: there is none. */
int64_t wadi_nats_number_in(const char *text, int n, const char *name);

/* The connection that there is. It lives as long as the queue. The mutex is free. */
natsConnection *wadi_nats_connection(wadi_nats_queue *q);

/* A wait of the owner as the watchdog sees it. All zero: none. */
typedef struct wadi_nats_watched {
    bool on;
    int ticket;
    char words[WADI_NATS_SUBJECT];
} wadi_nats_watched;

/* Registers that it waits for `what` ("an answer"), or for the server if that is away. idle: it may last for ever. */
void wadi_nats_watch(wadi_nats_queue *q, wadi_nats_watched *w, const char *what, bool idle);
void wadi_nats_unwatch(wadi_nats_queue *q, wadi_nats_watched *w);
/* What ends the waits of the owner when it is readable; -1: nothing. */
int wadi_nats_stop_fd(const wadi_nats_queue *q);
/* Waits until something may have changed, or until `until_ns`. Errors: WADI_CANCELLED, what has broken the queue, WADI_IO if the server has been away
 * for too long. */
WADI_NODISCARD wadi_status wadi_nats_wait(wadi_nats_queue *q, int64_t until_ns, wadi_error *err);

/* Something that asks the server and waits for what it says. */
typedef wadi_status (*wadi_nats_calling)(wadi_nats_queue *q, jsCtx *js, void *env, wadi_error *err);
/* Calls it, and again if the connection was lost meanwhile and has come back, or while the server has no JetStream yet. The mutex is free. */
WADI_NODISCARD wadi_status wadi_nats_call(wadi_nats_queue *q, wadi_nats_calling call, void *env,
                                          wadi_error *err);

/* ---- service.c ---- */

WADI_NODISCARD wadi_status wadi_nats_service_start(wadi_nats_queue *q, wadi_error *err);
void wadi_nats_service_stop(wadi_nats_queue *q);
/* Called by the library, in threads of its own. */
void wadi_nats_service_hear(natsConnection *nc, natsSubscription *sub, natsMsg *owned_msg,
                            void *queue);
void wadi_nats_service_lost(void *queue);
void wadi_nats_service_back(void *queue, natsConnection *nc);
void wadi_nats_service_refused(void *queue, const char *words);
/* The queue has its connection back. The mutex is held. */
void wadi_nats_service_resume(wadi_nats_queue *q);
/* Notes which server it is that the queue is connected to. */
void wadi_nats_service_met(wadi_nats_queue *q, natsConnection *nc);

/* ---- pack.c ---- */

/* What is sent as a parcel: its end to SUBJECT.do, and what is before that in frames to SUBJECT.part.NUMBER.NONCE.FRAME. */
typedef struct wadi_nats_sent {
    const char *subject;
    wadi_jet_label label; /* without frames and checksum */
    const void *bytes;
    bool identified; /* the server drops a second one of that number */
    bool kept;       /* frames are not sent: home keeps them */
} wadi_nats_sent;

/* How many of n bytes are in frames, if at most tail_most are beside the label. All frames but the last have frame_most bytes. */
int64_t wadi_nats_framed(int64_t n, int64_t frame_most, int64_t tail_most);
/* Makes a parcel; the bytes are copied. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_nats_pack(const wadi_nats_sent *what, uint64_t id,
                                          const char *inbox, int64_t frame_most,
                                          wadi_nats_parcel **out, wadi_error *err);
void wadi_nats_parcel_free(wadi_nats_parcel *p);
/* Has the parcel, which is in no list, freed when nothing of it is being sent. */
void wadi_nats_parcel_retire(wadi_nats_queue *q, wadi_nats_parcel *owned_p);

/* ---- frames.c: those of items, which home keeps ---- */

/* A copy of what is in frames; *out NULL: nothing is. The caller frees it. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_nats_frames_keep(const void *bytes, int64_t n, int64_t frame_most,
                                                 char **out, wadi_error *err);
/* The item is answered. */
void wadi_nats_frames_release(wadi_nats_queue *q, wadi_nats_flight *f);
/* A worker asks for a frame. */
void wadi_nats_frames_heard(wadi_nats_queue *q, natsMsg *msg);
/* Says some that were asked for. */
void wadi_nats_frames_step(wadi_nats_queue *q);
/* Forgets what was asked for. */
void wadi_nats_frames_forget(wadi_nats_queue *q);
/* Frees what was released; nothing is being said. */
void wadi_nats_frames_free(wadi_nats_queue *q);

/* ---- lost.c: items that a server forgets ---- */

/* The server has confirmed the parcel, which has that number in its stream. True: it is kept, as it is an item that is not answered. */
bool wadi_nats_lost_keep(wadi_nats_queue *q, wadi_nats_parcel *p, uint64_t seq);
/* The server has begun again, or is another. */
void wadi_nats_lost_doubt(wadi_nats_queue *q, int64_t now);
/* Asks for some items that are in doubt. */
void wadi_nats_lost_step(wadi_nats_queue *q, int64_t now);
/* What the server says of one. */
void wadi_nats_lost_heard(wadi_nats_queue *q, const char *token, natsMsg *msg);
/* The item is answered. */
void wadi_nats_lost_release(wadi_nats_queue *q, wadi_nats_flight *f);

/* ---- settle.c: acknowledgements ---- */

/* It is in no list. */
void wadi_nats_delivery_free(wadi_nats_delivery *d);
/* Forgets it without a word to the server. */
void wadi_nats_forget_one(wadi_nats_queue *q, wadi_nats_delivery *d);
/* Acknowledges with this word ("+ACK"), and forgets. Later, if it is not sure that the server means the same message. */
void wadi_nats_settle(wadi_nats_queue *q, wadi_nats_delivery *d, const char *word);
/* Forgets all deliveries. give_back: the server may give those that were not taken to others. */
void wadi_nats_forget(wadi_nats_queue *q, bool give_back);
/* The server has begun again, or is another: numbers of what it has delivered may be those of other messages now. */
void wadi_nats_stale_doubt(wadi_nats_queue *q);
/* Asks for what is settled and in doubt. */
void wadi_nats_stale_step(wadi_nats_queue *q, int64_t now);
/* What the server says of one. */
void wadi_nats_stale_heard(wadi_nats_queue *q, const char *token, natsMsg *msg);

/* ---- take.c: deliveries ---- */

void wadi_nats_take_step(wadi_nats_queue *q, int64_t now);
/* What was asked of the stream that is pulled from is lost: asks again at once. */
void wadi_nats_ask_anew(wadi_nats_queue *q);
/* What was asked for of frames is lost: asks again at once. */
void wadi_nats_gather_anew(wadi_nats_queue *q);
/* A message of the stream that is pulled from. */
void wadi_nats_take_message(wadi_nats_queue *q, natsMsg *msg);
/* What the server says instead of a message: the request has expired, .. */
void wadi_nats_take_status(wadi_nats_queue *q, natsMsg *msg, int64_t now);
/* Frame `frame` of delivery `id`, or that there is none. True: it keeps the message. */
bool wadi_nats_take_frame(wadi_nats_queue *q, uint64_t id, int frame, natsMsg *msg);
/* The oldest that is ready; NULL: none. */
wadi_nats_delivery *wadi_nats_ready(wadi_nats_queue *q);
/* Gives back all that was not taken, but for what would be a dead letter then, and takes nothing more while `alone`. */
void wadi_nats_stay_alone(wadi_nats_queue *q);

/* ---- post.c: parcels ---- */

/* Has the server be sent it; takes it over, also if it fails. */
WADI_NODISCARD wadi_status wadi_nats_post(wadi_nats_queue *q, wadi_nats_parcel *owned_p,
                                          wadi_error *err);
/* Sends what can be sent. */
void wadi_nats_post_step(wadi_nats_queue *q, int64_t now);
/* All that is not confirmed is to be sent again. */
void wadi_nats_post_again(wadi_nats_queue *q);
/* Forgets the parcels of that number; negative: all. */
void wadi_nats_post_drop(wadi_nats_queue *q, int64_t number);
/* The server's word on frame `frame` of parcel `id`. */
void wadi_nats_post_reply(wadi_nats_queue *q, uint64_t id, int frame, natsMsg *reply, int64_t now);

/* ---- again.c ---- */

/* Called by the library: it has given the connection up. */
void wadi_nats_closed(void *queue, natsConnection *nc);
/* Makes another one, if it is to. The service thread's, with the mutex, which is free meanwhile. */
void wadi_nats_again_step(wadi_nats_queue *q, int64_t now);

/* ---- refusals.c: what the server does not take ---- */

/* Words of anybody, of `n` bytes, as they may be shown. */
void wadi_nats_note(char *to, size_t room, const char *words, size_t n);
/* Those of a server that has refused something, if its reply has some. */
void wadi_nats_note_reply(char *to, size_t room, natsMsg *reply, const char *no_responders);
/* Keeps in mind why the server, or the library, has refused something: `n` bytes of anybody. The mutex is held, here and below. */
void wadi_nats_refused(wadi_nats_queue *q, const char *words, size_t n);
/* The same, out of the server's reply to something that was published. */
void wadi_nats_refused_reply(wadi_nats_queue *q, natsMsg *reply);
/* The server takes things again. */
void wadi_nats_taken(wadi_nats_queue *q);
/* Breaks the queue if the server has been there for as long as it may be away, and has confirmed nothing of what was sent. */
void wadi_nats_refusals_step(wadi_nats_queue *q, int64_t now);

/* ---- record.c: which home a job has ---- */

/* Asks the server for the record, now and then. */
void wadi_nats_record_step(wadi_nats_queue *q, int64_t now);
/* A message with a record. from: the first question whose reply is newer. */
void wadi_nats_record_told(wadi_nats_queue *q, natsMsg *msg, uint64_t from);
/* The reply to question number `question`. */
void wadi_nats_record_replied(wadi_nats_queue *q, natsMsg *msg, uint64_t question);
/* What the server says of its stream. */
void wadi_nats_record_stream(wadi_nats_queue *q, natsMsg *msg, int64_t now);

/* ---- consumers.c: those of a job ---- */

/* Has them be looked at, and made again if `anew`. */
void wadi_nats_consumers_doubt(wadi_nats_queue *q, bool anew);
/* Asks the server for them, now and then. */
void wadi_nats_consumers_step(wadi_nats_queue *q, int64_t now);
/* What the server says of them: `token` is the end of the subject of the reply. */
void wadi_nats_consumers_heard(wadi_nats_queue *q, const char *token, natsMsg *msg);

/* ---- streams.c: calls of the server that are waited for ---- */

/* As wadi_nats_fail, with what the server said, 0: nothing. WADI_UNSUPPORTED also if it says that it has no JetStream. */
wadi_status wadi_nats_js_fail(const wadi_jet_address *at, natsStatus s, jsErrCode code,
                              const char *doing, wadi_error *err);
WADI_NODISCARD wadi_status wadi_nats_js(natsConnection *nc, const wadi_jet_address *at, jsCtx **out,
                                        wadi_error *err);
/* Asks for the account: whether there is JetStream. */
WADI_NODISCARD wadi_status wadi_nats_account(jsCtx *js, const wadi_jet_address *at,
                                             wadi_error *err);
/* Makes a stream of the job. cap: the most bytes in it; -1: no limit. Errors: WADI_IO, WADI_UNSUPPORTED (no JetStream). */
WADI_NODISCARD wadi_status wadi_nats_stream_make(jsCtx *js, const wadi_jet_address *at,
                                                 wadi_nats_stream s, const char *epoch, int64_t cap,
                                                 wadi_error *err);
WADI_NODISCARD wadi_status wadi_nats_consumer_make(jsCtx *js, const wadi_jet_address *at,
                                                   wadi_nats_stream s, const char *epoch,
                                                   wadi_error *err);
/* No error if there is none. */
WADI_NODISCARD wadi_status wadi_nats_stream_remove(jsCtx *js, const wadi_jet_address *at,
                                                   wadi_nats_stream s, wadi_error *err);
/* Messages in it; -1: there is no such stream. */
int64_t wadi_nats_stream_messages(jsCtx *js, const char *job, wadi_nats_stream s);
/* The last message of the subject in a stream, or that of a number; the caller destroys it. NULL: there is none, or no such stream. Errors: WADI_IO, WADI_UNSUPPORTED (no
 * JetStream). */
WADI_NODISCARD wadi_status wadi_nats_message_last(jsCtx *js, const wadi_jet_address *at,
                                                  wadi_nats_stream stream, const char *subject,
                                                  const char *doing, natsMsg **out,
                                                  wadi_error *err);
WADI_NODISCARD wadi_status wadi_nats_message_at(jsCtx *js, const wadi_jet_address *at,
                                                wadi_nats_stream stream, uint64_t seq,
                                                const char *doing, natsMsg **out, wadi_error *err);
/* The record of the job and its number in the stream. *out_seq is 0 if there is none. */
WADI_NODISCARD wadi_status wadi_nats_record_read(jsCtx *js, const wadi_jet_address *at,
                                                 wadi_jet_record *out, uint64_t *out_seq,
                                                 wadi_error *err);
/* Replaces the record, if it is still that of number *seq. Errors: WADI_CANCELLED if it is not, WADI_IO. */
WADI_NODISCARD wadi_status wadi_nats_record_write(jsCtx *js, const wadi_jet_address *at,
                                                  const wadi_jet_record *r, uint64_t *seq,
                                                  wadi_error *err);
/* Asks home, and waits `ms`. *out is the reply, which the caller frees. NULL: there is no home, or it is silent, *out_silent. Errors: WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_nats_home_ask(natsConnection *nc, const wadi_jet_address *at,
                                              const char *verb, const char *what, int64_t ms,
                                              char **out, bool *out_silent, wadi_error *err);

/* How the home of a job is looked for. */
typedef struct wadi_nats_search {
    int64_t ms; /* how long it may be silent */
    bool
        met; /* it is known to have been at this server, so only a connection that broke may come back */
    int stop_fd; /* ends the search when it is readable; -1: none */
} wadi_nats_search;

/* Whether the job has a home. That nobody listens counts only after a while: a server that has just begun may have no connection of home yet. Errors:
 * WADI_CANCELLED, WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_nats_home_find(natsConnection *nc, const wadi_jet_address *at,
                                               const wadi_nats_search *how, bool *out_there,
                                               bool *out_silent, wadi_error *err);

/* ---- takeover.c ---- */

/* Takes the job over, or goes on with another charter. Errors: WADI_INVALID (it has a home), WADI_IO, .. */
WADI_NODISCARD wadi_status wadi_nats_take_over(wadi_nats_queue *q, const void *charter, int64_t n,
                                               wadi_jet_record *out, wadi_error *err);
/* Removes what is not needed any more, and tells workers: WADI_JET_LEFT or WADI_JET_ENDED. Only the end of a job waits for a server that is away. */
WADI_NODISCARD wadi_status wadi_nats_leave(wadi_nats_queue *q, wadi_jet_state state,
                                           wadi_error *err);
/* Ends the job that another home has left, which was killed or saved its run; *out: there was one. One that has a home stays. */
WADI_NODISCARD wadi_status wadi_nats_end_left(wadi_nats_queue *q, bool *out, wadi_error *err);

/* ---- ask.c: what home hears ---- */

void wadi_nats_home_heard(wadi_nats_queue *q, const char *verb, natsMsg *msg);
/* Notes at the server which one it is: whoever looks for the home of the job there need not think of one that has not come back to it yet. The mutex is held. */
void wadi_nats_home_met(wadi_nats_queue *q);
void wadi_nats_home_step(wadi_nats_queue *q, int64_t now);

/* ---- life.c ---- */

/* Has the library's threads, which are made meanwhile, take no signals: those are meant for the program. */
void wadi_nats_block_signals(sigset_t *out_before);
/* Has what comes on the subject go to the service. i: which of q->subs. */
WADI_NODISCARD wadi_status wadi_nats_subscribe(wadi_nats_queue *q, int i, const char *subject,
                                               wadi_error *err);
/* Ends that subscription, if there is one. What has come by then is still heard. */
void wadi_nats_unsubscribe(wadi_nats_queue *q, int i);
bool wadi_nats_hears(wadi_nats_queue *q, int i);
/* Hears the same subjects over a connection that is new. */
WADI_NODISCARD wadi_status wadi_nats_subscribe_again(wadi_nats_queue *q, wadi_error *err);
/* One of the library's threads will not call again. */
void wadi_nats_quiet(void *queue);
/* Ends the queue without a word to anybody. */
void wadi_nats_close(wadi_nats_queue *q);

/* ---- queue.c ---- */

WADI_NODISCARD wadi_status wadi_nats_open(const wadi_workq_options *options, wadi_workq **out,
                                          wadi_error *err);

/* ---- jobs.c ---- */

extern const struct wadi_jet_jobs_offer wadi_nats_jobs;

/* ---- home.c, worker.c ---- */

extern const wadi_workq_ops wadi_nats_home_ops, wadi_nats_worker_ops;
void wadi_nats_worker_heard(wadi_nats_queue *q, const char *verb, natsMsg *msg);
void wadi_nats_worker_step(wadi_nats_queue *q, int64_t now);

#endif
